/* context.h - inside of struct timing, shared by the files of this room. */
#ifndef TIMING_CONTEXT_H
#define TIMING_CONTEXT_H

#include "timing/memctx.h"
#include "timing/tile_cost.h"
#include "timing/timing.h"

/* Before everything: a flag preset before the loop. */
#define TIMING_NEVER (-(INT64_C(1) << 62))

struct fast; /* scratch of timing_fast: records, states, tile memo */

struct timing {
    struct memctx_cache *memory;
    struct fast *fast;
    /* For tests: 0 none of timing_fast's short cuts, 1 the skip inside a tile, 2 (default) tile memo too. */
    int shortcuts;
};

/* What one core took. */
struct core_time {
    int64_t end; /* last completion on any pipe, without init */
    int64_t busy[PIPE_N];
    int64_t steps; /* of the program */
};

/* Sums over cores, and the slowest. */
struct run_time {
    int64_t sum, slowest; /* of core times with init */
    int64_t busy[PIPE_N]; /* sums */
    int64_t slowest_busy[PIPE_N];
    int64_t steps;
};

/* Adds `count` cores that took `core`. */
void run_time_add(struct run_time *r, const struct cost *c, const struct core_time *core, int64_t count);

/* The numbers of a run in a result; steps_simulated is the caller's. */
void result_fill(struct timing_result *out, const struct schedule *s, const struct cost *c,
                 const struct mem_geometry *g, const struct run_time *r);

/* A knob away from what was measured, or an `assumed` parameter, decides the time. */
bool result_unvalidated(const struct schedule *s, const struct cost *c);

/* STATUS_LIMIT if the run could last beyond COST_TIME_MAX; `longest`: of one step, mcyc. */
enum status run_time_check(const struct schedule *s, const struct mem_geometry *g, int64_t longest);

enum status fast_create(struct fast **out);
void fast_destroy(struct fast *f);

/* Costs of all contexts of `g`, by index; in the scratch of `f`.
 * @return STATUS_NO_MEMORY, STATUS_LIMIT (run_time_check). */
enum status fast_records(struct fast *f, const struct schedule *s, const struct cost *c, const struct mem_geometry *g,
                         const struct tile_cost **out);

#endif
