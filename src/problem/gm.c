/* gm.c - GM without memory: every element is a hash of (seed, tensor, row, col).
 *
 * Here: values, their codes, and the bytes of a tensor in its layout. The hash
 * on whole runs is in gm_kernel.c. */
#include <string.h>

#include "base/intmath.h"
#include "numeric/fp.h"
#include "problem/gm_file.h"
#include "problem/gm_kernel.h"
#include "problem/input.h"
#include "problem/problem.h"

/* What lies between the columns of a row and its pitch: NaN in every float
 * format, so a kernel that uses it shows. */
#define GAP_BYTE 0xFF

/* The seven values of each dtype: -3..3 where it holds them; all products and
 * sums stay exact (problem.h). */
#define WHOLE                  \
    {                          \
        -3, -2, -1, 0, 1, 2, 3 \
    }
#define UNSIGNED            \
    {                       \
        0, 1, 2, 3, 4, 5, 6 \
    }
static const float VALUES[DTYPE_N][GM_VALUES] = {
    [DTYPE_INT4] = WHOLE,      [DTYPE_FP4_E2M1] = WHOLE,  [DTYPE_FP4_E1M2] = {-1.5F, -1, -0.5F, 0, 0.5F, 1, 1.5F},
    [DTYPE_INT8] = WHOLE,      [DTYPE_UINT8] = UNSIGNED,  [DTYPE_FP8_E4M3] = WHOLE,
    [DTYPE_FP8_E5M2] = WHOLE,  [DTYPE_HIF8] = WHOLE,      [DTYPE_E8M0] = {0.5F, 0.5F, 1, 1, 1, 2, 2},
    [DTYPE_HALF] = WHOLE,      [DTYPE_BF16] = WHOLE,      [DTYPE_INT16] = WHOLE,
    [DTYPE_UINT16] = UNSIGNED, [DTYPE_FLOAT] = WHOLE,     [DTYPE_INT32] = WHOLE,
    [DTYPE_UINT32] = UNSIGNED, [DTYPE_UINT64] = UNSIGNED,
};

/* Their codes as dtype_store() makes them; a test holds them to it. A table,
 * because the engine reads GM in bursts of a few dozen bytes, too short to
 * encode seven values each time. */
static const union gm_codes CODES[DTYPE_N] = {
    [DTYPE_INT4] = {.u8 = {13, 14, 15, 0, 1, 2, 3}},
    [DTYPE_FP4_E2M1] = {.u8 = {13, 12, 10, 0, 2, 4, 5}},
    [DTYPE_FP4_E1M2] = {.u8 = {14, 12, 10, 0, 2, 4, 6}},
    [DTYPE_INT8] = {.u8 = {0xFD, 0xFE, 0xFF, 0, 1, 2, 3}},
    [DTYPE_UINT8] = {.u8 = {0, 1, 2, 3, 4, 5, 6}},
    [DTYPE_FP8_E4M3] = {.u8 = {0xC4, 0xC0, 0xB8, 0, 0x38, 0x40, 0x44}},
    [DTYPE_FP8_E5M2] = {.u8 = {0xC2, 0xC0, 0xBC, 0, 0x3C, 0x40, 0x42}},
    [DTYPE_HIF8] = {.u8 = {0x94, 0x90, 0x88, 0, 0x08, 0x10, 0x14}},
    [DTYPE_E8M0] = {.u8 = {126, 126, 127, 127, 127, 128, 128}},
    [DTYPE_HALF] = {.u16 = {0xC200, 0xC000, 0xBC00, 0, 0x3C00, 0x4000, 0x4200}},
    [DTYPE_BF16] = {.u16 = {0xC040, 0xC000, 0xBF80, 0, 0x3F80, 0x4000, 0x4040}},
    [DTYPE_INT16] = {.u16 = {0xFFFD, 0xFFFE, 0xFFFF, 0, 1, 2, 3}},
    [DTYPE_UINT16] = {.u16 = {0, 1, 2, 3, 4, 5, 6}},
    [DTYPE_FLOAT] = {.u32 = {0xC0400000, 0xC0000000, 0xBF800000, 0, 0x3F800000, 0x40000000, 0x40400000}},
    [DTYPE_INT32] = {.u32 = {0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF, 0, 1, 2, 3}},
    [DTYPE_UINT32] = {.u32 = {0, 1, 2, 3, 4, 5, 6}},
    [DTYPE_UINT64] = {.u32 = {0, 1, 2, 3, 4, 5, 6}},
};

/* Lower halves of the quant row's words: factors 1/16, 1/8, 1/4, 1/2, 3/4, 1, 2. */
static const union gm_codes FACTORS = {
    .u32 = {0x3D800000, 0x3E000000, 0x3E800000, 0x3F000000, 0x3F400000, 0x3F800000, 0x40000000}};

static inline struct gm_salt salt_of(const struct problem *p, enum tensor tensor)
{
    return (struct gm_salt){.seed = (uint32_t)p->seed ^ (uint32_t)(p->seed >> 32) * 0x9E3779B1U,
                            .tensor = (uint32_t)tensor * 0x85EBCA6BU};
}

