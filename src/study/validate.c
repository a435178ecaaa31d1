/* validate.c - rows of measurements files.
 *
 * One table says which column feeds which tiling field as a plain number; what
 * needs words (assign, swizzle, orders, formats) is read below. */
#include "study/validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/suggest.h"
#include "timing/copies.h"

enum column {
    COL_ID = 0,
    COL_TARGET,
    COL_USE,
    COL_FAMILY,
    COL_OP,
    COL_M,
    COL_N,
    COL_K,
    COL_DTYPE_A,
    COL_DTYPE_B,
    COL_DTYPE_C,
    COL_TRANS_A,
    COL_TRANS_B,
    COL_FORMAT_A,
    COL_FORMAT_B,
    COL_FORMAT_C,
    COL_ASSIGN,
    COL_SWIZZLE,
    COL_L2_ROUNDS,
    COL_ITERATE_ORDER,
    COL_DEPTH_A,
    COL_DEPTH_B,
    COL_X_N,
    COL_X_C1,
    COL_X_H,
    COL_X_W,
    COL_X_C0,
    COL_KERNEL_H,
    COL_KERNEL_W,
    COL_STRIDE,
    COL_PAD,
    COL_DILATION,
    COL_MIX,
    COL_HIGHLEVEL,
    COL_COPY_PASSES,
    COL_COPY_NSPLIT,
    COL_L2_WARM,
    COL_TASK,
    COL_MEAN,
    COL_MAC,
    COL_MTE1,
    COL_MTE2,
    COL_FIXPIPE,
    COL_N_
};

static const struct {
    const char *name;
    bool required;
} COLUMNS[COL_N_] = {
    [COL_ID] = {"id", true},
    [COL_TARGET] = {"target", true},
    [COL_USE] = {"use", false},
    [COL_FAMILY] = {"family", false},
    [COL_OP] = {"op", false},
    [COL_M] = {"M", true},
    [COL_N] = {"N", true},
    [COL_K] = {"K", true},
    [COL_DTYPE_A] = {"dtype_a", true},
    [COL_DTYPE_B] = {"dtype_b", false},
    [COL_DTYPE_C] = {"dtype_c", false},
    [COL_TRANS_A] = {"trans_a", false},
    [COL_TRANS_B] = {"trans_b", false},
    [COL_FORMAT_A] = {"format_a", false},
    [COL_FORMAT_B] = {"format_b", false},
    [COL_FORMAT_C] = {"format_c", false},
    [COL_ASSIGN] = {"assign", false},
    [COL_SWIZZLE] = {"swizzle", false},
    [COL_L2_ROUNDS] = {"l2_rounds_m", false},
    [COL_ITERATE_ORDER] = {"iterateOrder", false},
    [COL_DEPTH_A] = {"depthA1", false},
    [COL_DEPTH_B] = {"depthB1", false},
    [COL_X_N] = {"x_n", false},
    [COL_X_C1] = {"x_c1", false},
    [COL_X_H] = {"x_h", false},
    [COL_X_W] = {"x_w", false},
    [COL_X_C0] = {"x_c0", false},
    [COL_KERNEL_H] = {"k_h", false},
    [COL_KERNEL_W] = {"k_w", false},
    [COL_STRIDE] = {"stride", false},
    [COL_PAD] = {"pad", false},
    [COL_DILATION] = {"dilation", false},
    [COL_MIX] = {"mix", false},
    [COL_HIGHLEVEL] = {"highlevel_init", false},
    [COL_COPY_PASSES] = {"copy_passes", false},
    [COL_COPY_NSPLIT] = {"copy_nsplit", false},
    [COL_L2_WARM] = {"l2_warm", false},
    [COL_TASK] = {"task_us", false},
    [COL_MEAN] = {"aicore_mean_us", false},
    [COL_MAC] = {"mac_us", false},
    [COL_MTE1] = {"mte1_us", false},
    [COL_MTE2] = {"mte2_us", false},
    [COL_FIXPIPE] = {"fixpipe_us", false},
};

