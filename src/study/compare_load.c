/* compare_load.c - runs on disk as cells to compare.
 *
 * A run's best.yaml states target, problem and every tiling field, so one
 * evaluation gives back all that was known of it; that it takes the same time
 * shows that target, model and data are those of the run. */
#include <inttypes.h>
#include <string.h>

#include "study/compare.h"
#include "timing/timing.h"

static enum status no_memory(struct diag *d)
{
    return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the runs");
}

static enum status load_best(const struct run_read *run, size_t id, struct study *study, struct arena *arena,
                             struct compare_entry *out, struct diag *d)
{
    const struct experiment *e = NULL;
    const char *path = run_best_path(run, id, arena);
    if (path == NULL) {
        return no_memory(d);
    }
    TRY(experiment_load(path, NULL, arena, &e, d));
    const struct location at = {.file = path};
    if (e->count != 1 || e->cells[0].space.size != 1 || e->cells[0].failed != NULL) {
        return diag_error(d, STATUS_INVALID, &at, "not one tiling of one problem, as a run writes it");
    }
    TRY(study_evaluate(study, &e->cells[0], 0, VERIFY_NONE, &out->best, d));
    if (out->best.why.reason != REASON_NONE || out->best.task != run->cells[id].task) {
        diag_error(d, STATUS_INVALID, &at,
                   "this tiling takes %.3f us, but %.3f us in %s: its target, its data or this file have changed",
                   timing_us(e->cells[0].target, out->best.task), timing_us(e->cells[0].target, run->cells[id].task),
                   run->path);
        diag_hint(d, "make the run again with --force");
        return STATUS_INVALID;
    }
    out->cell = &e->cells[0];
    return STATUS_OK;
}

static enum status load_run(struct compare_inputs *out, size_t number, struct study *study, struct arena *arena,
                            struct diag *d)
{
    const struct run_read *run = &out->run[number];
    struct run_error *errors = arena_alloc(arena, run->count, sizeof *errors);
    if (errors == NULL) {
        return no_memory(d);
    }
    TRY(run_read_errors(run->path, run->count, arena, errors, d));
    for (size_t i = 0; i < run->count; i++) {
        const struct run_cell *cell = &run->cells[i];
        struct compare_input *in = &out->v[out->count++];
        *in = (struct compare_input){
            .run = number,
            .run_name = run->name,
            .variant = cell->variant,
            .target = cell->target,
            .label = cell->label,
            .entry = {
                .run = number, .id = i, .error = errors[i], .tilings = cell->tilings, .feasible = cell->feasible}};
        if (cell->best != NULL) {
            TRY(load_best(run, i, study, arena, &in->entry, d));
        }
    }
    return STATUS_OK;
}

/* Runs of one name go by their paths; the same run twice is a mistake. */
static enum status name_runs(struct compare_inputs *out, struct diag *d)
{
    for (size_t i = 0; i < out->runs; i++) {
        bool twice = false;
        for (size_t k = 0; k < out->runs; k++) {
            twice |= k != i && strcmp(out->run[i].name, out->run[k].name) == 0;
            if (k < i && strcmp(out->run[i].path, out->run[k].path) == 0) {
                return diag_error(d, STATUS_INVALID, NULL, "'%s' is named twice", out->run[i].path);
            }
        }
        for (size_t k = 0; k < out->count && twice; k++) {
            if (out->v[k].run == i) {
                out->v[k].run_name = out->run[i].path;
            }
        }
    }
    return STATUS_OK;
}

enum status compare_load(const char *const *paths, size_t count, struct study *study, struct arena *arena,
                         struct compare_inputs *out, struct diag *d)
{
    size_t cells = 0;
    *out = (struct compare_inputs){.run = arena_alloc(arena, count, sizeof *out->run), .runs = count};
    if (out->run == NULL) {
        return no_memory(d);
    }
    for (size_t i = 0; i < count; i++) {
        TRY(run_read(paths[i], arena, &out->run[i], d));
        cells += out->run[i].count;
    }
    out->v = arena_alloc(arena, cells, sizeof *out->v);
    if (out->v == NULL) {
        return no_memory(d);
    }
    for (size_t i = 0; i < count; i++) {
        TRY(load_run(out, i, study, arena, d));
    }
    return name_runs(out, d);
}
