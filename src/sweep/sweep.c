/* sweep.c - rounds, blocks, threads.
 *
 * One parallel region a round, whose body is one call of work(): coverage tools
 * and sanitizers do not see into OpenMP's outlined code. A thread takes the
 * next block from an atomic counter and writes its records into the slots of
 * their points. They are merged in the order of points: all at the end of a
 * round, or, when it is time to save, those before the first unfinished one by
 * whichever thread comes by. A finished point beyond that goes into the journal
 * by itself, so one slow point does not hold back what others have done. */
#include "sweep/sweep.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "study/study.h"
#include "sweep/points.h"
#include "sweep/topology.h"

struct worker {
    struct study *study;
    bool started, bound;
    enum status status; /* of the first point that failed, with its number */
    uint64_t failed_point;
    struct diag diag;
};

struct sweep {
    const struct experiment *experiment;
    const struct sweep_options *options;
    struct points points;
    struct topology *topology;
    struct study_classes *classes;
    struct worker *workers;
    int threads;
    const struct sweep_start *from;
    struct collect *collect;
    struct journal *journal;
    /* the round at hand */
    uint64_t first, count;
    struct record records[SWEEP_ROUND];
    atomic_bool have[SWEEP_ROUND]; /* the record is there */
    atomic_uint next_block;
    atomic_uint_fast64_t finished;  /* points of this round */
    atomic_uint_fast64_t evaluated; /* points of this process */
    atomic_bool stop;
    uint64_t done_before, resumed;
    double began;
    /* saving: one thread at a time, who holds `saving` */
    atomic_flag saving;
    _Atomic double saved_at;
    uint64_t merged;           /* points of this round */
    bool written[SWEEP_ROUND]; /* the journal has it by itself */
    struct record kept[SWEEP_ROUND];
    enum status save_status;
    struct diag *diag;
};

/* ---- one thread ---- */

static void start_worker(struct sweep *s, int thread)
{
    struct worker *w = &s->workers[thread];
    w->started = true;
    w->bound = !s->options->unpinned && topology_bind(s->topology, thread);
    w->status = study_create(s->classes, &w->study);
    if (w->status != STATUS_OK) {
        diag_error(&w->diag, w->status, NULL, "no memory for the context of a thread");
        atomic_store(&s->stop, true);
    }
}

static enum status evaluate(struct sweep *s, struct worker *w, uint64_t point, struct record *out)
{
    uint64_t index = 0;
    const struct cell *cell = points_at(&s->points, point, &index);
    memset(out, 0, sizeof(*out));
    if (cell->failed) {
        out->cell = cell->id;
        return STATUS_OK;
    }
    TRY(study_evaluate(w->study, cell, index, s->experiment->verify, out, &w->diag));
    out->cell = cell->id;
    out->index = index;
    if (w->diag.count) { /* what was said of a mismatch; the report asks again */
        diag_fini(&w->diag);
        diag_init(&w->diag);
    }
    return STATUS_OK;
}

static void report_progress(struct sweep *s)
{
    if (s->options->progress) {
        const struct sweep_progress p = {.done = s->done_before + atomic_load(&s->finished),
                                         .total = points_total(&s->points),
                                         .resumed = s->resumed,
                                         .seconds = os_seconds() - s->began};
        s->options->progress(s->options->ctx, &p);
    }
}

/* ---- saving ---- */

/* Merges the points before the first unfinished one. */
static enum status merge(struct sweep *s)
{
    const uint64_t begin = s->merged;
    size_t kept_count = 0;
    for (; s->merged < s->count && atomic_load_explicit(&s->have[s->merged], memory_order_acquire); s->merged++) {
        const struct record *r = &s->records[s->merged];
        bool kept = false;
        TRY(collect_add(s->collect, r, &kept, s->diag));
        if (kept) {
            s->kept[kept_count++] = *r;
        }
    }
    if (!s->journal || s->merged == begin) {
        return STATUS_OK;
    }
    struct strbuf checkpoint;
    strbuf_init(&checkpoint);
    collect_checkpoint(s->collect, s->first + s->merged, s->records[begin].cell, s->records[s->merged - 1].cell,
                       &checkpoint);
    enum status st = checkpoint.failed ? diag_error(s->diag, STATUS_NO_MEMORY, NULL, "no memory for a checkpoint")
                                       : journal_records(s->journal, s->kept, kept_count, s->diag);
    if (st == STATUS_OK) {
        st = journal_checkpoint(s->journal, checkpoint.text, checkpoint.len, s->diag);
    }
    strbuf_fini(&checkpoint);
    return st;
}

