/* schedule.c - tiles, steps and their sums. Instructions are in lower.c.
 *
 * Ping/pong phases continue across tiles and never reset, so the phase of a
 * step is a closed form of how many chunks, steps and tiles came before it. */
#include "schedule/schedule.h"

#include <string.h>

#include "base/intmath.h"
#include "schedule/conv_tiles.h"
#include "schedule/lower.h"
#include "schedule/tiles.h"
#include "tiling/dtypes.h"

/* Steps and L1 loads of a tile of K slice length `k`. */
static int32_t init_slice(const struct schedule *s, int64_t k, int32_t chunks[2])
{
    const int64_t nk = ceil_div(k, s->t.baseK);
    chunks[ROLE_A] = (int32_t)ceil_div(nk, s->t.stepKa);
    chunks[ROLE_B] = (int32_t)ceil_div(nk, s->t.stepKb);
    return (int32_t)nk;
}

static void init_steps(struct schedule *s)
{
    const struct tiling *t = &s->t;
    const int64_t k = s->problem->K, last = k - (int64_t)(s->parts - 1) * t->singleCoreK;
    s->nk = init_slice(s, min_i64(t->singleCoreK, k), s->chunks);
    s->nk_last = init_slice(s, last, s->chunks_last);
    s->hold[ROLE_A] = t->fullLoad == FULL_LOAD_A ? HOLD_FULL : t->stepM > 1 ? HOLD_GROUP : HOLD_CHUNKS;
    s->hold[ROLE_B] = t->fullLoad == FULL_LOAD_B ? HOLD_FULL : t->stepN > 1 ? HOLD_GROUP : HOLD_CHUNKS;
}

enum status schedule_init(struct schedule *s, const struct target *target, const struct problem *p,
                          const struct tiling *t, const struct plan *plan, struct diag *d)
{
    memset(s, 0, sizeof *s);
    s->target = target;
    s->problem = p;
    s->t = *t;
    s->plan = *plan;
    const struct mmad_triple *form = dtypes_triple(target, p);
    if (form == NULL) {
        return diag_error(d, STATUS_UNSUPPORTED, NULL, "the cube does not take these operands");
    }
    s->acc = form->c;
    tiles_init(s);
    init_steps(s);
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
    const int64_t full = tiles_full_slices(s, core);
    return full * s->nk + (tiles_count(s, core) - full) * s->nk_last;
}

int32_t schedule_tile_steps(const struct schedule *s, const struct tile *tile)
{
    return tile->kslice < s->parts - 1 ? s->nk : s->nk_last;
}

static int32_t tile_chunks(const struct schedule *s, const struct tile *tile, enum role role)
{
    return tile->kslice < s->parts - 1 ? s->chunks[role] : s->chunks_last[role];
}

/* --- tiles --------------------------------------------------------------- */

/* Data chunks whose scales come in one copy. */
static int32_t scale_factor(const struct schedule *s, enum role role)
{
    return role == ROLE_A ? s->t.scaleFactorKa : s->t.scaleFactorKb;
}

static bool scaled(const struct schedule *s, enum role role)
{
    return role == ROLE_A ? s->problem->a.mx : s->problem->b.mx;
}

/* Scales of several base blocks along M (N) come in one copy. */
static bool spans_tiles(const struct schedule *s, enum role role)
{
    return (role == ROLE_A ? s->t.scaleFactorM : s->t.scaleFactorN) > 1;
}

/* The slots hold this tile's chunks already when the tile that filled them
 * last had the same rows and all chunks of a tile fit the slots. */
static bool resident(const struct schedule *s, const struct tile *tile, enum role role)
{
    const int32_t chunks = tile_chunks(s, tile, role), slots = role == ROLE_A ? s->t.dbA1 : s->t.dbB1;
    if (s->t.l1Resident == 0 || s->hold[role] != HOLD_CHUNKS || s->parts > 1 || slots % chunks != 0) {
        return false;
    }
    struct tile before = {.core = tile->core, .t = tile->t - slots / chunks};
    if (before.t < 0) {
        return false;
    }
    tiles_at(s, tile->core, before.t, &before);
    return before.batch == tile->batch && before.hold[role].from == tile->hold[role].from &&
           before.hold[role].extent == tile->hold[role].extent;
}

