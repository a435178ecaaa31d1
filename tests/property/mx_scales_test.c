/* The ways MX scales come to L1 - with chunks, over several chunks and tiles,
 * step by step - with every program variant: bytes, races, sums, timers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "engine/verify.h"
#include "support/matmuls.h"
#include "support/points.h"
#include "timing/timing.h"

#define SEED   90210
#define POINTS 120

struct lab {
    struct arena arena;
    const struct target *target;
    struct verify *verify;
    struct timing *timing;
    struct diag diag;
};

static int setup(void **state)
{
    static struct lab l;
    memset(&l, 0, sizeof l);
    arena_init(&l.arena);
    diag_init(&l.diag);
    l.target = point_target("ascend950pr_9589", &l.arena);
    assert_int_equal(verify_create(NULL, &l.verify), STATUS_OK);
    assert_int_equal(timing_create(&l.timing), STATUS_OK);
    *state = &l;
    return 0;
}

static int teardown(void **state)
{
    struct lab *l = *state;
    verify_destroy(l->verify);
    timing_destroy(l->timing);
    diag_fini(&l->diag);
    arena_fini(&l->arena);
    return 0;
}

static void expect_right(struct lab *l, const struct schedule *s, enum verify_level level)
{
    struct verify_outcome out;
    assert_int_equal(verify_schedule(l->verify, s, level, &out, &l->diag), STATUS_OK);
    if (!out.ok) {
        struct strbuf text;
        strbuf_init(&text);
        diag_render(&l->diag, &text);
        point_print(s);
        fail_msg("level %d: %s", (int)level, strbuf_cstr(&text));
    }
}

/* The sums of every step are those of its instructions: bytes of scales brought and used. */
static void expect_sums(const struct schedule *s)
{
    static struct insn insns[65536];
    assert_true(schedule_expand_max(s) <= 65536);
    for (int64_t i = 0; i < schedule_steps(s, 0); i++) {
        struct step step;
        struct step_work w;
        schedule_step_at(s, 0, i, &step);
        schedule_step_work(s, &step, &w);
        int copies[ROLE_N] = {0}, fills = 0;
        const int n = schedule_expand(s, &step, insns);
        for (int j = 0; j < n; j++) {
            fills += insns[j].op == OP_FILL;
            copies[insns[j].role] += insns[j].pipe == PIPE_MTE2 && insns[j].op != OP_FILL &&
                                     insns[j].op != OP_SET_FLAG && insns[j].op != OP_WAIT_FLAG;
        }
        assert_int_equal(copies[ROLE_SA], w.copies[ROLE_SA]);
        assert_int_equal(copies[ROLE_SB], w.copies[ROLE_SB]);
        assert_int_equal(fills, w.fills[ROLE_A] + w.fills[ROLE_B]);
    }
}

static void expect_timers_equal(struct lab *l, const struct schedule *s)
{
    struct timing_result ref, fast;
    const struct timing_start cold = {.l2_warm = false};
    assert_int_equal(timing_ref(l->timing, s, &cold, &ref), STATUS_OK);
    assert_int_equal(timing_fast(l->timing, s, &cold, &fast), STATUS_OK);
    assert_int_equal(ref.task, fast.task);
    assert_memory_equal(ref.busy, fast.busy, sizeof ref.busy);
    const int64_t bound = timing_bound(l->timing, s);
    if (bound > fast.task) {
        point_print(s);
        fail_msg("bound %lld above time %lld", (long long)bound, (long long)fast.task);
    }
}

