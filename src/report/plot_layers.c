/* plot_layers.c - networks side by side: one panel each, one bar a layer, and
 * the whole time split by what binds. All places are worked out here, in pixels;
 * the script only draws. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "problem/conv.h"
#include "record/record_columns.h"
#include "report/layers.h"
#include "report/plot_kinds.h"
#include "timing/timing.h"

enum {
    COLUMNS = 4, /* panels beside each other */
    PANELS = 16,
    ROWS = 40,   /* bars of a panel; what is over is one bar */
    PITCH = 18,  /* from bar to bar */
    HEAD = 66,   /* title, totals and their bar */
    BARS = 190,  /* longest bar */
    AFTER = 104, /* its time and share of peak */
    GAP_X = 26,
    GAP_Y = 34,
    LEFT = 24,
    TOP = 136,
    BOTTOM = 20
};

/* Sizes of gnuplot/style.gp; bold letters are wider. */
#define FONT      12.0
#define TITLE     18.0
#define SUBTITLE  13.5
#define BOLDER    1.12
#define LOOSE     1.03 /* hinted letters */
#define BOLD      (14.0 * BOLDER)
#define INK       0x222222U
#define GREY      0x777777U
#define LAUNCH    0xc8c8c8U
#define LAUNCHING "launch"

/* Binding pipes as in the other pictures. */
static const struct {
    enum pipe pipe;
    const char *name;
    uint32_t fill, text;
} parts[] = {{PIPE_M, "cube", 0x009e73, 0xffffff},
             {PIPE_MTE1, "MTE1 (L1 to L0)", 0xe69f00, INK},
             {PIPE_MTE2, "MTE2 (GM to L1)", 0x0072b2, 0xffffff},
             {PIPE_FIX, "Fixpipe", 0xcc79a7, INK}};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

static uint32_t fill_of(enum pipe pipe)
{
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].pipe == pipe) {
            return parts[i].fill;
        }
    }
    return GREY;
}

/* One bar: a layer, or all the short ones of a long list. */
struct bar {
    const struct layer *layer; /* NULL: the rest */
    size_t rest;
    int64_t total, launch;
    enum pipe bound;
};

struct panel {
    const struct network *network;
    struct bar *bars;
    size_t count;
    bool labels;                     /* its own; else those of the panel on its left hold */
    double x, y, label_width, width; /* width: from x to its right end, head included */
};

/* Texts are gathered by how they hang, boxes apart: a block each. */
enum block { BOXES, HANG_LEFT, HANG_RIGHT, HANG_MIDDLE, HEADS, BLOCKS };

struct drawing {
    struct strbuf block[BLOCKS];
};

static void add_box(struct drawing *d, double x0, double x1, double y0, double y1, uint32_t colour)
{
    strbuf_addf(&d->block[BOXES], "%.2f %.2f %.2f %.2f %u\n", x0, x1, y0, y1, (unsigned)colour);
}

static void add_text(struct drawing *d, enum block block, double x, double y, uint32_t colour, const char *text)
{
    strbuf_addf(&d->block[block], "%.2f %.2f %u ", x, y, (unsigned)colour);
    picture_quoted(&d->block[block], text);
    strbuf_add(&d->block[block], "\n");
}

/* ---- bars ---- */

