/* text_yaml_test.c - trees, every refused YAML case with its place, caps at n and n + 1, readers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "text/yaml_tree.h"

struct fixture {
    struct arena arena;
    struct diag diag;
    struct yaml_node *root;
    enum status status;
};

static void parse_n(struct fixture *f, const char *text, size_t len)
{
    arena_init(&f->arena);
    diag_init(&f->diag);
    f->status = yaml_tree_parse("t.yaml", text, len, &f->arena, &f->root, &f->diag);
}

static void parse(struct fixture *f, const char *text)
{
    parse_n(f, text, strlen(text));
}

static void done(struct fixture *f)
{
    arena_fini(&f->arena);
    diag_fini(&f->diag);
}

static void tree_has_places_kinds_and_keys(void **state)
{
    (void)state;
    struct fixture f;
    parse(&f, "# head\nname: half\ntarget: [a1, \"b 2\"]\nproblem:\n  M: 2048\n  A: {dtype: half}\n\xC3\xA9t\xC3\xA9: "
              "\xC3\xA9x\n");
    assert_int_equal(f.status, STATUS_OK);
    assert_int_equal(f.root->kind, YAML_NODE_MAP);
    assert_int_equal(f.root->count, 4);
    const struct yaml_node *target = yaml_get(f.root, "target");
    assert_int_equal(target->kind, YAML_NODE_LIST);
    assert_int_equal(target->at.line, 3);
    assert_int_equal(target->at.col, 9);
    assert_int_equal(target->count, 2);
    assert_string_equal(target->child->scalar, "a1");
    assert_false(target->child->quoted);
    assert_true(target->child->next->quoted);
    assert_int_equal(target->child->next->at.col, 14);
    assert_int_equal(target->child->next->at.len, 5);
    const struct yaml_node *m = yaml_get(yaml_get(f.root, "problem"), "M");
    assert_int_equal(m->at.line, 5);
    assert_int_equal(m->at.col, 6);
    assert_int_equal(m->at.len, 4);
    assert_int_equal(m->key_at.col, 3);
    assert_string_equal(m->key, "M");
    /* Columns are bytes, not characters. */
    const struct yaml_node *wide = yaml_get(f.root, "\xC3\xA9t\xC3\xA9");
    assert_int_equal(wide->at.line, 7);
    assert_int_equal(wide->at.col, 8);
    assert_int_equal(wide->at.len, 3);
    assert_null(yaml_get(f.root, "absent"));
    assert_null(yaml_get(m, "x"));
    assert_null(yaml_get(NULL, "x"));
    done(&f);
}

static void good_texts_are_taken(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a: 1",
        "---\na: 1\n...\n",
        "\xEF\xBB\xBF\x61: 1\n",
        "a: 1\r\nb: 2\r\n",
        "[1, 2]",
        "word",
        "\"\"",
        "a:\n",
        "a: |\n  x\n  y\n",
        "%YAML 1.1\n---\na: 1\n",
        "a: {}\nb: []\n",
        "a: 'it''s'\n",
        "{a: 1, b: {a: 1}}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct fixture f;
        parse(&f, texts[i]);
        if (f.status != STATUS_OK) {
            fail_msg("refused: %s", texts[i]);
        }
        assert_int_equal(f.diag.count, 0);
        done(&f);
    }
}

