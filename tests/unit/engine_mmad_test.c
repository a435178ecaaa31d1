/* Mmad: every kernel gives the bits of one plain loop, for every pair of types,
 * on any bit patterns; layouts and scales as the documents state them. */
#include "engine_fixture.h"

#include <math.h>

#include "base/intmath.h"
#include "isa/support.h"
#include "numeric/fp.h"

/* ---- kernels on panels ---- */

static float any_float(struct rng *r)
{
    const uint64_t kind = rng_below(r, 8);
    if (kind == 0) {
        return float_from_bits((uint32_t)rng_next(r)); /* nan, inf, subnormals: anything */
    }
    if (kind == 1) {
        static const uint32_t odd[] = {0, 0x80000000U, 0x7F800000U, 0xFF800000U, 0x7F800001U, 0x00000001U, 0x7F7FFFFFU};
        return float_from_bits(odd[rng_below(r, 7)]);
    }
    return (float)(rng_unit(r) * 64.0 - 32.0);
}

static uint32_t canonical_bits(float f)
{
    return isnan(f) ? FP_NAN_BITS : float_bits(f);
}

static void check_float(struct rng *r, bool fused, int64_t m, int64_t n, int64_t k)
{
    const int64_t panels = ceil_div(n, 16), lda = k + rng_between(r, 0, 5), rows = align_up(m, 16);
    float *a = malloc((size_t)(m * lda) * 4), *b = malloc((size_t)(panels * k * 16) * 4);
    float *start = malloc((size_t)(panels * rows * 16) * 4), *c = malloc((size_t)(panels * rows * 16) * 4);
    for (int64_t i = 0; i < m * lda; i++) {
        a[i] = fused ? half_to_float((uint16_t)rng_next(r)) : any_float(r);
    }
    for (int64_t i = 0; i < panels * k * 16; i++) {
        b[i] = fused ? half_to_float((uint16_t)rng_next(r)) : any_float(r);
    }
    for (int64_t i = 0; i < panels * rows * 16; i++) {
        start[i] = any_float(r);
    }
    for (int isa = 0; isa < MMAD_ISA_N && isa <= (int)mmad_isa_best(); isa++) {
        memcpy(c, start, (size_t)(panels * rows * 16) * 4);
        const struct mmad_float g = {a, b, c, lda, k * 16, rows * 16, m, n, k, fused};
        mmad_float_run((enum mmad_isa)isa, &g);
        for (int64_t i = 0; i < panels * rows * 16; i++) {
            const int64_t row = i / 16 % rows, column = i / 16 / rows * 16 + i % 16;
            if (row >= m || column >= n) {
                assert_int_equal(float_bits(c[i]), float_bits(start[i])); /* not touched */
                continue;
            }
            float sum = start[i];
            for (int64_t x = 0; x < k; x++) {
                const float product = a[row * lda + x] * b[column / 16 * k * 16 + x * 16 + column % 16];
                sum = sum + product;
            }
            if (float_bits(c[i]) != canonical_bits(sum)) {
                print_error("%s m=%d n=%d k=%d (%d, %d): %08x, want %08x\n", mmad_isa_name((enum mmad_isa)isa), (int)m,
                            (int)n, (int)k, (int)row, (int)column, float_bits(c[i]), canonical_bits(sum));
                fail();
            }
        }
    }
    free(a);
    free(b);
    free(start);
    free(c);
}

static void check_int(struct rng *r, int64_t m, int64_t n, int64_t k)
{
    const int64_t pairs = align_up(k, 2);
    const int64_t panels = ceil_div(n, 16), rows = align_up(m, 16);
    int16_t *a = calloc((size_t)(m * pairs), 2), *b = calloc((size_t)(panels * pairs * 16), 2);
    int32_t *start = malloc((size_t)(panels * rows * 16) * 4), *c = malloc((size_t)(panels * rows * 16) * 4);
    for (int64_t i = 0; i < m * k; i++) {
        a[i / k * pairs + i % k] = (int16_t)rng_between(r, -128, 255);
    }
    for (int64_t i = 0; i < panels * pairs * 16; i++) {
        b[i] = (int16_t)rng_between(r, -128, 255);
    }
    for (int64_t i = 0; i < panels * rows * 16; i++) {
        start[i] = (int32_t)rng_next(r);
    }
    for (int isa = 0; isa <= (int)mmad_isa_best(); isa++) {
        memcpy(c, start, (size_t)(panels * rows * 16) * 4);
        const struct mmad_int g = {a, b, c, pairs, pairs * 16, rows * 16, m, n, k};
        mmad_int_run((enum mmad_isa)isa, &g);
        for (int64_t i = 0; i < panels * rows * 16; i++) {
            const int64_t row = i / 16 % rows, column = i / 16 / rows * 16 + i % 16;
            uint32_t sum = (uint32_t)start[i];
            for (int64_t x = 0; x < k && row < m && column < n; x++) {
                sum += (uint32_t)(a[row * pairs + x] *
                                  b[column / 16 * pairs * 16 + x / 2 * 32 + column % 16 * 2 + x % 2]);
            }
            assert_int_equal((uint32_t)c[i], sum);
        }
    }
    free(a);
    free(b);
    free(start);
    free(c);
}

