#include "support/points.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "tiling/dtypes.h"

void point_problem(struct problem *p, int64_t m, int64_t n, int64_t k, bool trans_a, bool trans_b)
{
    memset(p, 0, sizeof *p);
    p->name = "test";
    p->M = m, p->N = n, p->K = k;
    p->a.dtype = p->b.dtype = p->c.dtype = DTYPE_HALF;
    p->a.transpose = trans_a;
    p->b.transpose = trans_b;
    p->seed = 1;
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
}

static int64_t pick(struct rng *rng, int64_t lo, int64_t hi)
{
    return lo + (int64_t)rng_below(rng, (uint64_t)(hi - lo + 1));
}

/* Sizes that sit on, just beside and far from multiples of 16. */
static int64_t random_size(struct rng *rng, int64_t max)
{
    const int64_t v = pick(rng, 1, max);
    switch (rng_below(rng, 4)) {
    case 0:
        return align_up(v, 16) <= max ? align_up(v, 16) : v;
    case 1:
        return align_up(v, 16) + 1 <= max ? align_up(v, 16) + 1 : v;
    case 2:
        return align_up(v, 64) <= max ? align_up(v, 64) : v;
    default:
        return v;
    }
}

static bool chance(struct rng *rng, uint64_t of)
{
    return rng_below(rng, of) == 0;
}

/* Dtypes the cube takes, and what may surround their product. */
static void random_dtypes(const struct target *target, bool mx, struct rng *rng, struct problem *p)
{
    size_t count;
    const struct mmad_triple *triples = mmad_triples(&count), *x;
    do {
        x = &triples[rng_below(rng, count)];
    } while ((x->products >> target->product & 1U) == 0 || (mx && !x->mx));
    p->a.dtype = (enum dtype)x->a, p->b.dtype = (enum dtype)x->b;
    p->a.mx = p->b.mx = x->mx;
    p->scale_a.dtype = p->scale_b.dtype = x->mx ? DTYPE_E8M0 : DTYPE_NONE;
    p->scale_a.transpose = x->mx && chance(rng, 2);
    p->scale_b.transpose = x->mx && chance(rng, 2);
    p->quant.dtype = chance(rng, 3) ? DTYPE_UINT64 : DTYPE_NONE;
    p->relu = chance(rng, 3);
    p->deq_scale = chance(rng, 2) ? 0.25 : 0;
    p->hf32 = x->a == DTYPE_FLOAT && chance(rng, 2);
    do {
        p->c.dtype = (enum dtype)pick(rng, DTYPE_NONE + 1, DTYPE_N - 1);
        p->quant.dtype = chance(rng, 8) ? DTYPE_NONE : p->quant.dtype;
    } while (dtypes_conversion(target, (enum dtype)x->c, p->c.dtype, p->quant.dtype != DTYPE_NONE) == QUANT_N);
    p->c.format = chance(rng, 4) ? LAYOUT_NZ : LAYOUT_ND;
    static const enum dtype rows[] = {DTYPE_NONE, DTYPE_HALF, DTYPE_BF16, DTYPE_FLOAT, DTYPE_INT32};
    do {
        p->bias.dtype = chance(rng, 2) ? DTYPE_NONE : rows[rng_below(rng, 5)];
    } while (p->bias.dtype != DTYPE_NONE && !dtypes_bias_offered(target, x, p->bias.dtype));
    /* b4 lies in whole bytes, Nz results in whole columns. */
    const int64_t unit = p->c.format == LAYOUT_NZ ? 32 : dtype_info(p->a.dtype)->bits == 4 ? 2 : 1;
    p->N = align_up(p->N, unit);
    if (dtype_info(p->a.dtype)->bits == 4) {
        p->M = align_up(p->M, 2), p->K = align_up(p->K, 2);
    }
}

static void refinish(struct problem *p)
{
    struct operand *const all[] = {&p->a, &p->b, &p->c, &p->bias, &p->scale_a, &p->scale_b, &p->quant};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        all[i]->rows = all[i]->cols = all[i]->ld = 0;
    }
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
}

