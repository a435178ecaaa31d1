/* dtypes.c - choosing rows of the documents' dtype tables. */
#include "tiling/dtypes.h"

/* How an accumulator becomes a result, and with which modes: with no scale,
 * one scale, one scale a column. QUANT_N: no such mode. */
static const struct {
    enum dtype acc, out;
    enum quant_mode plain, scalar, vector;
} CONVERSIONS[] = {
    {DTYPE_FLOAT, DTYPE_FLOAT, QUANT_NONE, QUANT_QF322F32_PRE, QUANT_VQF322F32_PRE},
    {DTYPE_INT32, DTYPE_INT32, QUANT_NONE, QUANT_N, QUANT_N},
    {DTYPE_UINT32, DTYPE_UINT32, QUANT_NONE, QUANT_N, QUANT_N},
    {DTYPE_FLOAT, DTYPE_HALF, QUANT_F322F16, QUANT_QF322F16_PRE, QUANT_VQF322F16_PRE},
    {DTYPE_FLOAT, DTYPE_BF16, QUANT_F322BF16, QUANT_QF322BF16_PRE, QUANT_VQF322BF16_PRE},
    {DTYPE_FLOAT, DTYPE_INT8, QUANT_N, QUANT_QF322B8_PRE, QUANT_VQF322B8_PRE},
    {DTYPE_FLOAT, DTYPE_UINT8, QUANT_N, QUANT_QF322B8_PRE, QUANT_VQF322B8_PRE},
    {DTYPE_FLOAT, DTYPE_FP8_E4M3, QUANT_N, QUANT_QF322FP8_PRE, QUANT_VQF322FP8_PRE},
    {DTYPE_FLOAT, DTYPE_HIF8, QUANT_N, QUANT_QF322HIF8_PRE, QUANT_VQF322HIF8_PRE},
    {DTYPE_INT32, DTYPE_HALF, QUANT_N, QUANT_DEQF16, QUANT_VDEQF16},
    {DTYPE_INT32, DTYPE_BF16, QUANT_N, QUANT_QS322BF16_PRE, QUANT_VQS322BF16_PRE},
    {DTYPE_INT32, DTYPE_INT8, QUANT_N, QUANT_REQ8, QUANT_VREQ8},
    {DTYPE_INT32, DTYPE_UINT8, QUANT_N, QUANT_REQ8, QUANT_VREQ8},
    /* Kirin accumulates half, its Fixpipe table names float: stored as it is (A33). */
    {DTYPE_HALF, DTYPE_HALF, QUANT_NONE, QUANT_N, QUANT_N},
};

const struct mmad_triple *dtypes_triple(const struct target *target, const struct problem *p)
{
    if (p->a.mx != p->b.mx || target->rate[p->a.dtype] <= 0) {
        return NULL;
    }
    /* Rows with float accumulators stand before those with half ones. */
    return mmad_triple_find(target->product, p->a.mx, p->a.dtype, p->b.dtype, DTYPE_NONE);
}

bool dtypes_bias_offered(const struct target *target, const struct mmad_triple *form, enum dtype bias)
{
    return dtypes_bias_of(target->product, form, bias);
}

bool dtypes_bias_of(enum product product, const struct mmad_triple *form, enum dtype bias)
{
    if (form->bias != DTYPE_FLOAT) {
        return form->bias != DTYPE_NONE && bias == (enum dtype)form->bias;
    }
    /* L1->BT converts half, on 950 bf16 too. */
    return bias == DTYPE_FLOAT || bias == DTYPE_HALF || (bias == DTYPE_BF16 && product == PRODUCT_ASCEND950);
}

static bool offered(enum product product, enum quant_mode mode)
{
    return mode != QUANT_N && fixpipe_mode_supported(product, mode);
}

enum quant_mode dtypes_conversion(const struct target *target, enum dtype acc, enum dtype out, bool vector)
{
    return dtypes_conversion_of(target->product, acc, out, vector);
}

enum quant_mode dtypes_conversion_of(enum product product, enum dtype acc, enum dtype out, bool vector)
{
    for (size_t i = 0; i < sizeof CONVERSIONS / sizeof CONVERSIONS[0]; i++) {
        if (CONVERSIONS[i].acc != acc || CONVERSIONS[i].out != out) {
            continue;
        }
        if (vector) {
            return offered(product, CONVERSIONS[i].vector) ? CONVERSIONS[i].vector : QUANT_N;
        }
        return offered(product, CONVERSIONS[i].plain)    ? CONVERSIONS[i].plain
               : offered(product, CONVERSIONS[i].scalar) ? CONVERSIONS[i].scalar
                                                         : QUANT_N;
    }
    return QUANT_N;
}

bool dtypes_unitflag_offered(const struct target *target)
{
    return target->product == PRODUCT_ASCEND950 || target->product == PRODUCT_ASCEND910B ||
           target->product == PRODUCT_ATLAS_A3;
}

int dtypes_l0c_bytes(const struct target *target, const struct mmad_triple *form)
{
    const bool kirin = target->product == PRODUCT_KIRIN_X90 || target->product == PRODUCT_KIRIN_9030;
    return form != NULL && form->c == DTYPE_HALF && kirin ? 2 : 4;
}
