/* verify.c - runs schedules on the engine and compares C with the reference. */
#include "engine/verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "engine/verify_internal.h"

enum status verify_create(struct verify_cache *cache, struct verify **out)
{
    struct verify *v = calloc(1, sizeof *v);
    if (v == NULL) {
        return STATUS_NO_MEMORY;
    }
    v->cache = cache;
    arena_init(&v->arena);
    *out = v;
    return STATUS_OK;
}

void verify_destroy(struct verify *v)
{
    if (v != NULL) {
        engine_destroy(v->engine);
        arena_fini(&v->arena);
        free(v);
    }
}

void verify_set_tamper(struct verify *v, verify_tamper *tamper, void *ctx)
{
    v->tamper = tamper;
    v->tamper_ctx = ctx;
}

/* --- GM ports ------------------------------------------------------------ */

static enum status read_a(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    const struct verify *v = ctx;
    return problem_read(v->s->problem, TENSOR_A, byte, len, out);
}

static enum status read_b(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    const struct verify *v = ctx;
    return problem_read(v->s->problem, TENSOR_B, byte, len, out);
}

/* A store may cover several rows when C's pitch equals its width. */
static enum status write_c(void *ctx, int64_t byte, int64_t len, const uint8_t *in)
{
    struct c_window *w = &((struct verify *)ctx)->window;
    while (len > 0) {
        const int64_t row = byte / w->pitch - w->m0, at = byte % w->pitch;
        const int64_t col = at / w->es - w->n0, n = min_i64(len, w->pitch - at);
        if (row < 0 || row >= w->m || col < 0 || col + n / w->es > w->n || at % w->es != 0 || n % w->es != 0) {
            return STATUS_INVALID;
        }
        memcpy(w->data + (row * w->n + col) * w->es, in, (size_t)n);
        for (int64_t i = 0; i < n / w->es; i++) {
            uint8_t *count = &w->count[row * w->n + col + i];
            *count = (uint8_t)(*count < UINT8_MAX ? *count + 1 : UINT8_MAX);
        }
        in += n, byte += n, len -= n;
    }
    return STATUS_OK;
}

static void set_ports(struct verify *v)
{
    const struct problem *p = v->s->problem;
    engine_set_port(v->engine, TENSOR_A,
                    &(struct gm_port){.ctx = v, .bytes = problem_tensor_bytes(p, TENSOR_A), .read = read_a});
    engine_set_port(v->engine, TENSOR_B,
                    &(struct gm_port){.ctx = v, .bytes = problem_tensor_bytes(p, TENSOR_B), .read = read_b});
    engine_set_port(v->engine, TENSOR_C,
                    &(struct gm_port){.ctx = v, .bytes = problem_tensor_bytes(p, TENSOR_C), .write = write_c});
}

