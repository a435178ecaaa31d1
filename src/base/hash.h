/* hash.h - fingerprints of bytes: XXH3-64 for our own keys, FNV-1a 64 where
 * test vectors from outside ask for it. Neither is cryptographic. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH3-64 with seed 0 of `len` bytes; `bytes` may be NULL when len is 0. */
uint64_t hash_bytes(const void *bytes, size_t len);

/* XXH3-64 in pieces. hash_stream_value may be called at any time. */
struct hash_stream;
struct hash_stream *hash_stream_create(void);    /* NULL on lack of memory */
void hash_stream_destroy(struct hash_stream *h); /* accepts NULL */
void hash_stream_reset(struct hash_stream *h);
void hash_stream_add(struct hash_stream *h, const void *bytes, size_t len);
uint64_t hash_stream_value(const struct hash_stream *h);

#define FNV1A_START 0xCBF29CE484222325ULL

/* FNV-1a 64 of `len` bytes, continuing from `h` (FNV1A_START at first). */
uint64_t fnv1a_add(uint64_t h, const void *bytes, size_t len);
uint64_t fnv1a(const void *bytes, size_t len);

#endif
