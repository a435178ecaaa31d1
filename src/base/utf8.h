/* utf8.h - one step through UTF-8 text, strict (no surrogates, no overlong forms). */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/* Bytes of the well-formed character at `bytes` (1 to 4), 0 if the bytes there
 * are no well-formed character or `len` is 0. */
static inline size_t utf8_step(const char *bytes, size_t len)
{
    const unsigned char *p = (const unsigned char *)bytes;
    if (len == 0) {
        return 0;
    }
    if (p[0] < 0x80) {
        return 1;
    }
    const size_t n = p[0] >= 0xC2 && p[0] < 0xE0   ? 2
                     : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
                     : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                                   : 0;
    if (n == 0 || n > len) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    /* The first continuation byte is narrower after these four leads. */
    const int bad = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
                    (p[0] == 0xF4 && p[1] > 0x8F);
    return bad ? 0 : n;
}

#endif
