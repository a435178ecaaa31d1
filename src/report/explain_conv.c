/* explain_conv.c - a conv's shape, its map rows, the vendor's names. */
#include "report/explain_conv.h"

#include <inttypes.h>
#include <string.h>

#include "base/intmath.h"
#include "problem/conv.h"
#include "report/summary.h"
#include "schedule/conv_tiles.h"

#define TILES_MAX 100000 /* looked at for their rows */

/* ---- shape ---- */

static void add_sides(const char *name, int64_t h, int64_t w, int64_t plain, struct strbuf *out)
{
    if (h != plain || w != plain) {
        strbuf_addf(out, h == w ? " %s %" PRId64 : " %s %" PRId64 "x%" PRId64, name, h, w);
    }
}

void conv_shape_text(const struct problem *p, struct strbuf *out)
{
    const struct conv_shape *v = &p->conv;
    const int64_t c0 = dtype_c0(p->a.dtype), blocks = conv_blocks(p);
    strbuf_addf(out,
                "%" PRId64 " image%s of %" PRId64 " channel%s, %" PRId64 "x%" PRId64 "; %" PRId64 " filter%s %" PRId64
                "x%" PRId64,
                v->n, v->n > 1 ? "s" : "", v->c, v->c > 1 ? "s" : "", v->h, v->w, v->cout, v->cout > 1 ? "s" : "",
                v->kh, v->kw);
    add_sides("stride", v->stride_h, v->stride_w, 1, out);
    add_sides("dilation", v->dilation_h, v->dilation_w, 1, out);
    if (v->pad_top == v->pad_bottom && v->pad_left == v->pad_right) {
        add_sides("pad", v->pad_top, v->pad_left, 0, out);
    } else {
        strbuf_addf(out, " pad top %" PRId32 " bottom %" PRId32 " left %" PRId32 " right %" PRId32, v->pad_top,
                    v->pad_bottom, v->pad_left, v->pad_right);
    }
    add_sides("groups", v->groups, v->groups, 1, out);
    strbuf_addf(out, "; out %" PRId64 "x%" PRId64, conv_out_h(v), conv_out_w(v));
    if (blocks * c0 != p->a.cols) {
        strbuf_addf(out, "; %" PRId64 " channels%s filled up to %" PRId64 ": %" PRId64 " of K %" PRId64 " are useful",
                    p->a.cols, v->groups > 1 ? " of a group" : "", blocks * c0, p->a.cols * v->kh * v->kw, p->K);
    }
}

/* ---- rows of the map ---- */

struct row_range {
    int64_t rows_min, rows_max, halo_max;
};

static void rows_of_tiles(const struct schedule *s, struct row_range *out)
{
    const struct conv_shape *v = &s->problem->conv;
    int64_t seen = 0;
    *out = (struct row_range){.rows_min = INT64_MAX};
    for (int32_t core = 0; core < s->cores; core++) {
        const int64_t tiles = schedule_tiles(s, core);
        for (int64_t t = 0; t < tiles && seen < TILES_MAX; t++, seen++) {
            struct tile tile;
            struct conv_rows rows;
            schedule_tile_at(s, core, t, &tile);
            const struct tile_hold *a = &tile.hold[ROLE_A];
            conv_rows_of(v, a->from, a->extent, &rows);
            out->rows_min = min_i64(out->rows_min, rows.count);
            out->rows_max = max_i64(out->rows_max, rows.count);
            out->halo_max = max_i64(out->halo_max, conv_rows_halo(v, a->from, &rows));
        }
    }
}

static void add_rows(const struct row_range *r, struct strbuf *out)
{
    strbuf_addf(out, r->rows_min < r->rows_max ? "%" PRId64 " to %" PRId64 " rows" : "%" PRId64 " rows", r->rows_min,
                r->rows_max);
}

/* K elements of one L1 chunk. */
static int64_t chunk_k(const struct schedule *s, enum role role)
{
    const int64_t step = role == ROLE_A ? s->t.stepKa : s->t.stepKb;
    return s->hold[role] == HOLD_CHUNKS ? min_i64(step * s->t.baseK, s->problem->K) : s->problem->K;
}

void conv_copy_text(const struct schedule *s, struct strbuf *out)
{
    struct row_range r;
    rows_of_tiles(s, &r);
    add_rows(&r, out);
    strbuf_addf(out, " of %" PRId64 " points, %" PRId64 " channels", s->problem->conv.w,
                chunk_k(s, ROLE_A) / conv_window(s->problem) * dtype_c0(s->problem->a.dtype));
}

void conv_images_text(const struct schedule *s, struct strbuf *out)
{
    const struct problem *p = s->problem;
    if (p->batch == 1) {
        return;
    }
    strbuf_addf(out, "    %" PRId64 " %s", p->batch, p->conv.groups == 1 ? "images" : "images x groups");
    if (s->t.assign == ASSIGN_BLOCKS) {
        strbuf_add(out, ": their tiles are one list\n");
    } else if (s->batch_ways == 1) {
        strbuf_add(out, ": each core does its slice of one after the other\n");
    } else {
        strbuf_addf(out, ": %" PRId32 " sets of %" PRId32 " cores take turns; b above counts inside a set\n",
                    s->batch_ways, s->cores / s->batch_ways);
    }
}

