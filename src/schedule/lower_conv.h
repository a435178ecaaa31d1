/* lower_conv.h - the feature map of a conv: GM->L1 and im2col to L0A. Filters
 * are Nz matrices and take the way of a matmul's B. Internal to schedule/. */
#ifndef SCHEDULE_LOWER_CONV_H
#define SCHEDULE_LOWER_CONV_H

#include "schedule/lower.h"

void lower_conv_copy_shape(const struct schedule *s, const struct step *step, struct copy_shape *out);
void lower_conv_copy(struct list *l, const struct step *step);

void lower_conv_load_sums(const struct schedule *s, const struct step *step, struct load_sums *out);
void lower_conv_load(struct list *l, const struct step *step);

#endif
