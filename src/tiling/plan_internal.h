/* plan_internal.h - what the files of the plan share. */
#ifndef TILING_PLAN_INTERNAL_H
#define TILING_PLAN_INTERNAL_H

#include "tiling/dtypes.h"
#include "tiling/plan.h"

struct planner {
    const struct target *target;
    const struct problem *p;
    const struct tiling *t;
    const struct mmad_triple *triple; /* NULL: the cube does not take the dtypes */
    struct plan_image image[2];       /* of ROLE_A, ROLE_B; set once ranges hold */
    struct plan *plan;
    struct infeasible *why;
};

/* Notes a broken rule; the first one stays. @return false. */
bool plan_fail(struct planner *pl, struct infeasible why);

/* Is this operand kept whole in L1? */
bool plan_full_load(const struct tiling *t, enum role role);

/* Is A one row that is read as a vector? */
bool plan_vector(const struct problem *p, const struct tiling *t);

/* Rules that need no addresses, in the order they are reported
 * (plan_rules.c). Ranges come first: the others divide by fields. */
bool plan_check_ranges(struct planner *pl);
bool plan_check_fields(struct planner *pl);

/* Rules reported after the buffers: cores, depths, contradictions. */
bool plan_check_relations(struct planner *pl);

/* Widths of instruction fields (plan_widths.c). */
bool plan_check_widths(struct planner *pl);

#endif
