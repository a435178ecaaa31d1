/* target_error_test.c - target files of a user: paths, extends, and every
 * mistake with its place, rule and suggestion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/os.h"
#include "target/target.h"

struct fixture {
    struct arena arena;
    struct diag diag;
    struct strbuf text; /* rendered messages of the last load */
    char dir[32];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return -1;
    }
    arena_init(&f->arena);
    diag_init(&f->diag);
    strbuf_init(&f->text);
    (void)strcpy(f->dir, "/tmp/target_test_XXXXXX");
    *state = f;
    return mkdtemp(f->dir) != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    const enum status status = os_remove_tree(f->dir, NULL);
    arena_fini(&f->arena);
    diag_fini(&f->diag);
    strbuf_fini(&f->text);
    free(f);
    return status == STATUS_OK ? 0 : -1;
}

static const char *path_in(struct fixture *f, const char *name)
{
    char *path = arena_alloc(&f->arena, strlen(f->dir) + strlen(name) + 2, 1);
    (void)sprintf(path, "%s/%s", f->dir, name);
    return path;
}

static void put(struct fixture *f, const char *name, const char *text)
{
    assert_int_equal(os_write_file(path_in(f, name), text, strlen(text), NULL), STATUS_OK);
}

static enum status load(struct fixture *f, const char *name, const struct target **out)
{
    diag_fini(&f->diag);
    diag_init(&f->diag);
    strbuf_clear(&f->text);
    const enum status status = target_load(name, NULL, &f->arena, out, &f->diag);
    diag_render(&f->diag, &f->text);
    return status;
}

/* A file of this text fails with this status; the messages hold all `words`. */
static void expect_error(struct fixture *f, const char *text, enum status expected, const char *const *words)
{
    const struct target *t = NULL;
    put(f, "t.yaml", text);
    assert_int_equal(load(f, path_in(f, "t.yaml"), &t), expected);
    assert_null(t);
    for (size_t i = 0; words[i] != NULL; i++) {
        if (strstr(strbuf_cstr(&f->text), words[i]) == NULL) {
            fail_msg("\"%s\" not in:\n%s", words[i], strbuf_cstr(&f->text));
        }
    }
}

#define EXPECT(f, text, ...) expect_error(f, text, STATUS_INVALID, (const char *const[]){__VA_ARGS__, NULL})
#define BASE                 "title: mine\nextends: ascend910b1\n"
#define LEAF(value, unit)    "{value: " value ", unit: " unit ", source: \"a test\", confidence: assumed}"

static void a_path_overrides_and_extends_a_stock_target(void **state)
{
    struct fixture *f = *state;
    const struct target *stock;
    const struct target *t;
    /* same name as the stock target: a file of its own, no cycle */
    put(f, "ascend910b1.yaml",
        BASE
        "chip:\n  cores: " LEAF("4", "count") "\ntiming:\n  sync:\n    value: 9.25\n    unit: cycles\n"
                                              "    source: my board\n    confidence: measured\n    rows: [X1, X2]\n");
    assert_int_equal(load(f, "ascend910b1", &stock), STATUS_OK);
    assert_int_equal(load(f, path_in(f, "ascend910b1.yaml"), &t), STATUS_OK);
    assert_string_equal(t->name, "ascend910b1");
    assert_string_equal(t->title, "mine");
    assert_string_equal(t->family, "ascend910b1 < ascend910b1 < family_2201 < family_core_a2 < family_common");
    assert_int_equal(t->cores, 4);
    assert_true(t->timing.sync == 9.25);
    assert_true(t->timing.mmad_latency == stock->timing.mmad_latency);
    const struct target_fact *fact = target_fact(t, "timing.sync");
    assert_string_equal(fact->file, path_in(f, "ascend910b1.yaml"));
    assert_string_equal(fact->source, "my board");
    assert_string_equal(fact->rows, "X1,X2");
    assert_int_equal(fact->line, 7);
    assert_string_equal(target_fact(t, "timing.mmad_issue")->file, "configs/targets/family_core_a2.yaml");
    assert_true(t->fingerprint != stock->fingerprint);
}

static void a_relative_extends_starts_at_its_file(void **state)
{
    struct fixture *f = *state;
    const struct target *t;
    put(f, "a.yaml", "title: a\nextends: ./b.yaml\n");
    put(f, "b.yaml", BASE "chip:\n  cores: " LEAF("7", "count") "\n");
    assert_int_equal(load(f, path_in(f, "a.yaml"), &t), STATUS_OK);
    assert_int_equal(t->cores, 7);
    assert_string_equal(t->title, "a");
}

