/* plot_periods.c - two schedules at work on one time axis: the steady state of
 * a middle tile of the busiest core of each, from the start of a period on, over
 * the longer of the two periods. What the copies and loads of MX scales take
 * has a colour of its own: a scale copy is an instruction, but a load brings a
 * base block and its scales, so the load's box shows the scales' share of its
 * bytes at its end. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/intmath.h"
#include "report/compare.h"
#include "report/plot_axis.h"
#include "report/plot_kinds.h"
#include "timing/timing.h"

#define LANES      4
#define STEPS_SHOW 24      /* at least this many steps of the slower one are readable */
#define STEPS_FAR  1000000 /* of timing_ref before the window */
#define PLOT_WIDTH 940.0
#define LEFT       170.0
#define WIDTH      1200.0
#define BOLD       1.12 /* width of bold letters over plain ones */

static const struct {
    enum pipe pipe;
    const char *name;
    uint32_t dark, light;
} lanes[LANES] = {
    {PIPE_MTE2, "MTE2  GM→L1", 0x0072b2, 0x7fc4ee},
    {PIPE_MTE1, "MTE1  L1→L0", 0xe69f00, 0xf5cf7f},
    {PIPE_M, "M  cube", 0x009e73, 0x7bd3b5},
    {PIPE_FIX, "FIX  L0C→GM", 0xcc79a7, 0xe8bfd5},
};
#define SCALE_COLOUR 0xd55e00U

struct half {
    const struct period_side *side;
    struct schedule s;
    struct study_boxes boxes;
    struct study_window steps; /* whose boxes are there */
    int64_t from, period;      /* first step of the period, steps in it */
    int64_t t0, t1;            /* mcyc: begin and end of the period */
    double scales[2];          /* share of the bytes of a load of A, B */
};

/* ns of the half's own clock; halves of two chips share the axis by it. */
static double ns_of(const struct half *h, int64_t mcyc)
{
    return timing_us(h->side->cell->target, mcyc) * 1000;
}

static const struct study_box *mmad_of(const struct half *h, int64_t step)
{
    for (size_t i = 0; i < h->boxes.n; i++) {
        if (h->boxes.v[i].pipe == PIPE_M && h->boxes.v[i].step == step) {
            return &h->boxes.v[i];
        }
    }
    return NULL;
}

static void share_of_scales(struct half *h)
{
    struct step step;
    struct step_work w;
    schedule_step_at(&h->s, h->steps.core, h->from, &step);
    schedule_step_work(&h->s, &step, &w);
    const int64_t a = w.bytes[PATH_L1_L0A] + w.bytes[PATH_L1_L0A_MX];
    const int64_t b = w.bytes[PATH_L1_L0B] + w.bytes[PATH_L1_L0B_MX];
    h->scales[0] = a > 0 ? (double)w.bytes[PATH_L1_L0A_MX] / (double)a : 0;
    h->scales[1] = b > 0 ? (double)w.bytes[PATH_L1_L0B_MX] / (double)b : 0;
}

/* The period in the middle of a middle tile. */
static bool choose(struct half *h, struct strbuf *why)
{
    struct infeasible reason = {0};
    if (study_schedule(h->side->cell, &h->side->tiling, &h->s, &reason, NULL) != STATUS_OK) {
        strbuf_addf(why, "the tiling of %s is not feasible: ", h->side->name);
        infeasible_text(&reason, &h->side->tiling, why);
        return false;
    }
    h->steps.core = study_busiest_core(&h->s);
    const int64_t tiles = schedule_tiles(&h->s, h->steps.core);
    const int64_t far = max_i64(0, STEPS_FAR / h->s.nk - 1);
    const int64_t tile = min_i64(tiles / 2, far);
    h->period = min_i64(schedule_period(&h->s), h->s.nk);
    h->from = tile * h->s.nk + h->s.nk / 2 / h->period * h->period;
    if (h->from + h->period > (tile + 1) * h->s.nk) {
        h->from = tile * h->s.nk;
    }
    share_of_scales(h);
    return true;
}

