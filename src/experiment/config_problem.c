/* config_problem.c - the `problem` section: a map, a list of maps, or a map
 * with `shapes`. A map is read into a draft; the draft is multiplied out over
 * its lists of M, N, K; each result is completed and checked. */
#include <inttypes.h>
#include <string.h>

#include "base/intmath.h"
#include "base/limits.h"
#include "base/os.h"
#include "experiment/config.h"
#include "problem/conv.h"

/* ---- operands ---- */

static void read_operand(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct operand *o = (struct operand *)(void *)((char *)out + key->offset);
    (void)config_read_map(c, node, CONFIG_OPERAND_KEYS, key->name, o);
    ((struct config_draft *)out)->dtype_broken |= yaml_get(node, "dtype") != NULL && o->dtype == DTYPE_NONE;
}

/* The scales of an MX operand: their type is e8m0, said or not. */
static void read_scales(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    ((struct config_draft *)out)->wants_scales = true;
    (void)config_read_map(c, node, CONFIG_SCALE_KEYS, key->name, (char *)out + key->offset);
}

static void read_bias(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct config_draft *draft = out;
    if (node->kind == YAML_NODE_MAP) {
        draft->wants_bias = true;
        read_operand(c, node, key, out);
    } else {
        (void)yaml_read_bool(node, key->name, &draft->wants_bias, c->diag);
    }
}

/* quant: true, or {mode: vector}: a quant row; {mode: scalar, scale: 0.5}. */
struct quant_draft {
    const struct yaml_node *mode, *scale;
    bool hybrid;
};

const struct config_key CONFIG_QUANT_KEYS[] = {
    {.name = "mode",
     .read = config_key_node,
     .doc = "vector (default): a scale word of 64 bits a column; scalar: one scale",
     .offset = offsetof(struct quant_draft, mode)},
    {.name = "scale",
     .read = config_key_node,
     .doc = "of mode scalar: a positive factor",
     .offset = offsetof(struct quant_draft, scale)},
    {.name = "hybrid",
     .read = config_key_bool,
     .doc = "true: C of hif8 is rounded in hybrid mode (QF322HIF8_PRE_HYBRID)",
     .offset = offsetof(struct quant_draft, hybrid)},
    {.name = NULL},
};

#define QUANT_RULE "quant is true (a quant row), {mode: vector} or {mode: scalar, scale: 0.5}"

static void read_quant(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    static const struct config_word modes[] = {{"vector", 1}, {"scalar", 0}, {NULL, 0}};
    struct problem *p = &((struct config_draft *)out)->p;
    struct quant_draft q = {0};
    int vector = 1;
    bool wanted = true;
    if (node->kind != YAML_NODE_MAP) {
        if (yaml_read_bool(node, key->name, &wanted, c->diag) == STATUS_OK && wanted) {
            p->quant.dtype = DTYPE_UINT64;
        }
        return;
    }
    (void)config_read_map(c, node, CONFIG_QUANT_KEYS, key->name, &q);
    p->hif8_hybrid = q.hybrid;
    if (q.mode != NULL && !config_read_word(c, q.mode, "mode", modes, &vector)) {
        return;
    }
    if (vector == (q.scale != NULL)) {
        diag_error(c->diag, STATUS_INVALID, &node->at,
                   vector ? "quant: a vector has its scales in its row" : "quant: mode scalar needs a scale");
        diag_rule(c->diag, QUANT_RULE);
        return;
    }
    if (vector) {
        p->quant.dtype = DTYPE_UINT64;
    } else if (yaml_read_real(q.scale, "scale", &p->deq_scale, c->diag) == STATUS_OK && !(p->deq_scale > 0)) {
        diag_error(c->diag, STATUS_INVALID, &q.scale->at, "scale: %g is not positive", p->deq_scale);
        diag_rule(c->diag, QUANT_RULE);
    }
}

static void read_default_dtype(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct config_draft *draft = out;
    (void)key;
    draft->dtype_broken |= !config_read_dtype(c, node, &draft->dtype, &draft->dtype_mx);
}

/* ---- conv ---- */

/* `C` is both the documents' letter for channels and our output operand: a
 * number is the one, a map the other. */
