#include "support/timing_points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int64_t pick(struct rng *r, int64_t lo, int64_t hi)
{
    return rng_between(r, lo, hi);
}

static int32_t one_of(struct rng *r, int n, const int32_t *values)
{
    return values[rng_below(r, (uint64_t)n)];
}
#define ONE_OF(r, ...) \
    one_of(r, (int)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)), (const int32_t[]){__VA_ARGS__})

static void random_tiling(struct rng *r, struct tiling *t)
{
    tiling_all_auto(t);
    t->baseM = 16 * (int32_t)pick(r, 1, 8);
    t->baseN = 16 * (int32_t)pick(r, 1, 8);
    t->baseK = ONE_OF(r, 16, 32, 48, 64);
    t->stepKa = ONE_OF(r, 1, 1, 2, 3, 4, 6);
    t->stepKb = ONE_OF(r, 1, 1, 2, 3, 4, 5);
    t->dbA1 = ONE_OF(r, 1, 2);
    t->dbB1 = ONE_OF(r, 1, 2);
    t->depthA1 = t->stepKa * t->dbA1;
    t->depthB1 = t->stepKb * t->dbB1;
    t->dbL0A = ONE_OF(r, 1, 2, 2);
    t->dbL0B = ONE_OF(r, 1, 2, 2);
    t->unitflag = ONE_OF(r, 0, 1);
    t->dbL0C = t->unitflag ? 1 : ONE_OF(r, 1, 2);
    t->waitBoth = ONE_OF(r, 0, 1);
    t->iterateOrder = ONE_OF(r, 0, 1);
    t->kernel = ONE_OF(r, KERNEL_CUBE, KERNEL_MIX);
    t->api = ONE_OF(r, API_BASIC, API_HIGH);
    t->assign = ONE_OF(r, ASSIGN_GRID, ASSIGN_BLOCKS);
    if (t->assign == ASSIGN_BLOCKS) {
        t->usedCoreNum = ONE_OF(r, 1, 2, 5, 20, 24);
        t->order = ONE_OF(r, ORDER_LINEAR, ORDER_SWIZZLE, ORDER_ASWT, ORDER_CHUNK);
        t->orderOffset = t->order == ORDER_SWIZZLE ? (int32_t)pick(r, 1, 4) : 1;
        t->orderDirection = ONE_OF(r, 0, 1);
    } else {
        t->orderRounds = ONE_OF(r, 1, 1, 2, 3);
        t->usedCoreNum = ONE_OF(r, 1, 2, 6, 24);
    }
}

static void whole_k(struct timing_point *x, struct tiling *t, bool a, bool b)
{
    const int32_t nk = (int32_t)((x->K + t->baseK - 1) / t->baseK);
    t->stepKa = a ? nk : t->stepKa;
    t->stepKb = b ? nk : t->stepKb;
}

static void plain_grid(struct tiling *t)
{
    t->assign = ASSIGN_GRID;
    t->order = ORDER_LINEAR;
    t->orderRounds = t->orderOffset = 1;
    t->orderDirection = 0;
}

