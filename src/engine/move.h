/* move.h - moving runs of bytes and squares of fractals with their taint. */
#ifndef ENGINE_MOVE_H
#define ENGINE_MOVE_H

#include "engine/exec.h"
#include "engine/transpose.h"

/* memcpy of one fractal. Left to itself the compiler makes `rep movs` of a constant
 * 512 B, which takes twice the library's time. */
static inline void copy_fractal(uint8_t *to, const uint8_t *from)
{
    size_t len = FRACTAL;
    __asm__("" : "+r"(len));
    memcpy(to, from, len);
}

/* `len` bytes from src + from (GM or a buffer) to dst + to; spans were checked. */
enum status move_run(const struct exec *x, const struct addr *dst, int64_t to, const struct addr *src, int64_t from,
                     int64_t len);

/* Squares of the instruction's dtype from one operand to another, both in buffers. */
struct square_move {
    transpose_fn transpose;
    unsigned bits;
    int n; /* fractals of a square */
    struct memory *d;
    const struct memory *s;
    int64_t to, from; /* the operands' bytes in their buffers */
};
struct square_move square_move_of(const struct exec *x, const struct addr *dst, const struct addr *src);

/* Transposes one square: n fractals at src + from[i] to n fractals at dst + to[j]
 * (multiples of 32 in memory). */
void move_square(const struct square_move *m, const int64_t *to, const int64_t *from);

/* Spreads taint words to one byte per byte (0 or 0xFF), and back: a byte that is not 0 is tainted. */
void taint_spread(const uint32_t *words, int64_t blocks, uint8_t *image);
void taint_gather(const uint8_t *image, int64_t blocks, uint32_t *words);

#endif
