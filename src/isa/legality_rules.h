/* legality_rules.h - what only one instruction asks (private to isa/). */
#ifndef ISA_LEGALITY_RULES_H
#define ISA_LEGALITY_RULES_H

#include "isa/legality.h"

/* Support tables of Mmad and Fill. @return false if nothing else makes sense. */
bool legality_op_support(const struct insn *in, const struct target *t, struct violations *out);

/* Multiples, transposes, fields without meaning here, registers. */
void legality_op_rules(const struct insn *in, const struct target *t, const struct legality_state *state,
                       struct violations *out);

/* Readings on which document and vendor code differ. */
void legality_op_notes(const struct insn *in, const struct target *t, struct violations *out);

#endif
