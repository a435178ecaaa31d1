/* Half matmuls of 2201 through the whole engine against a plain loop. */
#include "engine_fixture.h"

#include "base/intmath.h"
#include "numeric/fp.h"

struct shape {
    int64_t m, n, k;
};

/* C = A x B with one accumulator an element, k ascending. */
static float reference(const uint16_t *a, const uint16_t *b, const struct shape *s, int64_t r, int64_t c)
{
    float sum = 0;
    for (int64_t k = 0; k < s->k; k++) {
        sum += half_to_float(a[r * s->k + k]) * half_to_float(b[k * s->n + c]);
    }
    return sum;
}

static uint16_t random_half(struct rng *r)
{
    return half_from_float((float)(rng_unit(r) * 4.0 - 2.0), FP_SATURATE);
}

static struct insn nd_to_l1(enum tensor tensor, int64_t l1, int64_t rows, int64_t columns)
{
    struct insn in = make(OP_ND2NZ, DTYPE_HALF, at(BUF_L1, l1), at_gm(tensor, 0));
    in.p.nd2nz.nValue = (uint32_t)rows;
    in.p.nd2nz.dValue = (uint32_t)columns;
    in.p.nd2nz.srcDValue = columns;
    in.p.nd2nz.dstNzC0Stride = (uint32_t)align_up(rows, 16);
    return in;
}

static struct insn load(enum buffer buf, int64_t l1, int64_t rows, int64_t columns)
{
    struct insn in = make(OP_LOAD_3D, DTYPE_HALF, at(buf, 0), at(BUF_L1, l1));
    in.p.load_3d.l1H = 1;
    in.p.load_3d.l1W = (uint16_t)align_up(rows, 16);
    in.p.load_3d.channelSize = in.p.load_3d.kExtension = (uint16_t)align_up(columns, 16);
    in.p.load_3d.mExtension = (uint16_t)align_up(rows, 16);
    return in;
}

static void matmul(struct engine *e, const struct shape *s, uint64_t seed, uint8_t *result)
{
    struct gm_bytes a, b, c;
    struct rng r = rng_init(seed);
    gm_attach(e, TENSOR_A, &a, s->m * s->k * 2);
    gm_attach(e, TENSOR_B, &b, s->k * s->n * 2);
    gm_attach(e, TENSOR_C, &c, s->m * s->n * 4);
    for (int64_t i = 0; i < s->m * s->k; i++) {
        ((uint16_t *)(void *)a.bytes)[i] = random_half(&r);
    }
    for (int64_t i = 0; i < s->k * s->n; i++) {
        ((uint16_t *)(void *)b.bytes)[i] = random_half(&r);
    }
    engine_reset(e);
    struct insn mmad = make(OP_MMAD, DTYPE_HALF, at(BUF_L0C, 0), at(BUF_L0A, 0));
    mmad.src2 = at(BUF_L0B, 0);
    mmad.p.mmad.m = (uint16_t)s->m;
    mmad.p.mmad.n = (uint16_t)s->n;
    mmad.p.mmad.k = (uint16_t)s->k;
    struct insn fix = make(OP_FIXPIPE, DTYPE_FLOAT, at_gm(TENSOR_C, 0), at(BUF_L0C, 0));
    fix.p.fixpipe.mSize = (uint16_t)s->m;
    fix.p.fixpipe.nSize = (uint16_t)s->n;
    fix.p.fixpipe.srcStride = (uint16_t)align_up(s->m, 16);
    fix.p.fixpipe.dstStride = (uint32_t)s->n;
    const struct insn program[] = {nd_to_l1(TENSOR_A, 0, s->m, s->k),
                                   nd_to_l1(TENSOR_B, 65536, s->k, s->n),
                                   load(BUF_L0A, 0, s->m, s->k),
                                   load(BUF_L0B, 65536, s->k, s->n),
                                   mmad,
                                   fix};
    for (size_t i = 0; i < sizeof program / sizeof *program; i++) {
        run_ok(e, &program[i]);
    }
    for (int64_t i = 0; i < s->m * s->n; i++) {
        const float want = reference((uint16_t *)(void *)a.bytes, (uint16_t *)(void *)b.bytes, s, i / s->n, i % s->n);
        float got;
        memcpy(&got, c.bytes + i * 4, 4);
        assert_int_equal(float_bits(got), float_bits(want));
    }
    if (result != NULL) {
        memcpy(result, c.bytes, (size_t)c.len);
    }
    free(a.bytes);
    free(b.bytes);
    free(c.bytes);
}

