/* cost.c - durations from target parameters (timing_model.md sections 3, 5, 9, 12).
 *
 * The order of floating-point operations here is part of the model: results
 * are compared to the thousandth of a cycle. */
#include "timing/cost.h"

#include <string.h>

#include "base/intmath.h"
#include "schedule/conv_tiles.h"
#include "timing/memctx.h"

/* An L1 block: what an unaligned row is cut into, and the alignment C rows need. */
#define BLOCK_BYTES 32

/* Accumulators and partial sums. */
#define ACCUMULATOR_BITS 32

int32_t cost_store_bits(const struct schedule *s)
{
    return s->t.splitKReduce == REDUCE_WORKSPACE ? ACCUMULATOR_BITS : dtype_info(s->problem->c.dtype)->bits;
}

/* Weight of an unaligned access whose rows start at multiples of `align`. */
static double align_weight(const struct target_timing *p, int64_t align)
{
    for (size_t i = 0; i < sizeof p->align_bytes / sizeof p->align_bytes[0]; i++) {
        const int64_t unit = (int64_t)p->align_bytes[i];
        if (unit > 0 && align % unit == 0) {
            return p->align_weight[i];
        }
    }
    return p->align_weight_else;
}

/* `across`: elements of a full base block along the axis that is not K. */
static void copy_init(struct cost_copy *copy, const struct target_timing *p, const struct operand *o, bool k_contiguous,
                      int64_t chunk_k, int64_t across)
{
    memset(copy, 0, sizeof *copy);
    copy->exists = o->dtype != DTYPE_NONE;
    copy->nd = o->format == LAYOUT_ND;
    copy->k_contiguous = k_contiguous;
    copy->k_points = 1;
    if (!copy->exists || !copy->nd) {
        return;
    }
    const int64_t pitch = dtype_bytes(o->dtype, o->ld);
    copy->conflict = p->pitch_conflict_modulus > 0 && pitch % (int64_t)p->pitch_conflict_modulus == 0;
    if (p->unaligned == 0) {
        return;
    }
    /* What every row start is aligned to: the largest power of two that divides
     * both the pitch and the distance of chunks. (timing_model.md takes the plain
     * common divisor; no measured row tells the two apart, but 48 B of it would
     * pass for 32 B of alignment where rows start on 16 B.) */
    const int64_t common = gcd_i64(pitch, dtype_bytes(o->dtype, k_contiguous ? chunk_k : across));
    const int64_t align = common & -common;
    copy->align = align;
    copy->unaligned = p->unaligned * align_weight(p, align) / BLOCK_BYTES;
    copy->unaligned_from = align < BLOCK_BYTES ? 0 : p->unaligned_row_min;
}

/* Scales, bias and quant words: short rows, of which no run shows an alignment. */
static void row_copy_init(struct cost_copy *copy, const struct target_timing *p, const struct operand *o)
{
    memset(copy, 0, sizeof *copy);
    copy->exists = o != NULL && o->dtype != DTYPE_NONE;
    copy->nd = true;
    copy->conflict = copy->exists && p->pitch_conflict_modulus > 0 && o->rows > 1 &&
                     dtype_bytes(o->dtype, o->ld) % (int64_t)p->pitch_conflict_modulus == 0;
}

/* What grows evenly with the cores: 0 with one, 1 with all. */
static double core_share(const struct schedule *s, int32_t cores)
{
    const int32_t chip = s->target->cores;
    return chip > 1 ? (double)(cores - 1) / (chip - 1) : 0;
}

/* Memory is loaded by the cores that own a tile. */
static double load_share(const struct schedule *s)
{
    return core_share(s, s->cores_active);
}

/* A launch starts all cores it is given, also those that find nothing to do. */
static double launch_share(const struct schedule *s)
{
    return core_share(s, s->target->timing.prototype.launch_active ? s->cores_active : s->cores);
}

void timing_split_bytes(const struct schedule *s, int64_t *read, int64_t *written)
{
    const struct problem *p = s->problem;
    const bool split = s->parts > 1;
    *written = split ? dtype_bytes(p->c.dtype, p->M * p->N) : 0;
    *read = split && s->t.splitKReduce == REDUCE_WORKSPACE ? s->parts * (p->M * p->N * ACCUMULATOR_BITS / 8) : 0;
}

/* All vector cores (or whatever clears C) together: the chip's rates. */
static int64_t split_cost(const struct cost *c, const struct schedule *s)
{
    int64_t read, written;
    timing_split_bytes(s, &read, &written);
    const double bytes = (double)(read + written), hit = bytes > 0 ? memctx_hit_share(s->target, bytes) : 0;
    return bytes > 0 ? cost_mcyc(hit * bytes / c->p->l2_rate + (1 - hit) * bytes / c->hbm) : 0;
}

static void init_run(struct cost *c, const struct schedule *s)
{
    const struct target_timing *p = c->p;
    const double us = 1000.0 * s->target->ghz; /* cycles in a microsecond */
    double launch = p->head_us + p->head_cores_us * launch_share(s);
    if (s->t.kernel == KERNEL_MIX) {
        launch += p->mix_us;
    }
    c->launch = cost_mcyc(launch * us);
    c->init = cost_mcyc((s->t.api == API_HIGH ? p->init_api_us : p->init_us) * us);
}

