/* cmd_budget.c - loads a config, chooses a cell and a tiling, prints what
 * report/budget.c says of them and draws its pictures. Nothing is simulated. */
#include "cli/cmd_budget.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/budget.h"

#define DEFAULT_CONFIG "matmul_half"
#define LISTED_CELLS   12

/* Which other cells there are. */
static void list_cells(const struct experiment *e, size_t chosen)
{
    if (e->count < 2) {
        return;
    }
    printf("\nOther cells of the config (--cell N):\n");
    size_t listed = 0;
    for (size_t i = 0; i < e->count && listed < LISTED_CELLS; i++) {
        if (i != chosen) {
            printf("    %4zu  %s\n", i, e->cells[i].name);
            listed++;
        }
    }
    if (e->count - 1 > listed) {
        printf("    ... %zu more\n", e->count - 1 - listed);
    }
}

static enum status draw(const struct command_line *line, const struct experiment *e, const struct budget *b,
                        struct diag *d)
{
    if (command_has(line, "no-plots")) {
        return STATUS_OK;
    }
    struct strbuf dir;
    strbuf_init(&dir);
    const char *out = command_text(line, "out", NULL);
    if (out != NULL) {
        strbuf_add(&dir, out);
    } else {
        /* Beside results/NAME, whose files belong to a run and its manifest. */
        strbuf_addf(&dir, "results/%s.budget", e->name);
    }
    const enum status st = budget_pictures(b, strbuf_cstr(&dir), d);
    if (st == STATUS_OK) {
        printf("\nPictures: %s/budget.png, frontier.png (svg, data and scripts beside)\n", strbuf_cstr(&dir));
    }
    strbuf_fini(&dir);
    return st;
}

static enum status budget_cell(const struct command_line *line, const struct experiment *e, struct diag *d)
{
    int64_t cell = 0;
    struct budget b;
    struct strbuf text;
    TRY(command_int(line, "cell", 0, (int64_t)e->count - 1, &cell, d));
    TRY(budget_choose(&e->cells[cell], command_text(line, "tiling", NULL), &b, d));
    strbuf_init(&text);
    budget_text(&b, &text);
    fputs(strbuf_cstr(&text), stdout);
    const bool failed = text.failed;
    strbuf_fini(&text);
    if (failed) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the report");
    }
    TRY(draw(line, e, &b, d));
    list_cells(e, (size_t)cell);
    return b.fits ? STATUS_OK : diag_error(d, STATUS_MISMATCH, NULL, "the tiling does not fit");
}

static enum status run(const struct command_line *line, struct diag *d)
{
    struct arena arena;
    arena_init(&arena);
    const char **sets = command_all(line, "set");
    const struct experiment *e = NULL;
    enum status st = sets != NULL ? experiment_load(line->words ? line->word[0] : DEFAULT_CONFIG, sets, &arena, &e, d)
                                  : diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the arguments");
    if (st == STATUS_OK) {
        st = budget_cell(line, e, d);
    }
    free(sets);
    arena_fini(&arena);
    return st;
}

static const struct command_option options[] = {
    {'t', "tiling", "NAME", "this tiling, by its canonical name; what it leaves out the config fixes, or is auto"},
    {'c', "cell", "N", "cell of the config, from 0 (default: the first)"},
    {'s', "set", "PATH=VALUE", "override a key of the config; may be repeated"},
    {'o', "out", "DIR", "where the pictures go (default: results/NAME.budget)"},
    {0, "no-plots", NULL, "text only"},
    {0, NULL, NULL, NULL},
};

static const char *const examples[] = {
    "tilescope budget                                   # the built-in config, its auto tiling",
    "tilescope budget my.yaml -t b128x256x64_s8x4       # would this fit, and with how much left?",
    "tilescope budget my.yaml -t l2x2x2                 # two L0C tiles, all else auto",
    "tilescope budget -s problem.bias=true              # room for a bias row",
    "tilescope budget -s target=ascend950pr_9589 -s problem.A.dtype=mx_fp4_e2m1 -s problem.B.dtype=mx_fp4_e2m1",
    "tilescope budget my.yaml --no-plots | less",
    NULL,
};

const struct command command_budget = {
    .name = "budget",
    .usage = "tilescope budget [CONFIG] [options]",
    .summary = "Where a tiling lies in the buffers, what is left, what stops a larger one; simulates nothing",
    .about = "CONFIG is a YAML file or the name of a built-in config (default: " DEFAULT_CONFIG ").\n"
             "Without --tiling: the config's fixed fields, all others by their auto rule; if that does\n"
             "not fit, the first point of the config's space that does. Prints bytes used and left of\n"
             "every buffer, the address map, live ranges, event ids, the next larger tile along each\n"
             "axis and what stops it, the feasible base blocks, and room for a bias, a quant row and\n"
             "an epilogue. Exit status 1 if the tiling does not fit.",
    .options = options,
    .examples = examples,
    .max_words = 1,
    .run = run,
};
