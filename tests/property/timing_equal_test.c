/* The two timers against each other, and the bound below both, on random
 * points: shapes with tails, every buffer count, unit flag, wait-both, grid and
 * blocks in every order, L2 rounds, narrow loads and rows too far apart for one
 * copy, batches, L2 sizes from nothing fits to everything fits; and each knob
 * that changes what a tile copies, keeps, or in which order it goes.
 *
 * The seed is printed; TIMING_SEED repeats one. A failing point is shrunk by
 * halving its sizes as long as it still fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "timing/context.h"

#ifndef POINTS
#define POINTS 600
#endif
#define BASE_SEED 20240607U

/* Everything random of a point, so that shrinking can edit it. */
struct point {
    const struct target *base;
    int64_t M, N, K, ld_extra, batch;
    int variant;
    bool trans_a, trans_b, nz_b, float_c;
    double l2_bytes;
    bool mmad_barrier, l2_warm;
    struct tiling t;
};

struct fixture {
    struct arena arena;
    struct diag diag;
    const struct target *targets[2];
    struct timing *fast, *plain, *ref;
    double tightness; /* sum of bound / time */
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    arena_init(&f->arena);
    diag_init(&f->diag);
    assert_int_equal(target_load("ascend910b1", NULL, &f->arena, &f->targets[0], &f->diag), STATUS_OK);
    assert_int_equal(target_load("ascend950pr_9589", NULL, &f->arena, &f->targets[1], &f->diag), STATUS_OK);
    assert_int_equal(timing_create(&f->fast), STATUS_OK);
    assert_int_equal(timing_create(&f->plain), STATUS_OK);
    assert_int_equal(timing_create(&f->ref), STATUS_OK);
    f->plain->shortcuts = 0;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    timing_destroy(f->fast);
    timing_destroy(f->plain);
    timing_destroy(f->ref);
    diag_fini(&f->diag);
    arena_fini(&f->arena);
    free(f);
    return 0;
}

static int64_t pick(struct rng *r, int64_t lo, int64_t hi)
{
    return rng_between(r, lo, hi);
}

static int32_t one_of(struct rng *r, int n, const int32_t *values)
{
    return values[rng_below(r, (uint64_t)n)];
}
#define ONE_OF(r, ...) \
    one_of(r, (int)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)), (const int32_t[]){__VA_ARGS__})

static void random_tiling(struct rng *r, struct tiling *t)
{
    tiling_all_auto(t);
    t->baseM = 16 * (int32_t)pick(r, 1, 8);
    t->baseN = 16 * (int32_t)pick(r, 1, 8);
    t->baseK = ONE_OF(r, 16, 32, 48, 64);
    t->stepKa = ONE_OF(r, 1, 1, 2, 3, 4, 6);
    t->stepKb = ONE_OF(r, 1, 1, 2, 3, 4, 5);
    t->dbA1 = ONE_OF(r, 1, 2);
    t->dbB1 = ONE_OF(r, 1, 2);
    t->depthA1 = t->stepKa * t->dbA1;
    t->depthB1 = t->stepKb * t->dbB1;
    t->dbL0A = ONE_OF(r, 1, 2, 2);
    t->dbL0B = ONE_OF(r, 1, 2, 2);
    t->unitflag = ONE_OF(r, 0, 1);
    t->dbL0C = t->unitflag ? 1 : ONE_OF(r, 1, 2);
    t->waitBoth = ONE_OF(r, 0, 1);
    t->iterateOrder = ONE_OF(r, 0, 1);
    t->kernel = ONE_OF(r, KERNEL_CUBE, KERNEL_MIX);
    t->api = ONE_OF(r, API_BASIC, API_HIGH);
    t->assign = ONE_OF(r, ASSIGN_GRID, ASSIGN_BLOCKS);
    if (t->assign == ASSIGN_BLOCKS) {
        t->usedCoreNum = ONE_OF(r, 1, 2, 5, 20, 24);
        t->order = ONE_OF(r, ORDER_LINEAR, ORDER_SWIZZLE, ORDER_ASWT, ORDER_CHUNK);
        t->orderOffset = t->order == ORDER_SWIZZLE ? (int32_t)pick(r, 1, 4) : 1;
        t->orderDirection = ONE_OF(r, 0, 1);
    } else {
        t->orderRounds = ONE_OF(r, 1, 1, 2, 3);
        t->usedCoreNum = ONE_OF(r, 1, 2, 6, 24);
    }
}

