/* plots.c - which pictures, of which cells, and where. */
#include "report/plots.h"

#include <stdio.h>

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
    if (st == STATUS_OK && c->experiment->plots != PLOT_LAYERS) {
        st = plot_cells(&w, d);
    }
    if (st == STATUS_OK) {
        st = plot_networks(&w, d);
    }
    study_destroy(w.study);
    return st;
}
