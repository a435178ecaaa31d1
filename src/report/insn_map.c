/* insn_map.c - panels of cells from an instruction's footprint.
 *
 * A panel is drawn as the matrix it is where the parameters say its shape: a
 * stride is the height of a column of fractals (Nz) or the length of a row of
 * them (Zz, Zn). Otherwise fractals stand in rows of eight. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/intmath.h"
#include "isa/footprint.h"
#include "report/insn_map.h"

enum { FRACTAL = 512, BLOCK = 32, ROW = 8, SHAPE_MAX = 32 };

/* How numbers become places: `run` cells, then the next column (or row). */
struct shape {
    int64_t run;
    bool column_major;
};

struct build {
    const struct insn *in;
    const struct target *target;
    struct arena *arena;
    struct insn_map *map;
    bool failed;
};

static struct map_panel *add_panel(struct build *b, const char *title)
{
    struct map_panel *p = &b->map->panel[b->map->panels++];
    p->cells = arena_alloc(b->arena, MAP_CELLS_MAX, sizeof *p->cells);
    b->failed = b->failed || p->cells == NULL;
    snprintf(p->title, sizeof p->title, "%s", title);
    return p;
}

/* The cell, or NULL beyond the cap. */
static struct map_cell *add_cell(struct map_panel *p, int64_t x, int64_t y, int64_t number)
{
    p->total++;
    if (p->cells == NULL || p->count == MAP_CELLS_MAX) {
        return NULL;
    }
    struct map_cell *c = &p->cells[p->count++];
    *c = (struct map_cell){.x = (int32_t)x, .y = (int32_t)y, .number = number};
    p->columns = x >= p->columns ? (int32_t)x + 1 : p->columns;
    p->rows = y >= p->rows ? (int32_t)y + 1 : p->rows;
    return c;
}

/* ---- fractals moved one by one, or in squares ---- */

struct fractals {
    struct map_panel *src, *dst;
    struct shape from, to;
    int64_t unit;    /* bytes of a cell */
    uint8_t operand; /* pieces of this operand only */
    int n;           /* fractals of a square; 1: each goes to one place */
    int64_t origin;  /* lowest number of the source, <= 0 */
};

static void place(const struct shape *s, int64_t number, int64_t *x, int64_t *y)
{
    *x = s->column_major ? number / s->run : number % s->run;
    *y = s->column_major ? number % s->run : number / s->run;
}

static bool lowest(void *ctx, const struct piece *p)
{
    struct fractals *f = ctx;
    if (p->operand == f->operand && p->src < f->origin * f->unit) {
        f->origin = p->src / f->unit;
    }
    return true;
}

static bool add_pair(void *ctx, const struct piece *p)
{
    struct fractals *f = ctx;
    int64_t x, y;
    if (p->operand != f->operand) {
        return true;
    }
    const int64_t src = p->src / f->unit, dst = p->dst / f->unit;
    place(&f->from, src - f->origin, &x, &y);
    struct map_cell *a = add_cell(f->src, x, y, src);
    place(&f->to, dst, &x, &y);
    struct map_cell *b = add_cell(f->dst, x, y, dst);
    if (a == NULL || b == NULL) {
        return false;
    }
    a->group = b->group = p->square;
    a->transposed = b->transposed = p->transposed;
    if (f->n > 1 && p->transposed) {
        snprintf(a->label, sizeof a->label, "square %d", (int)p->square);
        snprintf(b->label, sizeof b->label, "square %d", (int)p->square);
    } else {
        snprintf(a->label, sizeof a->label, "> %d", (int)dst);
        snprintf(b->label, sizeof b->label, "< %d", (int)src);
    }
    return true;
}

/* Cells between the used ones, as gaps. */
static void add_gaps(struct map_panel *p, const struct shape *s, int64_t origin)
{
    int64_t last = origin;
    const size_t used = p->count;
    for (size_t i = 0; i < used; i++) {
        last = max_i64(last, p->cells[i].number);
    }
    for (int64_t n = origin; n < last && p->count < MAP_CELLS_MAX; n++) {
        bool taken = false;
        for (size_t i = 0; i < used && !taken; i++) {
            taken = p->cells[i].number == n;
        }
        if (!taken) {
            int64_t x, y;
            place(s, n - origin, &x, &y);
            struct map_cell *c = add_cell(p, x, y, n);
            p->total--;
            c->kind = MAP_GAP;
        }
    }
}

