/* insn.h - one instruction of the cube core, as every reader sees it.
 *
 * struct insn is plain data: 128 B, no pointers.  The schedule produces it; the
 * engine executes it, the clock times it, the race check orders it, the listing
 * and the emitter print it.  The parameter structs carry the documents' field
 * names; fields are as wide as the documents' C types or wider (so that a value
 * out of range can be represented and reported). */
#ifndef ISA_INSN_H
#define ISA_INSN_H

#include <assert.h>
#include <stdint.h>

#include "numeric/dtype.h"
#include "target/core.h"

enum op {
    OP_NOP = 0,
    /* MTE2 */
    OP_ND2NZ,         /* DataCopy with Nd2NzParams, GM->L1 */
    OP_DN2NZ,         /* DataCopy with Dn2NzParams, GM->L1 (950) */
    OP_DATA_COPY,     /* DataCopy with DataCopyParams, GM->L1 */
    OP_DATA_COPY_PAD, /* DataCopyPad, GM->L1 (950) */
    OP_FILL,          /* Fill with InitConstValueParams, L1 or L0A/L0B */
    /* MTE1 */
    OP_LOAD_2D,           /* LoadData, LoadData2DParams */
    OP_LOAD_2D_V2,        /* LoadData, LoadData2DParamsV2 */
    OP_LOAD_TRANSPOSE,    /* LoadDataWithTranspose, LoadData2dTransposeParams; also the C API */
    OP_LOAD_TRANSPOSE_V2, /* LoadDataWithTranspose, LoadData2dTransposeParamsV2; also the C API of 3510 */
    OP_LOAD_MX,           /* LoadData, LoadData2DParamsV2 + LoadData2DMxParams */
    OP_LOAD_3D,           /* LoadData, LoadData3DParamsV2 */
    OP_LOAD_3D_STRIDE,    /* LoadDataWithStride, LoadData3DParamsV2 */
    OP_L1_TO_BT,
    OP_L1_TO_FB, /* runs on FIX */
    /* M, FIX */
    OP_MMAD,
    OP_MMAD_MX,
    OP_FIXPIPE,
    /* order */
    OP_SET_FLAG,
    OP_WAIT_FLAG,
    OP_PIPE_BARRIER,
    /* registers (PIPE_S) */
    OP_SET_FMATRIX,       /* SetFmatrix */
    OP_SET_PADDING,       /* SetLoadDataPaddingValue */
    OP_SET_REPEAT,        /* SetLoadDataRepeat */
    OP_SET_REPEAT_STRIDE, /* SetLoadDataRepeatWithStride */
    OP_SET_HF32,          /* SetHF32Mode / SetHF32TransMode */
    OP_SET_MM_ORDER,      /* SetMMRowMajor / SetMMColumnMajor */
    OP_SET_ATOMIC,        /* SetAtomicAdd / SetAtomicNone */
    OP_N
};

/* `event` of a flag instruction: hard event and id (EVENT_ID0..7). */
#define INSN_EVENT(hard, id)   ((uint16_t)(((unsigned)(hard) << 8) | (unsigned)(id)))
#define INSN_EVENT_HARD(event) ((enum hard_event)((event) >> 8))
#define INSN_EVENT_ID(event)   ((unsigned)((event)&0xffU))

/* Bits of insn.flags. */
enum insn_flag {
    INSN_PRESET = 1 << 0,     /* a flag set before the loop: it costs nothing */
    INSN_DRAIN = 1 << 1,      /* a wait after the loop */
    INSN_FIRST = 1 << 2,      /* first instruction of one operand's copy or load in this step */
    INSN_LAST = 1 << 3,       /* last one */
    INSN_L1_FILLING = 1 << 4, /* while this load reads its half, an ND2NZ fills the other one (L1 contention) */
    INSN_C_API = 1 << 5       /* asc_copy_l12l0?_trans: the C API's own support tables */
};

