/* The rules every instruction shares: support tables, ranges, alignment,
 * bounds, overlaps.  What only one instruction asks stands in legality_rules.c. */
#include "isa/legality.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "isa/footprint.h"
#include "isa/legality_rules.h"
#include "isa/support.h"

static const char *const code_names[VIOLATION_CODE_N] = {
    "note",        "E_TARGET", "E_PATH",   "E_DTYPE", "E_ALIGN",   "E_RANGE",      "E_MULTIPLE",  "E_CHANNEL",
    "E_TRANSPOSE", "E_PARAM",  "E_CONFIG", "E_DIM",   "E_OVERLAP", "E_SRC_BOUNDS", "E_DST_BOUNDS"};

const char *violation_code_name(enum violation_code code)
{
    return (unsigned)code < VIOLATION_CODE_N ? code_names[code] : "?";
}

enum violation_code violation_code_from_name(const char *name)
{
    for (int i = 1; i < VIOLATION_CODE_N; i++) {
        if (strcmp(code_names[i], name) == 0) {
            return (enum violation_code)i;
        }
    }
    return E_NONE;
}

void violation_add(struct violations *out, enum violation_code code, const char *field, int64_t value,
                   const char *document, const char *fmt, ...)
{
    out->errors += code != E_NONE;
    if (out->count == VIOLATIONS_MAX) {
        return;
    }
    struct violation *v = &out->v[out->count++];
    v->code = code;
    v->field = field;
    v->value = value;
    v->document = document;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(v->rule, sizeof v->rule, fmt, ap);
    va_end(ap);
}

void violation_format(const struct violation *v, struct strbuf *out)
{
    strbuf_add(out, violation_code_name(v->code));
    if (v->field[0] != '\0') {
        strbuf_addf(out, " %s", v->field);
        if (v->code == E_RANGE || v->code == E_MULTIPLE || v->code == E_CHANNEL || v->code == E_DIM ||
            v->code == E_PARAM) {
            strbuf_addf(out, "=%" PRId64, v->value);
        }
    }
    strbuf_addf(out, ": %s", v->rule);
    if (v->document[0] != '\0') {
        strbuf_addf(out, " (%s)", v->document);
    }
}

void legality_set_field(struct insn *insn, const struct insn_field *field, int64_t value, struct violations *out)
{
    int64_t lo, hi;
    insn_field_type_range(field, &lo, &hi);
    const bool stored = insn_field_set(insn, field, value);
    if (!stored || value < lo || value > hi) {
        violation_add(out, E_RANGE, field->name, value, op_document((enum op)insn->op),
                      "does not fit the field's C type, %s%d bits", field->is_signed ? "signed " : "", field->c_bits);
        (void)insn_field_set(insn, field, field->def);
    }
}

/* ---- support tables ---- */

static void add_dtypes(uint32_t mask, char *text, size_t size)
{
    size_t len = 0;
    text[0] = '\0';
    for (int i = 1; i < DTYPE_N && len < size; i++) {
        if ((mask >> i & 1U) != 0) {
            len += (size_t)snprintf(text + len, size - len, "%s%s", len > 0 ? ", " : "",
                                    dtype_info((enum dtype)i)->ascend);
        }
    }
}

/* "; offered: L1->L0A, L1->L0B" */
static void add_paths(enum op op, bool c_api, enum product product, char *text, size_t size)
{
    size_t len = 0;
    text[0] = '\0';
    for (int i = 0; i < PATH_N && len < size; i++) {
        if (support_dtypes(op, c_api, product, (enum path)i) != 0) {
            len += (size_t)snprintf(text + len, size - len, "%s%s",
                                    len > 0 ? ", " : "; offered: ", path_name((enum path)i));
        }
    }
}

