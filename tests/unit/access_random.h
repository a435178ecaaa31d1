/* access_random.h - random instructions of every op, mostly legal, for the test
 * of the access sets: small shapes at random places, gaps wide enough that one
 * instruction rarely overwrites what it has just written. */
#ifndef TESTS_ACCESS_RANDOM_H
#define TESTS_ACCESS_RANDOM_H

#include "engine_fixture.h"

static inline int64_t pick(struct rng *r, int64_t lo, int64_t hi)
{
    return rng_between(r, lo, hi);
}

static inline enum dtype pick_dtype(struct rng *r, const enum dtype *list)
{
    int n = 0;
    while (list[n] != DTYPE_NONE) {
        n++;
    }
    return list[pick(r, 0, n - 1)];
}

static const enum dtype wide[] = {DTYPE_INT8, DTYPE_HALF, DTYPE_FLOAT, DTYPE_NONE};
static const enum dtype halves[] = {DTYPE_HALF, DTYPE_FLOAT, DTYPE_NONE};
static const enum dtype fp8[] = {DTYPE_FP8_E4M3, DTYPE_FP4_E2M1, DTYPE_NONE};

static inline struct addr on_chip(struct rng *r, enum buffer buf, int64_t align, int64_t below)
{
    return at(buf, pick(r, 0, below / align) * align);
}

static inline struct addr load_dst(struct rng *r)
{
    return on_chip(r, pick(r, 0, 1) == 0 ? BUF_L0A : BUF_L0B, 512, 8192);
}

static inline struct insn random_copy(enum op op, struct rng *r)
{
    struct insn in = make(op, pick_dtype(r, wide), on_chip(r, BUF_L1, 32, 65536), at_gm(TENSOR_A, pick(r, 0, 999)));
    if (op == OP_ND2NZ) {
        in.p.nd2nz = (struct nd2nz_params){.ndNum = (uint32_t)pick(r, 1, 3),
                                           .nValue = (uint32_t)pick(r, 0, 20),
                                           .dValue = (uint32_t)pick(r, 1, 90),
                                           .srcNdMatrixStride = pick(r, 0, 3000),
                                           .srcDValue = pick(r, 90, 200),
                                           .dstNzC0Stride = (uint32_t)pick(r, 20, 40),
                                           .dstNzNStride = 1,
                                           .dstNzMatrixStride = (uint32_t)pick(r, 0, 300) * 32};
    } else if (op == OP_DN2NZ) {
        in.p.dn2nz = (struct dn2nz_params){.dnNum = (uint32_t)pick(r, 1, 3),
                                           .nValue = (uint32_t)pick(r, 1, 20),
                                           .dValue = (uint32_t)pick(r, 1, 60),
                                           .srcDnMatrixStride = pick(r, 0, 3000),
                                           .srcDValue = pick(r, 20, 60),
                                           .dstNzC0Stride = (uint32_t)pick(r, 20, 40),
                                           .dstNzNStride = (uint32_t)pick(r, 1, 2),
                                           .dstNzMatrixStride = (uint32_t)pick(r, 0, 300) * 32};
    } else if (op == OP_DATA_COPY) {
        in.p.copy = (struct data_copy_params){(uint32_t)pick(r, 0, 9), (uint32_t)pick(r, 0, 9), (uint32_t)pick(r, 0, 9),
                                              (uint32_t)pick(r, 0, 9), 0};
    } else {
        in.p.pad = (struct data_copy_pad_params){.blockCount = (uint32_t)pick(r, 1, 6),
                                                 .blockLen = (uint32_t)pick(r, 1, 100) * 4,
                                                 .srcStride = pick(r, 0, 40),
                                                 .dstStride = (uint32_t)pick(r, 0, 5),
                                                 .isPad = (uint8_t)pick(r, 0, 1),
                                                 .leftPadding = (uint8_t)pick(r, 0, 4),
                                                 .rightPadding = (uint8_t)pick(r, 0, 4),
                                                 .paddingMode = (uint8_t)pick(r, 0, 1),
                                                 .paddingValue = 0x5A5A5A5A};
    }
    return in;
}

static inline struct insn random_fill(enum op op, struct rng *r)
{
    const struct addr dst = pick(r, 0, 1) == 0 ? on_chip(r, BUF_L1, 32, 65536) : load_dst(r);
    struct insn in = make(op, pick_dtype(r, halves), dst, at(BUF_GM, 0));
    in.p.fill = (struct fill_params){(uint32_t)pick(r, 0, 5), (uint32_t)pick(r, 0, 5), (uint32_t)pick(r, 0, 5),
                                     0x11223344};
    return in;
}

