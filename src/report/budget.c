/* budget.c - choosing the tiling; the head of the report, its buffers and
 * addresses. */
#include "report/budget.h"

#include <inttypes.h>
#include <string.h>

#include "base/intmath.h"
#include "base/os.h"
#include "report/budget_internal.h"
#include "report/plot_kinds.h"
#include "report/summary.h"
#include "tiling/dtypes.h"
#include "tiling/loads.h"
#include "tiling/supported.h"

/* Points looked at for one that fits, when the auto tiling does not. */
#define SCAN_POINTS 1000000U

static const enum buffer BUFFERS[] = {BUF_L1,  BUF_L0A, BUF_L0B, BUF_L0A_MX, BUF_L0B_MX,
                                      BUF_L0C, BUF_BT,  BUF_FB,  BUF_UB};
#define BUFFER_COUNT (sizeof BUFFERS / sizeof BUFFERS[0])

/* ---- choosing ---- */

static void judge(struct budget *b)
{
    b->fits = b->why.reason == REASON_NONE && plan_fits(b->cell->target, &b->problem, &b->t, &b->plan, &b->why);
    b->missing = (struct infeasible){.field = TF_N};
    (void)plan_supported(b->cell->target, &b->problem, &b->t, &b->missing);
}

static void resolve(struct budget *b)
{
    b->given = b->t;
    tiling_resolve(b->cell->target, &b->problem, &b->t, &b->why);
    judge(b);
}

/* The first point of the space that fits, `where` or not lowered aside. */
static bool scan(struct budget *b)
{
    const struct space *space = &b->cell->space;
    for (uint64_t i = 0; i < space->size && i < SCAN_POINTS; i++) {
        struct budget point = *b;
        struct plan plan;
        struct infeasible why;
        const bool feasible = space_at(space, b->cell->target, &b->problem, i, &point.t, &plan, &why);
        if (feasible || why.reason == REASON_UNSUPPORTED) {
            point.source = BUDGET_SPACE;
            point.index = i;
            space_raw(space, i, &point.given);
            point.why = (struct infeasible){.field = TF_N};
            judge(&point);
            *b = point;
            return true;
        }
    }
    return false;
}

enum status budget_choose(const struct cell *cell, const char *name, struct budget *out, struct diag *d)
{
    *out = (struct budget){.cell = cell, .problem = cell->problem, .source = BUDGET_AUTO};
    if (cell->failed != NULL && (cell->problem.M < 1 || problem_finish(&out->problem, NULL, NULL) != STATUS_OK)) {
        return diag_error(d, STATUS_INVALID, NULL, "%s cannot be taken: %s", cell->name, cell->failed);
    }
    if (name != NULL) {
        out->source = BUDGET_GIVEN;
        TRY(cell_tiling(cell, name, &out->t, d));
        resolve(out);
        return STATUS_OK;
    }
    for (int f = 0; f < TF_N; f++) {
        const struct space_axis *axis = &cell->space.axis[f];
        tiling_set(&out->t, (enum tiling_field)f, axis->count == 1 ? axis->values[0] : TILING_AUTO);
    }
    resolve(out);
    if (!out->fits) {
        (void)scan(out);
    }
    return STATUS_OK;
}

/* ---- shared words ---- */

void budget_pad(struct strbuf *out, int column)
{
    size_t start = out->len;
    int length = 0;
    while (start > 0 && out->text[start - 1] != '\n') {
        start--;
        length += ((unsigned char)out->text[start] & 0xC0U) != 0x80U; /* characters, not bytes */
    }
    strbuf_addf(out, "%*s", length < column ? column - length : 0, "");
}

void budget_bytes(int64_t bytes, int width, struct strbuf *out)
{
    struct strbuf text;
    strbuf_init(&text);
    plot_thousands(bytes, &text);
    strbuf_addf(out, "%*s B", width > 2 ? width - 2 : 0, strbuf_cstr(&text));
    out->failed |= text.failed;
    strbuf_fini(&text);
}

void budget_reason(const struct infeasible *why, const struct tiling *t, struct strbuf *out)
{
    if (why->reason != REASON_BUFFER) {
        infeasible_text(why, t, out);
        return;
    }
    strbuf_addf(out, "%s ", buffer_name((enum buffer)why->buf));
    budget_bytes(why->need, 0, out);
    strbuf_add(out, " of ");
    budget_bytes(why->have, 0, out);
}

