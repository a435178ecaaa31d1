/* verify_layout.c - element identities instead of data.
 *
 * Every element of A and B carries a hash of its place in GM, as wide as its
 * dtype. Copies and loads run on the engine; where a Mmad would run, each
 * element of L0A and L0B it uses must be the one its step needs, read from the
 * layout the documents give (L0A Zz, on 3510 Nz, a vector for GEMV; L0B Zn).
 * No product is formed, so this level costs M * K + K * N instead of M * N * K. */
#include <inttypes.h>
#include <string.h>

#include "base/intmath.h"
#include "base/rng.h"
#include "engine/exec.h"
#include "engine/verify_internal.h"
#include "problem/conv.h"

/* Identity of an element as it lies in memory: 32 mixed bits. */
static inline uint32_t row_seed(enum tensor tensor, int64_t row)
{
    return (uint32_t)rng_mix((uint64_t)tensor << 40 ^ (uint64_t)row);
}

static inline uint32_t element_id(uint32_t seed, int64_t col)
{
    uint32_t h = seed + (uint32_t)col * 0x9E3779B1U;
    h = (h ^ h >> 16) * 0x7FEB352DU;
    return h ^ h >> 15;
}

/* `n` ids of one memory row from column `col` on, `step` columns apart, as
 * elements of `bits`; b4: low nibble first. */
static void put_ids(uint8_t *out, int bits, uint32_t seed, int64_t col, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const uint32_t id = element_id(seed, col + i);
        if (bits == 16) {
            memcpy(out + 2 * i, &(uint16_t){(uint16_t)id}, 2);
        } else if (bits == 4) {
            out[i / 2] = (uint8_t)(i % 2 == 0 ? (id & 0xF) : out[i / 2] | (id & 0xF) << 4);
        } else {
            memcpy(out + i * bits / 8, &id, (size_t)bits / 8);
        }
    }
}

/* GM of ids: whole elements, which is how copies read. */
static enum status read_ids(const struct verify *v, enum tensor tensor, int64_t byte, int64_t len, uint8_t *out)
{
    const struct operand *o = problem_operand(v->s->problem, tensor);
    const int bits = dtype_info(o->dtype)->bits;
    const int64_t c0 = dtype_c0(o->dtype), rows = problem_nz_rows(v->s->problem, tensor),
                  columns = ceil_div(o->cols, c0);
    const bool nz = o->format != LAYOUT_ND;
    for (int64_t n = len * 8 / bits, e = byte * 8 / bits, run; n > 0; n -= run, e += run) {
        const int64_t block = e / c0;
        const int64_t row = nz ? block / rows / columns * o->rows + block % rows : e / o->ld;
        const int64_t col = nz ? block / rows % columns * c0 + e % c0 : e % o->ld;
        run = min_i64(n, nz ? c0 - e % c0 : o->ld - col);
        put_ids(out, bits, row_seed(tensor, row), col, run);
        out += run * bits / 8;
    }
    return STATUS_OK;
}

enum status verify_read_ids_a(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    return read_ids(ctx, TENSOR_A, byte, len, out);
}

enum status verify_read_ids_b(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    return read_ids(ctx, TENSOR_B, byte, len, out);
}

/* One operand of one Mmad. */
struct l0_operand {
    enum role role;
    enum buffer buf;
    int64_t byte;    /* start in L0 */
    int64_t mn, k;   /* issued extents, which fix the fractal strides */
    int64_t mn0, k0; /* first row (column) of op(A) (op(B)) and first k, with the batch's rows in */
    bool vector, nz;
};

/* Element (i, kk) of the block, counted in elements from the operand's start. */
static int64_t l0_element(const struct l0_operand *x, int64_t c0, int64_t i, int64_t kk)
{
    const int64_t fractal = x->nz || x->role == ROLE_B ? kk / c0 * ceil_div(x->mn, 16) + i / 16
                                                       : i / 16 * ceil_div(x->k, c0) + kk / c0;
    return x->vector ? kk : (fractal * 16 + i % 16) * c0 + kk % c0;
}

