/* mutation_judge.c - verify on a changed stream, and the proof that a survivor
 * changes nothing that is used. */
#include "support/mutation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "engine/exec.h"
#include "isa/legality.h"

/* --- verify -------------------------------------------------------------- */

struct replay {
    const struct stream *x;
    size_t next;
};

/* verify_schedule(VERIFY_FULL) asks for the lists in the stream's order. */
static int replay_list(void *ctx, struct insn *insns, int count, int cap)
{
    struct replay *r = ctx;
    (void)count;
    const size_t from = r->x->list[r->next], n = r->x->list[r->next + 1] - from;
    assert_true(r->next < r->x->lists && n <= (size_t)cap);
    memcpy(insns, r->x->insns + from, n * sizeof *insns);
    r->next++;
    return (int)n;
}

void judge_init(struct judge *j)
{
    memset(j, 0, sizeof *j);
    assert_int_equal(verify_create(NULL, &j->verify), STATUS_OK);
    assert_int_equal(race_create(&j->race), STATUS_OK);
}

void judge_fini(struct judge *j)
{
    verify_destroy(j->verify);
    race_destroy(j->race);
    engine_destroy(j->right);
    engine_destroy(j->changed);
}

bool judge_verifies(struct judge *j, const struct stream *x, struct strbuf *why)
{
    struct replay replay = {x, 0};
    struct verify_outcome out;
    struct diag d;
    diag_init(&d);
    verify_set_tamper(j->verify, replay_list, &replay);
    assert_int_equal(verify_schedule(j->verify, x->s, VERIFY_FULL, &out, &d), STATUS_OK);
    if (!out.ok && why != NULL) {
        diag_render(&d, why);
    }
    diag_fini(&d);
    return out.ok;
}

/* --- verify by classes ----------------------------------------------------- */

struct substitute {
    const struct stream *right, *changed;
};

/* Classes execute lists of their choice: each is looked up by what it is. */
static int substitute_list(void *ctx, struct insn *insns, int count, int cap)
{
    const struct substitute *x = ctx;
    for (size_t i = 0; i < x->right->lists; i++) {
        const size_t from = x->right->list[i], n = x->right->list[i + 1] - from;
        if (n != (size_t)count || memcmp(insns, x->right->insns + from, n * sizeof *insns) != 0) {
            continue;
        }
        const size_t first = x->changed->list[i], to = x->changed->list[i + 1] - first;
        assert_true(to <= (size_t)cap);
        memcpy(insns, x->changed->insns + first, to * sizeof *insns);
        return (int)to;
    }
    return count;
}

bool judge_verifies_by_classes(struct judge *j, const struct stream *right, const struct stream *changed)
{
    struct substitute substitute = {right, changed};
    struct verify_outcome out;
    assert_int_equal(right->s->cores, 1);
    verify_set_tamper(j->verify, substitute_list, &substitute);
    assert_int_equal(verify_schedule(j->verify, right->s, VERIFY_CLASSES, &out, NULL), STATUS_OK);
    return out.ok;
}

/* --- order --------------------------------------------------------------- */

bool judge_orders(struct judge *j, const struct stream *x, struct strbuf *why)
{
    struct race *r = j->race;
    bool ok = true;
    struct diag d;
    diag_init(&d);
    for (size_t i = 0; i < x->lists && ok;) {
        size_t end = i;
        while (end < x->lists && x->core[end] == x->core[i]) {
            end++;
        }
        assert_int_equal(race_begin(r, x->s->target, x->core[i]), STATUS_OK);
        assert_int_equal(race_push(r, x->insns + x->list[i], x->list[end] - x->list[i]), STATUS_OK);
        ok = race_end(r, &d) == STATUS_OK;
        i = end;
    }
    if (!ok && why != NULL) {
        diag_render(&d, why);
    }
    diag_fini(&d);
    return ok;
}

/* --- legality ------------------------------------------------------------ */

bool judge_allows(const struct target *target, const struct insn *insn, struct strbuf *why)
{
    struct violations *found = calloc(1, sizeof *found);
    legality_check(insn, target, NULL, found);
    const bool allowed = found->errors == 0;
    for (size_t i = 0; i < found->count && !allowed && why != NULL; i++) {
        violation_format(&found->v[i], why);
    }
    free(found);
    return allowed;
}

/* --- dead bytes ---------------------------------------------------------- */

#define READER(name, tensor)                                                    \
    static enum status name(void *ctx, int64_t byte, int64_t len, uint8_t *out) \
    {                                                                           \
        return problem_read(ctx, tensor, byte, len, out);                       \
    }
