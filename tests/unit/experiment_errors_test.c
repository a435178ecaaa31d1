/* Bad input: text -> place and words of every message, all of one run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "experiment/experiment.h"

enum { EXPECT_MAX = 8 };

/* "line:col fragment"; the fragment may stand in text, hint or rule. */
struct bad {
    const char *text;
    const char *expect[EXPECT_MAX];
};

#define TARGET  "target: ascend910b1\n"            /* line 1 */
#define PROBLEM "problem: {M: 64, N: 64, K: 64}\n" /* line 2 */
#define HEAD    TARGET PROBLEM

static bool says(const char *part, const char *fragment)
{
    return part != NULL && strstr(part, fragment) != NULL;
}

static bool found(const struct diag *d, const char *expect)
{
    char *end;
    const unsigned long line = strtoul(expect, &end, 10);
    const unsigned long col = strtoul(end + 1, &end, 10);
    const char *fragment = end + 1;
    for (size_t i = 0; i < d->count; i++) {
        const struct diag_message *m = &d->messages[i];
        if (m->line == line && m->col == col &&
            (says(m->text, fragment) || says(m->hint, fragment) || says(m->rule, fragment))) {
            return true;
        }
    }
    return false;
}

static void show(const struct diag *d)
{
    struct strbuf sb;
    strbuf_init(&sb);
    diag_render(d, &sb);
    print_error("%s", strbuf_cstr(&sb));
    strbuf_fini(&sb);
}

static enum status load_text(const char *text, size_t len, const char *const *sets, struct diag *d)
{
    struct arena arena;
    const struct experiment *e = NULL;
    arena_init(&arena);
    const enum status st = experiment_parse("t.yaml", text, len, sets, &arena, &e, d);
    assert_true((st == STATUS_OK) == (e != NULL));
    arena_fini(&arena);
    return st;
}

static void check_sets(const struct bad *bad, const char *const *sets)
{
    struct diag d;
    diag_init(&d);
    const enum status st = load_text(bad->text, strlen(bad->text), sets, &d);
    size_t want = 0;
    bool good = st != STATUS_OK && status_exit_code(st) == 2;
    for (; want < EXPECT_MAX && bad->expect[want] != NULL; want++) {
        if (!found(&d, bad->expect[want])) {
            print_error("missing: %s\n", bad->expect[want]);
            good = false;
        }
    }
    if (!good || d.errors != want) {
        print_error("%zu errors, %zu expected, status %s, of:\n%s", d.errors, want, status_name(st), bad->text);
        show(&d);
        fail();
    }
    diag_fini(&d);
}

static void check_all(const struct bad *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        check_sets(&list[i], NULL);
    }
}
#define CHECK(list) check_all(list, sizeof(list) / sizeof((list)[0]))

/* Design section 6, as far as it is the file's syntax. */
static void files(void **state)
{
    (void)state;
    static const struct bad list[] = {
        {"", {"1:1 the file is empty"}},
        {HEAD "tiling: {baseM: 16, baseM: 32}\n", {"3:21 duplicate key 'baseM'"}},
        {HEAD "target: ascend910b1\n", {"3:1 duplicate key 'target'"}},
        {HEAD "---\nname: x\n", {"3:1 a second document"}},
        {"a: &x 1\nb: *x\n", {"1:4 anchor '&x'", "2:4 alias '*x'"}},
        {HEAD "tiling: {<<: {baseM: 1}}\n", {"3:10 merge key"}},
        {HEAD "tiling: !!map {}\n", {"3:9 tag"}},
        {HEAD "name: \xff\n", {"3:7 UTF-8"}},
        {HEAD "tiling: {baseM: [16, 32}\n", {"3:24 YAML syntax"}},
        {"- 1\n- 2\n", {"1:1 expected a map, found a list"}},
    };
    CHECK(list);
}

