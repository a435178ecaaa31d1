/* The `auto` rules of kernel_rules.md 2.3: the two worked examples to the
 * number, and each rule by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/intmath.h"
#include "support/points.h"
#include "tiling/loads.h"
#include "tiling/plan.h"

struct chips {
    struct arena arena;
    const struct target *b1, *pr;
};

static int load_chips(void **state)
{
    static struct chips chips;
    arena_init(&chips.arena);
    chips.b1 = point_target("ascend910b1", &chips.arena);
    chips.pr = point_target("ascend950pr_9589", &chips.arena);
    *state = &chips;
    return 0;
}

static int free_chips(void **state)
{
    arena_fini(&((struct chips *)*state)->arena);
    return 0;
}

/* Resolves all autos; what comes out must fit. */
static void resolve(const struct target *target, const struct problem *p, struct tiling *t)
{
    struct infeasible why;
    struct plan plan;
    tiling_resolve(target, p, t, &why);
    assert_int_equal(why.reason, REASON_NONE);
    for (int f = 0; f < TF_N; f++) {
        assert_int_not_equal(tiling_get(t, (enum tiling_field)f), TILING_AUTO);
    }
    if (!plan_fits(target, p, t, &plan, &why)) {
        struct strbuf text;
        strbuf_init(&text);
        infeasible_text(&why, t, &text);
        fail_msg("%s: auto tiling does not fit: %s", target->name, strbuf_cstr(&text));
    }
}

static void auto_tiling(const struct target *target, const struct problem *p, struct tiling *t)
{
    tiling_all_auto(t);
    resolve(target, p, t);
}

static void dtypes(struct problem *p, enum dtype ab, enum dtype c, bool mx)
{
    p->a.dtype = p->b.dtype = ab;
    p->c.dtype = c;
    p->a.mx = p->b.mx = mx;
    p->scale_a.dtype = p->scale_b.dtype = mx ? DTYPE_E8M0 : DTYPE_NONE;
    p->a.rows = p->b.rows = 0;
    p->a.ld = p->b.ld = p->c.ld = 0;
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
}

static void assert_block(const struct tiling *t, int m, int n, int k)
{
    assert_int_equal(t->baseM, m);
    assert_int_equal(t->baseN, n);
    assert_int_equal(t->baseK, k);
}

static void worked_example_910b1(void **state)
{
    const struct chips *c = *state;
    struct problem p;
    struct tiling t;
    point_problem(&p, 8192, 8192, 8192, false, true);
    auto_tiling(c->b1, &p, &t);
    assert_block(&t, 128, 256, 64);
    assert_int_equal(t.stepKa, 8);
    assert_int_equal(t.stepKb, 4);
    assert_int_equal(t.depthA1, 16);
    assert_int_equal(t.depthB1, 8);
    assert_int_equal(t.usedCoreNum, 24);
    assert_int_equal(t.singleCoreM, 1408); /* 6 x 4 blocks of 11 x 8 = 88 tiles */
    assert_int_equal(t.singleCoreN, 2048);
    assert_int_equal(t.singleCoreK, 8192);
    assert_int_equal(t.loadA, LOAD_3D);
    assert_int_equal(t.loadB, LOAD_2D);
    assert_int_equal(t.unitflag, 1);
    assert_int_equal(t.dbL0C, 1);
}

static void worked_example_950pr(void **state)
{
    const struct chips *c = *state;
    struct problem p;
    struct tiling t;
    point_problem(&p, 8192, 8192, 8192, false, true);
    auto_tiling(c->pr, &p, &t);
    assert_block(&t, 256, 256, 64);
    assert_int_equal(t.stepKa, 4);
    assert_int_equal(t.stepKb, 4);
    assert_int_equal(t.usedCoreNum, 32);
    assert_int_equal(t.singleCoreM, 2048); /* 4 x 8 blocks */
    assert_int_equal(t.singleCoreN, 1024);
    assert_int_equal(t.loadA, LOAD_2D_V2);
    assert_int_equal(t.loadB, LOAD_2D_V2);
}

