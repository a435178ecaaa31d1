#include "engine/move.h"

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

/* Taint travels as data does: its image goes through the same transpose. */
static void move_square_taint(const struct square_move *m, uint8_t *const *out, const uint8_t *const *in)
{
    uint8_t image[2][SQUARE_MAX][FRACTAL];
    const uint8_t *from[SQUARE_MAX] = {0};
    uint8_t *to[SQUARE_MAX] = {0};
    uint32_t words[FRACTAL / BLOCK];
    for (int i = 0; i < m->n; i++) {
        for (int b = 0; b < FRACTAL / BLOCK; b++) {
            words[b] = taint_word(m->s, in[i] - m->s->bytes + b * BLOCK);
        }
        taint_spread(words, FRACTAL / BLOCK, image[0][i]);
        from[i] = image[0][i];
        to[i] = image[1][i];
    }
    m->transpose(from, to);
    for (int i = 0; i < m->n; i++) {
        taint_gather(image[1][i], FRACTAL / BLOCK, words);
        taint_store(m->d, out[i] - m->d->bytes, words, FRACTAL / BLOCK);
    }
}

struct square_move square_move_of(const struct exec *x, const struct addr *dst, const struct addr *src)
{
    const unsigned bits = dtype_info((enum dtype)x->in->dtype)->bits;
    return (struct square_move){
        .transpose = transpose_of(x->e->mmad.isa, bits),
        .bits = bits,
        .n = transpose_fractals(bits),
        .d = exec_memory(x, dst),
        .s = exec_memory(x, src),
        .to = dst->byte,
        .from = src->byte,
    };
}

void move_square(const struct square_move *m, const int64_t *to, const int64_t *from)
{
    const uint8_t *in[SQUARE_MAX] = {0};
    uint8_t *out[SQUARE_MAX] = {0};
    bool clean = true;
    for (int i = 0; i < m->n; i++) {
        in[i] = m->s->bytes + m->from + from[i];
        out[i] = m->d->bytes + m->to + to[i];
        clean = clean && taint_pages_clean(m->s, m->from + from[i], FRACTAL);
    }
    m->transpose(in, out);
    if (!clean) {
        move_square_taint(m, out, in);
        return;
    }
    for (int i = 0; i < m->n; i++) {
        taint_clear(m->d, m->to + to[i], FRACTAL);
    }
}
