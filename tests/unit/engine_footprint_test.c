/* Random instructions: what the engine writes is what isa/footprint.h says, and
 * it refuses exactly those that leave a buffer. The two share no code. */
#include "engine_fixture.h"

#include "isa/footprint.h"
#include "isa/legality.h"

struct bed {
    struct target target;
    struct engine *e;
};

/* GM without end. */
static enum status endless_read(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    (void)ctx;
    for (int64_t i = 0; i < len; i++) {
        out[i] = (uint8_t)((byte + i) * 37 >> 3);
    }
    return STATUS_OK;
}

static enum status endless_write(void *ctx, int64_t byte, int64_t len, const uint8_t *in)
{
    (void)ctx;
    return byte >= 0 && len >= 0 && in != NULL ? STATUS_OK : STATUS_INVALID;
}

static void bed_init(struct bed *b, enum product product)
{
    b->target = fixture_target(product);
    assert_int_equal(engine_create(&b->target, &b->e, NULL), STATUS_OK);
    const struct gm_port port = {NULL, 1LL << 60, endless_read, endless_write};
    for (int i = 0; i < TENSOR_N; i++) {
        engine_set_port(b->e, (enum tensor)i, &port);
    }
}

static void bed_fini(struct bed *b)
{
    engine_destroy(b->e);
}

/* Everything written but the destination. */
static void soak(struct bed *b, const struct insn *in)
{
    engine_reset(b->e);
    for (int buf = BUF_L1; buf < BUF_UB; buf++) {
        int64_t size;
        uint8_t *bytes = engine_memory(b->e, (enum buffer)buf, &size);
        if (bytes == NULL || buf == in->dst.buf) {
            continue;
        }
        if (in->op == OP_LOAD_MX && (buf == BUF_L0A_MX || buf == BUF_L0B_MX)) {
            continue;
        }
        engine_poke(b->e, (enum buffer)buf, 0, bytes, size);
    }
}

static int64_t small(struct rng *r, int64_t most)
{
    return (int64_t)rng_below(r, (uint64_t)most + 1);
}

/* Fields in the range where instructions are mostly legal, now and then far out. */
static void randomize(struct rng *r, struct insn *in)
{
    size_t count;
    const struct insn_field *f = insn_fields((enum op)in->op, &count);
    for (size_t i = 0; i < count; i++) {
        const int64_t most = f[i].kind == FIELD_BOOL || f[i].max == 1 ? 1 : rng_below(r, 40) == 0 ? 300 : 9;
        const int64_t value = f[i].is_signed && rng_below(r, 4) == 0 && in->op != OP_DATA_COPY_PAD ? -small(r, 3)
                                                                                                   : small(r, most);
        if (f[i].kind <= FIELD_BOOL && value >= f[i].min && value <= f[i].max) {
            (void)insn_field_set(in, &f[i], value);
        }
        if (f[i].kind == FIELD_DTYPE && rng_below(r, 3) == 0) { /* mostly illegal; a NOP may hold any */
            (void)insn_field_set(in, &f[i], (int64_t)rng_below(r, DTYPE_N));
        }
    }
}

static enum dtype pick(struct rng *r, const enum dtype *types, size_t count)
{
    return types[rng_below(r, count)];
}