static void test_kernels(void **state)
{
    (void)state;
    struct rng r = rng_init(21);
    for (int i = 0; i < 150; i++) {
        const int64_t k = rng_below(&r, 5) == 0 ? rng_between(&r, 250, 270) : rng_between(&r, 1, 40);
        check_float(&r, i % 2 == 0, rng_between(&r, 1, 20), rng_between(&r, 1, 50), k);
        check_int(&r, rng_between(&r, 1, 20), rng_between(&r, 1, 50), rng_between(&r, 1, 70));
    }
    /* Every shape of block that a kernel may cut a result into. */
    static const int64_t columns[] = {1, 16, 17, 32, 47, 48, 63, 64, 65, 80, 96, 113, 127, 128, 130};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        for (int64_t m = 1; m <= 17; m++) {
            check_float(&r, m % 2 == 0, m, columns[i], 5);
            check_float(&r, m % 2 != 0, m, columns[i], 3);
            check_int(&r, m, columns[i], 3 + m % 2);
        }
    }
}

static void test_unpack(void **state)
{
    (void)state;
    static uint16_t codes[65536];
    static float out[2][65536];
    float in[16 * 20], flipped[256];
    for (int i = 0; i < 65536; i++) {
        codes[i] = (uint16_t)i;
    }
    for (int isa = 0; isa <= (int)mmad_isa_best(); isa++) {
        mmad_unpack_half((enum mmad_isa)isa, (const uint8_t *)codes, 65533, out[isa > 0]);
        for (int i = 0; i < 65533; i++) {
            assert_int_equal(float_bits(out[isa > 0][i]), float_bits(half_to_float((uint16_t)i)));
        }
        for (int i = 0; i < 320; i++) {
            in[i] = (float)i;
        }
        mmad_transpose16((enum mmad_isa)isa, in, 20, flipped);
        for (int i = 0; i < 256; i++) {
            assert_true(flipped[i] == in[i % 16 * 20 + i / 16]);
        }
    }
    assert_string_equal(mmad_isa_name(MMAD_SCALAR), "scalar");
}

/* ---- the instruction ---- */

struct setup {
    enum product product;
    const struct target *t;
    struct engine *e;
    struct insn in;
    enum dtype a, b;
    bool gemv;
};

/* Element (row, k) of L0A by the documents' layouts. */
static double left(const struct setup *s, int64_t row, int64_t k)
{
    int64_t size;
    const uint8_t *m = engine_memory(s->e, BUF_L0A, &size) + s->in.src.byte;
    const struct mmad_params *p = &s->in.p.mmad;
    const int64_t c0 = dtype_c0(s->a), m1 = ceil_div(p->m, 16);
    const int64_t k1 = p->kDirectionAlign ? 2 * ceil_div(p->k, 16) : ceil_div(p->k, c0);
    if (s->gemv) {
        return dtype_load(s->a, m, k);
    }
    const int64_t fractal = s->t->l0a_nz ? k / c0 * m1 + row / 16 : row / 16 * k1 + k / c0;
    return dtype_load(s->a, m + fractal * 512, row % 16 * c0 + k % c0);
}

static double right(const struct setup *s, int64_t k, int64_t column)
{
    int64_t size;
    const uint8_t *m = engine_memory(s->e, BUF_L0B, &size) + s->in.src2.byte;
    const int64_t c0 = dtype_c0(s->b), n1 = ceil_div(s->in.p.mmad.n, 16);
    return dtype_load(s->b, m + (k / c0 * n1 + column / 16) * 512, column % 16 * c0 + k % c0);
}

static int scale(const struct setup *s, enum buffer buf, int64_t data, bool vector, int64_t row, int64_t k)
{
    int64_t size;
    const uint8_t *m = engine_memory(s->e, buf, &size) + data / 16;
    return vector ? m[k / 32] : m[(row / 16 * (s->in.p.mmad.k / 64) + k / 64) * 32 + row % 16 * 2 + k / 32 % 2];
}

