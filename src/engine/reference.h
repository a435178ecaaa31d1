/* reference.h - what C must be, computed from the problem alone.
 *
 * Independent of engine, schedule and tiling: it reads nothing but the
 * problem's element function. Numbers as design section 7: integers exact;
 * floats with one accumulator an element, acc = fl(acc + fl(a*b)), k ascending. */
#ifndef ENGINE_REFERENCE_H
#define ENGINE_REFERENCE_H

#include "base/arena.h"
#include "problem/problem.h"

struct k_range {
    int64_t k0, k;
};

/* A block of C. */
struct c_block {
    int64_t batch, m0, n0, m, n;
};

/* Elements of a block of C in `dtype`, row after row without gaps, summed over
 * the given K ranges in order; a sum that begins with k = 0 starts from the bias.
 * In C's own dtype scale factors and relu are applied as C asks; another dtype
 * is a partial sum's, left as it is. `out` holds dtype_bytes(dtype, m * n).
 * Scratch comes from `arena`. STATUS_NO_MEMORY, STATUS_UNSUPPORTED (dtype). */
enum status reference_matmul(const struct problem *p, const struct c_block *block, enum dtype dtype,
                             const struct k_range *ranges, int count, struct arena *arena, uint8_t *out);

#endif
