/* LoadData with LoadData3DParamsV2, LoadDataWithStride (semantics.md 2.7).
 *
 * X, the matrix loaded, is cut from E and made longer by repeats; L0A takes it
 * as it is or transposed, L0B always transposed. */
#include "base/intmath.h"
#include "engine/block_copy.h"
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
        .isa = x->e->mmad.isa,
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
    v.dense = v.out_w == v.w && v.out_h == v.h && v.fh * v.fw == 1 && v.stride_h * v.stride_w == 1 &&
              v.pad_left + v.pad_top == 0;
    fill_pad(&v, p->padValue);
    return v;
}

/* Columns that repeatStride counts in: 32 B, on 310B 64 B (semantics.md 2.7). */
static int64_t repeat_columns(const struct exec *x, const struct im2col *v)
{
    return x->e->target->product == PRODUCT_ASCEND310B ? 2 * v->c0 : v->c0;
}

static struct cut cut_of(const struct exec *x, const struct im2col *v, const struct load_3d_params *p)
{
    struct cut c = {
        .m0 = p->mStartPt,
        .k0 = p->kStartPt,
        .m_part = align_up(p->mExtension, 16),
        .k_part = align_up(p->kExtension, v->c0),
        .m_valid = p->mExtension,
        .k_valid = p->kExtension,
        .m_step = (int64_t)p->repeatStride * 16,
        .k_step = p->repeatStride * repeat_columns(x, v),
    };
    c.rows = c.m_part * (p->repeatMode == 0 ? p->repeatTime : 1);
    c.columns = c.k_part * (p->repeatMode == 0 ? 1 : p->repeatTime);
    c.row_fractals = c.rows / 16;
    c.column_fractals = c.columns / v->c0;
    return c;
}

/* C0 columns of X. */
struct column {
    int64_t in_k, k;           /* in their repeat; in E */
    struct im2col_point point; /* if `whole` */
    bool whole;                /* a group of channels, all of it asked for */
};

static struct column column_at(const struct im2col *v, const struct cut *c, int64_t j)
{
    const int64_t in_k = j % c->k_part, k = c->k0 + j / c->k_part * c->k_step + in_k;
    const bool whole = in_k + v->c0 <= c->k_valid && k + v->c0 <= v->full * v->fh * v->fw;
    return (struct column){in_k, k, whole ? im2col_point_at(v, k) : (struct im2col_point){0}, whole};
}

/* From the columns before j to those at j. */
static void column_next(const struct im2col *v, const struct cut *c, int64_t j, struct column *at)
{
    const struct column before = *at;
    if (before.in_k + 2 * v->c0 > c->k_valid || before.k + 2 * v->c0 > v->full * v->fh * v->fw) {
        *at = column_at(v, c, j);
        return;
    }
    at->in_k += v->c0;
    at->k += v->c0;
    im2col_point_next(v, &at->point);
}

