/* Mmad and MmadMx: checks, taint, and unpacking of L0A and L0B into panels. */
#include <stdlib.h>

#include "base/intmath.h"
#include "engine/exec.h"
#include "numeric/fp.h"

enum status mmad_scratch_init(struct mmad_scratch *s)
{
    s->isa = mmad_isa_best();
    s->a = aligned_alloc(64, PANEL_FLOATS * sizeof *s->a);
    s->b = aligned_alloc(64, PANEL_FLOATS * sizeof *s->b);
    if (s->a == NULL || s->b == NULL) {
        return STATUS_NO_MEMORY;
    }
    for (int i = 0; i < 256; i++) {
        s->table8[0][i] = fp8_e4m3_to_float((uint8_t)i);
        s->table8[1][i] = fp8_e5m2_to_float((uint8_t)i);
        s->table8[2][i] = hif8_to_float((uint8_t)i);
    }
    return STATUS_OK;
}

void mmad_scratch_fini(struct mmad_scratch *s)
{
    free(s->a);
    free(s->b);
    s->a = s->b = NULL;
}

/* One Mmad with its operands resolved. */
struct job {
    const struct exec *x;
    int64_t m, n, k;
    enum dtype a_type, b_type;
    bool integer;
    bool gemv;               /* L0A is a plain vector */
    int64_t m1, n1;          /* fractals along m and n */
    int64_t a_row, a_column; /* L0A: fractal (m1, k1) at m1 * a_row + k1 * a_column */
    int64_t c0a, c0b;
    const struct memory *am, *bm;
    struct memory *cm;
};

/* ---- operand addressing: 32 B blocks ---- */

/* Byte in L0A of the block that holds (row, k .. k + C0). */
static int64_t a_block(const struct job *j, int64_t row, int64_t k)
{
    const int64_t base = j->x->in->src.byte;
    if (j->gemv) {
        return base + k / j->c0a * BLOCK;
    }
    return base + (row / 16 * j->a_row + k / j->c0a * j->a_column) * FRACTAL + row % 16 * BLOCK;
}

/* Byte in L0B (Zn) of the block that holds (k .. k + C0, column). */
static int64_t b_block(const struct job *j, int64_t k, int64_t column)
{
    return j->x->in->src2.byte + (k / j->c0b * j->n1 + column / 16) * FRACTAL + column % 16 * BLOCK;
}

static int64_t a_bytes(const struct job *j)
{
    const int64_t k1 = ceil_div(j->k, j->c0a);
    return j->gemv ? k1 * BLOCK : ((j->m1 - 1) * j->a_row + (k1 - 1) * j->a_column + 1) * FRACTAL;
}

static int64_t b_bytes(const struct job *j)
{
    return ceil_div(j->k, j->c0b) * j->n1 * FRACTAL;
}

/* ---- unpacking ---- */

static void unpack_block(const struct mmad_scratch *s, enum dtype dtype, const uint8_t *block, float *out)
{
    const int64_t count = dtype_c0(dtype);
    switch (dtype) {
    case DTYPE_HALF: mmad_unpack_half(s->isa, block, count, out); return;
    case DTYPE_FLOAT: memcpy(out, block, BLOCK); return;
    case DTYPE_FP8_E4M3:
    case DTYPE_FP8_E5M2:
    case DTYPE_HIF8: {
        const float *table = s->table8[dtype == DTYPE_FP8_E4M3 ? 0 : dtype == DTYPE_FP8_E5M2 ? 1 : 2];
        for (int64_t i = 0; i < count; i++) {
            out[i] = table[block[i]];
        }
        return;
    }
    default:
        for (int64_t i = 0; i < count; i++) {
            out[i] = (float)dtype_load(dtype, block, i);
        }
        return;
    }
}

/* a[row * lda + k]; returns lda, k rounded up to whole blocks. */
static int64_t unpack_a(const struct job *j, float *a)
{
    const struct mmad_scratch *s = &j->x->e->mmad;
    const int64_t lda = align_up(j->k, j->c0a);
    for (int64_t row = 0; row < j->m; row++) {
        for (int64_t k = 0; k < j->k; k += j->c0a) {
            unpack_block(s, j->a_type, j->am->bytes + a_block(j, row, k), a + row * lda + k);
        }
    }
    return lda;
}

