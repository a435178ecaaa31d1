/* lower.c - one step of a matmul as instructions.
 *
 * Program order of a step (kernel_rules.md 8, 12):
 *   chunk copies that are due (wait the slot, copy, scales behind their data,
 *   set arrived), with scaleCopy step the step's own scales, then the tile's
 *   bias and quant rows;
 *   wait the L0 slot, wait the chunks that start here, load A, load B, bias to
 *   BT, release chunks that end here, hand L0 to the cube;
 *   Mmad, PIPE_M barrier where the documents ask, release L0;
 *   after the last K step Fixpipe; with tileBarrier a barrier over all pipes.
 * Event ids: MTE1_MTE2 and MTE2_MTE1 0,1 = A ping/pong, 2,3 = B, 4 bias, 5 quant;
 * M_MTE1 and MTE1_M = L0 slot (2,3 for L0B where dbL0A != dbL0B; M_MTE1 2 or 4
 * bias); M_FIX and FIX_M = L0C slot; MTE1_FIX and FIX_MTE1 0 = quant. */
#include "schedule/lower.h"

#include "base/intmath.h"
#include "schedule/lower_conv.h"
#include "tiling/loads.h"

static const struct operand *operand_of(const struct schedule *s, enum role role)
{
    return role == ROLE_A ? &s->problem->a : &s->problem->b;
}

static bool scales_by_step(const struct schedule *s)
{
    return s->problem->a.mx && s->t.scaleCopy == SCALES_BY_STEP;
}

/* --- GM -> L1 ------------------------------------------------------------ */

/* A scale chunk shares the slot flags of the data chunk it comes with: it is
 * free no later (kernel_rules 6). */
static void copy_chunk(struct list *l, const struct step *step, enum role role)
{
    const bool is_a = role == ROLE_A;
    const enum role scales = is_a ? ROLE_SA : ROLE_SB;
    const int id = is_a ? step->ph.a : ID_B + step->ph.b;
    list_wait(l, EVENT_MTE1_MTE2, id, 0);
    if (lower_copy_due(l->s, step, role)) {
        lower_copy(l, step, role);
    }
    if (lower_copy_due(l->s, step, scales) && !scales_by_step(l->s)) {
        lower_copy(l, step, scales);
    }
    list_set(l, EVENT_MTE2_MTE1, id, 0);
}

/* Scales of this step alone, of both operands under one flag. */
static void copy_step_scales(struct list *l, const struct step *step)
{
    const int id = plan_scale_event(l->s->problem, &l->s->t) + step->ph.sa;
    list_wait(l, EVENT_MTE1_MTE2, id, 0);
    lower_copy(l, step, ROLE_SA);
    lower_copy(l, step, ROLE_SB);
    list_set(l, EVENT_MTE2_MTE1, id, 0);
}

static void copies(struct list *l, const struct step *step)
{
    const enum role first = l->s->t.copyFirst == 0 ? ROLE_A : ROLE_B, second = first == ROLE_A ? ROLE_B : ROLE_A;
    const unsigned due[2] = {DUE_COPY_A, DUE_COPY_B};
    if (step->due & due[first]) {
        copy_chunk(l, step, first);
    }
    if (step->due & due[second]) {
        copy_chunk(l, step, second);
    }
    if (scales_by_step(l->s)) {
        copy_step_scales(l, step);
    }
    lower_rows_copy(l, step);
}

/* --- L1 -> L0 ------------------------------------------------------------ */

bool lower_gemv(const struct schedule *s, const struct tile *tile)
{
    return s->t.gemv && tile->m == 1 && s->problem->a.format == LAYOUT_ND && load_k_contiguous(s->problem, ROLE_A) &&
           s->hold[ROLE_A] == HOLD_CHUNKS;
}

/* Position of the step's block inside an image of `steps` base blocks, elements along K. */
static int64_t k_in_image(const struct schedule *s, const struct step *step, enum role role, int64_t steps)
{
    return s->hold[role] == HOLD_CHUNKS ? (step->k0 / s->t.baseK) % steps * s->t.baseK : step->k0;
}

