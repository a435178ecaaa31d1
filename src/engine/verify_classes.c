/* verify_classes.c - patterns of tiles: finding, running, sharing. The argument
 * why this is enough stands in verify.h. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "engine/cover.h"
#include "engine/exec.h"
#include "engine/verify_internal.h"
#include "schedule/conv_tiles.h"
#include "tiling/loads.h"

/* --- running one pattern ------------------------------------------------- */

/* Steps of a tile that are executed: [0, head) and [head + skip, nk). */
struct cut {
    int64_t period, head, skip;
};

static struct cut make_cut(const struct schedule *s, const struct tile *tile)
{
    const int64_t period = schedule_period(s), nk = schedule_tile_steps(s, tile);
    struct cut c = {period, nk, 0};
    const bool moves = !tile->hold[ROLE_A].resident && !tile->hold[ROLE_B].resident;
    if (schedule_periodic(s) && moves && nk > 2 * period) {
        c.head = 2 * period;
        c.skip = (nk - 2 * period - 1) / period * period; /* the last step is always run */
    }
    return c;
}

static enum status check_skipped(struct verify *v, int32_t core, int64_t first, const struct cut *c, struct diag *d)
{
    for (int64_t j = c->head; j < c->head + c->skip; j++) {
        const int64_t ref = c->period + j % c->period; /* in the second period */
        const struct shift by = {.dk = (j - ref) * v->s->t.baseK};
        TRY(verify_compare_steps(v, (struct step_id){core, first + ref}, (struct step_id){core, first + j}, &by, d));
    }
    return STATUS_OK;
}

/* Tiles that must run before the pattern's own, in order. */
struct chain {
    int64_t t[16];
    int count;
    bool overflow; /* too many: run all tiles from the first */
};

static void chain_add(struct chain *c, int64_t t)
{
    int i = 0;
    while (i < c->count && c->t[i] < t) {
        i++;
    }
    if (i < c->count && c->t[i] == t) {
        return;
    }
    if (c->count == (int)(sizeof c->t / sizeof c->t[0])) {
        c->overflow = true;
        return;
    }
    memmove(&c->t[i + 1], &c->t[i], (size_t)(c->count - i) * sizeof c->t[0]);
    c->t[i] = t;
    c->count++;
}

/* The tile that brought what `tile` finds of an operand in L1: itself, the one
 * that loaded its group or slice, or the one whose chunks are still there. */
static int64_t loader_of(const struct schedule *s, const struct tile *tile, enum role role)
{
    struct tile x = *tile;
    const int32_t slots = role == ROLE_A ? s->t.dbA1 : s->t.dbB1;
    while (x.t > 0) {
        if (s->hold[role] == HOLD_CHUNKS && !x.hold[role].resident) {
            break;
        }
        if (s->hold[role] != HOLD_CHUNKS && x.hold[role].load) {
            break;
        }
        const int64_t back = s->hold[role] == HOLD_CHUNKS ? slots / s->chunks[role] : 1;
        schedule_tile_at(s, tile->core, x.t - back, &x);
    }
    return x.t;
}

/* Scales of several tiles (scaleFactorM, N) come with the first of them. */
static int64_t scale_loader_of(const struct schedule *s, const struct tile *tile, enum role role)
{
    struct tile x = *tile;
    while (x.t > 0 && s->hold[role] == HOLD_CHUNKS && !x.hold[role].load_scales) {
        schedule_tile_at(s, tile->core, x.t - 1, &x);
    }
    return x.t;
}

/* The tile that gives back the slot which `tile` took for a group; the pattern's
 * own tile `last` if none before it does. */
static int64_t releaser_of(const struct schedule *s, const struct tile *tile, enum role role, int64_t last)
{
    struct tile x = *tile;
    while (s->hold[role] != HOLD_CHUNKS && !x.hold[role].release && x.t < last) {
        schedule_tile_at(s, tile->core, x.t + 1, &x);
    }
    return x.t;
}

/* Adds tile `t` and, before it, what it needs in L1: the tiles that brought it,
 * and those that freed what these took. `last`: the pattern's own tile. */