static void caps_of_files(void **state)
{
    (void)state;
    struct diag d;
    char deep[400] = "name: ";
    diag_init(&d);
    memset(deep + 6, '[', 65);
    memset(deep + 71, ']', 65);
    assert_int_equal(load_text(deep, strlen(deep), NULL, &d), STATUS_LIMIT);
    assert_true(found(&d, "1:70 nested deeper than 64"));
    diag_fini(&d);

    const size_t len = LIMIT_YAML_BYTES + 1;
    char *big = malloc(len + 1);
    assert_non_null(big);
    memset(big, '\n', len);
    memcpy(big, HEAD, strlen(HEAD));
    big[len] = '\0';
    diag_init(&d);
    assert_int_equal(load_text(big, len, NULL, &d), STATUS_LIMIT);
    assert_int_equal(d.errors, 1);
    diag_fini(&d);
    diag_init(&d);
    assert_int_equal(load_text(big, len - 1, NULL, &d), STATUS_OK);
    diag_fini(&d);
    free(big);
}

static void root_keys(void **state)
{
    (void)state;
    static const struct bad list[] = {
        {"name: x\n", {"1:1 names no target", "1:1 has no problem"}},
        {HEAD "tilng: {}\n", {"3:1 did you mean 'tiling'?"}},
        {HEAD "name: a/b\n", {"3:7 cannot name a directory"}},
        {HEAD "name: ..\n", {"3:7 cannot name a directory"}},
        {HEAD "verify: fulll\n", {"3:9 did you mean 'full'?"}},
        {HEAD "search: all\n", {"3:9 exhaustive, best, pareto, sample"}},
        {HEAD "objective: bytes\n", {"3:12 time, gm_bytes, l1_bytes"}},
        {HEAD "report: {tpo: 3}\n", {"3:10 did you mean 'top'?"}},
        {HEAD "report: {plots: [heatmp]}\n", {"3:18 did you mean 'heatmap'?"}},
        {HEAD "report: {plots: heatmap}\n", {"3:17 plots is all, none, or a list"}},
        {HEAD "report: 3\n", {"3:9 expected a map"}},
        {HEAD "seed: -1\nkeep: 0\nsample: many\n", {"3:7 outside 0..", "4:7 outside 1..", "5:9 is not an integer"}},
        {PROBLEM "target: ascend910b9\n", {"2:9 ascend910b"}},
        {PROBLEM "target: [ascend910b1, ascend910b1]\n", {"2:23 named twice"}},
        {PROBLEM "target: []\n", {"2:9 expected a name or a list"}},
        {PROBLEM "target: {a: 1}\n", {"2:9 expected a name or a list"}},
        {PROBLEM "target: ./none.yaml\n", {"2:9 there is no file './none.yaml'"}},
    };
    CHECK(list);
}

static void numbers(void **state)
{
    (void)state;
    static const struct bad list[] = {
        {TARGET "problem: {M: 010, N: 1e3, K: 64KB}\n", {"2:14 leading zero", "2:22 exponent", "2:30 has a unit"}},
        {TARGET "problem: {M: 0x10, N: 1_000, K: \"64\"}\n",
         {"2:14 is not decimal", "2:23 digit separators", "2:33 is quoted"}},
        {TARGET "problem: {M: 0, N: -4, K: 2147483648}\n",
         {"2:14 outside 1..2147483647", "2:20 outside 1..2147483647", "2:27 outside 1..2147483647"}},
        {TARGET "problem: {M: 12x, N: 1.5, K: 99999999999999999999}\n",
         {"2:14 after the number", "2:22 not a whole number", "2:30 out of range"}},
        {TARGET "problem: {M: , N: ~, K: true}\n", {"2:11 missing", "2:19 not an integer", "2:25 not an integer"}},
    };
    CHECK(list);
}

