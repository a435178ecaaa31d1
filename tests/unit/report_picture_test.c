/* report_picture_test.c - what goes into scripts and data, and where texts stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/picture.h"
#include "report/plot_axis.h"
#include "report/plot_kinds.h"

static void test_quotes(void **state)
{
    (void)state;
    struct picture p;
    picture_init(&p, "x", 10, 10);
    picture_text(&p, "a", "it's\n\"so\" \\n `date`");
    picture_real(&p, "b", -0.5);
    picture_real(&p, "c", 0.0 / 1.0 * -1.0);
    picture_real(&p, "d", 1e300 * 1e300);
    assert_string_equal(strbuf_cstr(&p.vars), "a = 'it''s \"so\" \\n `date`'\nb = -0.5\nc = 0\nd = NaN\n");
    picture_quoted(&p.data, "a\"b\\c\nd");
    assert_string_equal(strbuf_cstr(&p.data), "\"a'b'c'd\"");
    picture_fini(&p);
}

/* Measured in a picture of gnuplot: "MTE2 exposed" at 13 pixels is 96.7 wide. */
static void test_text_width(void **state)
{
    (void)state;
    assert_true(plot_text_width("", 13) == 0);
    assert_in_range((int)plot_text_width("MTE2 exposed", 13), 92, 101);
    assert_true(plot_text_width("iiii", 13) < plot_text_width("mm", 13));
    assert_true(plot_text_width("2×2", 10) > plot_text_width("22", 10) + 5); /* one sign of two bytes */
}

static void test_blocks(void **state)
{
    (void)state;
    struct picture p;
    picture_init(&p, "x", 10, 10);
    picture_block(&p, "one");
    strbuf_add(&p.data, "1 2\n");
    picture_block(&p, "two");
    assert_string_equal(strbuf_cstr(&p.data), "# one\n1 2\n\n\n# two\n");
    picture_fini(&p);
}

static void tics(double low, double high, bool log, int max, const char *want)
{
    struct picture p;
    char line[256];
    picture_init(&p, "x", 10, 10);
    plot_axis(&p, "t", low, high, log, max);
    snprintf(line, sizeof(line), "t = '%s'\n", want);
    assert_string_equal(strbuf_cstr(&p.vars), line);
    picture_fini(&p);
}

static void test_axes(void **state)
{
    (void)state;
    tics(0, 10, false, 6, "\"0\" 0, \"2\" 2, \"4\" 4, \"6\" 6, \"8\" 8, \"10\" 10");
    tics(-1e-12, 0.95, false, 4, "\"0\" 0, \"0.5\" 0.5");
    tics(70, 360, true, 7, "\"70\" 70, \"100\" 100, \"150\" 150, \"200\" 200, \"300\" 300");
    tics(5, 800, true, 7, "\"5\" 5, \"10\" 10, \"20\" 20, \"50\" 50, \"100\" 100, \"200\" 200, \"500\" 500");
    tics(1, 1e6, true, 7,
         "\"1\" 1, \"10\" 10, \"100\" 100, \"1000\" 1000, \"10000\" 10000, \"100000\" 100000, \"1000000\" 1000000");
    tics(5, 5, false, 7, "\"5\" 5");
    struct picture p;
    picture_init(&p, "x", 10, 10);
    plot_axis_binary(&p, "t", 8, 64, 12);
    assert_string_equal(strbuf_cstr(&p.vars), "t = '\"8\" 8, \"16\" 16, \"32\" 32, \"64\" 64'\n");
    picture_fini(&p);
}

/* Texts avoid dots and each other, and stay inside. */
static void test_placing(void **state)
{
    (void)state;
    struct picture_point dots[400];
    size_t n = 0;
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 20; k++) { /* the left half is full of dots */
            dots[n++] = (struct picture_point){i / 40.0, k / 20.0};
        }
    }
    double x = 0;
    double y = 0;
    picture_place(dots, n, 0.3, 0.1, 0.2, 0.5, NULL, 0, &x, &y);
    assert_true(x - 0.15 > 0.475 && x + 0.15 <= 1.0);
    assert_true(y - 0.05 >= 0 && y + 0.05 <= 1.0);
    double taken[1][4] = {{x - 0.15, y - 0.05, x + 0.15, y + 0.05}};
    double x2 = 0;
    double y2 = 0;
    picture_place(dots, n, 0.3, 0.1, x, y, taken, 1, &x2, &y2);
    assert_true(x2 - 0.15 >= x + 0.15 - 1e-9 || x2 + 0.15 <= x - 0.15 + 1e-9 || y2 - 0.05 >= y + 0.05 - 1e-9 ||
                y2 + 0.05 <= y - 0.05 + 1e-9);
}

static void test_numbers(void **state)
{
    (void)state;
    struct strbuf out;
    strbuf_init(&out);
    plot_number(0.12345, &out);
    strbuf_add(&out, " ");
    plot_number(1.2345, &out);
    strbuf_add(&out, " ");
    plot_number(12.345, &out);
    strbuf_add(&out, " ");
    plot_number(1234.5, &out);
    strbuf_add(&out, " ");
    plot_number(0, &out);
    strbuf_add(&out, " ");
    plot_thousands(1234567, &out);
    strbuf_add(&out, " ");
    plot_thousands(-123456, &out);
    strbuf_add(&out, " ");
    plot_thousands(999, &out);
    assert_string_equal(strbuf_cstr(&out), "0.123 1.23 12.3 1234 0 1,234,567 -123,456 999");
    strbuf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotes), cmocka_unit_test(test_blocks),  cmocka_unit_test(test_text_width),
        cmocka_unit_test(test_axes),   cmocka_unit_test(test_placing), cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
