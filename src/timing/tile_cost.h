/* tile_cost.h - the costs of a tile as integers: what its steps ask for
 * (struct shape_work, from step_work), and what its memory context makes of it
 * (struct tile_cost).
 *
 * Inside a tile only the last K block can differ from the others in its loads
 * and Mmad, and only the last chunk of an operand in its copy; the test of
 * equality with timing_ref, which expands every step, holds this true. */
#ifndef TIMING_TILE_COST_H
#define TIMING_TILE_COST_H

#include "timing/cost.h"
#include "timing/memctx.h"

/* Which of the two costs of a kind holds. */
enum { COST_FULL = 0, COST_LAST, COST_KINDS };

/* What comes in chunks: A, B and their scales. */
#define TILE_MOVED (ROLE_SB + 1)

/* Rows that come with a tile: bias, quant. */
enum { TILE_BIAS = 0, TILE_QUANT, TILE_ROWS };

/* One operand's chunk from GM to L1, in `insns` instructions of equal size. */
struct move {
    int32_t rows, row_bytes, chunk_k, insns;
    double bytes; /* rows * row_bytes */
    double alone; /* cost_rows */
};

/* The order of things in a tile. */
struct tile_program {
    int32_t nk;             /* K steps */
    int32_t start;          /* K block of the first step (shuffleK): then to the last block, then from 0 */
    int32_t moves[2];       /* chunks of A, B that are copied or kept */
    bool chunked[2];        /* in chunks of stepK; else one image for a group of tiles */
    bool loads[2];          /* this tile waits for chunks, or for the image it brings */
    bool releases[2];       /* an image is free again after this tile */
    bool keeps[2];          /* the chunks lie in L1 already: flags cycle, nothing moves */
    int32_t scales[2];      /* MX: scales come with every so many moves; 0: none, or as scale_moves says */
    int32_t scale_moves[2]; /* copies of scales in the tile */
    bool fills;             /* zeros behind a chunk of A or B */
    bool rows[TILE_ROWS];
};

/* What the steps of a tile of one shape do. */
struct shape_work {
    struct tile_program program;
    int32_t k;                                /* K extent of the tile */
    struct move move[TILE_MOVED][COST_KINDS]; /* A, B, their scales; no instructions where nothing moves */
    bool one_move[TILE_MOVED];                /* the last one is as the others */
    int64_t fill[2][COST_KINDS];              /* mcyc: zeros behind chunks of A, B */
    struct tile_row {
        struct move move;           /* GM->L1 */
        int64_t occupied, complete; /* of L1->BT, L1->FB, mcyc */
    } row[TILE_ROWS];
    int64_t load[2][COST_KINDS]; /* mcyc: A, B to L0 */
    int64_t mmad[COST_KINDS];    /* W */
    int64_t store;               /* Fixpipe */
    bool barrier;                /* PIPE_M after each Mmad */
    double read_bytes[2];        /* A, B bytes the tile brings from GM */
};

/* What the moves of a tile take when everything hits L2, in cycles. Depends on
 * the shape and a context's `active` and `shared` only. */
struct tile_hits {
    double rows[TILE_MOVED][COST_KINDS]; /* of one move, without the issue of instructions */
    double cycles;                       /* of all moves */
    double hbm;                          /* B/cycle HBM gives what misses */
};

/* What the memory context adds to the moves of a tile, in cycles over its whole K. */
struct tile_extra {
    double cycles[2]; /* moves of A, B: HBM extra + write-back */
};

/* A tile's costs; integers only, what timing_fast steps on. */
struct tile_cost {
    struct tile_program program;
    int64_t copy[TILE_MOVED][COST_KINDS];
    int64_t fill[2][COST_KINDS];
    struct row_cost {
        int64_t copy, occupied, complete;
    } row[TILE_ROWS];
    int64_t load[2][COST_KINDS];
    int64_t mmad[COST_KINDS];
    int64_t store;
    int64_t barrier; /* 1: the next Mmad waits for the completion of this one */
};

void shape_work_init(struct shape_work *w, const struct cost *c, const struct schedule *s,
                     const struct mem_shape *shape);

void tile_hits_init(struct tile_hits *h, const struct cost *c, const struct shape_work *w,
                    const struct mem_context *context);

/* timing_model.md section 5, items 5 and 6. */
void tile_extra_init(struct tile_extra *e, const struct cost *c, const struct shape_work *w, const struct tile_hits *h,
                     const struct mem_geometry *g, const struct mem_context *context);

/* Occupancy of the first `j` instructions of a move in a tile of this context
 * (0: 0). Each takes what it adds to the one before, so a whole move is exactly
 * tile_move_cost(move->insns). */
int64_t tile_move_cost(const struct cost *c, const struct tile_extra *e, enum role role, const struct move *move,
                       const struct mem_context *context, int32_t tile_k, int32_t j);

void tile_cost_init(struct tile_cost *out, const struct cost *c, const struct shape_work *w, const struct tile_hits *h,
                    const struct mem_geometry *g, const struct mem_context *context);

/* L1->L0 loads of `role` meet L1 contention: the other half is being filled by ND2NZ. */
bool load_fills(const struct schedule *s, enum role role);

#endif