static inline struct insn random_load(enum op op, struct rng *r)
{
    struct insn in = make(op, op == OP_LOAD_MX ? pick_dtype(r, fp8) : pick_dtype(r, wide), load_dst(r),
                          on_chip(r, BUF_L1, 32, 65536));
    struct load_2d_v2_params v2 = {.mStartPosition = (uint32_t)pick(r, 0, 5),
                                   .kStartPosition = (uint32_t)pick(r, 0, 5),
                                   .mStep = (uint16_t)(pick(r, 0, 3) * 4),
                                   .kStep = (uint16_t)(pick(r, 0, 4) * 2),
                                   .srcStride = (int32_t)pick(r, 12, 20),
                                   .dstStride = (uint32_t)pick(r, 32, 40),
                                   .ifTranspose = (uint8_t)pick(r, 0, 1)};
    in.dst.byte = in.dst.byte / 2048 * 512;
    if (op == OP_LOAD_2D) {
        in.p.load_2d = (struct load_2d_params){.startIndex = (uint32_t)pick(r, 0, 9),
                                               .repeatTimes = (uint16_t)pick(r, 0, 9),
                                               .srcStride = (uint32_t)pick(r, 0, 9),
                                               .dstGap = (uint32_t)pick(r, 0, 3),
                                               .ifTranspose = (uint8_t)(in.dtype == DTYPE_HALF ? pick(r, 0, 1) : 0)};
    } else if (op == OP_LOAD_2D_V2) {
        in.p.load_2d_v2 = v2;
    } else if (op == OP_LOAD_MX) {
        in.src2 = on_chip(r, BUF_L1, 32, 65536);
        in.p.load_mx = (struct load_mx_params){.data = v2,
                                               .xStartPosition = (uint32_t)pick(r, 0, 3),
                                               .yStartPosition = (uint32_t)pick(r, 0, 3),
                                               .xStep = (uint16_t)pick(r, 0, 4),
                                               .yStep = (uint16_t)pick(r, 0, 4),
                                               .srcStride = (int32_t)pick(r, 4, 9),
                                               .dstStride = (uint32_t)pick(r, 4, 9)};
    } else {
        in.p.transpose = (struct load_transpose_params){
            .startIndex = (uint32_t)pick(r, 20, 29),
            .srcStride = (uint32_t)pick(r, 1, 4),
            .dstGap = (uint32_t)pick(r, 4, 6),
            .dstFracGap = 0,
            .srcFracGap = (uint32_t)(op == OP_LOAD_TRANSPOSE_V2 ? pick(r, 0, 2) : 0),
            .repeatTimes = (uint16_t)pick(r, 0, 5),
            .addrMode = (uint8_t)pick(r, 0, 1)};
    }
    return in;
}

static inline struct insn random_3d(enum op op, struct rng *r)
{
    struct insn in = make(op, pick_dtype(r, wide), load_dst(r), on_chip(r, BUF_L1, 32, 65536));
    const int64_t c0 = dtype_c0((enum dtype)in.dtype);
    struct load_3d_params *p = &in.p.load_3d;
    p->l1H = (uint16_t)pick(r, 1, 9);
    p->l1W = (uint16_t)pick(r, 4, 40);
    p->channelSize = (uint16_t)(pick(r, 1, 4) * c0 + (pick(r, 0, 3) == 0 ? c0 / 2 : 0));
    p->filterW = (uint8_t)pick(r, 1, 3);
    p->filterH = (uint8_t)pick(r, 1, p->l1H < 3 ? p->l1H : 3);
    p->strideW = (uint8_t)pick(r, 1, 2);
    p->strideH = (uint8_t)pick(r, 1, 2);
    for (int i = 0; i < 4; i++) {
        p->padList[i] = (uint8_t)pick(r, 0, 1);
    }
    p->mExtension = (uint16_t)(pick(r, 1, 4) * (c0 > 16 ? c0 : 16));
    p->kExtension = (uint16_t)(pick(r, 1, 5) * c0);
    p->mStartPt = (uint16_t)pick(r, 0, 12);
    p->kStartPt = (uint16_t)(pick(r, 0, 2) * c0);
    p->enTranspose = (uint8_t)pick(r, 0, 1);
    p->repeatTime = (uint8_t)pick(r, 1, 2);
    p->repeatMode = (uint8_t)pick(r, 0, 1);
    p->repeatStride = (uint16_t)pick(r, 0, 3);
    p->dstStride = (uint16_t)pick(r, 20, 30);
    return in;
}

