/* yaml_read.c - typed readers of the tree. Spelling is strict so that no value
 * means something else than it seems to: `010` might be 8 or 10, `64KB` might
 * be 64000 or 65536. Each refused spelling has its own words and, where the
 * intended value is clear, a hint that writes it out. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/suggest.h"
#include "text/yaml_tree.h"

static const char *const kind_names[] = {
    [YAML_NODE_SCALAR] = "a single value", [YAML_NODE_LIST] = "a list", [YAML_NODE_MAP] = "a map"};

static const char int_rule[] = "an integer is decimal digits without leading zero, with '-' if negative";
static const char real_rule[] = "a number is spelled as in JSON: 12, 0.5, 1.5e-3";
static const char bool_rule[] = "a switch is true or false";

struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
    if (!map || map->kind != YAML_NODE_MAP) {
        return NULL;
    }
    for (struct yaml_node *n = map->child; n; n = n->next) {
        if (strcmp(n->key, key) == 0) {
            return n;
        }
    }
    return NULL;
}

static const char *name_of(const struct yaml_node *node, const char *what)
{
    return what ? what : node->key ? node->key : "value";
}

/* The value must be a scalar with something in it; an empty text may be quoted. */
static enum status need_scalar(const struct yaml_node *node, const char *what, const char *expected, const char *rule,
                               struct diag *d)
{
    const char *name = name_of(node, what);
    if (node->kind != YAML_NODE_SCALAR) {
        diag_error(d, STATUS_INVALID, &node->at, "%s: expected %s, found %s", name, expected, kind_names[node->kind]);
    } else if (!node->quoted && !node->scalar[0]) {
        const struct location *at = node->key ? &node->key_at : &node->at;
        diag_error(d, STATUS_INVALID, at, "%s: the value is missing, expected %s", name, expected);
    } else {
        return STATUS_OK;
    }
    diag_rule(d, "%s", rule);
    return STATUS_INVALID;
}

/* ---- integers ---- */

/* `text` without its '_', as a hint. */
static void hint_without_separators(struct diag *d, const char *text)
{
    char digits[32];
    size_t n = 0;
    for (; *text && n + 1 < sizeof(digits); text++) {
        if (*text != '_') {
            digits[n++] = *text;
        }
    }
    digits[n] = '\0';
    diag_hint(d, "write %s", digits);
}

static void hint_prefixed(struct diag *d, const char *text)
{
    const char *digits = text + (*text == '-');
    const int base = tolower((unsigned char)digits[1]) == 'x' ? 16 : tolower((unsigned char)digits[1]) == 'o' ? 8 : 2;
    char *end;
    errno = 0;
    const long long v = strtoll(digits + 2, &end, base);
    if (end != digits + 2 && !*end && errno == 0) {
        diag_hint(d, "write %s%lld", *text == '-' ? "-" : "", v);
    }
}

static void hint_exponent(struct diag *d, const char *text)
{
    const double v = strtod(text, NULL);
    if (fabs(v) < 0x1p53 && v == floor(v)) {
        diag_hint(d, "write %.0f", v);
    }
}

static void hint_unit(struct diag *d, const char *text)
{
    char *end;
    errno = 0;
    const long long v = strtoll(text, &end, 10);
    end += strspn(end, " ");
    const char *const order = "kmgt";
    const char *which = *end ? strchr(order, tolower((unsigned char)*end)) : NULL;
    const long long scale = which ? 1LL << (10 * (which - order + 1)) : 1;
    long long bytes;
    if (errno == 0 && !__builtin_mul_overflow(v, scale, &bytes)) {
        diag_hint(d, "write %lld", bytes);
    }
}

/* `text` after the digits it begins with. */
static const char *after_digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