static float product_of(const struct setup *s, int64_t row, int64_t column, int64_t k)
{
    const double p = left(s, row, k) * right(s, k, column);
    if (s->in.op != OP_MMAD_MX) {
        return (float)left(s, row, k) * (float)right(s, k, column);
    }
    const int ea = scale(s, BUF_L0A_MX, s->in.src.byte, s->gemv, row, k),
              eb = scale(s, BUF_L0B_MX, s->in.src2.byte, false, column, k);
    return ea == 255 || eb == 255 ? NAN : (float)ldexp(p, ea + eb - 254);
}

static void random_memory(struct engine *e, struct rng *r, enum buffer buf, int mode)
{
    int64_t size;
    uint8_t *bytes = engine_memory(e, buf, &size);
    if (bytes == NULL) {
        return;
    }
    uint8_t *copy = malloc((size_t)size);
    for (int64_t i = 0; i < size; i++) {
        const uint8_t any = (uint8_t)rng_next(r);
        copy[i] = mode == 1 ? (uint8_t)(120 + any % 16) : any; /* 1: scales of moderate size */
    }
    engine_poke(e, buf, 0, copy, size);
    free(copy);
}

static void check_mmad(struct setup *s, struct rng *r)
{
    struct mmad_params *p = &s->in.p.mmad;
    int64_t size;
    const bool mx = s->in.op == OP_MMAD_MX, wild = rng_below(r, 3) == 0;
    p->m = (uint16_t)(rng_below(r, 5) == 0 ? 1 : rng_between(r, 1, 40));
    p->n = (uint16_t)rng_between(r, 1, 40);
    p->k = (uint16_t)(mx ? 64 * rng_between(r, 1, 2) : rng_between(r, 1, 70));
    p->disableGemv = s->product == PRODUCT_ASCEND950 && rng_below(r, 2) == 0;
    p->kDirectionAlign = s->a == DTYPE_FLOAT && s->product == PRODUCT_ASCEND910B && rng_below(r, 2) == 0;
    p->cmatrixInitVal = rng_below(r, 2) == 0;
    p->cmatrixSource = rng_below(r, 2) == 0;
    p->biasAddr = 64;
    s->gemv = p->m == 1 && !p->disableGemv;
    for (int buf = BUF_L0A; buf <= BUF_BT; buf++) {
        random_memory(s->e, r, (enum buffer)buf, (buf == BUF_L0A_MX || buf == BUF_L0B_MX) && !wild);
    }
    uint8_t *c = engine_memory(s->e, BUF_L0C, &size);
    const uint8_t *bias = engine_memory(s->e, BUF_BT, &(int64_t){0});
    uint8_t *before = malloc((size_t)size);
    memcpy(before, c, (size_t)size);
    const int64_t m1 = ceil_div(p->m, 16);
    for (int isa = 0; isa <= (int)mmad_isa_best(); isa++) {
        engine_force_isa(s->e, (enum mmad_isa)isa);
        engine_poke(s->e, BUF_L0C, 0, before, size);
        run_ok(s->e, &s->in);
        for (int64_t row = 0; row < p->m; row++) {
            for (int64_t column = 0; column < p->n; column++) {
                const int64_t place = s->in.dst.byte + (column / 16 * m1 * 16 + row) * 64 + column % 16 * 4;
                uint32_t start = 0, got;
                if (!p->cmatrixInitVal) {
                    memcpy(&start, p->cmatrixSource ? bias + 64 + column * 4 : before + place, 4);
                }
                memcpy(&got, c + place, 4);
                if (!dtype_info(s->a)->is_float) {
                    int64_t sum = (int32_t)start;
                    bool inside = true;
                    for (int64_t k = 0; k < p->k; k++) {
                        sum += (int64_t)(left(s, row, k) * right(s, k, column));
                        inside = inside && sum >= INT32_MIN && sum <= INT32_MAX;
                    }
                    assert_int_equal(got, (uint32_t)sum);
                    assert_int_equal(engine_tainted(s->e, BUF_L0C, place), !inside); /* overflow is not documented */
                    continue;
                }
                float sum = float_from_bits(start);
                for (int64_t k = 0; k < p->k; k++) {
                    sum = sum + product_of(s, row, column, k);
                }
                if (got != canonical_bits(sum)) {
                    print_error("%s x %s m=%d n=%d k=%d: %08x, want %08x\n", dtype_info(s->a)->name,
                                dtype_info(s->b)->name, p->m, p->n, p->k, got, canonical_bits(sum));
                    fail();
                }
            }
        }
    }
    free(before);
}

