/* fit.h - numbers of the time model from board runs.
 *
 * Rows are taken in groups of one architecture, since a number is a chip
 * family's. The objective is the mean over rows of each row's mean
 * |ln(predicted / measured)| over what it states (task, or the mean core where
 * there is no task; mac, mte1, mte2, fixpipe without waiting), in percent: a row
 * weighs the same whatever it states, and a factor up as much as one down.
 *
 * The search is a coordinate descent from the target file's values: each number
 * is tried one step up and down, steps from 8 % down to 0.5 % of it, values kept
 * to four digits, again until no step wins FIT_LEAST. It has no
 * chance in it: the same rows and files give the same numbers. */
#ifndef STUDY_FIT_H
#define STUDY_FIT_H

#include "study/validate_score.h"

#define FIT_PARAMS_MAX 24
/* Percent of the objective a step must win. Less is noise of a few rows: numbers then stay where they are. */
#define FIT_LEAST 0.01

/* Rows a number should have, at least; a factor by which none moves without a word. */
#define FIT_ROWS_EACH 2
#define FIT_FAR       1.25

struct fit_param {
    const char *name; /* without "timing." */
    size_t offset;    /* in struct target */
    double most;      /* of its range */
};

struct fit_result {
    int32_t arch;
    int params;
    struct fit_param param[FIT_PARAMS_MAX];
    double before[FIT_PARAMS_MAX], after[FIT_PARAMS_MAX];
    double objective_before, objective_after;
    int rows; /* that the objective is over */
};

/* Which rows count: of `use` (NULL: any) and not of `without` (NULL: all). */
struct fit_rows {
    const char *use, *without;
};

/* "a,b,c" -> parameters; unknown names are reported with a suggestion. */
enum status fit_params_parse(const char *list, struct arena *arena, struct fit_param out[FIT_PARAMS_MAX], int *count,
                             struct diag *d);

/* The numbers that were fitted for an architecture, as such a list; "" if none. */
const char *fit_default_params(int32_t arch);

/* Fits `params` of one architecture and leaves the rows' predictions and targets
 * at the fitted values. Rows' targets must be fit_detach()ed before. */
enum status fit_run(struct timing *timing, struct validate_set *set, int32_t arch, const struct fit_rows *rows,
                    const struct fit_param *params, int count, struct fit_result *out, struct diag *d);

/* Warns of a fit of too many numbers to too few rows, of numbers that went far or to their limit. */
void fit_warn(const struct fit_result *fit, struct diag *d);

/* Gives each distinct target of the set a copy of its own, so that numbers can be changed. */
enum status fit_detach(struct validate_set *set, struct arena *arena, struct diag *d);

/* Sets parameters of all targets of an architecture and predicts its rows anew. */
enum status fit_apply(struct timing *timing, struct validate_set *set, int32_t arch, const struct fit_param *params,
                      int count, const double *values, struct diag *d);

/* The architectures of a set, by first row; at most `most`. */
int fit_archs(const struct validate_set *set, int32_t *out, int most);

#endif
