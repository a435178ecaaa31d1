/* What each knob changes in the instruction stream, stated by hand: forms of
 * copies, order of operands, residency, K order, mode registers, tile orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/points.h"

#define ROOM 4096

struct fixture {
    struct arena arena;
    const struct target *b1, *pr;
    struct insn *insns;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    arena_init(&f->arena);
    f->b1 = point_target("ascend910b1", &f->arena);
    f->pr = point_target("ascend950pr_9589", &f->arena);
    f->insns = calloc(ROOM, sizeof *f->insns);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    free(f->insns);
    arena_fini(&f->arena);
    free(f);
    return 0;
}

static void make(const struct target *target, struct problem *p, const struct tiling *t, struct schedule *s)
{
    struct tiling full = *t;
    point_schedule(target, p, &full, s);
    assert_true(schedule_expand_max(s) <= ROOM);
}

static int expand(struct fixture *f, const struct schedule *s, int32_t core, int64_t i, struct step *step)
{
    schedule_step_at(s, core, i, step);
    return schedule_expand(s, step, f->insns);
}

static int count(const struct insn *insns, int n, enum op op, enum role role)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        found += insns[i].op == op && insns[i].role == role;
    }
    return found;
}

static const struct insn *first(const struct insn *insns, int n, enum op op, enum role role)
{
    for (int i = 0; i < n; i++) {
        if (insns[i].op == op && insns[i].role == role) {
            return &insns[i];
        }
    }
    return NULL;
}

/* rowCopy: one DataCopy a row, C0 columns apart by the image's height. */
static void test_row_copy(void **state)
{
    struct fixture *f = *state;
    struct problem p;
    struct tiling t;
    struct schedule s;
    struct step step;
    point_problem(&p, 5, 32, 64, false, true);
    tiling_all_auto(&t);
    t.rowCopy = 1, t.baseM = 16, t.baseK = 32, t.stepKa = 2;
    make(f->b1, &p, &t, &s);
    const int n = expand(f, &s, 0, 0, &step);
    assert_int_equal(count(f->insns, n, OP_DATA_COPY, ROLE_A), 5);
    assert_int_equal(count(f->insns, n, OP_ND2NZ, ROLE_A), 0);
    assert_int_equal(count(f->insns, n, OP_ND2NZ, ROLE_B), 1);
    const struct insn *row = first(f->insns, n, OP_DATA_COPY, ROLE_A);
    for (int r = 0; r < 5; r++, row++) {
        assert_int_equal(row->p.copy.blockCount, 4); /* 64 elements of 16 a block */
        assert_int_equal(row->p.copy.blockLen, 1);
        assert_int_equal(row->p.copy.srcGap, 0);
        assert_int_equal(row->p.copy.dstGap, 15); /* image of 16 rows */
        assert_int_equal(row->src.byte, r * 128);
        assert_int_equal(row->dst.byte, r * 32);
    }
    /* 17 rows are too many, 60 columns would run past the row. */
    point_problem(&p, 17, 32, 64, false, true);
    t.baseM = 32;
    make(f->b1, &p, &t, &s);
    assert_int_equal(count(f->insns, expand(f, &s, 0, 0, &step), OP_ND2NZ, ROLE_A), 1);
    point_problem(&p, 5, 32, 60, false, true);
    t.baseM = 16;
    make(f->b1, &p, &t, &s);
    assert_int_equal(count(f->insns, expand(f, &s, 0, 0, &step), OP_ND2NZ, ROLE_A), 1);
}