static void vary_program(const struct target *const targets[2], struct rng *r, struct timing_point *x, struct tiling *t)
{
    switch ((enum timing_variant)x->variant) {
    case VARIANT_GROUP:
        x->K = 1 + x->K % 500;
        plain_grid(t);
        t->stepM = ONE_OF(r, 1, 2, 3);
        t->stepN = t->stepM == 1 ? 2 : ONE_OF(r, 1, 2);
        whole_k(x, t, t->stepM > 1, t->stepN > 1);
        break;
    case VARIANT_FULL_LOAD:
        x->K = 1 + x->K % 500;
        plain_grid(t);
        t->fullLoad = ONE_OF(r, FULL_LOAD_A, FULL_LOAD_B);
        whole_k(x, t, t->fullLoad == FULL_LOAD_A, t->fullLoad == FULL_LOAD_B);
        break;
    case VARIANT_RESIDENT:
        x->K = 1 + x->K % 300;
        t->l1Resident = 1;
        break;
    case VARIANT_SPLIT_K:
        t->splitK = (int32_t)pick(r, 2, 5);
        t->splitKReduce = ONE_OF(r, REDUCE_ATOMIC, REDUCE_WORKSPACE);
        t->order = t->order == ORDER_SWIZZLE ? ORDER_SWIZZLE : ORDER_LINEAR;
        t->orderRounds = 1;
        t->unitflag = 0;
        x->float_c = true;
        break;
    case VARIANT_SHUFFLE_K:
        t->shuffleK = 1;
        break;
    case VARIANT_GEMV:
        x->M = ONE_OF(r, 1, 1, 17, 33);
        x->trans_a = false;
        t->baseM = 16;
        t->gemv = 1;
        break;
    case VARIANT_COPY_FIRST:
        t->copyFirst = 1;
        break;
    case VARIANT_ROW_COPY:
        t->rowCopy = 1;
        t->baseM = 16;
        x->K = 16 * (1 + x->K / 16);
        x->trans_a = false;
        break;
    case VARIANT_BATCH:
        x->batch = pick(r, 2, 4);
        break;
    case VARIANT_L2_HINTS:
        t->l2A = ONE_OF(r, L2_NORMAL, L2_DISABLE);
        t->l2B = ONE_OF(r, L2_NORMAL, L2_DISABLE);
        t->l2C = ONE_OF(r, L2_NORMAL, L2_DISABLE);
        break;
    case VARIANT_LOADS: {
        const int32_t load = ONE_OF(r, LOAD_2D, LOAD_3D, LOAD_TRANSPOSE, LOAD_2D_V2, LOAD_3D_STRIDE);
        *(rng_below(r, 2) == 0 ? &t->loadA : &t->loadB) = load;
        break;
    }
    case VARIANT_MX:
        x->base = targets[1];
        x->mx = rng_below(r, 2) == 0 ? DTYPE_FP8_E4M3 : DTYPE_FP4_E2M1;
        x->K = rng_below(r, 2) == 0 ? x->K : 64 * (1 + x->K / 64);
        t->baseK = ONE_OF(r, 64, 64, 128);
        t->scaleFactorKa = (int32_t)pick(r, 1, 4);
        t->scaleFactorKb = (int32_t)pick(r, 1, 4);
        x->trans_a = false;
        x->trans_b = true;
        x->nz_b = false;
        x->ld_extra = 0;
        break;
    case VARIANT_BIAS:
        x->bias = true;
        t->isBias = 1;
        break;
    case VARIANT_QUANT:
        x->quant = true;
        break;
    case VARIANT_N:
        break;
    }
    t->depthA1 = t->depthB1 = TILING_AUTO; /* follow from steps and buffers */
}

/* Bias and quant rows come with any other program. */
static void vary_rows(struct rng *r, struct timing_point *x, struct tiling *t)
{
    x->bias = x->bias || rng_below(r, 6) == 0;
    t->isBias = x->bias;
    x->quant = x->quant || (x->mx == DTYPE_NONE && x->variant != VARIANT_SPLIT_K && rng_below(r, 8) == 0);
    t->tileBarrier = ONE_OF(r, 0, 0, 0, 1);
}

