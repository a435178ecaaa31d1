/* Verification by classes catches what full verification catches: the mutations
 * of the steps that classes execute (two periods and the tail) of tile 0 and of
 * tile 2, a pattern of its own that shares neither rows of A nor columns of B
 * with the tile before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "support/mutation.h"
#include "support/points.h"

static const struct {
    const char *target;
    int64_t m, n, k;
    bool trans_a, trans_b;
    const char *tiling;
} cases[] = {
    {"ascend910b1", 72, 80, 340, false, true, "b48x48x16_s2x1_d2x2_l2x2x1_c1_g72x80x340_xa3_xb1"},
    {"ascend910b1", 40, 56, 220, true, false, "b32x32x16_s1x2_d2x1_l2x2x2_c1_g40x56x220_xa2_xb3"},
    {"ascend950pr_9589", 40, 72, 330, false, false, "b32x48x32_s2x1_d1x2_l2x2x1_c1_g40x72x330_xa4_xb4_u1"},
};

struct counts {
    size_t planted, full, classes;
};

static void plant(struct judge *j, const struct stream *right, struct stream *changed, size_t list, struct counts *n)
{
    struct mutation *mutations;
    const size_t count = mutation_list(right, right->list[list], right->list[list + 1], &mutations);
    for (size_t i = 0; i < count; i += 2) {
        if (mutations[i].kind == MUTATION_RANGE) {
            continue;
        }
        mutation_apply(right, &mutations[i], changed);
        const bool full = !judge_verifies(j, changed, NULL), classes = !judge_verifies_by_classes(j, right, changed);
        n->planted++;
        n->full += full;
        n->classes += classes;
        if (full && !classes) {
            struct strbuf text;
            strbuf_init(&text);
            mutation_text(right, &mutations[i], &text);
            fail_msg("classes do not see what full verification sees: %s", strbuf_cstr(&text));
        }
    }
    free(mutations);
}

static void run_case(struct judge *j, const struct schedule *s, struct counts *n)
{
    struct stream right, changed;
    stream_init(&right, s);
    stream_init(&changed, s);
    assert_true(judge_verifies_by_classes(j, &right, &right));
    const size_t nk = (size_t)s->nk, executed = (size_t)min_i64(s->nk, 2 * schedule_period(s));
    const size_t tile2 = 1 + 2 * nk;
    assert_true(executed + 1 < nk); /* some steps are skipped */
    for (size_t i = 0; i < nk; i++) {
        if (i < executed || i == nk - 1) {
            plant(j, &right, &changed, 1 + i, n);
            plant(j, &right, &changed, tile2 + i, n);
        }
    }
    stream_fini(&right);
    stream_fini(&changed);
}

static void test_classes(void **state)
{
    (void)state;
    struct arena arena;
    struct judge judge;
    struct counts n = {0};
    arena_init(&arena);
    judge_init(&judge);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct problem p;
        struct schedule s;
        struct tiling t;
        point_problem(&p, cases[i].m, cases[i].n, cases[i].k, cases[i].trans_a, cases[i].trans_b);
        assert_int_equal(tiling_parse(cases[i].tiling, &t, NULL), STATUS_OK);
        point_schedule(point_target(cases[i].target, &arena), &p, &t, &s);
        run_case(&judge, &s, &n);
    }
    print_message("%zu planted, %zu seen by full verification, %zu by classes\n", n.planted, n.full, n.classes);
    judge_fini(&judge);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