static enum status report(const struct step *step, const struct l0_operand *x, int64_t i, int64_t kk, int64_t byte,
                          struct diag *d)
{
    const bool is_a = x->role == ROLE_A;
    return diag_error(d, STATUS_MISMATCH, NULL,
                      "core %d step %u: %s byte %" PRId64 " must hold element (%" PRId64 ", %" PRId64
                      ") of op(%s), but does not",
                      step->tile.core, step->index, buffer_name(x->buf), byte, is_a ? x->mn0 + i : x->k0 + kk,
                      is_a ? x->k0 + kk : x->mn0 + i, role_name(x->role));
}

/* Conv: ids of C0 channels at k under output point `at`, zeros where it sees padding. */
static void put_map_ids(const struct problem *p, int bits, int64_t first_row, int64_t at, int64_t k, int64_t n,
                        uint8_t *out)
{
    const struct conv_shape *v = &p->conv;
    const int64_t c0 = dtype_c0(p->a.dtype), filter = k / c0 % (v->kh * v->kw), wo = conv_out_w(v);
    const int64_t h = at / wo * v->stride_h - v->pad_top + filter / v->kw * v->dilation_h;
    const int64_t w = at % wo * v->stride_w - v->pad_left + filter % v->kw * v->dilation_w;
    memset(out, 0, (size_t)(n * bits / 8));
    if (h >= 0 && h < v->h && w >= 0 && w < v->w) {
        put_ids(out, bits, row_seed(TENSOR_A, first_row + h * v->w + w), k / c0 / (v->kh * v->kw) * c0, n);
    }
}

/* Row i of the block (column for B) at k in [kk, kk + n): one run of C0 elements
 * in L0, so one comparison. */
static bool run_right(const struct verify *v, const struct l0_operand *x, const struct operand *o, int64_t batch_row,
                      int64_t i, int64_t kk, int64_t n, int64_t *byte)
{
    const int bits = dtype_info(o->dtype)->bits;
    const bool k_is_row = x->role == ROLE_A ? o->transpose : !o->transpose;
    const struct memory *m = &v->engine->mem[x->buf];
    uint8_t want[64];
    *byte = x->byte + l0_element(x, dtype_c0(o->dtype), i, kk) * bits / 8;
    if (x->role == ROLE_A && v->s->problem->op == PROBLEM_CONV) {
        put_map_ids(v->s->problem, bits, batch_row, x->mn0 + i, x->k0 + kk, n, want);
    } else if (k_is_row) {
        for (int64_t j = 0; j < n; j++) { /* a column of memory */
            uint8_t one[4];
            put_ids(one, bits, row_seed((enum tensor)x->role, batch_row + x->k0 + kk + j), x->mn0 + i, 1);
            if (bits == 4) {
                want[j / 2] = (uint8_t)(j % 2 == 0 ? one[0] : want[j / 2] | one[0] << 4);
            } else {
                memcpy(want + j * bits / 8, one, (size_t)bits / 8);
            }
        }
    } else {
        put_ids(want, bits, row_seed((enum tensor)x->role, batch_row + x->mn0 + i), x->k0 + kk, n);
    }
    const int64_t len = n * bits / 8; /* an odd nibble at the end of K is let pass */
    return *byte + len <= m->size && memcmp(want, m->bytes + *byte, (size_t)len) == 0 && taint_clean(m, *byte, len);
}

static enum status check_operand(struct verify *v, const struct step *step, const struct l0_operand *x, int64_t real,
                                 struct diag *d)
{
    const struct operand *o = x->role == ROLE_A ? &v->s->problem->a : &v->s->problem->b;
    const int64_t c0 = dtype_c0(o->dtype),
                  batch_row = problem_matrix(v->s->problem, (enum tensor)x->role, step->tile.batch) * o->rows;
    for (int64_t i = 0; i < real; i++) {
        for (int64_t kk = 0; kk < step->k; kk += c0) {
            int64_t byte;
            if (!run_right(v, x, o, batch_row, i, kk, min_i64(c0, step->k - kk), &byte)) {
                return report(step, x, i, kk, byte, d);
            }
        }
    }
    return STATUS_OK;
}

