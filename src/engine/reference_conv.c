/* reference_conv.c - image, output row, output column, output channel; channel
 * block, filter row, filter column, channel.
 *
 * The four loops of K run in the order of K, so every element is summed in
 * ascending k. Short runs of K make panels, as in reference.c: for each output
 * point what it sees of the map, zero outside, and the filters' values. Channels
 * that only fill up a block are zero in both. */
#include "engine/reference_conv.h"

#include <string.h>

#include "base/intmath.h"
#include "engine/reference_kernel.h"

struct conv_panels {
    const struct problem *p;
    const struct c_block *block;
    enum gm_isa isa;
    bool fused;
    int64_t c0, channels; /* of a block; of the group */
    int64_t out_w;
    int64_t image_row, filter_row; /* first rows of this image's map and this group's filters */
    int64_t rows, pitch;           /* m and n rounded up to register blocks */
    float *a, *b, *line, *acc;     /* [rows][REFERENCE_K], [pitch / 32][REFERENCE_K][32], one k of B, [rows][pitch] */
};

/* A run of K inside one channel block under one filter point. */
struct tap_run {
    int64_t k, n;            /* n elements from k on */
    int64_t channel, kh, kw; /* of the first */
    int64_t real;            /* of them channels */
};

static int64_t output_width(const struct conv_shape *v)
{
    return (v->w + v->pad_left + v->pad_right - (v->dilation_w * (v->kw - 1) + 1)) / v->stride_w + 1;
}

/* The run that starts at k, ending no later than `end`. */
static struct tap_run run_at(const struct conv_panels *x, int64_t k, int64_t end)
{
    const struct conv_shape *v = &x->p->conv;
    const int64_t block = k / x->c0, c1 = block / (v->kh * v->kw), point = block % (v->kh * v->kw);
    struct tap_run r = {.k = k, .n = min_i64(end, (block + 1) * x->c0) - k};
    r.channel = c1 * x->c0 + k % x->c0;
    r.kh = point / v->kw;
    r.kw = point % v->kw;
    r.real = max_i64(0, min_i64(r.n, x->channels - r.channel));
    return r;
}

/* What output point i of the block sees; zeros in the padding. */
static void read_map(const struct conv_panels *x, const struct tap_run *r, int64_t i, float *to)
{
    const struct conv_shape *v = &x->p->conv;
    const int64_t oh = (x->block->m0 + i) / x->out_w, ow = (x->block->m0 + i) % x->out_w;
    const int64_t h = oh * v->stride_h - v->pad_top + r->kh * v->dilation_h;
    const int64_t w = ow * v->stride_w - v->pad_left + r->kw * v->dilation_w;
    memset(to, 0, (size_t)r->n * sizeof *to);
    if (r->real > 0 && h >= 0 && h < v->h && w >= 0 && w < v->w) {
        gm_row_values(x->isa, x->p, TENSOR_A, x->image_row + h * v->w + w, r->channel, r->real, to);
    }
}

/* Filter values of all channels of the block at k, into the panel's line kk. */
static void read_filters(const struct conv_panels *x, int64_t k, bool real, int64_t kk)
{
    if (real) {
        gm_column_values(x->isa, x->p, TENSOR_B, x->filter_row + x->block->n0, k, x->block->n, x->line);
    }
    for (int64_t j = 0; j < x->pitch; j += REFERENCE_COLS) {
        float *to = x->b + j * REFERENCE_K + kk * REFERENCE_COLS;
        if (real) {
            memcpy(to, x->line + j, REFERENCE_COLS * sizeof *to);
        } else {
            memset(to, 0, REFERENCE_COLS * sizeof *to);
        }
    }
}

