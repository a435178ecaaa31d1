/* On 10^5 random (problem, target, tiling): plan_fits() says what the formulas
 * of kernel_rules.md say, typed a second time in support/formula.c; and the
 * regions of a plan are disjoint, aligned and inside the usable memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "support/formula.h"
#include "support/points.h"
#include "tiling/dtypes.h"
#include "tiling/loads.h"
#include "tiling/plan.h"

#define POINTS 100000
#define SEED   20250607

static const char *const TARGETS[] = {"ascend910b1", "ascend950pr_9589", "ascend910c", "ascend310p3",
                                      "ascend310b1", "ascend910a",       "kirin_x90",  "kirin_9030"};
#define TARGET_COUNT (sizeof TARGETS / sizeof TARGETS[0])

static int64_t between(struct rng *rng, int64_t lo, int64_t hi)
{
    return rng_between(rng, lo, hi);
}

static bool chance(struct rng *rng, int percent)
{
    return rng_below(rng, 100) < (uint64_t)percent;
}

/* From 1 to 2^bits, each binary order equally likely. */
static int64_t log_size(struct rng *rng, int bits)
{
    const int64_t top = (int64_t)1 << between(rng, 0, bits);
    return between(rng, max_i64(1, top / 2), top);
}

/* --- random problems ------------------------------------------------------- */

/* Mostly what the product offers, sometimes anything. */
static void random_dtypes(const struct target *target, struct rng *rng, struct problem *p)
{
    static const enum dtype any[] = {DTYPE_INT4, DTYPE_FP4_E2M1, DTYPE_INT8, DTYPE_UINT8, DTYPE_FP8_E4M3,
                                     DTYPE_HIF8, DTYPE_HALF,     DTYPE_BF16, DTYPE_FLOAT, DTYPE_INT32};
    size_t count;
    const struct mmad_triple *forms = mmad_triples(&count), *form;
    do {
        form = &forms[rng_below(rng, count)];
    } while ((form->products >> target->product & 1U) == 0);
    p->a.dtype = (enum dtype)form->a, p->b.dtype = (enum dtype)form->b;
    p->a.mx = p->b.mx = form->mx;
    do {
        p->c.dtype = any[rng_below(rng, sizeof any / sizeof any[0])];
        p->quant.dtype = chance(rng, 8) ? DTYPE_UINT64 : DTYPE_NONE;
    } while (dtypes_conversion(target, (enum dtype)form->c, p->c.dtype, p->quant.dtype != DTYPE_NONE) == QUANT_N &&
             target->l0c_to_gm && !chance(rng, 2));
    if (chance(rng, 2)) {
        p->b.dtype = any[rng_below(rng, 9)];
    }
    if (chance(rng, 20)) {
        p->bias.dtype = form->bias != DTYPE_NONE && chance(rng, 90) ? (enum dtype)form->bias : any[rng_below(rng, 10)];
    }
    p->scale_a.dtype = p->scale_b.dtype = p->a.mx ? DTYPE_E8M0 : DTYPE_NONE;
}

static void random_conv(struct rng *rng, struct problem *p)
{
    struct conv_shape *v = &p->conv;
    const int64_t c0 = dtype_c0(p->a.dtype);
    p->op = PROBLEM_CONV;
    *v = (struct conv_shape){.n = 1,
                             .c = log_size(rng, 9),
                             .h = between(rng, 7, 120),
                             .w = between(rng, 7, 120),
                             .cout = log_size(rng, 10),
                             .kh = between(rng, 1, 5),
                             .kw = between(rng, 1, 5),
                             .groups = 1,
                             .stride_h = (int32_t)between(rng, 1, 2),
                             .stride_w = (int32_t)between(rng, 1, 2),
                             .dilation_h = 1,
                             .dilation_w = 1,
                             .pad_top = (int32_t)between(rng, 0, 2),
                             .pad_left = (int32_t)between(rng, 0, 2)};
    const int64_t ho = (v->h + v->pad_top - v->kh) / v->stride_h + 1,
                  wo = (v->w + v->pad_left - v->kw) / v->stride_w + 1;
    p->M = ho * wo;
    p->N = v->cout;
    p->K = ceil_div(v->c, c0) * v->kh * v->kw * c0;
    p->a.format = p->c.format = LAYOUT_NC1HWC0;
    p->b.format = LAYOUT_FRACTAL_Z;
}

