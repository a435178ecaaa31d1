/* Without unitflag the model is monotone: start times are maxima of sums, so
 * pointwise shorter durations, and deeper queues, never lengthen a run; exact <=
 * on random points (support/timing_points.h). What breaks it is pinned below, with
 * the reason: unitflag (a start that is later the shorter the Mmad is), and L1
 * contention (a second half that slows the loads of the first). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/paper.h"
#include "support/timing_points.h"

#ifndef POINTS
#define POINTS 300
#endif
#define BASE_SEED 4711U

/* Without load_call: with fewer calls than the measured pair had, less of it is more.
 * Numbers that only lengthen durations when they grow (UP) or when they shrink (DOWN). */
enum { UP = 1, DOWN = 0 };

/* When a number may be changed so that every single duration gets shorter or stays. */
enum when {
    ALWAYS,
    FREE_RUNNING, /* without queues: it changes how a load is cut into its calls, to a thousandth */
    WARM          /* faster rows of A leave more of the HBM time to the copies of B */
};

static const struct number {
    size_t offset;
    int direction;
    enum when when;
} NUMBERS[] = {
#define NUMBER(name, direction, when)                         \
    {                                                         \
        offsetof(struct target_timing, name), direction, when \
    }
    NUMBER(mmad_issue, UP, ALWAYS),
    NUMBER(mmad_latency, UP, ALWAYS),
    NUMBER(load_issue, UP, FREE_RUNNING),
    NUMBER(load_min, UP, FREE_RUNNING),
    NUMBER(l0a_width, DOWN, FREE_RUNNING),
    NUMBER(l0b_width, DOWN, FREE_RUNNING),
    NUMBER(l1_contention, DOWN, FREE_RUNNING),
    NUMBER(copy_issue, UP, WARM),
    NUMBER(copy_latency, UP, ALWAYS),
    NUMBER(copy_loaded, UP, ALWAYS),
    NUMBER(row_min, UP, WARM),
    NUMBER(row_base, UP, WARM),
    NUMBER(row_width, DOWN, WARM),
    NUMBER(pitch_conflict, UP, WARM),
    NUMBER(unaligned, UP, WARM),
    NUMBER(l2_rate, DOWN, WARM),
    NUMBER(plain_width, DOWN, WARM),
    NUMBER(hbm_nd, DOWN, ALWAYS),
    NUMBER(hbm, DOWN, ALWAYS),
    NUMBER(fixpipe_issue, UP, ALWAYS),
    NUMBER(fixpipe_width, DOWN, ALWAYS),
    NUMBER(fixpipe_unaligned, UP, ALWAYS),
    NUMBER(sync, UP, ALWAYS),
    NUMBER(tile_barrier, UP, ALWAYS),
};
#define NUMBER_COUNT (sizeof NUMBERS / sizeof NUMBERS[0])

static double *number_of(struct target_timing *p, size_t i)
{
    return (double *)(void *)((char *)p + NUMBERS[i].offset);
}

/* Shortens some durations; mmad_latency stays above mmad_issue. */
static void improve(struct target_timing *p, struct rng *r, bool queues, bool warm)
{
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        const enum when when = NUMBERS[i].when;
        if (rng_below(r, 3) != 0 || (when == FREE_RUNNING && queues) || (when == WARM && !warm)) {
            continue;
        }
        const double factor = (double)rng_between(r, 0, 1000) / 1000;
        double *x = number_of(p, i);
        *x = NUMBERS[i].direction == UP ? *x * factor : *x * (1 + 3 * factor);
    }
    if (p->mmad_issue > p->mmad_latency) {
        p->mmad_issue = p->mmad_latency;
    }
}

