/* cmd_fields.h - `tilescope fields`: the table of tiling field names. */
#ifndef CLI_CMD_FIELDS_H
#define CLI_CMD_FIELDS_H

#include "cli/command.h"

extern const struct command command_fields;

#endif
