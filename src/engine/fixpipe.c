/* Fixpipe: L0C -> GM or L1 (semantics.md 2.8, 6b, kernel_rules section 7).
 *
 * The tile in L0C is Nz: element (row, column) at column / 16 * srcStride * 64 +
 * row * 64 + column % 16 * 4 bytes (half accumulators: half of each).  Rows are converted one at a time and
 * stored as the destination's layout asks. */
#include "base/intmath.h"
#include "engine/exec.h"
#include "engine/quant.h"

/* The engine's staging bytes, cut up: a row or 16 columns of rows, one column,
 * the destination's old values, taint of a row. */
enum { ROW_COLUMN = ROW_BYTES / 4, ROW_OLD = ROW_BYTES / 2, ROW_TAINT = ROW_BYTES / 4 * 3 };

struct store {
    const struct exec *x;
    const struct fixpipe_params *p;
    struct quant quant;
    int64_t acc;        /* element of L0C, bytes: 4; half accumulators (Kirin, A33) 2 */
    int64_t c0_size;    /* 16 of them: the unit of strides in L0C */
    int64_t es;         /* destination element, bytes */
    int64_t matrices;   /* ND or DN matrices; NZ: 1 */
    int64_t src_matrix; /* bytes from one matrix to the next in L0C */
    int64_t src_row;    /* bytes from one row to the next in L0C */
    int64_t dst_matrix; /* bytes */
    int64_t dst_pitch;  /* ND row, NZ column of blocks, DN column, bytes */
    int64_t width;      /* NZ: columns of a block */
    bool any_taint;     /* the row converted last has a tainted element */
    uint8_t *taint;     /* of that row: 1 per tainted element */
};

static bool is_3510(const struct exec *x)
{
    return x->e->target->arch == 3510;
}

static void set_layout(struct store *s)
{
    const struct fixpipe_params *p = s->p;
    s->src_row = s->c0_size;
    s->matrices = 1;
    s->dst_pitch = p->dstStride * s->es;
    switch ((enum fixpipe_format)p->format) {
    case FIXPIPE_ND:
        s->matrices = p->ndNum;
        /* srcNdStride counts 1024 B on 2201 and 64 B on 3510 (A45). */
        s->src_matrix = p->srcNdStride * s->c0_size * (is_3510(s->x) ? 1 : 16);
        s->dst_matrix = p->dstNdStride * s->es;
        break;
    case FIXPIPE_DN:
        s->matrices = p->dnNum;
        s->src_matrix = p->srcNzMatrixStride * s->c0_size;
        s->dst_matrix = p->dstDnMatrixStride * s->es;
        s->src_row = p->srcNzC0Stride * s->c0_size;
        break;
    case FIXPIPE_NZ:
        if (p->arch3510 == 0) {
            s->dst_pitch = (int64_t)p->dstStride * 32;
        }
        s->width = p->channelSplit != 0 ? 8 : s->es == 1 ? 32 : 16;
        break;
    }
}

static int64_t source_byte(const struct store *s, int64_t matrix, int64_t row, int64_t column)
{
    return s->x->in->src.byte + matrix * s->src_matrix + column / 16 * s->p->srcStride * s->c0_size + row * s->src_row +
           column % 16 * s->acc;
}

/* Bytes of one row of an NZ block; a last odd half of a b8 block stays narrow. */
static int64_t block_row(const struct store *s, int64_t column)
{
    const int64_t rest = s->p->nSize - column;
    return (s->width == 32 && rest <= 16 ? 16 : s->width) * s->es;
}

static int64_t destination_end(const struct store *s)
{
    const struct fixpipe_params *p = s->p;
    const int64_t base = (s->matrices - 1) * s->dst_matrix;
    if (p->format == FIXPIPE_ND) {
        return base + (p->mSize - 1) * s->dst_pitch + p->nSize * s->es;
    }
    if (p->format == FIXPIPE_DN) {
        return base + (p->nSize - 1) * s->dst_pitch + p->mSize * s->es;
    }
    const int64_t last = (p->nSize - 1) / s->width * s->width;
    int64_t end = last / s->width * s->dst_pitch + (p->mSize - 1) * block_row(s, last) + (p->nSize - last) * s->es;
    if (last > 0) { /* a narrow last block may end before the one in front of it */
        end = max_i64(end, (last / s->width - 1) * s->dst_pitch + (p->mSize - 1) * s->width * s->es + s->width * s->es);
    }
    return end;
}

