/* yaml_tree.c - libyaml events -> tree.
 *
 * The text is checked for UTF-8 first, because libyaml gives no place for bad
 * bytes. Then events are read one by one and every cap is looked at before the
 * next is asked for: libyaml's time is quadratic in nesting depth. What the
 * rules forbid but the syntax allows (anchors, tags, duplicate keys, ...) is
 * reported and parsing goes on, so one run shows all of them; a syntax error
 * ends it.
 *
 * libyaml counts characters; a struct location counts bytes. `struct cursor`
 * turns one into the other, walking forward as the events do. */
#include "text/yaml_tree.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/os.h"
#include "base/utf8.h"

struct cursor {
    size_t chars, byte; /* both 0-based, of the same place */
    size_t line_start;  /* byte the line begins at */
    uint32_t line;
};

/* A list or map whose end has not come yet. */
struct frame {
    struct yaml_node *node, *last;
    struct yaml_node *keyed; /* map: child whose key was read and whose value comes next */
    bool drop;               /* that key is wrong: the value is read and left out */
};

struct key_slot {
    const struct yaml_node *map, *child;
};

struct builder {
    const char *file, *text;
    size_t len;
    struct arena *arena;
    struct diag *d;
    enum status status; /* of the first error */
    struct cursor cursor;
    struct frame stack[LIMIT_YAML_DEPTH];
    size_t depth, nodes;
    struct yaml_node *root;
    size_t documents;
    struct key_slot *keys; /* all (map, key) pairs, open addressing; size a power of two */
    size_t keys_size, keys_used;
    bool stop;
    bool complete; /* read to its end */
    bool unusable; /* the tree lacks something that was written */
};

/* ---- places ---- */

static struct location place_at(struct builder *b, size_t chars, size_t len)
{
    struct cursor *c = &b->cursor;
    if (chars < c->chars) {
        *c = (struct cursor){.line = 1};
    }
    while (c->chars < chars && c->byte < b->len) {
        if (b->text[c->byte] == '\n') {
            c->line++;
            c->line_start = c->byte + 1;
        }
        c->byte += utf8_step(b->text + c->byte, b->len - c->byte);
        c->chars++;
    }
    struct location at = {.file = b->file, .source = b->text, .line = c->line, .len = 1};
    at.col = (uint32_t)(c->byte - c->line_start + 1);
    /* Underline to the end of the word or of the line, whichever is first. */
    size_t end = c->byte;
    for (size_t i = 0; i < len && end < b->len && b->text[end] != '\n' && b->text[end] != '\r'; i++) {
        end += utf8_step(b->text + end, b->len - end);
    }
    if (end > c->byte) {
        at.len = (uint32_t)(end - c->byte);
    }
    return at;
}

static struct location place(struct builder *b, const yaml_event_t *e)
{
    return place_at(b, e->start_mark.index, e->end_mark.index - e->start_mark.index);
}

static void note_status(struct builder *b, enum status status)
{
    b->status = b->status == STATUS_OK ? status : b->status;
}

static void stop_out_of_memory(struct builder *b)
{
    note_status(b, diag_error(b->d, STATUS_NO_MEMORY, &(struct location){.file = b->file}, "out of memory"));
    b->stop = true;
}

/* ---- bytes that are no YAML text ---- */

/* Characters libyaml's reader takes, of those that are well-formed UTF-8. */
static bool is_text(const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;
    if (n == 1) {
        return (p[0] >= 0x20 && p[0] < 0x7F) || p[0] == '\t' || p[0] == '\n' || p[0] == '\r';
    }
    const bool c1_control = p[0] == 0xC2 && p[1] < 0xA0 && p[1] != 0x85;
    const bool mark = p[0] == 0xEF && ((p[1] == 0xBB && p[2] == 0xBF) || (p[1] == 0xBF && p[2] >= 0xBE));
    return !c1_control && !(n == 3 && mark);
}

