/* explain.h - one tiling in words, numbers and instructions. */
#ifndef REPORT_EXPLAIN_H
#define REPORT_EXPLAIN_H

#include "record/record.h"
#include "study/study.h"

struct explain_options {
    int32_t core; /* whose program is listed; -1: the first with the most steps */
    int first;    /* steps listed from the start */
    int period;   /* at most so many steps of one steady period */
};

/* What it is, the buffer map with addresses and event ids, the loops, the
 * times and what binds, and the program of one core with the cycles of the
 * model: first steps, one steady period, the tail.
 * `r` must be feasible. */
enum status explain_text(struct study *study, const struct cell *cell, const struct record *r,
                         const struct explain_options *o, struct strbuf *out, struct diag *d);

/* The parts of it. */
void explain_budget(const struct target *target, const struct plan *plan, struct strbuf *out);
void explain_loops(const struct schedule *s, struct strbuf *out);
void explain_times(const struct cell *cell, const struct schedule *s, const struct record *r, int64_t bound,
                   struct strbuf *out);

#endif
