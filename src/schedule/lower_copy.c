/* lower_copy.c - GM->L1 copies: chunks of A and B in ND or Nz, their MX scales
 * with the zero Fill of K tails (kernel_rules.md 5, 6). */
#include "base/intmath.h"
#include "schedule/lower.h"
#include "schedule/lower_conv.h"
#include "tiling/loads.h"

static const struct operand *operand_of(const struct schedule *s, enum role role)
{
    return problem_operand(s->problem, (enum tensor)role);
}

/* The data operand a role belongs to. */
static enum role data_role(enum role role)
{
    return role == ROLE_SA ? ROLE_A : role == ROLE_SB ? ROLE_B : role;
}

static bool is_scale(enum role role)
{
    return role == ROLE_SA || role == ROLE_SB;
}

bool lower_copy_due(const struct schedule *s, const struct step *step, enum role role)
{
    switch (role) {
    case ROLE_A:
        return (step->due & DUE_COPY_A) != 0 && (step->due & DUE_KEEP_A) == 0;
    case ROLE_B:
        return (step->due & DUE_COPY_B) != 0 && (step->due & DUE_KEEP_B) == 0;
    case ROLE_SA:
        return (step->due & DUE_COPY_SA) != 0;
    case ROLE_SB:
        return (step->due & DUE_COPY_SB) != 0;
    case ROLE_BIAS:
        return lower_bias_due(s, step);
    case ROLE_QUANT:
        return lower_quant_due(s, step) && (step->due & DUE_INIT) != 0;
    case ROLE_C:
    case ROLE_N:
        break;
    }
    return false;
}

/* --- what is copied --------------------------------------------------------- */

/* Elements of GM a copy covers: rows x cols from (row0, col0), as it lies in memory. */
struct window {
    int64_t row0, col0, rows, cols;
    int64_t chunk_k;
};

/* K origin and length of a chunk of data, or of scales, that begins in this step. */
static void chunk_range(const struct schedule *s, const struct step *step, enum role role, int64_t *at, int64_t *k)
{
    const enum role data = data_role(role);
    const bool chunked = s->hold[data] == HOLD_CHUNKS;
    if (is_scale(role) && s->t.scaleCopy == SCALES_BY_STEP) {
        *at = step->k0;
        *k = step->k;
        return;
    }
    const int64_t step_k = data == ROLE_A ? s->t.stepKa : s->t.stepKb;
    const int64_t factor = !is_scale(role) ? 1 : data == ROLE_A ? s->t.scaleFactorKa : s->t.scaleFactorKb;
    *at = chunked ? step->k0 : 0;
    *k = chunked ? min_i64(step_k * factor * s->t.baseK, step->tile.k - *at) : step->tile.k;
}

void lower_scale_rows(const struct schedule *s, const struct tile *tile, enum role role, int64_t *from, int64_t *extent)
{
    const struct tile_hold *h = &tile->hold[role];
    const bool span = (role == ROLE_A ? s->t.scaleFactorM : s->t.scaleFactorN) > 1;
    *from = span ? h->scale_from : h->from;
    *extent = span ? h->scale_extent : h->extent;
    if (s->t.scaleCopy == SCALES_BY_STEP) {
        *from = role == ROLE_A ? tile->m0 : tile->n0;
        *extent = role == ROLE_A ? tile->m : tile->n;
    }
}

/* Scales as they lie in memory: [M, scaleK], or [scaleK / 2, M, 2] (transpose). */
static struct window scale_window(const struct schedule *s, const struct step *step, enum role role)
{
    int64_t at, k, from, extent;
    chunk_range(s, step, role, &at, &k);
    lower_scale_rows(s, &step->tile, data_role(role), &from, &extent);
    const int64_t code = (step->tile.k0 + at) / 32, codes = 2 * ceil_div(k, 64);
    const struct window inner = {from, code, extent, codes, k};
    const struct window pairs = {code / 2, 2 * from, codes / 2, 2 * extent, k};
    return operand_of(s, role)->transpose ? pairs : inner;
}

static struct window data_window(const struct schedule *s, const struct step *step, enum role role)
{
    const struct tile_hold *h = &step->tile.hold[role];
    int64_t at, k;
    chunk_range(s, step, role, &at, &k);
    const int64_t k0 = step->tile.k0 + at;
    /* FRACTAL_Z has rows of zeros behind the last filter: brought where their products are stored. */
    const int64_t extent = role == ROLE_B ? schedule_store_columns(s, h->from, h->extent) : h->extent;
    return load_k_contiguous(s->problem, role) ? (struct window){h->from, k0, extent, k, k}
                                               : (struct window){k0, h->from, k, extent, k};
}

