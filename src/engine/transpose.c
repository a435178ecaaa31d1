#include "engine/transpose.h"

#include <string.h>

#if defined(__x86_64__)
#define HAVE_X86 1
#include <immintrin.h>
#endif

/* ---- plain ---- */

static void square4(const uint8_t *const *in, uint8_t *const *out)
{
    for (int j = 0; j < 4; j++) {
        for (int r = 0; r < 16; r++) {
            const int row = 16 * j + r; /* of the result; a nibble column of the input */
            const unsigned shift = (unsigned)(row % 2) * 4;
            for (int c = 0; c < 64; c += 2) {
                const uint8_t *from = in[c / 16] + c % 16 * 32 + row / 2;
                out[j][r * 32 + c / 2] = (uint8_t)((from[0] >> shift & 15U) | (from[32] >> shift & 15U) << 4);
            }
        }
    }
}

static void square8(const uint8_t *const *in, uint8_t *const *out)
{
    for (int j = 0; j < 2; j++) {
        for (int r = 0; r < 16; r++) {
            for (int c = 0; c < 32; c++) {
                out[j][r * 32 + c] = in[c / 16][c % 16 * 32 + 16 * j + r];
            }
        }
    }
}

static void square16(const uint8_t *const *in, uint8_t *const *out)
{
    for (int r = 0; r < 16; r++) {
        for (int c = 0; c < 16; c++) {
            memcpy(out[0] + r * 32 + c * 2, in[0] + c * 32 + r * 2, 2);
        }
    }
}

static void square32(const uint8_t *const *in, uint8_t *const *out)
{
    for (int j = 0; j < 2; j++) {
        for (int r = 0; r < 16; r++) {
            for (int c = 0; c < 8; c++) {
                memcpy(out[j] + r * 32 + c * 4, in[r / 8] + (8 * j + c) * 32 + r % 8 * 4, 4);
            }
        }
    }
}

#if HAVE_X86

/* ---- AVX2: both 16-byte lanes of the rows are transposed at once ----
 *
 * Interleaving row i with row i + n / 2, log2(n) times, transposes n rows of n
 * elements. After it register r holds column r (low lane) and column n + r
 * (high lane) of the n rows. */

#define AVX2   __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline))

AVX2 INLINE __m256i load(const uint8_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

AVX2 INLINE void store_lanes(__m256i v, uint8_t *low, uint8_t *high)
{
    _mm_storeu_si128((void *)low, _mm256_castsi256_si128(v));
    _mm_storeu_si128((void *)high, _mm256_extracti128_si256(v, 1));
}

AVX2 INLINE void lanes8(__m256i *r)
{
    __m256i t[16];
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 8; i++) {
            t[2 * i] = _mm256_unpacklo_epi8(r[i], r[i + 8]);
            t[2 * i + 1] = _mm256_unpackhi_epi8(r[i], r[i + 8]);
        }
        for (int i = 0; i < 16; i++) {
            r[i] = t[i];
        }
    }
}

AVX2 static void square4_avx2(const uint8_t *const *in, uint8_t *const *out)
{
    const __m256i low = _mm256_set1_epi8(0x0F), high = _mm256_set1_epi8((char)0xF0);
    for (int g = 0; g < 2; g++) {     /* 32 input rows: 16 bytes of every output row */
        for (int s = 0; s < 2; s++) { /* low nibbles: even output rows; high ones: odd */
            __m256i r[16];
            for (int p = 0; p < 16; p++) {
                const uint8_t *pair = in[2 * g + p / 8] + p % 8 * 64;
                const __m256i a = load(pair), b = load(pair + 32);
                r[p] = s == 0
                           ? _mm256_or_si256(_mm256_and_si256(a, low), _mm256_and_si256(_mm256_slli_epi16(b, 4), high))
                           : _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(a, 4), low), _mm256_and_si256(b, high));
            }
            lanes8(r);
            for (int b = 0; b < 16; b++) { /* byte columns b and 16 + b */
                const int row = 2 * b + s;
                store_lanes(r[b], out[row / 16] + row % 16 * 32 + g * 16, out[2 + row / 16] + row % 16 * 32 + g * 16);
            }
        }
    }
}

