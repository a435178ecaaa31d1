/* budget_frontier.c - the feasible base blocks: for each baseM and baseK the
 * largest baseN, by buffer depths and dtype; as tables and as a picture. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/intmath.h"
#include "report/budget_internal.h"
#include "report/plot_kinds.h"
#include "tiling/dtypes.h"
#include "tiling/loads.h"

/* Bytes of K of one row of a base block: what the frontier depends on. */
static const int32_t K_BYTES[] = {32, 64, 128, 256, 512, 1024};
#define K_COUNT ((int)(sizeof K_BYTES / sizeof K_BYTES[0]))

static const struct frontier_depths DEPTHS[] = {{2, 2, 1}, {2, 2, 2}, {1, 1, 1}, {1, 1, 2}};
#define DEPTH_COUNT 4

static bool fits(const struct target *target, const struct problem *p, int32_t m, int32_t n, int32_t k,
                 struct frontier_depths db, struct infeasible *why)
{
    struct tiling t;
    struct plan plan;
    tiling_all_auto(&t);
    t.baseM = m, t.baseN = n, t.baseK = k;
    t.stepKa = t.stepKb = 1;
    t.dbA1 = t.dbB1 = 2;
    t.dbL0A = db.l0a, t.dbL0B = db.l0b, t.dbL0C = db.l0c;
    t.assign = ASSIGN_BLOCKS;
    t.unitflag = 0;
    tiling_resolve(target, p, &t, why);
    if (p->op == PROBLEM_CONV) {
        /* A chunk of a feature map is whole channel blocks. */
        const int64_t window = p->conv.kh * p->conv.kw * dtype_c0(p->a.dtype);
        t.stepKa = (int32_t)(window / gcd_i64(window, k));
        t.depthA1 = t.stepKa * 2;
    }
    return why->reason == REASON_NONE && plan_fits(target, p, &t, &plan, why);
}