/* Columns that are a tiling field as a number. */
static const struct {
    const char *name;
    enum tiling_field field;
} FIELDS[] = {
    {"singleCoreM", TF_singleCoreM},
    {"singleCoreN", TF_singleCoreN},
    {"singleCoreK", TF_singleCoreK},
    {"baseM", TF_baseM},
    {"baseN", TF_baseN},
    {"baseK", TF_baseK},
    {"stepM", TF_stepM},
    {"stepN", TF_stepN},
    {"stepKa", TF_stepKa},
    {"stepKb", TF_stepKb},
    {"depthA1", TF_depthA1},
    {"depthB1", TF_depthB1},
    {"dbL0A", TF_dbL0A},
    {"dbL0B", TF_dbL0B},
    {"dbL0C", TF_dbL0C},
    {"usedCoreNum", TF_usedCoreNum},
    {"unitflag", TF_unitflag},
    {"wait_both_before_load", TF_waitBoth},
    {"tile_barrier", TF_tileBarrier},
    {"k_stagger", TF_shuffleK},
    {"mx_scale_factor", TF_scaleFactorKa},
};
#define FIELD_COUNT (sizeof FIELDS / sizeof FIELDS[0])

/* Columns that say what the model has no use for. */
static const char *const UNUSED[] = {"source", "load_instruction", "core_max_us", "note"};
#define UNUSED_COUNT (sizeof UNUSED / sizeof UNUSED[0])

struct validate_columns {
    int column[COL_N_];
    int field[FIELD_COUNT];
};

const char *measure_name(enum measure m)
{
    static const char *const names[MEASURE_N] = {"task", "mean", "mac", "mte1", "mte2", "fixpipe"};
    return m < MEASURE_N ? names[m] : "?";
}

/* All names that are read, for "did you mean"; @return how many. */
static size_t known_names(const char *out[COL_N_ + FIELD_COUNT + UNUSED_COUNT + 1])
{
    size_t n = 0;
    for (int i = 0; i < COL_N_; i++) {
        out[n++] = COLUMNS[i].name;
    }
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        out[n++] = FIELDS[i].name;
    }
    for (size_t i = 0; i < UNUSED_COUNT; i++) {
        out[n++] = UNUSED[i];
    }
    out[n] = NULL;
    return n;
}

/* Warns of columns nothing reads, and of a file without a time: all its errors would be blank. */
static void warn_of_columns(const struct csv_table *csv, const struct validate_columns *c, const struct location *at,
                            struct diag *d)
{
    const char *known[COL_N_ + FIELD_COUNT + UNUSED_COUNT + 1];
    const size_t count = known_names(known);
    for (size_t i = 0; i < csv->columns; i++) {
        bool read = false;
        for (size_t k = 0; k < count && !read; k++) {
            read = csv_column(csv, known[k]) == (int)i;
        }
        if (read) {
            continue;
        }
        const char *near = suggest_word(csv->header[i], known);
        diag_warning(d, at, "nothing reads column '%s'", csv->header[i]);
        if (near != NULL) {
            diag_hint(d, "did you mean '%s'?", near);
        }
    }
    for (int m = COL_TASK; m <= COL_FIXPIPE; m++) {
        if (c->column[m] >= 0) {
            return;
        }
    }
    diag_warning(d, at, "no column has a time, so there is nothing to compare");
    diag_hint(d, "times are columns task_us, aicore_mean_us, mac_us, mte1_us, mte2_us, fixpipe_us");
}

enum status validate_columns_find(const struct csv_table *csv, struct arena *arena, struct validate_columns **out,
                                  struct diag *d)
{
    struct validate_columns *c = arena_alloc(arena, 1, sizeof *c);
    if (c == NULL) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for the columns of %s", csv->file);
    }
    const struct location at = {.file = csv->file, .source = csv->source, .line = 1};
    enum status st = STATUS_OK;
    for (int i = 0; i < COL_N_; i++) {
        c->column[i] = csv_column(csv, COLUMNS[i].name);
        if (c->column[i] < 0 && COLUMNS[i].required) {
            st = diag_error(d, STATUS_INVALID, &at, "column '%s' is missing", COLUMNS[i].name);
        }
    }
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        c->field[i] = csv_column(csv, FIELDS[i].name);
    }
    if (st == STATUS_OK) {
        warn_of_columns(csv, c, &at, d);
    }
    *out = c;
    return st;
}

/* --- fields of one row ---------------------------------------------------- */

struct reader {
    const struct csv_table *csv;
    const struct validate_columns *columns;
    size_t row;
    struct diag *d;
    enum status st;
};

