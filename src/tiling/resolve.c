/* resolve.c - the `auto` rules: one rule a field, in one place, in order.
 *
 * Source: kernel_rules.md 2.3, which follows the vendor tiler and its samples.
 * Integers only; fixed fields are never changed, only autos are. */
#include <string.h>

#include "base/intmath.h"
#include "tiling/conv_auto.h"
#include "tiling/dtypes.h"
#include "tiling/loads.h"
#include "tiling/plan.h"

struct resolver {
    const struct target *target;
    const struct problem *p;
    struct tiling *t;
    struct tiling given; /* as passed in: what is fixed */
    int64_t bits_a, bits_b;
    int64_t unit_m;      /* baseM is a multiple of it */
    int64_t l0c_element; /* bytes */
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
        TF_orderDirection, TF_iterateOrder, TF_stepM,        TF_stepN,   TF_copyFirst, TF_shuffleK,   TF_fullLoad,
        TF_l1Resident,     TF_gemv,         TF_l2A,          TF_l2B,     TF_l2C,       TF_api,        TF_waitBoth,
        TF_tileBarrier,    TF_scaleFactorM, TF_scaleFactorN, TF_rowCopy, TF_scaleCopy, TF_loadRepeat,
    };
    struct tiling *t = r->t;
    for (size_t i = 0; i < sizeof constant / sizeof constant[0]; i++) {
        rule(r, constant[i], tiling_field_info(constant[i])->def);
    }
    /* Slices shorter than K are parts of a split K. */
    const bool parts = !is_auto(r, TF_singleCoreK) && t->singleCoreK < r->p->K;
    rule(r, TF_splitK, parts ? ceil_div(r->p->K, t->singleCoreK) : 1);
    /* Parts must be summed somehow; what a workspace holds, vector cores add. */
    const bool wide = dtype_info(r->p->c.dtype)->bits == 32; /* else partial sums would be rounded */
    rule(r, TF_splitKReduce, t->splitK == 1 ? REDUCE_NONE : wide ? REDUCE_ATOMIC : REDUCE_WORKSPACE);
    rule(r, TF_kernel, t->splitK > 1 && t->splitKReduce == REDUCE_WORKSPACE ? KERNEL_MIX : KERNEL_CUBE);
    /* Parameters of an order imply the order, and the other way round. */
    rule(r, TF_orderRounds, 1);
    rule(r, TF_orderOffset, 1);
    rule(r, TF_order, t->orderRounds > 1 ? ORDER_L2SPLIT : t->orderOffset > 1 ? ORDER_SWIZZLE : ORDER_LINEAR);
    /* Orders of tiles need tiles dealt to cores, and so do groups. */
    const bool of_tiles = t->order == ORDER_SWIZZLE || t->order == ORDER_ASWT || t->order == ORDER_CHUNK;
    rule(r, TF_assign, of_tiles || r->p->groups > 1 ? ASSIGN_BLOCKS : ASSIGN_GRID);
    rule(r, TF_isBias, r->p->bias.dtype != DTYPE_NONE);
    rule(r, TF_loadA, load_recommended(r->target, r->p, ROLE_A));
    rule(r, TF_loadB, load_recommended(r->target, r->p, ROLE_B));
}

/* T3, T4, T5 as plan_fits() will judge them, with both L0 buffers doubled and
 * L0C single where they are free. */
