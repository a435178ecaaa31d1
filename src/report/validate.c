/* validate.c - fits in words and as a target file; families left out. */
#include "report/validate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"

size_t validate_families(const struct validate_set *set, const char *names[VALIDATE_FAMILIES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const char *family = set->results[i].row.family;
        size_t known = 0;
        while (known < count && strcmp(names[known], family) != 0) {
            known++;
        }
        if (known == count && count < VALIDATE_FAMILIES_MAX && *family != '\0') {
            names[count++] = family;
        }
    }
    return count;
}

/* --- a fit ------------------------------------------------------------------- */

static void add_errors(const char *name, const struct validate_score *score, struct strbuf *out)
{
    strbuf_addf(out, "  %-7s", name);
    for (int m = 0; m < MEASURE_N; m++) {
        if (score->rows[m] > 0) {
            strbuf_addf(out, "  %s %.2f", measure_name((enum measure)m), score->error[m]);
        }
    }
    strbuf_addf(out, "  (%d rows)\n", score->timed);
}

void validate_fit_text(const struct fit_result *fit, const struct validate_score *before,
                       const struct validate_score *after, struct strbuf *out)
{
    strbuf_addf(out, "fit of architecture %d to %d rows: mean |ln(predicted / measured)| %.3f %% -> %.3f %%\n",
                (int)fit->arch, fit->rows, fit->objective_before, fit->objective_after);
    for (int p = 0; p < fit->params; p++) {
        strbuf_addf(out, "  %-20s %10.6g -> %10.6g%s\n", fit->param[p].name, fit->before[p], fit->after[p],
                    fit->before[p] == fit->after[p] ? "" : "  *");
    }
    strbuf_add(out, "mean absolute errors, %\n");
    add_errors("before", before, out);
    add_errors("after", after, out);
}

static bool is_of_fit(const struct validate_result *r, const struct fit_result *fit, const struct fit_rows *rows)
{
    return r->timed && r->row.target->arch == fit->arch && (rows->use == NULL || strcmp(r->row.use, rows->use) == 0);
}

static void add_rows(const struct validate_set *set, const struct fit_result *fit, const struct fit_rows *rows,
                     struct strbuf *out)
{
    const char *comma = "";
    strbuf_add(out, "rows: [");
    for (size_t i = 0; i < set->count; i++) {
        if (is_of_fit(&set->results[i], fit, rows)) {
            strbuf_addf(out, "%s%s", comma, set->results[i].row.id);
            comma = ", ";
        }
    }
    strbuf_add(out, "]");
}

void validate_fit_yaml(const struct fit_result *fit, const struct validate_set *set, const struct fit_rows *rows,
                       const char *source, struct strbuf *out)
{
    const struct validate_result *first = NULL;
    for (size_t i = 0; i < set->count && first == NULL; i++) {
        first = is_of_fit(&set->results[i], fit, rows) ? &set->results[i] : NULL;
    }
    if (first == NULL) {
        return;
    }
    bool moved = false;
    for (int p = 0; p < fit->params; p++) {
        moved |= fit->after[p] != fit->before[p];
    }
    const char *base = strrchr(source, '/');
    base = base == NULL ? source : base + 1;
    strbuf_addf(out,
                "# Written by tilescope %s, validate --fit (%s): numbers fitted to %d rows of %s.\n"
                "# Mean |ln(predicted / measured)| %.3f %% before, %.3f %% after.\n"
                "title: %s, fitted\nextends: %s\n%s",
                TILESCOPE_VERSION, TILESCOPE_MODEL_TEXT, fit->rows, base, fit->objective_before, fit->objective_after,
                first->row.target->title, first->row.target_name, moved ? "\ntiming:\n" : "");
    for (int p = 0; p < fit->params; p++) {
        if (fit->after[p] == fit->before[p]) { /* no row of these says it is measured */
            strbuf_addf(out, "  # %s: stays %.8g, these rows do not move it\n", fit->param[p].name, fit->before[p]);
            continue;
        }
        char key[80];
        snprintf(key, sizeof key, "timing.%s", fit->param[p].name);
        const struct target_fact *fact = target_fact(first->row.target, key);
        strbuf_addf(out, "  %s: {value: %.8g, unit: %s, confidence: measured, ", fit->param[p].name, fit->after[p],
                    fact == NULL ? "ratio" : fact->unit);
        add_rows(set, fit, rows, out);
        strbuf_addf(out, ", source: \"fitted by tilescope validate --fit; was %.8g\"}\n", fit->before[p]);
    }
}

