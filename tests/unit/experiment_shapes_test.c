/* Shape lists: every convention of configs/shapes, and rows that cannot be taken. */
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
    enum status status;
};

/* `problem` is the text between the braces of the problem map. */
static void load(struct loaded *l, const char *problem)
{
    char text[1024];
    *l = (struct loaded){0};
    arena_init(&l->arena);
    diag_init(&l->diag);
    (void)snprintf(text, sizeof text, "target: ascend910b1\nproblem: {%s}\n", problem);
    l->status = experiment_parse(REPO_DIR "/configs/t.yaml", text, strlen(text), NULL, &l->arena, &l->e, &l->diag);
}

static void unload(struct loaded *l)
{
    diag_fini(&l->diag);
    arena_fini(&l->arena);
}

/* Every file of configs/shapes: cells, those that cannot run yet, and a look
 * at one row. */
static void every_file_loads(void **state)
{
    (void)state;
    static const struct {
        const char *problem;
        size_t cells, failed;
        size_t row;
        int64_t M, N, K;
        enum dtype dtype;
    } files[] = {
        {"shapes: shapes/llm_weight_shapes.csv", 56, 56, 0, 0, 6144, 4096, DTYPE_HALF}, /* no M anywhere */
        {"shapes: shapes/llm_weight_shapes.csv, M: [1, 4096]", 112, 0, 1, 4096, 6144, 4096, DTYPE_HALF},
        {"shapes: shapes/llm_weight_shapes.csv, M: 16, tp: 8", 56, 0, 1, 16, 4096, 512, DTYPE_HALF},
        {"shapes: shapes/deepseek_deepgemm.csv", 51, 0, 3, 1, 32768, 512, DTYPE_HALF},
        {"shapes: shapes/deepseek_deepgemm.csv", 51, 0, 31, 8 * 4096, 6144, 7168, DTYPE_HALF},
        {"shapes: shapes/qwen25_flaggems.csv", 32, 0, 31, 8192, 4608, 3584, DTYPE_HALF},
        {"shapes: shapes/deepbench_gemm.csv", 248, 0, 0, 1760, 16, 1760, DTYPE_HALF},
        {"shapes: shapes/aiter/a4w4_blockscale_untuned_gemm.csv, dtype: mx_fp4_e2m1", 194, 0, 0, 1, 16384, 16384,
         DTYPE_FP4_E2M1},
        {"shapes: shapes/aiter/a8w8_blockscale_untuned_gemm_ds_v3.csv, dtype: mx_fp8_e4m3", 100, 0, 99, 32768, 512,
         7168, DTYPE_FP8_E4M3},
        {"shapes: shapes/aiter/dsv3_bf16_untuned_gemm.csv", 58, 0, 0, 1, 256, 7168, DTYPE_BF16},
        {"shapes: shapes/aiter/dsv3_bf16_untuned_gemm.csv, dtype: half", 58, 0, 0, 1, 256, 7168, DTYPE_HALF},
        {"shapes: shapes/aiter/kimik2_bf16_untuned_gemm.csv", 125, 0, 0, 8, 384, 7168, DTYPE_BF16},
        {"shapes: shapes/aiter/llama70B_untuned_gemm_bf16.csv", 156, 0, 155, 32768, 8192, 28672, DTYPE_BF16},
        {"shapes: shapes/aiter/qwen32B_untuned_gemm_bf16.csv", 156, 0, 155, 32768, 5120, 25600, DTYPE_BF16},
        {"shapes: shapes/deepbench_conv.csv", 218, 0, 0, 79 * 341, 32, 16 * 5 * 20, DTYPE_HALF},
        {"shapes: shapes/cosa_conv_layers.csv", 404, 22, 3, 13 * 13, 256, 256 * 9, DTYPE_HALF},
        {"shapes: shapes/resnet50_scalesim.csv", 54, 0, 0, 109 * 109, 64, 16 * 49, DTYPE_HALF},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct loaded l;
        load(&l, files[i].problem);
        assert_int_equal(l.status, STATUS_OK);
        size_t failed = 0;
        for (size_t j = 0; j < l.e->count; j++) {
            failed += l.e->cells[j].failed != NULL;
        }
        const struct problem *p = &l.e->cells[files[i].row].problem;
        const bool same = l.e->count == files[i].cells && failed == files[i].failed && p->M == files[i].M &&
                          p->N == files[i].N && p->K == files[i].K && p->a.dtype == files[i].dtype;
        if (!same) {
            fail_msg("%s: %zu cells, %zu failed, row %zu is %lld x %lld x %lld", files[i].problem, l.e->count, failed,
                     files[i].row, (long long)p->M, (long long)p->N, (long long)p->K);
        }
        unload(&l);
    }
}

