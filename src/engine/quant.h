/* quant.h - the conversions of Fixpipe (kernel_rules section 7), one element at a time.
 *
 * A scale word holds: bits 31..13 the multiplier M1 (float, 10 mantissa bits),
 * 35..32 the shift field N and 36 MCB (REQ8: int32 >> N + 1, saturated to
 * int16, before the product), 45..37 the offset added to 8-bit results, 46
 * "signed result".  Products are formed exactly and rounded once, to nearest even. */
#ifndef ENGINE_QUANT_H
#define ENGINE_QUANT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"
#include "numeric/fp.h"

struct quant {
    enum quant_mode mode;
    enum dtype src, dst;
    bool relu;
    enum fp_overflow overflow;
    const uint8_t *row; /* vector modes: scale words, one per column; else NULL */
    uint64_t scalar;
};

/* The mode converts `src` to `dst`. */
bool quant_supports(enum quant_mode mode, enum dtype src, enum dtype dst);

/* `count` 4-byte elements of columns column, column + 1, .. to out (dst's width). */
void quant_convert(const struct quant *q, const uint8_t *in, int64_t column, int64_t count, uint8_t *out);

#endif