static void same_numbers_give_the_same_fingerprint(void **state)
{
    struct fixture *f = *state;
    const struct target *stock;
    const struct target *t;
    put(f, "copy.yaml", BASE "chip:\n  cores: " LEAF("24", "count") "\n");
    assert_int_equal(load(f, "ascend910b1", &stock), STATUS_OK);
    assert_int_equal(load(f, path_in(f, "copy.yaml"), &t), STATUS_OK);
    assert_true(t->fingerprint == stock->fingerprint);
}

static void unknown_names(void **state)
{
    struct fixture *f = *state;
    const struct target *t = NULL;
    assert_int_equal(load(f, "ascend910b11", &t), STATUS_INVALID);
    assert_non_null(strstr(strbuf_cstr(&f->text), "did you mean 'ascend910b1'?"));
    assert_int_equal(load(f, "ascend910b", &t), STATUS_INVALID);
    assert_non_null(strstr(strbuf_cstr(&f->text), "ascend910b3"));
    assert_int_equal(load(f, "", &t), STATUS_INVALID);
    assert_non_null(strstr(strbuf_cstr(&f->text), "unknown target ''"));
    assert_int_equal(load(f, path_in(f, "none.yaml"), &t), STATUS_IO);
    assert_int_equal(load(f, "family_2201", &t), STATUS_INVALID);
    assert_non_null(strstr(strbuf_cstr(&f->text), "a family is no chip"));
    assert_int_equal(load(f, "950DT", &t), STATUS_INVALID);
    assert_non_null(strstr(strbuf_cstr(&f->text), "targets that begin so: ascend950dt_"));
    assert_int_equal(load(f, "911B1", &t), STATUS_INVALID);
    assert_non_null(strstr(strbuf_cstr(&f->text), "did you mean 'ascend910b1'?"));
    EXPECT(f, "title: x\nextends: ascend911b1\n", "t.yaml:2:10: error: unknown target 'ascend911b1'",
           "did you mean 'ascend910b1'?");
    assert_null(t);
}

