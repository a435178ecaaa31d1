/* One vector case: places its buffers, builds and runs its instructions, and
 * judges what they leave. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "engine/conform_internal.h"

enum { BUFS_MAX = 16 };

/* A buffer of the case in its memory. */
struct bound {
    const struct vec_buf *b;
    enum buffer buf;
    enum tensor tensor; /* of BUF_GM */
    int64_t base;       /* byte in the memory where the case's byte 0 lies; 0 in GM */
    uint8_t *before;    /* as filled */
    uint8_t *gm;        /* GM contents, changed by the run */
};

struct run {
    struct conform_context *cx;
    const struct vec_case *c;
    const struct target *target;
    struct engine *e;
    struct bound bound[BUFS_MAX];
    size_t count;
    struct diag failure; /* of the engine */
    bool failed;
    enum dtype dtype; /* of the result, for messages */
};

static enum status invalid(const struct run *r, const struct vec_line *line, size_t word, const char *what)
{
    struct location at = {.file = r->c->file, .source = r->c->source, .line = r->c->line, .col = 1, .len = 1};
    if (line != NULL) {
        at = vec_location(r->c, line, word);
    }
    return diag_error(r->cx->d, STATUS_INVALID, &at, "case %s: %s%s%s", r->c->id, what,
                      line != NULL && word < line->count ? ": " : "",
                      line != NULL && word < line->count ? line->words[word].text : "");
}

/* ---- buffers ---- */

static enum status port_read(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    const struct bound *b = ctx;
    memcpy(out, b->gm + byte, (size_t)len);
    return STATUS_OK;
}

static enum status port_write(void *ctx, int64_t byte, int64_t len, const uint8_t *in)
{
    const struct bound *b = ctx;
    memcpy(b->gm + byte, in, (size_t)len);
    return STATUS_OK;
}

/* Names of the whole memories of a program. */
static bool program_place(const char *name, enum buffer *buf, enum tensor *tensor)
{
    static const struct {
        const char *name;
        enum tensor tensor;
    } gm[] = {{"gmA", TENSOR_A},       {"gmB", TENSOR_B},     {"gmSA", TENSOR_SA}, {"gmSB", TENSOR_SB},
              {"gmBias", TENSOR_BIAS}, {"gmQ", TENSOR_QUANT}, {"gmC", TENSOR_C}};
    for (size_t i = 0; i < sizeof gm / sizeof *gm; i++) {
        if (strcmp(gm[i].name, name) == 0) {
            *buf = BUF_GM;
            *tensor = gm[i].tensor;
            return true;
        }
    }
    *buf = buffer_from_name(name);
    return *buf < BUF_N && *buf != BUF_GM;
}

/* Names of the operands of a single instruction. */
static bool operand_place(const struct insn *in, const char *name, enum buffer *buf, enum tensor *tensor)
{
    const bool left = in->dst.buf == BUF_L0A;
    const struct {
        const char *name;
        enum buffer buf;
        enum tensor tensor;
    } places[] = {{"src", (enum buffer)in->src.buf, TENSOR_A},
                  {"dst", (enum buffer)in->dst.buf, TENSOR_C},
                  {"src_mx", BUF_L1, TENSOR_SA},
                  {"dst_mx", left ? BUF_L0A_MX : BUF_L0B_MX, TENSOR_SA},
                  {"a", BUF_L0A, TENSOR_A},
                  {"b", BUF_L0B, TENSOR_A},
                  {"a_mx", BUF_L0A_MX, TENSOR_A},
                  {"b_mx", BUF_L0B_MX, TENSOR_A},
                  {"bias", BUF_BT, TENSOR_A},
                  {"quant", BUF_FB, TENSOR_A}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(places[i].name, name) == 0) {
            *buf = places[i].buf;
            *tensor = places[i].tensor;
            return true;
        }
    }
    return false;
}

/* Fills a buffer, checks its background hash and puts it where it belongs.
 * Two buffers of one memory lie one after the other. */
