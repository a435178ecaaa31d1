/* compare_same.c - the same tiling on every side, from the rows of tilings.csv.
 *
 * Rows of a cell are sorted by what makes tilings the same and thinned to the
 * fastest of each; then the baseline's are looked up on the other sides. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/compare.h"
#include "text/suggest.h"
#include "timing/timing.h"

static enum status no_memory(struct diag *d)
{
    return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the comparison");
}

/* ---- what makes tilings the same ---- */

static enum status unknown_field(const char *name, struct diag *d)
{
    const char *names[TF_N + 1] = {0};
    for (int f = 0; f < TF_N; f++) {
        names[f] = tiling_field_info((enum tiling_field)f)->name;
    }
    diag_error(d, STATUS_INVALID, NULL, "'%s' is no tiling field", name);
    const char *near = suggest_word(name, names);
    if (near != NULL) {
        diag_hint(d, "did you mean '%s'?", near);
    }
    diag_rule(d, "tilings are the same by `name`, or by fields: baseM,baseN");
    return STATUS_INVALID;
}

enum status compare_key_parse(const char *text, struct compare_key *out, struct diag *d)
{
    *out = (struct compare_key){0};
    if (strcmp(text, "name") == 0) {
        return STATUS_OK;
    }
    for (const char *p = text;; p++) {
        char name[32];
        const size_t len = strcspn(p, ",");
        if (len == 0 || len >= sizeof name) {
            return unknown_field(len == 0 ? "" : p, d);
        }
        memcpy(name, p, len);
        name[len] = '\0';
        const enum tiling_field f = tiling_field_from_name(name);
        if (f == TF_N) {
            return unknown_field(name, d);
        }
        for (int i = 0; i < out->fields; i++) {
            if (out->field[i] == f) {
                return diag_error(d, STATUS_INVALID, NULL, "field '%s' is named twice", name);
            }
        }
        out->field[out->fields++] = f;
        p += len;
        if (*p == '\0') {
            return STATUS_OK;
        }
    }
}

/* ---- rows of one cell ---- */

struct timed {
    const char *key;
    int64_t task;
};

struct timed_list {
    struct timed *v; /* by key, each once */
    size_t n;
};

struct columns {
    int cell, name, status, task;
    int field[TF_N];
};

static enum status find_column(const struct csv_table *t, const char *name, int *out, struct diag *d)
{
    *out = csv_column(t, name);
    if (*out < 0) {
        const struct location at = {.file = t->file, .source = t->source, .line = 1, .col = 1};
        return diag_error(d, STATUS_INVALID, &at, "column '%s' is missing", name);
    }
    return STATUS_OK;
}

static enum status find_columns(const struct csv_table *t, const struct compare_key *key, struct columns *out,
                                struct diag *d)
{
    TRY(find_column(t, "cell", &out->cell, d));
    TRY(find_column(t, "name", &out->name, d));
    TRY(find_column(t, "status", &out->status, d));
    TRY(find_column(t, "task_mcyc", &out->task, d));
    for (int i = 0; i < key->fields; i++) {
        TRY(find_column(t, tiling_field_info(key->field[i])->name, &out->field[i], d));
    }
    return STATUS_OK;
}

static const char *key_of(const char *const *fields, const struct columns *col, const struct compare_key *key,
                          struct arena *arena)
{
    if (key->fields == 0) {
        return fields[col->name];
    }
    struct strbuf sb;
    strbuf_init(&sb);
    for (int i = 0; i < key->fields; i++) {
        strbuf_addf(&sb, "%s%s=%s", i ? " " : "", tiling_field_info(key->field[i])->name, fields[col->field[i]]);
    }
    const char *text = sb.failed ? NULL : arena_strdup(arena, strbuf_cstr(&sb));
    strbuf_fini(&sb);
    return text;
}

static int by_key(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    const int order = strcmp(x->key, y->key);
    return order != 0 ? order : (x->task > y->task) - (x->task < y->task);
}

static bool is_feasible_row(const char *const *fields, const struct columns *col, const char *cell)
{
    return strcmp(fields[col->cell], cell) == 0 && strcmp(fields[col->status], "feasible") == 0;
}

