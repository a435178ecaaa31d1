/* text_csv_test.c - CSV reading, bad rows with their places, caps; and did-you-mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "text/csv.h"
#include "text/suggest.h"

struct fixture {
    struct arena arena;
    struct diag d;
    struct csv_table t;
    enum status status;
};

static void parse(struct fixture *f, const char *text)
{
    arena_init(&f->arena);
    diag_init(&f->d);
    f->status = csv_parse("t.csv", text, strlen(text), &f->arena, &f->t, &f->d);
}

static void done(struct fixture *f)
{
    arena_fini(&f->arena);
    diag_fini(&f->d);
}

static void fields_quotes_and_places(void **state)
{
    (void)state;
    struct fixture f;
    parse(&f, "\xEF\xBB\xBF# shapes\n M , N,name\r\n\n16, 32 ,\"a, \"\"b\"\"\"\r\n 1,,  \" x \" \n# note\n7,8,last");
    assert_int_equal(f.status, STATUS_OK);
    assert_int_equal(f.d.count, 0);
    assert_int_equal(f.t.columns, 3);
    assert_string_equal(f.t.header[0], "M");
    assert_string_equal(f.t.header[1], "N");
    assert_int_equal(f.t.count, 3);
    assert_string_equal(f.t.rows[0].fields[1], "32");
    assert_string_equal(f.t.rows[0].fields[2], "a, \"b\"");
    assert_int_equal(f.t.rows[0].line, 4);
    assert_int_equal(f.t.rows[0].cols[1], 5);
    assert_string_equal(f.t.rows[1].fields[0], "1");
    assert_string_equal(f.t.rows[1].fields[1], "");
    assert_string_equal(f.t.rows[1].fields[2], " x ");
    assert_string_equal(f.t.rows[2].fields[2], "last");
    const struct location at = csv_location(&f.t, 0, 1);
    assert_int_equal(at.line, 4);
    assert_int_equal(at.col, 5);
    assert_int_equal(at.len, 2);
    assert_int_equal(csv_column(&f.t, "name"), 2);
    assert_int_equal(csv_column(&f.t, "NAME"), 2);
    assert_int_equal(csv_column(&f.t, "K"), -1);
    done(&f);
}

static void line_break_in_quotes(void **state)
{
    (void)state;
    struct fixture f;
    parse(&f, "a,b\n\"x\ny\",2\n3,4\n");
    assert_int_equal(f.t.count, 2);
    assert_string_equal(f.t.rows[0].fields[0], "x\ny");
    assert_int_equal(f.t.rows[0].line, 2);
    assert_int_equal(f.t.rows[1].line, 4);
    done(&f);
}

static void bad_rows_are_reported_and_skipped(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        uint32_t line, col;
        const char *words;
    } cases[] = {
        {"1\n", 2, 1, "row has 1 field, the header has 2"},
        {"1,2,3\n", 2, 1, "row has 3 fields, the header has 2"},
        {"1,\"x\n", 2, 3, "not closed"},
        {"1,\"x\"y\n", 2, 6, "text after the closing quote"},
        {"1,x\"y\n", 2, 4, "a quote inside an unquoted field"},
        {"1,\xFF\n", 2, 3, "not UTF-8"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[128] = "a,b\n";
        strcat(text, cases[i].row);
        strcat(text, "8,9\n"); /* the row after the bad one is read */
        struct fixture f;
        parse(&f, text);
        assert_int_equal(f.status, STATUS_OK);
        const struct diag_message *m = f.d.count ? f.d.messages : NULL;
        if (f.t.bad != 1 || f.t.count != 1 || !m || m->line != cases[i].line || m->col != cases[i].col ||
            !strstr(m->text, cases[i].words) || !m->rule) {
            fail_msg("case %zu: %u:%u %s", i, m ? m->line : 0, m ? m->col : 0, m ? m->text : "none");
        }
        if (f.t.count) {
            assert_string_equal(f.t.rows[0].fields[1], "9");
        }
        done(&f);
    }
}

