/* plan_rules.c - rules on fields that need no addresses: ranges, dtypes,
 * loads, multiples, cores, depths, and fields that exclude each other
 * (kernel_rules.md 2.1 T1..T13, 3, 4, 6, 10). */
#include "base/intmath.h"
#include "tiling/loads.h"
#include "tiling/plan_internal.h"

static bool fail(struct planner *pl, enum infeasible_reason reason, int field, int64_t need, int64_t have)
{
    return plan_fail(
        pl, (struct infeasible){.reason = (uint16_t)reason, .field = (uint8_t)field, .need = need, .have = have});
}

bool plan_check_ranges(struct planner *pl)
{
    for (int f = 0; f < TF_N; f++) {
        const struct tiling_field_info *info = tiling_field_info((enum tiling_field)f);
        const int32_t v = tiling_get(pl->t, (enum tiling_field)f);
        if (v < info->min || v > info->max) {
            return fail(pl, REASON_RANGE, f, v < info->min ? info->min : info->max, v);
        }
    }
    return true;
}

/* --- dtypes and operands -------------------------------------------------- */

static bool fail_dtype(struct planner *pl, enum dtype_stage stage)
{
    const struct problem *p = pl->p;
    return plan_fail(pl, (struct infeasible){.reason = REASON_DTYPE,
                                             .buf = (uint8_t)stage,
                                             .field = TF_N,
                                             .need = (int64_t)pl->target->product,
                                             .have = infeasible_pack_dtypes(p)});
}

static bool check_dtypes(struct planner *pl)
{
    const struct problem *p = pl->p;
    if (pl->triple == NULL) {
        return fail_dtype(pl, DTYPE_STAGE_CUBE);
    }
    if (p->bias.dtype != DTYPE_NONE && !dtypes_bias_offered(pl->target, pl->triple, p->bias.dtype)) {
        return fail_dtype(pl, DTYPE_STAGE_BIAS);
    }
    const bool quant = p->quant.dtype != DTYPE_NONE;
    const bool converts = dtypes_conversion(pl->target, (enum dtype)pl->triple->c, p->c.dtype, quant) != QUANT_N;
    /* Without Fixpipe, or with vector cores behind it, the vector unit converts;
     * a quant row is Fixpipe's in any case. */
    const bool by_vector = !quant && (!pl->target->l0c_to_gm || pl->t->kernel == KERNEL_MIX);
    return by_vector || (pl->target->l0c_to_gm && converts) || fail_dtype(pl, DTYPE_STAGE_RESULT);
}

static bool extent(struct planner *pl, enum role role, enum operand_extent which, int64_t unit, int64_t size)
{
    return size % unit == 0 || plan_fail(pl, (struct infeasible){.reason = REASON_OPERAND,
                                                                 .buf = (uint8_t)((int)role + 16 * (int)which),
                                                                 .field = TF_N,
                                                                 .need = unit,
                                                                 .have = size});
}

/* T11: two b4 elements share a byte. T9: the high-level API cuts Nz operands
 * at whole fractals; our own copies do not mind. */
static bool check_operand(struct planner *pl, enum role role)
{
    const struct operand *o = role == ROLE_A ? &pl->p->a : &pl->p->b;
    const enum operand_extent mn = role == ROLE_A ? EXTENT_M : EXTENT_N;
    const bool k_contiguous = (role == ROLE_A) != o->transpose;
    const enum operand_extent rows = k_contiguous ? mn : EXTENT_K, cols = k_contiguous ? EXTENT_K : mn;
    if (dtype_info(o->dtype)->bits == 4 &&
        !(extent(pl, role, cols, 2, o->cols) && extent(pl, role, EXTENT_LD, 2, o->ld) &&
          (o->dtype != DTYPE_INT4 || extent(pl, role, EXTENT_K, 2, pl->p->K)))) {
        return false;
    }
    return o->format != LAYOUT_NZ || pl->t->api != API_HIGH ||
           (extent(pl, role, rows, 16, o->rows) && extent(pl, role, cols, dtype_c0(o->dtype), o->cols));
}