static void random_points(void **state)
{
    struct lab *l = *state;
    const struct point_limits limits = {.max_m = 300,
                                        .max_n = 300,
                                        .max_k = 700,
                                        .max_macs = 8000000,
                                        .transposes = true,
                                        .nz = true,
                                        .variants = true,
                                        .dtypes = true,
                                        .mx = true};
    struct rng rng = rng_init(SEED);
    int by_step = 0, spans_m = 0, spans_n = 0, fills = 0;
    print_message("seed %d\n", SEED);
    for (int i = 0; i < POINTS; i++) {
        struct problem p;
        struct schedule s;
        point_random(l->target, &limits, &rng, &p, &s);
        expect_right(l, &s, VERIFY_FULL);
        expect_right(l, &s, VERIFY_CLASSES);
        expect_right(l, &s, VERIFY_LAYOUT);
        expect_sums(&s);
        expect_timers_equal(l, &s);
        by_step += s.t.scaleCopy == SCALES_BY_STEP;
        spans_m += s.t.scaleFactorM > 1 && s.tiles_m > 1;
        spans_n += s.t.scaleFactorN > 1 && s.tiles_n > 1;
        fills += p.K % 64 != 0;
    }
    print_message("step by step %d, spans of M %d, of N %d, K tails %d\n", by_step, spans_m, spans_n, fills);
    assert_true(by_step > 12 && spans_m > 12 && spans_n > 12 && fills > 20);
}

/* mxfp4 or mxfp8 of m x n x k, tiles 128 x 256 x 256 on one core, L1 chunks of two base blocks. */
static void paper_problem(enum dtype dtype, int64_t m, int64_t n, int64_t k, struct problem *p)
{
    memset(p, 0, sizeof *p);
    p->M = m, p->N = n, p->K = k;
    p->a.dtype = p->b.dtype = dtype;
    p->a.mx = p->b.mx = true;
    p->b.transpose = true;
    p->scale_a.dtype = p->scale_b.dtype = DTYPE_E8M0;
    p->c.dtype = DTYPE_FLOAT;
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
}

static void paper_tiling(enum dtype dtype, struct tiling *t)
{
    tiling_all_auto(t);
    t->usedCoreNum = 1;
    t->baseM = 128;
    t->baseN = 256;
    t->baseK = dtype == DTYPE_FP8_E4M3 ? 128 : 256;
    t->stepKa = t->stepKb = 2;
    t->dbL0C = 1;
}

/* Copies of one role, and their bytes, over all steps of core 0. */
static void count(const struct schedule *s, enum role role, int64_t *copies, int64_t *bytes)
{
    *copies = *bytes = 0;
    for (int64_t i = 0; i < schedule_steps(s, 0); i++) {
        struct step step;
        struct step_work w;
        schedule_step_at(s, 0, i, &step);
        schedule_step_work(s, &step, &w);
        *copies += w.copies[role];
        *bytes += (int64_t)w.rows[role] * w.row_bytes[role];
    }
}

static int64_t time_of(struct lab *l, const struct schedule *s)
{
    struct timing_result r;
    assert_int_equal(timing_fast(l->timing, s, &(struct timing_start){.l2_warm = false}, &r), STATUS_OK);
    return r.task;
}

/* Scales for every step: the same bytes in as many copies as there are steps, never faster, and said to be no
 * measured path. */
static void step_by_step(void **state)
{
    struct lab *l = *state;
    static const enum dtype dtypes[] = {DTYPE_FP4_E2M1, DTYPE_FP8_E4M3};
    for (int i = 0; i < 2; i++) {
        struct problem p;
        struct tiling t;
        struct schedule chunk, wide, step;
        int64_t copies, bytes, one_by_one;
        struct strbuf why;
        strbuf_init(&why);
        paper_problem(dtypes[i], 256, 512, 4096, &p);
        paper_tiling(dtypes[i], &t);
        t.scaleFactorKa = t.scaleFactorKb = 4;
        point_schedule(l->target, &p, &t, &wide);
        t.scaleFactorKa = t.scaleFactorKb = 1;
        point_schedule(l->target, &p, &t, &chunk);
        t.scaleCopy = SCALES_BY_STEP;
        point_schedule(l->target, &p, &t, &step);
        const int64_t steps = schedule_steps(&step, 0);
        count(&chunk, ROLE_SA, &copies, &bytes);
        assert_int_equal(copies, steps / 2);
        count(&step, ROLE_SA, &copies, &one_by_one);
        assert_int_equal(copies, steps);
        assert_int_equal(one_by_one, bytes);
        assert_int_equal(bytes, 256 * 2 * 4096 / 32); /* all codes of A for both tile columns */
        assert_int_equal(plan_region(&step.plan, BUF_L1, ROLE_SA, 1)->size, 128 * t.baseK / 32);
        assert_true(time_of(l, &step) > time_of(l, &chunk));
        assert_true(time_of(l, &chunk) >= time_of(l, &wide));
        timing_unvalidated(&step, &why);
        assert_non_null(strstr(strbuf_cstr(&why), "scaleCopy step"));
        expect_right(l, &step, VERIFY_FULL);
        strbuf_fini(&why);
    }
}

