/* Schedules of random points have no race; what is taken out of their order is
 * seen, exactly where an explicit graph of the order says that it matters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "schedule/race.h"
#include "support/mutation.h"
#include "support/order_graph.h"
#include "support/points.h"

#define SEED 20260301

struct fixture {
    struct arena arena;
    const struct target *targets[2];
    struct race *race;
    struct rng rng;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    arena_init(&f->arena);
    f->targets[0] = point_target("ascend910b1", &f->arena);
    f->targets[1] = point_target("ascend950pr_9589", &f->arena);
    f->rng = rng_init(SEED);
    assert_int_equal(race_create(&f->race), STATUS_OK);
    print_message("seed %d\n", SEED);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    race_destroy(f->race);
    arena_fini(&f->arena);
    free(f);
    return 0;
}

static void complain(const struct schedule *s, const struct diag *d, const char *what)
{
    struct strbuf text;
    strbuf_init(&text);
    diag_render(d, &text);
    point_print(s);
    print_error("%s\n", strbuf_cstr(&text));
    strbuf_fini(&text);
    fail_msg("%s", what);
}

/* ---- right schedules ---- */

static void expect_ordered(struct fixture *f, const struct schedule *s)
{
    struct diag d;
    diag_init(&d);
    for (int32_t core = 0; core < s->cores; core++) {
        if (race_check(f->race, s, core, &d) != STATUS_OK) {
            complain(s, &d, "a right schedule is said to race");
        }
        /* What is held in L1 over tiles is loaded and released tiles apart. */
        const bool chunked = s->hold[ROLE_A] == HOLD_CHUNKS && s->hold[ROLE_B] == HOLD_CHUNKS;
        for (int64_t t = 0; chunked && t < schedule_tiles(s, core); t++) {
            if (race_check_tiles(f->race, s, core, t - 2, 3, &d) != STATUS_OK) {
                complain(s, &d, "three tiles of a right schedule are said to race");
            }
        }
    }
    diag_fini(&d);
}

static void test_right_schedules(void **state)
{
    struct fixture *f = *state;
    const struct point_limits limits = {500, 500, 900, 20000000, true, true, true, true, NULL, false};
    for (int i = 0; i < 240; i++) {
        struct problem p;
        struct schedule s;
        point_random(f->targets[i % 2], &limits, &f->rng, &p, &s);
        expect_ordered(f, &s);
    }
}

/* ---- one pair or barrier less ---- */

/* The graph judges a Fill on MTE2 only, the race check on either pipe. */
static bool fills(const struct stream *x)
{
    bool any = false;
    for (size_t i = 0; i < x->count; i++) {
        any = any || x->insns[i].op == OP_FILL;
    }
    return any;
}

/* A point with some steps on a core, whose graph is small enough to be walked often. */
static void small_point(struct fixture *f, int i, struct problem *p, struct schedule *s, struct stream *x)
{
    const struct point_limits limits = {120, 120, 600, 4000000, true, true, true, true, NULL, false};
    for (;;) {
        point_random(f->targets[i % 2], &limits, &f->rng, p, s);
        if (schedule_steps(s, 0) < 6) {
            continue;
        }
        stream_init(x, s);
        if (x->count < 800 && !fills(x)) {
            return;
        }
        stream_fini(x);
    }
}

/* The lists [*from, *to) of the stream are one core's. */
static bool next_core(const struct stream *x, size_t *from, size_t *to)
{
    *from = *to;
    while (*to < x->lists && x->core[*to] == x->core[*from]) {
        ++*to;
    }
    return *from < x->lists;
}

struct verdict {
    bool ordered; /* no collision is unordered, no barrier missing */
    bool other;   /* another rule is broken */
};

static struct verdict checked(struct fixture *f, const struct stream *x)
{
    struct verdict v = {true, false};
    size_t from = 0, to = 0, kept;
    uint64_t total;
    while (next_core(x, &from, &to)) {
        const size_t first = x->list[from];
        (void)race_check_list(f->race, x->s->target, x->insns + first, x->list[to] - first, NULL);
        const struct race_violation *list = race_violations(f->race, &kept, &total);
        for (size_t i = 0; i < kept; i++) {
            const bool collision = list[i].kind == RACE_UNORDERED || list[i].kind == RACE_BARRIER;
            v.ordered = v.ordered && !collision;
            v.other = v.other || !collision;
        }
    }
    return v;
}

static bool graph_holds(const struct stream *x)
{
    bool holds = true;
    for (size_t from = 0, to = 0; holds && next_core(x, &from, &to);) {
        const size_t first = x->list[from];
        holds = order_graph_holds(x->s->target, x->insns + first, x->list[to] - first, NULL, NULL);
    }
    return holds;
}

struct removed {
    size_t tried, reported, implied;
};

/* Removes one instruction pair or barrier; both judges must agree. */
static void try_one(struct fixture *f, const struct stream *right, const struct mutation *m, struct stream *mutated,
                    struct removed *count)
{
    mutation_apply(right, m, mutated);
    const struct verdict v = checked(f, mutated);
    const bool holds = graph_holds(mutated);
    count->tried++;
    count->reported += !v.ordered || v.other;
    count->implied += v.ordered && !v.other;
    if (v.ordered != holds) {
        struct strbuf text;
        strbuf_init(&text);
        mutation_text(right, m, &text);
        point_print(right->s);
        fail_msg("%s: the race check says %s, the graph says %s", strbuf_cstr(&text),
                 v.ordered ? "ordered" : "unordered", holds ? "ordered" : "unordered");
    }
}

