/* base_core_test.c - statuses, arenas, strings, diagnostics, arithmetic, random numbers, hashes, embedded files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/embed.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "base/limits.h"
#include "base/os.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "base/utf8.h"

static void statuses(void **state)
{
    (void)state;
    static const int codes[STATUS_N] = {0, 1, 2, 2, 2, 3, 3, 130};
    for (int i = 0; i < STATUS_N; i++) {
        assert_int_equal(status_exit_code((enum status)i), codes[i]);
        assert_true(strlen(status_name((enum status)i)) > 1);
    }
    assert_string_equal(status_name(STATUS_N), "unknown");
    assert_int_equal(status_exit_code(STATUS_N), 3);
}

static void arenas(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    unsigned char *first = arena_alloc(&a, 10, 3);
    assert_int_equal((uintptr_t)first % 64, 0);
    memset(first, 0xAB, 30);
    assert_non_null(arena_alloc(&a, 0, 8));
    /* Larger than any block so far; earlier pointers stay valid. */
    unsigned char *big = arena_alloc(&a, 1 << 20, 1);
    assert_int_equal(big[0] | big[(1 << 20) - 1], 0);
    assert_int_equal(first[29], 0xAB);
    assert_true(a.used >= (1 << 20) + 64);
    memset(big, 0xCD, 1 << 20);
    arena_reset(&a);
    assert_int_equal(a.used, 0);
    unsigned char *again = arena_alloc(&a, 1 << 20, 1); /* from the block kept, zeroed */
    assert_ptr_equal(again, big);
    assert_int_equal(again[0] | again[(1 << 20) - 1], 0);
    assert_null(arena_alloc(&a, SIZE_MAX / 2, 3));
    assert_null(arena_alloc(&a, SIZE_MAX, 1));
    assert_null(arena_alloc(&a, LIMIT_ARENA_REQUEST + 1, 1));
    assert_null(arena_strndup(&a, "x", SIZE_MAX));
    assert_string_equal(arena_strdup(&a, "word"), "word");
    assert_string_equal(arena_strndup(&a, "word", 2), "wo");
    arena_fini(&a);
    arena_fini(&a);
    arena_reset(&a);
}

static void arena_pieces_do_not_overlap(void **state)
{
    (void)state;
    enum { N = 3000 };
    static unsigned char *pieces[N];
    static size_t sizes[N];
    struct arena a;
    struct rng r = rng_init(1);
    arena_init(&a);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            sizes[i] = rng_below(&r, 1000);
            pieces[i] = arena_alloc(&a, sizes[i], 1);
            memset(pieces[i], i & 255, sizes[i]);
        }
        for (int i = 0; i < N; i++) {
            for (size_t j = 0; j < sizes[i]; j++) {
                assert_int_equal(pieces[i][j], i & 255);
            }
        }
        arena_reset(&a);
    }
    arena_fini(&a);
}

static void strings(void **state)
{
    (void)state;
    struct strbuf sb;
    strbuf_init(&sb);
    assert_string_equal(strbuf_cstr(&sb), "");
    strbuf_add(&sb, "");
    strbuf_add(&sb, "ab");
    strbuf_addf(&sb, "%d-%s", 7, "x");
    assert_string_equal(strbuf_cstr(&sb), "ab7-x");
    /* At and around the capacity, where formatting must be repeated. */
    for (int width = 50; width < 70; width++) {
        strbuf_fini(&sb);
        strbuf_addf(&sb, "%*d", width, 5);
        assert_int_equal(sb.len, width);
        assert_int_equal(sb.text[width - 1], '5');
        assert_int_equal(sb.text[width], 0);
    }
    strbuf_addf(&sb, "%5000d", 1);
    assert_int_equal(sb.len, 5069);
    strbuf_clear(&sb);
    assert_string_equal(strbuf_cstr(&sb), "");
    strbuf_add(&sb, "again");
    sb.failed = true; /* as after a failed allocation: all calls are no-ops */
    strbuf_add(&sb, "x");
    strbuf_addf(&sb, "x");
    assert_string_equal(strbuf_cstr(&sb), "again");
    strbuf_fini(&sb);
}

