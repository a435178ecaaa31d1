/* Rows that start on the same alignment cost the same per byte, whatever odd
 * factor the base block adds: a pitch of 6000 B aligns rows to 16 B. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/points.h"
#include "timing/timing.h"

/* MTE2 mcyc a byte of B, [K, N] with N = 3000 halves, in base blocks of `base`. */
static double cost_per_byte(const struct target *target, struct timing *timing, int32_t base)
{
    const struct timing_start warm = {.l2_warm = true};
    struct problem p;
    struct tiling t;
    struct schedule s;
    struct timing_result r;
    struct schedule_totals totals;
    point_problem(&p, 128, 3000, 512, false, false);
    tiling_all_auto(&t);
    t.baseM = 128, t.baseN = base, t.baseK = 64, t.stepKa = t.stepKb = 1, t.usedCoreNum = 1;
    point_schedule(target, &p, &t, &s);
    assert_int_equal(timing_fast(timing, &s, &warm, &r), STATUS_OK);
    schedule_totals(&s, &totals);
    return (double)r.busy[PIPE_MTE2] / (double)totals.bytes[PATH_GM_L1];
}

static void test_odd_factors(void **state)
{
    (void)state;
    struct arena arena;
    struct timing *timing = NULL;
    arena_init(&arena);
    assert_int_equal(timing_create(&timing), STATUS_OK);
    const struct target *target = point_target("ascend910b3", &arena);
    /* 176, 208 = 16 * 11, 16 * 13 halves; 192, 240 = 16 * 12, 16 * 15. */
    const double reference = cost_per_byte(target, timing, 176);
    static const int32_t bases[] = {192, 208, 224, 240};
    for (int i = 0; i < 4; i++) {
        const double ratio = cost_per_byte(target, timing, bases[i]) / reference;
        assert_true(ratio > 0.8 && ratio < 1.25);
    }
    timing_destroy(timing);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_odd_factors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