/* A quote too many costs its own row, whatever the file holds after it. */
static void a_bad_row_ends_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t rows, bad;
        const char *last; /* first field of the last row */
    } cases[] = {
        {"M,N\n16,\"256\n17,1\n18,2\n19,3\n", 3, 1, "19"},
        {"M,N\n16,\"256\n17,\"1\n18,2\n", 1, 2, "18"},
        {"M,N\n16,\"256\n17,\"1\"\n18,2\n", 2, 1, "18"},
        {"M,N\n16,\"256\r\n17,1\r\n18,\"2\"\r\n", 2, 1, "18"},
        {"M,N\n\"16\n17,1\n18,2\n", 2, 1, "18"},
        {"M,N\n16,\"256\n\n# a comment\n18,2", 1, 1, "18"},
        {"M,N\n16,\"2\n56\",3\n17,1\n", 1, 2, "17"},
        {"M,N\n16,\"2\n5\"6\n17,1\n", 1, 2, "17"},
        {"M,N\n16,\"256", 0, 1, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena arena;
        struct diag d;
        struct csv_table t;
        arena_init(&arena);
        diag_init(&d);
        assert_int_equal(csv_parse("q.csv", cases[i].text, strlen(cases[i].text), &arena, &t, &d), STATUS_OK);
        assert_int_equal(t.count, cases[i].rows);
        assert_int_equal(t.bad, cases[i].bad);
        assert_int_equal(d.errors, cases[i].bad);
        assert_int_equal(d.messages[0].line, 2);
        if (cases[i].last) {
            assert_string_equal(t.rows[t.count - 1].fields[0], cases[i].last);
        }
        for (size_t k = 0; k < t.count; k++) { /* places are those of the source */
            const struct location at = csv_location(&t, k, 0);
            const char *line = t.source;
            for (uint32_t n = 1; n < at.line; n++) {
                line = strchr(line, '\n') + 1;
            }
            assert_int_equal(strncmp(line + at.col - 1, t.rows[k].fields[0], strlen(t.rows[k].fields[0])), 0);
        }
        diag_fini(&d);
        arena_fini(&arena);
    }
}

static void bad_headers(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n\n", "# only\n", "a,b,a\n1,2,3\n", "\"a\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct fixture f;
        parse(&f, texts[i]);
        assert_int_equal(f.status, STATUS_INVALID);
        assert_int_equal(f.d.errors, 1);
        done(&f);
    }
}

static void column_cap(void **state)
{
    (void)state;
    for (unsigned extra = 0; extra < 2; extra++) {
        struct strbuf text;
        strbuf_init(&text);
        for (unsigned i = 0; i < LIMIT_CSV_COLUMNS + extra; i++) {
            strbuf_addf(&text, "%sc%u", i ? "," : "", i);
        }
        struct fixture f;
        parse(&f, strbuf_cstr(&text));
        assert_int_equal(f.status, extra ? STATUS_LIMIT : STATUS_OK);
        done(&f);
        strbuf_fini(&text);
    }
}

static void row_cap(void **state)
{
    (void)state;
    for (unsigned extra = 0; extra < 2; extra++) {
        struct strbuf text;
        strbuf_init(&text);
        strbuf_add(&text, "a\n");
        for (unsigned i = 0; i < LIMIT_CSV_ROWS + extra; i++) {
            strbuf_add_n(&text, "1\n", 2);
        }
        struct fixture f;
        parse(&f, strbuf_cstr(&text));
        assert_int_equal(f.status, extra ? STATUS_LIMIT : STATUS_OK);
        assert_int_equal(f.t.count, LIMIT_CSV_ROWS);
        done(&f);
        strbuf_fini(&text);
    }
}

static void byte_cap(void **state)
{
    (void)state;
    char *text = malloc(LIMIT_CSV_BYTES + 1);
    memset(text, 'x', LIMIT_CSV_BYTES + 1);
    struct fixture f;
    arena_init(&f.arena);
    diag_init(&f.d);
    assert_int_equal(csv_parse(NULL, text, LIMIT_CSV_BYTES, &f.arena, &f.t, &f.d), STATUS_OK);
    assert_int_equal(csv_parse(NULL, text, LIMIT_CSV_BYTES + 1, &f.arena, &f.t, &f.d), STATUS_LIMIT);
    done(&f);
    free(text);
}

static void missing_file(void **state)
{
    (void)state;
    struct fixture f;
    arena_init(&f.arena);
    diag_init(&f.d);
    assert_int_equal(csv_load(TESTS_DIR "/no/such.csv", &f.arena, &f.t, &f.d), STATUS_IO);
    done(&f);
}

static void suggestions(void **state)
{
    (void)state;
    static const char *const known[] = {"baseM", "baseN", "stepKa", "usedCoreNum", "M", NULL};
    static const struct {
        const char *word, *expected;
    } cases[] = {
        {"baseM", "baseM"},
        {"basem", "baseM"},
        {"bsaeM", "baseM"},
        {"baseK", "baseM"},
        {"tile_m", NULL},
        {"stepk", "stepKa"},
        {"used_core_num", "usedCoreNum"},
        {"m", "M"},
        {"q", NULL},
        {"", NULL},
        {"zzzzzz", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *got = suggest_word(cases[i].word, known);
        if (cases[i].expected ? !got || strcmp(got, cases[i].expected) != 0 : got != NULL) {
            fail_msg("%s -> %s", cases[i].word, got ? got : "none");
        }
    }
    char longest[200];
    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    assert_null(suggest_word(longest, known));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_quotes_and_places),
        cmocka_unit_test(line_break_in_quotes),
        cmocka_unit_test(bad_rows_are_reported_and_skipped),
        cmocka_unit_test(a_bad_row_ends_with_its_line),
        cmocka_unit_test(bad_headers),
        cmocka_unit_test(column_cap),
        cmocka_unit_test(row_cap),
        cmocka_unit_test(byte_cap),
        cmocka_unit_test(missing_file),
        cmocka_unit_test(suggestions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