static enum status check_bytes(struct builder *b)
{
    struct location at = {.file = b->file, .source = b->text, .line = 1, .col = 1, .len = 1};
    for (size_t i = 0; i < b->len;) {
        const size_t n = utf8_step(b->text + i, b->len - i);
        if (n == 0 || !is_text(b->text + i, n)) {
            const unsigned byte = (unsigned char)b->text[i];
            const enum status st = n ? diag_error(b->d, STATUS_INVALID, &at, "character 0x%02x is not allowed in YAML",
                                                  byte)
                                     : diag_error(b->d, STATUS_INVALID, &at, "byte 0x%02x is not UTF-8", byte);
            diag_rule(b->d, "a YAML file is UTF-8 text without control characters");
            return st;
        }
        at.col += (uint32_t)n;
        if (b->text[i] == '\n') {
            at.line++;
            at.col = 1;
        }
        i += n;
    }
    return STATUS_OK;
}

/* ---- syntax errors ---- */

static const struct {
    const char *problem, *hint;
} syntax_hints[] = {
    {"did not find expected ',' or ']'", "a ',' or the ']' of the list is missing before this place"},
    {"did not find expected ',' or '}'", "a ',' or the '}' of the map is missing before this place"},
    {"found character that cannot start any token",
     "indent with spaces, not tabs; a value that begins with @ ` or % needs quotes"},
    {"found a tab character", "indent with spaces, not tabs"},
    {"mapping values are not allowed in this context",
     "a value that holds ': ' needs quotes; else check the indentation"},
    {"could not find expected ':'", "a key is followed by ': ' (colon and blank)"},
    {"did not find expected key", "this line must be indented like the keys above it"},
    {"did not find expected '-' indicator", "this line must be indented like the '-' items above it"},
    {"found unexpected end of stream", "a quote is not closed"},
    {"block sequence entries are not allowed in this context", "put '- item' on a line of its own, or write [a, b]"},
};

static void syntax_error(struct builder *b, const yaml_parser_t *p)
{
    if (p->error == YAML_MEMORY_ERROR) {
        stop_out_of_memory(b);
        return;
    }
    const char *problem = p->problem ? p->problem : "not readable as YAML";
    const struct location at = place_at(b, p->problem_mark.index, 1);
    note_status(b, diag_error(b->d, STATUS_INVALID, &at, "YAML syntax: %s", problem));
    for (size_t i = 0; i < sizeof(syntax_hints) / sizeof(syntax_hints[0]); i++) {
        if (strstr(problem, syntax_hints[i].problem)) {
            diag_hint(b->d, "%s", syntax_hints[i].hint);
            break;
        }
    }
    diag_rule(b->d, "YAML 1.1 block or flow syntax");
    /* libyaml notices a flow error only on the line after it: show where the list or map began too. */
    if (p->context && p->context_mark.index != p->problem_mark.index) {
        const struct location from = place_at(b, p->context_mark.index, 1);
        diag_note(b->d, &from, "%s that begins here", p->context);
    }
    b->stop = true;
}

/* ---- building ---- */

static struct yaml_node *new_node(struct builder *b, enum yaml_kind kind, const yaml_event_t *e)
{
    const struct location at = place(b, e);
    if (b->nodes >= LIMIT_YAML_NODES) {
        note_status(b, diag_error(b->d, STATUS_LIMIT, &at, "more than %u values in one file", LIMIT_YAML_NODES));
        diag_rule(b->d, "a YAML file holds at most %u values", LIMIT_YAML_NODES);
        b->stop = true;
        return NULL;
    }
    struct yaml_node *node = arena_alloc(b->arena, 1, sizeof(*node));
    if (!node) {
        stop_out_of_memory(b);
        return NULL;
    }
    b->nodes++;
    node->kind = kind;
    node->at = at;
    if (kind != YAML_NODE_SCALAR) {
        node->at.len = 1;
    }
    return node;
}

