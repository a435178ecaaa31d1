/* layers.c - gathers cells into networks; their table as CSV. */
#include "report/layers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "problem/conv.h"
#include "record/record_columns.h"
#include "timing/timing.h"

int64_t layer_launch(const struct record *r)
{
    return r->task - r->core_max;
}

const char *network_variant(const struct network *n)
{
    return strcmp(n->first->variant, "base") != 0 ? n->first->variant : dtype_info(n->first->problem.a.dtype)->name;
}

/* ---- gathering ---- */

static bool same_network(const struct cell *a, const struct cell *b)
{
    return a->target == b->target && strcmp(a->variant, b->variant) == 0 && strcmp(a->network, b->network) == 0;
}

static void add_layer(struct network *n, const struct collect_cell *cell)
{
    const struct record *r = cell->top.n ? &cell->top.r[0] : NULL;
    const int64_t times = cell->cell->count;
    n->layers[n->count++] = (struct layer){cell, r};
    if (!r) {
        n->missing++;
        return;
    }
    const double peak = record_peak_tflops(cell->cell);
    const double rate = peak * 1e3 / cell->cell->target->ghz; /* operations a cycle */
    n->occurs += times;
    n->task += r->task * times;
    n->launch += layer_launch(r) * times;
    n->bound[r->bound_pipe] += r->core_max * times;
    n->macs += (double)(r->macs * times);
    n->issued += (double)(r->issued * times);
    n->at_peak += rate > 0 ? 2e3 * (double)(r->macs * times) / rate : 0;
}

/* Problems side by side in a config are unrelated, unless it counts them. */
static bool is_network(const struct network *n)
{
    bool related = false;
    for (size_t i = 0; i < n->count; i++) {
        related |= n->layers[i].cell->cell->listed || n->layers[i].cell->cell->count > 1;
    }
    return related && n->count > 1;
}

/* Sorts cells out by networks; those of one layer are left out. */
static void gather(const struct collect *c, bool *taken, struct networks *out)
{
    struct layer *free_layer = out->layers;
    for (size_t i = 0; i < c->experiment->count; i++) {
        struct network *n = &out->v[out->count];
        if (taken[i]) {
            continue;
        }
        *n = (struct network){.first = c->cells[i].cell, .layers = free_layer};
        for (size_t k = i; k < c->experiment->count; k++) {
            if (!taken[k] && same_network(n->first, c->cells[k].cell)) {
                taken[k] = true;
                add_layer(n, &c->cells[k]);
            }
        }
        if (is_network(n)) {
            free_layer += n->count;
            out->count++;
        }
    }
}

enum status networks_make(const struct collect *c, struct networks *out)
{
    const size_t cells = c->experiment->count;
    bool *taken = calloc(cells + 1, sizeof(*taken));
    *out = (struct networks){.v = calloc(cells + 1, sizeof(*out->v)),
                             .layers = calloc(cells + 1, sizeof(*out->layers))};
    if (!taken || !out->v || !out->layers) {
        free(taken);
        networks_fini(out);
        return STATUS_NO_MEMORY;
    }
    gather(c, taken, out);
    free(taken);
    return STATUS_OK;
}

void networks_fini(struct networks *n)
{
    free(n->v);
    free(n->layers);
    *n = (struct networks){0};
}

/* ---- shapes ---- */

static void add_pair(const char *before, int64_t h, int64_t w, int64_t plain, struct strbuf *out)
{
    if (h != plain || w != plain) {
        strbuf_addf(out, h == w ? "%s%" PRId64 : "%s%" PRId64 "x%" PRId64, before, h, w);
    }
}

