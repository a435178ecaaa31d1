/* reference_kernel.c - an 8 x 32 block of C held in registers over a panel of k.
 *
 * Vectors run across columns: lanes are different elements of C, so no sum is
 * ever split or reordered. */
#include "engine/reference_kernel.h"

#if defined(__x86_64__)
#define HAVE_X86 1
#include <immintrin.h>
#else
#define HAVE_X86 0
#endif

#define ROWS   REFERENCE_ROWS
#define COLS   REFERENCE_COLS
#define INLINE static inline __attribute__((always_inline))

static void multiply_plain(const struct reference_block *x)
{
    for (int r = 0; r < ROWS; r++) {
        float *restrict c = x->acc + r * x->pitch;
        for (int64_t kk = 0; kk < x->k; kk++) {
            const float a = x->a[r * REFERENCE_K + kk];
            const float *b = x->b + kk * COLS;
            for (int j = 0; j < COLS; j++) {
                c[j] += a * b[j];
            }
        }
    }
}

#if HAVE_X86

#define WITH_AVX2   __attribute__((target("avx2,fma")))
#define WITH_AVX512 __attribute__((target("avx512f")))

/* 4 x 16 of the block: 8 accumulators, half of the registers. */
WITH_AVX2 INLINE void part_avx2(const struct reference_block *x, int row, int col, const bool fused)
{
    const float *a = x->a + row * REFERENCE_K, *b = x->b + col;
    float *out = x->acc + row * x->pitch + col;
    __m256 c[4][2];
#pragma GCC unroll 8
    for (int r = 0; r < 4; r++) {
        c[r][0] = _mm256_loadu_ps(out + r * x->pitch);
        c[r][1] = _mm256_loadu_ps(out + r * x->pitch + 8);
    }
    for (int64_t kk = 0; kk < x->k; kk++, b += COLS) {
        const __m256 b0 = _mm256_loadu_ps(b), b1 = _mm256_loadu_ps(b + 8);
#pragma GCC unroll 8
        for (int r = 0; r < 4; r++) {
            const __m256 ar = _mm256_broadcast_ss(a + r * REFERENCE_K + kk);
            if (fused) {
                c[r][0] = _mm256_fmadd_ps(ar, b0, c[r][0]);
                c[r][1] = _mm256_fmadd_ps(ar, b1, c[r][1]);
            } else {
                c[r][0] = _mm256_add_ps(c[r][0], _mm256_mul_ps(ar, b0));
                c[r][1] = _mm256_add_ps(c[r][1], _mm256_mul_ps(ar, b1));
            }
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < 4; r++) {
        _mm256_storeu_ps(out + r * x->pitch, c[r][0]);
        _mm256_storeu_ps(out + r * x->pitch + 8, c[r][1]);
    }
}

WITH_AVX2 static void multiply_avx2(const struct reference_block *x)
{
    for (int row = 0; row < ROWS; row += 4) {
        for (int col = 0; col < COLS; col += 16) {
            if (x->fused) {
                part_avx2(x, row, col, true);
            } else {
                part_avx2(x, row, col, false);
            }
        }
    }
}

/* The whole block: 16 of 32 registers. */
WITH_AVX512 INLINE void block_avx512(const struct reference_block *x, const bool fused)
{
    const float *a = x->a, *b = x->b;
    __m512 c[ROWS][2];
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++) {
        c[r][0] = _mm512_loadu_ps(x->acc + r * x->pitch);
        c[r][1] = _mm512_loadu_ps(x->acc + r * x->pitch + 16);
    }
    for (int64_t kk = 0; kk < x->k; kk++, b += COLS) {
        const __m512 b0 = _mm512_loadu_ps(b), b1 = _mm512_loadu_ps(b + 16);
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++) {
            const __m512 ar = _mm512_set1_ps(a[r * REFERENCE_K + kk]);
            if (fused) {
                c[r][0] = _mm512_fmadd_ps(ar, b0, c[r][0]);
                c[r][1] = _mm512_fmadd_ps(ar, b1, c[r][1]);
            } else {
                c[r][0] = _mm512_add_ps(c[r][0], _mm512_mul_ps(ar, b0));
                c[r][1] = _mm512_add_ps(c[r][1], _mm512_mul_ps(ar, b1));
            }
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++) {
        _mm512_storeu_ps(x->acc + r * x->pitch, c[r][0]);
        _mm512_storeu_ps(x->acc + r * x->pitch + 16, c[r][1]);
    }
}

WITH_AVX512 static void multiply_avx512(const struct reference_block *x)
{
    if (x->fused) {
        block_avx512(x, true);
    } else {
        block_avx512(x, false);
    }
}

#else
#define multiply_avx2   multiply_plain
#define multiply_avx512 multiply_plain
#endif

void reference_multiply(enum gm_isa isa, const struct reference_block *x)
{
    static void (*const multiply[GM_ISA_N])(const struct reference_block *x) = {
        [GM_PLAIN] = multiply_plain, [GM_AVX2] = multiply_avx2, [GM_AVX512] = multiply_avx512};
    multiply[isa](x);
}
