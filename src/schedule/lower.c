/* lower.c - one step of a matmul as instructions.
 *
 * Program order of a step (kernel_rules.md 8, 12):
 *   chunk copies that are due (wait the slot, copy, set arrived);
 *   wait the L0 slot, wait the chunks that start here, load A, load B,
 *   release chunks that end here, hand L0 to the cube;
 *   Mmad, PIPE_M barrier where the documents ask, release L0;
 *   after the last K step Fixpipe.
 * Event ids: MTE1_MTE2 and MTE2_MTE1 0,1 = A ping/pong, 2,3 = B; M_MTE1 and
 * MTE1_M = L0 slot (2,3 for L0B where dbL0A != dbL0B); M_FIX and FIX_M = L0C slot. */
#include "schedule/lower.h"

#include <string.h>

#include "base/intmath.h"
#include "schedule/lower_load.h"
#include "tiling/loads.h"

#define ID_B 2 /* first event id of operand B */

/* A list under construction. */
struct list {
    const struct schedule *s;
    uint32_t step;
    struct insn *out;
    int n;
};

static struct insn *push(struct list *l, enum op op, enum pipe pipe, enum role role)
{
    struct insn *i = &l->out[l->n++];
    memset(i, 0, sizeof *i);
    i->op = (uint8_t)op;
    i->pipe = (uint8_t)pipe;
    i->role = (uint8_t)role;
    i->step = l->step;
    return i;
}

static void set_flag(struct list *l, enum hard_event e, int id, unsigned flags)
{
    struct insn *i = push(l, OP_SET_FLAG, hard_event_setter(e), ROLE_C);
    i->event = INSN_EVENT(e, id);
    i->flags = (uint16_t)flags;
}

static void wait_flag(struct list *l, enum hard_event e, int id, unsigned flags)
{
    struct insn *i = push(l, OP_WAIT_FLAG, hard_event_waiter(e), ROLE_C);
    i->event = INSN_EVENT(e, id);
    i->flags = (uint16_t)flags;
}

static const struct operand *operand_of(const struct schedule *s, enum role role)
{
    return role == ROLE_A ? &s->problem->a : &s->problem->b;
}

/* --- GM -> L1 ------------------------------------------------------------ */

/* Elements of GM a copy covers: rows x cols from (row0, col0), as it lies in memory. */
struct window {
    int64_t row0, col0, rows, cols;
    int64_t chunk_k;
};

static struct window copy_window(const struct schedule *s, const struct step *step, enum role role)
{
    const struct tile *tile = &step->tile;
    const struct tile_hold *h = &tile->hold[role];
    const bool chunked = s->hold[role] == HOLD_CHUNKS;
    const int64_t step_k = role == ROLE_A ? s->t.stepKa : s->t.stepKb;
    const int64_t at = chunked ? step->k0 : 0;
    const int64_t k = chunked ? min_i64(step_k * s->t.baseK, tile->k - at) : tile->k;
    const int64_t k0 = tile->k0 + at;
    return load_k_contiguous(s->problem, role) ? (struct window){h->from, k0, h->extent, k, k}
                                               : (struct window){k0, h->from, k, h->extent, k};
}

/* Byte of GM where a window of an ND operand starts. */
static int64_t nd_byte(const struct operand *o, int64_t batch, int64_t row, int64_t col)
{
    return (batch * o->rows + row) * dtype_bytes(o->dtype, o->ld) + dtype_bytes(o->dtype, col);
}

/* How a copy is issued. */
enum copy_form {
    COPY_ND2NZ,     /* one instruction */
    COPY_ND2NZ_ROW, /* one a row: the pitch does not fit srcDValue */
    COPY_ROW,       /* one strided DataCopy a row: rowCopy, few rows */
    COPY_VECTOR,    /* one row, K contiguous in L1: GEMV */
    COPY_NZ,        /* one DataCopy of C0 columns */
    COPY_NZ_COLUMN  /* one a column: the gap does not fit srcGap */
};

/* 2201 and older hold srcDValue in 16 bits; 3510 in 40 (A29). */
static bool pitch_fits(const struct schedule *s, const struct operand *o)
{
    return s->target->arch == 3510 || o->ld <= 65535;
}