void budget_region_name(const struct plan *plan, const struct region *r, struct strbuf *out)
{
    static const char *const names[ROLE_N] = {[ROLE_A] = "A",
                                              [ROLE_B] = "B",
                                              [ROLE_SA] = "scales of A",
                                              [ROLE_SB] = "scales of B",
                                              [ROLE_BIAS] = "bias row",
                                              [ROLE_QUANT] = "quant row",
                                              [ROLE_C] = "C"};
    const bool pong = plan_region(plan, (enum buffer)r->buf, (enum role)r->role, 1) != NULL;
    strbuf_addf(out, "%s%s", names[r->role], r->half ? " pong" : pong ? " ping" : "");
}

/* ---- head ---- */

static void add_source(const struct budget *b, struct strbuf *out)
{
    switch (b->source) {
    case BUDGET_GIVEN:
        strbuf_add(out, "as named; what the name leaves out is fixed by the config or auto");
        break;
    case BUDGET_AUTO:
        strbuf_add(out, "the config's fixed fields, all others by their auto rule");
        break;
    case BUDGET_SPACE:
        strbuf_addf(out, "auto does not fit here: point %" PRIu64 " of the config's space, its first that does",
                    b->index);
        break;
    }
}

/* The advice is about the first thing that is wrong; all buffers that overflow are told. */
static void add_why(const struct budget *b, struct strbuf *out)
{
    const bool buffer = b->why.reason == REASON_BUFFER;
    strbuf_add(out, buffer ? "DOES NOT FIT: " : "NOT LEGAL: ");
    infeasible_advice(b->cell->target, &b->problem, &b->given, &b->why, out);
    if (!buffer) {
        return;
    }
    int others = 0;
    for (int i = 0; i < BUF_N; i++) {
        const int64_t need = plan_need(&b->plan, (enum buffer)i);
        if (i != BUF_GM && i != (int)b->why.buf && need > b->plan.usable[i]) {
            strbuf_addf(out, "%s%s ", others++ ? ", " : "\n           also overfull: ", buffer_name((enum buffer)i));
            budget_bytes(need, 0, out);
            strbuf_add(out, " of ");
            budget_bytes(b->plan.usable[i], 0, out);
        }
    }
    strbuf_add(out, others ? "; a nearest legal value is one with which every buffer fits" : "");
}

static void add_head(const struct budget *b, struct strbuf *out)
{
    const struct target *target = b->cell->target;
    strbuf_add(out, "Budget of ");
    plot_block(&b->t, out);
    strbuf_addf(out, " in %s\n  problem  ", b->cell->name);
    summary_problem(&b->problem, out);
    strbuf_addf(out, "\n  target   %s (architecture %d, %d cores)\n  tiling   ", target->title, target->arch,
                target->cores);
    tiling_name(&b->t, out);
    strbuf_add(out, "\n           ");
    add_source(b, out);
    if (b->problem.a.format == LAYOUT_NZ || b->problem.b.format == LAYOUT_NZ) {
        strbuf_add(out, "\n  Nz       our copies take any row of an Nz operand; through the high-level API (api: high) "
                        "its extents are whole fractals, 16 x C0 (T9)");
    }
    strbuf_add(out, "\n  verdict  ");
    if (!b->fits) {
        add_why(b, out);
    } else if (b->missing.reason != REASON_NONE) {
        strbuf_add(out, "fits; `run` cannot simulate it yet (");
        infeasible_text(&b->missing, &b->t, out);
        strbuf_add(out, ")");
    } else {
        strbuf_add(out, "fits, and can be simulated");
    }
    strbuf_add(out, "\n");
}

/* ---- 1. buffers ---- */

static void add_bar(int64_t used, int64_t usable, struct strbuf *out)
{
    enum { CELLS = 16 };
    const int64_t full = usable > 0 ? min_i64(CELLS, ceil_div(used * CELLS, usable)) : 0;
    strbuf_add(out, "  ");
    for (int i = 0; i < CELLS; i++) {
        strbuf_add(out, i < full ? "#" : ".");
    }
    strbuf_addf(out, " %5.1f %%", usable > 0 ? 100.0 * (double)used / (double)usable : 0.0);
}

