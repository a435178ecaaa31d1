#include "engine/transpose.h"

#include <string.h>

#if defined(__x86_64__)
#define HAVE_X86 1
#include <immintrin.h>
#endif

/* The rest of the row. */
static inline struct square_row next(struct square_row s)
{
    s.in += s.in_step;
    s.out += s.out_step;
    s.count--;
    return s;
}

/* ---- plain ---- */

static void square4(const struct square_row *row)
{
    for (struct square_row s = *row; s.count > 0; s = next(s)) {
        for (int i = 0; i < 64; i++) { /* row of the result; a nibble column of the input */
            uint8_t *to = s.out + i / 16 * s.out_gap + i % 16 * 32;
            const unsigned shift = (unsigned)(i % 2) * 4;
            for (int c = 0; c < 64; c += 2) {
                const uint8_t *from = s.in + c / 16 * s.in_gap + c % 16 * 32 + i / 2;
                to[c / 2] = (uint8_t)((from[0] >> shift & 15U) | (from[32] >> shift & 15U) << 4);
            }
        }
    }
}

static void square8(const struct square_row *row)
{
    for (struct square_row s = *row; s.count > 0; s = next(s)) {
        for (int i = 0; i < 32; i++) {
            uint8_t *to = s.out + i / 16 * s.out_gap + i % 16 * 32;
            for (int c = 0; c < 32; c++) {
                to[c] = s.in[c / 16 * s.in_gap + c % 16 * 32 + i];
            }
        }
    }
}

static void square16(const struct square_row *row)
{
    for (struct square_row s = *row; s.count > 0; s = next(s)) {
        for (int r = 0; r < 16; r++) {
            for (int c = 0; c < 16; c++) {
                memcpy(s.out + r * 32 + c * 2, s.in + c * 32 + r * 2, 2);
            }
        }
    }
}

static void square32(const struct square_row *row)
{
    for (struct square_row s = *row; s.count > 0; s = next(s)) {
        for (int i = 0; i < 32; i++) { /* row i % 16 of output fractal i / 16 */
            const uint8_t *from = s.in + i % 16 / 8 * s.in_gap + i / 16 * 256 + i % 8 * 4;
            for (int c = 0; c < 8; c++) {
                memcpy(s.out + i / 16 * s.out_gap + i % 16 * 32 + c * 4, from + c * 32, 4);
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

AVX2 INLINE void nibble_columns(const struct square_row *s, int g, int odd)
{
    const __m256i low = _mm256_set1_epi8(0x0F), high = _mm256_set1_epi8((char)0xF0);
    __m256i r[16];
    for (int p = 0; p < 16; p++) {
        const uint8_t *pair = s->in + (2 * g + p / 8) * s->in_gap + p % 8 * 64;
        const __m256i a = load(pair), b = load(pair + 32);
        r[p] = odd == 0 ? _mm256_or_si256(_mm256_and_si256(a, low), _mm256_and_si256(_mm256_slli_epi16(b, 4), high))
                        : _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(a, 4), low), _mm256_and_si256(b, high));
    }
    lanes8(r);
    for (int b = 0; b < 16; b++) { /* byte columns b and 16 + b */
        const int row = 2 * b + odd;
        uint8_t *to = s->out + row / 16 * s->out_gap + row % 16 * 32 + g * 16;
        store_lanes(r[b], to, to + 2 * s->out_gap);
    }
}

AVX2 static void square4_avx2(const struct square_row *row)
{
    for (struct square_row s = *row; s.count > 0; s = next(s)) {
        for (int g = 0; g < 2; g++) { /* 32 input rows: 16 bytes of every output row */
            nibble_columns(&s, g, 0); /* low nibbles: even output rows */
            nibble_columns(&s, g, 1); /* high ones: odd */
        }
    }
}

AVX2 static void square8_avx2(const struct square_row *row)
{
    for (struct square_row s = *row; s.count > 0; s = next(s)) {
        for (int f = 0; f < 2; f++) {
            __m256i r[16];
            for (int i = 0; i < 16; i++) {
                r[i] = load(s.in + f * s.in_gap + i * 32);
            }
            lanes8(r);
            for (int i = 0; i < 16; i++) {
                uint8_t *to = s.out + i * 32 + f * 16;
                store_lanes(r[i], to, to + s.out_gap);
            }
        }
    }
}

AVX2 static void square16_avx2(const struct square_row *row)
{
    for (struct square_row s = *row; s.count > 0; s = next(s)) {
        for (int h = 0; h < 2; h++) {
            __m256i r[8], t[8];
            for (int i = 0; i < 8; i++) {
                r[i] = load(s.in + (8 * h + i) * 32);
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
                uint8_t *to = s.out + i * 32 + h * 16;
                store_lanes(r[i], to, to + 256);
            }
        }
    }
}

AVX2 static void square32_avx2(const struct square_row *row)
{
    for (struct square_row s = *row; s.count > 0; s = next(s)) {
        for (int q = 0; q < 8; q++) { /* four rows of input fractal f become 4 columns of output rows 8 f .. */
            const int j = q / 4, f = q / 2 % 2, half = q % 2;
            const uint8_t *from = s.in + f * s.in_gap + (8 * j + 4 * half) * 32;
            __m256i r[4], t[4];
            for (int i = 0; i < 4; i++) {
                r[i] = load(from + i * 32);
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
            uint8_t *to = s.out + j * s.out_gap + 8 * f * 32 + half * 16;
            for (int i = 0; i < 4; i++) {
                store_lanes(r[i], to + i * 32, to + (4 + i) * 32);
            }
        }
    }
}

/* ---- AVX-512 ----
 *
 * The core works on 4-byte units: 8 rows of 8, two in a register, become 8
 * columns, two in a register, which is how they lie in the result. Narrower
 * elements are first interleaved to such units, 2 or 4 rows deep. All shuffles
 * take one step of one port, and nothing is split at the stores. */

#define AVX512 __attribute__((target("avx512f,avx512bw")))

AVX512 INLINE __m512i load_wide(const uint8_t *p)
{
    return _mm512_loadu_si512((const void *)p);
}

AVX512 INLINE __m512i load_pair(const uint8_t *low, const uint8_t *high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const void *)low)),
                              _mm256_loadu_si256((const void *)high), 1);
}

