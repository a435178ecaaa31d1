/* plan.c - buffer addresses and feasibility of a resolved tiling.
 *
 * Rules on fields are in plan_rules.c, widths of instruction fields in
 * plan_widths.c, image sizes in plan_image.c, event ids in plan_events.c. */
#include "tiling/plan.h"

#include <string.h>

#include "base/intmath.h"
#include "tiling/loads.h"
#include "tiling/plan_internal.h"
#include "tiling/supported.h"

#define L1_ROW_ALIGN  64 /* bias row: L1->BT moves units of 64 B (950: pairs of 32 B) */
#define BT_ELEMENT    4  /* BT holds float or int32 whatever the dtype in GM (T5) */
#define BT_ALIGN      64
#define QUANT_ELEMENT 8 /* one uint64 scale word a column */
#define FB_ALIGN      128
#define L0_MX_ADDRESS 16 /* scales lie at data address / 16 */

bool plan_fail(struct planner *pl, struct infeasible why)
{
    if (pl->why->reason == REASON_NONE) {
        *pl->why = why;
    }
    return false;
}

/* --- regions ------------------------------------------------------------- */

static void add_region(struct planner *pl, struct region r)
{
    struct plan *plan = pl->plan;
    if (plan->n < PLAN_REGIONS) {
        plan->r[plan->n++] = r;
    }
    plan->peak[r.buf] = max_i64(plan->peak[r.buf], r.off + r.size);
}

/* `count` regions one after the other. @return the end. */
static int64_t add_halves(struct planner *pl, struct region r, int count)
{
    for (int half = 0; half < count; half++) {
        r.half = (uint8_t)half;
        add_region(pl, r);
        r.off += r.size;
    }
    return r.off;
}

/* Bytes of real data in a chunk: base blocks without padding. */
static int64_t used_l1(const struct planner *pl, enum role role)
{
    const struct tiling *t = pl->t;
    const bool a = role == ROLE_A;
    const enum dtype dtype = a ? pl->p->a.dtype : pl->p->b.dtype;
    const int64_t size = pl->image[role].l1_bytes;
    int64_t rows, elements;
    if (plan_full_load(t, role) || pl->p->op == PROBLEM_CONV) {
        return size;
    }
    if (!mul_ok(a ? t->baseM : t->baseN, a ? t->stepM : t->stepN, &rows) ||
        !mul_ok(rows, (int64_t)t->baseK * (a ? t->stepKa : t->stepKb), &elements)) {
        return size;
    }
    return min_i64(size, dtype_bytes(dtype, a && plan_vector(pl->p, t) ? (int64_t)t->baseK * t->stepKa : elements));
}

/* Columns a bias or quant row covers: what Mmad is issued with. */
static int64_t row_columns(const struct planner *pl)
{
    int64_t m, n;
    plan_accumulator(pl->target, pl->p, pl->t, &m, &n);
    return n;
}

/* L1: A ping, A pong, scales of A, B ping, B pong, scales of B, bias, quant. */
static void plan_l1(struct planner *pl)
{
    const struct problem *p = pl->p;
    int64_t off = 0;
    for (int i = 0; i < 2; i++) {
        const enum role role = i == 0 ? ROLE_A : ROLE_B;
        const int count = role == ROLE_A ? pl->t->dbA1 : pl->t->dbB1;
        const struct plan_image *image = &pl->image[role];
        off = add_halves(pl,
                         (struct region){.buf = BUF_L1,
                                         .role = (uint8_t)role,
                                         .pitch = image->rows,
                                         .off = off,
                                         .size = image->l1_bytes,
                                         .used = used_l1(pl, role)},
                         count);
        if (role == ROLE_A ? p->a.mx : p->b.mx) {
            struct plan_scales s;
            plan_scales(p, pl->t, role, &s);
            /* As many scale slots as data slots: they share their release (section 6);
             * those of single steps have flags of their own. */
            const int slots = pl->t->scaleCopy == SCALES_BY_STEP ? 2 : count;
            off = add_halves(pl,
                             (struct region){.buf = BUF_L1,
                                             .role = (uint8_t)(role == ROLE_A ? ROLE_SA : ROLE_SB),
                                             .pitch = s.codes / 2,
                                             .off = off,
                                             .size = s.l1_bytes,
                                             .used = s.l1_bytes},
                             slots);
        }
    }
    const int64_t columns = row_columns(pl);
    if (pl->t->isBias) {
        const int64_t bytes = dtype_bytes(p->bias.dtype == DTYPE_NONE ? DTYPE_FLOAT : p->bias.dtype, columns);
        const struct region r = {.buf = BUF_L1, .role = ROLE_BIAS, .pitch = 1, .off = off, .used = bytes};
        add_region(pl, r);
        pl->plan->r[pl->plan->n - 1].size = align_up(bytes, L1_ROW_ALIGN);
        off += align_up(bytes, L1_ROW_ALIGN);
        pl->plan->peak[BUF_L1] = max_i64(pl->plan->peak[BUF_L1], off);
    }
    if (p->quant.dtype != DTYPE_NONE) {
        const int64_t bytes = align_up(columns * QUANT_ELEMENT, FB_ALIGN);
        add_region(pl, (struct region){
                           .buf = BUF_L1, .role = ROLE_QUANT, .pitch = 1, .off = off, .size = bytes, .used = bytes});
    }
}

