/* alias.h - the names by which documents, vector files and people call an
 * instruction, its arguments and its buffers, mapped to one struct insn. */
#ifndef ISA_ALIAS_H
#define ISA_ALIAS_H

#include <stdbool.h>

#include "isa/fields.h"
#include "isa/insn.h"
#include "target/target.h"

struct insn_name {
    enum op op;
    bool c_api; /* asc_copy_l12l0a_trans, asc_copy_l12l0b_trans, also with _sync */
};

/* By op_name, or by C API name, whose parameter struct depends on the arch.
 * @return false if unknown. */
bool insn_name_find(const char *name, int arch, struct insn_name *out);

/* Field of an argument name: the field's own, the C API's ("index_id"), or
 * "dstfracGap" as older headers spell it; NULL if the op has no such field. */
const struct insn_field *insn_argument(const struct insn_name *name, const char *argument);

/* "L1", "GM", .. or a TPosition: A1, B1, C1, A2, B2, CO1, C2, C2PIPE2GM. BUF_N if unknown. */
enum buffer buffer_from_name(const char *name);

/* The chip that stands for a product: any of a product's chips has the same
 * instructions and buffers. NULL for PRODUCT_N. */
const char *product_chip(enum product product);

#endif
