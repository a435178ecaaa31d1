/* The space: index order, round trips, caps, first reasons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/limits.h"
#include "base/rng.h"
#include "tiling/space.h"

#define COUNT(array) ((int32_t)(sizeof(array) / sizeof((array)[0])))

static void values_are_sorted_and_deduplicated(void **state)
{
    (void)state;
    struct space s = {0};
    int32_t values[] = {64, 16, 32, 16, 64, 48};
    static const int32_t want[] = {16, 32, 48, 64};
    space_set(&s, TF_baseM, values, COUNT(values));
    assert_int_equal(s.axis[TF_baseM].count, 4);
    assert_memory_equal(s.axis[TF_baseM].values, want, sizeof want);
    assert_int_equal(space_finish(&s, NULL), STATUS_OK);
    assert_int_equal(s.size, 4);
    space_set(&s, TF_baseM, NULL, 0);
    assert_int_equal(s.axis[TF_baseM].count, 0);
}

static void geometry_is_the_most_significant_digit(void **state)
{
    (void)state;
    struct space s = {0};
    struct tiling t;
    int32_t cores[] = {20, 24}, base_m[] = {64, 128, 256}, db[] = {1, 2}, fixed[] = {32};
    space_set(&s, TF_dbL0C, db, COUNT(db));
    space_set(&s, TF_baseM, base_m, COUNT(base_m));
    space_set(&s, TF_usedCoreNum, cores, COUNT(cores));
    space_set(&s, TF_baseK, fixed, COUNT(fixed));
    assert_int_equal(space_finish(&s, NULL), STATUS_OK);
    assert_int_equal(s.size, 12);
    for (uint64_t i = 0; i < s.size; i++) {
        space_raw(&s, i, &t);
        assert_int_equal(t.dbL0C, db[i % 2]);
        assert_int_equal(t.baseM, base_m[i / 2 % 3]);
        assert_int_equal(t.usedCoreNum, cores[i / 6]);
        assert_int_equal(t.baseK, 32);
        assert_int_equal(t.baseN, TILING_AUTO);
    }
}

/* Random spaces: every index has one tiling, and comes back from it. */
static void index_round_trip(void **state)
{
    (void)state;
    struct rng rng = rng_init(42);
    int32_t values[TF_N][6];
    for (int round = 0; round < 200; round++) {
        struct space s = {0};
        for (int f = 0; f < TF_N; f++) {
            const int32_t n = (int32_t)rng_below(&rng, 8) - 3;
            for (int32_t i = 0; i < n; i++) {
                values[f][i] = (int32_t)rng_between(&rng, -2, 6);
            }
            space_set(&s, (enum tiling_field)f, values[f], n > 0 ? n : 0);
        }
        if (space_finish(&s, NULL) != STATUS_OK) {
            continue;
        }
        for (int i = 0; i < 20; i++) {
            const uint64_t index = rng_below(&rng, s.size);
            struct tiling t;
            uint64_t back;
            space_raw(&s, index, &t);
            assert_true(space_index(&s, &t, &back));
            assert_int_equal(back, index);
        }
    }
}

static void a_tiling_outside_has_no_index(void **state)
{
    (void)state;
    struct space s = {0};
    int32_t base_m[] = {64, 128}, base_n[] = {256};
    struct tiling t;
    uint64_t index = 0;
    space_set(&s, TF_baseM, base_m, 2);
    space_set(&s, TF_baseN, base_n, 1);
    assert_int_equal(space_finish(&s, NULL), STATUS_OK);
    tiling_all_auto(&t);
    assert_false(space_index(&s, &t, &index)); /* a digit left auto */
    t.baseM = 128;
    t.baseN = 255;
    assert_false(space_index(&s, &t, &index));
    t.baseN = 256;
    t.stepKa = 77; /* an auto axis takes any value */
    assert_true(space_index(&s, &t, &index));
    assert_int_equal(index, 1);
}

static void size_is_capped(void **state)
{
    (void)state;
    static const enum tiling_field fields[] = {TF_singleCoreM, TF_singleCoreN, TF_singleCoreK, TF_usedCoreNum};
    static int32_t values[4][65536];
    struct space s = {0};
    struct diag d;
    diag_init(&d);
    /* 2^16 * 2^16 * 2^16 * 2^14 = 2^62 fits, twice that does not. */
    for (int i = 0; i < 4; i++) {
        for (int32_t v = 0; v < 65536; v++) {
            values[i][v] = v + 1;
        }
        space_set(&s, fields[i], values[i], i < 3 ? 65536 : 16384);
    }
    assert_int_equal(space_finish(&s, &d), STATUS_OK);
    assert_true(s.size == LIMIT_SPACE_POINTS);
    struct tiling t;
    uint64_t back;
    space_raw(&s, s.size - 1, &t);
    assert_int_equal(t.singleCoreM, 65536);
    assert_true(space_index(&s, &t, &back));
    assert_true(back == s.size - 1);
    int32_t two[] = {1, 2};
    space_set(&s, TF_dbL0C, two, 2);
    assert_int_equal(space_finish(&s, &d), STATUS_LIMIT);
    assert_int_equal(d.count, 1);
    assert_non_null(strstr(d.messages[0].text, "2^62"));
    diag_fini(&d);
}