/* r[i]: rows 2 i and 2 i + 1 of units; afterwards columns 2 i and 2 i + 1. */
AVX512 INLINE void columns_of_8(__m512i r[4])
{
    const __m512i left = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
    const __m512i right = _mm512_setr_epi32(4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i last = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    /* Rows 0 to 3 and 4 to 7 of the left and right four columns, a column in 16 B. */
    const __m512i top_left = _mm512_permutex2var_epi32(r[0], left, r[1]);
    const __m512i top_right = _mm512_permutex2var_epi32(r[0], right, r[1]);
    const __m512i low_left = _mm512_permutex2var_epi32(r[2], left, r[3]);
    const __m512i low_right = _mm512_permutex2var_epi32(r[2], right, r[3]);
    r[0] = _mm512_permutex2var_epi64(top_left, first, low_left);
    r[1] = _mm512_permutex2var_epi64(top_left, last, low_left);
    r[2] = _mm512_permutex2var_epi64(top_right, first, low_right);
    r[3] = _mm512_permutex2var_epi64(top_right, last, low_right);
}

/* 32 rows of 32 bytes, r[4 g + i]: rows 8 g + i and 8 g + 4 + i. Afterwards
 * r[4 t + u]: columns 4 t + column_of[u] and the one beside it. */
static const int column_of[4] = {0, 2, 16, 18};

AVX512 INLINE void columns_of_32(__m512i r[16])
{
    __m512i units[4][4];          /* [t][g]: units of columns 4 t.. and 16 + 4 t.. */
    for (int g = 0; g < 4; g++) { /* 8 rows: two rows of units */
        const __m512i *q = r + 4 * g;
        const __m512i low01 = _mm512_unpacklo_epi8(q[0], q[1]), low23 = _mm512_unpacklo_epi8(q[2], q[3]);
        const __m512i high01 = _mm512_unpackhi_epi8(q[0], q[1]), high23 = _mm512_unpackhi_epi8(q[2], q[3]);
        units[0][g] = _mm512_unpacklo_epi16(low01, low23);
        units[1][g] = _mm512_unpackhi_epi16(low01, low23);
        units[2][g] = _mm512_unpacklo_epi16(high01, high23);
        units[3][g] = _mm512_unpackhi_epi16(high01, high23);
    }
    for (int t = 0; t < 4; t++) {
        columns_of_8(units[t]);
        for (int u = 0; u < 4; u++) {
            r[4 * t + u] = units[t][u];
        }
    }
}

/* Two rows of input make a row of bytes: the low nibbles of both, or the high ones. */
AVX512 INLINE __m512i nibbles(__m512i a, __m512i b, int odd)
{
    const __m512i low = _mm512_set1_epi8(0x0F), high = _mm512_set1_epi8((char)0xF0);
    return odd == 0 ? _mm512_or_si512(_mm512_and_si512(a, low), _mm512_and_si512(_mm512_slli_epi16(b, 4), high))
                    : _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi16(a, 4), low), _mm512_and_si512(b, high));
}