static void add_fractals(struct build *b, struct fractals f, const char *src, const char *dst)
{
    (void)footprint_visit(b->in, b->target, lowest, &f);
    f.src = add_panel(b, src);
    f.dst = add_panel(b, dst);
    if (b->failed) {
        return;
    }
    (void)footprint_visit(b->in, b->target, add_pair, &f);
    add_gaps(f.src, &f.from, f.origin);
    add_gaps(f.dst, &f.to, 0);
}

static struct shape row_of(int64_t run)
{
    return (struct shape){run >= 2 && run <= SHAPE_MAX ? run : ROW, false};
}

static struct shape column_of(int64_t run)
{
    return run >= 1 && run <= SHAPE_MAX ? (struct shape){run, true} : (struct shape){ROW, false};
}

/* L0B is drawn as K x N (Zn: rows of fractals), everything else as Nz columns. */
static struct shape result_shape(const struct build *b, int64_t stride)
{
    return b->in->dst.buf == BUF_L0B ? row_of(stride) : column_of(stride);
}

static void shape_text(const struct shape *s, const char *unit, enum buffer buf, char *out, size_t size)
{
    snprintf(out, size, "%s, %s of %d %s%s", buffer_name(buf), s->column_major ? "columns" : "rows", (int)s->run, unit,
             s->run == 1 ? "" : "s");
}

static void add_moves(struct build *b, struct fractals f)
{
    char src[60], dst[60];
    const bool scale = f.operand == PIECE_SCALE;
    const enum buffer to = !scale ? (enum buffer)b->in->dst.buf : b->in->dst.buf == BUF_L0B ? BUF_L0B_MX : BUF_L0A_MX;
    shape_text(&f.from, scale ? "scale block" : "fractal", (enum buffer)(scale ? b->in->src2.buf : b->in->src.buf), src,
               sizeof src);
    shape_text(&f.to, scale ? "scale block" : "fractal", to, dst, sizeof dst);
    add_fractals(b, f, src, dst);
}

static void map_2d(struct build *b)
{
    const struct load_2d_params *p = &b->in->p.load_2d;
    add_moves(b,
              (struct fractals){.from = row_of(p->srcStride), .to = row_of(p->dstGap + 1LL), .unit = FRACTAL, .n = 1});
}

static void map_v2(struct build *b, const struct load_2d_v2_params *p)
{
    const int64_t stride = p->srcStride < 0 ? -(int64_t)p->srcStride : p->srcStride;
    add_moves(b, (struct fractals){.from = column_of(stride),
                                   .to = result_shape(b, p->dstStride),
                                   .unit = FRACTAL,
                                   .n = square_fractals((enum dtype)b->in->dtype)});
}

static void map_mx(struct build *b)
{
    const struct load_mx_params *p = &b->in->p.load_mx;
    if (p->data.mStep != 0 && p->data.kStep != 0) {
        map_v2(b, &p->data);
    }
    if (p->xStep != 0 && p->yStep != 0) {
        const int64_t stride = p->srcStride < 0 ? -(int64_t)p->srcStride : p->srcStride;
        add_moves(
            b, (struct fractals){
                   .from = row_of(stride), .to = row_of(p->dstStride), .unit = BLOCK, .operand = PIECE_SCALE, .n = 1});
    }
}

static void map_transpose(struct build *b)
{
    const struct load_transpose_params *p = &b->in->p.transpose;
    const int n = square_fractals((enum dtype)b->in->dtype);
    const bool v2 = b->in->op == OP_LOAD_TRANSPOSE_V2;
    const int64_t step = (v2 ? 1 : n) * (int64_t)p->srcStride;
    const int64_t gap = n > 1 && p->dstFracGap > 0 ? p->dstFracGap : p->dstGap;
    add_moves(b, (struct fractals){.from = row_of(v2 && n > 1 && p->srcFracGap > 0 ? p->srcFracGap + 1LL : step),
                                   .to = row_of(gap + 1),
                                   .unit = FRACTAL,
                                   .n = n});
}

