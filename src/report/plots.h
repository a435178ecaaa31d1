/* plots.h - the pictures of a run.
 *
 * Each picture is a data file and a self-contained gnuplot script in plots/,
 * and what gnuplot makes of them: NAME.png (2x) and NAME.svg. Data and script
 * stay for whoever wants to plot again: `cd plots && gnuplot NAME.gp`. */
#ifndef REPORT_PLOTS_H
#define REPORT_PLOTS_H

#include "record/run_dir.h"
#include "sweep/collect.h"

/* Writes the pictures the config asks for, in plots/ (of several cells:
 * plots/cellN/, the first PLOTS_CELLS with a feasible tiling; the layers of
 * networks are one picture of all cells). What cannot be
 * drawn (no data, no gnuplot, gnuplot failed) is a warning in `d`. */
#define PLOTS_CELLS 8
enum status plots_write(struct run_dir *dir, const struct collect *c, struct diag *d);

#endif
