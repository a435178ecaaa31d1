/* Addresses, images and event ids of known kernels: [bp], [bpmx], and each row
 * of kernel_rules.md 2.2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "support/points.h"
#include "tiling/loads.h"
#include "tiling/plan.h"

static struct arena arena;
static const struct target *b1, *pr, *x90;

static int load_chips(void **state)
{
    (void)state;
    arena_init(&arena);
    b1 = point_target("ascend910b1", &arena);
    pr = point_target("ascend950pr_9589", &arena);
    x90 = point_target("kirin_x90", &arena);
    return 0;
}

static int free_chips(void **state)
{
    (void)state;
    arena_fini(&arena);
    return 0;
}

static void problem(struct problem *p, enum dtype ab, enum dtype c, bool mx, bool ta, bool tb)
{
    point_problem(p, 8192, 8192, 8192, ta, tb);
    p->a.dtype = p->b.dtype = ab;
    p->c.dtype = c;
    p->a.mx = p->b.mx = mx;
    p->scale_a.dtype = p->scale_b.dtype = mx ? DTYPE_E8M0 : DTYPE_NONE;
    p->a.ld = p->b.ld = p->c.ld = 0;
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
}

static void plan(const struct target *target, const struct problem *p, const char *name, struct tiling *t,
                 struct plan *out)
{
    struct infeasible why;
    assert_int_equal(tiling_parse(name, t, NULL), STATUS_OK);
    tiling_resolve(target, p, t, &why);
    assert_int_equal(why.reason, REASON_NONE);
    if (!plan_fits(target, p, t, out, &why)) {
        struct strbuf text;
        strbuf_init(&text);
        infeasible_text(&why, t, &text);
        fail_msg("%s: %s", name, strbuf_cstr(&text));
    }
}

static void at(const struct plan *plan, enum buffer buf, enum role role, int half, int64_t off, int64_t size)
{
    const struct region *r = plan_region(plan, buf, role, half);
    assert_non_null(r);
    assert_int_equal(r->off, off);
    assert_int_equal(r->size, size);
}

static void vendor_sample_910b1(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct plan q;
    problem(&p, DTYPE_HALF, DTYPE_HALF, false, false, true);
    plan(b1, &p, "b128x256x64_s8x4", &t, &q);
    assert_int_equal(q.n, 9);
    at(&q, BUF_L1, ROLE_A, 0, 0, 0x20000);
    at(&q, BUF_L1, ROLE_A, 1, 0x20000, 0x20000);
    at(&q, BUF_L1, ROLE_B, 0, 0x40000, 0x20000);
    at(&q, BUF_L1, ROLE_B, 1, 0x60000, 0x20000);
    at(&q, BUF_L0A, ROLE_A, 1, 0x8000, 0x4000);
    at(&q, BUF_L0B, ROLE_B, 1, 0x8000, 0x8000);
    at(&q, BUF_L0C, ROLE_C, 0, 0, 0x20000);
    assert_int_equal(q.peak[BUF_L1], q.usable[BUF_L1]);
    assert_int_equal(q.events_used[EVENT_MTE1_MTE2], 4);
    assert_int_equal(q.events_used[EVENT_M_MTE1], 2);
    assert_int_equal(q.events_used[EVENT_M_FIX], 0); /* unit flag */
}

static void vendor_sample_mx(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct plan q;
    problem(&p, DTYPE_FP4_E2M1, DTYPE_BF16, true, false, true);
    plan(pr, &p, "b256x256x256_s2x2_fa4_fb4", &t, &q);
    at(&q, BUF_L1, ROLE_A, 1, 0x10000, 0x10000);
    at(&q, BUF_L1, ROLE_SA, 0, 0x20000, 256 * 64); /* 512 k x 4 / 32 codes a row */
    at(&q, BUF_L1, ROLE_SA, 1, 0x24000, 256 * 64);
    at(&q, BUF_L1, ROLE_B, 0, 0x28000, 0x10000);
    at(&q, BUF_L1, ROLE_SB, 1, 0x4c000, 256 * 64);
    at(&q, BUF_L0A_MX, ROLE_SA, 0, 0, 2048);
    at(&q, BUF_L0A_MX, ROLE_SA, 1, 0x8000 / 16, 2048);
    at(&q, BUF_L0B_MX, ROLE_SB, 1, 0x800, 2048);
    /* fp8 halves the codes per byte of data: gaps in L0A_MX. */
    problem(&p, DTYPE_FP8_E4M3, DTYPE_BF16, true, false, true);
    plan(pr, &p, "b128x256x128_s4x4_fa8_fb8", &t, &q);
    at(&q, BUF_L0A_MX, ROLE_SA, 1, 0x800, 128 * 4);
}

