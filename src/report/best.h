/* best.h - a tiling as a config of its own. */
#ifndef REPORT_BEST_H
#define REPORT_BEST_H

#include "experiment/experiment.h"
#include "record/record.h"

/* A config of one cell and one tiling with every field written out, so that it
 * depends on no `auto` rule and gives the same time. */
void best_yaml(const struct experiment *e, const struct cell *cell, const struct record *r, struct strbuf *out);

#endif