/* --- loads ---------------------------------------------------------------- */

static bool fail_no_load(struct planner *pl, enum role role, enum tiling_field field)
{
    struct problem other = *pl->p;
    struct operand *o = role == ROLE_A ? &other.a : &other.b;
    const int lies = (int)o->dtype | (o->transpose ? INFEASIBLE_TRANSPOSED : 0);
    o->transpose = !o->transpose;
    const bool turned = load_recommended(pl->target, &other, role) != LOAD_AUTO_NONE;
    return plan_fail(pl, (struct infeasible){.reason = REASON_LOAD,
                                             .buf = (uint8_t)(lies | (turned ? INFEASIBLE_OTHER_WAY : 0)),
                                             .field = (uint8_t)field,
                                             .have = LOAD_AUTO_NONE});
}

static bool check_load(struct planner *pl, enum role role, enum tiling_field field)
{
    const enum tiling_load load = (enum tiling_load)tiling_get(pl->t, field);
    if (load == LOAD_AUTO_NONE) {
        return fail_no_load(pl, role, field);
    }
    if (!load_offered(pl->target, pl->p, role, load)) {
        return fail(pl, REASON_LOAD, (int)field, 0, (int64_t)load);
    }
    const int64_t lines = load_l1_lines(pl->target, pl->p, role, load);
    const int64_t have = role == ROLE_A ? pl->image[ROLE_A].rows : pl->image[ROLE_B].l1_cols;
    return lines == 0 || have == lines || fail(pl, REASON_LOAD, (int)field, lines, have);
}

/* --- multiples ------------------------------------------------------------ */

static bool check_multiple(struct planner *pl, enum tiling_field f, int64_t unit)
{
    const int64_t v = tiling_get(pl->t, f);
    return v % unit == 0 || fail(pl, REASON_MULTIPLE, (int)f, unit, v);
}

/* Where an operand lies with M or N along its 32 B blocks, tiles and slices
 * must start on a block (Nz: on C0; b4: on a byte). */
static int64_t start_unit(const struct problem *p, enum role role)
{
    const struct operand *o = role == ROLE_A ? &p->a : &p->b;
    if (p->op == PROBLEM_CONV || load_k_contiguous(p, role)) {
        return 1;
    }
    return o->format == LAYOUT_NZ ? dtype_c0(o->dtype) : dtype_info(o->dtype)->bits == 4 ? 2 : 1;
}

static bool check_starts(struct planner *pl, enum role role, enum tiling_field base, enum tiling_field slice,
                         int64_t size)
{
    const int64_t unit = start_unit(pl->p, role);
    for (int64_t g = 0; role == ROLE_A && pl->p->groups > 1 && g < pl->p->groups; g++) {
        if (!extent(pl, role, EXTENT_M, unit, pl->p->group_end[g])) {
            return false;
        }
    }
    const bool sliced = pl->t->assign == ASSIGN_GRID && tiling_get(pl->t, slice) < size;
    return check_multiple(pl, base, lcm_i64(16, unit)) && (!sliced || check_multiple(pl, slice, unit));
}

/* Unit of the K origin of a split-K slice. */
static int64_t slice_unit_k(const struct problem *p)
{
    int64_t unit = 1;
    for (int i = 0; i < 2; i++) {
        const struct operand *o = i == 0 ? &p->a : &p->b;
        const enum role role = i == 0 ? ROLE_A : ROLE_B;
        const bool blocks = o->format == LAYOUT_NZ && load_k_contiguous(p, role);
        if (p->op == PROBLEM_CONV) { /* whole channel blocks */
            return p->conv.kh * p->conv.kw * dtype_c0(p->a.dtype);
        }
        unit = lcm_i64(unit, o->mx ? 64 : blocks ? dtype_c0(o->dtype) : dtype_info(o->dtype)->bits == 4 ? 2 : 1);
    }
    return unit;
}