static void read_conv_c(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct config_draft *draft = out;
    if (node->kind == YAML_NODE_MAP) {
        (void)config_read_map(c, node, CONFIG_OPERAND_KEYS, key->name, &draft->p.c);
        return;
    }
    const struct config_int_rule rule = {.what = "C (channels)", .min = key->min, .max = key->max};
    (void)config_read_int(c, node, &rule, &draft->p.conv.c);
}

/* One value for all, [h, w], or (pad) [top, bottom, left, right]. */
static void read_sides(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    int32_t *member = (int32_t *)(void *)((char *)out + key->offset);
    const bool pad = strcmp(key->name, "pad") == 0;
    const size_t sides = pad ? 4 : 2;
    const struct config_int_rule rule = {.what = key->name, .min = key->min, .max = key->max, .range_rule = key->rule};
    struct config_ints v = {0};
    if (node->kind == YAML_NODE_MAP || !config_read_ints(c, node, &rule, &v)) {
        if (node->kind == YAML_NODE_MAP) {
            diag_error(c->diag, STATUS_INVALID, &node->at, "%s: expected a number or a list", key->name);
        }
        return;
    }
    if (v.count != 1 && v.count != 2 && v.count != sides) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "%s: %zu values", key->name, v.count);
        diag_rule(c->diag, "%s is %s", key->name, pad ? "n, [h, w] or [top, bottom, left, right]" : "n or [h, w]");
        return;
    }
    for (size_t i = 0; i < sides; i++) {
        const size_t from = v.count == sides ? i : v.count == 2 ? i / 2 : 0;
        member[i] = (int32_t)v.value[from];
    }
}

static void read_inputs(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct config_draft *draft = out;
    (void)key;
    config_read_inputs(c, node, draft->p.seed, &draft->inputs);
}

/* ---- key tables ---- */

static void read_op(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    static const struct config_word words[] = {{"matmul", PROBLEM_MATMUL}, {"conv", PROBLEM_CONV}, {NULL, 0}};
    int op;
    if (config_read_word(c, node, key->name, words, &op)) {
        ((struct config_draft *)out)->p.op = (enum problem_op)op;
    }
}

#define AT(member)        offsetof(struct config_draft, member)
#define DIMENSION_RULE    "a dimension is from 1 to 2147483647"
#define LOAD3D_RULE(text) text " [LoadData3DParamsV2]"

#define COMMON_KEYS                                                                                                 \
    {.name = "op", .read = read_op, .doc = "matmul (default) or conv"},                                             \
        {.name = "name", .read = config_key_text, .doc = "name in tables", .offset = AT(name)},                     \
        {.name = "shapes",                                                                                          \
         .read = config_key_node,                                                                                   \
         .doc = "CSV file of shapes, one problem a row",                                                            \
         .offset = AT(shapes)},                                                                                     \
        {.name = "merge",                                                                                           \
         .read = config_key_bool,                                                                                   \
         .doc = "beside shapes: rows that are equal but for their names are one problem, counted",                  \
         .offset = AT(merge)},                                                                                      \
        {.name = "count",                                                                                           \
         .read = config_key_int64,                                                                                  \
         .doc = "times this problem occurs in its network (default 1): totals of a run count it so often",          \
         .offset = AT(occurs),                                                                                      \
         .min = 1,                                                                                                  \
         .max = INT32_MAX},                                                                                         \
        {.name = "quant", .read = read_quant, .doc = "true: a quant row (Fixpipe); or {mode: scalar, scale: 0.5}"}, \
        {.name = "relu",                                                                                            \
         .read = config_key_bool,                                                                                   \
         .doc = "true: Fixpipe clears negative results",                                                            \
         .offset = AT(p.relu)},                                                                                     \
        {.name = "hf32",                                                                                            \
         .read = config_key_bool,                                                                                   \
         .doc = "true: float operands are multiplied as HF32",                                                      \
         .offset = AT(p.hf32)},                                                                                     \
        {.name = "dtype", .read = read_default_dtype, .doc = "dtype of A and B where they name none"},              \
        {.name = "A", .read = read_operand, .doc = "left operand, feature map", .offset = AT(p.a)},                 \
        {.name = "B", .read = read_operand, .doc = "right operand, filter", .offset = AT(p.b)},                     \
    {                                                                                                               \
        .name = "bias", .read = read_bias, .doc = "true, or an operand of N elements", .offset = AT(p.bias)         \
    }

