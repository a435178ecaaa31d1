/* budget_live.c - when each region is live, and the flags that say so.
 *
 * Live ranges follow from the order of the program (kernel_rules.md 8, 12): a
 * chunk is copied when its slot is free, read by the steps of the chunk,
 * released by the last of them. Times are not needed for that. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/intmath.h"
#include "report/budget_internal.h"

#define INDENT 30    /* columns before the chart */
#define GAP    " ~ " /* steps left out */

/* ---- states of a region, by step ---- */

/* Steps are counted over the tiles of one core: s = tile * nk + kk. */
struct steps {
    const struct tiling *t;
    int64_t nk; /* steps of a tile */
};

static bool kept_whole(const struct tiling *t, bool a)
{
    return t->fullLoad == (a ? FULL_LOAD_A : FULL_LOAD_B);
}

/* A region of `db` halves that takes one piece every `span` steps of a tile. */
static char piece_state(const struct steps *st, int64_t s, int64_t span, int32_t db, int half)
{
    const int64_t pieces = ceil_div(st->nk, span), tile = s / st->nk, kk = s % st->nk;
    const int64_t piece = tile * pieces + kk / span;
    if (db == 1) {
        return kk % span == 0 ? '*' : '#';
    }
    return piece % db == half ? '#' : '+';
}

/* Scales go with so many chunks, with single steps, or with several tiles. */
static char scale_state(const struct steps *st, const struct region *r, int64_t s)
{
    const struct tiling *t = st->t;
    const bool a = r->role == ROLE_SA;
    const int64_t chunks = a ? (int64_t)t->stepKa * t->scaleFactorKa : (int64_t)t->stepKb * t->scaleFactorKb;
    const int32_t span = a ? t->scaleFactorM : t->scaleFactorN, db = a ? t->dbA1 : t->dbB1;
    if (t->scaleCopy == SCALES_BY_STEP) {
        return s % 2 == r->half ? '#' : '+';
    }
    if (span > 1) { /* the first span of the core's slice */
        return r->half == 0 ? '#' : '+';
    }
    return kept_whole(t, a) ? '#' : piece_state(st, s, chunks, db, r->half);
}

static char l1_state(const struct steps *st, const struct region *r, int64_t s)
{
    const struct tiling *t = st->t;
    const bool a = r->role == ROLE_A;
    const int64_t step = a ? t->stepKa : t->stepKb;
    const int64_t kk = s % st->nk;
    switch ((enum role)r->role) {
    case ROLE_A:
    case ROLE_B:
        return kept_whole(t, a) ? '#' : piece_state(st, s, step, a ? t->dbA1 : t->dbB1, r->half);
    case ROLE_SA:
    case ROLE_SB:
        return scale_state(st, r, s);
    case ROLE_BIAS:
        return kk == 0 ? '*' : '+'; /* read once a tile, then the next row may come */
    case ROLE_QUANT:
        return kk == st->nk - 1 ? '*' : '+';
    case ROLE_C:
    case ROLE_N:
        break;
    }
    return '?';
}

static char state(const struct steps *st, const struct region *r, int64_t s)
{
    const struct tiling *t = st->t;
    switch ((enum buffer)r->buf) {
    case BUF_L1:
        return l1_state(st, r, s);
    case BUF_L0A:
    case BUF_L0A_MX:
        return t->dbL0A == 1 ? '*' : s % t->dbL0A == r->half ? '#' : '+';
    case BUF_L0B:
    case BUF_L0B_MX:
        return t->dbL0B == 1 ? '*' : s % t->dbL0B == r->half ? '#' : '+';
    case BUF_L0C:
        return s / st->nk % t->dbL0C == r->half ? '#' : '-';
    case BUF_BT:
        return s % st->nk == 0 ? '#' : '.';
    case BUF_FB:
        return s % st->nk == st->nk - 1 ? '#' : '.';
    case BUF_GM:
    case BUF_UB:
    case BUF_N:
        break;
    }
    return '?';
}

/* Steps of one tile of the tiling. */
static struct steps steps_of(const struct budget *b)
{
    const int64_t k = min_i64(b->t.singleCoreK, b->problem.K);
    return (struct steps){&b->t, max_i64(1, ceil_div(k, max_i64(1, b->t.baseK)))};
}

char budget_state(const struct budget *b, const struct region *r, int64_t step)
{
    const struct steps st = steps_of(b);
    return state(&st, r, step);
}

/* ---- the chart ---- */

/* Columns of the chart: steps [0, first) and [from, to) with a gap between. */
struct window {
    int64_t first, from, to;
};

static struct window chart_window(int64_t nk)
{
    if (nk <= 48) {
        return (struct window){.first = min_i64(2 * nk, nk + 12), .from = 0, .to = 0};
    }
    return (struct window){.first = 32, .from = nk - 8, .to = nk + 12};
}

