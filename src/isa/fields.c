#include "isa/fields.h"

#include <stdlib.h>
#include <string.h>

#define MEMBER(part, member) \
    (uint8_t) offsetof(struct insn, p.part.member), (uint8_t)sizeof(((struct insn *)0)->p.part.member)
/* name, place, C width, default, range, unit, meaning */
#define U(part, member, bits, def, min, max, unit, meaning)                                 \
    {                                                                                       \
#member, MEMBER(part, member), false, bits, FIELD_INT, def, min, max, unit, meaning \
    }
#define S(part, member, bits, def, min, max, unit, meaning)                                \
    {                                                                                      \
#member, MEMBER(part, member), true, bits, FIELD_INT, def, min, max, unit, meaning \
    }
#define B(part, member, def, meaning)                                               \
    {                                                                               \
#member, MEMBER(part, member), false, 1, FIELD_BOOL, def, 0, 1, "", meaning \
    }
#define K(part, member, kind, bits, def, max, meaning)                             \
    {                                                                              \
#member, MEMBER(part, member), false, bits, kind, def, 0, max, "", meaning \
    }
#define NAMED(name, part, member, bits, def, min, max, unit, meaning)                    \
    {                                                                                    \
        name, MEMBER(part, member), false, bits, FIELD_INT, def, min, max, unit, meaning \
    }

#define U16_MAX  65535
#define STRIDE40 ((1LL << 40) - 1)

static const struct insn_field nd2nz_fields[] = {
    U(nd2nz, ndNum, 16, 1, 0, 4095, "matrix", "number of ND matrices; 0: no operation"),
    U(nd2nz, nValue, 16, 0, 0, 16384, "row", "rows of one matrix; 0: no operation"),
    U(nd2nz, dValue, 32, 0, 0, U16_MAX, "element", "columns of one matrix; 0: no operation"),
    S(nd2nz, srcNdMatrixStride, 64, 0, 0, STRIDE40, "element", "start of one matrix to the next, source"),
    S(nd2nz, srcDValue, 64, 0, 1, STRIDE40, "element", "row pitch of the source"),
    U(nd2nz, dstNzC0Stride, 16, 0, 1, 16384, "32 B", "from one 32 B column to the next, destination"),
    U(nd2nz, dstNzNStride, 16, 1, 1, 16384, "32 B", "from one row to the next, destination"),
    U(nd2nz, dstNzMatrixStride, 32, 0, 0, U16_MAX, "element", "start of one matrix to the next, destination"),
};

static const struct insn_field dn2nz_fields[] = {
    U(dn2nz, dnNum, 16, 1, 0, 4095, "matrix", "number of DN matrices; 0: no operation"),
    U(dn2nz, nValue, 16, 0, 0, 16384, "column", "columns of one matrix (rows of the image); 0: no operation"),
    U(dn2nz, dValue, 32, 0, 0, (1 << 21) - 1, "row", "rows of one matrix (columns of the image); 0: no operation"),
    S(dn2nz, srcDnMatrixStride, 64, 0, 0, STRIDE40, "element", "start of one matrix to the next, source"),
    S(dn2nz, srcDValue, 64, 0, 1, STRIDE40, "element", "row pitch of the source"),
    U(dn2nz, dstNzC0Stride, 16, 0, 1, 16384, "32 B", "from one 32 B column to the next, destination"),
    U(dn2nz, dstNzNStride, 16, 1, 1, 16384, "32 B", "from one row to the next, destination"),
    U(dn2nz, dstNzMatrixStride, 32, 0, 0, U16_MAX, "element", "start of one matrix to the next, destination"),
};

static const struct insn_field data_copy_fields[] = {
    U(copy, blockCount, 16, 1, 0, 4095, "block", "number of blocks; 0: no operation"),
    U(copy, blockLen, 16, 0, 0, U16_MAX, "32 B", "length of a block"),
    U(copy, srcGap, 16, 0, 0, U16_MAX, "32 B", "end of a block to the start of the next, source"),
    U(copy, dstGap, 16, 0, 0, U16_MAX, "32 B", "end of a block to the start of the next, destination"),
};

