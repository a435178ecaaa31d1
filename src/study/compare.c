/* compare.c - which cell stands beside which. */
#include "study/compare.h"

#include <math.h>
#include <string.h>

#include "record/record_columns.h"
#include "text/suggest.h"
#include "timing/timing.h"

static enum status no_memory(struct diag *d)
{
    return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the comparison");
}

/* ---- sides ---- */

struct joiner {
    const struct compare_input *in;
    size_t count;
    struct arena *arena;
    struct compare *out;
    bool by_target; /* a group is of one target */
    size_t runs, variants;
};

static bool same_variant(const struct compare_input *a, const struct compare_input *b)
{
    return a->run == b->run && strcmp(a->variant, b->variant) == 0;
}

static bool is_first(const struct joiner *j, size_t i,
                     bool (*same)(const struct compare_input *a, const struct compare_input *b))
{
    for (size_t k = 0; k < i; k++) {
        if (same(&j->in[k], &j->in[i])) {
            return false;
        }
    }
    return true;
}

static bool same_run(const struct compare_input *a, const struct compare_input *b)
{
    return a->run == b->run;
}

static bool same_target(const struct compare_input *a, const struct compare_input *b)
{
    return strcmp(a->target, b->target) == 0;
}

static bool run_has_target(const struct joiner *j, size_t run, const char *target)
{
    for (size_t i = 0; i < j->count; i++) {
        if (j->in[i].run == run && strcmp(j->in[i].target, target) == 0) {
            return true;
        }
    }
    return false;
}

/* Some target that every run has. */
static bool common_target(const struct joiner *j)
{
    for (size_t i = 0; i < j->count; i++) {
        bool all = is_first(j, i, same_target);
        for (size_t k = 0; k < j->count && all; k++) {
            all = !is_first(j, k, same_run) || run_has_target(j, j->in[k].run, j->in[i].target);
        }
        if (all) {
            return true;
        }
    }
    return false;
}

static bool is_side(const struct joiner *j, const struct compare_side *s, const struct compare_input *in)
{
    return s->run == in->run && strcmp(s->variant, in->variant) == 0 &&
           (j->by_target || strcmp(s->target, in->target) == 0);
}

/* "half"; of several runs the run's name, with what tells its own sides apart. */
static const char *side_name(const struct joiner *j, const struct compare_input *in)
{
    struct strbuf sb;
    strbuf_init(&sb);
    if (j->runs > 1) {
        strbuf_add(&sb, in->run_name);
    }
    if (j->variants > j->runs || (j->runs == 1 && j->by_target)) {
        strbuf_addf(&sb, "%s%s", sb.len ? "/" : "", in->variant);
    }
    if (!j->by_target) {
        strbuf_addf(&sb, "%s%s", sb.len ? "/" : "", in->target);
    }
    const char *name = sb.failed ? NULL : arena_strdup(j->arena, strbuf_cstr(&sb));
    strbuf_fini(&sb);
    return name;
}

/* Groups by target unless that leaves nothing to stand beside one another. */
static enum status list_sides(struct joiner *j, struct diag *d)
{
    size_t targets = 0;
    for (size_t i = 0; i < j->count; i++) {
        j->runs += is_first(j, i, same_run);
        j->variants += is_first(j, i, same_variant);
        targets += is_first(j, i, same_target);
    }
    j->by_target = j->variants > 1 && (j->runs == 1 || common_target(j));
    if (j->variants == 1 && targets == 1) {
        diag_error(d, STATUS_INVALID, NULL, "nothing to compare: the run has one variant on one target");
        diag_hint(d, "name a second run, or give the config `variants:` or a list of targets");
        return STATUS_INVALID;
    }
    j->out->side = arena_alloc(j->arena, j->count, sizeof *j->out->side);
    if (j->out->side == NULL) {
        return no_memory(d);
    }
    for (size_t i = 0; i < j->count; i++) {
        const struct compare_input *in = &j->in[i];
        size_t s = 0;
        while (s < j->out->sides && !is_side(j, &j->out->side[s], in)) {
            s++;
        }
        if (s < j->out->sides) {
            continue;
        }
        const char *name = side_name(j, in);
        if (name == NULL) {
            return no_memory(d);
        }
        j->out->side[j->out->sides++] = (struct compare_side){
            .name = name, .run = in->run, .variant = in->variant, .target = j->by_target ? NULL : in->target};
    }
    return STATUS_OK;
}

