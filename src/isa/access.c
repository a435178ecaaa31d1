/* access.c - one function an op, in a table; each says in bytes what
 * semantics.md says in fractals and blocks. */
#include "isa/access.h"

#include <string.h>

#include "base/intmath.h"
#include "isa/fields.h"
#include "isa/footprint.h"

enum { FRACTAL = 512, BLOCK = 32 };

struct builder {
    const struct target *target;
    const struct access_registers *reg;
    const struct insn *in;
    struct access *out;
    int n;
};

/* One stride of an access. */
struct dim {
    int64_t count, pitch;
};

static const struct dim once = {1, 0};

/* Joins runs that touch, drops strides that are taken once; fewer runs are cheaper to walk. */
static void simplify(struct access *a)
{
    for (int d = 0; d < ACCESS_DIMS; d++) {
        for (int e = 0; e < ACCESS_DIMS; e++) {
            if (a->count[e] > 1 && a->pitch[e] == a->len) {
                a->len *= a->count[e];
                a->count[e] = 1;
            }
        }
    }
    int used = 0;
    for (int d = 0; d < ACCESS_DIMS; d++) {
        if (a->count[d] > 1 && a->pitch[d] != 0) {
            a->count[used] = a->count[d];
            a->pitch[used++] = a->pitch[d];
        }
    }
    for (; used < ACCESS_DIMS; used++) {
        a->count[used] = 1;
        a->pitch[used] = 0;
    }
}

static void add(struct builder *b, const struct addr *at, bool write, int64_t off, int64_t len, struct dim x,
                struct dim y, struct dim z)
{
    if (len <= 0 || x.count <= 0 || y.count <= 0 || z.count <= 0) {
        return;
    }
    struct access *a = &b->out[b->n++];
    *a = (struct access){.buf = at->buf,
                         .tensor = at->buf == BUF_GM ? at->tensor : (uint8_t)0,
                         .write = write,
                         .byte = at->byte + off,
                         .len = len,
                         .count = {x.count, y.count, z.count},
                         .pitch = {x.pitch, y.pitch, z.pitch}};
    simplify(a);
}

static void reads(struct builder *b, const struct addr *at, int64_t off, int64_t len, struct dim x, struct dim y,
                  struct dim z)
{
    add(b, at, false, off, len, x, y, z);
}

static void writes(struct builder *b, const struct addr *at, int64_t off, int64_t len, struct dim x, struct dim y,
                   struct dim z)
{
    add(b, at, true, off, len, x, y, z);
}

static unsigned bits_of(enum dtype dtype)
{
    return dtype < DTYPE_N ? dtype_info(dtype)->bits : 8;
}

static unsigned bits(const struct builder *b)
{
    return bits_of((enum dtype)b->in->dtype);
}

static bool is_3510(const struct builder *b)
{
    return b->target->arch == 3510;
}

static int64_t square(const struct builder *b)
{
    return b->in->dtype < DTYPE_N ? square_fractals((enum dtype)b->in->dtype) : 1;
}

/* ---- GM -> L1 ---- */

/* Bytes of `n` elements in a layout-changing copy, where b4 copies count bytes. */
static int64_t copy_bytes(const struct builder *b, int64_t n)
{
    return bits(b) == 4 ? n : n * (bits(b) / 8);
}

static void of_nd2nz(struct builder *b)
{
    const struct nd2nz_params *p = &b->in->p.nd2nz;
    const int64_t row = copy_bytes(b, p->dValue);
    reads(b, &b->in->src, 0, row, (struct dim){p->nValue, copy_bytes(b, p->srcDValue)},
          (struct dim){p->ndNum, copy_bytes(b, p->srcNdMatrixStride)}, once);
    writes(b, &b->in->dst, 0, BLOCK, (struct dim){p->nValue, (int64_t)p->dstNzNStride * BLOCK},
           (struct dim){ceil_div(row, BLOCK), (int64_t)p->dstNzC0Stride * BLOCK},
           (struct dim){p->ndNum, copy_bytes(b, p->dstNzMatrixStride)});
}

