/* Fits: numbers put off their place come back on rows the model itself made; the
 * same rows give the same numbers; a fit that starts from its result stays
 * there; the file written extends the stock target and loads; bad names are
 * refused; leaving families out leaves the set as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "report/validate.h"

struct fixture {
    struct arena arena;
    struct diag diag;
    struct timing *timing;
    struct validate_set set;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    arena_init(&f->arena);
    diag_init(&f->diag);
    assert_int_equal(timing_create(&f->timing), STATUS_OK);
    assert_int_equal(validate_file(TESTS_DIR "/data/measurements/open.csv", &f->arena, &f->set, &f->diag), STATUS_OK);
    assert_int_equal(fit_detach(&f->set, &f->arena, &f->diag), STATUS_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    timing_destroy(f->timing);
    diag_fini(&f->diag);
    arena_fini(&f->arena);
    free(f);
    return 0;
}

static int parse(struct fixture *f, const char *list, struct fit_param params[FIT_PARAMS_MAX])
{
    int count;
    assert_int_equal(fit_params_parse(list, &f->arena, params, &count, &f->diag), STATUS_OK);
    return count;
}

/* Rows measure what the model says with these numbers; then the numbers are put elsewhere. */
static void recovers_numbers(void **state)
{
    struct fixture *f = *state;
    struct fit_param params[FIT_PARAMS_MAX];
    struct fit_result fit;
    const struct fit_rows all = {0};
    const int count = parse(f, "row_width,mmad_latency", params);
    const double truth[2] = {130, 70}, elsewhere[2] = {118, 61};
    assert_int_equal(fit_apply(f->timing, &f->set, 2201, params, count, truth, &f->diag), STATUS_OK);
    for (size_t i = 0; i < f->set.count; i++) {
        memcpy(f->set.results[i].row.measured, f->set.results[i].predicted, sizeof f->set.results[i].predicted);
    }
    assert_int_equal(fit_apply(f->timing, &f->set, 2201, params, count, elsewhere, &f->diag), STATUS_OK);
    assert_int_equal(fit_run(f->timing, &f->set, 2201, &all, params, count, &fit, &f->diag), STATUS_OK);
    assert_true(fit.objective_before > 0.5);
    assert_true(fit.objective_after < 0.1);
    assert_true(fabs(fit.after[0] / truth[0] - 1) < 0.01);
    assert_true(fabs(fit.after[1] / truth[1] - 1) < 0.02);
}

static void deterministic_and_at_rest(void **state)
{
    struct fixture *f = *state;
    struct fit_param params[FIT_PARAMS_MAX];
    struct fit_result first, again;
    const struct fit_rows rows = {.use = "calibrate"};
    const int count = parse(f, fit_default_params(2201), params);
    assert_int_equal(fit_run(f->timing, &f->set, 2201, &rows, params, count, &first, &f->diag), STATUS_OK);
    assert_int_equal(fit_run(f->timing, &f->set, 2201, &rows, params, count, &again, &f->diag), STATUS_OK);
    for (int p = 0; p < count; p++) {
        assert_true(first.after[p] == again.before[p] && again.after[p] == again.before[p]);
        /* The shipped numbers are those of the fit: scripts/fit --check. */
        if (first.before[p] != first.after[p]) {
            fail_msg("%s is %g in the file, the fit says %g: run scripts/fit", params[p].name, first.before[p],
                     first.after[p]);
        }
    }
}

/* A share goes to its limit and not beyond. */
static void stays_in_range(void **state)
{
    struct fixture *f = *state;
    struct fit_param params[FIT_PARAMS_MAX];
    struct fit_result fit;
    const struct fit_rows all = {0};
    const double truth = 1, below = 0.95; /* a step of 8 % is beyond */
    const int count = parse(f, "l2_shared", params);
    assert_int_equal(fit_apply(f->timing, &f->set, 2201, params, count, &truth, &f->diag), STATUS_OK);
    for (size_t i = 0; i < f->set.count; i++) {
        memcpy(f->set.results[i].row.measured, f->set.results[i].predicted, sizeof f->set.results[i].predicted);
    }
    assert_int_equal(fit_apply(f->timing, &f->set, 2201, params, count, &below, &f->diag), STATUS_OK);
    assert_int_equal(fit_run(f->timing, &f->set, 2201, &all, params, count, &fit, &f->diag), STATUS_OK);
    assert_true(fit.objective_after < fit.objective_before);
    assert_true(fit.after[0] == 1);
}

