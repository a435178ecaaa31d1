/* record_text_test.c - the columns of tilings.csv, there and back, and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "record/record_columns.h"
#include "record/record_text.h"
#include "text/yaml_tree.h"
#include "unit/record_fixture.h"

/* Design section 5, word for word; the tiling fields come in table order. */
static void test_header(void **state)
{
    (void)state;
    static const char before[] = "cell,index,name,target,op,M,N,K,variant";
    static const char after[] =
        ",status,reason,task_us,core_mean_us,core_max_us,split_us,mac_us,mte1_us,mte2_us,fixpipe_us,"
        "bound,tflops,peak_share,macs,issued_macs,"
        "gm_read_B,gm_write_B,hbm_B,compulsory_B,halo_B,l1_l0a_B,l1_l0b_B,"
        "l1_used_B,l0a_used_B,l0b_used_B,l0c_used_B,bt_used_B,fb_used_B,"
        "l1_free_B,l0a_free_B,l0b_free_B,l0c_free_B,bt_free_B,fb_free_B,"
        "events_used,verify,verified_elems,confidence,task_mcyc\n";
    struct strbuf want;
    struct strbuf got;
    strbuf_init(&want);
    strbuf_init(&got);
    strbuf_add(&want, before);
    for (int f = 0; f < TF_N; f++) {
        strbuf_addf(&want, ",%s", tiling_field_info(f)->name);
    }
    strbuf_add(&want, after);
    record_csv_header(&got);
    assert_string_equal(strbuf_cstr(&got), strbuf_cstr(&want));
    strbuf_fini(&want);
    strbuf_fini(&got);
}

/* Written, read, written again: the same text; integers come back whole. */
static void test_round_trip(void **state)
{
    (void)state;
    struct fixture f;
    fixture_load(&f, FIXTURE_YAML);
    const struct cell *cell = &f.experiment->cells[0];
    struct strbuf first;
    struct strbuf second;
    strbuf_init(&first);
    strbuf_init(&second);
    record_csv_header(&first);
    record_csv_header(&second);
    for (uint64_t i = 0; i < cell->space.size; i++) {
        const struct record r = fixture_record(cell, i, 7);
        record_csv_row(cell, &r, &first);
    }
    struct csv_table table;
    assert_int_equal(csv_parse("x.csv", first.text, first.len, &f.arena, &table, &f.diag), STATUS_OK);
    assert_int_equal(table.count, cell->space.size);
    size_t feasible = 0;
    for (size_t i = 0; i < table.count; i++) {
        const struct record want = fixture_record(cell, i, 7);
        struct record r;
        assert_int_equal(record_csv_read(&table, i, cell, 1, &r, &f.diag), STATUS_OK);
        assert_int_equal(r.index, i);
        assert_int_equal(r.why.reason, want.why.reason);
        assert_memory_equal(&r.t, &want.t, sizeof(r.t));
        if (want.why.reason == REASON_NONE) {
            assert_int_equal(r.task, want.task);
            assert_int_equal(r.hbm, want.hbm);
            assert_int_equal(r.verified, want.verified);
            assert_int_equal(r.verified_elems, want.verified_elems);
            assert_int_equal(r.usable[BUF_L0C], want.usable[BUF_L0C]);
            assert_int_equal(r.macs, want.macs);
            assert_int_equal(r.issued, want.issued);
            assert_int_equal(r.halo, want.halo);
            record_csv_row(cell, &r, &second);
            feasible++;
        } else {
            record_csv_row(cell, &want, &second);
        }
    }
    assert_true(feasible > 5);
    assert_string_equal(strbuf_cstr(&first), strbuf_cstr(&second));
    strbuf_fini(&first);
    strbuf_fini(&second);
    fixture_fini(&f);
}

/* A value that is none is reported with its place. */
static void test_bad_values(void **state)
{
    (void)state;
    static const struct {
        const char *column, *value;
    } bad[] = {{"task_mcyc", "12x"}, {"cell", "1"},         {"cell", ""},          {"index", "-1"},
               {"bound", "MTE9"},    {"verify", "yes"},     {"reason", "because"}, {"task_us", "nan"},
               {"baseM", "wide"},    {"confidence", "high"}};
    struct fixture f;
    fixture_load(&f, FIXTURE_YAML);
    const struct cell *cell = &f.experiment->cells[0];
    const struct record r = fixture_record(cell, 0, 1);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct strbuf text;
        struct csv_table table;
        struct record out;
        struct diag d;
        diag_init(&d);
        strbuf_init(&text);
        record_csv_header(&text);
        record_csv_row(cell, &r, &text);
        assert_int_equal(csv_parse("x.csv", text.text, text.len, &f.arena, &table, &d), STATUS_OK);
        table.rows[0].fields[csv_column(&table, bad[i].column)] = bad[i].value;
        assert_int_equal(record_csv_read(&table, 0, cell, 1, &out, &d), STATUS_INVALID);
        assert_int_equal(d.count, 1);
        assert_int_equal(d.messages[0].line, 2);
        assert_non_null(strstr(d.messages[0].text, bad[i].value));
        strbuf_fini(&text);
        diag_fini(&d);
    }
    fixture_fini(&f);
}

static void test_json(void **state)
{
    (void)state;
    struct fixture f;
    fixture_load(&f, FIXTURE_YAML);
    const struct cell *cell = &f.experiment->cells[0];
    for (uint64_t i = 0; i < cell->space.size; i++) {
        const struct record r = fixture_record(cell, i, 3);
        struct strbuf text;
        struct yaml_node *root = NULL;
        strbuf_init(&text);
        record_json(cell, &r, &text);
        assert_int_equal(yaml_tree_parse("r.json", text.text, text.len, &f.arena, &root, &f.diag), STATUS_OK);
        assert_int_equal(root->count, record_column_count());
        int64_t task = 0;
        if (r.why.reason == REASON_NONE) {
            assert_int_equal(yaml_read_int(yaml_get(root, "task_mcyc"), "t", 0, INT64_MAX, &task, &f.diag), STATUS_OK);
            assert_int_equal(task, r.task);
        } else {
            assert_string_equal(yaml_get(root, "task_mcyc")->scalar, "null");
        }
        assert_string_equal(yaml_get(root, "target")->scalar, "ascend910b1");
        strbuf_fini(&text);
    }
    fixture_fini(&f);
}

/* 2 M N K / t, against numbers worked out by hand. */
static void test_derived(void **state)
{
    (void)state;
    struct fixture f;
    fixture_load(&f, FIXTURE_YAML);
    const struct cell *cell = &f.experiment->cells[0];
    struct record r = fixture_record(cell, 0, 1);
    r.task = 18500000; /* 18,500 cycles at 1.85 GHz: 10 us */
    assert_true(record_tflops(cell, &r) > 26.84354 && record_tflops(cell, &r) < 26.84355);
    /* 24 cores x 4096 MAC x 2 x 1.85 GHz */
    assert_true(record_peak_tflops(cell) > 363.724 && record_peak_tflops(cell) < 363.726);
    assert_true(record_peak_share(cell, &r) > 0.0738 && record_peak_share(cell, &r) < 0.0739);
    fixture_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header), cmocka_unit_test(test_round_trip), cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_json),   cmocka_unit_test(test_derived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
