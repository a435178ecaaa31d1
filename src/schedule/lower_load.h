/* lower_load.h - an operand's block from its L1 image to L0A or L0B, by any of
 * the offered instructions. Internal to schedule/.
 *
 * L1 image: Nz, fractal (r1, c1) at c1 * image_rows / 16 + r1. K contiguous:
 * rows are M (N), columns K. Transposing: rows are K, columns M (N).
 * L0A: Zz (3510: Nz). L0B: Zn. */
#ifndef SCHEDULE_LOWER_LOAD_H
#define SCHEDULE_LOWER_LOAD_H

#include "schedule/schedule.h"

struct load_shape {
    enum dtype dtype;
    enum role role;
    bool transposing;
    bool arch3510; /* L0A is Nz */
    bool vector;   /* GEMV: one row, K contiguous in L1 and L0A */
    int64_t c0;
    int64_t mn, k;           /* block, padded, elements */
    int64_t k_in_image, mn_in_image; /* its place in the image, elements */
    int64_t image_rows, image_cols;
    const struct region *src, *dst;
};

/* Instructions `load` takes for this block; all move equal bytes. */
int32_t load_calls(enum tiling_load load, const struct load_shape *shape);

/* Bytes they write to L0 together. */
int64_t load_bytes(const struct load_shape *shape);

/* Writes them to `out`. @return the count. */
int load_emit(enum tiling_load load, const struct load_shape *shape, struct insn *out);

#endif
