/* access.h - which bytes of which memories an instruction touches.
 *
 * An access is a block of equal runs of bytes in up to three strides, so that
 * interleaved accesses (a copy of one row of a fractal image, a line of
 * fractals) are told apart exactly instead of by their hulls.
 *
 * Writes are exact, with one addition: bytes an instruction leaves unspecified
 * (rows and columns of a fractal beyond m and n of a Mmad, beyond mExtension of
 * LoadData 3D) count as written.  Reads are exact for all moves but LoadData 3D
 * with a filter, padding or repeats, where whole rows of the feature map stand
 * for the points picked from them; a Mmad reads whole fractals of its operands.
 * Readers: race check, mutation tests. */
#ifndef ISA_ACCESS_H
#define ISA_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"
#include "target/target.h"

#define ACCESS_DIMS 3

struct access {
    uint8_t buf;    /* enum buffer */
    uint8_t tensor; /* enum tensor, for BUF_GM */
    bool write;
    int64_t byte, len; /* first run, bytes */
    /* Runs start at byte + i * pitch[0] + j * pitch[1] + k * pitch[2]; counts are >= 1. */
    int64_t count[ACCESS_DIMS], pitch[ACCESS_DIMS];
};

/* Registers that decide what LoadData 3D reads: SetFmatrix of the left and right matrix. */
struct access_registers {
    struct load_3d_params fmatrix[2];
};

/* Takes over what a register instruction sets; other instructions change nothing. */
void access_track(struct access_registers *reg, const struct insn *insn);

#define ACCESS_MAX 8

/* Accesses of one instruction, empty ones left out, each with as few runs as
 * possible. `reg` NULL: registers are zero. @return the count, <= ACCESS_MAX;
 * 0 for flags, barriers, registers and instructions that do nothing. */
int access_of(const struct target *target, const struct access_registers *reg, const struct insn *insn,
              struct access out[ACCESS_MAX]);

/* First byte and end of all runs. */
void access_hull(const struct access *a, int64_t *lo, int64_t *hi);

/* Runs of `a`, and the i-th one's first byte. */
static inline int64_t access_runs(const struct access *a)
{
    return a->count[0] * a->count[1] * a->count[2];
}

static inline int64_t access_run(const struct access *a, int64_t i)
{
    return a->byte + i % a->count[0] * a->pitch[0] + i / a->count[0] % a->count[1] * a->pitch[1] +
           i / a->count[0] / a->count[1] * a->pitch[2];
}

#endif
