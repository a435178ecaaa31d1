/* convs.h - random convolutions and their schedules for tests. */
#ifndef SUPPORT_CONVS_H
#define SUPPORT_CONVS_H

#include "base/rng.h"
#include "schedule/schedule.h"

/* A conv of the shape's sizes; C in `result`, ND (NHWC) or NC1HWC0. */
void conv_problem(struct problem *p, const struct conv_shape *shape, enum dtype dtype, enum dtype result,
                  enum layout format);

/* A random small conv, odd sizes and asymmetric pads, of half, int8 or float, up
 * to `max_macs`, and a feasible random tiling of it. */
void conv_random(const struct target *target, int64_t max_macs, struct rng *rng, struct problem *p,
                 struct schedule *out);

/* Prints what is needed to see a failing conv again. */
void conv_print(const struct schedule *s);

#endif
