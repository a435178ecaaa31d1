/* The documents' worked examples as programs, each ending in a Mmad whose
 * product must equal the plain one.  Buffers start as tainted garbage, so
 * nothing outside of the loaded data may matter. */
#include "engine_fixture.h"

#include <math.h>

#include "base/intmath.h"
#include "numeric/fp.h"

enum { M = 40, K = 70, N = 50 };

/* A and B in GM, C as the engine stored it. */
struct bench {
    struct target t;
    struct engine *e;
    struct gm_bytes a, b, sa, sb, c;
    enum dtype a_type, b_type, c_type;
    int64_t m, k, n;
    bool a_trans, b_trans; /* stored [K, M]; stored [N, K] */
};

static void fill(struct gm_bytes *g, enum dtype dtype, int64_t count, struct rng *r, int64_t spread)
{
    for (int64_t i = 0; i < count; i++) {
        dtype_store(dtype, g->bytes, i, (double)rng_between(r, -spread, spread));
    }
}

static void open_bench(struct bench *b, enum product product, enum dtype type, int64_t m, int64_t k, int64_t n)
{
    struct rng r = rng_init(77);
    b->t = fixture_target(product);
    assert_int_equal(engine_create(&b->t, &b->e, NULL), STATUS_OK);
    b->a_type = b->b_type = type;
    b->c_type = dtype_info(type)->is_float ? DTYPE_FLOAT : DTYPE_INT32;
    b->m = m;
    b->k = k;
    b->n = n;
    gm_attach(b->e, TENSOR_A, &b->a, dtype_bytes(type, m * k));
    gm_attach(b->e, TENSOR_B, &b->b, dtype_bytes(type, k * n));
    gm_attach(b->e, TENSOR_SA, &b->sa, m * (k / 32 + 2));
    gm_attach(b->e, TENSOR_SB, &b->sb, n * (k / 32 + 2));
    gm_attach(b->e, TENSOR_C, &b->c, m * n * 4);
    fill(&b->a, type, m * k, &r, 5);
    fill(&b->b, type, k * n, &r, 5);
}

static void close_bench(struct bench *b)
{
    engine_destroy(b->e);
    free(b->a.bytes);
    free(b->b.bytes);
    free(b->sa.bytes);
    free(b->sb.bytes);
    free(b->c.bytes);
}

/* GM rows to an Nz image of `image_rows` rows at L1 byte `l1`. b4 counts bytes. */
static void nd2nz(struct bench *b, enum tensor tensor, int64_t l1, int64_t rows, int64_t columns, int64_t image_rows)
{
    const enum dtype type = tensor == TENSOR_A ? b->a_type : b->b_type;
    const int64_t pack = dtype_info(type)->bits == 4 ? 2 : 1;
    struct insn in = make(OP_ND2NZ, type, at(BUF_L1, l1), at_gm(tensor, 0));
    in.p.nd2nz.nValue = (uint32_t)rows;
    in.p.nd2nz.dValue = (uint32_t)(columns / pack);
    in.p.nd2nz.srcDValue = columns / pack;
    in.p.nd2nz.dstNzC0Stride = (uint32_t)image_rows;
    run_ok(b->e, &in);
}

struct squares {
    uint32_t start, stride, gap, frac_gap, src_frac_gap;
    uint16_t repeat;
};

static void transpose(struct bench *b, enum op op, enum buffer buf, int64_t to, int64_t l1, struct squares s)
{
    struct insn in = make(op, buf == BUF_L0A ? b->a_type : b->b_type, at(buf, to), at(BUF_L1, l1));
    in.p.transpose.startIndex = s.start;
    in.p.transpose.srcStride = s.stride;
    in.p.transpose.dstGap = s.gap;
    in.p.transpose.dstFracGap = s.frac_gap;
    in.p.transpose.srcFracGap = s.src_frac_gap;
    in.p.transpose.repeatTimes = s.repeat;
    run_ok(b->e, &in);
}

