/* validate_score.h - a whole measurements file against the model: predictions,
 * mean errors, and how often the model puts two tilings of a shape in the
 * right order. */
#ifndef STUDY_VALIDATE_SCORE_H
#define STUDY_VALIDATE_SCORE_H

#include "study/validate.h"

struct validate_result {
    struct validate_row row;
    double predicted[MEASURE_N]; /* us; NAN: none */
    bool timed;                  /* false: `skipped` says why */
    bool unvalidated;
    const char *skipped;
    struct infeasible why; /* the plan does not fit by our rules, though it ran */
};

struct validate_set {
    struct validate_result *results; /* in the file's order; in the arena */
    size_t count;
    size_t bad; /* rows that could not be read, reported */
};

/* Reads and predicts every row of a file. A row that cannot be read is
 * reported in `d` and counted; the others go on. */
enum status validate_file(const char *path, struct arena *arena, struct validate_set *out, struct diag *d);

/* Signed error of a measure in percent; NAN if there is nothing to compare
 * (not measured, not predicted, or a fixpipe counter that contains waiting). */
double validate_error(const struct validate_result *r, enum measure m);

/* Over the rows of one `use` and `family` (NULL: any). */
struct validate_score {
    double error[MEASURE_N]; /* mean absolute, percent */
    int rows[MEASURE_N];     /* that have it */
    int pairs, right;        /* tilings of one shape on one chip whose tasks differ by more than 3 % */
    int timed;
};
void validate_score(const struct validate_set *set, const char *use, const char *family, struct validate_score *out);

#endif
