/* All small floats but hif8 are one shape: sign, exponent, mantissa, bias, and
 * one of three rules for the top exponent.  A row of `formats` states it; one
 * encoder and one decoder serve them all.  hif8 (a prefix code chooses how the
 * bits are split) stands in hif8.c. */
#include "numeric/fp.h"

#include <math.h>
#include <string.h>

enum top_codes {
    TOP_IEEE,  /* top exponent: inf and nan */
    TOP_NAN,   /* only the all-ones code is nan (e4m3fn) */
    TOP_FINITE /* every code is a number (fp4) */
};

struct format {
    int exp_bits, man_bits, bias;
    enum top_codes top;
    uint32_t max_code; /* magnitude of the largest finite value */
};

static const struct format half_format = {5, 10, 15, TOP_IEEE, 0x7BFF};
static const struct format bf16_format = {8, 7, 127, TOP_IEEE, 0x7F7F};
static const struct format e4m3_format = {4, 3, 7, TOP_NAN, 0x7E};
static const struct format e5m2_format = {5, 2, 15, TOP_IEEE, 0x7B};
static const struct format e2m1_format = {2, 1, 1, TOP_FINITE, 0x7};
static const struct format e1m2_format = {1, 2, 1, TOP_FINITE, 0x7};

static uint32_t sign_bit(const struct format *f)
{
    return 1U << (f->exp_bits + f->man_bits);
}

/* Normalises magnitude man * 2^exp (man != 0) into float bits; the value is
 * always exact and at least 2^-149. */
static uint32_t float_magnitude(uint32_t man, int exp)
{
    const int top = 31 - __builtin_clz(man);
    const int biased = top + exp + 127;
    if (biased >= 1) {
        const uint32_t fraction = (top <= 23 ? man << (23 - top) : man >> (top - 23)) & 0x7FFFFFU;
        return ((uint32_t)biased << 23) | fraction;
    }
    return man << (exp + 149); /* float subnormal */
}

static float decode(const struct format *f, uint32_t code)
{
    const uint32_t sign = (code & sign_bit(f)) != 0 ? 0x80000000U : 0;
    const uint32_t magnitude = code & (sign_bit(f) - 1);
    const uint32_t exp = magnitude >> f->man_bits;
    const uint32_t man = magnitude & ((1U << f->man_bits) - 1);
    const uint32_t top = (1U << f->exp_bits) - 1;
    if (f->top == TOP_NAN && magnitude == sign_bit(f) - 1) {
        return float_from_bits(sign | FP_NAN_BITS);
    }
    if (f->top == TOP_IEEE && exp == top) {
        return float_from_bits(sign | 0x7F800000U | (man != 0 ? 0x400000U : 0) | man << (23 - f->man_bits));
    }
    if (magnitude == 0) {
        return float_from_bits(sign);
    }
    const uint32_t full = exp == 0 ? man : man | 1U << f->man_bits;
    const int scale = (exp == 0 ? 1 : (int)exp) - f->bias - f->man_bits;
    return float_from_bits(sign | float_magnitude(full, scale));
}

/* value of |bits| as integer mantissa and exponent: man * 2^exp. */
static uint32_t split_float(uint32_t magnitude, int *exp)
{
    const uint32_t e = magnitude >> 23;
    *exp = (e == 0 ? 1 : (int)e) - 127 - 23;
    return (magnitude & 0x7FFFFFU) | (e == 0 ? 0 : 0x800000U);
}

/* man >> shift, to nearest, ties to even; shift >= 0. */
static uint32_t round_shift(uint32_t man, int shift)
{
    if (shift == 0) {
        return man;
    }
    if (shift > 25) {
        return 0; /* man < 2^24: below half of the last place */
    }
    const uint32_t kept = man >> shift, rest = man & ((1U << shift) - 1), half = 1U << (shift - 1);
    return kept + (rest > half || (rest == half && (kept & 1U) != 0));
}

static uint32_t encode_special(const struct format *f, uint32_t sign, bool is_nan, enum fp_overflow overflow)
{
    if (overflow == FP_SATURATE || f->top == TOP_FINITE) {
        return is_nan ? 0 : sign | f->max_code;
    }
    const uint32_t ones = sign_bit(f) - 1;
    if (f->top == TOP_NAN) {
        return sign | ones;
    }
    const uint32_t inf = ones & ~((1U << f->man_bits) - 1);
    return is_nan ? inf | 1U << (f->man_bits - 1) : sign | inf;
}

