/* config_shapes.c - rows of a CSV of shapes as problems.
 *
 * What the columns mean is in shape_columns.c. What the config says beside
 * `shapes` fills in what a row lacks, and wins where both speak. A row that cannot be taken becomes a
 * problem with `failed` set, so it stays in the tables and stops nothing.
 *
 * A file is a network, its rows the layers: tables of a run add them up. With a
 * list of M, N or K beside it, it is one network for each combination. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/embed.h"
#include "base/intmath.h"
#include "base/limits.h"
#include "base/os.h"
#include "experiment/config.h"
#include "experiment/shape_columns.h"
#include "text/csv.h"
#include "text/suggest.h"

struct shapes {
    struct config *c;
    const struct config_draft *defaults;
    const struct yaml_node *map;
    struct csv_table table;
    const char *path;
    const struct shape_convention *convention;
    const struct shape_column **column; /* per column of the file; NULL: not read */
    struct config_problems *out;
    size_t first; /* of `out`: the file's own problems begin here */
};

/* ---- the header ---- */

/* A column nobody reads might be a misspelt one. */
static void warn_unread(struct shapes *s, const char *name)
{
    const char *names[32] = {NULL};
    for (size_t i = 0; s->convention->columns[i].name != NULL && i < 31; i++) {
        names[i] = s->convention->columns[i].name;
    }
    const struct location at = {.file = s->path};
    const char *nearest = suggest_word(name, names);
    diag_warning(s->c->diag, &at, "column '%s' is not read (columns are taken as: %s)", name, s->convention->name);
    if (nearest != NULL) {
        diag_hint(s->c->diag, "did you mean '%s'?", nearest);
    }
}

static bool map_columns(struct shapes *s)
{
    const struct yaml_node *node = s->defaults->shapes;
    s->convention = shape_convention(&s->table);
    if (s->convention == NULL) {
        diag_error(s->c->diag, STATUS_INVALID, &node->at, "shapes: '%s' has neither matmul nor conv columns", s->path);
        diag_rule(s->c->diag, "a matmul row has M, N, K; a conv row N, C, H, W, Cout, kh, kw (or the columns of "
                              "DeepBench, Timeloop, SCALE-Sim)");
        return false;
    }
    if (yaml_get(s->map, "op") != NULL && s->convention->op != s->defaults->p.op) {
        diag_error(s->c->diag, STATUS_INVALID, &node->at, "shapes: the columns of '%s' are those of a %s", s->path,
                   s->convention->op == PROBLEM_CONV ? "conv" : "matmul");
        return false;
    }
    s->column = config_alloc(s->c, s->table.columns, sizeof *s->column);
    for (size_t i = 0; s->column != NULL && i < s->table.columns; i++) {
        s->column[i] = shape_column(s->convention->columns, s->table.header[i]);
        if (s->column[i] == NULL && s->table.header[i][0] != '\0') {
            warn_unread(s, s->table.header[i]);
        }
    }
    return s->column != NULL;
}

/* ---- fields ---- */

static void fail(struct shape_row *r, const char *why)
{
    r->failed = r->failed != NULL ? r->failed : why;
}

static void fail_field(struct shapes *s, struct shape_row *r, const struct shape_column *col, const char *text,
                       const char *what)
{
    if (!r->wrong) {
        r->wrong_at = r->at;
    }
    r->wrong = true;
    fail(r, config_text(s->c, "%s '%s' is not %s", col->name, text, what));
}

static bool read_flag(const char *text, bool *out)
{
    *out = strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0;
    return *out || strcasecmp(text, "false") == 0 || strcmp(text, "0") == 0;
}

static void read_integer(struct shapes *s, struct shape_row *r, const struct shape_column *col, const char *text,
                         int64_t *out)
{
    const int64_t min = col->kind == COLUMN_INT;
    char *end;
    errno = 0;
    const long long v = strtoll(text, &end, 10);
    if (*end != '\0' || errno != 0 || v < min || v > INT32_MAX) {
        fail_field(s, r, col, text, min == 1 ? "a whole number from 1 to 2147483647" : "a whole number from 0");
        return;
    }
    *out = v;
}

