/* reference.c - a blocked triple loop, k ascending for every element.
 *
 * Both operands are brought to float panels of a short run of k: A as rows, B as
 * strips of 32 columns so that a strip is contiguous and stays in L1 while all
 * rows pass by. Rows and columns beyond the block are zero and never stored.
 * Integer dtypes use the same float loop: the generated values and their sums are
 * integers below 2^24 (problem.h), so float arithmetic on them is exact. A user's
 * are not so small: the products of one panel are (128 * 255^2 < 2^24), and each
 * panel's sums are added up as integers. */
#include "engine/reference.h"

#include <string.h>

#include "base/intmath.h"
#include "engine/reference_kernel.h"
#include "numeric/fp.h"

struct panels {
    enum gm_isa isa;
    bool fused;
    int64_t rows, pitch; /* m and n rounded up to register blocks */
    float *a;            /* [rows][REFERENCE_K] */
    float *b;            /* [pitch / 32][REFERENCE_K][32] */
    float *line;         /* one k of B */
    float *acc;          /* [rows][pitch] */
    int64_t *total;      /* the same, of panels before: integers too large for float; or NULL */
};

/* a[i][kk] = op(A)(m0 + i, k0 + kk). */
static void fill_a(const struct problem *p, const struct c_block *c, int64_t k0, int64_t k, struct panels *x)
{
    const int64_t row0 = problem_matrix(p, TENSOR_A, c->batch) * p->a.rows;
    for (int64_t i = 0; i < c->m; i++) {
        float *to = x->a + i * REFERENCE_K;
        if (p->a.transpose) {
            gm_column_values(x->isa, p, TENSOR_A, row0 + k0, c->m0 + i, k, to);
        } else {
            gm_row_values(x->isa, p, TENSOR_A, row0 + c->m0 + i, k0, k, to);
        }
        if (p->a.mx) {
            reference_scale(p, TENSOR_SA, c->batch, c->m0 + i, k0, k, to, 1);
        }
    }
}

/* Strip j / 32, [kk][j % 32] = op(B)(k0 + kk, n0 + j). */
static void fill_b(const struct problem *p, const struct c_block *c, int64_t k0, int64_t k, struct panels *x)
{
    const int64_t row0 = problem_matrix(p, TENSOR_B, c->batch) * p->b.rows;
    for (int64_t kk = 0; kk < k; kk++) {
        if (p->b.transpose) {
            gm_column_values(x->isa, p, TENSOR_B, row0 + c->n0, k0 + kk, c->n, x->line);
        } else {
            gm_row_values(x->isa, p, TENSOR_B, row0 + k0 + kk, c->n0, c->n, x->line);
        }
        for (int64_t j = 0; j < x->pitch; j += REFERENCE_COLS) {
            memcpy(x->b + j * REFERENCE_K + kk * REFERENCE_COLS, x->line + j, REFERENCE_COLS * sizeof(float));
        }
    }
    for (int64_t j = 0; p->b.mx && j < c->n; j++) {
        float *column = x->b + j / REFERENCE_COLS * REFERENCE_COLS * REFERENCE_K + j % REFERENCE_COLS;
        reference_scale(p, TENSOR_SB, c->batch, c->n0 + j, k0, k, column, REFERENCE_COLS);
    }
}

static void multiply(const struct panels *x, int64_t k)
{
    for (int64_t j = 0; j < x->pitch; j += REFERENCE_COLS) {
        for (int64_t i = 0; i < x->rows; i += REFERENCE_ROWS) {
            reference_multiply(x->isa, &(struct reference_block){.a = x->a + i * REFERENCE_K,
                                                                 .b = x->b + j * REFERENCE_K,
                                                                 .acc = x->acc + i * x->pitch + j,
                                                                 .pitch = x->pitch,
                                                                 .k = k,
                                                                 .fused = x->fused});
        }
    }
}

static void add_panel(struct panels *x)
{
    for (int64_t i = 0; x->total != NULL && i < x->rows * x->pitch; i++) {
        x->total[i] += (int64_t)x->acc[i];
        x->acc[i] = 0;
    }
}