/* ---- copies into an Nz image: cells of 32 B columns, one or 16 rows high ---- */

struct image {
    int64_t matrices, rows, row_bytes, es;
    int64_t c0_stride, n_stride, matrix_stride; /* 32 B, 32 B, bytes */
};

static void add_image(struct build *b, const struct image *im)
{
    char title[120];
    const int64_t high = im->rows > 16 ? 16 : 1, blocks = ceil_div(im->row_bytes, BLOCK),
                  row_cells = ceil_div(im->rows, high);
    snprintf(title, sizeof title, "GM, %d %s of 32 B by %s", (int)blocks, blocks == 1 ? "column" : "columns",
             high == 1 ? "one row" : "16 rows");
    struct map_panel *src = add_panel(b, title);
    snprintf(title, sizeof title, "L1, Nz image, numbers: %s", high == 1 ? "32 B block" : "512 B from the operand");
    struct map_panel *dst = add_panel(b, title);
    for (int64_t i = 0; i < im->matrices && !b->failed; i++) {
        for (int64_t r = 0; r < row_cells; r++) {
            for (int64_t c = 0; c < blocks; c++) {
                const int64_t to = i * im->matrix_stride + (c * im->c0_stride + r * high * im->n_stride) * BLOCK;
                const int64_t number = to / (high == 1 ? BLOCK : FRACTAL), source = (i * row_cells + r) * blocks + c;
                struct map_cell *a = add_cell(src, c, i * row_cells + r, source);
                const int64_t y = im->c0_stride > 0 ? i * row_cells + r : number;
                struct map_cell *z = add_cell(dst, c, y, number);
                if (a == NULL || z == NULL) {
                    return;
                }
                a->group = z->group = c;
                snprintf(a->label, sizeof a->label, "> %" PRId64, number);
                snprintf(z->label, sizeof z->label, "< %" PRId64, source);
            }
        }
    }
}

static int64_t copy_bytes(const struct build *b)
{
    const unsigned bits = dtype_info((enum dtype)b->in->dtype)->bits;
    return bits == 4 ? 1 : bits / 8;
}

static void map_nd2nz(struct build *b)
{
    const struct nd2nz_params *p = &b->in->p.nd2nz;
    const int64_t es = copy_bytes(b);
    const struct image im = {p->ndNum,         p->nValue,       p->dValue * es,           es,
                             p->dstNzC0Stride, p->dstNzNStride, p->dstNzMatrixStride * es};
    add_image(b, &im);
}

static void map_dn2nz(struct build *b)
{
    const struct dn2nz_params *p = &b->in->p.dn2nz;
    const int64_t es = copy_bytes(b);
    const struct image im = {p->dnNum,         p->nValue,       p->dValue * es,           es,
                             p->dstNzC0Stride, p->dstNzNStride, p->dstNzMatrixStride * es};
    add_image(b, &im);
}

/* ---- runs of bytes: one cell a block ---- */

struct runs {
    struct map_panel *src, *dst;
};

static bool add_run(void *ctx, const struct piece *p)
{
    const struct runs *r = ctx;
    struct map_cell *a = p->src_len > 0 ? add_cell(r->src, p->index % ROW, p->index / ROW, p->index) : NULL;
    struct map_cell *z = add_cell(r->dst, p->index % ROW, p->index / ROW, p->index);
    if (a != NULL) {
        a->group = p->index;
        snprintf(a->label, sizeof a->label, "+%" PRId64, p->src);
    }
    if (z != NULL) {
        z->group = p->index;
        snprintf(z->label, sizeof z->label, "+%" PRId64, p->dst);
    }
    return z != NULL;
}

static void map_runs(struct build *b)
{
    struct runs r;
    char title[120];
    snprintf(title, sizeof title, "%s, one cell a block",
             b->in->op == OP_FILL ? "constant" : buffer_name((enum buffer)b->in->src.buf));
    r.src = add_panel(b, title);
    snprintf(title, sizeof title, "%s, one cell a block", buffer_name((enum buffer)b->in->dst.buf));
    r.dst = add_panel(b, title);
    snprintf(b->map->note, sizeof b->map->note, "label: byte from the operand's address");
    if (!b->failed) {
        (void)footprint_visit(b->in, b->target, add_run, &r);
    }
}

