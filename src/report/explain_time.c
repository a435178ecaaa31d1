/* explain_time.c - durations with their formulas, and the critical chain.
 *
 * timing_ref_core's events tell when each instruction started. What it waited
 * for is found again from flags, barriers and the order in pipes: its
 * predecessor. Walking predecessors back from the last completion gives the
 * chain that sets the end: the times from start to start along it add up to it. */
#include "report/explain_time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "report/summary.h"
#include "timing/cost.h"

#define NEVER     (-(INT64_C(1) << 60))
#define KINDS_MAX 24
#define LINKS_MAX 48
#define IDS       8

/* Why an instruction started when it did. */
enum reason { REASON_FIRST, REASON_PIPE, REASON_FLAG, REASON_UNIT, REASON_BARRIER, REASON_OTHER };

struct node {
    int64_t start, occupied, end;
    int32_t before; /* predecessor, -1: none */
    uint32_t step;
    uint8_t op, role, pipe, reason;
};

/* A kind of instruction: operation and operand. */
struct kind {
    struct insn sample;
    int64_t count, occupied, low, high, complete_low, complete_high;
};

struct source {
    int64_t at;
    int32_t node;
};

struct trace {
    const struct schedule *s;
    const struct target_timing *p;
    struct node *nodes;
    size_t count, cap;
    bool full, failed;
    struct kind kinds[KINDS_MAX];
    int kind_count;
    struct source free[PIPE_N], done[PIPE_N], held[PIPE_N];
    uint8_t held_by[PIPE_N];
    struct source fired[HARD_EVENT_N][IDS];
    int32_t last_mmad, last_fixpipe;
    int64_t end, first_mmad, last_mmad_end;
    int32_t last; /* node that completes last */
};

/* --- events ------------------------------------------------------------------- */

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

static bool on_event(void *ctx, const struct timing_event *e)
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

/* --- words ----------------------------------------------------------------------- */

static void add_kind_name(uint8_t op, uint8_t role, struct strbuf *out)
{
    static const char *const operand[ROLE_N] = {"A", "B", "scales of A", "scales of B", "bias", "quant row", "C"};
    switch ((enum op)op) {
    case OP_MMAD:
    case OP_MMAD_MX:
        strbuf_add(out, "Mmad");
        return;
    case OP_FIXPIPE:
        strbuf_add(out, "Fixpipe");
        return;
    case OP_FILL:
        strbuf_add(out, "Fill");
        return;
    case OP_ND2NZ:
    case OP_DN2NZ:
    case OP_DATA_COPY:
    case OP_DATA_COPY_PAD:
        strbuf_addf(out, "copy %s", operand[role]);
        return;
    default:
        strbuf_addf(out, "load %s", operand[role]);
        return;
    }
}

static void add_cycles(int64_t mcyc, struct strbuf *out)
{
    strbuf_addf(out, "%" PRId64 ".%03d", mcyc / 1000, (int)(mcyc % 1000));
}

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

/* --- durations ---------------------------------------------------------------------- */

/* A number of the model with where it comes from, once each. */
struct numbers {
    const char *key[40];
    int count;
};

static void use(struct numbers *n, const char *key)
{
    for (int i = 0; i < n->count; i++) {
        if (strcmp(n->key[i], key) == 0) {
            return;
        }
    }
    if (n->count < (int)(sizeof n->key / sizeof n->key[0])) {
        n->key[n->count++] = key;
    }
}

static void add_numbers(const struct target *target, const struct numbers *n, struct strbuf *out)
{
    strbuf_add(out, "  numbers and where they come from (tilescope targets shows all):\n");
    for (int i = 0; i < n->count; i++) {
        const struct target_fact *f = target_fact(target, n->key[i]);
        if (f != NULL) {
            strbuf_addf(out, "    %-20s %10.6g %-9s %s%s%s: %s\n", strrchr(n->key[i], '.') + 1, f->value, f->unit,
                        confidence_name(f->confidence), *f->rows ? ", " : "", f->rows, f->source);
        }
    }
}

