/* One instruction on one line, as people write it: finds what is wrong with
 * every word before it gives up. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "isa/footprint.h"
#include "isa/insn_text.h"
#include "isa/support.h"
#include "text/suggest.h"

enum { KEY_MAX = 64 };

struct line {
    struct insn_text *t;
    const struct insn_word *words;
    size_t count;
    struct insn_context *cx;
    struct diag *d;
    enum status status;
    bool fields_said; /* all fields of the instruction: once is enough */
};

static void wrong(struct line *l, size_t word, const char *what)
{
    const struct insn_word *w = &l->words[word];
    l->status = diag_error(l->d, STATUS_INVALID, w->at.file != NULL ? &w->at : NULL, "'%.80s': %s", w->text, what);
}

/* Value of a word "key=value", or NULL if its key is another one. */
static const char *value_of(const char *word, const char *key)
{
    const size_t n = strlen(key);
    return strncmp(word, key, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

static const char *find_value(const struct line *l, const char *key, size_t *at)
{
    for (size_t i = 1; i < l->count; i++) {
        const char *value = value_of(l->words[i].text, key);
        if (value != NULL) {
            *at = i;
            return value;
        }
    }
    return NULL;
}

/* ---- name, dtype, path ---- */

/* Does `name` begin with `word`, as the documents' LoadData is the beginning of load_data_2d? */
static bool begins_so(const char *word, const char *name)
{
    for (; *word != '\0'; word++) {
        if (*word == '_') {
            continue;
        }
        name += strspn(name, "_");
        if (strncasecmp(word, name, 1) != 0) {
            return false;
        }
        name++;
    }
    return true;
}

/* Lists the names that begin with `word`, all if none does. */
static bool names_beginning(const char *word, const char *const *names, struct strbuf *out)
{
    bool any = false;
    for (size_t i = 0; names[i] != NULL; i++) {
        any = any || begins_so(word, names[i]);
    }
    for (size_t i = 0; names[i] != NULL; i++) {
        if (!any || begins_so(word, names[i])) {
            strbuf_addf(out, "%s%s", out->len > 0 ? ", " : "", names[i]);
        }
    }
    return any;
}

static void unknown_name(struct line *l)
{
    const char *names[OP_N + 4];
    size_t n = 0;
    for (int op = OP_ND2NZ; op < OP_N; op++) {
        names[n++] = op_name((enum op)op);
    }
    names[n++] = "asc_copy_l12l0a_trans";
    names[n++] = "asc_copy_l12l0b_trans";
    names[n] = NULL;
    wrong(l, 0, "no such instruction");
    struct strbuf list;
    strbuf_init(&list);
    const bool begins = names_beginning(l->words[0].text, names, &list);
    const char *near = begins ? NULL : suggest_word(l->words[0].text, names);
    if (near != NULL) {
        diag_hint(l->d, "did you mean '%s'?", near);
    } else {
        diag_hint(l->d, "%s: %s", begins ? "those that begin so" : "it is one of", strbuf_cstr(&list));
    }
    strbuf_fini(&list);
}

static void unknown_dtype(struct line *l, size_t at, const char *dtype)
{
    const char *names[DTYPE_N] = {NULL};
    char what[80];
    struct strbuf list;
    snprintf(what, sizeof what, "no such dtype: %.40s", dtype);
    wrong(l, at, what);
    strbuf_init(&list);
    for (int i = 1; i < DTYPE_N; i++) {
        names[i - 1] = dtype_info((enum dtype)i)->name;
        strbuf_addf(&list, "%s%s", i > 1 ? ", " : "", names[i - 1]);
    }
    const char *near = suggest_word(dtype, names);
    if (near != NULL) {
        diag_hint(l->d, "did you mean '%s'?", near);
    }
    diag_rule(l->d, "dtype is one of %s", strbuf_cstr(&list));
    strbuf_fini(&list);
}

/* The first path, in the documents' order, on which the target has the instruction. */
static const char *default_path(const struct line *l, const struct insn_name *name)
{
    static const struct {
        enum path path;
        const char *text;
    } loads[] = {{PATH_L1_L0A, "L1->L0A"}, {PATH_L1_L0B, "L1->L0B"}, {PATH_GM_L1, "GM->L1"}};
    switch (name->op) {
    case OP_ND2NZ:
    case OP_DN2NZ:
    case OP_DATA_COPY:
    case OP_DATA_COPY_PAD:
        return "GM->L1";
    case OP_FILL:
        return "const->L1";
    case OP_L1_TO_BT:
        return "L1->BT";
    case OP_L1_TO_FB:
        return "L1->FB";
    case OP_MMAD:
    case OP_MMAD_MX:
        return "L0A+L0B->L0C";
    case OP_FIXPIPE:
        return "L0C->GM";
    default:
        break;
    }
    if (name->c_api) {
        return strstr(l->words[0].text, "l0b") != NULL ? "L1->L0B" : "L1->L0A";
    }
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        if (support_dtypes(name->op, false, l->cx->target->product, loads[i].path) != 0) {
            return loads[i].text;
        }
    }
    return "L1->L0A";
}

static bool start(struct line *l)
{
    struct insn_name name;
    size_t at = 0;
    if (!insn_name_find(l->words[0].text, l->cx->target->arch, &name)) {
        unknown_name(l);
        return false;
    }
    const bool mx = name.op == OP_LOAD_MX || name.op == OP_MMAD_MX;
    const char *dtype = find_value(l, "dtype", &at);
    if (dtype == NULL) {
        dtype = l->cx->dtype;
    }
    if (dtype == NULL) {
        dtype = mx ? "fp8_e4m3" : name.op == OP_FIXPIPE ? "float" : name.op == OP_L1_TO_FB ? "uint64" : "half";
    }
    if (!insn_text_start(l->t, l->words[0].text, dtype, l->cx->target->arch)) {
        unknown_dtype(l, at, dtype);
        return false;
    }
    at = 0;
    const char *path = find_value(l, "path", &at);
    if (path == NULL) {
        path = l->cx->path != NULL ? l->cx->path : default_path(l, &name);
    }
    if (name.op >= OP_ND2NZ && name.op <= OP_FIXPIPE && !insn_text_path(l->t, path)) {
        char what[120];
        snprintf(what, sizeof what, "no path: %.40s; written as L1->L0A, A1->A2, L0A+L0B->L0C", path);
        wrong(l, at, what);
        return false;
    }
    if (l->t->insn.dst.buf == BUF_GM) {
        l->t->insn.dst.tensor = TENSOR_C;
    }
    return true;
}

/* ---- operands ---- */

static bool read_byte(const char *text, int64_t *out)
{
    const bool hex = strncmp(text, "0x", 2) == 0;
    const char *digits = text + (hex ? 2 : 0);
    if (*digits == '\0' || strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits)) {
        return false;
    }
    errno = 0;
    const long long value = strtoll(text, NULL, hex ? 16 : 10);
    *out = value;
    return errno == 0 && value < (INT64_C(1) << 48);
}