static void test_triples(void **state)
{
    (void)state;
    struct rng r = rng_init(4);
    size_t count;
    const struct mmad_triple *triples = mmad_triples(&count);
    static const enum product products[] = {PRODUCT_ASCEND910B, PRODUCT_ASCEND950};
    for (int p = 0; p < 2; p++) {
        const struct target t = fixture_target(products[p]);
        struct engine *e;
        assert_int_equal(engine_create(&t, &e, NULL), STATUS_OK);
        for (size_t i = 0; i < count; i++) {
            if ((triples[i].products >> products[p] & 1U) == 0) {
                continue;
            }
            for (int round = 0; round < 12; round++) {
                struct setup s = {.product = products[p],
                                  .t = &t,
                                  .e = e,
                                  .a = (enum dtype)triples[i].a,
                                  .b = (enum dtype)triples[i].b};
                s.in = make(triples[i].mx ? OP_MMAD_MX : OP_MMAD, s.a, at(BUF_L0C, 2048), at(BUF_L0A, 1024));
                s.in.src2 = at(BUF_L0B, 2048);
                s.in.p.mmad.btype = triples[i].b;
                check_mmad(&s, &r);
            }
        }
        engine_destroy(e);
    }
}

/* uint8 operands exist on products without the other paths; the engine runs them anywhere. */
static void test_unsigned_and_half(void **state)
{
    (void)state;
    struct rng r = rng_init(8);
    const struct target t = fixture_target(PRODUCT_ASCEND910B);
    struct engine *e;
    assert_int_equal(engine_create(&t, &e, NULL), STATUS_OK);
    for (int round = 0; round < 20; round++) {
        struct setup s = {.product = PRODUCT_ASCEND910B,
                          .t = &t,
                          .e = e,
                          .a = DTYPE_UINT8,
                          .b = round % 2 == 0 ? DTYPE_INT8 : DTYPE_UINT8};
        s.in = make(OP_MMAD, s.a, at(BUF_L0C, 0), at(BUF_L0A, 0));
        s.in.src2 = at(BUF_L0B, 0);
        s.in.p.mmad.btype = (uint8_t)s.b;
        check_mmad(&s, &r);
    }
    /* Half accumulators: rounded after every addition. */
    uint16_t a[256], b[256];
    for (int i = 0; i < 256; i++) {
        a[i] = half_from_float((float)rng_unit(&r), FP_SATURATE);
        b[i] = half_from_float((float)rng_unit(&r), FP_SATURATE);
    }
    engine_poke(e, BUF_L0A, 0, (uint8_t *)a, 512);
    engine_poke(e, BUF_L0B, 0, (uint8_t *)b, 512);
    struct insn in = make(OP_MMAD, DTYPE_HALF, at(BUF_L0C, 0), at(BUF_L0A, 0));
    in.src2 = at(BUF_L0B, 0);
    in.p.mmad.m = in.p.mmad.n = in.p.mmad.k = 16;
    in.p.mmad.ctype = DTYPE_HALF;
    run_ok(e, &in);
    int64_t size;
    const uint8_t *c = engine_memory(e, BUF_L0C, &size);
    for (int row = 0; row < 16; row++) {
        for (int column = 0; column < 16; column++) {
            uint16_t sum = 0, got;
            for (int k = 0; k < 16; k++) {
                sum = half_from_float(
                    half_to_float(sum) + half_to_float(a[row * 16 + k]) * half_to_float(b[column * 16 + k]), FP_KEEP);
            }
            memcpy(&got, c + (row * 16 + column) * 2, 2);
            assert_int_equal(got, sum);
        }
    }
    engine_destroy(e);
}

