/* verify.h - does a schedule compute the right bytes?
 *
 * `layout`: as `classes`, with element ids instead of data: every L0A and L0B
 * element a Mmad uses is the right one; products and stores are not formed
 * (verify_layout.c).
 *
 * `full`: every instruction of every core runs; all of C is compared with the
 * reference, bit for bit, and each element must be stored exactly once.
 *
 * A user's data (inputs, files) whose float sums the program adds in another order
 * than k ascending (shuffleK, atomic split K), or whose accumulators are not
 * float32, are replaced by the generated integers, exact in any order. `full` then
 * runs once more on the user's data, and C must lie within the bound of
 * verify_bound.c.
 *
 * `classes`: one run per pattern of tiles. Completeness:
 *  1. schedule_expand() is a pure function of a step, and a step of tile t on
 *     core c depends on: the tile's extents m and n, the ping/pong phases on
 *     entry, the K position, and origins (core, m0, n0), which occur in GM
 *     addresses only. Two tiles that agree in extents and phases therefore issue
 *     the same instructions up to GM addresses.
 *  2. What a tile finds in the memories was left by the tile before it, so a
 *     pattern also carries the predecessor's extents, and it is run right after
 *     that predecessor, with the flags and slots it leaves. Where every tile
 *     brings all it reads, what lies in L1 and L0 then is tainted, so that a use
 *     of it is an error rather than luck; what is held over tiles (groups, full
 *     loads, resident chunks) is kept, from the tiles that loaded it.
 *  3. Along K the phases repeat every `schedule_period` steps. The run executes
 *     two periods and the tail; each skipped step is expanded and must equal the
 *     executed step one or more periods earlier except for GM addresses, which
 *     must differ by exactly that many k.
 *  4. For every tile of a pattern that was not run, the first and the last step
 *     are expanded and must equal the run one's up to exact GM differences in m0
 *     and n0 (K differences are covered by 3, since steps add k only).
 *  5. Each pattern's stream passes the race check (schedule/race.h): the program
 *     order the engine executes is then what the parallel pipes must do.
 *     A pattern known from another tiling counts only if its instructions, with
 *     GM addresses counted from where the tile's place in C says they begin, hash
 *     to the same value, so a key never stands for other instructions.
 *  6. The tile map is proved a bijection onto C's elements (cover.h).
 * The mutation tests judge this argument. */
#ifndef ENGINE_VERIFY_H
#define ENGINE_VERIFY_H

#include "experiment/experiment.h"
#include "schedule/schedule.h"

/* Pattern keys verified so far; thread safe; shared by all tilings that contain
 * the pattern, over any number of cells. Targets must outlive it. */
struct verify_cache;
enum status verify_cache_create(struct verify_cache **out);
void verify_cache_destroy(struct verify_cache *c);

struct verify_outcome {
    bool ok;
    uint64_t elems;    /* elements of C shown right */
    uint64_t patterns; /* distinct patterns of this schedule */
    uint64_t runs;     /* of these, run now rather than known */
};

/* A change a test makes to the instruction stream before it is executed: called
 * for each list with its capacity; may alter, drop or add. @return the new count. */
typedef int verify_tamper(void *ctx, struct insn *insns, int count, int cap);

struct verify; /* per-thread: engine, arena, buffers */

/* `cache` may be NULL: nothing is shared. */
enum status verify_create(struct verify_cache *cache, struct verify **out);
void verify_destroy(struct verify *v);
void verify_set_tamper(struct verify *v, verify_tamper *tamper, void *ctx);

/* @return STATUS_OK when the check could be done; out->ok is its result and `d`
 * says what was wrong. STATUS_UNSUPPORTED, STATUS_NO_MEMORY otherwise. */
enum status verify_schedule(struct verify *v, const struct schedule *s, enum verify_level level,
                            struct verify_outcome *out, struct diag *d);

/* Runs the whole schedule on the engine and hands out C as it lies in memory
 * without gaps: batch after batch, row after row, in C's dtype. `out` holds
 * dtype_bytes(C, batch * M * N). K slices in a workspace are added up in order.
 * STATUS_MISMATCH when the program itself is wrong (reads what nobody wrote). */
enum status verify_compute_c(struct verify *v, const struct schedule *s, uint8_t *out, struct diag *d);

#endif
