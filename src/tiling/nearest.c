/* nearest.c - which value of a field would make a tiling legal.
 *
 * Values are tried from the tiling's own outwards, each with all autos resolved
 * anew, so the answer is what the user gets when he sets it. */
#include <inttypes.h>

#include "base/intmath.h"
#include "tiling/loads.h"
#include "tiling/plan.h"

/* Values tried on each side: a buffer holds no more base blocks than this. */
#define TRIES 4096

struct search {
    const struct target *target;
    const struct problem *p;
    struct tiling given; /* what is fixed */
    struct tiling own;   /* resolved */
    const struct infeasible *why;
    enum tiling_field field;
    int rank; /* of the broken rule */
};

/* ---- which rule comes first ---- */

/* Position of `item` in a list of `n`, n if it is not there. */
static int place(const uint8_t *list, int n, uint8_t item)
{
    int i = 0;
    while (i < n && list[i] != item) {
        i++;
    }
    return i;
}

#define PLACE(list, item) place((list), (int)(sizeof(list)), (item))

static int contradiction_rank(const struct infeasible *why)
{
    static const uint8_t split[] = {TF_splitK, TF_singleCoreK, TF_splitKReduce};
    static const uint8_t order[] = {TF_unitflag, TF_order,        TF_assign,        TF_splitK,
                                    TF_fullLoad, TF_gemv,         TF_stepM,         TF_stepN,
                                    TF_stepKa,   TF_scaleCopy,    TF_scaleFactorKa, TF_isBias,
                                    TF_N,        TF_scaleFactorM, TF_scaleFactorKb, TF_scaleFactorN};
    const bool of_split = PLACE(split, why->field) < 3 || (why->field == TF_isBias && why->need == TF_splitK);
    return PLACE(order, of_split ? TF_splitK : why->field);
}

/* Place of a rule in the order plan_fits() looks at them; rules of one place
 * are not told apart. */
static int rank(const struct infeasible *why)
{
    static const uint8_t multiples[] = {TF_baseM, TF_singleCoreM, TF_baseN,      TF_singleCoreN,
                                        TF_baseK, TF_stepKa,      TF_singleCoreK};
    static const uint8_t buffers[] = {BUF_L0C, BUF_L0A, BUF_L0B, BUF_L0A_MX, BUF_L0B_MX, BUF_L1, BUF_BT, BUF_FB};
    switch ((enum infeasible_reason)why->reason) {
    case REASON_RANGE: {
        /* splitK beyond what K has is found with the contradictions. */
        const bool late = why->field == TF_splitK && why->have > why->need && why->need < 4096;
        return late ? 800 + contradiction_rank(why) : 0;
    }
    case REASON_DTYPE:
        return 100 + why->buf;
    case REASON_OPERAND:
        return 110 + why->buf;
    case REASON_LOAD:
        return 200 + (why->field == TF_loadB);
    case REASON_MULTIPLE:
        return 300 + PLACE(multiples, why->field);
    case REASON_BUFFER:
        return 400 + PLACE(buffers, why->buf);
    case REASON_FIELD_WIDTH:
        return 500;
    case REASON_CORES:
        return 600;
    case REASON_DEPTH:
        return 700 + (why->field == TF_depthB1);
    case REASON_CONTRADICTION:
        return 800 + contradiction_rank(why);
    case REASON_EVENTS:
        return 900;
    case REASON_NONE:
    case REASON_WHERE:
    case REASON_UNSUPPORTED:
    case REASON_N:
        break;
    }
    return 1000;
}

/* ---- one value ---- */

static bool has_auto(const struct tiling *t)
{
    for (int f = 0; f < TF_N; f++) {
        if (tiling_get(t, (enum tiling_field)f) == TILING_AUTO) {
            return true;
        }
    }
    return false;
}

