/* plot_exposed.c - where the time of some tilings goes: every moment of the
 * busiest core counts for one pipe only, the cube before all others, so the
 * parts add up to the task time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/intmath.h"
#include "report/plot_axis.h"
#include "report/plot_kinds.h"
#include "timing/timing.h"

#define BARS      7
#define BEST_BARS 4     /* of these the fastest; the rest spread over the others */
#define SLOWEST   3     /* longest bar, in times of the fastest, if there are enough */
#define STEPS_MAX 50000 /* of one core, replayed whole */

enum part { PART_CUBE, PART_MTE2, PART_MTE1, PART_FIX, PART_WAIT, PART_LAUNCH, PART_N };

static const struct {
    const char *var, *name;
    uint32_t colour;
} parts[PART_N] = {
    [PART_CUBE] = {"part0", "cube", 0x009e73},
    [PART_MTE2] = {"part1", "MTE2 exposed", 0x0072b2},
    [PART_MTE1] = {"part2", "MTE1 exposed", 0xe69f00},
    [PART_FIX] = {"part3", "Fixpipe exposed", 0xcc79a7},
    [PART_WAIT] = {"part4", "flags and issue", 0x888888},
    [PART_LAUNCH] = {"part5", "launch", 0xc8c8c8},
};

/* Pipes in the order in which a moment is counted. */
static const enum pipe priority[4] = {PIPE_M, PIPE_MTE2, PIPE_MTE1, PIPE_FIX};

struct cursor {
    size_t at; /* next box of this pipe */
    int64_t from, to;
};

static void advance(const struct plot_boxes *b, enum pipe pipe, int64_t now, struct cursor *c)
{
    while (c->to <= now) {
        while (c->at < b->n && b->v[c->at].pipe != pipe) {
            c->at++;
        }
        if (c->at == b->n) {
            c->from = c->to = INT64_MAX;
            return;
        }
        c->from = b->v[c->at].start;
        c->to = max_i64(b->v[c->at].end, c->to);
        c->at++;
    }
}

/* Boxes of one pipe are in order of start, so one walk over the moments does. */
static void split(const struct plot_boxes *b, int64_t out[PART_N])
{
    struct cursor c[4] = {{0}};
    int64_t last = 0;
    for (size_t i = 0; i < b->n; i++) {
        last = max_i64(last, b->v[i].end);
    }
    for (int64_t now = 0; now < last;) {
        int64_t until = last;
        int winner = PART_WAIT;
        for (int k = 3; k >= 0; k--) {
            advance(b, priority[k], now, &c[k]);
            if (c[k].from <= now) {
                winner = k;
                until = min_i64(until, c[k].to);
            } else {
                until = min_i64(until, c[k].from);
            }
        }
        out[winner] += until - now;
        now = until;
    }
}

static bool same_block(const struct record *a, const struct record *b)
{
    return a->t.baseM == b->t.baseM && a->t.baseN == b->t.baseN && a->t.baseK == b->t.baseK;
}

/* The fastest tiling of each base block, in order of time; @return the count. */
static size_t distinct(const struct collect_list *top, const struct record **out)
{
    size_t n = 0;
    for (size_t i = 0; i < top->n; i++) {
        bool seen = false;
        for (size_t k = 0; k < n && !seen; k++) {
            seen = same_block(out[k], &top->r[i]);
        }
        if (!seen) {
            out[n++] = &top->r[i];
        }
    }
    return n;
}

static size_t choose(const struct collect_list *top, const struct record **out)
{
    size_t n = distinct(top, out);
    while (n > BARS && out[n - 1]->task > SLOWEST * out[0]->task) {
        n--; /* a bar so long that the others cannot be read */
    }
    if (n < 2) { /* one block only: the fastest tilings themselves */
        for (n = 0; n < top->n && n < BARS; n++) {
            out[n] = &top->r[n];
        }
    }
    if (n > BARS) {
        for (size_t i = BEST_BARS; i < BARS; i++) {
            out[i] = out[BEST_BARS + (n - 1 - BEST_BARS) * (i - BEST_BARS + 1) / (BARS - BEST_BARS)];
        }
        n = BARS;
    }
    return n;
}

