/* explain_time.c - durations with their formulas, and the critical chain, of
 * one core. */
#include "report/explain_time.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/intmath.h"
#include "report/explain_trace.h"

void explain_kind_name(uint8_t op, uint8_t role, struct strbuf *out)
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

void explain_cycles(int64_t mcyc, struct strbuf *out)
{
    strbuf_addf(out, "%" PRId64 ".%03d", mcyc / 1000, (int)(mcyc % 1000));
}

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

static void add_trace(const struct trace *t, const struct cost *c, int32_t core, struct strbuf *out)
{
    strbuf_addf(out, "  instructions of core %" PRId32 ": how many, cycles each, and why%s:\n", core,
                t->full ? " (the first ones: its program is longer)" : "");
    explain_costs(t, c, out);
    explain_chains(t, c, out);
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
    explain_trace_init(t, s);
    cost_init(&c, s);
    core = core < 0 ? slowest_core(timing, s, &start) : core;
    const enum status st = timing_ref_core(timing, s, &start, core, explain_trace_event, t);
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