static void load_2d(struct bench *b, enum buffer buf, int64_t to, int64_t l1, uint32_t start, uint32_t stride,
                    uint16_t repeat)
{
    struct insn in = make(OP_LOAD_2D, buf == BUF_L0A ? b->a_type : b->b_type, at(buf, to), at(BUF_L1, l1));
    in.p.load_2d.startIndex = start;
    in.p.load_2d.srcStride = stride;
    in.p.load_2d.repeatTimes = repeat;
    run_ok(b->e, &in);
}

static void load_v2(struct bench *b, enum buffer buf, int64_t l1, uint16_t m, uint16_t k, uint32_t dst_stride,
                    bool trans)
{
    struct insn in = make(OP_LOAD_2D_V2, buf == BUF_L0A ? b->a_type : b->b_type, at(buf, 0), at(BUF_L1, l1));
    in.p.load_2d_v2.mStep = m;
    in.p.load_2d_v2.kStep = k;
    in.p.load_2d_v2.srcStride = m;
    in.p.load_2d_v2.dstStride = dst_stride;
    in.p.load_2d_v2.ifTranspose = trans;
    run_ok(b->e, &in);
}

/* Mmad with these m and n, store of the real ones, comparison. */
static void finish(struct bench *b, enum op op, int64_t m, int64_t n, bool k_align)
{
    struct insn in = make(op, b->a_type, at(BUF_L0C, 0), at(BUF_L0A, 0));
    in.src2 = at(BUF_L0B, 0);
    in.p.mmad.btype = (uint8_t)b->b_type;
    in.p.mmad.m = (uint16_t)m;
    in.p.mmad.n = (uint16_t)n;
    in.p.mmad.k = (uint16_t)b->k;
    in.p.mmad.kDirectionAlign = k_align;
    run_ok(b->e, &in);
    struct insn fix = make(OP_FIXPIPE, b->c_type, at_gm(TENSOR_C, 0), at(BUF_L0C, 0));
    fix.p.fixpipe.dstType = (uint8_t)b->c_type;
    fix.p.fixpipe.mSize = (uint16_t)b->m;
    fix.p.fixpipe.nSize = (uint16_t)b->n;
    fix.p.fixpipe.dstStride = (uint32_t)b->n;
    fix.p.fixpipe.srcStride = (uint16_t)align_up(m, 16);
    run_ok(b->e, &fix);
    for (int64_t r = 0; r < b->m; r++) {
        for (int64_t c = 0; c < b->n; c++) {
            double sum = 0;
            for (int64_t k = 0; k < b->k; k++) {
                double p = dtype_load(b->a_type, b->a.bytes, b->a_trans ? k * b->m + r : r * b->k + k) *
                           dtype_load(b->b_type, b->b.bytes, b->b_trans ? c * b->k + k : k * b->n + c);
                if (op == OP_MMAD_MX) {
                    const int64_t codes = 2 * ceil_div(b->k, 64);
                    p = ldexp(p, b->sa.bytes[r * codes + k / 32] + b->sb.bytes[c * codes + k / 32] - 254);
                }
                sum += p;
            }
            if (dtype_load(b->c_type, b->c.bytes, r * b->n + c) != sum) {
                print_error("(%d, %d): got %g, want %g\n", (int)r, (int)c,
                            dtype_load(b->c_type, b->c.bytes, r * b->n + c), sum);
                fail();
            }
        }
    }
    close_bench(b);
}

/* ---- A2: [40, 70] x [70, 50], A stored [K, M], B stored [K, N] ---- */

