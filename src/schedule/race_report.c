/* race_report.c - violations in words. */
#include <inttypes.h>

#include "isa/fields.h"
#include "schedule/race_internal.h"

const char *race_kind_name(enum race_kind kind)
{
    static const char *const names[RACE_KINDS] = {
        [RACE_UNORDERED] = "unordered",   [RACE_BARRIER] = "barrier",       [RACE_UNIT_FLAG] = "unit_flag",
        [RACE_WAIT_UNSET] = "wait_unset", [RACE_SET_TWICE] = "set_twice",   [RACE_LEFT_SET] = "left_set",
        [RACE_EVENT_ID] = "event_id",     [RACE_EVENT_PAIR] = "event_pair", [RACE_PIPE] = "pipe",
    };
    return kind < RACE_KINDS ? names[kind] : "?";
}

static void add_insn(struct strbuf *out, const struct insn *insn)
{
    strbuf_addf(out, "step %u: ", insn->step);
    insn_format(insn, out);
}

static void add_cure(const struct race_violation *v, struct strbuf *out)
{
    if (v->kind == RACE_BARRIER) {
        strbuf_addf(out, "PipeBarrier<PIPE_%s> between them is missing", pipe_name((enum pipe)v->pipe));
        return;
    }
    strbuf_add(out, "nothing orders them: ");
    if (v->event == HARD_EVENT_N) {
        strbuf_addf(out, "flags from %s to %s by way of a third pipe would", pipe_name((enum pipe)v->first_pipe),
                    pipe_name((enum pipe)v->pipe));
    } else {
        strbuf_addf(out, "SetFlag %s after the first and its WaitFlag before the second would",
                    hard_event_name((enum hard_event)v->event));
    }
}

static void add_collision(const struct race_violation *v, struct strbuf *out)
{
    add_insn(out, &v->second);
    strbuf_addf(out, ": %s %s bytes [0x%" PRIx64 ", 0x%" PRIx64 ") that ", v->write ? "writes" : "reads",
                buffer_name((enum buffer)v->buf), (uint64_t)v->lo, (uint64_t)v->hi);
    if (v->has_first) {
        add_insn(out, &v->first);
    } else {
        strbuf_addf(out, "a much earlier instruction of %s", pipe_name((enum pipe)v->first_pipe));
    }
    strbuf_addf(out, " %s; ", v->first_write ? "writes" : "reads");
    add_cure(v, out);
}

static const char *unit_words(const struct insn *insn)
{
    if (insn->op == OP_FIXPIPE) {
        return "waits by unit flag for a Mmad with unitFlag 3 that did not fill these bytes";
    }
    return insn->p.mmad.unitFlag == 2 || insn->p.mmad.unitFlag == 3
               ? "the unit flag of these bytes is not freed: a Fixpipe with unitFlag 3 over all of the Mmad's bytes is "
                 "missing"
               : "unitFlag is 0, 2 or 3";
}

void race_violation_text(const struct race_violation *v, struct strbuf *out)
{
    strbuf_addf(out, "core %d, ", v->core);
    switch ((enum race_kind)v->kind) {
    case RACE_UNORDERED:
    case RACE_BARRIER:
        add_collision(v, out);
        return;
    case RACE_UNIT_FLAG:
        add_insn(out, &v->second);
        strbuf_addf(out, ": L0C bytes [0x%" PRIx64 ", 0x%" PRIx64 "): %s", (uint64_t)v->lo, (uint64_t)v->hi,
                    unit_words(&v->second));
        return;
    case RACE_SET_TWICE:
        add_insn(out, &v->second);
        if (v->has_first && v->first.op == OP_WAIT_FLAG) {
            strbuf_addf(out, ": %s may set it again before the wait of step %u took it",
                        pipe_name((enum pipe)v->second.pipe), v->first.step);
        } else {
            strbuf_add(out, ": the flag is already set; set twice without a wait is undefined");
        }
        return;
    case RACE_WAIT_UNSET:
        add_insn(out, &v->second), strbuf_add(out, ": nothing before it sets this flag");
        return;
    case RACE_LEFT_SET:
        add_insn(out, &v->second), strbuf_add(out, ": the flag is still set at the end");
        return;
    case RACE_EVENT_ID:
        add_insn(out, &v->second), strbuf_add(out, ": an event id the target reserves");
        return;
    case RACE_EVENT_PAIR:
        add_insn(out, &v->second), strbuf_add(out, ": the target has no flag between these pipes");
        return;
    case RACE_PIPE:
        add_insn(out, &v->second), strbuf_add(out, ": the instruction does not run on this pipe");
        return;
    case RACE_KINDS:
        return;
    }
}
