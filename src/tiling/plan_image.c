/* plan_image.c - sizes of the images one chunk or base block takes in L1, L0
 * and L0C (kernel_rules.md 2.2, 6, 9, 11). */
#include "base/intmath.h"
#include "tiling/loads.h"
#include "tiling/plan_internal.h"

/* Products of two extents saturate: what is past this fits nowhere. */
#define SIZE_CAP (INT64_MAX / 64)

static int64_t mul_cap(int64_t a, int64_t b)
{
    int64_t v;
    return mul_ok(a, b, &v) && v < SIZE_CAP ? v : SIZE_CAP;
}

static int32_t int_cap(int64_t v)
{
    return (int32_t)min_i64(v, INT32_MAX);
}

static const struct operand *operand_of(const struct problem *p, enum role role)
{
    return role == ROLE_A ? &p->a : &p->b;
}

bool plan_full_load(const struct tiling *t, enum role role)
{
    return t->fullLoad == (role == ROLE_A ? FULL_LOAD_A : FULL_LOAD_B);
}

bool plan_vector(const struct problem *p, const struct tiling *t)
{
    return t->gemv == 1 && p->M == 1;
}

/* Extents of what L1 holds of one operand at a time, before padding. */
struct chunk {
    int64_t mn, k;
};

static struct chunk chunk_of(const struct problem *p, const struct tiling *t, enum role role)
{
    const bool a = role == ROLE_A;
    if (plan_full_load(t, role)) {
        return (struct chunk){min_i64(a ? t->singleCoreM : t->singleCoreN, a ? p->M : p->N),
                              min_i64(t->singleCoreK, p->K)};
    }
    /* Each base block is padded for itself: the next starts on a unit. */
    const int64_t base = align_up(a ? t->baseM : t->baseN, load_unit(p, role, AXIS_MN));
    return (struct chunk){base * (a ? t->stepM : t->stepN), (int64_t)t->baseK * (a ? t->stepKa : t->stepKb)};
}

/* A of one row read as a vector (GEMV): K contiguous, whole fractals. Where only
 * some tiles have one row, their vector lies in the image of the others. */
static void vector_image(const struct operand *o, const struct tiling *t, struct plan_image *out)
{
    const int64_t chunk = (int64_t)t->baseK * t->stepKa;
    out->rows = 1;
    out->l1_cols = int_cap(align_up(chunk, 16 * dtype_c0(o->dtype)));
    out->l1_bytes = dtype_bytes(o->dtype, out->l1_cols);
    out->l0_bytes = align_up(dtype_bytes(o->dtype, t->baseK), 512);
}

/* Output height and width of a conv. */
static int64_t conv_extent(int64_t in, int64_t pads, int64_t kernel, int64_t dilation, int64_t stride)
{
    return max_i64(1, (in + pads - dilation * (kernel - 1) - 1) / stride + 1);
}

/* Feature map: whole rows of W, enough of them for mAL1 output points, which
 * may start and end inside a row (two more output rows, as the vendor budgets:
 * A49), of the channel blocks of one K chunk. */
static void map_image(const struct problem *p, const struct tiling *t, const struct chunk *chunk,
                      struct plan_image *out)
{
    const struct conv_shape *v = &p->conv;
    const int64_t c0 = dtype_c0(p->a.dtype), window = v->kh * v->kw * c0;
    const int64_t wo = conv_extent(v->w, v->pad_left + v->pad_right, v->kw, v->dilation_w, v->stride_w);
    const int64_t ho = conv_extent(v->h, v->pad_top + v->pad_bottom, v->kh, v->dilation_h, v->stride_h);
    const int64_t out_rows = min_i64(ho, chunk->mn / wo + 2);
    const int64_t rows = min_i64(v->h, (out_rows - 1) * v->stride_h + (v->kh - 1) * v->dilation_h + 1);
    const int64_t channels = min_i64(ceil_div(chunk->k, window), ceil_div(p->K, window));
    out->rows = int_cap(mul_cap(rows, v->w));
    out->l1_cols = int_cap(channels * c0);
    out->l1_bytes = mul_cap(mul_cap(rows, v->w), channels * 32);
    out->l0_bytes = dtype_bytes(p->a.dtype, align_up(t->baseM, 16) * (int64_t)t->baseK);
}

void plan_image(const struct problem *p, const struct tiling *t, enum role role, struct plan_image *out)
{
    const struct operand *o = operand_of(p, role);
    const struct chunk chunk = chunk_of(p, t, role);
    if (role == ROLE_A && plan_vector(p, t)) {
        vector_image(o, t, out);
        return;
    }
    if (role == ROLE_A && p->op == PROBLEM_CONV) {
        map_image(p, t, &chunk, out);
        return;
    }
    const int64_t unit_mn = load_unit(p, role, AXIS_MN), unit_k = load_unit(p, role, AXIS_K);
    const int64_t mn = align_up(chunk.mn, unit_mn), k = align_up(chunk.k, unit_k), c0 = dtype_c0(o->dtype);
    const bool k_contiguous = load_k_contiguous(p, role);
    const int64_t rows = align_up(k_contiguous ? mn : k, 16), cols = align_up(k_contiguous ? k : mn, c0);
    out->rows = int_cap(rows);
    out->l1_cols = int_cap(cols);
    out->l1_bytes = mul_cap(rows, cols / c0 * 32);
    out->l0_bytes = dtype_bytes(o->dtype,
                                align_up(role == ROLE_A ? t->baseM : t->baseN, unit_mn) * align_up(t->baseK, unit_k));
}

void plan_scales(const struct problem *p, const struct tiling *t, enum role role, struct plan_scales *out)
{
    const bool a = role == ROLE_A;
    const bool by_step = t->scaleCopy == SCALES_BY_STEP;
    const struct chunk step = {align_up(a ? t->baseM : t->baseN, load_unit(p, role, AXIS_MN)), t->baseK};
    const struct chunk chunk = by_step ? step : chunk_of(p, t, role);
    const int64_t factor_k = a ? t->scaleFactorKa : t->scaleFactorKb, factor_mn = a ? t->scaleFactorM : t->scaleFactorN;
    /* Spans clip to what there is (kernel_rules 6). */
    const int64_t k = min_i64(mul_cap(chunk.k, factor_k), align_up(min_i64(t->singleCoreK, p->K), 64));
    const int64_t whole = min_i64(a ? t->singleCoreM : t->singleCoreN, a ? p->M : p->N);
    const int64_t mn = factor_mn == 1 ? chunk.mn : max_i64(chunk.mn, min_i64(chunk.mn * factor_mn, whole));
    const int64_t rows = align_up(mn, 16), codes = align_up(k, 64) / 32;
    out->rows = int_cap(rows);
    out->codes = int_cap(codes);
    out->l1_bytes = mul_cap(rows, codes);
    /* One code per 32 k of the block as it lies in L0: data address / 16 leaves
     * twice that for fp8. */
    out->l0_bytes = align_up(a ? t->baseM : t->baseN, load_unit(p, role, AXIS_MN)) * align_up(t->baseK, 64) / 32;
}

void plan_accumulator(const struct target *target, const struct problem *p, const struct tiling *t, int64_t *m,
                      int64_t *n)
{
    *m = align_up(align_up(t->baseM, load_mmad_unit(target, p, ROLE_A)), 16);
    *n = align_up(align_up(t->baseN, load_mmad_unit(target, p, ROLE_B)), 16);
}
