/* cmd_targets.c - lists chips, shows every number of one with its source,
 * compares two, prints the support matrix of a product.
 *
 * All views are tables of text cells: gathered first, then printed with columns
 * as wide as their widest cell, the last column free. */
#include "cli/cmd_targets.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "isa/fields.h"
#include "isa/support.h"
#include "target/target.h"
#include "text/suggest.h"

#define COLUMNS_MAX    (2U + DTYPE_N)
#define TARGET_COLUMNS 12U

static const char usage_text[] = "Usage: tilescope targets [NAME]\n"
                                 "       tilescope targets --diff A B\n"
                                 "       tilescope targets --support [PRODUCT | NAME]\n"
                                 "\n"
                                 "Without a name: all chips, one a line. With NAME (a stock target, or the path\n"
                                 "of a target file): every number with its unit, confidence, measured rows, the\n"
                                 "file that sets it and its source.\n"
                                 "\n"
                                 "  -d, --diff        show only what differs between targets A and B\n"
                                 "  -s, --support     show which instruction takes which element type on which\n"
                                 "                    path, the forms of Mmad and the conversions of Fixpipe: of\n"
                                 "                    one product (or of a target's), or of all\n"
                                 "  -h, --help        show this text\n"
                                 "\n"
                                 "confidence: measured (board runs), document, platform (vendor's platform files),\n"
                                 "assumed. The column `numbers` is the worst of a chip's timing numbers and how\n"
                                 "many of them have it; `board runs` says whether the model was held to runs of\n"
                                 "this chip.\n"
                                 "\n"
                                 "Examples:\n"
                                 "  tilescope targets\n"
                                 "  tilescope targets ascend950pr_9589\n"
                                 "  tilescope targets --diff ascend910b1 ascend950pr_9589\n"
                                 "  tilescope targets --support ascend910b\n"
                                 "  tilescope targets ./my_chip.yaml\n";

/* ---- tables of text ---- */

struct table {
    struct strbuf cells; /* '\n' ends a row, '\t' ends a cell */
    unsigned columns;
    bool right[COLUMNS_MAX]; /* numbers stand right */
};

static void add_cell(struct table *t, const char *text)
{
    strbuf_add(&t->cells, text[0] != '\0' ? text : "-");
    strbuf_add(&t->cells, "\t");
}

__attribute__((format(printf, 2, 3))) static void add_cellf(struct table *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    strbuf_vaddf(&t->cells, fmt, ap);
    va_end(ap);
    strbuf_add(&t->cells, "\t");
}

static void end_row(struct table *t)
{
    strbuf_add(&t->cells, "\n");
}

static void column_widths(const struct table *t, int width[COLUMNS_MAX])
{
    unsigned column = 0;
    int length = 0;
    memset(width, 0, COLUMNS_MAX * sizeof *width);
    for (const char *p = strbuf_cstr(&t->cells); *p != '\0'; p++) {
        if (*p == '\n') {
            column = 0;
        } else if (*p == '\t') {
            width[column] = length > width[column] ? length : width[column];
            column++;
            length = 0;
        } else {
            length++;
        }
    }
}

/* Prints and empties the table. */
static void print_table(struct table *t)
{
    int width[COLUMNS_MAX];
    column_widths(t, width);
    unsigned column = 0;
    const char *cell = strbuf_cstr(&t->cells);
    for (const char *p = cell; *p != '\0'; p++) {
        if (*p == '\n') {
            (void)putchar('\n');
            column = 0;
            cell = p + 1;
        } else if (*p == '\t') {
            const bool last = column + 1 == t->columns;
            const int pad = last ? 0 : width[column];
            (void)printf(t->right[column] ? "%s%*.*s" : "%s%-*.*s", column > 0 ? "  " : "", pad, (int)(p - cell), cell);
            column++;
            cell = p + 1;
        }
    }
    strbuf_clear(&t->cells);
}

/* ---- one target a line ---- */

#define KIB 1024.0
#define MIB (KIB * KIB)

static void add_target_row(struct table *table, const struct target *t)
{
    const struct target_trust trust = target_trust(t);
    add_cell(table, t->name);
    add_cell(table, product_name(t->product));
    add_cellf(table, "%d", t->arch);
    add_cellf(table, "%d", t->cores);
    add_cellf(table, "%.3g", t->ghz);
    add_cellf(table, "%.0f", (double)t->physical[BUF_L1] / KIB);
    add_cellf(table, "%.0f", (double)t->physical[BUF_L0A] / KIB);
    add_cellf(table, "%.0f", (double)t->physical[BUF_L0C] / KIB);
    add_cellf(table, "%.0f", t->l2_bytes / MIB);
    add_cellf(table, "%.3g", t->timing.hbm);
    add_cellf(table, "%s %zu/%zu", confidence_name(trust.worst), trust.count[trust.worst], trust.total);
    add_cell(table, t->validation);
    end_row(table);
}

