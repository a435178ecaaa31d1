/* What a config means: cells, spaces, overrides, variants, the key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "experiment/experiment.h"

struct loaded {
    struct arena arena;
    struct diag diag;
    const struct experiment *e;
};

static void unload(struct loaded *l)
{
    diag_fini(&l->diag);
    arena_fini(&l->arena);
}

static void parse_with(struct loaded *l, const char *text, const char *const *sets)
{
    *l = (struct loaded){0};
    arena_init(&l->arena);
    diag_init(&l->diag);
    const enum status st = experiment_parse("t.yaml", text, strlen(text), sets, &l->arena, &l->e, &l->diag);
    if (st != STATUS_OK) {
        struct strbuf sb;
        strbuf_init(&sb);
        diag_render(&l->diag, &sb);
        print_error("%s", strbuf_cstr(&sb));
        strbuf_fini(&sb);
        fail();
    }
}

static void parse(struct loaded *l, const char *text)
{
    parse_with(l, text, NULL);
}

#define HEAD "target: ascend910b1\nproblem: {M: 512, N: 256, K: 128}\n"

static void assert_axis(const struct cell *cell, enum tiling_field f, int32_t count, const int32_t *values)
{
    assert_int_equal(cell->space.axis[f].count, count);
    for (int32_t i = 0; i < count; i++) {
        assert_int_equal(cell->space.axis[f].values[i], values[i]);
    }
}
#define AXIS(cell, field, ...)                                                                   \
    assert_axis(cell, TF_##field, (int32_t)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)), \
                (int32_t[]){__VA_ARGS__})

static void defaults(void **state)
{
    (void)state;
    struct loaded l;
    parse(&l, HEAD);
    const struct experiment *e = l.e;
    assert_int_equal(e->count, 1);
    assert_string_equal(e->name, "t");
    assert_string_equal(e->text, HEAD);
    assert_int_equal(e->verify, VERIFY_CLASSES);
    assert_int_equal(e->search, SEARCH_EXHAUSTIVE);
    assert_int_equal(e->top, 20);
    const struct cell *c = &e->cells[0];
    assert_string_equal(c->name, "ascend910b1/512x256x128/base");
    assert_string_equal(c->variant, "base");
    assert_string_equal(c->target->name, "ascend910b1");
    assert_int_equal(c->problem.a.dtype, DTYPE_HALF);
    assert_int_equal(c->problem.b.dtype, DTYPE_HALF);
    assert_int_equal(c->problem.c.dtype, DTYPE_HALF);
    assert_int_equal(c->problem.bias.dtype, DTYPE_NONE);
    assert_int_equal(c->problem.a.ld, 128);
    assert_int_equal(c->problem.a.align, 512);
    assert_int_equal(c->space.size, 1);
    assert_null(c->failed);
    unload(&l);
}

static void operands(void **state)
{
    (void)state;
    struct loaded l;
    parse(&l, "target: ascend910b1\n"
              "problem:\n"
              "  M: 512\n  N: 256\n  K: 128\n"
              "  A: {dtype: mx_fp8_e4m3, transpose: true, ld: 640, align: 64}\n"
              "  B: {dtype: mx_fp8_e5m2, format: NZ}\n"
              "  bias: true\n");
    const struct problem *p = &l.e->cells[0].problem;
    assert_int_equal(p->a.dtype, DTYPE_FP8_E4M3);
    assert_true(p->a.mx);
    assert_true(p->a.transpose);
    assert_int_equal(p->a.ld, 640);
    assert_int_equal(p->a.align, 64);
    assert_int_equal(p->b.dtype, DTYPE_FP8_E5M2);
    assert_int_equal(p->b.format, LAYOUT_NZ);
    assert_int_equal(p->scale_a.dtype, DTYPE_E8M0);
    assert_int_equal(p->scale_b.dtype, DTYPE_E8M0);
    assert_int_equal(p->c.dtype, DTYPE_BF16);
    assert_int_equal(p->bias.dtype, DTYPE_FLOAT);
    unload(&l);
}

static void values_of_a_field(void **state)
{
    (void)state;
    struct loaded l;
    parse(&l, HEAD "tiling:\n"
                   "  baseM: {from: 16, to: 64, step: 16}\n"
                   "  baseN: [256, 64, 64]\n"
                   "  baseK: 64\n"
                   "  stepKa: auto\n"
                   "  stepKb: [1, {from: 4, to: 6, step: 1}]\n"
                   "  order: [linear, aswt]\n"
                   "  iterateOrder: 1\n"
                   "  l1Resident: [true, 0]\n"
                   "  loadA: auto\n");
    const struct cell *c = &l.e->cells[0];
    AXIS(c, baseM, 16, 32, 48, 64);
    AXIS(c, baseN, 64, 256);
    AXIS(c, baseK, 64);
    AXIS(c, stepKb, 1, 4, 5, 6);
    AXIS(c, order, ORDER_LINEAR, ORDER_ASWT);
    AXIS(c, iterateOrder, 1);
    AXIS(c, l1Resident, 0, 1);
    assert_int_equal(c->space.axis[TF_stepKa].count, 0);
    assert_int_equal(c->space.axis[TF_loadA].count, 0);
    assert_int_equal(c->space.size, 4 * 2 * 4 * 2 * 2);
    unload(&l);
}

static void nested_forms(void **state)
{
    (void)state;
    struct loaded l;
    parse(&l, HEAD "tiling:\n"
                   "  assign: blocks\n"
                   "  order: [{swizzle: {offset: [3, 4], direction: 1}}, {l2split: {rounds: 2}}, linear]\n"
                   "  splitK: {parts: [1, 4], reduce: atomic}\n"
                   "  l2: {resident: [A, B], A: disable, C: [normal, disable]}\n"
                   "where: 'baseM <= 128'\n");
    const struct cell *c = &l.e->cells[0];
    AXIS(c, order, ORDER_LINEAR, ORDER_SWIZZLE, ORDER_L2SPLIT);
    AXIS(c, orderOffset, 3, 4);
    AXIS(c, orderDirection, 1);
    AXIS(c, orderRounds, 2);
    AXIS(c, splitK, 1, 4);
    AXIS(c, splitKReduce, REDUCE_ATOMIC);
    AXIS(c, l2A, L2_DISABLE);
    AXIS(c, l2C, L2_NORMAL, L2_DISABLE);
    assert_true(c->l2_warm);
    assert_int_equal(c->space.where_count, 1);
    assert_string_equal(c->space.where[0].text, "baseM <= 128");
    unload(&l);
    parse(&l, HEAD "tiling: {order: swizzle, orderOffset: 5, splitK: {from: 1, to: 3, step: 1}}\n");
    AXIS(&l.e->cells[0], order, ORDER_SWIZZLE);
    AXIS(&l.e->cells[0], orderOffset, 5);
    AXIS(&l.e->cells[0], splitK, 1, 2, 3);
    assert_false(l.e->cells[0].l2_warm);
    unload(&l);
}

static void cells_are_targets_problems_variants(void **state)
{
    (void)state;
    static const char *const names[] = {"ascend910b1/64x64x64/plain",   "ascend910b1/64x64x64/wide",
                                        "ascend910b1/mine/plain",       "ascend910b1/mine/wide",
                                        "ascend910b1/64x64x64#2/plain", "ascend910b1/64x64x64#2/wide",
                                        "ascend910b2/64x64x64/plain"};
    struct loaded l;
    parse(&l,
          "target: [ascend910b1, ascend910b2]\n"
          "problem:\n"
          "  - {M: 64, N: 64, K: 64}\n"
          "  - {name: mine, M: 128, N: 64, K: 64}\n"
          "  - {M: 64, N: 64, K: 64, A: {dtype: bf16}}\n"
          "tiling: {baseM: [16, 32]}\n"
          "variants:\n"
          "  - {name: plain}\n"
          "  - {name: wide, set: {tiling.baseM: 64, B.transpose: true, 'problem[1].K': 96, where: [baseN < 99]}}\n");
    assert_int_equal(l.e->count, 12);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(l.e->cells[i].id, i);
        assert_string_equal(l.e->cells[i].name, names[i]);
    }
    const struct cell *c = l.e->cells;
    AXIS(&c[0], baseM, 16, 32);
    AXIS(&c[1], baseM, 64);
    assert_false(c[0].problem.b.transpose);
    assert_true(c[1].problem.b.transpose);
    assert_int_equal(c[2].problem.K, 64);
    assert_int_equal(c[3].problem.K, 96);
    assert_int_equal(c[5].problem.K, 64);
    assert_int_equal(c[4].problem.a.dtype, DTYPE_BF16);
    assert_int_equal(c[0].space.where_count, 0);
    assert_int_equal(c[1].space.where_count, 1);
    assert_string_equal(c[6].target->name, "ascend910b2");
    unload(&l);
}

static void the_base_stays_beside_variants(void **state)
{
    (void)state;
    struct loaded l;
    parse(&l, HEAD "variants: [{name: bf, set: {A.dtype: bf16, B.dtype: bf16}}]\n");
    assert_int_equal(l.e->count, 2);
    assert_string_equal(l.e->cells[0].variant, "base");
    assert_string_equal(l.e->cells[1].variant, "bf");
    assert_int_equal(l.e->cells[0].problem.a.dtype, DTYPE_HALF);
    assert_int_equal(l.e->cells[1].problem.a.dtype, DTYPE_BF16);
    unload(&l);
}

static void sizes_multiply_out(void **state)
{
    (void)state;
    struct loaded l;
    parse(&l, "target: ascend910b1\nproblem: {M: [1, 16, 129], N: {from: 64, to: 128, step: 64}, K: 32}\n");
    assert_int_equal(l.e->count, 6);
    assert_string_equal(l.e->cells[0].name, "ascend910b1/1x64x32/base");
    assert_string_equal(l.e->cells[1].name, "ascend910b1/1x128x32/base");
    assert_string_equal(l.e->cells[5].name, "ascend910b1/129x128x32/base");
    unload(&l);
}

static void overrides(void **state)
{
    (void)state;
    static const char *const sets[] = {"problem.M=4096",
                                       "tiling.baseM=[16,32]",
                                       "baseN={from: 16, to: 48, step: 16}",
                                       "A.transpose=true",
                                       "search=sample",
                                       "sample=77",
                                       "report.top=5",
                                       "report.plots=[budget]",
                                       "name=other",
                                       "tiling.l2.A=disable",
                                       "where=baseM*baseN <= 1024",
                                       "verify=full",
                                       "seed=9",
                                       "objective=gm_bytes",
                                       "keep=12",
                                       NULL};
    struct loaded l;
    parse_with(&l, HEAD "tiling: {baseM: 128}\n", sets);
    const struct cell *c = &l.e->cells[0];
    assert_int_equal(c->problem.M, 4096);
    assert_true(c->problem.a.transpose);
    assert_int_equal(c->problem.seed, 9);
    AXIS(c, baseM, 16, 32);
    AXIS(c, baseN, 16, 32, 48);
    AXIS(c, l2A, L2_DISABLE);
    assert_string_equal(c->space.where[0].text, "baseM*baseN <= 1024");
    assert_string_equal(l.e->name, "other");
    assert_int_equal(l.e->search, SEARCH_SAMPLE);
    assert_int_equal(l.e->sample, 77);
    assert_int_equal(l.e->top, 5);
    assert_int_equal(l.e->plots, PLOT_BUDGET);
    assert_int_equal(l.e->verify, VERIFY_FULL);
    assert_int_equal(l.e->objective, OBJECTIVE_GM_BYTES);
    assert_int_equal(l.e->keep, 12);
    unload(&l);
}

static void override_of_a_list(void **state)
{
    (void)state;
    static const char *const one[] = {"problem[1].M=7", NULL};
    static const char *const all[] = {"problem.M=7", NULL};
    const char *text = "target: ascend910b1\nproblem: [{M: 1, N: 16, K: 16}, {M: 2, N: 16, K: 16}]\n";
    struct loaded l;
    parse_with(&l, text, one);
    assert_int_equal(l.e->cells[0].problem.M, 1);
    assert_int_equal(l.e->cells[1].problem.M, 7);
    unload(&l);
    parse_with(&l, text, all);
    assert_int_equal(l.e->cells[0].problem.M, 7);
    assert_int_equal(l.e->cells[1].problem.M, 7);
    unload(&l);
}

static void conv_fills_its_shape(void **state)
{
    (void)state;
    struct loaded l;
    parse(&l, "target: ascend910b1\n"
              "problem: {op: conv, N: 2, C: 64, H: 56, W: 28, Cout: 96, kh: 3, kw: 5, stride: [2, 1], pad: [1, 2], "
              "dilation: 1, groups: 2}\n");
    const struct problem *p = &l.e->cells[0].problem;
    assert_int_equal(p->op, PROBLEM_CONV);
    assert_int_equal(p->conv.n, 2);
    assert_int_equal(p->conv.c, 64);
    assert_int_equal(p->conv.cout, 96);
    assert_int_equal(p->conv.stride_h, 2);
    assert_int_equal(p->conv.stride_w, 1);
    assert_int_equal(p->conv.pad_top, 1);
    assert_int_equal(p->conv.pad_bottom, 1);
    assert_int_equal(p->conv.pad_left, 2);
    assert_int_equal(p->conv.pad_right, 2);
    assert_int_equal(p->M, 28 * 28); /* (56 + 2 - 3) / 2 + 1 by 28 + 4 - 5 + 1 */
    assert_int_equal(p->N, 48);
    assert_int_equal(p->K, 32 * 3 * 5);
    unload(&l);
}

