# budget.sh - the budget of auto, named and impossible tilings; its pictures.
. "$TESTS_DIR/cli/common.inc"

# The vendor's own tiling on A2: L1, L0B and L0C to the last byte.
expect 0 "$TILESCOPE" budget -s problem.M=8192 -s problem.N=8192 -s problem.K=8192 --no-plots
has out "b128x256x64_s8x4_d2x2_l2x2x1_c24_g1408x2048x8192"
has out "fits, and can be simulated"
has out "L1         524,288 B           0 B     524,288 B     524,288 B"
has out "0x60000 - 0x7ffff     131,072 B  B pong"
has out "A ping             ########++++++++########"
has out "MTE1_MTE2   0  MTE1    MTE2       A ping in L1 free"
has out "144: L0C 147,456 B of 131,072 B"
has out "stepKa             8       -        8  9: L1 557,056 B of 524,288 B"
has out "bias row, float       no: L1 525,312 B of 524,288 B; fits with stepKa 7"
has out "<- this tiling"
[ ! -e results ] || fail "--no-plots wrote files"

# 950: the same shape, its own tiling and an epilogue in UB.
expect 0 "$TILESCOPE" budget -s target=ascend950pr_9589 --no-plots
has out "256 x 256 accumulators"
has out "half a C tile (128 of 256 rows) goes to each of two vector cores"

# MX: scales in L1 and at data address / 16, shared event ids.
expect 0 "$TILESCOPE" budget -s target=ascend950pr_9589 -s problem.A.dtype=mx_fp4_e2m1 \
    -s problem.B.dtype=mx_fp4_e2m1 -s problem.C.dtype=bf16 --no-plots
has out "scales of A pong"
has out "at data address / 16"
has out "A ping in L1 and its scales filled"
has out "scaleFactorK"

# Does not fit: still shown, with the reason and what would fit; exit status 1.
expect 1 "$TILESCOPE" budget -t b192x256x64 --no-plots
has out "DOES NOT FIT: L0C needs 196608 B, has 131072 B"
has out "nearest legal baseN"
has out "<- past the end"
has err "the tiling does not fit"

# mix: 256 B of L1 are the vector cores'.
expect 0 "$TILESCOPE" budget -t k1 --no-plots
has out "256 B are held back"

# Auto does not fit the fixed fields: the first point of the space that does.
expect 0 "$TILESCOPE" budget -s tiling.baseN=256 -s tiling.stepKb=4 -s 'tiling.stepKa=9' -s 'tiling.baseM=[64, 128]' --no-plots
has out "auto does not fit here: point"

# Cells: the others are listed, one is chosen; there is an end.
expect 0 "$TILESCOPE" budget -s 'target=[ascend910b1, ascend950pr_9589]' -c 1 --no-plots
has out "in ascend950pr_9589/"
has out "   0  ascend910b1/"
expect 2 "$TILESCOPE" budget -c 1 --no-plots
has err "--cell: '1' is no whole number from 0 to 0"
expect 2 "$TILESCOPE" budget -t b128x256 --no-plots
has err "cannot read part 'b128x256'"

# A conv is planned, not simulated.
cat >conv.yaml <<'YAML'
name: conv
target: ascend910b1
problem: {op: conv, C: 64, H: 56, W: 56, Cout: 64, kh: 3, kw: 3, pad: 1, A: {format: NC1HWC0}, B: {format: FRACTAL_Z}}
YAML
expect 0 "$TILESCOPE" budget conv.yaml --no-plots
has out "336 x 64 half, points x channels"

# Pictures where they belong.
expect 0 "$TILESCOPE" budget --out pictures
for file in budget.dat budget.gp frontier.dat frontier.gp; do
    [ -s "pictures/$file" ] || fail "no $file"
done
if command -v gnuplot >/dev/null; then
    for file in budget.png budget.svg frontier.png frontier.svg; do
        [ -s "pictures/$file" ] || fail "no $file"
    done
    [ ! -s err ] || fail "gnuplot complained"
