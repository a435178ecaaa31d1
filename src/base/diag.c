/* diag.c - messages own all they show: the text of the file is long gone when
 * cli/ renders. Of a very long line only a window around the place is kept.
 *
 * Once a message was dropped all later ones are, so that hints never attach to
 * the wrong message; the first errors of a file are the ones worth reading. */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"

void diag_init(struct diag *d)
{
    *d = (struct diag){0};
}

void diag_fini(struct diag *d)
{
    for (size_t i = 0; i < d->count; i++) {
        struct diag_message *m = &d->messages[i];
        free(m->file);
        free(m->source_line);
        free(m->text);
        free(m->hint);
        free(m->rule);
    }
    free(d->messages);
    diag_init(d);
}

/* Copies the line `at` points into and finds where in the copy the caret goes. */
static void copy_source_line(struct diag_message *m, const struct location *at)
{
    const char *line = at->source;
    for (uint32_t i = 1; i < at->line; i++) {
        line = strchr(line, '\n');
        if (!line) {
            return;
        }
        line++;
    }
    size_t len = strcspn(line, "\r\n");
    size_t caret = at->col ? at->col - 1 : 0;
    caret = caret < len ? caret : len;
    size_t start = 0;
    if (len > LIMIT_DIAG_LINE && caret > LIMIT_DIAG_LINE / 2) {
        start = caret - LIMIT_DIAG_LINE / 2;
        while (start < caret && ((unsigned char)line[start] & 0xC0) == 0x80) {
            start++;
        }
    }
    len -= start;
    len = len < LIMIT_DIAG_LINE ? len : LIMIT_DIAG_LINE;
    m->source_line = strndup(line + start, len);
    m->caret = (uint32_t)(caret - start);
}

static char *format_text(const char *fmt, va_list ap)
{
    char *text = NULL;
    return vasprintf(&text, fmt, ap) < 0 ? NULL : text;
}

static struct diag_message *new_message(struct diag *d)
{
    if (d->dropped || d->count >= LIMIT_DIAG_MESSAGES) {
        return NULL;
    }
    if (d->count == d->cap) {
        const size_t cap = d->cap ? d->cap * 2 : 8;
        struct diag_message *messages = realloc(d->messages, cap * sizeof(*messages));
        if (!messages) {
            return NULL;
        }
        d->messages = messages;
        d->cap = cap;
    }
    return &d->messages[d->count];
}

static void add(struct diag *d, enum diag_level level, enum status status, const struct location *at, const char *fmt,
                va_list ap)
{
    if (!d) {
        return;
    }
    if (level == DIAG_ERROR && d->errors++ == 0) {
        d->first_error = status;
    }
    struct diag_message *m = new_message(d);
    char *text = m ? format_text(fmt, ap) : NULL;
    if (!text) {
        d->dropped++;
        return;
    }
    *m = (struct diag_message){.level = level, .status = status, .text = text};
    if (at) {
        m->file = at->file ? strdup(at->file) : NULL;
        m->line = at->line;
        m->col = at->col;
        m->len = at->len ? at->len : 1;
        if (at->source && at->line) {
            copy_source_line(m, at);
        }
    }
    d->count++;
}

enum status diag_error(struct diag *d, enum status status, const struct location *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add(d, DIAG_ERROR, status, at, fmt, ap);
    va_end(ap);
    return status;
}

void diag_warning(struct diag *d, const struct location *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add(d, DIAG_WARNING, STATUS_OK, at, fmt, ap);
    va_end(ap);
}

void diag_note(struct diag *d, const struct location *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add(d, DIAG_NOTE, STATUS_OK, at, fmt, ap);
    va_end(ap);
}

/* The message that hint and rule attach to, or NULL. */
static struct diag_message *last_message(struct diag *d)
{
    return d && d->count && !d->dropped ? &d->messages[d->count - 1] : NULL;
}

void diag_hint(struct diag *d, const char *fmt, ...)
{
    struct diag_message *m = last_message(d);
    if (!m) {
        return;
    }
    va_list ap;
    va_start(ap, fmt);
    free(m->hint);
    m->hint = format_text(fmt, ap);
    va_end(ap);
}