/* ResNet-50 by its rule: four stages of 3, 4, 6, 3 blocks of 1x1, 3x3, 1x1; the
 * first block of a stage strides in its 3x3 (v1.5) and has a 1x1 on the shortcut. */
struct rule {
    int64_t c, side, cout, k, stride;
};

static size_t resnet50(struct rule out[64])
{
    static const int blocks[4] = {3, 4, 6, 3};
    size_t n = 0;
    int64_t c = 64, side = 56;
    out[n++] = (struct rule){3, 224, 64, 7, 2};
    for (int stage = 0; stage < 4; stage++) {
        const int64_t width = (int64_t)64 << stage;
        for (int block = 0; block < blocks[stage]; block++) {
            const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
            out[n++] = (struct rule){c, side, width, 1, 1};
            out[n++] = (struct rule){width, side, width, 3, stride};
            if (block == 0) {
                out[n++] = (struct rule){c, side, 4 * width, 1, stride};
            }
            side /= stride;
            out[n++] = (struct rule){width, side, 4 * width, 1, 1};
            c = 4 * width;
        }
    }
    return n;
}

static bool follows(const struct problem *p, const struct rule *r)
{
    const struct conv_shape *v = &p->conv;
    return v->c == r->c && v->h == r->side && v->w == r->side && v->cout == r->cout && v->kh == r->k && v->kw == r->k &&
           v->stride_h == r->stride && v->stride_w == r->stride && v->pad_top == r->k / 2 &&
           v->pad_bottom == r->k / 2 && v->pad_left == r->k / 2 && v->pad_right == r->k / 2;
}

/* Every layer of the network is in the list as often as it occurs. */
static void resnet50_is_whole(void **state)
{
    (void)state;
    struct rule rules[64];
    const size_t n = resnet50(rules);
    assert_int_equal(n, 53);
    static const char *const lists[] = {"op: conv, N: 16, shapes: shapes/resnet50_conv.csv",
                                        "op: conv, N: 16, merge: true, shapes: shapes/resnet50_conv.csv"};
    for (size_t k = 0; k < 2; k++) {
        struct loaded l;
        load(&l, lists[k]);
        assert_int_equal(l.status, STATUS_OK);
        assert_int_equal(l.e->count, k ? 23 : 53);
        int64_t occurs = 0;
        for (size_t i = 0; i < l.e->count; i++) {
            const struct cell *cell = &l.e->cells[i];
            int64_t rows = 0, listed = 0;
            for (size_t j = 0; j < n; j++) {
                rows += follows(&cell->problem, &rules[j]);
            }
            for (size_t j = 0; j < l.e->count; j++) {
                listed += problem_equal(&l.e->cells[j].problem, &cell->problem) ? l.e->cells[j].count : 0;
            }
            assert_true(rows > 0);
            assert_int_equal(listed, rows);
            assert_string_equal(cell->network, "resnet50_conv, N 16");
            occurs += cell->count;
        }
        assert_int_equal(occurs, 53);
        assert_string_equal(l.e->cells[0].layer, "conv1");
        assert_string_equal(l.e->cells[0].name, "ascend910b1/conv1_n16c3h224w224_k64r7s7_stride2_pad3/base");
        unload(&l);
    }
}

