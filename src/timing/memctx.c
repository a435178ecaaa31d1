/* memctx.c - the lock-step pass over tiles against an LRU of panels.
 *
 * The reuse distance of a panel is the bytes of all panels (itself included)
 * touched since: the sum of panel sizes whose last touch is not before its own.
 * A Fenwick tree over steps holds the bytes last touched in each step, so a
 * distance is total - prefix, exact for whole bytes in any order. */
#include "timing/memctx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "schedule/conv_tiles.h"
#include "timing/cost.h"
#include "timing/table.h"

#define PANEL_KEY 6

struct panel {
    int32_t key[PANEL_KEY]; /* role, start, extent, k0, k, batch */
    int32_t sharers;        /* cores using it in step `seen` */
    int64_t touched;        /* step of the last touch, -1: never */
    int64_t seen;
    double bytes;
    double missed;        /* 1 - h in step `seen` */
    int32_t missed_units; /* of one sharer, in units of context_rounding */
};

/* What one core does in the current step. */
struct core_step {
    struct tile tile;
    uint32_t panel[2], shape; /* indices; kept as a guess for the next step */
};

struct pass {
    const struct schedule *s;
    struct mem_geometry *g;
    bool warm, write_back;
    bool uncached[2], c_uncached; /* L2 hints */
    int64_t c_element_bits;
    struct panel *panels;
    uint32_t panel_count, panel_cap, shape_cap, context_cap;
    struct table panel_index, shape_index, context_index;
    double *fenwick; /* 1-based over steps */
    int64_t steps;
    const int64_t *first;   /* number of each core's first tile in the list of all */
    double live;            /* bytes of all panels ever touched */
    struct core_step *core; /* per launched core */
    uint32_t *step_panels;  /* distinct panels of the step */
    uint32_t step_panel_count;
};

static bool grow(void *array, uint32_t *cap, uint32_t count, size_t size)
{
    if (count < *cap) {
        return true;
    }
    const uint32_t bigger = *cap == 0 ? 64 : *cap * 2;
    void *moved = realloc(*(void **)array, bigger * size);
    if (moved == NULL) {
        return false;
    }
    *(void **)array = moved;
    *cap = bigger;
    return true;
}

double memctx_hit_share(const struct target *target, double distance)
{
    const double low = target->timing.l2_hit_low, high = target->timing.l2_hit_high;
    const double hit = 1 - (distance / target->l2_bytes - low) / (high - low);
    return hit < 0 ? 0 : hit > 1 ? 1 : hit;
}

static void fenwick_add(struct pass *p, int64_t step, double bytes)
{
    for (int64_t i = step + 1; i <= p->steps; i += i & -i) {
        p->fenwick[i] += bytes;
    }
}

/* Bytes last touched before `step`. */
static double fenwick_before(const struct pass *p, int64_t step)
{
    double sum = 0;
    for (int64_t i = step; i > 0; i -= i & -i) {
        sum += p->fenwick[i];
    }
    return sum;
}

