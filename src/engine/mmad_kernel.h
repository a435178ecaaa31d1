/* mmad_kernel.h - the inner products of Mmad on unpacked panels.
 *
 * C[r][c] = fl(C[r][c] + fl(A[r][k] * B[k][c])) for k = 0, 1, ..: one
 * accumulator an element, k ascending, so every kernel gives the same bits.
 * `fused` may be set only where all products are exact in float: then an fma
 * rounds the same sum once and nothing changes.  Every nan stored is
 * FP_NAN_BITS, because which nan an addition hands on differs between
 * processors. */
#ifndef ENGINE_MMAD_KERNEL_H
#define ENGINE_MMAD_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "numeric/dtype.h"
#include "target/target.h"

enum mmad_isa { MMAD_SCALAR = 0, MMAD_AVX2, MMAD_AVX512, MMAD_ISA_N };

/* The best kernel of this processor. */
enum mmad_isa mmad_isa_best(void);
const char *mmad_isa_name(enum mmad_isa isa);

enum { PANEL = 16 }; /* columns of a panel: one fractal of L0C */

/* Floats: a[r * lda + k], b[p * b_panel + k * 16 + c], c[p * c_panel + r * 16 + c]. */
struct mmad_float {
    const float *a, *b;
    float *c;
    int64_t lda, b_panel, c_panel; /* in floats */
    int64_t m, n, k;               /* valid extents; panels = ceil(n / 16) */
    bool fused;
};

/* Integers in pairs of k (zero padded to even): a[r * lda + k],
 * b[p * b_panel + (k / 2) * 32 + c * 2 + k % 2]. Sums wrap modulo 2^32. */
struct mmad_int {
    const int16_t *a, *b;
    int32_t *c;
    int64_t lda, b_panel, c_panel;
    int64_t m, n, k;
};

void mmad_float_run(enum mmad_isa isa, const struct mmad_float *g);
void mmad_int_run(enum mmad_isa isa, const struct mmad_int *g);

/* Unpacks `count` half codes to floats. */
void mmad_unpack_half(enum mmad_isa isa, const uint8_t *codes, int64_t count, float *out);
/* in: 16 rows of `pitch` values of 4 B, out: 16 x 16 transposed, contiguous rows. */
void mmad_transpose16(enum mmad_isa isa, const void *in, int64_t pitch, void *out);

/* Panels of one engine. */
struct mmad_scratch {
    enum mmad_isa isa;
    float *a, *b;         /* PANEL_FLOATS each; also used as int16 panels */
    float table8[3][256]; /* decoded e4m3, e5m2, hif8 */
    float table4[2][16];  /* e2m1, e1m2 */
};
enum { PANEL_FLOATS = 131072 + 65536 };
enum status mmad_scratch_init(struct mmad_scratch *s);
void mmad_scratch_fini(struct mmad_scratch *s);

/* Mantissa bits HF32 keeps of a float. */
static inline int mmad_hf32_mantissa(const struct target *target)
{
    return target->arch == 3510 ? 10 : 11;
}

struct engine;
/* Forces a kernel (tests); one the processor lacks falls back to MMAD_SCALAR. */
void engine_force_isa(struct engine *e, enum mmad_isa isa);

#endif
