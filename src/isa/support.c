#include "isa/support.h"

#define P(name) (1U << PRODUCT_##name)
#define D(name) (1U << DTYPE_##name)
#define T(name) (1U << PATH_##name)

enum {
    ANY_PRODUCT = (1U << PRODUCT_N) - 1,
    A2 = P(ASCEND910B) | P(ATLAS_A3),
    B4 = D(INT4) | D(FP4_E2M1) | D(FP4_E1M2),
    FP4 = D(FP4_E2M1) | D(FP4_E1M2),
    I8 = D(INT8) | D(UINT8),
    FP8 = D(FP8_E4M3) | D(FP8_E5M2),
    F16 = D(HALF) | D(BF16),
    B16 = F16 | D(INT16) | D(UINT16),
    B32 = D(FLOAT) | D(INT32) | D(UINT32),
    B8_16_32 = I8 | B16 | B32,
    TO_L0 = T(L1_L0A) | T(L1_L0B),
    GM_TO_L0 = T(GM_L0A) | T(GM_L0B),
    OLD = I8 | D(INT16) | D(UINT16) | D(HALF), /* 310P, 910: no bf16, no b32 */
    COPY = B4 | I8 | FP8 | D(HIF8) | D(E8M0) | B16 | B32 | D(UINT64)
};

static const struct support_row rows[] = {
    /* LoadData 2D */
    {OP_LOAD_2D, false, P(ASCEND950), T(GM_L1) | TO_L0, B8_16_32},
    {OP_LOAD_2D, false, A2, T(GM_L1) | GM_TO_L0 | TO_L0, B8_16_32},
    {OP_LOAD_2D, false, A2, TO_L0, D(INT4)},
    {OP_LOAD_2D, false, P(ASCEND310B), T(GM_L1) | GM_TO_L0 | TO_L0, B8_16_32},
    {OP_LOAD_2D, false, P(ASCEND310P), T(GM_L1) | GM_TO_L0 | TO_L0, OLD},
    {OP_LOAD_2D, false, P(ASCEND310P), TO_L0, D(INT4)},
    {OP_LOAD_2D, false, P(ASCEND910), T(GM_L1) | GM_TO_L0 | TO_L0, OLD},
    {OP_LOAD_2D, false, P(KIRIN_X90), T(GM_L1) | GM_TO_L0 | TO_L0, D(INT8) | D(HALF)},
    {OP_LOAD_2D, false, P(KIRIN_9030), T(GM_L1) | GM_TO_L0 | TO_L0, D(HALF)},
    {OP_LOAD_2D_V2, false, P(ASCEND950), T(GM_L1) | TO_L0, I8 | FP4 | FP8 | D(HIF8) | F16 | B32},
    /* LoadDataWithTranspose; "b16" leaves out the integers */
    {OP_LOAD_TRANSPOSE, false, P(ASCEND950), T(L1_L0B), I8 | F16 | B32},
    {OP_LOAD_TRANSPOSE, false, A2 | P(ASCEND310B), TO_L0, I8 | F16 | B32},
    {OP_LOAD_TRANSPOSE, false, A2 | P(ASCEND310B), T(L1_L0B), D(INT4)},
    {OP_LOAD_TRANSPOSE, false, P(KIRIN_X90), TO_L0, D(INT8) | D(HALF)},
    {OP_LOAD_TRANSPOSE_V2, false, P(ASCEND950), T(L1_L0B), I8 | F16 | B32},
    /* asc_copy_l12l0a_trans, asc_copy_l12l0b_trans */
    {OP_LOAD_TRANSPOSE, true, A2, TO_L0, I8 | F16 | B32},
    {OP_LOAD_TRANSPOSE_V2, true, P(ASCEND950), T(L1_L0B), B4 | I8 | FP8 | D(HIF8) | F16 | B32},
    {OP_LOAD_MX, false, P(ASCEND950), TO_L0, FP4 | FP8},
    /* LoadData 3D V2 */
    {OP_LOAD_3D, false, P(ASCEND950), TO_L0, I8 | FP8 | D(HIF8) | F16 | B32},
    {OP_LOAD_3D, false, A2 | P(ASCEND310B), T(L1_L0A), D(INT4) | I8 | F16 | B32},
    {OP_LOAD_3D, false, A2 | P(ASCEND310B), T(L1_L0B), F16 | B32},
    {OP_LOAD_3D, false, P(ASCEND310P), TO_L0, D(INT4) | I8 | D(HALF)},
    {OP_LOAD_3D, false, P(KIRIN_X90), TO_L0, D(INT8) | D(HALF)},
    {OP_LOAD_3D_STRIDE, false, P(ASCEND950), T(L1_L0A), I8 | FP8 | D(HIF8) | F16 | B32},
    {OP_LOAD_3D_STRIDE, false, P(ASCEND950), T(L1_L0B), F16 | B32}, /* A9: the page's own sample loads b8 */
    /* copies */
    {OP_ND2NZ, false, ANY_PRODUCT, T(GM_L1), COPY},
    {OP_DN2NZ, false, P(ASCEND950), T(GM_L1), COPY},
    {OP_DATA_COPY, false, ANY_PRODUCT, T(GM_L1), COPY},
    {OP_DATA_COPY_PAD, false, P(ASCEND950), T(GM_L1), COPY},
    {OP_L1_TO_BT, false, P(ASCEND950), T(L1_BT), F16 | D(FLOAT) | D(INT32)},
    {OP_L1_TO_BT, false, A2 | P(ASCEND310B) | P(KIRIN_X90) | P(KIRIN_9030), T(L1_BT), D(HALF) | D(FLOAT) | D(INT32)},
    {OP_L1_TO_FB, false, P(ASCEND950) | A2 | P(ASCEND310B), T(L1_FB), D(UINT64)},
    {OP_FIXPIPE, false, P(ASCEND950) | A2 | P(ASCEND310B), T(L0C_GM) | T(L0C_L1), D(FLOAT) | D(INT32)},
    {OP_FIXPIPE, false, P(ASCEND950), T(L0C_UB), D(FLOAT) | D(INT32)},
    {OP_FIXPIPE, false, P(KIRIN_X90) | P(KIRIN_9030), T(L0C_GM) | T(L0C_L1), D(FLOAT) | D(INT32) | D(HALF)},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

uint32_t support_dtypes(enum op op, bool c_api, enum product product, enum path path)
{
    uint32_t dtypes = 0;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct support_row *r = &rows[i];
        if (r->op == op && r->c_api == c_api && (r->products >> product & 1U) != 0 && path < PATH_N &&
            (r->paths >> path & 1U) != 0) {
            dtypes |= r->dtypes;
        }
    }
    return dtypes;
}

