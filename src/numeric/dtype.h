/* dtype.h - the element types of the documents: width, fractal, names.
 *
 * C0 = elements per 32 B (b4 64, b8 32, b16 16, b32 8); a fractal is 512 B =
 * 16 rows x C0.  b4 types are packed nibbles, low nibble first. */
#ifndef NUMERIC_DTYPE_H
#define NUMERIC_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

enum dtype {
    DTYPE_NONE = 0,
    DTYPE_INT4,
    DTYPE_FP4_E2M1,
    DTYPE_FP4_E1M2,
    DTYPE_INT8,
    DTYPE_UINT8,
    DTYPE_FP8_E4M3,
    DTYPE_FP8_E5M2,
    DTYPE_HIF8,
    DTYPE_E8M0, /* MX block scale */
    DTYPE_HALF,
    DTYPE_BF16,
    DTYPE_INT16,
    DTYPE_UINT16,
    DTYPE_FLOAT,
    DTYPE_INT32,
    DTYPE_UINT32,
    DTYPE_UINT64,
    DTYPE_N
};

struct dtype_info {
    const char *name;   /* as in configs: "half", "bf16", "fp8_e4m3" */
    const char *ascend; /* as in the documents: "half", "bfloat16_t", "fp8_e4m3fn_t", "int4b_t" */
    uint8_t bits;       /* 4, 8, 16, 32, 64 */
    bool is_float;
    bool is_signed;
};

/* Row of the table; `dtype` must be < DTYPE_N. */
const struct dtype_info *dtype_info(enum dtype dtype);

/* By either name; DTYPE_NONE if unknown. */
enum dtype dtype_from_name(const char *name);

/* Bytes of `n` elements; b4 rounds up to whole bytes. */
int64_t dtype_bytes(enum dtype dtype, int64_t n);

/* Elements per 32 B. */
int64_t dtype_c0(enum dtype dtype);

#endif
