/* Operands with inputs: the random numbers by their definition, the rounding
 * against fp.h, block scales and factors by hand, every way to read them alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "base/rng.h"
#include "numeric/fp.h"
#include "problem/input.h"
#include "problem/input_random.h"
#include "problem/input_round.h"
#include "support/inputs.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- random numbers ---- */

static void test_normal_by_definition(void **state)
{
    (void)state;
    static float got[20000];
    const struct input_stream s = {.stream = 77, .step = 1, .normal = true, .base = 0.25, .span = 3};
    for (enum gm_isa isa = GM_PLAIN; isa <= gm_isa_best(); isa++) {
        input_random_run(isa, &s, COUNT(got), got);
        for (size_t i = 0; i < COUNT(got); i++) {
            const uint64_t w = rng_at(77, i);
            const double u = ((double)(w >> 24) + 0.5) * 0x1p-40, v = ((double)(w & 0xFFFFFF) + 0.5) * 0x1p-24 - 0.5;
            const double want = 0.25 + 3 * sqrt(-2 * log(u)) * sin(acos(-1.0) * v);
            assert_true(fabs((double)got[i] - want) <= 1e-11 + fabs(want) * 0x1.01p-24);
        }
    }
}

/* The extreme words: u nearest to 0 and to 1, v nearest to its ends. */
static void test_normal_extremes(void **state)
{
    (void)state;
    const double largest = sqrt(-2 * log(0x1p-41));
    assert_true(largest < 7.54);
    float most = 0;
    static float got[1 << 16];
    for (int64_t i = 0; i < 64; i++) {
        const struct input_stream s = {.stream = 5, .first = i << 16, .step = 1, .normal = true, .span = 1};
        input_random_run(gm_isa_best(), &s, 1 << 16, got);
        for (size_t j = 0; j < COUNT(got); j++) {
            assert_true(isfinite(got[j]));
            most = fabsf(got[j]) > most ? fabsf(got[j]) : most;
        }
    }
    /* Of 4 million: P(|z| > 4.4) is 1e-5, P(|z| > 6.5) is 8e-11. */
    assert_true(most > 4.4F && most < 6.5F);
}

/* Bits of the first numbers, as a program in another language computes them from
 * the series in double; a change of them changes users' figures. */
static void test_pinned(void **state)
{
    (void)state;
    static float normal[4097], uniform[4097];
    for (enum gm_isa isa = GM_PLAIN; isa <= gm_isa_best(); isa++) {
        const struct input_stream a = {.stream = 1, .step = 1, .normal = true, .span = 1},
                                  b = {.stream = 1, .step = 1, .base = -1, .span = 2};
        input_random_run(isa, &a, COUNT(normal), normal);
        input_random_run(isa, &b, COUNT(uniform), uniform);
        assert_true(fnv1a(normal, sizeof normal) == 0x45B2C8D1EF0644DD);
        assert_true(fnv1a(uniform, sizeof uniform) == 0x847ADC836F8AB4A5);
        /* Any stride and length reads the same elements. */
        for (int64_t step = 1; step < 60; step += 7) {
            float some[31];
            const struct input_stream c = {.stream = 1, .first = step * 3, .step = step, .normal = true, .span = 1};
            input_random_run(isa, &c, 31, some);
            for (int64_t i = 0; i < 31; i++) {
                assert_true(some[i] == normal[step * 3 + i * step]);
            }
        }
    }
}

/* Moments, and that neighbours in a row, in a column and in the other operand
 * know nothing of each other. Limits are 5 standard errors. */
