/* What isa/access.h says an instruction touches, against the engine: every op,
 * random parameters, two architectures.
 *  writes: two runs that differ in all old bytes of the destination agree exactly
 *          in the bytes the instruction wrote (or declared unspecified: tainted);
 *  reads:  inverting every byte outside of them changes nothing; inverting one
 *          byte inside changes what a move writes;
 *  and the footprint, a third statement of the same, names the same bytes. */
#include "access_random.h"

#include "base/intmath.h"
#include "isa/access.h"
#include "isa/footprint.h"

#define SEED   4711
#define TRIALS 25
enum { GM_BYTES = 1 << 16, SET_BYTES = 1 << 17 };

/* ---- machines ---- */

/* An engine with all memories known, GM tensors A (read) and C. */
struct machine {
    struct engine *e;
    struct gm_bytes a, c;
};

struct bench {
    const struct target *target;
    uint8_t *base[BUF_N]; /* bytes every trial starts from */
    int64_t size[BUF_N];
    uint8_t *gm_a, *gm_c;
    struct machine x, y;
};

static void machine_open(struct machine *m, const struct target *target)
{
    assert_int_equal(engine_create(target, &m->e, NULL), STATUS_OK);
    gm_attach(m->e, TENSOR_A, &m->a, GM_BYTES);
    gm_attach(m->e, TENSOR_C, &m->c, GM_BYTES);
}

static void machine_close(struct machine *m)
{
    engine_destroy(m->e);
    free(m->a.bytes);
    free(m->c.bytes);
}

static void bench_open(struct bench *b, const struct target *target, struct rng *r)
{
    memset(b, 0, sizeof *b);
    b->target = target;
    machine_open(&b->x, target);
    machine_open(&b->y, target);
    for (int i = BUF_L1; i < BUF_N; i++) {
        if (engine_memory(b->x.e, (enum buffer)i, &b->size[i]) == NULL) {
            b->size[i] = 0;
            continue;
        }
        b->base[i] = malloc((size_t)b->size[i]);
        for (int64_t k = 0; k < b->size[i]; k++) {
            b->base[i][k] = (uint8_t)rng_next(r);
        }
    }
    b->gm_a = malloc(GM_BYTES);
    b->gm_c = malloc(GM_BYTES);
    for (int64_t k = 0; k < GM_BYTES; k++) {
        b->gm_a[k] = (uint8_t)rng_next(r);
        b->gm_c[k] = (uint8_t)rng_next(r);
    }
}

static void bench_close(struct bench *b)
{
    machine_close(&b->x);
    machine_close(&b->y);
    for (int i = 0; i < BUF_N; i++) {
        free(b->base[i]);
    }
    free(b->gm_a);
    free(b->gm_c);
}

static void restore(const struct bench *b, struct machine *m)
{
    for (int i = BUF_L1; i < BUF_N; i++) {
        engine_poke(m->e, (enum buffer)i, 0, b->base[i], b->size[i]);
    }
    memcpy(m->a.bytes, b->gm_a, GM_BYTES);
    memcpy(m->c.bytes, b->gm_c, GM_BYTES);
}

static uint8_t *bytes_of(struct machine *m, int buf, int tensor, int64_t *size)
{
    if (buf == BUF_GM) {
        *size = GM_BYTES;
        return tensor == TENSOR_A ? m->a.bytes : m->c.bytes;
    }
    return engine_memory(m->e, (enum buffer)buf, size);
}

/* ---- sets of bytes ---- */

/* Marks in set[] the bytes of the accesses in one buffer (GM: tensor) and direction. */
static void mark_set(const struct access *list, int n, int buf, int tensor, bool write, uint8_t *set, int64_t size)
{
    memset(set, 0, (size_t)size);
    for (int i = 0; i < n; i++) {
        if (list[i].buf != buf || (buf == BUF_GM && list[i].tensor != tensor) || list[i].write != write) {
            continue;
        }
        for (int64_t k = 0; k < access_runs(&list[i]); k++) {
            const int64_t at_byte = access_run(&list[i], k);
            assert_true(at_byte >= 0 && at_byte + list[i].len <= size);
            memset(set + at_byte, 1, (size_t)list[i].len);
        }
    }
}

struct trial {
    struct bench *b;
    const struct insn *in;
    struct access list[ACCESS_MAX];
    int n;
    uint8_t *set; /* GM_BYTES or the largest buffer */
    uint8_t *other;
};

static void complain(const struct trial *t, const char *what, int buf, int64_t byte)
{
    struct strbuf text;
    strbuf_init(&text);
    insn_format_all(t->in, &text);
    print_error("%s on %s: %s, %s byte %lld\n", strbuf_cstr(&text), t->b->target->name, what,
                buffer_name((enum buffer)buf), (long long)byte);
    strbuf_fini(&text);
    fail();
}

