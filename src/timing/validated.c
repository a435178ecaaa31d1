/* validated.c - which knobs and parameters no measured row stands behind. */
#include <string.h>

#include "timing/context.h"

/* Board runs exist for these settings only (measurements/open.csv). */
static bool knobs_measured(const struct schedule *s)
{
    const struct tiling *t = &s->t;
    return t->splitK == 1 && t->stepM == 1 && t->stepN == 1 && t->dbL0A == 2 && t->dbL0B == 2 && t->dbL0C == 1 &&
           t->fullLoad == FULL_LOAD_NONE && t->l1Resident == 0 && t->gemv == 0 && t->isBias == 0 &&
           t->l2A == L2_NORMAL && t->l2B == L2_NORMAL && t->l2C == L2_NORMAL && t->copyFirst == 0;
}

/* A parameter this schedule's time depends on. */
static bool fact_decides(const struct schedule *s, const struct target_fact *fact)
{
    static const char prefix[] = "timing.";
    if (strncmp(fact->key, prefix, sizeof prefix - 1) != 0) {
        return false;
    }
    const char *name = fact->key + sizeof prefix - 1;
    if (strcmp(name, "tile_barrier") == 0) {
        return s->t.tileBarrier != 0;
    }
    if (strcmp(name, "mix_us") == 0) {
        return s->t.kernel == KERNEL_MIX;
    }
    /* Form constants of the model, and what only conv, MX or short Mmads read. */
    static const char *const apart[] = {"context_rounding", "unaligned_row_min", "hbm_short_row_bytes", "mmad_barrier",
                                        "conv_look_ahead",  "mx_width",          "fixpipe_unaligned",   "init_us",
                                        "init_api_us"};
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        if (strcmp(name, apart[i]) == 0) {
            return false;
        }
    }
    return true;
}

bool result_unvalidated(const struct schedule *s)
{
    if (!knobs_measured(s)) {
        return true;
    }
    for (size_t i = 0; i < s->target->fact_count; i++) {
        const struct target_fact *fact = &s->target->facts[i];
        if (fact->confidence == CONFIDENCE_ASSUMED && fact_decides(s, fact)) {
            return true;
        }
    }
    return false;
}
