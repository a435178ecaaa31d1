/* The conformance runner: all vectors pass, tampered ones fail where they were
 * tampered with, malformed files are named by line and field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/os.h"
#include "engine/conform.h"
#include "engine/conform_internal.h"

static void test_all(void **state)
{
    (void)state;
    struct arena arena;
    struct diag d;
    struct conform_report report;
    const struct conform_options all = {0};
    arena_init(&arena);
    diag_init(&d);
    const enum status st = conform_run(REPO_DIR "/tests/data/conformance", &all, &arena, &report, &d);
    for (size_t i = 0; i < report.count; i++) {
        if (report.entries[i].verdict != CONFORM_PASS) {
            print_error("%s %s\n", report.entries[i].id, report.entries[i].text);
        }
    }
    assert_int_equal(st, STATUS_OK);
    assert_int_equal(report.passed, 545 + 121);
    assert_int_equal(report.failed, 0);
    assert_int_equal(report.files, 15);
    diag_fini(&d);
    arena_fini(&arena);
}

/* A directory of one file `name` with `text`, run. */
struct outcome {
    enum status status;
    struct arena arena;
    struct diag d;
    struct conform_report report;
};

static void run_text(const char *name, const char *text, const struct conform_options *options, struct outcome *o)
{
    char dir[] = "/tmp/conform_testXXXXXX", path[256];
    assert_non_null(mkdtemp(dir));
    arena_init(&o->arena);
    diag_init(&o->d);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_int_equal(os_write_file(path, text, strlen(text), &o->d), STATUS_OK);
    const struct conform_options all = {0};
    o->status = conform_run(dir, options != NULL ? options : &all, &o->arena, &o->report, &o->d);
    assert_int_equal(os_remove_tree(dir, &o->d), STATUS_OK);
}

static void outcome_fini(struct outcome *o)
{
    diag_fini(&o->d);
    arena_fini(&o->arena);
}

/* Two fractals copied, the second half of a case whose lines can be replaced. */
#define HEAD                                                                                                 \
    "case T-1\nkind copy\ninstr load_data_2d\ntarget ascend910b\npath L1->L0A\ndtype half\nconfidence doc\n" \
    "param repeatTimes 1\nparam srcStride 1\n"
#define BUFS "buf src 512 0 cycle 2 0102\nbuf dst 1024 0 cycle 1 ff\n"

static uint64_t expected_hash(void)
{
    uint8_t want[1024];
    memset(want, 0xFF, sizeof want);
    for (int i = 0; i < 512; i += 2) {
        want[i] = 2;
        want[i + 1] = 1;
    }
    uint64_t h = 0xCBF29CE484222325ULL;
    for (int i = 0; i < 1024; i++) {
        h = (h ^ want[i]) * 0x100000001B3ULL;
    }
    return h;
}

/* A message of a malformed line that ends in one of its words points at it. */
static void check_place(const char *text, const struct diag *d)
{
    const char *word = strrchr(d->messages[0].text, ' ');
    if (word == NULL || word[-1] != ':' || strncmp(d->messages[0].text, "case T-1", 8) == 0) {
        return;
    }
    for (uint32_t line = 1; line < d->messages[0].line; line++) {
        text = strchr(text, '\n') + 1;
    }
    assert_true(strncmp(text + d->messages[0].col - 1, word + 1, strlen(word + 1)) == 0);
}

static void check_text(const char *before, const char *middle, const char *after, enum status status, const char *words)
{
    char text[2048], fnv[64];
    struct outcome o;
    snprintf(fnv, sizeof fnv, "fnv dst %016llx\n", (unsigned long long)expected_hash());
    snprintf(text, sizeof text, "%s%s%s%send\n", before, middle, fnv, after);
    run_text("t.vec", text, NULL, &o);
    if (o.status != status) {
        print_error("status %d, want %d: %s\n", (int)o.status, (int)status, o.d.count > 0 ? o.d.messages[0].text : "");
    }
    assert_int_equal(o.status, status);
    if (status == STATUS_INVALID) {
        check_place(text, &o.d);
    }
    if (words != NULL) {
        const char *said = status == STATUS_INVALID ? o.d.messages[0].text : o.report.entries[0].text;
        if (strstr(said, words) == NULL) {
            print_error("'%s' does not say '%s'\n", said, words);
            fail();
        }
    }
    outcome_fini(&o);
}

