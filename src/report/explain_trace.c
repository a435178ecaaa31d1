/* explain_trace.c - the predecessor of each instruction.
 *
 * timing_ref_core's events tell when each instruction started. What it waited
 * for is found again from flags, barriers and the order in pipes. */
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "report/explain_trace.h"

#define NEVER (-(INT64_C(1) << 60))

void explain_trace_init(struct trace *t, const struct schedule *s)
{
    memset(t, 0, sizeof *t);
    t->s = s;
    t->p = &s->target->timing;
    t->last = t->last_mmad = t->last_fixpipe = -1;
    t->first_mmad = -1;
    for (int i = 0; i < PIPE_N; i++) {
        t->free[i] = t->done[i] = t->held[i] = (struct source){NEVER, -1};
    }
    for (int hard = 0; hard < HARD_EVENT_N; hard++) {
        for (int id = 0; id < IDS; id++) {
            t->fired[hard][id] = (struct source){NEVER, -1};
        }
    }
}

static void raise_to(struct source *x, int64_t at, int32_t node)
{
    if (at > x->at) {
        x->at = at;
        x->node = node;
    }
}

static void on_set(struct trace *t, const struct insn *insn)
{
    struct source *fired = &t->fired[INSN_EVENT_HARD(insn->event)][INSN_EVENT_ID(insn->event) % IDS];
    *fired = (struct source){NEVER, -1};
    if (!(insn->flags & INSN_PRESET)) {
        *fired = t->free[insn->pipe];
        raise_to(fired, t->done[insn->pipe].at, t->done[insn->pipe].node);
        raise_to(fired, t->held[insn->pipe].at, t->held[insn->pipe].node);
    }
}

static void on_wait(struct trace *t, const struct insn *insn)
{
    const struct source *fired = &t->fired[INSN_EVENT_HARD(insn->event)][INSN_EVENT_ID(insn->event) % IDS];
    const int64_t at = fired->at + cost_mcyc(t->p->sync);
    if (at > t->held[insn->pipe].at) {
        t->held[insn->pipe] = (struct source){at, fired->node};
        t->held_by[insn->pipe] = REASON_FLAG;
    }
}

static void on_barrier(struct trace *t, const struct insn *insn)
{
    struct source all = {0, -1};
    for (int i = 0; i < PIPE_N; i++) {
        raise_to(&all, t->done[i].at, t->done[i].node);
        raise_to(&all, t->free[i].at, t->free[i].node);
        raise_to(&all, t->held[i].at, t->held[i].node);
    }
    for (int i = 0; i < PIPE_N; i++) {
        const int64_t at = insn->p.barrier.pipe == PIPE_ALL ? all.at + cost_mcyc(t->p->tile_barrier) : t->done[i].at;
        if ((insn->p.barrier.pipe == PIPE_ALL || insn->p.barrier.pipe == i) && at > t->held[i].at) {
            t->held[i] = (struct source){at, insn->p.barrier.pipe == PIPE_ALL ? all.node : t->done[i].node};
            t->held_by[i] = REASON_BARRIER;
        }
    }
}

/* The kind of `insn`; the last one collects what there is no room for. */
static void count_kind(struct trace *t, const struct timing_event *e)
{
    const int64_t occupied = e->occupied - e->start, complete = e->end - e->start;
    int i = 0;
    while (i < t->kind_count && (t->kinds[i].sample.op != e->insn.op || t->kinds[i].sample.role != e->insn.role)) {
        i++;
    }
    if (i == KINDS_MAX) {
        return;
    }
    struct kind *k = &t->kinds[i];
    if (i == t->kind_count) {
        t->kind_count++;
        *k = (struct kind){e->insn, 0, 0, occupied, occupied, complete, complete};
    }
    k->count++;
    k->occupied += occupied;
    k->low = min_i64(k->low, occupied);
    k->high = max_i64(k->high, occupied);
    k->complete_low = min_i64(k->complete_low, complete);
    k->complete_high = max_i64(k->complete_high, complete);
}

/* Predecessor of an instruction that starts now. */
static void find_before(const struct trace *t, const struct timing_event *e, struct node *n)
{
    const int pipe = e->insn.pipe;
    const bool mmad = e->insn.op == OP_MMAD || e->insn.op == OP_MMAD_MX;
    n->before = -1;
    n->reason = REASON_FIRST;
    if (e->start == 0) {
        return;
    }
    if (t->free[pipe].at == e->start) {
        n->before = t->free[pipe].node;
        n->reason = REASON_PIPE;
    } else if (t->held[pipe].at == e->start) {
        n->before = t->held[pipe].node;
        n->reason = t->held_by[pipe];
    } else if (mmad || e->insn.op == OP_FIXPIPE) {
        n->before = mmad ? t->last_fixpipe : t->last_mmad;
        n->reason = REASON_UNIT;
    } else { /* a conv's look-ahead: the load it must not be ahead of */
        n->before = t->free[PIPE_MTE1].node;
        n->reason = REASON_OTHER;
    }
}

static void add_node(struct trace *t, const struct timing_event *e)
{
    if (t->count == t->cap && !t->full) {
        const size_t cap = t->cap == 0 ? 4096 : 2 * t->cap;
        struct node *moved = cap > EXPLAIN_EVENTS_MAX ? NULL : realloc(t->nodes, cap * sizeof *moved);
        t->failed |= moved == NULL && cap <= EXPLAIN_EVENTS_MAX;
        t->full = moved == NULL;
        t->nodes = moved == NULL ? t->nodes : moved;
        t->cap = moved == NULL ? t->cap : cap;
    }
    if (t->full) {
        return;
    }
    struct node *n = &t->nodes[t->count];
    *n = (struct node){.start = e->start,
                       .occupied = e->occupied,
                       .end = e->end,
                       .step = e->insn.step,
                       .op = e->insn.op,
                       .role = e->insn.role,
                       .pipe = e->insn.pipe};
    find_before(t, e, n);
    const int32_t id = (int32_t)t->count++;
    t->free[n->pipe] = (struct source){e->occupied, id};
    raise_to(&t->done[n->pipe], e->end, id);
    if (e->end > t->end || t->last < 0) {
        t->end = e->end;
        t->last = id;
    }
    if (n->op == OP_MMAD || n->op == OP_MMAD_MX) {
        t->first_mmad = t->first_mmad < 0 ? e->start : t->first_mmad;
        t->last_mmad_end = e->end;
        t->last_mmad = id;
    } else if (n->op == OP_FIXPIPE) {
        t->last_fixpipe = id;
    }
}

bool explain_trace_event(void *ctx, const struct timing_event *e)
{
    struct trace *t = ctx;
    switch (e->insn.op) {
    case OP_SET_FLAG:
        on_set(t, &e->insn);
        break;
    case OP_WAIT_FLAG:
        on_wait(t, &e->insn);
        break;
    case OP_PIPE_BARRIER:
        if (e->insn.p.barrier.pipe != PIPE_M || t->p->mmad_barrier != 0) {
            on_barrier(t, &e->insn);
        }
        break;
    default:
        if (e->end > e->start) {
            count_kind(t, e);
            add_node(t, e);
        }
        break;
    }
    return !t->full;
}
