#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/fields.h"

static const char *const quant_names[QUANT_N] = {
    [QUANT_NONE] = "NoQuant",
    [QUANT_F322F16] = "F322F16",
    [QUANT_F322BF16] = "F322BF16",
    [QUANT_DEQF16] = "DEQF16",
    [QUANT_VDEQF16] = "VDEQF16",
    [QUANT_QF322B8_PRE] = "QF322B8_PRE",
    [QUANT_VQF322B8_PRE] = "VQF322B8_PRE",
    [QUANT_REQ8] = "REQ8",
    [QUANT_VREQ8] = "VREQ8",
    [QUANT_QF322FP8_PRE] = "QF322FP8_PRE",
    [QUANT_VQF322FP8_PRE] = "VQF322FP8_PRE",
    [QUANT_QF322HIF8_PRE] = "QF322HIF8_PRE",
    [QUANT_VQF322HIF8_PRE] = "VQF322HIF8_PRE",
    [QUANT_QF322HIF8_PRE_HYBRID] = "QF322HIF8_PRE_HYBRID",
    [QUANT_VQF322HIF8_PRE_HYBRID] = "VQF322HIF8_PRE_HYBRID",
    [QUANT_QS322BF16_PRE] = "QS322BF16_PRE",
    [QUANT_VQS322BF16_PRE] = "VQS322BF16_PRE",
    [QUANT_QF322F16_PRE] = "QF322F16_PRE",
    [QUANT_VQF322F16_PRE] = "VQF322F16_PRE",
    [QUANT_QF322BF16_PRE] = "QF322BF16_PRE",
    [QUANT_VQF322BF16_PRE] = "VQF322BF16_PRE",
    [QUANT_QF322F32_PRE] = "QF322F32_PRE",
    [QUANT_VQF322F32_PRE] = "VQF322F32_PRE",
};
static const char *const format_names[] = {"ND", "NZ", "DN"};
static const char *const tensor_names[TENSOR_N] = {"A", "B", "scaleA", "scaleB", "bias", "quant", "C", "workspace"};

/* The documents' function of an op; ops that are one DataCopy or LoadData share it. */
static const char *const call_names[OP_N] = {
    [OP_NOP] = "Nop",
    [OP_ND2NZ] = "DataCopy",
    [OP_DN2NZ] = "DataCopy",
    [OP_DATA_COPY] = "DataCopy",
    [OP_DATA_COPY_PAD] = "DataCopyPad",
    [OP_FILL] = "Fill",
    [OP_LOAD_2D] = "LoadData",
    [OP_LOAD_2D_V2] = "LoadData",
    [OP_LOAD_TRANSPOSE] = "LoadDataWithTranspose",
    [OP_LOAD_TRANSPOSE_V2] = "LoadDataWithTranspose",
    [OP_LOAD_MX] = "LoadData",
    [OP_LOAD_3D] = "LoadData",
    [OP_LOAD_3D_STRIDE] = "LoadDataWithStride",
    [OP_L1_TO_BT] = "DataCopy",
    [OP_L1_TO_FB] = "DataCopy",
    [OP_MMAD] = "Mmad",
    [OP_MMAD_MX] = "MmadMx",
    [OP_FIXPIPE] = "Fixpipe",
    [OP_SET_FLAG] = "SetFlag",
    [OP_WAIT_FLAG] = "WaitFlag",
    [OP_PIPE_BARRIER] = "PipeBarrier",
    [OP_SET_FMATRIX] = "SetFmatrix",
    [OP_SET_PADDING] = "SetLoadDataPaddingValue",
    [OP_SET_REPEAT] = "SetLoadDataRepeat",
    [OP_SET_REPEAT_STRIDE] = "SetLoadDataRepeatWithStride",
    [OP_SET_HF32] = "SetHF32Mode",
    [OP_SET_MM_ORDER] = "SetMMOrder",
    [OP_SET_ATOMIC] = "SetAtomic",
};

const char *quant_mode_name(enum quant_mode mode)
{
    return (unsigned)mode < QUANT_N ? quant_names[mode] : "?";
}

enum quant_mode quant_mode_from_name(const char *name)
{
    int i = 0;
    while (i < QUANT_N && strcmp(quant_names[i], name) != 0) {
        i++;
    }
    return (enum quant_mode)i;
}

bool quant_mode_is_vector(enum quant_mode mode)
{
    return quant_mode_name(mode)[0] == 'V';
}

void insn_field_format(const struct insn_field *field, int64_t value, struct strbuf *out)
{
    switch ((enum field_kind)field->kind) {
    case FIELD_HEX:
        strbuf_addf(out, "0x%" PRIx64, (uint64_t)value);
        return;
    case FIELD_DTYPE:
        strbuf_add(out, value >= 0 && value < DTYPE_N ? dtype_info((enum dtype)value)->ascend : "?");
        return;
    case FIELD_QUANT:
        strbuf_add(out, quant_mode_name((enum quant_mode)value));
        return;
    case FIELD_FORMAT:
        strbuf_add(out, value >= 0 && value <= FIXPIPE_DN ? format_names[value] : "?");
        return;
    case FIELD_INT:
    case FIELD_BOOL:
        break;
    }
    strbuf_addf(out, "%" PRId64, value);
}

