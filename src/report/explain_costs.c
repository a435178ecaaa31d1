/* explain_costs.c - what each kind of instruction lasts, with its formula, the
 * numbers in it and where they come from. */
#include <inttypes.h>
#include <string.h>

#include "base/intmath.h"
#include "report/explain_trace.h"

/* A number of the model with where it comes from, once each. */
struct numbers {
    const char *key[40];
    int count;
};

static void use(struct numbers *n, const char *key)
{
    for (int i = 0; i < n->count; i++) {
        if (strcmp(n->key[i], key) == 0) {
            return;
        }
    }
    if (n->count < (int)(sizeof n->key / sizeof n->key[0])) {
        n->key[n->count++] = key;
    }
}

static void add_numbers(const struct target *target, const struct numbers *n, struct strbuf *out)
{
    strbuf_add(out, "  numbers and where they come from (tilescope targets shows all):\n");
    for (int i = 0; i < n->count; i++) {
        const struct target_fact *f = target_fact(target, n->key[i]);
        if (f != NULL) {
            strbuf_addf(out, "    %-20s %10.6g %-9s %s%s%s: %s\n", strrchr(n->key[i], '.') + 1, f->value, f->unit,
                        confidence_name(f->confidence), *f->rows ? ", " : "", f->rows, f->source);
        }
    }
}

static void mmad_formula(const struct cost *c, const struct insn *insn, struct numbers *n, struct strbuf *out)
{
    const struct mmad_params *p = &insn->p.mmad;
    const int64_t fm = ceil_div(p->m, 16), fn = ceil_div(p->n, 16),
                  fk = ceil_div(p->k, dtype_c0((enum dtype)insn->dtype));
    strbuf_addf(out, "W = %" PRId64 "*%" PRId64 "*%" PRId64 " fractal products * %g MAC / %g MAC/cycle = ", fm, fn, fk,
                c->macs_per_fractal, c->rate);
    explain_cycles(cost_mcyc((double)(fm * fn * fk) * c->macs_per_fractal / c->rate), out);
    strbuf_addf(out, "; pipe busy W + mmad_issue %g, result after W + mmad_latency %g\n", c->p->mmad_issue,
                c->p->mmad_latency);
    if (c->hf32) {
        use(n, "cube.rate_hf32");
    }
    use(n, "timing.mmad_issue");
    use(n, "timing.mmad_latency");
}

static void load_formula(const struct schedule *s, const struct cost *c, const struct insn *insn, struct numbers *n,
                         struct strbuf *out)
{
    const struct target_timing *p = c->p;
    const bool a = insn->role == ROLE_A;
    const int64_t bytes = cost_load_bytes(insn), scales = cost_scale_bytes(insn);
    if (insn->op == OP_L1_TO_BT || insn->op == OP_L1_TO_FB) {
        const bool bt = insn->op == OP_L1_TO_BT;
        strbuf_addf(out, "%" PRId64 " B / %g, result %g later\n", cost_row_bytes(s->target, insn),
                    bt ? p->bt_width : p->fb_width, bt ? p->bt_latency : p->fb_latency);
        use(n, bt ? "timing.bt_width" : "timing.fb_width");
        use(n, bt ? "timing.bt_latency" : "timing.fb_latency");
        return;
    }
    strbuf_addf(out,
                "first call load_issue %g - %g*load_call %g, each call max(load_min %g, load_call %g + %" PRId64
                " B / %s %g)",
                p->load_issue, p->load_calls_ref[a ? 0 : 1], p->load_call, p->load_min, p->load_call, bytes,
                a ? "l0a_width" : "l0b_width", a ? p->l0a_width : p->l0b_width);
    if (insn->flags & INSN_L1_FILLING) {
        strbuf_addf(out, " + %" PRId64 " B / l1_contention %g (ND2NZ fills the other half)", bytes, p->l1_contention);
        use(n, "timing.l1_contention");
    }
    if (scales > 0) {
        strbuf_addf(out, "; scales load_issue + %" PRId64 " B / mx_width %g", scales, p->mx_width);
        use(n, "timing.mx_width");
    }
    strbuf_add(out, "\n");
    use(n, "timing.load_issue");
    use(n, "timing.load_call");
    use(n, "timing.load_min");
    use(n, a ? "timing.l0a_width" : "timing.l0b_width");
}

