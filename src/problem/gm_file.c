/* gm_file.c - where an element stands in a raw file: the operand's own layout. */
#include "problem/gm_file.h"

#include "base/intmath.h"
#include "numeric/fp.h"

/* Number of the element (row, col) counted in elements from the file's start. */
static int64_t element_at(const struct operand *o, int64_t row, int64_t col)
{
    if (o->format == LAYOUT_ND) {
        return row * o->ld + col;
    }
    const int64_t rows = o->format == LAYOUT_NC1HWC0 ? o->rows : align_up(o->rows, 16);
    const int64_t c0 = dtype_c0(o->dtype), columns = ceil_div(o->cols, c0);
    const int64_t batch = row / o->rows, in_batch = row % o->rows;
    return ((batch * columns + col / c0) * rows + in_batch) * c0 + col % c0;
}

void gm_file_values(const struct operand *o, int64_t row, int64_t col, int64_t row_step, int64_t col_step, int64_t n,
                    float *out)
{
    for (int64_t i = 0; i < n; i++) {
        out[i] = (float)dtype_load(o->dtype, o->data, element_at(o, row + i * row_step, col + i * col_step));
    }
}