/* Adds one character a step; '|' stands before the first step of a new tile. */
static void chart_row(const struct steps *st, const struct window *w, const struct region *r, struct strbuf *out)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t s = pass == 0 ? 0 : w->from; s < (pass == 0 ? w->first : w->to); s++) {
            strbuf_addf(out, "%s%c", s > 0 && s % st->nk == 0 ? "|" : "", state(st, r, s));
        }
        if (pass == 0 && w->to > 0) {
            strbuf_add(out, GAP);
        }
    }
    strbuf_add(out, "\n");
}

/* Numbers of the tile's steps above every eighth. */
static void chart_ruler(const struct steps *st, const struct window *w, int indent, struct strbuf *out)
{
    int column = indent;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t s = pass == 0 ? 0 : w->from; s < (pass == 0 ? w->first : w->to); s++) {
            column += s > 0 && s % st->nk == 0;
            const int64_t kk = s % st->nk;
            /* The next tile starts anew: its 0 needs room after the last number. */
            if (kk % 8 == 0 && (kk > 0 || s == 0 || st->nk % 8 == 0 || st->nk % 8 > 2)) {
                budget_pad(out, column);
                strbuf_addf(out, "%" PRId64, kk);
            }
            column++;
        }
        column += pass == 0 && w->to > 0 ? (int)strlen(GAP) : 0;
    }
    strbuf_add(out, "\n");
}

static void add_chart(const struct budget *b, const struct steps *st, struct strbuf *out)
{
    static const enum buffer order[] = {BUF_L1, BUF_L0A, BUF_L0A_MX, BUF_L0B, BUF_L0B_MX, BUF_L0C, BUF_BT, BUF_FB};
    const struct window w = chart_window(st->nk);
    strbuf_add(out, "    step of the tile");
    chart_ruler(st, &w, INDENT, out);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        for (int k = 0; k < b->plan.n; k++) {
            const struct region *r = &b->plan.r[k];
            if (r->buf == order[i]) {
                strbuf_addf(out, "    %-6s ", buffer_name(order[i]));
                budget_region_name(&b->plan, r, out);
                budget_pad(out, INDENT);
                chart_row(st, &w, r, out);
            }
        }
    }
    strbuf_add(out, "    # read   + next piece comes while the other half is read   * filled, then read: no overlap\n"
                    "    - drained by Fixpipe, then free   . free   | next tile\n");
}

/* ---- in words ---- */

static void chunk_words(const struct budget *b, bool a, int64_t nk, struct strbuf *out)
{
    const struct tiling *t = &b->t;
    const int64_t step = a ? t->stepKa : t->stepKb;
    const int32_t db = a ? t->dbA1 : t->dbB1;
    strbuf_addf(out, "    %s in L1: ", a ? "A" : "B");
    if (kept_whole(t, a)) {
        strbuf_add(out, "copied once, stays for all tiles of the core\n");
        return;
    }
    strbuf_addf(out, "%" PRId64 " chunk%s a tile, live for %" PRId64 " step%s each; ", ceil_div(nk, step),
                ceil_div(nk, step) == 1 ? "" : "s", min_i64(step, nk), min_i64(step, nk) == 1 ? "" : "s");
    strbuf_add(out, db == 1 ? "one buffer: a copy waits for the last load of the chunk before\n"
                            : "the next chunk is copied while this one is read\n");
}

static void add_words(const struct budget *b, const struct steps *st, struct strbuf *out)
{
    const struct tiling *t = &b->t;
    strbuf_addf(out, "    a tile is %" PRId64 " step%s of baseK %d; one step is one Mmad of %d x %d x %d\n", st->nk,
                st->nk == 1 ? "" : "s", t->baseK, t->baseM, t->baseN, t->baseK);
    chunk_words(b, true, st->nk, out);
    chunk_words(b, false, st->nk, out);
    if (b->problem.a.mx && t->scaleCopy == SCALES_BY_STEP) {
        strbuf_add(out, "    scales in L1: those of one step; released with its loads, under flags of their own\n");
    } else if (b->problem.a.mx) {
        strbuf_addf(out, "    scales in L1: of A for %d, of B for %d chunks; released with the last of them\n",
                    t->scaleFactorKa, t->scaleFactorKb);
    }
    if (t->scaleFactorM > 1 || t->scaleFactorN > 1) {
        strbuf_addf(out, "    scales stay for tiles: of A for %d along M, of B for %d along N\n", t->scaleFactorM,
                    t->scaleFactorN);
    }
    if (t->dbL0A == 2 && t->dbL0B == 2) {
        strbuf_add(out,
                   "    L0A, L0B: a base block is loaded while the Mmad of the step before reads the other half\n");
    } else {
        strbuf_addf(out, "    L0A, L0B: %d and %d buffers: %s waits for the Mmad of the step before\n", t->dbL0A,
                    t->dbL0B,
                    t->dbL0A == 1 && t->dbL0B == 1 ? "a load"
                    : t->dbL0A == 1                ? "the load of A"
                                                   : "the load of B");
    }
    strbuf_add(out, t->unitflag
                        ? "    L0C: one tile; Fixpipe drains it in 512 B units behind the last Mmad (unit flag)\n"
                    : t->dbL0C == 2 ? "    L0C: two tiles; one is drained while the next is summed\n"
                                    : "    L0C: one tile; the next one's first Mmad waits for Fixpipe\n");
}

