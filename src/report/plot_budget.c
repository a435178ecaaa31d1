/* plot_budget.c - map of the buffers: what lies where, what is free. Every
 * buffer is drawn as wide as its capacity. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/plot_kinds.h"
#include "report/summary.h"

#define MAP_WIDTH   800.0 /* pixels */
#define ROW         62    /* pixels a buffer */
#define CAPTION_GAP 16.0  /* pixels between texts below a bar */

static const enum buffer shown[] = {BUF_L1, BUF_L0A, BUF_L0B, BUF_L0A_MX, BUF_L0B_MX, BUF_L0C, BUF_BT, BUF_FB};

/* Ping dark, pong light, as in the timeline; bright text on dark. */
static const struct role_colour {
    const char *name;
    uint32_t dark, light, text_dark;
} colours[ROLE_N] = {
    [ROLE_A] = {"A", 0x0072b2, 0x7fc4ee, 0xffffff},         [ROLE_B] = {"B", 0xe69f00, 0xf5cf7f, 0x222222},
    [ROLE_SA] = {"scales A", 0x56b4e9, 0xbfe1f6, 0x222222}, [ROLE_SB] = {"scales B", 0xf0e442, 0xf8f3a8, 0x222222},
    [ROLE_BIAS] = {"bias", 0x888888, 0xbbbbbb, 0xffffff},   [ROLE_QUANT] = {"quant", 0xd55e00, 0xf0a878, 0xffffff},
    [ROLE_C] = {"C", 0x009e73, 0x7bd3b5, 0xffffff},
};

static bool has_pong(const struct plan *plan, const struct region *r)
{
    for (int i = 0; i < plan->n; i++) {
        if (plan->r[i].buf == r->buf && plan->r[i].role == r->role && plan->r[i].half > 0) {
            return true;
        }
    }
    return false;
}

static bool fits(const char *text, double pixels)
{
    return plot_text_width(text, 13) + 6 <= pixels;
}

/* What a region is called and where it lies: "A pong", "0x8000, 14 KiB". */
static void region_words(const struct plan *plan, const struct region *r, struct strbuf *name, struct strbuf *place)
{
    strbuf_clear(name);
    strbuf_clear(place);
    strbuf_addf(name, "%s%s", colours[r->role].name, r->half ? " pong" : has_pong(plan, r) ? " ping" : "");
    strbuf_addf(place, "0x%" PRIx64 ", ", (uint64_t)r->off);
    summary_bytes(r->size, place);
}

static double region_pixels(const struct plan *plan, const struct region *r)
{
    return MAP_WIDTH * (double)r->size / (double)plan->usable[r->buf];
}

/* The words in the region's box: name and place, the place at least its size. */
static bool inside_words(const struct plan *plan, const struct region *r, struct strbuf *name, struct strbuf *place)
{
    const double pixels = region_pixels(plan, r);
    region_words(plan, r, name, place);
    if (!fits(strbuf_cstr(place), pixels)) {
        strbuf_clear(place);
        summary_bytes(r->size, place);
    }
    return fits(strbuf_cstr(name), pixels) && fits(strbuf_cstr(place), pixels);
}

static bool named_inside(const struct plan *plan, const struct region *r)
{
    struct strbuf name;
    struct strbuf place;
    strbuf_init(&name);
    strbuf_init(&place);
    const bool inside = inside_words(plan, r, &name, &place);
    strbuf_fini(&name);
    strbuf_fini(&place);
    return inside;
}

static void add_region(const struct plan *plan, const struct region *r, int row, struct strbuf *out)
{
    const struct role_colour *c = &colours[r->role];
    const double usable = (double)plan->usable[r->buf];
    struct strbuf name;
    struct strbuf place;
    strbuf_init(&name);
    strbuf_init(&place);
    const bool both = inside_words(plan, r, &name, &place);
    strbuf_addf(out, "%.6f %.6f %d %u %u ", (double)r->off / usable, (double)(r->off + r->size) / usable, row,
                r->half ? c->light : c->dark, r->half ? 0x222222U : (unsigned)c->text_dark);
    picture_quoted(out, both ? strbuf_cstr(&name) : "");
    strbuf_add(out, " ");
    picture_quoted(out, both ? strbuf_cstr(&place) : "");
    strbuf_addf(out, " %" PRId64 " %" PRId64 "\n", r->off, r->size);
    out->failed |= name.failed || place.failed;
    strbuf_fini(&name);
    strbuf_fini(&place);
}

