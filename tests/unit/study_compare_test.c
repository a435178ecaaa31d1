/* Which cells stand side by side, ratios, ties, the same tiling on both sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "study/compare.h"

struct fixture {
    struct arena arena;
    struct diag diag;
    const struct target *a2, *pr; /* 910B1, 950PR */
    struct cell cells[16];
    struct compare_input in[16];
    size_t n;
    struct compare c;
};

static int set_up(void **state)
{
    static struct fixture f;
    f = (struct fixture){0};
    arena_init(&f.arena);
    diag_init(&f.diag);
    assert_int_equal(target_load("ascend910b1", NULL, &f.arena, &f.a2, &f.diag), STATUS_OK);
    assert_int_equal(target_load("ascend950pr_9589", NULL, &f.arena, &f.pr, &f.diag), STATUS_OK);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    diag_fini(&f->diag);
    arena_fini(&f->arena);
    return 0;
}

struct what {
    size_t run;
    const char *variant, *label;
    int64_t m;
    double us; /* 0: nothing feasible */
    bool pr;
};

/* Adds a cell of `us` microseconds. */
static void add(struct fixture *f, struct what w)
{
    static const char *const runs[] = {"one", "two", "three"};
    const struct target *t = w.pr ? f->pr : f->a2;
    struct cell *cell = &f->cells[f->n];
    *cell = (struct cell){.target = t, .problem = {.M = w.m, .N = 64, .K = 64, .batch = 1, .groups = 1}};
    f->in[f->n] = (struct compare_input){.run = w.run,
                                         .run_name = runs[w.run],
                                         .variant = w.variant,
                                         .target = t->name,
                                         .label = w.label,
                                         .entry = {.run = w.run, .id = f->n, .cell = w.us > 0 ? cell : NULL}};
    f->in[f->n].entry.best.task = (int64_t)llround(w.us * t->ghz * 1e6);
    f->n++;
}

static enum status join(struct fixture *f, const char *baseline)
{
    return compare_join(f->in, f->n, baseline, &f->arena, &f->c, &f->diag);
}

static bool said(const struct fixture *f, const char *words)
{
    struct strbuf sb;
    strbuf_init(&sb);
    diag_render(&f->diag, &sb);
    const bool there = strstr(strbuf_cstr(&sb), words) != NULL;
    strbuf_fini(&sb);
    return there;
}

static void variants_of_a_run(void **state)
{
    struct fixture *f = *state;
    add(f, (struct what){0, "half", "x", 64, 10, false});
    add(f, (struct what){0, "int8", "x", 64, 5, false});
    add(f, (struct what){0, "half", "y", 128, 20, false});
    add(f, (struct what){0, "int8", "y", 128, 0, false}); /* nothing feasible: joined by its label */
    assert_int_equal(join(f, NULL), STATUS_OK);
    assert_int_equal(f->c.sides, 2);
    assert_string_equal(f->c.side[0].name, "half");
    assert_string_equal(f->c.side[1].name, "int8");
    assert_int_equal(f->c.groups, 2);
    assert_string_equal(f->c.group[1].label, "y");
    assert_string_equal(f->c.group[1].target, "ascend910b1");
    assert_true(fabs(compare_speedup(&f->c, &f->c.group[0], 1) - 2) < 1e-9);
    assert_true(fabs(compare_speedup(&f->c, &f->c.group[0], 0) - 1) < 1e-9);
    assert_true(f->c.group[1].entry[1].there);
    assert_true(isnan(compare_speedup(&f->c, &f->c.group[1], 1)));
}

static void another_baseline(void **state)
{
    struct fixture *f = *state;
    add(f, (struct what){0, "half", "x", 64, 10, false});
    add(f, (struct what){0, "int8", "x", 64, 5, false});
    assert_int_equal(join(f, "int8"), STATUS_OK);
    assert_int_equal(f->c.baseline, 1);
    assert_true(fabs(compare_speedup(&f->c, &f->c.group[0], 0) - 0.5) < 1e-9);
    assert_int_equal(join(f, "int9"), STATUS_INVALID);
    assert_true(said(f, "did you mean 'int8'?"));
}

/* Shapes of two runs are the same by their sizes; names only tell equal ones apart. */
static void runs_by_sizes(void **state)
{
    struct fixture *f = *state;
    add(f, (struct what){0, "base", "first", 64, 10, false});
    add(f, (struct what){0, "base", "again", 64, 11, false});
    add(f, (struct what){0, "base", "alone", 32, 1, false});
    add(f, (struct what){1, "base", "again", 64, 12, false});
    add(f, (struct what){1, "base", "renamed", 64, 13, false});
    add(f, (struct what){1, "base", "lonely", 16, 1, false});
    assert_int_equal(join(f, NULL), STATUS_OK);
    assert_int_equal(f->c.sides, 2);
    assert_string_equal(f->c.side[1].name, "two");
    assert_int_equal(f->c.groups, 2);
    assert_string_equal(f->c.group[0].label, "first");
    assert_int_equal(f->c.group[0].entry[1].id, 4);
    assert_string_equal(f->c.group[1].label, "again");
    assert_int_equal(f->c.group[1].entry[1].id, 3);
}

