/* gm_kernel.h - the element function on runs of elements, as wide as the
 * processor allows.
 *
 * Every width computes the same hash and so the same bytes. problem.h calls the
 * widest; the functions that take a width are here for tests and for callers
 * which already chose one. */
#ifndef PROBLEM_GM_KERNEL_H
#define PROBLEM_GM_KERNEL_H

#include "problem/problem.h"

/* In ascending order: a processor that has one has all before it. */
enum gm_isa {
    GM_PLAIN = 0,
    GM_AVX2,   /* with fma */
    GM_AVX512, /* f and bw */
    GM_ISA_N
};

enum gm_isa gm_isa_best(void);
const char *gm_isa_name(enum gm_isa isa);

/* problem_row_values and problem_read at a given width, <= gm_isa_best(). */
void gm_row_values(enum gm_isa isa, const struct problem *p, enum tensor tensor, int64_t row, int64_t col, int64_t n,
                   float *out);
enum status gm_read(enum gm_isa isa, const struct problem *p, enum tensor tensor, int64_t byte, int64_t len,
                    uint8_t *out);
/* `n` consecutive values of one memory column: (row, col), (row + 1, col), .. A
 * transposed panel costs no transposition this way. */
void gm_column_values(enum gm_isa isa, const struct problem *p, enum tensor tensor, int64_t row, int64_t col, int64_t n,
                      float *out);

/* --- between gm.c and gm_kernel.c ----------------------------------------- */

enum {
    GM_VALUES = 7 /* of each dtype */
};

/* What an element's hash depends on besides its row and column. */
struct gm_salt {
    uint32_t seed, tensor;
};

static inline uint32_t gm_row_key(struct gm_salt salt, uint32_t row)
{
    uint32_t h = salt.seed ^ (salt.tensor + row * 0xC2B2AE35U);
    h ^= h >> 16;
    h *= 0x7FEB352DU;
    return h ^ (h >> 15);
}

#define GM_COLUMN_STEP 0x9E3779B1U

/* 0..6 */
static inline uint32_t gm_element_code(uint32_t key, uint32_t col)
{
    uint32_t h = key + col * GM_COLUMN_STEP;
    h ^= h >> 16;
    h *= 0x846CA68BU;
    h ^= h >> 15;
    return ((h & 0xFFFFU) * GM_VALUES) >> 16;
}

/* The encoded values of one dtype, in the member of its width (b4: u8,
 * b64: u32, the upper words being zero). Padded to a vector. */
union gm_codes {
    uint8_t u8[32];
    uint16_t u16[16];
    uint32_t u32[8];
};

/* A run of one row: writes ceil(n * bits / 8) bytes. b4: two elements a byte,
 * low nibble first; the last high nibble of an odd n is undefined. */
struct gm_run {
    uint32_t key, col; /* gm_row_key of the row; first column */
    int64_t n;
    const union gm_codes *codes;
};

void gm_run_row(enum gm_isa isa, int bits, const struct gm_run *run, uint8_t *out);
/* A run of one column, as 32-bit codes. */
void gm_run_column(enum gm_isa isa, struct gm_salt salt, uint32_t row, const struct gm_run *run, uint8_t *out);

#endif
