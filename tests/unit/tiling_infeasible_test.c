/* Every reason a tiling may be infeasible for: which rule, what its text says,
 * and the nearest legal value of the field it names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "isa/fields.h"
#include "support/points.h"
#include "tiling/dtypes.h"
#include "tiling/plan.h"
#include "tiling/supported.h"
#include "tiling/widths.h"

enum chip { B1 = 0, PR, P310, B310, C910, X90, CHIP_N };

static struct arena arena;
static const struct target *chips[CHIP_N];

static int load_chips(void **state)
{
    static const char *const names[CHIP_N] = {"ascend910b1", "ascend950pr_9589", "ascend310p3",
                                              "ascend310b1", "ascend910a",       "kirin_x90"};
    (void)state;
    arena_init(&arena);
    for (int i = 0; i < CHIP_N; i++) {
        chips[i] = point_target(names[i], &arena);
    }
    return 0;
}

static int free_chips(void **state)
{
    (void)state;
    arena_fini(&arena);
    return 0;
}

/* A problem and fixed fields, and what is said of them. */
struct expected {
    enum chip chip;
    const char *name; /* of the tiling; what it leaves out is auto */
    const char *text; /* of the reason */
    int32_t nearest;  /* TILING_AUTO: there is none */
};

/* A value called legal makes the whole tiling legal; one that is said to mend
 * the rule breaks none reported before it. */
static void assert_legal(const struct problem *p, enum chip chip, const struct tiling *given,
                         const struct tiling *resolved, const struct infeasible *why)
{
    struct advice a;
    struct plan plan;
    struct infeasible other;
    tiling_advise(chips[chip], p, given, why, &a);
    if (a.kind == ADVICE_LEGAL) {
        struct tiling better = *given;
        for (int f = 0; f < TF_N; f++) {
            if ((a.freed >> f & 1) != 0) {
                tiling_set(&better, (enum tiling_field)f, TILING_AUTO);
            }
        }
        tiling_set(&better, a.field, a.value);
        if (given == resolved) { /* depths follow */
            better.depthA1 = better.depthB1 = TILING_AUTO;
        }
        tiling_resolve(chips[chip], p, &better, &other);
        assert_int_equal(other.reason, REASON_NONE);
        assert_true(plan_fits(chips[chip], p, &better, &plan, &other));
    } else if (a.kind == ADVICE_RULE) {
        assert_false(plan_fits(chips[chip], p, &a.t, &plan, &other));
        assert_memory_equal(&other, &a.then, sizeof other);
        assert_false(other.reason == why->reason && other.field == why->field && other.buf == why->buf);
        if (why->reason == REASON_BUFFER) {
            assert_true(plan_need(&plan, (enum buffer)why->buf) <= plan.usable[why->buf]);
        }
    }
}

static void check(const struct problem *p, const struct expected *e)
{
    struct tiling t, given;
    struct infeasible why;
    struct plan plan;
    struct strbuf text;
    strbuf_init(&text);
    assert_int_equal(tiling_parse(e->name, &given, NULL), STATUS_OK);
    t = given;
    tiling_resolve(chips[e->chip], p, &t, &why);
    assert_int_equal(why.reason, REASON_NONE);
    assert_false(plan_fits(chips[e->chip], p, &t, &plan, &why));
    infeasible_text(&why, &t, &text);
    assert_string_equal(strbuf_cstr(&text), e->text);
    const int32_t nearest = tiling_nearest_legal(chips[e->chip], p, &given, &why);
    if (nearest != e->nearest) {
        print_error("%s: %s\n", e->name, e->text);
    }
    assert_int_equal(nearest, e->nearest);
    assert_legal(p, e->chip, &given, &t, &why);
    assert_legal(p, e->chip, &t, &t, &why);
    strbuf_fini(&text);
}

static void check_all(const struct problem *p, const struct expected *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        check(p, &e[i]);
    }
}
#define CHECK(p, ...)                                    \
    check_all(p, (const struct expected[]){__VA_ARGS__}, \
              sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected))

static void half(struct problem *p, int64_t m, int64_t n, int64_t k, bool ta, bool tb)
{
    point_problem(p, m, n, k, ta, tb);
}

