/* The L2/HBM context of small geometries, worked out by hand. Tiles are 16 x 16
 * with K = 16 in half: a panel of A or B has 512 B, a tile of C 512 B. L2 has
 * 2048 B; all hits up to 0.5 of it, none from 1.25. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "timing/memctx.h"

struct lab {
    struct arena arena;
    struct diag diag;
    struct target target;
    struct problem problem;
    struct tiling tiling;
    struct schedule schedule;
    struct memctx_cache *cache;
};

static int setup(void **state)
{
    struct lab *l = calloc(1, sizeof *l);
    const struct target *loaded;
    arena_init(&l->arena);
    diag_init(&l->diag);
    assert_int_equal(target_load("ascend910b1", NULL, &l->arena, &loaded, &l->diag), STATUS_OK);
    l->target = *loaded;
    l->target.l2_bytes = 2048;
    l->target.timing.l2_hit_low = 0.5;
    l->target.timing.l2_hit_high = 1.25;
    l->problem = (struct problem){.name = "paper", .op = PROBLEM_MATMUL, .M = 32, .N = 32, .K = 16};
    l->problem.a.dtype = l->problem.b.dtype = l->problem.c.dtype = DTYPE_HALF;
    l->problem.b.transpose = true;
    tiling_all_auto(&l->tiling);
    l->tiling.usedCoreNum = 1;
    l->tiling.assign = ASSIGN_BLOCKS;
    l->tiling.iterateOrder = 0; /* m inner */
    l->tiling.baseM = l->tiling.baseN = l->tiling.baseK = 16;
    assert_int_equal(memctx_cache_create(&l->cache), STATUS_OK);
    *state = l;
    return 0;
}

static int teardown(void **state)
{
    struct lab *l = *state;
    memctx_cache_destroy(l->cache);
    diag_fini(&l->diag);
    arena_fini(&l->arena);
    free(l);
    return 0;
}

static const struct mem_geometry *geometry(struct lab *l, bool warm)
{
    const struct mem_geometry *g;
    struct tiling t = l->tiling;
    struct plan plan;
    struct infeasible why;
    assert_int_equal(problem_finish(&l->problem, NULL, &l->diag), STATUS_OK);
    tiling_resolve(&l->target, &l->problem, &t, &why);
    assert_true(plan_make(&l->target, &l->problem, &t, &plan, &why));
    assert_int_equal(schedule_init(&l->schedule, &l->target, &l->problem, &t, &plan, &l->diag), STATUS_OK);
    assert_int_equal(memctx_get(l->cache, &l->schedule, warm, &g), STATUS_OK);
    return g;
}

static const struct mem_context *context(const struct mem_geometry *g, int32_t core, int64_t t)
{
    return &g->contexts[g->sequences[g->core_sequence[core]].contexts[t]];
}

static void expect(const struct mem_context *c, int32_t missed_a, int32_t missed_b, int64_t hbm_bytes)
{
    assert_int_equal(c->missed[0], missed_a);
    assert_int_equal(c->missed[1], missed_b);
    assert_int_equal(c->hbm_bytes, hbm_bytes);
}

static void one_core(void **state)
{
    struct lab *l = *state;
    const struct mem_geometry *g = geometry(l, false);
    assert_int_equal(g->sequence_count, 1);
    assert_int_equal(g->sequences[0].tiles, 4);
    assert_int_equal(g->shape_count, 1);
    /* (A0, B0): both cold. */
    expect(context(g, 0, 0), 1000, 1000, 1024);
    /* (A1, B0): B0 lies 1536 B back (A0, B0, C): 0.75 of L2, hit 2/3. */
    expect(context(g, 0, 1), 1000, 333, 512 + 170);
    /* (A0, B1): A0 lies 2560 B back: gone. */
    expect(context(g, 0, 2), 1000, 1000, 1024);
    /* (A1, B1): touched in step 1 and since: A1, B0, C1, then A0, B1, C2 = 3072: gone; B1: 1536. */
    expect(context(g, 0, 3), 1000, 333, 512 + 170);
    /* A, B, C together are 4096 B: all of C leaves for HBM. */
    assert_true(g->write_back == 1);
    assert_int_equal(context(g, 0, 0)->c_bytes, 512);
    assert_int_equal(g->hbm, 2 * 1024 + 2 * 682 + 4 * 512);
}

