/* lower_load.c - the forms of kernel_rules.md section 4, b16 widths and plain
 * loads of every width. */
#include "schedule/lower_load.h"

#include <string.h>

#include "base/intmath.h"

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

/* One LoadData2D line of fractals per M block (L0A, Zz) or per K block (L0B, Zn). */
static bool line_per_mn(const struct load_shape *x)
{
    return x->role == ROLE_A;
}

static int64_t k_fractals(const struct load_shape *x)
{
    return x->k / x->c0;
}

static int64_t mn_fractals(const struct load_shape *x)
{
    return x->mn / 16;
}

/* Source fractal of (mn block, k block) in the image. */
static int64_t source_fractal(const struct load_shape *x, int64_t mn, int64_t k)
{
    const int64_t rows = x->image_rows / 16;
    return x->transposing ? (x->mn_in_image / x->c0 + mn) * rows + x->k_in_image / 16 + k
                          : (x->k_in_image / x->c0 + k) * rows + x->mn_in_image / 16 + mn;
}

static int emit_2d_lines(const struct load_shape *x, bool with_transpose, struct insn *out)
{
    const bool per_mn = line_per_mn(x);
    const int64_t lines = per_mn ? mn_fractals(x) : k_fractals(x);
    const int64_t length = per_mn ? k_fractals(x) : mn_fractals(x);
    /* Distance of neighbours along a line in the image. */
    const int64_t stride = per_mn ? source_fractal(x, 0, 1) - source_fractal(x, 0, 0)
                                  : source_fractal(x, 1, 0) - source_fractal(x, 0, 0);
    for (int64_t i = 0; i < lines; i++) {
        const int64_t start = per_mn ? source_fractal(x, i, 0) : source_fractal(x, 0, i);
        if (with_transpose) {
            struct insn *n = new_load(x, OP_LOAD_TRANSPOSE, i * length, out + i);
            n->p.transpose = (struct load_transpose_params){.startIndex = (uint32_t)start,
                                                            .repeatTimes = (uint16_t)length,
                                                            .srcStride = (uint32_t)stride};
        } else {
            struct insn *n = new_load(x, OP_LOAD_2D, i * length, out + i);
            n->p.load_2d = (struct load_2d_params){.startIndex = (uint32_t)start,
                                                   .repeatTimes = (uint16_t)length,
                                                   .srcStride = (uint32_t)stride,
                                                   .ifTranspose = x->transposing};
        }
    }
    return (int)lines;
}

/* The image seen as a map of one row of image_rows points with image_cols channels. */
static int emit_3d(const struct load_shape *x, enum op op, struct insn *out)
{
    struct insn *n = new_load(x, op, 0, out);
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
    p->mExtension = (uint16_t)(x->transposing ? x->k : x->mn);
    p->kExtension = (uint16_t)(x->transposing ? x->mn : x->k);
    p->mStartPt = (uint16_t)(x->transposing ? x->k_in_image : x->mn_in_image);
    p->kStartPt = (uint16_t)(x->transposing ? x->mn_in_image : x->k_in_image);
    if (x->arch3510) { /* SetLoadDataRepeatWithStride: rows of fractals of the Nz (Zn) image */
        p->dstStride = (uint16_t)mn_fractals(x);
    }
    return 1;
}

static int emit_2d_v2(const struct load_shape *x, struct insn *out)
{
    struct insn *n = new_load(x, OP_LOAD_2D_V2, 0, out);
    const int64_t k = k_fractals(x), mn = mn_fractals(x);
    n->p.load_2d_v2 = (struct load_2d_v2_params){
        .mStartPosition = (uint32_t)(x->transposing ? x->k_in_image / 16 : x->mn_in_image / 16),
        .kStartPosition = (uint32_t)(x->transposing ? x->mn_in_image / x->c0 : x->k_in_image / x->c0),
        .mStep = (uint16_t)(x->transposing ? x->k / 16 : mn),
        .kStep = (uint16_t)(x->transposing ? x->mn / x->c0 : k),
        .srcStride = (int32_t)(x->image_rows / 16),
        .dstStride = (uint32_t)mn,
        .ifTranspose = x->transposing,
    };
    return 1;
}

/* One row of A, K contiguous: fractals are 512 B pieces of a vector. */
static int emit_vector(const struct load_shape *x, struct insn *out)
{
    const int64_t fractals = ceil_div(x->k, 16 * x->c0);
    struct insn *n = new_load(x, x->arch3510 ? OP_LOAD_2D_V2 : OP_LOAD_2D, 0, out);
    n->src.byte += x->k_in_image / x->c0 * 32;
    if (x->arch3510) {
        n->p.load_2d_v2 = (struct load_2d_v2_params){
            .mStep = 1, .kStep = (uint16_t)fractals, .srcStride = 1, .dstStride = 1};
    } else {
        n->p.load_2d = (struct load_2d_params){.repeatTimes = (uint16_t)fractals, .srcStride = 1};
    }
    return 1;
}

int64_t load_bytes(const struct load_shape *x)
{
    return x->vector ? ceil_div(x->k, 16 * x->c0) * FRACTAL : x->mn * x->k / x->c0 * 32;
}

int32_t load_calls(enum tiling_load load, const struct load_shape *x)
{
    const bool lines = (load == LOAD_2D || load == LOAD_TRANSPOSE) && !x->vector;
    return lines ? (int32_t)(line_per_mn(x) ? mn_fractals(x) : k_fractals(x)) : 1;
}

int load_emit(enum tiling_load load, const struct load_shape *x, struct insn *out)
{
    if (x->vector) {
        return emit_vector(x, out);
    }
    switch (load) {
    case LOAD_2D:
        return emit_2d_lines(x, false, out);
    case LOAD_TRANSPOSE:
        return emit_2d_lines(x, true, out);
    case LOAD_3D:
        return emit_3d(x, OP_LOAD_3D, out);
    case LOAD_3D_STRIDE:
        return emit_3d(x, OP_LOAD_3D_STRIDE, out);
    case LOAD_2D_V2:
        return emit_2d_v2(x, out);
    case LOAD_AUTO_NONE:
    case LOAD_MX:
        break; /* plan_make refuses them as not lowered */
    }
    return 0;
}
