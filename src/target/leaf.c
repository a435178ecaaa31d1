/* leaf.c - reading one leaf of a target file against its row of the schema. */
#include "target/leaf.h"

#include <stdio.h>
#include <string.h>

#include "text/suggest.h"

/* Largest integer a double holds exactly: facts keep numbers as double. */
#define FACT_INT_MAX ((int64_t)1 << 53)

static enum status missing_field(const struct yaml_node *node, const char *what, const char *field, struct diag *d)
{
    const enum status status = diag_error(d, STATUS_INVALID, &node->at, "%s: '%s' is missing", what, field);
    diag_rule(d, "a number of a target file is {value, unit, source, confidence, rows}; only rows may be left out");
    return status;
}

static enum status bad_confidence(const struct yaml_node *node, const char *what, const char *text, struct diag *d)
{
    const char *known[CONFIDENCE_N + 1] = {NULL};
    for (int i = 0; i < CONFIDENCE_N; i++) {
        known[i] = confidence_name((enum confidence)i);
    }
    const char *near = suggest_word(text, known);
    const enum status status = diag_error(d, STATUS_INVALID, &node->at, "%s: unknown confidence '%s'", what, text);
    if (near != NULL) {
        diag_hint(d, "did you mean '%s'?", near);
    }
    diag_rule(d, "confidence is measured, document, platform or assumed");
    return status;
}

enum status target_leaf_origin(const struct yaml_node *node, const char *what, enum confidence *confidence,
                               const char **source, struct diag *d)
{
    enum status status = STATUS_OK;
    const struct yaml_node *child = yaml_get(node, "source");
    *source = NULL;
    if (child == NULL) {
        status = missing_field(node, what, "source", d);
    } else if (yaml_read_text(child, "source", source, d) != STATUS_OK) {
        status = STATUS_INVALID;
    } else if ((*source)[0] == '\0') {
        status = diag_error(d, STATUS_INVALID, &child->at, "%s: 'source' is empty", what);
    }
    const char *text;
    child = yaml_get(node, "confidence");
    if (child == NULL) {
        return missing_field(node, what, "confidence", d);
    }
    TRY(yaml_read_text(child, "confidence", &text, d));
    *confidence = confidence_from_name(text);
    if (*confidence == CONFIDENCE_N) {
        return bad_confidence(child, what, text, d);
    }
    return status;
}

static enum status check_unit(const struct target_key *key, const struct yaml_node *node, struct diag *d)
{
    const char *unit;
    const struct yaml_node *child = yaml_get(node, "unit");
    if (child == NULL) {
        return missing_field(node, key->key, "unit", d);
    }
    TRY(yaml_read_text(child, "unit", &unit, d));
    if (strcmp(unit, key->unit) != 0) {
        return diag_error(d, STATUS_INVALID, &child->at, "%s: unit '%s', but this number is read in '%s'", key->key,
                          unit, key->unit);
    }
    return STATUS_OK;
}

static enum status check_range(const struct target_key *key, const struct yaml_node *node, double value, struct diag *d)
{
    static const char *const words[] = {
        [RANGE_FREE] = "",
        [RANGE_ZERO_UP] = "0 or more",
        [RANGE_POSITIVE] = "above 0",
        [RANGE_SHARE] = "above 0 and at most 1",
    };
    const bool ok = key->range == RANGE_FREE || (key->range == RANGE_ZERO_UP && value >= 0) ||
                    (key->range == RANGE_POSITIVE && value > 0) ||
                    (key->range == RANGE_SHARE && value > 0 && value <= 1);
    if (!ok) {
        return diag_error(d, STATUS_INVALID, &node->at, "%s: %g %s is out of range: must be %s", key->key, value,
                          key->unit, words[key->range]);
    }
    return STATUS_OK;
}

static enum status bad_product(const struct target_key *key, const struct yaml_node *node, const char *text,
                               struct diag *d)
{
    const char *known[PRODUCT_N + 1] = {NULL};
    for (int i = 0; i < PRODUCT_N; i++) {
        known[i] = product_name((enum product)i);
    }
    const char *near = suggest_word(text, known);
    const enum status status = diag_error(d, STATUS_INVALID, &node->at, "%s: unknown product '%s'", key->key, text);
    diag_hint(d, near != NULL ? "did you mean '%s'?" : "one is '%s'", near != NULL ? near : known[0]);
    return status;
}

static enum status read_integer(const struct target_key *key, const struct yaml_node *node, double *value,
                                struct diag *d)
{
    const int64_t max = key->kind == TARGET_INT32 ? INT32_MAX : FACT_INT_MAX;
    int64_t integer;
    TRY(yaml_read_int(node, key->key, key->range == RANGE_POSITIVE ? 1 : 0, max, &integer, d));
    *value = (double)integer;
    return STATUS_OK;
}

