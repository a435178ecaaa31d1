/* plot_timeline.c - a window of one core's pipes: the end of a tile with its
 * steady state, and the start of the next. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/intmath.h"
#include "record/record_columns.h"
#include "report/plot_axis.h"
#include "report/plot_kinds.h"
#include "timing/timing.h"

#define WINDOW_BEFORE 16 /* steps shown before the end of the tile, at least one period */
#define WINDOW_AFTER  6  /* and of the next tile */
#define WINDOW_MAX    40
#define STEPS_MAX     1000000 /* of timing_ref before the window */
#define PLOT_WIDTH    890.0   /* pixels of the lanes */

static const struct lane {
    enum pipe pipe;
    const char *name;
    uint32_t dark, light;
} lanes[] = {
    {PIPE_MTE2, "MTE2  GM→L1", 0x0072b2, 0x7fc4ee},
    {PIPE_MTE1, "MTE1  L1→L0", 0xe69f00, 0xf5cf7f},
    {PIPE_M, "M  cube", 0x009e73, 0x7bd3b5},
    {PIPE_FIX, "FIX  L0C→GM", 0xcc79a7, 0xe8bfd5},
};
#define LANES 4

struct window {
    const struct plot_input *in;
    const struct schedule *s;
    const struct record *r;
    struct study_boxes boxes;
    int32_t core;
    int64_t tile;     /* shown to its end */
    int64_t from, to; /* steps whose Mmad is inside */
    int64_t t0, t1;   /* mcyc */
    int64_t core_steps;
};

static void choose_steps(struct window *w)
{
    const struct schedule *s = w->s;
    w->core = study_busiest_core(s);
    const int64_t tiles = schedule_tiles(s, w->core);
    w->core_steps = schedule_steps(s, w->core);
    w->tile = min_i64(tiles / 2, max_i64(0, STEPS_MAX / s->nk - 1));
    if (w->tile == tiles - 1 && tiles > 1) {
        w->tile--;
    }
    const int64_t end = (w->tile + 1) * s->nk;
    const int64_t before = min_i64(max_i64(WINDOW_BEFORE, schedule_period(s)), WINDOW_MAX);
    w->from = max_i64(w->tile * s->nk, end - before);
    w->to = min_i64(end + WINDOW_AFTER, w->core_steps) - 1;
}

static const struct study_box *mmad_of(const struct window *w, int64_t step)
{
    for (size_t i = 0; i < w->boxes.n; i++) {
        if (w->boxes.v[i].pipe == PIPE_M && w->boxes.v[i].step == step) {
            return &w->boxes.v[i];
        }
    }
    return NULL;
}

/* Copies run ahead of the cube by up to two chunks: take those steps, too. */
static bool gather(struct window *w)
{
    const int64_t chunk = max_i64(w->s->t.stepKa, w->s->t.stepKb);
    const int64_t first = max_i64(0, w->from - 2 * chunk - 2);
    const int64_t last = min_i64(w->to + 3 * chunk + 2, w->core_steps - 1);
    const struct study_window steps = {.core = w->core, .first = first, .last = last};
    if (!study_boxes_of(w->in->study, w->in->cell->cell, w->s, &steps, &w->boxes)) {
        return false;
    }
    const struct study_box *a = mmad_of(w, w->from);
    const struct study_box *b = mmad_of(w, w->to);
    if (!a || !b) {
        return false;
    }
    w->t0 = w->from == 0 ? 0 : a->start;
    w->t1 = b->end;
    if (w->to == w->core_steps - 1) { /* the last Fixpipe belongs to it */
        w->t1 = max_i64(w->t1, w->boxes.v[w->boxes.n - 1].end);
    }
    return w->t1 > w->t0;
}

static double cycles(int64_t mcyc)
{
    return (double)mcyc / 1000.0;
}

/* What is written into a box. */
static void box_text(const struct window *w, const struct study_box *b, char text[48])
{
    text[0] = '\0';
    const int64_t k = (int64_t)b->step % w->s->nk;
    if (b->pipe == PIPE_MTE2) {
        snprintf(text, 48, "%s%" PRId64, role_name(b->role), k);
    } else if (b->pipe == PIPE_M) {
        snprintf(text, 48, "%" PRId64, k);
    } else if (b->pipe == PIPE_FIX) {
        snprintf(text, 48, "tile %" PRId64, (int64_t)b->step / w->s->nk);
    } else if (b->pipe == PIPE_MTE1) {
        snprintf(text, 48, "%s", role_name(b->role));
    }
}

