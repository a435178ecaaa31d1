/* insn_map_text.c - parameters, legality and bytes of one instruction. */
#include <inttypes.h>
#include <string.h>

#include "isa/access.h"
#include "isa/footprint.h"
#include "report/insn_map.h"

/* What was written for a field that cannot hold it; NULL: it holds what was written. */
static const struct violation *not_held(const struct insn_text *t, const struct insn_field *field)
{
    int64_t held = insn_field_get(&t->insn, field);
    for (size_t i = 0; i < t->violations.count; i++) {
        const struct violation *v = &t->violations.v[i];
        if (v->code == E_RANGE && strcmp(v->field, field->name) == 0 && v->value != held) {
            return v;
        }
    }
    return NULL;
}

static void parameters(const struct insn_text *t, struct strbuf *out)
{
    const struct insn *in = &t->insn;
    size_t count;
    const enum op op = (enum op)in->op;
    const struct insn_field *fields = insn_fields(op, &count);
    if (count == 0) {
        return;
    }
    strbuf_addf(out, "\nParameters%s%s (page %s; * differs from its default)\n",
                op_struct_name(op)[0] != '\0' ? " " : "", op_struct_name(op), op_document(op));
    for (size_t i = 0; i < count; i++) {
        struct strbuf value;
        strbuf_init(&value);
        const int64_t v = insn_field_get(in, &fields[i]);
        const struct violation *lost = not_held(t, &fields[i]);
        if (lost != NULL) {
            strbuf_addf(out, "  %-18s *%8" PRId64 " %-10s does not fit the field, which stays %" PRId64 "\n",
                        fields[i].name, lost->value, fields[i].unit, v);
            strbuf_fini(&value);
            continue;
        }
        insn_field_format(&fields[i], v, &value);
        strbuf_addf(out, "  %-18s %c%8s %-10s %s\n", fields[i].name, v != fields[i].def ? '*' : ' ',
                    strbuf_cstr(&value), fields[i].unit, fields[i].meaning);
        strbuf_fini(&value);
    }
}

static void legality(const struct insn_text *t, const struct target *target, struct strbuf *out)
{
    const struct violations *v = &t->violations;
    if (v->errors == 0) {
        strbuf_addf(out, "\nLegal on %s (%s)\n", target->name, product_name(target->product));
    } else {
        strbuf_addf(out, "\nNOT legal on %s (%s): %zu rule%s broken\n", target->name, product_name(target->product),
                    v->errors, v->errors == 1 ? "" : "s");
    }
    for (size_t i = 0; i < v->count; i++) {
        strbuf_add(out, "  ");
        violation_format(&v->v[i], out);
        strbuf_add(out, "\n");
    }
    if (v->errors == 0 && insn_is_nop(&t->insn)) {
        strbuf_add(out, "  note: does nothing: a count or an extent is 0\n");
    }
}

/* Reads and writes, as isa/access.h has them. */
static void bytes(const struct insn *in, const struct target *target, struct strbuf *out)
{
    struct access a[ACCESS_MAX];
    const int n = access_of(target, NULL, in, a);
    if (n == 0) {
        return;
    }
    strbuf_add(out, "\nBytes\n");
    for (int i = 0; i < n; i++) {
        int64_t lo, hi;
        access_hull(&a[i], &lo, &hi);
        const int64_t runs = access_runs(&a[i]);
        strbuf_addf(out, "  %s %-6s %8" PRId64 " B in [0x%" PRIx64 ", 0x%" PRIx64 ")", a[i].write ? "writes" : "reads ",
                    buffer_name((enum buffer)a[i].buf), runs * a[i].len, (uint64_t)lo, (uint64_t)hi);
        if (runs > 1) {
            strbuf_addf(out, ", %" PRId64 " runs of %" PRId64 " B", runs, a[i].len);
        }
        strbuf_add(out, "\n");
    }
}

void insn_report_text(const struct insn_text *t, const struct target *target, struct strbuf *out)
{
    const struct insn *in = &t->insn;
    insn_format(in, out);
    strbuf_add(out, "\n");
    legality(t, target, out);
    parameters(t, out);
    if (t->violations.errors == 0 && !insn_is_nop(in)) {
        bytes(in, target, out);
        if (in->op >= OP_ND2NZ && in->op <= OP_FIXPIPE) {
            insn_cycles_text(in, target, out);
        }
    }
}
