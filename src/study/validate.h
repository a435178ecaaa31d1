/* validate.h - board runs as points: a row of a measurements file becomes a
 * target, a problem, a tiling and a start, and what was measured.
 *
 * The columns are those of tests/data/measurements/open.csv; a file may have
 * fewer, and in any order: B is then of A's dtype, C of what Fixpipe stores for
 * it (problem_default_result), other fields are `auto`. `target` may be a name of the measurements ("910B1",
 * "950PR") or of a target file. */
#ifndef STUDY_VALIDATE_H
#define STUDY_VALIDATE_H

#include "text/csv.h"
#include "timing/timing.h"

/* What a board run reports, us; NAN: not stated. */
enum measure { MEASURE_TASK = 0, MEASURE_MEAN, MEASURE_MAC, MEASURE_MTE1, MEASURE_MTE2, MEASURE_FIXPIPE, MEASURE_N };

struct validate_row {
    const char *id, *use, *family, *op;
    const char *target_name; /* of the target file */
    const struct target *target;
    struct problem problem;
    struct tiling tiling; /* as the row says; what it does not say is TILING_AUTO */
    struct timing_start start;
    int32_t copy_passes, copy_nsplit; /* pure copies */
    double measured[MEASURE_N];
    bool fixpipe_waits; /* unitflag: the fixpipe counter contains waiting */
};

/* Columns of a measurements file, found once. */
struct validate_columns;

/* Warns of columns that nothing reads and of a file without a time.
 * @return STATUS_INVALID naming the columns that are missing. */
enum status validate_columns_find(const struct csv_table *csv, struct arena *arena, struct validate_columns **out,
                                  struct diag *d);

/* Reads row `i`. Targets are loaded once per arena and name through `target`:
 * the caller sets out->target from out->target_name before validate_time.
 * @return STATUS_UNSUPPORTED for an op the model does not lower, STATUS_INVALID. */
enum status validate_row_read(const struct csv_table *csv, const struct validate_columns *columns, size_t i,
                              struct validate_row *out, struct diag *d);

/* Predicts the row: us by measure. A plan that does not fit is timed all the
 * same, it ran on a board; `why` tells. */
enum status validate_time(struct timing *t, const struct validate_row *row, double predicted[MEASURE_N],
                          struct timing_result *result, struct infeasible *why, struct diag *d);

const char *measure_name(enum measure m); /* "task", "mac", ... */

#endif
