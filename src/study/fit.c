/* fit.c - coordinate descent on numbers of the time model. */
#include "study/fit.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "target/schema.h"

/* Steps of the search, as shares of a value. */
static const double STEPS[] = {0.08, 0.04, 0.02, 0.01, 0.005};

const char *fit_default_params(int32_t arch)
{
    switch (arch) {
    case 2201:
        return "l1_contention,copy_loaded,row_base,row_width,pitch_conflict,unaligned,l2_shared,hbm_nd,hbm_short_row,"
               "hbm_core_share,overlap,overlap_plain,write_back,mix_us";
    case 3510:
        return "mmad_issue,l1_contention,copy_issue,copy_loaded,row_width,hbm_nd,hbm_short_row,overlap,fixpipe_width,"
               "fixpipe_unaligned";
    default:
        return "";
    }
}

static enum status add_param(const char *name, size_t length, struct arena *arena, struct fit_param *out,
                             struct diag *d)
{
    char key[64];
    if (length == 0 || length > 40) {
        return diag_error(d, STATUS_INVALID, NULL, "'%.*s' is no number of the time model", (int)length, name);
    }
    snprintf(key, sizeof key, "timing.%.*s", (int)length, name);
    const size_t row = target_schema_find(key);
    if (row == SIZE_MAX || target_schema_at(row)->kind != TARGET_REAL || target_schema_at(row)->count != 1) {
        diag_error(d, STATUS_INVALID, NULL, "'%.*s' is no number of the time model", (int)length, name);
        diag_hint(d, "tilescope targets NAME lists them, under timing");
        return STATUS_INVALID;
    }
    char *copy = arena_alloc(arena, length + 1, 1);
    if (copy == NULL) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "out of memory");
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    const struct target_key *known = target_schema_at(row);
    *out = (struct fit_param){copy, known->offset, known->range == RANGE_SHARE ? 1 : HUGE_VAL};
    return STATUS_OK;
}

enum status fit_params_parse(const char *list, struct arena *arena, struct fit_param out[FIT_PARAMS_MAX], int *count,
                             struct diag *d)
{
    *count = 0;
    for (const char *at = list; *at != '\0'; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        if (*count == FIT_PARAMS_MAX) {
            return diag_error(d, STATUS_LIMIT, NULL, "at most %d numbers are fitted at once", FIT_PARAMS_MAX);
        }
        TRY(add_param(at, length, arena, &out[*count], d));
        ++*count;
        at += length;
    }
    return *count > 0 ? STATUS_OK : diag_error(d, STATUS_INVALID, NULL, "no number to fit");
}

/* --- targets and rows ------------------------------------------------------- */

/* A target whose numbers may be changed, and what they were. */
struct detached {
    struct target now, was;
};

enum status fit_detach(struct validate_set *set, struct arena *arena, struct diag *d)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct target *before = set->results[i].row.target;
        size_t known = 0;
        while (known < i && (before == NULL || set->results[known].row.target == NULL ||
                             set->results[known].row.target->fingerprint != before->fingerprint)) {
            known++;
        }
        if (known < i) {
            set->results[i].row.target = set->results[known].row.target;
            continue;
        }
        struct detached *copy = before == NULL ? NULL : arena_alloc(arena, 1, sizeof *copy);
        if (before != NULL && copy == NULL) {
            return diag_error(d, STATUS_NO_MEMORY, NULL, "out of memory");
        }
        if (copy != NULL) {
            copy->now = copy->was = *before;
            set->results[i].row.target = &copy->now;
        }
    }
    return STATUS_OK;
}

int fit_archs(const struct validate_set *set, int32_t *out, int most)
{
    int count = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (!set->results[i].timed) {
            continue;
        }
        const int32_t arch = set->results[i].row.target->arch;
        int known = 0;
        while (known < count && out[known] != arch) {
            known++;
        }
        if (known == count && count < most) {
            out[count++] = arch;
        }
    }
    return count;
}

static bool of_arch(const struct validate_result *r, int32_t arch)
{
    return r->timed && r->row.target->arch == arch;
}