static void load_shape(const struct schedule *s, const struct step *step, enum role role, struct load_shape *out)
{
    const struct operand *o = operand_of(s, role);
    const bool is_a = role == ROLE_A;
    const int64_t extent = is_a ? step->tile.m : step->tile.n;
    const int64_t steps = is_a ? s->t.stepKa : s->t.stepKb, factor = is_a ? s->t.scaleFactorKa : s->t.scaleFactorKb;
    *out = (struct load_shape){.dtype = o->dtype, .role = role, .c0 = dtype_c0(o->dtype)};
    out->transposing = !load_k_contiguous(s->problem, role);
    out->mn = align_up(extent, load_unit(s->problem, role, AXIS_MN));
    out->k = align_up(step->k, load_unit(s->problem, role, AXIS_K));
    out->arch3510 = s->target->arch == 3510;
    out->l0_mn = out->arch3510 ? align_up(extent, 16) : out->mn;
    out->k_in_image = k_in_image(s, step, role, steps);
    out->mn_in_image = (is_a ? step->tile.m0 : step->tile.n0) - step->tile.hold[role].from;
    out->vector = is_a && lower_gemv(s, &step->tile);
    out->zz = out->transposing && lower_zz(s, role);
    out->repeat = s->t.loadRepeat == 1;
    out->image_rows = s->image_rows[role];
    out->image_cols = s->image_cols[role];
    out->src = plan_region(&s->plan, BUF_L1, role, is_a ? step->ph.a : step->ph.b);
    out->dst = plan_region(&s->plan, is_a ? BUF_L0A : BUF_L0B, role, is_a ? step->ph.l0a : step->ph.l0b);
    if (o->mx) {
        int64_t from, rows;
        lower_scale_rows(s, &step->tile, role, &from, &rows);
        out->scales = (struct load_scales){
            .src = plan_region(&s->plan, BUF_L1, is_a ? ROLE_SA : ROLE_SB, is_a ? step->ph.sa : step->ph.sb),
            .k_in_image = scales_by_step(s) ? 0 : k_in_image(s, step, role, steps * factor),
            .mn_in_image = (is_a ? step->tile.m0 : step->tile.n0) - from};
    }
}

static enum tiling_load load_of(const struct schedule *s, enum role role)
{
    return (enum tiling_load)(role == ROLE_A ? s->t.loadA : s->t.loadB);
}

void lower_load_sums(const struct schedule *s, const struct step *step, enum role role, struct load_sums *out)
{
    struct load_shape shape;
    if (role == ROLE_A && s->problem->op == PROBLEM_CONV) {
        lower_conv_load_sums(s, step, out);
        return;
    }
    load_shape(s, step, role, &shape);
    out->calls = load_calls(load_of(s, role), &shape);
    out->bytes = load_bytes(&shape);
    out->scale_bytes = operand_of(s, role)->mx ? load_scale_bytes(&shape) : 0;
}

static void load_operand(struct list *l, const struct step *step, enum role role)
{
    const struct schedule *s = l->s;
    const bool is_a = role == ROLE_A;
    if (is_a && s->problem->op == PROBLEM_CONV) {
        lower_conv_load(l, step);
        return;
    }
    /* With two L1 halves, MTE2 fills the other one by ND2NZ while this load reads. */
    const bool filling = (is_a ? s->t.dbA1 : s->t.dbB1) > 1 && operand_of(s, role)->format == LAYOUT_ND;
    struct load_shape shape;
    load_shape(s, step, role, &shape);
    const int first = l->n;
    l->n += load_emit(load_of(s, role), &shape, l->out + l->n);
    for (int i = first; i < l->n; i++) {
        l->out[i].step = l->step;
        l->out[i].flags |= filling ? INSN_L1_FILLING : 0;
    }
    list_group(l, first);
}

/* --- Mmad ------------------------------------------------------------------ */

int32_t lower_mmad_m(const struct schedule *s, const struct step *step)
{
    /* m = 1 reads L0A as a vector; 3510 has disableGemv, the others issue 16
     * rows, of which Fixpipe stores one. */
    return step->tile.m == 1 && s->target->arch != 3510 && !lower_gemv(s, &step->tile) ? 16 : step->tile.m;
}

int32_t lower_mmad_n(const struct schedule *s, const struct step *step)
{
    const int64_t stored = schedule_store_columns(s, step->tile.n0, step->tile.n);
    return (int32_t)align_up(stored, load_mmad_unit(s->target, s->problem, ROLE_B));
}

int32_t lower_mmad_k(const struct schedule *s, const struct step *step)
{
    return s->problem->a.mx ? (int32_t)align_up(step->k, 64) : step->k;
}

uint8_t lower_mmad_barrier(int32_t m, int32_t n)
{
    return (m / 16) * (n / 16) < 10;
}

/* A transposing load of float on 2201 rounds L0A's K to 16. */
static bool k_direction_align(const struct schedule *s)
{
    return s->target->arch != 3510 && s->problem->a.dtype == DTYPE_FLOAT && !load_k_contiguous(s->problem, ROLE_A);
}

