/* cmd_validate.c - every board run of a file with what the model says of it,
 * the mean errors by use and family, and one line that sums it up. */
#include "cli/cmd_validate.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/os.h"
#include "report/validate.h"

static const char usage_text[] =
    "Usage: tilescope validate [options] FILE.csv\n"
    "\n"
    "Predicts every board run of FILE.csv and compares: signed error of each time in\n"
    "percent, then mean absolute errors by use (rows marked calibrate or holdout) and by\n"
    "family, then how many pairs of tilings of one shape, measured more than 3 % apart,\n"
    "the model puts in the right order.\n"
    "\n"
    "Columns are those of tests/data/measurements/open.csv; id, target, M, N, K and\n"
    "dtype_a must be there, any other may be missing (B is then of A's dtype). Times in\n"
    "us. `target` is a name of `tilescope targets`, a path to a target file, or 910B1,\n"
    "910B2, 910B3, A3, 950PR.\n"
    "\n"
    "  -c, --csv            print the rows as CSV: predicted and measured times\n"
    "  -q, --quiet          only the last line\n"
    "  -l, --leave-out      each family with numbers fitted without it\n"
    "  -p, --plot DIR       draw predicted against measured: DIR/validate.png, .svg\n"
    "  -f, --fit PARAM,...  fit these numbers of the time model to the rows marked\n"
    "                       calibrate (none marked: all); `default`: those that were\n"
    "                       fitted for the shipped targets. What follows is after the fit\n"
    "  -o, --output FILE    with --fit: write a target file that extends the stock one\n"
    "  -h, --help           show this text\n"
    "\n"
    "The last line counts the rows marked holdout if there are any, else all.\n"
    "\n"
    "Examples:\n"
    "  tilescope validate tests/data/measurements/open.csv\n"
    "  tilescope validate --csv my_msprof_runs.csv > predicted.csv\n"
    "  tilescope validate --fit row_width,hbm_nd -o mine.yaml my_msprof_runs.csv\n"
    "  tilescope validate -q -p plots tests/data/measurements/open.csv\n";

struct args {
    const char *file, *plot, *fit, *output;
    bool csv, quiet, help, leave_out;
};

