/* Traces of timing_ref judged by rules of their own: this file shares no code
 * with either timer, it only knows what instructions and numbers mean.
 *
 * For every core of random points (support/timing_points.h, some with short
 * queues), from the events alone:
 *   - pipes run in order and occupancies do not overlap;
 *   - every wait has its set, one set is consumed once, and nothing behind a
 *     wait starts before the set fired + sync;
 *   - barriers, unit flags and queues hold back what they must;
 *   - nothing is held back longer: every start equals the latest of its reasons;
 *   - durations of Mmad, Fixpipe and loads follow from their parameters;
 *     a copy lasts its issue and the latency at least;
 *   - the union of all busy intervals, sorted and merged, is the counter, and
 *     launch + init + the slowest core is the task. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/timing_points.h"
#include "timing/timing.h"

#ifndef POINTS
#define POINTS 100
#endif
#define BASE_SEED 77123U

#define NEVER  (-(INT64_C(1) << 60))
#define IDS    8
#define BLOCKS 16

struct interval {
    int64_t from, to;
};

struct intervals {
    struct interval *at;
    size_t count, cap;
};

struct block {
    int64_t byte, mmad_start, mmad_end, fix_start, fix_end;
};

/* What is known of a core while its events come in. */
struct judge {
    const struct schedule *s;
    const struct target_timing *p;
    const char *wrong; /* the first rule broken */
    int64_t free[PIPE_N], done[PIPE_N], held[PIPE_N], issue;
    const char *held_by[PIPE_N];
    int64_t fired[HARD_EVENT_N][IDS];
    int pending[HARD_EVENT_N][IDS]; /* sets not yet waited for */
    struct block block[BLOCKS];
    int blocks;
    int64_t *starts[PIPE_N]; /* of all instructions */
    size_t started[PIPE_N], room[PIPE_N];
    struct intervals busy[PIPE_N];
    int64_t load_spent[ROLE_N];
    int load_calls[ROLE_N];
    double scale_bytes[ROLE_N];
    uint64_t events;
};

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t thousandths(double cycles)
{
    return llrint(1000 * cycles);
}

static void rule(struct judge *j, bool holds, const char *name)
{
    if (!holds && j->wrong == NULL) {
        j->wrong = name;
    }
}

static void add_interval(struct intervals *list, int64_t from, int64_t to)
{
    if (list->count == list->cap) {
        list->cap = list->cap == 0 ? 64 : 2 * list->cap;
        list->at = realloc(list->at, list->cap * sizeof *list->at);
        assert_non_null(list->at);
    }
    list->at[list->count++] = (struct interval){from, to};
}

static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Length of the union: sort, merge. */
static int64_t union_length(struct intervals *list)
{
    int64_t length = 0;
    if (list->count == 0) {
        return 0;
    }
    qsort(list->at, list->count, sizeof *list->at, by_start);
    for (size_t i = 0; i < list->count;) {
        int64_t to = list->at[i].to;
        size_t k = i + 1;
        while (k < list->count && list->at[k].from <= to) {
            to = most(to, list->at[k++].to);
        }
        length += to - list->at[i].from;
        i = k;
    }
    return length;
}

static struct block *block_at(struct judge *j, int64_t byte)
{
    for (int i = 0; i < j->blocks; i++) {
        if (j->block[i].byte == byte) {
            return &j->block[i];
        }
    }
    assert_true(j->blocks < BLOCKS);
    j->block[j->blocks] = (struct block){byte, NEVER, NEVER, NEVER, NEVER};
    return &j->block[j->blocks++];
}

/* --- order ----------------------------------------------------------------- */

static void judge_set(struct judge *j, const struct insn *insn)
{
    const enum hard_event hard = INSN_EVENT_HARD(insn->event);
    const unsigned id = INSN_EVENT_ID(insn->event);
    const enum pipe pipe = hard_event_setter(hard);
    rule(j, insn->pipe == pipe && id < IDS, "a set runs on its event's pipe");
    rule(j, j->pending[hard][id] == 0, "a flag is set only after it was waited for");
    j->pending[hard][id]++;
    j->fired[hard][id] = insn->flags & INSN_PRESET
                             ? NEVER
                             : most(most(j->done[pipe], j->free[pipe]), most(j->held[pipe], j->issue));
}

