/* verify.c - runs schedules on the engine and compares C with the reference. */
#include "engine/verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "engine/reference_conv.h"
#include "engine/verify_internal.h"
#include "numeric/fp.h"

enum status verify_create(struct verify_cache *cache, struct verify **out)
{
    struct verify *v = calloc(1, sizeof *v);
    if (v == NULL) {
        return STATUS_NO_MEMORY;
    }
    v->cache = cache;
    arena_init(&v->arena);
    const enum status st = race_create(&v->race);
    if (st != STATUS_OK) {
        verify_destroy(v);
        return st;
    }
    *out = v;
    return STATUS_OK;
}

void verify_destroy(struct verify *v)
{
    if (v != NULL) {
        engine_destroy(v->engine);
        race_destroy(v->race);
        arena_fini(&v->arena);
        free(v);
    }
}

void verify_set_tamper(struct verify *v, verify_tamper *tamper, void *ctx)
{
    v->tamper = tamper;
    v->tamper_ctx = ctx;
}

/* --- GM ports ------------------------------------------------------------ */

typedef enum status gm_read_fn(void *ctx, int64_t byte, int64_t len, uint8_t *out);

#define READER(name, tensor)                                                                   \
    static enum status name(void *ctx, int64_t byte, int64_t len, uint8_t *out)                \
    {                                                                                          \
        return problem_read(((const struct verify *)ctx)->s->problem, tensor, byte, len, out); \
    }
READER(read_a, TENSOR_A)
READER(read_b, TENSOR_B)
READER(read_scale_a, TENSOR_SA)
READER(read_scale_b, TENSOR_SB)
READER(read_bias, TENSOR_BIAS)
READER(read_quant, TENSOR_QUANT)
#undef READER

/* Index of a byte's element in the window, and the bytes up to the end of its
 * memory row; -1 outside. An access may cover several rows when the pitch
 * equals the width. */
static int64_t nz_window_at(const struct c_window *w, int64_t byte, int64_t len, int64_t *n)
{
    const int64_t block = w->nz_width * w->es, in_batch = byte / block % (w->nz_rows * w->nz_columns);
    const int64_t batch = byte / block / (w->nz_rows * w->nz_columns), at = byte % block;
    const int64_t row = batch * w->batch_rows + in_batch % w->nz_rows - w->row0;
    const int64_t col = in_batch / w->nz_rows * w->nz_width + at / w->es - w->col0;
    *n = min_i64(len, block - at);
    const bool inside = in_batch % w->nz_rows < w->batch_rows && row >= 0 && row < w->rows && col >= 0 &&
                        col + *n / w->es <= w->cols && at % w->es == 0 && *n % w->es == 0;
    return inside ? row * w->cols + col : -1;
}

/* NHWC: group by group a batch of its own. */
static int64_t group_window_at(const struct c_window *w, int64_t byte, int64_t len, int64_t *n)
{
    const int64_t memory_row = byte / w->pitch, at = byte % w->pitch, group = at / w->es / w->group_cols;
    const int64_t batch = memory_row / w->batch_rows * w->groups + group;
    const int64_t row = batch * w->batch_rows + memory_row % w->batch_rows - w->row0;
    const int64_t col = at / w->es % w->group_cols - w->col0;
    *n = min_i64(len, (group + 1) * w->group_cols * w->es - at);
    const bool inside = group < w->groups && row >= 0 && row < w->rows && col >= 0 && col + *n / w->es <= w->cols &&
                        at % w->es == 0 && *n % w->es == 0;
    return inside ? row * w->cols + col : -1;
}

static int64_t window_at(const struct c_window *w, int64_t byte, int64_t len, int64_t *n)
{
    if (w->nz_width > 0) {
        return nz_window_at(w, byte, len, n);
    }
    if (w->groups > 1) {
        return group_window_at(w, byte, len, n);
    }
    const int64_t row = byte / w->pitch - w->row0, at = byte % w->pitch, col = at / w->es - w->col0;
    *n = min_i64(len, w->pitch - at);
    const bool inside = row >= 0 && row < w->rows && col >= 0 && col + *n / w->es <= w->cols && at % w->es == 0 &&
                        *n % w->es == 0;
    return inside ? row * w->cols + col : -1;
}

