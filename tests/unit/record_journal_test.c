/* record_journal_test.c - a journal cut or damaged anywhere gives back exactly
 * what stood before its last whole checkpoint. */
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
#include "record/journal.h"
#include "unit/record_fixture.h"

#define KEY    0x1234567890ABCDEFULL
#define ROUNDS 4
#define EACH   3

static char dir[64], path[100];

static int setup(void **state)
{
    (void)state;
    /* In memory where that is possible: thousands of fsyncs. */
    strcpy(dir, access("/dev/shm", W_OK) == 0 ? "/dev/shm/tilescope_journal_XXXXXX" : "/tmp/tilescope_journal_XXXXXX");
    if (!mkdtemp(dir)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/journal.bin", dir);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    os_fault_set(0);
    return os_remove_tree(dir, NULL) == STATUS_OK ? 0 : -1;
}

static struct record made(uint64_t i)
{
    struct record r;
    memset(&r, 0, sizeof(r));
    r.index = i;
    r.task = (int64_t)(i * 1000 + 1);
    r.bytes[PATH_N - 1] = -5;
    r.verified_elems = i % 2;
    return r;
}

/* ROUNDS rounds of EACH records, a checkpoint of one number after each. */
static uint64_t write_rounds(void)
{
    struct journal j;
    struct record r[EACH];
    assert_int_equal(journal_create(path, KEY, &j, NULL), STATUS_OK);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (uint64_t i = 0; i < EACH; i++) {
            r[i] = made(round * EACH + i);
        }
        assert_int_equal(journal_records(&j, r, EACH, NULL), STATUS_OK);
        assert_int_equal(journal_checkpoint(&j, &round, sizeof(round), NULL), STATUS_OK);
    }
    const uint64_t bytes = j.bytes;
    journal_close(&j);
    return bytes;
}

struct seen {
    uint64_t records, final, checkpoints;
    bool wrong;
};

static enum status see_record(void *ctx, const struct record *r)
{
    struct seen *s = ctx;
    const struct record want = made(s->records);
    s->wrong |= memcmp(r, &want, sizeof(want)) != 0;
    s->records++;
    return STATUS_OK;
}

static enum status see_checkpoint(void *ctx, const void *bytes, size_t len)
{
    struct seen *s = ctx;
    uint64_t round = 0;
    s->wrong |= len != sizeof(round);
    memcpy(&round, bytes, sizeof(round));
    s->wrong |= round != s->checkpoints;
    s->checkpoints++;
    s->final = s->records;
    return STATUS_OK;
}

static enum journal_found resume(uint64_t key, struct seen *s, uint64_t *dropped)
{
    struct journal j;
    enum journal_found found;
    memset(s, 0, sizeof(*s));
    const struct journal_visitor v = {.ctx = s, .record = see_record, .checkpoint = see_checkpoint};
    assert_int_equal(journal_resume(path, key, &v, &j, &found, dropped, NULL), STATUS_OK);
    assert_false(s->wrong);
    assert_int_equal(s->records, s->final); /* nothing after the last checkpoint is handed over */
    assert_int_equal(s->records, s->checkpoints * EACH);
    journal_close(&j);
    return found;
}

static void read_whole(struct strbuf *out)
{
    strbuf_init(out);
    assert_int_equal(os_read_file(path, 1 << 20, out, NULL), STATUS_OK);
}

static void test_whole(void **state)
{
    (void)state;
    struct seen s;
    uint64_t dropped = 1;
    write_rounds();
    assert_int_equal(resume(KEY, &s, &dropped), JOURNAL_RESUMED);
    assert_int_equal(s.records, ROUNDS * EACH);
    assert_int_equal(dropped, 0);
}

static void test_absent(void **state)
{
    (void)state;
    struct seen s;
    uint64_t dropped = 1;
    assert_int_equal(resume(KEY, &s, &dropped), JOURNAL_ABSENT);
    assert_int_equal(s.records, 0);
    assert_true(os_exists(path));
}

static void test_foreign(void **state)
{
    (void)state;
    struct seen s;
    uint64_t dropped = 0;
    write_rounds();
    assert_int_equal(resume(KEY + 1, &s, &dropped), JOURNAL_FOREIGN);
    assert_int_equal(s.records, 0);
    assert_int_equal(resume(KEY + 1, &s, &dropped), JOURNAL_ABSENT); /* a new one was started */
}

