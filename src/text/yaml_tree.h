/* yaml_tree.h - YAML text -> a tree that knows where everything stands.
 *
 * Built on libyaml's event API with caps (limits.h): file size, nesting depth,
 * node count. Duplicate keys, several documents, anchors, aliases, merge keys,
 * tags, bad UTF-8 are errors, each with place and rule. The tree carries no
 * meaning; rooms above read it with the typed accessors below. */
#ifndef TEXT_YAML_TREE_H
#define TEXT_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

enum yaml_kind { YAML_NODE_SCALAR, YAML_NODE_LIST, YAML_NODE_MAP };

struct yaml_node {
    enum yaml_kind kind;
    struct location at;      /* of the value */
    bool quoted;             /* scalar: written with quotes, so never a number */
    const char *scalar;      /* scalar: text, NUL-terminated */
    struct yaml_node *child; /* list, map: first child */
    struct yaml_node *next;  /* next sibling */
    const char *key;         /* child of a map: its key */
    struct location key_at;  /* child of a map: place of its key */
    size_t count;            /* list, map: children */
};

/* Parses `text` (`len` bytes) named `file` in messages. The tree, a copy of
 * the text and of the name live in `arena`. An empty file is an error.
 * @return STATUS_OK, STATUS_INVALID, STATUS_LIMIT, STATUS_NO_MEMORY. After
 * STATUS_INVALID *out is still the tree if all that is wrong are keys (they are
 * left out; of duplicates the first stays), anchors or tags: so the caller can
 * go on to report what else is wrong. Otherwise NULL. */
enum status yaml_tree_parse(const char *file, const char *text, size_t len, struct arena *arena, struct yaml_node **out,
                            struct diag *d);

/* Reads the file through base/os.h, then parses. */
enum status yaml_tree_load(const char *path, struct arena *arena, struct yaml_node **out, struct diag *d);

/* Child of a map by key; NULL if absent or `map` is no map. */
struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);

/* Typed readers. On a wrong type or spelling they report an error that names
 * the key, the value and the rule, and return STATUS_INVALID.
 * Integers: optional '-', digits without leading zero; `010`, `0x10`, `1e3`,
 * `1_000`, `64KB`, `12x`, quoted numbers are errors, each with its own words.
 * Booleans: true, false. Reals: JSON number spelling. */
enum status yaml_read_int(const struct yaml_node *node, const char *what, int64_t min, int64_t max, int64_t *out,
                          struct diag *d);
enum status yaml_read_real(const struct yaml_node *node, const char *what, double *out, struct diag *d);
enum status yaml_read_bool(const struct yaml_node *node, const char *what, bool *out, struct diag *d);
/* Any scalar as text, borrowed from the arena. */
enum status yaml_read_text(const struct yaml_node *node, const char *what, const char **out, struct diag *d);

/* Reports every child of `map` whose key is not in the NULL-terminated list
 * `known`, with the nearest known key as a hint.
 * @return STATUS_INVALID if any. */
enum status yaml_reject_unknown(const struct yaml_node *map, const char *const *known, const char *what,
                                struct diag *d);

#endif