static bool base_fits(const struct resolver *r)
{
    const struct tiling *t = r->t;
    const struct target *target = r->target;
    const int64_t db_a = is_auto(r, TF_dbL0A) ? 2 : t->dbL0A, db_b = is_auto(r, TF_dbL0B) ? 2 : t->dbL0B;
    const int64_t db_c = is_auto(r, TF_dbL0C) ? 1 : t->dbL0C;
    const int64_t m = align_up(t->baseM, load_unit(r->p, ROLE_A, AXIS_MN));
    const int64_t n = align_up(t->baseN, load_unit(r->p, ROLE_B, AXIS_MN));
    const int64_t a = block_bytes(m, align_up(t->baseK, load_unit(r->p, ROLE_A, AXIS_K)), r->bits_a) * db_a;
    const int64_t b = block_bytes(n, align_up(t->baseK, load_unit(r->p, ROLE_B, AXIS_K)), r->bits_b) * db_b;
    int64_t acc_m, acc_n;
    plan_accumulator(target, r->p, t, &acc_m, &acc_n);
    return a <= target->physical[BUF_L0A] && b <= target->physical[BUF_L0B] &&
           acc_m * acc_n * r->l0c_element * db_c <= target->physical[BUF_L0C] &&
           /* Without BT or FB no block helps: the dtype rule says so. */
           (t->isBias == 0 || target->physical[BUF_BT] == 0 || align_up(acc_n * 4, 64) <= target->physical[BUF_BT]) &&
           (r->p->quant.dtype == DTYPE_NONE || target->fb_columns == 0 || acc_n <= target->fb_columns);
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
    const bool both = p->a.transpose && p->b.transpose && p->op == PROBLEM_MATMUL;
    const int64_t unit_n = load_unit(p, ROLE_B, AXIS_MN);
    /* Vectors are cut into whole fractals. */
    const int64_t vector = r->t->gemv == 1 ? max_i64(16 * dtype_c0(p->a.dtype), p->a.mx ? 32 * 32 : 1) : 1;
    const int64_t unit_k = lcm_i64(max_i64(load_unit(p, ROLE_A, AXIS_K), load_unit(p, ROLE_B, AXIS_K)), vector);
    const int64_t m = both || r->target->physical[BUF_L0C] >= 262144 ? 256 : 128;
    rule(r, TF_baseM, min_i64(m, align_up(problem_most_rows(p), r->unit_m)));
    rule(r, TF_baseN, min_i64(both ? 128 : 256, align_up(p->N, unit_n)));
    const int64_t k = min_i64(align_up(128 * 8 / r->bits_a, unit_k), align_up(p->K, unit_k));
    rule(r, TF_baseK, p->op == PROBLEM_CONV ? conv_auto_base_k(p, k) : k);
    while (conv_map_heavy(r->target, p, r->t) && halve(r, TF_baseM, r->unit_m)) {
    }
    while (!base_fits(r)) {
        const bool n_first = r->t->baseN * r->bits_b >= r->t->baseM * r->bits_a;
        const enum tiling_field first = n_first ? TF_baseN : TF_baseM, second = n_first ? TF_baseM : TF_baseN;
        const int64_t unit_1 = n_first ? unit_n : r->unit_m, unit_2 = n_first ? r->unit_m : unit_n;
        if (!halve(r, first, unit_1) && !halve(r, second, unit_2) && !halve(r, TF_baseK, unit_k)) {
            break; /* what is fixed does not fit: plan_fits says so */
        }
    }
}

static void resolve_l0(struct resolver *r)
{
    struct tiling *t = r->t;
    rule(r, TF_dbL0A, 2);
    rule(r, TF_dbL0B, 2);
    const bool two_fixed = t->dbL0C == 2 && !is_auto(r, TF_dbL0C);
    const bool widens = tiling_widens_rows(r->target, r->p, t) || tiling_widens_columns(r->target, r->p, t);
    const bool unitflag = r->p->c.format == LAYOUT_ND && t->splitK == 1 && dtypes_unitflag_offered(r->target) &&
                          !two_fixed && !widens;
    rule(r, TF_unitflag, unitflag);
    int64_t m, n;
    plan_accumulator(r->target, r->p, t, &m, &n);
    rule(r, TF_dbL0C, m * n * r->l0c_element * 2 <= r->target->physical[BUF_L0C] && t->unitflag == 0 ? 2 : 1);
}

/* cd(a, b) for 1 <= a, b < 2^32: a narrow division costs a third of a wide one,
 * and the search below is made of divisions. */
static uint32_t cd32(uint32_t a, uint32_t b)
{
    return (a - 1) / b + 1;
}

/* Tiles of a slice when an axis is cut for `cuts` cores, or of the given slice. */
static uint32_t slice_tiles(const struct resolver *r, enum tiling_field slice, int64_t size, uint32_t cuts,
                            uint32_t base)
{
    return is_auto(r, slice) ? cd32(cd32((uint32_t)size, cuts), base) : cd32((uint32_t)tiling_get(r->t, slice), base);
}

/* Cores along M and N: fewest tiles on the fullest core, then the squarest
 * slice, then fewest cores along M. For a count along M the most cores along N
 * are never worse: sN does not grow with them, and it is all the key sees. */
