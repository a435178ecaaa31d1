/* leaf.h - one number of a target file with its provenance:
 * {value, unit, source, confidence, rows}. */
#ifndef TARGET_LEAF_H
#define TARGET_LEAF_H

#include "base/arena.h"
#include "base/diag.h"
#include "target/schema.h"
#include "target/target.h"
#include "text/yaml_tree.h"

/* Reads the leaf `node` of row `key` into facts[0 .. key->count). All errors
 * of the leaf are reported; facts are set only if there is none.
 * @return STATUS_OK, STATUS_INVALID, STATUS_NO_MEMORY. */
enum status target_leaf_read(const struct target_key *key, const struct yaml_node *node, const char *file,
                             struct arena *arena, struct target_fact *facts, struct diag *d);

/* Reads `confidence` and `source` of the map `node`, called `what` in messages. */
enum status target_leaf_origin(const struct yaml_node *node, const char *what, enum confidence *confidence,
                               const char **source, struct diag *d);

#endif
