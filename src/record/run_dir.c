/* run_dir.c - life cycle of results/NAME.
 *
 * Files of the working directory are listed in memory as they are written, so
 * the manifest names exactly what this run made, with sizes and hashes. */
#include "record/run_dir.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/version.h"
#include "text/yaml_tree.h"

#define NAME_MAX_BYTES 200

struct run_file {
    char *name;
    uint64_t bytes, hash;
};

struct run_dir {
    char *final, *part;
    uint64_t key;
    struct os_file lock;
    struct run_file *files;
    size_t count, cap;
    struct os_file open; /* of run_dir_begin */
    struct hash_stream *hash;
};

static enum status no_memory(struct diag *d)
{
    return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the run directory");
}

static char *join(const char *a, const char *b, const char *c, const char *e)
{
    struct strbuf sb;
    strbuf_init(&sb);
    strbuf_addf(&sb, "%s%s%s%s", a, b, c, e);
    char *text = sb.failed ? NULL : strdup(strbuf_cstr(&sb));
    strbuf_fini(&sb);
    return text;
}

static enum status check_name(const char *name, struct diag *d)
{
    size_t len = 0;
    while (isalnum((unsigned char)name[len]) || (len > 0 && name[len] && strchr("._-+", name[len]))) {
        len++;
    }
    if (len == 0 || name[len] || len > NAME_MAX_BYTES) {
        diag_error(d, STATUS_INVALID, NULL, "'%s' cannot name a run", name);
        diag_rule(d, "letters, digits and . _ - +, starting with a letter or digit, at most %d bytes", NAME_MAX_BYTES);
        return STATUS_INVALID;
    }
    return STATUS_OK;
}

/* Key of the finished run at `final`; false if its manifest cannot be read. */
static bool finished_key(const char *final, uint64_t *key)
{
    struct arena arena;
    struct diag quiet;
    arena_init(&arena);
    diag_init(&quiet);
    char *path = join(final, "/manifest.json", "", "");
    struct yaml_node *root = NULL;
    bool found = false;
    if (path && yaml_tree_load(path, &arena, &root, &quiet) == STATUS_OK) { /* JSON is YAML */
        const struct yaml_node *result = yaml_get(root, "result");
        const struct yaml_node *node = result ? yaml_get(result, "key") : NULL;
        char *end = NULL;
        if (node && node->kind == YAML_NODE_SCALAR) {
            *key = strtoull(node->scalar, &end, 16);
            found = *node->scalar && !*end;
        }
    }
    free(path);
    diag_fini(&quiet);
    arena_fini(&arena);
    return found;
}

static enum status check_finished(const struct run_dir *r, bool force, struct diag *d)
{
    uint64_t key = 0;
    if (force || !os_exists(r->final)) {
        return STATUS_OK;
    }
    if (finished_key(r->final, &key) && key == r->key) {
        return STATUS_OK;
    }
    const struct location at = {.file = r->final};
    diag_error(d, STATUS_INVALID, &at, "a run of another config, target or model stands here");
    diag_hint(d, "--force replaces it; --set name=OTHER keeps both");
    return STATUS_INVALID;
}

enum status run_dir_open(const char *results, const char *name, uint64_t key, bool force, struct run_dir **out,
                         struct diag *d)
{
    *out = NULL;
    TRY(check_name(name, d));
    TRY(os_make_dir(results, d));
    struct run_dir *r = calloc(1, sizeof(*r));
    char *lock = join(results, "/.", name, ".lock");
    enum status st = STATUS_OK;
    if (r) {
        r->key = key;
        r->lock.fd = r->open.fd = -1;
        r->final = join(results, "/", name, "");
        r->part = join(results, "/.", name, ".part");
        r->hash = hash_stream_create();
    }
    if (!r || !lock || !r->final || !r->part || !r->hash) {
        st = no_memory(d);
    }
    if (st == STATUS_OK) {
        st = os_lock(lock, &r->lock, d);
    }
    if (st == STATUS_OK) {
        st = check_finished(r, force, d);
    }
    if (st == STATUS_OK) {
        st = os_make_dir(r->part, d);
    }
    free(lock);
    if (st != STATUS_OK) {
        run_dir_close(r);
        return st;
    }
    *out = r;
    return STATUS_OK;
}

void run_dir_close(struct run_dir *r)
{
    if (!r) {
        return;
    }
    os_close(&r->open);
    os_unlock(&r->lock);
    for (size_t i = 0; i < r->count; i++) {
        free(r->files[i].name);
    }
    free(r->files);
    hash_stream_destroy(r->hash);
    free(r->final);
    free(r->part);
    free(r);
}

const char *run_dir_final(const struct run_dir *r)
{
    return r->final;
}

const char *run_dir_part(const struct run_dir *r)
{
    return r->part;
}

void run_dir_path(const struct run_dir *r, const char *file, struct strbuf *out)
{
    strbuf_addf(out, "%s/%s", r->part, file);
}