static void base_block(void **state)
{
    const struct chips *c = *state;
    struct problem p;
    struct tiling t;
    /* Both operands transposed: 256 x 128. */
    point_problem(&p, 4096, 4096, 4096, true, true);
    auto_tiling(c->b1, &p, &t);
    assert_block(&t, 256, 128, 64);
    point_problem(&p, 4096, 4096, 4096, true, false);
    auto_tiling(c->b1, &p, &t);
    assert_block(&t, 128, 256, 64);
    /* Small extents round up to the units of the loads. */
    point_problem(&p, 40, 70, 50, false, true);
    auto_tiling(c->b1, &p, &t);
    assert_block(&t, 48, 80, 64);
    /* 128 B of K: int8 128, float 32. */
    point_problem(&p, 1024, 1024, 1024, false, true);
    dtypes(&p, DTYPE_INT8, DTYPE_INT32, false);
    auto_tiling(c->b1, &p, &t);
    assert_block(&t, 128, 256, 128);
    dtypes(&p, DTYPE_FLOAT, DTYPE_FLOAT, false);
    auto_tiling(c->b1, &p, &t);
    assert_block(&t, 128, 256, 32);
    /* B plain, int8: the transposing load works on squares of 32. */
    point_problem(&p, 1024, 40, 100, false, false);
    dtypes(&p, DTYPE_INT8, DTYPE_INT32, false);
    auto_tiling(c->b1, &p, &t);
    assert_block(&t, 128, 64, 128);
}

static void shrinking(void **state)
{
    const struct chips *c = *state;
    struct problem p;
    struct tiling t;
    point_problem(&p, 4096, 4096, 4096, false, true);
    /* baseM fixed at 256: N halves, L0C is 128 KiB. */
    tiling_all_auto(&t);
    t.baseM = 256;
    resolve(c->b1, &p, &t);
    assert_block(&t, 256, 128, 64);
    /* L0C doubled by the user: N halves too, 128 x 128 x 8 B. */
    tiling_all_auto(&t);
    t.dbL0C = 2;
    resolve(c->b1, &p, &t);
    assert_block(&t, 128, 128, 64);
    assert_int_equal(t.unitflag, 0);
    /* baseK 256 fixed: M and N are cut to what L0A and L0B hold twice. */
    tiling_all_auto(&t);
    t.baseK = 256;
    resolve(c->b1, &p, &t);
    assert_block(&t, 64, 64, 256);
}

static void unitflag_and_l0c(void **state)
{
    const struct chips *c = *state;
    struct problem p;
    struct tiling t;
    /* A row count of 1 modulo baseM: one tile of one row is issued with 16. */
    point_problem(&p, 129, 256, 64, false, true);
    tiling_all_auto(&t);
    t.assign = ASSIGN_BLOCKS;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.unitflag, 0);
    assert_int_equal(t.dbL0C, 1); /* 128 x 256 x 8 B = 256 KiB */
    /* 950 keeps m = 1 (disableGemv), so the flag stays. */
    tiling_all_auto(&t);
    t.assign = ASSIGN_BLOCKS;
    t.baseM = 128;
    resolve(c->pr, &p, &t);
    assert_int_equal(t.unitflag, 1);
    /* unitflag off: two tiles if they fit. */
    tiling_all_auto(&t);
    t.unitflag = 0, t.baseN = 128;
    point_problem(&p, 1024, 1024, 1024, false, true);
    resolve(c->b1, &p, &t);
    assert_int_equal(t.dbL0C, 2);
    /* int8 B plain on 2201: a tail of N is padded to 32 in Mmad, not in Fixpipe. */
    point_problem(&p, 256, 272, 256, false, false);
    dtypes(&p, DTYPE_INT8, DTYPE_INT32, false);
    auto_tiling(c->b1, &p, &t);
    assert_int_equal(t.unitflag, 0);
    auto_tiling(c->pr, &p, &t);
    assert_int_equal(t.unitflag, 1);
    /* C as Nz leaves without it. */
    point_problem(&p, 256, 256, 256, false, true);
    p.c.format = LAYOUT_NZ;
    auto_tiling(c->b1, &p, &t);
    assert_int_equal(t.unitflag, 0);
}

