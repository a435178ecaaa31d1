/* plot_mx_compare.c - for each shape a bar a side: time by what it is spent on,
 * and aligned with it bytes moved, buffers used, error of C. Lengths are shares
 * of the longest bar of the shape, because shapes differ by orders of magnitude;
 * the numbers are absolute. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/record_columns.h"
#include "report/compare.h"
#include "report/plot_kinds.h"
#include "report/summary.h"
#include "timing/timing.h"

#define ROW       21.0 /* pixels */
#define HEAD      30.0 /* heading of a group */
#define GAP       12.0
#define TOP       172.0
#define NAME_X    132.0
#define TIME_X    142.0
#define TIME_W    300.0
#define GM_X      600.0
#define L0_X      800.0
#define BYTES_W   105.0
#define USE_X     1000.0
#define USE_STEP  45.0
#define ERROR_X   1200.0
#define ERROR_W   105.0
#define WIDTH     1190.0 /* without errors */
#define ERROR_LOW 1e-6   /* left end of the error's axis */

#define DATA_COLOUR  0x0072b2U
#define SCALE_COLOUR 0xd55e00U
#define STORE_COLOUR 0xcc79a7U

static const char *const part_words[EXPOSED_N] = {
    [EXPOSED_CUBE] = "cube",          [EXPOSED_MTE2] = "MTE2 GM→L1",   [EXPOSED_MTE1] = "MTE1 L1→L0",
    [EXPOSED_FIX] = "Fixpipe L0C→GM", [EXPOSED_WAIT] = "flags, issue", [EXPOSED_LAUNCH] = "launch",
};
#define PART_LINE EXPOSED_FIX /* the legend's second line begins with it */

struct chart {
    const struct compare *c;
    size_t groups, sides;
    struct picture *p;
    struct strbuf texts[3]; /* left, center, right: x y colour "text" */
    bool errors;            /* some are known */
};

enum align { ALIGN_LEFT, ALIGN_CENTER, ALIGN_RIGHT };

static void add_text(struct chart *h, enum align align, double x, double y, uint32_t colour, const char *text)
{
    strbuf_addf(&h->texts[align], "%.1f %.1f %u ", x, y, (unsigned)colour);
    picture_quoted(&h->texts[align], text);
    strbuf_add(&h->texts[align], "\n");
}

/* ---- one row ---- */

static double row_y(const struct chart *h, size_t group, size_t side)
{
    return TOP + HEAD + (double)group * (HEAD + GAP + ROW * (double)h->sides) + ROW * ((double)side + 0.5);
}

static double longest(const struct compare_group *g, size_t sides, double (*value)(const struct compare_entry *e))
{
    double most = 0;
    for (size_t s = 0; s < sides; s++) {
        most = g->entry[s].cell == NULL ? most : fmax(most, value(&g->entry[s]));
    }
    return most;
}

static double gm_bytes(const struct compare_entry *e)
{
    return (double)(e->detail.copied + e->detail.copied_scales + record_gm_write(&e->best));
}

static double l0_bytes(const struct compare_entry *e)
{
    return (double)(e->detail.loaded + e->detail.loaded_scales);
}

/* from and to of the bar in shares, row, colour, the value itself. */
static void add_piece(struct chart *h, double *at, double value, double most, double y, uint32_t colour)
{
    if (value > 0 && most > 0) {
        strbuf_addf(&h->p->data, "%.6f %.6f %.1f %u %.9g\n", *at / most, (*at + value) / most, y, (unsigned)colour,
                    value);
        *at += value;
    }
}

static void add_time(struct chart *h, size_t g, size_t s)
{
    const struct compare_group *group = &h->c->group[g];
    const struct compare_entry *e = &group->entry[s];
    const double most = longest(group, h->sides, compare_us), y = row_y(h, g, s);
    double at = 0;
    for (int k = 0; k < EXPOSED_N && e->detail.split; k++) {
        add_piece(h, &at, timing_us(e->cell->target, e->detail.part[k]), most, y, plot_parts[k].colour);
    }
    if (!e->detail.split) { /* not replayed: one piece of no pipe */
        add_piece(h, &at, compare_us(e), most, y, plot_parts[EXPOSED_LAUNCH].colour);
    }
    struct strbuf text;
    strbuf_init(&text);
    plot_number(compare_us(e), &text);
    strbuf_addf(&text, " µs%s", e->best.unvalidated ? "*" : "");
    const double ratio = compare_speedup(h->c, group, s);
    if (!isnan(ratio)) {
        const bool close = s != h->c->baseline && compare_indistinct(&group->entry[h->c->baseline], e);
        strbuf_addf(&text, "  %.2f×%s", ratio, close ? " ~" : "");
    }
    add_text(h, ALIGN_LEFT, TIME_X + TIME_W * at / most + 6, y, 0x222222, strbuf_cstr(&text));
    strbuf_fini(&text);
}

