/* LoadData with LoadData3DParamsV2, LoadDataWithStride (semantics.md 2.7).
 *
 * X, the matrix loaded, is cut from E and made longer by repeats; L0A takes it
 * as it is or transposed, L0B always transposed. */
#include "base/intmath.h"
#include "engine/im2col.h"
#include "engine/move.h"

/* X as rows and columns of E. */
struct cut {
    int64_t m0, k0;           /* first row and column */
    int64_t m_part, k_part;   /* rows and columns of one repeat, padded to fractals */
    int64_t m_valid, k_valid; /* mExtension, kExtension */
    int64_t m_step, k_step;   /* from one repeat to the next in E */
    int64_t rows, columns;    /* of X, multiples of 16 and C0 */
    int64_t row_fractals, column_fractals;
};

/* Where fractal (r1, c1) of the result lies: r1 * row_pitch + c1 * column_pitch. */
struct grid {
    int64_t row_pitch, column_pitch;
};

/* Nothing to do, whatever the registers hold. */
static bool is_nop(const struct load_3d_params *p)
{
    return p->channelSize == 0 || p->kExtension == 0 || p->mExtension == 0 ||
           (p->filterW == 0 && p->filterSizeW == 0) || (p->filterH == 0 && p->filterSizeH == 0) || p->repeatTime == 0;
}

/* Fills in what SetFmatrix holds. */
static enum status with_fmatrix(const struct exec *x, struct load_3d_params *p)
{
    const struct registers *reg = &x->e->reg;
    const int side = p->fMatrixCtrl != 0;
    if (p->isSetFMatrix != 0) {
        return STATUS_OK;
    }
    if (!reg->fmatrix_set[side]) {
        return exec_fail(x, "isSetFMatrix is 0, but SetFmatrix was never called");
    }
    memcpy(p->padList, reg->fmatrix[side].padList, sizeof p->padList);
    p->l1H = reg->fmatrix[side].l1H;
    p->l1W = reg->fmatrix[side].l1W;
    return STATUS_OK;
}

static enum status with_padding(const struct exec *x, struct load_3d_params *p)
{
    if (p->isSetPadding == 0 && !x->e->reg.padding_set) {
        return exec_fail(x, "isSetPadding is 0, but SetLoadDataPaddingValue was never called");
    }
    p->padValue = p->isSetPadding == 0 ? x->e->reg.padding : p->padValue;
    return STATUS_OK;
}

static int64_t positions(int64_t map, int64_t pads, int64_t filter, int64_t dilation, int64_t stride)
{
    const int64_t room = map + pads - ((filter - 1) * dilation + 1);
    return room < 0 ? 0 : room / stride + 1;
}

static void fill_pad(struct im2col *v, uint32_t value)
{
    const uint32_t b8 = (value & 0xFFU) * 0x01010101U, b4 = (value & 0xFU) * 0x11111111U;
    const uint32_t word = v->bits == 32 ? value : v->bits == 16 ? (value & 0xFFFFU) * 0x10001U : v->bits == 8 ? b8 : b4;
    for (int i = 0; i < BLOCK; i += 4) {
        memcpy(v->pad + i, &word, 4);
    }
}

static struct im2col view_of(const struct exec *x, const struct load_3d_params *p)
{
    const struct memory *m = exec_memory(x, &x->in->src);
    struct im2col v = {
        .map = m->bytes + x->in->src.byte,
        .mem = m,
        .base = x->in->src.byte,
        .bits = dtype_info((enum dtype)x->in->dtype)->bits,
        .c0 = dtype_c0((enum dtype)x->in->dtype),
        .h = p->l1H,
        .w = p->l1W,
        .fh = p->filterH + (p->filterSizeH != 0 ? 256 : 0),
        .fw = p->filterW + (p->filterSizeW != 0 ? 256 : 0),
        .stride_h = p->strideH,
        .stride_w = p->strideW,
        .dilation_h = p->dilationFilterH,
        .dilation_w = p->dilationFilterW,
        .pad_left = p->padList[0],
        .pad_top = p->padList[2],
    };
    v.out_h = positions(v.h, p->padList[2] + p->padList[3], v.fh, v.dilation_h, v.stride_h);
    v.out_w = positions(v.w, p->padList[0] + p->padList[1], v.fw, v.dilation_w, v.stride_w);
    v.rest = p->channelSize % v.c0;
    v.full = p->channelSize - v.rest;
    v.rows = v.out_h * v.out_w;
    v.columns = p->channelSize * v.fh * v.fw;
    fill_pad(&v, p->padValue);
    return v;
}