static void file_extends_the_stock_target(void **state)
{
    struct fixture *f = *state;
    struct fit_param params[FIT_PARAMS_MAX];
    struct fit_result fit;
    struct strbuf yaml;
    char path[] = "/tmp/tilescope_fit_XXXXXX.yaml";
    const struct target *loaded;
    const struct fit_rows rows = {.use = "calibrate"};
    const int count = parse(f, "fixpipe_width,sync", params);
    assert_int_equal(fit_run(f->timing, &f->set, 3510, &rows, params, count, &fit, &f->diag), STATUS_OK);
    strbuf_init(&yaml);
    validate_fit_yaml(&fit, &f->set, &rows, "some/where/open.csv", &yaml);
    assert_non_null(strstr(yaml.text, "extends: ascend950pr_9589"));
    assert_non_null(strstr(yaml.text, "rows of open.csv"));
    const int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    struct os_file file = {.fd = fd};
    assert_int_equal(os_append(&file, yaml.text, yaml.len, &f->diag), STATUS_OK);
    assert_int_equal(target_load(path, NULL, &f->arena, &loaded, &f->diag), STATUS_OK);
    assert_true(loaded->timing.fixpipe_width == fit.after[0] && loaded->timing.sync == fit.after[1]);
    assert_int_equal(target_fact(loaded, "timing.sync")->confidence, CONFIDENCE_MEASURED);
    assert_int_equal(loaded->cores, 32);
    os_close(&file);
    remove(path);
    strbuf_fini(&yaml);
}

/* A chip with another HBM keeps its ratio to the first one. */
static void chips_keep_their_ratio(void **state)
{
    struct fixture *f = *state;
    struct fit_param params[FIT_PARAMS_MAX];
    const int count = parse(f, "hbm_nd", params);
    const double doubled[1] = {2 * 1.61};
    int seen = 0;
    assert_int_equal(fit_apply(f->timing, &f->set, 3510, params, count, doubled, &f->diag), STATUS_OK);
    for (size_t i = 0; i < f->set.count; i++) {
        const struct validate_row *row = &f->set.results[i].row;
        if (strcmp(row->target_name, "ascend950pr_958b") == 0) {
            assert_true(fabs(row->target->timing.hbm_nd - 2 * 1.397088) < 1e-9);
            seen++;
        }
    }
    assert_true(seen > 0);
}

static void bad_lists(void **state)
{
    struct fixture *f = *state;
    struct fit_param params[FIT_PARAMS_MAX];
    int count;
    static const char *const lists[] = {"",
                                        "row_widht",
                                        "row_width,,sync",
                                        "align_bytes",
                                        "timing.sync",
                                        "a_name_that_is_far_too_long_to_be_one_of_the_model"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        assert_int_equal(fit_params_parse(lists[i], &f->arena, params, &count, &f->diag), STATUS_INVALID);
    }
    const struct fit_rows none = {.use = "nobody"};
    struct fit_result fit;
    count = parse(f, "sync", params);
    assert_int_equal(fit_run(f->timing, &f->set, 2201, &none, params, count, &fit, &f->diag), STATUS_INVALID);
    assert_int_equal(fit_run(f->timing, &f->set, 1001, &none, params, count, &fit, &f->diag), STATUS_INVALID);
}

static void leaving_out_changes_nothing(void **state)
{
    struct fixture *f = *state;
    struct strbuf text;
    struct validate_score before, after;
    strbuf_init(&text);
    validate_score(&f->set, NULL, NULL, &before);
    assert_int_equal(validate_leave_out(f->timing, &f->set, &text, &f->diag), STATUS_OK);
    validate_score(&f->set, NULL, NULL, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_non_null(strstr(text.text, "asc-devkit high-level"));
    strbuf_fini(&text);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(recovers_numbers),
        TEST(deterministic_and_at_rest),
        TEST(stays_in_range),
        TEST(file_extends_the_stock_target),
        TEST(chips_keep_their_ratio),
        TEST(bad_lists),
        TEST(leaving_out_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
