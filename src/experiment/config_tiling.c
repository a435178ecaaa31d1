/* config_tiling.c - the `tiling` and `where` sections -> struct space.
 *
 * A field is a scalar, a list, {from, to, step} or `auto`. Three keys also
 * have a nested form that spells out several flat fields at once:
 *   order: {swizzle: {offset: 3, direction: 0}}
 *   splitK: {parts: 4, reduce: atomic}
 *   l2: {resident: [A, B], A: disable}
 * NESTED below maps their inner keys onto the flat fields.
 *
 * The vendor's conv tiling has names of its own; VENDOR maps them, so that
 * TConv3DApiTiling values can be written as they are. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "experiment/config.h"
#include "text/suggest.h"

struct tiling_reader {
    struct config *c;
    struct config_ints values[TF_N];
    struct config_tiling *out;
};

/* Inner key `key` of `outer` (of the order `word`, if any) is field `field`. */
static const struct nested {
    const char *outer, *word, *key;
    enum tiling_field field;
} NESTED[] = {
    {"order", "swizzle", "offset", TF_orderOffset},
    {"order", "swizzle", "direction", TF_orderDirection},
    {"order", "l2split", "rounds", TF_orderRounds},
    {"splitK", NULL, "parts", TF_splitK},
    {"splitK", NULL, "reduce", TF_splitKReduce},
    {"l2", NULL, "A", TF_l2A},
    {"l2", NULL, "B", TF_l2B},
    {"l2", NULL, "C", TF_l2C},
};
enum { NESTED_N = sizeof NESTED / sizeof NESTED[0] };

/* A name of TConv3DApiTiling [h:conv3d_tilingdata.h, kernel_rules 11] and what it is here. */
enum vendor_kind {
    VENDOR_SAME = 0,  /* another name */
    VENDOR_STEPS,     /* an extent in L1; the field counts base blocks of `per` */
    VENDOR_FULL_LOAD, /* a flag of its own for each operand */
    VENDOR_BUFFERS    /* bits: L0A, L0B, L0C, L1 of A, L1 of B doubled */
};

static const struct vendor_name {
    const char *name;
    enum vendor_kind kind;
    enum tiling_field field, per;
    int32_t value; /* VENDOR_FULL_LOAD: what the flag means */
} VENDOR[] = {
    {"singleCoreCo", VENDOR_SAME, TF_singleCoreN, TF_N, 0},
    {"mL0", VENDOR_SAME, TF_baseM, TF_N, 0},
    {"nL0", VENDOR_SAME, TF_baseN, TF_N, 0},
    {"kL0", VENDOR_SAME, TF_baseK, TF_N, 0},
    {"iterateMNOrder", VENDOR_SAME, TF_iterateOrder, TF_N, 0},
    {"mAL1", VENDOR_STEPS, TF_stepM, TF_baseM, 0},
    {"nBL1", VENDOR_STEPS, TF_stepN, TF_baseN, 0},
    {"kAL1", VENDOR_STEPS, TF_stepKa, TF_baseK, 0},
    {"kBL1", VENDOR_STEPS, TF_stepKb, TF_baseK, 0},
    {"al1FullLoad", VENDOR_FULL_LOAD, TF_fullLoad, TF_N, FULL_LOAD_A},
    {"bl1FullLoad", VENDOR_FULL_LOAD, TF_fullLoad, TF_N, FULL_LOAD_B},
    {"pBufferFlag", VENDOR_BUFFERS, TF_dbL0A, TF_N, 0},
};
enum { VENDOR_N = sizeof VENDOR / sizeof VENDOR[0] };

static const enum tiling_field BUFFER_BITS[] = {TF_dbL0A, TF_dbL0B, TF_dbL0C, TF_dbA1, TF_dbB1};

static const struct vendor_name *vendor_name(const char *name)
{
    for (int i = 0; i < VENDOR_N; i++) {
        if (strcmp(VENDOR[i].name, name) == 0) {
            return &VENDOR[i];
        }
    }
    return NULL;
}

