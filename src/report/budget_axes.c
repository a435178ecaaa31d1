/* budget_axes.c - how far each field can grow, and what stops it; room for
 * what the tiling does not have yet. */
#include <inttypes.h>
#include <string.h>

#include "base/intmath.h"
#include "report/budget_internal.h"
#include "tiling/dtypes.h"
#include "tiling/loads.h"

/* ---- 5. the next larger tile ---- */

struct axis_row {
    enum tiling_field field, partner; /* partner: set to the same value; TF_N: none */
    bool mx;                          /* only with scales */
};

static const struct axis_row AXES[] = {
    {TF_baseM, TF_N, false},
    {TF_baseN, TF_N, false},
    {TF_baseK, TF_N, false},
    {TF_stepM, TF_N, false},
    {TF_stepN, TF_N, false},
    {TF_stepKa, TF_N, false},
    {TF_stepKb, TF_N, false},
    {TF_dbA1, TF_N, false},
    {TF_dbB1, TF_N, false},
    {TF_dbL0A, TF_N, false},
    {TF_dbL0B, TF_N, false},
    {TF_dbL0C, TF_N, false},
    {TF_scaleFactorKa, TF_scaleFactorKb, true},
};

/* The tiling with one field changed; depths follow their steps, and two L0C
 * tiles go without the unit flag. */
static struct tiling changed(const struct budget *b, const struct axis_row *axis, int32_t value)
{
    struct tiling t = b->t;
    tiling_set(&t, axis->field, value);
    if (axis->partner != TF_N) {
        tiling_set(&t, axis->partner, value);
    }
    t.depthA1 = t.stepM * t.stepKa * t.dbA1;
    t.depthB1 = t.stepN * t.stepKb * t.dbB1;
    if (axis->field == TF_dbL0C && value == 2) {
        t.unitflag = 0;
    }
    return t;
}

static bool fits(const struct budget *b, const struct axis_row *axis, int32_t value, struct plan *plan,
                 struct infeasible *why)
{
    const struct tiling t = changed(b, axis, value);
    return plan_fits(b->cell->target, &b->problem, &t, plan, why);
}

static int32_t unit_of(const struct budget *b, enum tiling_field f)
{
    const struct problem *p = &b->problem;
    switch (f) {
    case TF_baseM:
    case TF_baseN:
        return FRONTIER_UNIT;
    case TF_baseK:
        return (int32_t)max_i64(load_unit(p, ROLE_A, AXIS_K), load_unit(p, ROLE_B, AXIS_K));
    default:
        return 1;
    }
}

/* Larger than this the field changes nothing any more. */
static int64_t useful(const struct budget *b, enum tiling_field f)
{
    const struct problem *p = &b->problem;
    const struct tiling *t = &b->t;
    const int64_t nk = ceil_div(min_i64(p->K, t->singleCoreK), t->baseK);
    switch (f) {
    case TF_baseM:
        return align_up(p->M, FRONTIER_UNIT);
    case TF_baseN:
        return align_up(p->N, FRONTIER_UNIT);
    case TF_baseK:
        return align_up(p->K, unit_of(b, TF_baseK));
    case TF_stepM:
        return ceil_div(p->M, t->baseM);
    case TF_stepN:
        return ceil_div(p->N, t->baseN);
    case TF_stepKa:
    case TF_stepKb:
        return nk;
    case TF_scaleFactorKa:
        return max_i64(1, min_i64(ceil_div(nk, t->stepKa), ceil_div(nk, t->stepKb)));
    default:
        return 2; /* buffers */
    }
}

static const char *exhausted(enum tiling_field f)
{
    switch (f) {
    case TF_baseM:
    case TF_stepM:
        return "covers M";
    case TF_baseN:
    case TF_stepN:
        return "covers N";
    case TF_baseK:
    case TF_stepKa:
    case TF_stepKb:
    case TF_scaleFactorKa:
        return "covers K";
    default:
        return "both buffers used";
    }
}

/* The largest value reached by growing a step at a time as long as each fits. */
static void add_axis(const struct budget *b, const struct axis_row *axis, struct strbuf *out)
{
    const struct tiling_field_info *info = tiling_field_info(axis->field);
    const int32_t unit = unit_of(b, axis->field), now = tiling_get(&b->t, axis->field);
    const int64_t most = min_i64(info->max, useful(b, axis->field));
    int32_t largest = now;
    struct plan plan;
    struct infeasible why = {.field = TF_N};
    int32_t next = now / unit * unit + unit;
    while (next <= most && fits(b, axis, next, &plan, &why)) {
        largest = next;
        next += unit;
    }
    strbuf_addf(out, "    %-13s %6d", axis->partner == TF_N ? info->name : "scaleFactorK", now);
    const int32_t first = now / unit * unit + unit;
    if (first <= largest) {
        strbuf_addf(out, "  %6d  %7d", first, largest);
    } else {
        strbuf_addf(out, "  %6s  %7d", "-", largest);
    }
    strbuf_add(out, "  ");
    if (next > most) {
        strbuf_add(out, exhausted(axis->field));
    } else {
        const struct tiling t = changed(b, axis, next);
        strbuf_addf(out, "%d: ", next);
        budget_reason(&why, &t, out);
    }
    strbuf_add(out, "\n");
}

void budget_axes(const struct budget *b, struct strbuf *out)
{
    strbuf_add(out, "\n5. The next larger tile along each axis  (all other fields stay)\n");
    if (!b->fits) {
        strbuf_add(out, "    the tiling itself does not fit\n");
        return;
    }
    strbuf_addf(out, "    %-13s %6s  %6s  %7s  what stops the one after\n", "field", "now", "next", "largest");
    for (size_t i = 0; i < sizeof AXES / sizeof AXES[0]; i++) {
        if (!AXES[i].mx || b->problem.a.mx) {
            add_axis(b, &AXES[i], out);
        }
    }
}

