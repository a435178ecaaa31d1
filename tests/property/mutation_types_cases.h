/* mutation_types_cases.h - tilings of the mutation tests beyond half matmuls: MX
 * with its scales and zero fills, bias, quant rows and scalars, groups of rows,
 * every width. */
#ifndef TESTS_MUTATION_TYPES_CASES_H
#define TESTS_MUTATION_TYPES_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/mutation.h"
#include "support/points.h"

struct typed {
    const char *target;
    int64_t m, n, k;
    enum dtype a, b, c, bias; /* bias: DTYPE_NONE without */
    bool trans_a, trans_b;
    const char *tiling;
    int64_t tile;              /* whose instructions are changed */
    bool mx, pairs_a, pairs_b; /* pairs: scales in pairs along K */
    bool quant, relu;
    double scale;     /* of a mode with one scale */
    int64_t group[4]; /* ends of groups along M, 0 behind the last; none: one group */
};

#define PR "ascend950pr_9589"
#define B1 "ascend910b1"

/* As in mutation_cases.h tile 1 of core 0 shares neither rows nor columns with tile 0. */
static const struct typed typed[] = {
    /* MX: both K inner, a K tail of each dtype's own */
    {.target = PR,
     .m = 40,
     .n = 64,
     .k = 200,
     .a = DTYPE_FP8_E4M3,
     .b = DTYPE_FP8_E5M2,
     .c = DTYPE_FLOAT,
     .trans_b = true,
     .tiling = "b32x32x64_s1x2_d2x2_l2x2x1_c3_as1_fa2_fb1_xa6_xb6",
     .tile = 1,
     .mx = true},
    /* fp4, A and B transposed: zeros down the rows; scales in pairs */
    {.target = PR,
     .m = 66,
     .n = 70,
     .k = 166,
     .a = DTYPE_FP4_E2M1,
     .b = DTYPE_FP4_E1M2,
     .c = DTYPE_BF16,
     .trans_a = true,
     .tiling = "b64x64x64_s2x1_d1x2_l2x2x1_c3_as1_fa1_fb2_xa6_xb6",
     .tile = 1,
     .mx = true,
     .pairs_a = true,
     .pairs_b = true},
    /* scales step by step; fp8 transposed */
    {.target = PR,
     .m = 48,
     .n = 64,
     .k = 150,
     .a = DTYPE_FP8_E5M2,
     .b = DTYPE_FP8_E4M3,
     .c = DTYPE_FLOAT,
     .trans_a = true,
     .tiling = "b32x32x64_s2x2_d2x2_l2x2x1_c3_as1_fa1_fb1_xa6_xb6_sc1",
     .tile = 1,
     .mx = true,
     .pairs_b = true},
    /* scales of two tiles along M */
    {.target = PR,
     .m = 80,
     .n = 40,
     .k = 128,
     .a = DTYPE_FP4_E2M1,
     .b = DTYPE_FP4_E2M1,
     .c = DTYPE_FLOAT,
     .trans_b = true,
     .tiling = "b32x48x64_s1x1_d2x2_l2x2x1_c1_g80x40x128_fa2_fb1_fm2_xa6_xb6",
     .tile = 0,
     .mx = true},
    /* one row as a vector, its scales too */
    {.target = PR,
     .m = 1,
     .n = 64,
     .k = 160,
     .a = DTYPE_FP8_E4M3,
     .b = DTYPE_FP8_E4M3,
     .c = DTYPE_FLOAT,
     .trans_b = true,
     .tiling = "b16x32x64_s1x1_d2x2_l2x2x1_c1_as1_fa1_fb1_xa6_xb6_gv1",
     .tile = 1,
     .mx = true},
    /* bias: half to BT, int32, with its own buffer of K slices */
    {.target = B1,
     .m = 40,
     .n = 80,
     .k = 72,
     .a = DTYPE_HALF,
     .b = DTYPE_HALF,
     .c = DTYPE_HALF,
     .bias = DTYPE_HALF,
     .trans_b = true,
     .tiling = "b32x48x32_s1x2_d2x2_l2x2x1_c3_as1_xa3_xb1_bi1",
     .tile = 1},
    {.target = PR,
     .m = 40,
     .n = 64,
     .k = 96,
     .a = DTYPE_INT8,
     .b = DTYPE_INT8,
     .c = DTYPE_INT32,
     .bias = DTYPE_INT32,
     .tiling = "b32x32x32_s2x1_d2x2_l2x1x2_c3_as1_xa4_xb4_bi1",
     .tile = 1},
    /* quant row to FB, int8 out; relu; one scale */
    {.target = B1,
     .m = 40,
     .n = 64,
     .k = 96,
     .a = DTYPE_INT8,
     .b = DTYPE_INT8,
     .c = DTYPE_INT8,
     .trans_b = true,
     .tiling = "b32x32x32_s1x1_d2x2_l2x2x1_c3_as1_xa3_xb1",
     .tile = 1,
     .quant = true},
    {.target = PR,
     .m = 40,
     .n = 64,
     .k = 64,
     .a = DTYPE_HALF,
     .b = DTYPE_HALF,
     .c = DTYPE_FP8_E4M3,
     .bias = DTYPE_BF16,
     .trans_b = true,
     .tiling = "b32x32x32_s1x1_d2x2_l2x2x1_c3_as1_xa4_xb4_bi1_u1",
     .tile = 1,
     .quant = true,
     .relu = true},
    {.target = B1,
     .m = 40,
     .n = 64,
     .k = 96,
     .a = DTYPE_INT8,
     .b = DTYPE_INT8,
     .c = DTYPE_HALF,
     .trans_a = true,
     .tiling = "b32x32x32_s1x1_d2x2_l2x2x1_c3_as1_xa2_xb2",
     .tile = 1,
     .scale = 0.25,
     .relu = true},
    /* b4, b32: other squares and lines */
    {.target = B1,
     .m = 40,
     .n = 128,
     .k = 128,
     .a = DTYPE_INT4,
     .b = DTYPE_INT4,
     .c = DTYPE_INT32,
     .tiling = "b32x64x64_s1x1_d2x2_l2x2x1_c3_as1_xa3_xb2",
     .tile = 1},
    {.target = B1,
     .m = 40,
     .n = 64,
     .k = 40,
     .a = DTYPE_FLOAT,
     .b = DTYPE_FLOAT,
     .c = DTYPE_FLOAT,
     .trans_a = true,
     .tiling = "b32x32x16_s1x1_d2x2_l2x2x1_c3_as1_xa3_xb3",
     .tile = 1},
    {.target = PR,
     .m = 40,
     .n = 64,
     .k = 72,
     .a = DTYPE_HIF8,
     .b = DTYPE_HIF8,
     .c = DTYPE_HIF8,
     .trans_a = true,
     .tiling = "b32x32x32_s1x2_d2x2_l2x2x1_c3_as1_xa4_xb4",
     .tile = 1,
     .scale = 0.5},
    /* groups of rows, the second and the last of them empty: a B for each, in the order of one list */
    {.target = B1,
     .m = 57,
     .n = 64,
     .k = 72,
     .a = DTYPE_HALF,
     .b = DTYPE_HALF,
     .c = DTYPE_HALF,
     .bias = DTYPE_FLOAT,
     .trans_b = true,
     .tiling = "b32x32x32_s1x2_d2x2_l2x2x1_c3_as1_xa3_xb1_bi1",
     .tile = 1,
     .group = {24, 24, 57, 57}},
    {.target = PR,
     .m = 50,
     .n = 40,
     .k = 128,
     .a = DTYPE_FP8_E4M3,
     .b = DTYPE_FP8_E4M3,
     .c = DTYPE_FLOAT,
     .tiling = "b16x48x64_s1x1_d2x2_l2x2x1_c2_as1_o4_fa2_fb2_xa6_xb6",
     .tile = 1,
     .mx = true,
     .group = {17, 50}},
};