static uint32_t encode(const struct format *f, float value, enum fp_overflow overflow)
{
    const uint32_t bits = float_bits(value), magnitude = bits & 0x7FFFFFFFU;
    const uint32_t sign = (bits >> 31) != 0 ? sign_bit(f) : 0;
    if (magnitude >= 0x7F800000U) {
        return encode_special(f, sign, magnitude > 0x7F800000U, overflow);
    }
    if (magnitude == 0) {
        return sign;
    }
    int exp;
    const uint32_t man = split_float(magnitude, &exp);
    const int top = 31 - __builtin_clz(man);
    /* Exponent of the last kept place: of the leading bit, or of the subnormals. */
    int place = top + exp - f->man_bits;
    const int lowest = 1 - f->bias - f->man_bits;
    if (place < lowest) {
        place = lowest;
    }
    const int shift = place - exp;
    const uint32_t kept = shift >= 0 ? round_shift(man, shift) : man << -shift;
    /* A carry out of the mantissa runs into the exponent by itself. */
    const uint32_t code = kept + ((uint32_t)(place - lowest) << f->man_bits);
    return code > f->max_code ? encode_special(f, sign, false, overflow) : sign | code;
}

float half_to_float(uint16_t code)
{
    return decode(&half_format, code);
}
float fp8_e4m3_to_float(uint8_t code)
{
    return decode(&e4m3_format, code);
}
float fp8_e5m2_to_float(uint8_t code)
{
    return decode(&e5m2_format, code);
}
float fp4_e2m1_to_float(uint8_t code)
{
    return decode(&e2m1_format, code & 15U);
}
float fp4_e1m2_to_float(uint8_t code)
{
    return decode(&e1m2_format, code & 15U);
}

float bf16_to_float(uint16_t code)
{
    const uint32_t bits = (uint32_t)code << 16;
    return float_from_bits((bits & 0x7FFFFFFFU) > 0x7F800000U ? bits | 0x400000U : bits);
}

float e8m0_to_float(uint8_t code)
{
    if (code == 0xFF) {
        return float_from_bits(FP_NAN_BITS);
    }
    return float_from_bits(code == 0 ? 0x400000U : (uint32_t)code << 23);
}

uint16_t half_from_float(float value, enum fp_overflow overflow)
{
    const uint32_t bits = float_bits(value), magnitude = bits & 0x7FFFFFFFU;
    /* From the least normal number to below the greatest one, the common case:
     * the exponent's bias changes by 112 and 13 bits are rounded away. */
    if (magnitude >= 0x38800000U && magnitude < 0x477FE000U) {
        const uint32_t rounded = magnitude + 0xFFFU + (magnitude >> 13 & 1U);
        return (uint16_t)((bits >> 16 & 0x8000U) | ((rounded >> 13) - (112U << 10)));
    }
    return (uint16_t)encode(&half_format, value, overflow);
}

uint16_t bf16_from_float(float value, enum fp_overflow overflow)
{
    return (uint16_t)encode(&bf16_format, value, overflow);
}

uint8_t fp8_e4m3_from_float(float value, enum fp_overflow overflow)
{
    return (uint8_t)encode(&e4m3_format, value, overflow);
}

uint8_t fp8_e5m2_from_float(float value, enum fp_overflow overflow)
{
    return (uint8_t)encode(&e5m2_format, value, overflow);
}

uint8_t fp4_e2m1_from_float(float value)
{
    return (uint8_t)encode(&e2m1_format, value, FP_SATURATE);
}
uint8_t fp4_e1m2_from_float(float value)
{
    return (uint8_t)encode(&e1m2_format, value, FP_SATURATE);
}

uint8_t e8m0_from_float(float value)
{
    const uint32_t bits = float_bits(value);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) {
        return 0xFF;
    }
    if ((bits >> 31) != 0) {
        return 0;
    }
    const uint32_t exp = bits >> 23;
    return (uint8_t)(exp > 254 ? 254 : exp);
}

static uint32_t read_code(unsigned bits, const uint8_t *bytes, int64_t i)
{
    if (bits == 4) {
        return (uint32_t)(bytes[i / 2] >> (unsigned)(i % 2 * 4)) & 15U;
    }
    uint32_t code = 0;
    memcpy(&code, bytes + i * (bits / 8), bits / 8);
    return code;
}