static void grid(void **state)
{
    const struct chips *c = *state;
    struct problem p;
    struct tiling t;
    /* Fewest tiles on the fullest core, then least sM + sN, then fewest cores along M. */
    point_problem(&p, 1024, 4096, 1024, false, true);
    tiling_all_auto(&t);
    t.usedCoreNum = 4;
    resolve(c->b1, &p, &t);
    assert_int_equal((t.singleCoreM / 128) * (t.singleCoreN / 256), 32);
    assert_int_equal(t.singleCoreM, 1024);
    assert_int_equal(t.singleCoreN, 1024);
    /* Slices in rounds of M. */
    tiling_all_auto(&t);
    t.orderRounds = 2;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.order, ORDER_L2SPLIT);
    assert_true(ceil_div(ceil_div(p.M, t.singleCoreM), 2) * ceil_div(p.N, t.singleCoreN) <= t.usedCoreNum);
    /* Tiles dealt to cores: slices are tiles. */
    tiling_all_auto(&t);
    t.assign = ASSIGN_BLOCKS;
    point_problem(&p, 200, 300, 64, false, true);
    resolve(c->b1, &p, &t);
    assert_int_equal(t.singleCoreM, t.baseM);
    assert_int_equal(t.usedCoreNum, 4);
    /* Parts of K have their own cores. */
    tiling_all_auto(&t);
    t.splitK = 4;
    point_problem(&p, 256, 256, 4096, false, true);
    resolve(c->b1, &p, &t);
    assert_int_equal(t.singleCoreK, 1024);
    /* A half C would round partial sums; a float C takes them as they are. */
    assert_int_equal(t.splitKReduce, REDUCE_WORKSPACE);
    assert_int_equal(t.kernel, KERNEL_MIX);
    assert_int_equal(t.usedCoreNum % 4, 0);
    assert_int_equal(t.unitflag, 0);
    tiling_all_auto(&t);
    t.splitK = 4;
    p.c.dtype = DTYPE_FLOAT;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.splitKReduce, REDUCE_ATOMIC);
    assert_int_equal(t.kernel, KERNEL_CUBE);
    /* Orders of tiles deal tiles to cores, and a band width asks for one. */
    static const int32_t of_tiles[] = {ORDER_SWIZZLE, ORDER_ASWT, ORDER_CHUNK};
    for (int i = 0; i < 3; i++) {
        tiling_all_auto(&t);
        t.order = of_tiles[i];
        resolve(c->b1, &p, &t);
        assert_int_equal(t.assign, ASSIGN_BLOCKS);
    }
    tiling_all_auto(&t);
    t.orderOffset = 3;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.order, ORDER_SWIZZLE);
    assert_int_equal(t.assign, ASSIGN_BLOCKS);
    t = (struct tiling){0};
    tiling_all_auto(&t);
    t.splitK = 2, t.splitKReduce = REDUCE_WORKSPACE;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.kernel, KERNEL_MIX);
}

static void steps(void **state)
{
    const struct chips *c = *state;
    struct problem p;
    struct tiling t;
    /* No more steps than K has; one chunk and one tile need one buffer. */
    point_problem(&p, 128, 256, 128, false, true);
    auto_tiling(c->b1, &p, &t);
    assert_int_equal(t.stepKa, 2);
    assert_int_equal(t.dbA1, 1);
    assert_int_equal(t.depthA1, 2);
    /* A row above 512 B is a multiple of 512 B: int8, baseK 128, 5 steps -> 4. */
    point_problem(&p, 8192, 8192, 8192, false, true);
    dtypes(&p, DTYPE_INT8, DTYPE_INT32, false);
    tiling_all_auto(&t);
    t.baseM = 96, t.baseN = 256;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.stepKa * t.baseK % 512, 0);
    /* The larger step is a multiple of the smaller. */
    tiling_all_auto(&t);
    t.baseM = 32, t.baseN = 208;
    resolve(c->b1, &p, &t);
    assert_int_equal(max_i64(t.stepKa, t.stepKb) % min_i64(t.stepKa, t.stepKb), 0);
    /* Room for the bias row: 256 columns x 4 B are not there for chunks. */
    point_problem(&p, 8192, 8192, 8192, false, true);
    p.bias.dtype = DTYPE_FLOAT;
    assert_int_equal(problem_finish(&p, NULL, NULL), STATUS_OK);
    auto_tiling(c->b1, &p, &t);
    assert_int_equal(t.isBias, 1);
    assert_int_equal(t.stepKa, 4); /* 8 and 4 steps fill L1 to the last byte: the row takes half of A's */
    assert_int_equal(t.stepKb, 4);
    /* mix holds 256 B back on 2201. */
    point_problem(&p, 8192, 8192, 8192, false, true);
    tiling_all_auto(&t);
    t.kernel = KERNEL_MIX;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.stepKa, 4);
    assert_int_equal(t.stepKb, 4);
    /* A depth that is given says how many buffers there are. */
    tiling_all_auto(&t);
    t.stepKa = 4, t.depthA1 = 4, t.stepKb = 2, t.depthB1 = 4;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.dbA1, 1);
    assert_int_equal(t.dbB1, 2);
}

