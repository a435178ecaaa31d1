/* Layers people run: of the convolutions of DeepBench and CoSA, rows chosen at
 * random are verified by classes on both archs, each with a random tiling of the
 * list's config that fits, half or int8. Rows that cannot be taken have a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "study/study.h"

#define LAYERS 200
#define TRIES  400 /* points of a cell's space looked at for one that fits */

static const char *const configs[] = {"configs/deepbench_conv.yaml", "configs/cosa_conv.yaml"};

struct context {
    struct arena arena;
    struct diag diag;
    struct study *study;
    const struct experiment *lists[4]; /* config x {half, int8} */
};

static int setup(void **state)
{
    static struct context c;
    static const char *const sets[2][4] = {{NULL}, {"problem.dtype=int8", "problem.C={dtype: half, format: ND}", NULL}};
    arena_init(&c.arena);
    diag_init(&c.diag);
    for (size_t i = 0; i < 4; i++) {
        char path[1024];
        (void)snprintf(path, sizeof path, "%s/%s", REPO_DIR, configs[i / 2]);
        if (experiment_load(path, sets[i % 2], &c.arena, &c.lists[i], &c.diag) != STATUS_OK) {
            return -1;
        }
    }
    *state = &c;
    return study_create(NULL, &c.study) == STATUS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    struct context *c = *state;
    study_destroy(c->study);
    diag_fini(&c->diag);
    arena_fini(&c->arena);
    return 0;
}

/* Every row is a cell: it can be taken, or says why not. */
static void test_rows(void **state)
{
    struct context *c = *state;
    static const size_t rows[2] = {218, 404}, refused[2] = {0, 22};
    for (size_t i = 0; i < 4; i++) {
        const struct experiment *e = c->lists[i];
        size_t failed = 0;
        assert_int_equal(e->count, rows[i / 2] * 2);
        for (size_t k = 0; k < e->count; k++) {
            failed += e->cells[k].failed != NULL;
            assert_true(e->cells[k].failed == NULL || strstr(e->cells[k].failed, ".csv:") != NULL);
        }
        assert_int_equal(failed, refused[i / 2] * 2);
    }
}

/* A random feasible point of the cell. */
static bool find_point(const struct cell *cell, struct rng *rng, uint64_t *index)
{
    for (int i = 0; i < TRIES; i++) {
        struct tiling t;
        struct plan plan;
        struct infeasible why = {0};
        *index = rng_below(rng, cell->space.size);
        if (space_at(&cell->space, cell->target, &cell->problem, *index, &t, &plan, &why)) {
            return true;
        }
    }
    return false;
}

static void verify_layer(struct context *c, const struct cell *cell, uint64_t index)
{
    struct record r;
    struct strbuf name;
    strbuf_init(&name);
    assert_int_equal(study_evaluate(c->study, cell, index, VERIFY_CLASSES, &r, &c->diag), STATUS_OK);
    tiling_name(&r.t, &name);
    print_message("%s %s: %s\n", cell->name, dtype_info(cell->problem.a.dtype)->name, strbuf_cstr(&name));
    strbuf_fini(&name);
    if (r.verified != VERIFIED_OK) {
        fail_msg("%s", c->diag.count > 0 ? c->diag.messages[c->diag.count - 1].text : "mismatch");
    }
    assert_true(r.verified_elems == (uint64_t)(cell->problem.M * cell->problem.N * cell->problem.batch));
}

static void test_layers(void **state)
{
    struct context *c = *state;
    const char *text = getenv("TILESCOPE_SEED");
    const uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : 20260801;
    struct rng rng = rng_init(seed);
    int verified = 0, unfit = 0;
    print_message("TILESCOPE_SEED=%llu\n", (unsigned long long)seed);
    while (verified < LAYERS) {
        const struct experiment *e = c->lists[verified % 4];
        const struct cell *cell = &e->cells[rng_below(&rng, e->count)];
        uint64_t index;
        if (cell->failed != NULL) {
            continue;
        }
        if (!find_point(cell, &rng, &index)) {
            print_message("%s: nothing fits\n", cell->name);
            assert_in_range(++unfit, 0, 10);
            continue;
        }
        verify_layer(c, cell, index);
        verified++;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_layers)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