/* What of a buffer is not for this kernel, and why. */
static void add_reserve(const struct budget *b, enum buffer buf, struct strbuf *out)
{
    const int64_t held = b->plan.physical[buf] - b->plan.usable[buf];
    if (held == 0) {
        return;
    }
    strbuf_addf(out, "    %s: ", buffer_name(buf));
    budget_bytes(held, 0, out);
    if (buf == BUF_FB) {
        strbuf_addf(out, " are not usable: one quant row has %d columns of 8 B\n", b->cell->target->fb_columns);
    } else {
        strbuf_add(out, " are held back for the vector cores' side of a mixed kernel (kernel: mix)\n");
    }
}

/* Where the size is known from. */
static void add_size_source(const struct budget *b, enum buffer buf, struct strbuf *out)
{
    char key[32] = "buffers.";
    strncat(key, buffer_name(buf), sizeof key - sizeof "buffers.");
    const struct target_fact *fact = target_fact(b->cell->target, key);
    if (fact != NULL) {
        strbuf_addf(out, "  %s [%s]", fact->source, confidence_name(fact->confidence));
    }
}

void budget_buffers(const struct budget *b, struct strbuf *out)
{
    const struct plan *plan = &b->plan;
    strbuf_add(out, "\n1. Buffers\n    buffer          used          left        usable      physical"
                    "                            physical size from\n");
    for (size_t i = 0; i < BUFFER_COUNT; i++) {
        const enum buffer buf = BUFFERS[i];
        if (plan->physical[buf] == 0) {
            continue;
        }
        const int64_t used = plan_need(plan, buf);
        strbuf_addf(out, "    %-6s", buffer_name(buf));
        budget_bytes(used, 14, out);
        budget_bytes(plan->usable[buf] - used, 14, out);
        budget_bytes(plan->usable[buf], 14, out);
        budget_bytes(plan->physical[buf], 14, out);
        add_bar(used, plan->usable[buf], out);
        if (used > plan->usable[buf]) {
            strbuf_add(out, "  <- DOES NOT FIT");
        } else {
            add_size_source(b, buf, out);
        }
        strbuf_add(out, "\n");
    }
    for (size_t i = 0; i < BUFFER_COUNT; i++) {
        add_reserve(b, BUFFERS[i], out);
    }
}

/* ---- 2. address map ---- */

/* Which data the scales of a region belong to. */
static void add_scales(const struct tiling *t, bool a, const struct plan_scales *scales, struct strbuf *out)
{
    const int factor = a ? t->scaleFactorKa : t->scaleFactorKb, span = a ? t->scaleFactorM : t->scaleFactorN;
    strbuf_addf(out, "%d x %d e8m0, for ", scales->rows, scales->codes);
    if (t->scaleCopy == SCALES_BY_STEP) {
        strbuf_addf(out, "one base block of %s", a ? "A" : "B");
    } else if (span > 1) {
        strbuf_addf(out, "all K of up to %d base blocks of %s", span, a ? "A" : "B");
    } else {
        strbuf_addf(out, "%d chunk%s of %s", factor, factor == 1 ? "" : "s", a ? "A" : "B");
    }
}

/* "128 x 512 half" and how it lies. */
static void add_content(const struct budget *b, const struct region *r, struct strbuf *out)
{
    const struct tiling *t = &b->t;
    const struct problem *p = &b->problem;
    const bool a = r->role == ROLE_A || r->role == ROLE_SA;
    const struct operand *o = a ? &p->a : &p->b;
    struct plan_scales scales;
    struct plan_image image;
    switch ((enum role)r->role) {
    case ROLE_A:
    case ROLE_B:
        if (r->buf != BUF_L1) {
            strbuf_addf(out, "%d x %d %s", a ? t->baseM : t->baseN, t->baseK, dtype_info(o->dtype)->name);
            break;
        }
        plan_image(p, t, (enum role)r->role, &image);
        strbuf_addf(out, "%d x %d %s", image.rows, image.l1_cols, dtype_info(o->dtype)->name);
        if (p->op == PROBLEM_CONV && a) {
            strbuf_add(out, ", points x channels");
            break;
        }
        if (dtype_info(o->dtype)->bits == 4) {
            strbuf_add(out, " two in a byte");
        }
        strbuf_addf(out, ", %s; %d base block%s along K",
                    load_k_contiguous(p, (enum role)r->role) ? "k along the row" : "k down the rows",
                    a ? t->stepKa : t->stepKb, (a ? t->stepKa : t->stepKb) == 1 ? "" : "s");
        break;
    case ROLE_SA:
    case ROLE_SB:
        plan_scales(p, t, a ? ROLE_A : ROLE_B, &scales);
        if (r->buf == BUF_L1) {
            add_scales(t, a, &scales, out);
        } else {
            strbuf_addf(out, "%d x %d e8m0, at data address / 16", scales.rows, t->baseK / 32);
        }
        break;
    case ROLE_BIAS:
        strbuf_addf(out, "%d x %s", t->baseN, r->buf == BUF_BT ? "4 B" : dtype_info(p->bias.dtype)->name);
        break;
    case ROLE_QUANT:
        strbuf_addf(out, "%d x uint64", t->baseN);
        break;
    case ROLE_C:
        strbuf_addf(out, "%d x %d accumulators", t->baseM, t->baseN);
        break;
    case ROLE_N:
        break;
    }
    if (r->used < r->size) {
        strbuf_add(out, " (padding ");
        budget_bytes(r->size - r->used, 0, out);
        strbuf_add(out, ")");
    }
}

