/* Each rule of the race check on a list one can read: the right list passes,
 * the one that breaks the rule is reported with place, cause and cure. */
#include "engine_fixture.h"

#include "schedule/race.h"

struct list {
    struct insn insns[256];
    size_t n;
};

static struct insn *push(struct list *l, struct insn in)
{
    in.step = (uint32_t)l->n;
    l->insns[l->n] = in;
    return &l->insns[l->n++];
}

static void flag(struct list *l, enum op op, enum hard_event event, int id)
{
    struct insn in;
    insn_init(&in, op, DTYPE_NONE);
    in.event = INSN_EVENT(event, id);
    insn_set_pipe(&in);
    push(l, in);
}

#define set(l, event, id)  flag(l, OP_SET_FLAG, event, id)
#define wait(l, event, id) flag(l, OP_WAIT_FLAG, event, id)

static void barrier(struct list *l, enum pipe pipe)
{
    struct insn in;
    insn_init(&in, OP_PIPE_BARRIER, DTYPE_NONE);
    in.p.barrier.pipe = (uint8_t)pipe;
    insn_set_pipe(&in);
    push(l, in);
}

/* `blocks` fractals GM -> L1, L1 -> L0. */
static void copy(struct list *l, int64_t l1, int64_t blocks)
{
    struct insn *in = push(l, make(OP_DATA_COPY, DTYPE_HALF, at(BUF_L1, l1), at_gm(TENSOR_A, 0)));
    in->p.copy.blockLen = (uint32_t)(blocks * 16);
}

static void load(struct list *l, enum buffer to, int64_t l0, int64_t l1, int64_t blocks)
{
    struct insn *in = push(l, make(OP_LOAD_2D, DTYPE_HALF, at(to, l0), at(BUF_L1, l1)));
    in->p.load_2d.repeatTimes = (uint16_t)blocks;
    in->p.load_2d.srcStride = 1;
}

static struct insn *mmad(struct list *l, int64_t c, int m, int n, int unit)
{
    struct insn *in = push(l, make(OP_MMAD, DTYPE_HALF, at(BUF_L0C, c), at(BUF_L0A, 0)));
    in->src2 = at(BUF_L0B, 0);
    in->p.mmad.m = (uint16_t)m;
    in->p.mmad.n = (uint16_t)n;
    in->p.mmad.k = 16;
    in->p.mmad.unitFlag = (uint8_t)unit;
    return in;
}

static struct insn *fixpipe(struct list *l, int64_t c, int m, int n, int unit)
{
    struct insn *in = push(l, make(OP_FIXPIPE, DTYPE_FLOAT, at_gm(TENSOR_C, 0), at(BUF_L0C, c)));
    in->p.fixpipe.mSize = (uint16_t)m;
    in->p.fixpipe.nSize = (uint16_t)n;
    in->p.fixpipe.srcStride = (uint16_t)((m + 15) / 16 * 16);
    in->p.fixpipe.dstStride = (uint32_t)n;
    in->p.fixpipe.unitFlag = (uint8_t)unit;
    return in;
}

/* ---- expectations ---- */

