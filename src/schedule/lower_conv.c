/* lower_conv.c - a chunk of the feature map is whole rows of some channel
 * blocks, one behind the other without gaps, as LoadData 3D reads a map
 * (kernel_rules.md 11, semantics.md 2.7). */
#include "schedule/lower_conv.h"

#include "base/intmath.h"
#include "schedule/conv_tiles.h"

#define GAP_MAX   65535 /* DataCopyParams srcGap */
#define COUNT_MAX 4095  /* blockCount */

/* The chunk a step copies or reads. */
struct chunk {
    struct conv_rows rows;
    int64_t at, k;              /* in the tile's K slice, elements */
    int64_t block, block_count; /* channel blocks of the group */
};

static void chunk_of(const struct schedule *s, const struct step *step, struct chunk *out)
{
    const struct tile *tile = &step->tile;
    const int64_t window = conv_window(s->problem), length = (int64_t)s->t.stepKa * s->t.baseK;
    const bool chunked = s->hold[ROLE_A] == HOLD_CHUNKS;
    out->at = chunked ? step->k0 / length * length : 0;
    out->k = chunked ? min_i64(length, tile->k - out->at) : tile->k;
    out->block = (tile->k0 + out->at) / window;
    out->block_count = out->k / window;
    conv_rows_of(&s->problem->conv, tile->hold[ROLE_A].from, tile->hold[ROLE_A].extent, &out->rows);
}

/* --- GM -> L1 --------------------------------------------------------------- */

/* 32 B from one channel block's rows to the next one's. */
static int64_t source_gap(const struct problem *p, const struct chunk *c)
{
    return (p->conv.h - c->rows.count) * p->conv.w;
}

static bool in_one(const struct problem *p, const struct chunk *c)
{
    return c->block_count == 1 || (source_gap(p, c) <= GAP_MAX && c->block_count <= COUNT_MAX);
}

void lower_conv_copy_shape(const struct schedule *s, const struct step *step, struct copy_shape *out)
{
    struct chunk c;
    chunk_of(s, step, &c);
    /* A point of the map is a row, as in Nz. */
    const struct conv_shape *v = &s->problem->conv;
    *out = (struct copy_shape){.rows = (int32_t)(c.rows.count * v->w),
                               .halo = (int32_t)(conv_rows_halo(v, step->tile.hold[ROLE_A].from, &c.rows) * v->w),
                               .row_bytes = (int32_t)(c.block_count * 32),
                               .chunk_k = (int32_t)c.k,
                               .insns = in_one(s->problem, &c) ? 1 : (int32_t)c.block_count};
}

void lower_conv_copy(struct list *l, const struct step *step)
{
    const struct problem *p = l->s->problem;
    const struct conv_shape *v = &p->conv;
    const struct region *to = plan_region(&l->s->plan, BUF_L1, ROLE_A, step->ph.a);
    struct chunk c;
    chunk_of(l->s, step, &c);
    const bool one = in_one(p, &c);
    const int64_t length = c.rows.count * v->w, first = step->tile.batch * conv_blocks(p) + c.block;
    const int start = l->n;
    for (int64_t i = 0; i < (one ? 1 : c.block_count); i++) {
        struct insn *n = list_push(l, OP_DATA_COPY, PIPE_MTE2, ROLE_A);
        n->dtype = (uint8_t)p->a.dtype;
        n->dst = (struct addr){.buf = BUF_L1, .half = to->half, .byte = to->off + i * length * 32};
        n->src = (struct addr){
            .buf = BUF_GM, .tensor = TENSOR_A, .byte = ((first + i) * v->h + c.rows.first) * v->w * 32};
        n->p.copy = (struct data_copy_params){.blockCount = (uint32_t)(one ? c.block_count : 1),
                                              .blockLen = (uint32_t)length,
                                              .srcGap = (uint32_t)(one && c.block_count > 1 ? source_gap(p, &c) : 0)};
    }
    list_group(l, start);
}

/* --- L1 -> L0A -------------------------------------------------------------- */

/* One instruction takes the whole block, whatever its extents, so there is
 * nothing a repeat (SetLoadDataRepeat) of LoadData 3D could save. */

/* A fractal holds 16 points by C0 channels under one filter point, so k needs
 * no padding. */
static int64_t load_rows(const struct step *step)
{
    return align_up(step->tile.m, 16);
}

void lower_conv_load_sums(const struct schedule *s, const struct step *step, struct load_sums *out)
{
    *out = (struct load_sums){.calls = 1, .bytes = load_rows(step) * step->k / dtype_c0(s->problem->a.dtype) * 32};
}

/* Sides up to 511: the size bit adds 256. */
static void set_filter(struct load_3d_params *p, const struct conv_shape *v)
{
    p->filterW = (uint8_t)(v->kw % 256);
    p->filterH = (uint8_t)(v->kh % 256);
    p->filterSizeW = v->kw >= 256;
    p->filterSizeH = v->kh >= 256;
}

void lower_conv_load(struct list *l, const struct step *step)
{
    const struct schedule *s = l->s;
    const struct conv_shape *v = &s->problem->conv;
    const struct region *from = plan_region(&s->plan, BUF_L1, ROLE_A, step->ph.a);
    const struct region *to = plan_region(&s->plan, BUF_L0A, ROLE_A, step->ph.l0a);
    struct chunk c;
    chunk_of(s, step, &c);
    const int start = l->n;
    struct insn *n = list_push(l, s->t.loadA == LOAD_3D_STRIDE ? OP_LOAD_3D_STRIDE : OP_LOAD_3D, PIPE_MTE1, ROLE_A);
    n->dtype = (uint8_t)s->problem->a.dtype;
    n->src = (struct addr){.buf = BUF_L1, .half = from->half, .byte = from->off};
    n->dst = (struct addr){.buf = BUF_L0A, .half = to->half, .byte = to->off};
    n->p.load_3d = (struct load_3d_params){
        .padList = {(uint8_t)v->pad_left, (uint8_t)v->pad_right, (uint8_t)c.rows.pad_top, (uint8_t)c.rows.pad_bottom},
        .l1H = (uint16_t)c.rows.count,
        .l1W = (uint16_t)v->w,
        .channelSize = (uint16_t)(c.block_count * dtype_c0(s->problem->a.dtype)),
        .kExtension = (uint16_t)step->k,
        .mExtension = (uint16_t)load_rows(step),
        .kStartPt = (uint16_t)(step->k0 - c.at),
        .mStartPt = (uint16_t)conv_point(v, &c.rows, step->tile.m0),
        .strideW = (uint8_t)v->stride_w,
        .strideH = (uint8_t)v->stride_h,
        .dilationFilterW = (uint8_t)v->dilation_w,
        .dilationFilterH = (uint8_t)v->dilation_h,
        .isSetFMatrix = 1,
        .isSetPadding = 1,
        .repeatTime = 1};
    set_filter(&n->p.load_3d, v);
    if (s->target->arch == 3510) {
        n->p.load_3d.dstStride = (uint16_t)(load_rows(step) / 16);
    }
    list_group(l, start);
}