static void fixpipe_formula(const struct cost *c, const struct insn *insn, struct numbers *n, struct strbuf *out)
{
    const struct fixpipe_params *f = &insn->p.fixpipe;
    strbuf_addf(out, "fixpipe_issue %g + %u*%u elements * %g B / fixpipe_width %g", c->p->fixpipe_issue,
                (unsigned)f->mSize, (unsigned)f->nSize, c->c_bytes, c->p->fixpipe_width);
    if (c->c_unaligned) {
        strbuf_addf(out, " + %u rows * fixpipe_unaligned %g", (unsigned)f->mSize, c->p->fixpipe_unaligned);
        use(n, "timing.fixpipe_unaligned");
    }
    strbuf_add(out, f->unitFlag ? "; with the unit flag no earlier than fixpipe_issue after the last Mmad\n" : "\n");
    use(n, "timing.fixpipe_issue");
    use(n, "timing.fixpipe_width");
}

/* Rows of a copy instruction as they lie in memory. */
static void copy_rows(const struct insn *insn, bool nd, int64_t *rows, int64_t *bytes)
{
    const bool b4 = dtype_info((enum dtype)insn->dtype)->bits == 4;
    if (insn->op == OP_ND2NZ) {
        *rows = (int64_t)insn->p.nd2nz.ndNum * insn->p.nd2nz.nValue;
        *bytes = dtype_bytes((enum dtype)insn->dtype, (int64_t)insn->p.nd2nz.dValue * (b4 ? 2 : 1));
    } else if (insn->op == OP_DN2NZ) {
        *rows = insn->p.dn2nz.dValue;
        *bytes = 2 * (int64_t)insn->p.dn2nz.nValue;
    } else {
        *rows = nd ? 1 : insn->p.copy.blockLen;
        *bytes = 32 * (int64_t)insn->p.copy.blockCount;
    }
}

/* Why rows that start anywhere cost what they do, to be redone by hand, and what would end it. */
static void unaligned_formula(const struct schedule *s, const struct cost *c, enum role role, int64_t bytes,
                              struct numbers *n, struct strbuf *out)
{
    const struct cost_copy *copy = &c->copy[role];
    const struct operand *o = role == ROLE_A ? &s->problem->a : &s->problem->b;
    const double unit = c->p->unaligned;
    const int64_t full = (int64_t)c->p->align_bytes[0]; /* the alignment without a price */
    const bool pays = (double)bytes >= copy->unaligned_from, costs = cost_unaligned_costs(c, role, (int32_t)bytes);
    strbuf_addf(out,
                "; rows start at multiples of %" PRId64 " B: %s %g (unaligned %g * weight %g * %" PRId64 " B / 32)%s",
                copy->align, pays ? "no less than" : "below unaligned_row_min, else no less than",
                copy->unaligned * (double)bytes, unit, copy->unaligned * 32 / unit, bytes,
                pays && costs ? ", which decides" : "");
    use(n, "timing.unaligned");
    if (copy->unaligned_from > 0) {
        use(n, "timing.unaligned_row_min");
    }
    const int64_t pitch = dtype_bytes(o->dtype, o->ld), better = align_up(pitch, full);
    if (pays && costs && full > 0 && pitch % full != 0 && o->format == LAYOUT_ND) {
        strbuf_addf(out, " (%c.ld %" PRId64 " instead of %" PRId64 " makes its pitch a multiple of %" PRId64 " B)",
                    role == ROLE_A ? 'A' : 'B', better * 8 / dtype_info(o->dtype)->bits, o->ld, full);
    }
}

