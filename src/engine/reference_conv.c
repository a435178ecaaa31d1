/* reference_conv.c - image, output row, output column, output channel; channel,
 * filter row, filter column.
 *
 * The loops over (c1, kh, kw, c0) stand outside so that every element is summed
 * in ascending k; for each, one value of the map per output point meets a row of
 * filter values. Points outside the map add nothing. */
#include "engine/reference_conv.h"

#include "base/intmath.h"
#include "engine/reference_kernel.h"

/* One position of K: a channel under a filter point. */
struct tap {
    int64_t k, channel, kh, kw;
};

struct conv_sums {
    const struct problem *p;
    const struct c_block *block;
    int64_t out_w, image_row, filter_row; /* first rows of this image's map and this group's filters */
    float *filters;                       /* [n] at one tap */
    float *acc;                           /* [m][n] */
};

static int64_t output_width(const struct conv_shape *v)
{
    return (v->w + v->pad_left + v->pad_right - (v->dilation_w * (v->kw - 1) + 1)) / v->stride_w + 1;
}

static void add_point(const struct conv_sums *x, const struct tap *tap, int64_t i)
{
    const struct conv_shape *v = &x->p->conv;
    const int64_t oh = (x->block->m0 + i) / x->out_w, ow = (x->block->m0 + i) % x->out_w;
    const int64_t h = oh * v->stride_h - v->pad_top + tap->kh * v->dilation_h;
    const int64_t w = ow * v->stride_w - v->pad_left + tap->kw * v->dilation_w;
    if (h < 0 || h >= v->h || w < 0 || w >= v->w) {
        return;
    }
    float a;
    float *acc = x->acc + i * x->block->n;
    problem_row_values(x->p, TENSOR_A, x->image_row + h * v->w + w, tap->channel, 1, &a);
    for (int64_t o = 0; o < x->block->n; o++) {
        acc[o] += a * x->filters[o];
    }
}

static void add_tap(const struct conv_sums *x, const struct tap *tap)
{
    gm_column_values(gm_isa_best(), x->p, TENSOR_B, x->filter_row + x->block->n0, tap->k, x->block->n, x->filters);
    for (int64_t i = 0; i < x->block->m; i++) {
        add_point(x, tap, i);
    }
}

/* Those k of the range that are channels, not filling of the last block. */
static void add_range(const struct conv_sums *x, const struct k_range *range)
{
    const struct conv_shape *v = &x->p->conv;
    const int64_t c0 = dtype_c0(x->p->a.dtype), channels = v->c / v->groups;
    for (int64_t k = range->k0; k < range->k0 + range->k; k++) {
        const int64_t block = k / c0, c1 = block / (v->kh * v->kw), point = block % (v->kh * v->kw);
        const struct tap tap = {k, c1 * c0 + k % c0, point / v->kw, point % v->kw};
        if (tap.channel < channels) {
            add_tap(x, &tap);
        }
    }
}

static enum status store_rows(const struct conv_sums *x, const struct c_block *block, enum dtype dtype, uint8_t *out)
{
    for (int64_t i = 0; i < block->m; i++) {
        float *row = x->acc + i * block->n;
        if (dtype == x->p->c.dtype) {
            reference_convert(x->p, block, dtype, row);
        }
        TRY(reference_store(gm_isa_best(), dtype, row, block->n, out + i * dtype_bytes(dtype, block->n)));
    }
    return STATUS_OK;
}

enum status reference_conv(const struct problem *p, const struct c_block *block, enum dtype dtype,
                           const struct k_range *ranges, int count, struct arena *arena, uint8_t *out)
{
    const struct conv_shape *v = &p->conv;
    const int64_t group = block->batch % v->groups;
    /* Bias and quant words belong to the group's channels. */
    struct c_block ends = *block;
    ends.batch = group;
    struct conv_sums x = {.p = p,
                          .block = block,
                          .out_w = output_width(v),
                          .image_row = block->batch * v->h * v->w,
                          .filter_row = group * (v->cout / v->groups)};
    x.filters = arena_alloc(arena, (size_t)block->n, sizeof(float));
    x.acc = arena_alloc(arena, (size_t)(block->m * block->n), sizeof(float));
    if (x.filters == NULL || x.acc == NULL) {
        return STATUS_NO_MEMORY;
    }
    for (int64_t i = 0; i < block->m && p->bias.dtype != DTYPE_NONE && ranges[0].k0 == 0; i++) {
        reference_bias(p, &ends, x.acc + i * block->n);
    }
    for (int r = 0; r < count; r++) {
        add_range(&x, &ranges[r]);
    }
    return store_rows(&x, &ends, dtype, out);
}
