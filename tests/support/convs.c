#include "support/convs.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "problem/conv.h"

static int64_t pick(struct rng *rng, int64_t lo, int64_t hi)
{
    return lo + (int64_t)rng_below(rng, (uint64_t)(hi - lo + 1));
}

static bool one_in(struct rng *rng, uint64_t n)
{
    return rng_below(rng, n) == 0;
}

void conv_problem(struct problem *p, const struct conv_shape *shape, enum dtype dtype, enum dtype result,
                  enum layout format)
{
    memset(p, 0, sizeof *p);
    p->name = "conv";
    p->op = PROBLEM_CONV;
    p->conv = *shape;
    p->a.dtype = p->b.dtype = dtype;
    p->c.dtype = result;
    p->c.format = format;
    p->seed = 1;
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
}

static int32_t random_pad(struct rng *rng, int64_t filter)
{
    return (int32_t)(one_in(rng, 3) ? 0 : pick(rng, 0, one_in(rng, 6) ? 12 : filter));
}

static void random_shape(struct rng *rng, int64_t max_macs, struct conv_shape *v)
{
    int64_t macs;
    do {
        const int64_t groups = one_in(rng, 4) ? pick(rng, 2, 3) : 1;
        *v = (struct conv_shape){.n = pick(rng, 1, 2), .groups = groups};
        v->c = groups * (one_in(rng, 3) ? 16 * pick(rng, 1, 5) : pick(rng, 1, one_in(rng, 3) ? 100 : 36));
        v->cout = groups * (one_in(rng, 3) ? 32 * pick(rng, 1, 2) : pick(rng, 1, 70));
        v->h = pick(rng, 1, 24);
        v->w = pick(rng, 1, 24);
        v->kh = pick(rng, 1, 7);
        v->kw = pick(rng, 1, 7);
        v->stride_h = (int32_t)pick(rng, 1, 3);
        v->stride_w = (int32_t)pick(rng, 1, 3);
        v->dilation_h = (int32_t)pick(rng, 1, 3);
        v->dilation_w = (int32_t)pick(rng, 1, 3);
        v->pad_top = random_pad(rng, v->kh);
        v->pad_bottom = random_pad(rng, v->kh);
        v->pad_left = random_pad(rng, v->kw);
        v->pad_right = random_pad(rng, v->kw);
        macs = v->n * conv_out_h(v) * conv_out_w(v) * v->cout * v->c / groups * v->kh * v->kw;
    } while (macs == 0 || macs > max_macs);
}

static void random_problem(struct rng *rng, int64_t max_macs, struct problem *p)
{
    static const uint8_t dtypes[][2] = {
        {DTYPE_HALF, DTYPE_HALF}, {DTYPE_HALF, DTYPE_FLOAT}, {DTYPE_INT8, DTYPE_INT32}, {DTYPE_FLOAT, DTYPE_FLOAT},
        {DTYPE_INT8, DTYPE_HALF}, {DTYPE_BF16, DTYPE_BF16},  {DTYPE_INT8, DTYPE_INT8},  {DTYPE_HALF, DTYPE_INT8}};
    const uint8_t *d = dtypes[rng_below(rng, sizeof dtypes / sizeof dtypes[0])];
    struct conv_shape v;
    random_shape(rng, max_macs, &v);
    const int64_t block = d[1] == DTYPE_INT8 ? 32 : 16, n = v.cout / v.groups;
    /* A last block that is filled up: not with rows of bias or scales. */
    const bool tail = n % block != 0 && align_up(n, 16) % (d[1] == DTYPE_FLOAT ? 8 : block) == 0 &&
                      (d[1] != DTYPE_FLOAT || align_up(n, 8) == align_up(n, 16));
    const bool fills_up = tail && one_in(rng, 3);
    const enum layout format = (n % block == 0 && one_in(rng, 2)) || fills_up ? LAYOUT_NC1HWC0 : LAYOUT_ND;
    conv_problem(p, &v, (enum dtype)d[0], (enum dtype)d[1], format);
    p->seed = rng_next(rng);
    p->relu = one_in(rng, 4);
    if (p->c.format == LAYOUT_ND && one_in(rng, 4)) {
        p->c.ld += pick(rng, 1, 40);
    }
    if (one_in(rng, 4) && !fills_up) {
        p->bias.dtype = d[1] == DTYPE_INT32 || d[0] == DTYPE_INT8 ? DTYPE_INT32 : DTYPE_FLOAT;
        assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
    }
    if (d[1] == DTYPE_INT8 || (d[0] == DTYPE_INT8 && d[1] == DTYPE_HALF)) { /* a scale for each channel, or one */
        p->deq_scale = one_in(rng, 2) || fills_up ? 0.25 : 0;
        p->quant.dtype = p->deq_scale > 0 ? DTYPE_NONE : DTYPE_UINT64;
        assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
    }
}

/* kL0: any multiple of C0, one that fits the window more often; steps of whole
 * channel blocks. */