static void mmad_formula(const struct cost *c, const struct insn *insn, struct numbers *n, struct strbuf *out)
{
    const struct mmad_params *p = &insn->p.mmad;
    const int64_t fm = ceil_div(p->m, 16), fn = ceil_div(p->n, 16),
                  fk = ceil_div(p->k, dtype_c0((enum dtype)insn->dtype));
    strbuf_addf(out, "W = %" PRId64 "*%" PRId64 "*%" PRId64 " fractal products * %g MAC / %g MAC/cycle = ", fm, fn, fk,
                c->macs_per_fractal, c->rate);
    add_cycles(cost_mcyc((double)(fm * fn * fk) * c->macs_per_fractal / c->rate), out);
    strbuf_addf(out, "; pipe busy W + mmad_issue %g, result after W + mmad_latency %g\n", c->p->mmad_issue,
                c->p->mmad_latency);
    if (c->hf32) {
        use(n, "cube.rate_hf32");
    }
    use(n, "timing.mmad_issue");
    use(n, "timing.mmad_latency");
}

static void load_formula(const struct schedule *s, const struct cost *c, const struct insn *insn, struct numbers *n,
                         struct strbuf *out)
{
    const struct target_timing *p = c->p;
    const bool a = insn->role == ROLE_A;
    const int64_t bytes = cost_load_bytes(insn), scales = cost_scale_bytes(insn);
    if (insn->op == OP_L1_TO_BT || insn->op == OP_L1_TO_FB) {
        const bool bt = insn->op == OP_L1_TO_BT;
        strbuf_addf(out, "%" PRId64 " B / %g, result %g later\n", cost_row_bytes(s->target, insn),
                    bt ? p->bt_width : p->fb_width, bt ? p->bt_latency : p->fb_latency);
        use(n, bt ? "timing.bt_width" : "timing.fb_width");
        use(n, bt ? "timing.bt_latency" : "timing.fb_latency");
        return;
    }
    strbuf_addf(out,
                "first call load_issue %g - %g*load_call %g, each call max(load_min %g, load_call %g + %" PRId64
                " B / %s %g)",
                p->load_issue, p->load_calls_ref[a ? 0 : 1], p->load_call, p->load_min, p->load_call, bytes,
                a ? "l0a_width" : "l0b_width", a ? p->l0a_width : p->l0b_width);
    if (insn->flags & INSN_L1_FILLING) {
        strbuf_addf(out, " + %" PRId64 " B / l1_contention %g (ND2NZ fills the other half)", bytes, p->l1_contention);
        use(n, "timing.l1_contention");
    }
    if (scales > 0) {
        strbuf_addf(out, "; scales load_issue + %" PRId64 " B / mx_width %g", scales, p->mx_width);
        use(n, "timing.mx_width");
    }
    strbuf_add(out, "\n");
    use(n, "timing.load_issue");
    use(n, "timing.load_call");
    use(n, "timing.load_min");
    use(n, a ? "timing.l0a_width" : "timing.l0b_width");
}

static void fixpipe_formula(const struct cost *c, const struct insn *insn, struct numbers *n, struct strbuf *out)
{
    const struct fixpipe_params *f = &insn->p.fixpipe;
    strbuf_addf(out, "fixpipe_issue %g + %u*%u elements * %g B / fixpipe_width %g", c->p->fixpipe_issue,
                (unsigned)f->mSize, (unsigned)f->nSize, c->c_bytes, c->p->fixpipe_width);
    if (c->c_unaligned) {
        strbuf_addf(out, " + %u rows * fixpipe_unaligned %g", (unsigned)f->mSize, c->p->fixpipe_unaligned);
        use(n, "timing.fixpipe_unaligned");
    }
    strbuf_add(out, f->unitFlag ? "; with the unit flag no earlier than fixpipe_issue after the last Mmad\n" : "\n");
    use(n, "timing.fixpipe_issue");
    use(n, "timing.fixpipe_width");
}

/* Rows of a copy instruction as they lie in memory. */
static void copy_rows(const struct insn *insn, bool nd, int64_t *rows, int64_t *bytes)
{
    const bool b4 = dtype_info((enum dtype)insn->dtype)->bits == 4;
    if (insn->op == OP_ND2NZ) {
        *rows = (int64_t)insn->p.nd2nz.ndNum * insn->p.nd2nz.nValue;
        *bytes = dtype_bytes((enum dtype)insn->dtype, (int64_t)insn->p.nd2nz.dValue * (b4 ? 2 : 1));
    } else if (insn->op == OP_DN2NZ) {
        *rows = insn->p.dn2nz.dValue;
        *bytes = 2 * (int64_t)insn->p.dn2nz.nValue;
    } else {
        *rows = nd ? 1 : insn->p.copy.blockLen;
        *bytes = 32 * (int64_t)insn->p.copy.blockCount;
    }
}

