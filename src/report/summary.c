/* summary.c - the ranked table and the words around it. */
#include "report/summary.h"
#include "report/edge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "record/record_columns.h"
#include "report/errors.h"
#include "report/explain_conv.h"
#include "report/layers.h"
#include "timing/timing.h"

const char *summary_counter(enum pipe pipe)
{
    static const char *const names[PIPE_N] = {
        [PIPE_MTE2] = "mte2", [PIPE_MTE1] = "mte1", [PIPE_M] = "mac", [PIPE_FIX] = "fixpipe", [PIPE_S] = "scalar"};
    return pipe < PIPE_N ? names[pipe] : "?";
}

void summary_bytes(int64_t bytes, struct strbuf *out)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double v = (double)bytes;
    int u = 0;
    while (v >= 1024 && u < 5) {
        v /= 1024;
        u++;
    }
    strbuf_addf(out, v >= 100 || v == (double)(int64_t)v ? "%.0f %s" : v >= 10 ? "%.1f %s" : "%.2f %s", v, units[u]);
}

void summary_gm(const struct record *r, struct strbuf *out)
{
    summary_bytes(record_gm_read(r) + record_gm_write(r), out);
    strbuf_add(out, " moved");
    if (r->halo) {
        strbuf_add(out, " (");
        summary_bytes(r->halo, out);
        strbuf_add(out, " of it map rows that neighbouring M tiles both bring)");
    }
    strbuf_add(out, ", any kernel must move ");
    summary_bytes(r->compulsory, out);
    strbuf_add(out, "; ");
    summary_bytes(r->hbm, out);
    strbuf_add(out, " pass between L2 and HBM (not counted: what L2 holds of C at the end, written back later)");
}

/* A conv's FRACTAL_Z has no other orientation, and its result by points is called NHWC. */
static void add_operand(const struct problem *p, const char *name, const struct operand *o, struct strbuf *out)
{
    const bool conv = p->op == PROBLEM_CONV;
    if (o->dtype != DTYPE_NONE) {
        strbuf_addf(out, ", %s %s%s %s%s", name, o->mx ? "mx_" : "", dtype_info(o->dtype)->name,
                    conv && o == &p->c && o->format == LAYOUT_ND ? "NHWC" : layout_name(o->format),
                    o->transpose && !conv ? " transposed" : "");
    }
}

void summary_problem(const struct problem *p, struct strbuf *out)
{
    strbuf_addf(out, "%s M %" PRId64 ", N %" PRId64 ", K %" PRId64, p->op == PROBLEM_CONV ? "conv" : "matmul", p->M,
                p->N, p->K);
    if (p->batch > 1) {
        strbuf_addf(out, ", batch %" PRId64, p->batch);
    }
    if (p->groups > 1) {
        strbuf_addf(out, ", %" PRId64 " groups of %s%" PRId64 " rows", p->groups,
                    problem_groups_equal(p) ? "" : "up to ", problem_most_rows(p));
    }
    add_operand(p, "A", &p->a, out);
    add_operand(p, "B", &p->b, out);
    add_operand(p, "C", &p->c, out);
    add_operand(p, "bias", &p->bias, out);
    if (p->quant.dtype != DTYPE_NONE) {
        strbuf_add(out, ", quant row");
    }
    strbuf_add(out, p->relu ? ", relu" : "");
    if (p->op == PROBLEM_CONV) {
        strbuf_add(out, "\n  ");
        conv_shape_text(p, out);
    }
}

/* ---- one cell's best ---- */

static void add_best(const struct collect_cell *cell, struct strbuf *out)
{
    const struct record *r = &cell->top.r[0];
    const struct cell *k = cell->cell;
    strbuf_add(out, "best of the model: ");
    tiling_name(&r->t, out);
    strbuf_addf(out, "\n  %.2f us, %.1f TFLOP/s = %.1f %% of peak\n  GM: ", timing_us(k->target, r->task),
                record_tflops(k, r), 100 * record_peak_share(k, r));
    summary_gm(r, out);
    strbuf_add(out, "\n  busy, share of the mean core time (msprof's counters):");
    static const enum pipe order[] = {PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_FIX};
    for (size_t i = 0; i < 4; i++) {
        const double share = r->core_mean > 0 ? 100.0 * (double)r->busy[order[i]] / (double)r->core_mean : 0;
        strbuf_addf(out, "%s %s %.2f us (%.0f %%)", i ? "," : "", summary_counter(order[i]),
                    timing_us(k->target, r->busy[order[i]]), share);
    }
    strbuf_addf(out, "\n  what binds: %s on the slowest core\n", pipe_name(r->bound_pipe));
    edge_text(k, r, out);
    edge_oversize_text(&k->problem, &r->t, "  ", out);
    if (edge_all_auto(&k->space)) {
        strbuf_add(out,
                   "  nothing was swept: each field has the one value its rule gives; add 'tiling' to the config\n");
    }
}

