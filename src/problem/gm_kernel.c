/* gm_kernel.c - the element hash, 1, 8 or 16 lanes at a time.
 *
 * A 32-bit lane hashes one element. For narrow dtypes a lane hashes its 32/bits
 * neighbouring columns in turn and collects their codes (0..6) side by side, so
 * that one table permute turns a whole vector of codes into memory order; no
 * packing across lanes is needed. */
#include "problem/gm_kernel.h"

#include <string.h>

#if defined(__x86_64__)
#define HAVE_X86 1
#include <immintrin.h>
#else
#define HAVE_X86 0
#endif

#define INLINE static inline __attribute__((always_inline))

/* ---- plain ---- */

INLINE void run_plain(const struct gm_run *run, uint8_t *out, const int bits)
{
    const union gm_codes *codes = run->codes;
    for (int64_t i = 0; i < run->n; i++) {
        const uint32_t code = gm_element_code(run->key, run->col + (uint32_t)i);
        if (bits == 8) {
            out[i] = codes->u8[code];
        } else if (bits == 16) {
            memcpy(out + 2 * i, &codes->u16[code], 2);
        } else if (bits == 32) {
            memcpy(out + 4 * i, &codes->u32[code], 4);
        } else if (bits == 64) {
            const uint64_t wide = codes->u32[code];
            memcpy(out + 8 * i, &wide, 8);
        } else if (i % 2 == 0) {
            out[i / 2] = codes->u8[code];
        } else {
            out[i / 2] = (uint8_t)(out[i / 2] | codes->u8[code] << 4);
        }
    }
}

/* One loop a width. */
static void row_plain(int bits, const struct gm_run *run, uint8_t *out)
{
    switch (bits) {
    case 4:
        run_plain(run, out, 4);
        break;
    case 8:
        run_plain(run, out, 8);
        break;
    case 16:
        run_plain(run, out, 16);
        break;
    case 32:
        run_plain(run, out, 32);
        break;
    default:
        run_plain(run, out, 64);
        break;
    }
}

static void column_plain(struct gm_salt salt, uint32_t row, const struct gm_run *run, uint8_t *out)
{
    for (int64_t i = 0; i < run->n; i++) {
        const uint32_t code = gm_element_code(gm_row_key(salt, row + (uint32_t)i), run->col);
        memcpy(out + 4 * i, &run->codes->u32[code], 4);
    }
}

#if HAVE_X86

#define WITH_AVX2   __attribute__((target("avx2")))
#define WITH_AVX512 __attribute__((target("avx512f,avx512bw")))

/* ---- AVX2 ---- */

/* h ^ h >> shift, times `factor`. */
WITH_AVX2 INLINE __m256i mix_avx2(__m256i h, int shift, uint32_t factor)
{
    return _mm256_mullo_epi32(_mm256_xor_si256(h, _mm256_srli_epi32(h, shift)), _mm256_set1_epi32((int)factor));
}

/* From key + col * GM_COLUMN_STEP to the code 0..6. */
WITH_AVX2 INLINE __m256i code_avx2(__m256i h)
{
    h = mix_avx2(h, 16, 0x846CA68BU);
    h = _mm256_xor_si256(h, _mm256_srli_epi32(h, 15));
    return _mm256_mulhi_epu16(h, _mm256_set1_epi32(GM_VALUES)); /* (low half * 7) >> 16, high half 0 */
}

/* `table`: 8 x b32, or 16 bytes twice. */
WITH_AVX2 INLINE __m256i lookup_avx2(__m256i table, __m256i codes, int bits)
{
    const __m256i nibble = _mm256_set1_epi8(15);
    if (bits == 32) {
        return _mm256_permutevar8x32_epi32(table, codes);
    }
    if (bits == 16) { /* byte pair 2 * code, 2 * code + 1 */
        const __m256i twice = _mm256_mullo_epi16(codes, _mm256_set1_epi16(0x0202));
        return _mm256_shuffle_epi8(table, _mm256_add_epi16(twice, _mm256_set1_epi16(0x0100)));
    }
    if (bits == 8) {
        return _mm256_shuffle_epi8(table, codes);
    }
    const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(codes, nibble));
    const __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(codes, 4), nibble));
    return _mm256_or_si256(low, _mm256_slli_epi16(high, 4));
}

WITH_AVX2 INLINE __m256i table_avx2(const union gm_codes *codes, int bits)
{
    if (bits == 32) {
        return _mm256_loadu_si256((const __m256i *)(const void *)codes);
    }
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)codes));
}

