/* record_run_dir_test.c - results/NAME is whole or not there, whatever fails. */
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
#include "record/run_dir.h"

static char dir[64];

static int setup(void **state)
{
    (void)state;
    os_fault_set(0);
    /* In memory where that is possible: thousands of fsyncs. */
    strcpy(dir, access("/dev/shm", W_OK) == 0 ? "/dev/shm/tilescope_run_XXXXXX" : "/tmp/tilescope_run_XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    os_fault_set(0);
    return os_remove_tree(dir, NULL) == STATUS_OK ? 0 : -1;
}

static void path_of(const char *file, struct strbuf *out)
{
    strbuf_init(out);
    strbuf_addf(out, "%s/%s", dir, file);
}

static bool exists(const char *file)
{
    struct strbuf path;
    path_of(file, &path);
    const bool there = os_exists(strbuf_cstr(&path));
    strbuf_fini(&path);
    return there;
}

/* Content of a file below the results directory, "" if absent. */
static void content(const char *file, char out[4096])
{
    struct strbuf path;
    struct strbuf text;
    path_of(file, &path);
    strbuf_init(&text);
    out[0] = '\0';
    if (os_exists(strbuf_cstr(&path))) {
        assert_int_equal(os_read_file(strbuf_cstr(&path), 4000, &text, NULL), STATUS_OK);
        snprintf(out, 4096, "%s", strbuf_cstr(&text));
    }
    strbuf_fini(&text);
    strbuf_fini(&path);
}

/* A small run with one file of this text. */
static enum status make_run(const char *name, uint64_t key, bool force, const char *text, struct diag *d)
{
    struct run_dir *r = NULL;
    enum status st = run_dir_open(dir, name, key, force, &r, d);
    if (st == STATUS_OK) {
        st = run_dir_clean(r, d);
    }
    if (st == STATUS_OK) {
        st = run_dir_write(r, "plots/a.dat", text, strlen(text), d);
    }
    if (st == STATUS_OK) {
        st = run_dir_begin(r, "big.csv", d);
    }
    for (int i = 0; st == STATUS_OK && i < 3; i++) {
        st = run_dir_add(r, text, strlen(text), d);
    }
    if (st == STATUS_OK) {
        st = run_dir_end(r, d);
    }
    if (st == STATUS_OK) {
        st = run_dir_publish(r, "\"name\": \"x\"", "\"threads\": 1", d);
    }
    run_dir_close(r);
    return st;
}

static void test_publish(void **state)
{
    (void)state;
    char text[4096];
    assert_int_equal(make_run("a", 0xAB, false, "hello", NULL), STATUS_OK);
    content("a/plots/a.dat", text);
    assert_string_equal(text, "hello");
    content("a/big.csv", text);
    assert_string_equal(text, "hellohellohello");
    content("a/manifest.json", text);
    assert_non_null(strstr(text, "\"key\": \"00000000000000ab\""));
    assert_non_null(strstr(text, "\"format\": 3"));
    assert_non_null(strstr(text, "\"model\": "));
    /* the published XXH3-64 of "hello" */
    assert_non_null(strstr(text, "\"plots/a.dat\": {\"bytes\": 5, \"xxh3\": \"9555e8555c62dcfd\"}"));
    assert_false(exists(".a.part"));
}

static void test_names(void **state)
{
    (void)state;
    static const char *const bad[] = {"", ".", "..", "a/b", ".hidden", "-x", "a b", "a\n", "\xc3\xa9"};
    char longest[202];
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(make_run(bad[i], 1, false, "x", NULL), STATUS_INVALID);
    }
    memset(longest, 'n', 201);
    longest[201] = '\0';
    assert_int_equal(make_run(longest, 1, false, "x", NULL), STATUS_INVALID);
    longest[200] = '\0';
    assert_int_equal(make_run(longest, 1, false, "x", NULL), STATUS_OK);
}

static void test_replace(void **state)
{
    (void)state;
    char text[4096];
    assert_int_equal(make_run("a", 1, false, "one", NULL), STATUS_OK);
    assert_int_equal(make_run("a", 2, false, "two", NULL), STATUS_INVALID);
    content("a/plots/a.dat", text);
    assert_string_equal(text, "one");
    assert_int_equal(make_run("a", 1, false, "same key", NULL), STATUS_OK);
    content("a/plots/a.dat", text);
    assert_string_equal(text, "same key");
    assert_int_equal(make_run("a", 2, true, "forced", NULL), STATUS_OK);
    content("a/plots/a.dat", text);
    assert_string_equal(text, "forced");
}

/* Something else of that name is not overwritten either. */
static void test_not_a_run(void **state)
{
    (void)state;
    struct strbuf path;
    path_of("a", &path);
    assert_int_equal(os_make_dir(strbuf_cstr(&path), NULL), STATUS_OK);
    assert_int_equal(make_run("a", 1, false, "x", NULL), STATUS_INVALID);
    strbuf_fini(&path);
}

static void test_lock(void **state)
{
    (void)state;
    struct run_dir *r = NULL;
    struct run_dir *second = NULL;
    assert_int_equal(run_dir_open(dir, "a", 1, false, &r, NULL), STATUS_OK);
    assert_int_equal(run_dir_open(dir, "a", 1, false, &second, NULL), STATUS_IO);
    assert_int_equal(run_dir_open(dir, "b", 1, false, &second, NULL), STATUS_OK);
    run_dir_close(second);
    run_dir_close(r);
    assert_int_equal(run_dir_open(dir, "a", 1, false, &r, NULL), STATUS_OK);
    assert_true(exists(".a.lock"));
    run_dir_close(r);
    assert_false(exists(".a.lock"));
}

/* The journal survives cleaning, everything else does not. */
static void test_clean(void **state)
{
    (void)state;
    struct run_dir *r = NULL;
    struct strbuf path;
    strbuf_init(&path);
    assert_int_equal(run_dir_open(dir, "a", 1, false, &r, NULL), STATUS_OK);
    assert_int_equal(run_dir_write(r, RUN_DIR_JOURNAL, "j", 1, NULL), STATUS_OK);
    assert_int_equal(run_dir_write(r, "plots/old.png", "p", 1, NULL), STATUS_OK);
    assert_int_equal(run_dir_clean(r, NULL), STATUS_OK);
    assert_true(exists(".a.part/" RUN_DIR_JOURNAL));
    assert_false(exists(".a.part/plots"));
    run_dir_close(r);
    strbuf_fini(&path);
}

/* Every system call fails in turn: the finished run is the old or the new one, whole. */
static void test_faults(void **state)
{
    (void)state;
    char text[4096];
    char manifest[4096];
    assert_int_equal(make_run("a", 1, false, "old", NULL), STATUS_OK);
    int n = 1;
    for (;; n++) {
        assert_true(n < 400);
        os_fault_set(n);
        const enum status st = make_run("a", 2, true, "new", NULL);
        os_fault_set(0);
        content("a/plots/a.dat", text);
        content("a/manifest.json", manifest);
        const bool is_new = strcmp(text, "new") == 0;
        assert_true(is_new || strcmp(text, "old") == 0);
        assert_non_null(strstr(manifest, is_new ? "0000000000000002" : "0000000000000001"));
        if (st == STATUS_OK) {
            assert_true(is_new);
            break;
        }
        assert_true(st == STATUS_IO);
        assert_int_equal(make_run("a", 1, true, "old", NULL), STATUS_OK);
    }
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_publish, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_replace, setup, teardown),
        cmocka_unit_test_setup_teardown(test_not_a_run, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock, setup, teardown),
        cmocka_unit_test_setup_teardown(test_clean, setup, teardown),
        cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
