#include <string.h>

#include "base/intmath.h"
#include "engine/vec_file.h"
#include "numeric/fp.h"

/* The vector format's own generator, wraparound arithmetic. */
static uint64_t mix(uint64_t i, uint64_t seed)
{
    uint64_t x = i * 0x9E3779B97F4A7C15ULL + seed * 0xD1B54A32D192ED03ULL + 0x632BE59BD9B4E019ULL;
    x ^= x >> 32;
    x *= 0xBF58476D1CE4E5B9ULL;
    x ^= x >> 29;
    return x;
}

static uint64_t element(const struct vec_fill *fill, uint64_t e)
{
    uint64_t code = 0;
    switch (fill->kind) {
    case VEC_FILL_CYCLE:
        return fill->values[e % fill->count];
    case VEC_FILL_PICK:
        return fill->values[(mix(e, fill->seed) >> 33) % fill->count];
    case VEC_FILL_VALS: {
        const uint64_t span = (uint64_t)(fill->hi - fill->lo) + 1;
        const int64_t value = fill->lo + (int64_t)((mix(e, fill->seed) >> 33) % span);
        if (fill->dtype == DTYPE_NONE) {
            return (uint64_t)value;
        }
        dtype_store(fill->dtype, (uint8_t *)&code, 0, (double)value);
        return code;
    }
    case VEC_FILL_RULE:
        break;
    }
    return mix(e, fill->seed) >> 56;
}

void vec_fill_bytes(const struct vec_fill *fill, uint8_t *out, int64_t len)
{
    const int64_t width = fill->kind == VEC_FILL_RULE   ? 1
                          : fill->kind == VEC_FILL_VALS ? (fill->dtype == DTYPE_NONE ? 1 : dtype_bytes(fill->dtype, 1))
                                                        : fill->width;
    for (int64_t at = 0; at < len; at += width) {
        const uint64_t code = element(fill, (uint64_t)(at / width));
        memcpy(out + at, &code, (size_t)min_i64(width, len - at));
    }
}
