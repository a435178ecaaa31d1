/* tiles.c - tile maps.
 *
 * grid:   block b owns slice (b % per, b / per) in each L2 round; inside a
 *         slice the tiles go n outer, m inner (ORDER_M) or the other way.
 * blocks: tiles of the whole C are dealt round robin, tile i = core + t * C,
 *         and i -> (mi, ni) by swizzle, ASWT or in contiguous ranges. */
#include "schedule/tiles.h"

#include "base/intmath.h"

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
    s->tiles_m = (int32_t)ceil_div(p->M, t->baseM);
    s->tiles_n = (int32_t)ceil_div(p->N, t->baseN);
    s->cores_active = 0;
    for (int32_t core = 0; core < s->cores; core++) {
        s->cores_active += tiles_count(s, core) > 0;
    }
}

/* --- grid ---------------------------------------------------------------- */

/* Slice of `core` in `round`; false if there is none. */
static bool grid_slice(const struct schedule *s, int32_t core, int64_t round, struct span *m, struct span *n)
{
    const int64_t mi = core % s->rounds_per + round * s->rounds_per, ni = core / s->rounds_per;
    if (mi >= s->slices_m || ni >= s->slices_n) {
        return false;
    }
    *m = span_of(mi, s->t.singleCoreM, s->problem->M);
    *n = span_of(ni, s->t.singleCoreN, s->problem->N);
    return true;
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
}

static void grid_at(const struct schedule *s, int32_t core, int64_t t, struct tile *out)
{
    struct span m = {0, 0}, n = {0, 0};
    int64_t in_slice = t, tiles_m = 1, tiles_n = 1;
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
    const bool n_outer = s->t.iterateOrder == 0;
    const int64_t mi = n_outer ? in_slice % tiles_m : in_slice / tiles_n;
    const int64_t ni = n_outer ? in_slice / tiles_m : in_slice % tiles_n;
    struct span tm = span_of(mi, s->t.baseM, m.len), tn = span_of(ni, s->t.baseN, n.len);
    tm.at += m.at;
    tn.at += n.at;
    set_tile(out, tm, tn);
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

static struct tile_index block_index(const struct schedule *s, int64_t i)
{
    const int64_t tiles_m = s->tiles_m, tiles_n = s->tiles_n;
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

/* ASWT cuts the tiles of an incomplete last round over all cores. */
struct aswt_tail {
    int64_t full, parts_m, parts_n; /* whole tiles; parts = 1x1: no split */
    int64_t tail;
};

static struct aswt_tail aswt_split(const struct schedule *s)
{
    const int64_t tiles = (int64_t)s->tiles_m * s->tiles_n;
    const int64_t tail = tiles % s->cores;
    struct aswt_tail x = {tiles, 1, 1, 0};
    if (s->t.order != ORDER_ASWT || tail == 0 || s->cores / tail <= 1) {
        return x;
    }
    const int64_t r = s->cores / tail;
    const int64_t last_m = s->problem->M - (int64_t)(s->tiles_m - 1) * s->t.baseM;
    const int64_t last_n = s->problem->N - (int64_t)(s->tiles_n - 1) * s->t.baseN;
    int64_t a = min_i64(last_m, r), b = min_i64(last_n, r);
    while (a * b > r) {
        if (a >= b) {
            a--;
        } else {
            b--;
        }
    }
    x.full = tiles - tail;
    x.tail = tail;
    x.parts_m = ceil_div(last_m, ceil_div(last_m, a));
    x.parts_n = ceil_div(last_n, ceil_div(last_n, b));
    return x;
}

static void block_tile(const struct schedule *s, int64_t i, struct span *m, struct span *n)
{
    const struct tile_index x = block_index(s, i);
    *m = span_of(x.m, s->t.baseM, s->problem->M);
    *n = span_of(x.n, s->t.baseN, s->problem->N);
}

/* Part of a split tail tile that `core` computes; false if it is empty. */
static bool aswt_part(const struct schedule *s, const struct aswt_tail *x, int32_t core, struct span *m, struct span *n)
{
    const int64_t parts = x->parts_m * x->parts_n;
    if (core >= x->tail * parts) {
        return false;
    }
    block_tile(s, x->full + core / parts, m, n);
    const int64_t part = core % parts, pm = part % x->parts_m, pn = part / x->parts_m;
    const int64_t rows = ceil_div(m->len, x->parts_m), cols = ceil_div(n->len, x->parts_n);
    const int64_t m_len = min_i64(rows, m->len - pm * rows), n_len = min_i64(cols, n->len - pn * cols);
    *m = (struct span){m->at + pm * rows, m_len};
    *n = (struct span){n->at + pn * cols, n_len};
    return m_len > 0 && n_len > 0;
}

static int64_t chunk_start(const struct schedule *s, int32_t core)
{
    const int64_t tiles = (int64_t)s->tiles_m * s->tiles_n;
    return tiles / s->cores * core + min_i64(core, tiles % s->cores);
}

static int64_t blocks_count(const struct schedule *s, int32_t core)
{
    if (s->t.order == ORDER_CHUNK) {
        return chunk_start(s, core + 1) - chunk_start(s, core);
    }
    const struct aswt_tail x = aswt_split(s);
    struct span m, n;
    const int64_t whole = max_i64(0, ceil_div(x.full - core, s->cores));
    return whole + (x.tail > 0 && aswt_part(s, &x, core, &m, &n));
}

static void blocks_at(const struct schedule *s, int32_t core, int64_t t, struct tile *out)
{
    struct span m, n;
    if (s->t.order == ORDER_CHUNK) {
        block_tile(s, chunk_start(s, core) + t, &m, &n);
    } else {
        const struct aswt_tail x = aswt_split(s);
        const int64_t i = core + t * s->cores;
        if (i < x.full) {
            block_tile(s, i, &m, &n);
        } else {
            aswt_part(s, &x, core, &m, &n);
        }
    }
    set_tile(out, m, n);
}

int64_t tiles_count(const struct schedule *s, int32_t core)
{
    return s->t.assign == ASSIGN_BLOCKS ? blocks_count(s, core) : grid_count(s, core);
}

void tiles_at(const struct schedule *s, int32_t core, int64_t t, struct tile *out)
{
    if (s->t.assign == ASSIGN_BLOCKS) {
        blocks_at(s, core, t, out);
    } else {
        grid_at(s, core, t, out);
    }
}
