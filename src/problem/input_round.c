/* input_round.c - rounding on the bits of floats.
 *
 * The small floats differ in mantissa bits, smallest normal exponent and largest
 * number only. A normal number loses the bits its mantissa has no room for; below
 * the normals the spacing is fixed, and the addition of a number whose last place
 * is that spacing rounds. */
#include "problem/input_round.h"

#include <string.h>

#include "base/intmath.h"
#include "numeric/fp.h"

#define INLINE static inline __attribute__((always_inline))

struct shape {
    uint32_t drop;  /* bits of a float's mantissa that go */
    float smallest; /* normal number */
    float magic;    /* its last place is the spacing below that */
    float largest;
};

/* A select compilers keep free of branches. */
INLINE uint32_t choose(bool condition, uint32_t yes, uint32_t no)
{
    const uint32_t mask = 0U - (uint32_t)condition;
    return (yes & mask) | (no & ~mask);
}

/* To nearest even. */
INLINE void round_shape(const struct shape s, int64_t n, float *values)
{
    const uint32_t half = 1U << (s.drop - 1), keep = ~((1U << s.drop) - 1);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t bits = float_bits(values[i]), sign = bits & 0x80000000U, size = bits & 0x7FFFFFFFU;
        const uint32_t normal = (size + half - 1 + (size >> s.drop & 1U)) & keep;
        const uint32_t tiny = float_bits((float_from_bits(size) + s.magic) - s.magic);
        const uint32_t any = choose(size < float_bits(s.smallest), tiny, normal);
        values[i] = float_from_bits(sign | choose(any > float_bits(s.largest), float_bits(s.largest), any));
    }
}

/* Clamped, to nearest even: 1.5 * 2^23 leaves no room for a fraction. */
INLINE void round_integer(float low, float high, int64_t n, float *values)
{
    for (int64_t i = 0; i < n; i++) {
        const float v = values[i] < low ? low : values[i] > high ? high : values[i];
        values[i] = (v + 0x1.8p23F) - 0x1.8p23F;
    }
}

/* hif8: the nearer to 1, the more bits of mantissa; half away from zero. */
INLINE void round_hif8(int64_t n, float *values)
{
    for (int64_t i = 0; i < n; i++) {
        const uint32_t bits = float_bits(values[i]), size = bits & 0x7FFFFFFFU, e = size >> 23;
        const uint32_t from_one = e > 127 ? e - 127 : 127 - e;
        const uint32_t mantissa = (uint32_t)(from_one < 4) + (uint32_t)(from_one < 8) + (uint32_t)(from_one < 16);
        const uint32_t drop = 23 - mantissa;
        const uint32_t near = (size + (1U << (drop - 1))) & ~((1U << drop) - 1);
        /* Powers of two down to 2^-22; what reaches half of that becomes it. */
        const uint32_t small = choose(e >= 127 - 23, 0x34800000U, 0);
        const uint32_t any = choose(e >= 127 - 22, near, small);
        const uint32_t code = choose(any > 0x47000000U, 0x47000000U, any);
        values[i] = float_from_bits(choose(code == 0, 0, (bits & 0x80000000U) | code));
    }
}

INLINE void round_any(enum dtype dtype, int64_t n, float *values)
{
    switch (dtype) {
    case DTYPE_HALF:
        round_shape((struct shape){13, 0x1p-14F, 0x1p-1F, 65504.0F}, n, values);
        break;
    case DTYPE_BF16: /* as far down as float itself */
        round_shape((struct shape){16, 0.0F, 0.0F, 0x1.FEp127F}, n, values);
        break;
    case DTYPE_FP8_E4M3:
        round_shape((struct shape){20, 0x1p-6F, 0x1p14F, 448.0F}, n, values);
        break;
    case DTYPE_FP8_E5M2:
        round_shape((struct shape){21, 0x1p-14F, 0x1p7F, 57344.0F}, n, values);
        break;
    case DTYPE_FP4_E2M1:
        round_shape((struct shape){22, 1.0F, 0x1p22F, 6.0F}, n, values);
        break;
    case DTYPE_FP4_E1M2:
        round_shape((struct shape){21, 1.0F, 0x1p21F, 1.75F}, n, values);
        break;
    case DTYPE_HIF8:
        round_hif8(n, values);
        break;
    case DTYPE_INT8:
        round_integer(-128.0F, 127.0F, n, values);
        break;
    case DTYPE_UINT8:
        round_integer(0.0F, 255.0F, n, values);
        break;
    case DTYPE_INT4:
        round_integer(-8.0F, 7.0F, n, values);
        break;
    default: /* float */
        break;
    }
}

