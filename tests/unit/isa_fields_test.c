/* The field tables, names and the one-line form. */
#include "engine_fixture.h"

#include "isa/alias.h"

static void test_tables(void **state)
{
    (void)state;
    const size_t low = offsetof(struct insn, p), high = sizeof(struct insn);
    for (int op = 0; op < OP_N; op++) {
        size_t count;
        const struct insn_field *f = insn_fields((enum op)op, &count);
        uint8_t used[sizeof(struct insn)] = {0};
        for (size_t i = 0; i < count; i++) {
            assert_true(f[i].offset >= low && (size_t)f[i].offset + f[i].size <= high);
            for (int b = 0; b < f[i].size; b++) {
                assert_int_equal(used[f[i].offset + b], 0); /* no two fields share a byte */
                used[f[i].offset + b] = 1;
            }
            assert_true(f[i].min <= f[i].max);
            assert_non_null(f[i].unit);
            assert_true(f[i].meaning[0] != '\0');
            assert_ptr_equal(insn_field_find((enum op)op, f[i].name), &f[i]);
            int64_t lo, hi;
            insn_field_type_range(&f[i], &lo, &hi);
            assert_true(f[i].def >= lo && f[i].def <= hi);
            assert_true(f[i].max <= hi || f[i].c_bits < 16);
        }
        if (count > 0 && op < OP_SET_FLAG) {
            assert_true(op_struct_name((enum op)op)[0] != '\0');
            assert_true(op_document((enum op)op)[0] != '\0');
        }
        assert_null(insn_field_find((enum op)op, "nonsense"));
    }
}

static void test_values(void **state)
{
    (void)state;
    struct rng r = rng_init(11);
    for (int op = 0; op < OP_N; op++) {
        size_t count;
        const struct insn_field *f = insn_fields((enum op)op, &count);
        struct insn in;
        insn_init(&in, (enum op)op, DTYPE_HALF);
        for (size_t i = 0; i < count; i++) {
            assert_true(insn_field_get(&in, &f[i]) == f[i].def);
            for (int round = 0; round < 20; round++) {
                const int64_t value = round == 0   ? f[i].min
                                      : round == 1 ? f[i].max
                                                   : rng_between(&r, f[i].min, f[i].max);
                struct strbuf text;
                int64_t back;
                strbuf_init(&text);
                assert_true(insn_field_set(&in, &f[i], value));
                assert_true(insn_field_get(&in, &f[i]) == value);
                insn_field_format(&f[i], value, &text);
                if (strcmp(strbuf_cstr(&text), "?") != 0) {
                    assert_true(insn_field_parse(&f[i], strbuf_cstr(&text), &back));
                    assert_true(back == value);
                }
                strbuf_fini(&text);
            }
            if (f[i].size < 8) {
                assert_false(insn_field_set(&in, &f[i], 1LL << (8 * f[i].size)));
                assert_true(f[i].is_signed || !insn_field_set(&in, &f[i], -1));
            }
            (void)insn_field_set(&in, &f[i], f[i].def);
        }
        struct insn again;
        insn_init(&again, (enum op)op, DTYPE_HALF);
        assert_memory_equal(&in, &again, sizeof in);
    }
}

static void test_parse(void **state)
{
    (void)state;
    int64_t v;
    const struct insn_field *repeat = insn_field_find(OP_LOAD_2D, "repeatTimes");
    const struct insn_field *flag = insn_field_find(OP_LOAD_2D, "ifTranspose");
    const struct insn_field *type = insn_field_find(OP_MMAD, "btype");
    const struct insn_field *quant = insn_field_find(OP_FIXPIPE, "quantPre");
    const struct insn_field *format = insn_field_find(OP_FIXPIPE, "format");
    const struct insn_field *scale = insn_field_find(OP_FIXPIPE, "deqScalar");
    assert_true(insn_field_parse(repeat, "0x10", &v) && v == 16);
    assert_true(insn_field_parse(repeat, "-1", &v) && v == -1);
    static const char *const bad[] = {"", "-", "0x", "1x", "1 ", "1.5", "0xg", "99999999999999999999", "- 1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(insn_field_parse(repeat, bad[i], &v));
    }
    assert_true(insn_field_parse(flag, "true", &v) && v == 1);
    assert_true(insn_field_parse(flag, "false", &v) && v == 0);
    assert_true(insn_field_parse(flag, "2", &v) && v == 2); /* out of range, not malformed */
    assert_true(insn_field_parse(type, "half", &v) && v == DTYPE_HALF);
    assert_false(insn_field_parse(type, "hafl", &v));
    assert_true(insn_field_parse(quant, "VREQ8", &v) && v == QUANT_VREQ8);
    assert_false(insn_field_parse(quant, "VREQ9", &v));
    assert_true(insn_field_parse(format, "DN", &v) && v == FIXPIPE_DN);
    assert_false(insn_field_parse(format, "XX", &v));
    assert_true(insn_field_parse(scale, "0x40003f000000", &v) && v == 0x40003f000000);
}

