# explain_conv.sh - a conv in words: its shape, map rows and halo, the vendor's names.
. "$TESTS_DIR/cli/common.inc"

cat >c.yaml <<'X'
name: c
target: ascend910b1
problem: {op: conv, N: 2, C: 100, H: 28, W: 28, Cout: 128, kh: 3, kw: 3, pad: 1}
tiling: {baseM: 96, baseN: 64, baseK: 144, stepKa: 2, stepKb: 3, dbL0C: 2}
X
expect 0 "$TILESCOPE" explain c.yaml
has out "2 images of 100 channels, 28x28; 128 filters 3x3 pad 1; out 28x28; 100 channels filled up to 112: 900 of K 1008 are useful"
# 96 points are 3.4 output rows of 28: up to 7 with the rows above and below, where they begin and end inside
# a row; the last tile has 16 points of one row, at the lower edge
has out "copy A  GM -> L1   2 to 7 rows of 28 points, 32 channels, into the other of 2 buffers"
has out "up to 3 of which the M tile before it brings too (halo)"
# every byte of the map once for each of the two N tiles, and the halo on top
has out "A is read 1.20 MiB, of which 539 KiB are halo (44 %); the map has 343 KiB"
has out "539 KiB of it map rows that neighbouring M tiles both bring"
expect 0 "$TILESCOPE" run c.yaml --no-plots -q
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { map = 2 * 7 * 28 * 28 * 32; filters = 9 * 2 * 128 * 1008 * 2   # 9 M tiles of 2 images
      if ($at["halo_B"] != 551936 || $at["gm_read_B"] - $at["halo_B"] != 2 * map + filters) exit 1 }' results/c/tilings.csv ||
    fail "bytes of GM are not map, halo and filters"
expect 0 "$TILESCOPE" explain c.yaml
has out "180633600 useful, the cube makes"
lacks out "does not divide"

# the vendor's names say the same tiling again
sed -n 's/^tiling //p' out >named
{
    sed -n '1,3p' c.yaml
    echo "tiling:"
    sed -n '/TConv3DApiTiling/,/^2\. /p' out | tr -s ' ' '\n' | paste -sd' ' |
        grep -oE ' (singleCoreM|singleCoreCo|mL0|nL0|kL0|mAL1|nBL1|kAL1|kBL1|pBufferFlag|iterateMNOrder) [0-9]+' |
        sed 's/ \([0-9]*\)$/: \1/; s/^ */  /'
} >v.yaml
[ "$(wc -l <v.yaml)" = 15 ] || fail "names are missing: $(cat v.yaml)"
expect 0 "$TILESCOPE" explain v.yaml -s usedCoreNum=18 # not a name of its
sed -n 's/^tiling //p' out >again
same named again

# what the vendor would refuse, and what it does not have
expect 0 "$TILESCOPE" explain c.yaml -s baseK=96 -s stepKa=11 -s stepKb=4
has out "here 96 does not divide kAL1 1008"
expect 0 "$TILESCOPE" explain c.yaml -s target=ascend950pr_9589 -s dbL0C=1
has out "its API has half and bf16 without groups on A2 and A3 only"

# bias, relu and a quantised result
expect 0 "$TILESCOPE" explain c.yaml -s problem.dtype=int8 -s problem.bias=true -s problem.relu=true -s problem.quant=true -s baseK=96 -s stepKa=3 -s stepKb=3
has out "quant row, relu"

# words for a conv: NHWC is its result by points, and pictures are titled by the map and the filters
has out "C half NHWC"
lacks out "FRACTAL_Z transposed"
cat >h.yaml <<'X'
target: ascend910b1
problem: {op: conv, N: 2, Cin: 64, H: 28, W: 30, Cout: 48, kh: 3, kw: 5, pad: [1, 2], stride: 2}
tiling: {baseM: [64, 80], baseN: [32, 48], baseK: [80, 90, 96]}
verify: none
report: {plots: [heatmap]}
X
expect 0 env PATH=/nowhere "$TILESCOPE" run h.yaml -q
has results/h/plots/heatmap.gp "2×64×28×30 by 48×3×5/2 pad 1×2 half, ascend910b1"
cat >h2.yaml <<'X'
target: ascend910b1
problem: {M: 512, N: 512, K: 512}
tiling: {baseM: [64, 72], baseN: [64, 128], baseK: 64}
verify: none
report: {plots: [heatmap]}
X
expect 0 env PATH=/nowhere "$TILESCOPE" run h2.yaml -q
has results/h2/plots/heatmap.gp "baseM not a multiple of its unit (2)"
