/* The error of C against sums written here, and the sample of a large C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "engine/accuracy.h"
#include "numeric/fp.h"
#include "support/inputs.h"
#include "support/points.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const struct input_spec NORMAL = {.dist = INPUT_NORMAL, .mean = 0.1, .std = 1.5, .seed = 11},
                               UNIFORM = {.dist = INPUT_UNIFORM, .low = -2, .high = 3, .seed = 12};

/* Stored value of op(A)[m][k] or op(B)[k][n], times its MX scale. */
static double stored_at(const struct problem *p, enum tensor tensor, int64_t batch, int64_t mn, int64_t k)
{
    const struct operand *o = problem_operand(p, tensor);
    const bool k_rows = o->transpose == (tensor == TENSOR_A);
    const int64_t row0 = problem_matrix(p, tensor, batch) * o->rows;
    const double v = (double)(k_rows ? problem_value(p, tensor, row0 + k, mn) : problem_value(p, tensor, row0 + mn, k));
    return o->mx ? v * (double)problem_scale(p, tensor == TENSOR_A ? TENSOR_SA : TENSOR_SB, batch, mn, k / 32) : v;
}

/* The number of `dtype` nearest to `v`, found among the codes around it; ties to the even code. */
static double nearest(enum dtype dtype, double v)
{
    uint8_t code[4];
    const int bits = dtype_info(dtype)->bits;
    if (dtype == DTYPE_INT8) {
        const double clamped = v < -256 ? -256 : v > 255 ? 255 : v, whole = rint(clamped);
        return whole < -128 ? -128 : whole > 127 ? 127 : whole;
    }
    if (bits == 32) {
        return dtype == DTYPE_FLOAT ? (double)(float)v : v;
    }
    double best = 0, distance = INFINITY;
    uint32_t near = 0;
    dtype_store(dtype, (uint8_t *)&near, 0, v); /* rounded twice: at most a code off */
    for (uint32_t c = near < 2 ? 0 : near - 2; c < 1U << bits && c <= near + 2; c++) {
        memcpy(code, &c, sizeof code);
        const double x = dtype_load(dtype, code, 0), away = fabs(x - v);
        if (isfinite(x) && (away < distance || (away == distance && c % 2 == 0))) {
            best = x, distance = away;
        }
    }
    return best;
}

struct want {
    double error2, exact2, c2, cross, most;
};

/* One element: the cube's sum, the conversion, and the user's sum. */
static void add_element(const struct problem *p, int64_t batch, int64_t m, int64_t n, struct want *w)
{
    const double unit = (double)input_factor(p, TENSOR_A) * (double)input_factor(p, TENSOR_B);
    const bool integer = !dtype_info(p->a.dtype)->is_float;
    float sum = 0;
    double whole = 0, exact = 0;
    if (p->bias.dtype != DTYPE_NONE) {
        sum = problem_value(p, TENSOR_BIAS, batch, n);
        whole = (double)sum;
        exact = (double)sum * unit;
    }
    for (int64_t k = 0; k < p->K; k++) {
        const double a = stored_at(p, TENSOR_A, batch, m, k), b = stored_at(p, TENSOR_B, batch, n, k);
        float x, y;
        sum += (float)(a * b);
        whole += a * b;
        input_exact(p, TENSOR_A, batch, m, k, 1, &x);
        input_exact(p, TENSOR_B, batch, n, k, 1, &y);
        exact += (double)x * (double)y;
    }
    const double acc = integer ? whole : (double)sum, factor = p->deq_scale > 0 ? p->deq_scale : 1;
    double c = nearest(p->c.dtype, p->relu && acc <= 0 ? 0 : acc * factor) * unit / factor;
    exact = p->relu && exact <= 0 ? 0 : exact;
    w->error2 += (c - exact) * (c - exact);
    w->exact2 += exact * exact;
    w->c2 += c * c;
    w->cross += c * exact;
    w->most = fmax(w->most, fabs(c - exact));
}

