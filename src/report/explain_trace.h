/* explain_trace.h - the instructions of a core as they ran, each with what it
 * waited for. Internal to explain_time.c and its parts: explain_trace.c finds
 * the predecessors, explain_costs.c says what an instruction lasts and why,
 * explain_chain.c follows the waits. */
#ifndef REPORT_EXPLAIN_TRACE_H
#define REPORT_EXPLAIN_TRACE_H

#include "report/explain_time.h"
#include "timing/cost.h"

#define KINDS_MAX 24
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

void explain_trace_init(struct trace *t, const struct schedule *s);

/* A timing_sink: `ctx` is a struct trace. Stops when it is full. */
bool explain_trace_event(void *ctx, const struct timing_event *e);

/* "Mmad", "copy A", "load scales of B". */
void explain_kind_name(uint8_t op, uint8_t role, struct strbuf *out);
/* Thousandths with three decimals. */
void explain_cycles(int64_t mcyc, struct strbuf *out);

/* Kinds of instructions: how many, cycles each, and why; then the numbers used. */
void explain_costs(const struct trace *t, const struct cost *c, struct strbuf *out);

/* Fill and drain, the critical cycle of the steady period, the chain that sets the end. */
void explain_chains(const struct trace *t, const struct cost *c, struct strbuf *out);

#endif
