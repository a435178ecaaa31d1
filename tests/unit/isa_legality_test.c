/* Legality against the documents' examples: every vector is legal, every row of
 * errors.csv breaks exactly its rule, every range holds at its ends and not
 * beyond. */
#include "engine_fixture.h"

#include "base/limits.h"

#include <stdio.h>

#include "base/os.h"
#include "engine/conform_internal.h"
#include "isa/footprint.h"
#include "isa/support.h"
#include "text/csv.h"

/* ---- helpers ---- */

static void check(const struct insn *in, enum product product, const struct legality_state *state,
                  struct violations *out)
{
    const struct target t = fixture_target(product);
    memset(out, 0, sizeof *out);
    legality_check(in, &t, state, out);
}

static size_t count_code(const struct violations *v, enum violation_code code)
{
    size_t n = 0;
    for (size_t i = 0; i < v->count; i++) {
        n += v->v[i].code == code;
    }
    return n;
}

static void print_violations(const char *what, const struct violations *v)
{
    struct strbuf text;
    strbuf_init(&text);
    for (size_t i = 0; i < v->count; i++) {
        strbuf_add(&text, "  ");
        violation_format(&v->v[i], &text);
    }
    print_error("%s:%s\n", what, strbuf_cstr(&text));
    strbuf_fini(&text);
}

/* Exactly this code (E_NONE: none at all). */
static void expect(const struct insn *in, enum product product, enum violation_code code, const char *what)
{
    struct violations v;
    check(in, product, NULL, &v);
    if (v.errors != (code != E_NONE ? 1U : 0U) || (code != E_NONE && count_code(&v, code) != 1)) {
        print_violations(what, &v);
        fail();
    }
}

/* ---- the vectors and errors.csv ---- */

struct vectors {
    struct arena arena;
    struct diag d;
    struct strbuf text;
};

static void vectors_open(struct vectors *x, const char *name, struct vec_file *file)
{
    char path[512];
    snprintf(path, sizeof path, REPO_DIR "/tests/data/conformance/%s", name);
    arena_init(&x->arena);
    diag_init(&x->d);
    strbuf_init(&x->text);
    assert_int_equal(os_read_file(path, 1U << 26, &x->text, &x->d), STATUS_OK);
    assert_int_equal(vec_parse(path, strbuf_cstr(&x->text), x->text.len, &x->arena, file, &x->d), STATUS_OK);
}

static void vectors_close(struct vectors *x)
{
    strbuf_fini(&x->text);
    diag_fini(&x->d);
    arena_fini(&x->arena);
}

static int64_t offset_of(const struct vec_case *c, const char *name)
{
    for (size_t i = 0; i < c->buf_count; i++) {
        if (strcmp(c->bufs[i].name, name) == 0) {
            return c->bufs[i].off;
        }
    }
    return 0;
}

/* Registered products only: the fixture knows two families. */
static const struct target *real_target(struct arena *arena, enum product product)
{
    static const char *const chips[PRODUCT_N] = {"ascend950pr_9589", "ascend910c", "ascend910b1", "ascend310b1",
                                                 "ascend310p1",      "ascend910a", "kirin_x90",   "kirin_9030"};
    const struct target *t;
    assert_int_equal(target_load(chips[product], NULL, arena, &t, NULL), STATUS_OK);
    return t;
}

static void test_vectors_are_legal(void **state)
{
    (void)state;
    static const char *const files[] = {"c_trans.vec",     "kx_copy.vec",      "kx_fixpipe.vec",  "kx_mmad.vec",
                                        "kx_mmad_mx.vec",  "load2d.vec",       "load2d_v2.vec",   "load3d.vec",
                                        "load_mx.vec",     "mmad_fixpipe.vec", "nd2nz_dn2nz.vec", "transpose_v1.vec",
                                        "transpose_v2.vec"};
    size_t cases = 0, bad = 0;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct vectors x;
        struct vec_file file;
        vectors_open(&x, files[f], &file);
        for (size_t i = 0; i < file.count; i++) {
            const struct vec_case *c = &file.cases[i];
            const struct target *t = real_target(&x.arena, product_from_name(c->target));
            const struct legality_state regs = {{c->fmatrix != NULL, c->fmatrix != NULL}, c->padding != NULL};
            struct insn_text ci;
            assert_true(insn_text_start(&ci, c->instr, c->dtype, t->arch));
            assert_true(insn_text_path(&ci, c->path));
            for (size_t p = 0; p < c->param_count; p++) {
                assert_null(insn_text_set(&ci, c->params[p].words[1].text, c->params[p].words[2].text));
            }
            const bool mmad = ci.insn.op == OP_MMAD || ci.insn.op == OP_MMAD_MX;
            ci.insn.dst.byte = offset_of(c, "dst");
            ci.insn.src.byte = offset_of(c, mmad ? "a" : "src");
            ci.insn.src2.byte = offset_of(c, mmad ? "b" : "src_mx");
            legality_check(&ci.insn, t, &regs, &ci.violations);
            /* A case may stand for a rule the documents and the vectors see differently. */
            const bool wide = strcmp(c->kind, "t950_gap") == 0;
            if (ci.violations.errors > 0 && !wide) {
                print_violations(c->id, &ci.violations);
                bad++;
            }
            cases++;
        }
        vectors_close(&x);
    }
    assert_int_equal(cases, 532);
    assert_int_equal(bad, 0);
}

