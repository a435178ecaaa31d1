/* collect.c - the kept part of a sweep: heap of the best, Pareto front, bottom-k
 * sample, heatmap, reasons.
 *
 * The sample keeps the points with the smallest mixed index (a bottom-k
 * sample): whether a point belongs to it depends on the set of points only. */
#include "sweep/collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "base/limits.h"
#include "base/rng.h"
#include "record/record_columns.h"

#define TOP_MAX 1000U

/* ---- order ---- */

int64_t collect_objective(enum objective objective, const struct record *r)
{
    switch (objective) {
    case OBJECTIVE_GM_BYTES:
        return record_gm_read(r) + record_gm_write(r);
    case OBJECTIVE_L1_BYTES:
        return r->used[BUF_L1];
    case OBJECTIVE_TIME:
        break;
    }
    return r->task;
}

static int three_way(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int collect_compare(enum objective objective, const struct record *a, const struct record *b)
{
    int c = three_way(collect_objective(objective, a), collect_objective(objective, b));
    if (c == 0) {
        c = three_way(a->task, b->task);
    }
    return c != 0 ? c : (a->index > b->index) - (a->index < b->index);
}

static uint64_t sample_rank(const struct record *r)
{
    return rng_mix(r->index + 0x5851F42D4C957F2DULL);
}

/* "a belongs further from the top of the heap than b": worst on top. */
static bool heap_worse(const struct collect *c, bool sample, const struct record *a, const struct record *b)
{
    if (sample) {
        return sample_rank(a) > sample_rank(b);
    }
    return collect_compare(c->experiment->objective, a, b) > 0;
}

/* ---- lists ---- */

static enum status no_memory(struct diag *d)
{
    return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the records of a sweep");
}

static enum status list_push(struct collect_list *l, const struct record *r, struct diag *d)
{
    if (l->n == l->cap) {
        const size_t cap = l->cap ? 2 * l->cap : 64;
        struct record *more = realloc(l->r, cap * sizeof(*more));
        if (!more) {
            return no_memory(d);
        }
        l->r = more;
        l->cap = cap;
    }
    l->r[l->n++] = *r;
    return STATUS_OK;
}

static void swap_records(struct record *a, struct record *b)
{
    const struct record t = *a;
    *a = *b;
    *b = t;
}

static void sift_up(const struct collect *c, bool sample, struct collect_list *l, size_t i)
{
    while (i > 0 && heap_worse(c, sample, &l->r[i], &l->r[(i - 1) / 2])) {
        swap_records(&l->r[i], &l->r[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static void sift_down(const struct collect *c, bool sample, struct collect_list *l)
{
    for (size_t i = 0;;) {
        size_t worst = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < l->n; k++) {
            if (heap_worse(c, sample, &l->r[k], &l->r[worst])) {
                worst = k;
            }
        }
        if (worst == i) {
            return;
        }
        swap_records(&l->r[i], &l->r[worst]);
        i = worst;
    }
}

/* Keeps the `max` best of all records offered. */
static enum status heap_offer(const struct collect *c, bool sample, struct collect_list *l, size_t max,
                              const struct record *r, bool *kept, struct diag *d)
{
    if (l->n < max) {
        TRY(list_push(l, r, d));
        sift_up(c, sample, l, l->n - 1);
        *kept = true;
    } else if (heap_worse(c, sample, &l->r[0], r)) {
        l->r[0] = *r;
        sift_down(c, sample, l);
        *kept = true;
    }
    return STATUS_OK;
}

/* ---- Pareto front: time against GM bytes ---- */

static int64_t gm_bytes(const struct record *r)
{
    return record_gm_read(r) + record_gm_write(r);
}

static enum status front_offer(struct collect_list *l, const struct record *r, bool *kept, struct diag *d)
{
    size_t at = 0; /* first member slower than r */
    while (at < l->n && l->r[at].task <= r->task) {
        at++;
    }
    if (at > 0 && gm_bytes(&l->r[at - 1]) <= gm_bytes(r)) {
        return STATUS_OK; /* dominated, or equal to an earlier one */
    }
    size_t from = at; /* members that r dominates: same time, or slower, and no fewer bytes */
    while (from > 0 && l->r[from - 1].task == r->task) {
        from--;
    }
    size_t end = at;
    while (end < l->n && gm_bytes(&l->r[end]) >= gm_bytes(r)) {
        end++;
    }
    TRY(list_push(l, r, d)); /* makes room; the value is placed below */
    const size_t tail = l->n - 1 - end;
    memmove(&l->r[from + 1], &l->r[end], tail * sizeof(*l->r));
    l->r[from] = *r;
    l->n = from + 1 + tail;
    *kept = true;
    return STATUS_OK;
}

/* ---- heatmap ---- */

static void choose_axes(struct collect_cell *cell)
{
    static const enum tiling_field order[] = {TF_baseM,   TF_baseN,       TF_baseK,       TF_stepKa,
                                              TF_stepKb,  TF_dbL0C,       TF_usedCoreNum, TF_singleCoreM,
                                              TF_depthA1, TF_singleCoreN, TF_depthB1,     TF_order};
    enum tiling_field found[2] = {TF_N, TF_N};
    int n = 0;
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]) && n < 2 && !cell->cell->failed; i++) {
        if (cell->cell->space.axis[order[i]].count > 1) {
            found[n++] = order[i];
        }
    }
    cell->heat_x = n == 2 ? found[0] : TF_N;
    cell->heat_y = n == 2 ? found[1] : TF_N;
}

static struct collect_heat *heat_find(struct collect_cell *cell, int32_t x, int32_t y)
{
    size_t lo = 0;
    size_t hi = cell->heat_count;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const struct collect_heat *h = &cell->heat[mid];
        if (h->y < y || (h->y == y && h->x < x)) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return cell->heat + lo;
}

static enum status heat_insert(struct collect_cell *cell, struct collect_heat **at, int32_t x, int32_t y,
                               struct diag *d)
{
    const size_t i = (size_t)(*at - cell->heat);
    if (cell->heat_count == cell->heat_cap) {
        const size_t cap = cell->heat_cap ? 2 * cell->heat_cap : 64;
        struct collect_heat *more = realloc(cell->heat, cap * sizeof(*more));
        if (!more) {
            return no_memory(d);
        }
        cell->heat = more;
        cell->heat_cap = cap;
    }
    *at = cell->heat + i;
    memmove(*at + 1, *at, (cell->heat_count - i) * sizeof(**at));
    cell->heat_count++;
    **at = (struct collect_heat){.x = x, .y = y, .task = INT64_MAX};
    return STATUS_OK;
}

static enum status heat_offer(struct collect_cell *cell, const struct record *r, bool *kept, struct diag *d)
{
    if (cell->heat_x == TF_N) {
        return STATUS_OK;
    }
    const int32_t x = tiling_get(&r->t, cell->heat_x);
    const int32_t y = tiling_get(&r->t, cell->heat_y);
    struct collect_heat *h = cell->heat ? heat_find(cell, x, y) : NULL;
    if (!h || h == cell->heat + cell->heat_count || h->x != x || h->y != y) {
        if (x == TILING_AUTO || y == TILING_AUTO || cell->heat_count >= COLLECT_HEAT) {
            return STATUS_OK;
        }
        TRY(heat_insert(cell, &h, x, y, d));
        h->why = r->why;
        h->example = r->t;
        *kept = true;
    }
    if (r->why.reason == REASON_NONE && r->verified != VERIFIED_MISMATCH && r->task < h->task) {
        h->task = r->task;
        *kept = true;
    }
    return STATUS_OK;
}

/* ---- reasons ---- */

static bool same_reason(const struct infeasible *a, const struct infeasible *b)
{
    return a->reason == b->reason && a->buf == b->buf && a->field == b->field &&
           (a->reason != REASON_WHERE || a->need == b->need);
}

static struct collect_reason *reason_push(struct collect_cell *cell)
{
    if (cell->reason_count == cell->reason_cap) {
        const size_t cap = cell->reason_cap ? 2 * cell->reason_cap : 8;
        struct collect_reason *more = realloc(cell->reasons, cap * sizeof(*more));
        if (!more) {
            return NULL;
        }
        cell->reasons = more;
        cell->reason_cap = cap;
    }
    return &cell->reasons[cell->reason_count++];
}

static enum status reason_count(struct collect_cell *cell, const struct record *r, struct diag *d)
{
    for (size_t i = 0; i < cell->reason_count; i++) {
        if (same_reason(&cell->reasons[i].why, &r->why)) {
            cell->reasons[i].count++;
            return STATUS_OK;
        }
    }
    struct collect_reason *reason = reason_push(cell);
    if (!reason) {
        return no_memory(d);
    }
    memset(reason, 0, sizeof(*reason));
    reason->why = r->why;
    reason->example = r->t;
    reason->index = r->index;
    reason->count = 1;
    return STATUS_OK;
}

/* ---- the whole ---- */

enum status collect_create(const struct experiment *e, uint64_t total, struct collect **out, struct diag *d)
{
    *out = NULL;
    struct collect *c = calloc(1, sizeof(*c));
    if (!c) {
        return no_memory(d);
    }
    c->experiment = e;
    c->total = total;
    c->keep_all = total <= LIMIT_RESULT_ROWS_ALL && total <= e->keep;
    const uint64_t share = e->count ? e->keep / e->count : 0;
    c->top_max = share < TOP_MAX ? (size_t)share : TOP_MAX;
    if (e->top > 0 && c->top_max < (size_t)e->top) {
        c->top_max = (size_t)e->top;
    }
    c->cells = calloc(e->count ? e->count : 1, sizeof(*c->cells));
    if (!c->cells) {
        collect_destroy(c);
        return no_memory(d);
    }
    for (size_t i = 0; i < e->count; i++) {
        c->cells[i].cell = &e->cells[i];
        choose_axes(&c->cells[i]);
    }
    *out = c;
    return STATUS_OK;
}

void collect_destroy(struct collect *c)
{
    if (!c) {
        return;
    }
    for (size_t i = 0; c->cells && i < c->experiment->count; i++) {
        free(c->cells[i].reasons);
        free(c->cells[i].top.r);
        free(c->cells[i].front.r);
        free(c->cells[i].sample.r);
        free(c->cells[i].heat);
    }
    free(c->cells);
    free(c->rows.r);
    free(c->wrong.r);
    free(c);
}

/* Everything that is kept of single records. */
static enum status keep(struct collect *c, struct collect_cell *cell, const struct record *r, bool *kept,
                        struct diag *d)
{
    *kept = c->keep_all;
    if (c->keep_all) {
        TRY(list_push(&c->rows, r, d));
    }
    if (cell->cell->failed) {
        *kept = true;
        return STATUS_OK;
    }
    TRY(heat_offer(cell, r, kept, d));
    if (r->verified == VERIFIED_MISMATCH && c->wrong.n < COLLECT_WRONG) {
        *kept = true;
        TRY(list_push(&c->wrong, r, d));
    }
    if (r->why.reason != REASON_NONE || r->verified == VERIFIED_MISMATCH) {
        return STATUS_OK;
    }
    TRY(heap_offer(c, false, &cell->top, c->top_max, r, kept, d));
    TRY(heap_offer(c, true, &cell->sample, COLLECT_SAMPLE, r, kept, d));
    return front_offer(&cell->front, r, kept, d);
}

enum status collect_add(struct collect *c, const struct record *r, bool *kept, struct diag *d)
{
    struct collect_cell *cell = &c->cells[r->cell];
    struct collect_counts *n = &cell->counts;
    if (cell->cell->failed) {
        n->failed++;
    } else {
        n->points++;
        n->feasible += r->why.reason == REASON_NONE;
        n->verified += r->verified == VERIFIED_OK;
        n->mismatched += r->verified == VERIFIED_MISMATCH;
        if (r->why.reason != REASON_NONE) {
            TRY(reason_count(cell, r, d));
        }
    }
    return keep(c, cell, r, kept, d);
}

enum status collect_replay(struct collect *c, const struct record *r, struct diag *d)
{
    bool kept = false;
    if (r->cell >= c->experiment->count) {
        return diag_error(d, STATUS_IO, NULL, "the journal names cell %u of %zu", (unsigned)r->cell,
                          c->experiment->count);
    }
    return keep(c, &c->cells[r->cell], r, &kept, d);
}

static int by_objective(const void *a, const void *b, void *objective)
{
    return collect_compare(*(const enum objective *)objective, a, b);
}

static int by_index(const void *a, const void *b)
{
    const struct record *x = a;
    const struct record *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

void collect_finish(struct collect *c)
{
    enum objective objective = c->experiment->objective;
    for (size_t i = 0; i < c->experiment->count; i++) {
        struct collect_cell *cell = &c->cells[i];
        if (cell->top.n) {
            qsort_r(cell->top.r, cell->top.n, sizeof(struct record), by_objective, &objective);
        }
        if (cell->sample.n) {
            qsort(cell->sample.r, cell->sample.n, sizeof(struct record), by_index);
        }
    }
}

struct collect_counts collect_counts(const struct collect *c)
{
    struct collect_counts sum = {0};
    for (size_t i = 0; i < c->experiment->count; i++) {
        const struct collect_counts *n = &c->cells[i].counts;
        sum.points += n->points;
        sum.feasible += n->feasible;
        sum.verified += n->verified;
        sum.mismatched += n->mismatched;
        sum.failed += n->failed;
    }
    return sum;
}

/* ---- checkpoints ---- */

struct checkpoint_head {
    uint64_t done;
    uint32_t first, last;
};

void collect_checkpoint(const struct collect *c, uint64_t done, uint32_t first, uint32_t last, struct strbuf *out)
{
    const struct checkpoint_head head = {.done = done, .first = first, .last = last};
    strbuf_add_n(out, (const char *)&head, sizeof(head));
    for (uint32_t i = first; i <= last; i++) {
        const struct collect_cell *cell = &c->cells[i];
        const uint64_t n = cell->reason_count;
        strbuf_add_n(out, (const char *)&cell->counts, sizeof(cell->counts));
        strbuf_add_n(out, (const char *)&n, sizeof(n));
        if (n) {
            strbuf_add_n(out, (const char *)cell->reasons, (size_t)n * sizeof(*cell->reasons));
        }
    }
}

/* Copies the next `len` bytes out of a cursor; false at its end. */
static bool take(const unsigned char **at, size_t *left, void *out, size_t len)
{
    if (*left < len) {
        return false;
    }
    memcpy(out, *at, len);
    *at += len;
    *left -= len;
    return true;
}

static bool restore_cell(struct collect_cell *cell, const unsigned char **at, size_t *left)
{
    uint64_t n = 0;
    if (!take(at, left, &cell->counts, sizeof(cell->counts)) || !take(at, left, &n, sizeof(n)) ||
        n > *left / sizeof(struct collect_reason)) {
        return false;
    }
    cell->reason_count = 0;
    for (uint64_t i = 0; i < n; i++) {
        struct collect_reason *reason = reason_push(cell);
        if (!reason || !take(at, left, reason, sizeof(*reason))) {
            return false;
        }
    }
    return true;
}

enum status collect_restore(struct collect *c, const void *bytes, size_t len, uint64_t *done, struct diag *d)
{
    struct checkpoint_head head;
    const unsigned char *at = bytes;
    bool ok = take(&at, &len, &head, sizeof(head)) && head.first <= head.last && head.last < c->experiment->count;
    for (uint32_t i = ok ? head.first : 1; ok && i <= head.last; i++) {
        ok = restore_cell(&c->cells[i], &at, &len);
    }
    if (!ok || len != 0) {
        return diag_error(d, STATUS_IO, NULL, "a checkpoint of the journal cannot be read");
    }
    *done = head.done;
    return STATUS_OK;
}