/* L0A, L0B, L0C: the second buffer starts at half the memory. */
static void plan_l0(struct planner *pl, struct region r, int count)
{
    const int64_t half_at = pl->target->physical[r.buf] / 2;
    const int64_t pitch = r.size <= half_at ? half_at
                                            : r.size; /* too large: stacked, so that `peak` says what it needs */
    for (int half = 0; half < count; half++) {
        r.half = (uint8_t)half;
        r.off = half * pitch;
        add_region(pl, r);
    }
}

/* Scales of the data regions of L0A or L0B just added. */
static void plan_l0_scales(struct planner *pl, enum role role, int count)
{
    const bool a = role == ROLE_A;
    struct plan_scales s;
    plan_scales(pl->p, pl->t, role, &s);
    for (int half = 0; half < count; half++) {
        const struct region *data = plan_region(pl->plan, a ? BUF_L0A : BUF_L0B, role, half);
        add_region(pl, (struct region){.buf = a ? BUF_L0A_MX : BUF_L0B_MX,
                                       .role = a ? ROLE_SA : ROLE_SB,
                                       .half = (uint8_t)half,
                                       .pitch = s.rows,
                                       .off = data->off / L0_MX_ADDRESS,
                                       .size = s.l0_bytes,
                                       .used = s.l0_bytes});
    }
}

static void plan_operands_l0(struct planner *pl)
{
    const struct tiling *t = pl->t;
    const struct problem *p = pl->p;
    const struct plan_image *a = &pl->image[ROLE_A], *b = &pl->image[ROLE_B];
    const int64_t rows_a = plan_vector(p, t) ? 1 : t->baseM;
    plan_l0(pl,
            (struct region){.buf = BUF_L0A,
                            .role = ROLE_A,
                            .pitch = t->baseM,
                            .size = a->l0_bytes,
                            .used = dtype_bytes(p->a.dtype, rows_a * t->baseK)},
            t->dbL0A);
    plan_l0(pl,
            (struct region){.buf = BUF_L0B,
                            .role = ROLE_B,
                            .pitch = t->baseN,
                            .size = b->l0_bytes,
                            .used = dtype_bytes(p->b.dtype, (int64_t)t->baseN * t->baseK)},
            t->dbL0B);
    if (p->a.mx) {
        plan_l0_scales(pl, ROLE_A, t->dbL0A);
    }
    if (p->b.mx) {
        plan_l0_scales(pl, ROLE_B, t->dbL0B);
    }
}

static void plan_regions(struct planner *pl)
{
    const struct tiling *t = pl->t;
    const int64_t element = dtypes_l0c_bytes(pl->target, pl->triple);
    int64_t m, n;
    plan_l1(pl);
    plan_operands_l0(pl);
    plan_accumulator(pl->target, pl->p, t, &m, &n);
    plan_l0(pl,
            (struct region){.buf = BUF_L0C,
                            .role = ROLE_C,
                            .pitch = (int32_t)m,
                            .size = m * n * element,
                            .used = (int64_t)t->baseM * t->baseN * element},
            t->dbL0C);
    if (t->isBias) {
        const int64_t bytes = align_up(n * BT_ELEMENT, BT_ALIGN);
        add_region(pl, (struct region){.buf = BUF_BT, .role = ROLE_BIAS, .pitch = 1, .size = bytes, .used = bytes});
    }
    if (pl->p->quant.dtype != DTYPE_NONE) {
        const int64_t bytes = align_up(n * QUANT_ELEMENT, FB_ALIGN);
        add_region(pl, (struct region){.buf = BUF_FB, .role = ROLE_QUANT, .pitch = 1, .size = bytes, .used = bytes});
    }
}

int64_t plan_need(const struct plan *plan, enum buffer buf)
{
    int64_t sum = 0;
    for (int i = 0; i < plan->n; i++) {
        sum += plan->r[i].buf == buf ? plan->r[i].size : 0;
    }
    return sum;
}

/* --- feasibility ---------------------------------------------------------- */

