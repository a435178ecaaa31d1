/* A conv in a config: shapes, formats, and the vendor's names of its tiling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "experiment/experiment.h"
#include "problem/conv.h"

struct loaded {
    struct arena arena;
    struct diag diag;
    const struct experiment *e;
    enum status status;
};

static void load(struct loaded *l, const char *problem, const char *tiling)
{
    char text[2048];
    *l = (struct loaded){0};
    arena_init(&l->arena);
    diag_init(&l->diag);
    (void)snprintf(text, sizeof text, "target: ascend910b1\nproblem: {op: conv, %s}\ntiling: {%s}\n", problem, tiling);
    l->status = experiment_parse("t.yaml", text, strlen(text), NULL, &l->arena, &l->e, &l->diag);
}

static void unload(struct loaded *l)
{
    diag_fini(&l->diag);
    arena_fini(&l->arena);
}

#define SHAPE "C: 64, H: 56, W: 48, Cout: 128, kh: 3, kw: 3, pad: 1"

static void test_view(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, "N: 4, groups: 2, stride: 2, " SHAPE ", C: {format: NC1HWC0}", "baseM: 64");
    assert_int_equal(l.status, STATUS_INVALID); /* C twice */
    unload(&l);
    load(&l, "N: 4, groups: 2, stride: 2, Cin: 40, H: 56, W: 48, Cout: 128, kh: 3, kw: 3, pad: 1, C: {format: NC1HWC0}",
         "baseM: 64");
    assert_int_equal(l.status, STATUS_OK);
    const struct problem *p = &l.e->cells[0].problem;
    assert_int_equal(p->M, 28 * 24);
    assert_int_equal(p->N, 64);
    assert_int_equal(p->K, 2 * 9 * 16); /* 20 channels: two blocks of 16 */
    assert_int_equal(p->batch, 8);
    assert_int_equal(p->a.format, LAYOUT_NC1HWC0);
    assert_int_equal(p->b.format, LAYOUT_FRACTAL_Z);
    assert_int_equal(p->c.format, LAYOUT_NC1HWC0);
    assert_int_equal(problem_tensor_bytes(p, TENSOR_A), 4 * 2 * 2 * 56 * 48 * 32);
    assert_int_equal(problem_tensor_bytes(p, TENSOR_B), 2 * (2 * 9) * 64 * 32);
    assert_int_equal(problem_tensor_bytes(p, TENSOR_C), 4 * 128 * 28 * 24 * 2);
    assert_int_equal(problem_macs(p), (int64_t)8 * 28 * 24 * 64 * 20 * 9);
    unload(&l);
}

/* The input's sizes in one key, in either order; formats by their usual names. */
static void test_shapes(void **state)
{
    (void)state;
    static const char *const same[] = {
        "N: 2, C: 3, H: 10, W: 12",
        "NCHW: [2, 3, 10, 12]",
        "NHWC: [2, 10, 12, 3], A: {format: NHWC}, C: {format: NHWC}",
        "NCHW: [2, 3, 10, 12], A: {format: NCHW}, B: {format: FRACTAL_Z}",
        "N: 2, Cin: 3, H: 10, W: 12, C: {format: ND}",
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        struct loaded l;
        char problem[256];
        (void)snprintf(problem, sizeof problem, "%s, Cout: 32, kh: 3, kw: 1", same[i]);
        load(&l, problem, "baseM: 32");
        assert_int_equal(l.status, STATUS_OK);
        assert_string_equal(l.e->cells[0].name, "ascend910b1/n2c3h10w12_k32r3s1/base");
        const struct problem *p = &l.e->cells[0].problem;
        assert_int_equal(p->a.format, LAYOUT_NC1HWC0);
        assert_int_equal(p->c.format, LAYOUT_ND);
        assert_int_equal(p->M, 8 * 12);
        unload(&l);
    }
}