static void test_verdicts(void **state)
{
    (void)state;
    check_text(HEAD, BUFS, "", STATUS_OK, NULL);
    check_text(HEAD, "buf src 512 0 cycle 2 0103\nbuf dst 1024 0 cycle 1 ff\n", "blk dst 0 1\n", STATUS_MISMATCH,
               "dst bytes 0..511: expected hash");
    /* With hex lines the byte itself is named, and its element. */
    char hex[128] = "blk dst 0 1\nhex dst 32 ";
    for (int i = 0; i < 32; i++) {
        strcat(hex, i == 5 ? "77" : i % 2 == 0 ? "02" : "01");
    }
    strcat(hex, "\n");
    check_text(HEAD, "buf src 512 0 cycle 2 0102\nbuf dst 1024 0 cycle 1 fe\n", hex, STATUS_MISMATCH,
               "dst byte 0: expected fe, got 02 (fractal 0, element 0 of it)");
    /* A read beyond the source shows as taint or as hash. */
    check_text(HEAD "param startIndex 1\n", BUFS, "", STATUS_MISMATCH, "");
    /* An instruction the engine refuses. */
    check_text(HEAD "param dstGap 65535\nparam repeatTimes 2\n", BUFS, "", STATUS_MISMATCH, "leave");
    /* Only the lines of this block count, from its first byte on: here element 0 of it is wrong. */
    char second[256];
    uint64_t h = 0xCBF29CE484222325ULL;
    for (int i = 0; i < 512; i++) {
        h = (h ^ (i % 2 == 0 ? 2U : 1U)) * 0x100000001B3ULL;
    }
    snprintf(second, sizeof second, "blk dst 0 %016llx\nblk dst 1 1\nhex dst 512 ", (unsigned long long)h);
    for (int i = 0; i < 32; i++) {
        strcat(second, i == 0 ? "fd" : "fe");
    }
    strcat(second, "\n");
    check_text(HEAD, "buf src 512 0 cycle 2 0102\nbuf dst 1024 0 cycle 1 fe\n", second, STATUS_MISMATCH,
               "dst byte 512: expected fd, got fe (fractal 1, element 0 of it)");
    /* A line that goes on in the next block counts in its own. */
    strcpy(second, "blk dst 0 1\nhex dst 496 ");
    for (int i = 0; i < 32; i++) {
        strcat(second, i == 15 ? "77" : i % 2 == 0 ? "02" : "01");
    }
    strcat(second, "\n");
    check_text(HEAD, "buf src 512 0 cycle 2 0102\nbuf dst 1024 0 cycle 2 0102\n", second, STATUS_MISMATCH,
               "dst byte 511: expected 77, got 01 (fractal 0, element 255 of it)");
    /* Background hash. */
    check_text(HEAD, BUFS, "bgfnv src 123\n", STATUS_MISMATCH, "src before the call");
    /* Bytes said to be open, which the engine defines. */
    check_text(HEAD, BUFS, "unspec dst 600 4\n", STATUS_MISMATCH, "");
}

static void test_alternatives(void **state)
{
    (void)state;
    char text[2048];
    struct outcome o;
    const char *const heads[] = {"confidence doc\n", "confidence inferred\n", "kind t950_gap\n"};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, HEAD BUFS "%sfnv dst 1\nalt other fnv dst %016llx\nend\n", heads[i],
                 (unsigned long long)expected_hash());
        run_text("t.vec", text, NULL, &o);
        assert_int_equal(o.status, i == 0 ? STATUS_MISMATCH : STATUS_OK);
        assert_int_equal(o.report.entries[0].verdict, i == 0 ? CONFORM_FAIL : CONFORM_ALT);
        struct strbuf out;
        strbuf_init(&out);
        conform_format(&o.report, &out);
        assert_non_null(
            strstr(strbuf_cstr(&out), i == 0 ? "FAIL T-1 copy dst" : "ALT T-1 other\n1 passed, 0 failed\n"));
        strbuf_fini(&out);
        outcome_fini(&o);
    }
    /* A reading by which the call leaves its destination. */
    static const char *const errors[] = {"writes_outside_dst", "reads_outside_src", "error writes_outside_dst"};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 HEAD "param repeatTimes 200\nconfidence inferred\n" BUFS "fnv dst 1\nalt far %s\nend\n", errors[i]);
        run_text("t.vec", text, NULL, &o);
        assert_int_equal(o.status, STATUS_OK);
        assert_int_equal(o.report.entries[0].verdict, CONFORM_ALT);
        outcome_fini(&o);
    }
}

static void test_filters(void **state)
{
    (void)state;
    struct outcome o;
    char text[2048];
    snprintf(text, sizeof text, HEAD BUFS "fnv dst 1\nend\n");
    const struct conform_options options[] = {
        {.kind = "other"}, {.confidence = "proven"}, {.kind = "copy", .confidence = "doc"}};
    for (int i = 0; i < 3; i++) {
        run_text("t.vec", text, &options[i], &o);
        assert_int_equal(o.report.count, i == 2);
        outcome_fini(&o);
    }
}

