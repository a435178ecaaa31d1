/* Copies of whole blocks: DataCopy, DataCopyPad, Fill, L1 -> BT, L1 -> FB (semantics.md 6b). */
#include "base/intmath.h"
#include "engine/move.h"
#include "numeric/fp.h"

/* Equal blocks at two pitches, bytes. */
struct blocks {
    int64_t count, src_len, dst_len, src_pitch, dst_pitch;
};

static enum status check_blocks(const struct exec *x, const struct blocks *b)
{
    if (b->count > COUNT_MAX) {
        return exec_fail(x, "more than %d blocks", COUNT_MAX);
    }
    TRY(exec_operand(x, "source", &x->in->src, false));
    TRY(exec_operand(x, "destination", &x->in->dst, true));
    const int64_t last_src = (b->count - 1) * b->src_pitch;
    TRY(exec_span(x, "source", &x->in->src, min_i64(0, last_src), max_i64(0, last_src) + b->src_len));
    return exec_span(x, "destination", &x->in->dst, 0, (b->count - 1) * b->dst_pitch + b->dst_len);
}

static enum status copy_blocks(const struct exec *x, const struct blocks *b)
{
    if (b->count <= 0 || b->src_len == 0) {
        return STATUS_OK;
    }
    TRY(check_blocks(x, b));
    for (int64_t i = 0; i < b->count; i++) {
        TRY(move_run(x, &x->in->dst, i * b->dst_pitch, &x->in->src, i * b->src_pitch, b->src_len));
    }
    exec_count(x, insn_path(x->in), b->count * b->src_len);
    return STATUS_OK;
}

enum status exec_data_copy(const struct exec *x)
{
    const struct data_copy_params *p = &x->in->p.copy;
    const struct blocks b = {
        .count = p->blockCount,
        .src_len = (int64_t)p->blockLen * BLOCK,
        .dst_len = (int64_t)p->blockLen * BLOCK,
        .src_pitch = ((int64_t)p->blockLen + p->srcGap) * BLOCK,
        .dst_pitch = ((int64_t)p->blockLen + p->dstGap) * BLOCK,
    };
    return copy_blocks(x, &b);
}

/* ---- L1 -> BT: half and bf16 widen to float ---- */

static bool widens(const struct exec *x)
{
    return dtype_info((enum dtype)x->in->dtype)->bits == 16;
}

static void widen_block(const struct exec *x, int64_t to, int64_t from, int64_t len)
{
    struct memory *dst = exec_memory(x, &x->in->dst);
    const struct memory *src = exec_memory(x, &x->in->src);
    for (int64_t i = 0; i < len / 2; i++) {
        uint16_t code;
        memcpy(&code, src->bytes + from + i * 2, 2);
        const float f = x->in->dtype == DTYPE_HALF ? half_to_float(code) : bf16_to_float(code);
        memcpy(dst->bytes + to + i * 4, &f, 4);
        if (taint_clean(src, from + i * 2, 2)) {
            taint_clear(dst, to + i * 4, 4);
        } else {
            taint_set(dst, to + i * 4, 4);
        }
    }
}

/* BT holds the accumulator's type: float of half, bf16 and float, int32 of int32. */
static bool row_type_right(const struct insn *in)
{
    return in->p.copy.dstType == (in->dtype == DTYPE_INT32 ? DTYPE_INT32 : DTYPE_FLOAT) ||
           in->p.copy.dstType == DTYPE_NONE;
}

enum status exec_l1_to_bt(const struct exec *x)
{
    const struct data_copy_params *p = &x->in->p.copy;
    const int64_t unit = x->e->target->arch == 3510 ? 32 : 64, len = p->blockLen * unit;
    const int64_t dst_len = widens(x) ? 2 * len : len;
    const struct blocks b = {
        .count = p->blockCount,
        .src_len = len,
        .dst_len = dst_len,
        .src_pitch = len + (int64_t)p->srcGap * 32,
        .dst_pitch = dst_len + p->dstGap * unit,
    };
    if (p->blockCount == 0 || len == 0) {
        return STATUS_OK;
    }
    if (!row_type_right(x->in)) {
        return exec_fail(x, "BT takes float of half, bf16 or float, and int32 of int32");
    }
    if (!widens(x)) {
        return copy_blocks(x, &b);
    }
    if (x->in->dtype != DTYPE_HALF && x->in->dtype != DTYPE_BF16) {
        return exec_fail(x, "a bias of this type does not go to BT");
    }
    TRY(check_blocks(x, &b));
    for (int64_t i = 0; i < b.count; i++) {
        widen_block(x, x->in->dst.byte + i * b.dst_pitch, x->in->src.byte + i * b.src_pitch, len);
    }
    exec_count(x, PATH_L1_BT, b.count * len);
    return STATUS_OK;
}