WITH_AVX2 INLINE void store_avx2(uint8_t *out, int64_t bytes, __m256i v)
{
    if (bytes >= 32) {
        _mm256_storeu_si256((__m256i *)(void *)out, v);
        return;
    }
    uint8_t last[32];
    _mm256_storeu_si256((__m256i *)(void *)last, v);
    memcpy(out, last, (size_t)bytes);
}

WITH_AVX2 INLINE void run_avx2(const struct gm_run *run, uint8_t *out, const int bits)
{
    const int per_lane = 32 / bits;
    const __m256i table = table_avx2(run->codes, bits), lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i lane_step = _mm256_set1_epi32((int)((uint32_t)per_lane * GM_COLUMN_STEP));
    __m256i h = _mm256_add_epi32(_mm256_set1_epi32((int)(run->key + run->col * GM_COLUMN_STEP)),
                                 _mm256_mullo_epi32(lanes, lane_step));
    for (int64_t left = (run->n * bits + 7) / 8; left > 0; left -= 32, out += 32) {
        __m256i codes = code_avx2(h);
        for (int j = 1; j < per_lane; j++) {
            const __m256i next = _mm256_add_epi32(h, _mm256_set1_epi32((int)((uint32_t)j * GM_COLUMN_STEP)));
            codes = _mm256_or_si256(codes, _mm256_slli_epi32(code_avx2(next), j * bits));
        }
        store_avx2(out, left, lookup_avx2(table, codes, bits));
        h = _mm256_add_epi32(h, _mm256_slli_epi32(lane_step, 3));
    }
}

WITH_AVX2 static void row_avx2(int bits, const struct gm_run *run, uint8_t *out)
{
    switch (bits) {
    case 4:
        run_avx2(run, out, 4);
        break;
    case 8:
        run_avx2(run, out, 8);
        break;
    case 16:
        run_avx2(run, out, 16);
        break;
    case 32:
        run_avx2(run, out, 32);
        break;
    default:
        row_plain(bits, run, out);
        break;
    }
}

WITH_AVX2 static void column_avx2(struct gm_salt salt, uint32_t row, const struct gm_run *run, uint8_t *out)
{
    const __m256i table = table_avx2(run->codes, 32), lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i col = _mm256_set1_epi32((int)(run->col * GM_COLUMN_STEP));
    for (int64_t i = 0; i < run->n; i += 8) {
        const __m256i rows = _mm256_add_epi32(_mm256_set1_epi32((int)(row + (uint32_t)i)), lanes);
        const __m256i mixed = _mm256_add_epi32(_mm256_set1_epi32((int)salt.tensor),
                                               _mm256_mullo_epi32(rows, _mm256_set1_epi32((int)0xC2B2AE35U)));
        __m256i key = mix_avx2(_mm256_xor_si256(_mm256_set1_epi32((int)salt.seed), mixed), 16, 0x7FEB352DU);
        key = _mm256_xor_si256(key, _mm256_srli_epi32(key, 15));
        store_avx2(out + 4 * i, 4 * (run->n - i), lookup_avx2(table, code_avx2(_mm256_add_epi32(key, col)), 32));
    }
}

/* ---- AVX-512: the same with 16 lanes, a b16 permute and masked stores ---- */

WITH_AVX512 INLINE __m512i mix_avx512(__m512i h, unsigned shift, uint32_t factor)
{
    return _mm512_mullo_epi32(_mm512_xor_si512(h, _mm512_srli_epi32(h, shift)), _mm512_set1_epi32((int)factor));
}

WITH_AVX512 INLINE __m512i code_avx512(__m512i h)
{
    h = mix_avx512(h, 16, 0x846CA68BU);
    h = _mm512_xor_si512(h, _mm512_srli_epi32(h, 15));
    return _mm512_mulhi_epu16(h, _mm512_set1_epi32(GM_VALUES));
}

WITH_AVX512 INLINE __m512i lookup_avx512(__m512i table, __m512i codes, int bits)
{
    const __m512i nibble = _mm512_set1_epi8(15);
    if (bits == 32) {
        return _mm512_permutexvar_epi32(codes, table);
    }
    if (bits == 16) {
        return _mm512_permutexvar_epi16(codes, table);
    }
    if (bits == 8) {
        return _mm512_shuffle_epi8(table, codes);
    }
    const __m512i low = _mm512_shuffle_epi8(table, _mm512_and_si512(codes, nibble));
    const __m512i high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(codes, 4), nibble));
    return _mm512_or_si512(low, _mm512_slli_epi16(high, 4));
}

WITH_AVX512 INLINE __m512i table_avx512(const union gm_codes *codes, int bits)
{
    if (bits == 32) {
        return _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)(const void *)codes));
    }
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)codes));
}