/* Puts the value read into the open list or map, or makes it the root. */
static void attach(struct builder *b, struct yaml_node *node)
{
    if (b->depth == 0) {
        b->root = node;
        return;
    }
    struct frame *f = &b->stack[b->depth - 1];
    if (f->drop) {
        f->drop = false;
        f->keyed = NULL;
        return;
    }
    if (f->keyed) {
        node->key = f->keyed->key;
        node->key_at = f->keyed->key_at;
        f->keyed = NULL;
    }
    if (f->last) {
        f->last->next = node;
    } else {
        f->node->child = node;
    }
    f->last = node;
    f->node->count++;
}

static bool grow_keys(struct builder *b)
{
    const size_t size = b->keys_size ? b->keys_size * 4 : 256;
    struct key_slot *keys = arena_alloc(b->arena, size, sizeof(*keys));
    if (!keys) {
        return false;
    }
    for (size_t i = 0; i < b->keys_size; i++) {
        const struct key_slot s = b->keys[i];
        if (s.map) {
            size_t j = fnv1a_add((uintptr_t)s.map * 31, s.child->key, strlen(s.child->key)) & (size - 1);
            while (keys[j].map) {
                j = (j + 1) & (size - 1);
            }
            keys[j] = s;
        }
    }
    b->keys = keys;
    b->keys_size = size;
    return true;
}

/* The earlier child of `map` with the key of `child`; else remembers `child`. */
static const struct yaml_node *find_or_add_key(struct builder *b, const struct yaml_node *map,
                                               const struct yaml_node *child)
{
    if (b->keys_used * 2 >= b->keys_size && !grow_keys(b)) {
        stop_out_of_memory(b);
        return NULL;
    }
    size_t j = fnv1a_add((uintptr_t)map * 31, child->key, strlen(child->key)) & (b->keys_size - 1);
    for (; b->keys[j].map; j = (j + 1) & (b->keys_size - 1)) {
        if (b->keys[j].map == map && strcmp(b->keys[j].child->key, child->key) == 0) {
            return b->keys[j].child;
        }
    }
    b->keys[j] = (struct key_slot){map, child};
    b->keys_used++;
    return NULL;
}

/* Follows a diag_error of status INVALID: the rule that was broken. */
static void broke(struct builder *b, const char *rule)
{
    note_status(b, STATUS_INVALID);
    diag_rule(b->d, "%s", rule);
}

static void read_key(struct builder *b, struct frame *f, const yaml_event_t *e)
{
    struct yaml_node *keyed = arena_alloc(b->arena, 1, sizeof(*keyed));
    const size_t len = e->data.scalar.length;
    if (keyed) {
        keyed->key = arena_strndup(b->arena, (const char *)e->data.scalar.value, len);
    }
    if (!keyed || !keyed->key) {
        stop_out_of_memory(b);
        return;
    }
    keyed->key_at = place(b, e);
    f->keyed = keyed;
    const bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const enum status before = b->status;
    b->status = STATUS_OK;
    if (strlen(keyed->key) != len) {
        diag_error(b->d, STATUS_INVALID, &keyed->key_at, "NUL character in key '%s'", keyed->key);
        broke(b, "text holds no NUL character");
    } else if (len == 0) {
        diag_error(b->d, STATUS_INVALID, &keyed->key_at, "empty key");
        broke(b, "a key is a word");
    } else if (plain && strcmp(keyed->key, "<<") == 0) {
        diag_error(b->d, STATUS_INVALID, &keyed->key_at, "merge key '<<' is not supported");
        broke(b, "no merge keys: write the values out; a target shares by 'extends'");
    } else {
        const struct yaml_node *first = find_or_add_key(b, f->node, keyed);
        if (first) {
            diag_error(b->d, STATUS_INVALID, &keyed->key_at, "duplicate key '%s'", keyed->key);
            broke(b, "a key stands once in a map");
            diag_note(b->d, &first->key_at, "'%s' is first given here", first->key);
        }
    }
    f->drop = b->status != STATUS_OK;
    b->status = before != STATUS_OK ? before : b->status;
}