static void problems(void **state)
{
    (void)state;
    static const struct bad list[] = {
        {TARGET "problem: {M: 64, k: 64}\n", {"2:18 did you mean 'K'?", "2:1 no N", "2:1 no K"}},
        {TARGET "problem: []\n", {"2:10 the list is empty"}},
        {TARGET "problem: matmul\n", {"2:10 expected a map"}},
        {TARGET "problem:\n  - {M: 64, N: 64, K: 64}\n  - {M: 64, N: 64, L: 64}\n",
         {"4:20 unknown key 'L'", "4:5 no K"}},
        {TARGET "problem: {op: gemm, M: 1, N: 1, K: 1}\n", {"2:15 matmul, conv"}},
        {TARGET "problem: {M: [], N: 1, K: 1}\n", {"2:14 the list is empty"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, A: {dtype: fp16, ld: 8}}\n",
         {"2:43 did you mean 'half'?", "2:10 ld 8"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, A: {ld: 8}}\n", {"2:10 ld 8 is less than its 64 columns"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, A: {align: 48, format: ZN}}\n",
         {"2:43 not a power of two", "2:55 ND, NZ"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, A: {transpose: 1, file: nowhere.bin}}\n",
         {"2:47 write true", "2:56 there is no file 'nowhere.bin'"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, A: {dtype: mx_fp8_e4m3}, B: {dtype: half}}\n",
         {"2:10 scales for both operands or for none"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, A: {dtype: mx_half}}\n", {"2:43 is not an operand type"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, scaleA: {ld: 8}}\n", {"2:10 go with an mx_ dtype"}},
        {TARGET "problem: {M: 8, N: 64, K: 64, groupM: [1, 2], groups: 3}\n",
         {"2:31 both M and groupM", "2:39 groupM has 2 values, groups is 3"}},
        {TARGET "problem: {N: 64, K: 64, groupM: [1, -2]}\n", {"2:37 -2 is outside 0.."}},
        {TARGET "problem: {N: 64, K: 64, groupM: [0, 0]}\n", {"2:10 M is 0"}},
        {TARGET "problem: {M: 8, N: 64, K: 64, groups: 1025}\n", {"2:39 1025 is outside 1..1024"}},
        {TARGET "problem: {M: 8, N: 64, K: 64, groups: 1024, batch: 2}\n", {"2:10 not with a batch"}},
        {TARGET "problem: {shapes: nowhere.csv}\n", {"2:19 there is no file 'nowhere.csv'"}},
        {TARGET "problem: {op: conv, C: 3, H: 8, W: 8, Cout: 4, kh: 9, kw: 3}\n",
         {"2:10 does not fit the padded input 8x8"}},
        {TARGET "problem: {op: conv, C: 3, H: 8, W: 8, Cout: 4, kh: 3}\n", {"2:1 no kw"}},
        {TARGET "problem: {op: conv, C: 3, H: 8, W: 8, Cout: 4, kh: 3, kw: 3, stride: 64, pad: [1, 2, 3]}\n",
         {"2:70 LoadData3DParamsV2", "2:79 [top, bottom, left, right]"}},
        {TARGET "problem: {op: conv, C: 3, H: 8, W: 8, Cout: 4, kh: 3, kw: 3, groups: 2}\n",
         {"2:10 do not divide the channels 3 and 4"}},
    };
    CHECK(list);
}

