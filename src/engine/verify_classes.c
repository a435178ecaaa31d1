/* verify_classes.c - patterns of tiles: finding, running, sharing. The argument
 * why this is enough stands in verify.h. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "engine/cover.h"
#include "engine/exec.h"
#include "engine/verify_internal.h"
#include "isa/fields.h"
#include "schedule/conv_tiles.h"
#include "tiling/loads.h"

/* What the instructions of a tile depend on, but for its place in C. */
struct tile_form {
    int32_t m, n, k;
    int32_t extent[2], offset[2]; /* of what L1 holds, and the tile's place in it */
    int32_t start;                /* K block the tile starts with (shuffleK) */
    int32_t map[4];               /* conv: rows in L1, their paddings, first point of the tile in them */
    uint8_t load[2], release[2], resident[2];
    uint8_t first_slice; /* its sums start from the bias */
    uint8_t pad;
};

/* All that the run of a pattern depends on. Zeroed before it is filled, so it
 * compares as bytes. */
struct pattern_key {
    const struct target *target;
    struct operand a, b, c, bias, scale_a, scale_b, quant;
    double deq_scale;
    uint8_t relu, hf32, pad2[6];
    struct conv_shape conv;
    int64_t K;
    uint64_t seed;
    struct tiling t; /* geometry fields zeroed */
    struct tile_form tile, before;
    struct phase entry;
    uint8_t first, layout;
};

/* --- the shared set of verified keys ------------------------------------- */

struct cache_node {
    struct cache_node *next;
    struct pattern_key key;
};

#define CACHE_BUCKETS 4096

struct verify_cache {
    pthread_mutex_t lock;
    struct cache_node *buckets[CACHE_BUCKETS];
};

enum status verify_cache_create(struct verify_cache **out)
{
    struct verify_cache *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return STATUS_NO_MEMORY;
    }
    pthread_mutex_init(&c->lock, NULL);
    *out = c;
    return STATUS_OK;
}

