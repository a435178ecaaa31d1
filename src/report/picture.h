/* picture.h - one plot: variables, data, script, and gnuplot's PNG and SVG of it.
 *
 * The script in the results is whole: the variables, then style.gp, then
 * NAME.gp (both from scripts/gnuplot, carried in the binary). `gnuplot NAME.gp`
 * in its directory draws NAME.png again, `gnuplot -e "out='x.svg'" NAME.gp` an
 * SVG. */
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "record/run_dir.h"

struct picture {
    const char *name;  /* of the files: "heatmap" */
    const char *draws; /* scripts/gnuplot/DRAWS.gp; picture_init: as `name` */
    int width, height; /* of the SVG, in pixels; the PNG has twice as many */
    struct strbuf vars, data;
};

void picture_init(struct picture *p, const char *name, int width, int height);
void picture_fini(struct picture *p);

/* gnuplot variables for the script. */
void picture_text(struct picture *p, const char *var, const char *text);
void picture_real(struct picture *p, const char *var, double v);
/* Starts a named block of the data file: `index 'name'` in the script. */
void picture_block(struct picture *p, const char *name);
/* `text` as one quoted field of a data row. */
void picture_quoted(struct strbuf *out, const char *text);

/* Writes plots/NAME.dat and .gp below `prefix` ("plots/") and draws them.
 * Drawing that fails is a warning; data and script stay. `draws` false: only
 * data and script. */
enum status picture_write(struct run_dir *dir, const char *prefix, const struct picture *p, bool draws, struct diag *d);

/* The same in a directory that is no run's; it is made. */
enum status picture_write_into(const char *dir, const struct picture *p, bool draws, struct diag *d);

/* ---- placing text among points ---- */

struct picture_point {
    double x, y; /* 0..1 in the plot area */
};

/* Where a box of `w` x `h` (in plot areas) covers the fewest points, nearest to
 * (nx, ny) among those; *x, *y: its centre. `keep_out`: boxes {x0, y0, x1, y1}. */
void picture_place(const struct picture_point *points, size_t n, double w, double h, double nx, double ny,
                   double (*keep_out)[4], size_t keep_out_n, double *x, double *y);

#endif
