/* accuracy.c - blocks of C, twice: in float from the operands as stored, in
 * double from the numbers they stand for. */
#include "engine/accuracy.h"

#include <math.h>
#include <string.h>

#include "base/intmath.h"
#include "base/rng.h"
#include "engine/mmad_kernel.h"
#include "engine/reference_kernel.h"
#include "numeric/fp.h"
#include "problem/input.h"
#include "tiling/dtypes.h"

enum {
    BLOCK_M = 64,
    BLOCK_N = 128,
    SAMPLE = 64, /* rows and columns of a batch element */
    SAMPLE_PLANES = 4,
    WHOLE_ELEMENTS = 1 << 18
};
#define WHOLE_MACS  (INT64_C(1) << 26)
#define SAMPLE_SEED UINT64_C(0x5EED0F0C)

/* ---- which elements ---- */

struct axis {
    int64_t size, count; /* count == size: all of them */
};

/* One of each of `count` equal parts of the axis. */
static int64_t axis_at(const struct axis *a, uint64_t salt, int64_t i)
{
    if (a->count == a->size) {
        return i;
    }
    const int64_t from = i * a->size / a->count, to = (i + 1) * a->size / a->count;
    struct rng r = rng_init(rng_at(SAMPLE_SEED + salt, (uint64_t)i));
    return rng_between(&r, from, to - 1);
}

/* Batch elements, or groups that have rows. */
static struct axis planes_of(const struct problem *p, bool whole)
{
    int64_t n = p->groups > 1 ? 0 : p->batch;
    for (int64_t g = 0; p->groups > 1 && g < p->groups; g++) {
        n += problem_group_rows(p, g) > 0;
    }
    return (struct axis){n, whole ? n : min_i64(n, SAMPLE_PLANES)};
}

/* Number `i` of them. */
static int64_t plane_at(const struct problem *p, int64_t i)
{
    int64_t g = i;
    if (p->groups > 1) {
        for (g = 0; i > 0 || problem_group_rows(p, g) == 0; g++) {
            i -= problem_group_rows(p, g) > 0;
        }
    }
    return g;
}

static bool is_small(const struct problem *p)
{
    int64_t elements, macs;
    return mul_ok(p->M * p->N, p->batch, &elements) && mul_ok(elements, p->K, &macs) && elements <= WHOLE_ELEMENTS &&
           macs <= WHOLE_MACS;
}

/* Rows and columns of one plane. */
struct sample {
    struct axis m, n;
};

static struct sample choose(const struct problem *p, int64_t plane, bool whole)
{
    const int64_t rows = problem_group_rows(p, plane);
    struct sample s = {.m = {rows, rows}, .n = {p->N, p->N}};
    if (!whole) {
        s.m.count = min_i64(rows, SAMPLE);
        s.n.count = min_i64(p->N, SAMPLE * SAMPLE / s.m.count);
        s.m.count = min_i64(rows, SAMPLE * SAMPLE / s.n.count);
    }
    return s;
}

/* ---- a block of them ---- */

struct work {
    const struct target *target;
    const struct problem *p;
    enum dtype acc; /* of the cube */
    enum gm_isa isa;
    bool fused, wide;
    float *a, *b, *c;    /* panels and sums as reference_multiply() has them */
    int64_t *total;      /* sums of integers */
    float *xa, *xb;      /* the user's numbers: [BLOCK_M][REFERENCE_K], [REFERENCE_K][BLOCK_N] */
    double *exact;       /* [BLOCK_M][BLOCK_N] */
    double unit;         /* of a product of stored values */
    int64_t batch, m, n; /* batch element or group */
    int64_t row[BLOCK_M], col[BLOCK_N];
    double error2, exact2, c2, cross, most;
};

/* Stored values of row `mn` of op(A) or column `mn` of op(B), scales applied. */
static void stored(const struct work *w, enum tensor tensor, int64_t mn, int64_t k0, int64_t k, float *out)
{
    const struct problem *p = w->p;
    const struct operand *o = tensor == TENSOR_A ? &p->a : &p->b;
    const int64_t row0 = problem_matrix(p, tensor, w->batch) * o->rows;
    if (o->transpose == (tensor == TENSOR_A)) { /* K runs down */
        gm_column_values(w->isa, p, tensor, row0 + k0, mn, k, out);
    } else {
        gm_row_values(w->isa, p, tensor, row0 + mn, k0, k, out);
    }
    if (o->mx) {
        reference_scale(p, tensor == TENSOR_A ? TENSOR_SA : TENSOR_SB, w->batch, mn, k0, k, out, 1);
    }
    const int keep = mmad_hf32_mantissa(w->target);
    for (int64_t i = 0; p->hf32 && i < k; i++) { /* to nearest even, as the kernel sets it */
        const uint32_t bits = float_bits(out[i]), last = 1U << (23 - keep);
        out[i] = float_from_bits((bits + last / 2 - 1 + (bits / last & 1U)) & ~(last - 1));
    }
}

