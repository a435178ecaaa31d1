/* insn_map_draw.c - the panels of a map as one picture. Cells are placed in
 * pixels here; the script only draws. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/insn_map.h"

enum { LEFT = 40, RIGHT = 40, TOP = 104, BOTTOM = 40, TITLE = 26, GAP = 56, WIDE = 1500, MIN_WIDTH = 900 };

static const struct colour {
    uint32_t fill, text;
} colours[] = {{0x7fc4ee, 0x222222}, {0xe69f00, 0x222222}, {0x009e73, 0xffffff}, {0xf0e442, 0x222222},
               {0xcc79a7, 0x222222}, {0x0072b2, 0xffffff}, {0xd55e00, 0xffffff}, {0xbbbbbb, 0x222222}};

/* How often a point is used: pale to dark. */
static const struct colour shades[] = {{0xd6ebf8, 0x222222}, {0x9fcdea, 0x222222}, {0x5ba8d6, 0x222222},
                                       {0x2a7fb8, 0xffffff}, {0x0b5a92, 0xffffff}, {0x063a61, 0xffffff}};

static struct colour colour_of(const struct map_cell *c, int64_t most)
{
    if (c->kind != MAP_USED) {
        return (struct colour){0xffffff, 0x999999};
    }
    if (strncmp(c->label, "x ", 2) == 0) {
        const int64_t n = sizeof shades / sizeof *shades;
        return shades[most > n ? (c->group - 1) * (n - 1) / (most - 1) : (c->group - 1) % n];
    }
    return colours[(uint64_t)c->group % (sizeof colours / sizeof *colours)];
}

struct layout {
    double cell_w, cell_h;
    double x[MAP_PANELS], y[MAP_PANELS]; /* top left of the cells */
    int width, height;
};

static double panel_width(const struct layout *l, const struct map_panel *p)
{
    const double cells = p->columns * l->cell_w, title = 7.2 * (double)strlen(p->title);
    return cells > title ? cells : title;
}

/* Side by side if they fit, else below each other. */
static struct layout layout_of(const struct insn_map *map)
{
    int32_t columns = 0;
    double across = LEFT;
    struct layout l = {.cell_w = 62, .cell_h = 40};
    for (int i = 0; i < map->panels; i++) {
        columns = map->panel[i].columns > columns ? map->panel[i].columns : columns;
    }
    if (columns > 20) {
        l.cell_w = 62.0 * 20 / columns;
        l.cell_w = l.cell_w < 34 ? 34 : l.cell_w;
        l.cell_h = 34;
    }
    for (int i = 0; i < map->panels; i++) {
        across += panel_width(&l, &map->panel[i]) + GAP;
    }
    const bool beside = across <= WIDE;
    double x = LEFT, y = TOP + TITLE, right = 0, bottom = 0;
    for (int i = 0; i < map->panels; i++) {
        const struct map_panel *p = &map->panel[i];
        l.x[i] = x;
        l.y[i] = y;
        const double end_x = x + panel_width(&l, p), end_y = y + p->rows * l.cell_h;
        right = end_x > right ? end_x : right;
        bottom = end_y > bottom ? end_y : bottom;
        x = beside ? end_x + GAP : LEFT;
        y = beside ? y : end_y + GAP;
    }
    l.width = (int)right + RIGHT;
    l.width = l.width < MIN_WIDTH ? MIN_WIDTH : l.width;
    l.height = (int)bottom + BOTTOM;
    return l;
}

static void add_cell(const struct map_cell *c, double x, double y, const struct layout *l, int64_t most,
                     struct strbuf *out)
{
    char number[32] = "", label[48] = "";
    const struct colour k = colour_of(c, most);
    if (c->number >= 0 || c->kind != MAP_PAD) {
        snprintf(number, sizeof number, "%" PRId64 "%s", c->number, c->transposed ? "\xe1\xb5\x80" : "");
    }
    if (l->cell_w >= 50 || strlen(c->label) < 6) {
        const char *text = c->label;
        const bool to = text[0] == '>', from = text[0] == '<', times = text[0] == 'x' && text[1] == ' ';
        const char *sign = to ? "\xe2\x86\x92" : from ? "\xe2\x86\x90" : times ? "\xc3\x97" : "";
        snprintf(label, sizeof label, "%s%s", sign, to || from || times ? text + 1 : text);
    } else if (strncmp(c->label, "square ", 7) == 0) {
        snprintf(label, sizeof label, "s%s", c->label + 7);
    }
    strbuf_addf(out, "%.1f %.1f %.1f %.1f %" PRIu32 " %" PRIu32 " ", x, x + l->cell_w, y, y + l->cell_h, k.fill,
                k.text);
    picture_quoted(out, number);
    strbuf_add(out, " ");
    picture_quoted(out, label);
    strbuf_add(out, "\n");
}

