/* nearest.c - the legal value of one field nearest to a tiling's own. */
#include <inttypes.h>

#include "base/intmath.h"
#include "tiling/loads.h"
#include "tiling/plan.h"

/* Values tried on each side: a buffer holds no more base blocks than this. */
#define TRIES 4096

struct search {
    const struct target *target;
    const struct problem *p;
    const struct tiling *t;
    const struct infeasible *why;
    enum tiling_field field;
};

/* Depths follow their steps and buffers where they did before. */
static void follow_depths(const struct tiling *from, struct tiling *t)
{
    if (from->depthA1 == from->stepM * from->stepKa * from->dbA1) {
        t->depthA1 = t->stepM * t->stepKa * t->dbA1;
    }
    if (from->depthB1 == from->stepN * from->stepKb * from->dbB1) {
        t->depthB1 = t->stepN * t->stepKb * t->dbB1;
    }
}

enum verdict { BREAKS = 0, HOLDS, FITS };

/* Place of a rule in the order plan_fits() reports them. */
static int rank(const struct infeasible *why)
{
    static const uint8_t ranks[REASON_N] = {
        [REASON_RANGE] = 1,    [REASON_DTYPE] = 2,          [REASON_OPERAND] = 3,     [REASON_LOAD] = 4,
        [REASON_MULTIPLE] = 6, [REASON_BUFFER] = 7,         [REASON_FIELD_WIDTH] = 8, [REASON_CORES] = 9,
        [REASON_DEPTH] = 10,   [REASON_CONTRADICTION] = 12, [REASON_EVENTS] = 13,
    };
    const bool second = why->field == TF_loadB || why->field == TF_depthB1;
    return ranks[why->reason] + (second ? 1 : 0);
}

/* Does the broken rule hold with this value, and does all else? */
static enum verdict judge(const struct search *s, int64_t value)
{
    struct tiling t = *s->t;
    struct plan plan;
    struct infeasible why;
    tiling_set(&t, s->field, (int32_t)value);
    follow_depths(s->t, &t);
    if (plan_fits(s->target, s->p, &t, &plan, &why)) {
        return FITS;
    }
    const bool same = why.reason == s->why->reason && why.buf == s->why->buf && why.field == s->why->field;
    /* A rule reported earlier would hide the broken one. */
    return same || rank(&why) < rank(s->why) ? BREAKS : HOLDS;
}

/* Largest value of a field that still means something. */
static int64_t useful_max(const struct search *s)
{
    const struct tiling *t = s->t;
    const struct problem *p = s->p;
    const int64_t nk = t->baseK > 0 ? ceil_div(p->K, t->baseK) : 1;
    switch (s->field) {
    case TF_usedCoreNum:
        return s->target->cores;
    case TF_stepKa:
    case TF_stepKb:
        return nk;
    case TF_baseM:
        return align_up(p->M, 64);
    case TF_baseN:
        return align_up(p->N, 64);
    case TF_baseK:
        return align_up(p->K, 64);
    case TF_splitK:
        return nk;
    default:
        return tiling_field_info(s->field)->max;
    }
}

/* Step between values worth trying. */
static int64_t unit_of(const struct search *s)
{
    const struct problem *p = s->p;
    switch (s->field) {
    case TF_baseM:
    case TF_baseN:
        return 16;
    case TF_baseK:
        return max_i64(load_unit(p, ROLE_A, AXIS_K), load_unit(p, ROLE_B, AXIS_K));
    default:
        return s->why->reason == REASON_MULTIPLE ? max_i64(1, s->why->need) : 1;
    }
}

struct best {
    int64_t value, distance;
    enum verdict verdict;
};

/* Nearer values come first on each side, so the first of a verdict is its best;
 * a tie goes to the smaller value. */
static bool offer(const struct search *s, struct best *best, int64_t value)
{
    const int64_t own = tiling_get(s->t, s->field);
    const int64_t distance = value > own ? value - own : own - value;
    if (value == own || (best->verdict == FITS && distance >= best->distance)) {
        return best->verdict == FITS;
    }
    const enum verdict v = judge(s, value);
    if (v > best->verdict || (v == best->verdict && v != BREAKS && distance < best->distance)) {
        *best = (struct best){value, distance, v};
    }
    return best->verdict == FITS;
}

static void search_line(const struct search *s, struct best *best)
{
    const struct tiling_field_info *info = tiling_field_info(s->field);
    const int64_t unit = unit_of(s), own = tiling_get(s->t, s->field);
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
static void search_slices(const struct search *s, struct best *best)
{
    const bool m = s->field == TF_singleCoreM;
    const int64_t size = m ? s->p->M : s->p->N, base = m ? s->t->baseM : s->t->baseN;
    for (int64_t cuts = 1; cuts <= s->target->cores; cuts++) {
        (void)offer(s, best, align_up(ceil_div(size, cuts), base));
    }
}

int32_t tiling_nearest_legal(const struct target *target, const struct problem *p, const struct tiling *t,
                             const struct infeasible *why)
{
    if (why->field >= TF_N || why->reason == REASON_NONE || why->reason == REASON_WHERE ||
        why->reason == REASON_UNSUPPORTED) {
        return TILING_AUTO;
    }
    const struct search s = {target, p, t, why, (enum tiling_field)why->field};
    struct best best = {.distance = INT64_MAX};
    if (s.field == TF_singleCoreM || s.field == TF_singleCoreN) {
        search_slices(&s, &best);
    } else if (s.field == TF_singleCoreK) {
        (void)offer(&s, &best, min_i64(INT32_MAX, align_up(ceil_div(p->K, t->splitK), t->baseK)));
        (void)offer(&s, &best, p->K);
    } else if (s.field == TF_depthA1) {
        (void)offer(&s, &best, (int64_t)t->stepM * t->stepKa * t->dbA1);
    } else if (s.field == TF_depthB1) {
        (void)offer(&s, &best, (int64_t)t->stepN * t->stepKb * t->dbB1);
    } else if (tiling_field_info(s.field)->words == NULL ||
               !offer(&s, &best, tiling_field_info(s.field)->def)) { /* choices have no distance: the default first */
        search_line(&s, &best);
    }
    return best.verdict == BREAKS ? TILING_AUTO : (int32_t)best.value;
}

void infeasible_advice(const struct target *target, const struct problem *p, const struct tiling *t,
                       const struct infeasible *why, struct strbuf *out)
{
    infeasible_text(why, t, out);
    const int32_t nearest = tiling_nearest_legal(target, p, t, why);
    if (nearest != TILING_AUTO) {
        strbuf_addf(out, "; nearest legal %s: ", tiling_field_info((enum tiling_field)why->field)->name);
        tiling_value_text((enum tiling_field)why->field, nearest, out);
    }
}
