/* tiles.c - tile maps.
 *
 * grid:   block b owns slice (b % per, b / per) in each L2 round; inside a
 *         slice the tiles go n outer, m inner (ORDER_M) or the other way.
 *         Cores that are left over take other images and groups of a conv.
 * blocks: tiles of the whole C are dealt round robin, tile i = core + t * C,
 *         and i -> (mi, ni) by swizzle, ASWT or in contiguous ranges. Groups of
 *         rows follow each other in the one numbering, each in the order by
 *         itself, so that a group begins on the core after the last one's. */
#include "schedule/tiles.h"

#include "base/intmath.h"
#include "tiling/aswt.h"

/* A range of C along one axis. */
struct span {
    int64_t at, len;
};

static struct span span_of(int64_t i, int64_t size, int64_t total)
{
    const int64_t at = i * size;
    return (struct span){at, min_i64(size, total - at)};
}

void tiles_init(struct schedule *s)
{
    const struct tiling *t = &s->t;
    const struct problem *p = s->problem;
    s->cores = t->usedCoreNum;
    s->slices_m = (int32_t)ceil_div(p->M, t->singleCoreM);
    s->slices_n = (int32_t)ceil_div(p->N, t->singleCoreN);
    s->rounds_per = (int32_t)ceil_div(s->slices_m, t->order == ORDER_L2SPLIT ? t->orderRounds : 1);
    s->tiles_m = (int32_t)problem_blocks_m(p, t->baseM);
    for (int64_t g = 0, tiles = 0; p->groups > 1 && g < p->groups; g++) {
        tiles += ceil_div(problem_group_rows(p, g), t->baseM);
        s->group_tiles_m[g] = (int32_t)tiles;
    }
    s->tiles_n = (int32_t)ceil_div(p->N, t->baseN);
    s->parts = (int32_t)ceil_div(p->K, t->singleCoreK);
    s->batch_ways = 1;
    if (p->op == PROBLEM_CONV && t->assign == ASSIGN_GRID) {
        const int64_t cores = (int64_t)s->rounds_per * s->slices_n * s->parts;
        s->batch_ways = (int32_t)max_i64(1, min_i64(p->batch, s->cores / cores));
    }
    s->cores_active = 0;
    for (int32_t core = 0; core < s->cores; core++) {
        s->cores_active += tiles_count(s, core) > 0;
    }
}

/* --- grid ---------------------------------------------------------------- */

/* Cores that cover C once; the next as many take the next K slice. */
static int64_t grid_places(const struct schedule *s)
{
    return (int64_t)s->rounds_per * s->slices_n;
}

/* Slice of `core` in `round`; false if there is none. */
static bool grid_slice(const struct schedule *s, int32_t core, int64_t round, struct span *m, struct span *n)
{
    const int64_t place = core % grid_places(s), set = core / grid_places(s);
    const int64_t mi = place % s->rounds_per + round * s->rounds_per, ni = place / s->rounds_per;
    if (set >= (int64_t)s->parts * s->batch_ways || mi >= s->slices_m || ni >= s->slices_n) {
        return false;
    }
    *m = span_of(mi, s->t.singleCoreM, s->problem->M);
    *n = span_of(ni, s->t.singleCoreN, s->problem->N);
    return true;
}

/* Sets of cores that cover C: K slices first, then batches. */
static int32_t grid_kslice(const struct schedule *s, int32_t core)
{
    return (int32_t)(core / grid_places(s) % s->parts);
}

static int64_t grid_first_batch(const struct schedule *s, int32_t core)
{
    return core / grid_places(s) / s->parts;
}

/* Batches a core works on: its first, and every batch_ways-th from there. */
static int64_t grid_batches(const struct schedule *s, int32_t core)
{
    return max_i64(0, ceil_div(s->problem->batch - grid_first_batch(s, core), s->batch_ways));
}

static int64_t grid_rounds(const struct schedule *s)
{
    return s->t.order == ORDER_L2SPLIT ? s->t.orderRounds : 1;
}

