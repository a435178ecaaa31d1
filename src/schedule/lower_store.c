/* lower_store.c - Fixpipe: where a tile's result goes and what becomes of it
 * on the way (kernel_rules.md 7). */
#include "base/intmath.h"
#include "isa/fields.h"
#include "schedule/lower.h"
#include "tiling/dtypes.h"

static bool to_workspace(const struct schedule *s)
{
    return s->t.splitKReduce == REDUCE_WORKSPACE;
}

enum dtype lower_store_dtype(const struct schedule *s)
{
    return to_workspace(s) ? (enum dtype)s->acc : s->problem->c.dtype;
}

int64_t schedule_store_columns(const struct schedule *s, int64_t n0, int64_t n)
{
    const struct problem *p = s->problem;
    const bool fills_up = p->op == PROBLEM_CONV && p->c.format != LAYOUT_ND && !to_workspace(s) && n0 + n == p->N;
    return fills_up ? align_up(n, 16) : n;
}

/* The result in C: ND rows, or Nz columns of `width` elements. */
static int64_t c_byte(const struct schedule *s, const struct tile *tile)
{
    const struct problem *p = s->problem;
    const struct operand *o = &p->c;
    const int64_t matrix = problem_matrix(p, TENSOR_C, tile->batch);
    if (o->format == LAYOUT_ND) {
        /* NHWC: the groups of an image lie side by side. */
        const int64_t groups = p->op == PROBLEM_CONV ? p->conv.groups : 1;
        const int64_t row = matrix / groups * o->rows + tile->m0, col = matrix % groups * o->cols + tile->n0;
        return row * dtype_bytes(o->dtype, o->ld) + dtype_bytes(o->dtype, col);
    }
    const int64_t width = problem_nz_width(p, TENSOR_C), columns = ceil_div(o->cols, width);
    const int64_t block = (matrix * columns + tile->n0 / width) * problem_nz_rows(p, TENSOR_C) + tile->m0;
    return block * dtype_bytes(o->dtype, width);
}

/* Each K slice has its own plane of the workspace, M x N accumulators without gaps. */
static int64_t workspace_byte(const struct schedule *s, const struct tile *tile)
{
    const struct problem *p = s->problem;
    return dtype_bytes((enum dtype)s->acc, (tile->kslice * p->M + tile->m0) * p->N + tile->n0);
}

/* Pitch of rows (ND) or columns (Nz) in the unit of the struct in use: ND
 * elements; Nz 32 B blocks, with the 3510 struct elements. */
static int64_t store_pitch(const struct schedule *s)
{
    const struct problem *p = s->problem;
    if (to_workspace(s)) {
        return p->N;
    }
    if (p->c.format == LAYOUT_ND) {
        return p->c.ld;
    }
    const int64_t elements = problem_nz_rows(p, TENSOR_C) * problem_nz_width(p, TENSOR_C);
    return s->target->arch == 3510 ? elements : dtype_bytes(p->c.dtype, elements) / 32;
}

static enum quant_mode mode_of(const struct schedule *s)
{
    const struct problem *p = s->problem;
    return to_workspace(s) ? QUANT_NONE
                           : dtypes_conversion(s->target, (enum dtype)s->acc, p->c.dtype, p->quant.dtype != DTYPE_NONE);
}

void lower_fixpipe(struct list *l, const struct step *step)
{
    const struct schedule *s = l->s;
    const struct problem *p = s->problem;
    const bool workspace = to_workspace(s), nz = p->c.format != LAYOUT_ND && !workspace;
    const enum dtype out = lower_store_dtype(s);
    const enum quant_mode mode = mode_of(s);
    const struct region *c = plan_region(&s->plan, BUF_L0C, ROLE_C, step->ph.l0c);
    struct insn *i = list_push(l, OP_FIXPIPE, PIPE_FIX, ROLE_C);
    i->dtype = s->acc;
    i->src = (struct addr){.buf = BUF_L0C, .half = c->half, .byte = c->off};
    i->dst = (struct addr){.buf = BUF_GM,
                           .tensor = workspace ? TENSOR_WORKSPACE : TENSOR_C,
                           .byte = workspace ? workspace_byte(s, &step->tile) : c_byte(s, &step->tile)};
    i->p.fixpipe = (struct fixpipe_params){.mSize = (uint16_t)step->tile.m,
                                           .nSize = (uint16_t)schedule_store_columns(s, step->tile.n0, step->tile.n),
                                           .srcStride = (uint16_t)align_up(lower_mmad_m(s, step), 16),
                                           .format = nz ? FIXPIPE_NZ : FIXPIPE_ND,
                                           .arch3510 = s->target->arch == 3510,
                                           .dstStride = (uint32_t)store_pitch(s),
                                           .quantPre = (uint8_t)mode,
                                           .dstType = (uint8_t)out,
                                           .unitFlag = s->t.unitflag ? 3 : 0,
                                           .reluEn = p->relu && !workspace,
                                           .channelSplit = nz && out == DTYPE_FLOAT,
                                           .ndNum = 1,
                                           .dnNum = 1,
                                           .srcNzC0Stride = 1};
    if (quant_mode_is_vector(mode)) {
        i->p.fixpipe.quantAddr = (uint32_t)plan_region(&s->plan, BUF_FB, ROLE_QUANT, 0)->off;
    } else if (mode != QUANT_NONE && mode != QUANT_F322F16 && mode != QUANT_F322BF16) {
        i->p.fixpipe.deqScalar = problem_scale_word(p);
    }
}
