/* problem.c - sizes and derived facts of a problem. The element function and
 * the bytes of GM are in gm.c. */
#include "problem/problem.h"

#include <inttypes.h>
#include <string.h>

#include "base/intmath.h"
#include "base/limits.h"
#include "problem/conv.h"

/* One base alignment fits every copy instruction; a malloc of the runtime gives it. */
#define GM_BASE_ALIGN 512

static const char *const LAYOUT_NAMES[LAYOUT_N] = {"ND", "NZ", "NC1HWC0", "FRACTAL_Z"};

const char *layout_name(enum layout layout)
{
    return layout < LAYOUT_N ? LAYOUT_NAMES[layout] : "?";
}

enum layout layout_from_name(const char *name)
{
    for (int i = 0; i < LAYOUT_N; i++) {
        if (strcasecmp(name, LAYOUT_NAMES[i]) == 0) {
            return (enum layout)i;
        }
    }
    return LAYOUT_N;
}

const struct operand *problem_operand(const struct problem *p, enum tensor tensor)
{
    const struct operand *const by_tensor[TENSOR_N] = {
        [TENSOR_A] = &p->a,        [TENSOR_B] = &p->b,        [TENSOR_C] = &p->c,         [TENSOR_BIAS] = &p->bias,
        [TENSOR_SA] = &p->scale_a, [TENSOR_SB] = &p->scale_b, [TENSOR_QUANT] = &p->quant,
    };
    const struct operand *o = tensor < TENSOR_N ? by_tensor[tensor] : NULL;
    return o != NULL && o->dtype != DTYPE_NONE ? o : NULL;
}

int64_t problem_pitch_bytes(const struct problem *p, enum tensor tensor)
{
    const struct operand *o = problem_operand(p, tensor);
    return o == NULL ? 0 : dtype_bytes(o->dtype, o->ld);
}

int64_t problem_nz_width(const struct problem *p, enum tensor tensor)
{
    const struct operand *o = problem_operand(p, tensor);
    const bool wide = tensor == TENSOR_C && (o->dtype == DTYPE_INT32 || o->dtype == DTYPE_UINT32);
    return wide ? 16 : dtype_c0(o->dtype);
}

int64_t problem_nz_rows(const struct problem *p, enum tensor tensor)
{
    const struct operand *o = problem_operand(p, tensor);
    return o->format == LAYOUT_NC1HWC0 ? o->rows : align_up(o->rows, 16);
}

static bool shared_by_images(enum tensor tensor)
{
    return tensor != TENSOR_A && tensor != TENSOR_C && tensor != TENSOR_WORKSPACE;
}

static bool shared_by_groups(enum tensor tensor)
{
    return tensor == TENSOR_A || tensor == TENSOR_SA || tensor == TENSOR_C || tensor == TENSOR_WORKSPACE;
}

int64_t problem_matrix(const struct problem *p, enum tensor tensor, int64_t batch)
{
    if (p->groups > 1) {
        return shared_by_groups(tensor) ? 0 : batch;
    }
    return p->op == PROBLEM_CONV && shared_by_images(tensor) ? batch % p->conv.groups : batch;
}

int64_t problem_matrices(const struct problem *p, enum tensor tensor)
{
    if (p->groups > 1) {
        return shared_by_groups(tensor) ? 1 : p->groups;
    }
    return p->op == PROBLEM_CONV && shared_by_images(tensor) ? p->conv.groups : p->batch;
}

/* Matrices lie one after the other, gaps of the pitch included. */
int64_t problem_tensor_bytes(const struct problem *p, enum tensor tensor)
{
    const struct operand *o = problem_operand(p, tensor);
    if (o == NULL) {
        return 0;
    }
    const int64_t count = problem_matrices(p, tensor);
    if (o->format != LAYOUT_ND) {
        const int64_t width = problem_nz_width(p, tensor);
        return problem_nz_rows(p, tensor) * ceil_div(o->cols, width) * dtype_bytes(o->dtype, width) * count;
    }
    if (p->op == PROBLEM_CONV && tensor == TENSOR_C) { /* NHWC: groups side by side */
        const int64_t groups = p->conv.groups;
        return problem_pitch_bytes(p, tensor) * (o->rows * (count / groups) - 1) +
               dtype_bytes(o->dtype, o->cols * groups);
    }
    /* The last row needs no gap behind it. */
    return problem_pitch_bytes(p, tensor) * (o->rows * count - 1) + dtype_bytes(o->dtype, o->cols);
}

int64_t problem_group_first(const struct problem *p, int64_t group)
{
    return group == 0 || p->groups <= 1 ? 0 : p->group_end[group - 1];
}

