/* verify_moved.c - equality of instructions up to where in GM they work. */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "engine/verify_internal.h"
#include "isa/fields.h"
#include "schedule/conv_tiles.h"

/* Bytes the GM address in `tensor` moves with it. */
static int64_t gm_shift(const struct problem *p, enum tensor tensor, const struct shift *by)
{
    if (tensor == TENSOR_WORKSPACE) {
        return ((by->dplane + by->dm) * p->N + by->dn) * 4;
    }
    int64_t dbatch = problem_matrix(p, tensor, by->batch + by->dbatch) - problem_matrix(p, tensor, by->batch);
    const struct operand *o = problem_operand(p, tensor);
    const int64_t dmn = tensor == TENSOR_A || tensor == TENSOR_SA ? by->dm : by->dn;
    int64_t rows = by->dm, cols = by->dn;
    switch (tensor) {
    case TENSOR_A: /* rows are K where it is transposed; B the other way round */
    case TENSOR_B:
        rows = o->transpose == (tensor == TENSOR_A) ? by->dk : dmn;
        cols = o->transpose == (tensor == TENSOR_A) ? dmn : by->dk;
        break;
    case TENSOR_SA: /* a code for 32 k; transposed: rows of two codes */
    case TENSOR_SB:
        rows = o->transpose ? by->dk / 64 : dmn;
        cols = o->transpose ? 2 * dmn : by->dk / 32;
        break;
    case TENSOR_BIAS:
    case TENSOR_QUANT:
        rows = 0;
        break;
    case TENSOR_C:
    case TENSOR_WORKSPACE:
    case TENSOR_N:
        break;
    }
    if (p->op == PROBLEM_CONV && tensor == TENSOR_A) {
        rows = by->map_points;
        cols = by->dk / (p->conv.kh * p->conv.kw); /* channels */
    }
    if (o->format != LAYOUT_ND) {
        const int64_t width = problem_nz_width(p, tensor), row_bytes = dtype_bytes(o->dtype, width);
        const int64_t columns = dbatch * ceil_div(o->cols, width) + cols / width;
        return (columns * problem_nz_rows(p, tensor) + rows) * row_bytes;
    }
    if (p->op == PROBLEM_CONV && tensor == TENSOR_C) { /* NHWC */
        const int64_t groups = p->conv.groups, to = by->batch + by->dbatch;
        cols += (to % groups - by->batch % groups) * p->N;
        dbatch = to / groups - by->batch / groups;
    }
    return (rows + dbatch * o->rows) * problem_pitch_bytes(p, tensor) + cols * dtype_info(o->dtype)->bits / 8;
}

/* Flags, barriers and fills have no addresses in GM. */
static bool is_addressed(const struct insn *insn)
{
    return insn->op != OP_FILL && insn->op != OP_SET_FLAG && insn->op != OP_WAIT_FLAG && insn->op != OP_PIPE_BARRIER;
}

/* `x` must be `ref` moved by `by`; anything else is a difference. */
static bool same_moved(const struct problem *p, const struct insn *ref, const struct insn *x, const struct shift *by)
{
    struct insn want = *ref;
    struct addr *const ends[] = {&want.dst, &want.src};
    want.step = x->step;
    for (int i = 0; i < 2; i++) {
        if (is_addressed(ref) && ends[i]->buf == BUF_GM) {
            ends[i]->byte += gm_shift(p, (enum tensor)ends[i]->tensor, by);
        }
    }
    return memcmp(&want, x, sizeof want) == 0; // NOLINT(bugprone-suspicious-memory-comparison): zeroed first
}

enum status verify_compare_steps(struct verify *v, struct step_id ref_id, struct step_id x_id, const struct shift *by,
                                 struct diag *d)
{
    struct step ref, x;
    schedule_step_at(v->s, ref_id.core, ref_id.i, &ref);
    schedule_step_at(v->s, x_id.core, x_id.i, &x);
    struct insn *other = v->others;
    const int n = verify_tampered(v, v->insns, schedule_expand(v->s, &ref, v->insns));
    const int m = verify_tampered(v, other, schedule_expand(v->s, &x, other));
    if (n != m) {
        return diag_error(d, STATUS_MISMATCH, NULL,
                          "step %" PRId64 " of core %d has %d instructions, its pattern (step %" PRId64
                          " of core %d) has %d",
                          x_id.i, x_id.core, m, ref_id.i, ref_id.core, n);
    }
    for (int i = 0; i < n; i++) {
        if (!same_moved(v->s->problem, &v->insns[i], &other[i], by)) {
            struct strbuf a, b;
            strbuf_init(&a), strbuf_init(&b);
            insn_format(&v->insns[i], &a), insn_format(&other[i], &b);
            diag_error(d, STATUS_MISMATCH, NULL,
                       "step %" PRId64 " of core %d does not repeat its pattern: %s, pattern (step %" PRId64 "): %s",
                       x_id.i, x_id.core, strbuf_cstr(&b), ref_id.i, strbuf_cstr(&a));
            strbuf_fini(&a), strbuf_fini(&b);
            return STATUS_MISMATCH;
        }
    }
    return STATUS_OK;
}

/* First point of the feature map that the tile's A begins with. */
static int64_t map_row(const struct schedule *s, const struct tile *tile)
{
    struct conv_rows rows = {0};
    if (s->problem->op == PROBLEM_CONV) {
        conv_rows_of(&s->problem->conv, tile->hold[ROLE_A].from, tile->hold[ROLE_A].extent, &rows);
    }
    return rows.first * s->problem->conv.w;
}

struct shift verify_shift(const struct schedule *s, const struct tile *from, const struct tile *to)
{
    static const struct tile origin;
    const bool absolute = from == NULL;
    const struct tile *f = absolute ? &origin : from;
    return (struct shift){.batch = f->batch,
                          .map_points = map_row(s, to) - (absolute ? 0 : map_row(s, from)),
                          .dm = to->m0 - f->m0,
                          .dn = to->n0 - f->n0,
                          .dk = to->k0 - f->k0,
                          .dbatch = to->batch - f->batch,
                          .dplane = verify_plane_row(s, to) - (absolute ? 0 : verify_plane_row(s, from))};
}

/* An instruction without its place: no step number, GM addresses from the tile's own. */
static void make_relative(const struct problem *p, const struct shift *from_origin, struct insn *insn)
{
    struct addr *const ends[] = {&insn->dst, &insn->src};
    insn->step = 0;
    for (int i = 0; i < 2 && is_addressed(insn); i++) {
        if (ends[i]->buf == BUF_GM) {
            ends[i]->byte -= gm_shift(p, (enum tensor)ends[i]->tensor, from_origin);
        }
    }
}

uint64_t verify_stream(struct verify *v, const struct tile *tile, uint64_t h)
{
    const struct shift place = verify_shift(v->s, NULL, tile);
    const int64_t nk = schedule_tile_steps(v->s, tile);
    for (int64_t k = 0; k < nk; k++) {
        struct step step;
        schedule_step_at(v->s, tile->core, tile->step0 + k, &step);
        const int n = schedule_expand(v->s, &step, v->insns);
        for (int i = 0; i < n; i++) {
            make_relative(v->s->problem, &place, &v->insns[i]);
        }
        const uint64_t parts[2] = {h, hash_bytes(v->insns, (size_t)n * sizeof *v->insns)};
        h = hash_bytes(parts, sizeof parts);
    }
    return h;
}
