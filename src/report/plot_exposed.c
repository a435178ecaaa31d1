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
#define BEST_BARS 4 /* of these the fastest; the rest spread over the others */
#define SLOWEST   3 /* longest bar, in times of the fastest, if there are enough */

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

static void add_bar(const struct plot_input *in, const struct record *r, const int64_t part[EXPOSED_N], int row,
                    struct picture *p)
{
    const struct target *t = in->cell->cell->target;
    struct strbuf text;
    char var[16];
    double at = 0;
    strbuf_init(&text);
    for (int k = 0; k < EXPOSED_N; k++) {
        const double us = timing_us(t, part[k]);
        strbuf_addf(&p->data, "%.4f %.4f %d %u \"%s\"\n", at, at + us, row, (unsigned)plot_parts[k].colour,
                    plot_parts[k].name);
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
    for (int k = 0; k < EXPOSED_N; k++) { /* legend: one row */
        char var[16];
        snprintf(var, sizeof(var), "part%d", k);
        picture_text(p, var, plot_parts[k].name);
        snprintf(var, sizeof(var), "part%d_x", k);
        picture_real(p, var, x);
        snprintf(var, sizeof(var), "part%d_rgb", k);
        picture_real(p, var, (double)plot_parts[k].colour);
        x += 25 + plot_text_width(plot_parts[k].name, 13) + 26;
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
        int64_t part[EXPOSED_N] = {0};
        ok = study_exposed(in->study, in->cell->cell, rows[i], part, why);
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