static void add_bytes(struct chart *h, size_t g, size_t s, bool gm)
{
    const struct compare_group *group = &h->c->group[g];
    const struct compare_entry *e = &group->entry[s];
    const double most = longest(group, h->sides, gm ? gm_bytes : l0_bytes), y = row_y(h, g, s);
    double at = 0;
    add_piece(h, &at, (double)(gm ? e->detail.copied : e->detail.loaded), most, y, DATA_COLOUR);
    add_piece(h, &at, (double)(gm ? e->detail.copied_scales : e->detail.loaded_scales), most, y, SCALE_COLOUR);
    if (gm) {
        add_piece(h, &at, (double)record_gm_write(&e->best), most, y, STORE_COLOUR);
    }
    struct strbuf text;
    strbuf_init(&text);
    summary_bytes((int64_t)at, &text);
    add_text(h, ALIGN_LEFT, (gm ? GM_X : L0_X) + BYTES_W * at / most + 6, y, 0x222222, strbuf_cstr(&text));
    strbuf_fini(&text);
}

static const struct {
    enum buffer buf;
    const char *name;
} uses[] = {{BUF_L1, "L1"}, {BUF_L0A, "L0A"}, {BUF_L0B, "L0B"}, {BUF_L0C, "L0C"}};
#define USES 4

static void add_use(struct chart *h, size_t g, size_t s)
{
    const struct compare_entry *e = &h->c->group[g].entry[s];
    for (int i = 0; i < USES; i++) {
        const int64_t usable = e->best.usable[uses[i].buf];
        if (usable > 0) {
            const double share = (double)e->best.used[uses[i].buf] / (double)usable;
            char text[16];
            strbuf_addf(&h->p->data, "%d %.1f %.5f\n", i, row_y(h, g, s), share);
            snprintf(text, sizeof text, "%.0f", 100 * share);
            add_text(h, ALIGN_CENTER, USE_X + USE_STEP * i + 20, row_y(h, g, s), 0x222222, text);
        }
    }
}

/* 0.12, 0.0087, 2.1e-4 */
static void error_text(double v, char *out, size_t size)
{
    snprintf(out, size, v != 0 && v < 1e-3 ? "%.1e" : "%.2g", v);
    char *e = strstr(out, "e-0");
    if (e != NULL) {
        memmove(e + 2, e + 3, strlen(e + 3) + 1);
    }
}

static void add_error(struct chart *h, size_t g, size_t s)
{
    const struct run_error *e = &h->c->group[g].entry[s].error;
    char text[32];
    const double y = row_y(h, g, s);
    if (!e->known) {
        add_text(h, ALIGN_LEFT, ERROR_X + ERROR_W + 6, y, 0x888888, "-");
        return;
    }
    const double share = log10(fmax(e->rel_rms, ERROR_LOW) / ERROR_LOW) / log10(1 / ERROR_LOW);
    strbuf_addf(&h->p->data, "%.5f %.1f %.9g\n", fmin(share, 1), y, e->rel_rms);
    error_text(e->rel_rms, text, sizeof text);
    add_text(h, ALIGN_LEFT, ERROR_X + ERROR_W + 6, y, 0x222222, text);
}

/* ---- blocks of the data file ---- */

static void each_row(struct chart *h, const char *block, const char *blank, void (*add)(struct chart *, size_t, size_t))
{
    picture_block(h->p, block);
    const size_t before = h->p->data.len;
    for (size_t g = 0; g < h->groups; g++) {
        for (size_t s = 0; s < h->sides; s++) {
            if (h->c->group[g].entry[s].cell != NULL) {
                add(h, g, s);
            }
        }
    }
    if (h->p->data.len == before) {
        strbuf_addf(&h->p->data, "%s\n", blank);
    }
}

static void add_gm(struct chart *h, size_t g, size_t s)
{
    add_bytes(h, g, s, true);
}

static void add_l0(struct chart *h, size_t g, size_t s)
{
    add_bytes(h, g, s, false);
}

