/* summary_table.c - the ranked table of one cell.
 *
 * Tilings of one base block that differ in steps or depths only are often as
 * good as each other and would fill the table, so each block gets a few rows,
 * and more only where no other block can fill the table. The best is the first
 * row whatever the order of those that are not distinguishable from it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record/record_columns.h"
#include "report/summary.h"
#include "study/study.h"
#include "timing/timing.h"

struct block {
    int32_t m, n;
    int shown, folded;
};

struct table {
    const struct collect_cell *cell;
    size_t *order; /* of the rows: indices into the cell's best tilings */
    struct block *blocks;
    size_t block_count;
    struct strbuf unvalidated; /* what makes rows unvalidated, each once */
};

/* ---- the band ---- */

double summary_band(const struct cell *cell, int64_t best)
{
    return target_error(cell->target, cell->problem.op == PROBLEM_CONV, timing_us(cell->target, best), NULL);
}

bool summary_indistinct(const struct cell *cell, int64_t task, int64_t best)
{
    return 100.0 * (double)(task - best) <= summary_band(cell, best) * (double)best;
}

void summary_band_source(const struct cell *cell, int64_t best, struct strbuf *out)
{
    const struct target *t = cell->target;
    const bool conv = cell->problem.op == PROBLEM_CONV;
    const double us = timing_us(t, best);
    const char *key = NULL;
    (void)target_error(t, conv, us, &key);
    const struct target_fact *fact = target_fact(t, key);
    if (strcmp(key, "chip.validated_error") == 0) {
        const bool any = t->error_short[conv] > 0 || t->error_long[conv] > 0;
        strbuf_addf(out, "no held-out board run of a %s", conv ? "conv" : "matmul");
        if (any && us < TARGET_SHORTEST_US) {
            strbuf_addf(out, " below %g us", TARGET_SHORTEST_US);
        }
        strbuf_addf(out, " on architecture %" PRId32 ": the widest error, %s; ", t->arch,
                    fact ? confidence_name(fact->confidence) : "");
    }
    strbuf_add(out, fact ? fact->source : "");
    for (const char *r = fact ? fact->rows : ""; *r; r += strcspn(r, ",") + (r[strcspn(r, ",")] == ',')) {
        strbuf_addf(out, "%s%.*s", r == fact->rows ? ": " : " ", (int)strcspn(r, ","), r);
    }
}

/* ---- one row ---- */

static void add_free(const struct record *r, enum buffer buf, struct strbuf *out)
{
    const int64_t left = r->usable[buf] - r->used[buf];
    strbuf_addf(out, left % 1024 == 0 ? "%6" PRId64 "K " : "%6" PRId64 "B ", left % 1024 == 0 ? left / 1024 : left);
}

static void add_row(const struct collect_cell *cell, const struct record *r, const struct record *best, size_t rank,
                    struct strbuf *out)
{
    const bool close = summary_indistinct(cell->cell, r->task, best->task);
    strbuf_addf(out, "  %4zu%c %11.2f %7.1f %6.1f %6s %9.2f ", rank, close ? '~' : ' ',
                timing_us(cell->cell->target, r->task),
                best->task > 0 ? 100.0 * (double)(r->task - best->task) / (double)best->task : 0.0,
                100 * record_peak_share(cell->cell, r), pipe_name(r->bound_pipe),
                (double)(record_gm_read(r) + record_gm_write(r)) / 1048576.0);
    add_free(r, BUF_L1, out);
    add_free(r, BUF_L0A, out);
    add_free(r, BUF_L0B, out);
    add_free(r, BUF_L0C, out);
    strbuf_addf(out, "%5" PRId32 "  ", r->events_used);
    const size_t at = out->len;
    record_verify(r, out);
    strbuf_addf(out, "%*s", out->len - at < 12 ? (int)(12 - (out->len - at)) : 1, "");
    tiling_name(&r->t, out);
    strbuf_add(out, r->unvalidated ? " (unvalidated)\n" : "\n");
}

/* Takes up the reasons of one row that are not listed yet. */
static void note_unvalidated(struct table *t, const struct record *r)
{
    struct schedule s;
    struct infeasible why = {0};
    struct strbuf text;
    strbuf_init(&text);
    if (study_schedule(t->cell->cell, &r->t, &s, &why, NULL) == STATUS_OK && why.reason == REASON_NONE) {
        timing_unvalidated(&s, &text);
    }
    for (char *item = text.text, *next; item && *item; item = next) {
        const size_t len = strcspn(item, ",");
        next = item + len + strspn(item + len, ", ");
        item[len] = '\0';
        const char *known = strstr(strbuf_cstr(&t->unvalidated), item);
        if (!known || (known[len] && known[len] != ',')) {
            strbuf_addf(&t->unvalidated, "%s%s", t->unvalidated.len ? ", " : "", item);
        }
    }
    strbuf_fini(&text);
}

/* ---- order ---- */