static void bad_texts_are_refused_with_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, col;
        const char *words;
    } cases[] = {
        {"", 1, 1, "empty"},
        {"# only a comment\n", 1, 1, "empty"},
        {"---\n", 1, 1, "empty"},
        {"---\n...\n", 1, 1, "empty"},
        {"a: 1\nb: 2\na: 3\n", 3, 1, "duplicate key 'a'"},
        {"x: {k: 1, \"k\": 2}\n", 1, 11, "duplicate key 'k'"},
        {"a: 1\n---\nb: 2\n", 2, 1, "second document"},
        {"a: 1\n...\nb: 2\n", 3, 1, "did not find expected <document start>"},
        {"a: &x 1\n", 1, 4, "anchor '&x'"},
        {"a: &x [1]\n", 1, 4, "anchor '&x'"},
        {"a: &x {k: 1}\n", 1, 4, "anchor '&x'"},
        {"a: *x\n", 1, 4, "alias '*x'"},
        {"*x : 1\n", 1, 1, "alias '*x'"},
        {"<<: {a: 1}\n", 1, 1, "merge key '<<'"},
        {"a: !!str 1\n", 1, 4, "tag 'tag:yaml.org,2002:str'"},
        {"a: !mine 1\n", 1, 4, "tag '!mine'"},
        {"a: !!seq [1]\n", 1, 4, "tag"},
        {"a: !!map {k: 1}\n", 1, 4, "tag"},
        {"%TAG ! tag:x,2000:\n---\na: 1\n", 1, 1, "%TAG"},
        {"? [1]\n: 2\n", 1, 3, "a list cannot be a key"},
        {"? {a: 1}\n: 2\n", 1, 3, "a map cannot be a key"},
        {": 1\n", 1, 1, "did not find expected key"},
        {"'': 1\n", 1, 1, "empty key"},
        {"a: \"x\\0y\"\n", 1, 4, "NUL character in 'x'"},
        {"\"x\\0y\": 1\n", 1, 1, "NUL character in key 'x'"},
        {"ok: 1\nbad: \xFF\n", 2, 6, "byte 0xff is not UTF-8"},
        {"a: \xC3\n", 1, 4, "byte 0xc3 is not UTF-8"},
        {"a: \xC0\x80\n", 1, 4, "byte 0xc0 is not UTF-8"},
        {"a: \xED\xA0\x80\n", 1, 4, "byte 0xed is not UTF-8"},
        {"\xFE\xFF", 1, 1, "byte 0xfe is not UTF-8"},
        {"a: \x01\n", 1, 4, "character 0x01"},
        {"a: b\x7F\n", 1, 5, "character 0x7f"},
        {"a: x\xC2\x85y\xC2\x81\n", 1, 8, "character 0xc2"},
        {"a:\n\t- 1\n", 2, 1, "cannot start any token"},
        {"a: 1\nb: [1, 2\nc: 3\n", 3, 2, "did not find expected ',' or ']'"},
        {"a: {k: 1\nc: 3\n", 2, 2, "did not find expected ',' or '}'"},
        {"a: b: c\n", 1, 5, "mapping values are not allowed"},
        {"a: 1\nb\nc: 2\n", 3, 1, "could not find expected ':'"},
        {"  a: 1\n b: 2\n", 2, 2, "did not find expected"},
        {"a: 'open\n", 2, 1, "unexpected end of stream"},
        {"a: @x\n", 1, 4, "cannot start any token"},
        {"a: \"\\q\"\n", 1, 5, "unknown escape character"},
        {"a: ]\n", 1, 4, "YAML syntax"},
        {"%YAML 3.0\n---\na: 1\n", 1, 1, "incompatible YAML document"},
    };
    int bad = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        parse(&f, cases[i].text);
        const struct diag_message *m = f.diag.count ? &f.diag.messages[0] : NULL;
        /* Wrong keys, anchors and tags leave a tree, so that the rest can be judged. */
        static const char *const kept[] = {"duplicate key", "anchor",    "merge key", "tag",
                                           "%TAG",          "empty key", "in key"};
        bool keeps = false;
        for (size_t k = 0; k < sizeof(kept) / sizeof(kept[0]); k++) {
            keeps |= m && strstr(m->text, kept[k]) != NULL;
        }
        if (f.status != STATUS_INVALID || (f.root != NULL) != keeps || !m || m->line != cases[i].line ||
            m->col != cases[i].col || !strstr(m->text, cases[i].words) || !m->rule) {
            bad++;
            print_error("case %zu: status %s at %u:%u: %s", i, status_name(f.status), m ? m->line : 0, m ? m->col : 0,
                        m ? m->text : "no message");
            print_error("\n");
        }
        done(&f);
    }
    assert_int_equal(bad, 0);
}