/* What names a network, and how layers are counted. */
static void networks(void **state)
{
    (void)state;
    static const struct {
        const char *problem;
        size_t row;
        const char *network, *layer;
        int64_t count;
    } rows[] = {
        {"shapes: shapes/llm_weight_shapes.csv, M: [1, 16]", 1, "llm_weight_shapes Mistral-7B-v0.1, M 16",
         "16x6144x4096", 1},
        {"name: decode, shapes: shapes/llm_weight_shapes.csv, M: 16, tp: 8, count: 32", 1,
         "decode Mistral-7B-v0.1, M 16, tp 8", "16x4096x512", 32},
        {"shapes: shapes/cosa_conv_layers.csv", 0, "cosa_conv_layers alexnet_graph", "_outputs_210.yaml", 1},
        {"shapes: shapes/deepbench_conv.csv", 0, "deepbench_conv training_set", "n4c1h161w700_k32r5s20_stride2", 1},
        {"shapes: ../tests/data/configs/counts.csv", 1, "counts", "second", 7},
        {"shapes: ../tests/data/configs/counts.csv, merge: true", 0, "counts", "first", 8},
        {"M: 16, N: 16, K: 16, count: 5", 0, "t", "16x16x16", 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct loaded l;
        load(&l, rows[i].problem);
        assert_int_equal(l.status, STATUS_OK);
        assert_true(rows[i].row < l.e->count);
        const struct cell *cell = &l.e->cells[rows[i].row];
        assert_string_equal(cell->network, rows[i].network);
        assert_string_equal(cell->layer, rows[i].layer);
        assert_int_equal(cell->count, rows[i].count);
        unload(&l);
    }
}

static void bad_rows_stay(void **state)
{
    (void)state;
    static const struct {
        int line; /* 0: a good row */
        const char *reason;
        bool warned; /* the data itself is bad */
    } rows[] = {
        {0, NULL, false},
        {4, "M '0' is not a whole number from 1", true},
        {5, "M '12a'", true},
        {6, "row has 3 fields, the header has 10", true},
        {7, "gives no N", false},
        {8, "dtype 'torch.complex64' is not known", true},
        {9, "scaleAB is true", false},
        {10, "bpreshuffle is true", false},
        {12, "bias 'maybe' is not true or false", true},
        {0, NULL, false},
        {14, "N '99999999999'", true},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    struct loaded l;
    load(&l, "shapes: ../tests/data/configs/broken.csv");
    assert_int_equal(l.status, STATUS_OK);
    assert_int_equal(l.e->count, ROWS);
    size_t warnings = 1; /* the column `note` nobody reads */
    for (size_t i = 0; i < ROWS; i++) {
        const char *failed = l.e->cells[i].failed;
        char place[32];
        (void)snprintf(place, sizeof place, "broken.csv:%d: ", rows[i].line);
        if (rows[i].line == 0) {
            assert_null(failed);
            continue;
        }
        warnings += rows[i].warned;
        if (failed == NULL || strstr(failed, place) == NULL || strstr(failed, rows[i].reason) == NULL) {
            fail_msg("row %zu: '%s', expected '%s%s'", i, failed != NULL ? failed : "", place, rows[i].reason);
        }
    }
    assert_int_equal(l.diag.errors, 0);
    assert_int_equal(l.diag.count, warnings);
    const struct problem *p = &l.e->cells[0].problem;
    assert_int_equal(p->a.dtype, DTYPE_BF16);
    assert_int_equal(p->c.dtype, DTYPE_FLOAT);
    assert_int_equal(p->bias.dtype, DTYPE_FLOAT);
    assert_non_null(strstr(p->name, "ok "));
    assert_non_null(strstr(l.e->cells[9].problem.name, "quoted \"name\", two"));
    assert_string_equal(l.e->cells[0].name, "ascend910b1/128x256x512/base");
    assert_string_equal(l.e->cells[1].name, "ascend910b1/line4/base");
    unload(&l);
}

static void a_place_is_given_for_bad_fields(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, "shapes: ../tests/data/configs/broken.csv");
    bool seen = false;
    for (size_t i = 0; i < l.diag.count; i++) {
        const struct diag_message *m = &l.diag.messages[i];
        seen |= m->line == 5 && m->col == 6 && m->level == DIAG_WARNING && strstr(m->text, "12a") != NULL;
    }
    assert_true(seen);
    unload(&l);
}

static void own_conv_columns(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, "shapes: ../tests/data/configs/conv.csv, op: conv, A: {dtype: bf16}");
    assert_int_equal(l.status, STATUS_OK);
    assert_int_equal(l.e->count, 2);
    const struct problem *p = &l.e->cells[0].problem;
    assert_int_equal(p->conv.kh, 7);
    assert_int_equal(p->conv.pad_left, 3);
    assert_int_equal(p->M, 112 * 112);
    assert_int_equal(p->b.dtype, DTYPE_BF16);
    assert_non_null(strstr(l.e->cells[1].failed, "conv.csv:3: the filter 5x5 does not fit"));
    unload(&l);
}

