/* Every knob of a tiling and every number of the model, one at a time, counted
 * by hand on support/paper.h. Unless said: a copy takes 10, a load 7, a Mmad 20, a
 * Fixpipe 30 cycles; one step: cA 0-10, cB 10-20, lA 10-17, lB 20-27, M 27-47,
 * F 47-77. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "support/paper.h"

/* So many tiles along M and N and steps along K, two halves everywhere. */
static void program(struct lab *l, int tiles_m, int tiles_n, int steps)
{
    l->problem.M = 16 * (int64_t)tiles_m;
    l->problem.N = 16 * (int64_t)tiles_n;
    l->problem.K = 16 * (int64_t)steps;
    lab_times(l, 10, 7, 20, 30);
    lab_buffers(l, 2, 2);
}

/* --- knobs that change the program ------------------------------------------ */

static void steps_of_a_chunk(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    program(l, 1, 1, 4);
    l->tiling.stepKa = 2;
    l->tiling.stepKb = 4;
    lab_buffers(l, 1, 2);
    /* cA0 (two steps) 0-20, cB (four) 20-60; lA0 20-27, lB0 60-67; lA1 67-74, lB1 74-81; A is free: cA1 81-101;
     * lA2 101-108 (M0 67-87 is past), lB2 108-115; lA3 115-122, lB3 122-129; M3 129-149 (M2 115-135: 135-155). */
    assert_int_equal(lab_cycles(l, busy), 155 + 30);
    assert_int_equal(busy[PIPE_MTE2], 80);
    /* Another half of A: cA1 60-80, so loads go on: lA2 81-88 .. (M0 67-87, slot free) lB2 -95, lA3 101 (M1 87-107):
     * M1 87-107; lA3 107-114, lB3 114-121; M2 107-127, M3 127-147. */
    l->tiling.dbA1 = 2;
    l->tiling.depthA1 = 4;
    assert_int_equal(lab_cycles(l, busy), 177);
}

/* Two tiles along M share nothing but B's group: stepM keeps both tiles' A in one image. */
static void groups(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    program(l, 2, 1, 1);
    l->tiling.stepM = 2;
    l->tiling.depthA1 = 4;
    l->tiling.dbL0C = 2;
    /* cA (32 rows) 0-20, cB0 20-30; lA 20-27, lB 30-37, M 37-57, F 57-87; cB1 30-40, lA 37-44, lB 44-51, M 57-77, F 87. */
    assert_int_equal(lab_cycles(l, busy), 117);
    assert_int_equal(busy[PIPE_MTE2], 40);
}

static void full_load(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    program(l, 1, 2, 1);
    lab_times(l, 10, 7, 5, 2);
    l->tiling.dbL0C = 2;
    /* cA0 0-10, cB0 -20, cA1 -30, cB1 -40; lB1 40-47, M1 47-52, F 54. */
    assert_int_equal(lab_cycles(l, busy), 54);
    assert_int_equal(busy[PIPE_MTE2], 40);
    /* A once: cB1 20-30; lB0 20-27, lA1 27-34, lB1 34-41, M1 41-46. */
    l->tiling.fullLoad = FULL_LOAD_A;
    l->tiling.dbA1 = l->tiling.depthA1 = 1;
    assert_int_equal(lab_cycles(l, busy), 48);
    assert_int_equal(busy[PIPE_MTE2], 30);
}

/* The chunk of A lies in L1 from the tile before. Its half is waited for all the
 * same: lB0 20-27; cB1 27-37; lA1 27-34, lB1 37-44, M1 44-49. */
static void resident(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    program(l, 1, 2, 1);
    lab_times(l, 10, 7, 5, 2);
    l->tiling.dbL0C = 2;
    l->tiling.l1Resident = 1;
    l->tiling.iterateOrder = 1; /* n inner: the same rows of A */
    l->tiling.dbA1 = l->tiling.depthA1 = 1;
    assert_int_equal(lab_cycles(l, busy), 51);
    assert_int_equal(busy[PIPE_MTE2], 30);
}

