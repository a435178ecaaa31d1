/* footprint.h - what an instruction reads and writes, piece by piece.
 *
 * A second statement of the documents' addressing, independent of the engine
 * (a test holds one against the other).  Legality uses it for bounds and
 * overlaps, `tilescope insn` draws it. */
#ifndef ISA_FOOTPRINT_H
#define ISA_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"
#include "target/target.h"

enum piece_operand {
    PIECE_DATA = 0, /* src -> dst */
    PIECE_SCALE,    /* MX: src2 -> scale buffer at dst / 16 */
    PIECE_LEFT,     /* Mmad: src */
    PIECE_RIGHT,    /* Mmad: src2 */
    PIECE_RESULT    /* Mmad: dst */
};

/* One run of bytes: a fractal of 512 B, a block of 32 B, a row. */
struct piece {
    int64_t index;            /* running number */
    int64_t square;           /* transposes: number of the square it belongs to; else index */
    int64_t src, dst;         /* bytes from the operand's address */
    int64_t src_len, dst_len; /* 0: nothing read (Fill) or written */
    uint8_t operand;          /* enum piece_operand */
    bool transposed;
};

/* @return false to stop. */
typedef bool (*piece_fn)(void *ctx, const struct piece *piece);

/* Calls fn for every piece in the order the instruction works; nothing for a
 * NOP.  LoadData 3D gives its destination fractals with the whole feature map
 * as the source of each.  @return false if fn stopped it. */
bool footprint_visit(const struct insn *insn, const struct target *target, piece_fn fn, void *ctx);

/* The expanded matrix of LoadData 3D: rows Ho * Wo and columns; 0 rows if the
 * filter does not fit.  Uses the values in the insn (registers must be filled in). */
struct expanded {
    int64_t out_h, out_w, rows, columns;
};
struct expanded load_3d_expanded(const struct load_3d_params *p);

/* The instruction does nothing by the documents' NOP rules. */
bool insn_is_nop(const struct insn *insn);

/* Fractals of one transposed square: b4 4, b8 2, b16 1, b32 2. */
int square_fractals(enum dtype dtype);

#endif
