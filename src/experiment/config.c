/* config.c - the shared steps of reading a config: memory, maps by key table,
 * words, integers as scalar, list or range. */
#include "experiment/config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/limits.h"
#include "base/os.h"
#include "text/suggest.h"

void *config_alloc(struct config *c, size_t count, size_t size)
{
    void *p = arena_alloc(c->arena, count, size);
    if (p == NULL) {
        c->no_memory = true;
    }
    return p;
}

const char *config_text(struct config *c, const char *fmt, ...)
{
    struct strbuf sb;
    va_list args;
    strbuf_init(&sb);
    va_start(args, fmt);
    strbuf_vaddf(&sb, fmt, args);
    va_end(args);
    const char *text = sb.failed ? NULL : arena_strdup(c->arena, strbuf_cstr(&sb));
    strbuf_fini(&sb);
    if (text == NULL) {
        c->no_memory = true;
        return "";
    }
    return text;
}

const char *config_path(struct config *c, const char *path)
{
    if (path[0] == '/' || c->dir[0] == '\0') {
        return path;
    }
    const char *beside = config_text(c, "%s%s", c->dir, path);
    return os_exists(beside) ? beside : path;
}

bool config_file_there(struct config *c, const struct yaml_node *node, const char *what, const char *path,
                       const char *resolved)
{
    if (os_exists(resolved)) {
        return true;
    }
    diag_error(c->diag, STATUS_INVALID, &node->at, "%s: there is no file '%s'", what, path);
    diag_rule(c->diag, "a path is taken from the config's directory, else from the working directory");
    return false;
}

/* ---- maps ---- */

const struct config_key *config_find_key(const struct config_key *keys, const char *name)
{
    for (; keys->name != NULL; keys++) {
        if (strcmp(keys->name, name) == 0) {
            return keys;
        }
    }
    return NULL;
}

bool config_read_map(struct config *c, const struct yaml_node *map, const struct config_key *keys, const char *what,
                     void *out)
{
    size_t n = 0;
    while (keys[n].name != NULL) {
        n++;
    }
    const char **names = config_alloc(c, n + 1, sizeof *names);
    if (names == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        names[i] = keys[i].name;
    }
    (void)yaml_reject_unknown(map, names, what, c->diag);
    if (map->kind != YAML_NODE_MAP) {
        return false;
    }
    for (const struct yaml_node *node = map->child; node != NULL; node = node->next) {
        const struct config_key *key = config_find_key(keys, node->key);
        if (key != NULL && key->read != NULL) {
            key->read(c, node, key, out);
        }
    }
    return true;
}

/* ---- generic readers of keys ---- */

static void *member(const struct config_key *key, void *out)
{
    return (char *)out + key->offset;
}

void config_key_int64(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    const struct config_int_rule rule = {.what = key->name, .min = key->min, .max = key->max, .range_rule = key->rule};
    (void)config_read_int(c, node, &rule, member(key, out));
}

void config_key_ints(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    const struct config_int_rule rule = {.what = key->name, .min = key->min, .max = key->max, .range_rule = key->rule};
    (void)config_read_ints(c, node, &rule, member(key, out));
}

void config_key_text(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    (void)yaml_read_text(node, key->name, member(key, out), c->diag);
}

void config_key_bool(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    (void)yaml_read_bool(node, key->name, member(key, out), c->diag);
}

void config_key_node(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    (void)c;
    *(const struct yaml_node **)member(key, out) = node;
}

/* ---- words ---- */

bool config_read_name(struct config *c, const struct yaml_node *node, const char *what, const char *const *names,
                      int *out)
{
    const char *text;
    if (yaml_read_text(node, what, &text, c->diag) != STATUS_OK) {
        return false;
    }
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return true;
        }
    }
    struct strbuf list;
    strbuf_init(&list);
    for (int i = 0; names[i] != NULL; i++) {
        strbuf_addf(&list, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    diag_error(c->diag, STATUS_INVALID, &node->at, "%s: '%s' is not one of its words", what, text);
    const char *nearest = suggest_word(text, names);
    if (nearest != NULL) {
        diag_hint(c->diag, "did you mean '%s'?", nearest);
    }
    diag_rule(c->diag, "%s is one of: %s", what, strbuf_cstr(&list));
    strbuf_fini(&list);
    return false;
}

bool config_read_word(struct config *c, const struct yaml_node *node, const char *what, const struct config_word *words,
                      int *out)
{
    size_t n = 0;
    while (words[n].word != NULL) {
        n++;
    }
    const char **names = config_alloc(c, n + 1, sizeof *names);
    if (names == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        names[i] = words[i].word;
    }
    int at;
    if (!config_read_name(c, node, what, names, &at)) {
        return false;
    }
    *out = words[at].value;
    return true;
}

/* ---- integers ---- */

bool config_read_number(struct config *c, const struct yaml_node *node, const char *what, int64_t min, int64_t max,
                        int64_t *out)
{
    /* A number of 64 bits is judged by the caller, in his words; a longer one is
     * judged here, by his limits and not by those of 64 bits. */
    const bool fits = node->kind != YAML_NODE_SCALAR || strlen(node->scalar) <= 18;
    return yaml_read_int(node, what, fits ? INT64_MIN : min, fits ? INT64_MAX : max, out, c->diag) == STATUS_OK;
}

bool config_read_int(struct config *c, const struct yaml_node *node, const struct config_int_rule *rule, int64_t *out)
{
    int64_t v;
    if (rule->scalar != NULL) {
        if (!rule->scalar(c, node, rule->arg, &v)) {
            return false;
        }
    } else if (!config_read_number(c, node, rule->what, rule->min, rule->max, &v)) {
        return false;
    }
    if (v < rule->min || v > rule->max) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "%s: %" PRId64 " is outside %" PRId64 "..%" PRId64, rule->what,
                   v, rule->min, rule->max);
        if (rule->range_rule != NULL) {
            diag_rule(c->diag, "%s", rule->range_rule);
        } else {
            diag_rule(c->diag, "%s is a whole number from %" PRId64 " to %" PRId64, rule->what, rule->min, rule->max);
        }
        return false;
    }
    *out = v;
    return true;
}

