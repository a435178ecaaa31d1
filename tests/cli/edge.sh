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
