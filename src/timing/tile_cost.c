/* tile_cost.c - from step_work and a memory context to the integers of a tile. */
#include "timing/tile_cost.h"

#include <string.h>

#include "base/intmath.h"

bool load_fills(const struct schedule *s, enum role role)
{
    const struct operand *o = role == ROLE_A ? &s->problem->a : &s->problem->b;
    return (role == ROLE_A ? s->t.dbA1 : s->t.dbB1) > 1 && o->format == LAYOUT_ND;
}

static int64_t load_cost(const struct cost *c, const struct schedule *s, const struct step_work *work, enum role role)
{
    const int32_t calls = work->calls[role];
    const int64_t bytes = work->bytes[role == ROLE_A ? PATH_L1_L0A : PATH_L1_L0B];
    const int64_t scale_bytes = work->bytes[role == ROLE_A ? PATH_L1_L0A_MX : PATH_L1_L0B_MX];
    return calls == 0 ? 0 : cost_load(c, role, calls, (double)bytes / calls, (double)scale_bytes, load_fills(s, role));
}

static struct move work_move(const struct cost *c, const struct step_work *work, enum role role)
{
    return (struct move){.rows = work->rows[role],
                         .row_bytes = work->row_bytes[role],
                         .chunk_k = work->chunk_k[role],
                         .insns = work->copies[role],
                         .bytes = (double)work->rows[role] * work->row_bytes[role],
                         .alone = cost_rows(c, role, work->rows[role], work->row_bytes[role])};
}

static void program_init(struct tile_program *p, const struct schedule *s, const struct mem_shape_key *key, int32_t nk)
{
    p->nk = nk;
    p->start = key->start;
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        const int32_t step = role == ROLE_A ? s->t.stepKa : s->t.stepKb;
        p->chunked[role] = s->hold[role] == HOLD_CHUNKS;
        p->loads[role] = key->load[role] != 0;
        p->releases[role] = key->release[role] != 0;
        p->keeps[role] = key->resident[role] != 0;
        const bool mx = role == ROLE_A ? s->problem->a.mx : s->problem->b.mx;
        const bool span = (role == ROLE_A ? s->t.scaleFactorM : s->t.scaleFactorN) > 1;
        p->scales[role] = !mx ? 0 : role == ROLE_A ? s->t.scaleFactorKa : s->t.scaleFactorKb;
        p->moves[role] = !p->loads[role] ? 0 : p->chunked[role] ? (int32_t)ceil_div(nk, step) : 1;
        p->scale_moves[role] = !mx                                ? 0
                               : s->t.scaleCopy == SCALES_BY_STEP ? nk
                               : span                             ? key->scales[role] > 0
                                                                  : (int32_t)ceil_div(p->moves[role], p->scales[role]);
    }
}

/* A tile of the shape, to ask its steps. */
struct sample {
    const struct schedule *s;
    struct tile tile;
    const struct tile_program *program;
};

/* Work of the step that takes K block `block`. */
static void block_work(const struct sample *x, int32_t block, struct step_work *work)
{
    const int32_t nk = x->program->nk;
    struct step step;
    schedule_step_of(x->s, &x->tile, (block - x->program->start + nk) % nk, &step);
    schedule_step_work(x->s, &step, work);
}

/* K is whole chunks of so many blocks: the last one asks for what the first does, wherever it lies. */
static bool whole_chunks(const struct sample *x, int64_t blocks)
{
    return x->tile.k % (blocks * x->s->t.baseK) == 0;
}

static void scales_init(struct shape_work *w, const struct cost *c, const struct sample *x,
                        const struct step_work *first, enum role role, int32_t step)
{
    const enum role scales = role == ROLE_A ? ROLE_SA : ROLE_SB;
    const int32_t every = w->program.scales[role], moves = w->program.moves[role];
    struct step_work tail = *first;
    if (every == 0) {
        return;
    }
    if (x->s->t.scaleCopy == SCALES_BY_STEP) {
        block_work(x, w->program.nk - 1, &tail);
    } else if (moves > every && !whole_chunks(x, (int64_t)every * step)) {
        block_work(x, (moves - 1) / every * every * step, &tail);
    }
    w->move[scales][COST_FULL] = work_move(c, first, scales);
    w->move[scales][COST_LAST] = c->p->prototype.scales_apart ? w->move[scales][COST_FULL]
                                                              : work_move(c, &tail, scales);
}

/* Prototype: all blocks of a conv move the same share of the map. */
static void mean_map(const struct cost *c, const struct sample *x, struct move *move)
{
    const double bytes = (double)dtype_bytes(x->s->problem->a.dtype, (int64_t)x->tile.m * move->chunk_k);
    move->bytes = bytes * cost_mean_map(x->s);
    move->alone = move->bytes / c->p->plain_width;
}

