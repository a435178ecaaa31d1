/* config_messages.c - messages as a reader wants them: each mistake once, in
 * the order of the file. Reading goes section by section and again for each
 * variant, so they come neither way. */
#include <stdlib.h>
#include <string.h>

#include "experiment/config.h"

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_repeat(const struct diag *d, size_t from, const struct diag_message *m, size_t end)
{
    for (size_t i = from; i < end; i++) {
        const struct diag_message *other = &d->messages[i];
        if (m->line != 0 && m->level == other->level && m->line == other->line && m->col == other->col &&
            same_text(m->file, other->file) && same_text(m->text, other->text)) {
            return true;
        }
    }
    return false;
}

/* A variant repeats what the base says, so also its mistakes. */
static void drop_repeats(struct diag *d, size_t from)
{
    size_t kept = from;
    for (size_t i = from; i < d->count; i++) {
        struct diag_message m = d->messages[i];
        if (!is_repeat(d, from, &m, kept)) {
            d->messages[kept++] = m;
            continue;
        }
        d->errors -= m.level == DIAG_ERROR;
        free(m.file);
        free(m.source_line);
        free(m.text);
        free(m.hint);
        free(m.rule);
    }
    d->count = kept;
}

/* Messages about the config itself by line, others (--set, shapes, targets) before. */
static bool stands_before(const struct config *c, const struct diag_message *a, const struct diag_message *b)
{
    const uint32_t line_a = same_text(a->file, c->file) ? a->line : 0;
    const uint32_t line_b = same_text(b->file, c->file) ? b->line : 0;
    return line_a != line_b ? line_a < line_b : line_a != 0 && a->col < b->col;
}

static void reverse(struct diag_message *m, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const struct diag_message t = m[i];
        m[i] = m[n - 1 - i];
        m[n - 1 - i] = t;
    }
}

/* Insertion sort of messages with the notes that follow each: at most
 * LIMIT_DIAG_MESSAGES of them. */
static void sort(const struct config *c, struct diag *d, size_t from)
{
    size_t end;
    for (size_t i = from; i < d->count; i = end) {
        for (end = i + 1; end < d->count && d->messages[end].level == DIAG_NOTE; end++) {
        }
        size_t to = from;
        while (to < i && (d->messages[to].level == DIAG_NOTE || !stands_before(c, &d->messages[i], &d->messages[to]))) {
            to++;
        }
        /* Rotate [to, end) so that [i, end) comes first. */
        reverse(&d->messages[to], i - to);
        reverse(&d->messages[i], end - i);
        reverse(&d->messages[to], end - to);
    }
}

void config_messages_tidy(struct config *c, size_t from)
{
    drop_repeats(c->diag, from);
    sort(c, c->diag, from);
}