void timing_point_random(const struct target *const targets[2], struct rng *r, struct timing_point *x)
{
    memset(x, 0, sizeof *x);
    x->base = targets[rng_below(r, 2)];
    x->M = ONE_OF(r, 1, 16, 17, 0, 0, 0, 0);
    x->M = x->M == 0 ? pick(r, 2, 700) : x->M;
    x->N = pick(r, 1, 700);
    x->K = ONE_OF(r, 1, 16, 0, 0, 0, 0, 0);
    x->K = x->K == 0 ? pick(r, 2, 3000) : x->K;
    x->trans_a = rng_below(r, 4) == 0;
    x->trans_b = rng_below(r, 2) == 0;
    x->float_c = rng_below(r, 4) == 0;
    x->nz_b = rng_below(r, 8) == 0;
    x->ld_extra = ONE_OF(r, 0, 0, 0, 1, 64, 66000);
    /* From a panel or two to the whole problem. */
    x->l2_bytes = (double)pick(r, 1, 64) * 65536;
    x->mmad_barrier = rng_below(r, 2) == 0;
    x->l2_warm = rng_below(r, 8) == 0;
    x->batch = 1;
    random_tiling(r, &x->t);
    x->variant = (int)rng_below(r, 2 * VARIANT_N);
    vary_program(targets, r, x, &x->t);
    vary_rows(r, x, &x->t);
}

static void make_operand(struct operand *o, enum dtype dtype, bool transpose, bool nz, int64_t cols, int64_t ld_extra)
{
    *o = (struct operand){.dtype = dtype, .transpose = transpose, .format = nz ? LAYOUT_NZ : LAYOUT_ND};
    o->ld = nz || ld_extra == 0 ? 0 : cols + ld_extra;
}

bool timing_point_schedule(const struct timing_point *x, struct target *target, struct problem *p, struct schedule *s)
{
    struct tiling t = x->t;
    struct plan plan;
    struct infeasible why;
    *target = *x->base;
    target->l2_bytes = x->l2_bytes;
    target->timing.mmad_barrier = x->mmad_barrier;
    target->timing.queue_depth = x->queue_depth;
    *p = (struct problem){.name = "random", .op = PROBLEM_MATMUL, .M = x->M, .N = x->N, .K = x->K, .batch = x->batch};
    make_operand(&p->a, DTYPE_HALF, x->trans_a, false, x->trans_a ? x->M : x->K, x->ld_extra);
    make_operand(&p->b, DTYPE_HALF, x->trans_b, x->nz_b, x->trans_b ? x->K : x->N, x->ld_extra);
    make_operand(&p->c, x->float_c ? DTYPE_FLOAT : DTYPE_HALF, false, false, x->N, 0);
    if (x->mx != DTYPE_NONE) {
        p->a.dtype = p->b.dtype = x->mx;
        p->a.mx = p->b.mx = true;
        p->scale_a.dtype = p->scale_b.dtype = DTYPE_E8M0;
    }
    if (x->bias) {
        p->bias.dtype = x->quant ? DTYPE_INT32 : DTYPE_FLOAT;
    }
    if (x->quant) {
        p->a.dtype = p->b.dtype = DTYPE_INT8;
        p->c.dtype = DTYPE_HALF;
        p->quant.dtype = DTYPE_UINT64;
    }
    if (problem_finish(p, NULL, NULL) != STATUS_OK) {
        return false;
    }
    tiling_resolve(target, p, &t, &why);
    return why.reason == REASON_NONE && plan_make(target, p, &t, &plan, &why) &&
           schedule_init(s, target, p, &t, &plan, NULL) == STATUS_OK;
}

void timing_point_print(const struct timing_point *x)
{
    struct strbuf name;
    strbuf_init(&name);
    tiling_name(&x->t, &name);
    print_message("%s%s\n", x->bias ? "  bias" : "", x->quant ? "  quant" : "");
    print_message(
        "  variant %d %s M=%lld N=%lld K=%lld ld+%lld a%c b%c%s c%s L2=%g barrier=%d warm=%d queue=%d\n  %s\n",
        x->variant, x->base->name, (long long)x->M, (long long)x->N, (long long)x->K, (long long)x->ld_extra,
        x->trans_a ? 't' : 'n', x->trans_b ? 't' : 'n', x->nz_b ? "z" : "", x->float_c ? "float" : "half", x->l2_bytes,
        x->mmad_barrier, x->l2_warm, x->queue_depth, strbuf_cstr(&name));
    strbuf_fini(&name);
}