/* A few groups of rows, some of them empty, none of the others alike. */
static void random_groups(const struct point_limits *limits, struct rng *rng, struct problem *p)
{
    const bool pairs = dtype_info(p->a.dtype)->bits == 4; /* M is even */
    p->groups = pick(rng, 2, POINT_GROUPS);
    p->group_end = limits->group_end;
    p->batch = 1;
    p->M = 0;
    for (int64_t g = 0; g < p->groups; g++) {
        const int64_t rows = chance(rng, 4) ? 0 : random_size(rng, limits->max_m / p->groups);
        p->M += g == p->groups - 1 && p->M + rows == 0 ? 2 : pairs ? align_up(rows, 2) : rows;
        limits->group_end[g] = p->M;
    }
}

static void random_problem(const struct target *target, const struct point_limits *limits, struct rng *rng,
                           struct problem *p)
{
    int64_t m, n, k;
    do {
        m = random_size(rng, limits->max_m);
        n = random_size(rng, limits->max_n);
        k = random_size(rng, limits->max_k);
    } while (m * n * k > limits->max_macs);
    const bool ta = limits->transposes && rng_below(rng, 2) != 0;
    const bool tb = !limits->transposes || rng_below(rng, 2) != 0;
    point_problem(p, m, n, k, ta, tb);
    p->seed = rng_next(rng);
    if (limits->nz) {
        p->a.format = rng_below(rng, 3) == 0 ? LAYOUT_NZ : LAYOUT_ND;
        p->b.format = rng_below(rng, 3) == 0 ? LAYOUT_NZ : LAYOUT_ND;
    }
    if (limits->variants) {
        p->batch = rng_below(rng, 4) == 0 ? pick(rng, 2, 3) : 1;
        p->c.dtype = rng_below(rng, 2) == 0 ? DTYPE_FLOAT : DTYPE_HALF;
        p->M = rng_below(rng, 6) == 0 ? pick(rng, 1, 17) : p->M;
        refinish(p);
    }
    if (limits->dtypes) {
        random_dtypes(target, limits->mx, rng, p);
        refinish(p);
    }
    if (limits->group_end != NULL) {
        random_groups(limits, rng, p);
        refinish(p);
    }
    if (rng_below(rng, 4) == 0) {
        p->a.ld += pick(rng, 1, 40);
        p->b.ld += pick(rng, 1, 40);
        p->c.ld += pick(rng, 1, 40);
    }
}

static void random_tiling(const struct target *target, const struct problem *p, struct rng *rng, struct tiling *t)
{
    tiling_all_auto(t);
    t->baseM = (int32_t)pick(rng, 1, min_i64(16, ceil_div(p->M, 16) + 1)) * 16;
    t->baseN = (int32_t)pick(rng, 1, min_i64(16, ceil_div(p->N, 16) + 1)) * 16;
    t->baseK = (int32_t)pick(rng, 1, min_i64(12, ceil_div(p->K, 16) + 1)) * 16;
    t->stepKa = (int32_t)pick(rng, 1, 5);
    t->stepKb = (int32_t)pick(rng, 1, 5);
    t->dbA1 = (int32_t)pick(rng, 1, 2);
    t->dbB1 = (int32_t)pick(rng, 1, 2);
    t->dbL0A = (int32_t)pick(rng, 1, 2);
    t->dbL0B = rng_below(rng, 4) == 0 ? (int32_t)pick(rng, 1, 2) : t->dbL0A;
    t->dbL0C = (int32_t)pick(rng, 1, 2);
    t->unitflag = t->dbL0C == 1 && rng_below(rng, 2) != 0 ? TILING_AUTO : 0;
    t->waitBoth = (int32_t)rng_below(rng, 2);
    t->iterateOrder = (int32_t)rng_below(rng, 2);
    if (p->groups > 1 || rng_below(rng, 2) == 0) {
        t->assign = ASSIGN_BLOCKS;
        static const int32_t orders[] = {ORDER_LINEAR, ORDER_SWIZZLE, ORDER_ASWT, ORDER_CHUNK};
        t->order = orders[rng_below(rng, 4)];
        t->orderOffset = (int32_t)pick(rng, 1, 4);
        t->orderDirection = (int32_t)rng_below(rng, 2);
        t->usedCoreNum = (int32_t)pick(rng, 1, target->cores);
    } else if (rng_below(rng, 2) == 0) {
        t->singleCoreM = (int32_t)pick(rng, 1, p->M);
        t->singleCoreN = (int32_t)pick(rng, 1, p->N);
        t->order = ORDER_L2SPLIT;
        t->orderRounds = (int32_t)pick(rng, 1, 3);
    }
    /* Any offered instruction, not only the recommended one. */
    if (rng_below(rng, 2) == 0) {
        t->loadA = (int32_t)pick(rng, 1, 5);
        t->loadB = (int32_t)pick(rng, 1, 5);
    }
}