static struct window copy_window(const struct schedule *s, const struct step *step, enum role role)
{
    if (role == ROLE_BIAS || role == ROLE_QUANT) {
        return (struct window){0, step->tile.n0, 1, step->tile.n, 0};
    }
    return is_scale(role) ? scale_window(s, step, role) : data_window(s, step, role);
}

/* Byte of GM where a window of an ND operand starts. */
static int64_t nd_byte(const struct operand *o, int64_t batch, int64_t row, int64_t col)
{
    return (batch * o->rows + row) * dtype_bytes(o->dtype, o->ld) + dtype_bytes(o->dtype, col);
}

/* --- how it is issued --------------------------------------------------------- */

enum copy_form {
    COPY_ND2NZ,       /* one instruction */
    COPY_ND2NZ_ROW,   /* one a row: the pitch does not fit srcDValue */
    COPY_ZZ,          /* matrices of 16 rows, one behind the other: one instruction and one for the rest */
    COPY_ZZ_BAND,     /* one per 16 rows: a stride from matrix to matrix does not fit */
    COPY_ROW,         /* one strided DataCopy a row: rowCopy, few rows */
    COPY_VECTOR,      /* one row, contiguous in L1: GEMV, bias, quant words */
    COPY_NZ,          /* one DataCopy of C0 columns */
    COPY_NZ_COLUMN,   /* one a column: the gap does not fit srcGap */
    COPY_SCALE_DN,    /* scales with K inner: Dn2Nz */
    COPY_SCALE_ND,    /* scales in pairs: Nd2Nz */
    COPY_SCALE_VECTOR /* those of one row, contiguous in L1: GEMV */
};

#define ROW_COPY_ROWS 16    /* rows up to which vendor kernels copy row by row */
#define STRIDE_MAX    65535 /* source strides on 2201 and older */
#define MATRIX_MAX    16384 /* dstNzMatrixStride on 2201 and older */

/* 2201 and older hold srcDValue in 16 bits; 3510 in 40 (A29). */
static bool pitch_fits(const struct schedule *s, const struct operand *o)
{
    return s->target->arch == 3510 || o->ld <= STRIDE_MAX;
}

bool lower_zz(const struct schedule *s, enum role role)
{
    const int32_t load = role == ROLE_A ? s->t.loadA : s->t.loadB;
    return load == LOAD_TRANSPOSE && s->target->arch != 3510 && dtype_c0(operand_of(s, role)->dtype) == 8;
}

static enum copy_form nd_form(const struct schedule *s, const struct operand *o, enum role role, const struct window *w)
{
    if (!pitch_fits(s, o)) {
        return COPY_ND2NZ_ROW;
    }
    if (!lower_zz(s, role)) {
        return COPY_ND2NZ;
    }
    return 16 * o->ld <= STRIDE_MAX && 16 * (int64_t)s->image_cols[role] <= MATRIX_MAX && w->rows > 16 ? COPY_ZZ
                                                                                                       : COPY_ZZ_BAND;
}

static enum copy_form copy_form(const struct schedule *s, const struct step *step, enum role role,
                                const struct window *w)
{
    const struct operand *o = operand_of(s, role);
    if (role == ROLE_SA && lower_gemv(s, &step->tile)) {
        return COPY_SCALE_VECTOR;
    }
    if (is_scale(role)) {
        return o->transpose ? COPY_SCALE_ND : COPY_SCALE_DN;
    }
    if (role == ROLE_BIAS || role == ROLE_QUANT || (role == ROLE_A && lower_gemv(s, &step->tile))) {
        return COPY_VECTOR;
    }
    if (o->format != LAYOUT_ND) {
        return align_up(o->rows, 16) - w->rows <= STRIDE_MAX ? COPY_NZ : COPY_NZ_COLUMN;
    }
    /* A strided row copy moves whole 32 B blocks: it must not run past the row. */
    if (s->t.rowCopy && role == ROLE_A && load_k_contiguous(s->problem, role) && w->rows <= ROW_COPY_ROWS &&
        w->cols % dtype_c0(o->dtype) == 0) {
        return COPY_ROW;
    }
    return nd_form(s, o, role, w);
}

