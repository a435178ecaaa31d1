/* conform_internal.h - pieces of the conformance runner (private to engine/). */
#ifndef ENGINE_CONFORM_INTERNAL_H
#define ENGINE_CONFORM_INTERNAL_H

#include "engine/conform.h"
#include "engine/engine.h"
#include "engine/vec_file.h"
#include "isa/insn_text.h"
#include "target/target.h"

/* One engine per product, made when first needed. */
struct conform_context {
    struct arena *arena; /* of the report */
    struct diag *d;
    const struct target *targets[PRODUCT_N];
    struct engine *engines[PRODUCT_N];
};

void conform_context_fini(struct conform_context *cx);

/* The chip that stands for a product; NULL with an error in cx->d. */
const struct target *conform_target(struct conform_context *cx, enum product product);
struct engine *conform_engine(struct conform_context *cx, enum product product);

/* Runs one case. *text: what differs, or the label of the reading. STATUS_OK
 * with a verdict; STATUS_INVALID if the case makes no sense (reported). */
enum status conform_case(struct conform_context *cx, const struct vec_case *c, enum conform_verdict *verdict,
                         const char **text);

/* Compares buffer contents with a case's expectations (conform_compare.c).
 * `got` is the memory after, `before` the filled memory; both c->len bytes.
 * @return true if equal; else a description goes to `out`. */
bool conform_equal(const struct vec_case *c, const struct vec_buf *b, const uint8_t *before, const uint8_t *got,
                   enum dtype dtype, struct strbuf *out);
/* FNV of `got` with the unspecified ranges zeroed. */
uint64_t conform_hash(const struct vec_case *c, const struct vec_buf *b, const uint8_t *got);

/* Runs errors.csv; appends one entry per row. */
enum status conform_errors(struct conform_context *cx, const char *path, const struct conform_options *options,
                           struct conform_report *report, struct diag *d);

/* Appends to the report; entries grow in the arena. */
enum status conform_append(struct conform_context *cx, struct conform_report *report,
                           const struct conform_entry *entry);

#endif