static void random_problem(const struct target *target, struct rng *rng, struct problem *p)
{
    memset(p, 0, sizeof *p);
    random_dtypes(target, rng, p);
    p->M = chance(rng, 10) ? 1 : log_size(rng, 14);
    p->N = log_size(rng, 14);
    p->K = log_size(rng, chance(rng, 10) ? 20 : 14);
    if (dtype_info(p->a.dtype)->bits == 4 && chance(rng, 90)) {
        p->M = align_up(p->M, 2), p->N = align_up(p->N, 2), p->K = align_up(p->K, 2);
    }
    p->a.transpose = chance(rng, 35);
    p->b.transpose = chance(rng, 55);
    p->a.format = chance(rng, 15) ? LAYOUT_NZ : LAYOUT_ND;
    p->b.format = chance(rng, 15) ? LAYOUT_NZ : LAYOUT_ND;
    if (chance(rng, 10) && !p->a.mx) {
        random_conv(rng, p);
    }
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
}

/* --- random tilings -------------------------------------------------------- */

static int32_t random_value(struct rng *rng, enum tiling_field f)
{
    const struct tiling_field_info *info = tiling_field_info(f);
    const bool extreme = chance(rng, 4); /* fields of instructions overflow before buffers do */
    switch (f) {
    case TF_baseM:
    case TF_baseN:
        return extreme ? 16 : (int32_t)between(rng, 1, 40) * (chance(rng, 95) ? 16 : 8);
    case TF_baseK:
        return extreme ? 4064 : (int32_t)between(rng, 1, 16) * (chance(rng, 80) ? 32 : 16);
    case TF_singleCoreM:
    case TF_singleCoreN:
    case TF_singleCoreK:
        return (int32_t)log_size(rng, 14);
    case TF_stepM:
    case TF_stepN:
        return (int32_t)between(rng, 1, 3);
    case TF_usedCoreNum:
        return (int32_t)between(rng, 1, 40);
    case TF_stepKa:
    case TF_stepKb:
    case TF_depthA1:
    case TF_depthB1:
        return (int32_t)log_size(rng, extreme ? 13 : 6);
    case TF_scaleFactorKa:
    case TF_scaleFactorKb:
    case TF_scaleFactorM:
    case TF_scaleFactorN:
    case TF_splitK:
        return (int32_t)log_size(rng, 4);
    default:
        return (int32_t)between(rng, info->min - (chance(rng, 5) ? 1 : 0),
                                min_i64(info->max, 8) + (chance(rng, 5) ? 1 : 0));
    }
}

/* Some fields fixed, the others auto; then a few overwritten. */
static void random_tiling(const struct target *target, const struct problem *p, struct rng *rng, struct tiling *t)
{
    struct infeasible why;
    static const enum tiling_field shape[] = {TF_baseM, TF_baseN, TF_baseK, TF_stepKa, TF_stepKb,
                                              TF_dbL0A, TF_dbL0B, TF_dbL0C, TF_dbA1,   TF_dbB1};
    tiling_all_auto(t);
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
        if (chance(rng, 25)) {
            tiling_set(t, shape[i], random_value(rng, shape[i]));
        }
    }
    for (uint64_t i = rng_below(rng, 3); i > 0; i--) {
        const enum tiling_field f = (enum tiling_field)rng_below(rng, TF_N);
        tiling_set(t, f, random_value(rng, f));
    }
    t->assign = chance(rng, 30) ? ASSIGN_BLOCKS : t->assign;
    tiling_resolve(target, p, t, &why);
    for (int f = 0; f < TF_N; f++) {
        if (tiling_get(t, (enum tiling_field)f) == TILING_AUTO) {
            tiling_set(t, (enum tiling_field)f, tiling_field_info((enum tiling_field)f)->def);
        }
    }
    for (uint64_t i = rng_below(rng, 3) * rng_below(rng, 2); i > 0; i--) {
        const enum tiling_field f = (enum tiling_field)rng_below(rng, TF_N);
        tiling_set(t, f, random_value(rng, f));
    }
}