static int32_t copy_insns(enum copy_form form, const struct window *w, int64_t columns)
{
    switch (form) {
    case COPY_ND2NZ_ROW:
    case COPY_ROW:
        return (int32_t)w->rows;
    case COPY_NZ_COLUMN:
        return (int32_t)columns;
    case COPY_ZZ:
        return w->rows % 16 != 0 ? 2 : 1;
    case COPY_ZZ_BAND:
        return (int32_t)ceil_div(w->rows, 16);
    case COPY_ND2NZ:
    case COPY_VECTOR:
    case COPY_NZ:
    case COPY_SCALE_DN:
    case COPY_SCALE_ND:
    case COPY_SCALE_VECTOR:
        break;
    }
    return 1;
}

/* MmadMx multiplies whole blocks of 64 k, so a chunk's tail is zeros up to
 * there. ND2NZ leaves zeros to the end of 32 B only, and no rows. */
static bool needs_fill(const struct schedule *s, enum role role, const struct window *w)
{
    const struct operand *o = operand_of(s, role);
    const int64_t rest = w->chunk_k % 64;
    return (role == ROLE_A || role == ROLE_B) && o->mx && rest != 0 &&
           (!load_k_contiguous(s->problem, role) || align_up(rest, dtype_c0(o->dtype)) < 64);
}

/* Blocks of 32 B up to the next 64 k: whole columns of the image where K is
 * contiguous, else rows of every column. */
static int64_t fill_blocks(const struct schedule *s, const struct step *step, enum role role, const struct window *w)
{
    const int64_t rows = role == ROLE_A && lower_gemv(s, &step->tile) ? 1 : s->image_rows[role];
    const int64_t c0 = dtype_c0(operand_of(s, role)->dtype), end = align_up(w->chunk_k, 64);
    return load_k_contiguous(s->problem, role) ? (end / c0 - ceil_div(w->chunk_k, c0)) * rows
                                               : ceil_div(w->cols, c0) * (end - w->chunk_k);
}

void lower_copy_shape(const struct schedule *s, const struct step *step, enum role role, struct copy_shape *out)
{
    if (role == ROLE_A && s->problem->op == PROBLEM_CONV) {
        lower_conv_copy_shape(s, step, out);
        return;
    }
    const struct operand *o = operand_of(s, role);
    const struct window w = copy_window(s, step, role);
    const int64_t columns = ceil_div(w.cols, dtype_c0(o->dtype));
    out->chunk_k = (int32_t)w.chunk_k;
    out->rows = (int32_t)w.rows;
    out->row_bytes = (int32_t)(o->format != LAYOUT_ND ? columns * 32 : dtype_bytes(o->dtype, w.cols));
    out->insns = copy_insns(copy_form(s, step, role, &w), &w, columns);
    out->fills = needs_fill(s, role, &w);
    out->halo = 0;
    out->fill_bytes = out->fills > 0 ? fill_blocks(s, step, role, &w) * 32 : 0;
}

int64_t lower_copy_max(const struct schedule *s)
{
    int64_t most = 0;
    for (int i = 0; i < 2; i++) {
        most += max_i64(s->image_rows[i], s->image_cols[i] / 8) + 4;
    }
    return most;
}

/* --- instructions ------------------------------------------------------------- */

/* A copy under way: what, where from, and the image it goes to. */
struct copy {
    struct list *l;
    enum role role;
    const struct operand *o;
    int64_t batch;
    struct window w;
    const struct region *region;
    int64_t rows, cols; /* of the image; scales: rows = its pitch */
};

static struct insn *push_copy(const struct copy *c, enum op op, int64_t src, int64_t dst_blocks)
{
    struct insn *i = list_push(c->l, op, PIPE_MTE2, c->role);
    i->dtype = (uint8_t)c->o->dtype;
    i->dst = (struct addr){.buf = BUF_L1, .half = c->region->half, .byte = c->region->off + dst_blocks * 32};
    i->src = (struct addr){.buf = BUF_GM, .tensor = (uint8_t)c->role, .byte = src};
    return i;
}

/* ND2NZ of `rows` rows from row `r` of the window, `count` times 16 rows apart
 * where count > 1. */
