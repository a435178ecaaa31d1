/* tiling.h - one tiling: TCubeTiling's own fields plus what a kernel writer
 * also chooses, and the rules that complete it.
 *
 * struct tiling is plain data of int32 fields; TILING_FIELDS below is the one
 * table of their names, short tags, defaults and legal ranges. It drives the
 * config reader, the space, the canonical name, the CSV columns and messages. */
#ifndef TILING_TILING_H
#define TILING_TILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "problem/problem.h"
#include "target/target.h"

enum tiling_load { LOAD_AUTO_NONE = 0, LOAD_2D, LOAD_TRANSPOSE, LOAD_3D, LOAD_2D_V2, LOAD_3D_STRIDE, LOAD_MX };
enum tiling_assign { ASSIGN_GRID = 0, ASSIGN_BLOCKS };
enum tiling_order { ORDER_LINEAR = 0, ORDER_SWIZZLE, ORDER_ASWT, ORDER_L2SPLIT, ORDER_CHUNK };
enum tiling_full_load { FULL_LOAD_NONE = 0, FULL_LOAD_A, FULL_LOAD_B };
enum tiling_reduce { REDUCE_NONE = 0, REDUCE_ATOMIC, REDUCE_WORKSPACE };
enum tiling_kernel { KERNEL_CUBE = 0, KERNEL_MIX };
enum tiling_api { API_BASIC = 0, API_HIGH };
enum tiling_scale_copy { SCALES_BY_CHUNK = 0, SCALES_BY_STEP };
enum tiling_l2 { L2_NORMAL = 0, L2_DISABLE };

/* X(name, tag, default, min, max, digit)
 * tag: in canonical names; digit: rank of the field in a space's index, lowest
 * = most significant (geometry first). All integers. */
#define TILING_FIELDS(X)                     \
    X(usedCoreNum, "c", 1, 1, 65535, 0)      \
    X(singleCoreM, "sm", 1, 1, INT32_MAX, 1) \
    X(singleCoreN, "sn", 1, 1, INT32_MAX, 2) \
    X(singleCoreK, "sk", 1, 1, INT32_MAX, 3) \
    X(splitK, "split", 1, 1, 4096, 4)        \
    X(splitKReduce, "red", 0, 0, 2, 5)       \
    X(assign, "as", 0, 0, 1, 6)              \
    X(order, "o", 0, 0, 4, 7)                \
    X(orderOffset, "oo", 1, 1, 65535, 8)     \
    X(orderDirection, "od", 0, 0, 1, 9)      \
    X(orderRounds, "or", 1, 1, 65535, 10)    \
    X(iterateOrder, "it", 0, 0, 1, 11)       \
    X(baseM, "bm", 16, 1, 4095, 12)          \
    X(baseN, "bn", 16, 1, 4095, 13)          \
    X(baseK, "bk", 16, 1, 4095, 14)          \
    X(stepM, "tm", 1, 1, 255, 15)            \
    X(stepN, "tn", 1, 1, 255, 16)            \
    X(stepKa, "ka", 1, 1, 65535, 17)         \
    X(stepKb, "kb", 1, 1, 65535, 18)         \
    X(dbA1, "da", 2, 1, 2, 19)               \
    X(dbB1, "db", 2, 1, 2, 20)               \
    X(depthA1, "ha", 2, 1, 65535, 21)        \
    X(depthB1, "hb", 2, 1, 65535, 22)        \
    X(dbL0A, "la", 2, 1, 2, 23)              \
    X(dbL0B, "lb", 2, 1, 2, 24)              \
    X(dbL0C, "lc", 1, 1, 2, 25)              \
    X(scaleFactorKa, "fa", 1, 1, 127, 26)    \
    X(scaleFactorKb, "fb", 1, 1, 127, 27)    \
    X(scaleFactorM, "fm", 1, 1, 127, 28)     \
    X(scaleFactorN, "fn", 1, 1, 127, 29)     \
    X(loadA, "xa", 0, 0, 6, 30)              \
    X(loadB, "xb", 0, 0, 6, 31)              \
    X(isBias, "bi", 0, 0, 1, 32)             \
    X(unitflag, "u", 0, 0, 1, 33)            \
    X(copyFirst, "cf", 0, 0, 1, 34)          \
    X(shuffleK, "sh", 0, 0, 1, 35)           \
    X(fullLoad, "fl", 0, 0, 2, 36)           \
    X(l1Resident, "r", 0, 0, 1, 37)          \
    X(gemv, "gv", 0, 0, 1, 38)               \
    X(waitBoth, "w", 0, 0, 1, 39)            \
    X(tileBarrier, "tb", 0, 0, 1, 40)        \
    X(l2A, "l2a", 0, 0, 1, 41)               \
    X(l2B, "l2b", 0, 0, 1, 42)               \
    X(l2C, "l2c", 0, 0, 1, 43)               \
    X(kernel, "k", 0, 0, 1, 44)              \
    X(api, "api", 0, 0, 1, 45)               \
    X(rowCopy, "rc", 0, 0, 1, 46)            \
    X(scaleCopy, "sc", 0, 0, 1, 47)          \
    X(loadRepeat, "lr", 0, 0, 1, 48)

