/* LoadData with LoadData2DParamsV2, alone and with scales (semantics.md 2.2, 2.6). */
#include "base/intmath.h"
#include "engine/move.h"

/* The data part of either instruction, fractal (mm, kk) at start + kk * pitch + mm. */
struct part {
    const struct addr *dst, *src;
    int64_t start, pitch, m, k; /* source, fractals */
    int64_t dst_pitch;
    bool transpose;
};

static struct part data_part(const struct exec *x, const struct load_2d_v2_params *p)
{
    const int64_t pitch = p->srcStride;
    return (struct part){
        .dst = &x->in->dst,
        .src = &x->in->src,
        .start = p->kStartPosition * (pitch < 0 ? -pitch : pitch) + p->mStartPosition,
        .pitch = pitch,
        .m = p->mStep,
        .k = p->kStep,
        .dst_pitch = p->dstStride,
        .transpose = p->ifTranspose != 0 && x->in->src.buf != BUF_GM,
    };
}

static enum status check_source(const struct exec *x, const struct part *p)
{
    const int64_t end = (p->k - 1) * p->pitch;
    return exec_span(x, "source", p->src, (p->start + min_i64(0, end)) * FRACTAL,
                     (p->start + max_i64(0, end) + p->m) * FRACTAL);
}

static enum status copy_part(const struct exec *x, const struct part *p)
{
    TRY(exec_span(x, "destination", p->dst, 0, ((p->k - 1) * p->dst_pitch + p->m) * FRACTAL));
    if (p->pitch == p->m && p->dst_pitch == p->m) {
        return move_run(x, p->dst, 0, p->src, p->start * FRACTAL, p->m * p->k * FRACTAL);
    }
    const struct run_row runs = {.to_step = p->dst_pitch * FRACTAL,
                                 .from = p->start * FRACTAL,
                                 .from_step = p->pitch * FRACTAL,
                                 .len = p->m * FRACTAL,
                                 .count = p->k};
    return move_runs(x, p->dst, p->src, &runs);
}

/* b4, b8, b16: squares stacked along m; output fractal j of square (row, kk) at row * dst_pitch + n * kk + j. */
static enum status transpose_stacked(const struct exec *x, const struct part *p, int n)
{
    const int64_t squares = p->m / n;
    TRY(exec_span(x, "destination", p->dst, 0, ((squares - 1) * p->dst_pitch + n * p->k) * FRACTAL));
    for (int64_t row = 0; row < squares; row++) {
        const struct square_walk along_k = {.to = row * p->dst_pitch * FRACTAL,
                                            .to_step = (int64_t)n * FRACTAL,
                                            .to_gap = FRACTAL,
                                            .from = (p->start + n * row) * FRACTAL,
                                            .from_step = p->pitch * FRACTAL,
                                            .from_gap = FRACTAL,
                                            .count = p->k};
        move_squares(x, p->dst, p->src, &along_k);
    }
    return STATUS_OK;
}

/* b32: squares side by side along k; output half j of square (mm, q) at (2 mm + j) * dst_pitch + q. */
static enum status transpose_beside(const struct exec *x, const struct part *p)
{
    const int64_t squares = p->k / 2;
    TRY(exec_span(x, "destination", p->dst, 0, ((2 * p->m - 1) * p->dst_pitch + squares) * FRACTAL));
    for (int64_t m = 0; m < p->m; m++) {
        const struct square_walk along_k = {.to = 2 * m * p->dst_pitch * FRACTAL,
                                            .to_step = FRACTAL,
                                            .to_gap = p->dst_pitch * FRACTAL,
                                            .from = (p->start + m) * FRACTAL,
                                            .from_step = 2 * p->pitch * FRACTAL,
                                            .from_gap = p->pitch * FRACTAL,
                                            .count = squares};
        move_squares(x, p->dst, p->src, &along_k);
    }
    return STATUS_OK;
}

