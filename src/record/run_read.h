/* run_read.h - a finished run as it lies on disk: what its manifest says, its
 * rows, the errors of its results. */
#ifndef RECORD_RUN_READ_H
#define RECORD_RUN_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "text/csv.h"

/* One cell of the manifest. */
struct run_cell {
    const char *name;                     /* "ascend910b1/2048x2048x2048/base" */
    const char *target, *label, *variant; /* its three parts */
    uint64_t tilings, feasible;
    const char *best; /* canonical name of the best tiling; NULL: none is feasible */
    int64_t task;     /* its time, mcyc */
};

struct run_read {
    const char *path; /* the directory */
    const char *name; /* of the run */
    uint64_t mismatched;
    struct run_cell *cells; /* cell i is number i in tilings.csv and best/celli.yaml */
    size_t count;
};

/* Reads DIR/manifest.json; `path` may also be the name of a run in results/.
 * Everything lives in `arena`.
 * @return STATUS_IO if there is no such directory; STATUS_INVALID if it is no
 * finished run, or one of another file format or time model (with both numbers
 * and what to do). */
enum status run_read(const char *path, struct arena *arena, struct run_read *out, struct diag *d);

/* DIR/tilings.csv; the rows of all cells, or of the best tilings of a large run. */
enum status run_read_rows(const struct run_read *run, struct arena *arena, struct csv_table *out, struct diag *d);

/* Path of the config that reproduces the best tiling of a cell, in `arena`; NULL on lack of memory. */
const char *run_best_path(const struct run_read *run, size_t cell, struct arena *arena);

/* How far C is from a product in double of the inputs as given. */
struct run_error {
    bool known;
    double max_abs, rms, rel_rms, cosine;
};

/* DIR/errors.csv, which a run has if it was given data of that kind: the errors
 * of `count` cells by their number. Absent: none is known. */
enum status run_read_errors(const char *dir, size_t count, struct arena *arena, struct run_error *out, struct diag *d);

#endif
