/* conv_tiles.c - rows of the feature map under a run of output points. */
#include "schedule/conv_tiles.h"

#include "base/intmath.h"

static int64_t clamp_row(int64_t row, int64_t height)
{
    return max_i64(0, min_i64(row, height - 1));
}

void conv_rows_of(const struct conv_shape *v, int64_t from, int64_t extent, struct conv_rows *out)
{
    const int64_t wo = conv_out_w(v), oh0 = from / wo, oh1 = (from + extent - 1) / wo;
    /* First and last row seen, padding included. */
    const int64_t top = oh0 * v->stride_h - v->pad_top;
    const int64_t bottom = oh1 * v->stride_h - v->pad_top + conv_reach_h(v) - 1;
    out->out_first = oh0;
    out->first = clamp_row(top, v->h);
    out->count = clamp_row(bottom, v->h) - out->first + 1;
    /* A run that begins below the map: its windows start some rows further down,
     * so that many strides are skipped, and what is over is padding above. */
    const int64_t below = max_i64(0, top - out->first);
    out->skip = ceil_div(below, v->stride_h);
    out->pad_top = (int32_t)(max_i64(0, -top) + out->skip * v->stride_h - below);
    out->pad_bottom = (int32_t)max_i64(0, bottom - (out->first + out->count - 1));
}

int64_t conv_rows_halo(const struct conv_shape *v, int64_t from, const struct conv_rows *rows)
{
    struct conv_rows before;
    if (from == 0) {
        return 0;
    }
    conv_rows_of(v, from - 1, 1, &before);
    return max_i64(0, min_i64(before.first + before.count - rows->first, rows->count));
}

int64_t conv_point(const struct conv_shape *v, const struct conv_rows *rows, int64_t at)
{
    const int64_t wo = conv_out_w(v);
    return rows->skip * wo + at - rows->out_first * wo;
}