struct fixture {
    struct arena arena;
    struct diag diag;
    const struct target *targets[2];
    struct timing *timing;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    arena_init(&f->arena);
    diag_init(&f->diag);
    assert_int_equal(target_load("ascend910b1", NULL, &f->arena, &f->targets[0], &f->diag), STATUS_OK);
    assert_int_equal(target_load("ascend950pr_9589", NULL, &f->arena, &f->targets[1], &f->diag), STATUS_OK);
    assert_int_equal(timing_create(&f->timing), STATUS_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    timing_destroy(f->timing);
    diag_fini(&f->diag);
    arena_fini(&f->arena);
    free(f);
    return 0;
}

/* What may change between the two runs of a point. */
enum change { CHANGE_DURATIONS, CHANGE_QUEUE, CHANGE_BOTH, CHANGE_N };

static void run(struct fixture *f, const struct schedule *s, bool warm, struct timing_result *out)
{
    const struct timing_start start = {.l2_warm = warm};
    assert_int_equal(timing_fast(f->timing, s, &start, out), STATUS_OK);
}

static void never_longer(void **state)
{
    struct fixture *f = *state;
    const char *given = getenv("TIMING_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : BASE_SEED;
    int done = 0, shorter[CHANGE_N] = {0};
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int tried = 0; done < POINTS; tried++) {
        struct rng r = rng_init(rng_at(seed, (uint64_t)tried));
        struct timing_point x;
        struct target target;
        struct problem p;
        struct schedule s;
        struct timing_result before, after;
        timing_point_random(f->targets, &r, &x);
        const enum change change = (enum change)rng_below(&r, CHANGE_N);
        x.t.unitflag = 0;
        x.l2_warm = rng_below(&r, 2) == 0;
        x.queue_depth = change == CHANGE_DURATIONS ? 0 : (int32_t)rng_between(&r, 1, 8);
        if (!timing_point_schedule(&x, &target, &p, &s)) {
            continue;
        }
        done++;
        run(f, &s, x.l2_warm, &before);
        if (change != CHANGE_QUEUE) {
            improve(&target.timing, &r, change != CHANGE_DURATIONS, x.l2_warm);
        }
        if (change != CHANGE_DURATIONS) {
            target.timing.queue_depth = rng_below(&r, 3) == 0 ? 0 : x.queue_depth + (double)rng_between(&r, 1, 8);
        }
        run(f, &s, x.l2_warm, &after);
        shorter[change] += after.core_max < before.core_max;
        if (after.core_max > before.core_max || after.core_mean > before.core_mean) {
            print_message("point %d, change %d: %lld -> %lld\n", tried, change, (long long)before.core_max,
                          (long long)after.core_max);
            timing_point_print(&x);
            fail();
        }
    }
    print_message("%d points; shorter by durations %d, queue %d, both %d\n", done, shorter[0], shorter[1], shorter[2]);
    assert_true(shorter[0] > 0 && shorter[1] > 0 && shorter[2] > 0);
}

/* --- counterexamples ---------------------------------------------------------- */

/* A Mmad of one step may start only so early that its work ends with the
 * Fixpipe that drains its block: at end - W. Its own Fixpipe starts mmad_latency
 * after that start: a shorter W starts later, and with W < mmad_latency the
 * Fixpipe with it. (M 27; F0 67-97; W = 30: M1 max(57, 97 - 30) = 67, F1 107;
 * W = 10: M1 87, F1 127.) */
static void unitflag_shorter_mmad_is_longer(void **state)
{
    struct lab *l = *state;
    l->problem.M = 32;
    l->problem.K = 16;
    lab_buffers(l, 2, 2);
    l->tiling.unitflag = 1;
    l->target.timing.mmad_latency = 40;
    lab_times(l, 10, 7, 30, 30);
    assert_int_equal(lab_cycles(l, NULL), 107 + 30);
    lab_times(l, 10, 7, 10, 30);
    assert_int_equal(lab_cycles(l, NULL), 127 + 30);
}

/* A second L1 half lets copies run ahead, and each ND2NZ byte steals from the
 * loads. Where loads decide anyway, that is a loss. */
static void contention_second_half_is_longer(void **state)
{
    struct lab *l = *state;
    l->problem.K = 64;
    l->tiling.stepKa = l->tiling.stepKb = 4; /* one chunk a tile: nothing to run ahead of */
    lab_times(l, 10, 7, 5, 1);
    lab_buffers(l, 1, 2);
    l->target.timing.l1_contention = 512 / 3.0; /* 3 cycles a load */
    const int64_t single = lab_cycles(l, NULL);
    /* cA 0-40, cB 40-80; lA0 40-47, lB0 80-87, lA1 94 .. lB3 129; M 134, F 135. */
    assert_int_equal(single, 80 + 7 * 7 + 5 + 1);
    lab_buffers(l, 2, 2);
    assert_int_equal(lab_cycles(l, NULL), single + 7 * 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(never_longer, setup, teardown),
        cmocka_unit_test_setup_teardown(unitflag_shorter_mmad_is_longer, lab_setup, lab_teardown),
        cmocka_unit_test_setup_teardown(contention_second_half_is_longer, lab_setup, lab_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
