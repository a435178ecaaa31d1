/* cmd_budget.h - `tilescope budget`: where a tiling lies in the buffers. */
#ifndef CLI_CMD_BUDGET_H
#define CLI_CMD_BUDGET_H

#include "cli/command.h"

extern const struct command command_budget;

#endif
