/* Loads and copies: refusals by name, taint byte by byte, registers, counters;
 * the taint words themselves against a plain array of flags. */
#include "access_random.h"

#include "engine/memory.h"
#include "engine/transpose.h"
#include "numeric/fp.h"

/* ---- memory.h against one flag per byte ---- */

static void test_memory(void **state)
{
    (void)state;
    enum { SIZE = 4096 };
    struct memory m, other;
    static uint8_t flag[SIZE], other_flag[SIZE];
    struct rng r = rng_init(2);
    assert_int_equal(memory_init(&m, SIZE), STATUS_OK);
    assert_int_equal(memory_init(&other, SIZE), STATUS_OK);
    memset(flag, 1, sizeof flag);
    memset(other_flag, 1, sizeof other_flag);
    for (int i = 0; i < 3000; i++) {
        const int64_t from = (int64_t)rng_below(&r, SIZE),
                      len = (int64_t)rng_below(&r, (uint64_t)(SIZE - from) < 700 ? (uint64_t)(SIZE - from) + 1 : 700);
        const int64_t to = rng_below(&r, 2) == 0 ? (int64_t)rng_below(&r, (uint64_t)(SIZE - len) + 1)
                                                 : (SIZE - len) / 32 * 32;
        switch (rng_below(&r, 4)) {
        case 0:
            taint_set(&m, from, len);
            memset(flag + from, 1, (size_t)len);
            break;
        case 1:
            taint_clear(&m, from, len);
            memset(flag + from, 0, (size_t)len);
            break;
        case 2:
            taint_copy(&other, to, &m, from, len);
            memcpy(other_flag + to, flag + from, (size_t)len);
            break;
        default: {
            const uint8_t *hit = memchr(flag + from, 1, (size_t)len);
            assert_int_equal(taint_find(&m, from, len), hit == NULL ? -1 : hit - flag);
            break;
        }
        }
        if (from + 32 <= SIZE) {
            const uint32_t word = taint_word(&m, from);
            for (int b = 0; b < 32; b++) {
                assert_int_equal(word >> b & 1U, flag[from + b]);
            }
        }
    }
    for (int64_t i = 0; i < SIZE; i++) {
        assert_int_equal(taint_at(&m, i), flag[i]);
        assert_int_equal(taint_at(&other, i), other_flag[i]);
    }
    /* A page is flagged if a byte of it is tainted. */
    for (int64_t p = 0; p < SIZE / TAINT_PAGE; p++) {
        assert_true(memchr(flag + p * TAINT_PAGE, 1, TAINT_PAGE) == NULL || m.page[p] == 1);
    }
    memory_fini(&m);
    memory_fini(&other);
    assert_int_equal(memory_init(&m, 0), STATUS_OK);
    assert_null(m.bytes);
    memory_fini(&m);
}

/* transpose.h by its own definition, element by element: rows of squares at any
 * pitches. Outputs that overlap hold the later square and in it the later fractal. */
static void want_squares(unsigned bits, const struct square_row *row)
{
    const enum dtype type = bits == 4 ? DTYPE_INT4 : bits == 8 ? DTYPE_INT8 : bits == 16 ? DTYPE_INT16 : DTYPE_INT32;
    const int64_t n = transpose_fractals(bits), c0 = dtype_c0(type);
    for (int64_t q = 0; q < row->count * n; q++) {
        const int64_t j = q % n;
        const uint8_t *in = row->in + q / n * row->in_step;
        uint8_t *out = row->out + q / n * row->out_step + j * row->out_gap;
        for (int64_t i = 0; i < 16 * c0; i++) {
            const int64_t r = i / c0, c = i % c0;
            const double value = bits == 32 ? dtype_load(type, in + r / 8 * row->in_gap, (8 * j + c) * 8 + r % 8)
                                            : dtype_load(type, in + c / 16 * row->in_gap, c % 16 * c0 + 16 * j + r);
            dtype_store(type, out, i, value);
        }
    }
}

