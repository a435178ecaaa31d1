/* recurrence_step.h - what each instruction of a step does to the running times
 * of a tile: the rules of timing_ref as max and +. Internal to recurrence.c.
 *
 * A set fires when its pipe is free and all so far is complete: max(t, e). On
 * MTE1 that is t1 unless a bias row is still on its way to BT, so only the
 * special path looks at e1. */
#ifndef TIMING_RECURRENCE_STEP_H
#define TIMING_RECURRENCE_STEP_H

#include "timing/recurrence.h"

/* Two copies of the path of a step: most tilings have nothing special. */
#define INLINE static inline __attribute__((always_inline))

static inline int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Running times of a tile, absolute from its start. Kept in registers as far as
 * they go: run_segment works on a copy of its own, and arrays are only
 * indexed by constants. */
struct run {
    int64_t t2, t1, tm, tf, e2, e1, em, ef;
    int64_t rel_a[2], rel_b[2], l0a[2], l0b[2], l0c[2], unit[2];
    int64_t loaded[RECURRENCE_AHEAD];
    int64_t ready_a, ready_b; /* data of the current chunks in L1, plus sync */
    int64_t rel_row[TILE_ROWS], ready_row[TILE_ROWS];
    int64_t bt_free, fb_set;        /* BT free again; the quant row is in FB */
    int64_t rel_scales[2], ready_s; /* prototype.scales_apart */
    int64_t b2, b1, bm, bf;
    int64_t mmad_start, mmad_end;
};

/* [start, end) joins a pipe's busy union and becomes its end: no instruction is
 * complete before the one in front of it. True of Mmads (each starts W + issue
 * after the last, completes W + latency after its start), and of moves and loads
 * as long as nothing else runs on their pipes. */
static inline void busy_on(int64_t *total, int64_t *union_end, int64_t start, int64_t end)
{
    *total += end - max2(start, *union_end);
    *union_end = end;
}

/* The same where it may be complete before the end of the union. */
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

/* --- moves ---------------------------------------------------------------- */

/* A chunk with what comes behind it under the same flag: zeros, scales. */
struct chunk_cost {
    int64_t data, fill, scales;
};

INLINE void copy_step(const struct recurrence *r, struct run *x, int64_t rel[2], const struct chunk_cost *cost,
                      bool special, int64_t *ready)
{
    int64_t start = max2(x->t2, rel[0] + r->sync);
    if (special && r->look_ahead > 0) {
        start = max2(start, x->loaded[0]);
    }
    x->t2 = start + cost->data;
    int64_t complete = x->t2 + r->copy_latency;
    if (special && cost->fill > 0) { /* complete when its pipe is free */
        x->t2 += cost->fill;
        complete = max2(complete, x->t2);
    }
    if (special && cost->scales > 0) {
        x->t2 += cost->scales;
        complete = x->t2 + r->copy_latency;
    }
    if (special) {
        busy(&x->b2, &x->e2, start, complete);
    } else {
        busy_on(&x->b2, &x->e2, start, complete);
    }
    *ready = (special ? max2(x->e2, x->t2) : complete) + r->sync;
}

/* The chunk lies in its slot already: the pipe waits for the slot and sets the flag. */
static inline void keep_step(const struct recurrence *r, struct run *x, int64_t rel[2], int64_t *ready)
{
    x->t2 = max2(x->t2, rel[0] + r->sync);
    *ready = max2(x->t2, x->e2) + r->sync;
}

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
INLINE void moves_step(const struct recurrence *r, const struct tile_cost *cost, struct run *x, const bool due[2],
                       const bool last[2], const int32_t chunk[2], bool special)
{
    const struct tile_program *p = &cost->program;
    for (int i = 0; i < 2; i++) {
        const int role = r->b_first ? 1 - i : i;
        int64_t *rel = role == ROLE_A ? x->rel_a : x->rel_b, *ready = role == ROLE_A ? &x->ready_a : &x->ready_b;
        if (!due[role]) {
            continue;
        }
        if (special && p->keeps[role]) {
            keep_step(r, x, rel, ready);
            continue;
        }
        struct chunk_cost c = {.data = cost->copy[role][last[role]]};
        if (special) {
            c.fill = cost->fill[role][last[role]];
            c.scales = r->step_scales > 0 ? 0 : scales_cost(cost, role, chunk[role]);
        }
        copy_step(r, x, rel, &c, special, ready);
    }
}

/* GM->L1 of the tile's bias and quant rows. */
static void rows_copy(const struct recurrence *r, const struct tile_cost *cost, struct run *x)
{
    for (int i = 0; i < TILE_ROWS; i++) {
        if (cost->program.rows[i]) {
            const int64_t start = max2(x->t2, x->rel_row[i] + r->sync);
            x->t2 = start + cost->row[i].copy;
            busy(&x->b2, &x->e2, start, x->t2 + r->copy_latency);
            x->ready_row[i] = max2(x->e2, x->t2) + r->sync;
        }
    }
}

