/* recurrence.c - the steps of one tile.
 *
 * Why the skip is exact. Inside a tile every step but the last has the costs of
 * a full step, and every chunk that ends before it those of a full chunk, so one
 * period is a map F of the pipe and release times built of max and +:
 * F(x + c) = F(x) + c, and what it adds to the counters depends on x - tm only. If the relative times at step k were those at step k' < k, all
 * later periods repeat exactly; q of them add q times what the last one added.
 * Times raised to what they lose to (clamped) change no max. Fixpipe's times,
 * L0C blocks and the rows of bias and quant are of the tile's first step or of
 * earlier tiles, and stay. */
#include "timing/recurrence_step.h"

#include <stddef.h>
#include <string.h>

#include "base/intmath.h"

/* Periods whose states are remembered inside a tile. */
#define SEEN_MAX     24
#define VECTOR_PLAIN 12
#define VECTOR_WORDS (VECTOR_PLAIN + 1 + RECURRENCE_AHEAD + 2)

struct seen {
    int64_t vector[VECTOR_WORDS];
    int64_t tm, b2, b1, bm;
    int32_t k;
};

/* Steps after which a chunk of the operand begins, with its scales if it has any. */
static int64_t chunk_period(const struct schedule *s, enum role role)
{
    const struct tiling *t = &s->t;
    const bool is_a = role == ROLE_A, mx = is_a ? s->problem->a.mx : s->problem->b.mx;
    const int64_t step = is_a ? t->stepKa : t->stepKb, factor = is_a ? t->scaleFactorKa : t->scaleFactorKb;
    return s->hold[role] == HOLD_CHUNKS ? step * (mx ? factor : 1) : 1;
}

/* prototype.scales_apart: steps of the one chunk of scales. */
static int32_t scales_step(const struct schedule *s, const struct cost *c)
{
    return c->p->prototype.scales_apart && s->problem->a.mx ? s->t.stepKa * s->t.scaleFactorKa : 0;
}

void recurrence_init(struct recurrence *r, const struct schedule *s, const struct cost *c)
{
    const struct tiling *t = &s->t;
    const int64_t scales = scales_step(s, c);
    const int64_t period = lcm_i64(chunk_period(s, ROLE_A), chunk_period(s, ROLE_B));
    const bool rows = t->isBias || s->problem->quant.dtype != DTYPE_NONE;
    *r = (struct recurrence){.look_ahead = c->look_ahead,
                             .step_a = t->stepKa,
                             .step_b = t->stepKb,
                             .step_scales = (int32_t)scales,
                             .period = (int32_t)(scales > 0 ? lcm_i64(period, scales) : period),
                             .db_a = t->dbA1,
                             .db_b = t->dbB1,
                             .db_l0a = t->dbL0A,
                             .db_l0b = t->dbL0B,
                             .db_l0c = t->dbL0C,
                             .l0_shared = t->dbL0A == t->dbL0B,
                             .unitflag = t->unitflag != 0,
                             .wait_both = t->waitBoth != 0,
                             .tile_barrier = t->tileBarrier != 0,
                             .b_first = t->copyFirst != 0,
                             .special = c->look_ahead > 0 || s->problem->a.mx || s->problem->b.mx || t->l1Resident ||
                                        t->shuffleK || rows,
                             .skip = true,
                             .sync = c->sync,
                             .mmad_issue = c->mmad_issue,
                             .mmad_latency = c->mmad_latency,
                             .fixpipe_issue = c->fixpipe_issue,
                             .copy_latency = c->copy_latency,
                             .barrier = c->tile_barrier};
}

size_t tile_state_bytes(const struct recurrence *r)
{
    return r->special ? sizeof(struct tile_state) : offsetof(struct tile_state, loaded);
}

/* --- the skip ------------------------------------------------------------- */

/* Times that decide the following steps of this tile, relative to tm. */
INLINE void make_vector(const struct recurrence *r, const struct run *x, int64_t v[VECTOR_WORDS], bool special)
{
    const int64_t tm = x->tm, t2 = x->t2 - tm, t1 = x->t1 - tm;
    v[0] = t2;
    v[1] = t1;
    v[2] = max2(x->e2 - tm, t2);
    v[3] = max2(x->em - tm, 0);
    for (int i = 0; i < 2; i++) {
        v[4 + i] = max2(x->rel_a[i] - tm, t2 - r->sync);
        v[6 + i] = max2(x->rel_b[i] - tm, t2 - r->sync);
        v[8 + i] = max2(x->l0a[i] - tm, t1 - r->sync);
        v[10 + i] = max2(x->l0b[i] - tm, t1 - r->sync);
    }
    if (!special) { /* e1 is t1 */
        return;
    }
    v[VECTOR_PLAIN] = max2(x->e1 - tm, t1);
    for (int i = 0; i < RECURRENCE_AHEAD; i++) {
        v[VECTOR_PLAIN + 1 + i] = i < r->look_ahead ? max2(x->loaded[i] - tm, t2) : 0;
    }
    for (int i = 0; i < 2; i++) {
        v[VECTOR_PLAIN + 1 + RECURRENCE_AHEAD + i] = max2(x->rel_scales[i] - tm, t2 - r->sync);
    }
}