/* ---- groups ---- */

static size_t side_of(const struct joiner *j, const struct compare_input *in)
{
    size_t s = 0;
    while (!is_side(j, &j->out->side[s], in)) {
        s++;
    }
    return s;
}

static bool same_sizes(const struct compare_group *g, size_t sides, const struct compare_input *in)
{
    const struct problem *p = in->entry.cell == NULL ? NULL : &in->entry.cell->problem;
    for (size_t s = 0; s < sides; s++) {
        const struct problem *q = g->entry[s].cell == NULL ? NULL : &g->entry[s].cell->problem;
        if (p != NULL && q != NULL) {
            return p->op == q->op && p->M == q->M && p->N == q->N && p->K == q->K && p->batch == q->batch &&
                   p->groups == q->groups;
        }
    }
    return p == NULL || strcmp(g->label, in->label) == 0;
}

static bool fits(const struct joiner *j, const struct compare_group *g, const struct compare_input *in, bool by_label)
{
    return !g->entry[side_of(j, in)].there && (!j->by_target || strcmp(g->target, in->target) == 0) &&
           same_sizes(g, j->out->sides, in) && (!by_label || strcmp(g->label, in->label) == 0);
}

static struct compare_group *group_of(const struct joiner *j, const struct compare_input *in)
{
    for (int by_label = 1; by_label >= 0; by_label--) {
        for (size_t g = 0; g < j->out->groups; g++) {
            if (fits(j, &j->out->group[g], in, by_label)) {
                return &j->out->group[g];
            }
        }
    }
    struct compare_group *g = &j->out->group[j->out->groups];
    g->entry = arena_alloc(j->arena, j->out->sides, sizeof *g->entry);
    if (g->entry == NULL) {
        return NULL;
    }
    g->label = in->label;
    g->target = j->by_target ? in->target : NULL;
    j->out->groups++;
    return g;
}

/* Groups that have something to stand beside one another, in order. */
static void drop_lonely(struct compare *c)
{
    size_t kept = 0;
    for (size_t g = 0; g < c->groups; g++) {
        size_t there = 0;
        for (size_t s = 0; s < c->sides; s++) {
            there += c->group[g].entry[s].there;
        }
        if (there > 1) {
            c->group[kept++] = c->group[g];
        }
    }
    c->groups = kept;
}

static enum status list_groups(struct joiner *j, struct diag *d)
{
    j->out->group = arena_alloc(j->arena, j->count, sizeof *j->out->group);
    if (j->out->group == NULL) {
        return no_memory(d);
    }
    for (size_t i = 0; i < j->count; i++) {
        struct compare_group *g = group_of(j, &j->in[i]);
        if (g == NULL) {
            return no_memory(d);
        }
        struct compare_entry *e = &g->entry[side_of(j, &j->in[i])];
        *e = j->in[i].entry;
        e->there = true;
    }
    drop_lonely(j->out);
    if (j->out->groups == 0) {
        diag_error(d, STATUS_INVALID, NULL, "the runs have no shape in common");
        diag_hint(d, "shapes are the same if M, N and K are; first shape here: %s, of the last run: %s", j->in[0].label,
                  j->in[j->count - 1].label);
        return STATUS_INVALID;
    }
    return STATUS_OK;
}

size_t compare_find_side(const struct compare *c, const char *name)
{
    for (size_t s = 0; s < c->sides; s++) {
        if (strcmp(c->side[s].name, name) == 0) {
            return s;
        }
    }
    for (size_t s = 0; s < c->sides; s++) { /* a variant's own name, if one side has it */
        if (strcmp(c->side[s].variant, name) == 0) {
            return s;
        }
    }
    return c->sides;
}

