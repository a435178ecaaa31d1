/* move.h - moving runs of bytes and squares of fractals with their taint.
 *
 * Rows of runs and squares look at the taint of everything they span once; only
 * if some of it is open do they look at each part. */
#ifndef ENGINE_MOVE_H
#define ENGINE_MOVE_H

#include "engine/exec.h"
#include "engine/transpose.h"

/* `len` bytes from src + from (GM or a buffer) to dst + to; spans were checked. */
enum status move_run(const struct exec *x, const struct addr *dst, int64_t to, const struct addr *src, int64_t from,
                     int64_t len);

/* `count` runs of `len` bytes, one after the other: run i goes from from + i * from_step
 * to to + i * to_step (bytes of the operands). */
struct run_row {
    int64_t to, to_step, from, from_step, len, count;
};
enum status move_runs(const struct exec *x, const struct addr *dst, const struct addr *src, const struct run_row *r);

/* `count` squares of the instruction's dtype, transposed one after the other:
 * fractal j of square i comes from from + i * from_step + j * from_gap, its
 * result goes to to + i * to_step + j * to_gap (bytes of the operands, multiples
 * of 32 in memory). Both operands lie in buffers. */
struct square_walk {
    int64_t to, to_step, to_gap, from, from_step, from_gap, count;
};
void move_squares(const struct exec *x, const struct addr *dst, const struct addr *src, const struct square_walk *w);

/* Spreads taint words to one byte per byte (0 or 0xFF), and back: a byte that is not 0 is tainted. */
void taint_spread(const uint32_t *words, int64_t blocks, uint8_t *image);
void taint_gather(const uint8_t *image, int64_t blocks, uint32_t *words);

#endif