static void test_errors_are_exact(void **state)
{
    (void)state;
    struct arena arena;
    struct csv_table table;
    arena_init(&arena);
    assert_int_equal(csv_load(REPO_DIR "/tests/data/conformance/errors.csv", &arena, &table, NULL), STATUS_OK);
    const int instr = csv_column(&table, "instr"), target = csv_column(&table, "target"),
              dtype = csv_column(&table, "dtype"), path = csv_column(&table, "path"),
              params = csv_column(&table, "params"), want = csv_column(&table, "expect");
    size_t loose = 0;
    for (size_t row = 0; row < table.count; row++) {
        const char **f = table.rows[row].fields;
        const struct target *t = real_target(&arena, product_from_name(f[target]));
        struct insn_text ci;
        assert_true(insn_text_start(&ci, f[instr], f[dtype], t->arch));
        assert_true(insn_text_path(&ci, f[path]));
        char text[512];
        snprintf(text, sizeof text, "%s", f[params]);
        char *rest = NULL;
        for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
            char *equals = strchr(word, '=');
            *equals = '\0';
            const int64_t value = strtoll(equals + 1, NULL, 0);
            if (strcmp(word, "src_off") == 0) {
                ci.insn.src.byte = value;
            } else if (strcmp(word, "dst_off") == 0) {
                ci.insn.dst.byte = value;
            } else if (strcmp(word, "src_mx_off") == 0) {
                ci.insn.src2.byte = value;
            } else if (strcmp(word, "dst_dtype") != 0) {
                assert_null(insn_text_set(&ci, word, equals + 1));
            }
        }
        legality_check(&ci.insn, t, NULL, &ci.violations);
        const enum violation_code code = violation_code_from_name(f[want]);
        if (count_code(&ci.violations, code) != ci.violations.errors) {
            print_violations(f[0], &ci.violations);
            loose++;
        }
    }
    assert_int_equal(loose, 0);
    arena_fini(&arena);
}

/* ---- ranges: every field at its ends and one beyond ---- */

/* An insn of each op that is legal on 950 (or A2 where 950 lacks it). */
static struct insn legal_insn(enum op op, enum product *product)
{
    *product = op == OP_LOAD_2D ? PRODUCT_ASCEND910B : PRODUCT_ASCEND950;
    const enum dtype dtype = op == OP_LOAD_MX || op == OP_MMAD_MX ? DTYPE_FP8_E4M3
                             : op == OP_L1_TO_FB                  ? DTYPE_UINT64
                             : op == OP_FIXPIPE                   ? DTYPE_FLOAT
                                                                  : DTYPE_HALF;
    struct insn in = make(op, dtype, at(BUF_L0B, 0), at(BUF_L1, 0));
    switch (op) {
    case OP_ND2NZ:
    case OP_DN2NZ:
    case OP_DATA_COPY:
    case OP_DATA_COPY_PAD:
        in.dst = at(BUF_L1, 0);
        in.src = at_gm(TENSOR_A, 0);
        break;
    case OP_FILL:
        in.dst = at(BUF_L1, 0);
        break;
    case OP_L1_TO_BT:
        in.dst = at(BUF_BT, 0);
        break;
    case OP_L1_TO_FB:
        in.dst = at(BUF_FB, 0);
        break;
    case OP_MMAD:
    case OP_MMAD_MX:
        in.dst = at(BUF_L0C, 0);
        in.src = at(BUF_L0A, 0);
        in.src2 = at(BUF_L0B, 0);
        break;
    case OP_FIXPIPE:
        in.dst = at_gm(TENSOR_C, 0);
        in.src = at(BUF_L0C, 0);
        break;
    case OP_LOAD_MX:
        in.src2 = at(BUF_L1, 0);
        break;
    default:
        break;
    }
    return in;
}

