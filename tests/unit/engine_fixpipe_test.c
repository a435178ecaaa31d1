/* Fixpipe: every mode and format against formulas written here; atomic add,
 * taint, refusals. */
#include "engine_fixture.h"

#include <math.h>

#include "base/intmath.h"
#include "numeric/fp.h"

static double clampd(double v, double lo, double hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* Nearest even multiple of 2^place. */
static double to_place(double v, int place)
{
    return ldexp(nearbyint(ldexp(v, -place)), place);
}

/* v as a small float of `man` mantissa bits, least exponent `low`, largest value `max`. */
static double to_small(double v, int man, int low, double max, bool keep)
{
    int exp;
    if (isnan(v)) {
        return keep ? NAN : 0.0;
    }
    if (isinf(v)) {
        return keep ? v : copysign(max, v);
    }
    (void)frexp(v, &exp);
    const double rounded = v == 0.0 ? v : to_place(v, (exp - 1 < low ? low : exp - 1) - man);
    return fabs(rounded) > max ? copysign(keep ? INFINITY : max, v) : rounded;
}

struct quant_row {
    enum quant_mode mode;
    enum dtype src, dst;
};

/* Value of the destination element by kernel_rules section 7. */
static double expected(const struct quant_row *q, double x, uint64_t word, bool relu, bool keep)
{
    const double scale = (double)float_from_bits((uint32_t)word & 0xFFFFE000U);
    const bool plain = q->mode == QUANT_NONE || q->mode == QUANT_F322F16 || q->mode == QUANT_F322BF16;
    const double y = relu && x <= 0.0 ? 0.0 : plain ? x : x * scale;
    switch (q->dst) {
    case DTYPE_HALF:
        return to_small(y, 10, -14, 65504.0, keep);
    case DTYPE_BF16:
        return to_small(y, 7, -126, 0x1.FEp127, keep);
    case DTYPE_FP8_E4M3: {
        const double v = to_small(y, 3, -6, 448.0, keep);
        return isinf(v) ? NAN : v;
    }
    case DTYPE_FLOAT:
        return q->mode == QUANT_NONE ? y : (double)(float)y;
    case DTYPE_INT8:
    case DTYPE_UINT8: {
        const int raw = (int)(word >> 37 & 511U), offset = raw >= 256 ? raw - 512 : raw;
        const double v = nearbyint(clampd(isnan(y) ? 0.0 : y, -256.0, 255.0)) + offset;
        return word >> 46 & 1U ? clampd(v, -128.0, 127.0) : clampd(v, 0.0, 255.0);
    }
    default:
        return y;
    }
}

static const struct quant_row rows[] = {
    {QUANT_NONE, DTYPE_FLOAT, DTYPE_FLOAT},
    {QUANT_NONE, DTYPE_INT32, DTYPE_INT32},
    {QUANT_F322F16, DTYPE_FLOAT, DTYPE_HALF},
    {QUANT_F322BF16, DTYPE_FLOAT, DTYPE_BF16},
    {QUANT_DEQF16, DTYPE_INT32, DTYPE_HALF},
    {QUANT_VDEQF16, DTYPE_INT32, DTYPE_HALF},
    {QUANT_QF322B8_PRE, DTYPE_FLOAT, DTYPE_INT8},
    {QUANT_VQF322B8_PRE, DTYPE_FLOAT, DTYPE_UINT8},
    {QUANT_REQ8, DTYPE_INT32, DTYPE_UINT8},
    {QUANT_VREQ8, DTYPE_INT32, DTYPE_INT8},
    {QUANT_QF322FP8_PRE, DTYPE_FLOAT, DTYPE_FP8_E4M3},
    {QUANT_VQF322FP8_PRE, DTYPE_FLOAT, DTYPE_FP8_E4M3},
    {QUANT_QS322BF16_PRE, DTYPE_INT32, DTYPE_BF16},
    {QUANT_VQS322BF16_PRE, DTYPE_INT32, DTYPE_BF16},
    {QUANT_QF322F16_PRE, DTYPE_FLOAT, DTYPE_HALF},
    {QUANT_VQF322F16_PRE, DTYPE_FLOAT, DTYPE_HALF},
    {QUANT_QF322BF16_PRE, DTYPE_FLOAT, DTYPE_BF16},
    {QUANT_VQF322BF16_PRE, DTYPE_FLOAT, DTYPE_BF16},
    {QUANT_QF322F32_PRE, DTYPE_FLOAT, DTYPE_FLOAT},
    {QUANT_VQF322F32_PRE, DTYPE_FLOAT, DTYPE_FLOAT},
};

struct bed {
    struct target t;
    struct engine *e;
    struct gm_bytes c;
    uint8_t *l0c, *fb;
};

static void bed_init(struct bed *b, enum product product)
{
    int64_t size;
    b->t = fixture_target(product);
    assert_int_equal(engine_create(&b->t, &b->e, NULL), STATUS_OK);
    gm_attach(b->e, TENSOR_C, &b->c, 1 << 20);
    b->l0c = engine_memory(b->e, BUF_L0C, &size);
    engine_poke(b->e, BUF_L0C, 0, b->l0c, size);
    b->fb = engine_memory(b->e, BUF_FB, &size);
    engine_poke(b->e, BUF_FB, 0, b->fb, size);
}

static void bed_fini(struct bed *b)
{
    engine_destroy(b->e);
    free(b->c.bytes);
}

/* Bit 46 says what the type of the result says too. */
static uint64_t random_word(struct rng *r, enum dtype dst)
{
    const float scale = (float)ldexp(rng_unit(r) * 2.0 - 1.0, (int)rng_between(r, -6, 3));
    return float_bits(scale) | rng_below(r, 512) << 37 | (uint64_t)(dst == DTYPE_INT8) << 46;
}

static void random_tile(struct bed *b, struct rng *r, enum dtype src, enum dtype dst)
{
    for (int64_t i = 0; i < 65536 / 4; i++) {
        uint32_t bits = (uint32_t)(int32_t)rng_between(r, -3000, 3000);
        if (src == DTYPE_FLOAT) {
            static const uint32_t odd[] = {0x7F800000U, 0xFF800000U, 0x7FC00000U, 0x80000000U,
                                           0x7F7FFFFFU, 0x33000001U, 0x00000001U};
            bits = rng_below(r, 20) == 0
                       ? odd[rng_below(r, 7)]
                       : float_bits((float)((rng_unit(r) - 0.5) * ldexp(1.0, (int)rng_between(r, -20, 20))));
        }
        memcpy(b->l0c + i * 4, &bits, 4);
    }
    for (int i = 0; i < 128; i++) {
        const uint64_t word = random_word(r, dst);
        memcpy(b->fb + 128 + i * 8, &word, 8);
    }
}

static double tile_value(const struct bed *b, const struct insn *in, int64_t matrix, int64_t row, int64_t column)
{
    const struct fixpipe_params *p = &in->p.fixpipe;
    const int64_t unit = b->t.arch == 3510 ? 64 : 1024;
    const int64_t step = p->format == FIXPIPE_ND ? p->srcNdStride * unit : p->srcNzMatrixStride * 64;
    const int64_t pitch = p->format == FIXPIPE_DN ? p->srcNzC0Stride * 64 : 64;
    return dtype_load(
        (enum dtype)in->dtype,
        b->l0c + in->src.byte + matrix * step + column / 16 * p->srcStride * 64 + row * pitch + column % 16 * 4, 0);
}

/* Byte of element (matrix, row, column) in the destination. */
static int64_t place_of(const struct insn *in, int64_t matrix, int64_t row, int64_t column)
{
    const struct fixpipe_params *p = &in->p.fixpipe;
    const int64_t es = dtype_bytes((enum dtype)p->dstType, 1);
    if (p->format == FIXPIPE_ND) {
        return (matrix * p->dstNdStride + row * p->dstStride + column) * es;
    }
    if (p->format == FIXPIPE_DN) {
        return (matrix * p->dstDnMatrixStride + column * p->dstStride + row) * es;
    }
    const int64_t width = p->channelSplit ? 8 : es == 1 ? 32 : 16, block = column / width;
    const int64_t narrow = es == 1 && p->nSize - block * width <= 16 ? 16 : width;
    return block * p->dstStride * (p->arch3510 ? es : 32) + (row * narrow + column % width) * es;
}

static void check_tile(struct bed *b, const struct insn *in, const struct quant_row *q, const uint8_t *dst)
{
    const struct fixpipe_params *p = &in->p.fixpipe;
    const int64_t matrices = p->format == FIXPIPE_ND ? p->ndNum : p->format == FIXPIPE_DN ? p->dnNum : 1;
    for (int64_t i = 0; i < matrices * p->mSize * p->nSize; i++) {
        const int64_t matrix = i / p->nSize / p->mSize, row = i / p->nSize % p->mSize, column = i % p->nSize;
        uint64_t word = p->deqScalar;
        if (quant_mode_is_vector(q->mode)) {
            memcpy(&word, b->fb + p->quantAddr + column * 8, 8);
        }
        const double want = expected(q, tile_value(b, in, matrix, row, column), word, p->reluEn, p->ctrl48);
        const double got = dtype_load(q->dst, dst + place_of(in, matrix, row, column), 0);
        if (!(got == want || (isnan(got) && isnan(want)))) {
            struct strbuf text;
            strbuf_init(&text);
            insn_format(in, &text);
            print_error("%s\n(%d, %d): got %a, want %a from %a\n", strbuf_cstr(&text), (int)row, (int)column, got, want,
                        tile_value(b, in, matrix, row, column));
            strbuf_fini(&text);
            fail();
        }
    }
}

static struct insn random_store(struct rng *r, const struct quant_row *q, bool a950)
{
    struct insn in = make(OP_FIXPIPE, q->src, at_gm(TENSOR_C, (int64_t)rng_below(r, 50)),
                          at(BUF_L0C, 64 * (int64_t)rng_below(r, 4)));
    struct fixpipe_params *p = &in.p.fixpipe;
    p->quantPre = (uint8_t)q->mode;
    p->dstType = (uint8_t)q->dst;
    p->format = (uint8_t)rng_below(r, a950 ? 3 : 2);
    p->arch3510 = a950 && (p->format == FIXPIPE_DN || rng_below(r, 2) == 0);
    p->mSize = (uint16_t)rng_between(r, 1, 40);
    p->nSize = (uint16_t)rng_between(r, 1, 60);
    p->srcStride = (uint16_t)align_up(p->mSize, 16);
    p->reluEn = rng_below(r, 3) == 0;
    p->ctrl48 = rng_below(r, 2) == 0;
    p->deqScalar = random_word(r, q->dst);
    p->quantAddr = 128;
    if (p->format == FIXPIPE_NZ) {
        p->nSize = (uint16_t)align_up(p->nSize, 16);
        p->channelSplit = q->mode == QUANT_NONE && q->dst == DTYPE_FLOAT && rng_below(r, 2) == 0;
        p->dstStride = p->arch3510 ? 2048 : 160;
    } else {
        p->dstStride = (uint32_t)rng_between(r, p->format == FIXPIPE_ND ? p->nSize : p->mSize, 70);
        p->ndNum = p->dnNum = (uint16_t)rng_between(r, 1, 2);
        p->srcNdStride = (uint16_t)rng_between(r, 0, 8);
        p->srcNzMatrixStride = (uint16_t)rng_between(r, 0, 8);
        p->dstNdStride = p->dstDnMatrixStride = 70 * 70;
        p->srcNzC0Stride = p->format == FIXPIPE_DN ? (uint16_t)rng_between(r, 1, 2) : 1;
    }
    return in;
}

static void test_modes(void **state)
{
    (void)state;
    struct rng r = rng_init(31);
    for (int a950 = 0; a950 < 2; a950++) {
        struct bed b;
        bed_init(&b, a950 ? PRODUCT_ASCEND950 : PRODUCT_ASCEND910B);
        for (size_t q = 0; q < sizeof rows / sizeof *rows; q++) {
            for (int round = 0; round < 12; round++) {
                struct insn in = random_store(&r, &rows[q], a950 != 0);
                random_tile(&b, &r, rows[q].src, rows[q].dst);
                run_ok(b.e, &in);
                check_tile(&b, &in, &rows[q], b.c.bytes + in.dst.byte);
                if (in.p.fixpipe.format == FIXPIPE_NZ) { /* the same into L1 */
                    int64_t size;
                    in.dst = at(BUF_L1, 4096);
                    run_ok(b.e, &in);
                    check_tile(&b, &in, &rows[q], engine_memory(b.e, BUF_L1, &size) + 4096);
                }
            }
        }
        bed_fini(&b);
    }
}

/* REQ8 with MCB: shifted right by N + 1, held to int16, then scaled. */
static void test_shift(void **state)
{
    (void)state;
    struct bed b;
    bed_init(&b, PRODUCT_ASCEND910B);
    static const struct {
        int32_t value;
        unsigned n;
        int8_t want;
    } cases[] = {{1000, 2, 125 / 2}, {-1000, 2, -125 / 2}, {10000000, 0, 127},
                 {-8, 1, -1},        {-9, 1, -2},          {70000, 15, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct insn in = make(OP_FIXPIPE, DTYPE_INT32, at_gm(TENSOR_C, 0), at(BUF_L0C, 0));
        in.p.fixpipe.quantPre = QUANT_REQ8;
        in.p.fixpipe.dstType = DTYPE_INT8;
        in.p.fixpipe.mSize = in.p.fixpipe.nSize = in.p.fixpipe.dstStride = 1;
        in.p.fixpipe.srcStride = 16;
        in.p.fixpipe.deqScalar = 0x3F000000U | (uint64_t)cases[i].n << 32 | 1ULL << 36 | 1ULL << 46;
        memcpy(b.l0c, &cases[i].value, 4);
        run_ok(b.e, &in);
        assert_int_equal((int8_t)b.c.bytes[0], cases[i].want);
    }
    bed_fini(&b);
}

static void test_atomic(void **state)
{
    (void)state;
    struct bed b;
    bed_init(&b, PRODUCT_ASCEND910B);
    struct insn on = make(OP_SET_ATOMIC, DTYPE_FLOAT, at(BUF_GM, 0), at(BUF_GM, 0));
    on.p.reg.value = 1;
    struct insn in = make(OP_FIXPIPE, DTYPE_FLOAT, at_gm(TENSOR_C, 0), at(BUF_L0C, 0));
    in.p.fixpipe.mSize = in.p.fixpipe.nSize = in.p.fixpipe.dstStride = 16;
    in.p.fixpipe.srcStride = 16;
    for (int i = 0; i < 256; i++) {
        const float f = (float)i * 0.5F;
        memcpy(b.l0c + i * 4, &f, 4);
    }
    run_ok(b.e, &in);
    run_ok(b.e, &on);
    run_ok(b.e, &in);
    for (int i = 0; i < 256; i++) {
        assert_true(dtype_load(DTYPE_FLOAT, b.c.bytes, i) == (double)i);
    }
    in.p.fixpipe.quantPre = QUANT_F322F16;
    in.p.fixpipe.dstType = DTYPE_HALF;
    memset(b.c.bytes, 0, 512);
    for (int i = 0; i < 3; i++) {
        run_ok(b.e, &in);
    }
    assert_true(dtype_load(DTYPE_HALF, b.c.bytes, 100) == 150.0);
    const struct gm_port blind = {&b.c, b.c.len, NULL, gm_bytes_write};
    engine_set_port(b.e, TENSOR_C, &blind);
    run_fails(b.e, &in, "atomic add needs a destination that can be read");
    on.p.reg.value = 0;
    run_ok(b.e, &on);
    run_ok(b.e, &in);
    bed_fini(&b);
}

static void test_taint(void **state)
{
    (void)state;
    struct bed b;
    bed_init(&b, PRODUCT_ASCEND910B);
    engine_reset(b.e);
    uint8_t tile[2048] = {0};
    engine_poke(b.e, BUF_L0C, 0, tile, 1024);
    engine_poke(b.e, BUF_L0C, 1024 + 64, tile, 1024 - 64); /* row 0 of the second fractal is open */
    struct insn in = make(OP_FIXPIPE, DTYPE_FLOAT, at(BUF_L1, 0), at(BUF_L0C, 0));
    in.p.fixpipe.quantPre = QUANT_F322F16;
    in.p.fixpipe.dstType = DTYPE_HALF;
    in.p.fixpipe.format = FIXPIPE_NZ;
    in.p.fixpipe.mSize = 16;
    in.p.fixpipe.nSize = 32;
    in.p.fixpipe.srcStride = 16;
    in.p.fixpipe.dstStride = 16;
    run_ok(b.e, &in);
    for (int i = 0; i < 1024; i++) {
        assert_int_equal(engine_tainted(b.e, BUF_L1, i), i >= 512 && i < 512 + 32);
    }
    in.dst = at_gm(TENSOR_C, 0);
    run_fails(b.e, &in, "element (0, 16) of matrix 0 depends on bytes that were never written");
    engine_poke(b.e, BUF_L0C, 1024, tile, 20);
    run_fails(b.e, &in, "element (0, 21) of matrix 0"); /* five of the row are there */
    in.p.fixpipe.nSize = 16;
    run_ok(b.e, &in);
    in.p.fixpipe.quantPre = QUANT_VQF322F16_PRE;
    run_fails(b.e, &in, "the quant row in FB was never written");
    bed_fini(&b);
}

static void test_refusals(void **state)
{
    (void)state;
    struct bed b;
    bed_init(&b, PRODUCT_ASCEND950);
    struct insn good = make(OP_FIXPIPE, DTYPE_FLOAT, at_gm(TENSOR_C, 0), at(BUF_L0C, 0));
    good.p.fixpipe.mSize = good.p.fixpipe.nSize = good.p.fixpipe.dstStride = 16;
    good.p.fixpipe.srcStride = 16;
    struct insn in = good;
    in.p.fixpipe.quantPre = QUANT_DEQF16;
    run_fails(b.e, &in, "DEQF16 does not convert float");
    in = good;
    in.p.fixpipe.dstType = DTYPE_HALF;
    run_fails(b.e, &in, "NoQuant does not convert float to half");
    in = good;
    in.p.fixpipe.channelSplit = 1;
    run_fails(b.e, &in, "channelSplit");
    in = good;
    in.dst = at(BUF_L1, 0);
    run_fails(b.e, &in, "L1 takes NZ only");
    in = good;
    in.p.fixpipe.format = FIXPIPE_DN;
    in.p.fixpipe.srcNzC0Stride = 0;
    run_fails(b.e, &in, "srcNzC0Stride");
    in = good;
    in.src.byte = 32;
    run_fails(b.e, &in, "not a multiple of 64");
    in = good;
    in.src.byte = 256 * 1024 - 960;
    run_fails(b.e, &in, "source: bytes");
    in = good;
    in.dst.byte = (1 << 20) - 1023;
    run_fails(b.e, &in, "destination: bytes");
    in.dst.byte -= 1;
    run_ok(b.e, &in);
    in = good;
    in.dst.tensor = TENSOR_B;
    run_fails(b.e, &in, "GM tensor B cannot be written");
    in = good;
    in.src.buf = BUF_L1;
    run_fails(b.e, &in, "does not go from L1 to GM");
    in = good;
    in.p.fixpipe.mSize = 0;
    in.src.byte = 1;
    run_ok(b.e, &in);
    bed_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes), cmocka_unit_test(test_shift),    cmocka_unit_test(test_atomic),
        cmocka_unit_test(test_taint), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
