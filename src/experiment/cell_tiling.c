/* cell_tiling.c - a tiling named on the command line, on top of a config. */
#include "experiment/experiment.h"

/* Fields of a partial name that follow from stated ones: a config's own value
 * would only contradict them. */
static bool follows(const struct tiling *t, enum tiling_field f)
{
    const bool a = t->stepKa != TILING_AUTO && t->dbA1 != TILING_AUTO;
    const bool b = t->stepKb != TILING_AUTO && t->dbB1 != TILING_AUTO;
    return (f == TF_depthA1 && a) || (f == TF_depthB1 && b);
}

static void warn(const struct cell *cell, const char *name, enum tiling_field f, int32_t named, struct diag *d)
{
    const char *field = tiling_field_info(f)->name;
    struct strbuf text;
    strbuf_init(&text);
    if (named != TILING_AUTO) {
        tiling_value_text(f, named, &text);
    } else {
        strbuf_add(&text, "what its steps give");
    }
    strbuf_addf(&text, ", not ");
    tiling_value_text(f, cell->space.axis[f].values[0], &text);
    diag_warning(d, NULL, "%s is %s as the config fixes it: the name '%s' holds", field, strbuf_cstr(&text), name);
    strbuf_fini(&text);
}

enum status cell_tiling(const struct cell *cell, const char *name, struct tiling *out, struct diag *d)
{
    TRY(tiling_parse(name, out, d));
    const struct tiling named = *out;
    for (int i = 0; i < TF_N; i++) {
        const enum tiling_field f = (enum tiling_field)i;
        const struct space_axis *axis = &cell->space.axis[f];
        const int32_t v = tiling_get(&named, f);
        if (axis->count != 1 || v == axis->values[0]) {
            continue;
        }
        if (v != TILING_AUTO || follows(&named, f)) {
            warn(cell, name, f, v, d);
        } else {
            tiling_set(out, f, axis->values[0]);
        }
    }
    return STATUS_OK;
}
