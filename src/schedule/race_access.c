/* race_access.c - who touched a block last, and must the next one wait for it?
 *
 * Per buffer, actor and direction one number a 32 B block (struct marks): the
 * last instruction that touched it. An access asks whether the largest number under it is known
 * to be complete. An earlier instruction of the same actor that a later one
 * hides is complete when the later one is, so one number is enough. */
#include <stdlib.h>

#include "base/intmath.h"
#include "schedule/race_internal.h"

/* Accesses of one pipe that need more than their order in it. `kinds`: bit 0 a
 * read, bit 1 a write of the later instruction. */
static const struct {
    uint8_t earlier; /* enum actor, its write */
    uint8_t kinds;
    uint32_t bufs;
} barriers[] = {
    {ACTOR_MTE2, 2, 1U << BUF_L1},                                 /* two copies to the same bytes */
    {ACTOR_FILL, 3, 1U << BUF_L1 | 1U << BUF_L0A | 1U << BUF_L0B}, /* a Fill and what follows it */
    {ACTOR_M_SMALL, 2, 1U << BUF_L0C},                             /* a small Mmad and the next one */
    {ACTOR_FIX, 3, 1U << BUF_FB},                                  /* the quant row and its Fixpipe */
};

static bool is_unit(enum actor actor)
{
    return actor == ACTOR_M_UNIT || actor == ACTOR_FIX_UNIT;
}

/* Must a new access of `actor` be known to come after `earlier`'s? */
static bool must_follow(enum actor actor, bool write, enum actor earlier, bool earlier_write, enum buffer buf)
{
    if (!write && !earlier_write) {
        return false;
    }
    if (race_actor_pipe(actor) != race_actor_pipe(earlier)) {
        /* M_SMALL and FILL repeat what stands under their pipe; the unit flag is race_unit.c's. */
        return earlier != ACTOR_M_SMALL && earlier != ACTOR_FILL && !(is_unit(actor) && is_unit(earlier));
    }
    for (size_t i = 0; i < sizeof barriers / sizeof barriers[0]; i++) {
        if (barriers[i].earlier == earlier && earlier_write && (barriers[i].bufs >> buf & 1U) != 0 &&
            (barriers[i].kinds >> write & 1U) != 0) {
            return true;
        }
    }
    return false;
}

/* --- blocks of the on-chip buffers --------------------------------------- */

/* More runs than this are walked as their hull: only a nonsensical instruction has them. */
#define RUNS_MAX 65536

/* Block range [*from, *to) of run i, inside the buffer. */
static void run_blocks(const struct race *r, const struct access *a, int64_t i, int64_t *from, int64_t *to)
{
    int64_t lo = access_run(a, i), hi = lo + a->len;
    if (access_runs(a) > RUNS_MAX) {
        access_hull(a, &lo, &hi);
    }
    *from = max_i64(lo, 0) / RACE_BLOCK;
    *to = min_i64(ceil_div(max_i64(hi, 0), RACE_BLOCK), r->blocks[a->buf]);
}

