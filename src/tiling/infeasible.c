/* infeasible.c - why a tiling cannot be, in words with numbers. */
#include <inttypes.h>

#include "tiling/dtypes.h"
#include "tiling/supported.h"
#include "tiling/tiling.h"

static const char *const REASON_NAMES[REASON_N] = {
    [REASON_NONE] = "feasible",
    [REASON_RANGE] = "range",
    [REASON_MULTIPLE] = "multiple",
    [REASON_BUFFER] = "buffer",
    [REASON_CORES] = "cores",
    [REASON_DEPTH] = "depth",
    [REASON_CONTRADICTION] = "contradiction",
    [REASON_EVENTS] = "events",
    [REASON_LOAD] = "load",
    [REASON_DTYPE] = "dtype",
    [REASON_OPERAND] = "operand",
    [REASON_FIELD_WIDTH] = "field_width",
    [REASON_WHERE] = "where",
    [REASON_UNSUPPORTED] = "unsupported",
};

const char *infeasible_reason_name(enum infeasible_reason r)
{
    return r < REASON_N ? REASON_NAMES[r] : "?";
}

static const char *field_name(int64_t f)
{
    return f >= 0 && f < TF_N ? tiling_field_info((enum tiling_field)f)->name : "tiling";
}

void tiling_value_text(enum tiling_field f, int64_t value, struct strbuf *out)
{
    const char *const *words = tiling_field_info(f)->words;
    int64_t count = 0;
    while (words != NULL && words[count] != NULL) {
        count++;
    }
    if (value >= 0 && value < count) {
        strbuf_add(out, words[value]);
    } else {
        strbuf_addf(out, "%" PRId64, value);
    }
}

/* --- buffers -------------------------------------------------------------- */

static void operand_terms(const char *name, int32_t base, int32_t step, int32_t base_k, int32_t step_k, int32_t db,
                          struct strbuf *out)
{
    strbuf_addf(out, "%s %d", name, base);
    if (step > 1) {
        strbuf_addf(out, " x %d", step);
    }
    strbuf_addf(out, " x baseK %d x step %d x %d buffer%s", base_k, step_k, db, db == 1 ? "" : "s");
}

static void l1_terms(const struct tiling *t, struct strbuf *out)
{
    operand_terms("A: baseM", t->baseM, t->stepM, t->baseK, t->stepKa, t->dbA1, out);
    strbuf_add(out, t->fullLoad == FULL_LOAD_A ? ", whole; " : "; ");
    operand_terms("B: baseN", t->baseN, t->stepN, t->baseK, t->stepKb, t->dbB1, out);
    strbuf_add(out, t->fullLoad == FULL_LOAD_B ? ", whole" : "");
    if ((t->loadA == LOAD_MX || t->loadB == LOAD_MX) && (t->scaleFactorKa > 1 || t->scaleFactorKb > 1)) {
        strbuf_addf(out, "; scales x %d and x %d chunks", t->scaleFactorKa, t->scaleFactorKb);
    }
    strbuf_add(out, t->isBias ? "; a bias row" : "");
}

/* What a buffer holds, spelled out with the fields that size it. */
static void buffer_terms(enum buffer buf, const struct tiling *t, struct strbuf *out)
{
    switch (buf) {
    case BUF_L1:
        l1_terms(t, out);
        break;
    case BUF_L0A:
    case BUF_L0A_MX:
        strbuf_addf(out, "baseM %d x baseK %d x dbL0A %d", t->baseM, t->baseK, t->dbL0A);
        break;
    case BUF_L0B:
    case BUF_L0B_MX:
        strbuf_addf(out, "baseN %d x baseK %d x dbL0B %d", t->baseN, t->baseK, t->dbL0B);
        break;
    case BUF_L0C:
        strbuf_addf(out, "baseM %d x baseN %d x dbL0C %d", t->baseM, t->baseN, t->dbL0C);
        break;
    case BUF_BT:
        strbuf_addf(out, "baseN %d x 4 B of bias", t->baseN);
        break;
    case BUF_FB:
        strbuf_addf(out, "baseN %d x 8 B of quant words", t->baseN);
        break;
    case BUF_GM:
    case BUF_UB:
    case BUF_N:
        break;
    }
}