/* A chunk of a feature map brings whole channel blocks. */
static bool check_conv_chunk(struct planner *pl)
{
    const struct problem *p = pl->p;
    if (p->op != PROBLEM_CONV || (int64_t)pl->t->stepKa * pl->t->baseK >= p->K) {
        return true;
    }
    const int64_t window = p->conv.kh * p->conv.kw * dtype_c0(p->a.dtype);
    return check_multiple(pl, TF_stepKa, window / gcd_i64(window, pl->t->baseK));
}

/* T8: the units of the loads; MX works on 64 k. */
static bool check_multiples(struct planner *pl)
{
    const struct problem *p = pl->p;
    const struct tiling *t = pl->t;
    const int64_t k = max_i64(load_unit(p, ROLE_A, AXIS_K), load_unit(p, ROLE_B, AXIS_K));
    if (!check_starts(pl, ROLE_A, TF_baseM, TF_singleCoreM, p->M) ||
        !check_starts(pl, ROLE_B, TF_baseN, TF_singleCoreN, p->N) || !check_multiple(pl, TF_baseK, k)) {
        return false;
    }
    /* A vector is cut into whole fractals. */
    if (t->gemv == 1 && t->stepKa > 1 && !check_multiple(pl, TF_baseK, 16 * dtype_c0(p->a.dtype))) {
        return false;
    }
    /* So are its scales, in blocks of 32 codes, where a copy brings those of several steps. */
    const bool several = t->scaleCopy == SCALES_BY_CHUNK && (int64_t)t->stepKa * t->scaleFactorKa > 1;
    if (t->gemv == 1 && p->a.mx && several && t->baseK < p->K && !check_multiple(pl, TF_baseK, 32 * 32)) {
        return false;
    }
    return check_conv_chunk(pl) && (t->singleCoreK >= p->K || check_multiple(pl, TF_singleCoreK, slice_unit_k(p)));
}

bool plan_check_fields(struct planner *pl)
{
    return check_dtypes(pl) && check_operand(pl, ROLE_A) && check_operand(pl, ROLE_B) &&
           check_load(pl, ROLE_A, TF_loadA) && check_load(pl, ROLE_B, TF_loadB) && check_multiples(pl);
}

/* --- cores, depths -------------------------------------------------------- */

/* T1: slices must not outnumber cores, nor cores the chip's. */
static bool check_cores(struct planner *pl)
{
    const struct tiling *t = pl->t;
    const int64_t chip = pl->target->cores;
    if (t->usedCoreNum > chip) {
        return fail(pl, REASON_CORES, TF_usedCoreNum, t->usedCoreNum, chip);
    }
    if (t->assign == ASSIGN_BLOCKS) {
        return true;
    }
    const int64_t rounds = t->order == ORDER_L2SPLIT ? t->orderRounds : 1;
    const int64_t m = ceil_div(ceil_div(pl->p->M, t->singleCoreM), rounds), n = ceil_div(pl->p->N, t->singleCoreN);
    const int64_t blocks = m * n * t->splitK;
    /* More blocks than the chip has cores: no core count helps, larger slices do. */
    const enum tiling_field field = blocks <= chip ? TF_usedCoreNum : m >= n ? TF_singleCoreM : TF_singleCoreN;
    return blocks <= t->usedCoreNum || fail(pl, REASON_CORES, (int)field, blocks, t->usedCoreNum);
}

/* T6. */
static bool check_depth(struct planner *pl, enum tiling_field depth, int32_t step, int32_t db)
{
    const int32_t v = tiling_get(pl->t, depth);
    return v == step * db || fail(pl, REASON_DEPTH, (int)depth, step, v);
}

/* --- fields that exclude each other --------------------------------------- */

static bool exclude(struct planner *pl, enum tiling_field field, int other)
{
    return fail(pl, REASON_CONTRADICTION, (int)field, other, tiling_get(pl->t, field));
}

