/* The `inputs` key: what its forms mean, what it changes in the key, and every
 * mistake with its place, words and rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/os.h"
#include "experiment/experiment.h"
#include "problem/input.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define HEAD        "target: ascend950pr_9589\n"

struct loaded {
    struct arena arena;
    struct diag diag;
    const struct experiment *e;
};

static void load(const char *text, const char *set, struct loaded *l)
{
    const char *const sets[] = {set, NULL};
    arena_init(&l->arena);
    diag_init(&l->diag);
    l->e = NULL;
    (void)experiment_parse("t.yaml", text, strlen(text), set != NULL ? sets : NULL, &l->arena, &l->e, &l->diag);
}

static void expect_good(const struct loaded *l)
{
    if (l->e == NULL) {
        struct strbuf sb;
        strbuf_init(&sb);
        diag_render(&l->diag, &sb);
        fail_msg("%s", strbuf_cstr(&sb));
    }
}

static void done(struct loaded *l)
{
    diag_fini(&l->diag);
    arena_fini(&l->arena);
}

/* ---- mistakes ---- */

struct bad {
    const char *inputs; /* from line 3, column 11 on */
    const char *expect; /* "line:col words", several by '|'; words of text, hint or rule */
};

static bool says(const char *part, const char *words, size_t len)
{
    return part != NULL && memmem(part, strlen(part), words, len) != NULL;
}

static bool found(const struct diag *d, const char *expect, size_t len)
{
    unsigned line, col;
    int at;
    assert_int_equal(sscanf(expect, "%u:%u %n", &line, &col, &at), 2);
    for (size_t i = 0; i < d->count; i++) {
        const struct diag_message *m = &d->messages[i];
        const char *words = expect + at;
        const size_t n = len - (size_t)at;
        if (m->line == line && m->col == col &&
            (says(m->text, words, n) || says(m->hint, words, n) || says(m->rule, words, n))) {
            return true;
        }
    }
    return false;
}

/* `rest`: further lines of the problem. */
static void check(const char *rest, const struct bad *bad)
{
    char text[2048];
    struct loaded l;
    size_t want = 0;
    snprintf(text, sizeof text, HEAD "problem:\n  inputs: %s\n%s", bad->inputs, rest);
    load(text, NULL, &l);
    bool good = l.e == NULL;
    for (const char *e = bad->expect; *e != '\0'; want++) {
        const size_t len = strcspn(e, "|");
        good = found(&l.diag, e, len) && good;
        e += len + (e[len] == '|');
    }
    if (!good || l.diag.errors != want) {
        struct strbuf sb;
        strbuf_init(&sb);
        diag_render(&l.diag, &sb);
        fail_msg("expected %zu: %s\n%s\n%s", want, bad->expect, text, strbuf_cstr(&sb));
    }
    done(&l);
}

