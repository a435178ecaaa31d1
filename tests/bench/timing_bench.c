/* Speed of timing_fast: distinct tilings of one large matmul on all cores, in
 * the order of their index, every field varied, caches cold at the start.
 *
 *   timing_bench [MAX]      at most MAX tilings (default: all, some 50,000)
 *
 * What is timed starts from a schedule: contexts of L2, costs, steps. Making the
 * plan and the schedule is printed beside it. CPU time decides, a busy machine
 * shows in wall time only. The last line is for scripts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "experiment/experiment.h"
#include "timing/context.h"
#include "timing/recurrence.h"

static const char config[] = "name: timing_bench\n"
                             "target: ascend910b1\n"
                             "problem:\n"
                             "  {op: matmul, M: 8192, N: 8192, K: 8192,\n"
                             "   A: {dtype: half, format: ND}, B: {dtype: half, format: ND, transpose: true},\n"
                             "   C: {dtype: half, format: ND}}\n"
                             "tiling:\n"
                             "  usedCoreNum: 24\n"
                             "  singleCoreM: [1376, 2048]\n"
                             "  singleCoreN: [1376, 2048]\n"
                             "  orderRounds: [1, 2]\n"
                             "  iterateOrder: [0, 1]\n"
                             "  baseM: [96, 112, 128, 176, 256]\n"
                             "  baseN: [64, 128, 176, 256]\n"
                             "  baseK: [32, 64, 128]\n"
                             "  stepKa: [1, 2, 4, 8]\n"
                             "  stepKb: [1, 2, 4, 8]\n"
                             "  dbA1: [1, 2]\n"
                             "  dbB1: [1, 2]\n"
                             "  dbL0A: [1, 2]\n"
                             "  dbL0B: [1, 2]\n"
                             "  dbL0C: [1, 2]\n"
                             "  unitflag: [0, 1]\n"
                             "  copyFirst: [0, 1]\n"
                             "  waitBoth: [0, 1]\n"
                             "verify: none\n";

/* Every so many points are taken, so that the whole space is walked in order. */
#define STRIDE 17

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

struct bench {
    const struct cell *cell;
    struct timing *timing;
    uint64_t max, stride;
    double *latency; /* of each tiling, CPU seconds */
    uint64_t tilings, steps, simulated, points;
    double make, fast;      /* CPU seconds: plan and schedule; timing_fast */
    double contexts, costs; /* parts of the latter */
    double wall;
};

static void die(const char *what)
{
    fprintf(stderr, "timing_bench: %s\n", what);
    exit(1);
}

/* One tiling; `parts`: measure the parts, each on its own. */
static void run_point(struct bench *b, const struct schedule *s, bool parts)
{
    const struct timing_start start = {.l2_warm = false};
    struct timing_result result;
    if (parts) {
        struct cost cost;
        const struct mem_geometry *g;
        const struct tile_cost *records;
        const double t0 = cpu();
        if (memctx_get(b->timing->memory, s, start.l2_warm, &g) != STATUS_OK) {
            die("no contexts");
        }
        const double t1 = cpu();
        cost_init(&cost, s);
        if (fast_records(b->timing->fast, s, &cost, g, &records) != STATUS_OK) {
            die("no costs");
        }
        b->contexts += t1 - t0;
        b->costs += cpu() - t1;
        b->tilings++;
        return;
    }
    const double t0 = cpu();
    if (timing_fast(b->timing, s, &start, &result) != STATUS_OK) {
        die("timing_fast failed");
    }
    const double took = cpu() - t0;
    b->latency[b->tilings++] = took;
    b->fast += took;
    b->steps += result.steps;
    b->simulated += result.steps_simulated;
}