const struct config_key CONFIG_MATMUL_KEYS[] = {
    COMMON_KEYS,
    {.name = "M",
     .read = config_key_ints,
     .doc = "rows of C; a list makes one problem of each value",
     .offset = AT(m),
     .min = 1,
     .max = INT32_MAX,
     .rule = DIMENSION_RULE},
    {.name = "N",
     .read = config_key_ints,
     .doc = "columns of C; or a list",
     .offset = AT(n),
     .min = 1,
     .max = INT32_MAX,
     .rule = DIMENSION_RULE},
    {.name = "K",
     .read = config_key_ints,
     .doc = "length of the sums; or a list",
     .offset = AT(k),
     .min = 1,
     .max = INT32_MAX,
     .rule = DIMENSION_RULE},
    {.name = "C", .read = read_operand, .doc = "result", .offset = AT(p.c)},
    {.name = "batch",
     .read = config_key_int64,
     .doc = "independent matmuls of this size (default 1)",
     .offset = AT(p.batch),
     .min = 1,
     .max = INT32_MAX},
    {.name = "groups",
     .read = config_key_int64,
     .doc = "groups of M rows each, one after the other; each has its B (default 1)",
     .offset = AT(p.groups),
     .min = 1,
     .max = LIMIT_GROUPS},
    {.name = "groupM",
     .read = config_key_ints,
     .doc = "instead of M: rows of each group, 0 allowed (counts, not the running sums some kernels take)",
     .offset = AT(group_m),
     .min = 0,
     .max = INT32_MAX},
    {.name = "scaleA", .read = read_scales, .doc = "MX scales of A: ld, align, file", .offset = AT(p.scale_a)},
    {.name = "scaleB", .read = read_scales, .doc = "MX scales of B: ld, align, file", .offset = AT(p.scale_b)},
    {.name = "inputs",
     .read = read_inputs,
     .doc = "A and B before quantisation: normal, uniform, or {A: {dist, mean, std, low, high, seed} or {file}, B: .., "
            "verify}"},
    {.name = "tp",
     .read = config_key_int64,
     .doc = "tensor parallel degree for shapes with a tp_split_dim column",
     .offset = AT(tensor_parallel),
     .min = 1,
     .max = 65536},
    {.name = NULL},
};

#define CONV_DIMENSION(key, where, text)                                                                          \
    {                                                                                                             \
        .name = key, .read = config_key_int64, .doc = text, .offset = AT(p.conv.where), .min = 1, .max = 1000000, \
        .rule = "a conv dimension is from 1 to 1000000 [kernel_rules 11]"                                         \
    }

const struct config_key CONFIG_CONV_KEYS[] = {
    COMMON_KEYS,
    CONV_DIMENSION("N", n, "images (default 1)"),
    {.name = "C", .read = read_conv_c, .doc = "input channels; or a map: the result operand", .min = 1, .max = 1000000},
    CONV_DIMENSION("Cin", c, "input channels, another name of C"),
    CONV_DIMENSION("H", h, "input height"),
    CONV_DIMENSION("W", w, "input width"),
    {.name = "NCHW",
     .read = config_conv_sizes,
     .doc = "[images, channels, height, width] instead of N, C, H, W",
     .min = 1,
     .max = 1000000},
    {.name = "NHWC", .read = config_conv_sizes, .doc = "the same in this order", .min = 1, .max = 1000000},
    CONV_DIMENSION("Cout", cout, "output channels"),
    {.name = "kh",
     .read = config_key_int64,
     .doc = "filter height",
     .offset = AT(p.conv.kh),
     .min = 1,
     .max = 511,
     .rule = LOAD3D_RULE("a filter side is at most 511")},
    {.name = "kw",
     .read = config_key_int64,
     .doc = "filter width",
     .offset = AT(p.conv.kw),
     .min = 1,
     .max = 511,
     .rule = LOAD3D_RULE("a filter side is at most 511")},
    {.name = "stride",
     .read = read_sides,
     .doc = "n or [h, w] (default 1)",
     .offset = AT(p.conv.stride_h),
     .min = 1,
     .max = 63,
     .rule = LOAD3D_RULE("a stride is from 1 to 63")},
    {.name = "dilation",
     .read = read_sides,
     .doc = "n or [h, w] (default 1)",
     .offset = AT(p.conv.dilation_h),
     .min = 1,
     .max = 255,
     .rule = LOAD3D_RULE("a dilation is from 1 to 255")},
    {.name = "pad",
     .read = read_sides,
     .doc = "n, [h, w] or [top, bottom, left, right] (default 0)",
     .offset = AT(p.conv.pad_top),
     .min = 0,
     .max = 255,
     .rule = LOAD3D_RULE("a pad is at most 255")},
    CONV_DIMENSION("groups", groups, "independent convs over slices of the channels (default 1)"),
    {.name = NULL},
};