/* Names as documents, data and people write them are those of files. */
static void short_names(void **state)
{
    struct fixture *f = *state;
    static const char *const names[][2] = {{"910B1", "ascend910b1"},           {"950PR", "ascend950pr_9589"},
                                           {"950pr", "ascend950pr_9589"},      {"A3", "ascend910c"},
                                           {"Ascend910B4-1", "ascend910b4_1"}, {"950PR_9589", "ascend950pr_9589"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct target *t = NULL;
        assert_int_equal(load(f, names[i][0], &t), STATUS_OK);
        assert_string_equal(t->name, names[i][1]);
    }
}

static void a_message_stands_where_the_name_does(void **state)
{
    struct fixture *f = *state;
    const struct target *t = NULL;
    const struct location at = {.file = "c.yaml", .source = "target: nope\n", .line = 1, .col = 9, .len = 4};
    assert_int_equal(target_load("nope", &at, &f->arena, &t, &f->diag), STATUS_INVALID);
    diag_render(&f->diag, &f->text);
    assert_non_null(strstr(strbuf_cstr(&f->text), "c.yaml:1:9: error: unknown target 'nope'"));
}

static void cycles_and_long_chains(void **state)
{
    struct fixture *f = *state;
    const struct target *t = NULL;
    EXPECT(f, "title: x\nextends: ./t.yaml\n", "extends itself");
    put(f, "u.yaml", "title: u\nextends: v.yaml\n");
    put(f, "v.yaml", "title: v\nextends: u.yaml\n");
    assert_int_equal(load(f, path_in(f, "u.yaml"), &t), STATUS_INVALID);
    assert_non_null(strstr(strbuf_cstr(&f->text), "v.yaml:2:10: error: 'u' extends itself"));
    /* depth: LIMIT_EXTENDS_DEPTH steps are fine, one more is not */
    char name[16];
    char text[64];
    for (unsigned i = 0; i <= LIMIT_EXTENDS_DEPTH + 1; i++) {
        (void)sprintf(name, "d%u.yaml", i);
        (void)sprintf(text, "title: d\nextends: d%u.yaml\n", i + 1);
        put(f, name, i <= LIMIT_EXTENDS_DEPTH ? text : "title: end\n");
    }
    assert_int_equal(load(f, path_in(f, "d0.yaml"), &t), STATUS_LIMIT);
    assert_int_equal(load(f, path_in(f, "d1.yaml"), &t), STATUS_INVALID); /* not too deep, only empty */
    assert_non_null(strstr(strbuf_cstr(&f->text), "is not complete"));
}

static void unknown_keys_have_suggestions(void **state)
{
    struct fixture *f = *state;
    EXPECT(f, BASE "timing:\n  mmad_latancy: " LEAF("61", "cycles") "\n",
           "t.yaml:4:3: error: unknown key 'mmad_latancy'", "did you mean 'mmad_latency'?");
    EXPECT(f, BASE "chips:\n  cores: " LEAF("4", "count") "\n", "unknown key 'chips'", "did you mean 'chip'?");
    EXPECT(f, BASE "cube:\n  rate:\n    hlf: " LEAF("4", "MAC/cycle") "\n", "unknown key 'hlf'",
           "did you mean 'half'?");
    EXPECT(f, BASE "timing:\n  sync: {value: 1, unit: cycles, sorce: x, confidence: assumed}\n", "unknown key 'sorce'",
           "did you mean 'source'?", "'source' is missing");
    EXPECT(f, BASE "inherited: {confidence: assumed, sources: x}\n", "unknown key 'sources'");
}

static void missing_keys_are_listed_at_once(void **state)
{
    struct fixture *f = *state;
    EXPECT(f, "extends: family_2201\n", "7 keys are missing",
           "chip.validation, chip.cores, chip.clock, chip.l2, timing.l2_rate, timing.hbm_nd, timing.hbm");
    assert_int_equal(f->diag.errors, 1);
    /* a key that is there but wrong is not missing as well */
    EXPECT(f, "extends: family_2201\nchip:\n  cores: " LEAF("4", "cycles") "\n", "6 keys are missing",
           "chip.cores: unit");
    EXPECT(f, "# nothing\nchip:\n  cores: " LEAF("4", "count") "\n", "title, chip.product");
}

static void leaves_that_are_wrong(void **state)
{
    struct fixture *f = *state;
    EXPECT(f, BASE "timing:\n  sync: " LEAF("1", "us") "\n", "t.yaml:4:26: error: timing.sync: unit 'us'",
           "read in 'cycles'");
    EXPECT(f, BASE "timing:\n  sync: 6.5\n", "timing.sync: a bare value", "every number");
    EXPECT(f, BASE "timing:\n  sync: {value: 1, unit: cycles, source: x, confidence: guess}\n",
           "unknown confidence 'guess'", "measured, document, platform or assumed");
    EXPECT(f, BASE "timing:\n  sync: {value: 1, unit: cycles, source: x, confidence: asumed}\n",
           "did you mean 'assumed'?");
    EXPECT(f, BASE "timing:\n  sync: {value: 1, unit: cycles, source: \"\", confidence: assumed}\n",
           "'source' is empty");
    EXPECT(f, BASE "timing:\n  sync: {}\n", "'value' is missing", "'unit' is missing", "'source' is missing",
           "'confidence' is missing");
    EXPECT(f, BASE "timing:\n  sync: " LEAF("fast", "cycles") "\n", "timing.sync");
    EXPECT(f, BASE "timing:\n  sync: " LEAF("-1", "cycles") "\n", "0 or more");
    EXPECT(f, BASE "timing:\n  hbm: " LEAF("0", "TB/s") "\n", "above 0");
    EXPECT(f, BASE "timing:\n  hbm_core_share: " LEAF("1.5", "ratio") "\n", "at most 1");
    EXPECT(f, BASE "chip:\n  cores: " LEAF("0", "count") "\n", "chip.cores");
    EXPECT(f, BASE "chip:\n  cores: " LEAF("2.5", "count") "\n", "chip.cores");
    EXPECT(f, BASE "chip:\n  cores: " LEAF("3000000000", "count") "\n", "chip.cores");
    EXPECT(f, BASE "chip:\n  l0a_nz: " LEAF("1", "flag") "\n", "chip.l0a_nz");
    EXPECT(f, BASE "chip:\n  product: " LEAF("ascend910c", "name") "\n", "unknown product 'ascend910c'",
           "did you mean 'ascend910");
    EXPECT(f, BASE "timing:\n  align_bytes: " LEAF("[1, 2, 3]", "B") "\n", "a list of 4 numbers");
    EXPECT(f, BASE "timing:\n  align_bytes: " LEAF("7", "B") "\n", "a list of 4 numbers");
    EXPECT(f, BASE "timing:\n  sync: {value: 1, unit: cycles, source: x, confidence: measured, rows: R001}\n",
           "rows is a list");
}

static void files_that_are_no_target(void **state)
{
    struct fixture *f = *state;
    EXPECT(f, "- a\n", "a map of keys");
    EXPECT(f, BASE "timing: 3\n", "'timing' is a group");
    EXPECT(f, BASE "timing:\n  sync: " LEAF("1", "cycles") "\n  sync: " LEAF("2", "cycles") "\n",
           "duplicate key 'sync'");
    EXPECT(f, BASE "title: again\n", "duplicate key 'title'");
    EXPECT(f, "title: x\nextends: [a, b]\n", "extends");
    EXPECT(f, BASE "inherited: 3\n", "'inherited' is a map");
    EXPECT(f, "", "t.yaml");
}

static void all_mistakes_in_one_run(void **state)
{
    struct fixture *f = *state;
    EXPECT(f,
           BASE "timing:\n  sync: " LEAF("1", "us") "\n  sink: 3\n  hbm: " LEAF("-1", "TB/s") "\n"
                                                                                              "buffers:\n  L1: " LEAF(
                                                                                                  "512KB", "B") "\n",
           "timing.sync: unit", "unknown key 'sink'", "timing.hbm", "buffers.L1");
    assert_int_equal(f->diag.errors, 4);
    /* and without a diag the status is the same */
    const struct target *t = NULL;
    assert_int_equal(target_load(path_in(f, "t.yaml"), NULL, &f->arena, &t, NULL), STATUS_INVALID);
    assert_null(t);
}

static void inherited_weakens_but_never_strengthens(void **state)
{
    struct fixture *f = *state;
    const struct target *t;
    put(f, "t.yaml",
        BASE "inherited: {confidence: platform, source: \"another chip\"}\ntiming:\n  sync: {value: 1, unit: "
             "cycles, source: x, confidence: measured}\n");
    assert_int_equal(load(f, path_in(f, "t.yaml"), &t), STATUS_OK);
    assert_int_equal(target_fact(t, "timing.sync")->confidence, CONFIDENCE_MEASURED);
    assert_int_equal(target_fact(t, "timing.mmad_latency")->confidence, CONFIDENCE_PLATFORM);
    assert_non_null(strstr(target_fact(t, "timing.mmad_latency")->source, "another chip; there: read"));
    assert_int_equal(target_fact(t, "timing.tile_barrier")->confidence, CONFIDENCE_ASSUMED);
    assert_int_equal(target_fact(t, "buffers.L1")->confidence, CONFIDENCE_DOCUMENT);
}

static void reading_may_fail(void **state)
{
    struct fixture *f = *state;
    const struct target *t = NULL;
    put(f, "t.yaml", BASE);
    os_fault_set(1);
    assert_int_equal(load(f, path_in(f, "t.yaml"), &t), STATUS_IO);
    os_fault_set(0);
    assert_null(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_path_overrides_and_extends_a_stock_target, setup, teardown),
        cmocka_unit_test_setup_teardown(a_relative_extends_starts_at_its_file, setup, teardown),
        cmocka_unit_test_setup_teardown(same_numbers_give_the_same_fingerprint, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_names, setup, teardown),
        cmocka_unit_test_setup_teardown(short_names, setup, teardown),
        cmocka_unit_test_setup_teardown(a_message_stands_where_the_name_does, setup, teardown),
        cmocka_unit_test_setup_teardown(cycles_and_long_chains, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_keys_have_suggestions, setup, teardown),
        cmocka_unit_test_setup_teardown(missing_keys_are_listed_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(leaves_that_are_wrong, setup, teardown),
        cmocka_unit_test_setup_teardown(files_that_are_no_target, setup, teardown),
        cmocka_unit_test_setup_teardown(all_mistakes_in_one_run, setup, teardown),
        cmocka_unit_test_setup_teardown(inherited_weakens_but_never_strengthens, setup, teardown),
        cmocka_unit_test_setup_teardown(reading_may_fail, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
