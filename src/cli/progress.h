/* progress.h - one line on the terminal while a sweep runs: done, rate, time left. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "sweep/sweep.h"

struct progress {
    const char *name; /* of the run; NULL: say nothing at all */
    bool on;          /* stderr is a terminal and nobody asked for quiet */
    bool shown;
    double last;        /* seconds of the last line */
    uint64_t evaluated; /* at the start of the rate's window */
    double since, rate;
};

struct progress progress_start(const char *name, bool quiet);
/* Callback of struct sweep_options, with the struct progress as ctx: at most five lines a second, over each other. */
void progress_show(void *ctx, const struct sweep_progress *p);
/* Callback of struct run_options: a journal was taken over. */
void progress_resumed(void *ctx, uint64_t points, uint64_t total);
/* Leaves the line. */
void progress_end(struct progress *p);

#endif
