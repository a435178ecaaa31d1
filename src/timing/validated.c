/* validated.c - which knobs and parameters no measured row stands behind. */
#include <string.h>

#include "timing/context.h"

/* The value of each knob in all board runs (measurements/open.csv). */
static const struct {
    enum tiling_field field;
    int32_t measured;
} knobs[] = {
    {TF_splitK, 1},
    {TF_stepM, 1},
    {TF_stepN, 1},
    {TF_dbL0A, 2},
    {TF_dbL0B, 2},
    {TF_dbL0C, 1},
    {TF_l1Resident, 0},
    {TF_gemv, 0},
    {TF_isBias, 0},
    {TF_copyFirst, 0},
    {TF_rowCopy, 0},
    {TF_loadRepeat, 0},
    {TF_l2A, L2_NORMAL},
    {TF_l2B, L2_NORMAL},
    {TF_l2C, L2_NORMAL},
    {TF_fullLoad, FULL_LOAD_NONE},
    {TF_scaleCopy, SCALES_BY_CHUNK},
    {TF_scaleFactorM, 1},
    {TF_scaleFactorN, 1},
};

#define KNOBS (sizeof knobs / sizeof knobs[0])

static void add_knob(const struct tiling *t, size_t i, struct strbuf *out)
{
    const struct tiling_field_info *info = tiling_field_info(knobs[i].field);
    const int32_t v = tiling_get(t, knobs[i].field);
    strbuf_addf(out, "%s%s ", out->len > 0 ? ", " : "", info->name);
    if (info->words != NULL && v >= info->min && v <= info->max) {
        strbuf_add(out, info->words[v - info->min]);
    } else {
        strbuf_addf(out, "%d", (int)v);
    }
}

/* What a problem asks that none of them did. */
static const char *unmeasured_problem(const struct problem *p)
{
    return p->hf32 ? "hf32" : p->quant.dtype != DTYPE_NONE ? "quant" : NULL;
}

static bool assumed(const struct schedule *s, const char *key)
{
    const struct target_fact *fact = target_fact(s->target, key);
    return fact != NULL && fact->confidence == CONFIDENCE_ASSUMED;
}

/* Loads in another number of instructions than the measured ones. */
static bool loads_differ(const struct schedule *s, const struct step_work *work)
{
    const double *reference = s->target->timing.load_calls_ref;
    return work->calls[ROLE_A] != reference[ROLE_A] || work->calls[ROLE_B] != reference[ROLE_B];
}

/* Rows of 32 B alignment and more pay from an assumed length on; that shorter ones do not is measured. */
static bool unaligned_from_decides(const struct cost *c, const struct step_work *work)
{
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        if (c->copy[role].unaligned_from > 0 && work->row_bytes[role] >= c->copy[role].unaligned_from &&
            cost_unaligned_costs(c, (enum role)role, work->row_bytes[role])) {
            return true;
        }
    }
    return false;
}

/* Goes over everything that may decide the time. `out` NULL: stops at the first. */
static bool unvalidated(const struct schedule *s, const struct cost *c, struct strbuf *out)
{
    bool found = false;
    for (size_t i = 0; i < KNOBS && (out != NULL || !found); i++) {
        if (tiling_get(&s->t, knobs[i].field) != knobs[i].measured) {
            found = true;
            if (out != NULL) {
                add_knob(&s->t, i, out);
            }
        }
    }
    const char *asks = unmeasured_problem(s->problem);
    if (asks != NULL && (out != NULL || !found)) {
        found = true;
        if (out != NULL) {
            strbuf_addf(out, "%s%s", out->len > 0 ? ", " : "", asks);
        }
    }
    struct step step;
    struct step_work work;
    int32_t core = 0;
    if (found && out == NULL) {
        return true;
    }
    while (core < s->cores - 1 && schedule_tiles(s, core) == 0) {
        core++;
    }
    schedule_step_at(s, core, 0, &step);
    schedule_step_work(s, &step, &work);
    const double busy_cores = s->cores_active * s->target->timing.hbm_core_share;
    /* Parameters that this schedule's time depends on; looked up only then. */
    const struct {
        bool decides;
        const char *key;
    } parameters[] = {
        {true, "chip.validation"},
        {loads_differ(s, &work), "timing.load_call"},
        {loads_differ(s, &work), "timing.load_min"},
        {!c->copy[ROLE_A].nd || !c->copy[ROLE_B].nd, "timing.plain_width"},
        {!c->copy[ROLE_A].nd || !c->copy[ROLE_B].nd, "timing.overlap_plain"},
        {unaligned_from_decides(c, &work), "timing.unaligned_row_min"},
        {busy_cores < 1, "timing.hbm_core_share"},
        {s->t.kernel == KERNEL_MIX, "timing.mix_us"},
        {s->t.tileBarrier != 0, "timing.tile_barrier"},
        {c->c_unaligned, "timing.fixpipe_unaligned"},
        {work.mmad_barrier != 0, "timing.mmad_barrier"},
    };
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0] && (out != NULL || !found); i++) {
        if (parameters[i].decides && assumed(s, parameters[i].key)) {
            found = true;
            if (out != NULL) {
                strbuf_addf(out, "%s%s", out->len > 0 ? ", " : "", parameters[i].key);
            }
        }
    }
    return found;
}

bool result_unvalidated(const struct schedule *s, const struct cost *c)
{
    return unvalidated(s, c, NULL);
}

void timing_unvalidated(const struct schedule *s, struct strbuf *out)
{
    struct cost c;
    cost_init(&c, s);
    (void)unvalidated(s, &c, out);
}
