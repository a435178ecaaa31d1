/* plot_kinds.h - inside the report room: what each kind of picture shows.
 *
 * Each function fills a picture from one cell's records. @return false, with
 * the reason in `why`, if there is nothing to draw. */
#ifndef REPORT_PLOT_KINDS_H
#define REPORT_PLOT_KINDS_H

#include "report/layers.h"
#include "report/picture.h"
#include "study/boxes.h"
#include "study/exposed.h"
#include "sweep/collect.h"

struct plot_input {
    const struct collect *collect;
    const struct collect_cell *cell;
    struct study *study; /* for schedules and events of the best tilings */
};

bool plot_heatmap(const struct plot_input *in, struct picture *p, struct strbuf *why);
bool plot_roofline(const struct plot_input *in, struct picture *p, struct strbuf *why);
bool plot_pareto(const struct plot_input *in, struct picture *p, struct strbuf *why);
bool plot_budget(const struct plot_input *in, struct picture *p, struct strbuf *why);
bool plot_timeline(const struct plot_input *in, struct picture *p, struct strbuf *why);
bool plot_exposed(const struct plot_input *in, struct picture *p, struct strbuf *why);

/* One picture of all networks of a run (layers.h). */
bool plot_layers(const struct networks *networks, struct picture *p, struct strbuf *why);

/* The buffer map of any plan; false if the target has none of the buffers. */
bool plot_budget_map(const struct target *target, const struct plan *plan, const char *title, struct picture *p);

/* ---- shared words ---- */

/* "2048×2048×2048 half, ascend910b1" */
void plot_subject(const struct cell *cell, struct strbuf *out);
/* "128×256×64" */
void plot_block(const struct tiling *t, struct strbuf *out);
/* Three significant digits without exponent: "0.123", "12.3", "1234". */
void plot_number(double v, struct strbuf *out);
/* Width of a text in DejaVu Sans at `size` pixels, within a few percent. */
double plot_text_width(const char *text, double size);
/* 1234567 -> "1,234,567" */
void plot_thousands(int64_t v, struct strbuf *out);

/* Names and colours of the parts of a task time. */
extern const struct plot_part {
    const char *name;
    uint32_t colour;
} plot_parts[EXPOSED_N];

/* The best tiling's schedule; false with words if it cannot be made. */
bool plot_best_schedule(const struct plot_input *in, struct schedule *out, struct strbuf *why);

#endif
