/* The time section of `explain`, redone from its own text: durations from the
 * formulas it prints, the end of the core from the links of the chain, the task
 * from core, init and launch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/explain_time.h"
#include "support/points.h"

struct text {
    struct strbuf buf;
    struct timing_result ref;
};

/* A printed number of cycles as thousandths. */
static int64_t mcyc(const char *at)
{
    return llrint(1000 * strtod(at, NULL));
}

static const char *after(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    if (at == NULL) {
        fail_msg("no '%s' in:\n%s", words, text);
        return "";
    }
    return at + strlen(words);
}

static void explain(struct text *x, const char *target_name, int64_t m, int64_t n, int64_t k, const char *name)
{
    struct arena arena;
    struct diag d;
    struct problem p;
    struct tiling t;
    struct schedule s;
    struct timing *timing;
    const struct timing_start cold = {.l2_warm = false};
    arena_init(&arena);
    diag_init(&d);
    point_problem(&p, m, n, k, false, true);
    assert_int_equal(tiling_parse(name, &t, &d), STATUS_OK);
    point_schedule(point_target(target_name, &arena), &p, &t, &s);
    assert_int_equal(timing_create(&timing), STATUS_OK);
    strbuf_init(&x->buf);
    assert_int_equal(timing_ref(timing, &s, &cold, &x->ref), STATUS_OK);
    assert_int_equal(explain_time_text(timing, &s, false, -1, &x->buf, &d), STATUS_OK);
    timing_destroy(timing);
    diag_fini(&d);
    arena_fini(&arena);
}

/* Sum of the "together" numbers of a part of the text. */
static int64_t sum_links(const char *from, const char *to)
{
    int64_t sum = 0;
    for (const char *at = from; (at = strstr(at, " x, together ")) != NULL && at < to; at++) {
        sum += mcyc(at + strlen(" x, together "));
    }
    return sum;
}

/* "COUNT  DURATION, in all SUM" behind a name: they agree. @return the duration. */
static int64_t constant_kind(const char *text, const char *name)
{
    char *end;
    const long long count = strtoll(after(text, name), &end, 10);
    const int64_t duration = mcyc(end);
    assert_int_equal(count * duration, mcyc(after(end, "in all ")));
    return duration;
}

static void redo(const struct text *x)
{
    const char *text = x->buf.text, *chain = after(text, "the chain of waits");
    /* The chain's links add up to the end of the core, and that to the task. */
    const int64_t before = mcyc(after(chain, "before its first link ")), sum = mcyc(after(chain, "; sum "));
    assert_int_equal(before + sum_links(chain, strstr(chain, "before its first")), sum);
    const char *core = after(chain, "\n  core ");
    assert_int_equal(mcyc(core), sum);
    const int64_t task = sum + mcyc(after(core, "+ init ")) + mcyc(after(core, "+ launch "));
    assert_int_equal(task, mcyc(after(core, " = ")));
    assert_int_equal(task, x->ref.task);
    /* Mmad: W and the issue. */
    double fm, fn, fk, macs, rate;
    const char *formula = after(text, "W = ");
    assert_int_equal(sscanf(formula, "%lf*%lf*%lf fractal products * %lf MAC / %lf", &fm, &fn, &fk, &macs, &rate), 5);
    const double issue = strtod(after(formula, "mmad_issue "), NULL);
    assert_int_equal(llrint(1000 * (fm * fn * fk * macs / rate)) + llrint(1000 * issue), constant_kind(text, "Mmad "));
    /* Fixpipe. */
    double m, n, bytes;
    formula = after(text, "fixpipe_issue ");
    const double fixed = strtod(formula, NULL);
    assert_int_equal(sscanf(after(formula, "+ "), "%lf*%lf elements * %lf B", &m, &n, &bytes), 3);
    const double width = strtod(after(formula, "fixpipe_width "), NULL);
    assert_int_equal(llrint(1000 * (fixed + m * n * bytes / width)), constant_kind(text, "Fixpipe "));
    /* A copy alone: rows by their formula. */
    double rows, row_bytes, row_min, row_base, row_width;
    formula = after(text, "copy_issue ");
    const double copy_issue = strtod(formula, NULL);
    assert_int_equal(sscanf(after(formula, "+ "),
                            "%lf rows of %lf B: max(row_min %lf, row_base %lf + B / row_width %lf)", &rows, &row_bytes,
                            &row_min, &row_base, &row_width),
                     5);
    const double alone = copy_issue + rows * fmax(row_min, row_base + row_bytes / row_width);
    assert_int_equal(llrint(1000 * alone), mcyc(after(formula, " = ")));
}

static void large_matmul(void **state)
{
    struct text x;
    (void)state;
    explain(&x, "ascend910b1", 2048, 2048, 2048, "b128x256x64_s4x4_d2x2_u0");
    redo(&x);
    /* The period: its links are its length. */
    const char *period = after(x.buf.text, "critical cycle of the steady period: ");
    const int64_t length = mcyc(after(period, " steps in "));
    assert_true(length > 0);
    assert_int_equal(sum_links(period, strstr(period, "the chain of waits")), length);
    strbuf_fini(&x.buf);
}

static void other_points(void **state)
{
    static const struct {
        const char *target;
        int64_t m, n, k;
        const char *name;
    } points[] = {
        {"ascend910b1", 512, 512, 1024, "b128x128x64_s1x1_d1x1_l1x1x1_u0"},
        {"ascend950pr_9589", 2048, 1024, 1024, "b256x256x64_s2x2_d2x2_u0"},
        {"ascend910b3", 256, 256, 256, "b64x64x64_s2x2_d2x1_u0"},
        {"ascend910b1", 512, 512, 64, "b128x128x64_s1x1_d1x1_l2x2x2"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        struct text x;
        explain(&x, points[i].target, points[i].m, points[i].n, points[i].k, points[i].name);
        redo(&x);
        strbuf_fini(&x.buf);
    }
}

/* With the unit flag Fixpipe may wait for the Mmad; the chain must still add up. */
static void unit_flag(void **state)
{
    struct text x;
    (void)state;
    explain(&x, "ascend910b1", 1024, 1024, 128, "b128x128x64_s2x2_d2x2_u1");
    const char *core = after(x.buf.text, "\n  core ");
    assert_int_equal(mcyc(after(core, " = ")), x.ref.task);
    assert_int_equal(sum_links(after(x.buf.text, "the chain of waits"), core), mcyc(core));
    strbuf_fini(&x.buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_matmul),
        cmocka_unit_test(other_points),
        cmocka_unit_test(unit_flag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