static void with_dtypes(struct problem *p, enum dtype a, enum dtype b, enum dtype c, bool mx)
{
    p->a.dtype = a, p->b.dtype = b, p->c.dtype = c;
    p->a.mx = p->b.mx = mx;
    p->scale_a.dtype = p->scale_b.dtype = mx ? DTYPE_E8M0 : DTYPE_NONE;
    p->a.ld = p->b.ld = p->c.ld = 0;
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
}

static void buffers(void **state)
{
    (void)state;
    struct problem p;
    half(&p, 8192, 8192, 8192, false, true);
    CHECK(&p, {B1, "b192x256x64", "L0C needs 196608 B, has 131072 B (baseM 192 x baseN 256 x dbL0C 1)", 160},
          {B1, "b256x128x128", "L0A needs 131072 B, has 65536 B (baseM 256 x baseK 128 x dbL0A 2)", 128},
          {B1, "b128x256x128", "L0B needs 131072 B, has 65536 B (baseN 256 x baseK 128 x dbL0B 2)", 128},
          {B1, "b128x256x64_s9x4",
           "L1 needs 557056 B, has 524288 B (A: baseM 128 x baseK 64 x step 9 x 2 buffers; B: baseN 256 x baseK 64 x "
           "step 4 x 2 buffers)",
           8},
          {B1, "b128x256x64_s8x5",
           "L1 needs 589824 B, has 524288 B (A: baseM 128 x baseK 64 x step 8 x 2 buffers; B: baseN 256 x baseK 64 x "
           "step 5 x 2 buffers)",
           4},
          {B1, "b128x256x64_s8x4_k1",
           "L1 needs 524288 B, has 524032 B (A: baseM 128 x baseK 64 x step 8 x 2 buffers; B: baseN 256 x baseK 64 x "
           "step 4 x 2 buffers)",
           7},
          {B1, "b128x256x64_l2x2x2", "L0C needs 262144 B, has 131072 B (baseM 128 x baseN 256 x dbL0C 2)", 128});
}

static void say(enum chip chip, const struct problem *p, const struct tiling *given, const char *text)
{
    struct tiling t = *given;
    struct infeasible why;
    struct plan plan;
    struct strbuf out;
    strbuf_init(&out);
    tiling_resolve(chips[chip], p, &t, &why);
    assert_false(plan_fits(chips[chip], p, &t, &plan, &why));
    infeasible_advice(chips[chip], p, given, &why, &out);
    assert_string_equal(strbuf_cstr(&out), text);
    assert_legal(p, chip, given, &t, &why);
    strbuf_fini(&out);
}

/* Where no value of the named field is legal: another field of the buffer, or
 * one that mends this rule only, and that is said. */
static void honest_advice(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    half(&p, 4096, 4096, 512, false, true);
    tiling_all_auto(&t);
    t.fullLoad = FULL_LOAD_A;
    say(B1, &p, &t,
        "L1 needs 1507328 B, has 524288 B (A: baseM 128 x baseK 64 x step 8 x 1 buffer, whole; B: baseN 256 x baseK 64 "
        "x step 1 x 2 buffers); legal with singleCoreN: 4096");
    half(&p, 4096, 4096, 4096, true, false);
    tiling_all_auto(&t);
    t.baseM = 560, t.baseK = 176, t.depthA1 = 13;
    say(B1, &p, &t, "L0A needs 394240 B, has 65536 B (baseM 560 x baseK 176 x dbL0A 2); nearest legal baseM: 64");
    tiling_all_auto(&t);
    t.baseM = 256, t.baseN = 256, t.baseK = 256;
    say(B1, &p, &t,
        "L0C needs 262144 B, has 131072 B (baseM 256 x baseN 256 x dbL0C 1); legal with baseM: 64 and baseN auto");
    t.order = ORDER_SWIZZLE, t.assign = ASSIGN_GRID; /* broken whatever the buffers say */
    say(B1, &p, &t,
        "L0C needs 262144 B, has 131072 B (baseM 256 x baseN 256 x dbL0C 1); with baseM 128 that holds, but L0A needs "
        "131072 B, has 65536 B (baseM 128 x baseK 256 x dbL0A 2)");
}