static uint64_t key_of(const char *text, const char *set)
{
    const char *const sets[] = {set, NULL};
    struct loaded l;
    parse_with(&l, text, sets);
    const uint64_t key = l.e->key;
    unload(&l);
    return key;
}

/* The key follows what decides results, and nothing else. */
static void key_is_canonical(void **state)
{
    (void)state;
    const uint64_t key = key_of(HEAD "tiling: {baseM: [16, 32], stepKb: auto}\n", NULL);
    assert_true(key == key_of("# a comment\nproblem:\n  K: 128\n  N: 256\n  M: 512\ntarget: [ascend910b1]\n"
                              "tiling: {baseM: [32, 16, 16]}\nverify: classes\n",
                              NULL));
    static const char *const same[] = {"report.top=3", "report.plots=none", "A.dtype=half", "name=elsewhere"};
    static const char *const differ[] = {"M=513",       "B.transpose=true", "tiling.baseM=[16,48]", "tiling.baseN=64",
                                         "verify=full", "seed=2",           "target=ascend910b2",   "where=baseM<99",
                                         "search=best", "A.ld=256",         "l2.resident=[A,B]",    "keep=3"};
    const char *text = HEAD "tiling: {baseM: [16, 32]}\n";
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        assert_true(key == key_of(text, same[i]));
    }
    for (size_t i = 0; i < sizeof differ / sizeof differ[0]; i++) {
        if (key == key_of(text, differ[i])) {
            fail_msg("%s does not change the key", differ[i]);
        }
    }
}