static void text_buffer(const struct infeasible *why, const struct tiling *t, struct strbuf *out)
{
    strbuf_addf(out, "%s needs %" PRId64 " B, has %" PRId64 " B (", buffer_name((enum buffer)why->buf), why->need,
                why->have);
    buffer_terms((enum buffer)why->buf, t, out);
    strbuf_add(out, ")");
}

/* --- fields that exclude each other ---------------------------------------- */

/* Why, by the pair of fields; TF_N: the problem or target. */
static const struct {
    enum tiling_field field;
    int other;
    const char *because;
} EXCLUSIONS[] = {
    {TF_unitflag, TF_dbL0C, "with the unit flag Fixpipe drains the tile the cube still fills: one L0C buffer"},
    {TF_unitflag, TF_splitK, "parts of a sum do not leave L0C by unit flag"},
    {TF_unitflag, TF_N, "only 950, A2 and A3 have it, and every Mmad must cover what Fixpipe stores (A41)"},
    {TF_order, TF_orderRounds, "rounds go with l2split"},
    {TF_assign, TF_order, "l2split walks slices (grid), the other orders walk tiles (blocks)"},
    {TF_assign, TF_N, "tiles of all groups are numbered in one list and dealt to the cores: blocks (kernel_rules 10)"},
    {TF_singleCoreK, TF_splitK, "cd(K, singleCoreK) parts must be the splitK parts"},
    {TF_splitKReduce, TF_splitK, "parts must be summed: atomic or workspace"},
    {TF_splitKReduce, TF_kernel, "vector cores add the parts of a workspace: kernel mix"},
    {TF_isBias, TF_splitK, "EnableMultiCoreSplitK of the high-level API forbids a bias"},
    {TF_isBias, TF_N, "the problem says whether there is a bias"},
    {TF_fullLoad, TF_assign, "blocks are dealt to cores: none keeps one slice of the operand"},
    {TF_fullLoad, TF_orderRounds, "each round has another slice of the operand"},
    {TF_fullLoad, TF_dbA1, "a whole operand is kept once"},
    {TF_fullLoad, TF_dbB1, "a whole operand is kept once"},
    {TF_l2A, TF_N, "SetL2CacheHint is of 950, A2 and A3 only"},
    {TF_l2B, TF_N, "SetL2CacheHint is of 950, A2 and A3 only"},
    {TF_l2C, TF_N, "SetL2CacheHint is of 950, A2 and A3 only"},
    {TF_gemv, TF_N, "a row read as a vector needs K contiguous in A and, with MX, in its scales"},
    {TF_stepM, TF_stepKa, "MDL: stepM > 1 only if stepKa covers K"},
    {TF_stepN, TF_stepKb, "MDL: stepN > 1 only if stepKb covers K"},
    {TF_stepKa, TF_stepKb, "MDL: of the chunk counts of A and B along K one divides the other"},
    {TF_scaleFactorM, TF_scaleFactorKa, "scales span M only once they cover K"},
    {TF_scaleFactorN, TF_scaleFactorKb, "scales span N only once they cover K"},
    {TF_scaleFactorKa, TF_scaleCopy, "scales of single steps are those of one base block"},
    {TF_scaleFactorKb, TF_scaleCopy, "scales of single steps are those of one base block"},
    {TF_scaleFactorM, TF_scaleCopy, "scales of single steps are those of one base block"},
    {TF_scaleFactorN, TF_scaleCopy, "scales of single steps are those of one base block"},
    {TF_scaleCopy, TF_api, "the high-level API copies scales with chunks (mxTypePara)"},
    {TF_scaleCopy, TF_N, "there are no MX scales"},
    {TF_scaleFactorKa, TF_N, "A has no MX scales"},
    {TF_scaleFactorKb, TF_N, "B has no MX scales"},
    {TF_scaleFactorM, TF_N, "A has no MX scales"},
    {TF_scaleFactorN, TF_N, "B has no MX scales"},
};

