/* compare_csv.c - a comparison as files in a directory of its own. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/os.h"
#include "record/record_columns.h"
#include "report/compare.h"
#include "timing/timing.h"

/* ---- compare.csv ---- */

static const char header[] =
    "shape,target,M,N,K,side,run,variant,A,B,C,status,task_us,speedup,indistinct,confidence,unvalidated,bound,"
    "peak_share,cube_us,mte2_exposed_us,mte1_exposed_us,fixpipe_exposed_us,flags_us,launch_us,gm_l1_data_B,"
    "gm_l1_scale_B,gm_l1_elements,gm_write_B,hbm_B,l1_l0_data_B,l1_l0_scale_B,l1_used_B,l0a_used_B,l0b_used_B,"
    "l0c_used_B,l1_usable_B,l0a_usable_B,l0b_usable_B,l0c_usable_B,max_abs,rms,rel_rms,cosine,tiling\n";

static void add_text(const char *text, struct strbuf *out)
{
    strbuf_add(out, ",");
    strbuf_add_csv(out, text);
}

static void add_i64(int64_t v, struct strbuf *out)
{
    strbuf_addf(out, ",%" PRId64, v);
}

/* Nothing for a figure that is not known. */
static void add_us(double us, struct strbuf *out)
{
    if (isnan(us)) {
        strbuf_add(out, ",");
    } else {
        strbuf_addf(out, ",%.3f", us);
    }
}

static void add_real(double v, bool known, struct strbuf *out)
{
    if (known && !isnan(v)) {
        strbuf_addf(out, ",%.9g", v);
    } else {
        strbuf_add(out, ",");
    }
}

static void add_dtype(const struct operand *o, struct strbuf *out)
{
    strbuf_addf(out, ",%s%s", o->mx ? "mx_" : "", dtype_info(o->dtype)->name);
}

/* Semicolons between, so that a reader that only splits at commas still works. */
static void add_reasons(const char *list, struct strbuf *out)
{
    strbuf_add(out, ",");
    for (const char *p = list; *p; p++) {
        strbuf_add_n(out, *p == ',' ? ";" : p, 1);
    }
}

static void add_times(const struct compare *c, const struct compare_group *g, size_t s, struct strbuf *out)
{
    const struct compare_entry *e = &g->entry[s];
    add_us(compare_us(e), out);
    add_real(compare_speedup(c, g, s), true, out);
    add_i64(s != c->baseline && compare_indistinct(&g->entry[c->baseline], e), out);
    add_text(e->best.unvalidated ? "unvalidated" : "validated", out);
    add_reasons(e->detail.unvalidated, out);
    add_text(pipe_name(e->best.bound_pipe), out);
    add_real(record_peak_share(e->cell, &e->best), true, out);
    for (int k = 0; k < EXPOSED_N; k++) {
        add_us(e->detail.split ? timing_us(e->cell->target, e->detail.part[k]) : NAN, out);
    }
}

static void add_bytes(const struct compare_entry *e, struct strbuf *out)
{
    static const enum buffer buffers[] = {BUF_L1, BUF_L0A, BUF_L0B, BUF_L0C};
    add_i64(e->detail.copied, out);
    add_i64(e->detail.copied_scales, out);
    add_i64(e->detail.elements, out);
    add_i64(record_gm_write(&e->best), out);
    add_i64(e->best.hbm, out);
    add_i64(e->detail.loaded, out);
    add_i64(e->detail.loaded_scales, out);
    for (int i = 0; i < 4; i++) {
        add_i64(e->best.used[buffers[i]], out);
    }
    for (int i = 0; i < 4; i++) {
        add_i64(e->best.usable[buffers[i]], out);
    }
}

/* What a side without a feasible tiling leaves empty: from task_us on. */
static void add_blanks(struct strbuf *out)
{
    size_t commas = 0, before = 0;
    const char *first = strstr(header, ",task_us");
    for (const char *p = header; *p; p++) {
        commas += *p == ',';
        before += *p == ',' && p < first;
    }
    for (; before < commas; before++) {
        strbuf_add(out, ",");
    }
}

static void add_entry(const struct compare *c, const struct compare_inputs *in, const struct compare_group *g, size_t s,
                      struct strbuf *out)
{
    const struct compare_entry *e = &g->entry[s];
    const struct problem *p = e->cell == NULL ? NULL : &e->cell->problem;
    strbuf_add_csv(out, g->label);
    add_text(g->target != NULL ? g->target : c->side[s].target, out);
    if (p != NULL) {
        strbuf_addf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64, p->M, p->N, p->K);
    } else {
        strbuf_add(out, ",,,");
    }
    add_text(c->side[s].name, out);
    add_text(in->run[e->run].name, out);
    add_text(c->side[s].variant, out);
    if (p == NULL) {
        strbuf_add(out, ",,,,infeasible");
        add_blanks(out);
        strbuf_add(out, "\n");
        return;
    }
    add_dtype(&p->a, out);
    add_dtype(&p->b, out);
    add_dtype(&p->c, out);
    add_text("feasible", out);
    add_times(c, g, s, out);
    add_bytes(e, out);
    add_real(e->error.max_abs, e->error.known, out);
    add_real(e->error.rms, e->error.known, out);
    add_real(e->error.rel_rms, e->error.known, out);
    add_real(e->error.cosine, e->error.known, out);
    struct strbuf text;
    strbuf_init(&text);
    tiling_name(&e->best.t, &text);
    add_text(strbuf_cstr(&text), out);
    strbuf_fini(&text);
    strbuf_add(out, "\n");
}

