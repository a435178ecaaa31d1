/* names.c - words of the target room, and look-ups in a loaded target. */
#include <string.h>

#include "target/target.h"

/* The names the documents' support tables and the test vectors use. */
static const char *const product_names[PRODUCT_N] = {
    [PRODUCT_ASCEND950] = "ascend950",   [PRODUCT_ATLAS_A3] = "atlas_a3",     [PRODUCT_ASCEND910B] = "ascend910b",
    [PRODUCT_ASCEND310B] = "ascend310b", [PRODUCT_ASCEND310P] = "ascend310p", [PRODUCT_ASCEND910] = "ascend910",
    [PRODUCT_KIRIN_X90] = "kirin_x90",   [PRODUCT_KIRIN_9030] = "kirin_9030",
};

static const char *const confidence_names[CONFIDENCE_N] = {
    [CONFIDENCE_MEASURED] = "measured",
    [CONFIDENCE_DOCUMENT] = "document",
    [CONFIDENCE_PLATFORM] = "platform",
    [CONFIDENCE_ASSUMED] = "assumed",
};

const char *product_name(enum product product)
{
    return product < PRODUCT_N ? product_names[product] : "unknown";
}

enum product product_from_name(const char *name)
{
    for (int i = 0; i < PRODUCT_N; i++) {
        if (strcmp(name, product_names[i]) == 0) {
            return (enum product)i;
        }
    }
    return PRODUCT_N;
}

const char *confidence_name(enum confidence confidence)
{
    return confidence < CONFIDENCE_N ? confidence_names[confidence] : "unknown";
}

enum confidence confidence_from_name(const char *name)
{
    for (int i = 0; i < CONFIDENCE_N; i++) {
        if (strcmp(name, confidence_names[i]) == 0) {
            return (enum confidence)i;
        }
    }
    return CONFIDENCE_N;
}

double target_rate(const struct target *t, enum dtype left, bool hf32)
{
    return hf32 && left == DTYPE_FLOAT && t->rate_hf32 > 0 ? t->rate_hf32 : t->rate[left];
}

const struct target_fact *target_fact(const struct target *t, const char *key)
{
    for (size_t i = 0; i < t->fact_count; i++) {
        if (strcmp(t->facts[i].key, key) == 0) {
            return &t->facts[i];
        }
    }
    return NULL;
}

double target_error(const struct target *t, bool conv, double us, const char **key)
{
    static const char *const keys[2][2] = {{"chip.error_matmul_short", "chip.error_matmul_long"},
                                           {"chip.error_conv_short", "chip.error_conv_long"}};
    const bool is_long = us >= TARGET_SHORT_US;
    const double like = is_long ? t->error_long[conv] : t->error_short[conv];
    const bool known = like > 0 && us >= TARGET_SHORTEST_US;
    if (key != NULL) {
        *key = known ? keys[conv][is_long] : "chip.validated_error";
    }
    return known ? like : t->validated_error;
}

struct target_trust target_trust(const struct target *t)
{
    struct target_trust trust = {.worst = CONFIDENCE_MEASURED};
    for (size_t i = 0; i < t->fact_count; i++) {
        const struct target_fact *fact = &t->facts[i];
        if (strncmp(fact->key, "timing.", strlen("timing.")) != 0) {
            continue;
        }
        trust.count[fact->confidence]++;
        trust.total++;
        if (fact->confidence > trust.worst) {
            trust.worst = fact->confidence;
        }
    }
    return trust;
}
