#include "isa/footprint.h"

#include "base/intmath.h"

enum { FRACTAL_BYTES = 512, BLOCK_BYTES = 32 };

struct visit {
    const struct insn *in;
    const struct target *target;
    piece_fn fn;
    void *ctx;
    int64_t index;
};

int square_fractals(enum dtype dtype)
{
    const unsigned bits = dtype_info(dtype)->bits;
    return bits == 4 ? 4 : bits == 16 ? 1 : 2;
}

static bool emit(struct visit *v, enum piece_operand operand, int64_t src, int64_t src_len, int64_t dst,
                 int64_t dst_len)
{
    const struct piece p = {.index = v->index,
                            .square = v->index,
                            .src = src,
                            .dst = dst,
                            .src_len = src_len,
                            .dst_len = dst_len,
                            .operand = (uint8_t)operand};
    v->index++;
    return v->fn(v->ctx, &p);
}

static bool emit_fractal(struct visit *v, int64_t src, int64_t dst, bool transposed, int64_t square)
{
    const struct piece p = {.index = v->index,
                            .square = square,
                            .src = src * FRACTAL_BYTES,
                            .dst = dst * FRACTAL_BYTES,
                            .src_len = FRACTAL_BYTES,
                            .dst_len = FRACTAL_BYTES,
                            .transposed = transposed};
    v->index++;
    return v->fn(v->ctx, &p);
}

/* ---- fractal loads ---- */

static bool visit_2d(struct visit *v)
{
    const struct load_2d_params *p = &v->in->p.load_2d;
    const bool down = p->addrMode != 0 && v->in->src.buf == BUF_GM && v->in->dst.buf == BUF_L1;
    const int64_t gap = v->target->arch == 3510 ? 0 : p->dstGap; /* A10 */
    for (int64_t i = 0; i < p->repeatTimes; i++) {
        const int64_t step = i * p->srcStride;
        if (!emit_fractal(v, p->startIndex + (down ? -step : step), i * (gap + 1), p->ifTranspose != 0, i)) {
            return false;
        }
    }
    return true;
}

static bool visit_v2(struct visit *v, const struct load_2d_v2_params *p)
{
    const int64_t stride = p->srcStride, base = p->kStartPosition * (stride < 0 ? -stride : stride) + p->mStartPosition;
    const bool transposed = p->ifTranspose != 0 && v->in->src.buf != BUF_GM;
    const bool wide = dtype_info((enum dtype)v->in->dtype)->bits == 32;
    const int n = square_fractals((enum dtype)v->in->dtype);
    for (int64_t k = 0; k < p->kStep; k++) {
        for (int64_t m = 0; m < p->mStep; m++) {
            const int64_t src = base + k * stride + m;
            int64_t dst = k * p->dstStride + m, square = v->index;
            if (transposed && wide) { /* input half k % 2 of square (m, k / 2) */
                dst = (2 * m + k % 2) * p->dstStride + k / 2;
                square = m * (p->kStep / 2) + k / 2;
            } else if (transposed) { /* input m % n of square (m / n, k) */
                dst = m / n * p->dstStride + n * k + m % n;
                square = k * (p->mStep / n) + m / n;
            }
            if (!emit_fractal(v, src, dst, transposed, square)) {
                return false;
            }
        }
    }
    return true;
}

static bool visit_scales(struct visit *v)
{
    const struct load_mx_params *p = &v->in->p.load_mx;
    const int64_t stride = p->srcStride, base = p->xStartPosition * (stride < 0 ? -stride : stride) + p->yStartPosition;
    for (int64_t x = 0; x < p->xStep; x++) {
        for (int64_t y = 0; y < p->yStep; y++) {
            if (!emit(v, PIECE_SCALE, (base + x * stride + y) * BLOCK_BYTES, BLOCK_BYTES,
                      (x * p->dstStride + y) * BLOCK_BYTES, BLOCK_BYTES)) {
                return false;
            }
        }
    }
    return true;
}

