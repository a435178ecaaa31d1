/* Conversions against definitions written here: values from sign, exponent and
 * mantissa by ldexp, encodings by a search for the nearest code. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "numeric/fp.h"

struct shape {
    int exp_bits, man_bits, bias;
    bool ieee; /* top exponent: inf, nan */
    bool nan;  /* the all-ones code is nan */
};

static const struct shape half_shape = {5, 10, 15, true, false}, bf16_shape = {8, 7, 127, true, false},
                          e4m3_shape = {4, 3, 7, false, true}, e5m2_shape = {5, 2, 15, true, false},
                          e2m1_shape = {2, 1, 1, false, false}, e1m2_shape = {1, 2, 1, false, false};

static double value_of(const struct shape *s, uint32_t code)
{
    const uint32_t man = code & ((1U << s->man_bits) - 1), exp = code >> s->man_bits & ((1U << s->exp_bits) - 1);
    const double sign = code >> (s->man_bits + s->exp_bits) & 1U ? -1.0 : 1.0;
    if (s->ieee && exp == (1U << s->exp_bits) - 1) {
        return man != 0 ? NAN : sign * INFINITY;
    }
    if (s->nan && (code & ((1U << (s->man_bits + s->exp_bits)) - 1)) == (1U << (s->man_bits + s->exp_bits)) - 1) {
        return NAN;
    }
    const double fraction = exp == 0 ? (double)man : (double)(man + (1U << s->man_bits));
    return sign * ldexp(fraction, (exp == 0 ? 1 : (int)exp) - s->bias - s->man_bits);
}

static void same_value(float got, double want)
{
    if (isnan(want)) {
        assert_true(isnan(got));
        return;
    }
    if ((double)got != want || !signbit(got) != !signbit(want)) {
        print_error("got %a, want %a\n", (double)got, want);
        fail();
    }
}

static void test_decode(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 65536; c++) {
        same_value(half_to_float((uint16_t)c), value_of(&half_shape, c));
        same_value(bf16_to_float((uint16_t)c), value_of(&bf16_shape, c));
    }
    for (uint32_t c = 0; c < 256; c++) {
        same_value(fp8_e4m3_to_float((uint8_t)c), value_of(&e4m3_shape, c));
        same_value(fp8_e5m2_to_float((uint8_t)c), value_of(&e5m2_shape, c));
        same_value(e8m0_to_float((uint8_t)c), c == 255 ? NAN : ldexp(1.0, (int)c - 127));
    }
    for (uint32_t c = 0; c < 16; c++) {
        same_value(fp4_e2m1_to_float((uint8_t)c), value_of(&e2m1_shape, c));
        same_value(fp4_e1m2_to_float((uint8_t)c), value_of(&e1m2_shape, c));
    }
    assert_int_equal(float_bits(half_to_float(0x7D01)), 0x7FE02000 | 0x400000); /* quiet, payload kept */
}

/* The code nearest to a finite value, ties to the even one; overflow beyond
 * half a place above the largest. */
static uint32_t nearest(const struct shape *s, double value, bool *overflow)
{
    uint32_t best = 0;
    double best_distance = INFINITY;
    const uint32_t codes = 1U << (s->exp_bits + s->man_bits);
    double largest = 0, place = 0;
    for (uint32_t c = 0; c < codes; c++) {
        const double v = value_of(s, c);
        if (isnan(v) || isinf(v)) {
            continue;
        }
        place = v - largest;
        largest = v;
        const double distance = fabs(v - fabs(value));
        if (distance < best_distance || (distance == best_distance && c % 2 == 0)) {
            best = c;
            best_distance = distance;
        }
    }
    const double edge = largest +
                        place / 2; /* a tie at the edge goes to the even side, which overflows iff the largest is odd */
    *overflow = fabs(value) > edge || (fabs(value) == edge && best % 2 != 0);
    if (fabs(value) > largest) {
        best = 0;
        while (value_of(s, best) != largest) {
            best++;
        }
    }
    return best | (signbit(value) ? codes : 0);
}

