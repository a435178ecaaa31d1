/* insn_map_trace.c - where every element comes from.
 *
 * Loads move bits without looking at them.  So the engine is run several times
 * on sources whose nibbles hold, one after the other, the nibbles of their own
 * number; put together again at the destination they give its origin.  Two
 * more runs tell apart what was read, what is constant, and what nobody wrote. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "engine/engine.h"
#include "isa/footprint.h"
#include "report/insn_map.h"

enum { DIGITS = 11, FRACTAL = 512, TAG_UNWRITTEN = 14, GM_BYTES_LOG = 42, SHOWN_MAX = 64 };

/* What a nibble of a buffer is after the run. */
enum origin { FROM_UNWRITTEN = 0, FROM_CONSTANT, FROM_UNSPECIFIED, FROM_L1, FROM_GM }; /* FROM_GM + tensor */

struct image {
    int64_t bytes;
    uint8_t *tag;    /* of each nibble: enum origin */
    int64_t *number; /* nibble index in its source */
};

struct trace {
    const struct target *target;
    const struct insn *insns;
    size_t count;
    struct engine *e;
    struct image image[BUF_N];
    int digit; /* of the pass; -1, -2: tags, complemented tags */
};

struct port {
    struct trace *t;
    unsigned tag;
};

static unsigned digit_of(const struct trace *t, unsigned tag, int64_t nibble)
{
    return t->digit == -1 ? tag : t->digit == -2 ? 15 - tag : (unsigned)(nibble >> (4 * t->digit)) & 15U;
}

static uint8_t byte_of(const struct trace *t, unsigned tag, int64_t byte)
{
    return (uint8_t)(digit_of(t, tag, 2 * byte) | digit_of(t, tag, 2 * byte + 1) << 4);
}

static enum status port_read(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    const struct port *p = ctx;
    for (int64_t i = 0; i < len; i++) {
        out[i] = byte_of(p->t, p->tag, byte + i);
    }
    return STATUS_OK;
}

static enum status port_write(void *ctx, int64_t byte, int64_t len, const uint8_t *in)
{
    (void)ctx;
    (void)byte;
    (void)len;
    (void)in;
    return STATUS_OK;
}

/* Numbers in L1, "nobody wrote this" everywhere else. */
static enum status fill(struct trace *t)
{
    engine_reset(t->e);
    for (int b = BUF_L1; b < BUF_N; b++) {
        int64_t size;
        const unsigned tag = b == BUF_L1 ? FROM_L1 : TAG_UNWRITTEN;
        (void)engine_memory(t->e, (enum buffer)b, &size);
        uint8_t *bytes = malloc((size_t)size + 1);
        if (bytes == NULL) {
            return STATUS_NO_MEMORY;
        }
        for (int64_t i = 0; i < size; i++) {
            bytes[i] = b == BUF_L0C || b == BUF_FB ? 0 : byte_of(t, tag, i);
        }
        engine_poke(t->e, (enum buffer)b, 0, bytes, size);
        free(bytes);
    }
    return STATUS_OK;
}

static enum status run_pass(struct trace *t, struct diag *d)
{
    if (fill(t) != STATUS_OK) {
        return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for a trace");
    }
    for (size_t i = 0; i < t->count; i++) {
        const enum op op = (enum op)t->insns[i].op;
        const bool moves = op != OP_MMAD && op != OP_MMAD_MX && op != OP_FIXPIPE;
        if (moves || t->digit == -1) { /* products of numbers mean nothing: run once, for their checks */
            TRY(engine_exec(t->e, &t->insns[i], d));
        }
    }
    return STATUS_OK;
}

static unsigned nibble(const uint8_t *bytes, int64_t i)
{
    return (unsigned)(bytes[i / 2] >> (i % 2 * 4)) & 15U;
}

/* Adds what the pass shows to the images of L0A and L0B (and `also`). */
static void collect(struct trace *t, enum buffer b)
{
    int64_t size;
    const uint8_t *bytes = engine_memory(t->e, b, &size);
    struct image *im = &t->image[b];
    for (int64_t i = 0; i < 2 * im->bytes; i++) {
        const unsigned v = nibble(bytes, i);
        if (t->digit == -1) {
            im->tag[i] = (uint8_t)v;
        } else if (t->digit == -2) {
            const bool moved = v == 15U - im->tag[i];
            im->tag[i] = (uint8_t)(!moved ? FROM_CONSTANT : im->tag[i] == TAG_UNWRITTEN ? FROM_UNWRITTEN : im->tag[i]);
            if (engine_tainted(t->e, b, i / 2)) {
                im->tag[i] = FROM_UNSPECIFIED;
            }
        } else {
            im->number[i] |= (int64_t)v << (4 * t->digit);
        }
    }
}

static void trace_fini(struct trace *t)
{
    for (int b = 0; b < BUF_N; b++) {
        free(t->image[b].tag);
        free(t->image[b].number);
    }
    engine_destroy(t->e);
}