/* A text below a bar: where it begins and how wide it is, pixels. */
struct caption {
    const struct region *r;
    double at, width;
};

/* How much a caption says: with its address and size, with its size, its name. */
enum caption_level { CAPTION_ALL = 0, CAPTION_SIZE, CAPTION_NAME };

static void caption_text(const struct plan *plan, const struct region *r, enum caption_level level, struct strbuf *out)
{
    struct strbuf place;
    strbuf_init(&place);
    region_words(plan, r, out, &place);
    if (level == CAPTION_ALL) {
        strbuf_addf(out, " %s", strbuf_cstr(&place));
    } else if (level == CAPTION_SIZE) {
        strbuf_add(out, " ");
        summary_bytes(r->size, out);
    }
    out->failed |= place.failed;
    strbuf_fini(&place);
}

/* Puts the captions of one bar one after the other, each as near to its region as
 * all of them allow. @return false: they are wider than the bar. */
static bool place_captions(const struct plan *plan, struct caption *c, size_t n, enum caption_level level)
{
    struct strbuf text;
    double end = 0;
    strbuf_init(&text);
    for (size_t i = 0; i < n; i++) {
        caption_text(plan, c[i].r, level, &text);
        c[i].width = plot_text_width(strbuf_cstr(&text), 12) + CAPTION_GAP;
        c[i].at = fmax(end, MAP_WIDTH * (double)c[i].r->off / (double)plan->usable[c[i].r->buf]);
        end = c[i].at + c[i].width;
    }
    strbuf_fini(&text);
    double limit = MAP_WIDTH + CAPTION_GAP;
    for (size_t i = n; i-- > 0;) {
        c[i].at = fmin(c[i].at, limit - c[i].width);
        limit = c[i].at;
    }
    return limit >= 0;
}

/* Regions too narrow for their words have them below the bar, in as few words as
 * it takes to have all of them there. @return captions. */
static size_t add_captions(const struct plan *plan, enum buffer buf, int row, struct picture *p)
{
    struct caption c[PLAN_REGIONS];
    struct strbuf text;
    size_t n = 0;
    for (int i = 0; i < plan->n; i++) {
        if (plan->r[i].buf == buf && plan->r[i].size > 0 && !named_inside(plan, &plan->r[i])) {
            c[n++] = (struct caption){.r = &plan->r[i]};
        }
    }
    enum caption_level level = CAPTION_ALL;
    while (!place_captions(plan, c, n, level) && level < CAPTION_NAME) {
        level++;
    }
    strbuf_init(&text);
    for (size_t i = 0; i < n; i++) {
        caption_text(plan, c[i].r, level, &text);
        strbuf_addf(&p->data, "%.6f %d ", c[i].at / MAP_WIDTH, row);
        picture_quoted(&p->data, strbuf_cstr(&text));
        strbuf_add(&p->data, "\n");
    }
    p->data.failed |= text.failed;
    strbuf_fini(&text);
    return n;
}

static void add_below(const struct plan *plan, const int row_of[BUF_N], struct picture *p)
{
    size_t n = 0;
    picture_block(p, "below");
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        n += row_of[shown[i]] < 0 ? 0 : add_captions(plan, shown[i], row_of[shown[i]], p);
    }
    if (n == 0) {
        strbuf_add(&p->data, "2 0 \"\"\n");
    }
}

/* What the image is larger than its real data; at least one row, gnuplot stops at none.
 * @return whether there is any. */
static bool add_padding(const struct plan *plan, const int row_of[BUF_N], struct picture *p)
{
    size_t n = 0;
    picture_block(p, "padding");
    for (int i = 0; i < plan->n; i++) {
        const struct region *r = &plan->r[i];
        if (row_of[r->buf] >= 0 && r->used < r->size) {
            const double usable = (double)plan->usable[r->buf];
            strbuf_addf(&p->data, "%.6f %.6f %d\n", (double)(r->off + r->used) / usable,
                        (double)(r->off + r->size) / usable, row_of[r->buf]);
            n++;
        }
    }
    if (n == 0) {
        strbuf_add(&p->data, "NaN NaN 0\n");
    }
    return n > 0;
}