static enum status parse_args(int argc, char **argv, struct args *args, struct diag *d)
{
    static const struct option options[] = {
        {"csv", no_argument, NULL, 'c'},          {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},         {"leave-out", no_argument, NULL, 'l'},
        {"plot", required_argument, NULL, 'p'},   {"fit", required_argument, NULL, 'f'},
        {"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
    optind = 1;
    opterr = 0;
    int letter;
    while ((letter = getopt_long(argc, argv, ":cqhlp:f:o:", options, NULL)) != -1) {
        args->csv |= letter == 'c';
        args->quiet |= letter == 'q';
        args->help |= letter == 'h';
        args->leave_out |= letter == 'l';
        args->plot = letter == 'p' ? optarg : args->plot;
        args->fit = letter == 'f' ? optarg : args->fit;
        args->output = letter == 'o' ? optarg : args->output;
        if (letter == ':') {
            return diag_error(d, STATUS_INVALID, NULL, "option '%s' needs a value", argv[optind - 1]);
        }
        if (letter == '?') {
            diag_error(d, STATUS_INVALID, NULL, "unknown option '%s'", argv[optind - 1]);
            diag_hint(d, "see tilescope validate --help");
            return STATUS_INVALID;
        }
    }
    if (args->help) {
        return STATUS_OK;
    }
    if (args->output != NULL && args->fit == NULL) {
        return diag_error(d, STATUS_INVALID, NULL, "--output goes with --fit");
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

static void print_scores(const struct validate_set *set)
{
    const char *names[VALIDATE_FAMILIES_MAX];
    printf("\n%-34s  %4s", "mean absolute error, % (rows)", "rows");
    for (int m = 0; m < MEASURE_N; m++) {
        printf("  %12s", measure_name((enum measure)m));
    }
    puts("  order");
    print_score_of(set, "all", NULL, NULL);
    print_score_of(set, "calibrate", "calibrate", NULL);
    print_score_of(set, "holdout", "holdout", NULL);
    const size_t count = validate_families(set, names);
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

/* --- fit, families left out, picture ------------------------------------------ */

/* Fits one architecture's numbers, says so, and writes the target file if asked. */
static enum status fit_arch(const struct args *args, struct timing *timing, struct validate_set *set, int32_t arch,
                            struct arena *arena, struct strbuf *out, struct diag *d)
{
    struct fit_param params[FIT_PARAMS_MAX];
    struct fit_result fit;
    struct validate_score marked, before, after;
    int count = 0;
    validate_score(set, "calibrate", NULL, &marked);
    const struct fit_rows rows = {.use = marked.timed > 0 ? "calibrate" : NULL};
    const bool standard = strcmp(args->fit, "default") == 0;
    if (standard && *fit_default_params(arch) == '\0') {
        diag_note(d, NULL, "no numbers were fitted for architecture %d", (int)arch);
        return STATUS_OK;
    }
    TRY(fit_params_parse(standard ? fit_default_params(arch) : args->fit, arena, params, &count, d));
    validate_score(set, NULL, NULL, &before);
    TRY(fit_run(timing, set, arch, &rows, params, count, &fit, d));
    validate_score(set, NULL, NULL, &after);
    fit_warn(&fit, d);
    validate_fit_text(&fit, &before, &after, out);
    if (args->output == NULL) {
        return STATUS_OK;
    }
    struct strbuf yaml;
    strbuf_init(&yaml);
    validate_fit_yaml(&fit, set, &rows, args->file, &yaml);
    const enum status st = yaml.failed ? STATUS_NO_MEMORY : os_write_file(args->output, yaml.text, yaml.len, d);
    strbuf_fini(&yaml);
    return st;
}

static enum status fit_set(const struct args *args, struct timing *timing, struct validate_set *set,
                           struct arena *arena, struct strbuf *out, struct diag *d)
{
    int32_t archs[8];
    const int count = fit_archs(set, archs, 8);
    if (args->output != NULL && count > 1) {
        diag_error(d, STATUS_INVALID, NULL, "the rows are of %d architectures, a target file is of one", count);
        diag_hint(d, "put the rows of each in a file of its own, or leave --output out");
        return STATUS_INVALID;
    }
    for (int i = 0; i < count; i++) {
        TRY(fit_arch(args, timing, set, archs[i], arena, out, d));
    }
    return STATUS_OK;
}

/* What needs predictions of changed targets. */
static enum status refit(const struct args *args, struct validate_set *set, struct arena *arena, struct strbuf *out,
                         struct diag *d)
{
    struct timing *timing;
    if (timing_create(&timing) != STATUS_OK) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "out of memory");
    }
    enum status st = fit_detach(set, arena, d);
    if (st == STATUS_OK && args->fit != NULL) {
        st = fit_set(args, timing, set, arena, out, d);
    }
    if (st == STATUS_OK && args->leave_out) {
        st = validate_leave_out(timing, set, out, d);
    }
    timing_destroy(timing);
    return st;
}

static void print_set(const struct args *args, const struct validate_set *set, const struct strbuf *more)
{
    if (args->csv) {
        print_csv(set);
        return;
    }
    if (!args->quiet) {
        print_rows(set);
        print_scores(set);
    }
    if (more->len > 0) {
        printf("%s\n", strbuf_cstr(more));
    }
    print_last_line(set);
}

static enum status run(const struct args *args, struct arena *arena, struct diag *d)
{
    struct validate_set set;
    struct strbuf more;
    TRY(validate_file(args->file, arena, &set, d));
    strbuf_init(&more);
    enum status st = STATUS_OK;
    if (args->fit != NULL || args->leave_out) {
        st = refit(args, &set, arena, &more, d);
    }
    if (st == STATUS_OK && args->plot != NULL) {
        st = validate_plot(&set, args->plot, d);
    }
    if (st == STATUS_OK) {
        print_set(args, &set, &more);
    }
    strbuf_fini(&more);
    return st == STATUS_OK ? diag_status(d) : st;
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
