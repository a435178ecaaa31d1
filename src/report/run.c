/* run.c - open the directory, take over the journal, sweep, write, publish. */
#include "report/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/version.h"
#include "record/run_dir.h"
#include "report/best.h"
#include "report/errors.h"
#include "report/layers.h"
#include "report/plots.h"
#include "report/summary.h"
#include "report/tables.h"

static enum status no_memory(struct diag *d)
{
    return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the run");
}

/* ---- taking over a journal ---- */

struct takeover {
    struct collect *collect;
    struct sweep_start from;
    struct journal_point *ahead;
    size_t ahead_cap;
    struct diag *d;
};

static enum status take_record(void *ctx, const struct record *r)
{
    struct takeover *t = ctx;
    return collect_replay(t->collect, r, t->d);
}

static enum status take_checkpoint(void *ctx, const void *bytes, size_t len)
{
    struct takeover *t = ctx;
    TRY(collect_restore(t->collect, bytes, len, &t->from.done, t->d));
    size_t n = 0;
    for (size_t i = 0; i < t->from.ahead_count; i++) { /* the others have had their turn */
        if (t->ahead[i].point >= t->from.done) {
            t->ahead[n++] = t->ahead[i];
        }
    }
    t->from.ahead_count = n;
    return STATUS_OK;
}

static enum status take_ahead(void *ctx, const struct journal_point *p)
{
    struct takeover *t = ctx;
    if (p->record.cell >= t->collect->experiment->count) {
        return diag_error(t->d, STATUS_IO, NULL, "the journal names cell %u of %zu", (unsigned)p->record.cell,
                          t->collect->experiment->count);
    }
    if (t->from.ahead_count == t->ahead_cap) {
        const size_t cap = t->ahead_cap ? 2 * t->ahead_cap : 64;
        struct journal_point *more = realloc(t->ahead, cap * sizeof(*more));
        if (!more) {
            return no_memory(t->d);
        }
        t->ahead = more;
        t->ahead_cap = cap;
    }
    t->ahead[t->from.ahead_count++] = *p;
    t->from.ahead = t->ahead;
    return STATUS_OK;
}

static enum status open_journal(const struct run_dir *dir, const struct experiment *e, struct takeover *t,
                                struct journal *journal, struct diag *d)
{
    const struct journal_visitor visitor = {
        .ctx = t, .record = take_record, .checkpoint = take_checkpoint, .ahead = take_ahead};
    struct strbuf path;
    strbuf_init(&path);
    run_dir_path(dir, RUN_DIR_JOURNAL, &path);
    enum journal_found found = JOURNAL_ABSENT;
    uint64_t dropped = 0;
    const enum status st = path.failed
                               ? no_memory(d)
                               : journal_resume(strbuf_cstr(&path), e->key, &visitor, journal, &found, &dropped, d);
    if (st == STATUS_OK && found == JOURNAL_FOREIGN) {
        const struct location at = {.file = run_dir_part(dir)};
        diag_warning(d, &at, "unfinished work of another config, target or model was dropped");
    }
    strbuf_fini(&path);
    return st;
}

/* ---- files ---- */

static enum status write_text(struct run_dir *dir, const char *file, struct strbuf *text, struct diag *d)
{
    const enum status st = text->failed ? no_memory(d) : run_dir_write(dir, file, strbuf_cstr(text), text->len, d);
    strbuf_clear(text);
    return st;
}

/* summary.txt, and errors.csv where the config says what the operands hold. */
static enum status write_summary(struct run_dir *dir, const struct collect *c, struct diag *d)
{
    const struct experiment *e = c->experiment;
    struct error_row *errors = calloc(e->count + 1, sizeof(*errors));
    struct strbuf text;
    if (!errors) {
        return no_memory(d);
    }
    strbuf_init(&text);
    enum status st = errors_measure(c, errors, d);
    if (st == STATUS_OK) {
        summary_text(c, errors, &text);
        st = write_text(dir, "summary.txt", &text, d);
    }
    if (st == STATUS_OK) {
        errors_csv(e, errors, &text);
        st = text.len || text.failed ? write_text(dir, "errors.csv", &text, d) : STATUS_OK;
    }
    strbuf_fini(&text);
    free(errors);
    return st;
}