READER(read_a, TENSOR_A)
READER(read_b, TENSOR_B)
READER(read_scale_a, TENSOR_SA)
READER(read_scale_b, TENSOR_SB)
READER(read_bias, TENSOR_BIAS)
READER(read_quant, TENSOR_QUANT)
#undef READER

/* Results go nowhere; atomic addition finds zeros. */
static enum status read_zeros(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    (void)ctx, (void)byte;
    memset(out, 0, (size_t)len);
    return STATUS_OK;
}

static enum status write_c(void *ctx, int64_t byte, int64_t len, const uint8_t *in)
{
    (void)ctx, (void)byte, (void)len, (void)in;
    return STATUS_OK;
}

/* An engine of the schedule's target and problem, everything tainted. */
static void prepare(struct engine **e, const struct schedule *s, bool new_target)
{
    const struct problem *problem = s->problem;
    void *ctx = (void *)(uintptr_t)problem; /* ports take a context they may change; these do not */
    if (new_target) {
        engine_destroy(*e);
        assert_int_equal(engine_create(s->target, e, NULL), STATUS_OK);
    }
    engine_reset(*e);
    static const struct {
        enum tensor tensor;
        enum status (*read)(void *, int64_t, int64_t, uint8_t *);
    } inputs[] = {{TENSOR_A, read_a},        {TENSOR_B, read_b},       {TENSOR_SA, read_scale_a},
                  {TENSOR_SB, read_scale_b}, {TENSOR_BIAS, read_bias}, {TENSOR_QUANT, read_quant}};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        const struct gm_port port = {
            .ctx = ctx, .bytes = problem_tensor_bytes(problem, inputs[i].tensor), .read = inputs[i].read};
        engine_set_port(*e, inputs[i].tensor, &port);
    }
    const struct gm_port result = {.ctx = ctx, .bytes = INT64_MAX / 2, .read = read_zeros, .write = write_c};
    engine_set_port(*e, TENSOR_C, &result);
    engine_set_port(*e, TENSOR_WORKSPACE, &result);
}

/* Taints in `right` every byte that `mutated` holds differently; in L0C whole
 * elements, which a Mmad judges by their first byte. @return whether there is one. */
static bool taint_differences(struct engine *right, const struct engine *mutated)
{
    bool any = false;
    for (int b = BUF_L1; b < BUF_N; b++) {
        struct memory *m = &right->mem[b];
        const struct memory *x = &mutated->mem[b];
        for (int64_t at = 0; m->bytes != NULL && at < m->size; at += TAINT_BLOCK) {
            const uint32_t ours = m->taint[at / TAINT_BLOCK], theirs = x->taint[at / TAINT_BLOCK];
            const bool same = ours == theirs && memcmp(m->bytes + at, x->bytes + at, TAINT_BLOCK) == 0;
            for (int64_t i = at; !same && ours != UINT32_MAX && i < at + TAINT_BLOCK; i++) {
                if (m->bytes[i] != x->bytes[i] || taint_at(x, i)) {
                    taint_set(m, b == BUF_L0C ? i / 4 * 4 : i, b == BUF_L0C ? 4 : 1);
                    any = true;
                }
            }
        }
    }
    return any;
}

/* End of what the mutation changes in the right stream: after it both streams
 * go on with the same instructions. */
static size_t changed_end(const struct stream *right, const struct mutation *m)
{
    if (m->kind == MUTATION_HALVES) {
        return right->list[stream_list_of(right, m->at) + 1];
    }
    return (m->other == SIZE_MAX ? m->at : m->other) + 1;
}

enum dead judge_finds_dead(struct judge *j, const struct stream *right, const struct mutation *m,
                           const struct stream *mutated)
{
    const size_t list = stream_list_of(right, m->at);
    size_t core_start = list, core_end = list;
    while (core_start > 0 && right->core[core_start - 1] == right->core[list]) {
        core_start--;
    }
    while (core_end < right->lists && right->core[core_end] == right->core[list]) {
        core_end++;
    }
    const size_t first = right->list[core_start], last = right->list[core_end], join = changed_end(right, m);
    const size_t rest = last - join;
    const bool new_target = j->target != right->s->target;
    j->target = right->s->target;
    prepare(&j->right, right->s, new_target);
    prepare(&j->changed, right->s, new_target);
    if (engine_run(j->right, right->insns + first, join - first, NULL) != STATUS_OK ||
        engine_run(j->changed, mutated->insns + first, mutated->list[core_end] - rest - first, NULL) != STATUS_OK) {
        return DEAD_NOT;
    }
    if (!taint_differences(j->right, j->changed)) {
        return DEAD_SAME;
    }
    return engine_run(j->right, right->insns + join, rest, NULL) == STATUS_OK ? DEAD_UNUSED : DEAD_NOT;
}
