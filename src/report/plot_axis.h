/* plot_axis.h - inside the report room: few round values on an axis. */
#ifndef REPORT_PLOT_AXIS_H
#define REPORT_PLOT_AXIS_H

#include "report/picture.h"

/* Sets gnuplot's `var` to "'1' 1, '2' 2, ..." of round values in [low, high]:
 * at most `max`, on a log axis of the 1-2-5 series (or 1-1.5-2-3-5-7 if that
 * gives fewer than four), on a linear one in steps of 1, 2 or 5. Nothing is
 * left out silently at the ends: callers widen the range first. */
void plot_axis(struct picture *p, const char *var, double low, double high, bool log, int max);

/* The same of powers of two. */
void plot_axis_binary(struct picture *p, const char *var, double low, double high, int max);

#endif
