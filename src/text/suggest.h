/* suggest.h - "did you mean": nearest word by edit distance. */
#ifndef TEXT_SUGGEST_H
#define TEXT_SUGGEST_H

/* The entry of the NULL-terminated list nearest to `word` (case ignored,
 * distance <= max(1, length / 3) and < length), or NULL if none is near; the
 * first of several as near. */
const char *suggest_word(const char *word, const char *const *known);

#endif