static void check(const char *target, struct problem *p, const struct input_spec *a, const struct input_spec *b)
{
    struct arena arena;
    struct test_inputs t;
    struct accuracy got;
    struct want w = {0};
    arena_init(&arena);
    test_inputs_attach(&t, p, a, b);
    assert_int_equal(accuracy_measure(point_target(target, &arena), p, &arena, &got), STATUS_OK);
    const int64_t planes = p->groups > 1 ? p->groups : p->batch;
    for (int64_t i = 0; i < planes; i++) {
        const int64_t first = problem_group_first(p, i);
        for (int64_t m = first; m < first + problem_group_rows(p, i); m++) {
            for (int64_t n = 0; n < p->N; n++) {
                add_element(p, i, m, n, &w);
            }
        }
    }
    const double count = (double)(p->batch * p->M * p->N);
    assert_true((double)got.elements == count && (double)got.total == count);
    assert_true(got.max_abs == w.most);
    /* The sums of squares are taken in another order. */
    assert_true(fabs(got.rms - sqrt(w.error2 / count)) <= 1e-12 * got.rms);
    assert_true(fabs(got.rel_rms - sqrt(w.error2 / w.exact2)) <= 1e-12 * got.rel_rms);
    assert_true(fabs(got.cosine - w.cross / sqrt(w.c2 * w.exact2)) <= 1e-12);
    test_inputs_free(&t);
    arena_fini(&arena);
}

static struct problem matmul(enum dtype dtype, bool mx, enum dtype c)
{
    struct problem p = {.M = 19, .N = 35, .K = 150, .batch = 2, .a = {.dtype = dtype, .mx = mx}, .c.dtype = c};
    p.b = p.a;
    p.b.transpose = true;
    p.scale_a.dtype = p.scale_b.dtype = mx ? DTYPE_E8M0 : DTYPE_NONE;
    return p;
}

static void test_dtypes(void **state)
{
    (void)state;
    static const struct {
        enum dtype dtype;
        bool mx;
        enum dtype c;
        double scale;
    } forms[] = {
        {DTYPE_HALF, false, DTYPE_HALF, 0},         {DTYPE_BF16, false, DTYPE_BF16, 0},
        {DTYPE_FLOAT, false, DTYPE_FLOAT, 0},       {DTYPE_HALF, false, DTYPE_FP8_E4M3, 0.25},
        {DTYPE_INT8, false, DTYPE_INT32, 0},        {DTYPE_INT8, false, DTYPE_HALF, 0x1p-10},
        {DTYPE_INT8, false, DTYPE_INT8, 0x1.8p-11}, {DTYPE_FP8_E4M3, false, DTYPE_BF16, 0},
        {DTYPE_FP8_E5M2, false, DTYPE_FLOAT, 0},    {DTYPE_HIF8, false, DTYPE_HALF, 0},
        {DTYPE_FP8_E4M3, true, DTYPE_BF16, 0},      {DTYPE_FP8_E5M2, true, DTYPE_FLOAT, 0},
        {DTYPE_FP4_E2M1, true, DTYPE_BF16, 0},      {DTYPE_FP4_E1M2, true, DTYPE_HALF, 0},
    };
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct problem p = matmul(forms[i].dtype, forms[i].mx, forms[i].c);
        p.deq_scale = forms[i].scale;
        check("ascend950pr_9589", &p, &NORMAL, &UNIFORM);
    }
}

static void test_bias_relu_transpose(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct problem p = matmul(i % 2 ? DTYPE_INT8 : DTYPE_FP8_E4M3, false, i % 2 ? DTYPE_INT32 : DTYPE_BF16);
        p.bias.dtype = i % 2 ? DTYPE_INT32 : DTYPE_FLOAT;
        p.relu = i >= 2;
        p.a.transpose = i % 2;
        p.b.transpose = i >= 2;
        check("ascend950pr_9589", &p, &UNIFORM, &NORMAL);
    }
}

static void test_groups(void **state)
{
    (void)state;
    static const int64_t end[] = {5, 5, 30, 31};
    struct problem p = matmul(DTYPE_FP8_E4M3, true, DTYPE_BF16);
    p.batch = 1;
    p.groups = 4;
    p.group_end = end;
    p.M = 31;
    check("ascend950pr_9589", &p, &NORMAL, &NORMAL);
}

static struct accuracy measure(const char *target, struct problem *p)
{
    struct arena arena;
    struct test_inputs t;
    struct accuracy got;
    arena_init(&arena);
    test_inputs_attach(&t, p, &NORMAL, &NORMAL);
    assert_int_equal(accuracy_measure(point_target(target, &arena), p, &arena, &got), STATUS_OK);
    test_inputs_free(&t);
    arena_fini(&arena);
    return got;
}

/* What a target does to an accumulator or an operand shows: half accumulators,
 * and HF32's 11 or 10 bits, which halve the error a bit. */
