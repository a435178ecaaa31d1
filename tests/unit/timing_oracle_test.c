/* Both timers on the target of support/paper.h, whose times can be counted on paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/paper.h"

/* A is loaded while B is still copied; the next copies wait until both loads are done. */
static void single_buffers(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    lab_buffers(l, 1, 1);
    /* Step: A 0-512, B 512-1024; load A 512-1024, load B 1024-1536; Mmad 1536-1636,
     * the next copies from 1536. Three steps, then Fixpipe 4708-5220. */
    assert_int_equal(lab_cycles(l, busy), 3 * 1536 + 100 + 512);
    assert_int_equal(busy[PIPE_MTE2], 3 * 1024);
    assert_int_equal(busy[PIPE_MTE1], 3 * 1024);
    assert_int_equal(busy[PIPE_M], 300);
    assert_int_equal(busy[PIPE_FIX], 512);
}

static void wait_both_serialises(void **state)
{
    struct lab *l = *state;
    lab_buffers(l, 1, 1);
    l->tiling.waitBoth = 1;
    assert_int_equal(lab_cycles(l, NULL), 3 * 2048 + 100 + 512);
}

static void double_buffers(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    lab_buffers(l, 2, 2);
    /* MTE2 never waits: 3 steps in 3072; load A2 from 2560, B2 3072-3584; Mmad 3584-3684; Fixpipe 512. */
    assert_int_equal(lab_cycles(l, busy), 3584 + 100 + 512);
    assert_int_equal(busy[PIPE_MTE2], 3072);
    assert_int_equal(busy[PIPE_MTE1], 3072);
}

/* Every wait on the way costs one cycle: copy -> load A, load -> Mmad, Mmad -> Fixpipe, load -> copy. */
static void sync_costs(void **state)
{
    struct lab *l = *state;
    lab_buffers(l, 1, 1);
    l->target.timing.sync = 1;
    /* Step 0: load A from 513, B from 1025 (both waits met), Mmad from 1538. Step 1: copy A 1538 (1537 + 1)
     * to 2050, load A from 2051: a period of 1538. */
    assert_int_equal(lab_cycles(l, NULL), 1538 + 2 * 1538 + 100 + 1 + 512);
}

static void copy_latency(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    lab_buffers(l, 1, 1);
    l->target.timing.copy_latency = 1;
    /* As single buffers, a cycle later each step. MTE2 is busy until the data are there: 1025 a step. */
    assert_int_equal(lab_cycles(l, busy), 3 * 1537 + 100 + 512);
    assert_int_equal(busy[PIPE_MTE2], 3 * 1025);
}

/* With single L0 buffers load A waits for the Mmad before it; the Mmad's result is 7 later than its work. */
static void mmad_latency(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    lab_buffers(l, 2, 1);
    l->target.timing.mmad_latency = 7;
    /* Loads: 512-1536, then from 1643 (= 1536 + 107): 1643-2667, 2774-3798; Mmad 3798-3905; Fixpipe 512. */
    assert_int_equal(lab_cycles(l, busy), 3798 + 107 + 512);
    assert_int_equal(busy[PIPE_M], 3 * 107);
}

/* A Mmad as long as 3000 cycles makes the cube the bound; issue shows between Mmads, latency once. */
static void mmad_issue_and_barrier(void **state)
{
    struct lab *l = *state;
    lab_buffers(l, 2, 2);
    l->target.rate[DTYPE_HALF] = 16 * 16 * 16 / 3000.0;
    l->target.timing.mmad_issue = 3;
    l->target.timing.mmad_latency = 7;
    assert_int_equal(lab_cycles(l, NULL), 1536 + 3 * 3000 + 2 * 3 + 7 + 512);
    /* (16 / 16) * (16 / 16) < 10 fractals: the documents ask for a PIPE_M barrier after each Mmad. */
    l->target.timing.mmad_barrier = 1;
    assert_int_equal(lab_cycles(l, NULL), 1536 + 3 * 3007 + 512);
}

/* Two tiles in M; loads and copies are quick, Fixpipe is not. */
static void two_tiles(struct lab *l)
{
    l->problem.M = 32;
    l->problem.K = 16;
    l->tiling.baseK = 16;
    l->target.timing.l0a_width = l->target.timing.l0b_width = 512;
    l->target.timing.row_width = 512;
    lab_buffers(l, 2, 2);
}

static void l0c_buffers(void **state)
{
    struct lab *l = *state;
    two_tiles(l);
    /* One L0C block: copies 2, loads to 3 (A 1-2, B 2-3), Mmad 3-103, Fixpipe 103-615; Mmad 615-715, Fixpipe to 1227. */
    assert_int_equal(lab_cycles(l, NULL), 3 + 2 * (100 + 512));
    /* Two blocks: the second Mmad hides behind the first Fixpipe. */
    l->tiling.dbL0C = 2;
    assert_int_equal(lab_cycles(l, NULL), 3 + 100 + 2 * 512);
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
    assert_int_equal(lab_cycles(l, NULL), 13 + 2 * 512);
    /* A Fixpipe shorter than the Mmad ends fixpipe_issue after it: Mmad 3-113, Fixpipe 13 to 113 + 5;
     * second Mmad from max(103, 13 + 5, 118 - 100), Fixpipe to 103 + 110 + 5. */
    l->target.timing.fixpipe_width = 512;
    l->target.timing.fixpipe_issue = 5;
    assert_int_equal(lab_cycles(l, NULL), 103 + 110 + 5);
}

/* A chunk of two steps is copied once and freed with its second load. */
static void chunks(void **state)
{
    struct lab *l = *state;
    l->problem.K = 64;
    l->tiling.stepKa = 2;
    lab_buffers(l, 1, 2);
    /* A0 (2 steps) 0-1024, B0 -1536; load A 1024-1536, B 1536-2048; B1 2048-2560, load A 2048-2560, B 2560-3072;
     * second chunk of A from 3072: the same again. */
    assert_int_equal(lab_cycles(l, NULL), 2 * 3072 + 100 + 512);
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
    lab_buffers(l, 2, 2);
    const int64_t whole = lab_cycles(l, NULL);
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
#define TEST(f) cmocka_unit_test_setup_teardown(f, lab_setup, lab_teardown)
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
