/* expr.h - integer expressions over named variables (`where:` clauses).
 *
 * Grammar: || && ! == != < <= > >= + - * / % unary -, parentheses, integers,
 * names, min(a,b), max(a,b), ceil_div(a,b), align_up(a,b). All in int64 with
 * overflow checked; comparison gives 0 or 1. Compiled once, evaluated per
 * point without allocation. */
#ifndef TEXT_EXPR_H
#define TEXT_EXPR_H

#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

struct expr; /* opaque, lives in the arena */

/* @param names NULL-terminated list of variables; a use of names[i] reads
 * vars[i] at evaluation. Unknown names are errors with a suggestion. */
enum status expr_compile(const char *text, const struct location *at, const char *const *names, struct arena *arena,
                         struct expr **out, struct diag *d);

/* @return STATUS_OK, or STATUS_LIMIT on overflow or division by zero. */
enum status expr_eval(const struct expr *e, const int64_t *vars, int64_t *out);

#endif
