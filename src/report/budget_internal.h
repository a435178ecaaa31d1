/* budget_internal.h - the sections of the budget report. */
#ifndef REPORT_BUDGET_INTERNAL_H
#define REPORT_BUDGET_INTERNAL_H

#include "report/budget.h"

/* Sections, in the order they are printed. */
void budget_buffers(const struct budget *b, struct strbuf *out);  /* used, left, usable, physical */
void budget_map(const struct budget *b, struct strbuf *out);      /* addresses */
void budget_live(const struct budget *b, struct strbuf *out);     /* live ranges */
void budget_events(const struct budget *b, struct strbuf *out);   /* event ids */
void budget_axes(const struct budget *b, struct strbuf *out);     /* next larger tile */
void budget_frontier(const struct budget *b, struct strbuf *out); /* feasible base blocks */
void budget_headroom(const struct budget *b, struct strbuf *out); /* bias, quant, epilogue */
void budget_dtypes(const struct budget *b, struct strbuf *out);   /* the frontier of other dtypes */

/* --- shared words --------------------------------------------------------- */

/* "A ping", "scales of B pong", "bias row"; `only`: there is no pong. */
void budget_region_name(const struct plan *plan, const struct region *r, struct strbuf *out);
/* "524,288 B" in a field of `width`. */
void budget_bytes(int64_t bytes, int width, struct strbuf *out);
/* A reason in few words: "L1 525,312 B of 524,288 B"; others as infeasible_text(). */
void budget_reason(const struct infeasible *why, const struct tiling *t, struct strbuf *out);
/* Adds blanks until the current line is `column` characters long. */
void budget_pad(struct strbuf *out, int column);

/* What a region does in a step, counted over the tiles of a core: '#' read, '+'
 * the next piece comes, '*' filled then read, '-' drained or free, '.' free. */
char budget_state(const struct budget *b, const struct region *r, int64_t step);

/* --- the frontier ---------------------------------------------------------- */

#define FRONTIER_UNIT 16
#define FRONTIER_MAX  4080 /* largest baseM, baseN looked at: the last multiple of 16 one Mmad takes (T12) */

struct frontier_depths {
    int32_t l0a, l0b, l0c;
};

/* The largest baseN that fits with this baseM and baseK, other fields free
 * (one base block a chunk, both L1 buffers); 0: none. `why`: what stops the
 * next one. */
int32_t budget_largest_n(const struct target *target, const struct problem *p, int32_t base_m, int32_t base_k,
                         struct frontier_depths db, struct infeasible *why);

/* Fills the frontier picture. */
struct picture;
bool budget_frontier_picture(const struct budget *b, struct picture *p);

#endif
