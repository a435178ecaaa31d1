/* conv_auto.h - what the `auto` rules do otherwise for a conv: L1 holds rows of
 * the feature map, not rows of the expanded matrix. */
#ifndef TILING_CONV_AUTO_H
#define TILING_CONV_AUTO_H

#include "tiling/tiling.h"

/* kL0 of at most about `most`: a multiple of C0 that cuts the window of a channel
 * block (kh * kw * C0), or is cut by it, without a rest, so that few steps make a
 * chunk of whole blocks. */
int64_t conv_auto_base_k(const struct problem *p, int64_t most);

/* The map rows of one tile, of as few channels as a chunk may have, take more
 * than half of L1 twice. False for a matmul. */
bool conv_map_heavy(const struct target *target, const struct problem *p, const struct tiling *t);

/* stepKa: whole channel blocks, as many as twice fit half of L1, at least one. */
int64_t conv_auto_step_a(const struct target *target, const struct problem *p, const struct tiling *t, int64_t nk);

/* stepKb: what L1 has left beside two chunks of A (one where two do not fit). */
int64_t conv_auto_step_b(const struct target *target, const struct problem *p, const struct tiling *t, int64_t step_a);

#endif
