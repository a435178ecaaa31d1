#include "isa/insn_text.h"

#include <stdio.h>
#include <string.h>

/* Elements of a microscaled operand: their scales are loaded and multiplied by instructions of their own. */
static enum dtype element_type(const char *name)
{
    static const struct {
        const char *name;
        enum dtype dtype;
    } scaled[] = {{"mxfp8", DTYPE_FP8_E4M3}, {"mxfp8_e4m3", DTYPE_FP8_E4M3}, {"mxfp8_e5m2", DTYPE_FP8_E5M2},
                  {"mxfp4", DTYPE_FP4_E2M1}, {"mxfp4_e2m1", DTYPE_FP4_E2M1}, {"mxfp4_e1m2", DTYPE_FP4_E1M2}};
    for (size_t i = 0; i < sizeof scaled / sizeof scaled[0]; i++) {
        if (strcmp(name, scaled[i].name) == 0) {
            return scaled[i].dtype;
        }
    }
    return dtype_from_name(strncmp(name, "mx_", 3) == 0 ? name + 3 : name);
}

bool insn_text_start(struct insn_text *t, const char *instr, const char *dtype, int arch)
{
    memset(t, 0, sizeof *t);
    const enum dtype type = element_type(dtype);
    if (type == DTYPE_NONE || !insn_name_find(instr, arch, &t->name)) {
        return false;
    }
    insn_init(&t->insn, t->name.op, type);
    t->insn.flags = t->name.c_api ? INSN_C_API : 0;
    if (t->name.op == OP_FIXPIPE) { /* unless dstType says more: nothing is converted */
        t->insn.p.fixpipe.dstType = (uint8_t)type;
    }
    return true;
}

static const char *set_pad_list(struct insn_text *t, const char *text)
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
        const char *wrong = insn_text_set(t, names[i], part);
        if (wrong != NULL) {
            return wrong;
        }
        text += n + (i < 3);
    }
    return NULL;
}

/* Names of the vector format that are no field of their own. */
static const char *set_special(struct insn_text *t, const char *name, const char *text, bool *done)
{
    *done = true;
    if (strcmp(name, "padList") == 0) {
        return set_pad_list(t, text);
    }
    if (strcmp(name, "struct") == 0 && t->name.op == OP_FIXPIPE) {
        t->insn.p.fixpipe.arch3510 = strcmp(text, "ARCH3510") == 0;
        return strcmp(text, "V220") == 0 || strcmp(text, "ARCH3510") == 0 ? NULL : "struct is V220 or ARCH3510";
    }
    *done = false;
    return NULL;
}

const char *insn_text_set(struct insn_text *t, const char *name, const char *text)
{
    bool done;
    const char *wrong = set_special(t, name, text, &done);
    if (done) {
        return wrong;
    }
    const struct insn_field *field = insn_argument(&t->name, name);
    int64_t value;
    if (field == NULL) {
        return "the instruction has no such field";
    }
    if (!insn_field_parse(field, text, &value)) {
        return "no value of this field";
    }
    legality_set_field(&t->insn, field, value, &t->violations);
    return NULL;
}

bool insn_text_path(struct insn_text *t, const char *path)
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
        t->insn.src2.buf = (uint8_t)buffer_from_name(plus + 1);
    }
    t->insn.dst.buf = (uint8_t)buffer_from_name(arrow + 2);
    t->insn.src.buf = strcmp(text, "const") == 0 ? BUF_GM : (uint8_t)buffer_from_name(text);
    if (t->name.op == OP_LOAD_MX) {
        t->insn.src2.buf = BUF_L1;
    }
    return t->insn.dst.buf < BUF_N && t->insn.src.buf < BUF_N && t->insn.src2.buf < BUF_N;
}