static enum status trace_init(struct trace *t, uint32_t buffers, struct port *ports, struct diag *d)
{
    TRY(engine_create(t->target, &t->e, d));
    for (int i = 0; i < TENSOR_N; i++) {
        ports[i] = (struct port){t, FROM_GM + (unsigned)i};
        const struct gm_port port = {&ports[i], INT64_C(1) << GM_BYTES_LOG, port_read, port_write};
        engine_set_port(t->e, (enum tensor)i, &port);
    }
    for (int b = BUF_L1; b < BUF_N; b++) {
        if ((buffers >> b & 1U) == 0) {
            continue;
        }
        struct image *im = &t->image[b];
        (void)engine_memory(t->e, (enum buffer)b, &im->bytes);
        im->tag = calloc((size_t)im->bytes * 2 + 1, 1);
        im->number = calloc((size_t)im->bytes * 2 + 1, sizeof *im->number);
        if (im->tag == NULL || im->number == NULL) {
            return diag_error(d, STATUS_NO_MEMORY, NULL, "no memory for a trace");
        }
    }
    return STATUS_OK;
}

/* Runs all passes; `buffers`: which images are wanted. */
static enum status trace_run(struct trace *t, uint32_t buffers, struct diag *d)
{
    struct port ports[TENSOR_N];
    TRY(trace_init(t, buffers, ports, d));
    for (t->digit = -1; t->digit < DIGITS; t->digit = t->digit == -1 ? -2 : t->digit == -2 ? 0 : t->digit + 1) {
        TRY(run_pass(t, d));
        for (int b = BUF_L1; b < BUF_N; b++) {
            if ((buffers >> b & 1U) != 0) {
                collect(t, (enum buffer)b);
            }
        }
    }
    return STATUS_OK;
}

/* ---- as text ---- */

/* Element `i` (of `bits`) of an image; `base`: byte its source's numbers count from. */
static void element_text(const struct image *im, int64_t i, unsigned bits, int64_t base, char *out, size_t size)
{
    static const char *const tensors[TENSOR_N] = {"A", "B", "SA", "SB", "bias", "Q", "C", "W"};
    const int64_t at = i * bits / 4;
    const unsigned tag = im->tag[at];
    switch (tag) {
    case FROM_UNWRITTEN:
        snprintf(out, size, ".");
        return;
    case FROM_CONSTANT:
        snprintf(out, size, "c");
        return;
    case FROM_UNSPECIFIED:
        snprintf(out, size, "?");
        return;
    case FROM_L1:
        snprintf(out, size, "%" PRId64, (im->number[at] - 2 * base) * 4 / (int64_t)bits);
        return;
    default:
        snprintf(out, size, "%s%" PRId64, tag < FROM_GM + TENSOR_N ? tensors[tag - FROM_GM] : "?",
                 im->number[at] * 4 / (int64_t)bits);
        return;
    }
}

static bool untouched(const struct image *im, int64_t byte, int64_t len)
{
    for (int64_t i = 2 * byte; i < 2 * (byte + len); i++) {
        if (im->tag[i] != FROM_UNWRITTEN) {
            return false;
        }
    }
    return true;
}

/* Lines of 32 B of [from, to), those that were written. */
static void image_text(const struct image *im, int64_t from, int64_t to, unsigned bits, int64_t base,
                       struct strbuf *out)
{
    char text[32];
    const int64_t c0 = 256 / bits;
    bool skipped = false;
    for (int64_t byte = from; byte < to && byte + 32 <= im->bytes; byte += 32) {
        const int64_t off = byte - from;
        if (untouched(im, byte, 32)) {
            skipped = true;
            continue;
        }
        if (off % FRACTAL == 0 || skipped) {
            strbuf_addf(out, "  fractal %" PRId64 "\n", off / FRACTAL);
            skipped = false;
        }
        strbuf_addf(out, "  %4d  ", (int)(off % FRACTAL / 32));
        for (int64_t i = 0; i < c0; i++) {
            element_text(im, byte * 8 / bits + i, bits, base, text, sizeof text);
            strbuf_addf(out, " %5s", text);
        }
        strbuf_add(out, "\n");
    }
}

static int64_t last_written(const struct image *im)
{
    int64_t end = im->bytes;
    while (end >= 32 && untouched(im, end - 32, 32)) {
        end -= 32;
    }
    return end;
}

#define LEGEND ". not written, c constant (padding, fill, zero tail), ? not specified by the documents"

enum status insn_dump_text(const struct insn *insns, size_t count, const struct target *target, struct strbuf *out,
                           struct diag *d)
{
    const struct insn *in = &insns[count - 1];
    const enum buffer to = (enum buffer)in->dst.buf;
    if (to == BUF_GM || to == BUF_L0C || to >= BUF_UB || in->op < OP_ND2NZ || in->op > OP_LOAD_3D_STRIDE) {
        strbuf_add(out, "\nElements: only loads and copies move elements one by one\n");
        return STATUS_OK;
    }
    struct trace t = {.target = target, .insns = insns, .count = count};
    const enum status st = trace_run(&t, 1U << to, d);
    if (st == STATUS_OK) {
        const unsigned bits = dtype_info((enum dtype)in->dtype)->bits;
        strbuf_addf(out,
                    "\nElements of %s, rows of 32 B: number of the source's element (from its address); " LEGEND "\n",
                    buffer_name(to));
        image_text(&t.image[to], in->dst.byte, last_written(&t.image[to]), bits,
                   in->src.buf == BUF_L1 ? in->src.byte : 0, out);
    }
    trace_fini(&t);
    return st;
}

