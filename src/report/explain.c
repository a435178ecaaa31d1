/* explain.c - budget, loops, times of one tiling; the listing is in listing.c. */
#include "report/explain.h"

#include <inttypes.h>
#include <string.h>

#include "base/intmath.h"
#include "record/record_columns.h"
#include "report/edge.h"
#include "report/errors.h"
#include "report/explain_conv.h"
#include "report/explain_time.h"
#include "report/listing.h"
#include "report/summary.h"
#include "tiling/loads.h"

/* ---- budget ---- */

static const char *region_role(uint8_t role)
{
    static const char *const names[ROLE_N] = {[ROLE_A] = "A",
                                              [ROLE_B] = "B",
                                              [ROLE_SA] = "scales of A",
                                              [ROLE_SB] = "scales of B",
                                              [ROLE_BIAS] = "bias",
                                              [ROLE_QUANT] = "quant row",
                                              [ROLE_C] = "C"};
    return role < ROLE_N ? names[role] : "?";
}

static void budget_buffer(const struct plan *plan, enum buffer buf, struct strbuf *out)
{
    int64_t taken = 0;
    int count = 0;
    for (int i = 0; i < plan->n; i++) {
        const struct region *r = &plan->r[i];
        if (r->buf != buf || r->size == 0) {
            continue;
        }
        strbuf_addf(out, "  %-7s 0x%05" PRIx64 " - 0x%05" PRIx64 "  %8" PRId64 "  %8" PRId64 "  %s, buffer %d\n",
                    buffer_name(buf), (uint64_t)r->off, (uint64_t)(r->off + r->size - 1), r->size, r->used,
                    region_role(r->role), r->half);
        taken += r->size;
        count++;
    }
    if (count) {
        strbuf_addf(out, "  %-7s %29" PRId64 " of %" PRId64 " B used, %" PRId64 " B free\n", "", taken,
                    plan->usable[buf], plan->usable[buf] - taken);
    }
}

void explain_budget(const struct target *target, const struct plan *plan, struct strbuf *out)
{
    strbuf_addf(out, "  %-7s %7s   %7s  %8s  %8s  %s\n", "buffer", "first", "last", "bytes", "of data", "what");
    for (int buf = BUF_L1; buf < BUF_N; buf++) {
        budget_buffer(plan, (enum buffer)buf, out);
    }
    strbuf_add(out, "  event ids:");
    for (int e = 0; e < HARD_EVENT_N; e++) {
        if (plan->events_used[e]) {
            strbuf_addf(out, " %s 0..%d", hard_event_name((enum hard_event)e), plan->events_used[e] - 1);
        }
    }
    strbuf_addf(out, " (each pair has %" PRId32 ")\n", target->event_ids);
}

/* ---- loops ---- */

static const char *load_words(enum role role, const struct tiling *t)
{
    const enum tiling_field f = role == ROLE_A ? TF_loadA : TF_loadB;
    const struct tiling_field_info *info = tiling_field_info(f);
    const int32_t v = tiling_get(t, f);
    return info->words && v >= info->min && v <= info->max ? info->words[v - info->min] : "?";
}

static const char *field_word(const struct tiling *t, enum tiling_field f)
{
    const struct tiling_field_info *info = tiling_field_info(f);
    return info->words ? info->words[tiling_get(t, f) - info->min] : "";
}

/* Groups of rows in the numbering of tiles: the first few. */
static void loop_groups(const struct schedule *s, struct strbuf *out)
{
    enum { SHOWN = 8 };
    const struct problem *p = s->problem;
    int shown = 0, left = 0;
    if (p->groups <= 1) {
        return;
    }
    strbuf_addf(out, "    tiles of all %" PRId64 " groups in one list%s; each group has its own B:\n", p->groups,
                s->t.order == ORDER_CHUNK ? "" : ", tile i on core i mod cores");
    for (int64_t g = 0; g < p->groups; g++) {
        const int64_t first = problem_group_first(p, g), rows = problem_group_rows(p, g);
        const int64_t tile = g == 0 ? 0 : (int64_t)s->group_tiles_m[g - 1] * s->tiles_n;
        const int64_t tiles = (int64_t)s->group_tiles_m[g] * s->tiles_n - tile;
        if (shown == SHOWN) {
            left++;
        } else if (rows > 0) {
            strbuf_addf(out,
                        "      group %" PRId64 ": rows %" PRId64 " to %" PRId64 ", tiles %" PRId64 " to %" PRId64 "\n",
                        g, first, first + rows - 1, tile, tile + tiles - 1);
            shown++;
        } else {
            strbuf_addf(out, "      group %" PRId64 ": no rows, no tiles\n", g);
            shown++;
        }
    }
    if (left > 0) {
        strbuf_addf(out, "      and %d more\n", left);
    }
}