static double number_at(const struct target *t, const struct fit_param *p)
{
    return *(const double *)(const void *)((const char *)t + p->offset);
}

/* The row's target takes `value`; a chip whose number was another multiple of
 * the first one's keeps the ratio. */
static void set_number(const struct validate_result *r, const struct fit_param *p, double value, double first)
{
    /* Of fit_detach(), which owns it. */
    struct detached *x = (struct detached *)(uintptr_t)r->row.target; // NOLINT(performance-no-int-to-ptr)
    const double was = number_at(&x->was, p);
    *(double *)(void *)((char *)&x->now + p->offset) = was == first ? value : was * (value / first);
}

/* Sets the numbers of all targets of the architecture. */
static void set_numbers(struct validate_set *set, int32_t arch, const struct fit_param *params, int count,
                        const double *values)
{
    const struct detached *first = NULL;
    for (size_t i = 0; i < set->count; i++) {
        const struct validate_result *r = &set->results[i];
        if (!of_arch(r, arch)) {
            continue;
        }
        first = first == NULL ? (const struct detached *)(const void *)r->row.target : first;
        for (int p = 0; p < count; p++) {
            set_number(r, &params[p], values[p], number_at(&first->was, &params[p]));
        }
    }
}

enum status fit_apply(struct timing *timing, struct validate_set *set, int32_t arch, const struct fit_param *params,
                      int count, const double *values, struct diag *d)
{
    set_numbers(set, arch, params, count, values);
    for (size_t i = 0; i < set->count; i++) {
        struct validate_result *r = &set->results[i];
        struct timing_result result;
        if (of_arch(r, arch)) {
            TRY(validate_time(timing, &r->row, r->predicted, &result, &r->why, d));
        }
    }
    return STATUS_OK;
}

/* --- objective --------------------------------------------------------------- */

static bool counts(const struct validate_result *r, int32_t arch, const struct fit_rows *rows)
{
    return of_arch(r, arch) && (rows->use == NULL || strcmp(r->row.use, rows->use) == 0) &&
           (rows->without == NULL || strcmp(r->row.family, rows->without) != 0);
}

/* Mean |ln| of a row in percent; NAN if it states nothing. */
static double row_error(const struct validate_result *r)
{
    double sum = 0;
    int stated = 0;
    for (int m = 0; m < MEASURE_N; m++) {
        if (isnan(validate_error(r, (enum measure)m)) ||
            (m == MEASURE_MEAN && !isnan(validate_error(r, MEASURE_TASK)))) {
            continue;
        }
        sum += fabs(log(r->predicted[m] / r->row.measured[m]));
        stated++;
    }
    return stated == 0 ? NAN : 100 * sum / stated;
}

static double objective(const struct validate_set *set, int32_t arch, const struct fit_rows *rows, int *count)
{
    double sum = 0;
    *count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const double error = counts(&set->results[i], arch, rows) ? row_error(&set->results[i]) : NAN;
        if (!isnan(error)) {
            sum += error;
            ++*count;
        }
    }
    return *count == 0 ? 0 : sum / *count;
}

/* --- search --------------------------------------------------------------------- */

/* Only the rows that count are predicted while the search goes on. */
struct search {
    struct timing *timing;
    struct validate_set *set;
    int32_t arch;
    const struct fit_rows *rows;
    const struct fit_param *params;
    int count;
    struct diag *d;
};

static double four_digits(double x)
{
    if (x == 0) {
        return 0;
    }
    const double unit = pow(10, floor(log10(fabs(x))) - 3);
    return rint(x / unit) * unit;
}

static enum status evaluate(const struct search *s, const double *values, double *out)
{
    int count;
    set_numbers(s->set, s->arch, s->params, s->count, values);
    for (size_t i = 0; i < s->set->count; i++) {
        struct validate_result *r = &s->set->results[i];
        struct timing_result result;
        if (counts(r, s->arch, s->rows)) {
            TRY(validate_time(s->timing, &r->row, r->predicted, &result, &r->why, s->d));
        }
    }
    *out = objective(s->set, s->arch, s->rows, &count);
    return STATUS_OK;
}

