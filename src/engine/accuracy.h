/* accuracy.h - how far C lies from the product the user meant.
 *
 * An element of C as the hardware makes it of the quantised operands (one
 * accumulator, k ascending, MX product rule: design section 7; then Fixpipe's
 * conversion) is compared with the sum, in double, of the products of the
 * unquantised numbers (problem/input.h). Per-tensor factors and Fixpipe's scale
 * are taken back first, so both are in the user's units; a bias is taken in
 * the accumulator's. The rounding of the double sum is below K * 2^-53.
 *
 * It depends on the problem and on what the target's cube offers, not on a
 * tiling: a tiling that changes the order of the sum (shuffleK, splitK) gives
 * other last bits of float accumulators, which is left out here.
 *
 * All of C is computed where that is cheap, M * N * K * batch <= 2^26 and at
 * most 2^18 elements. Else a sample that depends on the shape alone: of up to
 * four batch elements or groups 64 x 64, one random row of each 64th of M and one
 * random column of each 64th of N (a dimension below 64 is taken whole, then the other
 * has more, 4096 elements in all). */
#ifndef ENGINE_ACCURACY_H
#define ENGINE_ACCURACY_H

#include "base/arena.h"
#include "problem/problem.h"
#include "target/target.h"

struct accuracy {
    uint64_t elements, total; /* of C: compared, and all */
    double max_abs;           /* max |c - exact| */
    double rms;               /* sqrt(mean (c - exact)^2) */
    double rel_rms;           /* rms / sqrt(mean exact^2); 0 where C is exact */
    double cosine;            /* of the angle between C and exact, as vectors; 1 for two zeros, 0 for one */
};

/* Of a matmul. Scratch comes from `arena`. STATUS_UNSUPPORTED: a conv, operands
 * the target's cube does not take, or a result of less than a byte. STATUS_NO_MEMORY. */
enum status accuracy_measure(const struct target *target, const struct problem *p, struct arena *arena,
                             struct accuracy *out);

#endif