static void everything_fits(void **state)
{
    struct lab *l = *state;
    l->target.l2_bytes = 1 << 20;
    const struct mem_geometry *g = geometry(l, false);
    expect(context(g, 0, 0), 1000, 1000, 1024);
    expect(context(g, 0, 1), 1000, 0, 512);
    expect(context(g, 0, 2), 0, 1000, 512);
    expect(context(g, 0, 3), 0, 0, 0);
    assert_true(g->write_back == 0);
    assert_int_equal(context(g, 0, 0)->c_bytes, 0);
}

/* Two cores walk (m0, n0), (m0, n1) and (m1, n0), (m1, n1) side by side: they share B. */
static void sharing_halves_a_miss(void **state)
{
    struct lab *l = *state;
    l->tiling.usedCoreNum = 2;
    const struct mem_geometry *g = geometry(l, false);
    assert_int_equal(g->sequence_count, 1);
    assert_int_equal(g->sequences[0].cores, 2);
    const struct mem_context *c = context(g, 1, 0);
    expect(c, 1000, 500, 3 * 512);
    assert_int_equal(c->active, 2);
    assert_false(c->shared[0]);
    assert_true(c->shared[1]);
    /* A0 lies A0, A1, B0 and 1024 B of C back = 2560: gone. */
    expect(context(g, 0, 1), 1000, 500, 3 * 512);
}

/* Three cores and four tiles: the last step has one core. */
static void lone_core_in_the_last_step(void **state)
{
    struct lab *l = *state;
    l->tiling.usedCoreNum = 3;
    const struct mem_geometry *g = geometry(l, false);
    assert_int_equal(context(g, 0, 0)->active, 3);
    assert_int_equal(context(g, 0, 1)->active, 1);
    assert_int_equal(g->sequences[g->core_sequence[1]].tiles, 1);
    /* More cores than tiles: the rest has none. */
    l->tiling.usedCoreNum = 6;
    g = geometry(l, false);
    assert_int_equal(g->core_sequence[5], UINT32_MAX);
}

static void warm_start_hits_all(void **state)
{
    struct lab *l = *state;
    l->tiling.usedCoreNum = 2;
    const struct mem_geometry *g = geometry(l, true);
    assert_int_equal(g->context_count, 1);
    expect(&g->contexts[0], 0, 0, 0);
    assert_int_equal(g->contexts[0].active, 1);
    assert_int_equal(g->contexts[0].c_bytes, 0);
    assert_int_equal(g->hbm, 0);
}

/* Tails are other shapes, and panels of other size. */
static void tails(void **state)
{
    struct lab *l = *state;
    l->problem.M = 24;
    const struct mem_geometry *g = geometry(l, false);
    assert_int_equal(g->shape_count, 2);
    assert_int_equal(g->shapes[context(g, 0, 1)->shape].key.m, 8);
    expect(context(g, 0, 1), 1000, 333, 256 + 170);
}

/* Steps, depths and loads share a geometry; a changed L2 does not. */
static void geometries_are_cached(void **state)
{
    struct lab *l = *state;
    uint64_t lookups, hits;
    const struct mem_geometry *g = geometry(l, false);
    l->tiling.dbL0C = 2;
    l->tiling.unitflag = 0;
    assert_ptr_equal(geometry(l, false), g);
    memctx_cache_counts(l->cache, &lookups, &hits);
    assert_int_equal(lookups, 2);
    assert_int_equal(hits, 1);
    l->target.l2_bytes = 4096;
    expect(context(geometry(l, false), 0, 1), 1000, 0, 512);
    l->tiling.iterateOrder = 1;
    geometry(l, false);
    l->tiling.usedCoreNum = 3;
    geometry(l, false);
    geometry(l, true);
    memctx_cache_counts(l->cache, &lookups, &hits);
    assert_int_equal(lookups, 6);
    assert_int_equal(hits, 1);
}

/* What L1 still holds is not read again; that depends on steps and buffers. */
static void resident_chunks(void **state)
{
    struct lab *l = *state;
    uint64_t lookups, hits;
    l->tiling.l1Resident = 1;
    const struct mem_geometry *g = geometry(l, false);
    /* One chunk covers K; two halves: B0 of tile 0 lies in the other half in tile 1, in the same one in tile 2. */
    expect(context(g, 0, 0), 1000, 1000, 1024);
    const struct mem_shape_key *second = &g->shapes[context(g, 0, 1)->shape].key;
    assert_true(second->load[1]);
    l->tiling.dbA1 = l->tiling.dbB1 = 1;
    g = geometry(l, false);
    memctx_cache_counts(l->cache, &lookups, &hits);
    assert_int_equal(hits, 0);
    /* One half: tile 1 finds B0 where tile 0 left it. */
    second = &g->shapes[context(g, 0, 1)->shape].key;
    assert_true(second->resident[1]);
    assert_int_equal(second->extent[1], 0);
    expect(context(g, 0, 1), 1000, 0, 512);
}

