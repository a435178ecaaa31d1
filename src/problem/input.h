/* input.h - operands as users have them: floats, before they become the dtype
 * the cube multiplies.
 *
 * Without inputs an operand is made of small integers (problem.h): right for
 * proving a program, useless for asking how much a dtype loses. With inputs its
 * elements are random numbers or a file's, and the operand is what a user's
 * quantisation makes of them.
 *
 * The source is a logical matrix, whatever the operand's transpose and layout:
 * A is [batch][M][K], B is [batch][K][N], row-major (of groups: [M][K] and
 * [group][K][N]); so two configs that differ
 * in dtype or layout multiply the same numbers. Element e of it is
 *   uniform  low + (high - low) * u, u the upper 52 bits of the e-th random word;
 *   normal   mean + std * sqrt(-2 ln u1) * sin(pi v), u1 = (upper 40 bits + 1/2) /
 *            2^40, v = (lower 24 bits + 1/2) / 2^24 - 1/2: Box and Muller's, one
 *            result a word, |z| < 7.5. ln and sin are series of + - * / in
 *            double, sqrt is IEEE's: no libm, so every machine gives these bits.
 *            Their error is below 1e-12, the result is rounded to float;
 *   file     float e of a raw file, little endian.
 * The e-th random word is rng_at(rng_at(seed, tensor), e).
 *
 * Quantisation, x being the float (encodings: numeric/fp.h; to nearest even,
 * saturating; hif8: half away from zero):
 *   half, bf16, float  x itself, rounded;
 *   mx_*               OCP Microscaling v1.0: 32 elements along K share 2^s,
 *                      s = floor(log2(max |x|)) - emax, emax the exponent of the
 *                      format's largest number (e4m3 8, e5m2 15, e2m1 2, e1m2 0),
 *                      clamped to e8m0's -127..127; elements are x / 2^s. A block
 *                      of zeros, and codes that only fill up a row, have scale 1;
 *   fp8, int8, uint8, int4, fp4 without scales, hif8: one factor for the tensor,
 *                      s = max |x| / top in float; elements are x / s in float.
 *                      top is the format's largest number (e4m3 448, e5m2 57344,
 *                      int8 127, int4 7); for hif8 it is 15, the last number with
 *                      three bits of mantissa: nearer to its maximum it has one. */
#ifndef PROBLEM_INPUT_H
#define PROBLEM_INPUT_H

#include <pthread.h>
#include <stdatomic.h>

#include "problem/gm_kernel.h"

enum input_dist { INPUT_NORMAL = 0, INPUT_UNIFORM, INPUT_FILE };

struct input_spec {
    enum input_dist dist;
    double mean, std, low, high; /* of normal; of uniform */
    uint64_t seed;
    const char *file;    /* NULL unless INPUT_FILE */
    const float *values; /* its elements; borrowed */
};

/* The source of one operand. Shared by all problems and threads that use it;
 * what a whole pass must find is found once, by whoever needs it first. */
struct input {
    struct input_spec spec;
    int64_t batch, rows, cols; /* of the logical matrix */
    bool k_rows;               /* K runs over its rows (B) */
    uint64_t stream;
    int16_t *block; /* room for input_blocks() exponents, or NULL: no MX problem uses it */
    atomic_bool known;
    pthread_mutex_t lock;
    float amax; /* max |x| */
};

/* Exponent of a block of zeros. */
#define INPUT_ZERO INT16_MIN

/* `p` with its sizes; `tensor` is TENSOR_A or TENSOR_B. */
void input_init(struct input *in, const struct input_spec *spec, const struct problem *p, enum tensor tensor);
/* Elements of the source, and its blocks of 32 along K. */
int64_t input_elements(const struct input *in);
int64_t input_blocks(const struct input *in);

/* `n` elements of the source: `first`, `first` + `step`, ... */
void input_run(enum gm_isa isa, const struct input *in, int64_t first, int64_t step, int64_t n, float *out);

/* `n` unquantised values of row `mn` of op(A) (column `mn` of op(B)) from k0 on.
 * Of an operand without inputs: its values, times their scales. */
void input_exact(const struct problem *p, enum tensor tensor, int64_t batch, int64_t mn, int64_t k0, int64_t n,
                 float *out);
/* What one unit of the stored operand is worth: x ~ value * factor; 1 where
 * there is no factor for the whole tensor. */
float input_factor(const struct problem *p, enum tensor tensor);

/* max |x|, and floor(log2(max |x|)) of block `block` of row (column) `mn`. Read all elements once. */
float input_amax(struct input *in);
int input_block(struct input *in, int64_t batch, int64_t mn, int64_t block);

/* "normal mean 0 std 1 seed 1", "uniform -1..1 seed 2", "file x.bin". */
struct strbuf;
void input_text(const struct input *in, struct strbuf *out);

/* --- between gm.c and gm_input.c ------------------------------------------ */

/* `n` values, or their codes packed as in GM, of an operand that has inputs:
 * from (row, col) as it lies in memory, along the row or (`down`) the column. */
void gm_input_values(enum gm_isa isa, const struct problem *p, enum tensor tensor, int64_t row, int64_t col, bool down,
                     int64_t n, float *out);
void gm_input_codes(enum gm_isa isa, const struct problem *p, enum tensor tensor, int64_t row, int64_t col, int64_t n,
                    uint8_t *out);

#endif
