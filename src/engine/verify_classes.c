/* verify_classes.c - patterns of tiles: finding, running, sharing. The argument
 * why this is enough stands in verify.h. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "engine/cover.h"
#include "engine/verify_internal.h"
#include "isa/fields.h"
#include "tiling/loads.h"

/* All that the instructions of a tile and its predecessor depend on, but for
 * their place in C. Zeroed before it is filled, so it compares as bytes. */
struct pattern_key {
    const struct target *target;
    struct operand a, b, c;
    int64_t K;
    uint64_t seed;
    struct tiling t; /* geometry fields zeroed */
    int32_t m, n, before_m, before_n;
    struct phase entry;
    uint8_t first, pad;
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
        found = memcmp(&n->key, key, sizeof *key) == 0;
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
    to->file = from->file;
    /* Nz addresses depend on the number of rows. */
    to->rows = from->format == LAYOUT_NZ ? from->rows : 0;
}

static void make_key(const struct schedule *s, const struct tile *tile, const struct tile *before,
                     const struct phase *entry, struct pattern_key *key)
{
    static const enum tiling_field geometry[] = {TF_usedCoreNum, TF_singleCoreM, TF_singleCoreN,    TF_singleCoreK,
                                                 TF_assign,      TF_order,       TF_orderOffset,    TF_orderDirection,
                                                 TF_orderRounds, TF_iterateOrder};
    memset(key, 0, sizeof *key);
    key->target = s->target;
    key_operand(&key->a, &s->problem->a);
    key_operand(&key->b, &s->problem->b);
    key_operand(&key->c, &s->problem->c);
    key->K = s->problem->K;
    key->seed = s->problem->seed;
    key->t = s->t;
    for (size_t i = 0; i < sizeof geometry / sizeof geometry[0]; i++) {
        tiling_set(&key->t, geometry[i], 0);
    }
    key->m = tile->m;
    key->n = tile->n;
    key->first = tile->first;
    if (before != NULL) {
        key->before_m = before->m;
        key->before_n = before->n;
    }
    key->entry = *entry;
}

/* --- equality up to GM addresses ----------------------------------------- */

/* Bytes the GM address of `role` moves when the tile moves by (dm, dn) in C and dk along K. */
static int64_t gm_shift(const struct problem *p, enum role role, int64_t dm, int64_t dn, int64_t dk)
{
    const struct operand *o = problem_operand(p, (enum tensor)role);
    const int64_t pitch = problem_pitch_bytes(p, (enum tensor)role);
    int64_t rows = dm, cols = dn;
    if (role == ROLE_A) {
        rows = p->a.transpose ? dk : dm;
        cols = p->a.transpose ? dm : dk;
    } else if (role == ROLE_B) {
        rows = p->b.transpose ? dn : dk;
        cols = p->b.transpose ? dk : dn;
    }
    if (o->format == LAYOUT_NZ) {
        return cols / dtype_c0(o->dtype) * align_up(o->rows, 16) * 32 + rows * 32;
    }
    const int64_t bits = dtype_info(o->dtype)->bits;
    return rows * pitch + cols * bits / 8;
}

struct shift {
    int64_t dm, dn, dk;
};

