/* cmd_run.c - arguments, progress, the last lines and the exit code of a run. */
#include "cli/cmd_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/os.h"
#include "cli/estimate.h"
#include "cli/progress.h"
#include "report/run.h"
#include "report/summary.h"
#include "study/study.h"
#include "sweep/points.h"
#include "timing/timing.h"

#define DEFAULT_CONFIG  "matmul_half"
#define DRY_RUN_POINTS  100000U
#define SHOW_MISMATCHES 5

/* ---- dry run ---- */

#define DRY_REASONS 64

struct dry {
    uint64_t size, looked_at, feasible;
    uint64_t by_reason[REASON_N];
    struct collect_reason reasons[DRY_REASONS]; /* as a run keeps them: one example each */
    size_t reason_count;
};

static void dry_reason(struct dry *dry, const struct infeasible *why, const struct tiling *t, uint64_t index)
{
    size_t i = 0;
    while (i < dry->reason_count && (dry->reasons[i].why.reason != why->reason || dry->reasons[i].why.buf != why->buf ||
                                     dry->reasons[i].why.field != why->field ||
                                     (why->reason == REASON_WHERE && dry->reasons[i].why.need != why->need))) {
        i++;
    }
    if (i == DRY_REASONS) {
        return;
    }
    if (i == dry->reason_count) {
        dry->reasons[dry->reason_count++] = (struct collect_reason){.why = *why, .example = *t, .index = index};
    }
    dry->reasons[i].count++;
}

/* Looks at the points of a cell, all of them if there are few, else evenly spread ones. */
static void dry_look(const struct cell *cell, struct dry *dry)
{
    dry->size = cell->space.size;
    dry->looked_at = dry->size < DRY_RUN_POINTS ? dry->size : DRY_RUN_POINTS;
    for (uint64_t i = 0; i < dry->looked_at; i++) {
        struct tiling t;
        struct plan plan;
        struct infeasible why = {0};
        const uint64_t index = points_piece(i, dry->size, dry->looked_at);
        if (space_at(&cell->space, cell->target, &cell->problem, index, &t, &plan, &why)) {
            dry->feasible++;
        } else {
            dry->by_reason[why.reason]++;
            dry_reason(dry, &why, &t, index);
        }
    }
}

static void dry_print(const struct cell *cell, const struct dry *dry, bool verbose)
{
    const uint64_t size = dry->size, n = dry->looked_at;
    printf("%s: %" PRIu64 " tilings", cell->name, size);
    printf(n < size ? ", %.1f %% feasible" : ", %.0f feasible",
           n < size ? 100.0 * (double)dry->feasible / (double)n : (double)dry->feasible);
    for (int r = REASON_NONE + 1; r < REASON_N; r++) {
        if (dry->by_reason[r]) {
            printf(", %.*f%s %s", n < size ? 1 : 0,
                   n < size ? 100.0 * (double)dry->by_reason[r] / (double)n : (double)dry->by_reason[r],
                   n < size ? " %" : "", infeasible_reason_name((enum infeasible_reason)r));
        }
    }
    printf(n < size ? " (of %" PRIu64 " looked at)\n" : "\n", n);
    if (dry->feasible == 0 || verbose) {
        struct collect_reason *reasons = (struct collect_reason *)dry->reasons;
        const struct collect_cell shown = {.cell = cell, .reasons = reasons, .reason_count = dry->reason_count};
        struct strbuf text;
        strbuf_init(&text);
        summary_reasons(&shown, "  ", &text);
        fputs(strbuf_cstr(&text), stdout);
        strbuf_fini(&text);
    }
}

/* Cells of one target; those of the next follow in the same order. */
static size_t cells_of_target(const struct experiment *e)
{
    size_t n = 0;
    while (n < e->count && e->cells[n].target == e->cells[0].target) {
        n++;
    }
    return n;
}

/* A row that cannot be taken is the same on every target: said once. */
static bool is_said(const struct experiment *e, size_t i, size_t period)
{
    return i >= period && e->cells[i].failed != NULL && e->cells[i - period].failed == e->cells[i].failed;
}

static enum status dry_run(const struct experiment *e, const char *results, bool verbose, int threads, struct diag *d)
{
    uint64_t total = 0, failed = 0;
    bool any = false;
    const size_t period = cells_of_target(e);
    TRY(sweep_count(e, &total, d));
    for (size_t i = 0; i < e->count; i++) {
        if (e->cells[i].failed) {
            if (!is_said(e, i, period)) {
                printf("%s: cannot be taken: %s\n", e->cells[i].name, e->cells[i].failed);
            }
            failed++;
            continue;
        }
        struct dry *dry = calloc(1, sizeof(*dry));
        if (!dry) {
            return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for a dry run");
        }
        dry_look(&e->cells[i], dry);
        dry_print(&e->cells[i], dry, verbose);
        /* What was not looked at may be feasible. */
        any = any || dry->feasible > 0 || dry->looked_at < dry->size;
        free(dry);
    }
    /* A cell that cannot be taken is a row of its own, no tiling. */
    const uint64_t tilings = total - failed, cells = (uint64_t)e->count - failed;
    printf("%" PRIu64 " tiling%s in %" PRIu64 " cell%s, results would go to %s/%s", tilings, tilings == 1 ? "" : "s",
           cells, cells == 1 ? "" : "s", results, e->name);
    if (failed) {
        printf("; %" PRIu64 " cell%s cannot be taken", failed, failed == 1 ? "" : "s");
    }
    printf("\n");
    double seconds = 0;
    TRY(any ? estimate_seconds(e, threads, &seconds, d) : STATUS_OK);
    estimate_say(e, seconds, d);
    return any ? STATUS_OK : diag_error(d, STATUS_MISMATCH, NULL, "no cell has a feasible tiling");
}

