/* target_load_test.c - the stock targets are complete, and say what the
 * published tables say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "target/target.h"

struct fixture {
    struct arena arena;
    struct diag diag;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return -1;
    }
    arena_init(&f->arena);
    diag_init(&f->diag);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    arena_fini(&f->arena);
    diag_fini(&f->diag);
    free(f);
    return 0;
}

static const struct target *load(struct fixture *f, const char *name)
{
    const struct target *t = NULL;
    const enum status status = target_load(name, NULL, &f->arena, &t, &f->diag);
    if (status != STATUS_OK) {
        struct strbuf text;
        strbuf_init(&text);
        diag_render(&f->diag, &text);
        fail_msg("%s: %s", name, strbuf_cstr(&text));
    }
    return t;
}

static void test_910b1(void **state)
{
    const struct target *t = load(*state, "ascend910b1");
    assert_string_equal(t->name, "ascend910b1");
    assert_string_equal(t->family, "ascend910b1 < family_2201 < family_core_a2 < family_common");
    assert_int_equal(t->product, PRODUCT_ASCEND910B);
    assert_int_equal(t->arch, 2201);
    assert_int_equal(t->cores, 24);
    assert_true(t->ghz == 1.85);
    assert_true(t->l2_bytes == 192.0 * 1024 * 1024);
    assert_int_equal(t->physical[BUF_L1], 512 * 1024);
    assert_int_equal(t->physical[BUF_L0C], 128 * 1024);
    assert_true(t->physical[BUF_GM] == INT64_MAX);
    assert_int_equal(t->reserve_mix[BUF_L1], 256);
    assert_true(t->rate[DTYPE_HALF] == 4096);
    assert_true(t->rate[DTYPE_FP8_E4M3] == 0);
    assert_true(t->timing.load_issue == 23.5);
    assert_true(t->timing.load_calls_ref[0] == 1 && t->timing.load_calls_ref[1] == 4);
    assert_true(t->timing.align_weight[3] == 0.75);
    assert_true(t->timing.hbm_nd == 1.383);
    assert_true(t->l0c_to_gm && !t->l0a_nz);
    const struct target_fact *fact = target_fact(t, "timing.mmad_latency");
    assert_non_null(fact);
    assert_true(fact->value == 61 && fact->confidence == CONFIDENCE_MEASURED);
    assert_string_equal(fact->rows, "R001,R002");
    assert_string_equal(fact->unit, "cycles");
    assert_string_equal(fact->file, "configs/targets/family_core_a2.yaml");
    assert_true(fact->line > 0);
}

/* The platform table as published (hicann/runtime platform_config): every chip
 * of the supported architectures. 0 = not in the table. */
