/* All mutations of the tilings of mutation_types_cases.h. */
#include "mutation_types_cases.h"

static void test_planted(void **state)
{
    (void)state;
    size_t missed;
    const size_t wrong = mutation_types_run(1, &missed);
    print_message("%zu of %zu missed\n", missed, wrong);
    assert_true(missed * 100 <= wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
