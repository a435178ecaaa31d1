/* arena.c - a list of blocks, newest first. Allocation bumps an offset in the
 * newest; a request that does not fit opens a block of at least twice the last
 * size, so a case of n bytes costs O(log n) mallocs the first time and none
 * after a reset. Fresh memory is zeroed on hand-out, not on reset: a reset
 * stays O(blocks). */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

enum { ALIGNMENT = 64, FIRST_BLOCK = 64 * 1024, LARGEST_STEP = 16 * 1024 * 1024 };

struct arena_block {
    struct arena_block *older;
    size_t size; /* usable bytes */
    size_t fill; /* bytes handed out, a multiple of ALIGNMENT */
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

void arena_init(struct arena *a)
{
    *a = (struct arena){0};
}

static void free_blocks(struct arena_block *b)
{
    while (b) {
        struct arena_block *older = b->older;
        free(b);
        b = older;
    }
}

void arena_fini(struct arena *a)
{
    free_blocks(a->head);
    arena_init(a);
}

void arena_reset(struct arena *a)
{
    /* Sizes never shrink towards the head except after a huge request, so look. */
    struct arena_block *largest = a->head;
    for (struct arena_block *b = a->head; b; b = b->older) {
        largest = b->size > largest->size ? b : largest;
    }
    for (struct arena_block *b = a->head; b;) {
        struct arena_block *older = b->older;
        if (b != largest) {
            free(b);
        }
        b = older;
    }
    if (largest) {
        largest->older = NULL;
        largest->fill = 0;
    }
    a->head = largest;
    a->used = 0;
}

static struct arena_block *add_block(struct arena *a, size_t need)
{
    size_t size = FIRST_BLOCK;
    if (a->head) {
        size = a->head->size >= LARGEST_STEP ? LARGEST_STEP : a->head->size * 2;
    }
    if (size < need) {
        size = need;
    }
    const size_t total = (sizeof(struct arena_block) + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct arena_block *b = aligned_alloc(ALIGNMENT, total);
    if (!b) {
        return NULL;
    }
    b->older = a->head;
    b->size = size;
    b->fill = 0;
    a->head = b;
    return b;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > LIMIT_ARENA_REQUEST) {
        return NULL;
    }
    /* An empty request still gets a pointer of its own. */
    const size_t need = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    struct arena_block *b = a->head;
    if (!b || b->size - b->fill < need) {
        b = add_block(a, need);
        if (!b) {
            return NULL;
        }
    }
    void *p = b->bytes + b->fill;
    b->fill += need;
    a->used += need;
    return memset(p, 0, need);
}

char *arena_strndup(struct arena *a, const char *text, size_t n)
{
    if (n == SIZE_MAX) {
        return NULL;
    }
    char *copy = arena_alloc(a, n + 1, 1);
    if (copy && n) {
        memcpy(copy, text, n);
    }
    return copy;
}

char *arena_strdup(struct arena *a, const char *text)
{
    return arena_strndup(a, text, strlen(text));
}
