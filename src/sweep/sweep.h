/* sweep.h - evaluate every point of an experiment on all processors.
 *
 * Points are taken in rounds of SWEEP_ROUND consecutive points, dealt to the
 * threads in blocks of SWEEP_BLOCK. Both numbers are fixed; a round's records
 * are merged in the order of points. So results are equal for any number of
 * threads, and the end of a round is a checkpoint from which a later process
 * goes on. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "record/journal.h"
#include "sweep/collect.h"

#define SWEEP_BLOCK 8U
#define SWEEP_ROUND 512U

struct sweep_progress {
    uint64_t done, total; /* points */
    uint64_t resumed;     /* of these, taken over from the journal */
    double seconds;       /* of this process */
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

/* Evaluates the points that are not in `c` yet: `done` of them are. `journal`
 * may be NULL. Warnings (threads, binding) go to `d`.
 * @return STATUS_OK; STATUS_INTERRUPTED after os_interrupted(), with all
 * finished rounds in the journal; or the first failure by point. A mismatch is
 * no failure: it is in the records. */
enum status sweep_run(const struct experiment *e, const struct sweep_options *o, uint64_t done, struct collect *c,
                      struct journal *journal, struct sweep_stats *stats, struct diag *d);

#endif
