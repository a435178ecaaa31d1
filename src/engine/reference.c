/* reference.c - a blocked triple loop, k ascending for every element.
 *
 * Both operands are brought to float panels of a few hundred k; four rows of C
 * share each row of B. The loops carry no dependence across columns, so they
 * vectorise without changing the order of any element's sum. Integer dtypes use
 * the same float loop: values and sums are integers below 2^24 (problem.h), so
 * float arithmetic on them is exact. */
#include "engine/reference.h"

#include <string.h>

#include "base/intmath.h"
#include "numeric/fp.h"

#define PANEL_K 256
#define ROWS 4

struct panels {
    float *a; /* [m][PANEL_K] */
    float *b; /* [PANEL_K][n] */
    float *row;
    float *acc; /* [m rounded up to ROWS][n] */
};

/* a[i][kk] = op(A)(m0 + i, k0 + kk). */
static void fill_a(const struct problem *p, const struct c_block *c, int64_t k0, int64_t k, struct panels *x)
{
    const int64_t row0 = c->batch * p->a.rows;
    for (int64_t i = 0; i < (p->a.transpose ? k : c->m); i++) {
        if (!p->a.transpose) {
            problem_row_values(p, TENSOR_A, row0 + c->m0 + i, k0, k, x->a + i * PANEL_K);
            continue;
        }
        problem_row_values(p, TENSOR_A, row0 + k0 + i, c->m0, c->m, x->row);
        for (int64_t j = 0; j < c->m; j++) {
            x->a[j * PANEL_K + i] = x->row[j];
        }
    }
}

/* b[kk][j] = op(B)(k0 + kk, n0 + j). */
static void fill_b(const struct problem *p, const struct c_block *c, int64_t k0, int64_t k, struct panels *x)
{
    const int64_t row0 = c->batch * p->b.rows;
    for (int64_t i = 0; i < (p->b.transpose ? c->n : k); i++) {
        if (!p->b.transpose) {
            problem_row_values(p, TENSOR_B, row0 + k0 + i, c->n0, c->n, x->b + i * c->n);
            continue;
        }
        problem_row_values(p, TENSOR_B, row0 + c->n0 + i, k0, k, x->row);
        for (int64_t kk = 0; kk < k; kk++) {
            x->b[kk * c->n + i] = x->row[kk];
        }
    }
}

/* acc[r][j] += a[r][kk] * b[kk][j] for four rows. */
static inline __attribute__((always_inline)) void multiply_rows(const float *a, const float *b, float *acc, int64_t n,
                                                                int64_t k)
{
    for (int64_t kk = 0; kk < k; kk++) {
        const float a0 = a[kk], a1 = a[PANEL_K + kk], a2 = a[2 * PANEL_K + kk], a3 = a[3 * PANEL_K + kk];
        const float *restrict row = b + kk * n;
        float *restrict c0 = acc, *restrict c1 = acc + n, *restrict c2 = acc + 2 * n, *restrict c3 = acc + 3 * n;
        for (int64_t j = 0; j < n; j++) {
            c0[j] += a0 * row[j];
            c1[j] += a1 * row[j];
            c2[j] += a2 * row[j];
            c3[j] += a3 * row[j];
        }
    }
}

typedef void multiply_fn(const float *a, const float *b, float *acc, int64_t n, int64_t k);

static void multiply_plain(const float *a, const float *b, float *acc, int64_t n, int64_t k)
{
    multiply_rows(a, b, acc, n, k);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void multiply_avx2(const float *a, const float *b, float *acc, int64_t n,
                                                          int64_t k)
{
    multiply_rows(a, b, acc, n, k);
}
#endif

/* Wider vectors change speed, never bits: products and sums stay separate. */
static multiply_fn *choose_multiply(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return multiply_avx2;
    }
#endif
    return multiply_plain;
}

static enum status store(enum dtype dtype, const float *acc, int64_t count, uint8_t *out)
{
    if (dtype_info(dtype)->bits < 8) {
        return STATUS_UNSUPPORTED;
    }
    for (int64_t i = 0; i < count; i++) {
        dtype_store(dtype, out, i, (double)acc[i]);
    }
    return STATUS_OK;
}

enum status reference_matmul(const struct problem *p, const struct c_block *c, enum dtype dtype,
                             const struct k_range *ranges, int count, struct arena *arena, uint8_t *out)
{
    const int64_t rows = align_up(c->m, ROWS);
    struct panels x = {.a = arena_alloc(arena, (size_t)(rows * PANEL_K), sizeof(float)),
                       .b = arena_alloc(arena, (size_t)(c->n * PANEL_K), sizeof(float)),
                       .row = arena_alloc(arena, (size_t)max_i64(max_i64(c->m, c->n), PANEL_K), sizeof(float)),
                       .acc = arena_alloc(arena, (size_t)(rows * c->n), sizeof(float))};
    if (x.a == NULL || x.b == NULL || x.row == NULL || x.acc == NULL) {
        return STATUS_NO_MEMORY;
    }
    multiply_fn *multiply = choose_multiply();
    for (int r = 0; r < count; r++) {
        for (int64_t k = 0; k < ranges[r].k; k += PANEL_K) {
            const int64_t panel = min_i64(PANEL_K, ranges[r].k - k);
            fill_a(p, c, ranges[r].k0 + k, panel, &x);
            fill_b(p, c, ranges[r].k0 + k, panel, &x);
            for (int64_t i = 0; i < rows; i += ROWS) {
                multiply(x.a + i * PANEL_K, x.b, x.acc + i * c->n, c->n, panel);
            }
        }
    }
    return store(dtype, x.acc, c->m * c->n, out);
}