/* Rows of section 2.2: units of K and of M, N in L1 and L0. */
static void images_of_transposing_loads(void **state)
{
    (void)state;
    static const struct {
        enum dtype dtype;
        bool turned;
        int64_t k, mn;
    } rows[] = {
        {DTYPE_HALF, false, 16, 16}, {DTYPE_HALF, true, 16, 16},  {DTYPE_INT8, false, 32, 16},
        {DTYPE_INT8, true, 32, 32},  {DTYPE_INT4, false, 64, 16}, {DTYPE_INT4, true, 64, 64},
        {DTYPE_FLOAT, false, 8, 16}, {DTYPE_FLOAT, true, 16, 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct problem p;
        problem(&p, rows[i].dtype, DTYPE_INT32, false, rows[i].turned, !rows[i].turned);
        assert_int_equal(load_unit(&p, ROLE_A, AXIS_K), rows[i].k);
        assert_int_equal(load_unit(&p, ROLE_A, AXIS_MN), rows[i].mn);
        assert_int_equal(load_unit(&p, ROLE_B, AXIS_K), rows[i].k);
        assert_int_equal(load_unit(&p, ROLE_B, AXIS_MN), rows[i].mn);
        /* Before 3510 a padded N goes into Mmad; M and 3510 keep the real one. */
        assert_int_equal(load_mmad_unit(b1, &p, ROLE_B), rows[i].turned && rows[i].mn > 16 ? rows[i].mn : 1);
        assert_int_equal(load_mmad_unit(b1, &p, ROLE_A), 1);
        assert_int_equal(load_mmad_unit(pr, &p, ROLE_B), 1);
    }
    /* int8, B [K,N], baseN 48: 64 columns in L1, L0B and, on 2201, L0C. */
    struct problem p;
    struct tiling t;
    struct plan q;
    problem(&p, DTYPE_INT8, DTYPE_INT32, false, false, false);
    plan(b1, &p, "b32x48x64_s1x1_u0", &t, &q);
    assert_int_equal(plan_region(&q, BUF_L1, ROLE_B, 0)->size, 64 * 64);
    assert_int_equal(plan_region(&q, BUF_L1, ROLE_B, 0)->used, 48 * 64);
    assert_int_equal(plan_region(&q, BUF_L0B, ROLE_B, 0)->size, 64 * 64);
    assert_int_equal(plan_region(&q, BUF_L0C, ROLE_C, 0)->size, 32 * 64 * 4);
    plan(pr, &p, "b32x48x64_s1x1_u0", &t, &q);
    assert_int_equal(plan_region(&q, BUF_L0B, ROLE_B, 0)->size, 64 * 64);
    assert_int_equal(plan_region(&q, BUF_L0C, ROLE_C, 0)->size, 32 * 48 * 4);
    /* Steps along M and K; chunks of a transposed operand have K down their rows. */
    problem(&p, DTYPE_HALF, DTYPE_HALF, false, true, true);
    plan(b1, &p, "b32x32x32_s3x2_tm2", &t, &q);
    assert_int_equal(plan_region(&q, BUF_L1, ROLE_A, 0)->pitch, 96);
    assert_int_equal(plan_region(&q, BUF_L1, ROLE_A, 0)->size, 96 * 64 * 2);
    assert_int_equal(t.depthA1, 12);
}

static void bias_and_quant_rows(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct plan q;
    problem(&p, DTYPE_HALF, DTYPE_HALF, false, false, true);
    p.bias.dtype = DTYPE_HALF;
    assert_int_equal(problem_finish(&p, NULL, NULL), STATUS_OK);
    plan(b1, &p, "b64x48x64_s2x2", &t, &q);
    const int64_t chunks = 2 * 64 * 128 * 2 + 2 * 48 * 128 * 2;
    at(&q, BUF_L1, ROLE_BIAS, 0, chunks, 128); /* 96 B of half, moved in units of 64 B */
    at(&q, BUF_BT, ROLE_BIAS, 0, 0, 48 * 4);
    problem(&p, DTYPE_INT8, DTYPE_INT8, false, false, true);
    p.quant.dtype = DTYPE_UINT64;
    plan(b1, &p, "b64x48x64_s2x2", &t, &q);
    at(&q, BUF_L1, ROLE_QUANT, 0, chunks / 2, 48 * 8);
    at(&q, BUF_FB, ROLE_QUANT, 0, 0, 48 * 8);
    assert_int_equal(q.usable[BUF_FB], 2048);
}

static void full_load_and_vector(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct plan q;
    point_problem(&p, 100, 4096, 500, false, true);
    plan(b1, &p, "b64x128x64_fl1_sm100", &t, &q);
    at(&q, BUF_L1, ROLE_A, 0, 0, 112 * 512 * 2); /* K to 16, then to whole C0 columns */
    assert_int_equal(plan_region(&q, BUF_L1, ROLE_A, 0)->pitch, 112);
    assert_int_equal(q.events_used[EVENT_MTE1_MTE2], 2); /* never overwritten: B only */
    assert_int_equal(q.events_used[EVENT_MTE2_MTE1], 3);
    point_problem(&p, 1, 512, 1000, false, true);
    plan(b1, &p, "b16x64x256_s2x2_gv1", &t, &q);
    at(&q, BUF_L1, ROLE_A, 0, 0, 1024);
    at(&q, BUF_L0A, ROLE_A, 0, 0, 512);
}

static void kirin_accumulates_half(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct plan q;
    problem(&p, DTYPE_HALF, DTYPE_HALF, false, false, true);
    plan(x90, &p, "b256x256x64", &t, &q);
    at(&q, BUF_L0C, ROLE_C, 0, 0, 0x20000);
}

/* (pair, id) of every flag, in order. */
static void assert_events(const struct problem *p, const struct tiling *t, const char *expected)
{
    struct plan_event events[PLAN_EVENTS];
    const int n = plan_events(p, t, events);
    struct strbuf text;
    strbuf_init(&text);
    for (int i = 0; i < n; i++) {
        const bool first = i == 0 || events[i].event != events[i - 1].event;
        strbuf_addf(&text, "%s%s%d", i > 0 && first ? " " : "",
                    first ? hard_event_name((enum hard_event)events[i].event) : ",", events[i].id);
    }
    assert_string_equal(strbuf_cstr(&text), expected);
    strbuf_fini(&text);
}

static void event_ids(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct plan q;
    problem(&p, DTYPE_HALF, DTYPE_HALF, false, false, true);
    plan(b1, &p, "b64x64x64_s2x2_u0_lc2", &t, &q);
    assert_events(&p, &t, "MTE1_MTE20,1,2,3 MTE2_MTE10,1,2,3 M_MTE10,1 MTE1_M0,1 M_FIX0,1 FIX_M0,1");
    plan(b1, &p, "b64x64x64_s2x2_u1_d1x2_la1", &t, &q);
    assert_events(&p, &t, "MTE1_MTE20,2,3 MTE2_MTE10,2,3 M_MTE10,2,3 MTE1_M0");
    p.bias.dtype = DTYPE_FLOAT;
    assert_int_equal(problem_finish(&p, NULL, NULL), STATUS_OK);
    plan(b1, &p, "b64x64x64_s2x2", &t, &q);
    assert_events(&p, &t, "MTE1_MTE20,1,2,3,4 MTE2_MTE10,1,2,3,4 M_MTE10,1,2 MTE1_M0,1");
    plan(b1, &p, "b64x64x64_s2x2_la1", &t, &q); /* 2 is L0B's: the bias takes 4 */
    assert_events(&p, &t, "MTE1_MTE20,1,2,3,4 MTE2_MTE10,1,2,3,4 M_MTE10,2,3,4 MTE1_M0");
    problem(&p, DTYPE_INT8, DTYPE_INT8, false, false, true);
    p.quant.dtype = DTYPE_UINT64;
    plan(b1, &p, "b64x64x64_s2x2", &t, &q);
    assert_events(&p, &t, "MTE1_MTE20,1,2,3,5 MTE2_MTE10,1,2,3,5 M_MTE10,1 MTE1_M0,1 MTE1_FIX0 FIX_MTE10");
    /* Scales share the ids of their data. */
    problem(&p, DTYPE_FP8_E4M3, DTYPE_BF16, true, false, true);
    plan(pr, &p, "b64x64x64_s2x2", &t, &q);
    assert_events(&p, &t, "MTE1_MTE20,1,2,3 MTE2_MTE10,1,2,3 M_MTE10,1 MTE1_M0,1");
}

/* A row pitch no field holds is lowered to row copies: no reason. */
static void long_pitch_is_feasible(void **state)
{
    (void)state;
    struct problem p;
    struct tiling t;
    struct plan q;
    struct infeasible why;
    point_problem(&p, 256, 256, 200000, false, true);
    plan(b1, &p, "b64x64x64", &t, &q);
    assert_true(plan_make(b1, &p, &t, &q, &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vendor_sample_910b1),
        cmocka_unit_test(vendor_sample_mx),
        cmocka_unit_test(images_of_transposing_loads),
        cmocka_unit_test(bias_and_quant_rows),
        cmocka_unit_test(full_load_and_vector),
        cmocka_unit_test(kirin_accumulates_half),
        cmocka_unit_test(event_ids),
        cmocka_unit_test(long_pitch_is_feasible),
    };
    return cmocka_run_group_tests(tests, load_chips, free_chips);
}
