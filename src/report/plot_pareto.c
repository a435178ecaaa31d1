/* plot_pareto.c - time against GM bytes, with the tilings no other beats in both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/record_columns.h"
#include "report/plot_axis.h"
#include "report/plot_kinds.h"
#include "timing/timing.h"

#define LOG_FROM 2.5 /* ratio of a range above which its axis is logarithmic */

struct scatter {
    const struct collect_cell *cell;
    double x0, x1, y0, y1, c0, c1;
    bool log_x, log_y;
    struct picture_point *at;
    size_t n;
};

static double mib(const struct record *r)
{
    return (double)(record_gm_read(r) + record_gm_write(r)) / 1048576.0;
}

static double l1_kib(const struct record *r)
{
    return (double)r->used[BUF_L1] / 1024.0;
}

static double us(const struct scatter *s, const struct record *r)
{
    return timing_us(s->cell->cell->target, r->task);
}

static void widen(struct scatter *s, const struct record *r)
{
    s->x0 = fmin(s->x0, mib(r));
    s->x1 = fmax(s->x1, mib(r));
    s->y0 = fmin(s->y0, us(s, r));
    s->y1 = fmax(s->y1, us(s, r));
    s->c0 = fmin(s->c0, l1_kib(r));
    s->c1 = fmax(s->c1, l1_kib(r));
}

/* Room around the dots: a twelfth of the range, more at the bottom for the text. */
static void pad(double *low, double *high, bool *log)
{
    *log = *low > 0 && *high > LOG_FROM * *low;
    if (*high <= *low) {
        *low *= 0.9;
        *high = *high * 1.1 + 1e-9;
    }
    if (*log) {
        const double f = pow(*high / *low, 0.08);
        *low /= pow(f, 1.5);
        *high *= f;
    } else {
        const double d = 0.08 * (*high - *low);
        *low = fmax(0, *low - 1.5 * d);
        *high += d;
    }
}

static double graph(double v, double low, double high, bool log_axis)
{
    return log_axis ? log(v / low) / log(high / low) : (v - low) / (high - low);
}

static void gather(struct scatter *s)
{
    const struct collect_list *lists[2] = {&s->cell->sample, &s->cell->front};
    s->x0 = s->y0 = s->c0 = INFINITY;
    for (int l = 0; l < 2; l++) {
        for (size_t i = 0; i < lists[l]->n; i++) {
            widen(s, &lists[l]->r[i]);
        }
    }
    pad(&s->x0, &s->x1, &s->log_x);
    pad(&s->y0, &s->y1, &s->log_y);
    for (int l = 0; l < 2; l++) {
        for (size_t i = 0; i < lists[l]->n; i++) {
            s->at[s->n++] = (struct picture_point){graph(mib(&lists[l]->r[i]), s->x0, s->x1, s->log_x),
                                                   graph(us(s, &lists[l]->r[i]), s->y0, s->y1, s->log_y)};
        }
    }
}

static void add_row(const struct scatter *s, const struct record *r, struct picture *p)
{
    strbuf_addf(&p->data, "%.4f %.4f %.3f ", mib(r), us(s, r), l1_kib(r));
    tiling_name(&r->t, &p->data);
    strbuf_add(&p->data, "\n");
}

static void add_blocks(const struct scatter *s, struct picture *p)
{
    const struct collect_list *front = &s->cell->front;
    picture_block(p, "dots");
    for (size_t i = 0; i < s->cell->sample.n; i++) {
        add_row(s, &s->cell->sample.r[i], p);
    }
    picture_block(p, "front");
    for (size_t i = 0; i < front->n; i++) {
        add_row(s, &front->r[i], p);
    }
    picture_block(p, "stairs");
    for (size_t i = 0; i < front->n; i++) {
        strbuf_addf(&p->data, "%.4f %.4f\n", mib(&front->r[i]), us(s, &front->r[i]));
        if (i + 1 < front->n) {
            strbuf_addf(&p->data, "%.4f %.4f\n", mib(&front->r[i]), us(s, &front->r[i + 1]));
        }
    }
}