static void moves_init(struct shape_work *w, const struct cost *c, const struct sample *x,
                       const struct step_work *first)
{
    const struct schedule *s = x->s;
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        const int32_t step = role == ROLE_A ? s->t.stepKa : s->t.stepKb, moves = w->program.moves[role];
        struct step_work tail = *first;
        if (moves > 1 && !whole_chunks(x, step)) {
            block_work(x, (moves - 1) * step, &tail);
        }
        const struct step_work *const of[COST_KINDS] = {first, &tail};
        for (int kind = 0; kind < COST_KINDS; kind++) {
            w->move[role][kind] = work_move(c, of[kind], (enum role)role);
            w->fill[role][kind] = of[kind]->fills[role] * cost_fill(c);
            w->program.fills |= w->fill[role][kind] > 0;
            if (role == ROLE_A && s->problem->op == PROBLEM_CONV && c->p->prototype.mean_map) {
                mean_map(c, x, &w->move[role][kind]);
            }
        }
        scales_init(w, c, x, first, (enum role)role, step);
    }
}

/* Bias and quant: GM->L1, then to where the cube or Fixpipe reads them. */
static void rows_init(struct shape_work *w, const struct cost *c, const struct sample *x,
                      const struct step_work *first_block)
{
    static const enum role roles[TILE_ROWS] = {[TILE_BIAS] = ROLE_BIAS, [TILE_QUANT] = ROLE_QUANT};
    static const enum path paths[TILE_ROWS] = {[TILE_BIAS] = PATH_L1_BT, [TILE_QUANT] = PATH_L1_FB};
    struct step_work first = *first_block;
    if (w->program.start != 0) {
        block_work(x, w->program.start, &first);
    }
    for (int i = 0; i < TILE_ROWS; i++) {
        struct tile_row *row = &w->row[i];
        w->program.rows[i] = first.calls[roles[i]] > 0;
        if (w->program.rows[i]) {
            row->move = work_move(c, &first, roles[i]);
            cost_row(c, i == TILE_BIAS, first.bytes[paths[i]], &row->occupied, &row->complete);
        }
    }
}

void shape_work_init(struct shape_work *w, const struct cost *c, const struct schedule *s,
                     const struct mem_shape *shape)
{
    struct sample x = {.s = s, .program = &w->program};
    struct step_work first, last;
    memset(w, 0, sizeof *w);
    schedule_tile_at(s, shape->core, shape->t, &x.tile);
    program_init(&w->program, s, &shape->key, schedule_tile_steps(s, &x.tile));
    block_work(&x, 0, &first);
    last = first;
    if (w->program.nk > 1 && !whole_chunks(&x, 1)) {
        block_work(&x, w->program.nk - 1, &last);
    }
    const struct step_work *const kinds[COST_KINDS] = {&first, &last};
    for (int kind = 0; kind < COST_KINDS; kind++) {
        const struct step_work *work = kinds[kind];
        w->load[ROLE_A][kind] = load_cost(c, s, work, ROLE_A);
        w->load[ROLE_B][kind] = load_cost(c, s, work, ROLE_B);
        w->mmad[kind] = cost_mmad(c, (int64_t)work->frac_m * work->frac_n * work->frac_k);
    }
    w->k = shape->key.k;
    w->store = cost_fixpipe(c, x.tile.m, (int32_t)schedule_store_columns(s, x.tile.n0, x.tile.n));
    w->barrier = first.mmad_barrier != 0 && c->mmad_barrier;
    moves_init(w, c, &x, &first);
    rows_init(w, c, &x, &first);
    for (int role = ROLE_A; role < TILE_MOVED; role++) {
        const struct move *full = &w->move[role][COST_FULL], *end = &w->move[role][COST_LAST];
        w->one_move[role] = full->rows == end->rows && full->row_bytes == end->row_bytes &&
                            full->chunk_k == end->chunk_k && full->insns == end->insns;
    }
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        w->read_bytes[role] = cost_read_bytes(s, (enum role)role, x.tile.hold[role].from, shape->key.extent[role],
                                              w->k);
    }
}

/* Cycles of the rows of one move that hit L2. */
static double move_rows(const struct cost *c, enum role role, const struct move *move,
                        const struct mem_context *context)
{
    const bool shared = role > ROLE_B || context->shared[role] != 0;
    return cost_rows_together(c, move->alone, move->bytes, shared, context->active);
}

/* The shorter row of a full chunk of what the tile moves. */
static int32_t short_row(const struct shape_work *w)
{
    int32_t shortest = INT32_MAX;
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        const struct move *full = &w->move[role][COST_FULL];
        if (full->insns > 0 && full->row_bytes < shortest) {
            shortest = full->row_bytes;
        }
    }
    return shortest;
}

/* Moves of a role in a tile. */
static int32_t move_count(const struct tile_program *p, enum role role)
{
    if (role <= ROLE_B) {
        return p->moves[role];
    }
    return p->scale_moves[role == ROLE_SA ? ROLE_A : ROLE_B];
}

