/* study.c - one point: resolve, plan, schedule, time, verify. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

#include "engine/verify.h"

struct study_classes {
    struct verify_cache *cache;
};

struct study {
    struct timing *timing;
    struct verify *verify;
};

enum status study_classes_create(struct study_classes **out)
{
    struct study_classes *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return STATUS_NO_MEMORY;
    }
    const enum status st = verify_cache_create(&c->cache);
    if (st != STATUS_OK) {
        free(c);
        return st;
    }
    *out = c;
    return STATUS_OK;
}

void study_classes_destroy(struct study_classes *c)
{
    if (c != NULL) {
        verify_cache_destroy(c->cache);
        free(c);
    }
}

enum status study_create(struct study_classes *classes, struct study **out)
{
    struct study *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return STATUS_NO_MEMORY;
    }
    enum status st = timing_create(&s->timing);
    if (st == STATUS_OK) {
        st = verify_create(classes == NULL ? NULL : classes->cache, &s->verify);
    }
    if (st != STATUS_OK) {
        study_destroy(s);
        return st;
    }
    *out = s;
    return STATUS_OK;
}

void study_destroy(struct study *s)
{
    if (s != NULL) {
        timing_destroy(s->timing);
        verify_destroy(s->verify);
        free(s);
    }
}

struct timing *study_timing(struct study *s)
{
    return s->timing;
}

/* --- the parts of a record ----------------------------------------------- */

static void record_plan(const struct plan *plan, struct record *r)
{
    for (int b = 0; b < BUF_N; b++) {
        r->usable[b] = b == BUF_GM ? 0 : plan->usable[b];
    }
    for (int i = 0; i < plan->n; i++) {
        r->used[plan->r[i].buf] += plan->r[i].size;
    }
    for (int e = 0; e < HARD_EVENT_N; e++) {
        r->events_used += plan->events_used[e];
    }
}

static void record_totals(const struct schedule *s, struct record *r)
{
    struct schedule_totals totals;
    schedule_totals(s, &totals);
    memcpy(r->bytes, totals.bytes, sizeof r->bytes);
    r->halo = totals.halo;
    r->macs = problem_macs(s->problem);
    r->issued = totals.fractals * 256 * dtype_c0(s->problem->a.dtype);
    r->insns = totals.insns;
    r->compulsory = problem_compulsory_bytes(s->problem);
}

static void record_timing(const struct timing_result *t, struct record *r)
{
    r->task = t->task;
    r->core_mean = t->core_mean;
    r->core_max = t->core_max;
    r->split = t->split;
    memcpy(r->busy, t->busy, sizeof r->busy);
    r->bound_pipe = t->bound_pipe;
    r->hbm = t->hbm;
    r->steps = t->steps;
    r->steps_simulated = t->steps_simulated;
    r->unvalidated = t->unvalidated;
}

static enum status verify_record(struct study *s, const struct schedule *schedule, enum verify_level level,
                                 struct record *r, struct diag *d)
{
    struct verify_outcome outcome;
    if (level == VERIFY_NONE) {
        return STATUS_OK;
    }
    TRY(verify_schedule(s->verify, schedule, level, &outcome, d));
    r->verified = outcome.ok ? VERIFIED_OK : VERIFIED_MISMATCH;
    r->verified_elems = outcome.elems;
    if (!outcome.ok) {
        struct strbuf name;
        strbuf_init(&name);
        tiling_name(&schedule->t, &name);
        diag_note(d, NULL, "in tiling %s", strbuf_cstr(&name));
        strbuf_fini(&name);
    }
    return STATUS_OK;
}

static enum status evaluate_feasible(struct study *s, const struct cell *cell, const struct plan *plan,
                                     enum verify_level level, struct record *r, struct diag *d)
{
    const struct timing_start start = {.l2_warm = cell->l2_warm};
    struct schedule schedule;
    struct timing_result timing;
    TRY(schedule_init(&schedule, cell->target, &cell->problem, &r->t, plan, d));
    record_plan(plan, r);
    record_totals(&schedule, r);
    TRY(timing_fast(s->timing, &schedule, &start, &timing));
    record_timing(&timing, r);
    return verify_record(s, &schedule, level, r, d);
}

static void record_init(const struct cell *cell, uint64_t index, enum verify_level level, struct record *out)
{
    memset(out, 0, sizeof *out);
    out->cell = cell->id;
    out->index = index;
    out->verify = (uint8_t)level;
}

enum status study_evaluate(struct study *s, const struct cell *cell, uint64_t index, enum verify_level level,
                           struct record *out, struct diag *d)
{
    struct plan plan;
    record_init(cell, index, level, out);
    if (!space_at(&cell->space, cell->target, &cell->problem, index, &out->t, &plan, &out->why)) {
        return STATUS_OK;
    }
    return evaluate_feasible(s, cell, &plan, level, out, d);
}

enum status study_evaluate_tiling(struct study *s, const struct cell *cell, const struct tiling *t,
                                  enum verify_level level, struct record *out, struct diag *d)
{
    struct plan plan;
    record_init(cell, UINT64_MAX, level, out);
    out->t = *t;
    tiling_resolve(cell->target, &cell->problem, &out->t, &out->why);
    if (out->why.reason != REASON_NONE || !plan_make(cell->target, &cell->problem, &out->t, &plan, &out->why)) {
        return STATUS_OK;
    }
    uint64_t index;
    if (space_index(&cell->space, &out->t, &index)) {
        out->index = index;
    }
    return evaluate_feasible(s, cell, &plan, level, out, d);
}

enum status study_schedule(const struct cell *cell, const struct tiling *t, struct schedule *out,
                           struct infeasible *why, struct diag *d)
{
    struct tiling full = *t;
    struct plan plan;
    tiling_resolve(cell->target, &cell->problem, &full, why);
    if (why->reason != REASON_NONE || !plan_make(cell->target, &cell->problem, &full, &plan, why)) {
        struct strbuf text;
        strbuf_init(&text);
        infeasible_text(why, &full, &text);
        diag_error(d, STATUS_INVALID, NULL, "infeasible tiling: %s", strbuf_cstr(&text));
        strbuf_fini(&text);
        return STATUS_INVALID;
    }
    return schedule_init(out, cell->target, &cell->problem, &full, &plan, d);
}

enum status study_compute_c(struct study *s, const struct cell *cell, const struct tiling *t, struct strbuf *out,
                            struct diag *d)
{
    const struct problem *p = &cell->problem;
    const int64_t bytes = dtype_bytes(p->c.dtype, p->batch * p->M * p->N);
    struct schedule schedule;
    struct infeasible why;
    TRY(study_schedule(cell, t, &schedule, &why, d));
    uint8_t *c = malloc((size_t)bytes);
    if (c == NULL) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the %lld bytes of C", (long long)bytes);
    }
    const enum status st = verify_compute_c(s->verify, &schedule, c, d);
    if (st == STATUS_OK) {
        strbuf_add_n(out, (const char *)c, (size_t)bytes);
    }
    free(c);
    return st == STATUS_OK && out->failed ? STATUS_NO_MEMORY : st;
}

bool study_has_error(const struct cell *cell)
{
    return cell->failed == NULL && cell->problem.a.input != NULL && cell->problem.b.input != NULL;
}

enum status study_error(const struct cell *cell, struct accuracy *out, struct diag *d)
{
    struct arena arena;
    arena_init(&arena);
    const enum status st = accuracy_measure(cell->target, &cell->problem, &arena, out);
    arena_fini(&arena);
    return st == STATUS_NO_MEMORY ? diag_error(d, st, NULL, "no memory for the error of C") : st;
}