/* All groups are of one target: the title names it. */
static bool one_target(const struct chart *h)
{
    const char *first = h->c->group[0].target;
    for (size_t g = 1; g < h->groups && first != NULL; g++) {
        first = strcmp(first, h->c->group[g].target) == 0 ? first : NULL;
    }
    return first != NULL;
}

/* The end of a name too long for its place tells more than its beginning. */
static void add_name(struct chart *h, const char *name, double y)
{
    char text[160];
    snprintf(text, sizeof text, "%s", name);
    for (size_t skip = 1; plot_text_width(text, 12) > NAME_X - 12 && skip < strlen(name); skip++) {
        while (((unsigned char)name[skip] & 0xC0U) == 0x80U) { /* inside a character */
            skip++;
        }
        snprintf(text, sizeof text, "…%s", name + skip);
    }
    add_text(h, ALIGN_RIGHT, NAME_X, y, 0x222222, text);
}

static void add_names(struct chart *h)
{
    struct strbuf text;
    strbuf_init(&text);
    picture_block(h->p, "heads");
    for (size_t g = 0; g < h->groups; g++) {
        const struct compare_group *group = &h->c->group[g];
        const struct problem *p = NULL;
        for (size_t s = 0; s < h->sides; s++) {
            const struct compare_entry *e = &group->entry[s];
            p = e->cell != NULL ? &e->cell->problem : p;
            add_name(h, h->c->side[s].name, row_y(h, g, s));
            if (e->cell == NULL) {
                add_text(h, ALIGN_LEFT, TIME_X, row_y(h, g, s), 0x888888,
                         e->there ? "no tiling is feasible" : "has not this shape");
            }
        }
        strbuf_clear(&text);
        strbuf_add(&text, group->label);
        if (p != NULL) {
            strbuf_addf(&text, " — M %" PRId64 ", N %" PRId64 ", K %" PRId64, p->M, p->N, p->K);
        }
        if (group->target != NULL && !one_target(h)) {
            strbuf_addf(&text, ", %s", group->target);
        }
        strbuf_addf(&h->p->data, "%.1f %.1f %.1f %.1f ", NAME_X - 120, row_y(h, g, 0) - ROW / 2 - 11,
                    row_y(h, g, 0) - ROW / 2, row_y(h, g, h->sides - 1) + ROW / 2);
        picture_quoted(&h->p->data, strbuf_cstr(&text));
        strbuf_add(&h->p->data, "\n");
    }
    strbuf_fini(&text);
}

/* ---- around it ---- */

static void add_legend(struct chart *h, double x, double y, uint32_t colour, const char *name)
{
    strbuf_addf(&h->p->data, "%.1f %.1f %u\n", x, y, (unsigned)colour);
    add_text(h, ALIGN_LEFT, x + 19, y, 0x222222, name);
}

static void add_legends(struct chart *h)
{
    static const struct {
        const char *name;
        uint32_t colour;
    } bytes[] = {{"A, B data", DATA_COLOUR}, {"MX scales", SCALE_COLOUR}, {"C written", STORE_COLOUR}};
    double x = TIME_X;
    picture_block(h->p, "legend");
    for (int k = 0; k < EXPOSED_N; k++) {
        x = k == PART_LINE ? TIME_X : x;
        add_legend(h, x, k < PART_LINE ? TOP - 38 : TOP - 20, plot_parts[k].colour, part_words[k]);
        x += 19 + plot_text_width(part_words[k], 12) + 14;
    }
    x = GM_X;
    for (int k = 0; k < 3; k++) {
        add_legend(h, x, TOP - 38, bytes[k].colour, bytes[k].name);
        x += 19 + plot_text_width(bytes[k].name, 12) + 14;
    }
    for (int i = 0; i < USES; i++) {
        add_text(h, ALIGN_CENTER, USE_X + USE_STEP * i + 20, TOP - 38, 0x222222, uses[i].name);
    }
    if (h->errors) {
        add_text(h, ALIGN_LEFT, ERROR_X, TOP - 38, 0x888888, "1e-6");
        add_text(h, ALIGN_RIGHT, ERROR_X + ERROR_W, TOP - 38, 0x888888, "1");
    }
}

