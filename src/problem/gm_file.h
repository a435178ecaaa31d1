/* gm_file.h - elements of an operand whose bytes came from a file. Internal to
 * problem/. */
#ifndef PROBLEM_GM_FILE_H
#define PROBLEM_GM_FILE_H

#include "problem/problem.h"

/* Values of `n` elements from (row, col) on, as the operand lies in memory
 * (rows of batch b start at b * operand rows), one every `row_step` rows and
 * `col_step` columns. */
void gm_file_values(const struct operand *o, int64_t row, int64_t col, int64_t row_step, int64_t col_step, int64_t n,
                    float *out);

#endif
