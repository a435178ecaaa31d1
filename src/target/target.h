/* target.h - one chip: sizes, rates and latencies, each number with its source.
 *
 * Nothing about hardware stands in code: a struct target is filled from
 * configs/targets/NAME.yaml (embedded in the binary; a path overrides) with
 * `extends` for families.  Every YAML leaf is
 *   {value, unit, source, confidence: measured|document|platform|assumed, rows: []}
 * and keeps that provenance in `facts`. */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "numeric/dtype.h"
#include "target/core.h"
#include "text/yaml_tree.h"

/* The documents' product names used by support tables. */
enum product {
    PRODUCT_ASCEND950 = 0,
    PRODUCT_ATLAS_A3,
    PRODUCT_ASCEND910B, /* Atlas A2 */
    PRODUCT_ASCEND310B,
    PRODUCT_ASCEND310P,
    PRODUCT_ASCEND910,
    PRODUCT_KIRIN_X90,
    PRODUCT_KIRIN_9030,
    PRODUCT_N
};

enum confidence { CONFIDENCE_MEASURED = 0, CONFIDENCE_DOCUMENT, CONFIDENCE_PLATFORM, CONFIDENCE_ASSUMED, CONFIDENCE_N };

/* Parameters of the time model (timing_model.md). Cycles unless said. */
struct target_timing {
    double mmad_latency, mmad_issue;                             /* LM, oM */
    double load_issue;                                           /* o1, cycles per operand load */
    double load_calls_ref[2], load_call, load_min;               /* calls in the measured pair (A, B), oi, omin */
    double l0a_width, l0b_width, mx_width;                       /* wA, wB, wS: B/cycle */
    double l1_contention;                                        /* cont: B per stolen cycle */
    double copy_issue, copy_latency, copy_loaded;                /* o2, L2, Lld */
    double row_min, row_base, row_width;                         /* row_min, row_a, b_nd (B/cycle) */
    double pitch_conflict, pitch_conflict_modulus;               /* pitchK; 16384 B */
    double unaligned, unaligned_row_min;                         /* unal32, cycles per 32 B; rule for rows >= 512 B */
    double align_bytes[4], align_weight[4], align_weight_else;   /* w(al) */
    double l2_rate, l2_shared;                                   /* agg (B/cycle, chip), sh */
    double plain_width;                                          /* b_pl, B/cycle */
    double hbm_nd, hbm;                                          /* TB/s */
    double hbm_short_row, hbm_short_row_bytes;                   /* shortrow; 256 B */
    double hbm_core_share;                                       /* hb1 */
    double overlap, overlap_plain, write_back;                   /* ov of ND rows, of plain bursts; kw */
    double fixpipe_issue, fixpipe_width, fixpipe_unaligned;      /* oF, bF (B/cycle), fix_unal (cycles per row) */
    double bt_width, bt_latency, fb_width, fb_latency;           /* L1->BT, L1->FB: B/cycle, cycles */
    double sync;                                                 /* flag wait after its set */
    double conv_look_ahead;                                      /* Qc, steps */
    double l2_hit_low, l2_hit_high;                              /* h_lo, h_hi, in L2 sizes */
    double head_us, head_cores_us, init_us, init_api_us, mix_us; /* head0, head1, init, init_api, mix: us */
    double tile_barrier;                                         /* PIPE_ALL per tile: cycles */
    double queue_depth;      /* instructions that wait in a pipe's queue; 0: no limit */
    double context_rounding; /* missed shares are rounded to this */
    double mmad_barrier;     /* 1: PIPE_M barriers cost what they order; 0: as the prototype */
    /* What the model's prototype simplified. No keys of a file: its test alone sets them, timing_fast alone reads them. */
    struct {
        bool mean_map;      /* conv: each block of baseM moves the mean of the map's rows under such blocks */
        bool scales_apart;  /* MX: scales of A and B are one move with an event of its own, tails as long as the rest;
                            * they always hit L2 */
        bool launch_active; /* a launch costs what the cores with a tile do */
    } prototype;
};