/* Two K slices on two cores: each one step; C is float, its Fixpipe twice as long. */
static void split_k(void **state)
{
    struct lab *l = *state;
    program(l, 1, 1, 2);
    l->problem.c.dtype = DTYPE_FLOAT;
    assert_int_equal(lab_cycles(l, NULL), 67 + 60); /* one core, two steps: M1 47-67 */
    l->tiling.usedCoreNum = 2;
    l->tiling.splitK = 2;
    l->tiling.splitKReduce = REDUCE_ATOMIC;
    assert_int_equal(lab_cycles(l, NULL), 47 + 60);
}

/* K = 40: the last block is 8 deep, its copies take 5. On the second core it is
 * the second step: cA 20-25, cB 25-30, then cA 30-40, cB 40-50; M1 47-67, lB2 54-61, M2 67-87. */
static void shuffle_k(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    program(l, 2, 1, 1);
    l->problem.K = 40;
    l->tiling.usedCoreNum = 2;
    l->tiling.shuffleK = 1;
    assert_int_equal(lab_cycles(l, busy), 117);
    assert_int_equal(busy[PIPE_MTE2], 50);
    /* With copies only in the way (load 1, Mmad 1, Fixpipe 1): the first core ends with a short copy, cB2 at 50, the
     * second with a long one, at 50 too. */
    lab_times(l, 10, 1, 1, 1);
    assert_int_equal(lab_cycles(l, NULL), 50 + 1 + 1 + 1);
}

/* m = 1: a row of A is one row of at least row_min; B's 16 rows take theirs. */
static void gemv(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    program(l, 1, 1, 1);
    l->problem.M = 1;
    l->target.timing.row_min = 2;
    l->target.timing.fixpipe_width = 32.0 / 30; /* one row of C: 32 B */
    l->tiling.gemv = 1;
    /* cA 0-2, cB 2-34; lA 2-9, lB 34-41; M 41-61; F 61-91. */
    assert_int_equal(lab_cycles(l, busy), 91);
    assert_int_equal(busy[PIPE_MTE2], 34);
}

/* One copy instruction a row: 16 issues instead of one. */
static void row_copy(void **state)
{
    struct lab *l = *state;
    program(l, 1, 1, 1);
    l->target.timing.copy_issue = 1;
    assert_int_equal(lab_cycles(l, NULL), 79); /* cA 0-11, cB 11-22 */
    l->tiling.rowCopy = 1;
    assert_int_equal(lab_cycles(l, NULL), 94); /* cA 0-26, cB 26-37 */
}

/* A barrier over all pipes: tile 1 begins tile_barrier after F0. */
static void tile_barrier(void **state)
{
    struct lab *l = *state;
    program(l, 2, 1, 1);
    assert_int_equal(lab_cycles(l, NULL), 127);
    l->target.timing.tile_barrier = 3;
    assert_int_equal(lab_cycles(l, NULL), 127); /* not asked for */
    /* F0 ends at 77; tile 1 has nothing in flight before: 80 + cA, cB, lB, M, F = 80 + 77, and 3 more behind it. */
    l->tiling.tileBarrier = 1;
    assert_int_equal(lab_cycles(l, NULL), 157);
}

static void batches(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    program(l, 1, 1, 1);
    l->problem.batch = 2;
    assert_int_equal(lab_cycles(l, busy), 127); /* as two tiles: M1 77-97 */
    assert_int_equal(busy[PIPE_MTE2], 40);
    l->tiling.dbL0C = 2;
    assert_int_equal(lab_cycles(l, NULL), 107);
}