static void write_floats(const char *path, const float *v, size_t n)
{
    struct diag d;
    diag_init(&d);
    assert_int_equal(os_write_file(path, v, n * sizeof *v, &d), STATUS_OK);
    diag_fini(&d);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct bad list[] = {
        {"gauss", "3:11 'gauss'"},
        {"norml", "3:11 did you mean 'normal'"},
        {"7", "3:11 '7'"},
        {"[normal, normal]", "3:11 expected a word or a map"},
        {"[]", "3:11 inputs is normal, uniform, or {A: .., B: ..}"},
        {"{}", "3:3 nothing is said of A|3:3 nothing is said of B"},
        {"{A: normal}", "3:3 nothing is said of B"},
        {"{B: normal, C: normal}", "3:23 unknown key 'C'|3:3 nothing is said of A"},
        {"{A: normal, B: nrmal}", "3:26 did you mean 'normal'"},
        {"{A: normal, B: {}}", "3:26 says neither dist nor file"},
        {"{A: normal, B: {seed: 3}}", "3:26 says neither dist nor file"},
        {"{A: normal, B: [1]}", "3:26 expected a map"},
        {"{A: normal, B: {dist: cauchy}}", "3:33 'cauchy'"},
        {"{A: normal, B: {dist: normal, sdt: 1}}", "3:41 did you mean 'std'"},
        {"{A: normal, B: {dist: normal, std: 0}}", "3:46 std: 0 is not positive"},
        {"{A: normal, B: {dist: normal, std: -1}}", "3:46 standard deviation"},
        {"{A: normal, B: {dist: normal, std: x}}", "3:46 'x' is not a number"},
        {"{A: normal, B: {dist: normal, mean: 1e16}}", "3:47 at most 1e+15"},
        {"{A: normal, B: {dist: normal, mean: [1]}}", "3:47 expected a number"},
        {"{A: normal, B: {dist: normal, low: 0}}", "3:41 dist: normal has mean, std and seed"},
        {"{A: normal, B: {dist: uniform, std: 1, mean: 0}}", "3:42 dist: uniform has low, high and seed|3:50 'mean'"},
        {"{A: normal, B: {dist: uniform, low: 1}}", "3:47 low 1 is not less than high 1"},
        {"{A: normal, B: {dist: uniform, high: -1}}", "3:48 between low and high"},
        {"{A: normal, B: {dist: uniform, low: 3, high: 2}}", "3:56 low 3 is not less than high 2"},
        {"{A: normal, B: {dist: normal, seed: -1}}", "3:47 seed"},
        {"{A: normal, B: {dist: normal, seed: 1.5}}", "3:47 seed"},
        {"{A: normal, B: {dist: normal, seed: 18446744073709551616}}", "3:47 seed"},
        {"{A: normal, B: {file: nowhere.f32}}", "3:33 there is no file 'nowhere.f32'"},
        {"{A: normal, B: {file: short.f32}}", "3:11 short.f32 has 12 bytes; 1 x 8 x 4 floats are 128"},
        {"{A: normal, B: {file: nan.f32}}", "3:11 element 5 is nan"},
        {"{A: {file: infinite.f32}, B: normal}", "3:11 element 2 is infinite"},
        {"{A: normal, B: {file: short.f32, seed: 1, dist: normal}}", "3:44 no other keys|3:53 'dist'"},
        {"{A: normal, B: {dist: normal, dist: uniform}}", "3:41 duplicate key 'dist'"},
    };
    float v[32] = {0};
    write_floats("short.f32", v, 3);
    v[5] = NAN;
    write_floats("nan.f32", v, 32);
    v[2] = -INFINITY;
    write_floats("infinite.f32", v, 16);
    for (size_t i = 0; i < COUNT(list); i++) {
        check("  M: 2\n  N: 4\n  K: 8\n", &list[i]);
    }
}

/* What the problem does not allow. */
static void wrong_problems(void **state)
{
    (void)state;
    static const struct {
        const char *rest;
        struct bad bad;
    } list[] = {
        {"  M: 4\n  N: 4\n  K: 8\n  A: {dtype: float, file: ok.f32}\n",
         {"normal", "3:11 inputs and a file of quantised data"}},
        {"  M: 4\n  N: 4\n  K: 8\n  B: {dtype: float, file: ok.f32}\n",
         {"normal", "3:11 inputs and a file of quantised data"}},
        {"  M: 2\n  N: 4\n  K: 8\n  dtype: int32\n", {"normal", "3:11 no quantisation to int32"}},
        {"  M: 2\n  N: 4\n  K: 8\n  dtype: uint8\n", {"normal", "3:11 uint8 has no numbers below 0"}},
        {"  M: 2\n  N: 4\n  K: 8\n  dtype: uint8\n",
         {"{A: {dist: uniform, low: 0, high: 1}, B: uniform}", "3:11 inputs of B: uint8"}},
        {"  M: 4\n  N: 4\n  K: 8\n  dtype: uint8\n",
         {"{A: {file: below.f32}, B: {dist: uniform, low: 0}}", "3:11 inputs of A: uint8"}},
        {"  M: 65536\n  N: 4\n  K: 65537\n", {"normal", "3:11 at most 4294967296"}},
        {"  M: 4\n  N: 65536\n  K: 65536\n  batch: 2\n", {"normal", "3:11 inputs of B: 2 x 65536 x 65536 elements"}},
        {"  M: [4, 8]\n  N: 4\n  K: 8\n", {"{A: {file: ok.f32}, B: normal}", "3:11 1 x 8 x 8 floats are 256"}},
        {"  op: conv\n  C: 16\n  H: 4\n  W: 4\n  Cout: 16\n  kh: 1\n  kw: 1\n", {"normal", "3:3 unknown key 'inputs'"}},
    };
    float v[32] = {0};
    write_floats("ok.f32", v, 32);
    v[31] = -1;
    write_floats("below.f32", v, 32);
    for (size_t i = 0; i < COUNT(list); i++) {
        check(list[i].rest, &list[i].bad);
    }
}

