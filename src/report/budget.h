/* budget.h - where a tiling lies in the buffers, without simulating it.
 *
 * For one cell and one tiling: what is used and left of every buffer, the
 * address map, when each region is live, the event ids, the next larger tile
 * along each axis and what stops it, the feasible frontier, and the headroom
 * for a bias, a quant row and a fused epilogue. Everything is derived from
 * tiling/plan.h; nothing here computes an address. */
#ifndef REPORT_BUDGET_H
#define REPORT_BUDGET_H

#include "experiment/experiment.h"

/* Where the tiling came from. */
enum budget_source {
    BUDGET_GIVEN = 0, /* named by the user */
    BUDGET_AUTO,      /* the config's fixed fields, all others by their rule */
    BUDGET_SPACE      /* auto does not fit: the first point of the space that does */
};

struct budget {
    const struct cell *cell;
    struct problem problem; /* of the cell, complete */
    struct tiling given;    /* what is fixed; the rest TILING_AUTO */
    struct tiling t;        /* resolved */
    enum budget_source source;
    uint64_t index; /* BUDGET_SPACE: the point */
    struct plan plan;
    bool fits; /* plan_fits(); else why */
    struct infeasible why;
    struct infeasible missing; /* REASON_UNSUPPORTED: what the schedule does not lower yet */
};

/* Chooses and plans a tiling: `name` (canonical, may be partial) on top of
 * the config's fixed fields or, if NULL, those alone, with all else auto; if that does not fit, the first
 * point of the cell's space that does; if none does, the auto tiling as it is.
 * A cell that cannot be simulated yet (conv, ...) is planned all the same.
 * @return STATUS_INVALID: the name cannot be read, or the cell has no problem. */
enum status budget_choose(const struct cell *cell, const char *name, struct budget *out, struct diag *d);

/* The whole report, for people. */
void budget_text(const struct budget *b, struct strbuf *out);

/* Pictures in `dir` (made): `budget` the buffer map, `frontier` the feasible
 * base blocks of every dtype width. Without gnuplot data and scripts only,
 * with a warning. */
enum status budget_pictures(const struct budget *b, const char *dir, struct diag *d);

#endif
