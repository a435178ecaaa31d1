# inputs.sh - a run on a user's numbers: verified, its error that of a program outside.
. "$TESTS_DIR/cli/common.inc"

command -v python3 >/dev/null || { echo "python3 is missing"; exit 1; }
python3 "$TESTS_DIR/cli/inputs.py" make .
expect 0 "$TILESCOPE" run inputs.yaml --no-plots
last_line out '^20 tilings, 20 feasible, 20 verified, 0 mismatched$'
has results/inputs/manifest.json '"errors.csv"'
python3 "$TESTS_DIR/cli/inputs.py" check . results/inputs/errors.csv >checked || fail "the figures differ"
has checked "10 rows agree"
has results/inputs/summary.txt "before quantisation A is file"
has results/inputs/summary.txt "all 480 elements"

# explain says the same of its cell
line=$(grep "^error of C" results/inputs/summary.txt | sed -n 7p)
expect 0 "$TILESCOPE" explain inputs.yaml --cell 6
has out "$line"

# best.yaml holds what A and B are
expect 0 "$TILESCOPE" run results/inputs/best/cell6.yaml --no-plots
[ "$(cut -d, -f5- results/inputs/errors.csv | sed -n 8p)" = "$(cut -d, -f5- results/inputs_best_6/errors.csv | sed -n 2p)" ] ||
    fail "best.yaml gives another error"

# random numbers: the same for any number of threads; other seeds are other runs
for j in 1 2 3; do
    expect 0 "$TILESCOPE" run small.yaml --no-plots -s inputs=normal -s dtype=int8 -j $j --results j$j -q
    same j1/small/errors.csv j$j/small/errors.csv
    same j1/small/summary.txt j$j/small/summary.txt
done
expect 0 "$TILESCOPE" run small.yaml --no-plots -s inputs=normal -s dtype=int8 -s seed=2 -q
! cmp -s j1/small/errors.csv results/small/errors.csv || fail "the seed changes nothing"

# without inputs there is no such file
expect 0 "$TILESCOPE" run small.yaml --no-plots --force -q
[ ! -e results/small/errors.csv ] || fail "errors.csv of small integers"
lacks results/small/summary.txt "error of C"