static void the_default_config_loads(void **state)
{
    (void)state;
    struct loaded l = {0};
    arena_init(&l.arena);
    diag_init(&l.diag);
    assert_int_equal(experiment_load("matmul_half", NULL, &l.arena, &l.e, &l.diag), STATUS_OK);
    assert_string_equal(l.e->name, "matmul_half");
    assert_true(l.e->cells[0].space.size >= 100);
    const struct experiment *from_file;
    assert_int_equal(experiment_load(REPO_DIR "/configs/matmul_half.yaml", NULL, &l.arena, &from_file, &l.diag),
                     STATUS_OK);
    assert_true(from_file->key == l.e->key);
    unload(&l);
}

/* A named tiling stands on the config's fixed fields. */
static void a_name_on_top_of_the_config(void **state)
{
    (void)state;
    struct loaded l;
    struct tiling t;
    struct diag d;
    parse(&l, HEAD "tiling: {kernel: mix, stepKa: 2, baseM: [32, 64], dbL0C: auto, depthB1: 8}\n");
    diag_init(&d);
    assert_int_equal(cell_tiling(&l.e->cells[0], "b16x32x64", &t, &d), STATUS_OK);
    assert_int_equal(t.kernel, KERNEL_MIX);
    assert_int_equal(t.stepKa, 2);
    assert_int_equal(t.baseM, 16);
    assert_int_equal(t.depthB1, 8);
    assert_int_equal(t.dbL0C, TILING_AUTO);
    assert_int_equal(t.stepKb, TILING_AUTO);
    assert_int_equal(d.count, 0);
    /* The name holds where both speak, and that is said. */
    assert_int_equal(cell_tiling(&l.e->cells[0], "s4x1_d2x2_k0", &t, &d), STATUS_OK);
    assert_int_equal(t.stepKa, 4);
    assert_int_equal(t.kernel, KERNEL_CUBE);
    assert_int_equal(t.baseM, TILING_AUTO); /* a list fixes nothing */
    assert_int_equal(t.depthB1, TILING_AUTO);
    assert_int_equal(d.count, 3);
    assert_int_equal(d.errors, 0);
    assert_string_equal(d.messages[0].text, "stepKa is 4, not 2 as the config fixes it: the name 's4x1_d2x2_k0' holds");
    assert_non_null(strstr(d.messages[1].text, "depthB1 is what its steps give, not 8"));
    assert_non_null(strstr(d.messages[2].text, "kernel is cube, not mix"));
    diag_fini(&d);
    unload(&l);
}

