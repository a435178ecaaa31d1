/* estimate.c - times a few stretches of points, spread by the golden ratio, and
 * multiplies. Neighbours share contexts and verified patterns as in a run, so
 * points are timed in stretches, and the first of each is not counted. */
#include "cli/estimate.h"

#include "base/os.h"
#include "study/study.h"
#include "sweep/points.h"
#include "sweep/topology.h"

#define BUDGET_SECONDS 0.5
#define STRETCH        32U
#define STRETCHES      64
#define GOLDEN         0.6180339887498949
#define SAID_SECONDS   10.0 /* less is not worth a line */

struct sample {
    double seconds;
    uint64_t points;
};

static enum status time_stretch(struct study *study, const struct points *points, uint64_t from, double end,
                                struct sample *sample, struct diag *d)
{
    const uint64_t total = points_total(points);
    for (uint64_t i = 0; i < STRETCH && from + i < total && (i < 2 || os_seconds() < end); i++) {
        struct record r;
        uint64_t index;
        const struct cell *cell = points_at(points, from + i, &index);
        if (cell->failed != NULL) {
            continue;
        }
        const double start = os_seconds();
        TRY(study_evaluate(study, cell, index, points->experiment->verify, &r, d));
        if (i > 0 || total < STRETCH) {
            sample->seconds += os_seconds() - start;
            sample->points++;
        }
    }
    return STATUS_OK;
}

static enum status time_points(struct study *study, const struct points *points, struct sample *sample)
{
    const uint64_t total = points_total(points);
    const double end = os_seconds() + BUDGET_SECONDS;
    struct diag unheard; /* a mismatch is the run's to say */
    enum status st = STATUS_OK;
    diag_init(&unheard);
    double at = 0;
    for (int i = 0; i < STRETCHES && st == STATUS_OK && os_seconds() < end; i++) {
        st = time_stretch(study, points, (uint64_t)(at * (double)total), end, sample, &unheard);
        at += GOLDEN;
        at -= at >= 1;
    }
    diag_fini(&unheard);
    return st;
}

enum status estimate_seconds(const struct experiment *e, int threads, double *out, struct diag *d)
{
    struct points points = {0};
    struct study *study = NULL;
    struct topology *topology = NULL;
    struct sample sample = {0};
    *out = 0;
    TRY(points_init(&points, e, d));
    enum status st = topology_create(threads, NULL, &topology, d);
    st = st == STATUS_OK ? study_create(NULL, &study) : st;
    st = st == STATUS_OK ? time_points(study, &points, &sample) : st;
    if (st == STATUS_OK && sample.points > 0) {
        *out = sample.seconds / (double)sample.points * (double)points_total(&points) / topology_threads(topology);
    }
    study_destroy(study);
    topology_destroy(topology);
    points_fini(&points);
    return st;
}

void estimate_say(const struct experiment *e, double seconds, struct diag *d)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};
    if (seconds < SAID_SECONDS) {
        return;
    }
    size_t u = 0;
    while (seconds < 2 * units[u].seconds && units[u].seconds > 1) {
        u++;
    }
    const bool all = e->search == SEARCH_EXHAUSTIVE || e->search == SEARCH_SAMPLE;
    diag_note(d, NULL, "a run takes %s %.0f %s here%s", all ? "about" : "at most", seconds / units[u].seconds,
              units[u].name,
              seconds > 600 ? "; 'search: best' or 'sample', 'verify: none' and fewer values make it shorter" : "");
}