static void chain_need(const struct schedule *s, int32_t core, int64_t t, int64_t last, struct chain *c)
{
    chain_add(c, t);
    for (int i = 0; i < c->count && !c->overflow; i++) { /* grows at the front: walk until nothing is new */
        struct tile tile;
        const int before = c->count;
        schedule_tile_at(s, core, c->t[i], &tile);
        chain_add(c, loader_of(s, &tile, ROLE_A));
        chain_add(c, loader_of(s, &tile, ROLE_B));
        chain_add(c, scale_loader_of(s, &tile, ROLE_A));
        chain_add(c, scale_loader_of(s, &tile, ROLE_B));
        chain_add(c, releaser_of(s, &tile, ROLE_A, last));
        chain_add(c, releaser_of(s, &tile, ROLE_B, last));
        if (c->count != before) {
            i = -1;
        }
    }
}

/* A tile run for what it leaves behind: its first steps and its last, one
 * period where that is enough. */
static enum status run_other(struct verify *v, int32_t core, int64_t t, struct diag *d)
{
    struct tile tile;
    schedule_tile_at(v->s, core, t, &tile);
    const int64_t nk = schedule_tile_steps(v->s, &tile), period = schedule_period(v->s);
    const bool cut = schedule_periodic(v->s) && v->s->t.l1Resident == 0;
    /* The first step starts the sum, the last one stores it: at least these two. */
    const int64_t steps = cut && nk > 1 ? nk - (nk - 2) / period * period : nk;
    TRY(verify_open_window(v, verify_plane_row(v->s, &tile) + tile.m0, tile.n0, tile.m, tile.n));
    v->unsure = true;
    for (int64_t j = 0; j + 1 < steps; j++) {
        TRY(verify_exec_step(v, core, tile.step0 + j, d));
    }
    const enum status st = verify_exec_step(v, core, tile.step0 + nk - 1, d);
    v->unsure = false;
    return st;
}

/* All that comes before the pattern's tile: its predecessor, and the tiles that
 * brought what either finds in L1. At a tile's border all flags of chunked
 * operands are free whatever their slots, so tiles in between can be left out. */
static enum status run_before(struct verify *v, int32_t core, const struct tile *tile, struct diag *d)
{
    struct chain c = {.count = 0};
    if (tile->t > 0) {
        chain_need(v->s, core, tile->t - 1, tile->t, &c);
    }
    chain_need(v->s, core, tile->t, tile->t, &c);
    if (c.overflow) {
        for (int64_t t = 0; t < tile->t; t++) {
            TRY(run_other(v, core, t, d));
        }
        return STATUS_OK;
    }
    for (int i = 0; i < c.count && c.t[i] < tile->t; i++) {
        TRY(run_other(v, core, c.t[i], d));
    }
    return STATUS_OK;
}

/* A group that the tile does not release stays taken: its flag is waited for by
 * nobody here, so the drain would find it unset. Only whole groups are drained. */
static bool drains(const struct schedule *s, const struct tile *tile)
{
    return (s->hold[ROLE_A] == HOLD_CHUNKS || tile->hold[ROLE_A].release) &&
           (s->hold[ROLE_B] == HOLD_CHUNKS || tile->hold[ROLE_B].release);
}

/* Every access of the tile against all before it. What is held over tiles is
 * taken and released tiles apart, so there the whole core is checked. */
static enum status check_races(struct verify *v, int32_t core, const struct tile *tile, struct diag *d)
{
    const bool spans = v->s->t.scaleFactorM > 1 || v->s->t.scaleFactorN > 1;
    const bool chunked = !spans && v->s->hold[ROLE_A] == HOLD_CHUNKS && v->s->hold[ROLE_B] == HOLD_CHUNKS;
    const int64_t first = max_i64(0, tile->t - 2);
    if (chunked) {
        return race_check_tiles(v->race, v->s, core, first, tile->t - first + 1, d);
    }
    if (v->race_core != core) {
        TRY(race_check(v->race, v->s, core, d));
        v->race_core = core;
    }
    return STATUS_OK;
}

/* Where every tile brings all it reads, what others left behind must not be
 * read: tainted, it cannot be right by luck. */