static void of_dn2nz(struct builder *b)
{
    const struct dn2nz_params *p = &b->in->p.dn2nz;
    const int64_t es = copy_bytes(b, 1);
    reads(b, &b->in->src, 0, p->nValue * es, (struct dim){p->dValue, p->srcDValue * es},
          (struct dim){p->dnNum, p->srcDnMatrixStride * es}, once);
    writes(b, &b->in->dst, 0, BLOCK, (struct dim){p->nValue, (int64_t)p->dstNzNStride * BLOCK},
           (struct dim){ceil_div(p->dValue * es, BLOCK), (int64_t)p->dstNzC0Stride * BLOCK},
           (struct dim){p->dnNum, p->dstNzMatrixStride * es});
}

static void of_data_copy(struct builder *b)
{
    const struct data_copy_params *p = &b->in->p.copy;
    const int64_t len = (int64_t)p->blockLen * BLOCK;
    reads(b, &b->in->src, 0, len, (struct dim){p->blockCount, len + (int64_t)p->srcGap * BLOCK}, once, once);
    writes(b, &b->in->dst, 0, len, (struct dim){p->blockCount, len + (int64_t)p->dstGap * BLOCK}, once, once);
}

static void of_data_copy_pad(struct builder *b)
{
    const struct data_copy_pad_params *p = &b->in->p.pad;
    const int64_t es = dtype_bytes((enum dtype)b->in->dtype, 1), len = p->blockLen, count = p->blockCount;
    const int64_t row = p->leftPadding * es + len + p->rightPadding * es, whole = align_up(row, BLOCK);
    if (len == 0) {
        return;
    }
    reads(b, &b->in->src, 0, len, (struct dim){count, len + p->srcStride}, once, once);
    if (p->paddingMode != 0) { /* Compact: rows without gaps, the end filled up to 32 B */
        writes(b, &b->in->dst, 0, count == 0 ? 0 : align_up(count * row, BLOCK), once, once, once);
    } else {
        writes(b, &b->in->dst, 0, whole, (struct dim){count, whole + (int64_t)p->dstStride * BLOCK}, once, once);
    }
}

static void of_fill(struct builder *b)
{
    const struct fill_params *p = &b->in->p.fill;
    const int64_t block = b->in->dst.buf == BUF_L1 ? BLOCK : FRACTAL, len = p->blockNum * block;
    writes(b, &b->in->dst, 0, len, (struct dim){p->repeatTimes, len + p->dstGap * block}, once, once);
}

/* ---- LoadData ---- */

static void of_load_2d(struct builder *b)
{
    const struct load_2d_params *p = &b->in->p.load_2d;
    const bool down = p->addrMode != 0 && b->in->src.buf == BUF_GM && b->in->dst.buf == BUF_L1;
    const int64_t step = down ? -(int64_t)p->srcStride : (int64_t)p->srcStride;
    /* dstGap has no effect on 950 (A10). */
    const int64_t pitch = is_3510(b) ? 1 : (int64_t)p->dstGap + 1;
    reads(b, &b->in->src, (int64_t)p->startIndex * FRACTAL, FRACTAL, (struct dim){p->repeatTimes, step * FRACTAL}, once,
          once);
    writes(b, &b->in->dst, 0, FRACTAL, (struct dim){p->repeatTimes, pitch * FRACTAL}, once, once);
}

static void load_v2_part(struct builder *b, const struct load_2d_v2_params *p)
{
    const int64_t stride = p->srcStride, n = square(b);
    const int64_t start = p->kStartPosition * (stride < 0 ? -stride : stride) + p->mStartPosition;
    const bool transpose = p->ifTranspose != 0 && b->in->src.buf != BUF_GM;
    const int64_t pitch = (int64_t)p->dstStride * FRACTAL;
    if (p->mStep == 0 || p->kStep == 0) {
        return;
    }
    reads(b, &b->in->src, start * FRACTAL, FRACTAL, (struct dim){p->mStep, FRACTAL},
          (struct dim){p->kStep, stride * FRACTAL}, once);
    if (!transpose) {
        writes(b, &b->in->dst, 0, FRACTAL, (struct dim){p->mStep, FRACTAL}, (struct dim){p->kStep, pitch}, once);
    } else if (bits(b) == 32) {
        writes(b, &b->in->dst, 0, FRACTAL, (struct dim){p->kStep / 2, FRACTAL}, (struct dim){2 * p->mStep, pitch},
               once);
    } else {
        writes(b, &b->in->dst, 0, FRACTAL, (struct dim){n * p->kStep, FRACTAL}, (struct dim){p->mStep / n, pitch},
               once);
    }
}