int32_t budget_largest_n(const struct target *target, const struct problem *p, int32_t base_m, int32_t base_k,
                         struct frontier_depths db, struct infeasible *why)
{
    /* Fits below `low`, not above `high`, in units: sizes grow with baseN. */
    int32_t low = 0, high = FRONTIER_MAX / FRONTIER_UNIT + 1;
    while (high - low > 1) {
        const int32_t middle = (low + high) / 2;
        struct infeasible ignored;
        if (fits(target, p, base_m, middle * FRONTIER_UNIT, base_k, db, &ignored)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (void)fits(target, p, base_m, high * FRONTIER_UNIT, base_k, db, why);
    return low * FRONTIER_UNIT;
}

/* Elements of K in so many bytes; 0 if no load works on that. */
static int32_t k_elements(const struct problem *p, int32_t bytes)
{
    const int64_t unit = max_i64(load_unit(p, ROLE_A, AXIS_K), load_unit(p, ROLE_B, AXIS_K));
    const int64_t k = (int64_t)bytes * 8 / dtype_info(p->a.dtype)->bits;
    return k % unit == 0 && k <= tiling_field_info(TF_baseK)->max ? (int32_t)k : 0;
}

/* ---- the table ---- */

/* One letter for what stops the next larger baseN. */
static char stop_letter(const struct infeasible *why)
{
    if (why->reason != REASON_BUFFER) {
        return '+'; /* nothing: the largest m, n of one Mmad */
    }
    switch ((enum buffer)why->buf) {
    case BUF_L1:
        return '1';
    case BUF_L0A:
        return 'a';
    case BUF_L0B:
        return 'b';
    case BUF_L0C:
        return 'c';
    case BUF_BT:
        return 't';
    case BUF_FB:
        return 'f';
    default:
        return ' ';
    }
}

/* Takes blanks off the end of the line. */
static void trim(struct strbuf *out)
{
    while (out->len > 0 && out->text[out->len - 1] == ' ') {
        out->text[--out->len] = '\0';
    }
}

static void add_group_heads(const struct problem *p, struct strbuf *out)
{
    static const char *const names[] = {"L0A, L0B double; L0C single", "L0A, L0B, L0C double", "all single"};
    strbuf_add(out, "           ");
    for (int g = 0; g < 3; g++) {
        strbuf_addf(out, "%-*s", K_COUNT * 6 + 2, names[g]);
    }
    trim(out);
    strbuf_add(out, "\n    baseM  ");
    for (int g = 0; g < 3; g++) {
        for (int k = 0; k < K_COUNT; k++) {
            const int32_t elements = k_elements(p, K_BYTES[k]);
            if (elements > 0) {
                strbuf_addf(out, "%5d ", elements);
            } else {
                strbuf_addf(out, "%5s ", "-");
            }
        }
        strbuf_add(out, "  ");
    }
    strbuf_add(out, "<- baseK\n");
}

static void add_row(const struct budget *b, const struct problem *p, int32_t m, struct strbuf *out)
{
    struct infeasible none = {.field = TF_N}; /* why nothing fits, whatever the sizes */
    bool any = false;
    strbuf_addf(out, "    %5d  ", m);
    for (int g = 0; g < 3; g++) {
        for (int k = 0; k < K_COUNT; k++) {
            const int32_t elements = k_elements(p, K_BYTES[k]);
            struct infeasible why = {.field = TF_N};
            const int32_t n = elements > 0 ? budget_largest_n(b->cell->target, p, m, elements, DEPTHS[g], &why) : 0;
            any |= n > 0 || why.reason == REASON_BUFFER;
            if (n == 0) {
                none = elements > 0 && why.reason != REASON_BUFFER ? why : none;
                strbuf_addf(out, "%5s ", "-");
            } else {
                strbuf_addf(out, "%4d%c ", n, stop_letter(&why));
            }
        }
        strbuf_add(out, "  ");
    }
    if (p == &b->problem && m == b->t.baseM) {
        strbuf_add(out, "<- this tiling");
    }
    trim(out);
    if (!any && m == FRONTIER_UNIT && none.reason != REASON_NONE) { /* once a table */
        strbuf_add(out, "   nothing: ");
        infeasible_text(&none, &b->t, out);
    }
    strbuf_add(out, "\n");
}

/* ---- dtypes ---- */

struct dtype_row {
    enum dtype dtype;
    bool mx;
    const char *label;
};

static const struct dtype_row DTYPES[] = {
    {DTYPE_FLOAT, false, "float"},        {DTYPE_HALF, false, "half, bf16"}, {DTYPE_INT8, false, "int8"},
    {DTYPE_FP8_E4M3, false, "fp8, hif8"}, {DTYPE_FP8_E4M3, true, "mx fp8"},  {DTYPE_INT4, false, "int4"},
    {DTYPE_FP4_E2M1, true, "mx fp4"},
};
#define DTYPE_ROWS ((int)(sizeof DTYPES / sizeof DTYPES[0]))

/* The problem with other operand dtypes; false if the chip has no such cube or load. */
static bool with_dtype(const struct budget *b, const struct dtype_row *row, struct problem *p)
{
    *p = b->problem;
    p->a.dtype = p->b.dtype = row->dtype;
    p->a.mx = p->b.mx = row->mx;
    p->scale_a.dtype = p->scale_b.dtype = row->mx ? DTYPE_E8M0 : DTYPE_NONE;
    p->bias.dtype = p->quant.dtype = DTYPE_NONE;
    p->a.ld = p->b.ld = p->c.ld = 0;
    if (p->op == PROBLEM_CONV || problem_finish(p, NULL, NULL) != STATUS_OK) {
        return false; /* K of a conv counts blocks of its own dtype */
    }
    const struct mmad_triple *form = dtypes_triple(b->cell->target, p);
    if (form == NULL || load_recommended(b->cell->target, p, ROLE_A) == LOAD_AUTO_NONE ||
        load_recommended(b->cell->target, p, ROLE_B) == LOAD_AUTO_NONE) {
        return false;
    }
    p->c.dtype = (enum dtype)form->c;
    return true;
}

/* The block of most area, the squarest of those. */
static bool largest_block(const struct target *target, const struct problem *p, int32_t k, struct frontier_depths db,
                          int32_t *m, int32_t *n)
{
    int64_t area = 0;
    for (int32_t rows = FRONTIER_UNIT; rows <= FRONTIER_MAX; rows += FRONTIER_UNIT) {
        struct infeasible why;
        const int32_t columns = budget_largest_n(target, p, rows, k, db, &why);
        const int64_t here = (int64_t)rows * columns;
        if (columns == 0) {
            break;
        }
        if (here > area || (here == area && rows + columns < *m + *n)) {
            area = here;
            *m = rows, *n = columns;
        }
    }
    return area > 0;
}

static void add_dtypes(const struct budget *b, struct strbuf *out)
{
    strbuf_add(out, "    Largest base block by area, L0A and L0B double, L0C single | double, by dtype and bytes of K "
                    "(* this problem):\n");
    strbuf_add(out, "    dtype        ");
    for (int k = 1; k < K_COUNT - 1; k++) {
        const size_t at = out->len;
        strbuf_addf(out, "  %d B", K_BYTES[k]);
        strbuf_addf(out, "%*s", (int)(25 - (out->len - at)), "");
    }
    trim(out);
    strbuf_add(out, "\n");
    for (int i = 0; i < DTYPE_ROWS; i++) {
        struct problem p;
        if (!with_dtype(b, &DTYPES[i], &p)) {
            continue;
        }
        const bool own = p.a.dtype == b->problem.a.dtype && p.a.mx == b->problem.a.mx;
        strbuf_addf(out, "    %-11s%s ", DTYPES[i].label, own ? "*" : " ");
        for (int k = 1; k < K_COUNT - 1; k++) {
            const int32_t elements = k_elements(&p, K_BYTES[k]);
            char cell[64] = "-";
            int32_t m1 = 0, n1 = 0, m2 = 0, n2 = 0;
            if (elements > 0 && largest_block(b->cell->target, &p, elements, DEPTHS[0], &m1, &n1)) {
                (void)largest_block(b->cell->target, &p, elements, DEPTHS[1], &m2, &n2);
                snprintf(cell, sizeof cell, "%dx%dx%d | %dx%d", m1, n1, elements, m2, n2);
            }
            strbuf_addf(out, "  %-23s", cell);
        }
        trim(out);
        strbuf_add(out, "\n");
    }
}

/* The same table for each other dtype of the chip, with fewer rows. */
void budget_dtypes(const struct budget *b, struct strbuf *out)
{
    static const int32_t rows[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4080};
    if (b->problem.op != PROBLEM_MATMUL) {
        return;
    }
    strbuf_add(out, "\n8. Feasible base blocks of the other dtypes  (as table 6)\n");
    for (int i = 0; i < DTYPE_ROWS; i++) {
        struct problem p;
        if (!with_dtype(b, &DTYPES[i], &p) ||
            (dtype_info(p.a.dtype)->bits == dtype_info(b->problem.a.dtype)->bits && p.a.mx == b->problem.a.mx)) {
            continue;
        }
        strbuf_addf(out, "    %s:\n", DTYPES[i].label);
        add_group_heads(&p, out);
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            add_row(b, &p, rows[k], out);
        }
    }
}

void budget_frontier(const struct budget *b, struct strbuf *out)
{
    static const int32_t rows[] = {16, 32, 48, 64, 96, 128, 160, 192, 224, 256, 320, 384, 512, 768, 1024, 2048, 4080};
    strbuf_add(out, "\n6. Feasible base blocks: the largest baseN of each baseM and baseK\n"
                    "    (one base block a chunk, two L1 buffers; what stops the next: a L0A, b L0B, c L0C, 1 L1, t "
                    "BT, f FB, + Mmad: 4095)\n");
    add_group_heads(&b->problem, out);
    bool own = false;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!own && b->t.baseM < rows[i]) {
            add_row(b, &b->problem, b->t.baseM, out);
            own = true;
        }
        own = own || b->t.baseM == rows[i];
        add_row(b, &b->problem, rows[i], out);
    }
    if (b->problem.op == PROBLEM_MATMUL) {
        add_dtypes(b, out);
    }
}