/* Adds `q` times (time, counters) since `then`. */
static inline void leap(struct run *x, const struct seen *then, int64_t q)
{
    const int64_t d = q * (x->tm - then->tm);
    x->b2 += q * (x->b2 - then->b2);
    x->b1 += q * (x->b1 - then->b1);
    x->bm += q * (x->bm - then->bm);
    x->mmad_start += d;
    x->mmad_end += d;
    x->t2 += d;
    x->t1 += d;
    x->tm += d;
    x->e2 += d;
    x->e1 += d;
    x->em += d;
    for (int i = 0; i < 2; i++) {
        x->rel_a[i] += d;
        x->rel_b[i] += d;
        x->l0a[i] += d;
        x->l0b[i] += d;
        x->rel_scales[i] += d;
    }
    for (int i = 0; i < RECURRENCE_AHEAD; i++) {
        x->loaded[i] += d;
    }
}

INLINE bool same_vector(const int64_t *a, const int64_t *b, bool special)
{
    if (a[0] != b[0] || a[1] != b[1]) { /* mostly */
        return false;
    }
    int64_t differ = 0;
    for (int i = 2; i < (special ? VECTOR_WORDS : VECTOR_PLAIN); i++) {
        differ |= a[i] ^ b[i];
    }
    return differ == 0;
}

/* Looks for seen[count] among those before it. @return its index, -1 if it is new. */
INLINE int find_seen(const struct seen *seen, int count, bool special)
{
    for (int i = count - 1; i >= 0; i--) {
        if (same_vector(seen[i].vector, seen[count].vector, special)) {
            return i;
        }
    }
    return -1;
}

/* --- a tile --------------------------------------------------------------- */

/* Steps on consecutive K blocks: a whole tile, or with shuffleK what lies
 * before or after the wrap of K. */
struct segment {
    int32_t count;
    bool first, last; /* begins with the tile's first step, ends with its last */
    bool tail;        /* ends with the last K block */
};

/* An image for a group of tiles is free after the last of them. */
INLINE void release_images(const struct recurrence *r, const struct tile_program *p, struct run *x, bool special)
{
    if (!p->chunked[ROLE_A] && p->releases[ROLE_A]) {
        rotate(x->rel_a, r->db_a, mte1_set(x, special));
    }
    if (!p->chunked[ROLE_B] && p->releases[ROLE_B]) {
        rotate(x->rel_b, r->db_b, mte1_set(x, special));
    }
}

/* A walk over a segment. */
struct walk {
    const struct recurrence *r;
    const struct tile_cost *cost;
    const struct segment *g;
    int32_t lim;            /* a leap ends before the last block of K, so all chunks it passes are full ones */
    int32_t step_a, step_b; /* of chunks; never reached by an image */
    int32_t at_a, at_b, at_scales, at_period; /* position in the chunk, the period */
    int seen_count;                           /* -1: no more leaps */
};

/* At the begin of a period. @return steps leapt over. */
INLINE int32_t try_leap(struct walk *w, struct seen *seen, struct run *x, int32_t k, bool special)
{
    struct seen *last = &seen[w->seen_count];
    last->tm = x->tm;
    last->b2 = x->b2;
    last->b1 = x->b1;
    last->bm = x->bm;
    last->k = k;
    make_vector(w->r, x, last->vector, special);
    const int found = find_seen(seen, w->seen_count, special);
    if (found < 0) {
        w->seen_count = w->seen_count < SEEN_MAX ? w->seen_count + 1 : -1;
        return 0;
    }
    const int32_t length = k - seen[found].k, q = (w->lim - k) / length;
    leap(x, &seen[found], q);
    w->seen_count = -1;
    return q * length;
}

