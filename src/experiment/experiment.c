/* experiment.c - a config file -> cells.
 *
 * Text -> tree; --set changes the tree; each variant changes a copy of it. The
 * base tree is interpreted whole, then of each variant's tree what a variant
 * may change: problem, tiling, where. Cells are targets x problems x variants. */
#include "experiment/experiment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/limits.h"
#include "base/os.h"
#include "experiment/config.h"
#include "text/suggest.h"
#include "tiling/dtypes.h"

/* ---- variants ---- */

struct variant_draft {
    const char *name;
    const struct yaml_node *set;
};

static void read_variant_name(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    (void)config_read_file_name(c, node, key->name, &((struct variant_draft *)out)->name);
}

const struct config_key CONFIG_VARIANT_KEYS[] = {
    {.name = "name", .read = read_variant_name, .doc = "in tables and cells"},
    {.name = "set",
     .read = config_key_node,
     .doc = "{path: value}: keys of problem, tiling, where replaced",
     .offset = offsetof(struct variant_draft, set)},
    {.name = NULL},
};

static void add_variant(struct config *c, struct config_root *d, const struct yaml_node *node)
{
    struct variant_draft v = {0};
    if (!config_read_map(c, node, CONFIG_VARIANT_KEYS, "variant", &v)) {
        return;
    }
    if (yaml_get(node, "name") == NULL) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "the variant has no name");
        diag_rule(c->diag, "a variant is {name: NAME, set: {path: value}}");
    }
    if (v.name == NULL) {
        return;
    }
    if (v.set != NULL && v.set->kind != YAML_NODE_MAP) {
        diag_error(c->diag, STATUS_INVALID, &v.set->at, "set: expected a map of paths and values");
        diag_rule(c->diag, "set is like {A.dtype: mx_fp8_e4m3, tiling.dbL0C: 2}");
        return;
    }
    for (size_t i = 0; i < d->variant_count; i++) {
        if (strcmp(d->variant[i].name, v.name) == 0) {
            diag_error(c->diag, STATUS_INVALID, &node->at, "there are two variants '%s'", v.name);
            if (d->variant[i].set == NULL) {
                diag_rule(c->diag, "'base' is the config as it stands, unless a variant without 'set' names it");
            } else {
                diag_rule(c->diag, "each variant has its own name: cells and columns are named by it");
            }
            return;
        }
    }
    const bool plain = v.set == NULL || v.set->count == 0;
    if (plain && d->variant_count > 0 && d->variant[0].set == NULL && d->variant[0].at.line == 0) {
        d->variant[0].name = v.name; /* names the base */
        d->variant[0].at = node->at;
        return;
    }
    d->variant[d->variant_count++] = (struct config_variant){
        .name = v.name, .at = node->at, .set = plain ? NULL : v.set};
}

/* The base first; a variant without `set` gives it a name. */
static void list_variants(struct config *c, struct config_root *d)
{
    const struct yaml_node *node = d->variants;
    const size_t count = node != NULL && node->kind == YAML_NODE_LIST ? node->count : 0;
    if (node != NULL && node->kind != YAML_NODE_LIST) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "variants: expected a list");
        diag_rule(c->diag, "variants is a list of {name: NAME, set: {path: value}}");
    }
    d->variant = config_alloc(c, count + 1, sizeof *d->variant);
    if (d->variant == NULL) {
        return;
    }
    d->variant[d->variant_count++] = (struct config_variant){.name = "base"};
    for (const struct yaml_node *item = count > 0 ? node->child : NULL; item != NULL; item = item->next) {
        add_variant(c, d, item);
    }
}

/* The variant's tree. An override in error is reported and left out, so that
 * the rest of the variant is still read. */
static struct yaml_node *variant_tree(struct config *c, const struct yaml_node *root, const struct config_variant *v)
{
    struct yaml_node *tree = config_tree_clone(c, root);
    for (const struct yaml_node *item = v->set->child; item != NULL && tree != NULL; item = item->next) {
        const char *section = config_path_section(item->key);
        const bool allowed = section == NULL || strcmp(section, "problem") == 0 || strcmp(section, "tiling") == 0 ||
                             strcmp(section, "where") == 0;
        if (!allowed) {
            diag_error(c->diag, STATUS_INVALID, &item->key_at, "a variant cannot set '%s'", item->key);
            diag_rule(c->diag, "a variant changes problem, tiling or where; all else is the same for all");
            continue;
        }
        struct location at = item->key_at;
        at.col += at.len == strlen(item->key) + 2; /* behind an opening quote */
        (void)config_tree_set(c, tree, item->key, &at, item);
    }
    return tree;
}

