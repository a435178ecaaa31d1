/* record.h - all that is known of one point. Integers are the truth; text is
 * derived in one place (record_csv.c, record_json.c). */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "tiling/plan.h"

enum verify_result { VERIFIED_NOT_RUN = 0, VERIFIED_OK, VERIFIED_MISMATCH };

struct record {
    uint32_t cell;
    uint64_t index; /* in the cell's space */
    struct tiling t;
    struct infeasible why;                           /* reason REASON_NONE: feasible */
    int64_t task, core_mean, core_max, busy[PIPE_N]; /* mcyc */
    int64_t split;                                   /* of task: what a split K needs around the kernel, mcyc */
    uint8_t bound_pipe;
    uint8_t unvalidated;
    int64_t bytes[PATH_N], compulsory, hbm, used[BUF_N], usable[BUF_N];
    int64_t halo;   /* of bytes[PATH_GM_L1]: map rows of a conv that neighbouring M tiles both bring */
    int64_t macs;   /* useful: the problem's own, a conv's real channels */
    int64_t issued; /* the cube's: whole fractals, channels filled up to a block */
    int32_t events_used;
    uint64_t insns, steps, steps_simulated;
    uint8_t verify, verified; /* enum verify_level asked for, enum verify_result */
    uint64_t verified_elems;
};

static_assert(sizeof(struct record) % 8 == 0, "records are journaled as blocks of 8 B words");

#endif
