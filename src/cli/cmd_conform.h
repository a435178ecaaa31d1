/* cmd_conform.h - `tilescope conform`: the engine against vectors from outside. */
#ifndef CLI_CMD_CONFORM_H
#define CLI_CMD_CONFORM_H

/* Runs the command; argv[0] is "conform". Data to stdout, messages to stderr.
 * @return the exit code of the program: 0 all pass, 1 a case failed, 2 usage or
 * a malformed file, 3 I/O or memory. */
int cmd_conform(int argc, char **argv);

#endif
