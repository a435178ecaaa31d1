/* cmd_keys.h - `tilescope keys`: the keys of a config. */
#ifndef CLI_CMD_KEYS_H
#define CLI_CMD_KEYS_H

#include "cli/command.h"

extern const struct command command_keys;

#endif