static void test_int8(void **state)
{
    (void)state;
    struct bench b = {.a_trans = true};
    open_bench(&b, PRODUCT_ASCEND910B, DTYPE_INT8, M, K, N);
    nd2nz(&b, TENSOR_A, 0, K, M, 96); /* K padded to 3 squares of 32; M to 2 columns of 32 */
    nd2nz(&b, TENSOR_B, 65536, K, N, 96);
    for (uint32_t m = 0; m < 2; m++) { /* square (k, m): outputs m rows 2m, 2m + 1, column k of Zz with 3 columns */
        transpose(&b, OP_LOAD_TRANSPOSE, BUF_L0A, m * 6 * 512, 0,
                  (struct squares){.start = m * 3, .stride = 1, .frac_gap = 2, .repeat = 3});
    }
    for (uint32_t k = 0; k < 3; k++) { /* Zn row k: n fractals 0..3 */
        transpose(&b, OP_LOAD_TRANSPOSE, BUF_L0B, k * 4 * 512, 65536,
                  (struct squares){.start = k, .stride = 3, .gap = 1, .repeat = 2});
    }
    finish(&b, OP_MMAD, M, 64, false); /* n padded to 64 by the load */
}

static void test_half(void **state)
{
    (void)state;
    struct bench b = {.a_trans = true};
    open_bench(&b, PRODUCT_ASCEND910B, DTYPE_HALF, M, K, N);
    nd2nz(&b, TENSOR_A, 0, K, M, 80);
    nd2nz(&b, TENSOR_B, 65536, K, N, 80);
    for (uint32_t m = 0; m < 3; m++) {
        transpose(&b, OP_LOAD_TRANSPOSE, BUF_L0A, m * 5 * 512, 0,
                  (struct squares){.start = m * 5, .stride = 1, .repeat = 5});
    }
    for (uint32_t k = 0; k < 5; k++) {
        transpose(&b, OP_LOAD_TRANSPOSE, BUF_L0B, k * 4 * 512, 65536,
                  (struct squares){.start = k, .stride = 5, .repeat = 4});
    }
    finish(&b, OP_MMAD, M, N, false);
}

/* GM to a Zz image of 16 x 8 fractals: one ND matrix per 16 rows of K (kernel_rules section 4). */
static void nd2zz(struct bench *b, enum tensor tensor, int64_t l1, int64_t columns, int64_t pitch)
{
    for (int64_t first = 0; first < K; first += first == 0 ? K / 16 * 16 : 16) {
        struct insn in = make(OP_ND2NZ, DTYPE_FLOAT, at(BUF_L1, l1 + first * pitch * 4),
                              at_gm(tensor, first * columns * 4));
        in.p.nd2nz.ndNum = first == 0 ? K / 16 : 1;
        in.p.nd2nz.nValue = first == 0 ? 16 : K % 16;
        in.p.nd2nz.dValue = (uint32_t)columns;
        in.p.nd2nz.srcDValue = columns;
        in.p.nd2nz.srcNdMatrixStride = 16 * columns;
        in.p.nd2nz.dstNzC0Stride = 16;
        in.p.nd2nz.dstNzMatrixStride = (uint32_t)(16 * pitch);
        run_ok(b->e, &in);
    }
}

static void test_float(void **state)
{
    (void)state;
    struct bench b = {.a_trans = true};
    open_bench(&b, PRODUCT_ASCEND910B, DTYPE_FLOAT, M, K, N);
    nd2zz(&b, TENSOR_A, 0, M, 48); /* 3 squares of 16 x 16 a row */
    nd2zz(&b, TENSOR_B, 65536, N, 64);
    for (uint32_t m = 0; m < 3; m++) { /* two fractals of 8 k for each square, 10 a row of L0A */
        transpose(&b, OP_LOAD_TRANSPOSE, BUF_L0A, m * 10 * 512, 0,
                  (struct squares){.start = m, .stride = 3, .gap = 1, .repeat = 5});
    }
    for (uint32_t k = 0; k < 5; k++) {
        transpose(&b, OP_LOAD_TRANSPOSE, BUF_L0B, k * 8 * 512, 65536,
                  (struct squares){.start = k * 4, .stride = 1, .frac_gap = 3, .repeat = 4});
    }
    finish(&b, OP_MMAD, M, N, true); /* K of L0A is padded to 16 */
}

