/* mutation_site.c - the predicates of mutation_rules.c: over the instruction
 * before and after, the step's tile, or the order of the stream. */
#include "support/mutation_site.h"

#include <stddef.h>
#include <string.h>

#include "base/intmath.h"
#include "isa/access.h"
#include "support/order_graph.h"

static bool field_is(const struct site *c, const char *name)
{
    return strcmp(c->m->field->name, name) == 0;
}

bool site_always(const struct site *c)
{
    (void)c;
    return true;
}

/* The same bytes are read and written, run by run: the changed stride is taken only once. */
bool site_same_bytes(const struct site *c)
{
    struct access before[ACCESS_MAX], after[ACCESS_MAX];
    const int n = access_of(c->s->target, NULL, c->i, before);
    bool same = access_of(c->s->target, NULL, &c->x, after) == n;
    for (int k = 0; k < n && same; k++) {
        same = before[k].byte == after[k].byte && before[k].len == after[k].len &&
               memcmp(before[k].count, after[k].count, sizeof before[k].count) == 0 &&
               memcmp(before[k].pitch, after[k].pitch, sizeof before[k].pitch) == 0;
    }
    return same;
}

bool site_grows(const struct site *c)
{
    return c->value > c->old;
}

/* ---- GM -> L1 ---- */

bool site_same_matrix_again(const struct site *c)
{
    const struct nd2nz_params *p = &c->i->p.nd2nz;
    return c->value >= 1 && p->srcNdMatrixStride == 0 && p->dstNzMatrixStride == 0;
}

/* Rows of 32 B the copy's chunk has in the problem, without padding. */
bool site_covers_real_rows(const struct site *c)
{
    const struct tile *tile = &c->step.tile;
    const bool is_a = c->i->role == ROLE_A;
    const bool k_inner = is_a ? !c->s->problem->a.transpose : c->s->problem->b.transpose;
    const int64_t chunk = (int64_t)(is_a ? c->s->t.stepKa : c->s->t.stepKb) * c->s->t.baseK;
    return c->value >= (k_inner ? (is_a ? tile->m : tile->n) : min_i64(chunk, tile->k - c->step.k0));
}

/* ---- L1 -> L0 ---- */

/* Elements of this operand that reach what is stored: along K (MX: with the
 * zeros up to 64), and along M (N). */
static int64_t used(const struct site *c, bool along_k)
{
    const int64_t k = c->s->problem->a.mx ? align_up(c->step.k, 64) : c->step.k;
    return along_k ? k : c->i->role == ROLE_A ? c->step.tile.m : c->step.tile.n;
}

static bool transposes(const struct site *c)
{
    return c->i->role == ROLE_A ? c->s->problem->a.transpose : !c->s->problem->b.transpose;
}

/* The changed extent still covers what the Mmad uses. */
static bool covers(const struct site *c)
{
    const int64_t c0 = dtype_c0((enum dtype)c->i->dtype);
    if (c->mmad == NULL) {
        return false;
    }
    if (field_is(c, "mExtension")) {
        return c->value >= used(c, transposes(c));
    }
    if (field_is(c, "kExtension")) {
        return c->value >= used(c, !transposes(c));
    }
    if (field_is(c, "mStep")) {
        return c->value * 16 >= used(c, transposes(c));
    }
    if (field_is(c, "kStep")) {
        return c->value * c0 >= used(c, !transposes(c));
    }
    if (field_is(c, "mx.xStep")) {
        return c->value * 16 >= used(c, false);
    }
    if (field_is(c, "mx.yStep")) {
        return c->value * 64 >= used(c, true);
    }
    /* A line of fractals runs along K to L0A, along N to L0B. */
    return c->i->role == ROLE_A ? c->value * c0 >= used(c, true) : c->value * 16 >= used(c, false);
}

bool site_grows_or_covers(const struct site *c)
{
    return site_grows(c) || covers(c);
}

/* An earlier list of the core has the same Fill. */
bool site_filled_before(const struct site *c)
{
    const struct stream *x = c->right;
    const size_t list = stream_list_of(x, c->m->at);
    for (size_t i = 0; i < x->list[list]; i++) {
        const struct insn *o = &x->insns[i];
        if (x->core[stream_list_of(x, i)] == x->core[list] && o->op == OP_FILL && o->dst.byte == c->i->dst.byte &&
            memcmp(&o->p.fill, &c->i->p.fill, sizeof o->p.fill) == 0) {
            return true;
        }
    }
    return false;
}