static bool measure(const struct plot_input *in, const struct record *r, int64_t out[PART_N], struct strbuf *why)
{
    struct schedule s;
    struct infeasible reason = {0};
    struct plot_boxes boxes;
    if (study_schedule(in->cell->cell, &r->t, &s, &reason, NULL) != STATUS_OK || reason.reason != REASON_NONE) {
        strbuf_add(why, "a tiling has no schedule");
        return false;
    }
    const int32_t core = plot_busiest_core(&s);
    const int64_t steps = schedule_steps(&s, core);
    if (steps > STEPS_MAX) {
        strbuf_addf(why, "a core takes %" PRId64 " steps, more than the %d replayed for it", steps, STEPS_MAX);
        return false;
    }
    const bool ok = plot_core_boxes(in, &s, core, 0, steps - 1, &boxes);
    if (ok) {
        split(&boxes, out);
        int64_t sum = 0;
        for (int k = 0; k < PART_LAUNCH; k++) {
            sum += out[k];
        }
        out[PART_LAUNCH] = max_i64(0, r->task - sum);
    } else {
        strbuf_add(why, "no memory");
    }
    plot_boxes_fini(&boxes);
    return ok;
}

static void add_bar(const struct plot_input *in, const struct record *r, const int64_t part[PART_N], int row,
                    struct picture *p)
{
    const struct target *t = in->cell->cell->target;
    struct strbuf text;
    char var[16];
    double at = 0;
    strbuf_init(&text);
    for (int k = 0; k < PART_N; k++) {
        const double us = timing_us(t, part[k]);
        strbuf_addf(&p->data, "%.4f %.4f %d %u \"%s\"\n", at, at + us, row, (unsigned)parts[k].colour, parts[k].name);
        at += us;
    }
    plot_block(&r->t, &text);
    strbuf_addf(&text, "   %" PRId32 ", %" PRId32, r->t.stepKa, r->t.stepKb);
    snprintf(var, sizeof(var), "bar%d", row);
    picture_text(p, var, strbuf_cstr(&text));
    strbuf_clear(&text);
    plot_number(timing_us(t, r->task), &text);
    snprintf(var, sizeof(var), "total%d", row);
    picture_text(p, var, strbuf_cstr(&text));
    snprintf(var, sizeof(var), "end%d", row);
    picture_real(p, var, at);
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
}

static void lay_out(const struct plot_input *in, size_t n, int64_t longest, struct picture *p)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_add(&text, "Where the time goes — ");
    plot_subject(in->cell->cell, &text);
    picture_text(p, "title", strbuf_cstr(&text));
    picture_text(
        p, "sub1",
        "busiest core; time of a pipe counts where no pipe left of it in the legend is busy, so the parts add up");
    picture_text(p, "sub2",
                 "left: base block M×N×K and stepKa, stepKb; the fastest tiling of each base block, fastest first");
    p->width = 1060;
    p->height = (int)(150 + 46 * n + 70);
    picture_real(p, "left", 190);
    picture_real(p, "right", 60);
    picture_real(p, "top", 150);
    picture_real(p, "bottom", 70);
    picture_real(p, "bars", (double)n);
    const double high = timing_us(in->cell->cell->target, longest) * 1.06;
    picture_real(p, "x_high", high);
    plot_axis(p, "xtics", 0, high, false, 8);
    double x = 0;
    for (int k = 0; k < PART_N; k++) { /* legend: one row */
        char var[16];
        picture_text(p, parts[k].var, parts[k].name);
        snprintf(var, sizeof(var), "part%d_x", k);
        picture_real(p, var, x);
        snprintf(var, sizeof(var), "part%d_rgb", k);
        picture_real(p, var, (double)parts[k].colour);
        x += 25 + plot_text_width(parts[k].name, 13) + 26;
    }
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
}

bool plot_exposed(const struct plot_input *in, struct picture *p, struct strbuf *why)
{
    const struct collect_list *top = &in->cell->top;
    const struct record **rows = calloc(top->n + 1, sizeof(*rows));
    if (!rows || top->n == 0) {
        strbuf_add(why, rows ? "no feasible tiling" : "no memory");
        free(rows);
        return false;
    }
    const size_t n = choose(top, rows);
    int64_t longest = 0;
    bool ok = true;
    picture_block(p, "parts");
    for (size_t i = 0; i < n && ok; i++) {
        int64_t part[PART_N] = {0};
        ok = measure(in, rows[i], part, why);
        longest = max_i64(longest, rows[i]->task);
        if (ok) {
            add_bar(in, rows[i], part, (int)(n - 1 - i), p);
        }
    }
    if (ok) {
        lay_out(in, n, longest, p);
    }
    free(rows);
    return ok;
}