/* HF32 cuts the mantissas of float operands: 11 bits on A2, 10 on 950. */
static void test_hf32(void **state)
{
    (void)state;
    static const enum product products[] = {PRODUCT_ASCEND910B, PRODUCT_ASCEND950};
    for (int p = 0; p < 2; p++) {
        const struct target t = fixture_target(products[p]);
        struct engine *e;
        assert_int_equal(engine_create(&t, &e, NULL), STATUS_OK);
        const int drop = products[p] == PRODUCT_ASCEND950 ? 13 : 12;
        const uint32_t one = 0x3F800000U;
        const uint32_t inputs[] = {
            one | 1U,   one | 1U << drop, one | 1U << (drop - 1), one | 3U << (drop - 1), one + (1U << (drop - 1)) + 1,
            0x7F800000U};
        const uint32_t even[] = {one, one | 1U << drop, one, one | 2U << drop, one | 1U << drop, 0x7F800000U};
        const uint32_t zero[] = {one, one | 1U << drop, one, one | 1U << drop, one | 1U << drop, 0x7F800000U};
        uint8_t ones[512] = {0}, left_bytes[512] = {0};
        for (int row = 0; row < 16; row++) {
            const float f = 1.0F;
            memcpy(ones + row * 32, &f, 4);
            memcpy(left_bytes + row * 32, &inputs[row % 6], 4);
        }
        struct insn set = make(OP_SET_HF32, DTYPE_FLOAT, at(BUF_GM, 0), at(BUF_GM, 0));
        struct insn in = make(OP_MMAD, DTYPE_FLOAT, at(BUF_L0C, 0), at(BUF_L0A, 0));
        in.src2 = at(BUF_L0B, 0);
        in.p.mmad.m = in.p.mmad.n = 16;
        in.p.mmad.k = 1;
        engine_poke(e, BUF_L0A, 0, left_bytes, 512);
        engine_poke(e, BUF_L0B, 0, ones, 512);
        int64_t size;
        const uint8_t *c = engine_memory(e, BUF_L0C, &size);
        for (int mode = 0; mode < 3; mode++) { /* off, ties to even, ties to zero */
            set.p.reg.value = mode != 0;
            set.p.reg.value2 = mode == 2;
            run_ok(e, &set);
            run_ok(e, &in);
            for (int row = 0; row < 6; row++) {
                uint32_t got;
                memcpy(&got, c + row * 64, 4);
                assert_int_equal(got, mode == 0 ? inputs[row] : mode == 1 ? even[row] : zero[row]);
            }
        }
        engine_destroy(e);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    const struct target t = fixture_target(PRODUCT_ASCEND950);
    struct engine *e;
    assert_int_equal(engine_create(&t, &e, NULL), STATUS_OK);
    struct insn good = make(OP_MMAD, DTYPE_HALF, at(BUF_L0C, 0), at(BUF_L0A, 0)), in = good;
    good.src2 = at(BUF_L0B, 0);
    good.p.mmad.m = good.p.mmad.n = good.p.mmad.k = 16;
    in = good;
    in.p.mmad.m = 4096;
    run_fails(e, &in, "4095");
    in = good;
    in.p.mmad.btype = DTYPE_INT8;
    run_fails(e, &in, "half by int8_t is no pair");
    in = good;
    in.dst.byte = 512;
    run_fails(e, &in, "not a multiple of 1024");
    in = good;
    in.src.byte = 65536 - 512;
    in.p.mmad.k = 17;
    run_fails(e, &in, "left operand");
    in = good;
    in.src2.byte = 65536 - 512;
    in.p.mmad.n = 17;
    run_fails(e, &in, "right operand");
    in = good;
    in.dst.byte = 256 * 1024 - 1024;
    in.p.mmad.n = 17;
    run_fails(e, &in, "result");
    in = good;
    in.src.buf = BUF_L1;
    run_fails(e, &in, "multiplies L0A by L0B");
    in = good;
    in.p.mmad.cmatrixInitVal = 0;
    in.p.mmad.cmatrixSource = 1;
    in.p.mmad.biasAddr = 4096 - 32;
    run_fails(e, &in, "bias");
    in = good;
    in.op = OP_MMAD_MX;
    in.dtype = DTYPE_FP8_E4M3;
    run_fails(e, &in, "multiple of 64");
    in.p.mmad.k = 64;
    in.src.byte = 512;
    run_fails(e, &in, "aligned to 1024");
    in = good;
    in.p.mmad.n = 0;
    in.dst.byte = 1;
    run_ok(e, &in); /* a NOP */
    engine_destroy(e);
}

/* ---- taint: one open byte of an operand ---- */

enum { TM = 20, TN = 37, TK = 70 };

/* All known but `byte` (-1: all known). */
static void know_all_but(struct engine *e, enum buffer buf, int64_t byte)
{
    static const uint8_t zeros[256 * 1024];
    int64_t size;
    (void)engine_memory(e, buf, &size);
    engine_poke(e, buf, 0, zeros, byte < 0 ? size : byte);
    if (byte >= 0) {
        engine_poke(e, buf, byte + 1, zeros, size - byte - 1);
    }
}

/* One Mmad with `byte` of `buf` open: which results are open? row, column: the ones
 * that must be (-1: all of them, -2: none). */
static void check_open(struct engine *e, const struct insn *mmad, enum buffer buf, int64_t byte, int row, int column)
{
    static const enum buffer all[] = {BUF_L0A, BUF_L0B, BUF_L0C, BUF_BT, BUF_L0A_MX, BUF_L0B_MX};
    int64_t size;
    engine_reset(e);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (engine_memory(e, all[i], &size) != NULL) {
            know_all_but(e, all[i], all[i] == buf ? byte : -1);
        }
    }
    run_ok(e, mmad);
    const int64_t m1 = (mmad->p.mmad.m + 15) / 16, n1 = (mmad->p.mmad.n + 15) / 16;
    for (int64_t i = 0; i < m1 * n1 * 256; i++) {
        const int64_t r = i / 16 % (m1 * 16), c = i / 16 / (m1 * 16) * 16 + i % 16;
        const bool outside = r >= mmad->p.mmad.m || c >= mmad->p.mmad.n;
        const bool open = outside || ((row == -1 || row == r) && (column == -1 || column == c));
        for (int b = 0; b < 4; b++) {
            assert_int_equal(engine_tainted(e, BUF_L0C, i * 4 + b), open);
        }
    }
}

