/* expr.h - integer expressions over named variables (`where:` clauses).
 *
 * Grammar: || && ! == != < <= > >= + - * / % unary -, parentheses, integers,
 * names, min(a,b), max(a,b), ceil_div(a,b), align_up(a,b). All in int64 with
 * overflow checked; comparison gives 0 or 1, && and || stop at the first side
 * that decides (`a != 0 && b / a == 2` is safe). Comparisons do not chain:
 * `1 <= a <= 4` is an error. Division truncates as in C. Compiled once,
 * evaluated per point without allocation. */
#ifndef TEXT_EXPR_H
#define TEXT_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

struct expr; /* opaque, lives in the arena */

/* @param names NULL-terminated list of variables; a use of names[i] reads
 * vars[i] at evaluation. Unknown names are errors with a suggestion.
 * @param at place of the text in its file, as a struct yaml_node's `at`; NULL: none. */
enum status expr_compile(const char *text, const struct location *at, const char *const *names, struct arena *arena,
                         struct expr **out, struct diag *d);

/* True if the expression reads names[var]. */
bool expr_uses(const struct expr *e, size_t var);

/* Reads no variable at all? */
bool expr_constant(const struct expr *e);

/* @return STATUS_OK, STATUS_LIMIT on overflow, or STATUS_INVALID on division by
 * zero, and on ceil_div and align_up by a divisor < 1. */
enum status expr_eval(const struct expr *e, const int64_t *vars, int64_t *out);

#endif