static void read_scalar(struct builder *b, const yaml_event_t *e)
{
    struct frame *f = b->depth ? &b->stack[b->depth - 1] : NULL;
    if (f && f->node->kind == YAML_NODE_MAP && !f->keyed) {
        read_key(b, f, e);
        return;
    }
    struct yaml_node *node = new_node(b, YAML_NODE_SCALAR, e);
    if (!node) {
        return;
    }
    node->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->scalar = arena_strndup(b->arena, (const char *)e->data.scalar.value, e->data.scalar.length);
    if (!node->scalar) {
        stop_out_of_memory(b);
        return;
    }
    if (strlen(node->scalar) != e->data.scalar.length) {
        diag_error(b->d, STATUS_INVALID, &node->at, "NUL character in '%s'", node->scalar);
        broke(b, "text holds no NUL character");
        b->unusable = true;
    }
    attach(b, node);
}

static void open_collection(struct builder *b, enum yaml_kind kind, const yaml_event_t *e)
{
    struct frame *f = b->depth ? &b->stack[b->depth - 1] : NULL;
    const struct location at = place_at(b, e->start_mark.index, 1);
    if (f && f->node->kind == YAML_NODE_MAP && !f->keyed) {
        diag_error(b->d, STATUS_INVALID, &at, "a %s cannot be a key", kind == YAML_NODE_LIST ? "list" : "map");
        broke(b, "a key is a word");
        b->stop = true;
        return;
    }
    if (b->depth == LIMIT_YAML_DEPTH) {
        note_status(b, diag_error(b->d, STATUS_LIMIT, &at, "nested deeper than %u levels", LIMIT_YAML_DEPTH));
        diag_rule(b->d, "lists and maps nest at most %u deep", LIMIT_YAML_DEPTH);
        b->stop = true;
        return;
    }
    struct yaml_node *node = new_node(b, kind, e);
    if (node) {
        attach(b, node);
        b->stack[b->depth++] = (struct frame){.node = node};
    }
}

static void read_alias(struct builder *b, const yaml_event_t *e)
{
    const struct location at = place(b, e);
    diag_error(b->d, STATUS_INVALID, &at, "alias '*%s' is not supported", (const char *)e->data.alias.anchor);
    broke(b, "no anchors and aliases: write the value out");
    b->unusable = true;
    /* Stand in with an empty scalar so that the rest of the file is still checked. */
    struct frame *f = b->depth ? &b->stack[b->depth - 1] : NULL;
    if (f && f->node->kind == YAML_NODE_MAP && !f->keyed) {
        f->keyed = arena_alloc(b->arena, 1, sizeof(*f->keyed));
        if (f->keyed) {
            f->keyed->key = "";
            f->keyed->key_at = at;
        } else {
            stop_out_of_memory(b);
        }
        return;
    }
    struct yaml_node *node = new_node(b, YAML_NODE_SCALAR, e);
    if (node) {
        node->scalar = "";
        attach(b, node);
    }
}

static void check_properties(struct builder *b, const yaml_event_t *e, const yaml_char_t *anchor,
                             const yaml_char_t *tag)
{
    const struct location at = place_at(b, e->start_mark.index, 1);
    if (anchor) {
        diag_error(b->d, STATUS_INVALID, &at, "anchor '&%s' is not supported", (const char *)anchor);
        broke(b, "no anchors and aliases: write the value out");
    }
    if (tag) {
        diag_error(b->d, STATUS_INVALID, &at, "tag '%s' is not supported", (const char *)tag);
        broke(b, "no tags: the key says what type its value has");
    }
}

