/* Every pair of pipes that flags connect, counted by hand on support/paper.h: who
 * waits for whom, with the waiting time zero, one short and one beyond. Where
 * two reasons end at the same cycle, lengthening either by one shows and
 * shortening either alone does not: the test is tight on both sides.
 *
 * Unless said, a copy takes 10, a load 7, a Mmad 20, a Fixpipe 30 cycles, for A
 * and B alike; a step is copy A, copy B, load A, load B, Mmad. In the comments cA1
 * is the copy of A of step 1, lB0 the load of B of step 0, M and F the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/paper.h"

/* `steps` along K with so many halves of L1 and L0. */
static void program(struct lab *l, int steps, int32_t l1, int32_t l0)
{
    l->problem.K = 16 * (int64_t)steps;
    lab_times(l, 10, 7, 20, 30);
    lab_buffers(l, l1, l0);
}

/* Two tiles along M of one step each. */
static void tiles(struct lab *l, int32_t l0c)
{
    program(l, 1, 2, 2);
    l->problem.M = 32;
    l->tiling.dbL0C = l0c;
}

static int64_t with_times(struct lab *l, double copy, double load, double mmad, double fixpipe)
{
    lab_times(l, copy, load, mmad, fixpipe);
    return lab_cycles(l, NULL);
}

/* A load waits for its chunk: A arrives at c, B at 2c; load B from max(2c, c + l). */
static void mte2_mte1(void **state)
{
    struct lab *l = *state;
    program(l, 1, 1, 1);
    assert_int_equal(with_times(l, 10, 7, 20, 30), 20 + 7 + 20 + 30);
    /* Tie: B arrives when the load of A ends. */
    assert_int_equal(with_times(l, 10, 10, 20, 30), 20 + 10 + 50);
    assert_int_equal(with_times(l, 11, 10, 20, 30), 22 + 10 + 50);
    assert_int_equal(with_times(l, 9, 10, 20, 30), 19 + 10 + 50); /* the load of A decides now */
    assert_int_equal(with_times(l, 10, 11, 20, 30), 21 + 11 + 50);
    assert_int_equal(with_times(l, 10, 9, 20, 30), 20 + 9 + 50); /* the copy does */
    l->target.timing.copy_latency = 1;
    assert_int_equal(with_times(l, 10, 10, 20, 30), 21 + 10 + 50);
    l->target.timing.copy_latency = 0;
    l->target.timing.sync = 1; /* lA 11-21, lB 21-31, M 32-52, F 53-83 */
    assert_int_equal(with_times(l, 10, 10, 20, 30), 83);
    l->target.timing.sync = 0;
    l->tiling.waitBoth = 1; /* both loads from 20 */
    assert_int_equal(with_times(l, 10, 10, 20, 30), 20 + 2 * 10 + 50);
}

/* A copy waits for the loads of the chunk before in its half. */
static void mte1_mte2(void **state)
{
    struct lab *l = *state;
    program(l, 2, 1, 2);
    /* lB0 20-27; cA1 27-37, cB1 37-47; lA1 37-44, lB1 47-54; M1 54-74; F 74-104. */
    assert_int_equal(lab_cycles(l, NULL), 104);
    l->target.timing.copy_latency = 1; /* lB0 21-28; cA1 28-38, cB1 38-48; lB1 49-56; M1 -76 */
    assert_int_equal(lab_cycles(l, NULL), 106);
    l->target.timing.copy_latency = 0;
    l->target.timing.sync = 1; /* lB0 21-28; cA1 29-39, cB1 39-49; lB1 50-57; M1 58-78; F 79-109 */
    assert_int_equal(lab_cycles(l, NULL), 109);
    l->target.timing.sync = 0;
    /* Two halves: cA1 20-30, cB1 30-40; lA1 30-37, lB1 40-47; M1 47-67. */
    lab_buffers(l, 2, 2);
    assert_int_equal(lab_cycles(l, NULL), 97);
    /* Only A has one half: cA1 27-37 and cB1 behind it, in the queue. */
    l->tiling.dbA1 = l->tiling.depthA1 = 1;
    assert_int_equal(lab_cycles(l, NULL), 104);
    /* B first: cB0 0-10, cA0 10-20; lA0 20-27, lB0 27-34; cB1 20-30, cA1 34-44; lA1 44-51, lB1 51-58; M1 58-78. */
    l->tiling.copyFirst = 1;
    assert_int_equal(lab_cycles(l, NULL), 108);
    l->tiling.copyFirst = 0;
    /* Only B has: cA1 20-30, cB1 30-40 (free at 27). */
    l->tiling.dbA1 = l->tiling.depthA1 = 2;
    l->tiling.dbB1 = l->tiling.depthB1 = 1;
    assert_int_equal(lab_cycles(l, NULL), 97);
}

