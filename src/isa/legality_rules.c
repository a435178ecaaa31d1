#include "isa/legality_rules.h"

#include <inttypes.h>
#include <stdio.h>

#include "isa/footprint.h"
#include "isa/support.h"

struct rules {
    const struct insn *in;
    const struct target *t;
    const struct legality_state *state;
    struct violations *out;
    const char *doc;
    unsigned bits;
    bool is_3510;
};

#define FAIL(r, code, field, value, ...) violation_add((r)->out, code, field, (int64_t)(value), (r)->doc, __VA_ARGS__)

static bool is_a2(const struct rules *r)
{
    return r->t->product == PRODUCT_ASCEND910B || r->t->product == PRODUCT_ATLAS_A3;
}

static void need_multiple(const struct rules *r, const char *field, int64_t value, int64_t unit, const char *why)
{
    if (value % unit != 0) {
        FAIL(r, E_MULTIPLE, field, value, "%s: a multiple of %" PRId64, why, unit);
    }
}

static bool to_l0(const struct insn *in)
{
    return in->src.buf == BUF_L1 && (in->dst.buf == BUF_L0A || in->dst.buf == BUF_L0B);
}

/* ---- copies ---- */

static void rules_dn2nz(const struct rules *r)
{
    if (r->bits == 4) {
        need_multiple(r, "nValue", r->in->p.dn2nz.nValue, 2, "b4");
    }
}

static void rules_matrix_stride(const struct rules *r, int64_t stride, int64_t matrices)
{
    const int64_t es = r->bits == 4 ? 1 : r->bits / 8;
    if (matrices > 1 && stride * es % 32 != 0) {
        FAIL(r, E_MULTIPLE, "dstNzMatrixStride", stride, "the images start on 32 B");
    }
}

static void rules_fixpipe(const struct rules *r)
{
    const struct fixpipe_params *p = &r->in->p.fixpipe;
    const enum quant_mode mode = (enum quant_mode)p->quantPre;
    if (!fixpipe_mode_supported(r->t->product, mode)) {
        FAIL(r, E_PARAM, "quantPre", mode, "%s is not offered on %s", quant_mode_name(mode),
             product_name(r->t->product));
    }
    if (p->format == FIXPIPE_DN && !r->is_3510) {
        FAIL(r, E_PARAM, "format", p->format, "DN is only on 950");
    }
    if (p->arch3510 != 0 && !r->is_3510) {
        FAIL(r, E_PARAM, "arch3510", 1, "FixpipeParamsArch3510 is only on 950");
    }
    if (r->in->dst.buf == BUF_L1 && p->format != FIXPIPE_NZ) {
        FAIL(r, E_PARAM, "format", p->format, "L1 takes NZ only");
    }
    if (p->channelSplit != 0 && (p->format != FIXPIPE_NZ || p->dstType != DTYPE_FLOAT || r->in->dst.buf != BUF_GM)) {
        FAIL(r, E_PARAM, "channelSplit", 1, "float to float NZ in GM only");
    }
    if (p->format == FIXPIPE_NZ) { /* A39: ND and DN take any n */
        need_multiple(r, "nSize", p->nSize, p->channelSplit != 0 ? 8 : 16, "NZ");
    }
    if (p->unitFlag != 0 && (p->channelSplit != 0 || p->srcNzC0Stride != 1)) {
        FAIL(r, E_PARAM, "unitFlag", p->unitFlag, "not with channelSplit or srcNzC0Stride");
    }
    if (p->unitFlag == 1) {
        FAIL(r, E_RANGE, "unitFlag", 1, "0 or 3");
    }
    const int64_t rows = p->format == FIXPIPE_ND && !r->is_3510 ? 8192 : p->format == FIXPIPE_DN ? 32767 : 65535;
    if (p->mSize > rows) {
        FAIL(r, E_RANGE, "mSize", p->mSize, "at most %" PRId64 " in this format", rows);
    }
    if (p->format == FIXPIPE_ND && p->mSize > 1 && p->dstStride < p->nSize) {
        FAIL(r, E_OVERLAP, "dstStride", p->dstStride, "rows of %d elements overlap in the destination", p->nSize);
    }
}

