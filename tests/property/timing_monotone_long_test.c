/* timing_monotone_test on many more points. */
#define POINTS 20000
#include "timing_monotone_test.c"