static void push_nd2nz(const struct copy *c, int64_t r, int64_t rows, int64_t count, int64_t c0_stride, int64_t blocks)
{
    /* b4 copies count packed bytes (kernel_rules 5). */
    const int64_t per = dtype_info(c->o->dtype)->bits == 4 ? 2 : 1;
    struct insn *i = push_copy(c, OP_ND2NZ, nd_byte(c->o, c->batch, c->w.row0 + r, c->w.col0), blocks);
    i->p.nd2nz = (struct nd2nz_params){.ndNum = (uint32_t)count,
                                       .nValue = (uint32_t)rows,
                                       .dValue = (uint32_t)(c->w.cols / per),
                                       .srcDValue = rows > 1 ? c->o->ld / per : 1,
                                       .dstNzC0Stride = (uint32_t)c0_stride,
                                       .dstNzNStride = 1};
    if (count > 1) {
        i->p.nd2nz.srcNdMatrixStride = 16 * c->o->ld / per;
        i->p.nd2nz.dstNzMatrixStride = (uint32_t)(16 * c->cols);
    }
}

/* Row r of the window goes to row r of the image. */
static void copy_nd_rows(const struct copy *c)
{
    const bool zz = lower_zz(c->l->s, c->role);
    const int64_t band = 16 * c->cols / dtype_c0(c->o->dtype); /* blocks of 16 rows of a Zz image */
    for (int64_t r = 0; r < c->w.rows; r++) {
        push_nd2nz(c, r, 1, 1, zz ? 16 : c->rows, zz ? r / 16 * band + r % 16 : r);
    }
}

/* b32 for WithTranspose: each 16 rows an Nz matrix of their own, so that the two
 * fractals of a square are neighbours ([s:load_data_l12l0] 14). */
static void copy_zz(const struct copy *c, bool whole)
{
    const int64_t band = 16 * c->cols / dtype_c0(c->o->dtype), full = whole ? c->w.rows / 16 : 0;
    if (whole) {
        push_nd2nz(c, 0, 16, full, 16, 0);
    }
    for (int64_t r = 16 * full; r < c->w.rows; r += 16) {
        push_nd2nz(c, r, min_i64(16, c->w.rows - r), 1, 16, r / 16 * band);
    }
}

/* Row r of the window goes to row r of every C0 column of the image. */
static void copy_row_blocks(const struct copy *c)
{
    for (int64_t r = 0; r < c->w.rows; r++) {
        struct insn *i = push_copy(c, OP_DATA_COPY, nd_byte(c->o, c->batch, c->w.row0 + r, c->w.col0), r);
        i->p.copy = (struct data_copy_params){.blockCount = (uint32_t)(c->w.cols / dtype_c0(c->o->dtype)),
                                              .blockLen = 1,
                                              .dstGap = (uint32_t)(c->rows - 1)};
    }
}

/* Nz in GM is already cut into C0 columns: one block of rows a column. Only real
 * rows are moved, so a tile may start and end at any row. */
static void copy_nz(const struct copy *c, bool whole)
{
    const int64_t c0 = dtype_c0(c->o->dtype), gm_rows = align_up(c->o->rows, 16), rows = c->w.rows;
    const int64_t columns = ceil_div(c->w.cols, c0), batch = c->batch * ceil_div(c->o->cols, c0);
    for (int64_t i = 0; i < (whole ? 1 : columns); i++) {
        struct insn *n = push_copy(c, OP_DATA_COPY, ((batch + c->w.col0 / c0 + i) * gm_rows + c->w.row0) * 32,
                                   i * c->rows);
        n->p.copy = (struct data_copy_params){.blockCount = (uint32_t)(whole ? columns : 1),
                                              .blockLen = (uint32_t)rows,
                                              .srcGap = (uint32_t)(whole ? gm_rows - rows : 0),
                                              .dstGap = (uint32_t)(c->rows - rows)};
    }
}

/* Scales, two codes at a time as one b16: image rows are pairs along K, columns M (N). */
static void copy_scales(const struct copy *c)
{
    const bool pairs = c->o->transpose;
    struct insn *i = push_copy(c, pairs ? OP_ND2NZ : OP_DN2NZ, nd_byte(c->o, c->batch, c->w.row0, c->w.col0), 0);
    i->dtype = DTYPE_HALF;
    if (pairs) {
        i->p.nd2nz = (struct nd2nz_params){.ndNum = 1,
                                           .nValue = (uint32_t)c->w.rows,
                                           .dValue = (uint32_t)(c->w.cols / 2),
                                           .srcDValue = c->w.rows > 1 ? c->o->ld / 2 : 1,
                                           .dstNzC0Stride = (uint32_t)c->rows,
                                           .dstNzNStride = 1};
    } else {
        i->p.dn2nz = (struct dn2nz_params){.dnNum = 1,
                                           .nValue = (uint32_t)(c->w.cols / 2),
                                           .dValue = (uint32_t)c->w.rows,
                                           .srcDValue = c->w.rows > 1 ? c->o->ld / 2 : 1,
                                           .dstNzC0Stride = (uint32_t)c->rows,
                                           .dstNzNStride = 1};
    }
}