static void taint_left_over(struct verify *v, const struct tile *tile)
{
    static const enum buffer buffers[] = {BUF_L1, BUF_L0A, BUF_L0B};
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        if (v->s->hold[role] != HOLD_CHUNKS || tile->hold[role].resident || !tile->hold[role].load_scales) {
            return;
        }
    }
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        memory_taint_all(&v->engine->mem[buffers[i]]);
    }
}

static enum status run_pattern(struct verify *v, int32_t core, const struct tile *tile, struct diag *d)
{
    const struct schedule *s = v->s;
    const struct cut c = make_cut(s, tile);
    const int64_t nk = schedule_tile_steps(s, tile), base_k = s->t.baseK;
    TRY(check_races(v, core, tile, d));
    v->unsure = false;
    engine_reset(v->engine);
    TRY(verify_exec_edge(v, core, true, d));
    TRY(run_before(v, core, tile, d));
    taint_left_over(v, tile);
    TRY(verify_open_window(v, verify_plane_row(s, tile) + tile->m0, tile->n0, tile->m, tile->n));
    for (int64_t j = 0; j < nk; j++) {
        if (j < c.head || j >= c.head + c.skip) {
            TRY(verify_exec_step(v, core, tile->step0 + j, d));
        }
    }
    if (drains(s, tile)) {
        TRY(verify_exec_edge(v, core, false, d));
    }
    const int64_t head = min_i64(c.head * base_k, tile->k), tail = min_i64((c.head + c.skip) * base_k, tile->k);
    const struct c_check check = {
        .block = {.batch = tile->batch, .m0 = tile->m0, .n0 = tile->n0, .m = tile->m, .n = tile->n},
        .ranges = {{tile->k0, head}, {tile->k0 + tail, tile->k - tail}},
        .stores = 1};
    TRY(verify_compare(v, &check, d));
    return check_skipped(v, core, tile->step0, &c, d);
}

/* --- all tiles ----------------------------------------------------------- */

/* A pattern of this schedule and the tile that stands for it. */
struct pattern {
    struct tile_form form, before;
    struct phase entry;
    uint8_t first, pad;
    int32_t core;
    struct tile tile;
};

struct pattern_list {
    struct pattern *list;
    size_t count, cap;
};

static struct pattern *find_pattern(struct pattern_list *l, const struct pattern *x)
{
    for (size_t i = 0; i < l->count; i++) {
        if (memcmp(&l->list[i], x, offsetof(struct pattern, core)) == 0) {
            return &l->list[i];
        }
    }
    return NULL;
}

static struct pattern *add_pattern(struct verify *v, struct pattern_list *l, const struct pattern *x)
{
    if (l->count == l->cap) {
        const size_t cap = l->cap == 0 ? 64 : 2 * l->cap;
        struct pattern *list = arena_alloc(&v->arena, cap, sizeof *list);
        if (list == NULL) {
            return NULL;
        }
        if (l->count > 0) {
            memcpy(list, l->list, l->count * sizeof *list);
        }
        l->list = list;
        l->cap = cap;
    }
    l->list[l->count] = *x;
    return &l->list[l->count++];
}

/* A tile of a known pattern: its edge steps must be the pattern's, moved. */
static enum status check_member(struct verify *v, const struct pattern *p, int32_t core, const struct tile *tile,
                                struct diag *d)
{
    const int64_t nk = schedule_tile_steps(v->s, tile);
    const struct shift by = verify_shift(v->s, &p->tile, tile);
    const int64_t ref = p->tile.step0, x = tile->step0;
    TRY(verify_compare_steps(v, (struct step_id){p->core, ref}, (struct step_id){core, x}, &by, d));
    return nk == 1 ? STATUS_OK
                   : verify_compare_steps(v, (struct step_id){p->core, ref + nk - 1},
                                          (struct step_id){core, x + nk - 1}, &by, d);
}