static void judge_wait(struct judge *j, const struct insn *insn)
{
    const enum hard_event hard = INSN_EVENT_HARD(insn->event);
    const unsigned id = INSN_EVENT_ID(insn->event);
    const enum pipe pipe = hard_event_waiter(hard);
    rule(j, insn->pipe == pipe && id < IDS, "a wait runs on its event's pipe");
    rule(j, j->pending[hard][id] == 1, "a wait has its set");
    j->pending[hard][id]--;
    j->held[pipe] = most(j->held[pipe], j->fired[hard][id] + thousandths(j->p->sync));
}

static void judge_barrier(struct judge *j, const struct insn *insn)
{
    const int which = insn->p.barrier.pipe;
    int64_t all = 0;
    if (which != PIPE_ALL) {
        j->held[which] = most(j->held[which], which == PIPE_M && j->p->mmad_barrier == 0 ? NEVER : j->done[which]);
        return;
    }
    for (int i = 0; i < PIPE_N; i++) {
        all = most(all, most(most(j->free[i], j->done[i]), j->held[i]));
    }
    for (int i = 0; i < PIPE_N; i++) {
        j->held[i] = all + thousandths(j->p->tile_barrier);
    }
}

/* --- durations ------------------------------------------------------------- */

static int64_t round_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b * b;
}

static int64_t load_bytes(const struct insn *insn)
{
    const int64_t c0 = dtype_c0((enum dtype)insn->dtype), bits = dtype_info((enum dtype)insn->dtype)->bits;
    switch (insn->op) {
    case OP_LOAD_2D:
        return 512 * (int64_t)insn->p.load_2d.repeatTimes;
    case OP_LOAD_2D_V2:
        return 512 * (int64_t)insn->p.load_2d_v2.mStep * insn->p.load_2d_v2.kStep;
    case OP_LOAD_MX:
        return 512 * (int64_t)insn->p.load_mx.data.mStep * insn->p.load_mx.data.kStep;
    case OP_LOAD_TRANSPOSE:
    case OP_LOAD_TRANSPOSE_V2:
        return (c0 < 16 ? 1024 : 32 * c0) * (int64_t)insn->p.transpose.repeatTimes;
    default:
        return round_up(insn->p.load_3d.mExtension, 16) * round_up(insn->p.load_3d.kExtension, c0) * bits / 8;
    }
}

/* The calls of one operand's load so far, priced together. */
static int64_t load_total(const struct judge *j, const struct insn *insn, int calls)
{
    const struct target_timing *p = j->p;
    const double bytes = (double)load_bytes(insn), width = insn->role == ROLE_A ? p->l0a_width : p->l0b_width;
    const double call = fmax(p->load_call + bytes / width, p->load_min) +
                        (insn->flags & INSN_L1_FILLING ? bytes / p->l1_contention : 0);
    double scales = 0; /* with the first call */
    if (insn->op == OP_LOAD_MX) {
        scales = p->load_issue + j->scale_bytes[insn->role] / p->mx_width;
    }
    return thousandths(p->load_issue - p->load_calls_ref[insn->role] * p->load_call + scales + calls * call);
}

static void judge_load(struct judge *j, const struct timing_event *e)
{
    const int role = e->insn.role;
    if (e->insn.flags & INSN_FIRST) {
        j->scale_bytes[role] = 32.0 * e->insn.p.load_mx.xStep * e->insn.p.load_mx.yStep;
        j->load_calls[role] = 0;
        j->load_spent[role] = 0;
    }
    const int64_t total = load_total(j, &e->insn, ++j->load_calls[role]);
    rule(j, e->end == e->occupied && e->end - e->start == total - j->load_spent[role], "a load's duration");
    j->load_spent[role] = total;
}

static int64_t mmad_work(const struct judge *j, const struct insn *insn)
{
    const struct mmad_params *m = &insn->p.mmad;
    const int64_t c0 = dtype_c0((enum dtype)insn->dtype);
    const int64_t macs = round_up(m->m, 16) * round_up(m->n, 16) * round_up(m->k, c0);
    return thousandths((double)macs / j->s->target->rate[insn->dtype]);
}

