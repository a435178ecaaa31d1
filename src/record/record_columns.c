/* record_columns.c - the table of result columns and what each one holds.
 *
 * Infeasible rows and rows of cells that could not be taken have no time, no
 * bytes and no buffers: those columns stay empty, so that no reader takes a 0
 * for a measurement. */
#include "record/record_columns.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "timing/timing.h"

/* ---- derived figures ---- */

bool record_feasible(const struct cell *cell, const struct record *r)
{
    return !cell->failed && r->why.reason == REASON_NONE;
}

int64_t record_gm_read(const struct record *r)
{
    return r->bytes[PATH_GM_L1] + r->bytes[PATH_GM_L0A] + r->bytes[PATH_GM_L0B];
}

int64_t record_gm_write(const struct record *r)
{
    return r->bytes[PATH_L0C_GM];
}

double record_tflops(const struct cell *cell, const struct record *r)
{
    const double us = timing_us(cell->target, r->task);
    return us > 0 ? 2.0 * (double)r->macs / us * 1e-6 : 0;
}

double record_peak_tflops(const struct cell *cell)
{
    const struct target *t = cell->target;
    return 2.0 * target_rate(t, cell->problem.a.dtype, cell->problem.hf32) * (double)t->cores * t->ghz * 1e-3;
}

double record_peak_share(const struct cell *cell, const struct record *r)
{
    const double peak = record_peak_tflops(cell);
    return peak > 0 ? record_tflops(cell, r) / peak : 0;
}

void record_reason(const struct cell *cell, const struct record *r, struct strbuf *out)
{
    if (cell->failed) {
        strbuf_add(out, cell->failed);
    } else if (r->why.reason != REASON_NONE) {
        strbuf_addf(out, "%s: ", infeasible_reason_name(r->why.reason));
        space_reason_text(&cell->space, &r->why, &r->t, out);
    }
}

void record_verify(const struct record *r, struct strbuf *out)
{
    if (r->verified == VERIFIED_NOT_RUN) {
        strbuf_add(out, "none");
    } else {
        strbuf_addf(out, "%s:%s", verify_name(r->verify), r->verified == VERIFIED_OK ? "ok" : "mismatch");
    }
}

/* ---- reading numbers ---- */

static bool read_i64(const char *text, int64_t *out)
{
    char *end = NULL;
    errno = 0;
    const long long v = strtoll(text, &end, 10);
    *out = v;
    return *text && !*end && errno == 0;
}

static bool read_u64(const char *text, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long v = strtoull(text, &end, 10);
    *out = v;
    return *text && *text != '-' && !*end && errno == 0;
}

/* ---- identity ---- */

static void get_cell(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)cell, (void)arg;
    strbuf_addf(out, "%" PRIu32, r->cell);
}

static bool set_cell(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)cell, (void)arg;
    uint64_t v = 0;
    const bool ok = read_u64(text, &v) && v <= UINT32_MAX;
    r->cell = (uint32_t)v;
    return ok;
}

static void get_index(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)cell, (void)arg;
    if (r->index != UINT64_MAX) {
        strbuf_addf(out, "%" PRIu64, r->index);
    }
}

static bool set_index(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)cell, (void)arg;
    r->index = UINT64_MAX;
    return !*text || read_u64(text, &r->index);
}

static void get_name(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)arg;
    if (!cell->failed) {
        tiling_name(&r->t, out);
    }
}

static void get_target(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)r, (void)arg;
    strbuf_add(out, cell->target ? cell->target->name : "");
}

static void get_op(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)r, (void)arg;
    const bool mx = cell->problem.a.mx || cell->problem.b.mx;
    strbuf_add(out, cell->problem.op == PROBLEM_CONV ? "conv" : mx ? "matmul_mx" : "matmul");
}

static void get_size(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)r;
    const int64_t sizes[3] = {cell->problem.M, cell->problem.N, cell->problem.K};
    strbuf_addf(out, "%" PRId64, sizes[arg]);
}

static void get_variant(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)r, (void)arg;
    strbuf_add(out, cell->variant);
}

