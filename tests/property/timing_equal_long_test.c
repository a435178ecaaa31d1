/* timing_equal_test on many more points. */
#define POINTS 100000
#include "timing_equal_test.c"
