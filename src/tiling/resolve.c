/* resolve.c - the `auto` rules: one rule a field, in one place, in order.
 *
 * Source: kernel_rules.md 2.3, which follows the vendor tiler and its samples.
 * Integers only; fixed fields are never changed, only autos are. */
#include <string.h>

#include "base/intmath.h"
#include "tiling/loads.h"
#include "tiling/tiling.h"

struct resolver {
    const struct target *target;
    const struct problem *p;
    struct tiling *t;
    struct tiling given; /* as passed in: what is fixed */
    int64_t bits_a, bits_b;
};

static bool is_auto(const struct resolver *r, enum tiling_field f)
{
    return tiling_get(&r->given, f) == TILING_AUTO;
}

/* Sets an auto field; keeps a fixed one. */
static void rule(struct resolver *r, enum tiling_field f, int64_t value)
{
    if (is_auto(r, f)) {
        tiling_set(r->t, f, (int32_t)min_i64(value, INT32_MAX));
    }
}

static int64_t block_bytes(int64_t rows, int64_t cols, int64_t bits)
{
    return rows * cols * bits / 8;
}

/* Fields with a constant rule come first. */
static void resolve_choices(struct resolver *r)
{
    static const enum tiling_field constant[] = {
        TF_splitK, TF_splitKReduce, TF_assign,       TF_orderDirection, TF_iterateOrder, TF_stepM,
        TF_stepN,  TF_copyFirst,    TF_shuffleK,     TF_fullLoad,       TF_l1Resident,   TF_gemv,
        TF_l2A,    TF_l2B,          TF_l2C,          TF_kernel,         TF_api,          TF_waitBoth,
        TF_tileBarrier, TF_scaleFactorM, TF_scaleFactorN,
    };
    for (size_t i = 0; i < sizeof constant / sizeof constant[0]; i++) {
        rule(r, constant[i], tiling_field_info(constant[i])->def);
    }
    /* Parameters of an order imply the order, and the other way round. */
    rule(r, TF_orderRounds, 1);
    rule(r, TF_orderOffset, 1);
    rule(r, TF_order, r->t->orderRounds > 1 ? ORDER_L2SPLIT : ORDER_LINEAR);
    rule(r, TF_isBias, r->p->bias.dtype != DTYPE_NONE);
    rule(r, TF_loadA, load_recommended(r->target, r->p, ROLE_A));
    rule(r, TF_loadB, load_recommended(r->target, r->p, ROLE_B));
}

/* T3, T4 with both L0 buffers doubled. */
static bool base_fits(const struct resolver *r)
{
    const struct tiling *t = r->t;
    const int64_t db_a = is_auto(r, TF_dbL0A) ? 2 : t->dbL0A, db_b = is_auto(r, TF_dbL0B) ? 2 : t->dbL0B;
    const int64_t db_c = is_auto(r, TF_dbL0C) ? 1 : t->dbL0C;
    const int64_t k = align_up(t->baseK, load_unit(r->p, ROLE_A, AXIS_K));
    const int64_t m = align_up(t->baseM, load_unit(r->p, ROLE_A, AXIS_MN));
    const int64_t n = align_up(t->baseN, load_unit(r->p, ROLE_B, AXIS_MN));
    return block_bytes(m, k, r->bits_a) * db_a <= r->target->physical[BUF_L0A] &&
           block_bytes(n, k, r->bits_b) * db_b <= r->target->physical[BUF_L0B] &&
           m * n * 4 * db_c <= r->target->physical[BUF_L0C] &&
           (t->isBias == 0 || align_up(n * 4, 64) <= r->target->physical[BUF_BT]);
}

/* Halves an auto base field, floored to its unit; false if it cannot shrink. */
static bool halve(struct resolver *r, enum tiling_field f, int64_t unit)
{
    const int64_t v = tiling_get(r->t, f), half = v / 2 / unit * unit;
    if (!is_auto(r, f) || half < unit) {
        return false;
    }
    tiling_set(r->t, f, (int32_t)half);
    return true;
}

