/* All mutations of the fixed tilings; mutation_quick_test plants each second one. */
#include "mutation_cases.h"

static void test_planted(void **state)
{
    (void)state;
    mutation_cases_run(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