/* Text with an arrow to an end of the front; number `k` in the script. */
static void add_end(const struct scatter *s, int k, const struct record *r, const char *text, size_t chars, bool below,
                    double (*keep_out)[4], double box[4], struct picture *p)
{
    const double w = 0.0098 * (double)chars + 0.02;
    const double h = 0.055;
    const double px = graph(mib(r), s->x0, s->x1, s->log_x);
    const double py = graph(us(s, r), s->y0, s->y1, s->log_y);
    double x = 0;
    double y = 0;
    char var[16];
    picture_place(s->at, s->n, w, h, px + (below ? 0.12 : 0), py + (below ? -0.07 : 0.13), keep_out, keep_out ? 1 : 0,
                  &x, &y);
    const struct {
        const char *name;
        double v;
    } values[] = {{"tx", x},
                  {"ty", y},
                  {"ax", fmin(fmax(px, x - w / 2), x + w / 2)},
                  {"ay", y > py ? y - h / 2 : y + h / 2},
                  {"px", mib(r)},
                  {"py", us(s, r)}};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        snprintf(var, sizeof(var), "%c%d_%c", values[i].name[0], k, values[i].name[1]);
        picture_real(p, var, values[i].v);
    }
    snprintf(var, sizeof(var), "text%d", k);
    picture_text(p, var, text);
    box[0] = x - w / 2;
    box[1] = y - h / 2;
    box[2] = x + w / 2;
    box[3] = y + h / 2;
}

static void add_ends(const struct scatter *s, struct picture *p)
{
    const struct collect_list *front = &s->cell->front;
    const struct record *fast = &front->r[0];
    const struct record *lean = &front->r[front->n - 1];
    double box[1][4];
    double other[4];
    struct strbuf text;
    strbuf_init(&text);
    strbuf_add(&text, front->n > 1 ? "fastest: " : "fastest, least traffic: ");
    plot_number(us(s, fast), &text);
    strbuf_add(&text, " µs, ");
    plot_block(&fast->t, &text);
    add_end(s, 1, fast, strbuf_cstr(&text), text.len, true, NULL, box[0], p);
    strbuf_clear(&text);
    strbuf_add(&text, "least traffic: ");
    plot_number(mib(lean), &text);
    strbuf_add(&text, " MiB, ");
    plot_block(&lean->t, &text);
    picture_real(p, "two_ends", front->n > 1);
    if (front->n > 1) {
        add_end(s, 2, lean, strbuf_cstr(&text), text.len, false, box, other, p);
    }
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
}

static void add_titles(const struct scatter *s, struct picture *p)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_add(&text, "Time against GM traffic — ");
    plot_subject(s->cell->cell, &text);
    picture_text(p, "title", strbuf_cstr(&text));
    strbuf_clear(&text);
    if (s->cell->sample.n < s->cell->counts.feasible) {
        strbuf_addf(&text, "%zu of ", s->cell->sample.n);
    }
    strbuf_addf(&text, "%llu feasible tilings, lower left is better; ", (unsigned long long)s->cell->counts.feasible);
    if (s->cell->front.n > 1) {
        strbuf_addf(&text, "line: the %zu that no other beats in both", s->cell->front.n);
    } else {
        strbuf_add(&text, "one beats all others in both");
    }
    picture_text(p, "sub1", strbuf_cstr(&text));
    strbuf_clear(&text);
    strbuf_add(&text, "any kernel must move ");
    plot_number((double)s->cell->top.r[0].compulsory / 1048576.0, &text);
    strbuf_add(&text, " MiB: every operand once");
    picture_text(p, "sub2", strbuf_cstr(&text));
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
}

bool plot_pareto(const struct plot_input *in, struct picture *p, struct strbuf *why)
{
    struct scatter s = {.cell = in->cell};
    if (in->cell->front.n == 0 || in->cell->top.n == 0) {
        strbuf_add(why, "no feasible tiling");
        return false;
    }
    s.at = calloc(in->cell->sample.n + in->cell->front.n, sizeof(*s.at));
    if (!s.at) {
        strbuf_add(why, "no memory");
        return false;
    }
    p->width = 1000;
    p->height = 640;
    picture_real(p, "left", 95);
    picture_real(p, "right", 136);
    picture_real(p, "top", 98);
    picture_real(p, "bottom", 74);
    gather(&s);
    const bool log_colour = s.c0 > 0 && s.c1 > 6 * s.c0;
    picture_real(p, "x_low", s.x0);
    picture_real(p, "x_high", s.x1);
    picture_real(p, "y_low", s.y0);
    picture_real(p, "y_high", s.y1);
    picture_real(p, "log_x", s.log_x);
    picture_real(p, "log_y", s.log_y);
    picture_real(p, "cb_low", s.c0);
    picture_real(p, "cb_high", s.c1 > s.c0 ? s.c1 : s.c0 + 1);
    picture_real(p, "log_colour", log_colour);
    plot_axis(p, "xtics", s.x0, s.x1, s.log_x, 9);
    plot_axis(p, "ytics", s.y0, s.y1, s.log_y, 8);
    if (log_colour) {
        plot_axis_binary(p, "cbtics", s.c0, s.c1, 8);
    } else {
        plot_axis(p, "cbtics", s.c0, s.c1 > s.c0 ? s.c1 : s.c0 + 1, false, 7);
    }
    add_titles(&s, p);
    add_blocks(&s, p);
    add_ends(&s, p);
    free(s.at);
    return true;
}
