/* The planted errors of mutation_quick_test on random tilings of both
 * architectures with every program variant: held operands, K slices, batches,
 * shuffled K, GEMV, row copies, Nz operands, all loads; every field of every
 * instruction of two tiles of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/mutation.h"
#include "support/points.h"

#define SEED    20260401
#define TILINGS 48

/* Does a tile before `t` on core 0 read the same rows of A or columns of B in chunks of its own? */
static bool shares(const struct schedule *s, int64_t t)
{
    struct tile tile, other;
    schedule_tile_at(s, 0, t, &tile);
    for (int64_t i = 0; i < t; i++) {
        schedule_tile_at(s, 0, i, &other);
        if ((s->hold[ROLE_A] == HOLD_CHUNKS && other.m0 == tile.m0) ||
            (s->hold[ROLE_B] == HOLD_CHUNKS && other.n0 == tile.n0)) {
            return true;
        }
    }
    return false;
}

/* A tile after the first that brings data of its own: what a planted error
 * leaves behind is then wrong. -1: none. */
static int64_t fresh_tile(const struct schedule *s)
{
    for (int64_t t = schedule_tiles(s, 0) - 1; t > 0; t--) {
        if (!shares(s, t)) {
            return t;
        }
    }
    return -1;
}

static int64_t draw(const struct target *target, struct rng *rng, struct problem *p, struct schedule *s)
{
    const struct point_limits limits = {160, 160, 300, 2000000, true, true, true, false, NULL, false};
    for (;;) {
        point_random(target, &limits, rng, p, s);
        const int64_t t = fresh_tile(s);
        if (t > 0 && schedule_steps(s, 0) <= 40 && s->nk <= 10 && s->nk >= 2) {
            return t;
        }
    }
}

static void test_random(void **state)
{
    (void)state;
    struct arena arena;
    struct judge judge;
    struct mutation_tally *tally = calloc(1, sizeof *tally);
    struct rng rng = rng_init(SEED);
    arena_init(&arena);
    judge_init(&judge);
    const struct target *targets[] = {point_target("ascend910b1", &arena), point_target("ascend950pr_9589", &arena)};
    print_message("seed %d\n", SEED);
    for (int i = 0; i < TILINGS; i++) {
        struct problem p;
        struct schedule s;
        const int64_t tile = draw(targets[i % 2], &rng, &p, &s);
        point_print(&s);
        mutation_run(&judge, &s, 0, 1, tally);
        mutation_run(&judge, &s, tile, 1, tally);
    }
    const size_t missed = mutation_report(tally);
    judge_fini(&judge);
    arena_fini(&arena);
    free(tally);
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
