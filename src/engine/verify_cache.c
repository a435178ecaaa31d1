/* verify_cache.c - which patterns are known to be right: keys and their set. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/verify_internal.h"

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

bool verify_cache_has(struct verify_cache *c, const struct pattern_key *key)
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
void verify_cache_add(struct verify_cache *c, const struct pattern_key *key)
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
    to->input = from->input;
    /* Addresses in columns of blocks depend on the number of rows. */
    to->rows = from->format != LAYOUT_ND ? from->rows : 0;
}

void verify_make_key(const struct verify *v, const struct tile_form *tile, const struct tile_form *before,
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
    key->conv.n = 0; /* images are alike */
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