#define ROW_COPY_ROWS 16 /* rows up to which vendor kernels copy row by row */

static enum copy_form copy_form(const struct schedule *s, const struct step *step, enum role role,
                                const struct window *w)
{
    const struct operand *o = operand_of(s, role);
    if (o->format == LAYOUT_NZ) {
        return align_up(o->rows, 16) - w->rows <= 65535 ? COPY_NZ : COPY_NZ_COLUMN;
    }
    if (role == ROLE_A && lower_gemv(s, &step->tile)) {
        return COPY_VECTOR;
    }
    /* A strided row copy moves whole 32 B blocks: it must not run past the row. */
    if (s->t.rowCopy && role == ROLE_A && load_k_contiguous(s->problem, role) && w->rows <= ROW_COPY_ROWS &&
        w->cols % dtype_c0(o->dtype) == 0) {
        return COPY_ROW;
    }
    return pitch_fits(s, o) ? COPY_ND2NZ : COPY_ND2NZ_ROW;
}

void lower_copy_shape(const struct schedule *s, const struct step *step, enum role role, struct copy_shape *out)
{
    const struct operand *o = operand_of(s, role);
    const struct window w = copy_window(s, step, role);
    const enum copy_form form = copy_form(s, step, role, &w);
    const int64_t columns = ceil_div(w.cols, dtype_c0(o->dtype));
    out->chunk_k = (int32_t)w.chunk_k;
    out->rows = (int32_t)w.rows;
    out->row_bytes = (int32_t)dtype_bytes(o->dtype, w.cols);
    out->insns = form == COPY_ND2NZ_ROW || form == COPY_ROW ? out->rows : form == COPY_NZ_COLUMN ? (int32_t)columns : 1;
    if (o->format == LAYOUT_NZ) {
        out->row_bytes = (int32_t)(columns * 32);
    }
}

/* The destination image of a copy. */
struct image {
    const struct region *region;
    int32_t rows;
};

static struct insn *push_copy(struct list *l, enum op op, const struct step *step, enum role role, int64_t src,
                              const struct image *image, int64_t dst_blocks)
{
    struct insn *i = push(l, op, PIPE_MTE2, role);
    (void)step;
    i->dtype = (uint8_t)operand_of(l->s, role)->dtype;
    i->dst = (struct addr){.buf = BUF_L1, .half = image->region->half, .byte = image->region->off + dst_blocks * 32};
    i->src = (struct addr){.buf = BUF_GM, .tensor = (uint8_t)role, .byte = src};
    return i;
}

static void copy_nd(struct list *l, const struct step *step, enum role role, const struct window *w,
                    const struct image *image, enum copy_form form)
{
    const struct operand *o = operand_of(l->s, role);
    const bool whole = form != COPY_ND2NZ_ROW;
    /* b4 copies count packed bytes (kernel_rules 5). */
    const int64_t per = dtype_info(o->dtype)->bits == 4 ? 2 : 1;
    for (int64_t r = 0; r < (whole ? 1 : w->rows); r++) {
        struct insn *i =
            push_copy(l, OP_ND2NZ, step, role, nd_byte(o, step->tile.batch, w->row0 + r, w->col0), image, r);
        i->p.nd2nz = (struct nd2nz_params){.ndNum = 1,
                                           .nValue = (uint32_t)(whole ? w->rows : 1),
                                           .dValue = (uint32_t)(w->cols / per),
                                           .srcDValue = whole && w->rows > 1 ? o->ld / per : 1,
                                           .dstNzC0Stride = (uint32_t)(form == COPY_VECTOR ? 1 : image->rows),
                                           .dstNzNStride = 1};
    }
}

/* Row r of the window goes to row r of every C0 column of the image. */
static void copy_rows(struct list *l, const struct step *step, enum role role, const struct window *w,
                      const struct image *image)
{
    const struct operand *o = operand_of(l->s, role);
    for (int64_t r = 0; r < w->rows; r++) {
        struct insn *i =
            push_copy(l, OP_DATA_COPY, step, role, nd_byte(o, step->tile.batch, w->row0 + r, w->col0), image, r);
        i->p.copy = (struct data_copy_params){.blockCount = (uint32_t)(w->cols / dtype_c0(o->dtype)),
                                              .blockLen = 1,
                                              .dstGap = (uint32_t)(image->rows - 1)};
    }
}

