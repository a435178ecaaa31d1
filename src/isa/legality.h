/* legality.h - every rule of the documents an instruction breaks on a target.
 *
 * All violations are reported, each with its code, the field, the value found
 * and the rule in words.  Where document and vendor code disagree (semantics.md
 * section 5, kernel_rules.md section 13) the reading adopted there is checked,
 * and a note says that another exists. */
#ifndef ISA_LEGALITY_H
#define ISA_LEGALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "isa/fields.h"
#include "isa/insn.h"
#include "target/target.h"

enum violation_code {
    E_NONE = 0,
    E_TARGET,     /* the product does not have the instruction */
    E_PATH,       /* nor this source and destination */
    E_DTYPE,      /* nor this element type there */
    E_ALIGN,      /* an address is not aligned */
    E_RANGE,      /* a field is outside of its documented range, or of its C type */
    E_MULTIPLE,   /* a field must be a multiple of something */
    E_CHANNEL,    /* channelSize of LoadData 3D */
    E_TRANSPOSE,  /* transposing is not offered here */
    E_PARAM,      /* the field is not usable here */
    E_CONFIG,     /* a register the instruction reads was never set */
    E_DIM,        /* a position lies outside of the expanded matrix */
    E_OVERLAP,    /* one call writes a place twice: the order is not documented */
    E_SRC_BOUNDS, /* reads beyond a buffer */
    E_DST_BOUNDS, /* writes beyond a buffer */
    VIOLATION_CODE_N
};

const char *violation_code_name(enum violation_code code);      /* "E_RANGE" */
enum violation_code violation_code_from_name(const char *name); /* E_NONE if unknown */

struct violation {
    enum violation_code code; /* E_NONE: a note */
    const char *field;        /* field or operand name; "" if none */
    int64_t value;
    const char *document; /* page the rule stands in */
    char rule[200];
};

enum { VIOLATIONS_MAX = 48 };
struct violations {
    struct violation v[VIOLATIONS_MAX];
    size_t count;  /* entries in v */
    size_t errors; /* violations, also those that did not fit */
};

/* Registers set before the instruction. */
struct legality_state {
    bool fmatrix_set[2], padding_set;
};

/* Appends all violations and notes of `insn` to `out`. `state` may be NULL: no register was set. */
void legality_check(const struct insn *insn, const struct target *target, const struct legality_state *state,
                    struct violations *out);

/* For readers of `name=value` text: sets the field, and reports a value its
 * C type or struct insn cannot hold (E_RANGE). */
void legality_set_field(struct insn *insn, const struct insn_field *field, int64_t value, struct violations *out);

void violation_add(struct violations *out, enum violation_code code, const char *field, int64_t value,
                   const char *document, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* "E_RANGE repeatTimes=256: not in [0, 255] (LoadData_2D)", notes as "note: ...". */
void violation_format(const struct violation *v, struct strbuf *out);

#endif
