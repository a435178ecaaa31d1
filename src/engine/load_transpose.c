/* LoadDataWithTranspose, both parameter structs and the C API (semantics.md 2.3 - 2.5). */
#include "base/intmath.h"
#include "engine/move.h"

/* Square i: inputs start + i * step + j * in_gap, outputs i * pitch + j * out_gap (fractals). */
struct squares {
    int64_t start, step, in_gap, pitch, out_gap, count;
    int n;
};

static struct squares squares_of(const struct exec *x)
{
    const struct load_transpose_params *p = &x->in->p.transpose;
    const unsigned bits = dtype_info((enum dtype)x->in->dtype)->bits;
    const int n = transpose_fractals(bits);
    /* The first struct counts whole squares, the second one fractals. */
    const bool v1 = x->in->op == OP_LOAD_TRANSPOSE;
    const int64_t unit = v1 ? n : 1, step = unit * p->srcStride;
    return (struct squares){
        .start = unit * p->startIndex,
        .step = p->addrMode != 0 ? -step : step,
        .in_gap = v1 ? 1 : (int64_t)p->srcFracGap + 1,
        .pitch = (int64_t)p->dstGap + 1,
        .out_gap = (int64_t)p->dstFracGap + 1,
        .count = p->repeatTimes,
        .n = n,
    };
}

enum status exec_load_transpose(const struct exec *x)
{
    const struct insn *in = x->in;
    const struct squares s = squares_of(x);
    if (s.count == 0) {
        return STATUS_OK;
    }
    TRY(exec_operand(x, "source", &in->src, false));
    TRY(exec_operand(x, "destination", &in->dst, true));
    if (in->src.buf != BUF_L1) {
        return exec_fail(x, "reads L1 only");
    }
    const int64_t end = (s.count - 1) * s.step, inside = (s.n - 1) * s.in_gap + 1;
    TRY(exec_span(x, "source", &in->src, (s.start + min_i64(0, end)) * FRACTAL,
                  (s.start + max_i64(0, end) + inside) * FRACTAL));
    TRY(exec_span(x, "destination", &in->dst, 0, ((s.count - 1) * s.pitch + (s.n - 1) * s.out_gap + 1) * FRACTAL));
    const struct square_walk walk = {.to_step = s.pitch * FRACTAL,
                                     .to_gap = s.out_gap * FRACTAL,
                                     .from = s.start * FRACTAL,
                                     .from_step = s.step * FRACTAL,
                                     .from_gap = s.in_gap * FRACTAL,
                                     .count = s.count};
    move_squares(x, &in->dst, &in->src, &walk);
    exec_count(x, insn_path(in), s.count * s.n * FRACTAL);
    return STATUS_OK;
}