_Static_assert(offsetof(struct conv_shape, stride_w) == offsetof(struct conv_shape, stride_h) + 4 &&
                   offsetof(struct conv_shape, dilation_w) == offsetof(struct conv_shape, dilation_h) + 4 &&
                   offsetof(struct conv_shape, pad_right) == offsetof(struct conv_shape, pad_top) + 12,
               "read_sides() writes neighbouring members");

bool config_problem_key(const char *name)
{
    return config_find_key(CONFIG_MATMUL_KEYS, name) != NULL || config_find_key(CONFIG_CONV_KEYS, name) != NULL;
}

/* ---- completion ---- */

static void default_operand(struct operand *o, enum dtype dtype, bool mx)
{
    if (o->dtype == DTYPE_NONE) {
        o->dtype = dtype;
        o->mx = mx;
    }
}

size_t config_problem_complete(struct config *c, struct problem *p, const struct config_draft *draft,
                               const char *why[CONFIG_FAULTS])
{
    size_t n = 0;
    default_operand(&p->a, draft->dtype != DTYPE_NONE ? draft->dtype : DTYPE_HALF, draft->dtype_mx);
    default_operand(&p->b, draft->dtype != DTYPE_NONE ? draft->dtype : p->a.dtype,
                    draft->dtype != DTYPE_NONE ? draft->dtype_mx : p->a.mx);
    /* A quant row turns integers into half. */
    const enum dtype result = problem_default_result(p->a.dtype);
    default_operand(&p->c, p->quant.dtype != DTYPE_NONE && result == DTYPE_INT32 ? DTYPE_HALF : result, false);
    if (draft->wants_bias) {
        default_operand(&p->bias, result == DTYPE_INT32 ? DTYPE_INT32 : DTYPE_FLOAT, false);
    }
    if (draft->dtype_broken) {
        return 0; /* reported; what follows from it says nothing new */
    }
    if (p->a.mx != p->b.mx) {
        why[n++] = config_text(c, "A is %s and B is %s: MmadMx takes scales for both operands or for none",
                               config_dtype_name(c, &p->a), config_dtype_name(c, &p->b));
    }
    if (p->c.mx || p->bias.mx) {
        why[n++] = "only A and B carry MX scales";
    }
    if (!p->a.mx && !p->b.mx && draft->wants_scales) {
        why[n++] = "scaleA and scaleB go with an mx_ dtype of A and B";
    }
    p->scale_a.dtype = p->a.mx ? DTYPE_E8M0 : DTYPE_NONE;
    p->scale_b.dtype = p->b.mx ? DTYPE_E8M0 : DTYPE_NONE;
    return n;
}

const char *config_problem_not_lowered(const struct problem *p)
{
    const bool files = p->c.file != NULL || p->bias.file != NULL || p->scale_a.file != NULL || p->scale_b.file != NULL;
    return files ? "data files of other operands than A and B are not read yet" : NULL;
}

/* ---- drafts to problems ---- */

const char *config_problem_groups(struct config *c, struct problem *p, const struct config_ints *rows)
{
    if (rows->count > 0) {
        p->groups = (int64_t)rows->count;
    }
    if (p->groups <= 1) {
        p->M = rows->count == 1 ? rows->value[0] : p->M;
        return NULL;
    }
    if (p->groups > (int64_t)LIMIT_GROUPS) {
        return config_text(c, "%" PRId64 " groups, at most %u are taken", p->groups, LIMIT_GROUPS);
    }
    int64_t *end = config_alloc(c, (size_t)p->groups, sizeof *end);
    if (end == NULL) {
        return NULL; /* no_memory says it */
    }
    for (int64_t g = 0, at = 0; g < p->groups; g++) {
        at += rows->count > 0 ? rows->value[g] : p->M;
        end[g] = at;
    }
    p->group_end = end;
    p->M = end[p->groups - 1];
    return NULL;
}

