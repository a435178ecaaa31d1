/* config_inputs.c - `inputs`: what the operands of a matmul hold before they are
 * quantised (problem/input.h).
 *
 *   inputs: normal                                   both, mean 0, std 1
 *   inputs: {A: {dist: normal, std: 0.02}, B: {dist: uniform, low: -1, high: 1, seed: 7}}
 *   inputs: {A: {file: a.f32}, B: {file: b.f32}}     raw floats, [batch][M][K] and [batch][K][N]
 *   inputs: {A: normal, B: normal, verify: false}    for the error of C; verification keeps its small integers
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/os.h"
#include "experiment/config.h"

#define INPUTS_RULE \
    "inputs is normal, uniform, or {A: .., B: ..} with {dist: normal | uniform, ..} or {file: PATH} each"

/* Beyond this a sum of products leaves the range of float. */
#define INPUT_LARGEST 1e15

static const struct config_word DISTS[] = {{"normal", INPUT_NORMAL}, {"uniform", INPUT_UNIFORM}, {NULL, 0}};

/* ---- one operand ---- */

struct input_draft {
    const struct yaml_node *dist, *mean, *std, *low, *high, *seed, *file;
};

#define AT(member) offsetof(struct input_draft, member)
#define KEY(word, text)                                                           \
    {                                                                             \
        .name = #word, .read = config_key_node, .doc = (text), .offset = AT(word) \
    }

const struct config_key CONFIG_INPUT_KEYS[] = {
    KEY(dist, "normal or uniform"),
    KEY(mean, "of normal (default 0)"),
    KEY(std, "of normal (default 1)"),
    KEY(low, "of uniform (default -1)"),
    KEY(high, "of uniform (default 1)"),
    KEY(seed, "of the random numbers (default: the config's)"),
    KEY(file, "raw floats, row-major: A [batch][M][K], B [batch][K][N]"),
    {.name = NULL},
};

static void read_number(struct config *c, const struct yaml_node *node, const char *what, double *out)
{
    double v;
    if (node == NULL || yaml_read_real(node, what, &v, c->diag) != STATUS_OK) {
        return;
    }
    if (fabs(v) > INPUT_LARGEST) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "%s: %g is too large", what, v);
        diag_rule(c->diag, "a number of an input is at most %g in magnitude", INPUT_LARGEST);
        return;
    }
    *out = v;
}

/* A key of the other distribution would be taken for granted. */
static void reject(struct config *c, const struct yaml_node *node, const char *rule)
{
    if (node != NULL) {
        diag_error(c->diag, STATUS_INVALID, &node->key_at, "inputs: '%s' does not belong here", node->key);
        diag_rule(c->diag, "%s", rule);
    }
}

static void read_random(struct config *c, const struct input_draft *d, struct input_spec *out)
{
    static const char normal_rule[] = "dist: normal has mean, std and seed",
                      uniform_rule[] = "dist: uniform has low, high and seed";
    const bool normal = out->dist == INPUT_NORMAL;
    read_number(c, d->mean, "mean", &out->mean);
    read_number(c, d->std, "std", &out->std);
    read_number(c, d->low, "low", &out->low);
    read_number(c, d->high, "high", &out->high);
    reject(c, normal ? d->low : d->mean, normal ? normal_rule : uniform_rule);
    reject(c, normal ? d->high : d->std, normal ? normal_rule : uniform_rule);
    if (normal && !(out->std > 0)) {
        diag_error(c->diag, STATUS_INVALID, &d->std->at, "std: %g is not positive", out->std);
        diag_rule(c->diag, "std is the standard deviation of dist: normal");
    }
    if (!normal && !(out->low < out->high)) {
        diag_error(c->diag, STATUS_INVALID, &(d->high != NULL ? d->high : d->low)->at,
                   "low %g is not less than high %g", out->low, out->high);
        diag_rule(c->diag, "dist: uniform lies between low and high, by default -1 and 1");
    }
    if (d->seed != NULL) {
        int64_t seed = (int64_t)out->seed;
        const struct config_int_rule rule = {.what = "seed", .min = 0, .max = INT64_MAX};
        if (config_read_int(c, d->seed, &rule, &seed)) {
            out->seed = (uint64_t)seed;
        }
    }
}

static void read_file(struct config *c, const struct input_draft *d, struct input_spec *out)
{
    const struct yaml_node *others[] = {d->dist, d->mean, d->std, d->low, d->high, d->seed};
    const char *path;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        reject(c, others[i], "an input from a file has no other keys");
    }
    if (yaml_read_text(d->file, "file", &path, c->diag) != STATUS_OK) {
        return;
    }
    out->dist = INPUT_FILE;
    out->file = config_path(c, path);
    (void)config_file_there(c, d->file, "file", path, out->file);
}