static double box_pixels(const struct window *w, int64_t mcyc)
{
    return PLOT_WIDTH * (double)mcyc / (double)(w->t1 - w->t0);
}

static bool text_fits(const char *text, double pixels)
{
    return plot_text_width(text, 12) + 2 <= pixels;
}

/* Texts of boxes too narrow for them stand above their box, where there is room. */
static void add_above(const struct window *w, struct picture *p)
{
    double end[LANES] = {0}; /* pixels */
    size_t n = 0;
    picture_block(p, "above");
    for (size_t i = 0; i < w->boxes.n; i++) {
        const struct study_box *b = &w->boxes.v[i];
        const int64_t start = max_i64(b->start, w->t0);
        const int64_t stop = min_i64(b->occupied, w->t1);
        char text[48];
        box_text(w, b, text);
        for (int l = 0; l < LANES; l++) {
            const double width = plot_text_width(text, 12);
            const double middle = box_pixels(w, (start - w->t0) + (stop - start) / 2);
            if (lanes[l].pipe == b->pipe && stop > start && !text_fits(text, box_pixels(w, stop - start)) &&
                middle - width / 2 >= end[l] && middle + width / 2 <= PLOT_WIDTH) {
                end[l] = middle + width / 2 + 3;
                strbuf_addf(&p->data, "%.3f %d ", cycles(start + (stop - start) / 2), LANES - 1 - l);
                picture_quoted(&p->data, text);
                strbuf_add(&p->data, "\n");
                n++;
            }
        }
    }
    if (n == 0) {
        strbuf_addf(&p->data, "%.3f 9 \"\"\n", cycles(w->t0));
    }
}

static void add_boxes(const struct window *w, struct picture *p)
{
    picture_block(p, "boxes");
    for (size_t i = 0; i < w->boxes.n; i++) {
        const struct study_box *b = &w->boxes.v[i];
        const int64_t start = max_i64(b->start, w->t0);
        const int64_t end = min_i64(b->occupied, w->t1);
        for (int l = 0; l < LANES; l++) {
            if (lanes[l].pipe == b->pipe && end > start) {
                const bool dark = b->half == 0;
                char text[48];
                box_text(w, b, text);
                strbuf_addf(&p->data, "%.3f %.3f %d %u %u %u ", cycles(start), cycles(end), LANES - 1 - l,
                            dark ? lanes[l].dark : lanes[l].light, dark && l != 1 ? 0xffffffU : 0x222222U,
                            (unsigned)b->step);
                picture_quoted(&p->data, text_fits(text, box_pixels(w, end - start)) ? text : "");
                strbuf_addf(&p->data, " %.3f\n", cycles(min_i64(b->end, w->t1)));
            }
        }
    }
}

/* Time a pipe is occupied inside the window. */
static int64_t occupied(const struct window *w, enum pipe pipe)
{
    int64_t sum = 0;
    int64_t done = w->t0;
    for (size_t i = 0; i < w->boxes.n; i++) {
        const struct study_box *b = &w->boxes.v[i];
        if (b->pipe == pipe) {
            const int64_t from = max_i64(b->start, done);
            const int64_t to = min_i64(b->end, w->t1);
            sum += to > from ? to - from : 0;
            done = max_i64(done, to);
        }
    }
    return sum;
}

/* Where the cube has nothing to do for longer than one part in 400 of the window. */
static void add_idle(const struct window *w, struct picture *p)
{
    int64_t done = w->t0;
    size_t n = 0;
    picture_block(p, "idle");
    for (size_t i = 0; i <= w->boxes.n; i++) {
        const struct study_box *b = i < w->boxes.n ? &w->boxes.v[i] : NULL;
        if (b && b->pipe != PIPE_M) {
            continue;
        }
        const int64_t start = b ? min_i64(b->start, w->t1) : w->t1;
        if ((start - done) * 400 > w->t1 - w->t0) {
            strbuf_addf(&p->data, "%.3f %.3f\n", cycles(done), cycles(start));
            n++;
        }
        if (b) {
            done = max_i64(done, b->occupied);
        }
    }
    if (n == 0) {
        strbuf_add(&p->data, "NaN NaN\n");
    }
}