/* One of several loads along K, and its k lies behind the step's. */
bool site_only_zeros(const struct site *c)
{
    const bool is_a = c->i->role == ROLE_A;
    const struct region *r = plan_region(&c->s->plan, is_a ? BUF_L0A : BUF_L0B, (enum role)c->i->role,
                                         is_a ? c->step.ph.l0a : c->step.ph.l0b);
    if (c->mmad == NULL || c->i->p.load_mx.xStep != 0) { /* the first brings the scales */
        return false;
    }
    const int64_t blocks = ceil_div(is_a ? c->mmad->p.mmad.m : c->mmad->p.mmad.n, 16);
    return (c->i->dst.byte - r->off) / 512 / blocks * dtype_c0((enum dtype)c->i->dtype) >= c->step.k;
}

bool site_first_of_square(const struct site *c)
{
    return c->mmad != NULL && c->i->role == ROLE_A && used(c, false) <= 16 && dtype_c0((enum dtype)c->i->dtype) > 16;
}

static const struct load_3d_params *map(const struct site *c)
{
    return &c->i->p.load_3d;
}

static bool point_filter(const struct site *c)
{
    const struct load_3d_params *p = map(c);
    return p->filterW == 1 && p->filterH == 1 && p->filterSizeW == 0 && p->filterSizeH == 0;
}

static bool no_padding(const struct load_3d_params *p)
{
    return p->padList[0] + p->padList[1] + p->padList[2] + p->padList[3] == 0;
}

bool site_one_position_down(const struct site *c)
{
    return point_filter(c) && map(c)->l1H == 1 && no_padding(map(c));
}

/* One row of E is used, and it starts at the first point whatever the stride. */
bool site_first_position(const struct site *c)
{
    return c->mmad != NULL && map(c)->mStartPt == 0 && used(c, transposes(c)) == 1;
}

/* Rows of E behind which nothing is used. */
static int64_t used_rows(const struct site *c)
{
    return map(c)->mStartPt + min_i64(map(c)->mExtension, used(c, transposes(c)));
}

/* Only columns of the first filter point are loaded, and the larger filter still fits under all rows used. */
bool site_first_filter_point(const struct site *c)
{
    const struct load_3d_params *p = map(c);
    const bool by_256 = field_is(c, "filterSizeW"); /* the ninth bit of the filter's width */
    const int64_t more = (c->value - c->old) * (by_256 ? 256 : 1), c0 = dtype_c0((enum dtype)c->i->dtype);
    return point_filter(c) && no_padding(p) && p->l1H == 1 && (by_256 || field_is(c, "filterW")) && site_grows(c) &&
           p->kStartPt + (c->mmad == NULL ? p->kExtension : min_i64(p->kExtension, used(c, !transposes(c)))) <= c0 &&
           used_rows(c) <= p->l1W - more * p->dilationFilterW;
}

/* Padding that only appends rows behind all that are loaded. */
bool site_pads_behind(const struct site *c)
{
    const struct load_3d_params *p = map(c);
    const int64_t rows = field_is(c, "padList.right") ? p->l1W : (int64_t)p->l1W * p->l1H;
    return point_filter(c) && p->padList[0] + p->padList[2] == 0 && p->mStartPt + p->mExtension <= rows;
}

bool site_nothing_padded(const struct site *c)
{
    return no_padding(map(c));
}

bool site_one_filter_point(const struct site *c)
{
    return field_is(c, "dilationFilterW") ? map(c)->filterW == 1 && map(c)->filterSizeW == 0
                                          : map(c)->filterH == 1 && map(c)->filterSizeH == 0;
}

bool site_own_map_size(const struct site *c)
{
    return map(c)->isSetFMatrix != 0;
}

bool site_one_repeat(const struct site *c)
{
    return map(c)->repeatTime == 1;
}

bool site_to_l0b(const struct site *c)
{
    return c->i->dst.buf == BUF_L0B;
}

bool site_not_3510(const struct site *c)
{
    return c->s->target->arch != 3510;
}

/* Whole channel groups, and the loaded ones lie in both sizes. */
bool site_groups_stay(const struct site *c)
{
    const int64_t c0 = dtype_c0((enum dtype)c->i->dtype), channels = min_i64(c->old, c->value) / c0 * c0;
    return point_filter(c) && map(c)->kStartPt + align_up(map(c)->kExtension, c0) <= channels;
}

