/* cmd_compare.c - which runs, which baseline, which shape; prints what
 * report/compare.h makes of them. */
#include "cli/cmd_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/compare.h"
#include "text/suggest.h"

#define MAX_RUNS 16

struct comparison {
    const struct command_line *line;
    struct arena *arena;
    struct study *study;
    struct compare_inputs in;
    struct compare c;
    struct csv_table *tables;
    struct compare_key key;
    struct compare_same *same;
    struct period_side periods[2];
};

static enum status no_memory(struct diag *d)
{
    return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the comparison");
}

/* ---- what is compared ---- */

/* --shape: only this one stays. */
static enum status keep_shape(struct comparison *x, struct diag *d)
{
    const char *shape = command_text(x->line, "shape", NULL);
    size_t kept = 0;
    const char **labels = arena_alloc(x->arena, x->c.groups + 1, sizeof *labels);
    if (shape == NULL || labels == NULL) {
        return shape == NULL ? STATUS_OK : no_memory(d);
    }
    for (size_t g = 0; g < x->c.groups; g++) {
        labels[g] = x->c.group[g].label;
    }
    for (size_t g = 0; g < x->c.groups; g++) {
        if (strcmp(labels[g], shape) == 0) {
            x->c.group[kept++] = x->c.group[g];
        }
    }
    if (kept > 0) {
        x->c.groups = kept;
        return STATUS_OK;
    }
    diag_error(d, STATUS_INVALID, NULL, "there is no shape '%s' to compare", shape);
    const char *near = suggest_word(shape, labels);
    diag_hint(d, near != NULL ? "did you mean '%s'?" : "the first one is '%s'", near != NULL ? near : labels[0]);
    return STATUS_INVALID;
}

static void warn(const struct comparison *x, struct diag *d)
{
    for (size_t i = 0; i < x->in.runs; i++) {
        if (x->in.run[i].mismatched > 0) {
            const struct location at = {.file = x->in.run[i].path};
            diag_warning(d, &at, "%llu tilings of this run load wrong bytes (verify in its tilings.csv)",
                         (unsigned long long)x->in.run[i].mismatched);
        }
    }
}

static enum status find_same(struct comparison *x, struct diag *d)
{
    x->tables = arena_alloc(x->arena, x->in.runs, sizeof *x->tables);
    x->same = arena_alloc(x->arena, x->c.groups, sizeof *x->same);
    if (x->tables == NULL || x->same == NULL) {
        return no_memory(d);
    }
    for (size_t i = 0; i < x->in.runs; i++) {
        TRY(run_read_rows(&x->in.run[i], x->arena, &x->tables[i], d));
    }
    for (size_t g = 0; g < x->c.groups; g++) {
        TRY(compare_same_rows(&x->c, &x->c.group[g], x->tables, &x->key, x->arena, &x->same[g], d));
    }
    return STATUS_OK;
}

static enum status load(struct comparison *x, struct diag *d)
{
    TRY(compare_key_parse(command_text(x->line, "same", "name"), &x->key, d));
    TRY(compare_load(x->line->word, x->line->words, x->study, x->arena, &x->in, d));
    TRY(compare_join(x->in.v, x->in.count, command_text(x->line, "baseline", NULL), x->arena, &x->c, d));
    TRY(keep_shape(x, d));
    warn(x, d);
    TRY(compare_details(x->study, &x->c, x->c.groups, x->arena, d));
    return find_same(x, d);
}

/* ---- two periods ---- */

static enum status set_period(struct comparison *x, size_t side, const char *tiling, struct period_side *out,
                              struct diag *d)
{
    const struct compare_entry *e = &x->c.group[0].entry[side];
    if (e->cell == NULL) {
        return diag_error(d, STATUS_INVALID, NULL, "%s has no feasible tiling of %s to draw a period of",
                          x->c.side[side].name, x->c.group[0].label);
    }
    *out = (struct period_side){.name = x->c.side[side].name, .cell = e->cell, .tiling = e->best.t};
    return tiling == NULL ? STATUS_OK : tiling_parse(tiling, &out->tiling, d);
}

/* "SIDE" or "SIDE:TILING". */
static enum status read_period(struct comparison *x, const char *text, size_t len, struct period_side *out,
                               struct diag *d)
{
    char *word = arena_strndup(x->arena, text, len);
    if (word == NULL) {
        return no_memory(d);
    }
    char *tiling = strchr(word, ':');
    if (tiling != NULL) {
        *tiling++ = '\0';
    }
    const size_t side = compare_find_side(&x->c, word);
    if (side == x->c.sides) {
        diag_error(d, STATUS_INVALID, NULL, "--timeline: '%s' is none of what is compared", word);
        diag_rule(d, "it takes two sides of the table, each with a tiling if not its best: half,mxfp4 or "
                     "half,half:b128x256x64_s4x4");
        return STATUS_INVALID;
    }
    return set_period(x, side, tiling, out, d);
}

