/* Mmad and MmadMx: operands, checks, taint, start values. */
#include "base/intmath.h"
#include "engine/mmad_job.h"
#include "isa/support.h"

static int64_t a_bytes(const struct job *j)
{
    const int64_t k1 = ceil_div(j->k, j->c0a);
    return j->gemv ? k1 * BLOCK : ((j->m1 - 1) * j->a_row + (k1 - 1) * j->a_column + 1) * FRACTAL;
}

static int64_t b_bytes(const struct job *j)
{
    return ceil_div(j->k, j->c0b) * j->n1 * FRACTAL;
}

/* ---- start values ---- */

static uint8_t *c_row(const struct job *j, int64_t row, int64_t panel)
{
    return j->cm->bytes + j->x->in->dst.byte + (panel * j->m1 * 16 + row) * PANEL * j->c_bytes;
}

static void start_values(const struct job *j)
{
    const struct mmad_params *p = &j->x->in->p.mmad;
    const uint8_t *bias = j->x->e->mem[BUF_BT].bytes;
    if (p->cmatrixInitVal == 0 && p->cmatrixSource == 0) {
        return;
    }
    for (int64_t panel = 0; panel < j->n1; panel++) {
        const size_t len = (size_t)(min_i64(PANEL, j->n - panel * PANEL) * j->c_bytes);
        for (int64_t row = 0; row < j->m; row++) {
            if (p->cmatrixInitVal != 0) {
                memset(c_row(j, row, panel), 0, len);
            } else {
                memcpy(c_row(j, row, panel), bias + p->biasAddr + panel * PANEL * j->c_bytes, len);
            }
        }
    }
}

/* ---- taint ---- */

/* Some valid element of a 32 B block (`count` of them from its start) is tainted. */
static bool block_tainted(const struct memory *m, int64_t at, enum dtype dtype, int64_t count)
{
    return !taint_clean(m, at, dtype_bytes(dtype, min_i64(count, dtype_c0(dtype))));
}

/* Taint of the scale code of each 32 k of a row (or column). */
static bool scale_tainted(const struct job *j, enum buffer buf, int64_t data_byte, bool vector, int64_t row)
{
    for (int64_t k = 0; j->scaled && k < j->k; k += 32) {
        if (!taint_clean(&j->x->e->mem[buf], job_scale(data_byte, vector, j->k, row, k), 1)) {
            return true;
        }
    }
    return false;
}

static void mark_scales(const struct job *j, uint8_t *rows, uint8_t *columns)
{
    for (int64_t r = 0; r < j->m; r++) {
        rows[r] |= (uint8_t)scale_tainted(j, BUF_L0A_MX, j->x->in->src.byte, j->gemv, r);
    }
    for (int64_t c = 0; c < j->n; c++) {
        columns[c] |= (uint8_t)scale_tainted(j, BUF_L0B_MX, j->x->in->src2.byte, false, c);
    }
}

static void mark_operands(const struct job *j, uint8_t *rows, uint8_t *columns)
{
    if (!taint_pages_clean(j->am, j->x->in->src.byte, a_bytes(j))) {
        for (int64_t r = 0; r < j->m; r++) {
            for (int64_t k = 0; k < j->k && rows[r] == 0; k += j->c0a) {
                rows[r] = block_tainted(j->am, job_a_block(j, r, k), j->a_type, j->k - k);
            }
        }
    }
    if (!taint_pages_clean(j->bm, j->x->in->src2.byte, b_bytes(j))) {
        for (int64_t c = 0; c < j->n; c++) {
            for (int64_t k = 0; k < j->k && columns[c] == 0; k += j->c0b) {
                columns[c] = block_tainted(j->bm, job_b_block(j, k, c), j->b_type, j->k - k);
            }
        }
    }
    if (j->scaled) {
        mark_scales(j, rows, columns);
    }
    const struct mmad_params *p = &j->x->in->p.mmad;
    if (p->cmatrixInitVal == 0 && p->cmatrixSource != 0) {
        for (int64_t c = 0; c < j->n; c++) {
            columns[c] |= (uint8_t)!taint_clean(&j->x->e->mem[BUF_BT], p->biasAddr + c * j->c_bytes, j->c_bytes);
        }
    }
}

