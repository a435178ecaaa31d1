/* diag.h - located messages, collected and rendered like a compiler's.
 *
 * A struct diag gathers any number of messages, so one run reports all errors
 * of a file.  Nothing is printed here: cli/ renders to stderr. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/strbuf.h"

/* A place in a source text. `file` and `source` are borrowed and must outlive
 * the call, not the diag: diag_add copies what it needs (the one line). */
struct location {
    const char *file;   /* as the user named it; NULL: no file */
    const char *source; /* whole text of the file, NUL-terminated; NULL: no caret */
    uint32_t line;      /* 1-based; 0: only the file is known */
    uint32_t col;       /* 1-based byte column */
    uint32_t len;       /* bytes to underline, at least 1 */
};

enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag_message {
    enum diag_level level;
    enum status status;
    char *file, *source_line; /* owned; NULL when unknown */
    uint32_t line, col, len;
    uint32_t caret; /* byte offset in source_line of what is underlined */
    char *text;     /* the message */
    char *hint;     /* "did you mean 'baseM'?" or NULL */
    char *rule;     /* the rule and its document, or NULL */
};

struct diag {
    struct diag_message *messages; /* owned */
    size_t count, cap;
    size_t errors;           /* messages of level DIAG_ERROR, also those dropped */
    size_t dropped;          /* messages beyond LIMIT_DIAG_MESSAGES, or for which memory lacked */
    enum status first_error; /* status of the first error, kept or dropped */
};

void diag_init(struct diag *d);
void diag_fini(struct diag *d);

/* Adds a message; `at` may be NULL. `d` may be NULL (message lost).
 * @return `status`, so that callers write `return diag_error(...)`. */
enum status diag_error(struct diag *d, enum status status, const struct location *at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void diag_warning(struct diag *d, const struct location *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void diag_note(struct diag *d, const struct location *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Attach to the message added last; lost if that one was dropped. */
void diag_hint(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void diag_rule(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Status of the first error, STATUS_OK if there is none. */
enum status diag_status(const struct diag *d);

/* All messages, compiler style: `file:line:col: error: text`, the source line,
 * a caret, `hint:` and `rule:` lines. No colour. */
void diag_render(const struct diag *d, struct strbuf *out);

#endif