/* Bytes less are better, then more of L1 free, then the better rank. */
static bool goes_before(const struct record *r, size_t a, size_t b)
{
    const int64_t x = record_gm_read(&r[a]) + record_gm_write(&r[a]),
                  y = record_gm_read(&r[b]) + record_gm_write(&r[b]);
    const int64_t free_x = r[a].usable[BUF_L1] - r[a].used[BUF_L1], free_y = r[b].usable[BUF_L1] - r[b].used[BUF_L1];
    return x != y ? x < y : free_x != free_y ? free_x > free_y : a < b;
}

/* Ranks in order; the best, then those the model cannot tell from it by bytes and
 * headroom. Ranked by something else than time: as they are. */
static void order_rows(struct table *t)
{
    const struct collect_list *top = &t->cell->top;
    size_t close = 0;
    for (size_t i = 0; i < top->n; i++) {
        t->order[i] = i;
        if (top->r[i].task < top->r[0].task) {
            return;
        }
    }
    while (close < top->n && summary_indistinct(t->cell->cell, top->r[close].task, top->r[0].task)) {
        close++;
    }
    for (size_t i = 2; i < close; i++) { /* insertion: a table is short */
        const size_t row = t->order[i];
        size_t at = i;
        for (; at > 1 && goes_before(top->r, row, t->order[at - 1]); at--) {
            t->order[at] = t->order[at - 1];
        }
        t->order[at] = row;
    }
}

/* ---- folding ---- */

static struct block *block_of(struct table *t, const struct tiling *tiling)
{
    for (size_t i = 0; i < t->block_count; i++) {
        if (t->blocks[i].m == tiling->baseM && t->blocks[i].n == tiling->baseN) {
            return &t->blocks[i];
        }
    }
    t->blocks[t->block_count] = (struct block){.m = tiling->baseM, .n = tiling->baseN};
    return &t->blocks[t->block_count++];
}

/* Goes down the rows until `rows` are shown, at most `limit` of one block.
 * `out` NULL: only counts. @return rows shown. */
static int32_t walk(struct table *t, int32_t rows, size_t limit, struct strbuf *out)
{
    const struct collect_list *top = &t->cell->top;
    int32_t shown = 0;
    t->block_count = 0;
    for (size_t i = 0; i < top->n && shown < rows; i++) {
        const struct record *r = &top->r[t->order[i]];
        struct block *b = block_of(t, &r->t);
        if ((size_t)b->shown >= limit) {
            b->folded++;
            continue;
        }
        b->shown++;
        shown++;
        if (out) {
            add_row(t->cell, r, &top->r[0], t->order[i] + 1, out);
            if (r->unvalidated) {
                note_unvalidated(t, r);
            }
        }
    }
    return shown;
}

static void add_notes(const struct table *t, size_t limit, struct strbuf *out)
{
    const char *before = "";
    const int64_t best = t->cell->top.r[0].task;
    strbuf_addf(
        out, "  ~ within %.3g %% of the best, not distinguishable: after the best ordered by GM bytes, then free L1 (",
        summary_band(t->cell->cell, best));
    summary_band_source(t->cell->cell, best, out);
    strbuf_add(out, ")\n");
    strbuf_addf(out, "  event ids: of all pairs of pipes together; each pair has %" PRId32 " of its own\n",
                t->cell->cell->target->event_ids);
    for (size_t i = 0; i < t->block_count; i++) {
        if (t->blocks[i].folded) {
            if (!*before) {
                strbuf_addf(out, "  not shown, more than %zu of one base block: ", limit);
            }
            strbuf_addf(out, "%s%d of %" PRId32 "x%" PRId32, before, t->blocks[i].folded, t->blocks[i].m,
                        t->blocks[i].n);
            before = ", ";
        }
    }
    strbuf_add(out, *before ? "\n" : "");
    if (t->unvalidated.len) {
        strbuf_addf(out, "  unvalidated: no measured run stands behind %s\n", t->unvalidated.text);
    }
}

void summary_table(const struct collect_cell *cell, int32_t rows, struct strbuf *out)
{
    strbuf_addf(out, "  %46s %-31s %5s\n", "", "free in", "event");
    strbuf_addf(out, "  %4s  %11s %7s %6s %6s %9s %7s %7s %7s %7s %5s  %-11s %s\n", "rank", "task us", "+%", "%peak",
                "binds", "GM MiB", "L1", "L0A", "L0B", "L0C", "ids", "verified", "tiling");
    struct table t = {.cell = cell,
                      .blocks = calloc(cell->top.n + 1, sizeof(*t.blocks)),
                      .order = calloc(cell->top.n + 1, sizeof(*t.order))};
    if (!t.blocks || !t.order) {
        free(t.blocks);
        free(t.order);
        out->failed = true;
        return;
    }
    order_rows(&t);
    strbuf_init(&t.unvalidated);
    size_t limit = SUMMARY_BLOCK_ROWS;
    while (walk(&t, rows, limit, NULL) < rows && limit < cell->top.n) {
        limit *= 2;
    }
    (void)walk(&t, rows, limit, out);
    add_notes(&t, limit, out);
    strbuf_fini(&t.unvalidated);
    free(t.blocks);
    free(t.order);
}
