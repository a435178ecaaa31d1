/* The budget report against its sources: live ranges against the schedule's
 * phases, the frontier and the axes against trying every value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/intmath.h"
#include "report/budget_internal.h"
#include "schedule/schedule.h"
#include "support/points.h"

static struct arena arena;
static const struct target *chips[2];

static int load_chips(void **state)
{
    (void)state;
    arena_init(&arena);
    chips[0] = point_target("ascend910b1", &arena);
    chips[1] = point_target("ascend950pr_9589", &arena);
    return 0;
}

static int free_chips(void **state)
{
    (void)state;
    arena_fini(&arena);
    return 0;
}

/* A cell with nothing but a target and a problem. */
static struct cell cell_of(const struct target *target, const struct problem *p)
{
    return (struct cell){.name = "test/cell", .variant = "base", .target = target, .problem = *p, .space = {.size = 1}};
}

static const struct region *region(const struct budget *b, enum buffer buf, enum role role, int half)
{
    const struct region *r = plan_region(&b->plan, buf, role, half);
    assert_non_null(r);
    return r;
}

static void assert_read(const struct budget *b, enum buffer buf, enum role role, int halves, int read, int64_t step)
{
    for (int half = 0; half < halves; half++) {
        const char c = budget_state(b, region(b, buf, role, half), step);
        assert_true((c == '#' || c == '*') == (half == read));
    }
}

static void live_ranges_are_the_schedules_phases(void **state)
{
    (void)state;
    struct rng rng = rng_init(3);
    for (int i = 0; i < 300; i++) {
        struct problem p;
        struct budget b;
        struct schedule s;
        struct infeasible why;
        const struct target *target = chips[i % 2];
        point_problem(&p, rng_between(&rng, 1, 600), rng_between(&rng, 1, 600), rng_between(&rng, 1, 900), false, true);
        const struct cell cell = cell_of(target, &p);
        b = (struct budget){.cell = &cell, .problem = p};
        tiling_all_auto(&b.t);
        b.t.baseM = (int32_t)rng_between(&rng, 1, 4) * 16, b.t.baseN = (int32_t)rng_between(&rng, 1, 4) * 16;
        b.t.baseK = (int32_t)rng_between(&rng, 1, 4) * 16;
        b.t.stepKa = (int32_t)rng_between(&rng, 1, 4), b.t.stepKb = (int32_t)rng_between(&rng, 1, 4);
        b.t.dbA1 = (int32_t)rng_between(&rng, 1, 2), b.t.dbB1 = (int32_t)rng_between(&rng, 1, 2);
        b.t.dbL0A = (int32_t)rng_between(&rng, 1, 2), b.t.dbL0B = (int32_t)rng_between(&rng, 1, 2);
        b.t.dbL0C = (int32_t)rng_between(&rng, 1, 2);
        tiling_resolve(target, &p, &b.t, &why);
        assert_true(plan_make(target, &p, &b.t, &b.plan, &why));
        assert_int_equal(schedule_init(&s, target, &p, &b.t, &b.plan, NULL), STATUS_OK);
        const int64_t steps = min_i64(schedule_steps(&s, 0), 64);
        for (int64_t k = 0; k < steps; k++) {
            struct step step;
            schedule_step_at(&s, 0, k, &step);
            assert_read(&b, BUF_L1, ROLE_A, b.t.dbA1, step.ph.a, k);
            assert_read(&b, BUF_L1, ROLE_B, b.t.dbB1, step.ph.b, k);
            assert_read(&b, BUF_L0A, ROLE_A, b.t.dbL0A, step.ph.l0a, k);
            assert_read(&b, BUF_L0B, ROLE_B, b.t.dbL0B, step.ph.l0b, k);
            assert_read(&b, BUF_L0C, ROLE_C, b.t.dbL0C, step.ph.l0c, k);
        }
    }
}

/* The bisection finds what trying every baseN finds, and N never grows with M. */
static void frontier_is_the_brute_force_one(void **state)
{
    (void)state;
    static const struct frontier_depths depths[] = {{2, 2, 1}, {1, 2, 2}};
    for (int c = 0; c < 2; c++) {
        struct problem p;
        point_problem(&p, 4096, 4096, 4096, false, c == 0);
        for (int d = 0; d < 2; d++) {
            int32_t before = FRONTIER_MAX + 1;
            for (int32_t m = 16; m <= 512; m += 112) {
                struct infeasible why;
                const int32_t n = budget_largest_n(chips[c], &p, m, 64, depths[d], &why);
                assert_true(n <= before);
                before = n;
                for (int32_t try = 16; try <= FRONTIER_MAX; try += 16) {
                    struct tiling t;
                    struct plan plan;
                    tiling_all_auto(&t);
                    t.baseM = m, t.baseN = try, t.baseK = 64, t.stepKa = t.stepKb = 1, t.dbA1 = t.dbB1 = 2;
                    t.dbL0A = depths[d].l0a, t.dbL0B = depths[d].l0b, t.dbL0C = depths[d].l0c;
                    t.assign = ASSIGN_BLOCKS, t.unitflag = 0;
                    tiling_resolve(chips[c], &p, &t, &why);
                    assert_true(plan_fits(chips[c], &p, &t, &plan, &why) == (try <= n));
                }
            }
        }
    }
}

