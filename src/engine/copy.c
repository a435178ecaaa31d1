/* GM -> L1 copies that change the layout (semantics.md 2.8). */
#include "base/intmath.h"
#include "engine/exec.h"

/* Bytes of `n` elements of the instruction's dtype; b4 copies count bytes (two elements each). */
static int64_t bytes_of(const struct exec *x, int64_t n)
{
    const unsigned bits = dtype_info((enum dtype)x->in->dtype)->bits;
    return bits == 4 ? n : n * (bits / 8);
}

/* Where the rows of one Nz image lie, in bytes from the operand. */
struct image {
    int64_t matrices, rows, row_bytes, blocks;
    int64_t matrix_pitch, block_pitch, row_pitch;
};

static int64_t image_end(const struct image *im)
{
    return (im->matrices - 1) * im->matrix_pitch + (im->blocks - 1) * im->block_pitch + (im->rows - 1) * im->row_pitch +
           BLOCK;
}

/* `rows` rows of the staging area, `pitch` bytes apart, to the image from its row
 * at byte `at` on: 32 B blocks, the last of a row filled up with zeros. */
static void store_rows(struct memory *m, int64_t at, const struct image *im, const uint8_t *staged, int64_t pitch,
                       int64_t rows)
{
    const int64_t whole = im->row_bytes / BLOCK, rest = im->row_bytes % BLOCK;
    for (int64_t b = 0; b < im->blocks; b++) {
        const int64_t column = at + b * im->block_pitch;
        const uint8_t *from = staged + b * BLOCK;
        uint8_t *to = m->bytes + column;
        for (int64_t r = 0; r < rows && b < whole; r++) {
            memcpy(to + r * im->row_pitch, from + r * pitch, BLOCK);
        }
        for (int64_t r = 0; r < rows && b == whole; r++) {
            memset(to + r * im->row_pitch + rest, 0, (size_t)(BLOCK - rest));
            memcpy(to + r * im->row_pitch, from + r * pitch, (size_t)rest);
        }
        if (im->row_pitch == BLOCK) {
            taint_clear(m, column, rows * BLOCK);
        }
        for (int64_t r = 0; r < rows && im->row_pitch != BLOCK; r++) {
            taint_clear(m, column + r * im->row_pitch, BLOCK);
        }
    }
}

/* Bounds far beyond the documents' that keep the arithmetic below in int64_t. */
static enum status check_sizes(const struct exec *x, int64_t matrices, int64_t rows, int64_t columns,
                               int64_t matrix_stride, int64_t row_stride)
{
    if (matrices > COUNT_MAX || rows > COUNT_MAX || columns * 8 > ROW_BYTES) {
        return exec_fail(x, "an image of %d x %d elements, %d times, is larger than any L1", (int)rows, (int)columns,
                         (int)matrices);
    }
    if (matrix_stride < 0 || matrix_stride > STRIDE_MAX || row_stride < 0 || row_stride > STRIDE_MAX) {
        return exec_fail(x, "source strides are at most 2^40 elements");
    }
    return STATUS_OK;
}

/* Both layouts fill the same image; they differ in where an element comes from. */
static enum status check_image(const struct exec *x, const struct image *im, int64_t dst_matrix_elements,
                               int64_t src_end)
{
    const struct insn *in = x->in;
    TRY(exec_operand(x, "source", &in->src, false));
    TRY(exec_operand(x, "destination", &in->dst, true));
    if (im->matrices > 1 && im->matrix_pitch % BLOCK != 0) {
        return exec_fail(x, "dstNzMatrixStride of %d elements is no multiple of 32 B", (int)dst_matrix_elements);
    }
    TRY(exec_span(x, "source", &in->src, 0, src_end));
    return exec_span(x, "destination", &in->dst, 0, image_end(im));
}

/* Rows go through the staging area a few at a time, so that what is read still
 * lies in the cache when it is scattered. Rows that touch are read at once.
 * Overlapping destinations take the last row written, as row by row. */
static enum status copy_matrix(const struct exec *x, const struct image *im, int64_t src, int64_t row_step, int64_t dst)
{
    enum { STAGED = 16384 };
    struct memory *m = exec_memory(x, &x->in->dst);
    const bool apart = im->row_pitch >= BLOCK && im->block_pitch >= im->rows * im->row_pitch;
    const int64_t most = apart ? max_i64(1, STAGED / im->row_bytes) : 1;
    for (int64_t r = 0; r < im->rows; r += most) {
        const int64_t rows = min_i64(most, im->rows - r);
        if (row_step == im->row_bytes) {
            TRY(exec_read(x, &x->in->src, src + r * row_step, rows * row_step, x->e->row));
        }
        for (int64_t i = 0; i < rows && row_step != im->row_bytes; i++) {
            TRY(exec_read(x, &x->in->src, src + (r + i) * row_step, im->row_bytes, x->e->row + i * im->row_bytes));
        }
        store_rows(m, dst + r * im->row_pitch, im, x->e->row, im->row_bytes, rows);
    }
    return STATUS_OK;
}

