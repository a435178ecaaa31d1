/* Random convolutions: step_work is the sum over the instructions of each step,
 * bytes and products are conserved, and both timers agree, with the bound below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "problem/conv.h"
#include "support/convs.h"
#include "support/points.h"
#include "timing/context.h"

#define SEED  4711
#define CASES 300

struct context {
    struct arena arena;
    const struct target *targets[2];
    struct timing *fast, *plain, *ref;
};

static int setup(void **state)
{
    static struct context c;
    arena_init(&c.arena);
    c.targets[0] = point_target("ascend910b1", &c.arena);
    c.targets[1] = point_target("ascend950pr_9589", &c.arena);
    *state = &c;
    return timing_create(&c.fast) == STATUS_OK && timing_create(&c.plain) == STATUS_OK &&
                   timing_create(&c.ref) == STATUS_OK
               ? 0
               : -1;
}

static int teardown(void **state)
{
    struct context *c = *state;
    timing_destroy(c->fast);
    timing_destroy(c->plain);
    timing_destroy(c->ref);
    arena_fini(&c->arena);
    return 0;
}

/* --- sums ------------------------------------------------------------------ */

/* Bytes of each path and instructions of each pipe, by the documents' parameters. */
static void add_insn(const struct insn *i, struct step_work *w)
{
    const int64_t block = 512;
    switch ((enum op)i->op) {
    case OP_DATA_COPY: /* map, filters */
        w->insns[PIPE_MTE2]++;
        w->bytes[PATH_GM_L1] += (int64_t)i->p.copy.blockCount * i->p.copy.blockLen * 32;
        break;
    case OP_ND2NZ: /* bias */
        w->insns[PIPE_MTE2]++;
        w->bytes[PATH_GM_L1] += i->p.nd2nz.nValue * dtype_bytes((enum dtype)i->dtype, i->p.nd2nz.dValue);
        break;
    case OP_LOAD_2D:
        w->insns[PIPE_MTE1]++;
        w->bytes[PATH_L1_L0B] += block * i->p.load_2d.repeatTimes;
        break;
    case OP_LOAD_2D_V2:
        w->insns[PIPE_MTE1]++;
        w->bytes[PATH_L1_L0B] += block * i->p.load_2d_v2.mStep * i->p.load_2d_v2.kStep;
        break;
    case OP_LOAD_3D:
    case OP_LOAD_3D_STRIDE:
        w->insns[PIPE_MTE1]++;
        w->bytes[PATH_L1_L0A] += dtype_bytes((enum dtype)i->dtype,
                                             (int64_t)i->p.load_3d.mExtension * i->p.load_3d.kExtension);
        break;
    case OP_L1_TO_BT:
        w->insns[PIPE_MTE1]++;
        break;
    case OP_L1_TO_FB: /* quant row */
        w->insns[PIPE_FIX]++;
        break;
    case OP_MMAD:
        w->insns[PIPE_M]++;
        break;
    case OP_FIXPIPE:
        w->insns[PIPE_FIX]++;
        w->bytes[PATH_L0C_GM] += dtype_bytes((enum dtype)i->p.fixpipe.dstType,
                                             (int64_t)i->p.fixpipe.mSize * i->p.fixpipe.nSize);
        break;
    case OP_SET_FLAG:
    case OP_WAIT_FLAG:
    case OP_PIPE_BARRIER:
        break;
    default:
        fail_msg("a conv issues %s", op_name((enum op)i->op));
    }
}

/* Bytes of a copy of the map that lie above the rows only its own points see:
 * counted point by point. */
static int64_t halo_of(const struct schedule *s, const struct step *step, const struct insn *copy)
{
    const struct conv_shape *v = &s->problem->conv;
    const int64_t wo = conv_out_w(v), from = step->tile.hold[ROLE_A].from, row_bytes = v->w * 32;
    const int64_t first = copy->src.byte / row_bytes % v->h, count = copy->p.copy.blockLen * 32 / row_bytes;
    int64_t shared = 0;
    for (int64_t row = first; row < first + count; row++) {
        bool seen = false;
        for (int64_t at = 0; at < from && !seen; at++) {
            const int64_t top = at / wo * v->stride_h - v->pad_top, bottom = top + (v->kh - 1) * v->dilation_h;
            /* A run without a row of the map has one all the same. */
            seen = (row >= top && row <= bottom) || (row == v->h - 1 && top >= v->h) || (row == 0 && bottom < 0);
        }
        shared += seen;
    }
    return shared * row_bytes * copy->p.copy.blockCount;
}

