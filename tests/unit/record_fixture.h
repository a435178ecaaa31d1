/* record_fixture.h - a cell and records made up for tests of record, sweep and
 * report: a real target, a 512^3 problem, numbers that mean nothing. */
#ifndef TESTS_RECORD_FIXTURE_H
#define TESTS_RECORD_FIXTURE_H

#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "experiment/experiment.h"
#include "record/record.h"

struct fixture {
    struct arena arena;
    struct diag diag;
    const struct experiment *experiment;
};

/* Loads a config given as text; aborts the test if it cannot. */
static inline void fixture_load(struct fixture *f, const char *yaml)
{
    arena_init(&f->arena);
    diag_init(&f->diag);
    char path[] = "/tmp/tilescope_fixture_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(os_write_file(path, yaml, strlen(yaml), NULL), STATUS_OK);
    const enum status st = experiment_load(path, NULL, &f->arena, &f->experiment, &f->diag);
    remove(path);
    if (st != STATUS_OK) {
        struct strbuf text;
        strbuf_init(&text);
        diag_render(&f->diag, &text);
        fail_msg("%s", strbuf_cstr(&text));
    }
}

static inline void fixture_fini(struct fixture *f)
{
    diag_fini(&f->diag);
    arena_fini(&f->arena);
}

#define FIXTURE_YAML                                                                      \
    "name: fixture\ntarget: ascend910b1\nproblem: {M: 512, N: 512, K: 512}\n"             \
    "tiling: {baseM: [16, 32, 64, 128], baseN: [16, 32, 64, 128], baseK: [16, 32, 64]}\n" \
    "verify: none\n"

/* Point `index` of a cell with numbers drawn from (seed, index). */
static inline struct record fixture_record(const struct cell *cell, uint64_t index, uint64_t seed)
{
    struct rng g = rng_init(rng_mix(seed) ^ index);
    struct record r;
    struct plan plan;
    memset(&r, 0, sizeof(r));
    r.cell = cell->id;
    r.index = index;
    (void)space_at(&cell->space, cell->target, &cell->problem, index, &r.t, &plan, &r.why);
    if (r.why.reason != REASON_NONE) {
        return r;
    }
    r.task = rng_between(&g, 1000, 1000000000);
    r.split = rng_between(&g, 0, 400);
    r.core_max = r.task - rng_between(&g, 0, 900);
    r.core_mean = r.core_max - rng_between(&g, 0, 99);
    for (int p = 0; p < PIPE_N - 1; p++) {
        r.busy[p] = rng_between(&g, 0, r.core_mean);
    }
    r.bound_pipe = (uint8_t)rng_below(&g, 4);
    r.unvalidated = (uint8_t)rng_below(&g, 2);
    r.bytes[PATH_GM_L1] = rng_between(&g, 1, 1LL << 40);
    r.bytes[PATH_L1_L0A] = rng_between(&g, 1, 1LL << 40);
    r.bytes[PATH_L1_L0B] = rng_between(&g, 1, 1LL << 40);
    r.bytes[PATH_L0C_GM] = rng_between(&g, 1, 1LL << 40);
    r.compulsory = rng_between(&g, 1, 1LL << 40);
    r.hbm = rng_between(&g, 1, 1LL << 40);
    r.macs = 512LL * 512 * 512;
    for (int b = BUF_L1; b < BUF_UB; b++) {
        r.usable[b] = rng_between(&g, 1, 1 << 20);
        r.used[b] = rng_between(&g, 0, r.usable[b]);
    }
    r.events_used = (int32_t)rng_below(&g, 20);
    r.verify = VERIFY_CLASSES;
    r.verified = (uint8_t)(rng_below(&g, 10) ? VERIFIED_OK : VERIFIED_MISMATCH);
    r.verified_elems = rng_below(&g, 1ULL << 50);
    return r;
}

#endif