static void get_field(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    const int32_t v = tiling_get(&r->t, (enum tiling_field)arg);
    const struct tiling_field_info *info = tiling_field_info((enum tiling_field)arg);
    if (cell->failed) {
        return;
    }
    if (v == TILING_AUTO) {
        strbuf_add(out, "auto");
    } else if (info->words && v >= info->min && v <= info->max) {
        strbuf_add(out, info->words[v - info->min]);
    } else {
        strbuf_addf(out, "%" PRId32, v);
    }
}

static bool set_field(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)cell;
    const struct tiling_field_info *info = tiling_field_info((enum tiling_field)arg);
    if (!*text || strcmp(text, "auto") == 0) {
        tiling_set(&r->t, (enum tiling_field)arg, *text ? TILING_AUTO : 0);
        return true;
    }
    for (int32_t i = 0; info->words && info->words[i]; i++) {
        if (strcmp(info->words[i], text) == 0) {
            tiling_set(&r->t, (enum tiling_field)arg, info->min + i);
            return true;
        }
    }
    int64_t v = 0;
    if (!read_i64(text, &v) || v < INT32_MIN || v > INT32_MAX) {
        return false;
    }
    tiling_set(&r->t, (enum tiling_field)arg, (int32_t)v);
    return true;
}

/* ---- verdict ---- */

static void get_status(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)arg;
    strbuf_add(out, cell->failed ? "failed" : r->why.reason == REASON_NONE ? "feasible" : "infeasible");
}

static void get_reason(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)arg;
    record_reason(cell, r, out);
}

/* Only the kind of reason comes back; the numbers follow from the index. */
static bool set_reason(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)arg;
    if (cell->failed || !*text) {
        return true;
    }
    for (int i = REASON_NONE + 1; i < REASON_N; i++) {
        const char *name = infeasible_reason_name((enum infeasible_reason)i);
        const size_t len = strlen(name);
        if (strncmp(text, name, len) == 0 && text[len] == ':') {
            r->why.reason = (uint16_t)i;
            return true;
        }
    }
    return false;
}

/* ---- times ---- */

enum time_column { TIME_TASK, TIME_CORE_MEAN, TIME_CORE_MAX, TIME_SPLIT, TIME_BUSY /* + enum pipe */ };

static int64_t *time_slot(struct record *r, int arg)
{
    switch (arg) {
    case TIME_TASK:
        return &r->task;
    case TIME_CORE_MEAN:
        return &r->core_mean;
    case TIME_CORE_MAX:
        return &r->core_max;
    case TIME_SPLIT:
        return &r->split;
    default:
        return &r->busy[arg - TIME_BUSY];
    }
}

static void get_us(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    if (record_feasible(cell, r)) {
        struct record copy = *r;
        strbuf_addf(out, "%.3f", timing_us(cell->target, *time_slot(&copy, arg)));
    }
}

/* To the nanosecond it was printed with; the task comes back whole by task_mcyc. */
static bool set_us(const struct cell *cell, struct record *r, int arg, const char *text)
{
    char *end = NULL;
    const double us = strtod(text, &end);
    if (*end || !isfinite(us) || us < 0 || us > 1e12) {
        return false;
    }
    *time_slot(r, arg) = *text ? (int64_t)llround(us * cell->target->ghz * 1e6) : 0;
    return true;
}

static void get_mcyc(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)arg;
    if (record_feasible(cell, r)) {
        strbuf_addf(out, "%" PRId64, r->task);
    }
}

static bool set_mcyc(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)cell, (void)arg;
    r->task = 0;
    return !*text || read_i64(text, &r->task);
}

static void get_bound(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)arg;
    if (record_feasible(cell, r)) {
        strbuf_add(out, pipe_name(r->bound_pipe));
    }
}

static bool set_bound(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)cell, (void)arg;
    for (int i = 0; i < PIPE_N; i++) {
        if (strcmp(text, pipe_name((enum pipe)i)) == 0) {
            r->bound_pipe = (uint8_t)i;
            return true;
        }
    }
    return !*text;
}

static void get_tflops(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)arg;
    if (record_feasible(cell, r)) {
        strbuf_addf(out, "%.3f", record_tflops(cell, r));
    }
}

static void get_share(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)arg;
    if (record_feasible(cell, r)) {
        strbuf_addf(out, "%.5f", record_peak_share(cell, r));
    }
}

/* ---- bytes ---- */