static void tilings(void **state)
{
    (void)state;
    static const struct bad list[] = {
        {HEAD "tiling: {baseMN: 4}\n", {"3:10 did you mean 'baseM'?"}},
        {HEAD "tiling: 4\n", {"3:9 expected a map"}},
        {HEAD "tiling: {baseM: {from: 64, to: 16, step: 16}}\n", {"3:17 is empty: from 64 is greater than to 16"}},
        {HEAD "tiling: {baseM: {from: 64, to: 16, step: 0}}\n", {"3:42 outside 1.."}},
        {HEAD "tiling: {baseM: {from: 64, step: 16}}\n", {"3:17 needs 'from' and 'to'"}},
        {HEAD "tiling: {baseM: {from: 16, to: 64, stepp: 16}}\n", {"3:36 did you mean 'step'?"}},
        {HEAD "tiling: {singleCoreM: {from: 1, to: 65537, step: 1}}\n", {"3:23 at most 65536 values"}},
        {HEAD "tiling: {baseM: []}\n", {"3:17 the list is empty"}},
        {HEAD "tiling: {baseM: [16, [32]]}\n", {"3:22 a list inside a list"}},
        {HEAD "tiling: {baseM: [16, auto]}\n", {"3:22 auto stands alone"}},
        {HEAD "tiling: {baseM: 4096, dbL0C: 3, scaleFactorKa: 128}\n",
         {"3:17 at most 4095", "3:30 single (1) or double (2)", "3:48 1..127"}},
        {HEAD "tiling: {baseM: 016, baseN: 1e2, baseK: 1KB}\n",
         {"3:17 leading zero", "3:29 exponent", "3:41 has a unit"}},
        {HEAD "tiling: {unitflag: on, isBias: 2}\n", {"3:20 write true", "3:32 outside 0..1"}},
        {HEAD "tiling: {loadA: 3D, kernel: mixed}\n", {"3:17 did you mean '3d'?", "3:29 cube, mix"}},
        {HEAD "tiling: {order: {swizle: {offset: 3}}}\n", {"3:18 did you mean 'swizzle'?"}},
        {HEAD "tiling: {order: {swizzle: {offsett: 3}}}\n", {"3:28 did you mean 'offset'?"}},
        {HEAD "tiling: {order: {linear: {offset: 3}}}\n", {"3:27 unknown key 'offset'"}},
        {HEAD "tiling: {order: {swizzle: {offset: 3}}, orderOffset: 4}\n", {"3:41 given twice"}},
        {HEAD "tiling: {splitK: {part: 3}}\n", {"3:19 did you mean 'parts'?"}},
        {HEAD "tiling: {l2: {resident: [A]}}\n", {"3:25 [A, B] or []"}},
        {HEAD "tiling: {l2: {resident: [A, D]}}\n", {"3:29 A, B"}},
        {HEAD "tiling: {l2: {D: disable}}\n", {"3:15 unknown key 'D'"}},
        {HEAD "tiling: {l2: disable}\n", {"3:14 expected a map"}},
    };
    CHECK(list);
}

static void contradictions_and_conditions(void **state)
{
    (void)state;
    static const struct bad list[] = {
        {HEAD "tiling: {stepKa: 2, stepM: 1, depthA1: 5}\n", {"3:31 contradict"}},
        {HEAD "tiling: {unitflag: 1, dbL0C: 2}\n", {"3:10 contradict"}},
        {HEAD "where: [\"baseM*baseX <= 3\", \"baseM <\", \"(baseM\"]\n",
         {"3:16 baseX", "3:37 ends", "3:47 to close the parenthesis"}},
        {HEAD "where: 'baseM = 3'\n", {"3:15 "}},
        {HEAD "where: {a: b}\n", {"3:8 expected a word"}},
        {HEAD "where: [baseM * 010 > 0]\n", {"3:17 "}},
    };
    CHECK(list);
}

/* Contradictions in some cells only are results, not mistakes. */
static void partial_contradiction_is_a_result(void **state)
{
    (void)state;
    struct diag d;
    diag_init(&d);
    const char *text = HEAD "tiling: {unitflag: 1, dbL0C: [1, 2]}\n";
    assert_int_equal(load_text(text, strlen(text), NULL, &d), STATUS_OK);
    assert_int_equal(d.count, 0);
    diag_fini(&d);
}

static void spaces(void **state)
{
    (void)state;
    static const struct bad list[] = {
        /* 2^16 * 2^16 * 2^16 * 2^15 = 2^63 */
        {HEAD "tiling:\n"
              "  singleCoreM: {from: 1, to: 65536, step: 1}\n"
              "  singleCoreN: {from: 1, to: 65536, step: 1}\n"
              "  singleCoreK: {from: 1, to: 65536, step: 1}\n"
              "  usedCoreNum: {from: 1, to: 32768, step: 1}\n",
         {"3:1 more than 2^62 tilings: usedCoreNum 32768 x singleCoreM 65536"}},
        {TARGET "problem: {M: {from: 1, to: 65536, step: 1}, N: {from: 1, to: 65536, step: 1}, K: {from: 1, to: 65536, "
                "step: 1}}\n",
         {"2:10 too many problems"}},
    };
    CHECK(list);
}