void conv_halo_text(const struct schedule *s, const struct record *r, struct strbuf *out)
{
    struct schedule_totals totals;
    struct row_range rows;
    schedule_totals(s, &totals);
    rows_of_tiles(s, &rows);
    const int64_t map = totals.copied[ROLE_A];
    strbuf_add(out, "  map: a tile brings ");
    add_rows(&rows, out);
    strbuf_addf(out, ", up to %" PRId64 " of which the M tile before it brings too (halo)\n  A is read ",
                rows.halo_max);
    summary_bytes(map, out);
    strbuf_add(out, ", of which ");
    summary_bytes(r->halo, out);
    strbuf_addf(out, " are halo (%.0f %%); the map has ", map > 0 ? 100.0 * (double)r->halo / (double)map : 0.0);
    summary_bytes(problem_tensor_bytes(s->problem, TENSOR_A), out);
    strbuf_add(out, "\n");
}

/* ---- vendor's names ---- */

struct item_list {
    struct strbuf *out;
    int column;
};

static void item(struct item_list *l, const char *name, int64_t value)
{
    const size_t at = l->out->len;
    strbuf_addf(l->out, "  %s %" PRId64, name, value);
    l->column = (l->column + 1) % 4;
    strbuf_addf(l->out, l->column ? "%*s" : "\n",
                l->column && l->out->len - at < 27 ? (int)(27 - (l->out->len - at)) : 0, "");
}

/* What is left for the last chunk; a whole one if nothing is. */
static int64_t tail_of(int64_t whole, int64_t part)
{
    return whole % part ? whole % part : part;
}

static void add_sizes(const struct schedule *s, struct item_list *l)
{
    const struct problem *p = s->problem;
    const struct tiling *t = &s->t;
    const int64_t window = conv_window(p), c0 = dtype_c0(p->a.dtype), a = chunk_k(s, ROLE_A), b = chunk_k(s, ROLE_B);
    item(l, "singleCoreM", t->singleCoreM);
    item(l, "singleCoreCo", t->singleCoreN);
    item(l, "mL0", t->baseM);
    item(l, "nL0", t->baseN);
    item(l, "kL0", t->baseK);
    item(l, "mAL1", (int64_t)t->stepM * t->baseM);
    item(l, "mAL1DivmL0", t->stepM);
    item(l, "nBL1", (int64_t)t->stepN * t->baseN);
    item(l, "nBL1DivnL0", t->stepN);
    item(l, "kAL1", a);
    item(l, "kAL1Tail", tail_of(p->K, a));
    item(l, "cin1InAL1", a / window);
    item(l, "cin1InAL1Tail", tail_of(p->K, a) / window);
    item(l, "kBL1", b);
    item(l, "kBL1Tail", tail_of(p->K, b));
    item(l, "kBL1DivK0", b / c0);
    item(l, "kBL1TailDivK0", tail_of(p->K, b) / c0);
}

static void add_products(const struct schedule *s, struct item_list *l)
{
    const struct problem *p = s->problem;
    const struct conv_shape *v = &p->conv;
    const int64_t c0 = dtype_c0(p->a.dtype);
    item(l, "nL0xk0", s->t.baseN * c0);
    item(l, "kL0xorgCoAlignN0", s->t.baseK * align_up(p->N, 16));
    item(l, "kernelHxkernelW", v->kh * v->kw);
    item(l, "oriWixk0", v->w * c0);
    item(l, "oriHixOriWixk0", v->h * v->w * c0);
    item(l, "cin1xOriHixOriWixk0", conv_blocks(p) * v->h * v->w * c0);
    item(l, "orgHixWi", v->h * v->w);
    item(l, "orgHoxWo", conv_out_h(v) * conv_out_w(v));
}

static void add_flags(const struct schedule *s, struct item_list *l)
{
    static const enum tiling_field bits[] = {TF_dbL0A, TF_dbL0B, TF_dbL0C, TF_dbA1, TF_dbB1};
    int64_t buffers = 0;
    for (int i = 0; i < 5; i++) {
        buffers |= tiling_get(&s->t, bits[i]) == 2 ? 1 << i : 0;
    }
    item(l, "pBufferFlag", buffers);
    item(l, "al1FullLoad", s->t.fullLoad == FULL_LOAD_A);
    item(l, "bl1FullLoad", s->t.fullLoad == FULL_LOAD_B);
    item(l, "bl1BypassFlag", 0);
    item(l, "iterateMNOrder", s->t.iterateOrder);
    item(l, "biasFullLoadFlag", 0);
    item(l, "fixpParamsFullLoadFlag", 0);
    item(l, "hf32Enable", s->problem->hf32);
}

void conv_vendor_text(const struct schedule *s, struct strbuf *out)
{
    const struct problem *p = s->problem;
    struct item_list l = {.out = out};
    const bool known = s->target->arch == 2201 && (p->a.dtype == DTYPE_HALF || p->a.dtype == DTYPE_BF16) &&
                       p->conv.groups == 1;
    strbuf_addf(out, "  as TConv3DApiTiling names them%s:\n",
                known ? "" : " (its API has half and bf16 without groups on A2 and A3 only)");
    add_sizes(s, &l);
    add_products(s, &l);
    add_flags(s, &l);
    strbuf_add(out, l.column ? "\n" : "");
    const int64_t chunks[2] = {chunk_k(s, ROLE_A), chunk_k(s, ROLE_B)};
    for (int i = 0; i < 2; i++) {
        if (chunks[i] % s->t.baseK != 0) {
            strbuf_addf(out,
                        "  the vendor's kL0 divides kAL1 and kBL1; here %" PRId32 " does not divide %s %" PRId64 "\n",
                        s->t.baseK, i == 0 ? "kAL1" : "kBL1", chunks[i]);
        }
    }
    strbuf_add(out, "  pBufferFlag bits, set where doubled: 0 L0A, 1 L0B, 2 L0C, 3 A in L1, 4 B in L1\n");
}