static void nul_byte_is_refused(void **state)
{
    (void)state;
    struct fixture f;
    parse_n(&f, "a: \0b", 5);
    assert_int_equal(f.status, STATUS_INVALID);
    assert_non_null(strstr(f.diag.messages[0].text, "character 0x00"));
    done(&f);
}

static void all_errors_in_one_run(void **state)
{
    (void)state;
    struct fixture f;
    parse(&f, "a: &x 1\nb: *x\na: !t 2\n<<: {}\n");
    assert_int_equal(f.status, STATUS_INVALID);
    assert_int_equal(f.diag.errors, 5);
    done(&f);
}

static void flow_error_shows_where_the_list_began(void **state)
{
    (void)state;
    struct fixture f;
    parse(&f, "a: 1\nb: [1, 2\nc: 3\n");
    assert_int_equal(f.diag.count, 2);
    assert_int_equal(f.diag.messages[1].level, DIAG_NOTE);
    assert_int_equal(f.diag.messages[1].line, 2);
    assert_int_equal(f.diag.messages[1].col, 4);
    assert_non_null(f.diag.messages[0].hint);
    done(&f);
}

static void depth_cap(void **state)
{
    (void)state;
    for (unsigned extra = 0; extra < 2; extra++) {
        const size_t n = LIMIT_YAML_DEPTH + extra;
        char text[2 * LIMIT_YAML_DEPTH + 8];
        memset(text, '[', n);
        memset(text + n, ']', n);
        struct fixture f;
        parse_n(&f, text, 2 * n);
        assert_int_equal(f.status, extra ? STATUS_LIMIT : STATUS_OK);
        if (extra) {
            assert_int_equal(f.diag.messages[0].col, n);
        }
        done(&f);
    }
    /* 100,000 deep is 33 s of libyaml unless it is stopped early. */
    char *deep = malloc(100000);
    memset(deep, '[', 100000);
    struct fixture f;
    parse_n(&f, deep, 100000);
    assert_int_equal(f.status, STATUS_LIMIT);
    done(&f);
    free(deep);
}

static void node_cap(void **state)
{
    (void)state;
    for (size_t extra = 0; extra < 2; extra++) {
        struct strbuf text;
        strbuf_init(&text);
        strbuf_add(&text, "[");
        for (size_t i = 0; i < LIMIT_YAML_NODES - 1 + extra; i++) {
            strbuf_add(&text, i % 100 ? "1," : "1,\n");
        }
        strbuf_add(&text, "]");
        struct fixture f;
        parse_n(&f, text.text, text.len);
        assert_int_equal(f.status, extra ? STATUS_LIMIT : STATUS_OK);
        if (!extra) {
            assert_int_equal(f.root->count, LIMIT_YAML_NODES - 1);
        }
        done(&f);
        strbuf_fini(&text);
    }
}

static void byte_cap(void **state)
{
    (void)state;
    char *text = malloc(LIMIT_YAML_BYTES + 1);
    memset(text, ' ', LIMIT_YAML_BYTES + 1);
    memcpy(text, "a: 1\n#", 6);
    struct fixture f;
    parse_n(&f, text, LIMIT_YAML_BYTES);
    assert_int_equal(f.status, STATUS_OK);
    done(&f);
    parse_n(&f, text, LIMIT_YAML_BYTES + 1);
    assert_int_equal(f.status, STATUS_LIMIT);
    done(&f);
    free(text);
}

static void many_keys_are_not_quadratic(void **state)
{
    (void)state;
    struct strbuf text;
    strbuf_init(&text);
    for (unsigned i = 0; i < 90000; i++) {
        strbuf_addf(&text, "k%x: \n", i);
    }
    strbuf_add(&text, "k7: 1\n");
    struct fixture f;
    parse_n(&f, text.text, text.len);
    assert_int_equal(f.status, STATUS_INVALID);
    assert_int_equal(f.diag.errors, 1);
    assert_int_equal(f.diag.messages[0].line, 90001);
    done(&f);
    strbuf_fini(&text);
}

