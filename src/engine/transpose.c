#include "engine/transpose.h"

#include <string.h>

int transpose_fractals(unsigned bits)
{
    return bits == 4 ? 4 : bits == 16 ? 1 : 2;
}

static void square4(const uint8_t *const *in, uint8_t *const *out)
{
    for (int j = 0; j < 4; j++) {
        for (int r = 0; r < 16; r++) {
            const int row = 16 * j + r; /* of the result; a nibble column of the input */
            const unsigned shift = (unsigned)(row % 2) * 4;
            for (int c = 0; c < 64; c += 2) {
                const uint8_t *from = in[c / 16] + c % 16 * 32 + row / 2;
                out[j][r * 32 + c / 2] = (uint8_t)((from[0] >> shift & 15U) | (from[32] >> shift & 15U) << 4);
            }
        }
    }
}

static void square8(const uint8_t *const *in, uint8_t *const *out)
{
    for (int j = 0; j < 2; j++) {
        for (int r = 0; r < 16; r++) {
            for (int c = 0; c < 32; c++) {
                out[j][r * 32 + c] = in[c / 16][c % 16 * 32 + 16 * j + r];
            }
        }
    }
}

static void square16(const uint8_t *const *in, uint8_t *const *out)
{
    for (int r = 0; r < 16; r++) {
        for (int c = 0; c < 16; c++) {
            memcpy(out[0] + r * 32 + c * 2, in[0] + c * 32 + r * 2, 2);
        }
    }
}

static void square32(const uint8_t *const *in, uint8_t *const *out)
{
    for (int j = 0; j < 2; j++) {
        for (int r = 0; r < 16; r++) {
            for (int c = 0; c < 8; c++) {
                memcpy(out[j] + r * 32 + c * 4, in[r / 8] + (8 * j + c) * 32 + r % 8 * 4, 4);
            }
        }
    }
}

void transpose_square(unsigned bits, const uint8_t *const *in, uint8_t *const *out)
{
    switch (bits) {
    case 4:
        square4(in, out);
        return;
    case 8:
        square8(in, out);
        return;
    case 16:
        square16(in, out);
        return;
    default:
        square32(in, out);
        return;
    }
}
