/* strbuf.h - a growing byte string.
 *
 * Errors are sticky: after a failed allocation every call is a no-op and
 * `failed` stays set, so a writer checks once, at the end. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct strbuf {
    char *text; /* always NUL-terminated once anything was added; NULL when empty */
    size_t len; /* bytes without the NUL */
    size_t cap;
    bool failed;
};

void strbuf_init(struct strbuf *sb);
void strbuf_fini(struct strbuf *sb);
void strbuf_clear(struct strbuf *sb); /* keeps the memory */
void strbuf_add(struct strbuf *sb, const char *text);
void strbuf_add_n(struct strbuf *sb, const char *bytes, size_t n);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Appends `text` as a quoted JSON string. */
void strbuf_add_json(struct strbuf *sb, const char *text);
/* Appends `text` as one CSV field, quoted only where RFC 4180 asks for it. */
void strbuf_add_csv(struct strbuf *sb, const char *text);
/* The text, "" when empty. Valid until the next change. */
const char *strbuf_cstr(const struct strbuf *sb);

#endif
