#include "engine/memory.h"

#include <stdlib.h>

enum status memory_init(struct memory *m, int64_t size)
{
    memset(m, 0, sizeof *m);
    if (size == 0) {
        return STATUS_OK;
    }
    m->size = (size + TAINT_PAGE - 1) / TAINT_PAGE * TAINT_PAGE;
    const size_t bytes = (size_t)m->size + MEMORY_SLACK;
    m->bytes = aligned_alloc(64, (bytes + 63) / 64 * 64);
    m->taint = malloc(((size_t)m->size / TAINT_BLOCK + 1) * sizeof *m->taint);
    m->page = malloc((size_t)m->size / TAINT_PAGE);
    if (m->bytes == NULL || m->taint == NULL || m->page == NULL) {
        memory_fini(m);
        return STATUS_NO_MEMORY;
    }
    /* A pattern that is no round number in any dtype: what leaks out is seen. */
    for (size_t i = 0; i < bytes; i++) {
        m->bytes[i] = (uint8_t)(0xA5 ^ (i * 37));
    }
    m->taint[m->size / TAINT_BLOCK] = 0;
    memory_taint_all(m);
    return STATUS_OK;
}

void memory_fini(struct memory *m)
{
    free(m->bytes);
    free(m->taint);
    free(m->page);
    memset(m, 0, sizeof *m);
}

void memory_taint_all(struct memory *m)
{
    if (m->bytes != NULL) {
        memset(m->taint, 0xFF, (size_t)m->size / TAINT_BLOCK * sizeof *m->taint);
        memset(m->page, 1, (size_t)m->size / TAINT_PAGE);
    }
}

/* Bits [from, to) of a word. */
static uint32_t bit_range(int64_t from, int64_t to)
{
    const uint32_t upper = to >= TAINT_BLOCK ? UINT32_MAX : (1U << to) - 1;
    return upper & ~((1U << from) - 1);
}

/* The bits of block `block` that [byte, end) covers. */
static uint32_t covered(int64_t block, int64_t byte, int64_t end)
{
    const int64_t start = block * TAINT_BLOCK;
    return bit_range(byte > start ? byte - start : 0, end - start);
}

int64_t taint_find_slow(const struct memory *m, int64_t byte, int64_t len)
{
    const int64_t end = byte + len;
    for (int64_t b = byte / TAINT_BLOCK; b * TAINT_BLOCK < end; b++) {
        const uint32_t hit = m->taint[b] == 0 ? 0 : m->taint[b] & covered(b, byte, end);
        if (hit != 0) {
            return b * TAINT_BLOCK + __builtin_ctz(hit);
        }
    }
    return -1;
}

void taint_update_pages(struct memory *m, int64_t byte, int64_t len)
{
    for (int64_t p = byte / TAINT_PAGE; p * TAINT_PAGE < byte + len; p++) {
        const uint32_t *words = m->taint + p * (TAINT_PAGE / TAINT_BLOCK);
        uint32_t any = 0;
        for (int i = 0; i < TAINT_PAGE / TAINT_BLOCK; i++) {
            any |= words[i];
        }
        m->page[p] = any != 0;
    }
}

void taint_clear_slow(struct memory *m, int64_t byte, int64_t len)
{
    const int64_t end = byte + len;
    for (int64_t b = byte / TAINT_BLOCK; b * TAINT_BLOCK < end; b++) {
        m->taint[b] &= ~covered(b, byte, end);
    }
    taint_update_pages(m, byte, len);
}

void taint_set(struct memory *m, int64_t byte, int64_t len)
{
    const int64_t end = byte + len;
    if (len <= 0) {
        return;
    }
    for (int64_t b = byte / TAINT_BLOCK; b * TAINT_BLOCK < end; b++) {
        m->taint[b] |= covered(b, byte, end);
    }
    for (int64_t p = byte / TAINT_PAGE; p * TAINT_PAGE < end; p++) {
        m->page[p] = 1;
    }
}

void taint_copy_slow(struct memory *dst, int64_t to, const struct memory *src, int64_t from, int64_t len)
{
    int64_t i = 0;
    if (to % TAINT_BLOCK == 0) {
        for (; i + TAINT_BLOCK <= len; i += TAINT_BLOCK) {
            dst->taint[(to + i) / TAINT_BLOCK] = taint_word(src, from + i);
        }
    }
    for (; i < len; i++) {
        const uint32_t bit = 1U << ((to + i) % TAINT_BLOCK);
        uint32_t *word = &dst->taint[(to + i) / TAINT_BLOCK];
        *word = taint_at(src, from + i) ? *word | bit : *word & ~bit;
    }
    taint_update_pages(dst, to, len);
}

void taint_store(struct memory *m, int64_t byte, const uint32_t *words, int64_t blocks)
{
    memcpy(m->taint + byte / TAINT_BLOCK, words, (size_t)blocks * sizeof *words);
    taint_update_pages(m, byte, blocks * TAINT_BLOCK);
}
