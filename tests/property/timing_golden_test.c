/* Golden cycles: tests/data/golden_cycles.csv holds tilings on several targets
 * with their exact times in thousandths of a cycle. Any change shows here; one
 * that is meant goes through scripts/rebaseline, which needs a reason and a new
 * TILESCOPE_MODEL. With that script this program rewrites the file:
 *
 *   timing_golden_test --rebaseline REASON */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "text/csv.h"
#include "tiling/tiling.h"
#include "timing/timing.h"

#define FILE_NAME TESTS_DIR "/data/golden_cycles.csv"

/* Columns of a row; what comes before the results describes the point. */
enum column { COL_ID, COL_TARGET, COL_M, COL_N, COL_K, COL_A, COL_B, COL_C, COL_LD, COL_WARM, COL_TILING, COL_RESULTS };

static const char *const NAMES[] = {"id",  "target", "M",       "N",       "K",    "A",         "B",
                                    "C",   "ld",     "l2_warm", "tiling",  "task", "core_mean", "core_max",
                                    "mac", "mte1",   "mte2",    "fixpipe", "hbm_B"};
#define COLUMNS (sizeof NAMES / sizeof NAMES[0])
#define RESULTS (COLUMNS - COL_RESULTS)

struct golden {
    struct arena arena;
    struct diag diag;
    struct csv_table csv;
    struct timing *timing;
};

static const char *field(const struct golden *g, size_t row, size_t column)
{
    return g->csv.rows[row].fields[column];
}

static int64_t number(const struct golden *g, size_t row, size_t column)
{
    return strtoll(field(g, row, column), NULL, 10);
}

/* "half", "half T", "half NZ". */
static void operand(const struct golden *g, size_t row, size_t column, struct operand *o)
{
    char type[16] = "";
    const char *text = field(g, row, column), *space = strchr(text, ' ');
    const size_t length = space == NULL ? strlen(text) : (size_t)(space - text);
    assert_true(length < sizeof type);
    memcpy(type, text, length);
    o->dtype = dtype_from_name(type);
    assert_int_not_equal(o->dtype, DTYPE_NONE);
    o->transpose = space != NULL && strchr(space, 'T') != NULL;
    o->format = space != NULL && strstr(space, "NZ") != NULL ? LAYOUT_NZ : LAYOUT_ND;
}

static void predict(struct golden *g, size_t row, int64_t out[RESULTS])
{
    const struct target *target;
    struct problem p = {.name = "golden", .op = PROBLEM_MATMUL};
    struct tiling t;
    struct plan plan;
    struct infeasible why;
    struct schedule s;
    struct timing_result r;
    const struct timing_start start = {.l2_warm = number(g, row, COL_WARM) != 0};
    assert_int_equal(target_load(field(g, row, COL_TARGET), NULL, &g->arena, &target, &g->diag), STATUS_OK);
    p.M = number(g, row, COL_M);
    p.N = number(g, row, COL_N);
    p.K = number(g, row, COL_K);
    operand(g, row, COL_A, &p.a);
    operand(g, row, COL_B, &p.b);
    operand(g, row, COL_C, &p.c);
    const int64_t more = number(g, row, COL_LD); /* elements between the rows of A */
    p.a.ld = more == 0 ? 0 : (p.a.transpose ? p.M : p.K) + more;
    assert_int_equal(problem_finish(&p, NULL, &g->diag), STATUS_OK);
    assert_int_equal(tiling_parse(field(g, row, COL_TILING), &t, &g->diag), STATUS_OK);
    tiling_resolve(target, &p, &t, &why);
    if (why.reason != REASON_NONE || !plan_make(target, &p, &t, &plan, &why)) {
        fail_msg("%s is infeasible: %s", field(g, row, COL_ID), infeasible_reason_name(why.reason));
    }
    assert_int_equal(schedule_init(&s, target, &p, &t, &plan, &g->diag), STATUS_OK);
    assert_int_equal(timing_fast(g->timing, &s, &start, &r), STATUS_OK);
    const int64_t results[RESULTS] = {
        r.task, r.core_mean, r.core_max, r.busy[PIPE_M], r.busy[PIPE_MTE1], r.busy[PIPE_MTE2], r.busy[PIPE_FIX], r.hbm};
    memcpy(out, results, sizeof results);
}

static int open_golden(void **state)
{
    struct golden *g = calloc(1, sizeof *g);
    arena_init(&g->arena);
    diag_init(&g->diag);
    assert_int_equal(csv_load(FILE_NAME, &g->arena, &g->csv, &g->diag), STATUS_OK);
    assert_int_equal(g->csv.bad, 0);
    assert_int_equal(g->csv.columns, COLUMNS);
    for (size_t i = 0; i < COLUMNS; i++) {
        assert_string_equal(g->csv.header[i], NAMES[i]);
    }
    assert_int_equal(timing_create(&g->timing), STATUS_OK);
    *state = g;
    return 0;
}