static void add_titles(struct chart *h)
{
    struct picture *p = h->p;
    const struct compare *c = h->c;
    struct strbuf text;
    bool unvalidated = false;
    strbuf_init(&text);
    for (size_t g = 0; g < h->groups; g++) {
        for (size_t s = 0; s < h->sides; s++) {
            unvalidated |= c->group[g].entry[s].best.unvalidated;
        }
    }
    strbuf_add(&text, "Best against best");
    if (one_target(h)) {
        strbuf_addf(&text, " on %s", c->group[0].target);
    }
    strbuf_addf(&text, " — speed-up over %s", c->side[c->baseline].name);
    picture_text(p, "title", strbuf_cstr(&text));
    strbuf_clear(&text);
    strbuf_add(&text, "a row: the fastest tiling of the model for it; bars: shares of the longest of the shape; ");
    strbuf_addf(&text, "~ cannot be told from the baseline (model's error)%s", unvalidated ? "; * unvalidated" : "");
    picture_text(p, "sub1", strbuf_cstr(&text));
    strbuf_clear(&text);
    strbuf_add(&text,
               "time is the busiest core's: a moment counts for the first busy pipe in the legend's order, so the "
               "parts add up");
    if (h->groups < c->groups || h->sides < c->sides) {
        strbuf_addf(&text, "; first %zu of %zu shapes, %zu of %zu sides", h->groups, c->groups, h->sides, c->sides);
    }
    picture_text(p, "sub2", strbuf_cstr(&text));
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
}

static void set_places(struct chart *h)
{
    static const struct {
        const char *name;
        double value;
    } places[] = {{"time_x", TIME_X},   {"time_w", TIME_W},    {"gm_x", GM_X},         {"l0_x", L0_X},
                  {"bytes_w", BYTES_W}, {"use_x", USE_X},      {"use_step", USE_STEP}, {"error_x", ERROR_X},
                  {"error_w", ERROR_W}, {"left", NAME_X - 120}};
    struct picture *p = h->p;
    const double bottom = row_y(h, h->groups - 1, h->sides - 1) + ROW / 2;
    p->width = (int)(h->errors ? WIDTH + 180 : WIDTH);
    p->height = (int)(bottom + 24);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        picture_real(p, places[i].name, places[i].value);
    }
    picture_real(p, "right", 10);
    picture_real(p, "top", TOP);
    picture_real(p, "bottom", 24);
    picture_real(p, "errors", h->errors);
}

void plot_mx_compare_name(const struct compare *c, struct picture *p)
{
    p->name = "compare";
    p->draws = "mx_compare";
    for (size_t g = 0; g < c->groups; g++) {
        for (size_t s = 0; s < c->sides; s++) {
            const struct cell *cell = c->group[g].entry[s].cell;
            if (cell != NULL && (cell->problem.a.mx || cell->problem.b.mx)) {
                p->name = p->draws;
            }
        }
    }
}

bool plot_mx_compare(const struct compare *c, struct picture *p, struct strbuf *why)
{
    struct chart h = {.c = c, .p = p};
    h.groups = c->groups < MX_COMPARE_GROUPS ? c->groups : MX_COMPARE_GROUPS;
    h.sides = c->sides < MX_COMPARE_SIDES ? c->sides : MX_COMPARE_SIDES;
    bool any = false;
    for (size_t g = 0; g < h.groups; g++) {
        for (size_t s = 0; s < h.sides; s++) {
            any |= c->group[g].entry[s].cell != NULL;
            h.errors |= c->group[g].entry[s].error.known;
        }
    }
    if (!any) {
        strbuf_add(why, "no tiling of any shape is feasible");
        return false;
    }
    for (int i = 0; i < 3; i++) {
        strbuf_init(&h.texts[i]);
    }
    set_places(&h);
    add_titles(&h);
    each_row(&h, "time", "0 0 0 0 0", add_time);
    each_row(&h, "gm", "0 0 0 0 0", add_gm);
    each_row(&h, "l0", "0 0 0 0 0", add_l0);
    each_row(&h, "use", "0 0 0", add_use);
    if (h.errors) {
        each_row(&h, "error", "NaN NaN NaN", add_error);
    }
    add_names(&h);
    add_legends(&h);
    static const char *const names[3] = {"text_left", "text_center", "text_right"};
    for (int i = 0; i < 3; i++) {
        picture_block(p, names[i]);
        strbuf_add(&p->data, h.texts[i].len ? strbuf_cstr(&h.texts[i]) : "0 0 0 \"\"\n");
        p->data.failed |= h.texts[i].failed;
        strbuf_fini(&h.texts[i]);
    }
    return true;
}