static void mmad(struct list *l, const struct step *step)
{
    const struct schedule *s = l->s;
    const struct region *a = plan_region(&s->plan, BUF_L0A, ROLE_A, step->ph.l0a);
    const struct region *b = plan_region(&s->plan, BUF_L0B, ROLE_B, step->ph.l0b);
    const struct region *c = plan_region(&s->plan, BUF_L0C, ROLE_C, step->ph.l0c);
    const bool bias = lower_bias_due(s, step), init = (step->due & DUE_INIT) != 0;
    struct insn *i = list_push(l, s->problem->a.mx ? OP_MMAD_MX : OP_MMAD, PIPE_M, ROLE_C);
    const int32_t m = lower_mmad_m(s, step), n = lower_mmad_n(s, step);
    i->dtype = (uint8_t)s->problem->a.dtype;
    i->dst = (struct addr){.buf = BUF_L0C, .half = c->half, .byte = c->off};
    i->src = (struct addr){.buf = BUF_L0A, .half = a->half, .byte = a->off};
    i->src2 = (struct addr){.buf = BUF_L0B, .half = b->half, .byte = b->off};
    i->p.mmad = (struct mmad_params){.m = (uint16_t)m,
                                     .n = (uint16_t)n,
                                     .k = (uint16_t)lower_mmad_k(s, step),
                                     .unitFlag = s->t.unitflag == 0             ? 0
                                                 : (step->due & DUE_STORE) != 0 ? 3
                                                                                : 2,
                                     .kDirectionAlign = k_direction_align(s),
                                     .cmatrixSource = bias,
                                     .cmatrixInitVal = init && !bias,
                                     .disableGemv = s->target->arch == 3510 && !lower_gemv(s, &step->tile),
                                     .btype = (uint8_t)s->problem->b.dtype};
    if (s->acc == DTYPE_HALF) {
        i->p.mmad.ctype = DTYPE_HALF;
    }
    if (bias) {
        i->p.mmad.biasAddr = (uint32_t)plan_region(&s->plan, BUF_BT, ROLE_BIAS, 0)->off;
    }
    if (lower_mmad_barrier(m, n)) {
        list_barrier(l, PIPE_M);
    }
}

/* --- a step -------------------------------------------------------------- */

static bool one_l0_event(const struct schedule *s)
{
    return s->t.dbL0A == s->t.dbL0B;
}

/* Waits for the chunk of `role` that starts here. Where a Fill belongs to it,
 * MTE1 may be the pipe it runs on (A30). */
static void wait_chunk(struct list *l, const struct step *step, enum role role)
{
    const bool is_a = role == ROLE_A;
    if ((step->due & (is_a ? DUE_FIRST_A : DUE_FIRST_B)) == 0) {
        return;
    }
    list_wait(l, EVENT_MTE2_MTE1, is_a ? step->ph.a : ID_B + step->ph.b, 0);
    struct copy_shape copy = {0};
    if (operand_of(l->s, role)->mx && lower_copy_due(l->s, step, role)) {
        lower_copy_shape(l->s, step, role, &copy);
    }
    if (copy.fills > 0) {
        list_barrier(l, PIPE_MTE1);
    }
}

static void loads(struct list *l, const struct step *step)
{
    const struct schedule *s = l->s;
    list_wait(l, EVENT_M_MTE1, step->ph.l0a, 0);
    wait_chunk(l, step, ROLE_A);
    if (scales_by_step(s)) {
        list_wait(l, EVENT_MTE2_MTE1, plan_scale_event(s->problem, &s->t) + step->ph.sa, 0);
    }
    if (s->t.waitBoth) {
        wait_chunk(l, step, ROLE_B);
    }
    load_operand(l, step, ROLE_A);
    if (!one_l0_event(s)) {
        list_wait(l, EVENT_M_MTE1, ID_B + step->ph.l0b, 0);
    }
    if (!s->t.waitBoth) {
        wait_chunk(l, step, ROLE_B);
    }
    load_operand(l, step, ROLE_B);
    if (step->due & DUE_LAST_A) {
        list_set(l, EVENT_MTE1_MTE2, step->ph.a, 0);
    }
    if (step->due & DUE_LAST_B) {
        list_set(l, EVENT_MTE1_MTE2, ID_B + step->ph.b, 0);
    }
    if (scales_by_step(s)) {
        list_set(l, EVENT_MTE1_MTE2, plan_scale_event(s->problem, &s->t) + step->ph.sa, 0);
    }
    lower_rows_load(l, step);
    list_set(l, EVENT_MTE1_M, step->ph.l0a, 0);
}

static void store(struct list *l, const struct step *step)
{
    const bool flags = !l->s->t.unitflag;
    if (flags) {
        list_set(l, EVENT_M_FIX, step->ph.l0c, 0);
        list_wait(l, EVENT_M_FIX, step->ph.l0c, 0);
    }
    lower_fixpipe(l, step);
    if (flags) {
        list_set(l, EVENT_FIX_M, step->ph.l0c, 0);
    }
}

