/* main.c - the program: which command, its options, its help, its exit code.
 *
 * Commands are a table. A command whose file is not there yet is simply absent
 * from it. Exit codes: 0 ok; 1 a mismatch, or no feasible tiling; 2 usage or
 * config; 3 files or memory; 130 interrupted (status_exit_code). */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "text/suggest.h"

#define MAX_OPTIONS 64
#define HELP_KEY    1000

/* ---- help ---- */

static void print_option(char letter, const char *name, const char *arg, const char *help)
{
    char left[64];
    snprintf(left, sizeof(left), "%c%c%s--%s%s%s", letter ? '-' : ' ', letter ? letter : ' ', letter ? ", " : "  ",
             name, arg ? " " : "", arg ? arg : "");
    printf("  %-26s ", left);
    for (const char *p = help; *p; p++) {
        putchar(*p);
        if (*p == '\n') {
            printf("%29s", "");
        }
    }
    putchar('\n');
}

static void print_examples(const char *const *examples)
{
    puts("\nExamples:");
    for (size_t i = 0; examples[i]; i++) {
        printf("  %s\n", examples[i]);
    }
}

static void print_command_help(const struct command *c)
{
    printf("Usage: %s\n\n%s.\n", c->usage, c->summary);
    if (c->about) {
        printf("\n%s\n", c->about);
    }
    puts("\nOptions:");
    for (const struct command_option *o = c->options; o && o->name; o++) {
        print_option(o->letter, o->name, o->arg, o->help);
    }
    print_option('h', "help", NULL, "this text");
    print_examples(c->examples);
}

static void print_program_help(void)
{
    static const char *const examples[] = {
        "tilescope run                                    # the built-in config: a 2048^3 half matmul on 910B1",
        "tilescope run my.yaml -j 2 --set problem.M=4096  # your own, one key changed",
        "tilescope explain my.yaml                        # the best tiling, instruction by instruction",
        "tilescope run --help", NULL};
    puts("tilescope: which tiling should a matmul use on an Ascend AI core, why, and does the plan fit?\n"
         "\nUsage: tilescope COMMAND [options]\n\nCommands:");
    for (size_t i = 0; commands[i]; i++) {
        if (!commands[i]->hidden) {
            printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
        }
    }
    puts("\nOptions:\n  -h, --help     this text; after a command: its own\n      --version  version, time model, file "
         "format\n"
         "\nData goes to stdout, progress and messages to stderr.\n"
         "Exit status: 0 ok; 1 a mismatch, or no feasible tiling; 2 usage or config; 3 files or memory; 130 "
         "interrupted.");
    print_examples(examples);
}

/* ---- options ---- */

static void bad_option(const struct command *c, const char *given, struct diag *d)
{
    const char *names[MAX_OPTIONS + 1] = {0};
    size_t n = 0;
    for (const struct command_option *o = c->options; o && o->name && n < MAX_OPTIONS - 1; o++) {
        names[n++] = o->name;
    }
    names[n] = "help";
    char word[64];
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(given, "="), given);
    diag_error(d, STATUS_INVALID, NULL, "tilescope %s has no option '%s'", c->name, word);
    const char *near = word[0] == '-' && word[1] == '-' ? suggest_word(word + 2, names) : NULL;
    if (near) {
        diag_hint(d, "did you mean '--%s'?", near);
    } else {
        diag_hint(d, "tilescope %s --help shows them all", c->name);
    }
}

/* getopt's two tables from ours. */
static int build_tables(const struct command *c, struct option *longs, char *shorts)
{
    int n = 0;
    size_t len = 0;
    shorts[len++] = ':';
    for (const struct command_option *o = c->options; o && o->name && n < MAX_OPTIONS - 1; o++, n++) {
        longs[n] = (struct option){o->name, o->arg ? required_argument : no_argument, NULL, n};
        if (o->letter) {
            shorts[len++] = o->letter;
            if (o->arg) {
                shorts[len++] = ':';
            }
        }
    }
    shorts[len++] = 'h';
    shorts[len] = '\0';
    longs[n] = (struct option){"help", no_argument, NULL, HELP_KEY};
    return n;
}

static const struct command_option *by_letter(const struct command *c, int letter)
{
    for (const struct command_option *o = c->options; o && o->name; o++) {
        if (o->letter == letter) {
            return o;
        }
    }
    return NULL;
}

