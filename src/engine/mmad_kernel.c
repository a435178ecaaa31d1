/* Three forms of the same sums. A register block is ROWS x 1 or 2 panels of C,
 * kept in registers over a run of k: each element's chain of additions is the
 * plain loop's, only the elements advance side by side. */
#include "engine/mmad_kernel.h"

#include <string.h>

#include "numeric/fp.h"

#if defined(__x86_64__)
#define HAVE_X86 1
#include <cpuid.h>
#include <immintrin.h>
#endif

/* Runs of k between loading and storing C: a pair of B panels stays in L1. */
enum { K_RUN = 256 };

static float canonical(float f)
{
    return f != f ? float_from_bits(FP_NAN_BITS) : f;
}

/* ---- plain ---- */

static void float_plain(const struct mmad_float *g)
{
    for (int64_t c = 0; c < g->n; c++) {
        const float *b = g->b + c / PANEL * g->b_panel + c % PANEL;
        float *out = g->c + c / PANEL * g->c_panel + c % PANEL;
        for (int64_t r = 0; r < g->m; r++) {
            float sum = out[r * PANEL];
            for (int64_t k = 0; k < g->k; k++) {
                sum += g->a[r * g->lda + k] * b[k * PANEL];
            }
            out[r * PANEL] = canonical(sum);
        }
    }
}

static void int_plain(const struct mmad_int *g)
{
    for (int64_t c = 0; c < g->n; c++) {
        const int16_t *b = g->b + c / PANEL * g->b_panel + c % PANEL * 2;
        int32_t *out = g->c + c / PANEL * g->c_panel + c % PANEL;
        for (int64_t r = 0; r < g->m; r++) {
            uint32_t sum = (uint32_t)out[r * PANEL];
            for (int64_t k = 0; k < g->k; k++) {
                sum += (uint32_t)(g->a[r * g->lda + k] * b[k / 2 * 2 * PANEL + k % 2]);
            }
            out[r * PANEL] = (int32_t)sum;
        }
    }
}

static void transpose_plain(const void *in, int64_t pitch, void *out)
{
    for (int r = 0; r < 16; r++) {
        for (int c = 0; c < 16; c++) {
            memcpy((uint8_t *)out + (c * 16 + r) * 4, (const uint8_t *)in + (r * pitch + c) * 4, 4);
        }
    }
}

#if HAVE_X86

#define AVX2   __attribute__((target("avx2,fma,f16c")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,f16c,fma")))
#define BLOCK  static inline __attribute__((always_inline))

/* ---- AVX-512: up to 8 rows x 2 panels ---- */

AVX512 BLOCK void float_block512(const struct mmad_float *g, int64_t row, int64_t panel, int64_t k0, int64_t k,
                                 const int rows, const int panels, const bool fused, __mmask16 last)
{
    __m512 acc[8][4];
    float *c = g->c + panel * g->c_panel + row * PANEL;
    const float *a = g->a + row * g->lda + k0;
    const float *b = g->b + panel * g->b_panel + k0 * PANEL;
    for (int r = 0; r < rows; r++) {
        for (int p = 0; p < panels; p++) {
            acc[r][p] = _mm512_loadu_ps(c + p * g->c_panel + r * PANEL);
        }
    }
    for (int64_t i = 0; i < k; i++) {
        __m512 bv[4];
        for (int p = 0; p < panels; p++) {
            bv[p] = _mm512_loadu_ps(b + p * g->b_panel + i * PANEL);
        }
        for (int r = 0; r < rows; r++) {
            const __m512 av = _mm512_set1_ps(a[r * g->lda + i]);
            for (int p = 0; p < panels; p++) {
                acc[r][p] = fused ? _mm512_fmadd_ps(av, bv[p], acc[r][p])
                                  : _mm512_add_ps(acc[r][p], _mm512_mul_ps(av, bv[p]));
            }
        }
    }
    const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32((int)FP_NAN_BITS));
    for (int r = 0; r < rows; r++) {
        for (int p = 0; p < panels; p++) {
            const __mmask16 unordered = _mm512_cmp_ps_mask(acc[r][p], acc[r][p], _CMP_UNORD_Q);
            const __m512 v = _mm512_mask_mov_ps(acc[r][p], unordered, nan);
            _mm512_mask_storeu_ps(c + p * g->c_panel + r * PANEL, p == panels - 1 ? last : 0xFFFF, v);
        }
    }
}

