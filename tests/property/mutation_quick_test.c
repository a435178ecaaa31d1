/* Planted errors in the instruction stream: numeric fields of every instruction
 * of a tile +-1 and x2, addresses, event ids, instructions dropped and doubled,
 * ping/pong halves swapped, set+wait pairs and barriers removed. Verification,
 * the race check or (out of range) legality catches each, or a rule of
 * support/mutation_rules.c says why the program is still right. Each second
 * mutation; mutation_fixed_long_test plants all. */
#include "mutation_cases.h"

static void test_planted(void **state)
{
    (void)state;
    mutation_cases_run(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
