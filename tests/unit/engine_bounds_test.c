/* The engine's range checks are tight: an instruction runs in memories that end
 * where its accesses end, and is refused one byte earlier. What it accesses is
 * isa/access.c's word, which knows nothing of the engine. */
#include "access_random.h"

#include "isa/access.h"

enum { TRIALS = 400, SEED = 815 };

struct core {
    struct target target;
    struct engine *e;
    struct gm_bytes gm[TENSOR_N];
};

static void core_open(struct core *c, enum product product)
{
    static const uint8_t ones[512 * 1024] = {1};
    c->target = fixture_target(product);
    for (int i = 0; i < BUF_N; i++) { /* ends are where they are, aligned or not */
        c->target.align_dst[i] = c->target.align_src[i] = 1;
    }
    assert_int_equal(engine_create(&c->target, &c->e, NULL), STATUS_OK);
    for (int t = 0; t < TENSOR_N; t++) {
        gm_attach(c->e, (enum tensor)t, &c->gm[t], 1 << 20);
    }
    for (int b = BUF_L1; b < BUF_UB; b++) {
        engine_poke(c->e, (enum buffer)b, 0, ones, c->target.physical[b]);
    }
}

static void core_close(struct core *c)
{
    for (int t = 0; t < TENSOR_N; t++) {
        free(c->gm[t].bytes);
    }
    engine_destroy(c->e);
}

/* The size of one memory or tensor as the engine sees it. */
static void resize(struct core *c, const struct access *a, int64_t size)
{
    if (a->buf != BUF_GM) {
        c->target.physical[a->buf] = size;
        return;
    }
    struct gm_bytes *g = &c->gm[a->tensor];
    const struct gm_port port = {g, size, gm_bytes_read, gm_bytes_write};
    engine_set_port(c->e, (enum tensor)a->tensor, &port);
}

static int64_t full_size(const struct core *c, const struct target *target, const struct access *a)
{
    return a->buf == BUF_GM ? c->gm[a->tensor].len : target->physical[a->buf];
}

/* The end of everything the instruction touches in the memory of access i. */
static int64_t end_in_memory(const struct access *list, int n, int i)
{
    int64_t end = 0;
    for (int k = 0; k < n; k++) {
        int64_t lo, hi;
        access_hull(&list[k], &lo, &hi);
        end = list[k].buf == list[i].buf && list[k].tensor == list[i].tensor && hi > end ? hi : end;
    }
    return end;
}

/* LoadData 3D looks at its whole map. */
static bool whole_map(const struct insn *in, const struct access *a)
{
    return (in->op == OP_LOAD_3D || in->op == OP_LOAD_3D_STRIDE) && !a->write;
}

static int check_ends(struct core *c, const struct insn *in)
{
    struct access list[ACCESS_MAX];
    const struct target full = c->target;
    const int n = access_of(&full, NULL, in, list);
    int checked = 0;
    for (int i = 0; i < n; i++) {
        const int64_t end = end_in_memory(list, n, i);
        if (whole_map(in, &list[i])) {
            continue;
        }
        resize(c, &list[i], end);
        run_ok(c->e, in);
        resize(c, &list[i], end - 1);
        run_fails(c->e, in, "leave");
        resize(c, &list[i], full_size(c, &full, &list[i]));
        checked++;
    }
    return checked;
}

static const struct subject {
    enum op op;
    struct insn (*random)(enum op op, struct rng *r);
} subjects[] = {
    {OP_ND2NZ, random_copy},         {OP_DN2NZ, random_copy},          {OP_DATA_COPY, random_copy},
    {OP_DATA_COPY_PAD, random_copy}, {OP_FILL, random_fill},           {OP_LOAD_2D, random_load},
    {OP_LOAD_2D_V2, random_load},    {OP_LOAD_TRANSPOSE, random_load}, {OP_LOAD_TRANSPOSE_V2, random_load},
    {OP_LOAD_MX, random_load},       {OP_LOAD_3D, random_3d},          {OP_LOAD_3D_STRIDE, random_3d},
    {OP_L1_TO_BT, random_row},       {OP_L1_TO_FB, random_row},        {OP_MMAD, random_mmad},
    {OP_MMAD_MX, random_mmad},       {OP_FIXPIPE, random_fixpipe},
};

