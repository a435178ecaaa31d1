/* listing.h - the program of one core, line by line, with the model's cycles. */
#ifndef REPORT_LISTING_H
#define REPORT_LISTING_H

#include "report/explain.h"

/* First steps, one steady period, the last step and what drains after it. */
enum status listing_text(struct study *study, const struct cell *cell, const struct schedule *s,
                         const struct explain_options *o, struct strbuf *out, struct diag *d);

#endif
