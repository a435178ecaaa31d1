# plots.sh - pictures with gnuplot, data and scripts without it.
. "$TESTS_DIR/cli/common.inc"

kinds="heatmap roofline timeline budget pareto exposed"
if command -v gnuplot >/dev/null 2>&1; then
    expect 0 "$TILESCOPE" run small.yaml --set verify=none
    [ ! -s err ] || fail "plotting says something"
    for kind in $kinds; do
        for ext in dat gp png svg; do
            [ -s results/small/plots/$kind.$ext ] || fail "$kind.$ext is missing or empty"
        done
        head -c 8 results/small/plots/$kind.png | grep -q PNG || fail "$kind.png is no PNG"
        tail -c 100 results/small/plots/$kind.svg | grep -q '</svg>' || fail "$kind.svg is cut"
    done
    # the scripts stand alone and give the same pictures again
    for kind in heatmap timeline; do
        (cd results/small/plots && gnuplot -e "out='again.svg'" $kind.gp && cmp again.svg $kind.svg && rm again.svg) || fail "$kind.gp does not repeat its picture"
    done
    # gnuplot that fails: a warning, and no picture that looks like one
    mkdir fake
    printf '#!/bin/sh\nfor a; do case $a in *out=*) o=${a##*out=.}; touch "results/.broken.part/plots/${o%%.}";; esac; done\necho something is wrong >&2\nexit 1\n' >fake/gnuplot
    chmod +x fake/gnuplot
    expect 0 env PATH="$work/fake:$PATH" "$TILESCOPE" run small.yaml --set verify=none --set name=broken
    has err "something is wrong"
    [ ! -e results/broken/plots/heatmap.png ] || fail "a failed picture was kept"
    [ -s results/broken/plots/heatmap.gp ] || fail "the script of a failed picture is gone"
fi

# no gnuplot at all
expect 0 env PATH=/nowhere "$TILESCOPE" run small.yaml --set verify=none --set name=bare
has err "gnuplot is not installed"
for kind in $kinds; do
    [ -s results/bare/plots/$kind.gp ] && [ -s results/bare/plots/$kind.dat ] || fail "$kind: data or script is missing"
    [ ! -e results/bare/plots/$kind.png ] || fail "$kind.png came from nowhere"
done

# nothing to draw: a word, no picture
expect 0 "$TILESCOPE" run small.yaml --set name=one --set baseM=32 --set baseN=32 --set baseK=16 --set stepKa=1
has err "no heatmap of ascend910b1/128x160x192/base: fewer than two fields vary"
[ ! -e results/one/plots/heatmap.gp ] || fail "an empty heatmap was written"

# each kind by itself
for kind in $kinds; do
    expect 0 env PATH=/nowhere "$TILESCOPE" run small.yaml --set verify=none --set name=only --set "report.plots=[$kind]" -f
    [ "$(ls results/only/plots)" = "$(printf '%s\n' $kind.dat $kind.gp)" ] || fail "plots: [$kind] makes $(ls results/only/plots)"
done

# what the pictures say
expect 0 env PATH=/nowhere "$TILESCOPE" run small.yaml --set verify=none --set name=words
plots=results/words/plots
feasible=$(sed -n 's/.*"tilings": 48, "feasible": \([0-9]*\),.*/\1/p' results/words/manifest.json | head -1)
has $plots/heatmap.gp "$feasible of 48 tilings are feasible"
lacks $plots/roofline.gp "(0)'"        # a class without a dot is not in the legend
lacks $plots/budget.gp "white lines: padding" # there is none
sed -n '/^# below/,$p' $plots/budget.dat | grep -q 'A pong 0x[0-9a-f]*, ' || fail "a narrow region has no address"