static void add_lanes(const struct window *w, struct picture *p)
{
    for (int l = 0; l < LANES; l++) {
        char var[16];
        char text[32];
        const double run = w->r->core_mean > 0 ? 100.0 * (double)w->r->busy[lanes[l].pipe] / (double)w->r->core_mean
                                               : 0;
        snprintf(var, sizeof(var), "lane%d", LANES - 1 - l);
        picture_text(p, var, lanes[l].name);
        snprintf(var, sizeof(var), "here%d", LANES - 1 - l);
        snprintf(text, sizeof(text), "%.0f %%", 100.0 * (double)occupied(w, lanes[l].pipe) / (double)(w->t1 - w->t0));
        picture_text(p, var, text);
        snprintf(var, sizeof(var), "run%d", LANES - 1 - l);
        snprintf(text, sizeof(text), "%.0f %%", run);
        picture_text(p, var, text);
    }
}

static void add_titles(const struct window *w, struct picture *p)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_add(&text, "Pipe timeline — ");
    plot_block(&w->r->t, &text);
    strbuf_add(&text, ", best of ");
    plot_subject(w->in->cell->cell, &text);
    picture_text(p, "title", strbuf_cstr(&text));
    picture_text(p, "sub1",
                 "MTE2: operand and K step, MTE1: operand, M: K step, FIX: tile; "
                 "dark: ping buffer, light: pong; shaded: cube idle; thin line: result on its way");
    strbuf_clear(&text);
    strbuf_addf(&text,
                "core %" PRId32 ", K steps %" PRId64 " to %" PRId64 " of %" PRId32 " of tile %" PRId64
                ", then tile %" PRId64 "; %" PRId64 " tiles on this core",
                w->core, w->from % w->s->nk, (int64_t)w->s->nk - 1, w->s->nk, w->tile, w->tile + 1,
                schedule_tiles(w->s, w->core));
    if (w->to < (w->tile + 1) * w->s->nk) {
        strbuf_clear(&text);
        strbuf_addf(&text, "core %" PRId32 ", K steps %" PRId64 " to %" PRId64 " of %" PRId32 " of its last tile",
                    w->core, w->from % w->s->nk, (int64_t)w->s->nk - 1, w->s->nk);
    }
    picture_text(p, "sub2", strbuf_cstr(&text));
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
}

static void add_axis(const struct window *w, struct picture *p)
{
    struct strbuf tics;
    strbuf_init(&tics);
    const double span = cycles(w->t1 - w->t0);
    double step = pow(10, floor(log10(span / 5)));
    step *= span / step > 25 ? 5 : span / step > 10 ? 2 : 1;
    for (double k = ceil(cycles(w->t0) / step); k * step <= cycles(w->t1); k++) {
        strbuf_add(&tics, tics.len ? ", \"" : "\"");
        plot_thousands((int64_t)llround(k * step), &tics);
        strbuf_addf(&tics, "\" %.9g", k * step);
    }
    picture_text(p, "xtics", strbuf_cstr(&tics));
    picture_real(p, "t0", cycles(w->t0));
    picture_real(p, "t1", cycles(w->t1));
    p->vars.failed |= tics.failed;
    strbuf_fini(&tics);
}

bool plot_timeline(const struct plot_input *in, struct picture *p, struct strbuf *why)
{
    struct schedule s;
    if (!plot_best_schedule(in, &s, why)) {
        return false;
    }
    struct window w = {.in = in, .s = &s, .r = &in->cell->top.r[0]};
    choose_steps(&w);
    const bool ok = gather(&w);
    if (!ok) {
        strbuf_add(why, "no instruction of the window was found");
    } else {
        p->width = 1200;
        p->height = 508;
        picture_real(p, "left", 170);
        picture_real(p, "right", 1200 - 170 - PLOT_WIDTH);
        picture_real(p, "top", 118);
        picture_real(p, "bottom", 74);
        add_titles(&w, p);
        add_axis(&w, p);
        add_lanes(&w, p);
        add_idle(&w, p);
        add_boxes(&w, p);
        add_above(&w, p);
    }
    study_boxes_fini(&w.boxes);
    return ok;
}