static void test_lines(void **state)
{
    (void)state;
    struct strbuf text;
    strbuf_init(&text);
    struct insn in = make(OP_LOAD_2D, DTYPE_HALF, at(BUF_L0A, 0x200), at(BUF_L1, 0x400));
    in.p.load_2d.repeatTimes = 4;
    in.p.load_2d.srcStride = 1;
    insn_format(&in, &text);
    assert_string_equal(strbuf_cstr(&text),
                        "MTE1 LoadData L0A+0x200 <- L1+0x400 half LoadData2DParams{repeatTimes=4, srcStride=1}");
    strbuf_clear(&text);
    insn_format_all(&in, &text);
    assert_string_equal(
        strbuf_cstr(&text),
        "MTE1 LoadData L0A+0x200 <- L1+0x400 half LoadData2DParams{startIndex=0, repeatTimes=4, srcStride=1, "
        "sid=0, dstGap=0, ifTranspose=0, addrMode=0}");
    in = make(OP_MMAD, DTYPE_INT8, at(BUF_L0C, 0), at(BUF_L0A, 0));
    in.src2 = at(BUF_L0B, 0x8000);
    in.p.mmad.m = in.p.mmad.n = in.p.mmad.k = 16;
    strbuf_clear(&text);
    insn_format(&in, &text);
    assert_string_equal(strbuf_cstr(&text),
                        "M Mmad L0C+0x0 <- L0A+0x0 * L0B+0x8000 int8_t MmadParams{m=16, n=16, k=16}");
    in = make(OP_FIXPIPE, DTYPE_FLOAT, at_gm(TENSOR_C, 16), at(BUF_L0C, 0));
    in.p.fixpipe.quantPre = QUANT_F322F16;
    in.p.fixpipe.dstType = DTYPE_HALF;
    strbuf_clear(&text);
    insn_format(&in, &text);
    assert_string_equal(strbuf_cstr(&text),
                        "FIX Fixpipe GM.C+0x10 <- L0C+0x0 float FixpipeParams{dstType=half, quantPre=F322F16}");
    in = make(OP_SET_FLAG, DTYPE_NONE, at(BUF_GM, 0), at(BUF_GM, 0));
    in.event = INSN_EVENT(EVENT_MTE2_MTE1, 3);
    insn_set_pipe(&in);
    strbuf_clear(&text);
    insn_format(&in, &text);
    assert_string_equal(strbuf_cstr(&text), "MTE2 SetFlag MTE2_MTE1 EVENT_ID3");
    in.op = OP_PIPE_BARRIER;
    in.p.barrier.pipe = PIPE_M;
    insn_set_pipe(&in);
    strbuf_clear(&text);
    insn_format(&in, &text);
    assert_string_equal(strbuf_cstr(&text), "M PipeBarrier PIPE_M");
    in.op = 250;
    strbuf_clear(&text);
    insn_format(&in, &text);
    assert_string_equal(strbuf_cstr(&text), "unknown instruction 250");
    in = make(OP_LOAD_MX, DTYPE_FP8_E4M3, at(BUF_L0A, 0), at(BUF_L1, 0));
    in.src2 = at(BUF_L1, 0x1000);
    in.p.load_mx.xStep = 2;
    strbuf_clear(&text);
    insn_format(&in, &text);
    assert_string_equal(
        strbuf_cstr(&text),
        "MTE1 LoadData L0A+0x0 <- L1+0x0, L1+0x1000 fp8_e4m3fn_t LoadData2DParamsV2+LoadData2DMxParams{mx.xStep=2}");
    strbuf_fini(&text);
}