static enum status place_buffer(struct run *r, const struct vec_buf *b, enum buffer buf, enum tensor tensor)
{
    struct bound *bd = &r->bound[r->count];
    int64_t used = 0, size = INT64_MAX;
    for (size_t i = 0; buf != BUF_GM && i < r->count; i++) {
        used = r->bound[i].buf == buf ? max_i64(used, align_up(r->bound[i].base + r->bound[i].b->len, 1024)) : used;
    }
    if (buf != BUF_GM) {
        (void)engine_memory(r->e, buf, &size);
    }
    if (b->len > size - used) {
        return invalid(r, NULL, 0, "a buffer is larger than its memory");
    }
    *bd = (struct bound){.b = b, .buf = buf, .tensor = tensor, .base = used};
    bd->before = malloc((size_t)b->len + 1);
    bd->gm = malloc((size_t)b->len + 1);
    r->count++;
    if (bd->before == NULL || bd->gm == NULL) {
        return diag_error(r->cx->d, STATUS_NO_MEMORY, NULL, "no memory for case %s", r->c->id);
    }
    vec_fill_bytes(&b->fill, bd->before, b->len);
    memcpy(bd->gm, bd->before, (size_t)b->len);
    if (buf == BUF_GM) {
        const struct gm_port port = {bd, b->len, port_read, port_write};
        engine_set_port(r->e, tensor, &port);
    } else {
        engine_poke(r->e, buf, used, bd->before, b->len);
    }
    return STATUS_OK;
}

static enum status place_buffers(struct run *r, const struct insn *in)
{
    static const struct gm_port closed = {0};
    for (int i = 0; i < TENSOR_N; i++) {
        engine_set_port(r->e, (enum tensor)i, &closed);
    }
    engine_reset(r->e);
    for (size_t i = 0; i < r->c->buf_count; i++) {
        enum buffer buf;
        enum tensor tensor = TENSOR_A;
        const char *name = r->c->bufs[i].name;
        if (!(in != NULL ? operand_place(in, name, &buf, &tensor) : program_place(name, &buf, &tensor)) ||
            r->count == BUFS_MAX) {
            return invalid(r, NULL, 0, "a buffer belongs to no operand");
        }
        TRY(place_buffer(r, &r->c->bufs[i], buf, tensor));
    }
    return STATUS_OK;
}

static const struct bound *find_bound(const struct run *r, const char *name, size_t len)
{
    for (size_t i = 0; i < r->count; i++) {
        if (strncmp(r->bound[i].b->name, name, len) == 0 && r->bound[i].b->name[len] == '\0') {
            return &r->bound[i];
        }
    }
    return NULL;
}

/* ---- instructions ---- */

static void run_insn(struct run *r, const struct insn_text *ci)
{
    if (ci->violations.errors > 0) {
        struct strbuf text;
        strbuf_init(&text);
        violation_format(&ci->violations.v[0], &text);
        diag_error(&r->failure, STATUS_MISMATCH, NULL, "%s", strbuf_cstr(&text));
        strbuf_fini(&text);
        r->failed = true;
        return;
    }
    r->failed = r->failed || engine_exec(r->e, &ci->insn, &r->failure) != STATUS_OK;
    r->dtype = ci->name.op == OP_FIXPIPE                             ? (enum dtype)ci->insn.p.fixpipe.dstType
               : ci->name.op == OP_MMAD || ci->name.op == OP_MMAD_MX ? DTYPE_FLOAT
                                                                     : (enum dtype)ci->insn.dtype;
}

/* Registers set before the call. */
static enum status set_registers(struct run *r, const struct insn_text *call)
{
    struct insn_text ci;
    if (r->c->fmatrix != NULL) {
        const struct vec_line *l = r->c->fmatrix;
        (void)insn_text_start(&ci, "set_fmatrix", r->c->dtype, r->target->arch);
        ci.insn.p.load_3d.fMatrixCtrl = call->insn.p.load_3d.fMatrixCtrl;
        if (insn_text_set(&ci, "l1H", l->words[1].text) != NULL ||
            insn_text_set(&ci, "l1W", l->words[2].text) != NULL ||
            insn_text_set(&ci, "padList", l->words[3].text) != NULL) {
            return invalid(r, l, 1, "setfmatrix takes H W l,r,t,b");
        }
        run_insn(r, &ci);
    }
    if (r->c->padding != NULL) {
        (void)insn_text_start(&ci, "set_padding", r->c->dtype, r->target->arch);
        if (insn_text_set(&ci, "value", r->c->padding->words[1].text) != NULL) {
            return invalid(r, r->c->padding, 1, "setpadding takes a bit pattern");
        }
        run_insn(r, &ci);
    }
    return STATUS_OK;
}

static int64_t operand_byte(const struct run *r, const char *name)
{
    const struct bound *b = find_bound(r, name, strlen(name));
    return b == NULL ? 0 : b->base + b->b->off;
}