/* What a point has besides the plain program; -1 none. */
enum variant {
    VARIANT_GROUP = 0, /* stepM, stepN > 1 */
    VARIANT_FULL_LOAD,
    VARIANT_RESIDENT,
    VARIANT_SPLIT_K,
    VARIANT_SHUFFLE_K,
    VARIANT_GEMV,
    VARIANT_COPY_FIRST,
    VARIANT_ROW_COPY,
    VARIANT_BATCH,
    VARIANT_L2_HINTS,
    VARIANT_LOADS,
    VARIANT_N
};

static void whole_k(struct point *x, struct tiling *t, bool a, bool b)
{
    const int32_t nk = (int32_t)((x->K + t->baseK - 1) / t->baseK);
    t->stepKa = a ? nk : t->stepKa;
    t->stepKb = b ? nk : t->stepKb;
}

static void plain_grid(struct tiling *t)
{
    t->assign = ASSIGN_GRID;
    t->order = ORDER_LINEAR;
    t->orderRounds = t->orderOffset = 1;
    t->orderDirection = 0;
}

static void vary_program(struct rng *r, struct point *x, struct tiling *t)
{
    switch ((enum variant)x->variant) {
    case VARIANT_GROUP:
        x->K = 1 + x->K % 500;
        plain_grid(t);
        t->stepM = ONE_OF(r, 1, 2, 3);
        t->stepN = t->stepM == 1 ? 2 : ONE_OF(r, 1, 2);
        whole_k(x, t, t->stepM > 1, t->stepN > 1);
        break;
    case VARIANT_FULL_LOAD:
        x->K = 1 + x->K % 500;
        plain_grid(t);
        t->fullLoad = ONE_OF(r, FULL_LOAD_A, FULL_LOAD_B);
        whole_k(x, t, t->fullLoad == FULL_LOAD_A, t->fullLoad == FULL_LOAD_B);
        break;
    case VARIANT_RESIDENT:
        x->K = 1 + x->K % 300;
        t->l1Resident = 1;
        break;
    case VARIANT_SPLIT_K:
        t->splitK = (int32_t)pick(r, 2, 5);
        t->splitKReduce = ONE_OF(r, REDUCE_ATOMIC, REDUCE_WORKSPACE);
        t->order = t->order == ORDER_SWIZZLE ? ORDER_SWIZZLE : ORDER_LINEAR;
        t->orderRounds = 1;
        t->unitflag = 0;
        x->float_c = true;
        break;
    case VARIANT_SHUFFLE_K:
        t->shuffleK = 1;
        break;
    case VARIANT_GEMV:
        x->M = ONE_OF(r, 1, 1, 17, 33);
        x->trans_a = false;
        t->baseM = 16;
        t->gemv = 1;
        break;
    case VARIANT_COPY_FIRST:
        t->copyFirst = 1;
        break;
    case VARIANT_ROW_COPY:
        t->rowCopy = 1;
        t->baseM = 16;
        x->K = 16 * (1 + x->K / 16);
        x->trans_a = false;
        break;
    case VARIANT_BATCH:
        x->batch = pick(r, 2, 4);
        break;
    case VARIANT_L2_HINTS:
        t->l2A = ONE_OF(r, L2_NORMAL, L2_DISABLE);
        t->l2B = ONE_OF(r, L2_NORMAL, L2_DISABLE);
        t->l2C = ONE_OF(r, L2_NORMAL, L2_DISABLE);
        break;
    case VARIANT_LOADS: {
        const int32_t load = ONE_OF(r, LOAD_2D, LOAD_3D, LOAD_TRANSPOSE, LOAD_2D_V2, LOAD_3D_STRIDE);
        *(rng_below(r, 2) == 0 ? &t->loadA : &t->loadB) = load;
        break;
    }
    case VARIANT_N:
        break;
    }
    t->depthA1 = t->depthB1 = TILING_AUTO; /* follow from steps and buffers */
}

