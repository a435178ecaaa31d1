/* compare_table.c - a comparison as text: three small tables a shape, because
 * one of all columns would be wider than any window. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/intmath.h"
#include "record/record_columns.h"
#include "report/compare.h"
#include "report/plot_kinds.h"
#include "report/summary.h"
#include "timing/timing.h"

static int name_width(const struct compare *c)
{
    size_t width = 14;
    for (size_t s = 0; s < c->sides; s++) {
        width = strlen(c->side[s].name) > width ? strlen(c->side[s].name) : width;
    }
    return (int)width;
}

static const struct cell *any_cell(const struct compare *c, const struct compare_group *g)
{
    for (size_t s = 0; s < c->sides; s++) {
        if (g->entry[s].cell != NULL) {
            return g->entry[s].cell;
        }
    }
    return NULL;
}

static void add_heading(const struct compare *c, const struct compare_group *g, struct strbuf *out)
{
    const struct cell *cell = any_cell(c, g);
    strbuf_addf(out, "== %s", g->label);
    if (cell != NULL) {
        strbuf_addf(out, ": M %" PRId64 ", N %" PRId64 ", K %" PRId64, cell->problem.M, cell->problem.N,
                    cell->problem.K);
    }
    strbuf_addf(out, "%s%s\n", g->target != NULL ? " on " : "", g->target != NULL ? g->target : "");
}

/* ---- time ---- */

static void add_split(const struct compare_entry *e, struct strbuf *out)
{
    for (int k = 0; k < EXPOSED_N; k++) {
        if (e->detail.split && e->best.task > 0) {
            strbuf_addf(out, " %6.1f", 100.0 * (double)e->detail.part[k] / (double)e->best.task);
        } else {
            strbuf_addf(out, " %6s", "-");
        }
    }
}

static void add_time(const struct compare *c, const struct compare_group *g, int width, struct strbuf *out)
{
    strbuf_addf(out, "%-*s %11s  %8s  %5s  %5s   %s\n", width, "time", "task us", "speed-up", "%peak", "binds",
                "% of task:  cube   MTE2   MTE1   Fixp  flags launch");
    for (size_t s = 0; s < c->sides; s++) {
        const struct compare_entry *e = &g->entry[s];
        strbuf_addf(out, "%-*s", width, c->side[s].name);
        if (!e->there) {
            strbuf_add(out, "  has not this shape\n");
            continue;
        }
        if (e->cell == NULL) {
            strbuf_addf(out, "  none of %" PRIu64 " tilings is feasible\n", e->tilings);
            continue;
        }
        const double ratio = compare_speedup(c, g, s);
        const bool close = s != c->baseline && compare_indistinct(&g->entry[c->baseline], e);
        strbuf_addf(out, " %11.2f%c", compare_us(e), e->best.unvalidated ? '*' : ' ');
        if (isnan(ratio)) {
            strbuf_addf(out, " %8s ", "-");
        } else {
            strbuf_addf(out, " %7.2fx%c", ratio, close ? '~' : ' ');
        }
        strbuf_addf(out, " %5.1f  %5s            ", 100 * record_peak_share(e->cell, &e->best),
                    pipe_name(e->best.bound_pipe));
        add_split(e, out);
        strbuf_add(out, "\n");
    }
}

/* ---- bytes ---- */

/* KiB where all of a shape is small. */
static double unit_of(const struct compare *c, const struct compare_group *g)
{
    int64_t most = 0;
    for (size_t s = 0; s < c->sides; s++) {
        const struct compare_entry *e = &g->entry[s];
        most = e->cell == NULL ? most : max_i64(most, max_i64(e->detail.copied, e->detail.loaded));
    }
    return most < 8 << 20 ? 1024.0 : 1048576.0;
}