static void check_step(const struct schedule *s, int32_t core, int64_t i, struct insn *insns,
                       struct schedule_totals *sum)
{
    struct step step;
    struct step_work got, want = {0};
    schedule_step_at(s, core, i, &step);
    schedule_step_work(s, &step, &got);
    const int n = schedule_expand(s, &step, insns);
    assert_in_range(n, 1, schedule_expand_max(s));
    for (int j = 0; j < n; j++) {
        add_insn(&insns[j], &want);
        if (insns[j].op == OP_DATA_COPY && insns[j].src.tensor == TENSOR_A) {
            want.halo += halo_of(s, &step, &insns[j]);
        }
        if (insns[j].op == OP_MMAD) {
            sum->fractals += ceil_div(insns[j].p.mmad.m, 16) * ceil_div(insns[j].p.mmad.n, 16) *
                             ceil_div(insns[j].p.mmad.k, dtype_c0((enum dtype)insns[j].dtype));
        }
    }
    /* One instruction takes the whole block of the map: no repeat could save any. */
    assert_int_equal(got.calls[ROLE_A], 1);
    if (got.halo != want.halo) {
        conv_print(s);
        fail_msg("core %d step %d: %lld bytes of halo, %lld counted", core, (int)i, (long long)got.halo,
                 (long long)want.halo);
    }
    want.bytes[PATH_L1_BT] = got.bytes[PATH_L1_BT];
    want.bytes[PATH_L1_FB] = got.bytes[PATH_L1_FB];
    if (memcmp(want.bytes, got.bytes, sizeof want.bytes) != 0 ||
        memcmp(want.insns, got.insns, sizeof want.insns) != 0) {
        conv_print(s);
        fail_msg("core %d step %d: step_work is not the sum of its instructions", core, (int)i);
    }
    for (int b = 0; b < PATH_N; b++) {
        sum->bytes[b] += got.bytes[b];
    }
    sum->halo += got.halo;
    sum->macs += got.macs;
}

static void check_sums(const struct schedule *s)
{
    struct insn *insns = calloc((size_t)schedule_expand_max(s), sizeof *insns);
    struct schedule_totals closed, sum = {.macs = 0};
    for (int32_t core = 0; core < s->cores; core++) {
        for (int64_t i = 0; i < schedule_steps(s, core); i++) {
            check_step(s, core, i, insns, &sum);
        }
    }
    schedule_totals(s, &closed);
    assert_int_equal(closed.macs, sum.macs);
    assert_int_equal(closed.halo, sum.halo);
    assert_int_equal(closed.fractals, sum.fractals);
    assert_memory_equal(closed.bytes, sum.bytes, sizeof sum.bytes);
    /* Every product once; channels that fill up a block are multiplied too. */
    assert_int_equal(sum.macs, s->problem->M * s->problem->N * s->problem->K * s->problem->batch);
    free(insns);
}

static void test_sums(void **state)
{
    struct context *c = *state;
    struct rng rng = rng_init(SEED);
    print_message("seed %d\n", SEED);
    for (int i = 0; i < CASES; i++) {
        struct problem p;
        struct schedule s;
        conv_random(c->targets[i % 2], 20000000, &rng, &p, &s);
        check_sums(&s);
    }
}

/* --- time ------------------------------------------------------------------ */

static void expect_same(const struct schedule *s, const struct timing_result *a, const struct timing_result *b)
{
    if (a->task != b->task || a->core_mean != b->core_mean || a->core_max != b->core_max ||
        memcmp(a->busy, b->busy, sizeof a->busy) != 0 || a->hbm != b->hbm) {
        conv_print(s);
        fail_msg("timing_fast says %lld, %lld mcyc, timing_ref %lld, %lld", (long long)a->task, (long long)a->core_mean,
                 (long long)b->task, (long long)b->core_mean);
    }
}

static void test_timers(void **state)
{
    struct context *c = *state;
    struct rng rng = rng_init(SEED + 1);
    c->plain->shortcuts = 0;
    for (int i = 0; i < CASES; i++) {
        struct problem p;
        struct schedule s;
        struct timing_result fast, plain, ref;
        const struct timing_start start = {.l2_warm = i % 5 == 0};
        conv_random(c->targets[i % 2], i % 3 == 0 ? 400000000 : 20000000, &rng, &p, &s);
        p.bias.dtype = DTYPE_NONE; /* timed by timing_ref alone */
        s.t.isBias = 0;
        assert_int_equal(timing_fast(c->fast, &s, &start, &fast), STATUS_OK);
        assert_int_equal(timing_fast(c->plain, &s, &start, &plain), STATUS_OK);
        assert_int_equal(timing_ref(c->ref, &s, &start, &ref), STATUS_OK);
        expect_same(&s, &fast, &ref);
        expect_same(&s, &plain, &ref);
        assert_true(timing_bound(c->fast, &s) <= fast.task);
        assert_true(timing_bound_from(c->fast, &s, &start) <= fast.task);
    }
}

