/* order_graph.c - nodes 2 i (instruction i starts) and 2 i + 1 (it is complete);
 * reachability by one walk from every completion. */
#include "support/order_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/intmath.h"
#include "isa/access.h"
#include "isa/fields.h"

struct graph {
    size_t count;   /* instructions */
    uint32_t *edge; /* pairs (from, to) */
    size_t edges, cap;
    uint32_t *next, *head; /* adjacency: head[node] -> edge number + 1 */
};

static void add_edge(struct graph *g, size_t from, size_t to)
{
    if (g->edges == g->cap) {
        g->cap = g->cap == 0 ? 4096 : 2 * g->cap;
        g->edge = realloc(g->edge, 2 * g->cap * sizeof *g->edge);
        g->next = realloc(g->next, g->cap * sizeof *g->next);
        assert_true(g->edge != NULL && g->next != NULL);
    }
    g->edge[2 * g->edges] = (uint32_t)from;
    g->edge[2 * g->edges + 1] = (uint32_t)to;
    g->next[g->edges] = g->head[from];
    g->head[from] = (uint32_t)++g->edges;
}

static size_t start(size_t i)
{
    return 2 * i;
}

static size_t end(size_t i)
{
    return 2 * i + 1;
}

static bool is_barrier(const struct insn *i)
{
    return i->op == OP_PIPE_BARRIER;
}

/* Does instruction i queue on this pipe? */
static bool on_pipe(const struct insn *i, enum pipe pipe)
{
    if (i->op == OP_FILL && i->dst.buf == BUF_L1 && pipe == PIPE_MTE1) {
        return false; /* judged on MTE2 only */
    }
    return is_barrier(i) ? i->p.barrier.pipe == PIPE_ALL || i->p.barrier.pipe == pipe : i->pipe == pipe;
}

/* Edges of one pipe: starts in program order; a set or barrier starts when all
 * before it is complete; a wait or barrier is complete before the next starts.
 * A set holds nothing back: what follows it may start before it is due. */
static void add_pipe(struct graph *g, const struct insn *insns, enum pipe pipe)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < g->count; i++) {
        if (!on_pipe(&insns[i], pipe)) {
            continue;
        }
        const bool set = insns[i].op == OP_SET_FLAG;
        if (last != SIZE_MAX) {
            const bool blocks = insns[last].op == OP_WAIT_FLAG || is_barrier(&insns[last]);
            add_edge(g, blocks ? end(last) : start(last), start(i));
        }
        for (size_t j = 0; j < i && (set || is_barrier(&insns[i])); j++) {
            if (on_pipe(&insns[j], pipe)) {
                add_edge(g, end(j), start(i));
            }
        }
        last = set ? last : i;
    }
}

static void add_flags(struct graph *g, const struct insn *insns)
{
    for (size_t i = 0; i < g->count; i++) {
        if (insns[i].op != OP_SET_FLAG) {
            continue;
        }
        for (size_t j = i + 1; j < g->count; j++) {
            if (insns[j].op == OP_WAIT_FLAG && insns[j].event == insns[i].event) {
                add_edge(g, end(i), end(j));
                break;
            }
        }
    }
}

static void build(struct graph *g, const struct insn *insns, size_t count)
{
    memset(g, 0, sizeof *g);
    g->count = count;
    g->head = calloc(2 * count + 1, sizeof *g->head);
    for (size_t i = 0; i < count; i++) {
        add_edge(g, start(i), end(i));
    }
    for (int pipe = PIPE_MTE2; pipe < PIPE_S; pipe++) {
        add_pipe(g, insns, (enum pipe)pipe);
    }
    add_flags(g, insns);
}

/* Nodes reached from `from`, marked in seen[]. */
static void reach(const struct graph *g, size_t from, uint8_t *seen, uint32_t *stack)
{
    size_t depth = 0;
    memset(seen, 0, 2 * g->count);
    stack[depth++] = (uint32_t)from;
    while (depth > 0) {
        const uint32_t node = stack[--depth];
        for (uint32_t e = g->head[node]; e != 0; e = g->next[e - 1]) {
            const uint32_t to = g->edge[2 * (e - 1) + 1];
            if (seen[to] == 0) {
                seen[to] = 1;
                stack[depth++] = to;
            }
        }
    }
}

