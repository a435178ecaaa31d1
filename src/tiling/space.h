/* space.h - a space of tilings as a function of an index.
 *
 * Mixed radix over the fields that have a list of values (sorted,
 * deduplicated); most significant digit = lowest `digit` of TILING_FIELDS.
 * `auto` is no digit. The index counts before `where` and feasibility, so it
 * never shifts. */
#ifndef TILING_SPACE_H
#define TILING_SPACE_H

#include "base/arena.h"
#include "text/expr.h"
#include "tiling/plan.h"

struct space_axis {
    const int32_t *values; /* NULL: auto */
    int32_t count;         /* 0: auto, 1: fixed, > 1: a digit */
};

struct space_where {
    const char *text;
    const struct expr *expr;
};

struct space {
    struct space_axis axis[TF_N];
    const struct space_where *where; /* in the config's order */
    int32_t where_count;
    uint64_t size; /* product of the counts, <= LIMIT_SPACE_POINTS */
};

/* Sorts and deduplicates `values` in place, sets the axis. */
void space_set(struct space *s, enum tiling_field f, int32_t *values, int32_t count);
/* Computes `size`. STATUS_LIMIT when the product exceeds the cap. */
enum status space_finish(struct space *s, struct diag *d);

/* The raw tiling of an index (autos still TILING_AUTO). */
void space_raw(const struct space *s, uint64_t index, struct tiling *out);

/* Raw, resolved, `where`, plan: everything about point `index`.
 * @return true if feasible; else `why` says the first reason. */
bool space_at(const struct space *s, const struct target *target, const struct problem *p, uint64_t index,
              struct tiling *out, struct plan *plan, struct infeasible *why);

/* infeasible_text(), where a broken clause of `where` is quoted. */
void space_reason_text(const struct space *s, const struct infeasible *why, const struct tiling *t, struct strbuf *out);

/* infeasible_advice() of point `index`: what to set instead in the space's config. */
void space_advice(const struct space *s, const struct target *target, const struct problem *p, uint64_t index,
                  const struct infeasible *why, struct strbuf *out);

/* Index whose raw digits equal the given tiling's fields; false if it is not in the space. */
bool space_index(const struct space *s, const struct tiling *t, uint64_t *out);

/* Variables of `where` expressions: field names, then M N K; NULL-terminated. */
const char *const *space_variables(void);
/* Their values for a resolved tiling. `vars` has room for TF_N + 8. */
void space_variable_values(const struct problem *p, const struct tiling *t, int64_t *vars);

#endif