/* Boxes of `steps` steps from the period's first on, with the copies ahead of them. */
static bool gather(struct half *h, struct study *study, int64_t steps, struct strbuf *why)
{
    const int64_t chunk = max_i64(h->s.t.stepKa, h->s.t.stepKb);
    const int64_t all = schedule_steps(&h->s, h->steps.core);
    study_boxes_fini(&h->boxes);
    h->steps.first = max_i64(0, h->from - 2 * chunk - 2);
    h->steps.last = min_i64(all - 1, h->from + steps + 3 * chunk + 2);
    if (!study_boxes_of(study, h->side->cell, &h->s, &h->steps, &h->boxes)) {
        strbuf_add(why, "no memory");
        return false;
    }
    const struct study_box *a = mmad_of(h, h->from);
    const struct study_box *b = mmad_of(h, h->from + h->period);
    if (b == NULL) { /* the period ends the tile's last step, the last of the core */
        b = mmad_of(h, min_i64(h->from + h->period, all) - 1);
    }
    if (a == NULL || b == NULL) {
        strbuf_addf(why, "no period of %s was found", h->side->name);
        return false;
    }
    h->t0 = a->start;
    h->t1 = b->step < h->from + h->period ? b->end : b->start;
    return true;
}

/* ---- drawing ---- */

static void add_box(const struct half *h, const struct study_box *b, int lane, int row, double span, struct picture *p)
{
    const double from = fmax(0, ns_of(h, b->start - h->t0)), to = fmin(span, ns_of(h, b->occupied - h->t0));
    if (to <= from) {
        return;
    }
    const bool scale_copy = b->pipe == PIPE_MTE2 && (b->role == ROLE_SA || b->role == ROLE_SB);
    const double share = b->pipe == PIPE_MTE1 && b->role <= ROLE_B ? h->scales[b->role] : 0;
    const uint32_t colour = scale_copy ? SCALE_COLOUR : b->half == 0 ? lanes[lane].dark : lanes[lane].light;
    const double cut = fmax(from, to - share * (to - from));
    strbuf_addf(&p->data, "%.3f %.3f %d %u\n", from, cut, row, (unsigned)colour);
    if (cut < to) {
        strbuf_addf(&p->data, "%.3f %.3f %d %u\n", cut, to, row, SCALE_COLOUR);
    }
}

/* Rows from the top: lanes of the first, a gap, lanes of the second. */
static int row_of(int half, int lane)
{
    return half * (LANES + 2) + lane;
}

static void add_boxes(const struct half *halves, double span, struct picture *p)
{
    picture_block(p, "boxes");
    for (int k = 0; k < 2; k++) {
        const struct half *h = &halves[k];
        for (size_t i = 0; i < h->boxes.n; i++) {
            for (int l = 0; l < LANES; l++) {
                if (lanes[l].pipe == h->boxes.v[i].pipe) {
                    add_box(h, &h->boxes.v[i], l, row_of(k, l), span, p);
                }
            }
        }
    }
}

/* The longest text that fits; false: none does. */
static bool box_text(const struct half *h, const struct study_box *b, double pixels, char *out, size_t size)
{
    static const char *const names[ROLE_N] = {
        [ROLE_A] = "A", [ROLE_B] = "B", [ROLE_SA] = "sA", [ROLE_SB] = "sB", [ROLE_BIAS] = "bias", [ROLE_QUANT] = "q"};
    const int64_t k = (int64_t)b->step % h->s.nk;
    const char *name = b->pipe == PIPE_MTE2 && names[b->role] != NULL ? names[b->role] : "";
    snprintf(out, size, "%s%" PRId64, name, k);
    if (plot_text_width(out, 12) + 3 > pixels) {
        snprintf(out, size, "%s", name);
    }
    return out[0] != '\0' && plot_text_width(out, 12) + 2 <= pixels;
}

/* Operand and K step of a copy, K step of an Mmad, where there is room. */
static void add_texts(const struct half *halves, double span, struct picture *p)
{
    size_t n = 0;
    picture_block(p, "texts");
    for (int k = 0; k < 2; k++) {
        const struct half *h = &halves[k];
        for (size_t i = 0; i < h->boxes.n; i++) {
            const struct study_box *b = &h->boxes.v[i];
            const double from = fmax(0, ns_of(h, b->start - h->t0)), to = fmin(span, ns_of(h, b->occupied - h->t0));
            const int lane = b->pipe == PIPE_MTE2 ? 0 : b->pipe == PIPE_M ? 2 : -1;
            char text[48];
            if (lane < 0 || !box_text(h, b, PLOT_WIDTH * (to - from) / span, text, sizeof text)) {
                continue;
            }
            const bool scales = lane == 0 && (b->role == ROLE_SA || b->role == ROLE_SB);
            strbuf_addf(&p->data, "%.3f %d %u ", 0.5 * (from + to), row_of(k, lane),
                        b->half == 0 || scales ? 0xffffffU : 0x222222U);
            picture_quoted(&p->data, text);
            strbuf_add(&p->data, "\n");
            n++;
        }
    }
    if (n == 0) {
        strbuf_add(&p->data, "0 0 0 \"\"\n");
    }
}

