/* ref.c - timing_ref, the definition of time.
 *
 * It reads a core's instructions in program order and knows pipes, durations,
 * flags, barriers and unit flags, but no tiling field:
 *
 * - Each pipe runs its instructions in order; one starts when the pipe is free
 *   (the occupancy of the one before is over) and ends at its completion.
 * - SetFlag fires when all earlier instructions of its pipe are complete.
 *   WaitFlag holds its pipe until the set fired, plus `sync`. A preset flag
 *   fired before everything.
 * - PIPE_M barrier: the next M instruction starts when the earlier ones are
 *   complete (free of charge on targets with mmad_barrier 0). PIPE_ALL: all
 *   pipes go on together, tile_barrier after everything before is complete.
 * - unitFlag on an L0C block: a Mmad may run into the Fixpipe that still
 *   drains the block: it starts no earlier than that Fixpipe's start +
 *   fixpipe_issue, nor so early that it would end its work before it. The
 *   Fixpipe starts when the last Mmad of the block begins to deliver
 *   (mmad_latency), and ends fixpipe_issue after that Mmad's end at the earliest.
 * - Conv: instructions that feed L0 are many, so the queue of MTE1 holds few steps
 *   and a move GM->L1 cannot be issued far ahead: one of step k starts no earlier
 *   than the end of the load of B of step k - conv_look_ahead, counted over all
 *   tiles of the core.
 * - The scalar unit issues in program order and without delay as long as the
 *   queues have room. With queue_depth d > 0 an instruction issues no earlier
 *   than the start of the d-th before it in its pipe, and everything after it
 *   in the program, sets included, issues no earlier either. Flags and barriers
 *   take no room. 0: queues without limit. */
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "timing/context.h"

#define FLAG_IDS   8
#define QUEUE_MAX  64
#define L0C_BLOCKS 16

struct ref_pipe {
    int64_t free; /* the next instruction may start */
    int64_t done; /* all earlier ones complete */
    int64_t end;  /* of the union of busy intervals */
    int64_t busy;
    uint64_t issued;           /* instructions so far */
    int64_t starts[QUEUE_MAX]; /* of the last queue_depth of them, a ring */
};

/* Unit flag state of one L0C block, known by its address. */
struct l0c_block {
    int64_t byte;
    int64_t mmad_start, mmad_end;
    int64_t fix_start, fix_end;
};

/* Progress inside the instructions of one operand's copy or load. */
struct group {
    int32_t calls;
    int64_t spent;    /* mcyc of the calls so far */
    struct move move; /* of a copy: all its instructions */
    int64_t scale_bytes;
};

struct core {
    const struct schedule *s;
    const struct cost *c;
    const struct mem_geometry *g;
    const uint32_t *contexts; /* of this core's tiles */
    struct ref_pipe pipe[PIPE_N];
    uint64_t queue_depth;                 /* 0: no limit */
    int64_t issue;                        /* the scalar unit is here; only with a limit */
    int64_t flag[HARD_EVENT_N][FLAG_IDS]; /* when the set fired */
    struct l0c_block l0c[L0C_BLOCKS];
    int l0c_count;
    struct group load[ROLE_N], copy[COST_MOVED];
    int32_t step_k0;                /* K origin of the step */
    int64_t loaded[COST_AHEAD_MAX]; /* end of B's load in the last steps, a ring */
    int64_t tile;                   /* whose `extra` this is; -1: none */
    const struct mem_context *context;
    struct shape_work work;
    struct tile_extra extra;
    timing_sink *sink;
    void *sink_ctx;
    bool stopped;
    int64_t steps;
};

/* Occupancy and completion after the start. */
struct duration {
    int64_t occupied, complete;
};

/* --- memory context of the current tile ----------------------------------- */

static void enter_tile(struct core *r, int64_t tile)
{
    if (r->tile == tile) {
        return;
    }
    r->tile = tile;
    r->context = &r->g->contexts[r->contexts[tile]];
    shape_work_init(&r->work, r->c, r->s, &r->g->shapes[r->context->shape]);
    struct tile_hits hits;
    tile_hits_init(&hits, r->c, &r->work, r->context);
    tile_extra_init(&r->extra, r->c, &r->work, &hits, r->g, r->context);
}

/* --- durations ------------------------------------------------------------ */