AVX2 static void square8_avx2(const uint8_t *const *in, uint8_t *const *out)
{
    for (int f = 0; f < 2; f++) {
        __m256i r[16];
        for (int i = 0; i < 16; i++) {
            r[i] = load(in[f] + i * 32);
        }
        lanes8(r);
        for (int i = 0; i < 16; i++) {
            store_lanes(r[i], out[0] + i * 32 + f * 16, out[1] + i * 32 + f * 16);
        }
    }
}

AVX2 static void square16_avx2(const uint8_t *const *in, uint8_t *const *out)
{
    for (int h = 0; h < 2; h++) {
        __m256i r[8], t[8];
        for (int i = 0; i < 8; i++) {
            r[i] = load(in[0] + (8 * h + i) * 32);
        }
        for (int stage = 0; stage < 3; stage++) {
            for (int i = 0; i < 4; i++) {
                t[2 * i] = _mm256_unpacklo_epi16(r[i], r[i + 4]);
                t[2 * i + 1] = _mm256_unpackhi_epi16(r[i], r[i + 4]);
            }
            for (int i = 0; i < 8; i++) {
                r[i] = t[i];
            }
        }
        for (int i = 0; i < 8; i++) {
            store_lanes(r[i], out[0] + i * 32 + h * 16, out[0] + (8 + i) * 32 + h * 16);
        }
    }
}

AVX2 static void square32_avx2(const uint8_t *const *in, uint8_t *const *out)
{
    for (int q = 0; q < 8; q++) { /* four input rows of fractal f become 4 columns of output rows 8 f .. */
        const int f = q / 4, rows = q % 4 * 4;
        __m256i r[4], t[4];
        for (int i = 0; i < 4; i++) {
            r[i] = load(in[f] + (rows + i) * 32);
        }
        for (int stage = 0; stage < 2; stage++) {
            for (int i = 0; i < 2; i++) {
                t[2 * i] = _mm256_unpacklo_epi32(r[i], r[i + 2]);
                t[2 * i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 2]);
            }
            for (int i = 0; i < 4; i++) {
                r[i] = t[i];
            }
        }
        uint8_t *to = out[rows / 8] + 8 * f * 32 + rows % 8 * 4;
        for (int i = 0; i < 4; i++) {
            store_lanes(r[i], to + i * 32, to + (4 + i) * 32);
        }
    }
}

/* ---- AVX-512: the same on four lanes, two of rows r and two of rows beside ----
 *
 * Register i holds 32 B of two rows, [row i | other row i]; afterwards it holds
 * column i of the first and of the other rows, which lie side by side in the
 * result, in lanes 0 and 2, and column n + i in lanes 1 and 3. */

#define AVX512 __attribute__((target("avx512f,avx512bw")))

AVX512 INLINE __m512i load_pair(const uint8_t *low, const uint8_t *high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const void *)low)),
                              _mm256_loadu_si256((const void *)high), 1);
}

AVX512 INLINE void store_pairs(__m512i v, uint8_t *even, uint8_t *odd)
{
    const __m512i sorted = _mm512_shuffle_i64x2(v, v, 0xD8); /* lanes 0 2 1 3 */
    _mm256_storeu_si256((void *)even, _mm512_castsi512_si256(sorted));
    _mm256_storeu_si256((void *)odd, _mm512_extracti64x4_epi64(sorted, 1));
}

AVX512 INLINE void wide_lanes8(__m512i *r)
{
    __m512i t[16];
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 8; i++) {
            t[2 * i] = _mm512_unpacklo_epi8(r[i], r[i + 8]);
            t[2 * i + 1] = _mm512_unpackhi_epi8(r[i], r[i + 8]);
        }
        for (int i = 0; i < 16; i++) {
            r[i] = t[i];
        }
    }
}

