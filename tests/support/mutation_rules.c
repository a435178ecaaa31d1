/* mutation_rules.c - mutations after which the program is still right. Each rule
 * is a predicate over the instruction before and after, its Mmad, or the order
 * of the stream; what it says is proved again by judge_finds_dead(). */
#include "support/mutation.h"

#include <stddef.h>
#include <string.h>

#include "base/intmath.h"
#include "isa/access.h"
#include "support/order_graph.h"

/* A planted mutation with what the rules look at. */
struct site {
    const struct stream *right, *mutated;
    const struct mutation *m;
    const struct schedule *s;
    const struct insn *i; /* as it was */
    struct insn x;        /* MUTATION_FIELD: as it is now */
    const struct insn *mmad; /* of its step; NULL outside of steps */
    struct step step;        /* if mmad */
    int64_t old, value;   /* MUTATION_FIELD */
};

static bool field_is(const struct site *c, const char *name)
{
    return strcmp(c->m->field->name, name) == 0;
}

static bool always(const struct site *c)
{
    (void)c;
    return true;
}

/* The same bytes are read and written, run by run: the changed stride is taken only once. */
static bool same_bytes(const struct site *c)
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

static bool grows(const struct site *c)
{
    return c->value > c->old;
}

/* ---- GM -> L1 ---- */

static bool same_matrix_again(const struct site *c)
{
    const struct nd2nz_params *p = &c->i->p.nd2nz;
    return c->value >= 1 && p->srcNdMatrixStride == 0 && p->dstNzMatrixStride == 0;
}

/* Rows of 32 B the copy's chunk has in the problem, without padding. */
static bool covers_real_rows(const struct site *c)
{
    const struct tile *tile = &c->step.tile;
    const bool is_a = c->i->role == ROLE_A;
    const bool k_inner = is_a ? !c->s->problem->a.transpose : c->s->problem->b.transpose;
    const int64_t chunk = (int64_t)(is_a ? c->s->t.stepKa : c->s->t.stepKb) * c->s->t.baseK;
    return c->value >= (k_inner ? (is_a ? tile->m : tile->n) : min_i64(chunk, tile->k - c->step.k0));
}

/* ---- L1 -> L0 ---- */

/* Elements of this operand that reach what is stored: along K, and along M (N). */
static int64_t used(const struct site *c, bool along_k)
{
    return along_k ? c->step.k : c->i->role == ROLE_A ? c->step.tile.m : c->step.tile.n;
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
    /* A line of fractals runs along K to L0A, along N to L0B. */
    return c->i->role == ROLE_A ? c->value * c0 >= used(c, true) : c->value * 16 >= used(c, false);
}

