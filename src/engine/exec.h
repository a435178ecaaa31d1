/* exec.h - what the executors of single instructions share (private to engine/).
 *
 * An executor first checks everything it will touch (buffers exist, alignment,
 * ranges) in closed form, then runs loops that need no checks. */
#ifndef ENGINE_EXEC_H
#define ENGINE_EXEC_H

#include "engine/engine.h"
#include "engine/memory.h"
#include "engine/mmad_kernel.h"
#include "isa/fields.h"

enum { FRACTAL = 512, BLOCK = 32, EVENT_IDS = 8 };

/* State of SetFmatrix, SetLoadDataPaddingValue, SetLoadDataRepeat(WithStride). */
struct registers {
    struct load_3d_params fmatrix[2]; /* [fMatrixCtrl]: l1H, l1W, padList */
    bool fmatrix_set[2];
    uint32_t padding;
    bool padding_set;
    uint32_t hf32[2], mm_order, atomic;
};

struct engine {
    const struct target *target;
    struct memory mem[BUF_N]; /* BUF_GM unused */
    struct gm_port port[TENSOR_N];
    uint8_t flags[HARD_EVENT_N]; /* bit id: set */
    struct registers reg;
    struct engine_counters counters;
    struct mmad_scratch mmad;
    uint8_t *row; /* ROW_BYTES of staging between GM and a buffer */
};

enum { ROW_BYTES = 1 << 20 };

/* Addresses and strides up to here: sums and products of the executors then fit int64_t. */
#define ADDRESS_MAX (1LL << 48)
#define STRIDE_MAX  (1LL << 40)
enum { COUNT_MAX = 65535 };

struct exec {
    struct engine *e;
    const struct insn *in;
    struct diag *d;
};

/* "<instruction>: <message>", STATUS_MISMATCH. */
enum status exec_fail(const struct exec *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The address lies in an existing on-chip buffer (or GM tensor with a port) and
 * is aligned as the target asks of a destination or source there. */
enum status exec_operand(const struct exec *x, const char *operand, const struct addr *a, bool is_dst);

/* [a->byte + lo, a->byte + hi) lies inside the buffer or tensor; empty is fine.
 * `element_bits` only words the message. */
enum status exec_span(const struct exec *x, const char *operand, const struct addr *a, int64_t lo, int64_t hi);

/* No byte of a source range is checked here: see taint_* in memory.h. */
static inline struct memory *exec_memory(const struct exec *x, const struct addr *a)
{
    return &x->e->mem[a->buf];
}

/* GM access at addr + off; the span was checked. */
enum status exec_read(const struct exec *x, const struct addr *a, int64_t off, int64_t len, uint8_t *out);
enum status exec_write(const struct exec *x, const struct addr *a, int64_t off, int64_t len, const uint8_t *in);

static inline void exec_count(const struct exec *x, enum path path, int64_t bytes)
{
    x->e->counters.bytes[path] += bytes;
}

/* Executors; each checks its operands itself. */
enum status exec_nd2nz(const struct exec *x);
enum status exec_dn2nz(const struct exec *x);
enum status exec_data_copy(const struct exec *x);
enum status exec_data_copy_pad(const struct exec *x);
enum status exec_fill(const struct exec *x);
enum status exec_load_2d(const struct exec *x);
enum status exec_load_2d_v2(const struct exec *x);
enum status exec_load_transpose(const struct exec *x);
enum status exec_load_mx(const struct exec *x);
enum status exec_load_3d(const struct exec *x);
enum status exec_l1_to_bt(const struct exec *x);
enum status exec_l1_to_fb(const struct exec *x);
enum status exec_mmad(const struct exec *x);
enum status exec_mmad_mx(const struct exec *x);
enum status exec_fixpipe(const struct exec *x);

#endif
