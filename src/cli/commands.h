/* commands.h - the table of commands, in the order of `tilescope --help`. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command *const commands[]; /* NULL-terminated */

#endif
