/* explain_time.h - where the time of one core goes, so that it can be redone by
 * hand: what each kind of instruction lasts and why, the chain of waits that
 * sets the end of the core, its steady period, fill and drain. */
#ifndef REPORT_EXPLAIN_TIME_H
#define REPORT_EXPLAIN_TIME_H

#include "study/study.h"

/* Instructions of a core that are kept for the chain; a longer program is
 * followed from its end as far back as they reach. */
#define EXPLAIN_EVENTS_MAX 2000000

/* `core` < 0: the slowest one. `warm`: start of the run. */
enum status explain_time_text(struct timing *timing, const struct schedule *s, bool l2_warm, int32_t core,
                              struct strbuf *out, struct diag *d);

#endif
