/* topology.c - hwloc: distribute threads over the allowed processors. */
#include "sweep/topology.h"

#include <hwloc.h>
#include <stdlib.h>

#include "base/limits.h"

struct topology {
    hwloc_topology_t hw;
    bool loaded, real;
    int threads, allowed;
    hwloc_cpuset_t *sets; /* one processor for each thread */
};

static enum status load(struct topology *t, const char *synthetic, struct diag *d)
{
    if (hwloc_topology_init(&t->hw) != 0) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "hwloc cannot start");
    }
    t->loaded = true;
    int failed = 0;
    if (synthetic) {
        failed = hwloc_topology_set_synthetic(t->hw, synthetic);
    } else {
        /* Without the second flag a thread would leave the set taskset gave us. */
        failed = hwloc_topology_set_flags(t->hw, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM |
                                                     HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
    }
    if (failed || hwloc_topology_load(t->hw) != 0) {
        return diag_error(d, synthetic ? STATUS_INVALID : STATUS_IO, NULL, "hwloc cannot read the machine%s%s",
                          synthetic ? ": " : "", synthetic ? synthetic : "");
    }
    t->real = hwloc_topology_is_thissystem(t->hw) != 0;
    return STATUS_OK;
}

static enum status plan(struct topology *t, int wanted, struct diag *d)
{
    const hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(t->hw);
    const int n = hwloc_bitmap_weight(allowed);
    t->allowed = n > 0 ? n : 1;
    t->threads = wanted > 0 ? wanted : t->allowed;
    if (t->threads > t->allowed) {
        diag_warning(d, NULL, "%d threads asked for, %d processors allowed: using %d", t->threads, t->allowed,
                     t->allowed);
        t->threads = t->allowed;
    }
    if (t->threads > (int)LIMIT_THREADS) {
        t->threads = (int)LIMIT_THREADS;
    }
    t->sets = calloc((size_t)t->threads, sizeof(hwloc_cpuset_t));
    if (!t->sets) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for %d threads", t->threads);
    }
    hwloc_obj_t root = hwloc_get_root_obj(t->hw);
    if (hwloc_distrib(t->hw, &root, 1, t->sets, (unsigned)t->threads, HWLOC_OBJ_PU, 0) != 0) {
        diag_warning(d, NULL, "hwloc cannot spread the threads: they are not bound");
        t->real = false;
        return STATUS_OK;
    }
    for (int i = 0; i < t->threads; i++) {
        hwloc_bitmap_singlify(t->sets[i]);
    }
    return STATUS_OK;
}

enum status topology_create(int wanted, const char *synthetic, struct topology **out, struct diag *d)
{
    *out = NULL;
    struct topology *t = calloc(1, sizeof(*t));
    if (!t) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the thread plan");
    }
    enum status st = load(t, synthetic, d);
    if (st == STATUS_OK) {
        st = plan(t, wanted, d);
    }
    if (st != STATUS_OK) {
        topology_destroy(t);
        return st;
    }
    *out = t;
    return STATUS_OK;
}

void topology_destroy(struct topology *t)
{
    if (!t) {
        return;
    }
    for (int i = 0; t->sets && i < t->threads; i++) {
        if (t->sets[i]) {
            hwloc_bitmap_free(t->sets[i]);
        }
    }
    free(t->sets);
    if (t->loaded) {
        hwloc_topology_destroy(t->hw);
    }
    free(t);
}

int topology_threads(const struct topology *t)
{
    return t->threads;
}

int topology_allowed(const struct topology *t)
{
    return t->allowed;
}

int topology_processor(const struct topology *t, int i)
{
    if (!t->sets[i]) {
        return -1;
    }
    const hwloc_obj_t pu = hwloc_get_next_obj_covering_cpuset_by_type(t->hw, t->sets[i], HWLOC_OBJ_PU, NULL);
    return pu ? (int)pu->logical_index : -1;
}

bool topology_bind(const struct topology *t, int i)
{
    return t->real && t->sets[i] &&
           hwloc_set_cpubind(t->hw, t->sets[i], HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT) == 0;
}