/* ---- the listing ---- */

struct matrix {
    int64_t rows, columns;
    bool down; /* L0B: rows are k, a fractal holds 16 columns of C0 rows */
};

/* Element of L0A (row m, column k) or L0B (row k, column n) in its buffer. */
static int64_t element_at(const struct trace *t, const struct insn *mmad, bool left, int64_t row, int64_t column,
                          enum dtype dtype)
{
    const int64_t c0 = dtype_c0(dtype), m1 = ceil_div(mmad->p.mmad.m, 16), n1 = ceil_div(mmad->p.mmad.n, 16);
    const int64_t base = (left ? mmad->src.byte : mmad->src2.byte) * 8 / dtype_info(dtype)->bits;
    if (!left) {
        return base + ((row / c0 * n1 + column / 16) * 16 + column % 16) * c0 + row % c0;
    }
    const bool gemv = mmad->p.mmad.m == 1 && !(t->target->arch == 3510 && mmad->p.mmad.disableGemv != 0);
    int64_t k1 = ceil_div(mmad->p.mmad.k, c0);
    if (mmad->p.mmad.kDirectionAlign != 0 && dtype == DTYPE_FLOAT) {
        k1 = 2 * ceil_div(mmad->p.mmad.k, 16);
    }
    const int64_t fractal = t->target->l0a_nz ? column / c0 * m1 + row / 16 : row / 16 * k1 + column / c0;
    return base + (gemv ? column : (fractal * 16 + row % 16) * c0 + column % c0);
}

static void matrix_text(const struct trace *t, const struct insn *mmad, bool left, struct strbuf *out)
{
    const struct mmad_params *p = &mmad->p.mmad;
    const enum dtype dtype = left || p->btype == DTYPE_NONE ? (enum dtype)mmad->dtype : (enum dtype)p->btype;
    const struct image *im = &t->image[left ? BUF_L0A : BUF_L0B];
    const int64_t rows = left ? p->m : p->k, columns = left ? p->k : p->n;
    char text[32];
    strbuf_addf(out, "\n%s as the Mmad reads it: %d x %d (%s), %s\n", left ? "L0A" : "L0B", (int)rows, (int)columns,
                left ? "m x k" : "k x n", dtype_info(dtype)->ascend);
    strbuf_addf(out, "  elements by tensor and number (A7: element 7 of GM.A; a bare number: of L1); " LEGEND "\n");
    for (int64_t r = 0; r < rows && r < SHOWN_MAX; r++) {
        strbuf_addf(out, "  %4d  ", (int)r);
        for (int64_t c = 0; c < columns && c < SHOWN_MAX; c++) {
            element_text(im, element_at(t, mmad, left, r, c, dtype), dtype_info(dtype)->bits, 0, text, sizeof text);
            strbuf_addf(out, " %5s", text);
        }
        strbuf_add(out, columns > SHOWN_MAX ? " ..\n" : "\n");
    }
    if (rows > SHOWN_MAX) {
        strbuf_addf(out, "   ..  %d rows more\n", (int)(rows - SHOWN_MAX));
    }
}

static enum dtype loaded_type(const struct trace *t, enum buffer b)
{
    enum dtype dtype = DTYPE_HALF;
    for (size_t i = 0; i < t->count; i++) {
        if (t->insns[i].dst.buf == b && t->insns[i].op >= OP_FILL && t->insns[i].op <= OP_LOAD_3D_STRIDE) {
            dtype = (enum dtype)t->insns[i].dtype;
        }
    }
    return dtype;
}

enum status insn_listing_text(const struct insn *insns, size_t count, const struct target *target, struct strbuf *out,
                              struct diag *d)
{
    struct trace t = {.target = target, .insns = insns, .count = count};
    const struct insn *mmad = NULL;
    for (size_t i = 0; i < count; i++) {
        mmad = insns[i].op == OP_MMAD || insns[i].op == OP_MMAD_MX ? &insns[i] : mmad;
    }
    const enum status st = trace_run(&t, 1U << BUF_L0A | 1U << BUF_L0B, d);
    for (int b = BUF_L0A; b <= BUF_L0B && st == STATUS_OK; b++) {
        const struct image *im = &t.image[b];
        if (mmad != NULL && !insn_is_nop(mmad)) {
            matrix_text(&t, mmad, b == BUF_L0A, out);
            continue;
        }
        const enum dtype dtype = loaded_type(&t, (enum buffer)b);
        strbuf_addf(out, "\n%s, %s, rows of 32 B (no Mmad in the list says its extents); " LEGEND "\n",
                    buffer_name((enum buffer)b), dtype_info(dtype)->ascend);
        image_text(im, 0, last_written(im), dtype_info(dtype)->bits, 0, out);
        if (last_written(im) == 0) {
            strbuf_add(out, "  nothing was written\n");
        }
    }
    trace_fini(&t);
    return st;
}
