/* Both timers on a made-up target whose times can be counted on paper: one
 * byte a cycle on every path, a Mmad of 100 cycles, latencies 0 unless the test
 * sets them. One tile is 16 x 16, a step 16 deep in half: a move of A or B and
 * a load of A or B take 512 cycles each, a Fixpipe 512. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "timing/context.h"

struct lab {
    struct arena arena;
    struct diag diag;
    struct target target;
    struct problem problem;
    struct tiling tiling;
    struct timing *timing;
    struct schedule schedule;
};

static void paper_target(struct target *t)
{
    struct target_timing *p = &t->timing;
    t->rate[DTYPE_HALF] = 16 * 16 * 16 / 100.0;
    p->mmad_latency = p->mmad_issue = 0;
    p->load_issue = p->load_call = p->load_min = 0;
    p->l0a_width = p->l0b_width = 1;
    p->l1_contention = 1e18;
    p->copy_issue = p->copy_latency = p->copy_loaded = 0;
    p->row_min = p->row_base = p->unaligned = 0;
    p->row_width = 1;
    p->pitch_conflict = 1;
    p->l2_rate = 1e18;
    p->fixpipe_issue = 0;
    p->fixpipe_width = 1;
    p->sync = 0;
    p->head_us = p->head_cores_us = p->init_us = p->init_api_us = 0;
    p->mmad_barrier = 0;
}

static int setup(void **state)
{
    struct lab *l = calloc(1, sizeof *l);
    const struct target *loaded;
    arena_init(&l->arena);
    diag_init(&l->diag);
    assert_int_equal(target_load("ascend910b1", NULL, &l->arena, &loaded, &l->diag), STATUS_OK);
    l->target = *loaded;
    paper_target(&l->target);
    l->problem = (struct problem){.name = "paper", .op = PROBLEM_MATMUL, .M = 16, .N = 16, .K = 48};
    l->problem.a.dtype = l->problem.b.dtype = l->problem.c.dtype = DTYPE_HALF;
    l->problem.b.transpose = true;
    tiling_all_auto(&l->tiling);
    l->tiling.usedCoreNum = 1;
    l->tiling.baseM = l->tiling.baseN = l->tiling.baseK = 16;
    l->tiling.stepKa = l->tiling.stepKb = 1;
    l->tiling.dbL0A = l->tiling.dbL0B = l->tiling.dbL0C = 1;
    l->tiling.unitflag = 0;
    assert_int_equal(timing_create(&l->timing), STATUS_OK);
    *state = l;
    return 0;
}

static int teardown(void **state)
{
    struct lab *l = *state;
    timing_destroy(l->timing);
    diag_fini(&l->diag);
    arena_fini(&l->arena);
    free(l);
    return 0;
}

static void buffers(struct lab *l, int32_t l1, int32_t l0)
{
    l->tiling.dbA1 = l->tiling.dbB1 = l1;
    l->tiling.depthA1 = l1 * l->tiling.stepKa;
    l->tiling.depthB1 = l1 * l->tiling.stepKb;
    l->tiling.dbL0A = l->tiling.dbL0B = l0;
}

static void build(struct lab *l)
{
    struct tiling t = l->tiling;
    struct plan plan;
    struct infeasible why;
    assert_int_equal(problem_finish(&l->problem, NULL, &l->diag), STATUS_OK);
    tiling_resolve(&l->target, &l->problem, &t, &why);
    assert_int_equal(why.reason, REASON_NONE);
    assert_true(plan_make(&l->target, &l->problem, &t, &plan, &why));
    assert_int_equal(schedule_init(&l->schedule, &l->target, &l->problem, &t, &plan, &l->diag), STATUS_OK);
}

/* Cycles of the run by both timers; `busy` (may be NULL) in order MTE2, MTE1, M, FIX. */
static int64_t cycles(struct lab *l, int64_t busy[4])
{
    const struct timing_start warm = {.l2_warm = true};
    struct timing_result ref, fast;
    build(l);
    assert_int_equal(timing_ref(l->timing, &l->schedule, &warm, &ref), STATUS_OK);
    assert_int_equal(timing_fast(l->timing, &l->schedule, &warm, &fast), STATUS_OK);
    assert_int_equal(ref.task, fast.task);
    assert_int_equal(ref.task % 1000, 0);
    for (int pipe = PIPE_MTE2; pipe <= PIPE_FIX; pipe++) {
        assert_int_equal(ref.busy[pipe], fast.busy[pipe]);
        if (busy != NULL) {
            busy[pipe] = ref.busy[pipe] / 1000;
        }
    }
    assert_true(timing_bound(l->timing, &l->schedule) <= ref.task);
    return ref.task / 1000;
}