static enum status list_targets(struct arena *arena, struct diag *d)
{
    static const char *const heads[] = {"name",    "product", "arch",   "cores",    "GHz",     "L1 KiB",
                                        "L0A KiB", "L0C KiB", "L2 MiB", "HBM TB/s", "numbers", "board runs"};
    struct table table = {.columns = TARGET_COLUMNS};
    strbuf_init(&table.cells);
    for (unsigned i = 0; i < TARGET_COLUMNS; i++) {
        add_cell(&table, heads[i]);
        table.right[i] = i >= 2 && i <= 9;
    }
    end_row(&table);
    const char *const *names = target_names(arena);
    enum status status = names != NULL ? STATUS_OK : diag_error(d, STATUS_NO_MEMORY, NULL, "out of memory");
    struct arena each; /* a target is read, printed and forgotten */
    arena_init(&each);
    for (size_t i = 0; status == STATUS_OK && names[i] != NULL; i++) {
        const struct target *t;
        status = target_load(names[i], NULL, &each, &t, d);
        if (status == STATUS_OK) {
            add_target_row(&table, t);
        }
        arena_reset(&each);
    }
    arena_fini(&each);
    if (status == STATUS_OK) {
        print_table(&table);
    }
    strbuf_fini(&table.cells);
    return status;
}

/* ---- one target in full ---- */

static void add_value(struct table *table, const struct target_fact *fact)
{
    if (fact == NULL) {
        add_cell(table, "");
    } else if (fact->text != NULL) {
        add_cell(table, fact->text);
    } else if (strcmp(fact->unit, "flag") == 0) {
        add_cell(table, fact->value != 0 ? "yes" : "no");
    } else {
        add_cellf(table, "%.12g", fact->value);
    }
}

/* The part of a key before the first '.': its group. */
static size_t group_length(const char *key)
{
    return strcspn(key, ".");
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void add_fact_row(struct table *table, const struct target_fact *fact)
{
    add_cellf(table, "  %s", fact->key + group_length(fact->key) + 1);
    add_value(table, fact);
    add_cell(table, fact->unit);
    add_cell(table, confidence_name(fact->confidence));
    add_cell(table, fact->rows);
    add_cellf(table, "%s:%u", file_name(fact->file), fact->line);
    add_cell(table, fact->source);
    end_row(table);
}

static void add_fact_heads(struct table *table, const char *key)
{
    static const char *const heads[] = {"value", "unit", "confidence", "rows", "set in", "source"};
    add_cellf(table, "%.*s", (int)group_length(key), key);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        add_cell(table, heads[i]);
    }
    end_row(table);
}

static enum status show_target(const char *name, struct arena *arena, struct diag *d)
{
    const struct target *t;
    TRY(target_load(name, NULL, arena, &t, d));
    const struct target_trust trust = target_trust(t);
    (void)printf("%s: %s\nextends: %s\nboard runs: %s\ntiming numbers:", t->name, t->title, t->family, t->validation);
    for (int i = 0; i < CONFIDENCE_N; i++) {
        (void)printf("%s %zu %s", i > 0 ? "," : "", trust.count[i], confidence_name((enum confidence)i));
    }
    (void)putchar('\n');
    struct table table = {.columns = 7, .right = {[1] = true}};
    strbuf_init(&table.cells);
    for (size_t i = 0; i < t->fact_count; i++) {
        const char *key = t->facts[i].key;
        const char *before = i > 0 ? t->facts[i - 1].key : "";
        const size_t group = group_length(key);
        if (strncmp(key, before, group + 1) != 0) {
            print_table(&table);
            (void)putchar('\n');
            add_fact_heads(&table, key);
        }
        add_fact_row(&table, &t->facts[i]);
    }
    print_table(&table);
    strbuf_fini(&table.cells);
    return STATUS_OK;
}

/* ---- two targets side by side ---- */

static bool same_value(const struct target_fact *a, const struct target_fact *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    if (a->text != NULL && b->text != NULL) {
        return strcmp(a->text, b->text) == 0;
    }
    return a->value == b->value;
}