/* The operands of a Mmad as it is issued. */
static void mmad_operands(const struct verify *v, const struct step *step, const struct insn *insn,
                          struct l0_operand *a, struct l0_operand *b)
{
    const struct mmad_params *p = &insn->p.mmad;
    const int64_t k0 = step->tile.k0 + step->k0;
    *a = (struct l0_operand){.role = ROLE_A,
                             .buf = BUF_L0A,
                             .byte = insn->src.byte,
                             .mn = p->m,
                             .k = p->kDirectionAlign ? align_up(p->k, 16) : p->k,
                             .mn0 = step->tile.m0,
                             .k0 = k0,
                             .vector = p->m == 1 && !(v->s->target->arch == 3510 && p->disableGemv),
                             .nz = v->s->target->l0a_nz};
    *b = (struct l0_operand){
        .role = ROLE_B, .buf = BUF_L0B, .byte = insn->src2.byte, .mn = p->n, .k = p->k, .mn0 = step->tile.n0, .k0 = k0};
}

/* Zeros, written ones, from the real k to the end of its block of 64. */
static enum status check_zeros(struct verify *v, const struct step *step, const struct l0_operand *x, int64_t real,
                               struct diag *d)
{
    const enum dtype dtype = x->role == ROLE_A ? v->s->problem->a.dtype : v->s->problem->b.dtype;
    const int64_t bits = dtype_info(dtype)->bits;
    const struct memory *m = &v->engine->mem[x->buf];
    for (int64_t i = 0; i < real; i++) {
        for (int64_t kk = step->k; kk < align_up(step->k, 64); kk++) {
            const int64_t bit = l0_element(x, dtype_c0(dtype), i, kk) * bits, byte = x->byte + bit / 8;
            const int mask = bits == 4 ? 15 << bit % 8 : 255;
            if (byte >= m->size || (m->bytes[byte] & mask) != 0 || !taint_clean(m, byte, 1)) {
                return diag_error(d, STATUS_MISMATCH, NULL,
                                  "core %d step %u: %s byte %" PRId64
                                  " must hold a zero: behind k %d MmadMx multiplies up to the next 64",
                                  step->tile.core, step->index, buffer_name(x->buf), byte, step->k);
            }
        }
    }
    return STATUS_OK;
}

enum status verify_mx_tail(struct verify *v, const struct step *step, const struct insn *insn, struct diag *d)
{
    struct l0_operand a, b;
    mmad_operands(v, step, insn, &a, &b);
    TRY(check_zeros(v, step, &a, step->tile.m, d));
    return check_zeros(v, step, &b, step->tile.n, d);
}

enum status verify_layout_mmad(struct verify *v, const struct step *step, const struct insn *insn, struct diag *d)
{
    const struct mmad_params *p = &insn->p.mmad;
    const struct tile *tile = &step->tile;
    struct l0_operand a, b;
    /* Scales cover whole blocks of 64 k: the tail is zeros, in neither operand's ids. */
    const int64_t k = insn->op == OP_MMAD_MX ? align_up(step->k, 64) : step->k;
    if (p->k != k || p->m < tile->m || p->n < tile->n) {
        return diag_error(d, STATUS_MISMATCH, NULL,
                          "core %d step %u: Mmad covers %d x %d x %d, the step needs %d x %d x %d", tile->core,
                          step->index, p->m, p->n, p->k, tile->m, tile->n, step->k);
    }
    mmad_operands(v, step, insn, &a, &b);
    TRY(check_operand(v, step, &a, tile->m, d));
    return check_operand(v, step, &b, tile->n, d);
}