/* --- collisions ---------------------------------------------------------- */

struct accesses {
    struct access list[ACCESS_MAX];
    int count;
};

/* 32 B blocks on chip, bytes in GM. */
static bool run_meets(const struct access *a, int64_t lo, int64_t hi)
{
    const int64_t unit = a->buf == BUF_GM ? 1 : 32;
    for (int64_t i = 0; i < access_runs(a); i++) {
        const int64_t from = access_run(a, i);
        if (from / unit < ceil_div(hi, unit) && lo / unit < ceil_div(from + a->len, unit)) {
            return true;
        }
    }
    return false;
}

static bool meet(const struct access *a, const struct access *b)
{
    int64_t a_lo, a_hi, b_lo, b_hi;
    if (a->buf != b->buf || a->tensor != b->tensor || (!a->write && !b->write)) {
        return false;
    }
    access_hull(a, &a_lo, &a_hi);
    access_hull(b, &b_lo, &b_hi);
    if (a_hi + 32 <= b_lo || b_hi + 32 <= a_lo) {
        return false;
    }
    for (int64_t i = 0; i < access_runs(a); i++) {
        if (run_meets(b, access_run(a, i), access_run(a, i) + a->len)) {
            return true;
        }
    }
    return false;
}

static bool uses_unit_flag(const struct insn *i)
{
    return i->op == OP_FIXPIPE ? i->p.fixpipe.unitFlag != 0
                               : (i->op == OP_MMAD || i->op == OP_MMAD_MX) && i->p.mmad.unitFlag != 0;
}

/* Must `i` be complete before `j` starts, by what they touch? */
static bool must_order(const struct insn *i, const struct accesses *ai, const struct insn *j, const struct accesses *aj)
{
    const bool same = i->pipe == j->pipe;
    if (!same && uses_unit_flag(i) && uses_unit_flag(j)) {
        return false;
    }
    for (int x = 0; x < ai->count; x++) {
        for (int y = 0; y < aj->count; y++) {
            const struct access *a = &ai->list[x], *b = &aj->list[y];
            if (same) {
                const bool copies = a->buf == BUF_L1 && i->pipe == PIPE_MTE2 && a->write && b->write;
                const bool small = a->buf == BUF_L0C && i->pipe == PIPE_M && a->write && b->write &&
                                   (i->p.mmad.m / 16) * (i->p.mmad.n / 16) < 10;
                const bool words = a->buf == BUF_FB && i->pipe == PIPE_FIX && a->write;
                if (!copies && !small && !words) {
                    continue;
                }
            }
            if (meet(a, b)) {
                return true;
            }
        }
    }
    return false;
}

bool order_graph_holds(const struct target *target, const struct insn *insns, size_t count, size_t *first,
                       size_t *second)
{
    struct graph g;
    struct accesses *acc = calloc(count + 1, sizeof *acc);
    uint8_t *seen = calloc(2 * count + 1, 1);
    uint32_t *stack = calloc(2 * count + 1, sizeof *stack);
    bool holds = true;
    build(&g, insns, count);
    for (size_t i = 0; i < count; i++) {
        acc[i].count = access_of(target, NULL, &insns[i], acc[i].list);
    }
    for (size_t i = 0; i < count && holds; i++) {
        if (acc[i].count > 0) {
            reach(&g, end(i), seen, stack);
        }
        for (size_t j = i + 1; j < count && holds && acc[i].count > 0; j++) {
            if (seen[start(j)] == 0 && must_order(&insns[i], &acc[i], &insns[j], &acc[j])) {
                holds = false;
                if (first != NULL) {
                    *first = i, *second = j;
                }
            }
        }
    }
    free(g.edge), free(g.next), free(g.head);
    free(acc), free(seen), free(stack);
    return holds;
}