struct fixture {
    struct target a2, a950;
    struct race *race;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->a2 = fixture_target(PRODUCT_ASCEND910B);
    f->a950 = fixture_target(PRODUCT_ASCEND950);
    assert_int_equal(race_create(&f->race), STATUS_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    race_destroy(f->race);
    free(f);
    return 0;
}

static void passes_on(struct fixture *f, const struct target *target, const struct list *l)
{
    struct diag d;
    diag_init(&d);
    if (race_check_list(f->race, target, l->insns, l->n, &d) != STATUS_OK) {
        fail_msg("%s", d.messages[0].text);
    }
    diag_fini(&d);
}

static void passes(struct fixture *f, const struct list *l)
{
    passes_on(f, &f->a2, l);
}

/* The first violation is of `kind`, found at instruction `second` against `first`
 * (-1: against none), and its message contains `words`. */
static void breaks_on(struct fixture *f, const struct target *target, const struct list *l, enum race_kind kind,
                      int first, int second, const char *words)
{
    struct diag d;
    size_t kept;
    uint64_t total;
    diag_init(&d);
    assert_int_equal(race_check_list(f->race, target, l->insns, l->n, &d), STATUS_MISMATCH);
    const struct race_violation *v = race_violations(f->race, &kept, &total);
    assert_true(kept >= 1 && total >= kept && d.count == kept);
    if (v->kind != kind || v->second.step != (uint32_t)second || v->has_first != (first >= 0) ||
        (first >= 0 && v->first.step != (uint32_t)first) || strstr(d.messages[0].text, words) == NULL) {
        fail_msg("%s (expected %s at %d against %d, '%s')", d.messages[0].text, race_kind_name(kind), second, first,
                 words);
    }
    diag_fini(&d);
}

static void breaks(struct fixture *f, const struct list *l, enum race_kind kind, int first, int second,
                   const char *words)
{
    breaks_on(f, &f->a2, l, kind, first, second, words);
}

/* ---- order between pipes ---- */

/* One tile, all flags; `without` leaves out the pair of that event (HARD_EVENT_N: none). */
static void tile(struct list *l, enum hard_event without)
{
    copy(l, 0, 4);
    if (without != EVENT_MTE2_MTE1) {
        set(l, EVENT_MTE2_MTE1, 0);
        wait(l, EVENT_MTE2_MTE1, 0);
    }
    load(l, BUF_L0A, 0, 0, 2);
    load(l, BUF_L0B, 0, 1024, 2);
    if (without != EVENT_MTE1_M) {
        set(l, EVENT_MTE1_M, 0);
        wait(l, EVENT_MTE1_M, 0);
    }
    mmad(l, 0, 32, 32, 0);
    if (without != EVENT_M_FIX) {
        set(l, EVENT_M_FIX, 0);
        wait(l, EVENT_M_FIX, 0);
    }
    fixpipe(l, 0, 32, 32, 0);
}

static void test_forward(void **state)
{
    static const struct {
        enum hard_event event;
        int first, second;
        const char *words;
    } cases[] = {
        {EVENT_MTE2_MTE1, 0, 1, "SetFlag MTE2_MTE1 after the first and its WaitFlag before the second"},
        {EVENT_MTE1_M, 3, 5, "reads L0A bytes [0x0, 0x400) that step 3: MTE1 LoadData L0A+0x0"},
        {EVENT_M_FIX, 7, 8, "FIX Fixpipe GM.C+0x0 <- L0C+0x0"},
    };
    struct list right = {.n = 0};
    tile(&right, HARD_EVENT_N);
    passes(*state, &right);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct list l = {.n = 0};
        tile(&l, cases[i].event);
        breaks(*state, &l, RACE_UNORDERED, cases[i].first, cases[i].second, cases[i].words);
    }
}

/* The way back: L1 is overwritten only after the loads, L0A after the Mmad, L0C after Fixpipe. */
static void test_reuse(void **state)
{
    struct list l = {.n = 0};
    copy(&l, 0, 4);
    set(&l, EVENT_MTE2_MTE1, 0);
    wait(&l, EVENT_MTE2_MTE1, 0);
    load(&l, BUF_L0A, 0, 0, 2);
    set(&l, EVENT_MTE1_MTE2, 0);
    wait(&l, EVENT_MTE1_MTE2, 0);
    copy(&l, 0, 4);
    passes(*state, &l);
    l.n = 4;
    copy(&l, 0, 4);
    breaks(*state, &l, RACE_BARRIER, 0, 4,
           "PipeBarrier<PIPE_MTE2>"); /* the other copy comes first in the list of checks */
    l.n = 4;
    barrier(&l, PIPE_MTE2);
    copy(&l, 0, 4);
    breaks(*state, &l, RACE_UNORDERED, 3, 5, "SetFlag MTE1_MTE2");
}

/* Order passes on: MTE2 -> MTE1 -> M orders MTE2 before M. */
static void test_transitive(void **state)
{
    struct list l = {.n = 0};
    set(&l, EVENT_M_MTE1, 0);
    wait(&l, EVENT_M_MTE1, 0);
    tile(&l, HARD_EVENT_N);
    /* FIX knows of the loads by way of M: L1 may be overwritten by Fixpipe. */
    struct insn *out = fixpipe(&l, 0, 32, 32, 0);
    out->dst = at(BUF_L1, 0);
    out->p.fixpipe.format = FIXPIPE_NZ;
    out->p.fixpipe.dstStride = 32;
    passes(*state, &l);
    /* Without M -> FIX it does not. */
    struct list bad = {.n = 0};
    tile(&bad, EVENT_M_FIX);
    bad.n--;
    out = fixpipe(&bad, 4096, 32, 32, 0);
    out->dst = at(BUF_L1, 0);
    out->p.fixpipe.format = FIXPIPE_NZ;
    out->p.fixpipe.dstStride = 32;
    /* The writer of L1 and its readers: the copy is met first. */
    breaks(*state, &bad, RACE_UNORDERED, 0, 8, "flags from MTE2 to FIX by way of a third pipe would");
}