static int64_t grid_count(const struct schedule *s, int32_t core)
{
    int64_t count = 0;
    struct span m, n;
    for (int64_t round = 0; round < grid_rounds(s); round++) {
        if (grid_slice(s, core, round, &m, &n)) {
            count += ceil_div(m.len, s->t.baseM) * ceil_div(n.len, s->t.baseN);
        }
    }
    return count;
}

static void set_tile(struct tile *out, struct span m, struct span n)
{
    out->m0 = (int32_t)m.at;
    out->m = (int32_t)m.len;
    out->n0 = (int32_t)n.at;
    out->n = (int32_t)n.len;
    out->hold[ROLE_A] = (struct tile_hold){
        .from = out->m0, .extent = out->m, .load = 1, .release = 1, .load_scales = 1};
    out->hold[ROLE_B] = (struct tile_hold){
        .from = out->n0, .extent = out->n, .load = 1, .release = 1, .load_scales = 1};
}

/* Tiles of a slice go in groups of stepM x stepN; ORDER_M: groups and tiles
 * within them n outer, m inner. All in tiles. With steps of 1 a group is a tile. */
struct group_walk {
    int64_t groups_inner, groups_outer; /* of the slice */
    int64_t inner, outer;               /* group */
    int64_t pos_inner, pos_outer;       /* tile within the group */
    int64_t width_inner, width_outer;   /* of this group */
    int64_t step_inner, step_outer;
};

static void walk_groups(struct group_walk *w, int64_t index, int64_t tiles_inner, int64_t tiles_outer,
                        int64_t step_inner, int64_t step_outer)
{
    w->step_inner = step_inner, w->step_outer = step_outer;
    w->groups_inner = ceil_div(tiles_inner, step_inner);
    w->groups_outer = ceil_div(tiles_outer, step_outer);
    w->outer = index / (step_outer * tiles_inner);
    index -= w->outer * step_outer * tiles_inner;
    w->width_outer = min_i64(step_outer, tiles_outer - w->outer * step_outer);
    w->inner = index / (step_inner * w->width_outer);
    index -= w->inner * step_inner * w->width_outer;
    w->width_inner = min_i64(step_inner, tiles_inner - w->inner * step_inner);
    w->pos_outer = index / w->width_inner;
    w->pos_inner = index % w->width_inner;
}

/* What L1 holds of the operand along one axis of the walk. `batch` slices of the
 * core came before. The inner axis changes with every group, the outer one when the inner
 * one has gone through. */
static void hold_group(struct tile_hold *h, const struct group_walk *w, bool inner_axis, struct span slice,
                       int64_t base, int64_t batch)
{
    const bool begins = w->pos_inner == 0 && w->pos_outer == 0;
    const bool ends = w->pos_inner == w->width_inner - 1 && w->pos_outer == w->width_outer - 1;
    const bool one = inner_axis && w->groups_inner == 1; /* never changes inside the slice */
    const bool first = inner_axis ? !one || w->outer == 0 : w->inner == 0;
    const bool last = inner_axis ? !one || w->outer == w->groups_outer - 1 : w->inner == w->groups_inner - 1;
    const int64_t group = inner_axis ? w->inner : w->outer, step = inner_axis ? w->step_inner : w->step_outer;
    const int64_t loads = inner_axis ? (one ? 1 : w->groups_inner * w->groups_outer) : w->groups_outer;
    const int64_t before = inner_axis ? (one ? 0 : w->outer * w->groups_inner + w->inner) : w->outer;
    struct span held = span_of(group, base * step, slice.len);
    h->from = (int32_t)(slice.at + held.at);
    h->extent = (int32_t)held.len;
    h->ordinal = batch * loads + before;
    h->load = begins && first;
    h->release = ends && last;
}

/* All of the core's slice, for the whole kernel. */
static void hold_full(struct tile_hold *h, struct span slice, bool load, bool release)
{
    *h = (struct tile_hold){.from = (int32_t)slice.at, .extent = (int32_t)slice.len, .load = load, .release = release};
}