static void string_too_long_fails_and_stays_failed(void **state)
{
    (void)state;
    struct strbuf sb;
    strbuf_init(&sb);
    strbuf_add(&sb, "a");
    strbuf_add_n(&sb, "x", SIZE_MAX - 1);
    assert_true(sb.failed);
    assert_string_equal(strbuf_cstr(&sb), "a");
    strbuf_fini(&sb);
}

static void quoting(void **state)
{
    (void)state;
    static const struct {
        const char *text, *json, *csv;
    } cases[] = {
        {"", "\"\"", ""},
        {"plain", "\"plain\"", "plain"},
        {"a\"b\\c", "\"a\\\"b\\\\c\"", "\"a\"\"b\\c\""},
        {"\n\t\r\b\f\x01\x7F", "\"\\n\\t\\r\\b\\f\\u0001\\u007f\"", "\"\n\t\r\b\f\x01\x7F\""},
        {"a,b", "\"a,b\"", "\"a,b\""},
        {" a", "\" a\"", "\" a\""},
        {"\"", "\"\\\"\"", "\"\"\"\""},
        {"\xC3\xA9", "\"\xC3\xA9\"", "\xC3\xA9"},
        {"\xFF!", "\"\\ufffd!\"", "\xFF!"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct strbuf json;
        struct strbuf csv;
        strbuf_init(&json);
        strbuf_init(&csv);
        strbuf_add_json(&json, cases[i].text);
        strbuf_add_csv(&csv, cases[i].text);
        assert_string_equal(strbuf_cstr(&json), cases[i].json);
        assert_string_equal(strbuf_cstr(&csv), cases[i].csv);
        strbuf_fini(&json);
        strbuf_fini(&csv);
    }
}

static void utf8(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len, step;
    } cases[] = {
        {"a", 1, 1},
        {"", 0, 0},
        {"\xC3\xA9", 2, 2},
        {"\xC3\xA9", 1, 0},
        {"\xC1\x80", 2, 0},
        {"\x80", 1, 0},
        {"\xE0\x9F\xBF", 3, 0},
        {"\xE0\xA0\x80", 3, 3},
        {"\xED\x9F\xBF", 3, 3},
        {"\xED\xA0\x80", 3, 0},
        {"\xF0\x8F\xBF\xBF", 4, 0},
        {"\xF0\x90\x80\x80", 4, 4},
        {"\xF4\x8F\xBF\xBF", 4, 4},
        {"\xF4\x90\x80\x80", 4, 0},
        {"\xF5\x80\x80\x80", 4, 0},
        {"\xE2\x28\xA1", 3, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(utf8_step(cases[i].bytes, cases[i].len), cases[i].step);
    }
}

static void check_render(const struct diag *d, const char *expected)
{
    struct strbuf out;
    strbuf_init(&out);
    diag_render(d, &out);
    assert_string_equal(strbuf_cstr(&out), expected);
    strbuf_fini(&out);
}

static void messages_look_like_a_compilers(void **state)
{
    (void)state;
    struct diag d;
    diag_init(&d);
    assert_int_equal(diag_status(&d), STATUS_OK);
    const struct location at = {
        .file = "c.yaml", .source = "a: 1\n\tb\xC3\xA9: wrong # x\n", .line = 2, .col = 7, .len = 5};
    diag_warning(&d, NULL, "odd");
    assert_int_equal(diag_status(&d), STATUS_OK);
    assert_int_equal(diag_error(&d, STATUS_LIMIT, &at, "value '%s'", "wrong"), STATUS_LIMIT);
    diag_hint(&d, "try %d", 3);
    diag_rule(&d, "r%d", 1);
    diag_hint(&d, "try %d", 4); /* replaces */
    diag_note(&d, &(struct location){.file = "only.yaml"}, "line\n\x1b[31m");
    diag_error(&d, STATUS_IO, &(struct location){.file = "f", .line = 9, .col = 2}, "no text");
    assert_int_equal(diag_status(&d), STATUS_LIMIT);
    assert_int_equal(d.errors, 2);
    check_render(&d, "warning: odd\n"
                     "c.yaml:2:7: error: value 'wrong'\n"
                     "    2 | \tb\xC3\xA9: wrong # x\n"
                     "      | \t    ^~~~~\n"
                     "  hint: try 4\n"
                     "  rule: r1\n"
                     "only.yaml: note: line\\n\\x1b[31m\n"
                     "f:9:2: error: no text\n");
    diag_fini(&d);
}

static void carets_at_line_ends_and_beyond(void **state)
{
    (void)state;
    struct diag d;
    diag_init(&d);
    diag_error(&d, STATUS_INVALID, &(struct location){.file = "f", .source = "ab", .line = 1, .col = 3, .len = 1},
               "end");
    diag_error(&d, STATUS_INVALID, &(struct location){.file = "f", .source = "ab", .line = 1, .col = 99, .len = 9},
               "far");
    diag_error(&d, STATUS_INVALID, &(struct location){.file = "f", .source = "ab", .line = 7, .col = 1}, "no line");
    diag_error(&d, STATUS_INVALID,
               &(struct location){.file = "f",
                                  .source = "a\x01\xFF"
                                            "b",
                                  .line = 1,
                                  .col = 4},
               "odd");
    check_render(&d, "f:1:3: error: end\n    1 | ab\n      |   ^\n"
                     "f:1:99: error: far\n    1 | ab\n      |   ^\n"
                     "f:7:1: error: no line\n"
                     "f:1:4: error: odd\n    1 | a?\?b\n      |    ^\n");
    diag_fini(&d);
}

static void long_lines_are_cut_around_the_place(void **state)
{
    (void)state;
    struct strbuf line;
    struct diag d;
    strbuf_init(&line);
    diag_init(&d);
    for (int i = 0; i < 10000; i++) {
        strbuf_add(&line, "\xC3\xA9");
    }
    const struct location at = {.file = "f", .source = line.text, .line = 1, .col = 9001, .len = 2};
    diag_error(&d, STATUS_INVALID, &at, "x");
    assert_true(strlen(d.messages[0].source_line) <= LIMIT_DIAG_LINE);
    assert_int_equal((unsigned char)d.messages[0].source_line[0], 0xC3);
    assert_true(d.messages[0].caret < LIMIT_DIAG_LINE);
    diag_fini(&d);
    strbuf_fini(&line);
}

static void message_cap(void **state)
{
    (void)state;
    struct diag d;
    diag_init(&d);
    for (unsigned i = 0; i < LIMIT_DIAG_MESSAGES; i++) {
        diag_warning(&d, NULL, "w%u", i);
    }
    diag_hint(&d, "kept");
    assert_int_equal(d.count, LIMIT_DIAG_MESSAGES);
    assert_int_equal(d.dropped, 0);
    diag_error(&d, STATUS_IO, NULL, "one too many");
    diag_hint(&d, "belongs to the dropped one");
    assert_int_equal(d.count, LIMIT_DIAG_MESSAGES);
    assert_int_equal(d.dropped, 1);
    assert_int_equal(d.errors, 1);
    assert_int_equal(diag_status(&d), STATUS_IO);
    assert_string_equal(d.messages[LIMIT_DIAG_MESSAGES - 1].hint, "kept");
    struct strbuf out;
    strbuf_init(&out);
    diag_render(&d, &out);
    assert_non_null(strstr(strbuf_cstr(&out), "note: 1 more message not shown\n"));
    strbuf_fini(&out);
    diag_fini(&d);
    assert_int_equal(diag_error(NULL, STATUS_IO, NULL, "lost"), STATUS_IO);
    diag_hint(NULL, "lost");
    diag_rule(NULL, "lost");
}

static void arithmetic(void **state)
{
    (void)state;
    assert_int_equal(ceil_div(0, 5), 0);
    assert_int_equal(ceil_div(10, 5), 2);
    assert_int_equal(ceil_div(11, 5), 3);
    assert_int_equal(align_up(33, 32), 64);
    assert_int_equal(gcd_i64(12, 18), 6);
    assert_int_equal(gcd_i64(7, 0), 7);
    assert_int_equal(lcm_i64(4, 6), 12);
    int64_t v;
    assert_true(mul_ok(INT64_MAX / 2, 2, &v));
    assert_false(mul_ok(INT64_MAX / 2 + 1, 2, &v));
    assert_true(add_ok(INT64_MAX - 1, 1, &v));
    assert_false(add_ok(INT64_MAX, 1, &v));
}

static void random_numbers(void **state)
{
    (void)state;
    /* Published first outputs of splitmix64 for seed 1234567. */
    struct rng r = rng_init(1234567);
    assert_true(rng_next(&r) == 6457827717110365317ULL);
    assert_true(rng_next(&r) == 3203168211198807973ULL);
    assert_true(rng_at(1234567, 2) == 9817491932198370423ULL);
    unsigned seen[7] = {0};
    for (int i = 0; i < 70000; i++) {
        seen[rng_below(&r, 7)]++;
        const int64_t v = rng_between(&r, -3, 3);
        assert_true(v >= -3 && v <= 3);
        const double u = rng_unit(&r);
        assert_true(u >= 0 && u < 1);
    }
    for (int i = 0; i < 7; i++) {
        assert_true(seen[i] > 9500 && seen[i] < 10500);
    }
    assert_int_equal(rng_below(&r, 1), 0);
    (void)rng_between(&r, INT64_MIN, INT64_MAX);
}

static void hashes(void **state)
{
    (void)state;
    /* Published vectors: FNV-1a 64 of "", "a", "foobar"; XXH3-64 of "". */
    assert_true(fnv1a("", 0) == 0xCBF29CE484222325ULL);
    assert_true(fnv1a("a", 1) == 0xAF63DC4C8601EC8CULL);
    assert_true(fnv1a("foobar", 6) == 0x85944171F73967E8ULL);
    assert_true(fnv1a_add(fnv1a("foo", 3), "bar", 3) == 0x85944171F73967E8ULL);
    assert_true(hash_bytes(NULL, 0) == 0x2D06800538D394C2ULL);
    char text[5000];
    struct rng r = rng_init(3);
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = (char)rng_next(&r);
    }
    struct hash_stream *h = hash_stream_create();
    for (int round = 0; round < 50; round++) {
        hash_stream_reset(h);
        const size_t len = rng_below(&r, sizeof(text) + 1);
        for (size_t at = 0; at < len;) {
            const size_t n = 1 + rng_below(&r, len - at);
            hash_stream_add(h, text + at, n);
            at += n;
        }
        assert_true(hash_stream_value(h) == hash_bytes(text, len));
    }
    hash_stream_destroy(h);
    hash_stream_destroy(NULL);
}

