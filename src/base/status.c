/* status.c - names and exit codes of the statuses: one table. */
#include "base/status.h"

static const struct {
    const char *name;
    int exit_code;
} statuses[STATUS_N] = {
    [STATUS_OK] = {"ok", 0},
    [STATUS_MISMATCH] = {"mismatch", 1},
    [STATUS_INVALID] = {"invalid", 2},
    [STATUS_LIMIT] = {"limit", 2},
    [STATUS_UNSUPPORTED] = {"unsupported", 2},
    [STATUS_IO] = {"io", 3},
    [STATUS_NO_MEMORY] = {"no memory", 3},
    [STATUS_INTERRUPTED] = {"interrupted", 130},
};

const char *status_name(enum status status)
{
    return (unsigned)status < STATUS_N ? statuses[status].name : "unknown";
}

int status_exit_code(enum status status)
{
    return (unsigned)status < STATUS_N ? statuses[status].exit_code : 3;
}
