/* move.h - moving runs of bytes and squares of fractals with their taint. */
#ifndef ENGINE_MOVE_H
#define ENGINE_MOVE_H

#include "engine/exec.h"
#include "engine/transpose.h"

/* `len` bytes from src + from (GM or a buffer) to dst + to; spans were checked. */
enum status move_run(const struct exec *x, const struct addr *dst, int64_t to, const struct addr *src, int64_t from,
                     int64_t len);

/* Transposes one square of the instruction's dtype: n fractals at src + from[i]
 * in a buffer to n fractals at dst + to[j] (multiples of 32 in memory). */
void move_square(const struct exec *x, const struct addr *dst, const int64_t *to, const struct addr *src,
                 const int64_t *from);

/* Spreads taint words to one byte per byte (0 or 0xFF), and back: a byte that is not 0 is tainted. */
void taint_spread(const uint32_t *words, int64_t blocks, uint8_t *image);
void taint_gather(const uint8_t *image, int64_t blocks, uint32_t *words);

#endif
