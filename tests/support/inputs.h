/* inputs.h - problems whose operands have inputs, without a config. */
#ifndef SUPPORT_INPUTS_H
#define SUPPORT_INPUTS_H

#include "problem/input.h"

struct test_inputs {
    struct input a, b;
};

/* Finishes the problem and gives A and B these sources; fails the test if the
 * problem cannot be. `t` outlives the problem's use. */
void test_inputs_attach(struct test_inputs *t, struct problem *p, const struct input_spec *a,
                        const struct input_spec *b);
void test_inputs_free(struct test_inputs *t);

#endif
