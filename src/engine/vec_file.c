#include "engine/vec_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

struct reader {
    const char *file, *source;
    struct arena *arena;
    struct diag *d;
    struct vec_case *c; /* being read; NULL between cases */
    bool bad;           /* a line of it was malformed */
    const struct vec_line *line;
};

bool vec_integer(const char *text, int64_t *out)
{
    const bool hex = strncmp(text, "0x", 2) == 0;
    const char *digits = hex ? text + 2 : text + (*text == '-');
    if (*digits == '\0' || strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits)) {
        return false;
    }
    errno = 0;
    *out = hex ? (int64_t)strtoull(digits, NULL, 16) : strtoll(text, NULL, 10);
    return errno == 0;
}

bool vec_hex64(const char *text, uint64_t *out)
{
    const size_t n = strspn(text, "0123456789abcdefABCDEF");
    if (n == 0 || n > 16 || text[n] != '\0') {
        return false;
    }
    *out = strtoull(text, NULL, 16);
    return true;
}

struct location vec_location(const struct vec_case *c, const struct vec_line *line, size_t word)
{
    struct location at = {.file = c->file, .source = c->source, .line = line->number, .col = 1, .len = 1};
    if (word < line->count) {
        at.col = line->words[word].col;
        at.len = (uint32_t)strlen(line->words[word].text);
    }
    return at;
}

/* Reports word `i` of the current line; the case is dropped. @return false. */
static bool bad_word(struct reader *r, size_t i, const char *what)
{
    const struct vec_line *l = r->line;
    const struct vec_case here = {.file = r->file, .source = r->source};
    const struct location at = vec_location(&here, l, i < l->count ? i : 0);
    diag_error(r->d, STATUS_INVALID, &at, "%s: %s%s%s", l->count > 0 ? l->words[0].text : "line", what,
               i < l->count ? ": " : "", i < l->count ? l->words[i].text : "");
    r->bad = true;
    return false;
}

static bool need_words(struct reader *r, size_t least)
{
    return r->line->count >= least || bad_word(r, SIZE_MAX, "fields are missing at the end of the line");
}

static bool integer_word(struct reader *r, size_t i, const char *what, int64_t lo, int64_t hi, int64_t *out)
{
    if (i >= r->line->count) {
        return bad_word(r, SIZE_MAX, what);
    }
    if (!vec_integer(r->line->words[i].text, out) || *out < lo || *out > hi) {
        return bad_word(r, i, what);
    }
    return true;
}

static bool hash_word(struct reader *r, size_t i, uint64_t *out)
{
    if (i >= r->line->count) {
        return bad_word(r, SIZE_MAX, "the hash is missing");
    }
    return vec_hex64(r->line->words[i].text, out) || bad_word(r, i, "no hash");
}

/* ---- fills ---- */

static bool read_values(struct reader *r, size_t first, struct vec_fill *fill)
{
    const size_t count = r->line->count - first;
    uint64_t *values = arena_alloc(r->arena, count, sizeof *values);
    if (values == NULL) {
        return bad_word(r, first, "no memory");
    }
    for (size_t i = 0; i < count; i++) {
        if (!vec_hex64(r->line->words[first + i].text, &values[i])) {
            return bad_word(r, first + i, "no hexadecimal value");
        }
    }
    fill->values = values;
    fill->count = count;
    return true;
}

static bool read_fill(struct reader *r, struct vec_fill *fill)
{
    static const char *const kinds[] = {"rule", "vals", "cycle", "pick"};
    int64_t seed = 0;
    size_t kind = 0;
    while (kind < 4 && strcmp(kinds[kind], r->line->words[4].text) != 0) {
        kind++;
    }
    if (kind == 4) {
        return bad_word(r, 4, "no fill kind");
    }
    fill->kind = (enum vec_fill_kind)kind;
    switch (fill->kind) {
    case VEC_FILL_RULE:
        if (!integer_word(r, 5, "no seed", 0, INT64_MAX, &seed)) {
            return false;
        }
        break;
    case VEC_FILL_VALS:
        if (!need_words(r, 9) || !integer_word(r, 6, "no seed", 0, INT64_MAX, &seed) ||
            !integer_word(r, 7, "no lowest value", -(1LL << 40), 1LL << 40, &fill->lo) ||
            !integer_word(r, 8, "no highest value", fill->lo, 1LL << 40, &fill->hi)) {
            return false;
        }
        fill->dtype = dtype_from_name(r->line->words[5].text);
        if ((fill->dtype == DTYPE_NONE && strcmp(r->line->words[5].text, "byte") != 0) ||
            dtype_info(fill->dtype)->bits == 4) {
            return bad_word(r, 5, "no dtype of whole bytes");
        }
        break;
    case VEC_FILL_CYCLE:
    case VEC_FILL_PICK: {
        const size_t first = fill->kind == VEC_FILL_CYCLE ? 6 : 7;
        if (!integer_word(r, 5, "no width of 1 to 8 bytes", 1, 8, &fill->width) ||
            (first == 7 && !integer_word(r, 6, "no seed", 0, INT64_MAX, &seed)) || !need_words(r, first + 1) ||
            !read_values(r, first, fill)) {
            return false;
        }
        break;
    }
    }
    fill->seed = (uint64_t)seed;
    return true;
}