static void test_removed(void **state)
{
    struct fixture *f = *state;
    struct removed pairs = {0}, edges = {0}, barriers = {0};
    for (int i = 0; i < 24; i++) {
        struct problem p;
        struct schedule s;
        struct stream right, mutated;
        small_point(f, i, &p, &s, &right);
        stream_init(&mutated, &s);
        /* Each costs a graph. */
        const size_t stride = right.count > 300 ? 3 : 1;
        for (size_t at = (size_t)i % stride; at < right.count; at += stride) {
            struct mutation m = {.at = at, .other = SIZE_MAX, .kind = MUTATION_BARRIER};
            if (right.insns[at].op == OP_PIPE_BARRIER) {
                try_one(f, &right, &m, &mutated, &barriers);
            } else if (right.insns[at].op == OP_SET_FLAG) {
                m.kind = MUTATION_PAIR;
                m.other = stream_matching_wait(&right, at);
                const bool edge = ((right.insns[at].flags | right.insns[m.other].flags) & (INSN_PRESET | INSN_DRAIN)) !=
                                  0;
                try_one(f, &right, &m, &mutated, edge ? &edges : &pairs);
            }
        }
        stream_fini(&right), stream_fini(&mutated);
    }
    print_message("set+wait pairs: %zu removed, %zu reported, %zu implied by others\n", pairs.tried, pairs.reported,
                  pairs.implied);
    print_message("preset and drained pairs: %zu removed, %zu reported\n", edges.tried, edges.reported);
    print_message("barriers: %zu removed, %zu reported, %zu implied\n", barriers.tried, barriers.reported,
                  barriers.implied);
    assert_true(pairs.tried > 200 && pairs.reported > pairs.implied && barriers.reported > 20);
}

/* ---- several changes at once ---- */

/* Random removals, moves of waits and changes of buffers: verdicts agree. */
static void scramble(struct stream *x, struct rng *rng)
{
    const int changes = (int)rng_between(rng, 2, 6);
    for (int c = 0; c < changes; c++) {
        const size_t at = (size_t)rng_below(rng, x->count);
        struct insn *i = &x->insns[at];
        switch (rng_below(rng, 4)) {
        case 0: /* a barrier or flag becomes nothing; its partner is left alone */
            if (i->op == OP_PIPE_BARRIER) {
                i->op = OP_NOP;
            }
            break;
        case 1: /* an operand moves */
            if (i->op >= OP_ND2NZ && i->op <= OP_MMAD) {
                i->dst.byte = i->dst.byte / 2048 * 1024;
            }
            break;
        case 2: /* a set comes one instruction earlier: before what it should cover */
            if (i->op == OP_SET_FLAG && at > 0 && x->insns[at - 1].op != OP_WAIT_FLAG &&
                x->insns[at - 1].op != OP_SET_FLAG) {
                const struct insn set = *i;
                *i = x->insns[at - 1];
                x->insns[at - 1] = set;
            }
            break;
        default: /* a set and its wait are gone */
            if (i->op == OP_SET_FLAG && stream_matching_wait(x, at) != SIZE_MAX) {
                x->insns[stream_matching_wait(x, at)].op = OP_NOP;
                i->op = OP_NOP;
            }
            break;
        }
    }
}

static void test_scrambled(void **state)
{
    struct fixture *f = *state;
    int wrong = 0, total = 0;
    for (int i = 0; i < 30; i++) {
        struct problem p;
        struct schedule s;
        struct stream right;
        small_point(f, i, &p, &s, &right);
        struct insn *copy = malloc(right.count * sizeof *copy);
        memcpy(copy, right.insns, right.count * sizeof *copy);
        for (int k = 0; k < 8; k++) {
            memcpy(right.insns, copy, right.count * sizeof *copy);
            scramble(&right, &f->rng);
            const struct verdict v = checked(f, &right);
            if (v.ordered != graph_holds(&right)) {
                point_print(&s);
                struct strbuf why;
                strbuf_init(&why);
                size_t kept;
                uint64_t all;
                const struct race_violation *list = race_violations(f->race, &kept, &all);
                for (size_t n = 0; n < kept; n++) {
                    race_violation_text(&list[n], &why);
                    strbuf_add(&why, "\n");
                }
                print_error("%s", strbuf_cstr(&why));
                fail_msg("the race check says %s, the graph does not", v.ordered ? "ordered" : "unordered");
            }
            wrong += !v.ordered;
            total++;
        }
        free(copy);
        stream_fini(&right);
    }
    print_message("%d of %d scrambled streams are unordered\n", wrong, total);
    assert_true(wrong > total / 10);
}

/* ---- ids ---- */

static void test_ids(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 8; i++) {
        struct problem p;
        struct schedule s;
        struct stream right, mutated;
        small_point(f, i, &p, &s, &right);
        stream_init(&mutated, &s);
        for (size_t at = 0; at < right.count; at++) {
            if (right.insns[at].op != OP_SET_FLAG) {
                continue;
            }
            for (int64_t id = 6; id < 8; id++) {
                const struct mutation m = {
                    .kind = MUTATION_IDS, .at = at, .other = stream_matching_wait(&right, at), .value = id};
                mutation_apply(&right, &m, &mutated);
                assert_true(checked(f, &mutated).other);
            }
        }
        stream_fini(&right), stream_fini(&mutated);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(test_right_schedules), TEST(test_removed), TEST(test_scrambled),
                                       TEST(test_ids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
