#include "cli/cmd_explain.h"
static enum status run(const struct command_line *line, struct diag *d)
{
    (void)line;
    return diag_error(d, STATUS_UNSUPPORTED, NULL, "not written yet");
}
static const char *const examples[] = {"tilescope explain", NULL};
const struct command command_explain = {.name = "explain", .usage = "tilescope explain", .summary = "explain", .examples = examples, .run = run};
