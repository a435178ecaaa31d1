/* Instructions from the words of vector files and errors.csv. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/conform_internal.h"

bool conform_insn_start(struct conform_insn *ci, const char *instr, const char *dtype, int arch)
{
    memset(ci, 0, sizeof *ci);
    const enum dtype type = dtype_from_name(dtype);
    if (type == DTYPE_NONE || !insn_name_find(instr, arch, &ci->name)) {
        return false;
    }
    insn_init(&ci->insn, ci->name.op, type);
    ci->insn.flags = ci->name.c_api ? INSN_C_API : 0;
    if (ci->name.op == OP_FIXPIPE) { /* unless dstType says more: nothing is converted */
        ci->insn.p.fixpipe.dstType = (uint8_t)type;
    }
    return true;
}

static const char *set_pad_list(struct conform_insn *ci, const char *text)
{
    static const char *const names[] = {"padList.left", "padList.right", "padList.top", "padList.bottom"};
    for (int i = 0; i < 4; i++) {
        char part[32];
        const size_t n = strcspn(text, ",");
        if (n == 0 || n >= sizeof part || (i < 3) != (text[n] == ',')) {
            return "padList takes four numbers: left,right,top,bottom";
        }
        memcpy(part, text, n);
        part[n] = '\0';
        const char *wrong = conform_insn_set(ci, names[i], part);
        if (wrong != NULL) {
            return wrong;
        }
        text += n + (i < 3);
    }
    return NULL;
}

/* Names of the vector format that are no field of their own. */
static const char *set_special(struct conform_insn *ci, const char *name, const char *text, bool *done)
{
    *done = true;
    if (strcmp(name, "padList") == 0) {
        return set_pad_list(ci, text);
    }
    if (strcmp(name, "struct") == 0 && ci->name.op == OP_FIXPIPE) {
        ci->insn.p.fixpipe.arch3510 = strcmp(text, "ARCH3510") == 0;
        return strcmp(text, "V220") == 0 || strcmp(text, "ARCH3510") == 0 ? NULL : "struct is V220 or ARCH3510";
    }
    *done = false;
    return NULL;
}

const char *conform_insn_set(struct conform_insn *ci, const char *name, const char *text)
{
    bool done;
    const char *wrong = set_special(ci, name, text, &done);
    if (done) {
        return wrong;
    }
    const struct insn_field *field = insn_argument(&ci->name, name);
    int64_t value;
    if (field == NULL) {
        return "the instruction has no such field";
    }
    if (!insn_field_parse(field, text, &value)) {
        return "no value of this field";
    }
    legality_set_field(&ci->insn, field, value, &ci->violations);
    return NULL;
}

bool conform_insn_path(struct conform_insn *ci, const char *path)
{
    char text[64];
    snprintf(text, sizeof text, "%s", path);
    char *arrow = strstr(text, "->");
    if (arrow == NULL) {
        return false;
    }
    *arrow = '\0';
    char *plus = strchr(text, '+');
    if (plus != NULL) {
        *plus = '\0';
        ci->insn.src2.buf = (uint8_t)buffer_from_name(plus + 1);
    }
    ci->insn.dst.buf = (uint8_t)buffer_from_name(arrow + 2);
    ci->insn.src.buf = strcmp(text, "const") == 0 ? BUF_GM : (uint8_t)buffer_from_name(text);
    if (ci->name.op == OP_LOAD_MX) {
        ci->insn.src2.buf = BUF_L1;
    }
    return ci->insn.dst.buf < BUF_N && ci->insn.src.buf < BUF_N && ci->insn.src2.buf < BUF_N;
}

void conform_insn_finish(struct conform_insn *ci)
{
    insn_set_pipe(&ci->insn);
}
