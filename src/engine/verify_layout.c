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
#include "engine/verify_internal.h"

/* Identity of an element as it lies in memory. */
static uint64_t element_id(enum tensor tensor, int64_t row, int64_t col)
{
    return rng_mix(((uint64_t)tensor << 62) ^ ((uint64_t)row << 31) ^ (uint64_t)col);
}

/* Elements of `bits`, low nibble first. */
static void put_id(uint8_t *bytes, int64_t i, int bits, uint64_t id)
{
    if (bits == 4) {
        const int shift = (int)(i % 2) * 4;
        bytes[i / 2] = (uint8_t)((bytes[i / 2] & ~(0xF << shift)) | (int)(id & 0xF) << shift);
    } else {
        memcpy(bytes + i * bits / 8, &id, (size_t)bits / 8);
    }
}

/* GM of ids: whole elements, which is how copies read. */
static enum status read_ids(const struct verify *v, enum tensor tensor, int64_t byte, int64_t len, uint8_t *out)
{
    const struct operand *o = problem_operand(v->s->problem, tensor);
    const int bits = dtype_info(o->dtype)->bits;
    const int64_t n = len * 8 / bits, first = byte * 8 / bits, c0 = dtype_c0(o->dtype);
    const int64_t rows = align_up(o->rows, 16), columns = ceil_div(o->cols, c0);
    for (int64_t i = 0; i < n; i++) {
        const int64_t e = first + i;
        int64_t row = e / o->ld, col = e % o->ld;
        if (o->format == LAYOUT_NZ) {
            const int64_t block = e / c0;
            row = block / rows / columns * o->rows + block % rows;
            col = block / rows % columns * c0 + e % c0;
        }
        put_id(out, i, bits, element_id(tensor, row, col));
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
    int64_t byte;     /* start in L0 */
    int64_t mn, k;    /* issued extents, which fix the fractal strides */
    int64_t mn0, k0;  /* first row (column) of op(A) (op(B)) and first k, with the batch's rows in */
    bool vector, nz;
};

/* Element (i, kk) of the block, counted in elements from the operand's start. */
static int64_t l0_element(const struct l0_operand *x, int64_t c0, int64_t i, int64_t kk)
{
    const int64_t fractal = x->nz || x->role == ROLE_B ? kk / c0 * ceil_div(x->mn, 16) + i / 16
                                                       : i / 16 * ceil_div(x->k, c0) + kk / c0;
    return x->vector ? kk : (fractal * 16 + i % 16) * c0 + kk % c0;
}

static enum status check_operand(struct verify *v, const struct step *step, const struct l0_operand *x, int64_t real,
                                 struct diag *d)
{
    const struct problem *p = v->s->problem;
    const struct operand *o = x->role == ROLE_A ? &p->a : &p->b;
    const int bits = dtype_info(o->dtype)->bits;
    const bool k_is_row = x->role == ROLE_A ? o->transpose : !o->transpose;
    const int64_t c0 = dtype_c0(o->dtype), batch_row = step->tile.batch * o->rows;
    int64_t size;
    const uint8_t *memory = engine_memory(v->engine, x->buf, &size);
    for (int64_t i = 0; i < real; i++) {
        for (int64_t kk = 0; kk < step->k; kk++) {
            const int64_t at = x->byte * 8 / bits + l0_element(x, c0, i, kk);
            const int64_t row = batch_row + (k_is_row ? x->k0 + kk : x->mn0 + i);
            const int64_t col = k_is_row ? x->mn0 + i : x->k0 + kk;
            uint8_t want[8] = {0}, got[8] = {0};
            put_id(want, 0, bits, element_id((enum tensor)x->role, row, col));
            if (bits == 4) {
                got[0] = (uint8_t)(memory[at / 2] >> (at % 2 * 4) & 0xF);
            } else {
                memcpy(got, memory + at * bits / 8, (size_t)bits / 8);
            }
            if (memcmp(want, got, sizeof want) != 0 || engine_tainted(v->engine, x->buf, at * bits / 8)) {
                return diag_error(d, STATUS_MISMATCH, NULL,
                                  "core %d step %u: %s byte %" PRId64 " must hold %s(%" PRId64 ", %" PRId64
                                  ") of op(%s), but does not",
                                  step->tile.core, step->index, buffer_name(x->buf), at * bits / 8,
                                  role_name(x->role), x->role == ROLE_A ? x->mn0 + i : x->k0 + kk,
                                  x->role == ROLE_A ? x->k0 + kk : x->mn0 + i, role_name(x->role));
            }
        }
    }
    return STATUS_OK;
}

enum status verify_layout_mmad(struct verify *v, const struct step *step, const struct insn *insn, struct diag *d)
{
    const struct mmad_params *p = &insn->p.mmad;
    const struct tile *tile = &step->tile;
    const int64_t k0 = tile->k0 + step->k0;
    if (p->k != step->k || p->m < tile->m || p->n < tile->n) {
        return diag_error(d, STATUS_MISMATCH, NULL, "core %d step %u: Mmad covers %d x %d x %d, the step needs %d x %d x %d",
                          tile->core, step->index, p->m, p->n, p->k, tile->m, tile->n, step->k);
    }
    const bool nz = v->s->target->l0a_nz;
    const struct l0_operand a = {.role = ROLE_A,
                                 .buf = BUF_L0A,
                                 .byte = insn->src.byte,
                                 .mn = p->m,
                                 .k = p->k,
                                 .mn0 = tile->m0,
                                 .k0 = k0,
                                 .vector = p->m == 1 && !(v->s->target->arch == 3510 && p->disableGemv),
                                 .nz = nz};
    const struct l0_operand b = {
        .role = ROLE_B, .buf = BUF_L0B, .byte = insn->src2.byte, .mn = p->n, .k = p->k, .mn0 = tile->n0, .k0 = k0};
    TRY(check_operand(v, step, &a, tile->m, d));
    return check_operand(v, step, &b, tile->n, d);
}
