/* config.h - inside the experiment room: one config being read.
 *
 * Reading never stops at the first mistake: readers report to `diag` and go
 * on with a value left as it was; experiment_load() looks at the count of
 * errors at the end. Only lack of memory is remembered separately. */
#ifndef EXPERIMENT_CONFIG_H
#define EXPERIMENT_CONFIG_H

#include "base/arena.h"
#include "base/diag.h"
#include "experiment/experiment.h"
#include "problem/input.h"
#include "text/yaml_tree.h"

struct config_input; /* config_inputs.c */
enum { CONFIG_INPUT_BUCKETS = 256 };

struct config {
    struct arena *arena;
    struct diag *diag;
    const char *file; /* as the user named it */
    bool built_in;    /* the file is an embedded one: so are the lists it names */
    const char *dir;  /* directory of the file with a final '/', "" if none: relative paths start there */
    bool no_memory;
    struct config_input *inputs[CONFIG_INPUT_BUCKETS]; /* sources of operands, shared by problems */
};

/* Zeroed memory of the config's arena; NULL (and `no_memory`) on failure. */
void *config_alloc(struct config *c, size_t count, size_t size);
/* printf into the arena; "" on failure. */
const char *config_text(struct config *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* `path` as given if absolute or if no such file stands beside the config, else that one. */
const char *config_path(struct config *c, const char *path);

/* Reports at `node` that `path` (found as `resolved`) is not there. */
bool config_file_there(struct config *c, const struct yaml_node *node, const char *what, const char *path,
                       const char *resolved);

/* ---- keys ---- */

/* One key a map may have. The same tables drive reading, the check for
 * unknown keys and experiment_describe(). */
struct config_key {
    const char *name;
    void (*read)(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out);
    const char *doc;  /* one line: values and meaning */
    size_t offset;    /* generic readers below: member of the struct `out` points to */
    int64_t min, max; /* integers */
    const char *rule; /* said when a value is outside; NULL: the range alone */
};

/* Generic readers: an int64_t, a struct config_ints, a text, a
 * bool, the node itself. A value in error leaves the member as it was. */
void config_key_int64(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out);
void config_key_ints(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out);
void config_key_text(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out);
void config_key_bool(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out);
void config_key_node(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out);

/* Reads a map: every known key by its handler, every unknown one is an error
 * with a suggestion. `keys` ends with a NULL name; `what` names the map in
 * messages. @return false if `map` is not a map. */
bool config_read_map(struct config *c, const struct yaml_node *map, const struct config_key *keys, const char *what,
                     void *out);
const struct config_key *config_find_key(const struct config_key *keys, const char *name); /* NULL if none */

/* A word of a closed list. */
struct config_word {
    const char *word; /* NULL ends the list */
    int value;
};
/* @return false (reported, with a suggestion) if the node is no word of the list. */
bool config_read_word(struct config *c, const struct yaml_node *node, const char *what, const struct config_word *words,
                      int *out);
/* Same for a NULL-terminated list of names; *out is the position. */
bool config_read_name(struct config *c, const struct yaml_node *node, const char *what, const char *const *names,
                      int *out);

/* Integers of a scalar, a list or {from, to, step}, in the order given. */
struct config_ints {
    int64_t *value;
    const struct yaml_node **node; /* where each was written */
    size_t count, cap;
};
/* Appends; `scalar` reads one value (NULL: a plain integer in [min, max]).
 * @return false if anything was wrong (reported). */
struct config_int_rule {
    const char *what;
    int64_t min, max;
    const char *range_rule; /* said when a value is outside; NULL: the range alone */
    bool (*scalar)(struct config *c, const struct yaml_node *node, const void *arg, int64_t *out);
    const void *arg;
};
bool config_read_ints(struct config *c, const struct yaml_node *node, const struct config_int_rule *rule,
                      struct config_ints *out);
/* An integer of 64 bits; the caller looks at its range. One that is longer is
 * reported with min and max. */
bool config_read_number(struct config *c, const struct yaml_node *node, const char *what, int64_t min, int64_t max,
                        int64_t *out);
/* One integer in the rule's range. */
bool config_read_int(struct config *c, const struct yaml_node *node, const struct config_int_rule *rule, int64_t *out);

/* ---- overrides (config_tree.c) ---- */

/* A deep copy, so that a variant's overrides leave the base untouched. */
struct yaml_node *config_tree_clone(struct config *c, const struct yaml_node *node);

/* Puts a copy of `value` at a dotted path ("tiling.baseM", "problem[0].M",
 * "A.dtype" = "problem.A.dtype", "baseM" = "tiling.baseM"). A key without
 * index below a list goes to every element; maps are made where missing.
 * `at` is the place of the path's first character. @return false if reported. */
bool config_tree_set(struct config *c, struct yaml_node *root, const char *path, const struct location *at,
                     const struct yaml_node *value);

/* One "path=value" of --set, value in YAML. */
bool config_tree_override(struct config *c, struct yaml_node *root, const char *assignment);

/* The section ("problem", "tiling", or a root key) a path's first word belongs to; NULL if unknown. */
const char *config_path_section(const char *path);

/* ---- sections ---- */

/* Keys of the whole file (config_root.c). */
extern const struct config_key CONFIG_ROOT_KEYS[];
/* Keys of the file, of a problem and of a tiling, for suggestions; NULL-terminated, NULL on lack of memory. */
const char *const *config_all_keys(struct config *c);

/* One problem read. */
struct config_problem {
    struct problem problem;
    const char *label;   /* "2048x2048x2048"; unique only after the cells are made */
    const char *failed;  /* why this row cannot be taken; NULL: it can */
    bool bias_free;      /* a bias without a dtype of its own: the target decides */
    const char *network; /* NULL: the config itself */
    const char *layer;   /* NULL: the label */
    int64_t count;       /* times it occurs */
};
struct config_problems {
    struct config_problem *v;
    size_t count, cap;
};

/* The `problem` node: a map, a list of maps, or {shapes: FILE, ...} (config_problem.c). */
void config_read_problems(struct config *c, const struct yaml_node *node, uint64_t seed, struct config_problems *out);
/* What A and B hold before they are quantised. */
struct config_inputs {
    const struct yaml_node *node; /* NULL: nothing, they are small integers */
    struct input_spec spec[2];    /* A, B */
    bool error_only;              /* verify: false */
};
void config_read_inputs(struct config *c, const struct yaml_node *node, uint64_t seed, struct config_inputs *out);
/* Gives a finished problem its sources. @return why it cannot have them; NULL: it can, or lack of memory. */
const char *config_attach_inputs(struct config *c, const struct config_inputs *inputs, struct problem *p);

/* One problem map before its sizes are multiplied out. A list of M, N or K makes
 * one problem of each combination. */
struct config_draft {
    struct problem p; /* all but M, N, K */
    struct config_ints m, n, k, group_m;
    const char *name;
    bool wants_bias;  /* bias without a dtype of its own */
    enum dtype dtype; /* default of A and B, DTYPE_NONE: half */
    bool dtype_mx;
    bool dtype_broken; /* a dtype of an operand could not be read */
    bool wants_scales; /* scaleA or scaleB is there */
    size_t errors;     /* in the file before this problem */
    struct config_inputs inputs;
    int64_t tensor_parallel; /* beside shapes: `tp` */
    int64_t occurs;          /* `count`; 0: not said */
    bool merge;              /* beside shapes: equal rows are one problem that counts as often */
    const struct yaml_node *shapes;
};
/* Fills the members that follow from others: dtypes of B, C, bias and scales.
 * @return how many reasons there are why it cannot be; they are in `why`, with
 * room for one more. */
#define CONFIG_FAULTS 4
size_t config_problem_complete(struct config *c, struct problem *p, const struct config_draft *draft,
                               const char *why[CONFIG_FAULTS]);
/* Rows of the groups as `rows` lists them, or p->groups times p->M: sets
 * group_end and M. @return why it cannot be, NULL if it can. */
const char *config_problem_groups(struct config *c, struct problem *p, const struct config_ints *rows);
/* Words for what no room above can run yet; NULL if it can. */
const char *config_problem_not_lowered(const struct problem *p);
/* What a conv's map says beside its numbers: the four sizes of its input in one
 * key, NCHW or NHWC, and keys of operands that mean nothing for a conv. */
void config_conv_sizes(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out);
void config_conv_check(struct config *c, const struct yaml_node *map, const struct config_draft *draft);
/* Sizes of the im2col view; a reason if the filter does not fit. */
const char *config_conv_view(struct config *c, struct problem *p);
/* "n1c64h56w56_k128r3s3_stride2_pad1": sizes, and what is not as usual. */
const char *config_conv_label(struct config *c, const struct conv_shape *v);
/* `name` in letters a label may have: it becomes part of a cell's name. */
const char *config_label(struct config *c, const char *name);
/* Appends; `label` NULL: made of the sizes. */
void config_problem_add(struct config *c, struct config_problems *out, const struct problem *p, const char *label,
                        const char *failed);
extern const struct config_key CONFIG_MATMUL_KEYS[], CONFIG_CONV_KEYS[];
bool config_problem_key(const char *name);
/* dtype by config name ("half", "mx_fp8_e4m3") or, with `foreign`, by other people's ("torch.bfloat16"). */
bool config_dtype(const char *name, bool foreign, enum dtype *dtype, bool *mx);

/* The words of configs for an operand's type ("mx_fp8_e4m3"). */
const char *config_dtype_name(struct config *c, const struct operand *o);
bool config_read_dtype(struct config *c, const struct yaml_node *node, enum dtype *dtype, bool *mx);
extern const struct config_key CONFIG_OPERAND_KEYS[]; /* for a struct operand */
extern const struct config_key CONFIG_SCALE_KEYS[];   /* the same, of MX scales */
/* Keys of maps inside of others. */
extern const struct config_key CONFIG_QUANT_KEYS[], CONFIG_INPUTS_KEYS[], CONFIG_INPUT_KEYS[], CONFIG_REPORT_KEYS[],
    CONFIG_VARIANT_KEYS[], CONFIG_RANGE_KEYS[];
/* All dtype words of configs, then other names: "half, bf16, ...". */
void config_dtype_words(struct strbuf *words, struct strbuf *aliases);
/* The conv API's names of tiling fields: "mL0, nL0, ...". */
void config_vendor_names(struct strbuf *out);

/* Rows of a CSV of shapes as problems (config_shapes.c); `defaults` holds what the config says beside `shapes`. */
void config_read_shapes(struct config *c, const struct config_draft *defaults, const struct yaml_node *map,
                        struct config_problems *out);

/* The space of the `tiling` and `where` nodes (config_tiling.c); either may be NULL. */
struct config_tiling {
    struct space space;
    bool l2_warm;
    const struct yaml_node *owner[TF_N]; /* key that gave the field, NULL: auto */
};
void config_read_tiling(struct config *c, const struct yaml_node *tiling, const struct yaml_node *where,
                        struct config_tiling *out);
/* Keys of a tiling map: field names, then l2. NULL-terminated. */
const char *const *config_tiling_keys(void);
bool config_tiling_key(const char *name);

/* One interpretation of problem, tiling and where. */
struct config_variant {
    const char *name;
    struct location at;
    const struct yaml_node *set; /* map of overrides; NULL: the file as it stands */
    const struct yaml_node *tiling;
    struct config_problems problems;
    struct config_tiling space;
};

/* The whole file. */
struct config_root {
    struct experiment e;
    const struct yaml_node *target, *problem, *tiling, *where, *variants;
    const struct target **targets;
    size_t target_count;
    struct config_variant *variant;
    size_t variant_count;
    int64_t event_ids; /* 0: as many as the target advises */
};

/* A text fit to name a directory or a column. */
bool config_is_file_name(const char *text);
bool config_read_file_name(struct config *c, const struct yaml_node *node, const char *what, const char **out);
/* `file` is the place of "no target". */
void config_read_targets(struct config *c, const struct location *file, struct config_root *root);

/* Messages from number `from` on: each once, in the order of the file. */
void config_messages_tidy(struct config *c, size_t from);

/* Hash of everything that decides results (experiment_key.c). */
uint64_t experiment_key(const struct experiment *e);

#endif
