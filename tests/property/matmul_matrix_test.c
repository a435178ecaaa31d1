/* Part of all (product, dtype triple, transposes, formats, loads) the documents
 * offer; matmul_matrix_long_test.c runs them all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/matmuls.h"

/* Every dtype triple, transpose and load turns up; products of one family share
 * instructions, so each gets its own part. */
static void test_part(void **state)
{
    (void)state;
    matmul_matrix(13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_part)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