/* ---- 7. headroom ---- */

/* Does the tiling still fit with a changed problem or field? */
static void add_question(const struct budget *b, const char *what, const struct problem *p, const struct tiling *t,
                         struct strbuf *out)
{
    struct plan plan;
    struct infeasible why;
    strbuf_addf(out, "    %-22s", what);
    if (plan_fits(b->cell->target, p, t, &plan, &why)) {
        strbuf_add(out, "fits");
        static const enum buffer shown[] = {BUF_L1, BUF_BT, BUF_FB};
        for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
            const int64_t more = plan_need(&plan, shown[i]) - plan_need(&b->plan, shown[i]);
            if (more > 0) {
                strbuf_addf(out, "; %s", buffer_name(shown[i]));
                strbuf_add(out, " +");
                budget_bytes(more, 0, out);
                strbuf_add(out, ", left ");
                budget_bytes(plan.usable[shown[i]] - plan_need(&plan, shown[i]), 0, out);
            }
        }
    } else {
        strbuf_add(out, "no: ");
        budget_reason(&why, t, out);
        const int32_t nearest = tiling_nearest_legal(b->cell->target, p, t, &why);
        if (nearest != TILING_AUTO) {
            strbuf_addf(out, "; fits with %s %d", tiling_field_info((enum tiling_field)why.field)->name, nearest);
        }
    }
    strbuf_add(out, "\n");
}

static void add_bias(const struct budget *b, const struct mmad_triple *form, struct strbuf *out)
{
    struct problem p = b->problem;
    struct tiling t = b->t;
    if (p.bias.dtype != DTYPE_NONE) {
        strbuf_add(out, "    bias row              it has one\n");
        return;
    }
    if (form->bias == DTYPE_NONE) {
        strbuf_add(out, "    bias row              the cube has no bias form for these dtypes\n");
        return;
    }
    p.bias.dtype = (enum dtype)form->bias;
    t.isBias = 1;
    add_question(b, form->bias == DTYPE_INT32 ? "bias row, int32" : "bias row, float", &p, &t, out);
}

static void add_quant(const struct budget *b, const struct mmad_triple *form, struct strbuf *out)
{
    struct problem p = b->problem;
    if (p.quant.dtype != DTYPE_NONE) {
        strbuf_add(out, "    quant row             it has one\n");
        return;
    }
    if (!b->cell->target->l0c_to_gm) {
        strbuf_add(out, "    quant row             no Fixpipe on this chip\n");
        return;
    }
    p.quant.dtype = DTYPE_UINT64;
    const char *what = "quant row";
    if (dtypes_conversion(b->cell->target, (enum dtype)form->c, p.c.dtype, true) == QUANT_N) {
        p.c.dtype = DTYPE_INT8; /* what rows are mostly for */
        what = "quant row, C as int8";
    }
    add_question(b, what, &p, &b->t, out);
}

/* Rows of a C tile that UB holds `copies` times. */
static int64_t rows_in_ub(const struct budget *b, int64_t row_bytes, int copies)
{
    return row_bytes > 0 ? b->plan.usable[BUF_UB] / copies / row_bytes : 0;
}

static void add_ub(const struct budget *b, bool two_cores, struct strbuf *out)
{
    int64_t m, n;
    plan_accumulator(b->cell->target, &b->problem, &b->t, &m, &n);
    const int64_t row = n * 4, rows = two_cores ? ceil_div(m, 2) : m, need = rows * row;
    strbuf_addf(out, "    %-22s", two_cores ? "fused epilogue, UB" : "C through UB");
    strbuf_addf(out,
                two_cores ? "half a C tile (%" PRId64 " of %" PRId64 " rows) goes to each of two vector cores: "
                          : "%" PRId64 " of %" PRId64 " rows of C: ",
                rows, m);
    budget_bytes(need, 0, out);
    strbuf_add(out, " of ");
    budget_bytes(b->plan.usable[BUF_UB], 0, out);
    const int64_t once = rows_in_ub(b, row, 1), twice = rows_in_ub(b, row, 2);
    if (twice >= rows) {
        strbuf_add(out, ": fits twice (double buffer)\n");
    } else if (once >= rows) {
        strbuf_addf(out, ": fits once; double buffered in pieces of %" PRId64 " rows\n", twice);
    } else {
        strbuf_addf(out, ": in pieces of %" PRId64 " rows, double buffered of %" PRId64 "\n", once, twice);
    }
}

static void add_epilogue(const struct budget *b, struct strbuf *out)
{
    const struct target *target = b->cell->target;
    const bool to_ub = target->product == PRODUCT_ASCEND950;
    if (!target->l0c_to_gm) {
        add_ub(b, false, out);
        return;
    }
    struct tiling t = b->t;
    t.kernel = KERNEL_MIX;
    if (b->t.kernel == KERNEL_MIX) {
        strbuf_add(out, "    vector cores beside   it is a mixed kernel\n");
    } else {
        add_question(b, "kernel: mix", &b->problem, &t, out);
    }
    if (to_ub) {
        add_ub(b, true, out);
    } else {
        strbuf_add(out,
                   "    fused epilogue, UB    Fixpipe does not reach UB here: vector cores read C back from GM (L2)\n");
    }
}

void budget_headroom(const struct budget *b, struct strbuf *out)
{
    const struct mmad_triple *form = dtypes_triple(b->cell->target, &b->problem);
    strbuf_add(out, "\n7. Headroom\n");
    if (!b->fits || form == NULL) {
        strbuf_add(out, "    the tiling itself does not fit\n");
        return;
    }
    add_bias(b, form, out);
    add_quant(b, form, out);
    add_epilogue(b, out);
}
