/* paper.h - a made-up target whose times can be counted on paper: one byte a
 * cycle on every path, a Mmad of 100 cycles, latencies 0 unless the test sets
 * them. One tile is 16 x 16, a step 16 deep in half: a move of A or B and a
 * load of A or B take 512 cycles each, a Fixpipe 512. */
#ifndef SUPPORT_PAPER_H
#define SUPPORT_PAPER_H

#include "base/arena.h"
#include "timing/timing.h"

struct lab {
    struct arena arena;
    struct diag diag;
    struct target target;
    struct problem problem;  /* 16 x 16 x 48, A plain, B transposed */
    struct problem finished; /* the same, completed by lab_build */
    struct tiling tiling;    /* one core, base 16 x 16 x 16, single L0 and L0C */
    struct timing *timing;
    struct schedule schedule;
};

/* cmocka's setup and teardown; *state is a struct lab. */
int lab_setup(void **state);
int lab_teardown(void **state);

/* Times of one step's parts in cycles; each is the same for A and B. */
void lab_times(struct lab *l, double copy, double load, double mmad, double fixpipe);

/* Halves of L1 for A and B, of L0A and L0B. */
void lab_buffers(struct lab *l, int32_t l1, int32_t l0);

/* Makes l->schedule; fails the test if that does not work. */
void lab_build(struct lab *l);

/* Cycles of the run (warm L2) by both timers, which must agree, be whole and no
 * less than the bound; `busy` (may be NULL) in order MTE2, MTE1, M, FIX. */
int64_t lab_cycles(struct lab *l, int64_t busy[4]);

/* The same from a cold L2. */
int64_t lab_cycles_cold(struct lab *l, int64_t busy[4]);

#endif
