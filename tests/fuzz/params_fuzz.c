/* Random parameter sets: what the rules call legal, the engine executes. Bytes
 * choose chip, instruction, dtype, operands, then fields one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "isa/alias.h"
#include "isa/footprint.h"
#include "isa/legality.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
    const uint8_t *p;
    size_t left;
};

static uint64_t take(struct bytes *b, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        v |= (uint64_t)(b->left > 0 ? *b->p : 0) << (8 * i);
        b->p += b->left > 0;
        b->left -= b->left > 0;
    }
    return v;
}

static enum status read_zero(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    (void)ctx;
    (void)byte;
    memset(out, 0, (size_t)len);
    return STATUS_OK;
}

static enum status write_none(void *ctx, int64_t byte, int64_t len, const uint8_t *in)
{
    (void)ctx;
    (void)byte;
    (void)len;
    (void)in;
    return STATUS_OK;
}

/* Everything known, so that only shapes and places can be wrong. */
static void clean(struct engine *e, enum buffer b)
{
    static const uint8_t zeros[1 << 20];
    int64_t size;
    if (engine_memory(e, b, &size) != NULL && size <= (int64_t)sizeof zeros) {
        engine_poke(e, b, 0, zeros, size);
    }
}

struct core {
    const struct target *target;
    struct engine *engine;
};

static struct core *core_of(uint8_t which)
{
    static struct arena arena;
    static struct core cores[PRODUCT_N];
    const enum product product = (enum product)(which % PRODUCT_N);
    struct core *c = &cores[product];
    if (c->engine != NULL) {
        return c;
    }
    if (target_load(product_chip(product), NULL, &arena, &c->target, NULL) != STATUS_OK ||
        engine_create(c->target, &c->engine, NULL) != STATUS_OK) {
        abort();
    }
    static const struct gm_port port = {NULL, INT64_C(1) << 60, read_zero, write_none};
    for (int t = 0; t < TENSOR_N; t++) {
        engine_set_port(c->engine, (enum tensor)t, &port);
    }
    for (int b = BUF_L1; b < BUF_N; b++) {
        clean(c->engine, (enum buffer)b);
    }
    return c;
}

static struct insn build(struct bytes *b)
{
    struct insn in;
    const enum op op = (enum op)(OP_ND2NZ + (int)(take(b, 1) % (OP_FIXPIPE - OP_ND2NZ + 1)));
    insn_init(&in, op, (enum dtype)(1 + take(b, 1) % (DTYPE_N - 1)));
    in.dst = (struct addr){.buf = (uint8_t)(take(b, 1) % BUF_N), .byte = (int64_t)take(b, 2) * 32};
    in.src = (struct addr){.buf = (uint8_t)(take(b, 1) % BUF_N), .byte = (int64_t)take(b, 2) * 32};
    in.src2 = (struct addr){.buf = (uint8_t)(take(b, 1) % BUF_N), .byte = (int64_t)take(b, 2) * 32};
    size_t count;
    const struct insn_field *fields = insn_fields(op, &count);
    while (b->left > 0) {
        const uint64_t which = take(b, 1);
        const struct insn_field *f = &fields[which % count];
        const int64_t value = which >= 192 ? (int64_t)take(b, f->size) : (int64_t)take(b, which >= 96 ? 2 : 1);
        (void)insn_field_set(&in, f, value);
    }
    insn_set_pipe(&in);
    return in;
}

/* Elements an instruction claims to move. One that writes the same place again and
 * again is not legal, but the engine would do it faithfully, for minutes. */
static bool small(const struct insn *in)
{
    const double most = 1 << 20;
    switch ((enum op)in->op) {
    case OP_ND2NZ:
    case OP_DN2NZ:
        return (double)in->p.nd2nz.ndNum * in->p.nd2nz.nValue * in->p.nd2nz.dValue < most;
    case OP_DATA_COPY:
        return (double)in->p.copy.blockCount * in->p.copy.blockLen < most / 32;
    case OP_DATA_COPY_PAD:
        return (double)in->p.pad.blockCount * in->p.pad.blockLen < most;
    case OP_FILL:
        return (double)in->p.fill.repeatTimes * in->p.fill.blockNum < most / 512;
    case OP_LOAD_3D:
    case OP_LOAD_3D_STRIDE:
        return (double)in->p.load_3d.mExtension * in->p.load_3d.kExtension * in->p.load_3d.repeatTime < most;
    case OP_FIXPIPE:
        return (double)in->p.fixpipe.mSize * in->p.fixpipe.nSize * (in->p.fixpipe.ndNum + in->p.fixpipe.dnNum) < most;
    default:
        return true;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes b = {data, size};
    const struct core *c = core_of((uint8_t)take(&b, 1));
    const struct insn in = build(&b);
    struct violations v = {0};
    struct diag d;
    static const struct legality_state nothing = {0};
    legality_check(&in, c->target, &nothing, &v);
    if (v.errors > 0 && !small(&in)) {
        return 0;
    }
    diag_init(&d);
    const enum status st = engine_exec(c->engine, &in, &d);
    /* Fixpipe: what converts to what is quant.c's own table; UB is no buffer of the engine. */
    const bool others = in.op == OP_FIXPIPE || in.op == OP_MMAD || in.op == OP_MMAD_MX;
    if (v.errors == 0 && st != STATUS_OK && !others) {
        (void)fprintf(stderr, "legal, but: %s\n", d.count > 0 ? d.messages[0].text : "?");
        abort();
    }
    if (st == STATUS_OK && in.dst.buf != BUF_GM && engine_counters(c->engine)->insns % 8 == 0) {
        clean(c->engine, (enum buffer)in.dst.buf); /* some leave unspecified bytes */
    }
    diag_fini(&d);
    return 0;
}
