/* validated.c - which knobs and parameters no measured row stands behind. */
#include <string.h>

#include "timing/context.h"

/* Board runs exist for these settings only (measurements/open.csv). */
static bool knobs_measured(const struct schedule *s)
{
    const struct tiling *t = &s->t;
    return t->splitK == 1 && t->stepM == 1 && t->stepN == 1 && t->dbL0A == 2 && t->dbL0B == 2 && t->dbL0C == 1 &&
           t->fullLoad == FULL_LOAD_NONE && t->l1Resident == 0 && t->gemv == 0 && t->isBias == 0 &&
           t->l2A == L2_NORMAL && t->l2B == L2_NORMAL && t->l2C == L2_NORMAL && t->copyFirst == 0 && t->rowCopy == 0;
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

bool result_unvalidated(const struct schedule *s, const struct cost *c)
{
    struct step step;
    struct step_work work;
    if (!knobs_measured(s) || assumed(s, "chip.validation")) {
        return true;
    }
    int32_t core = 0;
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
        {loads_differ(s, &work), "timing.load_call"},
        {loads_differ(s, &work), "timing.load_min"},
        {!c->copy[ROLE_A].nd || !c->copy[ROLE_B].nd, "timing.plain_width"},
        {busy_cores < 1, "timing.hbm_core_share"},
        {s->t.kernel == KERNEL_MIX, "timing.mix_us"},
        {s->t.tileBarrier != 0, "timing.tile_barrier"},
        {c->c_unaligned, "timing.fixpipe_unaligned"},
        {work.mmad_barrier != 0, "timing.mmad_barrier"},
    };
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++) {
        if (parameters[i].decides && assumed(s, parameters[i].key)) {
            return true;
        }
    }
    return false;
}