/* A Mmad waits for both loads of its step. With two halves M1 starts at 47: the
 * end of M0 (27 + 20) and of lB1 (40 + 7) alike. */
static void mte1_m(void **state)
{
    struct lab *l = *state;
    program(l, 2, 2, 2);
    assert_int_equal(with_times(l, 10, 7, 20, 30), 47 + 20 + 30);
    assert_int_equal(with_times(l, 10, 7, 21, 30), 48 + 21 + 30);
    assert_int_equal(with_times(l, 10, 7, 19, 30), 47 + 19 + 30);
    assert_int_equal(with_times(l, 10, 8, 20, 30), 48 + 20 + 30);
    assert_int_equal(with_times(l, 10, 6, 20, 30), 46 + 20 + 30);    /* M0 26-46, lB1 40-46: again alike */
    assert_int_equal(with_times(l, 11, 7, 20, 30), 51 + 20 + 30);    /* lB1 44-51 */
    l->target.timing.mmad_issue = l->target.timing.mmad_latency = 1; /* M1 48-69 */
    assert_int_equal(with_times(l, 10, 7, 20, 30), 69 + 30);
    l->target.timing.mmad_issue = l->target.timing.mmad_latency = 0;
    l->target.timing.sync = 1; /* lB0 21-28, M0 29-49; lA1 31-38, lB1 41-48, M1 49-69; F 70-100 */
    assert_int_equal(with_times(l, 10, 7, 20, 30), 100);
}

/* A load waits for the Mmad that read its L0 slot before. */
static void m_mte1(void **state)
{
    struct lab *l = *state;
    program(l, 2, 2, 1);
    /* M0 27-47; lA1 47-54, lB1 54-61; M1 61-81. */
    assert_int_equal(lab_cycles(l, NULL), 111);
    l->target.timing.mmad_latency = 1; /* M0 27-48 */
    assert_int_equal(lab_cycles(l, NULL), 113);
    l->target.timing.mmad_latency = 0;
    l->target.timing.sync = 1; /* M0 29-49; lA1 50-57, lB1 57-64; M1 65-85; F 86-116 */
    assert_int_equal(lab_cycles(l, NULL), 116);
    l->target.timing.sync = 0;
    /* L0B alone is single: lA1 30-37, lB1 47-54; M1 54-74. */
    l->tiling.dbL0A = 2;
    assert_int_equal(lab_cycles(l, NULL), 104);
    /* L0A alone: lA1 47-54, and lB1 behind it. */
    l->tiling.dbL0A = 1;
    l->tiling.dbL0B = 2;
    assert_int_equal(lab_cycles(l, NULL), 111);
    /* Both double: the third step waits for M0 (47) and for cA2 (27 + 13 + 10 = 50); lB2 60-67, M2 67-87. */
    program(l, 3, 2, 2);
    assert_int_equal(lab_cycles(l, NULL), 117);
    /* With copies of 5: lA0 5-12, lB0 12-19, M0 19-39; lA1 19-26, lB1 26-33, M1 39-59; lA2 39-46, lB2 46-53, M2 59. */
    assert_int_equal(with_times(l, 5, 7, 20, 30), 59 + 20 + 30);
    /* Loads of 10: lA0 5-15, lB0 15-25, M0 25-45, lA1 25-35, lB1 35-45, M1 45-65; lA2 45-55 (M0 ends at 45 and so
     * does lB1), lB2 55-65, M2 65: all alike. */
    assert_int_equal(with_times(l, 5, 10, 20, 30), 65 + 20 + 30);
    assert_int_equal(with_times(l, 5, 10, 21, 30), 25 + 3 * 21 + 30);
    assert_int_equal(with_times(l, 5, 10, 19, 30), 65 + 19 + 30);
    assert_int_equal(with_times(l, 5, 11, 20, 30), 5 + 6 * 11 + 20 + 30);
}

/* Fixpipe waits for the tile's last Mmad; the next Mmad on the block for Fixpipe. */
static void m_fix_m(void **state)
{
    struct lab *l = *state;
    tiles(l, 1);
    /* M0 27-47, F0 47-77, M1 77-97, F1 97-127. */
    assert_int_equal(lab_cycles(l, NULL), 127);
    l->target.timing.mmad_latency = 1;
    assert_int_equal(lab_cycles(l, NULL), 129);
    l->target.timing.mmad_latency = 0;
    l->target.timing.fixpipe_issue = 5;
    assert_int_equal(lab_cycles(l, NULL), 137);
    l->target.timing.fixpipe_issue = 0;
    l->target.timing.sync = 1; /* M0 29-49, F0 50-80, M1 81-101, F1 102-132 */
    assert_int_equal(lab_cycles(l, NULL), 132);
    l->target.timing.sync = 0;
    /* Two blocks: M1 47-67; F1 when F0 and M1 are done: at 67 both with a Fixpipe of 20. */
    tiles(l, 2);
    assert_int_equal(with_times(l, 10, 7, 20, 20), 87);
    assert_int_equal(with_times(l, 10, 7, 20, 21), 68 + 21);
    assert_int_equal(with_times(l, 10, 7, 20, 19), 67 + 19);
    assert_int_equal(with_times(l, 10, 7, 21, 20), 69 + 20);
    assert_int_equal(with_times(l, 10, 7, 19, 20), 66 + 20);
}