static int close_golden(void **state)
{
    struct golden *g = *state;
    timing_destroy(g->timing);
    diag_fini(&g->diag);
    arena_fini(&g->arena);
    free(g);
    return 0;
}

/* Results of a row that are not those of the file. */
static int differences(struct golden *g, size_t row, bool say)
{
    int64_t now[RESULTS];
    int wrong = 0;
    predict(g, row, now);
    for (size_t i = 0; i < RESULTS; i++) {
        const int64_t was = number(g, row, COL_RESULTS + i);
        if (now[i] != was && say) {
            print_message("%s %s: %" PRId64 ", golden %" PRId64 " (%+.4f %%)\n", field(g, row, COL_ID),
                          NAMES[COL_RESULTS + i], now[i], was, 100 * ((double)now[i] / (double)was - 1));
        }
        wrong += now[i] != was;
    }
    return wrong;
}

static void cycles_are_those_of_the_file(void **state)
{
    struct golden *g = *state;
    int wrong = 0;
    for (size_t i = 0; i < g->csv.count; i++) {
        wrong += differences(g, i, true);
    }
    print_message("%zu points\n", g->csv.count);
    assert_true(g->csv.count >= 60);
    if (wrong > 0) {
        fail_msg("%d numbers changed. Meant? Then raise TILESCOPE_MODEL and run scripts/rebaseline REASON", wrong);
    }
}

/* The last reason given was for this model. */
static void file_is_of_this_model(void **state)
{
    struct golden *g = *state;
    int model = -1;
    for (const char *at = g->csv.source; (at = strstr(at, "# model ")) != NULL; at++) {
        model = (int)strtol(at + 8, NULL, 10);
    }
    assert_int_equal(model, TILESCOPE_MODEL);
}

/* --- rebaseline ------------------------------------------------------------ */

/* Comment lines of the file, and the model of the last one. */
static int copy_comments(const struct golden *g, FILE *out)
{
    int model = -1;
    for (const char *at = g->csv.source; *at == '#'; at = strchr(at, '\n') + 1) {
        fprintf(out, "%.*s\n", (int)strcspn(at, "\n"), at);
        if (strncmp(at, "# model ", 8) == 0) {
            model = (int)strtol(at + 8, NULL, 10);
        }
    }
    return model;
}

static void write_rows(struct golden *g, FILE *out)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        fprintf(out, "%s%s", c == 0 ? "" : ",", NAMES[c]);
    }
    for (size_t i = 0; i < g->csv.count; i++) {
        int64_t now[RESULTS];
        predict(g, i, now);
        fprintf(out, "\n%s", field(g, i, 0));
        for (size_t c = 1; c < COL_RESULTS; c++) {
            fprintf(out, ",%s", field(g, i, c));
        }
        for (size_t c = 0; c < RESULTS; c++) {
            fprintf(out, ",%" PRId64, now[c]);
        }
    }
    fprintf(out, "\n");
}

static int rebaseline(const char *reason)
{
    void *state;
    char *text = NULL;
    size_t size = 0;
    int wrong = 0, empty = 0;
    open_golden(&state);
    struct golden *g = state;
    for (size_t i = 0; i < g->csv.count; i++) {
        const bool fresh = *field(g, i, COL_RESULTS) == '\0'; /* a new row has no results yet */
        wrong += fresh ? 0 : differences(g, i, true);
        empty += fresh;
    }
    FILE *out = open_memstream(&text, &size);
    const int model = copy_comments(g, out);
    if (wrong > 0 && model == TILESCOPE_MODEL) {
        fprintf(stderr, "rebaseline: %d numbers change; raise TILESCOPE_MODEL in src/base/version.h first\n", wrong);
        return 1;
    }
    if (wrong > 0 || empty > 0 || model != TILESCOPE_MODEL) {
        fprintf(out, "# model %d: %s\n", TILESCOPE_MODEL, reason);
    }
    write_rows(g, out);
    fclose(out);
    FILE *file = fopen(FILE_NAME, "w");
    if (file == NULL || fwrite(text, 1, size, file) != size || fclose(file) != 0) {
        perror("rebaseline: " FILE_NAME);
        return 3;
    }
    printf("rebaseline: %d numbers changed, %d new points\n", wrong, empty);
    free(text);
    close_golden(&state);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--rebaseline") == 0 && strlen(argv[2]) > 10) {
        return rebaseline(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cycles_are_those_of_the_file, open_golden, close_golden),
        cmocka_unit_test_setup_teardown(file_is_of_this_model, open_golden, close_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