void verify_cache_destroy(struct verify_cache *c)
{
    if (c == NULL) {
        return;
    }
    for (int i = 0; i < CACHE_BUCKETS; i++) {
        for (struct cache_node *n = c->buckets[i]; n != NULL;) {
            struct cache_node *next = n->next;
            free(n);
            n = next;
        }
    }
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static struct cache_node **bucket_of(struct verify_cache *c, const struct pattern_key *key)
{
    return &c->buckets[hash_bytes(key, sizeof *key) % CACHE_BUCKETS];
}

static bool cache_has(struct verify_cache *c, const struct pattern_key *key)
{
    bool found = false;
    if (c == NULL) {
        return false;
    }
    pthread_mutex_lock(&c->lock);
    for (const struct cache_node *n = *bucket_of(c, key); n != NULL && !found; n = n->next) {
        found = memcmp(&n->key, key, sizeof *key) == 0; // NOLINT(bugprone-suspicious-memory-comparison): zeroed first
    }
    pthread_mutex_unlock(&c->lock);
    return found;
}

/* Only patterns that passed are kept, so a lost or doubled entry costs time only. */
static void cache_add(struct verify_cache *c, const struct pattern_key *key)
{
    struct cache_node *n = c == NULL ? NULL : malloc(sizeof *n);
    if (n == NULL) {
        return;
    }
    n->key = *key;
    pthread_mutex_lock(&c->lock);
    struct cache_node **bucket = bucket_of(c, key);
    n->next = *bucket;
    *bucket = n;
    pthread_mutex_unlock(&c->lock);
}

/* Copies an operand member by member, so that padding bytes stay zero. */
static void key_operand(struct operand *to, const struct operand *from)
{
    to->dtype = from->dtype;
    to->mx = from->mx;
    to->format = from->format;
    to->transpose = from->transpose;
    to->ld = from->ld;
    to->align = from->align;
    to->data = from->data;
    /* Addresses in columns of blocks depend on the number of rows. */
    to->rows = from->format != LAYOUT_ND ? from->rows : 0;
}

static void make_key(const struct verify *v, const struct tile_form *tile, const struct tile_form *before,
                     const struct step *entry, struct pattern_key *key)
{
    static const enum tiling_field geometry[] = {TF_usedCoreNum, TF_singleCoreM, TF_singleCoreN, TF_singleCoreK,
                                                 TF_assign,      TF_order,       TF_orderOffset, TF_orderDirection,
                                                 TF_orderRounds, TF_iterateOrder};
    const struct schedule *s = v->s;
    memset(key, 0, sizeof *key);
    key->target = s->target;
    key_operand(&key->a, &s->problem->a);
    key_operand(&key->b, &s->problem->b);
    key_operand(&key->c, &s->problem->c);
    key_operand(&key->bias, &s->problem->bias);
    key_operand(&key->scale_a, &s->problem->scale_a);
    key_operand(&key->scale_b, &s->problem->scale_b);
    key_operand(&key->quant, &s->problem->quant);
    key->conv = s->problem->conv;
    key->deq_scale = s->problem->deq_scale;
    key->relu = s->problem->relu;
    key->hf32 = s->problem->hf32;
    key->K = s->problem->K;
    key->seed = s->problem->seed;
    key->t = s->t;
    for (size_t i = 0; i < sizeof geometry / sizeof geometry[0]; i++) {
        tiling_set(&key->t, geometry[i], 0);
    }
    key->tile = *tile;
    key->before = *before;
    key->entry = entry->ph;
    key->first = entry->tile.first;
    key->layout = v->layout;
}

/* --- equality up to GM addresses ----------------------------------------- */

/* How far one tile's step lies from another's. */
struct shift {
    int64_t dm, dn, dk;    /* elements of C and K */
    int64_t batch, dbatch; /* batch of the pattern's tile, and how many further */
    int64_t dplane;        /* memory rows of the plane stored to */
    int64_t map_points;    /* conv: points of the map from the pattern's first row to this tile's */
};

/* Bytes the GM address in `tensor` moves with it. */
static int64_t gm_shift(const struct problem *p, enum tensor tensor, const struct shift *by)
{
    if (tensor == TENSOR_WORKSPACE) {
        return ((by->dplane + by->dm) * p->N + by->dn) * 4;
    }
    int64_t dbatch = problem_matrix(p, tensor, by->batch + by->dbatch) - problem_matrix(p, tensor, by->batch);
    const struct operand *o = problem_operand(p, tensor);
    const int64_t dmn = tensor == TENSOR_A || tensor == TENSOR_SA ? by->dm : by->dn;
    int64_t rows = by->dm, cols = by->dn;
    switch (tensor) {
    case TENSOR_A: /* rows are K where it is transposed; B the other way round */
    case TENSOR_B:
        rows = o->transpose == (tensor == TENSOR_A) ? by->dk : dmn;
        cols = o->transpose == (tensor == TENSOR_A) ? dmn : by->dk;
        break;
    case TENSOR_SA: /* a code for 32 k; transposed: rows of two codes */
    case TENSOR_SB:
        rows = o->transpose ? by->dk / 64 : dmn;
        cols = o->transpose ? 2 * dmn : by->dk / 32;
        break;
    case TENSOR_BIAS:
    case TENSOR_QUANT:
        rows = 0;
        break;
    case TENSOR_C:
    case TENSOR_WORKSPACE:
    case TENSOR_N:
        break;
    }
    if (p->op == PROBLEM_CONV && tensor == TENSOR_A) {
        rows = by->map_points;
        cols = by->dk / (p->conv.kh * p->conv.kw); /* channels */
    }
    if (o->format != LAYOUT_ND) {
        const int64_t width = problem_nz_width(p, tensor), row_bytes = dtype_bytes(o->dtype, width);
        const int64_t columns = dbatch * ceil_div(o->cols, width) + cols / width;
        return (columns * problem_nz_rows(p, tensor) + rows) * row_bytes;
    }
    if (p->op == PROBLEM_CONV && tensor == TENSOR_C) { /* NHWC */
        const int64_t groups = p->conv.groups, to = by->batch + by->dbatch;
        cols += (to % groups - by->batch % groups) * p->N;
        dbatch = to / groups - by->batch / groups;
    }
    return (rows + dbatch * o->rows) * problem_pitch_bytes(p, tensor) + cols * dtype_info(o->dtype)->bits / 8;
}

/* `x` must be `ref` moved by `by`; anything else is a difference. */
static bool same_moved(const struct problem *p, const struct insn *ref, const struct insn *x, const struct shift *by)
{
    const bool addressed = ref->op != OP_FILL && ref->op != OP_SET_FLAG && ref->op != OP_WAIT_FLAG &&
                           ref->op != OP_PIPE_BARRIER;
    struct insn want = *ref;
    struct addr *const ends[] = {&want.dst, &want.src};
    want.step = x->step;
    for (int i = 0; i < 2; i++) {
        if (addressed && ends[i]->buf == BUF_GM) {
            ends[i]->byte += gm_shift(p, (enum tensor)ends[i]->tensor, by);
        }
    }
    return memcmp(&want, x, sizeof want) == 0; // NOLINT(bugprone-suspicious-memory-comparison): zeroed first
}

struct step_id {
    int32_t core;
    int64_t i;
};

static enum status compare_steps(struct verify *v, struct step_id ref_id, struct step_id x_id, const struct shift *by,
                                 struct diag *d)
{
    struct step ref, x;
    schedule_step_at(v->s, ref_id.core, ref_id.i, &ref);
    schedule_step_at(v->s, x_id.core, x_id.i, &x);
    struct insn *other = v->others;
    const int n = verify_tampered(v, v->insns, schedule_expand(v->s, &ref, v->insns));
    const int m = verify_tampered(v, other, schedule_expand(v->s, &x, other));
    if (n != m) {
        return diag_error(d, STATUS_MISMATCH, NULL,
                          "step %" PRId64 " of core %d has %d instructions, its pattern (step %" PRId64
                          " of core %d) has %d",
                          x_id.i, x_id.core, m, ref_id.i, ref_id.core, n);
    }
    for (int i = 0; i < n; i++) {
        if (!same_moved(v->s->problem, &v->insns[i], &other[i], by)) {
            struct strbuf a, b;
            strbuf_init(&a), strbuf_init(&b);
            insn_format(&v->insns[i], &a), insn_format(&other[i], &b);
            diag_error(d, STATUS_MISMATCH, NULL,
                       "step %" PRId64 " of core %d does not repeat its pattern: %s, pattern (step %" PRId64 "): %s",
                       x_id.i, x_id.core, strbuf_cstr(&b), ref_id.i, strbuf_cstr(&a));
            strbuf_fini(&a), strbuf_fini(&b);
            return STATUS_MISMATCH;
        }
    }
    return STATUS_OK;
}

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
        TRY(compare_steps(v, (struct step_id){core, first + ref}, (struct step_id){core, first + j}, &by, d));
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
    const bool chunked = v->s->hold[ROLE_A] == HOLD_CHUNKS && v->s->hold[ROLE_B] == HOLD_CHUNKS;
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
        if (v->s->hold[role] != HOLD_CHUNKS || tile->hold[role].resident) {
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

/* First point of the feature map that the tile's A begins with. */
static int64_t map_row(const struct schedule *s, const struct tile *tile)
{
    struct conv_rows rows = {0};
    if (s->problem->op == PROBLEM_CONV) {
        conv_rows_of(&s->problem->conv, tile->hold[ROLE_A].from, tile->hold[ROLE_A].extent, &rows);
    }
    return rows.first * s->problem->conv.w;
}

/* A tile of a known pattern: its edge steps must be the pattern's, moved. */
static enum status check_member(struct verify *v, const struct pattern *p, int32_t core, const struct tile *tile,
                                struct diag *d)
{
    const int64_t nk = schedule_tile_steps(v->s, tile);
    const struct shift by = {.batch = p->tile.batch,
                             .map_points = map_row(v->s, tile) - map_row(v->s, &p->tile),
                             .dm = tile->m0 - p->tile.m0,
                             .dn = tile->n0 - p->tile.n0,
                             .dk = tile->k0 - p->tile.k0,
                             .dbatch = tile->batch - p->tile.batch,
                             .dplane = verify_plane_row(v->s, tile) - verify_plane_row(v->s, &p->tile)};
    const int64_t ref = p->tile.step0, x = tile->step0;
    TRY(compare_steps(v, (struct step_id){p->core, ref}, (struct step_id){core, x}, &by, d));
    return nk == 1
               ? STATUS_OK
               : compare_steps(v, (struct step_id){p->core, ref + nk - 1}, (struct step_id){core, x + nk - 1}, &by, d);
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
        f->load[role] = h->load, f->release[role] = h->release, f->resident[role] = h->resident;
    }
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
    make_key(v, form, before, &entry, &key);
    /* A tampered stream proves nothing about the real one: do not share it. */
    if (v->tamper == NULL && cache_has(v->cache, &key)) {
        return STATUS_OK;
    }
    out->runs++;
    TRY(run_pattern(v, core, tile, d));
    if (v->tamper == NULL) {
        cache_add(v->cache, &key);
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