WITH_AVX512 INLINE void store_avx512(uint8_t *out, int64_t bytes, __m512i v)
{
    const __mmask64 mask = bytes >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << bytes) - 1;
    _mm512_mask_storeu_epi8(out, mask, v);
}

WITH_AVX512 INLINE __m512i lanes_avx512(void)
{
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

WITH_AVX512 INLINE void run_avx512(const struct gm_run *run, uint8_t *out, const int bits)
{
    const int per_lane = 32 / bits;
    const __m512i table = table_avx512(run->codes, bits);
    const __m512i lane_step = _mm512_set1_epi32((int)((uint32_t)per_lane * GM_COLUMN_STEP));
    __m512i h = _mm512_add_epi32(_mm512_set1_epi32((int)(run->key + run->col * GM_COLUMN_STEP)),
                                 _mm512_mullo_epi32(lanes_avx512(), lane_step));
    for (int64_t left = (run->n * bits + 7) / 8; left > 0; left -= 64, out += 64) {
        __m512i codes = code_avx512(h);
        for (int j = 1; j < per_lane; j++) {
            const __m512i next = _mm512_add_epi32(h, _mm512_set1_epi32((int)((uint32_t)j * GM_COLUMN_STEP)));
            codes = _mm512_or_si512(codes, _mm512_slli_epi32(code_avx512(next), (unsigned)(j * bits)));
        }
        store_avx512(out, left, lookup_avx512(table, codes, bits));
        h = _mm512_add_epi32(h, _mm512_slli_epi32(lane_step, 4));
    }
}

WITH_AVX512 static void row_avx512(int bits, const struct gm_run *run, uint8_t *out)
{
    switch (bits) {
    case 4:
        run_avx512(run, out, 4);
        break;
    case 8:
        run_avx512(run, out, 8);
        break;
    case 16:
        run_avx512(run, out, 16);
        break;
    case 32:
        run_avx512(run, out, 32);
        break;
    default:
        row_plain(bits, run, out);
        break;
    }
}

WITH_AVX512 static void column_avx512(struct gm_salt salt, uint32_t row, const struct gm_run *run, uint8_t *out)
{
    const __m512i table = table_avx512(run->codes, 32);
    const __m512i col = _mm512_set1_epi32((int)(run->col * GM_COLUMN_STEP));
    for (int64_t i = 0; i < run->n; i += 16) {
        const __m512i rows = _mm512_add_epi32(_mm512_set1_epi32((int)(row + (uint32_t)i)), lanes_avx512());
        const __m512i mixed = _mm512_add_epi32(_mm512_set1_epi32((int)salt.tensor),
                                               _mm512_mullo_epi32(rows, _mm512_set1_epi32((int)0xC2B2AE35U)));
        __m512i key = mix_avx512(_mm512_xor_si512(_mm512_set1_epi32((int)salt.seed), mixed), 16, 0x7FEB352DU);
        key = _mm512_xor_si512(key, _mm512_srli_epi32(key, 15));
        store_avx512(out + 4 * i, 4 * (run->n - i), lookup_avx512(table, code_avx512(_mm512_add_epi32(key, col)), 32));
    }
}

#endif

/* ---- choice ---- */

static const struct kernels {
    const char *name;
    void (*row)(int bits, const struct gm_run *run, uint8_t *out);
    void (*column)(struct gm_salt salt, uint32_t row, const struct gm_run *run, uint8_t *out);
} KERNELS[GM_ISA_N] = {
    [GM_PLAIN] = {"plain", row_plain, column_plain},
#if HAVE_X86
    [GM_AVX2] = {"avx2", row_avx2, column_avx2},
    [GM_AVX512] = {"avx512", row_avx512, column_avx512},
#else
    [GM_AVX2] = {"avx2", row_plain, column_plain},
    [GM_AVX512] = {"avx512", row_plain, column_plain},
#endif
};

enum gm_isa gm_isa_best(void)
{
#if HAVE_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") ? GM_AVX512 : GM_AVX2;
    }
#endif
    return GM_PLAIN;
}

const char *gm_isa_name(enum gm_isa isa)
{
    return KERNELS[isa].name;
}

void gm_run_row(enum gm_isa isa, int bits, const struct gm_run *run, uint8_t *out)
{
    KERNELS[isa].row(bits, run, out);
}

void gm_run_column(enum gm_isa isa, struct gm_salt salt, uint32_t row, const struct gm_run *run, uint8_t *out)
{
    KERNELS[isa].column(salt, row, run, out);
}
