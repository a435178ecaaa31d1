/* lower_load.c - the forms of kernel_rules.md section 4 at every width. */
#include "schedule/lower_load.h"

#include <string.h>

#include "base/intmath.h"
#include "isa/footprint.h"

#define FRACTAL 512

static struct insn *new_load(const struct load_shape *x, enum op op, int64_t fractal_offset, struct insn *out)
{
    memset(out, 0, sizeof *out);
    out->op = (uint8_t)op;
    out->pipe = PIPE_MTE1;
    out->dtype = (uint8_t)x->dtype;
    out->role = (uint8_t)x->role;
    out->src = (struct addr){.buf = BUF_L1, .half = x->src->half, .byte = x->src->off};
    out->dst = (struct addr){.buf = x->dst->buf, .half = x->dst->half, .byte = x->dst->off + fractal_offset * FRACTAL};
    return out;
}

static int64_t k_fractals(const struct load_shape *x)
{
    return x->k / x->c0;
}

static int64_t mn_fractals(const struct load_shape *x)
{
    return x->mn / 16;
}

/* Side of the squares a transposing load works on, elements. */
static int64_t square_side(const struct load_shape *x)
{
    return max_i64(16, x->c0);
}

/* Rows of squares along K that need an instruction each, 1 if one does all. */
static int64_t loop_count(const struct load_shape *x)
{
    return x->transposing && x->l0_mn != x->mn ? x->k / square_side(x) : 1;
}

/* --- 2D ------------------------------------------------------------------- */

/* One LoadData2D line of fractals per M block (L0A, Zz) or per K block (L0B, Zn). */
static bool line_per_mn(const struct load_shape *x)
{
    return x->role == ROLE_A;
}

/* Source fractal of (mn block, k block) in the image. */
static int64_t source_fractal(const struct load_shape *x, int64_t mn, int64_t k)
{
    const int64_t rows = x->image_rows / 16;
    return x->transposing ? (x->mn_in_image / x->c0 + mn) * rows + x->k_in_image / 16 + k
                          : (x->k_in_image / x->c0 + k) * rows + x->mn_in_image / 16 + mn;
}

/* A block as lines of fractals, contiguous in L0. */
struct lines {
    int64_t count, length;    /* lines; fractals of one */
    int64_t first;            /* in the image, fractals */
    int64_t stride, distance; /* from fractal to fractal, from line to line */
};

static struct lines lines_of(const struct load_shape *x)
{
    const int64_t first = source_fractal(x, 0, 0);
    const int64_t mn = source_fractal(x, 1, 0) - first, k = source_fractal(x, 0, 1) - first;
    return line_per_mn(x) ? (struct lines){mn_fractals(x), k_fractals(x), first, k, mn}
                          : (struct lines){k_fractals(x), mn_fractals(x), first, mn, k};
}

#define REPEAT_MAX 255 /* repeatTimes */

/* Lines that one instruction takes: where each line begins one stride behind the
 * last fractal of the one before, repeatTimes goes on over all of them. */
static int64_t merged_lines(const struct load_shape *x, const struct lines *l)
{
    const bool behind = l->length == 1 || l->distance == l->length * l->stride;
    return x->repeat && behind && l->count * l->length <= REPEAT_MAX ? l->count : 1;
}

/* Plain fractals, or b16 ones with ifTranspose. */
static int emit_2d(const struct load_shape *x, struct insn *out)
{
    const struct lines l = lines_of(x);
    const int64_t merged = merged_lines(x, &l), calls = l.count / merged;
    const bool single = l.length == 1 && merged > 1;
    for (int64_t i = 0; i < calls; i++) {
        struct insn *n = new_load(x, OP_LOAD_2D, i * merged * l.length, out + i);
        n->p.load_2d = (struct load_2d_params){.startIndex = (uint32_t)(l.first + i * merged * l.distance),
                                               .repeatTimes = (uint16_t)(merged * l.length),
                                               .srcStride = (uint32_t)(single ? l.distance : l.stride),
                                               .ifTranspose = x->transposing};
    }
    return (int)calls;
}

