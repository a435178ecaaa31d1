/* schedule.c - tiles, steps and their sums. Instructions are in lower.c.
 *
 * Ping/pong phases continue across tiles and never reset, so the phase of a
 * step is a closed form of how many chunks, steps and tiles came before it. */
#include "schedule/schedule.h"

#include <string.h>

#include "base/intmath.h"
#include "schedule/lower.h"
#include "schedule/tiles.h"
#include "tiling/loads.h"

enum status schedule_init(struct schedule *s, const struct target *target, const struct problem *p,
                          const struct tiling *t, const struct plan *plan, struct diag *d)
{
    memset(s, 0, sizeof *s);
    s->target = target;
    s->problem = p;
    s->t = *t;
    s->plan = *plan;
    if (p->op != PROBLEM_MATMUL) {
        return diag_error(d, STATUS_UNSUPPORTED, NULL, "conv is not lowered yet");
    }
    tiles_init(s);
    s->nk = (int32_t)ceil_div(p->K, t->baseK);
    s->chunks_a = (int32_t)ceil_div(s->nk, t->stepKa);
    s->chunks_b = (int32_t)ceil_div(s->nk, t->stepKb);
    for (int i = 0; i < 2; i++) {
        struct plan_image image;
        plan_image(p, t, i == 0 ? ROLE_A : ROLE_B, &image);
        s->image_rows[i] = image.rows;
        s->image_cols[i] = image.l1_cols;
    }
    return STATUS_OK;
}

int64_t schedule_tiles(const struct schedule *s, int32_t core)
{
    return tiles_count(s, core);
}

int64_t schedule_steps(const struct schedule *s, int32_t core)
{
    return tiles_count(s, core) * s->nk;
}

void schedule_tile_at(const struct schedule *s, int32_t core, int64_t t, struct tile *out)
{
    memset(out, 0, sizeof *out);
    out->t = t;
    out->core = core;
    out->k = (int32_t)s->problem->K;
    out->first = t == 0;
    out->last = t == tiles_count(s, core) - 1;
    tiles_at(s, core, t, out);
}

void schedule_step_at(const struct schedule *s, int32_t core, int64_t i, struct step *out)
{
    const struct tiling *t = &s->t;
    const int64_t tile = i / s->nk, kk = i % s->nk;
    memset(out, 0, sizeof *out);
    schedule_tile_at(s, core, tile, &out->tile);
    out->index = (uint32_t)i;
    out->k0 = (int32_t)(kk * t->baseK);
    out->k = (int32_t)min_i64(t->baseK, out->tile.k - out->k0);
    out->ph = (struct phase){.a = (uint8_t)((tile * s->chunks_a + kk / t->stepKa) % t->dbA1),
                             .b = (uint8_t)((tile * s->chunks_b + kk / t->stepKb) % t->dbB1),
                             .l0a = (uint8_t)(i % t->dbL0A),
                             .l0b = (uint8_t)(i % t->dbL0B),
                             .l0c = (uint8_t)(tile % t->dbL0C)};
    const bool end = kk == s->nk - 1;
    unsigned due = 0;
    due |= kk % t->stepKa == 0 ? DUE_COPY_A | DUE_FIRST_A : 0;
    due |= kk % t->stepKb == 0 ? DUE_COPY_B | DUE_FIRST_B : 0;
    /* A chunk is released with its last step, also where a tile ends inside it. */
    due |= end || (kk + 1) % t->stepKa == 0 ? DUE_LAST_A : 0;
    due |= end || (kk + 1) % t->stepKb == 0 ? DUE_LAST_B : 0;
    due |= kk == 0 ? DUE_INIT : 0;
    due |= end ? DUE_STORE : 0;
    out->due = (uint16_t)due;
}

/* --- sums ---------------------------------------------------------------- */

static void work_copy(const struct schedule *s, const struct step *step, enum role role, struct step_work *w)
{
    struct copy_shape c;
    lower_copy_shape(s, step, role, &c);
    w->rows[role] = c.rows;
    w->row_bytes[role] = c.row_bytes;
    w->chunk_k[role] = c.chunk_k;
    w->copies[role] = c.insns;
    w->insns[PIPE_MTE2] += c.insns;
    w->bytes[PATH_GM_L1] += (int64_t)c.rows * c.row_bytes;
}

