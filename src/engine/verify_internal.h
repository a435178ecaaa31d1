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
    const struct schedule *users; /* as given */
    struct schedule own;          /* when the schedule runs on other data than the user's */
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
/* Opens a window for the following stores: `rows` memory rows from `row0`. Its
 * columns are those stored, which may be more than `cols` (schedule_store_columns). */
enum status verify_open_window(struct verify *v, int64_t row0, int64_t col0, int64_t rows, int64_t cols);
/* Memory row of C (workspace) where a tile's row 0 of C would lie. */
int64_t verify_plane_row(const struct schedule *s, const struct tile *tile);
/* Executes one step of a core (with the test's tamper). */
enum status verify_exec_step(struct verify *v, int32_t core, int64_t i, struct diag *d);
/* Prologue or epilogue of a core. */
enum status verify_exec_edge(struct verify *v, int32_t core, bool prologue, struct diag *d);
/* Compares the open window with the reference. STATUS_MISMATCH. */
enum status verify_compare(struct verify *v, const struct c_check *check, struct diag *d);

/* All of C in the open window against intervals in which it lies whatever the
 * order of its sums (verify_bound.c). */
bool verify_bound_possible(const struct schedule *s);
enum status verify_bounded(struct verify *v, struct diag *d);

enum status verify_classes(struct verify *v, struct verify_outcome *out, struct diag *d);

/* Level layout: GM of element ids, and the check in a Mmad's place. */
enum status verify_read_ids_a(void *ctx, int64_t byte, int64_t len, uint8_t *out);
enum status verify_read_ids_b(void *ctx, int64_t byte, int64_t len, uint8_t *out);
/* Before a MmadMx: both operands hold zeros behind the step's k, up to the next 64 (kernel_rules 6). */
enum status verify_mx_tail(struct verify *v, const struct step *step, const struct insn *insn, struct diag *d);
enum status verify_layout_mmad(struct verify *v, const struct step *step, const struct insn *insn, struct diag *d);

/* What the instructions of a tile depend on, but for its place in C. */
struct tile_form {
    int32_t m, n, k;
    int32_t extent[2], offset[2]; /* of what L1 holds, and the tile's place in it */
    int32_t start;                /* K block the tile starts with (shuffleK) */
    int32_t map[4];               /* conv: rows in L1, their paddings, first point of the tile in them */
    uint8_t load[2], release[2], resident[2];
    uint8_t first_slice; /* its sums start from the bias */
    uint8_t pad;
    int32_t scale_extent[2], scale_offset[2]; /* of the scales L1 holds, and the tile's place in them */
    uint8_t load_scales[2], pad3[2];
};

/* All that the run of a pattern depends on. Zeroed before it is filled, so it
 * compares as bytes. */
struct pattern_key {
    const struct target *target;
    struct operand a, b, c, bias, scale_a, scale_b, quant;
    double deq_scale;
    uint8_t relu, hf32, pad2[6];
    struct conv_shape conv;
    int64_t K;
    uint64_t seed;
    struct tiling t; /* geometry fields zeroed */
    struct tile_form tile, before;
    struct phase entry;
    uint8_t first, layout;
    uint64_t stream; /* verify_stream(): what the instructions are, wherever the tile lies */
};

/* The shared set of keys; `c` may be NULL. */
bool verify_cache_has(struct verify_cache *c, const struct pattern_key *key);
void verify_cache_add(struct verify_cache *c, const struct pattern_key *key);
/* Fills a key but for `stream`. */
void verify_make_key(const struct verify *v, const struct tile_form *tile, const struct tile_form *before,
                     const struct step *entry, struct pattern_key *key);

/* How far one tile's step lies from another's. */
struct shift {
    int64_t dm, dn, dk;    /* elements of C and K */
    int64_t batch, dbatch; /* batch of the pattern's tile, and how many further */
    int64_t dplane;        /* memory rows of the plane stored to */
    int64_t map_points;    /* conv: points of the map from the pattern's first row to this tile's */
};

struct step_id {
    int32_t core;
    int64_t i;
};

/* How far `to` lies from `from`; `from` NULL: from the origin of everything. */
struct shift verify_shift(const struct schedule *s, const struct tile *from, const struct tile *to);

/* Step `x` must repeat step `ref` but for GM addresses, which must have moved
 * `by`. STATUS_MISMATCH with both instructions. */
enum status verify_compare_steps(struct verify *v, struct step_id ref, struct step_id x, const struct shift *by,
                                 struct diag *d);

/* Hash of all instructions of a tile with GM addresses counted from where its
 * place in C says they begin, continuing from `h`. */
uint64_t verify_stream(struct verify *v, const struct tile *tile, uint64_t h);

#endif
