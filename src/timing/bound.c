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
 * The task is launch + init + the slowest core (+ what a split K adds to any); the maximum over cores of lower
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
    return count == 0 ? 0 : (count - 1) * cost[COST_FULL] + cost[COST_LAST];
}

static int64_t least(const int64_t cost[COST_KINDS])
{
    return min_i64(cost[COST_FULL], cost[COST_LAST]);
}

/* Occupancy of all moves of a tile, with their scales. */
static int64_t moves_of(const struct tile_cost *t, enum role role)
{
    const struct tile_program *p = &t->program;
    if (p->keeps[role]) {
        return 0;
    }
    return sum_of(p->moves[role], t->copy[role]) +
           sum_of(p->scale_moves[role], t->copy[role == ROLE_A ? ROLE_SA : ROLE_SB]);
}

/* Single L1 halves. */
static void tile_l1_chains(const struct chains *x, const struct tile_cost *t, int64_t loads, int64_t out[CHAIN_N])
{
    const struct schedule *s = x->s;
    const struct tile_program *p = &t->program;
    const int64_t round = x->c->copy_latency + 2 * x->c->sync;
    const int64_t a = moves_of(t, ROLE_A), b = moves_of(t, ROLE_B);
    const int64_t load_a = max_i64(t->load[ROLE_A][COST_FULL], t->load[ROLE_A][COST_LAST]);
    const int64_t before_b = s->t.waitBoth ? 0 : p->moves[ROLE_B] * load_a;
    if (!schedule_periodic(s) || s->t.l1Resident) {
        return; /* the chains are those of chunks that are moved in every tile */
    }
    if (s->t.dbA1 == 1) {
        out[CHAIN_A] = a + p->moves[ROLE_A] * round + loads;
    }
    if (s->t.dbB1 == 1) {
        out[CHAIN_B] = b + p->moves[ROLE_B] * round + loads - before_b;
    }
    if (s->t.dbA1 == 1 && s->t.dbB1 == 1 && s->t.stepKa == s->t.stepKb) {
        out[CHAIN_AB] = a + b + p->moves[ROLE_A] * round + loads - before_b;
    }
}

/* W of the Mmad issued last. */
static int64_t last_mmad(const struct tile_cost *t)
{
    return t->mmad[t->program.start > 0 ? COST_FULL : COST_LAST];
}

/* From the start of a tile's first Mmad to the start of its last. */
static int64_t to_last_mmad(const struct tile_cost *t, const struct cost *c)
{
    return sum_of(t->program.nk, t->mmad) - last_mmad(t) + (t->program.nk - 1) * c->mmad_issue;
}

/* From the start of a tile's first Mmad to the start of the next one's. */
static int64_t tile_l0c_chain(const struct chains *x, const struct tile_cost *t)
{
    const struct cost *c = x->c;
    const int64_t last = last_mmad(t) + c->mmad_latency;
    if (!x->s->t.unitflag) {
        return to_last_mmad(t, c) + last + c->sync + t->store + c->sync;
    }
    const int64_t drained = max_i64(c->mmad_latency + t->store, last + c->fixpipe_issue);
    return to_last_mmad(t, c) + max_i64(drained - x->widest_mmad, last_mmad(t) + c->mmad_issue);
}

static void tile_chains(const struct chains *x, const struct tile_cost *t, int64_t out[CHAIN_N])
{
    const struct schedule *s = x->s;
    const struct cost *c = x->c;
    const int32_t nk = t->program.nk;
    for (int i = 0; i < CHAIN_N; i++) {
        out[i] = 0;
    }
    const int64_t load_a = sum_of(nk, t->load[ROLE_A]), load_b = sum_of(nk, t->load[ROLE_B]);
    const int64_t work = sum_of(nk, t->mmad);
    out[CHAIN_M] = work + nk * c->mmad_issue;
    out[CHAIN_MTE1] = load_a + load_b;
    out[CHAIN_MTE2] = moves_of(t, ROLE_A) + moves_of(t, ROLE_B);
    out[CHAIN_FIX] = t->store;
    tile_l1_chains(x, t, load_a + load_b, out);
    if (s->t.dbL0A == 1 || s->t.dbL0B == 1) {
        out[CHAIN_L0] = (s->t.dbL0A == 1 ? load_a : 0) + load_b + work + nk * (c->mmad_latency + 2 * c->sync);
    }
    if (s->t.dbL0C == 1) {
        out[CHAIN_L0C] = tile_l0c_chain(x, t);
    }
}

/* What stands before and after the chains of a core, from its first and last tiles. */
struct edges {
    int64_t to_load, to_mmad, to_store;         /* until the first of each starts */
    int64_t after_move, after_load, after_mmad; /* from the end of the last of each */
};

static void edges_init(struct edges *e, const struct chains *x, const struct tile_cost *first,
                       const struct tile_cost *last)
{
    const struct tiling *t = &x->s->t;
    const struct cost *c = x->c;
    const int64_t copy_a = least(first->copy[ROLE_A]), copy_b = least(first->copy[ROLE_B]);
    const int64_t arrive = c->copy_latency + c->sync;
    e->to_load = copy_a + (t->waitBoth || t->copyFirst ? copy_b : 0) + arrive;
    e->to_mmad = max_i64(copy_a + copy_b + arrive, e->to_load + least(first->load[ROLE_A])) +
                 least(first->load[ROLE_B]) + c->sync;
    e->to_store = e->to_mmad + to_last_mmad(first, c) + c->mmad_latency;
    e->after_mmad = t->unitflag ? c->fixpipe_issue : c->sync + last->store;
    e->after_load = c->sync + last_mmad(last) + c->mmad_latency + e->after_mmad;
    e->after_move = arrive + least(last->load[ROLE_B]) + e->after_load;
}

/* End of a core whose first and last tiles have these costs. */
static int64_t core_bound(const struct chains *x, const struct tile_cost *first, const struct tile_cost *last)
{
    const struct cost *c = x->c;
    const int64_t *sum = x->sum;
    struct edges e;
    edges_init(&e, x, first, last);
    const int64_t ends[CHAIN_N] = {
        [CHAIN_M] = e.to_mmad + sum[CHAIN_M] - c->mmad_issue + c->mmad_latency + e.after_mmad,
        [CHAIN_MTE1] = e.to_load + sum[CHAIN_MTE1] + e.after_load,
        [CHAIN_MTE2] = sum[CHAIN_MTE2] + e.after_move,
        [CHAIN_FIX] = e.to_store + sum[CHAIN_FIX],
        /* The first move waits for nothing; the last wait of each is not reached. */
        [CHAIN_A] = sum[CHAIN_A] - c->sync + e.after_load,
        [CHAIN_B] = sum[CHAIN_B] - c->sync + e.after_load,
        [CHAIN_AB] = sum[CHAIN_AB] - c->sync + e.after_load,
        [CHAIN_L0] = e.to_load + sum[CHAIN_L0] - c->sync + e.after_mmad,
        [CHAIN_L0C] = e.to_mmad + sum[CHAIN_L0C] - (x->s->t.unitflag ? 0 : c->sync),
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
    return c.launch + c.init + slowest + c.split;
}

int64_t timing_bound(struct timing *t, const struct schedule *s)
{
    return bound_from(t, s, true);
}

int64_t timing_bound_from(struct timing *t, const struct schedule *s, const struct timing_start *start)
{
    return bound_from(t, s, start->l2_warm);
}