enum status verify_open_window(struct verify *v, int64_t m0, int64_t n0, int64_t m, int64_t n)
{
    const struct problem *p = v->s->problem;
    struct c_window *w = &v->window;
    *w = (struct c_window){.m0 = m0, .n0 = n0, .m = m, .n = n};
    w->es = dtype_bytes(p->c.dtype, 1);
    w->pitch = problem_pitch_bytes(p, TENSOR_C);
    w->data = arena_alloc(&v->arena, (size_t)(m * n), (size_t)w->es);
    w->count = arena_alloc(&v->arena, (size_t)(m * n), 1);
    return w->data == NULL || w->count == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

/* --- running ------------------------------------------------------------- */

static enum status run_list(struct verify *v, int count, struct diag *d)
{
    if (v->tamper != NULL) {
        count = v->tamper(v->tamper_ctx, v->insns, count, v->insn_cap);
    }
    return engine_run(v->engine, v->insns, (size_t)count, d);
}

enum status verify_exec_step(struct verify *v, int32_t core, int64_t i, struct diag *d)
{
    struct step step;
    schedule_step_at(v->s, core, i, &step);
    return run_list(v, schedule_expand(v->s, &step, v->insns), d);
}

enum status verify_exec_edge(struct verify *v, int32_t core, bool prologue, struct diag *d)
{
    const int n = prologue ? schedule_prologue(v->s, core, v->insns) : schedule_epilogue(v->s, core, v->insns);
    TRY(run_list(v, n, d));
    return prologue ? STATUS_OK : engine_check_flags(v->engine, d);
}

/* --- comparing ----------------------------------------------------------- */

static enum status report_difference(const struct verify *v, int64_t i, const uint8_t *want, struct diag *d)
{
    const struct c_window *w = &v->window;
    uint64_t got = 0, expected = 0;
    memcpy(&got, w->data + i * w->es, (size_t)w->es);
    memcpy(&expected, want + i * w->es, (size_t)w->es);
    return diag_error(d, STATUS_MISMATCH, NULL,
                      "C[%" PRId64 "][%" PRId64 "] is 0x%0*" PRIx64 ", the reference says 0x%0*" PRIx64,
                      w->m0 + i / w->n, w->n0 + i % w->n, (int)w->es * 2, got, (int)w->es * 2, expected);
}

enum status verify_compare(struct verify *v, const struct k_range *ranges, int count, struct diag *d)
{
    const struct c_window *w = &v->window;
    const int64_t n = w->m * w->n;
    for (int64_t i = 0; i < n; i++) {
        if (w->count[i] != 1) {
            return diag_error(d, STATUS_MISMATCH, NULL, "C[%" PRId64 "][%" PRId64 "] is stored %d times, not once",
                              w->m0 + i / w->n, w->n0 + i % w->n, w->count[i]);
        }
    }
    uint8_t *want = arena_alloc(&v->arena, (size_t)n, (size_t)w->es);
    if (want == NULL) {
        return STATUS_NO_MEMORY;
    }
    TRY(reference_matmul(v->s->problem, w->m0, w->n0, w->m, w->n, ranges, count, &v->arena, want));
    if (memcmp(want, w->data, (size_t)(n * w->es)) == 0) {
        return STATUS_OK;
    }
    for (int64_t i = 0;; i++) {
        if (memcmp(want + i * w->es, w->data + i * w->es, (size_t)w->es) != 0) {
            return report_difference(v, i, want, d);
        }
    }
}

/* --- levels -------------------------------------------------------------- */

static enum status run_core(struct verify *v, int32_t core, struct diag *d)
{
    const int64_t steps = schedule_steps(v->s, core);
    engine_reset(v->engine);
    TRY(verify_exec_edge(v, core, true, d));
    for (int64_t i = 0; i < steps; i++) {
        TRY(verify_exec_step(v, core, i, d));
    }
    return verify_exec_edge(v, core, false, d);
}

static enum status verify_full(struct verify *v, struct verify_outcome *out, struct diag *d)
{
    const struct problem *p = v->s->problem;
    const struct k_range all = {0, p->K};
    TRY(verify_open_window(v, 0, 0, p->M, p->N));
    for (int32_t core = 0; core < v->s->cores; core++) {
        TRY(run_core(v, core, d));
    }
    TRY(verify_compare(v, &all, 1, d));
    out->elems = (uint64_t)(p->M * p->N);
    return STATUS_OK;
}

/* Engine of this schedule's target, instruction buffer with room for a tamper. */
static enum status prepare(struct verify *v, const struct schedule *s, struct diag *d)
{
    v->s = s;
    if (v->engine_target != s->target) {
        engine_destroy(v->engine);
        v->engine = NULL;
        v->engine_target = NULL;
        TRY(engine_create(s->target, &v->engine, d));
        v->engine_target = s->target;
    }
    arena_reset(&v->arena);
    v->insn_cap = (int)max_i64(schedule_expand_max(s), SCHEDULE_EDGE_MAX) + 8;
    v->insns = arena_alloc(&v->arena, (size_t)v->insn_cap, sizeof *v->insns);
    v->others = arena_alloc(&v->arena, (size_t)v->insn_cap, sizeof *v->others);
    if (v->insns == NULL || v->others == NULL) {
        return STATUS_NO_MEMORY;
    }
    set_ports(v);
    return STATUS_OK;
}

enum status verify_schedule(struct verify *v, const struct schedule *s, enum verify_level level,
                            struct verify_outcome *out, struct diag *d)
{
    *out = (struct verify_outcome){0};
    TRY(prepare(v, s, d));
    enum status st = STATUS_OK;
    switch (level) {
    case VERIFY_NONE:
        return STATUS_OK;
    case VERIFY_LAYOUT:
        return diag_error(d, STATUS_UNSUPPORTED, NULL, "verify: layout is not built yet; use classes or full");
    case VERIFY_CLASSES:
        st = verify_classes(v, out, d);
        break;
    case VERIFY_FULL:
        st = verify_full(v, out, d);
        break;
    }
    out->ok = st == STATUS_OK;
    return st == STATUS_MISMATCH ? STATUS_OK : st;
}
