/* loads.h - which L1->L0 instruction an operand may take, and what it pads to.
 * Data of kernel_rules.md sections 4 and 2.2. */
#ifndef TILING_LOADS_H
#define TILING_LOADS_H

#include "tiling/tiling.h"

enum axis { AXIS_K = 0, AXIS_MN };

/* True when the operand's K runs along memory rows' contiguous axis (A plain,
 * B transposed; both operands of a conv): its load needs no transpose. */
bool load_k_contiguous(const struct problem *p, enum role role);

/* Padding unit in elements of an operand's L1 and L0 images along K or M/N.
 * MX: 64 along K, the unit of MmadMx. */
int64_t load_unit(const struct problem *p, enum role role, enum axis axis);

/* What the m (n) of Mmad is rounded up to: 1 = the real extent. A transposing
 * b8 or b4 load on 2201 pads N of L0B to 32 or 64 and Mmad must be told so
 * (kernel_rules 2.2, form `pad`); 3510 loads square by square instead (form
 * `loop`), and the surplus rows of A on 2201 fall behind the last one. */
int64_t load_mmad_unit(const struct target *target, const struct problem *p, enum role role);

/* The vendor's recommended instruction; LOAD_AUTO_NONE if there is none. */
enum tiling_load load_recommended(const struct target *target, const struct problem *p, enum role role);

/* Is this instruction offered for the operand on the target? */
bool load_offered(const struct target *target, const struct problem *p, enum role role, enum tiling_load load);

/* Rows (A) or columns (B) an L1 image may have under an instruction that works
 * on one line of squares only, 0 = any: WithTranspose of b32 on 2201 needs
 * exactly 16 (kernel_rules 4). */
int64_t load_l1_lines(const struct target *target, const struct problem *p, enum role role, enum tiling_load load);

/* True when some tile's Mmad covers more rows or columns than Fixpipe stores,
 * which the unit flag does not allow (kernel_rules A41): a tile of one row is
 * issued with 16 (m = 1 would read L0A as a vector), or n is padded by
 * load_mmad_unit(). Needs base and grid resolved. */
bool tiling_widens_rows(const struct target *target, const struct problem *p, const struct tiling *t);
bool tiling_widens_columns(const struct target *target, const struct problem *p, const struct tiling *t);

#endif