static void test_statistics(void **state)
{
    (void)state;
    enum { SIDE = 1000, N = SIDE * SIDE };
    static float x[N], y[N];
    struct test_inputs t;
    struct problem p = {.M = SIDE, .N = SIDE, .K = SIDE, .a.dtype = DTYPE_FLOAT, .b.dtype = DTYPE_FLOAT};
    p.c.dtype = DTYPE_FLOAT;
    const struct input_spec spec = {.dist = INPUT_NORMAL, .mean = 0, .std = 1, .seed = 9};
    test_inputs_attach(&t, &p, &spec, &spec);
    input_run(gm_isa_best(), p.a.input, 0, 1, N, x);
    input_run(gm_isa_best(), p.b.input, 0, 1, N, y);
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0, right = 0, below = 0, other = 0, squares = 0, beyond2 = 0, beyond3 = 0;
    for (int64_t i = 0; i < N; i++) {
        const double v = (double)x[i];
        m1 += v, m2 += v * v, m3 += v * v * v, m4 += v * v * v * v;
        right += v * (double)x[(i + 1) % N];
        below += v * (double)x[(i + SIDE) % N];
        other += v * (double)y[i];
        squares += (v * v - 1) * ((double)x[(i + 1) % N] * (double)x[(i + 1) % N] - 1);
        beyond2 += fabs(v) > 2, beyond3 += fabs(v) > 3;
    }
    const double n = N, se = 1 / sqrt(n);
    assert_true(fabs(m1 / n) < 5 * se);
    assert_true(fabs(m2 / n - 1) < 5 * se * sqrt(2));
    assert_true(fabs(m3 / n) < 5 * se * sqrt(15));
    assert_true(fabs(m4 / n - 3) < 5 * se * sqrt(96));
    assert_true(fabs(right / n) < 5 * se && fabs(below / n) < 5 * se && fabs(other / n) < 5 * se);
    assert_true(fabs(squares / n) < 5 * se * 2);
    assert_true(fabs(beyond2 / n - erfc(sqrt(2))) < 5 * se * sqrt(0.0455));
    assert_true(fabs(beyond3 / n - erfc(3 / sqrt(2))) < 5 * se * sqrt(0.0027));
    test_inputs_free(&t);
}

/* Rows of a larger matrix are not those of a smaller one moved by luck: seeds,
 * operands and places all matter; transposes do not. */
static void test_streams_differ(void **state)
{
    (void)state;
    float a[64], b[64], c[64];
    struct test_inputs t, u;
    struct problem p = {.M = 8, .N = 8, .K = 8, .a.dtype = DTYPE_FLOAT, .b.dtype = DTYPE_FLOAT}, q = p;
    p.c.dtype = q.c.dtype = DTYPE_FLOAT;
    struct input_spec spec = {.dist = INPUT_UNIFORM, .low = 0, .high = 1, .seed = 3};
    test_inputs_attach(&t, &p, &spec, &spec);
    spec.seed = 4;
    test_inputs_attach(&u, &q, &spec, &spec);
    input_run(GM_PLAIN, p.a.input, 0, 1, 64, a);
    input_run(GM_PLAIN, p.b.input, 0, 1, 64, b);
    input_run(GM_PLAIN, q.a.input, 0, 1, 64, c);
    for (int i = 0; i < 64; i++) {
        assert_true(a[i] >= 0 && a[i] <= 1);
        for (int j = 0; j < 64; j++) {
            assert_true(a[i] != b[j] && a[i] != c[j] && b[i] != c[j] && (i == j || a[i] != a[j]));
        }
    }
    test_inputs_free(&t);
    test_inputs_free(&u);
}

/* ---- rounding ---- */

static const enum dtype ROUNDED[] = {DTYPE_HALF,     DTYPE_BF16,     DTYPE_FLOAT,   DTYPE_FP8_E4M3,
                                     DTYPE_FP8_E5M2, DTYPE_FP4_E2M1, DTYPE_INT8,    DTYPE_UINT8,
                                     DTYPE_INT4,     DTYPE_HIF8,     DTYPE_FP4_E1M2};

static void check_rounding(enum dtype dtype, const float *values, int64_t n)
{
    float got[257];
    uint8_t codes[257 * 4 + 1], want[257 * 4 + 1];
    for (enum gm_isa isa = GM_PLAIN; isa <= gm_isa_best(); isa++) {
        memcpy(got, values, (size_t)n * sizeof *got);
        input_round_run(isa, dtype, n, got);
        memset(codes, 0x5A, sizeof codes);
        input_encode_run(dtype, got, n, codes);
        assert_int_equal(codes[dtype_bytes(dtype, n)], 0x5A);
        memset(want, 0, sizeof want);
        for (int64_t i = 0; i < n; i++) {
            dtype_store(dtype, want, i, (double)values[i]);
            if ((double)got[i] != dtype_load(dtype, want, i)) {
                fail_msg("%s of %a is %a, not %a", dtype_info(dtype)->name, (double)values[i], (double)got[i],
                         dtype_load(dtype, want, i));
            }
        }
        assert_memory_equal(codes, want, (size_t)dtype_bytes(dtype, n));
    }
}

