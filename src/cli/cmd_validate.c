/* cmd_validate.c - every board run of a file with what the model says of it,
 * the mean errors by use and family, and one line that sums it up. */
#include "cli/cmd_validate.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "study/validate_score.h"

#define FAMILIES_MAX 64

static const char usage_text[] = "Usage: tilescope validate [options] FILE.csv\n"
                                 "\n"
                                 "Predicts every board run of FILE.csv and compares: signed error of each time in\n"
                                 "percent, then mean absolute errors by use (rows marked calibrate or holdout) and by\n"
                                 "family, then how many pairs of tilings of one shape, measured more than 3 % apart,\n"
                                 "the model puts in the right order.\n"
                                 "\n"
                                 "Columns are those of tests/data/measurements/open.csv; id, target, M, N, K and\n"
                                 "dtype_a must be there, any other may be missing. Times in us. `target` is a name of\n"
                                 "`tilescope targets`, a path to a target file, or 910B1, 910B2, 910B3, A3, 950PR.\n"
                                 "\n"
                                 "  -c, --csv         print the rows as CSV: predicted and measured times\n"
                                 "  -q, --quiet       only the last line\n"
                                 "  -h, --help        show this text\n"
                                 "\n"
                                 "The last line counts the rows marked holdout if there are any, else all.\n"
                                 "\n"
                                 "Examples:\n"
                                 "  tilescope validate tests/data/measurements/open.csv\n"
                                 "  tilescope validate --csv my_msprof_runs.csv > predicted.csv\n";

struct args {
    const char *file;
    bool csv, quiet, help;
};