static void test_cube(void **state)
{
    (void)state;
    struct problem p = matmul(DTYPE_FLOAT, false, DTYPE_FLOAT), q = p, r = p;
    q.hf32 = r.hf32 = true;
    const double plain = measure("ascend950pr_9589", &p).rel_rms, ten = measure("ascend950pr_9589", &q).rel_rms,
                 eleven = measure("ascend910b1", &r).rel_rms;
    assert_true(plain < 1e-6 && ten > 2e-4 && ten < 1e-3);
    assert_true(ten / eleven > 1.9 && ten / eleven < 2.1);

    /* Rounded to half after each of 200 additions, not once at the end: some ten times the error. */
    struct problem h = matmul(DTYPE_HALF, false, DTYPE_HALF);
    h.batch = 1, h.M = h.N = 40, h.K = 200;
    struct problem f = h;
    const double ratio = measure("kirin_x90", &h).rel_rms / measure("ascend950pr_9589", &f).rel_rms;
    assert_true(ratio > 5 && ratio < 20);
}

/* A sample: as many elements as said, an error near the whole's, the same each time. */
static void test_sample(void **state)
{
    (void)state;
    struct problem whole = matmul(DTYPE_FP8_E4M3, true, DTYPE_BF16), large = whole;
    whole.batch = large.batch = 1;
    whole.M = whole.N = 500, whole.K = 128;
    large.M = large.N = 3000, large.K = 128;
    const struct accuracy all = measure("ascend950pr_9589", &whole), some = measure("ascend950pr_9589", &large);
    struct problem again = large;
    again.a.rows = again.a.cols = 0;
    const struct accuracy same = measure("ascend950pr_9589", &again);
    assert_int_equal(all.elements, 250000);
    assert_int_equal(some.elements, 4096);
    assert_int_equal(some.total, 9000000);
    assert_memory_equal(&some, &same, sizeof some);
    assert_true(fabs(some.rel_rms / all.rel_rms - 1) < 0.05);

    static const struct {
        int64_t batch, m, n, elements;
    } shapes[] = {{1, 1, 400000, 4096}, {1, 7, 100000, 7 * 585}, {1, 400000, 2, 4096}, {9, 300, 300, 4 * 4096}};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct problem p = matmul(DTYPE_HALF, false, DTYPE_HALF);
        p.batch = shapes[i].batch, p.M = shapes[i].m, p.N = shapes[i].n, p.K = 8;
        assert_int_equal(measure("ascend950pr_9589", &p).elements, shapes[i].elements);
    }
}

/* Exact operands of an exact product have no error; none at all has no angle. */
static void test_exact(void **state)
{
    (void)state;
    static float values[64 * 64], zeros[64 * 64];
    for (int i = 0; i < 64 * 64; i++) {
        values[i] = (float)(i % 7 - 3);
    }
    const struct input_spec from = {.dist = INPUT_FILE, .file = "x", .values = values},
                            none = {.dist = INPUT_FILE, .file = "0", .values = zeros};
    for (int i = 0; i < 2; i++) {
        struct arena arena;
        struct test_inputs t;
        struct accuracy got;
        arena_init(&arena);
        struct problem p = {.M = 64, .N = 64, .K = 64, .a.dtype = DTYPE_HALF, .b.dtype = DTYPE_HALF};
        p.c.dtype = DTYPE_FLOAT;
        test_inputs_attach(&t, &p, &from, i == 0 ? &from : &none);
        assert_int_equal(accuracy_measure(point_target("ascend910b1", &arena), &p, &arena, &got), STATUS_OK);
        assert_true(got.max_abs == 0 && got.rms == 0 && got.rel_rms == 0 && fabs(got.cosine - 1) < 1e-15);
        test_inputs_free(&t);
        arena_fini(&arena);
    }
}

static void test_unsupported(void **state)
{
    (void)state;
    struct arena arena;
    struct test_inputs t;
    struct accuracy got;
    arena_init(&arena);
    struct problem p = matmul(DTYPE_FP8_E4M3, true, DTYPE_BF16);
    test_inputs_attach(&t, &p, &NORMAL, &NORMAL);
    assert_int_equal(accuracy_measure(point_target("ascend910b1", &arena), &p, &arena, &got), STATUS_UNSUPPORTED);
    test_inputs_free(&t);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dtypes),      cmocka_unit_test(test_bias_relu_transpose),
        cmocka_unit_test(test_groups),      cmocka_unit_test(test_cube),
        cmocka_unit_test(test_sample),      cmocka_unit_test(test_exact),
        cmocka_unit_test(test_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
