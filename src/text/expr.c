/* expr.c - precedence climbing into a postfix program for a small stack machine.
 *
 * && and || become conditional jumps, so the right side is evaluated only when
 * it decides. The deepest stack a program needs is known when it is compiled;
 * evaluation therefore checks arithmetic only. */
#include "text/expr.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "base/limits.h"
#include "text/suggest.h"

enum op {
    OP_CONST,
    OP_VAR,
    OP_NEG,
    OP_NOT,
    OP_BOOL, /* top != 0 */
    OP_AND,  /* top == 0: leave 0 and jump; else drop it */
    OP_OR,   /* top != 0: leave 1 and jump; else drop it */
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_ADD,
    OP_SUB,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_MIN,
    OP_MAX,
    OP_CEIL_DIV,
    OP_ALIGN_UP,
};

struct code {
    enum op op;
    int64_t arg; /* constant, variable, or index of the code to jump to */
};

struct expr {
    size_t count;
    struct code code[];
};

static const struct {
    const char *text;
    enum op op;
    int level; /* binds tighter the higher */
} operators[] = {
    /* longer spellings first */
    {"||", OP_OR, 1}, {"&&", OP_AND, 2}, {"==", OP_EQ, 3}, {"!=", OP_NE, 3}, {"<=", OP_LE, 4},
    {">=", OP_GE, 4}, {"<", OP_LT, 4},   {">", OP_GT, 4},  {"+", OP_ADD, 5}, {"-", OP_SUB, 5},
    {"*", OP_MUL, 6}, {"/", OP_DIV, 6},  {"%", OP_MOD, 6},
};

enum { OPERATORS = sizeof(operators) / sizeof(operators[0]), LEVEL_EQUAL = 3, LEVEL_ORDER = 4 };

static const struct {
    const char *name;
    enum op op;
} functions[] = {{"min", OP_MIN}, {"max", OP_MAX}, {"ceil_div", OP_CEIL_DIV}, {"align_up", OP_ALIGN_UP}};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

struct compiler {
    const char *text, *next;
    struct location base; /* of text[0] */
    const char *const *names;
    struct diag *d;
    struct expr *out;
    size_t depth; /* of nesting */
    size_t stack; /* values on it at this point of the program */
};

/* ---- messages ---- */

static struct location location_of(const struct compiler *c, const char *where, size_t len)
{
    struct location at = c->base;
    at.col += (uint32_t)(where - c->text);
    at.len = (uint32_t)(len ? len : 1);
    return at;
}

#define FAIL(c, where, len, ...)                                           \
    do {                                                                   \
        const struct location fail_at_ = location_of((c), (where), (len)); \
        return diag_error((c)->d, STATUS_INVALID, &fail_at_, __VA_ARGS__); \
    } while (0)

/* Where in the file does the text stand? `at` is the place of the scalar, quotes
 * included. If the text is not found there as is (escapes, folded lines), all
 * messages point at the scalar's first character. */
static struct location find_text(const char *text, const struct location *at)
{
    if (!at) {
        return (struct location){.source = text, .line = 1, .col = 1, .len = 1};
    }
    struct location base = *at;
    const char *line = at->source;
    for (uint32_t i = 1; line && i < at->line; i++) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    if (line && at->col && strnlen(line, at->col) >= at->col) {
        const char opening = line[at->col - 1];
        base.col += opening == '"' || opening == '\'';
    }
    return base;
}

/* ---- code ---- */

static enum status emit(struct compiler *c, enum op op, int64_t arg)
{
    if (c->out->count == LIMIT_EXPR_NODES) {
        const struct location at = location_of(c, c->text, strlen(c->text));
        return diag_error(c->d, STATUS_LIMIT, &at, "expression is longer than %u operations", LIMIT_EXPR_NODES);
    }
    c->out->code[c->out->count++] = (struct code){op, arg};
    if (op == OP_CONST || op == OP_VAR) {
        c->stack++;
    } else if (op >= OP_AND) {
        c->stack--; /* two operands give one; a taken jump leaves as many */
    }
    if (c->stack > LIMIT_EXPR_STACK) {
        const struct location at = location_of(c, c->text, strlen(c->text));
        return diag_error(c->d, STATUS_LIMIT, &at, "expression needs more than %u values at once", LIMIT_EXPR_STACK);
    }
    return STATUS_OK;
}

