/* Whole convolutions through the engine equal the seven loops of the reference
 * bit for bit, and the pattern classes agree with the full run. Every
 * instruction is legal, no access races (verification checks both). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify.h"
#include "isa/legality.h"
#include "problem/conv.h"
#include "support/convs.h"
#include "support/points.h"

#define SEED  20261130
#define CASES 900

static void expect_legal(const struct schedule *s, const struct insn *insn)
{
    struct violations v = {0};
    legality_check(insn, s->target, NULL, &v);
    if (v.errors > 0) {
        struct strbuf text;
        strbuf_init(&text);
        insn_format(insn, &text);
        for (size_t j = 0; j < v.count; j++) {
            strbuf_add(&text, "\n");
            violation_format(&v.v[j], &text);
        }
        conv_print(s);
        fail_msg("%s", strbuf_cstr(&text));
    }
}

static int check_legality(void *ctx, struct insn *insns, int count, int cap)
{
    (void)cap;
    for (int i = 0; i < count; i++) {
        expect_legal(ctx, &insns[i]);
    }
    return count;
}

static void expect_level(struct verify *v, const struct schedule *s, enum verify_level level)
{
    struct verify_outcome out;
    struct diag d;
    diag_init(&d);
    verify_set_tamper(v, level == VERIFY_FULL ? check_legality : NULL, (void *)(uintptr_t)s);
    assert_int_equal(verify_schedule(v, s, level, &out, &d), STATUS_OK);
    if (!out.ok) {
        struct strbuf text;
        strbuf_init(&text);
        diag_render(&d, &text);
        conv_print(s);
        fail_msg("level %d: %s", (int)level, strbuf_cstr(&text));
    }
    assert_int_equal(out.elems, s->problem->M * s->problem->N * s->problem->batch);
    diag_fini(&d);
}

static void expect_right(struct verify *v, const struct schedule *s)
{
    expect_level(v, s, VERIFY_FULL);
    expect_level(v, s, VERIFY_CLASSES);
    expect_level(v, s, VERIFY_LAYOUT);
}

struct context {
    struct arena arena;
    const struct target *targets[2];
    struct verify *v;
};

static int setup(void **state)
{
    static struct context c;
    arena_init(&c.arena);
    c.targets[0] = point_target("ascend910b1", &c.arena);
    c.targets[1] = point_target("ascend950pr_9589", &c.arena);
    *state = &c;
    return verify_create(NULL, &c.v) == STATUS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    struct context *c = *state;
    verify_destroy(c->v);
    arena_fini(&c->arena);
    return 0;
}

/* How many cases had what a conv can get wrong. */
struct seen {
    int groups, channel_tails, nc1hwc0, filled_up, bias, quant, whole_row, int8, floats, mid_row, chunks, held, split_k;
};

static void count_seen(const struct schedule *s, struct seen *x)
{
    const struct problem *p = s->problem;
    const struct conv_shape *v = &p->conv;
    x->groups += v->groups > 1;
    x->channel_tails += v->c / v->groups % dtype_c0(p->a.dtype) != 0;
    x->nc1hwc0 += p->c.format == LAYOUT_NC1HWC0;
    x->filled_up += p->c.format == LAYOUT_NC1HWC0 && p->N % 16 != 0;
    x->bias += p->bias.dtype != DTYPE_NONE;
    x->quant += p->quant.dtype != DTYPE_NONE;
    x->whole_row += p->quant.dtype != DTYPE_NONE && p->bias.dtype != DTYPE_NONE && p->relu;
    x->int8 += p->a.dtype == DTYPE_INT8;
    x->floats += p->a.dtype == DTYPE_FLOAT;
    x->mid_row += p->M > s->t.baseM && s->t.baseM % conv_out_w(v) != 0;
    x->chunks += s->chunks[ROLE_A] > 1;
    x->held += s->hold[ROLE_A] != HOLD_CHUNKS;
    x->split_k += s->parts > 1;
}

