/* record_text.c - the column table walked three ways: CSV out, CSV in, JSON. */
#include "record/record_text.h"

#include <stdlib.h>
#include <string.h>

#include "record/record_columns.h"

void record_csv_header(struct strbuf *out)
{
    for (size_t i = 0; i < record_column_count(); i++) {
        strbuf_addf(out, "%s%s", i ? "," : "", record_column_at(i)->name);
    }
    strbuf_add(out, "\n");
}

void record_csv_row(const struct cell *cell, const struct record *r, struct strbuf *out)
{
    struct strbuf text;
    strbuf_init(&text);
    for (size_t i = 0; i < record_column_count(); i++) {
        const struct record_column *c = record_column_at(i);
        strbuf_clear(&text);
        c->get(cell, r, c->arg, &text);
        strbuf_add_n(out, ",", i ? 1 : 0);
        strbuf_add_csv(out, strbuf_cstr(&text));
    }
    strbuf_add(out, "\n");
    out->failed |= text.failed;
    strbuf_fini(&text);
}

/* The record's cell, from the column of that name. */
static const struct cell *row_cell(const struct csv_table *table, size_t row, const struct cell *cells, size_t count,
                                   struct diag *d)
{
    const int column = csv_column(table, "cell");
    if (column < 0) {
        const struct location at = {.file = table->file, .source = table->source, .line = 1, .col = 1};
        diag_error(d, STATUS_INVALID, &at, "column 'cell' is missing");
        return NULL;
    }
    const char *text = table->rows[row].fields[column];
    char *end = NULL;
    const unsigned long long id = strtoull(text, &end, 10);
    if (!*text || *end || id >= count) {
        const struct location at = csv_location(table, row, (size_t)column);
        diag_error(d, STATUS_INVALID, &at, "no cell '%s' in this config, which has %zu", text, count);
        return NULL;
    }
    return &cells[id];
}

enum status record_csv_read(const struct csv_table *table, size_t row, const struct cell *cells, size_t count,
                            struct record *out, struct diag *d)
{
    memset(out, 0, sizeof(*out));
    const struct cell *cell = row_cell(table, row, cells, count, d);
    if (!cell) {
        return STATUS_INVALID;
    }
    for (size_t i = 0; i < record_column_count(); i++) {
        const struct record_column *c = record_column_at(i);
        if (!c->set) {
            continue;
        }
        const int column = csv_column(table, c->name);
        if (column < 0) {
            const struct location at = {.file = table->file, .source = table->source, .line = 1, .col = 1};
            return diag_error(d, STATUS_INVALID, &at, "column '%s' is missing", c->name);
        }
        const char *text = table->rows[row].fields[column];
        if (!c->set(cell, out, c->arg, text)) {
            const struct location at = csv_location(table, row, (size_t)column);
            return diag_error(d, STATUS_INVALID, &at, "'%s' is no value of column '%s'", text, c->name);
        }
    }
    return STATUS_OK;
}

static bool is_json_number(const char *text)
{
    const char *digits = text + (*text == '-');
    return *digits >= '0' && *digits <= '9' && strspn(digits, "0123456789.") == strlen(digits);
}

void record_json(const struct cell *cell, const struct record *r, struct strbuf *out)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_add(out, "{");
    for (size_t i = 0; i < record_column_count(); i++) {
        const struct record_column *c = record_column_at(i);
        strbuf_clear(&text);
        c->get(cell, r, c->arg, &text);
        strbuf_addf(out, "%s\"%s\": ", i ? ", " : "", c->name);
        if (text.len == 0) {
            strbuf_add(out, "null");
        } else if (c->kind == COLUMN_NUMBER && is_json_number(strbuf_cstr(&text))) {
            strbuf_add(out, strbuf_cstr(&text));
        } else {
            strbuf_add_json(out, strbuf_cstr(&text));
        }
    }
    strbuf_add(out, "}");
    out->failed |= text.failed;
    strbuf_fini(&text);
}