AVX512 BLOCK void float_rows512(const struct mmad_float *g, int64_t row, int rows, int64_t panel, int64_t k0, int64_t k,
                                const int panels, const bool fused, __mmask16 last)
{
    switch (rows) {
    case 8:
        float_block512(g, row, panel, k0, k, 8, panels, fused, last);
        return;
    case 7:
        float_block512(g, row, panel, k0, k, 7, panels, fused, last);
        return;
    case 6:
        float_block512(g, row, panel, k0, k, 6, panels, fused, last);
        return;
    case 5:
        float_block512(g, row, panel, k0, k, 5, panels, fused, last);
        return;
    case 4:
        float_block512(g, row, panel, k0, k, 4, panels, fused, last);
        return;
    case 3:
        float_block512(g, row, panel, k0, k, 3, panels, fused, last);
        return;
    case 2:
        float_block512(g, row, panel, k0, k, 2, panels, fused, last);
        return;
    default:
        float_block512(g, row, panel, k0, k, 1, panels, fused, last);
        return;
    }
}

/* Few rows: four panels at once, or the additions would wait for each other. */
AVX512 BLOCK int64_t float_thin512(const struct mmad_float *g, int64_t k0, int64_t k, const bool fused, __mmask16 tail)
{
    const int64_t panels = (g->n + PANEL - 1) / PANEL;
    int64_t panel = 0;
    for (; panel + 4 <= panels; panel += 4) {
        const __mmask16 last = panel + 4 == panels ? tail : 0xFFFF;
        switch (g->m) {
        case 1:
            float_block512(g, 0, panel, k0, k, 1, 4, fused, last);
            break;
        case 2:
            float_block512(g, 0, panel, k0, k, 2, 4, fused, last);
            break;
        case 3:
            float_block512(g, 0, panel, k0, k, 3, 4, fused, last);
            break;
        default:
            float_block512(g, 0, panel, k0, k, 4, 4, fused, last);
            break;
        }
    }
    return panel;
}

AVX512 BLOCK void float_all512(const struct mmad_float *g, const bool fused)
{
    const int64_t panels = (g->n + PANEL - 1) / PANEL;
    const __mmask16 tail = (__mmask16)(0xFFFFU >> (panels * PANEL - g->n));
    for (int64_t k0 = 0; k0 < g->k; k0 += K_RUN) {
        const int64_t k = g->k - k0 < K_RUN ? g->k - k0 : K_RUN;
        for (int64_t p = g->m <= 4 ? float_thin512(g, k0, k, fused, tail) : 0; p < panels; p += 2) {
            const bool pair = p + 1 < panels;
            const __mmask16 last = p + 2 >= panels ? tail : 0xFFFF;
            for (int64_t r = 0; r < g->m; r += 8) {
                const int rows = g->m - r < 8 ? (int)(g->m - r) : 8;
                if (pair) {
                    float_rows512(g, r, rows, p, k0, k, 2, fused, last);
                } else {
                    float_rows512(g, r, rows, p, k0, k, 1, fused, last);
                }
            }
        }
    }
}

AVX512 static void float_avx512(const struct mmad_float *g)
{
    if (g->fused) {
        float_all512(g, true);
    } else {
        float_all512(g, false);
    }
}

AVX512 BLOCK void int_block512(const struct mmad_int *g, int64_t row, int64_t panel, const int rows, __mmask16 last)
{
    __m512i acc[8];
    int32_t *c = g->c + panel * g->c_panel + row * PANEL;
    const int16_t *a = g->a + row * g->lda, *b = g->b + panel * g->b_panel;
    for (int r = 0; r < rows; r++) {
        acc[r] = _mm512_loadu_si512(c + r * PANEL);
    }
    for (int64_t k = 0; k < g->k; k += 2) {
        const __m512i bv = _mm512_loadu_si512(b + k * PANEL);
        for (int r = 0; r < rows; r++) {
            int32_t pair;
            memcpy(&pair, a + r * g->lda + k, sizeof pair);
            acc[r] = _mm512_add_epi32(acc[r], _mm512_madd_epi16(_mm512_set1_epi32(pair), bv));
        }
    }
    for (int r = 0; r < rows; r++) {
        _mm512_mask_storeu_epi32(c + r * PANEL, last, acc[r]);
    }
}

