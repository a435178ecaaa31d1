#include "isa/alias.h"

#include <string.h>

#include "target/core.h"

/* The documents' functions, where one name means one instruction. */
static const struct {
    const char *name;
    enum op op;
} functions[] = {{"fixpipe_nz2nd", OP_FIXPIPE},
                 {"LoadData2D", OP_LOAD_2D},
                 {"LoadData2DV2", OP_LOAD_2D_V2},
                 {"LoadData3D", OP_LOAD_3D},
                 {"LoadData3DV2", OP_LOAD_3D},
                 {"LoadDataMx", OP_LOAD_MX},
                 {"LoadDataWithTranspose", OP_LOAD_TRANSPOSE},
                 {"LoadDataWithTransposeV2", OP_LOAD_TRANSPOSE_V2},
                 {"LoadDataWithStride", OP_LOAD_3D_STRIDE},
                 {"Mmad", OP_MMAD},
                 {"MmadMx", OP_MMAD_MX},
                 {"Fixpipe", OP_FIXPIPE},
                 {"Fill", OP_FILL},
                 {"DataCopyPad", OP_DATA_COPY_PAD},
                 {"SetFmatrix", OP_SET_FMATRIX},
                 {"SetLoadDataPaddingValue", OP_SET_PADDING},
                 {"SetLoadDataRepeat", OP_SET_REPEAT},
                 {"SetLoadDataRepeatWithStride", OP_SET_REPEAT_STRIDE}};

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
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            *out = (struct insn_name){functions[i].op, false};
            return true;
        }
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
    } positions[] = {{"A1", BUF_L1},  {"B1", BUF_L1},   {"C1", BUF_L1}, {"A2", BUF_L0A},
                     {"B2", BUF_L0B}, {"CO1", BUF_L0C}, {"C2", BUF_BT}, {"C2PIPE2GM", BUF_FB}};
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

const char *product_chip(enum product product)
{
    static const char *const chips[PRODUCT_N] = {
        [PRODUCT_ASCEND950] = "ascend950pr_9589", [PRODUCT_ATLAS_A3] = "ascend910c",
        [PRODUCT_ASCEND910B] = "ascend910b1",     [PRODUCT_ASCEND310B] = "ascend310b1",
        [PRODUCT_ASCEND310P] = "ascend310p1",     [PRODUCT_ASCEND910] = "ascend910a",
        [PRODUCT_KIRIN_X90] = "kirin_x90",        [PRODUCT_KIRIN_9030] = "kirin_9030",
    };
    return (unsigned)product < PRODUCT_N ? chips[product] : NULL;
}