static enum status parse_args(int argc, char **argv, struct args *args, struct diag *d)
{
    static const struct option options[] = {{"csv", no_argument, NULL, 'c'},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    optind = 1;
    opterr = 0;
    int letter;
    while ((letter = getopt_long(argc, argv, ":cqh", options, NULL)) != -1) {
        args->csv |= letter == 'c';
        args->quiet |= letter == 'q';
        args->help |= letter == 'h';
        if (letter == '?' || letter == ':') {
            diag_error(d, STATUS_INVALID, NULL, "unknown option '%s'", argv[optind - 1]);
            diag_hint(d, "see tilescope validate --help");
            return STATUS_INVALID;
        }
    }
    if (args->help) {
        return STATUS_OK;
    }
    if (optind + 1 != argc) {
        return diag_error(d, STATUS_INVALID, NULL, "validate takes one file of measurements");
    }
    args->file = argv[optind];
    return STATUS_OK;
}

/* --- rows ------------------------------------------------------------------ */

static void print_percent(double error)
{
    if (isnan(error)) {
        printf("  %7s", "-");
    } else {
        printf("  %+7.2f", error);
    }
}

static void print_us(double us)
{
    if (isnan(us)) {
        printf("  %11s", "-");
    } else {
        printf("  %11.2f", us);
    }
}

static void print_note(const struct validate_result *r)
{
    if (r->skipped != NULL) {
        printf("  %s", r->skipped);
    } else if (r->why.reason != REASON_NONE) {
        printf("  our plan says: %s", infeasible_reason_name((enum infeasible_reason)r->why.reason));
    } else if (r->unvalidated) {
        printf("  unvalidated");
    }
}

static void print_rows(const struct validate_set *set)
{
    printf("%-6s  %-18s  %-9s  %11s  %11s", "id", "target", "use", "task us", "model us");
    for (int m = 0; m < MEASURE_N; m++) {
        printf("  %5s %%", measure_name((enum measure)m));
    }
    puts("");
    for (size_t i = 0; i < set->count; i++) {
        const struct validate_result *r = &set->results[i];
        printf("%-6s  %-18s  %-9s", r->row.id, r->row.target_name, *r->row.use == '\0' ? "-" : r->row.use);
        print_us(r->row.measured[MEASURE_TASK]);
        print_us(r->predicted[MEASURE_TASK]);
        for (int m = 0; m < MEASURE_N; m++) {
            print_percent(validate_error(r, (enum measure)m));
        }
        print_note(r);
        puts("");
    }
}

static void print_csv_us(double us)
{
    if (isnan(us)) {
        printf(",");
    } else {
        printf(",%.9g", us);
    }
}

static void print_csv(const struct validate_set *set)
{
    printf("id,target,use,op");
    for (int m = 0; m < MEASURE_N; m++) {
        printf(",%s_us", measure_name((enum measure)m));
    }
    for (int m = 0; m < MEASURE_N; m++) {
        printf(",measured_%s_us", measure_name((enum measure)m));
    }
    puts(",unvalidated");
    for (size_t i = 0; i < set->count; i++) {
        const struct validate_result *r = &set->results[i];
        printf("%s,%s,%s,%s", r->row.id, r->row.target_name, r->row.use, r->row.op);
        for (int m = 0; m < MEASURE_N; m++) {
            print_csv_us(r->predicted[m]);
        }
        for (int m = 0; m < MEASURE_N; m++) {
            print_csv_us(r->row.measured[m]);
        }
        printf(",%d\n", r->unvalidated);
    }
}

/* --- scores ---------------------------------------------------------------- */

static void print_score(const char *name, const struct validate_score *score)
{
    printf("%-34s  %4d", name, score->timed);
    for (int m = 0; m < MEASURE_N; m++) {
        if (score->rows[m] == 0) {
            printf("  %12s", "-");
        } else {
            printf("  %6.2f (%3d)", score->error[m], score->rows[m]);
        }
    }
    printf("  %d/%d\n", score->right, score->pairs);
}

static void print_score_of(const struct validate_set *set, const char *name, const char *use, const char *family)
{
    struct validate_score score;
    validate_score(set, use, family, &score);
    if (score.timed > 0) {
        print_score(name, &score);
    }
}

/* Families in order of appearance. */
static size_t families(const struct validate_set *set, const char *names[FAMILIES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const char *family = set->results[i].row.family;
        size_t known = 0;
        while (known < count && strcmp(names[known], family) != 0) {
            known++;
        }
        if (known == count && count < FAMILIES_MAX && *family != '\0') {
            names[count++] = family;
        }
    }
    return count;
}

static void print_scores(const struct validate_set *set)
{
    const char *names[FAMILIES_MAX];
    printf("\n%-34s  %4s", "mean absolute error, % (rows)", "rows");
    for (int m = 0; m < MEASURE_N; m++) {
        printf("  %12s", measure_name((enum measure)m));
    }
    puts("  order");
    print_score_of(set, "all", NULL, NULL);
    print_score_of(set, "calibrate", "calibrate", NULL);
    print_score_of(set, "holdout", "holdout", NULL);
    const size_t count = families(set, names);
    for (size_t i = 0; i < count; i++) {
        print_score_of(set, names[i], NULL, names[i]);
    }
    puts("");
}

static void print_part(const char *name, double value, bool there)
{
    if (there) {
        printf(" %s %.2f", name, value);
    } else {
        printf(" %s -", name);
    }
}

/* The line scripts read. */
static void print_last_line(const struct validate_set *set)
{
    static const enum measure measures[] = {MEASURE_TASK, MEASURE_MAC, MEASURE_MTE1, MEASURE_MTE2, MEASURE_FIXPIPE};
    struct validate_score score;
    validate_score(set, "holdout", NULL, &score);
    if (score.timed == 0) {
        validate_score(set, NULL, NULL, &score);
    }
    printf("MAPE");
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++) {
        print_part(measure_name(measures[i]), score.error[measures[i]], score.rows[measures[i]] > 0);
    }
    print_part("order", 100.0 * score.right / (score.pairs > 0 ? score.pairs : 1), score.pairs > 0);
    printf(" (%d rows)\n", score.timed);
}

static enum status run(const struct args *args, struct arena *arena, struct diag *d)
{
    struct validate_set set;
    TRY(validate_file(args->file, arena, &set, d));
    if (args->csv) {
        print_csv(&set);
    } else {
        if (!args->quiet) {
            print_rows(&set);
            print_scores(&set);
        }
        print_last_line(&set);
    }
    return diag_status(d);
}

int cmd_validate(int argc, char **argv)
{
    struct args args = {0};
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag);
    enum status status = parse_args(argc, argv, &args, &diag);
    if (status == STATUS_OK && args.help) {
        (void)fputs(usage_text, stdout);
    } else if (status == STATUS_OK) {
        status = run(&args, &arena, &diag);
    }
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        status = diag_error(&diag, STATUS_IO, NULL, "cannot write to standard output");
    }
    struct strbuf text;
    strbuf_init(&text);
    diag_render(&diag, &text);
    (void)fputs(strbuf_cstr(&text), stderr);
    strbuf_fini(&text);
    diag_fini(&diag);
    arena_fini(&arena);
    return status_exit_code(status);
}