static struct insn taint_mmad(enum op op, enum dtype dtype, int k)
{
    struct insn in = make(op, dtype, at(BUF_L0C, 0), at(BUF_L0A, 0));
    in.src2 = at(BUF_L0B, 0);
    in.p.mmad.btype = (uint8_t)dtype;
    in.p.mmad.m = TM;
    in.p.mmad.n = TN;
    in.p.mmad.k = (uint16_t)k;
    return in;
}

/* One byte of a start value in L0C: that element alone. */
static void check_open_start(struct engine *e, const struct insn *mmad)
{
    const int64_t place = ((1 * 32 + 18) * 16 + 3) * 4;
    engine_reset(e);
    know_all_but(e, BUF_L0A, -1);
    know_all_but(e, BUF_L0B, -1);
    know_all_but(e, BUF_L0C, place + 1);
    run_ok(e, mmad);
    for (int r = 0; r < TM; r++) {
        for (int c = 0; c < TN; c++) {
            const int64_t byte = ((c / 16 * 32 + r) * 16 + c % 16) * 4;
            assert_int_equal(engine_tainted(e, BUF_L0C, byte + 1), byte == place);
        }
    }
}

/* The same where no fractal of the result is cut: nothing but operands can be open. */
static void check_open_whole(struct engine *e, enum dtype type)
{
    struct insn in = taint_mmad(OP_MMAD, type, TK);
    const int64_t es = dtype_info(type)->bits / 8, c0 = 32 / es, k1 = (TK + c0 - 1) / c0;
    for (int m = 16; m <= 32; m += 16) {
        in.p.mmad.m = (uint16_t)m;
        in.p.mmad.n = 48;
        in.p.mmad.cmatrixInitVal = 1;
        check_open(e, &in, BUF_L0A, -1, -2, -2);
        for (int row = 0; row < m; row += 15) {
            check_open(e, &in, BUF_L0A, (row / 16 * k1 * 16 + row % 16) * 32, row, -1);
        }
        for (int column = 0; column < 48; column += 47) {
            check_open(e, &in, BUF_L0B, column / 16 * 512 + column % 16 * 32 + es - 1, -1, column);
        }
        in.p.mmad.cmatrixInitVal = 0;
        const int64_t start = (m * 16 + 16 + 5) * 4 + 2; /* a byte of (1, 21): it alone */
        engine_reset(e);
        know_all_but(e, BUF_L0A, -1);
        know_all_but(e, BUF_L0B, -1);
        know_all_but(e, BUF_L0C, start);
        run_ok(e, &in);
        for (int64_t byte = 0; byte < m * 48 * 4; byte++) {
            assert_int_equal(engine_tainted(e, BUF_L0C, byte), byte == start);
        }
        in.p.mmad.cmatrixSource = 1;
        check_open(e, &in, BUF_BT, 47 * 4, -1, 47);
        in.p.mmad.cmatrixSource = 0;
    }
}

static void test_open_operands(void **state)
{
    (void)state;
    static const enum dtype types[] = {DTYPE_HALF, DTYPE_INT8, DTYPE_FLOAT};
    const struct target t = fixture_target(PRODUCT_ASCEND910B);
    struct engine *e;
    assert_int_equal(engine_create(&t, &e, NULL), STATUS_OK);
    for (int i = 0; i < 3; i++) {
        struct insn in = taint_mmad(OP_MMAD, types[i], TK);
        const int64_t es = dtype_info(types[i])->bits / 8, c0 = 32 / es, k1 = (TK + c0 - 1) / c0;
        for (int64_t k = 0; k < k1 * c0; k += 23) { /* 0, 23, 46, 69; 92: behind the last valid one */
            const int64_t a = ((17 / 16 * k1 + k / c0) * 16 + 17 % 16) * 32 + k % c0 * es + es - 1;
            const int64_t b = (k / c0 * 3 + 33 / 16) * 512 + 33 % 16 * 32 + k % c0 * es;
            check_open(e, &in, BUF_L0A, a, k < TK ? 17 : -2, -1);
            check_open(e, &in, BUF_L0B, b, -1, k < TK ? 33 : -2);
        }
        /* Columns behind n, rows behind m of the operands do not matter. */
        check_open(e, &in, BUF_L0A, ((1 * k1) * 16 + 4) * 32, -2, -1);
        check_open(e, &in, BUF_L0B, 2 * 512 + 5 * 32, -1, -2);
        /* Start values: an element, a column of the bias. */
        in.p.mmad.cmatrixInitVal = 0;
        check_open_start(e, &in);
        in.p.mmad.cmatrixSource = 1;
        in.p.mmad.biasAddr = 64;
        check_open(e, &in, BUF_BT, 64 + 36 * 4 + 3, -1, 36);
        check_open(e, &in, BUF_BT, 64 + 37 * 4, -2, -2);
        check_open(e, &in, BUF_BT, 63, -2, -2);
        check_open_whole(e, types[i]);
    }
    engine_destroy(e);
}