static void bias_and_quant_buffers(void **state)
{
    (void)state;
    struct problem p;
    half(&p, 2048, 2048, 2048, false, true);
    p.bias.dtype = DTYPE_FLOAT;
    assert_int_equal(problem_finish(&p, NULL, NULL), STATUS_OK);
    CHECK(&p, {B1, "b64x512x32", "BT needs 2048 B, has 1024 B (baseN 512 x 4 B of bias)", 256},
          {B1, "b128x256x64_s8x4",
           "L1 needs 525312 B, has 524288 B (A: baseM 128 x baseK 64 x step 8 x 2 buffers; B: baseN 256 x baseK 64 x "
           "step 4 x 2 buffers; a bias row)",
           7});
    half(&p, 2048, 2048, 2048, false, true);
    p.quant.dtype = DTYPE_UINT64;
    with_dtypes(&p, DTYPE_INT8, DTYPE_INT8, DTYPE_HALF, false);
    CHECK(&p, {B1, "b64x512x32", "FB needs 4096 B, has 2048 B (baseN 512 x 8 B of quant words)", 256});
    /* 950 has twice as many columns in FB. */
    struct tiling t;
    struct plan plan;
    struct infeasible why;
    assert_int_equal(tiling_parse("b64x512x32", &t, NULL), STATUS_OK);
    tiling_resolve(chips[PR], &p, &t, &why);
    assert_true(plan_fits(chips[PR], &p, &t, &plan, &why));
}

static void scale_buffers(void **state)
{
    (void)state;
    struct problem p;
    half(&p, 8192, 8192, 65536, false, true);
    with_dtypes(&p, DTYPE_FP4_E2M1, DTYPE_FP4_E2M1, DTYPE_BF16, true);
    CHECK(&p, {PR, "b256x256x256_s2x2_fa17_fb16",
               "L1 needs 532480 B, has 524288 B (A: baseM 256 x baseK 256 x step 2 x 2 buffers; B: baseN 256 x baseK "
               "256 x step 2 x 2 buffers; scales x 17 and x 16 chunks)",
               1});
    CHECK(&p, {PR, "b256x256x256_s2x2_fa4_fm2",
               "scaleFactorM 2 excludes scaleFactorKa 4: scales span M only once they "
               "cover K",
               1});
    half(&p, 64, 64, 64, false, true);
    CHECK(&p, {PR, "fa2", "scaleFactorKa 2 excludes this problem on this target: A has no MX scales", 1},
          {PR, "fn2", "scaleFactorN 2 excludes this problem on this target: B has no MX scales", 1});
}

static void ranges_and_multiples(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct infeasible why;
    struct plan plan;
    half(&p, 512, 512, 512, false, true);
    CHECK(&p, {B1, "b24x32x64", "baseM is 24, must be a multiple of 16", 16},
          {B1, "b32x40x64", "baseN is 40, must be a multiple of 16", 32},
          {B1, "b32x32x40", "baseK is 40, must be a multiple of 16", 32},
          {B1, "b5008x32x64", "baseM is 5008, limit 4095", 256}, {B1, "d3x2", "dbA1 is 3, limit 2", 2},
          {B1, "fa128", "scaleFactorKa is 128, limit 127", 1});
    half(&p, 512, 512, 512, true, false);
    with_dtypes(&p, DTYPE_INT8, DTYPE_INT8, DTYPE_INT32, false);
    CHECK(&p, {B1, "b32x32x48", "baseK is 48, must be a multiple of 32", 32});
    half(&p, 512, 512, 512, false, true);
    with_dtypes(&p, DTYPE_FP8_E4M3, DTYPE_FP8_E4M3, DTYPE_BF16, true);
    CHECK(&p, {PR, "b32x32x96", "baseK is 96, must be a multiple of 64", 64});
    /* Below the range the rules themselves cannot go on. */
    tiling_all_auto(&t);
    t.stepKa = 0;
    tiling_resolve(chips[B1], &p, &t, &why);
    assert_int_equal(why.reason, REASON_RANGE);
    assert_int_equal(why.need, 1);
    assert_int_equal(why.have, 0);
    (void)plan;
}