/* One row: name and capacity on the left, used and free on the right. */
static void add_row_texts(const struct plan *plan, enum buffer buf, int row, struct picture *p)
{
    struct strbuf text;
    char var[16];
    strbuf_init(&text);
    strbuf_addf(&text, "%s  ", buffer_name(buf));
    summary_bytes(plan->usable[buf], &text);
    snprintf(var, sizeof(var), "name%d", row);
    picture_text(p, var, strbuf_cstr(&text));
    int64_t used = 0;
    for (int i = 0; i < plan->n; i++) {
        used += plan->r[i].buf == buf ? plan->r[i].size : 0;
    }
    strbuf_clear(&text);
    strbuf_addf(&text, "%.0f %% used", 100.0 * (double)used / (double)plan->usable[buf]);
    snprintf(var, sizeof(var), "used%d", row);
    picture_text(p, var, strbuf_cstr(&text));
    strbuf_clear(&text);
    if (plan->usable[buf] > used) {
        summary_bytes(plan->usable[buf] - used, &text);
        strbuf_add(&text, " free");
    } else {
        strbuf_add(&text, "full");
    }
    snprintf(var, sizeof(var), "free%d", row);
    picture_text(p, var, strbuf_cstr(&text));
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
}

static void add_titles(const struct target *target, const struct plan *plan, const char *title, struct picture *p)
{
    struct strbuf text;
    strbuf_init(&text);
    picture_text(p, "title", title);
    strbuf_add(&text, "event ids in use:");
    const char *comma = "";
    for (int e = 0; e < HARD_EVENT_N; e++) {
        if (plan->events_used[e]) {
            strbuf_addf(&text, "%s %s %u", comma, hard_event_name((enum hard_event)e), (unsigned)plan->events_used[e]);
            comma = ",";
        }
    }
    strbuf_addf(&text, " (of %" PRId32 " each)", target->event_ids);
    picture_text(p, "sub2", strbuf_cstr(&text));
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
}

bool plot_budget_map(const struct target *target, const struct plan *plan, const char *title, struct picture *p)
{
    int rows = 0;
    int row_of[BUF_N];
    for (size_t i = sizeof(shown) / sizeof(shown[0]); i-- > 0;) { /* bottom row first */
        row_of[shown[i]] = -1;
        if (plan->usable[shown[i]] > 0) {
            add_row_texts(plan, shown[i], rows, p);
            row_of[shown[i]] = rows++;
        }
    }
    if (rows == 0) {
        return false;
    }
    p->width = 1160;
    p->height = 106 + ROW * rows + 24;
    picture_real(p, "left", 150);
    picture_real(p, "right", 1160 - 150 - MAP_WIDTH);
    picture_real(p, "top", 106);
    picture_real(p, "bottom", 24);
    picture_real(p, "rows", rows);
    picture_block(p, "regions");
    for (int i = 0; i < plan->n; i++) {
        if (row_of[plan->r[i].buf] >= 0 && plan->r[i].size > 0) {
            add_region(plan, &plan->r[i], row_of[plan->r[i].buf], &p->data);
        }
    }
    add_below(plan, row_of, p);
    const bool padded = add_padding(plan, row_of, p);
    add_titles(target, plan, title, p);
    picture_text(p, "sub1",
                 padded ? "each bar is one buffer at its full capacity: bytes of each region and, where there is room, "
                          "its address; "
                          "hatched: free, white lines: padding"
                        : "each bar is one buffer at its full capacity: bytes of each region and, where there is room, "
                          "its address; "
                          "hatched: free");
    return true;
}

bool plot_budget(const struct plot_input *in, struct picture *p, struct strbuf *why)
{
    struct schedule s;
    if (!plot_best_schedule(in, &s, why)) {
        return false;
    }
    struct strbuf title;
    strbuf_init(&title);
    strbuf_add(&title, "Buffer map — ");
    plot_block(&in->cell->top.r[0].t, &title);
    strbuf_add(&title, ", best of ");
    plot_subject(in->cell->cell, &title);
    const bool drawn = plot_budget_map(in->cell->cell->target, &s.plan, strbuf_cstr(&title), p);
    if (!drawn) {
        strbuf_add(why, "the target has no such buffers");
    }
    p->vars.failed |= title.failed;
    strbuf_fini(&title);
    return drawn;
}