AVX512 static void int_avx512(const struct mmad_int *g)
{
    const int64_t panels = (g->n + PANEL - 1) / PANEL;
    for (int64_t p = 0; p < panels; p++) {
        const __mmask16 last = (__mmask16)(p + 1 == panels ? 0xFFFFU >> (panels * PANEL - g->n) : 0xFFFFU);
        int64_t r = 0;
        for (; r + 8 <= g->m; r += 8) {
            int_block512(g, r, p, 8, last);
        }
        for (; r + 4 <= g->m; r += 4) {
            int_block512(g, r, p, 4, last);
        }
        for (; r < g->m; r++) {
            int_block512(g, r, p, 1, last);
        }
    }
}

AVX512 static void half_avx512(const uint8_t *codes, int64_t count, float *out)
{
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        _mm512_storeu_ps(out + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(codes + i * 2))));
    }
    for (; i < count; i++) {
        uint16_t code;
        memcpy(&code, codes + i * 2, 2);
        out[i] = half_to_float(code);
    }
}

AVX512 static void transpose_avx512(const void *in_values, int64_t pitch, void *out_values)
{
    const float *in = in_values; /* only ever touched by vector loads and stores, which may alias */
    float *out = out_values;
    __m512 t[16], u[16];
    for (int i = 0; i < 16; i++) {
        t[i] = _mm512_loadu_ps(in + i * pitch);
    }
    for (int i = 0; i < 16; i += 2) {
        u[i] = _mm512_unpacklo_ps(t[i], t[i + 1]);
        u[i + 1] = _mm512_unpackhi_ps(t[i], t[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        for (int j = 0; j < 2; j++) {
            const __m512d lo = _mm512_castps_pd(u[i + j]), hi = _mm512_castps_pd(u[i + j + 2]);
            t[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(lo, hi));
            t[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(lo, hi));
        }
    }
    /* t[4g + q]: rows 4g..4g+3 of columns q, q+4, q+8, q+12, one 128-bit lane each. */
    for (int q = 0; q < 4; q++) {
        const __m512 a = _mm512_shuffle_f32x4(t[q], t[q + 4], 0x88),
                     b = _mm512_shuffle_f32x4(t[q + 8], t[q + 12], 0x88);
        const __m512 c = _mm512_shuffle_f32x4(t[q], t[q + 4], 0xDD),
                     d = _mm512_shuffle_f32x4(t[q + 8], t[q + 12], 0xDD);
        _mm512_storeu_ps(out + q * 16, _mm512_shuffle_f32x4(a, b, 0x88));
        _mm512_storeu_ps(out + (q + 4) * 16, _mm512_shuffle_f32x4(c, d, 0x88));
        _mm512_storeu_ps(out + (q + 8) * 16, _mm512_shuffle_f32x4(a, b, 0xDD));
        _mm512_storeu_ps(out + (q + 12) * 16, _mm512_shuffle_f32x4(c, d, 0xDD));
    }
}

/* ---- AVX2: up to 4 rows x 1 panel (8 accumulators) ---- */

AVX2 BLOCK void float_block2(const struct mmad_float *g, int64_t row, int64_t panel, int64_t k0, int64_t k,
                             const int rows, const bool fused, int64_t columns)
{
    __m256 acc[6][2];
    float *c = g->c + panel * g->c_panel + row * PANEL;
    const float *a = g->a + row * g->lda + k0;
    const float *b = g->b + panel * g->b_panel + k0 * PANEL;
    for (int r = 0; r < rows; r++) {
        acc[r][0] = _mm256_loadu_ps(c + r * PANEL);
        acc[r][1] = _mm256_loadu_ps(c + r * PANEL + 8);
    }
    for (int64_t i = 0; i < k; i++) {
        const __m256 b0 = _mm256_loadu_ps(b + i * PANEL), b1 = _mm256_loadu_ps(b + i * PANEL + 8);
        for (int r = 0; r < rows; r++) {
            const __m256 av = _mm256_set1_ps(a[r * g->lda + i]);
            acc[r][0] = fused ? _mm256_fmadd_ps(av, b0, acc[r][0]) : _mm256_add_ps(acc[r][0], _mm256_mul_ps(av, b0));
            acc[r][1] = fused ? _mm256_fmadd_ps(av, b1, acc[r][1]) : _mm256_add_ps(acc[r][1], _mm256_mul_ps(av, b1));
        }
    }
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32((int)FP_NAN_BITS));
    for (int r = 0; r < rows; r++) {
        float stored[PANEL];
        for (int h = 0; h < 2; h++) {
            const __m256 unordered = _mm256_cmp_ps(acc[r][h], acc[r][h], _CMP_UNORD_Q);
            _mm256_storeu_ps(stored + 8 * h, _mm256_blendv_ps(acc[r][h], nan, unordered));
        }
        memcpy(c + r * PANEL, stored, (size_t)columns * sizeof *stored);
    }
}

AVX2 BLOCK void float_all2(const struct mmad_float *g, const bool fused)
{
    for (int64_t k0 = 0; k0 < g->k; k0 += K_RUN) {
        const int64_t k = g->k - k0 < K_RUN ? g->k - k0 : K_RUN;
        for (int64_t p = 0; p * PANEL < g->n; p++) {
            const int64_t columns = g->n - p * PANEL < PANEL ? g->n - p * PANEL : PANEL;
            int64_t r = 0;
            for (; r + 6 <= g->m; r += 6) {
                float_block2(g, r, p, k0, k, 6, fused, columns);
            }
            for (; r + 2 <= g->m; r += 2) {
                float_block2(g, r, p, k0, k, 2, fused, columns);
            }
            for (; r < g->m; r++) {
                float_block2(g, r, p, k0, k, 1, fused, columns);
            }
        }
    }
}

AVX2 static void float_avx2(const struct mmad_float *g)
{
    if (g->fused) {
        float_all2(g, true);
    } else {
        float_all2(g, false);
    }
}

AVX2 BLOCK void int_block2(const struct mmad_int *g, int64_t row, int64_t panel, const int rows, int64_t columns)
{
    __m256i acc[4][2];
    int32_t *c = g->c + panel * g->c_panel + row * PANEL;
    const int16_t *a = g->a + row * g->lda, *b = g->b + panel * g->b_panel;
    for (int r = 0; r < rows; r++) {
        acc[r][0] = _mm256_loadu_si256((const void *)(c + r * PANEL));
        acc[r][1] = _mm256_loadu_si256((const void *)(c + r * PANEL + 8));
    }
    for (int64_t k = 0; k < g->k; k += 2) {
        const __m256i b0 = _mm256_loadu_si256((const void *)(b + k * PANEL));
        const __m256i b1 = _mm256_loadu_si256((const void *)(b + k * PANEL + 16));
        for (int r = 0; r < rows; r++) {
            int32_t pair;
            memcpy(&pair, a + r * g->lda + k, sizeof pair);
            const __m256i av = _mm256_set1_epi32(pair);
            acc[r][0] = _mm256_add_epi32(acc[r][0], _mm256_madd_epi16(av, b0));
            acc[r][1] = _mm256_add_epi32(acc[r][1], _mm256_madd_epi16(av, b1));
        }
    }
    for (int r = 0; r < rows; r++) {
        int32_t stored[PANEL];
        _mm256_storeu_si256((void *)stored, acc[r][0]);
        _mm256_storeu_si256((void *)(stored + 8), acc[r][1]);
        memcpy(c + r * PANEL, stored, (size_t)columns * sizeof *stored);
    }
}

AVX2 static void int_avx2(const struct mmad_int *g)
{
    for (int64_t p = 0; p * PANEL < g->n; p++) {
        const int64_t columns = g->n - p * PANEL < PANEL ? g->n - p * PANEL : PANEL;
        int64_t r = 0;
        for (; r + 4 <= g->m; r += 4) {
            int_block2(g, r, p, 4, columns);
        }
        for (; r < g->m; r++) {
            int_block2(g, r, p, 1, columns);
        }
    }
}

AVX2 static void half_avx2(const uint8_t *codes, int64_t count, float *out)
{
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(codes + i * 2))));
    }
    for (; i < count; i++) {
        uint16_t code;
        memcpy(&code, codes + i * 2, 2);
        out[i] = half_to_float(code);
    }
}