/* Scales of several base blocks along the operand's axis, kept while the tiles
 * go through them; they cover K. The inner axis begins anew with every tile of
 * the outer one, unless one span covers it. */
static void hold_scales(struct tile_hold *h, const struct group_walk *w, bool inner_axis, int64_t span,
                        struct span slice, int64_t base, int64_t batch)
{
    const int64_t at = inner_axis ? w->inner : w->outer, spans_inner = ceil_div(w->groups_inner, span);
    const bool one = inner_axis && spans_inner == 1;
    const struct span held = span_of(at / span, base * span, slice.len);
    int64_t loads = ceil_div(w->groups_outer, span), before = at / span;
    const bool begins = w->pos_inner == 0 && w->pos_outer == 0; /* of a group along the other axis */
    h->load_scales = begins && at % span == 0 && (one ? w->outer == 0 : inner_axis || w->inner == 0);
    if (inner_axis) {
        loads = one ? 1 : spans_inner * w->groups_outer;
        before = one ? 0 : w->outer * spans_inner + before;
    }
    h->scale_from = (int32_t)(slice.at + held.at);
    h->scale_extent = (int32_t)held.len;
    h->scales = batch * loads + before;
}

static void grid_hold(const struct schedule *s, const struct group_walk *w, struct span m, struct span n, int64_t batch,
                      struct tile *out)
{
    const bool m_inner = s->t.iterateOrder == 0;
    const struct span slice[2] = {m, n};
    const int64_t base[2] = {s->t.baseM, s->t.baseN}, spans[2] = {s->t.scaleFactorM, s->t.scaleFactorN};
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        struct tile_hold *h = &out->hold[role];
        if (s->hold[role] == HOLD_GROUP) {
            hold_group(h, w, m_inner == (role == ROLE_A), slice[role], base[role], batch);
        } else if (s->hold[role] == HOLD_FULL) {
            hold_full(h, slice[role], out->first != 0, out->last != 0);
        } else if (spans[role] > 1) {
            hold_scales(h, w, m_inner == (role == ROLE_A), spans[role], slice[role], base[role], batch);
        }
    }
}

static void grid_at(const struct schedule *s, int32_t core, int64_t t, struct tile *out)
{
    struct span m = {0, 0}, n = {0, 0};
    const int64_t per_batch = s->problem->batch == 1 ? INT64_MAX : grid_count(s, core);
    int64_t in_slice = t % per_batch, tiles_m = 1, tiles_n = 1;
    out->batch = (int32_t)(grid_first_batch(s, core) + t / per_batch * s->batch_ways);
    for (int64_t round = 0; round < grid_rounds(s); round++) {
        if (!grid_slice(s, core, round, &m, &n)) {
            continue;
        }
        tiles_m = ceil_div(m.len, s->t.baseM);
        tiles_n = ceil_div(n.len, s->t.baseN);
        if (in_slice < tiles_m * tiles_n) {
            break;
        }
        in_slice -= tiles_m * tiles_n;
    }
    const bool m_inner = s->t.iterateOrder == 0;
    struct group_walk w;
    walk_groups(&w, in_slice, m_inner ? tiles_m : tiles_n, m_inner ? tiles_n : tiles_m,
                m_inner ? s->t.stepM : s->t.stepN, m_inner ? s->t.stepN : s->t.stepM);
    const int64_t inner = w.inner * w.step_inner + w.pos_inner, outer = w.outer * w.step_outer + w.pos_outer;
    struct span tm = span_of(m_inner ? inner : outer, s->t.baseM, m.len);
    struct span tn = span_of(m_inner ? outer : inner, s->t.baseN, n.len);
    tm.at += m.at;
    tn.at += n.at;
    set_tile(out, tm, tn);
    out->pos_m = (uint8_t)(m_inner ? w.pos_inner : w.pos_outer);
    out->pos_n = (uint8_t)(m_inner ? w.pos_outer : w.pos_inner);
    grid_hold(s, &w, m, n, t / per_batch, out);
}

/* --- blocks -------------------------------------------------------------- */

