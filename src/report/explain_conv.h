/* explain_conv.h - what a conv has that a matmul has not: its shape, the map rows
 * a tile brings, and the vendor's names of its tiling. */
#ifndef REPORT_EXPLAIN_CONV_H
#define REPORT_EXPLAIN_CONV_H

#include "record/record.h"
#include "schedule/schedule.h"

/* "2 images of 100 channels, 28x28; 128 filters 3x3 pad 1; out 28x28": one line. */
void conv_shape_text(const struct problem *p, struct strbuf *out);

/* "5 to 6 rows of 28 points, 112 channels": what one copy of A brings. */
void conv_copy_text(const struct schedule *s, struct strbuf *out);

/* How images and groups are shared out; nothing if there is one. */
void conv_images_text(const struct schedule *s, struct strbuf *out);

/* Rows a tile brings and how many of them its neighbour brings too. */
void conv_halo_text(const struct schedule *s, const struct record *r, struct strbuf *out);

/* The tiling as TConv3DApiTiling has it (kernel_rules.md 11). */
void conv_vendor_text(const struct schedule *s, struct strbuf *out);

#endif
