#include "cli/cmd_conform.h"

#include <getopt.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "engine/conform.h"

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
    *dir = argv[optind];
    return -1;
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
    if (report.files > 0) {
        conform_format(&report, &text);
        (void)fputs(strbuf_cstr(&text), stdout);
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