static void resolve_base(struct resolver *r)
{
    const struct problem *p = r->p;
    const bool both = p->a.transpose && !p->b.transpose;
    const int64_t unit_m = load_unit(p, ROLE_A, AXIS_MN), unit_n = load_unit(p, ROLE_B, AXIS_MN);
    const int64_t unit_k = p->a.mx ? 64 : max_i64(load_unit(p, ROLE_A, AXIS_K), load_unit(p, ROLE_B, AXIS_K));
    const int64_t m = both || r->target->physical[BUF_L0C] >= 262144 ? 256 : 128;
    rule(r, TF_baseM, min_i64(m, align_up(p->M, unit_m)));
    rule(r, TF_baseN, min_i64(both ? 128 : 256, align_up(p->N, unit_n)));
    rule(r, TF_baseK, min_i64(128 * 8 / r->bits_a, align_up(p->K, unit_k)));
    while (!base_fits(r)) {
        const bool n_first = r->t->baseN * r->bits_b >= r->t->baseM * r->bits_a;
        const enum tiling_field first = n_first ? TF_baseN : TF_baseM, second = n_first ? TF_baseM : TF_baseN;
        const int64_t unit_1 = n_first ? unit_n : unit_m, unit_2 = n_first ? unit_m : unit_n;
        if (!halve(r, first, unit_1) && !halve(r, second, unit_2) && !halve(r, TF_baseK, unit_k)) {
            break; /* what is fixed does not fit: plan_make says so */
        }
    }
}

static void resolve_l0(struct resolver *r)
{
    struct tiling *t = r->t;
    rule(r, TF_dbL0A, 2);
    rule(r, TF_dbL0B, 2);
    const bool unitflag = r->p->c.format == LAYOUT_ND && t->splitK == 1 && r->target->l0c_to_gm &&
                          !(t->dbL0C == 2 && !is_auto(r, TF_dbL0C)) && !tiling_widens_rows(r->target, r->p, t);
    rule(r, TF_unitflag, unitflag);
    const int64_t two = (int64_t)t->baseM * t->baseN * 8;
    rule(r, TF_dbL0C, two <= r->target->physical[BUF_L0C] && t->unitflag == 0 ? 2 : 1);
}

/* Cores along M and N: fewest tiles on the fullest core, then the squarest slice. */
static void resolve_grid(struct resolver *r)
{
    struct tiling *t = r->t;
    const struct problem *p = r->p;
    const int64_t limit = is_auto(r, TF_usedCoreNum) ? r->target->cores : t->usedCoreNum;
    const int64_t rounds = t->order == ORDER_L2SPLIT ? t->orderRounds : 1;
    int64_t best_m = 0, best_n = 0, best[3] = {INT64_MAX, 0, 0};
    for (int64_t mc = 1; mc <= limit; mc++) {
        const int64_t sm = is_auto(r, TF_singleCoreM) ? align_up(ceil_div(p->M, mc * rounds), t->baseM) : t->singleCoreM;
        for (int64_t nc = 1; nc * mc <= limit; nc++) {
            const int64_t sn = is_auto(r, TF_singleCoreN) ? align_up(ceil_div(p->N, nc), t->baseN) : t->singleCoreN;
            const int64_t key[3] = {ceil_div(sm, t->baseM) * ceil_div(sn, t->baseN), sm + sn, mc};
            const bool less = key[0] != best[0]   ? key[0] < best[0]
                              : key[1] != best[1] ? key[1] < best[1]
                                                  : key[2] < best[2];
            if (less) {
                memcpy(best, key, sizeof best);
                best_m = sm, best_n = sn;
            }
        }
    }
    rule(r, TF_singleCoreM, best_m);
    rule(r, TF_singleCoreN, best_n);
    const int64_t blocks = ceil_div(ceil_div(p->M, t->singleCoreM), rounds) * ceil_div(p->N, t->singleCoreN);
    rule(r, TF_usedCoreNum, min_i64(blocks, r->target->cores));
}

static void resolve_cores(struct resolver *r)
{
    struct tiling *t = r->t;
    if (t->assign == ASSIGN_BLOCKS) {
        rule(r, TF_singleCoreM, t->baseM);
        rule(r, TF_singleCoreN, t->baseN);
        const int64_t tiles = ceil_div(r->p->M, t->baseM) * ceil_div(r->p->N, t->baseN);
        rule(r, TF_usedCoreNum, min_i64(r->target->cores, tiles));
    } else {
        resolve_grid(r);
    }
    rule(r, TF_singleCoreK, ceil_div(r->p->K, t->splitK));
}