static void work_load(const struct schedule *s, const struct step *step, enum role role, struct step_work *w)
{
    const int64_t c0 = dtype_c0(role == ROLE_A ? s->problem->a.dtype : s->problem->b.dtype);
    const int64_t mn = lower_load_extent(s, step, role), k = align_up(step->k, load_unit(s->problem, role, AXIS_K));
    w->calls[role] = lower_load_calls(s, step, role);
    w->insns[PIPE_MTE1] += w->calls[role];
    w->bytes[role == ROLE_A ? PATH_L1_L0A : PATH_L1_L0B] += mn * k / c0 * 32;
}

void schedule_step_work(const struct schedule *s, const struct step *step, struct step_work *w)
{
    memset(w, 0, sizeof *w);
    if (step->due & DUE_COPY_A) {
        work_copy(s, step, ROLE_A, w);
    }
    if (step->due & DUE_COPY_B) {
        work_copy(s, step, ROLE_B, w);
    }
    work_load(s, step, ROLE_A, w);
    work_load(s, step, ROLE_B, w);
    const int32_t m = lower_mmad_m(s, step), n = lower_mmad_n(s, step);
    w->insns[PIPE_M] = 1;
    w->frac_m = (int32_t)ceil_div(m, 16);
    w->frac_n = (int32_t)ceil_div(n, 16);
    w->frac_k = (int32_t)ceil_div(step->k, dtype_c0(s->problem->a.dtype));
    w->macs = (int64_t)step->tile.m * step->tile.n * step->k;
    w->mmad_barrier = lower_mmad_barrier(m, n);
    if (step->due & DUE_STORE) {
        w->insns[PIPE_FIX] = 1;
        w->store_m = step->tile.m;
        w->store_n = step->tile.n;
        w->bytes[PATH_L0C_GM] += dtype_bytes(s->problem->c.dtype, (int64_t)step->tile.m * step->tile.n);
    }
}

int64_t schedule_period(const struct schedule *s)
{
    int64_t p = lcm_i64((int64_t)s->t.stepKa * s->t.dbA1, (int64_t)s->t.stepKb * s->t.dbB1);
    p = lcm_i64(p, s->t.dbL0A);
    return lcm_i64(p, s->t.dbL0B);
}

/* Adds the work of all K steps of one tile shape, `times` times. */
static void add_tile(const struct schedule *s, int32_t core, int64_t t, int64_t times, struct schedule_totals *out)
{
    for (int64_t kk = 0; kk < s->nk; kk++) {
        struct step step;
        struct step_work w;
        schedule_step_at(s, core, t * s->nk + kk, &step);
        schedule_step_work(s, &step, &w);
        for (int i = 0; i < PATH_N; i++) {
            out->bytes[i] += w.bytes[i] * times;
        }
        for (int i = 0; i < PIPE_N; i++) {
            out->insns += (uint64_t)(w.insns[i] * times);
        }
        out->macs += w.macs * times;
    }
    out->steps += (uint64_t)(s->nk * times);
    out->tiles += (uint64_t)times;
}

/* Sums depend on a tile's extents only, so equal extents are added up once. */
void schedule_totals(const struct schedule *s, struct schedule_totals *out)
{
    enum { SHAPES = 16 };
    struct {
        int32_t m, n, core;
        int64_t t, count;
    } shapes[SHAPES];
    int used = 0;
    memset(out, 0, sizeof *out);
    for (int32_t core = 0; core < s->cores; core++) {
        const int64_t tiles = tiles_count(s, core);
        for (int64_t t = 0; t < tiles; t++) {
            struct tile tile;
            tiles_at(s, core, t, &tile);
            int i = 0;
            while (i < used && (shapes[i].m != tile.m || shapes[i].n != tile.n)) {
                i++;
            }
            if (i == SHAPES) { /* more shapes than remembered: count it alone */
                add_tile(s, core, t, 1, out);
                continue;
            }
            if (i == used) {
                shapes[used].m = tile.m, shapes[used].n = tile.n;
                shapes[used].core = core, shapes[used].t = t, shapes[used].count = 0;
                used++;
            }
            shapes[i].count++;
        }
    }
    for (int i = 0; i < used; i++) {
        add_tile(s, shapes[i].core, shapes[i].t, shapes[i].count, out);
    }
}
