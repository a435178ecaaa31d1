/* reference_ends.c - what surrounds the products: MX scales before them, the
 * bias they start from, and what Fixpipe makes of their sum.
 *
 * Written from the documents (kernel_rules.md 6, 7), independent of the
 * engine's quant.c: that one converts words of any kind, this one reads the
 * problem. Factors have few bits, so each product here is exact in double and
 * the dtype's own rounding is the only one. */
#include "engine/reference_kernel.h"

#include <math.h>

#include "base/intmath.h"
#include "numeric/fp.h"

void reference_scale(const struct problem *p, enum tensor scales, int64_t batch, int64_t mn, int64_t k0, int64_t k,
                     float *values, int64_t stride)
{
    for (int64_t i = 0; i < k;) {
        const int64_t code = (k0 + i) / 32, end = min_i64(k, (code + 1) * 32 - k0);
        const float scale = problem_scale(p, scales, batch, mn, code);
        for (; i < end; i++) {
            values[i * stride] *= scale;
        }
    }
}

void reference_bias(const struct problem *p, const struct c_block *block, float *row)
{
    problem_row_values(p, TENSOR_BIAS, block->batch, block->n0, block->n, row);
}

static bool has_factor(const struct problem *p, enum dtype dtype)
{
    const bool from_float = dtype_info(p->a.dtype)->is_float;
    if (p->quant.dtype != DTYPE_NONE) {
        return true;
    }
    /* These leave as accumulated or by a mere cast. */
    return from_float ? dtype != DTYPE_FLOAT && dtype != DTYPE_HALF && dtype != DTYPE_BF16
                      : dtype != DTYPE_INT32 && dtype != DTYPE_UINT32;
}

/* Bits 31..13 of a scale word. */
static float factor_of(uint64_t word)
{
    return float_from_bits((uint32_t)word & 0xFFFFE000U);
}

double reference_factor(const struct problem *p, enum dtype dtype, int64_t batch, int64_t col)
{
    if (!has_factor(p, dtype)) {
        return 1.0;
    }
    return (double)factor_of(p->quant.dtype != DTYPE_NONE ? problem_quant_word(p, batch, col) : problem_scale_word(p));
}

/* The number of `dtype` nearest to `v`, from the exact product by one rounding:
 * ties to even, for hif8 away from zero. What is too large the store saturates. */
static float round_once(enum dtype dtype, double v)
{
    static const struct {
        enum dtype dtype;
        int lowest, mantissa; /* exponent of the smallest normal number, bits */
    } formats[] = {{DTYPE_HALF, -14, 10}, {DTYPE_BF16, -126, 7}, {DTYPE_FP8_E4M3, -6, 3}, {DTYPE_HIF8, -22, 0}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0] && v != 0; i++) {
        if (formats[i].dtype != dtype) {
            continue;
        }
        const int e = ilogb(v), size = e < 0 ? -e : e;
        int mantissa = formats[i].mantissa;
        if (dtype == DTYPE_HIF8 && size <= 15) { /* the nearer to 1, the more bits */
            mantissa = size < 4 ? 3 : size < 8 ? 2 : 1;
        }
        const double place = ldexp(1.0, (e < formats[i].lowest ? formats[i].lowest : e) - mantissa),
                     in_places = v / place;
        const double away = copysign(floor(fabs(in_places) + 0.5), v);
        return (float)((dtype == DTYPE_HIF8 ? away : nearbyint(in_places)) * place);
    }
    return (float)v;
}

void reference_convert(const struct problem *p, const struct c_block *block, enum dtype dtype, const int64_t *sums,
                       float *row)
{
    const bool factors = has_factor(p, dtype);
    const bool b8 = dtype == DTYPE_INT8 || dtype == DTYPE_UINT8;
    for (int64_t j = 0; j < block->n && (factors || p->relu); j++) {
        double v = sums != NULL ? (double)sums[j] : (double)row[j];
        if (factors) { /* 11 bits times 32: exact */
            v *= reference_factor(p, dtype, block->batch, block->n0 + j);
        }
        if (p->relu && v <= 0) {
            v = 0;
        }
        if (b8) { /* clamped to 9 bits, then rounded; the last clamp is the dtype's */
            v = nearbyint(v < -256 ? -256 : v > 255 ? 255 : v);
        }
        row[j] = round_once(dtype, v);
    }
}