/* One value, as a number or as text. */
static enum status read_value(const struct target_key *key, const struct yaml_node *node, struct target_fact *fact,
                              struct diag *d)
{
    bool flag;
    switch (key->kind) {
    case TARGET_INT32:
    case TARGET_INT64:
        return read_integer(key, node, &fact->value, d);
    case TARGET_REAL:
        TRY(yaml_read_real(node, key->key, &fact->value, d));
        return check_range(key, node, fact->value, d);
    case TARGET_BOOL:
        TRY(yaml_read_bool(node, key->key, &flag, d));
        fact->value = flag ? 1 : 0;
        return STATUS_OK;
    case TARGET_TEXT:
        return yaml_read_text(node, key->key, &fact->text, d);
    case TARGET_PRODUCT:
        TRY(yaml_read_text(node, key->key, &fact->text, d));
        return product_from_name(fact->text) < PRODUCT_N ? STATUS_OK : bad_product(key, node, fact->text, d);
    }
    return STATUS_OK;
}

static enum status read_values(const struct target_key *key, const struct yaml_node *node, struct target_fact *facts,
                               struct diag *d)
{
    const struct yaml_node *value = yaml_get(node, "value");
    if (value == NULL) {
        return missing_field(node, key->key, "value", d);
    }
    if (key->count == 1) {
        return read_value(key, value, &facts[0], d);
    }
    if (value->kind != YAML_NODE_LIST || value->count != key->count) {
        return diag_error(d, STATUS_INVALID, &value->at, "%s: value must be a list of %u numbers", key->key,
                          key->count);
    }
    enum status status = STATUS_OK;
    uint32_t i = 0;
    for (const struct yaml_node *item = value->child; item != NULL; item = item->next, i++) {
        const enum status one = read_value(key, item, &facts[i], d);
        status = one != STATUS_OK ? one : status;
    }
    return status;
}

/* `rows: [R001, R002]` as "R001,R002"; "" if left out. */
static enum status read_rows(const struct target_key *key, const struct yaml_node *node, struct arena *arena,
                             const char **out, struct diag *d)
{
    const struct yaml_node *rows = yaml_get(node, "rows");
    *out = "";
    if (rows == NULL) {
        return STATUS_OK;
    }
    if (rows->kind != YAML_NODE_LIST) {
        return diag_error(d, STATUS_INVALID, &rows->at, "%s: rows is a list of ids of measured rows", key->key);
    }
    struct strbuf text;
    strbuf_init(&text);
    enum status status = STATUS_OK;
    for (const struct yaml_node *row = rows->child; row != NULL; row = row->next) {
        const char *id;
        if (yaml_read_text(row, "rows", &id, d) != STATUS_OK) {
            status = STATUS_INVALID;
            continue;
        }
        strbuf_addf(&text, "%s%s", text.len > 0 ? "," : "", id);
    }
    *out = arena_strdup(arena, strbuf_cstr(&text));
    if (*out == NULL || text.failed) {
        status = diag_error(d, STATUS_NO_MEMORY, NULL, "out of memory");
    }
    strbuf_fini(&text);
    return status;
}

/* "timing.align_bytes[0]" for lists, the row's own key otherwise. */
static const char *key_of(const struct target_key *key, uint32_t i, struct arena *arena)
{
    if (key->count == 1) {
        return key->key;
    }
    char text[64];
    (void)snprintf(text, sizeof text, "%s[%u]", key->key, i);
    return arena_strdup(arena, text);
}

enum status target_leaf_read(const struct target_key *key, const struct yaml_node *node, const char *file,
                             struct arena *arena, struct target_fact *facts, struct diag *d)
{
    static const char *const known[] = {"value", "unit", "source", "confidence", "rows", NULL};
    if (node->kind != YAML_NODE_MAP) {
        const enum status status = diag_error(d, STATUS_INVALID, &node->at, "%s: a bare value", key->key);
        diag_rule(d, "every number of a target file carries {value, unit, source, confidence}");
        return status;
    }
    struct target_fact read[TARGET_KEY_VALUES] = {0};
    struct target_fact common = {.unit = key->unit, .file = file, .line = node->at.line};
    const enum status all[] = {
        yaml_reject_unknown(node, known, key->key, d),
        read_values(key, node, read, d),
        check_unit(key, node, d),
        target_leaf_origin(node, key->key, &common.confidence, &common.source, d),
        read_rows(key, node, arena, &common.rows, d),
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        TRY(all[i]);
    }
    for (uint32_t i = 0; i < key->count; i++) {
        struct target_fact fact = common;
        fact.key = key_of(key, i, arena);
        if (fact.key == NULL) {
            return diag_error(d, STATUS_NO_MEMORY, NULL, "out of memory");
        }
        fact.value = read[i].value;
        fact.text = read[i].text;
        facts[i] = fact;
    }
    return STATUS_OK;
}