static bool read_buffer(const char *name, struct addr *a)
{
    static const struct {
        const char *name;
        enum tensor tensor;
    } gm[] = {{"A", TENSOR_A},       {"B", TENSOR_B},         {"SA", TENSOR_SA},     {"SB", TENSOR_SB},
              {"scaleA", TENSOR_SA}, {"scaleB", TENSOR_SB},   {"Bias", TENSOR_BIAS}, {"bias", TENSOR_BIAS},
              {"Q", TENSOR_QUANT},   {"quant", TENSOR_QUANT}, {"C", TENSOR_C}};
    const bool dotted = strncmp(name, "GM.", 3) == 0, vector = strncmp(name, "gm", 2) == 0;
    if (dotted || vector) {
        for (size_t i = 0; i < sizeof gm / sizeof *gm; i++) {
            if (strcmp(gm[i].name, name + (dotted ? 3 : 2)) == 0) {
                a->buf = BUF_GM;
                a->tensor = (uint8_t)gm[i].tensor;
                return true;
            }
        }
    }
    const enum buffer buf = buffer_from_name(name);
    if (buf < BUF_N && buf != a->buf) {
        a->tensor = 0;
    }
    a->buf = (uint8_t)(buf < BUF_N ? buf : a->buf);
    return buf < BUF_N;
}

/* "L1", "L1+0x200", "+512", "512". */
static bool read_address(const char *text, struct addr *a)
{
    char name[16];
    const size_t n = strcspn(text, "+");
    int64_t byte = 0;
    if (text[n] == '\0' && read_byte(text, &byte)) {
        a->byte = byte;
        return true;
    }
    if (n >= sizeof name || (text[n] == '+' && !read_byte(text + n + 1, &byte))) {
        return false;
    }
    memcpy(name, text, n);
    name[n] = '\0';
    a->byte = byte;
    return n == 0 || read_buffer(name, a);
}

/* @return false if `key` names no operand. */
static bool set_operand(struct line *l, size_t word, const char *key, const char *value)
{
    struct insn *in = &l->t->insn;
    const bool mmad = in->op == OP_MMAD || in->op == OP_MMAD_MX;
    struct addr extra = {0};
    struct addr *a = NULL;
    if (strcmp(key, "dst") == 0) {
        a = &in->dst;
    } else if (strcmp(key, mmad ? "a" : "src") == 0) {
        a = &in->src;
    } else if (strcmp(key, mmad ? "b" : "src_mx") == 0 && (mmad || in->op == OP_LOAD_MX)) {
        a = &in->src2;
    } else if (strcmp(key, "bias") == 0 && mmad) {
        extra.buf = BUF_BT;
        a = &extra;
    } else if (strcmp(key, "quant") == 0 && in->op == OP_FIXPIPE) {
        extra.buf = BUF_FB;
        a = &extra;
    }
    if (a == NULL || in->op < OP_ND2NZ || in->op > OP_FIXPIPE || (in->op == OP_FILL && a != &in->dst)) {
        return false;
    }
    if (!read_address(value, a) || (a == &extra && extra.byte > UINT32_MAX)) {
        wrong(l, word, "no address; written as L1, A1+0x200, GM.B+4096, +512");
    } else if (a == &extra && mmad) {
        in->p.mmad.biasAddr = (uint32_t)extra.byte;
    } else if (a == &extra) {
        in->p.fixpipe.quantAddr = (uint32_t)extra.byte;
    }
    return true;
}