/* Nz in GM is already cut into C0 columns: one block of rows a column. Only real
 * rows are moved, so a tile may start and end at any row. */
static void copy_nz(struct list *l, const struct step *step, enum role role, const struct window *w,
                    const struct image *image, enum copy_form form)
{
    const struct operand *o = operand_of(l->s, role);
    const int64_t c0 = dtype_c0(o->dtype), gm_rows = align_up(o->rows, 16), rows = w->rows;
    const int64_t columns = ceil_div(w->cols, c0), batch = step->tile.batch * ceil_div(o->cols, c0);
    const bool whole = form == COPY_NZ;
    for (int64_t c = 0; c < (whole ? 1 : columns); c++) {
        struct insn *i = push_copy(l, OP_DATA_COPY, step, role,
                                   ((batch + w->col0 / c0 + c) * gm_rows + w->row0) * 32, image, c * image->rows);
        i->p.copy = (struct data_copy_params){.blockCount = (uint32_t)(whole ? columns : 1),
                                              .blockLen = (uint32_t)rows,
                                              .srcGap = (uint32_t)(whole ? gm_rows - rows : 0),
                                              .dstGap = (uint32_t)(image->rows - rows)};
    }
}

static void copy_insns(struct list *l, const struct step *step, enum role role, const struct region *dst)
{
    const struct window w = copy_window(l->s, step, role);
    const struct image image = {dst, l->s->image_rows[role]};
    const enum copy_form form = copy_form(l->s, step, role, &w);
    const int first = l->n;
    switch (form) {
    case COPY_ND2NZ:
    case COPY_ND2NZ_ROW:
    case COPY_VECTOR:
        copy_nd(l, step, role, &w, &image, form);
        break;
    case COPY_ROW:
        copy_rows(l, step, role, &w, &image);
        break;
    case COPY_NZ:
    case COPY_NZ_COLUMN:
        copy_nz(l, step, role, &w, &image, form);
        break;
    }
    l->out[first].flags |= INSN_FIRST;
    l->out[l->n - 1].flags |= INSN_LAST;
}

static void copy_chunk(struct list *l, const struct step *step, enum role role)
{
    const bool is_a = role == ROLE_A;
    const int half = is_a ? step->ph.a : step->ph.b, id = (is_a ? 0 : ID_B) + half;
    wait_flag(l, EVENT_MTE1_MTE2, id, 0);
    if (!(step->due & (is_a ? DUE_KEEP_A : DUE_KEEP_B))) {
        copy_insns(l, step, role, plan_region(&l->s->plan, BUF_L1, role, half));
    }
    set_flag(l, EVENT_MTE2_MTE1, id, 0);
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
}

/* --- L1 -> L0 ------------------------------------------------------------ */

/* M (N) extent a load writes to L0A (L0B), padded to the load's unit. */
static int32_t lower_load_extent(const struct schedule *s, const struct step *step, enum role role)
{
    return (int32_t)align_up(role == ROLE_A ? step->tile.m : step->tile.n, load_unit(s->problem, role, AXIS_MN));
}

bool lower_gemv(const struct schedule *s, const struct tile *tile)
{
    return s->t.gemv && tile->m == 1 && s->problem->a.format == LAYOUT_ND && load_k_contiguous(s->problem, ROLE_A) &&
           s->hold[ROLE_A] == HOLD_CHUNKS;
}

/* Position of the step's block inside its L1 image, elements along K. */
static int64_t k_in_image(const struct schedule *s, const struct step *step, enum role role)
{
    const int64_t step_k = role == ROLE_A ? s->t.stepKa : s->t.stepKb;
    return s->hold[role] == HOLD_CHUNKS ? (step->k0 / s->t.baseK) % step_k * s->t.baseK : step->k0;
}

