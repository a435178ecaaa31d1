/* Matmuls of several groups of rows, each with its own B: bytes against the
 * reference, the tile map a bijection, every core free of races, both timers
 * equal, and the L2 model sees a B for each group. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "engine/cover.h"
#include "engine/verify.h"
#include "support/points.h"
#include "timing/memctx.h"

#define SEED   4711
#define POINTS 160

struct lab {
    struct verify *verify;
    struct timing *timing;
    struct diag diag;
};

static void expect_right(struct lab *l, const struct schedule *s, enum verify_level level)
{
    struct verify_outcome out;
    assert_int_equal(verify_schedule(l->verify, s, level, &out, &l->diag), STATUS_OK);
    if (!out.ok) {
        struct strbuf text;
        strbuf_init(&text);
        diag_render(&l->diag, &text);
        point_print(s);
        fail_msg("%s", strbuf_cstr(&text));
    }
    assert_int_equal(out.elems, s->problem->M * s->problem->N);
}

static void expect_timers_equal(struct lab *l, const struct schedule *s)
{
    struct timing_result ref, fast;
    const struct timing_start cold = {.l2_warm = false};
    assert_int_equal(timing_ref(l->timing, s, &cold, &ref), STATUS_OK);
    assert_int_equal(timing_fast(l->timing, s, &cold, &fast), STATUS_OK);
    assert_int_equal(ref.task, fast.task);
    assert_int_equal(ref.hbm, fast.hbm);
    assert_memory_equal(ref.busy, fast.busy, sizeof ref.busy);
    assert_true(timing_bound(l->timing, s) <= fast.task);
}

/* Tiles do not cross the end of a group, and every group has as many as its rows ask for. */
static void expect_own_tiles(const struct schedule *s)
{
    int64_t tiles[POINT_GROUPS] = {0};
    for (int32_t core = 0; core < s->cores; core++) {
        for (int64_t t = 0; t < schedule_tiles(s, core); t++) {
            struct tile tile;
            schedule_tile_at(s, core, t, &tile);
            tiles[tile.batch]++;
        }
    }
    for (int64_t g = 0; g < s->problem->groups; g++) {
        assert_int_equal(tiles[g], ceil_div(problem_group_rows(s->problem, g), s->t.baseM) * s->tiles_n);
    }
}

static void random_points(void **state)
{
    (void)state;
    struct arena arena;
    struct lab l = {0};
    int64_t end[POINT_GROUPS];
    struct point_limits limits = {.max_m = 400,
                                  .max_n = 200,
                                  .max_k = 300,
                                  .max_macs = 4000000,
                                  .transposes = true,
                                  .nz = true,
                                  .group_end = end};
    int empty = 0, orders[ORDER_CHUNK + 1] = {0};
    struct rng rng = rng_init(SEED);
    arena_init(&arena);
    diag_init(&l.diag);
    assert_int_equal(verify_create(NULL, &l.verify), STATUS_OK);
    assert_int_equal(timing_create(&l.timing), STATUS_OK);
    const struct target *targets[] = {point_target("ascend910b1", &arena), point_target("ascend950pr_9589", &arena)};
    print_message("seed %d\n", SEED);
    for (int i = 0; i < POINTS; i++) {
        struct problem p;
        struct schedule s;
        struct schedule_totals totals;
        limits.variants = i % 4 != 0;
        limits.dtypes = i % 4 > 1;
        point_random(targets[i % 2], &limits, &rng, &p, &s);
        expect_right(&l, &s, VERIFY_FULL);
        expect_right(&l, &s, VERIFY_CLASSES);
        expect_right(&l, &s, VERIFY_LAYOUT);
        expect_timers_equal(&l, &s);
        expect_own_tiles(&s);
        schedule_totals(&s, &totals);
        assert_int_equal(totals.macs, problem_macs(&p));
        orders[s.t.order]++;
        for (int64_t g = 0; g < p.groups; g++) {
            empty += problem_group_rows(&p, g) == 0;
        }
    }
    print_message("%d groups without rows; tiles linear %d, swizzle %d, aswt %d, chunk %d\n", empty,
                  orders[ORDER_LINEAR], orders[ORDER_SWIZZLE], orders[ORDER_ASWT], orders[ORDER_CHUNK]);
    assert_true(empty > 20 && orders[ORDER_LINEAR] > 5 && orders[ORDER_SWIZZLE] > 5 && orders[ORDER_ASWT] > 5 &&
                orders[ORDER_CHUNK] > 5);
    verify_destroy(l.verify);
    timing_destroy(l.timing);
    diag_fini(&l.diag);
    arena_fini(&arena);
}