static enum status find_baseline(struct compare *c, const char *name, struct arena *arena, struct diag *d)
{
    c->baseline = name == NULL ? 0 : compare_find_side(c, name);
    if (c->baseline < c->sides) {
        return STATUS_OK;
    }
    const char **names = arena_alloc(arena, c->sides + 1, sizeof *names);
    struct strbuf list;
    strbuf_init(&list);
    for (size_t s = 0; s < c->sides; s++) {
        strbuf_addf(&list, "%s%s", s ? ", " : "", c->side[s].name);
        if (names != NULL) {
            names[s] = c->side[s].name;
        }
    }
    diag_error(d, STATUS_INVALID, NULL, "'%s' is none of what is compared", name);
    const char *near = names == NULL ? NULL : suggest_word(name, names);
    if (near != NULL) {
        diag_hint(d, "did you mean '%s'?", near);
    }
    diag_rule(d, "a name is one of: %s", strbuf_cstr(&list));
    strbuf_fini(&list);
    return STATUS_INVALID;
}

enum status compare_join(const struct compare_input *in, size_t count, const char *baseline, struct arena *arena,
                         struct compare *out, struct diag *d)
{
    struct joiner j = {.in = in, .count = count, .arena = arena, .out = out};
    *out = (struct compare){0};
    TRY(list_sides(&j, d));
    TRY(list_groups(&j, d));
    return find_baseline(out, baseline, arena, d);
}

/* ---- figures ---- */

double compare_us(const struct compare_entry *e)
{
    return e->there && e->cell != NULL ? timing_us(e->cell->target, e->best.task) : NAN;
}

double compare_speedup(const struct compare *c, const struct compare_group *g, size_t side)
{
    return compare_us(&g->entry[c->baseline]) / compare_us(&g->entry[side]);
}

static double entry_band(const struct compare_entry *e)
{
    return e->cell == NULL ? 0
                           : target_error(e->cell->target, e->cell->problem.op == PROBLEM_CONV, compare_us(e), NULL);
}

double compare_error_band(const struct compare_entry *a, const struct compare_entry *b)
{
    return fmax(entry_band(a), entry_band(b));
}

bool compare_indistinct(const struct compare_entry *a, const struct compare_entry *b)
{
    const double x = compare_us(a), y = compare_us(b);
    return 100 * fabs(x - y) <= compare_error_band(a, b) * fmin(x, y);
}

/* ---- what is known of a best tiling ---- */

enum status compare_detail(struct study *study, struct compare_entry *entry, struct arena *arena, struct diag *d)
{
    struct compare_detail *out = &entry->detail;
    const struct problem *p = &entry->cell->problem;
    struct schedule s;
    struct schedule_totals totals;
    struct infeasible why = {0};
    struct strbuf text;
    TRY(study_schedule(entry->cell, &entry->best.t, &s, &why, d));
    schedule_totals(&s, &totals);
    out->copied_scales = totals.copied[ROLE_SA] + totals.copied[ROLE_SB];
    out->copied = record_gm_read(&entry->best) - out->copied_scales;
    out->elements = totals.copied[ROLE_A] * 8 / dtype_info(p->a.dtype)->bits +
                    totals.copied[ROLE_B] * 8 / dtype_info(p->b.dtype)->bits;
    out->loaded = totals.bytes[PATH_L1_L0A] + totals.bytes[PATH_L1_L0B];
    out->loaded_scales = totals.bytes[PATH_L1_L0A_MX] + totals.bytes[PATH_L1_L0B_MX];
    strbuf_init(&text);
    out->split = study_exposed(study, entry->cell, &entry->best, out->part, &text);
    strbuf_clear(&text);
    if (entry->best.unvalidated) {
        timing_unvalidated(&s, &text);
    }
    out->unvalidated = text.failed ? NULL : arena_strdup(arena, strbuf_cstr(&text));
    strbuf_fini(&text);
    return out->unvalidated == NULL ? no_memory(d) : STATUS_OK;
}

enum status compare_details(struct study *study, struct compare *c, size_t groups, struct arena *arena, struct diag *d)
{
    for (size_t g = 0; g < c->groups && g < groups; g++) {
        for (size_t s = 0; s < c->sides; s++) {
            struct compare_entry *e = &c->group[g].entry[s];
            if (e->there && e->cell != NULL) {
                TRY(compare_detail(study, e, arena, d));
            }
        }
    }
    return STATUS_OK;
}
