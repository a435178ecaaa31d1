/* command.c - reading what the user gave. */
#include "cli/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Position of the option given last under this name, or -1. */
static long find(const struct command_line *line, const char *name)
{
    for (size_t i = line->options; i-- > 0;) {
        if (strcmp(line->option[i]->name, name) == 0) {
            return (long)i;
        }
    }
    return -1;
}

bool command_has(const struct command_line *line, const char *name)
{
    return find(line, name) >= 0;
}

const char *command_text(const struct command_line *line, const char *name, const char *otherwise)
{
    const long i = find(line, name);
    return i >= 0 ? line->value[i] : otherwise;
}

const char **command_all(const struct command_line *line, const char *name)
{
    const char **all = calloc(line->options + 1, sizeof(*all));
    size_t n = 0;
    for (size_t i = 0; all && i < line->options; i++) {
        if (strcmp(line->option[i]->name, name) == 0) {
            all[n++] = line->value[i];
        }
    }
    return all;
}

enum status command_int(const struct command_line *line, const char *name, int64_t min, int64_t max, int64_t *out,
                        struct diag *d)
{
    const char *text = command_text(line, name, NULL);
    if (!text) {
        return STATUS_OK;
    }
    char *end = NULL;
    errno = 0;
    const long long v = strtoll(text, &end, 10);
    if (!*text || *end || errno || v < min || v > max) {
        return diag_error(d, STATUS_INVALID, NULL, "--%s: '%s' is no whole number from %" PRId64 " to %" PRId64, name,
                          text, min, max);
    }
    *out = v;
    return STATUS_OK;
}

void command_flush_diag(struct diag *d)
{
    struct strbuf text;
    strbuf_init(&text);
    diag_render(d, &text);
    fputs(strbuf_cstr(&text), stderr);
    strbuf_fini(&text);
    diag_fini(d);
    diag_init(d);
}
