/* cmd_insn.h - `tilescope insn`: what the parameters of one instruction do. */
#ifndef CLI_CMD_INSN_H
#define CLI_CMD_INSN_H

#include "cli/command.h"

extern const struct command command_insn;

#endif