static const struct insn_field data_copy_pad_fields[] = {
    U(pad, blockCount, 16, 1, 0, 4095, "block", "number of blocks; 0: no operation"),
    U(pad, blockLen, 32, 0, 1, (1 << 21) - 1, "byte", "length of a block"),
    S(pad, srcStride, 64, 0, -(1LL << 40), STRIDE40, "byte", "end of a block to the start of the next, source"),
    U(pad, dstStride, 32, 0, 0, U16_MAX, "32 B", "end of a block to the start of the next, destination"),
    B(pad, isPad, 0, "pad with paddingValue; else the pad bytes are not defined"),
    U(pad, leftPadding, 8, 0, 0, 32, "element", "elements added before a block, at most 32 B"),
    U(pad, rightPadding, 8, 0, 0, 32, "element", "elements added after a block, at most 32 B"),
    U(pad, paddingMode, 8, 0, 0, 1, "", "0 Normal: each block starts on 32 B; 1 Compact"),
    K(pad, paddingValue, FIELD_HEX, 32, 0, UINT32_MAX, "bit pattern of the padding"),
};

static const struct insn_field fill_fields[] = {
    U(fill, repeatTimes, 16, 0, 0, 32767, "repeat", "number of repeats; 0: no operation"),
    U(fill, blockNum, 16, 0, 0, 32767, "block", "blocks of one repeat (L1: 32 B, L0A/L0B: 512 B)"),
    U(fill, dstGap, 16, 0, 0, 32767, "block", "end of a repeat to the start of the next"),
    K(fill, initValue, FIELD_HEX, 32, 0, UINT32_MAX, "bit pattern written"),
};

static const struct insn_field load_2d_fields[] = {
    U(load_2d, startIndex, 16, 0, 0, U16_MAX, "fractal", "first source fractal"),
    U(load_2d, repeatTimes, 8, 0, 0, 255, "fractal", "fractals moved; 0: no operation"),
    U(load_2d, srcStride, 16, 0, 0, U16_MAX, "fractal", "start of one source fractal to the next"),
    U(load_2d, sid, 8, 0, 0, 15, "", "stream id, 0"),
    U(load_2d, dstGap, 16, 0, 0, U16_MAX, "fractal", "end of one destination fractal to the start of the next"),
    B(load_2d, ifTranspose, 0, "transpose each fractal (b16)"),
    U(load_2d, addrMode, 8, 0, 0, 1, "", "0: source address increases, 1: decreases"),
};

static const struct insn_field load_2d_v2_fields[] = {
    U(load_2d_v2, mStartPosition, 32, 0, 0, U16_MAX, "fractal", "first source row of fractals"),
    U(load_2d_v2, kStartPosition, 32, 0, 0, U16_MAX, "fractal", "first source column of fractals (times |srcStride|)"),
    U(load_2d_v2, mStep, 16, 0, 0, 255, "fractal", "rows of fractals moved; 0: no operation"),
    U(load_2d_v2, kStep, 16, 0, 0, 255, "fractal", "columns of fractals moved; 0: no operation"),
    S(load_2d_v2, srcStride, 32, 0, -U16_MAX, U16_MAX, "fractal", "source column to the next, start to start"),
    U(load_2d_v2, dstStride, 16, 0, 0, U16_MAX, "fractal", "destination column to the next, start to start"),
    B(load_2d_v2, ifTranspose, 0, "transpose squares of fractals"),
    U(load_2d_v2, sid, 8, 0, 0, 15, "", "stream id, 0"),
};