static const struct chip {
    const char *name;
    enum product product;
    int arch, cores, mhz;
    double l2_mib;
    int l1_kib, l0_kib, l0c_kib, ub_kib, bt;
    double memory_gib;
    int hbm_rate; /* B/cycle and core */
} chips[] = {
    {"ascend310b1", PRODUCT_ASCEND310B, 3002, 1, 1224, 4, 1024, 64, 128, 248, 1024, 32, 17},
    {"ascend310b2", PRODUCT_ASCEND310B, 3002, 1, 1224, 4, 1024, 64, 128, 248, 1024, 0, 17},
    {"ascend310b3", PRODUCT_ASCEND310B, 3002, 1, 1224, 4, 1024, 64, 128, 248, 1024, 0, 17},
    {"ascend310b4", PRODUCT_ASCEND310B, 3002, 1, 500, 4, 1024, 64, 128, 248, 1024, 0, 8},
    {"ascend310p1", PRODUCT_ASCEND310P, 2002, 10, 1060, 16, 1024, 64, 256, 256, 0, 22.4, 17},
    {"ascend310p3", PRODUCT_ASCEND310P, 2002, 8, 1060, 16, 1024, 64, 256, 256, 0, 22.4, 17},
    {"ascend310p5", PRODUCT_ASCEND310P, 2002, 8, 800, 16, 1024, 64, 256, 256, 0, 22.4, 17},
    {"ascend310p7", PRODUCT_ASCEND310P, 2002, 8, 550, 16, 1024, 64, 256, 256, 0, 22.4, 17},
    {"ascend350_354f", PRODUCT_ASCEND950, 3510, 14, 1650, 56, 512, 64, 256, 248, 4096, 56, 27},
    {"ascend350_355e", PRODUCT_ASCEND950, 3510, 16, 1650, 64, 512, 64, 256, 248, 4096, 64, 31},
    {"ascend910_9362", PRODUCT_ATLAS_A3, 2201, 20, 1500, 168, 512, 64, 128, 192, 1024, 64, 32},
    {"ascend910_9363", PRODUCT_ATLAS_A3, 2201, 20, 1500, 168, 512, 64, 128, 192, 1024, 32, 32},
    {"ascend910_9372", PRODUCT_ATLAS_A3, 2201, 20, 1800, 192, 512, 64, 128, 192, 1024, 64, 32},
    {"ascend910_9381", PRODUCT_ATLAS_A3, 2201, 24, 1800, 192, 512, 64, 128, 192, 1024, 64, 32},
    {"ascend910_9382", PRODUCT_ATLAS_A3, 2201, 24, 1800, 192, 512, 64, 128, 192, 1024, 64, 32},
    {"ascend910_9391", PRODUCT_ATLAS_A3, 2201, 24, 1850, 192, 512, 64, 128, 192, 1024, 64, 32},
    {"ascend910_9392", PRODUCT_ATLAS_A3, 2201, 24, 1850, 192, 512, 64, 128, 192, 1024, 64, 32},
    {"ascend910a", PRODUCT_ASCEND910, 1001, 32, 1000, 32, 1024, 64, 256, 256, 0, 0, 32},
    {"ascend910b1", PRODUCT_ASCEND910B, 2201, 24, 1850, 192, 512, 64, 128, 192, 1024, 64, 32},
    {"ascend910b2", PRODUCT_ASCEND910B, 2201, 24, 1800, 192, 512, 64, 128, 192, 1024, 64, 32},
    {"ascend910b2c", PRODUCT_ASCEND910B, 2201, 24, 1800, 192, 512, 64, 128, 192, 1024, 0, 32},
    {"ascend910b3", PRODUCT_ASCEND910B, 2201, 20, 1800, 192, 512, 64, 128, 192, 1024, 64, 32},
    {"ascend910b4", PRODUCT_ASCEND910B, 2201, 20, 1500, 96, 512, 64, 128, 192, 1024, 32, 32},
    {"ascend910b4_1", PRODUCT_ASCEND910B, 2201, 20, 1500, 168, 512, 64, 128, 192, 1024, 32, 32},
    {"ascend910b_first", PRODUCT_ASCEND910, 1001, 30, 900, 32, 1024, 64, 256, 256, 0, 0, 32},
    {"ascend910c", PRODUCT_ATLAS_A3, 2201, 24, 1850, 192, 512, 64, 128, 192, 1024, 64, 32},
    {"ascend910premiuma", PRODUCT_ASCEND910, 1001, 32, 1220, 32, 1024, 64, 256, 256, 0, 0, 32},
    {"ascend910proa", PRODUCT_ASCEND910, 1001, 32, 1100, 32, 1024, 64, 256, 256, 0, 0, 32},
    {"ascend910prob", PRODUCT_ASCEND910, 1001, 30, 1150, 32, 1024, 64, 256, 256, 0, 0, 32},
    {"ascend950dt_950x", PRODUCT_ASCEND950, 3510, 8, 1650, 32, 512, 64, 256, 248, 4096, 24, 19},
    {"ascend950dt_950y", PRODUCT_ASCEND950, 3510, 8, 1650, 32, 512, 64, 256, 248, 4096, 16, 14},
    {"ascend950dt_9571", PRODUCT_ASCEND950, 3510, 28, 1650, 128, 512, 64, 256, 248, 4096, 144, 80},
    {"ascend950dt_9572", PRODUCT_ASCEND950, 3510, 28, 1650, 128, 512, 64, 256, 248, 4096, 96, 80},
    {"ascend950dt_9573", PRODUCT_ASCEND950, 3510, 28, 1650, 112, 512, 64, 256, 248, 4096, 126, 70},
    {"ascend950dt_9574", PRODUCT_ASCEND950, 3510, 28, 1650, 112, 512, 64, 256, 248, 4096, 84, 70},
    {"ascend950dt_9575", PRODUCT_ASCEND950, 3510, 28, 1650, 128, 512, 64, 256, 248, 4096, 96, 61},
    {"ascend950dt_9576", PRODUCT_ASCEND950, 3510, 28, 1650, 128, 512, 64, 256, 248, 4096, 64, 61},
    {"ascend950dt_9577", PRODUCT_ASCEND950, 3510, 28, 1650, 112, 512, 64, 256, 248, 4096, 84, 54},
    {"ascend950dt_9578", PRODUCT_ASCEND950, 3510, 28, 1650, 112, 512, 64, 256, 248, 4096, 56, 54},
    {"ascend950dt_9581", PRODUCT_ASCEND950, 3510, 32, 1650, 128, 512, 64, 256, 248, 4096, 144, 80},
    {"ascend950dt_9581x", PRODUCT_ASCEND950, 3510, 32, 1650, 128, 512, 64, 256, 248, 4096, 144, 80},
    {"ascend950dt_9582", PRODUCT_ASCEND950, 3510, 32, 1650, 128, 512, 64, 256, 248, 4096, 96, 80},
    {"ascend950dt_9582x", PRODUCT_ASCEND950, 3510, 32, 1650, 128, 512, 64, 256, 248, 4096, 96, 80},
    {"ascend950dt_9583", PRODUCT_ASCEND950, 3510, 32, 1650, 112, 512, 64, 256, 248, 4096, 126, 70},
    {"ascend950dt_9584", PRODUCT_ASCEND950, 3510, 32, 1650, 112, 512, 64, 256, 248, 4096, 84, 70},
    {"ascend950dt_9585", PRODUCT_ASCEND950, 3510, 32, 1650, 128, 512, 64, 256, 248, 4096, 96, 61},
    {"ascend950dt_9586", PRODUCT_ASCEND950, 3510, 32, 1650, 128, 512, 64, 256, 248, 4096, 64, 61},
    {"ascend950dt_9587", PRODUCT_ASCEND950, 3510, 32, 1650, 112, 512, 64, 256, 248, 4096, 84, 54},
    {"ascend950dt_9588", PRODUCT_ASCEND950, 3510, 32, 1650, 112, 512, 64, 256, 248, 4096, 56, 54},
    {"ascend950dt_9591", PRODUCT_ASCEND950, 3510, 36, 1800, 128, 512, 64, 256, 248, 4096, 144, 80},
    {"ascend950dt_9592", PRODUCT_ASCEND950, 3510, 36, 1800, 128, 512, 64, 256, 248, 4096, 96, 80},
    {"ascend950dt_9595", PRODUCT_ASCEND950, 3510, 36, 1800, 128, 512, 64, 256, 248, 4096, 96, 61},
    {"ascend950dt_9596", PRODUCT_ASCEND950, 3510, 36, 1800, 128, 512, 64, 256, 248, 4096, 64, 61},
    {"ascend950dt_95a1", PRODUCT_ASCEND950, 3510, 36, 1800, 128, 512, 64, 256, 248, 4096, 144, 80},
    {"ascend950dt_95a2", PRODUCT_ASCEND950, 3510, 36, 1800, 128, 512, 64, 256, 248, 4096, 96, 80},
    {"ascend950pr_950z", PRODUCT_ASCEND950, 3510, 4, 1650, 16, 512, 64, 256, 248, 4096, 24, 4},
    {"ascend950pr_9579", PRODUCT_ASCEND950, 3510, 28, 1650, 128, 512, 64, 256, 248, 4096, 128, 31},
    {"ascend950pr_957b", PRODUCT_ASCEND950, 3510, 28, 1650, 112, 512, 64, 256, 248, 4096, 112, 27},
    {"ascend950pr_957bx", PRODUCT_ASCEND950, 3510, 28, 1650, 112, 512, 64, 256, 248, 4096, 112, 27},
    {"ascend950pr_957c", PRODUCT_ASCEND950, 3510, 28, 1650, 112, 512, 64, 256, 248, 4096, 84, 27},
    {"ascend950pr_957d", PRODUCT_ASCEND950, 3510, 28, 1650, 96, 512, 64, 256, 248, 4096, 96, 23},
    {"ascend950pr_9589", PRODUCT_ASCEND950, 3510, 32, 1650, 128, 512, 64, 256, 248, 4096, 128, 31},
    {"ascend950pr_958b", PRODUCT_ASCEND950, 3510, 32, 1650, 112, 512, 64, 256, 248, 4096, 112, 27},
    {"ascend950pr_9599", PRODUCT_ASCEND950, 3510, 36, 1800, 128, 512, 64, 256, 248, 4096, 128, 31},
    {"kirin_9030", PRODUCT_KIRIN_9030, 3113, 1, 0, 0, 512, 32, 64, 128, 1024, 0, 0},
    {"kirin_x90", PRODUCT_KIRIN_X90, 3003, 1, 0, 0, 1024, 64, 128, 128, 1024, 0, 0},
};