/* ---- the picture ---- */

#define AXIS_LOW 14.0 /* left of 16 on the logarithmic axes */

/* Outline of what fits: for baseM up to each value, the largest baseN.
 * @return the baseN of the second row, where a name has room below it. */
static int32_t add_area(const struct budget *b, int32_t k, struct frontier_depths db, struct picture *p)
{
    double left = AXIS_LOW;
    int32_t name_at = 0;
    strbuf_addf(&p->data, "%g %g\n", AXIS_LOW, AXIS_LOW);
    for (int32_t m = FRONTIER_UNIT; m <= FRONTIER_MAX; m += FRONTIER_UNIT) {
        struct infeasible why;
        const int32_t n = budget_largest_n(b->cell->target, &b->problem, m, k, db, &why);
        if (n == 0) {
            break;
        }
        name_at = m <= 2 * FRONTIER_UNIT ? n : name_at;
        strbuf_addf(&p->data, "%g %d\n%d %d\n", left, n, m, n);
        left = m;
    }
    strbuf_addf(&p->data, "%g %g\n", left, AXIS_LOW);
    return name_at;
}

/* One name for areas that reach equally high: "baseK ≤ 32"; the largest covers the others. */
static void add_names(const struct problem *p, const int32_t name_at[K_COUNT], struct strbuf *out)
{
    static const unsigned text[K_COUNT] = {0x222222, 0x222222, 0x222222, 0xffffff, 0xffffff, 0xffffff};
    bool any = false;
    for (int k = 0; k < K_COUNT; k++) {
        const bool alone = k == 0 || name_at[k - 1] != name_at[k],
                   last = k + 1 == K_COUNT || name_at[k + 1] != name_at[k];
        if (name_at[k] == 0 || !last) {
            continue;
        }
        strbuf_addf(out, "%g %g %u \"baseK %s%d\"\n", AXIS_LOW * 1.1, name_at[k] / 1.2, text[k], alone ? "" : "≤ ",
                    k_elements(p, K_BYTES[k]));
        any = true;
    }
    if (!any) {
        strbuf_add(out, "1 1 0 \"\"\n");
    }
}

