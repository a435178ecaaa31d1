/* summary.h - summary.txt: what a person reads first. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "sweep/collect.h"

/* Percent: tilings whose time is within it of the best are not distinguishable. The
 * model's own error on board runs like the best that it was not fitted to (target_error()). */
double summary_band(const struct cell *cell, int64_t best);
bool summary_indistinct(const struct cell *cell, int64_t task, int64_t best);
/* Where the band comes from: "held-out matmul runs above 50 us: median ...: R003, R008". */
void summary_band_source(const struct cell *cell, int64_t best, struct strbuf *out);

/* Networks, if cells are layers of some (layers.h). For each cell: what its
 * operands hold and how large the error of C is, if `errors` (one row a cell;
 * NULL: none) knows; the best tilings ranked, with time, share of peak, what binds,
 * GM bytes and headroom; then why points were infeasible. */
struct error_row;
void summary_text(const struct collect *c, const struct error_row *errors, struct strbuf *out);

/* Rows a base block (baseM x baseN) has in the table if others can fill it. */
#define SUMMARY_BLOCK_ROWS 3

/* The ranked table of one cell, at most `rows` rows. Of a base block only the
 * first few are shown, with their true ranks, rank 1 on top; below it stands how
 * many are folded away, and what makes rows `unvalidated`. */
void summary_table(const struct collect_cell *cell, int32_t rows, struct strbuf *out);

/* Reasons of infeasible points, most frequent first, each line after `indent`. */
void summary_reasons(const struct collect_cell *cell, const char *indent, struct strbuf *out);

/* Of a conv a second line says its shape. "matmul M 2048, N 2048, K 2048: A half ND, B half ND transposed, C half ND" */
void summary_problem(const struct problem *p, struct strbuf *out);

/* msprof's name of a pipe's busy counter: "mac", "mte1", "mte2", "fixpipe". */
const char *summary_counter(enum pipe pipe);

/* GM bytes of a tiling: all, what any kernel must move, what reaches HBM. */
void summary_gm(const struct record *r, struct strbuf *out);

/* "1.50 MiB", "512 B": three digits and a binary unit. */
void summary_bytes(int64_t bytes, struct strbuf *out);

#endif