/* --- families left out ---------------------------------------------------------- */

/* Task error of a family, or of mte2 where it states no task. */
static double family_error(const struct validate_score *score, enum measure *which)
{
    *which = score->rows[MEASURE_TASK] > 0 ? MEASURE_TASK : MEASURE_MTE2;
    return score->error[*which];
}

static bool has_arch(const struct validate_set *set, const char *family, int32_t arch)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct validate_result *r = &set->results[i];
        if (r->timed && r->row.target->arch == arch && strcmp(r->row.family, family) == 0) {
            return true;
        }
    }
    return false;
}

/* Fits without `family`, scores it, and puts the numbers back. */
static enum status leave_out(struct timing *timing, struct validate_set *set, const char *family, const char *use,
                             struct validate_score *out, int *changed, struct diag *d)
{
    int32_t archs[8];
    const int count = fit_archs(set, archs, 8);
    const struct fit_rows rows = {.use = use, .without = family};
    struct fit_result fits[8];
    struct arena arena;
    enum status st = STATUS_OK;
    arena_init(&arena);
    *changed = 0;
    for (int i = 0; i < count && st == STATUS_OK; i++) {
        struct fit_param params[FIT_PARAMS_MAX];
        int n = 0;
        fits[i].params = 0;
        if (*fit_default_params(archs[i]) == '\0' || !has_arch(set, family, archs[i])) {
            continue;
        }
        st = fit_params_parse(fit_default_params(archs[i]), &arena, params, &n, d);
        if (st == STATUS_OK) {
            st = fit_run(timing, set, archs[i], &rows, params, n, &fits[i], d);
        }
        for (int p = 0; p < n && st == STATUS_OK; p++) {
            *changed += fits[i].before[p] != fits[i].after[p];
        }
    }
    if (st == STATUS_OK) {
        validate_score(set, NULL, family, out);
    }
    for (int i = 0; i < count && st == STATUS_OK; i++) {
        st = fit_apply(timing, set, archs[i], fits[i].param, fits[i].params, fits[i].before, d);
    }
    arena_fini(&arena);
    return st;
}

enum status validate_leave_out(struct timing *timing, struct validate_set *set, struct strbuf *out, struct diag *d)
{
    const char *names[VALIDATE_FAMILIES_MAX];
    const size_t count = validate_families(set, names);
    struct validate_score marked;
    validate_score(set, "calibrate", NULL, &marked);
    const char *use = marked.timed > 0 ? "calibrate" : NULL;
    strbuf_addf(out,
                "\nleave one family out: its error with the fitted numbers fitted anew without it\n%-26s %5s %8s  %8s  "
                "%8s  %s\n",
                "", "rows", "", "shipped", "left out", "numbers moved");
    for (size_t i = 0; i < count; i++) {
        struct validate_score shipped, without;
        enum measure which, same;
        int changed;
        validate_score(set, NULL, names[i], &shipped);
        const double before = family_error(&shipped, &which);
        if (shipped.timed == 0 || isnan(before)) {
            continue;
        }
        TRY(leave_out(timing, set, names[i], use, &without, &changed, d));
        strbuf_addf(out, "%-26s %5d %8s  %7.2f %%  %7.2f %%  %d\n", names[i], shipped.timed, measure_name(which),
                    before, family_error(&without, &same), changed);
    }
    return STATUS_OK;
}
