/* matmuls.h - matmuls of every kind the documents offer, for matrix tests. */
#ifndef SUPPORT_MATMULS_H
#define SUPPORT_MATMULS_H

#include "engine/verify.h"
#include "isa/support.h"
#include "support/points.h"
#include "tiling/loads.h"

/* One kind of matmul and how it is loaded. */
struct matmul_kind {
    const struct target *target;
    const struct mmad_triple *triple;
    bool trans_a, trans_b;
    enum layout format_a, format_b;
    enum tiling_load load_a, load_b;
};

/* The problem of a kind; C is the accumulator's type in ND. */
void matmul_problem(const struct matmul_kind *kind, int64_t m, int64_t n, int64_t k, struct problem *p);

/* A tiling with several tiles, chunks and steps along every axis; WithTranspose
 * of b32 on 2201 asks for small ones. */
void matmul_tiling(const struct matmul_kind *kind, struct tiling *t);

/* Resolves and plans. @return false with `why` where it is infeasible. */
bool matmul_schedule(const struct target *target, const struct problem *p, const struct tiling *t, struct schedule *s,
                     struct infeasible *why);

/* VERIFY_FULL and VERIFY_CLASSES; every instruction is legal on the target. */
void matmul_expect_right(struct verify *v, const struct schedule *s, bool legality);

/* Every kind of one target a product, at three shapes: it runs right, or is left
 * out for a reason of the documents; reasons are printed with their counts. What
 * the load tables offer is held to the support tables of isa/. Of the kinds only
 * every `stride`-th is run. */
void matmul_matrix(int stride);

#endif
