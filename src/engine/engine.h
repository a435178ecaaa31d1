/* engine.h - executes instructions on the memories of one core, to the byte.
 *
 * Memories have the target's real sizes. Every byte of L1, L0A, L0B, scales, BT
 * and FB, and every element of L0C, carries a taint bit: set while it was never
 * written (or is documented as unspecified). Loads copy taint with the data;
 * Mmad sets it on result elements that used a tainted valid k; storing a tainted
 * element is an error. Out-of-range and misaligned accesses are errors naming
 * instruction, operand, element and byte offset.
 *
 * GM is reached through ports: a tensor is a pair of functions, so operands can
 * be virtual (a function of seed and index) and C can be a window.
 * The engine knows nothing of tilings, schedules' levels, or time. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "isa/insn.h"
#include "target/target.h"

/* One GM tensor. Offsets and lengths in bytes. Functions return STATUS_OK or
 * STATUS_INVALID (range); NULL = not readable / not writable. */
struct gm_port {
    void *ctx;
    int64_t bytes; /* size of the tensor: accesses outside are errors before a call is made */
    enum status (*read)(void *ctx, int64_t byte, int64_t len, uint8_t *out);
    enum status (*write)(void *ctx, int64_t byte, int64_t len, const uint8_t *in);
};

struct engine; /* opaque: memories, taint, registers, flags of one core */

/* Memories all tainted, filled with a fixed garbage pattern. */
enum status engine_create(const struct target *target, struct engine **out, struct diag *d);
void engine_destroy(struct engine *e);

/* Taints everything again without touching the bytes; clears registers and flags. */
void engine_reset(struct engine *e);

void engine_set_port(struct engine *e, enum tensor tensor, const struct gm_port *port);

/* Executes one instruction, in program order (a wait whose flag is not set is
 * an error: in program order every set precedes its wait).
 * @return STATUS_OK; STATUS_MISMATCH with a message in `d` when the instruction
 * would touch memory out of range, misaligned, tainted where it matters, or
 * breaks a flag rule. The engine stays usable. */
enum status engine_exec(struct engine *e, const struct insn *insn, struct diag *d);
enum status engine_run(struct engine *e, const struct insn *insns, size_t count, struct diag *d);

/* No flag left set. STATUS_MISMATCH names the first one. */
enum status engine_check_flags(const struct engine *e, struct diag *d);

/* Raw access for conformance, listings and tests. Writing clears taint. */
uint8_t *engine_memory(struct engine *e, enum buffer buf, int64_t *bytes);
void engine_poke(struct engine *e, enum buffer buf, int64_t byte, const uint8_t *in, int64_t len);
bool engine_tainted(const struct engine *e, enum buffer buf, int64_t byte);

/* Counters since creation, for conservation tests. */
struct engine_counters {
    int64_t bytes[PATH_N];
    int64_t macs;
    int64_t insns;
};
const struct engine_counters *engine_counters(const struct engine *e);

#endif