/* A is loaded while B is still copied; the next copies wait until both loads are done. */
static void single_buffers(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    buffers(l, 1, 1);
    /* Step: A 0-512, B 512-1024; load A 512-1024, load B 1024-1536; Mmad 1536-1636,
     * the next copies from 1536. Three steps, then Fixpipe 4708-5220. */
    assert_int_equal(cycles(l, busy), 3 * 1536 + 100 + 512);
    assert_int_equal(busy[PIPE_MTE2], 3 * 1024);
    assert_int_equal(busy[PIPE_MTE1], 3 * 1024);
    assert_int_equal(busy[PIPE_M], 300);
    assert_int_equal(busy[PIPE_FIX], 512);
}

static void wait_both_serialises(void **state)
{
    struct lab *l = *state;
    buffers(l, 1, 1);
    l->tiling.waitBoth = 1;
    assert_int_equal(cycles(l, NULL), 3 * 2048 + 100 + 512);
}

static void double_buffers(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    buffers(l, 2, 2);
    /* MTE2 never waits: 3 steps in 3072; load A2 from 2560, B2 3072-3584; Mmad 3584-3684; Fixpipe 512. */
    assert_int_equal(cycles(l, busy), 3584 + 100 + 512);
    assert_int_equal(busy[PIPE_MTE2], 3072);
    assert_int_equal(busy[PIPE_MTE1], 3072);
}

/* Every wait on the way costs one cycle: copy -> load A, load -> Mmad, Mmad -> Fixpipe, load -> copy. */
static void sync_costs(void **state)
{
    struct lab *l = *state;
    buffers(l, 1, 1);
    l->target.timing.sync = 1;
    /* Step 0: load A from 513, B from 1025 (both waits met), Mmad from 1538. Step 1: copy A 1538 (1537 + 1)
     * to 2050, load A from 2051: a period of 1538. */
    assert_int_equal(cycles(l, NULL), 1538 + 2 * 1538 + 100 + 1 + 512);
}

static void copy_latency(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    buffers(l, 1, 1);
    l->target.timing.copy_latency = 1;
    /* As single buffers, a cycle later each step. MTE2 is busy until the data are there: 1025 a step. */
    assert_int_equal(cycles(l, busy), 3 * 1537 + 100 + 512);
    assert_int_equal(busy[PIPE_MTE2], 3 * 1025);
}

/* With single L0 buffers load A waits for the Mmad before it; the Mmad's result is 7 later than its work. */
static void mmad_latency(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    buffers(l, 2, 1);
    l->target.timing.mmad_latency = 7;
    /* Loads: 512-1536, then from 1643 (= 1536 + 107): 1643-2667, 2774-3798; Mmad 3798-3905; Fixpipe 512. */
    assert_int_equal(cycles(l, busy), 3798 + 107 + 512);
    assert_int_equal(busy[PIPE_M], 3 * 107);
}

/* A Mmad as long as 3000 cycles makes the cube the bound; issue shows between Mmads, latency once. */
static void mmad_issue_and_barrier(void **state)
{
    struct lab *l = *state;
    buffers(l, 2, 2);
    l->target.rate[DTYPE_HALF] = 16 * 16 * 16 / 3000.0;
    l->target.timing.mmad_issue = 3;
    l->target.timing.mmad_latency = 7;
    assert_int_equal(cycles(l, NULL), 1536 + 3 * 3000 + 2 * 3 + 7 + 512);
    /* (16 / 16) * (16 / 16) < 10 fractals: the documents ask for a PIPE_M barrier after each Mmad. */
    l->target.timing.mmad_barrier = 1;
    assert_int_equal(cycles(l, NULL), 1536 + 3 * 3007 + 512);
}

/* Two tiles in M; loads and copies are quick, Fixpipe is not. */
static void two_tiles(struct lab *l)
{
    l->problem.M = 32;
    l->problem.K = 16;
    l->tiling.baseK = 16;
    l->target.timing.l0a_width = l->target.timing.l0b_width = 512;
    l->target.timing.row_width = 512;
    buffers(l, 2, 2);
}

