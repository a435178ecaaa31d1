/* block_copy.h - copies of whole fractals with the widest registers there are.
 *
 * The library's memcpy has to find out lengths and alignments first; 512 B are
 * gone in that time. Every isa gives the same bytes. */
#ifndef ENGINE_BLOCK_COPY_H
#define ENGINE_BLOCK_COPY_H

#include <stdint.h>

#include "engine/mmad_kernel.h"

/* `count` fractals, one after the other: 512 B at from + i * from_step go to
 * to + i * to_step. Sources and destinations lie apart. */
struct fractal_row {
    uint8_t *to;
    const uint8_t *from;
    int64_t to_step, from_step, count;
};
void copy_fractals(enum mmad_isa isa, const struct fractal_row *row);

#endif