static bool accumulates(const struct insn *in)
{
    return (in->op == OP_MMAD || in->op == OP_MMAD_MX) && in->p.mmad.cmatrixInitVal == 0 &&
           in->p.mmad.cmatrixSource == 0;
}

/* All buffers, GM twice (tensor A, tensor C). */
static void each_memory(struct trial *t, void (*fn)(struct trial *, int buf, int tensor))
{
    fn(t, BUF_GM, TENSOR_A);
    fn(t, BUF_GM, TENSOR_C);
    for (int buf = BUF_L1; buf < BUF_N; buf++) {
        if (t->b->size[buf] > 0) {
            fn(t, buf, 0);
        }
    }
}

static bool is_destination(const struct trial *t, int buf, int tensor)
{
    for (int i = 0; i < t->n; i++) {
        if (t->list[i].write && t->list[i].buf == buf && (buf != BUF_GM || t->list[i].tensor == tensor)) {
            return true;
        }
    }
    return false;
}

static void invert_destination(struct trial *t, int buf, int tensor)
{
    int64_t size;
    uint8_t *bytes = bytes_of(&t->b->y, buf, tensor, &size);
    for (int64_t i = 0; is_destination(t, buf, tensor) && i < size; i++) {
        bytes[i] = (uint8_t)~bytes[i];
    }
}

static void check_written(struct trial *t, int buf, int tensor)
{
    int64_t size;
    const uint8_t *x = bytes_of(&t->b->x, buf, tensor, &size), *y = bytes_of(&t->b->y, buf, tensor, &size);
    const uint8_t *base = buf == BUF_GM ? (tensor == TENSOR_A ? t->b->gm_a : t->b->gm_c) : t->b->base[buf];
    const bool destination = is_destination(t, buf, tensor);
    mark_set(t->list, t->n, buf, tensor, true, t->set, size);
    for (int64_t i = 0; i < size; i++) {
        const bool tainted = buf != BUF_GM && engine_tainted(t->b->x.e, (enum buffer)buf, i);
        const bool changed = x[i] != base[i] || tainted;
        const bool touched = accumulates(t->in) || !destination ? changed : x[i] == y[i] || tainted;
        if (touched && t->set[i] == 0) {
            complain(t, "writes a byte that is not in its accesses", buf, i);
        }
        if (!touched && t->set[i] != 0 && !accumulates(t->in)) {
            complain(t, "does not write a byte of its accesses", buf, i);
        }
    }
}

static void invert_unread(struct trial *t, int buf, int tensor)
{
    int64_t size;
    uint8_t *bytes = bytes_of(&t->b->y, buf, tensor, &size);
    mark_set(t->list, t->n, buf, tensor, false, t->set, size);
    for (int64_t i = 0; i < size; i++) {
        bytes[i] ^= t->set[i] != 0 ? 0 : 0xFF;
    }
}

/* Written bytes that are specified must not have changed. */
static void check_same_result(struct trial *t, int buf, int tensor)
{
    int64_t size;
    const uint8_t *x = bytes_of(&t->b->x, buf, tensor, &size), *y = bytes_of(&t->b->y, buf, tensor, &size);
    mark_set(t->list, t->n, buf, tensor, true, t->set, size);
    for (int64_t i = 0; i < size; i++) {
        if (t->set[i] != 0 && x[i] != y[i] && (buf == BUF_GM || !engine_tainted(t->b->x.e, (enum buffer)buf, i))) {
            complain(t, "depends on a byte it is not said to read", buf, i);
        }
    }
}

static bool results_differ(struct trial *t)
{
    for (int i = 0; i < t->n; i++) {
        int64_t size;
        const struct access *a = &t->list[i];
        const uint8_t *x = bytes_of(&t->b->x, a->buf, a->tensor, &size),
                      *y = bytes_of(&t->b->y, a->buf, a->tensor, &size);
        if (a->write && memcmp(x, y, (size_t)size) != 0) {
            return true;
        }
    }
    return false;
}

/* Inverts one byte that a move reads; @return whether its result shows it. */
static bool shows_read(struct trial *t, struct rng *r)
{
    int reads = 0;
    for (int i = 0; i < t->n; i++) {
        reads += !t->list[i].write;
    }
    int64_t which = pick(r, 0, reads - 1);
    const struct access *a = t->list;
    while (a->write || which-- > 0) {
        a++;
    }
    int64_t size;
    restore(t->b, &t->b->y);
    bytes_of(&t->b->y, a->buf, a->tensor,
             &size)[access_run(a, pick(r, 0, access_runs(a) - 1)) + pick(r, 0, a->len - 1)] ^= 0xFF;
    run_ok(t->b->y.e, t->in);
    return results_differ(t);
}