static struct cut cut_of(const struct im2col *v, const struct load_3d_params *p)
{
    struct cut c = {
        .m0 = p->mStartPt,
        .k0 = p->kStartPt,
        .m_part = align_up(p->mExtension, 16),
        .k_part = align_up(p->kExtension, v->c0),
        .m_valid = p->mExtension,
        .k_valid = p->kExtension,
        .m_step = (int64_t)p->repeatStride * 16,
        .k_step = p->repeatStride * v->c0,
    };
    c.rows = c.m_part * (p->repeatMode == 0 ? p->repeatTime : 1);
    c.columns = c.k_part * (p->repeatMode == 0 ? 1 : p->repeatTime);
    c.row_fractals = c.rows / 16;
    c.column_fractals = c.columns / v->c0;
    return c;
}

/* Block of 32 B at row `i`, column `j` (a multiple of C0) of X. */
static uint32_t cut_block(const struct im2col *v, const struct cut *c, int64_t i, int64_t j, uint8_t *out)
{
    const int64_t in_m = i % c->m_part, in_k = j % c->k_part;
    if (in_m >= c->m_valid) {
        return UINT32_MAX;
    }
    const int64_t m = c->m0 + i / c->m_part * c->m_step + in_m, k = c->k0 + j / c->k_part * c->k_step + in_k;
    uint32_t taint = im2col_block(v, m, k, out);
    if (in_k + v->c0 > c->k_valid) { /* columns past kExtension */
        const int64_t bytes = (c->k_valid - in_k) * v->bits / 8;
        taint |= UINT32_MAX << bytes;
    }
    return taint;
}

static void store_taint(struct memory *dst, int64_t at, const uint32_t *words, uint32_t any)
{
    if (any == 0) {
        taint_clear(dst, at, FRACTAL);
    } else {
        taint_store(dst, at, words, FRACTAL / BLOCK);
    }
}

/* True if 16 rows of X from row i on are 512 consecutive bytes of the map:
 * a 1x1 filter that does not skip points. *at: their place. */
static bool is_run(const struct im2col *v, const struct cut *c, int64_t i, int64_t j, int64_t *at)
{
    const int64_t in_m = i % c->m_part, m = c->m0 + i / c->m_part * c->m_step + in_m;
    const int64_t k = c->k0 + j / c->k_part * c->k_step + j % c->k_part;
    if (v->out_w != v->w || v->out_h != v->h || v->fh * v->fw != 1 || v->stride_h * v->stride_w != 1 ||
        v->pad_left + v->pad_top != 0 || in_m + 16 > c->m_valid || m + 16 > v->rows || k + v->c0 > v->full ||
        j % c->k_part + v->c0 > c->k_valid) {
        return false;
    }
    *at = (k / v->c0 * v->rows + m) * BLOCK;
    return true;
}

/* 16 rows of X from row i on (a multiple of 16) in E. */
static void band_of(const struct im2col *v, const struct cut *c, int64_t i, struct im2col_band *band)
{
    const int64_t in_m = i % c->m_part;
    im2col_band(v, c->m0 + i / c->m_part * c->m_step + in_m, max_i64(0, min_i64(16, c->m_valid - in_m)), band);
}

/* Fractal of X at (i, j): its 16 rows to out, their taint to words.
 * @return the words together. */
static uint32_t gather_fractal(const struct im2col *v, const struct cut *c, const struct im2col_band *band, int64_t i,
                               int64_t j, uint8_t *out, uint32_t *words)
{
    const int64_t in_k = j % c->k_part, k = c->k0 + j / c->k_part * c->k_step + in_k;
    uint32_t any = 0;
    if (v->clean && in_k + v->c0 <= c->k_valid && k + v->c0 <= v->full * v->fh * v->fw) {
        im2col_rows(v, band, k, out);
        for (int r = 0; r < 16; r++) {
            words[r] = r < band->rows ? 0 : UINT32_MAX;
        }
        return band->rows < 16 ? UINT32_MAX : 0;
    }
    for (int r = 0; r < 16; r++) {
        words[r] = cut_block(v, c, i + r, j, out + r * BLOCK);
        any |= words[r];
    }
    return any;
}