static int32_t sometimes(struct rng *rng, int32_t otherwise, int32_t value)
{
    return rng_below(rng, 4) == 0 ? value : otherwise;
}

/* Slices of several tiles. */
static void few_cores(struct rng *rng, struct tiling *t)
{
    t->assign = ASSIGN_GRID;
    t->order = t->orderOffset = t->orderDirection = t->orderRounds = TILING_AUTO;
    t->singleCoreM = t->singleCoreN = TILING_AUTO;
    t->usedCoreNum = (int32_t)pick(rng, 1, 4);
}

/* Scales with chunks, over several tiles, or step by step. */
static void random_scales(const struct problem *p, struct rng *rng, struct tiling *t)
{
    const int32_t nk = (int32_t)ceil_div(p->K, t->baseK);
    switch (rng_below(rng, 4)) {
    case 0:
        t->scaleCopy = SCALES_BY_STEP;
        t->scaleFactorKa = t->scaleFactorKb = TILING_AUTO;
        break;
    case 1:
        few_cores(rng, t);
        t->scaleFactorM = (int32_t)pick(rng, 2, 4);
        t->scaleFactorKa = (int32_t)ceil_div(nk, t->stepKa);
        break;
    case 2:
        few_cores(rng, t);
        t->scaleFactorN = (int32_t)pick(rng, 2, 4);
        t->scaleFactorKb = (int32_t)ceil_div(nk, t->stepKb);
        t->scaleFactorM = chance(rng, 2) ? (int32_t)pick(rng, 2, 4) : TILING_AUTO;
        t->scaleFactorKa = (int32_t)ceil_div(nk, t->stepKa);
        break;
    default:
        break;
    }
}

/* Program variants; what contradicts the rest is drawn again by the caller. */
static void random_variant(const struct problem *p, struct rng *rng, struct tiling *t)
{
    const int32_t nk = (int32_t)ceil_div(p->K, t->baseK);
    t->copyFirst = sometimes(rng, 0, 1);
    t->gemv = sometimes(rng, 0, 1);
    t->rowCopy = sometimes(rng, 0, 1);
    t->loadRepeat = sometimes(rng, 0, 1);
    switch (rng_below(rng, 7)) {
    case 0:
        t->stepM = (int32_t)pick(rng, 2, 4);
        t->stepKa = nk;
        t->stepN = sometimes(rng, 1, 3);
        t->stepKb = t->stepN > 1 ? nk : t->stepKb;
        break;
    case 1:
        t->stepN = (int32_t)pick(rng, 2, 4);
        t->stepKb = nk;
        break;
    case 2:
        t->fullLoad = (int32_t)pick(rng, 1, 2);
        t->dbA1 = t->fullLoad == FULL_LOAD_A ? 1 : t->dbA1;
        t->dbB1 = t->fullLoad == FULL_LOAD_B ? 1 : t->dbB1;
        break;
    case 3:
        t->shuffleK = 1;
        break;
    case 4:
        t->l1Resident = 1;
        t->stepKa = sometimes(rng, nk, t->stepKa);
        t->stepKb = sometimes(rng, nk, t->stepKb);
        break;
    case 5:
        t->splitK = (int32_t)pick(rng, 2, 3);
        t->splitKReduce = (int32_t)pick(rng, 1, 2);
        break;
    default:
        break;
    }
    t->tileBarrier = sometimes(rng, 0, 1);
}