static void nz_slices(void **state)
{
    (void)state;
    struct problem p;
    half(&p, 512, 512, 512, true, true);
    p.a.format = LAYOUT_NZ;
    with_dtypes(&p, DTYPE_INT8, DTYPE_INT8, DTYPE_INT32, false);
    CHECK(&p, {B1, "b48x32x64", "baseM is 48, must be a multiple of 32", 32},
          {B1, "b32x32x64_g80x512x512", "singleCoreM is 80, must be a multiple of 32", 96});
    half(&p, 40, 512, 512, false, true);
    p.a.format = LAYOUT_NZ;
    p.a.ld = 0;
    CHECK(&p, {B1, "api1", "M of A is 40, must be a multiple of 16: Nz is cut at whole fractals by the high-level API",
               TILING_AUTO});
}

static void cores(void **state)
{
    (void)state;
    struct problem p;
    half(&p, 8192, 8192, 512, false, true);
    CHECK(&p, {B1, "c25", "needs 25 cores, has 24 (singleCoreM 1408 x singleCoreN 2048, splitK 1)", 24},
          {B1, "c20_g1408x2048x512", "needs 24 cores, has 20 (singleCoreM 1408 x singleCoreN 2048, splitK 1)", 24},
          {B1, "b128x256x64_c24_g1024x2048x512",
           "needs 32 cores, has 24 (singleCoreM 1024 x singleCoreN 2048, splitK 1)", 1408},
          {B1, "b128x256x64_c24_g2048x1024x512",
           "needs 32 cores, has 24 (singleCoreM 2048 x singleCoreN 1024, splitK 1)", 1536});
}

static void depths(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct infeasible why;
    struct plan plan;
    struct strbuf text;
    half(&p, 2048, 2048, 2048, false, true);
    tiling_all_auto(&t);
    t.stepKa = 4, t.dbA1 = 2, t.depthA1 = 6;
    tiling_resolve(chips[B1], &p, &t, &why);
    assert_false(plan_fits(chips[B1], &p, &t, &plan, &why));
    strbuf_init(&text);
    infeasible_advice(chips[B1], &p, &t, &why, &text);
    assert_string_equal(strbuf_cstr(&text),
                        "depthA1 is 6, must be stepM 1 x stepKa 4 x dbA1 2; nearest legal depthA1: 8");
    strbuf_fini(&text);
}

static void contradictions(void **state)
{
    (void)state;
    struct problem p;
    half(&p, 1024, 1024, 1024, false, true);
    CHECK(
        &p,
        {B1, "b64x64x64_l2x2x2_u1",
         "unitflag 1 excludes dbL0C 2: with the unit flag Fixpipe drains the tile the cube still fills: one L0C "
         "buffer",
         0},
        {B1, "split2_u1", "unitflag 1 excludes splitK 2: parts of a sum do not leave L0C by unit flag", 0},
        {B310, "u1",
         "unitflag 1 excludes this problem on this target: only 950, A2 and A3 have it, and every Mmad must cover "
         "what Fixpipe stores (A41)",
         0},
        {X90, "l2a1", "l2A disable excludes this problem on this target: SetL2CacheHint is of 950, A2 and A3 only", 0},
        {P310, "l2c1", "l2C disable excludes this problem on this target: SetL2CacheHint is of 950, A2 and A3 only", 0},
        {B1, "o0_or2", "order linear excludes orderRounds 2: rounds go with l2split", 1},
        {B1, "as1_o3_or2",
         "assign blocks excludes order l2split: l2split walks slices (grid), the other orders walk tiles (blocks)", 0},
        {B1, "as0_o1",
         "assign grid excludes order swizzle: l2split walks slices (grid), the other orders walk tiles (blocks)", 1},
        {B1, "split1_sk512", "singleCoreK 512 excludes splitK 1: cd(K, singleCoreK) parts must be the splitK parts",
         1024});
}

