/* vec_file.h - reader of test vector files (*.vec: one instruction or a short
 * program, its buffers by rule, and the hashes of what it must leave).
 *
 * Reads into plain structs; nothing is interpreted but numbers and names.
 * A malformed line is reported with file, line and field; its case is dropped
 * and reading goes on at the next one. */
#ifndef ENGINE_VEC_FILE_H
#define ENGINE_VEC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "numeric/dtype.h"

struct vec_word {
    const char *text;
    uint32_t col;
};

/* One line cut at blanks; words[0] is the keyword. */
struct vec_line {
    uint32_t number;
    struct vec_word *words;
    size_t count;
};

enum vec_fill_kind { VEC_FILL_RULE, VEC_FILL_VALS, VEC_FILL_CYCLE, VEC_FILL_PICK };

/* How the bytes of a buffer are made (semantics.md 6, 6b). */
struct vec_fill {
    enum vec_fill_kind kind;
    uint64_t seed;
    enum dtype dtype; /* vals; DTYPE_NONE: raw bytes */
    int64_t lo, hi;   /* vals */
    int64_t width;    /* cycle, pick: bytes of a value */
    const uint64_t *values;
    size_t count;
};

struct vec_buf {
    const char *name;
    int64_t len, off; /* memory of len bytes, the operand starts at off */
    struct vec_fill fill;
    bool has_background;
    uint64_t background; /* FNV-1a of the filled memory */
};

struct vec_hash { /* fnv, blk */
    const char *name;
    int64_t block; /* -1: the whole buffer */
    uint64_t hash;
};

struct vec_hex {
    const char *name;
    int64_t off;
    uint8_t bytes[32];
};

struct vec_range {
    const char *name;
    int64_t off, len;
};

struct vec_alt {
    const char *label;
    const char *name; /* of the buffer hashed; NULL: the reading is an error */
    uint64_t hash;
    const char *error; /* code, or writes_outside_dst, reads_outside_src */
};

struct vec_case {
    const char *file, *source; /* for messages */
    uint32_t line;
    const char *id, *kind, *instr, *target, *path, *dtype, *confidence;
    struct vec_line *params, *steps; /* whole lines */
    size_t param_count, step_count;
    const struct vec_line *fmatrix, *padding; /* setfmatrix, setpadding; NULL: not set */
    struct vec_buf *bufs;
    size_t buf_count;
    struct vec_hash *hashes;
    size_t hash_count;
    struct vec_hex *hexes;
    size_t hex_count;
    struct vec_range *unspec;
    size_t unspec_count;
    struct vec_alt *alts;
    size_t alt_count;
    bool nop;
    int64_t written;
};

struct vec_file {
    struct vec_case *cases;
    size_t count;
    size_t bad; /* cases dropped for a malformed line */
};

/* `text` must stay as long as the result; the rest lives in `arena`.
 * @return STATUS_OK; STATUS_INVALID if any line was malformed (the good cases
 * are still there). */
enum status vec_parse(const char *file, const char *text, size_t len, struct arena *arena, struct vec_file *out,
                      struct diag *d);

/* The bytes of a buffer before the call. */
void vec_fill_bytes(const struct vec_fill *fill, uint8_t *out, int64_t len);

/* Decimal, or hexadecimal after 0x; whole text. */
bool vec_integer(const char *text, int64_t *out);
bool vec_hex64(const char *text, uint64_t *out); /* digits without 0x */

/* Place of a word, for messages. */
struct location vec_location(const struct vec_case *c, const struct vec_line *line, size_t word);

#endif
