/* cmd_compare.h - tilescope compare: results side by side. */
#ifndef CLI_CMD_COMPARE_H
#define CLI_CMD_COMPARE_H

#include "cli/command.h"

extern const struct command command_compare;

#endif