static void split_k(void **state)
{
    (void)state;
    struct problem p;
    half(&p, 256, 256, 1024, false, true);
    CHECK(&p,
          {B1, "split2_g256x256x256",
           "singleCoreK 256 excludes splitK 2: cd(K, singleCoreK) parts must be the splitK parts", 512},
          {B1, "b128x256x64_split20", "splitK is 20, limit 16", 16},
          {B1, "split2_red0", "splitKReduce none excludes splitK 2: parts must be summed: atomic or workspace", 1},
          {B1, "split2_red2_k0",
           "splitKReduce workspace excludes kernel cube: vector cores add the parts of a workspace: kernel mix", 1});
    p.bias.dtype = DTYPE_FLOAT;
    assert_int_equal(problem_finish(&p, NULL, NULL), STATUS_OK);
    CHECK(&p,
          {B1, "split2_api1", "isBias 1 excludes splitK 2: EnableMultiCoreSplitK of the high-level API forbids a bias",
           TILING_AUTO},
          {B1, "b64x64x64_s1x1_bi0",
           "isBias 0 excludes this problem on this target: the problem says whether there is a bias", 1});
}

static void residency(void **state)
{
    (void)state;
    struct problem p;
    half(&p, 512, 512, 128, false, true);
    CHECK(
        &p,
        {B1, "b64x64x64_fl1_as1",
         "fullLoad A excludes assign blocks: blocks are dealt to cores: none keeps one slice of the operand", 0},
        {B1, "b64x64x64_fl1_or2", "fullLoad A excludes orderRounds 2: each round has another slice of the operand", 0},
        {B1, "b64x64x64_d1x2_fl2", "fullLoad B excludes dbB1 2: a whole operand is kept once", 0},
        {B1, "b64x64x64_d2x1_fl1", "fullLoad A excludes dbA1 2: a whole operand is kept once", 0});
    half(&p, 512, 512, 512, true, true);
    CHECK(&p, {B1, "gv1",
               "gemv 1 excludes this problem on this target: a row read as a vector needs K contiguous in A and, with "
               "MX, in its scales",
               0});
}

/* Conditions of the MDL template hold only through the high-level API. */
static void mdl(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct infeasible why;
    struct plan plan;
    half(&p, 2048, 2048, 2048, false, true);
    CHECK(&p, {B1, "b64x64x64_s4x4_tm2_api1", "stepM 2 excludes stepKa 4: MDL: stepM > 1 only if stepKa covers K", 1},
          {B1, "b64x64x64_s4x4_tn2_api1", "stepN 2 excludes stepKb 4: MDL: stepN > 1 only if stepKb covers K", 1},
          {B1, "b64x64x64_s3x4_api1",
           "stepKa 3 excludes stepKb 4: MDL: of the chunk counts of A and B along K one divides the other", 2});
    static const char *const basic[] = {"b64x64x64_s4x4_tm2", "b64x64x64_s4x4_tn2", "b64x64x64_s3x4"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tiling_parse(basic[i], &t, NULL), STATUS_OK);
        tiling_resolve(chips[B1], &p, &t, &why);
        assert_true(plan_fits(chips[B1], &p, &t, &plan, &why));
    }
}

static void loads(void **state)
{
    (void)state;
    struct problem p;
    half(&p, 512, 512, 512, false, true);
    CHECK(&p,
          {B1, "xa2", "loadA transpose is not offered for the operand's dtype and transpose on this target", LOAD_2D},
          {B1, "xb3", "loadB 3d is not offered for the operand's dtype and transpose on this target", LOAD_2D},
          {PR, "xb1", "loadB 2d is not offered for the operand's dtype and transpose on this target", LOAD_2D_V2});
    half(&p, 512, 512, 512, true, false);
    with_dtypes(&p, DTYPE_FLOAT, DTYPE_FLOAT, DTYPE_FLOAT, false);
    CHECK(
        &p,
        {B1, "b64x64x64_s1x1_xa2", "loadA transpose: for b32 it reads an L1 image of 16 lines only, has 64", LOAD_3D},
        {B1, "b64x64x64_s1x1_xb2", "loadB transpose: for b32 it reads an L1 image of 16 lines only, has 64", LOAD_3D});
    struct tiling t;
    struct infeasible why;
    struct plan plan;
    assert_int_equal(tiling_parse("b64x16x16_s1x1_xa2_xb2", &t, NULL), STATUS_OK);
    tiling_resolve(chips[B1], &p, &t, &why);
    assert_true(plan_fits(chips[B1], &p, &t, &plan, &why));
    /* A transposed int4: no instruction at all. */
    half(&p, 512, 512, 512, true, true);
    with_dtypes(&p, DTYPE_INT4, DTYPE_INT4, DTYPE_INT32, false);
    CHECK(&p,
          {B1, "b64x64x64",
           "no instruction of this product brings A int4 as [K, M] to L0A (load constraints, table 5); with transpose: "
           "false there is one",
           TILING_AUTO});
}