/* Operand address: byte offset in a buffer, or in GM tensor `tensor`. */
struct addr {
    uint8_t buf;    /* enum buffer */
    uint8_t tensor; /* enum tensor, for BUF_GM */
    uint16_t half;  /* ping/pong index, for people and colours */
    uint32_t reserved;
    int64_t byte;
};

struct nd2nz_params { /* Nd2NzParams; elements unless said */
    uint32_t ndNum, nValue, dValue;
    uint32_t dstNzC0Stride, dstNzNStride; /* 32 B */
    uint32_t dstNzMatrixStride;
    int64_t srcNdMatrixStride, srcDValue;
};

struct dn2nz_params { /* Dn2NzParams */
    uint32_t dnNum, nValue, dValue;
    uint32_t dstNzC0Stride, dstNzNStride; /* 32 B */
    uint32_t dstNzMatrixStride;
    int64_t srcDnMatrixStride, srcDValue;
};

struct data_copy_params { /* DataCopyParams; 32 B units, gaps end to start (L1->BT, L1->FB: see semantics) */
    uint32_t blockCount, blockLen, srcGap, dstGap;
    uint8_t dstType; /* enum dtype; L1->BT only */
};

struct data_copy_pad_params {      /* DataCopyExtParams + DataCopyPadExtParams */
    uint32_t blockCount, blockLen; /* blockLen in bytes */
    int64_t srcStride;             /* bytes, end to start */
    uint32_t dstStride;            /* 32 B */
    uint8_t isPad, leftPadding, rightPadding, paddingMode;
    uint32_t paddingValue;
};

struct fill_params { /* InitConstValueParams */
    uint32_t repeatTimes, blockNum, dstGap;
    uint32_t initValue; /* bit pattern in the dtype */
};

struct load_2d_params { /* LoadData2DParams; fractals */
    uint32_t startIndex, srcStride, dstGap;
    uint16_t repeatTimes;
    uint8_t sid, ifTranspose, addrMode;
};

struct load_2d_v2_params { /* LoadData2DParamsV2; fractals */
    uint32_t mStartPosition, kStartPosition;
    uint16_t mStep, kStep;
    int32_t srcStride;
    uint32_t dstStride;
    uint8_t ifTranspose, sid;
};

struct load_mx_params { /* LoadData2DParamsV2 + LoadData2DMxParams (32 B units) */
    struct load_2d_v2_params data;
    uint32_t xStartPosition, yStartPosition;
    uint16_t xStep, yStep;
    int32_t srcStride;
    uint32_t dstStride;
};

struct load_transpose_params { /* LoadData2dTransposeParams(V2); units in semantics.md 2.3, 2.4 */
    uint32_t startIndex, srcStride, dstGap, dstFracGap;
    uint32_t srcFracGap; /* V2 only */
    uint16_t repeatTimes;
    uint8_t addrMode; /* V1 only */
};

struct load_3d_params { /* LoadData3DParamsV2, with the registers the instruction reads */
    uint8_t padList[4]; /* left, right, top, bottom */
    uint16_t l1H, l1W, channelSize, kExtension, mExtension, kStartPt, mStartPt;
    uint8_t strideW, strideH, filterW, filterH, dilationFilterW, dilationFilterH;
    uint8_t enTranspose, enSmallK, filterSizeW, filterSizeH, fMatrixCtrl;
    uint8_t isSetFMatrix, isSetPadding;
    uint8_t repeatTime, repeatMode; /* LoadDataRepeatParam(WithStride) in force */
    uint16_t repeatStride, dstStride;
    uint32_t padValue; /* bit pattern in the dtype */
};

struct mmad_params { /* MmadParams; real element counts */
    uint16_t m, n, k;
    uint8_t unitFlag; /* 0 off, 2 keep, 3 change */
    uint8_t kDirectionAlign, cmatrixSource, cmatrixInitVal, disableGemv;
    uint8_t btype;     /* enum dtype of the right operand; insn.dtype is the left's */
    uint8_t ctype;     /* enum dtype of the result; 0: float or int32 as the operands ask (half: 310P, 910, Kirin) */
    uint32_t biasAddr; /* byte of the bias row in BT */
};

