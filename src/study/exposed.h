/* exposed.h - what a task time is spent on. Every moment of the busiest core
 * counts for one pipe only: the cube if it is busy, else MTE2, else MTE1, else
 * Fixpipe, else it is spent on flags and issue. So the parts add up to the task
 * time, and a part is the time its pipe adds to those before it. */
#ifndef STUDY_EXPOSED_H
#define STUDY_EXPOSED_H

#include "study/study.h"

enum exposed_part { EXPOSED_CUBE, EXPOSED_MTE2, EXPOSED_MTE1, EXPOSED_FIX, EXPOSED_WAIT, EXPOSED_LAUNCH, EXPOSED_N };

/* Steps of one core that are replayed for it; a core with more is refused. */
#define EXPOSED_STEPS 50000

/* Splits r->task of a feasible record into parts, mcyc. @return false with the
 * reason in `why` if it cannot be replayed. */
bool study_exposed(struct study *study, const struct cell *cell, const struct record *r, int64_t out[EXPOSED_N],
                   struct strbuf *why);

#endif