/* Why a field ends where it does, for values outside. */
static const struct {
    enum tiling_field field;
    const char *rule;
} RANGE_RULES[] = {
    {TF_baseM, "m, n and k of one Mmad are at most 4095 [Mmad.md, kernel_rules T12]"},
    {TF_baseN, "m, n and k of one Mmad are at most 4095 [Mmad.md, kernel_rules T12]"},
    {TF_baseK, "m, n and k of one Mmad are at most 4095 [Mmad.md, kernel_rules T12]"},
    {TF_dbA1, "a buffer is single (1) or double (2) [TCubeTiling, kernel_rules T6]"},
    {TF_dbB1, "a buffer is single (1) or double (2) [TCubeTiling, kernel_rules T6]"},
    {TF_dbL0A, "a buffer is single (1) or double (2) [TCubeTiling, kernel_rules T6]"},
    {TF_dbL0B, "a buffer is single (1) or double (2) [TCubeTiling, kernel_rules T6]"},
    {TF_dbL0C, "a buffer is single (1) or double (2) [TCubeTiling, kernel_rules T6]"},
    {TF_usedCoreNum, "usedCoreNum is at least 1 and no more than the chip's cores [TCubeTiling, kernel_rules T1]"},
    {TF_singleCoreM, "sizes of a slice are elements, 1 or more [TCubeTiling, kernel_rules T2, T13]"},
    {TF_singleCoreN, "sizes of a slice are elements, 1 or more [TCubeTiling, kernel_rules T2, T13]"},
    {TF_singleCoreK, "sizes of a slice are elements, 1 or more [TCubeTiling, kernel_rules T2, T13]"},
    {TF_stepM, "steps are counts of base blocks, 1 or more [TCubeTiling, kernel_rules T6, T13]"},
    {TF_stepN, "steps are counts of base blocks, 1 or more [TCubeTiling, kernel_rules T6, T13]"},
    {TF_stepKa, "steps are counts of base blocks, 1 or more [TCubeTiling, kernel_rules T6, T13]"},
    {TF_stepKb, "steps are counts of base blocks, 1 or more [TCubeTiling, kernel_rules T6, T13]"},
    {TF_depthA1, "depth = stepMN * stepK * db, 1 or more [TCubeTiling, kernel_rules T6, T13]"},
    {TF_depthB1, "depth = stepMN * stepK * db, 1 or more [TCubeTiling, kernel_rules T6, T13]"},
    {TF_scaleFactorKa, "mxTypePara fields are 1..127 [TCubeTiling, kernel_rules T11]"},
    {TF_scaleFactorKb, "mxTypePara fields are 1..127 [TCubeTiling, kernel_rules T11]"},
    {TF_scaleFactorM, "mxTypePara fields are 1..127 [TCubeTiling, kernel_rules T11]"},
    {TF_scaleFactorN, "mxTypePara fields are 1..127 [TCubeTiling, kernel_rules T11]"},
};

static const char *range_rule(enum tiling_field f)
{
    for (size_t i = 0; i < sizeof RANGE_RULES / sizeof RANGE_RULES[0]; i++) {
        if (RANGE_RULES[i].field == f) {
            return RANGE_RULES[i].rule;
        }
    }
    return NULL;
}

/* ---- keys ---- */

const char *const *config_tiling_keys(void)
{
    static const char *const names[] = {"singleCoreCo",
                                        "mL0",
                                        "nL0",
                                        "kL0",
                                        "iterateMNOrder",
                                        "mAL1",
                                        "nBL1",
                                        "kAL1",
                                        "kBL1",
                                        "al1FullLoad",
                                        "bl1FullLoad",
                                        "pBufferFlag",
#define NAME_ENTRY(name, tag, def, min, max, digit) #name,
                                        TILING_FIELDS(NAME_ENTRY)
#undef NAME_ENTRY
                                            "l2",
                                        NULL};
    return names;
}

void config_vendor_names(struct strbuf *out)
{
    for (int i = 0; i < VENDOR_N; i++) {
        strbuf_addf(out, "%s%s", i == 0 ? "" : ", ", VENDOR[i].name);
    }
}

bool config_tiling_key(const char *name)
{
    return strcmp(name, "l2") == 0 || vendor_name(name) != NULL || tiling_field_from_name(name) != TF_N;
}

/* ---- one value ---- */

static bool is_flag(const struct tiling_field_info *info)
{
    return info->words == NULL && info->min == 0 && info->max == 1;
}

static bool looks_like_number(const struct yaml_node *node)
{
    const char *s = node->scalar;
    return node->kind == YAML_NODE_SCALAR && !node->quoted && (*s == '-' || (*s >= '0' && *s <= '9')) &&
           strspn(s, "-0123456789") == strlen(s);
}