static void add_words(struct strbuf *out, const char *text, size_t len)
{
    strbuf_add(out, out->len > 0 && len > 0 ? " " : "");
    strbuf_add_n(out, text, len);
}

/* "resnet50_graph/conv1.yaml" is a layer of resnet50_graph. */
static void read_layer(struct shape_row *r, const struct shape_column *col, const char *text)
{
    const char *slash = strrchr(text, '/');
    if (col->kind == COLUMN_NETWORK) {
        add_words(&r->network, text, strlen(text));
    } else if (slash != NULL) {
        add_words(&r->network, text, (size_t)(slash - text));
        add_words(&r->layer, slash + 1, strlen(slash + 1));
    } else {
        add_words(&r->layer, text, strlen(text));
    }
}

static void read_field(struct shapes *s, struct shape_row *r, const struct shape_column *col, const char *text)
{
    void *member = (char *)r + col->offset;
    bool flag = false;
    if (text[0] == '\0') {
        return;
    }
    switch (col->kind) {
    case COLUMN_INT:
    case COLUMN_INT0:
        read_integer(s, r, col, text, member);
        break;
    case COLUMN_FLAG:
        if (!read_flag(text, member)) {
            fail_field(s, r, col, text, "true or false");
        }
        break;
    case COLUMN_TEXT:
        *(const char **)member = text;
        break;
    case COLUMN_LABEL:
    case COLUMN_NETWORK:
        add_words(&r->label, text, strlen(text));
        read_layer(r, col, text);
        break;
    case COLUMN_REFUSE:
        if (!read_flag(text, &flag)) {
            fail_field(s, r, col, text, "true or false");
        } else if (flag) {
            fail(r, config_text(s->c, "%s is true: %s", col->name, col->doc));
        }
        break;
    case COLUMN_UNUSED:
        break;
    }
}

/* ---- a row as a problem ---- */

static bool said(const struct shapes *s, const char *outer, const char *inner)
{
    const struct yaml_node *node = yaml_get(s->map, outer);
    return inner == NULL ? node != NULL : yaml_get(node, inner) != NULL;
}

static void set_dtype(struct shapes *s, struct shape_row *r, const char *name, const char *column, struct operand *o)
{
    enum dtype dtype;
    bool mx;
    if (name == NULL || o->dtype != DTYPE_NONE) {
        return;
    }
    if (!config_dtype(name, true, &dtype, &mx)) {
        r->wrong = true;
        fail(r, config_text(s->c, "%s '%s' is not known", column, name));
        return;
    }
    o->dtype = dtype;
    o->mx = mx;
}

static void set_operands(struct shapes *s, struct shape_row *r, struct problem *p)
{
    if (s->defaults->dtype == DTYPE_NONE) {
        set_dtype(s, r, r->dtype, "dtype", &p->a);
        set_dtype(s, r, r->dtype, "dtype", &p->b);
    }
    set_dtype(s, r, r->out_dtype, "outdtype", &p->c);
    if (csv_column(&s->table, "a_t") >= 0 && !said(s, "A", "transpose")) {
        p->a.transpose = r->a_t;
    }
    if (csv_column(&s->table, "b_t") >= 0 && !said(s, "B", "transpose")) {
        p->b.transpose = r->b_t;
    }
    if (r->batch > 0 && !said(s, "batch", NULL)) {
        p->batch = r->batch;
    }
    if (r->groups > 0 && !said(s, "groups", NULL)) {
        p->groups = r->groups;
    }
}

