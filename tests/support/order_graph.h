/* order_graph.h - the order of a core's instructions as an explicit graph, and
 * all pairs of colliding accesses looked up in it: what the race check's clocks
 * should agree with. Slow, simple, shares nothing with src/schedule/race*.c but
 * the access sets. Unit flags are not judged here: Mmad and Fixpipe that both
 * use it count as ordered. */
#ifndef SUPPORT_ORDER_GRAPH_H
#define SUPPORT_ORDER_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "isa/insn.h"
#include "target/target.h"

/* Are all colliding accesses of the list ordered? If not, *first and *second
 * (may be NULL) are the first such pair. A list whose flags do not pair up is
 * ordered as far as they do. */
bool order_graph_holds(const struct target *target, const struct insn *insns, size_t count, size_t *first,
                       size_t *second);

#endif