/* Tries parameter `p` a step up and down; keeps what helps. */
static enum status try_param(const struct search *s, double *values, int p, double step, double *best)
{
    const double was = values[p];
    for (int direction = -1; direction <= 1; direction += 2) {
        double score;
        const double next = fmin(four_digits(was * (1 + direction * step)), s->params[p].most);
        if (next == was) {
            continue;
        }
        values[p] = next;
        TRY(evaluate(s, values, &score));
        if (score < *best - FIT_LEAST) {
            *best = score;
            return STATUS_OK;
        }
        values[p] = was;
    }
    return STATUS_OK;
}

/* All steps from coarse to fine, again until none of them helps: a fit that starts from its own result stays there. */
static enum status descend(const struct search *s, double *values, double *best)
{
    double before;
    do {
        before = *best;
        for (size_t i = 0; i < sizeof STEPS / sizeof STEPS[0]; i++) {
            for (int p = 0; p < s->count; p++) {
                TRY(try_param(s, values, p, STEPS[i], best));
            }
        }
    } while (*best < before);
    return STATUS_OK;
}

/* ND copies go through the same HBM: their rate stays below it, unless that is fitted too. */
static void keep_below_hbm(struct fit_result *fit, const struct target *target)
{
    struct fit_param *nd = NULL;
    for (int p = 0; p < fit->params; p++) {
        if (fit->param[p].offset == offsetof(struct target, timing.hbm)) {
            return;
        }
        nd = fit->param[p].offset == offsetof(struct target, timing.hbm_nd) ? &fit->param[p] : nd;
    }
    if (nd != NULL) {
        nd->most = fmax(target->timing.hbm, target->timing.hbm_nd);
    }
}

void fit_warn(const struct fit_result *fit, struct diag *d)
{
    if (fit->rows < FIT_ROWS_EACH * fit->params) {
        diag_warning(d, NULL, "%d numbers are fitted to %d rows: many other values fit as well", fit->params,
                     fit->rows);
        diag_hint(d, "fit fewer numbers, or to %d rows and more", FIT_ROWS_EACH * fit->params);
    }
    for (int p = 0; p < fit->params; p++) {
        const double was = fit->before[p], now = fit->after[p];
        if (was > 0 && (now > was * FIT_FAR || now < was / FIT_FAR)) {
            diag_warning(d, NULL, "%s went from %.4g to %.4g: the rows may want what it does not stand for",
                         fit->param[p].name, was, now);
        }
        if (now != was && now >= fit->param[p].most) {
            diag_warning(d, NULL, "%s went to its limit, %.4g: the rows want more than the chip has",
                         fit->param[p].name, now);
        }
    }
}

enum status fit_run(struct timing *timing, struct validate_set *set, int32_t arch, const struct fit_rows *rows,
                    const struct fit_param *params, int count, struct fit_result *out, struct diag *d)
{
    const struct validate_result *first = NULL;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < set->count && first == NULL; i++) {
        first = of_arch(&set->results[i], arch) ? &set->results[i] : NULL;
    }
    if (first == NULL) {
        return diag_error(d, STATUS_INVALID, NULL, "no row of architecture %d can be timed", (int)arch);
    }
    out->arch = arch;
    out->params = count;
    for (int p = 0; p < count; p++) {
        out->param[p] = params[p];
        out->before[p] = out->after[p] = number_at(first->row.target, &params[p]);
    }
    keep_below_hbm(out, first->row.target);
    const struct search s = {timing, set, arch, rows, out->param, count, d};
    TRY(evaluate(&s, out->after, &out->objective_before));
    (void)objective(set, arch, rows, &out->rows);
    if (out->rows == 0) {
        return diag_error(d, STATUS_INVALID, NULL, "no row of architecture %d has a time to fit to", (int)arch);
    }
    out->objective_after = out->objective_before;
    TRY(descend(&s, out->after, &out->objective_after));
    return fit_apply(timing, set, arch, params, count, out->after, d);
}
