/* lower_rows.c - the bias row to BT and the quant row to FB (kernel_rules.md 9).
 *
 * Both come with the tile's first step, behind its chunks, so that they hide
 * behind the copies they would delay. MTE1 moves the bias to BT behind the
 * step's own loads; the flag that hands those to the cube hands the bias over
 * too. MTE2 and FIX have no flag of their own on 2201: MTE1 passes the quant
 * row on, and gives its place in L1 back with the tile's last step, when FIX has
 * long read it. */
#include "base/intmath.h"
#include "schedule/lower.h"

/* Id of M_MTE1 that frees BT: 2, or 4 where L0B has ids of its own. */
static int bias_free_id(const struct schedule *s)
{
    return s->t.dbL0A == s->t.dbL0B ? ID_B : ID_BIAS;
}

bool lower_bias_due(const struct schedule *s, const struct step *step)
{
    return s->t.isBias && (step->due & DUE_INIT) != 0 && step->tile.kslice == 0;
}

bool lower_quant_due(const struct schedule *s, const struct step *step)
{
    return s->problem->quant.dtype != DTYPE_NONE && (step->due & (DUE_INIT | DUE_STORE)) != 0;
}

/* Units of 64 B: 2201's own, an even number of 950's 32 B (A43). All columns the
 * Mmad is issued with. */
int64_t lower_bias_bytes(const struct schedule *s, const struct step *step)
{
    return align_up(dtype_bytes(s->problem->bias.dtype, lower_mmad_n(s, step)), 64);
}

/* Units of 128 B, on 950 64 B (A32). */
int64_t lower_quant_bytes(const struct schedule *s, const struct step *step)
{
    return align_up(dtype_bytes(s->problem->quant.dtype, step->tile.n), s->target->arch == 3510 ? 64 : 128);
}

void lower_rows_copy(struct list *l, const struct step *step)
{
    if (lower_copy_due(l->s, step, ROLE_BIAS)) {
        list_wait(l, EVENT_MTE1_MTE2, ID_BIAS, 0);
        lower_copy(l, step, ROLE_BIAS);
        list_set(l, EVENT_MTE2_MTE1, ID_BIAS, 0);
    }
    if (lower_copy_due(l->s, step, ROLE_QUANT)) {
        list_wait(l, EVENT_MTE1_MTE2, ID_QUANT, 0);
        lower_copy(l, step, ROLE_QUANT);
        list_set(l, EVENT_MTE2_MTE1, ID_QUANT, 0);
    }
}

static struct insn *push_row(struct list *l, enum op op, enum pipe pipe, enum role role, enum buffer to)
{
    const struct region *from = plan_region(&l->s->plan, BUF_L1, role, 0);
    const struct region *dst = plan_region(&l->s->plan, to, role, 0);
    struct insn *i = list_push(l, op, pipe, role);
    i->dtype = (uint8_t)problem_operand(l->s->problem, (enum tensor)role)->dtype;
    i->src = (struct addr){.buf = BUF_L1, .byte = from->off};
    i->dst = (struct addr){.buf = (uint8_t)to, .byte = dst->off};
    i->p.copy.blockCount = 1;
    return i;
}

static void bias_to_bt(struct list *l, const struct step *step)
{
    const struct schedule *s = l->s;
    list_wait(l, EVENT_MTE2_MTE1, ID_BIAS, 0);
    list_wait(l, EVENT_M_MTE1, bias_free_id(s), 0);
    struct insn *i = push_row(l, OP_L1_TO_BT, PIPE_MTE1, ROLE_BIAS, BUF_BT);
    i->p.copy.blockLen = (uint32_t)(lower_bias_bytes(s, step) / (s->target->arch == 3510 ? 32 : 64));
    i->p.copy.dstType = s->acc;
    list_set(l, EVENT_MTE1_MTE2, ID_BIAS, 0);
}

static void quant_to_fb(struct list *l, const struct step *step)
{
    const struct schedule *s = l->s;
    list_wait(l, EVENT_MTE2_MTE1, ID_QUANT, 0);
    list_set(l, EVENT_MTE1_FIX, 0, 0);
    list_wait(l, EVENT_MTE1_FIX, 0, 0);
    struct insn *i = push_row(l, OP_L1_TO_FB, PIPE_FIX, ROLE_QUANT, BUF_FB);
    i->p.copy.blockLen = (uint32_t)(lower_quant_bytes(s, step) / (s->target->arch == 3510 ? 64 : 128));
    list_set(l, EVENT_FIX_MTE1, 0, 0);
    list_barrier(l, PIPE_FIX);
}

void lower_rows_load(struct list *l, const struct step *step)
{
    if (lower_bias_due(l->s, step)) {
        bias_to_bt(l, step);
    }
    if (!lower_quant_due(l->s, step)) {
        return;
    }
    if (step->due & DUE_INIT) {
        quant_to_fb(l, step);
    }
    if (step->due & DUE_STORE) {
        list_wait(l, EVENT_FIX_MTE1, 0, 0);
        list_set(l, EVENT_MTE1_MTE2, ID_QUANT, 0);
    }
}