/* PIPE_ALL orders everything; a barrier of one pipe nothing else. */
static void test_pipe_all(void **state)
{
    struct list l = {.n = 0};
    copy(&l, 0, 4);
    barrier(&l, PIPE_ALL);
    load(&l, BUF_L0A, 0, 0, 2);
    passes(*state, &l);
    l.n = 0;
    copy(&l, 0, 4);
    barrier(&l, PIPE_MTE2);
    load(&l, BUF_L0A, 0, 0, 2);
    breaks(*state, &l, RACE_UNORDERED, 0, 2, "writes; nothing orders them");
}

/* Interleaved rows of one image do not collide; a hull would say so. */
static void test_interleaved(void **state)
{
    struct list l = {.n = 0};
    for (int row = 0; row < 3; row++) {
        struct insn *in = push(&l, make(OP_ND2NZ, DTYPE_HALF, at(BUF_L1, row * 32), at_gm(TENSOR_A, 0)));
        in->p.nd2nz.nValue = 1;
        in->p.nd2nz.dValue = 64;
        in->p.nd2nz.srcDValue = 64;
        in->p.nd2nz.dstNzC0Stride = 16;
    }
    passes(*state, &l);
    l.insns[2].dst.byte = 32;
    breaks(*state, &l, RACE_BARRIER, 1, 2, "writes L1 bytes [0x20, 0x40)");
}

/* ---- barriers inside a pipe ---- */