/* ---- fractal loads ---- */

/* Scales come from L1, as the data do; the instruction's path is that of the data. */
static void rules_scales(const struct rules *r)
{
    const struct load_mx_params *p = &r->in->p.load_mx;
    if (p->xStep != 0 && p->yStep != 0 && r->in->src2.buf != BUF_L1) {
        FAIL(r, E_PATH, "src_mx", r->in->src2.buf, "scales are loaded from L1, not from %s",
             buffer_name((enum buffer)r->in->src2.buf));
    }
}

static void rules_2d(const struct rules *r)
{
    const struct load_2d_params *p = &r->in->p.load_2d;
    const bool gm_to_l1 = r->in->src.buf == BUF_GM && r->in->dst.buf == BUF_L1;
    if (p->ifTranspose != 0 && (r->bits != 16 || !to_l0(r->in))) {
        FAIL(r, E_TRANSPOSE, "ifTranspose", 1, "16-bit elements from L1 to L0A or L0B only");
    }
    if (p->addrMode != 0 && !gm_to_l1) {
        FAIL(r, E_PARAM, "addrMode", p->addrMode, "the address direction is chosen on GM -> L1 only");
    }
    if (p->dstGap != 0 && gm_to_l1 && r->t->product == PRODUCT_ASCEND910) {
        FAIL(r, E_PARAM, "dstGap", p->dstGap, "not supported on GM -> L1 of this product");
    }
}

static void rules_v2(const struct rules *r, const struct load_2d_v2_params *p)
{
    if (p->ifTranspose == 0) {
        return;
    }
    if (r->in->src.buf == BUF_GM) {
        FAIL(r, E_TRANSPOSE, "ifTranspose", 1, "GM -> L1 does not transpose");
        return;
    }
    if (r->bits == 32) {
        need_multiple(r, "kStep", p->kStep, 2, "b32 transposes pairs of fractals");
    } else {
        need_multiple(r, "mStep", p->mStep, square_fractals((enum dtype)r->in->dtype),
                      "a transpose takes whole squares");
    }
}

/* ---- LoadData 3D ---- */

/* Channels left over after whole groups of C0: the sizes offered. */
static bool channels_ok(const struct rules *r, int64_t channels, int64_t c0)
{
    static const uint8_t rests[3][4] = {{8, 16, 32, 0}, {4, 8, 16, 0}, {4, 8, 0, 0}}; /* b4, b8, b16 */
    const int64_t rest = channels % c0;
    if (rest == 0) { /* 310P names C0 itself but no multiple of it */
        return r->t->product != PRODUCT_ASCEND310P || channels == c0;
    }
    if (r->bits == 32) {
        return rest == 4;
    }
    const uint8_t *allowed = rests[r->bits == 4 ? 0 : r->bits == 8 ? 1 : 2];
    return rest == allowed[0] || rest == allowed[1] || (allowed[2] != 0 && rest == allowed[2]);
}

static void rules_3d_registers(const struct rules *r, const struct load_3d_params *p)
{
    if (p->isSetFMatrix == 0 && !r->state->fmatrix_set[p->fMatrixCtrl != 0]) {
        FAIL(r, E_CONFIG, "isSetFMatrix", 0, "SetFmatrix was not called");
    }
    if (p->isSetPadding == 0 && !r->state->padding_set) {
        FAIL(r, E_CONFIG, "isSetPadding", 0, "SetLoadDataPaddingValue was not called");
    }
    if (r->in->op == OP_LOAD_3D_STRIDE && p->dstStride == 0) {
        FAIL(r, E_CONFIG, "dstStride", 0, "SetLoadDataRepeatWithStride must be called first, with dstStride");
    }
}

static void rules_3d_fields(const struct rules *r, const struct load_3d_params *p)
{
    if (p->enSmallK != 0) {
        FAIL(r, E_PARAM, "enSmallK", p->enSmallK, "no longer supported");
    }
    if (p->dstStride != 0 && !r->is_3510) {
        FAIL(r, E_PARAM, "dstStride", p->dstStride, "only on 950");
    }
    if (!channels_ok(r, p->channelSize, dtype_c0((enum dtype)r->in->dtype))) {
        FAIL(r, E_CHANNEL, "channelSize", p->channelSize, "not a size offered for %s",
             dtype_info((enum dtype)r->in->dtype)->ascend);
    }
}

