#include "isa/alias.h"

#include <string.h>

#include "target/core.h"

bool insn_name_find(const char *name, int arch, struct insn_name *out)
{
    static const char *const c_names[] = {"asc_copy_l12l0a_trans", "asc_copy_l12l0b_trans"};
    const size_t length = strlen(name), suffix = strlen("_sync");
    const bool sync = length > suffix && strcmp(name + length - suffix, "_sync") == 0;
    for (size_t i = 0; i < sizeof c_names / sizeof *c_names; i++) {
        const size_t stem = strlen(c_names[i]);
        if (strncmp(name, c_names[i], stem) == 0 && length == stem + (sync ? suffix : 0)) {
            *out = (struct insn_name){arch == 3510 ? OP_LOAD_TRANSPOSE_V2 : OP_LOAD_TRANSPOSE, true};
            return true;
        }
    }
    if (strcmp(name, "fixpipe_nz2nd") == 0) {
        *out = (struct insn_name){OP_FIXPIPE, false};
        return true;
    }
    for (int op = OP_NOP; op < OP_N; op++) {
        if (strcmp(op_name((enum op)op), name) == 0) {
            *out = (struct insn_name){(enum op)op, false};
            return true;
        }
    }
    return false;
}

const struct insn_field *insn_argument(const struct insn_name *name, const char *argument)
{
    static const struct {
        bool c_api;
        const char *argument, *field;
    } arguments[] = {
        {true, "index_id", "startIndex"},
        {true, "repeat", "repeatTimes"},
        {true, "src_stride", "srcStride"},
        {true, "dst_gap", "dstGap"},
        {true, "dst_frac_gap", "dstFracGap"},
        {true, "src_frac_gap", "srcFracGap"},
        {true, "enable_addr_decrement", "addrMode"},
        {false, "dstfracGap", "dstFracGap"},
        {false, "srcfracGap", "srcFracGap"},
    };
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        if (arguments[i].c_api == name->c_api && strcmp(arguments[i].argument, argument) == 0) {
            return insn_field_find(name->op, arguments[i].field);
        }
    }
    return insn_field_find(name->op, argument);
}

enum buffer buffer_from_name(const char *name)
{
    static const struct {
        const char *position;
        enum buffer buf;
    } positions[] = {{"A1", BUF_L1},   {"B1", BUF_L1},  {"C1", BUF_L1}, {"A2", BUF_L0A},
                     {"B2", BUF_L0B},  {"CO1", BUF_L0C}, {"C2", BUF_BT}, {"C2PIPE2GM", BUF_FB}};
    for (int i = 0; i < BUF_N; i++) {
        if (strcmp(buffer_name((enum buffer)i), name) == 0) {
            return (enum buffer)i;
        }
    }
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
        if (strcmp(positions[i].position, name) == 0) {
            return positions[i].buf;
        }
    }
    return BUF_N;
}