/* Panels b[p * pitch + k * 16 + c]; returns the pitch. Columns beyond n become 0. */
static int64_t unpack_b(const struct job *j, float *b)
{
    const struct mmad_scratch *s = &j->x->e->mmad;
    const int64_t c0 = j->c0b, pitch = align_up(j->k, c0 < 16 ? 16 : c0) * PANEL;
    float rows[16 * 64];
    for (int64_t p = 0; p < j->n1; p++) {
        const int64_t columns = min_i64(16, j->n - p * 16);
        for (int64_t k = 0; k < j->k; k += c0) {
            const uint8_t *fractal = j->bm->bytes + b_block(j, k, p * 16);
            for (int64_t c = 0; c < columns; c++) {
                unpack_block(s, j->b_type, fractal + c * BLOCK, rows + c * c0);
            }
            memset(rows + columns * c0, 0, (size_t)((16 - columns) * c0) * sizeof *rows);
            float *out = b + p * pitch + k * PANEL;
            if (c0 < 16) {
                for (int64_t i = 0; i < c0 * 16; i++) {
                    out[i] = rows[i % 16 * c0 + i / 16];
                }
                continue;
            }
            for (int64_t i = 0; i < c0; i += 16) {
                mmad_transpose16(s->isa, rows + i, c0, out + i * PANEL);
            }
        }
    }
    return pitch;
}

static void unpack_int_block(enum dtype dtype, const uint8_t *block, int16_t *out)
{
    const int64_t count = dtype_c0(dtype);
    for (int64_t i = 0; i < count; i++) {
        switch (dtype) {
        case DTYPE_INT8: out[i] = (int8_t)block[i]; break;
        case DTYPE_UINT8: out[i] = block[i]; break;
        default: out[i] = (int16_t)((int)((unsigned)(block[i / 2] >> (i % 2 * 4) & 15) ^ 8U) - 8); break;
        }
    }
}

static int64_t unpack_int_a(const struct job *j, int16_t *a)
{
    const int64_t lda = align_up(j->k, j->c0a);
    for (int64_t row = 0; row < j->m; row++) {
        for (int64_t k = 0; k < j->k; k += j->c0a) {
            unpack_int_block(j->a_type, j->am->bytes + a_block(j, row, k), a + row * lda + k);
        }
        for (int64_t k = j->k; k < lda; k++) {
            a[row * lda + k] = 0; /* an odd k takes part as a pair */
        }
    }
    return lda;
}

static int64_t unpack_int_b(const struct job *j, int16_t *b)
{
    const int64_t c0 = j->c0b, pitch = align_up(j->k, c0) * PANEL;
    int16_t row[64];
    for (int64_t p = 0; p < j->n1; p++) {
        for (int64_t k = 0; k < j->k; k += c0) {
            int16_t *out = b + p * pitch + k * PANEL;
            for (int64_t c = 0; c < 16; c++) {
                unpack_int_block(j->b_type, j->bm->bytes + b_block(j, k, p * 16 + c), row);
                for (int64_t i = 0; i < c0; i++) {
                    out[i / 2 * 32 + c * 2 + i % 2] = row[i];
                }
            }
        }
    }
    return pitch;
}

/* ---- start values ---- */

static uint8_t *c_row(const struct job *j, int64_t row, int64_t panel)
{
    return j->cm->bytes + j->x->in->dst.byte + (panel * j->m1 * 16 + row) * PANEL * 4;
}

