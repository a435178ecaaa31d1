/* conv.h - a convolution as data and as a matmul (kernel_rules.md section 11).
 *
 * GM: the feature map in NC1HWC0, one matrix for each (image, group): row h * W + w,
 * column channel of the group, the group's last C0 block filled up with zeros;
 * where C0 divides the group's channels that is NC1HWC0 of the whole map. Filters
 * in FRACTAL_Z, one matrix for each group: row output channel, column k. The
 * result is NHWC of all groups (ND: row of image * M + point, column group * N +
 * channel; pitch ld), or NC1HWC0, one matrix for each (image, group), the last
 * block filled up with zeros.
 *
 * Matmul: batch image * groups + group; M = Ho * Wo points, w inner; N output
 * channels of a group; K runs over (c1, kh, kw, c0). */
#ifndef PROBLEM_CONV_H
#define PROBLEM_CONV_H

#include "problem/problem.h"

/* Output points along an axis; 0: the filter does not fit. */
int64_t conv_out_h(const struct conv_shape *v);
int64_t conv_out_w(const struct conv_shape *v);

/* Rows (columns) of the map one output point sees, from the first to the last. */
int64_t conv_reach_h(const struct conv_shape *v);
int64_t conv_reach_w(const struct conv_shape *v);

/* Channel blocks of a group, and K elements of one block: kh * kw * C0. */
int64_t conv_blocks(const struct problem *p);
int64_t conv_window(const struct problem *p);

/* Sets M, N, K, batch, formats and C's pitch from the shape; defaults of 1 for
 * members left 0. @return STATUS_INVALID: the filter does not fit, or groups do
 * not divide the channels. */
enum status conv_view(struct problem *p, const struct location *at, struct diag *d);

#endif