#define CHIP_COUNT (sizeof chips / sizeof chips[0])

static bool near(double a, double b, double share)
{
    return fabs(a - b) <= share * fabs(b);
}

static void check_chip(const struct target *t, const struct chip *chip)
{
    assert_int_equal(t->product, chip->product);
    assert_int_equal(t->arch, chip->arch);
    assert_int_equal(t->cores, chip->cores);
    assert_int_equal(t->physical[BUF_L1], chip->l1_kib * 1024);
    assert_int_equal(t->physical[BUF_L0A], chip->l0_kib * 1024);
    assert_int_equal(t->physical[BUF_L0B], chip->l0_kib * 1024);
    assert_int_equal(t->physical[BUF_L0C], chip->l0c_kib * 1024);
    assert_int_equal(t->physical[BUF_UB], chip->ub_kib * 1024);
    assert_int_equal(t->physical[BUF_BT], chip->bt);
    assert_int_equal(t->l0a_nz, chip->arch == 3510);
    assert_int_equal(t->physical[BUF_L0A_MX], chip->arch == 3510 ? 4096 : 0);
    if (chip->mhz > 0) {
        assert_true(near(t->ghz, chip->mhz / 1000.0, 1e-12));
        assert_true(t->l2_bytes == chip->l2_mib * 1024 * 1024);
    }
    if (chip->memory_gib > 0) {
        assert_true(t->memory_gib == chip->memory_gib);
    }
    if (chip->hbm_rate > 0 && target_fact(t, "timing.hbm_nd")->confidence != CONFIDENCE_MEASURED) {
        assert_true(near(t->timing.hbm_nd, 0.98 * chip->hbm_rate * t->cores * t->ghz / 1000, 0.01));
    }
}