/* ---- after the run ---- */

/* Evaluates mismatched points again, to say what was wrong. */
static void explain_mismatches(const struct experiment *e, const struct collect *c, struct diag *d)
{
    struct study *study = NULL;
    if (study_create(NULL, &study) != STATUS_OK) {
        return;
    }
    for (size_t i = 0; i < c->wrong.n && i < SHOW_MISMATCHES; i++) {
        const struct record *r = &c->wrong.r[i];
        struct record again;
        struct strbuf name;
        strbuf_init(&name);
        tiling_name(&r->t, &name);
        diag_note(d, NULL, "%s, tiling %s:", e->cells[r->cell].name, strbuf_cstr(&name));
        (void)study_evaluate(study, &e->cells[r->cell], r->index, e->verify, &again, d);
        strbuf_fini(&name);
    }
    study_destroy(study);
}

static void print_cells(const struct collect *c)
{
    const size_t period = cells_of_target(c->experiment);
    for (size_t i = 0; i < c->experiment->count; i++) {
        const struct collect_cell *cell = &c->cells[i];
        struct strbuf text;
        if (is_said(c->experiment, i, period)) {
            continue;
        }
        strbuf_init(&text);
        if (cell->top.n) {
            tiling_name(&cell->top.r[0].t, &text);
            printf("best: %s %s %.2f us\n", cell->cell->name, strbuf_cstr(&text),
                   timing_us(cell->cell->target, cell->top.r[0].task));
        } else {
            printf("none: %s has no feasible tiling\n", cell->cell->name);
            summary_reasons(cell, "  ", &text);
            fputs(strbuf_cstr(&text), stdout);
        }
        strbuf_fini(&text);
    }
}

static void print_verbose(const struct experiment *e, const struct run_outcome *out)
{
    struct strbuf text;
    strbuf_init(&text);
    for (size_t i = 0; i < e->count; i++) {
        if (out->collect->cells[i].top.n) {
            strbuf_addf(&text, "\n%s\n", e->cells[i].name);
            summary_table(&out->collect->cells[i], e->top, &text);
        }
    }
    strbuf_add(&text, "\n");
    fputs(strbuf_cstr(&text), stdout);
    strbuf_fini(&text);
    fprintf(stderr,
            "%" PRIu64 " evaluated in %.2f s on %d threads (%d bound), %" PRIu64 " resumed, peak memory %.0f MiB\n",
            out->stats.evaluated, out->stats.seconds, out->stats.threads, out->stats.bound, out->stats.resumed,
            (double)os_peak_memory() / 1048576.0);
}

static enum status say_outcome(const struct experiment *e, const struct run_outcome *out, bool verbose, bool quiet,
                               struct diag *d)
{
    if (verbose) {
        print_verbose(e, out);
    }
    if (!quiet) {
        printf("results: %s\n", out->path);
    }
    print_cells(out->collect);
    printf("%" PRIu64 " tilings, %" PRIu64 " feasible, %" PRIu64 " verified, %" PRIu64 " mismatched\n",
           out->counts.points, out->counts.feasible, out->counts.verified, out->counts.mismatched);
    if (out->counts.mismatched) {
        explain_mismatches(e, out->collect, d);
        return diag_error(d, STATUS_MISMATCH, NULL, "%" PRIu64 " tilings load or compute wrong bytes",
                          out->counts.mismatched);
    }
    if (out->counts.feasible == 0) {
        return diag_error(d, STATUS_MISMATCH, NULL, "no cell has a feasible tiling");
    }
    return STATUS_OK;
}

/* ---- C of the best points ---- */

static enum status dump_cell(struct study *study, const struct collect_cell *cell, const char *path, struct diag *d)
{
    struct strbuf c;
    strbuf_init(&c);
    enum status st = study_compute_c(study, cell->cell, &cell->top.r[0].t, &c, d);
    if (st == STATUS_OK) {
        st = os_write_file(path, c.text, c.len, d);
    }
    strbuf_fini(&c);
    return st;
}

/* C as the engine computes it, of the best tiling of every cell: FILE, or
 * FILE.0, FILE.1, ... where there are several cells. */