static void interpret(struct config *c, const struct yaml_node *root, struct config_root *d, struct config_variant *v)
{
    const struct yaml_node *problem = yaml_get(root, "problem");
    v->tiling = yaml_get(root, "tiling");
    if (problem != NULL) {
        config_read_problems(c, problem, d->e.seed, &v->problems);
    }
    config_read_tiling(c, v->tiling, yaml_get(root, "where"), &v->space);
}

static void interpret_all(struct config *c, const struct yaml_node *root, struct config_root *d)
{
    list_variants(c, d);
    for (size_t i = 0; i < d->variant_count && !c->no_memory; i++) {
        struct config_variant *v = &d->variant[i];
        if (v->set == NULL) {
            interpret(c, root, d, v);
            continue;
        }
        const struct yaml_node *tree = variant_tree(c, root, v);
        if (tree != NULL) {
            interpret(c, tree, d, v);
        }
        if (c->diag->errors == 0 && v->problems.count != d->variant[0].problems.count) {
            diag_error(c->diag, STATUS_INVALID, &v->at, "variant '%s' has %zu problems, the base has %zu", v->name,
                       v->problems.count, d->variant[0].problems.count);
            diag_rule(c->diag, "variants are compared side by side, problem by problem");
        }
    }
}

/* ---- cells ---- */

struct label {
    const char *text;
    size_t problem;
};

static int compare_labels(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    const int order = strcmp(x->text, y->text);
    return order != 0 ? order : (x->problem > y->problem) - (x->problem < y->problem);
}

/* One label a problem; "#2", "#3" follow one that occurs before. NULL on lack of memory. */
static const char **unique_labels(struct config *c, const struct config_problems *p)
{
    struct label *sorted = config_alloc(c, p->count + 1, sizeof *sorted);
    const char **labels = config_alloc(c, p->count + 1, sizeof *labels);
    if (sorted == NULL || labels == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < p->count; i++) {
        sorted[i] = (struct label){p->v[i].label, i};
    }
    qsort(sorted, p->count, sizeof *sorted, compare_labels);
    size_t nth = 0;
    for (size_t i = 0; i < p->count; i++) {
        nth = i > 0 && strcmp(sorted[i].text, sorted[i - 1].text) == 0 ? nth + 1 : 1;
        labels[sorted[i].problem] = nth == 1 ? sorted[i].text : config_text(c, "%s#%zu", sorted[i].text, nth);
    }
    return labels;
}

/* The problem on a target: a bias that names no dtype takes one the chip has. */
static struct problem problem_on(const struct target *target, const struct config_problem *p)
{
    struct problem out = p->problem;
    const struct mmad_triple *form = p->bias_free && p->failed == NULL ? dtypes_triple(target, &out) : NULL;
    if (form != NULL && form->bias != DTYPE_NONE && !dtypes_bias_offered(target, form, out.bias.dtype)) {
        out.bias.dtype = (enum dtype)form->bias;
    }
    return out;
}

static void make_cells(struct config *c, struct config_root *d)
{
    const struct config_problems *base = &d->variant[0].problems;
    uint64_t count;
    if (__builtin_mul_overflow((uint64_t)d->target_count * d->variant_count, base->count, &count) ||
        count > LIMIT_CELLS) {
        const struct location at = {.file = c->file};
        diag_error(c->diag, STATUS_LIMIT, &at, "%zu targets x %zu problems x %zu variants are too many cells",
                   d->target_count, base->count, d->variant_count);
        diag_rule(c->diag, "a config has at most %u cells", LIMIT_CELLS);
        return;
    }
    d->e.cells = config_alloc(c, (size_t)count, sizeof *d->e.cells);
    const char **labels = unique_labels(c, base);
    if (d->e.cells == NULL || labels == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t p = i / d->variant_count % base->count;
        const struct config_variant *v = &d->variant[i % d->variant_count];
        const struct target *target = d->targets[i / d->variant_count / base->count];
        d->e.cells[i] = (struct cell){
            .id = (uint32_t)i,
            .name = config_text(c, "%s/%s/%s", target->name, labels[p], v->name),
            .variant = v->name,
            .listed = v->problems.v[p].network != NULL,
            .network = v->problems.v[p].network != NULL ? v->problems.v[p].network : d->e.name,
            .layer = v->problems.v[p].layer != NULL ? v->problems.v[p].layer : labels[p],
            .count = v->problems.v[p].count,
            .target = target,
            .problem = problem_on(target, &v->problems.v[p]),
            .space = v->space.space,
            .l2_warm = v->space.l2_warm,
            .failed = v->problems.v[p].failed,
        };
    }
    d->e.count = (size_t)count;
}