static const struct insn_field load_mx_fields[] = {
    NAMED("mStartPosition", load_mx, data.mStartPosition, 32, 0, 0, U16_MAX, "fractal", "first source row of fractals"),
    NAMED("kStartPosition", load_mx, data.kStartPosition, 32, 0, 0, U16_MAX, "fractal",
          "first source column of fractals (times |srcStride|)"),
    NAMED("mStep", load_mx, data.mStep, 16, 0, 0, 255, "fractal", "rows of fractals; 0: no data part"),
    NAMED("kStep", load_mx, data.kStep, 16, 0, 0, 255, "fractal", "columns of fractals; 0: no data part"),
    {"srcStride", MEMBER(load_mx, data.srcStride), true, 32, FIELD_INT, 0, -U16_MAX, U16_MAX, "fractal",
     "source column to the next"},
    NAMED("dstStride", load_mx, data.dstStride, 16, 0, 0, U16_MAX, "fractal", "destination column to the next"),
    {"ifTranspose", MEMBER(load_mx, data.ifTranspose), false, 1, FIELD_BOOL, 0, 0, 1, "",
     "transpose squares of fractals"},
    NAMED("sid", load_mx, data.sid, 8, 0, 0, 15, "", "stream id, 0"),
    NAMED("mx.xStartPosition", load_mx, xStartPosition, 16, 0, 0, U16_MAX, "32 B",
          "first scale row (times |srcStride|)"),
    NAMED("mx.yStartPosition", load_mx, yStartPosition, 16, 0, 0, U16_MAX, "32 B", "first scale column"),
    NAMED("mx.xStep", load_mx, xStep, 8, 0, 0, 255, "32 B", "scale fractals along M (N for B); 0: no scale part"),
    NAMED("mx.yStep", load_mx, yStep, 8, 0, 0, 255, "32 B", "scale fractals along K; 0: no scale part"),
    {"mx.srcStride", MEMBER(load_mx, srcStride), true, 32, FIELD_INT, 0, -U16_MAX, U16_MAX, "32 B",
     "scale row to the next, source"},
    NAMED("mx.dstStride", load_mx, dstStride, 16, 0, 0, U16_MAX, "32 B", "scale row to the next, destination"),
};

#define TRANSPOSE_COMMON                                                                                     \
    U(transpose, startIndex, 16, 0, 0, U16_MAX, "square", "first source square (V2: fractal)"),              \
        U(transpose, repeatTimes, 8, 0, 0, 255, "square", "squares moved; 0: no operation"),                 \
        U(transpose, srcStride, 16, 0, 0, U16_MAX, "square", "one source square to the next (V2: fractal)"), \
        U(transpose, dstGap, 16, 0, 0, U16_MAX, "fractal",                                                   \
          "end of an iteration's first fractal to the start of the next iteration's"),                       \
        U(transpose, dstFracGap, 16, 0, 0, U16_MAX, "fractal", "gap between the fractals of one square (not b16)")
static const struct insn_field transpose_fields[] = {
    TRANSPOSE_COMMON,
    U(transpose, addrMode, 8, 0, 0, 1, "", "0: source address increases, 1: decreases"),
};
static const struct insn_field transpose_v2_fields[] = {
    TRANSPOSE_COMMON,
    U(transpose, srcFracGap, 16, 0, 0, U16_MAX, "fractal", "gap between the source fractals of one square (not b16)"),
    U(transpose, addrMode, 8, 0, 0, 1, "", "0: source address increases, 1: decreases"),
};

#define PAD_FIELDS                                                                                         \
    NAMED("padList.left", load_3d, padList[0], 8, 0, 0, 255, "element", "columns of padding on the left"), \
        NAMED("padList.right", load_3d, padList[1], 8, 0, 0, 255, "element", "columns on the right"),      \
        NAMED("padList.top", load_3d, padList[2], 8, 0, 0, 255, "element", "rows above"),                  \
        NAMED("padList.bottom", load_3d, padList[3], 8, 0, 0, 255, "element", "rows below")
#define REPEAT_FIELDS                                                               \
    U(load_3d, repeatStride, 16, 0, 0, U16_MAX, "16 rows or C0 (310B: 2 C0)",       \
      "from one repeat to the next in the source matrix"),                          \
        U(load_3d, repeatTime, 8, 1, 0, 255, "repeat", "repeats; 0: no operation"), \
        U(load_3d, repeatMode, 8, 0, 0, 1, "", "0: repeats append rows, 1: columns")