/* "; offered on ascend950" */
static void add_products(enum op op, bool c_api, char *text, size_t size)
{
    size_t len = 0;
    text[0] = '\0';
    for (int p = 0; p < PRODUCT_N && len < size; p++) {
        uint32_t any = 0;
        for (int i = 0; i < PATH_N; i++) {
            any |= support_dtypes(op, c_api, (enum product)p, (enum path)i);
        }
        if (any != 0) {
            len += (size_t)snprintf(text + len, size - len, "%s%s", len > 0 ? ", " : "; offered on ",
                                    product_name((enum product)p));
        }
    }
}

/* @return false if nothing else about the instruction makes sense. */
static bool check_support(const struct insn *in, const struct target *t, struct violations *out)
{
    const enum op op = (enum op)in->op;
    const char *doc = op_document(op);
    const bool c_api = (in->flags & INSN_C_API) != 0;
    char list[120];
    if (op == OP_MMAD || op == OP_MMAD_MX || op == OP_FILL) {
        return true; /* other tables: legality_rules.c */
    }
    switch (support_find(op, c_api, t->product, insn_path(in), (enum dtype)in->dtype)) {
    case SUPPORT_NO_TARGET:
        add_products(op, c_api, list, sizeof list);
        violation_add(out, E_TARGET, "", 0, doc, "%s is not offered on %s%s", op_name(op), product_name(t->product),
                      list);
        return false;
    case SUPPORT_NO_PATH:
        add_paths(op, c_api, t->product, list, sizeof list);
        violation_add(out, E_PATH, "", 0, doc, "%s -> %s is not offered on %s%s", buffer_name((enum buffer)in->src.buf),
                      buffer_name((enum buffer)in->dst.buf), product_name(t->product), list);
        return false;
    case SUPPORT_NO_DTYPE:
        add_dtypes(support_dtypes(op, c_api, t->product, insn_path(in)), list, sizeof list);
        violation_add(out, E_DTYPE, "dtype", in->dtype, doc, "%s is not among %s",
                      dtype_info((enum dtype)in->dtype)->ascend, list);
        return true;
    case SUPPORT_OK:
        break;
    }
    return true;
}

/* ---- ranges ---- */

/* Where a product's document gives another range than the field table. */
static const struct range_override {
    uint8_t op;
    bool is_3510; /* for arch 3510, or for all others */
    const char *field;
    int64_t min, max;
} overrides[] = {
    {OP_ND2NZ, false, "srcNdMatrixStride", 0, 65535}, /* A29: 950 widened these */
    {OP_ND2NZ, false, "srcDValue", 1, 65535},
    {OP_ND2NZ, false, "dstNzMatrixStride", 0, 16384},
    {OP_ND2NZ, true, "dValue", 0, UINT32_MAX},
    {OP_ND2NZ, true, "dstNzMatrixStride", 0, UINT32_MAX},
    {OP_DN2NZ, true, "dstNzMatrixStride", 0, UINT32_MAX},
    {OP_FIXPIPE, false, "srcNdStride", 0, 512},
    {OP_FIXPIPE, false, "dstNdStride", 0, 65535},
};

static void range_of(const struct insn *in, const struct target *t, const struct insn_field *f, int64_t *min,
                     int64_t *max)
{
    *min = f->min;
    *max = f->max;
    for (size_t i = 0; i < sizeof overrides / sizeof overrides[0]; i++) {
        const struct range_override *o = &overrides[i];
        if (o->op == in->op && o->is_3510 == (t->arch == 3510) && strcmp(o->field, f->name) == 0) {
            *min = o->min;
            *max = o->max;
        }
    }
}

static void check_ranges(const struct insn *in, const struct target *t, struct violations *out)
{
    size_t count;
    const struct insn_field *fields = insn_fields((enum op)in->op, &count);
    for (size_t i = 0; i < count; i++) {
        const int64_t value = insn_field_get(in, &fields[i]);
        int64_t min, max;
        range_of(in, t, &fields[i], &min, &max);
        if (value < min || value > max) {
            violation_add(out, E_RANGE, fields[i].name, value, op_document((enum op)in->op),
                          "not in [%" PRId64 ", %" PRId64 "]", min, max);
        }
    }
}

/* ---- alignment ---- */

