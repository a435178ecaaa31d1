/* run.h - a whole run: sweep, then every file of results/NAME.
 *
 * A run that was killed or interrupted goes on from the journal in
 * results/.NAME.part; the files it leaves are those of a run in one piece. */
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include "sweep/sweep.h"

struct run_options {
    const char *results; /* directory; created */
    bool force;          /* replace a finished run of another key */
    bool no_plots;
    struct sweep_options sweep;
    /* Called before the sweep starts: what is taken over. NULL: not. */
    void (*resumed)(void *ctx, uint64_t points, uint64_t total);
    void *ctx;
};

struct run_outcome {
    struct collect *collect; /* owned; run_outcome_fini */
    struct sweep_stats stats;
    struct collect_counts counts;
    uint64_t total; /* points, and cells that cannot be taken */
    char *path;     /* where the results stand, or the work of an interrupted run */
};

/* Warnings (no gnuplot, threads, a foreign journal) go to `d` and are no
 * failure. `out` is filled as far as the run came, also on failure.
 * @return STATUS_OK also with mismatches or no feasible tiling: see counts;
 * STATUS_INTERRUPTED, STATUS_IO, ... */
enum status run_experiment(const struct experiment *e, const struct run_options *o, struct run_outcome *out,
                           struct diag *d);
void run_outcome_fini(struct run_outcome *out);

/* A copy of the experiment whose every cell has one point, the tiling of this
 * canonical name, in `arena`. Its key differs from the experiment's. */
enum status run_single_tiling(const struct experiment *e, const char *name, struct arena *arena,
                              const struct experiment **out, struct diag *d);

#endif