/* Prototype: both operands' scales. */
static void scales_copy(const struct recurrence *r, const struct tile_cost *cost, struct run *x)
{
    const struct chunk_cost c = {.data = cost->copy[ROLE_SA][COST_FULL] + cost->copy[ROLE_SB][COST_FULL]};
    copy_step(r, x, x->rel_scales, &c, true, &x->ready_s);
}

/* --- loads ---------------------------------------------------------------- */

/* A load from `start` to t1. */
INLINE void mte1_busy(struct run *x, int64_t start, bool special)
{
    if (special) {
        busy(&x->b1, &x->e1, start, x->t1);
    } else {
        busy_on(&x->b1, &x->e1, start, x->t1);
    }
}

/* Both loads of a step. `first`: it begins the operand's chunk; `drain`: with a
 * barrier on the pipe, behind the wait for a chunk with zeros. */
INLINE void load_step(const struct recurrence *r, struct run *x, int64_t load_a, int64_t load_b, const bool first[2],
                      const bool drain[2], bool special)
{
    int64_t start = max2(x->t1, x->l0a[0] + r->sync);
    start = first[ROLE_A] ? max2(start, x->ready_a) : start;
    start = first[ROLE_B] && r->wait_both ? max2(start, x->ready_b) : start;
    if (special) {
        start = drain[ROLE_A] || (drain[ROLE_B] && r->wait_both) ? max2(start, x->e1) : start;
        start = r->step_scales > 0 ? max2(start, x->ready_s) : start;
    }
    x->t1 = start + load_a;
    mte1_busy(x, start, special);
    start = r->l0_shared ? x->t1 : max2(x->t1, x->l0b[0] + r->sync);
    start = first[ROLE_B] ? max2(start, x->ready_b) : start;
    start = special && drain[ROLE_B] ? max2(start, x->e1) : start;
    x->t1 = start + load_b;
    mte1_busy(x, start, special);
    if (special && r->look_ahead > 0) {
        for (int i = 0; i + 1 < r->look_ahead; i++) {
            x->loaded[i] = x->loaded[i + 1];
        }
        x->loaded[r->look_ahead - 1] = x->t1;
    }
}

/* When a flag set by MTE1 now fires. */
INLINE int64_t mte1_set(const struct run *x, bool special)
{
    return special ? max2(x->e1, x->t1) : x->t1;
}

/* L1->BT by MTE1, L1->FB by FIX on a word of MTE1. */
static void rows_load(const struct recurrence *r, const struct tile_cost *cost, struct run *x)
{
    const struct row_cost *bias = &cost->row[TILE_BIAS], *quant = &cost->row[TILE_QUANT];
    if (cost->program.rows[TILE_BIAS]) {
        const int64_t start = max2(max2(x->t1, x->ready_row[TILE_BIAS]), x->bt_free + r->sync);
        x->t1 = start + bias->occupied;
        busy(&x->b1, &x->e1, start, start + bias->complete);
        x->rel_row[TILE_BIAS] = max2(x->e1, x->t1);
    }
    if (cost->program.rows[TILE_QUANT]) {
        x->t1 = max2(x->t1, x->ready_row[TILE_QUANT]);
        const int64_t start = max2(x->tf, max2(x->e1, x->t1) + r->sync);
        x->tf = start + quant->occupied;
        busy(&x->bf, &x->ef, start, start + quant->complete);
        x->fb_set = max2(x->ef, x->tf);
        x->tf = x->fb_set;
    }
}

/* In the tile's last step MTE1 gives the quant row's place in L1 back. */
static void rows_release(const struct recurrence *r, const struct tile_cost *cost, struct run *x)
{
    if (cost->program.rows[TILE_QUANT]) {
        x->t1 = max2(x->t1, x->fb_set + r->sync);
        x->rel_row[TILE_QUANT] = max2(x->e1, x->t1);
    }
}

/* --- the cube, Fixpipe ---------------------------------------------------- */

INLINE void mmad_step(const struct recurrence *r, struct run *x, int64_t work, int64_t barrier, bool init, bool special)
{
    int64_t start = max2(x->tm, mte1_set(x, special) + r->sync);
    if (init) {
        start = max2(start, x->l0c[0]);
        start = r->unitflag ? max2(start, x->unit[0] - work) : start;
    }
    const int64_t end = start + work + r->mmad_latency;
    x->tm = start + work + r->mmad_issue;
    x->tm = barrier ? max2(x->tm, end) : x->tm;
    busy_on(&x->bm, &x->em, start, end);
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

#endif
