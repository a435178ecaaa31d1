/* bound.c - lower bounds of the task time without simulating.
 *
 * A core's end is at least the length of any chain of things that cannot
 * overlap. Each chain below runs through all tiles, so it is a sum over tiles
 * of a term of the tile's costs, plus edges before and after. Proofs, with t1
 * the end of a load, in the notation of timing_model.md section 4:
 *
 * Pipes. A pipe runs its instructions one after the other, so its last one
 * starts no earlier than the sum of the occupancies before it:
 *   M     sum (W + mmad_issue), the last completing mmad_latency after its W
 *   MTE1  sum of loads          MTE2  sum of moves          FIX  sum of Fixpipes
 * Single L1 half of A. The move of a chunk waits (sync) for the last load of
 * the chunk before; that chunk's loads, on one pipe, wait (latency, sync) for its
 * move: per chunk move + latency + sync + all its loads + sync. Of B the same,
 * less the load of A before the first load of B unless it waits for both. With
 * single halves of both and equal steps both moves stand in the chain.
 * Single L0A. A load of A waits (sync) for the Mmad before, which waits (sync)
 * for both its loads: per step loads + sync + W + mmad_latency + sync. Single
 * L0B only: the same without the load of A.
 * Single L0C block. The first Mmad of a tile waits (sync) for the Fixpipe of the
 * tile before, that one (sync) for its last Mmad. With unitflag the first Mmad
 * starts at least W before the Fixpipe's end, which is mmad_latency + Fixpipe
 * after the start of the last Mmad, and fixpipe_issue after its end.
 * Edges, on other pipes than the chain they extend:
 *   before the first load  the move of A (and of B if it waits for both), the
 *                          latency, a wait;
 *   before the first Mmad  that and both loads, or both moves and the load of B,
 *                          and a wait;
 *   after the last load    a wait and the last Mmad;
 *   after the last Mmad    a wait and its Fixpipe; with unitflag fixpipe_issue;
 *   after the last move    its latency, a wait, one load at least, and on as above.
 * The task is launch + init + the slowest core; the maximum over cores of lower
 * bounds is a lower bound of the maximum.
 *
 * timing_bound_from takes the tiles' own contexts, the same integers
 * timing_fast uses. timing_bound takes the contexts of a warm start, which price
 * every move as a private hit with one core active. They are lower: a move's
 * time grows with the cores active and with sharing (L2's rate for a core only
 * falls), HBM extra and write-back are >= 0, and rounding is monotone. So it
 * holds for any start. */
#include "base/intmath.h"
#include "timing/context.h"

enum chain { CHAIN_M = 0, CHAIN_MTE1, CHAIN_MTE2, CHAIN_FIX, CHAIN_A, CHAIN_B, CHAIN_AB, CHAIN_L0, CHAIN_L0C, CHAIN_N };

struct chains {
    const struct schedule *s;
    const struct cost *c;
    int64_t widest_mmad; /* W of any Mmad of the run */
    int64_t sum[CHAIN_N];
};

static int64_t sum_of(int64_t count, const int64_t cost[COST_KINDS])
{
    return (count - 1) * cost[COST_FULL] + cost[COST_LAST];
}

/* Single L1 halves. */
static void tile_l1_chains(const struct chains *x, const struct tile_cost *t, int64_t loads, int64_t out[CHAIN_N])
{
    const struct schedule *s = x->s;
    const int64_t round = x->c->copy_latency + 2 * x->c->sync;
    const int64_t a = sum_of(s->chunks[ROLE_A], t->copy[ROLE_A]), b = sum_of(s->chunks[ROLE_B], t->copy[ROLE_B]);
    const int64_t load_a = max_i64(t->load[ROLE_A][COST_FULL], t->load[ROLE_A][COST_LAST]);
    const int64_t before_b = s->t.waitBoth ? 0 : s->chunks[ROLE_B] * load_a;
    if (s->t.dbA1 == 1) {
        out[CHAIN_A] = a + s->chunks[ROLE_A] * round + loads;
    }
    if (s->t.dbB1 == 1) {
        out[CHAIN_B] = b + s->chunks[ROLE_B] * round + loads - before_b;
    }
    if (s->t.dbA1 == 1 && s->t.dbB1 == 1 && s->t.stepKa == s->t.stepKb) {
        out[CHAIN_AB] = a + b + s->chunks[ROLE_A] * round + loads - before_b;
    }
}

/* From the start of a tile's first Mmad to the start of the next one's. */
static int64_t tile_l0c_chain(const struct chains *x, const struct tile_cost *t)
{
    const struct cost *c = x->c;
    const int64_t to_last = (x->s->nk - 1) * (t->mmad[COST_FULL] + c->mmad_issue);
    const int64_t last = t->mmad[COST_LAST] + c->mmad_latency;
    if (!x->s->t.unitflag) {
        return to_last + last + c->sync + t->store + c->sync;
    }
    const int64_t drained = max_i64(c->mmad_latency + t->store, last + c->fixpipe_issue);
    return to_last + max_i64(drained - x->widest_mmad, t->mmad[COST_LAST] + c->mmad_issue);
}