/* Range violations of one field. */
static size_t count_field(const struct violations *v, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < v->count; i++) {
        n += v->v[i].code == E_RANGE && strcmp(v->v[i].field, name) == 0;
    }
    return n;
}

static void test_ranges(void **state)
{
    (void)state;
    size_t fields_seen = 0;
    for (int op = OP_ND2NZ; op <= OP_FIXPIPE; op++) {
        size_t count;
        const struct insn_field *fields = insn_fields((enum op)op, &count);
        for (size_t i = 0; i < count; i++) {
            const struct insn_field *f = &fields[i];
            enum product product;
            struct insn in = legal_insn((enum op)op, &product);
            struct violations v = {0};
            int64_t lo, hi;
            insn_field_type_range(f, &lo, &hi);
            fields_seen++;
            if (hi > f->max && f->max < INT64_MAX && f->kind == FIELD_INT && strcmp(f->name, "dValue") != 0 &&
                strcmp(f->name, "dstNzMatrixStride") != 0) {
                legality_set_field(&in, f, f->max + 1, &v);
                assert_int_equal(v.errors, 0);
                check(&in, product, NULL, &v);
                if (count_field(&v, f->name) != 1) {
                    print_violations(f->name, &v);
                    fail();
                }
                (void)insn_field_set(&in, f, f->max);
                check(&in, product, NULL, &v);
                assert_int_equal(count_field(&v, f->name), 0);
            }
            /* Beyond the C type: reported when it is set, whatever follows. */
            if (hi < INT64_MAX) {
                memset(&v, 0, sizeof v);
                legality_set_field(&in, f, hi + 1, &v);
                assert_int_equal(v.errors, 1);
                assert_int_equal(v.v[0].code, E_RANGE);
                assert_int_equal(v.v[0].value, hi + 1);
                memset(&v, 0, sizeof v);
                legality_set_field(&in, f, lo - 1, &v);
                assert_int_equal(v.errors, 1);
            }
        }
    }
    assert_true(fields_seen > 120);
}

/* Flags and registers have no document's table; a barrier names its pipe. */
static void test_barrier(void **state)
{
    (void)state;
    struct insn in;
    insn_init(&in, OP_PIPE_BARRIER, DTYPE_NONE);
    for (int pipe = PIPE_MTE2; pipe <= PIPE_ALL + 2; pipe++) {
        in.p.barrier.pipe = (uint8_t)pipe;
        insn_set_pipe(&in);
        expect(&in, PRODUCT_ASCEND910B, pipe > PIPE_ALL ? E_RANGE : E_NONE, "barrier");
    }
}

/* Product by product: the same field, other ranges. */
static void test_product_ranges(void **state)
{
    (void)state;
    struct insn in = make(OP_ND2NZ, DTYPE_HALF, at(BUF_L1, 0), at_gm(TENSOR_A, 0));
    in.p.nd2nz.nValue = 2;
    in.p.nd2nz.dValue = 16;
    in.p.nd2nz.dstNzC0Stride = 16;
    in.p.nd2nz.srcDValue = 65535;
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "pitch 65535");
    in.p.nd2nz.srcDValue = 65536;
    expect(&in, PRODUCT_ASCEND910B, E_RANGE, "pitch 65536 on A2");
    expect(&in, PRODUCT_ASCEND950, E_NONE, "pitch 65536 on 950");
    in.p.nd2nz.srcDValue = (1LL << 40) - 1;
    expect(&in, PRODUCT_ASCEND950, E_NONE, "pitch 2^40-1 on 950");
    in.p.nd2nz.srcDValue = 1LL << 40;
    expect(&in, PRODUCT_ASCEND950, E_RANGE, "pitch 2^40 on 950");
    in.p.nd2nz.srcDValue = 16;
    in.p.nd2nz.ndNum = 2;
    in.p.nd2nz.dstNzMatrixStride = 16384;
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "matrix stride 16384");
    in.p.nd2nz.dstNzMatrixStride = 16400;
    expect(&in, PRODUCT_ASCEND910B, E_RANGE, "matrix stride 16400 on A2");
    expect(&in, PRODUCT_ASCEND950, E_NONE, "matrix stride 16400 on 950");
    in.p.nd2nz.dstNzMatrixStride = 1000;
    expect(&in, PRODUCT_ASCEND950, E_MULTIPLE, "matrix stride off 32 B");
}

/* ---- rules of single instructions ---- */

