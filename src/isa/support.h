/* support.h - which product offers which instruction on which path for which
 * element type: the documents' support tables as data (semantics.md section 3,
 * kernel_rules.md sections 3 and 7). */
#ifndef ISA_SUPPORT_H
#define ISA_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/insn.h"
#include "target/target.h"

/* One row of a support table. Sets are bit masks: products by enum product,
 * paths by enum path, dtypes by enum dtype. */
struct support_row {
    uint8_t op;
    bool c_api;
    uint32_t products, paths, dtypes;
};

/* How far (op, product, path, dtype) is covered by the tables. */
enum support {
    SUPPORT_OK = 0,
    SUPPORT_NO_TARGET, /* no row of this op names the product */
    SUPPORT_NO_PATH,   /* rows of the product do not name the path */
    SUPPORT_NO_DTYPE   /* rows of the path do not name the dtype */
};

enum support support_find(enum op op, bool c_api, enum product product, enum path path, enum dtype dtype);

/* The dtypes the tables give for (op, product, path), as a mask. */
uint32_t support_dtypes(enum op op, bool c_api, enum product product, enum path path);

/* Left, right, result and bias type of one form of Mmad; bias DTYPE_NONE: no bias form. */
struct mmad_triple {
    uint32_t products;
    bool mx;
    uint8_t a, b, c, bias;
};
const struct mmad_triple *mmad_triples(size_t *count);

/* The first row with these types; `product` PRODUCT_N means any, `c` DTYPE_NONE any. NULL: no such Mmad. */
const struct mmad_triple *mmad_triple_find(enum product product, bool mx, enum dtype a, enum dtype b, enum dtype c);

/* The product's Fixpipe has this conversion. */
bool fixpipe_mode_supported(enum product product, enum quant_mode mode);

#endif
