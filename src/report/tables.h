/* tables.h - the CSV files of a run. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "record/run_dir.h"
#include "sweep/collect.h"

/* tilings.csv: all rows of a small run, else the best of each cell and
 * the mismatched ones; by cell and index. */
enum status tables_tilings(struct run_dir *dir, const struct collect *c, struct diag *d);

/* reasons.csv: why points were infeasible, counted, with one example each. */
void tables_reasons(const struct collect *c, struct strbuf *out);

#endif