/* Results are tainted where an operand's valid element was, or the start value;
 * rows and columns beyond m and n of the touched fractals are not specified. */
static void result_taint(const struct job *j)
{
    uint8_t rows[4096] = {0}, columns[4096] = {0};
    mark_operands(j, rows, columns);
    const struct mmad_params *p = &j->x->in->p.mmad;
    const bool keeps = p->cmatrixInitVal == 0 && p->cmatrixSource == 0;
    const bool any = memchr(rows, 1, (size_t)j->m) != NULL || memchr(columns, 1, (size_t)j->n) != NULL;
    const int64_t at = j->x->in->dst.byte, len = j->m1 * j->n1 * 256 * j->c_bytes;
    if (!any && j->m % 16 == 0 && j->n % 16 == 0) {
        if (!keeps) {
            taint_clear(j->cm, at, len);
        }
        return;
    }
    const int64_t words = 16 * j->c_bytes / BLOCK; /* of one row of a panel: 2 (1 for 2 B accumulators) */
    for (int64_t panel = 0; panel < j->n1; panel++) {
        uint32_t mask[2] = {0, 0}; /* columns that are tainted or outside */
        for (int64_t c = 0; c < 16; c++) {
            const int64_t column = panel * 16 + c, byte = c * j->c_bytes;
            if (column >= j->n || columns[column] != 0) {
                mask[byte / BLOCK] |= (j->c_bytes == 4 ? 15U : 3U) << byte % BLOCK;
            }
        }
        uint32_t *word = &j->cm->taint[(at + panel * j->m1 * 16 * PANEL * j->c_bytes) / BLOCK];
        for (int64_t row = 0; row < j->m1 * 16; row++, word += words) {
            const bool whole = row >= j->m || rows[row] != 0;
            for (int64_t i = 0; i < words; i++) {
                word[i] = whole ? UINT32_MAX : keeps ? word[i] | mask[i] : mask[i];
            }
        }
    }
    taint_update_pages(j->cm, at, len);
}

/* ---- the instruction ---- */

static struct job job_of(const struct exec *x)
{
    const struct insn *in = x->in;
    const struct mmad_params *p = &in->p.mmad;
    struct job j = {
        .x = x,
        .m = p->m,
        .n = p->n,
        .k = p->k,
        .a_type = (enum dtype)in->dtype,
        .b_type = p->btype == DTYPE_NONE ? (enum dtype)in->dtype : (enum dtype)p->btype,
        .m1 = ceil_div(p->m, 16),
        .n1 = ceil_div(p->n, 16),
        .am = &x->e->mem[BUF_L0A],
        .bm = &x->e->mem[BUF_L0B],
        .cm = &x->e->mem[BUF_L0C],
    };
    j.scaled = in->op == OP_MMAD_MX;
    j.half_result = p->ctype == DTYPE_HALF;
    j.c_bytes = j.half_result ? 2 : 4;
    j.integer = !dtype_info(j.a_type)->is_float;
    j.c0a = dtype_c0(j.a_type);
    j.c0b = dtype_c0(j.b_type < DTYPE_N ? j.b_type : j.a_type);
    j.gemv = p->m == 1 && !(x->e->target->arch == 3510 && p->disableGemv != 0);
    const int64_t k1 = p->kDirectionAlign != 0 && j.a_type == DTYPE_FLOAT ? 2 * ceil_div(p->k, 16)
                                                                          : ceil_div(p->k, j.c0a);
    j.a_row = x->e->target->l0a_nz ? 1 : k1;
    j.a_column = x->e->target->l0a_nz ? j.m1 : 1;
    return j;
}

