/* plan.h - where everything lies: buffer addresses, event ids, feasibility.
 *
 * The one place buffer offsets are computed. Feasibility, budget, schedule and
 * emitter read it. Rules: kernel_rules.md sections 1, 2, 3, 4, 6, 8, 9; all
 * capacity comparisons are <=.
 *
 * Two questions are kept apart: does a tiling obey the documents and fit the
 * buffers (plan_fits), and can the schedule lower it today (plan_supported,
 * supported.h)? A point of a space is feasible if both hold (plan_make). */
#ifndef TILING_PLAN_H
#define TILING_PLAN_H

#include "tiling/tiling.h"

/* A piece of one buffer. Addresses are free choice (section 1): L1 holds A,
 * scales of A, B, scales of B, bias row, quant row one after the other, ping
 * before pong; a second L0 buffer starts at half the memory; scales of L0A and
 * L0B lie at their data's address / 16 (the hardware's rule, not ours). */
struct region {
    uint8_t buf;  /* enum buffer */
    uint8_t role; /* enum role */
    uint8_t half; /* ping/pong index */
    uint8_t pad;
    int32_t pitch;           /* L1, L0: rows of the image (rows of 32 B per C0 column) */
    int64_t off, size, used; /* bytes; used: what real (not padded) base blocks need */
};

#define PLAN_REGIONS 24

struct plan {
    int n;
    struct region r[PLAN_REGIONS];
    int64_t peak[BUF_N], usable[BUF_N], physical[BUF_N]; /* bytes */
    uint8_t events_used[HARD_EVENT_N];                   /* ids taken per pair */
};

/* Images in L1 and L0 in elements, padded by the load's unit (kernel_rules 2.2). */
struct plan_image {
    int32_t rows;               /* L1 image rows per C0 column (A: baseM side; transposed: chunk K) */
    int32_t l1_cols;            /* C0-padded other extent of one chunk */
    int64_t l1_bytes, l0_bytes; /* of one chunk / one base block */
};

/* Lays out all buffers of a resolved tiling.
 * @return true if it fits and obeys every rule of the documents; false with
 * `why` set: the first rule broken, in the order ranges, dtypes, loads,
 * multiples, field widths, buffers, cores, depths, contradictions, events.
 * `out` holds what was asked for also when it does not fit (empty only when a
 * field is out of range). */
bool plan_fits(const struct target *target, const struct problem *p, const struct tiling *t, struct plan *out,
               struct infeasible *why);

/* plan_fits(), and the schedule can lower it. */
bool plan_make(const struct target *target, const struct problem *p, const struct tiling *t, struct plan *out,
               struct infeasible *why);

/* Region by buffer, role and half; NULL if the plan has none. */
const struct region *plan_region(const struct plan *plan, enum buffer buf, enum role role, int half);

/* Bytes all regions of a buffer take, which is what the rules T3..T7 speak of. */
int64_t plan_need(const struct plan *plan, enum buffer buf);

/* Image sizes plan_fits() uses; the schedule reads them too. ROLE_A, ROLE_B. */
void plan_image(const struct problem *p, const struct tiling *t, enum role role, struct plan_image *out);

/* MX scales of one operand (ROLE_A or ROLE_B): L1 fractals of 16 rows x 2 codes. */
struct plan_scales {
    int32_t rows;     /* M (N) side of the L1 image, padded to 16 */
    int32_t codes;    /* e8m0 codes per row: ckL1 = baseK * stepK * scaleFactorK / 32, clipped to K */
    int64_t l1_bytes; /* of one scale chunk */
    int64_t l0_bytes; /* of one base block, in L0A_MX or L0B_MX */
};
void plan_scales(const struct problem *p, const struct tiling *t, enum role role, struct plan_scales *out);

/* Extents of one accumulator tile in L0C as Mmad is issued: padded to 16 and,
 * where the load pads N (load_mmad_unit), to that unit. */
void plan_accumulator(const struct target *target, const struct problem *p, const struct tiling *t, int64_t *m,
                      int64_t *n);

/* --- event ids ------------------------------------------------------------ */

/* One flag of the kernel (kernel_rules 8, section 6 for MX): who sets it, who
 * waits, for which buffer. */
struct plan_event {
    uint8_t event, id;  /* enum hard_event; EVENT_ID0.. */
    uint8_t role, half; /* what it guards; ROLE_A: the L0 slot where L0A and L0B share one id */
    bool shared;        /* one id for A and B (L0 slots; ROLE_SA: their scales), or for data and their scales (MX) */
    bool preset;        /* set before the first tile, drained after the last */
};

/* First of the two ids of MTE1_MTE2 and MTE2_MTE1 for scales of single steps
 * (scaleCopy step), one for both operands. */
int plan_scale_event(const struct problem *p, const struct tiling *t);

#define PLAN_EVENTS 48

/* The flags of a tiling, ordered by (event, id). @return the count. */
int plan_events(const struct problem *p, const struct tiling *t, struct plan_event out[PLAN_EVENTS]);

/* --- help for the user ---------------------------------------------------- */

enum advice_kind {
    ADVICE_NONE = 0, /* no value of a field helps */
    ADVICE_RULE,     /* with it the broken rule and those before it hold; `then` is broken next */
    ADVICE_LEGAL     /* with it the whole tiling is legal */
};

struct advice {
    enum advice_kind kind;
    enum tiling_field field; /* why->field; where no value of that is legal, maybe another of the same buffer */
    int32_t value;
    uint64_t freed; /* ADVICE_LEGAL: bit of each field that must become auto for it */
    struct infeasible then;
    struct tiling t; /* the tiling with it, resolved */
};

/* What to change to mend a broken rule: of why->field the legal value nearest
 * to the tiling's own; else the legal value of another field of the same
 * buffer; else one of why->field with the buffer's other fields auto; else the
 * nearest with which at least the rule holds and none
 * reported before it breaks.
 * `given`: the fields that are fixed, the others TILING_AUTO: those are
 * resolved anew for each value, as they will be when the user sets it. Of a
 * tiling without autos all other fields stay, but depths follow their steps. */
void tiling_advise(const struct target *target, const struct problem *p, const struct tiling *given,
                   const struct infeasible *why, struct advice *out);

/* The legal value of why->field by tiling_advise(), TILING_AUTO if none is. */
int32_t tiling_nearest_legal(const struct target *target, const struct problem *p, const struct tiling *given,
                             const struct infeasible *why);

/* The advice in words, after a reason: "; nearest legal baseM: 112". */
void advice_text(const struct advice *advice, const struct infeasible *why, struct strbuf *out);

/* infeasible_text() and advice_text(). `given` as above. */
void infeasible_advice(const struct target *target, const struct problem *p, const struct tiling *given,
                       const struct infeasible *why, struct strbuf *out);

#endif