static void start_document(struct builder *b, const yaml_event_t *e)
{
    const struct location at = place_at(b, e->start_mark.index, 3);
    if (b->documents++) {
        diag_error(b->d, STATUS_INVALID, &at, "a second document begins here");
        b->unusable = true;
        broke(b, "a YAML file holds one document");
        b->stop = true;
    }
    if (e->data.document_start.tag_directives.start != e->data.document_start.tag_directives.end) {
        diag_error(b->d, STATUS_INVALID, &at, "%%TAG directive is not supported");
        broke(b, "no tags: the key says what type its value has");
    }
}

static void take_event(struct builder *b, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        start_document(b, e);
        break;
    case YAML_ALIAS_EVENT:
        read_alias(b, e);
        break;
    case YAML_SCALAR_EVENT:
        check_properties(b, e, e->data.scalar.anchor, e->data.scalar.tag);
        read_scalar(b, e);
        break;
    case YAML_SEQUENCE_START_EVENT:
        check_properties(b, e, e->data.sequence_start.anchor, e->data.sequence_start.tag);
        open_collection(b, YAML_NODE_LIST, e);
        break;
    case YAML_MAPPING_START_EVENT:
        check_properties(b, e, e->data.mapping_start.anchor, e->data.mapping_start.tag);
        open_collection(b, YAML_NODE_MAP, e);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        b->depth--;
        break;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    case YAML_STREAM_END_EVENT:
        b->complete = true;
        b->stop = true;
        break;
    }
}

static void build(struct builder *b)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        stop_out_of_memory(b);
        return;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)b->text, b->len);
    while (!b->stop) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            syntax_error(b, &parser);
            break;
        }
        take_event(b, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}

/* Nothing, or nothing but blanks, comments and `---`. */
static void check_empty(struct builder *b)
{
    const struct yaml_node *root = b->root;
    if (b->status == STATUS_OK && (!root || (root->kind == YAML_NODE_SCALAR && !root->quoted && !root->scalar[0]))) {
        const struct location at = {.file = b->file, .source = b->text, .line = 1, .col = 1, .len = 1};
        diag_error(b->d, STATUS_INVALID, &at, "the file is empty");
        b->unusable = true;
        broke(b, "a YAML file holds one document");
    }
}

enum status yaml_tree_parse(const char *file, const char *text, size_t len, struct arena *arena, struct yaml_node **out,
                            struct diag *d)
{
    *out = NULL;
    if (len > LIMIT_YAML_BYTES) {
        const struct location at = {.file = file};
        diag_error(d, STATUS_LIMIT, &at, "file of %zu bytes is too large", len);
        diag_rule(d, "a YAML file has at most %u bytes", LIMIT_YAML_BYTES);
        return STATUS_LIMIT;
    }
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3; /* a byte order mark is no part of line 1 */
        len -= 3;
    }
    struct builder *b = arena_alloc(arena, 1, sizeof(*b));
    char *copy = arena_strndup(arena, text, len);
    char *name = arena_strdup(arena, file ? file : "");
    if (!b || !copy || !name) {
        return diag_error(d, STATUS_NO_MEMORY, &(struct location){.file = file}, "out of memory");
    }
    *b = (struct builder){.file = file ? name : NULL, .text = copy, .len = len, .arena = arena, .d = d};
    b->cursor.line = 1;
    TRY(check_bytes(b));
    build(b);
    check_empty(b);
    if (b->status == STATUS_OK || (b->status == STATUS_INVALID && !b->unusable && b->complete)) {
        *out = b->root;
    }
    return b->status;
}

/* As yaml_tree_parse(). */
enum status yaml_tree_load(const char *path, struct arena *arena, struct yaml_node **out, struct diag *d)
{
    *out = NULL;
    struct strbuf text;
    strbuf_init(&text);
    enum status st = os_read_file(path, LIMIT_YAML_BYTES, &text, d);
    if (st == STATUS_OK) {
        st = yaml_tree_parse(path, strbuf_cstr(&text), text.len, arena, out, d);
    } else if (st == STATUS_LIMIT) {
        diag_rule(d, "a YAML file has at most %u bytes", LIMIT_YAML_BYTES);
    }
    strbuf_fini(&text);
    return st;
}
