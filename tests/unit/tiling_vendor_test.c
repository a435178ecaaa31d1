/* The vendor's own tilings, as run on boards, fit: every row of
 * tests/data/measurements/open.csv that is a tiling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "study/validate.h"
#include "support/points.h"
#include "tiling/plan.h"

#define CSV TESTS_DIR "/data/measurements/open.csv"

struct board {
    struct arena arena;
    struct csv_table csv;
    struct validate_columns *columns;
};

static void open_board(struct board *b)
{
    memset(b, 0, sizeof *b);
    arena_init(&b->arena);
    assert_int_equal(csv_load(CSV, &b->arena, &b->csv, NULL), STATUS_OK);
    assert_int_equal(validate_columns_find(&b->csv, &b->arena, &b->columns, NULL), STATUS_OK);
}

static const char *text(const struct board *b, size_t row, const char *column)
{
    const int c = csv_column(&b->csv, column);
    assert_true(c >= 0);
    return b->csv.rows[row].fields[c];
}

static int32_t number(const struct board *b, size_t row, const char *column)
{
    const char *s = text(b, row, column);
    return *s == '\0' ? TILING_AUTO : (int32_t)strtol(s, NULL, 10);
}

/* Fields that stand in the file under their own names; what the row does not
 * say is auto. */
static void read_tiling(const struct board *b, size_t row, struct tiling *t)
{
    tiling_all_auto(t);
    for (int f = 0; f < TF_N; f++) {
        const char *name = tiling_field_info((enum tiling_field)f)->name;
        const bool own = csv_column(&b->csv, name) >= 0 && f != TF_iterateOrder && f != TF_assign;
        if (own) {
            tiling_set(t, (enum tiling_field)f, number(b, row, name));
        }
    }
    t->dbA1 = t->depthA1 / (t->stepM * t->stepKa);
    t->dbB1 = t->depthB1 / (t->stepN * t->stepKb);
    t->assign = ASSIGN_GRID;
    t->iterateOrder = strcmp(text(b, row, "iterateOrder"), "ORDER_N") == 0;
    t->api = number(b, row, "highlevel_init") == 1 ? API_HIGH : API_BASIC;
}

/* Rows that study/validate does not time yet. */
static void read_mx(const struct board *b, size_t row, struct problem *p, struct tiling *t)
{
    memset(p, 0, sizeof *p);
    p->M = number(b, row, "M"), p->N = number(b, row, "N"), p->K = number(b, row, "K");
    p->a.dtype = strcmp(text(b, row, "dtype_a"), "mxfp4") == 0 ? DTYPE_FP4_E2M1 : DTYPE_FP8_E4M3;
    p->b.dtype = p->a.dtype;
    p->a.mx = p->b.mx = true;
    p->scale_a.dtype = p->scale_b.dtype = DTYPE_E8M0;
    p->b.transpose = true;
    p->c.dtype = DTYPE_BF16;
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
    read_tiling(b, row, t);
    t->scaleFactorKa = t->scaleFactorKb = number(b, row, "mx_scale_factor");
}

static void read_conv(const struct board *b, size_t row, struct problem *p, struct tiling *t)
{
    memset(p, 0, sizeof *p);
    const int32_t c0 = number(b, row, "x_c0"), h = number(b, row, "x_h"), w = number(b, row, "x_w");
    const int32_t stride = number(b, row, "stride"), pad = number(b, row, "pad"), dilation = number(b, row, "dilation");
    p->op = PROBLEM_CONV;
    p->M = number(b, row, "M"), p->N = number(b, row, "N"), p->K = number(b, row, "K");
    p->conv = (struct conv_shape){.n = number(b, row, "x_n"),
                                  .c = (int64_t)number(b, row, "x_c1") * c0,
                                  .h = h,
                                  .w = w,
                                  .cout = p->N,
                                  .kh = number(b, row, "k_h"),
                                  .kw = number(b, row, "k_w"),
                                  .groups = 1,
                                  .stride_h = stride,
                                  .stride_w = stride,
                                  .dilation_h = dilation,
                                  .dilation_w = dilation,
                                  .pad_top = pad,
                                  .pad_bottom = pad,
                                  .pad_left = pad,
                                  .pad_right = pad};
    p->a.dtype = p->b.dtype = p->c.dtype = DTYPE_HALF;
    p->a.format = p->c.format = LAYOUT_NC1HWC0;
    p->b.format = LAYOUT_FRACTAL_Z;
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
    read_tiling(b, row, t);
}

static void check_fits(const char *id, const struct target *target, const struct problem *p, struct tiling *t)
{
    struct infeasible why;
    struct plan plan;
    tiling_resolve(target, p, t, &why);
    if (why.reason != REASON_NONE || !plan_fits(target, p, t, &plan, &why)) {
        struct strbuf text;
        strbuf_init(&text);
        infeasible_advice(target, p, t, &why, &text);
        fail_msg("%s on %s: %s", id, target->name, strbuf_cstr(&text));
    }
}

static void every_measured_tiling_fits(void **state)
{
    (void)state;
    struct board b;
    size_t matmul = 0, mx = 0, conv = 0, copies = 0;
    open_board(&b);
    for (size_t i = 0; i < b.csv.count; i++) {
        struct validate_row row;
        struct problem p;
        struct tiling t;
        (void)validate_row_read(&b.csv, b.columns, i, &row, NULL);
        const struct target *target = point_target(row.target_name, &b.arena);
        if (strncmp(row.op, "copy", 4) == 0) {
            copies++;
            continue; /* no cube: not a tiling */
        }
        if (strcmp(row.op, "matmul_mx") == 0) {
            read_mx(&b, i, &p, &t);
            mx++;
        } else if (strcmp(row.op, "conv2d") == 0) {
            read_conv(&b, i, &p, &t);
            conv++;
        } else {
            p = row.problem;
            t = row.tiling;
            matmul++;
        }
        check_fits(row.id, target, &p, &t);
    }
    assert_int_equal(b.csv.count, 77);
    assert_int_equal(copies, 10);
    assert_int_equal(mx, 6);
    assert_int_equal(conv, 3);
    assert_int_equal(matmul, 58);
    arena_fini(&b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_measured_tiling_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