static void test_random(void **state)
{
    struct context *c = *state;
    struct rng rng = rng_init(SEED);
    struct seen seen = {0};
    for (int i = 0; i < CASES; i++) {
        struct problem p;
        struct schedule s;
        conv_random(c->targets[i % 2], 1500000, &rng, &p, &s);
        count_seen(&s, &seen);
        expect_right(c->v, &s);
    }
    print_message("seed %d, %d convs: %d with groups, %d with channel tails, %d to NC1HWC0 (%d of them with channels "
                  "to fill up), %d with bias, %d with a "
                  "quant row (%d of them with bias and relu), %d of int8, "
                  "%d of float, %d with tiles that begin inside a row, %d with several channel chunks, %d held over "
                  "tiles, %d with split K\n",
                  SEED, CASES, seen.groups, seen.channel_tails, seen.nc1hwc0, seen.filled_up, seen.bias, seen.quant,
                  seen.whole_row, seen.int8, seen.floats, seen.mid_row, seen.chunks, seen.held, seen.split_k);
    const int least[] = {seen.groups, seen.channel_tails, seen.nc1hwc0, seen.filled_up, seen.bias, seen.quant,
                         seen.int8,   seen.floats,        seen.mid_row, seen.chunks,    seen.held, seen.split_k};
    assert_true(seen.whole_row >= 5);
    for (size_t i = 0; i < sizeof least / sizeof least[0]; i++) {
        assert_true(least[i] >= 10);
    }
}

/* A conv with everything of the tiling derived. */
static void auto_case(struct context *c, const struct conv_shape *shape, enum dtype dtype, enum dtype result)
{
    for (int i = 0; i < 2; i++) {
        struct problem p;
        struct schedule s;
        struct tiling t;
        conv_problem(&p, shape, dtype, result, LAYOUT_ND);
        tiling_all_auto(&t);
        point_schedule(c->targets[i], &p, &t, &s);
        expect_right(c->v, &s);
    }
}

/* Sides beyond the 8 bits of filterW and filterH. */
static void test_filter_above_255(void **state)
{
    struct context *c = *state;
    const struct conv_shape tall = {.c = 3, .h = 310, .w = 2, .cout = 5, .kh = 300, .kw = 1, .pad_top = 4};
    const struct conv_shape wide = {
        .c = 5, .h = 3, .w = 270, .cout = 17, .kh = 2, .kw = 256, .pad_left = 3, .pad_right = 9};
    auto_case(c, &tall, DTYPE_HALF, DTYPE_HALF);
    auto_case(c, &wide, DTYPE_INT8, DTYPE_INT32);
    auto_case(c, &wide, DTYPE_FLOAT, DTYPE_FLOAT);
}

/* Output rows that see nothing but padding, above and below the map. */
static void test_padding_alone(void **state)
{
    struct context *c = *state;
    const struct conv_shape v = {.c = 20,
                                 .h = 3,
                                 .w = 5,
                                 .cout = 33,
                                 .kh = 2,
                                 .kw = 3,
                                 .pad_top = 17,
                                 .pad_bottom = 21,
                                 .pad_left = 6,
                                 .pad_right = 5,
                                 .stride_h = 3,
                                 .stride_w = 2};
    auto_case(c, &v, DTYPE_HALF, DTYPE_FLOAT);
    auto_case(c, &v, DTYPE_INT8, DTYPE_INT32);
}

/* The gap from one channel block's rows to the next does not fit srcGap. */
static void test_wide_gap(void **state)
{
    struct context *c = *state;
    const struct conv_shape v = {
        .c = 40, .h = 70000, .w = 1, .cout = 16, .kh = 3, .kw = 1, .pad_top = 1, .stride_h = 61};
    auto_case(c, &v, DTYPE_HALF, DTYPE_HALF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter_above_255),
        cmocka_unit_test(test_padding_alone),
        cmocka_unit_test(test_wide_gap),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