static int longest_first(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

static int64_t total_of(const struct layer *l)
{
    return l->best ? l->best->task * l->cell->cell->count : 0;
}

/* The shortest total that has a bar of its own. */
static bool threshold_of(const struct network *n, int64_t *out)
{
    int64_t *totals = calloc(n->count, sizeof(*totals));
    if (!totals) {
        return false;
    }
    for (size_t i = 0; i < n->count; i++) {
        totals[i] = total_of(&n->layers[i]);
    }
    qsort(totals, n->count, sizeof(*totals), longest_first);
    *out = n->count > ROWS ? totals[ROWS - 2] : 0;
    free(totals);
    return true;
}

static bool make_bars(const struct network *n, struct panel *p)
{
    int64_t least = 0;
    struct bar rest = {.bound = PIPE_N};
    p->network = n;
    p->bars = calloc(ROWS, sizeof(*p->bars));
    if (!p->bars || !threshold_of(n, &least)) {
        return false;
    }
    for (size_t i = 0; i < n->count; i++) {
        const struct layer *l = &n->layers[i];
        const int64_t launch = l->best ? layer_launch(l->best) * l->cell->cell->count : 0;
        if (total_of(l) >= least && p->count < (n->count > ROWS ? ROWS - 1 : ROWS)) {
            p->bars[p->count++] = (struct bar){
                .layer = l, .total = total_of(l), .launch = launch, .bound = l->best ? l->best->bound_pipe : PIPE_N};
        } else {
            rest.rest++;
            rest.total += total_of(l);
            rest.launch += launch;
        }
    }
    if (rest.rest) {
        p->bars[p->count++] = rest;
    }
    return true;
}

/* "conv3_1_short 1×1/2", and how often. */
static void bar_label(const struct bar *b, struct strbuf *out)
{
    if (!b->layer) {
        strbuf_addf(out, "%zu shorter ones", b->rest);
        return;
    }
    const struct cell *cell = b->layer->cell->cell;
    const struct conv_shape *v = &cell->problem.conv;
    strbuf_add(out, cell->layer);
    if (cell->problem.op == PROBLEM_CONV) {
        strbuf_addf(out, " %" PRId64 "×%" PRId64, v->kh, v->kw);
        if (v->stride_h != 1 || v->stride_w != 1) {
            strbuf_addf(out, "/%" PRId32, v->stride_h);
        }
    }
    if (cell->count > 1) {
        strbuf_addf(out, "  ×%" PRId64, cell->count);
    }
}

/* Two panels have the same bars, row by row. */
static bool same_rows(const struct panel *a, const struct panel *b)
{
    struct strbuf x, y;
    bool same = a->count == b->count;
    strbuf_init(&x);
    strbuf_init(&y);
    for (size_t i = 0; i < a->count && same; i++) {
        strbuf_clear(&x);
        strbuf_clear(&y);
        bar_label(&a->bars[i], &x);
        bar_label(&b->bars[i], &y);
        same = strcmp(strbuf_cstr(&x), strbuf_cstr(&y)) == 0;
    }
    strbuf_fini(&x);
    strbuf_fini(&y);
    return same;
}

static void head_label(const struct panel *p, struct strbuf *out)
{
    strbuf_addf(out, "all %" PRId64 " layers", p->network->occurs);
}

static double label_width(const struct panel *p)
{
    struct strbuf text;
    strbuf_init(&text);
    head_label(p, &text);
    double widest = plot_text_width(strbuf_cstr(&text), FONT);
    for (size_t i = 0; i < p->count; i++) {
        strbuf_clear(&text);
        bar_label(&p->bars[i], &text);
        const double width = plot_text_width(strbuf_cstr(&text), FONT);
        widest = width > widest ? width : widest;
    }
    strbuf_fini(&text);
    return widest * 1.02 + 12;
}

/* ---- one panel ---- */

/* The network's whole time as one bar: launches, then what binds the cores. */
static void draw_split(struct drawing *d, const struct panel *p, double x, double y)
{
    const struct network *n = p->network;
    double from = 0;
    for (size_t i = 0; i <= PARTS; i++) {
        const int64_t part = i ? n->bound[parts[i - 1].pipe] : n->launch;
        const double share = n->task > 0 ? (double)part / (double)n->task : 0, to = from + share;
        char text[16];
        add_box(d, x + from * BARS, x + to * BARS, y, y + 14, i ? parts[i - 1].fill : LAUNCH);
        snprintf(text, sizeof(text), "%.0f %%", 100 * share);
        if (share * BARS > plot_text_width(text, FONT) + 6) {
            add_text(d, HANG_MIDDLE, x + (from + to) / 2 * BARS, y + 7, i ? parts[i - 1].text : INK, text);
        }
        from = to;
    }
}

static void title(const struct network *n, struct strbuf *out)
{
    strbuf_addf(out, "%s · %s", n->first->network, network_variant(n));
}

static void totals(const struct network *n, struct strbuf *out)
{
    const struct target *t = n->first->target;
    strbuf_addf(out, "%s: ", t->name);
    plot_number(timing_us(t, n->task), out);
    strbuf_addf(out, " µs, %.1f %% of peak", n->task > 0 ? 100 * n->at_peak / (double)n->task : 0);
}

/* Its two lines are of the user's words: they may be longer than the bars below. */
static double head_width(const struct panel *p)
{
    struct strbuf text;
    strbuf_init(&text);
    title(p->network, &text);
    const double first = plot_text_width(strbuf_cstr(&text), BOLD);
    strbuf_clear(&text);
    totals(p->network, &text);
    const double second = plot_text_width(strbuf_cstr(&text), FONT);
    strbuf_fini(&text);
    return first > second ? first : second;
}

static void draw_head(struct drawing *d, const struct panel *p)
{
    const struct network *n = p->network;
    struct strbuf text;
    const double x = p->x + p->label_width;
    strbuf_init(&text);
    title(n, &text);
    add_text(d, HEADS, p->labels ? p->x : x, p->y, INK, strbuf_cstr(&text));
    strbuf_clear(&text);
    totals(n, &text);
    add_text(d, HANG_LEFT, p->labels ? p->x : x, p->y + 20, INK, strbuf_cstr(&text));
    add_text(d, HANG_RIGHT, x + BARS + AFTER, p->y + 41, GREY, "µs   % peak");
    if (p->labels) {
        strbuf_clear(&text);
        head_label(p, &text);
        add_text(d, HANG_RIGHT, x - 8, p->y + 41, INK, strbuf_cstr(&text));
    }
    draw_split(d, p, x, p->y + 34);
    strbuf_fini(&text);
}

static void draw_bar(struct drawing *d, const struct panel *p, const struct bar *b, double y, int64_t longest)
{
    const double x = p->x + p->label_width, scale = longest > 0 ? (double)BARS / (double)longest : 0;
    const double launched = x + (double)b->launch * scale, end = x + (double)b->total * scale;
    const struct target *t = p->network->first->target;
    struct strbuf text;
    strbuf_init(&text);
    if (p->labels) {
        bar_label(b, &text);
        add_text(d, HANG_RIGHT, x - 8, y, INK, strbuf_cstr(&text));
        strbuf_clear(&text);
    }
    if (b->total > 0) {
        add_box(d, x, launched, y - 6, y + 6, LAUNCH);
        add_box(d, launched, end, y - 6, y + 6, fill_of(b->bound));
        plot_number(timing_us(t, b->total), &text);
        add_text(d, HANG_LEFT, end + 6, y, INK, strbuf_cstr(&text));
    } else {
        add_text(d, HANG_LEFT, x + 2, y, GREY, "no feasible tiling");
    }
    if (b->layer && b->layer->best) {
        strbuf_clear(&text);
        strbuf_addf(&text, "%.1f", 100 * record_peak_share(b->layer->cell->cell, b->layer->best));
        add_text(d, HANG_RIGHT, x + BARS + AFTER, y, GREY, strbuf_cstr(&text));
    }
    strbuf_fini(&text);
}

static void draw_panel(struct drawing *d, const struct panel *p)
{
    int64_t longest = 0;
    for (size_t i = 0; i < p->count; i++) {
        longest = max_i64(longest, p->bars[i].total);
    }
    draw_head(d, p);
    for (size_t i = 0; i < p->count; i++) {
        draw_bar(d, p, &p->bars[i], p->y + HEAD + PITCH * (double)i, longest);
    }
}

/* ---- all of them ---- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Panels from left to right, a new row for each target and after COLUMNS. */
static void place(struct panel *panels, size_t n, int *width, int *height)
{
    double x = LEFT, y = TOP, right = 0, tallest = 0;
    size_t column = 0;
    for (size_t i = 0; i < n; i++) {
        struct panel *p = &panels[i];
        const bool next = i && (column == COLUMNS || p->network->first->target != panels[i - 1].network->first->target);
        if (next) {
            x = LEFT;
            y += tallest + GAP_Y;
            tallest = 0;
            column = 0;
        }
        p->labels = column == 0 || !same_rows(p, &panels[i - 1]);
        p->label_width = p->labels ? label_width(p) : 0;
        p->x = x;
        p->y = y;
        p->width = larger(p->label_width + BARS + AFTER, head_width(p));
        x += p->width;
        right = larger(right, x);
        x += GAP_X;
        const double tall = HEAD + PITCH * (double)p->count;
        tallest = larger(tallest, tall);
        column++;
    }
    *width = (int)right + LEFT;
    *height = (int)(y + tallest) + BOTTOM;
}

/* @return where it ends; `d` NULL: only that. */
static double draw_legend(struct drawing *d, double y)
{
    double x = LEFT, end = x;
    for (size_t i = 0; i <= PARTS; i++) {
        const char *name = i ? parts[i - 1].name : LAUNCHING;
        end = x + 25 + plot_text_width(name, FONT);
        if (d) {
            add_box(d, x, x + 18, y - 6, y + 6, i ? parts[i - 1].fill : LAUNCH);
            add_text(d, HANG_LEFT, x + 25, y, INK, name);
        }
        x = end + 24;
    }
    return end;
}

/* Title, grey lines and legend, which a few panels are narrower than: the lines
 * become two, and then the picture wider.
 * @return whether they are one. */
static bool write_words(const struct networks *all, size_t n, struct picture *p)
{
    static const char title[] = "Best tiling of every layer: where the time goes",
                      what[] = "one bar a layer, times its occurrences (×): launches, then core time in the colour of "
                               "the pipe that binds";
    struct strbuf scale, both;
    strbuf_init(&scale);
    strbuf_init(&both);
    strbuf_add(&scale, "each panel has its own scale");
    if (n < all->count) {
        strbuf_addf(&scale, "; %zu of %zu networks", n, all->count);
    }
    strbuf_addf(&both, "%s; %s", what, strbuf_cstr(&scale));
    const bool one = LEFT + plot_text_width(strbuf_cstr(&both), SUBTITLE) * LOOSE <= p->width;
    double right = larger(draw_legend(NULL, 0), LEFT + plot_text_width(title, TITLE) * BOLDER);
    right = larger(right, one ? 0 : LEFT + plot_text_width(what, SUBTITLE) * LOOSE);
    right = larger(right, one ? 0 : LEFT + plot_text_width(strbuf_cstr(&scale), SUBTITLE) * LOOSE);
    p->width = (int)larger(p->width, right + LEFT);
    picture_text(p, "title", title);
    picture_text(p, "sub1", one ? strbuf_cstr(&both) : what);
    picture_text(p, "sub2", one ? "" : strbuf_cstr(&scale));
    p->data.failed |= scale.failed || both.failed;
    strbuf_fini(&scale);
    strbuf_fini(&both);
    return one;
}

static void write_picture(const struct networks *all, const struct panel *panels, size_t n, struct picture *p)
{
    static const char *const names[BLOCKS] = {"boxes", "left", "right", "middle", "heads"};
    struct drawing d;
    for (int i = 0; i < BLOCKS; i++) {
        strbuf_init(&d.block[i]);
    }
    (void)draw_legend(&d, write_words(all, n, p) ? 98 : 106);
    for (size_t i = 0; i < n; i++) {
        draw_panel(&d, &panels[i]);
    }
    for (int i = 0; i < BLOCKS; i++) {
        picture_block(p, names[i]);
        strbuf_add(&p->data, strbuf_cstr(&d.block[i]));
        p->data.failed |= d.block[i].failed;
        strbuf_fini(&d.block[i]);
    }
    picture_real(p, "left", LEFT);
    picture_real(p, "right", LEFT);
    picture_real(p, "top", TOP);
    picture_real(p, "bottom", BOTTOM);
}

bool plot_layers(const struct networks *networks, struct picture *p, struct strbuf *why)
{
    struct panel panels[PANELS] = {{0}};
    const size_t n = networks->count < PANELS ? networks->count : PANELS;
    bool ok = n > 0;
    for (size_t i = 0; i < n && ok; i++) {
        ok = make_bars(&networks->v[i], &panels[i]);
    }
    if (ok) {
        place(panels, n, &p->width, &p->height);
        write_picture(networks, panels, n, p);
    } else {
        strbuf_add(why, n ? "no memory" : "no network has two layers");
    }
    for (size_t i = 0; i < n; i++) {
        free(panels[i].bars);
    }
    return ok;
}
