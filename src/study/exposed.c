/* exposed.c - one walk over the moments of a core. */
#include "study/exposed.h"

#include <inttypes.h>

#include "base/intmath.h"
#include "study/boxes.h"

/* Pipes in the order in which a moment is counted. */
static const enum pipe priority[4] = {PIPE_M, PIPE_MTE2, PIPE_MTE1, PIPE_FIX};

struct cursor {
    size_t at; /* next box of this pipe */
    int64_t from, to;
};

static void advance(const struct study_boxes *b, enum pipe pipe, int64_t now, struct cursor *c)
{
    while (c->to <= now) {
        while (c->at < b->n && b->v[c->at].pipe != pipe) {
            c->at++;
        }
        if (c->at == b->n) {
            c->from = c->to = INT64_MAX;
            return;
        }
        c->from = b->v[c->at].start;
        c->to = max_i64(b->v[c->at].end, c->to);
        c->at++;
    }
}

/* Boxes of one pipe are in order of start, so one walk over the moments does. */
static void split(const struct study_boxes *b, int64_t out[EXPOSED_N])
{
    struct cursor c[4] = {{0}};
    int64_t last = 0;
    for (size_t i = 0; i < b->n; i++) {
        last = max_i64(last, b->v[i].end);
    }
    for (int64_t now = 0; now < last;) {
        int64_t until = last;
        int winner = EXPOSED_WAIT;
        for (int k = 3; k >= 0; k--) {
            advance(b, priority[k], now, &c[k]);
            if (c[k].from <= now) {
                winner = k;
                until = min_i64(until, c[k].to);
            } else {
                until = min_i64(until, c[k].from);
            }
        }
        out[winner] += until - now;
        now = until;
    }
}

bool study_exposed(struct study *study, const struct cell *cell, const struct record *r, int64_t out[EXPOSED_N],
                   struct strbuf *why)
{
    struct schedule s;
    struct infeasible reason = {0};
    struct study_boxes boxes;
    if (study_schedule(cell, &r->t, &s, &reason, NULL) != STATUS_OK || reason.reason != REASON_NONE) {
        strbuf_add(why, "a tiling has no schedule");
        return false;
    }
    struct study_window all = {.core = study_busiest_core(&s)};
    const int64_t steps = schedule_steps(&s, all.core);
    if (steps > EXPOSED_STEPS) {
        strbuf_addf(why, "a core takes %" PRId64 " steps, more than the %d replayed for it", steps, EXPOSED_STEPS);
        return false;
    }
    all.last = steps - 1;
    const bool ok = study_boxes_of(study, cell, &s, &all, &boxes);
    if (ok) {
        int64_t sum = 0;
        for (int k = 0; k < EXPOSED_N; k++) {
            out[k] = 0;
        }
        split(&boxes, out);
        for (int k = 0; k < EXPOSED_LAUNCH; k++) {
            sum += out[k];
        }
        out[EXPOSED_LAUNCH] = max_i64(0, r->task - sum);
    } else {
        strbuf_add(why, "no memory");
    }
    study_boxes_fini(&boxes);
    return ok;
}
