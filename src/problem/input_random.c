/* input_random.c - runs of random floats, the same bits on every machine.
 *
 * Only operations IEEE 754 defines to the last bit are used (+ - * / sqrt on
 * doubles, integer arithmetic), in one order, without contraction; wider
 * registers come from compiling the same body for another target. */
#include "problem/input_random.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

#define INLINE static inline __attribute__((always_inline))

INLINE double double_from_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

INLINE uint64_t double_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* An integer below 2^52, exactly; the processor's own conversion is not in every vector unit. */
INLINE double small_to_double(uint64_t i)
{
    return double_from_bits(0x4330000000000000U | i) - 0x1p52;
}

/* u = 2^e * m with m within sqrt(1/2) .. sqrt(2), s = (m - 1) / (m + 1):
 * ln u = e ln 2 + 2 (s + s^3/3 + s^5/5 + ..), |s| < 0.172. */
INLINE double log_series(double u)
{
    const uint64_t root_half = 0x3FE6A09E667F3BCDU, bits = double_bits(u);
    const uint64_t e = (bits - root_half + (UINT64_C(1024) << 52)) >> 52; /* plus 1024: never negative */
    const double m = double_from_bits(bits - ((e - 1024) << 52));
    const double s = (m - 1.0) / (m + 1.0), q = s * s;
    double sum = 1.0 / 17.0;
    sum = sum * q + 1.0 / 15.0;
    sum = sum * q + 1.0 / 13.0;
    sum = sum * q + 1.0 / 11.0;
    sum = sum * q + 1.0 / 9.0;
    sum = sum * q + 1.0 / 7.0;
    sum = sum * q + 1.0 / 5.0;
    sum = sum * q + 1.0 / 3.0;
    sum = sum * q + 1.0;
    return (small_to_double(e) - 1024.0) * 0x1.62E42FEFA39EFp-1 + 2.0 * s * sum;
}

/* |x| <= pi / 2: x - x^3/3! + x^5/5! - .. */
INLINE double sin_series(double x)
{
    const double q = x * x;
    double sum = 1.0 / 355687428096000.0;
    sum = sum * q - 1.0 / 1307674368000.0;
    sum = sum * q + 1.0 / 6227020800.0;
    sum = sum * q - 1.0 / 39916800.0;
    sum = sum * q + 1.0 / 362880.0;
    sum = sum * q - 1.0 / 5040.0;
    sum = sum * q + 1.0 / 120.0;
    sum = sum * q - 1.0 / 6.0;
    sum = sum * q + 1.0;
    return x * sum;
}

INLINE uint64_t word_at(const struct input_stream *s, int64_t i)
{
    return rng_at(s->stream, (uint64_t)s->first + (uint64_t)i * (uint64_t)s->step);
}

INLINE void fill(const struct input_stream *s, int64_t n, float *restrict out)
{
    const double base = s->base, span = s->span;
    if (!s->normal) {
        for (int64_t i = 0; i < n; i++) {
            const double u = double_from_bits(0x3FF0000000000000U | word_at(s, i) >> 12) - 1.0;
            out[i] = (float)(base + span * u);
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const uint64_t w = word_at(s, i);
        const double u = (small_to_double(w >> 24) + 0.5) * 0x1p-40;
        const double v = (small_to_double(w & 0xFFFFFFU) + 0.5) * 0x1p-24 - 0.5;
        const double z = sqrt(-2.0 * log_series(u)) * sin_series(0x1.921FB54442D18p+1 * v);
        out[i] = (float)(base + span * z);
    }
}

static void fill_plain(const struct input_stream *s, int64_t n, float *out)
{
    fill(s, n, out);
}

#if defined(__x86_64__)
/* Without fma: a product must be rounded before it is added. */
__attribute__((target("avx2"))) static void fill_avx2(const struct input_stream *s, int64_t n, float *out)
{
    fill(s, n, out);
}

__attribute__((target("avx512f,avx512bw"))) static void fill_avx512(const struct input_stream *s, int64_t n, float *out)
{
    fill(s, n, out);
}
#else
#define fill_avx2   fill_plain
#define fill_avx512 fill_plain
#endif

void input_random_run(enum gm_isa isa, const struct input_stream *s, int64_t n, float *out)
{
    static void (*const by_isa[GM_ISA_N])(const struct input_stream *s, int64_t n, float *out) = {
        [GM_PLAIN] = fill_plain, [GM_AVX2] = fill_avx2, [GM_AVX512] = fill_avx512};
    by_isa[isa](s, n, out);
}
