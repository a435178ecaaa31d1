/* load.c - target files -> struct target.
 *
 * Three phases.  The chain of `extends` is opened, chip first.  Then the files
 * are read from the oldest family down to the chip, each leaf replacing the
 * fact before it, all errors collected.  At last the facts are checked for
 * completeness and stored in struct target.  Only schema.c knows the keys. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/limits.h"
#include "target/file.h"
#include "target/leaf.h"
#include "target/schema.h"
#include "target/target.h"

struct loader {
    struct arena *arena;
    struct diag *diag;
    struct target_file chain[LIMIT_EXTENDS_DEPTH + 1]; /* chip first */
    size_t chain_count;
    struct target_fact *slots; /* TARGET_KEY_VALUES per schema row; key NULL = not set */
    struct target *target;
    bool failed; /* some error was reported; reading goes on to find the others */
};

static const char *const top_keys[] = {"title", "extends", "inherited", NULL};

static bool is_top_key(const char *key)
{
    for (size_t i = 0; top_keys[i] != NULL; i++) {
        if (strcmp(key, top_keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Remembers a reported mistake and goes on; other failures end the reading. */
static enum status go_on(struct loader *l, enum status status)
{
    if (status == STATUS_INVALID) {
        l->failed = true;
        return STATUS_OK;
    }
    return status;
}

static struct target_fact *slot_of(struct loader *l, size_t row)
{
    return &l->slots[row * TARGET_KEY_VALUES];
}

/* ---- the chain ---- */

static enum status check_cycle(struct loader *l, const struct target_file *next, const struct location *at)
{
    for (size_t i = 0; i < l->chain_count; i++) {
        if (strcmp(l->chain[i].file, next->file) == 0) {
            return diag_error(l->diag, STATUS_INVALID, at, "'%s' extends itself: the chain comes back to %s",
                              l->chain[0].name, next->file);
        }
    }
    return STATUS_OK;
}

static enum status open_chain(struct loader *l, const char *name, const struct location *at)
{
    struct location place = at != NULL ? *at : (struct location){0};
    while (name != NULL) {
        if (l->chain_count > LIMIT_EXTENDS_DEPTH) {
            return diag_error(l->diag, STATUS_LIMIT, &place, "more than %u files in a chain of 'extends'",
                              LIMIT_EXTENDS_DEPTH);
        }
        const struct target_file *from = l->chain_count > 0 ? &l->chain[l->chain_count - 1] : NULL;
        const struct location *where = from != NULL || at != NULL ? &place : NULL;
        struct target_file next;
        TRY(target_file_open(name, from, where, l->arena, &next, l->diag));
        TRY(check_cycle(l, &next, where));
        if (next.root->kind != YAML_NODE_MAP) {
            return diag_error(l->diag, STATUS_INVALID, &next.root->at, "a target file is a map of keys");
        }
        l->chain[l->chain_count++] = next;
        name = NULL;
        const struct yaml_node *extends = yaml_get(next.root, "extends");
        if (extends != NULL) {
            TRY(yaml_read_text(extends, "extends", &name, l->diag));
            place = extends->at;
        }
    }
    return STATUS_OK;
}

/* ---- one file ---- */

/* The keys that may stand below `prefix` ("" or "cube.rate."), for suggestions. */
static const char *const *known_below(struct loader *l, const char *prefix)
{
    const size_t rows = target_schema_count();
    const size_t extra = prefix[0] == '\0' ? sizeof top_keys / sizeof top_keys[0] : 0;
    const char **known = arena_alloc(l->arena, rows + extra + 1, sizeof *known);
    if (known == NULL) {
        return NULL;
    }
    size_t n = 0;
    for (size_t i = 0; i + 1 < extra; i++) {
        known[n++] = top_keys[i];
    }
    for (size_t i = 0; i < rows; i++) {
        const char *key = target_schema_at(i)->key;
        if (strncmp(key, prefix, strlen(prefix)) != 0) {
            continue;
        }
        const char *part = key + strlen(prefix);
        const char *copy = arena_strndup(l->arena, part, strcspn(part, "."));
        if (copy == NULL) {
            return NULL;
        }
        if (n == 0 || strcmp(known[n - 1], copy) != 0) {
            known[n++] = copy;
        }
    }
    return known;
}

/* Is some key of the schema longer than `path` by "."? */
static bool is_group(const char *path)
{
    const size_t n = strlen(path);
    for (size_t i = 0; i < target_schema_count(); i++) {
        const char *key = target_schema_at(i)->key;
        if (strncmp(key, path, n) == 0 && key[n] == '.') {
            return true;
        }
    }
    return false;
}

static const char *print_path(struct loader *l, const char *prefix, const char *key, const char *end)
{
    const size_t n = strlen(prefix) + strlen(key) + strlen(end) + 1;
    char *text = arena_alloc(l->arena, n, 1);
    if (text != NULL) {
        (void)snprintf(text, n, "%s%s%s", prefix, key, end);
    }
    return text;
}

static enum status read_leaf(struct loader *l, const struct target_file *file, size_t row, const struct yaml_node *node)
{
    const struct target_key *key = target_schema_at(row);
    const enum status status = target_leaf_read(key, node, file->file, l->arena, slot_of(l, row), l->diag);
    slot_of(l, row)->key = slot_of(l, row)->key != NULL ? slot_of(l, row)->key : key->key; /* wrong is not missing */
    return status;
}

/* Reads all leaves of `map`; errors are collected in the diag. */
static enum status read_group(struct loader *l, const struct target_file *file, const struct yaml_node *map,
                              const char *prefix)
{
    if (map->kind != YAML_NODE_MAP) {
        return go_on(l, diag_error(l->diag, STATUS_INVALID, &map->at, "'%.*s' is a group: a map of keys",
                                   (int)strlen(prefix) - 1, prefix));
    }
    const char *const *known = known_below(l, prefix);
    if (known == NULL) {
        return diag_error(l->diag, STATUS_NO_MEMORY, NULL, "out of memory");
    }
    TRY(go_on(l, yaml_reject_unknown(map, known, prefix[0] == '\0' ? "target file" : prefix, l->diag)));
    for (const struct yaml_node *node = map->child; node != NULL; node = node->next) {
        if (prefix[0] == '\0' && is_top_key(node->key)) {
            continue;
        }
        const char *path = print_path(l, prefix, node->key, "");
        const char *below = print_path(l, prefix, node->key, ".");
        if (path == NULL || below == NULL) {
            return diag_error(l->diag, STATUS_NO_MEMORY, NULL, "out of memory");
        }
        const size_t row = target_schema_find(path);
        if (row != SIZE_MAX) {
            TRY(go_on(l, read_leaf(l, file, row, node)));
        } else if (is_group(path)) {
            TRY(read_group(l, file, node, below));
        }
    }
    return STATUS_OK;
}

/* `inherited: {confidence, source}`: numbers of the time model that come from
 * another core are worth no more than this file says. */
static enum status weaken_inherited(struct loader *l, const struct yaml_node *rule)
{
    static const char *const known[] = {"confidence", "source", NULL};
    enum confidence confidence;
    const char *source;
    if (rule->kind != YAML_NODE_MAP) {
        return go_on(
            l, diag_error(l->diag, STATUS_INVALID, &rule->at, "'inherited' is a map of 'confidence' and 'source'"));
    }
    TRY(go_on(l, yaml_reject_unknown(rule, known, "inherited", l->diag)));
    const enum status origin = target_leaf_origin(rule, "inherited", &confidence, &source, l->diag);
    if (origin != STATUS_OK) {
        return go_on(l, origin);
    }
    for (size_t i = 0; i < target_schema_count() * TARGET_KEY_VALUES; i++) {
        struct target_fact *fact = &l->slots[i];
        if (fact->key == NULL || strncmp(fact->key, "timing.", strlen("timing.")) != 0 ||
            fact->confidence >= confidence) {
            continue;
        }
        fact->confidence = confidence;
        fact->source = print_path(l, source, "; there: ", fact->source);
        if (fact->source == NULL) {
            return diag_error(l->diag, STATUS_NO_MEMORY, NULL, "out of memory");
        }
    }
    return STATUS_OK;
}

static enum status read_files(struct loader *l)
{
    for (size_t i = l->chain_count; i-- > 0;) {
        const struct target_file *file = &l->chain[i];
        const struct yaml_node *inherited = yaml_get(file->root, "inherited");
        if (inherited != NULL) {
            TRY(weaken_inherited(l, inherited));
        }
        TRY(read_group(l, file, file->root, ""));
        const struct yaml_node *title = yaml_get(file->root, "title");
        if (title != NULL) {
            TRY(go_on(l, yaml_read_text(title, "title", &l->target->title, l->diag)));
        }
    }
    return STATUS_OK;
}

/* ---- the finished target ---- */

static enum status check_complete(struct loader *l)
{
    enum status status = STATUS_OK;
    struct strbuf missing;
    size_t count = 0;
    strbuf_init(&missing);
    if (l->target->title == NULL) {
        strbuf_add(&missing, "title");
        count++;
    }
    for (size_t i = 0; i < target_schema_count(); i++) {
        const struct target_key *key = target_schema_at(i);
        if (key->required && slot_of(l, i)->key == NULL) {
            strbuf_addf(&missing, "%s%s", count > 0 ? ", " : "", key->key);
            count++;
        }
    }
    if (count > 0) {
        const struct location file = {.file = l->chain[0].file};
        status = diag_error(l->diag, STATUS_INVALID, &file, "target '%s' is not complete, %zu key%s missing: %s",
                            l->chain[0].name, count, count > 1 ? "s are" : " is", strbuf_cstr(&missing));
        diag_hint(l->diag, "%s",
                  target_is_family(l->chain[0].name) ? "a family is no chip: name a target that extends it"
                                                     : "take them from a family with 'extends: NAME'");
    }
    strbuf_fini(&missing);
    return status;
}

static void store(struct target *t, const struct target_key *key, const struct target_fact *facts)
{
    char *member = (char *)t + key->offset;
    for (uint32_t i = 0; i < key->count; i++) {
        const double value = facts[i].value;
        switch (key->kind) {
        case TARGET_INT32:
            ((int32_t *)(void *)member)[i] = (int32_t)value;
            break;
        case TARGET_INT64:
            ((int64_t *)(void *)member)[i] = (int64_t)value;
            break;
        case TARGET_REAL:
            ((double *)(void *)member)[i] = value;
            break;
        case TARGET_BOOL:
            ((bool *)(void *)member)[i] = value != 0;
            break;
        case TARGET_TEXT:
            ((const char **)(void *)member)[i] = facts[i].text;
            break;
        case TARGET_PRODUCT:
            ((enum product *)(void *)member)[i] = product_from_name(facts[i].text);
            break;
        }
    }
}

/* Hash of everything that can change a result, nothing that cannot. */
static uint64_t fingerprint_of(const struct target *t)
{
    uint64_t h = FNV1A_START;
    for (size_t i = 0; i < t->fact_count; i++) {
        const struct target_fact *fact = &t->facts[i];
        h = fnv1a_add(h, fact->key, strlen(fact->key) + 1);
        h = fnv1a_add(h, &fact->value, sizeof fact->value);
        if (fact->text != NULL) {
            h = fnv1a_add(h, fact->text, strlen(fact->text) + 1);
        }
    }
    return h;
}

static enum status finish(struct loader *l)
{
    struct target *t = l->target;
    t->name = l->chain[0].name;
    t->path = l->chain[0].embedded ? NULL : l->chain[0].file;
    t->family = t->name;
    for (size_t i = 1; i < l->chain_count; i++) {
        t->family = t->family != NULL ? print_path(l, t->family, " < ", l->chain[i].name) : NULL;
    }
    t->facts = arena_alloc(l->arena, target_schema_count() * TARGET_KEY_VALUES, sizeof *t->facts);
    if (t->family == NULL || t->facts == NULL) {
        return diag_error(l->diag, STATUS_NO_MEMORY, NULL, "out of memory");
    }
    for (size_t i = 0; i < target_schema_count(); i++) {
        const struct target_key *key = target_schema_at(i);
        const struct target_fact *facts = slot_of(l, i);
        if (facts->key == NULL) {
            continue;
        }
        store(t, key, facts);
        memcpy(&t->facts[t->fact_count], facts, key->count * sizeof *facts);
        t->fact_count += key->count;
    }
    t->physical[BUF_GM] = INT64_MAX;
    t->fingerprint = fingerprint_of(t);
    return STATUS_OK;
}

enum status target_load(const char *name_or_path, const struct location *at, struct arena *arena,
                        const struct target **out, struct diag *d)
{
    struct loader l = {.arena = arena, .diag = d};
    l.slots = arena_alloc(arena, target_schema_count() * TARGET_KEY_VALUES, sizeof *l.slots);
    l.target = arena_alloc(arena, 1, sizeof *l.target);
    if (l.slots == NULL || l.target == NULL) {
        return diag_error(d, STATUS_NO_MEMORY, at, "out of memory");
    }
    TRY(open_chain(&l, name_or_path, at));
    TRY(read_files(&l));
    TRY(go_on(&l, check_complete(&l)));
    if (l.failed) {
        return STATUS_INVALID;
    }
    TRY(finish(&l));
    *out = l.target;
    return STATUS_OK;
}