static void read_one(struct config *c, const struct yaml_node *node, struct input_spec *out)
{
    struct input_draft d = {0};
    int dist = INPUT_NORMAL;
    if (node->kind == YAML_NODE_SCALAR) {
        if (config_read_word(c, node, node->key, DISTS, &dist)) {
            out->dist = (enum input_dist)dist;
        }
        return;
    }
    if (!config_read_map(c, node, CONFIG_INPUT_KEYS, "input", &d)) {
        return;
    }
    if (d.file != NULL) {
        read_file(c, &d, out);
        return;
    }
    if (d.dist == NULL) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "the input says neither dist nor file");
        diag_rule(c->diag, INPUTS_RULE);
        return;
    }
    if (config_read_word(c, d.dist, "dist", DISTS, &dist)) {
        out->dist = (enum input_dist)dist;
        read_random(c, &d, out);
    }
}

/* ---- both ---- */

struct both_draft {
    const struct yaml_node *a, *b;
    bool verify;
};

const struct config_key CONFIG_INPUTS_KEYS[] = {
    {.name = "A", .read = config_key_node, .doc = "left operand", .offset = offsetof(struct both_draft, a)},
    {.name = "B", .read = config_key_node, .doc = "right operand", .offset = offsetof(struct both_draft, b)},
    {.name = "verify",
     .read = config_key_bool,
     .doc = "false: only the error of C is of these; small integers are verified (default true)",
     .offset = offsetof(struct both_draft, verify)},
    {.name = NULL},
};

void config_read_inputs(struct config *c, const struct yaml_node *node, uint64_t seed, struct config_inputs *out)
{
    struct both_draft draft = {.verify = true};
    const struct input_spec standard = {.dist = INPUT_NORMAL, .std = 1, .low = -1, .high = 1, .seed = seed};
    out->node = node;
    out->spec[0] = out->spec[1] = standard;
    if (node->kind == YAML_NODE_SCALAR) {
        int dist;
        if (config_read_word(c, node, "inputs", DISTS, &dist)) {
            out->spec[0].dist = out->spec[1].dist = (enum input_dist)dist;
        }
        return;
    }
    if (node->kind != YAML_NODE_MAP) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "inputs: expected a word or a map");
        diag_rule(c->diag, INPUTS_RULE);
        return;
    }
    (void)config_read_map(c, node, CONFIG_INPUTS_KEYS, "inputs", &draft);
    out->error_only = !draft.verify;
    const struct yaml_node *const each[2] = {draft.a, draft.b};
    for (int i = 0; i < 2; i++) {
        if (each[i] != NULL) {
            read_one(c, each[i], &out->spec[i]);
        } else {
            diag_error(c->diag, STATUS_INVALID, &node->key_at, "inputs: nothing is said of %s", i == 0 ? "A" : "B");
            diag_rule(c->diag, INPUTS_RULE);
        }
    }
}

/* ---- sources ---- */

/* One source for all problems that use it, so that its maxima are found once. */
struct config_input {
    struct config_input *next;
    struct input input;
};

static bool same_source(const struct input *a, const struct input *b)
{
    const struct input_spec *x = &a->spec, *y = &b->spec;
    return a->batch == b->batch && a->rows == b->rows && a->cols == b->cols && a->k_rows == b->k_rows &&
           x->dist == y->dist && x->mean == y->mean && x->std == y->std && x->low == y->low && x->high == y->high &&
           x->seed == y->seed && (x->file == NULL) == (y->file == NULL) &&
           (x->file == NULL || strcmp(x->file, y->file) == 0);
}

static struct config_input **bucket_of(struct config *c, const struct input *in)
{
    const int64_t sizes[] = {in->batch, in->rows, in->cols, in->k_rows};
    return &c->inputs[hash_bytes(sizes, sizeof sizes) % CONFIG_INPUT_BUCKETS];
}

/* First value that is no number; -1: none. */
static int64_t not_finite(const float *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) {
            return i;
        }
    }
    return -1;
}

