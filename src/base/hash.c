/* hash.c - libxxhash's header is compiled into this one file, so no other
 * file pays its compile time and the library need not be there at run time. */
#include "base/hash.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct hash_stream {
    XXH3_state_t state; /* over-aligned: 64 */
};

uint64_t hash_bytes(const void *bytes, size_t len)
{
    return XXH3_64bits(len ? bytes : "", len);
}

struct hash_stream *hash_stream_create(void)
{
    struct hash_stream *h = aligned_alloc(_Alignof(struct hash_stream), sizeof(*h));
    if (h) {
        hash_stream_reset(h);
    }
    return h;
}

void hash_stream_destroy(struct hash_stream *h)
{
    free(h);
}

void hash_stream_reset(struct hash_stream *h)
{
    XXH3_INITSTATE(&h->state);
    XXH3_64bits_reset(&h->state);
}

void hash_stream_add(struct hash_stream *h, const void *bytes, size_t len)
{
    if (len) {
        XXH3_64bits_update(&h->state, bytes, len);
    }
}

uint64_t hash_stream_value(const struct hash_stream *h)
{
    return XXH3_64bits_digest(&h->state);
}

uint64_t fnv1a_add(uint64_t h, const void *bytes, size_t len)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < len; i++) {
        h = (h ^ p[i]) * 0x100000001B3ULL;
    }
    return h;
}

uint64_t fnv1a(const void *bytes, size_t len)
{
    return fnv1a_add(FNV1A_START, bytes, len);
}
