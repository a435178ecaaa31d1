/* mutation.c - building streams and mutations; the judges are in mutation_judge.c. */
#include "support/mutation.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- streams ------------------------------------------------------------- */

static void stream_room(struct stream *x, size_t more)
{
    if (x->count + more > x->cap) {
        x->cap = 2 * (x->count + more);
        x->insns = realloc(x->insns, x->cap * sizeof *x->insns);
        assert_non_null(x->insns);
    }
}

static void begin_list(struct stream *x, int32_t core)
{
    x->list[x->lists] = x->count;
    x->core[x->lists] = core;
    x->lists++;
}

void stream_init(struct stream *x, const struct schedule *s)
{
    const size_t most = (size_t)schedule_expand_max(s) + SCHEDULE_EDGE_MAX;
    size_t lists = 0;
    for (int32_t core = 0; core < s->cores; core++) {
        lists += (size_t)schedule_steps(s, core) + 2;
    }
    memset(x, 0, sizeof *x);
    x->s = s;
    x->list = calloc(lists + 1, sizeof *x->list);
    x->core = calloc(lists + 1, sizeof *x->core);
    for (int32_t core = 0; core < s->cores; core++) {
        const int64_t steps = schedule_steps(s, core);
        for (int64_t i = -1; i <= steps; i++) {
            struct step step;
            stream_room(x, most);
            begin_list(x, core);
            struct insn *to = x->insns + x->count;
            if (i < 0) {
                x->count += (size_t)schedule_prologue(s, core, to);
            } else if (i == steps) {
                x->count += (size_t)schedule_epilogue(s, core, to);
            } else {
                schedule_step_at(s, core, i, &step);
                x->count += (size_t)schedule_expand(s, &step, to);
            }
        }
    }
    x->list[x->lists] = x->count;
}

void stream_fini(struct stream *x)
{
    free(x->insns);
    free(x->list);
    free(x->core);
    memset(x, 0, sizeof *x);
}

size_t stream_list_of(const struct stream *x, size_t at)
{
    size_t i = 0;
    while (i + 1 < x->lists && x->list[i + 1] <= at) {
        i++;
    }
    return i;
}

