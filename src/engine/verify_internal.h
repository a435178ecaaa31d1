/* verify_internal.h - shared by verify.c (running) and verify_classes.c (patterns). */
#ifndef ENGINE_VERIFY_INTERNAL_H
#define ENGINE_VERIFY_INTERNAL_H

#include "base/arena.h"
#include "engine/engine.h"
#include "engine/reference.h"
#include "engine/verify.h"
#include "schedule/race.h"

/* Where stores to C (or to the split-K workspace) land: a window of its memory
 * rows and columns. */
struct c_window {
    int64_t row0, col0, rows, cols; /* elements as they lie in memory; batches and planes follow each other */
    int64_t pitch, es;              /* of the tensor in GM, bytes; pitch: ND row */
    int64_t nz_width;               /* Nz: elements of a block row; 0: ND */
    int64_t nz_rows, nz_columns;    /* Nz: rows, padded to 16, and block columns of one batch */
    int64_t batch_rows;             /* Nz: rows of one batch; NHWC of several groups: rows of one image */
    int64_t group_cols, groups; /* NHWC: columns of one group; groups side by side. Window rows: batch after batch */
    enum dtype dtype;
    uint8_t *data;  /* rows x cols elements without gaps */
    uint8_t *count; /* stores seen per element */
};

/* One comparison: this block of C, summed over these K ranges, from the
 * window's row `row` on; each element stored `stores` times. */
struct c_check {
    struct c_block block;
    int64_t row;
    struct k_range ranges[2];
    int stores;
};

struct verify {
    struct verify_cache *cache;
    const struct target *engine_target;
    struct engine *engine;
    struct race *race;
    struct arena arena;
    struct insn *insns, *others; /* two lists, in the arena, per schedule */
    int insn_cap;
    const struct schedule *s;
    struct schedule own; /* when the schedule runs on other data than the user's */
    struct problem own_problem;
    struct c_window window;
    float c_start;     /* what C holds before the program, where it is added to */
    int32_t race_core; /* core whose whole stream passed the race check last, -1: none */
    bool layout;       /* ids instead of data, no products */
    bool unsure;       /* layout: a tile run for what it leaves; its own reads may be cut short */
    verify_tamper *tamper;
    void *tamper_ctx;
};

/* A list as the test wants it; unchanged without a tamper. @return the new count. */
int verify_tampered(struct verify *v, struct insn *insns, int count);
/* Opens a window for the following stores: `rows` memory rows from `row0`. */
enum status verify_open_window(struct verify *v, int64_t row0, int64_t col0, int64_t rows, int64_t cols);
/* Memory row of C (workspace) where a tile's row 0 of C would lie. */
int64_t verify_plane_row(const struct schedule *s, const struct tile *tile);
/* Executes one step of a core (with the test's tamper). */
enum status verify_exec_step(struct verify *v, int32_t core, int64_t i, struct diag *d);
/* Prologue or epilogue of a core. */
enum status verify_exec_edge(struct verify *v, int32_t core, bool prologue, struct diag *d);
/* Compares the open window with the reference. STATUS_MISMATCH. */
enum status verify_compare(struct verify *v, const struct c_check *check, struct diag *d);

enum status verify_classes(struct verify *v, struct verify_outcome *out, struct diag *d);

/* Level layout: GM of element ids, and the check in a Mmad's place. */
enum status verify_read_ids_a(void *ctx, int64_t byte, int64_t len, uint8_t *out);
enum status verify_read_ids_b(void *ctx, int64_t byte, int64_t len, uint8_t *out);
enum status verify_layout_mmad(struct verify *v, const struct step *step, const struct insn *insn, struct diag *d);

#endif