static const struct insn_field load_3d_fields[] = {
    PAD_FIELDS,
    U(load_3d, l1H, 16, 0, 0, 32767, "point", "height of the feature map; 0: no operation"),
    U(load_3d, l1W, 16, 0, 0, 32767, "point", "width of the feature map; 0: no operation"),
    U(load_3d, channelSize, 16, 0, 0, U16_MAX, "element", "channels of the feature map; 0: no operation"),
    U(load_3d, kExtension, 16, 0, 0, U16_MAX, "element", "columns of the expanded matrix loaded; 0: no operation"),
    U(load_3d, mExtension, 16, 0, 0, U16_MAX, "element", "rows of the expanded matrix loaded; 0: no operation"),
    U(load_3d, kStartPt, 16, 0, 0, U16_MAX, "element", "first column"),
    U(load_3d, mStartPt, 16, 0, 0, 32767, "element", "first row"),
    U(load_3d, strideW, 8, 1, 1, 63, "point", "horizontal stride of the filter"),
    U(load_3d, strideH, 8, 1, 1, 63, "point", "vertical stride of the filter"),
    U(load_3d, filterW, 8, 1, 0, 255, "point", "filter width; 0 without filterSizeW: no operation"),
    U(load_3d, filterH, 8, 1, 0, 255, "point", "filter height; 0 without filterSizeH: no operation"),
    U(load_3d, dilationFilterW, 8, 1, 1, 255, "point", "horizontal dilation"),
    U(load_3d, dilationFilterH, 8, 1, 1, 255, "point", "vertical dilation"),
    B(load_3d, enTranspose, 0, "transpose on the way to L0A"),
    B(load_3d, enSmallK, 0, "no longer supported"),
    K(load_3d, padValue, FIELD_HEX, 32, 0, UINT32_MAX, "bit pattern of the padding"),
    B(load_3d, filterSizeW, 0, "adds 256 to filterW"),
    B(load_3d, filterSizeH, 0, "adds 256 to filterH"),
    B(load_3d, fMatrixCtrl, 0, "0: registers of the left matrix, 1: of the right"),
    B(load_3d, isSetFMatrix, 1, "0: l1H, l1W, padList come from SetFmatrix"),
    B(load_3d, isSetPadding, 1, "0: padValue comes from SetLoadDataPaddingValue"),
    REPEAT_FIELDS,
    U(load_3d, dstStride, 16, 0, 0, U16_MAX, "fractal", "950: destination column of fractals to the next"),
};

static const struct insn_field set_fmatrix_fields[] = {
    PAD_FIELDS,
    U(load_3d, l1H, 16, 0, 0, 32767, "point", "height of the feature map"),
    U(load_3d, l1W, 16, 0, 0, 32767, "point", "width of the feature map"),
    B(load_3d, fMatrixCtrl, 0, "0: registers of the left matrix, 1: of the right"),
};
static const struct insn_field set_repeat_fields[] = {REPEAT_FIELDS};
static const struct insn_field set_repeat_stride_fields[] = {
    REPEAT_FIELDS,
    U(load_3d, dstStride, 16, 0, 0, U16_MAX, "fractal", "destination column of fractals to the next"),
};

static const struct insn_field bt_fields[] = {
    K(copy, dstType, FIELD_DTYPE, 8, DTYPE_FLOAT, DTYPE_N - 1, "type of the bias row: float or int32"),
    U(copy, blockCount, 16, 1, 0, 4095, "block", "number of blocks; 0: no operation"),
    U(copy, blockLen, 16, 0, 0, U16_MAX, "64 B (950: 32 B)", "length of a block in source bytes"),
    U(copy, srcGap, 16, 0, 0, U16_MAX, "32 B", "end of a block to the start of the next, source"),
    U(copy, dstGap, 16, 0, 0, U16_MAX, "64 B (950: 32 B)", "end of a block to the start of the next, destination"),
};
static const struct insn_field fb_fields[] = {
    U(copy, blockCount, 16, 1, 0, 4095, "block", "number of blocks; 0: no operation"),
    U(copy, blockLen, 16, 0, 0, U16_MAX, "128 B (950: 64 B)", "length of a block"),
    U(copy, srcGap, 16, 0, 0, U16_MAX, "32 B", "start of a block to the start of the next, source"),
    U(copy, dstGap, 16, 0, 0, U16_MAX, "128 B", "start of a block to the start of the next, destination"),
};

#define MMAD_SHAPE                                                                                   \
    K(mmad, btype, FIELD_DTYPE, 8, 0, DTYPE_N - 1, "type of the right operand; none: as the left"),  \
        K(mmad, ctype, FIELD_DTYPE, 8, 0, DTYPE_N - 1, "type of the result; none: float or int32"),  \
        U(mmad, m, 16, 0, 0, 4095, "element", "rows of the left operand; 0: no operation, 1: GEMV"), \
        U(mmad, n, 16, 0, 0, 4095, "element", "columns of the right operand; 0: no operation"),      \
        U(mmad, k, 16, 0, 0, 4095, "element", "inner size; 0: no operation"),                        \
        U(mmad, unitFlag, 8, 0, 0, 3, "", "0 off, 2 keep, 3 last Mmad before Fixpipe")