/* loadRepeat: lines of fractals behind each other in L1 and L0 are one instruction. */
static void test_load_repeat(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int32_t n, base_n, step_n, base_k, calls, repeat;
    } cases[] = {
        {128, 128, 1, 64, 1, 32},   /* 4 lines of 8 */
        {256, 256, 1, 112, 1, 112}, /* 7 lines of 16 */
        {256, 128, 2, 64, 4, 8},    /* L1 holds two base blocks: lines lie apart */
        {128, 128, 1, 256, 1, 128}, {16, 16, 1, 64, 1, 4},
        {32, 16, 2, 64, 1, 4}, /* lines of one fractal: srcStride goes from line to line */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct problem p;
        struct tiling t;
        struct schedule s;
        struct step step;
        point_problem(&p, 16, cases[i].n, 576, false, true);
        tiling_all_auto(&t);
        t.baseM = 16, t.baseN = cases[i].base_n, t.baseK = cases[i].base_k, t.stepKa = 1, t.stepKb = 1;
        t.stepN = cases[i].step_n, t.loadB = LOAD_2D, t.loadRepeat = 1, t.dbL0A = t.dbL0B = t.dbB1 = 1;
        if (cases[i].step_n > 1) {
            t.stepKb = 576 / cases[i].base_k;
        }
        make(f->b1, &p, &t, &s);
        const int n = expand(f, &s, 0, 0, &step);
        const struct insn *load = first(f->insns, n, OP_LOAD_2D, ROLE_B);
        assert_int_equal(count(f->insns, n, OP_LOAD_2D, ROLE_B), cases[i].calls);
        assert_int_equal(load->p.load_2d.repeatTimes, cases[i].repeat);
        assert_int_equal(load->p.load_2d.srcStride, cases[i].n == 32 ? 2 : 1);
        /* The same bytes in fewer instructions, each of which costs its issue. */
        struct schedule plain = s;
        struct schedule_totals more, less;
        plain.t.loadRepeat = 0;
        schedule_totals(&s, &less);
        schedule_totals(&plain, &more);
        assert_memory_equal(more.bytes, less.bytes, sizeof more.bytes);
        assert_true(cases[i].calls < cases[i].base_k / 16 ? less.insns < more.insns : less.insns == more.insns);
    }
}

/* A pitch of 65536 elements does not fit srcDValue on 2201. */
static void test_wide_pitch(void **state)
{
    struct fixture *f = *state;
    struct problem p;
    struct tiling t;
    struct schedule s;
    struct step step;
    point_problem(&p, 7, 32, 64, false, true);
    p.a.ld = 65536;
    tiling_all_auto(&t);
    make(f->b1, &p, &t, &s);
    const int n = expand(f, &s, 0, 0, &step);
    assert_int_equal(count(f->insns, n, OP_ND2NZ, ROLE_A), 7);
    const struct insn *row = first(f->insns, n, OP_ND2NZ, ROLE_A);
    for (int r = 0; r < 7; r++, row++) {
        assert_int_equal(row->p.nd2nz.nValue, 1);
        assert_int_equal(row->src.byte, (int64_t)r * 131072);
        assert_int_equal(row->dst.byte, r * 32);
    }
    make(f->pr, &p, &t, &s);
    assert_int_equal(count(f->insns, expand(f, &s, 0, 0, &step), OP_ND2NZ, ROLE_A), 1);
}

static void test_copy_first(void **state)
{
    struct fixture *f = *state;
    struct problem p;
    struct tiling t;
    struct schedule s;
    struct step step;
    point_problem(&p, 32, 32, 64, false, true);
    for (int32_t b_first = 0; b_first < 2; b_first++) {
        tiling_all_auto(&t);
        t.copyFirst = b_first;
        make(f->b1, &p, &t, &s);
        const int n = expand(f, &s, 0, 0, &step);
        assert_int_equal(first(f->insns, n, OP_ND2NZ, ROLE_A) > first(f->insns, n, OP_ND2NZ, ROLE_B), b_first);
    }
}

/* UnitFlag page: rows first, and back; Mmads keep (2) and hand over (3) the flag. */
static void test_unitflag(void **state)
{
    struct fixture *f = *state;
    struct problem p;
    struct tiling t;
    struct schedule s;
    struct step step;
    point_problem(&p, 32, 32, 96, false, true);
    for (int32_t unitflag = 0; unitflag < 2; unitflag++) {
        tiling_all_auto(&t);
        t.unitflag = unitflag, t.baseK = 32;
        make(f->b1, &p, &t, &s);
        int n = schedule_prologue(&s, 0, f->insns);
        const struct insn *order = first(f->insns, n, OP_SET_MM_ORDER, ROLE_C);
        assert_int_equal(order != NULL, unitflag);
        assert_true(order == NULL || order->p.reg.value == 1);
        n = schedule_epilogue(&s, 0, f->insns);
        order = first(f->insns, n, OP_SET_MM_ORDER, ROLE_C);
        assert_int_equal(order != NULL, unitflag);
        assert_true(order == NULL || order->p.reg.value == 0);
        for (int64_t i = 0; i < 3; i++) {
            n = expand(f, &s, 0, i, &step);
            const int want = unitflag == 0 ? 0 : i == 2 ? 3 : 2;
            assert_int_equal(first(f->insns, n, OP_MMAD, ROLE_C)->p.mmad.unitFlag, want);
        }
        assert_int_equal(first(f->insns, n, OP_FIXPIPE, ROLE_C)->p.fixpipe.unitFlag, unitflag ? 3 : 0);
    }
}

