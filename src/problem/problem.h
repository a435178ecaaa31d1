/* problem.h - what is to be computed: a matmul or a conv, its operands in GM.
 *
 * A matmul is C[M,N] = op(A)[M,K] * op(B)[K,N]; `transpose` says how the
 * operand lies in memory: A plain is [M,K], A transposed [K,M]; B plain is
 * [K,N], B transposed [N,K]. A conv is seen as the matmul of its im2col view
 * (conv.h): one of M output points by N output channels for each image and
 * group, which are its batches. Groups of a matmul share N and K and lie one
 * after the other along M ("M-grouped contiguous"): A and C are one matrix each,
 * and every group has a B, bias and quant row of its own.
 * GM is virtual: element (i, j) of an operand is a pure function of
 * (seed, i, j), so any window exists without storing the rest. By default these
 * are small integers; a user's numbers, quantised, are in input.h. */
#ifndef PROBLEM_PROBLEM_H
#define PROBLEM_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "isa/insn.h"
#include "numeric/dtype.h"

enum problem_op { PROBLEM_MATMUL = 0, PROBLEM_CONV };

enum layout { LAYOUT_ND = 0, LAYOUT_NZ, LAYOUT_NC1HWC0, LAYOUT_FRACTAL_Z, LAYOUT_N };

struct input;

struct operand {
    enum dtype dtype; /* DTYPE_NONE: the operand does not exist (bias) */
    bool mx;          /* microscaling: e8m0 scale per 32 k */
    enum layout format;
    bool transpose;
    int64_t rows, cols;  /* as it lies in memory (ND): rows x cols, cols contiguous */
    int64_t ld;          /* row pitch in elements, >= cols; ND only */
    int64_t align;       /* base alignment in GM, bytes; default 512 */
    const char *file;    /* raw file with the data, NULL: virtual */
    const uint8_t *data; /* its bytes, problem_tensor_bytes() of them; borrowed */
    struct input *input; /* unquantised source of A or B (input.h), also beside their scales; NULL: none. Shared */
};

struct conv_shape { /* elements; only for PROBLEM_CONV */
    int64_t n, c, h, w, cout, kh, kw, groups;
    int32_t stride_h, stride_w, dilation_h, dilation_w;
    int32_t pad_top, pad_bottom, pad_left, pad_right;
};

struct problem {
    const char *name; /* "matmul 2048x2048x2048 half" or the user's */
    enum problem_op op;
    int64_t M, N, K; /* of one batch element; M: of all groups */
    int64_t batch;
    int64_t groups;           /* of a matmul; not with batch > 1 */
    const int64_t *group_end; /* row of C where each group ends, ascending, the last at M; borrowed; NULL: one group */
    struct operand a, b, c, bias, scale_a, scale_b;
    struct operand quant; /* one uint64 scale word per column of C; none: no quant row */
    double deq_scale;     /* factor of the modes that take one scale for all of C; 0: 1 */
    bool hif8_hybrid;     /* C of hif8 in hybrid rounding */
    bool relu;            /* Fixpipe clears negative results */
    bool hf32;            /* float operands are multiplied as HF32 */
    struct conv_shape conv;
    uint64_t seed;
    bool error_only; /* inputs are for the error of C alone; what is verified are the small integers */
};

/* Fills rows, cols, ld, align where 0 and checks sizes (each dimension in
 * 1..2^31-1, ld >= cols, byte sizes within int64). A conv's M, N, K, batch and
 * layouts are set from its shape first.
 * @return STATUS_INVALID with messages that name the dimension and rule. */
enum status problem_finish(struct problem *p, const struct location *at, struct diag *d);

/* Dtype of C where none is stated: what Fixpipe usually stores for a left dtype. */
enum dtype problem_default_result(enum dtype left);

/* The operand stored in a GM tensor; NULL if there is none. */
const struct operand *problem_operand(const struct problem *p, enum tensor tensor);

/* Bytes of one tensor as it lies in GM: all batches, one after the other. */
int64_t problem_tensor_bytes(const struct problem *p, enum tensor tensor);

/* Row pitch in bytes of an ND operand. */
int64_t problem_pitch_bytes(const struct problem *p, enum tensor tensor);

/* Rows of a group: where they begin, how many (0: it has no work); of the
 * largest group; blocks of `base` rows, none of which crosses a group's end. */
int64_t problem_group_first(const struct problem *p, int64_t group);
int64_t problem_group_rows(const struct problem *p, int64_t group);
bool problem_groups_equal(const struct problem *p); /* all have as many */
int64_t problem_most_rows(const struct problem *p);
int64_t problem_blocks_m(const struct problem *p, int64_t base);

/* Multiply-accumulates and floating point operations (2 per MAC), all batches. */
int64_t problem_macs(const struct problem *p);

/* The same sums over the same data, whatever the names. */
bool problem_equal(const struct problem *a, const struct problem *b);

/* Bytes any kernel must move between GM and the cores: each operand once. */
int64_t problem_compulsory_bytes(const struct problem *p);

/* The element function. With inputs or a file: theirs. Else, for (row, col) as
 * it lies in memory (rows of batch b start at b * operand rows), one of seven small values of the dtype,
 * -3..3 where it holds them (uint8: 0..6; fp4_e1m2: -1.5..1.5 in halves), so
 * that every partial sum of up to 100,000 products is exact in float and in
 * int32 whatever the order. MX scales are 1/2, 1 or 2. */
float problem_value(const struct problem *p, enum tensor tensor, int64_t row, int64_t col);

/* `n` consecutive values of one memory row, as float; not of the quant row. */
void problem_row_values(const struct problem *p, enum tensor tensor, int64_t row, int64_t col, int64_t n, float *out);

/* GM bytes [byte, byte + len) of a tensor in its dtype and layout; the gap
 * between cols and ld holds a NaN-like poison pattern. Offsets in range. */
enum status problem_read(const struct problem *p, enum tensor tensor, int64_t byte, int64_t len, uint8_t *out);

/* Tensors that are not ND lie in columns of blocks of a few elements: block
 * (c1, row) of a batch at c1 * problem_nz_rows() + row. */
/* Elements of a block: C0; 16 for int32 results, which Fixpipe writes in
 * fractals of 16 x 16. */
int64_t problem_nz_width(const struct problem *p, enum tensor tensor);
/* Blocks of a column: Nz and FRACTAL_Z round rows up to 16, NC1HWC0 has a block
 * for each point of the map. */
int64_t problem_nz_rows(const struct problem *p, enum tensor tensor);

/* Which matrix of a tensor batch `batch` of the problem uses: its own, or, for
 * what a conv's images share (filters, bias, quant words), its group's. A conv's
 * ND result is one tensor of all groups: see conv.h. Of a grouped matmul `batch`
 * is the group, and A, its scales and C are one matrix of all groups. */
int64_t problem_matrix(const struct problem *p, enum tensor tensor, int64_t batch);
/* Matrices of a tensor that lie one after the other. */
int64_t problem_matrices(const struct problem *p, enum tensor tensor);

/* MX scale of row m of A (column n of B) for the 32 k of `code`: 2^e. */
float problem_scale(const struct problem *p, enum tensor tensor, int64_t batch, int64_t mn, int64_t code);

/* Scale words of Fixpipe (kernel_rules 7): the one for all of C, and that of a
 * column of the quant row (`row`: batch). */
uint64_t problem_scale_word(const struct problem *p);
uint64_t problem_quant_word(const struct problem *p, int64_t row, int64_t col);

const char *layout_name(enum layout layout);    /* "ND", "NZ", ... */
enum layout layout_from_name(const char *name); /* LAYOUT_N if unknown */

#endif
