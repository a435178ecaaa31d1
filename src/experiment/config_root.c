/* config_root.c - the keys of a whole config that are the same for all cells:
 * name, targets, and how to search, verify and report. */
#include <string.h>

#include "base/limits.h"
#include "experiment/config.h"

/* ---- root keys ---- */

static const struct config_word VERIFY_WORDS[] = {
    {"none", VERIFY_NONE}, {"layout", VERIFY_LAYOUT}, {"classes", VERIFY_CLASSES}, {"full", VERIFY_FULL}, {NULL, 0}};
static const struct config_word SEARCH_WORDS[] = {{"exhaustive", SEARCH_EXHAUSTIVE},
                                                  {"best", SEARCH_BEST},
                                                  {"pareto", SEARCH_PARETO},
                                                  {"sample", SEARCH_SAMPLE},
                                                  {NULL, 0}};
static const struct config_word OBJECTIVE_WORDS[] = {
    {"time", OBJECTIVE_TIME}, {"gm_bytes", OBJECTIVE_GM_BYTES}, {"l1_bytes", OBJECTIVE_L1_BYTES}, {NULL, 0}};
static const struct config_word PLOT_WORDS[] = {
    {"heatmap", PLOT_HEATMAP}, {"roofline", PLOT_ROOFLINE},     {"timeline", PLOT_TIMELINE},
    {"budget", PLOT_BUDGET},   {"pareto", PLOT_PARETO},         {"exposed", PLOT_EXPOSED},
    {"layers", PLOT_LAYERS},   {"mx_compare", PLOT_MX_COMPARE}, {NULL, 0}};

const char *verify_name(enum verify_level level)
{
    return level <= VERIFY_FULL ? VERIFY_WORDS[level].word : "?";
}

static void read_verify(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    int value;
    if (config_read_word(c, node, key->name, VERIFY_WORDS, &value)) {
        ((struct config_root *)out)->e.verify = (enum verify_level)value;
    }
}

static void read_search(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    int value;
    if (config_read_word(c, node, key->name, SEARCH_WORDS, &value)) {
        ((struct config_root *)out)->e.search = (enum search_kind)value;
    }
}

static void read_objective(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    int value;
    if (config_read_word(c, node, key->name, OBJECTIVE_WORDS, &value)) {
        ((struct config_root *)out)->e.objective = (enum objective)value;
    }
}

bool config_is_file_name(const char *text)
{
    if (text[0] == '.' || text[0] == '-' || text[0] == '\0' || strlen(text) > 100) {
        return false;
    }
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-") == strlen(text);
}

bool config_read_file_name(struct config *c, const struct yaml_node *node, const char *what, const char **out)
{
    const char *text;
    if (yaml_read_text(node, what, &text, c->diag) != STATUS_OK) {
        return false;
    }
    if (!config_is_file_name(text)) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "%s: '%s' cannot name a directory or a column", what, text);
        diag_rule(c->diag, "a name is 1 to 100 letters, digits and _ . + -, not beginning with . or -");
        return false;
    }
    *out = text;
    return true;
}

static void read_name(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    (void)config_read_file_name(c, node, key->name, &((struct config_root *)out)->e.name);
}

static void read_plots(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    unsigned *plots = (unsigned *)(void *)((char *)out + key->offset);
    if (node->kind == YAML_NODE_SCALAR && (strcmp(node->scalar, "all") == 0 || strcmp(node->scalar, "none") == 0)) {
        *plots = node->scalar[0] == 'a' ? PLOT_ALL : 0;
        return;
    }
    if (node->kind != YAML_NODE_LIST) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "plots: expected a list");
        diag_rule(c->diag, "plots is all, none, or a list of heatmap, roofline, timeline, budget, pareto, exposed, "
                           "layers, mx_compare");
        return;
    }
    *plots = 0;
    for (const struct yaml_node *item = node->child; item != NULL; item = item->next) {
        int plot;
        if (config_read_word(c, item, "plots", PLOT_WORDS, &plot)) {
            *plots |= (unsigned)plot;
        }
    }
}

struct report_options {
    int64_t top;
    unsigned plots;
};

const struct config_key CONFIG_REPORT_KEYS[] = {
    {.name = "top",
     .read = config_key_int64,
     .doc = "rows of tables (default 20)",
     .offset = offsetof(struct report_options, top),
     .min = 1,
     .max = 100000},
    {.name = "plots",
     .read = read_plots,
     .doc = "all (default), none, or [heatmap, roofline, timeline, budget, pareto, exposed, layers, mx_compare]",
     .offset = offsetof(struct report_options, plots)},
    {.name = NULL},
};

static void read_report(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct experiment *e = &((struct config_root *)out)->e;
    struct report_options options = {.top = e->top, .plots = e->plots};
    (void)config_read_map(c, node, CONFIG_REPORT_KEYS, key->name, &options);
    e->top = (int32_t)options.top;
    e->plots = options.plots;
}

#define AT(member) offsetof(struct config_root, member)