static void resolve_grid(struct resolver *r)
{
    struct tiling *t = r->t;
    const struct problem *p = r->p;
    const int64_t chip = is_auto(r, TF_usedCoreNum) ? r->target->cores : t->usedCoreNum;
    const uint32_t limit = (uint32_t)max_i64(1, chip / t->splitK); /* each part of K has its own cores */
    const uint32_t rounds = (uint32_t)(t->order == ORDER_L2SPLIT ? t->orderRounds : 1);
    const uint32_t base_m = (uint32_t)t->baseM, base_n = (uint32_t)t->baseN;
    /* Images and groups of a conv may have cores of their own. */
    const uint32_t planes = p->op == PROBLEM_CONV ? (uint32_t)p->batch : 1;
    const uint32_t most_ways = planes < limit ? planes : limit;
    int64_t best_m = 0, best_n = 0, best_tiles = INT64_MAX, best_ways = 1;
    for (uint32_t ways = 1; ways <= most_ways; ways++) {
        for (uint32_t mc = 1; mc <= limit / ways; mc++) {
            const int64_t tm = slice_tiles(r, TF_singleCoreM, p->M, mc * rounds, base_m);
            const int64_t tn = slice_tiles(r, TF_singleCoreN, p->N, limit / ways / mc, base_n);
            const int64_t sm = is_auto(r, TF_singleCoreM) ? tm * base_m : t->singleCoreM;
            const int64_t sn = is_auto(r, TF_singleCoreN) ? tn * base_n : t->singleCoreN;
            const int64_t tiles = tm * tn * cd32(planes, ways);
            if (tiles < best_tiles || (tiles == best_tiles && sm + sn < best_m + best_n)) {
                best_tiles = tiles;
                best_m = sm, best_n = sn, best_ways = ways;
            }
        }
    }
    rule(r, TF_singleCoreM, best_m);
    rule(r, TF_singleCoreN, best_n);
    const int64_t blocks = ceil_div(ceil_div(p->M, t->singleCoreM), rounds) * ceil_div(p->N, t->singleCoreN);
    rule(r, TF_usedCoreNum, min_i64(blocks * t->splitK * best_ways, r->target->cores));
}

static void resolve_cores(struct resolver *r)
{
    struct tiling *t = r->t;
    if (t->assign == ASSIGN_BLOCKS) {
        rule(r, TF_singleCoreM, t->baseM);
        rule(r, TF_singleCoreN, t->baseN);
        /* Images and groups of a conv are dealt to cores as well. */
        const int64_t planes = r->p->op == PROBLEM_CONV ? r->p->batch : 1;
        const int64_t tiles = planes * problem_blocks_m(r->p, t->baseM) * ceil_div(r->p->N, t->baseN);
        rule(r, TF_usedCoreNum, min_i64(r->target->cores, tiles * t->splitK));
    } else {
        resolve_grid(r);
    }
    /* A part of K is whole base blocks, so that its first one is as any other's. */
    const int64_t part = align_up(ceil_div(r->p->K, t->splitK), t->baseK);
    rule(r, TF_singleCoreK, t->splitK == 1 ? r->p->K : min_i64(part, r->p->K));
}

/* --- L1 ------------------------------------------------------------------ */

/* Chunks along K that one core walks. */
static int64_t k_steps(const struct resolver *r)
{
    return ceil_div(min_i64(r->p->K, r->t->singleCoreK), r->t->baseK);
}

/* Steps of an operand of which L1 may hold `depth` base blocks in two buffers,
 * no more than K has; a row a multiple of 512 B (else 256 B) where base blocks
 * allow it. */
static int64_t step_for(const struct resolver *r, int64_t depth, int64_t bits)
{
    const int64_t nk = k_steps(r);
    const int64_t row1 = r->t->baseK * bits / 8;
    int64_t step = max_i64(1, min_i64(depth / 2, nk));
    if (step < nk && step * row1 > 256) {
        const int64_t unit = step * row1 > 512 ? 512 : 256;
        while (unit % row1 == 0 && step > 1 && step * row1 % unit != 0) {
            step--;
        }
    }
    return step;
}

/* Bytes one base block of an operand takes in L1: data, and scales of one chunk. */
static int64_t l1_block(const struct resolver *r, enum role role)
{
    struct tiling one = *r->t;
    struct plan_image image;
    one.stepKa = one.stepKb = one.scaleFactorKa = one.scaleFactorKb = 1;
    one.fullLoad = FULL_LOAD_NONE;
    plan_image(r->p, &one, role, &image);
    int64_t bytes = image.l1_bytes;
    if (role == ROLE_A ? r->p->a.mx : r->p->b.mx) {
        struct plan_scales scales;
        plan_scales(r->p, &one, role, &scales);
        bytes += scales.l1_bytes;
    }
    return bytes;
}