static enum status write_c(void *ctx, int64_t byte, int64_t len, const uint8_t *in)
{
    const struct c_window *w = &((struct verify *)ctx)->window;
    for (int64_t n; len > 0; in += n, byte += n, len -= n) {
        const int64_t at = window_at(w, byte, len, &n);
        if (at < 0) {
            return STATUS_INVALID;
        }
        memcpy(w->data + at * w->es, in, (size_t)n);
        for (int64_t i = 0; i < n / w->es; i++) {
            w->count[at + i] = (uint8_t)(w->count[at + i] < UINT8_MAX ? w->count[at + i] + 1 : UINT8_MAX);
        }
    }
    return STATUS_OK;
}

/* Atomic addition reads what is there. */
static enum status read_c(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    const struct c_window *w = &((struct verify *)ctx)->window;
    for (int64_t n; len > 0; out += n, byte += n, len -= n) {
        const int64_t at = window_at(w, byte, len, &n);
        if (at < 0) {
            return STATUS_INVALID;
        }
        memcpy(out, w->data + at * w->es, (size_t)n);
    }
    return STATUS_OK;
}

static bool uses_workspace(const struct schedule *s)
{
    return s->t.splitKReduce == REDUCE_WORKSPACE;
}

static void set_ports(struct verify *v)
{
    const struct problem *p = v->s->problem;
    const bool workspace = uses_workspace(v->s);
    const int64_t bytes = workspace ? v->s->parts * p->M * p->N * 4 : problem_tensor_bytes(p, TENSOR_C);
    static const struct {
        enum tensor tensor;
        gm_read_fn *read, *ids; /* ids: in level layout */
    } inputs[] = {{TENSOR_A, read_a, verify_read_ids_a}, {TENSOR_B, read_b, verify_read_ids_b},
                  {TENSOR_SA, read_scale_a, NULL},       {TENSOR_SB, read_scale_b, NULL},
                  {TENSOR_BIAS, read_bias, NULL},        {TENSOR_QUANT, read_quant, NULL}};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        const bool ids = v->layout && inputs[i].ids != NULL;
        const struct gm_port port = {
            .ctx = v, .bytes = problem_tensor_bytes(p, inputs[i].tensor), .read = ids ? inputs[i].ids : inputs[i].read};
        engine_set_port(v->engine, inputs[i].tensor, &port);
    }
    /* Of C and the workspace, only the one this schedule stores to exists. */
    engine_set_port(v->engine, workspace ? TENSOR_C : TENSOR_WORKSPACE, &(struct gm_port){.ctx = v});
    engine_set_port(v->engine, workspace ? TENSOR_WORKSPACE : TENSOR_C,
                    &(struct gm_port){.ctx = v, .bytes = bytes, .read = read_c, .write = write_c});
}

enum status verify_open_window(struct verify *v, int64_t row0, int64_t col0, int64_t rows, int64_t cols)
{
    const struct problem *p = v->s->problem;
    const bool workspace = uses_workspace(v->s);
    struct c_window *w = &v->window;
    cols = schedule_store_columns(v->s, col0, cols);
    *w = (struct c_window){.row0 = row0, .col0 = col0, .rows = rows, .cols = cols};
    w->dtype = workspace ? (enum dtype)v->s->acc : p->c.dtype;
    w->es = dtype_bytes(w->dtype, 1);
    w->pitch = workspace ? p->N * w->es : problem_pitch_bytes(p, TENSOR_C);
    w->batch_rows = p->c.rows;
    if (!workspace && p->c.format != LAYOUT_ND) {
        w->nz_width = problem_nz_width(p, TENSOR_C);
        w->nz_rows = problem_nz_rows(p, TENSOR_C);
        w->nz_columns = ceil_div(p->c.cols, w->nz_width);
    } else if (!workspace && p->op == PROBLEM_CONV) {
        w->group_cols = p->N;
        w->groups = p->conv.groups;
    }
    w->data = arena_alloc(&v->arena, (size_t)(rows * cols), (size_t)w->es);
    w->count = arena_alloc(&v->arena, (size_t)(rows * cols), 1);
    if (w->data == NULL || w->count == NULL) {
        return STATUS_NO_MEMORY;
    }
    for (int64_t i = 0; v->c_start != 0 && i < rows * cols; i++) {
        dtype_store(w->dtype, w->data, i, (double)v->c_start);
    }
    return STATUS_OK;
}