static struct insn load_2d(enum dtype dtype, uint16_t repeat)
{
    struct insn in = make(OP_LOAD_2D, dtype, at(BUF_L0A, 0), at(BUF_L1, 0));
    in.p.load_2d.repeatTimes = (uint8_t)repeat;
    in.p.load_2d.srcStride = 1;
    return in;
}

static void test_2d(void **state)
{
    (void)state;
    struct insn in = load_2d(DTYPE_HALF, 128);
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "fills L0A");
    in.p.load_2d.repeatTimes = 129;
    expect(&in, PRODUCT_ASCEND910B, E_DST_BOUNDS, "one fractal too many");
    in = load_2d(DTYPE_HALF, 2);
    in.p.load_2d.startIndex = 1022;
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "the last two of L1");
    in.p.load_2d.startIndex = 1023;
    expect(&in, PRODUCT_ASCEND910B, E_SRC_BOUNDS, "one beyond L1");
    in = load_2d(DTYPE_HALF, 0);
    in.dst.byte = 7;
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "a NOP asks nothing of its addresses");
    in = load_2d(DTYPE_FLOAT, 1);
    in.p.load_2d.ifTranspose = 1;
    expect(&in, PRODUCT_ASCEND910B, E_TRANSPOSE, "b32");
    in = load_2d(DTYPE_HALF, 1);
    in.src = at_gm(TENSOR_A, 3);
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "GM at any byte");
    expect(&in, PRODUCT_ASCEND950, E_PATH, "GM->L0A on 950");
    struct violations v;
    in = load_2d(DTYPE_HALF, 2);
    in.p.load_2d.dstGap = 3;
    check(&in, PRODUCT_ASCEND950, NULL, &v);
    assert_int_equal(v.errors, 0);
    assert_int_equal(v.count, 1);
    assert_non_null(strstr(v.v[0].rule, "A10"));
    /* Two violations at once are both reported. */
    in = load_2d(DTYPE_HALF, 1);
    in.dst.byte = 32;
    in.src.byte = 8;
    check(&in, PRODUCT_ASCEND910B, NULL, &v);
    assert_int_equal(v.errors, 2);
    assert_int_equal(count_code(&v, E_ALIGN), 2);
}

static struct insn load_v2(enum dtype dtype, uint16_t m, uint16_t k, bool transpose)
{
    struct insn in = make(OP_LOAD_2D_V2, dtype, at(BUF_L0B, 0), at(BUF_L1, 0));
    in.p.load_2d_v2.mStep = m;
    in.p.load_2d_v2.kStep = k;
    in.p.load_2d_v2.srcStride = m;
    in.p.load_2d_v2.dstStride = 64;
    in.p.load_2d_v2.ifTranspose = transpose;
    return in;
}

/* How far a copy reaches beyond L1 is said, but not looked up without end. */
static void test_far_outside(void **state)
{
    (void)state;
    const struct target t = fixture_target(PRODUCT_ASCEND950);
    const int64_t inside = t.physical[BUF_L1] / 32;
    for (int64_t more = 0; more < 2; more++) {
        struct violations v = {0};
        struct insn in = make(OP_ND2NZ, DTYPE_INT8, at(BUF_L1, 0), at_gm(TENSOR_A, 0));
        in.p.nd2nz.nValue = in.p.nd2nz.dstNzC0Stride = in.p.nd2nz.dstNzNStride = 1;
        in.p.nd2nz.dValue = (uint32_t)(32 * (inside + LIMIT_PIECES_OUTSIDE + more));
        in.p.nd2nz.srcDValue = in.p.nd2nz.dValue;
        legality_check(&in, &t, NULL, &v);
        const char *rule = NULL;
        for (size_t i = 0; i < v.count; i++) {
            rule = v.v[i].code == E_DST_BOUNDS ? v.v[i].rule : rule;
        }
        assert_non_null(rule);
        assert_int_equal(strstr(rule, "and more") != NULL, more);
    }
}

