/* picture.c - scripts, data, gnuplot.
 *
 * gnuplot leaves a wrong or empty image behind on some errors, so it draws
 * into a temporary name; exit status and size are looked at before the file
 * takes its own name. */
#include "report/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/embed.h"

void picture_init(struct picture *p, const char *name, int width, int height)
{
    *p = (struct picture){.name = name, .draws = name, .width = width, .height = height};
    strbuf_init(&p->vars);
    strbuf_init(&p->data);
}

void picture_fini(struct picture *p)
{
    strbuf_fini(&p->vars);
    strbuf_fini(&p->data);
}

/* Single quotes take everything literally but themselves. */
static void add_quoted(struct strbuf *out, const char *text)
{
    strbuf_add(out, "'");
    for (const char *c = text; *c; c++) {
        if (*c == '\n') {
            strbuf_add(out, " ");
        } else {
            strbuf_add_n(out, *c == '\'' ? "''" : c, *c == '\'' ? 2 : 1);
        }
    }
    strbuf_add(out, "'");
}

void picture_text(struct picture *p, const char *var, const char *text)
{
    strbuf_addf(&p->vars, "%s = ", var);
    add_quoted(&p->vars, text);
    strbuf_add(&p->vars, "\n");
}

void picture_real(struct picture *p, const char *var, double v)
{
    if (isfinite(v)) {
        strbuf_addf(&p->vars, "%s = %.9g\n", var, v == floor(v) && fabs(v) < 1e9 ? v + 0.0 : v);
    } else {
        strbuf_addf(&p->vars, "%s = NaN\n", var);
    }
}

void picture_block(struct picture *p, const char *name)
{
    strbuf_addf(&p->data, "%s# %s\n", p->data.len ? "\n\n" : "", name);
}

void picture_quoted(struct strbuf *out, const char *text)
{
    strbuf_add(out, "\"");
    for (const char *c = text; *c; c++) {
        strbuf_add_n(out, *c == '"' || *c == '\\' || *c == '\n' ? "'" : c, 1);
    }
    strbuf_add(out, "\"");
}

/* ---- files ---- */

static void add_embedded(struct strbuf *out, const char *name)
{
    char path[64];
    snprintf(path, sizeof(path), "gnuplot/%s.gp", name);
    const struct embedded_file *f = embedded_find(path);
    if (f) {
        strbuf_add_n(out, (const char *)f->bytes, f->len);
    } else {
        strbuf_addf(out, "# %s is not in this binary\n", path);
    }
}

static void build_script(const struct picture *p, struct strbuf *out)
{
    strbuf_addf(out,
                "# Draws %s.dat. In this directory:\n#   gnuplot %s.gp                    -> %s.png\n"
                "#   gnuplot -e \"out='%s.svg'\" %s.gp -> %s.svg\n",
                p->name, p->name, p->name, p->name, p->name, p->name);
    strbuf_addf(out, "name = '%s'\nW = %d.0\nH = %d.0\n", p->name, p->width, p->height);
    strbuf_add(out, strbuf_cstr(&p->vars));
    strbuf_add(out, "\n");
    add_embedded(out, "style");
    strbuf_add(out, "\n");
    add_embedded(out, p->draws);
}

/* Last lines of what gnuplot said. */
static const char *last_words(const struct strbuf *said)
{
    const char *text = strbuf_cstr(said);
    return said->len > 400 ? text + said->len - 400 : text;
}

/* `where`: the directory of data and script, with a slash at its end. */
static enum status draw_one(const char *where, const struct picture *p, const char *ext, struct diag *d)
{
    struct strbuf command;
    struct strbuf script;
    struct strbuf from;
    struct strbuf to;
    struct strbuf said;
    struct strbuf *const all[] = {&command, &script, &from, &to, &said};
    for (size_t i = 0; i < 5; i++) {
        strbuf_init(all[i]);
    }
    strbuf_add(&command, "cd ");
    add_quoted(&command, where);
    strbuf_addf(&command, "; out='%s.tmp.%s'", p->name, ext);
    strbuf_addf(&script, "%s.gp", p->name);
    strbuf_addf(&from, "%s%s.tmp.%s", where, p->name, ext);
    strbuf_addf(&to, "%s%s.%s", where, p->name, ext);
    const char *argv[] = {"gnuplot", "-e", strbuf_cstr(&command), strbuf_cstr(&script), NULL};
    int code = 0;
    enum status st = os_run(argv, NULL, 0, &said, &code, d);
    struct strbuf image;
    strbuf_init(&image);
    if (st == STATUS_OK && code == 0 && os_exists(strbuf_cstr(&from))) {
        st = os_read_file(strbuf_cstr(&from), (size_t)256 << 20, &image, d);
    }
    if (st == STATUS_OK && image.len) {
        st = os_rename(strbuf_cstr(&from), strbuf_cstr(&to), d);
    } else if (st == STATUS_OK) {
        const struct location at = {.file = p->name};
        diag_warning(d, &at, "gnuplot did not draw %s.%s (exit status %d): %s", p->name, ext, code, last_words(&said));
        st = os_remove_tree(strbuf_cstr(&from), d);
    }
    strbuf_fini(&image);
    for (size_t i = 0; i < 5; i++) {
        strbuf_fini(all[i]);
    }
    return st;
}

