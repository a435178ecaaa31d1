/* edge.h - does a sweep end too early? */
#ifndef REPORT_EDGE_H
#define REPORT_EDGE_H

#include "base/strbuf.h"
#include "experiment/experiment.h"
#include "record/record.h"

/* A line for each swept number of which the best tiling `r` has the smallest or
 * the largest value given, though the next one beyond would fit. */
void edge_text(const struct cell *cell, const struct record *r, struct strbuf *out);

/* Nothing is swept and nothing fixed: the one tiling is that of the rules. */
bool edge_all_auto(const struct space *s);

#endif
