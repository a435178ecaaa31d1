/* errors.csv: invalid uses, each of which must be refused with its code. */
#include <stdio.h>
#include <string.h>

#include "engine/conform_internal.h"
#include "text/csv.h"

enum column { COL_ID, COL_INSTR, COL_TARGET, COL_DTYPE, COL_PATH, COL_PARAMS, COL_EXPECT, COL_N };
static const char *const columns[COL_N] = {"id", "instr", "target", "dtype", "path", "params", "expect"};

struct errors_file {
    struct conform_context *cx;
    struct csv_table table;
    int column[COL_N];
};

static const char *field(const struct errors_file *f, size_t row, enum column c)
{
    return f->table.rows[row].fields[f->column[c]];
}

static enum status invalid(const struct errors_file *f, size_t row, enum column c, const char *what, const char *word)
{
    const struct location at = csv_location(&f->table, row, (size_t)f->column[c]);
    return diag_error(f->cx->d, STATUS_INVALID, &at, "%s: %s%s%s", field(f, row, COL_ID), what,
                      word[0] != '\0' ? ": " : "", word);
}

/* Names with a meaning here only: offsets of operands, a second dtype. */
static bool set_operand(struct insn_text *ci, const char *name, const char *text, bool *ok)
{
    int64_t byte = 0;
    *ok = true;
    if (strcmp(name, "dst_dtype") == 0) {
        const enum dtype type = dtype_from_name(text);
        *ok = type != DTYPE_NONE;
        if (*ok && type != ci->insn.dtype) {
            violation_add(&ci->violations, E_DTYPE, "dst_dtype", type, op_document(ci->name.op),
                          "source and destination have the same type");
        }
        return true;
    }
    struct addr *a = strcmp(name, "src_off") == 0 || strcmp(name, "a_off") == 0      ? &ci->insn.src
                     : strcmp(name, "dst_off") == 0                                  ? &ci->insn.dst
                     : strcmp(name, "src_mx_off") == 0 || strcmp(name, "b_off") == 0 ? &ci->insn.src2
                                                                                     : NULL;
    if (a == NULL && strcmp(name, "bias_off") != 0) {
        return false;
    }
    *ok = vec_integer(text, &byte);
    if (a != NULL) {
        a->byte = byte;
    } else {
        ci->insn.p.mmad.biasAddr = (uint32_t)byte;
    }
    return true;
}

static enum status set_params(const struct errors_file *f, size_t row, struct insn_text *ci)
{
    char text[1024];
    const char *params = field(f, row, COL_PARAMS);
    if (snprintf(text, sizeof text, "%s", params) >= (int)sizeof text) {
        return invalid(f, row, COL_PARAMS, "too long", "");
    }
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        if (equals == NULL) {
            return invalid(f, row, COL_PARAMS, "not name=value", word);
        }
        *equals = '\0';
        bool ok;
        if (set_operand(ci, word, equals + 1, &ok)) {
            if (!ok) {
                return invalid(f, row, COL_PARAMS, "no value", equals + 1);
            }
            continue;
        }
        const char *wrong = insn_text_set(ci, word, equals + 1);
        if (wrong != NULL) {
            return invalid(f, row, COL_PARAMS, wrong, word);
        }
    }
    return STATUS_OK;
}

/* The violations of a row, in the order found. */
static void describe(const struct violations *v, struct strbuf *out)
{
    size_t shown = 0;
    for (size_t i = 0; i < v->count; i++) {
        if (v->v[i].code != E_NONE) {
            strbuf_add(out, shown++ == 0 ? "" : "; ");
            violation_format(&v->v[i], out);
        }
    }
    if (shown == 0) {
        strbuf_add(out, "nothing");
    }
}

static bool has_code(const struct violations *v, enum violation_code code)
{
    for (size_t i = 0; i < v->count; i++) {
        if (v->v[i].code == code) {
            return true;
        }
    }
    return false;
}

static enum status run_row(const struct errors_file *f, size_t row, struct conform_entry *entry)
{
    struct insn_text ci;
    const enum product product = product_from_name(field(f, row, COL_TARGET));
    const enum violation_code expect = violation_code_from_name(field(f, row, COL_EXPECT));
    if (product == PRODUCT_N) {
        return invalid(f, row, COL_TARGET, "unknown target", field(f, row, COL_TARGET));
    }
    if (expect == E_NONE) {
        return invalid(f, row, COL_EXPECT, "unknown code", field(f, row, COL_EXPECT));
    }
    const struct target *t = conform_target(f->cx, product);
    if (t == NULL) {
        return STATUS_INVALID;
    }
    if (!insn_text_start(&ci, field(f, row, COL_INSTR), field(f, row, COL_DTYPE), t->arch)) {
        return invalid(f, row, COL_INSTR, "unknown instr or dtype", field(f, row, COL_INSTR));
    }
    if (!insn_text_path(&ci, field(f, row, COL_PATH))) {
        return invalid(f, row, COL_PATH, "unknown path", field(f, row, COL_PATH));
    }
    TRY(set_params(f, row, &ci));
    insn_set_pipe(&ci.insn);
    legality_check(&ci.insn, t, NULL, &ci.violations);
    if (has_code(&ci.violations, expect)) {
        return STATUS_OK;
    }
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text, "%s: expected %s, got ", field(f, row, COL_INSTR), violation_code_name(expect));
    describe(&ci.violations, &text);
    entry->verdict = CONFORM_FAIL;
    entry->text = arena_strdup(f->cx->arena, strbuf_cstr(&text));
    strbuf_fini(&text);
    return STATUS_OK;
}

enum status conform_errors(struct conform_context *cx, const char *path, const struct conform_options *options,
                           struct conform_report *report, struct diag *d)
{
    struct errors_file f = {.cx = cx};
    if ((options->kind != NULL && strcmp(options->kind, "error") != 0) || options->confidence != NULL) {
        return STATUS_OK;
    }
    TRY(csv_load(path, cx->arena, &f.table, d));
    for (int i = 0; i < COL_N; i++) {
        f.column[i] = csv_column(&f.table, columns[i]);
        if (f.column[i] < 0) {
            return diag_error(d, STATUS_INVALID, NULL, "%s: there is no column '%s'", path, columns[i]);
        }
    }
    enum status worst = f.table.bad > 0 ? STATUS_INVALID : STATUS_OK;
    for (size_t row = 0; row < f.table.count; row++) {
        struct conform_entry entry = {.id = field(&f, row, COL_ID), .kind = "error", .text = ""};
        const enum status st = run_row(&f, row, &entry);
        worst = st != STATUS_OK ? st : worst;
        if (st == STATUS_OK) {
            TRY(conform_append(cx, report, &entry));
        }
    }
    return worst;
}