/* b4 goes transposed into L0B only. */
static void test_int4(void **state)
{
    (void)state;
    struct bench b = {0};
    open_bench(&b, PRODUCT_ASCEND910B, DTYPE_INT4, M, K, N);
    nd2nz(&b, TENSOR_A, 0, M, K, 48);
    nd2nz(&b, TENSOR_B, 65536, K, N, 128);
    for (uint32_t m = 0; m < 3; m++) {
        load_2d(&b, BUF_L0A, m * 2 * 512, 0, m, 3, 2);
    }
    transpose(&b, OP_LOAD_TRANSPOSE, BUF_L0B, 0, 65536, (struct squares){.stride = 1, .gap = 3, .repeat = 2});
    finish(&b, OP_MMAD, M, N, false);
}

/* ---- 950 ---- */

/* The V2 page's example: a whole 128 x 256 int8 matrix in one call each. */
static void test_v2(void **state)
{
    (void)state;
    struct bench b = {.b_trans = true};
    open_bench(&b, PRODUCT_ASCEND950, DTYPE_INT8, 128, 256, 64);
    nd2nz(&b, TENSOR_A, 0, 128, 256, 128);
    nd2nz(&b, TENSOR_B, 65536, 64, 256, 64);
    load_v2(&b, BUF_L0A, 0, 8, 8, 8, false);
    load_v2(&b, BUF_L0B, 65536, 4, 8, 4, false);
    finish(&b, OP_MMAD, 128, 64, false);
    struct bench t = {.a_trans = true};
    open_bench(&t, PRODUCT_ASCEND950, DTYPE_INT8, 128, 256, 64);
    nd2nz(&t, TENSOR_A, 0, 256, 128, 256);
    nd2nz(&t, TENSOR_B, 65536, 256, 64, 256);
    load_v2(&t, BUF_L0A, 0, 16, 4, 8, true);
    load_v2(&t, BUF_L0B, 65536, 16, 2, 4, true);
    finish(&t, OP_MMAD, 128, 64, false);
}

/* asc_copy_l12l0b_trans(dst, src, index, repeat, src_stride, dst_gap, dst_frac_gap, src_frac_gap). */
static void test_c_api(void **state)
{
    (void)state;
    struct bench b = {0};
    open_bench(&b, PRODUCT_ASCEND950, DTYPE_INT8, M, K, N);
    nd2nz(&b, TENSOR_A, 0, M, K, 48);
    nd2nz(&b, TENSOR_B, 65536, K, N, 96);
    load_v2(&b, BUF_L0A, 0, 3, 3, 3, false);
    for (uint32_t k = 0; k < 3; k++) {
        transpose(&b, OP_LOAD_TRANSPOSE_V2, BUF_L0B, k * 4 * 512, 65536,
                  (struct squares){.start = 2 * k, .stride = 6, .gap = 1, .repeat = 2});
    }
    finish(&b, OP_MMAD, M, N, false);
}

/* Scales [rows, codes] from GM to L1 as pairs. */
static void scales(struct bench *b, enum tensor tensor, int64_t l1, int64_t rows, int64_t codes)
{
    struct insn in = make(OP_DN2NZ, DTYPE_HALF, at(BUF_L1, l1), at_gm(tensor, 0));
    in.p.dn2nz.nValue = (uint32_t)(codes / 2);
    in.p.dn2nz.dValue = (uint32_t)rows;
    in.p.dn2nz.srcDValue = codes / 2;
    in.p.dn2nz.dstNzC0Stride = (uint32_t)(codes / 2);
    run_ok(b->e, &in);
}