/* One channel group is loaded, so the size of a plane does not matter. */
bool site_first_group(const struct site *c)
{
    const struct load_3d_params *p = map(c), *x = &c->x.p.load_3d;
    const int64_t columns = c->mmad == NULL ? p->kExtension : min_i64(p->kExtension, used(c, !transposes(c)));
    return point_filter(c) && no_padding(p) && (p->l1H == 1 || x->l1W == p->l1W) &&
           p->kStartPt + columns <= dtype_c0((enum dtype)c->i->dtype) && used_rows(c) <= (int64_t)x->l1W * x->l1H;
}

bool site_from_l1(const struct site *c)
{
    return c->i->src.buf == BUF_L1;
}

bool site_one_square(const struct site *c)
{
    return c->i->p.transpose.repeatTimes == 1 || c->i->p.transpose.srcStride == 0;
}

bool site_half_squares(const struct site *c)
{
    return dtype_info((enum dtype)c->i->dtype)->bits == 16;
}

/* Only element (0, 0) of the block is used, and it stays where it is. */
bool site_one_element(const struct site *c)
{
    return c->mmad != NULL && used(c, true) == 1 && used(c, false) == 1;
}

/* An earlier tile of the core used the same rows of A (columns of B), so what
 * an error leaves in L1 or L0 may be the right bytes. */
bool site_block_of_earlier_tile(const struct site *c)
{
    const struct tile *tile = &c->step.tile;
    if (c->mmad == NULL || c->i->op < OP_ND2NZ || c->i->op > OP_LOAD_3D_STRIDE) {
        return false;
    }
    for (int64_t t = 0; t < tile->t; t++) {
        struct tile other;
        schedule_tile_at(c->s, tile->core, t, &other);
        const bool left = c->i->role == ROLE_A || c->i->role == ROLE_SA;
        if (left ? other.m0 == tile->m0 : other.n0 == tile->n0 && other.batch == tile->batch) {
            return true;
        }
    }
    return false;
}

/* ---- Mmad ---- */

bool site_not_float(const struct site *c)
{
    return c->i->dtype != DTYPE_FLOAT;
}

bool site_align_changes_nothing(const struct site *c)
{
    return c->i->p.mmad.k % 16 == 0 || c->i->p.mmad.m <= 16;
}

bool site_same_right_type(const struct site *c)
{
    return c->value == DTYPE_NONE && c->old == c->i->dtype;
}

/* One block of rows of a transposed A: behind its k lie the other rows of the
 * squares the load works on, which the copy has filled with zeros. */
bool site_padding_follows(const struct site *c)
{
    const int64_t c0 = dtype_c0((enum dtype)c->i->dtype);
    return site_grows(c) && c->s->problem->a.transpose && c->i->p.mmad.m <= 16 && c->value <= c->old + 3 * c0 &&
           c0 > 16;
}

bool site_no_gemv(const struct site *c)
{
    return c->s->target->arch != 3510 || c->i->p.mmad.m != 1;
}

/* Up to 32 B of k, the vector and row 0 of a fractal are the same bytes. */
bool site_one_block_of_k(const struct site *c)
{
    return c->i->p.mmad.k <= dtype_c0((enum dtype)c->i->dtype);
}

bool site_no_bias_row(const struct site *c)
{
    return c->i->p.mmad.cmatrixInitVal != 0 || c->i->p.mmad.cmatrixSource == 0;
}

bool site_starts_from_0(const struct site *c)
{
    return c->i->p.mmad.cmatrixInitVal != 0;
}

/* Copies fill the last 32 B of a row of K with zeros: more k up to there adds 0. */
bool site_zero_filled(const struct site *c)
{
    const struct problem *p = c->s->problem;
    return site_grows(c) && c->value <= align_up(c->old, dtype_c0((enum dtype)c->i->dtype)) &&
           (!p->a.transpose || p->b.transpose);
}

/* More or fewer rows or columns of the same fractals, none of which is stored (m = 1 would be GEMV). */
bool site_same_fractals(const struct site *c)
{
    const int64_t stored = field_is(c, "m") ? c->step.tile.m : c->step.tile.n;
    const bool gemv = field_is(c, "m") && c->value == 1 && c->s->target->arch != 3510;
    return ceil_div(c->value, 16) == ceil_div(c->old, 16) && c->value >= stored && !gemv;
}

/* Further fractals behind the others: none of the used ones moves. */
bool site_more_behind(const struct site *c)
{
    const struct mmad_params *p = &c->i->p.mmad;
    const bool one_k = p->k <= dtype_c0((enum dtype)c->i->dtype);
    return site_grows(c) && (field_is(c, "n") ? one_k : p->n <= 16 && (one_k || !c->s->target->l0a_nz));
}

/* ---- Fixpipe ---- */

bool site_not_dn(const struct site *c)
{
    return c->i->p.fixpipe.format != FIXPIPE_DN;
}

