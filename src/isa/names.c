#include "isa/insn.h"

static const char *const op_names[OP_N] = {
    [OP_NOP] = "nop",
    [OP_ND2NZ] = "nd2nz",
    [OP_DN2NZ] = "dn2nz",
    [OP_DATA_COPY] = "data_copy",
    [OP_DATA_COPY_PAD] = "data_copy_pad",
    [OP_FILL] = "fill",
    [OP_LOAD_2D] = "load_data_2d",
    [OP_LOAD_2D_V2] = "load_data_2d_v2",
    [OP_LOAD_TRANSPOSE] = "load_data_with_transpose",
    [OP_LOAD_TRANSPOSE_V2] = "load_data_with_transpose_v2",
    [OP_LOAD_MX] = "load_data_mx",
    [OP_LOAD_3D] = "load_data_3d",
    [OP_LOAD_3D_STRIDE] = "load_data_with_stride",
    [OP_L1_TO_BT] = "l1_to_bt",
    [OP_L1_TO_FB] = "l1_to_fb",
    [OP_MMAD] = "mmad",
    [OP_MMAD_MX] = "mmad_mx",
    [OP_FIXPIPE] = "fixpipe",
    [OP_SET_FLAG] = "set_flag",
    [OP_WAIT_FLAG] = "wait_flag",
    [OP_PIPE_BARRIER] = "pipe_barrier",
    [OP_SET_FMATRIX] = "set_fmatrix",
    [OP_SET_PADDING] = "set_padding",
    [OP_SET_REPEAT] = "set_repeat",
    [OP_SET_REPEAT_STRIDE] = "set_repeat_stride",
    [OP_SET_HF32] = "set_hf32",
    [OP_SET_MM_ORDER] = "set_mm_order",
    [OP_SET_ATOMIC] = "set_atomic",
};

const char *op_name(enum op op)
{
    return (unsigned)op < OP_N ? op_names[op] : "?";
}
