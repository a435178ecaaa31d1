/* errors.h - the numerical error of C, cell by cell: errors.csv and its words.
 *
 * errors.csv stands in the directory of a run whose config says what the operands
 * hold (`inputs`), one row for each cell with a feasible tiling:
 *
 *   cell      number of the cell, as in tilings.csv
 *   variant   its name, "base" where the config has none
 *   target    the chip's name
 *   shape     MxNxK, before it "bN_" of N batch elements or "gN_" of N groups (M: of all)
 *   dtypes    A*B->C, "mx_fp8_e4m3*mx_fp8_e4m3->bf16"
 *   elements  of C that were compared; all of a small problem, else a sample
 *   total     elements of C
 *   max_abs   largest |c - exact|
 *   rms       root of the mean of (c - exact)^2
 *   rel_rms   rms over the root of the mean of exact^2
 *   cosine    of the angle between C and exact
 *
 * Figures have nine digits; inf and nan follow an overflow of C. exact is the sum in double of the unquantised products (engine/accuracy.h).
 * The rows depend on the config alone: not on threads, tilings, or a resume. */
#ifndef REPORT_ERRORS_H
#define REPORT_ERRORS_H

#include "record/run_dir.h"
#include "study/study.h"
#include "sweep/collect.h"

/* One cell's figures. */
struct error_row {
    bool known; /* the cell has inputs and a feasible tiling */
    struct accuracy accuracy;
};

/* A row for each cell of the experiment; `rows` is the caller's, of e->count. */
enum status errors_measure(const struct collect *c, struct error_row *rows, struct diag *d);

/* errors.csv; nothing is added if no cell has a row. */
void errors_csv(const struct experiment *e, const struct error_row *rows, struct strbuf *out);

/* "before quantisation A is normal, mean 0, ..; B is ..", one line. */
void errors_inputs(const struct problem *p, struct strbuf *out);

/* "error of C: RMS 3.4 % of C's own, ...", one line. */
void errors_line(const struct accuracy *a, struct strbuf *out);

#endif