static int64_t run_count(const struct access *a)
{
    return access_runs(a) > RUNS_MAX ? 1 : access_runs(a);
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t block_mark(const struct marks *m, int64_t block)
{
    return later(m->block[block], m->whole[block / RACE_GROUP]);
}

/* The latest mark of the blocks [from, to). */
static uint32_t newest(const struct marks *m, int64_t from, int64_t to)
{
    uint32_t most = 0;
    for (int64_t i = from; i < to;) {
        const int64_t group = i / RACE_GROUP;
        if (i % RACE_GROUP == 0 && i + RACE_GROUP <= to) {
            most = later(most, later(m->whole[group], m->part[group]));
            i += RACE_GROUP;
        } else {
            most = later(most, block_mark(m, i));
            i++;
        }
    }
    return most;
}

static void mark_blocks(struct marks *m, int64_t from, int64_t to, uint32_t seq)
{
    for (int64_t i = from; i < to;) {
        const int64_t group = i / RACE_GROUP;
        if (i % RACE_GROUP == 0 && i + RACE_GROUP <= to) {
            m->whole[group] = seq;
            i += RACE_GROUP;
        } else {
            m->block[i] = m->part[group] = seq;
            i++;
        }
    }
}

static void report(struct race *r, const struct insn *insn, enum actor actor, const struct access *a,
                   enum actor earlier, bool earlier_write, uint32_t seq, int64_t lo, int64_t hi)
{
    const enum pipe pipe = race_actor_pipe(earlier), now = race_actor_pipe(actor);
    struct race_violation *v = race_add(r, pipe == now ? RACE_BARRIER : RACE_UNORDERED, insn);
    if (v == NULL) {
        return;
    }
    const struct insn *first = race_past(r, pipe, seq);
    v->first_pipe = (uint8_t)pipe;
    v->pipe = (uint8_t)now;
    v->event = (uint8_t)race_event_between(r->target, pipe, now);
    v->buf = a->buf;
    v->write = a->write;
    v->first_write = earlier_write;
    v->lo = lo;
    v->hi = hi;
    v->has_first = first != NULL;
    if (first != NULL) {
        v->first = *first;
    }
}

/* The first block under `a` whose mark is beyond `limit`, reported; a is not compared further. */
static void check_marks(struct race *r, const struct insn *insn, enum actor actor, const struct access *a,
                        enum actor earlier, bool earlier_write)
{
    const struct marks *m = &r->marks[a->buf][earlier][earlier_write];
    const uint32_t limit = r->clock[race_actor_pipe(actor)].done[race_actor_pipe(earlier)];
    const int64_t runs = run_count(a);
    for (int64_t i = 0; i < runs; i++) {
        int64_t from, to;
        run_blocks(r, a, i, &from, &to);
        if (newest(m, from, to) <= limit) {
            continue;
        }
        while (block_mark(m, from) <= limit) {
            from++;
        }
        const uint32_t seq = block_mark(m, from);
        int64_t end = from + 1;
        while (end < to && block_mark(m, end) == seq) {
            end++;
        }
        report(r, insn, actor, a, earlier, earlier_write, seq, from * RACE_BLOCK, end * RACE_BLOCK);
        return;
    }
}

static enum status marks_create(struct marks *m, int64_t blocks)
{
    const int64_t groups = ceil_div(blocks, RACE_GROUP);
    m->whole = calloc((size_t)(2 * groups + groups * RACE_GROUP), sizeof *m->whole);
    if (m->whole == NULL) {
        return STATUS_NO_MEMORY;
    }
    m->part = m->whole + groups;
    m->block = m->part + groups;
    return STATUS_OK;
}

static enum status leave_mark(struct race *r, enum actor actor, const struct access *a, uint32_t seq)
{
    struct marks *m = &r->marks[a->buf][actor][a->write];
    if (m->whole == NULL) {
        TRY(marks_create(m, r->blocks[a->buf]));
    }
    const int64_t runs = run_count(a);
    for (int64_t i = 0; i < runs; i++) {
        int64_t from, to;
        run_blocks(r, a, i, &from, &to);
        mark_blocks(m, from, to, seq);
    }
    return STATUS_OK;
}

/* --- GM ------------------------------------------------------------------ */

static bool runs_overlap(const struct access *a, const struct access *b)
{
    int64_t a_lo, a_hi, b_lo, b_hi;
    access_hull(a, &a_lo, &a_hi);
    access_hull(b, &b_lo, &b_hi);
    if (a_hi <= b_lo || b_hi <= a_lo) {
        return false;
    }
    const int64_t a_runs = access_runs(a), b_runs = access_runs(b);
    if (a_runs > RUNS_MAX || b_runs > RUNS_MAX / a_runs) {
        return true; /* too many to compare: the hulls decide */
    }
    for (int64_t i = 0; i < a_runs; i++) {
        const int64_t lo = access_run(a, i);
        for (int64_t j = 0; j < b_runs; j++) {
            const int64_t other = access_run(b, j);
            if (lo < other + b->len && other < lo + a->len) {
                return true;
            }
        }
    }
    return false;
}

static void check_gm_history(struct race *r, const struct insn *insn, enum actor actor, const struct access *a,
                             enum actor earlier, bool earlier_write)
{
    const struct gm_history *h = &r->gm[a->tensor][race_actor_pipe(earlier)][earlier_write];
    const uint32_t limit = r->clock[race_actor_pipe(actor)].done[race_actor_pipe(earlier)];
    int64_t lo, hi;
    access_hull(a, &lo, &hi);
    if (h->old_seq > limit && lo < h->old_hi && h->old_lo < hi) {
        report(r, insn, actor, a, earlier, earlier_write, h->old_seq, max_i64(lo, h->old_lo), min_i64(hi, h->old_hi));
        return;
    }
    const uint32_t kept = h->count < RACE_GM_KEPT ? h->count : RACE_GM_KEPT;
    for (uint32_t i = 0; i < kept; i++) {
        if (h->seq[i] > limit && runs_overlap(a, &h->kept[i])) {
            int64_t other_lo, other_hi;
            access_hull(&h->kept[i], &other_lo, &other_hi);
            report(r, insn, actor, a, earlier, earlier_write, h->seq[i], max_i64(lo, other_lo), min_i64(hi, other_hi));
            return;
        }
    }
}

static void keep_gm(struct race *r, enum actor actor, const struct access *a, uint32_t seq)
{
    struct gm_history *h = &r->gm[a->tensor][race_actor_pipe(actor)][a->write];
    const uint32_t slot = h->count % RACE_GM_KEPT;
    if (h->count >= RACE_GM_KEPT) {
        int64_t lo, hi;
        access_hull(&h->kept[slot], &lo, &hi);
        h->old_lo = h->old_seq == 0 ? lo : min_i64(h->old_lo, lo);
        h->old_hi = h->old_seq == 0 ? hi : max_i64(h->old_hi, hi);
        h->old_seq = h->seq[slot];
    }
    h->kept[slot] = *a;
    h->seq[slot] = seq;
    h->count = h->count == UINT32_MAX ? RACE_GM_KEPT : h->count + 1;
}

/* --- one instruction ----------------------------------------------------- */

static void check_access(struct race *r, const struct insn *insn, enum actor actor, const struct access *a)
{
    const enum buffer buf = (enum buffer)a->buf;
    /* In GM a pipe has one history; the actors of a pipe share it. */
    const int actors = buf == BUF_GM ? ACTOR_FIX + 1 : ACTOR_N;
    for (int earlier = 0; earlier < actors; earlier++) {
        for (int write = 0; write < 2; write++) {
            const bool any = buf == BUF_GM || r->marks[buf][earlier][write].whole != NULL;
            if (!any || !must_follow(actor, a->write, (enum actor)earlier, write != 0, buf)) {
                continue;
            }
            if (buf == BUF_GM) {
                check_gm_history(r, insn, actor, a, (enum actor)earlier, write != 0);
            } else {
                check_marks(r, insn, actor, a, (enum actor)earlier, write != 0);
            }
        }
    }
}

/* The second name under which an instruction's writes are known; ACTOR_N if none. */
static enum actor second_actor(const struct insn *insn, enum actor actor)
{
    if (race_actor_pipe(actor) == PIPE_M) {
        return (insn->p.mmad.m / 16) * (insn->p.mmad.n / 16) < 10 ? ACTOR_M_SMALL : ACTOR_N;
    }
    return insn->op == OP_FILL && actor == ACTOR_MTE1 ? ACTOR_FILL : ACTOR_N;
}

static bool on_chip(const struct race *r, const struct access *a)
{
    return a->buf != BUF_GM && a->buf < BUF_N && r->blocks[a->buf] > 0;
}

static bool in_gm(const struct access *a)
{
    return a->buf == BUF_GM && a->tensor < TENSOR_N;
}

void race_compare(struct race *r, const struct insn *insn, enum actor actor, const struct access *list, int count)
{
    for (int i = 0; i < count; i++) {
        if (on_chip(r, &list[i]) || in_gm(&list[i])) {
            check_access(r, insn, actor, &list[i]);
        }
    }
}

enum status race_remember(struct race *r, const struct insn *insn, enum actor actor, const struct access *list,
                          int count)
{
    const uint32_t seq = r->seq[race_actor_pipe(actor)];
    const enum actor second = second_actor(insn, actor);
    for (int i = 0; i < count; i++) {
        if (in_gm(&list[i])) {
            keep_gm(r, actor, &list[i], seq);
        } else if (on_chip(r, &list[i])) {
            TRY(leave_mark(r, actor, &list[i], seq));
            if (second != ACTOR_N && list[i].write) {
                TRY(leave_mark(r, second, &list[i], seq));
            }
        }
    }
    return STATUS_OK;
}