static void check_squares(enum mmad_isa isa, unsigned bits, struct rng *r)
{
    enum { SIZE = 64 * 512 };
    static uint8_t in[SIZE], out[SIZE], want[SIZE];
    for (int i = 0; i < SIZE; i++) {
        in[i] = (uint8_t)rng_next(r);
        want[i] = out[i] = (uint8_t)i;
    }
    /* Steps and gaps of 0 to 4 fractals; odd ones of 32 B on the way in. */
    struct square_row row = {.in = in + 16 * 512,
                             .out = out,
                             .in_step = 32 * ((int64_t)rng_below(r, 128) - 64),
                             .in_gap = 32 * (int64_t)rng_below(r, 64),
                             .out_step = 512 * (int64_t)rng_below(r, 5),
                             .out_gap = 512 * (int64_t)rng_below(r, 5),
                             .count = (int64_t)rng_below(r, 5)};
    transpose_of(isa, bits)(&row);
    row.out = want;
    want_squares(bits, &row);
    assert_memory_equal(out, want, SIZE);
}

static void test_squares(void **state)
{
    (void)state;
    enum { TRIALS = 40 };
    static const unsigned widths[] = {4, 8, 16, 32};
    struct rng r = rng_init(3);
    for (int i = 0; i < TRIALS; i++) {
        for (enum mmad_isa isa = MMAD_SCALAR; isa <= mmad_isa_best(); isa++) {
            check_squares(isa, widths[i % 4], &r);
        }
    }
}

/* ---- the engine ---- */

struct bed {
    struct target t;
    struct engine *e;
    struct gm_bytes a;
};

static void bed_init(struct bed *b, enum product product)
{
    b->t = fixture_target(product);
    assert_int_equal(engine_create(&b->t, &b->e, NULL), STATUS_OK);
    gm_attach(b->e, TENSOR_A, &b->a, 8192);
}

static void bed_fini(struct bed *b)
{
    engine_destroy(b->e);
    free(b->a.bytes);
}

static struct insn load_2d(uint16_t repeat)
{
    struct insn in = make(OP_LOAD_2D, DTYPE_HALF, at(BUF_L0A, 0), at(BUF_L1, 0));
    in.p.load_2d.repeatTimes = repeat;
    in.p.load_2d.srcStride = 1;
    return in;
}

static void test_refusals(void **state)
{
    (void)state;
    struct bed b;
    bed_init(&b, PRODUCT_ASCEND910B);
    struct insn in = load_2d(1);
    in.dst.byte = 256;
    run_fails(b.e, &in, "destination: L0A byte 0x100 is not a multiple of 512");
    in = load_2d(1);
    in.src.byte = 8;
    run_fails(b.e, &in, "source: L1 byte 0x8 is not a multiple of 32");
    in = load_2d(129);
    run_fails(b.e, &in,
              "bytes [0, 66048) leave the 65536 bytes of L0A; first outside: byte offset 65536 of the operand, element "
              "32768");
    in = load_2d(1);
    in.src.byte = 512 * 1024 - 480;
    run_fails(b.e, &in, "source: bytes");
    in = load_2d(1);
    in.src = at_gm(TENSOR_B, 0);
    run_fails(b.e, &in, "GM tensor B cannot be read");
    in.src = at_gm(TENSOR_A, 8192 - 511);
    run_fails(b.e, &in, "GM tensor A");
    in.src.byte -= 1;
    run_ok(b.e, &in);
    in = load_2d(1);
    in.dtype = DTYPE_FLOAT;
    in.p.load_2d.ifTranspose = 1;
    run_fails(b.e, &in, "16-bit elements only");
    in = load_2d(1);
    in.dst.buf = BUF_L0C;
    run_fails(b.e, &in, "does not go from L1 to L0C");
    in.dst.buf = BUF_N;
    run_fails(b.e, &in, "does not go");
    in = load_2d(1);
    in.op = OP_LOAD_MX;
    in.p.load_mx.xStep = in.p.load_mx.yStep = 1;
    in.p.load_mx.data.mStep = 0;
    in.src2 = at(BUF_L1, 0);
    run_fails(b.e, &in, "has no buffer L0A_MX");
    static const enum buffer others[] = {BUF_L0A, BUF_L0A_MX, BUF_UB, BUF_GM, BUF_N};
    for (int i = 0; i < 5; i++) {
        in.src2.buf = (uint8_t)others[i];
        run_fails(b.e, &in, "scales from L1 only");
    }
    in.op = OP_N;
    run_fails(b.e, &in, "does not know this instruction");
    in = load_2d(0);
    in.dst.byte = in.src.byte = 3;
    run_ok(b.e, &in); /* a NOP touches nothing */
    in = make(OP_LOAD_2D_V2, DTYPE_INT8, at(BUF_L0A, 0), at(BUF_L1, 0));
    in.p.load_2d_v2.mStep = 3;
    in.p.load_2d_v2.kStep = in.p.load_2d_v2.ifTranspose = 1;
    run_fails(b.e, &in, "mStep is no multiple of 2");
    in.dtype = DTYPE_FLOAT;
    run_fails(b.e, &in, "kStep is no multiple of 2");
    in = make(OP_ND2NZ, DTYPE_HALF, at(BUF_L1, 0), at_gm(TENSOR_A, 0));
    in.p.nd2nz.nValue = in.p.nd2nz.dValue = in.p.nd2nz.srcDValue = 64;
    in.p.nd2nz.dstNzC0Stride = 64;
    run_ok(b.e, &in);
    in.p.nd2nz.srcDValue = 65;
    run_fails(b.e, &in, "source");
    in.p.nd2nz.srcDValue = 64;
    in.dst.byte = 512 * 1024 - 8192 + 32;
    run_fails(b.e, &in, "destination");
    in = make(OP_FILL, DTYPE_INT8, at(BUF_L1, 0), at(BUF_GM, 0));
    in.p.fill.repeatTimes = in.p.fill.blockNum = 1;
    run_fails(b.e, &in, "16 or 32 bit values only");
    in = make(OP_PIPE_BARRIER, DTYPE_NONE, at(BUF_GM, 0), at(BUF_GM, 0));
    in.p.barrier.pipe = PIPE_S;
    run_fails(b.e, &in, "no barrier");
    bed_fini(&b);
}