/* Order and assignment only choose which tiles a core has; the mean is over cores that own one. */
static void assignment(void **state)
{
    struct lab *l = *state;
    int64_t busy[4];
    program(l, 3, 1, 1);
    l->tiling.usedCoreNum = 2;
    l->tiling.assign = ASSIGN_BLOCKS; /* tiles 0, 2 and tile 1 */
    assert_int_equal(lab_cycles(l, busy), 127);
    assert_int_equal(busy[PIPE_FIX], 45);
    l->tiling.order = ORDER_CHUNK; /* tiles 0, 1 and tile 2 */
    assert_int_equal(lab_cycles(l, busy), 127);
    l->tiling.usedCoreNum = 3;
    assert_int_equal(lab_cycles(l, busy), 77);
}

/* --- numbers of the load ----------------------------------------------------- */

/* 64 deep: A is one LoadData3D of 2048 B (28 cycles), B four LoadData2D of 512 B (7 each). */
static void deep(struct lab *l)
{
    program(l, 1, 1, 4);
    l->tiling.baseK = 64;
}

static void load_calls(void **state)
{
    struct lab *l = *state;
    deep(l);
    l->target.timing.load_calls_ref[0] = l->target.timing.load_calls_ref[1] = 0;
    /* cA 0-40, cB 40-80; lA 40-68, lB 80-108; M 108-188. */
    assert_int_equal(lab_cycles(l, NULL), 218);
    l->target.timing.load_call = 1; /* lA 40-69, lB 80-112 */
    assert_int_equal(lab_cycles(l, NULL), 222);
    l->target.timing.load_min = 9; /* a call of B: 9 instead of 8 */
    assert_int_equal(lab_cycles(l, NULL), 226);
    l->target.timing.load_min = 8;
    assert_int_equal(lab_cycles(l, NULL), 222);
    l->target.timing.load_issue = 5; /* once an operand */
    assert_int_equal(lab_cycles(l, NULL), 227);
    l->target.timing.load_calls_ref[0] = 1; /* the measured pair had so many calls */
    l->target.timing.load_calls_ref[1] = 4;
    assert_int_equal(lab_cycles(l, NULL), 223);
    l->tiling.loadA = LOAD_2D; /* four calls for A too, but A's load is not in the way: lA 40-76 + 4 */
    assert_int_equal(lab_cycles(l, NULL), 223);
}

static void contention(void **state)
{
    struct lab *l = *state;
    deep(l);
    l->target.timing.l1_contention = 512; /* a cycle for each fractal, of ND with two halves */
    assert_int_equal(lab_cycles(l, NULL), 222);
    lab_buffers(l, 1, 2);
    assert_int_equal(lab_cycles(l, NULL), 218);
    lab_buffers(l, 2, 2);
    l->problem.b.format = LAYOUT_NZ; /* plain copies do not contend */
    l->target.timing.plain_width = 512 / 10.0;
    assert_int_equal(lab_cycles(l, NULL), 218);
}

static void widths(void **state)
{
    struct lab *l = *state;
    program(l, 1, 1, 1);
    l->target.timing.l0a_width = 512 / 10.0; /* lA 10-20: not in the way */
    assert_int_equal(lab_cycles(l, NULL), 77);
    l->target.timing.l0a_width = 512 / 11.0; /* lA 10-21 */
    assert_int_equal(lab_cycles(l, NULL), 78);
    l->target.timing.l0b_width = 512 / 8.0;
    assert_int_equal(lab_cycles(l, NULL), 79);
}

/* --- numbers of the copy ------------------------------------------------------- */

/* 16 rows of 32 B; both copies take `copy`. */
static int64_t one_step(int64_t copy)
{
    return 2 * copy + 7 + 20 + 30;
}

