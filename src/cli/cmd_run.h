/* cmd_run.h - `tilescope run`: every tiling of a config, ranked, verified, drawn. */
#ifndef CLI_CMD_RUN_H
#define CLI_CMD_RUN_H

#include "cli/command.h"

extern const struct command command_run;

#endif