static void add_diff_row(struct table *table, const char *key, const struct target_fact *a, const struct target_fact *b)
{
    add_cell(table, key);
    add_cell(table, a != NULL ? a->unit : b->unit);
    add_value(table, a);
    add_value(table, b);
    add_cell(table, a != NULL ? confidence_name(a->confidence) : "");
    add_cell(table, b != NULL ? confidence_name(b->confidence) : "");
    end_row(table);
}

static enum status diff_targets(const char *name_a, const char *name_b, struct arena *arena, struct diag *d)
{
    const struct target *a;
    const struct target *b;
    const enum status status_a = target_load(name_a, NULL, arena, &a, d);
    TRY(target_load(name_b, NULL, arena, &b, d)); /* both are tried: all errors in one run */
    TRY(status_a);
    struct table table = {.columns = 6, .right = {[2] = true, [3] = true}};
    strbuf_init(&table.cells);
    const char *const heads[] = {"key", "unit", a->name, b->name, "confidence", "confidence"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        add_cell(&table, heads[i]);
    }
    end_row(&table);
    size_t same = 0;
    size_t different = 0;
    for (size_t i = 0; i < a->fact_count; i++) {
        const struct target_fact *other = target_fact(b, a->facts[i].key);
        if (same_value(&a->facts[i], other)) {
            same++;
            continue;
        }
        different++;
        add_diff_row(&table, a->facts[i].key, &a->facts[i], other);
    }
    for (size_t i = 0; i < b->fact_count; i++) {
        if (target_fact(a, b->facts[i].key) == NULL) {
            different++;
            add_diff_row(&table, b->facts[i].key, NULL, &b->facts[i]);
        }
    }
    print_table(&table);
    (void)printf("%zu differ, %zu are equal\n", different, same);
    strbuf_fini(&table.cells);
    return STATUS_OK;
}

/* ---- what a product supports ---- */

/* Element types any instruction of the product takes, as a mask: the columns. */
static uint32_t dtypes_of_product(enum product product)
{
    uint32_t all = 0;
    for (int op = 0; op < OP_N; op++) {
        for (int path = 0; path < PATH_N; path++) {
            all |= support_dtypes((enum op)op, false, product, (enum path)path);
            all |= support_dtypes((enum op)op, true, product, (enum path)path);
        }
    }
    return all;
}

static void add_support_row(struct table *table, enum op op, bool c_api, enum path path, uint32_t dtypes, uint32_t all)
{
    add_cellf(table, "%s%s", op_name(op), c_api ? " (C API)" : "");
    add_cell(table, path_name(path));
    for (int dtype = 0; dtype < DTYPE_N; dtype++) {
        if ((all >> dtype & 1U) != 0) {
            add_cell(table, (dtypes >> dtype & 1U) != 0 ? "x" : ".");
        }
    }
    end_row(table);
}

static void print_paths(enum product product)
{
    const uint32_t all = dtypes_of_product(product);
    struct table table = {.columns = 2 + (unsigned)__builtin_popcount(all)};
    strbuf_init(&table.cells);
    add_cell(&table, "instruction");
    add_cell(&table, "path");
    for (int dtype = 0; dtype < DTYPE_N; dtype++) {
        if ((all >> dtype & 1U) != 0) {
            add_cell(&table, dtype_info((enum dtype)dtype)->name);
        }
    }
    end_row(&table);
    for (int row = 0; row < 2 * OP_N * PATH_N; row++) { /* the C API's form follows the class API's */
        const enum op op = (enum op)(row / (2 * PATH_N));
        const bool c_api = row / PATH_N % 2 != 0;
        const enum path path = (enum path)(row % PATH_N);
        const uint32_t dtypes = support_dtypes(op, c_api, product, path);
        if (dtypes != 0) {
            add_support_row(&table, op, c_api, path, dtypes, all);
        }
    }
    print_table(&table);
    strbuf_fini(&table.cells);
}

static void print_mmads(enum product product)
{
    static const char *const heads[] = {"Mmad", "left", "right", "result", "bias"};
    struct table table = {.columns = 5};
    strbuf_init(&table.cells);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        add_cell(&table, heads[i]);
    }
    end_row(&table);
    size_t count;
    const struct mmad_triple *triples = mmad_triples(&count);
    for (size_t i = 0; i < count; i++) {
        const struct mmad_triple *t = &triples[i];
        if ((t->products >> product & 1U) == 0) {
            continue;
        }
        add_cell(&table, op_name(t->mx ? OP_MMAD_MX : OP_MMAD));
        add_cell(&table, dtype_info(t->a)->name);
        add_cell(&table, dtype_info(t->b)->name);
        add_cell(&table, dtype_info(t->c)->name);
        add_cell(&table, t->bias != DTYPE_NONE ? dtype_info(t->bias)->name : "");
        end_row(&table);
    }
    print_table(&table);
    strbuf_fini(&table.cells);
}

