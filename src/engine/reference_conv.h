/* reference_conv.h - what a convolution's result must be, computed from the
 * problem alone.
 *
 * Independent of engine, schedule and tiling, and of the matmul view but for the
 * order of K, in which the ranges are given: the seven loops of a convolution over
 * the problem's element function. Numbers as in reference.h. */
#ifndef ENGINE_REFERENCE_CONV_H
#define ENGINE_REFERENCE_CONV_H

#include "engine/reference.h"

/* Output points [m0, m0 + m) of image batch / groups, channels [n0, n0 + n) of
 * group batch % groups, in `dtype`, row after row without gaps; arguments as those
 * of reference_matmul(). */
enum status reference_conv(const struct problem *p, const struct c_block *block, enum dtype dtype,
                           const struct k_range *ranges, int count, struct arena *arena, uint8_t *out);

#endif