static const char *text_at(const struct reader *r, int column)
{
    return column < 0 ? "" : r->csv->rows[r->row].fields[column];
}

static const char *text(const struct reader *r, enum column column)
{
    return text_at(r, r->columns->column[column]);
}

/* A column that is not there is the row's own fault. */
static void bad(struct reader *r, int column, const char *what)
{
    const struct location at = csv_location(r->csv, r->row, column < 0 ? 0 : (size_t)column);
    r->st = diag_error(r->d, STATUS_INVALID, &at, "'%s' is not %s", text_at(r, column), what);
}

/* An integer in [0, most]; `otherwise` when empty. */
static int64_t integer_at(struct reader *r, int column, int64_t most, int64_t otherwise)
{
    const char *s = text_at(r, column);
    if (*s == '\0') {
        return otherwise;
    }
    char *end;
    const long long v = strtoll(s, &end, 10);
    if (*end != '\0' || v < 0 || v > most) {
        bad(r, column, "a whole number in range");
        return otherwise;
    }
    return v;
}

static int64_t integer(struct reader *r, enum column column, int64_t most, int64_t otherwise)
{
    return integer_at(r, r->columns->column[column], most, otherwise);
}

static double real(struct reader *r, enum column column)
{
    const char *s = text(r, column);
    if (*s == '\0') {
        return NAN;
    }
    char *end;
    const double v = strtod(s, &end);
    if (*end != '\0' || !(v >= 0)) {
        bad(r, r->columns->column[column], "a time");
        return NAN;
    }
    return v;
}

/* `otherwise`: the dtype of an operand the row says none of. */
static void read_operand(struct reader *r, struct operand *o, const struct operand *otherwise, enum column dtype,
                         enum column trans, enum column format)
{
    static const struct {
        const char *name;
        enum dtype dtype;
    } mx[] = {{"mxfp4", DTYPE_FP4_E2M1}, {"mxfp8", DTYPE_FP8_E4M3}};
    const char *name = text(r, dtype);
    o->dtype = dtype_from_name(name);
    for (size_t i = 0; i < sizeof mx / sizeof mx[0]; i++) {
        if (strcmp(name, mx[i].name) == 0) {
            o->dtype = mx[i].dtype;
            o->mx = true;
        }
    }
    if (*name == '\0' && otherwise != NULL) {
        o->dtype = otherwise->dtype;
        o->mx = otherwise->mx;
    } else if (o->dtype == DTYPE_NONE) {
        bad(r, r->columns->column[dtype], "an element type");
    }
    o->transpose = trans != COL_N_ && strcmp(text(r, trans), "T") == 0;
    const char *layout = text(r, format);
    o->format = *layout == '\0' ? LAYOUT_ND : layout_from_name(layout);
    if (o->format == LAYOUT_N) {
        bad(r, r->columns->column[format], "a layout");
    }
}

static bool is_conv(const struct validate_row *row)
{
    return strcmp(row->op, "conv2d") == 0;
}

/* A conv row's M runs over all images; ours over one. */
static void read_conv(struct reader *r, struct problem *p)
{
    struct conv_shape *v = &p->conv;
    p->op = PROBLEM_CONV;
    v->n = integer(r, COL_X_N, INT32_MAX, 1);
    v->c = integer(r, COL_X_C1, 1 << 20, 0) * integer(r, COL_X_C0, 64, 0);
    v->h = integer(r, COL_X_H, 1000000, 0);
    v->w = integer(r, COL_X_W, 1000000, 0);
    v->kh = integer(r, COL_KERNEL_H, 511, 1);
    v->kw = integer(r, COL_KERNEL_W, 511, 1);
    v->cout = p->N;
    v->stride_h = v->stride_w = (int32_t)integer(r, COL_STRIDE, 63, 1);
    v->dilation_h = v->dilation_w = (int32_t)integer(r, COL_DILATION, 255, 1);
    v->pad_top = v->pad_bottom = v->pad_left = v->pad_right = (int32_t)integer(r, COL_PAD, 255, 0);
}

