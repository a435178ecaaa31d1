/* race_internal.h - shared by race.c (clocks and flags), race_access.c (who
 * touched a block last), race_unit.c (unit flag) and race_report.c (words). */
#ifndef SCHEDULE_RACE_INTERNAL_H
#define SCHEDULE_RACE_INTERNAL_H

#include "isa/access.h"
#include "schedule/race.h"

enum { RACE_BLOCK = 32, RACE_GROUP = 16 /* blocks */, RACE_RING = 256, RACE_GM_KEPT = 16, RACE_IDS = 8 };

/* Who touched: a pipe, with the differences that decide what orders it. */
enum actor {
    ACTOR_MTE2 = 0,
    ACTOR_MTE1,
    ACTOR_M,
    ACTOR_FIX,
    ACTOR_M_UNIT,   /* Mmad with unit flag */
    ACTOR_FIX_UNIT, /* Fixpipe with unit flag */
    ACTOR_M_SMALL,  /* a Mmad too small to run without a barrier behind it */
    ACTOR_FILL,     /* a Fill as MTE1 sees it */
    ACTOR_N
};

/* A moment of the core: instructions complete per pipe. */
struct clock {
    uint32_t done[PIPE_N];
};

struct flag {
    bool set;
    struct clock at;   /* of the set */
    uint32_t wait_seq; /* of the last wait, on the waiting pipe; 0: none */
    struct insn setter;
};

/* Accesses of one pipe and direction to one GM tensor: the last ones exactly, older ones as a hull. */
struct gm_history {
    struct access kept[RACE_GM_KEPT];
    uint32_t seq[RACE_GM_KEPT];
    uint32_t count;
    int64_t old_lo, old_hi;
    uint32_t old_seq; /* 0: nothing older */
};

/* The last instruction of one actor and direction that touched each block of a
 * buffer. Numbers only grow, so a block's is the larger of its own and of its
 * group's: an access that covers a group of 512 B costs one number. */
struct marks {
    uint32_t *whole; /* per group: last access to all of it; NULL: none of this kind yet */
    uint32_t *part;  /* per group: last access to some block of it */
    uint32_t *block; /* per block, of those */
};

struct race {
    const struct target *target;
    int32_t core;
    struct clock clock[PIPE_N]; /* before the next instruction of the pipe */
    uint32_t seq[PIPE_N];       /* last instruction of the pipe; never reset, so marks need no clearing */
    struct insn ring[PIPE_N][RACE_RING];
    struct flag flags[HARD_EVENT_N][RACE_IDS];
    struct access_registers reg;
    struct marks marks[BUF_N][ACTOR_N][2]; /* [..][1]: writes */
    int64_t blocks[BUF_N];                 /* allocated for */
    struct gm_history gm[TENSOR_N][PIPE_N][2];
    uint8_t *unit; /* of L0C, per granule: enum unit_state */
    int64_t granules;
    struct insn unit_last; /* last Mmad with unit flag */
    struct race_violation kept[RACE_KEPT];
    uint64_t total;
};

static inline enum pipe race_actor_pipe(enum actor actor)
{
    static const uint8_t pipes[ACTOR_N] = {
        [ACTOR_MTE2] = PIPE_MTE2, [ACTOR_MTE1] = PIPE_MTE1,    [ACTOR_M] = PIPE_M,       [ACTOR_FIX] = PIPE_FIX,
        [ACTOR_M_UNIT] = PIPE_M,  [ACTOR_FIX_UNIT] = PIPE_FIX, [ACTOR_M_SMALL] = PIPE_M, [ACTOR_FILL] = PIPE_MTE1,
    };
    return (enum pipe)pipes[actor];
}

/* Instruction `seq` of a pipe; NULL if it is too long ago. */
const struct insn *race_past(const struct race *r, enum pipe pipe, uint32_t seq);

struct race_violation *race_add(struct race *r, enum race_kind kind, const struct insn *second);

/* The flag that leads from one pipe to another on this target; HARD_EVENT_N if there is none. */
enum hard_event race_event_between(const struct target *target, enum pipe from, enum pipe to);

/* Compares the accesses of `insn` as `actor` with all earlier ones; then, as
 * instruction seq[pipe] of its pipe, it is remembered for the later ones. */
void race_compare(struct race *r, const struct insn *insn, enum actor actor, const struct access *list, int count);
enum status race_remember(struct race *r, const struct insn *insn, enum actor actor, const struct access *list,
                          int count);

/* Mmad or Fixpipe on the granules of L0C. */
void race_unit_flag(struct race *r, const struct insn *insn, const struct access *list, int count);
void race_unit_end(struct race *r);

#endif