typedef uint32_t (*encode_fn)(float, enum fp_overflow);
static uint32_t enc_half(float f, enum fp_overflow o)
{
    return half_from_float(f, o);
}
static uint32_t enc_e4m3(float f, enum fp_overflow o)
{
    return fp8_e4m3_from_float(f, o);
}
static uint32_t enc_e5m2(float f, enum fp_overflow o)
{
    return fp8_e5m2_from_float(f, o);
}
static uint32_t enc_e2m1(float f, enum fp_overflow o)
{
    (void)o;
    return fp4_e2m1_from_float(f);
}
static uint32_t enc_e1m2(float f, enum fp_overflow o)
{
    (void)o;
    return fp4_e1m2_from_float(f);
}

static float probe(struct rng *r, int i)
{
    if (i % 2 == 0) {
        return float_from_bits((uint32_t)rng_next(r)); /* any float */
    }
    return (float)ldexp(rng_unit(r) * 2.0 - 1.0, (int)rng_between(r, -18, 17));
}

static void check_encode(const struct shape *s, encode_fn encode, int rounds)
{
    struct rng r = rng_init(7);
    for (int i = 0; i < rounds; i++) {
        const float f = probe(&r, i);
        if (isnan(f) || isinf(f)) {
            continue;
        }
        bool overflow;
        const uint32_t want = nearest(s, (double)f, &overflow);
        assert_int_equal(encode(f, FP_SATURATE), want);
        if (!overflow && (s->ieee || s->nan)) {
            assert_int_equal(encode(f, FP_KEEP), want);
        }
    }
    /* Ties between neighbours, and one float to each side. */
    const uint32_t codes = 1U << (s->exp_bits + s->man_bits);
    for (uint32_t c = 0; c + 1 < codes; c++) {
        const double lo = value_of(s, c), hi = value_of(s, c + 1);
        if (isnan(hi) || isinf(hi)) {
            break;
        }
        const float tie = (float)((lo + hi) / 2);
        assert_int_equal(encode(tie, FP_SATURATE), c % 2 == 0 ? c : c + 1);
        assert_int_equal(encode(nextafterf(tie, 0.0F), FP_SATURATE), c);
        assert_int_equal(encode(nextafterf(tie, INFINITY), FP_SATURATE), c + 1);
        assert_int_equal(encode(-tie, FP_SATURATE), (c % 2 == 0 ? c : c + 1) | codes);
    }
}

static void test_encode(void **state)
{
    (void)state;
    check_encode(&e4m3_shape, enc_e4m3, 20000);
    check_encode(&e5m2_shape, enc_e5m2, 20000);
    check_encode(&e2m1_shape, enc_e2m1, 5000);
    check_encode(&e1m2_shape, enc_e1m2, 5000);
    check_encode(&half_shape, enc_half, 300);
    /* bf16: round to nearest even on the bits of the float. */
    struct rng r = rng_init(3);
    for (int i = 0; i < 200000; i++) {
        const float f = float_from_bits((uint32_t)rng_next(&r));
        if (isfinite(f)) {
            const uint32_t bits = float_bits(f), want = (bits + 0x7FFF + (bits >> 16 & 1U)) >> 16;
            assert_int_equal(bf16_from_float(f, FP_KEEP), want);
            assert_int_equal(bf16_from_float(f, FP_SATURATE), (want & 0x7FFF) == 0x7F80 ? want - 1 : want);
        }
    }
}