static int32_t calls_2d(const struct load_shape *x)
{
    const struct lines l = lines_of(x);
    return (int32_t)(l.count / merged_lines(x, &l));
}

/* --- WithTranspose -------------------------------------------------------- */

/* Squares and where their fractals go; distances in fractals. */
struct squares {
    int64_t fractals;                    /* of one square: 4, 2, 1, 2 */
    int64_t source, source_mn, source_k; /* first square; next one along M (N), along K */
    int64_t source_gap;                  /* from one input fractal of a square to the next */
    int64_t dst_mn, dst_k, dst_gap;      /* the same in L0 */
};

static struct squares squares_of(const struct load_shape *x)
{
    const bool b32 = x->c0 == 8;
    const int64_t rows = x->image_rows / 16, cols = x->image_cols / x->c0, k1 = k_fractals(x), mn1 = x->l0_mn / 16;
    struct squares q = {.fractals = square_fractals(x->dtype), .source_gap = 1};
    const int64_t row = x->k_in_image / 16, col = x->mn_in_image / x->c0;
    if (x->zz) { /* b32: two fractals side by side, neighbours in memory */
        q.source = row * cols + col, q.source_mn = 2, q.source_k = cols;
    } else if (b32) {
        q.source = col * rows + row, q.source_mn = 2 * rows, q.source_k = 1, q.source_gap = rows;
    } else { /* b16: one, b8: two, b4: four below each other */
        q.source = col * rows + row, q.source_mn = rows, q.source_k = q.fractals;
    }
    /* b32 outputs lie along K, the others along M (N). */
    const int64_t step_mn = x->role == ROLE_A ? k1 : 1, step_k = x->role == ROLE_A ? 1 : mn1;
    q.dst_gap = b32 ? step_k : step_mn;
    q.dst_mn = b32 ? step_mn : q.fractals * step_mn;
    q.dst_k = b32 ? 2 * step_k : step_k;
    return q;
}

/* 3510: fractals of a square may lie apart in L1 only with the second struct;
 * float8 types exist in the C API only. */
static enum op transpose_op(const struct load_shape *x)
{
    const bool float8 = x->dtype == DTYPE_FP8_E4M3 || x->dtype == DTYPE_FP8_E5M2 || x->dtype == DTYPE_HIF8;
    return x->arch3510 && (x->c0 == 8 || float8) ? OP_LOAD_TRANSPOSE_V2 : OP_LOAD_TRANSPOSE;
}

static int64_t transpose_lines(const struct load_shape *x)
{
    return (line_per_mn(x) ? x->mn : x->k) / square_side(x);
}

static int emit_transpose(const struct load_shape *x, struct insn *out)
{
    const struct squares q = squares_of(x);
    const bool per_mn = line_per_mn(x);
    const enum op op = transpose_op(x);
    const int64_t lines = transpose_lines(x), unit = op == OP_LOAD_TRANSPOSE ? q.fractals : 1;
    const bool c_api = op == OP_LOAD_TRANSPOSE_V2 && x->c0 == 32;
    for (int64_t i = 0; i < lines; i++) {
        const int64_t source = q.source + i * (per_mn ? q.source_mn : q.source_k);
        struct insn *n = new_load(x, op, i * (per_mn ? q.dst_mn : q.dst_k), out + i);
        n->flags = c_api ? INSN_C_API : 0;
        n->p.transpose = (struct load_transpose_params){
            .startIndex = (uint32_t)(source / unit),
            .repeatTimes = (uint16_t)((per_mn ? x->k : x->mn) / square_side(x)),
            .srcStride = (uint32_t)((per_mn ? q.source_k : q.source_mn) / unit),
            .dstGap = (uint32_t)((per_mn ? q.dst_k : q.dst_mn) - 1),
            .dstFracGap = (uint32_t)(q.fractals > 1 ? q.dst_gap - 1 : 0),
            .srcFracGap = (uint32_t)(q.source_gap - 1),
        };
    }
    return (int)lines;
}

