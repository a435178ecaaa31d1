/* gm.c - GM without memory: every element is a hash of (seed, tensor, row, col).
 *
 * The hash is 32-bit and free of branches so that compilers vectorise a row. */
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "numeric/fp.h"
#include "problem/problem.h"

/* What lies between the columns of a row and its pitch: NaN in every float
 * format, so a kernel that uses it shows. */
#define GAP_BYTE 0xFF

#define VALUES 7 /* -3..3 */

static inline uint32_t row_key(const struct problem *p, enum tensor tensor, int64_t row)
{
    uint32_t h = (uint32_t)p->seed ^ (uint32_t)(p->seed >> 32) * 0x9E3779B1U;
    h ^= (uint32_t)tensor * 0x85EBCA6BU + (uint32_t)row * 0xC2B2AE35U;
    h ^= h >> 16;
    h *= 0x7FEB352DU;
    return h ^ (h >> 15);
}

/* 0..6. */
static inline uint32_t element_code(uint32_t key, int64_t col)
{
    uint32_t h = key + (uint32_t)col * 0x9E3779B1U;
    h ^= h >> 16;
    h *= 0x846CA68BU;
    h ^= h >> 15;
    return ((h & 0xFFFFU) * VALUES) >> 16;
}

int32_t problem_value(const struct problem *p, enum tensor tensor, int64_t row, int64_t col)
{
    return (int32_t)element_code(row_key(p, tensor, row), col) - 3;
}

void problem_row_values(const struct problem *p, enum tensor tensor, int64_t row, int64_t col, int64_t n, float *out)
{
    const uint32_t key = row_key(p, tensor, row);
    for (int64_t i = 0; i < n; i++) {
        out[i] = (float)((int32_t)element_code(key, col + i) - 3);
    }
}

/* Encoded elements [col, col + n) of one row. */
static void fill_row(const struct problem *p, const struct operand *o, enum tensor tensor, int64_t row, int64_t col,
                     int64_t n, const uint32_t *codes, uint8_t *out)
{
    const uint32_t key = row_key(p, tensor, row);
    switch (dtype_info(o->dtype)->bits) {
    case 16:
        for (int64_t i = 0; i < n; i++) {
            const uint16_t v = (uint16_t)codes[element_code(key, col + i)];
            memcpy(out + 2 * i, &v, sizeof v);
        }
        break;
    case 32:
        for (int64_t i = 0; i < n; i++) {
            memcpy(out + 4 * i, &codes[element_code(key, col + i)], 4);
        }
        break;
    case 8:
        for (int64_t i = 0; i < n; i++) {
            out[i] = (uint8_t)codes[element_code(key, col + i)];
        }
        break;
    default: /* b4: two elements a byte, low nibble first; col and n are even or end the row */
        for (int64_t i = 0; i < n; i += 2) {
            const uint32_t hi = i + 1 < n ? codes[element_code(key, col + i + 1)] : 0;
            out[i / 2] = (uint8_t)(codes[element_code(key, col + i)] | hi << 4);
        }
        break;
    }
}

/* Whole rows of an ND operand cut at arbitrary byte bounds. */
static void read_nd(const struct problem *p, const struct operand *o, enum tensor tensor, int64_t byte, int64_t len,
                    const uint32_t *codes, uint8_t *out)
{
    const int64_t pitch = dtype_bytes(o->dtype, o->ld);
    const int64_t data = dtype_bytes(o->dtype, o->cols);
    const int64_t bits = dtype_info(o->dtype)->bits;
    while (len > 0) {
        const int64_t row = byte / pitch, at = byte % pitch;
        if (at >= data) { /* in the gap behind the row */
            const int64_t n = min_i64(len, pitch - at);
            memset(out, GAP_BYTE, (size_t)n);
            out += n, byte += n, len -= n;
            continue;
        }
        const int64_t n = min_i64(len, data - at);
        const int64_t first = at * 8 / bits; /* element that holds byte `at` */
        const int64_t lead = at - first * bits / 8;
        if (lead == 0 && (n * 8) % bits == 0) {
            fill_row(p, o, tensor, row, first, min_i64(n * 8 / bits, o->cols - first), codes, out);
        } else { /* cut inside an element */
            for (int64_t i = 0; i < n; i++) {
                uint8_t element[8];
                const int64_t e = (at + i) * 8 / bits;
                fill_row(p, o, tensor, row, e, 1, codes, element);
                out[i] = element[at + i - e * bits / 8];
            }
        }
        out += n, byte += n, len -= n;
    }
}

/* Nz: 32 B blocks, block (c1, r) at c1 * align_up(rows, 16) + r; padding is zero. */
static void read_nz(const struct problem *p, const struct operand *o, enum tensor tensor, int64_t byte, int64_t len,
                    const uint32_t *codes, uint8_t *out)
{
    const int64_t c0 = dtype_c0(o->dtype), rows = align_up(o->rows, 16), columns = ceil_div(o->cols, c0);
    while (len > 0) {
        const int64_t block = byte / 32, at = byte % 32, n = min_i64(len, 32 - at);
        const int64_t batch = block / (rows * columns), in_batch = block % (rows * columns);
        const int64_t row = in_batch % rows, col = in_batch / rows * c0;
        uint8_t whole[32] = {0};
        if (row < o->rows) {
            fill_row(p, o, tensor, batch * o->rows + row, col, min_i64(c0, o->cols - col), codes, whole);
        }
        memcpy(out, whole + at, (size_t)n);
        out += n, byte += n, len -= n;
    }
}

enum status problem_read(const struct problem *p, enum tensor tensor, int64_t byte, int64_t len, uint8_t *out)
{
    const struct operand *o = problem_operand(p, tensor);
    if (o == NULL || byte < 0 || len < 0 || byte + len > problem_tensor_bytes(p, tensor)) {
        return STATUS_INVALID;
    }
    uint32_t codes[VALUES];
    for (int i = 0; i < VALUES; i++) {
        uint8_t code[8] = {0};
        dtype_store(o->dtype, code, 0, i - 3);
        memcpy(&codes[i], code, sizeof codes[i]);
    }
    if (o->format == LAYOUT_NZ) {
        read_nz(p, o, tensor, byte, len, codes, out);
    } else {
        read_nd(p, o, tensor, byte, len, codes, out);
    }
    return STATUS_OK;
}
