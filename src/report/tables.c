/* tables.c - tilings.csv is written in pieces: a hundred thousand rows are not
 * held as text. */
#include "report/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record/record_text.h"

#define PIECE ((size_t)1 << 20)

struct writer {
    struct run_dir *dir;
    const struct collect *collect;
    struct strbuf text;
    struct diag *d;
};

static enum status flush(struct writer *w)
{
    if (w->text.failed) {
        return diag_error(w->d, STATUS_NO_MEMORY, NULL, "no memory for tilings.csv");
    }
    if (w->text.len) {
        TRY(run_dir_add(w->dir, w->text.text, w->text.len, w->d));
    }
    strbuf_clear(&w->text);
    return STATUS_OK;
}

static enum status add(struct writer *w, const struct record *r)
{
    record_csv_row(&w->collect->experiment->cells[r->cell], r, &w->text);
    return w->text.len >= PIECE || w->text.failed ? flush(w) : STATUS_OK;
}

static int by_index(const void *a, const void *b)
{
    const struct record *x = *(const struct record *const *)a;
    const struct record *y = *(const struct record *const *)b;
    return (x->index > y->index) - (x->index < y->index);
}

static enum status add_best(struct writer *w, const struct collect_cell *cell)
{
    if (cell->cell->failed) {
        const struct record r = {.cell = cell->cell->id};
        return add(w, &r);
    }
    const struct collect_list *wrong = &w->collect->wrong;
    const struct record **order = malloc((cell->top.n + wrong->n + 1) * sizeof(*order));
    if (!order) {
        return diag_error(w->d, STATUS_NO_MEMORY, NULL, "no memory for tilings.csv");
    }
    size_t n = 0;
    for (size_t i = 0; i < cell->top.n; i++) {
        order[n++] = &cell->top.r[i];
    }
    for (size_t i = 0; i < wrong->n; i++) {
        if (wrong->r[i].cell == cell->cell->id) {
            order[n++] = &wrong->r[i];
        }
    }
    qsort(order, n, sizeof(*order), by_index);
    enum status st = STATUS_OK;
    for (size_t i = 0; i < n && st == STATUS_OK; i++) {
        st = add(w, order[i]);
    }
    free(order);
    return st;
}

static enum status add_rows(struct writer *w)
{
    const struct collect *c = w->collect;
    record_csv_header(&w->text);
    if (c->keep_all) {
        for (size_t i = 0; i < c->rows.n; i++) {
            TRY(add(w, &c->rows.r[i]));
        }
    } else {
        for (size_t i = 0; i < c->experiment->count; i++) {
            TRY(add_best(w, &c->cells[i]));
        }
    }
    return flush(w);
}

enum status tables_tilings(struct run_dir *dir, const struct collect *c, struct diag *d)
{
    TRY(run_dir_begin(dir, "tilings.csv", d));
    struct writer w = {.dir = dir, .collect = c, .d = d};
    strbuf_init(&w.text);
    const enum status st = add_rows(&w);
    strbuf_fini(&w.text);
    return st == STATUS_OK ? run_dir_end(dir, d) : st;
}

void tables_reasons(const struct collect *c, struct strbuf *out)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_add(out, "cell,cell_name,reason,buffer,field,count,example_index,example,explanation\n");
    for (size_t i = 0; i < c->experiment->count; i++) {
        const struct collect_cell *cell = &c->cells[i];
        for (size_t k = 0; k < cell->reason_count; k++) {
            const struct collect_reason *r = &cell->reasons[k];
            strbuf_addf(out, "%zu,", i);
            strbuf_add_csv(out, cell->cell->name);
            strbuf_addf(out, ",%s,%s,%s,%" PRIu64 ",%" PRIu64 ",", infeasible_reason_name(r->why.reason),
                        r->why.reason == REASON_BUFFER ? buffer_name(r->why.buf) : "",
                        r->why.field < TF_N ? tiling_field_info(r->why.field)->name : "", r->count, r->index);
            strbuf_clear(&text);
            tiling_name(&r->example, &text);
            strbuf_add_csv(out, strbuf_cstr(&text));
            strbuf_clear(&text);
            space_advice(&cell->cell->space, cell->cell->target, &cell->cell->problem, r->index, &r->why, &text);
            strbuf_add(out, ",");
            strbuf_add_csv(out, strbuf_cstr(&text));
            strbuf_add(out, "\n");
        }
        if (cell->cell->failed) {
            strbuf_addf(out, "%zu,", i);
            strbuf_add_csv(out, cell->cell->name);
            strbuf_add(out, ",failed,,,1,0,,");
            strbuf_add_csv(out, cell->cell->failed);
            strbuf_add(out, "\n");
        }
    }
    out->failed |= text.failed;
    strbuf_fini(&text);
}