static void of_load_2d_v2(struct builder *b)
{
    load_v2_part(b, &b->in->p.load_2d_v2);
}

/* Scales of L0A and L0B lie at data address / 16 in memories of their own. */
static struct addr scales_at(const struct addr *data)
{
    return (struct addr){.buf = data->buf == BUF_L0A ? BUF_L0A_MX : BUF_L0B_MX, .byte = data->byte / 16};
}

static void of_load_mx(struct builder *b)
{
    const struct load_mx_params *p = &b->in->p.load_mx;
    const int64_t stride = p->srcStride;
    const int64_t start = p->xStartPosition * (stride < 0 ? -stride : stride) + p->yStartPosition;
    const struct addr dst = scales_at(&b->in->dst);
    load_v2_part(b, &p->data);
    reads(b, &b->in->src2, start * BLOCK, BLOCK, (struct dim){p->yStep, BLOCK}, (struct dim){p->xStep, stride * BLOCK},
          once);
    writes(b, &dst, 0, BLOCK, (struct dim){p->yStep, BLOCK}, (struct dim){p->xStep, (int64_t)p->dstStride * BLOCK},
           once);
}

static void of_load_transpose(struct builder *b)
{
    const struct load_transpose_params *p = &b->in->p.transpose;
    /* The first struct counts whole squares, the second one fractals. */
    const bool v1 = b->in->op == OP_LOAD_TRANSPOSE;
    const int64_t n = square(b), unit = v1 ? n : 1, step = unit * p->srcStride;
    const int64_t in_gap = v1 ? 1 : (int64_t)p->srcFracGap + 1;
    reads(b, &b->in->src, unit * p->startIndex * FRACTAL, FRACTAL, (struct dim){n, in_gap * FRACTAL},
          (struct dim){p->repeatTimes, (p->addrMode != 0 ? -step : step) * FRACTAL}, once);
    writes(b, &b->in->dst, 0, FRACTAL, (struct dim){n, ((int64_t)p->dstFracGap + 1) * FRACTAL},
           (struct dim){p->repeatTimes, ((int64_t)p->dstGap + 1) * FRACTAL}, once);
}

/* ---- LoadData 3D ---- */

struct map {
    struct load_3d_params p; /* with the registers filled in */
    int64_t fh, fw, out_w, c0;
    int64_t m_lo, m_hi, k_lo, k_hi; /* rows and columns of the expanded matrix, both ends included */
};

static bool map_of(const struct builder *b, struct map *m)
{
    m->p = b->in->p.load_3d;
    struct load_3d_params *p = &m->p;
    if (p->isSetFMatrix == 0 && b->reg != NULL) {
        const struct load_3d_params *r = &b->reg->fmatrix[p->fMatrixCtrl != 0];
        memcpy(p->padList, r->padList, sizeof p->padList);
        p->l1H = r->l1H;
        p->l1W = r->l1W;
    }
    struct insn filled = *b->in;
    filled.p.load_3d = *p;
    filled.p.load_3d.isSetFMatrix = 1; /* its values are in */
    if (insn_is_nop(&filled) || p->strideH == 0 || p->strideW == 0) {
        return false;
    }
    const struct expanded e = load_3d_expanded(p);
    m->fh = p->filterH + (p->filterSizeH != 0 ? 256 : 0);
    m->fw = p->filterW + (p->filterSizeW != 0 ? 256 : 0);
    m->c0 = dtype_c0((enum dtype)b->in->dtype);
    m->out_w = e.out_w;
    const int64_t more = (int64_t)(p->repeatTime - 1) * p->repeatStride;
    const int64_t unit = b->target->product == PRODUCT_ASCEND310B ? 2 * m->c0 : m->c0; /* of repeatStride: 64 B there */
    m->m_lo = p->mStartPt;
    m->m_hi = min_i64(e.rows, p->mStartPt + (p->repeatMode == 0 ? more * 16 : 0) + p->mExtension) - 1;
    m->k_lo = p->kStartPt;
    m->k_hi = min_i64(e.columns, p->kStartPt + (p->repeatMode == 0 ? 0 : more * unit) + p->kExtension) - 1;
    return true;
}