static void variants(void **state)
{
    (void)state;
    static const struct bad list[] = {
        {HEAD "variants: {name: a}\n", {"3:11 expected a list"}},
        {HEAD "variants: [{set: {A.dtype: half}}]\n", {"3:12 has no name"}},
        {HEAD "variants: [{name: a, set: {A.dtyp: half}}]\n", {"3:30 did you mean 'dtype'?"}},
        {HEAD "variants: [{name: a, set: {A.dtype: hlaf}}]\n", {"3:37 did you mean 'half'?"}},
        {HEAD "variants: [{name: a, set: {basem: 16}}]\n", {"3:28 did you mean 'baseM'?"}},
        {HEAD "variants: [{name: a, set: {verify: none}}]\n", {"3:28 a variant cannot set 'verify'"}},
        {HEAD "variants: [{name: a, set: {'problem[1].M': 16}}]\n", {"3:36 there is no item 1"}},
        {HEAD "variants: [{name: a, set: {'A..dtype': half}}]\n", {"3:29 not a path"}},
        {HEAD "variants: [{name: a, set: {M.x: 1}}]\n", {"3:30 single value"}},
        {HEAD "variants: [{name: a, set: {M: 1}}, {name: a, set: {M: 2}}]\n", {"3:36 two variants 'a'"}},
        {HEAD "variants: [{name: base, set: {M: 1}}]\n", {"3:12 two variants 'base'"}},
        {HEAD "variants: [{name: a, set: {M: [1, 2]}}]\n", {"3:12 has 2 problems, the base has 1"}},
        {HEAD "variants: [{name: a, set: 3}]\n", {"3:27 expected a map"}},
        /* the base's mistake is said once, the variant's too */
        {TARGET "problem: {M: 010, N: 64, K: 64}\n"
                "variants: [{name: a, set: {A.dtype: bf16}}, {name: b, set: {N: 1e3}}]\n",
         {"2:14 leading zero", "3:64 exponent"}},
    };
    CHECK(list);
}

static void overrides(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        const char *expect;
    } list[] = {
        {"tiling.baseM", "1:1 not an override"},         {"=3", "1:1 not an override"},
        {"tiling.baseM=", "1:1 not an override"},        {"tiling.baseMM=3", "1:8 did you mean 'baseM'?"},
        {"tilng.baseM=3", "1:1 did you mean 'tiling'?"}, {"tiling.baseM=016", "1:14 leading zero"},
        {"tiling.baseM=[16,", "1:5 YAML syntax"},        {"problem[2].M=3", "1:8 there is no item 2"},
        {"problem.M.x=3", "1:11 single value"},          {"target=ascend910b9", "1:8 ascend910b"},
        {"A.dtype=fp16", "1:9 did you mean 'half'?"},    {"tiling.base M=16", "1:1 not a path"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const struct bad bad = {HEAD, {list[i].expect}};
        const char *const sets[] = {list[i].set, NULL};
        check_sets(&bad, sets);
    }
}

