#include "numeric/dtype.h"

#include <string.h>

static const struct dtype_info table[DTYPE_N] = {
    [DTYPE_NONE] = {"none", "none", 8, false, false},
    [DTYPE_INT4] = {"int4", "int4b_t", 4, false, true},
    [DTYPE_FP4_E2M1] = {"fp4_e2m1", "fp4x2_e2m1_t", 4, true, true},
    [DTYPE_FP4_E1M2] = {"fp4_e1m2", "fp4x2_e1m2_t", 4, true, true},
    [DTYPE_INT8] = {"int8", "int8_t", 8, false, true},
    [DTYPE_UINT8] = {"uint8", "uint8_t", 8, false, false},
    [DTYPE_FP8_E4M3] = {"fp8_e4m3", "fp8_e4m3fn_t", 8, true, true},
    [DTYPE_FP8_E5M2] = {"fp8_e5m2", "fp8_e5m2_t", 8, true, true},
    [DTYPE_HIF8] = {"hif8", "hifloat8_t", 8, true, true},
    [DTYPE_E8M0] = {"e8m0", "fp8_e8m0_t", 8, true, false},
    [DTYPE_HALF] = {"half", "half", 16, true, true},
    [DTYPE_BF16] = {"bf16", "bfloat16_t", 16, true, true},
    [DTYPE_INT16] = {"int16", "int16_t", 16, false, true},
    [DTYPE_UINT16] = {"uint16", "uint16_t", 16, false, false},
    [DTYPE_FLOAT] = {"float", "float", 32, true, true},
    [DTYPE_INT32] = {"int32", "int32_t", 32, false, true},
    [DTYPE_UINT32] = {"uint32", "uint32_t", 32, false, false},
    [DTYPE_UINT64] = {"uint64", "uint64_t", 64, false, false},
};

const struct dtype_info *dtype_info(enum dtype dtype)
{
    return &table[dtype];
}

enum dtype dtype_from_name(const char *name)
{
    for (int i = DTYPE_NONE + 1; i < DTYPE_N; i++) {
        if (strcmp(name, table[i].name) == 0 || strcmp(name, table[i].ascend) == 0) {
            return (enum dtype)i;
        }
    }
    return DTYPE_NONE;
}

int64_t dtype_bytes(enum dtype dtype, int64_t n)
{
    const int64_t bits = table[dtype].bits;
    return bits == 4 ? n / 2 + n % 2 : n * (bits / 8);
}

int64_t dtype_c0(enum dtype dtype)
{
    return 256 / table[dtype].bits;
}