/* The rectangle of map points under the rows [m_lo, m_hi]. */
static void read_map(struct builder *b, const struct map *m)
{
    const struct load_3d_params *p = &m->p;
    if (m->m_lo > m->m_hi || m->k_lo > m->k_hi) {
        return;
    }
    const int64_t first = m->m_lo / m->out_w, last = m->m_hi / m->out_w;
    const int64_t h_lo = max_i64(0, first * p->strideH - p->padList[2]);
    const int64_t h_hi = min_i64(p->l1H - 1, last * p->strideH - p->padList[2] + (m->fh - 1) * p->dilationFilterH);
    int64_t w_lo = 0, w_hi = p->l1W - 1;
    if (first == last) {
        w_lo = max_i64(0, m->m_lo % m->out_w * p->strideW - p->padList[0]);
        w_hi = min_i64(w_hi, m->m_hi % m->out_w * p->strideW - p->padList[0] + (m->fw - 1) * p->dilationFilterW);
    }
    const int64_t points = m->fh * m->fw, plane = (int64_t)p->l1H * p->l1W, groups = p->channelSize / m->c0;
    const int64_t rest = (p->channelSize % m->c0) * bits(b) /
                         8; /* bytes of the leftover channels of a point, packed (A11) */
    const int64_t g_lo = m->k_lo / m->c0 / points, g_hi = min_i64(groups - 1, m->k_hi / m->c0 / points);
    const int64_t at = h_lo * p->l1W + w_lo;
    reads(b, &b->in->src, (g_lo * plane + at) * BLOCK, (w_hi - w_lo + 1) * BLOCK,
          (struct dim){h_hi - h_lo + 1, p->l1W * BLOCK}, (struct dim){g_hi - g_lo + 1, plane * BLOCK}, once);
    if (m->k_hi >= groups * m->c0 * points) {
        reads(b, &b->in->src, groups * plane * BLOCK + at * rest, (w_hi - w_lo + 1) * rest,
              (struct dim){h_hi - h_lo + 1, p->l1W * rest}, once, once);
    }
}

static void of_load_3d(struct builder *b)
{
    struct map m;
    if (!map_of(b, &m)) {
        return;
    }
    const struct load_3d_params *p = &m.p;
    const bool to_l0b = b->in->dst.buf == BUF_L0B, transposed = to_l0b || p->enTranspose != 0, nz = b->target->l0a_nz;
    const int64_t rows = align_up(p->mExtension, 16) * (p->repeatMode == 0 ? p->repeatTime : 1);
    const int64_t columns = align_up(p->kExtension, m.c0) * (p->repeatMode == 0 ? 1 : p->repeatTime);
    const int64_t dst_stride = (int64_t)p->dstStride * FRACTAL;
    read_map(b, &m);
    if (!transposed) {
        const int64_t across = columns / m.c0;
        writes(b, &b->in->dst, 0, FRACTAL, (struct dim){rows / 16, nz ? FRACTAL : across * FRACTAL},
               (struct dim){across, nz ? dst_stride : FRACTAL}, once);
        return;
    }
    /* Bands of 16 columns of X; b32 may end in half a band, whose other rows stay. */
    const int64_t down = ceil_div(rows, m.c0), bands = columns / 16;
    const int64_t band = nz || to_l0b ? FRACTAL : down * FRACTAL;
    const struct dim along = {down, nz ? dst_stride : to_l0b ? ceil_div(columns, 16) * FRACTAL : FRACTAL};
    writes(b, &b->in->dst, 0, FRACTAL, (struct dim){bands, band}, along, once);
    writes(b, &b->in->dst, bands * band, columns % 16 * BLOCK, along, once, once);
}

/* ---- L1 -> BT, FB ---- */

static void of_l1_to_bt(struct builder *b)
{
    const struct data_copy_params *p = &b->in->p.copy;
    const int64_t unit = is_3510(b) ? 32 : 64, len = p->blockLen * unit;
    const int64_t to = bits(b) == 16 ? 2 * len : len; /* half and bf16 widen to float */
    reads(b, &b->in->src, 0, len, (struct dim){p->blockCount, len + (int64_t)p->srcGap * BLOCK}, once, once);
    writes(b, &b->in->dst, 0, to, (struct dim){p->blockCount, to + p->dstGap * unit}, once, once);
}