void compare_csv(const struct compare *c, const struct compare_inputs *in, struct strbuf *out)
{
    strbuf_add(out, header);
    for (size_t g = 0; g < c->groups; g++) {
        for (size_t s = 0; s < c->sides; s++) {
            if (c->group[g].entry[s].there) {
                add_entry(c, in, &c->group[g], s, out);
            }
        }
    }
}

/* ---- same.csv ---- */

void compare_same_csv(const struct compare *c, const struct compare_same *same, struct strbuf *out)
{
    strbuf_add(out, "shape,target,same,side,task_us,speedup\n");
    for (size_t g = 0; g < c->groups; g++) {
        for (size_t i = 0; i < same[g].rows; i++) {
            const struct compare_row *row = &same[g].row[i];
            for (size_t s = 0; s < c->sides; s++) {
                if (isnan(row->us[s])) {
                    continue;
                }
                strbuf_add_csv(out, c->group[g].label);
                add_text(c->group[g].target != NULL ? c->group[g].target : c->side[s].target, out);
                add_text(row->key, out);
                add_text(c->side[s].name, out);
                add_us(row->us[s], out);
                add_real(row->us[c->baseline] / row->us[s], true, out);
                strbuf_add(out, "\n");
            }
        }
    }
}

/* ---- the directory ---- */

static enum status write_text(const char *dir, const char *file, struct strbuf *text, struct diag *d)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_addf(&path, "%s/%s", dir, file);
    const enum status st = path.failed || text->failed
                               ? diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for %s", file)
                               : os_write_file(strbuf_cstr(&path), strbuf_cstr(text), text->len, d);
    strbuf_fini(&path);
    strbuf_clear(text);
    return st;
}

static enum status write_pictures(const char *dir, const struct compare_files *f, struct diag *d)
{
    const bool draws = os_have_program("gnuplot");
    struct strbuf why;
    enum status st = STATUS_OK;
    if (!draws) {
        diag_warning(d, NULL, "gnuplot is not installed: the pictures are data and scripts only");
    }
    strbuf_init(&why);
    for (int i = 0; i < 2 && st == STATUS_OK; i++) {
        struct picture p;
        const char *name = i == 0 ? "mx_compare" : "periods";
        if (i == 1 && f->periods == NULL) {
            continue;
        }
        picture_init(&p, name, 1280, 600);
        if (i == 0) {
            plot_mx_compare_name(f->compare, &p);
        }
        strbuf_clear(&why);
        const bool ok = i == 0 ? plot_mx_compare(f->compare, &p, &why) : plot_periods(f->study, f->periods, &p, &why);
        if (ok) {
            st = picture_write_into(dir, &p, draws, d);
        } else {
            diag_warning(d, NULL, "no picture %s: %s", name, strbuf_cstr(&why));
        }
        picture_fini(&p);
    }
    strbuf_fini(&why);
    return st;
}

static enum status write_all(const char *dir, const struct compare_files *f, struct diag *d)
{
    struct strbuf text;
    size_t rows = 0;
    strbuf_init(&text);
    compare_csv(f->compare, f->inputs, &text);
    enum status st = write_text(dir, "compare.csv", &text, d);
    for (size_t g = 0; g < f->compare->groups; g++) {
        rows += f->same[g].rows;
    }
    if (st == STATUS_OK && rows > 0) {
        compare_same_csv(f->compare, f->same, &text);
        st = write_text(dir, "same.csv", &text, d);
    }
    if (st == STATUS_OK && !f->no_plots) {
        st = write_pictures(dir, f, d);
    }
    strbuf_fini(&text);
    return st;
}

/* Only an earlier comparison is replaced, never a directory of something else. */
static enum status may_replace(const char *dir, bool force, struct diag *d)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_addf(&path, "%s/compare.csv", dir);
    const bool ours = !path.failed && os_exists(strbuf_cstr(&path));
    strbuf_fini(&path);
    const struct location at = {.file = dir};
    if (!os_exists(dir) || (ours && force)) {
        return STATUS_OK;
    }
    diag_error(d, STATUS_INVALID, &at, ours ? "there is a comparison already" : "this is there, and is no comparison");
    diag_hint(d, ours ? "--force replaces it" : "--out makes a new directory");
    return STATUS_INVALID;
}

/* "a/b/" -> "a/.b.part" */
static void part_name(const char *dir, struct strbuf *out)
{
    size_t len = strlen(dir);
    while (len > 1 && dir[len - 1] == '/') {
        len--;
    }
    size_t slash = len;
    while (slash > 0 && dir[slash - 1] != '/') {
        slash--;
    }
    strbuf_addf(out, "%.*s.%.*s.part", (int)slash, dir, (int)(len - slash), dir + slash);
}

enum status compare_write(const char *dir, const struct compare_files *f, struct diag *d)
{
    struct strbuf part;
    TRY(may_replace(dir, f->force, d));
    strbuf_init(&part);
    part_name(dir, &part);
    const char *work = strbuf_cstr(&part);
    enum status st = part.failed ? diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for %s", dir)
                                 : os_remove_tree(work, d);
    if (st == STATUS_OK) {
        st = os_make_dir(work, d);
    }
    if (st == STATUS_OK) {
        st = write_all(work, f, d);
        st = st == STATUS_OK ? os_swap_in(work, dir, d) : st;
        if (st != STATUS_OK) {
            (void)os_remove_tree(work, NULL);
        }
    }
    strbuf_fini(&part);
    return st;
}
