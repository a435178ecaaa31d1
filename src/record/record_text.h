/* record_text.h - records as CSV rows and JSON objects, and back from CSV. */
#ifndef RECORD_RECORD_TEXT_H
#define RECORD_RECORD_TEXT_H

#include "experiment/experiment.h"
#include "record/record.h"
#include "text/csv.h"

/* The header line of tilings.csv, with its newline. */
void record_csv_header(struct strbuf *out);
/* One line, with its newline. `cell` is the record's cell. */
void record_csv_row(const struct cell *cell, const struct record *r, struct strbuf *out);

/* Row `row` of a table read from a tilings.csv. The cell is looked up in
 * `cells` by its number. Integers come back whole, pipe times to the
 * nanosecond they were printed with, an infeasible point's reason as its kind.
 * STATUS_INVALID with the place of a value that cannot be read, or of a column
 * that is missing. */
enum status record_csv_read(const struct csv_table *table, size_t row, const struct cell *cells, size_t count,
                            struct record *out, struct diag *d);

/* One JSON object with the same keys; a value the record does not have is null. */
void record_json(const struct cell *cell, const struct record *r, struct strbuf *out);

#endif
