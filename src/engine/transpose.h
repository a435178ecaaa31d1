/* transpose.h - the square transpose of semantics.md section 1.
 *
 * A square is n fractals of 512 B: b4 4 stacked (64 x 64), b8 2 stacked
 * (32 x 32), b16 one (16 x 16), b32 two side by side (16 x 16).  It is
 * transposed as a matrix and cut back the same way: for b4, b8 and b16,
 * element (r, c) of output fractal j is element (c % 16, 16 j + r) of input
 * fractal c / 16; for b32 it is element (8 j + c, r % 8) of input fractal r / 8. */
#ifndef ENGINE_TRANSPOSE_H
#define ENGINE_TRANSPOSE_H

#include <stdint.h>

#include "engine/mmad_kernel.h"

enum { SQUARE_MAX = 4 };

/* Fractals of one square of `bits`-wide elements: 4, 2, 1, 2. */
static inline int transpose_fractals(unsigned bits)
{
    return bits == 4 ? 4 : bits == 16 ? 1 : 2;
}

/* `count` squares, one after the other: fractal j of square i is the 512 B at
 * in + i * in_step + j * in_gap, its result those at out + i * out_step + j * out_gap.
 * No output may overlap an input; where outputs overlap, the later square and in
 * it the later fractal stays. */
struct square_row {
    const uint8_t *in;
    uint8_t *out;
    int64_t in_step, in_gap, out_step, out_gap, count;
};
typedef void (*transpose_fn)(const struct square_row *row);

/* The transpose of `bits`-wide elements; every isa gives the same bytes. */
transpose_fn transpose_of(enum mmad_isa isa, unsigned bits);

#endif