/* A word of the field's list (or its number, as TCubeTiling writes it), true
 * or false of a flag, else an integer. */
static bool read_scalar(struct config *c, const struct yaml_node *node, const void *arg, int64_t *out)
{
    const struct tiling_field_info *info = arg;
    if (node->kind == YAML_NODE_SCALAR && strcmp(node->scalar, "auto") == 0) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "%s: auto stands alone, not among other values", info->name);
        diag_rule(c->diag, "auto derives one value by its rule; a list or range sweeps");
        return false;
    }
    if (is_flag(info) && node->kind == YAML_NODE_SCALAR && !looks_like_number(node)) {
        bool on;
        if (yaml_read_bool(node, info->name, &on, c->diag) != STATUS_OK) {
            return false;
        }
        *out = on;
        return true;
    }
    if (info->words != NULL && !looks_like_number(node)) {
        int word;
        if (!config_read_name(c, node, info->name, info->words, &word)) {
            return false;
        }
        *out = word;
        return true;
    }
    return config_read_number(c, node, info->name, info->min, info->max, out);
}

static bool is_auto(const struct yaml_node *node)
{
    return node->kind == YAML_NODE_SCALAR && !node->quoted && strcmp(node->scalar, "auto") == 0;
}

/* Remembers which key gives a field; two different keys may not. */
static bool claim(struct tiling_reader *r, enum tiling_field f, const struct yaml_node *key)
{
    const struct yaml_node *owner = r->out->owner[f];
    if (owner != NULL && owner != key) {
        diag_error(r->c->diag, STATUS_INVALID, &key->key_at, "%s is given twice, here and by '%s'",
                   tiling_field_info(f)->name, owner->key);
        diag_rule(r->c->diag, "a field has one key: its own name or the nested form");
        diag_note(r->c->diag, &owner->key_at, "first given here");
        return false;
    }
    r->out->owner[f] = key;
    return true;
}

/* All values of field `f` at `node`; `key` is the key of the tiling map. */
static void read_values(struct tiling_reader *r, enum tiling_field f, const struct yaml_node *key,
                        const struct yaml_node *node)
{
    const struct tiling_field_info *info = tiling_field_info(f);
    if (!claim(r, f, key)) {
        return;
    }
    if (is_auto(node)) {
        return;
    }
    const struct config_int_rule rule = {.what = info->name,
                                         .min = info->min,
                                         .max = info->max,
                                         .range_rule = range_rule(f),
                                         .scalar = read_scalar,
                                         .arg = info};
    (void)config_read_ints(r->c, node, &rule, &r->values[f]);
}

/* ---- nested forms ---- */

static bool is_range(const struct yaml_node *node)
{
    return yaml_get(node, "from") != NULL || yaml_get(node, "to") != NULL || yaml_get(node, "step") != NULL;
}

static bool belongs(const struct nested *n, const char *outer, const char *word)
{
    const bool same_word = word == NULL ? n->word == NULL : n->word != NULL && strcmp(n->word, word) == 0;
    return same_word && strcmp(n->outer, outer) == 0;
}

/* The inner keys of `outer` and `word`, NULL-terminated, with room for one more. */
static size_t nested_names(const char *outer, const char *word, const char *names[NESTED_N + 2])
{
    size_t n = 0;
    for (int i = 0; i < NESTED_N; i++) {
        if (belongs(&NESTED[i], outer, word)) {
            names[n++] = NESTED[i].key;
        }
    }
    names[n] = NULL;
    return n;
}

static void read_nested(struct tiling_reader *r, const struct yaml_node *key, const struct yaml_node *map,
                        const char *word)
{
    for (const struct yaml_node *node = map->child; node != NULL; node = node->next) {
        for (int i = 0; i < NESTED_N; i++) {
            if (belongs(&NESTED[i], key->key, word) && strcmp(NESTED[i].key, node->key) == 0) {
                read_values(r, NESTED[i].field, key, node);
            }
        }
    }
}