/* vLLM's lists give whole weights [K, N] and the one that is cut. */
static void split_tensor_parallel(struct shapes *s, struct shape_row *r)
{
    const int64_t tp = s->defaults->tensor_parallel;
    int64_t *cut = r->split_dim == 0 ? &r->k : &r->n;
    if (tp == 1) {
        return;
    }
    if (csv_column(&s->table, "tp_split_dim") < 0 || r->split_dim > 1) {
        fail(r, "tp needs a column tp_split_dim that is 0 (K) or 1 (N)");
    } else if (*cut % tp != 0) {
        fail(r, config_text(s->c, "%s %" PRId64 " is not divisible by tp %" PRId64, r->split_dim == 0 ? "K" : "N", *cut,
                            tp));
    } else {
        *cut /= tp;
    }
}

static const char *row_place(struct shapes *s, uint32_t line)
{
    return config_text(s->c, "%s:%" PRIu32, s->path, line);
}

/* "resnet50_conv, N 16": the config's name for the list or the file's, the row's
 * own network, and what of the sizes stands beside `shapes`. */
static const char *network_of(struct shapes *s, const struct shape_row *r, const struct problem *p)
{
    struct strbuf text;
    const char *slash = strrchr(s->path, '/'), *file = slash != NULL ? slash + 1 : s->path;
    const bool conv = p->op == PROBLEM_CONV;
    const struct {
        const char *key;
        int64_t value;
    } sizes[] = {{"M", p->M}, {"N", conv ? p->conv.n : p->N}, {"K", p->K}, {"tp", s->defaults->tensor_parallel}};
    strbuf_init(&text);
    if (s->defaults->name != NULL) {
        strbuf_add(&text, s->defaults->name);
    } else {
        const size_t len = strlen(file);
        strbuf_add_n(&text, file, len > 4 && strcmp(file + len - 4, ".csv") == 0 ? len - 4 : len);
    }
    add_words(&text, strbuf_cstr(&r->network), r->network.len);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (said(s, sizes[i].key, NULL)) {
            strbuf_addf(&text, ", %s %" PRId64, sizes[i].key, sizes[i].value);
        }
    }
    const char *out = text.failed ? "" : config_text(s->c, "%s", strbuf_cstr(&text));
    strbuf_fini(&text);
    return out;
}

/* An equal layer of the same network before; NULL: none, or rows are not merged. */
static struct config_problem *earlier_equal(const struct shapes *s, const struct problem *p, const char *network)
{
    for (size_t i = s->first; s->defaults->merge && i < s->out->count; i++) {
        struct config_problem *x = &s->out->v[i];
        if (x->failed == NULL && strcmp(x->network, network) == 0 && problem_equal(&x->problem, p)) {
            return x;
        }
    }
    return NULL;
}

/* The row's own words and the size, as the problem's name. */
static void add(struct shapes *s, struct shape_row *r, struct problem *p, uint32_t line)
{
    const char *failed = NULL;
    if (r->failed != NULL) {
        failed = config_text(s->c, "%s: %s", row_place(s, line), r->failed);
    }
    const char *label = r->wrong ? config_text(s->c, "line%" PRIu32, line) : NULL;
    const size_t before = s->out->count;
    const char *network = network_of(s, r, p);
    const int64_t count = r->count > 0 ? r->count : s->defaults->occurs > 0 ? s->defaults->occurs : 1;
    struct config_problem *equal = failed == NULL ? earlier_equal(s, p, network) : NULL;
    if (equal != NULL) {
        equal->count += count;
        return;
    }
    p->name = NULL;
    config_problem_add(s->c, s->out, p, label, failed);
    if (s->out->count > before) {
        struct config_problem *added = &s->out->v[before];
        added->bias_free = s->defaults->p.bias.dtype == DTYPE_NONE && p->bias.dtype != DTYPE_NONE;
        added->network = network;
        added->count = count;
        if (r->label.len > 0) {
            added->problem.name = config_text(s->c, "%s %s", strbuf_cstr(&r->label), added->problem.name);
        }
        if (r->layer.len > 0) {
            added->layer = config_text(s->c, "%s", strbuf_cstr(&r->layer));
            added->label = config_text(s->c, "%s_%s", config_label(s->c, added->layer), added->label);
        }
    }
    if (r->wrong) {
        const struct location row = {.file = s->path, .source = s->table.source, .line = line, .col = 1, .len = 1};
        diag_warning(s->c->diag, r->wrong_at.line != 0 ? &r->wrong_at : &row, "this row cannot be taken: %s",
                     r->failed);
    }
}

