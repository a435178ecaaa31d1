/* mutation_site.h - a planted mutation with what the rules look at, and the
 * predicates of the rules. Internal to the mutation tests. */
#ifndef SUPPORT_MUTATION_SITE_H
#define SUPPORT_MUTATION_SITE_H

#include "support/mutation.h"

struct site {
    const struct stream *right, *mutated;
    const struct mutation *m;
    const struct schedule *s;
    const struct insn *i;    /* as it was */
    struct insn x;           /* MUTATION_FIELD: as it is now */
    const struct insn *mmad; /* of its step; NULL outside of steps */
    struct step step;        /* if mmad */
    int64_t old, value;      /* MUTATION_FIELD */
};

bool site_always(const struct site *c);
bool site_same_bytes(const struct site *c);
bool site_grows(const struct site *c);
bool site_same_matrix_again(const struct site *c);
bool site_covers_real_rows(const struct site *c);
bool site_grows_or_covers(const struct site *c);
bool site_one_position_down(const struct site *c);
bool site_first_position(const struct site *c);
bool site_first_filter_point(const struct site *c);
bool site_pads_behind(const struct site *c);
bool site_nothing_padded(const struct site *c);
bool site_one_filter_point(const struct site *c);
bool site_own_map_size(const struct site *c);
bool site_one_repeat(const struct site *c);
bool site_to_l0b(const struct site *c);
bool site_not_3510(const struct site *c);
bool site_groups_stay(const struct site *c);
bool site_first_group(const struct site *c);
bool site_from_l1(const struct site *c);
bool site_filled_before(const struct site *c);
bool site_only_zeros(const struct site *c);
bool site_first_of_square(const struct site *c);
bool site_align_changes_nothing(const struct site *c);
bool site_same_right_type(const struct site *c);
bool site_padding_follows(const struct site *c);
bool site_low_bits(const struct site *c);
bool site_word_says_sign(const struct site *c);
bool site_one_square(const struct site *c);
bool site_half_squares(const struct site *c);
bool site_one_element(const struct site *c);
bool site_block_of_earlier_tile(const struct site *c);
bool site_not_float(const struct site *c);
bool site_no_gemv(const struct site *c);
bool site_one_block_of_k(const struct site *c);
bool site_no_bias_row(const struct site *c);
bool site_starts_from_0(const struct site *c);
bool site_zero_filled(const struct site *c);
bool site_same_fractals(const struct site *c);
bool site_more_behind(const struct site *c);
bool site_not_dn(const struct site *c);
bool site_not_nz(const struct site *c);
bool site_one_block(const struct site *c);
bool site_both_on(const struct site *c);
bool site_after_last_store(const struct site *c);

bool site_second_value(const struct site *c);
bool site_no_scale_word(const struct site *c);
bool site_no_quant_row(const struct site *c);
bool site_nothing_saturates(const struct site *c);
bool site_is_load(const struct site *c);
bool site_is_register(const struct site *c);
bool site_is_barrier(const struct site *c);
bool site_is_mmad_from_0(const struct site *c);
bool site_still_ordered(const struct site *c);
bool site_is_preset(const struct site *c);
bool site_is_drain(const struct site *c);
bool site_id_is_free(const struct site *c);

#endif