/* One leaf of a target file. */
struct target_fact {
    const char *key;                  /* dotted: "buffers.L1", "timing.mmad_latency", "timing.align_bytes[0]" */
    double value;                     /* flags: 0 or 1; text: 0 */
    const char *text;                 /* the value as text, for keys that hold a word; else NULL */
    const char *unit, *source, *rows; /* rows: "R001,R002" or "" */
    enum confidence confidence;
    const char *file; /* where it was set last (families): "configs/targets/NAME.yaml" or the user's path */
    uint32_t line;
};

struct target {
    const char *name;       /* "ascend910b1" */
    const char *path;       /* as loaded; NULL: built in */
    const char *title;      /* "Atlas A2, Ascend 910B1" */
    const char *family;     /* chain of extends: "ascend910b1 < family_2201" */
    const char *validation; /* what board runs say of the model here: "validated", "not validated", ... */
    double validated_error; /* percent: error of a task time where no board run is like it; see target_error() */
    double error_short[2], error_long[2]; /* percent; [1]: of a conv; below and above TARGET_SHORT_US; 0: no run */
    enum product product;
    int32_t arch;  /* 2201, 3510, 2002, 3002, 1001, 3003, 3113 */
    bool l0a_nz;   /* L0A is Nz (3510), else Zz */
    int32_t cores; /* cube cores */
    double ghz;
    double l2_bytes;
    double memory_gib;                          /* device memory; 0 = not stated */
    int64_t physical[BUF_N];                    /* bytes; 0 = the buffer does not exist; GM: INT64_MAX */
    int64_t reserve_mix[BUF_N];                 /* bytes held back when `kernel: mix` */
    int64_t align_dst[BUF_N], align_src[BUF_N]; /* instruction operand alignment, bytes */
    int32_t event_ids;                          /* usable ids per pair (6; 910: 4) */
    int32_t mte1_queue, m_queue;                /* instruction queue depth */
    int32_t fb_columns;                         /* columns of one quant row */
    double rate[DTYPE_N];                       /* MAC per cycle and core by left dtype; 0 = unsupported by the cube */
    double rate_hf32;
    int32_t cube_n; /* 16; Kirin 8 */
    struct target_timing timing;
    bool l0c_to_gm;            /* Fixpipe reaches GM */
    struct target_fact *facts; /* in the order of the schema, so groups are contiguous */
    size_t fact_count;
    uint64_t fingerprint; /* of all keys and values: equal targets give equal results */
};

/* Loads a target by embedded name or by path (a name with '/' or ".yaml").
 * Also by what people write: 910B1, Ascend910B4-1, or a target_alias().
 * Unknown name: STATUS_INVALID with a suggestion at `at`. Everything lives in
 * `arena`. A loaded target is complete: a missing required key is an error. */
enum status target_load(const char *name_or_path, const struct location *at, struct arena *arena,
                        const struct target **out, struct diag *d);

/* The target a short name stands for ("950PR": ascend950pr_9589); NULL: it is none. */
const char *target_alias(const char *name);

/* Embedded names, sorted, NULL-terminated (families excluded). */
const char *const *target_names(struct arena *arena);

/* MAC per cycle and core with this left dtype, as HF32 where `hf32` (and the target states it); 0: unsupported. */
double target_rate(const struct target *t, enum dtype left, bool hf32);

/* The fact behind a number; NULL if none. */
const struct target_fact *target_fact(const struct target *t, const char *key);

/* Task times from the shortest held-out board runs to short, and above. */
#define TARGET_SHORTEST_US 10.0
#define TARGET_SHORT_US    50.0

/* Typical error of a task time of `us`, percent: times closer than it are not told
 * apart. The median of the held-out board runs of the architecture that are like it
 * in operator and length, else validated_error. `key`, if not NULL: of its fact. */
double target_error(const struct target *t, bool conv, double us, const char **key);

/* How far the numbers of the time model ("timing.") can be trusted: the worst confidence among them and how many have it. */
struct target_trust {
    enum confidence worst;
    size_t count[CONFIDENCE_N], total;
};
struct target_trust target_trust(const struct target *t);

const char *product_name(enum product product);   /* "ascend910b" */
enum product product_from_name(const char *name); /* PRODUCT_N if unknown */
const char *confidence_name(enum confidence confidence);
enum confidence confidence_from_name(const char *name); /* CONFIDENCE_N if unknown */

#endif