/* unitflag: a latency of 4; F0 from 27 + 4 = 31. M1 starts at 47 (loads, M0), not
 * before the end of F0 - 20, nor before 31 + fixpipe_issue. */
static void unit_flag(void **state)
{
    struct lab *l = *state;
    tiles(l, 1);
    l->tiling.unitflag = 1;
    l->target.timing.mmad_latency = 4;
    assert_int_equal(with_times(l, 10, 7, 20, 30), 61 + 30); /* F0 31-61, M1 47, F1 max(61, 51) */
    /* F0 31-67 and M1 47 alike. */
    assert_int_equal(with_times(l, 10, 7, 20, 36), 67 + 36);
    /* Long Fixpipes decide alone, whatever M1 does under them. */
    assert_int_equal(with_times(l, 10, 7, 20, 37), 68 + 37);
    int64_t busy[4];
    lab_times(l, 10, 7, 20, 37);
    (void)lab_cycles(l, busy);
    assert_int_equal(busy[PIPE_M], 72 - 27); /* M0 27-51, M1 48-72 */
}

/* --- queues ---------------------------------------------------------------- */

/* Copies that arrive 100 late, three steps, two halves. Without limit: cA0 0-10,
 * cB0 -20, cA1 -30, cB1 -40; lA0 110, lB0 120-127; cA2 127-137, cB2 -147; lA2 237,
 * lB2 247-254; M2 -274; F -304.
 * Depth 1: an instruction issues when the one before it in its pipe starts, so
 * cA1 waits for lB0 to issue, which waits for lA0 to start at 110: cA1 110-120,
 * cB1 120-130; lA1 220, lB1 230-237; cA2 issues when lB1 does, at 220: 220-230,
 * cB2 -240; lA2 330, lB2 340-347; M2 -367; F -397.
 * Depth 2: lB0 issues at once, cA1 and cB1 too; lA1 issues when lA0 starts (110),
 * lB1 when lB0 does (120), and so cA2 no earlier than 120; it starts at 127 as before. */
static void queues(void **state)
{
    struct lab *l = *state;
    program(l, 3, 2, 2);
    l->target.timing.copy_latency = 100;
    assert_int_equal(lab_cycles(l, NULL), 304);
    l->target.timing.queue_depth = 1;
    assert_int_equal(lab_cycles(l, NULL), 397);
    l->target.timing.queue_depth = 2;
    assert_int_equal(lab_cycles(l, NULL), 304);
}

/* One step after the other on single buffers: depth 1 already suffices.
 * lB0 20-27, M0 27-47; cA1 27-37, cB1 -47; lA1 47-54, lB1 -61, M1 -81; cA2 61-71,
 * cB2 -81; lA2 81-88, lB2 -95, M2 -115; F -145. A latency of 1 moves lB0 by 1, and
 * everything else with it. */
static void queues_of_a_chain(void **state)
{
    struct lab *l = *state;
    for (int latency = 0; latency <= 1; latency++) {
        program(l, 3, 1, 1);
        l->target.timing.copy_latency = latency;
        l->target.timing.queue_depth = 0;
        const int64_t free_running = lab_cycles(l, NULL);
        assert_int_equal(free_running, 145 + latency);
        for (int depth = 1; depth <= 2; depth++) {
            l->target.timing.queue_depth = depth;
            assert_int_equal(lab_cycles(l, NULL), free_running);
        }
    }
}

static void queue_limits(void **state)
{
    struct lab *l = *state;
    const struct timing_start warm = {.l2_warm = true};
    struct timing_result result;
    program(l, 1, 1, 1);
    l->target.timing.queue_depth = 64;
    lab_build(l);
    assert_int_equal(timing_fast(l->timing, &l->schedule, &warm, &result), STATUS_OK);
    l->target.timing.queue_depth = 65;
    assert_int_equal(timing_fast(l->timing, &l->schedule, &warm, &result), STATUS_LIMIT);
    assert_int_equal(timing_ref(l->timing, &l->schedule, &warm, &result), STATUS_LIMIT);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, lab_setup, lab_teardown)
    const struct CMUnitTest tests[] = {
        TEST(mte2_mte1), TEST(mte1_mte2),         TEST(mte1_m),       TEST(m_mte1), TEST(m_fix_m), TEST(unit_flag),
        TEST(queues),    TEST(queues_of_a_chain), TEST(queue_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