/* The instruction with field `name` at `value`: does it fail with these words? */
static bool fails_with(struct engine *e, struct insn in, const char *name, int64_t value, const char *words)
{
    struct diag d;
    const struct insn_field *field = insn_field_find((enum op)in.op, name);
    assert_non_null(field);
    assert_true(insn_field_set(&in, field, value));
    diag_init(&d);
    const enum status st = engine_exec(e, &in, &d);
    const bool said = st != STATUS_OK && strstr(d.messages[0].text, words) != NULL;
    diag_fini(&d);
    return said;
}

/* Caps that keep the arithmetic in range: the last value inside may fail for other
 * reasons, the first one outside fails for this one. */
static void test_caps(void **state)
{
    (void)state;
    enum { COUNT = 65535 };
    static const int64_t stride = 1LL << 40;
    static const struct {
        enum op op;
        const char *field;
        int64_t low, high; /* 0: no lower one */
        const char *words;
    } caps[] = {{OP_DATA_COPY, "blockCount", 0, COUNT, "more than 65535 blocks"},
                {OP_DATA_COPY_PAD, "blockCount", 0, COUNT, "more than 65535 blocks"},
                {OP_DATA_COPY_PAD, "srcStride", -stride, stride, "at most 2^40"},
                {OP_FILL, "repeatTimes", 0, COUNT, "more than 65535 repeats"},
                {OP_ND2NZ, "ndNum", 0, COUNT, "larger than any L1"},
                {OP_ND2NZ, "nValue", 0, COUNT, "larger than any L1"},
                {OP_ND2NZ, "dValue", 0, 131072, "larger than any L1"},
                {OP_ND2NZ, "srcNdMatrixStride", 0, stride, "at most 2^40"},
                {OP_ND2NZ, "srcDValue", 0, stride, "at most 2^40"},
                {OP_DN2NZ, "dnNum", 0, COUNT, "larger than any L1"},
                {OP_DN2NZ, "srcDnMatrixStride", 0, stride, "at most 2^40"},
                {OP_DN2NZ, "srcDValue", 0, stride, "at most 2^40"},
                {OP_LOAD_2D_V2, "mStartPosition", 0, COUNT, "start positions and strides are at most"},
                {OP_LOAD_2D_V2, "kStartPosition", 0, COUNT, "start positions and strides are at most"},
                {OP_LOAD_2D_V2, "srcStride", -COUNT, COUNT, "start positions and strides are at most"},
                {OP_LOAD_MX, "mx.xStartPosition", 0, COUNT, "scale positions and strides are at most"},
                {OP_LOAD_MX, "mx.yStartPosition", 0, COUNT, "scale positions and strides are at most"},
                {OP_LOAD_MX, "mx.srcStride", -COUNT, COUNT, "scale positions and strides are at most"}};
    struct bed b;
    bed_init(&b, PRODUCT_ASCEND950);
    for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
        struct insn in = make(caps[i].op, DTYPE_FP8_E4M3, at(BUF_L1, 0), at_gm(TENSOR_A, 0));
        size_t count;
        const struct insn_field *fields = insn_fields(caps[i].op, &count);
        for (size_t f = 0; f < count; f++) { /* one of everything */
            (void)insn_field_set(&in, &fields[f], fields[f].max >= 1 && fields[f].kind == FIELD_INT);
        }
        if (caps[i].op == OP_FILL) {
            in.dtype = DTYPE_HALF;
        } else if (caps[i].op >= OP_LOAD_2D) {
            in.dst.buf = BUF_L0A;
            in.src = in.src2 = at(BUF_L1, 0);
        }
        assert_false(fails_with(b.e, in, caps[i].field, caps[i].high, caps[i].words));
        assert_true(fails_with(b.e, in, caps[i].field, caps[i].high + 1, caps[i].words));
        if (caps[i].low < 0) {
            assert_false(fails_with(b.e, in, caps[i].field, caps[i].low, caps[i].words));
            assert_true(fails_with(b.e, in, caps[i].field, caps[i].low - 1, caps[i].words));
        }
    }
    bed_fini(&b);
}

