/* The element function at every width: each element of a run, and each byte of a
 * tensor in either layout, against problem_value() and dtype_store(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "base/rng.h"
#include "numeric/fp.h"
#include "problem/gm_kernel.h"

enum { GUARD = 0x5A, MAX_RUN = 300 };

static int64_t pick(struct rng *rng, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(rng_below(rng, (uint64_t)(hi - lo + 1)));
}

/* The hash as first written down, so that data never change unnoticed. */
static int32_t value_by_definition(uint64_t seed, uint32_t tensor, uint32_t row, uint32_t col)
{
    uint32_t h = (uint32_t)seed ^ (uint32_t)(seed >> 32) * 0x9E3779B1U;
    h ^= tensor * 0x85EBCA6BU + row * 0xC2B2AE35U;
    h = (h ^ h >> 16) * 0x7FEB352DU;
    h = (h ^ h >> 15) + col * 0x9E3779B1U;
    h = (h ^ h >> 16) * 0x846CA68BU;
    h ^= h >> 15;
    return (int32_t)((h & 0xFFFFU) * 7U >> 16) - 3;
}

static void test_runs(void **state)
{
    (void)state;
    struct rng rng = rng_init(1);
    for (int round = 0; round < 1000; round++) {
        const struct problem p = {.seed = rng_next(&rng)};
        const enum tensor tensor = (enum tensor)pick(&rng, 0, TENSOR_N - 1);
        const int64_t row = pick(&rng, 0, INT32_MAX - MAX_RUN), col = pick(&rng, 0, INT32_MAX - MAX_RUN);
        const int64_t n = pick(&rng, 0, MAX_RUN - 1), offset = pick(&rng, 0, 1);
        const enum gm_isa isa = (enum gm_isa)pick(&rng, 0, gm_isa_best());
        float across[MAX_RUN + 2], down[MAX_RUN + 2];
        memset(across, GUARD, sizeof across);
        memset(down, GUARD, sizeof down);
        gm_row_values(isa, &p, tensor, row, col, n, across + offset);
        gm_column_values(isa, &p, tensor, row, col, n, down + offset);
        for (int64_t i = 0; i < n; i++) {
            const int32_t v = value_by_definition(p.seed, tensor, (uint32_t)row, (uint32_t)(col + i));
            assert_true(problem_value(&p, tensor, row, col + i) == (float)v);
            assert_true(across[offset + i] == (float)v);
            assert_true(down[offset + i] == problem_value(&p, tensor, row + i, col));
        }
        const uint8_t *after = (const uint8_t *)&across[offset + n], *below = (const uint8_t *)&down[offset + n];
        assert_true(after[0] == GUARD && below[0] == GUARD);
    }
}

/* A tensor byte by byte from problem_value(). The caller frees it. */
static uint8_t *whole_tensor(const struct problem *p, enum tensor tensor, int64_t bytes)
{
    const struct operand *o = problem_operand(p, tensor);
    const bool nz = o->format == LAYOUT_NZ;
    uint8_t *all = malloc((size_t)bytes);
    assert_non_null(all);
    const int64_t pitch = problem_pitch_bytes(p, tensor), c0 = dtype_c0(o->dtype),
                  width = dtype_bytes(o->dtype, o->cols);
    memset(all, nz ? 0 : 0xFF, (size_t)bytes);
    for (int64_t row = 0; row < o->rows * p->batch; row++) {
        if (!nz) {
            memset(all + row * pitch, 0, (size_t)width); /* the nibble behind an odd b4 row */
        }
        const int64_t batch = row / o->rows, in_batch = row % o->rows, rows = align_up(o->rows, 16);
        for (int64_t col = 0; col < o->cols; col++) {
            const int64_t block = batch * ceil_div(o->cols, c0) * rows + col / c0 * rows + in_batch;
            uint8_t *at = nz ? all + block * 32 : all + row * pitch;
            dtype_store(o->dtype, at, nz ? col % c0 : col, problem_value(p, tensor, row, col));
        }
    }
    return all;
}

/* Cuts a tensor at random byte bounds, at a random width each. */
static void check_cuts(const struct problem *p, enum tensor tensor, struct rng *rng)
{
    const int64_t bytes = problem_tensor_bytes(p, tensor);
    uint8_t *want = whole_tensor(p, tensor, bytes), *got = malloc((size_t)bytes + 1);
    assert_non_null(got);
    for (enum gm_isa isa = GM_PLAIN; isa <= gm_isa_best(); isa++) {
        assert_int_equal(gm_read(isa, p, tensor, 0, bytes, got), STATUS_OK);
        assert_memory_equal(got, want, (size_t)bytes);
        for (int cut = 0; cut < 40; cut++) {
            const int64_t from = pick(rng, 0, bytes), len = min_i64(bytes - from, pick(rng, 0, 700));
            got[len] = GUARD;
            assert_int_equal(gm_read(isa, p, tensor, from, len, got), STATUS_OK);
            assert_true(len == 0 || memcmp(got, want + from, (size_t)len) == 0);
            assert_int_equal(got[len], GUARD);
        }
        assert_int_equal(gm_read(isa, p, tensor, bytes, 1, got), STATUS_INVALID);
    }
    free(want);
    free(got);
}

static void test_reads(void **state)
{
    (void)state;
    struct rng rng = rng_init(2);
    for (enum dtype dtype = DTYPE_INT4; dtype < DTYPE_N; dtype++) {
        for (int round = 0; round < 6; round++) {
            struct problem p = {.M = pick(&rng, 1, 40), .N = pick(&rng, 1, 300), .K = pick(&rng, 1, 300)};
            p.batch = pick(&rng, 1, 3);
            p.seed = rng_next(&rng);
            p.a = (struct operand){.dtype = dtype, .transpose = round % 2 == 0};
            p.b = (struct operand){.dtype = dtype, .format = round % 3 == 0 ? LAYOUT_NZ : LAYOUT_ND};
            p.a.ld = (p.a.transpose ? p.M : p.K) + pick(&rng, 0, 9);
            p.bias.dtype = p.quant.dtype = dtype;
            assert_int_equal(problem_finish(&p, NULL, NULL), STATUS_OK);
            check_cuts(&p, TENSOR_A, &rng);
            check_cuts(&p, TENSOR_B, &rng);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs), cmocka_unit_test(test_reads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
