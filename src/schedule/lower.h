/* lower.h - the facts of one step that its instructions and its sums share.
 * Internal to schedule/. lower.c: a step; lower_copy.c: GM->L1; lower_load.c:
 * L1->L0; lower_store.c: L0C->GM. */
#ifndef SCHEDULE_LOWER_H
#define SCHEDULE_LOWER_H

#include "schedule/lower_list.h"
#include "schedule/lower_load.h"

/* --- GM -> L1 (lower_copy.c) ------------------------------------------------ */

/* One GM->L1 copy of a chunk, of its scales, or of a bias or quant row. */
struct copy_shape {
    int32_t rows, row_bytes; /* rows as they lie in GM, bytes of each */
    int32_t chunk_k;         /* K elements brought; 0 for rows of bias and quant */
    int32_t insns;           /* 1, or one a row where a pitch does not fit its field */
    int32_t fills;           /* zero Fills behind it (MX, K tails) */
    int32_t halo;            /* conv: of the rows, those the M tile before this one brings too */
    int64_t fill_bytes;      /* of L1 they write */
};

/* Does a copy of `role` belong to this step, and does it move anything? */
bool lower_copy_due(const struct schedule *s, const struct step *step, enum role role);
void lower_copy_shape(const struct schedule *s, const struct step *step, enum role role, struct copy_shape *out);

/* Rows of A (columns of B) whose scales L1 holds in this tile; ROLE_A, ROLE_B. */
void lower_scale_rows(const struct schedule *s, const struct tile *tile, enum role role, int64_t *from,
                      int64_t *extent);

/* Its instructions, without flags. */
void lower_copy(struct list *l, const struct step *step, enum role role);
/* More than any copy takes. */
int64_t lower_copy_max(const struct schedule *s);

/* --- bias and quant rows (lower_rows.c) -------------------------------------- */

/* The tile's first Mmad starts from the bias row: only its first K slice does. */
bool lower_bias_due(const struct schedule *s, const struct step *step);
/* Quant words come and go with the tile: the first step brings them to FB, the
 * last one frees their row in L1. */
bool lower_quant_due(const struct schedule *s, const struct step *step);

/* Bytes of the moves L1->BT and L1->FB. */
int64_t lower_bias_bytes(const struct schedule *s, const struct step *step);
int64_t lower_quant_bytes(const struct schedule *s, const struct step *step);

/* GM->L1 of the rows, with their flags. */
void lower_rows_copy(struct list *l, const struct step *step);
/* MTE1's part, behind the loads of the step and before they are handed to the cube. */
void lower_rows_load(struct list *l, const struct step *step);

/* --- L1 -> L0 --------------------------------------------------------------- */

/* What lies between one operand's L1 image and L0 in a step. */
struct load_sums {
    int32_t calls;
    int64_t bytes, scale_bytes;
};
void lower_load_sums(const struct schedule *s, const struct step *step, enum role role, struct load_sums *out);

/* The L1 image of an operand is Zz: b32 for WithTranspose on 2201. */
bool lower_zz(const struct schedule *s, enum role role);

/* The tile's one row of A is read as a vector. */
bool lower_gemv(const struct schedule *s, const struct tile *tile);

/* --- Mmad, Fixpipe (lower.c, lower_store.c) ----------------------------------- */

/* m, n and k the Mmad is issued with: one row becomes 16 where m = 1 would mean
 * GEMV, n is padded where the load pads L0B, k where scales ask for 64. */
int32_t lower_mmad_m(const struct schedule *s, const struct step *step);
int32_t lower_mmad_n(const struct schedule *s, const struct step *step);
int32_t lower_mmad_k(const struct schedule *s, const struct step *step);

/* What Fixpipe writes: C's dtype, or the accumulator's to the workspace. */
enum dtype lower_store_dtype(const struct schedule *s);

void lower_fixpipe(struct list *l, const struct step *step);

/* Successive Mmads into one L0C tile need PipeBarrier<PIPE_M> when small. */
uint8_t lower_mmad_barrier(int32_t m, int32_t n);

#endif