/* Adds a GM->L1 copy instruction to the move of its group. */
static void add_to_move(const struct core *r, const struct insn *insn, struct move *move)
{
    const bool k_contiguous = r->c->copy[insn->role].k_contiguous;
    const enum dtype dtype = (enum dtype)insn->dtype;
    int64_t rows, cols;         /* elements as they lie in memory */
    if (insn->op == OP_DN2NZ) { /* scales, two codes at a time */
        move->rows = (int32_t)insn->p.dn2nz.dValue;
        move->row_bytes = (int32_t)insn->p.dn2nz.nValue * 2;
    } else if (insn->op == OP_ND2NZ) {
        rows = (int64_t)insn->p.nd2nz.ndNum * insn->p.nd2nz.nValue;
        /* b4 copies count packed bytes. */
        cols = (int64_t)insn->p.nd2nz.dValue * (dtype_info(dtype)->bits == 4 ? 2 : 1);
        move->rows += (int32_t)rows;
        move->row_bytes = (int32_t)dtype_bytes(dtype, cols);
        move->chunk_k = k_contiguous ? (int32_t)cols : move->rows;
    } else if (r->c->copy[insn->role].nd) {
        /* Row copies: one row of C0 blocks each, along K. */
        cols = (int64_t)insn->p.copy.blockCount * dtype_c0(dtype);
        move->rows++;
        move->row_bytes = (int32_t)insn->p.copy.blockCount * 32;
        move->chunk_k = (int32_t)cols;
    } else {
        /* Nz: a block is one C0 column of the chunk, as long as the chunk has rows. */
        rows = insn->p.copy.blockLen;
        move->rows = (int32_t)rows;
        move->row_bytes += (int32_t)insn->p.copy.blockCount * 32;
        cols = move->row_bytes / 32 * dtype_c0(dtype);
        move->chunk_k = (int32_t)(k_contiguous ? cols * r->c->copy[insn->role].k_points : rows);
    }
    move->insns++;
}

/* The move of the group that starts at `insn`; padding of Nz blocks along K is not K. */
static struct move group_move(const struct core *r, const struct insn *insn)
{
    struct move move = {0};
    const struct insn *at = insn;
    add_to_move(r, at, &move);
    while (!(at->flags & INSN_LAST)) {
        add_to_move(r, ++at, &move);
    }
    move.chunk_k = (int32_t)min_i64(move.chunk_k, r->work.k - r->step_k0);
    move.bytes = (double)move.rows * move.row_bytes;
    move.alone = cost_rows(r->c, (enum role)insn->role, move.rows, move.row_bytes);
    return move;
}

/* The instructions of one copy are priced together: each takes what it adds. */
static struct duration copy_duration(struct core *r, const struct insn *insn)
{
    struct group *group = &r->copy[insn->role];
    if (insn->flags & INSN_FIRST) {
        *group = (struct group){.move = group_move(r, insn)};
    }
    const int64_t total = tile_move_cost(r->c, &r->extra, (enum role)insn->role, &group->move, r->context, r->work.k,
                                         ++group->calls);
    const int64_t t = total - group->spent;
    group->spent = total;
    return (struct duration){t, t + r->c->copy_latency};
}

/* The calls of one load are priced together: each takes what it adds. */
static struct duration load_duration(struct core *r, const struct insn *insn)
{
    struct group *group = &r->load[insn->role];
    if (insn->flags & INSN_FIRST) {
        *group = (struct group){0};
    }
    const bool filling = (insn->flags & INSN_L1_FILLING) != 0;
    if (insn->flags & INSN_FIRST) {
        group->scale_bytes = cost_scale_bytes(insn);
    }
    const int64_t total = cost_load(r->c, (enum role)insn->role, ++group->calls, (double)cost_load_bytes(insn),
                                    (double)group->scale_bytes, filling);
    const int64_t t = total - group->spent;
    group->spent = total;
    return (struct duration){t, t};
}

/* A bias row to BT, a quant row to FB. */
static struct duration row_duration(const struct core *r, const struct insn *insn)
{
    struct duration d;
    cost_row(r->c, insn->op == OP_L1_TO_BT, cost_row_bytes(r->s->target, insn), &d.occupied, &d.complete);
    return d;
}

static int64_t mmad_work(const struct core *r, const struct insn *insn)
{
    const struct mmad_params *p = &insn->p.mmad;
    return cost_mmad(r->c, ceil_div(p->m, 16) * ceil_div(p->n, 16) * ceil_div(p->k, dtype_c0((enum dtype)insn->dtype)));
}