/* layers.csv, where cells are layers of networks. */
static enum status write_layers(struct run_dir *dir, const struct collect *c, struct strbuf *text, struct diag *d)
{
    struct networks networks;
    if (networks_make(c, &networks) != STATUS_OK) {
        return no_memory(d);
    }
    enum status st = STATUS_OK;
    if (networks.count) {
        networks_csv(&networks, text);
        st = write_text(dir, "layers.csv", text, d);
    }
    networks_fini(&networks);
    return st;
}

static enum status write_files(struct run_dir *dir, const struct collect *c, struct diag *d)
{
    const struct experiment *e = c->experiment;
    struct strbuf text;
    strbuf_init(&text);
    enum status st = tables_tilings(dir, c, d);
    if (st == STATUS_OK) {
        tables_reasons(c, &text);
        st = write_text(dir, "reasons.csv", &text, d);
    }
    if (st == STATUS_OK) {
        st = write_layers(dir, c, &text, d);
    }
    if (st == STATUS_OK) {
        st = write_summary(dir, c, d);
    }
    if (st == STATUS_OK) {
        strbuf_add(&text, e->text ? e->text : "");
        st = write_text(dir, "config.yaml", &text, d);
    }
    for (size_t i = 0; i < e->count && st == STATUS_OK; i++) {
        if (c->cells[i].top.n) {
            char file[64] = "best.yaml";
            if (e->count > 1) {
                snprintf(file, sizeof(file), "best/cell%zu.yaml", i);
            }
            best_yaml(e, &e->cells[i], &c->cells[i].top.r[0], &text);
            st = write_text(dir, file, &text, d);
        }
    }
    strbuf_fini(&text);
    return st;
}

static void manifest_result(const struct collect *c, struct strbuf *out)
{
    const struct experiment *e = c->experiment;
    const struct collect_counts n = collect_counts(c);
    strbuf_add(out, "\"name\": ");
    strbuf_add_json(out, e->name);
    strbuf_addf(out,
                ",\n    \"tilings\": %" PRIu64 ", \"feasible\": %" PRIu64 ", \"verified\": %" PRIu64
                ", \"mismatched\": %" PRIu64 ", \"failed_cells\": %" PRIu64
                ",\n    \"verify\": \"%s\",\n    \"cells\": [",
                n.points, n.feasible, n.verified, n.mismatched, n.failed, verify_name(e->verify));
    for (size_t i = 0; i < e->count; i++) {
        const struct collect_cell *cell = &c->cells[i];
        strbuf_add(out, i ? ",\n      {\"name\": " : "\n      {\"name\": ");
        strbuf_add_json(out, cell->cell->name);
        strbuf_addf(out, ", \"tilings\": %" PRIu64 ", \"feasible\": %" PRIu64, cell->counts.points,
                    cell->counts.feasible);
        if (cell->top.n) {
            struct strbuf name;
            strbuf_init(&name);
            tiling_name(&cell->top.r[0].t, &name);
            strbuf_addf(out, ", \"best\": \"%s\", \"task_mcyc\": %" PRId64, strbuf_cstr(&name), cell->top.r[0].task);
            strbuf_fini(&name);
        }
        strbuf_add(out, "}");
    }
    strbuf_add(out, "\n    ]");
}

static void manifest_run(const struct sweep_stats *s, struct strbuf *out)
{
    strbuf_addf(out,
                "\"version\": \"%s\", \"threads\": %d, \"bound\": %d, \"evaluated\": %" PRIu64 ", \"resumed\": %" PRIu64
                ", \"seconds\": %.3f, \"peak_memory_B\": %" PRIu64,
                TILESCOPE_VERSION, s->threads, s->bound, s->evaluated, s->resumed, s->seconds, os_peak_memory());
}

