/* mutation_rules.c - mutations after which the program is still right. Each rule
 * is a predicate (mutation_site.c) on the mutation; what it says is proved again
 * by judge_finds_dead(). */
#include <stddef.h>
#include <string.h>

#include "support/mutation_site.h"

#define BIT(op)  (1U << (op))
#define LOADS_3D (BIT(OP_LOAD_3D) | BIT(OP_LOAD_3D_STRIDE))
#define LOADS_2D \
    (BIT(OP_LOAD_2D) | BIT(OP_LOAD_2D_V2) | BIT(OP_LOAD_MX) | BIT(OP_LOAD_TRANSPOSE) | BIT(OP_LOAD_TRANSPOSE_V2))
#define MMADS    (BIT(OP_MMAD) | BIT(OP_MMAD_MX))
#define COPIES   (BIT(OP_ND2NZ) | BIT(OP_DN2NZ) | BIT(OP_DATA_COPY))
#define ROWS     (BIT(OP_L1_TO_BT) | BIT(OP_L1_TO_FB))
#define FIXPIPES BIT(OP_FIXPIPE)

struct rule {
    struct mutation_rule rule;
    enum mutation_kind kind;
    uint32_t ops; /* 0: any */
    const char *fields[12];
    bool (*holds)(const struct site *);
};