static enum status check_memory(const struct picture *p, const struct strbuf *script, struct diag *d)
{
    return script->failed || p->vars.failed || p->data.failed
               ? diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for a plot")
               : STATUS_OK;
}

static enum status draw(const char *where, const struct picture *p, struct diag *d)
{
    TRY(draw_one(where, p, "png", d));
    return draw_one(where, p, "svg", d);
}

enum status picture_write(struct run_dir *dir, const char *prefix, const struct picture *p, bool draws, struct diag *d)
{
    struct strbuf script;
    struct strbuf where;
    char file[128];
    strbuf_init(&script);
    strbuf_init(&where);
    build_script(p, &script);
    enum status st = check_memory(p, &script, d);
    if (st == STATUS_OK) {
        snprintf(file, sizeof(file), "%s%s.dat", prefix, p->name);
        st = run_dir_write(dir, file, strbuf_cstr(&p->data), p->data.len, d);
    }
    if (st == STATUS_OK) {
        snprintf(file, sizeof(file), "%s%s.gp", prefix, p->name);
        st = run_dir_write(dir, file, strbuf_cstr(&script), script.len, d);
    }
    if (st == STATUS_OK && draws) {
        strbuf_addf(&where, "%s/%s", run_dir_part(dir), prefix);
        st = draw(strbuf_cstr(&where), p, d);
    }
    strbuf_fini(&where);
    strbuf_fini(&script);
    return st;
}

enum status picture_write_into(const char *dir, const struct picture *p, bool draws, struct diag *d)
{
    struct strbuf script;
    struct strbuf path;
    strbuf_init(&script);
    strbuf_init(&path);
    build_script(p, &script);
    enum status st = check_memory(p, &script, d);
    if (st == STATUS_OK) {
        st = os_make_dir(dir, d);
    }
    if (st == STATUS_OK) {
        strbuf_addf(&path, "%s/%s.dat", dir, p->name);
        st = os_write_file(strbuf_cstr(&path), strbuf_cstr(&p->data), p->data.len, d);
    }
    if (st == STATUS_OK) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s.gp", dir, p->name);
        st = os_write_file(strbuf_cstr(&path), strbuf_cstr(&script), script.len, d);
    }
    if (st == STATUS_OK && draws) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/", dir);
        st = draw(strbuf_cstr(&path), p, d);
    }
    strbuf_fini(&path);
    strbuf_fini(&script);
    return st;
}

/* ---- placing ---- */

static double overlap(double x0, double y0, double x1, double y1, const double b[4])
{
    const double w = fmin(x1, b[2]) - fmax(x0, b[0]);
    const double h = fmin(y1, b[3]) - fmax(y0, b[1]);
    return w > 0 && h > 0 ? w * h : 0;
}

void picture_place(const struct picture_point *points, size_t n, double w, double h, double nx, double ny,
                   double (*keep_out)[4], size_t keep_out_n, double *x, double *y)
{
    enum { STEPS = 40 };
    double best = INFINITY;
    *x = nx;
    *y = ny;
    for (int i = 0; i <= STEPS; i++) {
        for (int k = 0; k <= STEPS; k++) {
            const double cx = w / 2 + 0.01 + (0.98 - w) * i / STEPS;
            const double cy = h / 2 + 0.01 + (0.98 - h) * k / STEPS;
            double cost = hypot(cx - nx, cy - ny);
            for (size_t j = 0; j < keep_out_n; j++) {
                cost += 1e5 * overlap(cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2, keep_out[j]);
            }
            for (size_t j = 0; j < n; j++) {
                cost += fabs(points[j].x - cx) < w / 2 + 0.01 && fabs(points[j].y - cy) < h / 2 + 0.015 ? 10 : 0;
            }
            if (cost < best) {
                best = cost;
                *x = cx;
                *y = cy;
            }
        }
    }
}