static void loop_assignment(const struct schedule *s, struct strbuf *out)
{
    const struct tiling *t = &s->t;
    if (t->assign == ASSIGN_BLOCKS) {
        strbuf_addf(out,
                    "  on %" PRId32 " cores at once (%" PRId32
                    " own a tile): base tiles are dealt round robin, order %s\n",
                    s->cores, s->cores_active, field_word(t, TF_order));
        loop_groups(s, out);
        strbuf_addf(out, "    for each of the core's tiles, of %" PRId32 " x %" PRId32 " in C:\n", s->tiles_m,
                    s->tiles_n);
        return;
    }
    strbuf_addf(out,
                "  on %" PRId32 " cores at once (%" PRId32 " own a tile): core b has slice (b mod %" PRId32
                ", b div %" PRId32 ") of %" PRId32 " x %" PRId32 " in C\n",
                s->cores, s->cores_active, s->rounds_per ? s->rounds_per : s->slices_m,
                s->rounds_per ? s->rounds_per : s->slices_m, t->singleCoreM, t->singleCoreN);
    if (t->orderRounds > 1) {
        strbuf_addf(out, "    for each of %" PRId32 " rounds along M (for L2):\n", t->orderRounds);
    }
    const int64_t m = ceil_div(t->singleCoreM, t->baseM);
    const int64_t n = ceil_div(t->singleCoreN, t->baseN);
    if (t->iterateOrder == 0) {
        strbuf_addf(out, "    for n in %" PRId64 " tiles, for m in %" PRId64 " tiles (ORDER_M: m runs faster):\n", n,
                    m);
    } else {
        strbuf_addf(out, "    for m in %" PRId64 " tiles, for n in %" PRId64 " tiles (ORDER_N: n runs faster):\n", m,
                    n);
    }
}

/* What a split-K kernel needs around it; it is not in the instructions. */
static void add_split_k(const struct schedule *s, struct strbuf *out)
{
    int64_t read, written;
    timing_split_bytes(s, &read, &written);
    if (read > 0) {
        strbuf_addf(out,
                    "  after the last tile: vector cores add %" PRId32 " planes of %" PRId64
                    " B from the workspace into C (%" PRId64 " B)\n",
                    s->parts, read / s->parts, written);
    } else if (written > 0) {
        strbuf_addf(out, "  before the kernel: C must hold zeros (%" PRId64 " B to clear, then a sync)\n", written);
    }
}

/* How often a copy comes: every so many steps. */
static void loop_every(int32_t steps, struct strbuf *out)
{
    if (steps == 1) {
        strbuf_add(out, "        every step:      ");
    } else {
        strbuf_addf(out, "        every %3" PRId32 " steps: ", steps);
    }
}

static void loop_copy(const struct schedule *s, enum role role, struct strbuf *out)
{
    const struct tiling *t = &s->t;
    const int32_t step = role == ROLE_A ? t->stepKa : t->stepKb;
    const int32_t buffers = role == ROLE_A ? t->dbA1 : t->dbB1;
    const int32_t mn = role == ROLE_A ? t->baseM : t->baseN;
    const int64_t k = min_i64((int64_t)step * t->baseK, s->problem->K);
    if (step >= s->nk) {
        strbuf_add(out, "        once a tile:     ");
    } else {
        loop_every(step, out);
    }
    strbuf_addf(out, "copy %s  GM -> L1   ", role_name(role));
    if (role == ROLE_A && s->problem->op == PROBLEM_CONV) {
        conv_copy_text(s, out);
    } else {
        strbuf_addf(out, "%" PRId32 " x %" PRId64, mn, k);
    }
    const enum dtype dtype = role == ROLE_A ? s->problem->a.dtype : s->problem->b.dtype;
    if (dtype_info(dtype)->bits == 4) {
        strbuf_addf(out, " elements (%" PRId64 " B, two in a byte)", dtype_bytes(dtype, mn * k));
    }
    strbuf_addf(out, ", into %s\n", buffers > 1 ? "the other of 2 buffers" : "its one buffer");
}

