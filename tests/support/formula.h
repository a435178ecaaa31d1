/* formula.h - feasibility of a tiling once more, typed from kernel_rules.md
 * and nothing else: no function of src/tiling is called. */
#ifndef SUPPORT_FORMULA_H
#define SUPPORT_FORMULA_H

#include "tiling/tiling.h"

/* NULL: the tiling obeys every rule and fits; else the rule it breaks. */
const char *formula_broken(const struct target *target, const struct problem *p, const struct tiling *t);

#endif