static void load_shape(const struct schedule *s, const struct step *step, enum role role, struct load_shape *out)
{
    const struct operand *o = operand_of(s, role);
    const bool is_a = role == ROLE_A;
    out->dtype = o->dtype;
    out->role = role;
    out->transposing = !load_k_contiguous(s->problem, role);
    out->c0 = dtype_c0(o->dtype);
    out->mn = lower_load_extent(s, step, role);
    out->k = align_up(step->k, load_unit(s->problem, role, AXIS_K));
    out->k_in_image = k_in_image(s, step, role);
    out->mn_in_image = (is_a ? step->tile.m0 : step->tile.n0) - step->tile.hold[role].from;
    out->arch3510 = s->target->arch == 3510;
    out->vector = is_a && lower_gemv(s, &step->tile);
    out->image_rows = s->image_rows[role];
    out->image_cols = s->image_cols[role];
    out->src = plan_region(&s->plan, BUF_L1, role, is_a ? step->ph.a : step->ph.b);
    out->dst = plan_region(&s->plan, is_a ? BUF_L0A : BUF_L0B, role, is_a ? step->ph.l0a : step->ph.l0b);
}

void lower_load_sums(const struct schedule *s, const struct step *step, enum role role, int32_t *calls,
                     int64_t *bytes)
{
    struct load_shape shape;
    load_shape(s, step, role, &shape);
    *calls = load_calls((enum tiling_load)(role == ROLE_A ? s->t.loadA : s->t.loadB), &shape);
    *bytes = load_bytes(&shape);
}

static void load_operand(struct list *l, const struct step *step, enum role role)
{
    const struct schedule *s = l->s;
    const bool is_a = role == ROLE_A;
    /* With two L1 halves, MTE2 fills the other one by ND2NZ while this load reads. */
    const bool filling = (is_a ? s->t.dbA1 : s->t.dbB1) > 1 && operand_of(s, role)->format == LAYOUT_ND;
    struct load_shape shape;
    load_shape(s, step, role, &shape);
    const int first = l->n;
    l->n += load_emit((enum tiling_load)(is_a ? s->t.loadA : s->t.loadB), &shape, l->out + l->n);
    for (int i = first; i < l->n; i++) {
        l->out[i].step = l->step;
        l->out[i].flags |= filling ? INSN_L1_FILLING : 0;
    }
    l->out[first].flags |= INSN_FIRST;
    l->out[l->n - 1].flags |= INSN_LAST;
}

/* --- Mmad, Fixpipe ------------------------------------------------------- */

int32_t lower_mmad_m(const struct schedule *s, const struct step *step)
{
    /* m = 1 reads L0A as a vector; 3510 has disableGemv, the others issue 16
     * rows, of which Fixpipe stores one. */
    return step->tile.m == 1 && s->target->arch != 3510 && !lower_gemv(s, &step->tile) ? 16 : step->tile.m;
}

int32_t lower_mmad_n(const struct schedule *s, const struct step *step)
{
    (void)s;
    return step->tile.n;
}

uint8_t lower_mmad_barrier(int32_t m, int32_t n)
{
    return (m / 16) * (n / 16) < 10;
}

static void mmad(struct list *l, const struct step *step)
{
    const struct schedule *s = l->s;
    const struct region *a = plan_region(&s->plan, BUF_L0A, ROLE_A, step->ph.l0a);
    const struct region *b = plan_region(&s->plan, BUF_L0B, ROLE_B, step->ph.l0b);
    const struct region *c = plan_region(&s->plan, BUF_L0C, ROLE_C, step->ph.l0c);
    struct insn *i = push(l, OP_MMAD, PIPE_M, ROLE_C);
    const int32_t m = lower_mmad_m(s, step), n = lower_mmad_n(s, step);
    i->dtype = (uint8_t)s->problem->a.dtype;
    i->dst = (struct addr){.buf = BUF_L0C, .half = c->half, .byte = c->off};
    i->src = (struct addr){.buf = BUF_L0A, .half = a->half, .byte = a->off};
    i->src2 = (struct addr){.buf = BUF_L0B, .half = b->half, .byte = b->off};
    i->p.mmad = (struct mmad_params){.m = (uint16_t)m,
                                     .n = (uint16_t)n,
                                     .k = (uint16_t)step->k,
                                     .unitFlag = s->t.unitflag == 0 ? 0 : (step->due & DUE_STORE) != 0 ? 3 : 2,
                                     .cmatrixInitVal = (step->due & DUE_INIT) != 0,
                                     .disableGemv = s->target->arch == 3510 && !lower_gemv(s, &step->tile),
                                     .btype = (uint8_t)s->problem->b.dtype};
    if (lower_mmad_barrier(m, n)) {
        push(l, OP_PIPE_BARRIER, PIPE_M, ROLE_C)->p.barrier.pipe = PIPE_M;
    }
}

