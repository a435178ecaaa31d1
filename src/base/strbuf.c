/* strbuf.c - capacity doubles, so n bytes cost O(n); the NUL is always in place. */
#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void strbuf_init(struct strbuf *sb)
{
    *sb = (struct strbuf){0};
}

void strbuf_fini(struct strbuf *sb)
{
    free(sb->text);
    strbuf_init(sb);
}

void strbuf_clear(struct strbuf *sb)
{
    sb->len = 0;
    if (sb->text) {
        sb->text[0] = '\0';
    }
}

/* Room for `n` more bytes and the NUL. */
static bool reserve(struct strbuf *sb, size_t n)
{
    if (sb->failed) {
        return false;
    }
    size_t need;
    if (__builtin_add_overflow(sb->len, n, &need) || __builtin_add_overflow(need, 1, &need)) {
        sb->failed = true;
        return false;
    }
    if (need <= sb->cap) {
        return true;
    }
    size_t cap = sb->cap ? sb->cap : 64;
    while (cap < need) {
        cap = cap > SIZE_MAX / 2 ? need : cap * 2;
    }
    char *text = realloc(sb->text, cap);
    if (!text) {
        sb->failed = true;
        return false;
    }
    sb->text = text;
    sb->cap = cap;
    return true;
}

void strbuf_add_n(struct strbuf *sb, const char *bytes, size_t n)
{
    if (!reserve(sb, n)) {
        return;
    }
    if (n) {
        memcpy(sb->text + sb->len, bytes, n);
    }
    sb->len += n;
    sb->text[sb->len] = '\0';
}

void strbuf_add(struct strbuf *sb, const char *text)
{
    strbuf_add_n(sb, text, strlen(text));
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
    /* First into what room there is; only a text that does not fit is formatted twice. */
    if (!reserve(sb, 0)) {
        return;
    }
    va_list again;
    va_copy(again, ap);
    const size_t room = sb->cap - sb->len;
    const int n = vsnprintf(sb->text + sb->len, room, fmt, ap);
    const size_t need = n < 0 ? 0 : (size_t)n;
    sb->failed |= n < 0;
    if (need >= room) {
        sb->text[sb->len] = '\0';
        if (reserve(sb, need)) {
            vsnprintf(sb->text + sb->len, need + 1, fmt, again);
        }
    }
    if (!sb->failed) {
        sb->len += need;
    }
    va_end(again);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    strbuf_vaddf(sb, fmt, ap);
    va_end(ap);
}

void strbuf_add_json(struct strbuf *sb, const char *text)
{
    static const char short_forms[32] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    size_t left = strlen(text);
    strbuf_add_n(sb, "\"", 1);
    while (left) {
        const size_t n = utf8_step(text, left);
        const unsigned char c = (unsigned char)*text;
        if (n == 0) {
            strbuf_add(sb, "\\ufffd"); /* JSON text must be UTF-8 */
        } else if (c == '"' || c == '\\') {
            strbuf_addf(sb, "\\%c", c);
        } else if (c < 0x20 && short_forms[c]) {
            strbuf_addf(sb, "\\%c", short_forms[c]);
        } else if (c < 0x20 || c == 0x7F) {
            strbuf_addf(sb, "\\u%04x", (unsigned)c);
        } else {
            strbuf_add_n(sb, text, n);
        }
        text += n ? n : 1;
        left -= n ? n : 1;
    }
    strbuf_add_n(sb, "\"", 1);
}

void strbuf_add_csv(struct strbuf *sb, const char *text)
{
    const size_t len = strlen(text);
    const bool outer_blank = len && (strchr(" \t", text[0]) || strchr(" \t", text[len - 1]));
    if (!strpbrk(text, ",\"\r\n") && !outer_blank) {
        strbuf_add_n(sb, text, len);
        return;
    }
    strbuf_add_n(sb, "\"", 1);
    for (const char *quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
        strbuf_add_n(sb, text, (size_t)(quote - text));
        strbuf_add_n(sb, "\"\"", 2);
    }
    strbuf_add(sb, text);
    strbuf_add_n(sb, "\"", 1);
}

const char *strbuf_cstr(const struct strbuf *sb)
{
    return sb->len ? sb->text : "";
}
