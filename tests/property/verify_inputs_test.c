/* Whole matmuls on random and extreme inputs: the engine's C equals the reference
 * bit for bit where the order of sums is the same, else lies within the bound; C
 * of the MX shapes against a product in double computed here; and the bound is
 * tight enough to see a wrong program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "engine/verify.h"
#include "numeric/fp.h"
#include "support/inputs.h"
#include "support/points.h"

#define SEED 4711

static struct verify_outcome run(const struct schedule *s, enum verify_level level, verify_tamper *tamper, void *ctx,
                                 bool show)
{
    struct verify *v = NULL;
    struct verify_outcome out;
    struct diag d;
    diag_init(&d);
    assert_int_equal(verify_create(NULL, &v), STATUS_OK);
    verify_set_tamper(v, tamper, ctx);
    assert_int_equal(verify_schedule(v, s, level, &out, &d), STATUS_OK);
    if (show && !out.ok) {
        struct strbuf text;
        strbuf_init(&text);
        diag_render(&d, &text);
        point_print(s);
        print_error("%s", strbuf_cstr(&text));
        strbuf_fini(&text);
    }
    verify_destroy(v);
    diag_fini(&d);
    return out;
}

static void expect_ok(const struct schedule *s, enum verify_level level)
{
    assert_true(run(s, level, NULL, NULL, true).ok);
}

/* Sources of every size a float can have: large ones saturate, small ones vanish. */
static struct input_spec random_spec(struct rng *rng)
{
    const double size = ldexp(1, (int)rng_between(rng, -45, 30));
    struct input_spec spec = {.dist = rng_below(rng, 2) ? INPUT_NORMAL : INPUT_UNIFORM, .seed = rng_next(rng)};
    spec.mean = rng_below(rng, 3) ? 0 : size;
    spec.std = size;
    spec.low = -size;
    spec.high = rng_below(rng, 2) ? size : size / 3;
    return spec;
}

static void random_points(const struct point_limits *limits, uint64_t seed, int count)
{
    struct arena arena;
    arena_init(&arena);
    const struct target *targets[] = {point_target("ascend910b1", &arena), point_target("ascend950pr_9589", &arena)};
    struct rng rng = rng_init(seed);
    print_message("seed %d\n", (int)seed);
    for (int i = 0; i < count; i++) {
        struct problem p;
        struct schedule s;
        struct test_inputs t;
        point_random(targets[i % 2], limits, &rng, &p, &s);
        const struct input_spec a = random_spec(&rng), b = random_spec(&rng);
        test_inputs_attach(&t, &p, &a, &b);
        expect_ok(&s, VERIFY_FULL);
        expect_ok(&s, VERIFY_CLASSES);
        test_inputs_free(&t);
    }
    arena_fini(&arena);
}

static void test_random(void **state)
{
    (void)state;
    const struct point_limits limits = {.max_m = 200,
                                        .max_n = 200,
                                        .max_k = 400,
                                        .max_macs = 2000000,
                                        .transposes = true,
                                        .nz = true,
                                        .variants = true,
                                        .dtypes = true};
    random_points(&limits, SEED, 150);
}

/* ---- C of the MX shapes against a product in double ---- */

static double scaled(const struct problem *p, enum tensor tensor, int64_t mn, int64_t k)
{
    const struct operand *o = problem_operand(p, tensor);
    const bool k_rows = o->transpose == (tensor == TENSOR_A);
    return (double)(k_rows ? problem_value(p, tensor, k, mn) : problem_value(p, tensor, mn, k)) *
           (double)problem_scale(p, tensor == TENSOR_A ? TENSOR_SA : TENSOR_SB, 0, mn, k / 32);
}

/* C in float: |c - exact| <= K u sum |a b| / (1 - K u); or equal, where the data are small integers. */
static void check_product(const struct problem *p, const float *c, bool exact)
{
    double *a = malloc((size_t)(p->M * p->K) * sizeof *a), *b = malloc((size_t)(p->N * p->K) * sizeof *b);
    assert_true(a != NULL && b != NULL);
    for (int64_t i = 0; i < p->M * p->K; i++) {
        a[i] = scaled(p, TENSOR_A, i / p->K, i % p->K);
    }
    for (int64_t i = 0; i < p->N * p->K; i++) {
        b[i] = scaled(p, TENSOR_B, i / p->K, i % p->K);
    }
    for (int64_t i = 0; i < p->M * p->N; i++) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < p->K; k++) {
            const double product = a[i / p->N * p->K + k] * b[i % p->N * p->K + k];
            sum += product;
            size += fabs(product);
        }
        const double bound = exact ? 0 : 1.001 * (double)p->K * 0x1p-24 * size;
        if (!(fabs((double)c[i] - sum) <= bound)) {
            fail_msg("element %d: %.9g, product %.17g, bound %g", (int)i, (double)c[i], sum, bound);
        }
    }
    free(a), free(b);
}