/* A hash of a few words, inline: this is the hot path of new geometries. */
static uint64_t hash_words(const int32_t *words, int count)
{
    uint64_t h = 0;
    for (int i = 0; i < count; i++) {
        h = (h ^ (uint32_t)words[i]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    return rng_mix(h);
}

static uint64_t panel_hash(const void *ctx, uint32_t index)
{
    const struct panel *panels = ((const struct pass *)ctx)->panels;
    return hash_words(panels[index].key, PANEL_KEY);
}

static uint64_t shape_hash_of(const struct mem_shape_key *key)
{
    int32_t words[sizeof *key / sizeof(int32_t)];
    memcpy(words, key, sizeof words);
    return hash_words(words, sizeof words / sizeof words[0]);
}

static uint64_t shape_hash(const void *ctx, uint32_t index)
{
    return shape_hash_of(&((const struct pass *)ctx)->g->shapes[index].key);
}

static uint64_t context_hash(const void *ctx, uint32_t index)
{
    return hash_bytes(&((const struct pass *)ctx)->g->contexts[index], sizeof(struct mem_context));
}

static bool panel_is(const struct pass *p, uint32_t index, const int32_t key[PANEL_KEY])
{
    return index < p->panel_count && memcmp(p->panels[index].key, key, sizeof p->panels[index].key) == 0;
}

/* The panel with this key: often the one the core used before, or its
 * neighbour `guess` uses now. UINT32_MAX on lack of memory. */
static uint32_t panel_find(struct pass *p, const int32_t key[PANEL_KEY], uint32_t before, uint32_t guess)
{
    if (panel_is(p, before, key)) {
        return before;
    }
    if (panel_is(p, guess, key)) {
        return guess;
    }
    const uint64_t hash = hash_words(key, PANEL_KEY);
    uint32_t at = TABLE_START, i;
    while ((i = table_next(&p->panel_index, hash, &at)) != UINT32_MAX) {
        if (panel_is(p, i, key)) {
            return i;
        }
    }
    if (!grow(&p->panels, &p->panel_cap, p->panel_count, sizeof *p->panels) ||
        !table_add(&p->panel_index, hash, p->panel_count, panel_hash, p)) {
        return UINT32_MAX;
    }
    struct panel *panel = &p->panels[p->panel_count];
    memcpy(panel->key, key, sizeof panel->key);
    panel->touched = panel->seen = -1;
    panel->bytes = cost_read_bytes(p->s, (enum role)key[0], key[1], key[2], key[4]);
    return p->panel_count++;
}

static void shape_key(const struct pass *p, const struct tile *tile, struct mem_shape_key *key)
{
    memset(key, 0, sizeof *key);
    key->m = tile->m;
    key->n = tile->n;
    key->k = tile->k;
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        const struct tile_hold *h = &tile->hold[role];
        key->load[role] = h->load;
        key->release[role] = h->release;
        key->resident[role] = h->resident;
        key->scales[role] = h->load_scales ? h->scale_extent : 0;
        key->extent[role] = h->load && !h->resident ? h->extent : 0;
    }
    key->bias = p->s->t.isBias && tile->kslice == 0;
    if (p->s->problem->op == PROBLEM_CONV && !p->s->target->timing.prototype.mean_map) {
        struct conv_rows rows;
        conv_rows_of(&p->s->problem->conv, tile->hold[ROLE_A].from, tile->hold[ROLE_A].extent, &rows);
        key->map_rows = key->extent[ROLE_A] > 0 ? (int32_t)rows.count : 0;
    }
    if (p->s->t.shuffleK) {
        struct step step;
        schedule_step_at(p->s, tile->core, tile->step0, &step);
        key->start = step.k0 / p->s->t.baseK;
    }
}

static bool shape_is(const struct mem_geometry *g, uint32_t index, const struct mem_shape_key *key)
{
    return index < g->shape_count && memcmp(&g->shapes[index].key, key, sizeof *key) == 0;
}

static uint32_t shape_find(struct pass *p, const struct tile *tile, uint32_t before)
{
    struct mem_geometry *g = p->g;
    struct mem_shape_key key;
    shape_key(p, tile, &key);
    if (shape_is(g, before, &key)) {
        return before;
    }
    const uint64_t hash = shape_hash_of(&key);
    uint32_t at = TABLE_START, i;
    while ((i = table_next(&p->shape_index, hash, &at)) != UINT32_MAX) {
        if (shape_is(g, i, &key)) {
            return i;
        }
    }
    if (!grow(&g->shapes, &p->shape_cap, g->shape_count, sizeof *g->shapes) ||
        !table_add(&p->shape_index, hash, g->shape_count, shape_hash, p)) {
        return UINT32_MAX;
    }
    g->shapes[g->shape_count] = (struct mem_shape){.key = key, .core = tile->core, .t = tile->t};
    return g->shape_count++;
}

static uint32_t context_find(struct pass *p, const struct mem_context *context)
{
    struct mem_geometry *g = p->g;
    const uint64_t hash = hash_bytes(context, sizeof *context);
    uint32_t at = TABLE_START, i;
    while ((i = table_next(&p->context_index, hash, &at)) != UINT32_MAX) {
        if (memcmp(&g->contexts[i], context, sizeof *context) == 0) {
            return i;
        }
    }
    if (!grow(&g->contexts, &p->context_cap, g->context_count, sizeof *g->contexts)) {
        return UINT32_MAX;
    }
    g->contexts[g->context_count] = *context;
    if (!table_add(&p->context_index, hash, g->context_count, context_hash, p)) {
        return UINT32_MAX;
    }
    return g->context_count++;
}

/* Counts a use of a panel in step t; judges it against the L2 state before the step. */
static bool step_use(struct pass *p, int64_t t, uint32_t index)
{
    if (index == UINT32_MAX) {
        return false;
    }
    struct panel *panel = &p->panels[index];
    if (panel->seen == t) {
        panel->sharers++;
        return true;
    }
    panel->seen = t;
    panel->sharers = 1;
    panel->missed = 1;
    if (panel->touched >= 0 && !p->uncached[panel->key[0]]) {
        panel->missed = 1 - memctx_hit_share(p->s->target, p->live - fenwick_before(p, panel->touched));
    }
    p->step_panels[p->step_panel_count++] = index;
    return true;
}

static int64_t core_tiles(const struct pass *p, int32_t core)
{
    return p->first[core + 1] - p->first[core];
}

/* The operand is in L1 already: the tile reads nothing of it. */
#define PANEL_NONE (UINT32_MAX - 1)

/* Panel of an operand the core's tile reads. UINT32_MAX on lack of memory. */
static uint32_t tile_panel(struct pass *p, const struct core_step *core, enum role role, const struct core_step *guess)
{
    const struct tile *tile = &core->tile;
    const struct tile_hold *h = &tile->hold[role];
    if (!h->load || h->resident) {
        return PANEL_NONE;
    }
    const int32_t key[PANEL_KEY] = {
        (int32_t)role, h->from, h->extent,
        tile->k0,      tile->k, (int32_t)problem_matrix(p->s->problem, (enum tensor)role, tile->batch)};
    return panel_find(p, key, core->panel[role], guess->panel[role]);
}

/* Bytes of C in step t; *active: cores with a tile. @return -1 on lack of memory. */
static int64_t step_enter(struct pass *p, int64_t t, int32_t *active)
{
    int64_t elements = 0;
    const struct core_step *guess = &p->core[0];
    *active = 0;
    p->step_panel_count = 0;
    for (int32_t c = 0; c < p->g->cores; c++) {
        if (t >= core_tiles(p, c)) {
            continue;
        }
        struct core_step *core = &p->core[c];
        schedule_tile_at(p->s, c, t, &core->tile);
        elements += (int64_t)core->tile.m * core->tile.n;
        ++*active;
        if (p->warm) {
            continue;
        }
        for (int role = ROLE_A; role <= ROLE_B; role++) {
            core->panel[role] = tile_panel(p, core, (enum role)role, guess);
            if (core->panel[role] != PANEL_NONE && !step_use(p, t, core->panel[role])) {
                return -1;
            }
        }
        guess = core;
    }
    return elements * p->c_element_bits / 8;
}

static void step_touch(struct pass *p, int64_t t, int64_t c_bytes)
{
    for (uint32_t i = 0; i < p->step_panel_count; i++) {
        struct panel *panel = &p->panels[p->step_panels[i]];
        if (p->uncached[panel->key[0]]) {
            continue;
        }
        if (panel->touched >= 0) {
            fenwick_add(p, panel->touched, -panel->bytes);
        } else {
            p->live += panel->bytes;
        }
        panel->touched = t;
        fenwick_add(p, t, panel->bytes);
    }
    if (!p->c_uncached) {
        fenwick_add(p, t, (double)c_bytes);
        p->live += (double)c_bytes;
    }
}

/* Bytes all cores miss in this step; rounds each panel's share of a miss. */
static int64_t step_missed(struct pass *p)
{
    double bytes = 0;
    for (uint32_t i = 0; i < p->step_panel_count; i++) {
        struct panel *panel = &p->panels[p->step_panels[i]];
        /* Past L2, each core that shares a panel reads it for itself. */
        const int32_t readers = p->uncached[panel->key[0]] ? panel->sharers : 1;
        bytes += panel->missed * panel->bytes * readers;
        panel->missed_units = (int32_t)lrint(panel->missed * readers / panel->sharers * p->g->units);
    }
    return (int64_t)floor(bytes);
}

static void context_make(const struct pass *p, const struct core_step *core, const struct mem_context *step,
                         struct mem_context *out)
{
    *out = *step;
    out->shape = core->shape;
    for (int role = ROLE_A; role <= ROLE_B && !p->warm; role++) {
        if (core->panel[role] == PANEL_NONE) {
            continue;
        }
        const struct panel *panel = &p->panels[core->panel[role]];
        out->missed[role] = panel->missed_units;
        out->shared[role] = panel->sharers > 1;
    }
}

/* Contexts of all tiles of step t; `step`: what they have in common. */
static bool step_contexts(struct pass *p, int64_t t, const struct mem_context *step)
{
    struct mem_context last;
    uint32_t last_id = UINT32_MAX; /* neighbours mostly have equal contexts */
    for (int32_t c = 0; c < p->g->cores; c++) {
        if (t >= core_tiles(p, c)) {
            continue;
        }
        struct core_step *core = &p->core[c];
        struct mem_context context;
        core->shape = shape_find(p, &core->tile, core->shape);
        if (core->shape == UINT32_MAX) {
            return false;
        }
        context_make(p, core, step, &context);
        if (last_id == UINT32_MAX || memcmp(&last, &context, sizeof last) != 0) {
            last = context;
            last_id = context_find(p, &context);
        }
        if (last_id == UINT32_MAX) {
            return false;
        }
        p->g->tiles[p->first[c] + t] = last_id;
    }
    return true;
}

/* Groups the cores by equal sequences. */
static void find_sequences(const struct pass *p)
{
    struct mem_geometry *g = p->g;
    for (int32_t c = 0; c < g->cores; c++) {
        const int64_t tiles = core_tiles(p, c);
        const uint32_t *contexts = g->tiles + p->first[c];
        uint32_t i = 0;
        while (i < g->sequence_count &&
               (g->sequences[i].tiles != tiles ||
                memcmp(g->sequences[i].contexts, contexts, (size_t)tiles * sizeof *contexts) != 0)) {
            i++;
        }
        g->core_sequence[c] = tiles > 0 ? i : UINT32_MAX;
        if (tiles == 0) {
            continue;
        }
        if (i == g->sequence_count) {
            g->sequences[g->sequence_count++] = (struct mem_sequence){.core = c, .tiles = tiles, .contexts = contexts};
        }
        g->sequences[i].cores++;
    }
}

static double whole_bytes(const struct schedule *s)
{
    const struct problem *p = s->problem;
    const double a = (double)p->M * (double)p->K * dtype_info(p->a.dtype)->bits;
    const double b = (double)p->K * (double)p->N * dtype_info(p->b.dtype)->bits * (double)p->groups;
    const int32_t planes = s->t.splitKReduce == REDUCE_WORKSPACE ? s->parts : 1;
    const double c = (double)p->M * (double)p->N * cost_store_bits(s) * planes;
    if (p->op == PROBLEM_CONV) { /* images share the filters */
        const bool mean = s->target->timing.prototype.mean_map;
        const double map = mean ? (double)p->batch * a / 8 * cost_mean_map(s)
                                : (double)problem_tensor_bytes(p, TENSOR_A);
        return map + (double)problem_tensor_bytes(p, TENSOR_B) + (double)p->batch * c / 8;
    }
    return (double)p->batch * ((a + b + c) / 8 + cost_scale_tensor_bytes(s));
}

static enum status pass_run(struct pass *p)
{
    for (int64_t t = 0; t < p->steps; t++) {
        struct mem_context step;
        memset(&step, 0, sizeof step);
        const int64_t c_bytes = step_enter(p, t, &step.active);
        if (p->warm) {
            step.active = 1;
        } else {
            step.hbm_bytes = step_missed(p);
            step.c_bytes = p->write_back ? c_bytes : 0;
        }
        if (c_bytes < 0 || !step_contexts(p, t, &step)) {
            return STATUS_NO_MEMORY;
        }
        if (!p->warm) {
            step_touch(p, t, c_bytes);
            p->g->hbm += step.hbm_bytes + (int64_t)floor(p->g->write_back * (double)c_bytes);
        }
    }
    find_sequences(p);
    return STATUS_OK;
}

/* Number of the first tile of each core in one list of all tiles; steps = the most of any core. */
static int64_t count_tiles(const struct schedule *s, int64_t *first, int64_t *steps)
{
    *steps = 0;
    first[0] = 0;
    for (int32_t c = 0; c < s->cores; c++) {
        const int64_t tiles = schedule_tiles(s, c);
        *steps = tiles > *steps ? tiles : *steps;
        first[c + 1] = first[c] + tiles;
        if (first[c + 1] > MEMCTX_TILES_MAX) {
            return -1;
        }
    }
    return first[s->cores];
}

static bool pass_alloc(struct pass *p, int64_t tiles)
{
    const size_t cores = (size_t)p->g->cores;
    p->core = calloc(cores, sizeof *p->core);
    p->step_panels = calloc(2 * cores, sizeof *p->step_panels);
    p->fenwick = calloc(p->warm ? 1 : (size_t)p->steps + 1, sizeof *p->fenwick);
    p->g->tiles = malloc(((size_t)tiles + 1) * sizeof *p->g->tiles);
    p->g->sequences = calloc(cores, sizeof *p->g->sequences);
    p->g->core_sequence = calloc(cores, sizeof *p->g->core_sequence);
    return p->core != NULL && p->step_panels != NULL && p->fenwick != NULL && p->g->tiles != NULL &&
           p->g->sequences != NULL && p->g->core_sequence != NULL && table_init(&p->panel_index, 6) &&
           table_init(&p->shape_index, 4) && table_init(&p->context_index, 6);
}

static void pass_free(struct pass *p)
{
    free(p->core);
    free(p->step_panels);
    free(p->fenwick);
    free(p->panels);
    table_fini(&p->panel_index);
    table_fini(&p->shape_index);
    table_fini(&p->context_index);
}

static size_t geometry_bytes(const struct mem_geometry *g, int64_t tiles)
{
    return g->shape_count * sizeof *g->shapes + g->context_count * sizeof *g->contexts +
           (size_t)g->cores * (sizeof *g->sequences + sizeof *g->core_sequence) + (size_t)tiles * sizeof *g->tiles;
}

enum status memctx_build(const struct schedule *s, bool l2_warm, struct mem_geometry *out)
{
    memset(out, 0, sizeof *out);
    out->cores = s->cores;
    out->units = rint(1 / s->target->timing.context_rounding);
    out->write_back = l2_warm ? 0 : s->t.l2C == L2_DISABLE ? 1 : 1 - memctx_hit_share(s->target, whole_bytes(s));
    struct pass p = {.s = s, .g = out, .warm = l2_warm};
    p.write_back = out->write_back * s->target->timing.write_back > 0;
    p.c_element_bits = cost_store_bits(s);
    p.uncached[ROLE_A] = s->t.l2A == L2_DISABLE;
    p.uncached[ROLE_B] = s->t.l2B == L2_DISABLE;
    p.c_uncached = s->t.l2C == L2_DISABLE;
    int64_t *first = calloc((size_t)s->cores + 1, sizeof *first);
    if (first == NULL) {
        return STATUS_NO_MEMORY;
    }
    const int64_t tiles = count_tiles(s, first, &p.steps);
    p.first = first;
    enum status st = tiles < 0 ? STATUS_LIMIT : STATUS_OK;
    if (st == STATUS_OK) {
        st = pass_alloc(&p, tiles) ? pass_run(&p) : STATUS_NO_MEMORY;
        out->bytes = geometry_bytes(out, tiles);
    }
    pass_free(&p);
    free(first);
    if (st != STATUS_OK) {
        memctx_free(out);
    }
    return st;
}

void memctx_free(struct mem_geometry *g)
{
    free(g->shapes);
    free(g->contexts);
    free(g->sequences);
    free(g->core_sequence);
    free(g->tiles);
    memset(g, 0, sizeof *g);
}