static void test_shapes(void **state)
{
    (void)state;
    static const struct shape shapes[] = {{16, 16, 16}, {128, 128, 64}, {40, 50, 70},
                                          {17, 33, 15}, {2, 1, 3},      {100, 7, 130}};
    const struct target t = fixture_target(PRODUCT_ASCEND910B);
    struct engine *e;
    assert_int_equal(engine_create(&t, &e, NULL), STATUS_OK);
    for (int isa = 0; isa < MMAD_ISA_N; isa++) {
        engine_force_isa(e, (enum mmad_isa)isa);
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            matmul(e, &shapes[i], i, NULL);
        }
    }
    engine_destroy(e);
}

/* A valid k that was never written: the store names the element. */
static void test_taint(void **state)
{
    (void)state;
    const struct target t = fixture_target(PRODUCT_ASCEND910B);
    struct engine *e;
    assert_int_equal(engine_create(&t, &e, NULL), STATUS_OK);
    uint8_t zeros[2048] = {0};
    engine_poke(e, BUF_L0A, 0, zeros, 512);
    engine_poke(e, BUF_L0B, 0, zeros, 512);
    struct insn mmad = make(OP_MMAD, DTYPE_HALF, at(BUF_L0C, 0), at(BUF_L0A, 0));
    mmad.src2 = at(BUF_L0B, 0);
    mmad.p.mmad.m = mmad.p.mmad.n = 16;
    mmad.p.mmad.k = 17;
    run_ok(e, &mmad);
    assert_true(engine_tainted(e, BUF_L0C, 0));
    mmad.p.mmad.k = 16;
    run_ok(e, &mmad);
    assert_false(engine_tainted(e, BUF_L0C, 0));
    struct gm_bytes c;
    gm_attach(e, TENSOR_C, &c, 16 * 17 * 4);
    struct insn fix = make(OP_FIXPIPE, DTYPE_FLOAT, at_gm(TENSOR_C, 0), at(BUF_L0C, 0));
    fix.p.fixpipe.mSize = 16;
    fix.p.fixpipe.nSize = fix.p.fixpipe.dstStride = 17;
    fix.p.fixpipe.srcStride = 16;
    run_fails(e, &fix, "element (0, 16)");
    fix.p.fixpipe.nSize = fix.p.fixpipe.dstStride = 16;
    run_ok(e, &fix);
    free(c.bytes);
    engine_destroy(e);
}

static void test_flags(void **state)
{
    (void)state;
    const struct target t = fixture_target(PRODUCT_ASCEND910B);
    struct engine *e;
    assert_int_equal(engine_create(&t, &e, NULL), STATUS_OK);
    struct insn set = make(OP_SET_FLAG, DTYPE_NONE, at(BUF_GM, 0), at(BUF_GM, 0));
    struct insn wait = make(OP_WAIT_FLAG, DTYPE_NONE, at(BUF_GM, 0), at(BUF_GM, 0));
    set.event = wait.event = INSN_EVENT(EVENT_MTE1_M, 7);
    run_fails(e, &wait, "nothing before it has set");
    run_ok(e, &set);
    run_fails(e, &set, "already set");
    struct diag d;
    diag_init(&d);
    assert_int_equal(engine_check_flags(e, &d), STATUS_MISMATCH);
    assert_non_null(strstr(d.messages[0].text, "MTE1_M EVENT_ID7"));
    diag_fini(&d);
    run_ok(e, &wait);
    assert_int_equal(engine_check_flags(e, NULL), STATUS_OK);
    set.event = INSN_EVENT(EVENT_MTE1_M, 8);
    run_fails(e, &set, "event id 8");
    set.event = INSN_EVENT(HARD_EVENT_N, 0);
    run_fails(e, &set, "no pair of pipes");
    engine_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_taint),
        cmocka_unit_test(test_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
