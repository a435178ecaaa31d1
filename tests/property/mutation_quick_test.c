/* Planted errors in the instruction stream of one tiling: verify catches each, or
 * the bytes it changes are used by nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <time.h>

#include "support/mutation.h"
#include "support/points.h"

static void survey(const char *target, int64_t M, int64_t N, int64_t K, bool ta, bool tb, const char *name)
{
    struct arena arena;
    arena_init(&arena);
    struct problem p;
    struct schedule s;
    struct tiling t;
    point_problem(&p, M, N, K, ta, tb);
    assert_int_equal(tiling_parse(name, &t, NULL), STATUS_OK);
    point_schedule(point_target(target, &arena), &p, &t, &s);
    struct stream right, mutated;
    stream_init(&right, &s), stream_init(&mutated, &s);
    struct verify *v;
    verify_create(NULL, &v);
    struct strbuf why;
    strbuf_init(&why);
    if (!stream_verifies(v, &right, &why)) fail_msg("%s", strbuf_cstr(&why));
    struct mutation *list;
    size_t n = mutation_list(&right, 0, right.count, &list), caught = 0, dead = 0;
    clock_t c0 = clock();
    for (size_t i = 0; i < n; i++) {
        mutation_apply(&right, &list[i], &mutated);
        if (!stream_verifies(v, &mutated, NULL)) { caught++; continue; }
        bool d = mutation_is_dead(&right, &list[i], &mutated);
        dead += d;
        struct strbuf text;
        strbuf_init(&text);
        mutation_text(&right, &list[i], &text);
        if (!d) {
            print_message("not caught: %s\n", strbuf_cstr(&text));
        }
        strbuf_fini(&text);
    }
    printf("%zu insns %zu lists; %zu mutants, %zu caught, %zu dead, %.2f s\n", right.count, right.lists, n, caught, dead, (double)(clock()-c0)/CLOCKS_PER_SEC);
    assert_int_equal(caught + dead, n);
    verify_destroy(v);
}

static void test(void **state)
{
    (void)state;
    survey("ascend910b1", 80, 96, 150, false, true, "b48x64x32_s2x1_d2x2_l2x2x1_c1_g80x96x150_xa3_xb1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
