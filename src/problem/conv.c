/* conv.c - sizes of a convolution and its matmul view. */
#include "problem/conv.h"

#include <inttypes.h>

#include "base/intmath.h"

static int64_t reach(int64_t filter, int64_t dilation)
{
    return (filter - 1) * dilation + 1;
}

int64_t conv_reach_h(const struct conv_shape *v)
{
    return reach(v->kh, v->dilation_h);
}

int64_t conv_reach_w(const struct conv_shape *v)
{
    return reach(v->kw, v->dilation_w);
}

static int64_t positions(int64_t padded, int64_t reach, int64_t stride)
{
    return padded < reach ? 0 : (padded - reach) / stride + 1;
}

int64_t conv_out_h(const struct conv_shape *v)
{
    return positions(v->h + v->pad_top + v->pad_bottom, conv_reach_h(v), v->stride_h);
}

int64_t conv_out_w(const struct conv_shape *v)
{
    return positions(v->w + v->pad_left + v->pad_right, conv_reach_w(v), v->stride_w);
}

int64_t conv_blocks(const struct problem *p)
{
    return ceil_div(p->conv.c / p->conv.groups, dtype_c0(p->a.dtype));
}

int64_t conv_window(const struct problem *p)
{
    return p->conv.kh * p->conv.kw * dtype_c0(p->a.dtype);
}

static void default_one(struct conv_shape *v)
{
    v->n = v->n == 0 ? 1 : v->n;
    v->groups = v->groups == 0 ? 1 : v->groups;
    v->stride_h = v->stride_h == 0 ? 1 : v->stride_h;
    v->stride_w = v->stride_w == 0 ? 1 : v->stride_w;
    v->dilation_h = v->dilation_h == 0 ? 1 : v->dilation_h;
    v->dilation_w = v->dilation_w == 0 ? 1 : v->dilation_w;
}

enum status conv_view(struct problem *p, const struct location *at, struct diag *d)
{
    struct conv_shape *v = &p->conv;
    default_one(v);
    const int64_t ho = conv_out_h(v), wo = conv_out_w(v);
    if (ho < 1 || wo < 1) {
        return diag_error(d, STATUS_INVALID, at,
                          "the filter %" PRId64 "x%" PRId64 " does not fit the padded input %" PRId64 "x%" PRId64,
                          v->kh, v->kw, v->h + v->pad_top + v->pad_bottom, v->w + v->pad_left + v->pad_right);
    }
    if (v->c % v->groups != 0 || v->cout % v->groups != 0) {
        return diag_error(d, STATUS_INVALID, at,
                          "groups %" PRId64 " do not divide the channels %" PRId64 " and %" PRId64, v->groups, v->c,
                          v->cout);
    }
    p->M = ho * wo;
    p->N = v->cout / v->groups;
    p->K = conv_blocks(p) * conv_window(p);
    p->batch = v->n * v->groups;
    p->groups = 1;
    p->a.format = LAYOUT_NC1HWC0;
    p->a.transpose = false;
    p->b.format = LAYOUT_FRACTAL_Z;
    p->b.transpose = true;
    p->c.format = p->c.format == LAYOUT_ND ? LAYOUT_ND : LAYOUT_NC1HWC0;
    p->c.transpose = false;
    if (p->c.format == LAYOUT_ND && p->c.ld == 0) {
        p->c.ld = v->cout;
    }
    return p->c.format != LAYOUT_ND || p->c.ld >= v->cout
               ? STATUS_OK
               : diag_error(d, STATUS_INVALID, at, "C: ld %" PRId64 " is less than the %" PRId64 " output channels",
                            p->c.ld, v->cout);
}