static void read_problem(struct reader *r, struct validate_row *out)
{
    struct problem *p = &out->problem;
    p->name = out->id;
    p->M = integer(r, COL_M, INT32_MAX, 0);
    p->N = integer(r, COL_N, INT32_MAX, 0);
    p->K = integer(r, COL_K, INT32_MAX, 0);
    read_operand(r, &p->a, NULL, COL_DTYPE_A, COL_TRANS_A, COL_FORMAT_A);
    if (strncmp(out->op, "copy", 4) == 0) {
        return;
    }
    const struct operand result = {.dtype = problem_default_result(p->a.dtype)};
    read_operand(r, &p->b, &p->a, COL_DTYPE_B, COL_TRANS_B, COL_FORMAT_B);
    read_operand(r, &p->c, &result, COL_DTYPE_C, COL_N_, COL_FORMAT_C);
    if (is_conv(out)) {
        read_conv(r, p);
    }
    if (p->a.mx) {
        p->scale_a.dtype = p->scale_b.dtype = DTYPE_E8M0;
    }
}

/* A pure copy needs all of its sizes: nothing derives them. */
static void check_copy(struct reader *r, const struct validate_row *row)
{
    static const enum tiling_field sizes[] = {TF_singleCoreM, TF_baseM, TF_baseN, TF_usedCoreNum};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (tiling_get(&row->tiling, sizes[i]) < 1) {
            const struct location at = csv_location(r->csv, r->row, (size_t)r->columns->column[COL_ID]);
            r->st = diag_error(r->d, STATUS_INVALID, &at, "a copy needs column '%s'",
                               tiling_field_info(sizes[i])->name);
        }
    }
    if (row->problem.M < 1 || row->problem.N < 1 || row->copy_passes < 1 || row->copy_nsplit < 1) {
        bad(r, r->columns->column[COL_M], "a copy of M x N in copy_passes and copy_nsplit of at least 1");
    }
}

/* "swizzle:3,1", "aswt", "chunk". */
static void read_order(struct reader *r, struct tiling *t)
{
    const char *order = text(r, COL_SWIZZLE);
    int offset, direction;
    if (strcmp(order, "aswt") == 0) {
        t->order = ORDER_ASWT;
    } else if (strcmp(order, "chunk") == 0) {
        t->order = ORDER_CHUNK;
    } else if (sscanf(order, "swizzle:%d,%d", &offset, &direction) == 2) {
        t->order = ORDER_SWIZZLE;
        t->orderOffset = offset;
        t->orderDirection = direction;
    } else if (*order != '\0') {
        bad(r, r->columns->column[COL_SWIZZLE], "a tile order");
    }
    const int64_t rounds = integer(r, COL_L2_ROUNDS, 65535, 1);
    if (rounds > 1) {
        t->order = ORDER_L2SPLIT;
        t->orderRounds = (int32_t)rounds;
    }
}

/* L1 halves of an operand, from its depth and steps. */
static int32_t buffers(int32_t depth, int32_t step_mn, int32_t step_k)
{
    const bool said = depth > 0 && step_mn > 0 && step_k > 0;
    return said ? depth / (step_mn * step_k) : TILING_AUTO;
}

static void read_tiling(struct reader *r, struct tiling *t)
{
    tiling_all_auto(t);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        tiling_set(t, FIELDS[i].field, (int32_t)integer_at(r, r->columns->field[i], INT32_MAX, TILING_AUTO));
    }
    if (t->scaleFactorKa == 0) { /* so files say of operands without scales */
        t->scaleFactorKa = TILING_AUTO;
    }
    t->scaleFactorKb = t->scaleFactorKa;
    t->dbA1 = buffers(t->depthA1, t->stepM, t->stepKa);
    t->dbB1 = buffers(t->depthB1, t->stepN, t->stepKb);
    const char *assign = text(r, COL_ASSIGN), *order = text(r, COL_ITERATE_ORDER);
    t->assign = strcmp(assign, "blocks") == 0 ? ASSIGN_BLOCKS : *assign == '\0' ? TILING_AUTO : ASSIGN_GRID;
    t->iterateOrder = strcmp(order, "ORDER_N") == 0 ? 1 : *order == '\0' ? TILING_AUTO : 0;
    t->kernel = integer(r, COL_MIX, 1, 0) ? KERNEL_MIX : KERNEL_CUBE;
    t->api = integer(r, COL_HIGHLEVEL, 1, 0) ? API_HIGH : API_BASIC;
    read_order(r, t);
}

