/* cmd_explain.h - `tilescope explain`: one tiling, from budget to instructions. */
#ifndef CLI_CMD_EXPLAIN_H
#define CLI_CMD_EXPLAIN_H

#include "cli/command.h"

extern const struct command command_explain;

#endif