/* --- 3D ------------------------------------------------------------------- */

/* The image seen as a map of one row of image_rows points with image_cols channels. */
static int emit_3d(const struct load_shape *x, enum op op, struct insn *out)
{
    const int64_t calls = loop_count(x);
    for (int64_t i = 0; i < calls; i++) {
        const int64_t k = x->k / calls;
        struct insn *n = new_load(x, op, i * (k / x->c0) * (x->l0_mn / 16), out + i);
        struct load_3d_params *p = &n->p.load_3d;
        *p = (struct load_3d_params){.l1H = 1,
                                     .l1W = (uint16_t)x->image_rows,
                                     .channelSize = (uint16_t)x->image_cols,
                                     .strideW = 1,
                                     .strideH = 1,
                                     .filterW = 1,
                                     .filterH = 1,
                                     .dilationFilterW = 1,
                                     .dilationFilterH = 1,
                                     .enTranspose = x->transposing,
                                     .isSetFMatrix = 1,
                                     .isSetPadding = 1,
                                     .repeatTime = 1};
        p->mExtension = (uint16_t)(x->transposing ? k : x->mn);
        p->kExtension = (uint16_t)(x->transposing ? x->mn : k);
        p->mStartPt = (uint16_t)(x->transposing ? x->k_in_image + i * k : x->mn_in_image);
        p->kStartPt = (uint16_t)(x->transposing ? x->mn_in_image : x->k_in_image);
        if (x->arch3510) { /* SetLoadDataRepeatWithStride: rows of fractals of the Nz (Zn) image */
            p->dstStride = (uint16_t)(x->l0_mn / 16);
        }
    }
    return (int)calls;
}

/* --- 2D V2 and MX --------------------------------------------------------- */

/* Call i of `calls` along K. */
static struct load_2d_v2_params v2_params(const struct load_shape *x, int64_t calls, int64_t i)
{
    const int64_t k = x->k / calls, at = x->k_in_image + i * k;
    return (struct load_2d_v2_params){
        .mStartPosition = (uint32_t)(x->transposing ? at / 16 : x->mn_in_image / 16),
        .kStartPosition = (uint32_t)(x->transposing ? x->mn_in_image / x->c0 : at / x->c0),
        .mStep = (uint16_t)(x->transposing ? k / 16 : mn_fractals(x)),
        .kStep = (uint16_t)(x->transposing ? x->mn / x->c0 : k / x->c0),
        .srcStride = (int32_t)(x->image_rows / 16),
        .dstStride = (uint32_t)(x->l0_mn / 16),
        .ifTranspose = x->transposing,
    };
}

static int64_t v2_offset(const struct load_shape *x, int64_t calls, int64_t i)
{
    return i * (x->k / calls / x->c0) * (x->l0_mn / 16);
}

static int emit_2d_v2(const struct load_shape *x, struct insn *out)
{
    const int64_t calls = loop_count(x);
    for (int64_t i = 0; i < calls; i++) {
        new_load(x, OP_LOAD_2D_V2, v2_offset(x, calls, i), out + i)->p.load_2d_v2 = v2_params(x, calls, i);
    }
    return (int)calls;
}

/* The first call brings all scales: they lie at its destination / 16. */
static int emit_mx(const struct load_shape *x, struct insn *out)
{
    const int64_t calls = loop_count(x), pairs = x->k / 64;
    const struct load_scales *s = &x->scales;
    for (int64_t i = 0; i < calls; i++) {
        struct insn *n = new_load(x, OP_LOAD_MX, v2_offset(x, calls, i), out + i);
        const int64_t at = s->mn_in_image / 16 * s->src->pitch + s->k_in_image / 64;
        n->src2 = (struct addr){.buf = BUF_L1, .half = s->src->half, .byte = s->src->off + at * 32};
        n->p.load_mx = (struct load_mx_params){.data = v2_params(x, calls, i),
                                               .xStep = (uint16_t)(i == 0 ? x->l0_mn / 16 : 0),
                                               .yStep = (uint16_t)(i == 0 ? pairs : 0),
                                               .srcStride = s->src->pitch,
                                               .dstStride = (uint32_t)pairs};
    }
    return (int)calls;
}