static bool append(struct config *c, struct config_ints *ints, const struct yaml_node *node, int64_t value)
{
    if (ints->count == LIMIT_FIELD_VALUES) {
        return false;
    }
    if (ints->count == ints->cap) {
        const size_t cap = ints->cap == 0 ? 16 : ints->cap * 2;
        int64_t *values = config_alloc(c, cap, sizeof *values);
        const struct yaml_node **nodes = config_alloc(c, cap, sizeof *nodes);
        if (values == NULL || nodes == NULL) {
            return false;
        }
        if (ints->count > 0) {
            memcpy(values, ints->value, ints->count * sizeof *values);
            memcpy(nodes, ints->node, ints->count * sizeof *nodes);
        }
        ints->value = values;
        ints->node = nodes;
        ints->cap = cap;
    }
    ints->value[ints->count] = value;
    ints->node[ints->count++] = node;
    return true;
}

static void too_many(struct config *c, const struct yaml_node *node, const char *what)
{
    diag_error(c->diag, STATUS_LIMIT, &node->at, "%s has too many values", what);
    diag_rule(c->diag, "one key has at most %u values", LIMIT_FIELD_VALUES);
}

struct range {
    const struct config_int_rule *rule;
    int64_t from, to, step;
    bool has_from, has_to;
};

static void read_from(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct range *r = out;
    (void)key;
    r->has_from = true;
    (void)config_read_int(c, node, r->rule, &r->from);
}

static void read_to(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct range *r = out;
    (void)key;
    r->has_to = true;
    (void)config_read_int(c, node, r->rule, &r->to);
}

const struct config_key CONFIG_RANGE_KEYS[] = {
    {.name = "from", .read = read_from, .doc = "first value"},
    {.name = "to", .read = read_to, .doc = "last value, included if a step meets it"},
    {.name = "step",
     .read = config_key_int64,
     .doc = "distance, 1 or more",
     .offset = offsetof(struct range, step),
     .min = 1,
     .max = INT32_MAX},
    {.name = NULL},
};

#define RANGE_RULE "a range is {from: 16, to: 256, step: 16}, both ends included"

static bool read_range(struct config *c, const struct yaml_node *node, const struct config_int_rule *rule,
                       struct config_ints *out)
{
    struct range r = {.rule = rule};
    const size_t errors = c->diag->errors;
    const char *what = config_text(c, "range of %s", rule->what);
    (void)config_read_map(c, node, CONFIG_RANGE_KEYS, what, &r);
    if (!r.has_from || !r.has_to) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "%s needs 'from' and 'to'", what);
        diag_rule(c->diag, RANGE_RULE);
    } else if (yaml_get(node, "step") == NULL && c->diag->errors == errors) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "%s needs 'step'", what);
        diag_hint(c->diag, "add 'step: 1' for every value from %" PRId64 " to %" PRId64, r.from, r.to);
        diag_rule(c->diag, RANGE_RULE);
    }
    if (c->diag->errors > errors) {
        return false;
    }
    if (r.from > r.to) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "%s is empty: from %" PRId64 " is greater than to %" PRId64,
                   what, r.from, r.to);
        diag_rule(c->diag, RANGE_RULE);
        return false;
    }
    for (int64_t v = r.from; v <= r.to; v += r.step) {
        if (!append(c, out, node, v)) {
            too_many(c, node, rule->what);
            return false;
        }
    }
    return true;
}

bool config_read_ints(struct config *c, const struct yaml_node *node, const struct config_int_rule *rule,
                      struct config_ints *out)
{
    if (node->kind == YAML_NODE_MAP) {
        return read_range(c, node, rule, out);
    }
    if (node->kind == YAML_NODE_SCALAR) {
        int64_t v;
        if (!config_read_int(c, node, rule, &v)) {
            return false;
        }
        if (!append(c, out, node, v)) {
            too_many(c, node, rule->what);
            return false;
        }
        return true;
    }
    if (node->count == 0) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "%s: the list is empty", rule->what);
        diag_rule(c->diag, "a list of values has at least one; leave the key out for auto");
        return false;
    }
    bool good = true;
    for (const struct yaml_node *item = node->child; item != NULL; item = item->next) {
        if (item->kind == YAML_NODE_LIST) {
            diag_error(c->diag, STATUS_INVALID, &item->at, "%s: a list inside a list", rule->what);
            diag_rule(c->diag, "a list holds numbers and ranges");
            good = false;
        } else if (out->count == LIMIT_FIELD_VALUES) {
            too_many(c, item, rule->what);
            return false;
        } else {
            good &= config_read_ints(c, item, rule, out);
        }
    }
    return good;
}