/* Far enough beyond the documents' ranges, near enough for int64_t. */
static bool position_ok(int64_t start, int64_t start_outer, int64_t stride)
{
    return start <= COUNT_MAX && start_outer <= COUNT_MAX && stride >= -COUNT_MAX && stride <= COUNT_MAX;
}

static enum status run_part(const struct exec *x, const struct part *p)
{
    if (p->m == 0 || p->k == 0) {
        return STATUS_OK;
    }
    TRY(exec_operand(x, "source", p->src, false));
    TRY(exec_operand(x, "destination", p->dst, true));
    TRY(check_source(x, p));
    exec_count(x, insn_path(x->in), p->m * p->k * FRACTAL);
    if (!p->transpose) {
        return copy_part(x, p);
    }
    const unsigned bits = dtype_info((enum dtype)x->in->dtype)->bits;
    const int n = transpose_fractals(bits);
    if (bits == 32 ? p->k % 2 != 0 : p->m % n != 0) {
        return exec_fail(x, "a transpose takes whole squares: %s is no multiple of %d", bits == 32 ? "kStep" : "mStep",
                         n);
    }
    return bits == 32 ? transpose_beside(x, p) : transpose_stacked(x, p, n);
}

static enum status run_data(const struct exec *x, const struct load_2d_v2_params *params)
{
    if (!position_ok(params->mStartPosition, params->kStartPosition, params->srcStride)) {
        return exec_fail(x, "start positions and strides are at most %d", COUNT_MAX);
    }
    const struct part p = data_part(x, params);
    return run_part(x, &p);
}

enum status exec_load_2d_v2(const struct exec *x)
{
    return run_data(x, &x->in->p.load_2d_v2);
}

/* Scales: blocks of 32 B; row xx, column yy at start + xx * srcStride + yy.
 * Their destination is implied: the data address over 16. */
static enum status run_scales(const struct exec *x)
{
    const struct load_mx_params *p = &x->in->p.load_mx;
    if (p->xStep == 0 || p->yStep == 0) {
        return STATUS_OK;
    }
    if (!position_ok(p->yStartPosition, p->xStartPosition, p->srcStride)) {
        return exec_fail(x, "scale positions and strides are at most %d", COUNT_MAX);
    }
    if (x->in->src2.buf != BUF_L1) {
        return exec_fail(x, "reads scales from L1 only");
    }
    const bool left = x->in->dst.buf == BUF_L0A;
    const struct addr dst = {.buf = left ? BUF_L0A_MX : BUF_L0B_MX, .byte = x->in->dst.byte / 16};
    const struct addr *src = &x->in->src2;
    const int64_t pitch = p->srcStride, rows = p->xStep, columns = p->yStep, dst_pitch = p->dstStride;
    const int64_t start = p->xStartPosition * (pitch < 0 ? -pitch : pitch) + p->yStartPosition,
                  end = (rows - 1) * pitch;
    TRY(exec_operand(x, "scale source", src, false));
    TRY(exec_operand(x, "scale destination", &dst, true));
    TRY(exec_span(x, "scale source", src, (start + min_i64(0, end)) * BLOCK,
                  (start + max_i64(0, end) + columns) * BLOCK));
    TRY(exec_span(x, "scale destination", &dst, 0, ((rows - 1) * dst_pitch + columns) * BLOCK));
    exec_count(x, left ? PATH_L1_L0A_MX : PATH_L1_L0B_MX, rows * columns * BLOCK);
    const struct run_row runs = {.to_step = dst_pitch * BLOCK,
                                 .from = start * BLOCK,
                                 .from_step = pitch * BLOCK,
                                 .len = columns * BLOCK,
                                 .count = rows};
    return move_runs(x, &dst, src, &runs);
}

enum status exec_load_mx(const struct exec *x)
{
    if (x->in->dst.buf != BUF_L0A && x->in->dst.buf != BUF_L0B) {
        return exec_fail(x, "writes L0A or L0B");
    }
    TRY(run_data(x, &x->in->p.load_mx.data));
    return run_scales(x);
}