static void check_align(const struct insn *in, const char *operand, const struct addr *a, int64_t align,
                        struct violations *out)
{
    if (align > 1 && a->byte % align != 0) {
        violation_add(out, E_ALIGN, operand, a->byte, op_document((enum op)in->op),
                      "byte 0x%" PRIx64 " of %s is not a multiple of %" PRId64, (uint64_t)a->byte,
                      buffer_name((enum buffer)a->buf), align);
    }
}

static void check_alignment(const struct insn *in, const struct target *t, struct violations *out)
{
    const enum op op = (enum op)in->op;
    const bool mmad = op == OP_MMAD || op == OP_MMAD_MX;
    /* MmadMx asks more of its b8 operands. */
    const int64_t wide = op == OP_MMAD_MX && dtype_info((enum dtype)in->dtype)->bits == 8 ? 1024 : 0;
    check_align(in, "dst", &in->dst, t->align_dst[in->dst.buf], out);
    if (op != OP_FILL) {
        check_align(in, mmad ? "a" : "src", &in->src, wide != 0 ? wide : t->align_src[in->src.buf], out);
    }
    if (mmad || op == OP_LOAD_MX) {
        check_align(in, mmad ? "b" : "src_mx", &in->src2, wide != 0 ? wide : t->align_src[in->src2.buf], out);
    }
    if (mmad && in->p.mmad.cmatrixInitVal == 0 && in->p.mmad.cmatrixSource != 0) {
        const struct addr bias = {.buf = BUF_BT, .byte = in->p.mmad.biasAddr};
        check_align(in, "bias", &bias, t->align_src[BUF_BT], out);
    }
}

/* ---- bounds and overlaps: walk the footprint ---- */

enum { PIECE_N = PIECE_RESULT + 1 };

/* All bytes of one operand that the call touches. */
struct extent {
    int64_t from, to;
    bool any, bad; /* some of them outside of the buffer */
    struct addr at;
};

struct walk {
    const struct insn *in;
    const struct target *t;
    struct violations *out;
    struct extent read[PIECE_N], write[PIECE_N];
    uint8_t *written[2]; /* one bit per 32 B of the data and the scale destination */
    int64_t outside;     /* pieces looked at since something was outside */
    bool cut;            /* more of them than anyone waits for: extents go on */
};

/* How long a GM tensor is, its user knows; that it starts at 0 is known here. */
static bool outside(const struct walk *w, const struct addr *a, int64_t offset, int64_t len)
{
    return len > 0 && (a->byte + offset < 0 || (a->buf != BUF_GM && a->byte + offset + len > w->t->physical[a->buf]));
}

static void extend(const struct walk *w, struct extent *e, const struct addr *a, int64_t offset, int64_t len)
{
    const int64_t from = a->byte + offset, to = from + len;
    if (len > 0) {
        e->from = !e->any || from < e->from ? from : e->from;
        e->to = !e->any || to > e->to ? to : e->to;
        e->at = *a;
        e->any = true;
        e->bad = e->bad || outside(w, a, offset, len);
    }
}

static void add_bounds(struct walk *w, enum violation_code code, const char *operand, const struct extent *e)
{
    const enum buffer buf = (enum buffer)e->at.buf;
    if (!e->bad) {
        return;
    }
    if (buf == BUF_GM) {
        violation_add(w->out, code, operand, e->from, op_document((enum op)w->in->op),
                      "byte %" PRId64 " lies in front of the GM tensor", e->from);
        return;
    }
    violation_add(w->out, code, operand, e->from, op_document((enum op)w->in->op),
                  "bytes [%" PRId64 ", %" PRId64 ")%s leave the %" PRId64 " bytes of %s", e->from, e->to,
                  w->cut ? " and more" : "", w->t->physical[buf], buffer_name(buf));
}

/* @return true if some block of the range was written before. */
static bool mark_written(uint8_t *map, int64_t from, int64_t len)
{
    bool twice = false;
    for (int64_t b = from / 32; b < (from + len + 31) / 32; b++) {
        const uint8_t bit = (uint8_t)(1U << b % 8);
        twice = twice || (map[b / 8] & bit) != 0;
        map[b / 8] |= bit;
    }
    return twice;
}