static void judge_mmad(struct judge *j, const struct timing_event *e)
{
    const int64_t work = mmad_work(j, &e->insn);
    struct block *b = block_at(j, e->insn.dst.byte);
    rule(j, e->occupied - e->start == work + thousandths(j->p->mmad_issue), "a Mmad's occupancy");
    rule(j, e->end - e->start == work + thousandths(j->p->mmad_latency), "a Mmad's completion");
    b->mmad_start = e->start;
    b->mmad_end = e->end;
}

static void judge_fixpipe(struct judge *j, const struct timing_event *e)
{
    const struct target_timing *p = j->p;
    const struct fixpipe_params *f = &e->insn.p.fixpipe;
    const int bits = dtype_info((enum dtype)f->dstType)->bits;
    double cycles = p->fixpipe_issue + (double)f->mSize * f->nSize * bits / 8 / p->fixpipe_width;
    if ((int64_t)f->dstStride * bits / 8 % 32 != 0) {
        cycles += f->mSize * p->fixpipe_unaligned;
    }
    struct block *b = block_at(j, e->insn.src.byte);
    const int64_t alone = e->start + thousandths(cycles);
    const int64_t drained = f->unitFlag ? b->mmad_end + thousandths(p->fixpipe_issue) : NEVER;
    rule(j, e->end == most(alone, drained) && e->occupied == e->end, "a Fixpipe's duration");
    b->fix_start = e->start;
    b->fix_end = e->end;
}

static void judge_copy(struct judge *j, const struct timing_event *e)
{
    const struct target_timing *p = j->p;
    const double others = j->s->cores_active - 1, cores = j->s->target->cores - 1;
    const double latency = p->copy_latency + (cores > 0 ? p->copy_loaded * others / cores : 0);
    rule(j, e->end - e->occupied == thousandths(latency), "a copy's latency");
    rule(j, e->occupied - e->start >= thousandths(p->copy_issue) - 1, "a copy lasts its issue at least");
}

/* A bias row to BT: blocks of 64 B, 32 on 3510; a quant row to FB: 128 B, 64. */
static void judge_row(struct judge *j, const struct timing_event *e)
{
    const bool bias = e->insn.op == OP_L1_TO_BT;
    const double bytes = (j->s->target->arch == 3510 ? 32.0 : 64.0) * (bias ? 1 : 2) * e->insn.p.copy.blockLen;
    const double cycles = bytes / (bias ? j->p->bt_width : j->p->fb_width);
    rule(j, e->occupied - e->start == thousandths(cycles), "a row's occupancy");
    rule(j, e->end - e->start == thousandths(cycles + (bias ? j->p->bt_latency : j->p->fb_latency)), "a row's latency");
}

/* --- instructions ---------------------------------------------------------- */

static int64_t unit_flag_reason(struct judge *j, const struct insn *insn)
{
    if (insn->op == OP_FIXPIPE && insn->p.fixpipe.unitFlag) {
        return block_at(j, insn->src.byte)->mmad_start + thousandths(j->p->mmad_latency);
    }
    if ((insn->op == OP_MMAD || insn->op == OP_MMAD_MX) && insn->p.mmad.unitFlag) {
        const struct block *b = block_at(j, insn->dst.byte);
        return most(b->fix_end - mmad_work(j, insn), b->fix_start + thousandths(j->p->fixpipe_issue));
    }
    return NEVER;
}

/* Where the scalar unit stands when it issues the next instruction of `pipe`. */
static void judge_queue(struct judge *j, int pipe)
{
    const size_t depth = (size_t)j->p->queue_depth, n = j->started[pipe];
    if (depth > 0 && n >= depth) {
        j->issue = most(j->issue, j->starts[pipe][n - depth]);
    }
}