static bool is_unit(const char *s)
{
    static const char *const units[] = {"k",  "kb",  "kib", "m",  "mb",  "mib", "g",
                                        "gb", "gib", "t",   "tb", "tib", "b",   NULL};
    for (const char *const *u = units; *u; u++) {
        if (strcasecmp(s, *u) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_exponent(const char *s)
{
    if (*s == '.') {
        s = after_digits(s + 1);
    }
    if (*s != 'e' && *s != 'E') {
        return false;
    }
    s++;
    s += *s == '-' || *s == '+';
    return isdigit((unsigned char)*s) && !*after_digits(s);
}

/* Says what is wrong with the spelling of an integer; `text` is not one. */
static void explain_int(const struct yaml_node *node, const char *name, struct diag *d)
{
    const char *text = node->scalar;
    const struct location *at = &node->at;
    const char *digits = text + (*text == '-' || *text == '+');
    const char *rest = after_digits(digits);
    const bool numeric = rest != digits;
#define SAY(...) diag_error(d, STATUS_INVALID, at, "%s: '%s' " __VA_ARGS__)
    if (*text == '+') {
        SAY("has a '+' sign", name, text);
        diag_hint(d, "write %s", text + 1);
    } else if (digits[0] == '0' && digits[1] && strchr("xXoObB", digits[1])) {
        SAY("is not decimal", name, text);
        hint_prefixed(d, text);
    } else if (numeric && *rest == '_' && !rest[strspn(rest, "_0123456789")]) {
        SAY("has digit separators", name, text);
        hint_without_separators(d, text);
    } else if (numeric && is_exponent(rest)) {
        SAY("has an exponent", name, text);
        hint_exponent(d, text);
    } else if (numeric && *rest == '.' && !*after_digits(rest + 1)) {
        SAY("is not a whole number", name, text);
    } else if (numeric && is_unit(rest + strspn(rest, " "))) {
        SAY("has a unit", name, text);
        hint_unit(d, text);
    } else if (numeric && !*rest) {
        SAY("has a leading zero", name, text);
        const char *stripped = digits + strspn(digits, "0");
        diag_hint(d, "write %s%s", *text == '-' ? "-" : "", *stripped ? stripped : "0");
    } else if (numeric) {
        SAY("has '%s' after the number", name, text, rest);
    } else {
        SAY("is not an integer", name, text);
    }
#undef SAY
    diag_rule(d, "%s", int_rule);
}

enum status yaml_read_int(const struct yaml_node *node, const char *what, int64_t min, int64_t max, int64_t *out,
                          struct diag *d)
{
    TRY(need_scalar(node, what, "an integer", int_rule, d));
    const char *name = name_of(node, what);
    const char *text = node->scalar;
    const char *digits = text + (*text == '-');
    const bool spelled = *digits && !*after_digits(digits) && !(digits[0] == '0' && digits[1]);
    if (node->quoted) {
        diag_error(d, STATUS_INVALID, &node->at, "%s: '%s' is quoted, so it is text, not an integer", name, text);
        if (spelled) {
            diag_hint(d, "write %s without quotes", text);
        }
        diag_rule(d, "%s", int_rule);
        return STATUS_INVALID;
    }
    if (!spelled) {
        explain_int(node, name, d);
        return STATUS_INVALID;
    }
    errno = 0;
    const long long v = strtoll(text, NULL, 10);
    if (errno == ERANGE || v < min || v > max) {
        diag_error(d, STATUS_INVALID, &node->at, "%s: %s is out of range", name, text);
        diag_rule(d, "%s is from %lld to %lld", name, (long long)min, (long long)max);
        return STATUS_INVALID;
    }
    *out = v;
    return STATUS_OK;
}

/* ---- reals, booleans, text ---- */

static bool is_json_number(const char *s)
{
    s += *s == '-';
    if (!isdigit((unsigned char)*s) || (s[0] == '0' && isdigit((unsigned char)s[1]))) {
        return false;
    }
    s = after_digits(s);
    if (*s == '.') {
        if (!isdigit((unsigned char)s[1])) {
            return false;
        }
        s = after_digits(s + 1);
    }
    return !*s || (*s != '.' && is_exponent(s));
}

enum status yaml_read_real(const struct yaml_node *node, const char *what, double *out, struct diag *d)
{
    TRY(need_scalar(node, what, "a number", real_rule, d));
    const char *name = name_of(node, what);
    if (node->quoted) {
        diag_error(d, STATUS_INVALID, &node->at, "%s: '%s' is quoted, so it is text, not a number", name, node->scalar);
    } else if (!is_json_number(node->scalar)) {
        diag_error(d, STATUS_INVALID, &node->at, "%s: '%s' is not a number", name, node->scalar);
    } else {
        const double v = strtod(node->scalar, NULL);
        if (isfinite(v)) {
            *out = v;
            return STATUS_OK;
        }
        diag_error(d, STATUS_INVALID, &node->at, "%s: %s is too large", name, node->scalar);
    }
    diag_rule(d, "%s", real_rule);
    return STATUS_INVALID;
}

enum status yaml_read_bool(const struct yaml_node *node, const char *what, bool *out, struct diag *d)
{
    static const struct {
        const char *word;
        bool value;
    } near[] = {{"true", true},   {"yes", true}, {"on", true},   {"1", true},
                {"false", false}, {"no", false}, {"off", false}, {"0", false}};
    TRY(need_scalar(node, what, "true or false", bool_rule, d));
    const bool yes = strcmp(node->scalar, "true") == 0;
    if (!node->quoted && (yes || strcmp(node->scalar, "false") == 0)) {
        *out = yes;
        return STATUS_OK;
    }
    diag_error(d, STATUS_INVALID, &node->at, "%s: '%s' is not true or false%s", name_of(node, what), node->scalar,
               node->quoted ? ": it is quoted, so it is text" : "");
    for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++) {
        if (strcasecmp(node->scalar, near[i].word) == 0) {
            diag_hint(d, "write %s", near[i].value ? "true" : "false");
        }
    }
    diag_rule(d, "%s", bool_rule);
    return STATUS_INVALID;
}

enum status yaml_read_text(const struct yaml_node *node, const char *what, const char **out, struct diag *d)
{
    TRY(need_scalar(node, what, "a word", "a text is one value, quoted if it is empty", d));
    *out = node->scalar;
    return STATUS_OK;
}

/* ---- unknown keys ---- */

static void hint_known(const char *const *known, struct diag *d)
{
    struct strbuf list;
    strbuf_init(&list);
    for (const char *const *k = known; *k; k++) {
        strbuf_addf(&list, "%s%s", k == known ? "" : ", ", *k);
    }
    if (!list.failed && list.len) {
        diag_hint(d, "known here: %s", strbuf_cstr(&list));
    }
    strbuf_fini(&list);
}

enum status yaml_reject_unknown(const struct yaml_node *map, const char *const *known, const char *what, struct diag *d)
{
    const char *name = name_of(map, what);
    if (map->kind != YAML_NODE_MAP) {
        diag_error(d, STATUS_INVALID, &map->at, "%s: expected a map, found %s", name, kind_names[map->kind]);
        diag_rule(d, "%s is a map of keys and values", name);
        return STATUS_INVALID;
    }
    enum status st = STATUS_OK;
    for (const struct yaml_node *n = map->child; n; n = n->next) {
        const char *const *k = known;
        while (*k && strcmp(*k, n->key) != 0) {
            k++;
        }
        if (*k) {
            continue;
        }
        st = diag_error(d, STATUS_INVALID, &n->key_at, "unknown key '%s' in %s", n->key, name);
        const char *nearest = suggest_word(n->key, known);
        if (nearest) {
            diag_hint(d, "did you mean '%s'?", nearest);
        } else {
            hint_known(known, d);
        }
        diag_rule(d, "a key that %s does not know is an error, not ignored", name);
    }
    return st;
}