static int64_t scale_bytes(int64_t rows16, bool vector, int64_t k)
{
    return vector ? ceil_div(k, 32) : rows16 * (k / 64) * BLOCK;
}

/* Scale memories and the stricter alignment of MmadMx (kernel_rules section 1). */
static enum status check_scales(const struct job *j)
{
    const struct exec *x = j->x;
    const struct insn *in = x->in;
    if (!j->scaled) {
        return STATUS_OK;
    }
    const struct addr a = {.buf = BUF_L0A_MX, .byte = in->src.byte / 16},
                      b = {.buf = BUF_L0B_MX, .byte = in->src2.byte / 16};
    const int64_t align = dtype_info(j->a_type)->bits == 8 ? 1024 : 512;
    if (in->src.byte % align != 0 || in->src2.byte % align != 0) {
        return exec_fail(x, "operands of MmadMx are aligned to %d B here", (int)align);
    }
    TRY(exec_operand(x, "left scales", &a, false));
    TRY(exec_operand(x, "right scales", &b, false));
    TRY(exec_span(x, "left scales", &a, 0, scale_bytes(j->m1, j->gemv, j->k)));
    return exec_span(x, "right scales", &b, 0, scale_bytes(j->n1, false, j->k));
}

static enum status check_job(const struct job *j)
{
    const struct exec *x = j->x;
    const struct insn *in = x->in;
    if (in->dst.buf != BUF_L0C || in->src.buf != BUF_L0A || in->src2.buf != BUF_L0B) {
        return exec_fail(x, "multiplies L0A by L0B into L0C");
    }
    if (j->m > 4095 || j->n > 4095 || j->k > 4095) {
        return exec_fail(x, "m, n and k go up to 4095");
    }
    const struct mmad_triple *t = j->b_type >= DTYPE_N ? NULL
                                                       : mmad_triple_find(PRODUCT_N, j->scaled, j->a_type, j->b_type,
                                                                          (enum dtype)in->p.mmad.ctype);
    if (t == NULL) {
        return exec_fail(x, "%s by %s is no pair of the cube", dtype_info(j->a_type)->ascend,
                         j->b_type < DTYPE_N ? dtype_info(j->b_type)->ascend : "?");
    }
    if (j->scaled && j->k % 64 != 0) {
        return exec_fail(x, "k is a multiple of 64");
    }
    TRY(exec_operand(x, "left operand", &in->src, false));
    TRY(exec_operand(x, "right operand", &in->src2, false));
    TRY(exec_operand(x, "result", &in->dst, true));
    TRY(exec_span(x, "left operand", &in->src, 0, a_bytes(j)));
    TRY(exec_span(x, "right operand", &in->src2, 0, b_bytes(j)));
    TRY(exec_span(x, "result", &in->dst, 0, j->m1 * j->n1 * 256 * j->c_bytes));
    if (in->dst.byte % BLOCK != 0) { /* whatever the target says: taint goes by blocks */
        return exec_fail(x, "the result starts on 32 B");
    }
    TRY(check_scales(j));
    const struct mmad_params *p = &in->p.mmad;
    if (p->cmatrixInitVal == 0 && p->cmatrixSource != 0) {
        const struct addr bias = {.buf = BUF_BT, .byte = p->biasAddr};
        TRY(exec_operand(x, "bias", &bias, false));
        TRY(exec_span(x, "bias", &bias, 0, j->n * j->c_bytes));
    }
    return STATUS_OK;
}

enum status exec_mmad_mx(const struct exec *x)
{
    return exec_mmad(x);
}

enum status exec_mmad(const struct exec *x)
{
    const struct job j = job_of(x);
    if (j.m == 0 || j.n == 0 || j.k == 0) {
        return STATUS_OK;
    }
    TRY(check_job(&j));
    result_taint(&j);
    start_values(&j);
    job_multiply(&j);
    x->e->counters.macs += j.m * j.n * j.k;
    return STATUS_OK;
}