int64_t problem_group_rows(const struct problem *p, int64_t group)
{
    return p->groups <= 1 ? p->M : p->group_end[group] - problem_group_first(p, group);
}

bool problem_groups_equal(const struct problem *p)
{
    return problem_most_rows(p) * max_i64(1, p->groups) == p->M;
}

int64_t problem_most_rows(const struct problem *p)
{
    int64_t most = 0;
    for (int64_t g = 0; g < max_i64(1, p->groups); g++) {
        most = max_i64(most, problem_group_rows(p, g));
    }
    return most;
}

int64_t problem_blocks_m(const struct problem *p, int64_t base)
{
    int64_t blocks = 0;
    for (int64_t g = 0; g < max_i64(1, p->groups); g++) {
        blocks += ceil_div(problem_group_rows(p, g), base);
    }
    return blocks;
}

int64_t problem_macs(const struct problem *p)
{
    /* Channels that only fill up a block multiply zeros: no work. */
    const int64_t k = p->op == PROBLEM_CONV ? p->b.cols / dtype_c0(p->a.dtype) : 0;
    const int64_t real = p->op == PROBLEM_CONV ? k / conv_blocks(p) * p->a.cols : p->K;
    return p->M * p->N * real * p->batch;
}

static bool operand_equal(const struct operand *a, const struct operand *b)
{
    const bool same_file = a->file == b->file || (a->file != NULL && b->file != NULL && strcmp(a->file, b->file) == 0);
    return a->dtype == b->dtype && a->mx == b->mx && a->format == b->format && a->transpose == b->transpose &&
           a->rows == b->rows && a->cols == b->cols && a->ld == b->ld && a->align == b->align && same_file &&
           a->data == b->data && a->input == b->input;
}

bool problem_equal(const struct problem *a, const struct problem *b)
{
    static const enum tensor tensors[] = {TENSOR_A,  TENSOR_B,  TENSOR_C,    TENSOR_BIAS,
                                          TENSOR_SA, TENSOR_SB, TENSOR_QUANT};
    static const struct operand none = {.dtype = DTYPE_NONE};
    const struct conv_shape *x = &a->conv, *y = &b->conv;
    bool same = a->op == b->op && a->M == b->M && a->N == b->N && a->K == b->K && a->batch == b->batch &&
                a->groups == b->groups && a->relu == b->relu && a->hf32 == b->hf32 && a->seed == b->seed &&
                !(a->deq_scale < b->deq_scale) && !(a->deq_scale > b->deq_scale);
    for (int64_t g = 0; g < a->groups && same; g++) {
        same = problem_group_rows(a, g) == problem_group_rows(b, g);
    }
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0] && same; i++) {
        const struct operand *o = problem_operand(a, tensors[i]), *p = problem_operand(b, tensors[i]);
        same = operand_equal(o != NULL ? o : &none, p != NULL ? p : &none);
    }
    return same &&
           (a->op != PROBLEM_CONV ||
            (x->n == y->n && x->c == y->c && x->h == y->h && x->w == y->w && x->cout == y->cout && x->kh == y->kh &&
             x->kw == y->kw && x->groups == y->groups && x->stride_h == y->stride_h && x->stride_w == y->stride_w &&
             x->dilation_h == y->dilation_h && x->dilation_w == y->dilation_w && x->pad_top == y->pad_top &&
             x->pad_bottom == y->pad_bottom && x->pad_left == y->pad_left && x->pad_right == y->pad_right));
}

int64_t problem_compulsory_bytes(const struct problem *p)
{
    static const enum tensor tensors[] = {TENSOR_A,  TENSOR_B,  TENSOR_C,    TENSOR_BIAS,
                                          TENSOR_SA, TENSOR_SB, TENSOR_QUANT};
    int64_t bytes = 0;
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        const struct operand *o = problem_operand(p, tensors[i]);
        if (o != NULL) {
            bytes += dtype_bytes(o->dtype, o->rows * o->cols) * problem_matrices(p, tensors[i]);
        }
    }
    return bytes;
}