void schedule_tile_at(const struct schedule *s, int32_t core, int64_t t, struct tile *out)
{
    const int64_t full = tiles_full_slices(s, core), in_full = min_i64(t, full), in_last = t - in_full;
    memset(out, 0, sizeof *out);
    out->t = t;
    out->core = core;
    out->first = t == 0;
    out->last = t == tiles_count(s, core) - 1;
    tiles_at(s, core, t, out);
    out->k0 = out->kslice * s->t.singleCoreK;
    out->k = (int32_t)min_i64(s->t.singleCoreK, s->problem->K - out->k0);
    out->step0 = in_full * s->nk + in_last * s->nk_last;
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        if (s->hold[role] == HOLD_CHUNKS) {
            const int32_t factor = scale_factor(s, (enum role)role);
            out->hold[role].ordinal = in_full * s->chunks[role] + in_last * s->chunks_last[role];
            if (!spans_tiles(s, (enum role)role)) {
                out->hold[role].scales = in_full * ceil_div(s->chunks[role], factor) +
                                         in_last * ceil_div(s->chunks_last[role], factor);
            }
            out->hold[role].resident = resident(s, out, (enum role)role);
        }
    }
}

/* --- steps --------------------------------------------------------------- */

/* Number of the tile that step `i` of a core belongs to. */
static int64_t tile_of_step(const struct schedule *s, int32_t core, int64_t i)
{
    const int64_t full = tiles_full_slices(s, core), in_full = full * s->nk;
    return i < in_full ? i / s->nk : full + (i - in_full) / s->nk_last;
}

/* shuffleK: the unit cores start at different multiples of, in steps. */
static int32_t shuffle_unit(const struct schedule *s)
{
    return (int32_t)lcm_i64(s->t.stepKa, s->t.stepKb);
}

/* The k-th step of a tile works on this base block along K. */
static int32_t block_of_step(const struct schedule *s, const struct tile *tile, int32_t k, int32_t *start)
{
    const int32_t nk = schedule_tile_steps(s, tile);
    *start = 0;
    if (s->t.shuffleK) {
        const int32_t unit = shuffle_unit(s);
        *start = (int32_t)(tile->core % ceil_div(nk, unit)) * unit;
    }
    return (*start + k) % nk;
}

/* Copies, waits and releases of one operand in a step. `block`: along K. */
struct side_due {
    bool copy, first, last, keep, scales;
    uint8_t slot, scale_slot;
};

static struct side_due side_at(const struct schedule *s, const struct tile *tile, enum role role, int32_t k,
                               int32_t block, int32_t start)
{
    const struct tile_hold *h = &tile->hold[role];
    const int32_t nk = schedule_tile_steps(s, tile);
    const int32_t slots = role == ROLE_A ? s->t.dbA1 : s->t.dbB1;
    struct side_due x = {0};
    const bool by_step = s->t.scaleCopy == SCALES_BY_STEP && scaled(s, role);
    if (by_step) {
        x.scales = true;
        x.scale_slot = (uint8_t)((tile->step0 + k) % 2);
    }
    if (s->hold[role] != HOLD_CHUNKS) {
        x.copy = x.first = h->load && k == 0;
        x.last = h->release && k == nk - 1;
        x.slot = (uint8_t)(h->ordinal % slots);
        x.scales = by_step || (x.copy && scaled(s, role));
        x.scale_slot = by_step ? x.scale_slot : x.slot;
        return x;
    }
    const int32_t step = role == ROLE_A ? s->t.stepKa : s->t.stepKb, chunks = tile_chunks(s, tile, role);
    const int32_t chunk = (block / step - start / step + chunks) % chunks;
    x.copy = x.first = block % step == 0;
    /* A chunk is released with its last step, also where the tile or K ends inside it. */
    x.last = k == nk - 1 || block == nk - 1 || (block + 1) % step == 0;
    x.keep = x.copy && h->resident;
    x.slot = (uint8_t)((h->ordinal + chunk) % slots);
    if (scaled(s, role) && !by_step) {
        x.scales = x.copy && !x.keep && h->load_scales && chunk % scale_factor(s, role) == 0;
        x.scale_slot = (uint8_t)((h->scales + chunk / scale_factor(s, role)) % slots);
    }
    return x;
}

static unsigned due_bits(const struct side_due *a, const struct side_due *b)
{
    unsigned due = 0;
    due |= a->copy ? DUE_COPY_A : 0;
    due |= b->copy ? DUE_COPY_B : 0;
    due |= a->first ? DUE_FIRST_A : 0;
    due |= b->first ? DUE_FIRST_B : 0;
    due |= a->last ? DUE_LAST_A : 0;
    due |= b->last ? DUE_LAST_B : 0;
    due |= a->keep ? DUE_KEEP_A : 0;
    due |= b->keep ? DUE_KEEP_B : 0;
    due |= a->scales ? DUE_COPY_SA : 0;
    due |= b->scales ? DUE_COPY_SB : 0;
    return due;
}

