/* fast.c - timing_fast: the recurrence over the tiles of each distinct core.
 *
 * Tile memo: start states are interned; a cell (state, cost record) gives the
 * time a tile takes and the state after it. In a steady run a core's tile is
 * then one look-up. States are compared whole, never by hash alone. The memo
 * lives for one tiling: another tiling has other costs. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "timing/context.h"
#include "timing/recurrence.h"
#include "timing/table.h"

/* Cells of a tiling's memo; when there would be more, tiles are simulated. */
#define CELLS_MAX (1U << 22)

struct memo {
    struct tile_time time;
    uint32_t next; /* state after the tile */
};

struct fast {
    struct shape_work *works;
    struct tile_cost *records; /* one per context */
    struct tile_state *states;
    uint32_t *cells; /* states x records: index of a memo + 1, 0: none yet */
    struct memo *memos;
    uint32_t work_cap, record_cap, state_cap, cell_cap, memo_cap;
    uint32_t record_count, state_count, memo_count;
    struct table state_index;
    size_t state_bytes; /* of a state that count */
};

enum status fast_create(struct fast **out)
{
    struct fast *f = calloc(1, sizeof *f);
    *out = f;
    if (f == NULL || !table_init(&f->state_index, 8)) {
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
        free(f->cells);
        free(f->memos);
        table_fini(&f->state_index);
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
    const struct fast *f = ctx;
    return hash_bytes(&f->states[index], f->state_bytes);
}

/* No more states: out of memory, or of cells. */
#define STATE_NONE     UINT32_MAX
#define STATE_TOO_MANY (UINT32_MAX - 1)

static uint32_t state_intern(struct fast *f, const struct tile_state *state)
{
    const uint64_t hash = hash_bytes(state, f->state_bytes);
    uint32_t at = TABLE_START, i;
    while ((i = table_next(&f->state_index, hash, &at)) != UINT32_MAX) {
        if (memcmp(&f->states[i], state, f->state_bytes) == 0) {
            return i;
        }
    }
    const uint64_t cells = (uint64_t)(f->state_count + 1) * f->record_count;
    if (cells > CELLS_MAX) {
        return STATE_TOO_MANY;
    }
    if (!reserve(&f->states, &f->state_cap, f->state_count + 1, sizeof *f->states) ||
        !reserve(&f->cells, &f->cell_cap, (uint32_t)cells, sizeof *f->cells)) {
        return STATE_NONE;
    }
    f->states[f->state_count] = *state;
    if (!table_add(&f->state_index, hash, f->state_count, state_hash, f)) {
        return STATE_NONE;
    }
    memset(f->cells + (size_t)f->state_count * f->record_count, 0, f->record_count * sizeof *f->cells);
    return f->state_count++;
}

static uint32_t *cell(const struct fast *f, uint32_t state, uint32_t record)
{
    return &f->cells[(size_t)state * f->record_count + record];
}

/* Remembers a tile simulated from `state`. @return the state after it. */
static uint32_t memo_add(struct fast *f, uint32_t state, uint32_t record, const struct tile_time *time,
                         const struct tile_state *after)
{
    const uint32_t next = state_intern(f, after);
    if (next >= STATE_TOO_MANY) {
        return next;
    }
    if (!reserve(&f->memos, &f->memo_cap, f->memo_count + 1, sizeof *f->memos)) {
        return STATE_NONE;
    }
    f->memos[f->memo_count] = (struct memo){.time = *time, .next = next};
    *cell(f, state, record) = ++f->memo_count;
    return next;
}

static void memo_clear(struct fast *f, const struct recurrence *r)
{
    f->state_bytes = tile_state_bytes(r);
    f->state_count = 0;
    f->memo_count = 0;
    table_clear(&f->state_index);
}

/* --- cores ---------------------------------------------------------------- */

/* `count` equal tiles, one after the other. tm never falls, so the last one ends last. */
static void core_add(struct core_time *core, int64_t *tm, const struct tile_cost *cost, const struct tile_time *tile,
                     int64_t count)
{
    core->steps += count * cost->program.nk;
    core->end = max_i64(core->end, *tm + (count - 1) * tile->tm + tile->end);
    *tm += count * tile->tm;
    for (int pipe = 0; pipe < PIPE_N; pipe++) {
        core->busy[pipe] += count * tile->busy[pipe];
    }
}

/* Tiles from `t` on without memo. */
static void run_plain(const struct fast *f, const struct recurrence *r, const struct mem_sequence *q, int64_t t,
                      struct tile_state x, int64_t tm, struct core_time *core, uint64_t *steps)
{
    for (; t < q->tiles; t++) {
        struct tile_time tile;
        const struct tile_cost *cost = &f->records[q->contexts[t]];
        recurrence_tile(r, cost, &x, &tile);
        core_add(core, &tm, cost, &tile, 1);
        *steps += (uint64_t)tile.steps;
    }
}

/* Tiles from `t` on in the same context. */
static int64_t run_length(const struct mem_sequence *q, int64_t t)
{
    int64_t end = t + 1;
    while (end < q->tiles && q->contexts[end] == q->contexts[t]) {
        end++;
    }
    return end - t;
}

static enum status run_sequence(struct fast *f, const struct recurrence *r, const struct mem_sequence *q, bool memo,
                                struct core_time *core, uint64_t *steps)
{
    struct tile_state x;
    int64_t tm = 0, t = 0;
    memset(core, 0, sizeof *core);
    tile_state_start(&x, r);
    uint32_t state = memo ? state_intern(f, &x) : STATE_TOO_MANY;
    for (; t < q->tiles && state < STATE_TOO_MANY; t++) {
        const uint32_t record = q->contexts[t], found = *cell(f, state, record);
        if (found != 0) {
            const struct memo *known = &f->memos[found - 1];
            const int64_t count = known->next == state ? run_length(q, t) : 1;
            core_add(core, &tm, &f->records[record], &known->time, count);
            state = known->next;
            t += count - 1;
            continue;
        }
        struct tile_time tile;
        x = f->states[state];
        recurrence_tile(r, &f->records[record], &x, &tile);
        core_add(core, &tm, &f->records[record], &tile, 1);
        *steps += (uint64_t)tile.steps;
        state = memo_add(f, state, record, &tile, &x);
    }
    if (state == STATE_NONE) {
        return STATUS_NO_MEMORY;
    }
    if (t < q->tiles) { /* too many states to remember: go on from the last one */
        run_plain(f, r, q, t, x, tm, core, steps);
    }
    return STATUS_OK;
}

/* --- costs ---------------------------------------------------------------- */

/* The longest a step of this tile can take. */
static int64_t longest_step(const struct cost *c, const struct tile_cost *t)
{
    int64_t sum = t->store + c->copy_latency + c->mmad_latency + c->mmad_issue + c->fixpipe_issue + c->tile_barrier +
                  8 * c->sync;
    for (int i = 0; i < TILE_ROWS; i++) {
        sum += t->row[i].copy + c->copy_latency + t->row[i].complete + 3 * c->sync;
    }
    for (int kind = 0; kind < COST_KINDS; kind++) {
        sum += t->copy[ROLE_SA][kind] + t->copy[ROLE_SB][kind] + t->fill[ROLE_A][kind] + t->fill[ROLE_B][kind];
        sum += t->copy[ROLE_A][kind] + t->copy[ROLE_B][kind] + t->load[ROLE_A][kind] + t->load[ROLE_B][kind] +
               t->mmad[kind];
    }
    return sum;
}

/* The hits of neighbouring contexts are mostly those of one of the last few. */
#define HITS_KEPT 8

struct hits_kept {
    struct tile_hits hits[HITS_KEPT];
    const struct mem_context *of[HITS_KEPT];
    int next;
};

static const struct tile_hits *hits_of(struct hits_kept *kept, const struct fast *f, const struct cost *c,
                                       const struct mem_context *context)
{
    for (int i = 0; i < HITS_KEPT && kept->of[i] != NULL; i++) {
        const struct mem_context *of = kept->of[i];
        if (of->shape == context->shape && of->active == context->active && of->shared[0] == context->shared[0] &&
            of->shared[1] == context->shared[1]) {
            return &kept->hits[i];
        }
    }
    const int i = kept->next;
    kept->next = (i + 1) % HITS_KEPT;
    kept->of[i] = context;
    tile_hits_init(&kept->hits[i], c, &f->works[context->shape], context);
    return &kept->hits[i];
}

enum status fast_records(struct fast *f, const struct schedule *s, const struct cost *c, const struct mem_geometry *g,
                         const struct tile_cost **out)
{
    int64_t longest = 0;
    struct hits_kept kept = {.next = 0};
    if (!reserve(&f->works, &f->work_cap, g->shape_count, sizeof *f->works) ||
        !reserve(&f->records, &f->record_cap, g->context_count, sizeof *f->records)) {
        return STATUS_NO_MEMORY;
    }
    f->record_count = g->context_count;
    for (uint32_t i = 0; i < g->shape_count; i++) {
        shape_work_init(&f->works[i], c, s, &g->shapes[i]);
    }
    for (uint32_t i = 0; i < g->context_count; i++) {
        const struct mem_context *context = &g->contexts[i];
        const struct tile_hits *hits = hits_of(&kept, f, c, context);
        tile_cost_init(&f->records[i], c, &f->works[context->shape], hits, g, context);
        longest = max_i64(longest, longest_step(c, &f->records[i]));
    }
    *out = f->records;
    return run_time_check(s, g, longest);
}

/* The recurrence knows queues without limit and a conv's look-ahead of a few
 * steps. With MX it walks K in order and keeps nothing in L1: shuffled or kept
 * chunks with scales are timed by timing_ref alone. */
static bool recurrence_applies(const struct schedule *s)
{
    const bool mx = s->problem->a.mx || s->problem->b.mx;
    const bool far = s->problem->op == PROBLEM_CONV && s->target->timing.conv_look_ahead > RECURRENCE_AHEAD;
    return !far && s->target->timing.queue_depth == 0 &&
           !(mx && (s->t.shuffleK || s->t.l1Resident || s->t.scaleCopy == SCALES_BY_STEP || s->t.scaleFactorM > 1 ||
                    s->t.scaleFactorN > 1));
}

enum status timing_fast(struct timing *t, const struct schedule *s, const struct timing_start *start,
                        struct timing_result *out)
{
    struct cost cost;
    struct recurrence r;
    const struct mem_geometry *g;
    const struct tile_cost *records;
    struct run_time run = {0};
    uint64_t steps = 0;
    if (!recurrence_applies(s)) {
        return timing_ref(t, s, start, out);
    }
    cost_init(&cost, s);
    recurrence_init(&r, s, &cost);
    r.skip = t->shortcuts > 0;
    TRY(memctx_get(t->memory, s, start->l2_warm, &g));
    TRY(fast_records(t->fast, s, &cost, g, &records));
    memo_clear(t->fast, &r);
    for (uint32_t i = 0; i < g->sequence_count; i++) {
        struct core_time core;
        TRY(run_sequence(t->fast, &r, &g->sequences[i], t->shortcuts > 1, &core, &steps));
        run_time_add(&run, &cost, &core, g->sequences[i].cores);
    }
    result_fill(out, s, &cost, g, &run);
    out->steps_simulated = steps;
    return STATUS_OK;
}
