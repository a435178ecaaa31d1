/* edge.c - the best of a sweep may lie outside of it. What lies beyond an edge
 * is not timed here, only fitted in: the user widens the sweep. */
#include "report/edge.h"

#include <inttypes.h>

#include "base/intmath.h"
#include "tiling/loads.h"

bool edge_all_auto(const struct space *s)
{
    for (int f = 0; f < TF_N; f++) {
        if (s->axis[f].count > 0) {
            return false;
        }
    }
    return true;
}

/* Past the whole problem a larger value is the same tiling. */
static bool is_whole(const struct problem *p, const struct tiling *t, enum tiling_field f)
{
    switch ((int)f) {
    case TF_baseM:
        return t->baseM >= p->M;
    case TF_baseN:
        return t->baseN >= p->N;
    case TF_baseK:
        return t->baseK >= p->K;
    case TF_stepKa:
        return (int64_t)t->stepKa * t->baseK >= p->K;
    case TF_stepKb:
        return (int64_t)t->stepKb * t->baseK >= p->K;
    default:
        return false;
    }
}

/* The value that would follow those given, as they follow each other: by steps or by factors of two. 0: none. */
static int64_t beyond(const struct space_axis *axis, const struct tiling_field_info *info, enum tiling_field f,
                      bool largest)
{
    const int64_t n = axis->count, edge = axis->values[largest ? n - 1 : 0], next = axis->values[largest ? n - 2 : 1];
    const int64_t step = edge - next, twice = largest ? edge * 2 : edge / 2;
    const bool doubles = largest ? edge == next * 2 : next == edge * 2;
    const int64_t value = doubles || edge + step < info->min ? twice : edge + step;
    const bool fractals = f == TF_baseM || f == TF_baseN || f == TF_baseK;
    const bool ragged = fractals && edge % 16 == 0 && value % 16 != 0;
    return value < info->min || value > info->max || value == edge || ragged ? 0 : value;
}

/* The tiling with another value of one field; what is auto follows it. */
static bool fits(const struct cell *cell, uint64_t index, enum tiling_field f, int64_t value)
{
    struct space one = cell->space;
    int32_t values[TF_N];
    struct tiling t;
    struct plan plan;
    struct infeasible why = {0};
    space_raw(&cell->space, index, &t);
    for (int i = 0; i < TF_N; i++) {
        if (one.axis[i].count > 0) {
            values[i] = i == (int)f ? (int32_t)value : tiling_get(&t, (enum tiling_field)i);
            one.axis[i] = (struct space_axis){&values[i], 1};
        }
    }
    one.size = 1;
    return space_at(&one, cell->target, &cell->problem, 0, &t, &plan, &why);
}

void edge_text(const struct cell *cell, const struct record *r, struct strbuf *out)
{
    for (int i = 0; i < TF_N; i++) {
        const enum tiling_field f = (enum tiling_field)i;
        const struct space_axis *axis = &cell->space.axis[f];
        const struct tiling_field_info *info = tiling_field_info(f);
        if (axis->count < 2 || info->words != NULL || info->max <= 2) {
            continue;
        }
        const int32_t value = tiling_get(&r->t, f);
        const bool largest = value == axis->values[axis->count - 1], smallest = value == axis->values[0];
        if ((!largest && !smallest) || (largest && is_whole(&cell->problem, &r->t, f))) {
            continue;
        }
        const int64_t next = beyond(axis, info, f, largest);
        if (next != 0 && fits(cell, r->index, f, next)) {
            strbuf_addf(out, "  at the edge of its sweep: %s %" PRId32 ", the %s given; %" PRId64 " fits as well\n",
                        info->name, value, largest ? "largest" : "smallest", next);
        }
    }
}

void edge_oversize_text(const struct problem *p, const struct tiling *t, const char *indent, struct strbuf *out)
{
    const int64_t k = max_i64(load_unit(p, ROLE_A, AXIS_K), load_unit(p, ROLE_B, AXIS_K));
    const struct {
        enum tiling_field base;
        const char *size, *buffers;
        int64_t extent, unit;
    } axes[] = {
        {TF_baseM, "M", "L0A and L0C", problem_most_rows(p), lcm_i64(16, load_unit(p, ROLE_A, AXIS_MN))},
        {TF_baseN, "N", "L0B and L0C", p->N, lcm_i64(16, load_unit(p, ROLE_B, AXIS_MN))},
        {TF_baseK, "K", "L0A and L0B", p->K, k},
    };
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        const int64_t base = tiling_get(t, axes[i].base), padded = align_up(max_i64(1, axes[i].extent), axes[i].unit);
        if (base > padded) {
            strbuf_addf(out,
                        "%s%s %" PRId64 " is more than %s %" PRId64 ": %.0f %% of its part of %s, and of L1, stays "
                        "empty; %" PRId64 " with the same steps is the same work (auto steps follow the larger one)\n",
                        indent, tiling_field_info(axes[i].base)->name, base, axes[i].size, axes[i].extent,
                        100.0 * (double)(base - padded) / (double)base, axes[i].buffers, padded);
        }
    }
}