static void add_bytes(const struct compare *c, const struct compare_group *g, int width, struct strbuf *out)
{
    const double unit = unit_of(c, g);
    strbuf_addf(out, "%-*s %12s %10s %12s  %10s  %10s  %12s %10s\n", width, unit > 1024 ? "moved, MiB" : "moved, KiB",
                "GM->L1 data", "MX scales", unit > 1024 ? "1e6 elements" : "1e3 elements", "L0C->GM", "L2-HBM",
                "L1->L0 data", "MX scales");
    for (size_t s = 0; s < c->sides; s++) {
        const struct compare_entry *e = &g->entry[s];
        if (e->cell == NULL) {
            continue;
        }
        const struct compare_detail *x = &e->detail;
        strbuf_addf(out, "%-*s %12.2f %10.2f %12.2f  %10.2f  %10.2f  %12.2f %10.2f\n", width, c->side[s].name,
                    (double)x->copied / unit, (double)x->copied_scales / unit,
                    (double)x->elements / (unit > 1024 ? 1e6 : 1e3), (double)record_gm_write(&e->best) / unit,
                    (double)e->best.hbm / unit, (double)x->loaded / unit, (double)x->loaded_scales / unit);
    }
}

/* ---- space, error, tiling ---- */

static void add_used(const struct record *r, enum buffer buf, struct strbuf *out)
{
    if (r->usable[buf] > 0) {
        strbuf_addf(out, " %5.1f", 100.0 * (double)r->used[buf] / (double)r->usable[buf]);
    } else {
        strbuf_addf(out, " %5s", "-");
    }
}

static void add_error(const struct run_error *e, struct strbuf *out)
{
    if (e->known) {
        strbuf_addf(out, "  %9.3g %9.3g %9.3g %9.7f", e->max_abs, e->rms, e->rel_rms, e->cosine);
    } else {
        strbuf_addf(out, "  %9s %9s %9s %9s", "-", "-", "-", "-");
    }
}

static void add_space(const struct compare *c, const struct compare_group *g, int width, struct strbuf *out)
{
    strbuf_addf(out, "%-*s %5s %5s %5s %5s  %9s %9s %9s %9s  %s\n", width, "% used, error", "L1", "L0A", "L0B", "L0C",
                "C: max", "RMS", "rel. RMS", "cosine", "tiling");
    for (size_t s = 0; s < c->sides; s++) {
        const struct compare_entry *e = &g->entry[s];
        if (e->cell == NULL) {
            continue;
        }
        strbuf_addf(out, "%-*s", width, c->side[s].name);
        add_used(&e->best, BUF_L1, out);
        add_used(&e->best, BUF_L0A, out);
        add_used(&e->best, BUF_L0B, out);
        add_used(&e->best, BUF_L0C, out);
        add_error(&e->error, out);
        strbuf_add(out, "  ");
        tiling_name(&e->best.t, out);
        strbuf_add(out, "\n");
    }
}

/* ---- what the signs mean ---- */

struct signs {
    bool close, unvalidated, no_error;
    double least, greatest; /* percent */
};

static struct signs signs_of(const struct compare *c)
{
    struct signs out = {.least = INFINITY};
    for (size_t g = 0; g < c->groups; g++) {
        const struct compare_entry *base = &c->group[g].entry[c->baseline];
        for (size_t s = 0; s < c->sides; s++) {
            const struct compare_entry *e = &c->group[g].entry[s];
            if (e->cell == NULL) {
                continue;
            }
            out.close |= s != c->baseline && compare_indistinct(base, e);
            out.unvalidated |= e->best.unvalidated;
            out.no_error |= !e->error.known;
            out.least = fmin(out.least, compare_error_band(base, e));
            out.greatest = fmax(out.greatest, compare_error_band(base, e));
        }
    }
    return out;
}

/* Each reason once. */
static void add_unvalidated(const struct compare *c, struct strbuf *out)
{
    struct strbuf known;
    strbuf_init(&known);
    for (size_t g = 0; g < c->groups; g++) {
        for (size_t s = 0; s < c->sides; s++) {
            const char *item = c->group[g].entry[s].detail.unvalidated;
            while (item != NULL && *item != '\0') {
                char word[96];
                const size_t len = strcspn(item, ",");
                const size_t n = len < sizeof word - 3 ? len : sizeof word - 3;
                word[0] = '|';
                memcpy(word + 1, item, n);
                memcpy(word + 1 + n, "|", 2);
                if (strstr(strbuf_cstr(&known), word) == NULL) {
                    strbuf_addf(out, "%s%.*s", known.len ? ", " : "", (int)n, item);
                    strbuf_add(&known, word);
                }
                item += len + strspn(item + len, ", ");
            }
        }
    }
    strbuf_fini(&known);
}