int64_t verify_plane_row(const struct schedule *s, const struct tile *tile)
{
    return (uses_workspace(s) ? tile->kslice : problem_matrix(s->problem, TENSOR_C, tile->batch)) * s->problem->M;
}

/* --- running ------------------------------------------------------------- */

int verify_tampered(struct verify *v, struct insn *insns, int count)
{
    return v->tamper == NULL ? count : v->tamper(v->tamper_ctx, insns, count, v->insn_cap);
}

/* Level layout: products and stores are left out, what a product reads is checked. */
static enum status run_layout(struct verify *v, const struct step *step, int count, struct diag *d)
{
    for (int i = 0; i < count; i++) {
        const struct insn *insn = &v->insns[i];
        if (insn->op == OP_MMAD || insn->op == OP_MMAD_MX) {
            TRY(v->unsure ? STATUS_OK : verify_layout_mmad(v, step, insn, d));
        } else if (insn->op != OP_FIXPIPE) {
            TRY(engine_exec(v->engine, insn, d));
        }
    }
    return STATUS_OK;
}

/* Zeros of one operand make a product right whatever the other one holds, so
 * those of a K tail are looked at by themselves, where they are used. */
static enum status run_mx_tail(struct verify *v, const struct step *step, size_t count, struct diag *d)
{
    for (size_t i = 0; i < count; i++) {
        if (v->insns[i].op == OP_MMAD_MX) {
            TRY(verify_mx_tail(v, step, &v->insns[i], d));
        }
        TRY(engine_exec(v->engine, &v->insns[i], d));
    }
    return STATUS_OK;
}

enum status verify_exec_step(struct verify *v, int32_t core, int64_t i, struct diag *d)
{
    struct step step;
    schedule_step_at(v->s, core, i, &step);
    const int count = verify_tampered(v, v->insns, schedule_expand(v->s, &step, v->insns));
    if (v->layout) {
        return run_layout(v, &step, count, d);
    }
    return v->s->problem->a.mx && step.k % 64 != 0 ? run_mx_tail(v, &step, (size_t)count, d)
                                                   : engine_run(v->engine, v->insns, (size_t)count, d);
}

enum status verify_exec_edge(struct verify *v, int32_t core, bool prologue, struct diag *d)
{
    const int n = prologue ? schedule_prologue(v->s, core, v->insns) : schedule_epilogue(v->s, core, v->insns);
    TRY(engine_run(v->engine, v->insns, (size_t)verify_tampered(v, v->insns, n), d));
    return prologue ? STATUS_OK : engine_check_flags(v->engine, d);
}

/* --- comparing ----------------------------------------------------------- */

static enum status report_difference(const struct verify *v, const struct c_check *c, int64_t i, const uint8_t *got_at,
                                     const uint8_t *want, struct diag *d)
{
    const int64_t es = v->window.es;
    uint64_t got = 0, expected = 0;
    memcpy(&got, got_at + i * es, (size_t)es);
    memcpy(&expected, want + i * es, (size_t)es);
    return diag_error(
        d, STATUS_MISMATCH, NULL, "C[%" PRId64 "][%" PRId64 "] is 0x%0*" PRIx64 ", the reference says 0x%0*" PRIx64,
        c->block.m0 + i / v->window.cols, c->block.n0 + i % v->window.cols, (int)es * 2, got, (int)es * 2, expected);
}

/* A block of the reference with the columns that fill up the window behind it:
 * they hold what C held before, plus zeros. */
static enum status widen(struct verify *v, const struct c_block *block, uint8_t **want)
{
    const struct c_window *w = &v->window;
    const int64_t row = block->n * w->es;
    uint8_t *wide = NULL;
    if (w->cols == block->n) {
        return STATUS_OK;
    }
    wide = arena_alloc(&v->arena, (size_t)(block->m * w->cols), (size_t)w->es);
    if (wide == NULL) {
        return STATUS_NO_MEMORY;
    }
    for (int64_t r = 0; r < block->m; r++) {
        memcpy(wide + r * w->cols * w->es, *want + r * row, (size_t)row);
        for (int64_t c = block->n; c < w->cols; c++) {
            dtype_store(w->dtype, wide, r * w->cols + c, 0);
        }
    }
    *want = wide;
    return STATUS_OK;
}