enum fixpipe_format { FIXPIPE_ND = 0, FIXPIPE_NZ, FIXPIPE_DN };

/* QuantMode_t of the documents. */
enum quant_mode {
    QUANT_NONE = 0, /* NoQuant */
    QUANT_F322F16,
    QUANT_F322BF16,
    QUANT_DEQF16,
    QUANT_VDEQF16,
    QUANT_QF322B8_PRE,
    QUANT_VQF322B8_PRE,
    QUANT_REQ8,
    QUANT_VREQ8,
    QUANT_QF322FP8_PRE,
    QUANT_VQF322FP8_PRE,
    QUANT_QF322HIF8_PRE,
    QUANT_VQF322HIF8_PRE,
    QUANT_QF322HIF8_PRE_HYBRID,
    QUANT_VQF322HIF8_PRE_HYBRID,
    QUANT_QS322BF16_PRE,
    QUANT_VQS322BF16_PRE,
    QUANT_QF322F16_PRE,
    QUANT_VQF322F16_PRE,
    QUANT_QF322BF16_PRE,
    QUANT_VQF322BF16_PRE,
    QUANT_QF322F32_PRE,
    QUANT_VQF322F32_PRE,
    QUANT_N
};

struct fixpipe_params { /* FixpipeParamsV220 / FixpipeParamsArch3510 */
    uint16_t mSize, nSize;
    uint16_t srcStride; /* 64 B units */
    uint8_t format;     /* enum fixpipe_format */
    uint8_t arch3510;   /* 1: the 3510 struct (NZ dstStride in elements) */
    uint32_t dstStride;
    uint8_t quantPre; /* enum quant_mode */
    uint8_t dstType;  /* enum dtype; insn.dtype is L0C's */
    uint8_t unitFlag, reluEn, channelSplit, ctrl48;
    uint16_t ndNum, srcNdStride;
    uint32_t dstNdStride;
    uint16_t dnNum, srcNzMatrixStride;
    uint32_t dstDnMatrixStride;
    uint16_t srcNzC0Stride;
    uint64_t deqScalar;
    uint32_t quantAddr; /* byte of the quant row in FB; vector modes only */
};

struct barrier_params {
    uint8_t pipe; /* enum pipe, PIPE_ALL allowed */
};

struct register_params { /* SetHF32Mode, SetMM*Major, SetAtomic*, SetLoadDataPaddingValue */
    uint32_t value, value2;
};

struct insn {
    uint8_t op;     /* enum op */
    uint8_t pipe;   /* enum pipe it runs on */
    uint8_t dtype;  /* enum dtype of the elements moved (Mmad: left operand, Fixpipe: L0C) */
    uint8_t role;   /* enum role */
    uint16_t event; /* flags: INSN_EVENT() */
    uint16_t flags; /* enum insn_flag */
    uint32_t step;  /* index of the step on its core */
    uint32_t reserved;
    struct addr dst, src, src2; /* Mmad: dst L0C, src L0A, src2 L0B; bias row or quant row address derived */
    union {
        struct nd2nz_params nd2nz;
        struct dn2nz_params dn2nz;
        struct data_copy_params copy;
        struct data_copy_pad_params pad;
        struct fill_params fill;
        struct load_2d_params load_2d;
        struct load_2d_v2_params load_2d_v2;
        struct load_mx_params load_mx;
        struct load_transpose_params transpose;
        struct load_3d_params load_3d;
        struct mmad_params mmad;
        struct fixpipe_params fixpipe;
        struct barrier_params barrier;
        struct register_params reg;
        uint64_t words[8];
    } p;
};

static_assert(sizeof(struct addr) == 16, "struct addr is shared by all rooms: 16 B");
static_assert(sizeof(struct insn) == 128, "struct insn is shared by all rooms: 128 B");

const char *op_name(enum op op); /* the vector files' names: "load_data_2d", "nd2nz", "mmad", ... */

#endif
