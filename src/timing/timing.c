/* timing.c - the context of a thread, and what a run adds up to. */
#include "timing/timing.h"

#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "timing/context.h"

enum status timing_create(struct timing **out)
{
    struct timing *t = calloc(1, sizeof *t);
    *out = NULL;
    if (t == NULL) {
        return STATUS_NO_MEMORY;
    }
    t->shortcuts = 2;
    if (memctx_cache_create(&t->memory) != STATUS_OK || fast_create(&t->fast) != STATUS_OK) {
        timing_destroy(t);
        return STATUS_NO_MEMORY;
    }
    *out = t;
    return STATUS_OK;
}

void timing_destroy(struct timing *t)
{
    if (t != NULL) {
        memctx_cache_destroy(t->memory);
        fast_destroy(t->fast);
        free(t);
    }
}

double timing_us(const struct target *target, int64_t mcyc)
{
    return (double)mcyc / (1e6 * target->ghz);
}

void run_time_add(struct run_time *r, const struct cost *c, const struct core_time *core, int64_t count)
{
    const int64_t time = c->init + core->end;
    r->sum += time * count;
    r->steps += core->steps * count;
    for (int pipe = 0; pipe < PIPE_N; pipe++) {
        r->busy[pipe] += core->busy[pipe] * count;
    }
    if (time > r->slowest) {
        r->slowest = time;
        memcpy(r->slowest_busy, core->busy, sizeof r->slowest_busy);
    }
}

/* sum / n, nearest. */
static int64_t mean(int64_t sum, int64_t n)
{
    return n == 0 ? 0 : (sum + n / 2) / n;
}

void result_fill(struct timing_result *out, const struct schedule *s, const struct cost *c,
                 const struct mem_geometry *g, const struct run_time *r)
{
    memset(out, 0, sizeof *out);
    out->split = c->split;
    out->task = c->launch + r->slowest + c->split;
    out->core_max = r->slowest;
    out->core_mean = mean(r->sum, s->cores_active);
    for (int pipe = 0; pipe < PIPE_N; pipe++) {
        out->busy[pipe] = mean(r->busy[pipe], s->cores_active);
        if (r->slowest_busy[pipe] > r->slowest_busy[out->bound_pipe]) {
            out->bound_pipe = (uint8_t)pipe;
        }
    }
    out->hbm = g->hbm;
    out->steps = (uint64_t)r->steps;
    out->unvalidated = result_unvalidated(s, c);
}

enum status run_time_check(const struct schedule *s, const struct mem_geometry *g, int64_t longest)
{
    int64_t tiles = 1, steps, time;
    for (uint32_t i = 0; i < g->sequence_count; i++) {
        tiles = max_i64(tiles, g->sequences[i].tiles);
    }
    if (!mul_ok(tiles, max_i64(s->nk, s->nk_last), &steps)) {
        return STATUS_LIMIT;
    }
    /* The sum over cores must stay in range too. */
    if (!mul_ok(steps, longest, &time) || !mul_ok(time, s->cores, &time) || time > COST_TIME_MAX) {
        return STATUS_LIMIT;
    }
    return STATUS_OK;
}