static void round_plain(enum dtype dtype, int64_t n, float *values)
{
    round_any(dtype, n, values);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void round_avx2(enum dtype dtype, int64_t n, float *values)
{
    round_any(dtype, n, values);
}

__attribute__((target("avx512f,avx512bw"))) static void round_avx512(enum dtype dtype, int64_t n, float *values)
{
    round_any(dtype, n, values);
}
#else
#define round_avx2   round_plain
#define round_avx512 round_plain
#endif

void input_round_run(enum gm_isa isa, enum dtype dtype, int64_t n, float *values)
{
    static void (*const by_isa[GM_ISA_N])(enum dtype dtype, int64_t n, float *values) = {
        [GM_PLAIN] = round_plain, [GM_AVX2] = round_avx2, [GM_AVX512] = round_avx512};
    by_isa[isa](dtype, n, values);
}

/* ---- codes ---- */

/* Sign, exponent and mantissa bits of a number that is one of the format's. */
INLINE uint32_t small_code(float v, uint32_t sign_at, uint32_t drop, float smallest, float magic)
{
    const uint32_t bits = float_bits(v), size = bits & 0x7FFFFFFFU;
    const uint32_t normal = (size - float_bits(smallest) + (1U << 23)) >> drop;
    const uint32_t tiny = float_bits(float_from_bits(size) + magic) - float_bits(magic);
    return (bits >> 31) << sign_at | choose(size < float_bits(smallest), tiny, normal);
}

INLINE void encode8(uint32_t drop, float smallest, float magic, const float *values, int64_t n, uint8_t *out)
{
    for (int64_t i = 0; i < n; i++) {
        out[i] = (uint8_t)small_code(values[i], 7, drop, smallest, magic);
    }
}

INLINE void encode4(uint32_t drop, float magic, const float *values, int64_t n, uint8_t *out)
{
    for (int64_t i = 0; i < n; i += 2) {
        const uint32_t low = small_code(values[i], 3, drop, 1.0F, magic);
        const uint32_t high = i + 1 < n ? small_code(values[i + 1], 3, drop, 1.0F, magic) : 0;
        out[i / 2] = (uint8_t)(low | high << 4);
    }
}

static void encode16(enum dtype dtype, const float *values, int64_t n, uint8_t *out)
{
    for (int64_t i = 0; i < n; i++) {
        const uint16_t code = (uint16_t)(dtype == DTYPE_BF16 ? float_bits(values[i]) >> 16
                                                             : small_code(values[i], 15, 13, 0x1p-14F, 0x1p-1F));
        memcpy(out + 2 * i, &code, sizeof code);
    }
}

/* hif8's prefix says how many bits the exponent's size has behind its leading one. */
static uint8_t hif8_code(float v)
{
    const uint32_t bits = float_bits(v), sign = bits >> 31 << 7, mantissa = bits & 0x7FFFFFU;
    const int e = (int)(bits >> 23 & 0xFFU) - 127;
    const uint32_t size = (uint32_t)(e < 0 ? -e : e), negative = e < 0;
    if (v == 0.0F) {
        return 0;
    }
    if (e < -15) {
        return (uint8_t)(sign | (uint32_t)(e + 23));
    }
    const uint32_t code = size >= 8   ? 3U << 5 | negative << 4 | (size & 7U) << 1 | mantissa >> 22
                          : size >= 4 ? 2U << 5 | negative << 4 | (size & 3U) << 2 | mantissa >> 21
                          : size >= 2 ? 1U << 5 | negative << 4 | (size & 1U) << 3 | mantissa >> 20
                          : size == 1 ? 1U << 4 | negative << 3 | mantissa >> 20
                                      : 1U << 3 | mantissa >> 20;
    return (uint8_t)(sign | code);
}

void input_encode_run(enum dtype dtype, const float *values, int64_t n, uint8_t *out)
{
    switch (dtype) {
    case DTYPE_HALF:
    case DTYPE_BF16:
        encode16(dtype, values, n, out);
        break;
    case DTYPE_FLOAT:
        memcpy(out, values, (size_t)n * sizeof *values);
        break;
    case DTYPE_FP8_E4M3:
        encode8(20, 0x1p-6F, 0x1p14F, values, n, out);
        break;
    case DTYPE_FP8_E5M2:
        encode8(21, 0x1p-14F, 0x1p7F, values, n, out);
        break;
    case DTYPE_FP4_E2M1:
        encode4(22, 0x1p22F, values, n, out);
        break;
    case DTYPE_FP4_E1M2:
        encode4(21, 0x1p21F, values, n, out);
        break;
    case DTYPE_HIF8:
        for (int64_t i = 0; i < n; i++) {
            out[i] = hif8_code(values[i]);
        }
        break;
    case DTYPE_INT4:
        for (int64_t i = 0; i < n; i += 2) {
            const uint32_t high = i + 1 < n ? (uint32_t)(int32_t)values[i + 1] & 15U : 0;
            out[i / 2] = (uint8_t)(((uint32_t)(int32_t)values[i] & 15U) | high << 4);
        }
        break;
    default: /* int8, uint8 */
        for (int64_t i = 0; i < n; i++) {
            out[i] = (uint8_t)(int32_t)values[i];
        }
        break;
    }
}