/* Where the cube waits for longer than one part in 400 of the window. */
static void add_idle(const struct half *halves, double span, struct picture *p)
{
    size_t n = 0;
    picture_block(p, "idle");
    for (int k = 0; k < 2; k++) {
        const struct half *h = &halves[k];
        double done = 0;
        for (size_t i = 0; i < h->boxes.n; i++) {
            const struct study_box *b = &h->boxes.v[i];
            if (b->pipe != PIPE_M) {
                continue;
            }
            const double start = fmin(span, ns_of(h, b->start - h->t0));
            if ((start - done) * 400 > span) {
                strbuf_addf(&p->data, "%.3f %.3f %d %d\n", done, start, row_of(k, 0), row_of(k, LANES - 1));
                n++;
            }
            done = fmax(done, ns_of(h, b->occupied - h->t0));
        }
    }
    if (n == 0) {
        strbuf_add(&p->data, "NaN NaN NaN NaN\n");
    }
}

static double busy(const struct half *h, enum pipe pipe, double span)
{
    double sum = 0, done = 0;
    for (size_t i = 0; i < h->boxes.n; i++) {
        const struct study_box *b = &h->boxes.v[i];
        if (b->pipe == pipe) {
            const double from = fmax(done, ns_of(h, b->start - h->t0)), to = fmin(span, ns_of(h, b->occupied - h->t0));
            sum += to > from ? to - from : 0;
            done = fmax(done, to);
        }
    }
    return sum / span;
}

static void add_lanes(const struct half *halves, double span, struct picture *p)
{
    picture_block(p, "lanes");
    for (int k = 0; k < 2; k++) {
        for (int l = 0; l < LANES; l++) {
            strbuf_addf(&p->data, "%d ", row_of(k, l));
            picture_quoted(&p->data, lanes[l].name);
            strbuf_addf(&p->data, " \"%.0f %%\"\n", 100 * busy(&halves[k], lanes[l].pipe, span));
        }
    }
}

/* K elements of the period: the last step of a tile may have fewer than baseK. */
static int64_t elements_of(const struct half *h)
{
    int64_t sum = 0;
    struct step step;
    for (int64_t i = h->from; i < h->from + h->period; i++) {
        schedule_step_at(&h->s, h->steps.core, i, &step);
        sum += step.k;
    }
    return sum;
}

/* A bracket over each: how long its period is and what it does. */
static void add_brackets(const struct half *halves, double span, struct picture *p)
{
    struct strbuf text;
    strbuf_init(&text);
    picture_block(p, "brackets");
    for (int k = 0; k < 2; k++) {
        const struct half *h = &halves[k];
        const struct tiling *t = &h->s.t;
        const double length = ns_of(h, h->t1 - h->t0);
        const int64_t elements = elements_of(h);
        strbuf_clear(&text);
        strbuf_addf(&text, "%s, ", h->side->name);
        plot_block(t, &text);
        strbuf_addf(&text, ", stepKa %" PRId32 ", stepKb %" PRId32, t->stepKa, t->stepKb);
        if (h->side->cell->problem.a.mx) {
            strbuf_addf(&text, ", scaleFactorKa %" PRId32 ", Kb %" PRId32, t->scaleFactorKa, t->scaleFactorKb);
        }
        strbuf_addf(&text, " — %s: %" PRId64 " steps, K %" PRId64 " in ",
                    h->period == h->s.nk                   ? "a whole tile"
                    : (h->from + h->period) % h->s.nk == 0 ? "one period, to the tile's end"
                                                           : "one period",
                    h->period, elements);
        plot_thousands((h->t1 - h->t0 + 500) / 1000, &text);
        strbuf_add(&text, " cycles: ");
        plot_number(length > 0 ? 2.0 * t->baseM * t->baseN * (double)elements / length * 1e-3 : 0, &text);
        strbuf_add(&text, " TFLOP/s a core");
        strbuf_addf(&p->data, "%.3f %d ", fmin(length, span), row_of(k, 0) - 1);
        picture_quoted(&p->data, strbuf_cstr(&text));
        strbuf_add(&p->data, "\n");
    }
    p->data.failed |= text.failed;
    strbuf_fini(&text);
}

