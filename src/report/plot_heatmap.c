/* plot_heatmap.c - best time for each pair of two fields, the others free. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot_axis.h"
#include "report/plot_kinds.h"
#include "report/summary.h"
#include "timing/timing.h"

#define LABELS_MAX 16 /* cells a side with their value written in */
#define TICS_MAX   24 /* values written on an axis */

struct axis {
    enum tiling_field field;
    int32_t *values;
    size_t n;
};

struct heat {
    const struct collect_cell *cell;
    struct axis x, y;
    bool swapped;     /* x shows collect's y */
    double low, high; /* us */
    int64_t best;     /* mcyc */
    bool log;
    size_t feasible; /* cells */
};

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static bool gather_axis(const struct collect_cell *cell, bool of_x, struct axis *a)
{
    a->field = of_x ? cell->heat_x : cell->heat_y;
    a->values = malloc(cell->heat_count * sizeof(*a->values));
    if (!a->values) {
        return false;
    }
    for (size_t i = 0; i < cell->heat_count; i++) {
        a->values[i] = of_x ? cell->heat[i].x : cell->heat[i].y;
    }
    qsort(a->values, cell->heat_count, sizeof(*a->values), ascending);
    for (size_t i = 0; i < cell->heat_count; i++) {
        if (i == 0 || a->values[i] != a->values[i - 1]) {
            a->values[a->n++] = a->values[i]; /* n <= i: values not read yet stay */
        }
    }
    return true;
}

static size_t position(const struct axis *a, int32_t v)
{
    const int32_t *at = bsearch(&v, a->values, a->n, sizeof(v), ascending);
    return at ? (size_t)(at - a->values) : 0;
}

static void cell_place(const struct heat *h, const struct collect_heat *c, size_t *x, size_t *y)
{
    *x = position(&h->x, h->swapped ? c->y : c->x);
    *y = position(&h->y, h->swapped ? c->x : c->y);
}

static void find_range(struct heat *h)
{
    const struct target *target = h->cell->cell->target;
    h->best = INT64_MAX;
    h->low = INFINITY;
    for (size_t i = 0; i < h->cell->heat_count; i++) {
        const int64_t task = h->cell->heat[i].task;
        if (task != INT64_MAX) {
            const double us = timing_us(target, task);
            h->low = fmin(h->low, us);
            h->high = fmax(h->high, us);
            h->best = task < h->best ? task : h->best;
            h->feasible++;
        }
    }
    h->log = h->high > 2.5 * h->low;
    if (h->high <= h->low) {
        h->high = h->low * 1.01 + 1e-9;
    }
}

static void add_cells(const struct heat *h, struct picture *p)
{
    const struct target *target = h->cell->cell->target;
    const bool labels = h->x.n <= LABELS_MAX && h->y.n <= LABELS_MAX;
    picture_block(p, "cells");
    for (size_t i = 0; i < h->cell->heat_count; i++) {
        const struct collect_heat *c = &h->cell->heat[i];
        size_t x = 0;
        size_t y = 0;
        cell_place(h, c, &x, &y);
        if (c->task == INT64_MAX) {
            continue;
        }
        const double us = timing_us(target, c->task);
        const double shade = h->log ? log(us / h->low) / log(h->high / h->low) : (us - h->low) / (h->high - h->low);
        strbuf_addf(&p->data, "%zu %zu %" PRId32 " %" PRId32 " %.3f %d \"", x, y, h->x.values[x], h->y.values[y], us,
                    shade < 0.6 ? 0xffffff : 0x222222);
        if (labels) {
            plot_number(us, &p->data);
        }
        strbuf_add(&p->data, "\"\n");
    }
}

/* Blocks of cells that are only marked; a block is never empty (gnuplot stops at one). */
static void add_marks(const struct heat *h, const char *block, int kind, struct picture *p)
{
    picture_block(p, block);
    size_t n = 0;
    for (size_t i = 0; i < h->cell->heat_count; i++) {
        const struct collect_heat *c = &h->cell->heat[i];
        const bool feasible = c->task != INT64_MAX;
        const bool best = feasible && c->task == h->best;
        const bool close = feasible && !best && summary_indistinct(h->cell->cell, c->task, h->best);
        size_t x = 0;
        size_t y = 0;
        cell_place(h, c, &x, &y);
        if (kind == 0 ? !feasible : kind == 1 ? best : close) {
            strbuf_addf(&p->data, "%zu %zu %" PRId32 " %" PRId32 "\n", x, y, h->x.values[x], h->y.values[y]);
            n++;
        }
    }
    if (n == 0) {
        strbuf_add(&p->data, "NaN NaN 0 0\n");
    }
}