static void l0c_buffers(void **state)
{
    struct lab *l = *state;
    two_tiles(l);
    /* One L0C block: copies 2, loads to 3 (A 1-2, B 2-3), Mmad 3-103, Fixpipe 103-615; Mmad 615-715, Fixpipe to 1227. */
    assert_int_equal(cycles(l, NULL), 3 + 2 * (100 + 512));
    /* Two blocks: the second Mmad hides behind the first Fixpipe. */
    l->tiling.dbL0C = 2;
    assert_int_equal(cycles(l, NULL), 3 + 100 + 2 * 512);
}

/* Fixpipe starts when the last Mmad of the block begins to deliver; the next Mmad runs into it. */
static void unit_flag(void **state)
{
    struct lab *l = *state;
    two_tiles(l);
    l->tiling.unitflag = 1;
    l->target.timing.mmad_latency = 10;
    /* Mmad 3-113, Fixpipe 13-525. Second Mmad: not before the Fixpipe's end - 100 = 425, so 425-535;
     * its Fixpipe from max(525, 435) to 1037. */
    assert_int_equal(cycles(l, NULL), 13 + 2 * 512);
    /* A Fixpipe shorter than the Mmad ends fixpipe_issue after it: Mmad 3-113, Fixpipe 13 to 113 + 5;
     * second Mmad from max(103, 13 + 5, 118 - 100), Fixpipe to 103 + 110 + 5. */
    l->target.timing.fixpipe_width = 512;
    l->target.timing.fixpipe_issue = 5;
    assert_int_equal(cycles(l, NULL), 103 + 110 + 5);
}

/* A chunk of two steps is copied once and freed with its second load. */
static void chunks(void **state)
{
    struct lab *l = *state;
    l->problem.K = 64;
    l->tiling.stepKa = 2;
    buffers(l, 1, 2);
    /* A0 (2 steps) 0-1024, B0 -1536; load A 1024-1536, B 1536-2048; B1 2048-2560, load A 2048-2560, B 2560-3072;
     * second chunk of A from 3072: the same again. */
    assert_int_equal(cycles(l, NULL), 2 * 3072 + 100 + 512);
}

/* --- events ---------------------------------------------------------------- */

struct watch {
    int insns, flags, stop_after;
    int64_t free[PIPE_N], end;
    bool in_order;
};

static bool watch_event(void *ctx, const struct timing_event *event)
{
    struct watch *w = ctx;
    const bool flag = event->insn.op == OP_SET_FLAG || event->insn.op == OP_WAIT_FLAG ||
                      event->insn.op == OP_PIPE_BARRIER;
    w->insns += !flag;
    w->flags += flag;
    if (!flag) {
        w->in_order = w->in_order && event->start >= w->free[event->insn.pipe] && event->occupied >= event->start &&
                      event->end >= event->start;
        w->free[event->insn.pipe] = event->occupied;
        w->end = event->end > w->end ? event->end : w->end;
    }
    return w->stop_after == 0 || w->insns < w->stop_after;
}

static void events_tell_the_run(void **state)
{
    struct lab *l = *state;
    const struct timing_start warm = {.l2_warm = true};
    struct watch w = {.in_order = true};
    buffers(l, 2, 2);
    const int64_t whole = cycles(l, NULL);
    assert_int_equal(timing_ref_core(l->timing, &l->schedule, &warm, 0, watch_event, &w), STATUS_OK);
    assert_true(w.in_order);
    assert_int_equal(w.end, 1000 * whole);
    /* A step: 2 copies, a LoadData3D for A, a LoadData2D for B (baseK / C0 = 1), a Mmad; then a Fixpipe. */
    assert_int_equal(w.insns, 3 * 5 + 1);
    w = (struct watch){.in_order = true, .stop_after = 4};
    assert_int_equal(timing_ref_core(l->timing, &l->schedule, &warm, 0, watch_event, &w), STATUS_OK);
    assert_int_equal(w.insns, 4);
}

static void microseconds(void **state)
{
    struct lab *l = *state;
    l->target.ghz = 2;
    assert_true(timing_us(&l->target, 2000000) == 1.0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(single_buffers),
        TEST(wait_both_serialises),
        TEST(double_buffers),
        TEST(sync_costs),
        TEST(copy_latency),
        TEST(mmad_latency),
        TEST(mmad_issue_and_barrier),
        TEST(l0c_buffers),
        TEST(unit_flag),
        TEST(chunks),
        TEST(events_tell_the_run),
        TEST(microseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