/* Conversion on the way out; what the accumulator is follows from the operands. */
static enum dtype accumulator(const struct problem *p)
{
    return dtype_info(p->a.dtype)->is_float ? DTYPE_FLOAT : DTYPE_INT32;
}

static enum quant_mode quant_of(enum dtype acc, enum dtype out)
{
    if (acc == DTYPE_FLOAT && out == DTYPE_HALF) {
        return QUANT_F322F16;
    }
    return acc == DTYPE_FLOAT && out == DTYPE_BF16 ? QUANT_F322BF16 : QUANT_NONE;
}

enum dtype lower_store_dtype(const struct schedule *s)
{
    return s->t.splitKReduce == REDUCE_WORKSPACE ? accumulator(s->problem) : s->problem->c.dtype;
}

/* Where a tile's result goes: C, or its K slice's own plane of the workspace,
 * M x N accumulators without gaps. */
static int64_t store_byte(const struct schedule *s, const struct step *step)
{
    const struct problem *p = s->problem;
    const struct tile *tile = &step->tile;
    if (s->t.splitKReduce == REDUCE_WORKSPACE) {
        const int64_t plane = tile->kslice * p->M + tile->m0;
        return dtype_bytes(accumulator(p), plane * p->N + tile->n0);
    }
    return nd_byte(&p->c, tile->batch, tile->m0, tile->n0);
}

static void fixpipe(struct list *l, const struct step *step)
{
    const struct schedule *s = l->s;
    const struct operand *o = &s->problem->c;
    const bool workspace = s->t.splitKReduce == REDUCE_WORKSPACE;
    const enum dtype acc = accumulator(s->problem), out = lower_store_dtype(s);
    const struct region *c = plan_region(&s->plan, BUF_L0C, ROLE_C, step->ph.l0c);
    struct insn *i = push(l, OP_FIXPIPE, PIPE_FIX, ROLE_C);
    i->dtype = (uint8_t)acc;
    i->src = (struct addr){.buf = BUF_L0C, .half = c->half, .byte = c->off};
    i->dst = (struct addr){.buf = BUF_GM, .tensor = workspace ? TENSOR_WORKSPACE : TENSOR_C, .byte = store_byte(s, step)};
    i->p.fixpipe = (struct fixpipe_params){.mSize = (uint16_t)step->tile.m,
                                           .nSize = (uint16_t)step->tile.n,
                                           .srcStride = (uint16_t)align_up(lower_mmad_m(s, step), 16),
                                           .format = FIXPIPE_ND,
                                           .arch3510 = s->target->arch == 3510,
                                           .dstStride = (uint32_t)(workspace ? s->problem->N : o->ld),
                                           .quantPre = (uint8_t)quant_of(acc, out),
                                           .dstType = (uint8_t)out,
                                           .unitFlag = s->t.unitflag ? 3 : 0,
                                           .ndNum = 1,
                                           .dnNum = 1,
                                           .srcNzC0Stride = 1};
}

/* --- a step -------------------------------------------------------------- */

static bool one_l0_event(const struct schedule *s)
{
    return s->t.dbL0A == s->t.dbL0B;
}

