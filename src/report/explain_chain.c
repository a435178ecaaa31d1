/* explain_chain.c - the chain of waits that sets the end of a core, and its
 * steady period.
 *
 * Walking predecessors back from the last completion gives the chain; the times
 * from start to start along it add up to the end. */
#include <inttypes.h>

#include "base/intmath.h"
#include "report/explain_trace.h"

#define LINKS_MAX 48

/* What the instruction behind this link waited for. */
static const char *reason_words(const struct node *n, const struct node *before)
{
    switch ((enum reason)n->reason) {
    case REASON_PIPE:
        return "its pipe is free";
    case REASON_UNIT:
        return "the unit flag lets it";
    case REASON_BARRIER:
        return "the barrier is passed";
    case REASON_OTHER:
        return "loads are near enough (look-ahead)";
    case REASON_FIRST:
        return "the core starts";
    case REASON_FLAG:
        break;
    }
    if (before == NULL) {
        return "its flag is set";
    }
    switch (before->pipe) {
    case PIPE_MTE2:
        return "its data are in L1: latency, sync";
    case PIPE_MTE1:
        return n->pipe == PIPE_M ? "both operands are in L0: sync" : "its L1 half is free: sync";
    case PIPE_M:
        return n->pipe == PIPE_FIX ? "the tile is done: sync" : "its L0 slot is free: sync";
    case PIPE_FIX:
        return "L0C is free: sync";
    default:
        return "its flag is set";
    }
}

/* Links of one kind along the chain: from the start of `of` to the start of what waited for it. */
struct link {
    struct node of, next;
    int64_t count, cycles;
};

struct chain {
    struct link links[LINKS_MAX];
    int count;
};

static void add_link(struct chain *c, const struct node *of, const struct node *next, int64_t cycles)
{
    int i = 0;
    while (i < c->count &&
           (c->links[i].of.op != of->op || c->links[i].of.role != of->role || c->links[i].next.reason != next->reason ||
            c->links[i].next.op != next->op || c->links[i].next.role != next->role)) {
        i++;
    }
    if (i == LINKS_MAX) {
        i--; /* counted with the last one: never seen */
    } else if (i == c->count) {
        c->links[c->count++] = (struct link){.of = *of, .next = *next};
    }
    c->links[i].count++;
    c->links[i].cycles += cycles;
}

static void add_chain(const struct chain *c, const struct node *last, struct strbuf *out)
{
    for (int i = 0; i < c->count; i++) {
        const struct link *l = &c->links[i];
        const size_t at = out->len;
        strbuf_add(out, "    ");
        explain_kind_name(l->of.op, l->of.role, out);
        if (last != NULL && l->next.reason == REASON_FIRST) {
            strbuf_add(out, " to its own end");
        } else {
            strbuf_add(out, " -> ");
            explain_kind_name(l->next.op, l->next.role, out);
            strbuf_addf(out, ": %s", reason_words(&l->next, &l->of));
        }
        strbuf_addf(out, "%*s %8" PRId64 " x, together ", out->len - at < 62 ? (int)(62 - (out->len - at)) : 0, "",
                    l->count);
        explain_cycles(l->cycles, out);
        strbuf_add(out, "\n");
    }
}

/* From the last completion back to the start. */
static void whole_chain(const struct trace *t, const struct cost *c, struct strbuf *out)
{
    struct chain chain = {.count = 0};
    const struct node *last = &t->nodes[t->last], end = {.reason = REASON_FIRST, .pipe = PIPE_S};
    add_link(&chain, last, &end, last->end - last->start);
    const struct node *n = last;
    while (n->before >= 0) {
        const struct node *before = &t->nodes[n->before];
        add_link(&chain, before, n, n->start - before->start);
        n = before;
    }
    strbuf_add(out, "  the chain of waits that sets the end of this core, by links:\n");
    add_chain(&chain, last, out);
    strbuf_add(out, "    before its first link ");
    explain_cycles(n->start, out);
    strbuf_add(out, "; sum ");
    explain_cycles(last->end, out);
    strbuf_add(out, "\n  core ");
    explain_cycles(last->end, out);
    strbuf_add(out, " + init ");
    explain_cycles(c->init, out);
    strbuf_add(out, " + launch ");
    explain_cycles(c->launch, out);
    if (c->split > 0) {
        strbuf_add(out, " + split K ");
        explain_cycles(c->split, out);
    }
    strbuf_add(out, " = ");
    explain_cycles(last->end + c->init + c->launch + c->split, out);
    strbuf_add(out, " cycles\n");
}

static bool same_place(const struct node *a, const struct node *b, int64_t period, int64_t nk)
{
    const int64_t apart = (int64_t)a->step - b->step;
    return a->op == b->op && a->role == b->role && apart > 0 && apart % period == 0 && a->step / nk == b->step / nk &&
           a->reason == b->reason;
}

/* Two links of the chain in one tile that are whole periods apart, near the middle of the chain. */
static bool find_period(const struct trace *t, int64_t period, int64_t nk, const struct node **late,
                        const struct node **early)
{
    const int64_t middle = t->end / 2;
    for (int32_t i = t->last; i >= 0; i = t->nodes[i].before) {
        const struct node *a = &t->nodes[i];
        if (a->start > middle) {
            continue;
        }
        int hops = 0;
        for (int32_t k = a->before; k >= 0 && hops < 4096; k = t->nodes[k].before, hops++) {
            if (t->nodes[k].step / nk != a->step / nk) {
                break;
            }
            if (same_place(a, &t->nodes[k], period, nk)) {
                *late = a;
                *early = &t->nodes[k];
                return true;
            }
        }
    }
    return false;
}

static void steady_chain(const struct trace *t, struct strbuf *out)
{
    const int64_t nk = t->s->nk, period = schedule_period(t->s);
    const struct node *late, *early;
    if (period > nk || !find_period(t, period, nk, &late, &early)) {
        strbuf_addf(out,
                    "  no steady period: a tile has %" PRId64 " steps, flags and chunks repeat every %" PRId64 "\n", nk,
                    period);
        return;
    }
    struct chain chain = {.count = 0};
    for (const struct node *n = late; n != early; n = &t->nodes[n->before]) {
        add_link(&chain, &t->nodes[n->before], n, n->start - t->nodes[n->before].start);
    }
    const int64_t steps = (int64_t)late->step - early->step;
    strbuf_addf(out, "  critical cycle of the steady period: %" PRId64 " steps in ", steps);
    explain_cycles(late->start - early->start, out);
    strbuf_addf(out, " cycles (steps %" PRIu32 " to %" PRIu32 "):\n", early->step, late->step);
    add_chain(&chain, NULL, out);
}

static void fill_and_drain(const struct trace *t, struct strbuf *out)
{
    strbuf_add(out, "  fill: the cube starts after ");
    explain_cycles(t->first_mmad < 0 ? 0 : t->first_mmad, out);
    strbuf_add(out, "; drain: ");
    explain_cycles(t->end - t->last_mmad_end, out);
    strbuf_add(out, " from its last result to the end\n");
}

void explain_chains(const struct trace *t, const struct cost *c, struct strbuf *out)
{
    fill_and_drain(t, out);
    steady_chain(t, out);
    if (!t->full) {
        whole_chain(t, c, out);
    }
}
