/* config_conv.c - a conv as it is read: its im2col view and its name. */
#include <inttypes.h>

#include "experiment/config.h"
#include "problem/conv.h"

/* The layouts of section 11, under their own names or none. */
static bool conv_formats(const struct problem *p)
{
    return (p->a.format == LAYOUT_ND || p->a.format == LAYOUT_NC1HWC0) &&
           (p->b.format == LAYOUT_ND || p->b.format == LAYOUT_FRACTAL_Z) &&
           (p->c.format == LAYOUT_ND || p->c.format == LAYOUT_NC1HWC0);
}

const char *config_conv_view(struct config *c, struct problem *p)
{
    const struct conv_shape *v = &p->conv;
    if (conv_out_h(v) < 1 || conv_out_w(v) < 1) {
        return config_text(c, "the filter %" PRId64 "x%" PRId64 " does not fit the padded input %" PRId64 "x%" PRId64,
                           v->kh, v->kw, v->h + v->pad_top + v->pad_bottom, v->w + v->pad_left + v->pad_right);
    }
    if (v->c % v->groups != 0 || v->cout % v->groups != 0) {
        return config_text(c, "groups %" PRId64 " do not divide the channels %" PRId64 " and %" PRId64, v->groups, v->c,
                           v->cout);
    }
    if (!conv_formats(p)) {
        return "a conv takes A in NC1HWC0 and B in FRACTAL_Z; C is NC1HWC0 or ND (NHWC)";
    }
    if (p->a.mx || p->b.mx) {
        return "a conv has no MX form";
    }
    if (conv_view(p, NULL, NULL) != STATUS_OK) {
        return config_text(c, "C: ld %" PRId64 " is less than the %" PRId64 " output channels", p->c.ld, v->cout);
    }
    return NULL;
}

/* "_stride2", "_pad1x2", nothing where both are `plain`. */
static void add_sides(struct strbuf *out, const char *name, int64_t h, int64_t w, int64_t plain)
{
    if (h != plain || w != plain) {
        strbuf_addf(out, h == w ? "_%s%" PRId64 : "_%s%" PRId64 "x%" PRId64, name, h, w);
    }
}

/* Layers of a network often differ in the stride alone. */
const char *config_conv_label(struct config *c, const struct conv_shape *v)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text, "n%" PRId64 "c%" PRId64 "h%" PRId64 "w%" PRId64 "_k%" PRId64 "r%" PRId64 "s%" PRId64, v->n, v->c,
                v->h, v->w, v->cout, v->kh, v->kw);
    add_sides(&text, "stride", v->stride_h, v->stride_w, 1);
    if (v->pad_top == v->pad_bottom && v->pad_left == v->pad_right) {
        add_sides(&text, "pad", v->pad_top, v->pad_left, 0);
    } else {
        strbuf_addf(&text, "_pad%" PRId32 "x%" PRId32 "x%" PRId32 "x%" PRId32, v->pad_top, v->pad_bottom, v->pad_left,
                    v->pad_right);
    }
    add_sides(&text, "dilation", v->dilation_h, v->dilation_w, 1);
    add_sides(&text, "groups", v->groups, v->groups, 1);
    const char *label = text.failed ? "" : config_text(c, "%s", strbuf_cstr(&text));
    c->no_memory |= text.failed;
    strbuf_fini(&text);
    return label;
}