enum status run_dir_clean(struct run_dir *r, struct diag *d)
{
    struct strbuf names;
    struct strbuf path;
    strbuf_init(&names);
    strbuf_init(&path);
    enum status st = os_list_dir(r->part, &names, d);
    for (char *name = names.text, *end; st == STATUS_OK && name && *name; name = end + 1) {
        end = strchr(name, '\n');
        *end = '\0';
        if (strcmp(name, RUN_DIR_JOURNAL) != 0) {
            strbuf_clear(&path);
            run_dir_path(r, name, &path);
            st = os_remove_tree(strbuf_cstr(&path), d);
        }
    }
    strbuf_fini(&path);
    strbuf_fini(&names);
    return st;
}

/* ---- files ---- */

/* Full path of a file, with its directory made. */
static enum status prepare(struct run_dir *r, const char *file, struct strbuf *path, struct diag *d)
{
    const char *slash = strrchr(file, '/');
    if (slash) {
        strbuf_addf(path, "%s/%.*s", r->part, (int)(slash - file), file);
        TRY(os_make_dir(strbuf_cstr(path), d));
        strbuf_clear(path);
    }
    run_dir_path(r, file, path);
    return path->failed ? no_memory(d) : STATUS_OK;
}

static enum status note_file(struct run_dir *r, const char *name, struct diag *d)
{
    if (r->count == r->cap) {
        const size_t cap = r->cap ? 2 * r->cap : 32;
        struct run_file *files = realloc(r->files, cap * sizeof(*files));
        if (!files) {
            return no_memory(d);
        }
        r->files = files;
        r->cap = cap;
    }
    char *copy = strdup(name);
    if (!copy) {
        return no_memory(d);
    }
    r->files[r->count++] = (struct run_file){.name = copy};
    return STATUS_OK;
}

enum status run_dir_write(struct run_dir *r, const char *file, const void *bytes, size_t len, struct diag *d)
{
    struct strbuf path;
    strbuf_init(&path);
    enum status st = prepare(r, file, &path, d);
    if (st == STATUS_OK) {
        st = os_write_file(strbuf_cstr(&path), bytes, len, d);
    }
    if (st == STATUS_OK) {
        st = note_file(r, file, d);
    }
    if (st == STATUS_OK) {
        r->files[r->count - 1].bytes = len;
        r->files[r->count - 1].hash = hash_bytes(bytes, len);
    }
    strbuf_fini(&path);
    return st;
}

enum status run_dir_begin(struct run_dir *r, const char *file, struct diag *d)
{
    struct strbuf path;
    strbuf_init(&path);
    enum status st = prepare(r, file, &path, d);
    if (st == STATUS_OK) {
        st = os_open_append(strbuf_cstr(&path), &r->open, d);
    }
    if (st == STATUS_OK) {
        st = os_truncate(&r->open, 0, d);
    }
    if (st == STATUS_OK) {
        st = note_file(r, file, d);
    }
    hash_stream_reset(r->hash);
    strbuf_fini(&path);
    return st;
}

enum status run_dir_add(struct run_dir *r, const void *bytes, size_t len, struct diag *d)
{
    TRY(os_append(&r->open, bytes, len, d));
    hash_stream_add(r->hash, bytes, len);
    r->files[r->count - 1].bytes += len;
    return STATUS_OK;
}

enum status run_dir_end(struct run_dir *r, struct diag *d)
{
    r->files[r->count - 1].hash = hash_stream_value(r->hash);
    const enum status st = os_sync(&r->open, d);
    os_close(&r->open);
    return st;
}

/* ---- publishing ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct run_file *)a)->name, ((const struct run_file *)b)->name);
}

static void write_manifest(const struct run_dir *r, const char *result, const char *run, struct strbuf *out)
{
    strbuf_addf(out, "{\n  \"format\": %d,\n  \"model\": %d,\n  \"result\": {\n    \"key\": \"%016" PRIx64 "\",\n",
                TILESCOPE_FORMAT, TILESCOPE_MODEL, r->key);
    strbuf_addf(out, "    %s,\n    \"files\": {", result);
    for (size_t i = 0; i < r->count; i++) {
        strbuf_add(out, i ? ",\n      " : "\n      ");
        strbuf_add_json(out, r->files[i].name);
        strbuf_addf(out, ": {\"bytes\": %" PRIu64 ", \"xxh3\": \"%016" PRIx64 "\"}", r->files[i].bytes,
                    r->files[i].hash);
    }
    strbuf_addf(out, "\n    }\n  },\n  \"run\": {%s}\n}\n", run);
}

enum status run_dir_publish(struct run_dir *r, const char *result, const char *run, struct diag *d)
{
    struct strbuf text;
    struct strbuf path;
    strbuf_init(&text);
    strbuf_init(&path);
    if (r->count) {
        qsort(r->files, r->count, sizeof(*r->files), by_name);
    }
    write_manifest(r, result, run, &text);
    run_dir_path(r, "manifest.json", &path);
    enum status st = text.failed || path.failed ? no_memory(d)
                                                : os_write_file(strbuf_cstr(&path), text.text, text.len, d);
    strbuf_clear(&path);
    run_dir_path(r, RUN_DIR_JOURNAL, &path);
    if (st == STATUS_OK) {
        st = os_remove_tree(strbuf_cstr(&path), d);
    }
    if (st == STATUS_OK) {
        st = os_swap_in(r->part, r->final, d);
    }
    strbuf_fini(&path);
    strbuf_fini(&text);
    return st;
}
