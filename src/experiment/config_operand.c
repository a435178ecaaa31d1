/* config_operand.c - one operand: {dtype, format, transpose, ld, align, file},
 * and names of dtypes, ours and other people's. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "experiment/config.h"
#include "text/suggest.h"

/* Other names of operand types that configs may use: those of the documents'
 * APIs and of the OCP microscaling formats (mxfp8 alone is e4m3, mxfp4 e2m1). */
static const struct {
    const char *name;
    enum dtype dtype;
    bool mx;
} ALIASES[] = {
    {"fp8_e4m3fn", DTYPE_FP8_E4M3, false}, {"mx_fp8_e4m3fn", DTYPE_FP8_E4M3, true},
    {"hifloat8", DTYPE_HIF8, false},       {"mxfp8", DTYPE_FP8_E4M3, true},
    {"mxfp8_e4m3", DTYPE_FP8_E4M3, true},  {"mxfp8_e4m3fn", DTYPE_FP8_E4M3, true},
    {"mxfp8_e5m2", DTYPE_FP8_E5M2, true},  {"mxfp4", DTYPE_FP4_E2M1, true},
    {"mxfp4_e2m1", DTYPE_FP4_E2M1, true},  {"mxfp4_e1m2", DTYPE_FP4_E1M2, true},
};

/* Names used by frameworks and shape files; a config must use ours. */
static const struct {
    const char *name;
    enum dtype dtype;
} FOREIGN[] = {
    {"float16", DTYPE_HALF},  {"fp16", DTYPE_HALF},
    {"f16", DTYPE_HALF},      {"bfloat16", DTYPE_BF16},
    {"float32", DTYPE_FLOAT}, {"fp32", DTYPE_FLOAT},
    {"f32", DTYPE_FLOAT},     {"float8_e4m3fn", DTYPE_FP8_E4M3},
    {"fp8", DTYPE_FP8_E4M3},  {"float8_e5m2", DTYPE_FP8_E5M2},
    {"hifloat8", DTYPE_HIF8}, {"float4_e2m1fn_x2", DTYPE_FP4_E2M1},
    {"i8", DTYPE_INT8},       {"i32", DTYPE_INT32},
};

/* Types an operand in GM may have, as configs write them. */
static const enum dtype OPERAND_DTYPES[] = {
    DTYPE_HALF,     DTYPE_BF16, DTYPE_FLOAT,    DTYPE_INT8,     DTYPE_UINT8, DTYPE_INT4,   DTYPE_FP8_E4M3,
    DTYPE_FP8_E5M2, DTYPE_HIF8, DTYPE_FP4_E2M1, DTYPE_FP4_E1M2, DTYPE_INT32, DTYPE_UINT32,
};
enum { OPERAND_DTYPE_N = sizeof OPERAND_DTYPES / sizeof OPERAND_DTYPES[0] };

static bool has_scales(enum dtype t)
{
    return t == DTYPE_FP8_E4M3 || t == DTYPE_FP8_E5M2 || t == DTYPE_FP4_E2M1 || t == DTYPE_FP4_E1M2;
}

static enum dtype foreign_dtype(const char *name)
{
    static const char prefix[] = "torch.";
    if (strncmp(name, prefix, sizeof prefix - 1) == 0) {
        name += sizeof prefix - 1;
    }
    for (size_t i = 0; i < sizeof FOREIGN / sizeof FOREIGN[0]; i++) {
        if (strcasecmp(name, FOREIGN[i].name) == 0) {
            return FOREIGN[i].dtype;
        }
    }
    return dtype_from_name(name);
}

bool config_dtype(const char *name, bool foreign, enum dtype *dtype, bool *mx)
{
    for (size_t i = 0; i < sizeof ALIASES / sizeof ALIASES[0]; i++) {
        if (strcmp(name, ALIASES[i].name) == 0) {
            *dtype = ALIASES[i].dtype;
            *mx = ALIASES[i].mx;
            return true;
        }
    }
    const bool scaled = strncmp(name, "mx_", 3) == 0;
    const char *plain = scaled ? name + 3 : name;
    const enum dtype t = foreign ? foreign_dtype(plain) : dtype_from_name(plain);
    for (int i = 0; i < OPERAND_DTYPE_N; i++) {
        if (t == OPERAND_DTYPES[i] && (!scaled || has_scales(t))) {
            *dtype = t;
            *mx = scaled;
            return true;
        }
    }
    return false;
}

const char *config_dtype_name(struct config *c, const struct operand *o)
{
    const char *name = dtype_info(o->dtype)->name;
    return o->mx ? config_text(c, "mx_%s", name) : name;
}

/* All dtype words of configs and their other names, NULL-terminated. */
static const char *const *dtype_words(struct config *c)
{
    const size_t aliases = sizeof ALIASES / sizeof ALIASES[0];
    const char **words = config_alloc(c, 2 * OPERAND_DTYPE_N + aliases + 1, sizeof *words);
    size_t n = 0;
    for (int i = 0; words != NULL && i < OPERAND_DTYPE_N; i++) {
        const char *name = dtype_info(OPERAND_DTYPES[i])->name;
        words[n++] = name;
        if (has_scales(OPERAND_DTYPES[i])) {
            words[n++] = config_text(c, "mx_%s", name);
        }
    }
    for (size_t i = 0; words != NULL && i < aliases; i++) {
        words[n++] = ALIASES[i].name;
    }
    return words;
}