/* The window spans the block's columns, so the block is contiguous in it. */
enum status verify_compare(struct verify *v, const struct c_check *c, struct diag *d)
{
    if (v->layout) { /* nothing was stored */
        return STATUS_OK;
    }
    const struct c_window *w = &v->window;
    const int64_t n = c->block.m * w->cols, at = c->row * w->cols;
    const uint8_t *count = w->count + at, *got = w->data + at * w->es;
    for (int64_t i = 0; i < n; i++) {
        if (count[i] != c->stores) {
            return diag_error(d, STATUS_MISMATCH, NULL, "C[%" PRId64 "][%" PRId64 "] is stored %d times, not %d",
                              c->block.m0 + i / w->cols, c->block.n0 + i % w->cols, count[i], c->stores);
        }
    }
    uint8_t *want = arena_alloc(&v->arena, (size_t)(c->block.m * c->block.n), (size_t)w->es);
    if (want == NULL) {
        return STATUS_NO_MEMORY;
    }
    TRY((v->s->problem->op == PROBLEM_CONV ? reference_conv : reference_matmul)(v->s->problem, &c->block, w->dtype,
                                                                                c->ranges, 2, &v->arena, want));
    TRY(widen(v, &c->block, &want));
    for (int64_t i = 0; v->c_start != 0 && i < n; i++) {
        dtype_store(w->dtype, want, i, dtype_load(w->dtype, want, i) + (double)v->c_start);
    }
    if (memcmp(want, got, (size_t)(n * w->es)) == 0) {
        return STATUS_OK;
    }
    for (int64_t i = 0;; i++) {
        if (memcmp(want + i * w->es, got + i * w->es, (size_t)w->es) != 0) {
            return report_difference(v, c, i, got, want, d);
        }
    }
}

/* --- levels -------------------------------------------------------------- */

static enum status run_core(struct verify *v, int32_t core, struct diag *d)
{
    const int64_t steps = schedule_steps(v->s, core);
    engine_reset(v->engine);
    TRY(verify_exec_edge(v, core, true, d));
    for (int64_t i = 0; i < steps; i++) {
        TRY(verify_exec_step(v, core, i, d));
    }
    return verify_exec_edge(v, core, false, d);
}

/* Every plane of what was stored: batches of C, groups of its rows, or K slices in the workspace. */
static enum status compare_planes(struct verify *v, struct diag *d)
{
    const struct schedule *s = v->s;
    const struct problem *p = s->problem;
    const bool workspace = uses_workspace(s);
    const int64_t planes = workspace ? s->parts : p->groups > 1 ? p->groups : p->batch, slice = s->t.singleCoreK;
    for (int64_t i = 0; i < planes; i++) {
        struct c_check c = {.block = {.batch = workspace ? 0 : i, .m = p->M, .n = p->N}, .row = i * p->M};
        if (p->groups > 1) {
            c.row = c.block.m0 = problem_group_first(p, i);
            c.block.m = problem_group_rows(p, i);
        }
        if (c.block.m == 0) {
            continue;
        }
        c.stores = s->t.splitKReduce == REDUCE_ATOMIC ? s->parts : 1;
        c.ranges[0] = workspace ? (struct k_range){i * slice, min_i64(slice, p->K - i * slice)}
                                : (struct k_range){0, p->K};
        TRY(verify_compare(v, &c, d));
    }
    return STATUS_OK;
}

/* All cores, one after the other, into one window over all of C. */
static enum status run_all(struct verify *v, struct diag *d)
{
    const struct problem *p = v->s->problem;
    TRY(verify_open_window(v, 0, 0, p->M * (uses_workspace(v->s) ? v->s->parts : p->batch), p->N));
    for (int32_t core = 0; core < v->s->cores; core++) {
        TRY(race_check(v->race, v->s, core, d));
        TRY(run_core(v, core, d));
    }
    return STATUS_OK;
}

static enum status verify_full(struct verify *v, struct verify_outcome *out, struct diag *d)
{
    const struct problem *p = v->s->problem;
    TRY(run_all(v, d));
    TRY(compare_planes(v, d));
    out->elems = (uint64_t)(p->M * p->N * p->batch);
    if (v->s != &v->own || p->error_only || !verify_bound_possible(v->users)) {
        return STATUS_OK;
    }
    v->s = v->users;
    TRY(run_all(v, d));
    return verify_bounded(v, d);
}

/* A user's floats make sums that depend on their order, and on how an
 * accumulator or HF32 cuts them short, which the problem does not say. Where a
 * schedule changes the one or has the other, or the user asks for it, the
 * generated integers are used: they show the same program right, exactly. */