/* ---- LoadData 3D: points of the map, fractals of the expanded matrix ---- */

/* Points of the padded map, with how many elements' rows of E use them. */
static void add_feature_map(struct build *b, const struct load_3d_params *p)
{
    const struct expanded e = load_3d_expanded(p);
    const int64_t fh = p->filterH + (p->filterSizeH != 0 ? 256 : 0), fw = p->filterW + (p->filterSizeW != 0 ? 256 : 0);
    struct map_panel *s = add_panel(b, "L1, feature map: point, times a loaded row uses it");
    const int64_t last = min_i64(e.rows, (int64_t)p->mStartPt + p->mExtension);
    for (int64_t h = -p->padList[2]; h < p->l1H + p->padList[3] && !b->failed; h++) {
        for (int64_t w = -p->padList[0]; w < p->l1W + p->padList[1]; w++) {
            int64_t uses = 0;
            struct map_cell *c = add_cell(s, w + p->padList[0], h + p->padList[2], -1);
            if (c == NULL) {
                return;
            }
            for (int64_t m = p->mStartPt; m < last; m++) {
                const int64_t y = h + p->padList[2] - m / e.out_w * p->strideH,
                              x = w + p->padList[0] - m % e.out_w * p->strideW;
                uses += y >= 0 && x >= 0 && y % p->dilationFilterH == 0 && x % p->dilationFilterW == 0 &&
                        y / p->dilationFilterH < fh && x / p->dilationFilterW < fw;
            }
            const bool inside = h >= 0 && w >= 0 && h < p->l1H && w < p->l1W;
            c->number = inside ? h * p->l1W + w : -1;
            c->kind = inside && uses > 0 ? MAP_USED : inside ? MAP_GAP : MAP_PAD;
            c->group = uses;
            if (inside && uses > 0) {
                snprintf(c->label, sizeof c->label, "x %d", (int)uses);
            }
        }
    }
}

static void map_3d(struct build *b)
{
    const struct load_3d_params *p = &b->in->p.load_3d;
    const int64_t c0 = dtype_c0((enum dtype)b->in->dtype);
    const bool nz = b->target->l0a_nz, to_l0b = b->in->dst.buf == BUF_L0B, flipped = to_l0b || p->enTranspose != 0;
    const int64_t m = align_up(p->mExtension, 16) * (p->repeatMode == 0 ? p->repeatTime : 1);
    const int64_t k = align_up(p->kExtension, c0) * (p->repeatMode == 0 ? 1 : p->repeatTime);
    const int64_t rows = flipped ? ceil_div(k, 16) : m / 16, columns = flipped ? ceil_div(m, c0) : k / c0;
    const int64_t fw = p->filterW + (p->filterSizeW != 0 ? 256 : 0),
                  points = fw * (p->filterH + (p->filterSizeH != 0 ? 256 : 0));
    add_feature_map(b, p);
    struct map_panel *d = add_panel(b, "");
    snprintf(d->title, sizeof d->title, "%s, fractals, as the matrix they are%s",
             buffer_name((enum buffer)b->in->dst.buf),
             flipped ? " (transposed: k down, m right)" : " (m down, k right)");
    snprintf(b->map->note, sizeof b->map->note,
             "label of a fractal: its channel group, filter row and column (of its first k)");
    for (int64_t r = 0; r < rows && !b->failed; r++) {
        for (int64_t c = 0; c < columns; c++) {
            const int64_t at = nz ? c * p->dstStride + r : to_l0b ? c * rows + r : r * columns + c;
            const int64_t first = p->kStartPt + (flipped ? r * 16 : c * c0), group = first / c0;
            struct map_cell *cell = add_cell(d, c, r, at);
            if (cell == NULL) {
                return;
            }
            cell->group = group;
            cell->transposed = flipped;
            snprintf(cell->label, sizeof cell->label, "%d:%d,%d", (int)(group / points), (int)(group % points / fw),
                     (int)(group % fw));
        }
    }
}

/* ---- Mmad, Fixpipe: matrices of fractals ---- */