/* ---- footprint ---- */

static bool mark_piece(void *ctx, const struct piece *p)
{
    struct trial *t = ctx;
    const bool scale = p->operand == PIECE_SCALE;
    const int64_t from = (scale ? t->in->dst.byte / 16 : t->in->dst.byte) + p->dst;
    const int64_t size = t->in->dst.buf == BUF_GM ? GM_BYTES : t->b->size[t->in->dst.buf];
    if (!scale && p->dst_len > 0 && p->operand != PIECE_LEFT && p->operand != PIECE_RIGHT) {
        assert_true(from >= 0 && from + p->dst_len <= size);
        memset(t->other + from, 1, (size_t)p->dst_len);
    }
    return true;
}

static void check_footprint(struct trial *t)
{
    const int64_t size = t->in->dst.buf == BUF_GM ? GM_BYTES : t->b->size[t->in->dst.buf];
    memset(t->other, 0, (size_t)size);
    footprint_visit(t->in, t->b->target, mark_piece, t);
    mark_set(t->list, t->n, t->in->dst.buf, t->in->dst.tensor, true, t->set, size);
    for (int64_t i = 0; i < size; i++) {
        if (t->set[i] != t->other[i]) {
            complain(t, t->set[i] != 0 ? "writes a byte its footprint does not" : "footprint writes a byte",
                     t->in->dst.buf, i);
        }
    }
}

/* ---- trials ---- */

static const struct subject {
    enum op op;
    struct insn (*make)(enum op op, struct rng *r);
    bool only_3510;
    bool moves; /* every byte read shows in what is written */
} subjects[] = {
    {OP_ND2NZ, random_copy, false, true},
    {OP_DN2NZ, random_copy, true, true},
    {OP_DATA_COPY, random_copy, false, true},
    {OP_DATA_COPY_PAD, random_copy, true, true},
    {OP_FILL, random_fill, false, false},
    {OP_LOAD_2D, random_load, false, true},
    {OP_LOAD_2D_V2, random_load, true, true},
    {OP_LOAD_TRANSPOSE, random_load, false, true},
    {OP_LOAD_TRANSPOSE_V2, random_load, true, true},
    {OP_LOAD_MX, random_load, true, true},
    {OP_LOAD_3D, random_3d, false, false},
    {OP_LOAD_3D_STRIDE, random_3d, true, false},
    {OP_L1_TO_BT, random_row, false, true},
    {OP_L1_TO_FB, random_row, false, true},
    {OP_MMAD, random_mmad, false, false},
    {OP_MMAD_MX, random_mmad, true, false},
    {OP_FIXPIPE, random_fixpipe, false, false},
};

/* @return whether the engine takes the instruction at all. */
static bool run_trial(struct trial *t, const struct subject *subject, struct rng *r, int *shown, int *flipped)
{
    restore(t->b, &t->b->x);
    if (engine_exec(t->b->x.e, t->in, NULL) != STATUS_OK) {
        return false;
    }
    t->n = access_of(t->b->target, NULL, t->in, t->list);
    restore(t->b, &t->b->y);
    each_memory(t, invert_destination);
    if (accumulates(t->in)) {
        restore(t->b, &t->b->y);
    }
    run_ok(t->b->y.e, t->in);
    each_memory(t, check_written);
    if (t->in->op != OP_FIXPIPE) { /* whose footprint gives the reads only */
        check_footprint(t);
    }
    restore(t->b, &t->b->y);
    each_memory(t, invert_unread);
    run_ok(t->b->y.e, t->in);
    each_memory(t, check_same_result);
    if (subject->moves && t->n > 0) {
        *shown += shows_read(t, r);
        ++*flipped;
    }
    return true;
}

static void run_subject(struct bench *b, const struct subject *subject, struct rng *r)
{
    int done = 0, shown = 0, flipped = 0;
    uint8_t *set = malloc(SET_BYTES), *other = malloc(SET_BYTES);
    for (int i = 0; i < 40 * TRIALS && done < TRIALS; i++) {
        const struct insn in = subject->make(subject->op, r);
        struct trial t = {.b = b, .in = &in, .set = set, .other = other};
        done += run_trial(&t, subject, r, &shown, &flipped);
    }
    if (done < TRIALS) {
        fail_msg("%s: only %d instructions the engine takes", op_name(subject->op), done);
    }
    /* A later run of the same instruction may overwrite what the byte changed. */
    if (shown * 10 < flipped * 9) {
        fail_msg("%s: %d of %d bytes said to be read show in the result", op_name(subject->op), shown, flipped);
    }
    free(set);
    free(other);
}

