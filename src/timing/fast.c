/* fast.c - timing_fast: the recurrence over the tiles of each distinct core.
 *
 * Tile memo: start states are interned; (cost record, state) gives the time a
 * tile takes and the state after it. In a steady run a core's tile is then one
 * look-up. States and keys are compared whole, never by hash alone. The memo
 * lives for one tiling: another tiling has other costs. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "base/rng.h"
#include "timing/context.h"
#include "timing/recurrence.h"
#include "timing/table.h"

/* Beyond this many a tiling's memo stops growing; tiles are then simulated. */
#define MEMO_MAX 100000U

struct memo {
    uint32_t record, state, next;
    struct tile_time time;
};

struct fast {
    struct shape_work *works;
    struct tile_cost *records; /* one per context */
    struct tile_state *states;
    struct memo *memos;
    uint32_t work_cap, record_cap, state_cap, memo_cap;
    uint32_t state_count, memo_count;
    struct table state_index, memo_index;
};

enum status fast_create(struct fast **out)
{
    struct fast *f = calloc(1, sizeof *f);
    *out = f;
    if (f == NULL || !table_init(&f->state_index, 8) || !table_init(&f->memo_index, 10)) {
        return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

void fast_destroy(struct fast *f)
{
    if (f != NULL) {
        free(f->works);
        free(f->records);
        free(f->states);
        free(f->memos);
        table_fini(&f->state_index);
        table_fini(&f->memo_index);
        free(f);
    }
}

/* Room for `count` elements of `size`; contents are kept. */
static bool reserve(void *array, uint32_t *cap, uint32_t count, size_t size)
{
    if (count <= *cap) {
        return true;
    }
    uint32_t bigger = *cap == 0 ? 64 : *cap;
    while (bigger < count) {
        bigger *= 2;
    }
    void *moved = realloc(*(void **)array, bigger * size);
    if (moved == NULL) {
        return false;
    }
    *(void **)array = moved;
    *cap = bigger;
    return true;
}

/* --- interned states and memo --------------------------------------------- */

static uint64_t state_hash(const void *ctx, uint32_t index)
{
    return hash_bytes(&((const struct fast *)ctx)->states[index], sizeof(struct tile_state));
}

static uint64_t memo_hash_of(uint32_t record, uint32_t state)
{
    return rng_mix((uint64_t)record << 32 | state);
}

static uint64_t memo_hash(const void *ctx, uint32_t index)
{
    const struct memo *m = &((const struct fast *)ctx)->memos[index];
    return memo_hash_of(m->record, m->state);
}

/* UINT32_MAX on lack of memory. */
static uint32_t state_intern(struct fast *f, const struct tile_state *state)
{
    const uint64_t hash = hash_bytes(state, sizeof *state);
    uint32_t at = TABLE_START, i;
    while ((i = table_next(&f->state_index, hash, &at)) != UINT32_MAX) {
        if (memcmp(&f->states[i], state, sizeof *state) == 0) {
            return i;
        }
    }
    if (!reserve(&f->states, &f->state_cap, f->state_count + 1, sizeof *f->states)) {
        return UINT32_MAX;
    }
    f->states[f->state_count] = *state;
    if (!table_add(&f->state_index, hash, f->state_count, state_hash, f)) {
        return UINT32_MAX;
    }
    return f->state_count++;
}

static const struct memo *memo_find(const struct fast *f, uint32_t record, uint32_t state)
{
    uint32_t at = TABLE_START, i;
    while ((i = table_next(&f->memo_index, memo_hash_of(record, state), &at)) != UINT32_MAX) {
        if (f->memos[i].record == record && f->memos[i].state == state) {
            return &f->memos[i];
        }
    }
    return NULL;
}

/* Simulates the tile and remembers it. NULL on lack of memory. */
static const struct memo *memo_make(struct fast *f, const struct recurrence *r, uint32_t record, uint32_t state)
{
    struct tile_state x = f->states[state];
    struct memo m = {.record = record, .state = state};
    recurrence_tile(r, &f->records[record], &x, &m.time);
    m.next = state_intern(f, &x);
    if (m.next == UINT32_MAX || !reserve(&f->memos, &f->memo_cap, f->memo_count + 1, sizeof *f->memos)) {
        return NULL;
    }
    f->memos[f->memo_count] = m;
    if (!table_add(&f->memo_index, memo_hash_of(record, state), f->memo_count, memo_hash, f)) {
        return NULL;
    }
    return &f->memos[f->memo_count++];
}

static void memo_clear(struct fast *f)
{
    f->state_count = 0;
    f->memo_count = 0;
    table_clear(&f->state_index);
    table_clear(&f->memo_index);
}

/* --- cores ---------------------------------------------------------------- */

static void core_add(struct core_time *core, int64_t *tm, const struct tile_time *tile)
{
    core->end = max_i64(core->end, *tm + tile->end);
    *tm += tile->tm;
    for (int pipe = 0; pipe < PIPE_N; pipe++) {
        core->busy[pipe] += tile->busy[pipe];
    }
}

/* Tiles from `t` on without memo. */
static void run_plain(const struct fast *f, const struct recurrence *r, const struct mem_sequence *q, int64_t t,
                      struct tile_state x, int64_t tm, struct core_time *core, uint64_t *steps)
{
    for (; t < q->tiles; t++) {
        struct tile_time tile;
        recurrence_tile(r, &f->records[q->contexts[t]], &x, &tile);
        core_add(core, &tm, &tile);
        *steps += (uint64_t)tile.steps;
    }
}

static enum status run_sequence(struct fast *f, const struct recurrence *r, const struct mem_sequence *q, bool memo,
                                struct core_time *core, uint64_t *steps)
{
    struct tile_state start;
    int64_t tm = 0;
    memset(core, 0, sizeof *core);
    tile_state_start(&start, r);
    if (!memo) {
        run_plain(f, r, q, 0, start, tm, core, steps);
        return STATUS_OK;
    }
    uint32_t state = state_intern(f, &start);
    if (state == UINT32_MAX) {
        return STATUS_NO_MEMORY;
    }
    for (int64_t t = 0; t < q->tiles; t++) {
        const struct memo *m = memo_find(f, q->contexts[t], state);
        if (m == NULL && f->memo_count == MEMO_MAX) {
            run_plain(f, r, q, t, f->states[state], tm, core, steps);
            break;
        }
        if (m == NULL) {
            m = memo_make(f, r, q->contexts[t], state);
            if (m == NULL) {
                return STATUS_NO_MEMORY;
            }
            *steps += (uint64_t)m->time.steps;
        }
        core_add(core, &tm, &m->time);
        state = m->next;
    }
    return STATUS_OK;
}

/* --- costs ---------------------------------------------------------------- */

/* The longest a step of this tile can take. */
static int64_t longest_step(const struct cost *c, const struct tile_cost *t)
{
    int64_t sum = t->store + c->copy_latency + c->mmad_latency + c->mmad_issue + c->fixpipe_issue + c->tile_barrier +
                  8 * c->sync;
    for (int kind = 0; kind < COST_KINDS; kind++) {
        sum += t->copy[ROLE_A][kind] + t->copy[ROLE_B][kind] + t->load[ROLE_A][kind] + t->load[ROLE_B][kind] +
               t->mmad[kind];
    }
    return sum;
}

/* Cost records of all contexts. */
static enum status make_records(struct fast *f, const struct schedule *s, const struct cost *c,
                                const struct mem_geometry *g)
{
    int64_t longest = 0;
    if (!reserve(&f->works, &f->work_cap, g->shape_count, sizeof *f->works) ||
        !reserve(&f->records, &f->record_cap, g->context_count, sizeof *f->records)) {
        return STATUS_NO_MEMORY;
    }
    for (uint32_t i = 0; i < g->shape_count; i++) {
        shape_work_init(&f->works[i], c, s, &g->shapes[i]);
    }
    for (uint32_t i = 0; i < g->context_count; i++) {
        const struct mem_context *context = &g->contexts[i];
        tile_cost_init(&f->records[i], c, &f->works[context->shape], g, context);
        longest = max_i64(longest, longest_step(c, &f->records[i]));
    }
    return run_time_check(s, longest);
}

enum status timing_fast(struct timing *t, const struct schedule *s, const struct timing_start *start,
                        struct timing_result *out)
{
    struct cost cost;
    struct recurrence r;
    const struct mem_geometry *g;
    struct run_time run = {0};
    uint64_t steps = 0;
    cost_init(&cost, s);
    recurrence_init(&r, s, &cost);
    r.skip = t->shortcuts > 0;
    TRY(memctx_get(t->memory, s, start->l2_warm, &g));
    TRY(make_records(t->fast, s, &cost, g));
    memo_clear(t->fast);
    for (uint32_t i = 0; i < g->sequence_count; i++) {
        struct core_time core;
        TRY(run_sequence(t->fast, &r, &g->sequences[i], t->shortcuts > 1, &core, &steps));
        run_time_add(&run, &cost, &core, g->sequences[i].cores);
    }
    result_fill(out, s, &cost, g, &run);
    out->steps_simulated = steps;
    return STATUS_OK;
}
