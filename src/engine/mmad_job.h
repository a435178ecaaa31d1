/* mmad_job.h - one Mmad with its operands resolved (private to engine/). */
#ifndef ENGINE_MMAD_JOB_H
#define ENGINE_MMAD_JOB_H

#include "engine/exec.h"

struct job {
    const struct exec *x;
    int64_t m, n, k;
    enum dtype a_type, b_type;
    bool integer;
    bool gemv;               /* L0A is a plain vector */
    bool scaled;             /* MmadMx */
    bool half_result;        /* half accumulators in L0C (310P, 910, Kirin) */
    int64_t c_bytes;         /* of a result element */
    int64_t m1, n1;          /* fractals along m and n */
    int64_t a_row, a_column; /* L0A: fractal (m1, k1) at m1 * a_row + k1 * a_column */
    int64_t c0a, c0b;
    const struct memory *am, *bm;
    struct memory *cm;
};

/* Byte in L0A of the 32 B block that holds (row, k .. k + C0). */
static inline int64_t job_a_block(const struct job *j, int64_t row, int64_t k)
{
    const int64_t base = j->x->in->src.byte;
    if (j->gemv) {
        return base + k / j->c0a * BLOCK;
    }
    return base + (row / 16 * j->a_row + k / j->c0a * j->a_column) * FRACTAL + row % 16 * BLOCK;
}

/* Byte in L0B (Zn) of the block that holds (k .. k + C0, column). */
static inline int64_t job_b_block(const struct job *j, int64_t k, int64_t column)
{
    return j->x->in->src2.byte + (k / j->c0b * j->n1 + column / 16) * FRACTAL + column % 16 * BLOCK;
}

/* Byte in L0A_MX or L0B_MX of the scale of (row, k), one code per 32 k: 16 x 2
 * codes a fractal, rows of fractals first; a vector for GEMV. */
static inline int64_t job_scale(int64_t data_byte, bool vector, int64_t k_total, int64_t row, int64_t k)
{
    const int64_t base = data_byte / 16;
    return vector ? base + k / 32 : base + (row / 16 * (k_total / 64) + k / 64) * BLOCK + row % 16 * 2 + k / 32 % 2;
}

/* Multiplies and accumulates onto L0C; operands and start values are in place. */
void job_multiply(const struct job *j);

#endif