static void random_insn(struct rng *r, enum op op, bool a950, struct insn *in)
{
    static const enum dtype types[] = {DTYPE_INT4,     DTYPE_INT8,     DTYPE_HALF, DTYPE_FLOAT,
                                       DTYPE_FP4_E2M1, DTYPE_FP8_E4M3, DTYPE_BF16};
    const bool gm = op <= OP_DATA_COPY_PAD || ((op == OP_LOAD_2D || op == OP_LOAD_2D_V2) && rng_below(r, 3) == 0);
    const enum buffer l0 = rng_below(r, 2) == 0 ? BUF_L0A : BUF_L0B;
    const enum buffer dst = gm                  ? BUF_L1
                            : op == OP_FILL     ? (a950 ? BUF_L1 : l0)
                            : op == OP_L1_TO_BT ? BUF_BT
                            : op == OP_L1_TO_FB ? BUF_FB
                                                : l0;
    const int64_t step = dst == BUF_L1 ? 32 : dst == BUF_BT ? 64 : dst == BUF_FB ? 128 : 512;
    *in = make(op, pick(r, types, 7), at(dst, small(r, 20) * step),
               gm ? at_gm(TENSOR_A, small(r, 100)) : at(BUF_L1, small(r, 40) * 32));
    in->src2 = at(BUF_L1, small(r, 40) * 32);
    if (op == OP_L1_TO_BT) {
        in->dtype = (uint8_t)(rng_below(r, 2) == 0 ? DTYPE_HALF : DTYPE_FLOAT);
    } else if (op == OP_L1_TO_FB) {
        in->dtype = DTYPE_UINT64;
    } else if (op == OP_FILL) {
        in->dtype = (uint8_t)(rng_below(r, 2) == 0 ? DTYPE_HALF : DTYPE_FLOAT);
    } else if (op == OP_LOAD_MX) {
        in->dtype = (uint8_t)(rng_below(r, 2) == 0 ? DTYPE_FP8_E4M3 : DTYPE_FP4_E2M1);
    }
    randomize(r, in);
    if (op == OP_LOAD_3D || op == OP_LOAD_3D_STRIDE) {
        const int64_t c0 = dtype_c0((enum dtype)in->dtype);
        in->p.load_3d.channelSize = (uint16_t)(c0 * (1 + small(r, 2)));
        in->p.load_3d.kExtension = (uint16_t)(c0 * (1 + small(r, 2)));
        in->p.load_3d.kStartPt = (uint16_t)(c0 * small(r, 1));
        in->p.load_3d.mExtension = (uint16_t)(16 * (1 + small(r, 5)));
        in->p.load_3d.filterSizeW = in->p.load_3d.filterSizeH = in->p.load_3d.enSmallK = 0;
        in->p.load_3d.filterW = (uint8_t)(1 + small(r, 2));
        in->p.load_3d.filterH = (uint8_t)(1 + small(r, 2));
        in->p.load_3d.isSetFMatrix = in->p.load_3d.isSetPadding = 1;
        in->p.load_3d.repeatTime = (uint8_t)(1 + small(r, 1));
        if (!a950) {
            in->p.load_3d.dstStride = 0;
        }
    }
    insn_set_pipe(in);
}

/* ---- the footprint as a set of bytes ---- */

struct covered {
    const struct insn *in;
    uint8_t *data, *scale; /* 1 per byte of the destination memory */
};

static bool mark(void *ctx, const struct piece *p)
{
    struct covered *c = ctx;
    if (p->operand == PIECE_SCALE) {
        memset(c->scale + c->in->dst.byte / 16 + p->dst, 1, (size_t)p->dst_len);
    } else if (p->dst_len > 0) {
        memset(c->data + c->in->dst.byte + p->dst, 1, (size_t)p->dst_len);
    }
    return true;
}

static void compare(struct bed *b, const struct insn *in, enum buffer buf, const uint8_t *covered, bool exact)
{
    int64_t size;
    (void)engine_memory(b->e, buf, &size);
    for (int64_t i = 0; i < size; i++) {
        const bool written = !engine_tainted(b->e, buf, i);
        if (written != (covered[i] != 0) && (exact || written)) {
            struct strbuf text;
            strbuf_init(&text);
            insn_format_all(in, &text);
            print_error("%s\n%s byte %d: engine %s it, footprint %s\n", strbuf_cstr(&text), buffer_name(buf), (int)i,
                        written ? "wrote" : "did not write", covered[i] ? "has it" : "has not");
            strbuf_fini(&text);
            fail();
        }
    }
}

static void check_writes(struct bed *b, const struct insn *in)
{
    int64_t size, scales;
    (void)engine_memory(b->e, (enum buffer)in->dst.buf, &size);
    (void)engine_memory(b->e, BUF_L0A_MX, &scales);
    struct covered c = {in, calloc(1, (size_t)size), calloc(1, (size_t)scales + 1)};
    assert_true(footprint_visit(in, &b->target, mark, &c));
    /* Partial rows and columns of LoadData 3D, and pads without a value, are open. */
    const bool exact = in->op != OP_LOAD_3D && in->op != OP_LOAD_3D_STRIDE && in->op != OP_DATA_COPY_PAD;
    compare(b, in, (enum buffer)in->dst.buf, c.data, exact);
    if (in->op == OP_LOAD_MX) {
        compare(b, in, in->dst.buf == BUF_L0B ? BUF_L0B_MX : BUF_L0A_MX, c.scale, true);
    }
    free(c.data);
    free(c.scale);
}