static void print_product(enum product product)
{
    (void)printf("%s\n\n", product_name(product));
    print_paths(product);
    (void)putchar('\n');
    print_mmads(product);
    (void)fputs("\nFixpipe conversions:", stdout);
    bool any = false;
    for (int mode = 0; mode < QUANT_N; mode++) {
        if (fixpipe_mode_supported(product, (enum quant_mode)mode)) {
            (void)printf("%s %s", any ? "," : "", quant_mode_name((enum quant_mode)mode));
            any = true;
        }
    }
    (void)puts(any ? "" : " none, L0C leaves through UB");
}

/* A product by its name, or the product of a target. */
static enum status find_product(const char *name, struct arena *arena, enum product *out, struct diag *d)
{
    *out = product_from_name(name);
    if (*out != PRODUCT_N) {
        return STATUS_OK;
    }
    const char *known[PRODUCT_N + 1] = {NULL};
    for (int i = 0; i < PRODUCT_N; i++) {
        known[i] = product_name((enum product)i);
    }
    const struct target *t;
    const enum status status = target_load(name, NULL, arena, &t, d);
    if (status != STATUS_OK) {
        const char *near = suggest_word(name, known);
        diag_note(d, NULL, "nor is '%s' a product; %s '%s'", name, near != NULL ? "perhaps" : "one is",
                  near != NULL ? near : known[0]);
        return status;
    }
    *out = t->product;
    return STATUS_OK;
}

static enum status show_support(const char *name, struct arena *arena, struct diag *d)
{
    enum product product;
    if (name != NULL) {
        TRY(find_product(name, arena, &product, d));
        print_product(product);
        return STATUS_OK;
    }
    for (int i = 0; i < PRODUCT_N; i++) {
        (void)fputs(i > 0 ? "\n" : "", stdout);
        print_product((enum product)i);
    }
    return STATUS_OK;
}

/* ---- the command ---- */

struct targets_args {
    bool help, diff, support;
    const char *names[2];
    int name_count;
};

static enum status usage_error(struct diag *d, const char *text)
{
    diag_error(d, STATUS_INVALID, NULL, "targets: %s", text);
    diag_hint(d, "tilescope targets --help");
    return STATUS_INVALID;
}

static enum status parse_args(int argc, char **argv, struct targets_args *args, struct diag *d)
{
    static const struct option options[] = {
        {"diff", no_argument, NULL, 'd'},
        {"support", no_argument, NULL, 's'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    optind = 0; /* main may have used getopt: start afresh */
    opterr = 0;
    int option;
    while ((option = getopt_long(argc, argv, "dhs", options, NULL)) != -1) {
        switch (option) {
        case 'd':
            args->diff = true;
            break;
        case 's':
            args->support = true;
            break;
        case 'h':
            args->help = true;
            return STATUS_OK;
        default:
            diag_error(d, STATUS_INVALID, NULL, "targets: unknown option '%s'", argv[optind - 1]);
            diag_hint(d, "tilescope targets --help");
            return STATUS_INVALID;
        }
    }
    args->name_count = argc - optind;
    if (args->diff && args->support) {
        return usage_error(d, "--diff and --support exclude each other");
    }
    if (args->diff && args->name_count != 2) {
        return usage_error(d, "--diff takes two targets");
    }
    if (!args->diff && args->name_count > 1) {
        return usage_error(d, "one target at a time; two with --diff");
    }
    for (int i = 0; i < args->name_count; i++) {
        args->names[i] = argv[optind + i];
    }
    return STATUS_OK;
}

static enum status run(const struct targets_args *args, struct arena *arena, struct diag *d)
{
    if (args->help) {
        (void)fputs(usage_text, stdout);
        return STATUS_OK;
    }
    if (args->diff) {
        return diff_targets(args->names[0], args->names[1], arena, d);
    }
    if (args->support) {
        return show_support(args->names[0], arena, d);
    }
    return args->name_count == 1 ? show_target(args->names[0], arena, d) : list_targets(arena, d);
}

int cmd_targets(int argc, char **argv)
{
    struct targets_args args = {0};
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag);
    enum status status = parse_args(argc, argv, &args, &diag);
    if (status == STATUS_OK) {
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