static void text_contradiction(const struct infeasible *why, const struct tiling *t, struct strbuf *out)
{
    const bool field = why->need >= 0 && why->need < TF_N;
    strbuf_addf(out, "%s ", field_name(why->field));
    if (why->field < TF_N) {
        tiling_value_text((enum tiling_field)why->field, why->have, out);
    }
    strbuf_addf(out, " excludes %s", field ? field_name(why->need) : "this problem on this target");
    if (field) {
        strbuf_add(out, " ");
        tiling_value_text((enum tiling_field)why->need, tiling_get(t, (enum tiling_field)why->need), out);
    }
    for (size_t i = 0; i < sizeof EXCLUSIONS / sizeof EXCLUSIONS[0]; i++) {
        if (EXCLUSIONS[i].field == why->field && EXCLUSIONS[i].other == (field ? why->need : TF_N)) {
            strbuf_addf(out, ": %s", EXCLUSIONS[i].because);
        }
    }
}

/* --- the rest -------------------------------------------------------------- */

static void text_unsupported(const struct infeasible *why, struct strbuf *out)
{
    static const char *const things[UNSUPPORTED_N] = {
        [UNSUPPORTED_CONV] = "conv: not simulated yet",
        [UNSUPPORTED_BATCH] = "batch > 1: not simulated yet",
        [UNSUPPORTED_BIAS] = "a bias: not simulated yet",
        [UNSUPPORTED_QUANT] = "a quant row: not simulated yet",
        [UNSUPPORTED_MX] = "MX scales: not simulated yet",
        [UNSUPPORTED_RESULT_FORMAT] =
            "C in Nz goes out in whole blocks of columns: N, baseN and singleCoreN are multiples of 16, for b8 of 32 "
            "(kernel_rules 7), or a conv without bias and quant row fills up its last block; others are not simulated "
            "yet",
        [UNSUPPORTED_NO_FIXPIPE] = "310P and 910 have no Fixpipe; the way from L0C to GM through UB and the vector "
                                   "unit is not simulated yet",
        [UNSUPPORTED_HF32] = "HF32 goes with float operands only (SetHF32Mode)",
        [UNSUPPORTED_HALF_SUM] = "a half accumulator: how it takes a bias or sums parts of K is not documented (A33), "
                                 "so it is not simulated yet",
        [UNSUPPORTED_HYBRID] = "hybrid rounding to hif8: which values it rounds which way is not published "
                               "(Fixpipe.md), so it is not simulated yet",
        [UNSUPPORTED_RESULT_DTYPE] = "the conversion to this dtype of C by the vector unit: not simulated yet",
    };
    if (why->field < TF_N) {
        strbuf_addf(out, "%s ", field_name(why->field));
        tiling_value_text((enum tiling_field)why->field, why->have, out);
        strbuf_add(out, ": not simulated yet");
    } else {
        strbuf_add(out, why->need > 0 && why->need < UNSUPPORTED_N ? things[why->need] : "this: not simulated yet");
    }
}

/* The operand that no instruction loads as it lies: dtype, transpose, whether
 * the other way would do. */
static void text_no_load(const struct infeasible *why, struct strbuf *out)
{
    const bool a = why->field == TF_loadA, transposed = (why->buf & INFEASIBLE_TRANSPOSED) != 0;
    const int dtype = why->buf & INFEASIBLE_DTYPE;
    strbuf_addf(out, "no instruction of this product brings %s %s %s to %s (load constraints, table 5)", a ? "A" : "B",
                dtype < DTYPE_N ? dtype_info((enum dtype)dtype)->name : "?",
                a ? (transposed ? "as [K, M]" : "as [M, K]") : (transposed ? "as [N, K]" : "as [K, N]"),
                a ? "L0A" : "L0B");
    if ((why->buf & INFEASIBLE_OTHER_WAY) != 0) {
        strbuf_addf(out, "; with transpose: %s there is one", transposed ? "false" : "true");
    }
}

