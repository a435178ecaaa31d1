/* The lower bounds below the time on 100,000 random points: matmuls of
 * support/timing_points.h, and convs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/rng.h"
#include "support/convs.h"
#include "support/timing_points.h"
#include "timing/timing.h"

#define POINTS    100000
#define CONVS     8 /* one point in so many */
#define CONV_MACS 4000000
#define SEED      20240611U

struct tally {
    struct timing *timing;
    double tightness; /* sum of bound / time */
    int points, wrong;
};

/* @return whether both bounds hold. */
static bool check(struct tally *t, const struct schedule *s, bool l2_warm)
{
    const struct timing_start start = {.l2_warm = l2_warm};
    struct timing_result result;
    assert_int_equal(timing_fast(t->timing, s, &start, &result), STATUS_OK);
    const int64_t bound = timing_bound(t->timing, s), from = timing_bound_from(t->timing, s, &start);
    const bool holds = bound <= from && from <= result.task;
    t->points++;
    t->wrong += !holds;
    t->tightness += (double)from / (double)result.task;
    if (!holds) {
        print_message("bound %lld, from the start %lld, time %lld\n", (long long)bound, (long long)from,
                      (long long)result.task);
    }
    return holds;
}

static void bounds_hold(void **state)
{
    (void)state;
    struct arena arena;
    struct diag diag;
    const struct target *targets[2];
    struct tally t = {0};
    arena_init(&arena);
    diag_init(&diag);
    assert_int_equal(target_load("ascend910b1", NULL, &arena, &targets[0], &diag), STATUS_OK);
    assert_int_equal(target_load("ascend950pr_9589", NULL, &arena, &targets[1], &diag), STATUS_OK);
    assert_int_equal(timing_create(&t.timing), STATUS_OK);
    for (uint64_t i = 0; t.points < POINTS; i++) {
        struct rng r = rng_init(rng_at(SEED, i));
        struct problem p;
        struct schedule s;
        if (i % CONVS == 0) {
            conv_random(targets[i / CONVS % 2], CONV_MACS, &r, &p, &s);
            if (!check(&t, &s, rng_below(&r, 8) == 0)) {
                conv_print(&s);
            }
            continue;
        }
        struct timing_point x;
        struct target target;
        timing_point_random(targets, &r, &x);
        if (timing_point_schedule(&x, &target, &p, &s) && !check(&t, &s, x.l2_warm)) {
            timing_point_print(&x);
        }
    }
    print_message("seed %u: %d points, bound / time %.3f\n", SEED, t.points, t.tightness / t.points);
    assert_int_equal(t.wrong, 0);
    timing_destroy(t.timing);
    diag_fini(&diag);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