static void add_signs(const struct compare *c, struct strbuf *out)
{
    const struct signs signs = signs_of(c);
    strbuf_addf(out, "speed-up: time of %s over time; each side has its own best tiling of the model\n",
                c->side[c->baseline].name);
    strbuf_add(out, "% of task: on the busiest core; a moment counts for the first busy pipe from the left\n");
    if (signs.close && signs.least < signs.greatest) {
        strbuf_addf(out, "~ not distinguishable: within the model's error (%.1f to %.1f %% by chip and length)\n",
                    signs.least, signs.greatest);
    } else if (signs.close) {
        strbuf_addf(out, "~ not distinguishable: within the model's error (%.1f %%)\n", signs.greatest);
    }
    if (signs.unvalidated) {
        strbuf_add(out, "* unvalidated, no board run stands behind: ");
        add_unvalidated(c, out);
        strbuf_add(out, "\n");
    }
    if (signs.no_error) {
        strbuf_add(out,
                   "- error of C: not known, the run has no errors.csv row for it (inputs of a config give one)\n");
    }
}

void compare_text(const struct compare *c, struct strbuf *out)
{
    const int width = name_width(c);
    for (size_t g = 0; g < c->groups; g++) {
        add_heading(c, &c->group[g], out);
        add_time(c, &c->group[g], width, out);
        add_bytes(c, &c->group[g], width, out);
        add_space(c, &c->group[g], width, out);
        strbuf_add(out, "\n");
    }
    add_signs(c, out);
}

/* ---- same against same ---- */

static void add_same_rows(const struct compare *c, const struct compare_same *same, size_t top, struct strbuf *out)
{
    const int width = name_width(c) > 16 ? name_width(c) : 16;
    strbuf_add(out, " ");
    for (size_t s = 0; s < c->sides; s++) {
        strbuf_addf(out, " %*s", width, c->side[s].name);
    }
    strbuf_add(out, "  tiling\n");
    for (size_t i = 0; i < same->rows && i < top; i++) {
        const struct compare_row *row = &same->row[i];
        strbuf_add(out, " ");
        for (size_t s = 0; s < c->sides; s++) {
            if (isnan(row->us[s])) {
                strbuf_addf(out, " %*s", width, "-");
            } else if (s == c->baseline) {
                strbuf_addf(out, " %*.2f", width, row->us[s]);
            } else {
                strbuf_addf(out, " %*.2f%6.2fx", width - 7, row->us[s], row->us[c->baseline] / row->us[s]);
            }
        }
        strbuf_addf(out, "  %s\n", row->key);
    }
    if (same->rows > top) {
        strbuf_addf(out, "  and %zu more (--top, or same.csv of --out)\n", same->rows - top);
    }
}

void compare_same_text(const struct compare *c, const struct compare_same *same, const struct compare_key *key,
                       size_t top, struct strbuf *out)
{
    size_t rows = 0;
    for (size_t g = 0; g < c->groups; g++) {
        rows += same[g].rows;
    }
    strbuf_addf(out, "\nsame tiling against same tiling, by %s: us, speed-up over %s\n",
                key->fields ? "these fields (each side's fastest with them)" : "canonical name",
                c->side[c->baseline].name);
    if (rows == 0) {
        strbuf_addf(out, "  none: no tiling of %s is on another side; --same baseM,baseN compares by fields\n",
                    c->side[c->baseline].name);
    }
    for (size_t g = 0; g < c->groups; g++) {
        if (same[g].rows == 0) {
            continue;
        }
        add_heading(c, &c->group[g], out);
        add_same_rows(c, &same[g], top, out);
        for (size_t s = 0; s < c->sides; s++) {
            const struct compare_spread spread = compare_spread_of(c, &same[g], s);
            if (s != c->baseline && spread.rows > 0) {
                strbuf_addf(out, "  %s: %zu tilings, speed-up %.2fx (geometric mean), %.2fx to %.2fx\n",
                            c->side[s].name, spread.rows, spread.mean, spread.least, spread.greatest);
            }
        }
    }
}
