/* command.h - one command of the program: its table of options, its help, its
 * function. main.c parses by the table, prints help from it, renders the
 * messages and turns the status into an exit code; a command reads what was
 * given through the functions below, prints data to stdout and returns. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct command_option {
    char letter;      /* 'j' for -j; 0: long only */
    const char *name; /* "threads" for --threads */
    const char *arg;  /* "N": takes a value; NULL: a switch */
    const char *help; /* one line; "\n" goes on below it */
};

/* What the user gave. */
struct command_line {
    const struct command *command;
    const struct command_option **option; /* in order of appearance */
    const char **value;                   /* of option i, NULL for a switch */
    size_t options;
    const char **word; /* what is no option, NULL-terminated */
    size_t words;
};

struct command {
    const char *name;
    const char *usage;                    /* "tilescope run [CONFIG] [options]" */
    const char *summary;                  /* one line for `tilescope --help` */
    const char *about;                    /* paragraphs above the options; NULL: none */
    const struct command_option *options; /* ends with a NULL name; --help is added */
    const char *const *examples;          /* lines to copy, "#" lines explain; NULL-terminated */
    size_t max_words;
    bool hidden; /* not in `tilescope --help` */
    enum status (*run)(const struct command_line *line, struct diag *d);
    /* Instead of everything from `usage` on: the command parses for itself and
     * returns the program's exit code; argv[0] is its name. */
    int (*main)(int argc, char **argv);
};

/* Was the switch or option given? */
bool command_has(const struct command_line *line, const char *name);
/* Value given last, or `otherwise`. */
const char *command_text(const struct command_line *line, const char *name, const char *otherwise);
/* All values in order, NULL-terminated; free() it. NULL on lack of memory. */
const char **command_all(const struct command_line *line, const char *name);
/* Value given last as an integer in [min, max]; *out stays as it is when the
 * option was not given. STATUS_INVALID with a message otherwise. */
enum status command_int(const struct command_line *line, const char *name, int64_t min, int64_t max, int64_t *out,
                        struct diag *d);

/* Prints the messages gathered so far to stderr (warnings before a long job)
 * and empties `d`. */
void command_flush_diag(struct diag *d);

#endif
