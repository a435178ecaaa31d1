/* points.h - random and fixed (target, problem, tiling) points for tests. */
#ifndef SUPPORT_POINTS_H
#define SUPPORT_POINTS_H

#include "base/arena.h"
#include "base/rng.h"
#include "schedule/schedule.h"

/* A matmul of half operands in ND; C is half. */
void point_problem(struct problem *p, int64_t m, int64_t n, int64_t k, bool trans_a, bool trans_b);

#define POINT_GROUPS 9

/* What a random point may contain. */
struct point_limits {
    int64_t max_m, max_n, max_k;
    int64_t max_macs;   /* M * N * K */
    bool transposes;    /* all four cases, else A plain, B transposed */
    bool nz;            /* Nz operands too */
    bool variants;      /* batches, split K, groups, full loads, shuffled K, GEMV, row copies, ... */
    bool dtypes;        /* every dtype triple of the target, conversions of C, bias, quant row, relu, C in Nz, MX */
    int64_t *group_end; /* room for POINT_GROUPS: grouped matmuls, the ends of whose groups are left here; NULL: none */
    bool mx;            /* with dtypes: MX only (950), with every way its scales can come */
};

/* A random feasible point: problem, tiling, plan and schedule. Draws until one
 * is feasible. */
void point_random(const struct target *target, const struct point_limits *limits, struct rng *rng, struct problem *p,
                  struct schedule *out);

/* Loads an embedded target; fails the test if that does not work. */
const struct target *point_target(const char *name, struct arena *arena);

/* Schedule of a tiling (autos resolved); fails the test if infeasible. */
void point_schedule(const struct target *target, const struct problem *p, const struct tiling *t, struct schedule *out);

/* Prints what is needed to see a failing point again. */
void point_print(const struct schedule *s);

#endif