void schedule_step_at(const struct schedule *s, int32_t core, int64_t i, struct step *out)
{
    struct tile tile;
    schedule_tile_at(s, core, tile_of_step(s, core, i), &tile);
    schedule_step_of(s, &tile, (int32_t)(i - tile.step0), out);
}

void schedule_step_of(const struct schedule *s, const struct tile *tile, int32_t k, struct step *out)
{
    const struct tiling *t = &s->t;
    const int32_t nk = schedule_tile_steps(s, tile);
    const int64_t i = tile->step0 + k;
    memset(out, 0, sizeof *out);
    out->tile = *tile;
    int32_t start;
    const int32_t block = block_of_step(s, tile, k, &start);
    const struct side_due a = side_at(s, tile, ROLE_A, k, block, start);
    const struct side_due b = side_at(s, tile, ROLE_B, k, block, start);
    out->index = (uint32_t)i;
    out->k0 = block * t->baseK;
    out->k = (int32_t)min_i64(t->baseK, tile->k - out->k0);
    out->ph = (struct phase){.a = a.slot,
                             .b = b.slot,
                             .sa = a.scale_slot,
                             .sb = b.scale_slot,
                             .l0a = (uint8_t)(i % t->dbL0A),
                             .l0b = (uint8_t)(i % t->dbL0B),
                             .l0c = (uint8_t)(tile->t % t->dbL0C)};
    out->due = (uint16_t)(due_bits(&a, &b) | (k == 0 ? DUE_INIT : 0) | (k == nk - 1 ? DUE_STORE : 0));
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
    w->fills[role] = c.fills;
    w->fill_bytes += c.fill_bytes;
    w->insns[PIPE_MTE2] += c.insns + c.fills;
    w->bytes[PATH_GM_L1] += (int64_t)c.rows * c.row_bytes;
    w->halo += (int64_t)c.halo * c.row_bytes;
}

static void work_load(const struct schedule *s, const struct step *step, enum role role, struct step_work *w)
{
    struct load_sums sums;
    lower_load_sums(s, step, role, &sums);
    w->calls[role] = sums.calls;
    w->insns[PIPE_MTE1] += sums.calls;
    w->bytes[role == ROLE_A ? PATH_L1_L0A : PATH_L1_L0B] += sums.bytes;
    w->bytes[role == ROLE_A ? PATH_L1_L0A_MX : PATH_L1_L0B_MX] += sums.scale_bytes;
}

/* Bias to BT, quant words to FB. */
static void work_rows(const struct schedule *s, const struct step *step, struct step_work *w)
{
    if (lower_bias_due(s, step)) {
        w->calls[ROLE_BIAS] = 1;
        w->insns[PIPE_MTE1]++;
        w->bytes[PATH_L1_BT] += lower_bias_bytes(s, step);
    }
    if (lower_copy_due(s, step, ROLE_QUANT)) {
        w->calls[ROLE_QUANT] = 1;
        w->insns[PIPE_FIX]++;
        w->bytes[PATH_L1_FB] += lower_quant_bytes(s, step);
    }
}

void schedule_step_work(const struct schedule *s, const struct step *step, struct step_work *w)
{
    memset(w, 0, sizeof *w);
    for (int role = ROLE_A; role <= ROLE_QUANT; role++) {
        if (lower_copy_due(s, step, (enum role)role)) {
            work_copy(s, step, (enum role)role, w);
        }
    }
    work_load(s, step, ROLE_A, w);
    work_load(s, step, ROLE_B, w);
    work_rows(s, step, w);
    const int32_t m = lower_mmad_m(s, step), n = lower_mmad_n(s, step);
    w->insns[PIPE_M] = 1;
    w->frac_m = (int32_t)ceil_div(m, 16);
    w->frac_n = (int32_t)ceil_div(n, 16);
    w->frac_k = (int32_t)ceil_div(lower_mmad_k(s, step), dtype_c0(s->problem->a.dtype));
    w->macs = (int64_t)step->tile.m * step->tile.n * step->k;
    w->mmad_barrier = lower_mmad_barrier(m, n);
    if (step->due & DUE_STORE) {
        w->insns[PIPE_FIX]++;
        w->store_m = step->tile.m;
        w->store_n = (int32_t)schedule_store_columns(s, step->tile.n0, step->tile.n);
        w->bytes[PATH_L0C_GM] += dtype_bytes(lower_store_dtype(s), (int64_t)step->tile.m * w->store_n);
    }
}

