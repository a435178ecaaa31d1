/* race.h - is every access of a core ordered against every other it collides with?
 *
 * A core's pipes run in parallel; what orders them is the order inside a pipe,
 * SetFlag/WaitFlag, PipeBarrier, and the unit flag of Mmad and Fixpipe. The
 * check streams over the instructions once, in program order, with a vector
 * clock per pipe: clock[p][q] is the last instruction of pipe q known to be
 * complete before the next one of p starts. A set hands its pipe's clock (with
 * all earlier instructions of that pipe complete) to the wait that takes it.
 *
 * Two accesses to common bytes, one of them a write, must be ordered:
 *  - on different pipes, by clocks, in L1, L0A, L0B, their scales, L0C, BT, FB
 *    (blocks of 32 B, so neighbours inside one block collide) and GM (runs of
 *    bytes; per tensor, pipe and direction the older ones are kept as a hull);
 *  - Mmad and Fixpipe that both use the unit flag hand L0C over in 512 B
 *    granules; then Mmads use 2 and the last one 3, Fixpipe 3, on equal granules;
 *  - on one pipe, where the documents ask for a barrier (kernel_rules.md 3.2, 5,
 *    6, 7, 8): PIPE_M after a Mmad with (m/16)*(n/16) < 10 before the next into
 *    the same L0C; PIPE_MTE2 between writes to the same bytes of L1; PIPE_MTE1
 *    between a Fill and other accesses to its bytes (a Fill of L1 must be right
 *    on MTE2 and on MTE1: A30); PIPE_FIX between the copy to FB and its reader.
 *    A flag to another pipe and back orders as well as a barrier.
 * Flags: only pairs the documents know, ids below target->event_ids, no wait
 * that nothing set before it, no second set before the first one's wait is
 * known to be over, none left at the end. Registers follow the scalar pipe's
 * program order, which needs no flags.
 *
 * Time O(32 B blocks touched); memory fixed by the target's buffers. */
#ifndef SCHEDULE_RACE_H
#define SCHEDULE_RACE_H

#include "base/diag.h"
#include "schedule/schedule.h"

enum race_kind {
    RACE_UNORDERED = 0, /* two pipes, nothing between them */
    RACE_BARRIER,       /* one pipe, a barrier is missing */
    RACE_UNIT_FLAG,     /* the hand-over of L0C by unit flag does not work out */
    RACE_WAIT_UNSET,    /* waits for a flag nothing before it sets */
    RACE_SET_TWICE,     /* sets a flag whose wait is not known to be over */
    RACE_LEFT_SET,      /* a flag is still set at the end */
    RACE_EVENT_ID,      /* an id the target does not offer */
    RACE_EVENT_PAIR,    /* a pair of pipes the target does not offer */
    RACE_PIPE,          /* the instruction does not run on the pipe it names */
    RACE_KINDS
};
const char *race_kind_name(enum race_kind kind);

struct race_violation {
    uint8_t kind; /* enum race_kind */
    uint8_t buf;  /* enum buffer, for RACE_UNORDERED, _BARRIER, _UNIT_FLAG */
    bool has_first, first_write, write;
    uint8_t first_pipe, pipe; /* enum pipe the two count as */
    uint8_t event;            /* enum hard_event that would order them; HARD_EVENT_N: none does directly */
    int32_t core;
    int64_t lo, hi;            /* bytes in common, or the first of them */
    struct insn first, second; /* in program order; the flag instruction itself is `second` */
};

/* Violations kept of one check; the rest are counted. */
#define RACE_KEPT 16

struct race; /* one context per thread: clocks, marks of all blocks, the last instructions of each pipe */

enum status race_create(struct race **out);
void race_destroy(struct race *r);

/* Checks the whole stream of a core: prologue, all steps, epilogue.
 * @return STATUS_OK; STATUS_MISMATCH with a located message in `d` for each
 * violation kept: both instructions, the bytes, what would order them. */
enum status race_check(struct race *r, const struct schedule *s, int32_t core, struct diag *d);

/* The same with the tiles [first, first + count) of the core only, of each two
 * periods of K steps and its tail. Where both operands come in chunks
 * (HOLD_CHUNKS) every flag and slot is reused within three tiles, so
 * race_check_tiles(r, s, core, t - 2, 3, d) (or from 0) shows whether tile t is
 * ordered against all before it. What is held over tiles is taken and released
 * tiles apart: there the window must start with the tile that takes it and end
 * with the one that releases it. */
enum status race_check_tiles(struct race *r, const struct schedule *s, int32_t core, int64_t first, int64_t count,
                             struct diag *d);

/* A bare list, for tests. */
enum status race_check_list(struct race *r, const struct target *target, const struct insn *insns, size_t count,
                            struct diag *d);

/* In pieces: begin, push any number of lists in program order, end.
 * race_push fails for lack of memory only. */
enum status race_begin(struct race *r, const struct target *target, int32_t core);
enum status race_push(struct race *r, const struct insn *insns, size_t count);
enum status race_end(struct race *r, struct diag *d);

/* What the last check found: the first RACE_KEPT of `total`. */
const struct race_violation *race_violations(const struct race *r, size_t *kept, uint64_t *total);

/* One sentence: who, where, against whom, what would order them. */
void race_violation_text(const struct race_violation *v, struct strbuf *out);

#endif
