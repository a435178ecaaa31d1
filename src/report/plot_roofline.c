/* plot_roofline.c - every tiling as a dot below the roofs of its target.
 *
 * The intensity counts bytes between GM and the cores, hit or missed in L2. So
 * the L2 line is a roof; dots above the HBM line live on reuse in L2. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/record_columns.h"
#include "report/plot_axis.h"
#include "report/plot_kinds.h"

static const struct {
    enum pipe pipe;
    const char *block, *var, *title;
} groups[] = {
    {PIPE_MTE2, "dots_mte2", "t_mte2", "MTE2 (GM→L1) binds"},
    {PIPE_MTE1, "dots_mte1", "t_mte1", "MTE1 (L1→L0) binds"},
    {PIPE_M, "dots_cube", "t_m", "cube binds"},
    {PIPE_FIX, "dots_fixpipe", "t_fix", "Fixpipe binds"},
};

#define ROOF_POINTS 160   /* obstacles along the two roofs */
#define PLOT_W      889.0 /* pixels of the plot area */
#define PLOT_H      470.0
#define LEADER_GAP  11.0 /* pixels between the best's mark and the line to its box */

struct roof {
    const struct cell *cell;
    const struct collect_list *points;
    const struct record *best;
    double peak, hbm, l2; /* TFLOP/s, TB/s */
    double x0, x1, y0, y1;
    double hbm_x, l2_x; /* of the roofs' names; 0: none */
    int legend;         /* rows of it */
    struct picture_point *at;
};

static double intensity(const struct record *r)
{
    const double bytes = (double)(record_gm_read(r) + record_gm_write(r));
    return bytes > 0 ? 2.0 * (double)r->macs / bytes : 0;
}

static void find_range(struct roof *f)
{
    f->x0 = f->x1 = intensity(f->best);
    f->y0 = f->y1 = record_tflops(f->cell, f->best);
    for (size_t i = 0; i < f->points->n; i++) {
        f->x0 = fmin(f->x0, intensity(&f->points->r[i]));
        f->x1 = fmax(f->x1, intensity(&f->points->r[i]));
        f->y0 = fmin(f->y0, record_tflops(f->cell, &f->points->r[i]));
    }
    /* The ridge belongs into the picture unless it is far away. */
    const double ridge = f->peak / f->hbm;
    f->x1 = fmax(f->x1, ridge < 20 * f->x1 ? ridge * 1.6 : 0);
    f->x0 = exp2(floor(log2(f->x0 / 1.3)));
    f->x1 = exp2(ceil(log2(f->x1 * 1.3)));
    f->y0 = f->y0 / 2.2;
    f->y1 = f->peak * 2;
}

static double graph_x(const struct roof *f, double x)
{
    return log(x / f->x0) / log(f->x1 / f->x0);
}

static double graph_y(const struct roof *f, double y)
{
    return log(y / f->y0) / log(f->y1 / f->y0);
}

/* Where along a roof's slope its name hides the fewest dots; 0: no room. */
static double label_x(const struct roof *f, double bandwidth)
{
    const double from = fmax(f->x0, f->y0 / bandwidth);
    const double to = fmin(f->x1, f->peak / bandwidth);
    double best_cost = INFINITY;
    double best = 0;
    for (int i = 3; i <= 17 && to > from * 3; i++) {
        const double x = from * pow(to / from, i / 20.0);
        const double gx = graph_x(f, x);
        const double gy = graph_y(f, x * bandwidth) + 0.035;
        double cost = fabs(i - 9.0) * 0.3;
        for (size_t k = 0; k < f->points->n; k++) {
            cost += fabs(f->at[k].x - gx) < 0.075 && fabs(f->at[k].y - gy) < 0.07;
        }
        if (cost < best_cost) {
            best_cost = cost;
            best = x;
        }
    }
    return best;
}

static void add_roof(const struct roof *f, const char *block, double bandwidth, struct picture *p)
{
    picture_block(p, block);
    strbuf_addf(&p->data, "%.6g %.6g\n", f->x0, fmin(f->peak, f->x0 * bandwidth));
    if (f->x0 * bandwidth < f->peak) {
        strbuf_addf(&p->data, "%.6g %.6g\n", f->peak / bandwidth, f->peak);
    }
    strbuf_addf(&p->data, "%.6g %.6g\n", f->x1, fmin(f->peak, f->x1 * bandwidth));
}

