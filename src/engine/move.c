#include "engine/move.h"

#include "base/intmath.h"
#include "engine/block_copy.h"

enum status move_run(const struct exec *x, const struct addr *dst, int64_t to, const struct addr *src, int64_t from,
                     int64_t len)
{
    struct memory *m = exec_memory(x, dst);
    const int64_t at = dst->byte + to;
    if (src->buf == BUF_GM) {
        TRY(exec_read(x, src, from, len, m->bytes + at));
        taint_clear(m, at, len);
        return STATUS_OK;
    }
    const struct memory *s = exec_memory(x, src);
    memcpy(m->bytes + at, s->bytes + src->byte + from, (size_t)len);
    taint_copy(m, at, s, src->byte + from, len);
    return STATUS_OK;
}

/* From the lowest to behind the highest of `count` parts of `len` bytes, `step` apart. */
struct span {
    int64_t byte, len;
};

static struct span span_of(int64_t first, int64_t step, int64_t count, int64_t len)
{
    const int64_t last = (count - 1) * step;
    return (struct span){first + min_i64(0, last), max_i64(last, -last) + len};
}

static bool span_clean(const struct memory *m, struct span s)
{
    return taint_pages_clean(m, s.byte, s.len);
}

enum status move_runs(const struct exec *x, const struct addr *dst, const struct addr *src, const struct run_row *r)
{
    if (r->count == 0) {
        return STATUS_OK;
    }
    struct memory *m = exec_memory(x, dst);
    const struct memory *s = exec_memory(x, src);
    if (src->buf == BUF_GM || !span_clean(s, span_of(src->byte + r->from, r->from_step, r->count, r->len))) {
        for (int64_t i = 0; i < r->count; i++) {
            TRY(move_run(x, dst, r->to + i * r->to_step, src, r->from + i * r->from_step, r->len));
        }
        return STATUS_OK;
    }
    const int64_t to = dst->byte + r->to;
    const uint8_t *from = s->bytes + src->byte + r->from;
    if (r->len == FRACTAL) {
        const struct fractal_row row = {m->bytes + to, from, r->to_step, r->from_step, r->count};
        copy_fractals(x->e->mmad.isa, &row);
    }
    for (int64_t i = 0; i < r->count && r->len != FRACTAL; i++) {
        memcpy(m->bytes + to + i * r->to_step, from + i * r->from_step, (size_t)r->len);
    }
    if (!span_clean(m, span_of(to, r->to_step, r->count, r->len))) {
        for (int64_t i = 0; i < r->count; i++) {
            taint_clear(m, to + i * r->to_step, r->len);
        }
    }
    return STATUS_OK;
}

void taint_spread(const uint32_t *words, int64_t blocks, uint8_t *image)
{
    for (int64_t i = 0; i < blocks * BLOCK; i++) {
        image[i] = (words[i / BLOCK] >> (i % BLOCK) & 1U) != 0 ? 0xFF : 0;
    }
}

void taint_gather(const uint8_t *image, int64_t blocks, uint32_t *words)
{
    for (int64_t b = 0; b < blocks; b++) {
        uint32_t word = 0;
        for (int i = 0; i < BLOCK; i++) {
            word |= (uint32_t)(image[b * BLOCK + i] != 0) << i;
        }
        words[b] = word;
    }
}

/* A walk with its places in memory. */
struct squares {
    transpose_fn transpose;
    int n; /* fractals of a square */
    struct memory *d;
    const struct memory *s;
    struct square_walk w;
};

/* Taint travels as data does: its image goes through the same transpose. */
static void move_taint(const struct squares *q, int64_t to, int64_t from)
{
    uint8_t image[2][SQUARE_MAX][FRACTAL];
    uint32_t words[FRACTAL / BLOCK];
    for (int j = 0; j < q->n; j++) {
        for (int b = 0; b < FRACTAL / BLOCK; b++) {
            words[b] = taint_word(q->s, from + j * q->w.from_gap + b * BLOCK);
        }
        taint_spread(words, FRACTAL / BLOCK, image[0][j]);
    }
    const struct square_row row = {
        .in = image[0][0], .out = image[1][0], .in_gap = FRACTAL, .out_gap = FRACTAL, .count = 1};
    q->transpose(&row);
    for (int j = 0; j < q->n; j++) {
        taint_gather(image[1][j], FRACTAL / BLOCK, words);
        taint_store(q->d, to + j * q->w.to_gap, words, FRACTAL / BLOCK);
    }
}

/* The data are there; the taint of the squares follows. */
static void taint_squares(const struct squares *q)
{
    const struct square_walk *w = &q->w;
    for (int64_t i = 0; i < w->count; i++) {
        const int64_t from = w->from + i * w->from_step, to = w->to + i * w->to_step;
        if (!span_clean(q->s, span_of(from, w->from_gap, q->n, FRACTAL))) {
            move_taint(q, to, from);
            continue;
        }
        for (int j = 0; j < q->n; j++) {
            taint_clear(q->d, to + j * w->to_gap, FRACTAL);
        }
    }
}

/* All that the fractals of all squares span. */
static struct span walk_span(const struct squares *q, int64_t first, int64_t step, int64_t gap)
{
    const struct span square = span_of(0, gap, q->n, FRACTAL);
    return span_of(first + square.byte, step, q->w.count, square.len);
}

void move_squares(const struct exec *x, const struct addr *dst, const struct addr *src, const struct square_walk *w)
{
    const unsigned bits = dtype_info((enum dtype)x->in->dtype)->bits;
    struct squares q = {.transpose = transpose_of(x->e->mmad.isa, bits),
                        .n = transpose_fractals(bits),
                        .d = exec_memory(x, dst),
                        .s = exec_memory(x, src),
                        .w = *w};
    if (w->count == 0) {
        return;
    }
    q.w.to += dst->byte;
    q.w.from += src->byte;
    const struct square_row row = {.in = q.s->bytes + q.w.from,
                                   .out = q.d->bytes + q.w.to,
                                   .in_step = w->from_step,
                                   .in_gap = w->from_gap,
                                   .out_step = w->to_step,
                                   .out_gap = w->to_gap,
                                   .count = w->count};
    q.transpose(&row);
    if (!span_clean(q.s, walk_span(&q, q.w.from, w->from_step, w->from_gap)) ||
        !span_clean(q.d, walk_span(&q, q.w.to, w->to_step, w->to_gap))) {
        taint_squares(&q);
    }
}
