/* csv.c - the text is copied twice: one copy stays as it was, for messages; in
 * the other, fields are unquoted and NUL-terminated in place. So a file of n
 * bytes costs 2n and the tables of pointers, however many fields it has. */
#include "text/csv.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/os.h"
#include "base/utf8.h"

struct reader {
    struct csv_table *table;
    struct arena *arena;
    struct diag *d;
    char *begin, *next, *end; /* the copy that is cut up; *end is NUL */
    uint32_t line;
    char *line_start;
    const char **fields; /* of the row being read */
    uint32_t *cols;
    size_t count;
    const char *fault; /* what is wrong with this row; NULL: nothing yet */
    uint32_t fault_line, fault_col;
};

static void blame(struct reader *r, const char *fault, uint32_t line, uint32_t col)
{
    if (!r->fault) {
        r->fault = fault;
        r->fault_line = line;
        r->fault_col = col;
    }
}

static uint32_t column_of(const struct reader *r, const char *p)
{
    return (uint32_t)(p - r->line_start + 1);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Ends the row's line: LF or CRLF. Unterminated last lines count too. */
static void next_line(struct reader *r)
{
    if (r->next < r->end) {
        r->next++;
    }
    r->line++;
    r->line_start = r->next;
}

static bool at_line_end(const struct reader *r)
{
    return r->next >= r->end || *r->next == '\n' || (*r->next == '\r' && r->next[1] == '\n');
}

static void skip_line(struct reader *r)
{
    char *lf = memchr(r->next, '\n', (size_t)(r->end - r->next));
    r->next = lf ? lf : r->end;
    next_line(r);
}

/* A field in quotes, r->next on the first. *stop is where its text ends. */
static char *quoted_field(struct reader *r, char **stop)
{
    const uint32_t line = r->line;
    const uint32_t col = column_of(r, r->next);
    char *text = ++r->next;
    char *to = text;
    for (;; r->next++) {
        if (r->next >= r->end) {
            blame(r, "the quote is not closed", line, col);
            break;
        }
        if (*r->next == '"') {
            r->next++;
            if (*r->next != '"') {
                break;
            }
        }
        if (*r->next == '\n') {
            r->line++;
            r->line_start = r->next + 1;
        }
        *to++ = *r->next;
    }
    *stop = to;
    while (is_blank(*r->next)) {
        r->next++;
    }
    if (r->line != line && !at_line_end(r) && *r->next != ',') {
        blame(r, "the quote is not closed on its line, and where it is, text follows", line, col);
    }
    if (!at_line_end(r) && *r->next != ',') {
        blame(r, "text after the closing quote", r->line, column_of(r, r->next));
        while (!at_line_end(r) && *r->next != ',') {
            r->next++;
        }
    }
    return text;
}

static char *plain_field(struct reader *r, char **stop)
{
    char *text = r->next;
    while (!at_line_end(r) && *r->next != ',') {
        if (*r->next == '"') {
            blame(r, "a quote inside an unquoted field", r->line, column_of(r, r->next));
        }
        r->next++;
    }
    char *to = r->next;
    while (to > text && is_blank(to[-1])) {
        to--;
    }
    *stop = to;
    return text;
}

static bool is_clean(const char *s, size_t len)
{
    for (size_t i = 0; i < len;) {
        const size_t n = utf8_step(s + i, len - i);
        if (n == 0 || s[i] == '\0') {
            return false;
        }
        i += n;
    }
    return true;
}

/* Reads one row into r->fields, r->cols, at most `max` of them kept; r->count
 * counts all. Leaves r->next at the start of the next line. */
static void read_row(struct reader *r, size_t max)
{
    r->count = 0;
    r->fault = NULL;
    for (bool more = true; more;) {
        while (is_blank(*r->next)) {
            r->next++;
        }
        const uint32_t line = r->line;
        const uint32_t col = column_of(r, r->next);
        char *stop;
        char *text = *r->next == '"' ? quoted_field(r, &stop) : plain_field(r, &stop);
        more = r->next < r->end && *r->next == ',';
        const bool crlf = r->next < r->end && *r->next == '\r';
        if (!is_clean(text, (size_t)(stop - text))) {
            blame(r, "bytes that are not UTF-8 text", line, col);
        }
        if (r->count < max) {
            r->fields[r->count] = text;
            r->cols[r->count] = col;
        }
        r->count++;
        r->next += more || crlf;
        if (!more) {
            next_line(r);
        }
        *stop = '\0'; /* last: it may overwrite the separator just passed */
    }
}

/* Lines that hold nothing, or a comment. */
static bool skip_empty(struct reader *r)
{
    const char *p = r->next;
    while (is_blank(*p)) {
        p++;
    }
    if (p < r->end && *p != '\n' && *p != '#' && !(*p == '\r' && p[1] == '\n')) {
        return false;
    }
    skip_line(r);
    return true;
}

static enum status fail_at(struct reader *r, enum status status, uint32_t line, uint32_t col, const char *words)
{
    const struct location at = {.file = r->table->file, .source = r->table->source, .line = line, .col = col, .len = 1};
    return diag_error(r->d, status, &at, "%s", words);
}

static enum status out_of_memory(struct reader *r)
{
    return fail_at(r, STATUS_NO_MEMORY, 0, 0, "out of memory");
}

static enum status check_header(struct reader *r, uint32_t line)
{
    struct csv_table *t = r->table;
    for (size_t i = 0; i < t->columns; i++) {
        for (size_t j = 0; j < i; j++) {
            if (t->header[i][0] && strcmp(t->header[i], t->header[j]) == 0) {
                const struct location at = {.file = t->file,
                                            .source = t->source,
                                            .line = line,
                                            .col = r->cols[i],
                                            .len = (uint32_t)strlen(t->header[i])};
                diag_error(r->d, STATUS_INVALID, &at, "column '%s' stands twice in the header", t->header[i]);
                diag_rule(r->d, "each column has its own name");
                return STATUS_INVALID;
            }
        }
    }
    return STATUS_OK;
}

static enum status read_header(struct reader *r)
{
    while (r->next < r->end && skip_empty(r)) {
    }
    if (r->next >= r->end) {
        fail_at(r, STATUS_INVALID, 1, 1, "the file has no header");
        diag_rule(r->d, "the first line of a CSV file names its columns");
        return STATUS_INVALID;
    }
    const uint32_t line = r->line;
    r->fields = arena_alloc(r->arena, LIMIT_CSV_COLUMNS, sizeof(*r->fields));
    r->cols = arena_alloc(r->arena, LIMIT_CSV_COLUMNS, sizeof(*r->cols));
    if (!r->fields || !r->cols) {
        return out_of_memory(r);
    }
    read_row(r, LIMIT_CSV_COLUMNS);
    if (r->fault) {
        return fail_at(r, STATUS_INVALID, r->fault_line, r->fault_col, r->fault);
    }
    if (r->count > LIMIT_CSV_COLUMNS) {
        const struct location at = {.file = r->table->file, .source = r->table->source, .line = line, .col = 1};
        diag_error(r->d, STATUS_LIMIT, &at, "%zu columns are too many", r->count);
        diag_rule(r->d, "a CSV file has at most %u columns", LIMIT_CSV_COLUMNS);
        return STATUS_LIMIT;
    }
    r->table->header = r->fields;
    r->table->columns = r->count;
    return check_header(r, line);
}

/* Reports the row just read if something is wrong with it. */
static bool row_is_good(struct reader *r, uint32_t line)
{
    const struct csv_table *t = r->table;
    const char *rule = "a field with a comma, quote or line break stands in quotes, each quote in it doubled";
    if (r->fault) {
        fail_at(r, STATUS_INVALID, r->fault_line, r->fault_col, r->fault);
    } else if (r->count != t->columns) {
        const struct location at = {.file = t->file, .source = t->source, .line = line, .col = 1, .len = 1};
        diag_error(r->d, STATUS_INVALID, &at, "row has %zu field%s, the header has %zu", r->count,
                   r->count == 1 ? "" : "s", t->columns);
        rule = "each row has one field per column";
    } else {
        return true;
    }
    diag_rule(r->d, "%s", rule);
    return false;
}

/* A bad row must not take others with it: a quote too many makes a field of all
 * that follows. So the row ends with its first line; the lines after it, which
 * reading has cut up, are restored from the source. */
static void end_bad_row(struct reader *r, char *row, uint32_t line)
{
    if (r->line <= line + 1) {
        return;
    }
    const char *lf = memchr(r->table->source + (row - r->begin), '\n', (size_t)(r->end - row));
    char *next = lf ? r->begin + (lf + 1 - r->table->source) : r->end;
    memcpy(next, r->table->source + (next - r->begin), (size_t)(r->next - next));
    r->next = r->line_start = next;
    r->line = line + 1;
}

/* Fresh pointer arrays for the next row, cut from slabs of many rows. */
static bool next_slot(struct reader *r, size_t row, size_t rows_per_slab)
{
    const size_t columns = r->table->columns;
    if (row % rows_per_slab != 0) {
        r->fields += columns;
        r->cols += columns;
        return true;
    }
    r->fields = arena_alloc(r->arena, rows_per_slab * columns, sizeof(*r->fields));
    r->cols = arena_alloc(r->arena, rows_per_slab * columns, sizeof(*r->cols));
    return r->fields && r->cols;
}

static enum status read_rows(struct reader *r)
{
    struct csv_table *t = r->table;
    size_t most = 1;
    for (const char *p = r->next; p < r->end && (p = memchr(p, '\n', (size_t)(r->end - p))) != NULL; p++) {
        most++;
    }
    const size_t cap = most < LIMIT_CSV_ROWS ? most : LIMIT_CSV_ROWS;
    const size_t rows_per_slab = most < 256 ? most : 256;
    t->rows = arena_alloc(r->arena, cap, sizeof(*t->rows));
    if (!t->rows) {
        return out_of_memory(r);
    }
    bool fresh = true; /* the slot of a bad row is used again */
    while (r->next < r->end) {
        if (skip_empty(r)) {
            continue;
        }
        if (t->count + t->bad == LIMIT_CSV_ROWS) {
            const enum status st = fail_at(r, STATUS_LIMIT, r->line, 1, "too many rows");
            diag_rule(r->d, "a CSV file has at most %u rows", LIMIT_CSV_ROWS);
            return st;
        }
        if (fresh && !next_slot(r, t->count, rows_per_slab)) {
            return out_of_memory(r);
        }
        const uint32_t line = r->line;
        char *row = r->next;
        read_row(r, t->columns);
        fresh = row_is_good(r, line);
        if (fresh) {
            t->rows[t->count++] = (struct csv_row){.line = line, .fields = r->fields, .cols = r->cols};
        } else {
            t->bad++;
            end_bad_row(r, row, line);
        }
    }
    return STATUS_OK;
}

enum status csv_parse(const char *file, const char *text, size_t len, struct arena *arena, struct csv_table *out,
                      struct diag *d)
{
    *out = (struct csv_table){0};
    if (len > LIMIT_CSV_BYTES) {
        const struct location at = {.file = file};
        diag_error(d, STATUS_LIMIT, &at, "file of %zu bytes is too large", len);
        diag_rule(d, "a CSV file has at most %u bytes", LIMIT_CSV_BYTES);
        return STATUS_LIMIT;
    }
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        len -= 3;
    }
    struct reader r = {.table = out, .arena = arena, .d = d, .line = 1};
    out->file = file ? arena_strdup(arena, file) : NULL;
    out->source = arena_strndup(arena, text, len);
    r.begin = arena_strndup(arena, text, len);
    if ((file && !out->file) || !out->source || !r.begin) {
        return out_of_memory(&r);
    }
    r.next = r.line_start = r.begin;
    r.end = r.begin + len;
    TRY(read_header(&r));
    return read_rows(&r);
}