static void names_of_sides(void **state)
{
    struct fixture *f = *state;
    add(f, (struct what){0, "half", "x", 64, 10, false});
    add(f, (struct what){0, "int8", "x", 64, 5, false});
    add(f, (struct what){1, "half", "x", 64, 10, false});
    assert_int_equal(join(f, "two/half"), STATUS_OK);
    assert_int_equal(f->c.sides, 3);
    assert_string_equal(f->c.side[1].name, "one/int8");
    assert_int_equal(f->c.baseline, 2);
}

/* Runs on different chips, or one run of one variant: the chips stand side by side. */
static void targets_as_sides(void **state)
{
    struct fixture *f = *state;
    add(f, (struct what){0, "base", "x", 64, 10, false});
    add(f, (struct what){1, "base", "x", 64, 4, true});
    assert_int_equal(join(f, NULL), STATUS_OK);
    assert_string_equal(f->c.side[1].name, "two/ascend950pr_9589");
    assert_null(f->c.group[0].target);
    assert_true(fabs(compare_speedup(&f->c, &f->c.group[0], 1) - 2.5) < 1e-6);
    f->in[1].run = 0;
    assert_int_equal(join(f, NULL), STATUS_OK);
    assert_string_equal(f->c.side[1].name, "ascend950pr_9589");
}

/* With a chip in common only that one is compared. */
static void a_shared_target(void **state)
{
    struct fixture *f = *state;
    add(f, (struct what){0, "base", "x", 64, 10, false});
    add(f, (struct what){0, "base", "x", 64, 3, true});
    add(f, (struct what){1, "base", "x", 64, 4, true});
    assert_int_equal(join(f, NULL), STATUS_OK);
    assert_int_equal(f->c.sides, 2);
    assert_int_equal(f->c.groups, 1);
    assert_string_equal(f->c.group[0].target, "ascend950pr_9589");
}

static void nothing_to_compare(void **state)
{
    struct fixture *f = *state;
    add(f, (struct what){0, "base", "x", 64, 10, false});
    add(f, (struct what){0, "base", "y", 32, 10, false});
    assert_int_equal(join(f, NULL), STATUS_INVALID);
    assert_true(said(f, "one variant on one target"));
    add(f, (struct what){1, "base", "z", 16, 10, false});
    assert_int_equal(join(f, NULL), STATUS_INVALID);
    assert_true(said(f, "no shape in common"));
}

/* Tight on both sides of the chip's error. */
static void ties(void **state)
{
    struct fixture *f = *state;
    const double band = target_error(f->a2, false, 100, NULL);
    assert_true(band > 0);
    add(f, (struct what){0, "half", "x", 64, 100, false});
    add(f, (struct what){0, "near", "x", 64, 100 * (1 + (band - 0.01) / 100), false});
    add(f, (struct what){0, "far", "x", 64, 100 * (1 + (band + 0.01) / 100), false});
    add(f, (struct what){0, "none", "x", 64, 0, false});
    assert_int_equal(join(f, NULL), STATUS_OK);
    const struct compare_entry *e = f->c.group[0].entry;
    assert_true(compare_indistinct(&e[0], &e[1]));
    assert_true(compare_indistinct(&e[1], &e[0]));
    assert_false(compare_indistinct(&e[0], &e[2]));
    assert_false(compare_indistinct(&e[2], &e[0]));
    assert_false(compare_indistinct(&e[0], &e[3]));
}

/* ---- the same tiling ---- */

static void keys(void **state)
{
    struct fixture *f = *state;
    struct compare_key key;
    assert_int_equal(compare_key_parse("name", &key, &f->diag), STATUS_OK);
    assert_int_equal(key.fields, 0);
    assert_int_equal(compare_key_parse("baseM,stepKa", &key, &f->diag), STATUS_OK);
    assert_int_equal(key.fields, 2);
    assert_int_equal(key.field[0], TF_baseM);
    assert_int_equal(key.field[1], TF_stepKa);
    static const char *const bad[] = {
        "", "baseM,", ",baseM", "baseQ", "baseM,baseM", "names", "a_name_that_is_longer_than_any_field_could_be"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(compare_key_parse(bad[i], &key, &f->diag), STATUS_INVALID);
    }
    assert_true(said(f, "did you mean 'baseM'?"));
}

static const char rows[] = "cell,name,status,task_mcyc,baseM,baseN\n"
                           "0,b16,feasible,4000000,16,32\n"
                           "0,b32,feasible,2000000,32,32\n"
                           "0,b64,infeasible,,64,32\n"
                           "0,b32s,feasible,1000000,32,32\n"
                           "1,b64,feasible,500000,64,32\n"
                           "1,b32,feasible,500000,32,32\n"
                           "1,b16,feasible,8000000,16,32\n"
                           "1,b16s,feasible,2000000,16,32\n";