static void load_plain(const struct exec *x, const struct im2col *v, const struct cut *c, const struct grid *g)
{
    struct memory *dst = exec_memory(x, &x->in->dst);
    for (int64_t m1 = 0; m1 < c->row_fractals; m1++) {
        struct im2col_band band;
        band_of(v, c, m1 * 16, &band);
        for (int64_t k1 = 0; k1 < c->column_fractals; k1++) {
            const int64_t to = x->in->dst.byte + (m1 * g->row_pitch + k1 * g->column_pitch) * FRACTAL;
            int64_t run;
            if (is_run(v, c, m1 * 16, k1 * v->c0, &run)) {
                copy_fractal(dst->bytes + to, v->map + run);
                taint_copy(dst, to, v->mem, v->base + run, FRACTAL);
                continue;
            }
            uint32_t words[16];
            const uint32_t any = gather_fractal(v, c, &band, m1 * 16, k1 * v->c0, dst->bytes + to, words);
            store_taint(dst, to, words, any);
        }
    }
}

/* One square of X: `side` rows by `side` columns at (i, j), transposed into
 * image[0..n), with the taint of each. A missing right half (b32) is tainted. */
struct square {
    transpose_fn transpose;
    uint8_t in[SQUARE_MAX][FRACTAL], out[SQUARE_MAX][FRACTAL];
    uint32_t words[SQUARE_MAX][FRACTAL / BLOCK];
    uint32_t any; /* some byte is tainted */
};

static void transpose_taint(int n, struct square *s)
{
    uint8_t image[2][SQUARE_MAX][FRACTAL];
    const uint8_t *in[SQUARE_MAX] = {0};
    uint8_t *out[SQUARE_MAX] = {0};
    for (int i = 0; i < n; i++) {
        taint_spread(s->words[i], FRACTAL / BLOCK, image[0][i]);
        in[i] = image[0][i];
        out[i] = image[1][i];
    }
    s->transpose(in, out);
    for (int i = 0; i < n; i++) {
        taint_gather(image[1][i], FRACTAL / BLOCK, s->words[i]);
    }
}

static void gather_square(const struct im2col *v, const struct cut *c, int64_t i, int64_t j, struct square *s)
{
    const int n = transpose_fractals(v->bits);
    const uint8_t *in[SQUARE_MAX] = {0};
    uint8_t *out[SQUARE_MAX] = {0};
    s->any = 0;
    for (int f = 0; f < n; f++) {
        const int64_t row = v->bits == 32 ? i : i + 16 * f, column = v->bits == 32 ? j + 8 * f : j;
        int64_t run;
        in[f] = s->in[f];
        out[f] = s->out[f];
        if (row >= c->rows || column >= c->columns) {
            memset(s->words[f], 0xFF, sizeof s->words[f]);
            s->any = UINT32_MAX;
        } else if (v->clean && is_run(v, c, row, column, &run)) {
            in[f] = v->map + run;
            memset(s->words[f], 0, sizeof s->words[f]);
        } else {
            struct im2col_band band;
            band_of(v, c, row, &band);
            s->any |= gather_fractal(v, c, &band, row, column, s->in[f], s->words[f]);
        }
    }
    s->transpose(in, out);
    if (s->any != 0) {
        transpose_taint(n, s);
    }
}

/* Fractal (rb, cb) of Y = X^T: 16 columns of X by C0 rows of X. */
static void store_fractal(const struct exec *x, const struct cut *c, const struct grid *g, int64_t rb, int64_t cb,
                          const struct square *s, int f)
{
    struct memory *dst = exec_memory(x, &x->in->dst);
    const int64_t to = x->in->dst.byte + (rb * g->row_pitch + cb * g->column_pitch) * FRACTAL;
    /* b32 with C % 16 == 8: rows 8..15 of the last band are not written. */
    const int64_t rows = min_i64(16, c->columns - rb * 16);
    memcpy(dst->bytes + to, s->out[f], (size_t)(rows * BLOCK));
    if (s->any == 0) {
        taint_clear(dst, to, rows * BLOCK);
    } else {
        taint_store(dst, to, s->words[f], rows);
    }
}

static void load_transposed(const struct exec *x, const struct im2col *v, const struct cut *c, const struct grid *g)
{
    const int n = transpose_fractals(v->bits);
    const int64_t side = v->bits == 32 ? 16 : v->c0;
    struct square s = {.transpose = transpose_of(x->e->mmad.isa, v->bits)};
    for (int64_t j = 0; j < c->columns; j += side) {
        for (int64_t i = 0; i < c->rows; i += side) {
            gather_square(v, c, i, j, &s);
            for (int f = 0; f < n; f++) {
                const int64_t rb = v->bits == 32 ? j / 16 : j / 16 + f, cb = v->bits == 32 ? i / 8 + f : i / side;
                store_fractal(x, c, g, rb, cb, &s, f);
            }
        }
    }
}

