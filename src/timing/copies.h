/* copies.h - the time of a kernel that only copies GM->L1, as the board runs
 * that calibrate the memory model: every core moves its rows of one ND operand
 * in blocks of baseM x baseN, again and again. */
#ifndef TIMING_COPIES_H
#define TIMING_COPIES_H

#include "timing/timing.h"

struct copies {
    int64_t rows, cols; /* of the operand, elements */
    int64_t rows_core;  /* rows a core moves in one pass */
    int32_t base_rows, base_cols;
    int32_t cores;
    int32_t passes; /* over the same data */
    int32_t splits; /* passes work on one of so many column parts, which is what L2 must hold */
};

/* Busy time of MTE2 of one core, mcyc. `dtype`: of the elements. */
int64_t timing_copies(const struct target *target, enum dtype dtype, const struct copies *copies);

#endif