/* --- 1 x 1 ------------------------------------------------------------------ */

/* Instructions that touch GM or L1 of the whole schedule. */
static void expect_same_bytes(const struct schedule *conv, const struct schedule *matmul)
{
    struct insn *a = calloc((size_t)schedule_expand_max(conv), sizeof *a);
    struct insn *b = calloc((size_t)schedule_expand_max(matmul), sizeof *b);
    assert_int_equal(conv->cores, matmul->cores);
    for (int32_t core = 0; core < conv->cores; core++) {
        assert_int_equal(schedule_steps(conv, core), schedule_steps(matmul, core));
        for (int64_t i = 0; i < schedule_steps(conv, core); i++) {
            struct step x, y;
            schedule_step_at(conv, core, i, &x);
            schedule_step_at(matmul, core, i, &y);
            const int n = schedule_expand(conv, &x, a);
            assert_int_equal(n, schedule_expand(matmul, &y, b));
            for (int j = 0; j < n; j++) {
                assert_int_equal(a[j].op, b[j].op);
                assert_memory_equal(&a[j].dst, &b[j].dst, sizeof a[j].dst);
                assert_memory_equal(&a[j].src, &b[j].src, sizeof a[j].src);
                if (a[j].op == OP_DATA_COPY) {
                    assert_int_equal(a[j].p.copy.blockCount, b[j].p.copy.blockCount);
                    assert_int_equal(a[j].p.copy.blockLen, b[j].p.copy.blockLen);
                    assert_int_equal(a[j].p.copy.blockCount > 1 ? a[j].p.copy.srcGap : 0,
                                     b[j].p.copy.blockCount > 1 ? b[j].p.copy.srcGap : 0);
                } else if (a[j].op == OP_LOAD_3D) {
                    assert_int_equal(a[j].p.load_3d.mExtension, b[j].p.load_3d.mExtension);
                    assert_int_equal(a[j].p.load_3d.kExtension, b[j].p.load_3d.kExtension);
                }
            }
        }
    }
    free(a);
    free(b);
}

/* A conv of one point filters is the matmul with Nz operands: a map of whole
 * rows of 16 points, so that both read the same blocks at the same places. */
static void test_one_by_one(void **state)
{
    struct context *c = *state;
    static const int64_t sizes[][4] = {{64, 16, 80, 96}, {48, 16, 32, 64}, {160, 16, 128, 256}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct problem conv, matmul;
        struct schedule a, b;
        struct tiling t;
        const struct conv_shape v = {
            .c = sizes[i][2], .h = sizes[i][0], .w = sizes[i][1], .cout = sizes[i][3], .kh = 1, .kw = 1};
        conv_problem(&conv, &v, DTYPE_HALF, DTYPE_HALF, LAYOUT_ND);
        memset(&matmul, 0, sizeof matmul);
        matmul.name = "matmul";
        matmul.M = conv.M, matmul.N = conv.N, matmul.K = conv.K;
        matmul.a.dtype = matmul.b.dtype = matmul.c.dtype = DTYPE_HALF;
        matmul.a.format = matmul.b.format = LAYOUT_NZ;
        matmul.b.transpose = true;
        assert_int_equal(problem_finish(&matmul, NULL, NULL), STATUS_OK);
        assert_int_equal(problem_tensor_bytes(&conv, TENSOR_A), problem_tensor_bytes(&matmul, TENSOR_A));
        assert_int_equal(problem_tensor_bytes(&conv, TENSOR_B), problem_tensor_bytes(&matmul, TENSOR_B));
        tiling_all_auto(&t);
        t.baseM = 64, t.baseN = 48, t.baseK = 32, t.stepKa = 2, t.stepKb = 2, t.loadA = LOAD_3D;
        t.dbA1 = t.dbB1 = 1; /* one image each: the same places in L1 */
        point_schedule(c->targets[0], &conv, &t, &a);
        point_schedule(c->targets[0], &matmul, &t, &b);
        /* The conv's image has room for two more output rows (A49): B lies behind it. */
        for (int r = 0; r < a.plan.n; r++) {
            a.plan.r[r].off = b.plan.r[r].off;
        }
        expect_same_bytes(&a, &b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_timers),
                                       cmocka_unit_test(test_one_by_one)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
