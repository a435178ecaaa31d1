/* record_columns.h - the one table of result columns.
 *
 * tilings.csv, the JSON of a record and the reader are driven by it. A record
 * holds integers only; every text and every derived figure (microseconds,
 * TFLOP/s, share of peak) is made here. */
#ifndef RECORD_RECORD_COLUMNS_H
#define RECORD_RECORD_COLUMNS_H

#include "experiment/experiment.h"
#include "record/record.h"

enum column_kind { COLUMN_NUMBER, COLUMN_TEXT };

struct record_column {
    const char *name;
    enum column_kind kind;
    /* Appends the plain text of the value; nothing when the record has none. */
    void (*get)(const struct cell *cell, const struct record *r, int arg, struct strbuf *out);
    /* Reads the text back into the record, false if it cannot be; NULL: a derived column. */
    bool (*set)(const struct cell *cell, struct record *r, int arg, const char *text);
    int arg;
};

size_t record_column_count(void);
const struct record_column *record_column_at(size_t i); /* i < record_column_count() */

/* ---- derived figures ---- */

bool record_feasible(const struct cell *cell, const struct record *r);
/* Bytes read from and written to GM. */
int64_t record_gm_read(const struct record *r);
int64_t record_gm_write(const struct record *r);
/* Useful operations (2 a MAC; a conv's real channels) over task time, 10^12 / s; 0 if there is no time. */
double record_tflops(const struct cell *cell, const struct record *r);
/* Peak of the whole target for the problem's operand type, 10^12 / s. */
double record_peak_tflops(const struct cell *cell);
/* Share of that peak, 0..1. */
double record_peak_share(const struct cell *cell, const struct record *r);
/* "buffer: L0C needs ...", the cell's failure, or nothing. */
void record_reason(const struct cell *cell, const struct record *r, struct strbuf *out);
/* "none", "classes:ok", "classes:mismatch". */
void record_verify(const struct record *r, struct strbuf *out);

#endif