static void transposes_follow_the_row_unless_said(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, "shapes: shapes/deepbench_gemm.csv");
    size_t a = 0, b = 0;
    for (size_t i = 0; i < l.e->count; i++) {
        a += l.e->cells[i].problem.a.transpose;
        b += l.e->cells[i].problem.b.transpose;
    }
    assert_int_equal(a, 73);
    assert_int_equal(b, 10);
    unload(&l);
    load(&l, "shapes: shapes/deepbench_gemm.csv, B: {transpose: true}");
    for (size_t i = 0; i < l.e->count; i++) {
        assert_true(l.e->cells[i].problem.b.transpose);
    }
    unload(&l);
}

static void files_that_are_no_lists(void **state)
{
    (void)state;
    static const struct {
        const char *problem, *words;
    } list[] = {
        {"shapes: ../tests/data/configs/unknown.csv", "neither matmul nor conv columns"},
        {"shapes: ../tests/data/configs/empty.csv", "has no rows"},
        {"shapes: ../tests/data/configs/nowhere.csv", "there is no file"},
        {"shapes: shapes/deepbench_conv.csv, op: matmul", "are those of a conv"},
        {"shapes: shapes/deepbench_gemm.csv, op: conv", "are those of a matmul"},
        {"shapes: [a, b]", "expected a word"},
        {"shapes: shapes/deepbench_gemm.csv, tp: 0", "outside 1..65536"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct loaded l;
        load(&l, list[i].problem);
        assert_int_equal(l.status, STATUS_INVALID);
        assert_int_equal(l.diag.errors, 1);
        assert_int_equal(l.diag.messages[0].line, 2);
        if (strstr(l.diag.messages[0].text, list[i].words) == NULL) {
            fail_msg("%s: '%s'", list[i].problem, l.diag.messages[0].text);
        }
        unload(&l);
    }
}

static void lists_and_maps_mix(void **state)
{
    (void)state;
    struct loaded l = {0};
    arena_init(&l.arena);
    diag_init(&l.diag);
    const char *text = "target: [ascend910b1, ascend910b2]\n"
                       "problem:\n"
                       "  - {M: 64, N: 64, K: 64}\n"
                       "  - {shapes: shapes/qwen25_flaggems.csv}\n"
                       "variants: [{name: bf, set: {A.dtype: bf16}}]\n";
    assert_int_equal(experiment_parse(REPO_DIR "/configs/t.yaml", text, strlen(text), NULL, &l.arena, &l.e, &l.diag),
                     STATUS_OK);
    assert_int_equal(l.e->count, 2 * 33 * 2);
    assert_int_equal(l.e->cells[3].problem.a.dtype, DTYPE_BF16);
    assert_int_equal(l.e->cells[3].problem.N, 152064);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_loads),
        cmocka_unit_test(bad_rows_stay),
        cmocka_unit_test(resnet50_is_whole),
        cmocka_unit_test(networks),
        cmocka_unit_test(a_place_is_given_for_bad_fields),
        cmocka_unit_test(own_conv_columns),
        cmocka_unit_test(transposes_follow_the_row_unless_said),
        cmocka_unit_test(files_that_are_no_lists),
        cmocka_unit_test(lists_and_maps_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