/* What problem_finish() has to say, as a reason. */
static void finish(struct shapes *s, struct shape_row *r, struct problem *p)
{
    struct diag d;
    diag_init(&d);
    if (problem_finish(p, NULL, &d) != STATUS_OK) {
        fail(r,
             config_text(s->c, "%s", d.count > 0 && d.messages[0].text != NULL ? d.messages[0].text : "not possible"));
    }
    diag_fini(&d);
}

static void complete(struct shapes *s, struct shape_row *r, struct problem *p)
{
    const char *wrong[CONFIG_FAULTS];
    const char *why = config_problem_complete(s->c, p, s->defaults, wrong) > 0 ? wrong[0] : NULL;
    if (why == NULL && r->bias && p->bias.dtype == DTYPE_NONE) {
        p->bias.dtype = p->c.dtype == DTYPE_INT32 ? DTYPE_INT32 : DTYPE_FLOAT;
    }
    if (why == NULL && p->op == PROBLEM_CONV && r->failed == NULL) {
        why = config_conv_view(s->c, p);
    }
    if (why == NULL && r->failed == NULL) {
        why = config_problem_not_lowered(p);
    }
    if (why != NULL) {
        fail(r, why);
    }
    if (r->failed == NULL) {
        finish(s, r, p);
    }
    const char *no_inputs = r->failed == NULL ? config_attach_inputs(s->c, &s->defaults->inputs, p) : NULL;
    if (no_inputs != NULL) {
        fail(r, no_inputs);
    }
}

/* Values of one dimension: the config's list, else the row's number. */
struct dimension {
    const int64_t *value;
    size_t count;
};

static struct dimension dimension(struct shapes *s, struct shape_row *r, const struct config_ints *given,
                                  const int64_t *own, const char *name)
{
    if (given->count > 0) {
        return (struct dimension){given->value, given->count};
    }
    if (*own == 0) {
        fail(r, config_text(s->c, "the row gives no %s; say it beside shapes: %s: 4096", name, name));
    }
    return (struct dimension){own, 1};
}

static void add_matmuls(struct shapes *s, struct shape_row *r, uint32_t line)
{
    split_tensor_parallel(s, r);
    const struct dimension m = dimension(s, r, &s->defaults->m, &r->m, "M");
    const struct dimension n = dimension(s, r, &s->defaults->n, &r->n, "N");
    const struct dimension k = dimension(s, r, &s->defaults->k, &r->k, "K");
    const char *failed = r->failed;
    for (size_t i = 0; i < m.count * n.count * k.count && s->out->count <= LIMIT_CELLS; i++) {
        struct problem p = s->defaults->p;
        p.K = k.value[i % k.count];
        p.N = n.value[i / k.count % n.count];
        p.M = m.value[i / k.count / n.count];
        r->failed = failed;
        set_operands(s, r, &p);
        const char *no_groups = config_problem_groups(s->c, &p, &(struct config_ints){.count = 0});
        if (no_groups != NULL) {
            fail(r, no_groups);
        }
        complete(s, r, &p);
        add(s, r, &p, line);
    }
}

static void take(int64_t value, int64_t *out)
{
    *out = value > 0 ? value : *out;
}

