#include "support/paper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

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
    p->fixpipe_unaligned = 0;
    p->bt_width = p->fb_width = 1;
    p->bt_latency = p->fb_latency = 0;
    p->plain_width = 1;
    p->l2_shared = 1;
    p->mix_us = p->tile_barrier = p->write_back = 0;
    p->queue_depth = 0;
    p->sync = 0;
    p->head_us = p->head_cores_us = p->init_us = p->init_api_us = 0;
    p->mmad_barrier = 0;
}

int lab_setup(void **state)
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

int lab_teardown(void **state)
{
    struct lab *l = *state;
    timing_destroy(l->timing);
    diag_fini(&l->diag);
    arena_fini(&l->arena);
    free(l);
    return 0;
}

void lab_buffers(struct lab *l, int32_t l1, int32_t l0)
{
    l->tiling.dbA1 = l->tiling.dbB1 = l1;
    l->tiling.depthA1 = l1 * l->tiling.stepKa;
    l->tiling.depthB1 = l1 * l->tiling.stepKb;
    l->tiling.dbL0A = l->tiling.dbL0B = l0;
}

void lab_build(struct lab *l)
{
    struct tiling t = l->tiling;
    struct plan plan;
    struct infeasible why;
    l->finished = l->problem;
    assert_int_equal(problem_finish(&l->finished, NULL, &l->diag), STATUS_OK);
    tiling_resolve(&l->target, &l->finished, &t, &why);
    assert_int_equal(why.reason, REASON_NONE);
    assert_true(plan_make(&l->target, &l->finished, &t, &plan, &why));
    assert_int_equal(schedule_init(&l->schedule, &l->target, &l->finished, &t, &plan, &l->diag), STATUS_OK);
}

static int64_t cycles(struct lab *l, bool l2_warm, int64_t busy[4])
{
    const struct timing_start warm = {.l2_warm = l2_warm};
    struct timing_result ref, fast;
    lab_build(l);
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

int64_t lab_cycles(struct lab *l, int64_t busy[4])
{
    return cycles(l, true, busy);
}

int64_t lab_cycles_cold(struct lab *l, int64_t busy[4])
{
    return cycles(l, false, busy);
}

void lab_times(struct lab *l, double copy, double load, double mmad, double fixpipe)
{
    struct target_timing *p = &l->target.timing;
    p->row_width = 512 / copy;
    p->l0a_width = p->l0b_width = 512 / load;
    p->fixpipe_width = 512 / fixpipe;
    l->target.rate[DTYPE_HALF] = 16 * 16 * 16 / mmad;
}
