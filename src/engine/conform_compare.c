/* Hashes, and where two memories differ in the words of a document: byte,
 * fractal, element. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "engine/conform_internal.h"

enum { HASH_BLOCK = 512 };

/* Bytes [from, from + len) of the buffer with unspecified ones zeroed. */
static void masked(const struct vec_case *c, const struct vec_buf *b, const uint8_t *got, int64_t from, int64_t len,
                   uint8_t *out)
{
    memcpy(out, got + from, (size_t)len);
    for (size_t i = 0; i < c->unspec_count; i++) {
        const struct vec_range *u = &c->unspec[i];
        const int64_t lo = max_i64(u->off, from), hi = min_i64(u->off + u->len, from + len);
        if (strcmp(u->name, b->name) == 0 && lo < hi) {
            memset(out + (lo - from), 0, (size_t)(hi - lo));
        }
    }
}

uint64_t conform_hash(const struct vec_case *c, const struct vec_buf *b, const uint8_t *got)
{
    uint64_t h = FNV1A_START;
    uint8_t part[HASH_BLOCK];
    for (int64_t at = 0; at < b->len; at += HASH_BLOCK) {
        const int64_t len = min_i64(HASH_BLOCK, b->len - at);
        masked(c, b, got, at, len, part);
        h = fnv1a_add(h, part, (size_t)len);
    }
    return h;
}

static const struct vec_hash *find_hash(const struct vec_case *c, const char *name, int64_t block)
{
    for (size_t i = 0; i < c->hash_count; i++) {
        if (c->hashes[i].block == block && strcmp(c->hashes[i].name, name) == 0) {
            return &c->hashes[i];
        }
    }
    return NULL;
}

static void add_place(const struct vec_buf *b, int64_t byte, enum dtype dtype, struct strbuf *out)
{
    const int64_t from_operand = byte - b->off;
    const unsigned bits = dtype_info(dtype)->bits;
    strbuf_addf(out, " (fractal %" PRId64 ", element %" PRId64 " of it)", from_operand / 512,
                from_operand % 512 * 8 / bits);
}

/* The first differing byte of a block that has hex lines or is expected to be
 * unchanged. @return false if only the hash is known. */
static bool describe_bytes(const struct vec_case *c, const struct vec_buf *b, const uint8_t *before, const uint8_t *got,
                           int64_t at, int64_t len, bool changed, enum dtype dtype, struct strbuf *out)
{
    uint8_t want[HASH_BLOCK], have[HASH_BLOCK];
    bool known = !changed;
    masked(c, b, before, at, len, want);
    masked(c, b, got, at, len, have);
    for (size_t i = 0; i < c->hex_count; i++) {
        const struct vec_hex *h = &c->hexes[i];
        if (strcmp(h->name, b->name) == 0 && h->off >= at && h->off < at + len) {
            memcpy(want + (h->off - at), h->bytes, (size_t)min_i64(32, at + len - h->off));
            known = true;
        }
    }
    for (int64_t i = 0; known && i < len; i++) {
        if (want[i] != have[i]) {
            strbuf_addf(out, "%s byte %" PRId64 ": expected %02x, got %02x", b->name, at + i, want[i], have[i]);
            add_place(b, at + i, dtype, out);
            return true;
        }
    }
    return false;
}

bool conform_equal(const struct vec_case *c, const struct vec_buf *b, const uint8_t *before, const uint8_t *got,
                   enum dtype dtype, struct strbuf *out)
{
    const struct vec_hash *whole = find_hash(c, b->name, -1);
    const uint64_t hash = conform_hash(c, b, got);
    if (whole == NULL || whole->hash == hash) {
        return true;
    }
    for (int64_t at = 0; at < b->len; at += HASH_BLOCK) {
        const int64_t len = min_i64(HASH_BLOCK, b->len - at);
        const struct vec_hash *block = find_hash(c, b->name, at / HASH_BLOCK);
        uint8_t want[HASH_BLOCK], have[HASH_BLOCK];
        masked(c, b, before, at, len, want);
        masked(c, b, got, at, len, have);
        const uint64_t expected = block != NULL ? block->hash : fnv1a(want, (size_t)len);
        const uint64_t found = fnv1a(have, (size_t)len);
        if (expected == found) {
            continue;
        }
        if (!describe_bytes(c, b, before, got, at, len, block != NULL, dtype, out)) {
            strbuf_addf(out, "%s bytes %" PRId64 "..%" PRId64 ": expected hash %016" PRIx64 ", got %016" PRIx64,
                        b->name, at, at + len - 1, expected, found);
            add_place(b, at, dtype, out);
        }
        return false;
    }
    strbuf_addf(out, "%s: every block is as expected, the whole is not: expected hash %016" PRIx64 ", got %016" PRIx64,
                b->name, whole->hash, hash);
    return false;
}