static bool visit_piece(void *ctx, const struct piece *p)
{
    struct walk *w = ctx;
    const struct insn *in = w->in;
    const bool scale = p->operand == PIECE_SCALE, right = p->operand == PIECE_RIGHT;
    const struct addr *src = scale || right ? &in->src2 : &in->src;
    struct addr dst = in->dst;
    if (scale) {
        dst.buf = in->dst.buf == BUF_L0B ? BUF_L0B_MX : BUF_L0A_MX;
        dst.byte = in->dst.byte / 16;
    }
    extend(w, &w->read[p->operand], src, p->src, p->src_len);
    if (p->dst_len == 0 || dst.buf == BUF_GM) {
        return true;
    }
    extend(w, &w->write[p->operand], &dst, p->dst, p->dst_len);
    if (w->write[p->operand].bad) {
        w->cut = ++w->outside > LIMIT_PIECES_OUTSIDE;
        return !w->cut; /* on to its end */
    }
    if (w->written[scale] != NULL && mark_written(w->written[scale], dst.byte + p->dst, p->dst_len)) {
        violation_add(w->out, E_OVERLAP, scale ? "dst_mx" : "dst", dst.byte + p->dst, op_document((enum op)in->op),
                      "byte %" PRId64 " of %s is written twice by one call; the order is not documented",
                      dst.byte + p->dst, buffer_name((enum buffer)dst.buf));
        return false;
    }
    return true;
}

static void check_footprint(const struct insn *in, const struct target *t, struct violations *out)
{
    struct walk w = {.in = in, .t = t, .out = out};
    for (int i = 0; i < 2; i++) {
        const int64_t size = i == 0 ? t->physical[in->dst.buf] : t->physical[BUF_L0A_MX];
        const bool used = in->dst.buf != BUF_GM && (i == 0 || in->op == OP_LOAD_MX);
        w.written[i] = used && size > 0 ? calloc((size_t)size / 256 + 1, 1) : NULL;
    }
    (void)footprint_visit(in, t, visit_piece, &w);
    for (int i = 0; i < PIECE_N; i++) {
        add_bounds(&w, E_SRC_BOUNDS, i == PIECE_SCALE ? "src_mx" : i == PIECE_RIGHT ? "b" : "src", &w.read[i]);
    }
    for (int i = 0; i < PIECE_N; i++) {
        add_bounds(&w, E_DST_BOUNDS, i == PIECE_SCALE ? "dst_mx" : "dst", &w.write[i]);
    }
    free(w.written[0]);
    free(w.written[1]);
}

void legality_check(const struct insn *in, const struct target *t, const struct legality_state *state,
                    struct violations *out)
{
    static const struct legality_state nothing_set = {0};
    const size_t before = out->errors;
    if (in->op >= OP_N || in->dtype >= DTYPE_N || in->dst.buf >= BUF_N || in->src.buf >= BUF_N ||
        in->src2.buf >= BUF_N) {
        violation_add(out, E_PARAM, "op", in->op, "", "no instruction");
        return;
    }
    if (in->op == OP_PIPE_BARRIER) {
        check_ranges(in, t, out);
    }
    if (in->op < OP_ND2NZ || in->op > OP_FIXPIPE) {
        return; /* flags and registers have no tables; the race check judges flags */
    }
    if (!check_support(in, t, out) || !legality_op_support(in, t, out)) {
        return;
    }
    check_ranges(in, t, out);
    if (insn_is_nop(in)) {
        return;
    }
    check_alignment(in, t, out);
    for (size_t i = 0; i < out->count; i++) {
        if (out->v[i].code == E_DTYPE) {
            return; /* what follows depends on the width of the elements */
        }
    }
    legality_op_rules(in, t, state != NULL ? state : &nothing_set, out);
    if (out->errors == before) { /* else the footprint means nothing */
        check_footprint(in, t, out);
    }
    legality_op_notes(in, t, out);
}