/* Bytes of an operand that is kept whole, its scales included; else 0. */
static int64_t l1_whole(const struct resolver *r, enum role role)
{
    struct plan_image image;
    struct plan_scales scales = {0};
    if (r->t->fullLoad != (role == ROLE_A ? FULL_LOAD_A : FULL_LOAD_B)) {
        return 0;
    }
    struct tiling one = *r->t;
    one.scaleFactorKa = one.scaleFactorKb = 1;
    plan_image(r->p, &one, role, &image);
    if (role == ROLE_A ? r->p->a.mx : r->p->b.mx) {
        plan_scales(r->p, &one, role, &scales);
    }
    return image.l1_bytes + scales.l1_bytes;
}

/* L1 left for chunks: less the mix reserve, bias row and quant row. */
static int64_t l1_for_chunks(const struct resolver *r)
{
    const struct tiling *t = r->t;
    int64_t m, n;
    plan_accumulator(r->target, r->p, t, &m, &n);
    int64_t l1 = r->target->physical[BUF_L1] - (t->kernel == KERNEL_MIX ? r->target->reserve_mix[BUF_L1] : 0);
    l1 -= t->isBias && r->p->bias.dtype != DTYPE_NONE ? align_up(dtype_bytes(r->p->bias.dtype, n), 64) : 0;
    l1 -= r->p->quant.dtype != DTYPE_NONE ? align_up(n * 8, 128) : 0;
    return max_i64(0, l1);
}

/* Base blocks of A and B that L1 holds. Each operand gets half of the memory;
 * if both halves are not there (a bias or quant row, the mix reserve), the
 * operand with the shorter base block gets half of that. An operand kept whole
 * leaves the rest to the other. */
static void l1_depths(const struct resolver *r, int64_t *a, int64_t *b)
{
    const struct tiling *t = r->t;
    const int64_t left = l1_for_chunks(r), half = r->target->physical[BUF_L1] / 2;
    const int64_t block_a = l1_block(r, ROLE_A), block_b = l1_block(r, ROLE_B);
    const int64_t whole_a = l1_whole(r, ROLE_A), whole_b = l1_whole(r, ROLE_B);
    *a = (whole_b > 0 ? max_i64(0, left - whole_b) : half) / block_a;
    *b = (whole_a > 0 ? max_i64(0, left - whole_a) : half) / block_b;
    if (whole_a == 0 && whole_b == 0 && *a * block_a + *b * block_b > left) {
        *(t->baseM <= t->baseN ? a : b) /= 2;
    }
}

/* The largest multiple of `small` up to `large`; through the high-level API
 * such that one chunk count along K divides the other (MDL). */
static int64_t larger_step(const struct resolver *r, int64_t large, int64_t small)
{
    const int64_t nk = k_steps(r), chunks = ceil_div(nk, small);
    int64_t step = large / small * small;
    while (r->t->api == API_HIGH && step > small && chunks % ceil_div(nk, step) != 0) {
        step -= small;
    }
    return step;
}

/* The step along K that a given depth stands for: half of it if it is even and
 * nothing says that there is one buffer, else all of it. 0: no depth is given. */
static int64_t step_of_depth(const struct resolver *r, enum tiling_field depth, enum tiling_field db, int32_t step_mn,
                             bool whole)
{
    const int64_t given = is_auto(r, depth) ? 0 : tiling_get(r->t, depth);
    const int64_t blocks = given / step_mn;
    if (given % step_mn != 0) {
        return 0; /* contradicts stepM or stepN: plan_fits says so */
    }
    const int64_t buffers = !is_auto(r, db) ? tiling_get(r->t, db) : whole || blocks % 2 != 0 ? 1 : 2;
    return blocks % buffers == 0 ? blocks / buffers : 0;
}

static void resolve_steps(struct resolver *r)
{
    struct tiling *t = r->t;
    const bool whole_a = t->fullLoad == FULL_LOAD_A, whole_b = t->fullLoad == FULL_LOAD_B;
    const int64_t nk = k_steps(r);
    const int64_t given_a = step_of_depth(r, TF_depthA1, TF_dbA1, t->stepM, whole_a);
    const int64_t given_b = step_of_depth(r, TF_depthB1, TF_dbB1, t->stepN, whole_b);
    const bool free_a = is_auto(r, TF_stepKa) && given_a == 0, free_b = is_auto(r, TF_stepKb) && given_b == 0;
    rule(r, TF_stepKa, free_a ? TILING_AUTO : given_a);
    rule(r, TF_stepKb, free_b ? TILING_AUTO : given_b);
    int64_t depth_a, depth_b;
    l1_depths(r, &depth_a, &depth_b);
    int64_t a = !free_a ? t->stepKa : whole_a ? nk : step_for(r, depth_a, r->bits_a);
    int64_t b = !free_b ? t->stepKb : whole_b ? nk : step_for(r, depth_b, r->bits_b);
    if (r->p->op == PROBLEM_CONV) {
        a = free_a && !whole_a ? conv_auto_step_a(r->target, r->p, t, nk) : a;
        b = free_b && !whole_b ? min_i64(b, conv_auto_step_b(r->target, r->p, t, a)) : b;
    }
    /* The larger becomes a multiple of the smaller, as far as it is free to. */
    if (a > b && free_a && !whole_a && r->p->op == PROBLEM_MATMUL) {
        a = larger_step(r, a, b);
    } else if (b > a && free_b && !whole_b) {
        b = larger_step(r, b, a);
    }
    rule(r, TF_stepKa, a);
    rule(r, TF_stepKb, b);
}