static void every_chip_is_as_published(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < CHIP_COUNT; i++) {
        check_chip(load(f, chips[i].name), &chips[i]);
        arena_reset(&f->arena);
    }
}

static void names_are_the_chips_sorted(void **state)
{
    struct fixture *f = *state;
    const char *const *names = target_names(&f->arena);
    for (size_t i = 0; i < CHIP_COUNT; i++) {
        assert_non_null(names[i]);
        assert_string_equal(names[i], chips[i].name);
    }
    assert_null(names[CHIP_COUNT]);
}

static void every_fact_has_its_origin(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < CHIP_COUNT; i++) {
        const struct target *t = load(f, chips[i].name);
        assert_non_null(t->title);
        assert_true(t->fact_count > 90);
        for (size_t j = 0; j < t->fact_count; j++) {
            const struct target_fact *fact = &t->facts[j];
            assert_true(fact->source[0] != '\0' && fact->unit[0] != '\0' && fact->line > 0);
            assert_true(strncmp(fact->file, "configs/targets/", 16) == 0);
            assert_true(fact->confidence < CONFIDENCE_N);
            assert_true(fact->confidence == CONFIDENCE_ASSUMED || strstr(fact->source, "copied from") == NULL);
            for (const char *p = fact->rows; *p != '\0'; p += p[4] == ',' ? 5 : 4) {
                assert_true(p[0] == 'R' && strspn(p + 1, "0123456789") == 3);
            }
        }
        arena_reset(&f->arena);
    }
}