/* Everything wrong at once: every message, in the order of the file. */
static void all_in_one_run(void **state)
{
    (void)state;
    const char *text = "name: ../x\n"
                       "target: ascend910b9\n"
                       "problem: {M: 010, N: 64, K: 64, A: {dtyp: half}}\n"
                       "tiling: {baseM: 1e3, bseN: 4}\n"
                       "where: [\"baseM <\"]\n"
                       "variants: [{nam: x}]\n"
                       "verify: no\n"
                       "extra: 1\n";
    static const char *const expect[] = {"1:7 ../x",      "2:9 ascend", "3:14 leading", "3:37 dtype",
                                         "4:17 exponent", "4:22 baseN", "5:17 ends",    "6:12 no name",
                                         "6:13 name",     "7:9 none",   "8:1 extra"};
    struct diag d;
    diag_init(&d);
    assert_int_equal(load_text(text, strlen(text), NULL, &d), STATUS_INVALID);
    for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
        if (!found(&d, expect[i])) {
            show(&d);
            fail_msg("missing: %s", expect[i]);
        }
    }
    for (size_t i = 1; i < d.count; i++) {
        const struct diag_message *a = &d.messages[i - 1], *b = &d.messages[i];
        assert_true(a->line < b->line || (a->line == b->line && a->col <= b->col));
        assert_non_null(b->source_line);
    }
    diag_fini(&d);
}

/* A mistake in one place hides none in another. */
static void no_mistake_hides_another(void **state)
{
    (void)state;
    static const struct bad list[] = {
        /* Keys that stand twice, anchors, tags; and what the rest says. */
        {HEAD "name: x\nname: y\nverify: no\ntiling: {baseM: 16, baseM: 32, baseN: 5000}\n",
         {"4:1 duplicate key 'name'", "5:9 none", "6:21 duplicate key 'baseM'", "6:39 outside 1..4095"}},
        {HEAD "tiling: &x {<<: {baseK: 1}, baseMM: 1}\nseed: !!int -1\n",
         {"3:9 anchor", "3:13 merge key", "3:29 baseM", "4:7 tag", "4:7 outside 0.."}},
        {HEAD "tiling: {stepKa: 4, depthA1: 3}\nreport: {top: 0}\n", {"3:21 depthA1", "4:15 outside 1.."}},
        /* Operands of one problem. */
        {TARGET "problem: {M: 64, N: 64, K: 64, A: {dtype: hlf}, B: {ld: 3}, C: {ld: 10}}\n",
         {"2:43 half", "2:10 B: ld 3", "2:10 C: ld 10"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, A: {ld: 1}, C: {ld: 1}, scaleA: {align: 32}}\n",
         {"2:10 A: ld 1", "2:10 C: ld 1", "2:10 scaleA and scaleB go with an mx_ dtype"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, C: {dtype: mx_fp8_e4m3}, scaleB: {ld: 2}}\n",
         {"2:10 only A and B carry MX scales", "2:10 scaleA and scaleB go with"}},
        {TARGET "problem: {shapes: none.csv, A: {dtype: hlf}}\n", {"2:19 there is no file", "2:40 half"}},
    };
    CHECK(list);
}

