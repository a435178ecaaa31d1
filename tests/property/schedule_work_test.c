/* step_work is the sum over the instructions of the step, on every step of 100
 * random schedules; bytes, MACs and stores are conserved over each schedule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "isa/footprint.h"
#include "support/points.h"

#define SEED      20260101
#define SCHEDULES 100

/* Bytes of `n` elements of a copy, which counts b4 in bytes. */
static int64_t copy_bytes(const struct insn *i, int64_t n)
{
    return dtype_info((enum dtype)i->dtype)->bits == 4 ? n : dtype_bytes((enum dtype)i->dtype, n);
}

/* What the instructions say, by the documents' parameters alone. */
static void add_insn(const struct schedule *s, const struct insn *i, struct step_work *w)
{
    const bool nd = (i->role == ROLE_A ? s->problem->a.format : s->problem->b.format) == LAYOUT_ND;
    const int64_t block = 512, arch3510 = s->target->arch == 3510;
    switch ((enum op)i->op) {
    case OP_ND2NZ:
        w->insns[PIPE_MTE2]++;
        w->copies[i->role]++;
        w->rows[i->role] += (int32_t)(i->p.nd2nz.ndNum * i->p.nd2nz.nValue);
        w->row_bytes[i->role] = (int32_t)copy_bytes(i, i->p.nd2nz.dValue);
        w->bytes[PATH_GM_L1] += i->p.nd2nz.ndNum * i->p.nd2nz.nValue * copy_bytes(i, i->p.nd2nz.dValue);
        break;
    case OP_DN2NZ: /* a memory row is a column of the image */
        w->insns[PIPE_MTE2]++;
        w->copies[i->role]++;
        w->rows[i->role] += (int32_t)i->p.dn2nz.dValue;
        w->row_bytes[i->role] = (int32_t)copy_bytes(i, i->p.dn2nz.nValue);
        w->bytes[PATH_GM_L1] += i->p.dn2nz.dValue * copy_bytes(i, i->p.dn2nz.nValue);
        break;
    case OP_FILL:
        w->insns[PIPE_MTE2]++;
        w->fills[i->role]++;
        w->fill_bytes += (int64_t)i->p.fill.repeatTimes * i->p.fill.blockNum * 32;
        break;
    case OP_DATA_COPY:
        w->insns[PIPE_MTE2]++;
        w->copies[i->role]++;
        if (nd) { /* one row */
            w->rows[i->role]++;
            w->row_bytes[i->role] = (int32_t)i->p.copy.blockCount * 32;
        } else {
            w->rows[i->role] = (int32_t)i->p.copy.blockLen;
            w->row_bytes[i->role] += (int32_t)i->p.copy.blockCount * 32;
        }
        w->bytes[PATH_GM_L1] += (int64_t)i->p.copy.blockCount * i->p.copy.blockLen * 32;
        break;
    case OP_LOAD_2D:
    case OP_LOAD_TRANSPOSE:
    case OP_LOAD_TRANSPOSE_V2:
        w->insns[PIPE_MTE1]++;
        w->calls[i->role]++;
        w->bytes[i->role == ROLE_A ? PATH_L1_L0A : PATH_L1_L0B] +=
            block * (i->op == OP_LOAD_2D ? i->p.load_2d.repeatTimes
                                         : i->p.transpose.repeatTimes * square_fractals((enum dtype)i->dtype));
        break;
    case OP_LOAD_MX:
        w->bytes[i->role == ROLE_A ? PATH_L1_L0A_MX : PATH_L1_L0B_MX] += 32 * i->p.load_mx.xStep * i->p.load_mx.yStep;
        w->insns[PIPE_MTE1]++;
        w->calls[i->role]++;
        w->bytes[i->role == ROLE_A ? PATH_L1_L0A : PATH_L1_L0B] += block * i->p.load_mx.data.mStep *
                                                                   i->p.load_mx.data.kStep;
        break;
    case OP_L1_TO_BT:
        w->insns[PIPE_MTE1]++;
        w->calls[i->role]++;
        w->bytes[PATH_L1_BT] += i->p.copy.blockLen * (arch3510 ? 32 : 64);
        break;
    case OP_L1_TO_FB:
        w->insns[PIPE_FIX]++;
        w->calls[i->role]++;
        w->bytes[PATH_L1_FB] += i->p.copy.blockLen * (arch3510 ? 64 : 128);
        break;
    case OP_LOAD_2D_V2:
        w->insns[PIPE_MTE1]++;
        w->calls[i->role]++;
        w->bytes[i->role == ROLE_A ? PATH_L1_L0A : PATH_L1_L0B] += block * i->p.load_2d_v2.mStep *
                                                                   i->p.load_2d_v2.kStep;
        break;
    case OP_LOAD_3D:
    case OP_LOAD_3D_STRIDE:
        w->insns[PIPE_MTE1]++;
        w->calls[i->role]++;
        w->bytes[i->role == ROLE_A ? PATH_L1_L0A : PATH_L1_L0B] += dtype_bytes(
            (enum dtype)i->dtype, (int64_t)i->p.load_3d.mExtension * i->p.load_3d.kExtension);
        break;
    case OP_MMAD:
    case OP_MMAD_MX:
        w->insns[PIPE_M]++;
        w->frac_m = (i->p.mmad.m + 15) / 16;
        w->frac_n = (i->p.mmad.n + 15) / 16;
        w->frac_k = (int32_t)ceil_div(i->p.mmad.k, dtype_c0((enum dtype)i->dtype));
        break;
    case OP_FIXPIPE:
        w->insns[PIPE_FIX]++;
        w->store_m = i->p.fixpipe.mSize;
        w->store_n = i->p.fixpipe.nSize;
        w->bytes[PATH_L0C_GM] += dtype_bytes((enum dtype)i->p.fixpipe.dstType,
                                             (int64_t)i->p.fixpipe.mSize * i->p.fixpipe.nSize);
        break;
    case OP_PIPE_BARRIER:
        w->mmad_barrier |= i->p.barrier.pipe == PIPE_M;
        break;
    case OP_SET_FLAG:
    case OP_WAIT_FLAG:
        break;
    default:
        fail_msg("instruction %s is not summed by this test", op_name((enum op)i->op));
    }
}