static bool grows_or_covers(const struct site *c)
{
    return grows(c) || covers(c);
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

static bool one_position_down(const struct site *c)
{
    return point_filter(c) && map(c)->l1H == 1 && no_padding(map(c));
}

/* One row of E is used, and it starts at the first point whatever the stride. */
static bool first_position(const struct site *c)
{
    return c->mmad != NULL && map(c)->mStartPt == 0 && used(c, transposes(c)) == 1;
}

/* Rows of E behind which nothing is used. */
static int64_t used_rows(const struct site *c)
{
    return map(c)->mStartPt + min_i64(map(c)->mExtension, used(c, transposes(c)));
}

/* Only columns of the first filter point are loaded, and the larger filter still fits under all rows used. */
static bool first_filter_point(const struct site *c)
{
    const struct load_3d_params *p = map(c);
    const int64_t more = c->value - c->old, c0 = dtype_c0((enum dtype)c->i->dtype);
    return point_filter(c) && no_padding(p) && p->l1H == 1 && field_is(c, "filterW") && grows(c) &&
           p->kStartPt + p->kExtension <= c0 && used_rows(c) <= p->l1W - more * p->dilationFilterW;
}

/* Padding that only appends rows behind all that are loaded. */
static bool pads_behind(const struct site *c)
{
    const struct load_3d_params *p = map(c);
    const int64_t rows = field_is(c, "padList.right") ? p->l1W : (int64_t)p->l1W * p->l1H;
    return point_filter(c) && p->padList[0] + p->padList[2] == 0 && p->mStartPt + p->mExtension <= rows;
}

static bool nothing_padded(const struct site *c)
{
    return no_padding(map(c));
}

static bool one_filter_point(const struct site *c)
{
    return field_is(c, "dilationFilterW") ? map(c)->filterW == 1 && map(c)->filterSizeW == 0
                                          : map(c)->filterH == 1 && map(c)->filterSizeH == 0;
}

static bool own_map_size(const struct site *c)
{
    return map(c)->isSetFMatrix != 0;
}

static bool one_repeat(const struct site *c)
{
    return map(c)->repeatTime == 1;
}

static bool to_l0b(const struct site *c)
{
    return c->i->dst.buf == BUF_L0B;
}

static bool not_3510(const struct site *c)
{
    return c->s->target->arch != 3510;
}

/* Whole channel groups, and the loaded ones lie in both sizes. */
static bool groups_stay(const struct site *c)
{
    const int64_t c0 = dtype_c0((enum dtype)c->i->dtype), channels = min_i64(c->old, c->value) / c0 * c0;
    return point_filter(c) && map(c)->kStartPt + align_up(map(c)->kExtension, c0) <= channels;
}

/* One channel group is loaded, so the size of a plane does not matter. */
static bool first_group(const struct site *c)
{
    const struct load_3d_params *p = map(c), *x = &c->x.p.load_3d;
    return point_filter(c) && no_padding(p) && (p->l1H == 1 || x->l1W == p->l1W) &&
           p->kStartPt + p->kExtension <= dtype_c0((enum dtype)c->i->dtype) &&
           used_rows(c) <= (int64_t)x->l1W * x->l1H;
}

static bool from_l1(const struct site *c)
{
    return c->i->src.buf == BUF_L1;
}

static bool one_square(const struct site *c)
{
    return c->i->p.transpose.repeatTimes == 1 || c->i->p.transpose.srcStride == 0;
}

static bool half_squares(const struct site *c)
{
    return dtype_info((enum dtype)c->i->dtype)->bits == 16;
}

/* ---- Mmad ---- */

static bool not_float(const struct site *c)
{
    return c->i->dtype != DTYPE_FLOAT;
}

static bool no_gemv(const struct site *c)
{
    return c->s->target->arch != 3510 || c->i->p.mmad.m != 1;
}

/* Up to 32 B of k, the vector and row 0 of a fractal are the same bytes. */
static bool one_block_of_k(const struct site *c)
{
    return c->i->p.mmad.k <= dtype_c0((enum dtype)c->i->dtype);
}

static bool no_bias_row(const struct site *c)
{
    return c->i->p.mmad.cmatrixInitVal != 0 || c->i->p.mmad.cmatrixSource == 0;
}

static bool starts_from_0(const struct site *c)
{
    return c->i->p.mmad.cmatrixInitVal != 0;
}

/* Copies fill the last 32 B of a row of K with zeros: more k up to there adds 0. */
static bool zero_filled(const struct site *c)
{
    const struct problem *p = c->s->problem;
    return grows(c) && c->value <= align_up(c->old, dtype_c0((enum dtype)c->i->dtype)) &&
           (!p->a.transpose || p->b.transpose);
}

/* More or fewer rows or columns of the same fractals, none of which is stored (m = 1 would be GEMV). */
static bool same_fractals(const struct site *c)
{
    const int64_t stored = field_is(c, "m") ? c->step.tile.m : c->step.tile.n;
    const bool gemv = field_is(c, "m") && c->value == 1 && c->s->target->arch != 3510;
    return ceil_div(c->value, 16) == ceil_div(c->old, 16) && c->value >= stored && !gemv;
}

/* Further fractals behind the others: none of the used ones moves. */
static bool more_behind(const struct site *c)
{
    const struct mmad_params *p = &c->i->p.mmad;
    const bool one_k = p->k <= dtype_c0((enum dtype)c->i->dtype);
    return grows(c) && (field_is(c, "n") ? one_k : p->n <= 16 && (one_k || !c->s->target->l0a_nz));
}

/* ---- Fixpipe ---- */

static bool not_dn(const struct site *c)
{
    return c->i->p.fixpipe.format != FIXPIPE_DN;
}

static bool not_nz(const struct site *c)
{
    return c->i->p.fixpipe.format != FIXPIPE_NZ;
}

static bool no_scale_word(const struct site *c)
{
    const enum quant_mode mode = (enum quant_mode)c->i->p.fixpipe.quantPre;
    return mode == QUANT_NONE || mode == QUANT_F322F16 || mode == QUANT_F322BF16 || quant_mode_is_vector(mode);
}

static bool no_quant_row(const struct site *c)
{
    return !quant_mode_is_vector((enum quant_mode)c->i->p.fixpipe.quantPre);
}

/* |value| <= 3, so |C| <= 9 K, which every destination but a long half product holds. */
static bool nothing_saturates(const struct site *c)
{
    return c->i->p.fixpipe.dstType != DTYPE_HALF || 9 * c->s->problem->K <= 65504;
}

/* ---- whole instructions ---- */

static bool is_load(const struct site *c)
{
    return c->i->op >= OP_LOAD_2D && c->i->op <= OP_LOAD_3D_STRIDE && c->i->dst.buf != BUF_L1;
}

static bool is_register(const struct site *c)
{
    return c->i->op >= OP_SET_FMATRIX;
}

static bool is_barrier(const struct site *c)
{
    return c->i->op == OP_PIPE_BARRIER;
}

static bool is_mmad_from_0(const struct site *c)
{
    return c->i->op == OP_MMAD && c->i->p.mmad.cmatrixInitVal != 0;
}

/* ---- order ---- */

static bool still_ordered(const struct site *c)
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

static bool is_preset(const struct site *c)
{
    return (c->i->flags & INSN_PRESET) != 0 && still_ordered(c);
}

static bool is_drain(const struct site *c)
{
    return (c->right->insns[c->m->other].flags & INSN_DRAIN) != 0 && still_ordered(c);
}

/* No other flag instruction between the pair uses the new id, nor is it set there. */
static bool id_is_free(const struct site *c)
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
    return !set && c->m->value < c->s->target->event_ids && still_ordered(c);
}

