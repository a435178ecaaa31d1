# insn.sh - maps, legality, cycles, dumps and listings of single instructions.
. "$TESTS_DIR/cli/common.inc"

# A transpose in squares with gaps: golden map, bytes, cycles with their sources.
expect 0 "$TILESCOPE" insn load_data_with_transpose dtype=int8_t dst=L0B repeatTimes=2 srcStride=3 dstGap=1 dstFracGap=3
has out "Legal on ascend910b1 (ascend910b)"
sed -n '/^Map/,$p' out >map
cat >want <<'EOF'
Map: number in memory (from the operand's address) > goes to, < comes from, :sN square N, T transposed, (gap)
  L1, rows of 6 fractals
    0:s0T 1:s0T (2)   (3)   (4)   (5)
    6:s1T 7:s1T
  L0B, rows of 4 fractals
    0:s0T (1)   2:s1T (3)
    4:s0T (5)   6:s1T
  square 0: 0 1 -> 0 4
  square 1: 6 7 -> 2 6
EOF
same map want
has out "reads  L1         2048 B in [0x0, 0x1000), 2 runs of 1024 B"
has out " cycles = load_issue - calls_ref * load_call + max(load_min, load_call + 2048 B / width)"
has out "(timing.l0b_width)"

# The same call by the C API, its _sync form, old positions, a product's name.
for name in asc_copy_l12l0b_trans asc_copy_l12l0b_trans_sync; do
    expect 0 "$TILESCOPE" insn "$name" -t ascend910b -d int8_t repeat=2 src_stride=3 dst_gap=1 dst_frac_gap=3
    sed -n '/^Map/,$p' out >other
    same other want
done
expect 0 "$TILESCOPE" insn load_data_with_transpose -d int8_t -p 'B1->B2' repeatTimes=2 srcStride=3 dstGap=1 dstFracGap=3
sed -n '/^Map/,$p' out >other
same other want
expect 0 "$TILESCOPE" insn asc_copy_l12l0b_trans -t ascend950 dtype=float repeat=2 src_stride=4 src_frac_gap=1 dst_gap=1 dst_frac_gap=3
has out "LoadData2dTransposeParamsV2"
has out "square 1: 4 6 -> 2 6"

# V2: columns of the L1 image, rows of L0B. MX: scales as well.
expect 0 "$TILESCOPE" insn load_data_2d_v2 -t ascend950 mStep=4 kStep=2 srcStride=5 dstStride=3 ifTranspose=1 dst=B2
has out "  L1, columns of 5 fractals"
has out "    6<2T  7<7T  (8)"
expect 0 "$TILESCOPE" insn load_data_mx -t ascend950 mStep=3 kStep=2 srcStride=3 dstStride=3 \
    mx.xStep=3 mx.yStep=1 mx.srcStride=2 mx.dstStride=1 src_mx=L1+4096
has out "L0A_MX, rows of 8 scale blocks"
has out "    0<0 1<2 2<4"
has out "cycles = load_issue + 96 B / mx_width, on top"

# Elements: the transpose is one, padding is a constant, unspecified bytes are marked.
expect 0 "$TILESCOPE" insn load_data_2d path='L1->L0A' repeatTimes=1 ifTranspose=1 --dump
has out "     1       1    17    33    49    65"
expect 0 "$TILESCOPE" insn load_data_3d l1H=3 l1W=3 channelSize=16 kExtension=144 mExtension=9 filterW=3 filterH=3 \
    padList=1,1,1,1 --dump
has out "     0       c     c     c"
has out "     9       ?     ?     ?"
has out "4x9"

# Rules: all of them, with field, value and page; what a C field cannot hold.
expect 1 "$TILESCOPE" insn load_data_2d repeatTimes=300 srcStride=70000
has out "E_RANGE repeatTimes=300: does not fit the field's C type, 8 bits (LoadData_2D)"
has out "E_RANGE srcStride=70000: does not fit the field's C type, 16 bits (LoadData_2D)"
has out "2 rules broken"
expect 1 "$TILESCOPE" insn load_data_with_transpose -t ascend910b dtype=int4b_t repeatTimes=1 dst=L0A+16 src=A1+8
has out "E_DTYPE"
has out "E_ALIGN dst: byte 0x10 of L0A is not a multiple of 512"
expect 0 "$TILESCOPE" insn load_data_2d -t ascend950 repeatTimes=2 srcStride=2 startIndex=1
has out "note startIndex: counts fractals by the page; the vendor header of 950 multiplies it by srcStride (A10)"
expect 0 "$TILESCOPE" insn load_data_2d repeatTimes=0
has out "note: does nothing"

# Cycles of the other pipes.
expect 0 "$TILESCOPE" insn mmad m=128 n=256 k=64
has out " cycles = W + mmad_issue, W = 512 fractal products * 4096 MAC / 4096 MAC per cycle"
expect 0 "$TILESCOPE" insn nd2nz nValue=32 dValue=40 srcDValue=40 dstNzC0Stride=32
has out " cycles = copy_issue + 32 rows * max(row_min, row_base + 80 B / row_width)"
has out "    1<3 3<4 5<5"
expect 0 "$TILESCOPE" insn fixpipe mSize=32 nSize=48 dstStride=48 srcStride=32
has out "(timing.fixpipe_width)"
expect 0 "$TILESCOPE" insn fill -p 'const->L1' repeatTimes=2 blockNum=3 dstGap=1
has out "not modelled"

# Lists: registers carry over, the Mmad's operands as matrices.
expect 0 "$TILESCOPE" insn --listing "$REPO_DIR/tests/data/insn/int8_transposed.txt"
has out "L0A as the Mmad reads it: 40 x 70 (m x k), int8_t"
has out "    33     A33   A73  A113"
has out "L0B as the Mmad reads it: 70 x 50 (k x n), int8_t"
has out "    63   B3150 B3151"
cat >list.txt <<'EOF'
SetFmatrix l1H=4 l1W=4          # registers first
SetLoadDataPaddingValue value=0x3c00

load_data_3d isSetFMatrix=0 isSetPadding=0 channelSize=16 kExtension=16 mExtension=16
EOF
expect 0 "$TILESCOPE" insn --file list.txt
has out "== 3 of 3"
lacks out "E_CONFIG"
expect 0 "$TILESCOPE" insn --listing list.txt
has out "L0A, half, rows of 32 B (no Mmad in the list says its extents)"
expect 1 "$TILESCOPE" insn load_data_3d isSetFMatrix=0 channelSize=16 kExtension=16 mExtension=16 l1H=4 l1W=4
has out "E_CONFIG"

# Pictures.
expect 0 "$TILESCOPE" insn load_data_2d repeatTimes=3 srcStride=2 dstGap=1 --out map1
[ -s map1/insn.dat ] && [ -s map1/insn.gp ] || fail "no data or script"
if command -v gnuplot >/dev/null; then
    [ -s map1/insn.png ] && [ -s map1/insn.svg ] || fail "no picture"
    [ ! -s err ] || fail "gnuplot complained"
fi

# Malformed input: file, line, column, and what was meant.
expect 2 "$TILESCOPE" insn lod_data_2d
has err "'lod_data_2d': no such instruction"
has err "did you mean 'load_data_2d'?"
expect 2 "$TILESCOPE" insn load_data_2d repeatTime=3 startIndex=x dst=Q0 srcStride
has err "did you mean 'repeatTimes'?"
has err "'startIndex=x': no value of this field"
has err "'dst=Q0': no address"
has err "'srcStride': not key=value"
[ ! -s out ] || fail "an error writes to stdout"
printf 'mmad m=16\nmmad q=3\n' >bad.txt
expect 2 "$TILESCOPE" insn -f bad.txt
has err "bad.txt:2:6: error: 'q=3': the instruction has no such field"
expect 2 "$TILESCOPE" insn mmad m=1 m=2
has err "given twice"
expect 2 "$TILESCOPE" insn mmad -d flaot
has err "no such dtype: flaot"
has err "did you mean 'float'?"
has err "dtype is one of int4, "
expect 2 "$TILESCOPE" insn LoadData
has err "those that begin so: load_data_2d, "
lacks err "fixpipe"
expect 2 "$TILESCOPE" insn xyz
has err "it is one of: nd2nz, "
expect 2 "$TILESCOPE" insn load_data_3d foo=1 bar=2 baz=3
[ "$(grep -c 'hint:' err)" -eq 1 ] || fail "the fields are listed once for each wrong word"
expect 0 "$TILESCOPE" insn load_data_3d l1H=7 l1W=9 channelSize=16 kExtension=144 mExtension=16 filterW=3 filterH=3 padList=1,1,0,0
has out "padList.left       *       1"
expect 2 "$TILESCOPE" insn load_data_3d padList=1,1,1
has err "left,right,top,bottom"
expect 0 "$TILESCOPE" insn --help
has out "padList=left,right,top,bottom"
expect 0 "$TILESCOPE" insn load_data_2d_v2 -t 950PR dtype=mxfp8 mStep=1 kStep=1 srcStride=1 dstStride=1
has out "fp8_e4m3fn_t"
# What would be legal, what was written, and how far it reaches.
expect 1 "$TILESCOPE" insn load_data_2d 'path=GM->L0C' repeatTimes=1
has out "not offered on ascend910b; offered: GM->L1, "
expect 1 "$TILESCOPE" insn load_data_2d_v2 mStep=1
has out "not offered on ascend910b; offered on ascend950"
expect 1 "$TILESCOPE" insn mmad_mx m=16 n=16 k=64
has out "not offered on ascend910b; offered on ascend950"
expect 1 "$TILESCOPE" insn load_data_2d repeatTimes=256
has out "  repeatTimes        *     256 fractal    does not fit the field"
expect 1 "$TILESCOPE" insn load_data_2d repeatTimes=200 dst=L0A+0x8000 dstGap=20
has out "bytes [32768, 2172928) leave the 65536 bytes of L0A" # 32768 + (199 * 21 + 1) * 512
expect 2 "$TILESCOPE" insn mmad -t ascend910x
expect 2 "$TILESCOPE" insn load_data_2d -p 'L1=>L0A'
has err "no path"
expect 2 "$TILESCOPE" insn
has err "give one of"
expect 3 "$TILESCOPE" insn --file nowhere.txt

expect 0 "$TILESCOPE" insn --help
has out "Examples:"
