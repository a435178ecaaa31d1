/* recurrence.c - the steps of one tile.
 *
 * Why the skip is exact. Inside a tile every step but the last has the costs of
 * a full step, and every chunk that ends before it those of a full chunk, so one period is a map F of the pipe and release times built of
 * max and +: F(x + c) = F(x) + c, and what it adds to the counters depends on
 * x - tm only. If the relative times at step k were those at step k' < k, all
 * later periods repeat exactly; q of them add q times what the last one added.
 * Times raised to what they lose to (clamped) change no max. Fixpipe's times
 * and L0C blocks are of earlier tiles and stay. */
#include "timing/recurrence.h"

#include <string.h>

#include "base/intmath.h"

/* Periods whose states are remembered inside a tile. */
#define SEEN_MAX     24
#define VECTOR_WORDS (14 + RECURRENCE_AHEAD)

static inline int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Running times of a tile, absolute from its start. Kept in registers as far as
 * they go: run_segment works on a copy of its own, and arrays are only
 * indexed by constants. */
struct run {
    int64_t t2, t1, tm, tf, e2, e1, em, ef, d2;
    int64_t rel_a[2], rel_b[2], l0a[2], l0b[2], l0c[2], unit[2];
    int64_t loaded[RECURRENCE_AHEAD];
    int64_t ready_a, ready_b; /* data of the current chunks in L1, plus sync */
    int64_t b2, b1, bm, bf;
    int64_t mmad_start, mmad_end;
};

struct seen {
    int64_t vector[VECTOR_WORDS];
    int64_t tm, b2, b1, bm;
    int32_t k;
};

/* [start, end) of an in-order pipe joins its busy union. */
static inline void busy(int64_t *total, int64_t *union_end, int64_t start, int64_t end)
{
    *total += start > *union_end ? end - start : end > *union_end ? end - *union_end : 0;
    *union_end = max2(*union_end, end);
}

/* The slot in use goes to the back with its new time; both are one where there is but one. */
static inline void rotate(int64_t slot[2], int32_t count, int64_t time)
{
    slot[0] = count == 2 ? slot[1] : time;
    slot[1] = time;
}

/* Steps after which a chunk of the operand begins, with its scales if it has any. */
static int64_t chunk_period(const struct schedule *s, enum role role)
{
    const struct tiling *t = &s->t;
    const bool is_a = role == ROLE_A, mx = is_a ? s->problem->a.mx : s->problem->b.mx;
    const int64_t step = is_a ? t->stepKa : t->stepKb, factor = is_a ? t->scaleFactorKa : t->scaleFactorKb;
    return s->hold[role] == HOLD_CHUNKS ? step * (mx ? factor : 1) : 1;
}

void recurrence_init(struct recurrence *r, const struct schedule *s, const struct cost *c)
{
    const struct tiling *t = &s->t;
    *r = (struct recurrence){.look_ahead = c->look_ahead,
                             .step_a = t->stepKa,
                             .step_b = t->stepKb,
                             .period = (int32_t)lcm_i64(chunk_period(s, ROLE_A), chunk_period(s, ROLE_B)),
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
                             .keeps = t->l1Resident != 0,
                             .skip = true,
                             .sync = c->sync,
                             .mmad_issue = c->mmad_issue,
                             .mmad_latency = c->mmad_latency,
                             .fixpipe_issue = c->fixpipe_issue,
                             .copy_latency = c->copy_latency,
                             .barrier = c->tile_barrier};
}

static inline void copy_step(const struct recurrence *r, struct run *x, int64_t rel[2], int64_t cost, int64_t *ready)
{
    int64_t start = max2(x->t2, rel[0] + r->sync);
    start = r->look_ahead > 0 ? max2(start, x->loaded[0]) : start;
    x->t2 = start + cost;
    busy(&x->b2, &x->e2, start, x->t2 + r->copy_latency);
    x->d2 = x->t2 + r->copy_latency;
    *ready = x->d2 + r->sync;
}

