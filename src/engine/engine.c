#include "engine/engine.h"

#include <stdlib.h>

#include "engine/exec.h"

enum status engine_create(const struct target *target, struct engine **out, struct diag *d)
{
    struct engine *e = calloc(1, sizeof *e);
    enum status st = e == NULL ? STATUS_NO_MEMORY : mmad_scratch_init(&e->mmad);
    for (int i = BUF_L1; i < BUF_N && st == STATUS_OK; i++) {
        st = i == BUF_UB ? STATUS_OK : memory_init(&e->mem[i], target->physical[i]);
    }
    if (st == STATUS_OK) {
        e->row = malloc(ROW_BYTES);
        st = e->row == NULL ? STATUS_NO_MEMORY : STATUS_OK;
    }
    if (st != STATUS_OK) {
        engine_destroy(e);
        return diag_error(d, st, NULL, "no memory for the buffers of a core");
    }
    e->target = target;
    *out = e;
    return STATUS_OK;
}

void engine_destroy(struct engine *e)
{
    if (e == NULL) {
        return;
    }
    for (int i = 0; i < BUF_N; i++) {
        memory_fini(&e->mem[i]);
    }
    mmad_scratch_fini(&e->mmad);
    free(e->row);
    free(e);
}

void engine_reset(struct engine *e)
{
    for (int i = 0; i < BUF_N; i++) {
        memory_taint_all(&e->mem[i]);
    }
    memset(e->flags, 0, sizeof e->flags);
    memset(&e->reg, 0, sizeof e->reg);
}

void engine_set_port(struct engine *e, enum tensor tensor, const struct gm_port *port)
{
    e->port[tensor] = *port;
}

void engine_force_isa(struct engine *e, enum mmad_isa isa)
{
    e->mmad.isa = isa <= mmad_isa_best() ? isa : MMAD_SCALAR;
}

/* ---- flags ---- */

static enum status check_event(const struct exec *x)
{
    const unsigned hard = x->in->event >> 8, id = INSN_EVENT_ID(x->in->event);
    if (hard >= HARD_EVENT_N) {
        return exec_fail(x, "there is no pair of pipes %u", hard);
    }
    if (id >= EVENT_IDS) {
        return exec_fail(x, "event id %u; ids are 0 to %d", id, EVENT_IDS - 1);
    }
    return STATUS_OK;
}

static enum status exec_set_flag(const struct exec *x)
{
    TRY(check_event(x));
    uint8_t *flags = &x->e->flags[INSN_EVENT_HARD(x->in->event)];
    const uint8_t bit = (uint8_t)(1U << INSN_EVENT_ID(x->in->event));
    if ((*flags & bit) != 0) {
        return exec_fail(x, "the flag is already set: set twice without a wait");
    }
    *flags |= bit;
    return STATUS_OK;
}

static enum status exec_wait_flag(const struct exec *x)
{
    TRY(check_event(x));
    uint8_t *flags = &x->e->flags[INSN_EVENT_HARD(x->in->event)];
    const uint8_t bit = (uint8_t)(1U << INSN_EVENT_ID(x->in->event));
    if ((*flags & bit) == 0) {
        return exec_fail(x, "waits for a flag that nothing before it has set");
    }
    *flags &= (uint8_t)~bit;
    return STATUS_OK;
}

enum status engine_check_flags(const struct engine *e, struct diag *d)
{
    for (int hard = 0; hard < HARD_EVENT_N; hard++) {
        if (e->flags[hard] != 0) {
            return diag_error(d, STATUS_MISMATCH, NULL, "flag %s EVENT_ID%d is still set at the end",
                              hard_event_name((enum hard_event)hard), __builtin_ctz(e->flags[hard]));
        }
    }
    return STATUS_OK;
}

/* ---- registers ---- */

static enum status exec_nothing(const struct exec *x)
{
    (void)x;
    return STATUS_OK;
}

static enum status exec_barrier(const struct exec *x)
{
    const unsigned pipe = x->in->p.barrier.pipe;
    if (pipe > PIPE_ALL || pipe == PIPE_S) {
        return exec_fail(x, "no barrier on this pipe");
    }
    return STATUS_OK;
}

static enum status exec_set_fmatrix(const struct exec *x)
{
    const int side = x->in->p.load_3d.fMatrixCtrl != 0;
    x->e->reg.fmatrix[side] = x->in->p.load_3d;
    x->e->reg.fmatrix_set[side] = true;
    return STATUS_OK;
}

static enum status exec_set_padding(const struct exec *x)
{
    x->e->reg.padding = x->in->p.reg.value;
    x->e->reg.padding_set = true;
    return STATUS_OK;
}

static enum status exec_set_hf32(const struct exec *x)
{
    x->e->reg.hf32[0] = x->in->p.reg.value;
    x->e->reg.hf32[1] = x->in->p.reg.value2;
    return STATUS_OK;
}

static enum status exec_set_mm_order(const struct exec *x)
{
    x->e->reg.mm_order = x->in->p.reg.value;
    return STATUS_OK;
}

static enum status exec_set_atomic(const struct exec *x)
{
    x->e->reg.atomic = x->in->p.reg.value;
    return STATUS_OK;
}

/* ---- dispatch ---- */