void cost_init(struct cost *c, const struct schedule *s)
{
    const struct target_timing *p = &s->target->timing;
    const struct problem *problem = s->problem;
    memset(c, 0, sizeof *c);
    c->p = p;
    c->sync = cost_mcyc(p->sync);
    c->mmad_issue = cost_mcyc(p->mmad_issue);
    c->mmad_latency = cost_mcyc(p->mmad_latency);
    c->mmad_barrier = p->mmad_barrier != 0;
    c->fixpipe_issue = cost_mcyc(p->fixpipe_issue);
    c->copy_latency = cost_mcyc(p->copy_latency + p->copy_loaded * load_share(s));
    c->tile_barrier = cost_mcyc(p->tile_barrier);
    c->rate = target_rate(s->target, problem->a.dtype, problem->hf32);
    c->hf32 = problem->hf32 && c->rate == s->target->rate_hf32;
    c->macs_per_fractal = 256.0 * (double)dtype_c0(problem->a.dtype);
    c->c_bytes = cost_store_bits(s) / 8.0;
    const int64_t c_pitch = s->t.splitKReduce == REDUCE_WORKSPACE ? problem->N : problem->c.ld;
    c->c_unaligned = problem->c.format == LAYOUT_ND && c_pitch * cost_store_bits(s) / 8 % BLOCK_BYTES != 0;
    for (int role = ROLE_SA; role < COST_MOVED; role++) {
        row_copy_init(&c->copy[role], p, problem_operand(problem, (enum tensor)role));
    }
    copy_init(&c->copy[ROLE_A], p, &problem->a, !problem->a.transpose, (int64_t)s->t.stepKa * s->t.baseK, s->t.baseM);
    copy_init(&c->copy[ROLE_B], p, &problem->b, problem->b.transpose, (int64_t)s->t.stepKb * s->t.baseK, s->t.baseN);
    if (problem->op == PROBLEM_CONV) {
        c->copy[ROLE_A].k_points = (int32_t)(problem->conv.kh * problem->conv.kw);
        c->look_ahead = (int32_t)cost_min(p->conv_look_ahead, COST_AHEAD_MAX);
    }
    c->all_nd = c->copy[ROLE_A].nd && c->copy[ROLE_B].nd;
    c->hbm_nd = p->hbm_nd * 1000.0 / s->target->ghz;
    c->hbm = p->hbm * 1000.0 / s->target->ghz;
    c->write_back_unit = p->write_back / c->hbm;
    c->split = split_cost(c, s);
    init_run(c, s);
}

double cost_mean_map(const struct schedule *s)
{
    const struct problem *p = s->problem;
    int64_t points = 0;
    for (int64_t from = 0; from < p->M; from += s->t.baseM) {
        struct conv_rows rows;
        conv_rows_of(&p->conv, from, min_i64(s->t.baseM, p->M - from), &rows);
        points += rows.count * p->conv.w;
    }
    return (double)points / (double)(p->M * p->conv.kh * p->conv.kw);
}

bool cost_panels_have_scales(const struct schedule *s)
{
    return (s->problem->a.mx || s->problem->b.mx) && !s->target->timing.prototype.scales_apart;
}

/* E8M0 scales of one row of A or column of B, as they lie in GM: pairs of 32 k. */
static int64_t scale_row_bytes(int64_t k)
{
    return 2 * ceil_div(k, 64);
}

double cost_scale_tensor_bytes(const struct schedule *s)
{
    const struct problem *p = s->problem;
    const int64_t rows = (p->a.mx ? p->M : 0) + (p->b.mx ? p->N * p->groups : 0);
    return cost_panels_have_scales(s) ? (double)(rows * scale_row_bytes(p->K)) : 0;
}

double cost_read_bytes(const struct schedule *s, enum role role, int32_t from, int32_t extent, int32_t k)
{
    const struct problem *p = s->problem;
    if (role == ROLE_A && s->target->timing.prototype.mean_map && p->op == PROBLEM_CONV) {
        return (double)dtype_bytes(p->a.dtype, (int64_t)extent * k) * cost_mean_map(s);
    }
    if (role == ROLE_A && p->op == PROBLEM_CONV && extent > 0) {
        struct conv_rows rows;
        conv_rows_of(&p->conv, from, extent, &rows);
        const int64_t channel_blocks = k / conv_window(p);
        return (double)(rows.count * p->conv.w) * (double)(channel_blocks * 32);
    }
    const struct operand *o = role == ROLE_A ? &p->a : &p->b;
    const int64_t scales = cost_panels_have_scales(s) && o->mx ? extent * scale_row_bytes(k) : 0;
    return (double)extent * k * dtype_info(o->dtype)->bits / 8 + (double)scales;
}

int64_t cost_mmad(const struct cost *c, int64_t fractals)
{
    return cost_mcyc((double)fractals * c->macs_per_fractal / c->rate);
}