static void test_rounding(void **state)
{
    (void)state;
    float values[257];
    struct rng rng = rng_init(8);
    for (size_t d = 0; d < COUNT(ROUNDED); d++) {
        /* Every number of the small formats, the middles between them, and their neighbours. */
        const int bits = dtype_info(ROUNDED[d])->bits;
        for (uint32_t code = 0; bits <= 16 && code + 1 < 1U << bits; code++) {
            uint8_t bytes[4], next[4];
            const uint32_t after = code + 1;
            memcpy(bytes, &code, 4), memcpy(next, &after, 4);
            const float x = (float)dtype_load(ROUNDED[d], bytes, 0), y = (float)dtype_load(ROUNDED[d], next, 0);
            const float middle = (float)(((double)x + (double)y) / 2);
            if (!isfinite(x) || !isfinite(middle)) {
                continue;
            }
            const float near[] = {x,      nextafterf(x, INFINITY),      nextafterf(x, -INFINITY),
                                  middle, nextafterf(middle, INFINITY), nextafterf(middle, -INFINITY),
                                  -middle};
            check_rounding(ROUNDED[d], near, COUNT(near));
        }
        for (int round = 0; round < 400; round++) {
            const int64_t n = rng_between(&rng, 1, 257);
            for (int64_t i = 0; i < n; i++) {
                const double scale = ldexp(1.0, (int)rng_between(&rng, -40, 20));
                const float any = float_from_bits((uint32_t)rng_next(&rng));
                values[i] = round % 4 == 0 && isfinite(any) ? any : (float)((rng_unit(&rng) * 2 - 1) * scale);
            }
            check_rounding(ROUNDED[d], values, n);
        }
    }
}

/* ---- scales by hand ---- */

/* A of one row, K = 64, from a file of two blocks; B whatever. Codes and scales. */
static void mx_row(enum dtype dtype, const float *values, uint8_t *codes, uint8_t *scales)
{
    static float b[64];
    struct test_inputs t;
    struct problem p = {.M = 1, .N = 1, .K = 64, .a = {.dtype = dtype, .mx = true}, .c.dtype = DTYPE_BF16};
    p.b = p.a;
    p.scale_a.dtype = p.scale_b.dtype = DTYPE_E8M0;
    const struct input_spec from_a = {.dist = INPUT_FILE, .file = "a", .values = values},
                            from_b = {.dist = INPUT_FILE, .file = "b", .values = b};
    test_inputs_attach(&t, &p, &from_a, &from_b);
    assert_int_equal(problem_read(&p, TENSOR_A, 0, dtype_bytes(dtype, 64), codes), STATUS_OK);
    assert_int_equal(problem_read(&p, TENSOR_SA, 0, 2, scales), STATUS_OK);
    test_inputs_free(&t);
}