/* GM->L1 and L1->L0 of step k. */
INLINE void feed_step(struct walk *w, struct run *x, int32_t k, bool begin, bool tail, bool special)
{
    const struct recurrence *r = w->r;
    const struct tile_cost *cost = w->cost;
    const struct tile_program *p = &cost->program;
    const int32_t count = w->g->count;
    const bool first[2] = {w->at_a == 0 && p->loads[ROLE_A], w->at_b == 0 && p->loads[ROLE_B]};
    bool drain[2] = {false, false};
    if (first[ROLE_A] || first[ROLE_B]) {
        const bool last[2] = {w->g->tail && k >= count - w->step_a, w->g->tail && k >= count - w->step_b};
        const int32_t chunk[2] = {p->chunked[ROLE_A] ? k / w->step_a : 0, p->chunked[ROLE_B] ? k / w->step_b : 0};
        moves_step(r, cost, x, first, last, chunk, special);
        for (int i = 0; i < 2 && special; i++) {
            drain[i] = first[i] && cost->fill[i][last[i]] > 0;
        }
    }
    if (special && r->step_scales > 0 && w->at_scales == 0) {
        scales_copy(r, cost, x);
    }
    if (special && begin) {
        rows_copy(r, cost, x);
    }
    load_step(r, x, cost->load[ROLE_A][tail], cost->load[ROLE_B][tail], first, drain, special);
}

/* Chunks that end with this step are free again; `end`: it is the segment's last. */
INLINE void release_step(struct walk *w, struct run *x, bool end, bool special)
{
    const struct recurrence *r = w->r;
    const struct tile_program *p = &w->cost->program;
    if (++w->at_a == w->step_a || (end && p->chunked[ROLE_A])) {
        w->at_a = 0;
        rotate(x->rel_a, r->db_a, mte1_set(x, special));
    }
    if (++w->at_b == w->step_b || (end && p->chunked[ROLE_B])) {
        w->at_b = 0;
        rotate(x->rel_b, r->db_b, mte1_set(x, special));
    }
    if (end && w->g->last) {
        release_images(r, p, x, special);
    }
    if (special && r->step_scales > 0 && (++w->at_scales == r->step_scales || end)) {
        w->at_scales = 0;
        rotate(x->rel_scales, 2, x->t1);
    }
}

INLINE void walk_segment(const struct recurrence *r, const struct tile_cost *cost, const struct segment *g,
                         struct run *x, int64_t *steps, bool special)
{
    struct walk w;
    struct seen seen[SEEN_MAX + 1];
    w.r = r;
    w.cost = cost;
    w.g = g;
    w.lim = g->count - g->tail;
    w.step_a = cost->program.chunked[ROLE_A] ? r->step_a : INT32_MAX;
    w.step_b = cost->program.chunked[ROLE_B] ? r->step_b : INT32_MAX;
    w.at_a = w.at_b = w.at_scales = w.at_period = 0;
    w.seen_count = r->skip && w.lim >= 3 * r->period ? 0 : -1;
    int64_t simulated = 0;
    for (int32_t k = 0; k < g->count; k++) {
        if (w.at_period == r->period) {
            w.at_period = 0;
            k += w.seen_count >= 0 && k < w.lim ? try_leap(&w, seen, x, k, special) : 0;
            if (k == g->count) {
                break;
            }
        }
        w.at_period++;
        const bool begin = g->first && k == 0, end = k == g->count - 1, tail = g->tail && end;
        feed_step(&w, x, k, begin, tail, special);
        release_step(&w, x, end, special);
        if (special && begin) {
            rows_load(r, cost, x);
        }
        if (special && end && g->last) {
            rows_release(r, cost, x);
        }
        mmad_step(r, x, cost->mmad[tail], cost->barrier, begin, special);
        if (special && begin && cost->program.rows[TILE_BIAS]) {
            x->bt_free = max2(x->em, x->tm);
        }
        simulated++;
    }
    *steps += simulated;
}

static void special_segment(const struct recurrence *r, const struct tile_cost *cost, const struct segment *g,
                            struct run *x, int64_t *steps)
{
    walk_segment(r, cost, g, x, steps, true);
}

INLINE void state_load(struct run *x, const struct tile_state *s, bool special)
{
    *x = (struct run){0};
    x->t2 = s->t2;
    x->t1 = s->t1;
    x->tf = s->tf;
    x->e2 = s->e2;
    x->e1 = s->e1;
    x->em = s->em;
    x->ef = s->ef;
    for (int i = 0; i < 2; i++) {
        x->rel_a[i] = s->rel_a[i];
        x->rel_b[i] = s->rel_b[i];
        x->l0a[i] = s->l0a[i];
        x->l0b[i] = s->l0b[i];
        x->l0c[i] = s->l0c[i];
        x->unit[i] = s->unit[i];
    }
    if (special) {
        memcpy(x->loaded, s->loaded, sizeof x->loaded);
        memcpy(x->rel_row, s->rel_row, sizeof x->rel_row);
        memcpy(x->rel_scales, s->rel_scales, sizeof x->rel_scales);
        x->bt_free = s->bt_free;
    }
}