/* A byte of a source fractal that was never written arrives as one tainted element. */
static void test_taint_travels(void **state)
{
    (void)state;
    struct bed b;
    uint8_t bytes[2048];
    memset(bytes, 7, sizeof bytes);
    bed_init(&b, PRODUCT_ASCEND910B);
    static const struct {
        enum dtype dtype;
        int64_t hole, open;                            /* byte missing at the source; byte tainted in the result */
    } cases[] = {{DTYPE_HALF, 2 * 32 + 6, 3 * 32 + 4}, /* (2, 3) -> (3, 2) */
                 {DTYPE_INT8, 512 + 1 * 32 + 20, 512 + 4 * 32 + 17}, /* (17, 20) -> (20, 17) */
                 {DTYPE_FLOAT, 512 + 9 * 32 + 4, 512 + 9 * 32 + 4},  /* (9, 9) stays */
                 {DTYPE_INT4, 1024 + 3 * 32 + 5, 0}};                /* (35, 10 and 11) -> (10 and 11, 35) */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        engine_reset(b.e);
        engine_poke(b.e, BUF_L1, 0, bytes, cases[i].hole);
        engine_poke(b.e, BUF_L1, cases[i].hole + 1, bytes, 2048 - cases[i].hole - 1);
        struct insn in = make(OP_LOAD_TRANSPOSE, cases[i].dtype, at(BUF_L0B, 512), at(BUF_L1, 0));
        in.p.transpose.repeatTimes = 1;
        run_ok(b.e, &in);
        const bool b4 = cases[i].dtype == DTYPE_INT4;
        const int64_t end = cases[i].dtype == DTYPE_HALF ? 512 : b4 ? 2048 : 1024;
        const int64_t first = b4 ? 10 * 32 + 17 : cases[i].open, second = b4 ? 11 * 32 + 17 : cases[i].open;
        for (int64_t byte = 0; byte < end; byte++) {
            assert_int_equal(engine_tainted(b.e, BUF_L0B, 512 + byte), byte == first || byte == second);
        }
    }
    /* Plain copies keep the place. */
    engine_reset(b.e);
    engine_poke(b.e, BUF_L1, 0, bytes, 700);
    struct insn in = load_2d(2);
    run_ok(b.e, &in);
    for (int64_t byte = 0; byte < 1024; byte++) {
        assert_int_equal(engine_tainted(b.e, BUF_L0A, byte), byte >= 700);
    }
    /* ND2NZ fills the last block of a row with zeros; rows beyond stay open. */
    engine_reset(b.e);
    in = make(OP_ND2NZ, DTYPE_HALF, at(BUF_L1, 0), at_gm(TENSOR_A, 0));
    in.p.nd2nz.nValue = 3;
    in.p.nd2nz.dValue = in.p.nd2nz.srcDValue = 5;
    in.p.nd2nz.dstNzC0Stride = 16;
    run_ok(b.e, &in);
    for (int64_t byte = 0; byte < 512; byte++) {
        assert_int_equal(engine_tainted(b.e, BUF_L1, byte), byte >= 96);
    }
    bed_fini(&b);
}