static void random_point(const struct fixture *f, struct rng *r, struct point *x)
{
    memset(x, 0, sizeof *x);
    x->base = f->targets[rng_below(r, 2)];
    x->M = ONE_OF(r, 1, 16, 17, 0, 0, 0, 0);
    x->M = x->M == 0 ? pick(r, 2, 700) : x->M;
    x->N = pick(r, 1, 700);
    x->K = ONE_OF(r, 1, 16, 0, 0, 0, 0, 0);
    x->K = x->K == 0 ? pick(r, 2, 3000) : x->K;
    x->trans_a = rng_below(r, 4) == 0;
    x->trans_b = rng_below(r, 2) == 0;
    x->float_c = rng_below(r, 4) == 0;
    x->nz_b = rng_below(r, 8) == 0;
    x->ld_extra = ONE_OF(r, 0, 0, 0, 1, 64, 66000);
    /* From a panel or two to the whole problem. */
    x->l2_bytes = (double)pick(r, 1, 64) * 65536;
    x->mmad_barrier = rng_below(r, 2) == 0;
    x->l2_warm = rng_below(r, 8) == 0;
    x->batch = 1;
    random_tiling(r, &x->t);
    x->variant = (int)rng_below(r, 2 * VARIANT_N);
    vary_program(r, x, &x->t);
}

static void make_operand(struct operand *o, enum dtype dtype, bool transpose, bool nz, int64_t cols, int64_t ld_extra)
{
    *o = (struct operand){.dtype = dtype, .transpose = transpose, .format = nz ? LAYOUT_NZ : LAYOUT_ND};
    o->ld = nz || ld_extra == 0 ? 0 : cols + ld_extra;
}

/* @return false if the point is not feasible. */
static bool make_schedule(const struct point *x, struct target *target, struct problem *p, struct schedule *s)
{
    struct tiling t = x->t;
    struct plan plan;
    struct infeasible why;
    *target = *x->base;
    target->l2_bytes = x->l2_bytes;
    target->timing.mmad_barrier = x->mmad_barrier;
    *p = (struct problem){.name = "random", .op = PROBLEM_MATMUL, .M = x->M, .N = x->N, .K = x->K, .batch = x->batch};
    make_operand(&p->a, DTYPE_HALF, x->trans_a, false, x->trans_a ? x->M : x->K, x->ld_extra);
    make_operand(&p->b, DTYPE_HALF, x->trans_b, x->nz_b, x->trans_b ? x->K : x->N, x->ld_extra);
    make_operand(&p->c, x->float_c ? DTYPE_FLOAT : DTYPE_HALF, false, false, x->N, 0);
    if (problem_finish(p, NULL, NULL) != STATUS_OK) {
        return false;
    }
    tiling_resolve(target, p, &t, &why);
    return why.reason == REASON_NONE && plan_make(target, p, &t, &plan, &why) &&
           schedule_init(s, target, p, &t, &plan, NULL) == STATUS_OK;
}

static bool same(const struct timing_result *a, const struct timing_result *b)
{
    return a->task == b->task && a->core_mean == b->core_mean && a->core_max == b->core_max &&
           memcmp(a->busy, b->busy, sizeof a->busy) == 0 && a->hbm == b->hbm && a->steps == b->steps &&
           a->bound_pipe == b->bound_pipe;
}