/* What comes with the data of an MX operand: its scales. */
static void loop_scales(const struct schedule *s, enum role role, struct strbuf *out)
{
    const struct tiling *t = &s->t;
    const bool a = role == ROLE_A;
    const int32_t factor = a ? t->scaleFactorKa : t->scaleFactorKb, span = a ? t->scaleFactorM : t->scaleFactorN;
    struct plan_scales scales;
    plan_scales(s->problem, t, role, &scales);
    if (t->scaleCopy == SCALES_BY_STEP) {
        strbuf_add(out, "        every step:      ");
    } else if (span > 1) {
        strbuf_addf(out, "        for %3" PRId32 " tiles:   ", span);
    } else if ((int64_t)factor * (a ? t->stepKa : t->stepKb) >= s->nk) {
        strbuf_add(out, "        once a tile:     ");
    } else {
        loop_every(factor * (a ? t->stepKa : t->stepKb), out);
    }
    strbuf_addf(out, "copy scales of %s  GM -> L1   %" PRId32 " x %" PRId32 " codes, %s\n", a ? "A" : "B", scales.rows,
                scales.codes,
                t->scaleCopy == SCALES_BY_STEP
                    ? "under flags of their own (not with chunks: each copy has its issue and "
                      "latency)"
                    : "behind the data, under the same flag");
}

/* Zeros behind K tails: MmadMx takes whole blocks of 64 k. */
static void loop_fills(const struct schedule_totals *totals, const struct schedule *s, struct strbuf *out)
{
    if (totals->fills > 0) {
        strbuf_addf(out,
                    "        last chunk:      Fill zeros in L1 behind k %" PRId64 " up to %" PRId64 " (%" PRIu64
                    " Fills, %" PRId64 " B in all)\n",
                    s->problem->K, align_up(s->problem->K, 64), totals->fills, totals->fill_bytes);
    }
}

/* Instructions that loadRepeat saves, or would save. */
static void loop_repeat(const struct schedule *s, struct strbuf *out)
{
    struct schedule plain = *s, merged = *s;
    struct schedule_totals more, less;
    plain.t.loadRepeat = 0;
    merged.t.loadRepeat = 1;
    schedule_totals(&plain, &more);
    schedule_totals(&merged, &less);
    if (more.insns != less.insns) {
        strbuf_addf(
            out, "                %s %" PRIu64 " of %" PRIu64 " instructions: lines behind each other in one load\n",
            s->t.loadRepeat ? "loadRepeat saves" : "loadRepeat 1 would save", more.insns - less.insns, more.insns);
    }
}

void explain_loops(const struct schedule *s, struct strbuf *out)
{
    const struct tiling *t = &s->t;
    loop_assignment(s, out);
    if (s->problem->op == PROBLEM_CONV) {
        conv_images_text(s, out);
    }
    strbuf_addf(out, "      for k in %" PRId32 " steps of %" PRId32 ":\n", s->nk, t->baseK);
    struct schedule_totals totals;
    schedule_totals(s, &totals);
    loop_copy(s, ROLE_A, out);
    loop_copy(s, ROLE_B, out);
    if (s->problem->a.mx) {
        loop_scales(s, ROLE_A, out);
        loop_scales(s, ROLE_B, out);
    }
    loop_fills(&totals, s, out);
    strbuf_addf(out, "        load A  L1 -> L0A  %" PRId32 " x %" PRId32 " (%s), %" PRId32 " buffers\n", t->baseM,
                t->baseK, load_words(ROLE_A, t), t->dbL0A);
    strbuf_addf(out, "        load B  L1 -> L0B  %" PRId32 " x %" PRId32 " (%s), %" PRId32 " buffers\n", t->baseN,
                t->baseK, load_words(ROLE_B, t), t->dbL0B);
    loop_repeat(s, out);
    strbuf_addf(out,
                "        Mmad    L0A * L0B -> L0C  %" PRId32 " x %" PRId32 " x %" PRId32 ", from 0 at the first k\n",
                t->baseM, t->baseN, t->baseK);
    strbuf_addf(out, "      Fixpipe   L0C -> GM  %" PRId32 " x %" PRId32 "%s, %" PRId32 " L0C buffer%s\n", t->baseM,
                t->baseN, t->unitflag ? " (unitflag: starts while the last Mmad still runs)" : "", t->dbL0C,
                t->dbL0C > 1 ? "s" : "");
    strbuf_addf(out, "  in all: %" PRIu64 " tiles, %" PRIu64 " steps, %" PRIu64 " instructions on the pipes\n",
                totals.tiles, totals.steps, totals.insns);
    add_split_k(s, out);
}