void budget_live(const struct budget *b, struct strbuf *out)
{
    const struct steps st = steps_of(b);
    strbuf_add(out, "\n3. Live ranges  (program order of one core, in the steady state)\n");
    if (b->plan.n == 0) {
        strbuf_add(out, "    none: a field is out of its range\n");
        return;
    }
    add_words(b, &st, out);
    add_chart(b, &st, out);
}

/* ---- event ids ---- */

static void slot_name(const struct plan_event *e, bool pong, struct strbuf *out)
{
    const char *half = !pong ? "" : e->half ? " pong" : " ping";
    if (e->shared) {
        strbuf_addf(out, "L0A%s and L0B%s", half, half);
    } else {
        strbuf_addf(out, "%s%s", e->role == ROLE_B ? "L0B" : "L0A", half);
    }
}

static void chunk_name(const struct plan_event *e, bool pong, struct strbuf *out)
{
    if (e->role == ROLE_BIAS || e->role == ROLE_QUANT) {
        strbuf_addf(out, "%s row in L1", e->role == ROLE_BIAS ? "bias" : "quant");
    } else if (e->role == ROLE_SA) {
        strbuf_addf(out, "scales of A and B in L1, %s", e->half ? "pong" : "ping");
    } else {
        strbuf_addf(out, "%s%s in L1%s", e->role == ROLE_A ? "A" : "B",
                    !pong     ? ""
                    : e->half ? " pong"
                              : " ping",
                    e->shared ? " and its scales" : "");
    }
}

static void add_meaning(const struct plan_event *e, const struct tiling *t, struct strbuf *out)
{
    const bool pong_l1 = (e->role == ROLE_A ? t->dbA1 : t->dbB1) == 2;
    const bool pong_l0 = (e->role == ROLE_A ? t->dbL0A : t->dbL0B) == 2;
    switch ((enum hard_event)e->event) {
    case EVENT_MTE1_MTE2:
        chunk_name(e, pong_l1, out);
        strbuf_add(out, " free: its last load is done");
        break;
    case EVENT_MTE2_MTE1:
        chunk_name(e, pong_l1, out);
        strbuf_add(out, " filled: loads may start");
        break;
    case EVENT_M_MTE1:
        if (e->role == ROLE_BIAS) {
            strbuf_add(out, "BT free: the first Mmad of the tile has read the bias");
            break;
        }
        slot_name(e, pong_l0, out);
        strbuf_addf(out, " free: the Mmad that read %s is done", e->shared ? "them" : "it");
        break;
    case EVENT_MTE1_M:
        slot_name(e, t->dbL0A == 2, out);
        strbuf_add(out, " loaded: the Mmad may start");
        break;
    case EVENT_M_FIX:
        strbuf_addf(out, "C%s summed: last Mmad of the tile done", t->dbL0C == 1 ? "" : e->half ? " pong" : " ping");
        break;
    case EVENT_FIX_M:
        strbuf_addf(out, "C%s stored: the next tile may start there", t->dbL0C == 1 ? "" : e->half ? " pong" : " ping");
        break;
    case EVENT_MTE1_FIX:
        strbuf_add(out, "quant row in L1 handed on: Fixpipe may take it to FB");
        break;
    case EVENT_FIX_MTE1:
        strbuf_add(out, "quant row read by Fixpipe");
        break;
    default:
        break;
    }
}

void budget_events(const struct budget *b, struct strbuf *out)
{
    struct plan_event events[PLAN_EVENTS];
    strbuf_addf(out, "\n4. Event ids  (%d a pair on this chip)\n    %-10s %2s  %-6s  %-9s  meaning\n",
                b->cell->target->event_ids, "pair", "id", "set by", "waited by");
    if (b->plan.n == 0) {
        return;
    }
    const int n = plan_events(&b->problem, &b->t, events);
    bool preset = false;
    for (int i = 0; i < n; i++) {
        const enum hard_event pair = (enum hard_event)events[i].event;
        const bool same = i > 0 && events[i - 1].event == events[i].event;
        strbuf_addf(out, "    %-10s %2d  %-6s  %-9s  ", same ? "" : hard_event_name(pair), events[i].id,
                    pipe_name(hard_event_setter(pair)), pipe_name(hard_event_waiter(pair)));
        add_meaning(&events[i], &b->t, out);
        strbuf_add(out, events[i].preset ? " *\n" : "\n");
        preset |= events[i].preset;
    }
    if (preset) {
        strbuf_add(out, "    * set once before the first tile, waited for once more after the last\n");
    }
    if (b->t.unitflag) {
        strbuf_add(out, "    M and FIX hand L0C over by the unit flag: no ids\n");
    }
}