static void check_step(const struct schedule *s, int32_t core, int64_t i, struct insn *insns, struct step_work *total)
{
    struct step step;
    struct step_work want, got;
    memset(&want, 0, sizeof want);
    schedule_step_at(s, core, i, &step);
    schedule_step_work(s, &step, &got);
    const int n = schedule_expand(s, &step, insns);
    assert_in_range(n, 1, schedule_expand_max(s));
    for (int j = 0; j < n; j++) {
        assert_int_equal(insns[j].step, (uint32_t)i);
        add_insn(s, &insns[j], &want);
    }
    /* Known from the tile only, not from an instruction. */
    want.macs = (int64_t)step.tile.m * step.tile.n * step.k;
    memcpy(want.chunk_k, got.chunk_k, sizeof want.chunk_k);
    if (memcmp(&want, &got, sizeof want) != 0) {
        point_print(s);
        fail_msg("core %d step %d: step_work is not the sum of its instructions", core, (int)i);
    }
    total->macs += got.macs;
    for (int p = 0; p < PATH_N; p++) {
        total->bytes[p] += got.bytes[p];
    }
}

static void check_schedule(const struct schedule *s)
{
    struct insn *insns = calloc((size_t)schedule_expand_max(s), sizeof *insns);
    struct step_work total;
    struct schedule_totals closed;
    uint64_t steps = 0;
    memset(&total, 0, sizeof total);
    for (int32_t core = 0; core < s->cores; core++) {
        for (int64_t i = 0; i < schedule_steps(s, core); i++, steps++) {
            check_step(s, core, i, insns, &total);
        }
    }
    schedule_totals(s, &closed);
    assert_int_equal(closed.steps, steps);
    assert_int_equal(closed.macs, total.macs);
    assert_memory_equal(closed.bytes, total.bytes, sizeof total.bytes);
    /* Conservation: every product once, every element of C once. */
    assert_int_equal(total.macs, problem_macs(s->problem));
    const enum dtype stored = s->t.splitKReduce == REDUCE_WORKSPACE ? DTYPE_FLOAT : s->problem->c.dtype;
    assert_int_equal(total.bytes[PATH_L0C_GM],
                     dtype_bytes(stored, s->problem->M * s->problem->N) * s->problem->batch * s->t.splitK);
    free(insns);
}

static void random_sums(bool dtypes)
{
    struct arena arena;
    arena_init(&arena);
    const struct target *targets[] = {point_target("ascend910b1", &arena), point_target("ascend950pr_9589", &arena)};
    const struct point_limits limits = {.max_m = 700,
                                        .max_n = 700,
                                        .max_k = 700,
                                        .max_macs = 40000000,
                                        .transposes = true,
                                        .nz = true,
                                        .variants = true,
                                        .dtypes = dtypes};
    struct rng rng = rng_init(SEED + dtypes);
    print_message("seed %d\n", SEED);
    for (int i = 0; i < SCHEDULES; i++) {
        struct problem p;
        struct schedule s;
        point_random(targets[i % 2], &limits, &rng, &p, &s);
        check_schedule(&s);
    }
    arena_fini(&arena);
}

static void test_sums(void **state)
{
    (void)state;
    random_sums(false);
}

static void test_sums_of_dtypes(void **state)
{
    (void)state;
    random_sums(true);
}

/* A pitch beyond 16 bits becomes one copy a row on 2201, not on 3510. */
static void test_wide_pitch(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    static const struct {
        const char *target;
        int64_t ld;
        bool rows;
    } cases[] = {{"ascend910b1", 65535, false}, {"ascend910b1", 65536, true}, {"ascend950pr_9589", 65536, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct problem p;
        struct schedule s;
        struct tiling t;
        struct step step;
        struct step_work w;
        point_problem(&p, 48, 32, 64, false, true);
        p.a.ld = cases[i].ld;
        tiling_all_auto(&t);
        point_schedule(point_target(cases[i].target, &arena), &p, &t, &s);
        schedule_step_at(&s, 0, 0, &step);
        schedule_step_work(&s, &step, &w);
        assert_int_equal(w.copies[ROLE_A], cases[i].rows ? step.tile.m : 1);
        assert_int_equal(w.copies[ROLE_B], 1);
        check_schedule(&s);
    }
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_sums_of_dtypes),
                                       cmocka_unit_test(test_wide_pitch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
