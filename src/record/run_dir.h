/* run_dir.h - the directory of one run: results/NAME, whole or not there.
 *
 * Work happens in results/.NAME.part under the lock results/.NAME.lock. When
 * all files are written and synced, the manifest goes in last and the directory
 * takes its place with one rename. What stood there before is replaced only by
 * a run of the same key (then it holds the same results) or with `force`. */
#ifndef RECORD_RUN_DIR_H
#define RECORD_RUN_DIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/os.h"

struct run_dir;

/* Takes the lock and makes the working directory; a working directory left
 * by a killed run stays as it is, for its journal.
 * STATUS_INVALID: a bad name, or a finished run of another key without `force`;
 * STATUS_IO: another run holds the lock. */
enum status run_dir_open(const char *results, const char *name, uint64_t key, bool force, struct run_dir **out,
                         struct diag *d);
/* Releases the lock; the working directory stays unless it was published. */
void run_dir_close(struct run_dir *r); /* accepts NULL */

/* "results/NAME": where the run will stand. */
const char *run_dir_final(const struct run_dir *r);
/* "results/.NAME.part": where it is now. */
const char *run_dir_part(const struct run_dir *r);
/* Path of a file of the working directory, appended to `out`. */
void run_dir_path(const struct run_dir *r, const char *file, struct strbuf *out);

/* Removes everything in the working directory but the journal, so that a run
 * that goes on leaves exactly what a run in one piece leaves. */
enum status run_dir_clean(struct run_dir *r, struct diag *d);

/* Writes a file whole ("plots/heatmap.dat": the directory is made) and notes
 * its size and hash for the manifest. */
enum status run_dir_write(struct run_dir *r, const char *file, const void *bytes, size_t len, struct diag *d);
/* The same in pieces, for files larger than memory should hold. */
enum status run_dir_begin(struct run_dir *r, const char *file, struct diag *d);
enum status run_dir_add(struct run_dir *r, const void *bytes, size_t len, struct diag *d);
enum status run_dir_end(struct run_dir *r, struct diag *d);

/* Writes manifest.json = {result: {.., files}, run: {..}}, removes the journal
 * and puts the directory into place. `result` and `run` are members of JSON
 * objects ("\"a\": 1, \"b\": 2"); `result` must not depend on threads, time or
 * machine. */
enum status run_dir_publish(struct run_dir *r, const char *result, const char *run, struct diag *d);

/* File name of the journal in the working directory. */
#define RUN_DIR_JOURNAL "journal.bin"

#endif