/* ---- grammar ---- */

static void skip_blanks(struct compiler *c)
{
    c->next += strspn(c->next, " \t\r\n");
}

static size_t word_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_' || (n && s[n] == '.')) {
        n++;
    }
    return n;
}

static enum status parse_binary(struct compiler *c, int level);
static enum status parse_nested(struct compiler *c);

static enum status expect(struct compiler *c, char wanted, const char *why)
{
    skip_blanks(c);
    if (*c->next != wanted) {
        FAIL(c, c->next, 1, "expected '%c' %s", wanted, why);
    }
    c->next++;
    return STATUS_OK;
}

static enum status parse_number(struct compiler *c)
{
    const size_t len = word_length(c->next);
    char *end;
    errno = 0;
    const long long v = strtoll(c->next, &end, 10);
    const bool spelled = (size_t)(end - c->next) == len && !(c->next[0] == '0' && len > 1);
    if (!spelled || errno) {
        const struct location at = location_of(c, c->next, len);
        diag_error(c->d, STATUS_INVALID, &at, spelled ? "'%.*s' does not fit in 64 bits" : "'%.*s' is not an integer",
                   (int)len, c->next);
        diag_rule(c->d, "an integer is decimal digits without leading zero; no units, no fractions");
        return STATUS_INVALID;
    }
    c->next = end;
    return emit(c, OP_CONST, v);
}

static enum status parse_call(struct compiler *c, enum op op, const char *name)
{
    c->next++; /* the parenthesis */
    TRY(parse_binary(c, 1));
    skip_blanks(c);
    if (*c->next != ',') {
        FAIL(c, c->next, 1, "%s takes two values: expected ','", name);
    }
    c->next++;
    TRY(parse_binary(c, 1));
    TRY(expect(c, ')', "to close the call"));
    return emit(c, op, 0);
}

static enum status unknown_name(const struct compiler *c, const char *word, size_t len)
{
    static const struct {
        const char *word, *use;
    } other_languages[] = {{"and", "&&"}, {"or", "||"}, {"not", "!"}, {"true", "1"}, {"false", "0"}, {"mod", "%"}};
    char copy[64] = {0};
    memcpy(copy, word, len < sizeof(copy) ? len : sizeof(copy) - 1);
    const struct location at = location_of(c, word, len);
    diag_error(c->d, STATUS_INVALID, &at, "unknown name '%.*s' in expression", (int)len, word);
    for (size_t i = 0; i < sizeof(other_languages) / sizeof(other_languages[0]); i++) {
        if (strcmp(copy, other_languages[i].word) == 0) {
            diag_hint(c->d, "write %s", other_languages[i].use);
            return STATUS_INVALID;
        }
    }
    const char *nearest = suggest_word(copy, c->names);
    if (nearest) {
        diag_hint(c->d, "did you mean '%s'?", nearest);
    }
    return STATUS_INVALID;
}

static enum status parse_name(struct compiler *c)
{
    const char *word = c->next;
    const size_t len = word_length(word);
    c->next += len;
    skip_blanks(c);
    if (*c->next == '(') {
        for (size_t i = 0; i < FUNCTIONS; i++) {
            if (strlen(functions[i].name) == len && memcmp(functions[i].name, word, len) == 0) {
                return parse_call(c, functions[i].op, functions[i].name);
            }
        }
        const struct location at = location_of(c, word, len);
        diag_error(c->d, STATUS_INVALID, &at, "unknown function '%.*s'", (int)len, word);
        diag_hint(c->d, "known here: min, max, ceil_div, align_up");
        return STATUS_INVALID;
    }
    for (size_t i = 0; c->names[i]; i++) {
        if (strlen(c->names[i]) == len && memcmp(c->names[i], word, len) == 0) {
            return emit(c, OP_VAR, (int64_t)i);
        }
    }
    return unknown_name(c, word, len);
}

