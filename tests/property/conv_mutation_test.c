/* Planted errors in the instruction stream of convolutions, as mutation_cases.h
 * plants them in matmuls: whole and cut channels, pads on four sides, strides,
 * dilations, groups, both architectures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/convs.h"
#include "support/mutation.h"
#include "support/points.h"

static const struct planted {
    const char *target;
    struct conv_shape shape;
    enum layout format;
    const char *tiling;
    int64_t tile; /* whose instructions are changed */
    bool int8;    /* else half */
} all[] = {
    /* 3 x 3, tiles that begin inside a row, two chunks of channels */
    {"ascend910b1",
     {.c = 32,
      .h = 7,
      .w = 9,
      .cout = 40,
      .kh = 3,
      .kw = 3,
      .pad_top = 1,
      .pad_bottom = 2,
      .pad_left = 1,
      .pad_right = 1},
     LAYOUT_ND,
     "b32x32x48_s3x2_d2x2_l2x2x1_c3_as1_xa3_xb1",
     1,
     false},
    /* stride, dilation, channel tail, one buffer each, NC1HWC0 */
    {"ascend910b1",
     {.c = 20,
      .h = 11,
      .w = 10,
      .cout = 32,
      .kh = 2,
      .kw = 3,
      .stride_h = 2,
      .stride_w = 1,
      .dilation_h = 2,
      .dilation_w = 3,
      .pad_top = 2,
      .pad_left = 3,
      .pad_right = 2},
     LAYOUT_NC1HWC0,
     "b16x16x96_s1x1_d1x1_l1x1x2_c3_as1_xa3_xb1",
     1,
     false},
    /* 950, two groups, int8: a padding value shows */
    {"ascend950pr_9589",
     {.c = 64, .h = 6, .w = 8, .cout = 32, .kh = 3, .kw = 2, .groups = 2, .pad_top = 1, .pad_bottom = 1, .pad_left = 1},
     LAYOUT_ND,
     "b32x16x96_s2x1_d2x2_l2x2x1_c3_as1_xa3_xb4",
     1,
     true},
    /* WithStride, two images */
    {"ascend950pr_9589",
     {.n = 2,
      .c = 16,
      .h = 5,
      .w = 9,
      .cout = 24,
      .kh = 3,
      .kw = 3,
      .stride_h = 1,
      .stride_w = 2,
      .pad_top = 1,
      .pad_bottom = 1,
      .pad_left = 1,
      .pad_right = 1},
     LAYOUT_ND,
     "b16x32x144_s1x1_d2x2_l2x2x1_c3_as1_xa5_xb4",
     1,
     false},
};

static void test_planted(void **state)
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
        conv_problem(&p, &all[i].shape, all[i].int8 ? DTYPE_INT8 : DTYPE_HALF, all[i].int8 ? DTYPE_INT32 : DTYPE_HALF,
                     all[i].format);
        assert_int_equal(tiling_parse(all[i].tiling, &t, NULL), STATUS_OK);
        point_schedule(point_target(all[i].target, &arena), &p, &t, &s);
        mutation_run(&judge, &s, all[i].tile, 1, tally);
    }
    /* Those missed change a padding value by the least half, or are right by rules not written down yet. */
    const size_t missed = mutation_report(tally);
    size_t wrong = 0;
    for (int i = 0; i < MUTATION_KINDS; i++) {
        wrong += tally->kinds[i].planted - tally->kinds[i].equivalent;
    }
    judge_fini(&judge);
    arena_fini(&arena);
    free(tally);
    assert_true(missed * 100 <= wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
