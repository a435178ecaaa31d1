/* tiling.c - the table of tiling fields, canonical names, words of infeasibility. */
#include "tiling/tiling.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tiling/supported.h"

static const char *const WORDS_LOAD[] = {"auto", "2d", "transpose", "3d", "2d_v2", "3d_stride", "mx", NULL};
static const char *const WORDS_ASSIGN[] = {"grid", "blocks", NULL};
static const char *const WORDS_ORDER[] = {"linear", "swizzle", "aswt", "l2split", "chunk", NULL};
static const char *const WORDS_REDUCE[] = {"none", "atomic", "workspace", NULL};
static const char *const WORDS_FULL[] = {"none", "A", "B", NULL};
static const char *const WORDS_ITERATE[] = {"ORDER_M", "ORDER_N", NULL};
static const char *const WORDS_FIRST[] = {"A", "B", NULL};
static const char *const WORDS_L2[] = {"normal", "disable", NULL};
static const char *const WORDS_KERNEL[] = {"cube", "mix", NULL};
static const char *const WORDS_API[] = {"basic", "high", NULL};

struct field_text {
    const char *const *words;
    const char *meaning;
    const char *column;
};

/* The parts of the field table that are text; same order is not needed. */
static const struct field_text FIELD_TEXT[TF_N] = {
    [TF_usedCoreNum] = {NULL, "cores launched", "usedCoreNum"},
    [TF_singleCoreM] = {NULL, "rows of C of one core's slice, elements", "singleCoreM"},
    [TF_singleCoreN] = {NULL, "columns of C of one core's slice, elements", "singleCoreN"},
    [TF_singleCoreK] = {NULL, "K of one core's slice, elements", "singleCoreK"},
    [TF_splitK] = {NULL, "parts K is cut into over cores", ""},
    [TF_splitKReduce] = {WORDS_REDUCE, "how split-K parts are summed", ""},
    [TF_assign] = {WORDS_ASSIGN, "grid: block b gets slice b; blocks: base tiles dealt round robin", "assign"},
    [TF_order] = {WORDS_ORDER, "order in which tiles are walked", "swizzle"},
    [TF_orderOffset] = {NULL, "swizzle: tiles per band", "swizzle"},
    [TF_orderDirection] = {NULL, "swizzle: 0 bands of rows, 1 bands of columns", "swizzle"},
    [TF_orderRounds] = {NULL, "l2split: rounds the M axis is walked in", "l2_rounds_m"},
    [TF_iterateOrder] = {WORDS_ITERATE, "inside a slice: ORDER_M = n outer, m inner", "iterateOrder"},
    [TF_baseM] = {NULL, "rows of C of one Mmad, elements", "baseM"},
    [TF_baseN] = {NULL, "columns of C of one Mmad, elements", "baseN"},
    [TF_baseK] = {NULL, "K of one Mmad, elements", "baseK"},
    [TF_stepM] = {NULL, "base blocks along M kept in L1", "stepM"},
    [TF_stepN] = {NULL, "base blocks along N kept in L1", "stepN"},
    [TF_stepKa] = {NULL, "base blocks along K of one L1 chunk of A", "stepKa"},
    [TF_stepKb] = {NULL, "base blocks along K of one L1 chunk of B", "stepKb"},
    [TF_dbA1] = {NULL, "L1 buffers of A (2 = double buffered)", ""},
    [TF_dbB1] = {NULL, "L1 buffers of B", ""},
    [TF_depthA1] = {NULL, "base blocks of A in L1 = stepM * stepKa * dbA1", "depthA1"},
    [TF_depthB1] = {NULL, "base blocks of B in L1 = stepN * stepKb * dbB1", "depthB1"},
    [TF_dbL0A] = {NULL, "L0A buffers", "dbL0A"},
    [TF_dbL0B] = {NULL, "L0B buffers", "dbL0B"},
    [TF_dbL0C] = {NULL, "L0C buffers", "dbL0C"},
    [TF_scaleFactorKa] = {NULL, "MX: chunks of A per scale chunk along K", "mx_scale_factor"},
    [TF_scaleFactorKb] = {NULL, "MX: chunks of B per scale chunk along K", "mx_scale_factor"},
    [TF_scaleFactorM] = {NULL, "MX: scale span along M", ""},
    [TF_scaleFactorN] = {NULL, "MX: scale span along N", ""},
    [TF_loadA] = {WORDS_LOAD, "instruction L1->L0A", "load_instruction"},
    [TF_loadB] = {WORDS_LOAD, "instruction L1->L0B", "load_instruction"},
    [TF_isBias] = {NULL, "1: bias through BT", ""},
    [TF_unitflag] = {NULL, "1: Mmad hands L0C to Fixpipe in 512 B units", "unitflag"},
    [TF_copyFirst] = {WORDS_FIRST, "operand copied first when both chunks are due", ""},
    [TF_shuffleK] = {NULL, "1: cores start at staggered K chunks", "k_stagger"},
    [TF_fullLoad] = {WORDS_FULL, "operand kept whole in L1 for all tiles of a core", ""},
    [TF_l1Resident] = {NULL, "1: skip a copy whose chunk is already in its L1 slot", ""},
    [TF_gemv] = {NULL, "1: one row of A is read as a vector", ""},
    [TF_waitBoth] = {NULL, "1: wait for both L1 chunks before A is loaded", "wait_both_before_load"},
    [TF_tileBarrier] = {NULL, "1: PIPE_ALL barrier after each tile", "tile_barrier"},
    [TF_l2A] = {WORDS_L2, "L2 hint of A", ""},
    [TF_l2B] = {WORDS_L2, "L2 hint of B", ""},
    [TF_l2C] = {WORDS_L2, "L2 hint of C", ""},
    [TF_kernel] = {WORDS_KERNEL, "cube: AIC only; mix: with vector cores", "mix"},
    [TF_api] = {WORDS_API, "high: started through the high-level Matmul API", "highlevel_init"},
};

