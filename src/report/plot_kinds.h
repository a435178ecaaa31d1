/* plot_kinds.h - inside the report room: what each kind of picture shows.
 *
 * Each function fills a picture from one cell's records. @return false, with
 * the reason in `why`, if there is nothing to draw. */
#ifndef REPORT_PLOT_KINDS_H
#define REPORT_PLOT_KINDS_H

#include "report/picture.h"
#include "study/study.h"
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

/* ---- the program of one core as boxes ---- */

/* The instructions of one operand in one step on one pipe. */
struct plot_box {
    int64_t start, occupied, end; /* mcyc: begun, pipe free again, result there */
    uint32_t step;
    uint8_t pipe, role, half;
};

struct plot_boxes {
    struct plot_box *v;
    size_t n, cap;
    bool failed; /* no memory */
};

/* Boxes of steps [first, last] of a core, in program order. @return false on
 * lack of memory. `v` is freed by plot_boxes_fini. */
bool plot_core_boxes(const struct plot_input *in, const struct schedule *s, int32_t core, int64_t first, int64_t last,
                     struct plot_boxes *out);
void plot_boxes_fini(struct plot_boxes *b);

/* The first core with the most steps. */
int32_t plot_busiest_core(const struct schedule *s);

/* The best tiling's schedule; false with words if it cannot be made. */
bool plot_best_schedule(const struct plot_input *in, struct schedule *out, struct strbuf *why);

#endif