static void add_points(struct roof *f, struct picture *p)
{
    add_roof(f, "roof_hbm", f->hbm, p);
    add_roof(f, "roof_l2", f->l2, p);
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
        size_t n = 0;
        picture_block(p, groups[g].block);
        for (size_t i = 0; i < f->points->n; i++) {
            const struct record *r = &f->points->r[i];
            if (r->bound_pipe == groups[g].pipe) {
                strbuf_addf(&p->data, "%.4f %.4f ", intensity(r), record_tflops(f->cell, r));
                tiling_name(&r->t, &p->data);
                strbuf_add(&p->data, "\n");
                n++;
            }
        }
        if (n == 0) {
            strbuf_add(&p->data, "NaN NaN none\n");
        }
        char title[64] = ""; /* not in the legend */
        if (n) {
            snprintf(title, sizeof(title), "%s (%zu)", groups[g].title, n);
            f->legend++;
        }
        picture_text(p, groups[g].var, title);
    }
    picture_block(p, "best");
    strbuf_addf(&p->data, "%.4f %.4f\n", intensity(f->best), record_tflops(f->cell, f->best));
}

/* Dots and roofs in the plot area's own measure; `at` has room for ROOF_POINTS more. */
static size_t gather_obstacles(struct roof *f)
{
    size_t n = f->points->n;
    for (size_t i = 0; i < n; i++) {
        f->at[i] = (struct picture_point){graph_x(f, intensity(&f->points->r[i])),
                                          graph_y(f, record_tflops(f->cell, &f->points->r[i]))};
    }
    for (int i = 0; i < ROOF_POINTS; i++) {
        const double x = f->x0 * pow(f->x1 / f->x0, i / (double)ROOF_POINTS);
        f->at[n++] = (struct picture_point){graph_x(f, x), graph_y(f, fmin(f->peak, x * (i % 2 ? f->hbm : f->l2)))};
    }
    return n;
}

/* What the name of a roof takes. */
static void roof_name(const struct roof *f, double bandwidth, double x, double out[4])
{
    const double cx = x > 0 ? graph_x(f, x) : -1;
    const double cy = x > 0 ? graph_y(f, x * bandwidth) + 0.035 : -1;
    const double box[4] = {cx - 0.06, cy - 0.06, cx + 0.06, cy + 0.06};
    memcpy(out, box, sizeof(box));
}

/* Legend and the box of the best go where they hide the fewest dots and lines. */
static void place_texts(struct roof *f, size_t n, double box_w, struct picture *p)
{
    const double key_w = 0.285;
    const double key_h = 0.055 * (f->legend + 1);
    const double box_h = 0.115;
    double key_x = 0;
    double key_y = 0;
    double x = 0;
    double y = 0;
    const double ridge_x = graph_x(f, f->peak / f->hbm);
    const double peak_y = graph_y(f, f->peak);
    double keep_out[6][4] = {{ridge_x - 0.005, 0, ridge_x + 0.15, 0.06},
                             {ridge_x - 0.01, 0, ridge_x + 0.01, peak_y},
                             {0, peak_y - 0.02, 1, 1}};
    roof_name(f, f->hbm, f->hbm_x, keep_out[3]);
    roof_name(f, f->l2, f->l2_x, keep_out[4]);
    picture_place(f->at, n, key_w, key_h, 0.86, 0.15, keep_out, 5, &key_x, &key_y);
    const double key[4] = {key_x - key_w / 2 - 0.01, key_y - key_h / 2 - 0.01, key_x + key_w / 2 + 0.01,
                           key_y + key_h / 2 + 0.01};
    memcpy(keep_out[5], key, sizeof(key));
    const double bx = graph_x(f, intensity(f->best));
    const double by = graph_y(f, record_tflops(f->cell, f->best));
    picture_place(f->at, n, box_w, box_h, bx + box_w / 2 + 0.07, by - 0.2, keep_out, 6, &x, &y);
    picture_real(p, "key_x", key_x - key_w / 2);
    picture_real(p, "key_y", key_y + key_h / 2);
    picture_real(p, "box_x", x);
    picture_real(p, "box_y", y);
    picture_real(p, "box_w", box_w);
    picture_real(p, "box_h", box_h);
    const bool beside = fabs(x - bx) > box_w / 2 + 0.01;
    const double from_x = beside ? x + (bx > x ? box_w / 2 : -box_w / 2)
                                 : fmin(bx + 0.12, x + box_w / 2); /* not along a column of dots */
    const double from_y = beside ? y : by > y ? y + box_h / 2 : y - box_h / 2;
    const double wide = (from_x - bx) * PLOT_W;
    const double high = (from_y - by) * PLOT_H;
    const double part = fmin(1, LEADER_GAP / fmax(hypot(wide, high), 1));
    picture_real(p, "arrow_x", from_x);
    picture_real(p, "arrow_y", from_y);
    picture_real(p, "tip_x", bx + wide * part / PLOT_W);
    picture_real(p, "tip_y", by + high * part / PLOT_H);
}