static void file_is_loaded_or_missing(void **state)
{
    (void)state;
    struct arena arena;
    struct diag d;
    struct yaml_node *root;
    arena_init(&arena);
    diag_init(&d);
    assert_int_equal(yaml_tree_load(TESTS_DIR "/no/such.yaml", &arena, &root, &d), STATUS_IO);
    assert_null(root);
    assert_int_equal(d.errors, 1);
    diag_fini(&d);
    arena_fini(&arena);
}

/* ---- readers ---- */

static void bad_integers(void **state)
{
    (void)state;
    static const struct {
        const char *value, *words, *hint;
    } cases[] = {
        {"010", "leading zero", "write 10"},
        {"-007", "leading zero", "write -7"},
        {"00", "leading zero", "write 0"},
        {"0x10", "is not decimal", "write 16"},
        {"-0b11", "is not decimal", "write -3"},
        {"0o17", "is not decimal", "write 15"},
        {"1_000", "digit separators", "write 1000"},
        {"1e3", "exponent", "write 1000"},
        {"1.5e3", "exponent", "write 1500"},
        {"1.5", "not a whole number", NULL},
        {"64KB", "has a unit", "write 65536"},
        {"1 MiB", "has a unit", "write 1048576"},
        {"12x", "has 'x' after the number", NULL},
        {"+5", "'+' sign", "write 5"},
        {"many", "not an integer", NULL},
        {"-x", "not an integer", NULL},
        {"\"7\"", "quoted", "write 7 without quotes"},
        {"''", "quoted", NULL},
        {"[1]", "expected an integer, found a list", NULL},
        {"{a: 1}", "expected an integer, found a map", NULL},
        {"", "the value is missing", NULL},
        {"101", "out of range", NULL},
        {"-6", "out of range", NULL},
        {"99999999999999999999", "out of range", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];
        snprintf(text, sizeof(text), "baseM: %s\n", cases[i].value);
        struct fixture f;
        parse(&f, text);
        assert_int_equal(f.status, STATUS_OK);
        int64_t v = 77;
        const enum status st = yaml_read_int(f.root->child, NULL, -5, 100, &v, &f.diag);
        const struct diag_message *m = f.diag.count ? f.diag.messages : NULL;
        if (st != STATUS_INVALID || v != 77 || !m || !strstr(m->text, cases[i].words) || !strstr(m->text, "baseM") ||
            !m->rule || m->line != 1 ||
            (cases[i].hint ? !m->hint || strcmp(m->hint, cases[i].hint) != 0 : m->hint != NULL)) {
            fail_msg("case %s: %s, hint %s", cases[i].value, m ? m->text : "no message",
                     m && m->hint ? m->hint : "none");
        }
        done(&f);
    }
}

static void good_integers(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        int64_t expected;
    } cases[] = {{"0", 0},
                 {"-0", 0},
                 {"7", 7},
                 {"-5", -5},
                 {"9223372036854775807", INT64_MAX},
                 {"-9223372036854775808", INT64_MIN}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        parse(&f, cases[i].value);
        int64_t v = 77;
        assert_int_equal(yaml_read_int(f.root, "x", INT64_MIN, INT64_MAX, &v, &f.diag), STATUS_OK);
        assert_true(v == cases[i].expected);
        done(&f);
    }
}