static inline struct insn random_row(enum op op, struct rng *r)
{
    struct insn in = make(op, op == OP_L1_TO_BT ? pick_dtype(r, halves) : DTYPE_UINT64,
                          op == OP_L1_TO_BT ? on_chip(r, BUF_BT, 64, 128) : on_chip(r, BUF_FB, 128, 256),
                          on_chip(r, BUF_L1, 32, 65536));
    in.p.copy = (struct data_copy_params){(uint32_t)pick(r, 0, 2), (uint32_t)pick(r, 0, 3), (uint32_t)pick(r, 12, 14),
                                          (uint32_t)pick(r, 3, 4), DTYPE_FLOAT};
    return in;
}

static inline struct insn random_mmad(enum op op, struct rng *r)
{
    static const enum dtype mx[] = {DTYPE_FP8_E4M3, DTYPE_NONE};
    struct insn in = make(op, pick_dtype(r, op == OP_MMAD ? wide : mx), on_chip(r, BUF_L0C, 1024, 8192),
                          on_chip(r, BUF_L0A, 1024, 8192));
    in.src2 = on_chip(r, BUF_L0B, 1024, 8192);
    struct mmad_params *p = &in.p.mmad;
    p->m = (uint16_t)(pick(r, 0, 4) == 0 ? 1 : pick(r, 1, 50));
    p->n = (uint16_t)pick(r, 1, 50);
    p->k = (uint16_t)(op == OP_MMAD ? pick(r, 1, 70) : pick(r, 1, 2) * 64);
    p->btype = in.dtype;
    p->cmatrixInitVal = (uint8_t)pick(r, 0, 1);
    p->cmatrixSource = (uint8_t)pick(r, 0, 1);
    p->kDirectionAlign = (uint8_t)(in.dtype == DTYPE_FLOAT ? pick(r, 0, 1) : 0);
    p->disableGemv = (uint8_t)pick(r, 0, 1);
    p->biasAddr = (uint32_t)pick(r, 0, 3) * 64;
    return in;
}

static inline struct insn random_fixpipe(enum op op, struct rng *r)
{
    const enum fixpipe_format format = (enum fixpipe_format)pick(r, 0, 2);
    const bool to_l1 = format == FIXPIPE_NZ && pick(r, 0, 1) == 0;
    struct insn in = make(op, DTYPE_FLOAT, to_l1 ? on_chip(r, BUF_L1, 32, 65536) : at_gm(TENSOR_C, pick(r, 0, 9) * 32),
                          on_chip(r, BUF_L0C, 64, 8192));
    struct fixpipe_params *p = &in.p.fixpipe;
    p->format = (uint8_t)format;
    p->arch3510 = (uint8_t)pick(r, 0, 1);
    p->mSize = (uint16_t)pick(r, 1, 40);
    p->nSize = (uint16_t)pick(r, 1, 60);
    p->srcStride = (uint16_t)pick(r, 40, 60);
    static const struct {
        uint8_t quant, dst;
    } modes[] = {{QUANT_NONE, DTYPE_FLOAT},
                 {QUANT_F322F16, DTYPE_HALF},
                 {QUANT_QF322B8_PRE, DTYPE_INT8},
                 {QUANT_VQF322B8_PRE, DTYPE_INT8}};
    const int64_t mode = pick(r, 0, 3);
    p->quantPre = modes[mode].quant;
    p->dstType = modes[mode].dst;
    p->deqScalar = 0x3F800000;
    p->quantAddr = 128;
    p->channelSplit = (uint8_t)(format == FIXPIPE_NZ && p->dstType == DTYPE_FLOAT ? pick(r, 0, 1) : 0);
    p->dstStride = (uint32_t)(format == FIXPIPE_NZ ? pick(r, 2500, 2600) / 32 * 32 : pick(r, 60, 90));
    p->ndNum = p->dnNum = (uint16_t)(format == FIXPIPE_NZ ? 1 : pick(r, 1, 3));
    p->srcNdStride = (uint16_t)pick(r, 1, 9);
    p->srcNzMatrixStride = (uint16_t)pick(r, 1, 99);
    p->dstNdStride = p->dstDnMatrixStride = 5500;
    p->srcNzC0Stride = 1;
    return in;
}

#endif