/* @return width of the box of the best, in plot areas. */
static double add_titles(const struct roof *f, uint64_t feasible, struct picture *p)
{
    size_t widest = 0;
    struct strbuf text;
    strbuf_init(&text);
    strbuf_add(&text, "Roofline — ");
    plot_subject(f->cell, &text);
    picture_text(p, "title", strbuf_cstr(&text));
    strbuf_clear(&text);
    if (f->points->n < feasible) {
        strbuf_addf(&text, "%zu of ", f->points->n);
    }
    strbuf_addf(&text, "%llu feasible tilings; each dot is one, marked by the pipe that binds it",
                (unsigned long long)feasible);
    picture_text(p, "sub1", strbuf_cstr(&text));
    picture_text(p, "sub2", "dots above the solid line read from L2 what HBM alone could not deliver");
    strbuf_clear(&text);
    strbuf_add(&text, "best  ");
    plot_block(&f->best->t, &text);
    picture_text(p, "best1", strbuf_cstr(&text));
    widest = text.len;
    strbuf_clear(&text);
    plot_number(record_tflops(f->cell, f->best), &text);
    strbuf_addf(&text, " TFLOP/s  (%.0f %% of peak)", 100 * record_peak_share(f->cell, f->best));
    picture_text(p, "best2", strbuf_cstr(&text));
    widest = text.len > widest ? text.len : widest;
    strbuf_clear(&text);
    strbuf_addf(&text, "Cube peak %s  ", dtype_info(f->cell->problem.a.dtype)->name);
    plot_number(f->peak, &text);
    strbuf_add(&text, " TFLOP/s");
    picture_text(p, "peak_text", strbuf_cstr(&text));
    strbuf_clear(&text);
    strbuf_addf(&text, "HBM  %.2f TB/s", f->hbm);
    picture_text(p, "hbm_text", strbuf_cstr(&text));
    strbuf_clear(&text);
    strbuf_addf(&text, "L2  %.1f TB/s", f->l2);
    picture_text(p, "l2_text", strbuf_cstr(&text));
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
    return 0.0094 * (double)widest + 0.02;
}

bool plot_roofline(const struct plot_input *in, struct picture *p, struct strbuf *why)
{
    const struct target *t = in->cell->cell->target;
    struct roof f = {.cell = in->cell->cell, .points = &in->cell->sample, .best = in->cell->top.r};
    f.peak = record_peak_tflops(f.cell);
    f.hbm = t->timing.hbm;
    f.l2 = t->timing.l2_rate * t->ghz * 1e-3;
    if (in->cell->top.n == 0 || f.peak <= 0 || f.hbm <= 0 || f.l2 <= 0 || intensity(f.best) <= 0) {
        strbuf_add(why, in->cell->top.n ? "the target gives no peak, HBM or L2 rate" : "no feasible tiling");
        return false;
    }
    f.at = calloc(f.points->n + ROOF_POINTS, sizeof(*f.at));
    if (!f.at) {
        strbuf_add(why, "no memory");
        return false;
    }
    p->width = 1000;
    p->height = 640;
    picture_real(p, "left", 85);
    picture_real(p, "right", 1000 - 85 - PLOT_W);
    picture_real(p, "top", 96);
    picture_real(p, "bottom", 640 - 96 - PLOT_H);
    find_range(&f);
    const double box_w = add_titles(&f, in->cell->counts.feasible, p);
    const size_t obstacles = gather_obstacles(&f);
    picture_real(p, "x_low", f.x0);
    picture_real(p, "x_high", f.x1);
    picture_real(p, "y_low", f.y0);
    picture_real(p, "y_high", f.y1);
    plot_axis_binary(p, "xtics", f.x0, f.x1, 12);
    plot_axis(p, "ytics", f.y0, f.y1, true, 9);
    picture_real(p, "peak", f.peak);
    picture_real(p, "hbm", f.hbm);
    picture_real(p, "l2", f.l2);
    f.hbm_x = label_x(&f, f.hbm);
    f.l2_x = label_x(&f, f.l2);
    picture_real(p, "hbm_x", f.hbm_x);
    picture_real(p, "l2_x", f.l2_x);
    add_points(&f, p);
    place_texts(&f, obstacles, box_w, p);
    free(f.at);
    return true;
}