/* {swizzle: {offset: 3}}: one order with its parameters. */
static void read_order_map(struct tiling_reader *r, const struct yaml_node *key, const struct yaml_node *map)
{
    struct config *c = r->c;
    const struct tiling_field_info *info = tiling_field_info(TF_order);
    if (yaml_reject_unknown(map, info->words, "order", c->diag) != STATUS_OK || !claim(r, TF_order, key)) {
        return;
    }
    for (const struct yaml_node *node = map->child; node != NULL; node = node->next) {
        const struct yaml_node word = {.kind = YAML_NODE_SCALAR, .at = node->key_at, .scalar = node->key};
        const char *names[NESTED_N + 2];
        const char *what = config_text(c, "order %s", node->key);
        read_values(r, TF_order, key, &word);
        (void)nested_names("order", node->key, names);
        if (yaml_reject_unknown(node, names, what, c->diag) == STATUS_OK) {
            read_nested(r, key, node, node->key);
        }
    }
}

static void read_order(struct tiling_reader *r, const struct yaml_node *key)
{
    if (key->kind == YAML_NODE_MAP && !is_range(key)) {
        read_order_map(r, key, key);
        return;
    }
    if (key->kind != YAML_NODE_LIST || key->count == 0) {
        read_values(r, TF_order, key, key);
        return;
    }
    for (const struct yaml_node *item = key->child; item != NULL; item = item->next) {
        if (item->kind == YAML_NODE_MAP && !is_range(item)) {
            read_order_map(r, key, item);
        } else if (is_auto(item)) {
            int64_t unused;
            (void)read_scalar(r->c, item, tiling_field_info(TF_order), &unused);
        } else {
            read_values(r, TF_order, key, item);
        }
    }
}

static void read_split_k(struct tiling_reader *r, const struct yaml_node *key)
{
    if (key->kind != YAML_NODE_MAP || is_range(key)) {
        read_values(r, TF_splitK, key, key);
        return;
    }
    const char *names[NESTED_N + 2];
    (void)nested_names("splitK", NULL, names);
    if (yaml_reject_unknown(key, names, "splitK", r->c->diag) == STATUS_OK) {
        read_nested(r, key, key, NULL);
    }
}

/* resident: [A, B]: both operands lie in L2 when the kernel starts. */
static void read_resident(struct tiling_reader *r, const struct yaml_node *node)
{
    static const char *const operands[] = {"A", "B", NULL};
    bool is_in[2] = {false, false};
    if (node->kind != YAML_NODE_LIST) {
        diag_error(r->c->diag, STATUS_INVALID, &node->at, "resident: expected a list");
        diag_rule(r->c->diag, "resident is [A, B] or []: what lies in L2 before the kernel starts");
        return;
    }
    for (const struct yaml_node *item = node->child; item != NULL; item = item->next) {
        int which;
        if (!config_read_name(r->c, item, "resident", operands, &which)) {
            return;
        }
        is_in[which] = true;
    }
    if (is_in[0] != is_in[1]) {
        diag_error(r->c->diag, STATUS_INVALID, &node->at, "resident: only %s", is_in[0] ? "A" : "B");
        diag_rule(r->c->diag, "the time model knows L2 with both operands or with none: [A, B] or []");
        return;
    }
    r->out->l2_warm = is_in[0];
}

static void read_l2(struct tiling_reader *r, const struct yaml_node *key)
{
    const char *names[NESTED_N + 2];
    const size_t n = nested_names("l2", NULL, names);
    names[n] = "resident";
    names[n + 1] = NULL;
    if (yaml_reject_unknown(key, names, "l2", r->c->diag) != STATUS_OK) {
        return;
    }
    const struct yaml_node *resident = yaml_get(key, "resident");
    if (resident != NULL) {
        read_resident(r, resident);
    }
    read_nested(r, key, key, NULL);
}

/* ---- the vendor's names of a conv ---- */

static bool read_plain(struct tiling_reader *r, const struct yaml_node *key, int64_t min, int64_t max,
                       struct config_ints *out)
{
    const struct config_int_rule rule = {.what = key->key, .min = min, .max = max};
    return config_read_ints(r->c, key, &rule, out) && out->count > 0;
}

