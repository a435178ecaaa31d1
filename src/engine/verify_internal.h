/* verify_internal.h - shared by verify.c (running) and verify_classes.c (patterns). */
#ifndef ENGINE_VERIFY_INTERNAL_H
#define ENGINE_VERIFY_INTERNAL_H

#include "base/arena.h"
#include "engine/engine.h"
#include "engine/reference.h"
#include "engine/verify.h"

/* Where stores to C land: one window of it. Each element must come once. */
struct c_window {
    int64_t m0, n0, m, n; /* window in C, elements */
    int64_t pitch, es;    /* of C in GM, bytes */
    uint8_t *data;        /* m x n elements without gaps */
    uint8_t *count;       /* stores seen per element */
};

struct verify {
    struct verify_cache *cache;
    const struct target *engine_target;
    struct engine *engine;
    struct arena arena;
    struct insn *insns, *others; /* two lists, in the arena, per schedule */
    int insn_cap;
    const struct schedule *s;
    struct c_window window;
    verify_tamper *tamper;
    void *tamper_ctx;
};

/* Opens a window on C for the following stores. */
enum status verify_open_window(struct verify *v, int64_t m0, int64_t n0, int64_t m, int64_t n);
/* Executes one step of a core (with the test's tamper). */
enum status verify_exec_step(struct verify *v, int32_t core, int64_t i, struct diag *d);
/* Prologue or epilogue of a core. */
enum status verify_exec_edge(struct verify *v, int32_t core, bool prologue, struct diag *d);
/* Compares the open window with the reference over K ranges. STATUS_MISMATCH. */
enum status verify_compare(struct verify *v, const struct k_range *ranges, int count, struct diag *d);

enum status verify_classes(struct verify *v, struct verify_outcome *out, struct diag *d);

#endif
