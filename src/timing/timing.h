/* timing.h - how long a schedule takes on the model of its target.
 *
 * Times are integers in thousandths of a core cycle ("mcyc"): T(x) =
 * round(1000 x), applied once to the finished duration of one instruction;
 * everything after it is integer, so results do not depend on order, threads
 * or machine. Model: timing_model.md.
 *
 * Exactly two timers. timing_ref is the definition: it reads expanded
 * instructions (pipe, duration, set/wait, unitflag) and knows no tiling field.
 * timing_fast is the max-plus recurrence on step_work with steady-state skip
 * and memoisation. A test holds them equal in end time and every counter. */
#ifndef TIMING_TIMING_H
#define TIMING_TIMING_H

#include "schedule/schedule.h"

/* Start of the run. */
struct timing_start {
    bool l2_warm;      /* all reads hit L2: a run so long that the cold start does not matter */
    bool op_conv_lead; /* reserved for conv look-ahead */
};

struct timing_result {
    int64_t task;      /* mcyc: launch + slowest core + split */
    int64_t core_mean; /* mcyc: mean over the cores that own a tile (aicore_time) */
    int64_t core_max;
    int64_t split; /* mcyc: what a split K needs around the kernel (timing_split_bytes); else 0 */
    int64_t busy
        [PIPE_N]; /* mcyc: union of [start, completion], mean over those cores (msprof's mac, mte1, mte2, fixpipe) */
    uint8_t bound_pipe; /* pipe with the largest share on the slowest core */
    int64_t hbm;        /* modelled HBM bytes of all cores: reads missed in L2 + write-back */
    uint64_t steps, steps_simulated;
    bool unvalidated; /* a knob or parameter without a measured row decides this time */
};

struct timing; /* per-thread context: memory contexts by geometry, tile memo, scratch */

enum status timing_create(struct timing **out);
void timing_destroy(struct timing *t);

/* @return STATUS_OK, STATUS_LIMIT (times beyond 2^61, a queue_depth above 64), STATUS_NO_MEMORY. */
enum status timing_fast(struct timing *t, const struct schedule *s, const struct timing_start *start,
                        struct timing_result *out);
enum status timing_ref(struct timing *t, const struct schedule *s, const struct timing_start *start,
                       struct timing_result *out);

/* A lower bound of timing_fast's task without simulating: slowest core's max
 * of sum Mmad, sum MTE1, sum (o2 + rows), sum Fixpipe from the same integers,
 * plus launch. Proof in timing/bound.c. Holds for any start. */
int64_t timing_bound(struct timing *t, const struct schedule *s);

/* The same from this start, with what its tiles miss in L2: tighter, and cheap
 * where the geometry of the tiles was seen before. */
int64_t timing_bound_from(struct timing *t, const struct schedule *s, const struct timing_start *start);

/* One executed instruction, for timelines and traces. */
struct timing_event {
    struct insn insn;
    int64_t start, occupied, end; /* mcyc: pipe free again at `occupied`, result there at `end` */
};
/* Called by timing_ref_core for each instruction of one core in program order;
 * returning false stops. */
typedef bool timing_sink(void *ctx, const struct timing_event *event);
enum status timing_ref_core(struct timing *t, const struct schedule *s, const struct timing_start *start, int32_t core,
                            timing_sink *sink, void *ctx);

/* GM bytes a split K moves beside the kernel: atomic, C is cleared before it;
 * workspace, the vector cores read its planes behind it and write C. They are no
 * instructions of the cube core: their time, timing_result.split, is these bytes at
 * the rate of L2, as far as they fit there, and of HBM, and no measured run stands
 * behind it. Both 0 where K is not split. */
void timing_split_bytes(const struct schedule *s, int64_t *read, int64_t *written);

/* What makes a result `unvalidated`, comma between: knobs with their values
 * ("dbL0C 2"), then keys of assumed parameters ("timing.load_call";
 * "chip.validation": no board run of this chip). Into an empty `out`; nothing if it is validated. */
void timing_unvalidated(const struct schedule *s, struct strbuf *out);

/* mcyc -> microseconds at the target's clock. */
double timing_us(const struct target *target, int64_t mcyc);

#endif