/* --- the checks ------------------------------------------------------------- */

static _Noreturn void fail_point(const struct target *target, const struct problem *p, const struct tiling *t, int i,
                                 const char *what, const char *detail)
{
    struct strbuf name;
    strbuf_init(&name);
    tiling_name(t, &name);
    fail_msg("seed %d point %d: %s %s on %s: op %d M %" PRId64 " N %" PRId64 " K %" PRId64
             " A %s%s t%d f%d, B %s t%d f%d, C %s bias %s quant %d; %s depth %d %d",
             SEED, i, what, detail, target->name, p->op, p->M, p->N, p->K, p->a.mx ? "mx_" : "",
             dtype_info(p->a.dtype)->name, p->a.transpose, p->a.format, dtype_info(p->b.dtype)->name, p->b.transpose,
             p->b.format, dtype_info(p->c.dtype)->name, dtype_info(p->bias.dtype)->name, p->quant.dtype != DTYPE_NONE,
             strbuf_cstr(&name), t->depthA1, t->depthB1);
    abort();
}

static int64_t alignment(const struct problem *p, enum buffer buf)
{
    switch (buf) {
    case BUF_L1:
        return 32;
    case BUF_L0A:
        return p->a.mx && dtype_info(p->a.dtype)->bits == 8 ? 1024 : 512;
    case BUF_L0B:
        return p->b.mx && dtype_info(p->b.dtype)->bits == 8 ? 1024 : 512;
    case BUF_L0C:
        return 1024;
    case BUF_BT:
        return 64;
    case BUF_FB:
        return 128;
    default:
        return 32;
    }
}

/* NULL, or what is wrong with the regions of a plan that fits. */
static const char *regions_wrong(const struct problem *p, const struct plan *plan)
{
    for (int i = 0; i < plan->n; i++) {
        const struct region *r = &plan->r[i];
        if (r->size <= 0 || r->used <= 0 || r->used > r->size) {
            return "size";
        }
        if (r->off % alignment(p, (enum buffer)r->buf) != 0) {
            return "alignment";
        }
        if (r->off < 0 || r->off + r->size > plan->usable[r->buf] || r->off + r->size > plan->peak[r->buf]) {
            return "outside";
        }
        for (int k = 0; k < i; k++) {
            const struct region *o = &plan->r[k];
            if (o->buf == r->buf && o->off < r->off + r->size && r->off < o->off + o->size) {
                return "overlap";
            }
        }
        const bool scales = r->buf == BUF_L0A_MX || r->buf == BUF_L0B_MX;
        const struct region *data = plan_region(plan, r->buf == BUF_L0A_MX ? BUF_L0A : BUF_L0B,
                                                r->buf == BUF_L0A_MX ? ROLE_A : ROLE_B, r->half);
        if (scales && (data == NULL || data->off != r->off * 16)) {
            return "scales are not at data / 16";
        }
    }
    return NULL;
}

