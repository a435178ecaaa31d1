/* base_os_test.c - the seam: files, directories, locks, child programs; and every
 * operation again with each of its system calls made to fail in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/os.h"

static char dir[64]; /* fresh for each test */
static char path_text[4][160];

/* A path in the fresh directory; slot 0..3. */
static const char *in_dir(int slot, const char *name)
{
    snprintf(path_text[slot], sizeof(path_text[slot]), "%s/%s", dir, name);
    return path_text[slot];
}

static int setup(void **state)
{
    (void)state;
    os_fault_set(0);
    strcpy(dir, "/tmp/tilescope_os_XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    os_fault_set(0);
    return os_remove_tree(dir, NULL) == STATUS_OK ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    assert_int_equal(os_write_file(path, text, strlen(text), NULL), STATUS_OK);
}

static void assert_file(const char *path, const char *text)
{
    struct strbuf sb;
    strbuf_init(&sb);
    assert_int_equal(os_read_file(path, 1000, &sb, NULL), STATUS_OK);
    assert_string_equal(strbuf_cstr(&sb), text);
    strbuf_fini(&sb);
}

/* Names in the directory, separated by blanks. */
static void assert_listing(const char *path, const char *expected)
{
    struct strbuf sb;
    strbuf_init(&sb);
    assert_int_equal(os_list_dir(path, &sb, NULL), STATUS_OK);
    for (size_t i = 0; i < sb.len; i++) {
        sb.text[i] = sb.text[i] == '\n' ? ' ' : sb.text[i];
    }
    assert_string_equal(strbuf_cstr(&sb), expected);
    strbuf_fini(&sb);
}

static void files(void **state)
{
    (void)state;
    struct diag d;
    struct strbuf sb;
    diag_init(&d);
    strbuf_init(&sb);
    put(in_dir(0, "b"), "first");
    put(in_dir(0, "b"), "second");
    put(in_dir(1, "a"), "");
    assert_file(in_dir(0, "b"), "second");
    assert_file(in_dir(1, "a"), "");
    assert_listing(dir, "a b ");
    /* A cap at n and n + 1. */
    assert_int_equal(os_read_file(in_dir(0, "b"), 6, &sb, &d), STATUS_OK);
    assert_int_equal(os_read_file(in_dir(0, "b"), 5, &sb, &d), STATUS_LIMIT);
    assert_int_equal(os_read_file(in_dir(0, "none"), 5, &sb, &d), STATUS_IO);
    assert_non_null(strstr(d.messages[1].text, "No such file"));
    assert_string_equal(d.messages[1].file, in_dir(0, "none"));
    assert_int_equal(os_read_file(dir, 5, &sb, &d), STATUS_IO);
    assert_int_equal(os_write_file(in_dir(0, "none/x"), "", 0, &d), STATUS_IO);
    assert_listing(dir, "a b ");
    strbuf_fini(&sb);
    diag_fini(&d);
}

static void appending(void **state)
{
    (void)state;
    struct os_file f;
    assert_int_equal(os_open_append(in_dir(0, "log"), &f, NULL), STATUS_OK);
    assert_int_equal(os_append(&f, "one\n", 4, NULL), STATUS_OK);
    assert_int_equal(os_append(&f, "two\n", 4, NULL), STATUS_OK);
    assert_int_equal(os_sync(&f, NULL), STATUS_OK);
    assert_int_equal(os_truncate(&f, 4, NULL), STATUS_OK);
    assert_int_equal(os_append(&f, "3\n", 2, NULL), STATUS_OK);
    os_close(&f);
    os_close(&f);
    assert_file(in_dir(0, "log"), "one\n3\n");
    assert_int_equal(os_open_append(in_dir(0, "no/log"), &f, NULL), STATUS_IO);
    os_close(&f);
}

static void directories(void **state)
{
    (void)state;
    struct diag d;
    diag_init(&d);
    assert_int_equal(os_make_dir(in_dir(0, "x/y//z/"), &d), STATUS_OK);
    assert_int_equal(os_make_dir(in_dir(0, "x/y/z"), &d), STATUS_OK);
    assert_true(os_exists(in_dir(0, "x/y/z")));
    put(in_dir(0, "x/file"), "1");
    assert_int_equal(os_make_dir(in_dir(0, "x/file"), &d), STATUS_IO);
    assert_int_equal(os_make_dir(in_dir(0, "x/file/below"), &d), STATUS_IO);
    /* A link is removed, what it points to is not. */
    put(in_dir(1, "kept"), "1");
    assert_int_equal(symlink(dir, in_dir(0, "x/y/link")), 0);
    assert_int_equal(os_remove_tree(in_dir(0, "x"), &d), STATUS_OK);
    assert_int_equal(os_remove_tree(in_dir(0, "x"), &d), STATUS_OK);
    assert_listing(dir, "kept ");
    assert_int_equal(os_list_dir(in_dir(0, "none"), NULL, &d), STATUS_IO);
    assert_int_equal(os_rename(in_dir(0, "none"), in_dir(1, "other"), &d), STATUS_IO);
    diag_fini(&d);
}

static void swapping_in(void **state)
{
    (void)state;
    os_make_dir(in_dir(0, "part"), NULL);
    put(in_dir(1, "part/new"), "1");
    assert_int_equal(os_swap_in(in_dir(0, "part"), in_dir(1, "done"), NULL), STATUS_OK);
    assert_listing(dir, "done ");
    os_make_dir(in_dir(0, "part"), NULL);
    put(in_dir(2, "part/newer"), "1");
    assert_int_equal(os_swap_in(in_dir(0, "part"), in_dir(1, "done"), NULL), STATUS_OK);
    assert_listing(dir, "done ");
    assert_listing(in_dir(1, "done"), "newer ");
    assert_int_equal(os_swap_in(in_dir(0, "part"), in_dir(1, "done"), NULL), STATUS_IO);
    assert_listing(in_dir(1, "done"), "newer ");
}

static void locks(void **state)
{
    (void)state;
    struct os_file first;
    struct os_file second;
    struct diag d;
    diag_init(&d);
    assert_int_equal(os_lock(in_dir(0, "lock"), &first, &d), STATUS_OK);
    assert_int_equal(os_lock(in_dir(0, "lock"), &second, &d), STATUS_IO);
    char pid[32];
    snprintf(pid, sizeof(pid), "(pid %ld)", (long)getpid());
    assert_non_null(strstr(d.messages[0].text, pid));
    os_close(&first);
    assert_int_equal(os_lock(in_dir(0, "lock"), &second, &d), STATUS_OK);
    os_unlock(&second);
    assert_false(os_exists(in_dir(0, "lock")));
    os_unlock(&second); /* closed: nothing */
    assert_int_equal(os_lock(in_dir(0, "lock"), &second, &d), STATUS_OK);
    os_close(&second);
    diag_fini(&d);
}

static void children(void **state)
{
    (void)state;
    struct strbuf out;
    struct diag d;
    int code = -1;
    strbuf_init(&out);
    diag_init(&d);
    const char *cat[] = {"cat", NULL};
    /* More than a pipe holds, both ways at once. */
    const size_t len = 700000;
    char *input = malloc(len);
    memset(input, 'y', len);
    assert_int_equal(os_run(cat, input, len, &out, &code, &d), STATUS_OK);
    assert_int_equal(code, 0);
    assert_int_equal(out.len, len);
    strbuf_clear(&out);
    const char *both[] = {"sh", "-c", "echo out; echo err >&2; exit 3", NULL};
    assert_int_equal(os_run(both, NULL, 0, &out, &code, &d), STATUS_OK);
    assert_int_equal(code, 3);
    assert_string_equal(strbuf_cstr(&out), "out\nerr\n");
    const char *killed[] = {"sh", "-c", "kill -9 $$", NULL};
    assert_int_equal(os_run(killed, NULL, 0, NULL, &code, &d), STATUS_OK);
    assert_int_equal(code, 128 + 9);
    /* A child that does not read its input: no SIGPIPE here, its exit code counts. */
    const char *deaf[] = {"sh", "-c", "exec <&-; exit 5", NULL};
    assert_int_equal(os_run(deaf, input, len, NULL, &code, &d), STATUS_OK);
    assert_int_equal(code, 5);
    const char *absent[] = {"tilescope-no-such-program", NULL};
    assert_int_equal(os_run(absent, NULL, 0, NULL, &code, &d), STATUS_IO);
    assert_int_equal(code, 127);
    assert_int_equal(d.errors, 1);
    assert_non_null(d.messages[0].hint);
    assert_true(os_have_program("sh"));
    assert_true(os_have_program("/bin/sh"));
    assert_false(os_have_program("/bin"));
    assert_false(os_have_program("tilescope-no-such-program"));
    free(input);
    diag_fini(&d);
    strbuf_fini(&out);
}

static void child_output_cap(void **state)
{
    (void)state;
    for (unsigned extra = 0; extra < 2; extra++) {
        struct strbuf out;
        int code = -1;
        char command[64];
        strbuf_init(&out);
        snprintf(command, sizeof(command), "head -c %u /dev/zero", LIMIT_CHILD_OUTPUT + extra);
        const char *argv[] = {"sh", "-c", command, NULL};
        assert_int_equal(os_run(argv, NULL, 0, &out, &code, NULL), STATUS_OK);
        assert_int_equal(code, 0);
        assert_int_equal(out.len, LIMIT_CHILD_OUTPUT);
        strbuf_fini(&out);
    }
}

static void surroundings(void **state)
{
    (void)state;
    assert_non_null(os_env("PATH"));
    assert_null(os_env("TILESCOPE_NO_SUCH_VARIABLE"));
    assert_false(os_is_terminal(-1));
    const double t = os_seconds();
    assert_true(os_seconds() >= t);
    assert_true(os_peak_memory() > 100000);
    assert_false(os_interrupted());
    os_watch_interrupt();
    raise(SIGTERM);
    assert_true(os_interrupted());
    signal(SIGINT, SIG_DFL);
}

/* ---- faults ---- */

/* Each prepares the directory, does one operation and says how it went. */
static enum status do_write(struct diag *d)
{
    return os_write_file(in_dir(0, "f"), "new", 3, d);
}

static enum status do_read(struct diag *d)
{
    struct strbuf sb;
    strbuf_init(&sb);
    const enum status st = os_read_file(in_dir(0, "f"), 100, &sb, d);
    strbuf_fini(&sb);
    return st;
}

static enum status do_append(struct diag *d)
{
    struct os_file f;
    enum status st = os_open_append(in_dir(0, "log"), &f, d);
    if (st != STATUS_OK) {
        return st;
    }
    st = os_append(&f, "x", 1, d);
    st = st != STATUS_OK ? st : os_sync(&f, d);
    st = st != STATUS_OK ? st : os_truncate(&f, 0, d);
    os_close(&f);
    return st;
}

static enum status do_make_dir(struct diag *d)
{
    return os_make_dir(in_dir(0, "p/q/r"), d);
}

static enum status do_remove(struct diag *d)
{
    return os_remove_tree(in_dir(0, "tree"), d);
}

static enum status do_swap(struct diag *d)
{
    return os_swap_in(in_dir(0, "part"), in_dir(1, "done"), d);
}

static enum status do_list(struct diag *d)
{
    struct strbuf sb;
    strbuf_init(&sb);
    const enum status st = os_list_dir(dir, &sb, d);
    strbuf_fini(&sb);
    return st;
}

static enum status do_lock(struct diag *d)
{
    struct os_file f;
    const enum status st = os_lock(in_dir(0, "lock"), &f, d);
    os_close(&f);
    return st;
}

static enum status do_run(struct diag *d)
{
    int code = -1;
    struct strbuf sb;
    strbuf_init(&sb);
    const char *cat[] = {"cat", NULL};
    const enum status st = os_run(cat, "hello", 5, &sb, &code, d);
    strbuf_fini(&sb);
    return st;
}

static void prepare(void)
{
    os_fault_set(0);
    os_remove_tree(in_dir(0, "part"), NULL);
    os_remove_tree(in_dir(0, "done"), NULL);
    put(in_dir(0, "f"), "old");
    os_make_dir(in_dir(0, "tree/sub"), NULL);
    put(in_dir(0, "tree/sub/x"), "1");
    os_make_dir(in_dir(0, "part"), NULL);
    put(in_dir(0, "part/new"), "1");
    os_make_dir(in_dir(0, "done"), NULL);
    put(in_dir(0, "done/old"), "1");
}

static void every_call_may_fail(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum status (*run)(struct diag *d);
        int least; /* system calls it makes at least */
    } operations[] = {
        {"write", do_write, 6},       {"read", do_read, 3},     {"append", do_append, 4},
        {"make_dir", do_make_dir, 3}, {"remove", do_remove, 3}, {"swap", do_swap, 5},
        {"list", do_list, 1},         {"lock", do_lock, 2},     {"run", do_run, 4},
    };
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        enum status st = STATUS_IO;
        int n = 0;
        while (st != STATUS_OK) {
            struct diag d;
            diag_init(&d);
            prepare();
            os_fault_set(++n);
            st = operations[i].run(&d);
            os_fault_set(0);
            if (st != STATUS_OK &&
                (st != STATUS_IO || d.errors != 1 || !strstr(d.messages[0].text, "Input/output error"))) {
                fail_msg("%s, call %d: %s: %s", operations[i].name, n, status_name(st),
                         d.count ? d.messages[0].text : "");
            }
            diag_fini(&d);
            assert_true(n < 100);
        }
        if (n <= operations[i].least) {
            fail_msg("%s: only %d calls pass the seam", operations[i].name, n - 1);
        }
    }
}

