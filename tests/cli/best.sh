# best.sh - best.yaml of every kind of problem gives the run's best again: the same time and the same bytes.
. "$TESTS_DIR/cli/common.inc"

# again NAME FILE: FILE runs, is explained, and has the time, bytes and errors of the row NAME left as best.
again() {
    expect 0 "$TILESCOPE" explain "$1" --steps 1
    expect 0 "$TILESCOPE" run "$1" -f --no-plots -q -s name=again
    has results/again/manifest.json '"mismatched": 0'
}

# What the results of run NAME say of the best of cell N: the first of the least time.
best_of() {
    awk -F, -v cell="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["cell"] == cell && $at["status"] == "feasible" && (line == "" || $at["task_mcyc"] + 0 < best) {
            best = $at["task_mcyc"] + 0
            line = $at["name"] " " best " " $at["hbm_B"] " " $at["gm_read_B"] " " $at["compulsory_B"] " " $at["l1_used_B"]
        } END { print line }' "results/$1/tilings.csv"
}

CONV='op: conv, Cin: 40, H: 14, W: 14, Cout: 72, kh: 3, kw: 3, pad: 1'
while IFS='|' read -r target problem more; do
    cat >kind.yaml <<YAML
name: kind
target: $target
problem: {$problem}
tiling: {baseM: [32, 64], baseN: 64, baseK: [32, 64]}
$more
YAML
    expect 0 "$TILESCOPE" run kind.yaml -f --no-plots -q
    lacks results/kind/tilings.csv mismatch
    first=$(best_of kind 0)
    [ -n "$first" ] || fail "$problem has no best"
    again results/kind/best.yaml
    [ "$(best_of again 0)" = "$first" ] || fail "best.yaml of '$problem' gives $(best_of again 0), not $first"
    cp results/again/best.yaml twice.yaml
    sed '/^name:/d' results/kind/best.yaml >once
    sed '/^name:/d' twice.yaml | cmp -s - once || fail "best.yaml of '$problem' is not its own best.yaml: $(diff once twice.yaml)"
done <<KINDS
ascend910b1|$CONV
ascend910b1|$CONV, C: {dtype: half, format: NHWC}
ascend910b1|$CONV, C: {dtype: float, format: NHWC, ld: 96}, relu: true
ascend910b1|$CONV, N: 2, groups: 2, stride: 2, dtype: bf16
ascend910b1|$CONV, N: 2, groups: 2, C: {format: NHWC}, bias: true
ascend910b1|$CONV, dtype: int8, quant: {mode: vector}, bias: true
ascend910b1|$CONV, dtype: int8, C: {dtype: half}, quant: {mode: scalar, scale: 0.0625}
ascend910b1|$CONV, dtype: float, hf32: true, dilation: [1, 2]
ascend950pr_9589|op: conv, NHWC: [2, 9, 10, 16], Cout: 32, kh: 2, kw: 3, pad: [0, 1, 1, 0], C: {dtype: half, format: NC1HWC0}, count: 3
ascend910b1|M: 96, N: 80, K: 64, batch: 3, bias: true, A: {ld: 96, align: 32}, C: {ld: 112}
ascend910b1|M: 96, N: 80, K: 64, A: {format: NZ}, B: {format: NZ}, C: {format: NZ}
ascend910b1|M: 96, N: 80, K: 64, groups: 3, B: {transpose: true}
ascend910b1|groupM: [17, 0, 40], N: 80, K: 64, quant: true, dtype: int8
ascend910b1|M: 64, N: 64, K: 64, dtype: float, hf32: true, count: 5
ascend950pr_9589|M: 96, N: 80, K: 128, dtype: mxfp8, scaleA: {align: 32}, scaleB: {ld: 6}, B: {transpose: true}
ascend950pr_9589|M: 96, N: 80, K: 128, dtype: mxfp4, B: {transpose: true}, inputs: normal
ascend950pr_9589|groupM: [40, 20], N: 64, K: 128, dtype: mxfp8, B: {transpose: true}
ascend950pr_9589|M: 64, N: 64, K: 64, dtype: hif8, C: {dtype: hif8}, quant: {mode: scalar, scale: 0.5}, relu: true
ascend910b1|M: 64, N: 64, K: 64|eventIds: 8
KINDS

# rows of a list that count several times, each in a file of its own
printf 'N,C,H,W,Cout,kh,kw,stride,pad\n1,32,8,8,32,3,3,1,1\n1,32,8,8,32,3,3,1,1\n1,32,8,8,64,1,1,2,0\n' >list.csv
cat >list.yaml <<'YAML'
target: ascend910b1
problem: {op: conv, shapes: list.csv, merge: true, dtype: int8, C: {dtype: half, format: NHWC}, quant: true}
tiling: {baseM: [32, 64], baseN: 32, baseK: 32}
YAML
expect 0 "$TILESCOPE" run list.yaml --no-plots -q
for cell in 0 1; do
    again results/list/best/cell$cell.yaml
    [ "$(best_of again 0)" = "$(best_of list $cell)" ] || fail "best/cell$cell.yaml gives another time"
done
has results/list/best/cell0.yaml "count: 2"