static void plan_is_the_formulas(void **state)
{
    (void)state;
    struct arena arena;
    struct rng rng = rng_init(SEED);
    const struct target *targets[TARGET_COUNT];
    int fits = 0, per_reason[REASON_N] = {0};
    arena_init(&arena);
    for (size_t i = 0; i < TARGET_COUNT; i++) {
        targets[i] = point_target(TARGETS[i], &arena);
    }
    for (int i = 0; i < POINTS; i++) {
        const size_t pick = chance(&rng, 60) ? rng_below(&rng, 2) : rng_below(&rng, TARGET_COUNT);
        const struct target *target = targets[pick];
        struct problem p;
        struct tiling t;
        struct plan plan;
        struct infeasible why;
        random_problem(target, &rng, &p);
        random_tiling(target, &p, &rng, &t);
        const char *broken = formula_broken(target, &p, &t);
        const bool fit = plan_fits(target, &p, &t, &plan, &why);
        if (fit != (broken == NULL)) {
            struct strbuf text;
            strbuf_init(&text);
            infeasible_text(&why, &t, &text);
            fail_point(target, &p, &t, i,
                       fit ? "only the formulas object:" : "only the plan objects:", fit ? broken : strbuf_cstr(&text));
        }
        const char *wrong = fit ? regions_wrong(&p, &plan) : NULL;
        if (wrong != NULL) {
            fail_point(target, &p, &t, i, "regions:", wrong);
        }
        fits += fit;
        per_reason[why.reason]++;
    }
    for (int r = 0; r < REASON_N; r++) {
        print_message("%-14s %d\n", infeasible_reason_name((enum infeasible_reason)r), per_reason[r]);
    }
    /* Both answers must be common for the equality to mean anything. */
    assert_in_range(fits, POINTS / 5, POINTS * 4 / 5);
    for (int r = REASON_RANGE; r < REASON_N; r++) {
        const bool may_be_rare = r == REASON_WHERE || r == REASON_UNSUPPORTED || r == REASON_EVENTS ||
                                 r == REASON_FIELD_WIDTH; /* memory ends first on nearly every chip */
        assert_true(may_be_rare || per_reason[r] >= 20);
    }
    arena_fini(&arena);
}

/* The auto rules alone never make a tiling that does not fit: what remains are
 * operands the chip does not take. Choices that change what must fit (bias,
 * quant, mix, full loads, split K) may be fixed. */
static void auto_always_fits(void **state)
{
    (void)state;
    struct arena arena;
    struct rng rng = rng_init(SEED + 1);
    int fits = 0;
    arena_init(&arena);
    const struct target *targets[TARGET_COUNT];
    for (size_t i = 0; i < TARGET_COUNT; i++) {
        targets[i] = point_target(TARGETS[i], &arena);
    }
    for (int i = 0; i < POINTS / 4; i++) {
        const struct target *target = targets[rng_below(&rng, TARGET_COUNT)];
        struct problem p;
        struct tiling t;
        struct plan plan;
        struct infeasible why;
        random_problem(target, &rng, &p);
        tiling_all_auto(&t);
        t.kernel = chance(&rng, 10) ? KERNEL_MIX : TILING_AUTO;
        t.assign = chance(&rng, 30) ? ASSIGN_BLOCKS : TILING_AUTO;
        t.dbL0C = chance(&rng, 20) ? 2 : TILING_AUTO;
        t.gemv = chance(&rng, 5) && load_k_contiguous(&p, ROLE_A) && p.op == PROBLEM_MATMUL ? 1 : TILING_AUTO;
        t.api = chance(&rng, 20) && p.a.format == LAYOUT_ND && p.b.format == LAYOUT_ND ? API_HIGH : TILING_AUTO;
        tiling_resolve(target, &p, &t, &why);
        const bool fit = why.reason == REASON_NONE && plan_fits(target, &p, &t, &plan, &why);
        const bool no_such_operand = why.reason == REASON_DTYPE || why.reason == REASON_LOAD ||
                                     why.reason == REASON_OPERAND;
        if (!fit && !no_such_operand) {
            struct strbuf text;
            strbuf_init(&text);
            infeasible_text(&why, &t, &text);
            fail_point(target, &p, &t, i, "auto does not fit:", strbuf_cstr(&text));
        }
        fits += fit;
    }
    assert_in_range(fits, POINTS / 10, POINTS / 4);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plan_is_the_formulas), cmocka_unit_test(auto_always_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