static void text_load(const struct infeasible *why, const struct tiling *t, struct strbuf *out)
{
    if (why->need == 0 && why->have == LOAD_AUTO_NONE) {
        text_no_load(why, out);
        return;
    }
    strbuf_addf(out, "%s ", field_name(why->field));
    if (why->field < TF_N) {
        tiling_value_text((enum tiling_field)why->field, tiling_get(t, (enum tiling_field)why->field), out);
    }
    if (why->need > 0) {
        strbuf_addf(out, ": for b32 it reads an L1 image of %" PRId64 " lines only, has %" PRId64, why->need,
                    why->have);
    } else {
        strbuf_add(out, " is not offered for the operand's dtype and transpose on this target");
    }
}

static void text_depth(const struct infeasible *why, const struct tiling *t, struct strbuf *out)
{
    const bool a = why->field == TF_depthA1;
    strbuf_addf(out, "%s is %" PRId64 ", must be %s %d x %s %d x %s %d", field_name(why->field), why->have,
                a ? "stepM" : "stepN", a ? t->stepM : t->stepN, a ? "stepKa" : "stepKb", a ? t->stepKa : t->stepKb,
                a ? "dbA1" : "dbB1", a ? t->dbA1 : t->dbB1);
}

void infeasible_text(const struct infeasible *why, const struct tiling *t, struct strbuf *out)
{
    static const char *const extents[] = {"M", "N", "K", "ld"};
    const char *field = field_name(why->field);
    switch ((enum infeasible_reason)why->reason) {
    case REASON_NONE:
        strbuf_add(out, "feasible");
        break;
    case REASON_BUFFER:
        text_buffer(why, t, out);
        break;
    case REASON_RANGE:
        strbuf_addf(out, "%s is %" PRId64 ", limit %" PRId64, field, why->have, why->need);
        break;
    case REASON_MULTIPLE:
        strbuf_addf(out, "%s is %" PRId64 ", must be a multiple of %" PRId64, field, why->have, why->need);
        break;
    case REASON_CORES:
        strbuf_addf(out, "needs %" PRId64 " cores, has %" PRId64 " (singleCoreM %d x singleCoreN %d, splitK %d)",
                    why->need, why->have, t->singleCoreM, t->singleCoreN, t->splitK);
        break;
    case REASON_DEPTH:
        text_depth(why, t, out);
        break;
    case REASON_CONTRADICTION:
        text_contradiction(why, t, out);
        break;
    case REASON_EVENTS:
        strbuf_addf(out, "needs event id %" PRId64 " of one pair of pipes, ids end at %" PRId64, why->need - 1,
                    why->have - 1);
        break;
    case REASON_LOAD:
        text_load(why, t, out);
        break;
    case REASON_DTYPE:
        infeasible_dtype_text(why, out);
        break;
    case REASON_OPERAND:
        strbuf_addf(out, "%s of %s is %" PRId64 ", must be a multiple of %" PRId64 "%s", extents[why->buf / 16 % 4],
                    role_name((enum role)(why->buf % 16)), why->have, why->need,
                    why->need == 2 ? ": two elements share a byte"
                                   : ": Nz is cut at whole fractals by the high-level API");
        break;
    case REASON_FIELD_WIDTH:
        strbuf_addf(out, "%s: an instruction field holds %" PRId64 " at most, needs %" PRId64, field, why->have,
                    why->need);
        break;
    case REASON_WHERE:
        strbuf_addf(out, "where clause %" PRId64 " %s", why->need,
                    why->have == WHERE_DIVIDES_BY_ZERO ? "divides by zero"
                    : why->have == WHERE_OVERFLOWS     ? "overflows 64 bits"
                                                       : "is false");
        break;
    case REASON_UNSUPPORTED:
        text_unsupported(why, out);
        break;
    case REASON_N:
        break;
    }
}
