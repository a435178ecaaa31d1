# estimate.sh - run -n says how long a long run takes, and nothing of a short one.
. "$TESTS_DIR/cli/common.inc"

expect 0 "$TILESCOPE" run small.yaml -n
lacks err "a run takes"

cat >long.yaml <<'YAML'
target: ascend910b1
problem: {M: 4096, N: 4096, K: 4096, B: {transpose: true}}
tiling:
  baseM: {from: 16, to: 256, step: 16}
  baseN: {from: 16, to: 256, step: 16}
  baseK: {from: 16, to: 256, step: 16}
  stepKa: {from: 1, to: 64, step: 1}
  stepKb: {from: 1, to: 64, step: 1}
verify: none
YAML
expect 0 "$TILESCOPE" run long.yaml -n -j 1
has out "16777216 tilings in 1 cell"
last_line err "note: a run takes about [0-9]+ (minutes|hours|days) here; 'search: best'"
expect 0 "$TILESCOPE" run long.yaml -n -s search=best
last_line err 'note: a run takes at most '
