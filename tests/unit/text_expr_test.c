/* text_expr_test.c - values, every refused spelling with its place, caps at n and n + 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/limits.h"
#include "base/rng.h"
#include "text/expr.h"
#include "text/yaml_tree.h"

static const char *const names[] = {"baseM", "baseN", "A.ld", "zero", "big", NULL};
static const int64_t vars[] = {64, 256, 48, 0, INT64_MAX};

static enum status compile(const char *text, struct arena *arena, struct expr **e, struct diag *d)
{
    arena_init(arena);
    diag_init(d);
    return expr_compile(text, NULL, names, arena, e, d);
}

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"1", 1},
        {" 2 + 3 * 4 ", 14},
        {"(2 + 3) * 4", 20},
        {"10 - 3 - 2", 5},
        {"100 / 7 % 5", 4},
        {"-7 / 2", -3},
        {"-7 % 2", -1},
        {"- - 3", 3},
        {"-(3)*2", -6},
        {"!0 + !5", 1},
        {"!!7", 1},
        {"baseM*baseN <= 32768", 1},
        {"baseM == baseN", 0},
        {"baseM != baseN", 1},
        {"A.ld > 47", 1},
        {"A.ld >= 49", 0},
        {"1 < 2 == 3 < 4", 1},
        {"0 || 5", 1},
        {"7 && 5", 1},
        {"0 && 5", 0},
        {"1 || 0 && 0", 1},
        {"(1 || 0) && 0", 0},
        {"zero != 0 && 1 / zero == 2", 0},
        {"zero == 0 || 1 / zero == 2", 1},
        {"1 && 2 && 3", 1},
        {"0 || 0 || 0", 0},
        {"min(3, 2) + max(3, 2)", 5},
        {"ceil_div(7, 2)", 4},
        {"ceil_div(-7, 2)", -3},
        {"ceil_div(big, 2)", INT64_MAX / 2 + 1},
        {"align_up(baseM + 1, 16)", 80},
        {"min(max(1, 2), 5) * 2", 4},
        {"9223372036854775807", INT64_MAX},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena arena;
        struct diag d;
        struct expr *e = NULL;
        int64_t v = -99;
        if (compile(cases[i].text, &arena, &e, &d) != STATUS_OK || expr_eval(e, vars, &v) != STATUS_OK ||
            v != cases[i].value) {
            fail_msg("%s gave %lld: %s", cases[i].text, (long long)v, d.count ? d.messages[0].text : "");
        }
        diag_fini(&d);
        arena_fini(&arena);
    }
}

static void results_that_do_not_exist(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "1 / zero",       "1 % zero",        "big + 1",          "-big - 2",
        "big * 2",        "(-big - 1) / -1", "(-big - 1) % -1",  "-(-big - 1)",
        "ceil_div(1, 0)", "align_up(1, -1)", "align_up(big, 2)", "zero == 0 && 1 / zero == 1",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena arena;
        struct diag d;
        struct expr *e = NULL;
        int64_t v;
        assert_int_equal(compile(cases[i], &arena, &e, &d), STATUS_OK);
        /* Overflow and division by zero are told apart. */
        const bool divides = strstr(cases[i], " zero") != NULL || strstr(cases[i], ", 0") != NULL ||
                             strstr(cases[i], ", -1") != NULL;
        if (expr_eval(e, vars, &v) != (divides ? STATUS_INVALID : STATUS_LIMIT)) {
            fail_msg("%s evaluated", cases[i]);
        }
        diag_fini(&d);
        arena_fini(&arena);
    }
}