/* Block of 32 B at row `i` of X and the given columns. */
static uint32_t cut_block(const struct im2col *v, const struct cut *c, int64_t i, const struct column *at, uint8_t *out)
{
    const int64_t in_m = i % c->m_part;
    if (in_m >= c->m_valid) {
        return UINT32_MAX;
    }
    uint32_t taint = im2col_block(v, c->m0 + i / c->m_part * c->m_step + in_m, at->k, out);
    if (at->in_k + v->c0 > c->k_valid) { /* columns past kExtension */
        const int64_t bytes = (c->k_valid - at->in_k) * v->bits / 8;
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
static bool is_run(const struct im2col *v, const struct cut *c, int64_t i, const struct column *column, int64_t *at)
{
    if (!v->dense || !column->whole) {
        return false;
    }
    const int64_t in_m = i % c->m_part, m = c->m0 + i / c->m_part * c->m_step + in_m;
    *at = (column->point.group * v->rows + m) * BLOCK;
    return in_m + 16 <= c->m_valid && m + 16 <= v->rows;
}

/* 16 rows of X from row i on (a multiple of 16) in E. */
static void band_of(const struct im2col *v, const struct cut *c, int64_t i, struct im2col_band *band)
{
    const int64_t in_m = i % c->m_part;
    im2col_band(v, c->m0 + i / c->m_part * c->m_step + in_m, max_i64(0, min_i64(16, c->m_valid - in_m)), band);
}

/* Fractal of X from row i on, which `band` holds: its 16 rows to out, their taint to words,
 * which are left alone if there is none.
 * @return the words together. */
static uint32_t gather_fractal(const struct im2col *v, const struct cut *c, const struct im2col_band *band, int64_t i,
                               const struct column *column, uint8_t *out, uint32_t *words)
{
    uint32_t any = 0;
    if (v->clean && column->whole) {
        im2col_rows(v, band, &column->point, out);
        if (band->rows == 16) {
            return 0;
        }
        for (int r = 0; r < 16; r++) {
            words[r] = r < band->rows ? 0 : UINT32_MAX;
        }
        return band->rows < 16 ? UINT32_MAX : 0;
    }
    for (int r = 0; r < 16; r++) {
        words[r] = cut_block(v, c, i + r, column, out + r * BLOCK);
        any |= words[r];
    }
    return any;
}

static void load_plain(const struct exec *x, const struct im2col *v, const struct cut *c, const struct grid *g)
{
    struct memory *dst = exec_memory(x, &x->in->dst);
    const struct column first = column_at(v, c, 0);
    for (int64_t m1 = 0; m1 < c->row_fractals; m1++) {
        struct im2col_band band;
        struct column column = first;
        band_of(v, c, m1 * 16, &band);
        for (int64_t k1 = 0; k1 < c->column_fractals; k1++) {
            if (k1 > 0) {
                column_next(v, c, k1 * v->c0, &column);
            }
            const int64_t to = x->in->dst.byte + (m1 * g->row_pitch + k1 * g->column_pitch) * FRACTAL;
            int64_t run;
            if (is_run(v, c, m1 * 16, &column, &run)) {
                const struct fractal_row row = {.to = dst->bytes + to, .from = v->map + run, .count = 1};
                copy_fractals(x->e->mmad.isa, &row);
                taint_copy(dst, to, v->mem, v->base + run, FRACTAL);
                continue;
            }
            uint32_t words[16];
            const uint32_t any = gather_fractal(v, c, &band, m1 * 16, &column, dst->bytes + to, words);
            store_taint(dst, to, words, any);
        }
    }
}

/* One square of X: `side` rows by `side` columns at (i, j), transposed into
 * out[0..n), with the taint of each. A missing right half (b32) is tainted. */
struct square {
    transpose_fn transpose;
    uint8_t in[SQUARE_MAX][FRACTAL], out[SQUARE_MAX][FRACTAL];
    uint32_t words[SQUARE_MAX][FRACTAL / BLOCK];
    uint32_t any; /* some byte is tainted */
};

static void transpose_taint(int n, struct square *s)
{
    uint8_t image[2][SQUARE_MAX][FRACTAL];
    for (int i = 0; i < n; i++) {
        taint_spread(s->words[i], FRACTAL / BLOCK, image[0][i]);
    }
    const struct square_row row = {
        .in = image[0][0], .out = image[1][0], .in_gap = FRACTAL, .out_gap = FRACTAL, .count = 1};
    s->transpose(&row);
    for (int i = 0; i < n; i++) {
        taint_gather(image[1][i], FRACTAL / BLOCK, s->words[i]);
    }
}

/* Where fractal f of the square at (i, j) of X lies in X: below the first, or beside it for b32. */
static int64_t square_row_of(const struct im2col *v, int64_t i, int f)
{
    return v->bits == 32 ? i : i + 16 * f;
}

static int64_t square_column_of(const struct im2col *v, int64_t j, int f)
{
    return v->bits == 32 ? j + 8 * f : j;
}

/* True if the square's fractals all lie in the untainted map as runs, equally far
 * apart; then fills in `row`. */
static bool square_in_map(const struct im2col *v, const struct cut *c, int64_t i, int64_t j, int n,
                          struct square_row *row)
{
    int64_t at[SQUARE_MAX] = {0};
    for (int f = 0; f < n; f++) {
        const int64_t m = square_row_of(v, i, f), k = square_column_of(v, j, f);
        if (!v->clean || !v->dense || m >= c->rows || k >= c->columns) {
            return false;
        }
        const struct column column = column_at(v, c, k);
        if (!is_run(v, c, m, &column, &at[f]) || (f > 1 && at[f] - at[f - 1] != at[1] - at[0])) {
            return false;
        }
    }
    row->in = v->map + at[0];
    row->in_gap = at[1] - at[0];
    return true;
}

static void gather_square(const struct im2col *v, const struct cut *c, int64_t i, int64_t j, struct square *s)
{
    const int n = transpose_fractals(v->bits);
    s->any = 0;
    for (int f = 0; f < n; f++) {
        const int64_t m = square_row_of(v, i, f), k = square_column_of(v, j, f);
        if (m >= c->rows || k >= c->columns) {
            memset(s->words[f], 0xFF, sizeof s->words[f]);
            s->any = UINT32_MAX;
            continue;
        }
        struct im2col_band band;
        const struct column column = column_at(v, c, k);
        band_of(v, c, m, &band);
        memset(s->words[f], 0, sizeof s->words[f]);
        s->any |= gather_fractal(v, c, &band, m, &column, s->in[f], s->words[f]);
    }
    const struct square_row row = {.in = s->in[0], .out = s->out[0], .in_gap = FRACTAL, .out_gap = FRACTAL, .count = 1};
    s->transpose(&row);
    if (s->any != 0) {
        transpose_taint(n, s);
    }
}

/* Fractal (rb, cb) of Y = X^T: 16 columns of X by C0 rows of X. Its byte in memory. */
static int64_t fractal_place(const struct exec *x, const struct grid *g, int64_t rb, int64_t cb)
{
    return x->in->dst.byte + (rb * g->row_pitch + cb * g->column_pitch) * FRACTAL;
}

static void store_fractal(struct memory *dst, int64_t to, int64_t rows, const struct square *s, int f)
{
    memcpy(dst->bytes + to, s->out[f], (size_t)(rows * BLOCK));
    if (s->any == 0) {
        taint_clear(dst, to, rows * BLOCK);
    } else {
        taint_store(dst, to, s->words[f], rows);
    }
}

static void load_square(const struct exec *x, const struct im2col *v, const struct cut *c, const struct grid *g,
                        int64_t i, int64_t j, struct square *s)
{
    struct memory *dst = exec_memory(x, &x->in->dst);
    const int n = transpose_fractals(v->bits);
    int64_t to[SQUARE_MAX] = {0};
    for (int f = 0; f < n; f++) {
        to[f] = v->bits == 32 ? fractal_place(x, g, j / 16, i / 8 + f) : fractal_place(x, g, j / 16 + f, i / v->c0);
    }
    struct square_row row = {.out = dst->bytes + to[0], .out_gap = to[1] - to[0], .count = 1};
    if (square_in_map(v, c, i, j, n, &row)) {
        s->transpose(&row);
        for (int f = 0; f < n; f++) {
            taint_clear(dst, to[f], FRACTAL);
        }
        return;
    }
    gather_square(v, c, i, j, s);
    for (int f = 0; f < n; f++) {
        /* b32 with C % 16 == 8: rows 8..15 of the last band are not written. */
        const int64_t rb = v->bits == 32 ? j / 16 : j / 16 + f;
        store_fractal(dst, to[f], min_i64(16, c->columns - rb * 16), s, f);
    }
}

static void load_transposed(const struct exec *x, const struct im2col *v, const struct cut *c, const struct grid *g)
{
    const int64_t side = v->bits == 32 ? 16 : v->c0;
    struct square s = {.transpose = transpose_of(x->e->mmad.isa, v->bits)};
    for (int64_t j = 0; j < c->columns; j += side) {
        for (int64_t i = 0; i < c->rows; i += side) {
            load_square(x, v, c, g, i, j, &s);
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
    const struct cut c = cut_of(x, &v, &p);
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
