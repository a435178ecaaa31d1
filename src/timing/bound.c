/* bound.c - a lower bound of the task time without the memory pass.
 *
 * Proof. The contexts of a warm start price every move as a private hit with
 * one core active: cost_hit grows with `active` and with sharing (its rate only
 * falls), extra and write-back are >= 0, and rounding is monotone, so each
 * occupancy used here is <= the one timing_fast uses. A pipe runs its
 * instructions one after the other from time 0 on; so the start of its last one
 * is >= the sum of the occupancies before it, and its completion is that plus
 * its own. For every pipe the core's end is therefore >= the sum of all its
 * occupancies, less the last occupancy, plus the last completion:
 *   M     sum (W + mmad_issue) - mmad_issue + mmad_latency
 *   MTE1  sum of loads; FIX sum of Fixpipes
 *   MTE2  sum of moves + copy_latency
 * Around these a core has what cannot overlap: before the first Mmad starts, a
 * move of A and of B, their latency, both loads and the waits between them
 * (before the first load: moves of both operands only if it waits for both, so
 * one move is counted); after the last Mmad its Fixpipe (fixpipe_issue with
 * unitflag: tf >= mmad_end + fixpipe_issue). Each of these stands on another
 * pipe before the first or after the last instruction of the pipe summed, hence
 * adds to it. The task is launch + init + the slowest core; the maximum over
 * cores of lower bounds is a lower bound of the maximum. */
#include "base/intmath.h"
#include "timing/context.h"

/* Sums of occupancies of the tiles of one shape. */
struct tile_sums {
    int64_t mte2, mte1, m, fix;
};

static void tile_sums(struct tile_sums *sum, const struct schedule *s, const struct tile_cost *t, const struct cost *c)
{
    const int64_t moves[2] = {s->chunks_a, s->chunks_b};
    *sum = (struct tile_sums){0};
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        sum->mte2 += (moves[role] - 1) * t->copy[role][COST_FULL] + t->copy[role][COST_LAST];
        sum->mte1 += (s->nk - 1) * t->load[role][COST_FULL] + t->load[role][COST_LAST];
    }
    sum->m = (s->nk - 1) * t->mmad[COST_FULL] + t->mmad[COST_LAST] + s->nk * c->mmad_issue;
    sum->fix = t->store;
}

/* End of a core whose first and last tiles have these costs. */
static int64_t core_bound(const struct schedule *s, const struct cost *c, const struct tile_sums *sum,
                          const struct tile_cost *first, const struct tile_cost *last)
{
    const int head = s->nk > 1 ? COST_FULL : COST_LAST;
    const int64_t copy_a = first->copy[ROLE_A][s->chunks_a > 1 ? COST_FULL : COST_LAST];
    const int64_t copy_b = first->copy[ROLE_B][s->chunks_b > 1 ? COST_FULL : COST_LAST];
    const int64_t loads = first->load[ROLE_A][head] + first->load[ROLE_B][head];
    const int64_t to_load = copy_a + (s->t.waitBoth ? copy_b : 0) + c->copy_latency + c->sync;
    const int64_t to_mmad = max_i64(copy_a + copy_b + c->copy_latency + c->sync + first->load[ROLE_B][head],
                                    to_load + loads) +
                            c->sync;
    const int64_t drain = s->t.unitflag ? c->fixpipe_issue : c->sync + last->store;
    const int64_t last_mmad = last->mmad[COST_LAST] + c->mmad_latency;
    const int64_t m = to_mmad + sum->m - c->mmad_issue + c->mmad_latency + drain;
    const int64_t mte1 = to_load + sum->mte1 + c->sync + last_mmad + drain;
    const int64_t mte2 = sum->mte2 + c->copy_latency;
    return max_i64(max_i64(m, mte1), max_i64(mte2, sum->fix));
}

int64_t timing_bound(struct timing *t, const struct schedule *s)
{
    struct cost c;
    const struct mem_geometry *g;
    cost_init(&c, s);
    if (memctx_get(t->memory, s, true, &g) != STATUS_OK) {
        return 0; /* no bound: nothing is pruned */
    }
    int64_t slowest = 0;
    for (uint32_t i = 0; i < g->sequence_count; i++) {
        const struct mem_sequence *q = &g->sequences[i];
        struct tile_cost cost = {0}, first = {0};
        struct tile_sums one = {0}, sum = {0};
        uint32_t context = UINT32_MAX;
        for (int64_t tile = 0; tile < q->tiles; tile++) {
            if (q->contexts[tile] != context) {
                struct shape_work work;
                context = q->contexts[tile];
                shape_work_init(&work, &c, s, &g->shapes[g->contexts[context].shape]);
                tile_cost_init(&cost, &c, &work, g, &g->contexts[context]);
                tile_sums(&one, s, &cost, &c);
            }
            first = tile == 0 ? cost : first;
            sum.mte2 += one.mte2;
            sum.mte1 += one.mte1;
            sum.m += one.m;
            sum.fix += one.fix;
        }
        slowest = max_i64(slowest, core_bound(s, &c, &sum, &first, &cost));
    }
    return c.launch + c.init + slowest;
}