void config_dtype_words(struct strbuf *words, struct strbuf *aliases)
{
    for (int i = 0; i < OPERAND_DTYPE_N; i++) {
        const char *name = dtype_info(OPERAND_DTYPES[i])->name;
        strbuf_addf(words, "%s%s", i == 0 ? "" : ", ", name);
        if (has_scales(OPERAND_DTYPES[i])) {
            strbuf_addf(words, ", mx_%s", name);
        }
    }
    for (size_t i = 0; i < sizeof ALIASES / sizeof ALIASES[0]; i++) {
        strbuf_addf(aliases, "%s%s = %s%s", i == 0 ? "" : ", ", ALIASES[i].name, ALIASES[i].mx ? "mx_" : "",
                    dtype_info(ALIASES[i].dtype)->name);
    }
}

static void unknown_dtype(struct config *c, const struct yaml_node *node, const char *name)
{
    const char *const *words = dtype_words(c);
    if (words == NULL) {
        return;
    }
    const enum dtype known = foreign_dtype(name);
    const char *nearest = known != DTYPE_NONE ? dtype_info(known)->name : suggest_word(name, words);
    if (nearest != NULL && strcmp(nearest, name) == 0) {
        nearest = NULL; /* a type, but none of operands */
    }
    struct strbuf list, aliases;
    strbuf_init(&list);
    strbuf_init(&aliases);
    config_dtype_words(&list, &aliases);
    diag_error(c->diag, STATUS_INVALID, &node->at, "dtype: '%s' is not an operand type", name);
    if (known == DTYPE_E8M0) {
        diag_hint(c->diag, "e8m0 is the type of MX scales: they come with an mx_ dtype of A and B");
    } else if (nearest != NULL) {
        diag_hint(c->diag, "did you mean '%s'?", nearest);
    }
    diag_rule(c->diag, "dtype is one of: %s (mx_ = with e8m0 scales, one for 32 k); also %s", strbuf_cstr(&list),
              strbuf_cstr(&aliases));
    strbuf_fini(&list);
    strbuf_fini(&aliases);
}

bool config_read_dtype(struct config *c, const struct yaml_node *node, enum dtype *dtype, bool *mx)
{
    const char *name;
    if (yaml_read_text(node, "dtype", &name, c->diag) != STATUS_OK) {
        return false;
    }
    if (!config_dtype(name, false, dtype, mx)) {
        unknown_dtype(c, node, name);
        return false;
    }
    return true;
}

static void read_dtype(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct operand *o = out;
    (void)key;
    (void)config_read_dtype(c, node, &o->dtype, &o->mx);
}

static void read_scale_dtype(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    static const char *const names[] = {"e8m0", NULL};
    int at;
    (void)out;
    (void)config_read_name(c, node, key->name, names, &at);
}

static void read_format(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct operand *o = out;
    const char *names[LAYOUT_N + 3] = {NULL};
    int at;
    for (int i = 0; i < LAYOUT_N; i++) {
        names[i] = layout_name((enum layout)i);
    }
    /* A conv's tensors as people call them (config_conv_check): rows of points by channels. */
    names[LAYOUT_N] = "NHWC";
    names[LAYOUT_N + 1] = "NCHW";
    if (config_read_name(c, node, key->name, names, &at)) {
        o->format = at < LAYOUT_N ? (enum layout)at : LAYOUT_ND;
    }
}

static void read_align(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct operand *o = out;
    const size_t errors = c->diag->errors;
    int64_t align = 0;
    const struct config_int_rule rule = {.what = key->name, .min = key->min, .max = key->max};
    if (config_read_int(c, node, &rule, &align) && (align & (align - 1)) != 0) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "align: %" PRId64 " is not a power of two", align);
    }
    if (c->diag->errors > errors) {
        diag_rule(c->diag, "align is the alignment of the operand's base in GM, bytes: a power of two up to %" PRId64,
                  key->max);
        return;
    }
    o->align = align;
}

static void read_file(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct operand *o = out;
    const char *path;
    if (yaml_read_text(node, key->name, &path, c->diag) != STATUS_OK) {
        return;
    }
    o->file = config_path(c, path);
    (void)config_file_there(c, node, key->name, path, o->file);
}

/* Keys of where an operand lies. */
#define PLACE_KEYS                                                                              \
    {.name = "ld",                                                                              \
     .read = config_key_int64,                                                                  \
     .doc = "row pitch in elements (default: the row)",                                         \
     .offset = offsetof(struct operand, ld),                                                    \
     .min = 1,                                                                                  \
     .max = LIMIT_DIMENSION,                                                                    \
     .rule = "ld is the row pitch in elements as the operand lies in memory"},                  \
        {.name = "align",                                                                       \
         .read = read_align,                                                                    \
         .doc = "alignment of the base in GM, bytes, a power of two (default 512)",             \
         .min = 1,                                                                              \
         .max = 1 << 30},                                                                       \
    {                                                                                           \
        .name = "file", .read = read_file, .doc = "raw file with the data (default: generated)" \
    }

const struct config_key CONFIG_OPERAND_KEYS[] = {
    {.name = "dtype", .read = read_dtype, .doc = "element type (words below); mx_: with e8m0 scales, one for 32 k"},
    {.name = "format", .read = read_format, .doc = "ND (default), NZ; of a conv NC1HWC0, FRACTAL_Z, NHWC, NCHW"},
    {.name = "transpose",
     .read = config_key_bool,
     .doc = "A: true = [K,M] in memory; B: true = [N,K]",
     .offset = offsetof(struct operand, transpose)},
    PLACE_KEYS,
    {.name = NULL},
};

const struct config_key CONFIG_SCALE_KEYS[] = {
    {.name = "dtype", .read = read_scale_dtype, .doc = "e8m0"},
    PLACE_KEYS,
    {.name = NULL},
};