/* In a tiling without autos depths follow their steps and buffers, where they did before. */
static void free_depths(struct tiling *t)
{
    if (has_auto(t)) {
        return;
    }
    const bool a = t->depthA1 == t->stepM * t->stepKa * t->dbA1, b = t->depthB1 == t->stepN * t->stepKb * t->dbB1;
    t->depthA1 = a ? TILING_AUTO : t->depthA1;
    t->depthB1 = b ? TILING_AUTO : t->depthB1;
}

/* What the tiling becomes, and what is wrong with it then. */
static enum advice_kind judge(const struct search *s, int64_t value, struct advice *a)
{
    struct plan plan;
    *a = (struct advice){.field = s->field, .value = (int32_t)value, .then = {.field = TF_N}, .t = s->given};
    tiling_set(&a->t, s->field, (int32_t)value);
    tiling_resolve(s->target, s->p, &a->t, &a->then);
    if (a->then.reason == REASON_NONE && plan_fits(s->target, s->p, &a->t, &plan, &a->then)) {
        a->kind = ADVICE_LEGAL;
    } else {
        const bool again = a->then.reason == s->why->reason && a->then.field == s->why->field &&
                           a->then.reason != REASON_BUFFER; /* another rule on this very field */
        a->kind = !again && rank(&a->then) > s->rank ? ADVICE_RULE : ADVICE_NONE;
    }
    return a->kind;
}

/* Nearer values come first on each side, so the first of a kind is its best; a
 * tie goes to the smaller value. @return a legal value is known. */
static bool offer(const struct search *s, struct advice *best, int64_t value)
{
    const int64_t own = tiling_get(&s->own, s->field);
    const int64_t distance = value > own ? value - own : own - value;
    const int64_t known = best->value > own ? best->value - own : own - best->value;
    struct advice a;
    if (value == own || value > INT32_MAX || (best->kind == ADVICE_LEGAL && distance >= known)) {
        return best->kind == ADVICE_LEGAL;
    }
    const enum advice_kind kind = judge(s, value, &a);
    if (kind > best->kind || (kind == best->kind && kind != ADVICE_NONE && distance < known)) {
        *best = a;
    }
    return best->kind == ADVICE_LEGAL;
}

/* ---- the values of a field ---- */

/* Largest value of a field that still means something. */
static int64_t useful_max(const struct search *s)
{
    const struct problem *p = s->p;
    const int64_t nk = s->own.baseK > 0 ? ceil_div(p->K, s->own.baseK) : 1;
    switch (s->field) {
    case TF_usedCoreNum:
        return s->target->cores;
    case TF_stepKa:
    case TF_stepKb:
    case TF_splitK:
        return nk;
    case TF_baseM:
        return align_up(problem_most_rows(p), 64);
    case TF_baseN:
        return align_up(p->N, 64);
    case TF_baseK:
        return align_up(p->K, 64);
    default:
        return tiling_field_info(s->field)->max;
    }
}

/* Step between values worth trying. */
static int64_t unit_of(const struct search *s)
{
    switch (s->field) {
    case TF_baseM:
    case TF_baseN:
        return 16;
    case TF_baseK:
        return max_i64(load_unit(s->p, ROLE_A, AXIS_K), load_unit(s->p, ROLE_B, AXIS_K));
    default:
        return s->why->reason == REASON_MULTIPLE && s->field == s->why->field ? max_i64(1, s->why->need) : 1;
    }
}

static void search_line(const struct search *s, struct advice *best)
{
    const struct tiling_field_info *info = tiling_field_info(s->field);
    const int64_t unit = unit_of(s), own = tiling_get(&s->own, s->field);
    const int64_t most = min_i64(info->max, max_i64(unit, useful_max(s)));
    int64_t down = min_i64(own - 1, most) / unit * unit;
    for (int i = 0; i < TRIES && down >= info->min && !offer(s, best, down); i++) {
        down -= unit;
    }
    int64_t up = (max_i64(own, info->min - 1) / unit + 1) * unit;
    for (int i = 0; i < TRIES && up <= most && !offer(s, best, up); i++) {
        up += unit;
    }
    if (s->why->reason == REASON_RANGE && s->why->need != own) {
        (void)offer(s, best, s->why->need);
    }
}