static void rows(void **state)
{
    struct lab *l = *state;
    struct target_timing *p = &l->target.timing;
    program(l, 1, 1, 1);
    p->row_min = 10 / 16.0; /* as long as a row takes anyway */
    assert_int_equal(lab_cycles(l, NULL), one_step(10));
    p->row_min = 1;
    assert_int_equal(lab_cycles(l, NULL), one_step(16));
    p->row_min = 0;
    p->row_base = 1;
    assert_int_equal(lab_cycles(l, NULL), one_step(26));
    p->row_base = 0;
    p->pitch_conflict = 2;
    p->pitch_conflict_modulus = 64; /* the pitch is 32 B */
    assert_int_equal(lab_cycles(l, NULL), one_step(10));
    p->pitch_conflict_modulus = 32;
    assert_int_equal(lab_cycles(l, NULL), one_step(20));
    p->pitch_conflict_modulus = 64;
    p->unaligned = 4; /* rows start at multiples of 32 B: weight 0.75, 3 cycles a row, from 512 B on */
    assert_int_equal(lab_cycles(l, NULL), one_step(10));
    p->unaligned_row_min = 32;
    assert_int_equal(lab_cycles(l, NULL), one_step(48));
    p->unaligned_row_min = 33;
    assert_int_equal(lab_cycles(l, NULL), one_step(10));
    l->problem.a.ld = 17; /* A's rows start at 2 B: weight 1, whatever their length */
    assert_int_equal(lab_cycles(l, NULL), 64 + 10 + 7 + 20 + 30);
}

static void issue_and_latency(void **state)
{
    struct lab *l = *state;
    program(l, 1, 1, 1);
    l->target.timing.copy_issue = 3;
    assert_int_equal(lab_cycles(l, NULL), one_step(13));
    l->target.timing.copy_latency = 5;
    assert_int_equal(lab_cycles(l, NULL), one_step(13) + 5);
    l->target.timing.copy_loaded = 4; /* by the share of other cores that run: none of 3 */
    l->target.cores = 4;
    assert_int_equal(lab_cycles(l, NULL), one_step(13) + 5);
    l->problem.M = 64; /* all 3 */
    l->tiling.usedCoreNum = 4;
    assert_int_equal(lab_cycles(l, NULL), one_step(13) + 9);
}

static void plain_copies(void **state)
{
    struct lab *l = *state;
    program(l, 1, 1, 1);
    l->problem.b.format = LAYOUT_NZ;
    l->target.timing.plain_width = 512 / 12.0;
    assert_int_equal(lab_cycles(l, NULL), 10 + 12 + 7 + 20 + 30);
}

/* --- L2 and HBM ------------------------------------------------------------------ */

/* A cold L2 of any size behind an HBM of so many bytes a cycle; rates of L2 without limit. */
static void memory(struct lab *l, double bytes_per_cycle)
{
    struct target_timing *p = &l->target.timing;
    l->target.ghz = 1;
    l->target.l2_bytes = 1e9;
    p->hbm_nd = p->hbm = bytes_per_cycle / 1000;
    p->hbm_core_share = 1;
    p->hbm_short_row_bytes = 0;
    p->overlap = 1;
    p->write_back = 0;
}

static void cold_bytes(void **state)
{
    struct lab *l = *state;
    struct target_timing *p = &l->target.timing;
    program(l, 1, 1, 1);
    memory(l, 1);
    /* 1024 B miss: 1024 cycles for both copies. */
    assert_int_equal(lab_cycles_cold(l, NULL), one_step(512));
    assert_int_equal(lab_cycles(l, NULL), one_step(10));
    p->overlap = 0; /* all bytes miss: no hits to add */
    assert_int_equal(lab_cycles_cold(l, NULL), one_step(512));
    p->hbm_short_row = 2; /* rows of 32 B: half the rate, if that is short */
    assert_int_equal(lab_cycles_cold(l, NULL), one_step(512));
    p->hbm_short_row_bytes = 33;
    assert_int_equal(lab_cycles_cold(l, NULL), one_step(1024));
    p->hbm_short_row_bytes = 32;
    p->hbm_core_share = 0.25; /* one core cannot draw it all */
    assert_int_equal(lab_cycles_cold(l, NULL), one_step(2048));
    memory(l, 1024); /* HBM faster than the rows themselves: nothing to see */
    assert_int_equal(lab_cycles_cold(l, NULL), one_step(10));
}

