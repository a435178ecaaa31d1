/* progress.c - the rate is that of the last two seconds or so: a sweep's points
 * are not equally dear. */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>

struct progress progress_start(const char *name, bool quiet)
{
    return (struct progress){.name = quiet ? NULL : name, .on = !quiet && os_is_terminal(2)};
}

/* "1 h 03 min", "4 min 10 s", "7 s". */
static void put_seconds(double s, FILE *f)
{
    const long n = (long)(s + 0.5);
    if (n >= 3600) {
        fprintf(f, "%ld h %02ld min", n / 3600, n % 3600 / 60);
    } else if (n >= 60) {
        fprintf(f, "%ld min %02ld s", n / 60, n % 60);
    } else {
        fprintf(f, "%ld s", n);
    }
}

void progress_show(void *ctx, const struct sweep_progress *p)
{
    struct progress *m = ctx;
    const bool end = p->done == p->total;
    if (!m->on || (!end && p->seconds - m->last < 0.2)) {
        return;
    }
    const uint64_t evaluated = p->done - p->resumed;
    if (p->seconds - m->since >= 2 || m->rate <= 0) {
        const double window = p->seconds - m->since;
        m->rate = window > 0 ? (double)(evaluated - m->evaluated) / window : 0;
        m->since = p->seconds;
        m->evaluated = evaluated;
    }
    const double mean = p->seconds > 0 ? (double)evaluated / p->seconds : 0;
    const double rate = end || m->rate <= 0 ? mean : m->rate;
    m->last = p->seconds;
    m->shown = true;
    fprintf(stderr, "\r\033[K%s: %" PRIu64 " of %" PRIu64 " tilings, %.*f/s", m->name, p->done, p->total,
            rate < 10 ? 1 : 0, rate);
    if (!end && rate > 0) {
        fputs(", ", stderr);
        put_seconds((double)(p->total - p->done) / rate, stderr);
        fputs(" left", stderr);
    }
    fflush(stderr);
}

void progress_end(struct progress *m)
{
    if (m->shown) {
        fputs("\n", stderr);
        m->shown = false;
    }
}

void progress_resumed(void *ctx, uint64_t points, uint64_t total)
{
    const struct progress *m = ctx;
    if (m->on || !m->name) {
        return;
    }
    fprintf(stderr, "%s: going on after %" PRIu64 " of %" PRIu64 " tilings\n", m->name, points, total);
}