static void test_mx_by_hand(void **state)
{
    (void)state;
    uint8_t codes[64], scales[2];
    float v[64] = {0};
    /* The second block stays zero in all of these: scale 1, codes 0. */

    /* e4m3: max 448 = 1.75 * 2^8. Largest 1.0 = 2^0: scale 2^(0-8), code 127 - 8.
     * 1.0 is 256 units: 2^8, code (8+7)<<3 = 0x78; -0.5 is -128: 0xF0. */
    v[0] = 1.0F, v[1] = -0.5F;
    /* 1.9 units of 2^-8 .. ties: 17 units between 16 and 18: to 16 (even mantissa 0), 0x58;
     * 19 between 18 and 20: to 20 (even), mantissa 2: 0x5A. */
    v[2] = 17 * 0x1p-8F, v[3] = 19 * 0x1p-8F;
    /* Smallest subnormal 2^-9 units; half of it is a tie with 0: 0; a little more: 1;
     * three halves: a tie between 1 and 2: 2. Negative zero keeps its sign. */
    v[4] = 0x1p-9F * 0x1p-8F, v[5] = 0x1p-10F * 0x1p-8F, v[6] = 0x1.000002p-10F * 0x1p-8F;
    v[7] = 0x1.8p-9F * 0x1p-8F, v[8] = -0x1p-10F * 0x1p-8F;
    mx_row(DTYPE_FP8_E4M3, v, codes, scales);
    const uint8_t e4m3[9] = {0x78, 0xF0, 0x58, 0x5A, 0x01, 0x00, 0x01, 0x02, 0x80};
    assert_memory_equal(codes, e4m3, 9);
    assert_int_equal(scales[0], 127 - 8);
    assert_int_equal(scales[1], 127);
    for (int i = 9; i < 64; i++) {
        assert_int_equal(codes[i], 0);
    }

    /* Largest just below a power of two: 1.99 -> floor 0, scale 2^-8, 509 units saturate
     * to 448 (0x7E); the negative of it to 0xFE; 1.75 is exactly 448. */
    memset(v, 0, sizeof v);
    v[0] = 1.99F, v[1] = -1.99F, v[2] = 1.75F;
    mx_row(DTYPE_FP8_E4M3, v, codes, scales);
    assert_int_equal(scales[0], 119);
    assert_int_equal(codes[0], 0x7E);
    assert_int_equal(codes[1], 0xFE);
    assert_int_equal(codes[2], 0x7E);

    /* e5m2: emax 15. Largest 3 = 1.5 * 2: scale 2^(1-15); 3 is 1.5 * 2^15: (15+15)<<2 | 2 = 0x7A. */
    memset(v, 0, sizeof v);
    v[0] = -3.0F, v[31] = 2.0F;
    mx_row(DTYPE_FP8_E5M2, v, codes, scales);
    assert_int_equal(scales[0], 127 - 14);
    assert_int_equal(codes[0], 0xFA);
    assert_int_equal(codes[31], 0x78);

    /* e2m1: emax 2, numbers 0 .5 1 1.5 2 3 4 6. Largest 7: scale 1; 7 saturates to 6.
     * Ties: 5 between 4 and 6 -> 4 (0110); 2.5 between 2 and 3 -> 2; 0.25 -> 0; 0.75 -> 1; -1.75 -> -2. */
    memset(v, 0, sizeof v);
    const float e2m1[] = {7, 5, 2.5F, 0.25F, 0.75F, -1.75F, -6, 3.5F};
    memcpy(v, e2m1, sizeof e2m1);
    mx_row(DTYPE_FP4_E2M1, v, codes, scales);
    assert_int_equal(scales[0], 127);
    const uint8_t packed[4] = {0x67, 0x04, 0xC2, 0x6F};
    assert_memory_equal(codes, packed, 4);

    /* e1m2: largest 1.75, emax 0: steps of 1/4. Largest 1: scale 1; 1 is 4 steps; 0.125 ties to 0, 0.375 to 2. */
    memset(v, 0, sizeof v);
    const float e1m2[] = {1, 0.125F, 0.375F, -0.7F};
    memcpy(v, e1m2, sizeof e1m2);
    mx_row(DTYPE_FP4_E1M2, v, codes, scales);
    assert_int_equal(scales[0], 127);
    assert_int_equal(codes[0], 0x04);
    assert_int_equal(codes[1], 0xB2);
}

/* The ends of e8m0 and of float. */
static void test_mx_extremes(void **state)
{
    (void)state;
    uint8_t codes[64], scales[2];
    float v[64] = {0};
    /* Largest 2^-130, a float subnormal: 2^-138 is no scale, 2^-127 is the least. 2^-130 is
     * 2^-3 units: e4m3 (-3+7)<<3 = 0x20. The other block: 1.5 * 2^127, scale 2^119, 1.5 * 2^8 = 0x7C. */
    v[0] = 0x1p-130F, v[32] = -0x1.8p127F, v[33] = 0x1.fffffep127F;
    mx_row(DTYPE_FP8_E4M3, v, codes, scales);
    assert_int_equal(scales[0], 0);
    assert_int_equal(codes[0], 0x20);
    assert_int_equal(scales[1], 127 + 119);
    assert_int_equal(codes[32], 0xFC);
    assert_int_equal(codes[33], 0x7E);
    /* The least float: 2^-149 is 2^-22 units, below half of the least subnormal. */
    memset(v, 0, sizeof v);
    v[5] = 0x1p-149F;
    mx_row(DTYPE_FP8_E4M3, v, codes, scales);
    assert_int_equal(scales[0], 0);
    assert_int_equal(codes[5], 0);
}