#define MMAD_START                                                                                \
    B(mmad, cmatrixSource, 0, "0: start from L0C, 1: from the bias row, if cmatrixInitVal is 0"), \
        B(mmad, cmatrixInitVal, 1, "1: start from 0"),                                            \
        U(mmad, biasAddr, 32, 0, 0, 4095, "byte", "place of the bias row in BT")
static const struct insn_field mmad_fields[] = {
    MMAD_SHAPE,
    B(mmad, kDirectionAlign, 0, "A2/A3 float: K of L0A is padded to 16"),
    MMAD_START,
    B(mmad, disableGemv, 0, "950: 1 keeps the fractal layout of L0A for m = 1"),
};
static const struct insn_field mmad_mx_fields[] = {
    MMAD_SHAPE,
    MMAD_START,
    B(mmad, disableGemv, 0, "1 keeps the fractal layout of L0A for m = 1"),
};

static const struct insn_field fixpipe_fields[] = {
    K(fixpipe, format, FIELD_FORMAT, 8, FIXPIPE_ND, FIXPIPE_DN, "layout of the destination"),
    B(fixpipe, arch3510, 0, "1: FixpipeParamsArch3510 (NZ dstStride in elements)"),
    K(fixpipe, dstType, FIELD_DTYPE, 8, DTYPE_FLOAT, DTYPE_N - 1, "type of the destination"),
    K(fixpipe, quantPre, FIELD_QUANT, 8, QUANT_NONE, QUANT_N - 1, "conversion"),
    U(fixpipe, nSize, 16, 0, 0, 4095, "element", "columns stored"),
    U(fixpipe, mSize, 16, 0, 0, U16_MAX, "element", "rows stored"),
    U(fixpipe, srcStride, 16, 0, 0, U16_MAX, "64 B",
      "L0C: one column of fractals to the next (rows of the tile, padded to 16)"),
    U(fixpipe, dstStride, 32, 0, 0, UINT32_MAX, "element (V220 NZ: 32 B)",
      "ND row pitch, NZ column of fractals to the next"),
    U(fixpipe, unitFlag, 8, 0, 0, 3, "", "0 off, 3: overlaps with the Mmad of the same unit flag"),
    B(fixpipe, reluEn, 0, "ReLU"),
    B(fixpipe, channelSplit, 0, "float NZ: fractals of 16x8"),
    B(fixpipe, ctrl48, 0, "CTRL[48]: 0 saturate, 1 keep inf and nan"),
    U(fixpipe, ndNum, 16, 1, 0, U16_MAX, "matrix", "ND matrices"),
    U(fixpipe, srcNdStride, 16, 0, 0, U16_MAX, "1024 B (950: 64 B)", "one ND matrix to the next in L0C"),
    U(fixpipe, dstNdStride, 32, 0, 0, UINT32_MAX, "element", "one ND matrix to the next"),
    U(fixpipe, dnNum, 16, 1, 0, U16_MAX, "matrix", "DN matrices"),
    U(fixpipe, srcNzMatrixStride, 16, 0, 0, U16_MAX, "64 B", "one DN matrix to the next in L0C"),
    U(fixpipe, dstDnMatrixStride, 32, 0, 0, UINT32_MAX, "element", "one DN matrix to the next"),
    U(fixpipe, srcNzC0Stride, 16, 1, 0, U16_MAX, "64 B", "DN: L0C row to the next"),
    K(fixpipe, deqScalar, FIELD_HEX, 64, 0, INT64_MAX, "scale word of the scalar modes"),
    U(fixpipe, quantAddr, 32, 0, 0, U16_MAX, "byte", "place of the quant row in FB (vector modes)"),
};

static const struct insn_field barrier_fields[] = {
    U(barrier, pipe, 8, 0, 0, PIPE_ALL, "", "pipe: 0 MTE2, 1 MTE1, 2 M, 3 FIX, 5 ALL"),
};
static const struct insn_field register_fields[] = {
    K(reg, value, FIELD_HEX, 32, 0, UINT32_MAX, "register value"),
    K(reg, value2, FIELD_HEX, 32, 0, UINT32_MAX, "second value (SetHF32TransMode)"),
};

