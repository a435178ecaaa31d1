/* Whole matmuls through the engine equal the reference bit for bit, and the
 * pattern classes agree with the full run on right schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify.h"
#include "support/points.h"

#define SEED 77

static void expect_ok(const struct schedule *s, enum verify_level level)
{
    struct verify *v = NULL;
    struct verify_outcome out;
    struct diag d;
    diag_init(&d);
    assert_int_equal(verify_create(NULL, &v), STATUS_OK);
    assert_int_equal(verify_schedule(v, s, level, &out, &d), STATUS_OK);
    if (!out.ok) {
        struct strbuf text;
        strbuf_init(&text);
        diag_render(&d, &text);
        point_print(s);
        fail_msg("%s", strbuf_cstr(&text));
    }
    assert_int_equal(out.elems, s->problem->M * s->problem->N * s->problem->batch);
    verify_destroy(v);
    diag_fini(&d);
}

static void full_shape(int64_t m, int64_t n, int64_t k)
{
    struct arena arena;
    struct problem p;
    struct schedule s;
    struct tiling t;
    arena_init(&arena);
    point_problem(&p, m, n, k, false, true);
    tiling_all_auto(&t);
    point_schedule(point_target("ascend910b1", &arena), &p, &t, &s);
    expect_ok(&s, VERIFY_FULL);
    expect_ok(&s, VERIFY_CLASSES);
    arena_fini(&arena);
}

static void test_even(void **state)
{
    (void)state;
    full_shape(512, 768, 640);
}

static void test_tails(void **state)
{
    (void)state;
    full_shape(129, 257, 515);
}

/* Random points: the full run and the patterns must both pass. */
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
        point_random(targets[i % 2], limits, &rng, &p, &s);
        expect_ok(&s, VERIFY_FULL);
        expect_ok(&s, VERIFY_CLASSES);
        expect_ok(&s, VERIFY_LAYOUT);
    }
    arena_fini(&arena);
}

static void test_random(void **state)
{
    (void)state;
    const struct point_limits limits = {
        .max_m = 400, .max_n = 400, .max_k = 600, .max_macs = 12000000, .transposes = true, .nz = true};
    random_points(&limits, SEED, 80);
}

static void test_variants(void **state)
{
    (void)state;
    const struct point_limits limits = {.max_m = 300,
                                        .max_n = 300,
                                        .max_k = 400,
                                        .max_macs = 5000000,
                                        .transposes = true,
                                        .nz = true,
                                        .variants = true};
    random_points(&limits, SEED + 1, 200);
}

static void test_dtypes(void **state)
{
    (void)state;
    const struct point_limits limits = {.max_m = 300,
                                        .max_n = 300,
                                        .max_k = 500,
                                        .max_macs = 5000000,
                                        .transposes = true,
                                        .nz = true,
                                        .variants = true,
                                        .dtypes = true};
    random_points(&limits, SEED + 2, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even),     cmocka_unit_test(test_tails),  cmocka_unit_test(test_random),
        cmocka_unit_test(test_variants), cmocka_unit_test(test_dtypes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