/* Row of the tile to out; what is tainted is an error on the way to GM and
 * noted on the way to L1. */
static enum status convert_row(struct store *s, int64_t matrix, int64_t row, int64_t from, int64_t to, uint8_t *out)
{
    const struct memory *m = exec_memory(s->x, &s->x->in->src);
    s->any_taint = false;
    for (int64_t c = from; c < to; c += 16) {
        const int64_t at = source_byte(s, matrix, row, c), count = min_i64(16, to - c);
        const int64_t bad = taint_find(m, at, count * s->acc);
        if (bad >= 0 && s->x->in->dst.buf == BUF_GM) {
            return exec_fail(s->x,
                             "element (%d, %d) of matrix %d depends on bytes that were never written or are not "
                             "specified (L0C byte %d)",
                             (int)row, (int)(c + (bad - at) / s->acc), (int)matrix, (int)bad);
        }
        for (int64_t i = 0; i < count; i++) {
            s->taint[c + i] = bad >= 0 && !taint_clean(m, at + i * s->acc, s->acc);
        }
        s->any_taint = s->any_taint || bad >= 0;
        quant_convert(&s->quant, m->bytes + at, c, count, out + (c - from) * s->es);
    }
    return STATUS_OK;
}

/* SetAtomicAdd: the destination's old value is added, in its own type. */
static enum status add_old(const struct store *s, int64_t off, int64_t elements, uint8_t *bytes)
{
    const struct exec *x = s->x;
    uint8_t *old = x->e->row + ROW_OLD;
    if (x->e->port[x->in->dst.tensor].read == NULL) {
        return exec_fail(x, "atomic add needs a destination that can be read");
    }
    TRY(exec_read(x, &x->in->dst, off, elements * s->es, old));
    for (int64_t i = 0; i < elements; i++) {
        if (s->quant.dst == DTYPE_FLOAT) {
            float a, b;
            memcpy(&a, old + i * 4, 4);
            memcpy(&b, bytes + i * 4, 4);
            a += b;
            memcpy(bytes + i * 4, &a, 4);
        } else {
            dtype_store(s->quant.dst, bytes, i, dtype_load(s->quant.dst, old, i) + dtype_load(s->quant.dst, bytes, i));
        }
    }
    return STATUS_OK;
}

/* Elements of the converted row (from column `first` of it on) to dst + off. */
static enum status put(const struct store *s, int64_t off, int64_t first, int64_t elements, uint8_t *bytes)
{
    const struct exec *x = s->x;
    if (x->in->dst.buf == BUF_GM) {
        if (x->e->reg.atomic != 0) {
            TRY(add_old(s, off, elements, bytes));
        }
        return exec_write(x, &x->in->dst, off, elements * s->es, bytes);
    }
    struct memory *m = exec_memory(x, &x->in->dst);
    const int64_t at = x->in->dst.byte + off;
    memcpy(m->bytes + at, bytes, (size_t)(elements * s->es));
    taint_clear(m, at, elements * s->es);
    for (int64_t i = 0; s->any_taint && i < elements; i++) {
        if (s->taint[first + i] != 0) {
            taint_set(m, at + i * s->es, s->es);
        }
    }
    return STATUS_OK;
}

static enum status store_rows(struct store *s, int64_t matrix)
{
    uint8_t *row = s->x->e->row;
    for (int64_t r = 0; r < s->p->mSize; r++) {
        TRY(convert_row(s, matrix, r, 0, s->p->nSize, row));
        if (s->p->format == FIXPIPE_ND) {
            TRY(put(s, matrix * s->dst_matrix + r * s->dst_pitch, 0, s->p->nSize, row));
            continue;
        }
        for (int64_t c = 0; c < s->p->nSize; c += s->width) {
            const int64_t off = c / s->width * s->dst_pitch + r * block_row(s, c);
            TRY(put(s, off, c, min_i64(s->width, s->p->nSize - c), row + c * s->es));
        }
    }
    return STATUS_OK;
}

/* DN: 16 columns at a time are converted row by row, then stored column by column. */
static enum status store_columns(struct store *s, int64_t matrix)
{
    uint8_t *panel = s->x->e->row, *column = panel + ROW_COLUMN;
    for (int64_t c0 = 0; c0 < s->p->nSize; c0 += 16) {
        const int64_t count = min_i64(16, s->p->nSize - c0);
        for (int64_t r = 0; r < s->p->mSize; r++) {
            TRY(convert_row(s, matrix, r, c0, c0 + count, panel + r * 16 * s->es));
        }
        for (int64_t c = 0; c < count; c++) {
            for (int64_t r = 0; r < s->p->mSize; r++) {
                memcpy(column + r * s->es, panel + (r * 16 + c) * s->es, (size_t)s->es);
            }
            TRY(put(s, matrix * s->dst_matrix + (c0 + c) * s->dst_pitch, 0, s->p->mSize, column));
        }
    }
    return STATUS_OK;
}