/* Sizes of one operand; rows and cols follow from the problem. */
static enum status finish_operand(struct operand *o, const char *name, int64_t rows, int64_t cols,
                                  const struct location *at, struct diag *d)
{
    if (o->dtype == DTYPE_NONE) {
        return STATUS_OK;
    }
    o->rows = rows;
    o->cols = cols;
    if (o->align == 0) {
        o->align = GM_BASE_ALIGN;
    }
    if (o->ld == 0) {
        o->ld = cols;
    }
    if (o->ld < cols) {
        diag_error(d, STATUS_INVALID, at, "%s: ld %" PRId64 " is less than its %" PRId64 " columns", name, o->ld, cols);
        diag_rule(d, "ld is the row pitch in elements as the operand lies in memory");
        return STATUS_INVALID;
    }
    int64_t elements, bits;
    if (!mul_ok(o->rows, o->ld, &elements) || !mul_ok(elements, 64, &bits)) {
        return diag_error(d, STATUS_LIMIT, at, "%s: %" PRId64 " rows of pitch %" PRId64 " exceed what 64 bits address",
                          name, rows, o->ld);
    }
    return STATUS_OK;
}

/* [rows, scaleK], or in pairs along K (transpose): [scaleK / 2, rows, 2]. */
static enum status finish_scales(struct operand *o, const char *name, int64_t rows, int64_t scale_k,
                                 const struct location *at, struct diag *d)
{
    return o->transpose ? finish_operand(o, name, scale_k / 2, 2 * rows, at, d)
                        : finish_operand(o, name, rows, scale_k, at, d);
}

/* Ends that ascend to M, as many as there are groups. */
static enum status check_groups(const struct problem *p, const struct location *at, struct diag *d)
{
    if (p->groups > (int64_t)LIMIT_GROUPS) {
        return diag_error(d, STATUS_LIMIT, at, "%" PRId64 " groups, at most %u are taken", p->groups, LIMIT_GROUPS);
    }
    if (p->batch > 1 || p->op == PROBLEM_CONV) {
        return diag_error(d, STATUS_INVALID, at, "groups of rows are of one matmul: not with a batch or a conv");
    }
    int64_t before = 0;
    for (int64_t g = 0; p->group_end != NULL && g < p->groups; g++) {
        if (p->group_end[g] < before) {
            return diag_error(d, STATUS_INVALID, at, "group %" PRId64 " ends before it begins", g);
        }
        before = p->group_end[g];
    }
    return p->group_end != NULL && before == p->M
               ? STATUS_OK
               : diag_error(d, STATUS_INVALID, at, "the rows of the groups are not the M rows of C");
}

enum dtype problem_default_result(enum dtype left)
{
    switch (left) {
    case DTYPE_HALF:
    case DTYPE_BF16:
    case DTYPE_FLOAT:
        return left;
    case DTYPE_INT8:
    case DTYPE_UINT8:
    case DTYPE_INT4:
        return DTYPE_INT32;
    default:
        return DTYPE_BF16; /* fp8, fp4, hif8 */
    }
}

enum status problem_finish(struct problem *p, const struct location *at, struct diag *d)
{
    if (p->op == PROBLEM_CONV) {
        TRY(conv_view(p, at, d));
    }
    const struct {
        const char *name;
        int64_t value;
    } sizes[] = {{"M", p->M}, {"N", p->N}, {"K", p->K}};
    enum status st = STATUS_OK;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].value < 1 || sizes[i].value > INT32_MAX) {
            st = diag_error(d, STATUS_INVALID, at, "%s is %" PRId64 ", must lie in 1..2147483647", sizes[i].name,
                            sizes[i].value);
        }
    }
    TRY(st);
    if (p->batch == 0) {
        p->batch = 1;
    }
    if (p->groups == 0) {
        p->groups = 1;
    }
    if (p->groups > 1) {
        TRY(check_groups(p, at, d));
    }
    const int64_t scale_k = 2 * ceil_div(p->K, 64);
    const bool conv = p->op == PROBLEM_CONV;
    const int64_t a_rows = conv ? p->conv.h * p->conv.w : p->a.transpose ? p->K : p->M;
    const int64_t a_cols = conv ? p->conv.c / p->conv.groups : p->a.transpose ? p->M : p->K;
    /* All of them, so that one run reports what is wrong with each. */
    const enum status each[] = {
        finish_operand(&p->a, "A", a_rows, a_cols, at, d),
        finish_operand(&p->b, "B", p->b.transpose ? p->N : p->K, p->b.transpose ? p->K : p->N, at, d),
        finish_operand(&p->c, "C", p->M, p->N, at, d),
        finish_operand(&p->bias, "bias", 1, p->N, at, d),
        finish_operand(&p->quant, "quant", 1, p->N, at, d),
        finish_scales(&p->scale_a, "scale of A", p->M, scale_k, at, d),
        finish_scales(&p->scale_b, "scale of B", p->N, scale_k, at, d),
    };
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        st = st == STATUS_OK ? each[i] : st;
    }
    return st;
}
