/* errors.c - figures of the error of C as a table and as words. */
#include "report/errors.h"

#include <inttypes.h>
#include <math.h>

#include "problem/input.h"

enum status errors_measure(const struct collect *c, struct error_row *rows, struct diag *d)
{
    const struct experiment *e = c->experiment;
    for (size_t i = 0; i < e->count; i++) {
        rows[i] = (struct error_row){0};
        if (!study_has_error(&e->cells[i]) || c->cells[i].counts.feasible == 0) {
            continue;
        }
        const enum status st = study_error(&e->cells[i], &rows[i].accuracy, d);
        if (st != STATUS_OK && st != STATUS_UNSUPPORTED) {
            return st;
        }
        rows[i].known = st == STATUS_OK;
    }
    return STATUS_OK;
}

static void add_dtype(const struct operand *o, struct strbuf *out)
{
    strbuf_addf(out, "%s%s", o->mx ? "mx_" : "", dtype_info(o->dtype)->name);
}

/* An overflow makes infinities, and their quotients nans of either sign. */
static void add_figure(double v, struct strbuf *out)
{
    if (isnan(v)) {
        strbuf_add(out, ",nan");
    } else {
        strbuf_addf(out, ",%.9g", v);
    }
}

static void add_row(const struct cell *cell, const struct accuracy *a, struct strbuf *out)
{
    const struct problem *p = &cell->problem;
    strbuf_addf(out, "%" PRIu32 ",", cell->id);
    strbuf_add_csv(out, cell->variant);
    strbuf_add(out, ",");
    strbuf_add_csv(out, cell->target->name);
    strbuf_add(out, ",");
    if (p->batch > 1) {
        strbuf_addf(out, "b%" PRId64 "_", p->batch);
    }
    if (p->groups > 1) {
        strbuf_addf(out, "g%" PRId64 "_", p->groups);
    }
    strbuf_addf(out, "%" PRId64 "x%" PRId64 "x%" PRId64 ",", p->M, p->N, p->K);
    add_dtype(&p->a, out);
    strbuf_add(out, "*");
    add_dtype(&p->b, out);
    strbuf_add(out, "->");
    add_dtype(&p->c, out);
    strbuf_addf(out, ",%" PRIu64 ",%" PRIu64, a->elements, a->total);
    add_figure(a->max_abs, out);
    add_figure(a->rms, out);
    add_figure(a->rel_rms, out);
    add_figure(a->cosine, out);
    strbuf_add(out, "\n");
}

void errors_csv(const struct experiment *e, const struct error_row *rows, struct strbuf *out)
{
    bool any = false;
    for (size_t i = 0; i < e->count; i++) {
        if (rows[i].known) {
            strbuf_add(out, any ? "" : "cell,variant,target,shape,dtypes,elements,total,max_abs,rms,rel_rms,cosine\n");
            add_row(&e->cells[i], &rows[i].accuracy, out);
            any = true;
        }
    }
}

void errors_inputs(const struct problem *p, struct strbuf *out)
{
    strbuf_add(out, "before quantisation A is ");
    input_text(p->a.input, out);
    strbuf_add(out, "; B is ");
    input_text(p->b.input, out);
    strbuf_add(out, "\n");
}

void errors_line(const struct accuracy *a, struct strbuf *out)
{
    strbuf_addf(out, "error of C: RMS %.3g (%.3g %% of the RMS of C), largest %.3g, cosine %.9f; ", a->rms,
                100 * a->rel_rms, a->max_abs, a->cosine);
    if (a->elements == a->total) {
        strbuf_addf(out, "all %" PRIu64 " elements\n", a->total);
    } else {
        strbuf_addf(out, "a sample of %" PRIu64 " of %" PRIu64 " elements\n", a->elements, a->total);
    }
}
