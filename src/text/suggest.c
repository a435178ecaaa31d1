/* suggest.c - optimal string alignment distance: insert, delete, replace and
 * swap of neighbours each cost 1. Three rows of the table are kept. */
#include "text/suggest.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { LONGEST = 63 }; /* longer words are no typos of ours */

static int lower(char c)
{
    return tolower((unsigned char)c);
}

static int min3(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static int distance(const char *a, size_t na, const char *b, size_t nb)
{
    int rows[3][LONGEST + 1];
    for (size_t j = 0; j <= nb; j++) {
        rows[0][j] = (int)j;
    }
    for (size_t i = 1; i <= na; i++) {
        const int *before = rows[(i + 1) % 3]; /* row i - 2 */
        const int *above = rows[(i - 1) % 3];
        int *row = rows[i % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            const int differs = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + differs);
            const int swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                                lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped && before[j - 2] + 1 < row[j]) {
                row[j] = before[j - 2] + 1;
            }
        }
    }
    return rows[na % 3][nb];
}

const char *suggest_word(const char *word, const char *const *known)
{
    const size_t len = strlen(word);
    if (len == 0 || len > LONGEST) {
        return NULL;
    }
    int limit = (int)(len / 3 > 1 ? len / 3 : 1);
    if (limit >= (int)len) {
        limit = (int)len - 1;
    }
    const char *best = NULL;
    for (; *known; known++) {
        const size_t n = strlen(*known);
        const int d = n > LONGEST ? INT_MAX : distance(word, len, *known, n);
        if (d <= limit) {
            best = *known;
            limit = d - 1; /* a tie goes to the one listed first */
        }
    }
    return best;
}
