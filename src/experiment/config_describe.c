/* config_describe.c - the key tables as a text for people. */
#include "experiment/config.h"

static void describe(struct strbuf *out, const char *title, const struct config_key *keys)
{
    strbuf_addf(out, "%s\n", title);
    for (; keys->name != NULL; keys++) {
        strbuf_addf(out, "  %-10s %s\n", keys->name, keys->doc);
    }
}

static void describe_field(struct strbuf *out, const struct tiling_field_info *info)
{
    strbuf_addf(out, "  %-15s %s", info->name, info->meaning);
    for (int i = 0; info->words != NULL && info->words[i] != NULL; i++) {
        strbuf_addf(out, "%s%s", i == 0 ? ": " : ", ", info->words[i]);
    }
    strbuf_add(out, "\n");
}

void experiment_describe(struct strbuf *out)
{
    describe(out, "file", CONFIG_ROOT_KEYS);
    describe(out, "problem, op: matmul", CONFIG_MATMUL_KEYS);
    describe(out, "problem, op: conv", CONFIG_CONV_KEYS);
    describe(out, "operand", CONFIG_OPERAND_KEYS);
    strbuf_add(out, "tiling: each a value, a list, {from, to, step} or auto\n");
    for (int f = 0; f < TF_N; f++) {
        describe_field(out, tiling_field_info((enum tiling_field)f));
    }
    strbuf_add(out, "  order           also {swizzle: {offset: 3, direction: 0}}, {l2split: {rounds: 2}}\n"
                    "  splitK          also {parts: 4, reduce: atomic}\n"
                    "  l2              {resident: [A, B], A: disable, B: normal, C: normal}\n");
}
