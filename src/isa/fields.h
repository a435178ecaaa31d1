/* fields.h - every parameter of every instruction as data.
 *
 * One table per op: the document's field name, where the value lives in
 * struct insn, the width of the document's C type, default, documented range,
 * unit and meaning.  The text form, the parser of `name=value`, the legality
 * check and the mutation test all walk these tables; nothing else in the
 * program lists the fields. */
#ifndef ISA_FIELDS_H
#define ISA_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "isa/insn.h"

enum field_kind {
    FIELD_INT = 0,
    FIELD_BOOL,
    FIELD_HEX,   /* an integer people read in hexadecimal: bit patterns */
    FIELD_DTYPE, /* value is an enum dtype, written by its name */
    FIELD_QUANT, /* enum quant_mode, written by its QuantMode_t name */
    FIELD_FORMAT /* enum fixpipe_format: ND, NZ, DN */
};

struct insn_field {
    const char *name;
    uint8_t offset; /* bytes from the start of struct insn */
    uint8_t size;   /* bytes in struct insn: 1, 2, 4, 8 */
    bool is_signed;
    uint8_t c_bits;   /* width of the document's C type; 1 for bool */
    uint8_t kind;     /* enum field_kind */
    int64_t def;      /* default of the document's struct */
    int64_t min, max; /* documented range (semantics.md section 4, kernel_rules 3..7) */
    const char *unit; /* "fractal", "32 B", "element", "" */
    const char *meaning;
};

/* Parameters of `op`, in the document's order; *count may be 0. Never NULL. */
const struct insn_field *insn_fields(enum op op, size_t *count);

/* Name of the document's parameter struct, "" if none; and the document it
 * stands in, as a page name. */
const char *op_struct_name(enum op op);
const char *op_document(enum op op);

/* Exact name, or NULL. "mx." names reach the scale part of load_data_mx. */
const struct insn_field *insn_field_find(enum op op, const char *name);

int64_t insn_field_get(const struct insn *insn, const struct insn_field *field);

/* @return false, and stores the truncated value, if `value` does not fit the
 * storage in struct insn (the document's type may be narrower: see c_bits). */
bool insn_field_set(struct insn *insn, const struct insn_field *field, int64_t value);

/* Range of the document's C type, e.g. uint16_t: [0, 65535]. */
void insn_field_type_range(const struct insn_field *field, int64_t *lo, int64_t *hi);

/* Writes "half", "QF322B8_PRE", "0x3c00" or a decimal number as the field's kind asks. */
void insn_field_format(const struct insn_field *field, int64_t value, struct strbuf *out);

/* Reads what insn_field_format writes, also 0x.. for every integer, true/false
 * for bools. @return false if `text` is no value of this kind. */
bool insn_field_parse(const struct insn_field *field, const char *text, int64_t *value);

/* Zeroed insn with the documents' defaults, the op's pipe and this dtype.
 * Set the addresses, then call insn_set_pipe if a buffer decides the pipe. */
void insn_init(struct insn *insn, enum op op, enum dtype dtype);

/* The pipe the instruction runs on, from op and destination. */
enum pipe insn_pipe(const struct insn *insn);
void insn_set_pipe(struct insn *insn);

/* (source, destination); PATH_N if the documents know no such path. */
enum path insn_path(const struct insn *insn);

const char *quant_mode_name(enum quant_mode mode);
enum quant_mode quant_mode_from_name(const char *name); /* QUANT_N if unknown */
/* One scale word per column in FB (modes VDEQF16, VREQ8, VQ...). */
bool quant_mode_is_vector(enum quant_mode mode);

/* Instruction on one line in the documents' terms, e.g.
 *   MTE1 LoadData L0A+0x0 <- L1+0x400 half LoadData3DParamsV2{l1H=1, ...}
 * Fields at their default are left out unless `all`. */
void insn_format(const struct insn *insn, struct strbuf *out);
void insn_format_all(const struct insn *insn, struct strbuf *out);

/* "GM.B+0x1000", "L0A+0x0" */
void addr_format(const struct addr *addr, struct strbuf *out);

#endif