/* "L0C overflows 24, L0A overflows 8": over the cells without a feasible tiling. */
static void add_reasons(const struct heat *h, struct strbuf *out)
{
    size_t buffers[BUF_N] = {0};
    size_t others[REASON_N] = {0};
    size_t multiples[TF_N] = {0};
    for (size_t i = 0; i < h->cell->heat_count; i++) {
        const struct collect_heat *c = &h->cell->heat[i];
        if (c->task == INT64_MAX && c->why.reason == REASON_BUFFER) {
            buffers[c->why.buf]++;
        } else if (c->task == INT64_MAX && c->why.reason == REASON_MULTIPLE && c->why.field < TF_N) {
            multiples[c->why.field]++;
        } else if (c->task == INT64_MAX) {
            others[c->why.reason]++;
        }
    }
    const char *comma = "";
    for (int b = 0; b < BUF_N; b++) {
        if (buffers[b]) {
            strbuf_addf(out, "%s%s too small (%zu)", comma, buffer_name((enum buffer)b), buffers[b]);
            comma = ", ";
        }
    }
    for (int f = 0; f < TF_N; f++) {
        if (multiples[f]) {
            strbuf_addf(out, "%s%s not a multiple of its unit (%zu)", comma,
                        tiling_field_info((enum tiling_field)f)->name, multiples[f]);
            comma = ", ";
        }
    }
    for (int r = REASON_NONE + 1; r < REASON_N; r++) {
        if (others[r]) {
            strbuf_addf(out, "%s%s (%zu)", comma, infeasible_reason_name((enum infeasible_reason)r), others[r]);
            comma = ", ";
        }
    }
}

static void add_titles(const struct heat *h, struct picture *p)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_add(&text, "Time by tile shape — ");
    plot_subject(h->cell->cell, &text);
    picture_text(p, "title", strbuf_cstr(&text));
    strbuf_clear(&text);
    strbuf_add(&text, "µs, best in each cell; ");
    plot_thousands((int64_t)h->cell->counts.feasible, &text);
    strbuf_add(&text, " of ");
    plot_thousands((int64_t)h->cell->counts.points, &text);
    strbuf_addf(&text, " tilings are feasible; orange: best; dashed: within %.3g %%, not distinguishable",
                summary_band(h->cell->cell, h->best));
    picture_text(p, "sub1", strbuf_cstr(&text));
    strbuf_clear(&text);
    if (h->feasible < h->cell->heat_count) {
        strbuf_add(&text, "hatched: no feasible tiling: ");
        add_reasons(h, &text);
    }
    picture_text(p, "sub2", strbuf_cstr(&text));
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
}

static void add_axis(const struct axis *a, const char *tics, const char *title, bool with_meaning, struct picture *p)
{
    struct strbuf text;
    strbuf_init(&text);
    const size_t step = a->n > TICS_MAX ? (a->n + TICS_MAX - 1) / TICS_MAX : 1;
    const struct tiling_field_info *info = tiling_field_info(a->field);
    for (size_t i = 0; i < a->n; i += step) {
        strbuf_addf(&text, "%s\"", text.len ? ", " : "");
        if (info->words) {
            strbuf_add(&text, info->words[a->values[i] - info->min]);
        } else {
            strbuf_addf(&text, "%" PRId32, a->values[i]);
        }
        strbuf_addf(&text, "\" %zu", i);
    }
    picture_text(p, tics, strbuf_cstr(&text));
    strbuf_clear(&text);
    strbuf_add(&text, info->name);
    if (with_meaning) {
        strbuf_addf(&text, "  (%s)", info->meaning);
    }
    picture_text(p, title, strbuf_cstr(&text));
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
}

/* Sizes in pixels: cells about as high as wide, within bounds. */
static void lay_out(const struct heat *h, struct picture *p)
{
    const double plot_w = 700;
    const double cell_w = plot_w / (double)h->x.n;
    const double cell_h = fmin(fmax(cell_w * 0.9, 4), fmin(64, 620.0 / (double)h->y.n));
    const double plot_h = fmax(cell_h * (double)h->y.n, 200);
    p->width = 96 + 700 + 126;
    p->height = (int)(98 + plot_h + 72);
    picture_real(p, "left", 96);
    picture_real(p, "right", 126);
    picture_real(p, "top", 98);
    picture_real(p, "bottom", p->height - 98 - plot_h);
    picture_real(p, "gap_x", fmin(0.03, 1.2 / cell_w));
    picture_real(p, "gap_y", fmin(0.03, 1.2 * (double)h->y.n / plot_h));
    picture_real(p, "cell_font", fmin(14, cell_w * 0.29));
}

bool plot_heatmap(const struct plot_input *in, struct picture *p, struct strbuf *why)
{
    struct heat h = {.cell = in->cell};
    if (in->cell->heat_x == TF_N) {
        strbuf_add(why, "fewer than two fields vary");
        return false;
    }
    bool ok = gather_axis(in->cell, true, &h.x) && gather_axis(in->cell, false, &h.y);
    h.swapped = ok && h.x.n < h.y.n;
    if (h.swapped) {
        const struct axis t = h.x;
        h.x = h.y;
        h.y = t;
    }
    if (ok) {
        find_range(&h);
    }
    if (!ok || h.feasible == 0) {
        strbuf_add(why, ok ? "no feasible tiling" : "no memory");
        ok = false;
    } else {
        lay_out(&h, p);
        add_titles(&h, p);
        add_axis(&h.x, "xtics", "xtitle", true, p);
        add_axis(&h.y, "ytics", "ytitle", p->height > 600, p);
        picture_real(p, "nx", (double)h.x.n);
        picture_real(p, "ny", (double)h.y.n);
        picture_real(p, "cb_low", h.low);
        picture_real(p, "cb_high", h.high);
        picture_real(p, "log_colour", h.log);
        picture_text(p, "cbtitle", h.log ? "best time (µs), log scale" : "best time (µs)");
        plot_axis(p, "cbtics", h.low, h.high, h.log, 7);
        add_cells(&h, p);
        add_marks(&h, "hatched", 0, p);
        add_marks(&h, "best", 1, p);
        add_marks(&h, "close", 2, p);
    }
    free(h.x.values);
    free(h.y.values);
    return ok;
}