/* kAL1 and its like: multiples of one given base extent. */
static void read_steps(struct tiling_reader *r, const struct vendor_name *n, const struct yaml_node *key)
{
    struct config_ints extents = {0};
    const struct config_ints *base = &r->values[n->per];
    if (!claim(r, n->field, key) || is_auto(key) || !read_plain(r, key, 1, INT32_MAX, &extents)) {
        return;
    }
    if (base->count != 1) {
        diag_error(r->c->diag, STATUS_INVALID, &key->at, "%s needs one value of %s", n->name,
                   tiling_field_info(n->per)->name);
        diag_rule(r->c->diag, "%s is %s times %s", n->name, tiling_field_info(n->field)->name,
                  tiling_field_info(n->per)->name);
        return;
    }
    for (size_t i = 0; i < extents.count; i++) {
        if (extents.value[i] % base->value[0] != 0) {
            diag_error(r->c->diag, STATUS_INVALID, &key->at, "%s %" PRId64 " is no multiple of %s %" PRId64, n->name,
                       extents.value[i], tiling_field_info(n->per)->name, base->value[0]);
            return;
        }
        extents.value[i] /= base->value[0];
    }
    r->values[n->field] = extents;
}

/* al1FullLoad and bl1FullLoad together are one field: none, A or B. */
static void read_full_loads(struct tiling_reader *r, const struct yaml_node *tiling)
{
    const struct yaml_node *keys[2] = {yaml_get(tiling, "al1FullLoad"), yaml_get(tiling, "bl1FullLoad")};
    bool may[2][2] = {{false, false}, {false, false}}; /* operand, flag */
    int64_t *values = config_alloc(r->c, 3, sizeof *values);
    size_t count = 0;
    for (int i = 0; i < 2 && values != NULL; i++) {
        struct config_ints flags = {0};
        if (keys[i] != NULL && (is_auto(keys[i]) || !read_plain(r, keys[i], 0, 1, &flags))) {
            return;
        }
        may[i][0] = keys[i] == NULL;
        for (size_t j = 0; j < flags.count; j++) {
            may[i][flags.value[j]] = true;
        }
    }
    const struct yaml_node *owner = keys[0] != NULL ? keys[0] : keys[1];
    if (values == NULL || !claim(r, TF_fullLoad, owner)) {
        return;
    }
    const int32_t meanings[3] = {FULL_LOAD_NONE, FULL_LOAD_A, FULL_LOAD_B};
    const bool wanted[3] = {may[0][0] && may[1][0], may[0][1] && may[1][0], may[0][0] && may[1][1]};
    for (int i = 0; i < 3; i++) {
        if (wanted[i]) {
            values[count++] = meanings[i];
        }
    }
    if (count == 0) {
        diag_error(r->c->diag, STATUS_INVALID, &owner->at,
                   "al1FullLoad and bl1FullLoad: one operand is kept whole, not both");
        return;
    }
    r->values[TF_fullLoad] = (struct config_ints){.value = values, .count = count};
}

static void read_buffer_flag(struct tiling_reader *r, const struct yaml_node *key)
{
    struct config_ints flag = {0};
    if (is_auto(key) || !read_plain(r, key, 0, 31, &flag)) {
        return;
    }
    if (flag.count != 1) {
        diag_error(r->c->diag, STATUS_INVALID, &key->at, "pBufferFlag: one value");
        diag_rule(r->c->diag, "pBufferFlag spells out dbL0A, dbL0B, dbL0C, dbA1, dbB1; to sweep, give them as lists");
        return;
    }
    for (size_t i = 0; i < sizeof BUFFER_BITS / sizeof BUFFER_BITS[0]; i++) {
        int64_t *value = config_alloc(r->c, 1, sizeof *value);
        if (value == NULL || !claim(r, BUFFER_BITS[i], key)) {
            return;
        }
        *value = 1 + (flag.value[0] >> i & 1);
        r->values[BUFFER_BITS[i]] = (struct config_ints){.value = value, .count = 1};
    }
}

/* After all plain fields: extents are counted in base blocks. */
static void read_vendor_names(struct tiling_reader *r, const struct yaml_node *tiling)
{
    for (const struct yaml_node *key = tiling->child; key != NULL; key = key->next) {
        const struct vendor_name *n = vendor_name(key->key);
        if (n != NULL && n->kind == VENDOR_STEPS) {
            read_steps(r, n, key);
        } else if (n != NULL && n->kind == VENDOR_BUFFERS) {
            read_buffer_flag(r, key);
        }
    }
    if (yaml_get(tiling, "al1FullLoad") != NULL || yaml_get(tiling, "bl1FullLoad") != NULL) {
        read_full_loads(r, tiling);
    }
}

/* ---- where ---- */

#define WHERE_RULE                                                                                  \
    "a clause is an integer condition over tiling fields, M, N and K: || && ! == != < <= > >= + - " \
    "* / %% min max ceil_div align_up"

