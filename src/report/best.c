/* best.c - best.yaml: the problem, the target and every tiling field. */
#include "report/best.h"

#include <inttypes.h>

#include "problem/input.h"
#include "record/record_columns.h"
#include "timing/timing.h"

/* Double quotes: JSON strings are YAML strings. A conv's operands have no
 * transpose, and its result that is not in NC1HWC0 is called NHWC. */
static void add_operand(const struct problem *p, const char *key, const struct operand *o, struct strbuf *out)
{
    const bool conv = p->op == PROBLEM_CONV;
    if (o->dtype == DTYPE_NONE) {
        return;
    }
    strbuf_addf(out, "  %s: {dtype: %s%s, format: %s", key, o->mx ? "mx_" : "", dtype_info(o->dtype)->name,
                conv && o == &p->c && o->format == LAYOUT_ND ? "NHWC" : layout_name(o->format));
    if (!conv) {
        strbuf_addf(out, ", transpose: %s", o->transpose ? "true" : "false");
    }
    if (o->format == LAYOUT_ND) {
        strbuf_addf(out, ", ld: %" PRId64, o->ld);
    }
    strbuf_addf(out, ", align: %" PRId64, o->align);
    if (o->file) {
        strbuf_add(out, ", file: ");
        strbuf_add_json(out, o->file);
    }
    strbuf_add(out, "}\n");
}

/* Where the scales of an MX operand lie. */
static void add_scales(const char *key, const struct operand *o, struct strbuf *out)
{
    if (o->dtype != DTYPE_NONE) {
        strbuf_addf(out, "  %s: {ld: %" PRId64 ", align: %" PRId64 "}\n", key, o->ld, o->align);
    }
}

/* M and groups, or the rows of each group. */
static void add_rows(const struct problem *p, struct strbuf *out)
{
    if (p->groups <= 1 || problem_groups_equal(p)) {
        strbuf_addf(out, "  M: %" PRId64 "\n", p->groups > 1 ? p->M / p->groups : p->M);
        if (p->groups > 1) {
            strbuf_addf(out, "  groups: %" PRId64 "\n", p->groups);
        }
        return;
    }
    for (int64_t g = 0; g < p->groups; g++) {
        strbuf_addf(out, "%s%" PRId64, g == 0 ? "  groupM: [" : ", ", problem_group_rows(p, g));
    }
    strbuf_add(out, "]\n");
}

/* What Fixpipe and the cube do besides. */
static void add_result(const struct problem *p, struct strbuf *out)
{
    const char *hybrid = p->hif8_hybrid ? ", hybrid: true" : "";
    if (p->quant.dtype != DTYPE_NONE) {
        strbuf_addf(out, "  quant: {mode: vector%s}\n", hybrid);
    } else if (p->deq_scale > 0) {
        strbuf_addf(out, "  quant: {mode: scalar, scale: %.17g%s}\n", p->deq_scale, hybrid);
    }
    if (p->relu) {
        strbuf_add(out, "  relu: true\n");
    }
    if (p->hf32) {
        strbuf_add(out, "  hf32: true\n");
    }
}

static void add_input(const char *key, const struct input *in, struct strbuf *out)
{
    const struct input_spec *s = &in->spec;
    strbuf_addf(out, "    %s: ", key);
    if (s->dist == INPUT_FILE) {
        strbuf_add(out, "{file: ");
        strbuf_add_json(out, s->file);
        strbuf_add(out, "}\n");
    } else if (s->dist == INPUT_NORMAL) {
        strbuf_addf(out, "{dist: normal, mean: %.17g, std: %.17g, seed: %" PRIu64 "}\n", s->mean, s->std, s->seed);
    } else {
        strbuf_addf(out, "{dist: uniform, low: %.17g, high: %.17g, seed: %" PRIu64 "}\n", s->low, s->high, s->seed);
    }
}