static struct duration insn_duration(struct core *r, const struct insn *insn)
{
    switch ((enum op)insn->op) {
    case OP_ND2NZ:
    case OP_DN2NZ:
    case OP_DATA_COPY:
    case OP_DATA_COPY_PAD:
        return copy_duration(r, insn);
    case OP_FILL: {
        const int64_t t = cost_fill(r->c);
        return (struct duration){t, t};
    }
    case OP_LOAD_2D:
    case OP_LOAD_2D_V2:
    case OP_LOAD_TRANSPOSE:
    case OP_LOAD_TRANSPOSE_V2:
    case OP_LOAD_MX:
    case OP_LOAD_3D:
    case OP_LOAD_3D_STRIDE:
        return load_duration(r, insn);
    case OP_MMAD:
    case OP_MMAD_MX: {
        const int64_t work = mmad_work(r, insn);
        return (struct duration){work + r->c->mmad_issue, work + r->c->mmad_latency};
    }
    case OP_L1_TO_BT:
    case OP_L1_TO_FB:
        return row_duration(r, insn);
    case OP_FIXPIPE: {
        const int64_t t = cost_fixpipe(r->c, insn->p.fixpipe.mSize, insn->p.fixpipe.nSize);
        return (struct duration){t, t};
    }
    default: /* registers: set by the scalar unit at no charge */
        return (struct duration){0, 0};
    }
}

/* --- unit flags ----------------------------------------------------------- */

static struct l0c_block *l0c_block(struct core *r, int64_t byte)
{
    for (int i = 0; i < r->l0c_count; i++) {
        if (r->l0c[i].byte == byte) {
            return &r->l0c[i];
        }
    }
    struct l0c_block *block = &r->l0c[r->l0c_count < L0C_BLOCKS ? r->l0c_count++ : 0];
    *block = (struct l0c_block){.byte = byte,
                                .mmad_start = TIMING_NEVER,
                                .mmad_end = TIMING_NEVER,
                                .fix_start = TIMING_NEVER,
                                .fix_end = TIMING_NEVER};
    return block;
}

/* Earliest start the unit flag of `insn` allows. */
static int64_t unit_flag_start(struct core *r, const struct insn *insn)
{
    if (insn->op == OP_FIXPIPE && insn->p.fixpipe.unitFlag != 0) {
        return l0c_block(r, insn->src.byte)->mmad_start + r->c->mmad_latency;
    }
    if ((insn->op == OP_MMAD || insn->op == OP_MMAD_MX) && insn->p.mmad.unitFlag != 0) {
        const struct l0c_block *block = l0c_block(r, insn->dst.byte);
        return max_i64(block->fix_end - mmad_work(r, insn), block->fix_start + r->c->fixpipe_issue);
    }
    return TIMING_NEVER;
}

/* Notes an instruction on its L0C block; a Fixpipe may last longer than its bytes. */
static void unit_flag_note(struct core *r, const struct insn *insn, int64_t start, struct duration *d)
{
    if (insn->op == OP_MMAD || insn->op == OP_MMAD_MX) {
        struct l0c_block *block = l0c_block(r, insn->dst.byte);
        block->mmad_start = start;
        block->mmad_end = start + d->complete;
    } else if (insn->op == OP_FIXPIPE) {
        struct l0c_block *block = l0c_block(r, insn->src.byte);
        if (insn->p.fixpipe.unitFlag != 0) {
            d->occupied = d->complete = max_i64(d->complete, block->mmad_end + r->c->fixpipe_issue - start);
        }
        block->fix_start = start;
        block->fix_end = start + d->complete;
    }
}

/* --- order ---------------------------------------------------------------- */

static void wait_flag(struct core *r, const struct insn *insn)
{
    const enum hard_event hard = INSN_EVENT_HARD(insn->event);
    const unsigned id = INSN_EVENT_ID(insn->event) % FLAG_IDS;
    struct ref_pipe *pipe = &r->pipe[insn->pipe];
    pipe->free = max_i64(pipe->free, r->flag[hard][id] + r->c->sync);
}

