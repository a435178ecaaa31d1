/* lower_load.h - an operand's block from its L1 image to L0A or L0B, by any of
 * the offered instructions. Internal to schedule/.
 *
 * L1 image: Nz, fractal (r1, c1) at c1 * image_rows / 16 + r1; or Zz (`zz`),
 * r1 * columns of fractals + c1. K contiguous: rows are M (N), columns K.
 * Transposing: rows are K, columns M (N).
 * L0A: Zz (3510: Nz). L0B: Zn.
 *
 * A transposing load works on squares of 16, 32 (b8) or 64 (b4) elements, so it
 * may write past the M (N) side the cube is told (kernel_rules 2.2): on 3510
 * (`loop`) each row of squares is one instruction, and the next one overwrites
 * the surplus of the one before. */
#ifndef SCHEDULE_LOWER_LOAD_H
#define SCHEDULE_LOWER_LOAD_H

#include "schedule/schedule.h"

/* Scales that a LoadData MX takes along. */
struct load_scales {
    const struct region *src;        /* in L1; its pitch: fractals of 16 rows x 2 codes along K */
    int64_t k_in_image, mn_in_image; /* elements */
};

struct load_shape {
    enum dtype dtype;
    enum role role;
    bool transposing;
    bool arch3510; /* L0A is Nz */
    bool vector;   /* GEMV: one row, K contiguous in L1 and L0A */
    bool zz;       /* the L1 image is Zz */
    bool repeat;   /* loadRepeat: lines behind each other are one instruction */
    int64_t c0;
    int64_t mn, k;                   /* block, padded to the load's unit, elements */
    int64_t l0_mn;                   /* M (N) side of the block as Mmad counts it, padded to 16 */
    int64_t k_in_image, mn_in_image; /* its place in the image, elements */
    int64_t image_rows, image_cols;
    const struct region *src, *dst;
    struct load_scales scales; /* LOAD_MX only */
};

/* Instructions `load` takes for this block; all move equal bytes. */
int32_t load_calls(enum tiling_load load, const struct load_shape *shape);

/* Bytes they write to L0 together, without scales. */
int64_t load_bytes(const struct load_shape *shape);

/* Bytes of scales a LOAD_MX brings. */
int64_t load_scale_bytes(const struct load_shape *shape);

/* Writes them to `out`. @return the count. */
int load_emit(enum tiling_load load, const struct load_shape *shape, struct insn *out);

#endif
