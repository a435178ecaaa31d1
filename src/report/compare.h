/* compare.h - a comparison for people: tables, CSV, two pictures.
 *
 * Words that are the same everywhere: speed-up is baseline time over time;
 * "~" stands behind one the model cannot tell from 1 (both times lie within its
 * error on board runs of the chip); "*" behind a time no board run stands behind. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/picture.h"
#include "study/compare.h"

/* Best against best: per group time, bytes, space and error of each side. */
void compare_text(const struct compare *c, struct strbuf *out);
/* One line a group and side, after a header; what is not known is empty. */
void compare_csv(const struct compare *c, const struct compare_inputs *in, struct strbuf *out);

/* The same tiling on every side: one for each group, or NULL. */
void compare_same_text(const struct compare *c, const struct compare_same *same, const struct compare_key *key,
                       size_t top, struct strbuf *out);
void compare_same_csv(const struct compare *c, const struct compare_same *same, struct strbuf *out);

/* ---- pictures ---- */

/* Groups and sides one picture of all holds. */
#define MX_COMPARE_GROUPS 6
#define MX_COMPARE_SIDES  10

/* Bars of time, bytes, occupancy, error. @return false with the reason in `why`. */
void plot_mx_compare_name(const struct compare *c, struct picture *p); /* its files: mx_compare; without MX: compare */
bool plot_mx_compare(const struct compare *c, struct picture *p, struct strbuf *why);

/* One side of the two periods. */
struct period_side {
    const char *name; /* "mxfp4" */
    const struct cell *cell;
    struct tiling tiling;
};
/* A steady period of each on one time axis. */
bool plot_periods(struct study *study, const struct period_side side[2], struct picture *p, struct strbuf *why);

/* Writes compare.csv, same.csv (if there are rows), and the pictures into a new
 * directory, whole or not at all. `periods` may be NULL.
 * @return STATUS_INVALID if it is there and not `force`. */
struct compare_files {
    const struct compare *compare;
    const struct compare_inputs *inputs;
    const struct compare_same *same; /* one a group */
    const struct period_side *periods;
    struct study *study;
    bool force, no_plots;
};
enum status compare_write(const char *dir, const struct compare_files *f, struct diag *d);

#endif