/* Steps of one operand that fill half of L1, its rows a multiple of 512 B (256 B). */
static int64_t step_for(const struct resolver *r, int64_t block, int64_t bits, int64_t l1)
{
    const int64_t nk = ceil_div(r->p->K, r->t->baseK);
    const int64_t row1 = r->t->baseK * bits / 8;
    int64_t step = max_i64(1, min_i64(l1 / 2 / block / 2, nk));
    if (step < nk && step * row1 > 256) {
        const int64_t unit = step * row1 > 512 ? 512 : 256;
        while (unit % row1 == 0 && step > 1 && step * row1 % unit != 0) {
            step--;
        }
    }
    return step;
}

static void resolve_steps(struct resolver *r)
{
    struct tiling *t = r->t;
    const int64_t reserve = t->kernel == KERNEL_MIX ? r->target->reserve_mix[BUF_L1] : 0;
    const int64_t l1 = r->target->physical[BUF_L1] - reserve;
    const int64_t k = align_up(t->baseK, load_unit(r->p, ROLE_A, AXIS_K));
    const int64_t block_a = block_bytes(align_up(t->baseM, load_unit(r->p, ROLE_A, AXIS_MN)), k, r->bits_a) * t->stepM;
    const int64_t block_b = block_bytes(align_up(t->baseN, load_unit(r->p, ROLE_B, AXIS_MN)), k, r->bits_b) * t->stepN;
    int64_t a = is_auto(r, TF_stepKa) ? step_for(r, block_a, r->bits_a, l1) : t->stepKa;
    int64_t b = is_auto(r, TF_stepKb) ? step_for(r, block_b, r->bits_b, l1) : t->stepKb;
    /* The larger becomes a multiple of the smaller, as far as it is free to. */
    if (a > b && is_auto(r, TF_stepKa)) {
        a = a / b * b;
    } else if (b > a && is_auto(r, TF_stepKb)) {
        b = b / a * a;
    }
    rule(r, TF_stepKa, a);
    rule(r, TF_stepKb, b);
}

/* dbX1 and depthX1 = stepMN * stepK * dbX1: each follows from the other. */
static void resolve_depth(struct resolver *r, enum tiling_field db, enum tiling_field depth, int32_t step, bool once)
{
    if (is_auto(r, db) && !is_auto(r, depth)) {
        const int32_t given = tiling_get(r->t, depth);
        rule(r, db, step > 0 && given == step ? 1 : 2);
    }
    rule(r, db, once ? 1 : 2);
    rule(r, depth, (int64_t)step * tiling_get(r->t, db));
}

static void resolve_depths(struct resolver *r)
{
    struct tiling *t = r->t;
    const int64_t nk = ceil_div(r->p->K, t->baseK);
    const int64_t tiles = t->assign == ASSIGN_BLOCKS
                              ? ceil_div(ceil_div(r->p->M, t->baseM) * ceil_div(r->p->N, t->baseN), t->usedCoreNum)
                              : ceil_div(t->singleCoreM, t->baseM) * ceil_div(t->singleCoreN, t->baseN);
    /* One chunk covers K and there is no other tile: a second buffer has no use. */
    resolve_depth(r, TF_dbA1, TF_depthA1, t->stepM * t->stepKa, t->stepKa >= nk && tiles == 1);
    resolve_depth(r, TF_dbB1, TF_depthB1, t->stepN * t->stepKb, t->stepKb >= nk && tiles == 1);
    rule(r, TF_scaleFactorKa, 1);
    rule(r, TF_scaleFactorKb, 1);
}

/* A fixed field below 1 would divide by zero in the rules: plan_make reports it. */
static bool positive(const struct tiling *t, struct infeasible *why)
{
    for (int f = 0; f < TF_N; f++) {
        const struct tiling_field_info *info = tiling_field_info((enum tiling_field)f);
        const int32_t v = tiling_get(t, (enum tiling_field)f);
        if (v != TILING_AUTO && v < info->min) {
            *why = (struct infeasible){.reason = REASON_RANGE, .field = (uint8_t)f, .need = info->min, .have = v};
            return false;
        }
    }
    return true;
}

void tiling_resolve(const struct target *target, const struct problem *p, struct tiling *t, struct infeasible *why)
{
    struct resolver r = {.target = target,
                         .p = p,
                         .t = t,
                         .given = *t,
                         .bits_a = dtype_info(p->a.dtype)->bits,
                         .bits_b = dtype_info(p->b.dtype)->bits};
    *why = (struct infeasible){.reason = REASON_NONE, .field = TF_N};
    if (!positive(t, why)) {
        return;
    }
    resolve_choices(&r);
    resolve_base(&r);
    resolve_cores(&r);
    resolve_l0(&r);
    resolve_steps(&r);
    resolve_depths(&r);
}
