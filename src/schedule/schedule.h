/* schedule.h - one tiling as work: tiles, steps, instructions.
 *
 * Three levels, each a pure function of the one above, so that any part runs
 * on any thread in constant memory:
 *   schedule_tile_at(core, t)  ->  schedule_step_at(core, i)  ->  schedule_expand(step)
 * and schedule_step_work(step), the sums over the step's instructions without
 * expanding them. The engine, race check, listing, trace, emitter and
 * timing_ref read instructions; timing_fast, byte counts and bounds read
 * step_work; a test holds the two together on every step. */
#ifndef SCHEDULE_SCHEDULE_H
#define SCHEDULE_SCHEDULE_H

#include "base/limits.h"
#include "tiling/plan.h"

struct tile {
    int64_t t; /* number of the tile on its core, from 0 */
    int32_t core;
    int32_t m0, n0, m, n;  /* origin and real extent in C, elements */
    int32_t k0, k;         /* K slice */
    int32_t kslice, batch; /* batch: of a grouped matmul the group; m0 counts from the first one's */
    uint8_t first, last;   /* first, last tile of the core */
    uint8_t pos_m, pos_n;  /* position in stepM x stepN */
    /* What L1 holds for this tile, and since when: A rows (B columns) of C
     * [from, from + extent). `load`: this tile brings it; `release`: this tile
     * is the last to read it. Chunked operands do both in every tile. */
    struct tile_hold {
        int32_t from, extent;
        int64_t ordinal; /* L1 loads of the operand on this core before this tile */
        int64_t scales;  /* and of its MX scales */
        uint8_t load, release;
        uint8_t resident;    /* the slots already hold these chunks: copies are skipped */
        uint8_t load_scales; /* with the first chunk: its MX scales, or (scaleFactorM/N) those of a span of tiles */
        uint8_t pad[4];
        int32_t scale_from, scale_extent; /* rows (columns) of C whose scales L1 holds */
    } hold[2];                            /* ROLE_A, ROLE_B */
    int64_t step0;                        /* steps of the core before this tile */
};

struct phase {
    uint8_t a, b, sa, sb, l0a, l0b, l0c; /* ping/pong index of each buffer in this step */
};

enum step_due {
    DUE_COPY_A = 1 << 0, /* a chunk of A is copied GM->L1 before this step's loads */
    DUE_COPY_B = 1 << 1,
    DUE_COPY_SA = 1 << 2, /* with DUE_COPY_A: a chunk of A's scales too */
    DUE_FIRST_A = 1 << 3, /* first step that reads the current chunk of A: waits for it */
    DUE_FIRST_B = 1 << 4,
    DUE_LAST_A = 1 << 5, /* last step of the chunk, or of the tile: releases it */
    DUE_LAST_B = 1 << 6,
    DUE_INIT = 1 << 7,   /* first K step of the tile: Mmad starts from 0 */
    DUE_STORE = 1 << 8,  /* last K step of the tile: Fixpipe follows */
    DUE_KEEP_A = 1 << 9, /* with DUE_COPY_A: the slot holds the chunk already; flags cycle, nothing moves */
    DUE_KEEP_B = 1 << 10,
    DUE_COPY_SB = 1 << 11
};

struct step {
    struct tile tile;
    struct phase ph;
    int32_t k0, k; /* K origin within the tile's slice (shuffleK: in walking order), and real extent, elements */
    uint16_t due;  /* enum step_due */
    uint16_t pad;
    uint32_t index; /* i: number of the step on its core */
};

/* Sums over the instructions of one step. */
struct step_work {
    int32_t rows[ROLE_N], row_bytes[ROLE_N]; /* GM->L1 copy due in this step: rows and bytes a row; 0 if none */
    int32_t chunk_k[ROLE_N];                 /* K elements of that copy */
    int32_t insns[PIPE_N];                   /* instructions that occupy the pipe (no flags, no barriers) */
    int32_t copies[ROLE_N];                  /* GM->L1 instructions of that copy (row copies: one a row) */
    int32_t fills[ROLE_N];                   /* Fills of L1 with zeros (MX, K tails), on MTE2 */
    int64_t fill_bytes;                      /* of L1 these write */
    int32_t calls[ROLE_N];                   /* L1->L0 (BT, FB) instructions per operand, all of equal bytes */
    int64_t bytes[PATH_N];
    int64_t halo;                   /* conv: bytes of A's copy that the M tile before this one brings too */
    int32_t frac_m, frac_n, frac_k; /* fractal products of the Mmad = frac_m * frac_n * frac_k */
    int64_t macs;                   /* real m * n * k */
    int32_t store_m, store_n;       /* Fixpipe, 0 if none */
    uint8_t mmad_barrier;           /* a PIPE_M barrier follows the Mmad */
};