bool site_not_nz(const struct site *c)
{
    return c->i->p.fixpipe.format != FIXPIPE_NZ;
}

/* One block lies alike in ND and NZ where it has one row, or rows of 16 columns without gaps. */
bool site_one_block(const struct site *c)
{
    const struct fixpipe_params *p = &c->i->p.fixpipe;
    const bool close = p->format == FIXPIPE_ND && p->dstStride == 16;
    return (p->mSize == 1 || close) && p->nSize <= 16 && c->value != FIXPIPE_DN && c->old != FIXPIPE_DN;
}

bool site_both_on(const struct site *c)
{
    return c->value != 0 && c->old != 0;
}

/* A mode left on or off when the core stores nothing more. */
bool site_after_last_store(const struct site *c)
{
    const struct stream *x = c->right;
    const int32_t core = x->core[stream_list_of(x, c->m->at)];
    for (size_t i = c->m->at + 1; i < x->count && x->core[stream_list_of(x, i)] == core; i++) {
        if (x->insns[i].op == OP_FIXPIPE) {
            return false;
        }
    }
    return true;
}

bool site_second_value(const struct site *c)
{
    return field_is(c, "value2");
}

bool site_no_scale_word(const struct site *c)
{
    const enum quant_mode mode = (enum quant_mode)c->i->p.fixpipe.quantPre;
    return mode == QUANT_NONE || mode == QUANT_F322F16 || mode == QUANT_F322BF16 || quant_mode_is_vector(mode);
}

bool site_low_bits(const struct site *c)
{
    return ((uint64_t)(c->old ^ c->value) & ~UINT64_C(0x1FFF)) == 0;
}

bool site_word_says_sign(const struct site *c)
{
    return (c->old == DTYPE_INT8 || c->old == DTYPE_UINT8) && (c->value == DTYPE_INT8 || c->value == DTYPE_UINT8);
}

bool site_no_quant_row(const struct site *c)
{
    return !quant_mode_is_vector((enum quant_mode)c->i->p.fixpipe.quantPre);
}

/* |value| <= 3, so |C| <= 9 K, which every destination but a long half product holds. */
bool site_nothing_saturates(const struct site *c)
{
    return c->i->p.fixpipe.dstType != DTYPE_HALF || 9 * c->s->problem->K <= 65504;
}

/* ---- whole instructions ---- */

bool site_is_load(const struct site *c)
{
    return c->i->op >= OP_LOAD_2D && c->i->op <= OP_L1_TO_FB && c->i->dst.buf != BUF_L1;
}

bool site_is_register(const struct site *c)
{
    return c->i->op >= OP_SET_FMATRIX;
}

bool site_is_barrier(const struct site *c)
{
    return c->i->op == OP_PIPE_BARRIER;
}

bool site_is_mmad_from_0(const struct site *c)
{
    return (c->i->op == OP_MMAD || c->i->op == OP_MMAD_MX) &&
           (c->i->p.mmad.cmatrixInitVal != 0 || c->i->p.mmad.cmatrixSource != 0);
}

/* ---- order ---- */

bool site_still_ordered(const struct site *c)
{
    const struct stream *x = c->mutated;
    bool holds = true;
    for (size_t i = 0; i < x->lists && holds;) {
        size_t end = i;
        while (end < x->lists && x->core[end] == x->core[i]) {
            end++;
        }
        holds = order_graph_holds(c->s->target, x->insns + x->list[i], x->list[end] - x->list[i], NULL, NULL);
        i = end;
    }
    return holds;
}

bool site_is_preset(const struct site *c)
{
    return (c->i->flags & INSN_PRESET) != 0 && site_still_ordered(c);
}

bool site_is_drain(const struct site *c)
{
    return (c->right->insns[c->m->other].flags & INSN_DRAIN) != 0 && site_still_ordered(c);
}

/* No other flag instruction between the pair uses the new id, nor is it set there. */
bool site_id_is_free(const struct site *c)
{
    const struct stream *x = c->right;
    const uint16_t event = INSN_EVENT(INSN_EVENT_HARD(c->i->event), c->m->value);
    bool set = false;
    for (size_t k = 0; k <= c->m->other; k++) {
        if (x->insns[k].event != event || (x->insns[k].op != OP_SET_FLAG && x->insns[k].op != OP_WAIT_FLAG)) {
            continue;
        }
        if (k > c->m->at) {
            return false;
        }
        set = x->insns[k].op == OP_SET_FLAG;
    }
    return !set && c->m->value < c->s->target->event_ids && site_still_ordered(c);
}