/* Like operators and lengths share an error; where no run is like, the widest stands. */
static void errors_by_operator_and_length(void **state)
{
    struct fixture *f = *state;
    const struct target *t = load(f, "ascend910b1");
    const char *key = NULL;
    assert_true(target_error(t, false, 9.99, &key) == t->validated_error);
    assert_string_equal(key, "chip.validated_error");
    assert_true(target_error(t, false, 10, &key) == t->error_short[0]);
    assert_string_equal(key, "chip.error_matmul_short");
    assert_string_equal(target_fact(t, key)->rows, "R115,R116,R117,R118,R155,R157");
    (void)target_error(t, false, 50, &key);
    assert_string_equal(key, "chip.error_matmul_long");
    (void)target_error(t, true, 49.9, &key);
    assert_string_equal(key, "chip.error_conv_short");
    t = load(f, "ascend950pr_9589");
    assert_true(target_error(t, false, 40, &key) > target_error(t, false, 60, NULL));
    assert_true(target_error(t, true, 60, &key) == t->validated_error); /* no conv run */
    assert_string_equal(key, "chip.validated_error");
    assert_true(t->validated_error > t->error_short[0]);
    t = load(f, "ascend310p3");
    assert_true(target_error(t, false, 60, NULL) == t->validated_error); /* no run at all */
}

/* Families whose core nobody measured may not pass on "measured". */
static void borrowed_numbers_are_assumed(void **state)
{
    struct fixture *f = *state;
    const struct target *t = load(f, "ascend310p3");
    assert_int_equal(target_fact(t, "timing.mmad_latency")->confidence, CONFIDENCE_ASSUMED);
    assert_non_null(strstr(target_fact(t, "timing.mmad_latency")->source, "copied"));
    assert_true(t->timing.mmad_latency == 61);
    assert_int_equal(target_trust(t).count[CONFIDENCE_MEASURED], 0);
    assert_int_equal(target_trust(load(f, "ascend910b1")).worst, CONFIDENCE_ASSUMED);
    assert_true(target_trust(load(f, "ascend910b1")).count[CONFIDENCE_MEASURED] > 30);
}

/* The table of timing_model.md, section 9. */
static const struct {
    const char *key;
    double a2, a950;
} model[] = {
    {"cube.rate.half", 4096, 4096},
    {"cube.rate.bf16", 4096, 4096},
    {"cube.rate.int8", 8192, 8192},
    {"cube.rate.fp8_e4m3", -1, 8192},
    {"cube.rate.fp4_e2m1", -1, 16384},
    {"cube.rate.float", 1024, 256},
    {"timing.mmad_latency", 61, 92},
    {"timing.mmad_issue", 3, 3.2},
    {"timing.mmad_barrier", 1, 1},
    {"timing.load_issue", 23.5, 13.5},
    {"timing.load_calls_ref[0]", 1, 1},
    {"timing.load_calls_ref[1]", 4, 1},
    {"timing.load_call", 1, 1},
    {"timing.load_min", 4, 4},
    {"timing.l0a_width", 256, 256},
    {"timing.l0b_width", 128, 256},
    {"timing.mx_width", 0, 32},
    {"timing.l1_contention", 790, 1230},
    {"timing.copy_issue", 20, 34},
    {"timing.copy_latency", 40, 492},
    {"timing.copy_loaded", 34, 92},
    {"timing.row_min", 2.864, 1.53},
    {"timing.row_base", 0.5652, 0.50},
    {"timing.row_width", 120.4, 124.3},
    {"timing.pitch_conflict", 1.182, 1.0},
    {"timing.pitch_conflict_modulus", 16384, 16384},
    {"timing.unaligned", 1.97, 0},
    {"timing.unaligned_row_min", 512, 512},
    {"timing.align_bytes[0]", 512, 512},
    {"timing.align_bytes[1]", 256, 256},
    {"timing.align_bytes[2]", 128, 128},
    {"timing.align_bytes[3]", 32, 32},
    {"timing.align_weight[0]", 0, 0},
    {"timing.align_weight[1]", 0.375, 0.375},
    {"timing.align_weight[2]", 0.6, 0.6},
    {"timing.align_weight[3]", 0.75, 0.75},
    {"timing.align_weight_else", 1, 1},
    {"timing.l2_rate", 2640, 3200},
    {"timing.l2_shared", 0.835, 1.0},
    {"timing.plain_width", 156, 113},
    {"timing.hbm_nd", 1.383, 1.61},
    {"timing.hbm", 1.55, 1.627},
    {"timing.hbm_short_row", 1.30, 1.29},
    {"timing.hbm_short_row_bytes", 256, 256},
    {"timing.hbm_core_share", 0.06973, 0.06},
    {"timing.overlap", 0.1862, 1.0},
    {"timing.overlap_plain", 1.0, 1.0},
    {"timing.write_back", 0.53, 0},
    {"timing.fixpipe_issue", 85, 85},
    {"timing.fixpipe_width", 74, 76.5},
    {"timing.fixpipe_unaligned", 0, 25.5},
    {"timing.sync", 6.5, 8.0},
    {"timing.conv_look_ahead", 3, 3},
    {"timing.l2_hit_low", 0.5, 0.5},
    {"timing.l2_hit_high", 1.25, 1.25},
    {"timing.head_us", 0.5, 0.8},
    {"timing.head_cores_us", 9.5, 0.3},
    {"timing.init_us", 1.5, 1.2},
    {"timing.init_api_us", 2.2, 1.2},
    {"timing.mix_us", 10.56, 0},
    {"timing.tile_barrier", 50, 50},
    {"timing.queue_depth", 0, 0},
    {"timing.bt_width", 32, 32},
    {"timing.bt_latency", 20, 20},
    {"timing.fb_width", 32, 32},
    {"timing.fb_latency", 20, 26},
    {"timing.context_rounding", 1e-3, 1e-3},
};

