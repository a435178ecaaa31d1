/* schema.h - the keys of a target file: one table, read by loader and printers.
 *
 * A row says where the value goes in struct target, which unit the file must
 * state, what values make sense and whether a target is complete without it. */
#ifndef TARGET_SCHEMA_H
#define TARGET_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Type of the member; the file's spelling follows from it. */
enum target_kind {
    TARGET_INT32,
    TARGET_INT64,
    TARGET_REAL,
    TARGET_BOOL,
    TARGET_TEXT,
    TARGET_PRODUCT /* a name of product_name(), kept as enum product */
};

enum target_range {
    RANGE_FREE,     /* flags and words */
    RANGE_ZERO_UP,  /* 0 means: not there, or costs nothing */
    RANGE_POSITIVE, /* something divides by it */
    RANGE_SHARE     /* above 0, at most 1 */
};

struct target_key {
    const char *key;
    enum target_kind kind;
    enum target_range range;
    bool required;
    uint32_t count; /* values; above 1 the file gives a list of exactly as many */
    const char *unit;
    size_t offset; /* in struct target */
};

/* Most values of one key. */
#define TARGET_KEY_VALUES 4U

size_t target_schema_count(void);
/* Row i < target_schema_count(). */
const struct target_key *target_schema_at(size_t i);
/* Index of the row of exactly this key, or SIZE_MAX. */
size_t target_schema_find(const char *key);

#endif