static bool users_own(const struct problem *p)
{
    return p->a.data != NULL || p->b.data != NULL || p->a.input != NULL || p->b.input != NULL;
}

/* The product of two such values has at most 22 significant bits: an fma rounds
 * what an addition of the exact product would. Only a user's bf16 and scales can
 * make products that leave the normal numbers and are rounded before. */
bool reference_fused(const struct problem *p)
{
    const struct dtype_info *a = dtype_info(p->a.dtype), *b = dtype_info(p->b.dtype);
    const bool narrow = a->bits <= (a->is_float ? 16 : 8) && b->bits <= (b->is_float ? 16 : 8);
    return narrow && !(users_own(p) && (p->a.mx || p->a.dtype == DTYPE_BF16));
}

bool reference_wide(const struct problem *p)
{
    return users_own(p) && !dtype_info(p->a.dtype)->is_float;
}

enum status reference_store_row(enum gm_isa isa, const struct problem *p, const struct c_block *block, enum dtype dtype,
                                const int64_t *sums, float *row, uint8_t *out)
{
    if (dtype == p->c.dtype) {
        reference_convert(p, block, dtype, sums, row);
    }
    if (sums == NULL || (dtype != DTYPE_INT32 && dtype != DTYPE_UINT32)) {
        return reference_store(isa, dtype, row, block->n, out);
    }
    for (int64_t j = 0; j < block->n; j++) { /* as accumulated */
        dtype_store(dtype, out, j, p->relu && sums[j] <= 0 ? 0.0 : (double)sums[j]);
    }
    return STATUS_OK;
}

enum status reference_matmul_with(enum gm_isa isa, const struct problem *p, const struct c_block *c, enum dtype dtype,
                                  const struct k_range *ranges, int count, struct arena *arena, uint8_t *out)
{
    struct panels x = {.isa = isa, .fused = reference_fused(p)};
    x.rows = align_up(c->m, REFERENCE_ROWS);
    x.pitch = align_up(c->n, REFERENCE_COLS);
    x.a = arena_alloc(arena, (size_t)(x.rows * REFERENCE_K), sizeof(float));
    x.b = arena_alloc(arena, (size_t)(x.pitch * REFERENCE_K), sizeof(float));
    x.line = arena_alloc(arena, (size_t)x.pitch, sizeof(float));
    x.acc = arena_alloc(arena, (size_t)(x.rows * x.pitch), sizeof(float));
    if (reference_wide(p)) {
        x.total = arena_alloc(arena, (size_t)(x.rows * x.pitch), sizeof *x.total);
    }
    if (x.a == NULL || x.b == NULL || x.line == NULL || x.acc == NULL || (reference_wide(p) && x.total == NULL)) {
        return STATUS_NO_MEMORY;
    }
    for (int64_t i = 0; p->bias.dtype != DTYPE_NONE && ranges[0].k0 == 0 && i < c->m; i++) {
        reference_bias(p, c, x.acc + i * x.pitch);
    }
    for (int r = 0; r < count; r++) {
        for (int64_t k = 0; k < ranges[r].k; k += REFERENCE_K) {
            const int64_t panel = min_i64(REFERENCE_K, ranges[r].k - k);
            fill_a(p, c, ranges[r].k0 + k, panel, &x);
            fill_b(p, c, ranges[r].k0 + k, panel, &x);
            multiply(&x, panel);
            add_panel(&x);
        }
    }
    const int64_t row_bytes = dtype_bytes(dtype, c->n);
    for (int64_t i = 0; i < c->m; i++) {
        TRY(reference_store_row(isa, p, c, dtype, x.total == NULL ? NULL : x.total + i * x.pitch, x.acc + i * x.pitch,
                                out + i * row_bytes));
    }
    return STATUS_OK;
}

enum status reference_matmul(const struct problem *p, const struct c_block *c, enum dtype dtype,
                             const struct k_range *ranges, int count, struct arena *arena, uint8_t *out)
{
    return reference_matmul_with(gm_isa_best(), p, c, dtype, ranges, count, arena, out);
}
