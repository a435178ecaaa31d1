/* validate_score.c - predictions of a measurements file, and what they are worth. */
#include "study/validate_score.h"

#include <math.h>
#include <string.h>

/* Two measured times closer than this say nothing about order. */
#define ORDER_APART 0.03

/* Targets loaded so far, by name. */
struct targets {
    struct loaded {
        const char *name;
        const struct target *target;
        struct loaded *next;
    } * first;
};

static const struct target *target_of(struct targets *t, const char *name, const struct location *at,
                                      struct arena *arena, struct diag *d)
{
    for (const struct loaded *l = t->first; l != NULL; l = l->next) {
        if (strcmp(l->name, name) == 0) {
            return l->target;
        }
    }
    struct loaded *l = arena_alloc(arena, 1, sizeof *l);
    if (l == NULL) {
        diag_error(d, STATUS_NO_MEMORY, at, "out of memory");
        return NULL;
    }
    l->name = name;
    l->next = t->first;
    t->first = l; /* a name that does not load is reported once */
    if (target_load(name, at, arena, &l->target, d) != STATUS_OK) {
        l->target = NULL;
    }
    return l->target;
}

/* @return STATUS_INVALID for a bad row, which is counted; other failures end the file. */
static enum status read_row(const struct csv_table *csv, const struct validate_columns *columns, size_t i,
                            struct targets *targets, struct arena *arena, struct validate_result *r, struct diag *d)
{
    const enum status st = validate_row_read(csv, columns, i, &r->row, d);
    if (st == STATUS_UNSUPPORTED) {
        r->skipped = "the schedule does not lower this operation yet";
        return STATUS_OK;
    }
    TRY(st);
    const struct location at = csv_location(csv, i, (size_t)csv_column(csv, "target"));
    r->row.target = target_of(targets, r->row.target_name, &at, arena, d);
    if (r->row.target == NULL) {
        return STATUS_INVALID;
    }
    r->row.target_name = r->row.target->name; /* rows of one chip may spell it in several ways */
    return STATUS_OK;
}

static enum status predict(struct timing *timing, struct validate_result *r, struct diag *d)
{
    struct timing_result result;
    for (int m = 0; m < MEASURE_N; m++) {
        r->predicted[m] = NAN;
    }
    if (r->skipped != NULL) {
        return STATUS_OK;
    }
    const enum status st = validate_time(timing, &r->row, r->predicted, &result, &r->why, d);
    if (st == STATUS_UNSUPPORTED) {
        r->skipped = "the schedule does not lower this tiling yet";
        return STATUS_OK;
    }
    r->timed = st == STATUS_OK;
    r->unvalidated = result.unvalidated;
    return st;
}

static enum status predict_rows(const struct csv_table *csv, const struct validate_columns *columns,
                                struct timing *timing, struct arena *arena, struct validate_set *out, struct diag *d)
{
    struct targets targets = {NULL};
    for (size_t i = 0; i < csv->count; i++) {
        struct validate_result *r = &out->results[out->count];
        memset(r, 0, sizeof *r);
        const enum status st = read_row(csv, columns, i, &targets, arena, r, d);
        if (st == STATUS_INVALID) {
            out->bad++;
            continue;
        }
        TRY(st);
        TRY(predict(timing, r, d));
        out->count++;
    }
    return STATUS_OK;
}

enum status validate_file(const char *path, struct arena *arena, struct validate_set *out, struct diag *d)
{
    struct csv_table csv;
    struct validate_columns *columns;
    struct timing *timing;
    memset(out, 0, sizeof *out);
    TRY(csv_load(path, arena, &csv, d));
    TRY(validate_columns_find(&csv, arena, &columns, d));
    out->bad = csv.bad;
    out->results = arena_alloc(arena, csv.count + 1, sizeof *out->results);
    if (out->results == NULL || timing_create(&timing) != STATUS_OK) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "out of memory");
    }
    const enum status st = predict_rows(&csv, columns, timing, arena, out, d);
    timing_destroy(timing);
    return st;
}

double validate_error(const struct validate_result *r, enum measure m)
{
    const double measured = r->row.measured[m], predicted = r->predicted[m];
    if (!(measured > 0) || isnan(predicted) || (m == MEASURE_FIXPIPE && r->row.fixpipe_waits)) {
        return NAN;
    }
    return 100 * (predicted / measured - 1);
}

/* --- order ---------------------------------------------------------------- */

static bool same_operand(const struct operand *a, const struct operand *b)
{
    return a->dtype == b->dtype && a->mx == b->mx && a->transpose == b->transpose && a->format == b->format;
}

/* Two tilings of one problem on one chip. */
static bool comparable(const struct validate_row *a, const struct validate_row *b)
{
    const struct problem *p = &a->problem, *q = &b->problem;
    return a->target == b->target && strcmp(a->op, b->op) == 0 && p->M == q->M && p->N == q->N && p->K == q->K &&
           same_operand(&p->a, &q->a) && same_operand(&p->b, &q->b) && same_operand(&p->c, &q->c);
}

static void score_pair(const struct validate_result *a, const struct validate_result *b, struct validate_score *out)
{
    const double ma = a->row.measured[MEASURE_TASK], mb = b->row.measured[MEASURE_TASK];
    const double pa = a->predicted[MEASURE_TASK], pb = b->predicted[MEASURE_TASK];
    if (!comparable(&a->row, &b->row) || isnan(ma) || isnan(mb) || isnan(pa) || isnan(pb) ||
        fabs(ma - mb) <= ORDER_APART * fmin(ma, mb)) {
        return;
    }
    out->pairs++;
    out->right += (ma < mb) == (pa < pb) && pa != pb;
}

/* --- scores ---------------------------------------------------------------- */

static bool wanted(const struct validate_result *r, const char *use, const char *family)
{
    return r->timed && (use == NULL || strcmp(r->row.use, use) == 0) &&
           (family == NULL || strcmp(r->row.family, family) == 0);
}

void validate_score(const struct validate_set *set, const char *use, const char *family, struct validate_score *out)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < set->count; i++) {
        const struct validate_result *r = &set->results[i];
        if (!wanted(r, use, family)) {
            continue;
        }
        out->timed++;
        for (int m = 0; m < MEASURE_N; m++) {
            const double error = validate_error(r, (enum measure)m);
            out->error[m] += isnan(error) ? 0 : fabs(error);
            out->rows[m] += !isnan(error);
        }
        for (size_t j = 0; j < i; j++) {
            if (wanted(&set->results[j], use, family)) {
                score_pair(r, &set->results[j], out);
            }
        }
    }
    for (int m = 0; m < MEASURE_N; m++) {
        out->error[m] = out->rows[m] > 0 ? out->error[m] / out->rows[m] : NAN;
    }
}