/* "g4_8192": groups of as many rows; "g4sum1000": of different ones. */
static const char *rows_label(struct config *c, const struct problem *p)
{
    if (p->M == 0) {
        return "M";
    }
    if (p->groups <= 1 || p->group_end == NULL) {
        return config_text(c, "%s%" PRId64, p->groups > 1 ? config_text(c, "g%" PRId64 "_", p->groups) : "", p->M);
    }
    return problem_groups_equal(p) ? config_text(c, "g%" PRId64 "_%" PRId64, p->groups, p->M / p->groups)
                                   : config_text(c, "g%" PRId64 "sum%" PRId64, p->groups, p->M);
}

static const char *size_label(struct config *c, const struct problem *p)
{
    if (p->op == PROBLEM_CONV) {
        return config_conv_label(c, &p->conv);
    }
    const char *prefix = p->batch > 1 ? config_text(c, "b%" PRId64 "_", p->batch) : "";
    /* What a row of shapes does not give stands as its letter. */
    const char *m = rows_label(c, p);
    const char *n = p->N > 0 ? config_text(c, "%" PRId64, p->N) : "N";
    const char *k = p->K > 0 ? config_text(c, "%" PRId64, p->K) : "K";
    return config_text(c, "%s%sx%sx%s", prefix, m, n, k);
}

void config_problem_add(struct config *c, struct config_problems *out, const struct problem *p, const char *label,
                        const char *failed)
{
    if (out->count == out->cap) {
        const size_t cap = out->cap == 0 ? 16 : out->cap * 2;
        struct config_problem *v = config_alloc(c, cap, sizeof *v);
        if (v == NULL) {
            return;
        }
        if (out->count > 0) {
            memcpy(v, out->v, out->count * sizeof *v);
        }
        out->v = v;
        out->cap = cap;
    }
    struct config_problem *item = &out->v[out->count++];
    *item = (struct config_problem){
        .problem = *p, .label = label != NULL ? label : size_label(c, p), .failed = failed, .count = 1};
    if (item->problem.name == NULL) {
        item->problem.name = config_text(c, "%s %s %s", p->op == PROBLEM_CONV ? "conv" : "matmul", size_label(c, p),
                                         config_dtype_name(c, &p->a));
    }
}

/* Bytes of an operand's raw file: its memory as it lies in GM. */
static void read_data(struct config *c, const struct yaml_node *map, const struct problem *p, enum tensor tensor,
                      struct operand *o)
{
    struct strbuf bytes;
    const int64_t want = problem_tensor_bytes(p, tensor);
    if (o->file == NULL) {
        return;
    }
    strbuf_init(&bytes);
    if (os_read_file(o->file, LIMIT_OPERAND_BYTES, &bytes, c->diag) == STATUS_OK) {
        uint8_t *data = NULL;
        if ((int64_t)bytes.len != want) {
            diag_error(c->diag, STATUS_INVALID, &map->at, "%s has %zu bytes, operand %s needs %" PRId64, o->file,
                       bytes.len, role_name((enum role)tensor), want);
            diag_rule(c->diag,
                      "a raw file is the operand as it lies in GM: its dtype and layout, %" PRId64
                      " rows of pitch ld %" PRId64 ", little endian",
                      o->rows * p->batch, o->ld);
        } else if ((data = arena_alloc(c->arena, bytes.len, 1)) == NULL) {
            c->no_memory = true;
        } else {
            memcpy(data, bytes.text, bytes.len);
            o->data = data;
        }
    }
    strbuf_fini(&bytes);
}

const char *config_label(struct config *c, const char *name)
{
    char *label = arena_strdup(c->arena, name);
    if (label == NULL) {
        c->no_memory = true;
        return "";
    }
    for (char *ch = label; *ch != '\0'; ch++) {
        if (strchr(" /,\t\"'", *ch) != NULL) {
            *ch = '_';
        }
    }
    return label;
}