AVX512 INLINE void nibble_rows(const struct square_row *s, int odd)
{
    __m512i r[16];
    for (int p = 0; p < 16; p++) { /* fractal p / 4: eight rows of bytes */
        const uint8_t *from = s->in + p / 4 * s->in_gap + p % 4 * 64;
        r[p] = nibbles(load_pair(from, from + 256), load_pair(from + 32, from + 288), odd);
    }
    columns_of_32(r);
    for (int i = 0; i < 16; i++) { /* byte column b is row 2 b + odd of the result */
        const int row = 2 * (i / 4 * 4 + column_of[i % 4]) + odd;
        uint8_t *to = s->out + row / 16 * s->out_gap + row % 16 * 32;
        _mm256_storeu_si256((void *)to, _mm512_castsi512_si256(r[i]));
        _mm256_storeu_si256((void *)(to + 64), _mm512_extracti64x4_epi64(r[i], 1));
    }
}

AVX512 static void square4_avx512(const struct square_row *row)
{
    for (struct square_row s = *row; s.count > 0; s = next(s)) {
        nibble_rows(&s, 0);
        nibble_rows(&s, 1);
    }
}

AVX512 static void square8_avx512(const struct square_row *row)
{
    for (struct square_row s = *row; s.count > 0; s = next(s)) {
        __m512i r[16];
        for (int i = 0; i < 16; i++) {
            const uint8_t *from = s.in + i / 8 * s.in_gap + i / 4 % 2 * 256 + i % 4 * 32;
            r[i] = load_pair(from, from + 128);
        }
        columns_of_32(r);
        for (int i = 0; i < 16; i++) {
            const int column = i / 4 * 4 + column_of[i % 4];
            _mm512_storeu_si512((void *)(s.out + column / 16 * s.out_gap + column % 16 * 32), r[i]);
        }
    }
}

AVX512 static void square16_avx512(const struct square_row *row)
{
    for (struct square_row s = *row; s.count > 0; s = next(s)) {
        __m512i left[4], right[4];    /* units of columns 0-3, 8-11 and 4-7, 12-15 */
        for (int g = 0; g < 4; g++) { /* four rows: two rows of units */
            const uint8_t *from = s.in + g * 128;
            const __m512i a = load_pair(from, from + 64), b = load_pair(from + 32, from + 96);
            left[g] = _mm512_unpacklo_epi16(a, b);
            right[g] = _mm512_unpackhi_epi16(a, b);
        }
        columns_of_8(left);
        columns_of_8(right);
        for (int i = 0; i < 4; i++) {
            uint8_t *to = s.out + (i / 2 * 8 + i % 2 * 2) * 32;
            _mm512_storeu_si512((void *)to, left[i]);
            _mm512_storeu_si512((void *)(to + 128), right[i]);
        }
    }
}

AVX512 static void square32_avx512(const struct square_row *row)
{
    for (struct square_row s = *row; s.count > 0; s = next(s)) {
        for (int q = 0; q < 4; q++) { /* eight rows of input fractal f: eight rows of output fractal j */
            const int j = q / 2, f = q % 2;
            const uint8_t *from = s.in + f * s.in_gap + j * 256;
            uint8_t *to = s.out + j * s.out_gap + f * 256;
            __m512i r[4] = {load_wide(from), load_wide(from + 64), load_wide(from + 128), load_wide(from + 192)};
            columns_of_8(r);
            for (int i = 0; i < 4; i++) {
                _mm512_storeu_si512((void *)(to + i * 64), r[i]);
            }
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