static void test_small_mmad(void **state)
{
    static const struct {
        int m, n;
        bool small;
    } cases[] = {{160, 16, false}, {144, 16, true}, {16, 160, false}, {15, 4080, true},
                 {4080, 15, true}, {48, 64, false}, {48, 48, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct list l = {.n = 0};
        /* Small buffers hold the largest of them. */
        mmad(&l, 0, cases[i].m > 1000 ? 512 : cases[i].m, cases[i].n > 1000 ? 512 : cases[i].n, 0);
        mmad(&l, 0, 16, 16, 0)->p.mmad.cmatrixInitVal = 0;
        if (cases[i].small) {
            breaks(*state, &l, RACE_BARRIER, 0, 1, "PipeBarrier<PIPE_M> between them is missing");
        } else {
            passes(*state, &l);
        }
        l.n = 1;
        barrier(&l, PIPE_M);
        mmad(&l, 0, 16, 16, 0)->p.mmad.cmatrixInitVal = 0;
        passes(*state, &l);
        /* Another tile of L0C needs none. */
        l.n = 0;
        mmad(&l, 0, 16, 16, 0);
        mmad(&l, 1024, 16, 16, 0);
        passes(*state, &l);
    }
}

/* A round trip over Fixpipe's flags is as good as the barrier. */
static void test_round_trip(void **state)
{
    struct list l = {.n = 0};
    mmad(&l, 0, 16, 16, 0);
    set(&l, EVENT_M_FIX, 0);
    wait(&l, EVENT_M_FIX, 0);
    fixpipe(&l, 0, 16, 16, 0);
    set(&l, EVENT_FIX_M, 0);
    wait(&l, EVENT_FIX_M, 0);
    mmad(&l, 0, 16, 16, 0);
    passes(*state, &l);
}

static void test_fill(void **state)
{
    struct fixture *f = *state;
    struct list l = {.n = 0};
    struct insn fill = make(OP_FILL, DTYPE_HALF, at(BUF_L0A, 0), at(BUF_GM, 0));
    fill.p.fill.repeatTimes = 1;
    fill.p.fill.blockNum = 4;
    push(&l, fill);
    load(&l, BUF_L0A, 512, 0, 2);
    breaks(f, &l, RACE_BARRIER, 0, 1, "PipeBarrier<PIPE_MTE1>");
    l.n = 1;
    barrier(&l, PIPE_MTE1);
    load(&l, BUF_L0A, 512, 0, 2);
    passes(f, &l);
    /* L1: right on MTE2 takes the flag, right on MTE1 the barrier (A30). */
    fill.dst = at(BUF_L1, 0);
    insn_set_pipe(&fill);
    l.n = 0;
    push(&l, fill);
    set(&l, EVENT_MTE2_MTE1, 0);
    wait(&l, EVENT_MTE2_MTE1, 0);
    load(&l, BUF_L0A, 0, 0, 2);
    breaks(f, &l, RACE_BARRIER, 0, 3, "PipeBarrier<PIPE_MTE1>");
    l.n = 3;
    barrier(&l, PIPE_MTE1);
    load(&l, BUF_L0A, 0, 0, 2);
    passes(f, &l);
    l.n = 0;
    push(&l, fill);
    barrier(&l, PIPE_MTE1);
    load(&l, BUF_L0A, 0, 0, 2);
    breaks(f, &l, RACE_UNORDERED, 0, 2, "SetFlag MTE2_MTE1");
}

static void test_quant_row(void **state)
{
    struct list l = {.n = 0};
    struct insn *row = push(&l, make(OP_L1_TO_FB, DTYPE_UINT64, at(BUF_FB, 0), at(BUF_L1, 0)));
    row->p.copy.blockLen = 1;
    barrier(&l, PIPE_FIX);
    struct insn *out = fixpipe(&l, 0, 16, 16, 0);
    out->p.fixpipe.quantPre = QUANT_VQF322B8_PRE;
    out->p.fixpipe.dstType = DTYPE_INT8;
    passes(*state, &l);
    l.insns[1] = l.insns[2];
    l.n = 2;
    breaks(*state, &l, RACE_BARRIER, 0, 2, "PipeBarrier<PIPE_FIX>");
}

/* BT is written by MTE1 and read by M. */
static void test_bias_row(void **state)
{
    struct list l = {.n = 0};
    struct insn *row = push(&l, make(OP_L1_TO_BT, DTYPE_FLOAT, at(BUF_BT, 0), at(BUF_L1, 0)));
    row->p.copy.blockLen = 1;
    struct insn *m = mmad(&l, 0, 16, 16, 0);
    m->p.mmad.cmatrixInitVal = 0;
    m->p.mmad.cmatrixSource = 1;
    breaks(*state, &l, RACE_UNORDERED, 0, 1, "reads BT");
    m->p.mmad.biasAddr = 64;
    passes(*state, &l);
}

/* ---- unit flag ---- */

static void unit_tile(struct list *l, int first, int last, int out)
{
    mmad(l, 0, 48, 64, first);
    mmad(l, 0, 48, 64, last)->p.mmad.cmatrixInitVal = 0;
    fixpipe(l, 0, 48, 64, out);
}

static void test_unit_flag(void **state)
{
    static const struct {
        int first, last, out;
        enum race_kind kind;
        int against, at;
        const char *words;
    } cases[] = {
        {2, 2, 3, RACE_UNIT_FLAG, -1, 2, "waits by unit flag for a Mmad with unitFlag 3"},
        {3, 3, 3, RACE_UNIT_FLAG, -1, 1, "is not freed"},
        {2, 3, 0, RACE_UNORDERED, 1, 2, "SetFlag M_FIX"},
        {0, 0, 3, RACE_UNORDERED, 1, 2, "SetFlag M_FIX"},
        {0, 3, 3, RACE_UNORDERED, 0, 2, "SetFlag M_FIX"},
        {1, 3, 3, RACE_UNIT_FLAG, -1, 0, "unitFlag is 0, 2 or 3"},
        {2, 3, 2, RACE_UNIT_FLAG, -1, 2, "waits by unit flag"},
    };
    struct list right = {.n = 0};
    unit_tile(&right, 2, 3, 3);
    unit_tile(&right, 2, 3, 3);
    unit_tile(&right, 3, 0, 3);
    right.n -= 2; /* one Mmad with 3, then its Fixpipe */
    fixpipe(&right, 0, 48, 64, 3);
    passes(*state, &right);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct list l = {.n = 0};
        unit_tile(&l, cases[i].first, cases[i].last, cases[i].out);
        breaks(*state, &l, cases[i].kind, cases[i].against, cases[i].at, cases[i].words);
    }
}