static struct compare_same same_of(struct fixture *f, const char *text, const char *by, enum status want)
{
    struct csv_table *t = arena_alloc(&f->arena, 1, sizeof *t);
    struct compare_key key;
    struct compare_same same = {0};
    assert_non_null(t);
    assert_int_equal(csv_parse("tilings.csv", text, strlen(text), &f->arena, t, &f->diag), STATUS_OK);
    assert_int_equal(compare_key_parse(by, &key, &f->diag), STATUS_OK);
    assert_int_equal(compare_same_rows(&f->c, &f->c.group[0], t, &key, &f->arena, &same, &f->diag), want);
    return same;
}

static void two_variants(struct fixture *f)
{
    add(f, (struct what){0, "half", "x", 64, 10, false});
    add(f, (struct what){0, "int8", "x", 64, 5, false});
    assert_int_equal(join(f, NULL), STATUS_OK);
}

static void same_by_name(void **state)
{
    struct fixture *f = *state;
    two_variants(f);
    const struct compare_same same = same_of(f, rows, "name", STATUS_OK);
    assert_int_equal(same.rows, 2); /* b64 fits on one side only */
    assert_string_equal(same.row[0].key, "b32");
    assert_true(fabs(same.row[0].us[0] / same.row[0].us[1] - 4) < 1e-9);
    assert_string_equal(same.row[1].key, "b16");
    const struct compare_spread s = compare_spread_of(&f->c, &same, 1);
    assert_int_equal(s.rows, 2);
    assert_true(fabs(s.least - 0.5) < 1e-9 && fabs(s.greatest - 4) < 1e-9);
    assert_true(fabs(s.mean - sqrt(2)) < 1e-9);
}

/* Each side's fastest with these values. */
static void same_by_fields(void **state)
{
    struct fixture *f = *state;
    two_variants(f);
    const struct compare_same same = same_of(f, rows, "baseM,baseN", STATUS_OK);
    assert_int_equal(same.rows, 2);
    assert_string_equal(same.row[0].key, "baseM=32 baseN=32");
    assert_true(fabs(same.row[0].us[0] / same.row[0].us[1] - 2) < 1e-9);
    assert_string_equal(same.row[1].key, "baseM=16 baseN=32");
    assert_true(fabs(same.row[1].us[0] / same.row[1].us[1] - 2) < 1e-9);
}

static void bad_rows(void **state)
{
    struct fixture *f = *state;
    two_variants(f);
    (void)same_of(f, "cell,name,status,task_mcyc\n0,b16,feasible,soon\n", "name", STATUS_INVALID);
    assert_true(said(f, "tilings.csv:2:16: error: 'soon' is no time"));
    (void)same_of(f, "cell,name,status\n0,b16,feasible\n", "name", STATUS_INVALID);
    assert_true(said(f, "column 'task_mcyc' is missing"));
    (void)same_of(f, "cell,name,status,task_mcyc\n0,b16,feasible,1\n", "baseM", STATUS_INVALID);
    assert_true(said(f, "column 'baseM' is missing"));
}

/* ---- details: what a best tiling moves ---- */

/* Bytes of MX scales are apart from data and in the ratio the format gives. */
static void scales_are_apart(void **state)
{
    struct fixture *f = *state;
    static const char text[] =
        "target: ascend950pr_9589\n"
        "problem: {M: 128, N: 128, K: 512, A: {dtype: mxfp4}, B: {dtype: mxfp4, transpose: true}}\n"
        "tiling: {baseM: 64, baseN: 64, baseK: 128, usedCoreNum: 1}\n";
    const struct experiment *e;
    struct study *study;
    struct compare_entry entry = {.there = true};
    assert_int_equal(experiment_parse("t.yaml", text, strlen(text), NULL, &f->arena, &e, &f->diag), STATUS_OK);
    assert_int_equal(study_create(NULL, &study), STATUS_OK);
    assert_int_equal(study_evaluate(study, &e->cells[0], 0, VERIFY_NONE, &entry.best, &f->diag), STATUS_OK);
    assert_int_equal(entry.best.why.reason, REASON_NONE);
    entry.cell = &e->cells[0];
    assert_int_equal(compare_detail(study, &entry, &f->arena, &f->diag), STATUS_OK);
    const struct compare_detail *d = &entry.detail;
    assert_true(d->copied > 0);
    assert_int_equal(d->copied, 16 * d->copied_scales); /* 32 elements of 4 bits for each code */
    assert_int_equal(d->elements, 2 * d->copied);
    assert_int_equal(d->loaded, 16 * d->loaded_scales);
    assert_int_equal(d->copied + d->copied_scales, entry.best.bytes[PATH_GM_L1]);
    assert_true(d->split);
    int64_t sum = 0;
    for (int k = 0; k < EXPOSED_N; k++) {
        sum += d->part[k];
    }
    assert_int_equal(sum, entry.best.task);
    study_destroy(study);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(variants_of_a_run),
        TEST(another_baseline),
        TEST(runs_by_sizes),
        TEST(names_of_sides),
        TEST(targets_as_sides),
        TEST(a_shared_target),
        TEST(nothing_to_compare),
        TEST(ties),
        TEST(keys),
        TEST(same_by_name),
        TEST(same_by_fields),
        TEST(bad_rows),
        TEST(scales_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