static void loads(struct list *l, const struct step *step)
{
    const struct schedule *s = l->s;
    const bool first_a = (step->due & DUE_FIRST_A) != 0, first_b = (step->due & DUE_FIRST_B) != 0;
    wait_flag(l, EVENT_M_MTE1, step->ph.l0a, 0);
    if (first_a) {
        wait_flag(l, EVENT_MTE2_MTE1, step->ph.a, 0);
    }
    if (first_b && s->t.waitBoth) {
        wait_flag(l, EVENT_MTE2_MTE1, ID_B + step->ph.b, 0);
    }
    load_operand(l, step, ROLE_A);
    if (!one_l0_event(s)) {
        wait_flag(l, EVENT_M_MTE1, ID_B + step->ph.l0b, 0);
    }
    if (first_b && !s->t.waitBoth) {
        wait_flag(l, EVENT_MTE2_MTE1, ID_B + step->ph.b, 0);
    }
    load_operand(l, step, ROLE_B);
    if (step->due & DUE_LAST_A) {
        set_flag(l, EVENT_MTE1_MTE2, step->ph.a, 0);
    }
    if (step->due & DUE_LAST_B) {
        set_flag(l, EVENT_MTE1_MTE2, ID_B + step->ph.b, 0);
    }
    set_flag(l, EVENT_MTE1_M, step->ph.l0a, 0);
}

int schedule_expand(const struct schedule *s, const struct step *step, struct insn *out)
{
    struct list l = {s, step->index, out, 0};
    copies(&l, step);
    loads(&l, step);
    wait_flag(&l, EVENT_MTE1_M, step->ph.l0a, 0);
    if ((step->due & DUE_INIT) && !s->t.unitflag) {
        wait_flag(&l, EVENT_FIX_M, step->ph.l0c, 0);
    }
    mmad(&l, step);
    set_flag(&l, EVENT_M_MTE1, step->ph.l0a, 0);
    if (!one_l0_event(s)) {
        set_flag(&l, EVENT_M_MTE1, ID_B + step->ph.l0b, 0);
    }
    if (step->due & DUE_STORE) {
        if (!s->t.unitflag) {
            set_flag(&l, EVENT_M_FIX, step->ph.l0c, 0);
            wait_flag(&l, EVENT_M_FIX, step->ph.l0c, 0);
        }
        fixpipe(&l, step);
        if (!s->t.unitflag) {
            set_flag(&l, EVENT_FIX_M, step->ph.l0c, 0);
        }
    }
    return l.n;
}

int schedule_expand_max(const struct schedule *s)
{
    /* Copies: one a row at worst; loads: one a fractal row or column; the rest is fixed. */
    int64_t copies = 0;
    for (int i = 0; i < 2; i++) {
        copies += max_i64(s->image_rows[i], s->image_cols[i] / 8);
    }
    return (int)(copies + (s->t.baseM + s->t.baseN + 2 * s->t.baseK) / 8 + 48);
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
    for (int i = 0; i < t->dbL0A; i++) {
        flag(l, EVENT_M_MTE1, i, flags);
    }
    for (int i = 0; i < t->dbL0B && !one_l0_event(l->s); i++) {
        flag(l, EVENT_M_MTE1, ID_B + i, flags);
    }
    for (int i = 0; i < t->dbL0C && !t->unitflag; i++) {
        flag(l, EVENT_FIX_M, i, flags);
    }
}

/* Mode registers: their order of rows and columns for the unit flag (UnitFlag
 * page: rows first for ND), atomic addition. `on` false: back to the default. */
static void mode_registers(struct list *l, bool on)
{
    if (l->s->t.unitflag) {
        struct insn *i = push(l, OP_SET_MM_ORDER, PIPE_S, ROLE_C);
        i->p.reg.value = on ? 1 : 0;
    }
    if (l->s->t.splitKReduce == REDUCE_ATOMIC) {
        struct insn *i = push(l, OP_SET_ATOMIC, PIPE_S, ROLE_C);
        i->dtype = (uint8_t)l->s->problem->c.dtype;
        i->p.reg.value = on ? 1 : 0;
    }
}

int schedule_prologue(const struct schedule *s, int32_t core, struct insn *out)
{
    struct list l = {s, 0, out, 0};
    if (schedule_tiles(s, core) > 0) {
        mode_registers(&l, true);
        edge(&l, set_flag, INSN_PRESET);
    }
    return l.n;
}

int schedule_epilogue(const struct schedule *s, int32_t core, struct insn *out)
{
    struct list l = {s, 0, out, 0};
    const int64_t steps = schedule_steps(s, core);
    if (steps > 0) {
        l.step = (uint32_t)(steps - 1);
        edge(&l, wait_flag, INSN_DRAIN);
        mode_registers(&l, false);
    }
    return l.n;
}
