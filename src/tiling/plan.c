/* plan.c - buffer addresses, event ids and feasibility of a resolved tiling.
 *
 * Checks run in the order of enum infeasible_reason, so the first one reported
 * is the simplest to understand. */
#include "tiling/plan.h"

#include <string.h>

#include "base/intmath.h"
#include "tiling/loads.h"
#include "tiling/supported.h"

#define L0C_ELEMENT 4 /* accumulators are 4 B whatever leaves (kernel_rules T4) */

struct planner {
    const struct target *target;
    const struct problem *p;
    const struct tiling *t;
    struct plan *plan;
    struct infeasible *why;
};

static bool fail(struct planner *pl, enum infeasible_reason reason, int buf, int field, int64_t need, int64_t have)
{
    /* The first reason stays. */
    if (pl->why->reason == REASON_NONE) {
        *pl->why = (struct infeasible){(uint16_t)reason, (uint8_t)buf, (uint8_t)field, need, have};
    }
    return false;
}

void plan_image(const struct problem *p, const struct tiling *t, enum role role, struct plan_image *out)
{
    const struct operand *o = role == ROLE_A ? &p->a : &p->b;
    const int64_t base = align_up(role == ROLE_A ? t->baseM : t->baseN, load_unit(p, role, AXIS_MN));
    const int64_t step_mn = role == ROLE_A ? t->stepM : t->stepN;
    const int64_t step_k = role == ROLE_A ? t->stepKa : t->stepKb;
    const int64_t k_unit = load_unit(p, role, AXIS_K);
    const int64_t chunk = align_up((int64_t)t->baseK * step_k, k_unit);
    const int64_t c0 = dtype_c0(o->dtype);
    const bool k_contiguous = load_k_contiguous(p, role);
    const int64_t rows = k_contiguous ? base * step_mn : chunk;
    const int64_t cols = align_up(k_contiguous ? chunk : base * step_mn, c0);
    out->rows = (int32_t)align_up(rows, 16);
    out->l1_cols = (int32_t)cols;
    out->l1_bytes = (int64_t)out->rows * (cols / c0) * 32;
    out->l0_bytes = dtype_bytes(o->dtype, base * align_up(t->baseK, k_unit));
}

/* --- rules on single fields ---------------------------------------------- */

static bool check_ranges(struct planner *pl)
{
    for (int f = 0; f < TF_N; f++) {
        const struct tiling_field_info *info = tiling_field_info((enum tiling_field)f);
        const int32_t v = tiling_get(pl->t, (enum tiling_field)f);
        if (v < info->min || v > info->max) {
            return fail(pl, REASON_RANGE, 0, f, v < info->min ? info->min : info->max, v);
        }
    }
    return true;
}

static bool check_multiple(struct planner *pl, enum tiling_field f, int64_t unit)
{
    const int64_t v = tiling_get(pl->t, f);
    return v % unit == 0 || fail(pl, REASON_MULTIPLE, 0, (int)f, unit, v);
}

/* T8: the units of the loads; MX works on 64 k. */
static bool check_multiples(struct planner *pl)
{
    const struct problem *p = pl->p;
    const int64_t k = p->a.mx ? 64 : max_i64(load_unit(p, ROLE_A, AXIS_K), load_unit(p, ROLE_B, AXIS_K));
    return check_multiple(pl, TF_baseM, 16) && check_multiple(pl, TF_baseN, 16) && check_multiple(pl, TF_baseK, k);
}

/* T1: slices must not outnumber cores, nor cores the chip's. */
static bool check_cores(struct planner *pl)
{
    const struct tiling *t = pl->t;
    if (t->usedCoreNum > pl->target->cores) {
        return fail(pl, REASON_CORES, 0, TF_usedCoreNum, t->usedCoreNum, pl->target->cores);
    }
    if (t->assign == ASSIGN_BLOCKS) {
        return true;
    }
    const int64_t rounds = t->order == ORDER_L2SPLIT ? t->orderRounds : 1;
    const int64_t blocks =
        ceil_div(ceil_div(pl->p->M, t->singleCoreM), rounds) * ceil_div(pl->p->N, t->singleCoreN) * t->splitK;
    return blocks <= t->usedCoreNum || fail(pl, REASON_CORES, 0, TF_usedCoreNum, blocks, t->usedCoreNum);
}