/* ---- keywords ---- */

static struct vec_buf *find_buf(const struct vec_case *c, const char *name)
{
    for (size_t i = 0; i < c->buf_count; i++) {
        if (strcmp(c->bufs[i].name, name) == 0) {
            return &c->bufs[i];
        }
    }
    return NULL;
}

static bool read_buf(struct reader *r)
{
    struct vec_buf b = {0};
    if (!need_words(r, 6) || !integer_word(r, 2, "no length in bytes", 0, LIMIT_VECTOR_BYTES, &b.len) ||
        !integer_word(r, 3, "no offset inside of the buffer", 0, b.len, &b.off) || !read_fill(r, &b.fill)) {
        return false;
    }
    b.name = r->line->words[1].text;
    if (find_buf(r->c, b.name) != NULL) {
        return bad_word(r, 1, "the buffer is given twice");
    }
    r->c->bufs[r->c->buf_count++] = b;
    return true;
}

/* The buffer named by word 1, declared before. */
static struct vec_buf *known_buf(struct reader *r)
{
    if (!need_words(r, 2)) {
        return NULL;
    }
    struct vec_buf *b = find_buf(r->c, r->line->words[1].text);
    if (b == NULL) {
        bad_word(r, 1, "no buffer of this case");
    }
    return b;
}

static bool read_bgfnv(struct reader *r)
{
    struct vec_buf *b = known_buf(r);
    if (b == NULL || !hash_word(r, 2, &b->background)) {
        return false;
    }
    b->has_background = true;
    return true;
}

static bool read_hash(struct reader *r, bool block)
{
    const struct vec_buf *b = known_buf(r);
    struct vec_hash h = {.block = -1};
    if (b == NULL || (block && !integer_word(r, 2, "no block inside of the buffer", 0, (b->len - 1) / 512, &h.block)) ||
        !hash_word(r, block ? 3 : 2, &h.hash)) {
        return false;
    }
    h.name = b->name;
    r->c->hashes[r->c->hash_count++] = h;
    return true;
}