static void copy_formula(const struct schedule *s, const struct cost *c, const struct kind *k, struct numbers *n,
                         struct strbuf *out)
{
    const struct target_timing *p = c->p;
    const struct cost_copy *copy = &c->copy[k->sample.role];
    int64_t rows, bytes;
    copy_rows(&k->sample, copy->nd, &rows, &bytes);
    const double hit = cost_rows(c, (enum role)k->sample.role, (int32_t)rows, (int32_t)bytes);
    strbuf_addf(out, "copy_issue %g + %" PRId64 " rows of %" PRId64 " B: ", p->copy_issue, rows, bytes);
    use(n, "timing.copy_issue");
    if (copy->nd) {
        strbuf_addf(out, "max(row_min %g, row_base %g + B / row_width %g)", p->row_min, p->row_base, p->row_width);
        if (copy->conflict) {
            strbuf_addf(out, " * pitch_conflict %g", p->pitch_conflict);
        }
        strbuf_add(out, " each");
        use(n, "timing.row_min");
        use(n, "timing.row_base");
        use(n, "timing.row_width");
        if (copy->conflict) {
            use(n, "timing.pitch_conflict");
        }
        if (copy->unaligned > 0) {
            unaligned_formula(s, c, (enum role)k->sample.role, bytes, n, out);
        }
    } else {
        strbuf_addf(out, "B / plain_width %g each", p->plain_width);
        use(n, "timing.plain_width");
    }
    strbuf_add(out, " = ");
    explain_cycles(cost_mcyc(p->copy_issue + hit), out);
    strbuf_add(out, " alone; data there copy_latency + copy_loaded * share of cores = ");
    explain_cycles(c->copy_latency, out);
    strbuf_add(out, " later\n");
    use(n, "timing.copy_latency");
    use(n, "timing.copy_loaded");
    if (k->high > cost_mcyc(p->copy_issue + hit)) {
        strbuf_add(out, "                 longer where L2's rate is shared (l2_rate, l2_shared), bytes miss L2 (hbm, "
                        "overlap) or C is "
                        "written back\n");
        use(n, "timing.l2_rate");
        use(n, "timing.l2_shared");
        use(n, c->all_nd ? "timing.hbm_nd" : "timing.hbm");
        use(n, copy->nd ? "timing.overlap" : "timing.overlap_plain");
        use(n, "timing.write_back");
    }
}

static void add_kind(const struct trace *t, const struct cost *c, const struct kind *k, struct numbers *n,
                     struct strbuf *out)
{
    const size_t at = out->len;
    strbuf_add(out, "    ");
    explain_kind_name(k->sample.op, k->sample.role, out);
    strbuf_addf(out, "%*s %8" PRId64 "  ", out->len - at < 16 ? (int)(16 - (out->len - at)) : 0, "", k->count);
    explain_cycles(k->low, out);
    if (k->high != k->low) {
        strbuf_add(out, " to ");
        explain_cycles(k->high, out);
    }
    strbuf_add(out, ", in all ");
    explain_cycles(k->occupied, out);
    strbuf_add(out, "\n                 ");
    switch ((enum op)k->sample.op) {
    case OP_MMAD:
    case OP_MMAD_MX:
        mmad_formula(c, &k->sample, n, out);
        break;
    case OP_FIXPIPE:
        fixpipe_formula(c, &k->sample, n, out);
        break;
    case OP_ND2NZ:
    case OP_DN2NZ:
    case OP_DATA_COPY:
    case OP_DATA_COPY_PAD:
        copy_formula(t->s, c, k, n, out);
        break;
    case OP_FILL:
        strbuf_add(out, "copy_issue\n");
        break;
    default:
        load_formula(t->s, c, &k->sample, n, out);
        break;
    }
}

void explain_costs(const struct trace *t, const struct cost *c, struct strbuf *out)
{
    struct numbers numbers = {.count = 0};
    for (int i = 0; i < t->kind_count; i++) {
        add_kind(t, c, &t->kinds[i], &numbers, out);
    }
    strbuf_addf(out, "    every wait for a flag ends sync %g after the set\n", t->p->sync);
    use(&numbers, "timing.sync");
    add_numbers(t->s->target, &numbers, out);
}
