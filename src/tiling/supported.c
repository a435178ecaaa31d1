/* supported.c - fields and operands the schedule lowers. The one table to
 * shrink when it learns more. */
#include "tiling/supported.h"

#include "base/intmath.h"
#include "tiling/dtypes.h"
#include "tiling/loads.h"
#include "tiling/plan.h"

static bool refuse(struct infeasible *why, enum unsupported what, int field, int64_t have)
{
    *why = (struct infeasible){
        .reason = REASON_UNSUPPORTED, .field = (uint8_t)field, .need = (int64_t)what, .have = have};
    return false;
}

/* Tiles of the operand cannot start at every row or column: M or N runs along
 * Nz's blocks, or along bytes that hold two elements. */
static bool starts_bound(const struct problem *p, enum role role)
{
    const struct operand *o = role == ROLE_A ? &p->a : &p->b;
    return !load_k_contiguous(p, role) && (o->format == LAYOUT_NZ || dtype_info(o->dtype)->bits == 4);
}

/* Variants that are lowered alone or in the combinations that make sense of
 * them, not in all. */
static bool variants_supported(const struct problem *p, const struct tiling *t, struct infeasible *why)
{
    const int64_t nk = ceil_div(min_i64(t->singleCoreK, p->K), t->baseK);
    const bool held_a = t->stepM > 1 || t->fullLoad == FULL_LOAD_A, held_b = t->stepN > 1 || t->fullLoad == FULL_LOAD_B;
    const bool group = t->stepM > 1 || t->stepN > 1, held = group || t->fullLoad != FULL_LOAD_NONE;
    const bool rounds = t->order == ORDER_L2SPLIT && t->orderRounds > 1;
    const bool scales_span = (p->a.mx && t->scaleFactorKa > 1) || (p->b.mx && t->scaleFactorKb > 1);
    const struct {
        bool wrong;
        enum tiling_field field;
    } rules[] = {
        /* Several base blocks in L1 hold all of K, for the tiles of one slice. */
        {t->stepM > 1 && t->stepKa < nk, TF_stepM},
        {t->stepN > 1 && t->stepKb < nk, TF_stepN},
        {group && (t->assign != ASSIGN_GRID || rounds), group && t->stepM > 1 ? TF_stepM : TF_stepN},
        {t->fullLoad == FULL_LOAD_A && t->stepM > 1, TF_stepM},
        {t->fullLoad == FULL_LOAD_B && t->stepN > 1, TF_stepN},
        {t->fullLoad != FULL_LOAD_NONE && (t->assign != ASSIGN_GRID || p->batch > 1), TF_fullLoad},
        {t->shuffleK == 1 && held, TF_shuffleK},
        /* Several base blocks side by side in L1: each must start on a square of the load. */
        {held_a && t->baseM % load_unit(p, ROLE_A, AXIS_MN) != 0, TF_baseM},
        {held_b && t->baseN % load_unit(p, ROLE_B, AXIS_MN) != 0, TF_baseN},
        {t->splitK > 1 && (t->order == ORDER_CHUNK || t->order == ORDER_ASWT || p->batch > 1 || p->groups > 1),
         TF_splitK},
        /* Partial sums rounded to C's dtype would depend on who comes first. */
        {t->splitKReduce == REDUCE_ATOMIC && dtype_info(p->c.dtype)->bits != 32, TF_splitKReduce},
        {t->splitK == 1 && t->splitKReduce != REDUCE_NONE, TF_splitKReduce},
        /* ASWT cuts tail tiles at any row or column. */
        {t->order == ORDER_ASWT && (starts_bound(p, ROLE_A) || starts_bound(p, ROLE_B)), TF_order},
        {t->gemv == 1 && (p->a.format != LAYOUT_ND || held || t->scaleFactorM > 1), TF_gemv},
        /* Scales of several chunks come with the first of them: its place must be the same every time. */
        {scales_span && (t->shuffleK == 1 || t->l1Resident == 1), t->shuffleK == 1 ? TF_shuffleK : TF_l1Resident},
        /* Scales over several base blocks along M (N) are kept for tiles of one slice whose data come in chunks. */
        {t->scaleFactorM > 1 &&
             (t->assign != ASSIGN_GRID || rounds || held_a || t->shuffleK == 1 || t->l1Resident == 1),
         TF_scaleFactorM},
        {t->scaleFactorN > 1 &&
             (t->assign != ASSIGN_GRID || rounds || held_b || t->shuffleK == 1 || t->l1Resident == 1),
         TF_scaleFactorN},
        /* The vector cores would have to convert the sum. */
        {t->splitK > 1 && (p->quant.dtype != DTYPE_NONE || p->relu), TF_splitK},
        /* Nz of float results is cut to C0 by channelSplit. */
        {t->unitflag == 1 && p->c.format != LAYOUT_ND && p->c.dtype == DTYPE_FLOAT, TF_unitflag},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].wrong) {
            return refuse(why, UNSUPPORTED_FIELD, (int)rules[i].field, tiling_get(t, rules[i].field));
        }
    }
    return true;
}

