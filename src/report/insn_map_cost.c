/* insn_map_cost.c - cycles of one instruction alone: timing/cost.h's functions,
 * with the formula and the numbers it was fed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/intmath.h"
#include "report/insn_map.h"
#include "timing/cost.h"

/* What a formula is fed: a name in it and the fact it stands for. */
struct term {
    const char *name, *key;
};

static void add_terms(const struct target *t, const struct term *terms, size_t count, struct strbuf *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct target_fact *f = target_fact(t, terms[i].key);
        if (f != NULL) {
            strbuf_addf(out, "    %-13s %-9.6g %-12s %s, %s (%s)\n", terms[i].name, f->value, f->unit,
                        confidence_name(f->confidence), f->source, terms[i].key);
        }
    }
}

#define ADD_TERMS(t, terms, out) add_terms(t, terms, sizeof(terms) / sizeof *(terms), out)

static struct cost cost_of(const struct insn *in, const struct target *t)
{
    struct cost c;
    memset(&c, 0, sizeof c);
    c.p = &t->timing;
    c.mmad_issue = cost_mcyc(t->timing.mmad_issue);
    c.mmad_latency = cost_mcyc(t->timing.mmad_latency);
    c.copy_latency = cost_mcyc(t->timing.copy_latency);
    c.rate = t->rate[in->dtype];
    c.macs_per_fractal = 256.0 * (double)dtype_c0((enum dtype)in->dtype);
    return c;
}

static void add_cycles(struct strbuf *out, const char *what, int64_t mcyc)
{
    strbuf_addf(out, "  %s %" PRId64 ".%03d cycles", what, mcyc / 1000, (int)(mcyc % 1000));
}

static void cycles_load(const struct insn *in, const struct target *t, struct strbuf *out)
{
    struct cost c = cost_of(in, t);
    const bool left = in->dst.buf != BUF_L0B;
    const int64_t bytes = cost_load_bytes(in);
    const struct term terms[] = {{"load_issue", "timing.load_issue"},
                                 {"load_call", "timing.load_call"},
                                 {"calls_ref", left ? "timing.load_calls_ref[0]" : "timing.load_calls_ref[1]"},
                                 {"load_min", "timing.load_min"},
                                 {"width", left ? "timing.l0a_width" : "timing.l0b_width"}};
    add_cycles(out, "occupancy", cost_load(&c, left ? ROLE_A : ROLE_B, 1, (double)bytes, 0, false));
    strbuf_addf(out, " = load_issue - calls_ref * load_call + max(load_min, load_call + %" PRId64 " B / width)\n",
                bytes);
    strbuf_add(
        out,
        "    each further call of the same operand adds only its max(..); while an ND2NZ fills the other L1 half it "
        "takes longer\n");
    if (in->op == OP_LOAD_MX && in->p.load_mx.xStep != 0 && in->p.load_mx.yStep != 0) {
        const int64_t scales = (int64_t)in->p.load_mx.xStep * in->p.load_mx.yStep * 32;
        const struct term mx[] = {{"mx_width", "timing.mx_width"}};
        add_cycles(out, "scales   ", cost_mcyc(t->timing.load_issue + (double)scales / t->timing.mx_width));
        strbuf_addf(out, " = load_issue + %" PRId64 " B / mx_width, on top\n", scales);
        ADD_TERMS(t, mx, out);
    }
    ADD_TERMS(t, terms, out);
}

static void cycles_mmad(const struct insn *in, const struct target *t, struct strbuf *out)
{
    struct cost c = cost_of(in, t);
    const struct mmad_params *p = &in->p.mmad;
    static const struct term terms[] = {{"mmad_issue", "timing.mmad_issue"}, {"mmad_latency", "timing.mmad_latency"}};
    if (c.rate <= 0) {
        strbuf_addf(out, "  not modelled: no rate of the cube for %s on %s\n",
                    dtype_info((enum dtype)in->dtype)->ascend, t->name);
        return;
    }
    const int64_t fractals = ceil_div(p->m, 16) * ceil_div(p->n, 16) * ceil_div(p->k, dtype_c0((enum dtype)in->dtype));
    const int64_t work = cost_mmad(&c, fractals);
    add_cycles(out, "occupancy", work + c.mmad_issue);
    strbuf_addf(out, " = W + mmad_issue, W = %" PRId64 " fractal products * %.0f MAC / %.0f MAC per cycle\n", fractals,
                c.macs_per_fractal, c.rate);
    add_cycles(out, "result at", work + c.mmad_latency);
    strbuf_add(out, " = W + mmad_latency\n");
    ADD_TERMS(t, terms, out);
    char key[48];
    snprintf(key, sizeof key, "cube.rate.%s", dtype_info((enum dtype)in->dtype)->name);
    add_terms(t, &(struct term){"MAC per cycle", key}, 1, out);
}

static void cycles_fixpipe(const struct insn *in, const struct target *t, struct strbuf *out)
{
    struct cost c = cost_of(in, t);
    const struct fixpipe_params *p = &in->p.fixpipe;
    static const struct term terms[] = {{"fixpipe_issue", "timing.fixpipe_issue"},
                                        {"width", "timing.fixpipe_width"},
                                        {"unaligned", "timing.fixpipe_unaligned"}};
    const int64_t es = dtype_info((enum dtype)p->dstType)->bits / 8;
    c.c_bytes = (double)es;
    c.c_unaligned = p->format == FIXPIPE_ND && p->dstStride * es % 32 != 0;
    add_cycles(out, "occupancy", cost_fixpipe(&c, p->mSize, p->nSize));
    strbuf_addf(out, " = fixpipe_issue + %u * %u * %" PRId64 " B / width%s\n", (unsigned)p->mSize, (unsigned)p->nSize,
                es, c.c_unaligned ? " + mSize * unaligned" : "");
    ADD_TERMS(t, terms, out);
}

