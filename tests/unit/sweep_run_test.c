/* sweep_run_test.c - points, threads and the sweep itself: results do not depend
 * on the number of threads, nor on where a run was stopped. */
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
#include "record/record_text.h"
#include "sweep/points.h"
#include "sweep/sweep.h"
#include "sweep/topology.h"
#include "unit/record_fixture.h"

#define TWO_CELLS                                                                                     \
    "name: two\ntarget: ascend910b1\nproblem: {M: [64, 96], N: 128, K: 128}\n"                        \
    "tiling: {baseM: [16, 32, 64, 4095], baseN: {from: 16, to: 128, step: 16}, baseK: [16, 32, 64], " \
    "stepKa: [1, 2, 4, 8], stepKb: [1, 2]}\nverify: none\n"

/* Every point once, in order of cell and index. */
static void test_points(void **state)
{
    (void)state;
    struct fixture f;
    struct points p;
    fixture_load(&f, TWO_CELLS);
    assert_int_equal(points_init(&p, f.experiment, NULL), STATUS_OK);
    const uint64_t size = f.experiment->cells[0].space.size;
    assert_int_equal(size, 4 * 8 * 3 * 4 * 2);
    assert_int_equal(points_total(&p), 2 * size);
    for (uint64_t i = 0; i < 2 * size; i++) {
        uint64_t index = 0;
        const struct cell *cell = points_at(&p, i, &index);
        assert_int_equal(cell->id, i / size);
        assert_int_equal(index, i % size);
    }
    points_fini(&p);
    fixture_fini(&f);
}

/* A sample: as many as asked for, ascending, spread over the whole space. */
static void test_sample(void **state)
{
    (void)state;
    struct fixture f;
    struct points p;
    fixture_load(&f, TWO_CELLS "search: sample\nsample: 100\n");
    assert_int_equal(points_init(&p, f.experiment, NULL), STATUS_OK);
    assert_int_equal(points_total(&p), 200);
    const uint64_t size = f.experiment->cells[0].space.size;
    uint64_t last = 0;
    for (uint64_t i = 0; i < 100; i++) {
        uint64_t index = 0;
        (void)points_at(&p, i, &index);
        assert_true(index >= i * size / 100 && index < (i + 1) * size / 100 + 1);
        assert_true(i == 0 || index > last);
        last = index;
    }
    points_fini(&p);
    fixture_fini(&f);
}

static void test_piece(void **state)
{
    (void)state;
    assert_int_equal(points_piece(0, UINT64_MAX, 3), 0);
    assert_int_equal(points_piece(3, UINT64_MAX, 3), UINT64_MAX);
    assert_int_equal(points_piece(1, 10, 4), 2);
}

/* Plans for machines we do not have. */
static void test_topology(void **state)
{
    (void)state;
    struct topology *t = NULL;
    assert_int_equal(topology_create(0, "pack:2 core:8 pu:2", &t, NULL), STATUS_OK);
    assert_int_equal(topology_threads(t), 32);
    bool taken[32] = {false};
    for (int i = 0; i < 32; i++) {
        const int pu = topology_processor(t, i);
        assert_in_range(pu, 0, 31);
        assert_false(taken[pu]);
        taken[pu] = true;
    }
    assert_false(topology_bind(t, 0)); /* not this machine */
    topology_destroy(t);

    assert_int_equal(topology_create(2, "pack:2 core:8 pu:2", &t, NULL), STATUS_OK);
    assert_int_equal(topology_threads(t), 2);
    assert_true(topology_processor(t, 0) / 16 != topology_processor(t, 1) / 16); /* one a package */
    topology_destroy(t);

    struct diag d;
    diag_init(&d);
    assert_int_equal(topology_create(5, "core:4 pu:1", &t, &d), STATUS_OK);
    assert_int_equal(topology_threads(t), 4);
    assert_int_equal(d.count, 1);
    assert_int_equal(d.messages[0].level, DIAG_WARNING);
    topology_destroy(t);
    diag_fini(&d);
    assert_int_equal(topology_create(1, "nonsense", &t, NULL), STATUS_INVALID);
    assert_null(t);
}

static struct collect *sweep(const struct fixture *f, int threads)
{
    const struct sweep_options o = {.threads = threads};
    struct sweep_stats stats;
    struct collect *c = NULL;
    uint64_t total = 0;
    assert_int_equal(sweep_count(f->experiment, &total, NULL), STATUS_OK);
    assert_int_equal(collect_create(f->experiment, total, &c, NULL), STATUS_OK);
    assert_int_equal(sweep_run(f->experiment, &o, NULL, c, NULL, &stats, NULL), STATUS_OK);
    assert_int_equal(stats.evaluated, total);
    collect_finish(c);
    return c;
}