static void of_l1_to_fb(struct builder *b)
{
    const struct data_copy_params *p = &b->in->p.copy;
    const int64_t len = p->blockLen * (is_3510(b) ? 64 : 128); /* A32 */
    reads(b, &b->in->src, 0, len, (struct dim){p->blockCount, (int64_t)p->srcGap * BLOCK}, once, once);
    writes(b, &b->in->dst, 0, len, (struct dim){p->blockCount, (int64_t)p->dstGap * 128}, once, once);
}

/* ---- Mmad, Fixpipe ---- */

static void read_scales(struct builder *b, int64_t m1, int64_t n1, bool vector)
{
    const int64_t k = b->in->p.mmad.k;
    const struct addr left = scales_at(&b->in->src), right = scales_at(&b->in->src2);
    reads(b, &left, 0, vector ? ceil_div(k, 32) : m1 * (k / 64) * BLOCK, once, once, once);
    reads(b, &right, 0, n1 * (k / 64) * BLOCK, once, once, once);
}

static void of_mmad(struct builder *b)
{
    const struct mmad_params *p = &b->in->p.mmad;
    const enum dtype right = p->btype == DTYPE_NONE ? (enum dtype)b->in->dtype : (enum dtype)p->btype;
    if (p->m == 0 || p->n == 0 || p->k == 0) {
        return;
    }
    const int64_t m1 = ceil_div(p->m, 16), n1 = ceil_div(p->n, 16), es = p->ctype == DTYPE_HALF ? 2 : 4;
    const int64_t k1a = ceil_div(p->k * bits(b), 256), k1b = ceil_div(p->k * bits_of(right), 256);
    /* m = 1 reads L0A as a plain vector, unless 950 is told not to. */
    const bool gemv = p->m == 1 && !(is_3510(b) && p->disableGemv != 0);
    const int64_t row = p->kDirectionAlign != 0 && b->in->dtype == DTYPE_FLOAT ? 2 * ceil_div(p->k, 16) : k1a;
    if (gemv) {
        reads(b, &b->in->src, 0, k1a * BLOCK, once, once, once);
    } else {
        const bool nz = b->target->l0a_nz;
        reads(b, &b->in->src, 0, FRACTAL, (struct dim){m1, nz ? FRACTAL : row * FRACTAL},
              (struct dim){k1a, nz ? m1 * FRACTAL : FRACTAL}, once);
    }
    reads(b, &b->in->src2, 0, k1b * n1 * FRACTAL, once, once, once);
    if (b->in->op == OP_MMAD_MX) {
        read_scales(b, m1, n1, gemv);
    }
    if (p->cmatrixInitVal == 0 && p->cmatrixSource == 0) {
        reads(b, &b->in->dst, 0, m1 * n1 * 256 * es, once, once, once);
    } else if (p->cmatrixInitVal == 0) {
        reads(b, &(struct addr){.buf = BUF_BT, .byte = p->biasAddr}, 0, p->n * es, once, once, once);
    }
    writes(b, &b->in->dst, 0, m1 * n1 * 256 * es, once, once, once);
}

/* What the three destination layouts of Fixpipe differ in, bytes. */
struct store {
    int64_t matrices, src_matrix, src_row, dst_matrix, dst_pitch;
};

/* Bytes of 16 elements of L0C. */
static int64_t c0_size_of(const struct builder *b)
{
    return 2 * (int64_t)bits(b);
}

static struct store store_of(const struct builder *b, int64_t es)
{
    const int64_t c0_size = c0_size_of(b);
    const struct fixpipe_params *p = &b->in->p.fixpipe;
    switch (p->format) {
    case FIXPIPE_DN:
        return (struct store){p->dnNum, p->srcNzMatrixStride * c0_size, p->srcNzC0Stride * c0_size,
                              (int64_t)p->dstDnMatrixStride * es, (int64_t)p->dstStride * es};
    case FIXPIPE_NZ:
        return (struct store){1, 0, c0_size, 0, (int64_t)p->dstStride * (p->arch3510 != 0 ? es : BLOCK)};
    default: /* srcNdStride counts 1024 B on 2201, 64 B on 3510 (A45) */
        return (struct store){p->ndNum, p->srcNdStride * c0_size * (is_3510(b) ? 1 : 16), c0_size,
                              (int64_t)p->dstNdStride * es, (int64_t)p->dstStride * es};
    }
}

