/* study.h - evaluate one point: the only caller of engine and timing together. */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "engine/accuracy.h"
#include "experiment/experiment.h"
#include "record/record.h"
#include "timing/timing.h"

/* Per-thread context: engine, timing context, verification cache, arena. */
struct study;

/* `shared_classes` (may be NULL) lets threads share verified pattern keys. */
struct study_classes; /* keys verified so far in this process; thread safe */
enum status study_classes_create(struct study_classes **out);
void study_classes_destroy(struct study_classes *c);

enum status study_create(struct study_classes *classes, struct study **out);
void study_destroy(struct study *s);

/* Evaluates point `index` of a cell: resolve, plan, schedule, time, verify at
 * `level`. Infeasible and mismatched points are results (STATUS_OK); the
 * mismatch is described in `d`. Other statuses are failures of the program's
 * surroundings (memory). Deterministic: the record depends on nothing but
 * (cell, index, level). */
enum status study_evaluate(struct study *s, const struct cell *cell, uint64_t index, enum verify_level level,
                           struct record *out, struct diag *d);

/* Same for a given tiling (--tiling NAME); autos allowed. out->index is the
 * index in the cell's space or UINT64_MAX. */
enum status study_evaluate_tiling(struct study *s, const struct cell *cell, const struct tiling *t,
                                  enum verify_level level, struct record *out, struct diag *d);

/* C of a tiling, computed by the engine (verify_compute_c). `out` grows by
 * dtype_bytes(C, batch * M * N) bytes. */
enum status study_compute_c(struct study *s, const struct cell *cell, const struct tiling *t, struct strbuf *out,
                            struct diag *d);

/* Does the cell say what its operands hold before quantisation, so that the error
 * of C means something? */
bool study_has_error(const struct cell *cell);
/* Error of C against the product of the unquantised operands. It is the cell's,
 * whatever the tiling (engine/accuracy.h). */
enum status study_error(const struct cell *cell, struct accuracy *out, struct diag *d);

/* Schedule of a record's tiling, for explain, timeline, listing. */
enum status study_schedule(const struct cell *cell, const struct tiling *t, struct schedule *out,
                           struct infeasible *why, struct diag *d);

/* The study's timing context, e.g. for timing_ref_core. */
struct timing *study_timing(struct study *s);

#endif