static const char *load_file(struct config *c, struct input *in)
{
    struct strbuf bytes;
    struct diag d;
    const char *why = NULL;
    const int64_t n = input_elements(in), want = n * 4;
    strbuf_init(&bytes);
    diag_init(&d);
    float *values = NULL;
    if (os_read_file(in->spec.file, LIMIT_OPERAND_BYTES, &bytes, &d) != STATUS_OK) {
        why = config_text(c, "%s", d.count > 0 ? d.messages[0].text : "the file cannot be read");
    } else if ((int64_t)bytes.len != want) {
        why = config_text(c, "%s has %zu bytes; %" PRId64 " x %" PRId64 " x %" PRId64 " floats are %" PRId64,
                          in->spec.file, bytes.len, in->batch, in->rows, in->cols, want);
    } else if ((values = config_alloc(c, (size_t)n, sizeof *values)) != NULL) {
        memcpy(values, bytes.text, bytes.len);
        const int64_t at = not_finite(values, n);
        if (at >= 0) {
            why = config_text(c, "%s: element %" PRId64 " is %s; a file of inputs has finite numbers only",
                              in->spec.file, at, isnan(values[at]) ? "nan" : "infinite");
        }
        in->spec.values = values;
    }
    diag_fini(&d);
    strbuf_fini(&bytes);
    return why;
}

/* A source with room for its blocks if `mx`; NULL and *why, or lack of memory. */
static struct input *source(struct config *c, const struct input *wanted, bool mx, const char **why)
{
    struct config_input **bucket = bucket_of(c, wanted), *x = *bucket;
    while (x != NULL && !same_source(&x->input, wanted)) {
        x = x->next;
    }
    if (x == NULL) {
        x = config_alloc(c, 1, sizeof *x);
        if (x == NULL) {
            return NULL;
        }
        x->input = *wanted;
        pthread_mutex_init(&x->input.lock, NULL);
        *why = wanted->spec.dist == INPUT_FILE ? load_file(c, &x->input) : NULL;
        if (*why != NULL || c->no_memory) {
            return NULL;
        }
        x->next = *bucket;
        *bucket = x;
    }
    if (mx && x->input.block == NULL) {
        x->input.block = config_alloc(c, (size_t)input_blocks(&x->input), sizeof *x->input.block);
    }
    return &x->input;
}

/* ---- attaching ---- */

static bool any_below_zero(const struct input *in)
{
    bool any = in->spec.dist == INPUT_NORMAL || (in->spec.dist == INPUT_UNIFORM && in->spec.low < 0);
    const int64_t n = in->spec.dist == INPUT_FILE ? input_elements(in) : 0;
    for (int64_t i = 0; i < n && !any; i++) {
        any = in->spec.values[i] < 0;
    }
    return any;
}

static const char *attach(struct config *c, const struct config_inputs *inputs, struct problem *p, enum tensor tensor)
{
    const bool left = tensor == TENSOR_A;
    struct operand *o = left ? &p->a : &p->b, *scales = left ? &p->scale_a : &p->scale_b;
    const char *name = left ? "A" : "B", *why = NULL;
    struct input wanted;
    if (o->file != NULL) {
        return config_text(c, "%s has inputs and a file of quantised data: one of them", name);
    }
    if (o->dtype == DTYPE_INT32 || o->dtype == DTYPE_UINT32) {
        return config_text(c, "inputs of %s: there is no quantisation to %s", name, dtype_info(o->dtype)->name);
    }
    input_init(&wanted, &inputs->spec[left ? 0 : 1], p, tensor);
    int64_t elements;
    if (__builtin_mul_overflow(wanted.rows * wanted.cols, wanted.batch, &elements) || elements > LIMIT_INPUT_ELEMENTS) {
        return config_text(c, "inputs of %s: %" PRId64 " x %" PRId64 " x %" PRId64 " elements, at most %" PRId64, name,
                           wanted.batch, wanted.rows, wanted.cols, (int64_t)LIMIT_INPUT_ELEMENTS);
    }
    struct input *in = source(c, &wanted, o->mx, &why);
    if (in == NULL) {
        return why;
    }
    if (o->dtype == DTYPE_UINT8 && any_below_zero(in)) {
        return config_text(c, "inputs of %s: uint8 has no numbers below 0, and Mmad takes no offset", name);
    }
    o->input = in;
    scales->input = o->mx ? in : NULL;
    return NULL;
}

const char *config_attach_inputs(struct config *c, const struct config_inputs *inputs, struct problem *p)
{
    const char *why = NULL;
    if (inputs->node != NULL) {
        p->error_only = inputs->error_only;
        why = attach(c, inputs, p, TENSOR_A);
        why = why != NULL ? why : attach(c, inputs, p, TENSOR_B);
    }
    return why;
}
