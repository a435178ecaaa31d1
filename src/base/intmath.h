/* intmath.h - the integer arithmetic of tilings: rounding and checked products.
 * All inputs are >= 0 unless said otherwise. */
#ifndef BASE_INTMATH_H
#define BASE_INTMATH_H

#include <stdbool.h>
#include <stdint.h>

/* Ceil division; b > 0. */
static inline int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* `a` rounded up to a multiple of `b`; b > 0. */
static inline int64_t align_up(int64_t a, int64_t b)
{
    return ceil_div(a, b) * b;
}

static inline int64_t min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Greatest common divisor; gcd(a, 0) = a. */
static inline int64_t gcd_i64(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

/* Least common multiple; a, b > 0, result must fit. */
static inline int64_t lcm_i64(int64_t a, int64_t b)
{
    return a / gcd_i64(a, b) * b;
}

/* @return false on overflow; *out is then unspecified. */
static inline bool mul_ok(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool add_ok(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

#endif