/* One K chunk a tile and two slots: B of the same columns is still there two
 * tiles later, A of other rows is not. */
static void test_resident(void **state)
{
    struct fixture *f = *state;
    struct problem p;
    struct tiling t;
    struct schedule s;
    struct step step;
    point_problem(&p, 64, 16, 32, false, true);
    tiling_all_auto(&t);
    t.l1Resident = 1, t.baseM = 16, t.baseN = 16, t.baseK = 32, t.usedCoreNum = 1;
    t.singleCoreM = 64, t.singleCoreN = 16, t.dbA1 = t.dbB1 = 2;
    make(f->b1, &p, &t, &s);
    for (int64_t tile = 0; tile < 4; tile++) {
        const int n = expand(f, &s, 0, tile, &step);
        assert_int_equal(count(f->insns, n, OP_ND2NZ, ROLE_A), 1);
        assert_int_equal(count(f->insns, n, OP_ND2NZ, ROLE_B), tile < 2);
        /* Flags cycle all the same: both operands' slot and arrival. */
        assert_int_equal(count(f->insns, n, OP_WAIT_FLAG, ROLE_C), 2 + 1 + 2 + 1 + (s.t.unitflag ? 0 : 2));
    }
}

/* Core c starts at the c-th unit of lcm(stepKa, stepKb) steps and wraps; the
 * first step it takes clears, the last stores. */
static void test_shuffle(void **state)
{
    struct fixture *f = *state;
    struct problem p;
    struct tiling t;
    struct schedule s;
    struct step step;
    point_problem(&p, 64, 16, 192, false, true);
    tiling_all_auto(&t);
    t.shuffleK = 1, t.baseM = 16, t.baseN = 16, t.baseK = 32, t.stepKa = 2, t.stepKb = 1;
    t.usedCoreNum = 4, t.singleCoreM = 16, t.singleCoreN = 16;
    make(f->b1, &p, &t, &s);
    static const int32_t k0[4][6] = {
        {0, 32, 64, 96, 128, 160}, {64, 96, 128, 160, 0, 32}, {128, 160, 0, 32, 64, 96}, {0, 32, 64, 96, 128, 160}};
    for (int32_t core = 0; core < 4; core++) {
        for (int64_t i = 0; i < 6; i++) {
            const int n = expand(f, &s, core, i, &step);
            assert_int_equal(step.k0, k0[core][i]);
            assert_int_equal(first(f->insns, n, OP_MMAD, ROLE_C)->p.mmad.cmatrixInitVal, i == 0);
            assert_int_equal(count(f->insns, n, OP_FIXPIPE, ROLE_C), i == 5);
        }
    }
}