static enum status save(struct sweep *s)
{
    TRY(merge(s));
    for (uint64_t i = s->merged; s->journal && i < s->count; i++) {
        if (!s->written[i] && atomic_load_explicit(&s->have[i], memory_order_acquire)) {
            const struct journal_point p = {.point = s->first + i, .record = s->records[i]};
            TRY(journal_ahead(s->journal, &p, s->diag));
            s->written[i] = true;
        }
    }
    return STATUS_OK;
}

/* Saves if it is time and no other thread is at it. */
static void save_in_time(struct sweep *s)
{
    if (!s->journal || os_seconds() - atomic_load(&s->saved_at) < SWEEP_SAVE_SECONDS ||
        atomic_flag_test_and_set(&s->saving)) {
        return;
    }
    if (s->save_status == STATUS_OK) {
        s->save_status = save(s);
    }
    if (s->save_status != STATUS_OK) {
        atomic_store(&s->stop, true);
    }
    atomic_store(&s->saved_at, os_seconds());
    atomic_flag_clear(&s->saving);
}

/* ---- one thread's part of a round ---- */

static enum status do_point(struct sweep *s, struct worker *w, uint64_t i)
{
    if (atomic_load_explicit(&s->have[i], memory_order_relaxed)) {
        return STATUS_OK; /* an earlier process did it */
    }
    TRY(evaluate(s, w, s->first + i, &s->records[i]));
    atomic_store_explicit(&s->have[i], true, memory_order_release);
    atomic_fetch_add_explicit(&s->finished, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->evaluated, 1, memory_order_relaxed);
    save_in_time(s);
    return STATUS_OK;
}

static void work(struct sweep *s, int thread)
{
    struct worker *w = &s->workers[thread];
    if (!w->started) {
        start_worker(s, thread);
    }
    for (;;) {
        const uint64_t begin = (uint64_t)atomic_fetch_add(&s->next_block, 1) * SWEEP_BLOCK;
        for (uint64_t i = begin; i < begin + SWEEP_BLOCK && i < s->count; i++) {
            if (atomic_load_explicit(&s->stop, memory_order_relaxed) || os_interrupted()) {
                atomic_store(&s->stop, true);
                return;
            }
            const enum status st = do_point(s, w, i);
            if (st != STATUS_OK) {
                w->status = st;
                w->failed_point = s->first + i;
                atomic_store(&s->stop, true);
                return;
            }
        }
        if (begin >= s->count) {
            return;
        }
        if (thread == 0) {
            report_progress(s);
        }
    }
}

/* ---- one round ---- */

/* The failure of the lowest point; its words go to `d`. */
static enum status worker_failure(const struct sweep *s, struct diag *d)
{
    const struct worker *first = NULL;
    for (int i = 0; i < s->threads; i++) {
        const struct worker *w = &s->workers[i];
        if (w->status != STATUS_OK && (!first || w->failed_point < first->failed_point)) {
            first = w;
        }
    }
    if (!first) {
        return STATUS_OK;
    }
    for (size_t i = 0; i < first->diag.count; i++) {
        if (first->diag.messages[i].level == DIAG_ERROR) {
            return diag_error(d, first->status, NULL, "point %llu: %s", (unsigned long long)first->failed_point,
                              first->diag.messages[i].text);
        }
    }
    return diag_error(d, first->status, NULL, "point %llu: %s", (unsigned long long)first->failed_point,
                      status_name(first->status));
}

/* Makes the slots of the next round. Rounds begin at multiples of SWEEP_ROUND
 * wherever an earlier process ended. */