/* Bias, ReLU and a quantised result, as of a matmul. */
static void test_result(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, SHAPE ", dtype: int8, bias: true, relu: true, quant: true", "baseM: 32");
    assert_int_equal(l.status, STATUS_OK);
    const struct problem *p = &l.e->cells[0].problem;
    assert_int_equal(p->quant.dtype, DTYPE_UINT64);
    assert_int_equal(p->bias.dtype, DTYPE_INT32);
    assert_int_equal(p->c.dtype, DTYPE_HALF);
    assert_true(p->relu);
    unload(&l);
    load(&l, SHAPE ", dtype: int8, quant: {mode: scalar, scale: 0.5}", "baseM: 32");
    assert_int_equal(l.status, STATUS_OK);
    assert_true(l.e->cells[0].problem.deq_scale > 0.49);
    unload(&l);
}

/* Each mistake: which words, and which rule or hint says what to do. */
static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *problem, *words, *advice;
    } bad[] = {
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, stride: 0", "stride: 0 is outside 1..63", "from 1 to 63"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, stride: 64", "stride: 64 is outside 1..63", "from 1 to 63"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, dilation: 0", "dilation: 0 is outside 1..255", "from 1 to 255"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, dilation: 256", "dilation: 256 is outside", "from 1 to 255"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, pad: -1", "pad: -1 is outside 0..255", "at most 255"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, pad: 256", "pad: 256 is outside 0..255", "at most 255"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, pad: [1, 1, 1]", "pad: 3 values", "[top, bottom, left, right]"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 512, kw: 3", "kh: 512 is outside 1..511", "at most 511"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 0, kw: 3", "kh: 0 is outside 1..511", "at most 511"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 10, kw: 3", "the filter 10x3 does not fit the padded input 9x9", NULL},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 5, dilation: [1, 3]",
         "the filter 3x5 dilated to 3x13 does not fit the padded input 9x9", NULL},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, groups: 3", "groups 3 do not divide the channels 8 and 16", NULL},
        {"C: 9, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, groups: 3", "groups 3 do not divide the channels 9 and 16", NULL},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, groups: 0", "groups: 0 is outside", "from 1 to 1000000"},
        {"C: 0, H: 9, W: 9, Cout: 16, kh: 3, kw: 3", "C (channels): 0 is outside", "from 1 to 1000000"},
        {"H: 9, W: 9, Cout: 16, kh: 3, kw: 3", "the problem has no C (input channels)", NULL},
        {"C: {format: ND}, H: 9, W: 9, Cout: 16, kh: 3, kw: 3",
         "the problem has no Cin (input channels; C is its result)", NULL},
        {"C: 8, H: 9, W: 9, Cout: 16, kw: 3", "the problem has no kh", NULL},
        {"C: 8, H: 9, W: 9, Cout: 16, kernel: 3", "unknown key 'kernel'", "known here"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, M: 5", "unknown key 'M'", "known here"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, A: {transpose: true}", "A: a conv's operand has no transpose",
         "NC1HWC0"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, B: {ld: 99}", "B: a conv's operand has no row pitch",
         "without gaps"},
        {"C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, A: {format: NZ}", "a conv takes A in NC1HWC0", NULL},
        {"Cin: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, C: {format: NCHW}", "a result in NCHW", "NHWC and NC1HWC0 are"},
        {"Cin: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, C: {ld: 15}", "ld 15 is less than the 16 output channels", NULL},
        {"NCHW: [1, 8, 9], Cout: 16, kh: 3, kw: 3", "NCHW: expected a list of four sizes",
         "[images, channels, height, width]"},
        {"NHWC: 9, Cout: 16, kh: 3, kw: 3", "NHWC: expected a list of four sizes", "channels]"},
        {"NCHW: [1, 8, 0, 9], Cout: 16, kh: 3, kw: 3", "NCHW: 0 is outside", "from 1 to 1000000"},
        {"NCHW: [1, 8, 9, 9], H: 9, Cout: 16, kh: 3, kw: 3", "H is given twice, here and by NCHW", "first given here"},
        {"NCHW: [1, 8, 9, 9], NHWC: [1, 9, 9, 8], Cout: 16, kh: 3, kw: 3", "NHWC is given twice", "first given here"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct loaded l;
        struct strbuf said;
        load(&l, bad[i].problem, "baseM: 32");
        strbuf_init(&said);
        diag_render(&l.diag, &said);
        if (l.status != STATUS_INVALID || strstr(strbuf_cstr(&said), bad[i].words) == NULL ||
            (bad[i].advice != NULL && strstr(strbuf_cstr(&said), bad[i].advice) == NULL)) {
            fail_msg("%s: status %d, said: %s", bad[i].problem, (int)l.status, strbuf_cstr(&said));
        }
        assert_non_null(strstr(strbuf_cstr(&said), "t.yaml:2:"));
        strbuf_fini(&said);
        unload(&l);
    }
    /* Large pads are legal, and said. */
    struct loaded l;
    load(&l, "C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, pad: [3, 0, 0, 0]", "baseM: 32");
    assert_int_equal(l.status, STATUS_OK);
    assert_int_equal(l.diag.count, 1);
    unload(&l);
    load(&l, "C: 8, H: 9, W: 9, Cout: 16, kh: 3, kw: 3, pad: 2", "baseM: 32");
    assert_int_equal(l.diag.count, 0);
    unload(&l);
}