/* ---- contradictions of fixed fields ---- */

static bool is_fixed(const struct cell *cell, int64_t field)
{
    return field >= 0 && field < TF_N && cell->space.axis[field].count == 1;
}

/* The fixed fields alone, all else auto: what they exclude, they exclude at
 * every point of the cell. */
static bool contradicts(const struct cell *cell, struct infeasible *why, struct tiling *t)
{
    struct plan plan;
    *why = (struct infeasible){.field = TF_N};
    for (int f = 0; f < TF_N; f++) {
        tiling_set(t, (enum tiling_field)f, is_fixed(cell, f) ? cell->space.axis[f].values[0] : TILING_AUTO);
    }
    tiling_resolve(cell->target, &cell->problem, t, why);
    if (why->reason == REASON_NONE) {
        (void)plan_make(cell->target, &cell->problem, t, &plan, why);
    }
    return is_fixed(cell, why->field) &&
           (why->reason == REASON_DEPTH || (why->reason == REASON_CONTRADICTION && is_fixed(cell, why->need)));
}

/* Fields that exclude each other whatever the target and problem are a mistake
 * of the config; with some of the cells only they are results. */
static void check_contradictions(struct config *c, struct config_root *d)
{
    for (size_t k = 0; k < d->variant_count; k++) {
        const struct config_variant *v = &d->variant[k];
        struct infeasible why = {.field = TF_N};
        struct tiling t;
        bool all = true, any = false;
        for (size_t i = k; i < d->e.count && all; i += d->variant_count) {
            if (d->e.cells[i].failed == NULL) {
                all = contradicts(&d->e.cells[i], &why, &t);
                any = true;
            }
        }
        const struct yaml_node *owner = why.field < TF_N ? v->space.owner[why.field] : NULL;
        if (!all || !any || owner == NULL) {
            continue;
        }
        struct strbuf text;
        strbuf_init(&text);
        infeasible_text(&why, &t, &text);
        diag_error(c->diag, STATUS_INVALID, &owner->key_at, "these fixed fields contradict each other: %s",
                   strbuf_cstr(&text));
        diag_hint(c->diag, "leave one of them auto, or give a list");
        strbuf_fini(&text);
    }
}

/* ---- loading ---- */

static const char *base_name(struct config *c, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const size_t n = strlen(name);
    const bool yaml = n > 5 && strcmp(name + n - 5, ".yaml") == 0;
    const char *stem = config_text(c, "%.*s", (int)(yaml ? n - 5 : n), name);
    return config_is_file_name(stem) ? stem : "run";
}

static void interpret_root(struct config *c, struct yaml_node *root, struct config_root *d)
{
    const struct location file = {.file = c->file, .source = d->e.text, .line = 1, .col = 1, .len = 1};
    if (!config_read_map(c, root, CONFIG_ROOT_KEYS, "config", d)) {
        return;
    }
    if (d->e.name == NULL) {
        d->e.name = base_name(c, c->file);
    }
    const size_t errors = c->diag->errors;
    config_read_targets(c, &file, d);
    if (d->problem == NULL) {
        diag_error(c->diag, STATUS_INVALID, &file, "the config has no problem");
        diag_hint(c->diag, "add 'problem: {M: 2048, N: 2048, K: 2048}'");
    }
    interpret_all(c, root, d);
    /* What is wrong elsewhere in the file does not keep cells from being checked. */
    if (c->no_memory || c->diag->errors > errors) {
        return;
    }
    make_cells(c, d);
    check_contradictions(c, d);
    d->e.key = experiment_key(&d->e);
}

