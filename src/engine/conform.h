/* conform.h - runs test vectors (*.vec) and invalid uses (errors.csv) through
 * the engine and the legality check, and says for each whether the outcome is
 * the expected one.
 *
 * A case passes if the bytes left are the expected ones (bytes the documents
 * leave open excepted, and those must be the ones the engine taints).  Where
 * the expectation is `inferred`, or the kind is t950_gap or t950_start, a
 * result equal to an `alt` reading passes too, and is named. */
#ifndef ENGINE_CONFORM_H
#define ENGINE_CONFORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"

struct conform_options {
    const char *kind;       /* only cases of this kind; NULL: all. Rows of errors.csv have kind "error" */
    const char *confidence; /* only cases of this confidence; NULL: all, and errors.csv */
};

enum conform_verdict { CONFORM_PASS = 0, CONFORM_ALT, CONFORM_FAIL };

struct conform_entry {
    enum conform_verdict verdict;
    const char *id, *kind;
    const char *text; /* FAIL: what differs; ALT: the label; PASS: "" */
};

struct conform_report {
    struct conform_entry *entries; /* in the order of the files' names, then of the files */
    size_t count;
    size_t passed, failed; /* an ALT passes */
    size_t files;
};

/* Runs every *.vec and errors.csv of a directory. Everything in the report
 * lives in `arena`.
 * @return STATUS_OK; STATUS_MISMATCH if a case failed; STATUS_INVALID if a file
 * was malformed (reported in `d` with file, line and field; the good cases were
 * run) or the directory has none; STATUS_IO, STATUS_NO_MEMORY. */
enum status conform_run(const char *dir, const struct conform_options *options, struct arena *arena,
                        struct conform_report *report, struct diag *d);

/* The report as text, as `tilescope conform` prints it: one line
 * `FAIL id kind ...` for each failure, `ALT id label`, and at the end
 * `N passed, N failed`. */
void conform_format(const struct conform_report *report, struct strbuf *out);

#endif
