/* Canonical names: name and parse are inverse over random resolved tilings;
 * partial names; bad names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/intmath.h"
#include "support/points.h"
#include "tiling/plan.h"

static void random_resolved(const struct target *target, struct rng *rng, struct tiling *t)
{
    struct problem p;
    struct infeasible why;
    point_problem(&p, 1 + (int64_t)rng_below(rng, 9000), 1 + (int64_t)rng_below(rng, 9000),
                  1 + (int64_t)rng_below(rng, 9000), rng_below(rng, 2), rng_below(rng, 2));
    tiling_all_auto(t);
    for (int k = 0; k < 8; k++) {
        const enum tiling_field f = (enum tiling_field)rng_below(rng, TF_N);
        const struct tiling_field_info *info = tiling_field_info(f);
        /* Depths are never stated: they follow. */
        if (f != TF_depthA1 && f != TF_depthB1) {
            tiling_set(t, f, (int32_t)rng_between(rng, info->min, min_i64(info->max, info->min + 500)));
        }
    }
    tiling_resolve(target, &p, t, &why);
    assert_int_equal(why.reason, REASON_NONE);
}

static void name_and_parse_are_inverse(void **state)
{
    (void)state;
    struct arena arena;
    struct rng rng = rng_init(11);
    struct strbuf name, again;
    arena_init(&arena);
    strbuf_init(&name);
    strbuf_init(&again);
    const struct target *targets[] = {point_target("ascend910b1", &arena), point_target("ascend950pr_9589", &arena)};
    for (int i = 0; i < 20000; i++) {
        struct tiling t, back;
        random_resolved(targets[i % 2], &rng, &t);
        strbuf_clear(&name);
        tiling_name(&t, &name);
        assert_int_equal(tiling_parse(strbuf_cstr(&name), &back, NULL), STATUS_OK);
        for (int f = 0; f < TF_N; f++) {
            if (tiling_get(&back, (enum tiling_field)f) != tiling_get(&t, (enum tiling_field)f)) {
                print_error("%s: %s\n", strbuf_cstr(&name), tiling_field_info((enum tiling_field)f)->name);
            }
            assert_int_equal(tiling_get(&back, (enum tiling_field)f), tiling_get(&t, (enum tiling_field)f));
        }
        strbuf_clear(&again);
        tiling_name(&back, &again);
        assert_string_equal(strbuf_cstr(&again), strbuf_cstr(&name));
    }
    strbuf_fini(&name);
    strbuf_fini(&again);
    arena_fini(&arena);
}

static void tags_are_unambiguous(void **state)
{
    (void)state;
    for (int f = 0; f < TF_N; f++) {
        const struct tiling_field_info *info = tiling_field_info((enum tiling_field)f);
        const size_t n = strlen(info->tag);
        assert_true(n > 0);
        assert_int_equal(tiling_field_from_name(info->name), f);
        assert_non_null(info->meaning);
        for (int g = 0; g < f; g++) {
            assert_string_not_equal(info->tag, tiling_field_info((enum tiling_field)g)->tag);
            assert_int_not_equal(info->digit, tiling_field_info((enum tiling_field)g)->digit);
        }
    }
    assert_int_equal(tiling_field_from_name("tilem"), TF_N);
}

static void partial_names_leave_the_rest_auto(void **state)
{
    (void)state;
    struct tiling t;
    assert_int_equal(tiling_parse("b128x256x64_s8x4", &t, NULL), STATUS_OK);
    assert_int_equal(t.baseM, 128);
    assert_int_equal(t.stepKb, 4);
    assert_int_equal(t.dbA1, TILING_AUTO);
    assert_int_equal(t.unitflag, TILING_AUTO);
    assert_int_equal(t.singleCoreM, TILING_AUTO);
    assert_int_equal(tiling_parse("u0", &t, NULL), STATUS_OK);
    assert_int_equal(t.unitflag, 0);
    assert_int_equal(t.baseM, TILING_AUTO);
    /* Complete: what is not stated has its default, depths follow. */
    assert_int_equal(tiling_parse("b128x256x64_s8x4_d2x1_l2x2x1_c24_g1408x2048x8192", &t, NULL), STATUS_OK);
    assert_int_equal(t.unitflag, 0);
    assert_int_equal(t.depthA1, 16);
    assert_int_equal(t.depthB1, 4);
}

static void bad_names_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "_",
        "b128",
        "b128x256",
        "b128x256x64x1",
        "b128x256x64_",
        "b128x256x64__u1",
        "u",
        "u-1",
        "q1",
        "b1x2x3_u1x",
        "b 1x2x3",
        "b99999999999x1x1",
        "l2a",
        "b128x256x64_s8x4_this_is_a_part_that_is_far_too_long_to_be_any_field_of_a_tiling_name_at_all0",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct tiling t;
        struct diag d;
        diag_init(&d);
        const bool trailing = strcmp(bad[i], "b128x256x64_") == 0; /* a separator at the end says nothing */
        assert_int_equal(tiling_parse(bad[i], &t, &d), trailing ? STATUS_OK : STATUS_INVALID);
        assert_int_equal(d.errors, trailing ? 0 : 1);
        diag_fini(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_and_parse_are_inverse),
        cmocka_unit_test(tags_are_unambiguous),
        cmocka_unit_test(partial_names_leave_the_rest_auto),
        cmocka_unit_test(bad_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