static struct grid grid_of(const struct exec *x, const struct im2col *v, const struct cut *c, bool transposed)
{
    const bool nz = x->e->target->l0a_nz, to_l0b = x->in->dst.buf == BUF_L0B;
    const int64_t dst_stride = x->in->p.load_3d.dstStride;
    if (!transposed) {
        return nz ? (struct grid){1, dst_stride} : (struct grid){c->column_fractals, 1};
    }
    if (nz) {
        return (struct grid){1, dst_stride};
    }
    return to_l0b ? (struct grid){1, ceil_div(c->columns, 16)} : (struct grid){ceil_div(c->rows, v->c0), 1};
}

static enum status check_view(const struct exec *x, const struct load_3d_params *p, const struct im2col *v)
{
    if (v->rows == 0) {
        return exec_fail(x, "the filter does not fit into the padded map: Ho x Wo is %d x %d", (int)v->out_h,
                         (int)v->out_w);
    }
    if (v->rest * v->bits % 8 != 0) {
        return exec_fail(x, "channelSize leaves half a byte a point");
    }
    if (p->kStartPt % v->c0 != 0) {
        return exec_fail(x, "kStartPt is not a multiple of %d elements (32 B)", (int)v->c0);
    }
    return STATUS_OK;
}

/* Behind the last byte written. The last band of a b32 transpose may be half a fractal. */
static int64_t destination_end(const struct cut *c, const struct grid *g, int64_t r1, int64_t c1, bool transposed)
{
    const int64_t last = ((r1 - 1) * g->row_pitch + (c1 - 1) * g->column_pitch) * FRACTAL;
    const int64_t rows = transposed ? c->columns - (r1 - 1) * 16 : 16;
    const int64_t before = r1 > 1 ? last - g->row_pitch * FRACTAL + FRACTAL : 0; /* of the band in front of it */
    return max_i64(last + min_i64(rows, 16) * BLOCK, before);
}

enum status exec_load_3d(const struct exec *x)
{
    const struct insn *in = x->in;
    struct load_3d_params p = in->p.load_3d;
    if (is_nop(&p)) {
        return STATUS_OK;
    }
    TRY(with_fmatrix(x, &p));
    if (p.l1H == 0 || p.l1W == 0) {
        return STATUS_OK;
    }
    TRY(with_padding(x, &p));
    TRY(exec_operand(x, "source", &in->src, false));
    TRY(exec_operand(x, "destination", &in->dst, true));
    if (in->src.buf != BUF_L1 || (in->dst.buf != BUF_L0A && in->dst.buf != BUF_L0B)) {
        return exec_fail(x, "reads L1 and writes L0A or L0B");
    }
    if (p.strideH == 0 || p.strideW == 0 || p.dilationFilterH == 0 || p.dilationFilterW == 0) {
        return exec_fail(x, "a stride or dilation of 0 has no meaning");
    }
    struct im2col v = view_of(x, &p);
    TRY(check_view(x, &p, &v));
    const struct cut c = cut_of(&v, &p);
    const bool transposed = in->dst.buf == BUF_L0B || p.enTranspose != 0;
    if (transposed && v.bits < 16 && c.rows % v.c0 != 0) {
        return exec_fail(x, "transposing needs whole squares: %d rows are no multiple of %d", (int)c.rows, (int)v.c0);
    }
    const struct grid g = grid_of(x, &v, &c, transposed);
    const int64_t r1 = transposed ? ceil_div(c.columns, 16) : c.row_fractals;
    const int64_t c1 = transposed ? ceil_div(c.rows, v.c0) : c.column_fractals;
    TRY(exec_span(x, "source", &in->src, 0, im2col_map_bytes(&v)));
    TRY(exec_span(x, "destination", &in->dst, 0, destination_end(&c, &g, r1, c1, transposed)));
    v.clean = taint_clean(v.mem, v.base, im2col_map_bytes(&v));
    exec_count(x, insn_path(in), r1 * c1 * FRACTAL);
    if (transposed) {
        load_transposed(x, &v, &c, &g);
    } else {
        load_plain(x, &v, &c, &g);
    }
    return STATUS_OK;
}
