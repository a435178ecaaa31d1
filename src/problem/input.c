/* input.c - sources of operands: their elements and the maxima quantisation needs. */
#include "problem/input.h"

#include <inttypes.h>
#include <math.h>

#include "base/intmath.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "numeric/fp.h"
#include "problem/input_random.h"

void input_init(struct input *in, const struct input_spec *spec, const struct problem *p, enum tensor tensor)
{
    *in = (struct input){.spec = *spec,
                         .batch = problem_matrices(p, tensor),
                         .rows = tensor == TENSOR_A ? p->M : p->K,
                         .cols = tensor == TENSOR_A ? p->K : p->N,
                         .k_rows = tensor == TENSOR_B,
                         .stream = rng_at(spec->seed, (uint64_t)tensor)};
    atomic_init(&in->known, false);
    pthread_mutex_init(&in->lock, NULL);
}

int64_t input_elements(const struct input *in)
{
    return in->batch * in->rows * in->cols;
}

int64_t input_blocks(const struct input *in)
{
    return in->batch * (in->k_rows ? in->cols * ceil_div(in->rows, 32) : in->rows * ceil_div(in->cols, 32));
}

void input_run(enum gm_isa isa, const struct input *in, int64_t first, int64_t step, int64_t n, float *out)
{
    const struct input_spec *s = &in->spec;
    if (s->dist == INPUT_FILE) {
        for (int64_t i = 0; i < n; i++) {
            out[i] = s->values[first + i * step];
        }
        return;
    }
    const bool normal = s->dist == INPUT_NORMAL;
    const struct input_stream stream = {.stream = in->stream,
                                        .first = first,
                                        .step = step,
                                        .normal = normal,
                                        .base = normal ? s->mean : s->low,
                                        .span = normal ? s->std : s->high - s->low};
    input_random_run(isa, &stream, n, out);
}

/* ---- maxima ---- */

enum { PIECE = 512 }; /* columns looked at together */

static float max_abs(const float *values, int64_t n, float most)
{
    for (int64_t i = 0; i < n; i++) {
        const float a = float_from_bits(float_bits(values[i]) & 0x7FFFFFFFU);
        most = a > most ? a : most;
    }
    return most;
}

static int16_t exponent_of(float most)
{
    return (int16_t)(most == 0.0F ? INPUT_ZERO : ilogbf(most));
}

/* K along the rows of the source: a block is 32 neighbours. */
static void scan_row(struct input *in, enum gm_isa isa, int64_t row)
{
    float values[PIECE];
    const int64_t blocks = ceil_div(in->cols, 32);
    for (int64_t j = 0; j < in->cols; j += PIECE) {
        const int64_t n = min_i64(PIECE, in->cols - j);
        input_run(isa, in, row * in->cols + j, 1, n, values);
        for (int64_t i = 0; i < n; i += 32) {
            const float most = max_abs(values + i, min_i64(32, n - i), 0.0F);
            in->amax = most > in->amax ? most : in->amax;
            if (in->block != NULL) {
                in->block[row * blocks + (j + i) / 32] = exponent_of(most);
            }
        }
    }
}

/* K down the columns: 32 rows from `k0` on, all columns side by side. */
static void scan_rows(struct input *in, enum gm_isa isa, int64_t batch, int64_t k0)
{
    float values[PIECE], most[PIECE];
    const int64_t blocks = ceil_div(in->rows, 32), k = min_i64(32, in->rows - k0);
    for (int64_t j = 0; j < in->cols; j += PIECE) {
        const int64_t n = min_i64(PIECE, in->cols - j);
        for (int64_t i = 0; i < n; i++) {
            most[i] = 0.0F;
        }
        for (int64_t r = 0; r < k; r++) {
            input_run(isa, in, (batch * in->rows + k0 + r) * in->cols + j, 1, n, values);
            for (int64_t i = 0; i < n; i++) {
                most[i] = max_abs(values + i, 1, most[i]);
            }
        }
        in->amax = max_abs(most, n, in->amax);
        for (int64_t i = 0; i < n && in->block != NULL; i++) {
            in->block[(batch * in->cols + j + i) * blocks + k0 / 32] = exponent_of(most[i]);
        }
    }
}

static void scan(struct input *in)
{
    const enum gm_isa isa = gm_isa_best();
    if (!in->k_rows) {
        for (int64_t row = 0; row < in->batch * in->rows; row++) {
            scan_row(in, isa, row);
        }
        return;
    }
    for (int64_t b = 0; b < in->batch; b++) {
        for (int64_t k0 = 0; k0 < in->rows; k0 += 32) {
            scan_rows(in, isa, b, k0);
        }
    }
}

/* One thread reads, the others wait for it; later calls cost a load. */
static void need_maxima(struct input *in)
{
    if (atomic_load_explicit(&in->known, memory_order_acquire)) {
        return;
    }
    pthread_mutex_lock(&in->lock);
    if (!atomic_load_explicit(&in->known, memory_order_relaxed)) {
        in->amax = 0.0F;
        scan(in);
        atomic_store_explicit(&in->known, true, memory_order_release);
    }
    pthread_mutex_unlock(&in->lock);
}

float input_amax(struct input *in)
{
    need_maxima(in);
    return in->amax;
}

int input_block(struct input *in, int64_t batch, int64_t mn, int64_t block)
{
    need_maxima(in);
    const int64_t lines = in->k_rows ? in->cols : in->rows, blocks = ceil_div(in->k_rows ? in->rows : in->cols, 32);
    return in->block[(batch * lines + mn) * blocks + block];
}

void input_text(const struct input *in, struct strbuf *out)
{
    const struct input_spec *s = &in->spec;
    if (s->dist == INPUT_FILE) {
        strbuf_addf(out, "file %s", s->file);
    } else if (s->dist == INPUT_NORMAL) {
        strbuf_addf(out, "normal, mean %g, std %g, seed %" PRIu64, s->mean, s->std, s->seed);
    } else {
        strbuf_addf(out, "uniform in %g..%g, seed %" PRIu64, s->low, s->high, s->seed);
    }
}