/* Mmad and Fixpipe must cover the same granules; several Fixpipes may share them. */
static void test_unit_amounts(void **state)
{
    struct list l = {.n = 0};
    mmad(&l, 0, 48, 64, 3);
    fixpipe(&l, 0, 40, 64, 3);
    breaks(*state, &l, RACE_UNIT_FLAG, -1, 0, "is not freed");
    l.n = 1;
    fixpipe(&l, 0, 48, 32, 3);
    fixpipe(&l, (int64_t)2 * 48 * 64, 48, 32, 3);
    passes(*state, &l);
    /* A widened row (m = 16 for 1) leaves the second granule of each fractal behind (A41). */
    l.n = 0;
    mmad(&l, 0, 16, 160, 3);
    fixpipe(&l, 0, 1, 160, 3);
    breaks(*state, &l, RACE_UNIT_FLAG, -1, 0, "is not freed");
}

/* ---- flags ---- */

static void test_flags(void **state)
{
    struct fixture *f = *state;
    struct list l = {.n = 0};
    wait(&l, EVENT_MTE2_MTE1, 0);
    breaks(f, &l, RACE_WAIT_UNSET, -1, 0, "nothing before it sets this flag");
    l.n = 0;
    set(&l, EVENT_MTE2_MTE1, 0);
    set(&l, EVENT_MTE2_MTE1, 0);
    wait(&l, EVENT_MTE2_MTE1, 0);
    breaks(f, &l, RACE_SET_TWICE, 0, 1, "already set");
    l.n = 1;
    breaks(f, &l, RACE_LEFT_SET, -1, 0, "still set at the end");
    /* MTE2 may run ahead of MTE1: the second set needs the first wait behind it. */
    l.n = 1;
    wait(&l, EVENT_MTE2_MTE1, 0);
    set(&l, EVENT_MTE2_MTE1, 0);
    wait(&l, EVENT_MTE2_MTE1, 0);
    breaks(f, &l, RACE_SET_TWICE, 1, 2, "may set it again before the wait of step 1 took it");
    l.n = 2;
    set(&l, EVENT_MTE1_MTE2, 0);
    wait(&l, EVENT_MTE1_MTE2, 0);
    set(&l, EVENT_MTE2_MTE1, 0);
    wait(&l, EVENT_MTE2_MTE1, 0);
    passes(f, &l);
}

static void test_ids(void **state)
{
    struct fixture *f = *state;
    for (int id = 0; id < 12; id++) {
        struct list l = {.n = 0};
        set(&l, EVENT_MTE2_MTE1, id);
        wait(&l, EVENT_MTE2_MTE1, id);
        if (id < 6) {
            passes(f, &l);
        } else {
            breaks(f, &l, RACE_EVENT_ID, -1, 0, "reserves");
        }
    }
    struct target old = f->a2;
    old.event_ids = 4; /* 910 */
    struct list l = {.n = 0};
    set(&l, EVENT_MTE2_MTE1, 4);
    wait(&l, EVENT_MTE2_MTE1, 4);
    breaks_on(f, &old, &l, RACE_EVENT_ID, -1, 0, "reserves");
}

static void test_pairs_and_pipes(void **state)
{
    struct fixture *f = *state;
    struct list l = {.n = 0};
    set(&l, EVENT_MTE2_FIX, 0);
    wait(&l, EVENT_MTE2_FIX, 0);
    breaks(f, &l, RACE_EVENT_PAIR, -1, 0, "no flag between these pipes");
    passes_on(f, &f->a950, &l);
    l.n = 0;
    copy(&l, 0, 4);
    l.insns[0].pipe = PIPE_MTE1;
    breaks(f, &l, RACE_PIPE, -1, 0, "does not run on this pipe");
    l.n = 0;
    barrier(&l, PIPE_S);
    breaks(f, &l, RACE_PIPE, -1, 0, "does not run on this pipe");
}

/* ---- GM ---- */