static bool transpose_offered(const struct rules *r)
{
    if (r->is_3510) {
        return r->bits >= 8;
    }
    return (is_a2(r) || r->t->product == PRODUCT_ASCEND310B) && r->bits >= 16;
}

static void rules_3d_shape(const struct rules *r, const struct load_3d_params *p)
{
    const int64_t c0 = dtype_c0((enum dtype)r->in->dtype);
    const struct expanded e = load_3d_expanded(p);
    if (e.rows == 0) {
        FAIL(r, E_DIM, "l1H", p->l1H, "the filter does not fit into the padded map");
        return;
    }
    if (p->mStartPt >= e.rows) {
        FAIL(r, E_DIM, "mStartPt", p->mStartPt, "beyond the %" PRId64 " rows of the expanded matrix", e.rows);
    }
    if (p->kStartPt >= e.columns) {
        FAIL(r, E_DIM, "kStartPt", p->kStartPt, "beyond the %" PRId64 " columns of the expanded matrix", e.columns);
    }
    need_multiple(r, "kStartPt", p->kStartPt, c0, "32 B");
    if (p->kExtension % c0 != 0 && p->kStartPt + p->kExtension < e.columns) {
        FAIL(r, E_MULTIPLE, "kExtension", p->kExtension, "a multiple of %" PRId64 " unless the right edge is reached",
             c0);
    }
    if (r->bits != 32 && p->mExtension % 16 != 0 && p->mStartPt + p->mExtension < e.rows) {
        FAIL(r, E_MULTIPLE, "mExtension", p->mExtension, "a multiple of 16 unless the bottom edge is reached");
    }
}

static void rules_3d(const struct rules *r)
{
    const struct load_3d_params *p = &r->in->p.load_3d;
    const bool to_l0b = r->in->dst.buf == BUF_L0B;
    rules_3d_registers(r, p);
    rules_3d_fields(r, p);
    if (p->strideH == 0 || p->strideW == 0 || p->dilationFilterH == 0 || p->dilationFilterW == 0) {
        return; /* reported as ranges (A14) */
    }
    if (p->isSetFMatrix != 0) { /* else the map's size is not known here */
        rules_3d_shape(r, p);
    }
    if (p->enTranspose != 0 && !to_l0b && !transpose_offered(r)) {
        FAIL(r, E_TRANSPOSE, "enTranspose", 1, "not offered for %s on %s", dtype_info((enum dtype)r->in->dtype)->ascend,
             product_name(r->t->product));
    } else if ((p->enTranspose != 0 || to_l0b) && r->bits < 16) {
        need_multiple(r, "mExtension", p->mExtension, dtype_c0((enum dtype)r->in->dtype),
                      "a transpose takes whole squares");
    }
}

/* ---- Mmad ---- */

static bool mmad_support(const struct insn *in, const struct target *t, struct violations *out)
{
    const bool mx = in->op == OP_MMAD_MX;
    const char *doc = op_document((enum op)in->op);
    const enum dtype a = (enum dtype)in->dtype;
    const enum dtype b = in->p.mmad.btype == DTYPE_NONE ? a : (enum dtype)in->p.mmad.btype;
    size_t count, len = 0;
    uint32_t products = 0;
    char list[120] = "";
    const struct mmad_triple *triples = mmad_triples(&count);
    for (size_t i = 0; i < count; i++) {
        products |= triples[i].mx == mx ? triples[i].products : 0;
    }
    if ((products >> t->product & 1U) == 0) {
        for (int i = 0; i < PRODUCT_N && len < sizeof list; i++) {
            if ((products >> i & 1U) != 0) {
                len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", len > 0 ? ", " : "; offered on ",
                                        product_name((enum product)i));
            }
        }
        violation_add(out, E_TARGET, "", 0, doc, "%s is not offered on %s%s", op_name((enum op)in->op),
                      product_name(t->product), list);
        return false;
    }
    if (in->src.buf != BUF_L0A || in->src2.buf != BUF_L0B || in->dst.buf != BUF_L0C) {
        violation_add(out, E_PATH, "", 0, doc, "multiplies L0A by L0B into L0C");
        return false;
    }
    if (b >= DTYPE_N || mmad_triple_find(t->product, mx, a, b, (enum dtype)in->p.mmad.ctype) == NULL) {
        violation_add(out, E_DTYPE, "dtype", a, doc, "%s by %s is not offered on %s", dtype_info(a)->ascend,
                      b < DTYPE_N ? dtype_info(b)->ascend : "?", product_name(t->product));
    }
    return true;
}