/* ---- forms ---- */

#define SIZES "M: 16, N: 32, K: 48"

static const struct input *input_of(const struct loaded *l, size_t cell, bool left)
{
    const struct problem *p = &l->e->cells[cell].problem;
    return left ? p->a.input : p->b.input;
}

static void forms(void **state)
{
    (void)state;
    struct loaded l;
    load(HEAD "problem: {" SIZES ", inputs: uniform}\nseed: 5\n", NULL, &l);
    expect_good(&l);
    for (int left = 0; left < 2; left++) {
        const struct input_spec *s = &input_of(&l, 0, left)->spec;
        assert_true(s->dist == INPUT_UNIFORM && s->low == -1 && s->high == 1 && s->seed == 5);
    }
    assert_int_equal(input_elements(input_of(&l, 0, true)), 16 * 48);
    assert_int_equal(input_elements(input_of(&l, 0, false)), 48 * 32);
    assert_null(input_of(&l, 0, true)->block);
    done(&l);

    load(HEAD "problem:\n  M: 16\n  N: 32\n  K: 48\n  dtype: mx_fp8_e5m2\n  batch: 3\n"
              "  inputs: {A: {dist: normal, mean: -2, std: 0.5, seed: 9}, B: {dist: uniform, low: 0}}\n",
         NULL, &l);
    expect_good(&l);
    const struct input_spec *a = &input_of(&l, 0, true)->spec, *b = &input_of(&l, 0, false)->spec;
    assert_true(a->dist == INPUT_NORMAL && a->mean == -2 && a->std == 0.5 && a->seed == 9);
    assert_true(b->dist == INPUT_UNIFORM && b->low == 0 && b->high == 1 && b->seed == 1);
    assert_int_equal(input_blocks(input_of(&l, 0, true)), 3 * 16 * 2);
    assert_int_equal(input_blocks(input_of(&l, 0, false)), 3 * 32 * 2);
    assert_non_null(input_of(&l, 0, true)->block);
    assert_ptr_equal(l.e->cells[0].problem.scale_b.input, input_of(&l, 0, false));
    done(&l);
}

/* The cap is a promise: 2^32 elements are taken. */
static void cap(void **state)
{
    (void)state;
    struct loaded l;
    load(HEAD "problem: {M: 65536, N: 16, K: 65536, inputs: normal}\n", NULL, &l);
    expect_good(&l);
    assert_true(input_elements(input_of(&l, 0, true)) == LIMIT_INPUT_ELEMENTS);
    done(&l);
}