/* Where the scales of LoadData MX come from, also if no data are loaded. */
static void test_scale_source(void **state)
{
    (void)state;
    struct insn in = make(OP_LOAD_MX, DTYPE_FP8_E4M3, at(BUF_L0A, 0), at(BUF_L1, 0));
    in.p.load_mx = (struct load_mx_params){.data = {.mStep = 2, .kStep = 2, .srcStride = 2, .dstStride = 2},
                                           .xStep = 2,
                                           .yStep = 1,
                                           .srcStride = 1,
                                           .dstStride = 1};
    for (int k = 2; k >= 0; k -= 2) {
        in.p.load_mx.data.kStep = (uint16_t)k;
        in.src2 = at(BUF_L1, 4096);
        expect(&in, PRODUCT_ASCEND950, E_NONE, "scales from L1");
        in.src2 = at(BUF_UB, 4096);
        expect(&in, PRODUCT_ASCEND950, E_PATH, "scales from UB");
        in.src2 = at(BUF_GM, 4096);
        expect(&in, PRODUCT_ASCEND950, E_PATH, "scales from GM");
    }
    in.p.load_mx.data.kStep = 2;
    in.p.load_mx.yStep = 0;
    expect(&in, PRODUCT_ASCEND950, E_NONE, "no scales are loaded");
}

static void test_bt(void **state)
{
    (void)state;
    struct insn in = make(OP_L1_TO_BT, DTYPE_HALF, at(BUF_BT, 0), at(BUF_L1, 0));
    in.p.copy = (struct data_copy_params){.blockCount = 1, .blockLen = 2};
    static const enum dtype rows[] = {DTYPE_NONE, DTYPE_FLOAT, DTYPE_INT32, DTYPE_HALF, DTYPE_FP4_E1M2};
    for (int i = 0; i < 10; i++) { /* BT: float of half, int32 of int32, or not said */
        in.dtype = i < 5 ? DTYPE_HALF : DTYPE_INT32;
        in.p.copy.dstType = (uint8_t)rows[i % 5];
        const bool right = i % 5 == 0 || i % 5 == (i < 5 ? 1 : 2);
        expect(&in, PRODUCT_ASCEND950, right ? E_NONE : E_DTYPE, "type of the row in BT");
    }
}

static void test_v2(void **state)
{
    (void)state;
    static const struct {
        enum dtype dtype;
        uint16_t m, k;
        enum violation_code code;
    } rows[] = {{DTYPE_FP4_E2M1, 4, 1, E_NONE}, {DTYPE_FP4_E2M1, 2, 1, E_MULTIPLE}, {DTYPE_INT8, 2, 1, E_NONE},
                {DTYPE_INT8, 3, 1, E_MULTIPLE}, {DTYPE_HALF, 1, 1, E_NONE},         {DTYPE_FLOAT, 1, 2, E_NONE},
                {DTYPE_FLOAT, 1, 1, E_MULTIPLE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct insn in = load_v2(rows[i].dtype, rows[i].m, rows[i].k, true);
        expect(&in, PRODUCT_ASCEND950, rows[i].code, "V2 transpose");
        in.p.load_2d_v2.ifTranspose = 0;
        expect(&in, PRODUCT_ASCEND950, E_NONE, "V2 copy");
        expect(&in, PRODUCT_ASCEND910B, E_TARGET, "V2 on A2");
    }
    struct insn in = load_v2(DTYPE_HALF, 3, 2, false);
    in.p.load_2d_v2.dstStride = 3;
    expect(&in, PRODUCT_ASCEND950, E_NONE, "columns touch");
    in.p.load_2d_v2.dstStride = 2;
    expect(&in, PRODUCT_ASCEND950, E_OVERLAP, "columns overlap");
    in = load_v2(DTYPE_HALF, 1, 2, false);
    in.p.load_2d_v2.srcStride = -1;
    expect(&in, PRODUCT_ASCEND950, E_SRC_BOUNDS, "walks in front of L1");
    in.p.load_2d_v2.mStartPosition = 1;
    expect(&in, PRODUCT_ASCEND950, E_NONE, "walks back to its start");
    in = make(OP_LOAD_2D, DTYPE_HALF, at(BUF_L1, 0), at_gm(TENSOR_A, 512));
    in.p.load_2d = (struct load_2d_params){.startIndex = 1, .repeatTimes = 3, .srcStride = 1, .addrMode = 1};
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "walks back to the start of GM");
    in.src.byte = 511;
    expect(&in, PRODUCT_ASCEND910B, E_SRC_BOUNDS, "walks in front of GM");
}

static struct insn load_3d(enum dtype dtype, enum buffer buf)
{
    struct insn in = make(OP_LOAD_3D, dtype, at(buf, 0), at(BUF_L1, 0));
    struct load_3d_params *p = &in.p.load_3d;
    p->l1H = 4;
    p->l1W = 8;
    p->channelSize = (uint16_t)dtype_c0(dtype);
    p->kExtension = p->channelSize;
    p->mExtension = 32;
    return in;
}

