#include "engine/block_copy.h"

#include <string.h>

#if defined(__x86_64__)
#define HAVE_X86 1
#include <immintrin.h>
#endif

enum { FRACTAL_BYTES = 512 };

static void fractals_plain(const struct fractal_row *row)
{
    for (int64_t i = 0; i < row->count; i++) {
        uint8_t *to = row->to + i * row->to_step;
        const uint8_t *from = row->from + i * row->from_step;
        for (int b = 0; b < FRACTAL_BYTES; b += 64) { /* at once it would become `rep movs` */
            memcpy(to + b, from + b, 64);
        }
    }
}

#if HAVE_X86

__attribute__((target("avx2"))) static void fractals_avx2(const struct fractal_row *row)
{
    for (int64_t i = 0; i < row->count; i++) {
        __m256i *to = (void *)(row->to + i * row->to_step);
        const __m256i *from = (const void *)(row->from + i * row->from_step);
        for (int b = 0; b < FRACTAL_BYTES / 32; b++) {
            _mm256_storeu_si256(to + b, _mm256_loadu_si256(from + b));
        }
    }
}

__attribute__((target("avx512f"))) static void fractals_avx512(const struct fractal_row *row)
{
    for (int64_t i = 0; i < row->count; i++) {
        uint8_t *to = row->to + i * row->to_step;
        const uint8_t *from = row->from + i * row->from_step;
        for (int b = 0; b < FRACTAL_BYTES; b += 64) {
            _mm512_storeu_si512(to + b, _mm512_loadu_si512(from + b));
        }
    }
}

#endif

void copy_fractals(enum mmad_isa isa, const struct fractal_row *row)
{
    static void (*const kernels[MMAD_ISA_N])(const struct fractal_row *) = {
        [MMAD_SCALAR] = fractals_plain,
#if HAVE_X86
        [MMAD_AVX2] = fractals_avx2,
        [MMAD_AVX512] = fractals_avx512,
#else
        [MMAD_AVX2] = fractals_plain,
        [MMAD_AVX512] = fractals_plain,
#endif
    };
    kernels[isa](row);
}
