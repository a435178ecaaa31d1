/* collect.h - what a sweep keeps of its points, in bounded memory.
 *
 * For each cell: counts, the reasons of infeasible points with one example
 * each, the best tilings by the experiment's objective, the best time of each
 * cell of a heatmap, the front of time against GM bytes, and a sample of all
 * feasible points for scatter plots. With few points (below
 * LIMIT_RESULT_ROWS_ALL and the config's `keep`) every record is kept, too.
 *
 * Everything is a function of the set of points: it does not depend on threads
 * or on where a run was interrupted. collect_add() says whether a record
 * changed anything that is kept; only those go into the journal, and
 * collect_replay() of them with the counters of the last checkpoint gives back
 * the same state. */
#ifndef SWEEP_COLLECT_H
#define SWEEP_COLLECT_H

#include "experiment/experiment.h"
#include "record/record.h"

struct collect_reason {
    struct infeasible why; /* of the example */
    struct tiling example; /* the point of lowest index */
    uint64_t index, count;
};

struct collect_counts {
    uint64_t points, feasible, verified, mismatched, failed;
};

/* One cell of the heatmap. */
struct collect_heat {
    int32_t x, y;          /* values of the two fields */
    int64_t task;          /* best time, mcyc; INT64_MAX: none feasible */
    struct infeasible why; /* then: why the first point was not */
    struct tiling example;
};

struct collect_list { /* records, order by use */
    struct record *r;
    size_t n, cap;
};

struct collect_cell {
    const struct cell *cell;
    struct collect_counts counts;
    struct collect_reason *reasons; /* by first index */
    size_t reason_count, reason_cap;
    struct collect_list top;          /* after collect_finish: best first */
    struct collect_list front;        /* time ascending, GM bytes descending */
    struct collect_list sample;       /* after collect_finish: by index */
    enum tiling_field heat_x, heat_y; /* TF_N: this cell has no two varying fields */
    struct collect_heat *heat;
    size_t heat_count, heat_cap;
};

struct collect {
    const struct experiment *experiment;
    struct collect_cell *cells;
    bool keep_all;
    struct collect_list rows;  /* all records by cell and index, if keep_all */
    struct collect_list wrong; /* the first COLLECT_WRONG mismatched points */
    size_t top_max;            /* best tilings kept per cell */
    uint64_t total;            /* points of the experiment */
};

/* Feasible points kept per cell for scatter plots. */
#define COLLECT_SAMPLE 4000U
/* Mismatched points kept whatever `keep` says. */
#define COLLECT_WRONG 100U
/* Cells of one heatmap; further ones are not drawn. */
#define COLLECT_HEAT 16384U

enum status collect_create(const struct experiment *e, uint64_t total, struct collect **out, struct diag *d);
void collect_destroy(struct collect *c);

/* Takes a point, in the order of points. *kept: something kept was changed. */
enum status collect_add(struct collect *c, const struct record *r, bool *kept, struct diag *d);
/* Takes a record of a journal: as collect_add, without counts and reasons. */
enum status collect_replay(struct collect *c, const struct record *r, struct diag *d);
/* Sorts the lists; no further points may follow. */
void collect_finish(struct collect *c);

/* Counts and reasons of cells [first, last], and the number of points done. */
void collect_checkpoint(const struct collect *c, uint64_t done, uint32_t first, uint32_t last, struct strbuf *out);
enum status collect_restore(struct collect *c, const void *bytes, size_t len, uint64_t *done, struct diag *d);

/* Sums over the cells. */
struct collect_counts collect_counts(const struct collect *c);

/* < 0 if `a` is better than `b`: objective, then time, then index. */
int collect_compare(enum objective objective, const struct record *a, const struct record *b);
int64_t collect_objective(enum objective objective, const struct record *r);

#endif
