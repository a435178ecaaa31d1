/* timing_points.h - random points for tests of the timers: shapes with tails,
 * every buffer count, unit flag, wait-both, grid and blocks in every order, L2
 * rounds, narrow loads and rows too far apart for one copy, batches, L2 sizes
 * from nothing fits to everything fits; and each knob that changes what a tile
 * copies, keeps, or in which order it goes. */
#ifndef SUPPORT_TIMING_POINTS_H
#define SUPPORT_TIMING_POINTS_H

#include "base/arena.h"
#include "base/rng.h"
#include "schedule/schedule.h"

/* What a point has besides the plain program; -1 none. */
enum timing_variant {
    VARIANT_GROUP = 0, /* stepM, stepN > 1 */
    VARIANT_FULL_LOAD,
    VARIANT_RESIDENT,
    VARIANT_SPLIT_K,
    VARIANT_SHUFFLE_K,
    VARIANT_GEMV,
    VARIANT_COPY_FIRST,
    VARIANT_ROW_COPY,
    VARIANT_BATCH,
    VARIANT_L2_HINTS,
    VARIANT_LOADS,
    VARIANT_MX,
    VARIANT_BIAS,
    VARIANT_QUANT,
    VARIANT_N
};

/* Everything random of a point, so that shrinking can edit it. */
struct timing_point {
    const struct target *base;
    int64_t M, N, K, ld_extra, batch;
    int variant;
    bool trans_a, trans_b, nz_b, float_c, bias, quant;
    enum dtype mx; /* DTYPE_NONE: half */
    double l2_bytes;
    bool mmad_barrier, l2_warm;
    int32_t queue_depth; /* 0 in points as drawn: no limit */
    struct tiling t;
};

/* `targets`: one of 2201 and one of 3510, to pick from. */
void timing_point_random(const struct target *const targets[2], struct rng *r, struct timing_point *x);

/* Fills the caller's target and problem and the schedule that refers to them.
 * @return false if the point is not feasible. */
bool timing_point_schedule(const struct timing_point *x, struct target *target, struct problem *p, struct schedule *s);

void timing_point_print(const struct timing_point *x);

#endif