static void fill_panels(struct work *w, int64_t k0, int64_t k)
{
    float line[REFERENCE_K];
    for (int64_t i = 0; i < w->m; i++) {
        stored(w, TENSOR_A, w->row[i], k0, k, w->a + i * REFERENCE_K);
        input_exact(w->p, TENSOR_A, w->batch, w->row[i], k0, k, w->xa + i * REFERENCE_K);
    }
    for (int64_t j = 0; j < w->n; j++) {
        float *strip = w->b + j / REFERENCE_COLS * REFERENCE_COLS * REFERENCE_K + j % REFERENCE_COLS;
        stored(w, TENSOR_B, w->col[j], k0, k, line);
        for (int64_t i = 0; i < k; i++) {
            strip[i * REFERENCE_COLS] = line[i];
        }
        input_exact(w->p, TENSOR_B, w->batch, w->col[j], k0, k, line);
        for (int64_t i = 0; i < k; i++) {
            w->xb[i * BLOCK_N + j] = line[i];
        }
    }
}

static void multiply_exact(struct work *w, int64_t k)
{
    for (int64_t i = 0; i < w->m; i++) {
        double *restrict sum = w->exact + i * BLOCK_N;
        for (int64_t kk = 0; kk < k; kk++) {
            const double a = (double)w->xa[i * REFERENCE_K + kk];
            const float *restrict b = w->xb + kk * BLOCK_N;
            for (int64_t j = 0; j < BLOCK_N; j++) {
                sum[j] += a * (double)b[j];
            }
        }
    }
}

/* Half accumulators round after every addition (A33). */
static void multiply_half(struct work *w, int64_t k)
{
    for (int64_t i = 0; i < w->m * w->n; i++) {
        const int64_t r = i / w->n, c = i % w->n;
        const float *b = w->b + c / REFERENCE_COLS * REFERENCE_COLS * REFERENCE_K + c % REFERENCE_COLS;
        float sum = w->c[r * BLOCK_N + c];
        for (int64_t kk = 0; kk < k; kk++) {
            sum = half_to_float(half_from_float(sum + w->a[r * REFERENCE_K + kk] * b[kk * REFERENCE_COLS], FP_KEEP));
        }
        w->c[r * BLOCK_N + c] = sum;
    }
}

static void multiply_stored(struct work *w, int64_t k)
{
    if (w->acc == DTYPE_HALF) {
        multiply_half(w, k);
        return;
    }
    for (int64_t j = 0; j < w->n; j += REFERENCE_COLS) {
        for (int64_t i = 0; i < w->m; i += REFERENCE_ROWS) {
            reference_multiply(w->isa, &(struct reference_block){.a = w->a + i * REFERENCE_K,
                                                                 .b = w->b + j * REFERENCE_K,
                                                                 .acc = w->c + i * BLOCK_N + j,
                                                                 .pitch = BLOCK_N,
                                                                 .k = k,
                                                                 .fused = w->fused});
        }
    }
    for (int64_t i = 0; w->wide && i < BLOCK_M * BLOCK_N; i++) {
        w->total[i] += (int64_t)w->c[i];
        w->c[i] = 0;
    }
}

static void start(struct work *w)
{
    memset(w->c, 0, BLOCK_M * BLOCK_N * sizeof *w->c);
    memset(w->total, 0, BLOCK_M * BLOCK_N * sizeof *w->total);
    memset(w->exact, 0, BLOCK_M * BLOCK_N * sizeof *w->exact);
    for (int64_t i = 0; w->p->bias.dtype != DTYPE_NONE && i < w->m * w->n; i++) {
        const int64_t at = i / w->n * BLOCK_N + i % w->n;
        reference_bias(w->p, &(struct c_block){.batch = w->batch, .n0 = w->col[i % w->n], .n = 1}, &w->c[at]);
        w->exact[at] = (double)w->c[at] * w->unit;
    }
}

/* C as Fixpipe stores it, in the user's units, against the exact sum. */
static enum status compare(struct work *w)
{
    const struct problem *p = w->p;
    for (int64_t i = 0; i < w->m * w->n; i++) {
        const int64_t at = i / w->n * BLOCK_N + i % w->n;
        const struct c_block one = {.batch = w->batch, .m0 = w->row[i / w->n], .n0 = w->col[i % w->n], .m = 1, .n = 1};
        uint8_t code[8];
        TRY(reference_store_row(w->isa, p, &one, p->c.dtype, w->wide ? &w->total[at] : NULL, &w->c[at], code));
        const double factor = reference_factor(p, p->c.dtype, w->batch, one.n0);
        const double c = dtype_load(p->c.dtype, code, 0) * w->unit / factor;
        const double exact = p->relu && w->exact[at] <= 0 ? 0.0 : w->exact[at], error = fabs(c - exact);
        w->error2 += error * error;
        w->exact2 += exact * exact;
        w->c2 += c * c;
        w->cross += c * exact;
        w->most = error > w->most || isnan(error) ? error : w->most;
    }
    return STATUS_OK;
}