static void test_specials(void **state)
{
    (void)state;
    assert_int_equal(half_from_float(INFINITY, FP_SATURATE), 0x7BFF);
    assert_int_equal(half_from_float(-INFINITY, FP_SATURATE), 0xFBFF);
    assert_int_equal(half_from_float(NAN, FP_SATURATE), 0);
    assert_int_equal(half_from_float(-INFINITY, FP_KEEP), 0xFC00);
    assert_int_equal(half_from_float(65520.0F, FP_KEEP), 0x7C00);
    assert_int_equal(half_from_float(65519.0F, FP_KEEP), 0x7BFF);
    assert_int_equal(half_from_float(NAN, FP_KEEP) & 0x7E00, 0x7E00);
    assert_int_equal(fp8_e4m3_from_float(465.0F, FP_KEEP), 0x7F);
    assert_int_equal(fp8_e4m3_from_float(-1e9F, FP_KEEP), 0xFF);
    assert_int_equal(fp8_e4m3_from_float(464.0F, FP_KEEP), 0x7E);
    assert_int_equal(fp8_e4m3_from_float(1e9F, FP_SATURATE), 0x7E);
    assert_int_equal(fp8_e4m3_from_float(NAN, FP_KEEP) & 0x7F, 0x7F);
    assert_int_equal(fp8_e5m2_from_float(61440.0F, FP_KEEP), 0x7C);
    assert_int_equal(fp8_e5m2_from_float(61440.0F, FP_SATURATE), 0x7B);
    assert_int_equal(fp4_e2m1_from_float(NAN), 0);
    assert_int_equal(fp4_e2m1_from_float(-INFINITY), 0xF);
    assert_int_equal(e8m0_from_float(1.0F), 127);
    assert_int_equal(e8m0_from_float(1.99F), 127);
    assert_int_equal(e8m0_from_float(0x1p-149F), 0);
    assert_int_equal(e8m0_from_float(INFINITY), 254);
    assert_int_equal(e8m0_from_float(-1.0F), 0);
    assert_int_equal(e8m0_from_float(NAN), 0xFF);
}

