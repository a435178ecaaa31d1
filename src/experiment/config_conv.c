/* config_conv.c - a conv as it is read: its im2col view and its name. */
#include <inttypes.h>
#include <string.h>

#include "experiment/config.h"
#include "problem/conv.h"

/* ---- what stands in the map ---- */

void config_conv_sizes(struct config *c, const struct yaml_node *node, const struct config_key *key, void *out)
{
    struct conv_shape *v = &((struct config_draft *)out)->p.conv;
    const struct config_int_rule rule = {.what = key->name, .min = key->min, .max = key->max};
    struct config_ints sizes = {0};
    const bool list = node->kind == YAML_NODE_LIST;
    if (list && !config_read_ints(c, node, &rule, &sizes)) {
        return;
    }
    if (sizes.count != 4) {
        diag_error(c->diag, STATUS_INVALID, &node->at, "%s: expected a list of four sizes", key->name);
        diag_rule(c->diag, "NCHW is [images, channels, height, width], NHWC [images, height, width, channels]");
        return;
    }
    for (size_t i = 0; i < 4; i++) {
        const char letter = key->name[i];
        int64_t *to = letter == 'N' ? &v->n : letter == 'C' ? &v->c : letter == 'H' ? &v->h : &v->w;
        *to = sizes.value[i];
    }
}

static void check_twice(struct config *c, const struct yaml_node *map)
{
    static const char *const sizes[] = {"NCHW", "NHWC"};
    static const char *const single[] = {"N", "C", "Cin", "H", "W", "NHWC"};
    for (size_t i = 0; i < 2; i++) {
        const struct yaml_node *first = yaml_get(map, sizes[i]);
        for (size_t k = 0; first != NULL && k < 6; k++) {
            const struct yaml_node *again = yaml_get(map, single[k]);
            const bool result = again != NULL && k == 1 && again->kind == YAML_NODE_MAP; /* C: the result operand */
            if (again != NULL && again != first && !result) {
                diag_error(c->diag, STATUS_INVALID, &again->key_at, "%s is given twice, here and by %s", single[k],
                           sizes[i]);
                diag_note(c->diag, &first->key_at, "first given here");
            }
        }
    }
}

/* A conv's layouts leave no choice but C's pitch. */
static void check_operand(struct config *c, const struct yaml_node *map, const char *name)
{
    const struct yaml_node *operand = yaml_get(map, name);
    const struct yaml_node *transpose = yaml_get(operand, "transpose"), *ld = yaml_get(operand, "ld");
    const struct yaml_node *format = yaml_get(operand, "format");
    const bool nchw = format != NULL && format->kind == YAML_NODE_SCALAR && strcmp(format->scalar, "NCHW") == 0;
    if (transpose != NULL) {
        diag_error(c->diag, STATUS_INVALID, &transpose->key_at, "%s: a conv's operand has no transpose", name);
        diag_rule(c->diag, "a conv takes A in NC1HWC0 and B in FRACTAL_Z; C is NC1HWC0 or NHWC (ND)");
    }
    if (ld != NULL && name[0] != 'C') {
        diag_error(c->diag, STATUS_INVALID, &ld->key_at, "%s: a conv's operand has no row pitch", name);
        diag_rule(c->diag, "NC1HWC0 and FRACTAL_Z lie without gaps; an NHWC result may have an ld");
    }
    if (nchw && name[0] == 'C') {
        diag_error(c->diag, STATUS_INVALID, &format->at, "C: a result in NCHW (Fixpipe NZ2DN) is not lowered");
        diag_hint(c->diag, "NHWC and NC1HWC0 are");
    }
}

static bool is_nhwc(const struct yaml_node *operand)
{
    const struct yaml_node *format = yaml_get(operand, "format");
    return format != NULL && format->kind == YAML_NODE_SCALAR &&
           (strcmp(format->scalar, "NCHW") == 0 || strcmp(format->scalar, "NHWC") == 0);
}

void config_conv_check(struct config *c, const struct yaml_node *map, const struct config_draft *draft)
{
    static const char *const names[] = {"A", "B", "C"};
    const struct conv_shape *v = &draft->p.conv;
    for (size_t i = 0; i < 3; i++) {
        const struct yaml_node *operand = yaml_get(map, names[i]);
        if (draft->p.op != PROBLEM_CONV && is_nhwc(operand)) {
            diag_error(c->diag, STATUS_INVALID, &operand->at, "%s: NCHW and NHWC are formats of a conv", names[i]);
        } else if (draft->p.op == PROBLEM_CONV) {
            check_operand(c, map, names[i]);
        }
    }
    if (draft->p.op != PROBLEM_CONV) {
        return;
    }
    check_twice(c, map);
    const bool h = v->pad_top >= conv_reach_h(v) || v->pad_bottom >= conv_reach_h(v);
    const bool w = v->pad_left >= conv_reach_w(v) || v->pad_right >= conv_reach_w(v);
    const struct yaml_node *pad = yaml_get(map, "pad");
    if (pad != NULL && v->kh > 0 && v->kw > 0 && (h || w)) {
        diag_warning(c->diag, &pad->at,
                     "pad: as large as the filter's reach, %" PRId64 "x%" PRId64
                     ": some output points see nothing of the map",
                     conv_reach_h(v), conv_reach_w(v));
    }
}

/* ---- the im2col view ---- */

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
        const bool dilated = v->dilation_h > 1 || v->dilation_w > 1;
        const char *reach = dilated
                                ? config_text(c, " dilated to %" PRId64 "x%" PRId64, conv_reach_h(v), conv_reach_w(v))
                                : "";
        return config_text(c, "the filter %" PRId64 "x%" PRId64 "%s does not fit the padded input %" PRId64 "x%" PRId64,
                           v->kh, v->kw, reach, v->h + v->pad_top + v->pad_bottom, v->w + v->pad_left + v->pad_right);
    }
    if (v->c % v->groups != 0 || v->cout % v->groups != 0) {
        return config_text(c, "groups %" PRId64 " do not divide the channels %" PRId64 " and %" PRId64, v->groups, v->c,
                           v->cout);
    }
    if (!conv_formats(p)) {
        return "a conv takes A in NC1HWC0 and B in FRACTAL_Z; C is NC1HWC0 or NHWC (ND)";
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