/* ---- times ---- */

/* Bytes as they are stored, and the elements they stand for where two share one. */
static void copied_part(const struct problem *p, const struct schedule_totals *totals, enum role role,
                        struct strbuf *out)
{
    const struct operand *o = problem_operand(p, (enum tensor)role);
    if (o == NULL || totals->copied[role] == 0) {
        return;
    }
    strbuf_addf(out, "    %-12s %15" PRId64 " B", region_role((uint8_t)role), totals->copied[role]);
    if (dtype_info(o->dtype)->bits == 4) {
        strbuf_addf(out, " packed, %" PRId64 " elements of %s", totals->copied[role] * 2, dtype_info(o->dtype)->name);
    } else {
        strbuf_addf(out, ", %s", dtype_info(o->dtype)->name);
    }
    strbuf_add(out, "\n");
}

static void times_copied(const struct schedule *s, struct strbuf *out)
{
    const struct problem *p = s->problem;
    struct schedule_totals totals;
    if (!p->a.mx && dtype_info(p->a.dtype)->bits != 4 && dtype_info(p->b.dtype)->bits != 4) {
        return;
    }
    schedule_totals(s, &totals);
    strbuf_add(out, "  GM->L1 by what is moved:\n");
    for (int role = ROLE_A; role <= ROLE_QUANT; role++) {
        copied_part(p, &totals, (enum role)role, out);
    }
}

static void times_bytes(const struct record *r, struct strbuf *out)
{
    strbuf_add(out, "  bytes moved:");
    const char *comma = "";
    for (int p = 0; p < PATH_N; p++) {
        if (r->bytes[p]) {
            strbuf_addf(out, "%s %s ", comma, path_name((enum path)p));
            summary_bytes(r->bytes[p], out);
            comma = ",";
        }
    }
    strbuf_add(out, "\n  GM: ");
    summary_gm(r, out);
    strbuf_add(out, "\n");
}

/* Split K: what is no instruction of the cube core. */
static void times_split(const struct cell *cell, const struct schedule *s, const struct record *r, struct strbuf *out)
{
    int64_t read, written;
    timing_split_bytes(s, &read, &written);
    if (read + written == 0) {
        return;
    }
    strbuf_addf(out, "  split K: %.2f us %s", timing_us(cell->target, r->split),
                read > 0 ? "behind the kernel, the vector cores read " : "before the kernel, C is cleared: ");
    if (read > 0) {
        summary_bytes(read, out);
        strbuf_add(out, " of planes and write ");
    }
    summary_bytes(written, out);
    strbuf_add(out, " at l2_rate as far as L2 holds them, else at hbm (unvalidated)\n");
}

void explain_times(const struct cell *cell, const struct schedule *s, const struct record *r, int64_t bound,
                   struct strbuf *out)
{
    static const enum pipe order[] = {PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_FIX};
    strbuf_addf(out, "  task %.2f us: %.1f TFLOP/s, %.1f %% of peak%s\n", timing_us(cell->target, r->task),
                record_tflops(cell, r), 100 * record_peak_share(cell, r), r->unvalidated ? " (unvalidated)" : "");
    if (r->unvalidated) {
        struct strbuf why;
        strbuf_init(&why);
        timing_unvalidated(s, &why);
        strbuf_addf(out, "  unvalidated: no measured run stands behind %s\n", strbuf_cstr(&why));
        strbuf_fini(&why);
    }
    strbuf_addf(out, "  cores: mean %.2f us, slowest %.2f us; launch %.2f us\n", timing_us(cell->target, r->core_mean),
                timing_us(cell->target, r->core_max), timing_us(cell->target, r->task - r->core_max - r->split));
    times_split(cell, s, r, out);
    strbuf_add(out, "  busy, mean over cores, msprof's names:\n");
    for (size_t i = 0; i < 4; i++) {
        const enum pipe p = order[i];
        strbuf_addf(out, "    %-8s %10.2f us  %5.1f %% of the mean core time%s\n", summary_counter(p),
                    timing_us(cell->target, r->busy[p]),
                    r->core_mean > 0 ? 100.0 * (double)r->busy[p] / (double)r->core_mean : 0.0,
                    p == r->bound_pipe ? "   <- binds" : "");
    }
    if (bound > 0) {
        strbuf_addf(out, "  no order of these instructions can take less than %.2f us (%.0f %% of this)\n",
                    timing_us(cell->target, bound), r->task > 0 ? 100.0 * (double)bound / (double)r->task : 0.0);
    }
    times_bytes(r, out);
    times_copied(s, out);
    if (s->problem->op == PROBLEM_CONV) {
        conv_halo_text(s, r, out);
    }
    strbuf_addf(out, "  products: %" PRId64 " useful, the cube makes %" PRId64 " (%.2f times as many: ", r->macs,
                r->issued, r->macs > 0 ? (double)r->issued / (double)r->macs : 0.0);
    strbuf_add(out, s->problem->op == PROBLEM_CONV
                        ? "whole fractals, channels filled up); TFLOP/s and share of peak are "
                          "of useful ones\n"
                        : "whole fractals); TFLOP/s and share of peak are of useful ones\n");
}