static void copy_formula(const struct cost *c, const struct kind *k, struct numbers *n, struct strbuf *out)
{
    const struct target_timing *p = c->p;
    const struct cost_copy *copy = &c->copy[k->sample.role];
    int64_t rows, bytes;
    copy_rows(&k->sample, copy->nd, &rows, &bytes);
    const double hit = cost_rows(c, (enum role)k->sample.role, (int32_t)rows, (int32_t)bytes);
    strbuf_addf(out, "copy_issue %g + %" PRId64 " rows of %" PRId64 " B: ", p->copy_issue, rows, bytes);
    use(n, "timing.copy_issue");
    if (copy->nd) {
        strbuf_addf(out, "max(row_min %g, row_base %g + B / row_width %g)%s%s each", p->row_min, p->row_base,
                    p->row_width, copy->conflict ? " * pitch_conflict" : "",
                    copy->unaligned > 0 ? ", or more if unaligned" : "");
        use(n, "timing.row_min");
        use(n, "timing.row_base");
        use(n, "timing.row_width");
        if (copy->conflict) {
            use(n, "timing.pitch_conflict");
        }
        if (copy->unaligned > 0) {
            use(n, "timing.unaligned");
        }
    } else {
        strbuf_addf(out, "B / plain_width %g each", p->plain_width);
        use(n, "timing.plain_width");
    }
    strbuf_add(out, " = ");
    add_cycles(cost_mcyc(p->copy_issue + hit), out);
    strbuf_add(out, " alone; data there copy_latency + copy_loaded * share of cores = ");
    add_cycles(c->copy_latency, out);
    strbuf_add(out, " later\n");
    use(n, "timing.copy_latency");
    use(n, "timing.copy_loaded");
    if (k->high > cost_mcyc(p->copy_issue + hit)) {
        strbuf_add(out, "                 longer where L2's rate is shared (l2_rate, l2_shared), bytes miss L2 (hbm, "
                        "overlap) or C is "
                        "written back\n");
        use(n, "timing.l2_rate");
        use(n, "timing.l2_shared");
        use(n, c->all_nd ? "timing.hbm_nd" : "timing.hbm");
        use(n, "timing.overlap");
        use(n, "timing.write_back");
    }
}

static void add_kind(const struct trace *t, const struct cost *c, const struct kind *k, struct numbers *n,
                     struct strbuf *out)
{
    const size_t at = out->len;
    strbuf_add(out, "    ");
    add_kind_name(k->sample.op, k->sample.role, out);
    strbuf_addf(out, "%*s %8" PRId64 "  ", out->len - at < 16 ? (int)(16 - (out->len - at)) : 0, "", k->count);
    add_cycles(k->low, out);
    if (k->high != k->low) {
        strbuf_add(out, " to ");
        add_cycles(k->high, out);
    }
    strbuf_add(out, ", in all ");
    add_cycles(k->occupied, out);
    strbuf_add(out, "\n                 ");
    switch ((enum op)k->sample.op) {
    case OP_MMAD:
    case OP_MMAD_MX:
        mmad_formula(c, &k->sample, n, out);
        break;
    case OP_FIXPIPE:
        fixpipe_formula(c, &k->sample, n, out);
        break;
    case OP_ND2NZ:
    case OP_DN2NZ:
    case OP_DATA_COPY:
    case OP_DATA_COPY_PAD:
        copy_formula(c, k, n, out);
        break;
    case OP_FILL:
        strbuf_add(out, "copy_issue\n");
        break;
    default:
        load_formula(t->s, c, &k->sample, n, out);
        break;
    }
}