static void multiply(const struct conv_panels *x, int64_t k)
{
    for (int64_t j = 0; j < x->pitch; j += REFERENCE_COLS) {
        for (int64_t i = 0; i < x->rows; i += REFERENCE_ROWS) {
            reference_multiply(x->isa, &(struct reference_block){.a = x->a + i * REFERENCE_K,
                                                                 .b = x->b + j * REFERENCE_K,
                                                                 .acc = x->acc + i * x->pitch + j,
                                                                 .pitch = x->pitch,
                                                                 .k = k,
                                                                 .fused = x->fused});
        }
    }
}

static void add_range(const struct conv_panels *x, const struct k_range *range)
{
    for (int64_t done = 0; done < range->k; done += REFERENCE_K) {
        const int64_t k0 = range->k0 + done, end = k0 + min_i64(REFERENCE_K, range->k - done);
        for (int64_t k = k0; k < end;) {
            const struct tap_run r = run_at(x, k, end);
            for (int64_t i = 0; i < x->block->m; i++) {
                read_map(x, &r, i, x->a + i * REFERENCE_K + (k - k0));
            }
            for (int64_t j = 0; j < r.n; j++) {
                read_filters(x, k + j, j < r.real, k + j - k0);
            }
            k += r.n;
        }
        multiply(x, end - k0);
    }
}

static enum status store_rows(const struct conv_panels *x, const struct c_block *block, enum dtype dtype, uint8_t *out)
{
    for (int64_t i = 0; i < block->m; i++) {
        float *row = x->acc + i * x->pitch;
        if (dtype == x->p->c.dtype) {
            reference_convert(x->p, block, dtype, NULL, row);
        }
        TRY(reference_store(x->isa, dtype, row, block->n, out + i * dtype_bytes(dtype, block->n)));
    }
    return STATUS_OK;
}

/* The product of two such values has at most 22 significant bits: an fma rounds
 * what an addition of the exact product would. */
static bool products_exact(const struct problem *p)
{
    const struct dtype_info *a = dtype_info(p->a.dtype), *b = dtype_info(p->b.dtype);
    return a->bits <= (a->is_float ? 16 : 8) && b->bits <= (b->is_float ? 16 : 8);
}

static enum status alloc_panels(struct conv_panels *x, struct arena *arena)
{
    x->rows = align_up(x->block->m, REFERENCE_ROWS);
    x->pitch = align_up(x->block->n, REFERENCE_COLS);
    x->a = arena_alloc(arena, (size_t)(x->rows * REFERENCE_K), sizeof(float));
    x->b = arena_alloc(arena, (size_t)(x->pitch * REFERENCE_K), sizeof(float));
    x->line = arena_alloc(arena, (size_t)x->pitch, sizeof(float));
    x->acc = arena_alloc(arena, (size_t)(x->rows * x->pitch), sizeof(float));
    return x->a != NULL && x->b != NULL && x->line != NULL && x->acc != NULL ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status reference_conv(const struct problem *p, const struct c_block *block, enum dtype dtype,
                           const struct k_range *ranges, int count, struct arena *arena, uint8_t *out)
{
    const struct conv_shape *v = &p->conv;
    const int64_t group = block->batch % v->groups;
    /* Bias and quant words belong to the group's channels. */
    struct c_block ends = *block;
    ends.batch = group;
    struct conv_panels x = {.p = p,
                            .block = block,
                            .isa = gm_isa_best(),
                            .fused = products_exact(p),
                            .c0 = dtype_c0(p->a.dtype),
                            .channels = v->c / v->groups,
                            .out_w = output_width(v),
                            .image_row = block->batch * v->h * v->w,
                            .filter_row = group * (v->cout / v->groups)};
    TRY(alloc_panels(&x, arena));
    for (int64_t i = 0; i < block->m && p->bias.dtype != DTYPE_NONE && ranges[0].k0 == 0; i++) {
        reference_bias(p, &ends, x.acc + i * x.pitch);
    }
    for (int r = 0; r < count; r++) {
        add_range(&x, &ranges[r]);
    }
    return store_rows(&x, &ends, dtype, out);
}
