/* reference_ends.c - what surrounds the products: MX scales before them, the
 * bias they start from, and what Fixpipe makes of their sum.
 *
 * Written from the documents (kernel_rules.md 6, 7), independent of the
 * engine's quant.c: that one converts words of any kind, this one reads the
 * problem. Factors have few bits and sums are small, so each product here is
 * exact in float and the dtype's own rounding is the only one. */
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

void reference_convert(const struct problem *p, const struct c_block *block, enum dtype dtype, float *row)
{
    const bool factors = has_factor(p, dtype), vector = p->quant.dtype != DTYPE_NONE;
    const bool b8 = dtype == DTYPE_INT8 || dtype == DTYPE_UINT8;
    for (int64_t j = 0; j < block->n && (factors || p->relu); j++) {
        float v = row[j];
        if (factors) {
            v *= factor_of(vector ? problem_quant_word(p, block->batch, block->n0 + j) : problem_scale_word(p));
        }
        if (p->relu && v <= 0) {
            v = 0;
        }
        if (b8) { /* clamped to 9 bits, then rounded; the last clamp is the dtype's */
            v = rintf(v < -256 ? -256 : v > 255 ? 255 : v);
        }
        row[j] = v;
    }
}