/* dbX1 and depthX1 = stepMN * stepK * dbX1: each follows from the other. */
static void resolve_depth(struct resolver *r, enum tiling_field db, enum tiling_field depth, int32_t step, bool once)
{
    const bool given = !is_auto(r, depth);
    const bool single = given ? tiling_get(r->t, depth) == step : once;
    rule(r, db, single ? 1 : 2);
    rule(r, depth, (int64_t)step * tiling_get(r->t, db));
}

static void resolve_depths(struct resolver *r)
{
    struct tiling *t = r->t;
    const int64_t nk = k_steps(r);
    const int64_t tiles = t->assign == ASSIGN_BLOCKS
                              ? ceil_div(problem_blocks_m(r->p, t->baseM) * ceil_div(r->p->N, t->baseN), t->usedCoreNum)
                              : ceil_div(t->singleCoreM, t->baseM) * ceil_div(t->singleCoreN, t->baseN);
    /* One chunk covers K and there is no other tile, or the operand is kept
     * whole: a second buffer has no use. */
    const bool once_a = t->fullLoad == FULL_LOAD_A || (t->stepKa >= nk && tiles == 1) ||
                        conv_map_heavy(r->target, r->p, t);
    const bool once_b = t->fullLoad == FULL_LOAD_B || (t->stepKb >= nk && tiles == 1);
    resolve_depth(r, TF_dbA1, TF_depthA1, t->stepM * t->stepKa, once_a);
    resolve_depth(r, TF_dbB1, TF_depthB1, t->stepN * t->stepKb, once_b);
}

/* Bytes of L1 a resolved tiling takes, with these scale factors. */
static int64_t l1_with_factor(const struct resolver *r, int32_t factor)
{
    struct tiling t = *r->t;
    int64_t bytes = 0;
    t.scaleFactorKa = is_auto(r, TF_scaleFactorKa) ? factor : t.scaleFactorKa;
    t.scaleFactorKb = is_auto(r, TF_scaleFactorKb) ? factor : t.scaleFactorKb;
    for (int i = 0; i < 2; i++) {
        const enum role role = i == 0 ? ROLE_A : ROLE_B;
        struct plan_image image;
        struct plan_scales scales;
        plan_image(r->p, &t, role, &image);
        plan_scales(r->p, &t, role, &scales);
        bytes += (image.l1_bytes + scales.l1_bytes) * (i == 0 ? t.dbA1 : t.dbB1);
    }
    return bytes;
}

/* The largest factor such that the scales fit, one for both operands: at most
 * 127 (mxTypePara) and no further than K. */
static void resolve_scales(struct resolver *r)
{
    struct tiling *t = r->t;
    int64_t factor = 1;
    if (r->p->a.mx && r->p->b.mx && t->scaleCopy == SCALES_BY_CHUNK &&
        (is_auto(r, TF_scaleFactorKa) || is_auto(r, TF_scaleFactorKb))) {
        const int64_t nk = k_steps(r), l1 = l1_for_chunks(r);
        factor = min_i64(127, min_i64(ceil_div(nk, t->stepKa), ceil_div(nk, t->stepKb)));
        while (factor > 1 && l1_with_factor(r, (int32_t)factor) > l1) {
            factor--;
        }
    }
    rule(r, TF_scaleFactorKa, factor);
    rule(r, TF_scaleFactorKb, factor);
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
    struct resolver r = {
        .target = target,
        .p = p,
        .t = t,
        .given = *t,
        .bits_a = dtype_info(p->a.dtype)->bits,
        .bits_b = dtype_info(p->b.dtype)->bits,
        .unit_m = p->a.format == LAYOUT_NZ && !load_k_contiguous(p, ROLE_A) ? max_i64(16, dtype_c0(p->a.dtype)) : 16,
        .l0c_element = dtypes_l0c_bytes(target, dtypes_triple(target, p))};
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
    resolve_scales(&r);
}
