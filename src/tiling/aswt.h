/* aswt.h - how ASWT cuts the tiles of an incomplete last round over all cores
 * (kernel_rules.md 10). */
#ifndef TILING_ASWT_H
#define TILING_ASWT_H

#include "tiling/tiling.h"

struct aswt_tail {
    int64_t full, tail;       /* whole tiles, tiles that are cut */
    int64_t parts_m, parts_n; /* pieces of each; 1x1: no cut */
};

/* Needs base sizes and usedCoreNum. tail = 0 unless the order is ASWT and there is a cut. */
struct aswt_tail aswt_split(const struct problem *p, const struct tiling *t);

#endif