enum bytes_column {
    BYTES_READ,
    BYTES_WRITE,
    BYTES_HBM,
    BYTES_COMPULSORY,
    BYTES_L0A,
    BYTES_L0B,
    BYTES_HALO,
    COUNT_MACS, /* no bytes, but numbers of 64 bits all the same */
    COUNT_ISSUED
};

static int64_t *bytes_slot(struct record *r, int arg)
{
    switch (arg) {
    case BYTES_READ:
        return &r->bytes[PATH_GM_L1];
    case BYTES_WRITE:
        return &r->bytes[PATH_L0C_GM];
    case BYTES_HBM:
        return &r->hbm;
    case BYTES_COMPULSORY:
        return &r->compulsory;
    case BYTES_L0A:
        return &r->bytes[PATH_L1_L0A];
    case BYTES_HALO:
        return &r->halo;
    case COUNT_MACS:
        return &r->macs;
    case COUNT_ISSUED:
        return &r->issued;
    default:
        return &r->bytes[PATH_L1_L0B];
    }
}

static void get_bytes(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    if (record_feasible(cell, r)) {
        struct record copy = *r;
        const int64_t v = arg == BYTES_READ ? record_gm_read(r) : *bytes_slot(&copy, arg);
        strbuf_addf(out, "%" PRId64, v);
    }
}

static bool set_bytes(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)cell;
    return !*text || read_i64(text, bytes_slot(r, arg));
}

static void get_used(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    if (record_feasible(cell, r)) {
        strbuf_addf(out, "%" PRId64, r->used[arg]);
    }
}

static bool set_used(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)cell;
    return !*text || read_i64(text, &r->used[arg]);
}

static void get_free(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    if (record_feasible(cell, r)) {
        strbuf_addf(out, "%" PRId64, r->usable[arg] - r->used[arg]);
    }
}

static bool set_free(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)cell;
    int64_t v = 0;
    if (*text && !read_i64(text, &v)) {
        return false;
    }
    r->usable[arg] = r->used[arg] + v; /* the used columns stand before */
    return true;
}

/* ---- rest ---- */

static void get_events(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)arg;
    if (record_feasible(cell, r)) {
        strbuf_addf(out, "%" PRId32, r->events_used);
    }
}

static bool set_events(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)cell, (void)arg;
    int64_t v = 0;
    if (*text && (!read_i64(text, &v) || v < 0 || v > INT32_MAX)) {
        return false;
    }
    r->events_used = (int32_t)v;
    return true;
}

static void get_verify(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)arg;
    if (record_feasible(cell, r)) {
        record_verify(r, out);
    }
}

static bool set_verify(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)cell, (void)arg;
    for (int level = VERIFY_NONE + 1; level <= VERIFY_FULL; level++) {
        const char *name = verify_name((enum verify_level)level);
        const size_t len = strlen(name);
        if (strncmp(text, name, len) == 0 && text[len] == ':') {
            r->verify = (uint8_t)level;
            r->verified = strcmp(text + len + 1, "ok") == 0 ? VERIFIED_OK : VERIFIED_MISMATCH;
            return true;
        }
    }
    return !*text || strcmp(text, "none") == 0;
}

static void get_verified_elems(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)arg;
    if (record_feasible(cell, r)) {
        strbuf_addf(out, "%" PRIu64, r->verified_elems);
    }
}

static bool set_verified_elems(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)cell, (void)arg;
    return !*text || read_u64(text, &r->verified_elems);
}

static void get_confidence(const struct cell *cell, const struct record *r, int arg, struct strbuf *out)
{
    (void)arg;
    if (record_feasible(cell, r)) {
        strbuf_add(out, r->unvalidated ? "unvalidated" : "validated");
    }
}

static bool set_confidence(const struct cell *cell, struct record *r, int arg, const char *text)
{
    (void)cell, (void)arg;
    r->unvalidated = strcmp(text, "unvalidated") == 0;
    return !*text || r->unvalidated || strcmp(text, "validated") == 0;
}

/* ---- the table ---- */

#define FIELD_COLUMN(field, tag, def, min, max, digit) {#field, COLUMN_NUMBER, get_field, set_field, TF_##field},
#define US_COLUMN(name, arg)                     \
    {                                            \
        name, COLUMN_NUMBER, get_us, set_us, arg \
    }