static void add_conv(struct shapes *s, struct shape_row *r, uint32_t line)
{
    struct problem p = s->defaults->p;
    struct conv_shape *v = &p.conv;
    p.op = PROBLEM_CONV;
    const int64_t stride_h = r->conv.stride_h > 0 ? r->conv.stride_h : v->stride_h;
    const int64_t stride_w = r->conv.stride_w > 0 ? r->conv.stride_w : stride_h;
    const int64_t dilation_h = r->conv.dilation_h > 0 ? r->conv.dilation_h : v->dilation_h;
    const int64_t dilation_w = r->conv.dilation_w > 0 ? r->conv.dilation_w : v->dilation_w;
    v->stride_h = (int32_t)stride_h;
    v->stride_w = (int32_t)stride_w;
    v->dilation_h = (int32_t)dilation_h;
    v->dilation_w = (int32_t)dilation_w;
    if (csv_column(&s->table, "pad_h") >= 0) {
        v->pad_top = v->pad_bottom = (int32_t)r->conv.pad_h;
        v->pad_left = v->pad_right = (int32_t)r->conv.pad_w;
    }
    take(r->conv.n, &v->n);
    take(r->conv.c, &v->c);
    take(r->conv.cout, &v->cout);
    take(r->conv.kh, &v->kh);
    take(r->conv.kw, &v->kw);
    take(r->conv.groups, &v->groups);
    take(r->conv.h, &v->h);
    take(r->conv.w, &v->w);
    if (r->conv.out_h > 0 && r->conv.out_w > 0) {
        v->h = (r->conv.out_h - 1) * stride_h + dilation_h * (v->kh - 1) + 1;
        v->w = (r->conv.out_w - 1) * stride_w + dilation_w * (v->kw - 1) + 1;
    }
    if (v->c < 1 || v->cout < 1 || v->kh < 1 || v->kw < 1 || v->h < 1 || v->w < 1) {
        fail(r, "the row lacks a size of the input, the filter or the output channels");
    }
    set_operands(s, r, &p);
    complete(s, r, &p);
    add(s, r, &p, line);
}

static void init_row(struct shape_row *r)
{
    strbuf_init(&r->label);
    strbuf_init(&r->network);
    strbuf_init(&r->layer);
}

static void fini_row(struct shape_row *r)
{
    strbuf_fini(&r->label);
    strbuf_fini(&r->network);
    strbuf_fini(&r->layer);
}

static void add_row(struct shapes *s, size_t i)
{
    const struct csv_row *csv = &s->table.rows[i];
    struct shape_row r = {0};
    bool empty = true;
    init_row(&r);
    for (size_t col = 0; col < s->table.columns; col++) {
        empty &= csv->fields[col][0] == '\0';
        if (s->column[col] != NULL) {
            r.at = csv_location(&s->table, i, col);
            read_field(s, &r, s->column[col], csv->fields[col]);
        }
    }
    if (!empty && s->convention->op == PROBLEM_CONV) { /* an empty row, as ",,,,", only separates */
        add_conv(s, &r, csv->line);
    } else if (!empty) {
        add_matmuls(s, &r, csv->line);
    }
    fini_row(&r);
}

/* ---- the file ---- */

/* A row the CSV reader itself refused: warned about, and kept as a failed row. */
static void add_broken_row(struct shapes *s, const struct diag_message *m)
{
    struct shape_row r = {.wrong = true, .failed = config_text(s->c, "%s", m->text != NULL ? m->text : "broken row")};
    struct problem p = s->defaults->p;
    p.op = s->convention->op;
    const char *wrong[CONFIG_FAULTS];
    (void)config_problem_complete(s->c, &p, s->defaults, wrong);
    init_row(&r);
    add(s, &r, &p, m->line);
    fini_row(&r);
}

/* Good rows and refused ones (errors in `d`) in the order of the file. */
static void add_rows(struct shapes *s, const struct diag *d)
{
    size_t row = 0;
    for (size_t i = 0; i <= d->count; i++) {
        const struct diag_message *broken = i < d->count ? &d->messages[i] : NULL;
        while (row < s->table.count && (broken == NULL || s->table.rows[row].line < broken->line) &&
               s->out->count <= LIMIT_CELLS) {
            add_row(s, row++);
        }
        if (broken != NULL) {
            add_broken_row(s, broken);
        }
    }
    if (d->dropped > 0) {
        const struct location at = {.file = s->path};
        diag_warning(s->c->diag, &at, "%zu more rows are broken", d->dropped);
    }
}

