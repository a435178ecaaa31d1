/* copies.c - timing_model.md section 5, pure copies. */
#include "timing/copies.h"

#include <string.h>

#include "base/intmath.h"
#include "timing/cost.h"
#include "timing/memctx.h"

int64_t timing_copies(const struct target *target, enum dtype dtype, const struct copies *copies)
{
    struct problem problem;
    struct schedule s;
    struct cost c;
    memset(&problem, 0, sizeof problem);
    memset(&s, 0, sizeof s);
    /* The operand lies as an A whose rows run along K: base_cols is a chunk of it. */
    problem.a = (struct operand){.dtype = dtype, .rows = copies->rows, .cols = copies->cols, .ld = copies->cols};
    problem.b = problem.c = problem.a;
    s.target = target;
    s.problem = &problem;
    s.cores_active = copies->cores;
    s.t.baseM = copies->base_rows;
    s.t.baseK = copies->base_cols;
    s.t.stepKa = s.t.stepKb = 1;
    cost_init(&c, &s);
    const int32_t row_bytes = (int32_t)dtype_bytes(dtype, copies->base_cols);
    const double bytes = (double)copies->base_rows * row_bytes;
    const double alone = cost_rows(&c, ROLE_A, copies->base_rows, row_bytes);
    const double hit = target->timing.copy_issue + cost_rows_together(&c, alone, bytes, false, copies->cores);
    double stream = c.hbm_nd;
    if (row_bytes < target->timing.hbm_short_row_bytes) {
        stream /= target->timing.hbm_short_row;
    }
    const double missed = cost_max(hit, bytes * copies->cores / stream);
    const double whole = (double)copies->rows * (double)copies->cols * dtype_info(dtype)->bits / 8;
    const double share = memctx_hit_share(target, whole / copies->splits);
    const double again = share * hit + (1 - share) * missed;
    const int64_t moves = copies->rows_core / copies->base_rows * ceil_div(copies->cols, copies->base_cols);
    return cost_mcyc((double)moves * (missed + (copies->passes - 1) * again));
}