/* Which of its dtype's seven values an element has. */
static uint32_t code_at(const struct problem *p, enum tensor tensor, int64_t row, int64_t col)
{
    return gm_element_code(gm_row_key(salt_of(p, tensor), (uint32_t)row), (uint32_t)col);
}

static const float *values_of(const struct problem *p, enum tensor tensor)
{
    const struct operand *o = problem_operand(p, tensor);
    return VALUES[o == NULL ? DTYPE_FLOAT : o->dtype];
}

/* The same as table of a kernel that writes floats. */
static union gm_codes float_codes(const struct problem *p, enum tensor tensor)
{
    union gm_codes codes = {.u32 = {0}};
    memcpy(codes.u32, values_of(p, tensor), sizeof VALUES[0]);
    return codes;
}

float problem_value(const struct problem *p, enum tensor tensor, int64_t row, int64_t col)
{
    const struct operand *o = problem_operand(p, tensor);
    if (o != NULL && (o->input != NULL || o->data != NULL)) {
        float value;
        problem_row_values(p, tensor, row, col, 1, &value);
        return value;
    }
    return values_of(p, tensor)[code_at(p, tensor, row, col)];
}

float problem_scale(const struct problem *p, enum tensor tensor, int64_t batch, int64_t mn, int64_t code)
{
    const struct operand *o = problem_operand(p, tensor);
    const int64_t row0 = problem_matrix(p, tensor, batch) * o->rows;
    return o->transpose ? problem_value(p, tensor, row0 + code / 2, 2 * mn + code % 2)
                        : problem_value(p, tensor, row0 + mn, code);
}

/* --- scale words ----------------------------------------------------------- */

/* Bit 46 of a scale word says that an 8-bit result is signed. */
static uint32_t scale_word_high(const struct problem *p)
{
    return p->c.dtype == DTYPE_INT8 ? 1U << (46 - 32) : 0;
}

uint64_t problem_scale_word(const struct problem *p)
{
    /* The factor has 10 bits of mantissa. */
    const uint32_t factor = float_bits((float)(p->deq_scale == 0 ? 1.0 : p->deq_scale)) & 0xFFFFE000U;
    return (uint64_t)scale_word_high(p) << 32 | factor;
}

uint64_t problem_quant_word(const struct problem *p, int64_t row, int64_t col)
{
    return (uint64_t)scale_word_high(p) << 32 | FACTORS.u32[code_at(p, TENSOR_QUANT, row, col)];
}

/* --- runs of values -------------------------------------------------------- */

void gm_row_values(enum gm_isa isa, const struct problem *p, enum tensor tensor, int64_t row, int64_t col, int64_t n,
                   float *out)
{
    const struct operand *o = problem_operand(p, tensor);
    if (o != NULL && o->data != NULL) {
        gm_file_values(o, row, col, 0, 1, n, out);
        return;
    }
    if (o != NULL && o->input != NULL) {
        gm_input_values(isa, p, tensor, row, col, false, n, out);
        return;
    }
    const union gm_codes codes = float_codes(p, tensor);
    const struct gm_run run = {gm_row_key(salt_of(p, tensor), (uint32_t)row), (uint32_t)col, n, &codes};
    gm_run_row(isa, 32, &run, (uint8_t *)out);
}

void gm_column_values(enum gm_isa isa, const struct problem *p, enum tensor tensor, int64_t row, int64_t col, int64_t n,
                      float *out)
{
    const struct operand *o = problem_operand(p, tensor);
    if (o != NULL && o->data != NULL) {
        gm_file_values(o, row, col, 1, 0, n, out);
        return;
    }
    if (o != NULL && o->input != NULL) {
        gm_input_values(isa, p, tensor, row, col, true, n, out);
        return;
    }
    const union gm_codes codes = float_codes(p, tensor);
    const struct gm_run run = {.col = (uint32_t)col, .n = n, .codes = &codes};
    gm_run_column(isa, salt_of(p, tensor), (uint32_t)row, &run, (uint8_t *)out);
}

void problem_row_values(const struct problem *p, enum tensor tensor, int64_t row, int64_t col, int64_t n, float *out)
{
    gm_row_values(gm_isa_best(), p, tensor, row, col, n, out);
}

/* What a read needs to know of its tensor. */
struct reader {
    enum gm_isa isa;
    int bits;
    const struct problem *p;
    enum tensor tensor;
    struct gm_salt salt;
    const struct operand *o;
    const union gm_codes *codes;
    uint32_t high; /* upper half of every b64 element */
};

