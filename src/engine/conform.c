#include "engine/conform.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/os.h"
#include "engine/conform_internal.h"

const struct target *conform_target(struct conform_context *cx, enum product product)
{
    if (cx->targets[product] == NULL) {
        (void)target_load(product_chip(product), NULL, cx->arena, &cx->targets[product], cx->d);
    }
    return cx->targets[product];
}

struct engine *conform_engine(struct conform_context *cx, enum product product)
{
    const struct target *t = conform_target(cx, product);
    if (t != NULL && cx->engines[product] == NULL) {
        (void)engine_create(t, &cx->engines[product], cx->d);
    }
    return cx->engines[product];
}

void conform_context_fini(struct conform_context *cx)
{
    for (int i = 0; i < PRODUCT_N; i++) {
        engine_destroy(cx->engines[i]);
    }
}

enum status conform_append(struct conform_context *cx, struct conform_report *report, const struct conform_entry *entry)
{
    if ((report->count & (report->count - 1)) == 0) { /* full at each power of two */
        const size_t cap = report->count == 0 ? 1 : report->count * 2;
        struct conform_entry *more = arena_alloc(cx->arena, cap, sizeof *more);
        if (more == NULL) {
            return diag_error(cx->d, STATUS_NO_MEMORY, NULL, "no memory for the report");
        }
        if (report->count > 0) {
            memcpy(more, report->entries, report->count * sizeof *more);
        }
        report->entries = more;
    }
    report->entries[report->count++] = *entry;
    report->passed += entry->verdict != CONFORM_FAIL;
    report->failed += entry->verdict == CONFORM_FAIL;
    return STATUS_OK;
}

static bool wanted(const struct conform_options *o, const struct vec_case *c)
{
    return (o->kind == NULL || strcmp(o->kind, c->kind) == 0) &&
           (o->confidence == NULL || strcmp(o->confidence, c->confidence) == 0);
}

static enum status run_cases(struct conform_context *cx, const struct vec_file *file,
                             const struct conform_options *options, struct conform_report *report)
{
    enum status worst = STATUS_OK;
    for (size_t i = 0; i < file->count; i++) {
        const struct vec_case *c = &file->cases[i];
        struct conform_entry entry = {.id = c->id, .kind = c->kind, .text = ""};
        if (!wanted(options, c)) {
            continue;
        }
        const enum status st = conform_case(cx, c, &entry.verdict, &entry.text);
        if (st == STATUS_NO_MEMORY) {
            return st;
        }
        if (st != STATUS_OK) {
            worst = st;
            continue;
        }
        TRY(conform_append(cx, report, &entry));
    }
    return worst;
}

static enum status run_vec(struct conform_context *cx, const char *path, const struct conform_options *options,
                           struct conform_report *report)
{
    struct strbuf text;
    struct vec_file file;
    strbuf_init(&text);
    enum status st = os_read_file(path, (size_t)LIMIT_VECTOR_BYTES, &text, cx->d);
    char *kept = st == STATUS_OK ? arena_strndup(cx->arena, strbuf_cstr(&text), text.len) : NULL;
    if (st == STATUS_OK && kept == NULL) {
        st = diag_error(cx->d, STATUS_NO_MEMORY, NULL, "no memory for %s", path);
    }
    if (st == STATUS_OK) {
        const char *name = arena_strdup(cx->arena, path);
        st = vec_parse(name, kept, text.len, cx->arena, &file, cx->d);
    }
    strbuf_fini(&text);
    if (st != STATUS_OK && st != STATUS_INVALID) {
        return st;
    }
    const enum status ran = run_cases(cx, &file, options, report);
    return ran != STATUS_OK ? ran : st;
}

static bool ends_with(const char *name, size_t len, const char *suffix)
{
    const size_t n = strlen(suffix);
    return len >= n && strncmp(name + len - n, suffix, n) == 0;
}

static enum status run_file(struct conform_context *cx, const char *dir, const char *name, size_t len,
                            const struct conform_options *options, struct conform_report *report)
{
    const bool errors = ends_with(name, len, "errors.csv") && len == strlen("errors.csv");
    if (!errors && !ends_with(name, len, ".vec")) {
        return STATUS_OK;
    }
    struct strbuf path;
    strbuf_init(&path);
    strbuf_addf(&path, "%s/%.*s", dir, (int)len, name);
    report->files++;
    const enum status st = errors ? conform_errors(cx, strbuf_cstr(&path), options, report, cx->d)
                                  : run_vec(cx, strbuf_cstr(&path), options, report);
    strbuf_fini(&path);
    return st;
}

enum status conform_run(const char *dir, const struct conform_options *options, struct arena *arena,
                        struct conform_report *report, struct diag *d)
{
    struct conform_context cx = {.arena = arena, .d = d};
    struct strbuf names;
    memset(report, 0, sizeof *report);
    strbuf_init(&names);
    enum status worst = os_list_dir(dir, &names, d);
    const char *name = strbuf_cstr(&names);
    while (*name != '\0' && (worst == STATUS_OK || worst == STATUS_INVALID)) {
        const size_t len = strcspn(name, "\n");
        const enum status st = run_file(&cx, dir, name, len, options, report);
        worst = st != STATUS_OK ? st : worst;
        name += len + (name[len] == '\n');
    }
    strbuf_fini(&names);
    conform_context_fini(&cx);
    if (worst == STATUS_OK && report->files == 0) {
        return diag_error(d, STATUS_INVALID, NULL, "%s holds no *.vec file and no errors.csv", dir);
    }
    return worst != STATUS_OK ? worst : report->failed > 0 ? STATUS_MISMATCH : STATUS_OK;
}

void conform_format(const struct conform_report *report, struct strbuf *out)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct conform_entry *e = &report->entries[i];
        if (e->verdict == CONFORM_FAIL) {
            strbuf_addf(out, "FAIL %s %s %s\n", e->id, e->kind, e->text);
        } else if (e->verdict == CONFORM_ALT) {
            strbuf_addf(out, "ALT %s %s\n", e->id, e->text);
        }
    }
    strbuf_addf(out, "%zu passed, %zu failed\n", report->passed, report->failed);
}
