/* reference_kernel.h - inner loops of the reference, at a given vector width.
 *
 * Each element's sum takes its products in ascending k whatever the width, so
 * all widths give the same bits. Here for tests, which force each width. */
#ifndef ENGINE_REFERENCE_KERNEL_H
#define ENGINE_REFERENCE_KERNEL_H

#include "engine/reference.h"
#include "problem/gm_kernel.h"

enum {
    REFERENCE_ROWS = 8,  /* rows of a register block */
    REFERENCE_COLS = 32, /* columns of a panel of B */
    REFERENCE_K = 128    /* k of a panel: 16 KiB of B stay in any L1 */
};

/* For 8 rows and 32 columns: acc[r * pitch + j] += a[r * REFERENCE_K + kk] * b[kk * 32 + j],
 * kk = 0 .. k-1. `fused` only where every product is exact in float. */
struct reference_block {
    const float *a, *b;
    float *acc;
    int64_t pitch, k;
    bool fused;
};
void reference_multiply(enum gm_isa isa, const struct reference_block *x);

/* dtype_store() of a row of floats. STATUS_UNSUPPORTED: less than a byte an element. */
enum status reference_store(enum gm_isa isa, enum dtype dtype, const float *values, int64_t n, uint8_t *out);

/* The sum's part around the products (reference_ends.c). */
/* MX: a[0..k) are row m of op(A) (column n of op(B)) from k0 on; each becomes a
 * times its scale, exactly. `stride`: from one k to the next. */
void reference_scale(const struct problem *p, enum tensor scales, int64_t batch, int64_t mn, int64_t k0, int64_t k,
                     float *values, int64_t stride);
/* Start values of a row of the block. */
void reference_bias(const struct problem *p, const struct c_block *block, float *row);
/* Fixpipe's factors, relu and offset of a row of sums, rounded to `dtype`. `sums`
 * holds them where they are integers too large for float; else NULL, and they
 * are in `row`. Without factors and relu the row is left as it is. */
void reference_convert(const struct problem *p, const struct c_block *block, enum dtype dtype, const int64_t *sums,
                       float *row);
/* The factor reference_convert() multiplies column `col` by; 1 where there is none. */
double reference_factor(const struct problem *p, enum dtype dtype, int64_t batch, int64_t col);
/* May an fma stand for a product and a sum? Where every product of two elements
 * is exact and stays normal. */
bool reference_fused(const struct problem *p);
/* Are the sums integers that float does not hold? */
bool reference_wide(const struct problem *p);
/* Stores a row of sums as `dtype`; `sums` as above. */
enum status reference_store_row(enum gm_isa isa, const struct problem *p, const struct c_block *block, enum dtype dtype,
                                const int64_t *sums, float *row, uint8_t *out);

/* reference_matmul at a given width, <= gm_isa_best(). */
enum status reference_matmul_with(enum gm_isa isa, const struct problem *p, const struct c_block *block,
                                  enum dtype dtype, const struct k_range *ranges, int count, struct arena *arena,
                                  uint8_t *out);

#endif