static void test_registers(void **state)
{
    (void)state;
    struct bed b;
    uint8_t bytes[2048];
    bed_init(&b, PRODUCT_ASCEND910B);
    memset(bytes, 1, sizeof bytes);
    engine_poke(b.e, BUF_L1, 0, bytes, sizeof bytes);
    struct insn in = make(OP_LOAD_3D, DTYPE_HALF, at(BUF_L0A, 0), at(BUF_L1, 0));
    in.p.load_3d.channelSize = in.p.load_3d.kExtension = in.p.load_3d.mExtension = 16;
    in.p.load_3d.isSetFMatrix = in.p.load_3d.isSetPadding = 0;
    run_fails(b.e, &in, "SetFmatrix was never called");
    struct insn set = make(OP_SET_FMATRIX, DTYPE_HALF, at(BUF_GM, 0), at(BUF_GM, 0));
    set.p.load_3d.l1H = 2;
    set.p.load_3d.l1W = 7;
    set.p.load_3d.padList[0] = 1; /* left */
    run_ok(b.e, &set);
    run_fails(b.e, &in, "SetLoadDataPaddingValue was never called");
    struct insn pad = make(OP_SET_PADDING, DTYPE_HALF, at(BUF_GM, 0), at(BUF_GM, 0));
    pad.p.reg.value = 0x1234;
    run_ok(b.e, &pad);
    run_ok(b.e, &in);
    int64_t size;
    const uint8_t *l0a = engine_memory(b.e, BUF_L0A, &size);
    for (int row = 0; row < 16; row++) { /* Wo = 8: the first column of each row is padding */
        assert_int_equal(l0a[row * 32], row % 8 == 0 ? 0x34 : 1);
    }
    in.p.load_3d.fMatrixCtrl = 1; /* the right matrix has its own register */
    run_fails(b.e, &in, "SetFmatrix was never called");
    engine_reset(b.e);
    in.p.load_3d.fMatrixCtrl = 0;
    run_fails(b.e, &in, "SetFmatrix was never called");
    in.p.load_3d.isSetFMatrix = in.p.load_3d.isSetPadding = 1;
    in.p.load_3d.l1H = in.p.load_3d.l1W = 4;
    in.p.load_3d.strideW = 0;
    run_fails(b.e, &in, "stride or dilation of 0");
    in.p.load_3d.strideW = 1;
    in.p.load_3d.filterH = 5;
    run_fails(b.e, &in, "does not fit");
    in.p.load_3d.filterH = 1;
    in.p.load_3d.kStartPt = 8;
    run_fails(b.e, &in, "kStartPt");
    bed_fini(&b);
}

/* repeatMode 1: the next columns lie repeatStride * 32 B further right, on 310B * 64 B. */
static void test_repeat_columns(void **state)
{
    (void)state;
    static const struct {
        enum product product;
        int64_t blocks; /* of 32 B in one step */
    } cases[] = {{PRODUCT_ASCEND910B, 1}, {PRODUCT_ASCEND310B, 2}, {PRODUCT_ATLAS_A3, 1}};
    static const enum dtype types[] = {DTYPE_INT8, DTYPE_HALF, DTYPE_FLOAT};
    for (int i = 0; i < 9; i++) {
        const int64_t c0 = dtype_c0(types[i / 3]), blocks = cases[i % 3].blocks;
        struct bed b;
        static uint8_t map[16 * 512];
        for (int64_t j = 0; j < (int64_t)sizeof map; j++) {
            map[j] = (uint8_t)(j / 512 + 1); /* 16 groups of channels, 16 points each: fractal c1 holds c1 + 1 */
        }
        bed_init(&b, cases[i % 3].product);
        engine_poke(b.e, BUF_L1, 0, map, sizeof map);
        struct insn in = make(OP_LOAD_3D, types[i / 3], at(BUF_L0A, 0), at(BUF_L1, 0));
        struct load_3d_params *p = &in.p.load_3d;
        p->l1H = 1;
        p->l1W = 16;
        p->filterW = p->filterH = 1;
        p->channelSize = (uint16_t)(16 * c0);
        p->mExtension = 16;
        p->kExtension = (uint16_t)c0;
        p->repeatMode = 1;
        p->repeatTime = 3;
        p->repeatStride = 2;
        run_ok(b.e, &in);
        int64_t size;
        for (int64_t r = 0; r < 3; r++) {
            assert_int_equal(engine_memory(b.e, BUF_L0A, &size)[r * 512], 1 + 2 * r * blocks);
        }
        bed_fini(&b);
    }
}

