/* LoadData 3D with repeats (SetLoadDataRepeat): the block of A cut into row or
 * column blocks that the instruction appends gives the same bytes as one block.
 * The program stays right with each of its loads replaced so; with a repeat
 * stride that is off by one it is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "engine/verify.h"
#include "support/convs.h"
#include "support/points.h"

#define SEED  977
#define CASES 80

struct cut {
    uint8_t mode;
    int off, loads; /* added to the stride; loads that were cut */
};

/* The least divisor above 1; 1 for 1. */
static int64_t parts_of(int64_t n)
{
    int64_t d = 2;
    while (d < n && n % d != 0) {
        d++;
    }
    return n < 2 ? 1 : d;
}

static int cut_loads(void *ctx, struct insn *insns, int count, int cap)
{
    struct cut *c = ctx;
    (void)cap;
    for (int i = 0; i < count; i++) {
        struct load_3d_params *p = &insns[i].p.load_3d;
        if (insns[i].op != OP_LOAD_3D && insns[i].op != OP_LOAD_3D_STRIDE) {
            continue;
        }
        const int64_t unit = c->mode == 0 ? 16 : dtype_c0((enum dtype)insns[i].dtype);
        const int64_t blocks = (c->mode == 0 ? p->mExtension : p->kExtension) / unit, parts = parts_of(blocks);
        if (parts == 1 || parts > 255) {
            continue;
        }
        p->repeatMode = c->mode;
        p->repeatTime = (uint8_t)parts;
        p->repeatStride = (uint16_t)(blocks / parts + c->off);
        if (c->mode == 0) {
            p->mExtension = (uint16_t)(blocks / parts * unit);
        } else {
            p->kExtension = (uint16_t)(blocks / parts * unit);
        }
        c->loads++;
    }
    return count;
}

static bool right(struct verify *v, const struct schedule *s, struct cut *c)
{
    struct verify_outcome out;
    struct diag d;
    diag_init(&d);
    verify_set_tamper(v, cut_loads, c);
    assert_int_equal(verify_schedule(v, s, VERIFY_FULL, &out, &d), STATUS_OK);
    diag_fini(&d);
    return out.ok;
}

static void test_repeats(void **state)
{
    (void)state;
    struct arena arena;
    struct verify *v;
    arena_init(&arena);
    assert_int_equal(verify_create(NULL, &v), STATUS_OK);
    const struct target *targets[2] = {point_target("ascend910b1", &arena), point_target("ascend950pr_9589", &arena)};
    struct rng rng = rng_init(SEED);
    int cut_cases = 0, seen = 0;
    print_message("seed %d\n", SEED);
    for (int i = 0; i < CASES; i++) {
        struct problem p;
        struct schedule s;
        conv_random(targets[i % 2], 3000000, &rng, &p, &s);
        struct cut good = {.mode = (uint8_t)(i / 2 % 2)}, bad = {.mode = good.mode, .off = 1};
        if (!right(v, &s, &good)) {
            conv_print(&s);
            fail_msg("repeats of mode %d load other bytes", good.mode);
        }
        if (good.loads > 0) {
            cut_cases++;
            seen += !right(v, &s, &bad);
        }
    }
    print_message("%d cases with repeats, %d of them see a wrong stride\n", cut_cases, seen);
    assert_in_range(cut_cases, CASES / 2, CASES);
    assert_in_range(seen, cut_cases * 3 / 4, cut_cases);
    verify_destroy(v);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_repeats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
