/* tiles.h - which output tile is the t-th of a core: the tile maps, in closed
 * form (timing_model.md section 2). Internal to schedule/. */
#ifndef SCHEDULE_TILES_H
#define SCHEDULE_TILES_H

#include "schedule/schedule.h"

/* Fills the fields of `s` the maps need. */
void tiles_init(struct schedule *s);

int64_t tiles_count(const struct schedule *s, int32_t core);

/* Of these, tiles of a K slice before the last, when K is split (they come
 * first); 0 when it is not. */
int64_t tiles_full_slices(const struct schedule *s, int32_t core);

/* Fills origin, extent, kslice, batch, position and what a group or a full load
 * holds, of tile t; first and last must be set. The rest of `out` is left alone. */
void tiles_at(const struct schedule *s, int32_t core, int64_t t, struct tile *out);

#endif
