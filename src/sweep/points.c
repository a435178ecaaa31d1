/* points.c - cells laid end to end; a sample is stratified: one index from each
 * of `sample` equal pieces of the space, drawn by the counter-based generator. */
#include "sweep/points.h"

#include <stdlib.h>

#include "base/intmath.h"
#include "base/limits.h"
#include "base/rng.h"

static uint64_t points_of(const struct experiment *e, const struct cell *cell)
{
    if (cell->failed) {
        return 1;
    }
    const bool sampled = e->search == SEARCH_SAMPLE && e->sample < cell->space.size;
    return sampled ? e->sample : cell->space.size;
}

enum status points_init(struct points *p, const struct experiment *e, struct diag *d)
{
    *p = (struct points){.experiment = e, .first = calloc(e->count + 1, sizeof(*p->first))};
    if (!p->first) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for %zu cells", e->count);
    }
    for (size_t i = 0; i < e->count; i++) {
        p->first[i + 1] = p->first[i] + points_of(e, &e->cells[i]);
        if (p->first[i + 1] > LIMIT_SPACE_POINTS) {
            points_fini(p);
            return diag_error(d, STATUS_LIMIT, NULL, "the cells together have more than 2^62 tilings");
        }
    }
    return STATUS_OK;
}

void points_fini(struct points *p)
{
    free(p->first);
    p->first = NULL;
}

uint64_t points_total(const struct points *p)
{
    return p->first[p->experiment->count];
}

uint64_t points_piece(uint64_t i, uint64_t size, uint64_t pieces)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)i * size / pieces);
}

const struct cell *points_at(const struct points *p, uint64_t point, uint64_t *index)
{
    const struct experiment *e = p->experiment;
    size_t lo = 0;
    size_t hi = e->count; /* first[lo] <= point < first[hi] */
    while (hi - lo > 1) {
        const size_t mid = lo + (hi - lo) / 2;
        if (p->first[mid] <= point) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    const struct cell *cell = &e->cells[lo];
    const uint64_t i = point - p->first[lo];
    const uint64_t n = p->first[lo + 1] - p->first[lo];
    *index = i;
    if (!cell->failed && n < cell->space.size) {
        const uint64_t begin = points_piece(i, cell->space.size, n);
        const uint64_t span = points_piece(i + 1, cell->space.size, n) - begin;
        *index = begin + rng_at(e->seed ^ rng_mix(cell->id), i) % span;
    }
    return cell;
}
