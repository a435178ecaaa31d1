/* Rows of measurements files: what they become, what is refused and where it
 * says so, and how a set is scored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/validate_score.h"

struct fixture {
    struct arena arena;
    struct diag diag;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    arena_init(&f->arena);
    diag_init(&f->diag);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    diag_fini(&f->diag);
    arena_fini(&f->arena);
    free(f);
    return 0;
}

/* Reads row 0 of `text`. */
static enum status read_one(struct fixture *f, const char *text, struct validate_row *row)
{
    struct csv_table csv;
    struct validate_columns *columns;
    assert_int_equal(csv_parse("runs.csv", text, strlen(text), &f->arena, &csv, &f->diag), STATUS_OK);
    const enum status st = validate_columns_find(&csv, &f->arena, &columns, &f->diag);
    return st != STATUS_OK ? st : validate_row_read(&csv, columns, 0, row, &f->diag);
}

static void full_row(void **state)
{
    struct validate_row row;
    assert_int_equal(
        read_one(
            *state,
            "id,target,use,op,M,N,K,dtype_a,dtype_b,dtype_c,trans_a,trans_b,format_b,baseM,baseN,baseK,stepM,stepN,"
            "stepKa,stepKb,depthA1,depthB1,usedCoreNum,assign,swizzle,iterateOrder,unitflag,mix,highlevel_init,"
            "l2_warm,task_us,mac_us\n"
            "X1,910B3,holdout,matmul,128,256,1024,int8,int8,float,N,T,NZ,128,256,128,1,1,4,4,8,4,20,blocks,"
            "\"swizzle:3,1\",ORDER_N,1,1,0,1,12.5,\n",
            &row),
        STATUS_OK);
    assert_string_equal(row.target_name, "ascend910b3");
    assert_int_equal(row.problem.N, 256);
    assert_int_equal(row.problem.a.dtype, DTYPE_INT8);
    assert_true(row.problem.b.transpose);
    assert_int_equal(row.problem.b.format, LAYOUT_NZ);
    assert_int_equal(row.problem.c.ld, 256);
    assert_int_equal(row.tiling.dbA1, 2);
    assert_int_equal(row.tiling.dbB1, 1);
    assert_int_equal(row.tiling.assign, ASSIGN_BLOCKS);
    assert_int_equal(row.tiling.order, ORDER_SWIZZLE);
    assert_int_equal(row.tiling.orderOffset, 3);
    assert_int_equal(row.tiling.orderDirection, 1);
    assert_int_equal(row.tiling.iterateOrder, 1);
    assert_int_equal(row.tiling.kernel, KERNEL_MIX);
    assert_int_equal(row.tiling.api, API_BASIC);
    assert_int_equal(row.tiling.singleCoreM, TILING_AUTO);
    assert_true(row.start.l2_warm);
    assert_true(row.fixpipe_waits);
    assert_true(row.measured[MEASURE_TASK] == 12.5);
    assert_true(isnan(row.measured[MEASURE_MAC]));
    assert_true(isnan(row.measured[MEASURE_MTE2]));
}

static void orders(void **state)
{
    struct validate_row row;
    const char *const head = "id,target,M,N,K,dtype_a,dtype_b,dtype_c,swizzle,l2_rounds_m\n";
    const struct {
        const char *row;
        int32_t order;
    } cases[] = {
        {"a,910B1,64,64,64,half,half,half,aswt,1\n", ORDER_ASWT},
        {"a,910B1,64,64,64,half,half,half,chunk,\n", ORDER_CHUNK},
        {"a,910B1,64,64,64,half,half,half,,2\n", ORDER_L2SPLIT},
        {"a,910B1,64,64,64,half,half,half,,\n", TILING_AUTO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        strcpy(text, head);
        strcat(text, cases[i].row);
        assert_int_equal(read_one(*state, text, &row), STATUS_OK);
        assert_int_equal(row.tiling.order, cases[i].order);
    }
    assert_int_equal(row.tiling.assign, TILING_AUTO);
}

static void expect_message(struct fixture *f, const char *text, const char *words, uint32_t col)
{
    struct validate_row row;
    const size_t before = f->diag.count;
    assert_int_equal(read_one(f, text, &row), STATUS_INVALID);
    assert_true(f->diag.count > before);
    const struct diag_message *m = &f->diag.messages[f->diag.count - 1];
    if (strstr(m->text, words) == NULL) {
        fail_msg("'%s' does not say '%s'", m->text, words);
    }
    assert_int_equal(m->col, col);
}

static void bad_rows(void **state)
{
    struct fixture *f = *state;
    expect_message(f, "id,target,M,N,K\na,910B1,1,1,1\n", "'dtype_a'", 0);
    const char *const head = "id,target,M,N,K,dtype_a,dtype_b,dtype_c,swizzle,task_us,unitflag\n";
    const struct {
        const char *row, *words;
        uint32_t col;
    } cases[] = {
        {"a,910B1,x,64,64,half,half,half,,,\n", "'x'", 9},
        {"a,910B1,64,64,64,halff,half,half,,,\n", "'halff'", 18},
        {"a,910B1,64,64,64,half,half,half,zigzag,,\n", "'zigzag'", 33},
        {"a,910B1,64,64,64,half,half,half,,soon,\n", "'soon'", 34},
        {"a,910B1,64,64,64,half,half,half,,-1,\n", "'-1'", 34},
        {"a,910B1,64,64,64,half,half,half,,,99999999999\n", "'99999999999'", 35},
        {"a,910B1,0,64,64,half,half,half,,,\n", "M is 0", 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        strcpy(text, head);
        strcat(text, cases[i].row);
        expect_message(f, text, cases[i].words, cases[i].col);
    }
}

static void operations_not_lowered(void **state)
{
    struct validate_row row;
    assert_int_equal(read_one(*state, "id,target,op,M,N,K,dtype_a\na,910B1,sort,1,1,1,half\n", &row),
                     STATUS_UNSUPPORTED);
}

static void open_file_scores(void **state)
{
    struct fixture *f = *state;
    struct validate_set set;
    struct validate_score all, holdout, none;
    assert_int_equal(validate_file(TESTS_DIR "/data/measurements/open.csv", &f->arena, &set, &f->diag), STATUS_OK);
    assert_int_equal(set.count, 77);
    assert_int_equal(set.bad, 0);
    validate_score(&set, NULL, NULL, &all);
    validate_score(&set, "holdout", NULL, &holdout);
    validate_score(&set, NULL, "nobody", &none);
    assert_true(all.timed > holdout.timed && holdout.timed > 0);
    assert_true(all.pairs >= 50 && all.right * 10 >= all.pairs * 9);
    assert_int_equal(none.timed, 0);
    assert_true(isnan(none.error[MEASURE_TASK]));
    assert_int_equal(validate_file(TESTS_DIR "/data/measurements/absent.csv", &f->arena, &set, &f->diag), STATUS_IO);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(full_row), TEST(orders), TEST(bad_rows), TEST(operations_not_lowered), TEST(open_file_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
