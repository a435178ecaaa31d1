/* infeasible_dtype.c - why operands, a bias or a result are not taken, and what
 * the product takes in their place: the documents' tables, read from the other side. */
#include "tiling/dtypes.h"
#include "tiling/tiling.h"

/* What infeasible_pack_dtypes() packed. */
struct asked {
    enum product product;
    enum dtype a, b, c, bias;
    bool mx_a, mx_b, quant;
};

static struct asked unpack(const struct infeasible *why)
{
    const int64_t d = why->have;
    return (struct asked){.product = (enum product)why->need,
                          .a = (enum dtype)(d & 0xff),
                          .b = (enum dtype)(d >> 8 & 0xff),
                          .c = (enum dtype)(d >> 16 & 0xff),
                          .bias = (enum dtype)(d >> 24 & 0xff),
                          .mx_a = (d >> 32 & 1) != 0,
                          .mx_b = (d >> 33 & 1) != 0,
                          .quant = (d >> 34 & 1) != 0};
}

int64_t infeasible_pack_dtypes(const struct problem *p)
{
    return (int64_t)p->a.dtype | (int64_t)p->b.dtype << 8 | (int64_t)p->c.dtype << 16 | (int64_t)p->bias.dtype << 24 |
           (int64_t)(p->a.mx ? 1 : 0) << 32 | (int64_t)(p->b.mx ? 1 : 0) << 33 |
           (int64_t)(p->quant.dtype != DTYPE_NONE ? 1 : 0) << 34;
}

static const char *name_of(enum dtype dtype)
{
    return dtype < DTYPE_N ? dtype_info(dtype)->name : "?";
}

static bool is_fp4(enum dtype dtype)
{
    return dtype == DTYPE_FP4_E2M1 || dtype == DTYPE_FP4_E1M2;
}

/* Names of a set of dtypes, comma between, each behind `prefix`. */
static void add_set(uint32_t set, const char *prefix, struct strbuf *out)
{
    const char *comma = "";
    for (int d = DTYPE_NONE + 1; d < DTYPE_N; d++) {
        if ((set >> d & 1U) != 0) {
            strbuf_addf(out, "%s%s%s", comma, prefix, dtype_info((enum dtype)d)->name);
            comma = ", ";
        }
    }
}

/* Right operands the product's cube takes beside `a`; 0: it takes no such `a`. */
static uint32_t partners(enum product product, bool mx, enum dtype a)
{
    size_t count;
    uint32_t set = 0;
    const struct mmad_triple *x = mmad_triples(&count);
    for (size_t i = 0; i < count; i++) {
        set |= (x[i].products >> product & 1U) != 0 && x[i].mx == mx && x[i].a == a ? 1U << x[i].b : 0;
    }
    return set;
}

static uint32_t left_operands(enum product product, bool mx)
{
    uint32_t set = 0;
    for (int d = DTYPE_NONE + 1; d < DTYPE_N; d++) {
        set |= partners(product, mx, (enum dtype)d) != 0 ? 1U << d : 0;
    }
    return set;
}

static void add_operands(const struct asked *x, struct strbuf *out)
{
    strbuf_addf(out, "A %s%s x B %s%s", x->mx_a ? "mx_" : "", name_of(x->a), x->mx_b ? "mx_" : "", name_of(x->b));
}

static void text_cube(const struct asked *x, struct strbuf *out)
{
    const bool mx = x->mx_a && x->mx_b;
    const uint32_t beside = partners(x->product, mx, x->a), scaled = left_operands(x->product, true);
    strbuf_addf(out, "the cube of %s does not take ", product_name(x->product));
    add_operands(x, out);
    strbuf_add(out, " (Mmad.md, MmadMx.md)");
    if (mx && scaled == 0) {
        strbuf_add(out, ": only 950 has MX");
    } else if (mx && is_fp4(x->a) != is_fp4(x->b)) {
        strbuf_add(out, ": MmadMx takes pairs of fp4 or pairs of fp8, never one of each");
    } else if (!mx && (is_fp4(x->a) || is_fp4(x->b)) && scaled != 0) {
        strbuf_add(out, ": fp4 comes with MX scales only, as mx_fp4");
    } else if (beside != 0 && (beside >> x->b & 1U) == 0) {
        strbuf_addf(out, ": beside A %s%s it takes B ", mx ? "mx_" : "", name_of(x->a));
        add_set(beside, mx ? "mx_" : "", out);
    } else if (beside == 0) {
        strbuf_add(out, ": it takes A ");
        add_set(left_operands(x->product, false), "", out);
    }
}

static void text_bias(const struct asked *x, struct strbuf *out)
{
    const struct mmad_triple *form = mmad_triple_find(x->product, x->mx_a, x->a, x->b, DTYPE_NONE);
    uint32_t set = 0;
    for (int d = DTYPE_NONE + 1; form != NULL && d < DTYPE_N; d++) {
        set |= dtypes_bias_of(x->product, form, (enum dtype)d) ? 1U << d : 0;
    }
    strbuf_addf(out, "%s has no bias of dtype %s for ", product_name(x->product), name_of(x->bias));
    add_operands(x, out);
    strbuf_add(out, set != 0 ? " (Mmad.md): it takes " : " (Mmad.md): there is no form with a bias");
    add_set(set, "", out);
}

/* Results Fixpipe makes of the accumulator, with a quant row or without. */
static uint32_t results(enum product product, enum dtype acc, bool vector)
{
    uint32_t set = 0;
    for (int d = DTYPE_NONE + 1; d < DTYPE_N; d++) {
        set |= dtypes_conversion_of(product, acc, (enum dtype)d, vector) != QUANT_N ? 1U << d : 0;
    }
    return set;
}

static void text_result(const struct asked *x, struct strbuf *out)
{
    const struct mmad_triple *form = mmad_triple_find(x->product, x->mx_a, x->a, x->b, DTYPE_NONE);
    const enum dtype acc = form != NULL ? (enum dtype)form->c : DTYPE_NONE;
    const uint32_t plain = results(x->product, acc, false), vector = results(x->product, acc, true);
    strbuf_addf(out, "Fixpipe of %s does not turn the result of ", product_name(x->product));
    add_operands(x, out);
    strbuf_addf(out, " into C %s%s (Fixpipe.md)", name_of(x->c), x->quant ? " with a quant row" : "");
    if (plain == 0 && vector == 0) {
        strbuf_add(out, ": this product has no Fixpipe");
        return;
    }
    strbuf_addf(out, ": %s becomes ", name_of(acc));
    add_set(plain, "", out);
    if (vector != 0) {
        strbuf_add(out, "; with a quant row ");
        add_set(vector, "", out);
    } else if (x->quant) {
        strbuf_add(out, "; never with a quant row");
    }
}

void infeasible_dtype_text(const struct infeasible *why, struct strbuf *out)
{
    const struct asked x = unpack(why);
    switch ((enum dtype_stage)why->buf) {
    case DTYPE_STAGE_CUBE:
        text_cube(&x, out);
        break;
    case DTYPE_STAGE_BIAS:
        text_bias(&x, out);
        break;
    case DTYPE_STAGE_RESULT:
        text_result(&x, out);
        break;
    case DTYPE_STAGE_N:
        break;
    }
}
