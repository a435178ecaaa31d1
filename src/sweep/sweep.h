/* sweep.h - evaluate every point of an experiment on all processors.
 *
 * Points are taken in rounds of SWEEP_ROUND consecutive points, dealt to the
 * threads in blocks of SWEEP_BLOCK. Both numbers are fixed; a round's records
 * are merged in the order of points. So results are equal for any number of
 * threads. At the end of a round, after SWEEP_SAVE_SECONDS and when interrupted
 * the journal gets what is done: the merged points with a checkpoint, and each
 * point that was done out of turn. A later process goes on from there. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "record/journal.h"
#include "sweep/collect.h"

#define SWEEP_BLOCK 8U
#define SWEEP_ROUND 512U

/* A killed run loses what it did in about this time. */
#define SWEEP_SAVE_SECONDS 0.5

struct sweep_progress {
    uint64_t done, total; /* points */
    uint64_t resumed;     /* of these, taken over from the journal */
    double seconds;       /* of this process */
};

/* Where an earlier process ended. */
struct sweep_start {
    uint64_t done;                     /* the first points: they are in `c` */
    const struct journal_point *ahead; /* further ones done out of turn */
    size_t ahead_count;
};

struct sweep_options {
    int threads;   /* 0: one for each allowed processor */
    bool unpinned; /* do not bind the threads */
    /* Called by the calling thread only, after blocks and at the end. NULL: none. */
    void (*progress)(void *ctx, const struct sweep_progress *p);
    void *ctx;
};

struct sweep_stats {
    int threads, bound; /* started; of these bound to a processor */
    uint64_t evaluated, resumed;
    double seconds;
};

/* Points of the experiment (a cell that cannot be taken counts as one). */
enum status sweep_count(const struct experiment *e, uint64_t *total, struct diag *d);

/* Evaluates the points that are not done yet. `from` (NULL: none is) and
 * `journal` may be NULL. Warnings (threads, binding) go to `d`.
 * @return STATUS_OK; STATUS_INTERRUPTED after os_interrupted(), with every
 * finished point in the journal; or the first failure by point. A mismatch is
 * no failure: it is in the records. */
enum status sweep_run(const struct experiment *e, const struct sweep_options *o, const struct sweep_start *from,
                      struct collect *c, struct journal *journal, struct sweep_stats *stats, struct diag *d);

#endif