static bool read_hex(struct reader *r)
{
    const struct vec_buf *b = known_buf(r);
    struct vec_hex h;
    if (b == NULL || !need_words(r, 4) || !integer_word(r, 2, "no place inside of the buffer", 0, b->len - 1, &h.off)) {
        return false;
    }
    const char *digits = r->line->words[3].text;
    const int64_t bytes = b->len - h.off < 32 ? b->len - h.off : 32;
    if (strlen(digits) != (size_t)bytes * 2 || strspn(digits, "0123456789abcdefABCDEF") != strlen(digits)) {
        return bad_word(r, 3, "not two hexadecimal digits for each byte of the line");
    }
    memset(h.bytes, 0, sizeof h.bytes);
    for (int64_t i = 0; i < bytes; i++) {
        const char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        h.bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    h.name = b->name;
    r->c->hexes[r->c->hex_count++] = h;
    return true;
}

static bool read_unspec(struct reader *r)
{
    const struct vec_buf *b = known_buf(r);
    struct vec_range u;
    if (b == NULL || !integer_word(r, 2, "no place inside of the buffer", 0, b->len, &u.off) ||
        !integer_word(r, 3, "no length inside of the buffer", 0, b->len - u.off, &u.len)) {
        return false;
    }
    u.name = b->name;
    r->c->unspec[r->c->unspec_count++] = u;
    return true;
}

static bool read_alt(struct reader *r)
{
    struct vec_alt a = {0};
    if (!need_words(r, 3)) {
        return false;
    }
    a.label = r->line->words[1].text;
    const char *what = r->line->words[2].text;
    if (strcmp(what, "fnv") == 0) {
        if (!need_words(r, 5) || !hash_word(r, 4, &a.hash)) {
            return false;
        }
        if (find_buf(r->c, r->line->words[3].text) == NULL) {
            return bad_word(r, 3, "no buffer of this case");
        }
        a.name = r->line->words[3].text;
    } else if (strcmp(what, "error") == 0) {
        if (!need_words(r, 4)) {
            return false;
        }
        a.error = r->line->words[3].text;
    } else if (strcmp(what, "writes_outside_dst") == 0 || strcmp(what, "reads_outside_src") == 0) {
        a.error = what;
    } else {
        return bad_word(r, 2, "no kind of alternative");
    }
    r->c->alts[r->c->alt_count++] = a;
    return true;
}

static bool read_flag(struct reader *r)
{
    int64_t value;
    if (!integer_word(r, 1, "neither 0 nor 1", 0, 1, &value)) {
        return false;
    }
    r->c->nop = value != 0;
    return true;
}

/* Keywords whose value is the second word. */
static bool read_name(struct reader *r, bool *known)
{
    struct vec_case *c = r->c;
    const struct {
        const char *keyword;
        const char **place;
    } names[] = {{"kind", &c->kind}, {"instr", &c->instr}, {"target", &c->target},
                 {"path", &c->path}, {"dtype", &c->dtype}, {"confidence", &c->confidence}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].keyword, r->line->words[0].text) != 0) {
            continue;
        }
        *known = true;
        if (!need_words(r, 2)) {
            return false;
        }
        *names[i].place = r->line->words[1].text;
        return true;
    }
    *known = false;
    return true;
}

static bool read_keyword(struct reader *r)
{
    const char *key = r->line->words[0].text;
    struct vec_case *c = r->c;
    bool known;
    if (!read_name(r, &known) || known) {
        return known && !r->bad;
    }
    if (strcmp(key, "param") == 0) {
        c->params[c->param_count++] = *r->line;
        return need_words(r, 3);
    }
    if (strcmp(key, "step") == 0) {
        c->steps[c->step_count++] = *r->line;
        return need_words(r, 3);
    }
    if (strcmp(key, "setfmatrix") == 0) {
        c->fmatrix = r->line;
        return need_words(r, 4);
    }
    if (strcmp(key, "setpadding") == 0) {
        c->padding = r->line;
        return need_words(r, 2);
    }
    if (strcmp(key, "buf") == 0) {
        return read_buf(r);
    }
    if (strcmp(key, "bgfnv") == 0) {
        return read_bgfnv(r);
    }
    if (strcmp(key, "fnv") == 0 || strcmp(key, "blk") == 0) {
        return read_hash(r, key[0] == 'b');
    }
    if (strcmp(key, "hex") == 0) {
        return read_hex(r);
    }
    if (strcmp(key, "unspec") == 0) {
        return read_unspec(r);
    }
    if (strcmp(key, "alt") == 0) {
        return read_alt(r);
    }
    if (strcmp(key, "nop") == 0) {
        return read_flag(r);
    }
    if (strcmp(key, "written") == 0) {
        return integer_word(r, 1, "no number of bytes", 0, INT64_MAX, &c->written);
    }
    return strcmp(key, "note") == 0 || bad_word(r, 0, "no keyword of a case");
}

/* ---- lines and cases ---- */

/* Cuts the line at blanks into the arena. */
static bool split_line(struct reader *r, const char *line, size_t len, uint32_t number, struct vec_line *out)
{
    size_t most = 1;
    for (size_t i = 0; i < len; i++) {
        most += line[i] == ' ';
    }
    out->number = number;
    out->count = 0;
    out->words = arena_alloc(r->arena, most, sizeof *out->words);
    if (out->words == NULL) {
        return false;
    }
    for (size_t i = 0; i < len;) {
        size_t end = i;
        while (end < len && line[end] != ' ' && line[end] != '\t' && line[end] != '\r') {
            end++;
        }
        if (end > i) {
            out->words[out->count].col = (uint32_t)(i + 1);
            out->words[out->count].text = arena_strndup(r->arena, line + i, end - i);
            if (out->words[out->count++].text == NULL) {
                return false;
            }
        }
        i = end + 1;
    }
    return true;
}