int64_t schedule_period(const struct schedule *s)
{
    const struct tiling *t = &s->t;
    const int64_t a = s->hold[ROLE_A] == HOLD_CHUNKS ? (int64_t)t->stepKa * t->scaleFactorKa * t->dbA1 : 1;
    const int64_t b = s->hold[ROLE_B] == HOLD_CHUNKS ? (int64_t)t->stepKb * t->scaleFactorKb * t->dbB1 : 1;
    return lcm_i64(lcm_i64(a, b), lcm_i64(lcm_i64(t->dbL0A, t->dbL0B), t->scaleCopy == SCALES_BY_STEP ? 2 : 1));
}

bool schedule_periodic(const struct schedule *s)
{
    return s->hold[ROLE_A] == HOLD_CHUNKS && s->hold[ROLE_B] == HOLD_CHUNKS && s->t.shuffleK == 0;
}

/* Adds the work of all K steps of one tile, `times` times. */
static void add_tile(const struct schedule *s, const struct tile *tile, int64_t times, struct schedule_totals *out)
{
    const int32_t nk = schedule_tile_steps(s, tile);
    for (int64_t k = 0; k < nk; k++) {
        struct step step;
        struct step_work w;
        schedule_step_of(s, tile, (int32_t)k, &step);
        schedule_step_work(s, &step, &w);
        for (int i = 0; i < PATH_N; i++) {
            out->bytes[i] += w.bytes[i] * times;
        }
        for (int i = 0; i < ROLE_N; i++) {
            out->copied[i] += (int64_t)w.rows[i] * w.row_bytes[i] * times;
            out->fills += (uint64_t)(w.fills[i] * times);
        }
        for (int i = 0; i < PIPE_N; i++) {
            out->insns += (uint64_t)(w.insns[i] * times);
        }
        out->fill_bytes += w.fill_bytes * times;
        out->macs += w.macs * times;
        out->halo += w.halo * times;
        out->fractals += (int64_t)w.frac_m * w.frac_n * w.frac_k * times;
    }
    out->steps += (uint64_t)(nk * times);
    out->tiles += (uint64_t)times;
}

/* What a tile's sums depend on. */
struct tile_shape {
    int32_t m, n, k, extent[2];
    int32_t map_rows, halo_rows; /* conv: a map's edge cuts rows off */
    int32_t scale_extent[2];
    uint8_t load[2], resident[2], first_slice, load_scales[2], pad[1];
};

static void shape_of(const struct schedule *s, const struct tile *tile, struct tile_shape *x)
{
    memset(x, 0, sizeof *x);
    if (s->problem->op == PROBLEM_CONV) {
        const struct conv_shape *v = &s->problem->conv;
        const struct tile_hold *a = &tile->hold[ROLE_A];
        struct conv_rows rows;
        conv_rows_of(v, a->from, a->extent, &rows);
        x->map_rows = (int32_t)rows.count;
        x->halo_rows = (int32_t)conv_rows_halo(v, a->from, &rows);
    }
    x->m = tile->m, x->n = tile->n, x->k = tile->k;
    x->first_slice = tile->kslice == 0; /* has the bias */
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        x->extent[role] = tile->hold[role].extent;
        x->load[role] = tile->hold[role].load;
        x->resident[role] = tile->hold[role].resident;
        x->load_scales[role] = tile->hold[role].load_scales;
        x->scale_extent[role] = tile->hold[role].scale_extent;
    }
}

/* Tiles of equal shape are added up once. */
void schedule_totals(const struct schedule *s, struct schedule_totals *out)
{
    enum { SHAPES = 32 };
    struct {
        struct tile_shape shape;
        struct tile tile;
        int64_t count;
    } shapes[SHAPES];
    int used = 0;
    memset(out, 0, sizeof *out);
    for (int32_t core = 0; core < s->cores; core++) {
        const int64_t tiles = tiles_count(s, core);
        for (int64_t t = 0; t < tiles; t++) {
            struct tile tile;
            struct tile_shape shape;
            schedule_tile_at(s, core, t, &tile);
            shape_of(s, &tile, &shape);
            int i = 0;
            while (i < used && memcmp(&shapes[i].shape, &shape, sizeof shape) != 0) {
                i++;
            }
            if (i == SHAPES) { /* more shapes than remembered: count it alone */
                add_tile(s, &tile, 1, out);
                continue;
            }
            if (i == used) {
                shapes[used].shape = shape, shapes[used].tile = tile, shapes[used].count = 0;
                used++;
            }
            shapes[i].count++;
        }
    }
    for (int i = 0; i < used; i++) {
        add_tile(s, &shapes[i].tile, shapes[i].count, out);
    }
}
