/* memctx.h - what L2 and HBM do to every tile of a schedule.
 *
 * One streamed pass over the tiles of all cores in lock step (timing_model.md
 * section 5): step t is the t-th tile of every core. Each step touches panels
 * of A and B (operand, start, extent along M or N, K slice) and the bytes of C
 * it writes. All panels of a step are judged against the L2 state before the
 * step, then touched. An operand that L1 still holds is not touched: nothing of
 * it is read. An operand whose L2 hint is DISABLE misses always, in every core,
 * and takes no room.
 *
 * The result depends only on the geometry of the tiles, not on baseK, steps,
 * depths or loads, so neighbours in a space share it: struct memctx_cache. */
#ifndef TIMING_MEMCTX_H
#define TIMING_MEMCTX_H

#include "timing/timing.h"

/* What a tile's program depends on besides its memory context: extents, what
 * it brings to L1 and what it leaves there. Compared as bytes. */
struct mem_shape_key {
    int32_t m, n, k;
    int32_t start;                            /* shuffleK: K block the core starts at */
    int32_t extent[2];                        /* rows of A, columns of B this tile copies; 0: none */
    int32_t scales[2];                        /* scaleFactorM, N: rows (columns) whose MX scales this tile copies */
    int32_t map_rows;                         /* conv: rows of the feature map under `extent` */
    uint8_t load[2], release[2], resident[2]; /* struct tile_hold */
    uint8_t bias;                             /* its first Mmad starts from the bias row */
    uint8_t pad;
};

/* A shape, and one tile of it. */
struct mem_shape {
    struct mem_shape_key key;
    int32_t core;
    int64_t t;
};

/* A tile's memory context; equal contexts share one cost record. */
struct mem_context {
    uint32_t shape;    /* index into shapes */
    int32_t missed[2]; /* share of A, B this core misses in L2, in units of context_rounding */
    int32_t active;    /* cores with a tile in this step */
    uint8_t shared[2]; /* several cores use this panel in this step */
    uint8_t pad[6];    /* none implicit: contexts are compared as bytes */
    int64_t hbm_bytes; /* bytes all cores miss in this step */
    int64_t c_bytes;   /* bytes of C all cores write in this step; 0 if none of it is written back */
};

/* Tiles of the cores with the same sequence of contexts. */
struct mem_sequence {
    int32_t core;  /* one of them */
    int32_t cores; /* how many */
    int64_t tiles;
    const uint32_t *contexts; /* of each tile */
};

struct mem_geometry {
    struct mem_shape *shapes;
    struct mem_context *contexts;
    struct mem_sequence *sequences; /* by their first core */
    uint32_t shape_count, context_count, sequence_count;
    uint32_t *core_sequence; /* per launched core; UINT32_MAX: no tile */
    int32_t cores;
    double units;      /* of `missed` in the whole: 1 / context_rounding */
    double write_back; /* share of C bytes written back while the kernel runs */
    int64_t hbm;       /* bytes over the whole run: missed reads + write-back */
    uint32_t *tiles;   /* contexts of all sequences */
    size_t bytes;      /* of memory this takes */
};

struct memctx_cache;

enum status memctx_cache_create(struct memctx_cache **out);
void memctx_cache_destroy(struct memctx_cache *cache);

/* The contexts of `s`. Borrowed: valid until the next call on this cache.
 * @return STATUS_NO_MEMORY, STATUS_LIMIT (more tiles than MEMCTX_TILES_MAX). */
enum status memctx_get(struct memctx_cache *cache, const struct schedule *s, bool l2_warm,
                       const struct mem_geometry **out);

/* Look-ups and how many of them found their geometry. */
void memctx_cache_counts(const struct memctx_cache *cache, uint64_t *lookups, uint64_t *hits);

/* Builds the contexts without a cache. */
enum status memctx_build(const struct schedule *s, bool l2_warm, struct mem_geometry *out);
void memctx_free(struct mem_geometry *g);

/* Share of a panel still in L2 after `distance` bytes were touched since: 1 up
 * to l2_hit_low L2 sizes, falling to 0 at l2_hit_high. */
double memctx_hit_share(const struct target *target, double distance);

/* Tiles of all cores of one schedule. */
#define MEMCTX_TILES_MAX (INT64_C(1) << 27)

#endif
