/* The reference at every width against a triple loop written here, and the rows
 * of C against dtype_store(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "base/rng.h"
#include "engine/reference_kernel.h"
#include "numeric/fp.h"

static int64_t pick(struct rng *rng, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(rng_below(rng, (uint64_t)(hi - lo + 1)));
}

/* --- matmul --------------------------------------------------------------- */

static float operand_at(const struct problem *p, enum tensor tensor, int64_t batch, int64_t row, int64_t col)
{
    const struct operand *o = problem_operand(p, tensor);
    const int64_t first = batch * o->rows;
    return (float)(o->transpose ? problem_value(p, tensor, first + col, row)
                                : problem_value(p, tensor, first + row, col));
}

static void naive(const struct problem *p, const struct c_block *c, enum dtype dtype, const struct k_range *ranges,
                  uint8_t *out)
{
    for (int64_t i = 0; i < c->m * c->n; i++) {
        float sum = 0.0F;
        for (int r = 0; r < 2; r++) {
            for (int64_t k = ranges[r].k0; k < ranges[r].k0 + ranges[r].k; k++) {
                sum += operand_at(p, TENSOR_A, c->batch, c->m0 + i / c->n, k) *
                       operand_at(p, TENSOR_B, c->batch, k, c->n0 + i % c->n);
            }
        }
        dtype_store(dtype, out, i, (double)sum);
    }
}

static void random_problem(struct rng *rng, struct problem *p)
{
    static const enum dtype inputs[] = {DTYPE_HALF, DTYPE_BF16, DTYPE_FLOAT, DTYPE_INT8, DTYPE_FP8_E4M3};
    *p = (struct problem){.M = pick(rng, 1, 90), .N = pick(rng, 1, 150), .K = pick(rng, 1, 400)};
    p->batch = pick(rng, 1, 3);
    p->seed = rng_next(rng);
    p->a.dtype = p->b.dtype = inputs[pick(rng, 0, 4)];
    p->c.dtype = DTYPE_HALF;
    p->a.transpose = pick(rng, 0, 1);
    p->b.transpose = pick(rng, 0, 1);
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
}

/* Part of C over two ranges of K with a hole between, either possibly empty. */
static void random_part(struct rng *rng, const struct problem *p, struct c_block *c, struct k_range *ranges)
{
    c->batch = pick(rng, 0, p->batch - 1);
    c->m0 = pick(rng, 0, p->M - 1);
    c->n0 = pick(rng, 0, p->N - 1);
    c->m = pick(rng, 1, p->M - c->m0);
    c->n = pick(rng, 1, p->N - c->n0);
    ranges[0].k0 = pick(rng, 0, p->K - 1);
    ranges[0].k = pick(rng, 1, p->K - ranges[0].k0);
    ranges[1].k0 = pick(rng, ranges[0].k0 + ranges[0].k, p->K);
    ranges[1].k = pick(rng, 0, p->K - ranges[1].k0);
}

static void test_matmul(void **state)
{
    (void)state;
    static const enum dtype outputs[] = {DTYPE_HALF, DTYPE_BF16, DTYPE_FLOAT, DTYPE_INT32, DTYPE_INT8};
    static uint8_t want[90 * 150 * 4], got[90 * 150 * 4 + 1];
    struct rng rng = rng_init(3);
    struct arena arena;
    arena_init(&arena);
    for (int round = 0; round < 60; round++) {
        struct problem p;
        struct c_block c;
        struct k_range ranges[2];
        random_problem(&rng, &p);
        random_part(&rng, &p, &c, ranges);
        const enum dtype dtype = outputs[pick(&rng, 0, 4)];
        const int64_t bytes = dtype_bytes(dtype, c.m * c.n);
        naive(&p, &c, dtype, ranges, want);
        for (enum gm_isa isa = GM_PLAIN; isa <= gm_isa_best(); isa++) {
            memset(got, 0x5A, sizeof got);
            arena_reset(&arena);
            assert_int_equal(reference_matmul_with(isa, &p, &c, dtype, ranges, 2, &arena, got), STATUS_OK);
            assert_memory_equal(got, want, (size_t)bytes);
            assert_int_equal(got[bytes], 0x5A);
        }
        arena_reset(&arena);
        assert_int_equal(reference_matmul(&p, &c, dtype, ranges, 2, &arena, got), STATUS_OK);
        assert_memory_equal(got, want, (size_t)bytes);
    }
    arena_fini(&arena);
}

/* --- the order of sums ------------------------------------------------------ */

/* Random floats of mixed magnitude: another order, or an fma where a product is
 * not exact, gives other bits. */