/* As rows of tilings.csv: padding bytes of a record mean nothing. */
static void assert_same(const struct collect *a, const struct collect *b)
{
    struct strbuf rows[2];
    assert_int_equal(a->rows.n, b->rows.n);
    for (size_t i = 0; i < a->rows.n; i++) {
        const struct record *r[2] = {&a->rows.r[i], &b->rows.r[i]};
        for (int k = 0; k < 2; k++) {
            strbuf_init(&rows[k]);
            record_csv_row(&a->experiment->cells[r[k]->cell], r[k], &rows[k]);
        }
        assert_string_equal(strbuf_cstr(&rows[0]), strbuf_cstr(&rows[1]));
        strbuf_fini(&rows[0]);
        strbuf_fini(&rows[1]);
    }
    for (size_t k = 0; k < a->experiment->count; k++) {
        assert_memory_equal(&a->cells[k].counts, &b->cells[k].counts, sizeof(a->cells[k].counts));
        assert_int_equal(a->cells[k].top.n, b->cells[k].top.n);
        assert_int_equal(a->cells[k].reason_count, b->cells[k].reason_count);
    }
}

static void test_threads(void **state)
{
    (void)state;
    struct fixture f;
    fixture_load(&f, TWO_CELLS);
    struct collect *one = sweep(&f, 1);
    assert_true(one->cells[0].counts.feasible > 50);
    assert_true(one->cells[0].reason_count > 0);
    for (int threads = 2; threads <= 3; threads++) {
        struct collect *more = sweep(&f, threads);
        assert_same(one, more);
        collect_destroy(more);
    }
    collect_destroy(one);
    fixture_fini(&f);
}

/* ---- going on from a journal that was cut ---- */

struct takeover {
    struct collect *c;
    struct sweep_start from;
    struct journal_point ahead[SWEEP_ROUND];
};

static enum status take_record(void *ctx, const struct record *r)
{
    return collect_replay(((struct takeover *)ctx)->c, r, NULL);
}

static enum status take_checkpoint(void *ctx, const void *bytes, size_t len)
{
    struct takeover *t = ctx;
    return collect_restore(t->c, bytes, len, &t->from.done, NULL);
}

static enum status take_ahead(void *ctx, const struct journal_point *p)
{
    struct takeover *t = ctx;
    assert_true(t->from.ahead_count < SWEEP_ROUND);
    assert_true(p->point >= t->from.done);
    t->ahead[t->from.ahead_count++] = *p;
    t->from.ahead = t->ahead;
    return STATUS_OK;
}

/* Goes on from the journal at `path`: the result is that of `whole`.
 * @return how many points were taken over. */
static uint64_t go_on(const struct fixture *f, const char *path, const struct collect *whole)
{
    static struct takeover t;
    memset(&t, 0, sizeof(t));
    const struct journal_visitor v = {
        .ctx = &t, .record = take_record, .checkpoint = take_checkpoint, .ahead = take_ahead};
    const struct sweep_options o = {.threads = 2};
    struct sweep_stats stats;
    struct journal j;
    enum journal_found found;
    uint64_t dropped;
    assert_int_equal(collect_create(f->experiment, whole->total, &t.c, NULL), STATUS_OK);
    assert_int_equal(journal_resume(path, 1, &v, &j, &found, &dropped, NULL), STATUS_OK);
    assert_int_equal(sweep_run(f->experiment, &o, &t.from, t.c, &j, &stats, NULL), STATUS_OK);
    uint64_t taken = t.from.done;
    for (size_t i = 0; i < t.from.ahead_count; i++) {
        taken += t.ahead[i].point >= t.from.done;
    }
    assert_int_equal(stats.resumed, taken);
    assert_int_equal(stats.resumed + stats.evaluated, whole->total);
    collect_finish(t.c);
    assert_same(whole, t.c);
    journal_close(&j);
    collect_destroy(t.c);
    return stats.resumed;
}

