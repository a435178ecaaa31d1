/* cmd_explain.c - finds the best tiling (or takes the named one) and prints what
 * report/explain.c says of it. */
#include "cli/cmd_explain.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "cli/progress.h"
#include "report/explain.h"
#include "report/run.h"

#define DEFAULT_CONFIG "matmul_half"

/* Evaluates all tilings of one cell without verification; the best is *out. */
static enum status find_best(const struct experiment *e, const struct cell *cell, int threads, struct record *out,
                             struct diag *d)
{
    struct cell alone = *cell;
    alone.id = 0;
    struct experiment one = *e;
    one.cells = &alone;
    one.count = 1;
    one.verify = VERIFY_NONE;
    one.keep = 1;
    one.top = 1;
    uint64_t total = 0;
    struct collect *collect = NULL;
    struct progress progress = progress_start(e->name, false);
    const struct sweep_options options = {.threads = threads, .progress = progress_show, .ctx = &progress};
    struct sweep_stats stats;
    TRY(sweep_count(&one, &total, d));
    TRY(collect_create(&one, total, &collect, d));
    os_watch_interrupt();
    enum status st = sweep_run(&one, &options, NULL, collect, NULL, &stats, d);
    progress_end(&progress);
    if (st == STATUS_OK) {
        collect_finish(collect);
        if (collect->cells[0].top.n) {
            *out = collect->cells[0].top.r[0];
        } else {
            diag_error(d, STATUS_MISMATCH, NULL, "%s has no feasible tiling", cell->name);
            diag_hint(d, "tilescope run shows why, with counts");
            st = STATUS_MISMATCH;
        }
    }
    collect_destroy(collect);
    return st;
}

static enum status take_named(struct study *study, const struct cell *cell, const char *name, struct record *out,
                              struct diag *d)
{
    struct tiling t;
    TRY(cell_tiling(cell, name, &t, d));
    TRY(study_evaluate_tiling(study, cell, &t, VERIFY_NONE, out, d));
    if (out->why.reason != REASON_NONE) {
        struct strbuf text;
        strbuf_init(&text);
        infeasible_advice(cell->target, &cell->problem, &t, &out->why, &text);
        diag_error(d, STATUS_MISMATCH, NULL, "%s is infeasible: %s", name, strbuf_cstr(&text));
        strbuf_fini(&text);
        return STATUS_MISMATCH;
    }
    return STATUS_OK;
}

static enum status explain_cell(const struct command_line *line, const struct experiment *e, const struct cell *cell,
                                struct diag *d)
{
    int64_t threads = 0;
    int64_t core = -1;
    int64_t steps = 2;
    TRY(command_int(line, "threads", 1, LIMIT_THREADS, &threads, d));
    TRY(command_int(line, "core", 0, 65535, &core, d));
    TRY(command_int(line, "steps", 0, 1000000, &steps, d));
    struct study *study = NULL;
    struct record r;
    struct strbuf text;
    strbuf_init(&text);
    const char *name = command_text(line, "tiling", NULL);
    enum status st = study_create(NULL, &study);
    if (st == STATUS_OK) {
        st = name ? take_named(study, cell, name, &r, d) : find_best(e, cell, (int)threads, &r, d);
    }
    if (st == STATUS_OK) {
        const struct explain_options o = {.core = (int32_t)core, .first = (int)steps, .period = 16};
        st = explain_text(study, cell, &r, &o, &text, d);
    }
    if (st == STATUS_OK) {
        fputs(strbuf_cstr(&text), stdout);
    }
    study_destroy(study);
    strbuf_fini(&text);
    return st;
}

static enum status pick_cell(const struct command_line *line, const struct experiment *e, const struct cell **out,
                             struct diag *d)
{
    int64_t id = 0;
    TRY(command_int(line, "cell", 0, (int64_t)e->count - 1, &id, d));
    *out = &e->cells[id];
    if (e->count > 1 && !command_has(line, "cell")) {
        diag_note(d, NULL, "cell 0 of %zu, %s; --cell N takes another", e->count, (*out)->name);
    }
    if ((*out)->failed) {
        return diag_error(d, STATUS_MISMATCH, NULL, "%s cannot be taken: %s", (*out)->name, (*out)->failed);
    }
    return STATUS_OK;
}

static enum status run(const struct command_line *line, struct diag *d)
{
    struct arena arena;
    arena_init(&arena);
    const char **sets = command_all(line, "set");
    const struct experiment *e = NULL;
    const struct cell *cell = NULL;
    enum status st = sets ? experiment_load(line->words ? line->word[0] : DEFAULT_CONFIG, sets, &arena, &e, d)
                          : STATUS_NO_MEMORY;
    if (st == STATUS_OK) {
        st = pick_cell(line, e, &cell, d);
    }
    if (st == STATUS_OK) {
        st = explain_cell(line, e, cell, d);
    }
    free(sets);
    arena_fini(&arena);
    return st;
}

static const struct command_option options[] = {
    {'t', "tiling", "NAME", "this tiling (default: the fastest of the config)"},
    {'c', "cell", "N", "cell of the config, from 0 (default 0)"},
    {0, "core", "N", "core whose program is listed (default: the first with the most steps)"},
    {0, "steps", "N", "steps listed from the start (default 2)"},
    {'s', "set", "PATH=VALUE", "override a key of the config; may be repeated"},
    {'j', "threads", "N", "threads of the search"},
    {0, NULL, NULL, NULL},
};

static const char *const examples[] = {
    "tilescope explain                                     # the best tiling of the built-in config",
    "tilescope explain results/my/best.yaml                # what a run found",
    "tilescope explain my.yaml -t b128x256x64_s8x4 --steps 10",
    "tilescope explain -s target=ascend950pr_9589 | less",
    NULL,
};

const struct command command_explain = {
    .name = "explain",
    .usage = "tilescope explain [CONFIG] [options]",
    .summary = "One tiling: fields, buffer addresses, loops, times, instructions",
    .about = "Without --tiling the fastest tiling of the config is searched first (not verified).",
    .options = options,
    .examples = examples,
    .max_words = 1,
    .run = run,
};
