/* config_describe.c - the key tables as Markdown for people: `tilescope keys`
 * prints it, the README holds a copy, a test compares them. */
#include <string.h>

#include "experiment/config.h"
#include "experiment/shape_columns.h"

enum part { ALL, SHARED, OWN }; /* of two tables that begin alike */

/* The maps of a config from the outside in. */
static const struct {
    const char *title;
    const struct config_key *keys, *other;
    enum part part;
} MAPS[] = {
    {"The file", CONFIG_ROOT_KEYS, NULL, ALL},
    {"`problem`", CONFIG_MATMUL_KEYS, CONFIG_CONV_KEYS, SHARED},
    {"`problem`, `op: matmul`", CONFIG_MATMUL_KEYS, CONFIG_CONV_KEYS, OWN},
    {"`problem`, `op: conv`", CONFIG_CONV_KEYS, CONFIG_MATMUL_KEYS, OWN},
    {"Operands `A`, `B`, `C`, `bias`", CONFIG_OPERAND_KEYS, NULL, ALL},
    {"`scaleA`, `scaleB`", CONFIG_SCALE_KEYS, NULL, ALL},
    {"`quant`", CONFIG_QUANT_KEYS, NULL, ALL},
    {"`inputs`", CONFIG_INPUTS_KEYS, NULL, ALL},
    {"`A`, `B` of `inputs`", CONFIG_INPUT_KEYS, NULL, ALL},
    {"A range", CONFIG_RANGE_KEYS, NULL, ALL},
    {"Each of `variants`", CONFIG_VARIANT_KEYS, NULL, ALL},
    {"`report`", CONFIG_REPORT_KEYS, NULL, ALL},
};

static bool is_shared(const struct config_key *key, const struct config_key *other)
{
    const struct config_key *same = config_find_key(other, key->name);
    return same != NULL && strcmp(same->doc, key->doc) == 0;
}

static void describe_map(struct strbuf *out, size_t i)
{
    strbuf_addf(out, "| **%s** | |\n", MAPS[i].title);
    for (const struct config_key *key = MAPS[i].keys; key->name != NULL; key++) {
        if (MAPS[i].part == ALL || is_shared(key, MAPS[i].other) == (MAPS[i].part == SHARED)) {
            strbuf_addf(out, "| `%s` | %s |\n", key->name, key->doc);
        }
    }
}

/* Forms beside the plain one; the fields themselves are a table of their own (`tilescope fields`). */
static void describe_tiling(struct strbuf *out)
{
    strbuf_add(out, "| **`tiling`** | |\n"
                    "| a field | a value, a list, a range, or auto; the fields: `tilescope fields` |\n"
                    "| `order` | a word, {swizzle: {offset: 3, direction: 0}}, {l2split: {rounds: 2}} |\n"
                    "| `splitK` | a number, or {parts: 4, reduce: atomic} |\n"
                    "| `l2` | {resident: [A, B], A: disable, B: normal, C: normal} |\n"
                    "| conv API's names | ");
    config_vendor_names(out);
    strbuf_add(out, " |\n");
}

static void describe_words(struct strbuf *out)
{
    struct strbuf words, aliases, formats;
    strbuf_init(&words);
    strbuf_init(&aliases);
    strbuf_init(&formats);
    config_dtype_words(&words, &aliases);
    for (int i = 0; i < LAYOUT_N; i++) {
        strbuf_addf(&formats, "%s%s", i == 0 ? "" : ", ", layout_name((enum layout)i));
    }
    strbuf_addf(out, "| **Words** | |\n| dtypes | %s |\n| other names | %s |\n| formats | %s |\n", strbuf_cstr(&words),
                strbuf_cstr(&aliases), strbuf_cstr(&formats));
    out->failed |= words.failed || aliases.failed || formats.failed;
    strbuf_fini(&words);
    strbuf_fini(&aliases);
    strbuf_fini(&formats);
}

static void describe_columns(struct strbuf *out)
{
    strbuf_add(out, "| **Columns of `shapes`** | in any case; what the config says beside `shapes` fills gaps, and "
                    "wins |\n");
    size_t n = 0;
    while (shape_convention_at(n) != NULL) {
        n++;
    }
    while (n-- > 0) { /* our own stand last */
        const struct shape_convention *convention = shape_convention_at(n);
        strbuf_addf(out, "| %s | ", convention->name);
        for (const struct shape_column *column = convention->columns; column->name != NULL; column++) {
            strbuf_addf(out, "%s%s", column == convention->columns ? "" : ", ", column->name);
        }
        strbuf_add(out, " |\n");
    }
}

void experiment_describe(struct strbuf *out)
{
    strbuf_add(out, "| key | values and meaning |\n|---|---|\n");
    for (size_t i = 0; i < sizeof MAPS / sizeof MAPS[0]; i++) {
        describe_map(out, i);
    }
    describe_tiling(out);
    describe_words(out);
    describe_columns(out);
}