static void add_line(const char *buffer, int64_t from, int64_t size, struct strbuf *out)
{
    strbuf_addf(out, "    %-6s  0x%05" PRIx64 " - 0x%05" PRIx64, buffer, (uint64_t)from, (uint64_t)(from + size - 1));
    budget_bytes(size, 14, out);
    strbuf_add(out, "  ");
}

/* The region of a buffer with the least offset >= `from`. */
static const struct region *next_region(const struct plan *plan, enum buffer buf, int64_t from)
{
    const struct region *best = NULL;
    for (int i = 0; i < plan->n; i++) {
        const struct region *r = &plan->r[i];
        if (r->buf == buf && r->off >= from && (best == NULL || r->off < best->off)) {
            best = r;
        }
    }
    return best;
}

static void map_buffer(const struct budget *b, enum buffer buf, struct strbuf *out)
{
    const struct plan *plan = &b->plan;
    const char *name = buffer_name(buf);
    int64_t at = 0;
    const struct region *r;
    while ((r = next_region(plan, buf, at)) != NULL) {
        if (r->off > at) {
            add_line(name, at, r->off - at, out);
            strbuf_add(out, "-\n");
            name = "";
        }
        add_line(name, r->off, r->size, out);
        budget_region_name(plan, r, out);
        budget_pad(out, 64);
        add_content(b, r, out);
        strbuf_add(out, r->off + r->size > plan->usable[buf] ? "  <- past the end\n" : "\n");
        name = "";
        at = r->off + r->size;
    }
    if (at > 0 && at < plan->usable[buf]) {
        add_line(name, at, plan->usable[buf] - at, out);
        strbuf_add(out, "-\n");
    }
}

void budget_map(const struct budget *b, struct strbuf *out)
{
    strbuf_add(out, "\n2. Address map  (bytes; - is free)\n");
    for (size_t i = 0; i < BUFFER_COUNT; i++) {
        map_buffer(b, BUFFERS[i], out);
    }
}

/* ---- the whole ---- */

void budget_text(const struct budget *b, struct strbuf *out)
{
    add_head(b, out);
    budget_buffers(b, out);
    budget_map(b, out);
    budget_live(b, out);
    budget_events(b, out);
    budget_axes(b, out);
    budget_frontier(b, out);
    budget_headroom(b, out);
    budget_dtypes(b, out);
}

enum status budget_pictures(const struct budget *b, const char *dir, struct diag *d)
{
    const bool draws = os_have_program("gnuplot");
    struct picture map, frontier;
    struct strbuf title;
    if (!draws) {
        diag_warning(d, NULL, "gnuplot is not installed: %s has data and scripts, but no pictures", dir);
    }
    picture_init(&map, "budget", 900, 600);
    picture_init(&frontier, "frontier", 1160, 760);
    strbuf_init(&title);
    strbuf_add(&title, "Buffer map — ");
    plot_block(&b->t, &title);
    strbuf_add(&title, ", ");
    plot_subject(b->cell, &title);
    enum status st = STATUS_OK;
    if (plot_budget_map(b->cell->target, &b->plan, strbuf_cstr(&title), &map)) {
        st = picture_write_into(dir, &map, draws, d);
    }
    if (st == STATUS_OK && budget_frontier_picture(b, &frontier)) {
        st = picture_write_into(dir, &frontier, draws, d);
    }
    strbuf_fini(&title);
    picture_fini(&map);
    picture_fini(&frontier);
    return st;
}