static void bad_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t col;
        const char *words, *hint;
    } cases[] = {
        {"", 1, "ends where a value", NULL},
        {"1 +", 4, "ends where a value", NULL},
        {"baseM = 3", 7, "found '='", "did you mean '=='?"},
        {"baseM & 3", 7, "found '&'", "did you mean '&&'?"},
        {"baseM | 3", 7, "found '|'", "did you mean '||'?"},
        {"16 <= baseM <= 256", 13, "do not chain", "write a <= b && b <= c"},
        {"1 == 1 == 1", 8, "do not chain", "write a == b && b == c"},
        {"basem > 1", 1, "unknown name 'basem'", "did you mean 'baseM'?"},
        {"1 + qqqqq", 5, "unknown name 'qqqqq'", NULL},
        {"baseM and 1", 7, "expected an operator", NULL},
        {"not baseM", 1, "unknown name 'not'", "write !"},
        {"sqrt(4)", 1, "unknown function 'sqrt'", "known here: min, max, ceil_div, align_up"},
        {"min(4)", 6, "min takes two values", NULL},
        {"min(4, 5, 6)", 9, "expected ')'", NULL},
        {"(1 + 2", 7, "expected ')'", NULL},
        {"1 + 2)", 6, "found ')'", NULL},
        {"010", 1, "not an integer", NULL},
        {"64KB", 1, "'64KB' is not an integer", NULL},
        {"1.5", 1, "not an integer", NULL},
        {"1e3", 1, "not an integer", NULL},
        {"0x10", 1, "not an integer", NULL},
        {"9223372036854775808", 1, "does not fit", NULL},
        {"* 3", 1, "expected a value, found '*'", NULL},
        {"1 2", 3, "expected an operator", NULL},
        {"#", 1, "expected a value", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena arena;
        struct diag d;
        struct expr *e = NULL;
        const enum status st = compile(cases[i].text, &arena, &e, &d);
        const struct diag_message *m = d.count ? d.messages : NULL;
        if (st != STATUS_INVALID || e || !m || m->col != cases[i].col || !strstr(m->text, cases[i].words) ||
            (cases[i].hint ? !m->hint || strcmp(m->hint, cases[i].hint) != 0 : m->hint != NULL)) {
            fail_msg("'%s': col %u: %s, hint %s", cases[i].text, m ? m->col : 0, m ? m->text : "none",
                     m && m->hint ? m->hint : "none");
        }
        diag_fini(&d);
        arena_fini(&arena);
    }
}

/* Repeats `unit` n times, then `end`. */
static enum status compile_repeated(const char *unit, size_t n, const char *end)
{
    struct strbuf text;
    struct arena arena;
    struct diag d;
    struct expr *e;
    strbuf_init(&text);
    for (size_t i = 0; i < n; i++) {
        strbuf_add(&text, unit);
    }
    strbuf_add(&text, end);
    const enum status st = compile(strbuf_cstr(&text), &arena, &e, &d);
    diag_fini(&d);
    arena_fini(&arena);
    strbuf_fini(&text);
    return st;
}

static void caps(void **state)
{
    (void)state;
    /* A chain of k additions is 2k + 1 operations; the unary ! makes it even. */
    assert_int_equal(compile_repeated("1+", LIMIT_EXPR_NODES / 2 - 1, "!1"), STATUS_OK);
    assert_int_equal(compile_repeated("1+", LIMIT_EXPR_NODES / 2, "1"), STATUS_LIMIT);
    assert_int_equal(compile_repeated("-", LIMIT_EXPR_DEPTH - 1, "1"), STATUS_OK);
    assert_int_equal(compile_repeated("-", LIMIT_EXPR_DEPTH, "1"), STATUS_LIMIT);
    assert_int_equal(compile_repeated("(", 100000, ""), STATUS_LIMIT);
    /* 3 values wait per level of "1+1*(": 128 is over at level 64 if depth does not stop it before. */
    struct strbuf text;
    strbuf_init(&text);
    for (int i = 0; i < 42; i++) {
        strbuf_add(&text, "1==1+1*(");
    }
    strbuf_add(&text, "1*1");
    for (int i = 0; i < 42; i++) {
        strbuf_add(&text, ")");
    }
    struct arena arena;
    struct diag d;
    struct expr *e;
    int64_t v;
    assert_int_equal(compile(strbuf_cstr(&text), &arena, &e, &d), STATUS_OK); /* 3 * 42 + 2 = 128 values */
    assert_int_equal(expr_eval(e, vars, &v), STATUS_OK);
    diag_fini(&d);
    arena_fini(&arena);
    char *inner = strstr(text.text, "1*1");
    memcpy(inner, "1+2", 3);
    strbuf_fini(&text);
    strbuf_init(&text);
    for (int i = 0; i < 42; i++) {
        strbuf_add(&text, "1==1+1*(");
    }
    strbuf_add(&text, "1+1*1");
    for (int i = 0; i < 42; i++) {
        strbuf_add(&text, ")");
    }
    assert_int_equal(compile(strbuf_cstr(&text), &arena, &e, &d), STATUS_LIMIT);
    diag_fini(&d);
    arena_fini(&arena);
    strbuf_fini(&text);
}

