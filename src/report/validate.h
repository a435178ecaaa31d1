/* validate.h - what `tilescope validate` says beside the rows: fitted numbers,
 * the target file made of them, families left out of the fit, and the picture. */
#ifndef REPORT_VALIDATE_H
#define REPORT_VALIDATE_H

#include "study/fit.h"

/* Families of a set, in order of appearance. @return how many. */
#define VALIDATE_FAMILIES_MAX 64
size_t validate_families(const struct validate_set *set, const char *names[VALIDATE_FAMILIES_MAX]);

/* One line a number: before, after; then the objective and the mean errors of
 * the rows before and after. */
void validate_fit_text(const struct fit_result *fit, const struct validate_score *before,
                       const struct validate_score *after, struct strbuf *out);

/* A target file that extends the stock one of the set's first row of this
 * architecture and states the fitted numbers. `source`: the rows' file. */
void validate_fit_yaml(const struct fit_result *fit, const struct validate_set *set, const struct fit_rows *rows,
                       const char *source, struct strbuf *out);

/* For each family: its error as shipped, and with the fitted numbers (those of
 * fit_default_params) fitted again to the rows that count without it. The set's targets are
 * detached; they are back at their values afterwards. */
enum status validate_leave_out(struct timing *timing, struct validate_set *set, struct strbuf *out, struct diag *d);

/* validate.dat, .gp, .png and .svg in a directory: predicted against measured. */
enum status validate_plot(const struct validate_set *set, const char *dir, struct diag *d);

#endif
