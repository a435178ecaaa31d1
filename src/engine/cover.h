/* cover.h - are the tiles of a schedule a bijection onto C's elements x K slices
 * (and batches)? O(tiles) on top of verified patterns. */
#ifndef ENGINE_COVER_H
#define ENGINE_COVER_H

#include "base/arena.h"
#include "schedule/schedule.h"

/* @return STATUS_OK; STATUS_MISMATCH naming the first tile that lies outside C
 * or overlaps another, or the first element no tile computes; STATUS_NO_MEMORY. */
enum status cover_check(const struct schedule *s, struct arena *arena, struct diag *d);

#endif