/* Values of one line of section 5: "    baseM            128     144      336  352: ..." */
static void check_axis(const struct budget *b, const char *text, enum tiling_field f)
{
    char key[32];
    int now, largest;
    char next[16];
    snprintf(key, sizeof key, "\n    %-13s ", tiling_field_info(f)->name);
    const char *line = strstr(text, key);
    assert_non_null(line);
    assert_int_equal(sscanf(line + strlen(key), "%d %15s %d", &now, next, &largest), 3);
    assert_int_equal(now, tiling_get(&b->t, f));
    struct tiling t = b->t;
    struct plan plan;
    struct infeasible why;
    const int32_t unit = f == TF_baseM || f == TF_baseN || f == TF_baseK ? 16 : 1;
    tiling_set(&t, f, largest);
    t.depthA1 = t.stepM * t.stepKa * t.dbA1, t.depthB1 = t.stepN * t.stepKb * t.dbB1;
    assert_true(plan_fits(b->cell->target, &b->problem, &t, &plan, &why));
    const char *after = strchr(line + 1, '\n');
    const bool covered = strstr(line, "covers") != NULL && strstr(line, "covers") < after;
    tiling_set(&t, f, largest + unit);
    t.depthA1 = t.stepM * t.stepKa * t.dbA1, t.depthB1 = t.stepN * t.stepKb * t.dbB1;
    assert_true(covered || !plan_fits(b->cell->target, &b->problem, &t, &plan, &why));
}

static void axes_say_what_fits(void **state)
{
    (void)state;
    static const char *const names[] = {"b64x64x64_s2x2", "b128x256x64_s8x4", "b96x112x32_s3x5", "b16x16x16_s1x1"};
    static const enum tiling_field fields[] = {TF_baseM, TF_baseN, TF_baseK, TF_stepKa, TF_stepKb, TF_stepM, TF_stepN};
    struct problem p;
    point_problem(&p, 2048, 2048, 2048, false, true);
    for (int c = 0; c < 2; c++) {
        const struct cell cell = cell_of(chips[c], &p);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            struct budget b;
            struct strbuf text;
            strbuf_init(&text);
            assert_int_equal(budget_choose(&cell, names[i], &b, NULL), STATUS_OK);
            assert_true(b.fits);
            budget_axes(&b, &text);
            for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
                check_axis(&b, strbuf_cstr(&text), fields[f]);
            }
            strbuf_fini(&text);
        }
    }
}

/* Every region and every gap of every buffer: the map covers what is usable. */
static void map_covers_the_buffers(void **state)
{
    (void)state;
    struct problem p;
    struct budget b;
    struct strbuf text;
    point_problem(&p, 300, 500, 700, true, false);
    p.bias.dtype = DTYPE_FLOAT;
    assert_int_equal(problem_finish(&p, NULL, NULL), STATUS_OK);
    const struct cell cell = cell_of(chips[0], &p);
    assert_int_equal(budget_choose(&cell, NULL, &b, NULL), STATUS_OK);
    assert_int_equal(b.source, BUDGET_AUTO);
    strbuf_init(&text);
    budget_map(&b, &text);
    int64_t end = 0, total = 0;
    for (const char *line = strbuf_cstr(&text); (line = strchr(line, '\n')) != NULL && line[1] != '\0';) {
        uint64_t from, to;
        char name[8] = "";
        line++;
        const bool first = sscanf(line, "    %7[A-Z0-9_] 0x%" SCNx64 " - 0x%" SCNx64, name, &from, &to) == 3 &&
                           name[1] != 'x';
        if (!first) {
            if (sscanf(line, " 0x%" SCNx64 " - 0x%" SCNx64, &from, &to) != 2) {
                continue; /* the heading */
            }
            assert_int_equal(from, end);
        } else {
            assert_int_equal(from, 0);
        }
        end = (int64_t)to + 1;
        total += end - (int64_t)from;
    }
    int64_t usable = 0;
    for (int buf = 0; buf < BUF_N; buf++) {
        usable += plan_need(&b.plan, (enum buffer)buf) > 0 ? b.plan.usable[buf] : 0;
    }
    assert_int_equal(total, usable);
    strbuf_clear(&text);
    budget_text(&b, &text);
    assert_null(strstr(strbuf_cstr(&text), "(null)"));
    assert_null(strstr(strbuf_cstr(&text), "?"));
    strbuf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_ranges_are_the_schedules_phases),
        cmocka_unit_test(frontier_is_the_brute_force_one),
        cmocka_unit_test(axes_say_what_fits),
        cmocka_unit_test(map_covers_the_buffers),
    };
    return cmocka_run_group_tests(tests, load_chips, free_chips);
}
