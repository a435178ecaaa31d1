/* boxes.c - timing_ref's instructions gathered into boxes: one for all
 * instructions of an operand in a step, because a B of four loads is one load
 * to whoever looks at the picture. */
#include <stdlib.h>

#include "study/boxes.h"

struct gather {
    struct study_boxes *boxes;
    int64_t first, last;
};

static struct study_box *push(struct study_boxes *b)
{
    if (b->n == b->cap) {
        const size_t cap = b->cap ? 2 * b->cap : 256;
        struct study_box *more = realloc(b->v, cap * sizeof(*more));
        if (!more) {
            b->failed = true;
            return NULL;
        }
        b->v = more;
        b->cap = cap;
    }
    return &b->v[b->n++];
}

/* The box this instruction belongs to, if it was begun: looked for among the last few. */
static struct study_box *open_box(struct study_boxes *b, const struct insn *in)
{
    for (size_t i = b->n; i > 0 && b->n - i < 8; i--) {
        struct study_box *box = &b->v[i - 1];
        if (box->pipe == in->pipe && box->role == in->role && box->step == in->step) {
            return box;
        }
    }
    return NULL;
}

static bool take(void *ctx, const struct timing_event *e)
{
    struct gather *g = ctx;
    const struct insn *in = &e->insn;
    if ((int64_t)in->step > g->last) {
        return false;
    }
    const bool occupies = in->op != OP_NOP && in->op < OP_SET_FLAG;
    if ((int64_t)in->step < g->first || !occupies) {
        return true;
    }
    struct study_box *box = open_box(g->boxes, in);
    if (box) {
        box->occupied = e->occupied;
        box->end = e->end;
        return true;
    }
    box = push(g->boxes);
    if (!box) {
        return false;
    }
    const struct addr *slot = in->pipe == PIPE_M || in->pipe == PIPE_FIX ? &in->src : &in->dst;
    *box = (struct study_box){.start = e->start,
                              .occupied = e->occupied,
                              .end = e->end,
                              .step = in->step,
                              .pipe = in->pipe,
                              .role = in->role,
                              .half = (uint8_t)slot->half};
    return true;
}

bool study_boxes_of(struct study *study, const struct cell *cell, const struct schedule *s,
                    const struct study_window *w, struct study_boxes *out)
{
    *out = (struct study_boxes){0};
    struct gather g = {.boxes = out, .first = w->first, .last = w->last};
    const struct timing_start start = {.l2_warm = cell->l2_warm};
    const enum status st = timing_ref_core(study_timing(study), s, &start, w->core, take, &g);
    return st == STATUS_OK && !out->failed;
}

void study_boxes_fini(struct study_boxes *b)
{
    free(b->v);
    *b = (struct study_boxes){0};
}

int32_t study_busiest_core(const struct schedule *s)
{
    int32_t best = 0;
    for (int32_t c = 1; c < s->cores; c++) {
        if (schedule_steps(s, c) > schedule_steps(s, best)) {
            best = c;
        }
    }
    return best;
}
