/* fp.h - exact conversions between the element codes and float, by integer
 * arithmetic only: no _Float16, no dependence on compiler or rounding mode.
 *
 * Decoding is exact for every code.  Encoding rounds once, to nearest even
 * unless a function says otherwise.  What happens to values that do not fit is
 * the caller's choice (enum fp_overflow), because the hardware has a register
 * bit for it (CTRL[48]; kernel_rules section 3 and 7). */
#ifndef NUMERIC_FP_H
#define NUMERIC_FP_H

#include <stdint.h>

#include "numeric/dtype.h"

enum fp_overflow {
    FP_SATURATE = 0, /* CTRL[48] = 0: overflow and inf give +-MAX, nan gives 0 */
    FP_KEEP          /* CTRL[48] = 1: inf stays inf, overflow gives inf (e4m3: nan), nan stays nan */
};

/* hif8 has two roundings (Fixpipe modes (V)QF322HIF8_PRE and ..._HYBRID). */
enum hif8_rounding { HIF8_HALF_AWAY = 0, HIF8_HYBRID };

static inline uint32_t float_bits(float f)
{
    union {
        float f;
        uint32_t u;
    } pun = {.f = f};
    return pun.u;
}

static inline float float_from_bits(uint32_t u)
{
    union {
        uint32_t u;
        float f;
    } pun = {.u = u};
    return pun.f;
}

/* The one nan written by results of arithmetic here, so that bits do not
 * depend on the machine. */
#define FP_NAN_BITS 0x7FC00000U

/* Exact. Signalling nans become quiet (as the processors' own conversion does). */
float half_to_float(uint16_t code);
float bf16_to_float(uint16_t code);
float fp8_e4m3_to_float(uint8_t code);
float fp8_e5m2_to_float(uint8_t code);
float fp4_e2m1_to_float(uint8_t code); /* low nibble */
float fp4_e1m2_to_float(uint8_t code); /* low nibble */
float hif8_to_float(uint8_t code);
/* 2^(code - 127); code 0xFF is nan. */
float e8m0_to_float(uint8_t code);

/* Round to nearest, ties to even. */
uint16_t half_from_float(float value, enum fp_overflow overflow);
uint16_t bf16_from_float(float value, enum fp_overflow overflow);
uint8_t fp8_e4m3_from_float(float value, enum fp_overflow overflow);
uint8_t fp8_e5m2_from_float(float value, enum fp_overflow overflow);
uint8_t fp4_e2m1_from_float(float value); /* always saturates; nan gives 0 */
uint8_t fp4_e1m2_from_float(float value);
uint8_t hif8_from_float(float value, enum fp_overflow overflow, enum hif8_rounding rounding);
/* The power of two not above `value`, clamped to [2^-127, 2^127]; nan and values <= 0 give 0xFF and 0. */
uint8_t e8m0_from_float(float value);

/* Element `i` of packed memory as a number. Integers of 32 and 64 bits are
 * exact in the double returned up to 2^53. */
double dtype_load(enum dtype dtype, const uint8_t *bytes, int64_t i);

/* Stores `value` as element `i`: small floats as above with FP_SATURATE, float itself to nearest, integers
 * rounded half to even and clamped to their range. A b4 neighbour is kept. */
void dtype_store(enum dtype dtype, uint8_t *bytes, int64_t i, double value);

/* Largest finite value of a float type, or the largest integer. */
double dtype_max(enum dtype dtype);

#endif