/* Slices have as many useful sizes as there are cores to cut an axis for. */
static void search_slices(const struct search *s, struct advice *best)
{
    const bool m = s->field == TF_singleCoreM;
    const int64_t size = m ? s->p->M : s->p->N, base = m ? s->own.baseM : s->own.baseN;
    for (int64_t cuts = 1; base > 0 && cuts <= s->target->cores; cuts++) {
        (void)offer(s, best, align_up(ceil_div(size, cuts), base));
    }
}

/* Depths come from steps: one or two buffers of them. */
static void search_depths(const struct search *s, struct advice *best)
{
    const bool a = s->field == TF_depthA1;
    const int64_t step = a ? (int64_t)s->own.stepM * s->own.stepKa : (int64_t)s->own.stepN * s->own.stepKb;
    (void)offer(s, best, step);
    (void)offer(s, best, step * 2);
}

static void search_field(struct search *s, enum tiling_field field, struct advice *best)
{
    s->field = field;
    if (field == TF_singleCoreM || field == TF_singleCoreN) {
        search_slices(s, best);
    } else if (field == TF_singleCoreK) {
        if (s->own.splitK > 0 && s->own.baseK > 0) {
            (void)offer(s, best, align_up(ceil_div(s->p->K, s->own.splitK), s->own.baseK));
        }
        (void)offer(s, best, s->p->K);
    } else if (field == TF_depthA1 || field == TF_depthB1) {
        search_depths(s, best);
    } else if (tiling_field_info(field)->words == NULL || !offer(s, best, tiling_field_info(field)->def)) {
        search_line(s, best); /* choices have no distance: the default first */
    }
}

/* ---- other fields ---- */

#define OTHERS 8

/* Fields that size a buffer, the cheapest to change first; TF_N ends.
 * `whole`: an operand is kept whole, so its slice decides. */
static const uint8_t *sizing_fields(enum buffer buf, bool whole)
{
    static const uint8_t chunks[OTHERS + 1] = {TF_stepKa, TF_stepKb, TF_dbA1,        TF_dbB1,       TF_baseN,
                                               TF_baseM,  TF_baseK,  TF_singleCoreM, TF_singleCoreN};
    static const uint8_t slices[OTHERS + 1] = {TF_singleCoreM, TF_singleCoreN, TF_stepKa, TF_stepKb, TF_dbA1,
                                               TF_dbB1,        TF_baseN,       TF_baseM,  TF_baseK};
    static const uint8_t l0a[] = {TF_baseM, TF_baseK, TF_dbL0A, TF_N}, l0b[] = {TF_baseN, TF_baseK, TF_dbL0B, TF_N},
                         l0c[] = {TF_baseM, TF_baseN, TF_dbL0C, TF_N}, row[] = {TF_baseN, TF_N};
    switch (buf) {
    case BUF_L1:
        return whole ? slices : chunks;
    case BUF_L0A:
    case BUF_L0A_MX:
        return l0a;
    case BUF_L0B:
    case BUF_L0B_MX:
        return l0b;
    case BUF_L0C:
        return l0c;
    case BUF_BT:
    case BUF_FB:
    case BUF_UB:
    case BUF_GM:
    case BUF_N:
        break;
    }
    return row;
}

static void search_others(struct search *s, struct advice *best)
{
    const uint8_t *field = sizing_fields((enum buffer)s->why->buf, s->own.fullLoad != FULL_LOAD_NONE);
    for (int i = 0; i <= OTHERS && field[i] != TF_N && best->kind != ADVICE_LEGAL; i++) {
        struct advice a = {.kind = ADVICE_NONE, .field = (enum tiling_field)field[i], .value = TILING_AUTO};
        if (field[i] != s->why->field) {
            search_field(s, (enum tiling_field)field[i], &a);
        }
        if (a.kind == ADVICE_LEGAL) {
            *best = a;
        }
    }
}

