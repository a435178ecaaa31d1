/* cmd_targets.h - `tilescope targets`: what the program knows of each chip. */
#ifndef CLI_CMD_TARGETS_H
#define CLI_CMD_TARGETS_H

/* Runs the command; argv[0] is "targets". Data to stdout, messages to stderr.
 * @return the exit code of the program: 0, 2 usage or target file, 3 I/O. */
int cmd_targets(int argc, char **argv);

#endif
