/* csv.h - reader of CSV text (RFC 4180 quotes, CRLF or LF), with places.
 *
 * Header names are trimmed of blanks, as are unquoted fields. Blank lines and
 * lines that begin with '#' are skipped. Rows longer or shorter than the header
 * are reported per row and skipped, never fatal; a bad row ends with its first
 * line, so that a quote too many costs one row. A header that names a column
 * twice is an error. */
#ifndef TEXT_CSV_H
#define TEXT_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

struct csv_row {
    uint32_t line;       /* 1-based line the row starts on */
    const char **fields; /* one per header column, "" when empty */
    uint32_t *cols;      /* 1-based byte column of each field */
};

struct csv_table {
    const char *file;
    const char *source; /* whole text */
    const char **header;
    size_t columns;
    struct csv_row *rows;
    size_t count;
    size_t bad; /* rows reported to diag and skipped */
};

/* Table and copies live in `arena`. STATUS_INVALID when there is no header. */
enum status csv_parse(const char *file, const char *text, size_t len, struct arena *arena, struct csv_table *out,
                      struct diag *d);
enum status csv_load(const char *path, struct arena *arena, struct csv_table *out, struct diag *d);
/* Index of a column by name, or -1; case counts only if two names differ in nothing else. */
int csv_column(const struct csv_table *t, const char *name);
/* Place of a field, for messages. */
struct location csv_location(const struct csv_table *t, size_t row, size_t column);

#endif