static void check_number(const struct target *t, const char *key, double value)
{
    const struct target_fact *fact = target_fact(t, key);
    if (value < 0 ? fact != NULL : fact == NULL || fact->value != value) {
        fail_msg("%s: %s is %g, the table says %g", t->name, key, fact != NULL ? fact->value : -1, value);
    }
}

static void model_numbers_are_those_of_the_table(void **state)
{
    struct fixture *f = *state;
    const struct target *a2 = load(f, "ascend910b1");
    const struct target *a950 = load(f, "ascend950pr_9589");
    size_t timing = 0;
    for (size_t i = 0; i < sizeof model / sizeof model[0]; i++) {
        check_number(a2, model[i].key, model[i].a2);
        check_number(a950, model[i].key, model[i].a950);
        timing += strncmp(model[i].key, "timing.", 7) == 0;
    }
    /* none is left out of the comparison */
    assert_int_equal(timing, target_trust(a2).total);
    assert_int_equal(timing, target_trust(a950).total);
}

/* The table of variants (timing_model.md, section 9): agg, hbm_nd, hbm. */
static void variants_are_those_of_the_table(void **state)
{
    static const struct {
        const char *name;
        double l2_rate, hbm_nd, hbm; /* hbm 0: 1.01 * hbm_nd */
    } variants[] = {
        {"ascend910_9391", 2640, 1.383, 1.55},
        {"ascend910_9392", 2640, 1.383, 1.55},
        {"ascend910c", 2640, 1.383, 1.55},
        {"ascend910b2", 2640, 1.383, 1.55},
        {"ascend910_9381", 2640, 1.383, 1.55},
        {"ascend910b3", 2640, 1.383, 1.55},
        {"ascend910_9372", 2640, 1.383, 1.55},
        {"ascend910b4", 2640, 0.94, 1.0},
        {"ascend910b4_1", 2640, 0.94, 1.0},
        {"ascend910_9363", 2640, 0.94, 1.0},
        {"ascend950pr_958b", 3200, 1.397088, 1.41105888},
        {"ascend950pr_9599", 3600, 1.97, 1.99},
        {"ascend950pr_9579", 2800, 1.40, 0},
        {"ascend950pr_957b", 2800, 1.22, 0},
        {"ascend950pr_957c", 2800, 1.22, 0},
        {"ascend950pr_957d", 2800, 1.04, 0},
        {"ascend950dt_9571", 2800, 3.62, 0},
        {"ascend950dt_9581", 3200, 4.14, 0},
        {"ascend950dt_9591", 3600, 5.08, 0},
        {"ascend950dt_95a1", 3600, 5.08, 0},
        {"ascend910a", 3520, 1.00, 1.00},
        {"ascend910proa", 3520, 1.10, 1.10},
        {"ascend910premiuma", 3520, 1.22, 1.22},
        {"ascend910b_first", 3300, 0.85, 0.85},
        {"ascend910prob", 3300, 1.08, 1.08},
        {"ascend310p1", 1140, 0.177, 0.177},
        {"ascend310p3", 912, 0.141, 0.141},
        {"ascend310p5", 912, 0.107, 0.107},
        {"ascend310p7", 912, 0.073, 0.073},
        {"ascend310b1", 256, 0.020, 0.020},
        {"ascend310b4", 256, 0.004, 0.004},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        const struct target *t = load(f, variants[i].name);
        const double hbm = variants[i].hbm > 0 ? variants[i].hbm : 1.01 * variants[i].hbm_nd;
        assert_true(t->timing.l2_rate == variants[i].l2_rate);
        assert_true(near(t->timing.hbm_nd, variants[i].hbm_nd, t->cores == 1 ? 0.025 : 0.005));
        assert_true(near(t->timing.hbm, hbm, t->cores == 1 ? 0.025 : 0.005));
        /* all cores together can draw the whole of HBM */
        assert_true(t->timing.hbm_core_share * t->cores >= 1);
        arena_reset(&f->arena);
    }
}