static void add_matrix(struct build *b, const char *title, int64_t rows, int64_t columns, int64_t down, int64_t right,
                       bool by_row)
{
    struct map_panel *p = add_panel(b, title);
    for (int64_t r = 0; r < rows && !b->failed; r++) {
        for (int64_t c = 0; c < columns; c++) {
            struct map_cell *cell = add_cell(p, c, r, r * down + c * right);
            if (cell == NULL) {
                return;
            }
            cell->group = by_row ? r : c;
            snprintf(cell->label, sizeof cell->label, "%d,%d", (int)r, (int)c);
        }
    }
}

static void map_mmad(struct build *b)
{
    const struct mmad_params *p = &b->in->p.mmad;
    const enum dtype a = (enum dtype)b->in->dtype, right = p->btype == DTYPE_NONE ? a : (enum dtype)p->btype;
    const int64_t m1 = ceil_div(p->m, 16), n1 = ceil_div(p->n, 16), k1 = ceil_div(p->k, dtype_c0(a));
    const int64_t pitch = p->kDirectionAlign != 0 && a == DTYPE_FLOAT ? 2 * ceil_div(p->k, 16) : k1;
    const bool gemv = p->m == 1 && !(b->target->arch == 3510 && p->disableGemv != 0);
    if (gemv) {
        add_matrix(b, "L0A, a vector: 32 B blocks", 1, k1, 0, 1, true);
    } else if (b->target->l0a_nz) {
        add_matrix(b, "L0A, m x k fractals (Nz)", m1, k1, 1, m1, true);
    } else {
        add_matrix(b, "L0A, m x k fractals (Zz)", m1, k1, pitch, 1, true);
    }
    add_matrix(b, "L0B, k x n fractals (Zn)", ceil_div(p->k, dtype_c0(right)), n1, n1, 1, false);
    add_matrix(b, "L0C, m x n fractals of 1 KiB (Nz)", m1, n1, 1, m1, true);
    snprintf(b->map->note, sizeof b->map->note, "label: row, column of the fractal in its matrix");
}

static void map_fixpipe(struct build *b)
{
    const struct fixpipe_params *p = &b->in->p.fixpipe;
    const int64_t m1 = ceil_div(p->mSize, 16), n1 = ceil_div(p->nSize, 16);
    if (p->srcStride % 16 == 0) {
        add_matrix(b, "L0C, fractals of 1 KiB read (Nz)", m1, n1, 1, p->srcStride / 16, true);
    } else {
        add_matrix(b, "L0C, 64 B rows of 16 columns: first of each 16", m1, n1, 16, p->srcStride, true);
    }
    snprintf(b->map->note, sizeof b->map->note, "label: row, column of the fractal in the tile");
}

enum status insn_map_build(const struct insn *insn, const struct target *target, struct arena *arena,
                           struct insn_map *map, struct diag *d)
{
    struct build b = {.in = insn, .target = target, .arena = arena, .map = map};
    memset(map, 0, sizeof *map);
    map->insn = insn;
    map->target = target;
    if (insn_is_nop(insn)) {
        return STATUS_OK;
    }
    switch ((enum op)insn->op) {
    case OP_ND2NZ:
        map_nd2nz(&b);
        break;
    case OP_DN2NZ:
        map_dn2nz(&b);
        break;
    case OP_DATA_COPY:
    case OP_DATA_COPY_PAD:
    case OP_FILL:
    case OP_L1_TO_BT:
    case OP_L1_TO_FB:
        map_runs(&b);
        break;
    case OP_LOAD_2D:
        map_2d(&b);
        break;
    case OP_LOAD_2D_V2:
        map_v2(&b, &insn->p.load_2d_v2);
        break;
    case OP_LOAD_MX:
        map_mx(&b);
        break;
    case OP_LOAD_TRANSPOSE:
    case OP_LOAD_TRANSPOSE_V2:
        map_transpose(&b);
        break;
    case OP_LOAD_3D:
    case OP_LOAD_3D_STRIDE:
        map_3d(&b);
        break;
    case OP_MMAD:
    case OP_MMAD_MX:
        map_mmad(&b);
        break;
    case OP_FIXPIPE:
        map_fixpipe(&b);
        break;
    default:
        break;
    }
    return b.failed ? diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the map") : STATUS_OK;
}