static void test_open_scales(void **state)
{
    (void)state;
    const struct target t = fixture_target(PRODUCT_ASCEND950);
    struct engine *e;
    assert_int_equal(engine_create(&t, &e, NULL), STATUS_OK);
    struct insn in = taint_mmad(OP_MMAD_MX, DTYPE_FP8_E4M3, 128);
    for (int64_t k = 0; k < 128; k += 32) { /* row 17 of A, column 33 of B: fractals of 16 x 2 codes, 64 k each */
        check_open(e, &in, BUF_L0A_MX, (1 * 2 + k / 64) * 32 + 1 * 2 + k / 32 % 2, 17, -1);
        check_open(e, &in, BUF_L0B_MX, (2 * 2 + k / 64) * 32 + 1 * 2 + k / 32 % 2, -1, 33);
    }
    check_open(e, &in, BUF_L0A_MX, (1 * 2) * 32 + 4 * 2, -2, -1);
    check_open(e, &in, BUF_L0B_MX, (2 * 2) * 32 + 5 * 2, -1, -2);
    in.p.mmad.m = 1; /* a vector of codes */
    check_open(e, &in, BUF_L0A_MX, 3, 0, -1);
    check_open(e, &in, BUF_L0A_MX, 4, -2, -1);
    in.p.mmad.disableGemv = 1;
    check_open(e, &in, BUF_L0A_MX, 3, -2, -1); /* row 1 of the first fractal */
    check_open(e, &in, BUF_L0A_MX, 33, 0, -1);
    engine_destroy(e);
}

/* One scale that is nan, whichever: its row or column alone becomes nan. One of
 * 2^127 that makes its operand overflow float, though not the product: exact. */
static void check_odd_scale(struct engine *e, struct insn *in, bool of_a, int at_line, int64_t block)
{
    static uint8_t twos[8192], codes[2][1024]; /* codes of A and of B */
    int64_t size;
    memset(twos, 0x40, sizeof twos); /* 2.0 */
    engine_poke(e, BUF_L0A, 0, twos, sizeof twos);
    engine_poke(e, BUF_L0B, 0, twos, sizeof twos);
    const int64_t place = (at_line / 16 * 2 + block / 2) * 32 + at_line % 16 * 2 + block % 2;
    for (int odd = 254; odd <= 255; odd++) {
        const int other = odd == 255 ? 0 : -40; /* exponent of all scales on the other side */
        memset(codes[of_a ? 0 : 1], 127, sizeof codes[0]);
        memset(codes[of_a ? 1 : 0], 127 + other, sizeof codes[0]);
        codes[of_a ? 0 : 1][place] = (uint8_t)odd;
        engine_poke(e, BUF_L0A_MX, 0, codes[0], sizeof codes[0]);
        engine_poke(e, BUF_L0B_MX, 0, codes[1], sizeof codes[1]);
        run_ok(e, in);
        const uint8_t *c = engine_memory(e, BUF_L0C, &size);
        for (int r = 0; r < TM; r++) {
            for (int column = 0; column < TN; column++) {
                float got;
                memcpy(&got, c + ((column / 16 * 32 + r) * 16 + column % 16) * 4, 4);
                const bool hit = (of_a ? r : column) == at_line;
                const float plain = ldexpf(4.0F * 128.0F, other), large = ldexpf(4.0F * 32.0F, 127 + other);
                assert_true(hit && odd == 255 ? isnan(got) : got == (hit ? large : plain)); /* the rest is lost in it */
            }
        }
    }
}