enum status exec_l1_to_fb(const struct exec *x)
{
    const struct data_copy_params *p = &x->in->p.copy;
    const int64_t unit = x->e->target->arch == 3510 ? 64 : 128; /* A32 */
    const struct blocks b = {
        .count = p->blockCount,
        .src_len = p->blockLen * unit,
        .dst_len = p->blockLen * unit,
        .src_pitch = (int64_t)p->srcGap * 32, /* start to start */
        .dst_pitch = (int64_t)p->dstGap * 128,
    };
    return copy_blocks(x, &b);
}

/* ---- Fill ---- */

enum status exec_fill(const struct exec *x)
{
    const struct fill_params *p = &x->in->p.fill;
    const unsigned bits = dtype_info((enum dtype)x->in->dtype)->bits;
    const int64_t block = x->in->dst.buf == BUF_L1 ? BLOCK : FRACTAL;
    const int64_t len = p->blockNum * block, pitch = len + p->dstGap * block;
    if (p->repeatTimes == 0 || len == 0) {
        return STATUS_OK;
    }
    if (x->in->dst.buf != BUF_L1 && x->in->dst.buf != BUF_L0A && x->in->dst.buf != BUF_L0B) {
        return exec_fail(x, "fills L1, L0A or L0B");
    }
    if (p->repeatTimes > COUNT_MAX) {
        return exec_fail(x, "more than %d repeats", COUNT_MAX);
    }
    if (bits != 16 && bits != 32) {
        return exec_fail(x, "fills with 16 or 32 bit values only");
    }
    TRY(exec_operand(x, "destination", &x->in->dst, true));
    TRY(exec_span(x, "destination", &x->in->dst, 0, (p->repeatTimes - 1) * pitch + len));
    struct memory *m = exec_memory(x, &x->in->dst);
    const uint32_t word = bits == 32 ? p->initValue : (p->initValue & 0xFFFFU) * 0x10001U;
    for (int64_t r = 0; r < p->repeatTimes; r++) {
        const int64_t at = x->in->dst.byte + r * pitch;
        for (int64_t i = 0; i < len; i += 4) {
            memcpy(m->bytes + at + i, &word, 4);
        }
        taint_clear(m, at, len);
    }
    return STATUS_OK;
}

/* ---- DataCopyPad ---- */

/* Pad bytes [at, at + len) of L1, taken from the repeated padding value; not
 * specified, and so tainted, without isPad. */
static void pad_bytes(const struct exec *x, int64_t at, int64_t len)
{
    struct memory *m = exec_memory(x, &x->in->dst);
    const struct data_copy_pad_params *p = &x->in->p.pad;
    const int64_t es = dtype_bytes((enum dtype)x->in->dtype, 1);
    if (p->isPad == 0) {
        taint_set(m, at, len);
        return;
    }
    for (int64_t i = 0; i < len; i++) {
        m->bytes[at + i] = (uint8_t)((uint64_t)p->paddingValue >> (i % es * 8));
    }
    taint_clear(m, at, len);
}

enum status exec_data_copy_pad(const struct exec *x)
{
    const struct data_copy_pad_params *p = &x->in->p.pad;
    const int64_t es = dtype_bytes((enum dtype)x->in->dtype, 1), len = p->blockLen;
    const int64_t left = p->leftPadding * es, right = p->rightPadding * es;
    const bool compact = p->paddingMode != 0;
    const int64_t row = compact ? left + len + right : align_up(left + len + right, BLOCK);
    const int64_t count = min_i64(p->blockCount, COUNT_MAX + 1LL); /* more is refused below */
    const struct blocks b = {
        .count = count,
        .src_len = len,
        .dst_len = compact ? align_up(count * row, BLOCK) - (count - 1) * row : row,
        .src_pitch = len + max_i64(-STRIDE_MAX, min_i64(STRIDE_MAX, p->srcStride)), /* clamped: checked below */
        .dst_pitch = compact ? row : row + (int64_t)p->dstStride * BLOCK,
    };
    if (b.count == 0 || len == 0) {
        return STATUS_OK;
    }
    if (p->srcStride < -STRIDE_MAX || p->srcStride > STRIDE_MAX) {
        return exec_fail(x, "srcStride is at most 2^40 bytes");
    }
    TRY(check_blocks(x, &b));
    for (int64_t i = 0; i < b.count; i++) {
        const int64_t at = i * b.dst_pitch, end = i == b.count - 1 ? b.dst_len : row;
        pad_bytes(x, x->in->dst.byte + at, left);
        TRY(move_run(x, &x->in->dst, at + left, &x->in->src, i * b.src_pitch, len));
        pad_bytes(x, x->in->dst.byte + at + left + len, end - left - len);
    }
    exec_count(x, PATH_GM_L1, b.count * len);
    return STATUS_OK;
}