static void test_workspace(void **state)
{
    struct fixture *f = *state;
    struct list l = {.n = 0};
    struct insn *out = fixpipe(&l, 0, 16, 16, 0);
    out->dst = at_gm(TENSOR_WORKSPACE, 0);
    copy(&l, 0, 2);
    l.insns[1].src = at_gm(TENSOR_WORKSPACE, 0);
    breaks_on(f, &f->a950, &l, RACE_UNORDERED, 0, 1, "SetFlag FIX_MTE2");
    /* Other bytes, other tensors. */
    l.insns[1].src = at_gm(TENSOR_WORKSPACE, 1024);
    passes_on(f, &f->a950, &l);
    l.insns[1].src = at_gm(TENSOR_A, 0);
    passes_on(f, &f->a950, &l);
    l.n = 1;
    set(&l, EVENT_FIX_MTE2, 0);
    wait(&l, EVENT_FIX_MTE2, 0);
    copy(&l, 0, 2);
    l.insns[3].src = at_gm(TENSOR_WORKSPACE, 0);
    passes_on(f, &f->a950, &l);
}

/* What is too long ago to be kept exactly is still ordered, as a hull. */
static void test_old_stores(void **state)
{
    struct fixture *f = *state;
    struct list l = {.n = 0};
    for (int i = 0; i < 40; i++) {
        fixpipe(&l, 0, 16, 16, 0)->dst = at_gm(TENSOR_WORKSPACE, (int64_t)i * 4096);
    }
    copy(&l, 0, 2);
    l.insns[40].src = at_gm(TENSOR_WORKSPACE, 4096);
    breaks_on(f, &f->a950, &l, RACE_UNORDERED, 23, 40, "SetFlag FIX_MTE2");
    l.insns[40].src = at_gm(TENSOR_WORKSPACE, 40 * 4096);
    passes_on(f, &f->a950, &l);
}

/* ---- the checker itself ---- */

/* All violations are counted, the first ones kept; a check begins afresh, on any target. */
static void test_state(void **state)
{
    struct fixture *f = *state;
    struct list bad = {.n = 0}, good = {.n = 0};
    size_t kept;
    uint64_t total;
    copy(&bad, 0, 64);
    for (int i = 0; i < 40; i++) {
        load(&bad, BUF_L0A, 0, (int64_t)i * 512, 1);
    }
    for (int round = 0; round < 3; round++) {
        const struct target *target = round == 1 ? &f->a950 : &f->a2;
        assert_int_equal(race_check_list(f->race, target, bad.insns, bad.n, NULL), STATUS_MISMATCH);
        race_violations(f->race, &kept, &total);
        assert_int_equal(kept, RACE_KEPT);
        assert_int_equal(total, 40);
        /* The last check's instructions are over: nothing to be ordered against. */
        good.n = 0;
        load(&good, BUF_L0A, 0, 0, 1);
        passes_on(f, target, &good);
        race_violations(f->race, &kept, &total);
        assert_true(kept == 0 && total == 0);
    }
}

/* The earlier instruction may be long gone from memory: its pipe is named; so is the core. */
static void test_long_ago(void **state)
{
    struct fixture *f = *state;
    struct list l = {.n = 0};
    struct diag d;
    diag_init(&d);
    assert_int_equal(race_begin(f->race, &f->a2, 3), STATUS_OK);
    for (int64_t i = 0; i < 1000; i++) {
        l.n = 0;
        copy(&l, i * 512, 1);
        assert_int_equal(race_push(f->race, l.insns, 1), STATUS_OK);
    }
    l.n = 0;
    load(&l, BUF_L0A, 0, 0, 1);
    assert_int_equal(race_push(f->race, l.insns, 1), STATUS_OK);
    assert_int_equal(race_end(f->race, &d), STATUS_MISMATCH);
    assert_int_equal(d.count, 1);
    assert_non_null(strstr(d.messages[0].text, "core 3, step 0: MTE1 LoadData"));
    assert_non_null(strstr(d.messages[0].text,
                           "that a much earlier instruction of MTE2 writes; nothing orders them: SetFlag MTE2_MTE1"));
    diag_fini(&d);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_forward),     TEST(test_reuse),      TEST(test_transitive),      TEST(test_pipe_all),
        TEST(test_interleaved), TEST(test_small_mmad), TEST(test_round_trip),      TEST(test_fill),
        TEST(test_quant_row),   TEST(test_bias_row),   TEST(test_unit_flag),       TEST(test_unit_amounts),
        TEST(test_flags),       TEST(test_ids),        TEST(test_pairs_and_pipes), TEST(test_workspace),
        TEST(test_old_stores),  TEST(test_state),      TEST(test_long_ago),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