enum support support_find(enum op op, bool c_api, enum product product, enum path path, enum dtype dtype)
{
    bool target = false;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        target = target || (rows[i].op == op && rows[i].c_api == c_api && (rows[i].products >> product & 1U) != 0);
    }
    if (!target) {
        return SUPPORT_NO_TARGET;
    }
    const uint32_t dtypes = support_dtypes(op, c_api, product, path);
    if (dtypes == 0) {
        return SUPPORT_NO_PATH;
    }
    return (dtypes >> dtype & 1U) != 0 ? SUPPORT_OK : SUPPORT_NO_DTYPE;
}

#define TRIPLE(products, mx, a, b, c, bias)                         \
    {                                                               \
        products, mx, DTYPE_##a, DTYPE_##b, DTYPE_##c, DTYPE_##bias \
    }

static const struct mmad_triple triples[] = {
    TRIPLE(P(ASCEND950) | A2 | P(ASCEND310B) | P(KIRIN_X90), false, INT8, INT8, INT32, INT32),
    TRIPLE(P(ASCEND310P) | P(ASCEND910), false, INT8, INT8, INT32, NONE),
    TRIPLE(P(ASCEND950) | A2 | P(ASCEND310B), false, HALF, HALF, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950) | A2 | P(ASCEND310B), false, BF16, BF16, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950) | A2 | P(ASCEND310B), false, FLOAT, FLOAT, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950), false, FP8_E4M3, FP8_E4M3, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950), false, FP8_E4M3, FP8_E5M2, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950), false, FP8_E5M2, FP8_E4M3, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950), false, FP8_E5M2, FP8_E5M2, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950), false, HIF8, HIF8, FLOAT, FLOAT),
    TRIPLE(A2 | P(ASCEND310B) | P(ASCEND310P), false, INT4, INT4, INT32, NONE),
    TRIPLE(P(ASCEND310P) | P(ASCEND910), false, UINT8, INT8, INT32, NONE),
    TRIPLE(P(ASCEND310P), false, UINT8, UINT8, INT32, NONE),
    TRIPLE(P(ASCEND910), false, UINT8, UINT8, UINT32, NONE),
    TRIPLE(P(ASCEND310P) | P(ASCEND910), false, HALF, HALF, FLOAT, NONE),
    TRIPLE(P(ASCEND310P) | P(ASCEND910), false, HALF, HALF, HALF, NONE),
    TRIPLE(P(KIRIN_X90), false, HALF, HALF, HALF, HALF),
    TRIPLE(P(KIRIN_9030), false, HALF, HALF, HALF, NONE), /* A33: a table lists bias half, the list denies it */
    TRIPLE(P(ASCEND950), true, FP4_E2M1, FP4_E2M1, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950), true, FP4_E2M1, FP4_E1M2, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950), true, FP4_E1M2, FP4_E2M1, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950), true, FP4_E1M2, FP4_E1M2, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950), true, FP8_E4M3, FP8_E4M3, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950), true, FP8_E4M3, FP8_E5M2, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950), true, FP8_E5M2, FP8_E4M3, FLOAT, FLOAT),
    TRIPLE(P(ASCEND950), true, FP8_E5M2, FP8_E5M2, FLOAT, FLOAT),
};

const struct mmad_triple *mmad_triples(size_t *count)
{
    *count = sizeof triples / sizeof triples[0];
    return triples;
}

const struct mmad_triple *mmad_triple_find(enum product product, bool mx, enum dtype a, enum dtype b, enum dtype c)
{
    for (size_t i = 0; i < sizeof triples / sizeof triples[0]; i++) {
        const struct mmad_triple *t = &triples[i];
        if (t->mx == mx && t->a == a && t->b == b && (c == DTYPE_NONE || t->c == c) &&
            (product == PRODUCT_N || (t->products >> product & 1U) != 0)) {
            return t;
        }
    }
    return NULL;
}

bool fixpipe_mode_supported(enum product product, enum quant_mode mode)
{
    switch (product) {
    case PRODUCT_ASCEND950:
        return mode < QUANT_N;
    case PRODUCT_ATLAS_A3:
    case PRODUCT_ASCEND910B:
    case PRODUCT_ASCEND310B:
        return mode <= QUANT_VREQ8;
    case PRODUCT_KIRIN_X90:
        return mode != QUANT_F322BF16 && mode <= QUANT_VREQ8;
    case PRODUCT_KIRIN_9030:
        return mode == QUANT_NONE || mode == QUANT_F322F16 || mode == QUANT_DEQF16 || mode == QUANT_VDEQF16;
    case PRODUCT_ASCEND310P:
    case PRODUCT_ASCEND910:
    case PRODUCT_N:
        break;
    }
    return false;
}
