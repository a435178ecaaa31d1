/* target_load_test.c - the stock targets are complete, and say what the
 * published tables say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "target/target.h"

struct fixture {
    struct arena arena;
    struct diag diag;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return -1;
    }
    arena_init(&f->arena);
    diag_init(&f->diag);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    arena_fini(&f->arena);
    diag_fini(&f->diag);
    free(f);
    return 0;
}

static const struct target *load(struct fixture *f, const char *name)
{
    const struct target *t = NULL;
    const enum status status = target_load(name, NULL, &f->arena, &t, &f->diag);
    if (status != STATUS_OK) {
        struct strbuf text;
        strbuf_init(&text);
        diag_render(&f->diag, &text);
        fail_msg("%s: %s", name, strbuf_cstr(&text));
    }
    return t;
}

static void test_910b1(void **state)
{
    const struct target *t = load(*state, "ascend910b1");
    assert_string_equal(t->name, "ascend910b1");
    assert_string_equal(t->family, "ascend910b1 < family_2201 < family_core_a2 < family_common");
    assert_int_equal(t->product, PRODUCT_ASCEND910B);
    assert_int_equal(t->arch, 2201);
    assert_int_equal(t->cores, 24);
    assert_true(t->ghz == 1.85);
    assert_true(t->l2_bytes == 192.0 * 1024 * 1024);
    assert_int_equal(t->physical[BUF_L1], 512 * 1024);
    assert_int_equal(t->physical[BUF_L0C], 128 * 1024);
    assert_true(t->physical[BUF_GM] == INT64_MAX);
    assert_int_equal(t->reserve_mix[BUF_L1], 256);
    assert_true(t->rate[DTYPE_HALF] == 4096);
    assert_true(t->rate[DTYPE_FP8_E4M3] == 0);
    assert_true(t->timing.load_issue == 23.5);
    assert_true(t->timing.load_calls_ref[0] == 1 && t->timing.load_calls_ref[1] == 4);
    assert_true(t->timing.align_weight[3] == 0.75);
    assert_true(t->timing.hbm_nd == 1.39);
    assert_true(t->l0c_to_gm && !t->l0a_nz);
    const struct target_fact *fact = target_fact(t, "timing.mmad_latency");
    assert_non_null(fact);
    assert_true(fact->value == 61 && fact->confidence == CONFIDENCE_MEASURED);
    assert_string_equal(fact->rows, "R001,R002");
    assert_string_equal(fact->unit, "cycles");
    assert_string_equal(fact->file, "configs/targets/family_core_a2.yaml");
    assert_true(fact->line > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_910b1, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