/* --- GEMV ----------------------------------------------------------------- */

/* Blocks of 32 codes that hold the scales of a vector. */
static int64_t vector_scale_blocks(const struct load_shape *x)
{
    return ceil_div(x->k, 32 * 32);
}

/* One row of A, K contiguous: fractals are 512 B pieces of a vector. Its scales
 * are a vector too, codes one after the other. */
static int emit_vector(const struct load_shape *x, struct insn *out)
{
    const int64_t fractals = ceil_div(x->k, 16 * x->c0);
    const struct load_2d_v2_params v2 = {.mStep = 1, .kStep = (uint16_t)fractals, .srcStride = 1, .dstStride = 1};
    const bool scaled = x->scales.src != NULL;
    struct insn *n = new_load(x, scaled ? OP_LOAD_MX : x->arch3510 ? OP_LOAD_2D_V2 : OP_LOAD_2D, 0, out);
    n->src.byte += x->k_in_image / x->c0 * 32;
    if (scaled) {
        const int64_t blocks = vector_scale_blocks(x);
        n->src2 = (struct addr){
            .buf = BUF_L1, .half = x->scales.src->half, .byte = x->scales.src->off + x->scales.k_in_image / 32};
        n->p.load_mx = (struct load_mx_params){.data = v2,
                                               .xStep = 1,
                                               .yStep = (uint16_t)blocks,
                                               .srcStride = (int32_t)blocks,
                                               .dstStride = (uint32_t)blocks};
    } else if (x->arch3510) {
        n->p.load_2d_v2 = v2;
    } else {
        n->p.load_2d = (struct load_2d_params){.repeatTimes = (uint16_t)fractals, .srcStride = 1};
    }
    return 1;
}

/* --- all forms ------------------------------------------------------------ */

int64_t load_bytes(const struct load_shape *x)
{
    return x->vector ? ceil_div(x->k, 16 * x->c0) * FRACTAL : x->mn * x->k / x->c0 * 32;
}

int64_t load_scale_bytes(const struct load_shape *x)
{
    return x->vector ? vector_scale_blocks(x) * 32 : x->l0_mn * (x->k / 32);
}

int32_t load_calls(enum tiling_load load, const struct load_shape *x)
{
    if (x->vector) {
        return 1;
    }
    switch (load) {
    case LOAD_2D:
        return calls_2d(x);
    case LOAD_TRANSPOSE:
        return (int32_t)transpose_lines(x);
    case LOAD_3D:
    case LOAD_3D_STRIDE:
    case LOAD_2D_V2:
    case LOAD_MX:
        return (int32_t)loop_count(x);
    case LOAD_AUTO_NONE:
        break;
    }
    return 0;
}

int load_emit(enum tiling_load load, const struct load_shape *x, struct insn *out)
{
    if (x->vector) {
        return emit_vector(x, out);
    }
    switch (load) {
    case LOAD_2D:
        return emit_2d(x, out);
    case LOAD_TRANSPOSE:
        return emit_transpose(x, out);
    case LOAD_3D:
        return emit_3d(x, OP_LOAD_3D, out);
    case LOAD_3D_STRIDE:
        return emit_3d(x, OP_LOAD_3D_STRIDE, out);
    case LOAD_2D_V2:
        return emit_2d_v2(x, out);
    case LOAD_MX:
        return emit_mx(x, out);
    case LOAD_AUTO_NONE:
        break; /* plan_make refuses what has no load */
    }
    return 0;
}
