/* compare.h - results side by side: shape by shape, side by side.
 *
 * A *side* is what a column or bar stands for: a variant of a run, a run of one
 * variant, or a target. A *group* is one shape (on one target, unless the sides
 * are targets) with an entry for each side. The first side, or the one named,
 * is the baseline speed-ups refer to. */
#ifndef STUDY_COMPARE_H
#define STUDY_COMPARE_H

#include "record/run_read.h"
#include "study/exposed.h"

/* What is known of the best tiling besides its record. Bytes of all cores. */
struct compare_detail {
    int64_t part[EXPOSED_N];       /* mcyc, parts of the task time */
    bool split;                    /* `part` is known */
    int64_t copied, copied_scales; /* GM->L1: packed bytes of A, B and rows; e8m0 bytes */
    int64_t elements;              /* logical elements of A and B in `copied` */
    int64_t loaded, loaded_scales; /* L1->L0A, L0B: packed bytes; e8m0 bytes */
    const char *unvalidated;       /* what makes the time unvalidated, "" if nothing */
};

struct compare_entry {
    bool there;              /* the side has this shape */
    const struct cell *cell; /* NULL: no tiling is feasible */
    struct record best;
    struct compare_detail detail;
    struct run_error error;
    size_t run, id; /* the cell's number in its run */
    uint64_t tilings, feasible;
};

/* One cell of one run, before they are joined. */
struct compare_input {
    size_t run;
    const char *run_name, *variant, *target, *label;
    struct compare_entry entry;
};

struct compare_side {
    const char *name;
    size_t run;
    const char *variant, *target; /* target NULL: groups have it */
};

struct compare_group {
    const char *label;           /* "square_8192" */
    const char *target;          /* NULL: the sides have it */
    struct compare_entry *entry; /* one a side */
};

struct compare {
    struct compare_side *side;
    size_t sides;
    struct compare_group *group; /* in the order of the first run */
    size_t groups;
    size_t baseline; /* side */
};

/* Joins cells into groups of equal label and sizes, else of equal sizes.
 * `baseline` names a side; NULL: the first. Groups in which fewer than two sides
 * have the shape are left out.
 * @return STATUS_INVALID with words: one side only, nothing in common, no such
 * side. Everything lives in `arena`. */
enum status compare_join(const struct compare_input *in, size_t count, const char *baseline, struct arena *arena,
                         struct compare *out, struct diag *d);

/* Runs on disk as inputs: the best tilings are read from their best.yaml and
 * evaluated again, unverified; a time that differs from the run's is an error. */
struct compare_inputs {
    struct run_read *run;
    size_t runs;
    struct compare_input *v;
    size_t count;
};
enum status compare_load(const char *const *paths, size_t count, struct study *study, struct arena *arena,
                         struct compare_inputs *out, struct diag *d);

/* Fills entry->detail of a feasible entry. */
enum status compare_detail(struct study *study, struct compare_entry *entry, struct arena *arena, struct diag *d);
/* Of all entries of the first `groups` groups. */
enum status compare_details(struct study *study, struct compare *c, size_t groups, struct arena *arena, struct diag *d);

/* Number of a side by its name; c->sides if there is none. */
size_t compare_find_side(const struct compare *c, const char *name);

/* ---- figures ---- */

/* Task time of an entry, us; NaN if it has none. */
double compare_us(const struct compare_entry *e);
/* Baseline time over the side's, of a group; NaN if one of them has no time. */
double compare_speedup(const struct compare *c, const struct compare_group *g, size_t side);
/* Two times closer than the model's error for their kind on their chips (the larger one). */
bool compare_indistinct(const struct compare_entry *a, const struct compare_entry *b);
/* Percent that is. */
double compare_error_band(const struct compare_entry *a, const struct compare_entry *b);

/* ---- the same tiling on every side ---- */

/* What makes two tilings the same: equal canonical names, or equal values of
 * some fields; then each side's best tiling with these values counts. */
struct compare_key {
    enum tiling_field field[TF_N];
    int fields; /* 0: the name */
};
/* "name" or "baseM,baseN". */
enum status compare_key_parse(const char *text, struct compare_key *out, struct diag *d);

struct compare_row {
    const char *key; /* the name, or "baseM=256 baseN=128" */
    double *us;      /* one a side; NaN: not there */
};

struct compare_same {
    struct compare_row *row; /* those most sides have first, then the baseline's fastest */
    size_t rows;
};

/* Tilings of a group that the baseline and at least one other side have.
 * `tables`: run_read_rows() of each run. */
enum status compare_same_rows(const struct compare *c, const struct compare_group *g, const struct csv_table *tables,
                              const struct compare_key *key, struct arena *arena, struct compare_same *out,
                              struct diag *d);

/* Speed-ups of a side over the baseline in those rows. */
struct compare_spread {
    size_t rows;                  /* that have both */
    double mean, least, greatest; /* geometric mean */
};
struct compare_spread compare_spread_of(const struct compare *c, const struct compare_same *same, size_t side);

#endif
