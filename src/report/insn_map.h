/* insn_map.h - what one instruction does: rules, bytes, cycles, a map of where
 * every fractal comes from and goes to, as text and as a picture; and where
 * every element of L0A and L0B comes from after a list of instructions. */
#ifndef REPORT_INSN_MAP_H
#define REPORT_INSN_MAP_H

#include "base/arena.h"
#include "isa/insn_text.h"
#include "report/picture.h"

/* ---- the map ---- */

enum map_kind { MAP_USED = 0, MAP_GAP, MAP_PAD }; /* GAP: between what is touched; PAD: outside of a feature map */

/* One fractal, block or point, drawn as one cell. */
struct map_cell {
    int32_t x, y;
    int64_t number; /* in memory, from the operand's address; -1: none */
    int64_t group;  /* cells of one colour belong together */
    uint8_t kind;   /* enum map_kind */
    bool transposed;
    char label[40]; /* where it goes to or comes from */
};

enum { MAP_CELLS_MAX = 512, MAP_PANELS = 4 };

struct map_panel {
    char title[120];
    int32_t columns, rows;
    struct map_cell *cells;
    size_t count;
    int64_t total; /* cells there are; more than count: only the first are kept */
};

struct insn_map {
    const struct insn *insn;
    const struct target *target;
    struct map_panel panel[MAP_PANELS];
    int panels;     /* 0: nothing to draw */
    char note[160]; /* what a label means */
};

/* STATUS_NO_MEMORY at worst. Everything lives in `arena`. */
enum status insn_map_build(const struct insn *insn, const struct target *target, struct arena *arena,
                           struct insn_map *map, struct diag *d);
void insn_map_text(const struct insn_map *map, struct strbuf *out);
/* Writes insn.dat, insn.gp and, with `draws`, insn.png and .svg into `dir`. */
enum status insn_map_picture(const struct insn_map *map, const char *dir, bool draws, struct diag *d);

/* ---- the whole report ---- */

/* Parameters, legality, bytes, cycles of an instruction; not the map. */
void insn_report_text(const struct insn_text *t, const struct target *target, struct strbuf *out);
/* Duration with its formula and the target's numbers in it. */
void insn_cycles_text(const struct insn *insn, const struct target *target, struct strbuf *out);

/* ---- elements: the engine run on numbered ones ---- */

/* Appends every element the last instruction wrote, fractal by fractal, as the
 * number of the source element it came from. `count` instructions are run in
 * order. STATUS_MISMATCH with the engine's words if one does not run. */
enum status insn_dump_text(const struct insn *insns, size_t count, const struct target *target, struct strbuf *out,
                           struct diag *d);

/* Runs a list on one set of buffers and appends what L0A and L0B finally hold, as
 * matrices if a Mmad says their extents, else fractal by fractal. */
enum status insn_listing_text(const struct insn *insns, size_t count, const struct target *target, struct strbuf *out,
                              struct diag *d);

#endif