static enum status publish(struct run_dir *dir, const struct collect *c, const struct run_outcome *out, struct diag *d)
{
    struct strbuf result;
    struct strbuf run;
    strbuf_init(&result);
    strbuf_init(&run);
    manifest_result(c, &result);
    manifest_run(&out->stats, &run);
    const enum status st = result.failed || run.failed
                               ? no_memory(d)
                               : run_dir_publish(dir, strbuf_cstr(&result), strbuf_cstr(&run), d);
    strbuf_fini(&run);
    strbuf_fini(&result);
    return st;
}

/* ---- the whole ---- */

static enum status sweep_and_write(const struct experiment *e, const struct run_options *o, struct run_dir *dir,
                                   struct run_outcome *out, struct diag *d)
{
    struct takeover t = {.collect = out->collect, .d = d};
    struct journal journal;
    enum status st = open_journal(dir, e, &t, &journal, d);
    if (st == STATUS_OK) {
        const uint64_t done = t.from.done + t.from.ahead_count;
        if (o->resumed && done) {
            o->resumed(o->ctx, done, out->total);
        }
        st = sweep_run(e, &o->sweep, &t.from, out->collect, &journal, &out->stats, d);
        journal_close(&journal);
    }
    free(t.ahead);
    out->counts = collect_counts(out->collect);
    TRY(st);
    collect_finish(out->collect);
    TRY(run_dir_clean(dir, d));
    TRY(write_files(dir, out->collect, d));
    if (!o->no_plots) {
        TRY(plots_write(dir, out->collect, d));
    }
    return publish(dir, out->collect, out, d);
}

enum status run_experiment(const struct experiment *e, const struct run_options *o, struct run_outcome *out,
                           struct diag *d)
{
    *out = (struct run_outcome){0};
    struct run_dir *dir = NULL;
    TRY(sweep_count(e, &out->total, d));
    TRY(collect_create(e, out->total, &out->collect, d));
    TRY(run_dir_open(o->results, e->name, e->key, o->force, &dir, d));
    const enum status st = sweep_and_write(e, o, dir, out, d);
    out->path = strdup(st == STATUS_OK ? run_dir_final(dir) : run_dir_part(dir));
    run_dir_close(dir);
    return out->path ? st : no_memory(d);
}

void run_outcome_fini(struct run_outcome *out)
{
    collect_destroy(out->collect);
    free(out->path);
    *out = (struct run_outcome){0};
}

enum status run_single_tiling(const struct experiment *e, const char *name, struct arena *arena,
                              const struct experiment **out, struct diag *d)
{
    struct experiment *copy = arena_alloc(arena, 1, sizeof(*copy));
    struct cell *cells = arena_alloc(arena, e->count, sizeof(*cells));
    int32_t *values = arena_alloc(arena, e->count * TF_N, sizeof(*values));
    if (!copy || !cells || !values) {
        return no_memory(d);
    }
    *copy = *e;
    memcpy(cells, e->cells, e->count * sizeof(*cells));
    copy->cells = cells;
    copy->search = SEARCH_EXHAUSTIVE;
    bool said = false;
    for (size_t i = 0; i < e->count; i++, values += TF_N) {
        struct tiling t;
        /* Cells of one variant have one space, so the first of each says it all. */
        const bool heard = i > 0 && strcmp(e->cells[i].variant, e->cells[0].variant) == 0;
        said = said || heard;
        TRY(cell_tiling(&e->cells[i], name, &t, said ? NULL : d));
        struct space space = {.where = cells[i].space.where, .where_count = cells[i].space.where_count};
        for (int f = 0; f < TF_N; f++) {
            values[f] = tiling_get(&t, (enum tiling_field)f);
            if (values[f] != TILING_AUTO) {
                space_set(&space, (enum tiling_field)f, &values[f], 1);
            }
        }
        cells[i].space = space;
        TRY(space_finish(&cells[i].space, d));
    }
    const uint64_t parts[2] = {e->key, hash_bytes(name, strlen(name))};
    copy->key = hash_bytes(parts, sizeof(parts));
    *out = copy;
    return STATUS_OK;
}
