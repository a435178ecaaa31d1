# mx_vs_plain.sh - the seven formats of configs/mx_vs_plain.yaml on small shapes.
. "$TESTS_DIR/cli/common.inc"

shapes='problem=[{name: square, M: 256, N: 256, K: 1024, A: {dtype: half}, B: {dtype: half, transpose: true}, C: {dtype: half}}, {name: odd, M: 40, N: 130, K: 352, A: {dtype: half}, B: {dtype: half, transpose: true}, C: {dtype: half}}]'
expect 0 "$TILESCOPE" run "$REPO_DIR/configs/mx_vs_plain.yaml" -q -s "$shapes" -s 'baseM=[16, 128]' -s 'baseN=[128]' -s 'stepKa=[1, 2]' -s 'stepKb=1'
for format in half bf16 int8 fp8_e4m3fn hifloat8 mxfp8 mxfp4; do
    has out "best: ascend950pr_9589/square/$format b"
    has out "best: ascend950pr_9589/odd/$format b"
done
last_line out '^112 tilings, [0-9]+ feasible, [0-9]+ verified, 0 mismatched$'
[ "$(tail -1 out | awk '{print $3 == $5}')" = 1 ] || fail "not all feasible tilings are verified"
[ -s results/mx_vs_plain/plots/mx_compare.dat ] || fail "no mx_compare"
expect 0 "$TILESCOPE" compare mx_vs_plain
has out "== odd: M 40, N 130, K 352 on ascend950pr_9589"

# the known answer of the issue: 680 us +- 6 %, the cube binds
expect 0 "$TILESCOPE" run "$REPO_DIR/configs/mx_vs_plain.yaml" -q -f --no-plots -s verify=none -s name=known -t b256x256x256_s2x2_fa4_fb4
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    $c["variant"] == "mxfp4" && $c["M"] == 8192 { n++; ok = $c["task_us"] > 639.2 && $c["task_us"] < 720.8 && $c["bound"] == "M"; us = $c["task_us"] " " $c["bound"] }
    END { if (n != 1 || !ok) { print n " rows: " us; exit 1 } }' results/known/tilings.csv || fail "mxfp4 8192^3 is not 680 us +- 6 %, cube-bound"