static void mx_product(enum dtype a, enum dtype b, const int64_t *size, bool trans_a, bool trans_b, bool inputs)
{
    struct arena arena;
    struct problem p = {.M = size[0], .N = size[1], .K = size[2], .a = {.dtype = a, .mx = true, .transpose = trans_a}};
    struct schedule s;
    struct tiling tiling;
    struct test_inputs t = {.a.block = NULL};
    struct verify *v = NULL;
    struct diag d;
    arena_init(&arena);
    diag_init(&d);
    p.b = (struct operand){.dtype = b, .mx = true, .transpose = trans_b};
    p.scale_a = (struct operand){.dtype = DTYPE_E8M0, .transpose = trans_a};
    p.scale_b = (struct operand){.dtype = DTYPE_E8M0, .transpose = !trans_b};
    p.c.dtype = DTYPE_FLOAT;
    p.seed = 5;
    const struct input_spec normal = {.dist = INPUT_NORMAL, .std = 1, .seed = 1},
                            uniform = {.dist = INPUT_UNIFORM, .low = -1, .high = 1, .seed = 2};
    if (inputs) {
        test_inputs_attach(&t, &p, &normal, &uniform);
    }
    assert_int_equal(problem_finish(&p, NULL, NULL), STATUS_OK);
    tiling_all_auto(&tiling);
    point_schedule(point_target("ascend950pr_9589", &arena), &p, &tiling, &s);
    float *c = malloc((size_t)(p.M * p.N) * sizeof *c);
    assert_non_null(c);
    assert_int_equal(verify_create(NULL, &v), STATUS_OK);
    assert_int_equal(verify_compute_c(v, &s, (uint8_t *)c, &d), STATUS_OK);
    check_product(&p, c, !inputs);
    expect_ok(&s, VERIFY_FULL);
    free(c);
    verify_destroy(v);
    diag_fini(&d);
    if (inputs) {
        test_inputs_free(&t);
    }
    arena_fini(&arena);
}

static void test_mx_products(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{128, 256, 512}, {40, 192, 50}, {48, 96, 33}};
    static const enum dtype pairs[][2] = {{DTYPE_FP8_E4M3, DTYPE_FP8_E4M3}, {DTYPE_FP8_E5M2, DTYPE_FP8_E4M3},
                                          {DTYPE_FP8_E5M2, DTYPE_FP8_E5M2}, {DTYPE_FP4_E2M1, DTYPE_FP4_E2M1},
                                          {DTYPE_FP4_E1M2, DTYPE_FP4_E2M1}, {DTYPE_FP4_E1M2, DTYPE_FP4_E1M2}};
    int count = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 6; j++) {
            const bool fp4 = j >= 3, odd = sizes[i][2] % 2 != 0;
            for (int t = 0; t < 4; t++) {
                /* fp4: the inner axis is even (kernel_rules T11); K is inner of A plain and of B transposed. */
                if (fp4 && odd && (t % 2 == 0 || t >= 2)) {
                    continue;
                }
                mx_product(pairs[j][0], pairs[j][1], sizes[i], t % 2, t >= 2, true);
                mx_product(pairs[j][0], pairs[j][1], sizes[i], t % 2, t >= 2, false);
                count++;
            }
        }
    }
    assert_int_equal(count, 3 * 6 * 4 - 3 * 3);
}

/* ---- the bound sees a wrong program ---- */

struct tamper {
    int calls, from; /* lists seen; changed from this one on */
    enum { DROP_MMAD, SHORT_K, OTHER_SLOT } how;
};

/* Changes the first Mmad from list `from` on. */
static int change(void *ctx, struct insn *insns, int count, int cap)
{
    struct tamper *t = ctx;
    (void)cap;
    t->calls++;
    for (int i = 0; i < count && t->from >= 0 && t->calls > t->from; i++) {
        if (insns[i].op != OP_MMAD || insns[i].p.mmad.k < 8 || insns[i].p.mmad.cmatrixInitVal != 0) {
            continue;
        }
        t->from = -1; /* once */
        if (t->how == DROP_MMAD) {
            memmove(&insns[i], &insns[i + 1], (size_t)(count - i - 1) * sizeof *insns);
            return count - 1;
        }
        if (t->how == SHORT_K) {
            insns[i].p.mmad.k--;
        } else {
            insns[i].p.mmad.cmatrixInitVal = 1; /* forgets what was summed so far */
        }
    }
    return count;
}

static void test_bound_is_tight(void **state)
{
    (void)state;
    struct arena arena;
    struct problem p;
    struct schedule s;
    struct tiling tiling;
    struct test_inputs t;
    arena_init(&arena);
    point_problem(&p, 64, 96, 512, false, true);
    const struct input_spec spec = {.dist = INPUT_NORMAL, .std = 1, .seed = 1};
    test_inputs_attach(&t, &p, &spec, &spec);
    tiling_all_auto(&tiling);
    tiling.shuffleK = 1;
    tiling.baseM = tiling.baseN = 32;
    tiling.baseK = 64;
    tiling.stepKa = tiling.stepKb = 1;
    point_schedule(point_target("ascend910b1", &arena), &p, &tiling, &s);
    struct tamper none = {.from = -1};
    assert_true(run(&s, VERIFY_FULL, change, &none, true).ok);
    assert_true(none.calls % 2 == 0); /* once on integers, once on the inputs */
    for (int how = 0; how < 3; how++) {
        for (int part = 1; part < 8; part++) {
            /* Only in the second run: the first one, on integers, is right. */
            struct tamper x = {.from = none.calls / 2 + none.calls / 2 * part / 8, .how = how};
            assert_false(run(&s, VERIFY_FULL, change, &x, false).ok);
            assert_int_equal(x.from, -1);
        }
    }
    test_inputs_free(&t);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_mx_products),
        cmocka_unit_test(test_bound_is_tight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
