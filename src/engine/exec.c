#include "engine/exec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "isa/fields.h"

enum status exec_fail(const struct exec *x, const char *fmt, ...)
{
    char message[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    struct strbuf text;
    strbuf_init(&text);
    insn_format(x->in, &text);
    diag_error(x->d, STATUS_MISMATCH, NULL, "%s: %s", strbuf_cstr(&text), message);
    strbuf_fini(&text);
    return STATUS_MISMATCH;
}

static const char *const tensors[TENSOR_N] = {"A", "B", "scaleA", "scaleB", "bias", "quant", "C", "workspace"};

static enum status check_port(const struct exec *x, const char *operand, const struct addr *a, bool is_dst)
{
    if (a->tensor >= TENSOR_N) {
        return exec_fail(x, "%s: there is no GM tensor %u", operand, a->tensor);
    }
    const struct gm_port *port = &x->e->port[a->tensor];
    if (is_dst ? port->write == NULL : port->read == NULL) {
        return exec_fail(x, "%s: GM tensor %s cannot be %s", operand, tensors[a->tensor], is_dst ? "written" : "read");
    }
    return STATUS_OK;
}

enum status exec_operand(const struct exec *x, const char *operand, const struct addr *a, bool is_dst)
{
    if (a->buf >= BUF_N || (a->buf != BUF_GM && x->e->mem[a->buf].bytes == NULL)) {
        return exec_fail(x, "%s: %s has no buffer %s", operand, x->e->target->name,
                         a->buf < BUF_N ? buffer_name((enum buffer)a->buf) : "?");
    }
    if (a->buf == BUF_GM) {
        TRY(check_port(x, operand, a, is_dst));
    }
    if (a->byte < 0 || a->byte > ADDRESS_MAX) {
        return exec_fail(x, "%s: byte %" PRId64 " is no address", operand, a->byte);
    }
    const int64_t align = is_dst ? x->e->target->align_dst[a->buf] : x->e->target->align_src[a->buf];
    if (align > 1 && a->byte % align != 0) {
        return exec_fail(x, "%s: %s byte 0x%" PRIx64 " is not a multiple of %" PRId64, operand,
                         buffer_name((enum buffer)a->buf), (uint64_t)a->byte, align);
    }
    return STATUS_OK;
}

enum status exec_span(const struct exec *x, const char *operand, const struct addr *a, int64_t lo, int64_t hi)
{
    const bool gm = a->buf == BUF_GM;
    const int64_t size = gm ? x->e->port[a->tensor].bytes : x->e->target->physical[a->buf];
    if (hi <= lo || (a->byte + lo >= 0 && a->byte + hi <= size)) {
        return STATUS_OK;
    }
    /* Name the first byte that is outside. */
    const int64_t first = a->byte + lo < 0 ? a->byte + lo : a->byte + lo > size ? a->byte + lo : size;
    const unsigned bits = dtype_info((enum dtype)x->in->dtype)->bits;
    return exec_fail(x,
                     "%s: bytes [%" PRId64 ", %" PRId64 ") leave the %" PRId64
                     " bytes of %s%s; first outside: byte offset %" PRId64 " of the operand, element %" PRId64,
                     operand, a->byte + lo, a->byte + hi, size, gm ? "GM tensor " : buffer_name((enum buffer)a->buf),
                     gm ? tensors[a->tensor] : "", first - a->byte, (first - a->byte) * 8 / bits);
}

enum status exec_read(const struct exec *x, const struct addr *a, int64_t off, int64_t len, uint8_t *out)
{
    const struct gm_port *port = &x->e->port[a->tensor];
    const enum status st = port->read(port->ctx, a->byte + off, len, out);
    return st == STATUS_OK
               ? st
               : exec_fail(x, "reading GM tensor %s at byte %" PRId64 " failed", tensors[a->tensor], a->byte + off);
}

enum status exec_write(const struct exec *x, const struct addr *a, int64_t off, int64_t len, const uint8_t *in)
{
    const struct gm_port *port = &x->e->port[a->tensor];
    const enum status st = port->write(port->ctx, a->byte + off, len, in);
    return st == STATUS_OK
               ? st
               : exec_fail(x, "writing GM tensor %s at byte %" PRId64 " failed", tensors[a->tensor], a->byte + off);
}