/* A bias that names no dtype takes one the chip has. */
static void bias_of_a_chip(void **state)
{
    (void)state;
    struct loaded l;
    parse(&l, "target: [ascend910b1, kirin_x90]\nproblem: {M: 64, N: 64, K: 64, bias: true}\n");
    assert_int_equal(l.e->cells[0].problem.bias.dtype, DTYPE_FLOAT);
    assert_int_equal(l.e->cells[1].problem.bias.dtype, DTYPE_HALF);
    unload(&l);
    parse(&l, "target: kirin_x90\nproblem: {M: 64, N: 64, K: 64, bias: {dtype: float}}\n");
    assert_int_equal(l.e->cells[0].problem.bias.dtype, DTYPE_FLOAT); /* said: stays, and is a reason */
    unload(&l);
}

/* Quant row, scalar factor, relu, HF32. */
static void results_are_quantised(void **state)
{
    (void)state;
    struct loaded l;
    parse(&l, "target: ascend910b1\nproblem:\n"
              "  - {M: 64, N: 48, K: 64, A: {dtype: int8}, quant: true, relu: true}\n"
              "  - {M: 64, N: 48, K: 64, A: {dtype: int8}, C: {dtype: half}, quant: {mode: scalar, scale: 0.5}}\n"
              "  - {M: 64, N: 48, K: 64, A: {dtype: float}, hf32: true, quant: false}\n");
    const struct problem *p = &l.e->cells[0].problem;
    assert_int_equal(p->quant.dtype, DTYPE_UINT64);
    assert_int_equal(p->quant.cols, 48);
    assert_int_equal(p->c.dtype, DTYPE_HALF);
    assert_true(p->relu);
    p = &l.e->cells[1].problem;
    assert_int_equal(p->quant.dtype, DTYPE_NONE);
    assert_true(p->deq_scale == 0.5);
    p = &l.e->cells[2].problem;
    assert_true(p->hf32 && p->quant.dtype == DTYPE_NONE && !p->relu);
    unload(&l);
    /* Each decides results, so the key too. */
    static const char *const texts[] = {
        "quant: false", "quant: true", "quant: {mode: scalar, scale: 0.5}", "quant: {mode: scalar, scale: 0.25}",
        "relu: true",   "hf32: true"};
    uint64_t keys[6];
    for (int i = 0; i < 6; i++) {
        char text[128];
        snprintf(text, sizeof text, "target: ascend910b1\nproblem: {M: 64, N: 64, K: 64, %s}\n", texts[i]);
        parse(&l, text);
        keys[i] = l.e->key;
        unload(&l);
        for (int k = 0; k < i; k++) {
            assert_true(keys[k] != keys[i]);
        }
    }
}