static void embedded(void **state)
{
    (void)state;
    assert_null(embedded_find("no/such.yaml"));
    assert_null(embedded_at(embedded_count()));
    for (size_t i = 0; i < embedded_count(); i++) {
        const struct embedded_file *f = embedded_at(i);
        assert_ptr_equal(embedded_find(f->path), f);
        assert_int_equal(f->bytes[f->len], 0);
        /* The same bytes as in the repository. */
        struct strbuf path;
        struct strbuf text;
        strbuf_init(&path);
        strbuf_init(&text);
        const bool plot = strncmp(f->path, "gnuplot/", 8) == 0;
        strbuf_addf(&path, REPO_DIR "/%s/%s", plot ? "scripts" : "configs", f->path);
        assert_int_equal(os_read_file(strbuf_cstr(&path), LIMIT_YAML_BYTES, &text, NULL), STATUS_OK);
        assert_int_equal(text.len, f->len);
        assert_memory_equal(strbuf_cstr(&text), f->bytes, f->len);
        strbuf_fini(&path);
        strbuf_fini(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses),
        cmocka_unit_test(arenas),
        cmocka_unit_test(arena_pieces_do_not_overlap),
        cmocka_unit_test(strings),
        cmocka_unit_test(string_too_long_fails_and_stays_failed),
        cmocka_unit_test(quoting),
        cmocka_unit_test(utf8),
        cmocka_unit_test(messages_look_like_a_compilers),
        cmocka_unit_test(carets_at_line_ends_and_beyond),
        cmocka_unit_test(long_lines_are_cut_around_the_place),
        cmocka_unit_test(message_cap),
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(random_numbers),
        cmocka_unit_test(hashes),
        cmocka_unit_test(embedded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