static bool visit_transpose(struct visit *v)
{
    const struct load_transpose_params *p = &v->in->p.transpose;
    const int n = square_fractals((enum dtype)v->in->dtype);
    const bool v1 = v->in->op == OP_LOAD_TRANSPOSE;
    const int64_t unit = v1 ? n : 1, in_gap = v1 ? 0 : p->srcFracGap;
    for (int64_t i = 0; i < p->repeatTimes; i++) {
        const int64_t step = p->addrMode != 0 ? -i * p->srcStride : i * p->srcStride;
        for (int64_t j = 0; j < n; j++) {
            const int64_t src = unit * (p->startIndex + step) + j * (in_gap + 1);
            if (!emit_fractal(v, src, i * ((int64_t)p->dstGap + 1) + j * ((int64_t)p->dstFracGap + 1), true, i)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- LoadData 3D ---- */

struct expanded load_3d_expanded(const struct load_3d_params *p)
{
    const int64_t fh = p->filterH + (p->filterSizeH != 0 ? 256 : 0), fw = p->filterW + (p->filterSizeW != 0 ? 256 : 0);
    const int64_t room_h = p->l1H + p->padList[2] + p->padList[3] - (fh - 1) * p->dilationFilterH - 1;
    const int64_t room_w = p->l1W + p->padList[0] + p->padList[1] - (fw - 1) * p->dilationFilterW - 1;
    struct expanded e = {.columns = p->channelSize * fh * fw};
    if (room_h >= 0 && room_w >= 0 && p->strideH > 0 && p->strideW > 0) {
        e.out_h = room_h / p->strideH + 1;
        e.out_w = room_w / p->strideW + 1;
        e.rows = e.out_h * e.out_w;
    }
    return e;
}

static bool visit_3d(struct visit *v)
{
    const struct load_3d_params *p = &v->in->p.load_3d;
    const enum dtype dtype = (enum dtype)v->in->dtype;
    const int64_t c0 = dtype_c0(dtype), map = dtype_bytes(dtype, (int64_t)p->channelSize * p->l1H * p->l1W);
    const int64_t m = align_up(p->mExtension, 16) * (p->repeatMode == 0 ? p->repeatTime : 1);
    const int64_t k = align_up(p->kExtension, c0) * (p->repeatMode == 0 ? 1 : p->repeatTime);
    const bool nz = v->target->l0a_nz, to_l0b = v->in->dst.buf == BUF_L0B, flipped = to_l0b || p->enTranspose != 0;
    /* Result as fractal rows and columns; a b32 tail band is half a fractal. */
    const int64_t rows = flipped ? ceil_div(k, 16) : m / 16, columns = flipped ? ceil_div(m, c0) : k / c0;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++) {
            const int64_t at = nz ? c * p->dstStride + r : to_l0b ? c * rows + r : r * columns + c;
            const int64_t len = flipped && k - r * 16 < 16 ? (k - r * 16) * BLOCK_BYTES : FRACTAL_BYTES;
            if (!emit(v, PIECE_DATA, 0, map, at * FRACTAL_BYTES, len)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- copies ---- */

/* b4 copies count bytes. */
static int64_t element_bytes(const struct visit *v)
{
    const unsigned bits = dtype_info((enum dtype)v->in->dtype)->bits;
    return bits == 4 ? 1 : bits / 8;
}

static bool visit_nd2nz(struct visit *v)
{
    const struct nd2nz_params *p = &v->in->p.nd2nz;
    const int64_t es = element_bytes(v), row_bytes = p->dValue * es;
    for (int64_t i = 0; i < p->ndNum; i++) {
        for (int64_t r = 0; r < p->nValue; r++) {
            for (int64_t b = 0; b < row_bytes; b += BLOCK_BYTES) {
                const int64_t src = (i * p->srcNdMatrixStride + r * p->srcDValue) * es + b;
                const int64_t dst = i * p->dstNzMatrixStride * es +
                                    (b / BLOCK_BYTES * p->dstNzC0Stride + r * p->dstNzNStride) * BLOCK_BYTES;
                if (!emit(v, PIECE_DATA, src, min_i64(BLOCK_BYTES, row_bytes - b), dst, BLOCK_BYTES)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool visit_dn2nz(struct visit *v)
{
    const struct dn2nz_params *p = &v->in->p.dn2nz;
    const int64_t es = element_bytes(v), row_bytes = p->dValue * es;
    for (int64_t i = 0; i < p->dnNum; i++) {
        for (int64_t n = 0; n < p->nValue; n++) {
            for (int64_t b = 0; b < row_bytes; b += BLOCK_BYTES) {
                const int64_t count = min_i64(BLOCK_BYTES, row_bytes - b) / es;
                const int64_t src = (i * p->srcDnMatrixStride + b / es * p->srcDValue + n) * es;
                const int64_t dst = i * p->dstNzMatrixStride * es +
                                    (b / BLOCK_BYTES * p->dstNzC0Stride + n * p->dstNzNStride) * BLOCK_BYTES;
                if (!emit(v, PIECE_DATA, src, ((count - 1) * p->srcDValue + 1) * es, dst, BLOCK_BYTES)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool visit_runs(struct visit *v, int64_t count, int64_t src_len, int64_t src_pitch, int64_t dst_len,
                       int64_t dst_pitch)
{
    for (int64_t i = 0; i < count && dst_len > 0; i++) {
        if (!emit(v, PIECE_DATA, i * src_pitch, src_len, i * dst_pitch, dst_len)) {
            return false;
        }
    }
    return true;
}

static bool visit_data_copy(struct visit *v)
{
    const struct data_copy_params *p = &v->in->p.copy;
    const int64_t len = (int64_t)p->blockLen * BLOCK_BYTES;
    return visit_runs(v, p->blockCount, len, len + (int64_t)p->srcGap * 32, len, len + (int64_t)p->dstGap * 32);
}

static bool visit_bt(struct visit *v)
{
    const struct data_copy_params *p = &v->in->p.copy;
    const int64_t unit = v->target->arch == 3510 ? 32 : 64, len = p->blockLen * unit;
    const int64_t out = dtype_info((enum dtype)v->in->dtype)->bits == 16 ? 2 * len : len;
    return visit_runs(v, p->blockCount, len, len + (int64_t)p->srcGap * 32, out, out + p->dstGap * unit);
}

static bool visit_fb(struct visit *v)
{
    const struct data_copy_params *p = &v->in->p.copy;
    const int64_t len = (int64_t)p->blockLen * (v->target->arch == 3510 ? 64 : 128);
    return visit_runs(v, p->blockCount, len, (int64_t)p->srcGap * 32, len, (int64_t)p->dstGap * 128);
}

static bool visit_fill(struct visit *v)
{
    const struct fill_params *p = &v->in->p.fill;
    const int64_t block = v->in->dst.buf == BUF_L1 ? BLOCK_BYTES : FRACTAL_BYTES, len = p->blockNum * block;
    return visit_runs(v, p->repeatTimes, 0, 0, len, len + p->dstGap * block);
}

static bool visit_pad(struct visit *v)
{
    const struct data_copy_pad_params *p = &v->in->p.pad;
    const int64_t es = dtype_bytes((enum dtype)v->in->dtype, 1);
    const int64_t row = p->blockLen + (p->leftPadding + p->rightPadding) * es;
    if (p->paddingMode == 0) {
        const int64_t out = align_up(row, BLOCK_BYTES);
        return visit_runs(v, p->blockCount, p->blockLen, p->blockLen + p->srcStride, out,
                          out + (int64_t)p->dstStride * 32);
    }
    /* Compact: the blocks touch; only the end of the last is filled up to 32 B. */
    const int64_t last = p->blockCount - 1, end = align_up(p->blockCount * row, BLOCK_BYTES);
    return visit_runs(v, last, p->blockLen, p->blockLen + p->srcStride, row, row) &&
           emit(v, PIECE_DATA, last * (p->blockLen + p->srcStride), p->blockLen, last * row, end - last * row);
}

/* ---- Mmad, Fixpipe ---- */

static bool visit_mmad(struct visit *v)
{
    const struct mmad_params *p = &v->in->p.mmad;
    const enum dtype a = (enum dtype)v->in->dtype;
    const int64_t m1 = ceil_div(p->m, 16), n1 = ceil_div(p->n, 16), c0 = dtype_c0(a), k1 = ceil_div(p->k, c0);
    const bool gemv = p->m == 1 && !(v->target->arch == 3510 && p->disableGemv != 0);
    const int64_t pitch = p->kDirectionAlign != 0 && a == DTYPE_FLOAT ? 2 * ceil_div(p->k, 16) : k1;
    if (gemv && !emit(v, PIECE_LEFT, 0, k1 * BLOCK_BYTES, 0, 0)) {
        return false;
    }
    for (int64_t r = 0; !gemv && r < m1; r++) {
        for (int64_t c = 0; c < k1; c++) {
            if (!emit(v, PIECE_LEFT, (v->target->l0a_nz ? c * m1 + r : r * pitch + c) * FRACTAL_BYTES, FRACTAL_BYTES, 0,
                      0)) {
                return false;
            }
        }
    }
    for (int64_t i = 0; i < k1 * n1; i++) {
        if (!emit(v, PIECE_RIGHT, i * FRACTAL_BYTES, FRACTAL_BYTES, 0, 0)) {
            return false;
        }
    }
    const int64_t result = 256 * (p->ctype == DTYPE_HALF ? 2 : 4);
    for (int64_t i = 0; i < m1 * n1; i++) {
        if (!emit(v, PIECE_RESULT, 0, 0, i * result, result)) {
            return false;
        }
    }
    return true;
}

/* Rows of 16 columns in L0C; the destination (GM mostly) is given whole, once. */
static bool visit_fixpipe(struct visit *v)
{
    const struct fixpipe_params *p = &v->in->p.fixpipe;
    const bool nd = p->format == FIXPIPE_ND, dn = p->format == FIXPIPE_DN;
    /* 16 elements of L0C: 64 B, 32 B where it holds half. */
    const int64_t c0_size = 2 * dtype_info((enum dtype)v->in->dtype)->bits;
    const int64_t matrices = nd ? p->ndNum : dn ? p->dnNum : 1;
    const int64_t step = nd   ? p->srcNdStride * c0_size * (v->target->arch == 3510 ? 1 : 16)
                         : dn ? p->srcNzMatrixStride * c0_size
                              : 0;
    const int64_t row = dn ? p->srcNzC0Stride * c0_size : c0_size;
    for (int64_t i = 0; i < matrices && p->mSize > 0; i++) {
        for (int64_t c = 0; c < p->nSize; c += 16) {
            const int64_t src = i * step + c / 16 * p->srcStride * c0_size;
            if (!emit(v, PIECE_DATA, src, (p->mSize - 1) * row + min_i64(16, p->nSize - c) * c0_size / 16, 0, 0)) {
                return false;
            }
        }
    }
    return true;
}

bool insn_is_nop(const struct insn *in)
{
    const struct load_3d_params *p3 = &in->p.load_3d;
    const struct fixpipe_params *f = &in->p.fixpipe;
    switch ((enum op)in->op) {
    case OP_ND2NZ:
        return in->p.nd2nz.ndNum == 0 || in->p.nd2nz.nValue == 0 || in->p.nd2nz.dValue == 0;
    case OP_DN2NZ:
        return in->p.dn2nz.dnNum == 0 || in->p.dn2nz.nValue == 0 || in->p.dn2nz.dValue == 0;
    case OP_DATA_COPY:
    case OP_L1_TO_BT:
    case OP_L1_TO_FB:
        return in->p.copy.blockCount == 0 || in->p.copy.blockLen == 0;
    case OP_DATA_COPY_PAD:
        return in->p.pad.blockCount == 0 || in->p.pad.blockLen == 0;
    case OP_FILL:
        return in->p.fill.repeatTimes == 0 || in->p.fill.blockNum == 0;
    case OP_LOAD_2D:
        return in->p.load_2d.repeatTimes == 0;
    case OP_LOAD_2D_V2:
        return in->p.load_2d_v2.mStep == 0 || in->p.load_2d_v2.kStep == 0;
    case OP_LOAD_TRANSPOSE:
    case OP_LOAD_TRANSPOSE_V2:
        return in->p.transpose.repeatTimes == 0;
    case OP_LOAD_MX:
        return (in->p.load_mx.data.mStep == 0 || in->p.load_mx.data.kStep == 0) &&
               (in->p.load_mx.xStep == 0 || in->p.load_mx.yStep == 0);
    case OP_LOAD_3D:
    case OP_LOAD_3D_STRIDE:
        return (p3->isSetFMatrix != 0 && (p3->l1H == 0 || p3->l1W == 0)) || p3->channelSize == 0 ||
               p3->kExtension == 0 || p3->mExtension == 0 || (p3->filterW == 0 && p3->filterSizeW == 0) ||
               (p3->filterH == 0 && p3->filterSizeH == 0) || p3->repeatTime == 0;
    case OP_MMAD:
    case OP_MMAD_MX:
        return in->p.mmad.m == 0 || in->p.mmad.n == 0 || in->p.mmad.k == 0;
    case OP_FIXPIPE:
        return f->mSize == 0 || f->nSize == 0 || (f->format == FIXPIPE_ND && f->ndNum == 0) ||
               (f->format == FIXPIPE_DN && f->dnNum == 0);
    default:
        return in->op == OP_NOP;
    }
}

bool footprint_visit(const struct insn *in, const struct target *target, piece_fn fn, void *ctx)
{
    struct visit v = {.in = in, .target = target, .fn = fn, .ctx = ctx};
    if (insn_is_nop(in)) {
        return true;
    }
    switch ((enum op)in->op) {
    case OP_ND2NZ:
        return visit_nd2nz(&v);
    case OP_DN2NZ:
        return visit_dn2nz(&v);
    case OP_DATA_COPY:
        return visit_data_copy(&v);
    case OP_DATA_COPY_PAD:
        return visit_pad(&v);
    case OP_FILL:
        return visit_fill(&v);
    case OP_LOAD_2D:
        return visit_2d(&v);
    case OP_LOAD_2D_V2:
        return visit_v2(&v, &in->p.load_2d_v2);
    case OP_LOAD_TRANSPOSE:
    case OP_LOAD_TRANSPOSE_V2:
        return visit_transpose(&v);
    case OP_LOAD_MX:
        return visit_v2(&v, &in->p.load_mx.data) && visit_scales(&v);
    case OP_LOAD_3D:
    case OP_LOAD_3D_STRIDE:
        return visit_3d(&v);
    case OP_L1_TO_BT:
        return visit_bt(&v);
    case OP_L1_TO_FB:
        return visit_fb(&v);
    case OP_MMAD:
    case OP_MMAD_MX:
        return visit_mmad(&v);
    case OP_FIXPIPE:
        return visit_fixpipe(&v);
    default:
        return true;
    }
}