int schedule_expand(const struct schedule *s, const struct step *step, struct insn *out)
{
    struct list l = {s, step->index, out, 0};
    copies(&l, step);
    loads(&l, step);
    list_wait(&l, EVENT_MTE1_M, step->ph.l0a, 0);
    if ((step->due & DUE_INIT) && !s->t.unitflag) {
        list_wait(&l, EVENT_FIX_M, step->ph.l0c, 0);
    }
    mmad(&l, step);
    list_set(&l, EVENT_M_MTE1, step->ph.l0a, 0);
    if (!one_l0_event(s)) {
        list_set(&l, EVENT_M_MTE1, ID_B + step->ph.l0b, 0);
    }
    if (lower_bias_due(s, step)) {
        list_set(&l, EVENT_M_MTE1, one_l0_event(s) ? ID_B : ID_BIAS, 0);
    }
    if (step->due & DUE_STORE) {
        store(&l, step);
        if (s->t.tileBarrier) {
            list_barrier(&l, PIPE_ALL);
        }
    }
    return l.n;
}

int schedule_expand_max(const struct schedule *s)
{
    /* Copies: one a row at worst; loads: one a fractal row or column; the rest is fixed. */
    return (int)(lower_copy_max(s) + (s->t.baseM + s->t.baseN + 2 * s->t.baseK) / 8 + 96);
}

/* Reverse flags: a slot is free before its first use, and free again at the end. */
static void edge(struct list *l, void (*flag)(struct list *, enum hard_event, int, unsigned), unsigned flags)
{
    const struct tiling *t = &l->s->t;
    for (int i = 0; i < t->dbA1; i++) {
        flag(l, EVENT_MTE1_MTE2, i, flags);
    }
    for (int i = 0; i < t->dbB1; i++) {
        flag(l, EVENT_MTE1_MTE2, ID_B + i, flags);
    }
    for (int i = 0; i < 2 && scales_by_step(l->s); i++) {
        flag(l, EVENT_MTE1_MTE2, plan_scale_event(l->s->problem, t) + i, flags);
    }
    for (int i = 0; i < t->dbL0A; i++) {
        flag(l, EVENT_M_MTE1, i, flags);
    }
    for (int i = 0; i < t->dbL0B && !one_l0_event(l->s); i++) {
        flag(l, EVENT_M_MTE1, ID_B + i, flags);
    }
    if (t->isBias) {
        flag(l, EVENT_MTE1_MTE2, ID_BIAS, flags);
        flag(l, EVENT_M_MTE1, one_l0_event(l->s) ? ID_B : ID_BIAS, flags);
    }
    if (l->s->problem->quant.dtype != DTYPE_NONE) {
        flag(l, EVENT_MTE1_MTE2, ID_QUANT, flags);
    }
    for (int i = 0; i < t->dbL0C && !t->unitflag; i++) {
        flag(l, EVENT_FIX_M, i, flags);
    }
}

/* Mode registers: order of rows and columns for the unit flag (UnitFlag page:
 * rows first for ND), HF32, atomic addition. `on` false: back to the default. */
static void mode_registers(struct list *l, bool on)
{
    const struct problem *p = l->s->problem;
    if (l->s->t.unitflag) {
        struct insn *i = list_push(l, OP_SET_MM_ORDER, PIPE_S, ROLE_C);
        i->p.reg.value = on && p->c.format == LAYOUT_ND ? 1 : 0;
    }
    if (p->hf32) {
        list_push(l, OP_SET_HF32, PIPE_S, ROLE_C)->p.reg.value = on ? 1 : 0;
    }
    if (l->s->t.splitKReduce == REDUCE_ATOMIC) {
        struct insn *i = list_push(l, OP_SET_ATOMIC, PIPE_S, ROLE_C);
        i->dtype = (uint8_t)p->c.dtype;
        i->p.reg.value = on ? 1 : 0;
    }
}

int schedule_prologue(const struct schedule *s, int32_t core, struct insn *out)
{
    struct list l = {s, 0, out, 0};
    if (schedule_tiles(s, core) > 0) {
        mode_registers(&l, true);
        edge(&l, list_set, INSN_PRESET);
    }
    return l.n;
}

int schedule_epilogue(const struct schedule *s, int32_t core, struct insn *out)
{
    struct list l = {s, 0, out, 0};
    const int64_t steps = schedule_steps(s, core);
    if (steps > 0) {
        l.step = (uint32_t)(steps - 1);
        edge(&l, list_wait, INSN_DRAIN);
        mode_registers(&l, false);
    }
    return l.n;
}