#define BYTES_COLUMN(name, arg)                        \
    {                                                  \
        name, COLUMN_NUMBER, get_bytes, set_bytes, arg \
    }
#define USED_COLUMN(name, buf)                       \
    {                                                \
        name, COLUMN_NUMBER, get_used, set_used, buf \
    }
#define FREE_COLUMN(name, buf)                       \
    {                                                \
        name, COLUMN_NUMBER, get_free, set_free, buf \
    }

static const struct record_column columns[] = {
    {"cell", COLUMN_NUMBER, get_cell, set_cell, 0},
    {"index", COLUMN_NUMBER, get_index, set_index, 0},
    {"name", COLUMN_TEXT, get_name, NULL, 0},
    {"target", COLUMN_TEXT, get_target, NULL, 0},
    {"op", COLUMN_TEXT, get_op, NULL, 0},
    {"M", COLUMN_NUMBER, get_size, NULL, 0},
    {"N", COLUMN_NUMBER, get_size, NULL, 1},
    {"K", COLUMN_NUMBER, get_size, NULL, 2},
    {"variant", COLUMN_TEXT, get_variant, NULL, 0},
    TILING_FIELDS(FIELD_COLUMN){"status", COLUMN_TEXT, get_status, NULL, 0},
    {"reason", COLUMN_TEXT, get_reason, set_reason, 0},
    US_COLUMN("task_us", TIME_TASK),
    US_COLUMN("core_mean_us", TIME_CORE_MEAN),
    US_COLUMN("core_max_us", TIME_CORE_MAX),
    US_COLUMN("split_us", TIME_SPLIT),
    US_COLUMN("mac_us", TIME_BUSY + PIPE_M),
    US_COLUMN("mte1_us", TIME_BUSY + PIPE_MTE1),
    US_COLUMN("mte2_us", TIME_BUSY + PIPE_MTE2),
    US_COLUMN("fixpipe_us", TIME_BUSY + PIPE_FIX),
    {"bound", COLUMN_TEXT, get_bound, set_bound, 0},
    {"tflops", COLUMN_NUMBER, get_tflops, NULL, 0},
    {"peak_share", COLUMN_NUMBER, get_share, NULL, 0},
    BYTES_COLUMN("macs", COUNT_MACS),
    BYTES_COLUMN("issued_macs", COUNT_ISSUED),
    BYTES_COLUMN("gm_read_B", BYTES_READ),
    BYTES_COLUMN("gm_write_B", BYTES_WRITE),
    BYTES_COLUMN("hbm_B", BYTES_HBM),
    BYTES_COLUMN("compulsory_B", BYTES_COMPULSORY),
    BYTES_COLUMN("halo_B", BYTES_HALO),
    BYTES_COLUMN("l1_l0a_B", BYTES_L0A),
    BYTES_COLUMN("l1_l0b_B", BYTES_L0B),
    USED_COLUMN("l1_used_B", BUF_L1),
    USED_COLUMN("l0a_used_B", BUF_L0A),
    USED_COLUMN("l0b_used_B", BUF_L0B),
    USED_COLUMN("l0c_used_B", BUF_L0C),
    USED_COLUMN("bt_used_B", BUF_BT),
    USED_COLUMN("fb_used_B", BUF_FB),
    FREE_COLUMN("l1_free_B", BUF_L1),
    FREE_COLUMN("l0a_free_B", BUF_L0A),
    FREE_COLUMN("l0b_free_B", BUF_L0B),
    FREE_COLUMN("l0c_free_B", BUF_L0C),
    FREE_COLUMN("bt_free_B", BUF_BT),
    FREE_COLUMN("fb_free_B", BUF_FB),
    {"events_used", COLUMN_NUMBER, get_events, set_events, 0},
    {"verify", COLUMN_TEXT, get_verify, set_verify, 0},
    {"verified_elems", COLUMN_NUMBER, get_verified_elems, set_verified_elems, 0},
    {"confidence", COLUMN_TEXT, get_confidence, set_confidence, 0},
    {"task_mcyc", COLUMN_NUMBER, get_mcyc, set_mcyc, 0},
};

size_t record_column_count(void)
{
    return sizeof(columns) / sizeof(columns[0]);
}

const struct record_column *record_column_at(size_t i)
{
    return &columns[i];
}