size_t stream_matching_wait(const struct stream *x, size_t at)
{
    const size_t list = stream_list_of(x, at);
    for (size_t i = at + 1; i < x->count && x->core[stream_list_of(x, i)] == x->core[list]; i++) {
        if (x->insns[i].op == OP_WAIT_FLAG && x->insns[i].event == x->insns[at].event) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* --- applying ------------------------------------------------------------ */

static struct addr *operand_of(struct insn *i, enum insn_end operand)
{
    return operand == OPERAND_DST ? &i->dst : operand == OPERAND_SRC ? &i->src : &i->src2;
}

static const struct region *region_at(const struct schedule *s, const struct addr *a)
{
    for (int i = 0; i < s->plan.n; i++) {
        const struct region *r = &s->plan.r[i];
        if (r->buf == a->buf && a->byte >= r->off && a->byte < r->off + r->size) {
            return r;
        }
    }
    return NULL;
}

/* The byte that is to the other half what a->byte is to its own; -1 if there is none. */
static int64_t other_half(const struct schedule *s, const struct addr *a)
{
    const struct region *r = region_at(s, a);
    const struct region *to = r == NULL ? NULL
                                        : plan_region(&s->plan, (enum buffer)r->buf, (enum role)r->role, 1 - r->half);
    return to == NULL ? -1 : to->off + (a->byte - r->off);
}

static bool reads_two(const struct insn *i)
{
    return i->op == OP_MMAD || i->op == OP_MMAD_MX || i->op == OP_LOAD_MX;
}

static bool uses_buffer(const struct insn *i, enum buffer buf)
{
    const bool moves = i->op >= OP_ND2NZ && i->op <= OP_FIXPIPE;
    return moves && (i->dst.buf == buf || i->src.buf == buf || (reads_two(i) && i->src2.buf == buf));
}

static void swap_halves(const struct schedule *s, struct insn *i, enum buffer buf)
{
    for (int k = 0; k < OPERAND_N; k++) {
        struct addr *a = operand_of(i, (enum insn_end)k);
        if (uses_buffer(i, buf) && a->buf == buf && other_half(s, a) >= 0) {
            a->byte = other_half(s, a);
        }
    }
}

/* Writes what stands for instruction `at` of the right stream; @return how many. */
static size_t changed(const struct stream *right, const struct mutation *m, size_t at, struct insn *out)
{
    out[0] = right->insns[at];
    if (m->kind == MUTATION_HALVES) {
        if (stream_list_of(right, at) == stream_list_of(right, m->at)) {
            swap_halves(right->s, out, m->buf);
        }
        return 1;
    }
    if (at != m->at && at != m->other) {
        return 1;
    }
    switch (m->kind) {
    case MUTATION_FIELD:
    case MUTATION_RANGE:
        (void)insn_field_set(out, m->field, m->value);
        if (out->op == OP_PIPE_BARRIER) {
            insn_set_pipe(out);
        }
        return 1;
    case MUTATION_ADDRESS:
    case MUTATION_HALF:
        operand_of(out, m->operand)->byte = m->value;
        return 1;
    case MUTATION_EVENT:
    case MUTATION_IDS:
        out->event = INSN_EVENT(INSN_EVENT_HARD(out->event), m->value);
        return 1;
    case MUTATION_DROP:
    case MUTATION_PAIR:
    case MUTATION_BARRIER:
        return 0;
    case MUTATION_DUPLICATE:
        out[1] = out[0];
        return 2;
    case MUTATION_HALVES:
    case MUTATION_KINDS:
        break;
    }
    return 1;
}

void mutation_apply(const struct stream *right, const struct mutation *m, struct stream *out)
{
    out->count = 0;
    for (size_t i = 0; i < right->lists; i++) {
        out->list[i] = out->count;
        const bool far = m->kind != MUTATION_HALVES && (m->at < right->list[i] || m->at >= right->list[i + 1]) &&
                         (m->other < right->list[i] || m->other >= right->list[i + 1]);
        if (far) {
            const size_t n = right->list[i + 1] - right->list[i];
            stream_room(out, n);
            memcpy(out->insns + out->count, right->insns + right->list[i], n * sizeof *out->insns);
            out->count += n;
            continue;
        }
        for (size_t at = right->list[i]; at < right->list[i + 1]; at++) {
            stream_room(out, 2);
            out->count += changed(right, m, at, out->insns + out->count);
        }
    }
    out->list[right->lists] = out->count;
}

/* --- listing ------------------------------------------------------------- */

struct builder {
    const struct stream *x;
    struct mutation *list;
    size_t count, cap;
};

static void add(struct builder *b, struct mutation m)
{
    if (b->count == b->cap) {
        b->cap = b->cap == 0 ? 1024 : 2 * b->cap;
        b->list = realloc(b->list, b->cap * sizeof *b->list);
        assert_non_null(b->list);
    }
    b->list[b->count++] = m;
}

/* value + 1, value - 1 and 2 * value, each distinct from `value` and from the others. */
static int neighbours(int64_t value, int64_t out[3])
{
    int n = 0;
    out[n++] = value + 1;
    out[n++] = value - 1;
    if (value != 0 && value != 1 && value != -1) {
        out[n++] = 2 * value;
    }
    return n;
}

/* What struct insn cannot hold is not planted. */
static void add_fields(struct builder *b, size_t at)
{
    const struct insn *i = &b->x->insns[at];
    size_t count;
    const struct insn_field *fields = insn_fields((enum op)i->op, &count);
    for (size_t f = 0; f < count; f++) {
        int64_t values[3];
        const int n = neighbours(insn_field_get(i, &fields[f]), values);
        for (int k = 0; k < n; k++) {
            struct insn changed_insn = *i;
            const bool legal = values[k] >= fields[f].min && values[k] <= fields[f].max;
            if (insn_field_set(&changed_insn, &fields[f], values[k])) {
                add(b, (struct mutation){.kind = legal ? MUTATION_FIELD : MUTATION_RANGE,
                                         .at = at,
                                         .other = SIZE_MAX,
                                         .field = &fields[f],
                                         .value = values[k]});
            }
        }
    }
}

static bool has_operand(const struct insn *i, enum insn_end operand)
{
    const bool two = reads_two(i);
    return i->op >= OP_ND2NZ && i->op <= OP_FIXPIPE && (operand != OPERAND_SRC2 || two) &&
           (operand != OPERAND_SRC || i->op != OP_FILL);
}

static void add_addresses(struct builder *b, size_t at)
{
    struct insn i = b->x->insns[at];
    for (int k = 0; k < OPERAND_N; k++) {
        if (!has_operand(&i, (enum insn_end)k)) {
            continue;
        }
        const struct addr *a = operand_of(&i, (enum insn_end)k);
        struct mutation m = {.kind = MUTATION_ADDRESS, .at = at, .other = SIZE_MAX, .operand = (enum insn_end)k};
        /* +-1 byte, and +-1 of what the buffer is addressed by, which no alignment rule catches. */
        const int64_t unit = a->buf == BUF_GM ? 2 : b->x->s->target->align_dst[a->buf];
        const int64_t values[] = {a->byte + 1, a->byte - 1, a->byte + unit, a->byte - unit, 2 * a->byte};
        for (int v = 0; v < 5; v++) {
            m.value = values[v];
            if (m.value != a->byte) {
                add(b, m);
            }
        }
        m.kind = MUTATION_HALF;
        m.value = other_half(b->x->s, a);
        if (m.value >= 0) {
            add(b, m);
        }
    }
}

static void add_flags(struct builder *b, size_t at)
{
    const struct insn *i = &b->x->insns[at];
    if (i->op != OP_SET_FLAG && i->op != OP_WAIT_FLAG) {
        return;
    }
    const int64_t id = (int64_t)INSN_EVENT_ID(i->event);
    int64_t values[3];
    const int n = neighbours(id, values);
    for (int k = 0; k < n; k++) {
        if (values[k] >= 0 && values[k] < 8) {
            add(b, (struct mutation){.kind = MUTATION_EVENT, .at = at, .other = SIZE_MAX, .value = values[k]});
        }
    }
    const size_t wait = i->op == OP_SET_FLAG ? stream_matching_wait(b->x, at) : SIZE_MAX;
    if (wait == SIZE_MAX) {
        return;
    }
    add(b, (struct mutation){.kind = MUTATION_PAIR, .at = at, .other = wait});
    /* The partner's id: 0 <-> 1, 2 <-> 3; and the first reserved one. */
    add(b, (struct mutation){.kind = MUTATION_IDS, .at = at, .other = wait, .value = id ^ 1});
    add(b, (struct mutation){.kind = MUTATION_IDS, .at = at, .other = wait, .value = b->x->s->target->event_ids});
}

static void add_halves(struct builder *b, size_t at)
{
    static const enum buffer bufs[] = {BUF_L1, BUF_L0A, BUF_L0B, BUF_L0C};
    for (size_t k = 0; k < sizeof bufs / sizeof bufs[0]; k++) {
        bool two = false;
        for (size_t i = b->x->list[stream_list_of(b->x, at)]; i < b->x->list[stream_list_of(b->x, at) + 1]; i++) {
            struct insn changed_insn = b->x->insns[i];
            swap_halves(b->x->s, &changed_insn, bufs[k]);
            two = two || memcmp(&changed_insn, &b->x->insns[i], sizeof changed_insn) != 0;
        }
        if (two) {
            add(b, (struct mutation){.kind = MUTATION_HALVES, .at = at, .other = SIZE_MAX, .buf = bufs[k]});
        }
    }
}

size_t mutation_list(const struct stream *right, size_t from, size_t to, struct mutation **list)
{
    struct builder b = {.x = right};
    size_t last = SIZE_MAX;
    for (size_t at = from; at < to; at++) {
        const size_t in = stream_list_of(right, at);
        if (in != last) {
            add_halves(&b, at);
            last = in;
        }
        add_fields(&b, at);
        add_addresses(&b, at);
        add_flags(&b, at);
        const bool barrier = right->insns[at].op == OP_PIPE_BARRIER;
        add(&b, (struct mutation){.kind = barrier ? MUTATION_BARRIER : MUTATION_DROP, .at = at, .other = SIZE_MAX});
        add(&b, (struct mutation){.kind = MUTATION_DUPLICATE, .at = at, .other = SIZE_MAX});
    }
    *list = b.list;
    return b.count;
}

/* --- words --------------------------------------------------------------- */

const char *mutation_kind_name(enum mutation_kind kind)
{
    static const char *const names[MUTATION_KINDS] = {
        [MUTATION_FIELD] = "field",       [MUTATION_RANGE] = "out of range", [MUTATION_ADDRESS] = "address",
        [MUTATION_EVENT] = "event id",    [MUTATION_DROP] = "drop",          [MUTATION_DUPLICATE] = "twice",
        [MUTATION_HALF] = "other half",   [MUTATION_HALVES] = "step's half", [MUTATION_IDS] = "pair's id",
        [MUTATION_PAIR] = "pair removed", [MUTATION_BARRIER] = "no barrier",
    };
    return names[kind];
}

void mutation_text(const struct stream *right, const struct mutation *m, struct strbuf *out)
{
    static const char *const operands[] = {"dst", "src", "src2"};
    const struct insn *i = &right->insns[m->at];
    strbuf_addf(out, "step %u: %s: ", i->step, mutation_kind_name(m->kind));
    if (m->kind == MUTATION_FIELD || m->kind == MUTATION_RANGE) {
        strbuf_addf(out, "%s %" PRId64 " -> %" PRId64, m->field->name, insn_field_get(i, m->field), m->value);
    } else if (m->kind == MUTATION_ADDRESS || m->kind == MUTATION_HALF) {
        strbuf_addf(out, "%s -> 0x%" PRIx64, operands[m->operand], (uint64_t)m->value);
    } else if (m->kind == MUTATION_EVENT || m->kind == MUTATION_IDS) {
        strbuf_addf(out, "id %" PRId64, m->value);
    } else if (m->kind == MUTATION_HALVES) {
        strbuf_addf(out, "%s", buffer_name(m->buf));
    }
    strbuf_add(out, " in ");
    insn_format(i, out);
}