static void test_vendor_names(void **state)
{
    (void)state;
    struct loaded l;
    struct tiling t;
    load(&l, SHAPE,
         "mL0: 128, nL0: 64, kL0: 48, singleCoreM: 384, singleCoreCo: 128, mAL1: 128, nBL1: 64, kAL1: 144, kBL1: 96, "
         "iterateMNOrder: 1, pBufferFlag: 27, al1FullLoad: 0, bl1FullLoad: 0");
    assert_int_equal(l.status, STATUS_OK);
    assert_int_equal(l.e->cells[0].space.size, 1);
    space_raw(&l.e->cells[0].space, 0, &t);
    static const struct {
        enum tiling_field field;
        int32_t value;
    } want[] = {{TF_baseM, 128},       {TF_baseN, 64},       {TF_baseK, 48}, {TF_singleCoreM, 384},
                {TF_singleCoreN, 128}, {TF_stepM, 1},        {TF_stepN, 1},  {TF_stepKa, 3},
                {TF_stepKb, 2},        {TF_iterateOrder, 1}, {TF_dbL0A, 2},  {TF_dbL0B, 2},
                {TF_dbL0C, 1},         {TF_dbA1, 2},         {TF_dbB1, 2},   {TF_fullLoad, FULL_LOAD_NONE}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        assert_int_equal(tiling_get(&t, want[i].field), want[i].value);
    }
    unload(&l);
}

static void test_vendor_sweeps(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, SHAPE, "kL0: 48, kAL1: [144, 288], al1FullLoad: [0, 1], bl1FullLoad: [0, 1]");
    assert_int_equal(l.status, STATUS_OK);
    assert_int_equal(l.e->cells[0].space.size, 2 * 3); /* none, A, B */
    unload(&l);
}

static void test_vendor_errors(void **state)
{
    (void)state;
    static const struct {
        const char *tiling, *message;
    } cases[] = {
        {"kAL1: 144", "kAL1 needs one value of baseK"},
        {"kL0: 48, kAL1: 100", "kAL1 100 is no multiple of baseK 48"},
        {"mL0: 64, baseM: 64", "baseM is given twice"},
        {"pBufferFlag: [1, 2]", "pBufferFlag: one value"},
        {"pBufferFlag: 32", "pBufferFlag"},
        {"al1FullLoad: 1, bl1FullLoad: 1", "one operand is kept whole"},
        {"kAL2: 3", "kAL2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct loaded l;
        struct strbuf text;
        load(&l, SHAPE, cases[i].tiling);
        assert_int_equal(l.status, STATUS_INVALID);
        strbuf_init(&text);
        diag_render(&l.diag, &text);
        if (strstr(strbuf_cstr(&text), cases[i].message) == NULL) {
            fail_msg("%s: %s", cases[i].tiling, strbuf_cstr(&text));
        }
        strbuf_fini(&text);
        unload(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_view),         cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_result),       cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_vendor_names), cmocka_unit_test(test_vendor_sweeps),
                                       cmocka_unit_test(test_vendor_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
