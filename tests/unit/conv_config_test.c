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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_view), cmocka_unit_test(test_vendor_names),
                                       cmocka_unit_test(test_vendor_sweeps), cmocka_unit_test(test_vendor_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
