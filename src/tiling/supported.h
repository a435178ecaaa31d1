/* supported.h - what the schedule can lower today, apart from what fits.
 *
 * A tiling may obey every rule of the documents and still not be lowered yet:
 * plan_fits() judges the one, plan_supported() the other, plan_make() asks for
 * both. Whoever lowers more shrinks the table in supported.c. */
#ifndef TILING_SUPPORTED_H
#define TILING_SUPPORTED_H

#include "tiling/tiling.h"

/* `need` of a REASON_UNSUPPORTED without a tiling field. */
enum unsupported {
    UNSUPPORTED_FIELD = 0, /* the field's value: only its default is lowered */
    UNSUPPORTED_CONV,
    UNSUPPORTED_BATCH,
    UNSUPPORTED_BIAS,
    UNSUPPORTED_QUANT,
    UNSUPPORTED_MX,
    UNSUPPORTED_RESULT_FORMAT, /* C leaves as Nz or NC1HWC0 */
    UNSUPPORTED_HF32,          /* HF32 where operands are no floats */
    UNSUPPORTED_HALF_SUM,      /* Kirin: bias or parts of K on a half accumulator (A33) */
    UNSUPPORTED_HYBRID,        /* hif8's hybrid rounding */
    UNSUPPORTED_RESULT_DTYPE,  /* the conversion of Fixpipe; have: enum dtype of C */
    UNSUPPORTED_NO_FIXPIPE,    /* 310P, 910: L0C reaches GM through UB and the vector unit only */
    UNSUPPORTED_N
};

/* @return true if schedule_init() can lower this; else `why` has REASON_UNSUPPORTED. */
bool plan_supported(const struct target *target, const struct problem *p, const struct tiling *t,
                    struct infeasible *why);

#endif
