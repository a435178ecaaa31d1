/* report_run_test.c - a whole run whose every system call is made to fail in
 * turn: nothing half done is ever published, and running again heals it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "report/best.h"
#include "report/run.h"
#include "report/summary.h"
#include "unit/record_fixture.h"

#define YAML                                                                                  \
    "name: tiny\ntarget: ascend910b1\nproblem: {M: 64, N: 64, K: 64, B: {transpose: true}}\n" \
    "tiling: {baseM: [16, 32, 4080], baseN: [16, 64], baseK: [16, 32]}\nverify: none\n"

static char dir[64];

static int setup(void **state)
{
    (void)state;
    os_fault_set(0);
    /* In memory where that is possible: thousands of fsyncs. */
    strcpy(dir, access("/dev/shm", W_OK) == 0 ? "/dev/shm/tilescope_report_XXXXXX" : "/tmp/tilescope_report_XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    os_fault_set(0);
    return os_remove_tree(dir, NULL) == STATUS_OK ? 0 : -1;
}

static enum status run(const struct experiment *e, const char *results, struct run_outcome *out)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_addf(&path, "%s/%s", dir, results);
    const struct run_options o = {
        .results = strbuf_cstr(&path), .no_plots = true, .sweep = {.threads = 1, .unpinned = true}};
    const enum status st = run_experiment(e, &o, out, NULL);
    strbuf_fini(&path);
    return st;
}

/* A file of a run, "" if it is not there; the line that may differ is left out. */
static void content(const char *results, const char *file, struct strbuf *out)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_clear(out);
    strbuf_addf(&path, "%s/%s/tiny/%s", dir, results, file);
    if (os_exists(strbuf_cstr(&path))) {
        assert_int_equal(os_read_file(strbuf_cstr(&path), 1 << 20, out, NULL), STATUS_OK);
        char *differs = out->text ? strstr(out->text, "\"run\": ") : NULL;
        if (differs) {
            *differs = '\0';
        }
    }
    strbuf_fini(&path);
}

static bool same_run(const char *a, const char *b)
{
    static const char *const files[] = {"manifest.json", "tilings.csv", "reasons.csv",
                                        "summary.txt",   "best.yaml",   "config.yaml"};
    struct strbuf x;
    struct strbuf y;
    bool same = true;
    strbuf_init(&x);
    strbuf_init(&y);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        content(a, files[i], &x);
        content(b, files[i], &y);
        assert_true(x.len > 0);
        same = same && strcmp(strbuf_cstr(&x), strbuf_cstr(&y)) == 0;
    }
    strbuf_fini(&x);
    strbuf_fini(&y);
    return same;
}

static void test_faults(void **state)
{
    (void)state;
    struct fixture f;
    struct run_outcome out;
    struct strbuf published;
    fixture_load(&f, YAML);
    strbuf_init(&published);
    assert_int_equal(run(f.experiment, "whole", &out), STATUS_OK);
    assert_int_equal(out.counts.points, 12);
    assert_true(out.counts.feasible > 0 && out.counts.feasible < 12);
    run_outcome_fini(&out);
    for (int n = 1;; n++) {
        assert_true(n < 500);
        os_fault_set(n);
        const enum status st = run(f.experiment, "faulty", &out);
        os_fault_set(0);
        run_outcome_fini(&out);
        content("faulty", "manifest.json", &published);
        if (published.len) { /* what is published is whole, even if something failed after it */
            assert_true(same_run("whole", "faulty"));
        }
        if (st == STATUS_OK) {
            assert_true(n > 40);
            break;
        }
        assert_int_equal(st, STATUS_IO);
        assert_int_equal(run(f.experiment, "faulty", &out), STATUS_OK);
        run_outcome_fini(&out);
        assert_true(same_run("whole", "faulty"));
        struct strbuf path;
        strbuf_init(&path);
        strbuf_addf(&path, "%s/faulty", dir);
        assert_int_equal(os_remove_tree(strbuf_cstr(&path), NULL), STATUS_OK);
        strbuf_fini(&path);
    }
    strbuf_fini(&published);
    fixture_fini(&f);
}

/* Every cell keeps its row: a shape that cannot be taken, and one nothing fits. */
static void test_cells_without_best(void **state)
{
    (void)state;
    struct fixture f;
    struct run_outcome out;
    struct strbuf text;
    fixture_load(&f, "name: tiny\ntarget: ascend910b1\nproblem:\n  - {M: 64, N: 64, K: 64}\n  - {M: 64, N: 64, K: 64, "
                     "batch: 2}\ntiling: {baseM: [16, 4080], baseN: 4080}\nverify: none\n");
    strbuf_init(&text);
    assert_int_equal(run(f.experiment, "r", &out), STATUS_OK);
    assert_int_equal(out.counts.feasible, 0);
    content("r", "tilings.csv", &text);
    size_t lines = 0;
    for (const char *c = strbuf_cstr(&text); *c; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, 1 + out.total);
    content("r", "summary.txt", &text);
    assert_non_null(strstr(strbuf_cstr(&text), "L0C needs"));
    if (out.counts.failed) {
        assert_non_null(strstr(strbuf_cstr(&text), "cannot be taken"));
    }
    run_outcome_fini(&out);
    strbuf_fini(&text);
    fixture_fini(&f);
}