/* NZ: columns of blocks `width` elements wide; rows of a last narrow block lie
 * closer together only for b8, where half a block remains. */
static void store_nz(struct builder *b, int64_t es, int64_t pitch)
{
    const struct fixpipe_params *p = &b->in->p.fixpipe;
    const int64_t width = p->channelSplit != 0 ? 8
                          : es == 1            ? 32
                                               : 16,
                  full = p->nSize / width, rest = p->nSize % width;
    const int64_t last_row = (width == 32 && rest <= 16 ? 16 : width) * es;
    writes(b, &b->in->dst, 0, p->mSize * width * es, (struct dim){full, pitch}, once, once);
    writes(b, &b->in->dst, full * pitch, rest * es, (struct dim){p->mSize, last_row}, once, once);
}

static void of_fixpipe(struct builder *b)
{
    const struct fixpipe_params *p = &b->in->p.fixpipe;
    const int64_t es = bits_of((enum dtype)p->dstType) / 8;
    const struct store s = store_of(b, es);
    const struct dim matrices = {s.matrices, s.src_matrix}, rows = {p->mSize, s.src_row};
    const int64_t column = (int64_t)p->srcStride * c0_size_of(b), full = p->nSize / 16;
    if (p->mSize == 0 || p->nSize == 0 || s.matrices == 0) {
        return;
    }
    reads(b, &b->in->src, 0, c0_size_of(b), rows, (struct dim){full, column}, matrices);
    reads(b, &b->in->src, full * column, p->nSize % 16 * c0_size_of(b) / 16, rows, matrices, once);
    if (quant_mode_is_vector((enum quant_mode)p->quantPre)) {
        reads(b, &(struct addr){.buf = BUF_FB, .byte = p->quantAddr}, 0, (int64_t)p->nSize * 8, once, once, once);
    }
    if (p->format == FIXPIPE_NZ) {
        store_nz(b, es, s.dst_pitch);
        return;
    }
    const bool dn = p->format == FIXPIPE_DN;
    writes(b, &b->in->dst, 0, (dn ? p->mSize : p->nSize) * es, (struct dim){dn ? p->nSize : p->mSize, s.dst_pitch},
           (struct dim){s.matrices, s.dst_matrix}, once);
}

/* ---- all ops ---- */

static void (*const builders[OP_N])(struct builder *) = {
    [OP_ND2NZ] = of_nd2nz,
    [OP_DN2NZ] = of_dn2nz,
    [OP_DATA_COPY] = of_data_copy,
    [OP_DATA_COPY_PAD] = of_data_copy_pad,
    [OP_FILL] = of_fill,
    [OP_LOAD_2D] = of_load_2d,
    [OP_LOAD_2D_V2] = of_load_2d_v2,
    [OP_LOAD_TRANSPOSE] = of_load_transpose,
    [OP_LOAD_TRANSPOSE_V2] = of_load_transpose,
    [OP_LOAD_MX] = of_load_mx,
    [OP_LOAD_3D] = of_load_3d,
    [OP_LOAD_3D_STRIDE] = of_load_3d,
    [OP_L1_TO_BT] = of_l1_to_bt,
    [OP_L1_TO_FB] = of_l1_to_fb,
    [OP_MMAD] = of_mmad,
    [OP_MMAD_MX] = of_mmad,
    [OP_FIXPIPE] = of_fixpipe,
};

int access_of(const struct target *target, const struct access_registers *reg, const struct insn *insn,
              struct access out[ACCESS_MAX])
{
    struct builder b = {.target = target, .reg = reg, .in = insn, .out = out};
    if (insn->op < OP_N && builders[insn->op] != NULL) {
        builders[insn->op](&b);
    }
    return b.n;
}

void access_track(struct access_registers *reg, const struct insn *insn)
{
    if (insn->op == OP_SET_FMATRIX) {
        reg->fmatrix[insn->p.load_3d.fMatrixCtrl != 0] = insn->p.load_3d;
    }
}

void access_hull(const struct access *a, int64_t *lo, int64_t *hi)
{
    *lo = *hi = a->byte;
    for (int d = 0; d < ACCESS_DIMS; d++) {
        const int64_t reach = (a->count[d] - 1) * a->pitch[d];
        *lo += min_i64(0, reach);
        *hi += max_i64(0, reach);
    }
    *hi += a->len;
}