static void set_flag(struct core *r, const struct insn *insn)
{
    const enum hard_event hard = INSN_EVENT_HARD(insn->event);
    const unsigned id = INSN_EVENT_ID(insn->event) % FLAG_IDS;
    const struct ref_pipe *pipe = &r->pipe[insn->pipe];
    r->flag[hard][id] = insn->flags & INSN_PRESET ? TIMING_NEVER : max_i64(max_i64(pipe->done, pipe->free), r->issue);
}

static void barrier(struct core *r, enum pipe which)
{
    if (which == PIPE_ALL) {
        int64_t all = 0;
        for (int i = 0; i < PIPE_N; i++) {
            all = max_i64(all, max_i64(r->pipe[i].free, r->pipe[i].done));
        }
        for (int i = 0; i < PIPE_N; i++) {
            r->pipe[i].free = all + r->c->tile_barrier;
        }
    } else if (which != PIPE_M || r->c->mmad_barrier) {
        r->pipe[which].free = max_i64(r->pipe[which].free, r->pipe[which].done);
    }
}

/* Moves that only order others; true if `insn` is one. */
static bool run_order(struct core *r, const struct insn *insn)
{
    switch ((enum op)insn->op) {
    case OP_WAIT_FLAG:
        wait_flag(r, insn);
        return true;
    case OP_SET_FLAG:
        set_flag(r, insn);
        return true;
    case OP_PIPE_BARRIER:
        barrier(r, (enum pipe)insn->p.barrier.pipe);
        return true;
    default:
        return false;
    }
}

/* Conv: a move of A or B waits until the loads have come close. */
static int64_t look_ahead_start(const struct core *r, const struct insn *insn)
{
    const uint32_t ahead = (uint32_t)r->c->look_ahead;
    const bool move = insn->pipe == PIPE_MTE2 && insn->role <= ROLE_B;
    return ahead > 0 && move && insn->step >= ahead ? r->loaded[(insn->step - ahead) % COST_AHEAD_MAX] : TIMING_NEVER;
}

static void look_ahead_note(struct core *r, const struct insn *insn, int64_t end)
{
    if (insn->pipe == PIPE_MTE1 && insn->role == ROLE_B && (insn->flags & INSN_LAST) != 0) {
        r->loaded[insn->step % COST_AHEAD_MAX] = end;
    }
}

static int64_t start_of(struct core *r, const struct insn *insn)
{
    const int64_t free = max_i64(r->pipe[insn->pipe].free, r->issue);
    return max_i64(free, max_i64(unit_flag_start(r, insn), look_ahead_start(r, insn)));
}

/* Issues the next instruction of a pipe; the scalar unit waits for room in its queue. */
static int64_t *issue_slot(struct core *r, struct ref_pipe *pipe)
{
    if (r->queue_depth == 0) {
        return NULL;
    }
    int64_t *slot = &pipe->starts[pipe->issued % r->queue_depth];
    if (pipe->issued++ >= r->queue_depth) {
        r->issue = max_i64(r->issue, *slot);
    }
    return slot;
}

/* Length of the union of [start, completion]; intervals come in order of start. */
static void note_busy(struct ref_pipe *pipe, int64_t start, int64_t end)
{
    if (start > pipe->end) {
        pipe->busy += end - start;
    } else if (end > pipe->end) {
        pipe->busy += end - pipe->end;
    }
    pipe->end = max_i64(pipe->end, end);
}

static void run_insn(struct core *r, const struct insn *insn)
{
    struct timing_event event = {.insn = *insn};
    if (run_order(r, insn)) {
        event.start = event.occupied = event.end = r->pipe[insn->pipe % PIPE_N].free;
    } else {
        struct ref_pipe *pipe = &r->pipe[insn->pipe];
        int64_t *slot = issue_slot(r, pipe);
        const int64_t start = start_of(r, insn);
        if (slot != NULL) {
            *slot = start;
        }
        struct duration d = insn_duration(r, insn);
        unit_flag_note(r, insn, start, &d);
        look_ahead_note(r, insn, start + d.complete);
        pipe->free = start + d.occupied;
        pipe->done = max_i64(pipe->done, start + d.complete);
        if (d.complete > 0) {
            note_busy(pipe, start, start + d.complete);
        }
        event.start = start;
        event.occupied = start + d.occupied;
        event.end = start + d.complete;
    }
    if (r->sink != NULL && !r->sink(r->sink_ctx, &event)) {
        r->stopped = true;
    }
}