/* Five tiles along M and three along N, M inner: spans of two tiles of A are 2 + 2 + 1, brought anew for each of the
 * three columns; one span over all five is brought once. Spans of B (two columns) are kept while M is walked. */
static void spans(void **state)
{
    struct lab *l = *state;
    static const struct {
        int32_t factor_m, factor_n, iterate;
        int64_t copies_a, copies_b;
        bool once;
    } cases[] = {{1, 1, 0, 15, 15, false}, {2, 1, 0, 9, 15, false}, {5, 1, 0, 1, 15, true},   {127, 1, 0, 1, 15, true},
                 {1, 2, 0, 15, 2, false},  {2, 1, 1, 3, 15, true},  {1, 2, 1, 15, 10, false}, {3, 3, 1, 2, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct problem p;
        struct tiling t;
        struct schedule s;
        int64_t copies, bytes;
        paper_problem(DTYPE_FP4_E2M1, 5 * 128 - 16, 3 * 256, 1024, &p);
        paper_tiling(DTYPE_FP4_E2M1, &t);
        t.scaleFactorKa = t.scaleFactorKb = 2; /* two chunks of 512 are K */
        t.scaleFactorM = cases[i].factor_m;
        t.scaleFactorN = cases[i].factor_n;
        t.iterateOrder = cases[i].iterate;
        point_schedule(l->target, &p, &t, &s);
        count(&s, ROLE_SA, &copies, &bytes);
        assert_int_equal(copies, cases[i].copies_a);
        assert_int_equal(bytes, (cases[i].once ? 1 : 3) * 624 * 1024 / 32); /* all rows once, or for each column */
        count(&s, ROLE_SB, &copies, &bytes);
        assert_int_equal(copies, cases[i].copies_b);
        const int64_t rows = cases[i].factor_m == 1          ? 128
                             : cases[i].factor_m * 128 < 624 ? cases[i].factor_m * 128
                                                             : 624;
        assert_int_equal(plan_region(&s.plan, BUF_L1, ROLE_SA, 0)->size, rows * 1024 / 32);
        expect_right(l, &s, VERIFY_FULL);
        expect_right(l, &s, VERIFY_CLASSES);
    }
}

/* mxTypePara: 1..127 each; along M and N only where the scales cover K; step by step there is no span. */
static void rules(void **state)
{
    struct lab *l = *state;
    static const struct {
        int32_t step_k, ka, kb, m, n, copy;
        enum infeasible_reason reason;
        enum tiling_field field;
    } cases[] = {
        {2, 2, 2, 127, 127, 0, REASON_NONE, TF_N},
        {2, 2, 2, 128, 1, 0, REASON_RANGE, TF_scaleFactorM},
        {2, 2, 2, 1, 128, 0, REASON_RANGE, TF_scaleFactorN},
        {2, 128, 2, 1, 1, 0, REASON_RANGE, TF_scaleFactorKa},
        {2, 1, 2, 2, 1, 0, REASON_CONTRADICTION, TF_scaleFactorM},
        {2, 2, 1, 1, 2, 0, REASON_CONTRADICTION, TF_scaleFactorN},
        {2, 2, 1, 2, 1, 0, REASON_NONE, TF_N},
        {2, 2, 1, 1, 1, 1, REASON_CONTRADICTION, TF_scaleFactorKa},
        {4, 1, 1, 2, 1, 1, REASON_CONTRADICTION, TF_scaleFactorM},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct problem p;
        struct tiling t;
        struct plan plan;
        struct infeasible why;
        paper_problem(DTYPE_FP4_E2M1, 640, 768, 1024, &p);
        paper_tiling(DTYPE_FP4_E2M1, &t);
        t.dbA1 = t.dbB1 = 1;
        t.stepKa = t.stepKb = cases[i].step_k;
        t.scaleFactorKa = cases[i].ka, t.scaleFactorKb = cases[i].kb;
        t.scaleFactorM = cases[i].m, t.scaleFactorN = cases[i].n;
        t.scaleCopy = cases[i].copy;
        tiling_resolve(l->target, &p, &t, &why);
        (void)(why.reason == REASON_NONE && plan_make(l->target, &p, &t, &plan, &why));
        assert_int_equal(why.reason, cases[i].reason);
        assert_int_equal(why.field, cases[i].field);
    }
}

/* m = 1 as a vector: A and its scales contiguous in L1, whole 512 B and 32 code blocks to L0A and L0A_MX; also the
 * last row of a matrix, whose other tiles are fractals. */
static void gemv(void **state)
{
    struct lab *l = *state;
    static const struct {
        enum dtype a, b;
        int64_t m, k;
        int32_t base_k, step_k, factor, copy;
    } cases[] = {
        {DTYPE_FP8_E4M3, DTYPE_FP8_E5M2, 1, 2048, 1024, 1, 1, 0},
        {DTYPE_FP8_E4M3, DTYPE_FP8_E4M3, 1, 4000, 1024, 2, 2, 0}, /* k % 64 is 32: zeros behind it */
        {DTYPE_FP8_E5M2, DTYPE_FP8_E4M3, 1, 3010, 512, 1, 1, 0},
        {DTYPE_FP8_E4M3, DTYPE_FP8_E5M2, 1, 600, 512, 2, 1, 1}, /* scales step by step */
        {DTYPE_FP4_E2M1, DTYPE_FP4_E1M2, 1, 3000, 1024, 2, 1, 0},
        {DTYPE_FP4_E1M2, DTYPE_FP4_E2M1, 1, 500, 128, 1, 1, 0},
        {DTYPE_FP4_E1M2, DTYPE_FP4_E1M2, 1, 64, 64, 1, 1, 0},
        {DTYPE_FP8_E4M3, DTYPE_FP8_E5M2, 33, 1500, 256, 1, 1, 0}, /* the last row */
        {DTYPE_FP4_E2M1, DTYPE_FP4_E2M1, 17, 2100, 1024, 2, 3, 0},
    };
    static struct insn insns[4096];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct problem p;
        struct tiling t;
        struct schedule s;
        struct step step;
        int vectors = 0;
        paper_problem(cases[i].a, cases[i].m, 80, cases[i].k, &p);
        p.b.dtype = cases[i].b;
        tiling_all_auto(&t);
        t.gemv = 1;
        t.baseM = cases[i].m > 32 ? 32 : 16;
        t.baseN = 32;
        t.baseK = cases[i].base_k;
        t.stepKa = t.stepKb = cases[i].step_k;
        t.scaleFactorKa = t.scaleFactorKb = cases[i].factor;
        t.scaleCopy = cases[i].copy;
        point_schedule(l->target, &p, &t, &s);
        matmul_expect_right(l->verify, &s, true);
        expect_timers_equal(l, &s);
        expect_sums(&s);
        for (int32_t core = 0; core < s.cores; core++) {
            schedule_step_at(&s, core, 0, &step);
            const int n = schedule_expand(&s, &step, insns);
            for (int j = 0; j < n; j++) {
                const bool load = insns[j].op == OP_LOAD_MX && insns[j].role == ROLE_A;
                vectors += load && insns[j].p.load_mx.data.mStep == 1 && insns[j].p.load_mx.xStep == 1;
                assert_true(insns[j].op != OP_MMAD_MX || step.tile.m != 1 || insns[j].p.mmad.disableGemv == 0);
            }
        }
        assert_true(vectors > 0);
        p.scale_a.transpose = true; /* in pairs along K: no vector */
        struct infeasible why;
        assert_false(matmul_schedule(l->target, &p, &t, &s, &why));
        assert_int_equal(why.reason, REASON_CONTRADICTION);
        assert_int_equal(why.field, TF_gemv);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_points), cmocka_unit_test(step_by_step),
                                       cmocka_unit_test(spans), cmocka_unit_test(rules), cmocka_unit_test(gemv)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