/* 8x8 block: in rows of `pitch`, out rows of 16. */
AVX2 static void transpose8(const float *in, int64_t pitch, float *out)
{
    __m256 t[8], u[8];
    for (int i = 0; i < 8; i++) {
        t[i] = _mm256_loadu_ps(in + i * pitch);
    }
    for (int i = 0; i < 8; i += 2) {
        u[i] = _mm256_unpacklo_ps(t[i], t[i + 1]);
        u[i + 1] = _mm256_unpackhi_ps(t[i], t[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int j = 0; j < 2; j++) {
            t[i + 2 * j] = _mm256_shuffle_ps(u[i + j], u[i + j + 2], 0x44);
            t[i + 2 * j + 1] = _mm256_shuffle_ps(u[i + j], u[i + j + 2], 0xEE);
        }
    }
    for (int q = 0; q < 4; q++) {
        _mm256_storeu_ps(out + q * 16, _mm256_permute2f128_ps(t[q], t[q + 4], 0x20));
        _mm256_storeu_ps(out + (q + 4) * 16, _mm256_permute2f128_ps(t[q], t[q + 4], 0x31));
    }
}

static void transpose_avx2(const void *in_values, int64_t pitch, void *out_values)
{
    const float *in = in_values;
    float *out = out_values;
    for (int r = 0; r < 16; r += 8) {
        for (int c = 0; c < 16; c += 8) {
            transpose8(in + r * pitch + c, pitch, out + c * 16 + r);
        }
    }
}

#endif

static void half_plain(const uint8_t *codes, int64_t count, float *out)
{
    for (int64_t i = 0; i < count; i++) {
        uint16_t code;
        memcpy(&code, codes + i * 2, 2);
        out[i] = half_to_float(code);
    }
}

static const struct kernels {
    const char *name;
    void (*float_run)(const struct mmad_float *g);
    void (*int_run)(const struct mmad_int *g);
    void (*half)(const uint8_t *codes, int64_t count, float *out);
    void (*transpose)(const void *in, int64_t pitch, void *out);
} kernels[MMAD_ISA_N] = {
    [MMAD_SCALAR] = {"scalar", float_plain, int_plain, half_plain, transpose_plain},
#if HAVE_X86
    [MMAD_AVX2] = {"avx2", float_avx2, int_avx2, half_avx2, transpose_avx2},
    [MMAD_AVX512] = {"avx512", float_avx512, int_avx512, half_avx512, transpose_avx512},
#else
    [MMAD_AVX2] = {"avx2", float_plain, int_plain, half_plain, transpose_plain},
    [MMAD_AVX512] = {"avx512", float_plain, int_plain, half_plain, transpose_plain},
#endif
};

#if HAVE_X86
/* Not every compiler's __builtin_cpu_supports knows f16c. */
static bool has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

enum mmad_isa mmad_isa_best(void)
{
#if HAVE_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma")) {
        return MMAD_AVX512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c()) {
        return MMAD_AVX2;
    }
#endif
    return MMAD_SCALAR;
}

const char *mmad_isa_name(enum mmad_isa isa)
{
    return kernels[isa].name;
}

void mmad_float_run(enum mmad_isa isa, const struct mmad_float *g)
{
    kernels[isa].float_run(g);
}

void mmad_int_run(enum mmad_isa isa, const struct mmad_int *g)
{
    kernels[isa].int_run(g);
}

void mmad_unpack_half(enum mmad_isa isa, const uint8_t *codes, int64_t count, float *out)
{
    kernels[isa].half(codes, count, out);
}

void mmad_transpose16(enum mmad_isa isa, const void *in, int64_t pitch, void *out)
{
    kernels[isa].transpose(in, pitch, out);
}
