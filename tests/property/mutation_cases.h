/* mutation_cases.h - the fixed tilings of the mutation tests: both
 * architectures, all transpose cases and loads, single and double buffers, unit
 * flag, tails, one row, Nz operands, and the program variants. */
#ifndef TESTS_MUTATION_CASES_H
#define TESTS_MUTATION_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/mutation.h"
#include "support/points.h"

struct planted {
    const char *target;
    int64_t m, n, k;
    bool trans_a, trans_b, nz;
    const char *tiling;
    int64_t tile; /* whose instructions are changed */
    bool float_c;
};

/* Tiles are dealt to more cores than one so that tile 1 of core 0 shares neither
 * rows of A nor columns of B with tile 0: what a dropped copy leaves behind is
 * never right by itself. 3 x 3 tiles on 4 cores: a whole tile; 2 x 2 on 3: a tail.
 * Loads: xa, xb 1 LoadData 2D, 2 WithTranspose, 3 3D, 4 2D V2. */
static const struct planted all[] = {
    {"ascend910b1", 144, 96, 100, false, true, false, "b48x32x32_s2x1_d2x2_l2x2x1_c4_as1_xa3_xb1", 1, false},
    /* K tail, unit flag, A loaded in lines */
    {"ascend910b1", 72, 80, 100, false, true, false, "b32x48x32_s1x2_d2x1_l2x2x1_c4_as1_xa1_xb1_u1", 2, false},
    /* both transposing by 3D, single L1 buffers, two L0C tiles */
    {"ascend910b1", 48, 88, 72, true, false, false, "b32x48x32_s1x1_d1x1_l2x2x2_c3_as1_xa3_xb3", 1, false},
    /* A by WithTranspose, one L0 buffer */
    {"ascend910b1", 48, 64, 80, true, true, false, "b32x32x48_s1x1_d2x2_l1x1x1_c3_as1_xa2_xb1", 1, false},
    /* B by WithTranspose; more L0A than L0B buffers; a tail of one row */
    {"ascend910b1", 33, 96, 80, false, false, false, "b32x48x48_s1x2_d2x2_l2x1x1_c3_as1_xa3_xb2", 1, false},
    /* 950 */
    {"ascend950pr_9589", 80, 64, 100, false, true, false, "b48x32x32_s2x1_d2x2_l2x2x1_c3_as1_xa4_xb4_u1", 1, false},
    {"ascend950pr_9589", 33, 88, 72, true, false, false, "b32x48x32_s1x1_d1x2_l2x2x2_c3_as1_xa4_xb4", 1, false},
    /* A and B transposed by LoadData 2D; both chunks waited for at once */
    {"ascend910b1", 40, 64, 60, true, false, false, "b32x32x32_s1x1_d2x2_l2x2x1_c3_as1_xa1_xb1_w1", 1, false},
    {"ascend950pr_9589", 40, 80, 60, false, false, false, "b32x48x32_s1x1_d2x2_l2x1x1_c3_as1_xa4_xb2_w1", 1, false},
    /* one row as GEMV; K walked from another chunk on each core */
    {"ascend910b1", 33, 80, 96, false, true, false, "b32x48x32_s1x1_d2x2_l2x2x1_c3_as1_xa3_xb1_gv1", 1, false},
    {"ascend950pr_9589", 64, 64, 128, false, false, false, "b32x32x32_s1x1_d2x2_l2x2x1_c3_as1_xa3_xb4_sh1", 1, false},
    /* K slices in a workspace; added in C, which is float */
    {"ascend910b1", 40, 64, 128, false, true, false,
     "b32x32x32_s1x1_d2x2_l2x2x1_c3_g32x32x64_as1_split2_red2_k1_xa3_xb1", 1, false},
    {"ascend950pr_9589", 40, 64, 128, true, true, false,
     "b32x32x32_s1x2_d2x2_l2x2x1_c3_g32x32x64_as1_split2_red1_xa4_xb4", 1, true},
    /* two tile rows of A with all K held */
    {"ascend910b1", 64, 40, 64, false, true, false, "b32x48x32_s2x1_d1x2_l2x2x1_c1_g64x40x64_tm2_xa3_xb1", 0, false},
    /* Nz operands */
    {"ascend910b1", 40, 96, 72, false, true, true, "b32x48x32_s1x2_d2x2_l2x2x1_c3_as1_xa3_xb1", 1, false},
};

/* Plants each `stride`-th mutation; none may be missed. */
static void mutation_cases_run(size_t stride)
{
    struct arena arena;
    struct judge judge;
    struct mutation_tally *tally = calloc(1, sizeof *tally);
    arena_init(&arena);
    judge_init(&judge);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct problem p;
        struct schedule s;
        struct tiling t;
        point_problem(&p, all[i].m, all[i].n, all[i].k, all[i].trans_a, all[i].trans_b);
        p.c.dtype = all[i].float_c ? DTYPE_FLOAT : DTYPE_HALF;
        p.a.format = p.b.format = all[i].nz ? LAYOUT_NZ : LAYOUT_ND;
        assert_int_equal(tiling_parse(all[i].tiling, &t, NULL), STATUS_OK);
        point_schedule(point_target(all[i].target, &arena), &p, &t, &s);
        mutation_run(&judge, &s, all[i].tile, stride, tally);
    }
    const size_t missed = mutation_report(tally);
    judge_fini(&judge);
    arena_fini(&arena);
    free(tally);
    assert_int_equal(missed, 0);
}

#endif