static void read_clause(struct config *c, const struct yaml_node *node, struct space_where *out)
{
    struct expr *expr = NULL;
    const char *text;
    if (yaml_read_text(node, "where", &text, c->diag) != STATUS_OK) {
        return;
    }
    if (expr_compile(text, &node->at, space_variables(), c->arena, &expr, c->diag) != STATUS_OK) {
        diag_rule(c->diag, WHERE_RULE);
        return;
    }
    if (expr_constant(expr)) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "where: '%s' reads no field: it is the same for every tiling",
                   text);
        diag_rule(c->diag, WHERE_RULE);
    } else {
        *out = (struct space_where){.text = text, .expr = expr};
    }
}

static void read_where(struct config *c, const struct yaml_node *node, struct space *s)
{
    const bool list = node->kind == YAML_NODE_LIST;
    const size_t count = list ? node->count : 1;
    struct space_where *where = config_alloc(c, count, sizeof *where);
    if (where == NULL) {
        return;
    }
    const struct yaml_node *clause = list ? node->child : node;
    for (size_t i = 0; i < count; i++, clause = clause->next) {
        read_clause(c, clause, &where[i]);
    }
    s->where = where;
    s->where_count = (int32_t)count;
}

/* ---- the space ---- */

static bool set_axis(struct config *c, struct space *s, enum tiling_field f, const struct config_ints *ints)
{
    int32_t *values = config_alloc(c, ints->count, sizeof *values);
    if (values == NULL) {
        return false;
    }
    for (size_t i = 0; i < ints->count; i++) {
        values[i] = (int32_t)ints->value[i];
    }
    space_set(s, f, values, (int32_t)ints->count);
    return true;
}

static void report_too_large(struct config *c, const struct yaml_node *tiling, const struct space *s)
{
    struct strbuf axes;
    strbuf_init(&axes);
    for (int f = 0; f < TF_N; f++) {
        if (s->axis[f].count > 1) {
            strbuf_addf(&axes, "%s%s %" PRId32, axes.len > 0 ? " x " : "",
                        tiling_field_info((enum tiling_field)f)->name, s->axis[f].count);
        }
    }
    diag_error(c->diag, STATUS_LIMIT, &tiling->key_at, "the space has more than 2^62 tilings: %s", strbuf_cstr(&axes));
    diag_rule(c->diag, "a space has at most 2^62 = %" PRIu64 " tilings, so that an index fits 64 bits",
              (uint64_t)LIMIT_SPACE_POINTS);
    strbuf_fini(&axes);
}

void config_read_tiling(struct config *c, const struct yaml_node *tiling, const struct yaml_node *where,
                        struct config_tiling *out)
{
    *out = (struct config_tiling){0};
    struct tiling_reader *r = config_alloc(c, 1, sizeof *r);
    if (r == NULL) {
        return;
    }
    *r = (struct tiling_reader){.c = c, .out = out};
    if (tiling != NULL) {
        (void)yaml_reject_unknown(tiling, config_tiling_keys(), "tiling", c->diag);
    }
    const struct yaml_node *key = tiling != NULL && tiling->kind == YAML_NODE_MAP ? tiling->child : NULL;
    for (; key != NULL; key = key->next) {
        const enum tiling_field f = tiling_field_from_name(key->key);
        if (strcmp(key->key, "l2") == 0) {
            read_l2(r, key);
        } else if (f == TF_order) {
            read_order(r, key);
        } else if (f == TF_splitK) {
            read_split_k(r, key);
        } else if (f != TF_N) {
            read_values(r, f, key, key);
        } else if (vendor_name(key->key) != NULL && vendor_name(key->key)->kind == VENDOR_SAME) {
            read_values(r, vendor_name(key->key)->field, key, key);
        }
    }
    if (tiling != NULL && tiling->kind == YAML_NODE_MAP) {
        read_vendor_names(r, tiling);
    }
    for (int f = 0; f < TF_N; f++) {
        if (r->values[f].count > 0 && !set_axis(c, &out->space, (enum tiling_field)f, &r->values[f])) {
            return;
        }
    }
    if (space_finish(&out->space, NULL) == STATUS_LIMIT) {
        report_too_large(c, tiling, &out->space);
    }
    if (where != NULL) {
        read_where(c, where, &out->space);
    }
}