static void scales(void **state)
{
    const struct chips *c = *state;
    struct problem p;
    struct tiling t;
    /* [bpmx]: 256 x 256 x 256, stepK 2. The factor is what L1 still holds. */
    point_problem(&p, 8192, 8192, 8192, false, true);
    dtypes(&p, DTYPE_FP4_E2M1, DTYPE_BF16, true);
    auto_tiling(c->pr, &p, &t);
    assert_block(&t, 256, 256, 256);
    assert_int_equal(t.stepKa, 2);
    assert_int_equal(t.stepKb, 2);
    assert_int_equal(t.loadA, LOAD_MX);
    assert_int_equal(t.scaleFactorKa, 16); /* 16 chunks of 512: K, and L1 to the last byte */
    assert_int_equal(t.scaleFactorKb, 16);
    struct plan plan;
    struct infeasible why;
    assert_true(plan_fits(c->pr, &p, &t, &plan, &why));
    assert_int_equal(plan.peak[BUF_L1], 524288);
    t.scaleFactorKa = 17;
    assert_true(plan_fits(c->pr, &p, &t, &plan, &why)); /* spans clip to K */
    /* Never above 127. */
    point_problem(&p, 16, 16, 65536 * 4, false, true);
    dtypes(&p, DTYPE_FP8_E4M3, DTYPE_BF16, true);
    tiling_all_auto(&t);
    t.stepKa = t.stepKb = 1, t.baseK = 64;
    resolve(c->pr, &p, &t);
    assert_int_equal(t.scaleFactorKa, 127);
    /* No scales: 1. */
    point_problem(&p, 512, 512, 512, false, true);
    auto_tiling(c->pr, &p, &t);
    assert_int_equal(t.scaleFactorKa, 1);
}

static void full_load(void **state)
{
    const struct chips *c = *state;
    struct problem p;
    struct tiling t;
    point_problem(&p, 1536, 8192, 512, false, true);
    tiling_all_auto(&t);
    t.fullLoad = FULL_LOAD_A, t.singleCoreM = 128, t.singleCoreN = 4096;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.dbA1, 1);
    assert_int_equal(t.stepKa, 8); /* all of K */
    struct plan plan;
    struct infeasible why;
    assert_true(plan_fits(c->b1, &p, &t, &plan, &why));
    assert_int_equal(plan_region(&plan, BUF_L1, ROLE_A, 0)->size, 128 * 512 * 2);
    assert_null(plan_region(&plan, BUF_L1, ROLE_A, 1));
}