enum status experiment_parse(const char *file, const char *text, size_t len, const char *const *sets,
                             struct arena *arena, const struct experiment **out, struct diag *diag)
{
    const char *slash = strrchr(file, '/');
    struct config c = {.arena = arena, .diag = diag, .file = file};
    const struct embedded_file *own = embedded_find(file);
    c.built_in = own != NULL && (const char *)own->bytes == text;
    c.dir = slash != NULL ? arena_strndup(arena, file, (size_t)(slash + 1 - file)) : "";
    struct config_root *d = config_alloc(&c, 1, sizeof *d);
    char *copy = arena_strndup(arena, text, len);
    if (d == NULL || copy == NULL || c.dir == NULL) {
        return diag_error(diag, STATUS_NO_MEMORY, NULL, "out of memory");
    }
    d->e = (struct experiment){.file = arena_strdup(arena, file),
                               .text = copy,
                               .verify = VERIFY_CLASSES,
                               .sample = 1000,
                               .seed = 1,
                               .top = 20,
                               .keep = LIMIT_RESULT_ROWS_ALL,
                               .plots = PLOT_ALL};
    struct yaml_node *root = NULL;
    const size_t errors = diag->errors, messages = diag->count;
    const enum status st = yaml_tree_parse(file, text, len, arena, &root, diag);
    if (root == NULL) {
        return st;
    }
    for (size_t i = 0; sets != NULL && sets[i] != NULL; i++) {
        (void)config_tree_override(&c, root, sets[i]);
    }
    interpret_root(&c, root, d);
    config_messages_tidy(&c, messages);
    if (c.no_memory) {
        return diag_error(diag, STATUS_NO_MEMORY, NULL, "out of memory while reading %s", file);
    }
    if (diag->errors > errors) {
        return diag_status(diag);
    }
    *out = &d->e;
    return STATUS_OK;
}

const char *const *experiment_names(struct arena *arena)
{
    const char **names = arena_alloc(arena, embedded_count() + 1, sizeof *names);
    size_t n = 0;
    for (size_t i = 0; names != NULL && i < embedded_count(); i++) {
        const char *path = embedded_at(i)->path;
        const size_t len = strlen(path);
        if (strchr(path, '/') == NULL && len > 5 && strcmp(path + len - 5, ".yaml") == 0) {
            const char *name = arena_strndup(arena, path, len - 5);
            if (name == NULL) {
                return NULL;
            }
            names[n++] = name;
        }
    }
    return names;
}

/* `file`: one that is there and has this name but for its ending; NULL: none. */
static void no_config(const char *name, const char *file, struct arena *arena, struct diag *d)
{
    const char *const *known = experiment_names(arena);
    const char *nearest = file != NULL ? file : known != NULL ? suggest_word(name, known) : NULL;
    struct strbuf list;
    diag_error(d, STATUS_INVALID, NULL, "there is no config '%s': neither a file nor a built-in one", name);
    if (nearest != NULL) {
        diag_hint(d, "did you mean '%s'?", nearest);
    }
    strbuf_init(&list);
    for (size_t i = 0; known != NULL && known[i] != NULL; i++) {
        strbuf_addf(&list, "%s%s", i > 0 ? ", " : "", known[i]);
    }
    diag_rule(d, "a config is a file (with its .yaml) or one of the built-in %s", strbuf_cstr(&list));
    strbuf_fini(&list);
}

static enum status load_embedded(const char *name, const char *const *sets, struct arena *arena,
                                 const struct experiment **out, struct diag *d)
{
    char path[128];
    if (snprintf(path, sizeof path, "%s.yaml", name) >= (int)sizeof path) {
        path[0] = '\0';
    } else {
        const struct embedded_file *f = embedded_find(path);
        if (f != NULL) {
            return experiment_parse(path, (const char *)f->bytes, f->len, sets, arena, out, d);
        }
    }
    no_config(name, os_exists(path) ? path : NULL, arena, d);
    return STATUS_INVALID;
}

static enum status load(const char *path, const char *const *sets, struct arena *arena, const struct experiment **out,
                        struct diag *d)
{
    const size_t n = strlen(path);
    const bool is_path = strchr(path, '/') != NULL || (n > 5 && strcmp(path + n - 5, ".yaml") == 0);
    if (!is_path && !os_exists(path)) {
        return load_embedded(path, sets, arena, out, d);
    }
    struct strbuf text;
    strbuf_init(&text);
    enum status st = os_read_file(path, LIMIT_YAML_BYTES, &text, d);
    if (st == STATUS_OK) {
        st = experiment_parse(path, strbuf_cstr(&text), text.len, sets, arena, out, d);
    } else if (st == STATUS_LIMIT) {
        diag_rule(d, "a YAML file has at most %u bytes", LIMIT_YAML_BYTES);
    }
    strbuf_fini(&text);
    return st;
}

enum status experiment_load(const char *path, const char *const *sets, struct arena *arena,
                            const struct experiment **out, struct diag *d)
{
    struct diag unheard;
    diag_init(&unheard);
    const enum status st = load(path, sets, arena, out, d != NULL ? d : &unheard);
    diag_fini(&unheard);
    return st;
}