static float factor_row(enum dtype dtype, const float *values, int64_t n, uint8_t *codes)
{
    struct test_inputs t;
    struct problem p = {.M = 1, .N = 1, .K = n, .a.dtype = dtype, .b.dtype = dtype, .c.dtype = DTYPE_FLOAT};
    const struct input_spec from = {.dist = INPUT_FILE, .file = "a", .values = values};
    test_inputs_attach(&t, &p, &from, &from);
    assert_int_equal(problem_read(&p, TENSOR_A, 0, dtype_bytes(dtype, n), codes), STATUS_OK);
    const float factor = input_factor(&p, TENSOR_A);
    test_inputs_free(&t);
    return factor;
}

static void test_factor_by_hand(void **state)
{
    (void)state;
    uint8_t codes[64] = {0};
    /* int8: the largest becomes 127; 0.5 steps are ties to even. */
    const float whole[] = {-254, 127, 1, 3, 5, 0, -1, 254};
    assert_true(factor_row(DTYPE_INT8, whole, 8, codes) == 2.0F);
    const uint8_t int8[] = {0x81, 64, 0, 2, 2, 0, 0, 127};
    assert_memory_equal(codes, int8, 8);
    /* int4: 14 -> 7, factor 2. -14 -> -7 (nibble 9), 5 -> 2.5 -> 2, 7 -> 3.5 -> 4. */
    const float small[] = {14, -14, 5, 7};
    assert_true(factor_row(DTYPE_INT4, small, 4, codes) == 2.0F);
    assert_int_equal(codes[0], 0x97);
    assert_int_equal(codes[1], 0x42);
    /* uint8. */
    const float positive[] = {0, 51, 510};
    assert_true(factor_row(DTYPE_UINT8, positive, 3, codes) == 2.0F);
    const uint8_t uint8[] = {0, 26, 255}; /* 25.5 to even */
    assert_memory_equal(codes, uint8, 3);
    /* e4m3: 896 -> 448; e5m2: 57344; hif8: 15 = 1.875 * 2^3, prefix 01, sign +, 1, mantissa 111. */
    const float large[] = {896, -448, 1};
    assert_true(factor_row(DTYPE_FP8_E4M3, large, 3, codes) == 2.0F);
    const uint8_t e4m3[] = {0x7E, 0xF6, 0x30};
    assert_memory_equal(codes, e4m3, 3);
    const float huge[] = {57344, -2};
    assert_true(factor_row(DTYPE_FP8_E5M2, huge, 2, codes) == 1.0F);
    const uint8_t e5m2[] = {0x7B, 0xC0};
    assert_memory_equal(codes, e5m2, 2);
    const float tapered[] = {30, -2};
    assert_true(factor_row(DTYPE_HIF8, tapered, 2, codes) == 2.0F);
    const uint8_t hif8[] = {0x2F, 0x88};
    assert_memory_equal(codes, hif8, 2);
    /* Zeros; and what would divide by a float too small. */
    const float zeros[] = {0, 0, -0.0F};
    assert_true(factor_row(DTYPE_INT8, zeros, 3, codes) == 1.0F);
    const float least[] = {0x1p-149F, 0};
    assert_true(factor_row(DTYPE_FP8_E4M3, least, 2, codes) == 0x1p-126F);
    assert_int_equal(codes[0], 0);
    /* 16 bits have no factor; half saturates. */
    const float wide[] = {1e6F, 1 + 0x1p-11F, 1 + 0x1.8p-10F};
    assert_true(factor_row(DTYPE_HALF, wide, 3, codes) == 1.0F);
    const uint8_t half[] = {0xFF, 0x7B, 0x00, 0x3C, 0x02, 0x3C};
    assert_memory_equal(codes, half, 6);
}