static void test_pipes_and_paths(void **state)
{
    (void)state;
    static const struct {
        enum op op;
        enum buffer dst, src;
        enum pipe pipe;
        enum path path;
    } rows[] = {
        {OP_ND2NZ, BUF_L1, BUF_GM, PIPE_MTE2, PATH_GM_L1},
        {OP_LOAD_2D, BUF_L1, BUF_GM, PIPE_MTE2, PATH_GM_L1},
        {OP_LOAD_2D, BUF_L0A, BUF_GM, PIPE_MTE2, PATH_GM_L0A},
        {OP_LOAD_2D, BUF_L0A, BUF_L1, PIPE_MTE1, PATH_L1_L0A},
        {OP_LOAD_2D_V2, BUF_L1, BUF_GM, PIPE_MTE2, PATH_GM_L1},
        {OP_LOAD_3D, BUF_L0B, BUF_L1, PIPE_MTE1, PATH_L1_L0B},
        {OP_FILL, BUF_L1, BUF_GM, PIPE_MTE2, PATH_GM_L1},
        {OP_FILL, BUF_L0A, BUF_GM, PIPE_MTE1, PATH_GM_L0A},
        {OP_L1_TO_BT, BUF_BT, BUF_L1, PIPE_MTE1, PATH_L1_BT},
        {OP_L1_TO_FB, BUF_FB, BUF_L1, PIPE_FIX, PATH_L1_FB},
        {OP_FIXPIPE, BUF_L1, BUF_L0C, PIPE_FIX, PATH_L0C_L1},
        {OP_FIXPIPE, BUF_UB, BUF_L0C, PIPE_FIX, PATH_L0C_UB},
        {OP_MMAD, BUF_L0C, BUF_L0A, PIPE_M, PATH_N},
        {OP_LOAD_2D, BUF_L0A, BUF_UB, PIPE_MTE1, PATH_N},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct insn in = make(rows[i].op, DTYPE_HALF, at(rows[i].dst, 0), at(rows[i].src, 0));
        assert_int_equal(in.pipe, rows[i].pipe);
        assert_int_equal(insn_path(&in), rows[i].path);
    }
}

static void test_names(void **state)
{
    (void)state;
    struct insn_name n;
    for (int op = 0; op < OP_N; op++) {
        assert_true(insn_name_find(op_name((enum op)op), 2201, &n));
        assert_true(n.op == (enum op)op && !n.c_api);
    }
    assert_true(insn_name_find("asc_copy_l12l0a_trans", 2201, &n) && n.op == OP_LOAD_TRANSPOSE && n.c_api);
    assert_true(insn_name_find("asc_copy_l12l0b_trans_sync", 3510, &n) && n.op == OP_LOAD_TRANSPOSE_V2 && n.c_api);
    assert_string_equal(insn_argument(&n, "index_id")->name, "startIndex");
    assert_string_equal(insn_argument(&n, "src_frac_gap")->name, "srcFracGap");
    assert_string_equal(insn_argument(&n, "enable_addr_decrement")->name, "addrMode");
    assert_null(insn_argument(&n, "nonsense"));
    assert_false(insn_name_find("asc_copy_l12l0a_trans_async", 2201, &n));
    assert_false(insn_name_find("load", 2201, &n));
    assert_true(insn_name_find("load_data_2d", 2201, &n));
    assert_null(insn_argument(&n, "index_id"));
    static const struct {
        const char *name;
        enum buffer buf;
    } names[] = {{"A1", BUF_L1},   {"B1", BUF_L1},         {"C1", BUF_L1}, {"A2", BUF_L0A}, {"B2", BUF_L0B},
                 {"CO1", BUF_L0C}, {"C2", BUF_BT},         {"L1", BUF_L1}, {"UB", BUF_UB},  {"C2PIPE2GM", BUF_FB},
                 {"GM", BUF_GM},   {"L0B_MX", BUF_L0B_MX}, {"L0D", BUF_N}, {"", BUF_N},     {"a1", BUF_N}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(buffer_from_name(names[i].name), names[i].buf);
    }
    for (int q = 0; q < QUANT_N; q++) {
        assert_int_equal(quant_mode_from_name(quant_mode_name((enum quant_mode)q)), q);
    }
    assert_int_equal(quant_mode_from_name("x"), QUANT_N);
    assert_true(quant_mode_is_vector(QUANT_VREQ8) && !quant_mode_is_vector(QUANT_REQ8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables), cmocka_unit_test(test_values),          cmocka_unit_test(test_parse),
        cmocka_unit_test(test_lines),  cmocka_unit_test(test_pipes_and_paths), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