static bool problem_supported(const struct problem *p, struct infeasible *why)
{
    if (p->hif8_hybrid) {
        return refuse(why, UNSUPPORTED_HYBRID, TF_N, p->c.dtype);
    }
    if (p->hf32 && p->a.dtype != DTYPE_FLOAT) {
        return refuse(why, UNSUPPORTED_HF32, TF_N, p->a.dtype);
    }
    return true;
}

/* Fixpipe writes Nz in whole blocks of 16 columns, of 32 for b8; what lies
 * between N and the block's end would be undefined. */
static bool nz_result_supported(const struct problem *p, const struct tiling *t)
{
    const int64_t width = dtype_info(p->c.dtype)->bits == 8 ? 32 : 16;
    /* Channels that fill up a conv's last block are stored too: products of the zeros
     * behind the filters. Bias and quant rows have nothing there. */
    const bool tail = p->op == PROBLEM_CONV && p->bias.dtype == DTYPE_NONE && p->quant.dtype == DTYPE_NONE &&
                      align_up(p->N, 16) == align_up(p->N, problem_nz_width(p, TENSOR_C));
    const bool slices = t->assign != ASSIGN_GRID || t->singleCoreN >= p->N || t->singleCoreN % width == 0;
    return (p->N % width == 0 || tail) && t->baseN % width == 0 && slices && t->order != ORDER_ASWT;
}

/* C leaves by Fixpipe, in whatever it converts to. */
static bool result_supported(const struct target *target, const struct problem *p, const struct tiling *t,
                             struct infeasible *why)
{
    const struct mmad_triple *form = dtypes_triple(target, p);
    const bool workspace = t->splitKReduce == REDUCE_WORKSPACE;
    /* A33: how a half accumulator takes a bias or sums parts is not documented. */
    if (form != NULL && form->c == DTYPE_HALF && (t->isBias == 1 || t->splitK > 1)) {
        return refuse(why, UNSUPPORTED_HALF_SUM, TF_N, form->c);
    }
    if (form == NULL || (!workspace && dtypes_conversion(target, (enum dtype)form->c, p->c.dtype,
                                                         p->quant.dtype != DTYPE_NONE) == QUANT_N)) {
        return refuse(why, UNSUPPORTED_RESULT_DTYPE, TF_N, p->c.dtype);
    }
    const bool nz = p->c.format != LAYOUT_ND && !workspace && nz_result_supported(p, t);
    return p->c.format == LAYOUT_ND || nz || refuse(why, UNSUPPORTED_RESULT_FORMAT, TF_N, p->c.format);
}

/* WithTranspose of b32 on 2201 reads L1 as Zz, which a copy from Nz makes only
 * where both are the same. */
static bool loads_supported(const struct target *target, const struct problem *p, const struct tiling *t,
                            struct infeasible *why)
{
    const struct {
        enum role role;
        enum tiling_field field;
        const struct operand *o;
    } loads[] = {{ROLE_A, TF_loadA, &p->a}, {ROLE_B, TF_loadB, &p->b}};
    for (int i = 0; i < 2; i++) {
        const int32_t v = tiling_get(t, loads[i].field);
        struct plan_image image;
        plan_image(p, t, loads[i].role, &image);
        const bool zz = v == LOAD_TRANSPOSE && target->arch != 3510 && dtype_info(loads[i].o->dtype)->bits == 32;
        if (zz && loads[i].o->format == LAYOUT_NZ && image.rows > 16) {
            return refuse(why, UNSUPPORTED_FIELD, (int)loads[i].field, v);
        }
    }
    return true;
}

bool plan_supported(const struct target *target, const struct problem *p, const struct tiling *t,
                    struct infeasible *why)
{
    if (!target->l0c_to_gm) {
        return refuse(why, UNSUPPORTED_NO_FIXPIPE, TF_N, target->arch);
    }
    return variants_supported(p, t, why) && problem_supported(p, why) && result_supported(target, p, t, why) &&
           loads_supported(target, p, t, why);
}
