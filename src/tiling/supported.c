/* supported.c - fields and operands the schedule lowers. The one table to
 * shrink when it learns more. */
#include "tiling/supported.h"

#include "base/intmath.h"
#include "tiling/loads.h"

/* Fields that must keep their default. */
static const enum tiling_field DEFAULT_ONLY[] = {
    TF_tileBarrier, TF_scaleFactorM, TF_scaleFactorN, TF_scaleFactorKa, TF_scaleFactorKb, TF_isBias,
};

static bool refuse(struct infeasible *why, enum unsupported what, int field, int64_t have)
{
    *why = (struct infeasible){
        .reason = REASON_UNSUPPORTED, .field = (uint8_t)field, .need = (int64_t)what, .have = have};
    return false;
}

static bool fields_supported(const struct tiling *t, struct infeasible *why)
{
    for (size_t i = 0; i < sizeof DEFAULT_ONLY / sizeof DEFAULT_ONLY[0]; i++) {
        const int32_t v = tiling_get(t, DEFAULT_ONLY[i]);
        if (v != tiling_field_info(DEFAULT_ONLY[i])->def) {
            return refuse(why, UNSUPPORTED_FIELD, (int)DEFAULT_ONLY[i], v);
        }
    }
    return true;
}

/* An Nz operand whose M or N runs across its C0 columns. */
static bool nz_across(const struct problem *p)
{
    return (p->a.format == LAYOUT_NZ && !load_k_contiguous(p, ROLE_A)) ||
           (p->b.format == LAYOUT_NZ && !load_k_contiguous(p, ROLE_B));
}

/* Variants that are lowered alone or in the combinations that make sense of
 * them, not in all. */
static bool variants_supported(const struct problem *p, const struct tiling *t, struct infeasible *why)
{
    const int64_t nk = ceil_div(min_i64(t->singleCoreK, p->K), t->baseK);
    const bool group = t->stepM > 1 || t->stepN > 1, held = group || t->fullLoad != FULL_LOAD_NONE;
    const bool rounds = t->order == ORDER_L2SPLIT && t->orderRounds > 1;
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
        {t->splitK > 1 && (t->order == ORDER_CHUNK || t->order == ORDER_ASWT || p->batch > 1), TF_splitK},
        /* Partial sums rounded to C's dtype would depend on who comes first. */
        {t->splitKReduce == REDUCE_ATOMIC && dtype_info(p->c.dtype)->bits != 32, TF_splitKReduce},
        {t->splitK == 1 && t->splitKReduce != REDUCE_NONE, TF_splitKReduce},
        /* ASWT cuts tail tiles at any row or column; Nz cuts only at C0. */
        {t->order == ORDER_ASWT && nz_across(p), TF_order},
        {t->gemv == 1 && (p->a.format != LAYOUT_ND || held), TF_gemv},
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
    if (p->op != PROBLEM_MATMUL) {
        return refuse(why, UNSUPPORTED_CONV, TF_N, 0);
    }
    if (p->groups > 1) {
        return refuse(why, UNSUPPORTED_GROUPS, TF_N, p->groups);
    }
    return p->quant.dtype == DTYPE_NONE || refuse(why, UNSUPPORTED_QUANT, TF_N, p->quant.dtype);
}

/* C leaves as ND, as accumulated or rounded to half or bf16. */
static bool result_supported(const struct problem *p, struct infeasible *why)
{
    const bool from_float = dtype_info(p->a.dtype)->is_float;
    const bool rounded = from_float && (p->c.dtype == DTYPE_HALF || p->c.dtype == DTYPE_BF16);
    if (p->c.format != LAYOUT_ND) {
        return refuse(why, UNSUPPORTED_RESULT_FORMAT, TF_N, p->c.format);
    }
    return rounded || p->c.dtype == (from_float ? DTYPE_FLOAT : DTYPE_INT32) ||
           refuse(why, UNSUPPORTED_RESULT_DTYPE, TF_N, p->c.dtype);
}

/* Transposing loads are lowered for b16 only; no scales yet. */
static bool loads_supported(const struct problem *p, const struct tiling *t, struct infeasible *why)
{
    const struct {
        enum role role;
        enum tiling_field field;
        const struct operand *o;
    } loads[] = {{ROLE_A, TF_loadA, &p->a}, {ROLE_B, TF_loadB, &p->b}};
    for (int i = 0; i < 2; i++) {
        const int32_t v = tiling_get(t, loads[i].field);
        const bool narrow = !load_k_contiguous(p, loads[i].role) && dtype_info(loads[i].o->dtype)->bits != 16;
        if (narrow || v == LOAD_MX) {
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
    return fields_supported(t, why) && variants_supported(p, t, why) && problem_supported(p, why) &&
           result_supported(p, why) && loads_supported(p, t, why);
}