static void failed_write_leaves_old_or_new(void **state)
{
    (void)state;
    for (int n = 1; n < 10; n++) {
        prepare();
        os_fault_set(n);
        const enum status st = do_write(NULL);
        os_fault_set(0);
        struct strbuf sb;
        strbuf_init(&sb);
        assert_int_equal(os_read_file(in_dir(0, "f"), 100, &sb, NULL), STATUS_OK);
        const bool is_new = strcmp(strbuf_cstr(&sb), "new") == 0;
        assert_true(is_new || strcmp(strbuf_cstr(&sb), "old") == 0);
        assert_true(st != STATUS_OK || is_new);
        strbuf_fini(&sb);
        assert_listing(dir, "done f part tree "); /* no temporary file stays */
    }
}

static void failed_swap_leaves_old_or_new(void **state)
{
    (void)state;
    for (int n = 1; n < 10; n++) {
        prepare();
        os_fault_set(n);
        do_swap(NULL);
        os_fault_set(0);
        assert_true(os_exists(in_dir(0, "done/old")) != os_exists(in_dir(1, "done/new")));
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files),
        TEST(appending),
        TEST(directories),
        TEST(swapping_in),
        TEST(locks),
        TEST(children),
        TEST(child_output_cap),
        TEST(surroundings),
        TEST(every_call_may_fail),
        TEST(failed_write_leaves_old_or_new),
        TEST(failed_swap_leaves_old_or_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