/* ---- as text ---- */

static void cell_text(const struct map_cell *c, char *out, size_t size)
{
    if (c == NULL) {
        out[0] = '\0';
    } else if (c->kind == MAP_PAD) {
        snprintf(out, size, "pad");
    } else if (c->kind == MAP_GAP) {
        snprintf(out, size, "(%" PRId64 ")", c->number);
    } else {
        const char *label = c->label;
        char tight[40];
        size_t n = 0; /* "> 4" as ">4", "square 3" as "sq3" */
        if (strncmp(label, "square ", 7) == 0) {
            snprintf(tight, sizeof tight, ":s%s", label + 7);
        } else {
            const bool arrow = label[0] == '>' || label[0] == '<' || label[0] == 'x' || label[0] == '+';
            tight[0] = ' ';
            n += !arrow;
            for (; *label != '\0' && n < sizeof tight - 1; label++) {
                tight[n] = *label;
                n += *label != ' ';
            }
            tight[n] = '\0';
        }
        snprintf(out, size, "%" PRId64 "%s%s", c->number, tight, c->transposed ? "T" : "");
    }
}

static const struct map_cell *cell_at(const struct map_panel *p, int32_t x, int32_t y)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->cells[i].x == x && p->cells[i].y == y) {
            return &p->cells[i];
        }
    }
    return NULL;
}

static void panel_text(const struct map_panel *p, struct strbuf *out)
{
    char text[80];
    int width = 0;
    for (size_t i = 0; i < p->count; i++) {
        cell_text(&p->cells[i], text, sizeof text);
        width = (int)strlen(text) > width ? (int)strlen(text) : width;
    }
    strbuf_addf(out, "  %s\n", p->title);
    for (int32_t y = 0; y < p->rows; y++) {
        strbuf_add(out, "   ");
        for (int32_t x = 0; x < p->columns; x++) {
            cell_text(cell_at(p, x, y), text, sizeof text);
            strbuf_addf(out, " %-*s", width, text);
        }
        while (out->len > 0 && !out->failed && out->text[out->len - 1] == ' ') {
            out->text[--out->len] = '\0';
        }
        strbuf_add(out, "\n");
    }
    if (p->total > MAP_CELLS_MAX) {
        strbuf_addf(out, "    first %zu cells of more; the picture shows the same\n", p->count);
    }
}

/* The fractals of one square in one panel. */
static void square_numbers(const struct map_panel *p, int64_t square, struct strbuf *out)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->cells[i].kind == MAP_USED && p->cells[i].group == square) {
            strbuf_addf(out, " %" PRId64, p->cells[i].number);
        }
    }
}

/* "square 0: 0 1 -> 0 4": each output holds 16 columns of the whole square. */
static void squares_text(const struct insn_map *map, struct strbuf *out)
{
    enum { LISTED = 32 };
    int64_t last = -1;
    const struct map_panel *src = &map->panel[0];
    for (size_t i = 0; i < src->count; i++) {
        const struct map_cell *c = &src->cells[i];
        if (c->kind == MAP_USED && strncmp(c->label, "square", 6) == 0) {
            last = c->group > last ? c->group : last;
        }
    }
    for (int64_t s = 0; s <= last && s < LISTED; s++) {
        strbuf_addf(out, "  square %" PRId64 ":", s);
        square_numbers(src, s, out);
        strbuf_add(out, " ->");
        square_numbers(&map->panel[1], s, out);
        strbuf_add(out, "\n");
    }
    if (last >= LISTED) {
        strbuf_addf(out, "  .. %" PRId64 " squares more\n", last + 1 - LISTED);
    }
}

void insn_map_text(const struct insn_map *map, struct strbuf *out)
{
    if (map->panels == 0) {
        return;
    }
    strbuf_add(
        out,
        "\nMap: number in memory (from the operand's address) > goes to, < comes from, :sN square N, T transposed, "
        "(gap)\n");
    if (map->note[0] != '\0') {
        strbuf_addf(out, "  %s\n", map->note);
    }
    for (int i = 0; i < map->panels; i++) {
        panel_text(&map->panel[i], out);
    }
    if (map->panels >= 2) {
        squares_text(map, out);
    }
}