/* Padding: the value's bytes in their order, element by element, on both sides of each row. */
static void test_pad_values(void **state)
{
    (void)state;
    struct bed b;
    static const enum dtype types[] = {DTYPE_INT8, DTYPE_HALF, DTYPE_FLOAT};
    static const uint8_t value[] = {0x44, 0x33, 0x22, 0x11};
    bed_init(&b, PRODUCT_ASCEND950);
    for (int i = 0; i < 256; i++) {
        b.a.bytes[i] = (uint8_t)(128 + i % 100);
    }
    for (int i = 0; i < 3; i++) {
        const int64_t es = dtype_info(types[i])->bits / 8, len = 5 * es, row = 32;
        struct insn in = make(OP_DATA_COPY_PAD, types[i], at(BUF_L1, 64), at_gm(TENSOR_A, 3));
        in.p.pad = (struct data_copy_pad_params){.blockCount = 2,
                                                 .blockLen = (uint32_t)len,
                                                 .srcStride = 7,
                                                 .dstStride = 1,
                                                 .isPad = 1,
                                                 .leftPadding = 2,
                                                 .rightPadding = 1,
                                                 .paddingValue = 0x11223344};
        int64_t size;
        run_ok(b.e, &in);
        const uint8_t *to = engine_memory(b.e, BUF_L1, &size) + 64;
        for (int64_t r = 0; r < 2; r++) {
            for (int64_t byte = 0; byte < row; byte++) { /* rows are filled up to 32 B, too */
                const bool pad = byte < 2 * es || byte >= 2 * es + len;
                const int64_t from = byte < 2 * es ? byte : byte - 2 * es - len;
                assert_int_equal(to[r * (row + 32) + byte],
                                 pad ? value[from % es] : b.a.bytes[3 + r * (len + 7) + byte - 2 * es]);
            }
        }
    }
    bed_fini(&b);
}

static void test_counters(void **state)
{
    (void)state;
    struct bed b;
    uint8_t bytes[4096] = {0};
    bed_init(&b, PRODUCT_ASCEND910B);
    engine_poke(b.e, BUF_L1, 0, bytes, 4096);
    struct insn in = load_2d(3);
    run_ok(b.e, &in);
    struct insn nd = make(OP_ND2NZ, DTYPE_HALF, at(BUF_L1, 0), at_gm(TENSOR_A, 0));
    nd.p.nd2nz.nValue = 3;
    nd.p.nd2nz.dValue = nd.p.nd2nz.srcDValue = 5;
    nd.p.nd2nz.dstNzC0Stride = 16;
    run_ok(b.e, &nd);
    engine_poke(b.e, BUF_L0B, 0, bytes, 1024);
    struct insn mm = make(OP_MMAD, DTYPE_HALF, at(BUF_L0C, 0), at(BUF_L0A, 0));
    mm.src2 = at(BUF_L0B, 0);
    mm.p.mmad.m = 4;
    mm.p.mmad.n = 5;
    mm.p.mmad.k = 6;
    run_ok(b.e, &mm);
    const struct engine_counters *c = engine_counters(b.e);
    assert_int_equal(c->bytes[PATH_L1_L0A], 3 * 512);
    assert_int_equal(c->bytes[PATH_GM_L1], 3 * 5 * 2);
    assert_int_equal(c->macs, 4 * 5 * 6);
    assert_int_equal(c->insns, 3);
    bed_fini(&b);
}