/* ---- every way to read ---- */

static void random_inputs_problem(struct rng *rng, struct problem *p)
{
    static const enum dtype types[] = {DTYPE_HALF,     DTYPE_BF16,     DTYPE_FLOAT, DTYPE_INT8,
                                       DTYPE_FP8_E4M3, DTYPE_FP8_E5M2, DTYPE_HIF8,  DTYPE_INT4};
    static const enum dtype scaled[] = {DTYPE_FP8_E4M3, DTYPE_FP8_E5M2, DTYPE_FP4_E2M1, DTYPE_FP4_E1M2};
    const bool mx = rng_below(rng, 2);
    *p = (struct problem){.M = rng_between(rng, 1, 40), .N = rng_between(rng, 1, 40), .K = rng_between(rng, 1, 100)};
    p->batch = rng_between(rng, 1, 3);
    p->a = (struct operand){.dtype = mx ? scaled[rng_below(rng, 4)] : types[rng_below(rng, 8)], .mx = mx};
    p->a.format = rng_below(rng, 2) ? LAYOUT_NZ : LAYOUT_ND;
    p->b = p->a;
    p->b.format = rng_below(rng, 2) ? LAYOUT_NZ : LAYOUT_ND;
    p->a.transpose = rng_below(rng, 2), p->b.transpose = rng_below(rng, 2);
    p->scale_a.dtype = p->scale_b.dtype = mx ? DTYPE_E8M0 : DTYPE_NONE;
    p->scale_a.transpose = rng_below(rng, 2), p->scale_b.transpose = rng_below(rng, 2);
    p->c.dtype = DTYPE_FLOAT;
}

/* The value by the rules of input.h, one element at a time with fp.h's conversions. */
static double value_by_rule(const struct problem *p, enum tensor tensor, int64_t batch, int64_t mn, int64_t k)
{
    const struct operand *o = problem_operand(p, tensor);
    float x, block[32];
    uint8_t code[8] = {0};
    input_exact(p, tensor, batch, mn, k, 1, &x);
    if (!o->mx) {
        const double top = o->dtype == DTYPE_HIF8 ? 15 : dtype_max(o->dtype);
        const bool plain = o->dtype == DTYPE_HALF || o->dtype == DTYPE_BF16 || o->dtype == DTYPE_FLOAT;
        const float factor = plain ? 1 : (float)((double)input_amax(o->input) / top);
        dtype_store(o->dtype, code, 0, (double)(x / factor));
        return dtype_load(o->dtype, code, 0) * (double)factor;
    }
    const int64_t first = k / 32 * 32, n = min_i64(32, p->K - first);
    input_exact(p, tensor, batch, mn, first, n, block);
    float most = 0;
    for (int64_t i = 0; i < n; i++) {
        most = fabsf(block[i]) > most ? fabsf(block[i]) : most;
    }
    const double scale = ldexp(1, ilogbf(most) - ilogb(dtype_max(o->dtype)));
    dtype_store(o->dtype, code, 0, (double)x / scale);
    return dtype_load(o->dtype, code, 0) * scale;
}