void diag_rule(struct diag *d, const char *fmt, ...)
{
    struct diag_message *m = last_message(d);
    if (!m) {
        return;
    }
    va_list ap;
    va_start(ap, fmt);
    free(m->rule);
    m->rule = format_text(fmt, ap);
    va_end(ap);
}

enum status diag_status(const struct diag *d)
{
    return d->errors ? d->first_error : STATUS_OK;
}

/* User text may hold anything: control bytes and bad UTF-8 must not reach a terminal. */
static void add_printable(struct strbuf *out, const char *text)
{
    size_t left = strlen(text);
    while (left) {
        const size_t n = utf8_step(text, left);
        const unsigned char c = (unsigned char)*text;
        /* U+0080..U+009F are control characters too: C2 80 .. C2 9F. */
        const bool control = c < 0x20 || c == 0x7F || (c == 0xC2 && (unsigned char)text[1] < 0xA0);
        if (c == '\n') {
            strbuf_add(out, "\\n");
        } else if (c == '\t') {
            strbuf_add(out, "\\t");
        } else if (n == 0 || control) {
            for (size_t i = 0; i < (n ? n : 1); i++) {
                strbuf_addf(out, "\\x%02x", (unsigned)(unsigned char)text[i]);
            }
        } else {
            strbuf_add_n(out, text, n);
        }
        text += n ? n : 1;
        left -= n ? n : 1;
    }
}

/* The source line and below it `^~~~`, in step also with tabs and wide bytes:
 * the line is shown as is but for control and malformed bytes, each as `?`. */
static void render_source(const struct diag_message *m, struct strbuf *out)
{
    struct strbuf under;
    strbuf_init(&under);
    const char *line = m->source_line;
    const size_t len = strlen(line);
    strbuf_addf(out, "%5u | ", m->line);
    size_t marked = 0;
    for (size_t i = 0; i < len;) {
        const size_t n = utf8_step(line + i, len - i);
        const unsigned char c = (unsigned char)line[i];
        const bool shown = n &&
                           (c == '\t' || (c >= 0x20 && c != 0x7F && !(c == 0xC2 && (unsigned char)line[i + 1] < 0xA0)));
        strbuf_add_n(out, shown ? line + i : "?", shown ? n : 1);
        if (i < m->caret) {
            strbuf_add_n(&under, c == '\t' ? "\t" : " ", 1);
        } else if (i < (size_t)m->caret + m->len) {
            strbuf_add_n(&under, marked++ ? "~" : "^", 1);
        }
        i += n ? n : 1;
    }
    if (!marked) {
        strbuf_add_n(&under, "^", 1); /* a place just past the end of the line */
    }
    strbuf_addf(out, "\n      | %s\n", strbuf_cstr(&under));
    out->failed |= under.failed;
    strbuf_fini(&under);
}

static void render_message(const struct diag_message *m, struct strbuf *out)
{
    static const char *const levels[] = {[DIAG_ERROR] = "error", [DIAG_WARNING] = "warning", [DIAG_NOTE] = "note"};
    if (m->file) {
        add_printable(out, m->file);
        if (m->line) {
            strbuf_addf(out, ":%u:%u", m->line, m->col);
        }
        strbuf_add(out, ": ");
    }
    strbuf_addf(out, "%s: ", levels[m->level]);
    add_printable(out, m->text);
    strbuf_add(out, "\n");
    if (m->source_line) {
        render_source(m, out);
    }
    if (m->hint) {
        strbuf_add(out, "  hint: ");
        add_printable(out, m->hint);
        strbuf_add(out, "\n");
    }
    if (m->rule) {
        strbuf_add(out, "  rule: ");
        add_printable(out, m->rule);
        strbuf_add(out, "\n");
    }
}

void diag_render(const struct diag *d, struct strbuf *out)
{
    for (size_t i = 0; i < d->count; i++) {
        render_message(&d->messages[i], out);
    }
    if (d->dropped) {
        strbuf_addf(out, "note: %zu more message%s not shown\n", d->dropped, d->dropped == 1 ? "" : "s");
    }
}