static void form_map(const struct conv_shape *shape, const struct tile *tile, struct tile_form *f)
{
    struct conv_rows rows;
    conv_rows_of(shape, tile->hold[ROLE_A].from, tile->hold[ROLE_A].extent, &rows);
    f->map[0] = (int32_t)rows.count;
    f->map[1] = rows.pad_top;
    f->map[2] = rows.pad_bottom;
    f->map[3] = (int32_t)conv_point(shape, &rows, tile->m0);
}

static void form_of(const struct schedule *s, const struct tile *tile, int32_t start, struct tile_form *f)
{
    memset(f, 0, sizeof *f);
    if (s->problem->op == PROBLEM_CONV) {
        form_map(&s->problem->conv, tile, f);
    }
    f->m = tile->m, f->n = tile->n, f->k = tile->k;
    f->first_slice = tile->kslice == 0;
    f->start = start;
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        const struct tile_hold *h = &tile->hold[role];
        f->extent[role] = h->extent;
        f->offset[role] = (role == ROLE_A ? tile->m0 : tile->n0) - h->from;
        f->scale_extent[role] = h->scale_extent;
        f->scale_offset[role] = h->scale_extent > 0 ? (role == ROLE_A ? tile->m0 : tile->n0) - h->scale_from : 0;
        f->load_scales[role] = h->load_scales;
        f->load[role] = h->load, f->release[role] = h->release, f->resident[role] = h->resident;
    }
}

/* The instructions of a pattern: of its tile, and of the tiles that brought what it finds in L1. */
static uint64_t pattern_stream(struct verify *v, int32_t core, const struct tile *tile)
{
    struct chain c = {.count = 0};
    uint64_t h = 0;
    chain_need(v->s, core, tile->t, tile->t, &c);
    if (c.overflow) { /* more than is remembered: nobody else's pattern */
        const uint64_t own[3] = {(uint64_t)core, (uint64_t)tile->t, (uint64_t)(uintptr_t)v->s};
        h = hash_bytes(own, sizeof own);
    }
    for (int i = 0; i < c.count; i++) {
        struct tile other;
        schedule_tile_at(v->s, core, c.t[i], &other);
        h = verify_stream(v, &other, h);
    }
    return h;
}

static enum status check_tile(struct verify *v, struct pattern_list *l, int32_t core, const struct tile *tile,
                              const struct tile_form *before, struct tile_form *form, struct verify_outcome *out,
                              struct diag *d)
{
    struct step entry;
    struct pattern x;
    schedule_step_at(v->s, core, tile->step0, &entry);
    memset(&x, 0, sizeof x);
    form_of(v->s, tile, entry.k0, form);
    x.form = *form, x.before = *before, x.entry = entry.ph, x.first = tile->first;
    x.core = core, x.tile = *tile;
    const struct pattern *known = find_pattern(l, &x);
    if (known != NULL) {
        return check_member(v, known, core, tile, d);
    }
    if (add_pattern(v, l, &x) == NULL) {
        return STATUS_NO_MEMORY;
    }
    out->patterns++;
    struct pattern_key key;
    verify_make_key(v, form, before, &entry, &key);
    key.stream = pattern_stream(v, core, tile);
    /* A tampered stream proves nothing about the real one: do not share it. */
    if (v->tamper == NULL && verify_cache_has(v->cache, &key)) {
        return STATUS_OK;
    }
    out->runs++;
    TRY(run_pattern(v, core, tile, d));
    if (v->tamper == NULL) {
        verify_cache_add(v->cache, &key);
    }
    return STATUS_OK;
}

enum status verify_classes(struct verify *v, struct verify_outcome *out, struct diag *d)
{
    const struct schedule *s = v->s;
    struct pattern_list patterns = {0};
    TRY(cover_check(s, &v->arena, d));
    for (int32_t core = 0; core < s->cores; core++) {
        const int64_t tiles = schedule_tiles(s, core);
        struct tile_form before, form;
        memset(&before, 0, sizeof before);
        for (int64_t t = 0; t < tiles; t++) {
            struct tile tile;
            schedule_tile_at(s, core, t, &tile);
            TRY(check_tile(v, &patterns, core, &tile, &before, &form, out, d));
            before = form;
        }
    }
    out->elems = (uint64_t)(s->problem->M * s->problem->N * s->problem->batch);
    return STATUS_OK;
}