/* Decimal or 0x hexadecimal, whole text; 64-bit patterns keep their bits. */
static bool parse_integer(const char *text, int64_t *value)
{
    const bool hex = strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0;
    const char *digits = text + (hex ? 2 : *text == '-');
    if (*digits == '\0' || strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits)) {
        return false;
    }
    errno = 0;
    if (hex) {
        *value = (int64_t)strtoull(digits, NULL, 16);
    } else {
        *value = strtoll(text, NULL, 10);
    }
    return errno == 0;
}

bool insn_field_parse(const struct insn_field *field, const char *text, int64_t *value)
{
    switch ((enum field_kind)field->kind) {
    case FIELD_DTYPE:
        *value = dtype_from_name(text);
        return *value != DTYPE_NONE || strcmp(text, "none") == 0;
    case FIELD_QUANT:
        *value = quant_mode_from_name(text);
        return *value != QUANT_N;
    case FIELD_FORMAT:
        for (*value = FIXPIPE_ND; *value <= FIXPIPE_DN && strcmp(text, format_names[*value]) != 0; ++*value) {
        }
        return *value <= FIXPIPE_DN;
    case FIELD_BOOL:
        if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
            *value = text[0] == 't';
            return true;
        }
        break;
    case FIELD_INT:
    case FIELD_HEX:
        break;
    }
    return parse_integer(text, value);
}

void addr_format(const struct addr *addr, struct strbuf *out)
{
    strbuf_add(out, buffer_name((enum buffer)addr->buf));
    if (addr->buf == BUF_GM) {
        strbuf_addf(out, ".%s", addr->tensor < TENSOR_N ? tensor_names[addr->tensor] : "?");
    }
    strbuf_addf(out, "%c0x%" PRIx64, addr->byte < 0 ? '-' : '+', (uint64_t)(addr->byte < 0 ? -addr->byte : addr->byte));
}

static void format_operands(const struct insn *insn, struct strbuf *out)
{
    const enum op op = (enum op)insn->op;
    if (op == OP_SET_FLAG || op == OP_WAIT_FLAG) {
        strbuf_addf(out, " %s EVENT_ID%u", hard_event_name(INSN_EVENT_HARD(insn->event)), INSN_EVENT_ID(insn->event));
        return;
    }
    if (op == OP_PIPE_BARRIER) {
        strbuf_addf(out, " PIPE_%s", pipe_name((enum pipe)insn->p.barrier.pipe));
        return;
    }
    if (op < OP_ND2NZ || op > OP_FIXPIPE) {
        return;
    }
    strbuf_add(out, " ");
    addr_format(&insn->dst, out);
    strbuf_add(out, " <- ");
    if (op == OP_FILL) {
        strbuf_add(out, "const");
    } else {
        addr_format(&insn->src, out);
    }
    if (op == OP_MMAD || op == OP_MMAD_MX) {
        strbuf_add(out, " * ");
        addr_format(&insn->src2, out);
    } else if (op == OP_LOAD_MX) {
        strbuf_add(out, ", ");
        addr_format(&insn->src2, out);
    }
    strbuf_addf(out, " %s", insn->dtype < DTYPE_N ? dtype_info((enum dtype)insn->dtype)->ascend : "?");
}

static void format_insn(const struct insn *insn, bool all, struct strbuf *out)
{
    const enum op op = (enum op)insn->op;
    if ((unsigned)op >= OP_N) {
        strbuf_addf(out, "unknown instruction %u", insn->op);
        return;
    }
    strbuf_addf(out, "%s %s", pipe_name((enum pipe)insn->pipe), call_names[op]);
    format_operands(insn, out);
    if (op == OP_PIPE_BARRIER) {
        return;
    }
    size_t count, shown = 0;
    const struct insn_field *fields = insn_fields(op, &count);
    for (size_t i = 0; i < count; i++) {
        const int64_t value = insn_field_get(insn, &fields[i]);
        if (!all && value == fields[i].def) {
            continue;
        }
        if (shown++ == 0) {
            strbuf_addf(out, " %s{", op_struct_name(op));
        } else {
            strbuf_add(out, ", ");
        }
        strbuf_addf(out, "%s=", fields[i].name);
        insn_field_format(&fields[i], value, out);
    }
    if (shown > 0) {
        strbuf_add(out, "}");
    }
}

void insn_format(const struct insn *insn, struct strbuf *out)
{
    format_insn(insn, false, out);
}

void insn_format_all(const struct insn *insn, struct strbuf *out)
{
    format_insn(insn, true, out);
}
