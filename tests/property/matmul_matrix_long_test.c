/* All (product, dtype triple, transposes, formats, loads) the documents
 * offer, at three shapes each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/matmuls.h"

static void test_all(void **state)
{
    (void)state;
    matmul_matrix(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