static void temporary(char path[32])
{
    strcpy(path, "/tmp/tilescope_sweep_XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

static void test_resume(void **state)
{
    (void)state;
    char path[32];
    temporary(path);
    struct fixture f;
    fixture_load(&f, TWO_CELLS);
    struct collect *whole = sweep(&f, 2);
    const struct sweep_options o = {.threads = 2};
    struct sweep_stats stats;
    struct journal j;
    struct collect *c = NULL;
    assert_int_equal(collect_create(f.experiment, whole->total, &c, NULL), STATUS_OK);
    assert_int_equal(journal_create(path, 1, &j, NULL), STATUS_OK);
    assert_int_equal(sweep_run(f.experiment, &o, NULL, c, &j, &stats, NULL), STATUS_OK);
    journal_close(&j);
    collect_destroy(c);

    struct strbuf text;
    strbuf_init(&text);
    assert_int_equal(os_read_file(path, 1 << 28, &text, NULL), STATUS_OK);
    for (int part = 0; part <= 8; part++) {
        assert_int_equal(os_write_file(path, text.text, text.len * (size_t)part / 8, NULL), STATUS_OK);
        const uint64_t taken = go_on(&f, path, whole);
        assert_true(part < 8 || taken == whole->total);
    }
    strbuf_fini(&text);
    collect_destroy(whole);
    remove(path);
    fixture_fini(&f);
}

/* Points done out of turn are not evaluated again: before any checkpoint, in
 * this round, and in a later one. */
static void test_ahead(void **state)
{
    (void)state;
    static const uint64_t points[] = {3, 0, 511, 512, 700, 9};
    char path[32];
    struct fixture f;
    struct journal j;
    temporary(path);
    fixture_load(&f, TWO_CELLS);
    struct collect *whole = sweep(&f, 2); /* its rows are all points, in order */
    assert_int_equal(journal_create(path, 1, &j, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        const struct journal_point p = {.point = points[i], .record = whole->rows.r[points[i]]};
        assert_int_equal(journal_ahead(&j, &p, NULL), STATUS_OK);
    }
    journal_close(&j);
    assert_int_equal(go_on(&f, path, whole), sizeof(points) / sizeof(points[0]));
    assert_int_equal(go_on(&f, path, whole), whole->total);
    collect_destroy(whole);
    remove(path);
    fixture_fini(&f);
}

/* A slow sweep, looked at from outside as kill -9 would leave it. */
struct slow {
    const char *from, *to;
    int calls;
    uint64_t done; /* when the copy was made */
};

static void slow_progress(void *ctx, const struct sweep_progress *p)
{
    struct slow *s = ctx;
    s->calls++;
    if (s->calls == 2) {
        usleep((useconds_t)(SWEEP_SAVE_SECONDS * 1.1e6));
    } else if (s->calls == 4) { /* a block later: time to save came between */
        struct strbuf text;
        strbuf_init(&text);
        assert_int_equal(os_read_file(s->from, 1 << 28, &text, NULL), STATUS_OK);
        assert_int_equal(os_write_file(s->to, text.text, text.len, NULL), STATUS_OK);
        strbuf_fini(&text);
        s->done = p->done;
    }
}

static void test_saves_in_time(void **state)
{
    (void)state;
    char path[32], copy[32];
    struct fixture f;
    struct journal j;
    struct sweep_stats stats;
    struct collect *c = NULL;
    temporary(path);
    temporary(copy);
    fixture_load(&f, TWO_CELLS);
    struct collect *whole = sweep(&f, 1);
    struct slow slow = {.from = path, .to = copy};
    const struct sweep_options o = {.threads = 1, .progress = slow_progress, .ctx = &slow};
    assert_int_equal(collect_create(f.experiment, whole->total, &c, NULL), STATUS_OK);
    assert_int_equal(journal_create(path, 1, &j, NULL), STATUS_OK);
    assert_int_equal(sweep_run(f.experiment, &o, NULL, c, &j, &stats, NULL), STATUS_OK);
    journal_close(&j);
    collect_destroy(c);
    assert_int_equal(slow.done, 4 * SWEEP_BLOCK);
    assert_int_equal(go_on(&f, copy, whole), 2 * SWEEP_BLOCK + 1);
    collect_destroy(whole);
    remove(path);
    remove(copy);
    fixture_fini(&f);
}

static void interrupt(void *ctx, const struct sweep_progress *p)
{
    (void)p;
    if (++*(int *)ctx == 3) {
        raise(SIGINT);
    }
}

/* Interrupted: nothing that was done is done again. */
static void test_interrupted(void **state)
{
    (void)state;
    char path[32];
    struct fixture f;
    struct journal j;
    struct sweep_stats stats;
    struct collect *c = NULL;
    int calls = 0;
    temporary(path);
    fixture_load(&f, TWO_CELLS);
    struct collect *whole = sweep(&f, 2);
    const struct sweep_options o = {
        .threads = 1, .progress = interrupt, .ctx = &calls}; /* libgomp cannot fork with more */
    assert_int_equal(collect_create(f.experiment, whole->total, &c, NULL), STATUS_OK);
    assert_int_equal(journal_create(path, 1, &j, NULL), STATUS_OK);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* the flag of os_interrupted() stays set */
        os_watch_interrupt();
        const enum status st = sweep_run(f.experiment, &o, NULL, c, &j, &stats, NULL);
        _exit(st == STATUS_INTERRUPTED && stats.evaluated < 200 ? (int)stats.evaluated : 255);
    }
    int code = 0;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code));
    assert_int_equal(WEXITSTATUS(code), 3 * SWEEP_BLOCK);
    journal_close(&j);
    collect_destroy(c);
    assert_int_equal(go_on(&f, path, whole), WEXITSTATUS(code));
    collect_destroy(whole);
    remove(path);
    fixture_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),   cmocka_unit_test(test_sample),        cmocka_unit_test(test_piece),
        cmocka_unit_test(test_topology), cmocka_unit_test(test_threads),       cmocka_unit_test(test_resume),
        cmocka_unit_test(test_ahead),    cmocka_unit_test(test_saves_in_time), cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