/* Another number of event ids: what plan and race check read, in another key. */
static void event_ids_of_an_experiment(void **state)
{
    (void)state;
    struct loaded l, other;
    parse(&l, HEAD);
    parse(&other, HEAD "eventIds: 8\n");
    assert_int_equal(l.e->cells[0].target->event_ids, 6);
    assert_int_equal(other.e->cells[0].target->event_ids, 8);
    assert_true(l.e->key != other.e->key);
    unload(&l);
    unload(&other);
}

/* The type of scales may be said. */
static void scales_may_say_their_type(void **state)
{
    (void)state;
    struct loaded l;
    parse(&l, "target: ascend950pr_9589\nproblem: {M: 64, N: 64, K: 64, A: {dtype: mx_fp8_e4m3}, "
              "scaleA: {dtype: e8m0, align: 64}}\n");
    assert_int_equal(l.e->cells[0].problem.scale_a.dtype, DTYPE_E8M0);
    assert_int_equal(l.e->cells[0].problem.scale_a.align, 64);
    unload(&l);
}

/* Names of the documents' APIs and of the microscaling formats. */
static void dtypes_by_other_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum dtype dtype;
        bool mx;
    } cases[] = {
        {"fp8_e4m3fn", DTYPE_FP8_E4M3, false},   {"hifloat8", DTYPE_HIF8, false}, {"mxfp8", DTYPE_FP8_E4M3, true},
        {"mxfp8_e5m2", DTYPE_FP8_E5M2, true},    {"mxfp4", DTYPE_FP4_E2M1, true}, {"mxfp4_e1m2", DTYPE_FP4_E1M2, true},
        {"mx_fp8_e4m3fn", DTYPE_FP8_E4M3, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct loaded l;
        char text[256];
        snprintf(text, sizeof text,
                 "target: ascend950pr_9589\nproblem: {M: 64, N: 64, K: 64, A: {dtype: %s}, B: {dtype: %s}}\n",
                 cases[i].name, cases[i].name);
        parse(&l, text);
        assert_int_equal(l.e->cells[0].problem.a.dtype, cases[i].dtype);
        assert_int_equal(l.e->cells[0].problem.b.dtype, cases[i].dtype);
        assert_int_equal(l.e->cells[0].problem.a.mx, cases[i].mx);
        unload(&l);
    }
}

