/* target_support_test.c - the support matrix equals the documents' table
 * (semantics.md, section 3), typed here a second time in the table's own words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/support.h"

/* The table's words. "b16" of the transposes leaves out the 16-bit integers. */
#define D(name) (1U << DTYPE_##name)
#define INT4B   D(INT4)
#define FP4     (D(FP4_E2M1) | D(FP4_E1M2))
#define B4      (INT4B | FP4)
#define B8      (D(INT8) | D(UINT8))
#define FP8     (D(FP8_E4M3) | D(FP8_E5M2))
#define HIF8    D(HIF8)
#define HALF    D(HALF)
#define F16     (D(HALF) | D(BF16))
#define I16     (D(INT16) | D(UINT16))
#define B16     (F16 | I16)
#define B32     (D(FLOAT) | D(INT32) | D(UINT32))
#define NO      0U

#define GM_L0 PATH_GM_L0A, PATH_GM_L0B
#define L1_L0 PATH_L1_L0A, PATH_L1_L0B
#define END   PATH_N

static const struct {
    const char *line;
    enum op op;
    bool c_api;
    enum path paths[3];
    uint32_t a950, a3_910b, a310b, a310p, a910, x90, k9030;
} table[] = {
    {"2D GM->L1",
     OP_LOAD_2D,
     false,
     {PATH_GM_L1, END},
     B8 | B16 | B32,
     B8 | B16 | B32,
     B8 | B16 | B32,
     B8 | I16 | HALF,
     B8 | I16 | HALF,
     D(INT8) | HALF,
     HALF},
    {"2D GM->L0A/L0B",
     OP_LOAD_2D,
     false,
     {GM_L0, END},
     NO,
     B8 | B16 | B32,
     B8 | B16 | B32,
     B8 | I16 | HALF,
     B8 | I16 | HALF,
     D(INT8) | HALF,
     HALF},
    {"2D L1->L0A/L0B",
     OP_LOAD_2D,
     false,
     {L1_L0, END},
     B8 | B16 | B32,
     INT4B | B8 | B16 | B32,
     B8 | B16 | B32,
     B8 | I16 | HALF | INT4B,
     B8 | I16 | HALF,
     D(INT8) | HALF,
     HALF},
    {"2D V2", OP_LOAD_2D_V2, false, {PATH_GM_L1, L1_L0}, B8 | FP4 | FP8 | HIF8 | F16 | B32, NO, NO, NO, NO, NO, NO},
    {"WithTranspose L1->L0A",
     OP_LOAD_TRANSPOSE,
     false,
     {PATH_L1_L0A, END},
     NO,
     B8 | F16 | B32,
     B8 | F16 | B32,
     NO,
     NO,
     D(INT8) | HALF,
     NO},
    {"WithTranspose L1->L0B",
     OP_LOAD_TRANSPOSE,
     false,
     {PATH_L1_L0B, END},
     B8 | F16 | B32,
     INT4B | B8 | F16 | B32,
     INT4B | B8 | F16 | B32,
     NO,
     NO,
     D(INT8) | HALF,
     NO},
    {"WithTranspose V2 L1->L0B",
     OP_LOAD_TRANSPOSE_V2,
     false,
     {PATH_L1_L0B, END},
     B8 | F16 | B32,
     NO,
     NO,
     NO,
     NO,
     NO,
     NO},
    {"C trans l12l0b 950",
     OP_LOAD_TRANSPOSE_V2,
     true,
     {PATH_L1_L0B, END},
     B4 | B8 | FP8 | HIF8 | F16 | B32,
     NO,
     NO,
     NO,
     NO,
     NO,
     NO},
    {"C trans l12l0a, l12l0b", OP_LOAD_TRANSPOSE, true, {L1_L0, END}, NO, B8 | F16 | B32, NO, NO, NO, NO, NO},
    {"MX L1->L0A/B", OP_LOAD_MX, false, {L1_L0, END}, FP4 | FP8, NO, NO, NO, NO, NO, NO},
    {"3D V2 L1->L0A",
     OP_LOAD_3D,
     false,
     {PATH_L1_L0A, END},
     B8 | FP8 | HIF8 | F16 | B32,
     INT4B | B8 | F16 | B32,
     INT4B | B8 | F16 | B32,
     INT4B | B8 | HALF,
     NO,
     D(INT8) | HALF,
     NO},
    {"3D V2 L1->L0B",
     OP_LOAD_3D,
     false,
     {PATH_L1_L0B, END},
     B8 | FP8 | HIF8 | F16 | B32,
     F16 | B32,
     F16 | B32,
     INT4B | B8 | HALF,
     NO,
     D(INT8) | HALF,
     NO},
    {"WithStride L0A",
     OP_LOAD_3D_STRIDE,
     false,
     {PATH_L1_L0A, END},
     B8 | FP8 | HIF8 | F16 | B32,
     NO,
     NO,
     NO,
     NO,
     NO,
     NO},
    {"WithStride L0B", OP_LOAD_3D_STRIDE, false, {PATH_L1_L0B, END}, F16 | B32, NO, NO, NO, NO, NO, NO},
};