/* `x` must be `ref` moved by `by`; anything else is a difference. */
static bool same_moved(const struct problem *p, const struct insn *ref, const struct insn *x, const struct shift *by)
{
    struct insn want = *ref;
    want.step = x->step;
    struct addr *const ends[] = {&want.dst, &want.src};
    for (int i = 0; i < 2; i++) {
        const bool used = ref->op != OP_SET_FLAG && ref->op != OP_WAIT_FLAG && ref->op != OP_PIPE_BARRIER;
        if (used && ends[i]->buf == BUF_GM) {
            ends[i]->byte += gm_shift(p, (enum role)ends[i]->tensor, by->dm, by->dn, by->dk);
        }
    }
    return memcmp(&want, x, sizeof want) == 0;
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
    const int n = schedule_expand(v->s, &ref, v->insns), m = schedule_expand(v->s, &x, other);
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

static struct cut make_cut(const struct schedule *s)
{
    const int64_t period = schedule_period(s), nk = s->nk;
    struct cut c = {period, nk, 0};
    if (nk > 2 * period) {
        c.head = 2 * period;
        c.skip = (nk - 2 * period - 1) / period * period; /* the last step is always run */
    }
    return c;
}

static enum status check_skipped(struct verify *v, int32_t core, int64_t first, const struct cut *c, struct diag *d)
{
    for (int64_t j = c->head; j < c->head + c->skip; j++) {
        const int64_t ref = c->period + j % c->period; /* in the second period */
        const struct shift by = {0, 0, (j - ref) * v->s->t.baseK};
        TRY(compare_steps(v, (struct step_id){core, first + ref}, (struct step_id){core, first + j}, &by, d));
    }
    return STATUS_OK;
}

/* The tile before: its first steps and its last, one period at most. */
static enum status run_before(struct verify *v, int32_t core, int64_t t, const struct cut *c, struct diag *d)
{
    const int64_t nk = v->s->nk, first = (t - 1) * nk;
    const int64_t steps = nk - (nk - 1) / c->period * c->period;
    struct tile tile;
    schedule_tile_at(v->s, core, t - 1, &tile);
    TRY(verify_open_window(v, tile.m0, tile.n0, tile.m, tile.n));
    for (int64_t j = 0; j + 1 < steps; j++) {
        TRY(verify_exec_step(v, core, first + j, d));
    }
    return verify_exec_step(v, core, first + nk - 1, d);
}

static enum status run_pattern(struct verify *v, int32_t core, const struct tile *tile, struct diag *d)
{
    const struct schedule *s = v->s;
    const struct cut c = make_cut(s);
    const int64_t first = tile->t * s->nk, base_k = s->t.baseK;
    engine_reset(v->engine);
    TRY(verify_exec_edge(v, core, true, d));
    if (tile->t > 0) {
        TRY(run_before(v, core, tile->t, &c, d));
    }
    TRY(verify_open_window(v, tile->m0, tile->n0, tile->m, tile->n));
    for (int64_t j = 0; j < s->nk; j++) {
        if (j < c.head || j >= c.head + c.skip) {
            TRY(verify_exec_step(v, core, first + j, d));
        }
    }
    TRY(verify_exec_edge(v, core, false, d));
    const int64_t tail = (c.head + c.skip) * base_k;
    const struct k_range ranges[2] = {{0, min_i64(c.head * base_k, s->problem->K)},
                                      {tail, max_i64(0, s->problem->K - tail)}};
    TRY(verify_compare(v, ranges, 2, d));
    return check_skipped(v, core, first, &c, d);
}

/* --- all tiles ----------------------------------------------------------- */

/* A pattern of this schedule and the tile that stands for it. */
struct pattern {
    int32_t m, n, before_m, before_n;
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
    const int64_t nk = v->s->nk;
    const struct shift by = {tile->m0 - p->tile.m0, tile->n0 - p->tile.n0, 0};
    TRY(compare_steps(v, (struct step_id){p->core, p->tile.t * nk}, (struct step_id){core, tile->t * nk}, &by, d));
    return nk == 1 ? STATUS_OK
                   : compare_steps(v, (struct step_id){p->core, p->tile.t * nk + nk - 1},
                                   (struct step_id){core, tile->t * nk + nk - 1}, &by, d);
}

static enum status check_tile(struct verify *v, struct pattern_list *l, int32_t core, const struct tile *tile,
                              const struct tile *before, struct verify_outcome *out, struct diag *d)
{
    struct step entry;
    schedule_step_at(v->s, core, tile->t * v->s->nk, &entry);
    struct pattern x;
    memset(&x, 0, sizeof x);
    x.m = tile->m, x.n = tile->n, x.entry = entry.ph, x.first = tile->first;
    x.before_m = before == NULL ? 0 : before->m;
    x.before_n = before == NULL ? 0 : before->n;
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
    make_key(v->s, tile, before, &entry.ph, &key);
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
        struct tile tile, before;
        for (int64_t t = 0; t < tiles; t++) {
            schedule_tile_at(s, core, t, &tile);
            TRY(check_tile(v, &patterns, core, &tile, t == 0 ? NULL : &before, out, d));
            before = tile;
        }
    }
    out->elems = (uint64_t)(s->problem->M * s->problem->N);
    return STATUS_OK;
}
