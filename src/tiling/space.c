/* space.c - index <-> tiling, mixed radix.
 *
 * Only fields with more than one value are digits. They are ordered by the
 * rank in TILING_FIELDS, so that neighbours in the index share geometry and
 * with it the L2 context of the time model. A field with no list stays
 * TILING_AUTO in the raw tiling and is completed by tiling_resolve(). */
#include "tiling/space.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/limits.h"

/* Fields by rank, most significant first. */
static const uint8_t BY_DIGIT[TF_N] = {
#define BY_DIGIT_ENTRY(name, tag, def, min, max, digit) [digit] = TF_##name,
    TILING_FIELDS(BY_DIGIT_ENTRY)
#undef BY_DIGIT_ENTRY
};

static int compare_values(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void space_set(struct space *s, enum tiling_field f, int32_t *values, int32_t count)
{
    if (count <= 0) {
        s->axis[f] = (struct space_axis){0};
        return;
    }
    qsort(values, (size_t)count, sizeof *values, compare_values);
    int32_t kept = 1;
    for (int32_t i = 1; i < count; i++) {
        if (values[i] != values[kept - 1]) {
            values[kept++] = values[i];
        }
    }
    s->axis[f] = (struct space_axis){.values = values, .count = kept};
}

enum status space_finish(struct space *s, struct diag *d)
{
    s->size = 1;
    for (int f = 0; f < TF_N; f++) {
        const uint64_t count = s->axis[f].count > 0 ? (uint64_t)s->axis[f].count : 1;
        /* size <= 2^62 and count < 2^31: only the product can overflow. */
        if (__builtin_mul_overflow(s->size, count, &s->size) || s->size > LIMIT_SPACE_POINTS) {
            s->size = 0;
            diag_error(d, STATUS_LIMIT, NULL, "the space has more than 2^62 tilings");
            diag_rule(d, "a space has at most %" PRIu64 " points", (uint64_t)LIMIT_SPACE_POINTS);
            return STATUS_LIMIT;
        }
    }
    return STATUS_OK;
}

void space_raw(const struct space *s, uint64_t index, struct tiling *out)
{
    for (int rank = TF_N - 1; rank >= 0; rank--) {
        const enum tiling_field f = (enum tiling_field)BY_DIGIT[rank];
        const struct space_axis *axis = &s->axis[f];
        if (axis->count == 0) {
            tiling_set(out, f, TILING_AUTO);
        } else if (axis->count == 1) {
            tiling_set(out, f, axis->values[0]);
        } else {
            tiling_set(out, f, axis->values[index % (uint64_t)axis->count]);
            index /= (uint64_t)axis->count;
        }
    }
}

/* The first clause that is false or cannot be computed; true if all hold. */
static bool where_holds(const struct space *s, const struct problem *p, const struct tiling *t, struct infeasible *why)
{
    if (s->where_count == 0) {
        return true;
    }
    int64_t vars[TF_N + 8];
    space_variable_values(p, t, vars);
    for (int32_t i = 0; i < s->where_count; i++) {
        int64_t holds = 0;
        const enum status st = expr_eval(s->where[i].expr, vars, &holds);
        if (st != STATUS_OK || holds == 0) {
            const enum where_fault fault = st == STATUS_OK        ? WHERE_FALSE
                                           : st == STATUS_INVALID ? WHERE_DIVIDES_BY_ZERO
                                                                  : WHERE_OVERFLOWS;
            *why = (struct infeasible){.reason = REASON_WHERE, .field = TF_N, .need = i + 1, .have = fault};
            return false;
        }
    }
    return true;
}

bool space_at(const struct space *s, const struct target *target, const struct problem *p, uint64_t index,
              struct tiling *out, struct plan *plan, struct infeasible *why)
{
    *why = (struct infeasible){.field = TF_N};
    space_raw(s, index, out);
    tiling_resolve(target, p, out, why);
    if (why->reason != REASON_NONE) {
        return false;
    }
    return where_holds(s, p, out, why) && plan_make(target, p, out, plan, why);
}

void space_reason_text(const struct space *s, const struct infeasible *why, const struct tiling *t, struct strbuf *out)
{
    infeasible_text(why, t, out);
    if (why->reason == REASON_WHERE && why->need >= 1 && why->need <= s->where_count) {
        strbuf_addf(out, ": %s", s->where[why->need - 1].text);
    }
}

void space_advice(const struct space *s, const struct target *target, const struct problem *p, uint64_t index,
                  const struct infeasible *why, struct strbuf *out)
{
    struct tiling given, t;
    struct infeasible ignored;
    struct advice advice;
    space_raw(s, index, &given);
    t = given;
    tiling_resolve(target, p, &t, &ignored);
    space_reason_text(s, why, &t, out);
    tiling_advise(target, p, &given, why, &advice);
    advice_text(&advice, why, out);
}

/* Position of a value on an axis, -1 if it is not there. */
static int32_t position(const struct space_axis *axis, int32_t value)
{
    const int32_t *found = bsearch(&value, axis->values, (size_t)axis->count, sizeof value, compare_values);
    return found == NULL ? -1 : (int32_t)(found - axis->values);
}

bool space_index(const struct space *s, const struct tiling *t, uint64_t *out)
{
    uint64_t index = 0;
    for (int rank = 0; rank < TF_N; rank++) {
        const enum tiling_field f = (enum tiling_field)BY_DIGIT[rank];
        const struct space_axis *axis = &s->axis[f];
        if (axis->count == 0) {
            continue;
        }
        const int32_t at = position(axis, tiling_get(t, f));
        if (at < 0) {
            return false;
        }
        index = index * (uint64_t)axis->count + (uint64_t)at;
    }
    *out = index;
    return true;
}

const char *const *space_variables(void)
{
    static const char *const names[] = {
#define NAME_ENTRY(name, tag, def, min, max, digit) #name,
        TILING_FIELDS(NAME_ENTRY)
#undef NAME_ENTRY
            "M",
        "N", "K", NULL};
    return names;
}

void space_variable_values(const struct problem *p, const struct tiling *t, int64_t *vars)
{
    for (int f = 0; f < TF_N; f++) {
        vars[f] = tiling_get(t, (enum tiling_field)f);
    }
    vars[TF_N] = p->M;
    vars[TF_N + 1] = p->N;
    vars[TF_N + 2] = p->K;
}
