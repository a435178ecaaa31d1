/* sweep_run_test.c - points, threads and the sweep itself: results do not depend
 * on the number of threads, nor on where a run was stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    assert_int_equal(sweep_run(f->experiment, &o, 0, c, NULL, &stats, NULL), STATUS_OK);
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
    uint64_t done;
};

static enum status take_record(void *ctx, const struct record *r)
{
    return collect_replay(((struct takeover *)ctx)->c, r, NULL);
}

static enum status take_checkpoint(void *ctx, const void *bytes, size_t len)
{
    struct takeover *t = ctx;
    return collect_restore(t->c, bytes, len, &t->done, NULL);
}

static void test_resume(void **state)
{
    (void)state;
    char path[] = "/tmp/tilescope_sweep_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct fixture f;
    fixture_load(&f, TWO_CELLS);
    struct collect *whole = sweep(&f, 2);
    const struct sweep_options o = {.threads = 2};
    struct sweep_stats stats;
    struct journal j;
    struct collect *c = NULL;
    assert_int_equal(collect_create(f.experiment, whole->total, &c, NULL), STATUS_OK);
    assert_int_equal(journal_create(path, 1, &j, NULL), STATUS_OK);
    assert_int_equal(sweep_run(f.experiment, &o, 0, c, &j, &stats, NULL), STATUS_OK);
    journal_close(&j);
    collect_destroy(c);

    struct strbuf text;
    strbuf_init(&text);
    assert_int_equal(os_read_file(path, 1 << 28, &text, NULL), STATUS_OK);
    for (int part = 0; part <= 8; part++) {
        struct takeover t = {0};
        const struct journal_visitor v = {.ctx = &t, .record = take_record, .checkpoint = take_checkpoint};
        enum journal_found found;
        uint64_t dropped;
        assert_int_equal(os_write_file(path, text.text, text.len * (size_t)part / 8, NULL), STATUS_OK);
        assert_int_equal(collect_create(f.experiment, whole->total, &t.c, NULL), STATUS_OK);
        assert_int_equal(journal_resume(path, 1, &v, &j, &found, &dropped, NULL), STATUS_OK);
        assert_int_equal(t.done % SWEEP_ROUND == 0 || t.done == whole->total, 1);
        assert_int_equal(sweep_run(f.experiment, &o, t.done, t.c, &j, &stats, NULL), STATUS_OK);
        assert_int_equal(stats.resumed + stats.evaluated, whole->total);
        collect_finish(t.c);
        assert_same(whole, t.c);
        journal_close(&j);
        collect_destroy(t.c);
    }
    strbuf_fini(&text);
    collect_destroy(whole);
    remove(path);
    fixture_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),   cmocka_unit_test(test_sample),  cmocka_unit_test(test_piece),
        cmocka_unit_test(test_topology), cmocka_unit_test(test_threads), cmocka_unit_test(test_resume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
