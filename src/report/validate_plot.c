/* validate_plot.c - predicted against measured time of every row, and the error. */
#include <math.h>
#include <string.h>

#include "report/picture.h"
#include "report/validate.h"

/* Rows this far off are named, percent. */
#define NAMED_FROM 15.0

/* Measured and predicted of a row: its task, else the mean core, else mte2. */
static bool times_of(const struct validate_result *r, double *measured, double *predicted)
{
    static const enum measure order[] = {MEASURE_TASK, MEASURE_MEAN, MEASURE_MTE2};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (!isnan(validate_error(r, order[i]))) {
            *measured = r->row.measured[order[i]];
            *predicted = r->predicted[order[i]];
            return true;
        }
    }
    return false;
}

struct range {
    double low, high, worst;
    int rows;
};

static void add_point(struct picture *p, const struct validate_result *r, struct range *range)
{
    double measured, predicted;
    if (!times_of(r, &measured, &predicted)) {
        return;
    }
    const double error = 100 * (predicted / measured - 1);
    strbuf_addf(&p->data, "%.6g %.6g %.3f ", measured, predicted, error);
    picture_quoted(&p->data, fabs(error) >= NAMED_FROM ? r->row.id : "");
    strbuf_add(&p->data, "\n");
    range->low = fmin(range->low, fmin(measured, predicted));
    range->high = fmax(range->high, fmax(measured, predicted));
    range->worst = fmax(range->worst, fabs(error));
    range->rows++;
}

/* Blocks by architecture and use: colour and filling of the marks. `filled` lists those with rows. */
static void add_block(struct picture *p, const struct validate_set *set, const char *name, bool old_arch, bool fitted,
                      struct range *range, struct strbuf *filled)
{
    const int before = range->rows;
    picture_block(p, name);
    strbuf_add(&p->data, "NaN NaN NaN \"\"\n"); /* so that no block is empty */
    for (size_t i = 0; i < set->count; i++) {
        const struct validate_result *r = &set->results[i];
        if (r->timed && (r->row.target->arch != 3510) == old_arch && (strcmp(r->row.use, "calibrate") == 0) == fitted) {
            add_point(p, r, range);
        }
    }
    if (range->rows > before) {
        strbuf_addf(filled, "%s%s", filled->len > 0 ? " " : "", name);
    }
}

enum status validate_plot(const struct validate_set *set, const char *dir, struct diag *d)
{
    struct picture p;
    struct range range = {INFINITY, 0, 0, 0};
    struct validate_score all, held;
    struct strbuf text;
    picture_init(&p, "validate", 980, 560);
    strbuf_init(&text);
    add_block(&p, set, "a2_fitted", true, true, &range, &text);
    add_block(&p, set, "a2_held", true, false, &range, &text);
    add_block(&p, set, "a5_fitted", false, true, &range, &text);
    add_block(&p, set, "a5_held", false, false, &range, &text);
    picture_text(&p, "plots", strbuf_cstr(&text));
    strbuf_clear(&text);
    validate_score(set, NULL, NULL, &all);
    validate_score(set, "holdout", NULL, &held);
    picture_text(&p, "title", "The model against board runs");
    strbuf_addf(&text, "one mark a run (n = %d): its task time, or where only that is known the mean core or mte2",
                range.rows);
    picture_text(&p, "sub1", strbuf_cstr(&text));
    strbuf_clear(&text);
    strbuf_addf(&text,
                "filled: numbers were fitted to it; open: never. Mean error of the task: %.1f %% of all, %.1f %% of "
                "the open ones",
                all.error[MEASURE_TASK], held.timed > 0 ? held.error[MEASURE_TASK] : all.error[MEASURE_TASK]);
    picture_text(&p, "sub2", strbuf_cstr(&text));
    picture_real(&p, "left", 78);
    picture_real(&p, "right", 26);
    picture_real(&p, "top", 112);
    picture_real(&p, "bottom", 66);
    picture_real(&p, "low", pow(10, floor(log10(range.rows > 0 ? range.low : 1))));
    picture_real(&p, "high", pow(10, ceil(log10(range.rows > 0 ? range.high : 10))));
    picture_real(&p, "worst", fmax(10, 10 * ceil((range.worst + 4) / 10)));
    const enum status st = range.rows == 0 ? diag_error(d, STATUS_INVALID, NULL, "no row has a time to draw")
                                           : picture_write_into(dir, &p, true, d);
    strbuf_fini(&text);
    picture_fini(&p);
    return st;
}