static void set_operands(const struct run *r, struct insn *in)
{
    const bool mmad = in->op == OP_MMAD || in->op == OP_MMAD_MX;
    in->dst.byte = operand_byte(r, "dst");
    in->dst.tensor = TENSOR_C;
    in->src.byte = operand_byte(r, mmad ? "a" : "src");
    in->src.tensor = TENSOR_A;
    in->src2.byte = operand_byte(r, mmad ? "b" : "src_mx");
    if (mmad) {
        in->p.mmad.biasAddr = (uint32_t)operand_byte(r, "bias");
    } else if (in->op == OP_FIXPIPE) {
        in->p.fixpipe.quantAddr = (uint32_t)operand_byte(r, "quant");
    }
}

static enum status run_single(struct run *r)
{
    struct insn_text ci;
    if (!insn_text_start(&ci, r->c->instr, r->c->dtype, r->target->arch)) {
        return invalid(r, NULL, 0, "unknown instr or dtype");
    }
    if (!insn_text_path(&ci, r->c->path)) {
        return invalid(r, NULL, 0, "unknown path");
    }
    for (size_t i = 0; i < r->c->param_count; i++) {
        const struct vec_line *l = &r->c->params[i];
        const char *wrong = insn_text_set(&ci, l->words[1].text, l->words[2].text);
        if (wrong != NULL) {
            return invalid(r, l, 1, wrong);
        }
    }
    TRY(place_buffers(r, &ci.insn));
    set_operands(r, &ci.insn);
    insn_set_pipe(&ci.insn);
    TRY(set_registers(r, &ci));
    run_insn(r, &ci);
    return STATUS_OK;
}

/* "NAME+OFF" of a step's operand to an address. */
static bool step_address(const struct run *r, const char *text, struct addr *out)
{
    const size_t len = strcspn(text, "+");
    const struct bound *b = find_bound(r, text, len);
    int64_t off;
    if (b == NULL || text[len] != '+' || !vec_integer(text + len + 1, &off)) {
        return false;
    }
    *out = (struct addr){.buf = (uint8_t)b->buf, .tensor = (uint8_t)b->tensor, .byte = b->base + off};
    return true;
}

/* @return true if `key` names an operand; *ok: its address made sense. */
static bool step_operand(const struct run *r, struct insn *in, const char *key, const char *value, bool *ok)
{
    struct addr extra;
    struct addr *place = strcmp(key, "dst") == 0                                 ? &in->dst
                         : strcmp(key, "src") == 0 || strcmp(key, "a") == 0      ? &in->src
                         : strcmp(key, "src_mx") == 0 || strcmp(key, "b") == 0   ? &in->src2
                         : strcmp(key, "bias") == 0 || strcmp(key, "quant") == 0 ? &extra
                                                                                 : NULL;
    if (place == NULL) {
        return false;
    }
    *ok = step_address(r, value, place);
    if (*ok && place == &extra && key[0] == 'b') {
        in->p.mmad.biasAddr = (uint32_t)extra.byte;
    } else if (*ok && place == &extra) {
        in->p.fixpipe.quantAddr = (uint32_t)extra.byte;
    }
    return true;
}

static enum status run_step(struct run *r, const struct vec_line *l)
{
    struct insn_text ci;
    const char *type = l->words[2].text;
    if (strncmp(type, "dtype=", 6) != 0 || !insn_text_start(&ci, l->words[1].text, type + 6, r->target->arch)) {
        return invalid(r, l, 1, "unknown instruction, or no dtype= behind it");
    }
    for (size_t i = 3; i < l->count; i++) {
        char key[64];
        const char *equals = strchr(l->words[i].text, '=');
        if (equals == NULL || (size_t)(equals - l->words[i].text) >= sizeof key) {
            return invalid(r, l, i, "neither operand nor param=value");
        }
        memcpy(key, l->words[i].text, (size_t)(equals - l->words[i].text));
        key[equals - l->words[i].text] = '\0';
        bool ok = true;
        const char *wrong = NULL;
        if (!step_operand(r, &ci.insn, key, equals + 1, &ok)) {
            wrong = insn_text_set(&ci, key, equals + 1);
        }
        if (wrong != NULL || !ok) {
            return invalid(r, l, i, wrong != NULL ? wrong : "no buffer of the program with an offset");
        }
    }
    insn_set_pipe(&ci.insn);
    run_insn(r, &ci);
    return STATUS_OK;
}

static enum status run_program(struct run *r)
{
    TRY(place_buffers(r, NULL));
    for (size_t i = 0; i < r->c->step_count && !r->failed; i++) {
        TRY(run_step(r, &r->c->steps[i]));
    }
    return STATUS_OK;
}

/* ---- judging ---- */

