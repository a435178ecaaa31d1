/* memctx_cache.c - contexts by geometry.
 *
 * Four ways: a new geometry replaces the one of its set that was not asked for
 * the longest. Geometry comes first in a space's index, so in index order a
 * geometry is asked for hundreds of times in a row; more would be wasted. Keys
 * are compared whole: everything memctx_build reads is in struct key. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "timing/cost.h"
#include "timing/memctx.h"

#define SETS 64
#define WAYS 4
/* Beyond this the whole cache is dropped: a bound for long random walks. */
#define BYTES_MAX (UINT64_C(48) << 20)

/* Integers only and no gaps, so that keys compare as bytes. */
struct key {
    uint64_t l2_bytes, hit_low, hit_high, rounding, write_back; /* bit patterns of doubles */
    int64_t M, N, K, batch, groups;                             /* the rows of groups: struct slot */
    struct conv_shape conv;
    int32_t cores, warm, bits_a, bits_b, bits_c;
    int32_t usedCoreNum, singleCoreM, singleCoreN, singleCoreK, splitK, splitKReduce, assign;
    int32_t order, orderOffset, orderDirection, orderRounds, iterateOrder;
    int32_t baseM, baseN, stepM, stepN, fullLoad, l1Resident, l2A, l2B, l2C;
    int32_t schedule_cores;
    int32_t scaleFactorM, scaleFactorN;
    int32_t shuffleK, baseK, stepKa, stepKb, dbA1, dbB1; /* 0 where they cannot matter */
    int32_t isBias, mean_map, scales;
};

static_assert(sizeof(struct key) == 10 * 8 + sizeof(struct conv_shape) + 38 * 4, "struct key has no gaps");

static uint64_t bits(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

struct slot {
    bool used;
    uint64_t hash, asked; /* when it was asked for last */
    struct key key;
    int64_t *group_end; /* key.groups of them, where there are several; owned */
    struct mem_geometry geometry;
};

struct memctx_cache {
    struct slot slots[SETS][WAYS];
    size_t bytes;
    uint64_t lookups, hits;
};

static void key_make(struct key *key, const struct schedule *s, bool warm)
{
    const struct target_timing *p = &s->target->timing;
    const struct tiling *t = &s->t;
    memset(key, 0, sizeof *key);
    key->l2_bytes = bits(s->target->l2_bytes);
    key->hit_low = bits(p->l2_hit_low);
    key->hit_high = bits(p->l2_hit_high);
    key->rounding = bits(p->context_rounding);
    key->write_back = bits(p->write_back);
    key->M = s->problem->M;
    key->N = s->problem->N;
    key->K = s->problem->K;
    key->batch = s->problem->batch;
    key->groups = s->problem->groups;
    key->conv = s->problem->conv;
    key->cores = s->target->cores;
    key->warm = warm;
    key->bits_a = dtype_info(s->problem->a.dtype)->bits;
    key->bits_b = dtype_info(s->problem->b.dtype)->bits;
    key->bits_c = cost_store_bits(s);
#define COPY(field) key->field = t->field
    COPY(usedCoreNum);
    COPY(singleCoreM);
    COPY(singleCoreN);
    COPY(singleCoreK);
    COPY(splitK);
    COPY(splitKReduce);
    COPY(assign);
    COPY(order);
    COPY(orderOffset);
    COPY(orderDirection);
    COPY(orderRounds);
    COPY(iterateOrder);
    COPY(baseM);
    COPY(baseN);
    COPY(stepM);
    COPY(stepN);
    COPY(fullLoad);
    COPY(l1Resident);
    COPY(scaleFactorM);
    COPY(scaleFactorN);
    COPY(l2A);
    COPY(l2B);
    COPY(l2C);
    COPY(isBias);
    if (t->shuffleK || t->l1Resident) { /* where a core starts, what L1 still holds */
        COPY(shuffleK);
        COPY(baseK);
        COPY(stepKa);
        COPY(stepKb);
        COPY(dbA1);
        COPY(dbB1);
    }
#undef COPY
    key->schedule_cores = s->cores;
    key->mean_map = p->prototype.mean_map;
    key->scales = (int32_t)cost_panels_have_scales(s) * (1 * s->problem->a.mx + 2 * s->problem->b.mx);
}

enum status memctx_cache_create(struct memctx_cache **out)
{
    *out = calloc(1, sizeof **out);
    return *out == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

static void drop(struct memctx_cache *cache, struct slot *slot)
{
    if (slot->used) {
        cache->bytes -= slot->geometry.bytes;
        memctx_free(&slot->geometry);
        free(slot->group_end);
        slot->group_end = NULL;
        slot->used = false;
    }
}

static bool same_groups(const struct slot *slot, const struct problem *p)
{
    return p->groups <= 1 || memcmp(slot->group_end, p->group_end, (size_t)p->groups * sizeof *slot->group_end) == 0;
}

static enum status keep_groups(struct slot *slot, const struct problem *p)
{
    const size_t bytes = (size_t)p->groups * sizeof *slot->group_end;
    if (p->groups <= 1) {
        return STATUS_OK;
    }
    slot->group_end = malloc(bytes);
    if (slot->group_end == NULL) {
        return STATUS_NO_MEMORY;
    }
    memcpy(slot->group_end, p->group_end, bytes);
    return STATUS_OK;
}

static void drop_all(struct memctx_cache *cache)
{
    for (int i = 0; i < SETS * WAYS; i++) {
        drop(cache, &cache->slots[i / WAYS][i % WAYS]);
    }
}

void memctx_cache_destroy(struct memctx_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    drop_all(cache);
    free(cache);
}

enum status memctx_get(struct memctx_cache *cache, const struct schedule *s, bool l2_warm,
                       const struct mem_geometry **out)
{
    struct key key;
    key_make(&key, s, l2_warm);
    const uint64_t hash = hash_bytes(&key, sizeof key);
    struct slot *const set = cache->slots[hash % SETS];
    struct slot *slot = set;
    cache->lookups++;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].used && set[i].hash == hash && memcmp(&set[i].key, &key, sizeof key) == 0 &&
            same_groups(&set[i], s->problem)) {
            cache->hits++;
            set[i].asked = cache->lookups;
            *out = &set[i].geometry;
            return STATUS_OK;
        }
        slot = !set[i].used || (slot->used && set[i].asked < slot->asked) ? &set[i] : slot;
    }
    drop(cache, slot);
    TRY(memctx_build(s, l2_warm, &slot->geometry));
    if (keep_groups(slot, s->problem) != STATUS_OK) {
        memctx_free(&slot->geometry);
        return STATUS_NO_MEMORY;
    }
    if (cache->bytes + slot->geometry.bytes > BYTES_MAX) {
        drop_all(cache); /* all but this one, which is not in use yet */
    }
    slot->used = true;
    slot->asked = cache->lookups;
    slot->hash = hash;
    slot->key = key;
    cache->bytes += slot->geometry.bytes;
    *out = &slot->geometry;
    return STATUS_OK;
}

void memctx_cache_counts(const struct memctx_cache *cache, uint64_t *lookups, uint64_t *hits)
{
    *lookups = cache->lookups;
    *hits = cache->hits;
}