static void load_mx(struct bench *b, enum buffer buf, int64_t l1, int64_t scale, uint16_t m, uint16_t k,
                    uint16_t scale_columns)
{
    struct insn in = make(OP_LOAD_MX, buf == BUF_L0A ? b->a_type : b->b_type, at(buf, 0), at(BUF_L1, l1));
    in.src2 = at(BUF_L1, scale);
    in.p.load_mx.data.mStep = m;
    in.p.load_mx.data.kStep = k;
    in.p.load_mx.data.srcStride = m;
    in.p.load_mx.data.dstStride = m;
    in.p.load_mx.xStep = m;             /* M / 16 */
    in.p.load_mx.yStep = scale_columns; /* K / 64 */
    in.p.load_mx.srcStride = scale_columns;
    in.p.load_mx.dstStride = scale_columns;
    run_ok(b->e, &in);
}

static void test_mx(void **state)
{
    (void)state;
    static const enum dtype types[] = {DTYPE_FP8_E4M3, DTYPE_FP8_E5M2, DTYPE_FP4_E2M1, DTYPE_FP4_E1M2};
    for (int i = 0; i < 4; i++) {
        struct bench b = {.b_trans = true};
        struct rng r = rng_init(6);
        open_bench(&b, PRODUCT_ASCEND950, types[i], 48, 128, 32);
        for (int64_t s = 0; s < 48 * 4; s++) {
            b.sa.bytes[s] = (uint8_t)rng_between(&r, 125, 129);
            b.sb.bytes[s % (32 * 4)] = (uint8_t)rng_between(&r, 125, 129);
        }
        const uint16_t columns = dtype_info(types[i])->bits == 4 ? 2 : 4; /* of 32 B */
        nd2nz(&b, TENSOR_A, 0, 48, 128, 48);
        nd2nz(&b, TENSOR_B, 65536, 32, 128, 32);
        scales(&b, TENSOR_SA, 131072, 48, 4);
        scales(&b, TENSOR_SB, 135168, 32, 4);
        load_mx(&b, BUF_L0A, 0, 131072, 3, columns, 2);
        load_mx(&b, BUF_L0B, 65536, 135168, 2, columns, 2);
        finish(&b, OP_MMAD_MX, 48, 32, false);
    }
}

/* LoadDataWithStride with a 1 x 1 filter: a transpose of the L1 image. */
static void test_with_stride(void **state)
{
    (void)state;
    static const enum dtype types[] = {DTYPE_HALF, DTYPE_FLOAT};
    for (int i = 0; i < 2; i++) {
        struct bench b = {.a_trans = true};
        open_bench(&b, PRODUCT_ASCEND950, types[i], 48, 80, 64);
        nd2nz(&b, TENSOR_A, 0, 80, 48, 80);
        nd2nz(&b, TENSOR_B, 65536, 80, 64, 80);
        for (int side = 0; side < 2; side++) {
            struct insn in = make(OP_LOAD_3D_STRIDE, types[i], at(side == 0 ? BUF_L0A : BUF_L0B, 0),
                                  at(BUF_L1, side * 65536));
            in.p.load_3d.l1H = 1;
            in.p.load_3d.l1W = in.p.load_3d.mExtension = 80;
            in.p.load_3d.channelSize = in.p.load_3d.kExtension = side == 0 ? 48 : 64;
            in.p.load_3d.enTranspose = 1;
            in.p.load_3d.dstStride = side == 0 ? 3 : 4; /* fractal rows of the result */
            run_ok(b.e, &in);
        }
        finish(&b, OP_MMAD, 48, 64, false);
    }
}

