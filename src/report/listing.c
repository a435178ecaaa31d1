/* listing.c - instructions as timing_ref runs them, in program order. */
#include "report/listing.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/intmath.h"
#include "isa/fields.h"
#include "report/plot_kinds.h"

struct listing {
    const struct schedule *s;
    struct strbuf *out;
    int32_t core;
    int64_t steps;          /* of the core */
    int64_t first;          /* steps [0, first) are listed, */
    int64_t from, to;       /* and [from, to), and the last */
    int64_t prologue, tail; /* instructions before step 0; left of the last step */
    int64_t said;           /* step whose heading was written; -1: none, `steps`: epilogue */
};

static void say(struct listing *l, int64_t step, const char *title)
{
    if (l->said != step) {
        l->said = step;
        strbuf_addf(l->out, "  -- %s\n", title);
    }
}

static void say_step(struct listing *l, int64_t step)
{
    if (l->said == step) {
        return;
    }
    struct step s;
    schedule_step_at(l->s, l->core, step, &s);
    if (step == l->from && step >= l->first) {
        strbuf_addf(l->out,
                    "  ... steps to %" PRId64 " are like those before; one steady period of %" PRId64 " steps:\n",
                    step - 1, schedule_period(l->s));
    } else if (step > 0 && l->said != step - 1) {
        strbuf_addf(l->out, "  ... to step %" PRId64 ", the last:\n", step);
    }
    l->said = step;
    strbuf_addf(l->out,
                "  -- step %" PRId64 ": tile %" PRId64 " at (%" PRId32 ", %" PRId32 "), %" PRId32 " x %" PRId32
                ", k %" PRId32 "..%" PRId32 "\n",
                step, s.tile.t, s.tile.m0, s.tile.n0, s.tile.m, s.tile.n, s.tile.k0 + s.k0, s.tile.k0 + s.k0 + s.k - 1);
}

static void add_line(struct listing *l, const struct timing_event *e)
{
    const bool order = e->insn.op >= OP_SET_FLAG && e->insn.op <= OP_PIPE_BARRIER;
    if (e->insn.pipe == PIPE_S || e->insn.flags & INSN_PRESET) {
        strbuf_addf(l->out, "  %23s ", "");
    } else if (order) {
        strbuf_addf(l->out, "  %11.1f %11s ", (double)e->start / 1000.0, "");
    } else {
        strbuf_addf(l->out, "  %11.1f %11.1f ", (double)e->start / 1000.0, (double)e->end / 1000.0);
    }
    insn_format(&e->insn, l->out);
    strbuf_add(l->out, "\n");
}

static bool take(void *ctx, const struct timing_event *e)
{
    struct listing *l = ctx;
    const int64_t step = (int64_t)e->insn.step;
    if (l->prologue > 0) {
        l->prologue--;
        say(l, -1, "before the first step");
    } else if (step == l->steps - 1 && l->tail-- <= 0) {
        say(l, l->steps, "after the last step");
    } else if (step < l->first || (step >= l->from && step < l->to) || step == l->steps - 1) {
        say_step(l, step);
    } else {
        return true;
    }
    add_line(l, e);
    return !l->out->failed;
}

/* One period in the middle of a tile, where all chunks are whole ones. */
static void choose_period(struct listing *l, int most)
{
    const int64_t period = schedule_period(l->s);
    const int64_t chunk = max_i64(l->s->t.stepKa, l->s->t.stepKb);
    const int64_t begin = ceil_div(l->first + period, period) * period;
    if (begin + period + chunk <= l->s->nk) {
        l->from = begin;
        l->to = begin + min_i64(period, most);
    }
}

static enum status count_edges(struct listing *l, struct diag *d)
{
    const int most = schedule_expand_max(l->s);
    struct insn *insns = calloc((size_t)(most > SCHEDULE_EDGE_MAX ? most : SCHEDULE_EDGE_MAX), sizeof(*insns));
    if (!insns) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the listing");
    }
    struct step last;
    schedule_step_at(l->s, l->core, l->steps - 1, &last);
    l->prologue = schedule_prologue(l->s, l->core, insns);
    l->tail = schedule_expand(l->s, &last, insns);
    free(insns);
    return STATUS_OK;
}

enum status listing_text(struct study *study, const struct cell *cell, const struct schedule *s,
                         const struct explain_options *o, struct strbuf *out, struct diag *d)
{
    struct listing l = {.s = s, .out = out, .core = o->core >= 0 ? o->core : study_busiest_core(s), .said = -2};
    l.steps = schedule_steps(s, l.core);
    if (l.steps == 0) {
        strbuf_addf(out, "  core %" PRId32 " owns no tile\n", l.core);
        return STATUS_OK;
    }
    l.first = min_i64(o->first, l.steps);
    choose_period(&l, o->period);
    TRY(count_edges(&l, d));
    strbuf_addf(out,
                "  core %" PRId32 ": %" PRId64 " tiles, %" PRId64 " steps; cycles of the core, start and completion\n",
                l.core, schedule_tiles(s, l.core), l.steps);
    strbuf_addf(out, "  %11s %11s\n", "start", "done");
    const struct timing_start start = {.l2_warm = cell->l2_warm};
    TRY(timing_ref_core(study_timing(study), s, &start, l.core, take, &l));
    return STATUS_OK;
}