static void dtypes(void **state)
{
    (void)state;
    struct problem p;
    half(&p, 64, 64, 64, false, true);
    with_dtypes(&p, DTYPE_FP8_E4M3, DTYPE_FP8_E4M3, DTYPE_BF16, false);
    CHECK(&p, {B1, "as0",
               "the cube of ascend910b does not take A fp8_e4m3 x B fp8_e4m3 (Mmad.md, MmadMx.md): it takes A int4, "
               "int8, half, bf16, float",
               TILING_AUTO});
    with_dtypes(&p, DTYPE_FP4_E2M1, DTYPE_FP8_E4M3, DTYPE_BF16, true);
    CHECK(&p, {PR, "as0",
               "the cube of ascend950 does not take A mx_fp4_e2m1 x B mx_fp8_e4m3 (Mmad.md, MmadMx.md): MmadMx "
               "takes pairs of fp4 or pairs of fp8, never one of each",
               TILING_AUTO});
    with_dtypes(&p, DTYPE_INT8, DTYPE_INT8, DTYPE_BF16, false);
    CHECK(&p, {B1, "as0",
               "Fixpipe of ascend910b does not turn the result of A int8 x B int8 into C bf16 (Fixpipe.md): int32 "
               "becomes int8, uint8, half, int32; with a quant row int8, uint8, half",
               TILING_AUTO});
    with_dtypes(&p, DTYPE_HALF, DTYPE_HALF, DTYPE_HALF, false);
    p.quant.dtype = DTYPE_UINT64;
    CHECK(&p, {B1, "as0",
               "Fixpipe of ascend910b does not turn the result of A half x B half into C half with a quant row "
               "(Fixpipe.md): float becomes int8, uint8, half, bf16, float; with a quant row int8, uint8",
               TILING_AUTO});
    p.quant.dtype = DTYPE_NONE;
    p.bias.dtype = DTYPE_BF16;
    CHECK(&p, {B1, "as0", "ascend910b has no bias of dtype bf16 for A half x B half (Mmad.md): it takes half, float",
               TILING_AUTO});
    p.bias.dtype = DTYPE_HALF;
    CHECK(&p, {P310, "as0",
               "ascend310p has no bias of dtype half for A half x B half (Mmad.md): there is no form with a bias",
               TILING_AUTO});
    /* Vector cores convert what Fixpipe cannot. */
    struct tiling t;
    struct infeasible why;
    struct plan plan;
    p.bias.dtype = DTYPE_NONE;
    with_dtypes(&p, DTYPE_INT8, DTYPE_INT8, DTYPE_FLOAT, false);
    assert_int_equal(tiling_parse("k1", &t, NULL), STATUS_OK);
    tiling_resolve(chips[B1], &p, &t, &why);
    assert_true(plan_fits(chips[B1], &p, &t, &plan, &why));
}

/* What no block size mends does not shrink the block; terms name what is there. */
static void terms_of_this_problem(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct infeasible why;
    struct strbuf text;
    half(&p, 1024, 1024, 1024, false, true);
    p.bias.dtype = DTYPE_FLOAT;
    assert_int_equal(problem_finish(&p, NULL, NULL), STATUS_OK);
    tiling_all_auto(&t);
    tiling_resolve(chips[P310], &p, &t, &why);
    assert_true(t.baseM >= 128 && t.baseN >= 128 && t.baseK >= 32);
    /* No scales in a plain problem's message. */
    half(&p, 1024, 1024, 65536, false, true);
    tiling_all_auto(&t);
    t.scaleFactorKa = 116, t.stepKa = 64;
    tiling_resolve(chips[PR], &p, &t, &why);
    strbuf_init(&text);
    why = (struct infeasible){.reason = REASON_BUFFER, .buf = BUF_L1, .field = TF_stepKa, .need = 2, .have = 1};
    infeasible_text(&why, &t, &text);
    assert_null(strstr(strbuf_cstr(&text), "scales"));
    strbuf_fini(&text);
}