static void add_problem(const struct problem *p, struct strbuf *out)
{
    strbuf_addf(out, "problem:\n  op: %s\n", p->op == PROBLEM_CONV ? "conv" : "matmul");
    if (p->op == PROBLEM_CONV) {
        const struct conv_shape *v = &p->conv;
        strbuf_addf(out,
                    "  N: %" PRId64 "\n  Cin: %" PRId64 "\n  H: %" PRId64 "\n  W: %" PRId64 "\n  Cout: %" PRId64
                    "\n  kh: %" PRId64 "\n  kw: %" PRId64 "\n  groups: %" PRId64 "\n",
                    v->n, v->c, v->h, v->w, v->cout, v->kh, v->kw, v->groups);
        strbuf_addf(out, "  stride: [%" PRId32 ", %" PRId32 "]\n  dilation: [%" PRId32 ", %" PRId32 "]\n", v->stride_h,
                    v->stride_w, v->dilation_h, v->dilation_w);
        strbuf_addf(out, "  pad: [%" PRId32 ", %" PRId32 ", %" PRId32 ", %" PRId32 "]\n", v->pad_top, v->pad_bottom,
                    v->pad_left, v->pad_right);
    } else {
        add_rows(p, out);
        strbuf_addf(out, "  N: %" PRId64 "\n  K: %" PRId64 "\n", p->N, p->K);
        if (p->batch > 1) {
            strbuf_addf(out, "  batch: %" PRId64 "\n", p->batch);
        }
    }
    add_operand(p, "A", &p->a, out);
    add_operand(p, "B", &p->b, out);
    add_operand(p, "C", &p->c, out);
    add_operand(p, "bias", &p->bias, out);
    add_scales("scaleA", &p->scale_a, out);
    add_scales("scaleB", &p->scale_b, out);
    add_result(p, out);
    if (p->a.input != NULL && p->b.input != NULL) {
        strbuf_add(out, "  inputs:\n");
        add_input("A", p->a.input, out);
        add_input("B", p->b.input, out);
        strbuf_add(out, p->error_only ? "    verify: false\n" : "");
    }
}

static void add_tiling(const struct cell *cell, const struct tiling *t, struct strbuf *out)
{
    strbuf_add(out, "tiling:\n");
    for (int f = 0; f < TF_N; f++) {
        const struct tiling_field_info *info = tiling_field_info((enum tiling_field)f);
        const int32_t v = tiling_get(t, (enum tiling_field)f);
        if (v == TILING_AUTO || ((f == TF_loadA || f == TF_loadB) && v == LOAD_AUTO_NONE)) {
            continue;
        }
        if (info->words && v >= info->min && v <= info->max) {
            strbuf_addf(out, "  %s: %s\n", info->name, info->words[v - info->min]);
        } else {
            strbuf_addf(out, "  %s: %" PRId32 "\n", info->name, v);
        }
    }
    if (cell->l2_warm) {
        strbuf_add(out, "  l2: {resident: [A, B]}\n");
    }
}

void best_yaml(const struct experiment *e, const struct cell *cell, const struct record *r, struct strbuf *out)
{
    struct strbuf name;
    strbuf_init(&name);
    tiling_name(&r->t, &name);
    strbuf_addf(
        out, "# Best of the model for %s: %s\n# %.3f us (%" PRId64 " thousandths of a cycle), %.1f %% of peak.\n",
        cell->name, strbuf_cstr(&name), timing_us(cell->target, r->task), r->task, 100 * record_peak_share(cell, r));
    strbuf_add(out, "# Every field is written out: no auto rule decides anything here.\n");
    strbuf_addf(out, "name: %s_best%s", e->name, e->count > 1 ? "" : "\n");
    if (e->count > 1) {
        strbuf_addf(out, "_%" PRIu32 "\n", cell->id);
    }
    strbuf_add(out, "target: ");
    strbuf_add_json(out, cell->target->path ? cell->target->path : cell->target->name);
    strbuf_add(out, "\n");
    if (cell->target->event_ids <= 8) { /* the largest that the key takes */
        strbuf_addf(out, "eventIds: %" PRId32 "\n", cell->target->event_ids);
    }
    add_problem(&cell->problem, out);
    if (cell->count > 1) {
        strbuf_addf(out, "  count: %" PRId64 "\n", cell->count);
    }
    add_tiling(cell, &r->t, out);
    strbuf_addf(out, "verify: %s\nseed: %" PRIu64 "\n", verify_name(e->verify), e->seed);
    out->failed |= name.failed;
    strbuf_fini(&name);
}