int64_t cost_load(const struct cost *c, enum role role, int32_t j, double bytes, double scale_bytes, bool filling)
{
    if (j == 0) {
        return 0;
    }
    const struct target_timing *p = c->p;
    const double width = role == ROLE_A ? p->l0a_width : p->l0b_width;
    double call = p->load_call + bytes / width;
    if (call < p->load_min) {
        call = p->load_min;
    }
    if (filling) {
        call += bytes / p->l1_contention;
    }
    double issue = p->load_issue - p->load_calls_ref[role] * p->load_call;
    if (scale_bytes > 0) {
        issue += p->load_issue + scale_bytes / p->mx_width;
    }
    return cost_mcyc(issue + j * call);
}

int64_t cost_fill(const struct cost *c)
{
    return cost_mcyc(c->p->copy_issue);
}

void cost_row(const struct cost *c, bool bias, int64_t bytes, int64_t *occupied, int64_t *complete)
{
    const struct target_timing *p = c->p;
    const double cycles = (double)bytes / (bias ? p->bt_width : p->fb_width);
    *occupied = cost_mcyc(cycles);
    *complete = cost_mcyc(cycles + (bias ? p->bt_latency : p->fb_latency));
}

int64_t cost_fixpipe(const struct cost *c, int32_t m, int32_t n)
{
    const struct target_timing *p = c->p;
    double cycles = p->fixpipe_issue + (double)m * n * c->c_bytes / p->fixpipe_width;
    if (c->c_unaligned) {
        cycles += m * p->fixpipe_unaligned;
    }
    return cost_mcyc(cycles);
}

/* Cycles of an ND row wherever it starts. */
static double aligned_row(const struct cost *c, const struct cost_copy *copy, int32_t row_bytes)
{
    const double row = cost_max(c->p->row_min, c->p->row_base + row_bytes / c->p->row_width);
    return copy->conflict ? row * c->p->pitch_conflict : row;
}

bool cost_unaligned_costs(const struct cost *c, enum role role, int32_t row_bytes)
{
    const struct cost_copy *copy = &c->copy[role];
    return copy->nd && copy->unaligned * row_bytes > aligned_row(c, copy, row_bytes);
}

double cost_rows(const struct cost *c, enum role role, int32_t rows, int32_t row_bytes)
{
    const struct target_timing *p = c->p;
    const struct cost_copy *copy = &c->copy[role];
    if (!copy->nd) {
        return (double)rows * row_bytes / p->plain_width;
    }
    double row = aligned_row(c, copy, row_bytes);
    if (row_bytes >= copy->unaligned_from) {
        row = cost_max(row, copy->unaligned * row_bytes);
    }
    return rows * row;
}

double cost_hbm(const struct cost *c, int32_t active, int32_t short_row)
{
    const struct target_timing *p = c->p;
    double rate = c->all_nd ? c->hbm_nd : c->hbm;
    if (p->hbm_core_share * active < 1.0) {
        rate *= p->hbm_core_share * active;
    }
    if (c->all_nd && short_row < p->hbm_short_row_bytes) {
        rate /= p->hbm_short_row;
    }
    return rate;
}

/* Bytes of one transposing repeat: a square of 16-bit, 32 B-wide blocks. */
static int64_t transpose_repeat_bytes(enum dtype dtype)
{
    const int64_t c0 = dtype_c0(dtype);
    return max_i64(16, c0) * 32 * (c0 < 16 ? 2 : 1);
}

int64_t cost_load_bytes(const struct insn *insn)
{
    const enum dtype dtype = (enum dtype)insn->dtype;
    switch ((enum op)insn->op) {
    case OP_LOAD_2D:
        return insn->p.load_2d.repeatTimes * INT64_C(512);
    case OP_LOAD_2D_V2:
        return (int64_t)insn->p.load_2d_v2.mStep * insn->p.load_2d_v2.kStep * 512;
    case OP_LOAD_MX:
        return (int64_t)insn->p.load_mx.data.mStep * insn->p.load_mx.data.kStep * 512;
    case OP_LOAD_TRANSPOSE:
    case OP_LOAD_TRANSPOSE_V2:
        return insn->p.transpose.repeatTimes * transpose_repeat_bytes(dtype);
    case OP_LOAD_3D:
    case OP_LOAD_3D_STRIDE:
        return dtype_bytes(dtype, align_up(insn->p.load_3d.mExtension, 16) *
                                      align_up(insn->p.load_3d.kExtension, dtype_c0(dtype)));
    default:
        return 0;
    }
}

int64_t cost_scale_bytes(const struct insn *insn)
{
    return insn->op == OP_LOAD_MX ? (int64_t)insn->p.load_mx.xStep * insn->p.load_mx.yStep * BLOCK_BYTES : 0;
}

int64_t cost_row_bytes(const struct target *target, const struct insn *insn)
{
    const bool arch3510 = target->arch == 3510;
    const int64_t unit = insn->op == OP_L1_TO_BT ? (arch3510 ? 32 : 64) : arch3510 ? 64 : 128;
    return (int64_t)insn->p.copy.blockCount * insn->p.copy.blockLen * unit;
}
