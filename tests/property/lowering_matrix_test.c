/* Every (arch, transpose case, load choice, order, tail pattern), with buffer
 * depths going round: the whole matmul through the engine equals the reference
 * bit for bit, and the race check passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify.h"
#include "support/points.h"
#include "tiling/loads.h"

#define LOADS (LOAD_MX + 1)

/* assign, order, its parameter, iterateOrder, copyFirst */
static const struct {
    int32_t assign, order, offset, direction, rounds, iterate, copy_first;
} orders[] = {
    {ASSIGN_GRID, ORDER_LINEAR, 1, 0, 1, 0, 0},    {ASSIGN_GRID, ORDER_LINEAR, 1, 0, 1, 1, 1},
    {ASSIGN_GRID, ORDER_L2SPLIT, 1, 0, 2, 0, 0},   {ASSIGN_BLOCKS, ORDER_SWIZZLE, 2, 0, 1, 0, 1},
    {ASSIGN_BLOCKS, ORDER_SWIZZLE, 3, 1, 1, 0, 0}, {ASSIGN_BLOCKS, ORDER_ASWT, 1, 0, 1, 0, 0},
    {ASSIGN_BLOCKS, ORDER_CHUNK, 1, 0, 1, 0, 1},
};

/* dbA1, dbB1, dbL0A, dbL0B, dbL0C, unitflag */
static const int32_t depths[][6] = {
    {2, 2, 2, 2, 1, 1}, {1, 1, 2, 2, 2, 0}, {2, 1, 1, 1, 1, 0}, {1, 2, 2, 1, 1, 1},
    {2, 2, 1, 2, 2, 0}, {1, 1, 1, 1, 1, 1}, {2, 1, 2, 2, 1, 0},
};
#define COUNT(a) (int)(sizeof(a) / sizeof((a)[0]))

struct counts {
    int cases, by_depth[COUNT(depths)], by_order[COUNT(orders)], by_tail[8];
};

static void check(struct verify *v, const struct target *target, bool ta, bool tb, int32_t load_a, int32_t load_b,
                  int order, int tail, struct counts *c)
{
    struct problem p;
    struct tiling t;
    struct schedule s;
    struct verify_outcome out;
    struct diag d;
    const int depth = c->cases % COUNT(depths);
    const int32_t *db = depths[depth];
    /* Further factors go round at other paces, so that all pairs occur. */
    const int turn = c->cases / 8;
    const bool one_row = (tail & 1) && turn % 3 == 0, nz = turn % 5 < 2 && orders[order].order != ORDER_ASWT;
    point_problem(&p, one_row ? 65 : tail & 1 ? 71 : 96, tail & 2 ? 90 : 96, tail & 4 ? 105 : 128, ta, tb);
    p.a.format = nz ? LAYOUT_NZ : LAYOUT_ND;
    p.b.format = turn % 7 < 3 && nz ? LAYOUT_NZ : LAYOUT_ND;
    p.c.dtype = turn % 4 == 0 ? DTYPE_FLOAT : DTYPE_HALF;
    tiling_all_auto(&t);
    t.baseM = 32, t.baseN = 48, t.baseK = 32;
    t.stepKa = 1 + turn % 2, t.stepKb = 1 + turn / 2 % 3;
    t.loadA = load_a, t.loadB = load_b;
    t.dbA1 = db[0], t.dbB1 = db[1], t.dbL0A = db[2], t.dbL0B = db[3], t.dbL0C = db[4];
    /* A tile of one row takes no unit flag on 2201 (A41). */
    t.unitflag = one_row ? 0 : db[5];
    t.assign = orders[order].assign, t.order = orders[order].order, t.orderOffset = orders[order].offset;
    t.orderDirection = orders[order].direction, t.orderRounds = orders[order].rounds;
    t.iterateOrder = orders[order].iterate, t.copyFirst = orders[order].copy_first;
    t.usedCoreNum = 4;
    point_schedule(target, &p, &t, &s);
    diag_init(&d);
    assert_int_equal(verify_schedule(v, &s, VERIFY_FULL, &out, &d), STATUS_OK);
    if (!out.ok) {
        struct strbuf text;
        strbuf_init(&text);
        diag_render(&d, &text);
        point_print(&s);
        fail_msg("%s", strbuf_cstr(&text));
    }
    assert_int_equal(out.elems, p.M * p.N);
    diag_fini(&d);
    c->cases++;
    c->by_depth[depth]++, c->by_order[order]++, c->by_tail[tail]++;
}

/* All legal loads of one arch and transpose case. */
static void check_loads(struct verify *v, const struct target *target, bool ta, bool tb, struct counts *c)
{
    struct problem p;
    point_problem(&p, 96, 96, 128, ta, tb);
    for (int32_t a = 1; a < LOADS; a++) {
        for (int32_t b = 1; b < LOADS; b++) {
            if (!load_offered(target, &p, ROLE_A, (enum tiling_load)a) ||
                !load_offered(target, &p, ROLE_B, (enum tiling_load)b)) {
                continue;
            }
            for (int order = 0; order < COUNT(orders); order++) {
                for (int tail = 0; tail < 8; tail++) {
                    check(v, target, ta, tb, a, b, order, tail, c);
                }
            }
        }
    }
}

static void test_matrix(void **state)
{
    (void)state;
    struct arena arena;
    struct counts c = {0};
    struct verify *v = NULL;
    arena_init(&arena);
    assert_int_equal(verify_create(NULL, &v), STATUS_OK);
    const struct target *targets[] = {point_target("ascend910b1", &arena), point_target("ascend950pr_9589", &arena)};
    for (int arch = 0; arch < 2; arch++) {
        for (int transposes = 0; transposes < 4; transposes++) {
            check_loads(v, targets[arch], transposes & 1, transposes & 2, &c);
        }
    }
    verify_destroy(v);
    print_message("%d combinations\n", c.cases);
    assert_true(c.cases >= 300);
    for (int i = 0; i < COUNT(depths); i++) {
        assert_true(c.by_depth[i] >= 40);
    }
    for (int i = 0; i < COUNT(orders); i++) {
        assert_true(c.by_order[i] >= 40);
    }
    for (int i = 0; i < 8; i++) {
        assert_true(c.by_tail[i] >= 40);
    }
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_matrix)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
