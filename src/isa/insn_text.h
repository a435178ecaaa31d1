/* insn_text.h - instructions from words: "NAME key=value ...".
 *
 * One reader for vector files, errors.csv and `tilescope insn`: names of the
 * documents, of the C API and of older headers, fields by their documents'
 * names, operands as BUFFER+BYTE.  A value that fits no C field is no error of
 * the reader but a violation. */
#ifndef ISA_INSN_TEXT_H
#define ISA_INSN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "isa/alias.h"
#include "isa/legality.h"
#include "target/target.h"

/* An instruction being built from words. */
struct insn_text {
    struct insn insn;
    struct insn_name name;
    struct violations violations; /* of values that fit no field */
};

/* Starts one: looks the name up, sets defaults.  @return false if the name or dtype is unknown. */
bool insn_text_start(struct insn_text *t, const char *instr, const char *dtype, int arch);

/* Sets `name` to `text`; padList takes four values with commas.  @return NULL,
 * or what is wrong. */
const char *insn_text_set(struct insn_text *t, const char *name, const char *text);

/* "L1->L0A", "L0A+L0B->L0C", "const->L1", "A1->A2" to the buffers of the operands. */
bool insn_text_path(struct insn_text *t, const char *path);

/* ---- a whole line ---- */

struct insn_word {
    const char *text;
    struct location at; /* of the word; all zero: no file */
};

/* What stands before a line: defaults of its words, registers set by earlier lines. */
struct insn_context {
    const struct target *target;
    const char *dtype; /* NULL: half, for MX fp8_e4m3 */
    const char *path;  /* NULL: the first path on which the target offers the instruction */
    struct legality_state set;
    struct load_3d_params repeat; /* SetLoadDataRepeat, ...WithStride in force */
    bool repeat_set, stride_set;
};

enum { INSN_WORDS_MAX = 64 };

/* "NAME key=value ..": fields, dtype=, path=, and operands dst= src= a= b= src_mx=
 * (BUFFER, BUFFER+BYTE, +BYTE; GM.A+BYTE), bias= and quant= (byte in BT, FB).
 * Register instructions change `cx` for the lines after them.
 * @return STATUS_OK; STATUS_INVALID with all that is wrong in `d`. */
enum status insn_text_line(struct insn_text *t, const struct insn_word *words, size_t count, struct insn_context *cx,
                           struct diag *d);

#endif