static struct tiling_field_info INFO[TF_N];
static const size_t OFFSETS[TF_N] = {
#define OFFSET_OF(name, tag, def, min, max, digit) offsetof(struct tiling, name),
    TILING_FIELDS(OFFSET_OF)
#undef OFFSET_OF
};

/* Joins the two tables before main: after this INFO is only read. */
__attribute__((constructor)) static void join_tables(void)
{
    static const struct tiling_field_info numbers[TF_N] = {
#define NUMBERS(name_, tag_, def_, min_, max_, digit_) \
    {.name = #name_, .tag = tag_, .def = def_, .min = min_, .max = max_, .digit = digit_},
        TILING_FIELDS(NUMBERS)
#undef NUMBERS
    };
    for (int f = 0; f < TF_N; f++) {
        INFO[f] = numbers[f];
        INFO[f].words = FIELD_TEXT[f].words;
        INFO[f].meaning = FIELD_TEXT[f].meaning;
        INFO[f].column = FIELD_TEXT[f].column;
    }
}

const struct tiling_field_info *tiling_field_info(enum tiling_field f)
{
    return &INFO[f];
}

enum tiling_field tiling_field_from_name(const char *name)
{
    for (int f = 0; f < TF_N; f++) {
        if (strcmp(name, INFO[f].name) == 0) {
            return (enum tiling_field)f;
        }
    }
    return TF_N;
}

int32_t tiling_get(const struct tiling *t, enum tiling_field f)
{
    int32_t v;
    memcpy(&v, (const char *)t + OFFSETS[f], sizeof v);
    return v;
}

void tiling_set(struct tiling *t, enum tiling_field f, int32_t value)
{
    memcpy((char *)t + OFFSETS[f], &value, sizeof value);
}

void tiling_all_auto(struct tiling *t)
{
    for (int f = 0; f < TF_N; f++) {
        tiling_set(t, (enum tiling_field)f, TILING_AUTO);
    }
}

/* --- canonical names ----------------------------------------------------- */

/* The groups every name starts with: letter, then up to three fields. */
static const struct {
    const char *letter;
    enum tiling_field fields[3];
    int count;
} GROUPS[] = {
    {"b", {TF_baseM, TF_baseN, TF_baseK}, 3},          {"s", {TF_stepKa, TF_stepKb, TF_N}, 2},
    {"d", {TF_dbA1, TF_dbB1, TF_N}, 2},                {"l", {TF_dbL0A, TF_dbL0B, TF_dbL0C}, 3},
    {"c", {TF_usedCoreNum, TF_N, TF_N}, 1},            {"g", {TF_singleCoreM, TF_singleCoreN, TF_singleCoreK}, 3},
};
#define GROUP_N ((int)(sizeof GROUPS / sizeof GROUPS[0]))

/* Fields a name never states: depths follow from steps and buffers. */
static bool derived_field(int f)
{
    return f == TF_depthA1 || f == TF_depthB1;
}

static bool grouped_field(int f)
{
    for (int g = 0; g < GROUP_N; g++) {
        for (int i = 0; i < GROUPS[g].count; i++) {
            if ((int)GROUPS[g].fields[i] == f) {
                return true;
            }
        }
    }
    return derived_field(f);
}

void tiling_name(const struct tiling *t, struct strbuf *out)
{
    for (int g = 0; g < GROUP_N; g++) {
        strbuf_addf(out, "%s%s", g == 0 ? "" : "_", GROUPS[g].letter);
        for (int i = 0; i < GROUPS[g].count; i++) {
            strbuf_addf(out, "%s%" PRId32, i == 0 ? "" : "x", tiling_get(t, GROUPS[g].fields[i]));
        }
    }
    for (int f = 0; f < TF_N; f++) {
        const int32_t v = tiling_get(t, (enum tiling_field)f);
        if (!grouped_field(f) && v != INFO[f].def) {
            strbuf_addf(out, "_%s%" PRId32, INFO[f].tag, v);
        }
    }
}

/* Reads one decimal number at *s; false if there is none or it overflows int32. */
static bool read_number(const char **s, int32_t *out)
{
    char *end;
    if (!isdigit((unsigned char)**s)) {
        return false;
    }
    const long v = strtol(*s, &end, 10);
    if (v > INT32_MAX || end - *s > 10) {
        return false;
    }
    *out = (int32_t)v;
    *s = end;
    return true;
}

static bool parse_group(int g, const char *s, struct tiling *t)
{
    for (int i = 0; i < GROUPS[g].count; i++) {
        int32_t v;
        if ((i > 0 && *s++ != 'x') || !read_number(&s, &v)) {
            return false;
        }
        tiling_set(t, GROUPS[g].fields[i], v);
    }
    return *s == '\0';
}

static bool parse_part(const char *part, struct tiling *t)
{
    for (int g = 0; g < GROUP_N; g++) {
        if (part[0] == GROUPS[g].letter[0] && isdigit((unsigned char)part[1])) {
            return parse_group(g, part + 1, t);
        }
    }
    size_t tag = strlen(part);
    while (tag > 0 && isdigit((unsigned char)part[tag - 1])) {
        tag--;
    }
    for (int f = 0; f < TF_N; f++) {
        /* Tags may end in no digit themselves, so the split is unique. */
        if (!grouped_field(f) && strlen(INFO[f].tag) == tag && strncmp(INFO[f].tag, part, tag) == 0) {
            const char *s = part + tag;
            int32_t v;
            if (!read_number(&s, &v) || *s != '\0') {
                return false;
            }
            tiling_set(t, (enum tiling_field)f, v);
            return true;
        }
    }
    return false;
}

enum status tiling_parse(const char *name, struct tiling *out, struct diag *d)
{
    for (int f = 0; f < TF_N; f++) {
        tiling_set(out, (enum tiling_field)f, INFO[f].def);
    }
    char part[64];
    const char *s = name;
    while (*s != '\0') {
        const size_t n = strcspn(s, "_");
        if (n == 0 || n >= sizeof part) {
            return diag_error(d, STATUS_INVALID, NULL, "tiling name '%s': empty or overlong part at '%s'", name, s);
        }
        memcpy(part, s, n);
        part[n] = '\0';
        if (!parse_part(part, out)) {
            diag_error(d, STATUS_INVALID, NULL, "tiling name '%s': cannot read part '%s'", name, part);
            diag_hint(d, "a name looks like b128x256x64_s8x4_d2x2_l2x2x1_c24_g1408x2048x8192");
            return STATUS_INVALID;
        }
        s += n + (s[n] == '_');
    }
    out->depthA1 = out->stepM * out->stepKa * out->dbA1;
    out->depthB1 = out->stepN * out->stepKb * out->dbB1;
    return STATUS_OK;
}

/* --- infeasibility ------------------------------------------------------- */

static const char *const REASON_NAMES[REASON_N] = {
    [REASON_NONE] = "feasible",         [REASON_RANGE] = "range",
    [REASON_MULTIPLE] = "multiple",     [REASON_BUFFER] = "buffer",
    [REASON_CORES] = "cores",           [REASON_DEPTH] = "depth",
    [REASON_CONTRADICTION] = "contradiction", [REASON_EVENTS] = "events",
    [REASON_LOAD] = "load",             [REASON_DTYPE] = "dtype",
    [REASON_FIELD_WIDTH] = "field_width", [REASON_WHERE] = "where",
    [REASON_UNSUPPORTED] = "unsupported",
};

const char *infeasible_reason_name(enum infeasible_reason r)
{
    return r < REASON_N ? REASON_NAMES[r] : "?";
}

/* A field's value: its word if it has words. */
static void add_value(const struct tiling_field_info *info, int64_t v, struct strbuf *out)
{
    int64_t words = 0;
    while (info->words != NULL && info->words[words] != NULL) {
        words++;
    }
    if (v >= 0 && v < words) {
        strbuf_add(out, info->words[v]);
    } else {
        strbuf_addf(out, "%" PRId64, v);
    }
}

/* What a buffer holds, spelled out with the fields that size it. */
static void buffer_terms(uint8_t buf, const struct tiling *t, struct strbuf *out)
{
    switch (buf) {
    case BUF_L1:
        strbuf_addf(out, "A baseM %d x baseK %d x stepKa %d x %d buffers, B baseN %d x baseK %d x stepKb %d x %d buffers",
                    t->baseM, t->baseK, t->stepKa, t->dbA1, t->baseN, t->baseK, t->stepKb, t->dbB1);
        break;
    case BUF_L0A:
        strbuf_addf(out, "baseM %d x baseK %d x dbL0A %d", t->baseM, t->baseK, t->dbL0A);
        break;
    case BUF_L0B:
        strbuf_addf(out, "baseN %d x baseK %d x dbL0B %d", t->baseN, t->baseK, t->dbL0B);
        break;
    case BUF_L0C:
        strbuf_addf(out, "baseM %d x baseN %d x 4 B x dbL0C %d", t->baseM, t->baseN, t->dbL0C);
        break;
    default:
        strbuf_addf(out, "baseN %d", t->baseN);
        break;
    }
}

static void unsupported_text(const struct infeasible *why, struct strbuf *out)
{
    static const char *const things[UNSUPPORTED_N] = {
        [UNSUPPORTED_CONV] = "conv",
        [UNSUPPORTED_BATCH] = "batch > 1",
        [UNSUPPORTED_GROUPS] = "groups > 1",
        [UNSUPPORTED_BIAS] = "bias",
        [UNSUPPORTED_QUANT] = "a quant row",
        [UNSUPPORTED_MX] = "MX scales",
        [UNSUPPORTED_RESULT_FORMAT] = "this layout of C",
        [UNSUPPORTED_RESULT_DTYPE] = "the conversion to this dtype of C",
    };
    if (why->field < TF_N) {
        const struct tiling_field_info *info = &INFO[why->field];
        strbuf_addf(out, "%s ", info->name);
        add_value(info, why->have, out);
    } else {
        strbuf_add(out, why->need > 0 && why->need < UNSUPPORTED_N ? things[why->need] : "this");
    }
    strbuf_add(out, ": not simulated yet");
}

void infeasible_text(const struct infeasible *why, const struct tiling *t, struct strbuf *out)
{
    const char *field = why->field < TF_N ? INFO[why->field].name : "tiling";
    switch ((enum infeasible_reason)why->reason) {
    case REASON_NONE:
        strbuf_add(out, "feasible");
        break;
    case REASON_BUFFER:
        strbuf_addf(out, "%s needs %" PRId64 " B, has %" PRId64 " B (", buffer_name((enum buffer)why->buf), why->need,
                    why->have);
        buffer_terms(why->buf, t, out);
        strbuf_add(out, ")");
        break;
    case REASON_RANGE:
        strbuf_addf(out, "%s is %" PRId64 ", limit %" PRId64, field, why->have, why->need);
        break;
    case REASON_MULTIPLE:
        strbuf_addf(out, "%s is %" PRId64 ", must be a multiple of %" PRId64, field, why->have, why->need);
        break;
    case REASON_CORES:
        strbuf_addf(out, "needs %" PRId64 " cores, has %" PRId64 " (singleCoreM %d x singleCoreN %d, usedCoreNum %d)",
                    why->need, why->have, t->singleCoreM, t->singleCoreN, t->usedCoreNum);
        break;
    case REASON_DEPTH:
        strbuf_addf(out, "%s is %" PRId64 ", must be 1 or 2 times %" PRId64, field, why->have, why->need);
        break;
    case REASON_CONTRADICTION:
        strbuf_addf(out, "%s %" PRId64 " excludes %s", field, why->have,
                    why->need >= 0 && why->need < TF_N ? INFO[why->need].name : "the problem");
        break;
    case REASON_EVENTS:
        strbuf_addf(out, "needs %" PRId64 " event ids of one pair, has %" PRId64, why->need, why->have);
        break;
    case REASON_LOAD:
        strbuf_addf(out, "%s: this load is not offered for the operand's dtype and transpose on this target", field);
        break;
    case REASON_DTYPE:
        strbuf_add(out, "the cube of this target does not take these dtypes");
        break;
    case REASON_FIELD_WIDTH:
        strbuf_addf(out, "%s: an instruction field holds %" PRId64 " at most, needs %" PRId64, field, why->have,
                    why->need);
        break;
    case REASON_WHERE:
        strbuf_addf(out, "where clause %" PRId64 " is false", why->need);
        break;
    case REASON_UNSUPPORTED:
        unsupported_text(why, out);
        break;
    case REASON_N:
        break;
    }
}
