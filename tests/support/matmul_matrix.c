/* The walk over all kinds of matmul. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "support/matmuls.h"

/* One target of each product. Kinds: 4 formats for each pair of loads that
 * kernel_rules 4 and semantics 3 have, over the transposes and dtype triples of
 * kernel_rules 3.1. For A2, loads of A n, A t and of B n, B t:
 *   int4 2, - and 1, 1; int8 2, 1 and 1, 1; b16 (two triples) 2, 3 and 3, 1;
 *   float 2, 2 and 2, 1: (2*2 + 3*2 + 2 * 5*4 + 4*3) * 4 = 248. */
static const struct {
    const char *name;
    int kinds;
    bool runs; /* results leave by Fixpipe */
} TARGETS[] = {{"ascend910b1", 248, true}, {"ascend950pr_9589", 776, true}, {"ascend910_9391", 248, true},
               {"ascend310b1", 236, true}, {"kirin_x90", 88, true},         {"kirin_9030", 16, true},
               {"ascend310p3", 48, false}, {"ascend910a", 20, false}};
#define TARGET_COUNT (int)(sizeof TARGETS / sizeof TARGETS[0])

static const int64_t SHAPES[2][3][3] = {{{40, 70, 50}, {64, 64, 64}, {130, 200, 258}},
                                        {{128, 256, 512}, {40, 192, 50}, {48, 96, 33}}}; /* MX */

#define REASONS 32

struct walk {
    struct verify *v;
    int stride, number; /* of kinds so far */
    int kinds, run, left_out;
    struct {
        char text[128];
        int count;
    } reasons[REASONS];
    int reason_count;
};

static void leave_out(struct walk *w, const struct infeasible *why, const struct tiling *t)
{
    struct strbuf text;
    int i = 0;
    strbuf_init(&text);
    infeasible_text(why, t, &text);
    while (i < w->reason_count && strncmp(w->reasons[i].text, strbuf_cstr(&text), sizeof w->reasons[i].text - 1) != 0) {
        i++;
    }
    assert_true(i < REASONS);
    if (i == w->reason_count) {
        strncpy(w->reasons[w->reason_count++].text, strbuf_cstr(&text), sizeof w->reasons[i].text - 1);
    }
    w->reasons[i].count++;
    w->left_out++;
    strbuf_fini(&text);
}

/* What must be left out, told from the documents alone. */
static bool documents_forbid(const struct matmul_kind *kind, const struct problem *p)
{
    const bool b4 = dtype_info((enum dtype)kind->triple->a)->bits == 4;
    const bool odd = p->a.cols % 2 != 0 || p->b.cols % 2 != 0 || (kind->triple->a == DTYPE_INT4 && p->K % 2 != 0);
    const enum product product = kind->target->product;
    /* kernel_rules 7: no Fixpipe. */
    return (b4 && odd) || product == PRODUCT_ASCEND310P || product == PRODUCT_ASCEND910 ||
           kind->triple->c == DTYPE_HALF;
}

/* An Nz operand that WithTranspose of b32 on 2201 would have to find as Zz. */
static bool zz_from_nz(const struct matmul_kind *kind)
{
    const bool b32 = dtype_info((enum dtype)kind->triple->a)->bits == 32 && kind->target->arch != 3510;
    return b32 && kind->load_b == LOAD_TRANSPOSE && kind->format_b == LAYOUT_NZ;
}

static void run_kind(struct walk *w, const struct matmul_kind *kind)
{
    w->kinds++;
    if (w->number++ % w->stride != 0) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        const int64_t *shape = SHAPES[kind->triple->mx][i];
        struct problem p;
        struct schedule s;
        struct tiling t;
        struct infeasible why;
        matmul_problem(kind, shape[0], shape[1], shape[2], &p);
        matmul_tiling(kind, &t);
        if (matmul_schedule(kind->target, &p, &t, &s, &why)) {
            matmul_expect_right(w->v, &s, i == 0);
            w->run++;
        } else {
            leave_out(w, &why, &t);
            assert_true(documents_forbid(kind, &p) || zz_from_nz(kind));
        }
    }
}

/* Instructions of a load that the documents' tables have for the operand. */
static bool documented(const struct matmul_kind *kind, enum role role, int load)
{
    static const enum op ops[] = {OP_NOP,        OP_LOAD_2D,        OP_LOAD_TRANSPOSE, OP_LOAD_3D,
                                  OP_LOAD_2D_V2, OP_LOAD_3D_STRIDE, OP_LOAD_MX};
    const enum path path = role == ROLE_A ? PATH_L1_L0A : PATH_L1_L0B;
    const enum dtype dtype = (enum dtype)(role == ROLE_A ? kind->triple->a : kind->triple->b);
    return support_find(ops[load], false, kind->target->product, path, dtype) == SUPPORT_OK ||
           support_find(OP_LOAD_TRANSPOSE_V2, load == LOAD_TRANSPOSE, kind->target->product, path, dtype) == SUPPORT_OK;
}

static void run_loads(struct walk *w, struct matmul_kind *kind)
{
    struct problem p;
    matmul_problem(kind, 64, 64, 64, &p);
    for (int a = LOAD_AUTO_NONE + 1; a <= LOAD_MX; a++) {
        for (int b = LOAD_AUTO_NONE + 1; b <= LOAD_MX; b++) {
            if (load_offered(kind->target, &p, ROLE_A, (enum tiling_load)a) &&
                load_offered(kind->target, &p, ROLE_B, (enum tiling_load)b)) {
                assert_true(documented(kind, ROLE_A, a) && documented(kind, ROLE_B, b));
                kind->load_a = (enum tiling_load)a, kind->load_b = (enum tiling_load)b;
                run_kind(w, kind);
            }
        }
    }
}

static void run_target(struct walk *w, const struct target *target)
{
    size_t count;
    const struct mmad_triple *triples = mmad_triples(&count);
    for (size_t i = 0; i < count; i++) {
        for (int bits = 0; bits < 16 && (triples[i].products >> target->product & 1U) != 0; bits++) {
            struct matmul_kind kind = {.target = target,
                                       .triple = &triples[i],
                                       .trans_a = bits & 1,
                                       .trans_b = bits & 2,
                                       .format_a = bits & 4 ? LAYOUT_NZ : LAYOUT_ND,
                                       .format_b = bits & 8 ? LAYOUT_NZ : LAYOUT_ND};
            run_loads(w, &kind);
        }
    }
}

void matmul_matrix(int stride)
{
    struct arena arena;
    arena_init(&arena);
    for (int i = 0; i < TARGET_COUNT; i++) {
        struct walk w = {.stride = stride, .number = i};
        assert_int_equal(verify_create(NULL, &w.v), STATUS_OK);
        run_target(&w, point_target(TARGETS[i].name, &arena));
        verify_destroy(w.v);
        print_message("%s: %d kinds; %d points run, %d left out\n", TARGETS[i].name, w.kinds, w.run, w.left_out);
        for (int r = 0; r < w.reason_count; r++) {
            print_message("  %4d: %s\n", w.reasons[r].count, w.reasons[r].text);
        }
        assert_int_equal(w.kinds, TARGETS[i].kinds);
        assert_true(TARGETS[i].runs ? w.run > 0 : w.run == 0);
    }
    arena_fini(&arena);
}
