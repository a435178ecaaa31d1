#include "cli/cmd_conform.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "engine/conform.h"
#include "text/suggest.h"

static const char usage_text[] = "Usage: tilescope conform DIR [--kind KIND] [--confidence LEVEL]\n"
                                 "\n"
                                 "Runs every *.vec file of DIR (one instruction or a short program each, with the\n"
                                 "bytes it must leave) and errors.csv (invalid uses, each with its code).\n"
                                 "\n"
                                 "  -k, --kind KIND         only cases of this kind; rows of errors.csv: error\n"
                                 "  -c, --confidence LEVEL  only cases of this level: proven, pseudo, doc, inferred\n"
                                 "  -h, --help              show this text\n"
                                 "\n"
                                 "Prints `FAIL id kind ...` for each failing case, with the first differing byte,\n"
                                 "what was expected and found there, and its fractal and element; `ALT id label`\n"
                                 "where a documented second reading was met; last `N passed, N failed`.\n"
                                 "Exit status: 0 all passed, 1 some failed, 2 usage or a malformed file, 3 I/O.\n"
                                 "\n"
                                 "Examples:\n"
                                 "  tilescope conform tests/data/conformance\n"
                                 "  tilescope conform tests/data/conformance --kind im2col\n"
                                 "  tilescope conform my_vectors --confidence proven\n";

/* A word that must be one of `known`. @return false, with a message, if it is not. */
static bool known_word(const char *option, const char *word, const char *const *known)
{
    for (size_t i = 0; word && known[i]; i++) {
        if (strcmp(word, known[i]) == 0) {
            word = NULL;
        }
    }
    if (!word) {
        return true;
    }
    const char *near = suggest_word(word, known);
    (void)fprintf(stderr, "tilescope conform: %s '%s' is not known", option, word);
    if (near) {
        (void)fprintf(stderr, "; did you mean '%s'?\n", near);
        return false;
    }
    (void)fputs("; known are", stderr);
    for (size_t i = 0; known[i]; i++) {
        (void)fprintf(stderr, " %s", known[i]);
    }
    (void)fputs("\n", stderr);
    return false;
}

/* @return -1 to go on, else the exit code. */
static int parse(int argc, char **argv, struct conform_options *options, const char **dir)
{
    static const struct option longs[] = {{"kind", required_argument, NULL, 'k'},
                                          {"confidence", required_argument, NULL, 'c'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    for (int key; (key = getopt_long(argc, argv, "k:c:h", longs, NULL)) != -1;) {
        switch (key) {
        case 'k':
            options->kind = optarg;
            break;
        case 'c':
            options->confidence = optarg;
            break;
        case 'h':
            (void)fputs(usage_text, stdout);
            return 0;
        default:
            return 2; /* getopt said why */
        }
    }
    if (optind != argc - 1) {
        (void)fprintf(stderr, "tilescope conform: takes one directory; --help shows more\n");
        return 2;
    }
    static const char *const levels[] = {"proven", "pseudo", "doc", "inferred", NULL};
    if (!known_word("confidence", options->confidence, levels)) {
        return 2;
    }
    *dir = argv[optind];
    return -1;
}

/* No case was chosen: says so, with the nearest kind the directory has. */
static enum status nothing_chosen(const char *dir, const struct conform_options *options, struct arena *arena,
                                  struct diag *d)
{
    const struct conform_options all = {0};
    struct conform_report report;
    struct diag quiet;
    diag_init(&quiet);
    (void)conform_run(dir, &all, arena, &report, &quiet);
    diag_fini(&quiet);
    const char **kinds = arena_alloc(arena, report.count + 1, sizeof(*kinds));
    if (!kinds) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the kinds of cases");
    }
    for (size_t i = 0; i < report.count; i++) {
        kinds[i] = report.entries[i].kind;
    }
    diag_error(d, STATUS_INVALID, NULL, "%s has no case%s%s%s%s", dir, options->kind ? " of kind " : "",
               options->kind ? options->kind : "", options->confidence ? " of confidence " : "",
               options->confidence ? options->confidence : "");
    const char *near = options->kind ? suggest_word(options->kind, kinds) : NULL;
    if (near && strcmp(near, options->kind) != 0) {
        diag_hint(d, "did you mean '%s'?", near);
    }
    return STATUS_INVALID;
}

int cmd_conform(int argc, char **argv)
{
    struct conform_options options = {0};
    const char *dir = NULL;
    const int done = parse(argc, argv, &options, &dir);
    if (done >= 0) {
        return done;
    }
    struct arena arena;
    struct diag d;
    struct strbuf text;
    struct conform_report report;
    arena_init(&arena);
    diag_init(&d);
    strbuf_init(&text);
    enum status st = conform_run(dir, &options, &arena, &report, &d);
    if (report.count > 0 || (report.files > 0 && st != STATUS_OK)) {
        conform_format(&report, &text);
        (void)fputs(strbuf_cstr(&text), stdout);
    }
    if (st == STATUS_OK && report.count == 0) {
        st = nothing_chosen(dir, &options, &arena, &d);
    }
    strbuf_clear(&text);
    diag_render(&d, &text);
    (void)fputs(strbuf_cstr(&text), stderr);
    if (st == STATUS_OK && (fflush(stdout) != 0 || ferror(stdout))) {
        st = STATUS_IO;
    }
    strbuf_fini(&text);
    diag_fini(&d);
    arena_fini(&arena);
    return status_exit_code(st);
}