/* Cut at every length: the state is that of some checkpoint, never less than a shorter cut's. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    struct strbuf whole;
    struct seen s;
    uint64_t dropped;
    uint64_t before = 0;
    const uint64_t bytes = write_rounds();
    read_whole(&whole);
    for (uint64_t n = 0; n <= bytes; n++) {
        assert_int_equal(os_write_file(path, whole.text, n, NULL), STATUS_OK);
        (void)resume(KEY, &s, &dropped);
        assert_true(s.checkpoints >= before);
        assert_true(n < bytes || s.checkpoints == ROUNDS);
        before = s.checkpoints;
    }
    strbuf_fini(&whole);
}

/* One bit changed anywhere: only whole checkpoints before it count. */
static void test_damage_anywhere(void **state)
{
    (void)state;
    struct strbuf whole;
    struct seen s;
    uint64_t dropped;
    const uint64_t bytes = write_rounds();
    read_whole(&whole);
    for (uint64_t n = 0; n < bytes; n++) {
        whole.text[n] = (char)(whole.text[n] ^ (1 << (n % 8)));
        assert_int_equal(os_write_file(path, whole.text, bytes, NULL), STATUS_OK);
        whole.text[n] = (char)(whole.text[n] ^ (1 << (n % 8)));
        (void)resume(KEY, &s, &dropped);
        assert_true(s.checkpoints < ROUNDS);
    }
    strbuf_fini(&whole);
}

/* A resumed journal goes on and can be resumed again. */
static void test_goes_on(void **state)
{
    (void)state;
    struct strbuf whole;
    struct seen s;
    struct journal j;
    enum journal_found found;
    uint64_t dropped;
    const uint64_t bytes = write_rounds();
    read_whole(&whole);
    assert_int_equal(os_write_file(path, whole.text, bytes - 1, NULL), STATUS_OK);
    memset(&s, 0, sizeof(s));
    const struct journal_visitor v = {.ctx = &s, .record = see_record, .checkpoint = see_checkpoint};
    assert_int_equal(journal_resume(path, KEY, &v, &j, &found, &dropped, NULL), STATUS_OK);
    assert_int_equal(s.checkpoints, ROUNDS - 1);
    assert_true(dropped > 0);
    for (uint64_t i = 0; i < EACH; i++) {
        const struct record r = made((ROUNDS - 1) * EACH + i);
        assert_int_equal(journal_records(&j, &r, 1, NULL), STATUS_OK);
    }
    const uint64_t round = ROUNDS - 1;
    assert_int_equal(journal_checkpoint(&j, &round, sizeof(round), NULL), STATUS_OK);
    journal_close(&j);
    assert_int_equal(resume(KEY, &s, &dropped), JOURNAL_RESUMED);
    assert_int_equal(s.checkpoints, ROUNDS);
    strbuf_fini(&whole);
}

/* Each system call of writing and resuming fails once: an error, never a wrong state. */
static void test_faults(void **state)
{
    (void)state;
    struct seen s;
    uint64_t dropped;
    for (int n = 1; n < 20; n++) {
        struct journal j;
        struct record r = made(0);
        const uint64_t round = 0;
        os_remove_tree(path, NULL);
        os_fault_set(n);
        enum status st = journal_create(path, KEY, &j, NULL);
        if (st == STATUS_OK) {
            st = journal_records(&j, &r, 1, NULL);
            st = st == STATUS_OK ? journal_checkpoint(&j, &round, sizeof(round), NULL) : st;
            journal_close(&j);
        }
        os_fault_set(0);
        memset(&s, 0, sizeof(s));
        const struct journal_visitor v = {.ctx = &s, .record = see_record, .checkpoint = see_checkpoint};
        enum journal_found found;
        assert_int_equal(journal_resume(path, KEY, &v, &j, &found, &dropped, NULL), STATUS_OK);
        journal_close(&j);
        assert_false(s.wrong);
        assert_int_equal(found == JOURNAL_RESUMED, st == STATUS_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_absent, setup, teardown),
        cmocka_unit_test_setup_teardown(test_foreign, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cut_anywhere, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damage_anywhere, setup, teardown),
        cmocka_unit_test_setup_teardown(test_goes_on, setup, teardown),
        cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