/* A row off its 512 B line costs more (timing_model.md section 5). */
static void set_alignment(struct cost_copy *copy, const struct target_timing *p, int64_t pitch, int64_t row)
{
    const int64_t common = gcd_i64(pitch, row), align = common & -common; /* largest power of two in both */
    double weight = p->align_weight_else;
    for (size_t i = sizeof p->align_bytes / sizeof p->align_bytes[0]; i-- > 0;) {
        if (p->align_bytes[i] > 0 && align % (int64_t)p->align_bytes[i] == 0) {
            weight = p->align_weight[i];
        }
    }
    copy->unaligned = p->unaligned * weight / 32;
    copy->unaligned_from = align < 32 ? 0 : p->unaligned_row_min;
}

static void cycles_copy(const struct insn *in, const struct target *t, struct strbuf *out)
{
    struct cost c = cost_of(in, t);
    static const struct term terms[] = {
        {"copy_issue", "timing.copy_issue"}, {"copy_latency", "timing.copy_latency"},
        {"row_min", "timing.row_min"},       {"row_base", "timing.row_base"},
        {"row_width", "timing.row_width"},   {"pitch_conflict", "timing.pitch_conflict"},
        {"unaligned", "timing.unaligned"}};
    const struct nd2nz_params *p = &in->p.nd2nz;
    const int64_t row = dtype_bytes((enum dtype)in->dtype, p->dValue),
                  pitch = dtype_bytes((enum dtype)in->dtype, p->srcDValue);
    struct cost_copy *copy = &c.copy[ROLE_A];
    copy->exists = copy->nd = true;
    copy->conflict = t->timing.pitch_conflict_modulus > 0 && pitch % (int64_t)t->timing.pitch_conflict_modulus == 0;
    if (t->timing.unaligned != 0) {
        set_alignment(copy, &t->timing, pitch, row);
    }
    const int64_t rows = (int64_t)p->ndNum * p->nValue;
    const double cycles = cost_rows(&c, ROLE_A, (int32_t)min_i64(rows, INT32_MAX), (int32_t)min_i64(row, INT32_MAX));
    const int64_t busy = cost_mcyc(t->timing.copy_issue + cycles);
    add_cycles(out, "occupancy", busy);
    strbuf_addf(out, " = copy_issue + %" PRId64 " rows * max(row_min, row_base + %" PRId64 " B / row_width)%s\n", rows,
                row, copy->conflict ? " * pitch_conflict" : "");
    add_cycles(out, "data at  ", busy + c.copy_latency);
    strbuf_add(
        out,
        " = occupancy + copy_latency; one core alone, all in L2; unaligned rows: at least unaligned * weight / 32 B\n");
    ADD_TERMS(t, terms, out);
}

static void cycles_plain(int64_t bytes, const struct target *t, struct strbuf *out)
{
    static const struct term terms[] = {{"copy_issue", "timing.copy_issue"},
                                        {"copy_latency", "timing.copy_latency"},
                                        {"plain_width", "timing.plain_width"}};
    const int64_t busy = cost_mcyc(t->timing.copy_issue + (double)bytes / t->timing.plain_width);
    add_cycles(out, "occupancy", busy);
    strbuf_addf(out, " = copy_issue + %" PRId64 " B / plain_width\n", bytes);
    add_cycles(out, "data at  ", busy + cost_mcyc(t->timing.copy_latency));
    strbuf_add(out, " = occupancy + copy_latency; one core alone, all in L2\n");
    ADD_TERMS(t, terms, out);
}

void insn_cycles_text(const struct insn *in, const struct target *t, struct strbuf *out)
{
    const enum op op = (enum op)in->op;
    strbuf_addf(out, "\nCycles (pipe %s, %s)\n", pipe_name((enum pipe)in->pipe), t->name);
    switch (op) {
    case OP_LOAD_2D:
    case OP_LOAD_2D_V2:
        if (in->src.buf == BUF_GM) {
            cycles_plain(cost_load_bytes(in), t, out);
            return;
        }
        cycles_load(in, t, out);
        return;
    case OP_LOAD_TRANSPOSE:
    case OP_LOAD_TRANSPOSE_V2:
    case OP_LOAD_MX:
    case OP_LOAD_3D:
    case OP_LOAD_3D_STRIDE:
        cycles_load(in, t, out);
        return;
    case OP_MMAD:
    case OP_MMAD_MX:
        cycles_mmad(in, t, out);
        return;
    case OP_FIXPIPE:
        cycles_fixpipe(in, t, out);
        return;
    case OP_ND2NZ:
        cycles_copy(in, t, out);
        return;
    case OP_DATA_COPY:
        cycles_plain((int64_t)in->p.copy.blockCount * in->p.copy.blockLen * 32, t, out);
        return;
    default:
        strbuf_add(out, "  not modelled: no measurement prices this instruction\n");
        return;
    }
}
