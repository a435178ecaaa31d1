/* The two timers against each other, and the bound below both, on random
 * points of support/timing_points.h.
 *
 * The seed is printed; TIMING_SEED repeats one. A failing point is shrunk by
 * halving its sizes as long as it still fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "support/timing_points.h"
#include "timing/context.h"

#ifndef POINTS
#define POINTS 2000
/* Points of more steps are left to the long test: every step is expanded. */
#define STEPS_MAX 6000
#endif
#ifndef STEPS_MAX
#define STEPS_MAX INT64_MAX
#endif
#define BASE_SEED 20240607U

struct fixture {
    struct arena arena;
    struct diag diag;
    const struct target *targets[2];
    struct timing *fast, *plain, *ref;
    double tightness; /* sum of bound / time */
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    arena_init(&f->arena);
    diag_init(&f->diag);
    assert_int_equal(target_load("ascend910b1", NULL, &f->arena, &f->targets[0], &f->diag), STATUS_OK);
    assert_int_equal(target_load("ascend950pr_9589", NULL, &f->arena, &f->targets[1], &f->diag), STATUS_OK);
    assert_int_equal(timing_create(&f->fast), STATUS_OK);
    assert_int_equal(timing_create(&f->plain), STATUS_OK);
    assert_int_equal(timing_create(&f->ref), STATUS_OK);
    f->plain->shortcuts = 0;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    timing_destroy(f->fast);
    timing_destroy(f->plain);
    timing_destroy(f->ref);
    diag_fini(&f->diag);
    arena_fini(&f->arena);
    free(f);
    return 0;
}

static bool same(const struct timing_result *a, const struct timing_result *b)
{
    return a->task == b->task && a->core_mean == b->core_mean && a->core_max == b->core_max &&
           memcmp(a->busy, b->busy, sizeof a->busy) == 0 && a->hbm == b->hbm && a->steps == b->steps &&
           a->bound_pipe == b->bound_pipe;
}

static int64_t all_steps(const struct schedule *s)
{
    int64_t steps = 0;
    for (int32_t core = 0; core < s->cores; core++) {
        steps += schedule_steps(s, core);
    }
    return steps;
}

/* What is wrong with a point; NULL if nothing is or it is not feasible. */
static const char *judge(struct fixture *f, const struct timing_point *x, bool *feasible)
{
    struct target target;
    struct problem p;
    struct schedule s;
    struct timing_result ref, fast, plain;
    const struct timing_start start = {.l2_warm = x->l2_warm};
    *feasible = timing_point_schedule(x, &target, &p, &s) && all_steps(&s) <= STEPS_MAX;
    if (!*feasible) {
        return NULL;
    }
    if (timing_ref(f->ref, &s, &start, &ref) != STATUS_OK || timing_fast(f->fast, &s, &start, &fast) != STATUS_OK ||
        timing_fast(f->plain, &s, &start, &plain) != STATUS_OK) {
        return "a timer failed";
    }
    if (!same(&ref, &plain)) {
        return "timing_ref and the plain recurrence differ";
    }
    if (!same(&plain, &fast)) {
        return "the short cuts change the result";
    }
    if (fast.steps_simulated > fast.steps) {
        return "more steps simulated than there are";
    }
    const int64_t bound = timing_bound(f->fast, &s), tight = timing_bound_from(f->fast, &s, &start);
    f->tightness += (double)tight / (double)fast.task;
    return tight > fast.task || bound > tight ? "the bound lies above the time" : NULL;
}

/* Halves sizes while the point still fails. */
static void shrink(struct fixture *f, struct timing_point *x)
{
    bool smaller = true, feasible;
    while (smaller) {
        smaller = false;
        int64_t *const sizes[] = {&x->M, &x->N, &x->K, &x->ld_extra};
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const int64_t was = *sizes[i];
            *sizes[i] = was / 2;
            if (was > 0 && judge(f, x, &feasible) != NULL) {
                smaller = true;
            } else {
                *sizes[i] = was;
            }
        }
    }
}

static void timers_agree(void **state)
{
    struct fixture *f = *state;
    const char *given = getenv("TIMING_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : BASE_SEED;
    print_message("seed %llu\n", (unsigned long long)seed);
    int done = 0, tried = 0;
    uint64_t kinds = 0;
    int variants[2 * VARIANT_N] = {0}, rows[4] = {0}, fills = 0;
    for (; done < POINTS && tried < 50 * POINTS; tried++) {
        struct rng r = rng_init(rng_at(seed, (uint64_t)tried));
        struct timing_point x;
        bool feasible;
        timing_point_random(f->targets, &r, &x);
        const char *wrong = judge(f, &x, &feasible);
        done += feasible;
        kinds |= feasible ? 1ULL << (x.t.unitflag | x.t.waitBoth << 1 | (x.t.assign == ASSIGN_BLOCKS) << 2) : 0;
        variants[x.variant] += feasible;
        rows[x.bias + 2 * x.quant] += feasible;
        fills += feasible && x.mx != DTYPE_NONE && x.K % 64 != 0;
        if (wrong != NULL) {
            print_message("point %d: %s\n", tried, wrong);
            shrink(f, &x);
            timing_point_print(&x);
            fail();
        }
    }
    print_message("%d points of %d drawn; bound / time %.3f\n", done, tried, f->tightness / done);
    print_message("variants");
    for (int i = 0; i < VARIANT_N; i++) {
        print_message(" %d", variants[i]);
    }
    print_message("; bias %d, quant %d, both %d, zero fills %d\n", rows[1], rows[2], rows[3], fills);
    assert_true(rows[1] > 0 && rows[2] > 0 && rows[3] > 0 && fills > 0);
    assert_int_equal(done, POINTS);
    for (int i = 0; i < VARIANT_N; i++) {
        assert_true(variants[i] > 0);
    }
    assert_int_equal(kinds, 0xFF); /* every combination of the main knobs came up */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(timers_agree, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