/* file:line and the field are named; other cases still run. */
static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        const char *before, *middle, *after, *words;
    } bad[] = {
        {HEAD, "buf src 512 0 rule x\nbuf dst 1024 0 rule 1\n", "", "buf: no seed: x"},
        {HEAD, "buf src 512 600 rule 1\n", "", "buf: no offset inside of the buffer: 600"},
        {HEAD, "buf src 99999999999 0 rule 1\n", "", "buf: no length in bytes: 99999999999"},
        {HEAD, "buf src 512 0 rulez 1\n", "", "buf: no fill kind: rulez"},
        {HEAD, "buf src 512 0 vals half 1 5 4\n", "", "buf: no highest value: 4"},
        {HEAD, "buf src 512 0 vals halff 1 4 5\n", "", "buf: no dtype of whole bytes: halff"},
        {HEAD, "buf src 512 0 vals int4b_t 1 4 5\n", "", "buf: no dtype of whole bytes: int4b_t"},
        {HEAD, "buf src 512 0 cycle 9 1\n", "", "buf: no width of 1 to 8 bytes: 9"},
        {HEAD, "buf src 512 0 cycle 2\n", "", "buf: fields are missing"},
        {HEAD, "buf src 512 0 pick 2 1 zz\n", "", "buf: no hexadecimal value: zz"},
        {HEAD, "buf src 512\n", "", "buf: fields are missing"},
        {HEAD, BUFS "buf src 512 0 rule 1\n", "", "buf: the buffer is given twice: src"},
        {HEAD, BUFS, "fnv other 12\n", "fnv: no buffer of this case: other"},
        {HEAD, BUFS, "fnv dst 12345678901234567\n", "fnv: no hash: 12345678901234567"},
        {HEAD, BUFS, "blk dst 2 1\n", "blk: no block inside of the buffer: 2"},
        {HEAD, BUFS, "hex dst 0 12\n", "hex: not two hexadecimal digits for each byte of the line: 12"},
        {HEAD, BUFS, "unspec dst 1020 5\n", "unspec: no length inside of the buffer: 5"},
        {HEAD, BUFS, "alt x\n", "alt: fields are missing"},
        {HEAD, BUFS, "alt x maybe\n", "alt: no kind of alternative: maybe"},
        {HEAD, BUFS, "nop 2\n", "nop: neither 0 nor 1: 2"},
        {HEAD, BUFS, "written x\n", "written: no number of bytes: x"},
        {HEAD, BUFS, "wrote 12\n", "wrote: no keyword of a case: wrote"},
        {HEAD, BUFS, "case T-2\n", "case: the case before has no end: case"},
        {HEAD, BUFS, "alt x writes_outside_it\n", "alt: no kind of alternative: writes_outside_it"},
        {HEAD, "buf src 512 0 rule 1\nbuf dst 1025 0 rule 1\n", "blk dst 2 1\nblk dst 3 1\n",
         "blk: no block inside of the buffer: 3"},
        {HEAD, BUFS "fnv dst 1\nend\ncase\n", "", "case: fields are missing"},
        {HEAD "kind seq\ninstr seq\nstep nop dtype=half\nstep load_data_2d dtype=half dst=L0A+0 src=L9+0\n",
         "buf L1 512 0 rule 1\nbuf L0A 512 0 rule 1\nbuf gmC 1024 0 rule 1\nbuf dst 1024 0 rule 1\n", "", ""},
        {"case T-1\nkind copy\n", "buf dst 4 0 rule 1\n", "", "is missing in this case"},
        {"", "", "", "stands outside of a case"},
        {HEAD "param repeatTimes abc\n", BUFS, "", "no value of this field"},
        {HEAD "param repeats 3\n", BUFS, "", "no such field: repeats"},
        {HEAD "target ascend999\n", BUFS, "", "unknown target"},
        {HEAD "path L1=L0A\n", BUFS, "", "unknown path"},
        {HEAD "dtype real\n", BUFS, "", "unknown instr or dtype"},
        {HEAD "path L1->L0B\n", BUFS "buf xyz 4 0 rule 1\n", "", "belongs to no operand"},
        {HEAD, "buf src 512 0 rule 1\nbuf dst 100000 0 rule 1\n", "", "larger than its memory"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_text(bad[i].before, bad[i].middle, bad[i].after, STATUS_INVALID, bad[i].words);
    }
    struct outcome o;
    run_text("t.vec", HEAD BUFS "fnv dst x\nend\n" HEAD BUFS "fnv dst 1\nend\n", NULL, &o);
    assert_int_equal(o.status, STATUS_INVALID);
    assert_int_equal(o.report.count, 1);
    assert_int_equal(o.d.messages[0].line, 12);
    assert_int_equal(o.d.messages[0].col, 9);
    assert_non_null(strstr(o.d.messages[0].file, "t.vec"));
    outcome_fini(&o);
    run_text("t.txt", "", NULL, &o);
    assert_int_equal(o.status, STATUS_INVALID);
    outcome_fini(&o);
}

