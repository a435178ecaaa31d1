#include "engine/im2col.h"

static int64_t bytes_of(const struct im2col *v, int64_t elements)
{
    return elements * v->bits / 8;
}

int64_t im2col_map_bytes(const struct im2col *v)
{
    return bytes_of(v, (v->full + v->rest) * v->h * v->w);
}

/* Point (h, w) of the map under filter point (kh, kw) at output row m; false: padding. */
static bool map_point(const struct im2col *v, int64_t m, int64_t kh, int64_t kw, int64_t *point)
{
    const int64_t h = m / v->out_w * v->stride_h - v->pad_top + kh * v->dilation_h;
    const int64_t w = m % v->out_w * v->stride_w - v->pad_left + kw * v->dilation_w;
    *point = h * v->w + w;
    return h >= 0 && h < v->h && w >= 0 && w < v->w;
}

/* One whole group of channels: 32 B in L1. */
static uint32_t full_block(const struct im2col *v, int64_t m, int64_t k, uint8_t *out)
{
    const int64_t position = k / v->c0, points = v->fh * v->fw;
    const int64_t group = position / points, filter = position % points;
    int64_t point;
    if (!map_point(v, m, filter / v->fw, filter % v->fw, &point)) {
        memcpy(out, v->pad, BLOCK);
        return 0;
    }
    const int64_t at = (group * v->h * v->w + point) * BLOCK;
    memcpy(out, v->map + at, BLOCK);
    return v->clean ? 0 : taint_word(v->mem, v->base + at);
}

/* The leftover channels are packed: `rest` elements a point, in L1 and in k
 * (A11).  rest is even for b4, so element pairs stay whole. */
static uint32_t rest_block(const struct im2col *v, int64_t m, int64_t k, uint8_t *out)
{
    const int64_t first = v->full * v->fh * v->fw, map = bytes_of(v, v->full * v->h * v->w);
    const int64_t unit = bytes_of(v, v->rest);
    uint32_t taint = 0;
    for (int64_t i = 0; i < BLOCK; i++) {
        const int64_t byte = bytes_of(v, k - first) + i;
        const int64_t filter = byte / unit;
        int64_t point;
        if (filter >= v->fh * v->fw) {
            return taint | UINT32_MAX << i;
        }
        if (!map_point(v, m, filter / v->fw, filter % v->fw, &point)) {
            out[i] = v->pad[i];
            continue;
        }
        const int64_t at = map + point * unit + byte % unit;
        out[i] = v->map[at];
        taint |= (uint32_t)(!v->clean && taint_at(v->mem, v->base + at)) << i;
    }
    return taint;
}

uint32_t im2col_block(const struct im2col *v, int64_t m, int64_t k, uint8_t *out)
{
    if (m >= v->rows || k >= v->columns) {
        return UINT32_MAX;
    }
    return k < v->full * v->fh * v->fw ? full_block(v, m, k, out) : rest_block(v, m, k, out);
}

void im2col_band(const struct im2col *v, int64_t m, int64_t wanted, struct im2col_band *band)
{
    const int64_t left = v->rows - m;
    band->rows = (int)(left < 0 ? 0 : left < wanted ? left : wanted);
    if (band->rows <= 0) {
        band->rows = 0;
        return;
    }
    int64_t y = m / v->out_w, x = m % v->out_w;
    int first = 0;
    for (int i = 0; i < band->rows; i++) {
        band->h[i] = (int32_t)(y * v->stride_h - v->pad_top);
        band->w[i] = (int32_t)(x * v->stride_w - v->pad_left);
        if (i == 0 || x == 0 || v->stride_w != 1) {
            first = i;
        }
        band->run[i] = 0;
        band->run[first]++;
        if (++x == v->out_w) {
            x = 0;
            y++;
        }
    }
}

struct im2col_point im2col_point_at(const struct im2col *v, int64_t k)
{
    const int64_t position = k / v->c0, points = v->fh * v->fw, filter = position % points;
    return (struct im2col_point){position / points, filter / v->fw, filter % v->fw};
}

/* 32 B at any address, which the compiler keeps in the widest registers a function may use. */
typedef uint64_t block __attribute__((vector_size(32), aligned(1), may_alias));
_Static_assert(sizeof(block) == BLOCK, "a block of the hardware");

static inline __attribute__((always_inline)) void copy_block(uint8_t *to, const uint8_t *from)
{
    *(block *)(void *)to = *(const block *)(const void *)from;
}

/* A call of memcpy costs as much as the few blocks of most runs; in line each is a register or two. */
static inline __attribute__((always_inline)) void rows_of(const struct im2col *v, const struct im2col_band *band,
                                                          const struct im2col_point *p, uint8_t *out)
{
    const int64_t down = p->kh * v->dilation_h, right = p->kw * v->dilation_w;
    const uint8_t *map = v->map + p->group * v->h * v->w * BLOCK;
    const uint64_t high = (uint64_t)v->h, wide = (uint64_t)v->w; /* negative places are huge ones */
    for (int i = 0; i < band->rows; i += band->run[i]) {
        const int64_t h = band->h[i] + down, w = band->w[i] + right, n = band->run[i];
        const uint8_t *from = map + (h * v->w + w) * BLOCK;
        const bool row = (uint64_t)h < high;
        if (row && w >= 0 && w + n <= v->w) {
            int64_t j = 0;
            for (; j + 4 <= n; j += 4) {
                copy_block(out + (i + j) * BLOCK, from + j * BLOCK);
                copy_block(out + (i + j + 1) * BLOCK, from + (j + 1) * BLOCK);
                copy_block(out + (i + j + 2) * BLOCK, from + (j + 2) * BLOCK);
                copy_block(out + (i + j + 3) * BLOCK, from + (j + 3) * BLOCK);
            }
            for (; j < n; j++) {
                copy_block(out + (i + j) * BLOCK, from + j * BLOCK);
            }
            continue;
        }
        for (int64_t j = 0; j < n; j++) {
            copy_block(out + (i + j) * BLOCK, row && (uint64_t)(w + j) < wide ? from + j * BLOCK : v->pad);
        }
    }
}

static void rows_plain(const struct im2col *v, const struct im2col_band *band, const struct im2col_point *p,
                       uint8_t *out)
{
    rows_of(v, band, p, out);
}

#if defined(__x86_64__)
/* The same code, a block in one register. */
__attribute__((target("avx2"))) static void rows_avx2(const struct im2col *v, const struct im2col_band *band,
                                                      const struct im2col_point *p, uint8_t *out)
{
    rows_of(v, band, p, out);
}
#else
#define rows_avx2 rows_plain
#endif

void im2col_rows(const struct im2col *v, const struct im2col_band *band, const struct im2col_point *p, uint8_t *out)
{
    if (v->isa == MMAD_SCALAR) {
        rows_plain(v, band, p, out);
    } else {
        rows_avx2(v, band, p, out);
    }
}