static void test_odd_scales(void **state)
{
    (void)state;
    const struct target t = fixture_target(PRODUCT_ASCEND950);
    struct engine *e;
    assert_int_equal(engine_create(&t, &e, NULL), STATUS_OK);
    struct insn in = taint_mmad(OP_MMAD_MX, DTYPE_FP8_E4M3, 128);
    static const int lines[] = {0, 1, 15, 16, TM - 1, 33, TN - 1}; /* the last two: of B only */
    for (int i = 0; i < 7; i++) {
        for (int64_t block = 0; block < 4; block++) {
            for (int isa = 0; isa <= (int)mmad_isa_best(); isa++) {
                engine_force_isa(e, (enum mmad_isa)isa);
                if (lines[i] < TM) {
                    check_odd_scale(e, &in, true, lines[i], block);
                }
                check_odd_scale(e, &in, false, lines[i], block);
            }
        }
    }
    engine_destroy(e);
}

/* A sum that leaves int32 on its way is open, even if it comes back. Start values
 * near the ends of int32: at both, one of them, or in one element alone. */
enum ends { BOTH_ENDS, LOW_END, HIGH_END, ONE_LOW, ONE_HIGH, ENDS_N };
enum { OM = 19, ON = 21, OK = 37 };

static int32_t start_value(struct rng *r, enum ends ends, int i, int one)
{
    const int32_t low = (int32_t)(INT32_MIN + rng_between(r, 0, 9)), high = (int32_t)(INT32_MAX - rng_between(r, 0, 9));
    const int32_t middle = (int32_t)rng_between(r, -9, 9);
    switch (ends) {
    case BOTH_ENDS:
        return i % 3 == 0 ? high : i % 3 == 1 ? low : middle;
    case LOW_END:
        return i % 2 == 0 ? low : middle;
    case HIGH_END:
        return i % 2 == 0 ? high : middle;
    default:
        return i != one ? middle : ends == ONE_LOW ? low : high;
    }
}

static int check_overflow(struct engine *e, struct rng *r, enum ends ends, int row1, int column1)
{
    static int8_t a[4096], b[4096];
    static int32_t c[1024];
    const int one = (column1 / 16 * 32 + row1) * 16 + column1 % 16;
    const int top = ends < ONE_LOW ? 2 : 9;
    for (int i = 0; i < 4096; i++) {
        a[i] = (int8_t)rng_between(r, -top, top);
        b[i] = (int8_t)rng_between(r, -top, top);
    }
    for (int i = 0; i < 1024; i++) {
        c[i] = start_value(r, ends, i, one);
    }
    engine_poke(e, BUF_L0A, 0, (const uint8_t *)a, sizeof a);
    engine_poke(e, BUF_L0B, 0, (const uint8_t *)b, sizeof b);
    engine_poke(e, BUF_L0C, 0, (const uint8_t *)c, sizeof c);
    struct insn in = taint_mmad(OP_MMAD, DTYPE_INT8, OK);
    in.p.mmad.m = OM;
    in.p.mmad.n = ON;
    in.p.mmad.cmatrixInitVal = 0;
    run_ok(e, &in);
    int open = 0;
    for (int row = 0; row < OM; row++) {
        for (int column = 0; column < ON; column++) {
            const int place = (column / 16 * 32 + row) * 16 + column % 16;
            int64_t sum = c[place];
            bool inside = true;
            for (int k = 0; k < OK; k++) {
                sum += a[((row / 16 * 2 + k / 32) * 16 + row % 16) * 32 + k % 32] *
                       b[((k / 32 * 2 + column / 16) * 16 + column % 16) * 32 + k % 32];
                inside = inside && sum >= INT32_MIN && sum <= INT32_MAX;
            }
            assert_int_equal(engine_tainted(e, BUF_L0C, place * 4), !inside);
            open += !inside;
        }
    }
    return open;
}

static void test_overflow(void **state)
{
    (void)state;
    const struct target t = fixture_target(PRODUCT_ASCEND910B);
    struct engine *e;
    struct rng r = rng_init(12);
    assert_int_equal(engine_create(&t, &e, NULL), STATUS_OK);
    for (int ends = BOTH_ENDS; ends < ONE_LOW; ends++) {
        assert_in_range(check_overflow(e, &r, (enum ends)ends, 0, 0), 20, OM * ON - 100);
    }
    for (int row = 0; row < OM; row += OM - 1) {
        for (int column = 0; column < ON; column += ON - 1) {
            int open = 0;
            for (int i = 0; i < 8; i++) {
                open += check_overflow(e, &r, i % 2 == 0 ? ONE_LOW : ONE_HIGH, row, column);
            }
            assert_in_range(open, 2, 8); /* about half of the walks cross the end at once */
        }
    }
    engine_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),           cmocka_unit_test(test_unpack),      cmocka_unit_test(test_triples),
        cmocka_unit_test(test_unsigned_and_half), cmocka_unit_test(test_hf32),        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_open_operands),     cmocka_unit_test(test_open_scales), cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_odd_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