static const struct rule rules[] = {
    {{"stream id", "sid has no effect"}, MUTATION_FIELD, LOADS_2D, {"sid"}, site_always},
    {{"retired field", "enSmallK is no longer supported and read by nothing"},
     MUTATION_FIELD,
     LOADS_3D,
     {"enSmallK"},
     site_always},
    {{"stride once", "a stride, gap or pitch of a dimension with one entry"},
     MUTATION_FIELD,
     COPIES | ROWS | LOADS_2D | LOADS_3D | FIXPIPES,
     {"srcNdMatrixStride", "srcDValue", "dstNzC0Stride", "dstNzNStride", "dstNzMatrixStride", "srcGap", "dstGap",
      "srcStride", "dstStride", "srcNdStride", "dstNdStride"},
     site_same_bytes},
    {{"same matrix", "both matrix strides are 0: the copy is repeated onto itself"},
     MUTATION_FIELD,
     BIT(OP_ND2NZ),
     {"ndNum"},
     site_same_matrix_again},
    {{"copied more", "rows or columns behind the operand's, into padding or free bytes of L1"},
     MUTATION_FIELD,
     COPIES,
     {"nValue", "dValue", "blockCount", "blockLen"},
     site_grows},
    {{"row longer", "columns behind those the tile has, in BT or FB"},
     MUTATION_FIELD,
     ROWS,
     {"blockCount", "blockLen"},
     site_grows},
    {{"filled more", "padding or free bytes behind the zeros"},
     MUTATION_FIELD,
     BIT(OP_FILL),
     {"repeatTimes", "blockNum"},
     site_grows},
    {{"zeros already there", "a chunk of an earlier tile has left them at the same place"},
     MUTATION_ADDRESS,
     BIT(OP_FILL),
     {0},
     site_filled_before},
    {{"zeros of the tail", "the load brings none but the zeros behind K, and zeros lie there already"},
     MUTATION_FIELD,
     BIT(OP_LOAD_MX),
     {"mStartPosition", "kStartPosition", "mStep", "kStep"},
     site_only_zeros},
    {{"zeros of the tail", "the load brings none but the zeros behind K, and zeros lie there already"},
     MUTATION_ADDRESS,
     BIT(OP_LOAD_MX),
     {0},
     site_only_zeros},
    {{"zeros of the tail", "the load brings none but the zeros behind K, and zeros lie there already"},
     MUTATION_HALF,
     BIT(OP_LOAD_MX),
     {0},
     site_only_zeros},
    {{"zeros of the tail", "the load brings none but the zeros behind K, and zeros lie there already"},
     MUTATION_DROP,
     BIT(OP_LOAD_MX),
     {0},
     site_only_zeros},
    {{"copied less", "only rows that pad the operand to 16 are left out"},
     MUTATION_FIELD,
     BIT(OP_DATA_COPY),
     {"blockLen"},
     site_covers_real_rows},
    {{"loaded more or less", "fractals or rows that the step's Mmad does not use, or that the next load overwrites"},
     MUTATION_FIELD,
     LOADS_2D | LOADS_3D,
     {"repeatTimes", "mStep", "kStep", "mExtension", "kExtension", "mx.xStep", "mx.yStep"},
     site_grows_or_covers},
    {{"repeated more", "the appended repeat lies behind the block that is used"},
     MUTATION_FIELD,
     LOADS_3D,
     {"repeatTime"},
     site_grows},
    {{"address mode", "only GM->L1 walks down"}, MUTATION_FIELD, BIT(OP_LOAD_2D), {"addrMode"}, site_from_l1},
    {{"address mode", "one square has no direction"},
     MUTATION_FIELD,
     BIT(OP_LOAD_TRANSPOSE) | BIT(OP_LOAD_TRANSPOSE_V2),
     {"addrMode"},
     site_one_square},
    {{"one fractal of a square", "the other outputs of a square are rows that are not stored"},
     MUTATION_FIELD,
     BIT(OP_LOAD_TRANSPOSE) | BIT(OP_LOAD_TRANSPOSE_V2),
     {"dstFracGap"},
     site_first_of_square},
    {{"gap in a square", "a b16 square is one fractal"},
     MUTATION_FIELD,
     BIT(OP_LOAD_TRANSPOSE) | BIT(OP_LOAD_TRANSPOSE_V2),
     {"dstFracGap", "srcFracGap"},
     site_half_squares},
    {{"one output row", "the map has one position down, so no stride is taken"},
     MUTATION_FIELD,
     LOADS_3D,
     {"strideH"},
     site_one_position_down},
    {{"first position", "the one row used does not move with the stride"},
     MUTATION_FIELD,
     LOADS_3D,
     {"strideW", "strideH"},
     site_first_position},
    {{"first filter point", "the columns loaded belong to the filter's first point"},
     MUTATION_FIELD,
     LOADS_3D,
     {"filterW", "filterSizeW"},
     site_first_filter_point},
    {{"padding behind", "a 1x1 filter meets the added padding only behind the rows loaded"},
     MUTATION_FIELD,
     LOADS_3D,
     {"padList.right", "padList.bottom"},
     site_pads_behind},
    {{"padding value", "nothing is padded"}, MUTATION_FIELD, LOADS_3D, {"padValue"}, site_nothing_padded},
    {{"dilation", "one filter point has no distance"},
     MUTATION_FIELD,
     LOADS_3D,
     {"dilationFilterW", "dilationFilterH"},
     site_one_filter_point},
    {{"register of the map", "isSetFMatrix is 1: no register is read"},
     MUTATION_FIELD,
     LOADS_3D,
     {"fMatrixCtrl"},
     site_own_map_size},
    {{"repeat", "one repeat takes no step and has no direction"},
     MUTATION_FIELD,
     LOADS_3D,
     {"repeatStride", "repeatMode"},
     site_one_repeat},
    {{"always transposed", "L0B takes the transpose whatever enTranspose says"},
     MUTATION_FIELD,
     LOADS_3D,
     {"enTranspose"},
     site_to_l0b},
    {{"one element", "it stays in the corner, transposed or not"},
     MUTATION_FIELD,
     LOADS_2D | LOADS_3D,
     {"ifTranspose", "enTranspose"},
     site_one_element},
    {{"dstStride of 3D", "only 950 reads it"}, MUTATION_FIELD, LOADS_3D, {"dstStride"}, site_not_3510},
    {{"channels not loaded", "whole channel groups beyond those loaded"},
     MUTATION_FIELD,
     LOADS_3D,
     {"channelSize"},
     site_groups_stay},
    {{"one plane", "one channel group is loaded: the size of a plane is not used"},
     MUTATION_FIELD,
     LOADS_3D,
     {"l1H", "l1W"},
     site_first_group},
    {{"kDirectionAlign", "float only"}, MUTATION_FIELD, MMADS, {"kDirectionAlign"}, site_not_float},
    {{"kDirectionAlign", "k is whole 16, or there is one block of rows"},
     MUTATION_FIELD,
     MMADS,
     {"kDirectionAlign"},
     site_align_changes_nothing},
    {{"right type", "0: that of the left operand, which it is"},
     MUTATION_FIELD,
     MMADS,
     {"btype"},
     site_same_right_type},
    {{"zeros of the padding", "the load's padding along M follows: zeros"},
     MUTATION_FIELD,
     BIT(OP_MMAD_MX),
     {"k"},
     site_padding_follows},
    {{"disableGemv", "read by 950 where m is 1"}, MUTATION_FIELD, MMADS, {"disableGemv"}, site_no_gemv},
    {{"disableGemv", "k fits 32 B, which lie alike in a vector and in a fractal"},
     MUTATION_FIELD,
     MMADS,
     {"disableGemv"},
     site_one_block_of_k},
    {{"bias address", "no bias row is read"}, MUTATION_FIELD, MMADS, {"biasAddr"}, site_no_bias_row},
    {{"start value", "cmatrixInitVal is 1: starts from 0"},
     MUTATION_FIELD,
     MMADS,
     {"cmatrixSource"},
     site_starts_from_0},
    {{"zeros along K", "the copy filled these k with zeros"}, MUTATION_FIELD, MMADS, {"k"}, site_zero_filled},
    {{"same fractals", "rows or columns that are not stored"}, MUTATION_FIELD, MMADS, {"m", "n"}, site_same_fractals},
    {{"more fractals", "they lie behind the used ones and are not stored"},
     MUTATION_FIELD,
     MMADS,
     {"m", "n"},
     site_more_behind},
    {{"field of DN", "the destination is not DN"},
     MUTATION_FIELD,
     FIXPIPES,
     {"dnNum", "srcNzMatrixStride", "dstDnMatrixStride", "srcNzC0Stride"},
     site_not_dn},
    {{"field of NZ", "the destination is not NZ"}, MUTATION_FIELD, FIXPIPES, {"arch3510"}, site_not_nz},
    {{"ND or NZ", "one block, of one row or of rows without gaps, lies alike in both"},
     MUTATION_FIELD,
     FIXPIPES,
     {"format"},
     site_one_block},
    {{"atomic mode", "add is the only one; any value but 0 says so"},
     MUTATION_FIELD,
     BIT(OP_SET_ATOMIC),
     {"value"},
     site_both_on},
    {{"atomic mode", "the core stores nothing after it"},
     MUTATION_FIELD,
     BIT(OP_SET_ATOMIC),
     {"value"},
     site_after_last_store},
    {{"atomic mode", "the core stores nothing after it"},
     MUTATION_DROP,
     BIT(OP_SET_ATOMIC),
     {0},
     site_after_last_store},
    {{"second value", "SetAtomicAdd has none"}, MUTATION_FIELD, BIT(OP_SET_ATOMIC), {"value2"}, site_second_value},
    {{"scale word", "the mode has no scalar"}, MUTATION_FIELD, FIXPIPES, {"deqScalar"}, site_no_scale_word},
    {{"scale word", "its low 13 bits are not part of the factor"},
     MUTATION_FIELD,
     FIXPIPES,
     {"deqScalar"},
     site_low_bits},
    {{"signed or not", "bit 46 of the scale word says it, not the type"},
     MUTATION_FIELD,
     FIXPIPES,
     {"dstType"},
     site_word_says_sign},
    {{"quant row", "the mode has no row"}, MUTATION_FIELD, FIXPIPES, {"quantAddr"}, site_no_quant_row},
    {{"saturation", "no value leaves the range of the destination"},
     MUTATION_FIELD,
     FIXPIPES,
     {"ctrl48"},
     site_nothing_saturates},
    {{"order of the cube", "SetMMRowMajor and SetMMColumnMajor decide speed only (kernel_rules A35)"},
     MUTATION_FIELD,
     BIT(OP_SET_MM_ORDER),
     {"value", "value2"},
     site_always},
    {{"order of the cube", "SetMMRowMajor and SetMMColumnMajor decide speed only (kernel_rules A35)"},
     MUTATION_DROP,
     BIT(OP_SET_MM_ORDER),
     {0},
     site_always},
    {{"register twice", "the same value again"}, MUTATION_DUPLICATE, 0, {0}, site_is_register},
    {{"loaded twice", "the same bytes again"}, MUTATION_DUPLICATE, 0, {0}, site_is_load},
    {{"barrier twice", "orders nothing more"}, MUTATION_DUPLICATE, 0, {0}, site_is_barrier},
    {{"multiplied twice", "starts from 0 both times"}, MUTATION_DUPLICATE, 0, {0}, site_is_mmad_from_0},
    {{"block of an earlier tile", "the core has moved this operand's block before; what is left of it is right"},
     MUTATION_DROP,
     0,
     {0},
     site_block_of_earlier_tile},
    {{"block of an earlier tile", "the core has moved this operand's block before; what is left of it is right"},
     MUTATION_ADDRESS,
     0,
     {0},
     site_block_of_earlier_tile},
    {{"block of an earlier tile", "the core has moved this operand's block before; what is left of it is right"},
     MUTATION_HALF,
     0,
     {0},
     site_block_of_earlier_tile},
    {{"block of an earlier tile", "the core has moved this operand's block before; what is left of it is right"},
     MUTATION_FIELD,
     LOADS_2D | LOADS_3D,
     {"mStep", "kStep", "repeatTimes", "filterW", "filterH"},
     site_block_of_earlier_tile},
    {{"free at the start", "the first wait of a slot has nothing to wait for"}, MUTATION_PAIR, 0, {0}, site_is_preset},
    {{"free at the end", "nothing follows the last set but its drain"}, MUTATION_PAIR, 0, {0}, site_is_drain},
    {{"implied", "other flags order every collision (graph of the whole stream)"},
     MUTATION_PAIR,
     0,
     {0},
     site_still_ordered},
    {{"implied", "other flags order every collision (graph of the whole stream)"},
     MUTATION_FIELD,
     BIT(OP_PIPE_BARRIER),
     {"pipe"},
     site_still_ordered},
    {{"implied", "other flags order every collision (graph of the whole stream)"},
     MUTATION_BARRIER,
     0,
     {0},
     site_still_ordered},
    {{"implied", "other flags order every collision (graph of the whole stream)"},
     MUTATION_HALVES,
     0,
     {0},
     site_still_ordered},
    {{"another id", "an id nobody uses meanwhile serves as well"}, MUTATION_IDS, 0, {0}, site_id_is_free},
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