static void test_3d(void **state)
{
    (void)state;
    struct insn in = load_3d(DTYPE_HALF, BUF_L0A);
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "3D");
    in.p.load_3d.mStartPt = 31;
    in.p.load_3d.mExtension = 1;
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "the last row");
    in.p.load_3d.mStartPt = 32;
    expect(&in, PRODUCT_ASCEND910B, E_DIM, "beyond the last row");
    static const struct {
        enum dtype dtype;
        uint16_t channels;
        enum violation_code code;
    } rows[] = {{DTYPE_HALF, 4, E_NONE},     {DTYPE_HALF, 8, E_NONE},     {DTYPE_HALF, 12, E_CHANNEL},
                {DTYPE_HALF, 48, E_NONE},    {DTYPE_HALF, 20, E_NONE},    {DTYPE_INT8, 4, E_NONE},
                {DTYPE_INT8, 16, E_NONE},    {DTYPE_INT8, 24, E_CHANNEL}, {DTYPE_FLOAT, 4, E_NONE},
                {DTYPE_FLOAT, 6, E_CHANNEL}, {DTYPE_INT4, 8, E_NONE},     {DTYPE_INT4, 32, E_NONE},
                {DTYPE_INT4, 4, E_CHANNEL},  {DTYPE_INT4, 48, E_CHANNEL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        in = load_3d(rows[i].dtype, BUF_L0A);
        in.p.load_3d.channelSize = in.p.load_3d.kExtension = rows[i].channels;
        expect(&in, PRODUCT_ASCEND910B, rows[i].code, "channels");
    }
    in = load_3d(DTYPE_INT8, BUF_L0A);
    in.p.load_3d.enTranspose = 1;
    expect(&in, PRODUCT_ASCEND910B, E_TRANSPOSE, "b8 on A2");
    in.p.load_3d.dstStride = 4;
    expect(&in, PRODUCT_ASCEND950, E_NONE, "b8 on 950");
    in.p.load_3d.mExtension = 16;
    expect(&in, PRODUCT_ASCEND950, E_MULTIPLE, "half a square");
    in = load_3d(DTYPE_HALF, BUF_L0A);
    in.p.load_3d.isSetFMatrix = in.p.load_3d.isSetPadding = 0;
    struct violations v;
    check(&in, PRODUCT_ASCEND910B, NULL, &v);
    assert_int_equal(count_code(&v, E_CONFIG), 2);
    const struct legality_state set = {{true, false}, true};
    check(&in, PRODUCT_ASCEND910B, &set, &v);
    assert_int_equal(v.errors, 0);
    in = load_3d(DTYPE_HALF, BUF_L0A);
    in.p.load_3d.filterH = 9;
    expect(&in, PRODUCT_ASCEND910B, E_DIM, "filter higher than the map");
    in.p.load_3d.filterH = 1;
    in.p.load_3d.kStartPt = 8;
    in.p.load_3d.kExtension = 8;
    expect(&in, PRODUCT_ASCEND910B, E_MULTIPLE, "kStartPt");
    in = load_3d(DTYPE_HALF, BUF_L0A);
    in.op = OP_LOAD_3D_STRIDE;
    in.p.load_3d.kExtension = in.p.load_3d.channelSize = 32;
    in.p.load_3d.dstStride = 2;
    expect(&in, PRODUCT_ASCEND950, E_NONE, "stride of the rows");
    in.p.load_3d.dstStride = 1;
    expect(&in, PRODUCT_ASCEND950, E_OVERLAP, "stride below the rows");
}

static struct insn mmad(enum op op, enum dtype a, enum dtype b, uint16_t k)
{
    struct insn in = make(op, a, at(BUF_L0C, 0), at(BUF_L0A, 0));
    in.src2 = at(BUF_L0B, 0);
    in.p.mmad.m = in.p.mmad.n = 32;
    in.p.mmad.k = k;
    in.p.mmad.btype = (uint8_t)b;
    return in;
}