double dtype_load(enum dtype dtype, const uint8_t *bytes, int64_t i)
{
    const unsigned bits = dtype_info(dtype)->bits;
    if (bits == 64) {
        uint64_t wide;
        memcpy(&wide, bytes + i * 8, 8);
        return (double)wide;
    }
    const uint32_t code = read_code(bits, bytes, i);
    switch (dtype) {
    case DTYPE_INT4:
        return (double)((int)(code ^ 8U) - 8);
    case DTYPE_FP4_E2M1:
        return (double)fp4_e2m1_to_float((uint8_t)code);
    case DTYPE_FP4_E1M2:
        return (double)fp4_e1m2_to_float((uint8_t)code);
    case DTYPE_INT8:
        return (double)(int8_t)code;
    case DTYPE_FP8_E4M3:
        return (double)fp8_e4m3_to_float((uint8_t)code);
    case DTYPE_FP8_E5M2:
        return (double)fp8_e5m2_to_float((uint8_t)code);
    case DTYPE_HIF8:
        return (double)hif8_to_float((uint8_t)code);
    case DTYPE_E8M0:
        return (double)e8m0_to_float((uint8_t)code);
    case DTYPE_HALF:
        return (double)half_to_float((uint16_t)code);
    case DTYPE_BF16:
        return (double)bf16_to_float((uint16_t)code);
    case DTYPE_INT16:
        return (double)(int16_t)code;
    case DTYPE_FLOAT:
        return (double)float_from_bits(code);
    case DTYPE_INT32:
        return (double)(int32_t)code;
    case DTYPE_NONE:
    case DTYPE_UINT8:
    case DTYPE_UINT16:
    case DTYPE_UINT32:
    case DTYPE_UINT64:
    case DTYPE_N:
        break;
    }
    return (double)code;
}

/* Range of an integer type. */
static void integer_range(enum dtype dtype, double *lo, double *hi)
{
    const struct dtype_info *info = dtype_info(dtype);
    *hi = ldexp(1.0, info->bits - info->is_signed) - 1.0;
    *lo = info->is_signed ? -*hi - 1.0 : 0.0;
}

static uint64_t integer_code(enum dtype dtype, double value)
{
    double lo, hi;
    integer_range(dtype, &lo, &hi);
    const double whole = isnan(value) ? 0.0 : nearbyint(value);
    if (dtype == DTYPE_UINT64) {
        return whole <= 0.0 ? 0 : whole >= 0x1p64 ? UINT64_MAX : (uint64_t)whole;
    }
    return (uint64_t)(int64_t)(whole < lo ? lo : whole > hi ? hi : whole);
}

static uint64_t code_of(enum dtype dtype, double value)
{
    const float f = (float)value;
    switch (dtype) {
    case DTYPE_FP4_E2M1:
        return fp4_e2m1_from_float(f);
    case DTYPE_FP4_E1M2:
        return fp4_e1m2_from_float(f);
    case DTYPE_FP8_E4M3:
        return fp8_e4m3_from_float(f, FP_SATURATE);
    case DTYPE_FP8_E5M2:
        return fp8_e5m2_from_float(f, FP_SATURATE);
    case DTYPE_HIF8:
        return hif8_from_float(f, FP_SATURATE, HIF8_HALF_AWAY);
    case DTYPE_E8M0:
        return e8m0_from_float(f);
    case DTYPE_HALF:
        return half_from_float(f, FP_SATURATE);
    case DTYPE_BF16:
        return bf16_from_float(f, FP_SATURATE);
    case DTYPE_FLOAT:
        return float_bits(f);
    case DTYPE_NONE:
    case DTYPE_INT4:
    case DTYPE_INT8:
    case DTYPE_UINT8:
    case DTYPE_INT16:
    case DTYPE_UINT16:
    case DTYPE_INT32:
    case DTYPE_UINT32:
    case DTYPE_UINT64:
    case DTYPE_N:
        break;
    }
    return integer_code(dtype, value);
}

void dtype_store(enum dtype dtype, uint8_t *bytes, int64_t i, double value)
{
    const uint64_t code = code_of(dtype, value);
    const unsigned bits = dtype_info(dtype)->bits;
    if (bits == 4) {
        const unsigned shift = (unsigned)(i % 2) * 4;
        bytes[i / 2] = (uint8_t)((bytes[i / 2] & ~(15U << shift)) | (code & 15U) << shift);
        return;
    }
    memcpy(bytes + i * (bits / 8), &code, bits / 8);
}

double dtype_max(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_FP4_E2M1:
        return 6.0;
    case DTYPE_FP4_E1M2:
        return 1.75;
    case DTYPE_FP8_E4M3:
        return 448.0;
    case DTYPE_FP8_E5M2:
        return 57344.0;
    case DTYPE_HIF8:
        return 32768.0;
    case DTYPE_E8M0:
        return 0x1p127;
    case DTYPE_HALF:
        return 65504.0;
    case DTYPE_BF16:
        return 0x1.FEp127;
    case DTYPE_FLOAT:
        return 0x1.FFFFFEp127;
    case DTYPE_NONE:
    case DTYPE_INT4:
    case DTYPE_INT8:
    case DTYPE_UINT8:
    case DTYPE_INT16:
    case DTYPE_UINT16:
    case DTYPE_INT32:
    case DTYPE_UINT32:
    case DTYPE_UINT64:
    case DTYPE_N:
        break;
    }
    double lo, hi;
    integer_range(dtype, &lo, &hi);
    return hi;
}
