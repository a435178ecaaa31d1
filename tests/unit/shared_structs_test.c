/* The structs that all rooms share are frozen: a change of size or of the place
 * of a field breaks journals, keys and every reader, so it must be deliberate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "record/record.h"
#include "schedule/schedule.h"

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct addr), 16);
    assert_int_equal(sizeof(struct insn), 128);
    assert_int_equal(offsetof(struct insn, dst), 16);
    assert_int_equal(offsetof(struct insn, p), 64);
    assert_int_equal(sizeof(struct infeasible), 24);
    assert_int_equal(sizeof(struct region), 32);
    assert_int_equal(sizeof(struct phase), 7);
    assert_int_equal(sizeof(struct tiling), TF_N * sizeof(int32_t));
    assert_int_equal(sizeof(struct record) % 8, 0);
}

/* Instructions are plain data: a copy compares equal as bytes. */
static void test_plain_data(void **state)
{
    (void)state;
    struct insn a = {.op = OP_MMAD, .pipe = PIPE_M, .p.mmad = {.m = 16, .n = 16, .k = 16}}, b = a;
    assert_memory_equal(&a, &b, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_plain_data)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
