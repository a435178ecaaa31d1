/* sweep_collect_test.c - what a sweep keeps, against plain sorting of everything;
 * and the same state again from a journal's records. */
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
#include "record/record_columns.h"
#include "sweep/collect.h"
#include "unit/record_fixture.h"

#define KEEP_YAML(keep, top)                                                                \
    "name: fixture\ntarget: ascend910b1\nproblem: {M: 512, N: 512, K: 512}\n"               \
    "tiling: {baseM: {from: 16, to: 256, step: 16}, baseN: {from: 16, to: 256, step: 16}, " \
    "baseK: [16, 32, 64], stepKa: [1, 2]}\nverify: none\nkeep: " keep "\nreport: {top: " top "}\n"

static int64_t gm(const struct record *r)
{
    return record_gm_read(r) + record_gm_write(r);
}

static bool counts_for_best(const struct record *r)
{
    return r->why.reason == REASON_NONE && r->verified != VERIFIED_MISMATCH;
}

static int by_time(const void *a, const void *b)
{
    return collect_compare(OBJECTIVE_TIME, a, b);
}

struct all {
    struct record *r;    /* every record, by index */
    struct record *best; /* those that count, sorted */
    size_t n, best_n;
};

/* Coarse numbers, so that ties in time and in bytes are common. */
static void make_all(const struct cell *cell, struct all *a)
{
    a->n = (size_t)cell->space.size;
    a->r = calloc(a->n, sizeof(*a->r));
    a->best = calloc(a->n, sizeof(*a->best));
    a->best_n = 0;
    assert_non_null(a->r);
    assert_non_null(a->best);
    for (size_t i = 0; i < a->n; i++) {
        a->r[i] = fixture_record(cell, i, 11);
        a->r[i].task = a->r[i].task % 200;
        a->r[i].bytes[PATH_GM_L1] %= 200;
        a->r[i].bytes[PATH_L0C_GM] = 1;
        if (counts_for_best(&a->r[i])) {
            a->best[a->best_n++] = a->r[i];
        }
    }
    qsort(a->best, a->best_n, sizeof(*a->best), by_time);
}

static void free_all(struct all *a)
{
    free(a->r);
    free(a->best);
}

static void check_front(const struct collect_list *front, const struct all *a)
{
    for (size_t i = 0; i < front->n; i++) {
        if (i > 0) {
            assert_true(front->r[i].task > front->r[i - 1].task);
            assert_true(gm(&front->r[i]) < gm(&front->r[i - 1]));
        }
        for (size_t k = 0; k < a->best_n; k++) { /* none beats it in both, ties go to the lower index */
            const struct record *o = &a->best[k];
            const bool better = o->task <= front->r[i].task && gm(o) <= gm(&front->r[i]) &&
                                (o->task < front->r[i].task || gm(o) < gm(&front->r[i]) ||
                                 o->index < front->r[i].index);
            assert_false(better);
        }
    }
    for (size_t k = 0; k < a->best_n; k++) { /* and it is complete */
        bool covered = false;
        for (size_t i = 0; i < front->n && !covered; i++) {
            covered = front->r[i].task <= a->best[k].task && gm(&front->r[i]) <= gm(&a->best[k]);
        }
        assert_true(covered);
    }
}

static void check_heat(const struct collect_cell *cell, const struct all *a)
{
    for (size_t i = 0; i < cell->heat_count; i++) {
        int64_t best = INT64_MAX;
        for (size_t k = 0; k < a->n; k++) {
            if (a->r[k].t.baseM == cell->heat[i].x && a->r[k].t.baseN == cell->heat[i].y && counts_for_best(&a->r[k]) &&
                a->r[k].task < best) {
                best = a->r[k].task;
            }
        }
        assert_true(best == cell->heat[i].task);
    }
    assert_int_equal(cell->heat_count, 16 * 16);
}

static void check_state(const struct collect *c, const struct all *a, size_t top)
{
    const struct collect_cell *cell = &c->cells[0];
    assert_int_equal(cell->top.n, top < a->best_n ? top : a->best_n);
    for (size_t i = 0; i < cell->top.n; i++) {
        assert_int_equal(cell->top.r[i].index, a->best[i].index);
    }
    check_front(&cell->front, a);
    check_heat(cell, a);
    uint64_t infeasible = 0;
    for (size_t i = 0; i < cell->reason_count; i++) {
        infeasible += cell->reasons[i].count;
        assert_int_equal(a->r[cell->reasons[i].index].why.reason, cell->reasons[i].why.reason);
    }
    assert_int_equal(infeasible, cell->counts.points - cell->counts.feasible);
    assert_int_equal(cell->counts.points, a->n);
}