static void random_k(const struct problem *p, struct rng *rng, struct tiling *t)
{
    const int64_t c0 = dtype_c0(p->a.dtype), window = conv_window(p);
    int64_t k = pick(rng, 1, 10) * c0;
    if (one_in(rng, 3)) {
        k = p->conv.kw * c0 * pick(rng, 1, 2);
    }
    t->baseK = (int32_t)k;
    t->stepKa = TILING_AUTO;
    if (!one_in(rng, 3)) {
        t->stepKa = (int32_t)(window / gcd_i64(window, k) * pick(rng, 1, 3));
    }
    t->stepKb = (int32_t)pick(rng, 1, 5);
}

static void random_tiling(const struct target *target, const struct problem *p, struct rng *rng, struct tiling *t)
{
    tiling_all_auto(t);
    random_k(p, rng, t);
    t->baseM = (int32_t)pick(rng, 1, min_i64(8, ceil_div(p->M, 16) + 1)) * 16;
    t->baseN = (int32_t)pick(rng, 1, min_i64(6, ceil_div(p->N, 16) + 1)) * 16;
    t->dbA1 = (int32_t)pick(rng, 1, 2);
    t->dbB1 = (int32_t)pick(rng, 1, 2);
    t->dbL0A = (int32_t)pick(rng, 1, 2);
    t->dbL0B = one_in(rng, 4) ? (int32_t)pick(rng, 1, 2) : t->dbL0A;
    t->dbL0C = (int32_t)pick(rng, 1, 2);
    t->unitflag = t->dbL0C == 1 && one_in(rng, 2) ? TILING_AUTO : 0;
    t->iterateOrder = (int32_t)rng_below(rng, 2);
    if (one_in(rng, 2)) {
        static const int32_t orders[] = {ORDER_LINEAR, ORDER_SWIZZLE, ORDER_ASWT, ORDER_CHUNK};
        t->assign = ASSIGN_BLOCKS;
        t->order = orders[rng_below(rng, 4)];
        t->orderOffset = (int32_t)pick(rng, 1, 4);
        t->usedCoreNum = (int32_t)pick(rng, 1, target->cores);
    } else if (one_in(rng, 2)) {
        t->singleCoreM = (int32_t)pick(rng, 1, p->M);
        t->singleCoreN = (int32_t)pick(rng, 1, p->N);
        t->usedCoreNum = one_in(rng, 2) ? target->cores : TILING_AUTO; /* several sets of cores */
    }
    if (target->arch == 3510 && one_in(rng, 2)) {
        t->loadA = LOAD_3D_STRIDE;
    }
    t->loadRepeat = one_in(rng, 3);
}

/* Program variants; what contradicts the rest is drawn again by the caller. */
static void random_variant(const struct problem *p, struct rng *rng, struct tiling *t)
{
    switch (rng_below(rng, 8)) {
    case 0:
        t->shuffleK = 1;
        break;
    case 1:
        t->fullLoad = (int32_t)pick(rng, 1, 2);
        (t->fullLoad == FULL_LOAD_A) ? (t->dbA1 = 1) : (t->dbB1 = 1);
        t->stepKa = t->stepKb = TILING_AUTO;
        break;
    case 2:
        t->stepM = (int32_t)pick(rng, 1, 3);
        t->stepN = (int32_t)pick(rng, 1, 3);
        t->stepKa = t->stepKb = (int32_t)ceil_div(p->K, t->baseK);
        break;
    case 3:
        t->l1Resident = 1;
        t->stepKa = t->stepKb = (int32_t)ceil_div(p->K, t->baseK);
        break;
    case 4:
        t->splitK = 2;
        t->baseK = t->baseK % (int32_t)conv_window(p) == 0 ? t->baseK : (int32_t)conv_window(p);
        t->unitflag = 0;
        t->usedCoreNum = TILING_AUTO;
        break;
    default:
        break;
    }
}

void conv_random(const struct target *target, int64_t max_macs, struct rng *rng, struct problem *p,
                 struct schedule *out)
{
    for (;;) {
        struct tiling t;
        struct infeasible why;
        struct plan plan;
        random_problem(rng, max_macs, p);
        random_tiling(target, p, rng, &t);
        random_variant(p, rng, &t);
        tiling_resolve(target, p, &t, &why);
        if (why.reason == REASON_NONE && plan_make(target, p, &t, &plan, &why)) {
            assert_int_equal(schedule_init(out, target, p, &t, &plan, NULL), STATUS_OK);
            return;
        }
    }
}

void conv_print(const struct schedule *s)
{
    const struct problem *p = s->problem;
    const struct conv_shape *v = &p->conv;
    struct strbuf name;
    strbuf_init(&name);
    tiling_name(&s->t, &name);
    print_message(
        "%s %s -> %s %s n%" PRId64 " c%" PRId64 " %" PRId64 "x%" PRId64 " cout%" PRId64 " k%" PRId64 "x%" PRId64
        " g%" PRId64 " s%dx%d d%dx%d pad t%d b%d l%d r%d: M %" PRId64 " N %" PRId64 " K %" PRId64 "\n  %s\n",
        s->target->name, dtype_info(p->a.dtype)->name, dtype_info(p->c.dtype)->name, layout_name(p->c.format), v->n,
        v->c, v->h, v->w, v->cout, v->kh, v->kw, v->groups, v->stride_h, v->stride_w, v->dilation_h, v->dilation_w,
        v->pad_top, v->pad_bottom, v->pad_left, v->pad_right, p->M, p->N, p->K, strbuf_cstr(&name));
    strbuf_fini(&name);
}
