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

/* C elements rows m0.., columns n0.. in C's dtype, row after row without gaps,
 * summed over the given K ranges in order. `out` holds dtype_bytes(m * n).
 * Scratch comes from `arena`. STATUS_NO_MEMORY, STATUS_UNSUPPORTED (dtype). */
enum status reference_matmul(const struct problem *p, int64_t m0, int64_t n0, int64_t m, int64_t n,
                             const struct k_range *ranges, int count, struct arena *arena, uint8_t *out);

#endif