/* --- the chain ------------------------------------------------------------------------ */

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
        add_kind_name(l->of.op, l->of.role, out);
        if (last != NULL && l->next.reason == REASON_FIRST) {
            strbuf_add(out, " to its own end");
        } else {
            strbuf_add(out, " -> ");
            add_kind_name(l->next.op, l->next.role, out);
            strbuf_addf(out, ": %s", reason_words(&l->next, &l->of));
        }
        strbuf_addf(out, "%*s %8" PRId64 " x, together ", out->len - at < 62 ? (int)(62 - (out->len - at)) : 0, "",
                    l->count);
        add_cycles(l->cycles, out);
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
    add_cycles(n->start, out);
    strbuf_add(out, "; sum ");
    add_cycles(last->end, out);
    strbuf_add(out, "\n  core ");
    add_cycles(last->end, out);
    strbuf_add(out, " + init ");
    add_cycles(c->init, out);
    strbuf_add(out, " + launch ");
    add_cycles(c->launch, out);
    strbuf_add(out, " = ");
    add_cycles(last->end + c->init + c->launch, out);
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
    add_cycles(late->start - early->start, out);
    strbuf_addf(out, " cycles (steps %" PRIu32 " to %" PRIu32 "):\n", early->step, late->step);
    add_chain(&chain, NULL, out);
}

static void fill_and_drain(const struct trace *t, struct strbuf *out)
{
    strbuf_add(out, "  fill: the cube starts after ");
    add_cycles(t->first_mmad < 0 ? 0 : t->first_mmad, out);
    strbuf_add(out, "; drain: ");
    add_cycles(t->end - t->last_mmad_end, out);
    strbuf_add(out, " from its last result to the end\n");
}

/* --- cores ---------------------------------------------------------------------------- */

static bool note_end(void *ctx, const struct timing_event *e)
{
    int64_t *end = ctx;
    *end = max_i64(*end, e->end);
    return true;
}

/* The core that ends last; of long programs the one with the most steps, which may not be it. */
static int32_t slowest_core(struct timing *timing, const struct schedule *s, const struct timing_start *start)
{
    int32_t slowest = 0;
    int64_t most = -1, all = 0;
    for (int32_t core = 0; core < s->cores; core++) {
        const int64_t steps = schedule_steps(s, core);
        all += steps;
        slowest = steps > most ? core : slowest;
        most = max_i64(most, steps);
    }
    if (all > EXPLAIN_EVENTS_MAX / 8) {
        return slowest;
    }
    int64_t latest = -1;
    for (int32_t core = 0; core < s->cores; core++) {
        int64_t end = -1;
        if (timing_ref_core(timing, s, start, core, note_end, &end) == STATUS_OK && end > latest) {
            latest = end;
            slowest = core;
        }
    }
    return slowest;
}

static void trace_init(struct trace *t, const struct schedule *s)
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

static void add_trace(const struct trace *t, const struct cost *c, int32_t core, struct strbuf *out)
{
    struct numbers numbers = {.count = 0};
    strbuf_addf(out, "  instructions of core %" PRId32 ": how many, cycles each, and why%s:\n", core,
                t->full ? " (the first ones: its program is longer)" : "");
    for (int i = 0; i < t->kind_count; i++) {
        add_kind(t, c, &t->kinds[i], &numbers, out);
    }
    strbuf_addf(out, "    every wait for a flag ends sync %g after the set\n", t->p->sync);
    use(&numbers, "timing.sync");
    add_numbers(t->s->target, &numbers, out);
    fill_and_drain(t, out);
    steady_chain(t, out);
    if (!t->full) {
        whole_chain(t, c, out);
    }
}

enum status explain_time_text(struct timing *timing, const struct schedule *s, bool l2_warm, int32_t core,
                              struct strbuf *out, struct diag *d)
{
    const struct timing_start start = {.l2_warm = l2_warm};
    struct cost c;
    struct trace *t = malloc(sizeof *t);
    if (t == NULL) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "out of memory");
    }
    trace_init(t, s);
    cost_init(&c, s);
    core = core < 0 ? slowest_core(timing, s, &start) : core;
    const enum status st = timing_ref_core(timing, s, &start, core, on_event, t);
    if (st == STATUS_OK && !t->failed && t->count > 0) {
        add_trace(t, &c, core, out);
    }
    const bool failed = t->failed;
    free(t->nodes);
    free(t);
    return st != STATUS_OK ? st
           : failed        ? diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the events")
                           : STATUS_OK;
}
