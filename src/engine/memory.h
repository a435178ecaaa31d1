/* memory.h - one buffer of a core with its taint, byte by byte.
 *
 * Taint is one bit per byte, kept as a 32-bit word per 32 B block, so a block
 * of the hardware is one word.  Above it stands one flag per 512 B page,
 * "some byte may be tainted": buffers are clean nearly always, so the checks of
 * a large copy read one byte per 512.  A page flag may be set though the page
 * is clean, never the other way round. */
#ifndef ENGINE_MEMORY_H
#define ENGINE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"

enum { TAINT_BLOCK = 32, TAINT_PAGE = 512, MEMORY_SLACK = 64 };

struct memory {
    uint8_t *bytes;  /* size + MEMORY_SLACK readable bytes, 64-aligned; NULL: no such buffer */
    uint32_t *taint; /* bit i of word b: byte 32 * b + i */
    uint8_t *page;
    int64_t size; /* a multiple of 512 */
};

enum status memory_init(struct memory *m, int64_t size);
void memory_fini(struct memory *m);
/* All tainted; bytes unchanged. */
void memory_taint_all(struct memory *m);

/* Slow paths of the functions below: [byte, byte + len) touches a flagged page. */
int64_t taint_find_slow(const struct memory *m, int64_t byte, int64_t len);
void taint_clear_slow(struct memory *m, int64_t byte, int64_t len);
void taint_set(struct memory *m, int64_t byte, int64_t len);
/* Recomputes the flags of the pages of a range after its words were changed. */
void taint_update_pages(struct memory *m, int64_t byte, int64_t len);

static inline bool taint_pages_clean(const struct memory *m, int64_t byte, int64_t len)
{
    const int64_t first = byte / TAINT_PAGE, last = (byte + len - 1) / TAINT_PAGE;
    if (first == last) {
        return m->page[first] == 0;
    }
    return memchr(m->page + first, 1, (size_t)(last - first + 1)) == NULL;
}

/* First tainted byte of the range, or -1. */
static inline int64_t taint_find(const struct memory *m, int64_t byte, int64_t len)
{
    return len <= 0 || taint_pages_clean(m, byte, len) ? -1 : taint_find_slow(m, byte, len);
}

static inline bool taint_clean(const struct memory *m, int64_t byte, int64_t len)
{
    return taint_find(m, byte, len) < 0;
}

static inline void taint_clear(struct memory *m, int64_t byte, int64_t len)
{
    if (len > 0 && !taint_pages_clean(m, byte, len)) {
        taint_clear_slow(m, byte, len);
    }
}

static inline bool taint_at(const struct memory *m, int64_t byte)
{
    return (m->taint[byte / TAINT_BLOCK] >> (byte % TAINT_BLOCK) & 1U) != 0;
}

/* Word of the 32 B that start at any byte: bit i is byte + i. */
static inline uint32_t taint_word(const struct memory *m, int64_t byte)
{
    const int64_t block = byte / TAINT_BLOCK;
    const unsigned shift = (unsigned)(byte % TAINT_BLOCK);
    if (shift == 0) {
        return m->taint[block];
    }
    return m->taint[block] >> shift | m->taint[block + 1] << (TAINT_BLOCK - shift);
}

/* Destination taken over from source: dst byte i gets the taint of src byte i. */
void taint_copy_slow(struct memory *dst, int64_t to, const struct memory *src, int64_t from, int64_t len);
static inline void taint_copy(struct memory *dst, int64_t to, const struct memory *src, int64_t from, int64_t len)
{
    if (len <= 0) {
        return;
    }
    if (taint_pages_clean(src, from, len)) {
        taint_clear(dst, to, len);
    } else {
        taint_copy_slow(dst, to, src, from, len);
    }
}

/* Taint of `blocks` whole 32 B blocks at `byte` (a multiple of 32) from words. */
void taint_store(struct memory *m, int64_t byte, const uint32_t *words, int64_t blocks);

#endif