/* hif8 from its table: dot, exponent, mantissa widths. */
static double hif8_value(uint32_t code)
{
    const double sign = code & 0x80 ? -1.0 : 1.0;
    const uint32_t m = code & 0x7F;
    static const struct {
        uint32_t first, count;
        int man_bits;
        int exps[16];
    } bands[] = {{0x08, 8, 3, {0}},
                 {0x10, 16, 3, {1, -1}},
                 {0x20, 32, 3, {2, 3, -2, -3}},
                 {0x40, 32, 2, {4, 5, 6, 7, -4, -5, -6, -7}},
                 {0x60, 32, 1, {8, 9, 10, 11, 12, 13, 14, 15, -8, -9, -10, -11, -12, -13, -14, -15}}};
    if (code == 0x80) {
        return NAN;
    }
    if (m == 0x6F) {
        return sign * INFINITY;
    }
    if (m < 8) {
        return m == 0 ? 0.0 : sign * ldexp(1.0, (int)m - 23);
    }
    int band = 0;
    while (m >= bands[band].first + bands[band].count) {
        band++;
    }
    const uint32_t rest = m - bands[band].first;
    const int man_bits = bands[band].man_bits;
    return sign *
           ldexp(1.0 + ldexp((double)(rest & ((1U << man_bits) - 1)), -man_bits), bands[band].exps[rest >> man_bits]);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_hif8(void **state)
{
    (void)state;
    double values[256];
    int count = 0;
    for (uint32_t c = 0; c < 256; c++) {
        same_value(hif8_to_float((uint8_t)c), hif8_value(c));
        const double v = hif8_value(c);
        if (isfinite(v) && v >= 0) {
            values[count++] = v;
            if (v > 0) {
                assert_int_equal(hif8_from_float((float)v, FP_KEEP, HIF8_HALF_AWAY), c);
                assert_int_equal(hif8_from_float((float)-v, FP_KEEP, HIF8_HALF_AWAY), c | 0x80);
            }
        }
    }
    /* Between neighbours: halfway and above goes up (away from zero). */
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    for (int i = 0; i + 1 < count; i++) {
        const float tie = (float)((values[i] + values[i + 1]) / 2);
        same_value(hif8_to_float(hif8_from_float(tie, FP_KEEP, HIF8_HALF_AWAY)), values[i + 1]);
        same_value(hif8_to_float(hif8_from_float(nextafterf(tie, 0.0F), FP_KEEP, HIF8_HALF_AWAY)), values[i]);
    }
    assert_int_equal(hif8_from_float(1e6F, FP_SATURATE, HIF8_HALF_AWAY), 0x6E);
    assert_int_equal(hif8_from_float(-1e6F, FP_KEEP, HIF8_HALF_AWAY), 0xEF);
    assert_int_equal(hif8_from_float(NAN, FP_KEEP, HIF8_HALF_AWAY), 0x80);
    assert_int_equal(hif8_from_float(NAN, FP_SATURATE, HIF8_HALF_AWAY), 0);
    assert_int_equal(hif8_from_float(-0.0F, FP_KEEP, HIF8_HALF_AWAY), 0);
}

/* Every code of every type but the wide ones survives load and store. */
static void test_pack(void **state)
{
    (void)state;
    for (int t = DTYPE_NONE + 1; t < DTYPE_N; t++) {
        const enum dtype dtype = (enum dtype)t;
        const int bits = dtype_info(dtype)->bits;
        const uint32_t codes = bits == 4 ? 16 : bits == 8 ? 256 : bits == 16 ? 65536 : 0;
        for (uint32_t c = 0; c < codes; c++) {
            uint8_t in[8] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, out[8];
            const int64_t at = 1;
            if (bits == 4) {
                in[0] = (uint8_t)(0x0A | c << 4);
            } else {
                memcpy(in + at * (bits / 8), &c, (size_t)bits / 8);
            }
            memcpy(out, in, sizeof out);
            if (bits == 4) {
                out[0] = 0x5A;
            } else {
                memset(out + at * (bits / 8), 0x55, (size_t)bits / 8);
            }
            const double v = dtype_load(dtype, in, at);
            if (isfinite(v) && !(v == 0.0 && dtype == DTYPE_HIF8)) {
                dtype_store(dtype, out, at, v);
                assert_memory_equal(in, out, sizeof out);
            }
        }
    }
    uint8_t word[8];
    dtype_store(DTYPE_INT32, word, 0, -2147483648.0);
    assert_true(dtype_load(DTYPE_INT32, word, 0) == -2147483648.0);
    dtype_store(DTYPE_INT32, word, 0, 1e12);
    assert_true(dtype_load(DTYPE_INT32, word, 0) == 2147483647.0);
    dtype_store(DTYPE_UINT32, word, 0, -5.0);
    assert_true(dtype_load(DTYPE_UINT32, word, 0) == 0.0);
    dtype_store(DTYPE_UINT64, word, 0, 0x1p63);
    assert_true(dtype_load(DTYPE_UINT64, word, 0) == 0x1p63);
    dtype_store(DTYPE_INT8, word, 0, 2.5);
    assert_true(dtype_load(DTYPE_INT8, word, 0) == 2.0);
    dtype_store(DTYPE_INT8, word, 0, -130.0);
    assert_true(dtype_load(DTYPE_INT8, word, 0) == -128.0);
    dtype_store(DTYPE_INT4, word, 0, 9.0);
    assert_true(dtype_load(DTYPE_INT4, word, 0) == 7.0);
    dtype_store(DTYPE_FLOAT, word, 0, 0.1);
    assert_true(dtype_load(DTYPE_FLOAT, word, 0) == (double)0.1F);
}

static void test_table(void **state)
{
    (void)state;
    for (int t = DTYPE_NONE + 1; t < DTYPE_N; t++) {
        const struct dtype_info *info = dtype_info((enum dtype)t);
        assert_int_equal(dtype_from_name(info->name), t);
        assert_int_equal(dtype_from_name(info->ascend), t);
        assert_int_equal(dtype_c0((enum dtype)t) * info->bits, 256);
        assert_int_equal(dtype_bytes((enum dtype)t, 16), 2 * info->bits);
        uint8_t code[8];
        const double max = dtype_max((enum dtype)t);
        if (t != DTYPE_UINT64) {
            dtype_store((enum dtype)t, code, 0, max);
            assert_true(dtype_load((enum dtype)t, code, 0) == max);
            dtype_store((enum dtype)t, code, 0, max * 2.5);
            assert_true(dtype_load((enum dtype)t, code, 0) == max || t == DTYPE_E8M0 || t == DTYPE_FLOAT);
        }
    }
    assert_int_equal(dtype_from_name("float16"), DTYPE_NONE);
    assert_int_equal(dtype_bytes(DTYPE_INT4, 3), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode), cmocka_unit_test(test_encode), cmocka_unit_test(test_specials),
        cmocka_unit_test(test_hif8),   cmocka_unit_test(test_pack),   cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