static bool needs_integers(const struct schedule *s)
{
    const struct problem *p = s->problem;
    const bool users_own = p->a.data != NULL || p->b.data != NULL || p->a.input != NULL || p->b.input != NULL;
    const bool exact = !dtype_info(p->a.dtype)->is_float && p->c.dtype == DTYPE_INT32;
    const bool reorders = s->t.shuffleK != 0 || s->t.splitKReduce == REDUCE_ATOMIC;
    return users_own && (p->error_only || (reorders && !exact) || p->hf32 || s->acc == DTYPE_HALF);
}

static void choose_data(struct verify *v, const struct schedule *s)
{
    v->s = v->users = s;
    if (needs_integers(s)) {
        struct operand *const operands[] = {&v->own_problem.a, &v->own_problem.b, &v->own_problem.scale_a,
                                            &v->own_problem.scale_b};
        v->own_problem = *s->problem;
        for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
            operands[i]->data = NULL;
            operands[i]->input = NULL;
        }
        v->own = *s;
        v->own.problem = &v->own_problem;
        v->s = &v->own;
    }
}

/* Engine of this schedule's target, instruction buffer with room for a tamper. */
static enum status prepare(struct verify *v, const struct schedule *s, struct diag *d)
{
    if (v->engine_target != s->target) {
        engine_destroy(v->engine);
        v->engine = NULL;
        v->engine_target = NULL;
        TRY(engine_create(s->target, &v->engine, d));
        v->engine_target = s->target;
    }
    arena_reset(&v->arena);
    v->race_core = -1;
    v->insn_cap = (int)max_i64(schedule_expand_max(s), SCHEDULE_EDGE_MAX) + 8;
    v->insns = arena_alloc(&v->arena, (size_t)v->insn_cap, sizeof *v->insns);
    v->others = arena_alloc(&v->arena, (size_t)v->insn_cap, sizeof *v->others);
    if (v->insns == NULL || v->others == NULL) {
        return STATUS_NO_MEMORY;
    }
    set_ports(v);
    return STATUS_OK;
}

enum status verify_schedule(struct verify *v, const struct schedule *s, enum verify_level level,
                            struct verify_outcome *out, struct diag *d)
{
    *out = (struct verify_outcome){0};
    choose_data(v, s);
    v->layout = level == VERIFY_LAYOUT;
    /* A program that stores where it should add is only seen from another start than 0. */
    v->c_start = s->t.splitKReduce == REDUCE_ATOMIC ? 3 : 0;
    TRY(prepare(v, s, d));
    enum status st = STATUS_OK;
    switch (level) {
    case VERIFY_NONE:
        return STATUS_OK;
    case VERIFY_LAYOUT:
    case VERIFY_CLASSES:
        st = verify_classes(v, out, d);
        break;
    case VERIFY_FULL:
        st = verify_full(v, out, d);
        break;
    }
    out->ok = st == STATUS_OK;
    return st == STATUS_MISMATCH ? STATUS_OK : st;
}

/* Adds the planes of the workspace up in order, as the vector cores do, and
 * converts the sum to C's dtype. */
static void reduce_planes(const struct verify *v, uint8_t *out)
{
    const struct problem *p = v->s->problem;
    const struct c_window *w = &v->window;
    const int64_t n = p->M * p->N;
    for (int64_t i = 0; i < n; i++) {
        float sum = 0;
        for (int64_t plane = 0; plane < v->s->parts; plane++) {
            sum += (float)dtype_load(w->dtype, w->data, plane * n + i);
        }
        dtype_store(p->c.dtype, out, i, (double)sum);
    }
}

enum status verify_compute_c(struct verify *v, const struct schedule *s, uint8_t *out, struct diag *d)
{
    v->s = s;
    v->layout = false;
    v->c_start = 0;
    TRY(prepare(v, s, d));
    TRY(run_all(v, d));
    if (uses_workspace(s)) {
        reduce_planes(v, out);
    } else {
        const int64_t row = s->problem->N * v->window.es;
        for (int64_t r = 0; r < v->window.rows; r++) { /* without what fills up the last block */
            memcpy(out + r * row, v->window.data + r * v->window.cols * v->window.es, (size_t)row);
        }
    }
    return STATUS_OK;
}