/* Rows of the ranked table whose tiling's name starts with `prefix`; `text` is a summary. */
static int table_rows(const char *text, const char *prefix)
{
    int n = 0;
    char word[64];
    snprintf(word, sizeof(word), "none        %s", prefix);
    for (const char *at = text; (at = strstr(at, word)); at++) {
        n++;
    }
    return n;
}

/* A base block does not fill the table, unless there is no other; what is not shown is counted. */
static void test_folding(void **state)
{
    (void)state;
    struct fixture f;
    struct run_outcome out;
    struct strbuf text;
    strbuf_init(&text);
    fixture_load(&f, "name: tiny\ntarget: ascend910b1\nproblem: {M: 64, N: 64, K: 128, B: {transpose: true}}\ntiling: "
                     "{baseM: [32, 64], baseN: 64, baseK: [16, 32], stepKa: [1, 2, 4]}\nverify: none\nreport: {top: "
                     "6}\n");
    assert_int_equal(run(f.experiment, "r", &out), STATUS_OK);
    content("r", "summary.txt", &text);
    assert_int_equal(table_rows(strbuf_cstr(&text), "b"), 6);
    assert_int_equal(table_rows(strbuf_cstr(&text), "b32x64x"), 3);
    assert_int_equal(table_rows(strbuf_cstr(&text), "b64x64x"), 3);
    assert_non_null(strstr(strbuf_cstr(&text), "not shown, more than 3 of one base block: "));
    assert_non_null(strstr(strbuf_cstr(&text), "no measured run stands behind timing.mmad_barrier\n"));
    assert_non_null(strstr(strbuf_cstr(&text), "~ within 10 % of the best"));
    assert_non_null(strstr(strbuf_cstr(&text), "no held-out board run of a matmul below 10 us on architecture 2201"));
    run_outcome_fini(&out);
    fixture_fini(&f);

    fixture_load(&f, "name: tiny\ntarget: ascend910b1\nproblem: {M: 64, N: 64, K: 128, B: {transpose: true}}\ntiling: "
                     "{baseM: 32, baseN: 64, baseK: [16, 32], stepKa: [1, 2, 4], dbL0C: 2}\nverify: none\nreport: "
                     "{top: 5}\n");
    const struct run_options force = {.results = dir, .force = true, .no_plots = true, .sweep = {.threads = 1}};
    assert_int_equal(run_experiment(f.experiment, &force, &out, NULL), STATUS_OK);
    content(".", "summary.txt", &text);
    assert_int_equal(table_rows(strbuf_cstr(&text), "b"), 5);
    assert_null(strstr(strbuf_cstr(&text), "not shown"));
    assert_non_null(strstr(strbuf_cstr(&text), "unvalidated: no measured run stands behind dbL0C 2"));
    run_outcome_fini(&out);
    strbuf_fini(&text);
    fixture_fini(&f);
}

/* The best stands first, though a tiling that cannot be told from it has as few bytes and more of L1 free. */
static void test_best_first(void **state)
{
    (void)state;
    struct fixture f;
    struct run_outcome out;
    struct strbuf text;
    strbuf_init(&text);
    fixture_load(&f, "name: tiny\ntarget: ascend910b1\nproblem: {M: 2048, N: 2048, K: 2048, B: {transpose: true}}\n"
                     "tiling: {baseM: [128, 192], baseN: [160, 256], baseK: 64, stepKa: [4, 8]}\nverify: none\n"
                     "report: {top: 6}\n");
    assert_int_equal(run(f.experiment, "r", &out), STATUS_OK);
    content("r", "summary.txt", &text);
    const char *first = strstr(strbuf_cstr(&text), "\n     1~ ");
    const char *other = strstr(strbuf_cstr(&text), "\n     3~ ");
    const char *second = strstr(strbuf_cstr(&text), "\n     2~ ");
    assert_non_null(first);
    assert_true(first < other && other < second);
    assert_non_null(
        strstr(strbuf_cstr(&text), "event ids: of all pairs of pipes together; each pair has 6 of its own"));
    run_outcome_fini(&out);
    strbuf_fini(&text);
    fixture_fini(&f);
}

static void test_bytes(void **state)
{
    (void)state;
    static const struct {
        int64_t bytes;
        const char *text;
    } rows[] = {{0, "0 B"},         {1023, "1023 B"},        {1024, "1 KiB"},     {1536, "1.50 KiB"},
                {65536, "64 KiB"},  {66000, "64.5 KiB"},     {524288, "512 KiB"}, {600000, "586 KiB"},
                {1 << 30, "1 GiB"}, {1100000000, "1.02 GiB"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct strbuf out;
        strbuf_init(&out);
        summary_bytes(rows[i].bytes, &out);
        assert_string_equal(strbuf_cstr(&out), rows[i].text);
        strbuf_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cells_without_best, setup, teardown),
        cmocka_unit_test_setup_teardown(test_folding, setup, teardown),
        cmocka_unit_test_setup_teardown(test_best_first, setup, teardown),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