static void run_all(struct bench *b, bool parts)
{
    const struct cell *cell = b->cell;
    const double wall = seconds(CLOCK_MONOTONIC);
    b->tilings = b->points = 0;
    b->make = 0;
    for (uint64_t i = 0; i < cell->space.size && b->tilings < b->max; i += b->stride) {
        struct tiling t;
        struct plan plan;
        struct infeasible why;
        struct schedule s;
        const double t0 = cpu();
        b->points++;
        const bool feasible = space_at(&cell->space, cell->target, &cell->problem, i, &t, &plan, &why);
        if (feasible && schedule_init(&s, cell->target, &cell->problem, &t, &plan, NULL) != STATUS_OK) {
            die("a feasible tiling has no schedule");
        }
        b->make += cpu() - t0;
        if (feasible) {
            run_point(b, &s, parts);
        }
    }
    b->wall = seconds(CLOCK_MONOTONIC) - wall;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What reading the clock twice costs. */
static double clock_cost(void)
{
    const int count = 100000;
    const double t0 = cpu();
    for (int i = 0; i < count; i++) {
        (void)cpu();
    }
    return (cpu() - t0) / count;
}

static void report(struct bench *b, const struct bench *parts)
{
    const double n = (double)b->tilings, clock = clock_cost(), fast = b->fast / n - clock;
    const double contexts = parts->contexts / n - clock, costs = parts->costs / n - clock;
    uint64_t lookups, hits;
    memctx_cache_counts(b->timing->memory, &lookups, &hits);
    qsort(b->latency, b->tilings, sizeof *b->latency, by_value);
    printf("%" PRIu64 " tilings (of %" PRIu64 " points) of 8192^3 half on 24 cores of %s, every %" PRIu64
           "th point of the space in index order\n",
           b->tilings, b->points, b->cell->target->name, b->stride);
    printf("per tiling, CPU: mean %.1f us, median %.1f, p99 %.1f, worst %.0f\n", 1e6 * fast,
           1e6 * b->latency[b->tilings / 2], 1e6 * b->latency[b->tilings * 99 / 100], 1e6 * b->latency[b->tilings - 1]);
    printf("  contexts of L2 %.1f us (%.0f %%), costs %.1f us (%.0f %%), steps and tiles %.1f us (%.0f %%)\n",
           1e6 * contexts, 100 * contexts / fast, 1e6 * costs, 100 * costs / fast, 1e6 * (fast - contexts - costs),
           100 * (fast - contexts - costs) / fast);
    printf("plan and schedule beside it: %.1f us a tiling, with the infeasible points between them\n",
           1e6 * (b->make / n));
    printf("steps: %" PRIu64 " simulated of %" PRIu64 "; geometries: %" PRIu64 " found of %" PRIu64
           " asked (%.2f %%)\n",
           b->simulated, b->steps, hits, lookups, 100.0 * (double)hits / (double)lookups);
    printf("wall: %.2f s, %.0f tilings/s with plans\n", b->wall, n / b->wall);
    printf("timing: %.0f tilings/s per core, skip %.0fx\n", 1 / fast, (double)b->steps / (double)b->simulated);
}

int main(int argc, char **argv)
{
    struct arena arena;
    struct diag diag;
    const struct experiment *e;
    struct bench b = {.stride = STRIDE}, parts;
    arena_init(&arena);
    diag_init(&diag);
    if (experiment_parse("timing_bench", config, sizeof config - 1, NULL, &arena, &e, &diag) != STATUS_OK) {
        struct strbuf text;
        strbuf_init(&text);
        diag_render(&diag, &text);
        die(strbuf_cstr(&text));
    }
    b.cell = &e->cells[0];
    b.max = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_MAX;
    b.latency = malloc((size_t)(b.cell->space.size / b.stride + 1) * sizeof *b.latency);
    parts = b;
    if (b.latency == NULL || timing_create(&b.timing) != STATUS_OK || timing_create(&parts.timing) != STATUS_OK) {
        die("no memory");
    }
    run_all(&b, false);
    run_all(&parts, true);
    report(&b, &parts);
    timing_destroy(b.timing);
    timing_destroy(parts.timing);
    free(b.latency);
    diag_fini(&diag);
    arena_fini(&arena);
    return 0;
}