static bool has(const struct violations *v, enum violation_code code)
{
    for (size_t i = 0; i < v->count; i++) {
        if (v->v[i].code == code) {
            return true;
        }
    }
    return false;
}

static void run_random(enum product product, const enum op *ops, size_t op_count, int rounds)
{
    struct bed b;
    struct rng r = rng_init(0x7157);
    int legal = 0, outside = 0;
    bed_init(&b, product);
    for (int i = 0; i < rounds; i++) {
        struct insn in;
        struct violations v = {0};
        random_insn(&r, ops[rng_below(&r, op_count)], product == PRODUCT_ASCEND950, &in);
        legality_check(&in, &b.target, NULL, &v);
        const bool bounds = has(&v, E_SRC_BOUNDS) || has(&v, E_DST_BOUNDS);
        if (v.errors > 0 && !bounds) {
            continue;
        }
        soak(&b, &in);
        struct diag d;
        diag_init(&d);
        const enum status st = engine_exec(b.e, &in, &d);
        if ((st == STATUS_OK) == bounds) {
            struct strbuf text;
            strbuf_init(&text);
            insn_format_all(&in, &text);
            print_error("%s\nengine: %s, legality: %s\n", strbuf_cstr(&text), d.count > 0 ? d.messages[0].text : "ok",
                        v.count > 0 ? v.v[0].rule : "legal");
            fail();
        }
        if (st == STATUS_OK) {
            check_writes(&b, &in);
            legal++;
        } else {
            outside++;
        }
        diag_fini(&d);
    }
    assert_true(legal > rounds / 20);
    assert_true(outside > 0);
    bed_fini(&b);
}

static void test_950(void **state)
{
    (void)state;
    static const enum op ops[] = {OP_ND2NZ,   OP_DN2NZ,          OP_DATA_COPY,      OP_DATA_COPY_PAD,     OP_FILL,
                                  OP_LOAD_2D, OP_LOAD_2D_V2,     OP_LOAD_TRANSPOSE, OP_LOAD_TRANSPOSE_V2, OP_LOAD_MX,
                                  OP_LOAD_3D, OP_LOAD_3D_STRIDE, OP_L1_TO_BT,       OP_L1_TO_FB};
    run_random(PRODUCT_ASCEND950, ops, sizeof ops / sizeof *ops, 3000);
}

static void test_a2(void **state)
{
    (void)state;
    static const enum op ops[] = {OP_ND2NZ,          OP_DATA_COPY, OP_FILL,     OP_LOAD_2D,
                                  OP_LOAD_TRANSPOSE, OP_LOAD_3D,   OP_L1_TO_BT, OP_L1_TO_FB};
    run_random(PRODUCT_ASCEND910B, ops, sizeof ops / sizeof *ops, 3000);
}

/* Any bits at all: refused or run, never a crash (the address sanitizer looks on). */
static void test_any_bits(void **state)
{
    (void)state;
    struct bed b;
    struct rng r = rng_init(99);
    bed_init(&b, PRODUCT_ASCEND950);
    for (int i = 0; i < 20000; i++) {
        struct insn in;
        random_insn(&r, (enum op)rng_below(&r, OP_N), true, &in);
        const int changes = (int)rng_below(&r, 4);
        for (int c = 0; c < changes; c++) {
            const uint8_t bits = (uint8_t)rng_next(&r);
            ((uint8_t *)&in)[rng_below(&r, sizeof in)] = bits;
        }
        struct diag d;
        struct violations v = {0};
        diag_init(&d);
        (void)engine_exec(b.e, &in, &d);
        legality_check(&in, &b.target, NULL, &v);
        diag_fini(&d);
    }
    bed_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_950),
        cmocka_unit_test(test_a2),
        cmocka_unit_test(test_any_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
