/* dtypes.h - which dtypes a problem may have on a target: what the cube takes,
 * what a bias may be, how Fixpipe makes C of the accumulator (kernel_rules.md
 * 3.1, 7, 9). The documents' tables themselves are in isa/support.h. */
#ifndef TILING_DTYPES_H
#define TILING_DTYPES_H

#include "isa/support.h"
#include "problem/problem.h"

/* Stages a dtype passes; `buf` of a REASON_DTYPE says which one refuses. */
enum dtype_stage { DTYPE_STAGE_CUBE = 0, DTYPE_STAGE_BIAS, DTYPE_STAGE_RESULT, DTYPE_STAGE_N };

/* The Mmad form for the operands; where a product offers two accumulators
 * (310P, 910: half to float or half) the wider. NULL: the cube does not take
 * them. */
const struct mmad_triple *dtypes_triple(const struct target *target, const struct problem *p);

/* May a bias row of this GM dtype become the form's BT dtype? */
bool dtypes_bias_offered(const struct target *target, const struct mmad_triple *form, enum dtype bias);

/* The mode with which Fixpipe turns an accumulator into a result dtype, with
 * (`vector`) or without one scale word a column; without, a mode that needs no
 * scale at all is preferred to one with a scalar. QUANT_N: not offered. Where
 * there is no Fixpipe, or vector cores follow (kernel: mix), every result is
 * possible: ask only otherwise. */
enum quant_mode dtypes_conversion(const struct target *target, enum dtype acc, enum dtype out, bool vector);

/* The same by product. */
bool dtypes_bias_of(enum product product, const struct mmad_triple *form, enum dtype bias);
enum quant_mode dtypes_conversion_of(enum product product, enum dtype acc, enum dtype out, bool vector);

/* unitFlag of Mmad and Fixpipe: 950, A2, A3 only. */
bool dtypes_unitflag_offered(const struct target *target);

/* Bytes of one element of L0C: 4; 2 for the half accumulators of Kirin. */
int dtypes_l0c_bytes(const struct target *target, const struct mmad_triple *form);

#endif