#define TABLE_ROWS (sizeof table / sizeof table[0])

static uint32_t cell(size_t row, enum product product)
{
    switch (product) {
    case PRODUCT_ASCEND950:
        return table[row].a950;
    case PRODUCT_ATLAS_A3:
    case PRODUCT_ASCEND910B:
        return table[row].a3_910b;
    case PRODUCT_ASCEND310B:
        return table[row].a310b;
    case PRODUCT_ASCEND310P:
        return table[row].a310p;
    case PRODUCT_ASCEND910:
        return table[row].a910;
    case PRODUCT_KIRIN_X90:
        return table[row].x90;
    case PRODUCT_KIRIN_9030:
        return table[row].k9030;
    case PRODUCT_N:
        break;
    }
    return NO;
}

/* What the table says of (op, c_api, path, product), over all its lines. */
static uint32_t expected(enum op op, bool c_api, enum product product, enum path path)
{
    for (size_t i = 0; i < TABLE_ROWS; i++) {
        for (size_t j = 0; j < 3 && table[i].op == op && table[i].c_api == c_api; j++) {
            if (table[i].paths[j] == END) {
                break;
            }
            if (table[i].paths[j] == path) {
                return cell(i, product);
            }
        }
    }
    return NO;
}

static void loads_equal_the_documents_table(void **state)
{
    (void)state;
    for (int op = OP_LOAD_2D; op <= OP_LOAD_3D_STRIDE; op++) {
        for (int row = 0; row < 2 * PRODUCT_N * PATH_N; row++) {
            const bool c_api = row % 2 != 0;
            const enum product product = (enum product)(row / 2 % PRODUCT_N);
            const enum path path = (enum path)(row / 2 / PRODUCT_N);
            const uint32_t want = expected((enum op)op, c_api, product, path);
            const uint32_t have = support_dtypes((enum op)op, c_api, product, path);
            if (have != want) {
                fail_msg("%s%s %s %s: dtypes %#x, the table says %#x", op_name((enum op)op), c_api ? " (C API)" : "",
                         path_name(path), product_name(product), have, want);
            }
        }
    }
}

/* A dtype the product's Mmad takes has a rate on each of its chips, and no other. */
static void cube_rates_agree_with_mmad(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const char *const *names = target_names(&arena);
    size_t count;
    const struct mmad_triple *triples = mmad_triples(&count);
    for (size_t i = 0; names[i] != NULL; i++) {
        const struct target *t;
        assert_int_equal(target_load(names[i], NULL, &arena, &t, NULL), STATUS_OK);
        uint32_t left = 0;
        for (size_t j = 0; j < count; j++) {
            left |= (triples[j].products >> t->product & 1U) != 0 ? 1U << triples[j].a : 0;
        }
        for (int dtype = 0; dtype < DTYPE_N; dtype++) {
            if ((t->rate[dtype] > 0) != (left >> dtype & 1U)) {
                fail_msg("%s: %s has rate %g", t->name, dtype_info((enum dtype)dtype)->name, t->rate[dtype]);
            }
        }
    }
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_equal_the_documents_table),
        cmocka_unit_test(cube_rates_agree_with_mmad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