/* Completes and checks one problem of the YAML text. */
static void add_checked(struct config *c, const struct yaml_node *map, const struct config_draft *draft,
                        struct problem *p, struct config_problems *out)
{
    const char *wrong[CONFIG_FAULTS];
    size_t faults = config_problem_complete(c, p, draft, wrong);
    const char *no_view = p->op == PROBLEM_CONV ? config_conv_view(c, p) : NULL;
    if (no_view != NULL) {
        wrong[faults++] = no_view;
    }
    for (size_t i = 0; i < faults; i++) {
        diag_error(c->diag, STATUS_INVALID, &map->at, "%s", wrong[i]);
    }
    if (no_view != NULL) {
        return;
    }
    const char *failed = config_problem_not_lowered(p);
    if (failed == NULL && problem_finish(p, &map->at, c->diag) != STATUS_OK) {
        return;
    }
    if (c->diag->errors > draft->errors) {
        return; /* no problem; its files could not be judged by what it says */
    }
    read_data(c, map, p, TENSOR_A, &p->a);
    read_data(c, map, p, TENSOR_B, &p->b);
    const char *no_inputs = failed == NULL ? config_attach_inputs(c, &draft->inputs, p) : NULL;
    if (no_inputs != NULL) {
        diag_error(c->diag, STATUS_INVALID, &draft->inputs.node->at, "%s", no_inputs);
        return;
    }
    const bool one = draft->m.count * draft->n.count * draft->k.count <= 1;
    const char *label = draft->name != NULL && one ? config_label(c, draft->name) : NULL;
    p->name = label != NULL         ? draft->name
              : draft->name != NULL ? config_text(c, "%s %s", draft->name, size_label(c, p))
                                    : NULL;
    config_problem_add(c, out, p, label, failed);
    if (out->count > 0) {
        struct config_problem *added = &out->v[out->count - 1];
        added->bias_free = draft->p.bias.dtype == DTYPE_NONE && p->bias.dtype != DTYPE_NONE;
        added->count = draft->occurs > 0 ? draft->occurs : 1;
    }
}

static bool need(struct config *c, const struct yaml_node *map, bool there, const char *what)
{
    if (!there) {
        diag_error(c->diag, STATUS_INVALID, map->key != NULL ? &map->key_at : &map->at, "the problem has no %s", what);
    }
    return there;
}

/* groupM stands for M and says how many groups there are. */
static bool groups_agree(struct config *c, const struct yaml_node *map, const struct config_draft *d)
{
    const struct yaml_node *list = yaml_get(map, "groupM"), *groups = yaml_get(map, "groups");
    const bool counts = groups == NULL || d->group_m.count == 0 || d->p.groups == (int64_t)d->group_m.count;
    if (yaml_get(map, "M") != NULL) {
        diag_error(c->diag, STATUS_INVALID, &list->key_at, "both M and groupM");
        diag_rule(c->diag, "M is the rows of every group, groupM lists those of each: say one of them");
    }
    if (!counts) {
        diag_error(c->diag, STATUS_INVALID, &list->at, "groupM has %zu values, groups is %" PRId64, d->group_m.count,
                   d->p.groups);
    }
    return counts && d->group_m.count > 0;
}

static bool complete_sizes(struct config *c, const struct yaml_node *map, struct config_draft *d)
{
    const struct conv_shape *v = &d->p.conv;
    if (d->p.op == PROBLEM_MATMUL) {
        const bool grouped = yaml_get(map, "groupM") != NULL;
        const bool m = need(c, map, grouped || yaml_get(map, "M") != NULL, "M");
        const bool n = need(c, map, yaml_get(map, "N") != NULL, "N");
        const bool k = need(c, map, yaml_get(map, "K") != NULL, "K");
        return m && n && k && (grouped ? groups_agree(c, map, d) : d->m.count > 0) && d->n.count > 0 && d->k.count > 0;
    }
    static const char *const keys[] = {"H", "W", "Cout", "kh", "kw"};
    const bool sizes = yaml_get(map, "NCHW") != NULL || yaml_get(map, "NHWC") != NULL;
    /* C as a map is the result operand. */
    const struct yaml_node *channels = yaml_get(map, "C");
    const bool given = sizes || yaml_get(map, "Cin") != NULL || (channels != NULL && channels->kind != YAML_NODE_MAP);
    bool there = need(c, map, given, channels != NULL ? "Cin (input channels; C is its result)" : "C (input channels)");
    for (size_t i = sizes ? 2 : 0; i < sizeof keys / sizeof keys[0]; i++) {
        there &= need(c, map, yaml_get(map, keys[i]) != NULL, keys[i]);
    }
    return there && v->c > 0 && v->h > 0 && v->w > 0 && v->cout > 0 && v->kh > 0 && v->kw > 0;
}