static enum status parse_primary(struct compiler *c)
{
    skip_blanks(c);
    const char first = *c->next;
    if (isdigit((unsigned char)first)) {
        return parse_number(c);
    }
    if (isalpha((unsigned char)first) || first == '_') {
        return parse_name(c);
    }
    if (first == '-' || first == '!') {
        c->next++;
        TRY(parse_nested(c));
        return emit(c, first == '-' ? OP_NEG : OP_NOT, 0);
    }
    if (first == '(') {
        c->next++;
        TRY(parse_binary(c, 1));
        return expect(c, ')', "to close the parenthesis");
    }
    if (!first) {
        FAIL(c, c->next, 1, "expression ends where a value is expected");
    }
    FAIL(c, c->next, 1, "expected a value, found '%c'", first);
}

/* One level deeper: parentheses, calls and unary operators recurse through here. */
static enum status parse_nested(struct compiler *c)
{
    skip_blanks(c);
    if (c->depth == LIMIT_EXPR_DEPTH) {
        const struct location at = location_of(c, c->next, 1);
        return diag_error(c->d, STATUS_LIMIT, &at, "expression is nested deeper than %u levels", LIMIT_EXPR_DEPTH);
    }
    c->depth++;
    const enum status st = parse_primary(c);
    c->depth--;
    return st;
}

/* Index in `operators` of what stands next, or -1. */
static int next_operator(struct compiler *c)
{
    skip_blanks(c);
    for (int i = 0; i < OPERATORS; i++) {
        if (strncmp(c->next, operators[i].text, strlen(operators[i].text)) == 0) {
            return i;
        }
    }
    return -1;
}

static enum status finish_operator(struct compiler *c, enum op op, int level)
{
    if (op != OP_AND && op != OP_OR) {
        TRY(parse_binary(c, level + 1));
        return emit(c, op, 0);
    }
    const size_t jump = c->out->count;
    TRY(emit(c, op, 0));
    TRY(parse_binary(c, level + 1));
    TRY(emit(c, OP_BOOL, 0));
    c->out->code[jump].arg = (int64_t)c->out->count;
    return STATUS_OK;
}

static enum status parse_binary(struct compiler *c, int level)
{
    TRY(parse_nested(c));
    int compared = 0; /* level of the last comparison at this level of nesting */
    for (int i; (i = next_operator(c)) >= 0 && operators[i].level >= level;) {
        const int found = operators[i].level;
        const size_t len = strlen(operators[i].text);
        if (found == compared && (found == LEVEL_ORDER || found == LEVEL_EQUAL)) {
            const struct location at = location_of(c, c->next, len);
            diag_error(c->d, STATUS_INVALID, &at, "comparisons do not chain");
            diag_hint(c->d, "write a %s b && b %s c", operators[i].text, operators[i].text);
            return STATUS_INVALID;
        }
        compared = found;
        c->next += len;
        TRY(finish_operator(c, operators[i].op, found));
    }
    return STATUS_OK;
}

static enum status leftover(const struct compiler *c)
{
    static const struct {
        const char *text, *use;
    } slips[] = {{"=", "=="}, {"&", "&&"}, {"|", "||"}};
    const struct location at = location_of(c, c->next, 1);
    diag_error(c->d, STATUS_INVALID, &at, "expected an operator or the end, found '%c'", *c->next);
    for (size_t i = 0; i < sizeof(slips) / sizeof(slips[0]); i++) {
        if (*c->next == *slips[i].text) {
            diag_hint(c->d, "did you mean '%s'?", slips[i].use);
        }
    }
    return STATUS_INVALID;
}

enum status expr_compile(const char *text, const struct location *at, const char *const *names, struct arena *arena,
                         struct expr **out, struct diag *d)
{
    *out = NULL;
    struct compiler c = {.text = text, .next = text, .base = find_text(text, at), .names = names, .d = d};
    c.out = arena_alloc(arena, 1, sizeof(*c.out) + LIMIT_EXPR_NODES * sizeof(struct code));
    if (!c.out) {
        return diag_error(d, STATUS_NO_MEMORY, at, "out of memory");
    }
    TRY(parse_binary(&c, 1));
    skip_blanks(&c);
    if (*c.next) {
        return leftover(&c);
    }
    *out = c.out;
    return STATUS_OK;
}

/* ---- evaluation ---- */

bool expr_uses(const struct expr *e, size_t var)
{
    for (size_t i = 0; i < e->count; i++) {
        if (e->code[i].op == OP_VAR && e->code[i].arg == (int64_t)var) {
            return true;
        }
    }
    return false;
}

