/* config_tree.c - overrides: --set and the `set` of variants change the tree
 * before it is interpreted, so an override can say whatever the file can. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/config.h"
#include "text/suggest.h"

struct yaml_node *config_tree_clone(struct config *c, const struct yaml_node *node)
{
    struct yaml_node *copy = config_alloc(c, 1, sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    *copy = *node;
    copy->next = NULL;
    struct yaml_node **link = &copy->child;
    for (const struct yaml_node *child = node->child; child != NULL; child = child->next) {
        *link = config_tree_clone(c, child);
        if (*link == NULL) {
            return NULL;
        }
        link = &(*link)->next;
    }
    return copy;
}

/* ---- paths ---- */

/* One step of a path: a key, or an index of a list. */
struct step {
    const char *key; /* NULL: index */
    uint64_t index;
    struct location at;
};

enum { PATH_STEPS = 16 };

struct config_path {
    struct step step[PATH_STEPS];
    size_t count;
};

static bool is_key_char(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_' || ch == '-';
}

static bool bad_path(struct config *c, const char *path, const struct location *at)
{
    diag_error(c->diag, STATUS_INVALID, at, "'%s' is not a path to a key", path);
    diag_rule(c->diag,
              "a path is keys joined by dots, with [n] for an item of a list: tiling.baseM, problem[0].A.dtype");
    return false;
}

static bool add_step(struct config_path *p, const char *key, uint64_t index, const struct location *at, size_t offset,
                     size_t len)
{
    if (p->count == PATH_STEPS) {
        return false;
    }
    struct step *s = &p->step[p->count++];
    *s = (struct step){.key = key, .index = index, .at = *at};
    s->at.col += (uint32_t)offset;
    s->at.len = (uint32_t)len;
    return true;
}

/* Reads "key[1][2]" at text[*i]; false if it is not spelled so. */
static bool parse_part(struct config *c, const char *text, size_t *i, const struct location *at, struct config_path *p)
{
    const size_t start = *i;
    while (is_key_char(text[*i])) {
        (*i)++;
    }
    const char *key = arena_strndup(c->arena, text + start, *i - start);
    if (*i == start || key == NULL || !add_step(p, key, 0, at, start, *i - start)) {
        return false;
    }
    while (text[*i] == '[') {
        const size_t open = (*i)++;
        const size_t digits = strspn(text + *i, "0123456789");
        const uint64_t index = digits > 0 && digits < 10 ? strtoull(text + *i, NULL, 10) : 0;
        *i += digits;
        if (digits == 0 || digits >= 10 || text[*i] != ']') {
            return false;
        }
        (*i)++;
        if (!add_step(p, NULL, index, at, open, *i - open)) {
            return false;
        }
    }
    return true;
}

/* The first word of a path; false if it is none. */
static bool first_word(const char *path, char word[64])
{
    size_t n = 0;
    while (is_key_char(path[n])) {
        n++;
    }
    if (n == 0 || n >= 64) {
        return false;
    }
    memcpy(word, path, n);
    word[n] = '\0';
    return true;
}

const char *config_path_section(const char *path)
{
    char word[64];
    if (!first_word(path, word)) {
        return NULL;
    }
    const struct config_key *root = config_find_key(CONFIG_ROOT_KEYS, word);
    return root != NULL ? root->name : config_problem_key(word) ? "problem" : config_tiling_key(word) ? "tiling" : NULL;
}

static bool unknown_word(struct config *c, const char *path, const struct location *at)
{
    char word[64];
    if (!first_word(path, word)) {
        return bad_path(c, path, at);
    }
    const char *const *known = config_all_keys(c);
    const char *nearest = known != NULL ? suggest_word(word, known) : NULL;
    diag_error(c->diag, STATUS_INVALID, at, "unknown key '%s'", word);
    if (nearest != NULL) {
        diag_hint(c->diag, "did you mean '%s'?", nearest);
    }
    diag_rule(c->diag, "a path begins with a key of the file, of its problem or of its tiling");
    return false;
}

static bool parse_path(struct config *c, const char *text, const struct location *at, struct config_path *p)
{
    *p = (struct config_path){0};
    const char *section = config_path_section(text);
    if (section == NULL) {
        return unknown_word(c, text, at);
    }
    if (strncmp(text, section, strlen(section)) != 0) {
        (void)add_step(p, section, 0, at, 0, 1); /* "A.dtype" means "problem.A.dtype" */
    }
    for (size_t i = 0;;) {
        if (!parse_part(c, text, &i, at, p)) {
            return bad_path(c, text, at);
        }
        if (text[i] == '\0') {
            return true;
        }
        if (text[i++] != '.') {
            return bad_path(c, text, at);
        }
    }
}