/* All combinations of the draft's sizes. */
static void multiply_out(struct config *c, const struct yaml_node *map, const struct config_draft *d,
                         struct config_problems *out)
{
    if (d->p.op == PROBLEM_CONV) {
        struct problem p = d->p;
        add_checked(c, map, d, &p, out);
        return;
    }
    int64_t count;
    const size_t ms = d->group_m.count > 0 ? 1 : d->m.count;
    if (!mul_ok((int64_t)(ms * d->n.count), (int64_t)d->k.count, &count) || count > LIMIT_CELLS) {
        diag_error(c->diag, STATUS_LIMIT, &map->at, "the lists of M, N and K make too many problems");
        diag_rule(c->diag, "a config has at most %u cells", LIMIT_CELLS);
        return;
    }
    const size_t errors = c->diag->errors;
    for (size_t i = 0; i < (size_t)count && c->diag->errors == errors; i++) {
        struct problem p = d->p;
        p.K = d->k.value[i % d->k.count];
        p.N = d->n.value[i / d->k.count % d->n.count];
        p.M = d->group_m.count > 0 ? 0 : d->m.value[i / d->k.count / d->n.count];
        (void)config_problem_groups(c, &p, &d->group_m); /* the keys' ranges hold */
        add_checked(c, map, d, &p, out);
    }
}

/* The first key that only a conv has; NULL: none, or one that only a matmul has is there too. */
static const struct yaml_node *conv_key(const struct yaml_node *map)
{
    const struct yaml_node *first = NULL;
    for (const struct yaml_node *node = map->kind == YAML_NODE_MAP ? map->child : NULL; node != NULL;
         node = node->next) {
        const bool matmul = config_find_key(CONFIG_MATMUL_KEYS, node->key) != NULL;
        const bool conv = config_find_key(CONFIG_CONV_KEYS, node->key) != NULL;
        if (matmul && !conv) {
            return NULL;
        }
        first = first == NULL && conv && !matmul ? node : first;
    }
    return first;
}

/* Which keys a problem has: those of its op. One without, or with one that is no
 * word (reported by its reader), is taken for what its keys are of, so that each
 * mistake is said once. */
static enum problem_op op_of(struct config *c, const struct yaml_node *map)
{
    const struct yaml_node *op = yaml_get(map, "op"), *only_conv = conv_key(map);
    const char *word = op != NULL && op->kind == YAML_NODE_SCALAR ? op->scalar : "";
    if (op == NULL && only_conv != NULL) {
        diag_error(c->diag, STATUS_INVALID, &only_conv->key_at, "'%s' is a key of a conv, and the problem is a matmul",
                   only_conv->key);
        diag_hint(c->diag, "add 'op: conv' to the problem");
        diag_rule(c->diag, "op is matmul (default) or conv");
    }
    return strcmp(word, "conv") == 0 || (strcmp(word, "matmul") != 0 && only_conv != NULL) ? PROBLEM_CONV
                                                                                           : PROBLEM_MATMUL;
}

static void read_one(struct config *c, const struct yaml_node *map, uint64_t seed, struct config_problems *out)
{
    struct config_draft d = {.p = {.seed = seed, .batch = 1, .groups = 1}, .tensor_parallel = 1};
    d.p.conv = (struct conv_shape){.n = 1, .groups = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1};
    d.errors = c->diag->errors;
    d.p.op = op_of(c, map);
    if (!config_read_map(c, map, d.p.op == PROBLEM_CONV ? CONFIG_CONV_KEYS : CONFIG_MATMUL_KEYS, "problem", &d)) {
        return;
    }
    config_conv_check(c, map, &d);
    if (d.shapes != NULL) {
        config_read_shapes(c, &d, map, out);
        return;
    }
    if (complete_sizes(c, map, &d)) {
        multiply_out(c, map, &d, out);
    }
}

void config_read_problems(struct config *c, const struct yaml_node *node, uint64_t seed, struct config_problems *out)
{
    if (node->kind != YAML_NODE_LIST) {
        read_one(c, node, seed, out);
        return;
    }
    if (node->count == 0) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "problem: the list is empty");
    }
    for (const struct yaml_node *item = node->child; item != NULL; item = item->next) {
        read_one(c, item, seed, out);
    }
}
