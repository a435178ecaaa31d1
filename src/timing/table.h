/* table.h - a small hash index: where in an array a record with this content
 * stands. Equality is decided by the caller comparing the records themselves. */
#ifndef TIMING_TABLE_H
#define TIMING_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Open addressing over indices of an array kept by the caller. */
struct table {
    uint32_t *slots; /* index + 1; 0: empty */
    uint32_t *tags;  /* high hash bits: most mismatches cost no look at the record */
    uint32_t mask;   /* size - 1 */
    uint32_t count;
};

/* @return false on lack of memory. */
bool table_init(struct table *t, uint32_t size_log2);
void table_fini(struct table *t);
/* Forgets all entries. */
void table_clear(struct table *t);

/* Walks the candidates of `hash`: *at starts at TABLE_START.
 * @return index of the next candidate record, or UINT32_MAX when there is none. */
#define TABLE_START UINT32_MAX
uint32_t table_next(const struct table *t, uint64_t hash, uint32_t *at);

/* Adds record `index` under `hash`; grows as needed.
 * `hash_of(ctx, index)` gives the hash of records already in.
 * @return false on lack of memory. */
typedef uint64_t table_hash(const void *ctx, uint32_t index);
bool table_add(struct table *t, uint64_t hash, uint32_t index, table_hash *hash_of, const void *ctx);

#endif