struct op_row {
    const struct insn_field *fields;
    size_t count;
    const char *struct_name, *document;
    uint8_t pipe;
};

#define ROW(table, struct_name, document, pipe)                            \
    {                                                                      \
        table, sizeof table / sizeof table[0], struct_name, document, pipe \
    }

static const struct op_row ops[OP_N] = {
    [OP_NOP] = {NULL, 0, "", "", PIPE_S},
    [OP_ND2NZ] = ROW(nd2nz_fields, "Nd2NzParams", "DataCopy ND2NZ", PIPE_MTE2),
    [OP_DN2NZ] = ROW(dn2nz_fields, "Dn2NzParams", "DataCopy DN2NZ", PIPE_MTE2),
    [OP_DATA_COPY] = ROW(data_copy_fields, "DataCopyParams", "DataCopy", PIPE_MTE2),
    [OP_DATA_COPY_PAD] = ROW(data_copy_pad_fields, "DataCopyExtParams", "DataCopyPad", PIPE_MTE2),
    [OP_FILL] = ROW(fill_fields, "InitConstValueParams", "Fill", PIPE_MTE2),
    [OP_LOAD_2D] = ROW(load_2d_fields, "LoadData2DParams", "LoadData_2D", PIPE_MTE1),
    [OP_LOAD_2D_V2] = ROW(load_2d_v2_fields, "LoadData2DParamsV2", "LoadData_2D_V2", PIPE_MTE1),
    [OP_LOAD_TRANSPOSE] = ROW(transpose_fields, "LoadData2dTransposeParams", "LoadDataWithTranspose", PIPE_MTE1),
    [OP_LOAD_TRANSPOSE_V2] = ROW(transpose_v2_fields, "LoadData2dTransposeParamsV2", "LoadDataWithTranspose",
                                 PIPE_MTE1),
    [OP_LOAD_MX] = ROW(load_mx_fields, "LoadData2DParamsV2+LoadData2DMxParams", "LoadData_2D_MX", PIPE_MTE1),
    [OP_LOAD_3D] = ROW(load_3d_fields, "LoadData3DParamsV2", "LoadData_3D", PIPE_MTE1),
    [OP_LOAD_3D_STRIDE] = ROW(load_3d_fields, "LoadData3DParamsV2", "LoadDataWithStride", PIPE_MTE1),
    [OP_L1_TO_BT] = ROW(bt_fields, "DataCopyParams", "DataCopy L1ToBT", PIPE_MTE1),
    [OP_L1_TO_FB] = ROW(fb_fields, "DataCopyParams", "DataCopy L1ToFB", PIPE_FIX),
    [OP_MMAD] = ROW(mmad_fields, "MmadParams", "Mmad", PIPE_M),
    [OP_MMAD_MX] = ROW(mmad_mx_fields, "MmadParams", "MmadMx", PIPE_M),
    [OP_FIXPIPE] = ROW(fixpipe_fields, "FixpipeParams", "Fixpipe", PIPE_FIX),
    [OP_SET_FLAG] = {NULL, 0, "", "SetFlag/WaitFlag", PIPE_S},
    [OP_WAIT_FLAG] = {NULL, 0, "", "SetFlag/WaitFlag", PIPE_S},
    [OP_PIPE_BARRIER] = ROW(barrier_fields, "", "PipeBarrier", PIPE_S),
    [OP_SET_FMATRIX] = ROW(set_fmatrix_fields, "", "SetFmatrix", PIPE_S),
    [OP_SET_PADDING] = ROW(register_fields, "", "SetLoadDataPaddingValue", PIPE_S),
    [OP_SET_REPEAT] = ROW(set_repeat_fields, "LoadDataRepeatParam", "SetLoadDataRepeat", PIPE_S),
    [OP_SET_REPEAT_STRIDE] = ROW(set_repeat_stride_fields, "LoadDataRepeatParamWithStride",
                                 "SetLoadDataRepeatWithStride", PIPE_S),
    [OP_SET_HF32] = ROW(register_fields, "", "SetHF32Mode", PIPE_S),
    [OP_SET_MM_ORDER] = ROW(register_fields, "", "SetMMRowMajor", PIPE_S),
    [OP_SET_ATOMIC] = ROW(register_fields, "", "SetAtomicAdd", PIPE_S),
};