/* ---- the whole ---- */

static void heading(int n, const char *text, struct strbuf *out)
{
    strbuf_addf(out, "\n%d. %s\n", n, text);
}

static void explain_what(const struct cell *cell, const struct schedule *s, const struct record *r, struct strbuf *out)
{
    strbuf_add(out, "tiling ");
    tiling_name(&r->t, out);
    strbuf_addf(out, "\nof ");
    summary_problem(&cell->problem, out);
    strbuf_addf(out, "\non %s, %s: %" PRId32 " cores, %.2f GHz\n", cell->target->name, cell->target->title,
                cell->target->cores, cell->target->ghz);
    if (r->verified != VERIFIED_NOT_RUN) {
        strbuf_addf(out, "verified (%s): %s\n", verify_name(r->verify),
                    r->verified == VERIFIED_OK ? "every load brings the right bytes" : "MISMATCH");
    }
    heading(1, "Fields", out);
    int column = 0;
    for (int f = 0; f < TF_N; f++) {
        const struct tiling_field_info *info = tiling_field_info((enum tiling_field)f);
        const int32_t v = tiling_get(&r->t, (enum tiling_field)f);
        if (v == info->def && f != TF_baseM && f != TF_baseN && f != TF_baseK) {
            continue;
        }
        const size_t at = out->len;
        strbuf_addf(out, "  %s ", info->name);
        if (info->words && v >= info->min && v <= info->max) {
            strbuf_add(out, info->words[v - info->min]);
        } else {
            strbuf_addf(out, "%" PRId32, v);
        }
        column = (column + 1) % 4;
        strbuf_addf(out, column ? "%*s" : "\n", column && out->len - at < 24 ? (int)(24 - (out->len - at)) : 0, "");
    }
    strbuf_add(out, column ? "\n  (all others at their defaults)\n" : "  (all others at their defaults)\n");
    edge_oversize_text(&cell->problem, &r->t, "  ", out);
    if (cell->problem.op == PROBLEM_CONV) {
        conv_vendor_text(s, out);
    }
}

static enum status explain_error(const struct cell *cell, struct strbuf *out, struct diag *d)
{
    struct accuracy a;
    if (!study_has_error(cell)) {
        return STATUS_OK;
    }
    const enum status st = study_error(cell, &a, d);
    if (st == STATUS_OK) {
        errors_inputs(&cell->problem, out);
        errors_line(&a, out);
    }
    return st == STATUS_UNSUPPORTED ? STATUS_OK : st;
}

enum status explain_text(struct study *study, const struct cell *cell, const struct record *r,
                         const struct explain_options *o, struct strbuf *out, struct diag *d)
{
    struct schedule s;
    struct infeasible why = {0};
    TRY(study_schedule(cell, &r->t, &s, &why, d));
    if (why.reason != REASON_NONE) {
        return diag_error(d, STATUS_INVALID, NULL, "this tiling is infeasible");
    }
    if (o->core >= s.cores) {
        return diag_error(d, STATUS_INVALID, NULL, "core %" PRId32 " of %" PRId32 " does not run", o->core, s.cores);
    }
    explain_what(cell, &s, r, out);
    TRY(explain_error(cell, out, d));
    heading(2, "Buffers", out);
    explain_budget(cell->target, &s.plan, out);
    heading(3, "Loops", out);
    explain_loops(&s, out);
    heading(4, "Time on the model", out);
    explain_times(cell, &s, r, timing_bound(study_timing(study), &s), out);
    TRY(explain_time_text(study_timing(study), &s, cell->l2_warm, o->core, out, d));
    heading(5, "Instructions", out);
    TRY(listing_text(study, cell, &s, o, out, d));
    return out->failed ? diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the text") : STATUS_OK;
}
