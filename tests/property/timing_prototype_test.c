/* The model against its prototype: every open board run the schedule can
 * express, with the prototype's settings, to 1e-6 of each time: a load's price
 * does not depend on its calls, PIPE_M barriers are free; every tile of a conv moves the mean bytes of its map
 * (ours: those of its own rows); one event stands for the scales of A and B,
 * and load A waits for both (ours: scales come with their operand). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/validate.h"

#define TOLERANCE 1e-6

struct fixture {
    struct arena arena;
    struct diag diag;
    struct csv_table runs, prototype;
    struct validate_columns *columns;
    struct timing *timing;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    arena_init(&f->arena);
    diag_init(&f->diag);
    assert_int_equal(csv_load(TESTS_DIR "/data/measurements/open.csv", &f->arena, &f->runs, &f->diag), STATUS_OK);
    assert_int_equal(csv_load(TESTS_DIR "/data/measurements/prototype_open.csv", &f->arena, &f->prototype, &f->diag),
                     STATUS_OK);
    assert_int_equal(validate_columns_find(&f->runs, &f->arena, &f->columns, &f->diag), STATUS_OK);
    assert_int_equal(timing_create(&f->timing), STATUS_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    timing_destroy(f->timing);
    diag_fini(&f->diag);
    arena_fini(&f->arena);
    free(f);
    return 0;
}

static const char *field(const struct csv_table *csv, size_t row, const char *name)
{
    const int column = csv_column(csv, name);
    assert_true(column >= 0);
    return csv->rows[row].fields[column];
}

/* The row's target with the prototype's settings; NULL if it has no file. */
static const struct target *prototype_target(struct fixture *f, const char *name)
{
    const struct target *loaded;
    struct target *t = arena_alloc(&f->arena, 1, sizeof *t);
    if (target_load(name, NULL, &f->arena, &loaded, &f->diag) != STATUS_OK) {
        return NULL;
    }
    *t = *loaded;
    t->timing.load_call = t->timing.load_min = 0;
    t->timing.mmad_barrier = 0;
    t->timing.prototype.mean_map = t->timing.prototype.scales_apart = t->timing.prototype.launch_active = true;
    if (t->arch == 2201) { /* fitted anew since */
        t->timing.row_base = 0.64;
        t->timing.row_width = 118;
        t->timing.overlap = t->timing.overlap_plain = 0.22;
        t->timing.hbm_core_share = 0.073;
        t->timing.mix_us = 11;
        t->timing.hbm_nd = 1.39;
    }
    return t;
}

/* Relative difference; our results are whole thousandths of a cycle. */
static bool equal(double have, double want, const struct validate_row *row)
{
    return fabs(have - want) <= TOLERANCE * want + timing_us(row->target, 1);
}

/* Compares one row; returns whether the schedule can express it. */
static bool check_row(struct fixture *f, size_t i, int *wrong)
{
    static const char *const names[MEASURE_N] = {"task", "mean", "mac", "mte1", "mte2", "fix"};
    struct validate_row row;
    struct timing_result result;
    struct infeasible why;
    double predicted[MEASURE_N];
    if (validate_row_read(&f->runs, f->columns, i, &row, &f->diag) != STATUS_OK) {
        return false;
    }
    assert_string_equal(row.id, field(&f->prototype, i, "id"));
    row.target = prototype_target(f, row.target_name);
    assert_non_null(row.target);
    assert_int_equal(validate_time(f->timing, &row, predicted, &result, &why, &f->diag), STATUS_OK);
    for (int m = 0; m < MEASURE_N; m++) {
        const double want = strtod(field(&f->prototype, i, names[m]), NULL);
        /* Pure copies: only the copies' own time is compared. */
        if (m != MEASURE_MTE2 && strncmp(row.op, "copy", 4) == 0) {
            continue;
        }
        if (!equal(predicted[m], want, &row)) {
            print_message("%s %s: %.9g, prototype %.9g (%+.3g %%)\n", row.id, names[m], predicted[m], want,
                          100 * (predicted[m] / want - 1));
            ++*wrong;
        }
    }
    return true;
}

static void reproduces_the_prototype(void **state)
{
    struct fixture *f = *state;
    int wrong = 0, compared = 0;
    assert_int_equal(f->runs.count, f->prototype.count);
    for (size_t i = 0; i < f->runs.count; i++) {
        compared += check_row(f, i, &wrong);
    }
    print_message("%d of %zu rows compared\n", compared, f->runs.count);
    assert_int_equal(wrong, 0);
    assert_true(compared >= 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reproduces_the_prototype, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
