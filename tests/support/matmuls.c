#include "support/matmuls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "isa/legality.h"

void matmul_problem(const struct matmul_kind *kind, int64_t m, int64_t n, int64_t k, struct problem *p)
{
    const struct mmad_triple *x = kind->triple;
    memset(p, 0, sizeof *p);
    p->name = "test";
    p->M = m, p->N = n, p->K = k;
    p->a = (struct operand){
        .dtype = (enum dtype)x->a, .mx = x->mx, .transpose = kind->trans_a, .format = kind->format_a};
    p->b = (struct operand){
        .dtype = (enum dtype)x->b, .mx = x->mx, .transpose = kind->trans_b, .format = kind->format_b};
    p->c.dtype = (enum dtype)x->c;
    p->scale_a.dtype = p->scale_b.dtype = x->mx ? DTYPE_E8M0 : DTYPE_NONE;
    p->seed = (uint64_t)(m * 31 + n * 7 + k);
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
}

static bool needs_zz(const struct matmul_kind *kind, enum tiling_load load, uint8_t dtype)
{
    return load == LOAD_TRANSPOSE && kind->target->arch != 3510 && dtype_info((enum dtype)dtype)->bits == 32;
}

void matmul_tiling(const struct matmul_kind *kind, struct tiling *t)
{
    tiling_all_auto(t);
    t->baseM = 64, t->baseN = 64, t->baseK = 64;
    t->stepKa = 1, t->stepKb = 2;
    t->dbA1 = t->dbB1 = 2;
    t->loadA = (int32_t)kind->load_a;
    t->loadB = (int32_t)kind->load_b;
    if (needs_zz(kind, kind->load_a, kind->triple->a)) {
        t->baseK = 16;
    }
    if (needs_zz(kind, kind->load_b, kind->triple->b)) {
        t->baseN = 16;
    }
    t->usedCoreNum = (int32_t)min_i64(3, kind->target->cores);
    t->assign = ASSIGN_BLOCKS;
    t->order = ORDER_LINEAR;
}

bool matmul_schedule(const struct target *target, const struct problem *p, const struct tiling *t, struct schedule *s,
                     struct infeasible *why)
{
    struct tiling full = *t;
    struct plan plan;
    tiling_resolve(target, p, &full, why);
    if (why->reason != REASON_NONE || !plan_make(target, p, &full, &plan, why)) {
        return false;
    }
    assert_int_equal(schedule_init(s, target, p, &full, &plan, NULL), STATUS_OK);
    return true;
}

static int check_legality(void *ctx, struct insn *insns, int count, int cap)
{
    const struct target *target = ctx;
    (void)cap;
    for (int i = 0; i < count; i++) {
        struct violations v = {0};
        legality_check(&insns[i], target, NULL, &v);
        if (v.errors > 0) {
            struct strbuf text;
            strbuf_init(&text);
            insn_format(&insns[i], &text);
            for (size_t j = 0; j < v.count; j++) {
                strbuf_add(&text, "\n");
                violation_format(&v.v[j], &text);
            }
            fail_msg("%s", strbuf_cstr(&text));
        }
    }
    return count;
}

static void expect_level(struct verify *v, const struct schedule *s, enum verify_level level)
{
    struct verify_outcome out;
    struct diag d;
    diag_init(&d);
    assert_int_equal(verify_schedule(v, s, level, &out, &d), STATUS_OK);
    if (!out.ok) {
        struct strbuf text;
        strbuf_init(&text);
        diag_render(&d, &text);
        point_print(s);
        fail_msg("%s", strbuf_cstr(&text));
    }
    assert_int_equal(out.elems, s->problem->M * s->problem->N * s->problem->batch);
    diag_fini(&d);
}

void matmul_expect_right(struct verify *v, const struct schedule *s, bool legality)
{
    verify_set_tamper(v, legality ? check_legality : NULL, (void *)(uintptr_t)s->target);
    expect_level(v, s, VERIFY_FULL);
    verify_set_tamper(v, NULL, NULL);
    expect_level(v, s, VERIFY_CLASSES);
}