enum status exec_nd2nz(const struct exec *x)
{
    const struct insn *in = x->in;
    const struct nd2nz_params *p = &in->p.nd2nz;
    if (p->ndNum == 0 || p->nValue == 0 || p->dValue == 0) {
        return STATUS_OK;
    }
    TRY(check_sizes(x, p->ndNum, p->nValue, p->dValue, p->srcNdMatrixStride, p->srcDValue));
    const struct image im = {
        .matrices = p->ndNum,
        .rows = p->nValue,
        .row_bytes = bytes_of(x, p->dValue),
        .blocks = ceil_div(bytes_of(x, p->dValue), BLOCK),
        .matrix_pitch = bytes_of(x, p->dstNzMatrixStride),
        .block_pitch = (int64_t)p->dstNzC0Stride * BLOCK,
        .row_pitch = (int64_t)p->dstNzNStride * BLOCK,
    };
    const int64_t matrix_step = bytes_of(x, p->srcNdMatrixStride), row_step = bytes_of(x, p->srcDValue);
    TRY(check_image(x, &im, p->dstNzMatrixStride,
                    (im.matrices - 1) * matrix_step + (im.rows - 1) * row_step + im.row_bytes));
    for (int64_t i = 0; i < im.matrices; i++) {
        TRY(copy_matrix(x, &im, i * matrix_step, row_step, in->dst.byte + i * im.matrix_pitch));
    }
    exec_count(x, PATH_GM_L1, im.matrices * im.rows * im.row_bytes);
    return STATUS_OK;
}

/* Source row d holds column d of the image: element n goes to image row n. */
static void store_column(struct memory *m, int64_t at, const struct image *im, int64_t d, int64_t es,
                         const uint8_t *row)
{
    const int64_t place = at + d * es / BLOCK * im->block_pitch + d * es % BLOCK;
    for (int64_t n = 0; n < im->rows; n++) {
        memcpy(m->bytes + place + n * im->row_pitch, row + n * es, (size_t)es);
        taint_clear(m, place + n * im->row_pitch, es);
    }
}

static void zero_tail(struct memory *m, int64_t at, const struct image *im)
{
    const int64_t rest = im->row_bytes % BLOCK;
    if (rest == 0) {
        return;
    }
    for (int64_t n = 0; n < im->rows; n++) {
        const int64_t place = at + (im->blocks - 1) * im->block_pitch + n * im->row_pitch + rest;
        memset(m->bytes + place, 0, (size_t)(BLOCK - rest));
        taint_clear(m, place, BLOCK - rest);
    }
}

enum status exec_dn2nz(const struct exec *x)
{
    const struct insn *in = x->in;
    const struct dn2nz_params *p = &in->p.dn2nz;
    if (p->dnNum == 0 || p->nValue == 0 || p->dValue == 0) {
        return STATUS_OK;
    }
    TRY(check_sizes(x, p->dnNum, p->nValue, p->dValue, p->srcDnMatrixStride, p->srcDValue));
    const int64_t es = bytes_of(x, 1);
    const struct image im = {
        .matrices = p->dnNum,
        .rows = p->nValue,
        .row_bytes = p->dValue * es,
        .blocks = ceil_div(p->dValue * es, BLOCK),
        .matrix_pitch = p->dstNzMatrixStride * es,
        .block_pitch = (int64_t)p->dstNzC0Stride * BLOCK,
        .row_pitch = (int64_t)p->dstNzNStride * BLOCK,
    };
    const int64_t matrix_step = p->srcDnMatrixStride * es, row_step = p->srcDValue * es;
    TRY(check_image(x, &im, p->dstNzMatrixStride,
                    (im.matrices - 1) * matrix_step + (p->dValue - 1) * row_step + im.rows * es));
    struct memory *m = exec_memory(x, &in->dst);
    for (int64_t i = 0; i < im.matrices; i++) {
        const int64_t at = in->dst.byte + i * im.matrix_pitch;
        for (int64_t d = 0; d < p->dValue; d++) {
            TRY(exec_read(x, &in->src, i * matrix_step + d * row_step, im.rows * es, x->e->row));
            store_column(m, at, &im, d, es, x->e->row);
        }
        zero_tail(m, at, &im);
    }
    exec_count(x, PATH_GM_L1, im.matrices * im.rows * im.row_bytes);
    return STATUS_OK;
}
