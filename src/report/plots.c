/* plots.c - which pictures, of which cells, and where. */
#include "report/plots.h"

#include <stdio.h>
#include <string.h>

#include "report/compare.h"
#include "report/plot_kinds.h"

static const struct {
    enum plot_kind kind;
    const char *name;
    bool (*fill)(const struct plot_input *in, struct picture *p, struct strbuf *why);
} kinds[] = {
    {PLOT_HEATMAP, "heatmap", plot_heatmap},    {PLOT_ROOFLINE, "roofline", plot_roofline},
    {PLOT_TIMELINE, "timeline", plot_timeline}, {PLOT_BUDGET, "budget", plot_budget},
    {PLOT_PARETO, "pareto", plot_pareto},       {PLOT_EXPOSED, "exposed", plot_exposed},
};

struct plotter {
    struct run_dir *dir;
    const struct collect *collect;
    struct study *study;
    bool draw;
};

static enum status plot_one(const struct plotter *w, const struct collect_cell *cell, size_t kind, const char *prefix,
                            struct diag *d)
{
    const struct plot_input in = {.collect = w->collect, .cell = cell, .study = w->study};
    struct picture p;
    struct strbuf why;
    picture_init(&p, kinds[kind].name, 900, 600);
    strbuf_init(&why);
    enum status st = STATUS_OK;
    if (kinds[kind].fill(&in, &p, &why)) {
        st = picture_write(w->dir, prefix, &p, w->draw, d);
    } else {
        diag_note(d, NULL, "no %s of %s: %s", kinds[kind].name, cell->cell->name, strbuf_cstr(&why));
    }
    strbuf_fini(&why);
    picture_fini(&p);
    return st;
}

static enum status plot_cells(const struct plotter *w, struct diag *d)
{
    const struct experiment *e = w->collect->experiment;
    int drawn = 0;
    for (size_t i = 0; i < e->count; i++) {
        const struct collect_cell *cell = &w->collect->cells[i];
        if (cell->top.n == 0) {
            continue;
        }
        if (drawn++ == PLOTS_CELLS) {
            diag_note(d, NULL, "pictures of the first %d cells only; --set problem=... draws others", PLOTS_CELLS);
            break;
        }
        char prefix[64] = "plots/";
        if (e->count > 1) {
            snprintf(prefix, sizeof(prefix), "plots/cell%zu/", i);
        }
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
            if (e->plots & kinds[k].kind) {
                TRY(plot_one(w, cell, k, prefix, d));
            }
        }
    }
    return STATUS_OK;
}

/* Without networks there is nothing to say. */
static enum status plot_networks(const struct plotter *w, struct diag *d)
{
    struct networks networks;
    struct picture p;
    struct strbuf why;
    if (!(w->collect->experiment->plots & PLOT_LAYERS)) {
        return STATUS_OK;
    }
    if (networks_make(w->collect, &networks) != STATUS_OK) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for a plot");
    }
    enum status st = STATUS_OK;
    picture_init(&p, "layers", 900, 600);
    strbuf_init(&why);
    if (networks.count && plot_layers(&networks, &p, &why)) {
        st = picture_write(w->dir, "plots/", &p, w->draw, d);
    } else if (networks.count) {
        diag_warning(d, NULL, "no picture of the layers: %s", strbuf_cstr(&why));
    }
    strbuf_fini(&why);
    picture_fini(&p);
    networks_fini(&networks);
    return st;
}

/* ---- the variants of the run side by side ---- */

/* The cells as compare wants them; false on lack of memory. */
static bool compare_inputs_of(const struct plotter *w, struct arena *arena, struct compare_input *in, struct diag *d)
{
    const struct experiment *e = w->collect->experiment;
    struct run_error *errors = arena_alloc(arena, e->count, sizeof *errors);
    if (!errors || run_read_errors(run_dir_part(w->dir), e->count, arena, errors, d) != STATUS_OK) {
        return false;
    }
    for (size_t i = 0; i < e->count; i++) {
        const struct collect_cell *cell = &w->collect->cells[i];
        const struct cell *c = cell->cell;
        const char *last = strrchr(c->name, '/');
        const size_t skip = strlen(c->target->name) + 1;
        in[i] = (struct compare_input){
            .run_name = e->name,
            .variant = c->variant,
            .target = c->target->name,
            .label = arena_strndup(arena, c->name + skip, (size_t)(last - c->name) - skip),
            .entry = {.id = i, .error = errors[i], .tilings = cell->counts.points, .feasible = cell->counts.feasible}};
        if (cell->top.n) {
            in[i].entry.cell = c;
            in[i].entry.best = cell->top.r[0];
        }
        if (!in[i].label) {
            return false;
        }
    }
    return true;
}

static enum status draw_variants(const struct plotter *w, struct arena *arena, struct strbuf *why, struct diag *d)
{
    const size_t count = w->collect->experiment->count;
    struct compare_input *in = arena_alloc(arena, count, sizeof *in);
    struct compare c;
    struct diag unheard;
    if (!in || !compare_inputs_of(w, arena, in, d)) {
        return STATUS_NO_MEMORY;
    }
    diag_init(&unheard);
    const bool any = compare_join(in, count, NULL, arena, &c, &unheard) == STATUS_OK;
    diag_fini(&unheard);
    if (!any) {
        strbuf_add(why, "one variant on one target");
        return STATUS_OK;
    }
    TRY(compare_details(w->study, &c, MX_COMPARE_GROUPS, arena, d));
    struct picture p;
    picture_init(&p, "mx_compare", 1280, 600);
    plot_mx_compare_name(&c, &p);
    const enum status st = plot_mx_compare(&c, &p, why) ? picture_write(w->dir, "plots/", &p, w->draw, d) : STATUS_OK;
    picture_fini(&p);
    return st;
}

/* Said if it was asked for by name and cannot be drawn. */
static enum status plot_variants(const struct plotter *w, struct diag *d)
{
    struct arena arena;
    struct strbuf why;
    arena_init(&arena);
    strbuf_init(&why);
    const enum status st = draw_variants(w, &arena, &why, d);
    if (st == STATUS_OK && why.len && w->collect->experiment->plots != PLOT_ALL) {
        diag_note(d, NULL, "no mx_compare: %s", strbuf_cstr(&why));
    }
    strbuf_fini(&why);
    arena_fini(&arena);
    return st;
}

enum status plots_write(struct run_dir *dir, const struct collect *c, struct diag *d)
{
    struct plotter w = {.dir = dir, .collect = c, .draw = os_have_program("gnuplot")};
    if (c->experiment->plots == 0) {
        return STATUS_OK;
    }
    if (!w.draw) {
        diag_warning(d, NULL, "gnuplot is not installed: plots/ has data and scripts, but no pictures");
        diag_hint(d, "apt-get install gnuplot-nox fonts-dejavu-core, then: cd plots && gnuplot heatmap.gp");
    }
    enum status st = study_create(NULL, &w.study);
    if (st == STATUS_OK && (c->experiment->plots & ~(unsigned)(PLOT_LAYERS | PLOT_MX_COMPARE))) {
        st = plot_cells(&w, d);
    }
    if (st == STATUS_OK && (c->experiment->plots & PLOT_MX_COMPARE)) {
        st = plot_variants(&w, d);
    }
    if (st == STATUS_OK) {
        st = plot_networks(&w, d);
    }
    study_destroy(w.study);
    return st;
}