struct tiling {
#define TILING_MEMBER(name, tag, def, min, max, digit) int32_t name;
    TILING_FIELDS(TILING_MEMBER)
#undef TILING_MEMBER
};

enum tiling_field {
#define TILING_ENUM(name, tag, def, min, max, digit) TF_##name,
    TILING_FIELDS(TILING_ENUM)
#undef TILING_ENUM
        TF_N
};

/* A value that tiling_resolve() is to derive. */
#define TILING_AUTO INT32_MIN

struct tiling_field_info {
    const char *name, *tag;
    int32_t def, min, max;
    int digit;
    /* Words for enum-like fields ("grid", "blocks"), NULL-terminated; NULL: a plain number. */
    const char *const *words;
    const char *meaning; /* one line, with unit */
    const char *column;  /* column of measurements files it corresponds to, "" if none */
};

const struct tiling_field_info *tiling_field_info(enum tiling_field f);
enum tiling_field tiling_field_from_name(const char *name); /* TF_N if unknown */
int32_t tiling_get(const struct tiling *t, enum tiling_field f);
void tiling_set(struct tiling *t, enum tiling_field f, int32_t value);
/* All fields TILING_AUTO. */
void tiling_all_auto(struct tiling *t);

/* Why a tiling cannot be: a result, not an error. */
enum infeasible_reason {
    REASON_NONE = 0,
    REASON_RANGE,         /* field outside its legal range: need = limit, have = value */
    REASON_MULTIPLE,      /* field must be a multiple of need */
    REASON_BUFFER,        /* buffer overflows: need, have in bytes */
    REASON_CORES,         /* need blocks, have cores; field: what to raise, the cores or the slices */
    REASON_DEPTH,         /* depthA1/B1 is not stepMN * stepK * db; need = stepMN * stepK */
    REASON_CONTRADICTION, /* two fields exclude each other: field, have; need = the other field, TF_N:
                            the problem or target */
    REASON_EVENTS,        /* event ids of a pair exhausted */
    REASON_LOAD,          /* the chosen load is not offered for this operand here (need 0), or not
                            for an L1 image of this many lines: needs `need`, has `have`; without any
                            that is (have LOAD_AUTO_NONE) buf = dtype + INFEASIBLE_* */
    REASON_DTYPE,         /* the cube, BT or Fixpipe does not offer the dtypes: buf = enum dtype_stage
                            (dtypes.h), need = enum product, have = infeasible_pack_dtypes() */
    REASON_OPERAND,       /* an extent of an operand must be a multiple of need: buf = role + 16 * operand_extent */
    REASON_FIELD_WIDTH,   /* an instruction field cannot hold the value */
    REASON_WHERE,         /* a `where:` clause does not hold: need = its number, have = enum where_fault */
    REASON_UNSUPPORTED,   /* fits, but the schedule does not lower it yet: need = enum unsupported */
    REASON_N
};

enum infeasible_load { INFEASIBLE_DTYPE = 63, INFEASIBLE_TRANSPOSED = 64, INFEASIBLE_OTHER_WAY = 128 };
enum operand_extent { EXTENT_M = 0, EXTENT_N, EXTENT_K, EXTENT_LD };
enum where_fault { WHERE_FALSE = 0, WHERE_DIVIDES_BY_ZERO, WHERE_OVERFLOWS };

struct infeasible {
    uint16_t reason; /* enum infeasible_reason */
    uint8_t buf;     /* enum buffer for REASON_BUFFER; see DTYPE, OPERAND */
    uint8_t field;   /* enum tiling_field, TF_N if none */
    int64_t need, have;
};

const char *infeasible_reason_name(enum infeasible_reason r); /* "buffer", "cores", ... for CSV */
/* One sentence with numbers: "L0C needs 196608 B, has 131072 B (baseM 192 x baseN 256 x 4 B x dbL0C 1)". */
void infeasible_text(const struct infeasible *why, const struct tiling *t, struct strbuf *out);

/* The same of a REASON_DTYPE, with what the product takes (infeasible_dtype.c). */
void infeasible_dtype_text(const struct infeasible *why, struct strbuf *out);

/* dtypes of a problem in one number, for REASON_DTYPE. */
int64_t infeasible_pack_dtypes(const struct problem *p);

/* A field's value as people read it: its word, or the number. */
void tiling_value_text(enum tiling_field f, int64_t value, struct strbuf *out);

/* Completes a tiling: every TILING_AUTO field gets the value of its one rule
 * (kernel_rules.md section 2.3), in resolution order, integers only,
 * deterministic. Fixed fields are never changed. `why` is set when fixed
 * fields contradict each other (reason != NONE); the tiling is then as far
 * resolved as possible. Capacity is judged by plan_make(). */
void tiling_resolve(const struct target *target, const struct problem *p, struct tiling *t, struct infeasible *why);

/* Canonical name, e.g. "b128x256x64_s8x4_d2x2_l2x2x1_c24_g2048x1536_u1_or2".
 * Fields at their defaults are left out except the leading group. */
void tiling_name(const struct tiling *t, struct strbuf *out);
/* Inverse. A name with all leading groups (b, s, d, l, c, g) is complete:
 * fields it does not state have their defaults, so name and parse are inverse.
 * A name without one of them is partial: what it does not state is TILING_AUTO. */
enum status tiling_parse(const char *name, struct tiling *out, struct diag *d);

#endif