/* Every keyword with one field less than it takes. */
static void test_short_lines(void **state)
{
    (void)state;
    static const char *const lines[] = {"kind",       "instr",        "target",  "path",           "dtype",
                                        "confidence", "param x",      "written", "setfmatrix 1 2", "setpadding",
                                        "bgfnv src",  "unspec dst 0", "fnv dst", "blk dst 0",      "hex dst 0",
                                        "alt x",      "buf q 4 0",    "nop"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[64], words[64];
        snprintf(line, sizeof line, "%s\n", lines[i]);
        snprintf(words, sizeof words, "%.*s: ", (int)strcspn(lines[i], " "), lines[i]);
        check_text(HEAD, BUFS, line, STATUS_INVALID, words);
    }
}

/* Each field of a case is needed; hex lines end with their buffer. */
static void test_incomplete(void **state)
{
    (void)state;
    static const char *const lines[] = {"kind copy\n",    "instr load_data_2d\n", "target ascend910b\n",
                                        "path L1->L0A\n", "dtype half\n",         "confidence doc\n"};
    for (int left_out = 0; left_out < 6; left_out++) {
        char head[512] = "case T-1\n";
        for (int i = 0; i < 6; i++) {
            strcat(head, i == left_out ? "" : lines[i]);
        }
        check_text(head, BUFS, "", STATUS_INVALID, "is missing in this case");
    }
    static const struct {
        const char *line, *words;
    } tails[] = {{"hex dst 1016 0102030405060708\n", NULL},
                 {"hex dst 1016 010203040506070809\n", "line: 010203040506070809"},
                 {"hex dst 992 0102030405060708010203040506070801020304050607080102030405060708\n", NULL},
                 {"hex dst 992 010203040506070801020304050607080102030405060708010203040506070809\n", "hex: not two"},
                 {"hex dst 1024 00\n", "hex: no place inside of the buffer: 1024"}};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        check_text(HEAD, BUFS, tails[i].line, tails[i].words == NULL ? STATUS_OK : STATUS_INVALID, tails[i].words);
    }
}

static void test_errors_file(void **state)
{
    (void)state;
#define COLUMNS "id,split,instr,target,dtype,path,params,expect,rule,doc_source,vendor_check\n"
    static const struct {
        const char *row;
        enum status status;
        const char *words;
    } rows[] = {
        {"E,o,load_data_2d,ascend910b,half,L1->L0A,repeatTimes=256,E_RANGE,,,\n", STATUS_OK, ""},
        {"E,o,load_data_2d,ascend910b,half,L1->L0A,repeatTimes=255,E_RANGE,,,\n", STATUS_MISMATCH,
         "expected E_RANGE, got"},
        {"E,o,load_data_2d,ascend910x,half,L1->L0A,repeatTimes=1,E_RANGE,,,\n", STATUS_INVALID,
         "unknown target: ascend910x"},
        {"E,o,load_data_2d,ascend910b,half,L1->L0A,repeatTimes,E_RANGE,,,\n", STATUS_INVALID,
         "not name=value: repeatTimes"},
        {"E,o,load_data_2d,ascend910b,half,L1->L0A,x=1,E_RANGE,,,\n", STATUS_INVALID, "no such field: x"},
        {"E,o,load_data_2d,ascend910b,half,L1->L0A,repeatTimes=1,E_OOPS,,,\n", STATUS_INVALID, "unknown code: E_OOPS"},
        {"E,o,load_data_9d,ascend910b,half,L1->L0A,repeatTimes=1,E_RANGE,,,\n", STATUS_INVALID, "unknown instr"},
        {"E,o,load_data_2d,ascend910b,half,L9->L0A,repeatTimes=1,E_RANGE,,,\n", STATUS_INVALID, "unknown path"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        struct outcome o;
        snprintf(text, sizeof text, COLUMNS "%s", rows[i].row);
        run_text("errors.csv", text, NULL, &o);
        assert_int_equal(o.status, rows[i].status);
        if (rows[i].status != STATUS_OK) {
            assert_non_null(
                strstr(o.status == STATUS_INVALID ? o.d.messages[0].text : o.report.entries[0].text, rows[i].words));
        }
        outcome_fini(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),         cmocka_unit_test(test_verdicts),    cmocka_unit_test(test_alternatives),
        cmocka_unit_test(test_filters),     cmocka_unit_test(test_malformed),   cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_short_lines), cmocka_unit_test(test_errors_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
