/* Taint travels exactly as data do: what a load leaves open is what it would
 * have written, had every open byte held 0xFF and every other one 0. Each
 * random load runs on three engines at independent widths of registers:
 * `open` has random data with holes in source and destination, `image` shows
 * these holes as bytes, `data` has the same data and no holes. */
#include "access_random.h"

#include "engine/block_copy.h"
#include "engine/exec.h"

enum { OPEN, IMAGE, DATA, ENGINES, L1_USED = 192 * 1024 };

struct bed {
    struct target t;
    struct engine *e[ENGINES];
};

static void bed_init(struct bed *b, enum product product)
{
    b->t = fixture_target(product);
    for (int i = 0; i < ENGINES; i++) {
        assert_int_equal(engine_create(&b->t, &b->e[i], NULL), STATUS_OK);
    }
}

static void bed_fini(struct bed *b)
{
    for (int i = 0; i < ENGINES; i++) {
        engine_destroy(b->e[i]);
    }
}

static int64_t used(const struct memory *m)
{
    return m->size < L1_USED ? m->size : L1_USED;
}

/* Random bytes in the first and the last engine, zeros in the second one. */
static void fill(const struct bed *b, enum buffer buf, struct rng *r)
{
    const int64_t size = used(&b->e[OPEN]->mem[buf]);
    for (int64_t i = 0; i < size; i += 8) {
        const uint64_t word = rng_next(r);
        memcpy(b->e[OPEN]->mem[buf].bytes + i, &word, 8);
        memcpy(b->e[DATA]->mem[buf].bytes + i, &word, 8);
    }
    memset(b->e[IMAGE]->mem[buf].bytes, 0, (size_t)size);
    for (int i = 0; i < ENGINES; i++) {
        taint_clear(&b->e[i]->mem[buf], 0, size);
    }
}

static void make_holes(const struct bed *b, enum buffer buf, struct rng *r)
{
    const int64_t size = used(&b->e[OPEN]->mem[buf]);
    for (int64_t n = pick(r, 0, 12); n > 0; n--) {
        const int64_t len = pick(r, 1, pick(r, 1, 900)), byte = pick(r, 0, size - len);
        taint_set(&b->e[OPEN]->mem[buf], byte, len);
        memset(b->e[IMAGE]->mem[buf].bytes + byte, 0xFF, (size_t)len);
    }
}

static void check(const struct bed *b, enum buffer buf, const struct insn *in)
{
    const struct memory *open = &b->e[OPEN]->mem[buf], *image = &b->e[IMAGE]->mem[buf];
    for (int64_t i = 0; i < used(open); i++) {
        if (taint_at(open, i) != (image->bytes[i] != 0) || open->bytes[i] != b->e[DATA]->mem[buf].bytes[i] ||
            (taint_at(open, i) && open->page[i / TAINT_PAGE] == 0) || taint_at(image, i)) {
            struct strbuf text;
            strbuf_init(&text);
            insn_format_all(in, &text);
            print_error("%s\n%s byte %d: open %d, wants %d\n", strbuf_cstr(&text), buffer_name(buf), (int)i,
                        taint_at(open, i), image->bytes[i]);
            strbuf_fini(&text);
            fail();
        }
    }
}

static void run_loads(enum product product, const enum op *ops, int op_count)
{
    enum { TRIALS = 500 };
    static const enum buffer buffers[] = {BUF_L1, BUF_L0A, BUF_L0B, BUF_L0A_MX, BUF_L0B_MX};
    struct bed b;
    struct rng r = rng_init(0x707 + (uint64_t)product);
    int ran = 0;
    bed_init(&b, product);
    for (int trial = 0; trial < TRIALS; trial++) {
        const bool scales = b.e[OPEN]->mem[BUF_L0A_MX].bytes != NULL;
        struct insn in = random_load(ops[trial % op_count], &r);
        if (in.op != OP_LOAD_MX && pick(&r, 0, 3) == 0) {
            in.dtype = DTYPE_INT4;
        }
        if (in.op == OP_LOAD_TRANSPOSE || in.op == OP_LOAD_TRANSPOSE_V2) { /* outputs that overlap, too */
            in.p.transpose.dstGap = (uint32_t)pick(&r, 0, 5);
            in.p.transpose.dstFracGap = (uint32_t)pick(&r, 0, 3);
        }
        for (int i = 0; i < (scales ? 5 : 3); i++) {
            fill(&b, buffers[i], &r);
            make_holes(&b, buffers[i], &r);
        }
        enum status st[ENGINES];
        for (int i = 0; i < ENGINES; i++) {
            engine_force_isa(b.e[i], (enum mmad_isa)pick(&r, 0, MMAD_ISA_N - 1));
            st[i] = engine_exec(b.e[i], &in, NULL);
            assert_int_equal(st[i], st[0]);
        }
        ran += st[0] == STATUS_OK;
        for (int i = 0; i < (scales ? 5 : 3); i++) {
            check(&b, buffers[i], &in);
        }
    }
    assert_true(ran > TRIALS / 2);
    bed_fini(&b);
}

static void test_950(void **state)
{
    (void)state;
    static const enum op ops[] = {OP_LOAD_2D, OP_LOAD_2D_V2, OP_LOAD_TRANSPOSE, OP_LOAD_TRANSPOSE_V2, OP_LOAD_MX};
    run_loads(PRODUCT_ASCEND950, ops, 5);
}

static void test_a2(void **state)
{
    (void)state;
    static const enum op ops[] = {OP_LOAD_2D, OP_LOAD_TRANSPOSE};
    run_loads(PRODUCT_ASCEND910B, ops, 2);
}

/* block_copy.h at every width: any address, steps backwards, overlapping destinations. */
static void test_fractals(void **state)
{
    (void)state;
    enum { TRIALS = 100, SIZE = 32 * 512 };
    static uint8_t from[SIZE], to[SIZE], want[SIZE];
    struct rng r = rng_init(5);
    for (int i = 0; i < SIZE; i++) {
        from[i] = (uint8_t)rng_next(&r);
    }
    for (int trial = 0; trial < TRIALS; trial++) {
        for (enum mmad_isa isa = MMAD_SCALAR; isa <= mmad_isa_best(); isa++) {
            const struct fractal_row row = {.to = to + pick(&r, 0, 99),
                                            .from = from + SIZE / 2 + pick(&r, 0, 99),
                                            .to_step = 32 * pick(&r, 0, 40),
                                            .from_step = 32 * pick(&r, -40, 40),
                                            .count = pick(&r, 0, 6)};
            memset(to, 0x55, SIZE);
            memset(want, 0x55, SIZE);
            for (int64_t i = 0; i < row.count; i++) {
                memcpy(want + (row.to - to) + i * row.to_step, row.from + i * row.from_step, 512);
            }
            copy_fractals(isa, &row);
            assert_memory_equal(to, want, SIZE);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_950),
        cmocka_unit_test(test_a2),
        cmocka_unit_test(test_fractals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