static void check_block(struct rng *rng, bool half)
{
    enum { PITCH = REFERENCE_COLS + 16 };
    static float a[REFERENCE_ROWS * REFERENCE_K], b[REFERENCE_K * REFERENCE_COLS];
    static float before[REFERENCE_ROWS * PITCH], want[REFERENCE_ROWS * PITCH], got[REFERENCE_ROWS * PITCH];
    float *const fill[] = {a, b, before};
    const size_t sizes[] = {sizeof a / sizeof *a, sizeof b / sizeof *b, sizeof before / sizeof *before};
    for (int f = 0; f < 3; f++) {
        for (size_t i = 0; i < sizes[f]; i++) {
            const float v = (float)((double)(int64_t)rng_next(rng) * 0x1p-63 * (double)(1 << pick(rng, 0, 10)));
            fill[f][i] = half && f < 2 ? half_to_float(half_from_float(v, FP_SATURATE)) : v;
        }
    }
    const int64_t k = pick(rng, 0, REFERENCE_K);
    memcpy(want, before, sizeof want);
    for (int r = 0; r < REFERENCE_ROWS; r++) {
        for (int j = 0; j < REFERENCE_COLS; j++) {
            for (int64_t kk = 0; kk < k; kk++) {
                const float product = a[r * REFERENCE_K + kk] * b[kk * REFERENCE_COLS + j];
                want[r * PITCH + j] += product;
            }
        }
    }
    for (enum gm_isa isa = GM_PLAIN; isa <= gm_isa_best(); isa++) {
        memcpy(got, before, sizeof got);
        reference_multiply(isa, &(struct reference_block){a, b, got, PITCH, k, half});
        assert_memory_equal(got, want, sizeof want);
    }
}

static void test_order(void **state)
{
    (void)state;
    struct rng rng = rng_init(4);
    for (int round = 0; round < 100; round++) {
        check_block(&rng, round % 2 != 0);
    }
}

/* --- storing C -------------------------------------------------------------- */

static const enum dtype STORED[] = {DTYPE_HALF, DTYPE_BF16, DTYPE_FLOAT, DTYPE_INT32, DTYPE_INT8, DTYPE_FP8_E4M3};

static void check_row(const float *values, int64_t n)
{
    uint8_t want[4 * 1024], got[4 * 1024 + 1];
    for (size_t d = 0; d < sizeof STORED / sizeof STORED[0]; d++) {
        const int64_t bytes = dtype_bytes(STORED[d], n);
        for (int64_t i = 0; i < n; i++) {
            dtype_store(STORED[d], want, i, (double)values[i]);
        }
        for (enum gm_isa isa = GM_PLAIN; isa <= gm_isa_best(); isa++) {
            got[bytes] = 0x5A;
            assert_int_equal(reference_store(isa, STORED[d], values, n, got), STATUS_OK);
            if (memcmp(got, want, (size_t)bytes) != 0) {
                print_error("%s of values from %a, width %s\n", dtype_info(STORED[d])->name, (double)values[0],
                            gm_isa_name(isa));
                fail();
            }
            assert_int_equal(got[bytes], 0x5A);
        }
    }
}

/* For every upper half of a float, the lower halves where roundings of 16, 13 and
 * other bits tie or just do not. */
static void test_store_edges(void **state)
{
    (void)state;
    static const uint16_t low[] = {0,      1,      0x0FFF, 0x1000, 0x1001, 0x1FFF, 0x2000, 0x2001, 0x2FFF, 0x3000,
                                   0x3001, 0x4000, 0x6000, 0x7FFF, 0x8000, 0x8001, 0xC000, 0xEFFF, 0xF000, 0xFFFF};
    enum { COUNT = sizeof low / sizeof low[0] };
    float values[8 * COUNT];
    for (uint32_t high = 0; high < 65536; high += 8) {
        for (uint32_t i = 0; i < 8 * COUNT; i++) {
            values[i] = float_from_bits((high + i / COUNT) << 16 | low[i % COUNT]);
        }
        check_row(values, 8 * COUNT);
    }
}

static void test_store_random(void **state)
{
    (void)state;
    struct rng rng = rng_init(5);
    float values[1024];
    for (int round = 0; round < 600; round++) {
        const int64_t n = pick(&rng, 0, 1024);
        for (int64_t i = 0; i < n; i++) {
            /* Half of them near the range of half, where most of its cases are. */
            const uint32_t bits = (uint32_t)rng_next(&rng);
            values[i] = float_from_bits(round % 2 == 0 ? bits : (bits & 0x8FFFFFFFU) + 0x30000000U);
        }
        check_row(values, n);
    }
    uint8_t byte;
    assert_int_equal(reference_store(GM_PLAIN, DTYPE_INT4, values, 1, &byte), STATUS_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_matmul), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_store_edges), cmocka_unit_test(test_store_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