/* One value may not be enough: the other fields of the buffer become auto. */
static void search_freed(struct search *s, struct advice *best)
{
    const uint8_t *field = sizing_fields((enum buffer)s->why->buf, s->own.fullLoad != FULL_LOAD_NONE);
    const struct tiling given = s->given;
    struct advice a = {.kind = ADVICE_NONE, .field = (enum tiling_field)s->why->field, .value = TILING_AUTO};
    uint64_t freed = 0;
    for (int i = 0; i <= OTHERS && field[i] != TF_N; i++) {
        if (field[i] != s->why->field && tiling_get(&s->given, (enum tiling_field)field[i]) != TILING_AUTO) {
            tiling_set(&s->given, (enum tiling_field)field[i], TILING_AUTO);
            freed |= UINT64_C(1) << field[i];
        }
    }
    if (freed != 0) {
        search_field(s, (enum tiling_field)s->why->field, &a);
    }
    if (a.kind == ADVICE_LEGAL) {
        *best = a;
        best->freed = freed;
    }
    s->given = given;
}

void tiling_advise(const struct target *target, const struct problem *p, const struct tiling *given,
                   const struct infeasible *why, struct advice *out)
{
    *out = (struct advice){.field = TF_N, .value = TILING_AUTO, .then = {.field = TF_N}, .t = *given};
    if (why->field >= TF_N || why->reason == REASON_NONE || why->reason == REASON_WHERE ||
        why->reason == REASON_UNSUPPORTED) {
        return;
    }
    struct search s = {.target = target, .p = p, .given = *given, .own = *given, .why = why, .rank = rank(why)};
    struct infeasible ignored;
    tiling_resolve(target, p, &s.own, &ignored);
    free_depths(&s.given);
    search_field(&s, (enum tiling_field)why->field, out);
    if (out->kind != ADVICE_LEGAL && why->reason == REASON_BUFFER) {
        search_others(&s, out);
        if (out->kind != ADVICE_LEGAL) {
            search_freed(&s, out);
        }
    }
}

int32_t tiling_nearest_legal(const struct target *target, const struct problem *p, const struct tiling *given,
                             const struct infeasible *why)
{
    struct advice a;
    tiling_advise(target, p, given, why, &a);
    return a.kind == ADVICE_LEGAL && a.field == why->field && a.freed == 0 ? a.value : TILING_AUTO;
}

void advice_text(const struct advice *advice, const struct infeasible *why, struct strbuf *out)
{
    if (advice->kind == ADVICE_NONE) {
        return;
    }
    const char *name = tiling_field_info(advice->field)->name;
    if (advice->kind == ADVICE_RULE) {
        strbuf_addf(out, "; with %s ", name);
        tiling_value_text(advice->field, advice->value, out);
        strbuf_add(out, " that holds, but ");
        infeasible_text(&advice->then, &advice->t, out);
        return;
    }
    strbuf_addf(out,
                advice->field == why->field && advice->freed == 0 ? "; nearest legal %s: " : "; legal with %s: ", name);
    tiling_value_text(advice->field, advice->value, out);
    const char *before = " and ";
    for (int f = 0; f < TF_N; f++) {
        if ((advice->freed >> f & 1) != 0) {
            strbuf_addf(out, "%s%s", before, tiling_field_info((enum tiling_field)f)->name);
            before = ", ";
        }
    }
    strbuf_add(out, advice->freed != 0 ? " auto" : "");
}

_Static_assert(TF_N <= 64, "advice.freed has a bit for each field");

void infeasible_advice(const struct target *target, const struct problem *p, const struct tiling *given,
                       const struct infeasible *why, struct strbuf *out)
{
    struct tiling t = *given;
    struct infeasible ignored;
    struct advice a;
    tiling_resolve(target, p, &t, &ignored);
    infeasible_text(why, &t, out);
    tiling_advise(target, p, given, why, &a);
    advice_text(&a, why, out);
}