static void run(const char *yaml, size_t top, bool keep_all)
{
    struct fixture f;
    struct all a;
    struct collect *c = NULL;
    struct collect *again = NULL;
    struct strbuf checkpoint;
    fixture_load(&f, yaml);
    make_all(&f.experiment->cells[0], &a);
    strbuf_init(&checkpoint);
    assert_int_equal(collect_create(f.experiment, a.n, &c, NULL), STATUS_OK);
    assert_int_equal(collect_create(f.experiment, a.n, &again, NULL), STATUS_OK);
    assert_int_equal(c->keep_all, keep_all);
    size_t kept_count = 0;
    for (size_t i = 0; i < a.n; i++) {
        bool kept = false;
        assert_int_equal(collect_add(c, &a.r[i], &kept, NULL), STATUS_OK);
        if (kept) { /* as through a journal */
            assert_int_equal(collect_replay(again, &a.r[i], NULL), STATUS_OK);
            kept_count++;
        }
    }
    uint64_t done = 0;
    collect_checkpoint(c, a.n, 0, 0, &checkpoint);
    assert_int_equal(collect_restore(again, checkpoint.text, checkpoint.len, &done, NULL), STATUS_OK);
    assert_int_equal(done, a.n);
    collect_finish(c);
    collect_finish(again);
    check_state(c, &a, top);
    check_state(again, &a, top);
    assert_int_equal(c->rows.n, keep_all ? a.n : 0);
    assert_int_equal(c->wrong.n,
                     c->cells[0].counts.mismatched < COLLECT_WRONG ? c->cells[0].counts.mismatched : COLLECT_WRONG);
    assert_true(c->wrong.n > 0);
    assert_int_equal(again->wrong.n, c->wrong.n);
    assert_int_equal(again->rows.n, c->rows.n);
    assert_true(keep_all ? kept_count == a.n : kept_count < a.n);
    assert_int_equal(c->cells[0].sample.n, again->cells[0].sample.n);
    for (size_t i = 0; i < c->cells[0].sample.n; i++) {
        assert_int_equal(c->cells[0].sample.r[i].index, again->cells[0].sample.r[i].index);
        assert_true(i == 0 || c->cells[0].sample.r[i].index > c->cells[0].sample.r[i - 1].index);
    }
    strbuf_fini(&checkpoint);
    collect_destroy(c);
    collect_destroy(again);
    free_all(&a);
    fixture_fini(&f);
}

static void test_all_rows(void **state)
{
    (void)state;
    run(KEEP_YAML("100000", "20"), 1000, true);
}

static void test_best_rows(void **state)
{
    (void)state;
    run(KEEP_YAML("100", "20"), 100, false);
    run(KEEP_YAML("1", "7"), 7, false);
}

/* A checkpoint cut anywhere is refused. */
static void test_bad_checkpoint(void **state)
{
    (void)state;
    struct fixture f;
    struct collect *c = NULL;
    struct strbuf checkpoint;
    fixture_load(&f, FIXTURE_YAML);
    strbuf_init(&checkpoint);
    assert_int_equal(collect_create(f.experiment, 48, &c, NULL), STATUS_OK);
    for (uint64_t i = 0; i < 48; i++) {
        const struct record r = fixture_record(&f.experiment->cells[0], i, 1);
        bool kept;
        assert_int_equal(collect_add(c, &r, &kept, NULL), STATUS_OK);
    }
    collect_checkpoint(c, 48, 0, 0, &checkpoint);
    uint64_t done = 0;
    for (size_t n = 0; n < checkpoint.len; n++) {
        assert_int_equal(collect_restore(c, checkpoint.text, n, &done, NULL), STATUS_IO);
    }
    assert_int_equal(collect_restore(c, checkpoint.text, checkpoint.len, &done, NULL), STATUS_OK);
    strbuf_fini(&checkpoint);
    collect_destroy(c);
    fixture_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_rows),
        cmocka_unit_test(test_best_rows),
        cmocka_unit_test(test_bad_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