static bool check_depth(struct planner *pl, enum tiling_field depth, int32_t step, int32_t db)
{
    const int32_t v = tiling_get(pl->t, depth);
    return v == step * db || fail(pl, REASON_DEPTH, 0, (int)depth, step, v);
}

/* Fields that exclude each other. */
static bool check_contradictions(struct planner *pl)
{
    const struct tiling *t = pl->t;
    if (t->unitflag == 1 && t->dbL0C == 2) {
        return fail(pl, REASON_CONTRADICTION, 0, TF_unitflag, TF_dbL0C, 1);
    }
    if (t->unitflag == 1 && tiling_widens_rows(pl->target, pl->p, t)) {
        return fail(pl, REASON_CONTRADICTION, 0, TF_unitflag, TF_N, 1);
    }
    if (t->unitflag == 1 && t->splitK > 1) {
        return fail(pl, REASON_CONTRADICTION, 0, TF_unitflag, TF_splitK, 1);
    }
    if (t->order == ORDER_LINEAR && t->orderRounds > 1) {
        return fail(pl, REASON_CONTRADICTION, 0, TF_order, TF_orderRounds, t->order);
    }
    if (t->assign == ASSIGN_BLOCKS && t->order == ORDER_L2SPLIT) {
        return fail(pl, REASON_CONTRADICTION, 0, TF_assign, TF_order, t->assign);
    }
    if (t->assign == ASSIGN_GRID &&
        (t->order == ORDER_SWIZZLE || t->order == ORDER_ASWT || t->order == ORDER_CHUNK)) {
        return fail(pl, REASON_CONTRADICTION, 0, TF_assign, TF_order, t->assign);
    }
    return true;
}

static bool check_loads(struct planner *pl)
{
    if (!load_offered(pl->target, pl->p, ROLE_A, (enum tiling_load)pl->t->loadA)) {
        return fail(pl, REASON_LOAD, BUF_L0A, TF_loadA, 0, pl->t->loadA);
    }
    return load_offered(pl->target, pl->p, ROLE_B, (enum tiling_load)pl->t->loadB) ||
           fail(pl, REASON_LOAD, BUF_L0B, TF_loadB, 0, pl->t->loadB);
}

static bool check_dtypes(struct planner *pl)
{
    return pl->target->rate[pl->p->a.dtype] > 0 || fail(pl, REASON_DTYPE, 0, TF_N, 0, pl->p->a.dtype);
}

/* --- regions ------------------------------------------------------------- */

static void add_region(struct planner *pl, struct region r)
{
    struct plan *plan = pl->plan;
    if (plan->n < PLAN_REGIONS) {
        plan->r[plan->n++] = r;
    }
    plan->peak[r.buf] = max_i64(plan->peak[r.buf], r.off + r.size);
}

/* L1: A ping, A pong, B ping, B pong, one after the other. */
static void plan_l1(struct planner *pl)
{
    static const enum role roles[] = {ROLE_A, ROLE_B};
    int64_t off = 0;
    for (int i = 0; i < 2; i++) {
        struct plan_image image;
        plan_image(pl->p, pl->t, roles[i], &image);
        const int32_t count = roles[i] == ROLE_A ? pl->t->dbA1 : pl->t->dbB1;
        for (int32_t half = 0; half < count; half++) {
            add_region(pl, (struct region){.buf = BUF_L1,
                                           .role = (uint8_t)roles[i],
                                           .half = (uint8_t)half,
                                           .pitch = image.rows,
                                           .off = off,
                                           .size = image.l1_bytes,
                                           .used = image.l1_bytes});
            off += image.l1_bytes;
        }
    }
}

/* L0A, L0B, L0C: the second buffer starts at half the memory. */
static void plan_l0(struct planner *pl, enum buffer buf, enum role role, int32_t count, int64_t bytes, int32_t pitch)
{
    const int64_t half_at = pl->target->physical[buf] / 2;
    for (int32_t half = 0; half < count; half++) {
        /* When it does not fit anyway, stack the halves so that `peak` says what it would need. */
        const int64_t off = half * (bytes <= half_at ? half_at : bytes);
        add_region(pl, (struct region){.buf = (uint8_t)buf,
                                       .role = (uint8_t)role,
                                       .half = (uint8_t)half,
                                       .pitch = pitch,
                                       .off = off,
                                       .size = bytes,
                                       .used = bytes});
    }
}