static bool check_unitflag(struct planner *pl)
{
    const struct tiling *t = pl->t;
    if (t->unitflag == 0) {
        return true;
    }
    if (t->dbL0C == 2) {
        return exclude(pl, TF_unitflag, TF_dbL0C);
    }
    if (t->splitK > 1) {
        return exclude(pl, TF_unitflag, TF_splitK);
    }
    const bool widens = tiling_widens_rows(pl->target, pl->p, t) || tiling_widens_columns(pl->target, pl->p, t);
    return (dtypes_unitflag_offered(pl->target) && !widens) || exclude(pl, TF_unitflag, TF_N);
}

static bool check_order(struct planner *pl)
{
    const struct tiling *t = pl->t;
    const bool tiles = t->order == ORDER_SWIZZLE || t->order == ORDER_ASWT || t->order == ORDER_CHUNK;
    if (t->order == ORDER_LINEAR && t->orderRounds > 1) {
        return exclude(pl, TF_order, TF_orderRounds);
    }
    /* Rounds of slices need slices; orders of tiles need tiles dealt to cores. */
    const bool wrong = t->assign == ASSIGN_BLOCKS ? t->order == ORDER_L2SPLIT : tiles;
    if (pl->p->groups > 1 && t->assign != ASSIGN_BLOCKS) {
        return exclude(pl, TF_assign, TF_N);
    }
    return !wrong || exclude(pl, TF_assign, TF_order);
}

/* T2 and section 10. */
static bool check_split_k(struct planner *pl)
{
    const struct tiling *t = pl->t;
    const int64_t parts = ceil_div(pl->p->K, t->singleCoreK);
    if (t->splitK == 1) {
        return parts == 1 || exclude(pl, TF_singleCoreK, TF_splitK);
    }
    if (parts < t->splitK) {
        return fail(pl, REASON_RANGE, TF_splitK, parts, t->splitK); /* a part without K */
    }
    if (parts > t->splitK) {
        return exclude(pl, TF_singleCoreK, TF_splitK);
    }
    if (t->splitKReduce == REDUCE_NONE) {
        return exclude(pl, TF_splitKReduce, TF_splitK);
    }
    if (t->splitKReduce == REDUCE_WORKSPACE && t->kernel == KERNEL_CUBE) {
        return exclude(pl, TF_splitKReduce, TF_kernel); /* AIV adds the parts */
    }
    return !(t->isBias == 1 && t->api == API_HIGH) || exclude(pl, TF_isBias, TF_splitK);
}

static bool check_residency(struct planner *pl)
{
    const struct tiling *t = pl->t;
    if (t->fullLoad != FULL_LOAD_NONE) {
        const bool a = t->fullLoad == FULL_LOAD_A;
        /* One slice of the operand per core, kept once. */
        if (t->assign == ASSIGN_BLOCKS && (a ? t->baseM < pl->p->M : t->baseN < pl->p->N)) {
            return exclude(pl, TF_fullLoad, TF_assign);
        }
        if (t->order == ORDER_L2SPLIT && t->orderRounds > 1) {
            return exclude(pl, TF_fullLoad, TF_orderRounds);
        }
        if ((a ? t->dbA1 : t->dbB1) > 1) {
            return exclude(pl, TF_fullLoad, a ? TF_dbA1 : TF_dbB1);
        }
    }
    /* MX: scales of A as a vector too, so not in pairs along K (section 3.2). */
    const bool vector = load_k_contiguous(pl->p, ROLE_A) && pl->p->op == PROBLEM_MATMUL &&
                        !(pl->p->a.mx && pl->p->scale_a.transpose);
    return t->gemv == 0 || vector || exclude(pl, TF_gemv, TF_N);
}