static void operands(void **state)
{
    (void)state;
    struct problem p;
    half(&p, 64, 64, 63, false, true);
    with_dtypes(&p, DTYPE_FP4_E2M1, DTYPE_FP4_E2M1, DTYPE_BF16, true);
    CHECK(&p, {PR, "as0", "K of A is 63, must be a multiple of 2: two elements share a byte", TILING_AUTO});
    half(&p, 64, 63, 64, false, false);
    with_dtypes(&p, DTYPE_INT4, DTYPE_INT4, DTYPE_INT32, false);
    CHECK(&p, {B1, "as0", "N of B is 63, must be a multiple of 2: two elements share a byte", TILING_AUTO});
}

static void field_widths(void **state)
{
    (void)state;
    struct problem p;
    /* 310B: 1 MiB of L1 holds images longer than a stride field. */
    half(&p, 16, 16, 65536, true, false);
    CHECK(&p,
          {B310, "b16x16x1024_s17x1_d1x1_l2x2x1", "stepKa: an instruction field holds 16384 at most, needs 17408", 16});
}

static void events(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct infeasible why;
    struct plan plan;
    struct target few = *chips[B1];
    struct strbuf text;
    few.event_ids = 3;
    half(&p, 512, 512, 512, false, true);
    tiling_all_auto(&t);
    tiling_resolve(&few, &p, &t, &why);
    assert_false(plan_fits(&few, &p, &t, &plan, &why));
    strbuf_init(&text);
    infeasible_text(&why, &t, &text);
    assert_string_equal(strbuf_cstr(&text), "needs event id 3 of one pair of pipes, ids end at 2");
    strbuf_fini(&text);
}

/* Fits and is not simulated: two different answers. */
static void unsupported(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct infeasible why;
    struct plan plan;
    struct strbuf text;
    strbuf_init(&text);
    half(&p, 512, 512, 512, false, true);
    p.quant.dtype = DTYPE_UINT64;
    with_dtypes(&p, DTYPE_INT8, DTYPE_INT8, DTYPE_HALF, false);
    tiling_all_auto(&t);
    tiling_resolve(chips[B1], &p, &t, &why);
    assert_true(plan_fits(chips[B1], &p, &t, &plan, &why));
    assert_non_null(plan_region(&plan, BUF_FB, ROLE_QUANT, 0));
    if (!plan_make(chips[B1], &p, &t, &plan, &why)) { /* until it is lowered */
        assert_int_equal(why.reason, REASON_UNSUPPORTED);
        infeasible_text(&why, &t, &text);
        assert_non_null(strstr(strbuf_cstr(&text), "not simulated yet"));
        assert_int_equal(tiling_nearest_legal(chips[B1], &p, &t, &why), TILING_AUTO);
        assert_non_null(plan_region(&plan, BUF_FB, ROLE_QUANT, 0));
    }
    /* hif8 in hybrid rounding, and HF32 where nothing is float, fit but cannot be told. */
    with_dtypes(&p, DTYPE_HIF8, DTYPE_HIF8, DTYPE_HIF8, false);
    p.quant.dtype = p.bias.dtype = DTYPE_NONE;
    p.hif8_hybrid = true;
    tiling_all_auto(&t);
    tiling_resolve(chips[PR], &p, &t, &why);
    assert_true(plan_fits(chips[PR], &p, &t, &plan, &why));
    assert_false(plan_make(chips[PR], &p, &t, &plan, &why));
    assert_int_equal(why.need, UNSUPPORTED_HYBRID);
    p.hif8_hybrid = false;
    p.hf32 = true;
    assert_false(plan_make(chips[PR], &p, &t, &plan, &why));
    assert_int_equal(why.need, UNSUPPORTED_HF32);
    /* All words there are. */
    for (int what = UNSUPPORTED_FIELD; what < UNSUPPORTED_N; what++) {
        why = (struct infeasible){.reason = REASON_UNSUPPORTED, .field = TF_N, .need = what};
        strbuf_clear(&text);
        infeasible_text(&why, &t, &text);
        assert_null(strstr(strbuf_cstr(&text), "null"));
        /* HF32 of other operands is no gap of ours. */
        assert_true(what == UNSUPPORTED_HF32 || strstr(strbuf_cstr(&text), "not simulated yet") != NULL);
    }
    why = (struct infeasible){.reason = REASON_UNSUPPORTED, .field = TF_fullLoad, .have = FULL_LOAD_A};
    strbuf_clear(&text);
    infeasible_text(&why, &t, &text);
    assert_string_equal(strbuf_cstr(&text), "fullLoad A: not simulated yet");
    why = (struct infeasible){.reason = REASON_WHERE, .field = TF_N, .need = 2};
    strbuf_clear(&text);
    infeasible_text(&why, &t, &text);
    assert_string_equal(strbuf_cstr(&text), "where clause 2 is false");
    strbuf_fini(&text);
}