/* Canonical form: relative to tm, clamped. */
INLINE void state_store(const struct recurrence *r, const struct run *x, struct tile_state *s, bool special)
{
    const int64_t tm = x->tm;
    s->t2 = x->t2 - tm;
    s->t1 = x->t1 - tm;
    s->tf = max2(x->tf - tm, 0);
    s->e2 = max2(x->e2 - tm, s->t2);
    s->e1 = max2(x->e1 - tm, s->t1);
    s->em = max2(x->em - tm, 0);
    s->ef = max2(x->ef - tm, s->tf);
    for (int i = 0; i < 2; i++) {
        s->rel_a[i] = max2(x->rel_a[i] - tm, s->t2 - r->sync);
        s->rel_b[i] = max2(x->rel_b[i] - tm, s->t2 - r->sync);
        s->l0a[i] = max2(x->l0a[i] - tm, s->t1 - r->sync);
        s->l0b[i] = max2(x->l0b[i] - tm, s->t1 - r->sync);
        s->l0c[i] = max2(x->l0c[i] - tm, 0);
        s->unit[i] = max2(x->unit[i] - tm, 0);
    }
    if (!special) {
        return;
    }
    for (int i = 0; i < RECURRENCE_AHEAD; i++) {
        s->loaded[i] = i < r->look_ahead ? max2(x->loaded[i] - tm, s->t2) : 0;
    }
    for (int i = 0; i < 2; i++) {
        s->rel_row[i] = max2(x->rel_row[i] - tm, s->t2 - r->sync);
        s->rel_scales[i] = max2(x->rel_scales[i] - tm, s->t2 - r->sync);
    }
    s->bt_free = max2(x->bt_free - tm, s->t1 - r->sync);
}

void tile_state_start(struct tile_state *x, const struct recurrence *r)
{
    memset(x, 0, sizeof *x);
    for (int i = 0; i < 2; i++) {
        x->rel_a[i] = x->rel_b[i] = x->l0a[i] = x->l0b[i] = -r->sync;
        x->rel_row[i] = x->rel_scales[i] = -r->sync;
    }
    x->bt_free = -r->sync;
}

/* `run` leaves this function only where the tile is special, so that the plain one's stays in registers. */
INLINE void run_tile(const struct recurrence *r, const struct tile_cost *cost, struct tile_state *x,
                     struct tile_time *out, bool special)
{
    const struct tile_program *p = &cost->program;
    const int32_t start = special ? p->start : 0;
    const struct segment to_end = {.count = p->nk - start, .first = true, .last = start == 0, .tail = true};
    const struct segment from_zero = {.count = start, .last = true};
    struct run run;
    int64_t steps = 0;
    state_load(&run, x, special);
    if (special) {
        special_segment(r, cost, &to_end, &run, &steps);
    } else {
        walk_segment(r, cost, &to_end, &run, &steps, false);
    }
    if (start > 0) {
        special_segment(r, cost, &from_zero, &run, &steps);
    }
    store_step(r, &run, cost->store);
    *out = (struct tile_time){.tm = run.tm, .end = max2(max2(run.e2, run.e1), max2(run.em, run.ef)), .steps = steps};
    out->busy[PIPE_MTE2] = run.b2;
    out->busy[PIPE_MTE1] = run.b1;
    out->busy[PIPE_M] = run.bm;
    out->busy[PIPE_FIX] = run.bf;
    state_store(r, &run, x, special);
}

static void plain_tile(const struct recurrence *r, const struct tile_cost *cost, struct tile_state *x,
                       struct tile_time *out)
{
    run_tile(r, cost, x, out, false);
}

static void special_tile(const struct recurrence *r, const struct tile_cost *cost, struct tile_state *x,
                         struct tile_time *out)
{
    run_tile(r, cost, x, out, true);
}

void recurrence_tile(const struct recurrence *r, const struct tile_cost *cost, struct tile_state *x,
                     struct tile_time *out)
{
    if (r->special) {
        special_tile(r, cost, x, out);
    } else {
        plain_tile(r, cost, x, out);
    }
}
