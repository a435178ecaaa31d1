/* timing_equal_test on many more points. */
#define POINTS 50000
#include "timing_equal_test.c"
