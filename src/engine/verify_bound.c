/* verify_bound.c - a user's floats through a program that adds them in another
 * order than k ascending: not the reference's bits, but within what the order of
 * a sum can change.
 *
 * n products a_i b_i, each rounded to float, added in any order by float
 * additions, differ from the exact sum by at most g * sum |a_i b_i|, g =
 * n u / (1 - n u), u = 2^-24 (one rounding a product, n - 1 additions); start
 * values count as further terms, a slice added to C as one more addition. Here
 * 1.01 (n + 2 + parts) u stands for g, n <= 10^5, and n * 2^-149 for products
 * below the normal numbers. Fixpipe's conversion never turns a larger sum into a
 * smaller result, so C must lie between what it makes of both ends. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/intmath.h"
#include "engine/reference_kernel.h"
#include "engine/verify_internal.h"
#include "numeric/fp.h"

bool verify_bound_possible(const struct schedule *s)
{
    const struct problem *p = s->problem;
    return p->op == PROBLEM_MATMUL && !p->error_only && dtype_info(p->a.dtype)->is_float && s->acc == DTYPE_FLOAT &&
           !p->hf32 && p->K <= 100000 && s->t.splitKReduce != REDUCE_WORKSPACE &&
           (s->t.splitKReduce != REDUCE_ATOMIC || p->c.dtype == DTYPE_FLOAT);
}

/* `k` values of one row of op(A), or column of op(B), scales applied. */
static void line_of(const struct problem *p, enum tensor tensor, int64_t batch, int64_t mn, float *out)
{
    const struct operand *o = problem_operand(p, tensor);
    const int64_t row0 = problem_matrix(p, tensor, batch) * o->rows;
    if (o->transpose == (tensor == TENSOR_A)) {
        gm_column_values(gm_isa_best(), p, tensor, row0, mn, p->K, out);
    } else {
        gm_row_values(gm_isa_best(), p, tensor, row0 + mn, 0, p->K, out);
    }
    if (o->mx) {
        reference_scale(p, tensor == TENSOR_A ? TENSOR_SA : TENSOR_SB, batch, mn, 0, p->K, out, 1);
    }
}

/* What the conversion makes of a sum at the end of the interval, moved outwards to a float. */
static enum status convert(const struct problem *p, const struct c_block *one, enum dtype dtype, double sum, float to,
                           double *out)
{
    uint8_t code[8];
    float f = nextafterf((float)sum, to);
    TRY(reference_store_row(GM_PLAIN, p, one, dtype, NULL, &f, code));
    *out = dtype_load(dtype, code, 0);
    return STATUS_OK;
}

struct sums {
    double exact, size; /* sum, and sum of magnitudes */
};

static enum status compare_element(const struct verify *v, const struct c_block *one, const struct sums *sums,
                                   const uint8_t *got, struct diag *d)
{
    const struct problem *p = v->s->problem;
    const enum dtype dtype = v->window.dtype;
    const double n = (double)p->K, terms = n + 2.0 + (double)v->s->parts;
    const double slack = 1.01 * terms * 0x1p-24 * sums->size + n * 0x1p-149;
    double low, high;
    TRY(convert(p, one, dtype, sums->exact - slack, -INFINITY, &low));
    TRY(convert(p, one, dtype, sums->exact + slack, INFINITY, &high));
    const double c = dtype_load(dtype, got, 0);
    if (c >= low && c <= high) {
        return STATUS_OK;
    }
    return diag_error(d, STATUS_MISMATCH, NULL,
                      "C[%" PRId64 "][%" PRId64 "] is %.9g, any order of its sum lies within %.9g .. %.9g", one->m0,
                      one->n0, c, low, high);
}

/* One row of C against all columns of B, which lie in `b` one after the other. */
static enum status compare_row(const struct verify *v, int64_t batch, int64_t row, const float *a, const float *b,
                               const uint8_t *got, struct diag *d)
{
    const struct problem *p = v->s->problem;
    for (int64_t j = 0; j < p->N; j++) {
        struct c_block one = {.batch = batch, .m0 = row, .n0 = j, .m = 1, .n = 1};
        float bias = 0;
        if (p->bias.dtype != DTYPE_NONE) {
            reference_bias(p, &one, &bias);
        }
        struct sums s = {(double)v->c_start + (double)bias, fabs((double)v->c_start) + fabs((double)bias)};
        for (int64_t k = 0; k < p->K; k++) {
            const double product = (double)a[k] * (double)b[j * p->K + k];
            s.exact += product;
            s.size += fabs(product);
        }
        TRY(compare_element(v, &one, &s, got + j * v->window.es, d));
    }
    return STATUS_OK;
}

enum status verify_bounded(struct verify *v, struct diag *d)
{
    const struct problem *p = v->s->problem;
    const int64_t planes = p->groups > 1 ? p->groups : p->batch;
    float *a = arena_alloc(&v->arena, (size_t)p->K, sizeof *a);
    float *b = arena_alloc(&v->arena, (size_t)(p->K * p->N), sizeof *b);
    if (a == NULL || b == NULL) {
        return STATUS_NO_MEMORY;
    }
    for (int64_t i = 0; i < planes; i++) {
        const int64_t first = problem_group_first(p, i), rows = problem_group_rows(p, i);
        const int64_t plane = p->groups > 1 ? 0 : i * p->M; /* window row of the plane's row 0 */
        for (int64_t j = 0; j < p->N; j++) {
            line_of(p, TENSOR_B, i, j, b + j * p->K);
        }
        for (int64_t r = first; r < first + rows; r++) {
            line_of(p, TENSOR_A, i, r, a);
            TRY(compare_row(v, i, r, a, b, v->window.data + (plane + r) * v->window.cols * v->window.es, d));
        }
    }
    return STATUS_OK;
}