enum status validate_row_read(const struct csv_table *csv, const struct validate_columns *columns, size_t i,
                              struct validate_row *out, struct diag *d)
{
    struct reader r = {.csv = csv, .columns = columns, .row = i, .d = d, .st = STATUS_OK};
    memset(out, 0, sizeof *out);
    out->id = text(&r, COL_ID);
    out->use = text(&r, COL_USE);
    out->family = text(&r, COL_FAMILY);
    out->op = *text(&r, COL_OP) == '\0' ? "matmul" : text(&r, COL_OP);
    const char *target = text(&r, COL_TARGET), *alias = target_alias(target);
    out->target_name = alias != NULL ? alias : target;
    for (int m = 0; m < MEASURE_N; m++) {
        out->measured[m] = real(&r, (enum column)(COL_TASK + m));
    }
    out->start.l2_warm = integer(&r, COL_L2_WARM, 1, 0) != 0;
    out->copy_passes = (int32_t)integer(&r, COL_COPY_PASSES, INT32_MAX, 1);
    out->copy_nsplit = (int32_t)integer(&r, COL_COPY_NSPLIT, INT32_MAX, 1);
    if (strcmp(out->op, "matmul") != 0 && strcmp(out->op, "matmul_mx") != 0 && !is_conv(out) &&
        strncmp(out->op, "copy", 4) != 0) {
        return STATUS_UNSUPPORTED;
    }
    read_problem(&r, out);
    read_tiling(&r, &out->tiling);
    out->fixpipe_waits = out->tiling.unitflag == 1;
    if (strncmp(out->op, "copy", 4) == 0) {
        check_copy(&r, out);
        return r.st;
    }
    TRY(r.st);
    const struct location at = csv_location(csv, i, (size_t)columns->column[COL_M]);
    TRY(problem_finish(&out->problem, &at, d));
    if (is_conv(out) && out->tiling.singleCoreM > out->problem.M) {
        out->tiling.singleCoreM = (int32_t)out->problem.M;
    }
    return STATUS_OK;
}

/* --- prediction ----------------------------------------------------------- */

static void predict_copies(const struct validate_row *row, double predicted[MEASURE_N])
{
    const struct target *target = row->target;
    const struct copies copies = {.rows = row->problem.M,
                                  .cols = row->problem.N,
                                  .rows_core = row->tiling.singleCoreM,
                                  .base_rows = row->tiling.baseM,
                                  .base_cols = row->tiling.baseN,
                                  .cores = row->tiling.usedCoreNum,
                                  .passes = row->copy_passes,
                                  .splits = row->copy_nsplit};
    predicted[MEASURE_MTE2] = timing_us(target, timing_copies(target, row->problem.a.dtype, &copies));
}

enum status validate_time(struct timing *t, const struct validate_row *row, double predicted[MEASURE_N],
                          struct timing_result *result, struct infeasible *why, struct diag *d)
{
    for (int m = 0; m < MEASURE_N; m++) {
        predicted[m] = NAN;
    }
    memset(result, 0, sizeof *result);
    *why = (struct infeasible){.reason = REASON_NONE, .field = TF_N};
    if (strncmp(row->op, "copy", 4) == 0) {
        predict_copies(row, predicted);
        return STATUS_OK;
    }
    struct tiling tiling = row->tiling;
    struct plan plan;
    struct schedule s;
    tiling_resolve(row->target, &row->problem, &tiling, why);
    if (why->reason != REASON_NONE) {
        return STATUS_OK;
    }
    plan_make(row->target, &row->problem, &tiling, &plan, why);
    TRY(schedule_init(&s, row->target, &row->problem, &tiling, &plan, d));
    TRY(timing_fast(t, &s, &row->start, result));
    predicted[MEASURE_TASK] = timing_us(row->target, result->task);
    predicted[MEASURE_MEAN] = timing_us(row->target, result->core_mean);
    predicted[MEASURE_MAC] = timing_us(row->target, result->busy[PIPE_M]);
    predicted[MEASURE_MTE1] = timing_us(row->target, result->busy[PIPE_MTE1]);
    predicted[MEASURE_MTE2] = timing_us(row->target, result->busy[PIPE_MTE2]);
    predicted[MEASURE_FIXPIPE] = timing_us(row->target, result->busy[PIPE_FIX]);
    return STATUS_OK;
}
