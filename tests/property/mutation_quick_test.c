/* Planted errors in the instruction stream: every numeric field of every
 * instruction of a tile +-1 and x2, addresses, event ids, instructions dropped
 * and doubled, ping/pong halves swapped, set+wait pairs and barriers removed.
 * Verification or the race check catches each, or a rule of
 * support/mutation_rules.c says why the program is still right. */
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
};

/* Tiles are dealt to more cores than one so that tile 1 of core 0 shares neither
 * rows of A nor columns of B with tile 0: what a dropped copy leaves behind is
 * never right by itself. 3 x 3 tiles on 4 cores: a whole tile; 2 x 2 on 3: a tail.
 * Loads: xa, xb 1 LoadData 2D, 2 WithTranspose, 3 3D, 4 2D V2. */
static const struct planted all[] = {
    {"ascend910b1", 144, 96, 100, false, true, false, "b48x32x32_s2x1_d2x2_l2x2x1_c4_as1_xa3_xb1", 1},
    /* K tail, unit flag, A loaded in lines */
    {"ascend910b1", 72, 80, 100, false, true, false, "b32x48x32_s1x2_d2x1_l2x2x1_c4_as1_xa1_xb1_u1", 2},
    /* both transposing by 3D, single L1 buffers, two L0C tiles */
    {"ascend910b1", 48, 88, 72, true, false, false, "b32x48x32_s1x1_d1x1_l2x2x2_c3_as1_xa3_xb3", 1},
    /* A by WithTranspose, one L0 buffer */
    {"ascend910b1", 48, 64, 80, true, true, false, "b32x32x48_s1x1_d2x2_l1x1x1_c3_as1_xa2_xb1", 1},
    /* B by WithTranspose; more L0A than L0B buffers; a tail of one row */
    {"ascend910b1", 33, 96, 80, false, false, false, "b32x48x48_s1x2_d2x2_l2x1x1_c3_as1_xa3_xb2", 1},
    /* 950 */
    {"ascend950pr_9589", 80, 64, 100, false, true, false, "b48x32x32_s2x1_d2x2_l2x2x1_c3_as1_xa4_xb4_u1", 1},
    {"ascend950pr_9589", 33, 88, 72, true, false, false, "b32x48x32_s1x1_d1x2_l2x2x2_c3_as1_xa4_xb4", 1},
    /* A and B transposed by LoadData 2D; both chunks waited for at once */
    {"ascend910b1", 40, 64, 60, true, false, false, "b32x32x32_s1x1_d2x2_l2x2x1_c3_as1_xa1_xb1_w1", 1},
    {"ascend950pr_9589", 40, 80, 60, false, false, false, "b32x48x32_s1x1_d2x2_l2x1x1_c3_as1_xa4_xb2_w1", 1},
    /* Nz operands */
    {"ascend910b1", 40, 96, 72, false, true, true, "b32x48x32_s1x2_d2x2_l2x2x1_c3_as1_xa3_xb1", 1},
};

static void test_all(void **state)
{
    (void)state;
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
        p.a.format = p.b.format = all[i].nz ? LAYOUT_NZ : LAYOUT_ND;
        assert_int_equal(tiling_parse(all[i].tiling, &t, NULL), STATUS_OK);
        point_schedule(point_target(all[i].target, &arena), &p, &t, &s);
        mutation_run(&judge, &s, all[i].tile, 1, tally);
    }
    const size_t missed = mutation_report(tally);
    judge_fini(&judge);
    arena_fini(&arena);
    free(tally);
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
