/* points.h - all points of an experiment as one row of numbers.
 *
 * Point p in [0, total) is a pure function of p: the cells one after the other,
 * in each its indices in order (or, for `search: sample`, a sorted sample of
 * them). A cell that cannot be taken has one point, so it stays as a row. */
#ifndef SWEEP_POINTS_H
#define SWEEP_POINTS_H

#include "experiment/experiment.h"

struct points {
    const struct experiment *experiment;
    uint64_t *first; /* first point of each cell, then the total */
};

/* STATUS_LIMIT when the total exceeds LIMIT_SPACE_POINTS. */
enum status points_init(struct points *p, const struct experiment *e, struct diag *d);
void points_fini(struct points *p);

uint64_t points_total(const struct points *p);
/* Cell of point `point`, and its index in that cell's space. */
const struct cell *points_at(const struct points *p, uint64_t point, uint64_t *index);

/* Start of piece i of `pieces` equal pieces of [0, size). */
uint64_t points_piece(uint64_t i, uint64_t size, uint64_t pieces);

#endif