AVX512 static void square4_avx512(const uint8_t *const *in, uint8_t *const *out)
{
    const __m512i low = _mm512_set1_epi8(0x0F), high = _mm512_set1_epi8((char)0xF0);
    for (int s = 0; s < 2; s++) {
        __m512i r[16];
        for (int p = 0; p < 16; p++) {
            const int f = p / 8, at = p % 8 * 64;
            const __m512i a = load_pair(in[f] + at, in[2 + f] + at),
                          b = load_pair(in[f] + at + 32, in[2 + f] + at + 32);
            r[p] = s == 0 ? _mm512_or_si512(_mm512_and_si512(a, low), _mm512_and_si512(_mm512_slli_epi16(b, 4), high))
                          : _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi16(a, 4), low), _mm512_and_si512(b, high));
        }
        wide_lanes8(r);
        for (int b = 0; b < 16; b++) {
            const int row = 2 * b + s;
            store_pairs(r[b], out[row / 16] + row % 16 * 32, out[2 + row / 16] + row % 16 * 32);
        }
    }
}

AVX512 static void square8_avx512(const uint8_t *const *in, uint8_t *const *out)
{
    __m512i r[16];
    for (int i = 0; i < 16; i++) {
        r[i] = load_pair(in[0] + i * 32, in[1] + i * 32);
    }
    wide_lanes8(r);
    for (int i = 0; i < 16; i++) {
        store_pairs(r[i], out[0] + i * 32, out[1] + i * 32);
    }
}

AVX512 static void square16_avx512(const uint8_t *const *in, uint8_t *const *out)
{
    __m512i r[8], t[8];
    for (int i = 0; i < 8; i++) {
        r[i] = load_pair(in[0] + i * 32, in[0] + (8 + i) * 32);
    }
    for (int stage = 0; stage < 3; stage++) {
        for (int i = 0; i < 4; i++) {
            t[2 * i] = _mm512_unpacklo_epi16(r[i], r[i + 4]);
            t[2 * i + 1] = _mm512_unpackhi_epi16(r[i], r[i + 4]);
        }
        for (int i = 0; i < 8; i++) {
            r[i] = t[i];
        }
    }
    for (int i = 0; i < 8; i++) {
        store_pairs(r[i], out[0] + i * 32, out[0] + (8 + i) * 32);
    }
}

AVX512 static void square32_avx512(const uint8_t *const *in, uint8_t *const *out)
{
    for (int q = 0; q < 4; q++) { /* eight input rows of fractal f: eight rows of output fractal j */
        const int f = q / 2, j = q % 2;
        __m512i r[4], t[4];
        for (int i = 0; i < 4; i++) {
            r[i] = load_pair(in[f] + (8 * j + i) * 32, in[f] + (8 * j + 4 + i) * 32);
        }
        for (int stage = 0; stage < 2; stage++) {
            for (int i = 0; i < 2; i++) {
                t[2 * i] = _mm512_unpacklo_epi32(r[i], r[i + 2]);
                t[2 * i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 2]);
            }
            for (int i = 0; i < 4; i++) {
                r[i] = t[i];
            }
        }
        for (int i = 0; i < 4; i++) {
            store_pairs(r[i], out[j] + (8 * f + i) * 32, out[j] + (8 * f + 4 + i) * 32);
        }
    }
}

#endif

transpose_fn transpose_of(enum mmad_isa isa, unsigned bits)
{
    static const transpose_fn squares[MMAD_ISA_N][4] = {
        [MMAD_SCALAR] = {square4, square8, square16, square32},
#if HAVE_X86
        [MMAD_AVX2] = {square4_avx2, square8_avx2, square16_avx2, square32_avx2},
        [MMAD_AVX512] = {square4_avx512, square8_avx512, square16_avx512, square32_avx512},
#else
        [MMAD_AVX2] = {square4, square8, square16, square32},
        [MMAD_AVX512] = {square4, square8, square16, square32},
#endif
    };
    return squares[isa][bits == 4 ? 0 : bits == 8 ? 1 : bits == 16 ? 2 : 3];
}
