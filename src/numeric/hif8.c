/* hif8: sign, a prefix code ("dot"), exponent, mantissa.
 *
 *   dot    exponent          mantissa  |exponent|
 *   11     sign + 3 bits     1         8..15
 *   10     sign + 2 bits     2         4..7
 *   01     sign + 1 bit      3         2..3
 *   001    sign              3         1
 *   0001   -                 3         0
 *   0000   -                 3         subnormal: 2^(mantissa - 23), 0 for mantissa 0
 *
 * The exponent is sign-magnitude; its magnitude has an implicit leading one.
 * 0x80 is nan, 0x6F and 0xEF (exponent 15, mantissa 1) are the infinities, so
 * the largest finite value is 2^15. */
#include <math.h>

#include "numeric/fp.h"

enum { HIF8_NAN = 0x80, HIF8_INF = 0x6F, HIF8_MAX = 0x6E };

struct dot {
    uint8_t prefix, prefix_bits; /* in the 7 magnitude bits, from the top */
    uint8_t exp_bits, man_bits;
};

static const struct dot dots[] = {
    {3, 2, 4, 1}, {2, 2, 3, 2}, {1, 2, 2, 3}, {1, 3, 1, 3}, {1, 4, 0, 3},
};
enum { DOT_COUNT = sizeof dots / sizeof dots[0] };

static int dot_exponent(const struct dot *dot, uint32_t field)
{
    if (dot->exp_bits == 0) {
        return 0;
    }
    const uint32_t low = dot->exp_bits - 1U;
    const int magnitude = (int)((1U << low) | (field & ((1U << low) - 1)));
    return (field >> low) != 0 ? -magnitude : magnitude;
}

float hif8_to_float(uint8_t code)
{
    const uint32_t magnitude = code & 0x7FU;
    const float sign = (code & 0x80U) != 0 ? -1.0F : 1.0F;
    if (code == HIF8_NAN) {
        return float_from_bits(FP_NAN_BITS);
    }
    if (magnitude == HIF8_INF) {
        return float_from_bits(sign < 0 ? 0xFF800000U : 0x7F800000U);
    }
    if (magnitude < 8) {
        return magnitude == 0 ? 0.0F : ldexpf(sign, (int)magnitude - 23);
    }
    const struct dot *dot = dots;
    while (magnitude >> (7 - dot->prefix_bits) != dot->prefix) {
        dot++;
    }
    const int exp = dot_exponent(dot, (magnitude >> dot->man_bits) & ((1U << dot->exp_bits) - 1));
    const uint32_t man = magnitude & ((1U << dot->man_bits) - 1);
    return ldexpf(sign * (float)((1U << dot->man_bits) + man), exp - dot->man_bits);
}

static const struct dot *dot_of_exponent(int exp)
{
    const int magnitude = exp < 0 ? -exp : exp;
    return &dots[magnitude >= 8 ? 0 : magnitude >= 4 ? 1 : magnitude >= 2 ? 2 : magnitude == 1 ? 3 : 4];
}

static uint8_t compose(const struct dot *dot, int exp, uint32_t man)
{
    uint32_t field = 0;
    if (dot->exp_bits > 0) {
        const uint32_t low = dot->exp_bits - 1U, magnitude = (uint32_t)(exp < 0 ? -exp : exp);
        field = (exp < 0 ? 1U << low : 0) | (magnitude & ((1U << low) - 1));
    }
    return (uint8_t)((uint32_t)dot->prefix << (7 - dot->prefix_bits) | field << dot->man_bits | man);
}

enum { TOO_LARGE = 0x100 }; /* no code */

/* Magnitude code of fraction * 2^exp, 1 <= fraction < 2, half away from zero;
 * or TOO_LARGE. */
static int round_magnitude(double fraction, int exp)
{
    if (exp < -15) { /* the subnormals are powers of two, 2^-22 .. 2^-16 */
        const int up = fraction >= 1.5 || exp == -23 ? exp + 1 : exp; /* 2^-23 is half of the smallest */
        if (up < -22) {
            return 0;
        }
        if (up < -15) {
            return up + 23;
        }
        exp = up;
        fraction = 1.0;
    }
    if (exp > 15) {
        return TOO_LARGE;
    }
    const struct dot *dot = dot_of_exponent(exp);
    uint32_t man = (uint32_t)floor(ldexp(fraction - 1.0, dot->man_bits) + 0.5);
    if (man >> dot->man_bits != 0) {
        if (++exp > 15) {
            return TOO_LARGE;
        }
        dot = dot_of_exponent(exp);
        man = 0;
    }
    const int code = compose(dot, exp, man);
    return code == HIF8_INF ? TOO_LARGE : code;
}

uint8_t hif8_from_float(float value, enum fp_overflow overflow, enum hif8_rounding rounding)
{
    (void)rounding; /* the hybrid mode's random part is not published: its nearest half is used */
    if (isnan(value)) {
        return overflow == FP_SATURATE ? 0 : HIF8_NAN;
    }
    const uint8_t sign = value < 0 ? 0x80 : 0;
    int code = TOO_LARGE;
    if (!isinf(value)) {
        int exp;
        const double fraction = frexp(fabs((double)value), &exp) * 2.0;
        code = fraction == 0.0 ? 0 : round_magnitude(fraction, exp - 1);
    }
    if (code == TOO_LARGE) {
        return (uint8_t)(sign | (overflow == FP_SATURATE ? HIF8_MAX : HIF8_INF));
    }
    return code == 0 ? 0 : (uint8_t)(sign | code);
}