static enum status (*const executors[OP_N])(const struct exec *x) = {
    [OP_NOP] = exec_nothing,
    [OP_ND2NZ] = exec_nd2nz,
    [OP_DN2NZ] = exec_dn2nz,
    [OP_DATA_COPY] = exec_data_copy,
    [OP_DATA_COPY_PAD] = exec_data_copy_pad,
    [OP_FILL] = exec_fill,
    [OP_LOAD_2D] = exec_load_2d,
    [OP_LOAD_2D_V2] = exec_load_2d_v2,
    [OP_LOAD_TRANSPOSE] = exec_load_transpose,
    [OP_LOAD_TRANSPOSE_V2] = exec_load_transpose,
    [OP_LOAD_MX] = exec_load_mx,
    [OP_LOAD_3D] = exec_load_3d,
    [OP_LOAD_3D_STRIDE] = exec_load_3d,
    [OP_L1_TO_BT] = exec_l1_to_bt,
    [OP_L1_TO_FB] = exec_l1_to_fb,
    [OP_MMAD] = exec_mmad,
    [OP_MMAD_MX] = exec_mmad_mx,
    [OP_FIXPIPE] = exec_fixpipe,
    [OP_SET_FLAG] = exec_set_flag,
    [OP_WAIT_FLAG] = exec_wait_flag,
    [OP_PIPE_BARRIER] = exec_barrier,
    [OP_SET_FMATRIX] = exec_set_fmatrix,
    [OP_SET_PADDING] = exec_set_padding,
    [OP_SET_REPEAT] = exec_nothing, /* repeats stand in the load itself */
    [OP_SET_REPEAT_STRIDE] = exec_nothing,
    [OP_SET_HF32] = exec_set_hf32,
    [OP_SET_MM_ORDER] = exec_set_mm_order,
    [OP_SET_ATOMIC] = exec_set_atomic,
};

#define T(path) (1U << PATH_##path)

/* Where each mover works at all, on any product; the support tables of isa say
 * which product offers what. 0: no (source, destination) of its own. */
static const uint16_t paths[OP_N] = {
    [OP_ND2NZ] = T(GM_L1),
    [OP_DN2NZ] = T(GM_L1),
    [OP_DATA_COPY] = T(GM_L1),
    [OP_DATA_COPY_PAD] = T(GM_L1),
    [OP_LOAD_2D] = T(GM_L1) | T(GM_L0A) | T(GM_L0B) | T(L1_L0A) | T(L1_L0B),
    [OP_LOAD_2D_V2] = T(GM_L1) | T(L1_L0A) | T(L1_L0B),
    [OP_LOAD_TRANSPOSE] = T(L1_L0A) | T(L1_L0B),
    [OP_LOAD_TRANSPOSE_V2] = T(L1_L0A) | T(L1_L0B),
    [OP_LOAD_MX] = T(L1_L0A) | T(L1_L0B),
    [OP_LOAD_3D] = T(L1_L0A) | T(L1_L0B),
    [OP_LOAD_3D_STRIDE] = T(L1_L0A) | T(L1_L0B),
    [OP_L1_TO_BT] = T(L1_BT),
    [OP_L1_TO_FB] = T(L1_FB),
    [OP_FIXPIPE] = T(L0C_GM) | T(L0C_L1),
};

enum status engine_exec(struct engine *e, const struct insn *insn, struct diag *d)
{
    const struct exec x = {.e = e, .in = insn, .d = d};
    if (insn->op >= OP_N || executors[insn->op] == NULL) {
        return exec_fail(&x, "the engine does not know this instruction");
    }
    if (insn->dtype >= DTYPE_N) {
        return exec_fail(&x, "there is no dtype %u", insn->dtype);
    }
    if (insn->op >= OP_LOAD_2D && insn->op <= OP_LOAD_3D_STRIDE && dtype_info((enum dtype)insn->dtype)->bits > 32) {
        return exec_fail(&x, "loads take elements of 4 to 32 bits");
    }
    const enum path path = paths[insn->op] != 0 ? insn_path(insn) : PATH_N;
    if (paths[insn->op] != 0 && (path == PATH_N || (paths[insn->op] >> path & 1U) == 0)) {
        return exec_fail(&x, "does not go from %s to %s", buffer_name((enum buffer)insn->src.buf),
                         buffer_name((enum buffer)insn->dst.buf));
    }
    e->counters.insns++;
    return executors[insn->op](&x);
}

enum status engine_run(struct engine *e, const struct insn *insns, size_t count, struct diag *d)
{
    for (size_t i = 0; i < count; i++) {
        TRY(engine_exec(e, &insns[i], d));
    }
    return STATUS_OK;
}

/* ---- raw access ---- */

uint8_t *engine_memory(struct engine *e, enum buffer buf, int64_t *bytes)
{
    *bytes = e->mem[buf].bytes == NULL ? 0 : e->target->physical[buf];
    return e->mem[buf].bytes;
}

void engine_poke(struct engine *e, enum buffer buf, int64_t byte, const uint8_t *in, int64_t len)
{
    if (len > 0) {
        memcpy(e->mem[buf].bytes + byte, in, (size_t)len);
        taint_clear(&e->mem[buf], byte, len);
    }
}

bool engine_tainted(const struct engine *e, enum buffer buf, int64_t byte)
{
    return taint_at(&e->mem[buf], byte);
}

const struct engine_counters *engine_counters(const struct engine *e)
{
    return &e->counters;
}