/* All cells of one kind; at least one row, gnuplot stops at none. */
static void add_cells(const struct insn_map *map, const struct layout *l, bool used, struct picture *pic)
{
    size_t n = 0;
    picture_block(pic, used ? "cells" : "gaps");
    for (int i = 0; i < map->panels; i++) {
        const struct map_panel *p = &map->panel[i];
        int64_t most = 0;
        for (size_t c = 0; c < p->count; c++) {
            most = p->cells[c].group > most ? p->cells[c].group : most;
        }
        for (size_t c = 0; c < p->count; c++) {
            if ((p->cells[c].kind == MAP_USED) == used) {
                add_cell(&p->cells[c], l->x[i] + p->cells[c].x * l->cell_w, l->y[i] + p->cells[c].y * l->cell_h, l,
                         most, &pic->data);
                n++;
            }
        }
    }
    if (n == 0) {
        strbuf_add(&pic->data, "NaN NaN NaN NaN 0 0 \"\" \"\"\n");
    }
}

static void add_titles(const struct insn_map *map, const struct layout *l, struct picture *pic)
{
    struct strbuf text;
    char var[16];
    strbuf_init(&text);
    insn_format(map->insn, &text);
    const char *full = strbuf_cstr(&text), *brace = strchr(full, '{');
    char title[160];
    /* Without the struct's name and the pipe: "LoadData L0B+0x0 <- L1+0x0 half on CHIP". */
    const int length = (int)(brace != NULL ? (size_t)(brace - full) - strlen(op_struct_name((enum op)map->insn->op)) - 1
                                           : text.len);
    const char *call = strchr(full, ' ');
    call = call != NULL ? call + 1 : full;
    snprintf(title, sizeof title, "%.*s on %s", length - (int)(call - full), call, map->target->name);
    picture_text(pic, "title", title);
    char fields[200];
    const int room = (int)((l->width - LEFT - 20) / 7.5);
    snprintf(fields, sizeof fields, "%.*s%s", room < 190 ? room : 190, brace != NULL ? brace : "",
             brace != NULL && (int)strlen(brace) > room ? " .." : "");
    picture_text(pic, "sub1", fields);
    bool squares = false;
    for (size_t i = 0; map->panels > 0 && i < map->panel[0].count; i++) {
        squares = squares || strncmp(map->panel[0].cells[i].label, "square", 6) == 0;
    }
    picture_text(pic, "sub2",
                 map->note[0] != '\0' ? map->note
                 : squares
                     ? "equal colours: one transposed square, a band of columns of it in each output; hatched: gap"
                     : "number: in memory, from the operand's address; \xe2\x86\x92 goes to, \xe2\x86\x90 comes "
                       "from; \xe1\xb5\x80 transposed; hatched: gap");
    for (int i = 0; i < map->panels; i++) {
        const struct map_panel *p = &map->panel[i];
        snprintf(var, sizeof var, "panel%d", i);
        picture_text(pic, var, p->title);
        snprintf(var, sizeof var, "px%d", i);
        picture_real(pic, var, l->x[i]);
        snprintf(var, sizeof var, "py%d", i);
        picture_real(pic, var, l->y[i] - 12);
    }
    pic->vars.failed |= text.failed;
    strbuf_fini(&text);
}

enum status insn_map_picture(const struct insn_map *map, const char *dir, bool draws, struct diag *d)
{
    const struct layout l = layout_of(map);
    struct picture pic;
    picture_init(&pic, "insn", l.width, l.height);
    picture_real(&pic, "left", LEFT);
    picture_real(&pic, "right", 0);
    picture_real(&pic, "top", 0);
    picture_real(&pic, "bottom", 0);
    picture_real(&pic, "panels", map->panels);
    add_titles(map, &l, &pic);
    add_cells(map, &l, true, &pic);
    add_cells(map, &l, false, &pic);
    const enum status st = picture_write_into(dir, &pic, draws, d);
    picture_fini(&pic);
    return st;
}