static void note_start(struct judge *j, int pipe, int64_t start)
{
    if (j->started[pipe] == j->room[pipe]) {
        j->room[pipe] = j->room[pipe] == 0 ? 64 : 2 * j->room[pipe];
        j->starts[pipe] = realloc(j->starts[pipe], j->room[pipe] * sizeof *j->starts[pipe]);
        assert_non_null(j->starts[pipe]);
    }
    j->starts[pipe][j->started[pipe]++] = start;
}

static void judge_timed(struct judge *j, const struct timing_event *e)
{
    const int pipe = e->insn.pipe;
    judge_queue(j, pipe);
    const int64_t earliest = most(most(most(j->free[pipe], j->held[pipe]), most(j->issue, 0)),
                                  unit_flag_reason(j, &e->insn));
    rule(j, e->start >= j->free[pipe], "occupancies do not overlap");
    rule(j, e->start >= j->held[pipe], "waits and barriers are honoured");
    rule(j, e->start >= earliest, "unit flags and queues are honoured");
    rule(j, e->start == earliest, "nothing waits without a reason");
    rule(j, e->occupied >= e->start && e->end >= e->start, "time runs forward");
    note_start(j, pipe, e->start);
    switch (e->insn.op) {
    case OP_ND2NZ:
    case OP_DN2NZ:
    case OP_DATA_COPY:
        judge_copy(j, e);
        break;
    case OP_FILL:
        rule(j, e->end - e->start == thousandths(j->p->copy_issue) && e->occupied == e->end, "a Fill's duration");
        break;
    case OP_L1_TO_BT:
    case OP_L1_TO_FB:
        judge_row(j, e);
        break;
    case OP_MMAD_MX:
    case OP_MMAD:
        judge_mmad(j, e);
        break;
    case OP_FIXPIPE:
        judge_fixpipe(j, e);
        break;
    default:
        if (e->insn.pipe == PIPE_MTE1) {
            judge_load(j, e);
        } else {
            rule(j, e->insn.pipe == PIPE_S && e->end == e->start, "registers take no time");
        }
        break;
    }
    j->free[pipe] = e->occupied;
    j->done[pipe] = most(j->done[pipe], e->end);
    if (e->end > e->start) {
        add_interval(&j->busy[pipe], e->start, e->end);
    }
}

static bool judge_event(void *ctx, const struct timing_event *e)
{
    struct judge *j = ctx;
    j->events++;
    switch (e->insn.op) {
    case OP_SET_FLAG:
        judge_set(j, &e->insn);
        break;
    case OP_WAIT_FLAG:
        judge_wait(j, &e->insn);
        break;
    case OP_PIPE_BARRIER:
        judge_barrier(j, &e->insn);
        break;
    default:
        judge_timed(j, e);
        break;
    }
    return j->wrong == NULL;
}

/* --- points ---------------------------------------------------------------- */

/* What a core adds to the run. */
struct sums {
    int64_t cores, busy[PIPE_N], time, slowest;
};

static const char *judge_core(struct timing *t, const struct schedule *s, const struct timing_start *start,
                              int32_t core, struct sums *sums, uint64_t *events)
{
    struct judge j = {.s = s, .p = &s->target->timing};
    int64_t end = 0;
    for (int i = 0; i < PIPE_N; i++) {
        j.held[i] = NEVER;
    }
    assert_int_equal(timing_ref_core(t, s, start, core, judge_event, &j), STATUS_OK);
    for (int hard = 0; hard < HARD_EVENT_N; hard++) {
        for (int id = 0; id < IDS; id++) {
            rule(&j, j.pending[hard][id] == 0, "no flag is left over");
        }
    }
    for (int i = 0; i < PIPE_N; i++) {
        sums->busy[i] += union_length(&j.busy[i]);
        for (size_t k = 0; k < j.busy[i].count; k++) {
            end = most(end, j.busy[i].at[k].to);
        }
        free(j.busy[i].at);
        free(j.starts[i]);
    }
    if (j.events > 0) {
        const double init = s->t.api == API_HIGH ? j.p->init_api_us : j.p->init_us;
        end += thousandths(init * 1000 * s->target->ghz);
        sums->cores++;
        sums->time += end;
        sums->slowest = most(sums->slowest, end);
    }
    *events += j.events;
    return j.wrong;
}

