/* recurrence.h - one tile as a max-plus recurrence: timing_model.md section 4
 * with the steady-state skip of section 7.
 *
 * A state is canonical: times are relative to the M pipe's (tm = 0), the slot
 * a pointer stands on comes first, and a time that can no longer win any max is
 * raised to the value it loses to. Two cores in equal canonical states take equal
 * times from there on, whatever happened before. */
#ifndef TIMING_RECURRENCE_H
#define TIMING_RECURRENCE_H

#include "timing/tile_cost.h"

/* The longest look-ahead of a conv the recurrence knows. */
#define RECURRENCE_AHEAD 4

/* What of a schedule the recurrence depends on, besides costs. */
struct recurrence {
    int32_t step_a, step_b;
    int32_t step_scales; /* prototype.scales_apart: steps of a chunk of scales; else 0 */
    int32_t period;      /* steps after which the chunks of both operands begin together */
    int32_t look_ahead;  /* conv: steps, <= RECURRENCE_AHEAD; 0: none */
    int32_t db_a, db_b, db_l0a, db_l0b, db_l0c;
    bool l0_shared; /* one flag serves both L0 operands */
    bool unitflag, wait_both, tile_barrier, b_first, skip;
    bool special; /* anything but chunks of A and B, moved, loaded and multiplied; false is the fast path */
    int64_t sync, mmad_issue, mmad_latency, fixpipe_issue, copy_latency, barrier;
};

/* Canonical state between two tiles; int64 words only, compared as bytes. */
struct tile_state {
    int64_t t2, t1, tf;         /* pipes free; tm = 0 */
    int64_t e2, e1, em, ef;     /* ends of the busy unions: all so far complete */
    int64_t rel_a[2], rel_b[2]; /* L1 halves free again, next one first */
    int64_t l0a[2], l0b[2];     /* L0 halves free again */
    int64_t l0c[2];             /* L0C blocks: Mmad may start */
    int64_t unit[2];            /* unit flag: end of the Fixpipe on the block */
    /* From here on 0 unless `special`. */
    int64_t loaded[RECURRENCE_AHEAD]; /* conv: ends of B's loads in the last look_ahead steps, oldest first */
    int64_t rel_row[2];               /* rows of bias, quant in L1 free again */
    int64_t bt_free;                  /* BT free again */
    int64_t rel_scales[2];            /* prototype.scales_apart */
};

/* Bytes of a state that can differ from others'. */
size_t tile_state_bytes(const struct recurrence *r);

/* What a tile adds, relative to the tm it started from. */
struct tile_time {
    int64_t tm;  /* advance of tm */
    int64_t end; /* last completion on any pipe */
    int64_t busy[PIPE_N];
    int64_t steps; /* simulated */
};

void recurrence_init(struct recurrence *r, const struct schedule *s, const struct cost *c);

/* The state before the first tile. */
void tile_state_start(struct tile_state *x, const struct recurrence *r);

/* Runs one tile from `x` to the state after it. */
void recurrence_tile(const struct recurrence *r, const struct tile_cost *cost, struct tile_state *x,
                     struct tile_time *out);

#endif
