/* experiment_key.c - a hash over everything that decides results.
 *
 * The config is written out canonically: resolved values, not the text of the
 * file, so comments, the order of keys and defaults spelled out do not matter.
 * What only selects from results (top, plots) is left out. */
#include "base/hash.h"
#include "base/version.h"
#include "experiment/config.h"

#include <inttypes.h>

static void add_operand(struct strbuf *sb, const struct problem *p, enum tensor tensor, const char *name,
                        const struct operand *o)
{
    if (o->data != NULL) { /* by content: an edited file is another problem */
        strbuf_addf(sb, "data %" PRIx64 "\n", hash_bytes(o->data, (size_t)problem_tensor_bytes(p, tensor)));
    }
    if (o->input != NULL) {
        const struct input_spec *in = &o->input->spec;
        strbuf_addf(sb, "input %d %a %a %a %a %" PRIu64 " %" PRIx64 "\n", (int)in->dist, in->mean, in->std, in->low,
                    in->high, in->seed,
                    in->values != NULL ? hash_bytes(in->values, (size_t)input_elements(o->input) * 4) : 0);
    }
    strbuf_addf(sb, "%s %d %d %d %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s\n", name, (int)o->dtype, o->mx,
                (int)o->format, o->transpose, o->rows, o->cols, o->ld, o->align, o->file != NULL ? o->file : "");
}

static void add_problem(struct strbuf *sb, const struct problem *p)
{
    const struct conv_shape *v = &p->conv;
    strbuf_addf(sb, "problem %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu64 "\n", (int)p->op,
                p->M, p->N, p->K, p->batch, p->groups, p->seed);
    for (int64_t g = 0; p->groups > 1 && g < p->groups; g++) {
        strbuf_addf(sb, "group %" PRId64 "\n", problem_group_rows(p, g));
    }
    add_operand(sb, p, TENSOR_A, "a", &p->a);
    add_operand(sb, p, TENSOR_B, "b", &p->b);
    add_operand(sb, p, TENSOR_C, "c", &p->c);
    add_operand(sb, p, TENSOR_BIAS, "bias", &p->bias);
    add_operand(sb, p, TENSOR_SA, "sa", &p->scale_a);
    add_operand(sb, p, TENSOR_SB, "sb", &p->scale_b);
    if (p->error_only) {
        strbuf_add(sb, "inputs for the error only\n");
    }
    if (p->quant.dtype != DTYPE_NONE) {
        add_operand(sb, p, TENSOR_QUANT, "quant", &p->quant);
    }
    if (p->hif8_hybrid) {
        strbuf_add(sb, "hybrid\n");
    }
    if (p->deq_scale != 0 || p->relu || p->hf32) {
        strbuf_addf(sb, "result %a %d %d\n", p->deq_scale, p->relu, p->hf32);
    }
    if (p->op == PROBLEM_CONV) {
        const int64_t sides[] = {v->n,       v->c,          v->h,        v->w,        v->cout,       v->kh,
                                 v->kw,      v->groups,     v->stride_h, v->stride_w, v->dilation_h, v->dilation_w,
                                 v->pad_top, v->pad_bottom, v->pad_left, v->pad_right};
        for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
            strbuf_addf(sb, " %" PRId64, sides[i]);
        }
    }
}

/* Axes by name, so that a new field left at auto changes no key. */
static void add_space(struct strbuf *sb, const struct space *s)
{
    for (int f = 0; f < TF_N; f++) {
        if (s->axis[f].count == 0) {
            continue;
        }
        strbuf_addf(sb, "%s", tiling_field_info((enum tiling_field)f)->name);
        for (int32_t i = 0; i < s->axis[f].count; i++) {
            strbuf_addf(sb, " %" PRId32, s->axis[f].values[i]);
        }
        strbuf_add(sb, "\n");
    }
    for (int32_t i = 0; i < s->where_count; i++) {
        strbuf_addf(sb, "where %s\n", s->where[i].text);
    }
}

uint64_t experiment_key(const struct experiment *e)
{
    struct hash_stream *h = hash_stream_create();
    struct strbuf sb;
    bool failed = h == NULL;
    strbuf_init(&sb);
    strbuf_addf(&sb, "%s\n%s\n%d %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %zu\n", TILESCOPE_MODEL_TEXT,
                TILESCOPE_FORMAT_TEXT, (int)e->verify, (int)e->search, (int)e->objective, e->sample, e->seed, e->keep,
                e->count);
    for (size_t i = 0; i < e->count && !failed; i++) {
        const struct cell *cell = &e->cells[i];
        strbuf_addf(&sb, "cell %s %016" PRIx64 " %d %s\n", cell->name, cell->target->fingerprint, cell->l2_warm,
                    cell->failed != NULL ? cell->failed : "");
        add_problem(&sb, &cell->problem);
        add_space(&sb, &cell->space);
        failed = sb.failed;
        if (!failed) {
            hash_stream_add(h, strbuf_cstr(&sb), sb.len);
        }
        strbuf_clear(&sb);
    }
    const uint64_t key = failed ? 0 : hash_stream_value(h);
    strbuf_fini(&sb);
    hash_stream_destroy(h);
    return key;
}