bool expr_constant(const struct expr *e)
{
    for (size_t i = 0; i < e->count; i++) {
        if (e->code[i].op == OP_VAR) {
            return false;
        }
    }
    return true;
}

static bool divides(int64_t a, int64_t b)
{
    return b != 0 && !(a == INT64_MIN && b == -1);
}

/* a rounded up to a multiple of b, divided by b; any a, b >= 1. */
static bool ceil_div_ok(int64_t a, int64_t b, int64_t *out)
{
    if (b < 1) {
        return false;
    }
    *out = a / b + (a % b > 0);
    return true;
}

/* May b be divided by in this operation? */
static bool divisor_ok(enum op op, int64_t b)
{
    switch (op) {
    case OP_DIV:
    case OP_MOD:
        return b != 0;
    case OP_CEIL_DIV:
    case OP_ALIGN_UP:
        return b >= 1;
    default:
        return true;
    }
}

/* a = a op b. @return false if the result does not exist. */
static bool apply(enum op op, int64_t *a, int64_t b)
{
    switch (op) {
    case OP_MUL:
        return mul_ok(*a, b, a);
    case OP_ADD:
        return add_ok(*a, b, a);
    case OP_SUB:
        return !__builtin_sub_overflow(*a, b, a);
    case OP_DIV:
        return divides(*a, b) && (*a /= b, true);
    case OP_MOD:
        return divides(*a, b) && (*a %= b, true);
    case OP_LT:
        *a = *a < b;
        return true;
    case OP_LE:
        *a = *a <= b;
        return true;
    case OP_GT:
        *a = *a > b;
        return true;
    case OP_GE:
        *a = *a >= b;
        return true;
    case OP_EQ:
        *a = *a == b;
        return true;
    case OP_NE:
        *a = *a != b;
        return true;
    case OP_MIN:
        *a = min_i64(*a, b);
        return true;
    case OP_MAX:
        *a = max_i64(*a, b);
        return true;
    case OP_CEIL_DIV:
        return ceil_div_ok(*a, b, a);
    case OP_ALIGN_UP:
        return ceil_div_ok(*a, b, a) && mul_ok(*a, b, a);
    case OP_CONST:
    case OP_VAR:
    case OP_NEG:
    case OP_NOT:
    case OP_BOOL:
    case OP_AND:
    case OP_OR:
        break;
    }
    return false;
}

enum status expr_eval(const struct expr *e, const int64_t *vars, int64_t *out)
{
    int64_t stack[LIMIT_EXPR_STACK];
    size_t top = 0; /* values on the stack */
    for (size_t i = 0; i < e->count; i++) {
        const struct code code = e->code[i];
        switch (code.op) {
        case OP_CONST:
            stack[top++] = code.arg;
            continue;
        case OP_VAR:
            stack[top++] = vars[code.arg];
            continue;
        case OP_NEG:
            if (__builtin_sub_overflow((int64_t)0, stack[top - 1], &stack[top - 1])) {
                return STATUS_LIMIT;
            }
            continue;
        case OP_NOT:
            stack[top - 1] = !stack[top - 1];
            continue;
        case OP_BOOL:
            stack[top - 1] = stack[top - 1] != 0;
            continue;
        case OP_AND:
        case OP_OR:
            if ((stack[top - 1] != 0) == (code.op == OP_OR)) {
                stack[top - 1] = code.op == OP_OR;
                i = (size_t)code.arg - 1; /* the loop adds one */
            } else {
                top--;
            }
            continue;
        case OP_MUL:
        case OP_DIV:
        case OP_MOD:
        case OP_ADD:
        case OP_SUB:
        case OP_LT:
        case OP_LE:
        case OP_GT:
        case OP_GE:
        case OP_EQ:
        case OP_NE:
        case OP_MIN:
        case OP_MAX:
        case OP_CEIL_DIV:
        case OP_ALIGN_UP:
            top--;
            if (!apply(code.op, &stack[top - 1], stack[top])) {
                return divisor_ok(code.op, stack[top]) ? STATUS_LIMIT : STATUS_INVALID;
            }
            continue;
        }
    }
    *out = stack[0];
    return STATUS_OK;
}