/* A 3 x 3 convolution with padding, stride 2 and dilation, against a direct one. */
static void test_conv(void **state)
{
    (void)state;
    enum { H = 7, W = 9, C = 32, F = 3, PAD = 1, STRIDE = 2, DIL = 1, CO = 32 };
    const int64_t ho = (H + 2 * PAD - F) / STRIDE + 1, wo = (W + 2 * PAD - F) / STRIDE + 1, columns = C * F * F;
    const struct target t = fixture_target(PRODUCT_ASCEND910B);
    struct engine *e;
    struct rng r = rng_init(9);
    struct gm_bytes out;
    assert_int_equal(engine_create(&t, &e, NULL), STATUS_OK);
    gm_attach(e, TENSOR_C, &out, ho * wo * CO * 4);
    uint8_t map[H * W * C * 2], weights[CO * F * F * C * 2];
    for (int64_t i = 0; i < H * W * C; i++) {
        dtype_store(DTYPE_HALF, map, i, (double)rng_between(&r, -4, 4));
    }
    for (int64_t i = 0; i < columns * CO; i++) {
        dtype_store(DTYPE_HALF, weights, i, (double)rng_between(&r, -4, 4));
    }
    engine_poke(e, BUF_L1, 0, map, sizeof map);          /* [C / 16][H][W][16] */
    engine_poke(e, BUF_L0B, 0, weights, sizeof weights); /* Zn: [columns / 16][CO / 16][16 n][16 k] */
    struct insn load = make(OP_LOAD_3D, DTYPE_HALF, at(BUF_L0A, 0), at(BUF_L1, 0));
    struct load_3d_params *p = &load.p.load_3d;
    memset(p->padList, PAD, 4);
    p->l1H = H;
    p->l1W = W;
    p->channelSize = C;
    p->kExtension = (uint16_t)columns;
    p->mExtension = (uint16_t)(ho * wo);
    p->strideH = p->strideW = STRIDE;
    p->filterH = p->filterW = F;
    run_ok(e, &load);
    struct insn mmad = make(OP_MMAD, DTYPE_HALF, at(BUF_L0C, 0), at(BUF_L0A, 0));
    mmad.src2 = at(BUF_L0B, 0);
    mmad.p.mmad.m = (uint16_t)(ho * wo);
    mmad.p.mmad.n = CO;
    mmad.p.mmad.k = (uint16_t)columns;
    run_ok(e, &mmad);
    struct insn fix = make(OP_FIXPIPE, DTYPE_FLOAT, at_gm(TENSOR_C, 0), at(BUF_L0C, 0));
    fix.p.fixpipe.mSize = (uint16_t)(ho * wo);
    fix.p.fixpipe.nSize = fix.p.fixpipe.dstStride = CO;
    fix.p.fixpipe.srcStride = (uint16_t)align_up(ho * wo, 16);
    run_ok(e, &fix);
    for (int64_t o = 0; o < ho * wo * CO; o++) {
        const int64_t n = o % CO, x = o / CO % wo, y = o / CO / wo;
        double sum = 0;
        for (int64_t c = 0; c < C; c++) {
            for (int64_t f = 0; f < F * F; f++) {
                const int64_t h = y * STRIDE - PAD + f / F * DIL, w = x * STRIDE - PAD + f % F * DIL;
                const int64_t k = (c / 16 * F * F + f) * 16 + c % 16; /* (c1, kh, kw, c0) */
                if (h >= 0 && h < H && w >= 0 && w < W) {
                    sum += dtype_load(DTYPE_HALF, map, ((c / 16 * H + h) * W + w) * 16 + c % 16) *
                           dtype_load(DTYPE_HALF, weights, (k / 16 * 2 + n / 16) * 256 + n % 16 * 16 + k % 16);
                }
            }
        }
        assert_true(dtype_load(DTYPE_FLOAT, out.bytes, o) == sum);
    }
    free(out.bytes);
    engine_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_int8), cmocka_unit_test(test_half),        cmocka_unit_test(test_float),
        cmocka_unit_test(test_int4), cmocka_unit_test(test_v2),          cmocka_unit_test(test_c_api),
        cmocka_unit_test(test_mx),   cmocka_unit_test(test_with_stride), cmocka_unit_test(test_conv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