static void rules_mmad(const struct rules *r)
{
    const struct mmad_params *p = &r->in->p.mmad;
    const bool mx = r->in->op == OP_MMAD_MX;
    const enum dtype a = (enum dtype)r->in->dtype, b = p->btype == DTYPE_NONE ? a : (enum dtype)p->btype;
    const struct mmad_triple *t = b < DTYPE_N ? mmad_triple_find(r->t->product, mx, a, b, (enum dtype)p->ctype) : NULL;
    if (!mx && p->kDirectionAlign != 0 && (r->is_3510 || a != DTYPE_FLOAT)) {
        FAIL(r, E_PARAM, "kDirectionAlign", 1, "float on A2 and A3 only");
    }
    if (p->disableGemv != 0 && !r->is_3510) {
        FAIL(r, E_PARAM, "disableGemv", 1, "only on 950");
    }
    if (mx) {
        need_multiple(r, "k", p->k, 64, "two scales a row");
    } else if (r->bits == 4) {
        need_multiple(r, "k", p->k, 2, "b4 pairs");
    }
    if (t != NULL && t->bias == DTYPE_NONE && p->cmatrixInitVal == 0 && p->cmatrixSource != 0) {
        FAIL(r, E_PARAM, "cmatrixSource", 1, "this form of Mmad has no bias");
    }
    if (p->unitFlag == 1) {
        FAIL(r, E_RANGE, "unitFlag", 1, "0, 2 or 3");
    }
    if (p->unitFlag > 1 && !r->is_3510 && !is_a2(r)) {
        FAIL(r, E_PARAM, "unitFlag", p->unitFlag, "950, A2 and A3 only");
    }
}

/* ---- Fill ---- */

static bool fill_support(const struct insn *in, const struct target *t, struct violations *out)
{
    const bool l0 = in->dst.buf == BUF_L0A || in->dst.buf == BUF_L0B;
    if (in->dst.buf != BUF_L1 && (!l0 || t->arch == 3510)) {
        violation_add(out, E_PATH, "", 0, op_document(OP_FILL), "%s is not filled on %s",
                      buffer_name((enum buffer)in->dst.buf), product_name(t->product));
        return false;
    }
    const unsigned bits = dtype_info((enum dtype)in->dtype)->bits;
    if (bits != 16 && bits != 32) {
        violation_add(out, E_DTYPE, "dtype", in->dtype, op_document(OP_FILL), "16 and 32 bit types only");
    }
    return true;
}

/* ---- L1 -> BT ---- */

/* BT holds the accumulator's type: float of half, bf16 and float, int32 of int32. */
static void rules_bt(const struct rules *r)
{
    const enum dtype dst = (enum dtype)r->in->p.copy.dstType;
    if (dst != DTYPE_NONE && dst != (r->in->dtype == DTYPE_INT32 ? DTYPE_INT32 : DTYPE_FLOAT)) {
        violation_add(r->out, E_DTYPE, "dstType", dst, r->doc,
                      "BT takes float of half, bf16 or float, and int32 of int32");
    }
}

bool legality_op_support(const struct insn *in, const struct target *t, struct violations *out)
{
    switch ((enum op)in->op) {
    case OP_MMAD:
    case OP_MMAD_MX:
        return mmad_support(in, t, out);
    case OP_FILL:
        return fill_support(in, t, out);
    default:
        return true;
    }
}