static void start_values(const struct job *j)
{
    const struct mmad_params *p = &j->x->in->p.mmad;
    const uint8_t *bias = j->x->e->mem[BUF_BT].bytes;
    if (p->cmatrixInitVal == 0 && p->cmatrixSource == 0) {
        return;
    }
    for (int64_t panel = 0; panel < j->n1; panel++) {
        const size_t len = (size_t)min_i64(PANEL, j->n - panel * PANEL) * 4;
        for (int64_t row = 0; row < j->m; row++) {
            if (p->cmatrixInitVal != 0) {
                memset(c_row(j, row, panel), 0, len);
            } else {
                memcpy(c_row(j, row, panel), bias + p->biasAddr + panel * PANEL * 4, len);
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

static void mark_operands(const struct job *j, uint8_t *rows, uint8_t *columns)
{
    if (!taint_pages_clean(j->am, j->x->in->src.byte, a_bytes(j))) {
        for (int64_t r = 0; r < j->m; r++) {
            for (int64_t k = 0; k < j->k && rows[r] == 0; k += j->c0a) {
                rows[r] = block_tainted(j->am, a_block(j, r, k), j->a_type, j->k - k);
            }
        }
    }
    if (!taint_pages_clean(j->bm, j->x->in->src2.byte, b_bytes(j))) {
        for (int64_t c = 0; c < j->n; c++) {
            for (int64_t k = 0; k < j->k && columns[c] == 0; k += j->c0b) {
                columns[c] = block_tainted(j->bm, b_block(j, k, c), j->b_type, j->k - k);
            }
        }
    }
    const struct mmad_params *p = &j->x->in->p.mmad;
    if (p->cmatrixInitVal == 0 && p->cmatrixSource != 0) {
        for (int64_t c = 0; c < j->n; c++) {
            columns[c] |= (uint8_t)!taint_clean(&j->x->e->mem[BUF_BT], p->biasAddr + c * 4, 4);
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
    const int64_t at = j->x->in->dst.byte, len = j->m1 * j->n1 * 1024;
    if (!any && j->m % 16 == 0 && j->n % 16 == 0) {
        if (!keeps) {
            taint_clear(j->cm, at, len);
        }
        return;
    }
    for (int64_t panel = 0; panel < j->n1; panel++) {
        for (int64_t row = 0; row < j->m1 * 16; row++) {
            const int64_t place = at + (panel * j->m1 * 16 + row) * 64;
            uint32_t words[2] = {0, 0};
            for (int64_t c = 0; c < 16; c++) {
                const int64_t column = panel * 16 + c;
                const bool outside = row >= j->m || column >= j->n;
                if (outside || rows[row] != 0 || columns[column] != 0 || (keeps && taint_at(j->cm, place + c * 4))) {
                    words[c / 8] |= 15U << (c % 8 * 4);
                }
            }
            memcpy(j->cm->taint + place / BLOCK, words, sizeof words);
        }
    }
    taint_update_pages(j->cm, at, len);
}

/* ---- the instruction ---- */

static bool is_integer(enum dtype dtype)
{
    return !dtype_info(dtype)->is_float;
}

/* Products of two of these have at most 24 significant bits and stay normal. */
static bool products_exact(enum dtype a, enum dtype b)
{
    return a != DTYPE_FLOAT && a != DTYPE_BF16 && b != DTYPE_FLOAT && b != DTYPE_BF16;
}

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
    j.integer = is_integer(j.a_type);
    j.c0a = dtype_c0(j.a_type);
    j.c0b = dtype_c0(j.b_type);
    j.gemv = p->m == 1 && !(x->e->target->arch == 3510 && p->disableGemv != 0);
    const int64_t k1 = p->kDirectionAlign != 0 && j.a_type == DTYPE_FLOAT ? 2 * ceil_div(p->k, 16) : ceil_div(p->k, j.c0a);
    j.a_row = x->e->target->l0a_nz ? 1 : k1;
    j.a_column = x->e->target->l0a_nz ? j.m1 : 1;
    return j;
}

static bool supported(const struct job *j)
{
    static const uint8_t int_types[] = {DTYPE_INT4, DTYPE_INT8, DTYPE_UINT8};
    static const uint8_t float_types[] = {DTYPE_HALF, DTYPE_BF16, DTYPE_FLOAT, DTYPE_FP8_E4M3, DTYPE_FP8_E5M2, DTYPE_HIF8};
    const uint8_t *types = j->integer ? int_types : float_types;
    const size_t count = j->integer ? sizeof int_types : sizeof float_types;
    return memchr(types, (int)j->a_type, count) != NULL && memchr(types, (int)j->b_type, count) != NULL &&
           j->c0a == j->c0b;
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
    if (!supported(j)) {
        return exec_fail(x, "%s by %s is no pair of the cube", dtype_info(j->a_type)->ascend, dtype_info(j->b_type)->ascend);
    }
    TRY(exec_operand(x, "left operand", &in->src, false));
    TRY(exec_operand(x, "right operand", &in->src2, false));
    TRY(exec_operand(x, "result", &in->dst, true));
    TRY(exec_span(x, "left operand", &in->src, 0, a_bytes(j)));
    TRY(exec_span(x, "right operand", &in->src2, 0, b_bytes(j)));
    TRY(exec_span(x, "result", &in->dst, 0, j->m1 * j->n1 * 1024));
    const struct mmad_params *p = &in->p.mmad;
    if (p->cmatrixInitVal == 0 && p->cmatrixSource != 0) {
        const struct addr bias = {.buf = BUF_BT, .byte = p->biasAddr};
        TRY(exec_operand(x, "bias", &bias, false));
        TRY(exec_span(x, "bias", &bias, 0, j->n * 4));
    }
    return STATUS_OK;
}

static void multiply(const struct job *j)
{
    struct mmad_scratch *s = &j->x->e->mmad;
    void *c = j->cm->bytes + j->x->in->dst.byte;
    if (j->integer) {
        struct mmad_int g = {.a = (int16_t *)s->a, .b = (int16_t *)s->b, .c = c, .m = j->m, .n = j->n, .k = j->k};
        g.lda = unpack_int_a(j, (int16_t *)s->a);
        g.b_panel = unpack_int_b(j, (int16_t *)s->b);
        g.c_panel = j->m1 * 16 * PANEL;
        mmad_int_run(s->isa, &g);
        return;
    }
    struct mmad_float g = {.a = s->a, .b = s->b, .c = c, .m = j->m, .n = j->n, .k = j->k};
    g.lda = unpack_a(j, s->a);
    g.b_panel = unpack_b(j, s->b);
    g.c_panel = j->m1 * 16 * PANEL;
    g.fused = products_exact(j->a_type, j->b_type);
    mmad_float_run(s->isa, &g);
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
    multiply(&j);
    x->e->counters.macs += j.m * j.n * j.k;
    return STATUS_OK;
}
