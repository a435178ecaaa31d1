# explain.sh - one tiling, from fields to instructions.
. "$TESTS_DIR/cli/common.inc"

expect 0 "$TILESCOPE" explain small.yaml
for part in "1. Fields" "2. Buffers" "3. Loops" "4. Time on the model" "5. Instructions" "<- binds" \
    "before the first step" "-- step 0: tile 0 at (0, 0)" "after the last step" "Mmad L0C+0x0 <-" "event ids:"; do
    has out "$part"
done
expect 0 "$TILESCOPE" run small.yaml --no-plots -q
name=$(sed -n 's/.*"best": "\([^"]*\)".*/\1/p' results/small/manifest.json)
expect 0 "$TILESCOPE" explain small.yaml
has out "tiling $name"
expect 0 "$TILESCOPE" explain results/small/best.yaml --steps 1
has out "tiling $name"
expect 0 "$TILESCOPE" explain small.yaml --tiling b16x32x16_s1x1
has out "tiling b16x32x16_s1x1"
expect 1 "$TILESCOPE" explain small.yaml --tiling b256x256x64_s1x1
has err "is infeasible: "
expect 2 "$TILESCOPE" explain small.yaml --core 999
expect 2 "$TILESCOPE" explain small.yaml --cell 1
expect 1 "$TILESCOPE" explain small.yaml --set baseM=4080

# addresses of explain are those of budget: first and last byte
expect 0 "$TILESCOPE" explain small.yaml -t b32x64x64_s2x2
grep -oE '0x[0-9a-f]+ - 0x[0-9a-f]+' out >explained
expect 0 "$TILESCOPE" budget small.yaml -t b32x64x64_s2x2 --no-plots
sed -n '/^2\. /,/^3\. /p' out | grep -v ' B  -$' | grep -oE '0x[0-9a-f]+ - 0x[0-9a-f]+' >budgeted
same explained budgeted

# what makes a time unvalidated is named
expect 0 "$TILESCOPE" explain small.yaml -t b32x64x64_s2x2_l2x2x2
has out "unvalidated: no measured run stands behind dbL0C 2"

# MX: scales, zeros behind K tails, packed bytes and elements apart; groups of rows
mx() {
    expect 0 "$TILESCOPE" "$@" -s target=ascend950pr_9589 \
        -s "problem={M: 64, N: 64, K: 600, A: {dtype: mx_fp4_e2m1}, B: {dtype: mx_fp4_e2m1}, C: {dtype: bf16}}" \
        -s "tiling={baseM: 64, baseN: 64, baseK: 128, stepKa: 2, stepKb: 2, $scales}"
}
scales="scaleFactorKa: 1, scaleFactorKb: 3"
mx explain small.yaml --steps 1
for part in "copy A  GM -> L1   64 x 256 elements (8192 B, two in a byte)" \
    "every   2 steps: copy scales of A  GM -> L1   64 x 8 codes, behind the data" \
    "once a tile:     copy scales of B  GM -> L1   64 x 20 codes" \
    "Fill zeros in L1 behind k 600 up to 640 (1 Fills, 1280 B in all)" \
    "A                      19200 B packed, 38400 elements of fp4_e2m1" "scales of B             1280 B, e8m0"; do
    has out "$part"
done
mx budget small.yaml --no-plots
has out "64 x 256 fp4_e2m1 two in a byte, k along the row"
has out "64 x 20 e8m0, for 3 chunks of B"
has out "L0A_MX         512 B"
has out "A ping in L1 and its scales free"
scales="scaleCopy: step"
mx explain small.yaml --steps 1
has out "every step:      copy scales of A  GM -> L1   64 x 4 codes, under flags of their own"
has out "unvalidated: no measured run stands behind scaleCopy step"
expect 0 "$TILESCOPE" explain small.yaml -s "problem={groupM: [40, 0, 33], N: 64, K: 64}" -s tiling.baseM=32 --steps 1
has out "group 1: no rows, no tiles"
has out "group 2: rows 40 to 72, tiles"

# what a split K needs around the kernel is priced and said
split="problem={M: 64, N: 64, K: 4096, C: {dtype: float}}"
expect 0 "$TILESCOPE" explain small.yaml -s "$split" -s "tiling={baseM: 64, baseN: 64, baseK: 64, splitK: 4, splitKReduce: atomic}"
has out "C must hold zeros (16384 B to clear"
has out "before the kernel, C is cleared: 16 KiB at l2_rate as far as L2 holds them, else at hbm"
has out " + split K "
expect 0 "$TILESCOPE" explain small.yaml -s "$split" -s "tiling={baseM: 64, baseN: 64, baseK: 64, splitK: 4, splitKReduce: workspace}"
has out "vector cores add 4 planes of 16384 B"
has out "the vector cores read 64 KiB of planes and write 16 KiB"

# Unaligned rows: the formula with its numbers gives the duration, the assumed limit is named, so is the ld to try.
cat >unaligned.yaml <<'YAML'
name: unaligned
target: ascend910b1
problem: {M: 1536, N: 1536, K: 1008, B: {transpose: true}}
tiling: {baseM: 128, baseN: 256, baseK: 64, stepKa: 4, stepKb: 4}
YAML
expect 0 "$TILESCOPE" explain unaligned.yaml
has out "copy_issue 20 + 128 rows of 512 B"
has out "no less than 23.64 (unaligned 1.97 * weight 0.75 * 512 B / 32), which decides (A.ld 1024 instead of 1008"
has out "= 3045.920 alone"
has out "no measured run stands behind timing.unaligned_row_min"
sed 's/1008/1024/' unaligned.yaml >aligned.yaml
expect 0 "$TILESCOPE" explain aligned.yaml
lacks out "unaligned"