/* How one operand lives in L1. */
enum hold_mode {
    HOLD_CHUNKS = 0, /* K chunks of stepK base blocks, every tile */
    HOLD_GROUP,      /* all K of stepM (stepN) base blocks, for the tiles of a group */
    HOLD_FULL        /* all K of the core's slice, for all its tiles */
};

/* A schedule: everything derived once from (target, problem, tiling, plan).
 * Borrows target and problem. Plain data after init; read-only, so any number
 * of threads may share it. */
struct schedule {
    const struct target *target;
    const struct problem *problem;
    struct tiling t;
    struct plan plan;
    int32_t cores;                     /* launched */
    int32_t cores_active;              /* own at least one tile */
    int32_t tiles_m, tiles_n;          /* base tiles over the whole C; tiles_m: of all groups */
    int32_t slices_m, slices_n;        /* grid slices */
    int32_t rounds_per;                /* grid slices along M per L2 round */
    int32_t batch_ways;                /* grid: sets of cores that share the batches of a conv */
    int32_t parts;                     /* K slices; all but the last have singleCoreK */
    int32_t nk;                        /* K steps of a tile of a full slice */
    int32_t nk_last;                   /* and of the last slice */
    int32_t chunks[2], chunks_last[2]; /* L1 loads of A, B in such tiles (HOLD_CHUNKS) */
    uint8_t hold[2];                   /* enum hold_mode */
    uint8_t acc;                       /* enum dtype of the accumulator */
    uint8_t pad;
    int32_t image_rows[2], image_cols[2]; /* L1 images of A, B (plan_image) */
    int32_t group_tiles_m[LIMIT_GROUPS];  /* base tiles along M up to the end of each group; only of a grouped matmul */
};

/* Needs a feasible plan. @return STATUS_UNSUPPORTED for what is not lowered. */
enum status schedule_init(struct schedule *s, const struct target *target, const struct problem *p,
                          const struct tiling *t, const struct plan *plan, struct diag *d);

int64_t schedule_tiles(const struct schedule *s, int32_t core);
int64_t schedule_steps(const struct schedule *s, int32_t core);
/* t < schedule_tiles(core). */
void schedule_tile_at(const struct schedule *s, int32_t core, int64_t t, struct tile *out);
/* i < schedule_steps(core). */
void schedule_step_at(const struct schedule *s, int32_t core, int64_t i, struct step *out);
/* The k-th step of a tile of schedule_tile_at; k < schedule_tile_steps(tile). */
void schedule_step_of(const struct schedule *s, const struct tile *tile, int32_t k, struct step *out);
void schedule_step_work(const struct schedule *s, const struct step *step, struct step_work *out);

/* Instructions of one step in program order: waits, copies, loads, Mmad,
 * Fixpipe, sets. @return the count, <= schedule_expand_max(). */
int schedule_expand(const struct schedule *s, const struct step *step, struct insn *out);
int schedule_expand_max(const struct schedule *s);

/* Preset flags and mode registers before the first step; waits that drain
 * them after the last. <= SCHEDULE_EDGE_MAX each. */
#define SCHEDULE_EDGE_MAX 64
int schedule_prologue(const struct schedule *s, int32_t core, struct insn *out);
int schedule_epilogue(const struct schedule *s, int32_t core, struct insn *out);

/* Columns Fixpipe stores of columns [n0, n0 + n) of C: n, or with those that
 * fill up the last channel block of a conv's NC1HWC0 result. */
int64_t schedule_store_columns(const struct schedule *s, int64_t n0, int64_t n);

/* K steps of a tile. */
int32_t schedule_tile_steps(const struct schedule *s, const struct tile *tile);

/* Steps after which all ping/pong phases and chunk positions repeat inside a tile. */
int64_t schedule_period(const struct schedule *s);

/* True when one period of a tile differs from the next in GM addresses only:
 * both operands in chunks, K walked in order. */
bool schedule_periodic(const struct schedule *s);

/* Totals over all cores from step_work, in closed form per distinct tile. */
struct schedule_totals {
    int64_t bytes[PATH_N];
    int64_t copied[ROLE_N]; /* of bytes[PATH_GM_L1]: each operand's, bytes */
    int64_t halo;           /* part of bytes[PATH_GM_L1] */
    int64_t fill_bytes;     /* zeros written to L1 */
    int64_t macs;           /* real m * n * k; a conv's k counts channels that fill up a block */
    int64_t fractals;       /* fractal products the cube makes */
    uint64_t steps, insns, fills, tiles;
};
void schedule_totals(const struct schedule *s, struct schedule_totals *out);

#endif
