/* loads.h - which L1->L0 instruction an operand may take, and what it pads to.
 * Data of kernel_rules.md sections 4 and 2.2. */
#ifndef TILING_LOADS_H
#define TILING_LOADS_H

#include "tiling/tiling.h"

enum axis { AXIS_K = 0, AXIS_MN };

/* True when the operand's K runs along memory rows' contiguous axis (A plain,
 * B transposed): its load needs no transpose. */
bool load_k_contiguous(const struct problem *p, enum role role);

/* Padding unit in elements of an operand's L1 and L0 images along K or M/N. */
int64_t load_unit(const struct problem *p, enum role role, enum axis axis);

/* The vendor's recommended instruction; LOAD_AUTO_NONE if there is none. */
enum tiling_load load_recommended(const struct target *target, const struct problem *p, enum role role);

/* Is this instruction offered for the operand on the target? */
bool load_offered(const struct target *target, const struct problem *p, enum role role, enum tiling_load load);

/* True when some tile has one row and its Mmad is issued with 16 (m = 1 would
 * read L0A as a vector): Mmad then covers more than Fixpipe stores, which the
 * unit flag does not allow (kernel_rules A41). Needs base and grid resolved. */
bool tiling_widens_rows(const struct target *target, const struct problem *p, const struct tiling *t);

#endif