static enum status run_block(struct work *w)
{
    start(w);
    for (int64_t k0 = 0; k0 < w->p->K; k0 += REFERENCE_K) {
        const int64_t k = min_i64(REFERENCE_K, w->p->K - k0);
        fill_panels(w, k0, k);
        multiply_stored(w, k);
        multiply_exact(w, k);
    }
    return compare(w);
}

/* ---- all blocks ---- */

static enum status run_plane(struct work *w, const struct sample *s)
{
    const uint64_t salt = (uint64_t)w->batch * 4;
    const int64_t first = problem_group_first(w->p, w->batch);
    for (int64_t i = 0; i < s->m.count; i += BLOCK_M) {
        w->m = min_i64(BLOCK_M, s->m.count - i);
        for (int64_t r = 0; r < w->m; r++) {
            w->row[r] = first + axis_at(&s->m, salt + 1, i + r);
        }
        for (int64_t j = 0; j < s->n.count; j += BLOCK_N) {
            w->n = min_i64(BLOCK_N, s->n.count - j);
            for (int64_t c = 0; c < w->n; c++) {
                w->col[c] = axis_at(&s->n, salt + 2, j + c);
            }
            TRY(run_block(w));
        }
    }
    return STATUS_OK;
}

static enum status prepare(struct work *w, struct arena *arena)
{
    w->a = arena_alloc(arena, BLOCK_M * REFERENCE_K, sizeof *w->a);
    w->b = arena_alloc(arena, BLOCK_N * REFERENCE_K, sizeof *w->b);
    w->c = arena_alloc(arena, BLOCK_M * BLOCK_N, sizeof *w->c);
    w->total = arena_alloc(arena, BLOCK_M * BLOCK_N, sizeof *w->total);
    w->xa = arena_alloc(arena, BLOCK_M * REFERENCE_K, sizeof *w->xa);
    w->xb = arena_alloc(arena, BLOCK_N * REFERENCE_K, sizeof *w->xb);
    w->exact = arena_alloc(arena, BLOCK_M * BLOCK_N, sizeof *w->exact);
    const bool all = w->a != NULL && w->b != NULL && w->c != NULL && w->total != NULL && w->xa != NULL &&
                     w->xb != NULL && w->exact != NULL;
    return all ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Two zeros are alike, a zero and something else are not. */
static double cosine_of(double cross, double c2, double exact2)
{
    return c2 == 0.0 || exact2 == 0.0 ? (double)(c2 == exact2) : cross / (sqrt(c2) * sqrt(exact2));
}

enum status accuracy_measure(const struct target *target, const struct problem *p, struct arena *arena,
                             struct accuracy *out)
{
    const struct mmad_triple *form = p->op == PROBLEM_MATMUL ? dtypes_triple(target, p) : NULL;
    *out = (struct accuracy){0};
    if (form == NULL || dtype_info(p->c.dtype)->bits < 8) {
        return STATUS_UNSUPPORTED;
    }
    struct work *w = arena_alloc(arena, 1, sizeof *w);
    if (w == NULL) {
        return STATUS_NO_MEMORY;
    }
    *w = (struct work){.target = target,
                       .p = p,
                       .acc = (enum dtype)form->c,
                       .isa = gm_isa_best(),
                       .fused = reference_fused(p),
                       .wide = reference_wide(p),
                       .unit = (double)input_factor(p, TENSOR_A) * (double)input_factor(p, TENSOR_B)};
    TRY(prepare(w, arena));
    const bool whole = is_small(p);
    const struct axis planes = planes_of(p, whole);
    for (int64_t i = 0; i < planes.count; i++) {
        w->batch = plane_at(p, axis_at(&planes, 0, i));
        const struct sample s = choose(p, w->batch, whole);
        TRY(run_plane(w, &s));
        out->elements += (uint64_t)(s.m.count * s.n.count);
    }
    out->total = (uint64_t)(p->batch * p->M * p->N);
    out->max_abs = w->most;
    out->rms = sqrt(w->error2 / (double)out->elements);
    out->rel_rms = w->error2 == 0.0 ? 0.0 : sqrt(w->error2 / w->exact2);
    out->cosine = cosine_of(w->cross, w->c2, w->exact2);
    return STATUS_OK;
}