/* ---- fields ---- */

static void unknown_field(struct line *l, size_t word, const char *key)
{
    const char *names[INSN_WORDS_MAX] = {0};
    size_t count;
    const struct insn_field *fields = insn_fields(l->t->name.op, &count);
    for (size_t i = 0; i < count && i < INSN_WORDS_MAX - 1; i++) {
        names[i] = fields[i].name;
    }
    wrong(l, word, "the instruction has no such field");
    const char *near = suggest_word(key, names);
    if (near != NULL) {
        diag_hint(l->d, "did you mean '%s'?", near);
        return;
    }
    if (l->fields_said) {
        return;
    }
    l->fields_said = true;
    struct strbuf all;
    strbuf_init(&all);
    for (size_t i = 0; i < count; i++) {
        strbuf_addf(&all, "%s%s", i > 0 ? ", " : "", fields[i].name);
    }
    diag_hint(l->d, "%s has %s", op_name(l->t->name.op), count > 0 ? strbuf_cstr(&all) : "no fields");
    strbuf_fini(&all);
}

static void set_word(struct line *l, size_t word)
{
    char key[KEY_MAX];
    const char *text = l->words[word].text;
    const size_t n = strcspn(text, "=");
    if (text[n] != '=' || n == 0 || n >= sizeof key) {
        wrong(l, word, "not key=value");
        return;
    }
    memcpy(key, text, n);
    key[n] = '\0';
    for (size_t i = 1; i < word; i++) {
        if (value_of(l->words[i].text, key) != NULL) {
            wrong(l, word, "given twice");
            return;
        }
    }
    if (strcmp(key, "dtype") == 0 || strcmp(key, "path") == 0 || set_operand(l, word, key, text + n + 1)) {
        return;
    }
    const bool special = strcmp(key, "padList") == 0 || strcmp(key, "struct") == 0;
    if (!special && insn_argument(&l->t->name, key) == NULL) {
        unknown_field(l, word, key);
        return;
    }
    const char *problem = insn_text_set(l->t, key, text + n + 1);
    if (problem != NULL) {
        wrong(l, word, problem);
    }
}

/* ---- registers ---- */

static void take_repeat(struct insn_context *cx, const struct insn *in)
{
    cx->repeat = in->p.load_3d;
    cx->repeat_set = true;
    cx->stride_set = cx->stride_set || in->op == OP_SET_REPEAT_STRIDE;
}

/* Repeats set by an earlier line; the load's own words come after and win. */
static void use_repeat(const struct insn_context *cx, struct insn *in)
{
    const bool stride = in->op == OP_LOAD_3D_STRIDE || cx->stride_set;
    if ((in->op != OP_LOAD_3D && in->op != OP_LOAD_3D_STRIDE) || !cx->repeat_set) {
        return;
    }
    in->p.load_3d.repeatStride = cx->repeat.repeatStride;
    in->p.load_3d.repeatTime = cx->repeat.repeatTime;
    in->p.load_3d.repeatMode = cx->repeat.repeatMode;
    if (stride) {
        in->p.load_3d.dstStride = cx->repeat.dstStride;
    }
}

static void track(struct insn_context *cx, const struct insn *in)
{
    switch ((enum op)in->op) {
    case OP_SET_FMATRIX:
        cx->set.fmatrix_set[in->p.load_3d.fMatrixCtrl != 0] = true;
        return;
    case OP_SET_PADDING:
        cx->set.padding_set = true;
        return;
    case OP_SET_REPEAT:
    case OP_SET_REPEAT_STRIDE:
        take_repeat(cx, in);
        return;
    default:
        return;
    }
}

enum status insn_text_line(struct insn_text *t, const struct insn_word *words, size_t count, struct insn_context *cx,
                           struct diag *d)
{
    struct line l = {.t = t, .words = words, .count = count, .cx = cx, .d = d};
    if (count == 0) {
        return diag_error(d, STATUS_INVALID, NULL, "an instruction is missing");
    }
    if (count > INSN_WORDS_MAX) {
        return diag_error(d, STATUS_INVALID, words[0].at.file != NULL ? &words[0].at : NULL, "more than %d words",
                          INSN_WORDS_MAX);
    }
    if (!start(&l)) {
        return l.status;
    }
    use_repeat(cx, &t->insn);
    for (size_t i = 1; i < count; i++) {
        set_word(&l, i);
    }
    insn_set_pipe(&t->insn);
    if (l.status == STATUS_OK) {
        track(cx, &t->insn);
    }
    return l.status;
}
