/* plot_words.c - names and numbers as pictures write them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/plot_kinds.h"

const struct plot_part plot_parts[EXPOSED_N] = {
    [EXPOSED_CUBE] = {"cube", 0x009e73},
    [EXPOSED_MTE2] = {"MTE2 exposed", 0x0072b2},
    [EXPOSED_MTE1] = {"MTE1 exposed", 0xe69f00},
    [EXPOSED_FIX] = {"Fixpipe exposed", 0xcc79a7},
    [EXPOSED_WAIT] = {"flags and issue", 0x888888},
    [EXPOSED_LAUNCH] = {"launch", 0xc8c8c8},
};

/* "/2", "/1×2": nothing where both are `plain`. */
static void add_sides(const char *before, int64_t h, int64_t w, int64_t plain, struct strbuf *out)
{
    if (h != plain || w != plain) {
        strbuf_addf(out, h == w ? "%s%" PRId64 : "%s%" PRId64 "×%" PRId64, before, h, w);
    }
}

/* "16×64×56×56 by 128×3×3/2 pad 1": images, channels and points, filters. */
static void add_conv(const struct problem *p, struct strbuf *out)
{
    const struct conv_shape *v = &p->conv;
    strbuf_addf(out, "%" PRId64 "×%" PRId64 "×%" PRId64 "×%" PRId64 " by %" PRId64 "×%" PRId64 "×%" PRId64, v->n, v->c,
                v->h, v->w, v->cout, v->kh, v->kw);
    add_sides("/", v->stride_h, v->stride_w, 1, out);
    if (v->pad_top == v->pad_bottom && v->pad_left == v->pad_right) {
        add_sides(" pad ", v->pad_top, v->pad_left, 0, out);
    } else {
        strbuf_addf(out, " pad %" PRId32 ",%" PRId32 ",%" PRId32 ",%" PRId32, v->pad_top, v->pad_bottom, v->pad_left,
                    v->pad_right);
    }
    add_sides(" dilation ", v->dilation_h, v->dilation_w, 1, out);
    add_sides(" groups ", v->groups, v->groups, 1, out);
}

void plot_subject(const struct cell *cell, struct strbuf *out)
{
    const struct problem *p = &cell->problem;
    if (p->op == PROBLEM_CONV) {
        add_conv(p, out);
    } else if (p->M == p->N && p->N == p->K) {
        strbuf_addf(out, "%" PRId64 "³", p->M);
    } else {
        strbuf_addf(out, "%" PRId64 "×%" PRId64 "×%" PRId64, p->M, p->N, p->K);
    }
    strbuf_addf(out, " %s%s, %s", p->a.mx ? "mx_" : "", dtype_info(p->a.dtype)->name, cell->target->name);
    if (strcmp(cell->variant, "base") != 0) {
        strbuf_addf(out, ", %s", cell->variant);
    }
}

void plot_block(const struct tiling *t, struct strbuf *out)
{
    strbuf_addf(out, "%" PRId32 "×%" PRId32 "×%" PRId32, t->baseM, t->baseN, t->baseK);
}

void plot_number(double v, struct strbuf *out)
{
    const double a = fabs(v);
    const int digits = a >= 100 || a < 1e-9 ? 0 : a >= 10 ? 1 : a >= 1 ? 2 : 3;
    strbuf_addf(out, "%.*f", digits, v);
}

void plot_thousands(int64_t v, struct strbuf *out)
{
    char digits[32];
    const int n = snprintf(digits, sizeof(digits), "%" PRId64, v);
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-') {
            strbuf_add(out, ",");
        }
        strbuf_add_n(out, &digits[i], 1);
    }
}

double plot_text_width(const char *text, double size)
{
    /* advance of ' ' .. '~' in thousandths of the size */
    static const uint16_t advance['~' - ' ' + 1] = {
        318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
        636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
        575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
        611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
        278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};
    double sum = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c >= ' ' && *c <= '~') {
            sum += advance[*c - ' '];
        } else if (*c >= 0xC0) { /* first byte of a sign like × or → */
            sum += 838;
        }
    }
    return sum * size / 1000;
}

bool plot_best_schedule(const struct plot_input *in, struct schedule *out, struct strbuf *why)
{
    struct infeasible reason = {0};
    struct diag d;
    diag_init(&d);
    enum status st = STATUS_INVALID;
    if (in->cell->top.n == 0) {
        strbuf_add(why, "no feasible tiling");
    } else {
        st = study_schedule(in->cell->cell, &in->cell->top.r[0].t, out, &reason, &d);
        if (st != STATUS_OK || reason.reason != REASON_NONE) {
            strbuf_add(why, d.count ? d.messages[0].text : "the best tiling has no schedule");
            st = STATUS_INVALID;
        }
    }
    diag_fini(&d);
    return st == STATUS_OK;
}