static enum status cell_rows(const struct csv_table *t, const struct columns *col, const struct compare_key *key,
                             size_t cell, struct arena *arena, struct timed_list *out, struct diag *d)
{
    char number[24];
    const int len = snprintf(number, sizeof number, "%zu", cell);
    size_t n = 0;
    for (size_t row = 0; row < t->count; row++) {
        n += is_feasible_row(t->rows[row].fields, col, number);
    }
    *out = (struct timed_list){.v = arena_alloc(arena, n + 1, sizeof *out->v)};
    if (len < 0 || out->v == NULL) {
        return no_memory(d);
    }
    n = 0;
    for (size_t row = 0; row < t->count; row++) {
        const char *const *fields = t->rows[row].fields;
        if (!is_feasible_row(fields, col, number)) {
            continue;
        }
        char *end = NULL;
        const int64_t task = strtoll(fields[col->task], &end, 10);
        if (*fields[col->task] == '\0' || *end != '\0' || task <= 0) {
            const struct location at = csv_location(t, row, (size_t)col->task);
            return diag_error(d, STATUS_INVALID, &at, "'%s' is no time", fields[col->task]);
        }
        out->v[n] = (struct timed){.key = key_of(fields, col, key, arena), .task = task};
        if (out->v[n++].key == NULL) {
            return no_memory(d);
        }
    }
    if (n > 0) {
        qsort(out->v, n, sizeof *out->v, by_key);
    }
    for (size_t i = 0; i < n; i++) {
        if (out->n == 0 || strcmp(out->v[out->n - 1].key, out->v[i].key) != 0) {
            out->v[out->n++] = out->v[i];
        }
    }
    return STATUS_OK;
}

/* ---- joining ---- */

/* Sorted lists: `*at` only goes forward. */
static const struct timed *look_up(const struct timed_list *list, const char *key, size_t *at)
{
    while (*at < list->n && strcmp(list->v[*at].key, key) < 0) {
        (*at)++;
    }
    return *at < list->n && strcmp(list->v[*at].key, key) == 0 ? &list->v[*at] : NULL;
}

struct by_baseline {
    struct compare_row row;
    double us;
    size_t have; /* sides that have it */
};

/* What most sides have says most. */
static int row_order(const void *a, const void *b)
{
    const struct by_baseline *x = a, *y = b;
    const int by_sides = (x->have < y->have) - (x->have > y->have), by_time = (x->us > y->us) - (x->us < y->us);
    return by_sides != 0 ? by_sides : by_time != 0 ? by_time : strcmp(x->row.key, y->row.key);
}

static enum status join_rows(const struct compare *c, const struct compare_group *g, const struct timed_list *lists,
                             struct arena *arena, struct compare_same *out, struct diag *d)
{
    const struct timed_list *base = &lists[c->baseline];
    struct by_baseline *rows = arena_alloc(arena, base->n + 1, sizeof *rows);
    size_t *at = arena_alloc(arena, c->sides, sizeof *at);
    out->row = arena_alloc(arena, base->n + 1, sizeof *out->row);
    if (rows == NULL || at == NULL || out->row == NULL) {
        return no_memory(d);
    }
    for (size_t i = 0; i < base->n; i++) {
        struct compare_row row = {.key = base->v[i].key, .us = arena_alloc(arena, c->sides, sizeof(double))};
        size_t have = 0;
        if (row.us == NULL) {
            return no_memory(d);
        }
        for (size_t s = 0; s < c->sides; s++) {
            const struct timed *t = look_up(&lists[s], row.key, &at[s]);
            row.us[s] = t == NULL ? NAN : timing_us(g->entry[s].cell->target, t->task);
            have += t != NULL;
        }
        if (have > 1) {
            rows[out->rows++] = (struct by_baseline){.row = row, .us = row.us[c->baseline], .have = have};
        }
    }
    if (out->rows > 0) {
        qsort(rows, out->rows, sizeof *rows, row_order);
    }
    for (size_t i = 0; i < out->rows; i++) {
        out->row[i] = rows[i].row;
    }
    return STATUS_OK;
}

enum status compare_same_rows(const struct compare *c, const struct compare_group *g, const struct csv_table *tables,
                              const struct compare_key *key, struct arena *arena, struct compare_same *out,
                              struct diag *d)
{
    *out = (struct compare_same){0};
    struct timed_list *lists = arena_alloc(arena, c->sides, sizeof *lists);
    if (lists == NULL) {
        return no_memory(d);
    }
    for (size_t s = 0; s < c->sides; s++) {
        const struct compare_entry *e = &g->entry[s];
        struct columns col;
        if (!e->there || e->cell == NULL) {
            continue;
        }
        TRY(find_columns(&tables[e->run], key, &col, d));
        TRY(cell_rows(&tables[e->run], &col, key, e->id, arena, &lists[s], d));
    }
    return join_rows(c, g, lists, arena, out, d);
}

struct compare_spread compare_spread_of(const struct compare *c, const struct compare_same *same, size_t side)
{
    struct compare_spread out = {.least = INFINITY};
    double logs = 0;
    for (size_t i = 0; i < same->rows; i++) {
        const double ratio = same->row[i].us[c->baseline] / same->row[i].us[side];
        if (!isnan(ratio)) {
            out.rows++;
            logs += log(ratio);
            out.least = fmin(out.least, ratio);
            out.greatest = fmax(out.greatest, ratio);
        }
    }
    out.mean = out.rows == 0 ? NAN : exp(logs / (double)out.rows);
    return out;
}