/* What is wrong with a point; NULL if nothing is or it is not feasible. */
static const char *judge(struct fixture *f, const struct point *x, bool *feasible)
{
    struct target target;
    struct problem p;
    struct schedule s;
    struct timing_result ref, fast, plain;
    const struct timing_start start = {.l2_warm = x->l2_warm};
    *feasible = make_schedule(x, &target, &p, &s);
    if (!*feasible) {
        return NULL;
    }
    if (timing_ref(f->ref, &s, &start, &ref) != STATUS_OK || timing_fast(f->fast, &s, &start, &fast) != STATUS_OK ||
        timing_fast(f->plain, &s, &start, &plain) != STATUS_OK) {
        return "a timer failed";
    }
    if (!same(&ref, &plain)) {
        return "timing_ref and the plain recurrence differ";
    }
    if (!same(&plain, &fast)) {
        return "the short cuts change the result";
    }
    if (fast.steps_simulated > fast.steps) {
        return "more steps simulated than there are";
    }
    const int64_t bound = timing_bound(f->fast, &s), tight = timing_bound_from(f->fast, &s, &start);
    f->tightness += (double)tight / (double)fast.task;
    return tight > fast.task || bound > tight ? "the bound lies above the time" : NULL;
}

static void print_point(const struct point *x)
{
    struct strbuf name;
    strbuf_init(&name);
    tiling_name(&x->t, &name);
    print_message("  variant %d %s M=%lld N=%lld K=%lld ld+%lld a%c b%c%s c%s L2=%g barrier=%d warm=%d\n  %s\n",
                  x->variant, x->base->name, (long long)x->M, (long long)x->N, (long long)x->K, (long long)x->ld_extra,
                  x->trans_a ? 't' : 'n', x->trans_b ? 't' : 'n', x->nz_b ? "z" : "", x->float_c ? "float" : "half",
                  x->l2_bytes, x->mmad_barrier, x->l2_warm, strbuf_cstr(&name));
    strbuf_fini(&name);
}

/* Halves sizes while the point still fails. */
static void shrink(struct fixture *f, struct point *x)
{
    bool smaller = true, feasible;
    while (smaller) {
        smaller = false;
        int64_t *const sizes[] = {&x->M, &x->N, &x->K, &x->ld_extra};
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const int64_t was = *sizes[i];
            *sizes[i] = was / 2;
            if (was > 0 && judge(f, x, &feasible) != NULL) {
                smaller = true;
            } else {
                *sizes[i] = was;
            }
        }
    }
}

static void timers_agree(void **state)
{
    struct fixture *f = *state;
    const char *given = getenv("TIMING_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : BASE_SEED;
    print_message("seed %llu\n", (unsigned long long)seed);
    int done = 0, tried = 0;
    uint64_t kinds = 0;
    int variants[2 * VARIANT_N] = {0};
    for (; done < POINTS && tried < 50 * POINTS; tried++) {
        struct rng r = rng_init(rng_at(seed, (uint64_t)tried));
        struct point x;
        bool feasible;
        random_point(f, &r, &x);
        const char *wrong = judge(f, &x, &feasible);
        done += feasible;
        kinds |= feasible ? 1ULL << (x.t.unitflag | x.t.waitBoth << 1 | (x.t.assign == ASSIGN_BLOCKS) << 2) : 0;
        variants[x.variant] += feasible;
        if (wrong != NULL) {
            print_message("point %d: %s\n", tried, wrong);
            shrink(f, &x);
            print_point(&x);
            fail();
        }
    }
    print_message("%d points of %d drawn; bound / time %.3f\n", done, tried, f->tightness / done);
    print_message("variants");
    for (int i = 0; i < VARIANT_N; i++) {
        print_message(" %d", variants[i]);
    }
    print_message("\n");
    assert_int_equal(done, POINTS);
    for (int i = 0; i < VARIANT_N; i++) {
        assert_true(variants[i] > 0);
    }
    assert_int_equal(kinds, 0xFF); /* every combination of the main knobs came up */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(timers_agree, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
