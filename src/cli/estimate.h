/* estimate.h - how long will a run take here? */
#ifndef CLI_ESTIMATE_H
#define CLI_ESTIMATE_H

#include "base/diag.h"
#include "experiment/experiment.h"

/* Seconds to evaluate all points of `e` on `threads` threads (0: as many as a
 * run takes), from a few points timed for half a second. */
enum status estimate_seconds(const struct experiment *e, int threads, double *out, struct diag *d);

/* A note, unless it is a matter of seconds: what is measured here is no result, so not on stdout. */
void estimate_say(const struct experiment *e, double seconds, struct diag *d);

#endif