static void add_panel(const struct budget *b, int panel, struct picture *p)
{
    static const char *const titles[DEPTH_COUNT] = {"L0A and L0B double, L0C single", "L0A, L0B and L0C double",
                                                    "all single", "L0A and L0B single, L0C double"};
    const struct frontier_depths *db = &DEPTHS[panel];
    int32_t name_at[K_COUNT];
    char name[32];
    for (int k = 0; k < K_COUNT; k++) {
        const int32_t elements = k_elements(&b->problem, K_BYTES[k]);
        snprintf(name, sizeof name, "p%dk%d", panel, k);
        picture_block(p, name);
        name_at[k] = 0;
        if (elements > 0) {
            name_at[k] = add_area(b, elements, *db, p);
        } else {
            strbuf_add(&p->data, "1 1\n");
        }
    }
    snprintf(name, sizeof name, "p%dlabels", panel);
    picture_block(p, name);
    add_names(&b->problem, name_at, &p->data);
    snprintf(name, sizeof name, "p%dpoint", panel);
    picture_block(p, name);
    if (b->t.dbL0A == db->l0a && b->t.dbL0B == db->l0b && b->t.dbL0C == db->l0c) {
        strbuf_addf(&p->data, "%d %d \"%d×%d×%d\"\n", b->t.baseM, b->t.baseN, b->t.baseM, b->t.baseN, b->t.baseK);
    } else {
        strbuf_add(&p->data, "1 1 \"\"\n"); /* outside; gnuplot 5.4 dies of rows of NaN */
    }
    snprintf(name, sizeof name, "title%d", panel);
    picture_text(p, name, titles[panel]);
}

bool budget_frontier_picture(const struct budget *b, struct picture *p)
{
    struct strbuf text;
    if (dtypes_triple(b->cell->target, &b->problem) == NULL) {
        return false;
    }
    strbuf_init(&text);
    strbuf_add(&text, "Base blocks that fit — ");
    plot_subject(b->cell, &text);
    picture_text(p, "title", strbuf_cstr(&text));
    picture_text(p, "sub1",
                 "each area: all baseM, baseN that fit with this baseK; hatched: fits with none. "
                 "Vertical edges: L0A is full, horizontal: L0B, diagonal: L0C");
    strbuf_clear(&text);
    strbuf_addf(&text, "areas depend on bytes: baseK %d of %s is 128 B a row; one base block a chunk in L1",
                k_elements(&b->problem, 128), dtype_info(b->problem.a.dtype)->name);
    picture_text(p, "sub2", strbuf_cstr(&text));
    p->vars.failed |= text.failed;
    strbuf_fini(&text);
    picture_real(p, "left", 90);
    picture_real(p, "right", 30);
    picture_real(p, "top", 130);
    picture_real(p, "bottom", 64);
    picture_real(p, "low", AXIS_LOW);
    picture_real(p, "high", FRONTIER_MAX);
    picture_real(p, "kcount", K_COUNT);
    for (int panel = 0; panel < DEPTH_COUNT; panel++) {
        add_panel(b, panel, p);
    }
    return true;
}