static void begin_round(struct sweep *s)
{
    const uint64_t left = points_total(&s->points) - s->first;
    const uint64_t round = SWEEP_ROUND - s->first % SWEEP_ROUND;
    s->count = left < round ? left : round;
    s->done_before = s->first;
    s->merged = 0;
    atomic_store(&s->next_block, 0);
    atomic_store(&s->finished, 0);
    for (uint64_t i = 0; i < s->count; i++) {
        atomic_store_explicit(&s->have[i], false, memory_order_relaxed);
        s->written[i] = false;
    }
    for (size_t k = 0; s->from && k < s->from->ahead_count; k++) {
        const struct journal_point *p = &s->from->ahead[k];
        const uint64_t i = p->point - s->first;
        if (p->point >= s->first && i < s->count && !s->written[i]) {
            s->records[i] = p->record;
            s->written[i] = true;
            atomic_store_explicit(&s->have[i], true, memory_order_relaxed);
            atomic_fetch_add(&s->finished, 1);
            s->resumed++;
        }
    }
}

static enum status run_round(struct sweep *s, struct diag *d)
{
    begin_round(s);
#pragma omp parallel num_threads(s->threads)
    work(s, omp_get_thread_num());
    TRY(worker_failure(s, d));
    TRY(s->save_status);
    TRY(save(s));
    atomic_store(&s->saved_at, os_seconds());
    if (s->merged < s->count) {
        return STATUS_INTERRUPTED;
    }
    s->first += s->count;
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status set_up(struct sweep *s, struct diag *d)
{
    TRY(points_init(&s->points, s->experiment, d));
    TRY(topology_create(s->options->threads, NULL, &s->topology, d));
    TRY(study_classes_create(&s->classes));
    s->threads = topology_threads(s->topology);
    s->workers = calloc((size_t)s->threads, sizeof(*s->workers));
    if (!s->workers) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for %d threads", s->threads);
    }
    for (int i = 0; i < s->threads; i++) {
        diag_init(&s->workers[i].diag);
    }
    omp_set_dynamic(0);
    return STATUS_OK;
}

static void tear_down(struct sweep *s)
{
    for (int i = 0; s->workers && i < s->threads; i++) {
        study_destroy(s->workers[i].study);
        diag_fini(&s->workers[i].diag);
    }
    free(s->workers);
    study_classes_destroy(s->classes);
    topology_destroy(s->topology);
    points_fini(&s->points);
    free(s);
}

static void fill_stats(const struct sweep *s, struct sweep_stats *stats, struct diag *d)
{
    *stats = (struct sweep_stats){.threads = s->threads,
                                  .evaluated = atomic_load(&s->evaluated),
                                  .resumed = s->resumed,
                                  .seconds = os_seconds() - s->began};
    int started = 0;
    for (int i = 0; s->workers && i < s->threads; i++) {
        started += s->workers[i].started;
        stats->bound += s->workers[i].bound;
    }
    if (!s->options->unpinned && stats->bound < started) {
        diag_warning(d, NULL, "%d of %d threads could not be bound to a processor", started - stats->bound, started);
    }
}

enum status sweep_count(const struct experiment *e, uint64_t *total, struct diag *d)
{
    struct points points;
    TRY(points_init(&points, e, d));
    *total = points_total(&points);
    points_fini(&points);
    return STATUS_OK;
}

enum status sweep_run(const struct experiment *e, const struct sweep_options *o, const struct sweep_start *from,
                      struct collect *c, struct journal *journal, struct sweep_stats *stats, struct diag *d)
{
    *stats = (struct sweep_stats){0};
    struct sweep *s = calloc(1, sizeof(*s));
    if (!s) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for a sweep");
    }
    s->experiment = e;
    s->options = o;
    s->from = from;
    s->collect = c;
    s->journal = journal;
    s->diag = d;
    s->first = s->resumed = from ? from->done : 0;
    s->began = os_seconds();
    atomic_store(&s->saved_at, s->began);
    atomic_flag_clear(&s->saving);
    enum status st = set_up(s, d);
    while (st == STATUS_OK && s->first < points_total(&s->points)) {
        st = os_interrupted() ? STATUS_INTERRUPTED : run_round(s, d);
    }
    if (st == STATUS_OK) {
        s->done_before = s->first;
        atomic_store(&s->finished, 0);
        report_progress(s);
    }
    if (journal && (st == STATUS_OK || st == STATUS_INTERRUPTED)) {
        const enum status sync = os_sync(&journal->file, d);
        st = sync == STATUS_OK ? st : sync;
    }
    fill_stats(s, stats, d);
    tear_down(s);
    return st;
}
