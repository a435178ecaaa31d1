/* layers.h - a run of many shapes as the networks they are layers of.
 *
 * A network is what a list of shapes is for one target and one variant. Each
 * layer stands with its best tiling, counted as often as it occurs, so that the
 * times add up to the network's. A network of one layer is none.
 *
 * Every layer is launched by itself: its launch is part of its time. */
#ifndef REPORT_LAYERS_H
#define REPORT_LAYERS_H

#include "record/run_dir.h"
#include "sweep/collect.h"

struct layer {
    const struct collect_cell *cell;
    const struct record *best; /* NULL: no feasible tiling, or a row that cannot be taken */
};

/* Sums over the layers that have a tiling; times in mcyc of the target. */
struct network {
    const struct cell *first; /* network, target, variant */
    struct layer *layers;
    size_t count, missing; /* different layers; of these, without a tiling */
    int64_t occurs;        /* layers counted as often as they occur */
    int64_t task, launch;
    int64_t bound[PIPE_N]; /* core time of the layers this pipe binds */
    double at_peak;        /* time if the useful products were made at peak rate */
    double macs, issued;   /* useful; what the cube multiplies */
};

struct networks {
    struct network *v;
    size_t count;
    struct layer *layers; /* of all */
};

/* In the order of the cells. @return STATUS_NO_MEMORY. */
enum status networks_make(const struct collect *c, struct networks *out);
void networks_fini(struct networks *n);

/* layers.csv: one row a layer. */
void networks_csv(const struct networks *n, struct strbuf *out);
/* The section of summary.txt: totals of all networks, then their layers. */
void networks_text(const struct networks *n, struct strbuf *out);

/* The part of a time that is no core's: from the call to the first instruction. */
int64_t layer_launch(const struct record *r);
/* "3x3 stride 2 pad 1, 128 to 128, 56x56 to 28x28"; "2048x2048x2048". */
void layer_shape(const struct problem *p, struct strbuf *out);
/* "half", a variant's name where there are several. */
const char *network_variant(const struct network *n);

#endif