/* ---- the table ---- */

#define BIT(op) (1U << (op))
#define LOADS_3D (BIT(OP_LOAD_3D) | BIT(OP_LOAD_3D_STRIDE))
#define LOADS_2D (BIT(OP_LOAD_2D) | BIT(OP_LOAD_2D_V2) | BIT(OP_LOAD_TRANSPOSE) | BIT(OP_LOAD_TRANSPOSE_V2))
#define MMADS (BIT(OP_MMAD) | BIT(OP_MMAD_MX))
#define COPIES (BIT(OP_ND2NZ) | BIT(OP_DATA_COPY))
#define FIXPIPES BIT(OP_FIXPIPE)

struct rule {
    struct mutation_rule rule;
    enum mutation_kind kind;
    uint32_t ops; /* 0: any */
    const char *fields[5];
    bool (*holds)(const struct site *);
};

static const struct rule rules[] = {
    {{"stream id", "sid has no effect"}, MUTATION_FIELD, LOADS_2D, {"sid"}, always},
    {{"retired field", "enSmallK is no longer supported and read by nothing"}, MUTATION_FIELD, LOADS_3D, {"enSmallK"}, always},
    {{"stride once", "a stride, gap or pitch of a dimension with one entry"},
     MUTATION_FIELD,
     COPIES | LOADS_2D | FIXPIPES,
     {"srcNdMatrixStride", "srcDValue", "dstNzC0Stride", "dstNzNStride", "dstNzMatrixStride"},
     same_bytes},
    {{"stride once", "a stride, gap or pitch of a dimension with one entry"},
     MUTATION_FIELD,
     COPIES | LOADS_2D | LOADS_3D | FIXPIPES,
     {"srcGap", "dstGap", "srcStride", "dstStride", "srcNdStride"},
     same_bytes},
    {{"stride once", "a stride, gap or pitch of a dimension with one entry"}, MUTATION_FIELD, FIXPIPES, {"dstNdStride"}, same_bytes},
    {{"same matrix", "both matrix strides are 0: the copy is repeated onto itself"},
     MUTATION_FIELD, BIT(OP_ND2NZ), {"ndNum"}, same_matrix_again},
    {{"copied more", "rows or columns behind the operand's, into padding or free bytes of L1"},
     MUTATION_FIELD, COPIES, {"nValue", "dValue", "blockCount", "blockLen"}, grows},
    {{"copied less", "only rows that pad the operand to 16 are left out"},
     MUTATION_FIELD, BIT(OP_DATA_COPY), {"blockLen"}, covers_real_rows},
    {{"loaded more or less", "fractals or rows that the step's Mmad does not use, or that the next load overwrites"},
     MUTATION_FIELD, LOADS_2D | LOADS_3D, {"repeatTimes", "mStep", "kStep", "mExtension", "kExtension"}, grows_or_covers},
    {{"repeated more", "the appended repeat lies behind the block that is used"},
     MUTATION_FIELD, LOADS_3D, {"repeatTime"}, grows},
    {{"address mode", "only GM->L1 walks down"}, MUTATION_FIELD, BIT(OP_LOAD_2D), {"addrMode"}, from_l1},
    {{"address mode", "one square has no direction"},
     MUTATION_FIELD, BIT(OP_LOAD_TRANSPOSE) | BIT(OP_LOAD_TRANSPOSE_V2), {"addrMode"}, one_square},
    {{"gap in a square", "a b16 square is one fractal"},
     MUTATION_FIELD, BIT(OP_LOAD_TRANSPOSE) | BIT(OP_LOAD_TRANSPOSE_V2), {"dstFracGap", "srcFracGap"}, half_squares},
    {{"one output row", "the map has one position down, so no stride is taken"}, MUTATION_FIELD, LOADS_3D, {"strideH"}, one_position_down},
    {{"first position", "the one row used does not move with the stride"}, MUTATION_FIELD, LOADS_3D, {"strideW", "strideH"}, first_position},
    {{"first filter point", "the columns loaded belong to the filter's first point"},
     MUTATION_FIELD, LOADS_3D, {"filterW"}, first_filter_point},
    {{"padding behind", "a 1x1 filter meets the added padding only behind the rows loaded"},
     MUTATION_FIELD, LOADS_3D, {"padList.right", "padList.bottom"}, pads_behind},
    {{"padding value", "nothing is padded"}, MUTATION_FIELD, LOADS_3D, {"padValue"}, nothing_padded},
    {{"dilation", "one filter point has no distance"},
     MUTATION_FIELD, LOADS_3D, {"dilationFilterW", "dilationFilterH"}, one_filter_point},
    {{"register of the map", "isSetFMatrix is 1: no register is read"}, MUTATION_FIELD, LOADS_3D, {"fMatrixCtrl"}, own_map_size},
    {{"repeat", "one repeat takes no step and has no direction"},
     MUTATION_FIELD, LOADS_3D, {"repeatStride", "repeatMode"}, one_repeat},
    {{"always transposed", "L0B takes the transpose whatever enTranspose says"}, MUTATION_FIELD, LOADS_3D, {"enTranspose"}, to_l0b},
    {{"dstStride of 3D", "only 950 reads it"}, MUTATION_FIELD, LOADS_3D, {"dstStride"}, not_3510},
    {{"channels not loaded", "whole channel groups beyond those loaded"}, MUTATION_FIELD, LOADS_3D, {"channelSize"}, groups_stay},
    {{"one plane", "one channel group is loaded: the size of a plane is not used"},
     MUTATION_FIELD, LOADS_3D, {"l1H", "l1W"}, first_group},
    {{"kDirectionAlign", "float only"}, MUTATION_FIELD, MMADS, {"kDirectionAlign"}, not_float},
    {{"disableGemv", "read by 950 where m is 1"}, MUTATION_FIELD, MMADS, {"disableGemv"}, no_gemv},
    {{"disableGemv", "k fits 32 B, which lie alike in a vector and in a fractal"},
     MUTATION_FIELD, MMADS, {"disableGemv"}, one_block_of_k},
    {{"bias address", "no bias row is read"}, MUTATION_FIELD, MMADS, {"biasAddr"}, no_bias_row},
    {{"start value", "cmatrixInitVal is 1: starts from 0"}, MUTATION_FIELD, MMADS, {"cmatrixSource"}, starts_from_0},
    {{"zeros along K", "the copy filled these k with zeros"}, MUTATION_FIELD, MMADS, {"k"}, zero_filled},
    {{"same fractals", "rows or columns that are not stored"}, MUTATION_FIELD, MMADS, {"m", "n"}, same_fractals},
    {{"more fractals", "they lie behind the used ones and are not stored"}, MUTATION_FIELD, MMADS, {"m", "n"}, more_behind},
    {{"field of DN", "the destination is not DN"},
     MUTATION_FIELD, FIXPIPES, {"dnNum", "srcNzMatrixStride", "dstDnMatrixStride", "srcNzC0Stride"}, not_dn},
    {{"field of NZ", "the destination is not NZ"}, MUTATION_FIELD, FIXPIPES, {"arch3510"}, not_nz},
    {{"scale word", "the mode has no scalar"}, MUTATION_FIELD, FIXPIPES, {"deqScalar"}, no_scale_word},
    {{"quant row", "the mode has no row"}, MUTATION_FIELD, FIXPIPES, {"quantAddr"}, no_quant_row},
    {{"saturation", "no value leaves the range of the destination"}, MUTATION_FIELD, FIXPIPES, {"ctrl48"}, nothing_saturates},
    {{"order of the cube", "SetMMRowMajor and SetMMColumnMajor decide speed only (kernel_rules A35)"},
     MUTATION_FIELD, BIT(OP_SET_MM_ORDER), {"value", "value2"}, always},
    {{"order of the cube", "SetMMRowMajor and SetMMColumnMajor decide speed only (kernel_rules A35)"},
     MUTATION_DROP, BIT(OP_SET_MM_ORDER), {0}, always},
    {{"register twice", "the same value again"}, MUTATION_DUPLICATE, 0, {0}, is_register},
    {{"loaded twice", "the same bytes again"}, MUTATION_DUPLICATE, 0, {0}, is_load},
    {{"barrier twice", "orders nothing more"}, MUTATION_DUPLICATE, 0, {0}, is_barrier},
    {{"multiplied twice", "starts from 0 both times"}, MUTATION_DUPLICATE, 0, {0}, is_mmad_from_0},
    {{"free at the start", "the first wait of a slot has nothing to wait for"}, MUTATION_PAIR, 0, {0}, is_preset},
    {{"free at the end", "nothing follows the last set but its drain"}, MUTATION_PAIR, 0, {0}, is_drain},
    {{"implied", "other flags order every collision (graph of the whole stream)"}, MUTATION_PAIR, 0, {0}, still_ordered},
    {{"implied", "other flags order every collision (graph of the whole stream)"},
     MUTATION_FIELD, BIT(OP_PIPE_BARRIER), {"pipe"}, still_ordered},
    {{"implied", "other flags order every collision (graph of the whole stream)"}, MUTATION_BARRIER, 0, {0}, still_ordered},
    {{"implied", "other flags order every collision (graph of the whole stream)"}, MUTATION_HALVES, 0, {0}, still_ordered},
    {{"another id", "an id nobody uses meanwhile serves as well"}, MUTATION_IDS, 0, {0}, id_is_free},
};

