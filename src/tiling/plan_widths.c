/* plan_widths.c - what the fields of single instructions can hold.
 *
 * Only where no other instruction does the same: a row pitch that does not fit
 * is lowered to row copies and is no reason. A test holds the numbers to the
 * instruction tables of isa/fields.c. */
#include "base/intmath.h"
#include "tiling/loads.h"
#include "tiling/plan_internal.h"
#include "tiling/widths.h"

static bool wide(struct planner *pl, enum tiling_field field, int64_t need, int64_t have)
{
    return need <= have ||
           plan_fail(pl, (struct infeasible){
                             .reason = REASON_FIELD_WIDTH, .field = (uint8_t)field, .need = need, .have = have});
}

/* The field that makes an L1 image long: steps first. */
static enum tiling_field long_side(const struct planner *pl, enum role role, bool along_k)
{
    const struct tiling *t = pl->t;
    if (along_k) {
        return role == ROLE_A ? TF_stepKa : TF_stepKb;
    }
    return role == ROLE_A ? (t->stepM > 1 ? TF_stepM : TF_baseM) : (t->stepN > 1 ? TF_stepN : TF_baseN);
}

static bool check_copy(struct planner *pl, enum role role)
{
    const struct plan_image *image = &pl->image[role];
    if (pl->p->op == PROBLEM_CONV || (role == ROLE_A && plan_vector(pl->p, pl->t))) {
        return true; /* plain block copies; a vector has one row */
    }
    const bool k_contiguous = load_k_contiguous(pl->p, role);
    const enum dtype dtype = role == ROLE_A ? pl->p->a.dtype : pl->p->b.dtype;
    const int64_t columns = dtype_info(dtype)->bits == 4 ? image->l1_cols / 2 : image->l1_cols;
    return wide(pl, long_side(pl, role, !k_contiguous), image->rows, WIDTH_ND2NZ_C0_STRIDE) &&
           wide(pl, long_side(pl, role, k_contiguous), columns, WIDTH_ND2NZ_D_VALUE);
}

static bool check_scale_copy(struct planner *pl, enum role role)
{
    struct plan_scales scales;
    const bool mx = role == ROLE_A ? pl->p->a.mx : pl->p->b.mx;
    if (!mx) {
        return true;
    }
    plan_scales(pl->p, pl->t, role, &scales);
    return wide(pl, role == ROLE_A ? TF_scaleFactorKa : TF_scaleFactorKb, scales.codes / 2, WIDTH_DN2NZ_N_VALUE);
}

/* One line of fractals (2D) or squares (WithTranspose) per instruction: along K
 * for L0A, along N for L0B. */
static bool check_lines(struct planner *pl, enum role role, enum tiling_load load)
{
    const bool a = role == ROLE_A, transposing = !load_k_contiguous(pl->p, role);
    const enum dtype dtype = a ? pl->p->a.dtype : pl->p->b.dtype;
    const int64_t square = load == LOAD_TRANSPOSE ? load_unit(pl->p, role, AXIS_MN) : 16;
    const int64_t k = align_up(pl->t->baseK, load_unit(pl->p, role, AXIS_K));
    const int64_t n = align_up(pl->t->baseN, load_unit(pl->p, role, AXIS_MN));
    return a ? wide(pl, TF_baseK, k / (transposing ? square : dtype_c0(dtype)), WIDTH_REPEAT)
             : wide(pl, TF_baseN, n / (transposing ? square : 16), WIDTH_REPEAT);
}

/* The whole base block in one instruction: steps in fractals. */
static bool check_steps(struct planner *pl, enum role role)
{
    const bool a = role == ROLE_A;
    const enum dtype dtype = a ? pl->p->a.dtype : pl->p->b.dtype;
    const int64_t k = align_up(pl->t->baseK, load_unit(pl->p, role, AXIS_K));
    const int64_t mn = align_up(a ? pl->t->baseM : pl->t->baseN, load_unit(pl->p, role, AXIS_MN));
    /* A transposing load steps over K in rows of 16, over M or N in blocks of C0. */
    const bool transposing = !load_k_contiguous(pl->p, role);
    return wide(pl, TF_baseK, k / (transposing ? 16 : dtype_c0(dtype)), WIDTH_STEP) &&
           wide(pl, a ? TF_baseM : TF_baseN, mn / (transposing ? dtype_c0(dtype) : 16), WIDTH_STEP);
}

/* The image as a feature map: one row of points, or a conv's own. */
static bool check_map(struct planner *pl, enum role role)
{
    const struct plan_image *image = &pl->image[role];
    const struct problem *p = pl->p;
    if (p->op == PROBLEM_CONV) {
        const int64_t window = p->conv.kh * p->conv.kw;
        return wide(pl, TF_baseM, image->rows / p->conv.w, WIDTH_MAP_SIDE) &&
               wide(pl, TF_baseM, p->conv.w, WIDTH_MAP_SIDE) &&
               wide(pl, TF_stepKa, image->l1_cols * window, WIDTH_CHANNELS);
    }
    const bool k_contiguous = load_k_contiguous(p, role);
    return wide(pl, long_side(pl, role, !k_contiguous), image->rows, WIDTH_MAP_SIDE) &&
           wide(pl, long_side(pl, role, k_contiguous), image->l1_cols, WIDTH_CHANNELS);
}

static bool check_load(struct planner *pl, enum role role, enum tiling_load load)
{
    if (role == ROLE_A && plan_vector(pl->p, pl->t)) {
        return true; /* at most 4095 / 128 fractals */
    }
    switch (load) {
    case LOAD_2D:
    case LOAD_TRANSPOSE:
        return check_lines(pl, role, load);
    case LOAD_2D_V2:
    case LOAD_MX:
        return check_steps(pl, role);
    case LOAD_3D:
    case LOAD_3D_STRIDE:
        return check_map(pl, role);
    case LOAD_AUTO_NONE:
        break;
    }
    return true;
}

bool plan_check_widths(struct planner *pl)
{
    int64_t m, n;
    plan_accumulator(pl->target, pl->p, pl->t, &m, &n);
    return wide(pl, TF_baseM, m, WIDTH_MMAD) && wide(pl, TF_baseN, n, WIDTH_MMAD) && check_copy(pl, ROLE_A) &&
           check_copy(pl, ROLE_B) && check_scale_copy(pl, ROLE_A) && check_scale_copy(pl, ROLE_B) &&
           check_load(pl, ROLE_A, (enum tiling_load)pl->t->loadA) &&
           check_load(pl, ROLE_B, (enum tiling_load)pl->t->loadB);
}