/* Fills `line` from argv. *help: the user asked for it. */
static enum status parse(int argc, char **argv, struct command_line *line, bool *help, struct diag *d)
{
    const struct command *c = line->command;
    struct option longs[MAX_OPTIONS + 1] = {0};
    char shorts[3 * MAX_OPTIONS];
    const int known = build_tables(c, longs, shorts);
    opterr = 0;
    for (int key; (key = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        if (key == HELP_KEY || key == 'h') {
            *help = true;
            continue;
        }
        if (key == ':') {
            return diag_error(d, STATUS_INVALID, NULL, "option '%s' needs a value", argv[optind - 1]);
        }
        const struct command_option *o = key < known ? &c->options[key] : key == '?' ? NULL : by_letter(c, key);
        if (!o) {
            const char letter[3] = {'-', (char)optopt, '\0'};
            bad_option(c, optopt && optopt < 256 ? letter : argv[optind - 1], d);
            return STATUS_INVALID;
        }
        line->option[line->options] = o;
        line->value[line->options++] = optarg;
    }
    for (; optind < argc; optind++) {
        line->word[line->words++] = argv[optind];
    }
    if (line->words > c->max_words) {
        diag_error(d, STATUS_INVALID, NULL, "'%s' is one word too many for tilescope %s", line->word[c->max_words],
                   c->name);
        diag_hint(d, "usage: %s", c->usage);
        return STATUS_INVALID;
    }
    return STATUS_OK;
}

/* ---- dispatch ---- */

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; commands[i]; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int unknown_command(const char *name, struct diag *d)
{
    const char *names[MAX_OPTIONS + 1] = {0};
    size_t n = 0;
    for (size_t i = 0; commands[i] && n < MAX_OPTIONS; i++) {
        if (!commands[i]->hidden) {
            names[n++] = commands[i]->name;
        }
    }
    diag_error(d, STATUS_INVALID, NULL, "there is no command '%s'", name);
    const char *near = suggest_word(name, names);
    if (near) {
        diag_hint(d, "did you mean 'tilescope %s'?", near);
    } else {
        diag_hint(d, "tilescope --help shows them all");
    }
    return status_exit_code(STATUS_INVALID);
}

static int run_command(const struct command *c, int argc, char **argv, struct diag *d)
{
    if (c->main) {
        return c->main(argc, argv);
    }
    struct command_line line = {.command = c};
    const size_t n = (size_t)argc + 1;
    line.option = calloc(n, sizeof(*line.option));
    line.value = calloc(n, sizeof(*line.value));
    line.word = calloc(n, sizeof(*line.word));
    bool help = false;
    enum status st = STATUS_NO_MEMORY;
    if (line.option && line.value && line.word) {
        st = parse(argc, argv, &line, &help, d);
    }
    if (st == STATUS_OK && help) {
        print_command_help(c);
    } else if (st == STATUS_OK) {
        st = c->run(&line, d);
    }
    free(line.option);
    free(line.value);
    free(line.word);
    return status_exit_code(st);
}

/* tilescope help [COMMAND] */
static int help_command(const char *name, struct diag *d)
{
    const struct command *c = name ? find_command(name) : NULL;
    if (name && !c) {
        return unknown_command(name, d);
    }
    if (!c) {
        print_program_help();
    } else if (c->main) {
        char copy[64];
        char option[] = "--help";
        snprintf(copy, sizeof(copy), "%s", c->name);
        char *argv[] = {copy, option, NULL};
        return c->main(2, argv);
    } else {
        print_command_help(c);
    }
    return 0;
}

static int dispatch(int argc, char **argv, struct diag *d)
{
    const char *first = argc > 1 ? argv[1] : "";
    if (!*first) {
        diag_error(d, STATUS_INVALID, NULL, "a command is missing");
        diag_hint(d, "tilescope run; tilescope --help shows all commands");
        return status_exit_code(STATUS_INVALID);
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
        return help_command(NULL, d);
    }
    if (strcmp(first, "help") == 0) {
        return help_command(argc > 2 ? argv[2] : NULL, d);
    }
    if (strcmp(first, "--version") == 0) {
        printf("tilescope %s (%s, %s)\n", TILESCOPE_VERSION, TILESCOPE_MODEL_TEXT, TILESCOPE_FORMAT_TEXT);
        return 0;
    }
    const struct command *c = find_command(first);
    return c ? run_command(c, argc - 1, argv + 1, d) : unknown_command(first, d);
}

int main(int argc, char **argv)
{
    struct diag d;
    diag_init(&d);
    int code = dispatch(argc, argv, &d);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        diag_error(&d, STATUS_IO, NULL, "stdout cannot be written");
        code = status_exit_code(STATUS_IO);
    }
    command_flush_diag(&d);
    diag_fini(&d);
    return code;
}
