/* gm_input.c - elements of operands that have inputs: read from the source,
 * divided by their scale, encoded. */
#include <math.h>
#include <string.h>

#include "base/intmath.h"
#include "numeric/fp.h"
#include "problem/input.h"
#include "problem/input_round.h"

enum {
    PIECE = 64, /* elements on their way */
    MX_BLOCK = 32
};

/* hif8: the last number with three bits of mantissa (input.h). */
#define HIF8_TOP 15.0

/* ---- scales ---- */

static bool has_factor(const struct operand *o)
{
    return !o->mx && o->dtype != DTYPE_HALF && o->dtype != DTYPE_BF16 && o->dtype != DTYPE_FLOAT;
}

float input_factor(const struct problem *p, enum tensor tensor)
{
    const struct operand *o = problem_operand(p, tensor);
    if (o == NULL || o->input == NULL || !has_factor(o)) {
        return 1.0F;
    }
    const double top = o->dtype == DTYPE_HIF8 ? HIF8_TOP : dtype_max(o->dtype);
    const float amax = input_amax(o->input), factor = (float)((double)amax / top);
    /* Nothing to divide by; or so small that a division by it would overflow. */
    return amax == 0.0F ? 1.0F : factor < 0x1p-126F ? 0x1p-126F : factor;
}

/* Exponent of the largest number of a dtype that takes scales. */
static int largest_exponent(enum dtype dtype)
{
    return dtype == DTYPE_FP8_E4M3 ? 8 : dtype == DTYPE_FP8_E5M2 ? 15 : dtype == DTYPE_FP4_E2M1 ? 2 : 0;
}

/* Exponent of the scale of a block of elements of `dtype`, -127..127. */
static int scale_exponent(enum dtype dtype, int most)
{
    const int e = most - largest_exponent(dtype);
    return most == INPUT_ZERO ? 0 : e < -127 ? -127 : e > 127 ? 127 : e;
}

static double power_of_two(int e)
{
    const uint64_t bits = (uint64_t)(1023 + e) << 52;
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* ---- runs ---- */

/* Logical elements of a run of memory, one after the other. */
struct run {
    enum gm_isa isa;
    const struct operand *o;
    int64_t batch, mn, k; /* of the first */
    bool along_k;         /* else along M or N */
    int64_t first, step;  /* elements of the source */
    float factor;
};

static struct run run_of(enum gm_isa isa, const struct problem *p, enum tensor tensor, int64_t row, int64_t col,
                         bool down)
{
    const struct operand *o = problem_operand(p, tensor);
    const struct input *in = o->input;
    const int64_t in_batch = row % o->rows;
    /* Logical row and column. */
    const int64_t i = o->transpose ? col : in_batch, j = o->transpose ? in_batch : col;
    const bool along_row = o->transpose == down;
    struct run r = {.isa = isa,
                    .o = o,
                    .batch = row / o->rows,
                    .mn = in->k_rows ? j : i,
                    .k = in->k_rows ? i : j,
                    .along_k = along_row != in->k_rows,
                    .step = along_row ? 1 : in->cols,
                    .factor = input_factor(p, tensor)};
    r.first = (r.batch * in->rows + i) * in->cols + j;
    return r;
}

/* Elements at .. at + n of the run, divided by their scales. */
static void divided(const struct run *r, int64_t at, int64_t n, float *out)
{
    input_run(r->isa, r->o->input, r->first + at * r->step, r->step, n, out);
    if (!r->o->mx) {
        for (int64_t i = 0; i < n && r->factor != 1.0F; i++) {
            out[i] /= r->factor;
        }
        return;
    }
    /* A power of two: exact, but for what is too small to become anything but 0. */
    for (int64_t i = 0; i < n;) {
        const int64_t k = r->k + (r->along_k ? at + i : 0), mn = r->mn + (r->along_k ? 0 : at + i);
        const int64_t end = r->along_k ? min_i64(n, i + MX_BLOCK - k % MX_BLOCK) : i + 1;
        const double inverse = power_of_two(
            -scale_exponent(r->o->dtype, input_block(r->o->input, r->batch, mn, k / MX_BLOCK)));
        for (; i < end; i++) {
            out[i] = (float)((double)out[i] * inverse);
        }
    }
}

/* ---- scale tensors: e8m0 codes ---- */

static uint8_t scale_code(const struct problem *p, enum tensor tensor, int64_t row, int64_t col)
{
    const struct operand *o = problem_operand(p, tensor), *data = tensor == TENSOR_SA ? &p->a : &p->b;
    const int64_t batch = row / o->rows, in_batch = row % o->rows;
    const int64_t mn = o->transpose ? col / 2 : in_batch, block = o->transpose ? 2 * in_batch + col % 2 : col;
    if (block >= ceil_div(p->K, MX_BLOCK)) {
        return 127; /* fills the row up to an even count */
    }
    return (uint8_t)(127 + scale_exponent(data->dtype, input_block(data->input, batch, mn, block)));
}

/* ---- what gm.c asks for ---- */

static bool is_scale(enum tensor tensor)
{
    return tensor == TENSOR_SA || tensor == TENSOR_SB;
}

void gm_input_codes(enum gm_isa isa, const struct problem *p, enum tensor tensor, int64_t row, int64_t col, int64_t n,
                    uint8_t *out)
{
    if (is_scale(tensor)) {
        for (int64_t i = 0; i < n; i++) {
            out[i] = scale_code(p, tensor, row, col + i);
        }
        return;
    }
    const struct run r = run_of(isa, p, tensor, row, col, false);
    float values[PIECE];
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t count = min_i64(PIECE, n - at);
        divided(&r, at, count, values);
        input_round_run(isa, r.o->dtype, count, values);
        input_encode_run(r.o->dtype, values, count, out + dtype_bytes(r.o->dtype, at));
    }
}

void gm_input_values(enum gm_isa isa, const struct problem *p, enum tensor tensor, int64_t row, int64_t col, bool down,
                     int64_t n, float *out)
{
    if (is_scale(tensor)) {
        for (int64_t i = 0; i < n; i++) {
            out[i] = e8m0_to_float(scale_code(p, tensor, row + (down ? i : 0), col + (down ? 0 : i)));
        }
        return;
    }
    const struct run r = run_of(isa, p, tensor, row, col, down);
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t count = min_i64(PIECE, n - at);
        divided(&r, at, count, out + at);
        input_round_run(isa, r.o->dtype, count, out + at);
    }
}

/* ---- the source as the product sees it ---- */

void input_exact(const struct problem *p, enum tensor tensor, int64_t batch, int64_t mn, int64_t k0, int64_t n,
                 float *out)
{
    const struct operand *o = problem_operand(p, tensor);
    const struct input *in = o->input;
    const int64_t matrix = problem_matrix(p, tensor, batch);
    if (in != NULL) {
        const int64_t first = in->k_rows ? (matrix * in->rows + k0) * in->cols + mn
                                         : (matrix * in->rows + mn) * in->cols + k0;
        input_run(gm_isa_best(), in, first, in->k_rows ? in->cols : 1, n, out);
        return;
    }
    const bool k_rows = o->transpose == (tensor == TENSOR_A);
    for (int64_t i = 0; i < n; i++) {
        float scale = 1.0F;
        if (o->mx) {
            scale = problem_scale(p, tensor == TENSOR_A ? TENSOR_SA : TENSOR_SB, batch, mn, (k0 + i) / MX_BLOCK);
        }
        const int64_t row = matrix * o->rows + (k_rows ? k0 + i : mn), col = k_rows ? mn : k0 + i;
        out[i] = scale * problem_value(p, tensor, row, col);
    }
}