static void test_mmad(void **state)
{
    (void)state;
    static const struct {
        enum op op;
        enum dtype a, b;
        uint16_t k;
        enum product product;
        enum violation_code code;
    } rows[] = {
        {OP_MMAD, DTYPE_HALF, DTYPE_NONE, 64, PRODUCT_ASCEND910B, E_NONE},
        {OP_MMAD, DTYPE_HALF, DTYPE_BF16, 64, PRODUCT_ASCEND910B, E_DTYPE},
        {OP_MMAD, DTYPE_FP8_E4M3, DTYPE_FP8_E5M2, 64, PRODUCT_ASCEND950, E_NONE},
        {OP_MMAD, DTYPE_FP8_E4M3, DTYPE_NONE, 64, PRODUCT_ASCEND910B, E_DTYPE},
        {OP_MMAD, DTYPE_INT4, DTYPE_NONE, 64, PRODUCT_ASCEND910B, E_NONE},
        {OP_MMAD, DTYPE_INT4, DTYPE_NONE, 63, PRODUCT_ASCEND910B, E_MULTIPLE},
        {OP_MMAD, DTYPE_INT4, DTYPE_NONE, 64, PRODUCT_ASCEND950, E_DTYPE},
        {OP_MMAD_MX, DTYPE_FP4_E2M1, DTYPE_FP4_E1M2, 64, PRODUCT_ASCEND950, E_NONE},
        {OP_MMAD_MX, DTYPE_FP4_E2M1, DTYPE_FP8_E4M3, 64, PRODUCT_ASCEND950, E_DTYPE},
        {OP_MMAD_MX, DTYPE_FP8_E4M3, DTYPE_NONE, 96, PRODUCT_ASCEND950, E_MULTIPLE},
        {OP_MMAD_MX, DTYPE_FP8_E4M3, DTYPE_NONE, 64, PRODUCT_ASCEND910B, E_TARGET},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct insn in = mmad(rows[i].op, rows[i].a, rows[i].b, rows[i].k);
        expect(&in, rows[i].product, rows[i].code, "Mmad");
    }
    struct violations both;
    struct insn in = mmad(OP_MMAD, DTYPE_HALF, DTYPE_NONE, 1040);
    check(&in, PRODUCT_ASCEND910B, NULL, &both);
    assert_int_equal(both.errors, 2); /* each operand by itself */
    assert_int_equal(count_code(&both, E_SRC_BOUNDS), 2);
    in = mmad(OP_MMAD, DTYPE_INT4, DTYPE_NONE, 64);
    in.p.mmad.cmatrixInitVal = 0;
    in.p.mmad.cmatrixSource = 1;
    expect(&in, PRODUCT_ASCEND910B, E_PARAM, "int4 has no bias");
    in = (struct insn){.op = OP_L1_TO_BT, .pipe = PIPE_MTE1, .dtype = DTYPE_HALF};
    in.src.buf = BUF_L1, in.dst.buf = BUF_BT;
    in.p.copy = (struct data_copy_params){.blockCount = 1, .blockLen = 1, .dstType = DTYPE_FLOAT};
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "half to BT as float");
    in.p.copy.dstType = DTYPE_INT32;
    expect(&in, PRODUCT_ASCEND910B, E_DTYPE, "half to BT as int32");
    in.dtype = DTYPE_INT32;
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "int32 to BT");
    in = mmad(OP_MMAD, DTYPE_HALF, DTYPE_NONE, 64);
    in.p.mmad.unitFlag = 1;
    expect(&in, PRODUCT_ASCEND910B, E_RANGE, "unitFlag 1");
    in.p.mmad.unitFlag = 0;
    in.p.mmad.kDirectionAlign = 1;
    expect(&in, PRODUCT_ASCEND910B, E_PARAM, "kDirectionAlign of half");
    in = mmad(OP_MMAD_MX, DTYPE_FP8_E4M3, DTYPE_NONE, 64);
    in.src.byte = 512;
    expect(&in, PRODUCT_ASCEND950, E_ALIGN, "MX fp8 asks 1024 B");
    in = mmad(OP_MMAD, DTYPE_HALF, DTYPE_NONE, 64);
    in.dst.byte = 512;
    expect(&in, PRODUCT_ASCEND910B, E_ALIGN, "result 1024 B");
    in.dst.byte = 128 * 1024 - 4096;
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "the last fractals of L0C");
    in.dst.byte += 1024;
    expect(&in, PRODUCT_ASCEND910B, E_DST_BOUNDS, "beyond L0C");
    in.src.buf = BUF_L1;
    expect(&in, PRODUCT_ASCEND910B, E_PATH, "left operand in L1");
}