/* The codes of one row, two at a time as one b16, in blocks one after the other. */
static void copy_scale_vector(const struct copy *c)
{
    struct insn *i = push_copy(c, OP_ND2NZ, nd_byte(c->o, c->batch, c->w.row0, c->w.col0), 0);
    i->dtype = DTYPE_HALF;
    i->p.nd2nz = (struct nd2nz_params){.ndNum = 1,
                                       .nValue = 1,
                                       .dValue = (uint32_t)(c->w.cols / 2),
                                       .srcDValue = 1,
                                       .dstNzC0Stride = 1,
                                       .dstNzNStride = 1};
}

/* Zeros from the end of K to the next 64: columns of 32 B where K is contiguous,
 * else rows of every column. */
static void fill_tail(const struct copy *c)
{
    const int64_t k = c->w.chunk_k, end = align_up(k, 64), c0 = dtype_c0(c->o->dtype);
    const bool contiguous = load_k_contiguous(c->l->s->problem, c->role);
    struct insn *i = list_push(c->l, OP_FILL, PIPE_MTE2, c->role);
    i->dtype = DTYPE_HALF;
    i->dst = (struct addr){.buf = BUF_L1, .half = c->region->half, .byte = c->region->off};
    if (contiguous) {
        const int64_t column = ceil_div(k, c0);
        i->dst.byte += column * c->rows * 32;
        i->p.fill = (struct fill_params){.repeatTimes = 1, .blockNum = (uint32_t)((end / c0 - column) * c->rows)};
    } else {
        i->dst.byte += k * 32;
        i->p.fill = (struct fill_params){.repeatTimes = (uint32_t)ceil_div(c->w.cols, c0),
                                         .blockNum = (uint32_t)(end - k),
                                         .dstGap = (uint32_t)(c->rows - (end - k))};
    }
}

static void push_form(const struct copy *c, enum copy_form form)
{
    switch (form) {
    case COPY_ND2NZ:
        push_nd2nz(c, 0, c->w.rows, 1, c->rows, 0);
        break;
    case COPY_ND2NZ_ROW:
        copy_nd_rows(c);
        break;
    case COPY_ZZ:
    case COPY_ZZ_BAND:
        copy_zz(c, form == COPY_ZZ);
        break;
    case COPY_ROW:
        copy_row_blocks(c);
        break;
    case COPY_VECTOR:
        push_nd2nz(c, 0, 1, 1, 1, 0);
        break;
    case COPY_NZ:
    case COPY_NZ_COLUMN:
        copy_nz(c, form == COPY_NZ);
        break;
    case COPY_SCALE_DN:
    case COPY_SCALE_ND:
        copy_scales(c);
        break;
    case COPY_SCALE_VECTOR:
        copy_scale_vector(c);
        break;
    }
}

static int slot_of(const struct step *step, enum role role)
{
    switch (role) {
    case ROLE_A:
        return step->ph.a;
    case ROLE_B:
        return step->ph.b;
    case ROLE_SA:
        return step->ph.sa;
    case ROLE_SB:
        return step->ph.sb;
    case ROLE_BIAS:
    case ROLE_QUANT:
    case ROLE_C:
    case ROLE_N:
        break;
    }
    return 0;
}

void lower_copy(struct list *l, const struct step *step, enum role role)
{
    const struct schedule *s = l->s;
    if (role == ROLE_A && s->problem->op == PROBLEM_CONV) {
        lower_conv_copy(l, step);
        return;
    }
    struct copy c = {.l = l,
                     .role = role,
                     .o = operand_of(s, role),
                     .batch = problem_matrix(s->problem, (enum tensor)role, step->tile.batch),
                     .w = copy_window(s, step, role),
                     .region = plan_region(&s->plan, BUF_L1, role, slot_of(step, role))};
    c.rows = role <= ROLE_B ? s->image_rows[role] : c.region->pitch;
    if (role == ROLE_A && lower_gemv(s, &step->tile)) {
        c.rows = 1; /* a vector */
    }
    c.cols = role <= ROLE_B ? s->image_cols[role] : 0;
    const int first = l->n;
    push_form(&c, copy_form(s, step, role, &c.w));
    list_group(l, first);
    if (needs_fill(s, role, &c.w)) {
        fill_tail(&c);
    }
}