void tile_hits_init(struct tile_hits *h, const struct cost *c, const struct shape_work *w,
                    const struct mem_context *context)
{
    h->cycles = 0;
    for (int role = ROLE_A; role < TILE_MOVED; role++) {
        const struct move *full = &w->move[role][COST_FULL], *last = &w->move[role][COST_LAST];
        h->rows[role][COST_FULL] = move_rows(c, (enum role)role, full, context);
        h->rows[role][COST_LAST] = move_rows(c, (enum role)role, last, context);
        if (full->insns > 0) {
            h->cycles += (move_count(&w->program, (enum role)role) - 1) *
                         (full->insns * c->p->copy_issue + h->rows[role][COST_FULL]);
            h->cycles += last->insns * c->p->copy_issue + h->rows[role][COST_LAST];
        }
    }
    h->hbm = cost_hbm(c, context->active, short_row(w));
}

/* Share of HBM time hidden behind hits. Plain bursts wait in MTE2's queue, so
 * some of them hit while others miss, unless a look-ahead keeps them from being
 * issued early; the rows of ND2NZ come one after the other. */
static double overlap_of(const struct cost *c, const double missed[2])
{
    double plain = 0;
    for (int role = ROLE_A; role <= ROLE_B && c->look_ahead == 0; role++) {
        plain += c->copy[role].nd ? 0 : missed[role];
    }
    return c->p->overlap + (c->p->overlap_plain - c->p->overlap) * (plain / (missed[ROLE_A] + missed[ROLE_B]));
}

/* Cycles by which the tile's moves take longer because bytes miss L2. */
static double missed_cycles(const struct tile_hits *h, const struct mem_context *context, double share, double overlap)
{
    const double hit = h->cycles, stream = (double)context->hbm_bytes / h->hbm;
    const double overlapped = overlap * cost_max(hit, stream);
    const double serial = (1 - overlap) * (hit * (1 - share) + stream);
    return cost_max(hit, overlapped + serial) - hit;
}

void tile_extra_init(struct tile_extra *e, const struct cost *c, const struct shape_work *w, const struct tile_hits *h,
                     const struct mem_geometry *g, const struct mem_context *context)
{
    const double total = w->read_bytes[ROLE_A] + w->read_bytes[ROLE_B];
    double missed[2];
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        missed[role] = context->missed[role] / g->units * w->read_bytes[role];
        e->cycles[role] = 0;
    }
    const double sum = missed[ROLE_A] + missed[ROLE_B];
    if (sum > 1) { /* a byte: less is rounding */
        const double extra = missed_cycles(h, context, sum / total, overlap_of(c, missed));
        e->cycles[ROLE_A] = extra * missed[ROLE_A] / sum;
        e->cycles[ROLE_B] = extra * missed[ROLE_B] / sum;
    }
    const double write = c->write_back_unit * (g->write_back * (double)context->c_bytes);
    for (int role = ROLE_A; role <= ROLE_B && total > 0; role++) {
        e->cycles[role] += write * w->read_bytes[role] / total;
    }
}

/* Occupancy of the first j instructions of a move whose rows take `rows`. */
static int64_t moved(const struct cost *c, const struct tile_extra *e, enum role role, const struct move *move,
                     double rows, int32_t tile_k, int32_t j)
{
    if (j == 0) {
        return 0;
    }
    const double part = j == move->insns ? 1 : (double)j / move->insns;
    const double extra = role <= ROLE_B ? e->cycles[role] * move->chunk_k / tile_k : 0;
    return cost_mcyc(j * c->p->copy_issue + part * rows + part * extra);
}

int64_t tile_move_cost(const struct cost *c, const struct tile_extra *e, enum role role, const struct move *move,
                       const struct mem_context *context, int32_t tile_k, int32_t j)
{
    return moved(c, e, role, move, move_rows(c, role, move, context), tile_k, j);
}

void tile_cost_init(struct tile_cost *out, const struct cost *c, const struct shape_work *w, const struct tile_hits *h,
                    const struct mem_geometry *g, const struct mem_context *context)
{
    struct tile_extra extra;
    tile_extra_init(&extra, c, w, h, g, context);
    out->program = w->program;
    for (int role = ROLE_A; role < TILE_MOVED; role++) {
        const struct move *full = &w->move[role][COST_FULL], *last = &w->move[role][COST_LAST];
        out->copy[role][COST_FULL] = moved(c, &extra, (enum role)role, full, h->rows[role][COST_FULL], w->k,
                                           full->insns);
        out->copy[role][COST_LAST] = w->one_move[role] ? out->copy[role][COST_FULL]
                                                       : moved(c, &extra, (enum role)role, last,
                                                               h->rows[role][COST_LAST], w->k, last->insns);
    }
    for (int i = 0; i < TILE_ROWS; i++) {
        const struct tile_row *row = &w->row[i];
        const enum role role = i == TILE_BIAS ? ROLE_BIAS : ROLE_QUANT;
        out->row[i] = (struct row_cost){.occupied = row->occupied, .complete = row->complete};
        if (w->program.rows[i]) {
            out->row[i].copy = tile_move_cost(c, &extra, role, &row->move, context, w->k, row->move.insns);
        }
    }
    memcpy(out->fill, w->fill, sizeof out->fill);
    memcpy(out->load, w->load, sizeof out->load);
    out->mmad[COST_FULL] = w->mmad[COST_FULL];
    out->mmad[COST_LAST] = w->mmad[COST_LAST];
    out->store = w->store;
    out->barrier = w->barrier;
}