/* ---- setting ---- */

static struct yaml_node *child_at(struct yaml_node *list, uint64_t index)
{
    struct yaml_node *node = list->child;
    while (node != NULL && index-- > 0) {
        node = node->next;
    }
    return node;
}

/* Child of a map, made (as an empty map) if it is not there. */
static struct yaml_node *child_for(struct config *c, struct yaml_node *map, const struct step *step)
{
    struct yaml_node *node = yaml_get(map, step->key);
    if (node != NULL) {
        return node;
    }
    node = config_alloc(c, 1, sizeof *node);
    if (node == NULL) {
        return NULL;
    }
    *node = (struct yaml_node){.kind = YAML_NODE_MAP, .at = step->at, .key = step->key, .key_at = step->at};
    struct yaml_node **link = &map->child;
    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = node;
    map->count++;
    return node;
}

/* The value takes the place of the node; key and neighbours stay. */
static bool replace(struct config *c, struct yaml_node *node, const struct step *step, const struct yaml_node *value)
{
    struct yaml_node *copy = config_tree_clone(c, value);
    if (copy == NULL) {
        return false;
    }
    copy->key = node->key;
    copy->key_at = step->at;
    copy->next = node->next;
    *node = *copy;
    return true;
}

static bool set_at(struct config *c, struct yaml_node *node, const struct step *step, size_t left,
                   const struct yaml_node *value)
{
    if (left == 0) {
        return replace(c, node, step - 1, value);
    }
    if (step->key == NULL) {
        struct yaml_node *item = node->kind == YAML_NODE_LIST ? child_at(node, step->index) : NULL;
        if (item == NULL) {
            diag_error(c->diag, STATUS_INVALID, &step->at, "there is no item %llu here",
                       (unsigned long long)step->index);
            diag_rule(c->diag, "[n] counts the items of a list from 0; this %s",
                      node->kind == YAML_NODE_LIST ? "list is shorter" : "is no list");
            return false;
        }
        return set_at(c, item, step + 1, left - 1, value);
    }
    if (node->kind == YAML_NODE_LIST) {
        bool good = true;
        for (struct yaml_node *item = node->child; item != NULL; item = item->next) {
            good &= set_at(c, item, step, left, value);
        }
        return good;
    }
    if (node->kind == YAML_NODE_SCALAR) {
        diag_error(c->diag, STATUS_INVALID, &step->at, "'%s' cannot be set: what stands above it is a single value",
                   step->key);
        return false;
    }
    struct yaml_node *child = child_for(c, node, step);
    return child != NULL && set_at(c, child, step + 1, left - 1, value);
}

bool config_tree_set(struct config *c, struct yaml_node *root, const char *path, const struct location *at,
                     const struct yaml_node *value)
{
    struct config_path p;
    return parse_path(c, path, at, &p) && set_at(c, root, &p.step[0], p.count, value);
}

/* ---- --set path=value ---- */

/* Moves places in the value's own text to places in the whole argument. */
static void shift(struct yaml_node *node, const struct location *whole, uint32_t cols)
{
    node->at.file = whole->file;
    node->at.source = whole->source;
    node->key_at.file = whole->file;
    node->key_at.source = whole->source;
    if (node->at.line == 1) {
        node->at.col += cols;
    }
    if (node->key_at.line == 1) {
        node->key_at.col += cols;
    }
    for (struct yaml_node *child = node->child; child != NULL; child = child->next) {
        shift(child, whole, cols);
    }
}

bool config_tree_override(struct config *c, struct yaml_node *root, const char *assignment)
{
    const struct location at = {
        .file = "--set", .source = assignment, .line = 1, .col = 1, .len = (uint32_t)strcspn(assignment, "=")};
    const char *equals = strchr(assignment, '=');
    if (equals == NULL || equals == assignment || equals[1] == '\0') {
        diag_error(c->diag, STATUS_INVALID, &at, "'%s' is not an override", assignment);
        diag_rule(c->diag, "--set takes PATH=VALUE, the value in YAML: --set tiling.baseM=[64,128]");
        return false;
    }
    const char *path = arena_strndup(c->arena, assignment, (size_t)(equals - assignment));
    struct yaml_node *value;
    if (path == NULL) {
        c->no_memory = true;
        return false;
    }
    if (yaml_tree_parse("--set", equals + 1, strlen(equals + 1), c->arena, &value, c->diag) != STATUS_OK) {
        return false;
    }
    shift(value, &at, (uint32_t)(equals + 1 - assignment));
    return config_tree_set(c, root, path, &at, value);
}