static int64_t nearest(int64_t sum, int64_t n)
{
    return (2 * sum + n) / (2 * n);
}

/* A split K beside the kernel: C cleared, or its planes read and C written. The part of the bytes that L2 holds goes
 * at its rate: all of them up to l2_hit_low of its size, none from l2_hit_high on. */
static int64_t split_around(const struct schedule *s, const struct target_timing *n)
{
    const double c = (double)(s->problem->M * s->problem->N);
    const double element = dtype_info(s->problem->c.dtype)->bits / 8.0;
    const double bytes = s->t.splitK == 1
                             ? 0
                             : c * element + (s->t.splitKReduce == REDUCE_WORKSPACE ? 4 * c * s->t.splitK : 0);
    double held = 1 - (bytes / s->target->l2_bytes - n->l2_hit_low) / (n->l2_hit_high - n->l2_hit_low);
    held = held < 0 ? 0 : held > 1 ? 1 : held;
    return thousandths(held * bytes / n->l2_rate + (1 - held) * bytes / (n->hbm * 1000 / s->target->ghz));
}

/* What is wrong with a point; NULL if nothing is or it is not feasible. */
static const char *judge_point(struct timing *t, const struct timing_point *x, bool *feasible, uint64_t *events)
{
    struct target target;
    struct problem p;
    struct schedule s;
    struct timing_result ref;
    struct sums sums = {0};
    const struct timing_start start = {.l2_warm = x->l2_warm};
    *feasible = timing_point_schedule(x, &target, &p, &s);
    if (!*feasible) {
        return NULL;
    }
    assert_int_equal(timing_ref(t, &s, &start, &ref), STATUS_OK);
    for (int32_t core = 0; core < s.cores; core++) {
        const char *wrong = judge_core(t, &s, &start, core, &sums, events);
        if (wrong != NULL) {
            return wrong;
        }
    }
    const struct target_timing *n = &target.timing;
    const double others = target.cores > 1 ? (double)(s.cores - 1) / (target.cores - 1) : 0;
    const double launch = n->head_us + others * n->head_cores_us + (s.t.kernel == KERNEL_MIX ? n->mix_us : 0);
    const int64_t around = split_around(&s, n);
    if (ref.task != sums.slowest + thousandths(launch * (1000 * target.ghz)) + around || ref.split != around ||
        ref.core_max != sums.slowest || ref.core_mean != nearest(sums.time, sums.cores)) {
        return "task, slowest or mean core";
    }
    for (int pipe = 0; pipe < PIPE_N; pipe++) {
        if (ref.busy[pipe] != nearest(sums.busy[pipe], sums.cores)) {
            return "a counter is not the union of its busy intervals";
        }
    }
    return NULL;
}

static void traces_obey_the_rules(void **state)
{
    struct arena arena;
    struct diag diag;
    const struct target *targets[2];
    struct timing *timing;
    const char *given = getenv("TIMING_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : BASE_SEED;
    int done = 0;
    uint64_t events = 0;
    (void)state;
    arena_init(&arena);
    diag_init(&diag);
    assert_int_equal(target_load("ascend910b1", NULL, &arena, &targets[0], &diag), STATUS_OK);
    assert_int_equal(target_load("ascend950pr_9589", NULL, &arena, &targets[1], &diag), STATUS_OK);
    assert_int_equal(timing_create(&timing), STATUS_OK);
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int tried = 0; done < POINTS; tried++) {
        struct rng r = rng_init(rng_at(seed, (uint64_t)tried));
        struct timing_point x;
        bool feasible;
        timing_point_random(targets, &r, &x);
        x.queue_depth = rng_below(&r, 3) == 0 ? (int32_t)rng_between(&r, 1, 12) : 0;
        const char *wrong = judge_point(timing, &x, &feasible, &events);
        done += feasible;
        if (wrong != NULL) {
            print_message("point %d: %s\n", tried, wrong);
            timing_point_print(&x);
            fail();
        }
    }
    print_message("%d points, %llu events\n", done, (unsigned long long)events);
    timing_destroy(timing);
    diag_fini(&diag);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(traces_obey_the_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
