/* topology.h - which processors the worker threads may use, and binding to them.
 *
 * Only processors this process is bound to count (`taskset -c 1 tilescope`
 * stays on 1). More threads than processors are never started. A binding that
 * fails is a warning, not an error. */
#ifndef SWEEP_TOPOLOGY_H
#define SWEEP_TOPOLOGY_H

#include <stdbool.h>

#include "base/diag.h"

struct topology;

/* Plans `wanted` threads (0: one for each allowed processor), spread over the
 * machine. `synthetic`: an hwloc description such as "pack:2 core:8 pu:2" to
 * plan for instead of this machine (no binding then); NULL: this machine. */
enum status topology_create(int wanted, const char *synthetic, struct topology **out, struct diag *d);
void topology_destroy(struct topology *t);

int topology_threads(const struct topology *t); /* planned, >= 1 */
int topology_allowed(const struct topology *t); /* processors allowed */
/* Logical number of the processor of thread i, for tests and -v. */
int topology_processor(const struct topology *t, int i);
/* Binds the calling thread as thread i; false if that failed (or is not possible here). */
bool topology_bind(const struct topology *t, int i);

#endif