static enum status check_form(const struct exec *x)
{
    const struct fixpipe_params *p = &x->in->p.fixpipe;
    const bool to_gm = x->in->dst.buf == BUF_GM;
    if (x->in->src.buf != BUF_L0C || (!to_gm && x->in->dst.buf != BUF_L1)) {
        return exec_fail(x, "stores L0C to GM or L1");
    }
    if (p->format > FIXPIPE_DN || (!to_gm && p->format != FIXPIPE_NZ)) {
        return exec_fail(x, "L1 takes NZ only");
    }
    if (!quant_supports((enum quant_mode)p->quantPre, (enum dtype)x->in->dtype, (enum dtype)p->dstType)) {
        return exec_fail(x, "%s does not convert %s to %s", quant_mode_name((enum quant_mode)p->quantPre),
                         dtype_info((enum dtype)x->in->dtype)->ascend,
                         p->dstType < DTYPE_N ? dtype_info((enum dtype)p->dstType)->ascend : "?");
    }
    if (p->channelSplit != 0 && (p->format != FIXPIPE_NZ || p->dstType != DTYPE_FLOAT)) {
        return exec_fail(x, "channelSplit goes with float NZ only");
    }
    return p->format == FIXPIPE_DN && p->srcNzC0Stride == 0 ? exec_fail(x, "srcNzC0Stride is at least 1") : STATUS_OK;
}

static enum status check_store(const struct store *s)
{
    const struct exec *x = s->x;
    TRY(exec_operand(x, "source", &x->in->src, false));
    TRY(exec_operand(x, "destination", &x->in->dst, true));
    const int64_t end = source_byte(s, s->matrices - 1, s->p->mSize - 1, s->p->nSize - 1) + s->acc;
    TRY(exec_span(x, "source", &x->in->src, 0, end - x->in->src.byte));
    TRY(exec_span(x, "destination", &x->in->dst, 0, destination_end(s)));
    if (!quant_mode_is_vector(s->quant.mode)) {
        return STATUS_OK;
    }
    const struct addr row = {.buf = BUF_FB, .byte = s->p->quantAddr};
    TRY(exec_operand(x, "quant row", &row, false));
    TRY(exec_span(x, "quant row", &row, 0, (int64_t)s->p->nSize * 8));
    return taint_clean(&x->e->mem[BUF_FB], row.byte, (int64_t)s->p->nSize * 8)
               ? STATUS_OK
               : exec_fail(x, "the quant row in FB was never written");
}

enum status exec_fixpipe(const struct exec *x)
{
    const struct fixpipe_params *p = &x->in->p.fixpipe;
    if (p->mSize == 0 || p->nSize == 0) {
        return STATUS_OK;
    }
    TRY(check_form(x));
    struct store s = {
        .x = x,
        .p = p,
        .quant = {.mode = (enum quant_mode)p->quantPre,
                  .src = (enum dtype)x->in->dtype,
                  .dst = (enum dtype)p->dstType,
                  .relu = p->reluEn != 0,
                  .overflow = p->ctrl48 != 0 ? FP_KEEP : FP_SATURATE,
                  .scalar = p->deqScalar},
        .acc = dtype_info((enum dtype)x->in->dtype)->bits / 8,
        .c0_size = 16 * (dtype_info((enum dtype)x->in->dtype)->bits / 8),
        .es = dtype_info((enum dtype)p->dstType)->bits / 8,
        .taint = x->e->row + ROW_TAINT,
    };
    set_layout(&s);
    if (s.matrices == 0) {
        return STATUS_OK;
    }
    TRY(check_store(&s));
    if (quant_mode_is_vector(s.quant.mode)) {
        s.quant.row = x->e->mem[BUF_FB].bytes + p->quantAddr;
    }
    for (int64_t i = 0; i < s.matrices; i++) {
        TRY(p->format == FIXPIPE_DN ? store_columns(&s, i) : store_rows(&s, i));
    }
    exec_count(x, insn_path(x->in), s.matrices * p->mSize * p->nSize * s.es);
    return STATUS_OK;
}
