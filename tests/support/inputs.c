#include "support/inputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void attach(struct input *in, const struct input_spec *spec, const struct problem *p, enum tensor tensor,
                   struct operand *o, struct operand *scales)
{
    input_init(in, spec, p, tensor);
    if (o->mx) {
        in->block = calloc((size_t)input_blocks(in), sizeof *in->block);
        assert_non_null(in->block);
        scales->input = in;
    }
    o->input = in;
}

void test_inputs_attach(struct test_inputs *t, struct problem *p, const struct input_spec *a,
                        const struct input_spec *b)
{
    assert_int_equal(problem_finish(p, NULL, NULL), STATUS_OK);
    attach(&t->a, a, p, TENSOR_A, &p->a, &p->scale_a);
    attach(&t->b, b, p, TENSOR_B, &p->b, &p->scale_b);
}

void test_inputs_free(struct test_inputs *t)
{
    free(t->a.block);
    free(t->b.block);
}