static void plan_regions(struct planner *pl)
{
    const struct tiling *t = pl->t;
    struct plan_image a, b;
    plan_image(pl->p, t, ROLE_A, &a);
    plan_image(pl->p, t, ROLE_B, &b);
    plan_l1(pl);
    plan_l0(pl, BUF_L0A, ROLE_A, t->dbL0A, a.l0_bytes, t->baseM);
    plan_l0(pl, BUF_L0B, ROLE_B, t->dbL0B, b.l0_bytes, t->baseN);
    const int64_t m = align_up(t->baseM, load_unit(pl->p, ROLE_A, AXIS_MN));
    const int64_t n = align_up(t->baseN, load_unit(pl->p, ROLE_B, AXIS_MN));
    plan_l0(pl, BUF_L0C, ROLE_C, t->dbL0C, m * n * L0C_ELEMENT, (int32_t)m);
}

static void plan_events(struct planner *pl)
{
    const struct tiling *t = pl->t;
    uint8_t *e = pl->plan->events_used;
    const uint8_t l1 = (uint8_t)(t->dbA1 + t->dbB1);
    const uint8_t l0 = (uint8_t)(t->dbL0A == t->dbL0B ? t->dbL0A : t->dbL0A + t->dbL0B);
    e[EVENT_MTE1_MTE2] = e[EVENT_MTE2_MTE1] = l1;
    e[EVENT_M_MTE1] = e[EVENT_MTE1_M] = l0;
    e[EVENT_M_FIX] = e[EVENT_FIX_M] = t->unitflag ? 0 : (uint8_t)t->dbL0C;
}

/* Bytes all halves of a role take, which is what the rule T3/T4/T7 speaks of. */
static int64_t need_of(const struct plan *plan, enum buffer buf)
{
    int64_t sum = 0;
    for (int i = 0; i < plan->n; i++) {
        sum += plan->r[i].buf == buf ? plan->r[i].size : 0;
    }
    return sum;
}

static bool check_buffers(struct planner *pl)
{
    static const struct {
        enum buffer buf;
        enum tiling_field field; /* the field to lower first */
    } order[] = {{BUF_L0C, TF_baseM}, {BUF_L0A, TF_baseM}, {BUF_L0B, TF_baseN}, {BUF_L1, TF_stepKa}, {BUF_BT, TF_baseN},
                 {BUF_FB, TF_baseN}};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const int64_t need = need_of(pl->plan, order[i].buf), have = pl->plan->usable[order[i].buf];
        if (need > have) {
            fail(pl, REASON_BUFFER, order[i].buf, (int)order[i].field, need, have);
        }
    }
    return pl->why->reason == REASON_NONE;
}

static bool check_events(struct planner *pl)
{
    for (int e = 0; e < HARD_EVENT_N; e++) {
        if (pl->plan->events_used[e] > pl->target->event_ids) {
            return fail(pl, REASON_EVENTS, 0, TF_N, pl->plan->events_used[e], pl->target->event_ids);
        }
    }
    return true;
}

bool plan_make(const struct target *target, const struct problem *p, const struct tiling *t, struct plan *out,
               struct infeasible *why)
{
    struct planner pl = {target, p, t, out, why};
    memset(out, 0, sizeof *out);
    *why = (struct infeasible){.reason = REASON_NONE, .field = TF_N};
    for (int b = 0; b < BUF_N; b++) {
        out->physical[b] = target->physical[b];
        out->usable[b] = target->physical[b] - (t->kernel == KERNEL_MIX ? target->reserve_mix[b] : 0);
    }
    if (!check_ranges(&pl) || !check_dtypes(&pl) || !check_loads(&pl) || !plan_supported(target, p, t, why) ||
        !check_multiples(&pl)) {
        return false;
    }
    plan_regions(&pl);
    plan_events(&pl);
    return check_buffers(&pl) && check_cores(&pl) && check_depth(&pl, TF_depthA1, t->stepM * t->stepKa, t->dbA1) &&
           check_depth(&pl, TF_depthB1, t->stepN * t->stepKb, t->dbB1) && check_contradictions(&pl) &&
           check_events(&pl);
}

const struct region *plan_region(const struct plan *plan, enum buffer buf, enum role role, int half)
{
    for (int i = 0; i < plan->n; i++) {
        const struct region *r = &plan->r[i];
        if (r->buf == buf && r->role == role && r->half == half) {
            return r;
        }
    }
    return NULL;
}
