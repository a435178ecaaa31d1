/* tiles.h - which output tile is the t-th of a core: the tile maps, in closed
 * form (timing_model.md section 2). Internal to schedule/. */
#ifndef SCHEDULE_TILES_H
#define SCHEDULE_TILES_H

#include "schedule/schedule.h"

/* Fills the fields of `s` the maps need. */
void tiles_init(struct schedule *s);

int64_t tiles_count(const struct schedule *s, int32_t core);

/* Origin and extent of tile t; the rest of `out` is left alone. */
void tiles_at(const struct schedule *s, int32_t core, int64_t t, struct tile *out);

#endif