/* Three groups of 64 rows in tiles of 32 x 32 on one core. */
static void paper(struct arena *arena, struct problem *p, const int64_t *end, int64_t groups, struct schedule *s)
{
    struct tiling t;
    point_problem(p, end[groups - 1], 64, 64, false, true);
    p->groups = groups;
    p->group_end = end;
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
    tiling_all_auto(&t);
    t.baseM = t.baseN = 32;
    t.baseK = 64;
    t.usedCoreNum = 1;
    t.assign = ASSIGN_BLOCKS;
    point_schedule(point_target("ascend910b1", arena), p, &t, s);
}

/* The proof of the tile map sees groups whose borders lie elsewhere. */
static void cover_sees_borders(void **state)
{
    (void)state;
    static const int64_t end[] = {64, 128, 192}, moved[] = {64, 160, 192};
    struct arena arena;
    struct problem p;
    struct schedule s;
    struct diag d;
    arena_init(&arena);
    diag_init(&d);
    paper(&arena, &p, end, 3, &s);
    assert_int_equal(cover_check(&s, &arena, &d), STATUS_OK);
    p.group_end = moved; /* the schedule still counts the tiles of `end` */
    assert_int_equal(cover_check(&s, &arena, &d), STATUS_MISMATCH);
    diag_fini(&d);
    arena_fini(&arena);
}

/* Every B is read from HBM once, where one matmul of the same rows reads one;
 * a cache that knew groups by their number only would mix the geometries up. */
static void l2_sees_each_b(void **state)
{
    (void)state;
    static const int64_t three[] = {64, 128, 192}, uneven[] = {32, 64, 192}, one[] = {192};
    const int64_t panel = 64 * 64 * 2, a = 192 * 64 * 2;
    struct arena arena;
    struct problem p;
    struct schedule s;
    struct memctx_cache *cache;
    const struct mem_geometry *g;
    arena_init(&arena);
    assert_int_equal(memctx_cache_create(&cache), STATUS_OK);
    const struct {
        const int64_t *end;
        int64_t groups;
    } cases[] = {{one, 1}, {three, 3}, {uneven, 3}, {three, 3}};
    int64_t missed_b_steps[4] = {0};
    for (size_t i = 0; i < 4; i++) {
        int64_t bytes = 0;
        paper(&arena, &p, cases[i].end, cases[i].groups, &s);
        assert_int_equal(memctx_get(cache, &s, false, &g), STATUS_OK);
        for (int64_t t = 0; t < g->sequences[0].tiles; t++) {
            const struct mem_context *c = &g->contexts[g->sequences[0].contexts[t]];
            bytes += c->hbm_bytes;
            missed_b_steps[i] += c->missed[ROLE_B] > 0 ? t : 0; /* which tiles, not only how many */
        }
        assert_int_equal(bytes, a + panel * cases[i].groups);
    }
    assert_int_equal(missed_b_steps[1], missed_b_steps[3]);
    assert_int_not_equal(missed_b_steps[1], missed_b_steps[2]);
    memctx_cache_destroy(cache);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_points), cmocka_unit_test(cover_sees_borders),
                                       cmocka_unit_test(l2_sees_each_b)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