static void test_fixpipe(void **state)
{
    (void)state;
    struct insn in = make(OP_FIXPIPE, DTYPE_FLOAT, at_gm(TENSOR_C, 0), at(BUF_L0C, 0));
    struct fixpipe_params *p = &in.p.fixpipe;
    p->mSize = p->nSize = 40;
    p->srcStride = 48;
    p->dstStride = 40;
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "ND");
    p->dstStride = 39;
    expect(&in, PRODUCT_ASCEND910B, E_OVERLAP, "rows overlap");
    p->format = FIXPIPE_NZ;
    p->dstStride = 40;
    expect(&in, PRODUCT_ASCEND910B, E_MULTIPLE, "NZ takes whole fractals");
    p->channelSplit = 1;
    expect(&in, PRODUCT_ASCEND910B, E_NONE, "split takes eights");
    p->format = FIXPIPE_ND;
    expect(&in, PRODUCT_ASCEND910B, E_PARAM, "split is NZ");
    p->channelSplit = 0;
    p->format = FIXPIPE_DN;
    expect(&in, PRODUCT_ASCEND910B, E_PARAM, "DN on A2");
    p->arch3510 = 1;
    expect(&in, PRODUCT_ASCEND950, E_NONE, "DN on 950");
    p->format = FIXPIPE_ND;
    p->quantPre = QUANT_QF322FP8_PRE;
    p->dstType = DTYPE_FP8_E4M3;
    expect(&in, PRODUCT_ASCEND950, E_NONE, "fp8 on 950");
    p->arch3510 = 0;
    expect(&in, PRODUCT_ASCEND910B, E_PARAM, "fp8 on A2");
    expect(&in, PRODUCT_ASCEND310P, E_TARGET, "310P has no Fixpipe");
}

/* The support matrix of semantics.md section 3, row by row, as counts of the
 * types a path takes: a change of the table shows here. */
static void test_support(void **state)
{
    (void)state;
    static const struct {
        enum op op;
        bool c_api;
        enum path path;
        uint8_t types[PRODUCT_N]; /* 950 A3 910b 310b 310p 910 x90 9030 */
    } rows[] = {
        {OP_LOAD_2D, false, PATH_GM_L1, {9, 9, 9, 9, 5, 5, 2, 1}},
        {OP_LOAD_2D, false, PATH_GM_L0A, {0, 9, 9, 9, 5, 5, 2, 1}},
        {OP_LOAD_2D, false, PATH_L1_L0B, {9, 10, 10, 9, 6, 5, 2, 1}},
        {OP_LOAD_2D_V2, false, PATH_L1_L0A, {12, 0, 0, 0, 0, 0, 0, 0}},
        {OP_LOAD_TRANSPOSE, false, PATH_L1_L0A, {0, 7, 7, 7, 0, 0, 2, 0}},
        {OP_LOAD_TRANSPOSE, false, PATH_L1_L0B, {7, 8, 8, 8, 0, 0, 2, 0}},
        {OP_LOAD_TRANSPOSE_V2, false, PATH_L1_L0B, {7, 0, 0, 0, 0, 0, 0, 0}},
        {OP_LOAD_TRANSPOSE_V2, true, PATH_L1_L0B, {13, 0, 0, 0, 0, 0, 0, 0}},
        {OP_LOAD_TRANSPOSE, true, PATH_L1_L0A, {0, 7, 7, 0, 0, 0, 0, 0}},
        {OP_LOAD_MX, false, PATH_L1_L0A, {4, 0, 0, 0, 0, 0, 0, 0}},
        {OP_LOAD_3D, false, PATH_L1_L0A, {10, 8, 8, 8, 4, 0, 2, 0}},
        {OP_LOAD_3D, false, PATH_L1_L0B, {10, 5, 5, 5, 4, 0, 2, 0}},
        {OP_LOAD_3D_STRIDE, false, PATH_L1_L0A, {10, 0, 0, 0, 0, 0, 0, 0}},
        {OP_LOAD_3D_STRIDE, false, PATH_L1_L0B, {5, 0, 0, 0, 0, 0, 0, 0}},
        {OP_DN2NZ, false, PATH_GM_L1, {17, 0, 0, 0, 0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int p = 0; p < PRODUCT_N; p++) {
            const uint32_t types = support_dtypes(rows[i].op, rows[i].c_api, (enum product)p, rows[i].path);
            if (__builtin_popcount(types) != rows[i].types[p]) {
                print_error("%s %s on %s: %d types\n", op_name(rows[i].op), path_name(rows[i].path),
                            product_name((enum product)p), __builtin_popcount(types));
                fail();
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors_are_legal),
        cmocka_unit_test(test_errors_are_exact),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_product_ranges),
        cmocka_unit_test(test_2d),
        cmocka_unit_test(test_v2),
        cmocka_unit_test(test_bt),
        cmocka_unit_test(test_scale_source),
        cmocka_unit_test(test_far_outside),
        cmocka_unit_test(test_3d),
        cmocka_unit_test(test_mmad),
        cmocka_unit_test(test_fixpipe),
        cmocka_unit_test(test_support),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