fi
expect 0 "$TILESCOPE" budget small.yaml
[ -s results/small.budget/frontier.gp ] || fail "no results/small.budget"

expect 0 "$TILESCOPE" budget --help
has out "Examples:"

# no number stands two blanks before its unit
expect 0 "$TILESCOPE" budget --no-plots
! grep -qE '[0-9]  B' out || fail "a wide gap: $(grep -E '[0-9]  B' out | head -1)"

# Nz operands: what only the high-level API asks (T9)
expect 0 "$TILESCOPE" budget -s problem.A.format=NZ -s problem.M=40 --no-plots
has out "whole fractals, 16 x C0 (T9)"
expect 1 "$TILESCOPE" budget -s problem.A.format=NZ -s problem.M=40 -s tiling.api=high --no-plots
has out "M of A is 40, must be a multiple of 16"

# base blocks beyond 1024 are looked at, up to what one Mmad takes
expect 0 "$TILESCOPE" budget -s target=ascend950pr_9589 -s problem.M=16 -s problem.N=4096 --no-plots
grep -qE '^ +2048 ' out || fail "the frontier ends before 2048"
lacks out "1024+"

# other numbers of event ids reach the plan
expect 0 "$TILESCOPE" budget -s eventIds=8 --no-plots
has out "8 a pair on this chip"
expect 2 "$TILESCOPE" budget -s eventIds=9 --no-plots
has err "ids 0-7 exist"
expect 2 "$TILESCOPE" budget -s target=ascend910a -s eventIds=8 --no-plots
has err "ids 0-3 exist on 910"

# a table of base blocks for each dtype of the chip
expect 0 "$TILESCOPE" budget -s target=ascend950pr_9589 --no-plots
for dtype in float int8 'mx fp8' 'mx fp4'; do
    has out "    $dtype:"
done
[ "$(grep -c -- '<- baseK' out)" -ge 5 ] || fail "dtypes without a table"

# every region has its name in the picture, in the bar or below it, and none beyond its end
expect 0 env PATH=/nowhere "$TILESCOPE" budget -s target=ascend950pr_9589 -s problem.A.dtype=mxfp8 -s problem.B.dtype=mxfp8 -s problem.C.dtype=bf16 -o mx_map -t b128x128x128_s2x4
for name in "A ping" "A pong" "B ping" "B pong" "scales A ping" "scales A pong" "scales B ping" "scales B pong"; do
    sed -n '/^# regions/,/^# padding/p' mx_map/budget.dat | awk '/^# below/ { below = 1 } below ? $2 == 7 : $3 == 7' | grep -q "\"$name[ \"]" || fail "no label $name"
done
awk '/^# below/ { on = 1; next } /^# padding/ { on = 0 } on && NF { w = length($0) - index($0, "\"") - 1; if ($1 * 800 + 5.5 * w > 800) bad = 1 } END { exit bad }' mx_map/budget.dat || fail "a label beyond the bar"

# the verdict names every overfull buffer; what no buffer is the reason of is not said to not fit
expect 1 "$TILESCOPE" budget --no-plots -t b160x256x64_s8x8
has out "DOES NOT FIT: L0C needs"
has out "also overfull: L1 851,968 B of 524,288 B; a nearest legal value is one with which every buffer fits"
expect 1 "$TILESCOPE" budget --no-plots -t b160x256x64
lacks out "also overfull"
expect 1 "$TILESCOPE" budget --no-plots -s target=ascend950pr_9589 -s problem.A.dtype=mxfp4 -s problem.B.dtype=mxfp4 -s problem.K=1111
has out "NOT LEGAL: K of A is 1111"
lacks out "DOES NOT FIT"
grep -q '^       16 .*-   nothing: K of A is 1111' out || fail "a table of nothing has no reason"

# what is of this problem comes before the tables of other dtypes
expect 0 "$TILESCOPE" budget --no-plots
sed '/^8\. /,$d' out >mine
has mine "7. Headroom"
lacks mine "    int8:"
has out "    int8:"