void legality_op_rules(const struct insn *in, const struct target *t, const struct legality_state *state,
                       struct violations *out)
{
    const struct rules r = {.in = in,
                            .t = t,
                            .state = state,
                            .out = out,
                            .doc = op_document((enum op)in->op),
                            .bits = dtype_info((enum dtype)in->dtype)->bits,
                            .is_3510 = t->arch == 3510};
    switch ((enum op)in->op) {
    case OP_ND2NZ:
        rules_matrix_stride(&r, in->p.nd2nz.dstNzMatrixStride, in->p.nd2nz.ndNum);
        return;
    case OP_DN2NZ:
        rules_matrix_stride(&r, in->p.dn2nz.dstNzMatrixStride, in->p.dn2nz.dnNum);
        rules_dn2nz(&r);
        return;
    case OP_LOAD_2D:
        rules_2d(&r);
        return;
    case OP_LOAD_2D_V2:
        rules_v2(&r, &in->p.load_2d_v2);
        return;
    case OP_LOAD_MX:
        rules_v2(&r, &in->p.load_mx.data);
        rules_scales(&r);
        return;
    case OP_LOAD_3D:
    case OP_LOAD_3D_STRIDE:
        rules_3d(&r);
        return;
    case OP_MMAD:
    case OP_MMAD_MX:
        rules_mmad(&r);
        return;
    case OP_L1_TO_BT:
        rules_bt(&r);
        return;
    case OP_FIXPIPE:
        rules_fixpipe(&r);
        return;
    default:
        return;
    }
}

static void note(struct violations *out, const struct insn *in, const char *field, const char *text)
{
    violation_add(out, E_NONE, field, 0, op_document((enum op)in->op), "%s", text);
}

void legality_op_notes(const struct insn *in, const struct target *t, struct violations *out)
{
    const bool is_3510 = t->arch == 3510, c_api = (in->flags & INSN_C_API) != 0;
    const enum op op = (enum op)in->op;
    if (op == OP_LOAD_2D && is_3510 && in->p.load_2d.dstGap != 0) {
        note(out, in, "dstGap", "the page gives it no effect on 950; the vendor header uses it (A10)");
    }
    if (op == OP_LOAD_2D && is_3510 && in->p.load_2d.startIndex != 0 && in->p.load_2d.srcStride > 1) {
        note(out, in, "startIndex",
             "counts fractals by the page; the vendor header of 950 multiplies it by srcStride (A10)");
    }
    if ((op == OP_LOAD_TRANSPOSE || op == OP_LOAD_TRANSPOSE_V2) && in->p.transpose.addrMode != 0 && !c_api) {
        note(out, in, "addrMode", "decreases by the page; the vendor headers always increase (A8)");
    }
    if ((op == OP_LOAD_3D || op == OP_LOAD_3D_STRIDE) &&
        in->p.load_3d.channelSize % dtype_c0((enum dtype)in->dtype) != 0) {
        note(out, in, "channelSize", "leftover channels are taken as packed; another page pads them to C0 (A11)");
    }
    if (op == OP_LOAD_3D && !is_3510 && in->p.load_3d.mStartPt % 16 != 0) {
        note(out, in, "mStartPt", "any value by the page; the vendor header of 2201 asserts a multiple of 16 (A13)");
    }
    if (op == OP_FIXPIPE && in->p.fixpipe.ndNum > 1 && in->p.fixpipe.format == FIXPIPE_ND) {
        note(out, in, "srcNdStride",
             is_3510 ? "64 B units here; some pages say 1024 B (A45)" : "1024 B units here; 64 B on 950 (A45)");
    }
    if (op == OP_FIXPIPE && (in->p.fixpipe.quantPre == QUANT_REQ8 || in->p.fixpipe.quantPre == QUANT_QF322B8_PRE) &&
        (in->p.fixpipe.deqScalar >> 46 & 1U) != (in->p.fixpipe.dstType == DTYPE_INT8)) {
        note(out, in, "deqScalar", "bit 46 (signed result) does not fit dstType; the bit decides");
    }
    if ((op == OP_MMAD || op == OP_MMAD_MX) && in->p.mmad.cmatrixInitVal != 0 && in->p.mmad.cmatrixSource != 0) {
        note(out, in, "cmatrixSource", "ignored while cmatrixInitVal is 1");
    }
}
