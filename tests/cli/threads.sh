# threads.sh - the same files for any number of threads, on any processors.
. "$TESTS_DIR/cli/common.inc"

for j in 1 2 3; do
    expect 0 "$TILESCOPE" run small.yaml --no-plots -j $j --results j$j -q
    sed '/"run": /d' j$j/small/manifest.json >j$j/manifest
    for file in manifest small/tilings.csv small/reasons.csv small/summary.txt small/best.yaml; do
        same j1/$file j$j/$file
    done
done

# a process bound to one processor stays there
if command -v taskset >/dev/null 2>&1; then
    first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    expect 0 taskset -c "$first" "$TILESCOPE" run small.yaml --no-plots --results bound -q
    has bound/small/manifest.json '"threads": 1'
    same j1/small/tilings.csv bound/small/tilings.csv
fi
