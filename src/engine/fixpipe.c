/* Fixpipe: L0C -> GM or L1 (semantics.md 2.8, kernel_rules section 7). */
#include "base/intmath.h"
#include "engine/exec.h"
#include "numeric/fp.h"

/* Element (row, column) of the tile of matrix `i`, byte in L0C. */
static int64_t source_byte(const struct exec *x, int64_t nd, int64_t row, int64_t column)
{
    const struct fixpipe_params *p = &x->in->p.fixpipe;
    /* srcNdStride counts 1024 B on 2201 and 64 B on 3510 (A45). */
    const int64_t unit = x->e->target->arch == 3510 ? 64 : 1024;
    return x->in->src.byte + nd * p->srcNdStride * unit + column / 16 * p->srcStride * 64 + row * 64 + column % 16 * 4;
}

static enum status convert_row(const struct exec *x, int64_t nd, int64_t row, uint8_t *out)
{
    const struct fixpipe_params *p = &x->in->p.fixpipe;
    const struct memory *m = exec_memory(x, &x->in->src);
    const enum fp_overflow overflow = p->ctrl48 != 0 ? FP_KEEP : FP_SATURATE;
    for (int64_t c = 0; c < p->nSize; c += 16) {
        const int64_t at = source_byte(x, nd, row, c), count = min_i64(16, p->nSize - c);
        const int64_t bad = taint_find(m, at, count * 4);
        if (bad >= 0) {
            return exec_fail(x, "element (%d, %d) of matrix %d depends on bytes that were never written (L0C byte %d)",
                             (int)row, (int)(c + (bad - at) / 4), (int)nd, (int)bad);
        }
        if (p->quantPre == QUANT_NONE) {
            memcpy(out + c * 4, m->bytes + at, (size_t)count * 4);
            continue;
        }
        for (int64_t i = 0; i < count; i++) {
            uint32_t bits;
            memcpy(&bits, m->bytes + at + i * 4, 4);
            const float f = float_from_bits(bits);
            const uint16_t code = p->quantPre == QUANT_F322F16 ? half_from_float(f, overflow) : bf16_from_float(f, overflow);
            memcpy(out + (c + i) * 2, &code, 2);
        }
    }
    return STATUS_OK;
}

enum status exec_fixpipe(const struct exec *x)
{
    const struct insn *in = x->in;
    const struct fixpipe_params *p = &in->p.fixpipe;
    if (p->mSize == 0 || p->nSize == 0 || p->ndNum == 0) {
        return STATUS_OK;
    }
    if (in->src.buf != BUF_L0C || in->dst.buf != BUF_GM || p->format != FIXPIPE_ND || p->quantPre > QUANT_F322BF16) {
        return exec_fail(x, "the engine does not know this form of Fixpipe");
    }
    TRY(exec_operand(x, "source", &in->src, false));
    TRY(exec_operand(x, "destination", &in->dst, true));
    const int64_t es = p->quantPre == QUANT_NONE ? 4 : 2;
    const int64_t end = source_byte(x, p->ndNum - 1, p->mSize - 1, p->nSize - 1) + 4;
    const int64_t matrix = (int64_t)p->dstNdStride * es, pitch = (int64_t)p->dstStride * es;
    TRY(exec_span(x, "source", &in->src, 0, end - in->src.byte));
    TRY(exec_span(x, "destination", &in->dst, 0, (p->ndNum - 1) * matrix + (p->mSize - 1) * pitch + p->nSize * es));
    for (int64_t nd = 0; nd < p->ndNum; nd++) {
        for (int64_t row = 0; row < p->mSize; row++) {
            TRY(convert_row(x, nd, row, x->e->row));
            TRY(exec_write(x, &in->dst, nd * matrix + row * pitch, p->nSize * es, x->e->row));
        }
    }
    exec_count(x, PATH_L0C_GM, (int64_t)p->ndNum * p->mSize * p->nSize * es);
    return STATUS_OK;
}
