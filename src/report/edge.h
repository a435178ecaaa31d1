/* edge.h - does a sweep end too early, or too late? */
#ifndef REPORT_EDGE_H
#define REPORT_EDGE_H

#include "base/strbuf.h"
#include "experiment/experiment.h"
#include "record/record.h"

/* A line for each swept number of which the best tiling `r` has the smallest or
 * the largest value given, though the next one beyond would fit. */
void edge_text(const struct cell *cell, const struct record *r, struct strbuf *out);

/* A line for each base extent of the tiling that is larger than the whole problem,
 * filled up to the unit of its loads: buffers are planned for all of it, as for a
 * matmul's on the chip, but the rest is never used. */
void edge_oversize_text(const struct problem *p, const struct tiling *t, const char *indent, struct strbuf *out);

/* Nothing is swept and nothing fixed: the one tiling is that of the rules. */
bool edge_all_auto(const struct space *s);

#endif