static void variables_match_their_names(void **state)
{
    (void)state;
    const char *const *names = space_variables();
    const struct problem p = {.M = 100, .N = 200, .K = 300};
    struct tiling t;
    int64_t vars[TF_N + 8];
    for (int f = 0; f < TF_N; f++) {
        assert_string_equal(names[f], tiling_field_info((enum tiling_field)f)->name);
        tiling_set(&t, (enum tiling_field)f, 1000 + f);
    }
    assert_string_equal(names[TF_N], "M");
    assert_string_equal(names[TF_N + 1], "N");
    assert_string_equal(names[TF_N + 2], "K");
    assert_null(names[TF_N + 3]);
    space_variable_values(&p, &t, vars);
    assert_int_equal(vars[TF_baseK], 1000 + TF_baseK);
    assert_int_equal(vars[TF_N], 100);
    assert_int_equal(vars[TF_N + 2], 300);
}

struct fixture {
    struct arena arena;
    const struct target *target;
    struct problem p;
};

static void load_fixture(struct fixture *f)
{
    arena_init(&f->arena);
    f->p = (struct problem){.M = 512,
                            .N = 512,
                            .K = 512,
                            .a = {.dtype = DTYPE_HALF},
                            .b = {.dtype = DTYPE_HALF, .transpose = true},
                            .c = {.dtype = DTYPE_HALF}};
    assert_int_equal(target_load("ascend910b1", NULL, &f->arena, &f->target, NULL), STATUS_OK);
    assert_int_equal(problem_finish(&f->p, NULL, NULL), STATUS_OK);
}

/* `where` is judged on the resolved tiling, before the plan, by its number. */
static void where_clauses_are_numbered(void **state)
{
    (void)state;
    struct fixture f;
    load_fixture(&f);
    static const char *const texts[] = {"baseM >= 32", "baseK == 64", "M % (baseM - 64) >= 0"};
    struct space_where where[3];
    for (int i = 0; i < 3; i++) {
        struct expr *expr;
        assert_int_equal(expr_compile(texts[i], NULL, space_variables(), &f.arena, &expr, NULL), STATUS_OK);
        where[i] = (struct space_where){.text = texts[i], .expr = expr};
    }
    int32_t base_m[] = {16, 32, 64}, base_k[] = {64, 128};
    struct space s = {.where = where, .where_count = 3};
    space_set(&s, TF_baseM, base_m, 3);
    space_set(&s, TF_baseK, base_k, 2);
    assert_int_equal(space_finish(&s, NULL), STATUS_OK);
    static const int64_t broken[] = {1, 1, 0, 2, 3, 2}; /* 64: division by zero */
    for (uint64_t i = 0; i < s.size; i++) {
        struct tiling t;
        struct plan plan;
        struct infeasible why;
        assert_int_equal(space_at(&s, f.target, &f.p, i, &t, &plan, &why), broken[i] == 0);
        assert_int_equal(why.reason, broken[i] == 0 ? REASON_NONE : REASON_WHERE);
        assert_int_equal(why.need, broken[i]);
    }
    arena_fini(&f.arena);
}

static void a_feasible_point_has_no_auto_left(void **state)
{
    (void)state;
    struct fixture f;
    load_fixture(&f);
    struct space s = {0};
    struct tiling t;
    struct plan plan;
    struct infeasible why;
    assert_int_equal(space_finish(&s, NULL), STATUS_OK);
    assert_int_equal(s.size, 1);
    assert_true(space_at(&s, f.target, &f.p, 0, &t, &plan, &why));
    for (int i = 0; i < TF_N; i++) {
        assert_int_not_equal(tiling_get(&t, (enum tiling_field)i), TILING_AUTO);
    }
    assert_true(plan.n > 0);
    arena_fini(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_sorted_and_deduplicated),
        cmocka_unit_test(geometry_is_the_most_significant_digit),
        cmocka_unit_test(index_round_trip),
        cmocka_unit_test(a_tiling_outside_has_no_index),
        cmocka_unit_test(size_is_capped),
        cmocka_unit_test(variables_match_their_names),
        cmocka_unit_test(where_clauses_are_numbered),
        cmocka_unit_test(a_feasible_point_has_no_auto_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