static void dtype_keys_are_dtype_names(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"ascend910b1", "ascend950pr_9589", "ascend310p1", "kirin_x90"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct target *t = load(f, names[i]);
        for (int dtype = DTYPE_NONE + 1; dtype < DTYPE_N; dtype++) {
            char key[64];
            (void)snprintf(key, sizeof key, "cube.rate.%s", dtype_info((enum dtype)dtype)->name);
            const struct target_fact *fact = target_fact(t, key);
            assert_true((fact != NULL ? fact->value : 0) == t->rate[dtype]);
        }
    }
}

static void fingerprint_follows_the_numbers(void **state)
{
    struct fixture *f = *state;
    assert_true(load(f, "ascend910b1")->fingerprint == load(f, "ascend910b1")->fingerprint);
    assert_true(load(f, "ascend910b1")->fingerprint != load(f, "ascend910b3")->fingerprint);
    assert_true(load(f, "ascend950dt_9571")->fingerprint != load(f, "ascend950dt_9573")->fingerprint);
}

static void names_of_words_go_both_ways(void **state)
{
    (void)state;
    for (int i = 0; i < PRODUCT_N; i++) {
        assert_int_equal(product_from_name(product_name((enum product)i)), i);
    }
    assert_int_equal(product_from_name("ascend"), PRODUCT_N);
    for (int i = 0; i < CONFIDENCE_N; i++) {
        assert_int_equal(confidence_from_name(confidence_name((enum confidence)i)), i);
    }
    assert_int_equal(confidence_from_name(""), CONFIDENCE_N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_910b1, setup, teardown),
        cmocka_unit_test_setup_teardown(every_chip_is_as_published, setup, teardown),
        cmocka_unit_test_setup_teardown(names_are_the_chips_sorted, setup, teardown),
        cmocka_unit_test_setup_teardown(every_fact_has_its_origin, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_by_operator_and_length, setup, teardown),
        cmocka_unit_test_setup_teardown(borrowed_numbers_are_assumed, setup, teardown),
        cmocka_unit_test_setup_teardown(model_numbers_are_those_of_the_table, setup, teardown),
        cmocka_unit_test_setup_teardown(variants_are_those_of_the_table, setup, teardown),
        cmocka_unit_test_setup_teardown(dtype_keys_are_dtype_names, setup, teardown),
        cmocka_unit_test_setup_teardown(fingerprint_follows_the_numbers, setup, teardown),
        cmocka_unit_test(names_of_words_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
