/* Unpacks L0A and L0B into panels and runs the kernels on them. */
#include <math.h>
#include <stdlib.h>

#include "base/intmath.h"
#include "engine/mmad_job.h"
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
    for (int i = 0; i < 16; i++) {
        s->table4[0][i] = fp4_e2m1_to_float((uint8_t)i);
        s->table4[1][i] = fp4_e1m2_to_float((uint8_t)i);
    }
    return STATUS_OK;
}

void mmad_scratch_fini(struct mmad_scratch *s)
{
    free(s->a);
    free(s->b);
    s->a = s->b = NULL;
}

/* ---- unpacking ---- */

static void unpack_block(const struct mmad_scratch *s, enum dtype dtype, const uint8_t *block, float *out)
{
    const int64_t count = dtype_c0(dtype);
    switch (dtype) {
    case DTYPE_HALF:
        mmad_unpack_half(s->isa, block, count, out);
        return;
    case DTYPE_FLOAT:
        memcpy(out, block, BLOCK);
        return;
    case DTYPE_FP8_E4M3:
    case DTYPE_FP8_E5M2:
    case DTYPE_HIF8: {
        const float *table = s->table8[dtype == DTYPE_FP8_E4M3 ? 0 : dtype == DTYPE_FP8_E5M2 ? 1 : 2];
        for (int64_t i = 0; i < count; i++) {
            out[i] = table[block[i]];
        }
        return;
    }
    case DTYPE_FP4_E2M1:
    case DTYPE_FP4_E1M2: {
        const float *table = s->table4[dtype == DTYPE_FP4_E2M1 ? 0 : 1];
        for (int64_t i = 0; i < BLOCK; i++) { /* the low nibble first */
            out[2 * i] = table[block[i] & 15U];
            out[2 * i + 1] = table[block[i] >> 4];
        }
        return;
    }
    case DTYPE_BF16:
        for (int64_t i = 0; i < count; i++) {
            uint16_t code;
            memcpy(&code, block + 2 * i, sizeof code);
            out[i] = bf16_to_float(code);
        }
        return;
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
            unpack_block(s, j->a_type, j->am->bytes + job_a_block(j, row, k), a + row * lda + k);
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
            const uint8_t *fractal = j->bm->bytes + job_b_block(j, k, p * 16);
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
    switch (dtype) {
    case DTYPE_INT8:
        for (int i = 0; i < BLOCK; i++) {
            out[i] = (int16_t)(block[i] < 128 ? block[i] : block[i] - 256);
        }
        return;
    case DTYPE_UINT8:
        for (int i = 0; i < BLOCK; i++) {
            out[i] = block[i];
        }
        return;
    default: /* int4, two a byte, the low nibble first */
        for (int i = 0; i < BLOCK; i++) {
            out[2 * i] = (int16_t)(((block[i] & 15) ^ 8) - 8);
            out[2 * i + 1] = (int16_t)(((block[i] >> 4) ^ 8) - 8);
        }
        return;
    }
}

static int64_t unpack_int_a(const struct job *j, int16_t *a)
{
    const int64_t lda = align_up(j->k, j->c0a);
    for (int64_t row = 0; row < j->m; row++) {
        for (int64_t k = 0; k < j->k; k += j->c0a) {
            unpack_int_block(j->a_type, j->am->bytes + job_a_block(j, row, k), a + row * lda + k);
        }
        for (int64_t k = j->k; k < lda; k++) {
            a[row * lda + k] = 0; /* an odd k takes part as a pair */
        }
    }
    return lda;
}

/* Pairs of k are 4 B: a panel's are transposed as floats are. */
static int64_t unpack_int_b(const struct job *j, int16_t *b)
{
    const struct mmad_scratch *s = &j->x->e->mmad;
    const int64_t c0 = j->c0b, pitch = align_up(j->k, c0) * PANEL;
    int16_t rows[16 * 64];
    for (int64_t p = 0; p < j->n1; p++) {
        for (int64_t k = 0; k < j->k; k += c0) {
            for (int64_t c = 0; c < 16; c++) {
                unpack_int_block(j->b_type, j->bm->bytes + job_b_block(j, k, p * 16 + c), rows + c * c0);
            }
            for (int64_t i = 0; i < c0; i += 32) {
                mmad_transpose16(s->isa, rows + i, c0 / 2, b + p * pitch + (k + i) * PANEL);
            }
        }
    }
    return pitch;
}

/* Products of two of these have at most 24 significant bits and stay normal. */
static bool products_exact(enum dtype a, enum dtype b)
{
    return a != DTYPE_FLOAT && a != DTYPE_BF16 && b != DTYPE_FLOAT && b != DTYPE_BF16;
}

/* ---- scales ---- */

/* Codes whose powers of two keep every product of scaled operands a normal
 * float: 2^-40 .. 2^40 against elements of at most 2^+-16. */
enum { SCALE_LOW = 127 - 40, SCALE_HIGH = 127 + 40 };

static uint8_t scale_a(const struct job *j, int64_t row, int64_t k)
{
    return j->x->e->mem[BUF_L0A_MX].bytes[job_scale(j->x->in->src.byte, j->gemv, j->k, row, k)];
}

static uint8_t scale_b(const struct job *j, int64_t column, int64_t k)
{
    return j->x->e->mem[BUF_L0B_MX].bytes[job_scale(j->x->in->src2.byte, false, j->k, column, k)];
}

static bool moderate(uint8_t code)
{
    return code >= SCALE_LOW && code <= SCALE_HIGH;
}

static bool scales_moderate(const struct job *j)
{
    bool all = true;
    for (int64_t k = 0; k < j->k; k += 32) {
        for (int64_t r = 0; r < j->m; r++) {
            all = all && moderate(scale_a(j, r, k));
        }
        for (int64_t c = 0; c < j->n; c++) {
            all = all && moderate(scale_b(j, c, k));
        }
    }
    return all;
}

/* Exact: multiplies the panels by powers of two. */
static void apply_scales(const struct job *j, const struct mmad_float *g, float *a, float *b)
{
    for (int64_t k = 0; k < j->k; k += 32) {
        for (int64_t r = 0; r < j->m; r++) {
            const float factor = e8m0_to_float(scale_a(j, r, k));
            for (int64_t i = 0; i < 32; i++) {
                a[r * g->lda + k + i] *= factor;
            }
        }
        for (int64_t c = 0; c < j->n; c++) {
            const float factor = e8m0_to_float(scale_b(j, c, k));
            float *column = b + c / PANEL * g->b_panel + c % PANEL;
            for (int64_t i = 0; i < 32; i++) {
                column[(k + i) * PANEL] *= factor;
            }
        }
    }
}

/* Any scales: each product a * b * 2^(ea + eb - 254) is exact in double and
 * rounded to float once. */
static void multiply_scaled(const struct job *j, const struct mmad_float *g)
{
    for (int64_t r = 0; r < j->m; r++) {
        for (int64_t c = 0; c < j->n; c++) {
            const float *b = g->b + c / PANEL * g->b_panel + c % PANEL;
            float *out = g->c + c / PANEL * g->c_panel + r * PANEL + c % PANEL;
            for (int64_t k = 0; k < j->k; k++) {
                const uint8_t ea = scale_a(j, r, k), eb = scale_b(j, c, k);
                const double product = (double)g->a[r * g->lda + k] * (double)b[k * PANEL];
                *out += ea == 0xFF || eb == 0xFF ? float_from_bits(FP_NAN_BITS) : (float)ldexp(product, ea + eb - 254);
            }
            *out = *out != *out ? float_from_bits(FP_NAN_BITS) : *out;
        }
    }
}

/* ---- HF32: float operands cut to a shorter mantissa (SetHF32Mode) ---- */

/* `keep` mantissa bits, to nearest; ties to even, or towards zero. */
static float round_hf32(float value, int keep, bool ties_to_zero)
{
    const uint32_t bits = float_bits(value), drop = 23U - (uint32_t)keep;
    if ((bits & 0x7F800000U) == 0x7F800000U) {
        return value;
    }
    const uint32_t half = 1U << (drop - 1), odd = bits >> drop & 1U;
    return float_from_bits((bits + half - 1 + (ties_to_zero ? 0 : odd)) & ~((1U << drop) - 1));
}

static void apply_hf32(const struct job *j, float *panel, int64_t count)
{
    const struct registers *reg = &j->x->e->reg;
    const int keep = mmad_hf32_mantissa(j->x->e->target);
    for (int64_t i = 0; i < count; i++) {
        panel[i] = round_hf32(panel[i], keep, reg->hf32[1] != 0);
    }
}

/* ---- half accumulators: rounded to half after every addition (A33, low confidence) ---- */

static void multiply_half(const struct job *j, const struct mmad_float *g)
{
    uint8_t *base = (uint8_t *)g->c;
    for (int64_t r = 0; r < j->m; r++) {
        for (int64_t c = 0; c < j->n; c++) {
            const float *b = g->b + c / PANEL * g->b_panel + c % PANEL;
            uint8_t *out = base + (c / PANEL * g->c_panel + r * PANEL + c % PANEL) * 2;
            uint16_t code;
            memcpy(&code, out, 2);
            for (int64_t k = 0; k < j->k; k++) {
                code = half_from_float(half_to_float(code) + g->a[r * g->lda + k] * b[k * PANEL], FP_KEEP);
            }
            memcpy(out, &code, 2);
        }
    }
}

/* ---- the product ---- */

/* What an overflow of an int32 accumulator gives is not documented (A36): such
 * results are tainted. Only a start value near the limit makes one possible. */
static void taint_overflows(const struct job *j, const struct mmad_int *g)
{
    for (int64_t i = 0; i < j->m * j->n; i++) {
        const int64_t r = i / j->n, c = i % j->n, at = c / PANEL * g->c_panel + r * PANEL + c % PANEL;
        const int16_t *b = g->b + c / PANEL * g->b_panel + c % PANEL * 2;
        int64_t sum = g->c[at];
        bool inside = true;
        for (int64_t k = 0; k < g->k; k++) {
            sum += g->a[r * g->lda + k] * b[k / 2 * 2 * PANEL + k % 2];
            inside = inside && sum >= INT32_MIN && sum <= INT32_MAX;
        }
        if (!inside) {
            taint_set(j->cm, j->x->in->dst.byte + at * 4, 4);
        }
    }
}

static bool may_overflow(const struct job *j, const struct mmad_int *g)
{
    const int64_t product = (j->a_type == DTYPE_UINT8 ? 255 : 128) * (j->b_type == DTYPE_UINT8 ? 255 : 128);
    int32_t low = 0, high = 0;
    if (j->x->in->p.mmad.cmatrixInitVal == 0) { /* else it starts from 0 */
        for (int64_t p = 0; p < j->n1; p++) {
            const int32_t *panel = g->c + p * g->c_panel;
            const int64_t columns = min_i64(PANEL, j->n - p * PANEL);
            for (int64_t r = 0; r < j->m; r++) {
                for (int64_t c = 0; c < columns; c++) {
                    const int32_t start = panel[r * PANEL + c];
                    low = start < low ? start : low;
                    high = start > high ? start : high;
                }
            }
        }
    }
    return max_i64(high, -(int64_t)low) + j->k * product > INT32_MAX;
}

static void multiply_int(const struct job *j, void *c)
{
    struct mmad_scratch *s = &j->x->e->mmad;
    struct mmad_int g = {.a = (int16_t *)s->a, .b = (int16_t *)s->b, .c = c, .m = j->m, .n = j->n, .k = j->k};
    g.lda = unpack_int_a(j, (int16_t *)s->a);
    g.b_panel = unpack_int_b(j, (int16_t *)s->b);
    g.c_panel = j->m1 * 16 * PANEL;
    if (may_overflow(j, &g)) {
        taint_overflows(j, &g);
    }
    mmad_int_run(s->isa, &g);
}

void job_multiply(const struct job *j)
{
    struct mmad_scratch *s = &j->x->e->mmad;
    void *c = j->cm->bytes + j->x->in->dst.byte;
    if (j->integer) {
        multiply_int(j, c);
        return;
    }
    struct mmad_float g = {.a = s->a, .b = s->b, .c = c, .m = j->m, .n = j->n, .k = j->k};
    g.lda = unpack_a(j, s->a);
    g.b_panel = unpack_b(j, s->b);
    g.c_panel = j->m1 * 16 * PANEL;
    g.fused = products_exact(j->a_type, j->b_type);
    if (j->scaled && !scales_moderate(j)) {
        multiply_scaled(j, &g);
        return;
    }
    if (j->scaled) {
        apply_scales(j, &g, s->a, s->b);
    } else if (j->a_type == DTYPE_FLOAT && j->x->e->reg.hf32[0] != 0) {
        apply_hf32(j, s->a, j->m * g.lda);
        apply_hf32(j, s->b, j->n1 * g.b_panel);
    }
    if (j->half_result) {
        multiply_half(j, &g);
    } else {
        mmad_float_run(s->isa, &g);
    }
}
