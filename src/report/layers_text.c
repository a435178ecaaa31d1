/* layers_text.c - the layers of networks as tables for people. */
#include <inttypes.h>
#include <string.h>

#include "record/record_columns.h"
#include "report/layers.h"
#include "report/summary.h"
#include "timing/timing.h"

/* Order of a time's parts in both tables. */
static const enum pipe pipes[] = {PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_FIX};

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static size_t widest(const struct networks *n, size_t least, const char *(*text)(const struct network *n))
{
    size_t width = least;
    for (size_t i = 0; i < n->count; i++) {
        const size_t len = strlen(text(&n->v[i]));
        width = len > width ? len : width;
    }
    return width;
}

static const char *name_of(const struct network *n)
{
    return n->first->network;
}

static const char *target_of(const struct network *n)
{
    return n->first->target->name;
}

/* As the config and the other tables call it. */
static const char *variant_name(const struct network *n)
{
    return n->first->variant;
}

static void add_totals(const struct networks *n, struct strbuf *out)
{
    const int name = (int)widest(n, 7, name_of), target = (int)widest(n, 6, target_of),
              variant = (int)widest(n, 7, variant_name);
    strbuf_addf(out, "  %-*s  %-*s  %-*s %7s %11s %8s %6s %8s   %% of the time: launch, then cores bound by\n", name,
                "", target, "", variant, "", "", "", "useful", "", "issued/");
    strbuf_addf(out, "  %-*s  %-*s  %-*s %7s %11s %8s %6s %8s  %7s %6s %6s %6s %6s\n", name, "network", target,
                "target", variant, "variant", "layers", "total us", "TFLOP/s", "%peak", "useful", "launch", "M", "MTE1",
                "MTE2", "FIX");
    for (size_t i = 0; i < n->count; i++) {
        const struct network *w = &n->v[i];
        const double us = timing_us(w->first->target, w->task), task = (double)w->task;
        strbuf_addf(out, "  %-*s  %-*s  %-*s %7" PRId64 " %11.2f %8.1f %6.1f %8.2f  %7.1f", name, w->first->network,
                    target, w->first->target->name, variant, variant_name(w), w->occurs, us,
                    us > 0 ? 2e-6 * w->macs / us : 0, percent(w->at_peak, task), w->macs > 0 ? w->issued / w->macs : 0,
                    percent((double)w->launch, task));
        for (size_t k = 0; k < 4; k++) {
            strbuf_addf(out, " %6.1f", percent((double)w->bound[pipes[k]], task));
        }
        strbuf_addf(out, w->missing ? "  (%zu layers without a tiling are missing)\n" : "\n", w->missing);
    }
}

/* Only convs read map rows twice for their neighbours. */
static bool has_halo(const struct network *n)
{
    return n->first->problem.op == PROBLEM_CONV;
}

static void add_layer(const struct network *n, const struct layer *l, int name, int shape_width, struct strbuf *out)
{
    const struct cell *cell = l->cell->cell;
    const struct record *r = l->best;
    struct strbuf shape;
    strbuf_init(&shape);
    if (!cell->failed) {
        layer_shape(&cell->problem, &shape);
    }
    strbuf_addf(out, "  %-*s  %-*s %4" PRId64 " ", name, cell->layer, shape_width, strbuf_cstr(&shape), cell->count);
    strbuf_fini(&shape);
    if (!r) {
        strbuf_addf(out, "%s\n", cell->failed ? cell->failed : "no feasible tiling");
        return;
    }
    const double task = (double)r->task;
    strbuf_addf(out, "%10.2f %11.2f %6.1f %7.1f %6.1f %8.2f %6s %9.2f ", timing_us(cell->target, r->task),
                timing_us(cell->target, r->task * cell->count), percent(task * (double)cell->count, (double)n->task),
                percent((double)layer_launch(r), task), 100 * record_peak_share(cell, r),
                r->macs > 0 ? (double)r->issued / (double)r->macs : 0, pipe_name(r->bound_pipe),
                (double)(record_gm_read(r) + record_gm_write(r)) / 1048576.0);
    if (has_halo(n)) {
        strbuf_addf(out, "%8.3f ", (double)r->halo / 1048576.0);
    }
    strbuf_add(out, " ");
    tiling_name(&r->t, out);
    strbuf_addf(out, r->unvalidated ? " (unvalidated)\n" : "\n");
}

static void add_network(const struct network *n, struct strbuf *out)
{
    int name = 5, shape = 5;
    for (size_t i = 0; i < n->count; i++) {
        const struct cell *cell = n->layers[i].cell->cell;
        struct strbuf text;
        strbuf_init(&text);
        layer_shape(&cell->problem, &text);
        const int long_name = (int)strlen(cell->layer);
        name = long_name > name ? long_name : name;
        shape = (int)text.len > shape && !cell->failed ? (int)text.len : shape;
        strbuf_fini(&text);
    }
    strbuf_addf(out, "\n%s on %s, %s: %" PRId64 " layers, %zu different\n", n->first->network, n->first->target->name,
                variant_name(n), n->occurs, n->count);
    strbuf_addf(out, "  %-*s  %-*s %4s %10s %11s %6s %7s %6s %8s %6s %9s%s\n", name, "", shape, "", "", "", "", "% of",
                "launch", "", "issued/", "", "GM", has_halo(n) ? "     halo" : "");
    strbuf_addf(out, "  %-*s  %-*s %4s %10s %11s %6s %7s %6s %8s %6s %9s%s  %s\n", name, "layer", shape, "shape", "x",
                "task us", "total us", "all", "% task", "%peak", "useful", "binds", "MiB",
                has_halo(n) ? "      MiB" : "", "best tiling");
    for (size_t i = 0; i < n->count; i++) {
        add_layer(n, &n->layers[i], name, shape, out);
    }
}

void networks_text(const struct networks *n, struct strbuf *out)
{
    if (n->count == 0) {
        return;
    }
    strbuf_add(out, "\n== networks: the best tiling of every layer, counted as often as the layer occurs (x)\n"
                    "Each layer is launched by itself. Useful: the problem's products (of a conv, its real channels); "
                    "issued: what the cube\nmultiplies, whole fractals and filled-up channels. Share of peak is of "
                    "useful ones. Halo: part of GM, map rows that two\nneighbouring M tiles both bring.\n\n");
    add_totals(n, out);
    for (size_t i = 0; i < n->count; i++) {
        add_network(&n->v[i], out);
    }
}
