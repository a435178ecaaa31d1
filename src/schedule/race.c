/* race.c - clocks, flags and barriers; the walk over a schedule. */
#include "schedule/race.h"

#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "isa/fields.h"
#include "schedule/race_internal.h"

enum status race_create(struct race **out)
{
    *out = calloc(1, sizeof **out);
    return *out == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

static void free_marks(struct race *r)
{
    for (int b = 0; b < BUF_N; b++) {
        for (int a = 0; a < ACTOR_N; a++) {
            for (int write = 0; write < 2; write++) {
                free(r->marks[b][a][write].whole); /* one allocation for all three */
                r->marks[b][a][write] = (struct marks){NULL, NULL, NULL};
            }
        }
    }
}

void race_destroy(struct race *r)
{
    if (r != NULL) {
        free_marks(r);
        free(r->unit);
        free(r);
    }
}

/* --- begin, end ---------------------------------------------------------- */

/* Buffers of another size need other marks; numbers about to wrap need new ones. */
static enum status fit_target(struct race *r, const struct target *target)
{
    bool fits = r->target != NULL;
    for (int p = 0; p < PIPE_N; p++) {
        fits = fits && r->seq[p] < UINT32_MAX / 2;
    }
    for (int b = BUF_L1; b < BUF_N; b++) {
        fits = fits && r->blocks[b] == ceil_div(target->physical[b], RACE_BLOCK);
    }
    r->target = target;
    if (fits) {
        return STATUS_OK;
    }
    free_marks(r);
    memset(r->seq, 0, sizeof r->seq);
    for (int b = BUF_L1; b < BUF_N; b++) {
        r->blocks[b] = ceil_div(target->physical[b], RACE_BLOCK);
    }
    free(r->unit);
    r->granules = target->physical[BUF_L0C] / 512;
    r->unit = malloc((size_t)r->granules + 1);
    return r->unit == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

enum status race_begin(struct race *r, const struct target *target, int32_t core)
{
    TRY(fit_target(r, target));
    /* Whatever came before this check is complete. */
    for (int p = 0; p < PIPE_N; p++) {
        memcpy(r->clock[p].done, r->seq, sizeof r->seq);
    }
    memset(r->flags, 0, sizeof r->flags);
    memset(&r->reg, 0, sizeof r->reg);
    memset(r->unit, 0, (size_t)r->granules);
    for (int t = 0; t < TENSOR_N; t++) {
        for (int p = 0; p < PIPE_N; p++) {
            r->gm[t][p][0].count = r->gm[t][p][1].count = 0;
            r->gm[t][p][0].old_seq = r->gm[t][p][1].old_seq = 0;
        }
    }
    r->core = core;
    r->total = 0;
    return STATUS_OK;
}

enum status race_end(struct race *r, struct diag *d)
{
    for (int hard = 0; hard < HARD_EVENT_N; hard++) {
        for (int id = 0; id < RACE_IDS; id++) {
            if (r->flags[hard][id].set) {
                race_add(r, RACE_LEFT_SET, &r->flags[hard][id].setter);
            }
        }
    }
    race_unit_end(r);
    for (uint64_t i = 0; i < r->total && i < RACE_KEPT; i++) {
        struct strbuf text;
        strbuf_init(&text);
        race_violation_text(&r->kept[i], &text);
        diag_error(d, STATUS_MISMATCH, NULL, "%s", strbuf_cstr(&text));
        strbuf_fini(&text);
    }
    return r->total == 0 ? STATUS_OK : STATUS_MISMATCH;
}

const struct race_violation *race_violations(const struct race *r, size_t *kept, uint64_t *total)
{
    *kept = r->total < RACE_KEPT ? (size_t)r->total : RACE_KEPT;
    *total = r->total;
    return r->kept;
}

struct race_violation *race_add(struct race *r, enum race_kind kind, const struct insn *second)
{
    static const struct race_violation none = {0};
    struct race_violation *v = &r->kept[r->total < RACE_KEPT ? r->total : RACE_KEPT - 1];
    if (r->total++ < RACE_KEPT) {
        *v = none;
        v->kind = (uint8_t)kind;
        v->core = r->core;
        v->second = *second;
        return v;
    }
    return NULL;
}

const struct insn *race_past(const struct race *r, enum pipe pipe, uint32_t seq)
{
    return r->seq[pipe] - seq < RACE_RING ? &r->ring[pipe][seq % RACE_RING] : NULL;
}

/* --- flags and barriers -------------------------------------------------- */

static uint32_t issue(struct race *r, enum pipe pipe, const struct insn *insn)
{
    const uint32_t seq = ++r->seq[pipe];
    r->ring[pipe][seq % RACE_RING] = *insn;
    return seq;
}

/* 2201's page of pairs has no flag between MTE2 and FIX (kernel_rules.md 8). */
static bool pair_offered(const struct target *target, enum hard_event event)
{
    return target->arch != 2201 || (event != EVENT_MTE2_FIX && event != EVENT_FIX_MTE2);
}

enum hard_event race_event_between(const struct target *target, enum pipe from, enum pipe to)
{
    int e = 0;
    while (e < HARD_EVENT_N &&
           (hard_event_setter((enum hard_event)e) != from || hard_event_waiter((enum hard_event)e) != to ||
            !pair_offered(target, (enum hard_event)e))) {
        e++;
    }
    return (enum hard_event)e;
}

/* The flag a set or wait works on; NULL, and reported, if there is none. */
static struct flag *flag_of(struct race *r, const struct insn *insn)
{
    const unsigned hard = insn->event >> 8, id = INSN_EVENT_ID(insn->event);
    if (hard >= HARD_EVENT_N || !pair_offered(r->target, (enum hard_event)hard)) {
        race_add(r, RACE_EVENT_PAIR, insn);
        return NULL;
    }
    if (id >= (unsigned)r->target->event_ids) {
        race_add(r, RACE_EVENT_ID, insn);
    }
    return id < RACE_IDS ? &r->flags[hard][id] : NULL;
}

static void join(struct clock *to, const struct clock *from)
{
    for (int p = 0; p < PIPE_N; p++) {
        to->done[p] = to->done[p] > from->done[p] ? to->done[p] : from->done[p];
    }
}

static void set_flag(struct race *r, const struct insn *insn)
{
    struct flag *f = flag_of(r, insn);
    if (f == NULL) {
        return;
    }
    const enum hard_event event = INSN_EVENT_HARD(insn->event);
    const enum pipe pipe = hard_event_setter(event), waiter = hard_event_waiter(event);
    issue(r, pipe, insn);
    /* The pipe may run ahead of the waiting one: the wait must be behind it, not only earlier in the program. */
    if (f->set || f->wait_seq > r->clock[pipe].done[waiter]) {
        struct race_violation *v = race_add(r, RACE_SET_TWICE, insn);
        const struct insn *first = f->set ? &f->setter : race_past(r, waiter, f->wait_seq);
        if (v != NULL && first != NULL) {
            v->has_first = true;
            v->first = *first;
        }
    }
    f->set = true;
    f->setter = *insn;
    f->at = r->clock[pipe];
    f->at.done[pipe] = r->seq[pipe];
}

static void wait_flag(struct race *r, const struct insn *insn)
{
    struct flag *f = flag_of(r, insn);
    if (f == NULL) {
        return;
    }
    const enum pipe pipe = hard_event_waiter(INSN_EVENT_HARD(insn->event));
    if (!f->set) {
        race_add(r, RACE_WAIT_UNSET, insn);
        return;
    }
    f->wait_seq = issue(r, pipe, insn);
    f->set = false;
    join(&r->clock[pipe], &f->at);
}

static void barrier(struct race *r, const struct insn *insn)
{
    const unsigned pipe = insn->p.barrier.pipe;
    if (pipe == PIPE_ALL) {
        for (int p = 0; p < PIPE_N; p++) {
            memcpy(r->clock[p].done, r->seq, sizeof r->seq);
        }
    } else if (pipe < PIPE_S) {
        r->clock[pipe].done[pipe] = r->seq[pipe];
    } else {
        race_add(r, RACE_PIPE, insn); /* PIPE_S has none */
    }
}

/* --- instructions that move or multiply ---------------------------------- */

static enum actor actor_of(const struct insn *insn)
{
    if (insn->pipe == PIPE_M) {
        return insn->p.mmad.unitFlag != 0 ? ACTOR_M_UNIT : ACTOR_M;
    }
    if (insn->pipe == PIPE_FIX) {
        return insn->op == OP_FIXPIPE && insn->p.fixpipe.unitFlag != 0 ? ACTOR_FIX_UNIT : ACTOR_FIX;
    }
    return insn->pipe == PIPE_MTE2 ? ACTOR_MTE2 : ACTOR_MTE1;
}

static enum status move(struct race *r, const struct insn *insn)
{
    struct access list[ACCESS_MAX];
    const int count = access_of(r->target, &r->reg, insn, list);
    if (insn->pipe >= PIPE_S) {
        return STATUS_OK;
    }
    const bool either = insn->op == OP_FILL && insn->dst.buf == BUF_L1; /* A30: right on MTE2 and on MTE1 */
    issue(r, (enum pipe)insn->pipe, insn);
    race_compare(r, insn, actor_of(insn), list, count);
    if (either) {
        issue(r, PIPE_MTE1, insn);
        race_compare(r, insn, ACTOR_MTE1, list, count);
        TRY(race_remember(r, insn, ACTOR_MTE1, list, count));
    }
    TRY(race_remember(r, insn, actor_of(insn), list, count));
    if (insn->pipe == PIPE_M || insn->op == OP_FIXPIPE) {
        race_unit_flag(r, insn, list, count);
    }
    return STATUS_OK;
}

enum status race_push(struct race *r, const struct insn *insns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct insn *insn = &insns[i];
        if (insn->pipe != (uint8_t)insn_pipe(insn)) {
            race_add(r, RACE_PIPE, insn);
        }
        if (insn->op == OP_SET_FLAG) {
            set_flag(r, insn);
        } else if (insn->op == OP_WAIT_FLAG) {
            wait_flag(r, insn);
        } else if (insn->op == OP_PIPE_BARRIER) {
            barrier(r, insn);
        } else if (insn->op >= OP_ND2NZ && insn->op <= OP_FIXPIPE) {
            TRY(move(r, insn));
        } else {
            access_track(&r->reg, insn);
        }
    }
    return STATUS_OK;
}

/* --- whole streams ------------------------------------------------------- */

enum status race_check_list(struct race *r, const struct target *target, const struct insn *insns, size_t count,
                            struct diag *d)
{
    TRY(race_begin(r, target, 0));
    TRY(race_push(r, insns, count));
    return race_end(r, d);
}

/* A walk over tiles of a core, with its instruction buffer. */
struct walk {
    struct race *r;
    const struct schedule *s;
    int32_t core;
    bool cut; /* of each tile two periods and the tail only */
    struct insn *insns;
};

static enum status walk_tile(const struct walk *w, int64_t t)
{
    struct tile tile;
    schedule_tile_at(w->s, w->core, t, &tile);
    const int64_t period = schedule_period(w->s), nk = schedule_tile_steps(w->s, &tile);
    /* The last step is always walked. */
    const int64_t skip = w->cut && nk > 2 * period ? (nk - 2 * period - 1) / period * period : 0;
    for (int64_t j = 0; j < nk; j++) {
        struct step step;
        if (j == 2 * period) {
            j += skip;
        }
        schedule_step_at(w->s, w->core, tile.step0 + j, &step);
        TRY(race_push(w->r, w->insns, (size_t)schedule_expand(w->s, &step, w->insns)));
    }
    return STATUS_OK;
}

static enum status walk_tiles(const struct walk *w, int64_t first, int64_t count)
{
    TRY(race_begin(w->r, w->s->target, w->core));
    TRY(race_push(w->r, w->insns, (size_t)schedule_prologue(w->s, w->core, w->insns)));
    for (int64_t t = first; t < first + count; t++) {
        TRY(walk_tile(w, t));
    }
    return race_push(w->r, w->insns, (size_t)schedule_epilogue(w->s, w->core, w->insns));
}

static enum status check_walk(struct walk *w, int64_t first, int64_t count, struct diag *d)
{
    const int64_t room = max_i64(schedule_expand_max(w->s), SCHEDULE_EDGE_MAX);
    w->insns = malloc((size_t)room * sizeof *w->insns);
    const enum status st = w->insns == NULL ? STATUS_NO_MEMORY : walk_tiles(w, first, count);
    free(w->insns);
    return st == STATUS_OK ? race_end(w->r, d) : st;
}

enum status race_check(struct race *r, const struct schedule *s, int32_t core, struct diag *d)
{
    struct walk w = {.r = r, .s = s, .core = core};
    return check_walk(&w, 0, schedule_tiles(s, core), d);
}

enum status race_check_tiles(struct race *r, const struct schedule *s, int32_t core, int64_t first, int64_t count,
                             struct diag *d)
{
    struct walk w = {.r = r, .s = s, .core = core, .cut = schedule_periodic(s)};
    const int64_t from = max_i64(0, first), to = min_i64(schedule_tiles(s, core), first + count);
    return check_walk(&w, from, max_i64(0, to - from), d);
}