const struct config_key CONFIG_ROOT_KEYS[] = {
    {.name = "name", .read = read_name, .doc = "results go to results/NAME/ (default: the file's name)"},
    {.name = "target",
     .read = config_key_node,
     .doc = "a chip, a path of a target file, or a list of them",
     .offset = AT(target)},
    {.name = "problem",
     .read = config_key_node,
     .doc = "what to compute: a map, a list, or {shapes: FILE.csv}",
     .offset = AT(problem)},
    {.name = "tiling",
     .read = config_key_node,
     .doc = "per field a value, a list, {from, to, step} or auto",
     .offset = AT(tiling)},
    {.name = "where", .read = config_key_node, .doc = "conditions over tiling fields, M, N, K", .offset = AT(where)},
    {.name = "variants",
     .read = config_key_node,
     .doc = "[{name, set: {path: value}}]: compared side by side",
     .offset = AT(variants)},
    {.name = "eventIds",
     .read = config_key_int64,
     .doc = "event ids a kernel may use of each pair (default: what the chip's documents advise, 6 or 4)",
     .offset = AT(event_ids),
     .min = 1,
     .max = 8,
     .rule = "ids 0-7 exist (910: 0-3); 6 and 7 are reserved for the system, so 6 is advised [kernel_rules 8, A42]"},
    {.name = "verify", .read = read_verify, .doc = "none, layout, classes (default), full"},
    {.name = "search", .read = read_search, .doc = "exhaustive (default), best, pareto, sample"},
    {.name = "sample",
     .read = config_key_int64,
     .doc = "points of search: sample (default 1000)",
     .offset = AT(e.sample),
     .min = 1,
     .max = INT64_MAX},
    {.name = "objective", .read = read_objective, .doc = "time (default), gm_bytes, l1_bytes"},
    {.name = "report", .read = read_report, .doc = "{top: 20, plots: [...]}"},
    {.name = "keep",
     .read = config_key_int64,
     .doc = "rows kept in tilings.csv (default 100000)",
     .offset = AT(e.keep),
     .min = 1,
     .max = INT64_MAX},
    {.name = "seed",
     .read = config_key_int64,
     .doc = "of data and samples (default 1)",
     .offset = AT(e.seed),
     .min = 0,
     .max = INT64_MAX},
    {.name = NULL},
};

const char *const *config_all_keys(struct config *c)
{
    const struct config_key *tables[] = {CONFIG_ROOT_KEYS, CONFIG_MATMUL_KEYS, CONFIG_CONV_KEYS};
    const char **names = config_alloc(c, 256, sizeof *names);
    size_t n = 0;
    if (names == NULL) {
        return NULL;
    }
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (const struct config_key *key = tables[t]; key->name != NULL; key++) {
            names[n++] = key->name;
        }
    }
    for (const char *const *key = config_tiling_keys(); *key != NULL && n < 255; key++) {
        names[n++] = *key;
    }
    return names;
}

/* ---- targets ---- */

/* The chip with another budget of event ids: plan and race check read it there. */
static const struct target *with_event_ids(struct config *c, const struct yaml_node *node, const struct target *target,
                                           int64_t ids)
{
    if (ids == 0 || ids == target->event_ids) {
        return target;
    }
    /* Chips with an advice of 4 have no more. */
    if (target->event_ids == 4 && ids > 4) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "eventIds: %s has only 4", target->name);
        diag_rule(c->diag, "ids 0-3 exist on 910 [kernel_rules 8]");
        return target;
    }
    struct target *copy = config_alloc(c, 1, sizeof *copy);
    if (copy == NULL) {
        return target;
    }
    *copy = *target;
    copy->event_ids = (int32_t)ids;
    copy->fingerprint = copy->fingerprint * 31 + (uint64_t)ids; /* results are others' */
    return copy;
}

static void read_target(struct config *c, const struct yaml_node *node, struct config_root *d)
{
    const char *name;
    if (yaml_read_text(node, "target", &name, c->diag) != STATUS_OK) {
        return;
    }
    if (strchr(name, '/') != NULL || strstr(name, ".yaml") != NULL) {
        const char *path = config_path(c, name);
        if (!config_file_there(c, node, "target", name, path)) {
            return;
        }
        name = path;
    }
    const struct target *target = NULL;
    const enum status st = target_load(name, &node->at, c->arena, &target, c->diag);
    if (st != STATUS_OK) {
        c->no_memory |= st == STATUS_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < d->target_count; i++) {
        if (strcmp(d->targets[i]->name, target->name) == 0) {
            diag_error(c->diag, STATUS_INVALID, &node->at, "target '%s' is named twice", target->name);
            diag_rule(c->diag, "cells are targets x problems x variants: each target stands once");
            return;
        }
    }
    d->targets[d->target_count++] = with_event_ids(c, node, target, d->event_ids);
}

void config_read_targets(struct config *c, const struct location *file, struct config_root *d)
{
    const struct yaml_node *node = d->target;
    if (node == NULL) {
        diag_error(c->diag, STATUS_INVALID, file, "the config names no target");
        diag_hint(c->diag, "add 'target: ascend910b1'; 'tilescope targets' lists all");
        return;
    }
    if (node->kind == YAML_NODE_MAP || (node->kind == YAML_NODE_LIST && node->count == 0)) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "target: expected a name or a list of names");
        diag_rule(c->diag, "target is like ascend910b1 or [ascend910b1, ./mine.yaml]");
        return;
    }
    const bool list = node->kind == YAML_NODE_LIST;
    d->targets = config_alloc(c, list ? node->count : 1, sizeof(const struct target *));
    if (d->targets == NULL) {
        return;
    }
    for (const struct yaml_node *item = list ? node->child : node; item != NULL; item = list ? item->next : NULL) {
        read_target(c, item, d);
    }
}