/* Columns of the image that lie between each other: row by row, the last one wins. */
static void test_overlapping_image(void **state)
{
    (void)state;
    struct bed b;
    bed_init(&b, PRODUCT_ASCEND910B);
    for (int i = 0; i < 4 * 96; i++) {
        b.a.bytes[i] = (uint8_t)(1 + i / 32); /* block c of row r: 1 + 3 r + c */
    }
    struct insn in = make(OP_ND2NZ, DTYPE_INT8, at(BUF_L1, 0), at_gm(TENSOR_A, 0));
    in.p.nd2nz.nValue = 4;
    in.p.nd2nz.dValue = in.p.nd2nz.srcDValue = 96;
    in.p.nd2nz.dstNzC0Stride = 2;
    in.p.nd2nz.dstNzNStride = 1;
    int64_t size;
    uint8_t want[8] = {0};
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 3; c++) {
            want[2 * c + r] = (uint8_t)(1 + 3 * r + c);
        }
    }
    run_ok(b.e, &in);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(engine_memory(b.e, BUF_L1, &size)[i * 32], want[i]);
    }
    bed_fini(&b);
}

/* A tainted byte of the map, used or not, makes LoadData 3D go block by block:
 * the bytes must be the ones of the short cuts, at every width of registers. */
static void test_im2col_paths(void **state)
{
    (void)state;
    enum { TRIALS = 400 };
    static const enum product products[] = {PRODUCT_ASCEND910B, PRODUCT_ASCEND950};
    for (int p = 0; p < 2; p++) {
        const struct target t = fixture_target(products[p]);
        struct engine *e[2];
        struct rng r = rng_init(99);
        static uint8_t bytes[512 * 1024];
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)rng_next(&r);
        }
        for (int i = 0; i < 2; i++) {
            assert_int_equal(engine_create(&t, &e[i], NULL), STATUS_OK);
            engine_poke(e[i], BUF_L1, 0, bytes, (int64_t)sizeof bytes);
            engine_poke(e[i], BUF_L0A, 0, bytes, 65536);
            engine_poke(e[i], BUF_L0B, 0, bytes, 65536);
        }
        for (int i = 0; i < TRIALS; i++) {
            struct insn in = random_3d(p == 0 ? OP_LOAD_3D : OP_LOAD_3D_STRIDE, &r);
            struct insn tainted = in;
            /* A fill of unspecified bytes: DataCopyPad without isPad leaves its right padding open. */
            struct insn pad = make(OP_DATA_COPY_PAD, DTYPE_INT8, at(BUF_L1, in.src.byte), at_gm(TENSOR_A, 0));
            struct gm_bytes one = {bytes + in.src.byte, 1};
            const struct gm_port port = {&one, 1, gm_bytes_read, gm_bytes_write};
            pad.p.pad.blockCount = pad.p.pad.blockLen = 1;
            engine_set_port(e[1], TENSOR_A, &port);
            run_ok(e[1], &pad); /* byte 0 as it was, 31 bytes open but unchanged */
            engine_force_isa(e[0], (enum mmad_isa)(i / MMAD_ISA_N % MMAD_ISA_N));
            engine_force_isa(e[1], (enum mmad_isa)(i % MMAD_ISA_N));
            const enum status st = engine_exec(e[0], &in, NULL);
            assert_int_equal(engine_exec(e[1], &tainted, NULL), st);
            int64_t size;
            const enum buffer to = (enum buffer)in.dst.buf;
            const uint8_t *a = engine_memory(e[0], to, &size), *b = engine_memory(e[1], to, &size);
            for (int64_t byte = 0; byte < size; byte++) { /* open bytes may hold anything */
                assert_true(a[byte] == b[byte] || engine_tainted(e[0], to, byte));
            }
            if (i % 50 == 49) { /* open bytes must not stay for ever */
                engine_poke(e[0], to, 0, bytes, size);
                engine_poke(e[1], to, 0, bytes, size);
            }
            engine_poke(e[1], BUF_L1, in.src.byte, bytes + in.src.byte, 32);
        }
        engine_destroy(e[0]);
        engine_destroy(e[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_squares),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_caps),
        cmocka_unit_test(test_taint_travels),  cmocka_unit_test(test_registers),
        cmocka_unit_test(test_repeat_columns), cmocka_unit_test(test_pad_values),
        cmocka_unit_test(test_counters),       cmocka_unit_test(test_overlapping_image),
        cmocka_unit_test(test_im2col_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
