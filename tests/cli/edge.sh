# edge.sh - the summary says when the best lies at the edge of a sweep that could be wider, and when nothing was swept.
. "$TESTS_DIR/cli/common.inc"

# summary LINES...: of a run of a config with these lines of tiling, in `said`.
summary() {
    rm -rf results/edge
    {
        printf '%s\n' 'name: edge' 'target: ascend910b1' 'problem: {M: 1024, N: 1024, K: 4096, B: {transpose: true}}' \
            'verify: none'
        printf '%s\n' "$@"
    } >edge.yaml
    expect 0 "$TILESCOPE" run edge.yaml --no-plots -q
    cp results/edge/summary.txt said
}

summary 'tiling: {baseM: {from: 16, to: 64, step: 16}, baseN: 128, baseK: 64}'
has said "at the edge of its sweep: baseM 64, the largest given; 80 fits as well"
[ "$(grep -c 'edge of its sweep' said)" -eq 1 ] || fail "a fixed field is no sweep"
summary 'tiling: {baseM: [16, 32], baseN: 128, baseK: 64}'
has said "baseM 32, the largest given; 64 fits as well"
summary 'tiling: {baseM: [128, 256], baseN: 256, baseK: 64, stepKa: 4}'
has said "baseM 128, the smallest given; 64 fits as well"
# In the middle; an edge beyond which nothing fits, or which holds the whole problem; what `where` forbids.
summary 'tiling: {baseM: [64, 128, 256], baseN: 256, baseK: 64}'
lacks said "edge of its sweep"
summary 'tiling: {baseM: [64, 128], baseN: 256, baseK: 64}'
lacks said "edge of its sweep"
summary 'tiling: {baseM: 128, baseN: 256, baseK: 64, stepKa: 4, usedCoreNum: [12, 24]}'
lacks said "edge of its sweep"
summary 'tiling: {baseM: [16, 32], baseN: 128, baseK: 64}' 'where: "baseM <= 32"'
lacks said "edge of its sweep"
lacks said "nothing was swept"

summary ''
has said "nothing was swept: each field has the one value its rule gives"

# a base block larger than the problem is planned in full; the said one takes less memory and the same time
cat >wide.yaml <<'YAML'
name: wide
target: ascend950pr_9589
verify: none
tiling: {baseM: 224, baseN: [128, 256], baseK: 64}
YAML
for problem in '{op: conv, N: 2, Cin: 64, H: 28, W: 28, Cout: 50, kh: 3, kw: 3, pad: 1}' '{M: 1000, N: 50, K: 576}'; do
    expect 0 "$TILESCOPE" run wide.yaml --no-plots -q -f -s "problem=$problem"
    has results/wide/summary.txt "is more than N 50: "
    lacks results/wide/summary.txt "is more than M"
    lacks results/wide/summary.txt "is more than K"
    expect 0 "$TILESCOPE" explain results/wide/best.yaml
    has out "64 with the same steps is the same work (auto steps follow the larger one)"
    expect 0 "$TILESCOPE" run results/wide/best.yaml --no-plots -q -f -s name=narrow -s tiling.baseN=64 -s tiling.singleCoreN=64
    [ "$(tail -n 1 results/narrow/tilings.csv | sed 's/.*,//')" = \
        "$(sed -n 's/^# .*(\([0-9]*\) thousandths.*/\1/p' results/wide/best.yaml)" ] || fail "the narrow block is other work"
    lacks results/narrow/summary.txt "is more than N"
done
