/* lower_list.h - an instruction list under construction. Internal to schedule/. */
#ifndef SCHEDULE_LOWER_LIST_H
#define SCHEDULE_LOWER_LIST_H

#include <string.h>

#include "schedule/schedule.h"

/* Event ids of the kernel (tiling/plan_events.c has the table). */
enum {
    ID_B = 2,    /* first id of operand B */
    ID_BIAS = 4, /* of the bias row on MTE1_MTE2 and MTE2_MTE1 */
    ID_QUANT = 5 /* of the quant row on the same */
};

struct list {
    const struct schedule *s;
    uint32_t step;
    struct insn *out;
    int n;
};

static inline struct insn *list_push(struct list *l, enum op op, enum pipe pipe, enum role role)
{
    struct insn *i = &l->out[l->n++];
    memset(i, 0, sizeof *i);
    i->op = (uint8_t)op;
    i->pipe = (uint8_t)pipe;
    i->role = (uint8_t)role;
    i->step = l->step;
    return i;
}

static inline void list_set(struct list *l, enum hard_event e, int id, unsigned flags)
{
    struct insn *i = list_push(l, OP_SET_FLAG, hard_event_setter(e), ROLE_C);
    i->event = INSN_EVENT(e, id);
    i->flags = (uint16_t)flags;
}

static inline void list_wait(struct list *l, enum hard_event e, int id, unsigned flags)
{
    struct insn *i = list_push(l, OP_WAIT_FLAG, hard_event_waiter(e), ROLE_C);
    i->event = INSN_EVENT(e, id);
    i->flags = (uint16_t)flags;
}

static inline void list_barrier(struct list *l, enum pipe pipe)
{
    list_push(l, OP_PIPE_BARRIER, pipe, ROLE_C)->p.barrier.pipe = (uint8_t)pipe;
}

/* Marks list[first..] as the instructions of one copy or load. */
static inline void list_group(struct list *l, int first)
{
    if (l->n > first) {
        l->out[first].flags |= INSN_FIRST;
        l->out[l->n - 1].flags |= INSN_LAST;
    }
}

#endif
