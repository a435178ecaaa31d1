/* mutation_run.c - one tiling through all its mutations. */
#include "support/mutation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A survivor on one set of data may have been lucky: the proof is repeated on others. */
static const uint64_t proof_seeds[] = {101, 202, 303};

struct run {
    struct judge *judge;
    struct stream right, mutated;
    struct mutation_tally *tally;
};

static void count_rule(struct mutation_tally *t, const struct mutation_rule *rule)
{
    const size_t room = sizeof t->rules / sizeof t->rules[0];
    size_t i = 0;
    while (i + 1 < room && t->rules[i].rule != NULL && t->rules[i].rule != rule) {
        i++;
    }
    t->rules[i].rule = rule;
    t->rules[i].count++;
}

/* Is the answer yes on all of the other data? */
static bool on_all_data(struct run *r, const struct mutation *m, bool (*holds)(struct run *, const struct mutation *))
{
    /* The problem is the test's own and outlives the run; only its seed changes, and is put back. */
    struct problem *p = (struct problem *)(uintptr_t)r->right.s->problem;
    const uint64_t seed = p->seed;
    bool all = true;
    for (size_t i = 0; i < sizeof proof_seeds / sizeof proof_seeds[0] && all; i++) {
        p->seed = proof_seeds[i];
        all = holds(r, m);
    }
    p->seed = seed;
    return all;
}

static bool is_dead(struct run *r, const struct mutation *m)
{
    return judge_finds_dead(r->judge, &r->right, m, &r->mutated) != DEAD_NOT;
}

static bool changes_nothing(struct run *r, const struct mutation *m)
{
    return judge_finds_dead(r->judge, &r->right, m, &r->mutated) == DEAD_SAME;
}

static bool verifies(struct run *r, const struct mutation *m)
{
    (void)m;
    return judge_verifies(r->judge, &r->mutated, NULL);
}

/* Copies and loads whose bytes an earlier tile or step left in place: not a
 * property of the instruction, so it is asked of the memories. */
static const struct mutation_rule there_already = {"there already",
                                                   "every memory is as if the right instruction had run"};

static bool brings_bytes(const struct insn *i)
{
    return i->op >= OP_ND2NZ && i->op <= OP_LOAD_3D_STRIDE;
}

static const struct mutation_rule *rule_of(struct run *r, const struct mutation *m)
{
    const struct mutation_rule *rule = mutation_rule_find(&r->right, m, &r->mutated);
    if (rule == NULL && brings_bytes(&r->right.insns[m->at]) && on_all_data(r, m, changes_nothing)) {
        return &there_already;
    }
    return rule;
}

static void survivor(struct run *r, const struct mutation *m)
{
    const struct mutation_rule *rule = rule_of(r, m);
    const bool dead = on_all_data(r, m, is_dead);
    struct mutation_count *count = &r->tally->kinds[m->kind];
    if (rule != NULL && dead) {
        count->equivalent++;
        count_rule(r->tally, rule);
        return;
    }
    struct strbuf text;
    if (!dead && !on_all_data(r, m, verifies)) {
        count->other_data++;
    } else {
        count->missed++;
    }
    strbuf_init(&text);
    mutation_text(&r->right, m, &text);
    print_message("not caught on this data: %s\n  rule: %s; %s\n", strbuf_cstr(&text),
                  rule == NULL ? "none" : rule->name,
                  dead ? "nothing uses what it changes" : "what it changes is used");
    strbuf_fini(&text);
}

static void judge_one(struct run *r, const struct mutation *m)
{
    struct mutation_count *count = &r->tally->kinds[m->kind];
    mutation_apply(&r->right, m, &r->mutated);
    count->planted++;
    if (m->kind == MUTATION_RANGE) {
        struct insn changed = r->right.insns[m->at];
        (void)insn_field_set(&changed, m->field, m->value);
        const bool allowed = judge_allows(r->right.s->target, &changed, NULL);
        count->by_legality += !allowed;
        if (allowed) {
            survivor(r, m);
        }
    } else if (!judge_verifies(r->judge, &r->mutated, NULL)) {
        count->by_verify++;
    } else if (!judge_orders(r->judge, &r->mutated, NULL)) {
        count->by_race++;
    } else {
        survivor(r, m);
    }
}

static void plant(struct run *r, size_t from_list, size_t to_list, size_t stride)
{
    struct mutation *list;
    const size_t n = mutation_list(&r->right, r->right.list[from_list], r->right.list[to_list], &list);
    for (size_t i = 0; i < n; i += stride) {
        judge_one(r, &list[i]);
    }
    free(list);
}

static void expect_right(struct run *r)
{
    struct strbuf why;
    strbuf_init(&why);
    if (!judge_verifies(r->judge, &r->right, &why) || !judge_orders(r->judge, &r->right, &why)) {
        fail_msg("the stream without a mutation: %s", strbuf_cstr(&why));
    }
    for (size_t i = 0; i < r->right.count; i++) {
        const struct insn *insn = &r->right.insns[i];
        if (!judge_allows(r->right.s->target, insn, &why)) {
            insn_format(insn, &why);
            fail_msg("an illegal instruction without a mutation: %s", strbuf_cstr(&why));
        }
    }
    strbuf_fini(&why);
}

void mutation_run(struct judge *j, const struct schedule *s, int64_t tile, size_t stride, struct mutation_tally *tally)
{
    struct run r = {.judge = j, .tally = tally};
    stream_init(&r.right, s);
    stream_init(&r.mutated, s);
    expect_right(&r);
    struct tile which;
    schedule_tile_at(s, 0, tile, &which);
    const size_t first = 1 + (size_t)which.step0, last = (size_t)schedule_steps(s, 0) + 1;
    plant(&r, 0, 1, stride);
    plant(&r, first, first + (size_t)schedule_tile_steps(s, &which), stride);
    plant(&r, last, last + 1, stride);
    stream_fini(&r.right);
    stream_fini(&r.mutated);
}

size_t mutation_report(const struct mutation_tally *t)
{
    struct mutation_count all = {0};
    print_message("%-14s %8s %8s %8s %8s %8s %10s %6s\n", "mutation", "planted", "verify", "race", "legality",
                  "reseeded", "equivalent", "missed");
    for (int k = 0; k < MUTATION_KINDS; k++) {
        const struct mutation_count *c = &t->kinds[k];
        print_message("%-14s %8zu %8zu %8zu %8zu %8zu %10zu %6zu\n", mutation_kind_name((enum mutation_kind)k),
                      c->planted, c->by_verify, c->by_race, c->by_legality, c->other_data, c->equivalent, c->missed);
        all.planted += c->planted;
        all.by_verify += c->by_verify;
        all.by_race += c->by_race;
        all.by_legality += c->by_legality;
        all.other_data += c->other_data;
        all.equivalent += c->equivalent;
        all.missed += c->missed;
    }
    const double real = (double)(all.planted - all.equivalent);
    print_message("%-14s %8zu %8zu %8zu %8zu %8zu %10zu %6zu: %.2f %% of %0.f caught, %.2f %% on one set of data\n",
                  "all", all.planted, all.by_verify, all.by_race, all.by_legality, all.other_data, all.equivalent,
                  all.missed, 100 * (real - (double)all.missed) / real, real,
                  100 * (real - (double)(all.missed + all.other_data)) / real);
    print_message("equivalent, because:\n");
    for (size_t i = 0; i < sizeof t->rules / sizeof t->rules[0] && t->rules[i].rule != NULL; i++) {
        print_message("%7zu  %s: %s\n", t->rules[i].count, t->rules[i].rule->name, t->rules[i].rule->reason);
    }
    return all.missed;
}