static void conv(void **state)
{
    const struct chips *c = *state;
    struct problem p = {.op = PROBLEM_CONV, .M = 56 * 56, .N = 64, .K = 576};
    struct tiling t;
    p.conv = (struct conv_shape){1, 64, 56, 56, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    p.a.dtype = p.b.dtype = p.c.dtype = DTYPE_HALF;
    p.a.format = p.c.format = LAYOUT_NC1HWC0;
    p.b.format = LAYOUT_FRACTAL_Z;
    assert_int_equal(problem_finish(&p, NULL, NULL), STATUS_OK);
    auto_tiling(c->b1, &p, &t);
    assert_int_equal(t.loadA, LOAD_3D);
    assert_int_equal(t.loadB, LOAD_2D);
    assert_int_equal(t.baseK, 48); /* cuts the 3 x 3 x 16 of a channel block */
    assert_int_equal(t.stepKa * t.baseK % 144, 0);
    auto_tiling(c->pr, &p, &t);
    assert_int_equal(t.loadA, LOAD_3D);
}

/* Fixed fields are never touched, whatever they are. */
static void fixed_fields_stay(void **state)
{
    const struct chips *c = *state;
    struct rng rng = rng_init(5);
    for (int i = 0; i < 20000; i++) {
        struct problem p;
        struct tiling t, given;
        struct infeasible why;
        point_problem(&p, 1 + (int64_t)rng_below(&rng, 3000), 1 + (int64_t)rng_below(&rng, 3000),
                      1 + (int64_t)rng_below(&rng, 3000), rng_below(&rng, 2), rng_below(&rng, 2));
        tiling_all_auto(&t);
        for (int k = 0; k < 4; k++) {
            const enum tiling_field f = (enum tiling_field)rng_below(&rng, TF_N);
            const struct tiling_field_info *info = tiling_field_info(f);
            tiling_set(&t, f, (int32_t)rng_between(&rng, info->min, min_i64(info->max, info->min + 300)));
        }
        given = t;
        tiling_resolve(i % 2 ? c->b1 : c->pr, &p, &t, &why);
        for (int f = 0; f < TF_N; f++) {
            const int32_t was = tiling_get(&given, (enum tiling_field)f), is = tiling_get(&t, (enum tiling_field)f);
            assert_int_not_equal(is, TILING_AUTO);
            assert_true(was == TILING_AUTO || was == is);
        }
        struct tiling again = t;
        tiling_resolve(i % 2 ? c->b1 : c->pr, &p, &again, &why);
        assert_memory_equal(&again, &t, sizeof t);
    }
}

/* A field that is given decides those it is made of, whatever is auto. */
static void one_given_field_contradicts_nothing(void **state)
{
    const struct chips *c = *state;
    struct problem p;
    struct tiling t;
    point_problem(&p, 2048, 2048, 2048, false, true);
    for (int32_t depth = 1; depth <= 16; depth++) {
        tiling_all_auto(&t);
        t.depthA1 = depth;
        resolve(c->b1, &p, &t);
        assert_int_equal(t.stepKa, depth % 2 == 0 ? depth / 2 : depth);
        assert_int_equal(t.dbA1, depth % 2 == 0 ? 2 : 1);
        if (depth <= 8) {
            tiling_all_auto(&t);
            t.depthB1 = depth;
            resolve(c->b1, &p, &t);
            assert_int_equal(t.stepKb * t.dbB1, depth);
        }
    }
    /* With the number of buffers or the step along M beside it. */
    tiling_all_auto(&t);
    t.depthA1 = 12, t.dbA1 = 1, t.baseM = 64;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.stepKa, 12);
    tiling_all_auto(&t);
    t.depthA1 = 12, t.stepM = 2, t.baseM = 64;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.stepKa, 3);
    tiling_all_auto(&t);
    p.M = p.N = 64;
    p.K = 1024;
    p.a.rows = p.b.rows = p.c.rows = 0;
    p.a.ld = p.b.ld = p.c.ld = 0;
    assert_int_equal(problem_finish(&p, NULL, NULL), STATUS_OK);
    t.depthA1 = 4, t.fullLoad = FULL_LOAD_A, t.baseM = 64, t.baseK = 256, t.baseN = 64;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.stepKa, 4);
    assert_int_equal(t.dbA1, 1);
    point_problem(&p, 2048, 2048, 2048, false, true);
    /* A short slice of K splits it. */
    for (int32_t k = 128; k <= 2048; k *= 2) {
        tiling_all_auto(&t);
        t.singleCoreK = k;
        resolve(c->b1, &p, &t);
        assert_int_equal(t.splitK, 2048 / k);
    }
    tiling_all_auto(&t);
    t.singleCoreK = 768;
    resolve(c->b1, &p, &t);
    assert_int_equal(t.splitK, 3);
}

static void below_range_is_reported(void **state)
{
    const struct chips *c = *state;
    struct problem p;
    struct tiling t;
    struct infeasible why;
    point_problem(&p, 64, 64, 64, false, true);
    tiling_all_auto(&t);
    t.baseK = 0;
    tiling_resolve(c->b1, &p, &t, &why);
    assert_int_equal(why.reason, REASON_RANGE);
    assert_int_equal(why.field, TF_baseK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example_910b1),
        cmocka_unit_test(worked_example_950pr),
        cmocka_unit_test(base_block),
        cmocka_unit_test(shrinking),
        cmocka_unit_test(unitflag_and_l0c),
        cmocka_unit_test(grid),
        cmocka_unit_test(steps),
        cmocka_unit_test(scales),
        cmocka_unit_test(full_load),
        cmocka_unit_test(conv),
        cmocka_unit_test(fixed_fields_stay),
        cmocka_unit_test(one_given_field_contradicts_nothing),
        cmocka_unit_test(below_range_is_reported),
    };
    return cmocka_run_group_tests(tests, load_chips, free_chips);
}