struct tile_index {
    int64_t m, n;
};

/* Bands of `offset` tiles along one axis, the other axis reversed in odd bands. */
static struct tile_index swizzle_index(int64_t i, int64_t tiles_m, int64_t tiles_n, int64_t offset, bool along_n)
{
    const int64_t band_axis = along_n ? tiles_n : tiles_m, other = along_n ? tiles_m : tiles_n;
    const int64_t in_band = offset * other, band = i / in_band, j = i % in_band;
    const int64_t width = min_i64(offset, band_axis - offset * band);
    const int64_t a = band * offset + j % width;
    int64_t b = j / width;
    if (band % 2 == 1) {
        b = other - 1 - b;
    }
    return along_n ? (struct tile_index){b, a} : (struct tile_index){a, b};
}

/* Windows of 4 tile rows, direction along N alternating. */
static struct tile_index aswt_index(int64_t i, int64_t tiles_m, int64_t tiles_n)
{
    const int64_t w = min_i64(4, tiles_m), windows = tiles_m / w - 1, row = i / tiles_n / w;
    struct tile_index x;
    if (row < windows) {
        x = (struct tile_index){row * w + i % w, i / w % tiles_n};
    } else {
        const int64_t j = i - windows * w * tiles_n, v = tiles_m - w * windows;
        x = (struct tile_index){windows * w + j % v, j / v % tiles_n};
    }
    if (min_i64(row, windows) % 2 == 1) {
        x.n = tiles_n - 1 - x.n;
    }
    return x;
}

/* Rows whose tiles have an order of their own: all of C, or those of a group. */
struct row_area {
    struct span rows;
    int64_t tiles_m;
    int64_t tiles_before; /* in the one numbering along M */
    int32_t group;
};