/* The operand with more bytes in L1 gives way first, by its step if it has one. */
static enum tiling_field largest_of_l1(const struct planner *pl)
{
    const struct tiling *t = pl->t;
    const int64_t a = pl->image[ROLE_A].l1_bytes * t->dbA1, b = pl->image[ROLE_B].l1_bytes * t->dbB1;
    if (t->stepKa > 1 && !plan_full_load(t, ROLE_A) && (a >= b || t->stepKb == 1)) {
        return TF_stepKa;
    }
    if (t->stepKb > 1 && !plan_full_load(t, ROLE_B)) {
        return TF_stepKb;
    }
    return a >= b ? TF_baseM : TF_baseN;
}

/* The field to lower first when a buffer overflows. */
static enum tiling_field field_of(const struct planner *pl, enum buffer buf)
{
    const struct tiling *t = pl->t;
    switch (buf) {
    case BUF_L1:
        return largest_of_l1(pl);
    case BUF_L0A:
    case BUF_L0A_MX:
        return t->baseM > 16 ? TF_baseM : TF_baseK;
    case BUF_L0B:
    case BUF_L0B_MX:
        return t->baseN > 16 ? TF_baseN : TF_baseK;
    case BUF_L0C:
        return t->baseM >= t->baseN ? TF_baseM : TF_baseN;
    case BUF_BT:
    case BUF_FB:
    case BUF_UB:
    case BUF_GM:
    case BUF_N:
        break;
    }
    return TF_baseN;
}

static bool check_buffers(struct planner *pl)
{
    static const enum buffer order[] = {BUF_L0C, BUF_L0A, BUF_L0B, BUF_L0A_MX, BUF_L0B_MX, BUF_L1, BUF_BT, BUF_FB};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const int64_t need = plan_need(pl->plan, order[i]), have = pl->plan->usable[order[i]];
        if (need > have) {
            return plan_fail(pl, (struct infeasible){.reason = REASON_BUFFER,
                                                     .buf = (uint8_t)order[i],
                                                     .field = (uint8_t)field_of(pl, order[i]),
                                                     .need = need,
                                                     .have = have});
        }
    }
    return true;
}

static bool check_events(struct planner *pl)
{
    struct plan_event events[PLAN_EVENTS];
    const int n = plan_events(pl->p, pl->t, events);
    int last = 0;
    for (int i = 0; i < n; i++) {
        pl->plan->events_used[events[i].event]++;
        last = events[i].id > last ? events[i].id : last;
    }
    return last < pl->target->event_ids ||
           plan_fail(pl,
                     (struct infeasible){
                         .reason = REASON_EVENTS, .field = TF_dbA1, .need = last + 1, .have = pl->target->event_ids});
}

static void plan_capacities(struct planner *pl)
{
    const struct target *target = pl->target;
    struct plan *plan = pl->plan;
    for (int b = 0; b < BUF_N; b++) {
        plan->physical[b] = target->physical[b];
        plan->usable[b] = target->physical[b] - (pl->t->kernel == KERNEL_MIX ? target->reserve_mix[b] : 0);
    }
    /* One quant row has fb_columns words, whatever the memory behind it (A26). */
    plan->usable[BUF_FB] = min_i64(target->physical[BUF_FB], (int64_t)target->fb_columns * QUANT_ELEMENT);
}

bool plan_fits(const struct target *target, const struct problem *p, const struct tiling *t, struct plan *out,
               struct infeasible *why)
{
    struct planner pl = {.target = target, .p = p, .t = t, .triple = dtypes_triple(target, p), .plan = out, .why = why};
    memset(out, 0, sizeof *out);
    *why = (struct infeasible){.reason = REASON_NONE, .field = TF_N};
    plan_capacities(&pl);
    if (!plan_check_ranges(&pl)) {
        return false;
    }
    plan_image(p, t, ROLE_A, &pl.image[ROLE_A]);
    plan_image(p, t, ROLE_B, &pl.image[ROLE_B]);
    plan_regions(&pl);
    (void)(plan_check_fields(&pl) && check_buffers(&pl) && plan_check_widths(&pl) && plan_check_relations(&pl));
    (void)check_events(&pl); /* counts ids in any case */
    return why->reason == REASON_NONE;
}

bool plan_make(const struct target *target, const struct problem *p, const struct tiling *t, struct plan *out,
               struct infeasible *why)
{
    return plan_fits(target, p, t, out, why) && plan_supported(target, p, t, why);
}

const struct region *plan_region(const struct plan *plan, enum buffer buf, enum role role, int half)
{
    for (int i = 0; i < plan->n; i++) {
        const struct region *r = &plan->r[i];
        if (r->buf == buf && r->role == role && r->half == half) {
            return r;
        }
    }
    return NULL;
}