/* The first message of reading the file becomes the config's error. */
static void report_unreadable(struct shapes *s, enum status st, const struct diag *d)
{
    const struct yaml_node *node = s->defaults->shapes;
    diag_error(s->c->diag, st, &node->at, "shapes: %s: %s", s->path,
               d->count > 0 && d->messages[0].text != NULL ? d->messages[0].text : status_name(st));
}

/* M, N and K beside a list of matmul shapes: all three leave nothing of it; one or two are said.
 * @return false after an error. */
static bool check_overrides(const struct shapes *s)
{
    static const char *const sizes[] = {"M", "N", "K"};
    char given[16] = "";
    size_t n = 0;
    for (size_t i = 0; s->convention->op == PROBLEM_MATMUL && i < 3; i++) {
        if (yaml_get(s->map, sizes[i]) != NULL) {
            strcat(given, n > 0 ? ", " : "");
            strcat(given, sizes[i]);
            n++;
        }
    }
    const struct location *at = &s->defaults->shapes->at;
    if (n == 3) {
        diag_error(s->c->diag, STATUS_INVALID, at, "shapes: M, N and K beside it leave nothing of '%s'", s->path);
        diag_hint(s->c->diag, "give a config with neither M, N nor K, or leave out shapes");
    } else if (n > 0) {
        bool in_file = false;
        for (size_t i = 0; i < s->table.columns; i++) {
            in_file |= s->column[i] != NULL && strlen(s->column[i]->name) == 1 &&
                       strstr(given, s->column[i]->name) != NULL;
        }
        if (in_file) {
            diag_note(s->c->diag, at, "%s given beside shapes %s of every row", given,
                      n > 1 ? "replace those" : "replaces that");
        }
    }
    return n < 3;
}

/* Lists come from the config's directory, the working directory, or the binary
 * ("shapes/resnet50_conv.csv"); those of a built-in config from the binary first,
 * so that its results are the same everywhere.
 * @return of reading the list, messages in `d`; not *found: the config has the message. */
static enum status load_list(struct shapes *s, const char *path, bool *found, struct diag *d)
{
    struct config *c = s->c;
    const struct embedded_file *list = embedded_find(path);
    s->path = config_path(c, path);
    *found = true;
    if (list != NULL && (c->built_in || !os_exists(s->path))) {
        s->path = list->path;
        return csv_parse(s->path, (const char *)list->bytes, list->len, c->arena, &s->table, d);
    }
    *found = config_file_there(c, s->defaults->shapes, "shapes", path, s->path);
    return *found ? csv_load(s->path, c->arena, &s->table, d) : STATUS_INVALID;
}

void config_read_shapes(struct config *c, const struct config_draft *defaults, const struct yaml_node *map,
                        struct config_problems *out)
{
    struct shapes s = {.c = c, .defaults = defaults, .map = map, .out = out, .first = out->count};
    const char *path;
    if (yaml_read_text(defaults->shapes, "shapes", &path, c->diag) != STATUS_OK) {
        return;
    }
    struct diag d;
    diag_init(&d);
    bool found;
    const enum status st = load_list(&s, path, &found, &d);
    if (!found) {
        diag_fini(&d);
        return;
    }
    if (s.table.columns == 0 || st == STATUS_IO || st == STATUS_NO_MEMORY || st == STATUS_LIMIT) {
        report_unreadable(&s, st, &d);
    } else if (map_columns(&s) && check_overrides(&s)) {
        add_rows(&s, &d);
        if (s.table.count + s.table.bad == 0) {
            diag_error(c->diag, STATUS_INVALID, &defaults->shapes->at, "shapes: '%s' has no rows", s.path);
        }
    }
    diag_fini(&d);
}
