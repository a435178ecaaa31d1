/* im2col.h - the expanded matrix E that LoadData 3D reads, as a function of
 * (row m, column block), without ever existing as a whole (semantics.md 2.7).
 *
 * E has Ho * Wo rows, one per position of the filter, and channelSize * fh * fw
 * columns: for every full group of C0 channels the filter points, each C0 wide;
 * then, if channels are left over, the filter points again, each `rest` wide. */
#ifndef ENGINE_IM2COL_H
#define ENGINE_IM2COL_H

#include "engine/exec.h"

struct im2col {
    const uint8_t *map;       /* the feature map in L1 */
    const struct memory *mem; /* L1 */
    int64_t base;             /* byte of the map in L1 */
    enum mmad_isa isa;        /* width of the copies; no difference in bytes */
    bool clean;               /* no byte of the map is tainted */
    bool dense;               /* 1 x 1 filter on every point: 16 rows of E may be 512 bytes of the map */
    unsigned bits;
    int64_t c0; /* elements of 32 B */
    int64_t h, w, fh, fw, stride_h, stride_w, dilation_h, dilation_w, pad_left, pad_top;
    int64_t out_h, out_w;  /* Ho, Wo; 0 if the filter does not fit */
    int64_t full, rest;    /* channels in whole groups, and left over */
    int64_t rows, columns; /* of E */
    uint8_t pad[BLOCK];    /* 32 B of padding */
};

/* Bytes of the map in L1. */
int64_t im2col_map_bytes(const struct im2col *v);

/* Columns [k, k + C0) of row m, k a multiple of C0, to 32 B at out; columns
 * beyond E are left alone.  @return taint: bit i for byte i, set also for what
 * the documents do not specify (row or column outside of E). */
uint32_t im2col_block(const struct im2col *v, int64_t m, int64_t k, uint8_t *out);

/* 16 rows of E from row m on: where the filter's first point lies for each. */
struct im2col_band {
    int32_t h[16], w[16];
    int32_t run[16]; /* rows from this one on whose points are neighbours in the map; 0: inside of a run */
    int rows;        /* the first of them that E has and that are wanted */
};

/* Rows m .. m + wanted - 1, wanted <= 16. */
void im2col_band(const struct im2col *v, int64_t m, int64_t wanted, struct im2col_band *band);

/* What C0 columns of whole groups of channels read: which group, under which point of the filter. */
struct im2col_point {
    int64_t group, kh, kw;
};

/* Columns [k, k + C0), k a multiple of C0. */
struct im2col_point im2col_point_at(const struct im2col *v, int64_t k);

/* The next C0 columns: as im2col_point_at, without its divisions. */
static inline void im2col_point_next(const struct im2col *v, struct im2col_point *p)
{
    if (++p->kw == v->fw) {
        p->kw = 0;
        if (++p->kh == v->fh) {
            p->kh = 0;
            p->group++;
        }
    }
}

/* The point's columns of the band's rows to 32 B each at out; rows it has not are
 * left alone. Only for an untainted map. */
void im2col_rows(const struct im2col *v, const struct im2col_band *band, const struct im2col_point *p, uint8_t *out);

#endif
