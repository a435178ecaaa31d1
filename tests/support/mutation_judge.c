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

bool stream_verifies(struct verify *v, const struct stream *x, struct strbuf *why)
{
    struct replay replay = {x, 0};
    struct verify_outcome out;
    struct diag d;
    diag_init(&d);
    verify_set_tamper(v, replay_list, &replay);
    assert_int_equal(verify_schedule(v, x->s, VERIFY_FULL, &out, &d), STATUS_OK);
    if (!out.ok && why != NULL) {
        diag_render(&d, why);
    }
    diag_fini(&d);
    return out.ok;
}

/* --- dead bytes ---------------------------------------------------------- */

static enum status read_a(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    return problem_read(ctx, TENSOR_A, byte, len, out);
}

static enum status read_b(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    return problem_read(ctx, TENSOR_B, byte, len, out);
}

static enum status write_c(void *ctx, int64_t byte, int64_t len, const uint8_t *in)
{
    (void)ctx, (void)byte, (void)len, (void)in;
    return STATUS_OK;
}

static struct engine *engine_for(const struct schedule *s)
{
    struct engine *e = NULL;
    void *p = (void *)(uintptr_t)s->problem;
    assert_int_equal(engine_create(s->target, &e, NULL), STATUS_OK);
    engine_set_port(e, TENSOR_A,
                    &(struct gm_port){.ctx = p, .bytes = problem_tensor_bytes(s->problem, TENSOR_A), .read = read_a});
    engine_set_port(e, TENSOR_B,
                    &(struct gm_port){.ctx = p, .bytes = problem_tensor_bytes(s->problem, TENSOR_B), .read = read_b});
    engine_set_port(e, TENSOR_C,
                    &(struct gm_port){.ctx = p, .bytes = problem_tensor_bytes(s->problem, TENSOR_C), .write = write_c});
    return e;
}

/* Taints in `right` every byte that `mutated` holds differently. */
static void taint_differences(struct engine *right, const struct engine *mutated)
{
    for (int b = BUF_L1; b < BUF_N; b++) {
        struct memory *m = &right->mem[b];
        const struct memory *x = &mutated->mem[b];
        for (int64_t at = 0; m->bytes != NULL && at < m->size; at += TAINT_BLOCK) {
            const bool same = memcmp(m->bytes + at, x->bytes + at, TAINT_BLOCK) == 0 &&
                              m->taint[at / TAINT_BLOCK] == x->taint[at / TAINT_BLOCK];
            for (int64_t i = at; !same && i < at + TAINT_BLOCK; i++) {
                if (m->bytes[i] != x->bytes[i] || taint_at(m, i) != taint_at(x, i)) {
                    taint_set(m, i, 1);
                }
            }
        }
    }
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

bool mutation_is_dead(const struct stream *right, const struct mutation *m, const struct stream *mutated)
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
    struct engine *a = engine_for(right->s), *b = engine_for(right->s);
    bool dead = engine_run(a, right->insns + first, join - first, NULL) == STATUS_OK &&
                engine_run(b, mutated->insns + first, mutated->list[core_end] - rest - first, NULL) == STATUS_OK;
    if (dead) {
        taint_differences(a, b);
        dead = engine_run(a, right->insns + join, rest, NULL) == STATUS_OK;
    }
    engine_destroy(a);
    engine_destroy(b);
    return dead;
}