/* Words of single messages: limits, suggestions and rules that help. */
static void messages_help(void **state)
{
    (void)state;
    static const struct bad list[] = {
        {HEAD "tiling: {baseM: 99999999999999999999}\n", {"3:17 baseM is from 1 to 4095"}},
        {HEAD "tiling: {baseM: -99999999999999999999}\n", {"3:17 baseM is from 1 to 4095"}},
        {HEAD "tiling: {usedCoreNum: 0}\n", {"3:23 no more than the chip's cores"}},
        {HEAD "tiling: {singleCoreM: 0, singleCoreK: 0}\n", {"3:23 sizes of a slice", "3:39 sizes of a slice"}},
        {HEAD "tiling: {stepM: 256, depthB1: 0}\n", {"3:17 steps are counts", "3:31 depth = "}},
        {HEAD "tiling: {orderOffset: 0}\n", {"3:23 orderOffset is a whole number from 1 to 65535"}},
        {HEAD "report: {top: 0}\n", {"3:15 top is a whole number from 1 to 100000"}},
        {HEAD "tiling: {baseM: {from: 64, to: 16, step: 16}}\n", {"3:17 a range is {from: 16, to: 256, step: 16}"}},
        {HEAD "tiling: {baseM: {from: 16, to: 256}}\n", {"3:17 add 'step: 1' for every value from 16 to 256"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, quant: {mode: scalar}}\n", {"2:39 quant is true"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, quant: {scale: 1}}\n", {"2:39 quant is true"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, quant: {mode: scalar, scale: -1}}\n", {"2:61 not positive"}},
        {HEAD "where: [5]\n", {"3:9 reads no field"}},
        {HEAD "where: [\"1 == 1\"]\n", {"3:9 a clause is an integer condition"}},
        {HEAD "where: [\"baseM <\"]\n", {"3:17 a clause is an integer condition"}},
        {HEAD "variants: [{name: a, set: {baseM: 16}}, {name: a, set: {baseM: 32}}]\n",
         {"3:41 each variant has its own name"}},
        {"target: nothing\n" PROBLEM, {"1:9 a target is a chip's name or the path"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, A: {dtype: e8m0}}\n", {"2:43 e8m0 is the type of MX scales"}},
        {TARGET "problem: {M: 64, N: 64, K: 64, A: {dtype: mx_fp8_e4m3}, scaleA: {dtype: half}}\n", {"2:73 e8m0"}},
    };
    CHECK(list);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct diag d;
        diag_init(&d);
        (void)load_text(list[i].text, strlen(list[i].text), NULL, &d);
        for (size_t k = 0; k < d.count; k++) {
            assert_true(d.messages[k].level != DIAG_ERROR || d.messages[k].rule != NULL);
            assert_null(d.messages[k].hint != NULL ? strstr(d.messages[k].hint, "'e8m0'?") : NULL);
            assert_null(strstr(d.messages[k].rule != NULL ? d.messages[k].rule : "", "9223372036854775807"));
        }
        diag_fini(&d);
    }
}

static void cells_are_capped(void **state)
{
    (void)state;
    static const char text[] = TARGET "problem: {M: {from: 1, to: 50000, step: 1}, N: [64, 65], K: 64}\n";
    static const char *const more[] = {"K=[64, 65]", NULL};
    const struct bad bad = {text, {"2:10 too many problems"}};
    struct diag d;
    diag_init(&d);
    assert_int_equal(LIMIT_CELLS, 2 * 50000);
    assert_int_equal(load_text(text, strlen(text), NULL, &d), STATUS_OK);
    diag_fini(&d);
    check_sets(&bad, more);
    const struct bad targets = {"target: [ascend910b1, ascend910b2]\n"
                                "problem: {M: {from: 1, to: 50001, step: 1}, N: 64, K: 64}\n",
                                {"0:0 2 targets x 50001 problems x 1 variants"}};
    check_sets(&targets, NULL);
}

static void unknown_config_names_are_suggested(void **state)
{
    (void)state;
    struct arena arena;
    struct diag d;
    const struct experiment *e = NULL;
    arena_init(&arena);
    diag_init(&d);
    assert_int_equal(experiment_load("matmul_hlaf", NULL, &arena, &e, &d), STATUS_INVALID);
    assert_non_null(strstr(d.messages[0].hint, "matmul_half"));
    assert_int_equal(experiment_load("./no/such.yaml", NULL, &arena, &e, &d), STATUS_IO);
    assert_int_equal(experiment_load("./no/such.yaml", NULL, &arena, &e, NULL), STATUS_IO);
    assert_null(e);
    diag_fini(&d);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(caps_of_files),
        cmocka_unit_test(root_keys),
        cmocka_unit_test(numbers),
        cmocka_unit_test(problems),
        cmocka_unit_test(tilings),
        cmocka_unit_test(contradictions_and_conditions),
        cmocka_unit_test(partial_contradiction_is_a_result),
        cmocka_unit_test(spaces),
        cmocka_unit_test(variants),
        cmocka_unit_test(overrides),
        cmocka_unit_test(all_in_one_run),
        cmocka_unit_test(no_mistake_hides_another),
        cmocka_unit_test(messages_help),
        cmocka_unit_test(cells_are_capped),
        cmocka_unit_test(unknown_config_names_are_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