/* Two tiles with the same A: its second touch hits. */
static void second_touch(void **state)
{
    struct lab *l = *state;
    program(l, 1, 2, 1);
    memory(l, 1);
    /* cA0 512, cB0 1024; cA1 hits 10, cB1 502 + 10: 1546. */
    assert_int_equal(lab_cycles_cold(l, NULL), 1024 + 10 + 512 - 10 + 10 + 7 + 20 + 30 - 10);
    l->tiling.l2A = L2_DISABLE; /* A always misses: cB1 ends at 2048 */
    assert_int_equal(lab_cycles_cold(l, NULL), 2048 + 7 + 20 + 30);
    l->tiling.l2A = L2_NORMAL;
    l->target.l2_bytes = 400; /* D = A + B + C = 1536 > 1.25 * 400: nothing hits */
    assert_int_equal(lab_cycles_cold(l, NULL), 2048 + 7 + 20 + 30);
    /* D = 0.875 L2 sizes, halfway between 0.5 and 1.25: half of A hits. X = 256 + 512 = 768 of both copies. */
    l->target.l2_bytes = 1536 / 0.875;
    assert_int_equal(lab_cycles_cold(l, NULL), 1024 + 768 + 7 + 20 + 30);
}

/* Of the tile that hits A and misses B, 20 cycles of hits and 512 of HBM: side by
 * side max(20, 512), one after the other 10 + 512. Plain bursts have a share of their own. */
static void overlap(void **state)
{
    struct lab *l = *state;
    struct target_timing *p = &l->target.timing;
    const int64_t hidden = 1024 + 512 + 7 + 20 + 30;
    program(l, 1, 2, 1);
    memory(l, 1);
    p->overlap_plain = 1;
    assert_int_equal(lab_cycles_cold(l, NULL), hidden);
    p->overlap = 0;
    assert_int_equal(lab_cycles_cold(l, NULL), hidden + 10);
    l->problem.b.format = LAYOUT_NZ;
    p->plain_width = 512 / 10.0;
    assert_int_equal(lab_cycles_cold(l, NULL), hidden);
    p->overlap_plain = 0.5;
    assert_int_equal(lab_cycles_cold(l, NULL), hidden + 5);
}

/* C's bytes go back to HBM if A, B and C do not fit L2: 512 B, in the way of the copies. */
static void write_back(void **state)
{
    struct lab *l = *state;
    program(l, 1, 1, 1);
    memory(l, 1);
    l->target.l2_bytes = 1;
    l->target.timing.write_back = 1;
    assert_int_equal(lab_cycles_cold(l, NULL), one_step(512 + 256));
    l->target.timing.write_back = 0.5;
    assert_int_equal(lab_cycles_cold(l, NULL), one_step(512 + 128));
    l->tiling.l2C = L2_DISABLE;
    l->target.l2_bytes = 1e9; /* past L2, C is written back at once */
    assert_int_equal(lab_cycles_cold(l, NULL), one_step(512 + 128));
}

/* L2's own rate, divided by the cores that read; less for what they share. */
static void l2_rate(void **state)
{
    struct lab *l = *state;
    program(l, 1, 2, 1);
    memory(l, 1e6);
    l->tiling.usedCoreNum = 2;
    l->target.timing.l2_rate = 2 * 512 / 10.0; /* just enough for two cores */
    assert_int_equal(lab_cycles_cold(l, NULL), one_step(10));
    l->target.timing.l2_rate = 2 * 512 / 12.0;
    assert_int_equal(lab_cycles_cold(l, NULL), one_step(12));
    l->target.timing.l2_shared = 0.5; /* both read the same A: cA 24, cB 12 */
    assert_int_equal(lab_cycles_cold(l, NULL), 24 + 12 + 7 + 20 + 30);
}

/* --- cube, Fixpipe, launch ------------------------------------------------------- */

