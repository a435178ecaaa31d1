/* engine_fixture.h - hand-made targets and GM tensors for the engine's tests,
 * so that they depend on no target file. */
#ifndef TESTS_ENGINE_FIXTURE_H
#define TESTS_ENGINE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "engine/engine.h"
#include "engine/mmad_kernel.h"
#include "isa/fields.h"

static inline struct target fixture_target(enum product product)
{
    const bool a950 = product == PRODUCT_ASCEND950;
    struct target t = {.name = product_name(product),
                       .product = product,
                       .arch = a950 ? 3510 : 2201,
                       .l0a_nz = a950,
                       .cores = 1,
                       .event_ids = 6,
                       .cube_n = 16,
                       .l0c_to_gm = true,
                       .fb_columns = a950 ? 512 : 256};
    const int64_t kib = 1024;
    t.physical[BUF_GM] = INT64_MAX;
    t.physical[BUF_L1] = 512 * kib;
    t.physical[BUF_L0A] = t.physical[BUF_L0B] = 64 * kib;
    t.physical[BUF_L0A_MX] = t.physical[BUF_L0B_MX] = a950 ? 4 * kib : 0;
    t.physical[BUF_L0C] = (a950 ? 256 : 128) * kib;
    t.physical[BUF_BT] = (a950 ? 4 : 1) * kib;
    t.physical[BUF_FB] = (a950 ? 4 : 2) * kib;
    t.physical[BUF_UB] = 192 * kib;
    for (int i = 0; i < BUF_N; i++) {
        t.align_dst[i] = t.align_src[i] = 32;
    }
    t.align_dst[BUF_GM] = t.align_src[BUF_GM] = 1;
    t.align_dst[BUF_L0A] = t.align_src[BUF_L0A] = t.align_dst[BUF_L0B] = t.align_src[BUF_L0B] = 512;
    t.align_dst[BUF_L0C] = 1024;
    t.align_src[BUF_L0C] = t.align_dst[BUF_BT] = t.align_src[BUF_BT] = 64;
    t.align_dst[BUF_FB] = t.align_src[BUF_FB] = 128;
    return t;
}

struct gm_bytes {
    uint8_t *bytes;
    int64_t len;
};

static enum status gm_bytes_read(void *ctx, int64_t byte, int64_t len, uint8_t *out)
{
    const struct gm_bytes *g = ctx;
    assert_true(byte >= 0 && byte + len <= g->len);
    memcpy(out, g->bytes + byte, (size_t)len);
    return STATUS_OK;
}

static enum status gm_bytes_write(void *ctx, int64_t byte, int64_t len, const uint8_t *in)
{
    struct gm_bytes *g = ctx;
    assert_true(byte >= 0 && byte + len <= g->len);
    memcpy(g->bytes + byte, in, (size_t)len);
    return STATUS_OK;
}

/* Gives tensor `tensor` of `e` zeroed memory of `len` bytes. */
static inline void gm_attach(struct engine *e, enum tensor tensor, struct gm_bytes *g, int64_t len)
{
    g->bytes = calloc(1, (size_t)len);
    g->len = len;
    const struct gm_port port = {g, len, gm_bytes_read, gm_bytes_write};
    engine_set_port(e, tensor, &port);
}

static inline struct addr at(enum buffer buf, int64_t byte)
{
    return (struct addr){.buf = (uint8_t)buf, .byte = byte};
}

static inline struct addr at_gm(enum tensor tensor, int64_t byte)
{
    return (struct addr){.buf = BUF_GM, .tensor = (uint8_t)tensor, .byte = byte};
}

static inline struct insn make(enum op op, enum dtype dtype, struct addr dst, struct addr src)
{
    struct insn in;
    insn_init(&in, op, dtype);
    in.dst = dst;
    in.src = src;
    insn_set_pipe(&in);
    return in;
}

static inline void run_ok(struct engine *e, const struct insn *in)
{
    struct diag d;
    diag_init(&d);
    if (engine_exec(e, in, &d) != STATUS_OK) {
        print_error("%s\n", d.count > 0 ? d.messages[0].text : "no message");
        fail();
    }
    diag_fini(&d);
}

/* The instruction must fail with a message that contains `words`. */
static inline void run_fails(struct engine *e, const struct insn *in, const char *words)
{
    struct diag d;
    diag_init(&d);
    assert_int_equal(engine_exec(e, in, &d), STATUS_MISMATCH);
    assert_int_equal(d.count, 1);
    if (strstr(d.messages[0].text, words) == NULL) {
        print_error("message '%s' does not say '%s'\n", d.messages[0].text, words);
        fail();
    }
    diag_fini(&d);
}

#endif