static enum status dump_c(const struct collect *c, const char *file, struct diag *d)
{
    struct study *study = NULL;
    TRY(study_create(NULL, &study));
    enum status st = STATUS_OK;
    for (size_t i = 0; i < c->experiment->count && st == STATUS_OK; i++) {
        struct strbuf path;
        strbuf_init(&path);
        strbuf_add(&path, file);
        if (c->experiment->count > 1) {
            strbuf_addf(&path, ".%zu", i);
        }
        if (c->cells[i].top.n) {
            st = dump_cell(study, &c->cells[i], strbuf_cstr(&path), d);
        }
        strbuf_fini(&path);
    }
    study_destroy(study);
    return st;
}

static enum status run_it(const struct command_line *line, const struct experiment *e, int64_t threads, struct diag *d)
{
    const bool quiet = command_has(line, "quiet");
    struct progress progress = progress_start(e->name, quiet);
    const struct run_options options = {.results = command_text(line, "results", "results"),
                                        .force = command_has(line, "force"),
                                        .no_plots = command_has(line, "no-plots"),
                                        .sweep = {.threads = (int)threads, .progress = progress_show, .ctx = &progress},
                                        .resumed = progress_resumed,
                                        .ctx = &progress};
    struct run_outcome out;
    os_watch_interrupt();
    enum status st = run_experiment(e, &options, &out, d);
    progress_end(&progress);
    if (st == STATUS_OK) {
        const char *file = command_text(line, "dump-c", NULL);
        st = file ? dump_c(out.collect, file, d) : STATUS_OK;
        st = st == STATUS_OK ? say_outcome(e, &out, command_has(line, "verbose"), quiet, d) : st;
    } else if (st == STATUS_INTERRUPTED) {
        diag_note(d, NULL, "interrupted after %" PRIu64 " of %" PRIu64 " tilings; the same command goes on from %s",
                  out.stats.resumed + out.stats.evaluated, out.total, out.path ? out.path : "there");
    }
    run_outcome_fini(&out);
    return st;
}

static enum status run(const struct command_line *line, struct diag *d)
{
    int64_t threads = 0;
    TRY(command_int(line, "threads", 1, LIMIT_THREADS, &threads, d));
    const char *results = command_text(line, "results", "results");
    struct arena arena;
    arena_init(&arena);
    const char **sets = command_all(line, "set");
    const struct experiment *e = NULL;
    enum status st = sets ? experiment_load(line->words ? line->word[0] : DEFAULT_CONFIG, sets, &arena, &e, d)
                          : STATUS_NO_MEMORY;
    const char *tiling = command_text(line, "tiling", NULL);
    if (st == STATUS_OK && tiling) {
        st = run_single_tiling(e, tiling, &arena, &e, d);
    }
    if (st == STATUS_OK) {
        st = command_has(line, "dry-run") ? dry_run(e, results, command_has(line, "verbose"), (int)threads, d)
                                          : run_it(line, e, threads, d);
    }
    free(sets);
    arena_fini(&arena);
    return st;
}

static const struct command_option options[] = {
    {'j', "threads", "N", "threads (default: one for each processor allowed); results do not depend on it"},
    {'s', "set", "PATH=VALUE", "override a key of the config; may be repeated"},
    {'t', "tiling", "NAME",
     "only this tiling, by its canonical name, in every cell; what it leaves out the config fixes, or is auto"},
    {0, "results", "DIR", "where NAME/ goes (default: results)"},
    {'f', "force", NULL, "replace finished results of another config"},
    {'n', "dry-run", NULL,
     "count tilings and reasons, say how long a run takes if it is long; -v: an example of each reason"},
    {0, "dump-c", "FILE", "write C of the best tiling of each cell, as the engine computes it, raw"},
    {0, "no-plots", NULL, "tables only"},
    {'q', "quiet", NULL, "no progress; stdout has only the last lines"},
    {'v', "verbose", NULL, "print the ranked table and what the run took"},
    {0, NULL, NULL, NULL},
};

static const char *const examples[] = {
    "tilescope run                                         # the built-in config",
    "tilescope run my.yaml                                 # results/NAME/summary.txt, tilings.csv, plots/",
    "tilescope run my.yaml -n                              # how many tilings, and why not the others",
    "tilescope run -s problem.M=512 -s tiling.baseM=128 -s name=small",
    "tilescope run my.yaml -t b128x256x64_s8x4 -s verify=full -s name=one",
    "tilescope run my.yaml -s problem.A.file=a.bin -s problem.B.file=b.bin --dump-c c.bin   # check with numpy",
    NULL,
};

const struct command command_run = {
    .name = "run",
    .usage = "tilescope run [CONFIG] [options]",
    .summary = "Evaluate every tiling of a config: time, fit, bytes checked; rank and draw them",
    .about = "CONFIG is a YAML file or the name of a built-in config (default: " DEFAULT_CONFIG ").\n"
             "A run that was stopped goes on where it was when the same command is given again.\n"
             "stdout ends with one line a cell, `best: CELL TILING T us`, and the counts.",
    .options = options,
    .examples = examples,
    .max_words = 1,
    .run = run,
};
