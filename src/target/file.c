/* file.c - target files by embedded name or by path. */
#include "target/file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/embed.h"
#include "target/target.h"
#include "text/suggest.h"

#define EMBEDDED_DIR  "targets/"
#define SOURCE_DIR    "configs/"
#define SUFFIX        ".yaml"
#define FAMILY_PREFIX "family_"
#define SHOWN_MAX     8U

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text);
    const size_t m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_path(const char *name)
{
    return strchr(name, '/') != NULL || ends_with(name, SUFFIX);
}

/* Last part of a path without ".yaml". */
static const char *base_name(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    const size_t n = strlen(base) - (ends_with(base, SUFFIX) ? strlen(SUFFIX) : 0);
    return arena_strndup(arena, base, n);
}

static char *join(struct arena *arena, const char *a, size_t a_len, const char *b)
{
    const size_t b_len = strlen(b);
    char *text = arena_alloc(arena, a_len + b_len + 1, 1);
    if (text != NULL) {
        memcpy(text, a, a_len);
        memcpy(text + a_len, b, b_len + 1);
    }
    return text;
}

bool target_is_family(const char *name)
{
    return strncmp(name, FAMILY_PREFIX, strlen(FAMILY_PREFIX)) == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *target_names(struct arena *arena)
{
    const char **names = arena_alloc(arena, embedded_count() + 1, sizeof *names);
    if (names == NULL) {
        return NULL;
    }
    size_t n = 0;
    for (size_t i = 0; i < embedded_count(); i++) {
        const char *path = embedded_at(i)->path;
        if (strncmp(path, EMBEDDED_DIR, strlen(EMBEDDED_DIR)) != 0 || !ends_with(path, SUFFIX)) {
            continue;
        }
        const char *name = base_name(path, arena);
        if (name == NULL) {
            return NULL;
        }
        if (!target_is_family(name)) {
            names[n++] = name;
        }
    }
    qsort(names, n, sizeof *names, compare_names);
    return names;
}

/* Short names, those of tests/data/measurements. */
static const struct {
    const char *name, *target;
} ALIASES[] = {
    {"910B1", "ascend910b1"}, {"910B2", "ascend910b2"},      {"910B3", "ascend910b3"},
    {"A3", "ascend910c"},     {"950PR", "ascend950pr_9589"}, {"950PR_958b", "ascend950pr_958b"},
};

const char *target_alias(const char *name)
{
    for (size_t i = 0; i < sizeof ALIASES / sizeof ALIASES[0]; i++) {
        if (strcasecmp(name, ALIASES[i].name) == 0) {
            return ALIASES[i].target;
        }
    }
    return NULL;
}

/* The way files spell it: "910B4-1" and "Ascend910B4-1" are ascend910b4_1. NULL on lack of memory. */
static const char *file_spelling(const char *name, struct arena *arena)
{
    const bool bare = name[0] >= '0' && name[0] <= '9';
    char *text = join(arena, "ascend", bare ? strlen("ascend") : 0, name);
    for (char *c = text; c != NULL && *c != '\0'; c++) {
        *c = *c == '-' ? '_' : *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    }
    return text;
}

/* The names that begin with `name`, e.g. the four 910B of "ascend910b"; at
 * most SHOWN_MAX, separated by ", ". */
static void names_beginning(const char *name, const char *const *names, struct strbuf *out)
{
    size_t shown = 0;
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strncmp(names[i], name, strlen(name)) == 0 && shown++ < SHOWN_MAX) {
            strbuf_addf(out, "%s%s", shown > 1 ? ", " : "", names[i]);
        }
    }
    if (shown > SHOWN_MAX) {
        strbuf_add(out, ", ...");
    }
}

static enum status unknown_name(const char *name, const struct location *at, struct arena *arena, struct diag *d)
{
    const char *const *names = target_names(arena), *spelt = file_spelling(name, arena);
    if (names == NULL || spelt == NULL) {
        return diag_error(d, STATUS_NO_MEMORY, at, "out of memory");
    }
    struct strbuf beginning;
    strbuf_init(&beginning);
    if (name[0] != '\0') {
        names_beginning(spelt, names, &beginning);
    }
    const char *near = suggest_word(spelt, names);
    const enum status status = diag_error(d, STATUS_INVALID, at, "unknown target '%s'", name);
    if (beginning.len > 0) {
        diag_hint(d, "targets that begin so: %s", strbuf_cstr(&beginning));
    } else if (near != NULL) {
        diag_hint(d, "did you mean '%s'?", near);
    } else {
        diag_hint(d, "'tilescope targets' lists the names; a path needs a '/' or ends in .yaml");
    }
    diag_rule(d, "a target is a chip's name or the path of a target file");
    strbuf_fini(&beginning);
    return status;
}

/* A file's name, else the name of a chip as people write it. NULL on lack of memory. */
static const char *embedded_name(const char *name, struct arena *arena)
{
    const char *alias = target_alias(name), *spelt = alias != NULL ? alias : file_spelling(name, arena);
    const char *const *names = spelt != NULL ? target_names(arena) : NULL;
    if (names == NULL || target_is_family(name)) {
        return names == NULL ? NULL : name;
    }
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], spelt) == 0) {
            return names[i];
        }
    }
    return name;
}

static enum status open_embedded(const char *name, const struct location *at, struct arena *arena,
                                 struct target_file *out, struct diag *d)
{
    name = embedded_name(name, arena);
    char *stem = name != NULL ? join(arena, EMBEDDED_DIR, strlen(EMBEDDED_DIR), name) : NULL;
    char *path = stem != NULL ? join(arena, stem, strlen(stem), SUFFIX) : NULL;
    char *shown = path != NULL ? join(arena, SOURCE_DIR, strlen(SOURCE_DIR), path) : NULL;
    if (shown == NULL) {
        return diag_error(d, STATUS_NO_MEMORY, at, "out of memory");
    }
    const struct embedded_file *file = embedded_find(path);
    if (file == NULL) {
        return unknown_name(name, at, arena, d);
    }
    *out = (struct target_file){.name = name, .file = shown, .embedded = true};
    return yaml_tree_parse(shown, (const char *)file->bytes, file->len, arena, &out->root, d);
}

enum status target_file_open(const char *name_or_path, const struct target_file *from, const struct location *at,
                             struct arena *arena, struct target_file *out, struct diag *d)
{
    const char *name = arena_strdup(arena, name_or_path);
    if (name != NULL && !is_path(name)) {
        return open_embedded(name, at, arena, out, d);
    }
    const char *slash = from != NULL && !from->embedded ? strrchr(from->file, '/') : NULL;
    const char *path = name;
    if (name != NULL && name[0] != '/' && slash != NULL) {
        const char *rest = name;
        while (strncmp(rest, "./", 2) == 0) { /* so that a cycle comes back to the same spelling */
            rest += 2;
        }
        path = join(arena, from->file, (size_t)(slash - from->file) + 1, rest);
    }
    const char *base = path != NULL ? base_name(path, arena) : NULL;
    if (base == NULL) {
        return diag_error(d, STATUS_NO_MEMORY, at, "out of memory");
    }
    *out = (struct target_file){.name = base, .file = path, .embedded = false};
    return yaml_tree_load(path, arena, &out->root, d);
}