/* Each reason has a word of its own, used in files. */
static void reason_names(void **state)
{
    (void)state;
    for (int r = 0; r < REASON_N; r++) {
        const char *name = infeasible_reason_name((enum infeasible_reason)r);
        assert_non_null(name);
        for (int k = 0; k < r; k++) {
            assert_string_not_equal(name, infeasible_reason_name((enum infeasible_reason)k));
        }
    }
    assert_string_equal(infeasible_reason_name(REASON_N), "?");
}

/* The widths the plan respects are those of the instruction tables. */
static void widths_are_the_instruction_tables(void **state)
{
    (void)state;
    static const struct {
        enum op op;
        const char *field;
        int64_t width;
    } widths[] = {
        {OP_MMAD, "m", WIDTH_MMAD},
        {OP_MMAD, "n", WIDTH_MMAD},
        {OP_MMAD, "k", WIDTH_MMAD},
        {OP_LOAD_2D, "repeatTimes", WIDTH_REPEAT},
        {OP_LOAD_TRANSPOSE, "repeatTimes", WIDTH_REPEAT},
        {OP_LOAD_2D_V2, "mStep", WIDTH_STEP},
        {OP_LOAD_2D_V2, "kStep", WIDTH_STEP},
        {OP_LOAD_MX, "mx.xStep", WIDTH_STEP},
        {OP_LOAD_3D, "l1H", WIDTH_MAP_SIDE},
        {OP_LOAD_3D, "l1W", WIDTH_MAP_SIDE},
        {OP_LOAD_3D, "mStartPt", WIDTH_MAP_SIDE},
        {OP_LOAD_3D, "channelSize", WIDTH_CHANNELS},
        {OP_LOAD_3D, "kExtension", WIDTH_CHANNELS},
        {OP_ND2NZ, "nValue", WIDTH_ND2NZ_C0_STRIDE},
        {OP_ND2NZ, "dstNzC0Stride", WIDTH_ND2NZ_C0_STRIDE},
        {OP_ND2NZ, "dValue", WIDTH_ND2NZ_D_VALUE},
        {OP_DN2NZ, "nValue", WIDTH_DN2NZ_N_VALUE},
        {OP_DN2NZ, "dstNzC0Stride", WIDTH_DN2NZ_N_VALUE},
    };
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const struct insn_field *f = insn_field_find(widths[i].op, widths[i].field);
        assert_non_null(f);
        assert_int_equal(f->max, widths[i].width);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers),
        cmocka_unit_test(honest_advice),
        cmocka_unit_test(bias_and_quant_buffers),
        cmocka_unit_test(scale_buffers),
        cmocka_unit_test(ranges_and_multiples),
        cmocka_unit_test(nz_slices),
        cmocka_unit_test(cores),
        cmocka_unit_test(depths),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(split_k),
        cmocka_unit_test(residency),
        cmocka_unit_test(mdl),
        cmocka_unit_test(loads),
        cmocka_unit_test(dtypes),
        cmocka_unit_test(terms_of_this_problem),
        cmocka_unit_test(operands),
        cmocka_unit_test(field_widths),
        cmocka_unit_test(events),
        cmocka_unit_test(unsupported),
        cmocka_unit_test(reason_names),
        cmocka_unit_test(widths_are_the_instruction_tables),
    };
    return cmocka_run_group_tests(tests, load_chips, free_chips);
}