/* Inputs that serve the error of C alone are another experiment, and said so. */
static void inputs_for_the_error(void **state)
{
    (void)state;
    static const char *const texts[] = {"inputs: normal", "inputs: {A: normal, B: normal}",
                                        "inputs: {A: normal, B: normal, verify: true}",
                                        "inputs: {A: normal, B: normal, verify: false}"};
    uint64_t key[4];
    for (size_t i = 0; i < 4; i++) {
        struct loaded l;
        char text[256];
        snprintf(text, sizeof text, "target: ascend950pr_9589\nproblem: {M: 64, N: 64, K: 64, %s}\n", texts[i]);
        parse(&l, text);
        assert_non_null(l.e->cells[0].problem.a.input);
        assert_int_equal(l.e->cells[0].problem.error_only, i == 3);
        key[i] = l.e->key;
        unload(&l);
    }
    assert_true(key[0] == key[1] && key[1] == key[2]);
    assert_true(key[2] != key[3]);
}

static void keys_are_described(void **state)
{
    (void)state;
    struct strbuf sb;
    strbuf_init(&sb);
    experiment_describe(&sb);
    static const char *const words[] = {"variants", "Cout", "mxfp4", "transpose", "dilation", "swizzle", "objective"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        assert_non_null(strstr(strbuf_cstr(&sb), words[i]));
    }
    strbuf_fini(&sb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(operands),
        cmocka_unit_test(values_of_a_field),
        cmocka_unit_test(nested_forms),
        cmocka_unit_test(cells_are_targets_problems_variants),
        cmocka_unit_test(the_base_stays_beside_variants),
        cmocka_unit_test(sizes_multiply_out),
        cmocka_unit_test(overrides),
        cmocka_unit_test(override_of_a_list),
        cmocka_unit_test(conv_fills_its_shape),
        cmocka_unit_test(key_is_canonical),
        cmocka_unit_test(the_default_config_loads),
        cmocka_unit_test(a_name_on_top_of_the_config),
        cmocka_unit_test(bias_of_a_chip),
        cmocka_unit_test(results_are_quantised),
        cmocka_unit_test(event_ids_of_an_experiment),
        cmocka_unit_test(scales_may_say_their_type),
        cmocka_unit_test(dtypes_by_other_names),
        cmocka_unit_test(inputs_for_the_error),
        cmocka_unit_test(keys_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