enum status csv_load(const char *path, struct arena *arena, struct csv_table *out, struct diag *d)
{
    *out = (struct csv_table){0};
    struct strbuf text;
    strbuf_init(&text);
    enum status st = os_read_file(path, LIMIT_CSV_BYTES, &text, d);
    if (st == STATUS_OK) {
        st = csv_parse(path, strbuf_cstr(&text), text.len, arena, out, d);
    } else if (st == STATUS_LIMIT) {
        diag_rule(d, "a CSV file has at most %u bytes", LIMIT_CSV_BYTES);
    }
    strbuf_fini(&text);
    return st;
}

int csv_column(const struct csv_table *t, const char *name)
{
    int near = -1;
    for (size_t i = 0; i < t->columns; i++) {
        if (strcmp(t->header[i], name) == 0) {
            return (int)i;
        }
        if (near < 0 && strcasecmp(t->header[i], name) == 0) {
            near = (int)i;
        }
    }
    return near;
}

struct location csv_location(const struct csv_table *t, size_t row, size_t column)
{
    const struct csv_row *r = &t->rows[row];
    const size_t len = strlen(r->fields[column]);
    return (struct location){.file = t->file,
                             .source = t->source,
                             .line = r->line,
                             .col = r->cols[column],
                             .len = (uint32_t)(len ? len : 1)};
}
