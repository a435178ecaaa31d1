/* tiling.c - the table of tiling fields, canonical names. */
#include "tiling/tiling.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const WORDS_SCALES[] = {"chunk", "step", NULL};
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
    [TF_scaleFactorM] = {NULL, "MX: base blocks along M whose scales come in one copy", ""},
    [TF_scaleFactorN] = {NULL, "MX: base blocks along N whose scales come in one copy", ""},
    [TF_scaleCopy] = {WORDS_SCALES, "MX: scales come with chunks of data, or for each base step by themselves", ""},
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
    [TF_loadRepeat] = {NULL, "1: 2D loads of lines that lie behind each other are one instruction (repeatTimes)", ""},
    [TF_rowCopy] = {NULL, "1: up to 16 rows of A are copied one DataCopy a row", ""},
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
    {"b", {TF_baseM, TF_baseN, TF_baseK}, 3}, {"s", {TF_stepKa, TF_stepKb, TF_N}, 2},
    {"d", {TF_dbA1, TF_dbB1, TF_N}, 2},       {"l", {TF_dbL0A, TF_dbL0B, TF_dbL0C}, 3},
    {"c", {TF_usedCoreNum, TF_N, TF_N}, 1},   {"g", {TF_singleCoreM, TF_singleCoreN, TF_singleCoreK}, 3},
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

/* All of a leading group or nothing: "l2x2x1" is one, "l2a1" is the tag l2a. */
static bool parse_group(int g, const char *s, struct tiling *t)
{
    int32_t values[3];
    for (int i = 0; i < GROUPS[g].count; i++) {
        if ((i > 0 && *s++ != 'x') || !read_number(&s, &values[i])) {
            return false;
        }
    }
    if (*s != '\0') {
        return false;
    }
    for (int i = 0; i < GROUPS[g].count; i++) {
        tiling_set(t, GROUPS[g].fields[i], values[i]);
    }
    return true;
}

/* `groups` gets the bit of a leading group that is stated. */
static bool parse_part(const char *part, struct tiling *t, unsigned *groups)
{
    for (int g = 0; g < GROUP_N; g++) {
        if (part[0] == GROUPS[g].letter[0] && parse_group(g, part + 1, t)) {
            *groups |= 1U << g;
            return true;
        }
    }
    size_t tag = strlen(part);
    while (tag > 0 && isdigit((unsigned char)part[tag - 1])) {
        tag--;
    }
    for (int f = 0; f < TF_N; f++) {
        /* Tags end in no digit, so the split is unique. Fields of the leading
         * groups may be stated by their tags too: "bm128". */
        if (!derived_field(f) && strlen(INFO[f].tag) == tag && strncmp(INFO[f].tag, part, tag) == 0) {
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

/* Fields of a complete name that it leaves out have their defaults; depths follow. */
static void fill_defaults(struct tiling *t)
{
    for (int f = 0; f < TF_N; f++) {
        if (tiling_get(t, (enum tiling_field)f) == TILING_AUTO) {
            tiling_set(t, (enum tiling_field)f, INFO[f].def);
        }
    }
    t->depthA1 = t->stepM * t->stepKa * t->dbA1;
    t->depthB1 = t->stepN * t->stepKb * t->dbB1;
}

enum status tiling_parse(const char *name, struct tiling *out, struct diag *d)
{
    char part[64];
    const char *s = name;
    unsigned groups = 0;
    tiling_all_auto(out);
    if (*s == '\0') {
        return diag_error(d, STATUS_INVALID, NULL, "the tiling name is empty");
    }
    while (*s != '\0') {
        const size_t n = strcspn(s, "_");
        if (n == 0 || n >= sizeof part) {
            return diag_error(d, STATUS_INVALID, NULL, "tiling name '%s': empty or overlong part at '%s'", name, s);
        }
        memcpy(part, s, n);
        part[n] = '\0';
        if (!parse_part(part, out, &groups)) {
            diag_error(d, STATUS_INVALID, NULL, "tiling name '%s': cannot read part '%s'", name, part);
            diag_hint(d, "a name looks like b128x256x64_s8x4_d2x2_l2x2x1_c24_g1408x2048x8192");
            return STATUS_INVALID;
        }
        s += n + (s[n] == '_');
    }
    if (groups == (1U << GROUP_N) - 1U) {
        fill_defaults(out);
    }
    return STATUS_OK;
}
