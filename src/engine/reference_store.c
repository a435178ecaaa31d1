/* reference_store.c - rows of floats to the dtypes C has most, without branches.
 *
 * dtype_store() is the definition: one element at a time, any dtype. The loops
 * here give its bits by float and integer operations that compilers vectorise;
 * wider registers come from compiling the same body for another target. */
#include "engine/reference_kernel.h"

#include <string.h>

#include "base/intmath.h"
#include "numeric/fp.h"

#define INLINE static inline __attribute__((always_inline))

/* A select compilers keep free of branches; arithmetic on one side only of a
 * condition is not vectorised. */
INLINE uint32_t choose(bool condition, uint32_t yes, uint32_t no)
{
    const uint32_t mask = 0U - (uint32_t)condition;
    return (yes & mask) | (no & ~mask);
}

/* What is above the largest finite value saturates, nan gives +0. */
INLINE uint32_t half_code(uint32_t bits)
{
    const uint32_t magnitude = bits & 0x7FFFFFFFU, sign = bits >> 16 & 0x8000U;
    /* Normal: re-bias the exponent, round the 13 bits that fall off to even. */
    const uint32_t normal = (magnitude - (112U << 23) + 0xFFFU + (magnitude >> 13 & 1U)) >> 13;
    /* Below 2^-14 the last place is 2^-24, that of 0.5: let an addition round. */
    const uint32_t tiny = float_bits(float_from_bits(magnitude) + 0.5F) - float_bits(0.5F);
    const uint32_t finite = choose(magnitude < 113U << 23, tiny, normal);
    const uint32_t clamped = choose(magnitude >= 0x477FF000U, 0x7BFFU, finite);
    return choose(magnitude > 0x7F800000U, 0, sign | clamped);
}

INLINE uint32_t bf16_code(uint32_t bits)
{
    const uint32_t magnitude = bits & 0x7FFFFFFFU, sign = bits >> 16 & 0x8000U;
    const uint32_t rounded = (magnitude + 0x7FFFU + (magnitude >> 16 & 1U)) >> 16;
    const uint32_t clamped = choose(rounded > 0x7F7FU, 0x7F7FU, rounded);
    return choose(magnitude > 0x7F800000U, 0, sign | clamped);
}

/* To nearest even, clamped, nan gives 0. */
INLINE uint32_t int32_code(float v)
{
    const uint32_t magnitude = float_bits(v) & 0x7FFFFFFFU;
    /* From 2^23 on floats are whole; below, adding 2^23 of the same sign leaves no room for a fraction. */
    const float big = float_from_bits(0x4B000000U | (float_bits(v) & 0x80000000U));
    const uint32_t below = float_bits((v + big) - big);
    const uint32_t whole = choose(magnitude >= 0x4B000000U, float_bits(v), below);
    const uint32_t inside = choose(magnitude >= 0x4F000000U, 0, whole); /* the conversion is defined */
    const uint32_t limit = choose(magnitude > 0x7F800000U, 0, 0x7FFFFFFFU + (float_bits(v) >> 31));
    return choose(magnitude >= 0x4F000000U, limit, (uint32_t)(int32_t)float_from_bits(inside));
}

/* A signalling nan becomes quiet, as on the way through a double. */
INLINE uint32_t float_code(uint32_t bits)
{
    return bits | choose((bits & 0x7FFFFFFFU) > 0x7F800000U, 0x400000U, 0);
}

/* By blocks through a buffer: `out` is bytes of any alignment, to which compilers
 * do not vectorise narrowing stores. */
enum { BLOCK = 64 };

INLINE void store16(const bool half, const float *values, int64_t n, uint8_t *out)
{
    uint16_t codes[BLOCK];
    for (int64_t done = 0; done < n; done += BLOCK) {
        const int64_t count = min_i64(BLOCK, n - done);
        for (int64_t i = 0; i < count; i++) {
            const uint32_t bits = float_bits(values[done + i]);
            codes[i] = (uint16_t)(half ? half_code(bits) : bf16_code(bits));
        }
        memcpy(out + 2 * done, codes, (size_t)(2 * count));
    }
}

INLINE void store32(const bool integer, const float *values, int64_t n, uint8_t *out)
{
    uint32_t codes[BLOCK];
    for (int64_t done = 0; done < n; done += BLOCK) {
        const int64_t count = min_i64(BLOCK, n - done);
        for (int64_t i = 0; i < count; i++) {
            codes[i] = integer ? int32_code(values[done + i]) : float_code(float_bits(values[done + i]));
        }
        memcpy(out + 4 * done, codes, (size_t)(4 * count));
    }
}

/* One loop for each dtype. */
INLINE void store_common(enum dtype dtype, const float *values, int64_t n, uint8_t *out)
{
    if (dtype == DTYPE_HALF) {
        store16(true, values, n, out);
    } else if (dtype == DTYPE_BF16) {
        store16(false, values, n, out);
    } else if (dtype == DTYPE_INT32) {
        store32(true, values, n, out);
    } else {
        store32(false, values, n, out);
    }
}

static void store_plain(enum dtype dtype, const float *values, int64_t n, uint8_t *out)
{
    store_common(dtype, values, n, out);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void store_avx2(enum dtype dtype, const float *values, int64_t n, uint8_t *out)
{
    store_common(dtype, values, n, out);
}

__attribute__((target("avx512f,avx512bw"))) static void store_avx512(enum dtype dtype, const float *values, int64_t n,
                                                                     uint8_t *out)
{
    store_common(dtype, values, n, out);
}
#else
#define store_avx2   store_plain
#define store_avx512 store_plain
#endif

enum status reference_store(enum gm_isa isa, enum dtype dtype, const float *values, int64_t n, uint8_t *out)
{
    static void (*const store[GM_ISA_N])(enum dtype dtype, const float *values, int64_t n, uint8_t *out) = {
        [GM_PLAIN] = store_plain, [GM_AVX2] = store_avx2, [GM_AVX512] = store_avx512};
    if (dtype == DTYPE_HALF || dtype == DTYPE_BF16 || dtype == DTYPE_INT32 || dtype == DTYPE_FLOAT) {
        store[isa](dtype, values, n, out);
        return STATUS_OK;
    }
    if (dtype_info(dtype)->bits < 8) {
        return STATUS_UNSUPPORTED;
    }
    for (int64_t i = 0; i < n; i++) {
        dtype_store(dtype, out, i, (double)values[i]);
    }
    return STATUS_OK;
}