void layer_shape(const struct problem *p, struct strbuf *out)
{
    const struct conv_shape *v = &p->conv;
    if (p->op != PROBLEM_CONV) {
        strbuf_addf(out, "%" PRId64 "x%" PRId64 "x%" PRId64, p->M, p->N, p->K);
        add_pair(" batch ", p->batch, p->batch, 1, out);
        add_pair(" groups ", p->groups, p->groups, 1, out);
        return;
    }
    strbuf_addf(out, "%" PRId64 "x%" PRId64, v->kh, v->kw);
    add_pair(" stride ", v->stride_h, v->stride_w, 1, out);
    add_pair(" pad ", v->pad_top, v->pad_left, 0, out);
    add_pair(" dilation ", v->dilation_h, v->dilation_w, 1, out);
    add_pair(" groups ", v->groups, v->groups, 1, out);
    strbuf_addf(out, ", %" PRId64 " to %" PRId64 ", %" PRId64 "x%" PRId64, v->c, v->cout, v->h, v->w);
    if (v->h != conv_out_h(v) || v->w != conv_out_w(v)) {
        strbuf_addf(out, " to %" PRId64 "x%" PRId64, conv_out_h(v), conv_out_w(v));
    }
}

/* ---- CSV ---- */

static void add_text(const char *text, struct strbuf *out)
{
    strbuf_add(out, ",");
    strbuf_add_csv(out, text);
}

static void csv_best(const struct network *n, const struct layer *l, struct strbuf *out)
{
    const struct cell *cell = l->cell->cell;
    const struct record *r = l->best;
    const int64_t total = r->task * cell->count;
    struct strbuf name;
    strbuf_init(&name);
    tiling_name(&r->t, &name);
    strbuf_addf(out, ",%s", strbuf_cstr(&name));
    strbuf_addf(out, ",%.3f,%.3f,%.5f,%.3f,%s,%.3f,%.5f", timing_us(cell->target, r->task),
                timing_us(cell->target, total), (double)total / (double)n->task,
                timing_us(cell->target, layer_launch(r)), pipe_name(r->bound_pipe), record_tflops(cell, r),
                record_peak_share(cell, r));
    strbuf_addf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, r->macs,
                r->issued, record_gm_read(r), record_gm_write(r), r->compulsory, r->halo, r->hbm);
    strbuf_clear(&name);
    record_verify(r, &name);
    strbuf_addf(out, ",%s,%s,", strbuf_cstr(&name), r->unvalidated ? "unvalidated" : "validated");
    out->failed |= name.failed;
    strbuf_fini(&name);
}

static void csv_row(const struct network *n, const struct layer *l, struct strbuf *out)
{
    const struct cell *cell = l->cell->cell;
    struct strbuf shape;
    strbuf_init(&shape);
    strbuf_add_csv(out, cell->network);
    add_text(cell->target->name, out);
    add_text(cell->variant, out);
    strbuf_addf(out, ",%" PRIu32, cell->id);
    add_text(cell->layer, out);
    if (!cell->failed) {
        layer_shape(&cell->problem, &shape);
    }
    add_text(strbuf_cstr(&shape), out);
    strbuf_addf(out, ",%" PRId64 ",%s", cell->count, cell->failed ? "failed" : l->best ? "feasible" : "infeasible");
    if (l->best) {
        csv_best(n, l, out);
    } else {
        strbuf_add(out, ",,,,,,,,,,,,,,,,,,");
        strbuf_add_csv(out, cell->failed ? cell->failed : "no feasible tiling: see reasons.csv");
    }
    strbuf_add(out, "\n");
    out->failed |= shape.failed;
    strbuf_fini(&shape);
}

void networks_csv(const struct networks *n, struct strbuf *out)
{
    strbuf_add(out, "network,target,variant,cell,layer,shape,count,status,tiling,task_us,total_us,time_share,launch_us,"
                    "bound,tflops,peak_share,macs,issued_macs,gm_read_B,gm_write_B,compulsory_B,halo_B,hbm_B,verify,"
                    "confidence,reason\n");
    for (size_t i = 0; i < n->count; i++) {
        for (size_t k = 0; k < n->v[i].count; k++) {
            csv_row(&n->v[i], &n->v[i].layers[k], out);
        }
    }
}