static void typed_problem(const struct typed *x, struct problem *p)
{
    memset(p, 0, sizeof *p);
    p->name = "typed";
    p->M = x->m, p->N = x->n, p->K = x->k;
    p->a.dtype = x->a, p->b.dtype = x->b, p->c.dtype = x->c, p->bias.dtype = x->bias;
    p->a.transpose = x->trans_a, p->b.transpose = x->trans_b;
    p->a.mx = p->b.mx = x->mx;
    p->scale_a.dtype = p->scale_b.dtype = x->mx ? DTYPE_E8M0 : DTYPE_NONE;
    p->scale_a.transpose = x->pairs_a, p->scale_b.transpose = x->pairs_b;
    p->quant.dtype = x->quant ? DTYPE_UINT64 : DTYPE_NONE;
    p->deq_scale = x->scale;
    p->relu = x->relu;
    p->seed = 1;
    for (p->groups = 0; p->groups < 4 && x->group[p->groups] > 0; p->groups++) {
    }
    p->group_end = p->groups > 0 ? x->group : NULL;
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
}

/* Plants each `stride`-th mutation. @return those that are not equivalent; *missed of them are seen by none. */
static size_t mutation_types_run(size_t stride, size_t *missed)
{
    struct arena arena;
    struct judge judge;
    struct mutation_tally *tally = calloc(1, sizeof *tally);
    size_t wrong = 0;
    arena_init(&arena);
    judge_init(&judge);
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++) {
        struct problem p;
        struct schedule s;
        struct tiling t;
        typed_problem(&typed[i], &p);
        assert_int_equal(tiling_parse(typed[i].tiling, &t, NULL), STATUS_OK);
        point_schedule(point_target(typed[i].target, &arena), &p, &t, &s);
        assert_true(typed[i].tile < schedule_tiles(&s, 0));
        mutation_run(&judge, &s, typed[i].tile, stride, tally);
    }
    *missed = mutation_report(tally);
    for (int i = 0; i < MUTATION_KINDS; i++) {
        wrong += tally->kinds[i].planted - tally->kinds[i].equivalent;
    }
    judge_fini(&judge);
    arena_fini(&arena);
    free(tally);
    return wrong;
}

#endif