static void run_insns(struct core *r, const struct insn *insns, int count)
{
    for (int i = 0; i < count && !r->stopped; i++) {
        run_insn(r, &insns[i]);
    }
}

/* --- a core, all cores ---------------------------------------------------- */

static void core_init(struct core *r, const struct schedule *s, const struct cost *c, const struct mem_geometry *g)
{
    *r = (struct core){.s = s, .c = c, .g = g, .tile = -1, .queue_depth = (uint64_t)c->p->queue_depth};
    for (int hard = 0; hard < HARD_EVENT_N; hard++) {
        for (int id = 0; id < FLAG_IDS; id++) {
            r->flag[hard][id] = TIMING_NEVER;
        }
    }
}

/* Runs the whole program of one core. `insns` holds schedule_expand_max() or
 * SCHEDULE_EDGE_MAX, whichever is more. */
static void run_core(struct core *r, int32_t core, struct insn *insns)
{
    const int64_t steps = schedule_steps(r->s, core);
    run_insns(r, insns, schedule_prologue(r->s, core, insns));
    for (int64_t i = 0; i < steps && !r->stopped; i++) {
        struct step step;
        schedule_step_at(r->s, core, i, &step);
        enter_tile(r, step.tile.t);
        r->step_k0 = step.k0;
        run_insns(r, insns, schedule_expand(r->s, &step, insns));
        r->steps++;
    }
    run_insns(r, insns, schedule_epilogue(r->s, core, insns));
}

static struct insn *insn_buffer(const struct schedule *s)
{
    const int most = schedule_expand_max(s);
    return malloc((size_t)(most > SCHEDULE_EDGE_MAX ? most : SCHEDULE_EDGE_MAX) * sizeof(struct insn));
}

static void core_result(const struct core *r, struct core_time *out)
{
    out->end = 0;
    out->steps = r->steps;
    for (int pipe = 0; pipe < PIPE_N; pipe++) {
        out->busy[pipe] = r->pipe[pipe].busy;
        out->end = max_i64(out->end, r->pipe[pipe].end);
    }
}

enum status timing_ref_core(struct timing *t, const struct schedule *s, const struct timing_start *start, int32_t core,
                            timing_sink *sink, void *ctx)
{
    struct cost cost;
    const struct mem_geometry *g;
    if (s->target->timing.queue_depth > QUEUE_MAX) {
        return STATUS_LIMIT;
    }
    cost_init(&cost, s);
    TRY(memctx_get(t->memory, s, start->l2_warm, &g));
    if (core >= s->cores || g->core_sequence[core] == UINT32_MAX) { /* runs nothing */
        return STATUS_OK;
    }
    struct insn *insns = insn_buffer(s);
    struct core *r = calloc(1, sizeof *r);
    if (insns != NULL && r != NULL) {
        core_init(r, s, &cost, g);
        r->sink = sink;
        r->sink_ctx = ctx;
        r->contexts = g->sequences[g->core_sequence[core]].contexts;
        run_core(r, core, insns);
    }
    const enum status st = insns == NULL || r == NULL ? STATUS_NO_MEMORY : STATUS_OK;
    free(insns);
    free(r);
    return st;
}

enum status timing_ref(struct timing *t, const struct schedule *s, const struct timing_start *start,
                       struct timing_result *out)
{
    struct cost cost;
    const struct mem_geometry *g;
    struct run_time run = {0};
    if (s->target->timing.queue_depth > QUEUE_MAX) {
        return STATUS_LIMIT;
    }
    cost_init(&cost, s);
    TRY(memctx_get(t->memory, s, start->l2_warm, &g));
    struct insn *insns = insn_buffer(s);
    struct core *r = calloc(1, sizeof *r);
    if (insns == NULL || r == NULL) {
        free(insns);
        free(r);
        return STATUS_NO_MEMORY;
    }
    for (int32_t core = 0; core < s->cores; core++) {
        struct core_time time;
        if (g->core_sequence[core] == UINT32_MAX) {
            continue;
        }
        core_init(r, s, &cost, g);
        r->contexts = g->sequences[g->core_sequence[core]].contexts;
        run_core(r, core, insns);
        core_result(r, &time);
        run_time_add(&run, &cost, &time, 1);
    }
    free(insns);
    free(r);
    result_fill(out, s, &cost, g, &run);
    out->steps_simulated = out->steps;
    return STATUS_OK;
}
