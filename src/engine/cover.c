/* cover.c - per batch and K slice, coordinates are compressed to the distinct tile borders, then each
 * tile marks its cells; a cell marked twice is an overlap, one left is a hole. */
#include "engine/cover.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"

struct borders {
    int32_t *at; /* sorted, distinct */
    size_t count;
};

static int compare_i32(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void sort_distinct(struct borders *b)
{
    size_t n = 0;
    qsort(b->at, b->count, sizeof *b->at, compare_i32);
    for (size_t i = 0; i < b->count; i++) {
        if (n == 0 || b->at[n - 1] != b->at[i]) {
            b->at[n++] = b->at[i];
        }
    }
    b->count = n;
}

static size_t border_index(const struct borders *b, int32_t at)
{
    size_t lo = 0, hi = b->count;
    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        if (b->at[mid] < at) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* Calls of the pass over all tiles differ in what they do with one. */
struct cover {
    const struct schedule *s;
    struct borders m, n;
    uint8_t *cells; /* per plane: batch x K slice */
    size_t planes;
    struct diag *d;
};

/* The tile's batch, or the group its rows belong to. */
static bool batch_right(const struct problem *p, const struct tile *t)
{
    if (p->groups <= 1) {
        return t->batch >= 0 && t->batch < p->batch;
    }
    const int64_t first = t->batch >= 0 && t->batch < p->groups ? problem_group_first(p, t->batch) : INT64_MAX;
    return t->m0 >= first && (int64_t)t->m0 + t->m <= p->group_end[t->batch];
}

static bool inside(const struct schedule *s, const struct tile *t)
{
    const bool k_right = t->kslice >= 0 && t->kslice < s->parts && batch_right(s->problem, t) && t->k > 0 &&
                         (int64_t)t->k0 + t->k == min_i64((t->kslice + 1LL) * s->t.singleCoreK, s->problem->K) &&
                         t->k0 == (int64_t)t->kslice * s->t.singleCoreK;
    return k_right && t->m > 0 && t->n > 0 && t->m0 >= 0 && t->n0 >= 0 && (int64_t)t->m0 + t->m <= s->problem->M &&
           (int64_t)t->n0 + t->n <= s->problem->N;
}

static enum status collect(struct cover *c, const struct tile *t)
{
    if (!inside(c->s, t)) {
        return diag_error(c->d, STATUS_MISMATCH, NULL,
                          "tile %" PRId64 " of core %d covers rows %d+%d, columns %d+%d: outside C or its group", t->t,
                          t->core, t->m0, t->m, t->n0, t->n);
    }
    c->m.at[c->m.count++] = t->m0;
    c->m.at[c->m.count++] = t->m0 + t->m;
    c->n.at[c->n.count++] = t->n0;
    c->n.at[c->n.count++] = t->n0 + t->n;
    return STATUS_OK;
}

static enum status mark(struct cover *c, const struct tile *t)
{
    const size_t m0 = border_index(&c->m, t->m0), m1 = border_index(&c->m, t->m0 + t->m);
    const size_t n0 = border_index(&c->n, t->n0), n1 = border_index(&c->n, t->n0 + t->n);
    const size_t plane = (size_t)problem_matrix(c->s->problem, TENSOR_C, t->batch) * (size_t)c->s->parts +
                         (size_t)t->kslice;
    for (size_t i = m0; i < m1; i++) {
        for (size_t j = n0; j < n1; j++) {
            uint8_t *cell = &c->cells[(plane * c->m.count + i) * c->n.count + j];
            if (*cell != 0) {
                return diag_error(c->d, STATUS_MISMATCH, NULL,
                                  "element (%d, %d) of C is computed twice: again by tile %" PRId64 " of core %d",
                                  c->m.at[i], c->n.at[j], t->t, t->core);
            }
            *cell = 1;
        }
    }
    return STATUS_OK;
}

static enum status each_tile(struct cover *c, enum status (*visit)(struct cover *, const struct tile *))
{
    for (int32_t core = 0; core < c->s->cores; core++) {
        const int64_t tiles = schedule_tiles(c->s, core);
        for (int64_t t = 0; t < tiles; t++) {
            struct tile tile;
            schedule_tile_at(c->s, core, t, &tile);
            TRY(visit(c, &tile));
        }
    }
    return STATUS_OK;
}

static enum status find_hole(const struct cover *c)
{
    if (c->m.at[0] != 0 || c->n.at[0] != 0 || c->m.at[c->m.count - 1] != c->s->problem->M ||
        c->n.at[c->n.count - 1] != c->s->problem->N) {
        return diag_error(c->d, STATUS_MISMATCH, NULL, "the tiles do not reach the borders of C");
    }
    for (size_t plane = 0; plane < c->planes; plane++) {
        for (size_t i = 0; i + 1 < c->m.count; i++) {
            for (size_t j = 0; j + 1 < c->n.count; j++) {
                if (c->cells[(plane * c->m.count + i) * c->n.count + j] == 0) {
                    return diag_error(c->d, STATUS_MISMATCH, NULL,
                                      "element (%d, %d) of C is computed by no tile (batch or K slice %zu)", c->m.at[i],
                                      c->n.at[j], plane);
                }
            }
        }
    }
    return STATUS_OK;
}

enum status cover_check(const struct schedule *s, struct arena *arena, struct diag *d)
{
    size_t tiles = 0;
    for (int32_t core = 0; core < s->cores; core++) {
        tiles += (size_t)schedule_tiles(s, core);
    }
    if (tiles == 0) {
        return diag_error(d, STATUS_MISMATCH, NULL, "the schedule has no tiles");
    }
    struct cover c = {.s = s, .d = d};
    c.m.at = arena_alloc(arena, 2 * tiles, sizeof *c.m.at);
    c.n.at = arena_alloc(arena, 2 * tiles, sizeof *c.n.at);
    if (c.m.at == NULL || c.n.at == NULL) {
        return STATUS_NO_MEMORY;
    }
    TRY(each_tile(&c, collect));
    sort_distinct(&c.m);
    sort_distinct(&c.n);
    c.planes = (size_t)s->problem->batch * (size_t)s->parts;
    c.cells = arena_alloc(arena, c.planes * c.m.count, c.n.count);
    if (c.cells == NULL) {
        return STATUS_NO_MEMORY;
    }
    TRY(each_tile(&c, mark));
    return find_hole(&c);
}
