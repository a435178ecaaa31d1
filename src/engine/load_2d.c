/* LoadData with LoadData2DParams: fractals picked at a stride (semantics.md 2.1). */
#include "engine/move.h"

/* One fractal after the other, for i = 0, 1, ..:
 * source fractal start + i * step, destination fractal i * pitch. */
struct walk {
    int64_t start, step, pitch, count;
};

static struct walk walk_of(const struct exec *x)
{
    const struct load_2d_params *p = &x->in->p.load_2d;
    const bool gm_to_l1 = x->in->src.buf == BUF_GM && x->in->dst.buf == BUF_L1;
    return (struct walk){
        .start = p->startIndex,
        .step = p->addrMode != 0 && gm_to_l1 ? -(int64_t)p->srcStride : (int64_t)p->srcStride,
        /* On 950 the document gives dstGap no effect (A10). */
        .pitch = x->e->target->arch == 3510 ? 1 : (int64_t)p->dstGap + 1,
        .count = p->repeatTimes,
    };
}

enum status exec_load_2d(const struct exec *x)
{
    const struct insn *in = x->in;
    const struct walk w = walk_of(x);
    if (w.count == 0) {
        return STATUS_OK;
    }
    TRY(exec_operand(x, "source", &in->src, false));
    TRY(exec_operand(x, "destination", &in->dst, true));
    const int64_t end = w.start + (w.count - 1) * w.step;
    const int64_t lo = end < w.start ? end : w.start, hi = end < w.start ? w.start : end;
    TRY(exec_span(x, "source", &in->src, lo * FRACTAL, (hi + 1) * FRACTAL));
    TRY(exec_span(x, "destination", &in->dst, 0, ((w.count - 1) * w.pitch + 1) * FRACTAL));
    exec_count(x, insn_path(in), w.count * FRACTAL);
    if (in->p.load_2d.ifTranspose != 0 && in->src.buf != BUF_GM) {
        if (dtype_info((enum dtype)in->dtype)->bits != 16) {
            return exec_fail(x, "ifTranspose takes 16-bit elements only");
        }
        const struct square_walk squares = {
            .to_step = w.pitch * FRACTAL, .from = w.start * FRACTAL, .from_step = w.step * FRACTAL, .count = w.count};
        move_squares(x, &in->dst, &in->src, &squares);
        return STATUS_OK;
    }
    if (w.step == 1 && w.pitch == 1) {
        return move_run(x, &in->dst, 0, &in->src, w.start * FRACTAL, w.count * FRACTAL);
    }
    const struct run_row runs = {.to_step = w.pitch * FRACTAL,
                                 .from = w.start * FRACTAL,
                                 .from_step = w.step * FRACTAL,
                                 .len = FRACTAL,
                                 .count = w.count};
    return move_runs(x, &in->dst, &in->src, &runs);
}
