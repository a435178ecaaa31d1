/* cmd_validate.h - `tilescope validate`: the time model against board runs. */
#ifndef CLI_CMD_VALIDATE_H
#define CLI_CMD_VALIDATE_H

/* Runs the command; argv[0] is "validate". Data to stdout, messages to stderr.
 * @return the exit code of the program: 0, 2 usage or a bad row, 3 I/O. */
int cmd_validate(int argc, char **argv);

#endif