/* Variants of one problem read one source, whatever their dtype. */
static void variants_share(void **state)
{
    (void)state;
    struct loaded l;
    load(HEAD "problem: {" SIZES ", inputs: {A: normal, B: normal}, C: {dtype: float}}\n"
              "variants:\n"
              "- {name: mx, set: {dtype: mx_fp8_e4m3}}\n"
              "- {name: turned, set: {A.transpose: true}}\n"
              "- {name: wide, set: {inputs.B: {dist: normal, std: 2}}}\n"
              "- {name: longer, set: {K: 64}}\n",
         NULL, &l);
    expect_good(&l);
    assert_int_equal(l.e->count, 5);
    for (size_t i = 1; i < 3; i++) {
        assert_ptr_equal(input_of(&l, i, true), input_of(&l, 0, true));
        assert_ptr_equal(input_of(&l, i, false), input_of(&l, 0, false));
    }
    assert_ptr_equal(input_of(&l, 3, true), input_of(&l, 0, true));
    assert_ptr_not_equal(input_of(&l, 3, false), input_of(&l, 0, false));
    assert_ptr_not_equal(input_of(&l, 4, true), input_of(&l, 0, true));
    done(&l);
}

/* Rows of a table of shapes have inputs of their own size; a file fits some. */
static void shapes(void **state)
{
    (void)state;
    struct diag d;
    struct loaded l;
    float v[32] = {0};
    diag_init(&d);
    assert_int_equal(os_write_file("shapes.csv", "M,N,K\n4,8,8\n8,8,8\n", 18, &d), STATUS_OK);
    write_floats("ok.f32", v, 32);
    load(HEAD "problem: {shapes: shapes.csv, inputs: {A: {file: ok.f32}, B: normal}}\n", NULL, &l);
    expect_good(&l);
    assert_int_equal(l.e->count, 2);
    assert_null(l.e->cells[0].failed);
    assert_non_null(input_of(&l, 0, true));
    assert_non_null(l.e->cells[1].failed);
    assert_non_null(strstr(l.e->cells[1].failed, "1 x 8 x 8 floats are 256"));
    done(&l);
    diag_fini(&d);
}

/* ---- the key ---- */

static uint64_t key_of(const char *inputs)
{
    char text[512];
    struct loaded l;
    snprintf(text, sizeof text, HEAD "problem: {M: 4, N: 8, K: 8%s%s}\n", inputs[0] != '\0' ? ", inputs: " : "",
             inputs);
    load(text, NULL, &l);
    expect_good(&l);
    const uint64_t key = l.e->key;
    done(&l);
    return key;
}

static void keys(void **state)
{
    (void)state;
    float v[32] = {0};
    write_floats("ok.f32", v, 32);
    const char *const same[] = {"normal", "{A: normal, B: normal}",
                                "{A: {dist: normal, mean: 0}, B: {std: 1, dist: normal, seed: 1}}"};
    const char *const differ[] = {"",
                                  "normal",
                                  "uniform",
                                  "{A: normal, B: uniform}",
                                  "{A: {dist: normal, mean: 1e-9}, B: normal}",
                                  "{A: {dist: normal, std: 2}, B: normal}",
                                  "{A: normal, B: {dist: normal, std: 2}}",
                                  "{A: {dist: normal, seed: 2}, B: normal}",
                                  "{A: {file: ok.f32}, B: normal}"};
    for (size_t i = 1; i < COUNT(same); i++) {
        assert_true(key_of(same[i]) == key_of(same[0]));
    }
    for (size_t i = 0; i < COUNT(differ); i++) {
        for (size_t j = 0; j < i; j++) {
            assert_true(key_of(differ[i]) != key_of(differ[j]));
        }
    }
    /* An edited file is another experiment. */
    const uint64_t before = key_of(differ[8]);
    v[7] = 1;
    write_floats("ok.f32", v, 32);
    assert_true(key_of(differ[8]) != before);
}

/* Not in the way of others' files. */
static int own_directory(void **state)
{
    static char name[] = "/tmp/inputs_XXXXXX";
    *state = name;
    return mkdtemp(name) == NULL || chdir(name) != 0;
}

static int remove_directory(void **state)
{
    return chdir("/") != 0 || os_remove_tree(*state, NULL) != STATUS_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes), cmocka_unit_test(wrong_problems), cmocka_unit_test(forms),
        cmocka_unit_test(cap),      cmocka_unit_test(variants_share), cmocka_unit_test(shapes),
        cmocka_unit_test(keys),
    };
    return cmocka_run_group_tests(tests, own_directory, remove_directory);
}
