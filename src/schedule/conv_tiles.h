/* conv_tiles.h - what a run of output points of a conv needs of the feature map.
 *
 * A tile of M covers output points [from, from + extent), w inner, and may begin
 * and end inside an output row. L1 gets whole rows of the map, exactly those its
 * points see; seen alone they are a map of their own with paddings of their own,
 * which is what LoadData 3D is told. */
#ifndef SCHEDULE_CONV_TILES_H
#define SCHEDULE_CONV_TILES_H

#include "problem/conv.h"

struct conv_rows {
    int64_t first, count;        /* rows of the map */
    int32_t pad_top, pad_bottom; /* of these rows as a map */
    int64_t skip;                /* output rows of that map before the run's first one */
    int64_t out_first;           /* output row of the conv the run begins in */
};

/* Where all the run sees is padding, one row of the map is brought all the same:
 * an instruction cannot load a map without rows. */
void conv_rows_of(const struct conv_shape *v, int64_t from, int64_t extent, struct conv_rows *out);

/* Of these rows of the map, those (the first ones) that the run of points before
 * `from` sees too: the halo, which is brought once for either run. */
int64_t conv_rows_halo(const struct conv_shape *v, int64_t from, const struct conv_rows *rows);

/* Row of the expanded matrix of these rows that holds output point `at` of the conv. */
int64_t conv_point(const struct conv_shape *v, const struct conv_rows *rows, int64_t at);

#endif
