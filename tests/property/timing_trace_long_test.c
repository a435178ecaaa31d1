/* timing_trace_test on many more points. */
#define POINTS 2500
#include "timing_trace_test.c"