static void subject_text(const struct half *halves, bool which, struct strbuf *out)
{
    const struct problem *problem = &halves[0].side->cell->problem;
    strbuf_addf(out, "M %" PRId64 ", N %" PRId64 ", K %" PRId64, problem->M, problem->N, problem->K);
    if (halves[0].side->cell->target->fingerprint == halves[1].side->cell->target->fingerprint) {
        strbuf_addf(out, " on %s", halves[0].side->cell->target->name);
    }
    strbuf_addf(out, "; %snumbers: K step; dark: ping buffer, light: pong; shaded: cube idle",
                which ? "busiest core, a middle tile; " : "");
}

static void add_words(const struct half *halves, struct picture *p)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text, "Two steady states on one time axis — %s and %s", halves[0].side->name, halves[1].side->name);
    if (plot_text_width(strbuf_cstr(&text), 18 * BOLD) > PLOT_WIDTH + 60) { /* the brackets have the names */
        strbuf_clear(&text);
        strbuf_add(&text, "Two steady states on one time axis");
    }
    picture_text(p, "title", strbuf_cstr(&text));
    strbuf_clear(&text);
    subject_text(halves, true, &text);
    if (plot_text_width(strbuf_cstr(&text), 13.5) > WIDTH - LEFT - 10) { /* large numbers: what can be spared goes */
        strbuf_clear(&text);
        subject_text(halves, false, &text);
    }
    picture_text(p, "sub1", strbuf_cstr(&text));
    picture_text(p, "sub2",
                 "red-brown, sA, sB: MX scales; their copies are instructions, a load brings a block and its scales "
                 "and shows their share of its bytes");
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
}

static bool draw(struct half *halves, double span, struct picture *p)
{
    p->width = (int)WIDTH;
    p->height = 600;
    picture_real(p, "left", LEFT);
    picture_real(p, "right", WIDTH - LEFT - PLOT_WIDTH);
    picture_real(p, "top", 100);
    picture_real(p, "bottom", 66);
    picture_real(p, "span", span);
    add_words(halves, p);
    add_idle(halves, span, p);
    add_boxes(halves, span, p);
    add_texts(halves, span, p);
    add_lanes(halves, span, p);
    add_brackets(halves, span, p);
    plot_axis(p, "xtics", 0, span, false, 10);
    return true;
}

/* Steps of a half that fill `span` ns. */
static int64_t steps_for(const struct half *h, double span)
{
    const double step = ns_of(h, h->t1 - h->t0) / (double)h->period;
    return step > 0 ? (int64_t)ceil(span / step) + 1 : 1;
}

bool plot_periods(struct study *study, const struct period_side side[2], struct picture *p, struct strbuf *why)
{
    struct half h[2] = {{.side = &side[0]}, {.side = &side[1]}};
    bool ok = true;
    for (int k = 0; k < 2 && ok; k++) {
        ok = choose(&h[k], why) && gather(&h[k], study, h[k].period, why);
    }
    if (ok) {
        double span = 0, shortest = INFINITY;
        for (int k = 0; k < 2; k++) {
            span = fmax(span, ns_of(&h[k], h[k].t1 - h[k].t0));
            shortest = fmin(shortest, ns_of(&h[k], h[k].t1 - h[k].t0) / (double)h[k].period);
        }
        /* A long period is cut where its steps would be too narrow to see, a short one repeats. */
        span = fmin(span, 2 * STEPS_SHOW * shortest);
        for (int k = 0; k < 2 && ok; k++) {
            ok = gather(&h[k], study, steps_for(&h[k], span), why);
        }
        ok = ok && draw(h, span, p);
    }
    for (int k = 0; k < 2; k++) {
        study_boxes_fini(&h[k].boxes);
    }
    return ok;
}