static bool names_field(const struct rule *r, const struct mutation *m)
{
    if (m->kind != MUTATION_FIELD) {
        return true;
    }
    for (size_t i = 0; i < sizeof r->fields / sizeof r->fields[0] && r->fields[i] != NULL; i++) {
        if (strcmp(r->fields[i], m->field->name) == 0) {
            return true;
        }
    }
    return false;
}

static const struct insn *mmad_of(const struct stream *x, size_t at)
{
    const size_t list = stream_list_of(x, at);
    for (size_t i = x->list[list]; i < x->list[list + 1]; i++) {
        if (x->insns[i].op == OP_MMAD || x->insns[i].op == OP_MMAD_MX) {
            return &x->insns[i];
        }
    }
    return NULL;
}

const struct mutation_rule *mutation_rule_find(const struct stream *right, const struct mutation *m,
                                               const struct stream *mutated)
{
    struct site c = {.right = right, .mutated = mutated, .m = m, .s = right->s, .i = &right->insns[m->at]};
    c.x = *c.i;
    c.mmad = mmad_of(right, m->at);
    if (c.mmad != NULL) {
        schedule_step_at(c.s, right->core[stream_list_of(right, m->at)], c.i->step, &c.step);
    }
    if (m->kind == MUTATION_FIELD) {
        c.old = insn_field_get(c.i, m->field);
        c.value = m->value;
        (void)insn_field_set(&c.x, m->field, m->value);
    }
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        const struct rule *r = &rules[k];
        if (r->kind == m->kind && (r->ops == 0 || (r->ops >> c.i->op & 1U) != 0) && names_field(r, m) && r->holds(&c)) {
            return &r->rule;
        }
    }
    return NULL;
}
