/* run_read.c - a manifest is JSON, and JSON of this kind is YAML. */
#include "record/run_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/os.h"
#include "base/version.h"
#include "text/yaml_tree.h"

static enum status no_memory(struct diag *d)
{
    return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for a run's results");
}

/* "DIR/FILE" in the arena; NULL on lack of memory. */
static const char *join(struct arena *arena, const char *dir, const char *file)
{
    struct strbuf sb;
    strbuf_init(&sb);
    strbuf_addf(&sb, "%s/%s", dir, file);
    const char *path = sb.failed ? NULL : arena_strdup(arena, strbuf_cstr(&sb));
    strbuf_fini(&sb);
    return path;
}

/* ---- where it is ---- */

/* The directory of a run; *manifest its manifest. */
static enum status locate(const char *path, struct arena *arena, const char **dir, const char **manifest,
                          struct diag *d)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/') {
        len--;
    }
    *dir = arena_strndup(arena, path, len);
    if (*dir == NULL) {
        return no_memory(d);
    }
    if (strchr(path, '/') == NULL && !os_exists(path)) {
        const char *named = join(arena, "results", path);
        *dir = named != NULL && os_exists(named) ? named : *dir;
    }
    *manifest = join(arena, *dir, "manifest.json");
    if (*manifest == NULL) {
        return no_memory(d);
    }
    if (os_exists(*manifest)) {
        return STATUS_OK;
    }
    if (!os_exists(*dir)) {
        diag_error(d, STATUS_IO, NULL, "there is no run '%s'", path);
        diag_hint(d, "a run is a directory that tilescope run made, like results/matmul_half");
        return STATUS_IO;
    }
    const struct location at = {.file = *dir};
    diag_error(d, STATUS_INVALID, &at, "not the directory of a finished run: it has no manifest.json");
    diag_hint(d, "tilescope run CONFIG makes one, results/NAME; an interrupted run goes on with the same command");
    return STATUS_INVALID;
}

/* ---- the manifest ---- */

/* Members a manifest must have; says which is missing. */
static const struct yaml_node *member(const struct yaml_node *map, const char *key, struct diag *d)
{
    const struct yaml_node *node = yaml_get(map, key);
    if (node == NULL) {
        diag_error(d, STATUS_INVALID, &map->at, "the manifest has no '%s'", key);
    }
    return node;
}

static enum status read_int(const struct yaml_node *map, const char *key, int64_t max, int64_t *out, struct diag *d)
{
    const struct yaml_node *node = member(map, key, d);
    return node == NULL ? STATUS_INVALID : yaml_read_int(node, key, 0, max, out, d);
}

static enum status check_version(const struct yaml_node *root, const char *key, int64_t ours, const char *what,
                                 struct diag *d)
{
    int64_t theirs = 0;
    TRY(read_int(root, key, INT64_MAX, &theirs, d));
    if (theirs == ours) {
        return STATUS_OK;
    }
    const struct yaml_node *node = yaml_get(root, key);
    diag_error(d, STATUS_INVALID, &node->at, "the run was made with %s %lld, this program has %lld", what,
               (long long)theirs, (long long)ours);
    diag_hint(d, "run its config.yaml again (--force): numbers of two versions are not compared");
    return STATUS_INVALID;
}

/* "target/label/variant" into its parts; a label may hold slashes, the others do not. */
static bool split_name(struct run_cell *cell, struct arena *arena)
{
    const char *first = strchr(cell->name, '/');
    const char *last = strrchr(cell->name, '/');
    if (first == NULL || first == last) {
        return false;
    }
    cell->target = arena_strndup(arena, cell->name, (size_t)(first - cell->name));
    cell->label = arena_strndup(arena, first + 1, (size_t)(last - first - 1));
    cell->variant = last + 1;
    return cell->target != NULL && cell->label != NULL;
}

static enum status read_cell(const struct yaml_node *node, struct arena *arena, struct run_cell *cell, struct diag *d)
{
    int64_t tilings = 0, feasible = 0;
    const struct yaml_node *name = member(node, "name", d);
    if (name == NULL) {
        return STATUS_INVALID;
    }
    TRY(yaml_read_text(name, "name", &cell->name, d));
    TRY(read_int(node, "tilings", INT64_MAX, &tilings, d));
    TRY(read_int(node, "feasible", INT64_MAX, &feasible, d));
    cell->tilings = (uint64_t)tilings;
    cell->feasible = (uint64_t)feasible;
    if (!split_name(cell, arena)) {
        return diag_error(d, STATUS_INVALID, &name->at, "'%s' is not the name of a cell: target/shape/variant",
                          cell->name);
    }
    if (yaml_get(node, "best") != NULL) {
        TRY(yaml_read_text(yaml_get(node, "best"), "best", &cell->best, d));
        TRY(read_int(node, "task_mcyc", INT64_MAX, &cell->task, d));
    }
    return STATUS_OK;
}