void point_random(const struct target *target, const struct point_limits *limits, struct rng *rng, struct problem *p,
                  struct schedule *out)
{
    for (;;) {
        struct tiling t;
        struct plan plan;
        struct infeasible why;
        random_problem(target, limits, rng, p);
        random_tiling(target, p, rng, &t);
        if (limits->dtypes) {
            t.baseK = (int32_t)(chance(rng, 2) ? t.baseK * 4 : t.baseK);
            t.baseN = (int32_t)(p->c.format == LAYOUT_NZ ? align_up(t.baseN, 32) : t.baseN);
            t.singleCoreN = t.singleCoreN > 0 ? (int32_t)align_up(t.singleCoreN, 32) : t.singleCoreN;
            t.scaleFactorKa = p->a.mx && chance(rng, 2) ? (int32_t)pick(rng, 1, 4) : TILING_AUTO;
            t.scaleFactorKb = p->a.mx && chance(rng, 2) ? (int32_t)pick(rng, 1, 4) : TILING_AUTO;
        }
        if (limits->variants) {
            random_variant(p, rng, &t);
        }
        if (limits->mx) {
            random_scales(p, rng, &t);
        }
        tiling_resolve(target, p, &t, &why);
        if (why.reason == REASON_NONE && plan_make(target, p, &t, &plan, &why)) {
            assert_int_equal(schedule_init(out, target, p, &t, &plan, NULL), STATUS_OK);
            return;
        }
    }
}

const struct target *point_target(const char *name, struct arena *arena)
{
    const struct target *target = NULL;
    struct diag d;
    diag_init(&d);
    if (target_load(name, NULL, arena, &target, &d) != STATUS_OK) {
        struct strbuf text;
        strbuf_init(&text);
        diag_render(&d, &text);
        fail_msg("%s", strbuf_cstr(&text));
    }
    diag_fini(&d);
    return target;
}

void point_schedule(const struct target *target, const struct problem *p, const struct tiling *t, struct schedule *out)
{
    struct tiling full = *t;
    struct plan plan;
    struct infeasible why;
    tiling_resolve(target, p, &full, &why);
    if (why.reason != REASON_NONE || !plan_make(target, p, &full, &plan, &why)) {
        struct strbuf text;
        strbuf_init(&text);
        infeasible_text(&why, &full, &text);
        fail_msg("infeasible: %s", strbuf_cstr(&text));
    }
    assert_int_equal(schedule_init(out, target, p, &full, &plan, NULL), STATUS_OK);
}

void point_print(const struct schedule *s)
{
    struct strbuf name;
    strbuf_init(&name);
    tiling_name(&s->t, &name);
    const struct problem *q = s->problem;
    print_message("A %s%s B %s C %s %d bias %s quant %s relu %d hf32 %d scale layouts %d %d deq %g\n",
                  q->a.mx ? "mx " : "", dtype_info(q->a.dtype)->name, dtype_info(q->b.dtype)->name,
                  dtype_info(q->c.dtype)->name, q->c.format, dtype_info(q->bias.dtype)->name,
                  dtype_info(q->quant.dtype)->name, q->relu, q->hf32, q->scale_a.transpose, q->scale_b.transpose,
                  q->deq_scale);
    print_message("%s: batch %" PRId64 " M %" PRId64 " N %" PRId64 " K %" PRId64
                  " transposes %d %d formats %d %d ld %" PRId64 " %" PRId64 " %" PRId64 " tiling %s\n",
                  s->target->name, s->problem->batch, s->problem->M, s->problem->N, s->problem->K,
                  s->problem->a.transpose, s->problem->b.transpose, s->problem->a.format, s->problem->b.format,
                  s->problem->a.ld, s->problem->b.ld, s->problem->c.ld, strbuf_cstr(&name));
    for (int64_t g = 0; q->groups > 1 && g < q->groups; g++) {
        print_message("  group %" PRId64 ": %" PRId64 " rows\n", g, problem_group_rows(q, g));
    }
    strbuf_fini(&name);
}