static const uint8_t *contents(const struct run *r, const struct bound *b)
{
    int64_t size;
    return b->buf == BUF_GM ? b->gm : engine_memory(r->e, b->buf, &size) + b->base;
}

static bool is_unspecified(const struct vec_case *c, const char *name, int64_t byte)
{
    for (size_t i = 0; i < c->unspec_count; i++) {
        if (strcmp(c->unspec[i].name, name) == 0 && byte >= c->unspec[i].off &&
            byte < c->unspec[i].off + c->unspec[i].len) {
            return true;
        }
    }
    return false;
}

/* Exactly the unspecified bytes are tainted: a specified one that is depends on
 * memory outside of the case's buffers. */
static bool taint_fits(const struct run *r, const struct bound *b, struct strbuf *out)
{
    for (int64_t i = 0; b->buf != BUF_GM && i < b->b->len; i++) {
        const bool tainted = engine_tainted(r->e, b->buf, b->base + i), open = is_unspecified(r->c, b->b->name, i);
        if (tainted != open) {
            strbuf_addf(out, "%s byte %" PRId64 " (fractal %" PRId64 ") %s", b->b->name, i, (i - b->b->off) / 512,
                        tainted ? "depends on bytes outside of the source"
                                : "is not specified, but the engine defines it");
            return false;
        }
    }
    return true;
}

static bool backgrounds_fit(const struct run *r, struct strbuf *out)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct bound *b = &r->bound[i];
        if (b->b->has_background && fnv1a(b->before, (size_t)b->b->len) != b->b->background) {
            strbuf_addf(out, "%s before the call: expected hash %016" PRIx64 ", got %016" PRIx64, b->b->name,
                        b->b->background, fnv1a(b->before, (size_t)b->b->len));
            return false;
        }
    }
    return true;
}

static bool as_expected(const struct run *r, struct strbuf *out)
{
    if (!backgrounds_fit(r, out)) {
        return false;
    }
    if (r->failed) {
        strbuf_add(out, r->failure.count > 0 ? r->failure.messages[0].text : "the engine refused the instruction");
        return false;
    }
    for (size_t i = 0; i < r->count; i++) {
        const struct bound *b = &r->bound[i];
        if (!conform_equal(r->c, b->b, b->before, contents(r, b), r->dtype, out)) {
            return false;
        }
        if (r->c->step_count == 0 && !taint_fits(r, b, out)) {
            return false;
        }
    }
    return true;
}

/* The alternative reading the result fits, or NULL. */
static const char *fitting_alt(const struct run *r)
{
    const struct vec_case *c = r->c;
    if (strcmp(c->confidence, "inferred") != 0 && strcmp(c->kind, "t950_gap") != 0 &&
        strcmp(c->kind, "t950_start") != 0) {
        return NULL;
    }
    for (size_t i = 0; i < c->alt_count; i++) {
        const struct vec_alt *a = &c->alts[i];
        if (a->name == NULL) {
            if (r->failed) {
                return a->label;
            }
            continue;
        }
        const struct bound *b = find_bound(r, a->name, strlen(a->name));
        if (!r->failed && b != NULL && conform_hash(c, b->b, contents(r, b)) == a->hash) {
            return a->label;
        }
    }
    return NULL;
}

static void judge(struct run *r, enum conform_verdict *verdict, const char **text)
{
    struct strbuf why;
    strbuf_init(&why);
    *verdict = CONFORM_PASS;
    *text = "";
    if (!as_expected(r, &why)) {
        const char *label = fitting_alt(r);
        *verdict = label != NULL ? CONFORM_ALT : CONFORM_FAIL;
        *text = label != NULL ? label : arena_strdup(r->cx->arena, strbuf_cstr(&why));
        *text = *text == NULL ? "" : *text;
    }
    strbuf_fini(&why);
}

enum status conform_case(struct conform_context *cx, const struct vec_case *c, enum conform_verdict *verdict,
                         const char **text)
{
    struct run r = {.cx = cx, .c = c};
    const enum product product = product_from_name(c->target);
    diag_init(&r.failure);
    if (product == PRODUCT_N) {
        return invalid(&r, NULL, 0, "unknown target");
    }
    r.target = conform_target(cx, product);
    r.e = conform_engine(cx, product);
    enum status st = r.e == NULL ? diag_status(cx->d) : c->step_count > 0 ? run_program(&r) : run_single(&r);
    if (st == STATUS_OK) {
        judge(&r, verdict, text);
    }
    for (size_t i = 0; i < r.count; i++) {
        free(r.bound[i].before);
        free(r.bound[i].gm);
    }
    diag_fini(&r.failure);
    return st;
}