static void on_product(enum product product)
{
    struct target target = fixture_target(product);
    struct rng r = rng_init(SEED);
    struct bench b;
    /* Smaller memories are compared faster. */
    target.physical[BUF_L1] = SET_BYTES;
    target.physical[BUF_L0A] = target.physical[BUF_L0B] = target.physical[BUF_L0C] = SET_BYTES / 2;
    target.physical[BUF_UB] = 0;
    print_message("seed %d\n", SEED);
    bench_open(&b, &target, &r);
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        if (!subjects[i].only_3510 || target.arch == 3510) {
            run_subject(&b, &subjects[i], &r);
        }
    }
    bench_close(&b);
}

static void test_2201(void **state)
{
    (void)state;
    on_product(PRODUCT_ASCEND910B);
}

static void test_3510(void **state)
{
    (void)state;
    on_product(PRODUCT_ASCEND950);
}

/* The map of LoadData 3D may come from SetFmatrix. */
static void test_registers(void **state)
{
    (void)state;
    const struct target target = fixture_target(PRODUCT_ASCEND910B);
    struct access_registers reg = {0};
    struct access direct[ACCESS_MAX], by_register[ACCESS_MAX];
    struct insn set = make(OP_SET_FMATRIX, DTYPE_NONE, at(BUF_GM, 0), at(BUF_GM, 0));
    struct insn load = make(OP_LOAD_3D, DTYPE_HALF, at(BUF_L0A, 0), at(BUF_L1, 64));
    set.p.load_3d.l1H = 4, set.p.load_3d.l1W = 20;
    load.p.load_3d.l1H = 4, load.p.load_3d.l1W = 20;
    load.p.load_3d.channelSize = 32, load.p.load_3d.kExtension = 32, load.p.load_3d.mExtension = 48;
    const int n = access_of(&target, NULL, &load, direct);
    assert_true(n >= 2);
    load.p.load_3d.isSetFMatrix = 0, load.p.load_3d.l1H = 0, load.p.load_3d.l1W = 0;
    assert_int_equal(access_of(&target, &reg, &load, by_register), 0);
    access_track(&reg, &set);
    assert_int_equal(access_of(&target, &reg, &load, by_register), n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(access_runs(&direct[i]), access_runs(&by_register[i]));
        assert_int_equal(direct[i].byte, by_register[i].byte);
        assert_int_equal(direct[i].len, by_register[i].len);
    }
}

/* Flags, barriers and registers touch nothing; strided runs are told apart. */
static void test_plain(void **state)
{
    (void)state;
    const struct target target = fixture_target(PRODUCT_ASCEND910B);
    struct access list[ACCESS_MAX];
    static const enum op none[] = {OP_NOP, OP_SET_FLAG, OP_WAIT_FLAG, OP_PIPE_BARRIER, OP_SET_PADDING, OP_SET_ATOMIC};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        const struct insn in = make(none[i], DTYPE_HALF, at(BUF_L1, 0), at(BUF_GM, 0));
        assert_int_equal(access_of(&target, NULL, &in, list), 0);
    }
    /* One row of an image of 48 rows and 3 columns of blocks: 3 runs of 32 B, 1536 B apart. */
    struct insn row = make(OP_ND2NZ, DTYPE_HALF, at(BUF_L1, 96), at_gm(TENSOR_A, 10));
    row.p.nd2nz.nValue = 1, row.p.nd2nz.dValue = 40, row.p.nd2nz.srcDValue = 40, row.p.nd2nz.dstNzC0Stride = 48;
    assert_int_equal(access_of(&target, NULL, &row, list), 2);
    assert_true(!list[0].write && list[0].byte == 10 && list[0].len == 80 && access_runs(&list[0]) == 1);
    assert_true(list[1].write && list[1].len == 32 && access_runs(&list[1]) == 3);
    assert_true(access_run(&list[1], 2) == 96 + 2 * 1536);
    int64_t lo, hi;
    access_hull(&list[1], &lo, &hi);
    assert_true(lo == 96 && hi == 96 + 2 * 1536 + 32);
    /* The whole image without gaps is one run. */
    row.p.nd2nz.nValue = 48;
    assert_int_equal(access_of(&target, NULL, &row, list), 2);
    assert_true(access_runs(&list[1]) == 1 && list[1].len == 3 * 1536);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_2201), cmocka_unit_test(test_3510),
                                       cmocka_unit_test(test_registers), cmocka_unit_test(test_plain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