/* Cores that start at different K blocks have different programs. */
static void shuffled_k(void **state)
{
    struct lab *l = *state;
    uint64_t lookups, hits;
    l->problem.K = 64;
    l->tiling.usedCoreNum = 2;
    l->tiling.stepKa = l->tiling.stepKb = 1;
    l->target.l2_bytes = 1 << 20;
    assert_int_equal(geometry(l, false)->shape_count, 1);
    l->tiling.shuffleK = 1;
    const struct mem_geometry *g = geometry(l, false);
    assert_int_equal(g->shape_count, 2);
    assert_int_equal(g->shapes[context(g, 0, 0)->shape].key.start, 0);
    assert_int_equal(g->shapes[context(g, 1, 0)->shape].key.start, 1);
    l->tiling.stepKa = l->tiling.stepKb = 2;
    g = geometry(l, false);
    assert_int_equal(g->shapes[context(g, 1, 0)->shape].key.start, 2);
    memctx_cache_counts(l->cache, &lookups, &hits);
    assert_int_equal(hits, 0);
}

/* Past L2: every core reads for itself, nothing takes room. */
static void disabled_hints(void **state)
{
    struct lab *l = *state;
    l->tiling.usedCoreNum = 2;
    l->tiling.l2B = L2_DISABLE;
    l->target.l2_bytes = 1 << 20;
    const struct mem_geometry *g = geometry(l, false);
    /* Two panels of A, and B0 twice. */
    expect(context(g, 0, 0), 1000, 1000, 4 * 512);
    expect(context(g, 0, 1), 0, 1000, 2 * 512);
    l->tiling.l2C = L2_DISABLE;
    g = geometry(l, false);
    assert_true(g->write_back == 1);
}

static void batches_are_other_data(void **state)
{
    struct lab *l = *state;
    l->problem.batch = 2;
    l->target.l2_bytes = 1 << 20;
    const struct mem_geometry *g = geometry(l, false);
    assert_int_equal(g->sequences[0].tiles, 8);
    expect(context(g, 0, 3), 0, 0, 0);
    expect(context(g, 0, 4), 1000, 1000, 1024);
}

/* MX: two scales of a row's 64 k come from GM with its panel. */
static void scales_miss_with_their_panel(void **state)
{
    struct lab *l = *state;
    const struct target *loaded;
    assert_int_equal(target_load("ascend950pr_9589", NULL, &l->arena, &loaded, &l->diag), STATUS_OK);
    l->target = *loaded;
    l->problem.a.dtype = l->problem.b.dtype = DTYPE_FP8_E4M3;
    l->problem.a.mx = l->problem.b.mx = true;
    l->problem.scale_a.dtype = l->problem.scale_b.dtype = DTYPE_E8M0;
    l->problem.K = l->tiling.baseK = 64;
    const struct mem_geometry *g = geometry(l, false);
    expect(context(g, 0, 0), 1000, 1000, 2 * (16 * 64 + 16 * 2));
    assert_int_equal(g->hbm, (32 + 32) * (64 + 2));
    l->target.timing.prototype.scales_apart = true;
    g = geometry(l, false);
    assert_int_equal(g->hbm, (32 + 32) * 64);
}

static void hit_share_is_a_ramp(void **state)
{
    const struct lab *l = *state;
    assert_true(memctx_hit_share(&l->target, 0) == 1);
    assert_true(memctx_hit_share(&l->target, 1024) == 1);
    assert_true(memctx_hit_share(&l->target, 2560) == 0);
    assert_true(memctx_hit_share(&l->target, 1e18) == 0);
    const double half = memctx_hit_share(&l->target, (1024 + 2560) / 2.0);
    assert_true(half > 0.4999999 && half < 0.5000001);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(one_core),
        TEST(everything_fits),
        TEST(sharing_halves_a_miss),
        TEST(lone_core_in_the_last_step),
        TEST(warm_start_hits_all),
        TEST(tails),
        TEST(geometries_are_cached),
        TEST(hit_share_is_a_ramp),
        TEST(resident_chunks),
        TEST(shuffled_k),
        TEST(disabled_hints),
        TEST(batches_are_other_data),
        TEST(scales_miss_with_their_panel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