/* ---- reasons ---- */

static int by_count(const void *a, const void *b)
{
    const struct collect_reason *x = *(const struct collect_reason *const *)a;
    const struct collect_reason *y = *(const struct collect_reason *const *)b;
    if (x->count != y->count) {
        return x->count < y->count ? 1 : -1;
    }
    return (x->index > y->index) - (x->index < y->index);
}

void summary_reasons(const struct collect_cell *cell, const char *indent, struct strbuf *out)
{
    if (cell->cell->failed) {
        strbuf_addf(out, "%sthis cell cannot be taken: %s\n", indent, cell->cell->failed);
    }
    const struct collect_reason **order = calloc(cell->reason_count + 1, sizeof(*order));
    if (!order) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < cell->reason_count; i++) {
        order[i] = &cell->reasons[i];
    }
    qsort(order, cell->reason_count, sizeof(*order), by_count);
    for (size_t i = 0; i < cell->reason_count; i++) {
        strbuf_addf(out, "%s%8" PRIu64 "  %s: ", indent, order[i]->count, infeasible_reason_name(order[i]->why.reason));
        space_advice(&cell->cell->space, cell->cell->target, &cell->cell->problem, order[i]->index, &order[i]->why,
                     out);
        strbuf_addf(out, "\n%s          e.g. ", indent);
        tiling_name(&order[i]->example, out);
        strbuf_add(out, "\n");
    }
    free(order);
}

/* ---- one cell, all cells ---- */

static void add_wrong(const struct collect *c, const struct collect_cell *cell, struct strbuf *out)
{
    if (cell->counts.mismatched == 0) {
        return;
    }
    strbuf_addf(out, "\nMISMATCHED, not ranked: %" PRIu64 ", these load or compute wrong bytes\n",
                cell->counts.mismatched);
    for (size_t i = 0; i < c->wrong.n; i++) {
        if (c->wrong.r[i].cell == cell->cell->id) {
            strbuf_add(out, "  ");
            tiling_name(&c->wrong.r[i].t, out);
            strbuf_add(out, "\n");
        }
    }
}

static void add_cell(const struct collect *c, const struct collect_cell *cell, const struct error_row *error,
                     struct strbuf *out)
{
    const struct cell *k = cell->cell;
    const struct collect_counts *n = &cell->counts;
    strbuf_addf(out, "\n== cell %" PRIu32 ": %s\n", k->id, k->name);
    if (k->failed) {
        summary_reasons(cell, "", out);
        return;
    }
    summary_problem(&k->problem, out);
    strbuf_addf(out, "\n%s (%s): %" PRId32 " cores, %.2f GHz, peak %.1f TFLOP/s\n", k->target->title, k->target->name,
                k->target->cores, k->target->ghz, record_peak_tflops(k));
    strbuf_addf(out, "%" PRIu64 " tilings: %" PRIu64 " feasible, %" PRIu64 " verified (%s), %" PRIu64 " mismatched\n",
                n->points, n->feasible, n->verified, verify_name(c->experiment->verify), n->mismatched);
    if (error != NULL && error->known) {
        errors_inputs(&k->problem, out);
        errors_line(&error->accuracy, out);
    }
    if (cell->top.n) {
        strbuf_add(out, "\n");
        add_best(cell, out);
        strbuf_add(out, "\n");
        summary_table(cell, c->experiment->top, out);
    }
    add_wrong(c, cell, out);
    if (cell->reason_count) {
        strbuf_addf(out, "\ninfeasible: %" PRIu64 "\n", n->points - n->feasible);
        summary_reasons(cell, "", out);
    }
}

void summary_text(const struct collect *c, const struct error_row *errors, struct strbuf *out)
{
    static const char *const objectives[] = {"time", "GM bytes", "L1 bytes"};
    strbuf_addf(out, "tilescope %s: %s (%s), ranked by %s\n", TILESCOPE_VERSION, c->experiment->name,
                TILESCOPE_MODEL_TEXT, objectives[c->experiment->objective]);
    strbuf_add(
        out, "Times are of the model, not of a board. ~ marks tilings within the model's error of the best: it cannot\n"
             "tell them apart, so after the best they stand in order of GM bytes and headroom; rank is by time.\n");
    struct networks networks;
    if (networks_make(c, &networks) == STATUS_OK) {
        networks_text(&networks, out);
        networks_fini(&networks);
    } else {
        out->failed = true;
    }
    for (size_t i = 0; i < c->experiment->count; i++) {
        add_cell(c, &c->cells[i], errors == NULL ? NULL : &errors[i], out);
    }
}
