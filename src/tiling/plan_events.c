/* plan_events.c - the kernel's flags and their ids (kernel_rules.md 8; MX in
 * the form of section 6 where data and scales share one id).
 *
 *   MTE1_MTE2, MTE2_MTE1  0,1 A ping/pong  2,3 B  4 bias row  5 quant row
 *                         scales of single steps: 4,5, or 6,7 beside a row
 *   M_MTE1                0,1 L0 slots (2,3 L0B where dbL0A != dbL0B)
 *                         bias row: 2, or 4 where 2 is taken
 *   MTE1_M                0,1 L0 slots
 *   M_FIX, FIX_M          0,1 L0C tiles, without unit flag
 *   MTE1_FIX, FIX_MTE1    0   quant row: MTE2 -> FIX is no legal pair on 2201,
 *                             so the row is handed on by MTE1
 * An operand that is loaded whole is never overwritten: no MTE1_MTE2 for it. */
#include "tiling/plan_internal.h"

#define ID_B             2
#define ID_BIAS          4
#define ID_QUANT         5
#define ID_SCALES_BEHIND 6 /* behind those of rows: only where ids 6 and 7 are allowed */

struct event_list {
    struct plan_event *out;
    int n;
};

static void add(struct event_list *l, struct plan_event e)
{
    if (l->n < PLAN_EVENTS) {
        l->out[l->n++] = e;
    }
}

/* `count` ids from `first`, one a half. */
static void add_halves(struct event_list *l, struct plan_event e, int first, int count)
{
    for (int half = 0; half < count; half++) {
        e.id = (uint8_t)(first + half);
        e.half = (uint8_t)half;
        add(l, e);
    }
}

static bool with_scales(const struct problem *p, const struct tiling *t, enum role role)
{
    return t->scaleCopy == SCALES_BY_CHUNK && (role == ROLE_A ? p->a.mx : p->b.mx);
}

int plan_scale_event(const struct problem *p, const struct tiling *t)
{
    return t->isBias || p->quant.dtype != DTYPE_NONE ? ID_SCALES_BEHIND : ID_BIAS;
}

static void add_copies(struct event_list *l, const struct problem *p, const struct tiling *t, enum hard_event event)
{
    const bool free = event == EVENT_MTE1_MTE2; /* says the slot is free; the other: that data are there */
    for (int i = 0; i < 2; i++) {
        const enum role role = i == 0 ? ROLE_A : ROLE_B;
        const struct plan_event e = {
            .event = (uint8_t)event, .role = (uint8_t)role, .shared = with_scales(p, t, role), .preset = free};
        if (!(free && plan_full_load(t, role))) {
            add_halves(l, e, i == 0 ? 0 : ID_B, i == 0 ? t->dbA1 : t->dbB1);
        }
    }
    if (t->scaleCopy == SCALES_BY_STEP && p->a.mx) {
        const struct plan_event scales = {.event = (uint8_t)event, .role = ROLE_SA, .shared = true, .preset = free};
        add_halves(l, scales, plan_scale_event(p, t), 2);
    }
    if (t->isBias) {
        add(l, (struct plan_event){.event = (uint8_t)event, .id = ID_BIAS, .role = ROLE_BIAS, .preset = free});
    }
    if (p->quant.dtype != DTYPE_NONE) {
        add(l, (struct plan_event){.event = (uint8_t)event, .id = ID_QUANT, .role = ROLE_QUANT, .preset = free});
    }
}

static void add_slots(struct event_list *l, const struct tiling *t)
{
    const bool shared = t->dbL0A == t->dbL0B;
    const struct plan_event a = {.event = EVENT_M_MTE1, .role = ROLE_A, .shared = shared, .preset = true};
    const struct plan_event b = {.event = EVENT_M_MTE1, .role = ROLE_B, .preset = true};
    add_halves(l, a, 0, t->dbL0A);
    if (!shared) {
        add_halves(l, b, ID_B, t->dbL0B);
    }
    if (t->isBias) {
        const struct plan_event bias = {.event = EVENT_M_MTE1, .role = ROLE_BIAS, .preset = true};
        add_halves(l, bias, shared ? ID_B : ID_BIAS, 1);
    }
    const struct plan_event loaded = {.event = EVENT_MTE1_M, .role = ROLE_A, .shared = true};
    add_halves(l, loaded, 0, t->dbL0A);
}

static void add_stores(struct event_list *l, const struct problem *p, const struct tiling *t)
{
    if (!t->unitflag) {
        add_halves(l, (struct plan_event){.event = EVENT_M_FIX, .role = ROLE_C}, 0, t->dbL0C);
        add_halves(l, (struct plan_event){.event = EVENT_FIX_M, .role = ROLE_C, .preset = true}, 0, t->dbL0C);
    }
    if (p->quant.dtype != DTYPE_NONE) {
        add(l, (struct plan_event){.event = EVENT_MTE1_FIX, .role = ROLE_QUANT});
        add(l, (struct plan_event){.event = EVENT_FIX_MTE1, .role = ROLE_QUANT});
    }
}

int plan_events(const struct problem *p, const struct tiling *t, struct plan_event out[PLAN_EVENTS])
{
    struct event_list l = {.out = out};
    add_copies(&l, p, t, EVENT_MTE1_MTE2);
    add_copies(&l, p, t, EVENT_MTE2_MTE1);
    add_slots(&l, t);
    add_stores(&l, p, t);
    return l.n;
}