/* The chunk lies in its slot already: the pipe waits for the slot and sets the flag. */
static inline void keep_step(const struct recurrence *r, struct run *x, int64_t rel[2], int64_t *ready)
{
    x->t2 = max2(x->t2, rel[0] + r->sync);
    *ready = max2(x->t2, x->d2) + r->sync;
}

/* Both loads of a step; `first_a`, `first_b`: first step of the operand's chunk. */
static inline void load_step(const struct recurrence *r, struct run *x, int64_t load_a, int64_t load_b, bool first_a,
                             bool first_b)
{
    int64_t start = max2(x->t1, x->l0a[0] + r->sync);
    start = first_a ? max2(start, x->ready_a) : start;
    start = first_b && r->wait_both ? max2(start, x->ready_b) : start;
    x->t1 = start + load_a;
    busy(&x->b1, &x->e1, start, x->t1);
    start = r->l0_shared ? x->t1 : max2(x->t1, x->l0b[0] + r->sync);
    start = first_b ? max2(start, x->ready_b) : start;
    x->t1 = start + load_b;
    busy(&x->b1, &x->e1, start, x->t1);
    if (r->look_ahead > 0) {
        for (int i = 0; i + 1 < r->look_ahead; i++) {
            x->loaded[i] = x->loaded[i + 1];
        }
        x->loaded[r->look_ahead - 1] = x->t1;
    }
}

static inline void mmad_step(const struct recurrence *r, struct run *x, int64_t work, int64_t barrier, bool init)
{
    int64_t start = max2(x->tm, x->t1 + r->sync);
    if (init) {
        start = max2(start, x->l0c[0]);
        start = r->unitflag ? max2(start, x->unit[0] - work) : start;
    }
    const int64_t end = start + work + r->mmad_latency;
    x->tm = start + work + r->mmad_issue;
    x->tm = barrier ? max2(x->tm, end) : x->tm;
    busy(&x->bm, &x->em, start, end);
    rotate(x->l0a, r->db_l0a, end);
    rotate(x->l0b, r->db_l0b, end);
    x->mmad_start = start;
    x->mmad_end = end;
}

static inline void store_step(const struct recurrence *r, struct run *x, int64_t store)
{
    int64_t start;
    if (r->unitflag) {
        start = max2(x->tf, x->mmad_start + r->mmad_latency);
        x->tf = max2(start + store, x->mmad_end + r->fixpipe_issue);
        rotate(x->unit, r->db_l0c, x->tf);
        rotate(x->l0c, r->db_l0c, start + r->fixpipe_issue);
    } else {
        start = max2(x->tf, x->mmad_end + r->sync);
        x->tf = start + store;
        rotate(x->l0c, r->db_l0c, x->tf + r->sync);
    }
    busy(&x->bf, &x->ef, start, x->tf);
    if (r->tile_barrier) {
        const int64_t all = max2(max2(x->t2, x->t1), max2(max2(x->tm, x->tf), x->mmad_end));
        x->t2 = x->t1 = x->tm = x->tf = all + r->barrier;
    }
}

/* --- the skip ------------------------------------------------------------- */

/* Times that decide the following steps of this tile, relative to tm. */
static void make_vector(const struct recurrence *r, const struct run *x, int64_t v[VECTOR_WORDS])
{
    const int64_t tm = x->tm, t2 = x->t2 - tm, t1 = x->t1 - tm;
    v[0] = t2;
    v[1] = t1;
    v[2] = max2(x->e2 - tm, t2);
    v[3] = max2(x->e1 - tm, t1);
    v[4] = max2(x->em - tm, 0);
    for (int i = 0; i < 2; i++) {
        v[5 + i] = max2(x->rel_a[i] - tm, t2 - r->sync);
        v[7 + i] = max2(x->rel_b[i] - tm, t2 - r->sync);
        v[9 + i] = max2(x->l0a[i] - tm, t1 - r->sync);
        v[11 + i] = max2(x->l0b[i] - tm, t1 - r->sync);
    }
    v[13] = r->keeps ? max2(x->d2 - tm, t2) : 0;
    for (int i = 0; i < RECURRENCE_AHEAD; i++) {
        v[14 + i] = i < r->look_ahead ? max2(x->loaded[i] - tm, t2) : 0;
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
    }
    for (int i = 0; i < RECURRENCE_AHEAD; i++) {
        x->loaded[i] += d;
    }
}