static void places_inside_a_yaml_file(void **state)
{
    (void)state;
    static const char text[] = "where:\n  - \"baseM + oops\"\n  - baseM + oops\n";
    struct arena arena;
    struct diag d;
    struct yaml_node *root;
    struct expr *e;
    arena_init(&arena);
    diag_init(&d);
    assert_int_equal(yaml_tree_parse("w.yaml", text, strlen(text), &arena, &root, &d), STATUS_OK);
    for (const struct yaml_node *n = root->child->child; n; n = n->next) {
        assert_int_equal(expr_compile(n->scalar, &n->at, names, &arena, &e, &d), STATUS_INVALID);
    }
    assert_int_equal(d.messages[0].line, 2);
    assert_int_equal(d.messages[0].col, 14);
    assert_int_equal(d.messages[0].len, 4);
    assert_int_equal(d.messages[1].line, 3);
    assert_int_equal(d.messages[1].col, 13);
    diag_fini(&d);
    arena_fini(&arena);
}

static void variables_in_use(void **state)
{
    (void)state;
    struct arena arena;
    struct diag d;
    struct expr *e;
    assert_int_equal(compile("baseM + A.ld", &arena, &e, &d), STATUS_OK);
    assert_true(expr_uses(e, 0));
    assert_false(expr_uses(e, 1));
    assert_true(expr_uses(e, 2));
    diag_fini(&d);
    arena_fini(&arena);
}

/* Random bytes of the grammar's alphabet: no crash, and any program evaluates within its stack. */
static void random_texts(void **state)
{
    (void)state;
    static const char *const words[] = {"1", "0", "baseM", "zero", "(",  ")",  "+",    "-", "*", "/",
                                        "%", "!", "==",    "<",    "&&", "||", "min(", ",", " ", "big"};
    struct rng r = rng_init(7);
    for (int round = 0; round < 20000; round++) {
        struct strbuf text;
        struct arena arena;
        struct diag d;
        struct expr *e;
        int64_t v;
        strbuf_init(&text);
        for (uint64_t n = rng_below(&r, 12); n > 0; n--) {
            strbuf_add(&text, words[rng_below(&r, sizeof(words) / sizeof(words[0]))]);
        }
        if (compile(strbuf_cstr(&text), &arena, &e, &d) == STATUS_OK) {
            const enum status st = expr_eval(e, vars, &v);
            assert_true(st == STATUS_OK || st == STATUS_LIMIT || st == STATUS_INVALID);
        } else {
            assert_true(d.errors == 1);
        }
        diag_fini(&d);
        arena_fini(&arena);
        strbuf_fini(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),       cmocka_unit_test(results_that_do_not_exist), cmocka_unit_test(bad_texts),
        cmocka_unit_test(caps),         cmocka_unit_test(places_inside_a_yaml_file), cmocka_unit_test(variables_in_use),
        cmocka_unit_test(random_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
