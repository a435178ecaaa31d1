/* arena.h - one block of memory per thread and case: allocate, never free, reset.
 *
 * Pointers stay valid until arena_reset or arena_fini. Not thread safe: one
 * arena per context, one context per thread. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *head; /* newest block */
    size_t used;              /* bytes handed out since the last reset */
};

void arena_init(struct arena *a);
void arena_fini(struct arena *a);
/* Forgets all allocations, keeps the largest block. */
void arena_reset(struct arena *a);
/* `count * size` zeroed bytes aligned to 64; NULL on overflow, over LIMIT_ARENA_REQUEST, or for lack of memory. */
void *arena_alloc(struct arena *a, size_t count, size_t size);
/* A copy of the first `n` bytes of `text`, NUL-terminated; NULL on failure. */
char *arena_strndup(struct arena *a, const char *text, size_t n);
char *arena_strdup(struct arena *a, const char *text);

#endif