static bool same_vector(const int64_t *a, const int64_t *b)
{
    int64_t differ = 0;
    for (int i = 0; i < VECTOR_WORDS; i++) {
        differ |= a[i] ^ b[i];
    }
    return differ == 0;
}

/* Looks for seen[count] among those before it. @return its index, -1 if it is new. */
static int find_seen(const struct seen *seen, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        if (same_vector(seen[i].vector, seen[count].vector)) {
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
    bool first; /* begins with the tile's first step */
    bool tail;  /* ends with the last K block */
};

/* Scales come right behind the chunk they start with. `chunk`: its number in the tile. */
static inline int64_t scales_cost(const struct tile_cost *cost, int role, int32_t chunk)
{
    const int32_t every = cost->program.scales[role], moves = cost->program.moves[role];
    if (every == 0 || chunk % every != 0) {
        return 0;
    }
    return cost->copy[role == ROLE_A ? ROLE_SA : ROLE_SB][chunk + every >= moves ? COST_LAST : COST_FULL];
}

/* Moves due at a step where a chunk of A (B) begins. */
static inline void moves_step(const struct recurrence *r, const struct tile_cost *cost, struct run *x, bool a, bool b,
                              const bool last[2], const int32_t chunk[2])
{
    const struct tile_program *p = &cost->program;
    for (int i = 0; i < 2; i++) {
        const int role = r->b_first ? 1 - i : i;
        int64_t *rel = role == ROLE_A ? x->rel_a : x->rel_b, *ready = role == ROLE_A ? &x->ready_a : &x->ready_b;
        if (!(role == ROLE_A ? a : b)) {
            continue;
        }
        if (p->keeps[role]) {
            keep_step(r, x, rel, ready);
        } else {
            copy_step(r, x, rel, cost->copy[role][last[role]] + scales_cost(cost, role, chunk[role]), ready);
        }
    }
}

static void run_segment(const struct recurrence *restrict run_of, const struct tile_cost *restrict cost,
                        const struct segment *g, struct run *restrict state, int64_t *steps)
{
    const struct recurrence copy = *run_of, *const r = &copy;
    struct run now = *state, *const x = &now;
    const struct tile_program *p = &cost->program;
    /* A leap ends where chunks begin, so all chunks it passes are full ones. */
    const int32_t count = g->count, lim = count - g->tail;
    const int32_t step_a = p->chunked[ROLE_A] ? r->step_a : INT32_MAX;
    const int32_t step_b = p->chunked[ROLE_B] ? r->step_b : INT32_MAX;
    struct seen seen[SEEN_MAX + 1];
    int64_t simulated = 0;
    int32_t at_a = 0, at_b = 0, at_period = 0; /* position in the chunk, the period */
    int seen_count = r->skip && lim >= 3 * r->period ? 0 : -1;
    for (int32_t k = 0; k < count; k++) {
        if (at_period == r->period) {
            at_period = 0;
            if (seen_count >= 0 && k < lim) {
                struct seen *last = &seen[seen_count];
                *last = (struct seen){.tm = x->tm, .b2 = x->b2, .b1 = x->b1, .bm = x->bm, .k = k};
                make_vector(r, x, last->vector);
                const int found = find_seen(seen, seen_count);
                if (found >= 0) {
                    const int32_t length = k - seen[found].k, q = (lim - k) / length;
                    leap(x, &seen[found], q);
                    k += q * length;
                    seen_count = -1;
                    if (k == count) {
                        break;
                    }
                } else if (++seen_count > SEEN_MAX) {
                    seen_count = -1;
                }
            }
        }
        at_period++;
        const bool end = k == count - 1, tail = g->tail && end;
        const bool first_a = at_a == 0 && p->loads[ROLE_A], first_b = at_b == 0 && p->loads[ROLE_B];
        if (first_a || first_b) {
            const bool last[2] = {g->tail && k >= count - step_a, g->tail && k >= count - step_b};
            const int32_t chunk[2] = {p->chunked[ROLE_A] ? k / step_a : 0, p->chunked[ROLE_B] ? k / step_b : 0};
            moves_step(r, cost, x, first_a, first_b, last, chunk);
        }
        load_step(r, x, cost->load[ROLE_A][tail], cost->load[ROLE_B][tail], first_a, first_b);
        if (++at_a == step_a || (end && p->chunked[ROLE_A])) {
            at_a = 0;
            rotate(x->rel_a, r->db_a, x->t1);
        }
        if (++at_b == step_b || (end && p->chunked[ROLE_B])) {
            at_b = 0;
            rotate(x->rel_b, r->db_b, x->t1);
        }
        mmad_step(r, x, cost->mmad[tail], cost->barrier, g->first && k == 0);
        simulated++;
    }
    *steps += simulated;
    *state = now;
}

static void run_tile(const struct recurrence *r, const struct tile_cost *cost, struct run *x, int64_t *steps)
{
    const struct tile_program *p = &cost->program;
    const struct segment to_end = {.count = p->nk - p->start, .first = true, .tail = true};
    run_segment(r, cost, &to_end, x, steps);
    if (p->start > 0) {
        const struct segment from_zero = {.count = p->start};
        run_segment(r, cost, &from_zero, x, steps);
    }
    /* An image for a group of tiles is free after the last of them. */
    if (!p->chunked[ROLE_A] && p->releases[ROLE_A]) {
        rotate(x->rel_a, r->db_a, x->t1);
    }
    if (!p->chunked[ROLE_B] && p->releases[ROLE_B]) {
        rotate(x->rel_b, r->db_b, x->t1);
    }
    store_step(r, x, cost->store);
}

static void state_load(struct run *x, const struct tile_state *s)
{
    memset(x, 0, sizeof *x);
    x->t2 = s->t2;
    x->t1 = s->t1;
    x->tf = s->tf;
    x->d2 = s->d2;
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
    memcpy(x->loaded, s->loaded, sizeof x->loaded);
}

/* Canonical form: relative to tm, clamped. */
static void state_store(const struct recurrence *r, const struct run *x, struct tile_state *s)
{
    const int64_t tm = x->tm;
    s->t2 = x->t2 - tm;
    s->t1 = x->t1 - tm;
    s->tf = max2(x->tf - tm, 0);
    s->d2 = r->keeps ? max2(x->d2 - tm, s->t2) : 0;
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
    for (int i = 0; i < RECURRENCE_AHEAD; i++) {
        s->loaded[i] = i < r->look_ahead ? max2(x->loaded[i] - tm, s->t2) : 0;
    }
}

void tile_state_start(struct tile_state *x, const struct recurrence *r)
{
    memset(x, 0, sizeof *x);
    for (int i = 0; i < 2; i++) {
        x->rel_a[i] = x->rel_b[i] = x->l0a[i] = x->l0b[i] = -r->sync;
    }
}

void recurrence_tile(const struct recurrence *r, const struct tile_cost *cost, struct tile_state *x,
                     struct tile_time *out)
{
    struct run run;
    state_load(&run, x);
    memset(out, 0, sizeof *out);
    run_tile(r, cost, &run, &out->steps);
    out->tm = run.tm;
    out->end = max2(max2(run.e2, run.e1), max2(run.em, run.ef));
    out->busy[PIPE_MTE2] = run.b2;
    out->busy[PIPE_MTE1] = run.b1;
    out->busy[PIPE_M] = run.bm;
    out->busy[PIPE_FIX] = run.bf;
    state_store(r, &run, x);
}