/* Template MDL only, so only through the high-level API (section 2.1, text). */
static bool check_mdl(struct planner *pl)
{
    const struct tiling *t = pl->t;
    if (t->api != API_HIGH) {
        return true;
    }
    const int64_t nk = ceil_div(pl->p->K, t->baseK);
    if (t->stepM > 1 && nk > t->stepKa) {
        return exclude(pl, TF_stepM, TF_stepKa);
    }
    if (t->stepN > 1 && nk > t->stepKb) {
        return exclude(pl, TF_stepN, TF_stepKb);
    }
    const int64_t k = min_i64(t->singleCoreK, pl->p->K);
    const int64_t a = ceil_div(k, (int64_t)t->baseK * t->stepKa), b = ceil_div(k, (int64_t)t->baseK * t->stepKb);
    return a % b == 0 || b % a == 0 || exclude(pl, TF_stepKa, TF_stepKb);
}

/* mxTypePara: along M (N) only once the scales cover K. */
static bool check_scale_factors(struct planner *pl)
{
    const struct tiling *t = pl->t;
    const int64_t k = min_i64(t->singleCoreK, pl->p->K);
    const struct {
        enum tiling_field along_k, along_mn;
        bool mx;
        int64_t chunk;
    } operands[] = {{TF_scaleFactorKa, TF_scaleFactorM, pl->p->a.mx, (int64_t)t->baseK * t->stepKa},
                    {TF_scaleFactorKb, TF_scaleFactorN, pl->p->b.mx, (int64_t)t->baseK * t->stepKb}};
    if (t->scaleCopy == SCALES_BY_STEP && (!pl->p->a.mx || t->api == API_HIGH)) {
        return exclude(pl, TF_scaleCopy, pl->p->a.mx ? TF_api : TF_N);
    }
    for (int i = 0; i < 2; i++) {
        const int32_t factor_k = tiling_get(t, operands[i].along_k), factor_mn = tiling_get(t, operands[i].along_mn);
        if (!operands[i].mx && factor_k > 1) {
            return exclude(pl, operands[i].along_k, TF_N);
        }
        if (!operands[i].mx && factor_mn > 1) {
            return exclude(pl, operands[i].along_mn, TF_N);
        }
        if (t->scaleCopy == SCALES_BY_STEP && (factor_k > 1 || factor_mn > 1)) {
            return exclude(pl, factor_k > 1 ? operands[i].along_k : operands[i].along_mn, TF_scaleCopy);
        }
        if (factor_mn > 1 && operands[i].chunk * factor_k < k) {
            return exclude(pl, operands[i].along_mn, (int)operands[i].along_k);
        }
    }
    return true;
}

/* SetL2CacheHint is of 950, A2 and A3 (section 5). */
static bool check_l2(struct planner *pl)
{
    static const enum tiling_field hints[] = {TF_l2A, TF_l2B, TF_l2C};
    const enum product product = pl->target->product;
    const bool offered = product == PRODUCT_ASCEND950 || product == PRODUCT_ATLAS_A3 || product == PRODUCT_ASCEND910B;
    for (int i = 0; i < 3 && !offered; i++) {
        if (tiling_get(pl->t, hints[i]) != L2_NORMAL) {
            return exclude(pl, hints[i], TF_N);
        }
    }
    return true;
}

static bool check_bias(struct planner *pl)
{
    return (pl->t->isBias == 1) == (pl->p->bias.dtype != DTYPE_NONE) || exclude(pl, TF_isBias, TF_N);
}

bool plan_check_relations(struct planner *pl)
{
    const struct tiling *t = pl->t;
    return check_cores(pl) && check_depth(pl, TF_depthA1, t->stepM * t->stepKa, t->dbA1) &&
           check_depth(pl, TF_depthB1, t->stepN * t->stepKb, t->dbB1) && check_unitflag(pl) && check_order(pl) &&
           check_split_k(pl) && check_residency(pl) && check_mdl(pl) && check_scale_factors(pl) && check_bias(pl) &&
           check_l2(pl);
}