static void check_operand(const struct problem *p, enum tensor tensor)
{
    const struct operand *o = problem_operand(p, tensor);
    const int64_t bytes = problem_tensor_bytes(p, tensor), lines = tensor == TENSOR_A ? p->M : p->N;
    uint8_t *all = malloc((size_t)bytes);
    float *row = calloc((size_t)o->cols, sizeof *row), *column = calloc((size_t)o->rows, sizeof *column);
    assert_true(all != NULL && row != NULL && column != NULL);
    /* In pieces of odd lengths: whole bytes however they are cut. */
    for (int64_t at = 0, n = 1; at < bytes; at += n, n = (n * 5 + 3) % 97 + 1) {
        assert_int_equal(problem_read(p, tensor, at, min_i64(n, bytes - at), all + at), STATUS_OK);
    }
    for (int64_t b = 0; b < p->batch; b++) {
        for (int64_t r = 0; r < o->rows; r++) {
            gm_row_values((enum gm_isa)(r % (gm_isa_best() + 1)), p, tensor, b * o->rows + r, 0, o->cols, row);
            for (int64_t c = 0; c < o->cols; c++) {
                const bool k_rows = o->transpose == (tensor == TENSOR_A);
                const int64_t mn = k_rows ? c : r, k = k_rows ? r : c, c0 = dtype_c0(o->dtype);
                const int64_t nz = ((b * ceil_div(o->cols, c0) + c / c0) * align_up(o->rows, 16) + r) * c0 + c % c0;
                /* ld of an odd b4 row ends with its byte. */
                const int64_t pitch = problem_pitch_bytes(p, tensor) * 8 / dtype_info(o->dtype)->bits;
                const int64_t at = o->format == LAYOUT_NZ ? nz : (b * o->rows + r) * pitch + c;
                const float scale = o->mx ? problem_scale(p, tensor == TENSOR_A ? TENSOR_SA : TENSOR_SB, b, mn, k / 32)
                                          : input_factor(p, tensor);
                assert_true(dtype_load(o->dtype, all, at) == (double)row[c]);
                assert_true((double)row[c] * (double)scale == value_by_rule(p, tensor, b, mn, k));
                assert_true(problem_value(p, tensor, b * o->rows + r, c) == row[c]);
            }
        }
        for (int64_t c = 0; c < o->cols; c++) {
            gm_column_values(gm_isa_best(), p, tensor, b * o->rows, c, o->rows, column);
            for (int64_t r = 0; r < o->rows; r++) {
                assert_true(column[r] == problem_value(p, tensor, b * o->rows + r, c));
            }
        }
    }
    assert_true(lines > 0);
    free(all), free(row), free(column);
}

static void test_reading(void **state)
{
    (void)state;
    struct rng rng = rng_init(21);
    for (int round = 0; round < 60; round++) {
        struct problem p;
        struct test_inputs t;
        random_inputs_problem(&rng, &p);
        const struct input_spec a = {.dist = INPUT_NORMAL, .std = 2, .mean = 0.5, .seed = rng_next(&rng)},
                                b = {.dist = INPUT_UNIFORM, .low = -3, .high = 1, .seed = rng_next(&rng)};
        test_inputs_attach(&t, &p, &a, &b);
        check_operand(&p, TENSOR_A);
        check_operand(&p, TENSOR_B);
        test_inputs_free(&t);
    }
}

/* The maxima are found once, by whichever thread is first. */
static void test_threads(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        struct problem p = {.M = 200, .N = 130, .K = 190, .a = {.dtype = DTYPE_FP8_E4M3, .mx = true}};
        struct test_inputs t;
        p.b = p.a;
        p.scale_a.dtype = p.scale_b.dtype = DTYPE_E8M0;
        p.c.dtype = DTYPE_BF16;
        const struct input_spec spec = {.dist = INPUT_NORMAL, .std = 1, .seed = (uint64_t)round};
        test_inputs_attach(&t, &p, &spec, &spec);
        int wrong = 0;
#pragma omp parallel for num_threads(4) reduction(+ : wrong)
        for (int i = 0; i < 8; i++) {
            float row[190];
            float most = 0;
            for (int64_t m = 0; m < 200; m++) {
                input_exact(&p, TENSOR_A, 0, m, 0, 190, row);
                float block = 0;
                for (int64_t k = 0; k < 190; k++) {
                    block = fmaxf(k % 32 == 0 ? 0 : block, fabsf(row[k]));
                    most = fmaxf(most, fabsf(row[k]));
                    const bool last = k % 32 == 31 || k == 189;
                    wrong += last && input_block(p.a.input, 0, m, k / 32) != ilogbf(block);
                }
            }
            wrong += input_amax(p.a.input) != most;
        }
        assert_int_equal(wrong, 0);
        test_inputs_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal_by_definition),
        cmocka_unit_test(test_normal_extremes),
        cmocka_unit_test(test_pinned),
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_streams_differ),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_mx_by_hand),
        cmocka_unit_test(test_mx_extremes),
        cmocka_unit_test(test_factor_by_hand),
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
