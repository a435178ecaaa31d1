/* plan.h - where everything lies: buffer addresses, event ids, feasibility.
 *
 * The one place buffer offsets are computed. Feasibility, budget, schedule and
 * emitter read it. Rules: kernel_rules.md sections 1, 2, 8; all capacity
 * comparisons are <=. */
#ifndef TILING_PLAN_H
#define TILING_PLAN_H

#include "tiling/tiling.h"

struct region {
    uint8_t buf;  /* enum buffer */
    uint8_t role; /* enum role */
    uint8_t half; /* ping/pong index */
    uint8_t pad;
    int32_t pitch; /* L1, L0: rows of the image (rows of 32 B per C0 column) */
    int64_t off, size, used; /* bytes; used: what real (not padded) data need */
};

#define PLAN_REGIONS 24

struct plan {
    int n;
    struct region r[PLAN_REGIONS];
    int64_t peak[BUF_N], usable[BUF_N], physical[BUF_N]; /* bytes */
    uint8_t events_used[HARD_EVENT_N];                   /* ids taken per pair */
};

/* Images in L1 and L0 in elements, padded by the load's unit (kernel_rules 2.2). */
struct plan_image {
    int32_t rows;  /* L1 image rows per C0 column (A: baseM side; transposed: chunk K) */
    int32_t l1_cols; /* C0-padded other extent of one chunk */
    int64_t l1_bytes, l0_bytes; /* of one chunk / one base block */
};

/* Lays out all buffers of a resolved tiling.
 * @return true if it fits; false with `why` set (the first rule broken, in the
 * order of enum infeasible_reason); `out` then still holds what was asked for. */
bool plan_make(const struct target *target, const struct problem *p, const struct tiling *t, struct plan *out,
               struct infeasible *why);

/* Region by buffer, role and half; NULL if the plan has none. */
const struct region *plan_region(const struct plan *plan, enum buffer buf, enum role role, int half);

/* Image sizes plan_make() uses; the schedule reads them too. */
void plan_image(const struct problem *p, const struct tiling *t, enum role role, struct plan_image *out);

#endif