static void reals(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        double expected; /* -1: refused */
    } cases[] = {{"1", 1},      {"0.5", 0.5}, {"1.5e-3", 1.5e-3}, {"2E2", 200}, {"0", 0},
                 {".5", -1},    {"5.", -1},   {"01", -1},         {"nan", -1},  {".inf", -1},
                 {"1e999", -1}, {"'1'", -1},  {"1.2.3", -1},      {"1.5x", -1}, {"[1]", -1},
                 {"0x1p3", -1}, {"+1", -1},   {"1.e5", -1},       {"", -1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];
        snprintf(text, sizeof(text), "v: %s\n", cases[i].value);
        struct fixture f;
        parse(&f, text);
        double v = -1;
        const enum status st = yaml_read_real(f.root->child, NULL, &v, &f.diag);
        if (v != cases[i].expected || (st == STATUS_OK) != (cases[i].expected >= 0)) {
            fail_msg("real '%s' gave %g", cases[i].value, v);
        }
        done(&f);
    }
}

static void booleans_and_text(void **state)
{
    (void)state;
    struct fixture f;
    parse(&f, "a: true\nb: false\nc: yes\nd: \"true\"\ne: ''\nf:\ng: 12\nh: [1]\n");
    bool v = false;
    assert_int_equal(yaml_read_bool(yaml_get(f.root, "a"), NULL, &v, &f.diag), STATUS_OK);
    assert_true(v);
    assert_int_equal(yaml_read_bool(yaml_get(f.root, "b"), NULL, &v, &f.diag), STATUS_OK);
    assert_false(v);
    assert_int_equal(yaml_read_bool(yaml_get(f.root, "c"), NULL, &v, &f.diag), STATUS_INVALID);
    assert_string_equal(f.diag.messages[0].hint, "write true");
    assert_int_equal(yaml_read_bool(yaml_get(f.root, "d"), NULL, &v, &f.diag), STATUS_INVALID);
    const char *text = NULL;
    assert_int_equal(yaml_read_text(yaml_get(f.root, "e"), NULL, &text, &f.diag), STATUS_OK);
    assert_string_equal(text, "");
    assert_int_equal(yaml_read_text(yaml_get(f.root, "f"), NULL, &text, &f.diag), STATUS_INVALID);
    assert_int_equal(yaml_read_text(yaml_get(f.root, "g"), NULL, &text, &f.diag), STATUS_OK);
    assert_string_equal(text, "12");
    assert_int_equal(yaml_read_text(yaml_get(f.root, "h"), NULL, &text, &f.diag), STATUS_INVALID);
    done(&f);
}

static void unknown_keys(void **state)
{
    (void)state;
    static const char *const known[] = {"baseM", "baseN", "where", NULL};
    struct fixture f;
    parse(&f, "baseM: 1\nbasem_: 2\nzzz: 3\n");
    assert_int_equal(yaml_reject_unknown(f.root, known, "tiling", &f.diag), STATUS_INVALID);
    assert_int_equal(f.diag.count, 2);
    assert_string_equal(f.diag.messages[0].text, "unknown key 'basem_' in tiling");
    assert_string_equal(f.diag.messages[0].hint, "did you mean 'baseM'?");
    assert_int_equal(f.diag.messages[0].line, 2);
    assert_string_equal(f.diag.messages[1].hint, "known here: baseM, baseN, where");
    assert_int_equal(yaml_reject_unknown(f.root->child, known, NULL, &f.diag), STATUS_INVALID);
    done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_has_places_kinds_and_keys),
        cmocka_unit_test(good_texts_are_taken),
        cmocka_unit_test(bad_texts_are_refused_with_place),
        cmocka_unit_test(nul_byte_is_refused),
        cmocka_unit_test(all_errors_in_one_run),
        cmocka_unit_test(flow_error_shows_where_the_list_began),
        cmocka_unit_test(depth_cap),
        cmocka_unit_test(node_cap),
        cmocka_unit_test(byte_cap),
        cmocka_unit_test(many_keys_are_not_quadratic),
        cmocka_unit_test(file_is_loaded_or_missing),
        cmocka_unit_test(bad_integers),
        cmocka_unit_test(good_integers),
        cmocka_unit_test(reals),
        cmocka_unit_test(booleans_and_text),
        cmocka_unit_test(unknown_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