static enum status read_cells(const struct yaml_node *result, struct arena *arena, struct run_read *out, struct diag *d)
{
    int64_t mismatched = 0;
    const struct yaml_node *name = member(result, "name", d);
    const struct yaml_node *cells = member(result, "cells", d);
    if (name == NULL || cells == NULL) {
        return STATUS_INVALID;
    }
    TRY(yaml_read_text(name, "name", &out->name, d));
    TRY(read_int(result, "mismatched", INT64_MAX, &mismatched, d));
    if (cells->kind != YAML_NODE_LIST || cells->count == 0) {
        return diag_error(d, STATUS_INVALID, &cells->at, "cells: expected a list of at least one");
    }
    out->mismatched = (uint64_t)mismatched;
    out->cells = arena_alloc(arena, cells->count, sizeof *out->cells);
    if (out->cells == NULL) {
        return no_memory(d);
    }
    for (const struct yaml_node *node = cells->child; node != NULL; node = node->next) {
        TRY(read_cell(node, arena, &out->cells[out->count++], d));
    }
    return STATUS_OK;
}

enum status run_read(const char *path, struct arena *arena, struct run_read *out, struct diag *d)
{
    const char *manifest = NULL;
    struct yaml_node *root = NULL;
    *out = (struct run_read){0};
    TRY(locate(path, arena, &out->path, &manifest, d));
    TRY(yaml_tree_load(manifest, arena, &root, d));
    TRY(check_version(root, "format", TILESCOPE_FORMAT, "file format", d));
    TRY(check_version(root, "model", TILESCOPE_MODEL, "time model", d));
    const struct yaml_node *result = member(root, "result", d);
    return result == NULL ? STATUS_INVALID : read_cells(result, arena, out, d);
}

/* ---- its files ---- */

enum status run_read_rows(const struct run_read *run, struct arena *arena, struct csv_table *out, struct diag *d)
{
    const char *path = join(arena, run->path, "tilings.csv");
    return path == NULL ? no_memory(d) : csv_load(path, arena, out, d);
}

const char *run_best_path(const struct run_read *run, size_t cell, struct arena *arena)
{
    struct strbuf file;
    strbuf_init(&file);
    if (run->count > 1) {
        strbuf_addf(&file, "best/cell%zu.yaml", cell);
    } else {
        strbuf_add(&file, "best.yaml");
    }
    const char *path = file.failed ? NULL : join(arena, run->path, strbuf_cstr(&file));
    strbuf_fini(&file);
    return path;
}

/* ---- errors of C ---- */

#define ERROR_COLUMNS 5

static bool read_real(const char *text, double *out)
{
    char *end = NULL;
    *out = strtod(text, &end);
    return *text != '\0' && *end == '\0';
}

static enum status read_error_row(const struct csv_table *t, size_t row, const int column[ERROR_COLUMNS], size_t count,
                                  struct run_error *out, struct diag *d)
{
    double v[ERROR_COLUMNS];
    for (int i = 0; i < ERROR_COLUMNS; i++) {
        const char *text = t->rows[row].fields[column[i]];
        if (!read_real(text, &v[i])) {
            const struct location at = csv_location(t, row, (size_t)column[i]);
            return diag_error(d, STATUS_INVALID, &at, "'%s' is no number", text);
        }
    }
    if (!(v[0] >= 0 && v[0] < (double)count) || v[0] != floor(v[0])) {
        const struct location at = csv_location(t, row, (size_t)column[0]);
        return diag_error(d, STATUS_INVALID, &at, "the run has no cell %g", v[0]);
    }
    out[(size_t)v[0]] = (struct run_error){
        .known = true, .max_abs = v[1], .rms = v[2], .rel_rms = v[3], .cosine = v[4]};
    return STATUS_OK;
}

enum status run_read_errors(const char *dir, size_t count, struct arena *arena, struct run_error *out, struct diag *d)
{
    static const char *const names[ERROR_COLUMNS] = {"cell", "max_abs", "rms", "rel_rms", "cosine"};
    struct csv_table t;
    int column[ERROR_COLUMNS];
    memset(out, 0, count * sizeof *out);
    const char *path = join(arena, dir, "errors.csv");
    if (path == NULL) {
        return no_memory(d);
    }
    if (!os_exists(path)) {
        return STATUS_OK;
    }
    TRY(csv_load(path, arena, &t, d));
    for (int i = 0; i < ERROR_COLUMNS; i++) {
        column[i] = csv_column(&t, names[i]);
        if (column[i] < 0) {
            const struct location at = {.file = t.file, .source = t.source, .line = 1, .col = 1};
            return diag_error(d, STATUS_INVALID, &at, "column '%s' is missing", names[i]);
        }
    }
    for (size_t row = 0; row < t.count; row++) {
        TRY(read_error_row(&t, row, column, count, out, d));
    }
    return STATUS_OK;
}