static void on_product(enum product product)
{
    struct core c;
    struct rng r = rng_init(SEED);
    core_open(&c, product);
    print_message("seed %d\n", SEED);
    for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++) {
        int checked = 0;
        for (int i = 0; i < TRIALS; i++) {
            const struct insn in = subjects[s].random(subjects[s].op, &r);
            if (engine_exec(c.e, &in, NULL) == STATUS_OK) {
                checked += check_ends(&c, &in);
            }
        }
        const bool only_950 = subjects[s].op == OP_LOAD_MX || subjects[s].op == OP_MMAD_MX;
        assert_true(checked > 30 || (only_950 && product != PRODUCT_ASCEND950));
    }
    core_close(&c);
}

static void test_2201(void **state)
{
    (void)state;
    on_product(PRODUCT_ASCEND910B);
}

static void test_3510(void **state)
{
    (void)state;
    on_product(PRODUCT_ASCEND950);
}

/* Starts below an operand: decreasing addresses, negative strides. */
static void test_low_ends(void **state)
{
    (void)state;
    struct core c;
    core_open(&c, PRODUCT_ASCEND950);
    struct insn in = make(OP_LOAD_2D_V2, DTYPE_HALF, at(BUF_L0A, 0), at(BUF_L1, 3 * 512));
    in.p.load_2d_v2.mStep = 1;
    in.p.load_2d_v2.kStep = 4;
    in.p.load_2d_v2.srcStride = -1;
    in.p.load_2d_v2.dstStride = 1;
    run_ok(c.e, &in);
    in.src.byte--;
    run_fails(c.e, &in, "leave");
    in = make(OP_LOAD_TRANSPOSE, DTYPE_HALF, at(BUF_L0B, 0), at(BUF_L1, 0));
    in.p.transpose.startIndex = in.p.transpose.repeatTimes = 4;
    in.p.transpose.srcStride = 1;
    in.p.transpose.addrMode = 1;
    run_ok(c.e, &in);
    in.p.transpose.startIndex = 2;
    run_fails(c.e, &in, "leave");
    in = make(OP_LOAD_2D, DTYPE_HALF, at(BUF_L1, 0), at_gm(TENSOR_A, 0));
    in.p.load_2d.startIndex = 3;
    in.p.load_2d.repeatTimes = 4;
    in.p.load_2d.srcStride = 1;
    in.p.load_2d.addrMode = 1;
    run_ok(c.e, &in);
    in.p.load_2d.startIndex = 2;
    run_fails(c.e, &in, "leave");
    core_close(&c);
}

/* The map of LoadData 3D, to its last byte. */
static void test_map(void **state)
{
    (void)state;
    static const int channels[] = {16, 40, 4};
    struct core c;
    core_open(&c, PRODUCT_ASCEND910B);
    for (int i = 0; i < 3; i++) {
        struct insn in = make(OP_LOAD_3D, DTYPE_HALF, at(BUF_L0A, 0), at(BUF_L1, 96));
        in.p.load_3d.l1H = 5;
        in.p.load_3d.l1W = 7;
        in.p.load_3d.channelSize = (uint16_t)channels[i];
        in.p.load_3d.kExtension = in.p.load_3d.mExtension = 16;
        const int64_t end = 96 + (int64_t)channels[i] * 5 * 7 * 2;
        c.target.physical[BUF_L1] = end;
        run_ok(c.e, &in);
        c.target.physical[BUF_L1] = end - 1;
        run_fails(c.e, &in, "leave");
    }
    core_close(&c);
}

/* Scales of a long vector (m = 1) and of a long k: one code for each 32 k. */
static void test_scales(void **state)
{
    (void)state;
    struct core c;
    core_open(&c, PRODUCT_ASCEND950);
    for (int m = 1; m <= 17; m += 16) {
        struct insn in = make(OP_MMAD_MX, DTYPE_FP4_E2M1, at(BUF_L0C, 0), at(BUF_L0A, 512));
        in.src2 = at(BUF_L0B, 512);
        in.p.mmad.btype = DTYPE_FP4_E2M1;
        in.p.mmad.m = (uint16_t)m;
        in.p.mmad.n = 16;
        in.p.mmad.k = 1088;
        const struct access list[] = {
            {.buf = BUF_L0A_MX, .byte = 512 / 16 + (m == 1 ? 1088 / 32 : 2 * 1088 / 64 * 32)},
            {.buf = BUF_L0B_MX, .byte = 512 / 16 + 1088 / 64 * 32},
        };
        for (int i = 0; i < 2; i++) {
            resize(&c, &list[i], list[i].byte);
            run_ok(c.e, &in);
            resize(&c, &list[i], list[i].byte - 1);
            run_fails(c.e, &in, "leave");
            resize(&c, &list[i], 4096);
        }
    }
    core_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_2201), cmocka_unit_test(test_3510),   cmocka_unit_test(test_low_ends),
        cmocka_unit_test(test_map),  cmocka_unit_test(test_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