static void tile_chains(const struct chains *x, const struct tile_cost *t, int64_t out[CHAIN_N])
{
    const struct schedule *s = x->s;
    const struct cost *c = x->c;
    for (int i = 0; i < CHAIN_N; i++) {
        out[i] = 0;
    }
    const int64_t load_a = sum_of(s->nk, t->load[ROLE_A]), load_b = sum_of(s->nk, t->load[ROLE_B]);
    const int64_t work = sum_of(s->nk, t->mmad);
    out[CHAIN_M] = work + s->nk * c->mmad_issue;
    out[CHAIN_MTE1] = load_a + load_b;
    out[CHAIN_MTE2] = sum_of(s->chunks[ROLE_A], t->copy[ROLE_A]) + sum_of(s->chunks[ROLE_B], t->copy[ROLE_B]);
    out[CHAIN_FIX] = t->store;
    tile_l1_chains(x, t, load_a + load_b, out);
    if (s->t.dbL0A == 1 || s->t.dbL0B == 1) {
        out[CHAIN_L0] = (s->t.dbL0A == 1 ? load_a : 0) + load_b + work + s->nk * (c->mmad_latency + 2 * c->sync);
    }
    if (s->t.dbL0C == 1) {
        out[CHAIN_L0C] = tile_l0c_chain(x, t);
    }
}

/* End of a core whose first and last tiles have these costs. */
static int64_t core_bound(const struct chains *x, const struct tile_cost *first, const struct tile_cost *last)
{
    const struct schedule *s = x->s;
    const struct cost *c = x->c;
    const int64_t *sum = x->sum;
    const int head = s->nk > 1 ? COST_FULL : COST_LAST;
    const int64_t copy_a = first->copy[ROLE_A][s->chunks[ROLE_A] > 1 ? COST_FULL : COST_LAST];
    const int64_t copy_b = first->copy[ROLE_B][s->chunks[ROLE_B] > 1 ? COST_FULL : COST_LAST];
    const int64_t arrive = c->copy_latency + c->sync;
    const int64_t to_load = copy_a + (s->t.waitBoth ? copy_b : 0) + arrive;
    const int64_t to_mmad = max_i64(copy_a + copy_b + arrive, to_load + first->load[ROLE_A][head]) +
                            first->load[ROLE_B][head] + c->sync;
    const int64_t drain = s->t.unitflag ? c->fixpipe_issue : c->sync + last->store;
    const int64_t after_load = c->sync + last->mmad[COST_LAST] + c->mmad_latency + drain;
    const int64_t last_load = min_i64(last->load[ROLE_B][COST_FULL], last->load[ROLE_B][COST_LAST]);
    const int64_t to_store = to_mmad + (s->nk - 1) * (first->mmad[COST_FULL] + c->mmad_issue) + c->mmad_latency;
    const int64_t ends[] = {
        to_mmad + sum[CHAIN_M] - c->mmad_issue + c->mmad_latency + drain,
        to_load + sum[CHAIN_MTE1] + after_load,
        sum[CHAIN_MTE2] + arrive + last_load + after_load,
        to_store + sum[CHAIN_FIX],
        /* The first move waits for nothing; the last wait of each is not reached. */
        sum[CHAIN_A] - c->sync + after_load,
        sum[CHAIN_B] - c->sync + after_load,
        sum[CHAIN_AB] - c->sync + after_load,
        to_load + sum[CHAIN_L0] - c->sync + drain,
        to_mmad + sum[CHAIN_L0C] - (s->t.unitflag ? 0 : c->sync),
    };
    int64_t end = 0;
    for (int i = 0; i < CHAIN_N; i++) {
        end = max_i64(end, i >= CHAIN_A && sum[i] == 0 ? 0 : ends[i]);
    }
    return end;
}

static int64_t sequence_bound(struct chains *x, const struct mem_sequence *q, const struct tile_cost *records)
{
    int64_t one[CHAIN_N] = {0};
    uint32_t context = UINT32_MAX;
    for (int i = 0; i < CHAIN_N; i++) {
        x->sum[i] = 0;
    }
    for (int64_t tile = 0; tile < q->tiles; tile++) {
        if (q->contexts[tile] != context) {
            context = q->contexts[tile];
            tile_chains(x, &records[context], one);
        }
        for (int i = 0; i < CHAIN_N; i++) {
            x->sum[i] += one[i];
        }
    }
    return core_bound(x, &records[q->contexts[0]], &records[q->contexts[q->tiles - 1]]);
}

static int64_t bound_from(struct timing *t, const struct schedule *s, bool l2_warm)
{
    struct cost c;
    const struct mem_geometry *g;
    const struct tile_cost *records;
    cost_init(&c, s);
    if (memctx_get(t->memory, s, l2_warm, &g) != STATUS_OK || fast_records(t->fast, s, &c, g, &records) != STATUS_OK) {
        return 0; /* no bound: nothing is pruned */
    }
    struct chains x = {.s = s, .c = &c};
    for (uint32_t i = 0; i < g->context_count; i++) {
        x.widest_mmad = max_i64(x.widest_mmad, max_i64(records[i].mmad[COST_FULL], records[i].mmad[COST_LAST]));
    }
    int64_t slowest = 0;
    for (uint32_t i = 0; i < g->sequence_count; i++) {
        slowest = max_i64(slowest, sequence_bound(&x, &g->sequences[i], records));
    }
    return c.launch + c.init + slowest;
}

int64_t timing_bound(struct timing *t, const struct schedule *s)
{
    return bound_from(t, s, true);
}

int64_t timing_bound_from(struct timing *t, const struct schedule *s, const struct timing_start *start)
{
    return bound_from(t, s, start->l2_warm);
}