/* Without --timeline: the baseline and the side fastest against it. */
static enum status choose_periods(struct comparison *x, bool *chosen, struct diag *d)
{
    const char *text = command_text(x->line, "timeline", NULL);
    *chosen = true;
    if (text != NULL) {
        const size_t comma = strcspn(text, ",");
        if (text[comma] == '\0' || strchr(text + comma + 1, ',') != NULL) {
            diag_error(d, STATUS_INVALID, NULL, "--timeline: '%s' does not name two sides", text);
            diag_rule(d, "it is like half,mxfp4");
            return STATUS_INVALID;
        }
        TRY(read_period(x, text, comma, &x->periods[0], d));
        return read_period(x, text + comma + 1, strlen(text + comma + 1), &x->periods[1], d);
    }
    size_t best = x->c.sides;
    double most = 0;
    for (size_t s = 0; s < x->c.sides; s++) {
        const double ratio = compare_speedup(&x->c, &x->c.group[0], s);
        if (s != x->c.baseline && ratio > most) {
            most = ratio;
            best = s;
        }
    }
    *chosen = best < x->c.sides;
    if (!*chosen) {
        return STATUS_OK;
    }
    TRY(set_period(x, x->c.baseline, NULL, &x->periods[0], d));
    return set_period(x, best, NULL, &x->periods[1], d);
}

/* ---- output ---- */

static enum status print(struct comparison *x, struct diag *d)
{
    int64_t top = 10;
    struct strbuf text;
    TRY(command_int(x->line, "top", 0, 100000, &top, d));
    strbuf_init(&text);
    if (command_has(x->line, "csv")) {
        compare_csv(&x->c, &x->in, &text);
    } else {
        compare_text(&x->c, &text);
        if (top > 0) {
            compare_same_text(&x->c, x->same, &x->key, (size_t)top, &text);
        }
    }
    fputs(strbuf_cstr(&text), stdout);
    const bool failed = text.failed;
    strbuf_fini(&text);
    return failed ? no_memory(d) : STATUS_OK;
}

static enum status write_files(struct comparison *x, struct diag *d)
{
    const char *dir = command_text(x->line, "out", NULL);
    bool periods = false;
    if (dir == NULL) {
        return command_text(x->line, "timeline", NULL) == NULL
                   ? STATUS_OK
                   : diag_error(d, STATUS_INVALID, NULL, "--timeline draws a picture: it goes with --out DIR");
    }
    TRY(choose_periods(x, &periods, d));
    const struct compare_files files = {.compare = &x->c,
                                        .inputs = &x->in,
                                        .same = x->same,
                                        .periods = periods ? x->periods : NULL,
                                        .study = x->study,
                                        .force = command_has(x->line, "force"),
                                        .no_plots = command_has(x->line, "no-plots")};
    return compare_write(dir, &files, d);
}

static enum status run(const struct command_line *line, struct diag *d)
{
    struct arena arena;
    struct comparison x = {.line = line, .arena = &arena};
    if (line->words == 0) {
        diag_error(d, STATUS_INVALID, NULL, "compare takes one run or more");
        diag_hint(d, "tilescope compare results/mx_vs_plain, or two directories like it");
        return STATUS_INVALID;
    }
    arena_init(&arena);
    enum status st = study_create(NULL, &x.study);
    if (st == STATUS_OK) {
        st = load(&x, d);
    }
    if (st == STATUS_OK) {
        st = write_files(&x, d);
    }
    if (st == STATUS_OK) {
        st = print(&x, d);
    }
    study_destroy(x.study);
    arena_fini(&arena);
    return st;
}

static const struct command_option options[] = {
    {'b', "baseline", "NAME", "side that speed-ups refer to (default: the first)"},
    {0, "same", "KEY",
     "what makes tilings the same: name (default), or fields: baseM,baseN\n"
     "(then each side's fastest tiling with these values counts)"},
    {0, "shape", "NAME", "only this shape"},
    {0, "top", "N", "rows of same tilings a shape (default: 10; 0: none)"},
    {'o', "out", "DIR", "write compare.csv, same.csv and pictures into DIR, a new directory"},
    {0, "timeline", "A,B",
     "with --out: whose steady periods are drawn on one axis, of the first shape\n"
     "(default: the baseline and the fastest); A or A:TILING, B likewise"},
    {'f', "force", NULL, "replace an earlier comparison in DIR"},
    {0, "no-plots", NULL, "with --out: tables only"},
    {'c', "csv", NULL, "print compare.csv instead of the tables"},
    {0, NULL, NULL, NULL},
};

static const char *const examples[] = {
    "tilescope compare results/mx_vs_plain                       # its variants, best against best",
    "tilescope compare results/before results/after              # two runs",
    "tilescope compare results/mx_vs_plain --baseline fp8_e4m3fn --same baseM,baseN",
    "tilescope compare results/mx_vs_plain -o cmp --shape square_8192 --timeline half,mxfp4",
    "tilescope compare results/mx_vs_plain -o cmp --timeline mxfp4,mxfp4:b128x256x512_s1x1",
    "tilescope compare results/mx_vs_plain --csv > compare.csv",
    NULL,
};

const struct command command_compare = {
    .name = "compare",
    .usage = "tilescope compare RUN [RUN ...] [options]",
    .summary = "Variants of a run, or runs, side by side: time and what it is spent on, bytes, space, error",
    .about = "RUN is the directory of a finished run, or its name in results/. Of one run its variants are\n"
             "compared (of one variant: its targets), of several runs their variants on the targets they\n"
             "share (if they share none: the targets). Best tiling against best tiling, then tilings that\n"
             "are the same on both sides. Times closer than the model's error are marked ~.",
    .options = options,
    .examples = examples,
    .max_words = MAX_RUNS,
    .run = run,
};