/* The first tiles of each order on 3 x 4 tiles, one core, as the documents walk them. */
static void test_orders(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int32_t assign, order, offset, direction, iterate;
        int8_t mn[8][2];
    } cases[] = {
        {ASSIGN_GRID, ORDER_LINEAR, 1, 0, 0, {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}, {0, 2}, {1, 2}}},
        {ASSIGN_GRID, ORDER_LINEAR, 1, 0, 1, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {1, 2}, {1, 3}}},
        {ASSIGN_BLOCKS, ORDER_SWIZZLE, 2, 0, 0, {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}}},
        {ASSIGN_BLOCKS, ORDER_SWIZZLE, 2, 1, 0, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}, {2, 3}}},
        {ASSIGN_BLOCKS, ORDER_ASWT, 1, 0, 0, {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}, {0, 2}, {1, 2}}},
        {ASSIGN_BLOCKS, ORDER_CHUNK, 1, 0, 0, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 3}, {1, 2}, {1, 1}, {1, 0}}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct problem p;
        struct tiling t;
        struct schedule s;
        point_problem(&p, 48, 64, 16, false, true);
        tiling_all_auto(&t);
        t.baseM = 16, t.baseN = 16, t.usedCoreNum = 1, t.assign = cases[c].assign, t.order = cases[c].order;
        t.orderOffset = cases[c].offset, t.orderDirection = cases[c].direction, t.iterateOrder = cases[c].iterate;
        make(f->b1, &p, &t, &s);
        for (int64_t i = 0; i < 8; i++) {
            struct tile tile;
            schedule_tile_at(&s, 0, i, &tile);
            assert_int_equal(tile.m0, 16 * cases[c].mn[i][0]);
            assert_int_equal(tile.n0, 16 * cases[c].mn[i][1]);
        }
    }
}

/* Slices of K go to their own cores; atomic sums are switched on and off. */
static void test_split_k(void **state)
{
    struct fixture *f = *state;
    struct problem p;
    struct tiling t;
    struct schedule s;
    struct tile tile;
    point_problem(&p, 16, 16, 200, false, true);
    p.c.dtype = DTYPE_FLOAT;
    tiling_all_auto(&t);
    t.splitK = 3, t.splitKReduce = REDUCE_ATOMIC, t.singleCoreK = 80, t.baseK = 16;
    make(f->b1, &p, &t, &s);
    static const int32_t k0[3] = {0, 80, 160}, k[3] = {80, 80, 40};
    for (int32_t core = 0; core < 3; core++) {
        schedule_tile_at(&s, core, 0, &tile);
        assert_int_equal(tile.k0, k0[core]);
        assert_int_equal(tile.k, k[core]);
        const struct insn *on = first(f->insns, schedule_prologue(&s, core, f->insns), OP_SET_ATOMIC, ROLE_C);
        assert_non_null(on);
        assert_int_equal(on->p.reg.value, 1);
        const struct insn *off = first(f->insns, schedule_epilogue(&s, core, f->insns), OP_SET_ATOMIC, ROLE_C);
        assert_non_null(off);
        assert_int_equal(off->p.reg.value, 0);
    }
}

/* One row: 16 rows in a Mmad of 2201, disableGemv on 3510; a vector by choice. */
static void test_one_row(void **state)
{
    struct fixture *f = *state;
    struct problem p;
    struct tiling t;
    struct schedule s;
    struct step step;
    point_problem(&p, 1, 32, 512, false, true);
    tiling_all_auto(&t);
    make(f->b1, &p, &t, &s);
    int n = expand(f, &s, 0, 0, &step);
    assert_int_equal(first(f->insns, n, OP_MMAD, ROLE_C)->p.mmad.m, 16);
    make(f->pr, &p, &t, &s);
    n = expand(f, &s, 0, 0, &step);
    assert_int_equal(first(f->insns, n, OP_MMAD, ROLE_C)->p.mmad.m, 1);
    assert_int_equal(first(f->insns, n, OP_MMAD, ROLE_C)->p.mmad.disableGemv, 1);
    t.gemv = 1, t.baseK = 256;
    make(f->b1, &p, &t, &s);
    n = expand(f, &s, 0, 0, &step);
    assert_int_equal(first(f->insns, n, OP_MMAD, ROLE_C)->p.mmad.m, 1);
    assert_int_equal(first(f->insns, n, OP_ND2NZ, ROLE_A)->p.nd2nz.dstNzC0Stride, 1);
    assert_int_equal(first(f->insns, n, OP_LOAD_2D, ROLE_A)->p.load_2d.repeatTimes, 1); /* 256 halves = 512 B */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_copy),   cmocka_unit_test(test_load_repeat), cmocka_unit_test(test_wide_pitch),
        cmocka_unit_test(test_copy_first), cmocka_unit_test(test_unitflag),    cmocka_unit_test(test_resident),
        cmocka_unit_test(test_shuffle),    cmocka_unit_test(test_orders),      cmocka_unit_test(test_split_k),
        cmocka_unit_test(test_one_row),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