const struct insn_field *insn_fields(enum op op, size_t *count)
{
    static const struct insn_field none = {0};
    *count = ops[op].count;
    return ops[op].fields != NULL ? ops[op].fields : &none;
}

const char *op_struct_name(enum op op)
{
    return ops[op].struct_name;
}

const char *op_document(enum op op)
{
    return ops[op].document;
}

const struct insn_field *insn_field_find(enum op op, const char *name)
{
    for (size_t i = 0; i < ops[op].count; i++) {
        if (strcmp(ops[op].fields[i].name, name) == 0) {
            return &ops[op].fields[i];
        }
    }
    return NULL;
}

int64_t insn_field_get(const struct insn *insn, const struct insn_field *field)
{
    uint64_t raw = 0;
    memcpy(&raw, (const char *)insn + field->offset, field->size); /* little endian hosts only, as all targets here */
    if (field->is_signed && field->size < 8) {
        const unsigned shift = 64U - 8U * field->size;
        return (int64_t)(raw << shift) >> shift;
    }
    return (int64_t)raw;
}

bool insn_field_set(struct insn *insn, const struct insn_field *field, int64_t value)
{
    memcpy((char *)insn + field->offset, &value, field->size);
    return insn_field_get(insn, field) == value;
}

void insn_field_type_range(const struct insn_field *field, int64_t *lo, int64_t *hi)
{
    const unsigned bits = field->c_bits;
    if (field->is_signed) {
        *hi = bits >= 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
        *lo = -*hi - 1;
    } else {
        *lo = 0;
        *hi = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
    }
}

void insn_init(struct insn *insn, enum op op, enum dtype dtype)
{
    memset(insn, 0, sizeof *insn);
    insn->op = (uint8_t)op;
    insn->dtype = (uint8_t)dtype;
    insn->pipe = ops[op].pipe;
    for (size_t i = 0; i < ops[op].count; i++) {
        (void)insn_field_set(insn, &ops[op].fields[i], ops[op].fields[i].def);
    }
}

enum pipe insn_pipe(const struct insn *insn)
{
    const enum op op = (enum op)insn->op;
    if (op == OP_SET_FLAG || op == OP_WAIT_FLAG) {
        const enum hard_event event = INSN_EVENT_HARD(insn->event);
        if ((unsigned)event >= HARD_EVENT_N) {
            return PIPE_S;
        }
        return op == OP_SET_FLAG ? hard_event_setter(event) : hard_event_waiter(event);
    }
    if (op == OP_PIPE_BARRIER) {
        return (enum pipe)insn->p.barrier.pipe;
    }
    if (op == OP_FILL) { /* kernel_rules A30 */
        return insn->dst.buf == BUF_L1 ? PIPE_MTE2 : PIPE_MTE1;
    }
    if ((op == OP_LOAD_2D || op == OP_LOAD_2D_V2) && insn->src.buf == BUF_GM) {
        return PIPE_MTE2;
    }
    return (enum pipe)ops[op].pipe;
}

void insn_set_pipe(struct insn *insn)
{
    insn->pipe = (uint8_t)insn_pipe(insn);
}

enum path insn_path(const struct insn *insn)
{
    static const uint8_t ends[PATH_N][2] = {
        [PATH_GM_L1] = {BUF_GM, BUF_L1},         [PATH_GM_L0A] = {BUF_GM, BUF_L0A},
        [PATH_GM_L0B] = {BUF_GM, BUF_L0B},       [PATH_L1_L0A] = {BUF_L1, BUF_L0A},
        [PATH_L1_L0B] = {BUF_L1, BUF_L0B},       [PATH_L1_L0A_MX] = {BUF_L1, BUF_L0A_MX},
        [PATH_L1_L0B_MX] = {BUF_L1, BUF_L0B_MX}, [PATH_L1_BT] = {BUF_L1, BUF_BT},
        [PATH_L1_FB] = {BUF_L1, BUF_FB},         [PATH_L0C_GM] = {BUF_L0C, BUF_GM},
        [PATH_L0C_L1] = {BUF_L0C, BUF_L1},       [PATH_L0C_UB] = {BUF_L0C, BUF_UB},
    };
    for (int i = 0; i < PATH_N; i++) {
        if (ends[i][0] == insn->src.buf && ends[i][1] == insn->dst.buf) {
            return (enum path)i;
        }
    }
    return PATH_N;
}
