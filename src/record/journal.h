/* journal.h - what a run has done so far, so that a killed run goes on.
 *
 * A file of frames, each with its kind, length, number and XXH3-64, appended
 * with one write. The first frame names the experiment's key, the format and
 * the model; a journal of another key is not resumed. A checkpoint makes the
 * records before it final; points that were done out of turn (ahead of the
 * checkpoint) are final by themselves. Records after the last final frame, and a
 * tail that is cut or damaged, are dropped on resume: the run repeats that work.
 * Little-endian only, like every machine this runs on. */
#ifndef RECORD_JOURNAL_H
#define RECORD_JOURNAL_H

#include <stdint.h>

#include "base/os.h"
#include "record/record.h"

struct journal {
    struct os_file file;
    uint64_t bytes; /* length so far */
    uint64_t next;  /* number of the next frame */
    double synced;  /* os_seconds() of the last fsync */
};

/* A point by its number, and what is known of it. */
struct journal_point {
    uint64_t point;
    struct record record;
};

/* What a resume hands over, in the order it was written. */
struct journal_visitor {
    void *ctx;
    /* One record that was kept. */
    enum status (*record)(void *ctx, const struct record *r);
    /* A checkpoint: everything before it is final. */
    enum status (*checkpoint)(void *ctx, const void *bytes, size_t len);
    /* A point that was done before its turn. NULL: of no interest. */
    enum status (*ahead)(void *ctx, const struct journal_point *p);
};

enum journal_found {
    JOURNAL_ABSENT = 0, /* no journal, or one without anything final */
    JOURNAL_FOREIGN,    /* of another key, format or model */
    JOURNAL_RESUMED     /* up to its last final frame */
};

/* Starts an empty journal, replacing what is at `path`. */
enum status journal_create(const char *path, uint64_t key, struct journal *out, struct diag *d);

/* Replays the journal at `path` up to its last final frame, cuts what follows
 * and opens it for appending. If there is nothing to resume (*found is not
 * JOURNAL_RESUMED) an empty journal is started instead. `dropped`: bytes cut. */
enum status journal_resume(const char *path, uint64_t key, const struct journal_visitor *v, struct journal *out,
                           enum journal_found *found, uint64_t *dropped, struct diag *d);

/* Appends records, zero words left out. Not final before the next checkpoint. */
enum status journal_records(struct journal *j, const struct record *r, size_t n, struct diag *d);
/* Appends a checkpoint; on disk for good at least every two seconds. */
enum status journal_checkpoint(struct journal *j, const void *bytes, size_t len, struct diag *d);
/* Appends one point that is done while an earlier one is not: final at once. */
enum status journal_ahead(struct journal *j, const struct journal_point *p, struct diag *d);
void journal_close(struct journal *j);

#endif
