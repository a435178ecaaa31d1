/* experiment.h - a config file as cells: targets x problems x variants.
 *
 * All user-input semantics of configs live here: which keys exist, what a list
 * or a range means, which values contradict. One run reports all errors. */
#ifndef EXPERIMENT_EXPERIMENT_H
#define EXPERIMENT_EXPERIMENT_H

#include "problem/problem.h"
#include "target/target.h"
#include "tiling/space.h"

enum verify_level { VERIFY_NONE = 0, VERIFY_LAYOUT, VERIFY_CLASSES, VERIFY_FULL };
enum search_kind { SEARCH_EXHAUSTIVE = 0, SEARCH_BEST, SEARCH_PARETO, SEARCH_SAMPLE };
enum objective { OBJECTIVE_TIME = 0, OBJECTIVE_GM_BYTES, OBJECTIVE_L1_BYTES };
enum plot_kind {
    PLOT_HEATMAP = 1 << 0,
    PLOT_ROOFLINE = 1 << 1,
    PLOT_TIMELINE = 1 << 2,
    PLOT_BUDGET = 1 << 3,
    PLOT_PARETO = 1 << 4,
    PLOT_EXPOSED = 1 << 5,
    PLOT_LAYERS = 1 << 6,    /* one picture of all cells */
    PLOT_MX_COMPARE = 1 << 7 /* variants side by side; one picture of the run */
};
#define PLOT_ALL 0xFFU /* also the default */

/* One (target, problem, variant). */
struct cell {
    uint32_t id;         /* 0.. in order targets, problems, variants */
    const char *name;    /* "ascend910b1/2048x2048x2048/base" */
    const char *variant; /* "base" when the config has none */
    bool listed;         /* the problem is a row of a list of shapes */
    const char *network; /* the list of layers the problem is one of: file and what the config says beside it */
    const char *layer;   /* its words in that list, "conv2_1_3x3"; else its sizes */
    int64_t count;       /* times it occurs there */
    const struct target *target;
    struct problem problem;
    struct space space;
    bool l2_warm;       /* l2: {resident: [A, B]} */
    const char *failed; /* not NULL: this row cannot be taken, and why; it stays as a row */
};

struct experiment {
    const char *name; /* results/<name>/ */
    const char *file; /* as the user named it */
    const char *text; /* the config's text, for the run directory */
    struct cell *cells;
    size_t count;
    enum verify_level verify;
    enum search_kind search;
    enum objective objective;
    uint64_t sample; /* points, for SEARCH_SAMPLE */
    uint64_t seed;
    int32_t top;    /* rows of tables */
    uint64_t keep;  /* rows kept in tilings.csv */
    unsigned plots; /* enum plot_kind bits */
    uint64_t key;   /* hash of everything that decides results: canonical config, targets, model version */
};

/* `path`: a file, or the name of an embedded config ("matmul_half").
 * `sets`: NULL-terminated "path=value" overrides of --set (may be NULL).
 * Everything lives in `arena`. */
enum status experiment_load(const char *path, const char *const *sets, struct arena *arena,
                            const struct experiment **out, struct diag *d);

/* Same for a text already in memory; `file` names it in messages and starts
 * relative paths. `d` is not NULL. */
enum status experiment_parse(const char *file, const char *text, size_t len, const char *const *sets,
                             struct arena *arena, const struct experiment **out, struct diag *d);

/* The tiling a canonical name means in a cell: what the name leaves out is the
 * config's fixed field (a scalar, not a list), else TILING_AUTO. Where name and
 * config differ the name holds, with a warning. */
enum status cell_tiling(const struct cell *cell, const char *name, struct tiling *out, struct diag *d);

/* Every key a config may have, with its values and meaning, as a Markdown table;
 * fields of a tiling are a table of their own. */
void experiment_describe(struct strbuf *out);

/* Names of the built-in configs, NULL-terminated; NULL on lack of memory. */
const char *const *experiment_names(struct arena *arena);

const char *verify_name(enum verify_level level);

#endif