static void fixpipe(void **state)
{
    struct lab *l = *state;
    struct target_timing *p = &l->target.timing;
    program(l, 1, 1, 1);
    p->fixpipe_issue = 4;
    assert_int_equal(lab_cycles(l, NULL), 81);
    p->fixpipe_unaligned = 2; /* rows of C are 32 B apart */
    assert_int_equal(lab_cycles(l, NULL), 81);
    l->problem.c.ld = 17; /* 34 B */
    assert_int_equal(lab_cycles(l, NULL), 81 + 32);
    l->problem.c.dtype = DTYPE_FLOAT; /* twice the bytes; 68 B */
    assert_int_equal(lab_cycles(l, NULL), 81 + 32 + 30);
}

/* Rates are of the left operand's type; int8 has 32 elements in a fractal row. */
static void rates(void **state)
{
    struct lab *l = *state;
    program(l, 1, 1, 2);
    l->problem.a.dtype = l->problem.b.dtype = DTYPE_INT8;
    l->problem.c.dtype = DTYPE_INT32;
    l->problem.M = l->problem.N = 32;
    l->tiling.baseM = l->tiling.baseN = l->tiling.baseK = 32;
    l->target.rate[DTYPE_INT8] = 32 * 32 * 32 / 40.0;
    /* 1024 B each: cA 0-20, cB 20-40; lA 20-34, lB 40-54; M 54-94; C 4096 B: 240. */
    assert_int_equal(lab_cycles(l, NULL), 94 + 240);
}

/* A float problem that asks for HF32 takes that rate where the target has one, and says so. */
static void hf32(void **state)
{
    struct lab *l = *state;
    struct strbuf why;
    program(l, 1, 1, 2);
    l->problem.a.dtype = l->problem.b.dtype = l->problem.c.dtype = DTYPE_FLOAT;
    l->tiling.baseK = 8;
    l->problem.K = 8;
    l->target.rate[DTYPE_FLOAT] = 16 * 16 * 8 / 40.0;
    l->target.rate_hf32 = 16 * 16 * 8 / 20.0;
    const int64_t plain = lab_cycles(l, NULL);
    l->problem.hf32 = true;
    assert_int_equal(lab_cycles(l, NULL), plain - 20);
    strbuf_init(&why);
    timing_unvalidated(&l->schedule, &why);
    assert_non_null(strstr(strbuf_cstr(&why), "hf32"));
    strbuf_fini(&why);
    l->target.rate_hf32 = 0;
    assert_int_equal(lab_cycles(l, NULL), plain);
}

static void launch(void **state)
{
    struct lab *l = *state;
    struct target_timing *p = &l->target.timing;
    program(l, 1, 1, 1);
    l->target.ghz = 1;
    l->target.cores = 3;
    p->head_us = 1;
    p->head_cores_us = 4;
    p->init_us = 2;
    p->init_api_us = 3;
    p->mix_us = 5;
    assert_int_equal(lab_cycles(l, NULL), 77 + 1000 + 2000);
    l->tiling.api = API_HIGH;
    assert_int_equal(lab_cycles(l, NULL), 77 + 1000 + 3000);
    l->tiling.kernel = KERNEL_MIX;
    assert_int_equal(lab_cycles(l, NULL), 77 + 6000 + 3000);
    l->problem.M = 32; /* a second core of three */
    l->tiling.usedCoreNum = 2;
    assert_int_equal(lab_cycles(l, NULL), 77 + 8000 + 3000);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, lab_setup, lab_teardown)
    const struct CMUnitTest tests[] = {
        TEST(steps_of_a_chunk),  TEST(groups),       TEST(full_load),  TEST(resident),     TEST(split_k),
        TEST(shuffle_k),         TEST(gemv),         TEST(row_copy),   TEST(batches),      TEST(tile_barrier),
        TEST(assignment),        TEST(load_calls),   TEST(contention), TEST(widths),       TEST(rows),
        TEST(issue_and_latency), TEST(plain_copies), TEST(cold_bytes), TEST(second_touch), TEST(write_back),
        TEST(l2_rate),           TEST(fixpipe),      TEST(rates),      TEST(hf32),         TEST(launch),
        TEST(overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