static struct row_area area_of(const struct schedule *s, int64_t tile_row)
{
    struct row_area a = {.rows = {0, s->problem->M}, .tiles_m = s->tiles_m};
    if (s->problem->groups <= 1) {
        return a;
    }
    int32_t lo = 0, hi = (int32_t)s->problem->groups - 1;
    while (lo < hi) { /* the first group that ends behind it; empty ones never do */
        const int32_t mid = (lo + hi) / 2;
        if (s->group_tiles_m[mid] > tile_row) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    a.group = lo;
    a.rows = (struct span){problem_group_first(s->problem, lo), problem_group_rows(s->problem, lo)};
    a.tiles_before = lo == 0 ? 0 : s->group_tiles_m[lo - 1];
    a.tiles_m = s->group_tiles_m[lo] - a.tiles_before;
    return a;
}

static struct tile_index block_index(const struct schedule *s, const struct row_area *area, int64_t i)
{
    const int64_t tiles_m = area->tiles_m, tiles_n = s->tiles_n;
    switch ((enum tiling_order)s->t.order) {
    case ORDER_ASWT:
        return aswt_index(i, tiles_m, tiles_n);
    case ORDER_CHUNK: {
        const int64_t mi = i / tiles_n, ni = i % tiles_n;
        return (struct tile_index){mi, mi % 2 == 1 ? tiles_n - 1 - ni : ni};
    }
    case ORDER_SWIZZLE:
        return swizzle_index(i, tiles_m, tiles_n, s->t.orderOffset, s->t.orderDirection == 1);
    case ORDER_LINEAR:
    case ORDER_L2SPLIT:
        break;
    }
    return s->t.iterateOrder == 0 ? (struct tile_index){i % tiles_m, i / tiles_m}
                                  : (struct tile_index){i / tiles_n, i % tiles_n};
}

/* Tile `i` of a C (all its groups). @return its group. */
static int32_t block_tile(const struct schedule *s, int64_t i, struct span *m, struct span *n)
{
    const struct row_area area = area_of(s, i / s->tiles_n);
    const struct tile_index x = block_index(s, &area, i - area.tiles_before * s->tiles_n);
    *m = span_of(x.m, s->t.baseM, area.rows.len);
    m->at += area.rows.at;
    *n = span_of(x.n, s->t.baseN, s->problem->N);
    return area.group;
}

/* Part of a split tail tile that `core` computes; false if it is empty. */
static bool aswt_part(const struct schedule *s, const struct aswt_tail *x, int32_t core, struct span *m, struct span *n)
{
    const int64_t parts = x->parts_m * x->parts_n;
    if (core >= x->tail * parts) {
        return false;
    }
    (void)block_tile(s, x->full + core / parts, m, n);
    const int64_t part = core % parts, pm = part % x->parts_m, pn = part / x->parts_m;
    const int64_t rows = ceil_div(m->len, x->parts_m), cols = ceil_div(n->len, x->parts_n);
    const int64_t m_len = min_i64(rows, m->len - pm * rows), n_len = min_i64(cols, n->len - pn * cols);
    *m = (struct span){m->at + pm * rows, m_len};
    *n = (struct span){n->at + pn * cols, n_len};
    return m_len > 0 && n_len > 0;
}

static int64_t block_units(const struct schedule *s);

static int64_t chunk_start(const struct schedule *s, int32_t core)
{
    const int64_t units = block_units(s);
    return units / s->cores * core + min_i64(core, units % s->cores);
}

/* Round robin: how many of `total` units `core` gets. */
static int64_t dealt(const struct schedule *s, int32_t core, int64_t total)
{
    return max_i64(0, ceil_div(total - core, s->cores));
}

/* All units of work in one numbering: batch, then K slice, then tile. */
static int64_t block_units(const struct schedule *s)
{
    return (int64_t)s->tiles_m * s->tiles_n * s->parts * s->problem->batch;
}

static int64_t blocks_count(const struct schedule *s, int32_t core)
{
    if (s->t.order == ORDER_CHUNK) {
        return chunk_start(s, core + 1) - chunk_start(s, core);
    }
    const struct aswt_tail x = aswt_split(s->problem, &s->t);
    struct span m, n;
    return dealt(s, core, block_units(s) - x.tail) + (x.tail > 0 && aswt_part(s, &x, core, &m, &n));
}

static void block_unit(const struct schedule *s, int64_t i, struct span *m, struct span *n, struct tile *out)
{
    const int64_t tiles = (int64_t)s->tiles_m * s->tiles_n;
    out->kslice = (int32_t)(i / tiles % s->parts);
    out->batch = (int32_t)(i / tiles / s->parts) + block_tile(s, i % tiles, m, n);
}

static void blocks_at(const struct schedule *s, int32_t core, int64_t t, struct tile *out)
{
    struct span m, n;
    if (s->t.order == ORDER_CHUNK) {
        block_unit(s, chunk_start(s, core) + t, &m, &n, out);
    } else {
        const struct aswt_tail x = aswt_split(s->problem, &s->t);
        const int64_t i = core + t * s->cores;
        if (x.tail == 0 || i < x.full) {
            block_unit(s, i, &m, &n, out);
        } else {
            aswt_part(s, &x, core, &m, &n);
        }
    }
    set_tile(out, m, n);
}

int64_t tiles_count(const struct schedule *s, int32_t core)
{
    return s->t.assign == ASSIGN_BLOCKS ? blocks_count(s, core) : grid_count(s, core) * grid_batches(s, core);
}

int64_t tiles_full_slices(const struct schedule *s, int32_t core)
{
    if (s->parts == 1) {
        return 0;
    }
    const int64_t all = tiles_count(s, core);
    if (s->t.assign == ASSIGN_GRID) {
        return grid_kslice(s, core) < s->parts - 1 ? all : 0;
    }
    /* Dealt in order of K slices: those of the last one come last. */
    return dealt(s, core, (int64_t)s->tiles_m * s->tiles_n * (s->parts - 1));
}

void tiles_at(const struct schedule *s, int32_t core, int64_t t, struct tile *out)
{
    if (s->t.assign == ASSIGN_BLOCKS) {
        blocks_at(s, core, t, out);
    } else {
        out->kslice = grid_kslice(s, core);
        grid_at(s, core, t, out);
    }
}
