/* lower.h - the facts of one step that its instructions and its sums share.
 * Internal to schedule/. */
#ifndef SCHEDULE_LOWER_H
#define SCHEDULE_LOWER_H

#include "schedule/schedule.h"

/* One GM->L1 copy of a chunk. */
struct copy_shape {
    int32_t rows, row_bytes; /* rows as they lie in GM, bytes of each */
    int32_t chunk_k;         /* K elements brought */
    int32_t insns;           /* 1, or one a row where a pitch does not fit its field */
};

void lower_copy_shape(const struct schedule *s, const struct step *step, enum role role, struct copy_shape *out);

/* Instructions of one operand's load and the bytes they move together. */
void lower_load_sums(const struct schedule *s, const struct step *step, enum role role, int32_t *calls,
                     int64_t *bytes);

/* The tile's one row of A is read as a vector. */
bool lower_gemv(const struct schedule *s, const struct tile *tile);

/* m and n the Mmad is issued with: one row becomes 16 where m = 1 would mean GEMV. */
int32_t lower_mmad_m(const struct schedule *s, const struct step *step);
int32_t lower_mmad_n(const struct schedule *s, const struct step *step);

/* What Fixpipe writes: C's dtype, or the accumulator's to the workspace. */
enum dtype lower_store_dtype(const struct schedule *s);

/* Successive Mmads into one L0C tile need PipeBarrier<PIPE_M> when small. */
uint8_t lower_mmad_barrier(int32_t m, int32_t n);

#endif
