/* table.c - linear probing, at most half full. */
#include "timing/table.h"

#include <stdlib.h>
#include <string.h>

bool table_init(struct table *t, uint32_t size_log2)
{
    const size_t size = (size_t)1 << size_log2;
    t->slots = calloc(size, sizeof *t->slots);
    t->tags = calloc(size, sizeof *t->tags);
    t->mask = (uint32_t)size - 1;
    t->count = 0;
    if (t->slots == NULL || t->tags == NULL) {
        table_fini(t);
        return false;
    }
    return true;
}

void table_fini(struct table *t)
{
    free(t->slots);
    free(t->tags);
    *t = (struct table){0};
}

void table_clear(struct table *t)
{
    if (t->count > 0) {
        memset(t->slots, 0, ((size_t)t->mask + 1) * sizeof *t->slots);
        t->count = 0;
    }
}

uint32_t table_next(const struct table *t, uint64_t hash, uint32_t *at)
{
    const uint32_t tag = (uint32_t)(hash >> 32);
    uint32_t i = *at == TABLE_START ? (uint32_t)hash & t->mask : (*at + 1) & t->mask;
    while (t->slots[i] != 0) {
        if (t->tags[i] == tag) {
            *at = i;
            return t->slots[i] - 1;
        }
        i = (i + 1) & t->mask;
    }
    return UINT32_MAX;
}

static void put(struct table *t, uint64_t hash, uint32_t index)
{
    uint32_t i = (uint32_t)hash & t->mask;
    while (t->slots[i] != 0) {
        i = (i + 1) & t->mask;
    }
    t->slots[i] = index + 1;
    t->tags[i] = (uint32_t)(hash >> 32);
    t->count++;
}

static bool grow(struct table *t, table_hash *hash_of, const void *ctx)
{
    struct table bigger;
    uint32_t log2 = 1;
    while (((size_t)1 << log2) <= t->mask) {
        log2++;
    }
    if (!table_init(&bigger, log2 + 1)) {
        return false;
    }
    for (size_t i = 0; i <= t->mask; i++) {
        if (t->slots[i] != 0) {
            put(&bigger, hash_of(ctx, t->slots[i] - 1), t->slots[i] - 1);
        }
    }
    table_fini(t);
    *t = bigger;
    return true;
}

bool table_add(struct table *t, uint64_t hash, uint32_t index, table_hash *hash_of, const void *ctx)
{
    if (((uint64_t)t->count + 1) * 2 > t->mask && !grow(t, hash_of, ctx)) {
        return false;
    }
    put(t, hash, index);
    return true;
}