/* Encoded elements [col, col + n) of one row; b4: col is even, n is or ends the row. */
static void fill_row(const struct reader *r, int64_t row, int64_t col, int64_t n, uint8_t *out)
{
    if (r->o->input != NULL) {
        gm_input_codes(r->isa, r->p, r->tensor, row, col, n, out);
    } else {
        const struct gm_run run = {gm_row_key(r->salt, (uint32_t)row), (uint32_t)col, n, r->codes};
        gm_run_row(r->isa, r->bits, &run, out);
    }
    if (r->bits == 4 && n % 2 != 0) {
        out[n / 2] &= 15; /* no element in the last high nibble */
    }
    for (int64_t i = 0; r->high != 0 && i < n; i++) {
        memcpy(out + 8 * i + 4, &r->high, sizeof r->high);
    }
}

/* Bytes that begin or end inside an element of their row. */
static void fill_cut(const struct reader *r, int64_t row, int64_t at, int64_t n, uint8_t *out)
{
    for (int64_t i = at; i < at + n; i++) {
        uint8_t element[8];
        const int64_t e = i * 8 / r->bits;
        fill_row(r, row, e, 1, element);
        out[i - at] = element[i - e * r->bits / 8];
    }
}

/* Rows of an ND operand cut at arbitrary byte bounds. */
static void read_nd(const struct reader *r, int64_t byte, int64_t len, uint8_t *out)
{
    const struct operand *o = r->o;
    const int64_t pitch = (o->ld * r->bits + 7) / 8, data = (o->cols * r->bits + 7) / 8;
    int64_t row = byte / pitch, at = byte % pitch;
    while (len > 0) {
        int64_t n;
        if (at >= data) { /* in the gap behind the row */
            n = min_i64(len, pitch - at);
            memset(out, GAP_BYTE, (size_t)n);
        } else {
            n = min_i64(len, data - at);
            if (at * 8 % r->bits == 0 && n * 8 % r->bits == 0) {
                const int64_t first = at * 8 / r->bits;
                fill_row(r, row, first, min_i64(n * 8 / r->bits, o->cols - first), out);
            } else {
                fill_cut(r, row, at, n, out);
            }
        }
        out += n, len -= n, at += n;
        if (at == pitch) {
            row++, at = 0;
        }
    }
}

/* Real elements of block column c1: the last one of a matrix ends with its
 * columns, and of a filter's K, which runs over (c1, kh, kw, c0), with its channels. */
static int64_t block_elements(const struct problem *p, enum tensor tensor, int64_t c1)
{
    const struct operand *o = problem_operand(p, tensor);
    const int64_t c0 = dtype_c0(o->dtype);
    if (o->format == LAYOUT_FRACTAL_Z) {
        return min_i64(c0, p->a.cols - c1 / (p->conv.kh * p->conv.kw) * c0);
    }
    return min_i64(c0, o->cols - c1 * c0);
}

/* 32 B blocks, block (c1, row) at c1 * rows + row (problem_nz_rows); padding is zero. */
static void read_blocks(const struct problem *p, enum tensor tensor, const struct reader *r, int64_t byte, int64_t len,
                        uint8_t *out)
{
    const struct operand *o = r->o;
    const int64_t c0 = dtype_c0(o->dtype), rows = problem_nz_rows(p, tensor), columns = ceil_div(o->cols, c0);
    int64_t block = byte / 32, at = byte % 32;
    int64_t row = block % rows, c1 = block / rows % columns, matrix = block / rows / columns;
    while (len > 0) {
        const int64_t n = min_i64(len, 32 - at);
        uint8_t whole[32] = {0};
        if (row < o->rows) {
            fill_row(r, matrix * o->rows + row, c1 * c0, block_elements(p, tensor, c1), whole);
        }
        memcpy(out, whole + at, (size_t)n);
        out += n, len -= n, at = 0;
        if (++row == rows) {
            row = 0;
            if (++c1 == columns) {
                c1 = 0, matrix++;
            }
        }
    }
}

enum status gm_read(enum gm_isa isa, const struct problem *p, enum tensor tensor, int64_t byte, int64_t len,
                    uint8_t *out)
{
    const struct operand *o = problem_operand(p, tensor);
    if (o == NULL || byte < 0 || len < 0 || byte + len > problem_tensor_bytes(p, tensor)) {
        return STATUS_INVALID;
    }
    if (o->data != NULL) {
        memcpy(out, o->data + byte, (size_t)len);
        return STATUS_OK;
    }
    struct reader r = {.isa = isa,
                       .bits = dtype_info(o->dtype)->bits,
                       .p = p,
                       .tensor = tensor,
                       .salt = salt_of(p, tensor),
                       .o = o,
                       .codes = &CODES[o->dtype]};
    if (tensor == TENSOR_QUANT) {
        r.codes = &FACTORS;
        r.high = scale_word_high(p);
    }
    if (o->format != LAYOUT_ND) {
        read_blocks(p, tensor, &r, byte, len, out);
    } else {
        read_nd(&r, byte, len, out);
    }
    return STATUS_OK;
}

enum status problem_read(const struct problem *p, enum tensor tensor, int64_t byte, int64_t len, uint8_t *out)
{
    return gm_read(gm_isa_best(), p, tensor, byte, len, out);
}