/* No list of a case is longer than the case has lines. */
static bool start_case(struct reader *r, struct vec_case *c, size_t lines)
{
    *c = (struct vec_case){.file = r->file, .source = r->source, .line = r->line->number, .written = -1};
    c->params = arena_alloc(r->arena, lines, sizeof *c->params);
    c->steps = arena_alloc(r->arena, lines, sizeof *c->steps);
    c->bufs = arena_alloc(r->arena, lines, sizeof *c->bufs);
    c->hashes = arena_alloc(r->arena, lines, sizeof *c->hashes);
    c->hexes = arena_alloc(r->arena, lines, sizeof *c->hexes);
    c->unspec = arena_alloc(r->arena, lines, sizeof *c->unspec);
    c->alts = arena_alloc(r->arena, lines, sizeof *c->alts);
    c->id = r->line->words[1].text;
    r->c = c;
    r->bad = false;
    return c->params != NULL && c->steps != NULL && c->bufs != NULL && c->hashes != NULL && c->hexes != NULL &&
           c->unspec != NULL && c->alts != NULL;
}

static bool case_complete(struct reader *r)
{
    const struct vec_case *c = r->c;
    if (c->kind == NULL || c->instr == NULL || c->target == NULL || c->path == NULL || c->dtype == NULL ||
        c->confidence == NULL) {
        return bad_word(r, SIZE_MAX, "kind, instr, target, path, dtype or confidence is missing in this case");
    }
    return c->hash_count > 0 || bad_word(r, SIZE_MAX, "the case expects nothing: no fnv");
}

static size_t lines_to_end(const char *text, const char *end)
{
    size_t lines = 1;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop == NULL ? end : stop;
        if (strncmp(text, "end", 3) == 0 && stop - text <= 4) {
            break;
        }
        lines++;
        text = stop + 1;
    }
    return lines;
}

/* One line. @return false on lack of memory only. */
static bool take_line(struct reader *r, struct vec_file *out, const char *rest, const char *end)
{
    const struct vec_line *l = r->line;
    if (l->count == 0 || l->words[0].text[0] == '#') {
        return true;
    }
    if (strcmp(l->words[0].text, "case") == 0) {
        if (r->c != NULL) {
            bad_word(r, 0, "the case before has no end");
            out->bad++;
        }
        r->c = NULL;
        return !need_words(r, 2) || start_case(r, &out->cases[out->count], lines_to_end(rest, end));
    }
    if (r->c == NULL) {
        if (!r->bad) { /* once, not for every line of a broken case */
            bad_word(r, 0, "stands outside of a case");
        }
        return true;
    }
    if (strcmp(l->words[0].text, "end") != 0) {
        if (!r->bad) {
            (void)read_keyword(r);
        }
        return true;
    }
    if (!r->bad) {
        (void)case_complete(r);
    }
    out->count += !r->bad;
    out->bad += r->bad;
    r->c = NULL;
    r->bad = false;
    return true;
}

enum status vec_parse(const char *file, const char *text, size_t len, struct arena *arena, struct vec_file *out,
                      struct diag *d)
{
    struct reader r = {.file = file, .source = text, .arena = arena, .d = d};
    const size_t errors = d->errors;
    const char *end = text + len;
    size_t cases = 1;
    memset(out, 0, sizeof *out);
    for (const char *p = text; (p = memmem(p, (size_t)(end - p), "case", 4)) != NULL; p++) {
        cases++; /* at least as many as there are */
    }
    out->cases = arena_alloc(arena, cases, sizeof *out->cases);
    if (out->cases == NULL) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the cases of %s", file);
    }
    uint32_t number = 0;
    for (const char *p = text; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop == NULL ? end : stop;
        struct vec_line *line = arena_alloc(arena, 1, sizeof *line);
        const char *next = stop < end ? stop + 1 : end;
        r.line = line;
        if (line == NULL || !split_line(&r, p, (size_t)(stop - p), ++number, line) || !take_line(&r, out, next, end)) {
            return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the cases of %s", file);
        }
        p = next;
    }
    if (r.c != NULL) {
        bad_word(&r, SIZE_MAX, "the last case has no end");
        out->bad++;
    }
    return d->errors == errors ? STATUS_OK : STATUS_INVALID;
}
