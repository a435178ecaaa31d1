/* input_round.h - floats to the numbers of a dtype, in runs. Internal to problem/.
 *
 * What dtype_store() and dtype_load() make of one element (numeric/fp.h), here
 * without branches, so that compilers vectorise it; a test holds them equal.
 * Values are finite. */
#ifndef PROBLEM_INPUT_ROUND_H
#define PROBLEM_INPUT_ROUND_H

#include "problem/gm_kernel.h"

/* values[i] becomes the nearest number of `dtype`, saturated. */
void input_round_run(enum gm_isa isa, enum dtype dtype, int64_t n, float *values);

/* Codes of numbers of `dtype` (rounded as above), packed as in GM; of b4 the last
 * high nibble of an odd n is 0. */
void input_encode_run(enum dtype dtype, const float *values, int64_t n, uint8_t *out);

#endif
