/* cmd_keys.c - the keys of a config as a Markdown table, from the tables they
 * are read by. The README holds a copy; a test compares them. */
#include "cli/cmd_keys.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "experiment/experiment.h"

static enum status run(const struct command_line *line, struct diag *d)
{
    struct strbuf text;
    struct arena arena;
    (void)line;
    arena_init(&arena);
    strbuf_init(&text);
    experiment_describe(&text);
    strbuf_add(&text, "| **Built-in configs** | ");
    const char *const *names = experiment_names(&arena);
    for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
        strbuf_addf(&text, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    strbuf_add(&text, " |\n");
    const bool failed = text.failed || names == NULL;
    if (!failed) {
        fputs(strbuf_cstr(&text), stdout);
    }
    strbuf_fini(&text);
    arena_fini(&arena);
    return failed ? diag_error(d, STATUS_NO_MEMORY, NULL, "out of memory") : STATUS_OK;
}

static const char *const examples[] = {"tilescope keys", NULL};

const struct command command_keys = {
    .name = "keys",
    .usage = "tilescope keys",
    .summary = "the keys of a config: values, meaning; dtypes, columns of shape lists, built-in configs",
    .examples = examples,
    .run = run,
};
